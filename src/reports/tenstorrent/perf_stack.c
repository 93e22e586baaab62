// The stacked report: operations of a kind put together.

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "frame.h"
#include "perf.h"

// Of FLOPs %: mean and deviation as they grow.
struct flops_sums {
    struct frame_sum sum;
    double mean, squares;
    uint64_t count;
};

struct stack {
    struct perf *perf;
    enum perf_grouping grouping;
    bool by_device;
    struct perf_group *groups;
    size_t count;
    size_t capacity;
    struct flops_sums *sums;
    struct frame_sum *times;
    size_t sums_capacity;
    size_t times_capacity;
    struct hash_index index;
    bool timed; // an operation has a time
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

static struct view perf_stack_group_name(const struct stack *stack, const struct perf_op *op,
                                         struct bytes *text)
{
    if (stack->grouping == PERF_BY_CATEGORY)
        return view_of(perf_category_name(op->category));
    const struct view code = perf_first_word(op->code);
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

static size_t perf_stack_find_group(struct stack *stack, struct view name, const struct perf_op *op)
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
    stack->times =
        memory_grow(stack->times, stack->count, &stack->times_capacity, sizeof *stack->times);
    stack->groups[stack->count] =
        (struct perf_group){.name = arena_copy(&stack->perf->arena, name),
                            .has_device = stack->by_device && op->has_device,
                            .device = device,
                            .category = op->category,
                            .absent = true};
    stack->sums[stack->count] = (struct flops_sums){0};
    stack->times[stack->count] = (struct frame_sum){0};
    hash_add(&stack->index, hash, (uint32_t)stack->count);
    return stack->count++;
}

static void add_flops(struct perf_group *group, struct flops_sums *sums, const struct perf_op *op)
{
    const double percent = op->flops_percent.value;
    if (!op->flops_percent.known)
        return;
    if (!group->flops_least.known || percent < group->flops_least.value)
        group->flops_least = perf_known(percent);
    if (!group->flops_most.known || percent > group->flops_most.value)
        group->flops_most = perf_known(percent);
    sums->count++;
    frame_add(&sums->sum, percent);
    const double before = sums->mean;
    sums->mean += (percent - before) / (double)sums->count;
    sums->squares += (percent - sums->mean) * (percent - before);
}

static void add_op(struct stack *stack, const struct perf_op *op, struct bytes *text)
{
    const size_t index = perf_stack_find_group(stack, perf_stack_group_name(stack, op, text), op);
    struct perf_group *group = &stack->groups[index];
    group->count++;
    stack->timed = stack->timed || op->time.known;
    group->absent =
        group->absent && op->kind == PERF_DEVICE && !op->time.known && report_is_made(op->report);
    frame_add(&stack->times[index], op->time.value);
    group->time = stack->times[index].value;
    add_flops(group, &stack->sums[index], op);
    if (op->flops_percent.known) {
        group->weighted += op->flops_percent.value * op->time.value;
        group->weights += op->time.value;
    }
}

// The deviation of a sample: of one value there is none.
static void finish_group(struct perf_group *group, const struct flops_sums *sums)
{
    if (sums->count == 0)
        return;
    group->flops_mean = perf_known(sums->sum.value / (double)sums->count);
    if (sums->count > 1)
        group->flops_deviation = perf_known(sqrt(sums->squares / (double)(sums->count - 1)));
}

static int perf_stack_compare_devices(const void *left, const void *right)
{
    const struct perf_group *a = left;
    const struct perf_group *b = right;
    return sort_compare(a->device, b->device);
}

static int perf_stack_compare_names(const void *left, const void *right)
{
    const struct perf_group *a = left;
    const struct perf_group *b = right;
    const size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = size > 0 ? memcmp(a->name.data, b->name.data, size) : 0;
    if (order != 0)
        return order;
    if (a->name.size != b->name.size)
        return sort_compare(a->name.size, b->name.size);
    return perf_stack_compare_devices(a, b);
}

// Groups of one device, or all, stand together.
static void compute_percents(struct perf_group *groups, size_t count)
{
    for (size_t from = 0; from < count;) {
        double whole = 0;
        size_t to = from;
        for (; to < count && groups[to].device == groups[from].device; to++)
            whole += groups[to].time;
        for (; from < to; from++) {
            groups[from].whole = whole;
            groups[from].percent = whole != 0 ? groups[from].time / whole * 100 : 0;
        }
    }
}

// The weighted mean is one for all groups of a name, which stand together.
static void compute_weighted_means(struct perf_group *groups, size_t count)
{
    for (size_t from = 0; from < count;) {
        double weighted = 0;
        double weights = 0;
        size_t to = from;
        for (; to < count && view_equal(groups[to].name, groups[from].name); to++) {
            weighted += groups[to].weighted;
            weights += groups[to].weights;
        }
        for (; from < to; from++) {
            if (weights != 0)
                groups[from].flops_weighted = perf_known(weighted / weights);
        }
    }
}

static void order_by_time(struct perf_group *groups, size_t count)
{
    int64_t *keys = memory_allocate_zeroed(count + 1, sizeof *keys);
    size_t *order = memory_allocate_zeroed(count + 1, sizeof *order);
    struct perf_group *sorted = memory_allocate_zeroed(count + 1, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        keys[i] = frame_key(groups[i].time);
    frame_order_descending(keys, count, order);
    for (size_t i = 0; i < count; i++)
        sorted[i] = groups[order[i]];
    memcpy(groups, sorted, count * sizeof *groups);
    free(sorted);
    free(order);
    free(keys);
}

static void finish_groups(struct stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        stack->groups[i].timed = stack->timed;
        finish_group(&stack->groups[i], &stack->sums[i]);
    }
    if (stack->count == 0)
        return;
    sort_items(stack->groups, stack->count, sizeof *stack->groups, perf_stack_compare_names);
    compute_weighted_means(stack->groups, stack->count);
    if (stack->by_device)
        perf_stack_order_devices(stack->groups, stack->count);
    compute_percents(stack->groups, stack->count);
    sort_items(stack->groups, stack->count, sizeof *stack->groups, perf_stack_compare_names);
    order_by_time(stack->groups, stack->count);
}

static bool is_stacked(const struct perf_op *op, bool by_device)
{
    return op->kind != PERF_SIGNPOST && (op->has_device || !by_device);
}

bool perf_stack_has_any(const struct perf *perf, bool by_device)
{
    for (size_t i = 0; i < perf->count; i++) {
        if (is_stacked(&perf->ops[i], by_device))
            return true;
    }
    return false;
}

void perf_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                struct perf_group **out_groups, size_t *out_count)
{
    struct stack stack = {.perf = perf, .grouping = grouping, .by_device = by_device};
    struct bytes text = {0};
    for (size_t i = 0; i < perf->count; i++) {
        if (is_stacked(&perf->ops[i], by_device))
            add_op(&stack, &perf->ops[i], &text);
    }
    finish_groups(&stack);
    *out_groups = stack.groups;
    *out_count = stack.count;
    free(stack.sums);
    free(stack.times);
    hash_free(&stack.index);
    bytes_free(&text);
}

static int compare_devices_and_times(const void *left, const void *right)
{
    const struct perf_group *a = left;
    const struct perf_group *b = right;
    if (a->device != b->device)
        return perf_stack_compare_devices(a, b);
    return a->time != b->time ? (a->time < b->time) - (a->time > b->time)
                              : perf_stack_compare_names(a, b);
}

void perf_stack_order_devices(struct perf_group *groups, size_t count)
{
    if (count > 0)
        sort_items(groups, count, sizeof *groups, compare_devices_and_times);
}
