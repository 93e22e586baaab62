#include "verify_writes.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"

enum {
    STRETCHES_MOST = 16, // that a write is sorted into; one that spans more is looked at always
    NO_WRITE = -1,
};

// A write in a list: of a stretch, of those that span many, or of all of a buffer.
struct entry {
    uint32_t write;
    int64_t next; // NO_WRITE
};

struct written {
    uint32_t operand;
    uint32_t task;
    uint64_t asked; // the question that it was given as an answer to
};

struct buffer_writes {
    uint32_t axis;
    size_t first_stretch; // in `cuts` and `heads`
    size_t stretch_count; // 0: nothing is ever written
    int64_t wide;         // entries
    int64_t all;
    uint64_t volume;
};

struct verify_writes {
    const struct program *program;
    const uint32_t *roots;
    struct buffer_writes *buffers;
    int64_t *cuts;  // where each stretch begins
    int64_t *heads; // entries
    struct entry *entries;
    size_t entry_count, entry_capacity;
    struct written *items;
    size_t count, capacity;
    uint64_t questions;
    struct verify_write *found;
    size_t found_count, found_capacity;
};

struct verify_box verify_box_in(const struct program *program,
                                const struct program_operand *operand)
{
    const bool dynamic = program->buffers[operand->buffer].kind == PROGRAM_BUFFER_DYNAMIC;
    return dynamic ? (struct verify_box){0} : verify_box_of(operand);
}

uint64_t verify_volume(const int64_t *size, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= (uint64_t)size[i];
    return count;
}

uint64_t verify_shared_volume(struct verify_box a, struct verify_box b)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < a.rank && i < b.rank; i++) {
        const int64_t from = a.from[i] > b.from[i] ? a.from[i] : b.from[i];
        const int64_t end_a = a.from[i] + a.size[i];
        const int64_t end_b = b.from[i] + b.size[i];
        const int64_t to = end_a < end_b ? end_a : end_b;
        if (to <= from)
            return 0;
        count *= (uint64_t)(to - from);
    }
    return count;
}

// Stretches ----------------------------------------------------------------------------

static int verify_writes_by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Where operands begin along an axis, each place once. Returns how many.
static size_t find_cuts(const struct program *program, const uint32_t *operands, size_t count,
                        uint32_t axis, int64_t *cuts)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct program_operand *operand = &program->operands[operands[i]];
        cuts[i] = axis < operand->rank ? operand->from[axis] : 0;
    }
    sort_items(cuts, count, sizeof *cuts, verify_writes_by_number);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || cuts[i] != cuts[kept - 1])
            cuts[kept++] = cuts[i];
    }
    return kept;
}

// Cuts a buffer along the axis with the most places, given all that will be written.
static void cut_buffer(struct verify_writes *writes, uint32_t root, const uint32_t *operands,
                       size_t count, int64_t *scratch)
{
    struct buffer_writes *buffer = &writes->buffers[root];
    int64_t *cuts = &writes->cuts[buffer->first_stretch];
    const struct program_buffer *item = &writes->program->buffers[root];
    const uint32_t rank = item->kind == PROGRAM_BUFFER_DYNAMIC ? 0 : item->rank;
    for (uint32_t axis = 0; axis < rank && axis < SHAPE_RANK_MOST; axis++) {
        const size_t places = find_cuts(writes->program, operands, count, axis, scratch);
        if (places <= buffer->stretch_count)
            continue;
        buffer->axis = axis;
        buffer->stretch_count = places;
        memcpy(cuts, scratch, places * sizeof *cuts);
    }
    if (buffer->stretch_count == 0) { // a scalar, or of unknown rank
        buffer->stretch_count = 1;
        cuts[0] = 0;
    }
}

// The operands that are written, those of one buffer together: `first` says where they
// begin, by buffer.
static uint32_t *sort_operands(const struct verify_writes *writes, size_t *first)
{
    const struct program *program = writes->program;
    for (uint32_t i = 0; i < program->operand_count; i++) {
        if (program->operands[i].writes != 0)
            first[writes->roots[program->operands[i].buffer] + 2]++;
    }
    for (size_t i = 2; i <= (size_t)program->buffer_count + 1; i++)
        first[i] += first[i - 1];
    uint32_t *sorted = memory_allocate_zeroed(first[program->buffer_count + 1] + 1, sizeof *sorted);
    for (uint32_t i = 0; i < program->operand_count; i++) {
        if (program->operands[i].writes != 0)
            sorted[first[writes->roots[program->operands[i].buffer] + 1]++] = i;
    }
    return sorted;
}

struct verify_writes *verify_writes_create(const struct program *program, const uint32_t *roots)
{
    struct verify_writes *writes = memory_allocate_zeroed(1, sizeof *writes);
    const size_t buffers = program->buffer_count;
    writes->program = program;
    writes->roots = roots;
    writes->buffers = memory_allocate_zeroed(buffers + 1, sizeof *writes->buffers);
    size_t *first = memory_allocate_zeroed(buffers + 2, sizeof *first);
    uint32_t *sorted = sort_operands(writes, first);
    const size_t count = first[buffers];
    int64_t *scratch = memory_allocate_zeroed(count + 1, sizeof *scratch);
    writes->cuts = memory_allocate_zeroed(count + 1, sizeof *writes->cuts);
    writes->heads = memory_allocate_zeroed(count + 1, sizeof *writes->heads);
    memset(writes->heads, 0xff, (count + 1) * sizeof *writes->heads);
    for (uint32_t i = 0; i < buffers; i++) {
        writes->buffers[i] =
            (struct buffer_writes){.first_stretch = first[i], .wide = NO_WRITE, .all = NO_WRITE};
        if (first[i + 1] > first[i])
            cut_buffer(writes, i, sorted + first[i], first[i + 1] - first[i], scratch);
    }
    free(scratch);
    free(sorted);
    free(first);
    return writes;
}

void verify_writes_free(struct verify_writes *writes)
{
    if (writes == NULL)
        return;
    free(writes->buffers);
    free(writes->cuts);
    free(writes->heads);
    free(writes->entries);
    free(writes->items);
    free(writes->found);
    free(writes);
}

// The stretches [first, end) that a box lies in.
struct stretches {
    size_t first, end;
};

// How many stretches of the buffer begin at `place` or before.
static size_t count_until(const struct verify_writes *writes, const struct buffer_writes *buffer,
                          int64_t place)
{
    const int64_t *cuts = &writes->cuts[buffer->first_stretch];
    size_t low = 0, high = buffer->stretch_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cuts[middle] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct stretches stretches_of(const struct verify_writes *writes,
                                     const struct buffer_writes *buffer, struct verify_box box)
{
    if (buffer->axis >= box.rank)
        return (struct stretches){0, buffer->stretch_count};
    const int64_t from = box.from[buffer->axis];
    const size_t first = count_until(writes, buffer, from);
    const size_t end = count_until(writes, buffer, from + box.size[buffer->axis] - 1);
    return (struct stretches){first > 0 ? first - 1 : 0, end};
}

// Looking ------------------------------------------------------------------------------

static void look(struct verify_writes *writes, int64_t at, const struct verify_box *box)
{
    for (; at != NO_WRITE; at = writes->entries[at].next) {
        struct written *item = &writes->items[writes->entries[at].write];
        const struct verify_box other =
            verify_box_in(writes->program, &writes->program->operands[item->operand]);
        if (item->asked == writes->questions)
            continue;
        item->asked = writes->questions;
        const uint64_t shared =
            box != NULL ? verify_shared_volume(other, *box) : verify_volume(other.size, other.rank);
        if (shared == 0)
            continue;
        writes->found = memory_grow(writes->found, writes->found_count, &writes->found_capacity,
                                    sizeof *writes->found);
        writes->found[writes->found_count++] =
            (struct verify_write){item->operand, item->task, shared};
    }
}

const struct verify_write *verify_writes_find(struct verify_writes *writes, uint32_t root,
                                              const struct verify_box *box, size_t *out_count)
{
    const struct buffer_writes *buffer = &writes->buffers[root];
    writes->questions++;
    writes->found_count = 0;
    if (box == NULL) {
        look(writes, buffer->all, NULL);
    } else {
        const struct stretches range = stretches_of(writes, buffer, *box);
        for (size_t i = range.first; i < range.end; i++)
            look(writes, writes->heads[buffer->first_stretch + i], box);
        look(writes, buffer->wide, box);
    }
    *out_count = writes->found_count;
    return writes->found;
}

static void enlist(struct verify_writes *writes, int64_t *head, uint32_t write)
{
    writes->entries = memory_grow(writes->entries, writes->entry_count, &writes->entry_capacity,
                                  sizeof *writes->entries);
    writes->entries[writes->entry_count] = (struct entry){write, *head};
    *head = (int64_t)writes->entry_count++;
}

bool verify_writes_add(struct verify_writes *writes, uint32_t operand, uint32_t task)
{
    const struct program_operand *item = &writes->program->operands[operand];
    const uint32_t root = writes->roots[item->buffer];
    struct buffer_writes *buffer = &writes->buffers[root];
    const struct verify_box box = verify_box_in(writes->program, item);
    size_t before;
    verify_writes_find(writes, root, &box, &before);
    if (before > 0)
        return false;
    const uint32_t write = (uint32_t)writes->count;
    writes->items =
        memory_grow(writes->items, writes->count, &writes->capacity, sizeof *writes->items);
    writes->items[writes->count++] = (struct written){operand, task, 0};
    const struct stretches range = stretches_of(writes, buffer, box);
    if (range.end - range.first > STRETCHES_MOST) {
        enlist(writes, &buffer->wide, write);
    } else {
        for (size_t i = range.first; i < range.end; i++)
            enlist(writes, &writes->heads[buffer->first_stretch + i], write);
    }
    enlist(writes, &buffer->all, write);
    buffer->volume += verify_volume(box.size, box.rank);
    return true;
}

bool verify_writes_any(const struct verify_writes *writes, uint32_t root)
{
    return writes->buffers[root].stretch_count > 0;
}

uint64_t verify_writes_volume(const struct verify_writes *writes, uint32_t root)
{
    return writes->buffers[root].volume;
}
