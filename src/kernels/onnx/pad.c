#include "pad.h"

#include "kernels/core/convert.h"
#include "moving.h"

// The part of the input that is kept, and where it lies in both tensors.
struct kept {
    int64_t length[SHAPE_RANK_MOST];
    int64_t from[SHAPE_RANK_MOST];
    int64_t to[SHAPE_RANK_MOST];
};

static int64_t positive(int64_t value)
{
    return value > 0 ? value : 0;
}

static struct kept pad_kept_part(const struct shape *shape, const struct padding *padding)
{
    struct kept kept = {{0}, {0}, {0}};
    for (uint32_t i = 0; i < shape->rank; i++) {
        kept.from[i] = positive(-padding->before[i]);
        kept.to[i] = positive(padding->before[i]);
        kept.length[i] = shape->dims[i] - kept.from[i] - positive(-padding->after[i]);
    }
    return kept;
}

static void copy_kept(struct parallel *parallel, const struct tensor *input, struct tensor *output,
                      const struct kept *kept)
{
    struct shape shape = {.rank = input->shape.rank};
    memcpy(shape.dims, kept->length, shape.rank * sizeof *shape.dims);
    if (shape_count(&shape) == 0)
        return;
    struct copy copy = copy_over(&shape, input->element);
    copy_steps(&input->shape, copy.source_steps);
    copy_steps(&output->shape, copy.target_steps);
    int64_t from = 0, to = 0;
    for (uint32_t i = 0; i < shape.rank; i++) {
        from += kept->from[i] * copy.source_steps[i];
        to += kept->to[i] * copy.target_steps[i];
    }
    copy_run(parallel, &copy, (const char *)input->data + from * (int64_t)copy.size,
             (char *)output->data + to * (int64_t)copy.size);
}

void pad_constant(struct parallel *parallel, const struct tensor *input, struct tensor *output,
                  const struct padding *padding, const void *value)
{
    const struct kept kept = pad_kept_part(&input->shape, padding);
    bool bordered = false;
    for (uint32_t i = 0; i < input->shape.rank; i++)
        bordered = bordered || padding->before[i] > 0 || padding->after[i] > 0;
    if (bordered)
        copy_fill(parallel, output->data, tensor_count(output),
                  (uint32_t)element_size(output->element), value);
    copy_kept(parallel, input, output, &kept);
}

// The place among `length` that position `at`, outside of them, repeats.
static int64_t mirror(enum padding_mode mode, int64_t at, int64_t length)
{
    if (mode == PADDING_EDGE || length == 1)
        return at < 0 ? 0 : length - 1;
    const int64_t period = mode == PADDING_WRAP ? length : 2 * (length - 1);
    const int64_t place = at % period + (at % period < 0 ? period : 0);
    return place < length ? place : period - place;
}

// Fills the border positions [from, to) of dimension `d` with copies of what lies
// at their mirror images, in runs. Dimensions after `d` have their borders already.
static void fill_border(struct parallel *parallel, struct tensor *output, const struct kept *kept,
                        enum padding_mode mode, uint32_t d, int64_t from, int64_t to)
{
    struct copy copy = copy_over(&output->shape, output->element);
    int64_t begin = 0;
    for (uint32_t i = 0; i < d; i++) {
        copy.lengths[i] = (uint64_t)kept->length[i];
        begin += kept->to[i] * copy.target_steps[i];
    }
    const int64_t step = copy.target_steps[d], first = kept->to[d], length = kept->length[d];
    for (int64_t at = from; at < to;) {
        const int64_t source = mirror(mode, at - first, length);
        int64_t end = at + 1, direction = 0;
        if (end < to) {
            direction = mirror(mode, end - first, length) - source;
            direction = direction >= -1 && direction <= 1 ? direction : 0;
        }
        while (end < to && mirror(mode, end - first, length) == source + (end - at) * direction)
            end++;
        copy.lengths[d] = (uint64_t)(end - at);
        copy.source_steps[d] = direction * step;
        copy_run(parallel, &copy,
                 (char *)output->data + (begin + (first + source) * step) * (int64_t)copy.size,
                 (char *)output->data + (begin + at * step) * (int64_t)copy.size);
        at = end;
    }
}

static void pad_mirrored(struct parallel *parallel, const struct tensor *input,
                         struct tensor *output, const struct padding *padding,
                         enum padding_mode mode)
{
    if (tensor_count(output) == 0)
        return;
    const struct kept kept = pad_kept_part(&input->shape, padding);
    copy_kept(parallel, input, output, &kept);
    for (uint32_t d = output->shape.rank; d-- > 0;) {
        fill_border(parallel, output, &kept, mode, d, 0, kept.to[d]);
        fill_border(parallel, output, &kept, mode, d, kept.to[d] + kept.length[d],
                    output->shape.dims[d]);
    }
}

// What the border of constants is made of.
static void border_value(const struct kernel_call *call, enum element element, void *value)
{
    const struct tensor *given = kernel_input(call, 2);
    if (given != NULL && tensor_count(given) > 0) {
        memcpy(value, given->data, element_size(element));
        return;
    }
    const double real = attribute_real(call->attributes, "value", 0);
    if (call->version < 11 && convert_knows(element))
        convert_row(ELEMENT_F64, &real, element, value, 1, true);
}

status pad_run(struct kernel_call *call, struct tensor *output)
{
    const struct tensor *input = call->inputs[0];
    enum padding_mode mode;
    STATUS_TRY(movement_padding_mode(call->attributes, &mode));
    struct list pads, axes;
    STATUS_TRY(moving_list(call, call->version < 2 ? "paddings" : "pads", 1, &pads));
    STATUS_TRY(moving_list(call, NULL, 3, &axes));
    struct padding padding;
    struct shape shape;
    STATUS_TRY(movement_padding(&pads, &axes, &input->shape, mode, &padding, &shape));
    STATUS_TRY(moving_check(output, &shape));
    if (mode != PADDING_CONSTANT) {
        pad_mirrored(call->parallel, input, output, &padding, mode);
        return STATUS_OK;
    }
    uint64_t value[2] = {0};
    border_value(call, output->element, value);
    pad_constant(call->parallel, input, output, &padding, value);
    return STATUS_OK;
}
