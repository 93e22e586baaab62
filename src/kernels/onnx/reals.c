#include "reals.h"

#include <stdlib.h>

#include "kernels/core/convert.h"

status reals_open(struct kernel_call *call, const struct tensor *x, struct tensor *y,
                  struct reals *out_reals)
{
    *out_reals = (struct reals){.element = x->element};
    if (x->element == ELEMENT_F64) {
        out_reals->x = x->data;
        out_reals->y = y != NULL ? y->data : NULL;
        return STATUS_OK;
    }
    out_reals->element = ELEMENT_F32;
    STATUS_TRY(widened_input(x, call->parallel, &out_reals->from));
    STATUS_TRY(widened_output(y, &out_reals->to));
    out_reals->x = out_reals->from.data;
    out_reals->y = out_reals->to.data;
    return STATUS_OK;
}

void reals_finish(struct reals *reals, struct parallel *parallel)
{
    widened_finish(&reals->to, parallel);
}

void reals_close(struct reals *reals)
{
    widened_free(&reals->from);
    widened_free(&reals->to);
}

status reals_copy(const struct tensor *tensor, enum element element, void **out_data)
{
    *out_data = NULL;
    if (tensor == NULL)
        return STATUS_OK;
    const uint64_t count = tensor_count(tensor);
    *out_data = malloc((count + 1) * element_size(element));
    if (*out_data == NULL)
        return status_no_memory("the parameters of an operator");
    convert_row(tensor->element, tensor->data, element, *out_data, count, false);
    return STATUS_OK;
}
