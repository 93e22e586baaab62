// A piece of a compile profile, read without what comes before it: by any thread, many at a time.
// What is new, and what depends on the order of rows, is left to whoever takes the pieces in order.
//
// Memory: about 100 bytes and the ID for each of its rows.

#ifndef OPSCOPE_FORMATS_TORQ_COMPILE_PART_H
#define OPSCOPE_FORMATS_TORQ_COMPILE_PART_H

#include "rows.h"
#include "runs.h"
#include "unit.h"

// What all pieces of a file share. Runs may be added meanwhile.
struct compile_shared {
    enum torq_form form;
    uint32_t num_slices;
    uint32_t id_key, bytes_key;
    struct runs runs;
};

// Rows that are no event, instead of the id of a run.
enum { COMPILE_ROW_LOST = HASH_NONE, COMPILE_ROW_NEW = HASH_NONE - 1 };

struct compile_row {
    struct view text;
    uint64_t start;
    uint64_t end;
    uint64_t index;     // by which its unit counts rows
    uint32_t line;      // in the piece
    uint32_t hash;      // of the row (base/doubles.h)
    uint32_t run;       // an id, or one of the above:
    uint32_t other;     // which of the problems, or of the new runs
    uint32_t values_at; // in the values of the piece
    uint32_t values_size;
    uint32_t slice;
    uint8_t unit; // by number, as the ID says; 0: it does not
    bool has_index;
    bool has_bytes;
};

// A run that was not known when the row was read, taken apart.
struct compile_new_run {
    struct view bytes;
    uint32_t hash;
    struct view type, location;
    uint32_t location_hash;
    uint32_t known_type; // which of the piece's types; COMPILE_TYPES: none
    bool in_place;       // the bytes are its two texts with a comma between them
};

enum { COMPILE_TYPES = 64 };

struct compile_part {
    struct compile_part *next_free;
    const struct compile_shared *shared;
    struct csv_lines lines; // what to read; afterwards the number of lines
    bool unterminated;      // the last line has no newline
    struct compile_row *rows;
    size_t row_count, row_capacity;
    struct compile_new_run *new_runs;
    size_t new_count, new_capacity;
    struct view types[COMPILE_TYPES]; // some of those of new runs, each once; no data: none
    struct split_problem *problems;
    size_t problem_count, problem_capacity;
    struct bytes values; // value lists (profile/value.h)
    struct split_texts texts;
    struct bytes id_scratch;
    struct arena kept; // texts that are not in the row as they are
};

void compile_part_read(void *part);

// Before other lines are read into it.
void compile_part_clear(struct compile_part *part);
void compile_part_free(struct compile_part *part);

// Whether IDs say what unit a row is of.
static inline bool compile_has_ids(enum torq_form form)
{
    return form == TORQ_C1 || form == TORQ_C2;
}

#endif
