// A piece of a trace on its way to the file: events of which all is decided that depends on what
// came before them (their sequence, the time since the event before on it, the numbers of texts),
// so that any thread can put them into bytes (encode.h) while the next are being decided.
//
// Memory: 56 bytes an event, its values, and 16 bytes for each text that is defined.

#ifndef OPSCOPE_FORMATS_PERFETTO_CHUNK_H
#define OPSCOPE_FORMATS_PERFETTO_CHUNK_H

#include <stdbool.h>

#include "base/bytes.h"

// Argument names with small text ids, as nearly all are, are looked up directly.
enum { SEQUENCE_COMMON_KEYS = 64 };

// What all packets of a sequence share. Entries are set before the first event that needs them is
// handed on, and stay.
struct sequence_keys {
    uint32_t id;
    // Of argument names, by text id, where they are below 128; 0: look elsewhere.
    unsigned char iids[SEQUENCE_COMMON_KEYS];
};

enum chunk_kind {
    CHUNK_PACKETS, // what is in the values goes out as it is
    CHUNK_END,
    CHUNK_SPAN,
    CHUNK_INSTANT,
    CHUNK_SAMPLE,
    CHUNK_SAMPLE_REAL,
};

struct chunk_event {
    uint64_t ns;     // since what was before it on its sequence
    uint64_t end_ns; // where it `ends` a span: the same of that end, which comes before it
    uint64_t number; // cycles, or a sample's value
    const struct sequence_keys *sequence;
    uint32_t name;      // iid
    uint32_t location;  // iid; 0: none is said
    uint32_t call;      // 0: none is said
    uint32_t values_at; // in the chunk's values
    uint32_t values_size;
    uint8_t kind; // enum chunk_kind
    bool ends;
    bool has_cycles;
};

// A text that an event is the first of its sequence to name.
struct chunk_definition {
    uint32_t event;
    uint32_t field; // of the interned data
    uint32_t iid;
    uint32_t text;
};

struct chunk {
    struct chunk_event *events;
    size_t count, capacity;
    struct bytes values;                  // after those of events some more bytes (arguments.h)
    struct chunk_definition *definitions; // in the order of their events
    size_t definition_count, definition_capacity;
    uint32_t *iids; // of texts and uncommon names in values, in their order
    size_t iid_count, iid_capacity;
    size_t size; // about what it becomes
};

void chunk_grow(struct chunk *chunk);

// One more, of which the caller sets all that its kind has.
static inline struct chunk_event *chunk_add(struct chunk *chunk)
{
    enum { ABOUT = 32 }; // a packet without arguments
    if (chunk->count == chunk->capacity)
        chunk_grow(chunk);
    chunk->size += ABOUT;
    return &chunk->events[chunk->count++];
}

// The event that was added last defines a text.
void chunk_define(struct chunk *chunk, uint32_t field, uint32_t iid, uint32_t text,
                  size_t text_size);

// The event that was added last names a text, or an uncommon argument, in its values.
void chunk_name_text(struct chunk *chunk, uint32_t iid);

// Packets that are there already: room for `size` bytes, and how many were used.
unsigned char *chunk_reserve(struct chunk *chunk, size_t size);
void chunk_commit(struct chunk *chunk, size_t size);

void chunk_clear(struct chunk *chunk);

// Frees what it holds.
void chunk_free(struct chunk *chunk);

#endif
