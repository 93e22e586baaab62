#include "kernels/core/pooling.h"

#include <inttypes.h>

#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"

typedef status (*pooling_function)(struct kernel_call *call, const struct pooling *pooling);

static bool onnx_pooling_is_narrow(enum element element)
{
    return element == ELEMENT_F16 || element == ELEMENT_BF16;
}

// Calls `compute` with the numbers as they are, or in f32.
static status run_pooling(struct kernel_call *call, struct pooling *pooling,
                          pooling_function compute)
{
    const struct tensor *x = call->inputs[0];
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL && !kernel_wants(call, 1))
        return STATUS_OK;
    if (tensor_count(y != NULL ? y : kernel_output(call, 1)) == 0)
        return STATUS_OK;
    struct datum *made = NULL;
    if (y == NULL) {
        STATUS_TRY(datum_tensor(x->element, &call->outputs[1]->tensor.shape, &made));
        y = &made->tensor;
    }
    pooling->planes = (uint64_t)x->shape.dims[0] * (uint64_t)x->shape.dims[1];
    pooling->element = x->element;
    pooling->source = x->data;
    pooling->result = y->data;
    status failure = STATUS_OK;
    if (onnx_pooling_is_narrow(x->element)) {
        struct widened from = {0}, to = {0};
        failure = widened_input(x, call->parallel, &from);
        if (failure == STATUS_OK)
            failure = widened_output(y, &to);
        pooling->element = ELEMENT_F32;
        pooling->source = from.data;
        pooling->result = to.data;
        if (failure == STATUS_OK)
            failure = compute(call, pooling);
        if (failure == STATUS_OK)
            widened_finish(&to, call->parallel);
        widened_free(&from);
        widened_free(&to);
    } else {
        failure = compute(call, pooling);
    }
    datum_release(made);
    return failure;
}

static status run_windows(struct kernel_call *call, pooling_function compute)
{
    const struct shape *x = &call->inputs[0]->shape;
    const int64_t *kernel = NULL;
    attribute_integers(call->attributes, "kernel_shape", &kernel);
    struct pooling pooling = {0};
    STATUS_TRY(window_resolve(call->attributes, x->rank - 2, x->dims + 2, kernel, &pooling.window));
    return run_pooling(call, &pooling, compute);
}

static status compute_max(struct kernel_call *call, const struct pooling *pooling)
{
    struct tensor *indices = kernel_output(call, 1);
    pooling_max(pooling, indices != NULL ? indices->data : NULL,
                attribute_integer(call->attributes, "storage_order", 0) == 1, call->parallel);
    return STATUS_OK;
}

static status run_max_pool(struct kernel_call *call)
{
    return run_windows(call, compute_max);
}

static status compute_average(struct kernel_call *call, const struct pooling *pooling)
{
    const bool with_pads = attribute_integer(call->attributes, "count_include_pad", 0) != 0;
    pooling_average(pooling, with_pads, call->parallel);
    return STATUS_OK;
}

static status run_average_pool(struct kernel_call *call)
{
    return run_windows(call, compute_average);
}

static status compute_norm(struct kernel_call *call, const struct pooling *pooling)
{
    pooling_norm(pooling, attribute_real(call->attributes, "p", 2), call->parallel);
    return STATUS_OK;
}

static status run_lp_pool(struct kernel_call *call)
{
    return run_windows(call, compute_norm);
}

static uint64_t area_of(const struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    return shape_count_between(x, 2, x->rank);
}

static status compute_global_max(struct kernel_call *call, const struct pooling *pooling)
{
    pooling_global_max(pooling, area_of(call), call->parallel);
    return STATUS_OK;
}

static status compute_global_average(struct kernel_call *call, const struct pooling *pooling)
{
    pooling_global_average(pooling, area_of(call), call->parallel);
    return STATUS_OK;
}

static status compute_global_norm(struct kernel_call *call, const struct pooling *pooling)
{
    pooling_global_norm(pooling, area_of(call), attribute_real(call->attributes, "p", 2),
                        call->parallel);
    return STATUS_OK;
}

static status run_global_max_pool(struct kernel_call *call)
{
    return run_pooling(call, &(struct pooling){0}, compute_global_max);
}

static status run_global_average_pool(struct kernel_call *call)
{
    return run_pooling(call, &(struct pooling){0}, compute_global_average);
}

static status run_global_lp_pool(struct kernel_call *call)
{
    return run_pooling(call, &(struct pooling){0}, compute_global_norm);
}

// Indices count the places of the tensor that was pooled: its shape follows from the
// attributes. Where output_shape says otherwise, the places keep their coordinates.
static status run_max_unpool(struct kernel_call *call)
{
    const struct tensor *x = call->inputs[0];
    const struct tensor *places = call->inputs[1];
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL)
        return STATUS_OK;
    const int64_t *kernel = NULL;
    attribute_integers(call->attributes, "kernel_shape", &kernel);
    struct window window;
    STATUS_TRY(window_resolve_transposed(call->attributes, x->shape.rank - 2, x->shape.dims + 2,
                                         kernel, &window));
    struct shape pooled = x->shape;
    for (uint32_t d = 0; d < window.spatial; d++)
        pooled.dims[2 + d] = window.output[d];
    const size_t size = element_size(x->element);
    memset(y->data, 0, tensor_bytes(y));
    uint64_t count;
    STATUS_TRY(shape_elements(&pooled, &count));
    for (uint64_t i = 0; i < tensor_count(x); i++) {
        const int64_t place = ((const int64_t *)places->data)[i];
        if (place < 0 || (uint64_t)place >= count)
            return status_make(STATUS_DATA, "index %" PRId64 " of %" PRIu64 " elements", place,
                               count);
        uint64_t rest = (uint64_t)place;
        uint64_t target = 0;
        uint64_t step = 1;
        for (uint32_t d = pooled.rank; d-- > 0;) {
            const uint64_t at = rest % (uint64_t)pooled.dims[d];
            rest /= (uint64_t)pooled.dims[d];
            if (at >= (uint64_t)y->shape.dims[d])
                return status_make(STATUS_DATA, "index %" PRId64 " lies outside of the output",
                                   place);
            target += at * step;
            step *= (uint64_t)y->shape.dims[d];
        }
        memcpy((char *)y->data + target * size, (const char *)x->data + i * size, size);
    }
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"AveragePool", run_average_pool},
    {"MaxPool", run_max_pool},
    {"LpPool", run_lp_pool},
    {"GlobalAveragePool", run_global_average_pool},
    {"GlobalMaxPool", run_global_max_pool},
    {"GlobalLpPool", run_global_lp_pool},
    {"MaxUnpool", run_max_unpool},
};

const struct kernel_table ONNX_POOLING_KERNELS = KERNEL_TABLE(KERNELS);
