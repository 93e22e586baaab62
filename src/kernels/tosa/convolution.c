// Convolutions and products of matrices.
//
// Integers are summed exactly and wrap around in the result's type. Floats are
// summed in the accumulator's type: acc_type of convolutions, the result's type of
// products. Where TOSA leaves it open, the order is that of MLIR's lowering.

#include "kernels/core/convolution.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/convert.h"
#include "kernels/core/copy.h"
#include "kernels/core/integer_matmul.h"
#include "kernels/core/matrix.h"
#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"
#include "narrow.h"
#include "network/tosa/convolution.h"
#include "tosa.h"

// A convolution with everything that differs between the operators resolved.
struct problem {
    struct tensor input;  // N, space, C
    struct tensor weight; // strides below
    const struct tensor *bias;
    const struct tensor *output; // N, space, filters
    uint32_t dimensions;         // 2 or 3
    uint64_t channels;
    uint64_t filters;
    uint64_t groups;
    struct tosa_window window; // with the kernel
    // Distances between filters, channels of a filter, and along each spatial
    // dimension of the kernel.
    int64_t filter_stride;
    int64_t channel_stride;
    int64_t kernel_strides[3];
    int64_t input_zero;
    int64_t weight_zero;
    // The bias of floats is added in the result's type after the sum, instead of
    // in the accumulator's type in front of it.
    bool bias_last;
};

// Length of spatial dimension `place` (of three) of a channels-last tensor.
static int64_t spatial(const struct problem *problem, const struct tensor *tensor, uint32_t place)
{
    const uint32_t missing = 3 - problem->dimensions;
    return place < missing ? 1 : tensor->shape.dims[1 + place - missing];
}

// Integers --------------------------------------------------------------------

// Where sums go, and what is added to them.
struct result {
    enum element element; // i16, i32, i48 or i64
    char *data;
    uint64_t positions; // of a batch
    uint64_t filters;
    const int64_t *bias; // one for each filter, or NULL
};

static inline int64_t wrap_48(int64_t value)
{
    return (int64_t)((uint64_t)value << 16) >> 16;
}

#define FINISH_NARROW(name, type)                                                                  \
    static void name(const struct result *result, const struct integer_tile *tile, uint64_t row,   \
                     type *out)                                                                    \
    {                                                                                              \
        const int32_t *sums = tile->narrow + row * tile->stride;                                   \
        const int64_t *bias = result->bias != NULL ? result->bias + tile->column : NULL;           \
        for (uint64_t i = 0; i < tile->columns; i++)                                               \
            out[i] = (type)((uint32_t)sums[i] + (bias != NULL ? (uint32_t)bias[i] : 0));           \
    }

FINISH_NARROW(finish_i16, int16_t)
FINISH_NARROW(finish_i32, int32_t)

static void finish_wide(const struct result *result, const struct integer_tile *tile, uint64_t row,
                        int64_t *out)
{
    const int64_t *sums = tile->wide + row * tile->stride;
    const int64_t *bias = result->bias != NULL ? result->bias + tile->column : NULL;
    for (uint64_t i = 0; i < tile->columns; i++) {
        const uint64_t sum = (uint64_t)sums[i] + (bias != NULL ? (uint64_t)bias[i] : 0);
        out[i] = result->element == ELEMENT_I48 ? wrap_48((int64_t)sum) : (int64_t)sum;
    }
}

static void finish_tile(void *context, const struct integer_tile *tile)
{
    const struct result *result = context;
    for (uint64_t row = 0; row < tile->rows; row++) {
        const uint64_t at =
            (tile->batch * result->positions + tile->row + row) * result->filters + tile->column;
        char *out = result->data + at * element_size(result->element);
        if (result->element == ELEMENT_I16)
            finish_i16(result, tile, row, (int16_t *)out);
        else if (result->element == ELEMENT_I32)
            finish_i32(result, tile, row, (int32_t *)out);
        else
            finish_wide(result, tile, row, (int64_t *)out);
    }
}

// A zero point that takes the element beyond 16 bits has no meaning in TOSA.
static status check_zero(const struct tensor *tensor, int64_t zero)
{
    if (tensor->element == ELEMENT_I16 ? zero == 0 : zero >= -255 && zero <= 255)
        return STATUS_OK;
    return status_make(STATUS_DATA, "a zero point of %" PRId64 " for %s", zero,
                       element_name(tensor->element));
}

// One number for each filter; a single one serves all.
static int64_t *integer_bias(const struct problem *problem)
{
    int64_t *bias = memory_allocate_zeroed(problem->filters + 1, sizeof *bias);
    const bool single = tensor_count(problem->bias) == 1;
    for (uint64_t i = 0; i < problem->filters; i++)
        bias[i] = tosa_integer(problem->bias, single ? 0 : i);
    return bias;
}

static status convolve_integers(const struct problem *problem, const struct kernel_call *call)
{
    const struct tensor *input = &problem->input;
    STATUS_TRY(check_zero(input, problem->input_zero));
    STATUS_TRY(check_zero(&problem->weight, problem->weight_zero));
    const int32_t weight_zero = (int32_t)problem->weight_zero;
    const bool wide = element_size(problem->output->element) > sizeof(int32_t);
    struct integer_convolution c = {
        .batch = (uint64_t)input->shape.dims[0],
        .channels = problem->channels,
        .filters = problem->filters,
        .groups = problem->groups,
        .element = input->element,
        .input = input->data,
        .zero_point = (int32_t)problem->input_zero,
        .channels_last = true,
        .keep = {call->state, kernel_input_fixed(call, 1) && kernel_input_fixed(call, 4) &&
                                  problem->weight.data == call->inputs[1]->data},
        .wide = wide,
    };
    uint64_t taps = 1;
    for (uint32_t i = 0; i < 3; i++) {
        c.in[i] = (uint64_t)spatial(problem, input, i);
        c.out[i] = (uint64_t)spatial(problem, problem->output, i);
        c.kernel[i] = (uint64_t)problem->window.kernel[i];
        c.stride[i] = (uint64_t)problem->window.stride[i];
        c.dilation[i] = (uint64_t)problem->window.dilation[i];
        c.pad[i] = problem->window.before[i];
        taps *= c.kernel[i];
    }
    c.weights = (struct integer_matrix){
        .element = problem->weight.element,
        .data = problem->weight.data,
        .rows = problem->filters,
        .outer = taps,
        .inner = problem->channels / problem->groups,
        .row_stride = (uint64_t)problem->filter_stride,
        .outer_stride = (uint64_t)problem->kernel_strides[2],
        .inner_stride = (uint64_t)problem->channel_stride,
        .zeros = {&weight_zero, 1},
    };
    int64_t *bias = integer_bias(problem);
    struct result result = {
        problem->output->element,
        problem->output->data,
        c.out[0] * c.out[1] * c.out[2],
        problem->filters,
        bias,
    };
    const status failure = integer_convolve(&c, call->parallel, finish_tile, &result);
    free(bias);
    return failure;
}

// Floats ----------------------------------------------------------------------

static struct convolution tosa_convolution_of(const struct problem *problem)
{
    struct convolution c = {
        .spatial = problem->dimensions,
        .batch = problem->input.shape.dims[0],
        .groups = (int64_t)problem->groups,
        .inputs = (int64_t)(problem->channels / problem->groups),
        .outputs = (int64_t)(problem->filters / problem->groups),
    };
    for (uint32_t i = 0; i < problem->dimensions; i++) {
        const uint32_t place = 3 - problem->dimensions + i;
        c.input[i] = spatial(problem, &problem->input, place);
        c.output[i] = spatial(problem, problem->output, place);
        c.kernel[i] = problem->window.kernel[place];
        c.strides[i] = problem->window.stride[place];
        c.dilations[i] = problem->window.dilation[place];
        c.pads[i] = problem->window.before[place];
    }
    convolution_channels_last(&c);
    c.weight_strides[0] = problem->filter_stride;
    c.weight_strides[1] = problem->channel_stride;
    for (uint32_t i = 0; i < problem->dimensions; i++)
        c.weight_strides[2 + i] = problem->kernel_strides[3 - problem->dimensions + i];
    return c;
}

// One number for each filter; a single one serves all.
static double *real_bias(const struct problem *problem)
{
    double *bias = memory_allocate_zeroed(problem->filters + 1, sizeof *bias);
    const bool single = tensor_count(problem->bias) == 1;
    for (uint64_t i = 0; i < problem->filters; i++)
        bias[i] = tosa_real(problem->bias, single ? 0 : i);
    return bias;
}

// Sums are rounded to the result's type before the bias is added in that type.
struct late_bias {
    enum element element;
    float *sums;
    const float *bias;
    uint64_t filters;
};

static void add_bias(void *context, uint64_t from, uint64_t to)
{
    const struct late_bias *late = context;
    for (uint64_t row = from; row < to; row++) {
        float *sums = late->sums + row * late->filters;
        narrow_round(late->element, sums, late->filters);
        for (uint64_t i = 0; i < late->filters; i++)
            sums[i] += late->bias[i];
    }
}

static status sum_f32(const struct problem *problem, const struct convolution *c,
                      struct convolution_operands *operands, struct kernel_call *call)
{
    const enum element sums = tosa_accumulator(call);
    if (sums == ELEMENT_F16 || sums == ELEMENT_BF16)
        return narrow_convolve(c, sums, operands, call->parallel);
    operands->weights_fixed = kernel_input_fixed(call, 1) &&
                              problem->weight.data == call->inputs[1]->data &&
                              operands->weights == problem->weight.data;
    return convolution_f32(c, operands, call->parallel, call->state);
}

static status convolve_f32(const struct problem *problem, const struct convolution *c,
                           const double *wide_bias, struct kernel_call *call)
{
    float *bias = memory_allocate_zeroed(problem->filters + 1, sizeof *bias);
    convert_row(ELEMENT_F64, wide_bias, ELEMENT_F32, bias, problem->filters, false);
    struct widened input = {0}, weight = {0}, output = {0};
    status failure = widened_input(&problem->input, call->parallel, &input);
    if (failure == STATUS_OK)
        failure = widened_input(&problem->weight, call->parallel, &weight);
    if (failure == STATUS_OK)
        failure = widened_output(problem->output, &output);
    if (failure == STATUS_OK)
        failure = sum_f32(problem, c,
                          &(struct convolution_operands){.source = input.data,
                                                         .weights = weight.data,
                                                         .bias = problem->bias_last ? NULL : bias,
                                                         .result = output.data},
                          call);
    if (failure == STATUS_OK && problem->bias_last)
        parallel_for(
            call->parallel, tensor_count(problem->output) / problem->filters,
            16384 / problem->filters + 1, add_bias,
            &(struct late_bias){problem->output->element, output.data, bias, problem->filters});
    if (failure == STATUS_OK)
        widened_finish(&output, call->parallel);
    widened_free(&input);
    widened_free(&weight);
    widened_free(&output);
    free(bias);
    return failure;
}

static status convolve_reals(const struct problem *problem, struct kernel_call *call)
{
    const struct convolution c = tosa_convolution_of(problem);
    double *bias = real_bias(problem);
    status failure = STATUS_OK;
    if (problem->input.element == ELEMENT_F64)
        convolution_loops_f64(&c, problem->input.data, problem->weight.data, bias,
                              problem->output->data, call->parallel);
    else
        failure = convolve_f32(problem, &c, bias, call);
    free(bias);
    return failure;
}

static status tosa_convolution_convolve(struct problem *problem, struct kernel_call *call)
{
    if (tensor_count(problem->output) == 0)
        return STATUS_OK;
    if (element_is_float(problem->input.element))
        return convolve_reals(problem, call);
    problem->input_zero = tosa_integer(call->inputs[3], 0);
    problem->weight_zero = tosa_integer(call->inputs[4], 0);
    return convolve_integers(problem, call);
}

// The operators ---------------------------------------------------------------

// Weights that lie as filters, space, channels.
static struct problem problem_of(const struct kernel_call *call, const struct tensor *output,
                                 uint32_t dimensions)
{
    struct problem problem = {
        .input = *call->inputs[0],
        .weight = *call->inputs[1],
        .bias = call->inputs[2],
        .output = output,
        .dimensions = dimensions,
        .channels = (uint64_t)call->inputs[0]->shape.dims[dimensions + 1],
        .filters = (uint64_t)call->inputs[1]->shape.dims[0],
        .groups = 1,
        .channel_stride = 1,
    };
    tosa_window_read(call->attributes, dimensions, &problem.window);
    int64_t stride = (int64_t)problem.channels;
    for (uint32_t place = 3; place-- > 0;) {
        problem.window.kernel[place] = spatial(&problem, &problem.weight, place);
        problem.kernel_strides[place] = stride;
        stride *= problem.window.kernel[place];
    }
    problem.filter_stride = stride;
    return problem;
}

static status tosa_convolution_run_conv(struct kernel_call *call, uint32_t dimensions)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct problem problem = problem_of(call, output, dimensions);
    return tosa_convolution_convolve(&problem, call);
}

static status run_conv2d(struct kernel_call *call)
{
    return tosa_convolution_run_conv(call, 2);
}

static status run_conv3d(struct kernel_call *call)
{
    return tosa_convolution_run_conv(call, 3);
}

// Weights KH, KW, C, M.
static status run_depthwise_conv2d(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct problem problem = problem_of(call, output, 2);
    const int64_t *weight = call->inputs[1]->shape.dims;
    problem.bias_last = true;
    problem.groups = problem.channels;
    problem.filters = (uint64_t)output->shape.dims[3];
    problem.window.kernel[1] = weight[0];
    problem.window.kernel[2] = weight[1];
    problem.filter_stride = 1;
    problem.channel_stride = 1;
    problem.kernel_strides[2] = weight[2] * weight[3];
    problem.kernel_strides[1] = problem.kernel_strides[2] * weight[1];
    return tosa_convolution_convolve(&problem, call);
}

// A convolution of 1 x 1 images.
static status run_fully_connected(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct tensor images[3] = {*call->inputs[0], *call->inputs[1], *output};
    for (uint32_t i = 0; i < 3; i++)
        images[i].shape =
            (struct shape){4, {images[i].shape.dims[0], 1, 1, images[i].shape.dims[1]}};
    const struct tensor *inputs[5] = {&images[0], &images[1], call->inputs[2], call->inputs[3],
                                      call->inputs[4]};
    struct kernel_call same = *call;
    same.inputs = inputs;
    struct problem problem = problem_of(&same, &images[2], 2);
    return tosa_convolution_convolve(&problem, &same);
}

// Transposed convolution ------------------------------------------------------

// Room for a tensor of which nothing is known to fit memory.
static status make_tensor(struct tensor *tensor)
{
    uint64_t count;
    STATUS_TRY(shape_elements(&tensor->shape, &count));
    if (count > SIZE_MAX / 16 || posix_memalign(&tensor->data, TENSOR_ALIGNMENT,
                                                (count + 1) * element_size(tensor->element)) != 0)
        return status_no_memory("a transposed convolution");
    return STATUS_OK;
}

// The input with stride - 1 elements of the zero point between its own.
static status tosa_convolution_spread(const struct problem *problem, struct kernel_call *call,
                                      const int64_t *stride, struct tensor *out_tensor)
{
    const struct tensor *in = &problem->input;
    *out_tensor = *in;
    out_tensor->data = NULL;
    for (uint32_t i = 0; i < 2; i++)
        out_tensor->shape.dims[1 + i] = (in->shape.dims[1 + i] - 1) * stride[i] + 1;
    STATUS_TRY(make_tensor(out_tensor));
    const uint32_t size = (uint32_t)element_size(in->element);
    copy_fill(call->parallel, out_tensor->data, tensor_count(out_tensor), size,
              call->inputs[3]->data);
    struct copy copy = copy_over(&in->shape, in->element);
    copy_steps(&out_tensor->shape, copy.target_steps);
    copy.target_steps[1] *= stride[0];
    copy.target_steps[2] *= stride[1];
    copy_run(call->parallel, &copy, in->data, out_tensor->data);
    return STATUS_OK;
}

// Both spatial dimensions of the weights the other way round.
static status flip(const struct problem *problem, struct kernel_call *call,
                   struct tensor *out_tensor)
{
    const struct tensor *in = &problem->weight;
    *out_tensor = *in;
    out_tensor->data = NULL;
    STATUS_TRY(make_tensor(out_tensor));
    const struct shape taps = {
        3, {in->shape.dims[0], in->shape.dims[1] * in->shape.dims[2], in->shape.dims[3]}};
    if (tensor_count(in) == 0)
        return STATUS_OK;
    struct copy copy = copy_over(&taps, in->element);
    const uint64_t last = (copy.lengths[1] - 1) * (uint64_t)copy.source_steps[1];
    copy.source_steps[1] = -copy.source_steps[1];
    copy_run(call->parallel, &copy, (const char *)in->data + last * element_size(in->element),
             out_tensor->data);
    return STATUS_OK;
}

// Every input element spreads over a window of the output: a convolution of the
// spread input with the flipped kernel.
static status run_transpose_conv2d(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct problem problem = problem_of(call, output, 2);
    if (call->inputs[3]->element != problem.input.element)
        return status_make(STATUS_DATA, "a zero point of %s for %s",
                           element_name(call->inputs[3]->element),
                           element_name(problem.input.element));
    const int64_t stride[2] = {problem.window.stride[1], problem.window.stride[2]};
    const int64_t *pad = NULL;
    attribute_integers(call->attributes, "out_pad", &pad);
    problem.bias_last = stride[0] != 1 || stride[1] != 1;
    struct tensor input = {0};
    struct tensor weight = {0};
    status failure = tosa_convolution_spread(&problem, call, stride, &input);
    if (failure == STATUS_OK)
        failure = flip(&problem, call, &weight);
    for (uint32_t i = 0; i < 2; i++) {
        problem.window.stride[1 + i] = 1;
        problem.window.before[1 + i] = problem.window.kernel[1 + i] - 1 + pad[2 * i];
    }
    problem.input = input;
    problem.weight = weight;
    if (failure == STATUS_OK)
        failure = tosa_convolution_convolve(&problem, call);
    free(input.data);
    free(weight.data);
    return failure;
}

// Matrices --------------------------------------------------------------------

static status multiply_integers(struct kernel_call *call, const struct tensor *out)
{
    const struct tensor *a = call->inputs[0];
    const struct tensor *b = call->inputs[1];
    const int64_t zeros[2] = {tosa_integer(call->inputs[2], 0), tosa_integer(call->inputs[3], 0)};
    STATUS_TRY(check_zero(a, zeros[0]));
    STATUS_TRY(check_zero(b, zeros[1]));
    const int32_t a_zero = (int32_t)zeros[0];
    const int32_t b_zero = (int32_t)zeros[1];
    const uint64_t rows = (uint64_t)a->shape.dims[1];
    const uint64_t depth = (uint64_t)a->shape.dims[2];
    const uint64_t columns = (uint64_t)b->shape.dims[2];
    for (uint64_t i = 0; i < (uint64_t)a->shape.dims[0]; i++) {
        const struct integer_matrix left = {
            a->element,  (const char *)a->data + i * rows * depth * element_size(a->element),
            rows,        1,
            depth,       depth,
            depth,       1,
            {&a_zero, 1}};
        const struct integer_matrix right = {
            b->element,  (const char *)b->data + i * depth * columns * element_size(b->element),
            columns,     1,
            depth,       1,
            1,           columns,
            {&b_zero, 1}};
        struct result result = {out->element,
                                (char *)out->data + i * rows * columns * element_size(out->element),
                                rows, columns, NULL};
        struct integer_packed *packed;
        const bool wide = element_size(out->element) > sizeof(int32_t);
        STATUS_TRY(integer_pack(&right, integer_form_of(a->element, b->element, wide), &packed));
        const status failure =
            integer_matmul(&left, packed, wide, call->parallel, finish_tile, &result);
        integer_packed_free(packed);
        STATUS_TRY(failure);
    }
    return STATUS_OK;
}

static struct matrix_product tosa_convolution_product_of(const struct tensor *a,
                                                         const struct tensor *b)
{
    const uint64_t rows = (uint64_t)a->shape.dims[1];
    const uint64_t depth = (uint64_t)a->shape.dims[2];
    const uint64_t columns = (uint64_t)b->shape.dims[2];
    struct matrix_product product = matrix_product_dense(rows, columns, depth);
    product.batch_rank = 1;
    product.batch[0] = (uint64_t)a->shape.dims[0];
    product.a_batch[0] = rows * depth;
    product.b_batch[0] = depth * columns;
    product.c_batch[0] = rows * columns;
    return product;
}

// Sums are of the result's type.
static void tosa_convolution_multiply_f32(struct kernel_call *call,
                                          const struct matrix_product *product, const float *a,
                                          const float *b, float *c)
{
    const enum element sums = kernel_output(call, 0)->element;
    if (sums == ELEMENT_F32)
        matrix_multiply(product, ELEMENT_F32, a, b, c, call->parallel);
    else
        narrow_multiply(&(struct narrow_product){sums, product->batch[0], product->rows,
                                                 product->depth, product->columns, a, b, c},
                        call->parallel);
}

static status tosa_convolution_run_matmul(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    const struct tensor *a = call->inputs[0];
    const struct tensor *b = call->inputs[1];
    if (!element_is_float(a->element))
        return multiply_integers(call, out);
    const struct matrix_product product = tosa_convolution_product_of(a, b);
    if (a->element == ELEMENT_F64) {
        matrix_multiply(&product, ELEMENT_F64, a->data, b->data, out->data, call->parallel);
        return STATUS_OK;
    }
    struct widened left = {0}, right = {0}, result = {0};
    status failure = widened_input(a, call->parallel, &left);
    if (failure == STATUS_OK)
        failure = widened_input(b, call->parallel, &right);
    if (failure == STATUS_OK)
        failure = widened_output(out, &result);
    if (failure == STATUS_OK) {
        tosa_convolution_multiply_f32(call, &product, left.data, right.data, result.data);
        widened_finish(&result, call->parallel);
    }
    widened_free(&left);
    widened_free(&right);
    widened_free(&result);
    return failure;
}

static const struct kernel ITEMS[] = {
    {"tosa.conv2d", run_conv2d},
    {"tosa.conv3d", run_conv3d},
    {"tosa.depthwise_conv2d", run_depthwise_conv2d},
    {"tosa.fully_connected", run_fully_connected},
    {"tosa.matmul", tosa_convolution_run_matmul},
    {"tosa.transpose_conv2d", run_transpose_conv2d},
};

const struct kernel_table TOSA_COMPUTE_KERNELS = KERNEL_TABLE(ITEMS);
