// Operators whose places are chosen by data: those that gather.

#include <inttypes.h>

#include "gathering.h"
#include "kernels/core/scatter.h"
#include "kernels/kernel_tables.h"

enum { PIECE_BYTES = 1 << 16 };

// Slices of the data, one after the other in the output.
struct slices {
    const char *source;
    char *target;
    const int64_t *offsets; // in elements, of each slice of a block
    uint64_t count;         // slices in a block
    uint64_t block;         // elements of the data from one block to the next
    uint64_t length;        // elements of a slice
    size_t size;
};

static void copy_slices(void *context, uint64_t from, uint64_t to)
{
    const struct slices *s = context;
    while (from < to) {
        const uint64_t block = from / s->count, first = from % s->count;
        const uint64_t left = s->count - first, run = to - from < left ? to - from : left;
        const char *source = s->source + block * s->block * s->size;
        char *target = s->target + from * s->length * s->size;
        if (s->length == 1) {
            scatter_pick(s->size, target, source, s->offsets + first, run);
        } else {
            const size_t bytes = s->length * s->size;
            for (uint64_t i = 0; i < run; i++)
                memcpy(target + i * bytes, source + (size_t)s->offsets[first + i] * s->size, bytes);
        }
        from += run;
    }
}

static void run_slices(struct parallel *parallel, struct slices *slices, uint64_t blocks)
{
    const uint64_t bytes = slices->length * slices->size;
    if (bytes > 0 && slices->count > 0)
        parallel_for(parallel, blocks * slices->count, 1 + PIECE_BYTES / bytes, copy_slices,
                     slices);
}

// Offsets live in a tensor of their own, so that too many of them are an error.
static status make_offsets(uint64_t count, struct datum **out_datum)
{
    return datum_tensor(ELEMENT_I64, &(struct shape){1, {(int64_t)count}}, out_datum);
}

static status onnx_gather_run_gather(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *data = call->inputs[0], *indices = call->inputs[1];
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 0), data->shape.rank);
    const int64_t length = data->shape.dims[axis];
    STATUS_TRY(gathering_check(indices, axis, length));
    if (tensor_count(output) == 0)
        return STATUS_OK;
    const uint64_t count = tensor_count(indices);
    const uint64_t inner = shape_count_between(&data->shape, axis + 1, data->shape.rank);
    struct datum *offsets;
    STATUS_TRY(make_offsets(count, &offsets));
    int64_t *items = offsets->tensor.data;
    for (uint64_t i = 0; i < count; i++)
        items[i] = gathering_place(indices, i, length) * (int64_t)inner;
    struct slices slices = {data->data,
                            output->data,
                            items,
                            count,
                            (uint64_t)length * inner,
                            inner,
                            element_size(data->element)};
    run_slices(call->parallel, &slices, shape_count_between(&data->shape, 0, axis));
    datum_release(offsets);
    moving_own_texts(call, 0);
    return STATUS_OK;
}

static status run_gather_nd(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;
    const struct tensor *data = call->inputs[0], *indices = call->inputs[1];
    const uint32_t batch = (uint32_t)attribute_integer(call->attributes, "batch_dims", 0);
    const uint32_t rank = indices->shape.rank;
    const uint32_t inner = batch + (uint32_t)indices->shape.dims[rank - 1];
    const uint64_t count = shape_count_between(&indices->shape, 0, rank - 1);
    struct datum *offsets;
    STATUS_TRY(make_offsets(count, &offsets));
    const status failure = gathering_tuples(indices, &data->shape, batch, offsets->tensor.data);
    if (failure == STATUS_OK) {
        struct slices slices = {data->data,
                                output->data,
                                offsets->tensor.data,
                                count,
                                0,
                                shape_count_between(&data->shape, inner, data->shape.rank),
                                element_size(data->element)};
        run_slices(call->parallel, &slices, 1);
        moving_own_texts(call, 0);
    }
    datum_release(offsets);
    return failure;
}

// GatherElements -----------------------------------------------------------------

struct picking {
    struct gathering_rows rows;
    const void *source;
    char *target;
    size_t size;
};

static void pick_rows(void *context, uint64_t from, uint64_t to)
{
    const struct picking *p = context;
    const struct shape *shape = &p->rows.indices->shape;
    const uint64_t columns = (uint64_t)shape->dims[shape->rank - 1];
    int64_t offsets[GATHERING_CHUNK];
    for (uint64_t row = from; row < to; row++) {
        for (uint64_t c = 0; c < columns; c += GATHERING_CHUNK) {
            const uint64_t left = columns - c;
            const uint64_t count = left < GATHERING_CHUNK ? left : GATHERING_CHUNK;
            gathering_offsets(&p->rows, row, c, count, offsets);
            scatter_pick(p->size, p->target + (row * columns + c) * p->size, p->source, offsets,
                         count);
        }
    }
}

static status run_gather_elements(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *data = call->inputs[0], *indices = call->inputs[1];
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 0), data->shape.rank);
    STATUS_TRY(gathering_check(indices, axis, data->shape.dims[axis]));
    const uint64_t count = tensor_count(indices);
    if (count == 0)
        return STATUS_OK;
    struct picking picking = {
        {indices, &data->shape, axis}, data->data, output->data, element_size(data->element)};
    const uint64_t columns = (uint64_t)indices->shape.dims[indices->shape.rank - 1];
    parallel_for(call->parallel, count / columns, 1 + PIECE_BYTES / 4 / columns, pick_rows,
                 &picking);
    moving_own_texts(call, 0);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"Gather", onnx_gather_run_gather},
    {"GatherElements", run_gather_elements},
    {"GatherND", run_gather_nd},
    {"Scatter", gathering_scatter_elements},
    {"ScatterElements", gathering_scatter_elements},
    {"ScatterND", gathering_scatter_nd},
    {"OneHot", gathering_one_hot},
    {"NonZero", gathering_non_zero},
    {"TopK", gathering_top_k},
    {"Unique", gathering_unique},
    {"Compress", gathering_compress},
};

const struct kernel_table ONNX_GATHER_KERNELS = KERNEL_TABLE(ITEMS);
