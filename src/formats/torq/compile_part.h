// A piece of a compile profile, read without what comes before it: by any thread, many at a time.
// What is new, and what depends on the order of rows, is left to whoever takes the pieces in order.
//
// Memory: about 110 bytes and the ID for each of its rows, 64 for one that names what is new.

#ifndef OPSCOPE_FORMATS_TORQ_COMPILE_PART_H
#define OPSCOPE_FORMATS_TORQ_COMPILE_PART_H

#include <stdatomic.h>

#include "base/dense.h"
#include "base/doubles.h"
#include "compile_names.h"
#include "rows.h"
#include "unit.h"

enum { COMPILE_SLICES = 64 };

// What all pieces of a file share. Names and lanes may be added meanwhile.
struct compile_shared {
    enum torq_form form;
    uint32_t num_slices;
    uint32_t id_key, bytes_key;
    struct compile_names names;
    _Atomic uint32_t lane_of_kind[UNIT_NUMBERS]; // 0: not made yet
    _Atomic uint32_t lane_of_slice[COMPILE_SLICES];
};

enum compile_state {
    COMPILE_ROW_KNOWN, // its event has its name and call
    COMPILE_ROW_NEW,   // one of them, or its type, was not known when it was read
    COMPILE_ROW_LOST,  // it is no event
};

// What a row is besides its event.
struct compile_row {
    struct view text;
    uint64_t index; // by which its unit counts rows
    uint32_t line;  // in the piece
    uint32_t hash;  // of the row (base/doubles.h)
    uint32_t type;  // its number; HASH_NONE while it is not known
    uint32_t other; // which of the problems, or of what is new
    uint32_t slice;
    uint8_t state; // enum compile_state
    uint8_t unit;  // by number, as the ID says; 0: it does not
    bool has_index;
    bool has_bytes;
};

// What a row names, taken apart.
struct compile_named {
    struct view type, location;
    uint32_t location_hash;
    uint32_t type_number;       // HASH_NONE: new
    struct compile_found found; // the location
    uint32_t row;               // whose it is
};

enum { COMPILE_TYPES = 64 };

enum { COMPILE_LANES = UNIT_NUMBERS + COMPILE_SLICES };

// What the rows of a piece are taken together, where each becomes an event of a lane that is known
// and nothing has to be said of any of them.
struct compile_summary {
    bool whole;             // it is so, but for what rows before the piece have to do with it
    struct doubles doubles; // as if nothing stood before the piece
    struct dense indices[UNIT_COUNTERS];
    struct track_events of_lane[COMPILE_LANES]; // of kinds, then of slices
    uint64_t lanes_seen[2];                     // bits
};

struct compile_part {
    struct compile_part *next_free;
    const struct compile_shared *shared;
    struct csv_lines lines;    // what to read; afterwards the number of lines
    bool unterminated;         // the last line has no newline
    struct event_batch *batch; // an event for each row, lost or not; its name and call where the
                               // run is known, its track where the lane is
    struct compile_row *rows;
    size_t row_count, row_capacity;
    struct compile_summary summary;
    struct compile_named *news;
    size_t new_count, new_capacity;
    uint32_t types[COMPILE_TYPES]; // number + 1 of some of them, to be found by a glance; 0: none
    struct split_problem *problems;
    size_t problem_count, problem_capacity;
    struct split_texts texts;
    struct bytes id_scratch;
    struct arena kept; // texts that are not in the row as they are
};

void compile_part_read(void *part);

// Before other lines are read into it.
void compile_part_clear(struct compile_part *part);
void compile_part_free(struct compile_part *part);

// The unit that the ID says, or else the one that the event says.
static inline struct unit compile_unit_of(const struct compile_row *row,
                                          const struct compile_type *type)
{
    return row->unit != 0 ? unit_of_number(row->unit, row->slice)
                          : unit_of_number(type->unit, type->slice);
}

// Whether IDs say what unit a row is of.
static inline bool compile_has_ids(enum torq_form form)
{
    return form == TORQ_C1 || form == TORQ_C2;
}

#endif
