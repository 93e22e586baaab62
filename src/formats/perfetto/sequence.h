// One packet sequence: the events of one lane of one track, with its own
// interned texts and its own clock, on which each timestamp is the difference
// to the one before.
//
// Here is decided, in the order of the events, what depends on that order: times since the event
// before, numbers of texts, and which packet defines one. The bytes are put down later (encode.h).
//
// Memory: 8 bytes for each text, whatever the lane; 16 to 32 for each distinct one of the lane that
// another lane had before; and open spans.

#ifndef OPSCOPE_FORMATS_PERFETTO_SEQUENCE_H
#define OPSCOPE_FORMATS_PERFETTO_SEQUENCE_H

#include "base/segments.h"
#include "encode.h"

// Text ids to the small numbers that stand for them in a sequence.
struct iid_map {
    uint32_t *slots; // pairs: text id + 1, iid
    uint32_t mask;
    uint32_t count;
    uint32_t last; // iid that was given
};

// Where a text was interned first. Most texts are of one sequence alone, which needs no map then.
struct text_home {
    uint32_t sequence; // 0: nowhere yet
    uint32_t iid;
};

struct sequence {
    struct sequence_keys *shared; // with the events that were handed on
    uint64_t now;                 // ns of the last event
    uint64_t *ends;               // of open spans (ns), outermost first
    size_t depth;
    size_t capacity;
    struct iid_map names;
    uint32_t last_name, last_name_iid; // 0: none yet
    struct iid_map categories;
    struct iid_map keys;
    uint64_t common_keys;   // bit k: key k has a number in `shared`
    struct iid_map texts;   // but for those at home here
    struct segments *homes; // struct text_home, by text id: of all sequences
};

// What an event is made of besides its times. Its values lie in the chunk already.
struct sequence_event {
    enum chunk_kind kind; // CHUNK_SPAN or CHUNK_INSTANT
    bool ends;            // the span that is open ends just before it ...
    uint64_t end;         // ... at this ns
    uint32_t name;
    uint32_t location; // text ids; 0: none
    uint32_t call;     // 0: none
    uint32_t values_at, values_size;
    uint64_t keys; // of the values (event.h)
    bool has_cycles;
    uint64_t cycles;
};

// Opens the sequence at time `ns`. `homes` is the writer's, empty at first.
void sequence_start(struct sequence *sequence, struct chunk *chunk, uint32_t id, uint64_t uuid,
                    uint64_t ns, struct segments *homes);

void sequence_add(struct sequence *sequence, struct chunk *chunk,
                  const struct encode_options *options, uint64_t ns,
                  const struct sequence_event *event);
void sequence_sample(struct sequence *sequence, struct chunk *chunk, uint64_t ns,
                     const struct value *value);
void sequence_end(struct sequence *sequence, struct chunk *chunk, uint64_t ns);

// When all its events are encoded.
void sequence_free(struct sequence *sequence);

#endif
