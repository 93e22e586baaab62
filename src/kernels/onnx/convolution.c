#include "kernels/core/convolution.h"

#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"
#include "network/onnx/window.h"
#include "deform_convolution.h"

static struct convolution onnx_convolution_of(const struct window *window, const struct tensor *x,
                                              int64_t groups, int64_t outputs)
{
    struct convolution c = {
        .spatial = window->spatial,
        .batch = x->shape.dims[0],
        .groups = groups,
        .inputs = x->shape.dims[1] / groups,
        .outputs = outputs,
    };
    for (uint32_t d = 0; d < window->spatial; d++) {
        c.input[d] = window->input[d];
        c.kernel[d] = window->kernel[d];
        c.output[d] = window->output[d];
        c.strides[d] = window->stride[d];
        c.dilations[d] = window->dilation[d];
        c.pads[d] = window->pad[d];
    }
    convolution_channels_first(&c);
    return c;
}

struct operands {
    const struct tensor *x;
    const struct tensor *weights;
    const struct tensor *bias; // NULL: none
    struct tensor *y;
};

typedef status (*widened_function)(struct kernel_call *call, const struct convolution *convolution,
                                   const struct convolution_operands *operands);

// Calls `compute` with all operands in f32.
static status onnx_convolution_run_widened(struct kernel_call *call,
                                           const struct convolution *convolution,
                                           const struct operands *operands,
                                           widened_function compute)
{
    struct widened x = {0}, weights = {0}, bias = {0}, y = {0};
    status failure = widened_input(operands->x, call->parallel, &x);
    if (failure == STATUS_OK)
        failure = widened_input(operands->weights, call->parallel, &weights);
    if (failure == STATUS_OK)
        failure = widened_input(operands->bias, call->parallel, &bias);
    if (failure == STATUS_OK)
        failure = widened_output(operands->y, &y);
    if (failure == STATUS_OK)
        failure =
            compute(call, convolution,
                    &(struct convolution_operands){x.data, weights.data, bias.data, y.data,
                                                   kernel_input_fixed(call, 1) && !weights.owned});
    if (failure == STATUS_OK)
        widened_finish(&y, call->parallel);
    widened_free(&x);
    widened_free(&weights);
    widened_free(&bias);
    widened_free(&y);
    return failure;
}

static status compute_conv(struct kernel_call *call, const struct convolution *convolution,
                           const struct convolution_operands *operands)
{
    return convolution_f32(convolution, operands, call->parallel, call->state);
}

static status compute_conv_transpose(struct kernel_call *call,
                                     const struct convolution *convolution,
                                     const struct convolution_operands *operands)
{
    return convolution_transposed_f32(convolution, operands->source, operands->weights,
                                      operands->bias, operands->result, call->parallel);
}

static status run_f64(struct kernel_call *call, const struct convolution *convolution,
                      const struct operands *operands, bool transposed)
{
    const double *x = operands->x->data;
    const double *weights = operands->weights->data;
    const double *bias = operands->bias != NULL ? operands->bias->data : NULL;
    if (transposed)
        return convolution_transposed_f64(convolution, x, weights, bias, operands->y->data,
                                          call->parallel);
    convolution_loops_f64(convolution, x, weights, bias, operands->y->data, call->parallel);
    return STATUS_OK;
}

static status onnx_convolution_run(struct kernel_call *call, bool transposed)
{
    const struct operands operands = {call->inputs[0], call->inputs[1], kernel_input(call, 2),
                                      kernel_output(call, 0)};
    if (operands.y == NULL || tensor_count(operands.y) == 0)
        return STATUS_OK;
    const struct shape *x = &operands.x->shape;
    const struct shape *weights = &operands.weights->shape;
    const int64_t groups = attribute_integer(call->attributes, "group", 1);
    struct window window;
    STATUS_TRY((transposed ? window_resolve_transposed : window_resolve)(
        call->attributes, x->rank - 2, x->dims + 2, weights->dims + 2, &window));
    const struct convolution c = onnx_convolution_of(
        &window, operands.x, groups, transposed ? weights->dims[1] : weights->dims[0] / groups);
    if (operands.x->element == ELEMENT_F64)
        return run_f64(call, &c, &operands, transposed);
    return onnx_convolution_run_widened(call, &c, &operands,
                                        transposed ? compute_conv_transpose : compute_conv);
}

static status onnx_convolution_run_conv(struct kernel_call *call)
{
    return onnx_convolution_run(call, false);
}

static status run_conv_transpose(struct kernel_call *call)
{
    return onnx_convolution_run(call, true);
}

static const struct kernel KERNELS[] = {
    {"Conv", onnx_convolution_run_conv},
    {"ConvTranspose", run_conv_transpose},
    {"DeformConv", deform_convolution_run},
};

const struct kernel_table ONNX_CONVOLUTION_KERNELS = KERNEL_TABLE(KERNELS);
