// The data rows of one Torq CSV file, and the account that is kept of them:
// every row becomes events, or is noted with its file and line.

#ifndef OPSCOPE_FORMATS_TORQ_ROWS_H
#define OPSCOPE_FORMATS_TORQ_ROWS_H

#include "split.h"
#include "torq.h"
#include "wire/csv.h"

struct rows {
    const struct input *input;
    struct profile *profile;
    enum torq_form form;
    struct csv_lines lines;
    struct csv_line line; // the row at hand
    uint64_t count;
    bool header_allowed;
    uint64_t unfinished; // line number of a last row without a newline; else 0
    uint64_t lost;       // rows that could not be read
    uint32_t first_note; // of the profile, about this file
};

// The form that a header line announces; TORQ_UNKNOWN when it is none. Case
// and blanks do not matter.
enum torq_form rows_header_form(struct view line);

struct rows rows_start(const struct input *input, enum torq_form form, struct profile *profile);

// The next row into `rows->line`; headers and blank lines are passed over.
bool rows_next(struct rows *rows);

// A blank line, which is no row.
static inline bool rows_is_blank(struct view line)
{
    return (line.size == 0 || line.data[0] <= ' ') && view_trim(line).size == 0;
}

// Passes over what stands in front of the first row, for who takes the rest of the lines himself.
void rows_skip_header(struct rows *rows);

// The row at hand cannot be read.
void rows_lose(struct rows *rows, const struct split_problem *problem);

// The row at hand is the last, has no newline, and its end is missing.
void rows_lose_cut(struct rows *rows);

// An event of `track`, of which the row at `line` is a part, lacks the rest.
void rows_lose_event(struct rows *rows, uint32_t track, uint64_t line, const char *what);

// The row at hand contradicts itself: an event of `track` that ends before it
// starts.
void rows_refuse(struct rows *rows, uint32_t track, uint64_t start, uint64_t end);

// The row at hand, of an event of `track`, stands in the file a second time.
void rows_refuse_copy(struct rows *rows, uint32_t track);

// Events of `track` that have no row although what numbers them counts through.
void rows_lose_missing(struct rows *rows, uint32_t track, uint64_t count, const char *what);

// An event of `track` is expected to be recorded.
static inline void rows_expect(struct track *track)
{
    track->ledger.expected++;
}

// After the last row: what there is to say about the file as a whole.
void rows_finish(struct rows *rows);

#endif
