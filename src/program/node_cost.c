#include "node_cost.h"

static const struct network_value *input_of(const struct network *network,
                                            const struct network_node *node, uint32_t index)
{
    return index < node->input_count && node->inputs[index] != NETWORK_NONE
               ? network_value(network, node->inputs[index])
               : NULL;
}

static uint64_t elements_of(const struct network_value *value)
{
    return value != NULL && value_type_static(&value->type) ? shape_count(&value->type.shape) : 0;
}

static uint64_t product(const struct shape *shape, uint32_t from, uint32_t to)
{
    uint64_t count = 1;
    for (uint32_t i = from; i < to && i < shape->rank; i++)
        count *= (uint64_t)shape->dims[i];
    return count;
}

uint32_t node_cost_output(const struct network_node *node)
{
    uint32_t i = 0;
    while (i + 1 < node->output_count && node->outputs[i] == NETWORK_NONE)
        i++;
    return i;
}

static const struct network_value *result_of(const struct network *network,
                                             const struct network_node *node)
{
    return network_value(network, node->outputs[node_cost_output(node)]);
}

static bool is_one_of(struct view type, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (view_is(type, names[i]))
            return true;
    }
    return false;
}

// Kinds -----------------------------------------------------------------------------

static bool is_depthwise(const struct network *network, const struct network_node *node)
{
    if (view_is(node->type, "tosa.depthwise_conv2d"))
        return true;
    const int64_t groups = attribute_integer(node->attributes, "group", 1);
    const struct shape *shape = &network_value(network, node->inputs[0])->type.shape;
    return groups > 1 && shape->rank > 1 && groups == shape->dims[1];
}

enum cost_kind node_cost_kind(const struct network *network, const struct network_node *node)
{
    switch (node->definition->class) {
    case OPERATOR_CONVOLUTION:
        return is_depthwise(network, node) ? COST_DEPTHWISE : COST_CONVOLUTION;
    case OPERATOR_MATMUL:
        return COST_MATMUL;
    case OPERATOR_POOLING:
        return COST_POOLING;
    case OPERATOR_REDUCTION:
    case OPERATOR_NORMALIZATION:
        return COST_REDUCTION;
    case OPERATOR_RECURRENT:
        return COST_RECURRENT;
    case OPERATOR_ELEMENTWISE:
        return view_is(node->type, "tosa.table") ? COST_TABLE : COST_ELEMENTWISE;
    case OPERATOR_MOVEMENT:
    case OPERATOR_VIEW:
    case OPERATOR_CONSTANT:
        return COST_MOVEMENT;
    default:
        return COST_OTHER;
    }
}

// Products --------------------------------------------------------------------------

// The dimension of the output that weights go along.
static uint32_t channel_axis(const struct network_node *node, uint32_t rank)
{
    const bool channels_first =
        node->definition->class == OPERATOR_CONVOLUTION && !view_starts_with(node->type, "tosa.");
    return channels_first && rank > 1 ? 1 : rank - 1;
}

static uint32_t weights_index(const struct network_node *node)
{
    return view_starts_with(node->type, "QLinear") ? 3 : 1;
}

// Places of the window of a convolution.
static uint64_t window_of(const struct network *network, const struct network_node *node)
{
    const struct network_value *weights = input_of(network, node, weights_index(node));
    if (weights == NULL || !value_type_static(&weights->type) ||
        view_is(node->type, "ConvTranspose") || view_is(node->type, "tosa.transpose_conv2d"))
        return 1;
    const struct shape *shape = &weights->type.shape;
    if (view_is(node->type, "tosa.depthwise_conv2d"))
        return product(shape, 0, 2);
    if (view_starts_with(node->type, "tosa."))
        return product(shape, 1, shape->rank - 1);
    return product(shape, 2, shape->rank);
}

// Matrices one behind the other that are multiplied each by its own.
static uint64_t batches_of(const struct network *network, const struct network_node *node,
                           const struct shape *output)
{
    const struct network_value *right = input_of(network, node, weights_index(node));
    if (output->rank < 3 || right == NULL || right->type.shape.rank < 3 ||
        product(&right->type.shape, 0, right->type.shape.rank - 2) == 1)
        return 1;
    return product(output, 0, output->rank - 2);
}

// Whether a convolution leaves places of its input out.
static bool has_stride(const struct network_node *node)
{
    const int64_t *strides;
    uint32_t count = attribute_integers(node->attributes, "strides", &strides);
    if (count == 0)
        count = attribute_integers(node->attributes, "stride", &strides);
    return count > 0 && strides[count - 1] > 1 && !view_is(node->type, "ConvTranspose") &&
           !view_is(node->type, "tosa.transpose_conv2d");
}

static void count_products(struct cost_request *request, const struct network *network,
                           const struct network_node *node, const struct shape *output)
{
    const uint64_t elements = shape_count(output);
    const uint64_t all = elements_of(result_of(network, node));
    const struct network_value *weights = input_of(network, node, weights_index(node));
    request->channels =
        output->rank > 0 ? (uint64_t)output->dims[channel_axis(node, output->rank)] : 1;
    request->outputs = request->channels > 0 ? elements / request->channels : 0;
    request->inner = all > 0 ? node->work.macs / all : 0;
    request->macs = elements * request->inner;
    request->kernel = (uint32_t)window_of(network, node);
    const bool strided = has_stride(node);
    if (request->kind == COST_DEPTHWISE)
        request->variant = strided ? COST_APART_SPREAD : COST_APART;
    else if (strided && request->kind == COST_CONVOLUTION)
        request->variant = COST_SPREAD;
    else if (weights != NULL && weights->constant == NULL)
        request->variant = COST_FREE;
    if (request->kind == COST_MATMUL)
        request->groups = batches_of(network, node, output);
}

// The last output alone may be asked for: what is computed is every step.
static void count_steps(struct cost_request *request, const struct network *network,
                        const struct network_node *node, const struct shape *output)
{
    const struct network_value *sequence = input_of(network, node, 0);
    const struct network_value *weights = input_of(network, node, 1);
    const uint64_t steps = sequence != NULL ? product(&sequence->type.shape, 0, 2) : 1;
    const uint64_t directions = weights != NULL ? product(&weights->type.shape, 0, 1) : 1;
    request->channels = output->rank > 0 ? (uint64_t)output->dims[output->rank - 1] : 1;
    request->outputs = steps * directions;
    const uint64_t all = request->outputs * request->channels;
    request->inner = all > 0 ? node->work.macs / all : 0;
    request->macs = node->work.macs;
    request->kernel = 1;
}

// Reductions --------------------------------------------------------------------------

static void count_reads(struct cost_request *request, const struct network *network,
                        const struct network_node *node, const struct shape *output)
{
    const uint64_t read = elements_of(input_of(network, node, 0));
    const uint64_t given = elements_of(result_of(network, node));
    request->outputs = shape_count(output);
    request->inner = given > 0 ? (read + given - 1) / given : 0;
    request->kernel = request->inner < UINT32_MAX ? (uint32_t)request->inner : UINT32_MAX;
    const int64_t *kernel;
    uint32_t count = attribute_integers(node->attributes, "kernel_shape", &kernel);
    if (count == 0)
        count = attribute_integers(node->attributes, "kernel", &kernel);
    uint64_t places = 1;
    for (uint32_t i = 0; i < count; i++)
        places *= (uint64_t)kernel[i];
    if (count > 0 && places < UINT32_MAX)
        request->kernel = (uint32_t)places;
}

static bool is_normalized_by_channel(const struct network_node *node)
{
    static const char *const NAMES[] = {"BatchNormalization", "InstanceNormalization",
                                        "GroupNormalization", NULL};
    return is_one_of(node->type, NAMES);
}

// How many elements lie together of those that are reduced or normalised together.
static void count_run(struct cost_request *request, const struct network *network,
                      const struct network_node *node)
{
    const struct network_value *input = input_of(network, node, 0);
    if (input == NULL || !value_type_static(&input->type) || input->type.shape.rank == 0)
        return;
    const struct shape *shape = &input->type.shape;
    const uint32_t last = shape->rank - 1;
    if (is_normalized_by_channel(node)) {
        request->run = product(shape, 2, shape->rank);
        return;
    }
    if (node->definition->class == OPERATOR_NORMALIZATION) {
        int64_t axis = attribute_integer(node->attributes, "axis", -1);
        axis = axis < 0 ? axis + shape->rank : axis;
        const bool whole = view_is(node->type, "LayerNormalization");
        const uint32_t at = axis < shape->rank && axis >= 0 ? (uint32_t)axis : last;
        request->run = whole ? product(shape, at, shape->rank) : (uint64_t)shape->dims[at];
        if (!whole && product(shape, at + 1, shape->rank) > 1)
            request->variant = COST_SPREAD;
        return;
    }
    request->run = request->inner;
    const struct shape *output = &result_of(network, node)->type.shape;
    const bool keeps = output->rank == shape->rank;
    if (keeps && output->dims[last] == shape->dims[last] && shape->dims[last] > 1)
        request->variant = COST_SPREAD;
}

// Elements and places -----------------------------------------------------------------

// How an operand lies to what it is combined with, and every how many elements.
static enum cost_variant spread_of(const struct shape *operand, const struct shape *output,
                                   uint64_t *out_run)
{
    const uint64_t count = shape_count(operand);
    *out_run = 1;
    if (count == shape_count(output))
        return COST_PLAIN;
    if (count == 1)
        return COST_SCALAR;
    uint64_t trailing = 1; // of the output, where the operand has one
    uint64_t matched = 1;  // of both, right of what is repeated
    uint32_t i = 0;
    const uint32_t rank = operand->rank < output->rank ? operand->rank : output->rank;
    for (; i < rank && operand->dims[operand->rank - 1 - i] == 1; i++)
        trailing *= (uint64_t)output->dims[output->rank - 1 - i];
    for (; i < rank && operand->dims[operand->rank - 1 - i] == output->dims[output->rank - 1 - i];
         i++)
        matched *= (uint64_t)operand->dims[operand->rank - 1 - i];
    if (matched != count)
        return COST_MIXED;
    *out_run = trailing > 1 ? trailing : matched;
    return trailing > 1 ? COST_CHANNEL : COST_ROW;
}

static bool is_quantizer(const struct network_node *node)
{
    return view_is(node->type, "QuantizeLinear") || view_is(node->type, "DequantizeLinear");
}

static void find_spread(struct cost_request *request, const struct network *network,
                        const struct network_node *node, const struct shape *output)
{
    request->run = 1;
    if (is_quantizer(node)) {
        if (elements_of(input_of(network, node, 1)) > 1) {
            const int64_t axis = attribute_integer(node->attributes, "axis", 1);
            request->variant = COST_CHANNEL;
            request->run = product(output, (uint32_t)((axis < 0 ? axis + output->rank : axis) + 1),
                                   output->rank);
        }
        return;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct network_value *operand = input_of(network, node, i);
        uint64_t run;
        if (operand == NULL || !value_type_static(&operand->type))
            continue;
        const enum cost_variant variant = spread_of(&operand->type.shape, output, &run);
        if (variant == COST_PLAIN || (variant == COST_SCALAR && request->variant != COST_PLAIN))
            continue;
        request->variant = variant;
        request->run = run;
    }
}

static uint64_t transposed_run(const struct network *network, const struct network_node *node)
{
    const struct shape *shape = &network_value(network, node->inputs[0])->type.shape;
    const int64_t *order;
    uint32_t count = attribute_integers(node->attributes, "perm", &order);
    if (count == 0)
        count = attribute_integers(node->attributes, "perms", &order);
    uint64_t run = 1;
    for (uint32_t i = count; i-- > 0 && count == shape->rank;) {
        if (order[i] != (int64_t)i)
            break;
        run *= (uint64_t)shape->dims[i];
    }
    return run;
}

// Elements that are copied together.
static uint64_t moved_run(const struct network *network, const struct network_node *node,
                          const struct shape *output)
{
    const struct network_value *input = input_of(network, node, 0);
    if (input == NULL || !value_type_static(&input->type) || output->rank == 0)
        return 1;
    static const char *const BY_ROWS[] = {"Slice",     "Pad",         "Tile",       "Expand",
                                          "Concat",    "Split",       "tosa.slice", "tosa.pad",
                                          "tosa.tile", "tosa.concat", NULL};
    const struct shape *shape = &input->type.shape;
    if (view_is(node->type, "Transpose") || view_is(node->type, "tosa.transpose"))
        return transposed_run(network, node);
    const bool gathers = node->definition->class == OPERATOR_GATHER;
    if (!gathers && !is_one_of(node->type, BY_ROWS))
        return 1;
    if (!gathers && !attribute_given(node->attributes, "axis"))
        return (uint64_t)output->dims[output->rank - 1];
    int64_t axis = attribute_integer(node->attributes, "axis", 0);
    axis = axis < 0 ? axis + shape->rank : axis;
    return axis >= 0 && axis < shape->rank
               ? product(shape, (uint32_t)axis + (gathers ? 1 : 0), shape->rank)
               : 1;
}

struct cost_request node_cost(const struct network *network, const struct network_node *node,
                              const struct shape *output)
{
    const struct network_value *input = input_of(network, node, 0);
    const struct network_value *weights = input_of(network, node, 1);
    const enum element element = input != NULL ? input->type.element : ELEMENT_NONE;
    struct cost_request request = {
        .kind = node_cost_kind(network, node),
        .function = cost_function(node->type),
        .input_bits = (uint16_t)element_bits(element),
        .weight_bits = weights != NULL ? (uint16_t)element_bits(weights->type.element) : 0,
        .output_bits = (uint16_t)element_bits(result_of(network, node)->type.element),
        .is_float = element_is_float(element),
        .groups = 1,
        .bytes = node->work.bytes_read + node->work.bytes_written,
        .run = 1,
    };
    switch ((enum cost_kind)request.kind) {
    case COST_CONVOLUTION:
    case COST_DEPTHWISE:
    case COST_MATMUL:
        count_products(&request, network, node, output);
        break;
    case COST_RECURRENT:
        count_steps(&request, network, node, output);
        break;
    case COST_POOLING:
        count_reads(&request, network, node, output);
        break;
    case COST_REDUCTION:
        count_reads(&request, network, node, output);
        count_run(&request, network, node);
        break;
    case COST_ELEMENTWISE:
        request.outputs = shape_count(output);
        request.inner = node->definition->flops;
        find_spread(&request, network, node, output);
        break;
    default:
        request.outputs = shape_count(output);
        request.inner = 1;
        request.run = moved_run(network, node, output);
        if (node->definition->class == OPERATOR_VIEW)
            request.variant = COST_WHOLE;
        else if (view_starts_with(attribute_text(node->attributes, "mode", ""), "linear"))
            request.variant = COST_LINEAR;
        break;
    }
    return request;
}
