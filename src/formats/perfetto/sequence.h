// One packet sequence: the events of one lane of one track, with its own
// interned texts and its own clock, on which each timestamp is the difference
// to the one before.
//
// Memory: 8 bytes for each text, whatever the lane; 16 to 32 for each distinct one of the lane that
// another lane had before; and open spans.

#ifndef OPSCOPE_FORMATS_PERFETTO_SEQUENCE_H
#define OPSCOPE_FORMATS_PERFETTO_SEQUENCE_H

#include "pack.h"
#include "profile/profile.h"

// Argument names with small text ids, as nearly all are, are looked up directly.
enum { SEQUENCE_COMMON_KEYS = 64 };

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
    uint32_t id;
    uint64_t uuid;  // of its track
    uint64_t now;   // ns of the last event written
    uint64_t *ends; // of open spans (ns), outermost first
    size_t depth;
    size_t capacity;
    struct iid_map names;
    struct iid_map categories;
    struct iid_map keys;
    unsigned char common_keys[SEQUENCE_COMMON_KEYS]; // iids by text id; 0: not defined
    struct iid_map texts;                            // but for those at home here
    struct segments *homes; // struct text_home, by text id: of all sequences
    struct bytes interned;  // texts that the packet at hand defines
    struct bytes packet;    // its other bytes, while it is put together
};

// What goes into the arguments of an event besides its own values.
struct sequence_arguments {
    bool wanted;
    struct view values;
    uint32_t location; // text ids; 0: none
    uint32_t location_key;
    bool has_cycles;
    uint64_t cycles;
    uint32_t cycles_key;
    uint32_t category_key; // values under this key are categories
    uint32_t call;         // 0: none
    uint32_t call_key;
};

// Opens the sequence at time `ns`. `homes` is the writer's, empty at first.
void sequence_start(struct sequence *sequence, struct pack *pack, uint32_t id, uint64_t uuid,
                    uint64_t ns, struct segments *homes);

void sequence_span(struct sequence *sequence, struct pack *pack, const struct profile *profile,
                   uint64_t ns, uint32_t name, const struct sequence_arguments *arguments);
void sequence_instant(struct sequence *sequence, struct pack *pack, const struct profile *profile,
                      uint64_t ns, uint32_t name, const struct sequence_arguments *arguments);
void sequence_sample(struct sequence *sequence, struct pack *pack, uint64_t ns,
                     const struct value *value);
void sequence_end(struct sequence *sequence, struct pack *pack, uint64_t ns);

void sequence_free(struct sequence *sequence);

#endif
