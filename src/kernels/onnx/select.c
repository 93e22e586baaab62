// OneHot, NonZero and Compress.

#include "gathering.h"
#include "kernels/core/convert.h"

enum { CHUNK = 1024 };

// OneHot -------------------------------------------------------------------------

status gathering_one_hot(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *indices = call->inputs[0];
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", -1), output->shape.rank);
    const size_t size = element_size(output->element);
    const char *values = call->inputs[2]->data; // off, on
    copy_fill(call->parallel, output->data, tensor_count(output), (uint32_t)size, values);
    const int64_t depth = output->shape.dims[axis];
    const uint64_t inner = shape_count_between(&output->shape, axis + 1, output->shape.rank);
    const uint64_t count = tensor_count(indices);
    const size_t index_size = element_size(indices->element);
    int64_t places[CHUNK];
    for (uint64_t from = 0; from < count; from += CHUNK) {
        const uint64_t some = count - from < CHUNK ? count - from : CHUNK;
        convert_row(indices->element, (const char *)indices->data + from * index_size, ELEMENT_I64,
                    places, some, false);
        for (uint64_t i = 0; i < some; i++) {
            const int64_t index = places[i];
            if (index < -depth || index >= depth)
                continue; // all off
            const uint64_t place = (uint64_t)(index < 0 ? index + depth : index);
            const uint64_t outer = (from + i) / inner, column = (from + i) % inner;
            memcpy((char *)output->data +
                       ((outer * (uint64_t)depth + place) * inner + column) * size,
                   values + size, size);
        }
    }
    moving_own_texts(call, 0);
    return STATUS_OK;
}

// NonZero ------------------------------------------------------------------------

// Whether each of some elements is something: a number that is not zero, a text
// that is not empty.
static void test_elements(const struct tensor *tensor, uint64_t from, uint64_t count, bool *truths)
{
    const char *at = (const char *)tensor->data + from * element_size(tensor->element);
    if (tensor->element == ELEMENT_TEXT) {
        for (uint64_t i = 0; i < count; i++)
            truths[i] = ((const struct view *)at)[i].size > 0;
        return;
    }
    const bool single = tensor->element == ELEMENT_C64;
    if (!single && tensor->element != ELEMENT_C128) {
        convert_row(tensor->element, at, ELEMENT_BOOL, truths, count, false);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        truths[i] = single
                        ? ((const float *)at)[2 * i] != 0 || ((const float *)at)[2 * i + 1] != 0
                        : ((const double *)at)[2 * i] != 0 || ((const double *)at)[2 * i + 1] != 0;
}

static uint64_t count_truths(const bool *truths, uint64_t count)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++)
        found += truths[i];
    return found;
}

// Writes the coordinates of element `index` to column `column` of the rows.
static void put_coordinates(const struct shape *shape, uint64_t index, int64_t *rows,
                            uint64_t columns, uint64_t column)
{
    for (uint32_t d = shape->rank; d-- > 0;) {
        const uint64_t length = (uint64_t)shape->dims[d];
        rows[d * columns + column] = (int64_t)(index % length);
        index /= length;
    }
}

status gathering_non_zero(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0];
    const uint64_t count = tensor_count(input);
    bool truths[CHUNK];
    uint64_t found = 0;
    for (uint64_t from = 0; from < count; from += CHUNK) {
        const uint64_t some = count - from < CHUNK ? count - from : CHUNK;
        test_elements(input, from, some, truths);
        found += count_truths(truths, some);
    }
    struct tensor *output;
    const struct shape shape = {2, {input->shape.rank, (int64_t)found}};
    STATUS_TRY(kernel_make(call, 0, ELEMENT_I64, &shape, &output));
    if (output == NULL)
        return STATUS_OK;
    uint64_t column = 0;
    for (uint64_t from = 0; from < count; from += CHUNK) {
        const uint64_t some = count - from < CHUNK ? count - from : CHUNK;
        test_elements(input, from, some, truths);
        for (uint64_t i = 0; i < some; i++) {
            if (truths[i])
                put_coordinates(&input->shape, from + i, output->data, found, column++);
        }
    }
    return STATUS_OK;
}

// Compress -----------------------------------------------------------------------

status gathering_compress(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0];
    const bool *condition = call->inputs[1]->data;
    uint64_t limit = tensor_count(call->inputs[1]);
    struct tensor source = *input;
    uint32_t axis = 0;
    if (attribute_given(call->attributes, "axis"))
        axis = moving_axis(attribute_integer(call->attributes, "axis", 0), input->shape.rank);
    else
        source.shape = (struct shape){1, {(int64_t)tensor_count(input)}};
    const uint64_t length = (uint64_t)source.shape.dims[axis];
    limit = limit < length ? limit : length;
    struct shape shape = source.shape;
    shape.dims[axis] = (int64_t)count_truths(condition, limit);
    struct tensor *output;
    STATUS_TRY(kernel_make(call, 0, input->element, &shape, &output));
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;

    // Runs of chosen slices are copied as one.
    struct copy copy = copy_over(&source.shape, source.element);
    copy_steps(&shape, copy.target_steps);
    const size_t slice = (size_t)copy.source_steps[axis] * copy.size;
    uint64_t done = 0;
    for (uint64_t from = 0; from < limit; from++) {
        if (!condition[from])
            continue;
        uint64_t to = from + 1;
        while (to < limit && condition[to])
            to++;
        copy.lengths[axis] = to - from;
        copy_run(call->parallel, &copy, (const char *)source.data + from * slice,
                 (char *)output->data + done * slice);
        done += to - from;
        from = to;
    }
    moving_own_texts(call, 0);
    return STATUS_OK;
}
