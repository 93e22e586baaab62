// Sequences of tensors, and values that may be absent. Sequences share their
// items, which own their bytes.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "gathering.h"
#include "kernels/kernel_tables.h"

// A list of data with a reference to each, for the sequence that is being made.
struct items {
    struct datum **data;
    size_t count;
};

static struct items items_make(size_t most)
{
    return (struct items){memory_allocate_zeroed(most + 1, sizeof(struct datum *)), 0};
}

static status items_add(struct items *items, struct datum *datum)
{
    STATUS_TRY(datum_own(datum));
    items->data[items->count++] = datum_keep(datum);
    return STATUS_OK;
}

// Gives the items to output 0, or back.
static status items_finish(struct kernel_call *call, struct items *items, status failure)
{
    if (failure == STATUS_OK) {
        kernel_give(call, 0, datum_sequence(items->data, items->count));
    } else {
        for (size_t i = 0; i < items->count; i++)
            datum_release(items->data[i]);
    }
    free(items->data);
    return failure;
}

// The place that input `index` names among `count`, or `fallback` without it.
static status position(const struct kernel_call *call, uint32_t index, size_t count,
                       size_t fallback, size_t *out_place)
{
    const struct tensor *tensor = kernel_input(call, index);
    *out_place = fallback;
    if (tensor == NULL)
        return STATUS_OK;
    const int64_t place = gathering_index(tensor, 0), most = (int64_t)count;
    if (place < -most || place >= most)
        return status_make(STATUS_DATA,
                           "position %" PRId64 " is out of range for a sequence of %zu items",
                           place, count);
    *out_place = (size_t)(place < 0 ? place + most : place);
    return STATUS_OK;
}

static status run_construct(struct kernel_call *call)
{
    struct items items = items_make(call->input_count);
    status failure = STATUS_OK;
    for (uint32_t i = 0; failure == STATUS_OK && i < call->input_count; i++)
        failure = items_add(&items, call->data[i]);
    return items_finish(call, &items, failure);
}

static status run_empty(struct kernel_call *call)
{
    kernel_give(call, 0, datum_sequence(NULL, 0));
    return STATUS_OK;
}

static status onnx_sequence_run_at(struct kernel_call *call)
{
    const struct datum *sequence = call->data[0];
    size_t place;
    STATUS_TRY(position(call, 1, sequence->count, 0, &place));
    kernel_give(call, 0, datum_keep(sequence->items[place]));
    return STATUS_OK;
}

static status run_erase(struct kernel_call *call)
{
    const struct datum *sequence = call->data[0];
    if (sequence->count == 0)
        return status_make(STATUS_DATA, "nothing to erase from an empty sequence");
    size_t place;
    STATUS_TRY(position(call, 1, sequence->count, sequence->count - 1, &place));
    struct items items = items_make(sequence->count);
    status failure = STATUS_OK;
    for (size_t i = 0; failure == STATUS_OK && i < sequence->count; i++) {
        if (i != place)
            failure = items_add(&items, sequence->items[i]);
    }
    return items_finish(call, &items, failure);
}

static status run_insert(struct kernel_call *call)
{
    const struct datum *sequence = call->data[0];
    const struct tensor *tensor = kernel_input(call, 2);
    size_t place;
    // The place after the last item is one more than those there are.
    if (tensor != NULL && gathering_index(tensor, 0) == (int64_t)sequence->count)
        place = sequence->count;
    else
        STATUS_TRY(position(call, 2, sequence->count, sequence->count, &place));
    struct items items = items_make(sequence->count + 1);
    status failure = STATUS_OK;
    for (size_t i = 0; failure == STATUS_OK && i <= sequence->count; i++) {
        if (i == place)
            failure = items_add(&items, call->data[1]);
        if (failure == STATUS_OK && i < sequence->count)
            failure = items_add(&items, sequence->items[i]);
    }
    return items_finish(call, &items, failure);
}

static status run_length(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output != NULL)
        *(int64_t *)output->data = (int64_t)call->data[0]->count;
    return STATUS_OK;
}

// SplitToSequence ----------------------------------------------------------------

// An empty tensor may have more places along an axis than there is memory.
enum { PARTS_MOST = 1 << 24 };

// Lengths of the parts along the axis.
struct parts {
    const struct tensor *lengths; // NULL: all of `each`
    int64_t each;
    int64_t total;
};

static status split_parts(const struct tensor *split, int64_t total, struct parts *out_parts)
{
    *out_parts = (struct parts){NULL, 1, total};
    if (split == NULL)
        return STATUS_OK;
    if (split->shape.rank == 0) {
        out_parts->each = gathering_index(split, 0);
        if (out_parts->each < 1)
            return status_make(STATUS_DATA, "parts of length %" PRId64, out_parts->each);
        return STATUS_OK;
    }
    out_parts->lengths = split;
    int64_t left = total;
    for (uint64_t i = 0; i < tensor_count(split); i++) {
        const int64_t length = gathering_index(split, i);
        if (length < 0 || length > left)
            return status_make(STATUS_DATA,
                               "a part of length %" PRId64 " of %" PRId64 " that are left", length,
                               left);
        left -= length;
    }
    if (left != 0)
        return status_make(STATUS_DATA, "the parts leave %" PRId64 " of %" PRId64, left, total);
    return STATUS_OK;
}

static size_t parts_count(const struct parts *parts)
{
    if (parts->lengths != NULL)
        return tensor_count(parts->lengths);
    return (size_t)(parts->total / parts->each + (parts->total % parts->each != 0));
}

static int64_t parts_length(const struct parts *parts, size_t index)
{
    if (parts->lengths != NULL)
        return gathering_index(parts->lengths, index);
    const int64_t left = parts->total - (int64_t)index * parts->each;
    return left < parts->each ? left : parts->each;
}

static void own_texts(struct datum *datum)
{
    if (datum->tensor.element != ELEMENT_TEXT)
        return;
    struct view *texts = datum->tensor.data;
    for (uint64_t i = 0; i < tensor_count(&datum->tensor); i++)
        texts[i] = arena_copy(&datum->texts, texts[i]);
}

static status make_part(struct kernel_call *call, const struct shape *shape, const uint64_t *at,
                        uint32_t dropped, struct datum **out_part)
{
    const struct tensor *input = call->inputs[0];
    STATUS_TRY(datum_tensor(input->element, shape, out_part));
    struct datum *part = *out_part;
    copy_from(call->parallel, input, &part->tensor, at);
    own_texts(part);
    if (dropped == SHAPE_RANK_MOST)
        return STATUS_OK;
    struct shape *result = &part->tensor.shape;
    result->rank--;
    for (uint32_t i = dropped; i < result->rank; i++)
        result->dims[i] = result->dims[i + 1];
    return STATUS_OK;
}

static status onnx_sequence_run_split(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0], *split = kernel_input(call, 1);
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 0), input->shape.rank);
    const bool keeps = split != NULL || attribute_integer(call->attributes, "keepdims", 1) != 0;
    struct parts parts;
    STATUS_TRY(split_parts(split, input->shape.dims[axis], &parts));
    const size_t count = parts_count(&parts);
    if (count > PARTS_MOST)
        return status_make(STATUS_LIMIT, "%zu parts are more than %d", count, PARTS_MOST);
    struct items items = items_make(count);
    uint64_t at[SHAPE_RANK_MOST] = {0};
    status failure = STATUS_OK;
    for (size_t i = 0; failure == STATUS_OK && i < count; i++) {
        struct shape shape = input->shape;
        shape.dims[axis] = parts_length(&parts, i);
        failure = make_part(call, &shape, at, keeps ? SHAPE_RANK_MOST : axis, &items.data[i]);
        items.count += failure == STATUS_OK ? 1 : 0;
        at[axis] += (uint64_t)shape.dims[axis];
    }
    return items_finish(call, &items, failure);
}

// ConcatFromSequence -------------------------------------------------------------

// The shape of an item as it lies in the result.
static struct shape item_shape(const struct tensor *item, bool stacks, uint32_t axis)
{
    struct shape shape = item->shape;
    if (!stacks)
        return shape;
    for (uint32_t i = shape.rank; i > axis; i--)
        shape.dims[i] = shape.dims[i - 1];
    shape.dims[axis] = 1;
    shape.rank++;
    return shape;
}

static status concat_shape(const struct datum *sequence, bool stacks, int64_t axis_given,
                           struct shape *out_shape, uint32_t *out_axis)
{
    const struct tensor *first = &sequence->items[0]->tensor;
    const uint32_t rank = first->shape.rank + (stacks ? 1 : 0);
    if (rank > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "rank %" PRIu32 " is more than %d", rank, SHAPE_RANK_MOST);
    STATUS_TRY(shape_axis(axis_given, rank, out_axis));
    struct shape result = item_shape(first, stacks, *out_axis);
    result.dims[*out_axis] = 0;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct tensor *item = &sequence->items[i]->tensor;
        if (item->element != first->element || item->shape.rank != first->shape.rank)
            return status_make(STATUS_DATA, "item %zu differs from item 0 in type or rank", i);
        const struct shape shape = item_shape(item, stacks, *out_axis);
        for (uint32_t d = 0; d < rank; d++) {
            if (d != *out_axis && shape.dims[d] != result.dims[d])
                return status_make(STATUS_DATA,
                                   "dimension %" PRIu32 " of item %zu is %" PRId64
                                   " instead of %" PRId64,
                                   d, i, shape.dims[d], result.dims[d]);
        }
        if (__builtin_add_overflow(result.dims[*out_axis], shape.dims[*out_axis],
                                   &result.dims[*out_axis]))
            return status_make(STATUS_LIMIT, "the items are too long together");
    }
    *out_shape = result;
    return STATUS_OK;
}

static status onnx_sequence_run_concat(struct kernel_call *call)
{
    const struct datum *sequence = call->data[0];
    if (sequence->count == 0)
        return status_make(STATUS_DATA, "an empty sequence cannot be concatenated");
    for (size_t i = 0; i < sequence->count; i++) {
        if (sequence->items[i]->kind != DATUM_TENSOR)
            return status_make(STATUS_DATA, "item %zu is no tensor", i);
    }
    const bool stacks = attribute_integer(call->attributes, "new_axis", 0) != 0;
    struct shape shape;
    uint32_t axis;
    STATUS_TRY(concat_shape(sequence, stacks, attribute_integer(call->attributes, "axis", 0),
                            &shape, &axis));
    struct tensor *output;
    STATUS_TRY(kernel_make(call, 0, sequence->items[0]->tensor.element, &shape, &output));
    if (output == NULL)
        return STATUS_OK;
    uint64_t at[SHAPE_RANK_MOST] = {0};
    for (size_t i = 0; i < sequence->count; i++) {
        struct tensor item = sequence->items[i]->tensor;
        item.shape = item_shape(&item, stacks, axis);
        copy_into(call->parallel, &item, output, at);
        at[axis] += (uint64_t)item.shape.dims[axis];
    }
    moving_own_texts(call, 0);
    return STATUS_OK;
}

// Optionals ----------------------------------------------------------------------

static bool present(const struct kernel_call *call)
{
    return call->input_count > 0 && call->data[0] != NULL && call->data[0]->kind != DATUM_NOTHING;
}

static status run_optional(struct kernel_call *call)
{
    if (!present(call)) {
        kernel_give(call, 0, datum_nothing());
        return STATUS_OK;
    }
    STATUS_TRY(datum_own(call->data[0]));
    kernel_give(call, 0, datum_keep(call->data[0]));
    return STATUS_OK;
}

static status run_get_element(struct kernel_call *call)
{
    if (!present(call))
        return status_make(STATUS_DATA, "the optional is empty");
    return run_optional(call);
}

static status run_has_element(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output != NULL)
        *(uint8_t *)output->data = present(call);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"SequenceConstruct", run_construct},
    {"SequenceEmpty", run_empty},
    {"SequenceAt", onnx_sequence_run_at},
    {"SequenceErase", run_erase},
    {"SequenceInsert", run_insert},
    {"SequenceLength", run_length},
    {"SplitToSequence", onnx_sequence_run_split},
    {"ConcatFromSequence", onnx_sequence_run_concat},
    {"Optional", run_optional},
    {"OptionalGetElement", run_get_element},
    {"OptionalHasElement", run_has_element},
};

const struct kernel_table ONNX_SEQUENCE_KERNELS = KERNEL_TABLE(ITEMS);
