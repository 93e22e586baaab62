#include "levels.h"

#include <stdlib.h>

#include "base/memory.h"

// What a name and an operator take at most where their numbers are not known yet.
enum { NAME_SIZE = 3, OPERATOR_SIZE = 2 };

void levels_start(struct levels *levels, const uint8_t *shifts, unsigned count)
{
    *levels = (struct levels){.count = count};
    levels->items = memory_allocate_zeroed(count, sizeof *levels->items);
    for (unsigned i = 0; i < count; i++)
        levels->items[i].shift = shifts[i];
}

void levels_clear(struct levels *levels)
{
    for (unsigned i = 0; i < levels->count; i++) {
        for (unsigned row = 0; row <= LEVELS_ROWS_MOST; row++) {
            struct level_row *at = &levels->items[i].rows[row];
            struct bytes encoded = at->encoded;
            encoded.size = 0;
            *at = (struct level_row){.encoded = encoded};
        }
    }
    levels->rows = 0;
    levels->deeper = 0;
    memset(levels->row_ends, 0, sizeof levels->row_ends);
}

void levels_free(struct levels *levels)
{
    for (unsigned i = 0; i < levels->count; i++) {
        for (unsigned row = 0; row <= LEVELS_ROWS_MOST; row++)
            bytes_free(&levels->items[i].rows[row].encoded);
    }
    free(levels->items);
    *levels = (struct levels){0};
}

// Encoding --------------------------------------------------------------------

static void encode_block(struct level_numbers *numbers, struct level_row *row,
                         const struct level_block *block)
{
    struct bytes *to = &row->encoded;
    const uint64_t name = numbers->name(numbers, block->name);
    bytes_append_varint(to, block->start - row->previous);
    bytes_append_varint(to, block->end - block->start);
    bytes_append_varint(to, name << 1 | (block->count > 1));
    if (block->count > 1) {
        bytes_append_varint(to, block->count);
        bytes_append_varint(to, block->busy);
    } else {
        bytes_append_varint(to, numbers->operator_id(numbers, block->operator_id));
    }
}

static void put_block(struct levels *levels, const struct level *level, struct level_row *row,
                      const struct level_block *block)
{
    if (level->wanted)
        encode_block(levels->numbers, row, block);
    row->size += varint_size(block->start - row->previous) + varint_size(block->end - block->start);
    row->size += NAME_SIZE;
    row->size += block->count > 1 ? varint_size(block->count) + varint_size(block->busy)
                                  : (unsigned)OPERATOR_SIZE;
    row->previous = block->start;
    row->blocks++;
}

// Merging ---------------------------------------------------------------------

// Takes in a later block. The name that has more than half of the time wins.
static void merge_block(struct level_block *into, const struct level_block *block)
{
    into->end = block->end > into->end ? block->end : into->end;
    into->count += block->count;
    into->busy += block->busy;
    if (into->name == block->name) {
        into->votes += block->votes;
    } else if (into->votes >= block->votes) {
        into->votes -= block->votes;
    } else {
        into->name = block->name;
        into->votes = block->votes - into->votes;
    }
}

static bool merges(const struct level *level, const struct level_block *block)
{
    return level->shift != LEVELS_EXACT && block->end - block->start < 1ull << level->shift;
}

static void add_block(struct levels *levels, unsigned at, unsigned row_index,
                      const struct level_block *block);

static void flush_row(struct levels *levels, unsigned at, unsigned row_index)
{
    struct level *level = &levels->items[at];
    struct level_row *row = &level->rows[row_index];
    if (!row->has_pending)
        return;
    row->has_pending = false;
    const struct level_block block = row->pending;
    put_block(levels, level, row, &block);
    if (at + 1 < levels->count)
        add_block(levels, at + 1, row_index, &block);
}

static void add_block(struct levels *levels, unsigned at, unsigned row_index,
                      const struct level_block *block)
{
    const struct level *level = &levels->items[at];
    struct level_row *row = &levels->items[at].rows[row_index];
    if (row->has_pending && merges(level, block) && merges(level, &row->pending) &&
        row->pending.start >> level->shift == block->start >> level->shift) {
        merge_block(&row->pending, block);
        return;
    }
    flush_row(levels, at, row_index);
    row->pending = *block;
    row->has_pending = true;
}

// Spans -----------------------------------------------------------------------

// The first row whose last span is over.
unsigned levels_row(struct levels *levels, uint64_t start, uint64_t end)
{
    unsigned row = 0;
    while (row < levels->rows && levels->row_ends[row] > start)
        row++;
    if (row == LEVELS_ROWS_MOST) {
        row = LEVELS_ROWS_MOST - 1;
        levels->deeper++;
    }
    levels->rows = row < levels->rows ? levels->rows : row + 1;
    levels->row_ends[row] = end > levels->row_ends[row] ? end : levels->row_ends[row];
    return row;
}

void levels_put_span(struct levels *levels, unsigned row, uint64_t start, uint64_t end,
                     uint32_t name, uint32_t operator_id)
{
    const struct level_block block = {.start = start,
                                      .end = end,
                                      .count = 1,
                                      .busy = end - start,
                                      .votes = end - start + 1,
                                      .name = name,
                                      .operator_id = operator_id};
    add_block(levels, 0, row, &block);
}

unsigned levels_add_span(struct levels *levels, uint64_t start, uint64_t end, uint32_t name,
                         uint32_t operator_id)
{
    const unsigned row = levels_row(levels, start, end);
    levels_put_span(levels, row, start, end, name, operator_id);
    return row;
}

void levels_add_instant(struct levels *levels, uint64_t at, uint32_t name)
{
    const struct level_block block = {.start = at, .end = at, .count = 1, .votes = 1, .name = name};
    add_block(levels, 0, LEVELS_ROWS_MOST, &block);
}

void levels_finish(struct levels *levels)
{
    for (unsigned at = 0; at < levels->count; at++) {
        for (unsigned row = 0; row <= LEVELS_ROWS_MOST; row++)
            flush_row(levels, at, row);
    }
}

// Results ---------------------------------------------------------------------

uint64_t level_blocks(const struct level *level)
{
    uint64_t blocks = 0;
    for (unsigned row = 0; row <= LEVELS_ROWS_MOST; row++)
        blocks += level->rows[row].blocks;
    return blocks;
}

uint64_t level_size(const struct level *level, unsigned rows)
{
    uint64_t size = varint_size(rows + 1) + varint_size(level->rows[LEVELS_ROWS_MOST].blocks) +
                    level->rows[LEVELS_ROWS_MOST].size;
    for (unsigned row = 0; row < rows; row++)
        size += varint_size(level->rows[row].blocks) + level->rows[row].size;
    return size;
}

static void append_row(const struct level_row *row, struct bytes *to)
{
    bytes_append_varint(to, row->blocks);
    bytes_append(to, row->encoded.data, row->encoded.size);
}

void level_append(const struct level *level, unsigned rows, struct bytes *to)
{
    bytes_append_varint(to, rows + 1);
    for (unsigned row = 0; row < rows; row++)
        append_row(&level->rows[row], to);
    append_row(&level->rows[LEVELS_ROWS_MOST], to);
}
