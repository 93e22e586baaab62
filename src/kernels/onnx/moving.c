#include "moving.h"

status moving_list(const struct kernel_call *call, const char *attribute, uint32_t index,
                   struct list *out_list)
{
    const struct tensor *tensor = kernel_input(call, index);
    if (tensor == NULL) {
        *out_list = (struct list){0};
        return attribute == NULL ? STATUS_OK
                                 : list_attribute(call->attributes, attribute, out_list);
    }
    const struct constant constant = moving_constant(tensor);
    return list_of_constant(&constant, index, out_list);
}

status moving_check(const struct tensor *output, const struct shape *shape)
{
    if (shape_equal(&output->shape, shape))
        return STATUS_OK;
    char left[SHAPE_TEXT_MOST];
    char right[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "the output comes to shape %s, but %s is declared",
                       shape_text(shape, left), shape_text(&output->shape, right));
}

void moving_own_texts(struct kernel_call *call, uint32_t index)
{
    const struct tensor *output = kernel_output(call, index);
    if (output == NULL || output->element != ELEMENT_TEXT)
        return;
    struct view *texts = output->data;
    const uint64_t count = tensor_count(output);
    for (uint64_t i = 0; i < count; i++)
        texts[i] = kernel_text(call, index, texts[i]);
}

void moving_give_all(struct kernel_call *call, uint32_t input, uint32_t output)
{
    struct tensor *target = kernel_output(call, output);
    if (target == NULL)
        return;
    copy_all(call->parallel, call->inputs[input], target);
    moving_own_texts(call, output);
}

void moving_expand(struct parallel *parallel, const struct tensor *input, struct tensor *output)
{
    struct copy copy = copy_over(&output->shape, output->element);
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(&input->shape, steps);
    const uint32_t missing = output->shape.rank - input->shape.rank;
    for (uint32_t i = 0; i < copy.rank; i++)
        copy.source_steps[i] =
            i < missing || input->shape.dims[i - missing] == 1 ? 0 : steps[i - missing];
    copy_run(parallel, &copy, input->data, output->data);
}
