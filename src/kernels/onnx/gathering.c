#include "gathering.h"

#include <inttypes.h>

static status out_of_range(int64_t index, uint32_t axis, int64_t length)
{
    return status_make(STATUS_DATA,
                       "index %" PRId64 " is out of range for dimension %" PRIu32
                       " of length %" PRId64,
                       index, axis, length);
}

status gathering_check(const struct tensor *indices, uint32_t axis, int64_t length)
{
    const uint64_t count = tensor_count(indices);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t index = gathering_index(indices, i);
        if (index < -length || index >= length)
            return out_of_range(index, axis, length);
    }
    return STATUS_OK;
}

void gathering_offsets(const struct gathering_rows *rows, uint64_t row, uint64_t column,
                       uint64_t count, int64_t offsets[GATHERING_CHUNK])
{
    const struct shape *shape = &rows->indices->shape;
    const uint32_t last = shape->rank - 1;
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(rows->data, steps);
    int64_t base = 0;
    uint64_t rest = row;
    for (uint32_t i = last; i-- > 0;) {
        const uint64_t length = (uint64_t)shape->dims[i];
        if (i != rows->axis)
            base += (int64_t)(rest % length) * steps[i];
        rest /= length;
    }
    const uint64_t first = row * (uint64_t)shape->dims[last] + column;
    const int64_t length = rows->data->dims[rows->axis];
    const int64_t step = steps[rows->axis];
    const int64_t column_step = rows->axis == last ? 0 : 1;
    for (uint64_t i = 0; i < count; i++)
        offsets[i] = base + (int64_t)(column + i) * column_step +
                     gathering_place(rows->indices, first + i, length) * step;
}

status gathering_tuples(const struct tensor *indices, const struct shape *data, uint32_t batch,
                        int64_t *out_offsets)
{
    const uint32_t width = (uint32_t)indices->shape.dims[indices->shape.rank - 1];
    const uint64_t tuples = shape_count_between(&indices->shape, 0, indices->shape.rank - 1);
    const uint64_t batches = shape_count_between(data, 0, batch);
    const int64_t batch_step = (int64_t)shape_count_between(data, batch, data->rank);
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(data, steps);
    for (uint64_t t = 0; t < tuples; t++) {
        int64_t offset = (int64_t)(t / (tuples / batches)) * batch_step;
        for (uint32_t k = 0; k < width; k++) {
            const int64_t length = data->dims[batch + k];
            const int64_t index = gathering_index(indices, t * width + k);
            if (index < -length || index >= length)
                return out_of_range(index, batch + k, length);
            offset += (index < 0 ? index + length : index) * steps[batch + k];
        }
        out_offsets[t] = offset;
    }
    return STATUS_OK;
}
