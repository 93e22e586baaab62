// Tables of a profile as columns: arrays of numbers, and texts as numbers of distinct ones, so that
// a million spans are a few pointers to whoever computes with them (numpy, an analysis of one's
// own). For C11 and later, and C++11 and later; threads, texts and sizes as in opscope/profile.h.

#ifndef OPSCOPE_TABLE_H
#define OPSCOPE_TABLE_H

#include <opscope/profile.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Columns of equal length. It does not need the profile any more.
struct opscope_table;

// What is in a table, of those that it is for. Zero, or NULL instead of the whole: everything.
struct opscope_table_options {
    const char *columns;   // only these, with commas between them; NULL: all
    const char *arguments; // spans, instants: a column "args.KEY" for each of these values of
                           // theirs, with commas between them; NULL: none
    const char *by;        // top: name (the usual), category, track, engine, role, operator, shape,
                           // step, module or path
    const char *filter;    // spans, instants, top: whose name has this; with *, whose name is this
    uint64_t from_ns;      // the same: what ends before is left out, ...
    uint64_t to_ns;        // ... or starts here or later; 0: no end. `top` cuts spans off there
    uint64_t step;         // top: of this step alone, ...
    uint32_t has_step;     // ... where this is not 0
    uint32_t all;          // overview: not 0: also the figures that it does not show
};

// The names of the tables, by index; NULL after the last one:
// "spans", "instants", "samples" (of counters): events, track by track, in order of their start;
// "tracks": where they lie; "operators", "types": the time of each operator, and of each type of
// them; "top": spans by what they have in common; "overview": its figures.
const char *opscope_table_name(uint32_t index);

// Makes one of them. OPSCOPE_ERROR_USAGE when there is no such table or column.
int opscope_profile_table_sized(struct opscope_profile *profile, const char *name,
                                const struct opscope_table_options *options, size_t options_size,
                                struct opscope_table **out_table, char *message, size_t size);

static inline int opscope_profile_table(struct opscope_profile *profile, const char *name,
                                        const struct opscope_table_options *options,
                                        struct opscope_table **out_table, char *message,
                                        size_t size)
{
    return opscope_profile_table_sized(profile, name, options, sizeof *options, out_table, message,
                                       size);
}

// Accepts NULL.
void opscope_table_free(struct opscope_table *table);

// How many rows each column has.
uint64_t opscope_table_row_count(const struct opscope_table *table);

// How many columns it has.
uint32_t opscope_table_column_count(const struct opscope_table *table);

enum opscope_column_kind {
    OPSCOPE_COLUMN_INT,  // int64_t
    OPSCOPE_COLUMN_UINT, // uint64_t: some number is too large for the former
    OPSCOPE_COLUMN_REAL, // double
    OPSCOPE_COLUMN_BOOL, // uint8_t, 0 or 1
    OPSCOPE_COLUMN_TEXT  // uint32_t: which of the column's distinct texts
};

// What it points at belongs to the table.
struct opscope_column {
    const char *name;
    const char *unit;          // "ns", "bytes" ...; "" when it has none
    const char *meaning;       // a line
    const void *data;          // as many items as the table has rows
    const uint8_t *absent;     // by row: not 0 where there is no value; NULL: all are there
    const char *texts;         // OPSCOPE_COLUMN_TEXT: the distinct ones, without NULs between them
    const uint64_t *text_ends; // where in `texts` each of them ends
    uint64_t text_count;
    uint32_t kind; // enum opscope_column_kind
    uint32_t reserved;
    const uint8_t *cells; // OPSCOPE_COLUMN_TEXT of a query: by row what it was (enum
                          // opscope_cell_kind); NULL: texts all
};

// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_table_get_column_sized(const struct opscope_table *table, uint32_t index,
                                   struct opscope_column *out_column, size_t size);

static inline int opscope_table_get_column(const struct opscope_table *table, uint32_t index,
                                           struct opscope_column *out_column)
{
    return opscope_table_get_column_sized(table, index, out_column, sizeof *out_column);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
