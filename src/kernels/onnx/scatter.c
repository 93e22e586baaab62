// Scatter, ScatterElements and ScatterND: updates one after the other, so that
// the last of two to the same place wins, always.

#include "kernels/core/scatter.h"

#include "gathering.h"

status gathering_scatter_elements(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *data = call->inputs[0], *indices = call->inputs[1];
    const struct tensor *updates = call->inputs[2];
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 0), data->shape.rank);
    enum scatter_reduction reduction;
    STATUS_TRY(gather_reduction(call->attributes, &reduction));
    STATUS_TRY(gathering_check(indices, axis, data->shape.dims[axis]));
    copy_all(call->parallel, data, output);
    const uint64_t total = tensor_count(indices);
    const uint64_t columns = (uint64_t)indices->shape.dims[indices->shape.rank - 1];
    const size_t size = element_size(data->element);
    const struct gathering_rows rows = {indices, &data->shape, axis};
    int64_t offsets[GATHERING_CHUNK];
    for (uint64_t at = 0; at < total;) {
        const uint64_t column = at % columns, left = columns - column;
        const uint64_t count = left < GATHERING_CHUNK ? left : GATHERING_CHUNK;
        gathering_offsets(&rows, at / columns, column, count, offsets);
        scatter_put(reduction, data->element, output->data, (const char *)updates->data + at * size,
                    offsets, count);
        at += count;
    }
    moving_own_texts(call, 0);
    return STATUS_OK;
}

// Puts slice `source` to the elements from `target` on.
static void put_slice(enum scatter_reduction reduction, enum element element, char *target,
                      const char *source, uint64_t length)
{
    const size_t size = element_size(element);
    if (reduction == SCATTER_SET) {
        memcpy(target, source, length * size);
        return;
    }
    int64_t offsets[GATHERING_CHUNK];
    for (int64_t i = 0; i < GATHERING_CHUNK; i++)
        offsets[i] = i;
    for (uint64_t at = 0; at < length; at += GATHERING_CHUNK) {
        const uint64_t left = length - at;
        scatter_put(reduction, element, target + at * size, source + at * size, offsets,
                    left < GATHERING_CHUNK ? left : GATHERING_CHUNK);
    }
}

status gathering_scatter_nd(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *data = call->inputs[0], *indices = call->inputs[1];
    const struct tensor *updates = call->inputs[2];
    enum scatter_reduction reduction;
    STATUS_TRY(gather_reduction(call->attributes, &reduction));
    copy_all(call->parallel, data, output);
    const uint32_t rank = indices->shape.rank;
    const uint32_t width = (uint32_t)indices->shape.dims[rank - 1];
    const uint64_t count = shape_count_between(&indices->shape, 0, rank - 1);
    const uint64_t length = shape_count_between(&data->shape, width, data->shape.rank);
    const size_t size = element_size(data->element);
    struct datum *offsets;
    STATUS_TRY(datum_tensor(ELEMENT_I64, &(struct shape){1, {(int64_t)count}}, &offsets));
    int64_t *items = offsets->tensor.data;
    const status failure = gathering_tuples(indices, &data->shape, 0, items);
    if (failure == STATUS_OK && length == 1) {
        scatter_put(reduction, data->element, output->data, updates->data, items, count);
    } else if (failure == STATUS_OK) {
        for (uint64_t i = 0; i < count; i++)
            put_slice(reduction, data->element, (char *)output->data + (size_t)items[i] * size,
                      (const char *)updates->data + i * length * size, length);
    }
    datum_release(offsets);
    moving_own_texts(call, 0);
    return failure;
}
