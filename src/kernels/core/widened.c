#include "widened.h"

#include <stdlib.h>

#include "base/memory.h"
#include "convert.h"

enum { GRAIN = 1 << 16 };

struct widening {
    const struct tensor *tensor;
    float *data;
};

static void *widened_element_at(const struct widening *widening, uint64_t index)
{
    return (char *)widening->tensor->data + index * element_size(widening->tensor->element);
}

static void widened_widen_piece(void *context, uint64_t from, uint64_t to)
{
    const struct widening *widening = context;
    convert_row(widening->tensor->element, widened_element_at(widening, from), ELEMENT_F32,
                widening->data + from, to - from, false);
}

static void narrow_piece(void *context, uint64_t from, uint64_t to)
{
    const struct widening *widening = context;
    convert_from_f32(widening->tensor->element, widening->data + from,
                     widened_element_at(widening, from), to - from);
}

status widened_output(const struct tensor *tensor, struct widened *out_widened)
{
    *out_widened = (struct widened){0};
    if (tensor == NULL)
        return STATUS_OK;
    out_widened->tensor = tensor;
    if (tensor->element == ELEMENT_F32) {
        out_widened->data = tensor->data;
        return STATUS_OK;
    }
    const uint64_t count = tensor_count(tensor);
    void *data = memory_take(count * sizeof(float));
    if (data == NULL)
        return status_no_memory("a copy of the inputs in f32");
    out_widened->data = data;
    out_widened->owned = true;
    return STATUS_OK;
}

status widened_input(const struct tensor *tensor, struct parallel *parallel,
                     struct widened *out_widened)
{
    STATUS_TRY(widened_output(tensor, out_widened));
    if (out_widened->owned)
        parallel_for(parallel, tensor_count(tensor), GRAIN, widened_widen_piece,
                     &(struct widening){tensor, out_widened->data});
    return STATUS_OK;
}

void widened_finish(struct widened *widened, struct parallel *parallel)
{
    if (widened->owned)
        parallel_for(parallel, tensor_count(widened->tensor), GRAIN, narrow_piece,
                     &(struct widening){widened->tensor, widened->data});
    widened_free(widened);
}

void widened_free(struct widened *widened)
{
    if (widened->owned)
        free(widened->data);
    *widened = (struct widened){0};
}
