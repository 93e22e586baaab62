// Convolutions, products of matrices, pools.

#include "convolution.h"

#include <inttypes.h>

#include "infer.h"
#include "network/operator_tables.h"

void tosa_window_read(struct attributes attributes, uint32_t dimensions,
                      struct tosa_window *out_window)
{
    *out_window = (struct tosa_window){{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0}, {0}};
    const int64_t *kernel = NULL;
    const int64_t *stride = NULL;
    const int64_t *dilation = NULL;
    const int64_t *pad = NULL;
    attribute_integers(attributes, "kernel", &kernel);
    attribute_integers(attributes, "stride", &stride);
    attribute_integers(attributes, "dilation", &dilation);
    attribute_integers(attributes, "pad", &pad);
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint32_t place = 3 - dimensions + i;
        if (kernel != NULL)
            out_window->kernel[place] = kernel[i];
        if (stride != NULL)
            out_window->stride[place] = stride[i];
        if (dilation != NULL)
            out_window->dilation[place] = dilation[i];
        if (pad != NULL) {
            out_window->before[place] = pad[2 * i];
            out_window->after[place] = pad[2 * i + 1];
        }
    }
}

static status check_window(const struct inference *inference, uint32_t dimensions, bool pool,
                           struct tosa_window *out_window)
{
    int64_t items[6];
    STATUS_TRY(tosa_lengths(inference, "stride", dimensions, 1, items));
    STATUS_TRY(tosa_lengths(inference, "pad", 2 * dimensions, 0, items));
    STATUS_TRY(tosa_lengths(inference, pool ? "kernel" : "dilation", dimensions, 1, items));
    tosa_window_read(inference->node->attributes, dimensions, out_window);
    return STATUS_OK;
}

// How many places the window takes along spatial dimension `place`.
static status window_places(const struct tosa_window *window, uint32_t place, int64_t in,
                            int64_t kernel, int64_t *out_places)
{
    *out_places = SHAPE_UNKNOWN;
    if (in == SHAPE_UNKNOWN || kernel == SHAPE_UNKNOWN)
        return STATUS_OK;
    const int64_t slack = in + window->before[place] + window->after[place] -
                          (kernel - 1) * window->dilation[place] - 1;
    if (in < 1 || kernel < 1 || slack < 0)
        return status_make(STATUS_DATA, "the kernel is larger than the padded input");
    *out_places = slack / window->stride[place] + 1;
    return STATUS_OK;
}

// Weights go with inputs of the same kind; the result is wider.
static status check_product_elements(const struct inference *inference, enum element a,
                                     enum element b, enum element *out_element)
{
    const bool real = element_is_float(a);
    if (a == ELEMENT_NONE || b == ELEMENT_NONE)
        return status_make(STATUS_DATA, "an input's element type is not known");
    if (real ? a != b : element_is_float(b))
        return status_make(STATUS_DATA, "%s times %s", element_name(a), element_name(b));
    const enum element fallback = real ? a : a == ELEMENT_I16 ? ELEMENT_I48 : ELEMENT_I32;
    const uint32_t integers = ELEMENT_BIT(ELEMENT_I16) | ELEMENT_BIT(ELEMENT_I32) |
                              ELEMENT_BIT(ELEMENT_I48) | ELEMENT_BIT(ELEMENT_I64);
    const uint32_t set = real ? TOSA_FLOATS : integers;
    *out_element = tosa_declared_element(inference, 0, fallback);
    if ((set & ELEMENT_BIT(*out_element)) == 0 ||
        (a == ELEMENT_F64) != (*out_element == ELEMENT_F64))
        return status_make(STATUS_DATA, "the result of %s cannot be of %s", element_name(a),
                           element_name(*out_element));
    return STATUS_OK;
}

static const uint32_t FACTORS = TOSA_NARROW | TOSA_FLOATS | TOSA_FLOATS8;

// An input or weight that is multiplied: there are no empty ones.
static status need_factor(const struct inference *inference, uint32_t index, uint32_t set,
                          uint32_t rank, const struct value_type **out_type)
{
    STATUS_TRY(tosa_need(inference, index, set, rank, out_type));
    for (uint32_t i = 0; (*out_type)->ranked && i < rank; i++) {
        if ((*out_type)->shape.dims[i] == 0)
            return status_make(STATUS_DATA, "input %" PRIu32 " is empty", index);
    }
    return STATUS_OK;
}

// What input, weight, bias and zero points of all convolutions have in common.
static status tosa_convolution_check_operands(const struct inference *inference, uint32_t rank,
                                              uint32_t weight_rank,
                                              const struct value_type **out_input,
                                              const struct value_type **out_weight,
                                              enum element *out_element)
{
    const struct value_type *bias;
    STATUS_TRY(need_factor(inference, 0, FACTORS, rank, out_input));
    STATUS_TRY(
        need_factor(inference, 1, FACTORS | ELEMENT_BIT(ELEMENT_I4), weight_rank, out_weight));
    STATUS_TRY(tosa_need(inference, 2, TOSA_NUMBERS, 1, &bias));
    STATUS_TRY(tosa_need_single(inference, 3, TOSA_NUMBERS | TOSA_FLOATS8));
    STATUS_TRY(tosa_need_single(inference, 4, TOSA_ANY));
    STATUS_TRY(check_product_elements(inference, (*out_input)->element, (*out_weight)->element,
                                      out_element));
    if (bias->element != ELEMENT_NONE &&
        element_is_float(bias->element) != element_is_float(*out_element))
        return status_make(STATUS_DATA, "a bias of %s for %s", element_name(bias->element),
                           element_name(*out_element));
    return STATUS_OK;
}

static status check_bias(const struct inference *inference, int64_t channels)
{
    const struct value_type *bias = inference_tensor(inference, 2);
    if (bias == NULL || !bias->ranked || bias->shape.dims[0] == 1)
        return STATUS_OK;
    return tosa_same_length("output channels", channels, bias->shape.dims[0]);
}

static int64_t convolution_length(const struct value_type *type, uint32_t axis)
{
    return type->ranked ? type->shape.dims[axis] : SHAPE_UNKNOWN;
}

// conv2d and conv3d: input N, space, IC; weight OC, space, IC.
static status tosa_convolution_infer_convolution(struct inference *inference, uint32_t dimensions)
{
    const struct value_type *input;
    const struct value_type *weight;
    enum element element;
    const uint32_t rank = dimensions + 2;
    STATUS_TRY(tosa_convolution_check_operands(inference, rank, rank, &input, &weight, &element));
    struct tosa_window window;
    STATUS_TRY(check_window(inference, dimensions, false, &window));
    STATUS_TRY(tosa_same_length("input channels", convolution_length(input, rank - 1),
                                convolution_length(weight, rank - 1)));
    STATUS_TRY(check_bias(inference, convolution_length(weight, 0)));
    struct shape shape = {.rank = rank};
    shape.dims[0] = convolution_length(input, 0);
    shape.dims[rank - 1] = convolution_length(weight, 0);
    for (uint32_t i = 0; i < dimensions; i++)
        STATUS_TRY(window_places(&window, 3 - dimensions + i, convolution_length(input, 1 + i),
                                 convolution_length(weight, 1 + i), &shape.dims[1 + i]));
    return tosa_set(inference, 0, element, &shape);
}

static status infer_conv2d(struct inference *inference)
{
    return tosa_convolution_infer_convolution(inference, 2);
}

static status infer_conv3d(struct inference *inference)
{
    return tosa_convolution_infer_convolution(inference, 3);
}

// Weight KH, KW, C, M: each channel has M filters of its own.
static status infer_depthwise(struct inference *inference)
{
    const struct value_type *input;
    const struct value_type *weight;
    enum element element;
    STATUS_TRY(tosa_convolution_check_operands(inference, 4, 4, &input, &weight, &element));
    struct tosa_window window;
    STATUS_TRY(check_window(inference, 2, false, &window));
    STATUS_TRY(tosa_same_length("input channels", convolution_length(input, 3),
                                convolution_length(weight, 2)));
    const bool known = convolution_length(weight, 2) != SHAPE_UNKNOWN &&
                       convolution_length(weight, 3) != SHAPE_UNKNOWN;
    const int64_t channels =
        known ? convolution_length(weight, 2) * convolution_length(weight, 3) : SHAPE_UNKNOWN;
    STATUS_TRY(check_bias(inference, channels));
    struct shape shape = {4, {convolution_length(input, 0), 0, 0, channels}};
    for (uint32_t i = 0; i < 2; i++)
        STATUS_TRY(window_places(&window, 1 + i, convolution_length(input, 1 + i),
                                 convolution_length(weight, i), &shape.dims[1 + i]));
    return tosa_set(inference, 0, element, &shape);
}

// Weight OC, KH, KW, IC. Each input element is spread over a window of the output.
static status infer_transpose_conv2d(struct inference *inference)
{
    const struct value_type *input;
    const struct value_type *weight;
    enum element element;
    STATUS_TRY(tosa_convolution_check_operands(inference, 4, 4, &input, &weight, &element));
    int64_t stride[2];
    int64_t pad[4];
    STATUS_TRY(tosa_lengths(inference, "stride", 2, 1, stride));
    STATUS_TRY(tosa_lengths(inference, "out_pad", 4, -TOSA_LENGTH_MOST, pad));
    STATUS_TRY(tosa_same_length("input channels", convolution_length(input, 3),
                                convolution_length(weight, 3)));
    STATUS_TRY(check_bias(inference, convolution_length(weight, 0)));
    struct shape shape = {4,
                          {convolution_length(input, 0), SHAPE_UNKNOWN, SHAPE_UNKNOWN,
                           convolution_length(weight, 0)}};
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t in = convolution_length(input, 1 + i);
        const int64_t kernel = convolution_length(weight, 1 + i);
        if (in == SHAPE_UNKNOWN || kernel == SHAPE_UNKNOWN)
            continue;
        if (in < 1 || kernel < 1 || pad[2 * i] <= -kernel || pad[2 * i + 1] <= -kernel)
            return status_make(STATUS_DATA, "the kernel does not reach beyond 'out_pad'");
        shape.dims[1 + i] = (in - 1) * stride[i] + pad[2 * i] + pad[2 * i + 1] + kernel;
        if (shape.dims[1 + i] < 1)
            return status_make(STATUS_DATA, "'out_pad' leaves nothing of the output");
    }
    return tosa_set(inference, 0, element, &shape);
}

static status infer_fully_connected(struct inference *inference)
{
    const struct value_type *input;
    const struct value_type *weight;
    enum element element;
    STATUS_TRY(tosa_convolution_check_operands(inference, 2, 2, &input, &weight, &element));
    STATUS_TRY(tosa_same_length("input channels", convolution_length(input, 1),
                                convolution_length(weight, 1)));
    STATUS_TRY(check_bias(inference, convolution_length(weight, 0)));
    const struct shape shape = {2, {convolution_length(input, 0), convolution_length(weight, 0)}};
    return tosa_set(inference, 0, element, &shape);
}

static status tosa_convolution_infer_matmul(struct inference *inference)
{
    const struct value_type *a;
    const struct value_type *b;
    enum element element;
    STATUS_TRY(need_factor(inference, 0, FACTORS, 3, &a));
    STATUS_TRY(need_factor(inference, 1, FACTORS, 3, &b));
    STATUS_TRY(tosa_need_single(inference, 2, TOSA_NUMBERS | TOSA_FLOATS8));
    STATUS_TRY(tosa_need_single(inference, 3, TOSA_NUMBERS | TOSA_FLOATS8));
    STATUS_TRY(check_product_elements(inference, a->element, b->element, &element));
    STATUS_TRY(tosa_same_length("batches", convolution_length(a, 0), convolution_length(b, 0)));
    STATUS_TRY(
        tosa_same_length("inner dimensions", convolution_length(a, 2), convolution_length(b, 1)));
    const int64_t batch = convolution_length(a, 0) == SHAPE_UNKNOWN ? convolution_length(b, 0)
                                                                    : convolution_length(a, 0);
    const struct shape shape = {3, {batch, convolution_length(a, 1), convolution_length(b, 2)}};
    return tosa_set(inference, 0, element, &shape);
}

static status tosa_convolution_infer_pool(struct inference *inference, uint32_t set)
{
    const struct value_type *input;
    STATUS_TRY(tosa_need(inference, 0, set, 4, &input));
    struct tosa_window window;
    STATUS_TRY(check_window(inference, 2, true, &window));
    if (window.kernel[1] > TOSA_LENGTH_MOST / window.kernel[2])
        return status_make(STATUS_LIMIT, "the kernel is too large");
    struct shape shape = {4, {convolution_length(input, 0), 0, 0, convolution_length(input, 3)}};
    for (uint32_t i = 0; i < 2; i++) {
        if (window.before[1 + i] >= window.kernel[1 + i] ||
            window.after[1 + i] >= window.kernel[1 + i])
            return status_make(STATUS_DATA, "as much padding as the kernel is long");
        STATUS_TRY(window_places(&window, 1 + i, convolution_length(input, 1 + i),
                                 window.kernel[1 + i], &shape.dims[1 + i]));
    }
    return tosa_set(inference, 0, input->element, &shape);
}

static status infer_avg_pool2d(struct inference *inference)
{
    const uint32_t set = TOSA_NARROW | TOSA_FLOATS | TOSA_FLOATS8;
    STATUS_TRY(tosa_need_single(inference, 1, set));
    STATUS_TRY(tosa_need_single(inference, 2, set));
    return tosa_convolution_infer_pool(inference, set);
}

static status infer_max_pool2d(struct inference *inference)
{
    STATUS_TRY(tosa_choice(inference, "nan_mode", "PROPAGATE", "IGNORE"));
    return tosa_convolution_infer_pool(inference, TOSA_NUMBERS | TOSA_FLOATS8);
}

// Work ------------------------------------------------------------------------

static void count_macs(struct work *work, uint64_t macs)
{
    work->macs = macs;
    work->flops = 2 * macs;
}

// A convolution adds a bias to every element.
static void count_convolution(struct work *work, uint64_t macs)
{
    count_macs(work, macs);
    work->flops += work->elements;
}

// Every element of the result is a sum over the taps and channels of its filter.
static void measure_convolution(const struct inference *inference, struct work *work)
{
    const struct shape *weight = &inference->inputs[1]->shape;
    count_convolution(work, work->elements * shape_count_between(weight, 1, weight->rank));
}

static void measure_depthwise(const struct inference *inference, struct work *work)
{
    count_convolution(work,
                      work->elements * shape_count_between(&inference->inputs[1]->shape, 0, 2));
}

// Every element of the input is multiplied with every filter.
static void measure_transpose_conv2d(const struct inference *inference, struct work *work)
{
    const struct shape *weight = &inference->inputs[1]->shape;
    count_convolution(work, shape_count(&inference->inputs[0]->shape) *
                                shape_count_between(weight, 0, 3));
}

static void tosa_convolution_measure_matmul(const struct inference *inference, struct work *work)
{
    count_macs(work, work->elements * (uint64_t)inference->inputs[0]->shape.dims[2]);
}

static void tosa_convolution_measure_pool(const struct inference *inference, struct work *work)
{
    struct tosa_window window;
    tosa_window_read(inference->node->attributes, 2, &window);
    work->flops = work->elements * (uint64_t)window.kernel[1] * (uint64_t)window.kernel[2];
}

#define COMPUTE(...)                                                                               \
    {                                                                                              \
        .outputs = {1, 1}, __VA_ARGS__                                                             \
    }

static const struct operator_definition ITEMS[] = {
    COMPUTE(.name = "tosa.conv2d", .class = OPERATOR_CONVOLUTION, .inputs = {5, 5},
            .infer = infer_conv2d, .measure = measure_convolution, .tiling = TILED_AS_TOSA_CONV2D,
            .price = PRICED_AS_TOSA_CONVOLUTION),
    COMPUTE(.name = "tosa.conv3d", .class = OPERATOR_CONVOLUTION, .inputs = {5, 5},
            .infer = infer_conv3d, .measure = measure_convolution,
            .price = PRICED_AS_TOSA_CONVOLUTION),
    COMPUTE(.name = "tosa.depthwise_conv2d", .class = OPERATOR_CONVOLUTION, .inputs = {5, 5},
            .infer = infer_depthwise, .measure = measure_depthwise,
            .tiling = TILED_AS_TOSA_DEPTHWISE, .price = PRICED_AS_TOSA_DEPTHWISE),
    COMPUTE(.name = "tosa.transpose_conv2d", .class = OPERATOR_CONVOLUTION, .inputs = {5, 5},
            .infer = infer_transpose_conv2d, .measure = measure_transpose_conv2d,
            .price = PRICED_AS_TOSA_TRANSPOSED),
    COMPUTE(.name = "tosa.fully_connected", .class = OPERATOR_MATMUL, .inputs = {5, 5},
            .infer = infer_fully_connected, .measure = measure_convolution,
            .tiling = TILED_AS_FULLY_CONNECTED, .price = PRICED_AS_TOSA_MATMUL),
    COMPUTE(.name = "tosa.matmul", .sums_in_result = true, .class = OPERATOR_MATMUL,
            .inputs = {4, 4}, .infer = tosa_convolution_infer_matmul,
            .measure = tosa_convolution_measure_matmul, .tiling = TILED_AS_TOSA_MATMUL,
            .price = PRICED_AS_TOSA_MATMUL),
    COMPUTE(.name = "tosa.avg_pool2d", .class = OPERATOR_POOLING, .inputs = {3, 3},
            .infer = infer_avg_pool2d, .measure = tosa_convolution_measure_pool,
            .tiling = TILED_AS_TOSA_POOL, .price = PRICED_AS_POOLING),
    COMPUTE(.name = "tosa.max_pool2d", .sort = SORT_CHOICE, .class = OPERATOR_POOLING,
            .inputs = {1, 1}, .infer = infer_max_pool2d, .measure = tosa_convolution_measure_pool,
            .tiling = TILED_AS_TOSA_POOL, .price = PRICED_AS_POOLING),
};

const struct operator_table TOSA_COMPUTE_OPERATORS = OPERATOR_TABLE(ITEMS);
