// The units of a Torq NPU that a compile profile has rows for, and how the
// forms spell them.

#ifndef OPSCOPE_FORMATS_TORQ_UNIT_H
#define OPSCOPE_FORMATS_TORQ_UNIT_H

#include "lanes.h"

enum { UNIT_NUMBERS = 7 };
enum { COUNTER_DMA, COUNTER_CSS, COUNTER_SLICE, UNIT_COUNTERS };

struct unit_kind {
    unsigned number;  // from 1 on, below UNIT_NUMBERS
    const char *lane; // its name; a slice has its number after it
    const struct torq_engine *engine;
    int32_t rank;
    bool moves_bytes; // its rows have a number of bytes
    const char *id;   // what a new ID of C1 and C2 begins with; NULL: rows of it have theirs
    size_t id_size;   // of that
    unsigned counter; // those of the same counter are numbered together
};

// The host is not of the NPU: rows of opscope's own.
extern const struct unit_kind UNIT_DMA_IN, UNIT_DMA_OUT, UNIT_CDMA, UNIT_CSS, UNIT_HOST, UNIT_SLICE;

// By number.
extern const uint8_t UNIT_COUNTER_OF[UNIT_NUMBERS];

struct unit {
    const struct unit_kind *kind; // NULL: none that is known
    uint32_t slice;
};

// By the ID of C1 and C2: DI<i>, DO<i>, CDMA_..., CSS<i>, H<i>, S<i>_<slice>; S<i>
// is slice i mod `num_slices`.
struct unit unit_of_id(struct view id, uint32_t num_slices);

// The number in such an ID that counts the rows of the unit's counter: false where there is none,
// as in S<i>.
bool unit_index_of_id(struct unit unit, struct view id, uint64_t *out_index);

// All that an ID says.
struct unit_id {
    uint64_t index;
    uint32_t slice;
    uint8_t unit; // by number; 0: none
    bool has_index;
};

// Both of the above at once, for most IDs that a compiler writes; 16 bytes can be read. False: ask
// them.
bool unit_of_plain_id(struct view id, uint32_t num_slices, struct unit_id *out_id);

// By the name of an event: "DMA In", "DMA_IN", "CDMA LRAM to DTCM", "Slice 3".
// The case does not matter, nor do blanks and underscores.
struct unit unit_of_event(struct view event);

// The host is none: what was measured there is not what a compiler expects.
struct unit unit_of_track(const struct profile *profile, const struct track *track);

// The kind of this number, 0: none that is known.
struct unit unit_of_number(unsigned number, uint32_t slice);

static inline unsigned unit_number(struct unit unit)
{
    return unit.kind != NULL ? unit.kind->number : 0;
}

// The lane of a unit that is known.
uint32_t unit_lane(struct unit unit, struct lanes *lanes);

// Whether `type` is the beginning of the op type of a row of this unit, in C1
// and C2, and not the whole of it.
bool unit_type_is_cut(struct unit unit, struct view type);

// The op type in C1 and C2, and the event in C3 and C4, of an event with this
// name. "" when the form has no other word for it than the name.
const char *unit_op_type(struct unit unit, struct view name);
const char *unit_event(struct unit unit, struct view name);

#endif
