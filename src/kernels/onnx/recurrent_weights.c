#include "recurrent_weights.h"

#include <stdlib.h>

#include "kernels/core/panels.h"

struct recurrent_weights {
    struct kernel_state base;
    const void *source; // that they were made of
    struct shape shape;
    uint64_t rows;  // in front of a GRU's last gate, or all
    uint64_t each;  // numbers of a direction
    uint64_t depth; // of a row
    float *panels;
};

static void weights_free(struct kernel_state *state)
{
    struct recurrent_weights *weights = (struct recurrent_weights *)state;
    free(weights->panels);
    free(weights);
}

static bool is_kept(const struct kernel_call *call, uint32_t index)
{
    return call->state != NULL && kernel_input_fixed(call, index);
}

static status pack(struct recurrent_weights *weights, const float *numbers)
{
    const uint64_t directions = (uint64_t)weights->shape.dims[0];
    const uint64_t rows = (uint64_t)weights->shape.dims[1];
    const uint64_t last = rows - weights->rows;
    void *panels;
    weights->each = (panels_rows(weights->rows) + panels_rows(last)) * weights->depth;
    if (posix_memalign(&panels, TENSOR_ALIGNMENT,
                       directions * weights->each * sizeof(float) + TENSOR_ALIGNMENT) != 0)
        return status_make(STATUS_LIMIT, "no memory for recurring weights");
    weights->panels = panels;
    for (uint64_t d = 0; d < directions; d++) {
        const float *from = numbers + d * rows * weights->depth;
        float *to = weights->panels + d * weights->each;
        panels_pack(from, weights->rows, weights->depth, to);
        panels_pack(from + weights->rows * weights->depth, last, weights->depth,
                    to + panels_rows(weights->rows) * weights->depth);
    }
    return STATUS_OK;
}

status recurrent_weights_take(struct kernel_call *call, uint32_t index, const float *numbers,
                              const struct recurrent *recurrent,
                              struct recurrent_weights **out_weights)
{
    const struct tensor *tensor = call->inputs[index];
    struct recurrent_weights *kept = call->state != NULL ? (void *)*call->state : NULL;
    if (is_kept(call, index) && kept != NULL && kept->base.free == weights_free &&
        kept->source == tensor->data && shape_equal(&kept->shape, &tensor->shape)) {
        *out_weights = kept;
        return STATUS_OK;
    }
    struct recurrent_weights *weights = calloc(1, sizeof *weights);
    if (weights == NULL)
        return status_make(STATUS_LIMIT, "no memory for recurring weights");
    const uint64_t rows = (uint64_t)tensor->shape.dims[1];
    *weights = (struct recurrent_weights){
        .base = {weights_free},
        .source = tensor->data,
        .shape = tensor->shape,
        .rows = recurrent->kind == RECURRENT_GRU ? rows / 3 * 2 : rows,
        .depth = (uint64_t)tensor->shape.dims[2],
    };
    const status failure = pack(weights, numbers);
    if (failure != STATUS_OK) {
        weights_free(&weights->base);
        return failure;
    }
    if (is_kept(call, index)) {
        if (kept != NULL)
            kept->base.free(&kept->base);
        *call->state = &weights->base;
    }
    *out_weights = weights;
    return STATUS_OK;
}

void recurrent_weights_release(struct recurrent_weights *weights, const struct kernel_call *call,
                               uint32_t index)
{
    if (weights != NULL && !is_kept(call, index))
        weights_free(&weights->base);
}

const float *recurrent_weights_part(const struct recurrent_weights *weights, uint32_t direction,
                                    uint64_t row)
{
    const float *panels = weights->panels + direction * weights->each;
    return row == 0 ? panels : panels + panels_rows(weights->rows) * weights->depth;
}
