// TopK and Unique: operators that put elements in order.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "gathering.h"
#include "kernels/core/order.h"

// TopK ---------------------------------------------------------------------------

struct ranked {
    uint64_t key;
    uint64_t index;
};

// The smaller key first; of equal ones the smaller index.
static bool ranked_before(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

// Restores the order of a heap whose top, the last in order, has changed.
static void ranking_sink(struct ranked *heap, uint64_t count)
{
    uint64_t at = 0;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && ranked_before(&heap[child], &heap[child + 1]))
            child++;
        if (!ranked_before(&heap[at], &heap[child]))
            return;
        const struct ranked item = heap[at];
        heap[at] = heap[child];
        heap[child] = item;
        at = child;
    }
}

static void rise(struct ranked *heap, uint64_t at)
{
    while (at > 0 && ranked_before(&heap[(at - 1) / 2], &heap[at])) {
        const struct ranked item = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = item;
        at = (at - 1) / 2;
    }
}

struct top {
    const struct tensor *input;
    char *values;     // NULL: not wanted
    int64_t *indices; // the same
    uint64_t length, chosen, inner;
    bool largest;
};

enum { KEYS = 512 };

// Finds the first `chosen` in order of one line of the input.
static void ranking_choose(const struct top *top, const char *line, struct ranked *heap)
{
    const size_t size = element_size(top->input->element);
    uint64_t keys[KEYS], held = 0;
    for (uint64_t from = 0; from < top->length; from += KEYS) {
        const uint64_t some = top->length - from < KEYS ? top->length - from : KEYS;
        order_keys(top->input->element, line + from * top->inner * size, (int64_t)top->inner, some,
                   keys);
        for (uint64_t i = 0; i < some; i++) {
            const struct ranked item = {top->largest ? ~keys[i] : keys[i], from + i};
            if (held < top->chosen) {
                heap[held] = item;
                rise(heap, held++);
            } else if (ranked_before(&item, &heap[0])) {
                heap[0] = item;
                ranking_sink(heap, held);
            }
        }
    }
    sort_in_place(heap, held, sizeof *heap, ranked_before);
}

static void top_lines(void *context, uint64_t from, uint64_t to)
{
    const struct top *top = context;
    const size_t size = element_size(top->input->element);
    struct ranked *heap = memory_allocate(top->chosen * sizeof *heap);
    for (uint64_t i = from; i < to; i++) {
        const uint64_t outer = i / top->inner, column = i % top->inner;
        const char *line =
            (const char *)top->input->data + (outer * top->length * top->inner + column) * size;
        ranking_choose(top, line, heap);
        for (uint64_t k = 0; k < top->chosen; k++) {
            const uint64_t place = (outer * top->chosen + k) * top->inner + column;
            if (top->values != NULL)
                memcpy(top->values + place * size, line + heap[k].index * top->inner * size, size);
            if (top->indices != NULL)
                top->indices[place] = (int64_t)heap[k].index;
        }
    }
    free(heap);
}

status gathering_top_k(struct kernel_call *call)
{
    const struct tensor *values = kernel_output(call, 0), *indices = kernel_output(call, 1);
    const struct tensor *shaped = values != NULL ? values : indices;
    if (shaped == NULL || tensor_count(shaped) == 0)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", -1), input->shape.rank);
    struct top top = {input,
                      values != NULL ? values->data : NULL,
                      indices != NULL ? indices->data : NULL,
                      (uint64_t)input->shape.dims[axis],
                      (uint64_t)shaped->shape.dims[axis],
                      shape_count_between(&input->shape, axis + 1, input->shape.rank),
                      attribute_integer(call->attributes, "largest", 1) != 0};
    const uint64_t lines = tensor_count(shaped) / top.chosen;
    parallel_for(call->parallel, lines, 1 + (UINT64_C(1) << 13) / top.length, top_lines, &top);
    return STATUS_OK;
}

// Unique -------------------------------------------------------------------------

enum { EMPTY_ROWS_MOST = 1 << 24 };

// One of the things compared: a row of keys, or of texts.
struct row {
    const void *items;
    uint64_t count;
    uint64_t index;
};

static int ranking_compare_keys(const struct row *a, const struct row *b)
{
    const uint64_t *left = a->items;
    const uint64_t *right = b->items;
    for (uint64_t i = 0; i < a->count; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

static int ranking_compare_texts(const struct row *a, const struct row *b)
{
    const struct view *left = a->items;
    const struct view *right = b->items;
    for (uint64_t i = 0; i < a->count; i++) {
        const size_t least = left[i].size < right[i].size ? left[i].size : right[i].size;
        const int order = least > 0 ? memcmp(left[i].data, right[i].data, least) : 0;
        if (order != 0)
            return order;
        if (left[i].size != right[i].size)
            return left[i].size < right[i].size ? -1 : 1;
    }
    return 0;
}

static bool keys_before(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    const int order = ranking_compare_keys(a, b);
    return order != 0 ? order < 0 : a->index < b->index;
}

static bool texts_before(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    const int order = ranking_compare_texts(a, b);
    return order != 0 ? order < 0 : a->index < b->index;
}

// A group of equal rows among the sorted ones.
struct group {
    uint64_t first; // smallest index of its rows
    uint64_t from;  // among the sorted rows
    uint64_t count;
};

static bool group_before(const void *left, const void *right)
{
    return ((const struct group *)left)->first < ((const struct group *)right)->first;
}

struct unique {
    struct tensor source; // rows of `width` elements, one for each place of the axis
    uint64_t count, width;
    struct datum *turned; // what the source lies in, where the axis was not the first
    struct datum *keys;   // of numbers
    struct row *rows;
    struct group *groups;
    uint64_t group_count;
};

static void unique_free(struct unique *unique)
{
    datum_release(unique->turned);
    datum_release(unique->keys);
    free(unique->rows);
    free(unique->groups);
}

// Moves the axis to the front.
static status ranking_turn(struct kernel_call *call, struct unique *unique, uint32_t axis)
{
    const struct tensor *input = call->inputs[0];
    uint32_t order[SHAPE_RANK_MOST] = {axis};
    struct shape shape = {input->shape.rank, {input->shape.dims[axis]}};
    for (uint32_t i = 0, at = 1; i < shape.rank; i++) {
        if (i == axis)
            continue;
        order[at] = i;
        shape.dims[at++] = input->shape.dims[i];
    }
    STATUS_TRY(datum_tensor(input->element, &shape, &unique->turned));
    copy_transposed(call->parallel, input, &unique->turned->tensor, order);
    unique->source = unique->turned->tensor;
    return STATUS_OK;
}

// Keys of the rows; a complex number has two.
static status make_keys(struct unique *unique, uint64_t *out_width)
{
    const struct tensor *source = &unique->source;
    const bool complex = source->element == ELEMENT_C64 || source->element == ELEMENT_C128;
    const enum element element = source->element == ELEMENT_C64    ? ELEMENT_F32
                                 : source->element == ELEMENT_C128 ? ELEMENT_F64
                                                                   : source->element;
    const uint64_t count = tensor_count(source) * (complex ? 2 : 1);
    STATUS_TRY(datum_tensor(ELEMENT_U64, &(struct shape){1, {(int64_t)count}}, &unique->keys));
    order_keys(element, source->data, 1, count, unique->keys->tensor.data);
    *out_width = unique->width * (complex ? 2 : 1);
    return STATUS_OK;
}

static status ranking_sort_rows(struct unique *unique)
{
    const bool texts = unique->source.element == ELEMENT_TEXT;
    uint64_t width = unique->width;
    if (!texts)
        STATUS_TRY(make_keys(unique, &width));
    const char *items = texts ? unique->source.data : unique->keys->tensor.data;
    const size_t size = texts ? sizeof(struct view) : sizeof(uint64_t);
    unique->rows = memory_allocate_zeroed(unique->count + 1, sizeof *unique->rows);
    for (uint64_t i = 0; i < unique->count; i++)
        unique->rows[i] = (struct row){items + i * width * size, width, i};
    sort_in_place(unique->rows, unique->count, sizeof *unique->rows,
                  texts ? texts_before : keys_before);
    unique->groups = memory_allocate_zeroed(unique->count + 1, sizeof *unique->groups);
    for (uint64_t i = 0; i < unique->count; i++) {
        const struct row *row = &unique->rows[i];
        const bool same = i > 0 && (texts ? ranking_compare_texts(row - 1, row)
                                          : ranking_compare_keys(row - 1, row)) == 0;
        if (!same)
            unique->groups[unique->group_count++] = (struct group){row->index, i, 0};
        unique->groups[unique->group_count - 1].count++;
    }
    return STATUS_OK;
}

static status give_values(struct kernel_call *call, const struct unique *unique, bool flat,
                          uint32_t axis)
{
    struct shape shape = call->inputs[0]->shape;
    if (flat)
        shape.rank = 1;
    shape.dims[axis] = (int64_t)unique->group_count;
    struct tensor *output;
    STATUS_TRY(kernel_make(call, 0, call->inputs[0]->element, &shape, &output));
    if (output == NULL)
        return STATUS_OK;
    // One slice of the axis for each group.
    struct copy copy = copy_over(&shape, output->element);
    const size_t step = (size_t)copy.target_steps[axis] * copy.size;
    copy.lengths[axis] = 1;
    if (!flat)
        copy_steps(&call->inputs[0]->shape, copy.source_steps);
    for (uint64_t i = 0; i < unique->group_count; i++)
        copy_run(call->parallel, &copy,
                 (const char *)call->inputs[0]->data + unique->groups[i].first * step,
                 (char *)output->data + i * step);
    moving_own_texts(call, 0);
    return STATUS_OK;
}

static status give_indices(struct kernel_call *call, const struct unique *unique)
{
    const struct shape groups = {1, {(int64_t)unique->group_count}};
    const struct shape rows = {1, {(int64_t)unique->count}};
    struct tensor *first, *inverse, *counts;
    STATUS_TRY(kernel_make(call, 1, ELEMENT_I64, &groups, &first));
    STATUS_TRY(kernel_make(call, 2, ELEMENT_I64, &rows, &inverse));
    STATUS_TRY(kernel_make(call, 3, ELEMENT_I64, &groups, &counts));
    for (uint64_t i = 0; i < unique->group_count; i++) {
        const struct group *group = &unique->groups[i];
        if (first != NULL)
            ((int64_t *)first->data)[i] = (int64_t)group->first;
        if (counts != NULL)
            ((int64_t *)counts->data)[i] = (int64_t)group->count;
        for (uint64_t k = 0; inverse != NULL && k < group->count; k++)
            ((int64_t *)inverse->data)[unique->rows[group->from + k].index] = (int64_t)i;
    }
    return STATUS_OK;
}

status gathering_unique(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0];
    const bool flat = !attribute_given(call->attributes, "axis");
    const uint32_t axis =
        flat ? 0 : moving_axis(attribute_integer(call->attributes, "axis", 0), input->shape.rank);
    struct unique unique = {.source = *input, .count = tensor_count(input), .width = 1};
    status failure = STATUS_OK;
    if (!flat) {
        unique.count = (uint64_t)input->shape.dims[axis];
        unique.width = shape_count_between(&input->shape, 0, axis) *
                       shape_count_between(&input->shape, axis + 1, input->shape.rank);
        if (axis > 0)
            failure = ranking_turn(call, &unique, axis);
    }
    // Rows without elements take no memory, but their order does.
    if (failure == STATUS_OK && unique.width == 0 && unique.count > EMPTY_ROWS_MOST)
        failure = status_make(STATUS_LIMIT, "%" PRIu64 " empty rows", unique.count);
    if (failure == STATUS_OK)
        failure = ranking_sort_rows(&unique);
    if (failure == STATUS_OK && attribute_integer(call->attributes, "sorted", 1) == 0)
        sort_in_place(unique.groups, unique.group_count, sizeof *unique.groups, group_before);
    if (failure == STATUS_OK)
        failure = give_values(call, &unique, flat, axis);
    if (failure == STATUS_OK)
        failure = give_indices(call, &unique);
    unique_free(&unique);
    return failure;
}
