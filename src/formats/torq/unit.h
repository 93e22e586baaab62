// The units of a Torq NPU that a compile profile has rows for, and how the
// forms spell them.

#ifndef OPSCOPE_FORMATS_TORQ_UNIT_H
#define OPSCOPE_FORMATS_TORQ_UNIT_H

#include "lanes.h"

enum unit_kind {
    UNIT_DMA_IN,
    UNIT_DMA_OUT,
    UNIT_CDMA,
    UNIT_CSS,
    UNIT_HOST, // not of the NPU: rows of opscope's own
    UNIT_SLICE,
    UNIT_OTHER, // none that is known
};

struct unit {
    enum unit_kind kind;
    uint32_t slice;
};

// By the ID of C1 and C2: DI<i>, DO<i>, CDMA_..., CSS<i>, H<i>, S<i>_<slice>; S<i>
// is slice i mod `num_slices`.
struct unit unit_of_id(struct view id, uint32_t num_slices);

// By the name of an event: "DMA In", "DMA_IN", "CDMA LRAM to DTCM", "Slice 3".
// The case does not matter, nor do blanks and underscores.
struct unit unit_of_event(struct view event);

// The host is none: what was measured there is not what a compiler expects.
struct unit unit_of_engine(enum engine engine, uint32_t index);

// The lane of a unit that is not UNIT_OTHER.
uint32_t unit_lane(struct unit unit, struct lanes *lanes);

// Whether rows of this unit have a number of bytes.
bool unit_moves_bytes(enum unit_kind kind);

// Whether `type` is the beginning of the op type of a row of this unit, in C1
// and C2, and not the whole of it.
bool unit_type_is_cut(enum unit_kind kind, struct view type);

// The op type in C1 and C2, and the event in C3 and C4, of an event with this
// name. "" when the form has no other word for it than the name.
const char *unit_op_type(struct unit unit, struct view name);
const char *unit_event(struct unit unit, struct view name);

#endif
