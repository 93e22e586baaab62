// The spans of one lane at several levels of detail, made as they come in order of their start.
//
// Spans lie in rows: those inside others, or at the same time, in a row further down. At a level
// with buckets of 2^shift ns, a span that is at least as long as a bucket stays as it is; shorter
// ones that start in the same bucket of a row become one block, which says how many they are, how
// long they last together, and whose name most of that time has. The level with buckets of 0 is
// exact. A level is made from the one before it, so all of them together cost little more than the
// finest alone.
//
// Form of a level, in numbers of base/varint.h: how many rows; then of each row (the last is that
// of instants) how many blocks, and these: time since the start of the one before (or since 0),
// duration, name * 2, operator; of several spans in one: name * 2 + 1, how many, how long
// together. Times are ns since the start of the profile. Names and operators are numbers that
// whoever makes the lane gives them.
//
// Memory: what is encoded, and a block for each row and level.

#ifndef OPSCOPE_REPORTS_PAGE_LEVELS_H
#define OPSCOPE_REPORTS_PAGE_LEVELS_H

#include "base/bytes.h"

enum {
    LEVELS_MOST = 20,
    LEVELS_ROWS_MOST = 64, // of spans; what lies deeper is in the last one
    LEVELS_EXACT = 255,    // a shift: no buckets
};

struct level_block {
    uint64_t start, end; // ns
    uint64_t count;      // of spans
    uint64_t busy;       // ns, that they last together
    uint64_t votes;      // of the name: how much of that is sure
    uint32_t name;
    uint32_t operator_id; // 0: none
};

struct level_row {
    struct level_block pending;
    bool has_pending;
    uint64_t previous; // start of the last block that was encoded
    uint64_t blocks;
    uint64_t size; // bytes
    struct bytes encoded;
};

struct level {
    uint8_t shift;
    bool wanted; // encoded; else only its size is found out, with names and operators of most bytes
    struct level_row rows[LEVELS_ROWS_MOST + 1];
};

// Which numbers of the page a block gets.
struct level_numbers {
    uint32_t (*name)(struct level_numbers *numbers, uint32_t name);
    uint32_t (*operator_id)(struct level_numbers *numbers, uint32_t operator_id);
};

struct levels {
    struct level_numbers *numbers; // NULL: nothing is encoded
    struct level *items;
    unsigned count;
    unsigned rows;   // of spans
    uint64_t deeper; // spans that lie deeper than there are rows
    uint64_t row_ends[LEVELS_ROWS_MOST];
};

// Levels by their shifts, finer ones first, none of them wanted.
void levels_start(struct levels *levels, const uint8_t *shifts, unsigned count);

// The same levels, for another lane.
void levels_clear(struct levels *levels);
void levels_free(struct levels *levels);

// The row of the next span, in order of their start.
unsigned levels_row(struct levels *levels, uint64_t start, uint64_t end);

// A span in a row.
void levels_put_span(struct levels *levels, unsigned row, uint64_t start, uint64_t end,
                     uint32_t name, uint32_t operator_id);

// Both; returns the row.
unsigned levels_add_span(struct levels *levels, uint64_t start, uint64_t end, uint32_t name,
                         uint32_t operator_id);
void levels_add_instant(struct levels *levels, uint64_t at, uint32_t name);

// Nothing is added any more.
void levels_finish(struct levels *levels);

// How many blocks and bytes a level has, or would have at most.
uint64_t level_blocks(const struct level *level);
uint64_t level_size(const struct level *level, unsigned rows);

// Appends the form above.
void level_append(const struct level *level, unsigned rows, struct bytes *to);

#endif
