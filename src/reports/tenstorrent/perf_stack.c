// The stacked report: operations of a kind put together.

#include <ctype.h>
#include <stdlib.h>

#include "analysis/statistics.h"
#include "base/hash.h"
#include "base/memory.h"
#include "perf.h"

struct stack {
    struct perf *perf;
    enum perf_grouping grouping;
    bool by_device;
    struct perf_group *groups;
    size_t count;
    size_t capacity;
    struct sums {
        double flops, squares, weighted, weights; // of FLOPs %
        uint64_t count;
    } * sums;
    size_t sums_capacity;
    struct hash_index index;
};

// Where the last `words` words between underscores start.
static size_t last_words(struct view text, int words)
{
    size_t from = text.size;
    for (int i = 0; i < words; i++) {
        const struct view front = view_slice(text, 0, from);
        const size_t underscore = view_find_last(front, '_');
        if (underscore == front.size)
            return 0;
        from = underscore;
    }
    return from + 1;
}

// DEV_0_L1_BLOCK_SHARDED as block_sharded.
static void append_layout(struct bytes *text, struct view memory)
{
    for (size_t i = last_words(memory, 2); i < memory.size; i++) {
        const char small = (char)tolower((unsigned char)memory.data[i]);
        bytes_append(text, &small, 1);
    }
}

static struct view group_name(const struct stack *stack, const struct perf_op *op,
                              struct bytes *text)
{
    if (stack->grouping == PERF_BY_CATEGORY)
        return view_of(perf_category_name(op->category));
    // Host operations are called "(torch) name".
    const size_t end = op->kind == PERF_HOST ? op->code.size : view_find(op->code, ' ');
    const struct view code = view_slice(op->code, 0, end);
    const struct view memory =
        report_tensor_text(op->report, op->row, false, 0, COLUMN_TENSOR_MEMORY);
    if (stack->grouping == PERF_BY_OP || memory.size == 0)
        return code;
    text->size = 0;
    bytes_append_format(text, "%.*s (in0:", VIEW_ARGUMENTS(code));
    append_layout(text, memory);
    bytes_append(text, ")", 1);
    return bytes_view(text);
}

static size_t find_group(struct stack *stack, struct view name, const struct perf_op *op)
{
    const uint64_t device = stack->by_device ? op->device : 0;
    const uint32_t hash = hash_bytes(name.data, name.size) ^ hash_u64(device);
    uint32_t id;
    for (uint32_t at = hash_first(&stack->index, hash);
         (id = hash_next(&stack->index, hash, &at)) != HASH_NONE;) {
        if (view_equal(stack->groups[id].name, name) && stack->groups[id].device == device)
            return id;
    }
    stack->groups =
        memory_grow(stack->groups, stack->count, &stack->capacity, sizeof *stack->groups);
    stack->sums =
        memory_grow(stack->sums, stack->count, &stack->sums_capacity, sizeof *stack->sums);
    stack->groups[stack->count] =
        (struct perf_group){.name = arena_copy(&stack->perf->arena, name),
                            .has_device = stack->by_device && op->has_device,
                            .device = device,
                            .category = op->category};
    stack->sums[stack->count] = (struct sums){0};
    hash_add(&stack->index, hash, (uint32_t)stack->count);
    return stack->count++;
}

static void add_flops(struct perf_group *group, struct sums *sums, const struct perf_op *op)
{
    const double percent = op->flops_percent.value;
    if (!op->flops_percent.known)
        return;
    if (!group->flops_least.known || percent < group->flops_least.value)
        group->flops_least = perf_known(percent);
    if (!group->flops_most.known || percent > group->flops_most.value)
        group->flops_most = perf_known(percent);
    sums->count++;
    sums->flops += percent;
    sums->squares += percent * percent;
    sums->weighted += percent * op->time.value;
    sums->weights += op->time.value;
}

static void add_op(struct stack *stack, const struct perf_op *op, struct bytes *text)
{
    const size_t index = find_group(stack, group_name(stack, op, text), op);
    struct perf_group *group = &stack->groups[index];
    group->count++;
    group->time += op->time.value;
    add_flops(group, &stack->sums[index], op);
}

// The deviation of a sample: of one value there is none.
static void finish_group(struct perf_group *group, const struct sums *sums)
{
    const double count = (double)sums->count;
    if (sums->count == 0)
        return;
    const double mean = sums->flops / count;
    group->flops_mean = perf_known(mean);
    if (sums->count > 1)
        group->flops_deviation =
            perf_known(statistics_deviation_of_sums(sums->flops, sums->squares, sums->count));
    if (sums->weights > 0)
        group->flops_weighted = perf_known(sums->weighted / sums->weights);
}

static int compare_groups(const void *left, const void *right)
{
    const struct perf_group *a = left;
    const struct perf_group *b = right;
    if (a->device != b->device)
        return (a->device > b->device) - (a->device < b->device);
    if (a->time != b->time)
        return (a->time < b->time) - (a->time > b->time);
    const size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = memcmp(a->name.data, b->name.data, size);
    return order != 0 ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

// Groups of one device, or all, stand together.
static void compute_percents(struct perf_group *groups, size_t count)
{
    for (size_t from = 0; from < count;) {
        double whole = 0;
        size_t to = from;
        for (; to < count && groups[to].device == groups[from].device; to++)
            whole += groups[to].time;
        for (; from < to; from++)
            groups[from].percent = whole > 0 ? groups[from].time / whole * 100 : 0;
    }
}

void perf_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                struct perf_group **out_groups, size_t *out_count)
{
    struct stack stack = {.perf = perf, .grouping = grouping, .by_device = by_device};
    struct bytes text = {0};
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_SIGNPOST)
            add_op(&stack, &perf->ops[i], &text);
    }
    for (size_t i = 0; i < stack.count; i++)
        finish_group(&stack.groups[i], &stack.sums[i]);
    if (stack.count > 0)
        qsort(stack.groups, stack.count, sizeof *stack.groups, compare_groups);
    compute_percents(stack.groups, stack.count);
    *out_groups = stack.groups;
    *out_count = stack.count;
    free(stack.sums);
    hash_free(&stack.index);
    bytes_free(&text);
}
