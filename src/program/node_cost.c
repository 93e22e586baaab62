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

static uint64_t node_cost_product(const struct shape *shape, uint32_t from, uint32_t to)
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

static const struct network_value *node_cost_result_of(const struct network *network,
                                                       const struct network_node *node)
{
    return network_value(network, node->outputs[node_cost_output(node)]);
}

// Rules -----------------------------------------------------------------------------

// How the numbers of a price are found for the operators of one enum operator_price.
struct price_rule {
    enum cost_kind kind;
    void (*count)(struct cost_request *request, const struct network *network,
                  const struct network_node *node, const struct shape *output);
    // Products only: the input that has the weights, places of the window in their shape (NULL:
    // one), whether the network has channels first, and whether a stride leaves places out.
    uint32_t weights;
    uint64_t (*window)(const struct shape *weights);
    bool channels_first;
    bool strides;
    uint32_t sides; // of convolutions: the dimension of the weights that the window begins with
};

static const struct price_rule *node_cost_rule_of(const struct network_node *node);

// The dimension of the output that weights go along.
static uint32_t channel_axis(const struct price_rule *rule, uint32_t rank)
{
    return rule->channels_first && rank > 1 ? 1 : rank - 1;
}

static uint64_t window_after_channels(const struct shape *weights)
{
    return node_cost_product(weights, 2, weights->rank);
}

static uint64_t window_between_channels(const struct shape *weights)
{
    return node_cost_product(weights, 1, weights->rank - 1);
}

static uint64_t window_before_channels(const struct shape *weights)
{
    return node_cost_product(weights, 0, 2);
}

// Places of the window of a convolution.
static uint64_t window_of(const struct price_rule *rule, const struct network_value *weights)
{
    if (weights == NULL || !value_type_static(&weights->type) || rule->window == NULL)
        return 1;
    return rule->window(&weights->type.shape);
}

// Matrices one after the other that are multiplied each by its own.
static uint64_t node_cost_batches_of(const struct network *network, const struct network_node *node,
                                     const struct shape *output)
{
    const struct network_value *right = input_of(network, node, node_cost_rule_of(node)->weights);
    if (output->rank < 3 || right == NULL || right->type.shape.rank < 3 ||
        node_cost_product(&right->type.shape, 0, right->type.shape.rank - 2) == 1)
        return 1;
    return node_cost_product(output, 0, output->rank - 2);
}

// Whether a convolution leaves places of its input out.
static bool has_stride(const struct network_node *node)
{
    const int64_t *strides;
    uint32_t count = attribute_integers(node->attributes, "strides", &strides);
    if (count == 0)
        count = attribute_integers(node->attributes, "stride", &strides);
    return count > 0 && strides[count - 1] > 1;
}

// Windows -----------------------------------------------------------------------------

static uint8_t side(uint64_t places)
{
    return (uint8_t)(places < UINT8_MAX ? places : UINT8_MAX);
}

// A list of integers under either name that ONNX and TOSA have for it; 0: it is not there.
static uint32_t either(const struct network_node *node, const char *onnx, const char *tosa,
                       const int64_t **out_integers)
{
    const uint32_t count = attribute_integers(node->attributes, onnx, out_integers);
    return count > 0 ? count : attribute_integers(node->attributes, tosa, out_integers);
}

static int64_t greatest(const int64_t *integers, uint32_t count, int64_t least)
{
    for (uint32_t i = 0; i < count; i++)
        least = integers[i] > least ? integers[i] : least;
    return least;
}

// Places that are padded left and right, and whether any are above or left. TOSA has both ends
// of a dimension together.
static void find_padding(const struct network_node *node, struct cost_window *window)
{
    const int64_t *pads, *dilations;
    int64_t left = 0, right = 0;
    const uint32_t onnx = attribute_integers(node->attributes, "pads", &pads);
    const uint32_t tosa = onnx > 0 ? 0 : attribute_integers(node->attributes, "pad", &pads);
    bool before = false;
    if (onnx > 0) {
        left = pads[onnx / 2 - 1];
        right = pads[onnx - 1];
        before = greatest(pads, onnx / 2, 0) > 0;
    } else if (tosa > 1) {
        left = pads[tosa - 2];
        right = pads[tosa - 1];
        before = left > 0 || pads[0] > 0;
    }
    const bool same = view_starts_with(attribute_text(node->attributes, "auto_pad", ""), "SAME");
    const uint32_t dilated = either(node, "dilations", "dilation", &dilations);
    const bool centred = left == right && left == window->width / 2;
    const bool apart = greatest(dilations, dilated, 1) > 1;
    if ((centred || same) && !apart)
        window->flags |= COST_WINDOW_CENTRED;
    if (apart)
        window->flags |= COST_WINDOW_APART;
    if (before || (same && window->width > 2))
        window->flags |= COST_WINDOW_BEFORE;
}

// Of sides that are given: the last is the width, the ones before it the height.
static struct cost_window window_with(const struct network_node *node, const int64_t *sides,
                                      uint32_t count, uint64_t frames)
{
    struct cost_window window = {.frames = (uint32_t)(frames < UINT32_MAX ? frames : UINT32_MAX)};
    const int64_t *strides;
    uint64_t height = 1;
    for (uint32_t i = 0; i + 1 < count; i++)
        height *= (uint64_t)sides[i];
    window.height = side(height);
    window.width = side(count > 0 ? (uint64_t)sides[count - 1] : 0);
    if (count == 1)
        window.flags |= COST_WINDOW_LINE;
    const uint32_t stride_count = either(node, "strides", "stride", &strides);
    window.stride = side((uint64_t)greatest(strides, stride_count, 1));
    find_padding(node, &window);
    return window;
}

static void count_products(struct cost_request *request, const struct network *network,
                           const struct network_node *node, const struct shape *output)
{
    const struct price_rule *rule = node_cost_rule_of(node);
    const uint64_t elements = shape_count(output);
    const uint64_t all = elements_of(node_cost_result_of(network, node));
    const struct network_value *weights = input_of(network, node, rule->weights);
    request->channels =
        output->rank > 0 ? (uint64_t)output->dims[channel_axis(rule, output->rank)] : 1;
    request->outputs = request->channels > 0 ? elements / request->channels : 0;
    request->inner = all > 0 ? node->work.macs / all : 0;
    request->macs = elements * request->inner;
    request->kernel = (uint32_t)window_of(rule, weights);
    if (rule->strides && weights != NULL && value_type_static(&weights->type) &&
        weights->type.shape.rank > 2)
        request->window =
            window_with(node, &weights->type.shape.dims[rule->sides], weights->type.shape.rank - 2,
                        output->rank > 0 ? (uint64_t)output->dims[0] : 1);
    const bool strided = rule->strides && has_stride(node);
    if (request->kind == COST_DEPTHWISE)
        request->variant = strided ? COST_APART_SPREAD : COST_APART;
    else if (strided && request->kind == COST_CONVOLUTION)
        request->variant = COST_SPREAD;
    else if (weights != NULL && weights->constant == NULL)
        request->variant = COST_FREE;
    if (request->kind == COST_MATMUL)
        request->groups = node_cost_batches_of(network, node, output);
}

// The last output alone may be asked for: what is computed is every step.
static void count_steps(struct cost_request *request, const struct network *network,
                        const struct network_node *node, const struct shape *output)
{
    const struct network_value *sequence = input_of(network, node, 0);
    const struct network_value *weights = input_of(network, node, 1);
    const uint64_t steps = sequence != NULL ? node_cost_product(&sequence->type.shape, 0, 2) : 1;
    const uint64_t directions = weights != NULL ? node_cost_product(&weights->type.shape, 0, 1) : 1;
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
    const uint64_t given = elements_of(node_cost_result_of(network, node));
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

// A pooling without a window of its own goes over whole planes.
static void count_pooling(struct cost_request *request, const struct network *network,
                          const struct network_node *node, const struct shape *output)
{
    const int64_t *sides;
    count_reads(request, network, node, output);
    const uint32_t count = either(node, "kernel_shape", "kernel", &sides);
    const bool last =
        attribute_integers(node->attributes, "kernel_shape", &sides) == 0 && count > 0;
    uint64_t planes = output->rank > 0 ? (uint64_t)output->dims[0] : 1;
    if (output->rank > 1)
        planes *= (uint64_t)output->dims[last ? output->rank - 1 : 1];
    either(node, "kernel_shape", "kernel", &sides);
    request->window = window_with(node, sides, count, planes);
    if (node->definition->sort == SORT_CHOICE)
        request->window.flags |= COST_WINDOW_CHOICE;
}

static uint32_t sort_of(const struct network *network, const struct network_node *node)
{
    static const enum cost_sort SORTS[OPERATOR_SORTS] = {
        [SORT_OTHER] = COST_SORT_OTHER,     [SORT_SUM] = COST_SORT_SUM,
        [SORT_PRODUCT] = COST_SORT_PRODUCT, [SORT_CHOICE] = COST_SORT_CHOICE,
        [SORT_NOT] = COST_SORT_NOT,         [SORT_SHIFT] = COST_SORT_SHIFT,
        [SORT_SELECT] = COST_SORT_SELECT,   [SORT_SCALE] = COST_SORT_SCALE,
        [SORT_CLIP] = COST_SORT_CLIP,       [SORT_UNARY] = COST_SORT_UNARY,
        [SORT_CURVE] = COST_SORT_CURVE,
    };
    const struct network_value *input = input_of(network, node, 0);
    const bool to_float = input != NULL && !element_is_float(input->type.element) &&
                          element_is_float(node_cost_result_of(network, node)->type.element);
    return node->definition->sort == SORT_UNARY && to_float ? COST_SORT_TO_FLOAT
                                                            : SORTS[node->definition->sort];
}

// The input of a reduction or normalization; NULL when it has no dimension, or none that is
// known.
static const struct shape *reduced_shape(const struct network *network,
                                         const struct network_node *node)
{
    const struct network_value *input = input_of(network, node, 0);
    return input != NULL && value_type_static(&input->type) && input->type.shape.rank > 0
               ? &input->type.shape
               : NULL;
}

// In each of these, `run` is how many elements lie together of those that are reduced or
// normalised together.
static void count_channel_normalization(struct cost_request *request, const struct network *network,
                                        const struct network_node *node, const struct shape *output)
{
    count_reads(request, network, node, output);
    const struct shape *shape = reduced_shape(network, node);
    if (shape != NULL)
        request->run = node_cost_product(shape, 2, shape->rank);
}

static uint32_t normalized_axis(const struct network_node *node, const struct shape *shape)
{
    int64_t axis = attribute_integer(node->attributes, "axis", -1);
    axis = axis < 0 ? axis + shape->rank : axis;
    return axis < shape->rank && axis >= 0 ? (uint32_t)axis : shape->rank - 1;
}

static void count_trailing_normalization(struct cost_request *request,
                                         const struct network *network,
                                         const struct network_node *node,
                                         const struct shape *output)
{
    count_reads(request, network, node, output);
    const struct shape *shape = reduced_shape(network, node);
    if (shape != NULL)
        request->run = node_cost_product(shape, normalized_axis(node, shape), shape->rank);
}

static void count_normalization(struct cost_request *request, const struct network *network,
                                const struct network_node *node, const struct shape *output)
{
    count_reads(request, network, node, output);
    const struct shape *shape = reduced_shape(network, node);
    if (shape == NULL)
        return;
    const uint32_t axis = normalized_axis(node, shape);
    request->run = (uint64_t)shape->dims[axis];
    if (node_cost_product(shape, axis + 1, shape->rank) > 1)
        request->variant = COST_SPREAD;
}

static void count_reduction(struct cost_request *request, const struct network *network,
                            const struct network_node *node, const struct shape *output)
{
    count_reads(request, network, node, output);
    const struct shape *shape = reduced_shape(network, node);
    if (shape == NULL)
        return;
    request->run = request->inner;
    request->kernel = sort_of(network, node);
    const uint32_t last = shape->rank - 1;
    const struct shape *result = &node_cost_result_of(network, node)->type.shape;
    uint32_t axis = last; // the last dimension that is reduced
    if (node->definition->tiling == TILED_WITHOUT_AXIS)
        axis = normalized_axis(node, shape);
    else if (result->rank == shape->rank && shape->dims[last] > 1)
        while (axis > 0 && result->dims[axis] == shape->dims[axis])
            axis--;
    if (axis < last && node_cost_product(shape, axis + 1, shape->rank) > 1) {
        request->variant = COST_SPREAD;
        request->groups = node_cost_product(output, 0, axis); // rows before it
    }
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

static void count_elements(struct cost_request *request, const struct network *network,
                           const struct network_node *node, const struct shape *output)
{
    request->outputs = shape_count(output);
    request->inner = node->definition->flops;
    request->run = 1;
    request->kernel = sort_of(network, node);
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

static void count_scaling(struct cost_request *request, const struct network *network,
                          const struct network_node *node, const struct shape *output)
{
    request->outputs = shape_count(output);
    request->inner = node->definition->flops;
    request->run = 1;
    request->kernel = sort_of(network, node);
    if (elements_of(input_of(network, node, 1)) <= 1)
        return;
    const int64_t axis = attribute_integer(node->attributes, "axis", 1);
    request->variant = COST_CHANNEL;
    request->run = node_cost_product(
        output, (uint32_t)((axis < 0 ? axis + output->rank : axis) + 1), output->rank);
}

static void count_moves(struct cost_request *request, const struct network *network,
                        const struct network_node *node, const struct shape *output)
{
    (void)network;
    request->outputs = shape_count(output);
    request->inner = 1;
    if (view_starts_with(attribute_text(node->attributes, "mode", ""), "linear"))
        request->variant = COST_LINEAR;
}

static void count_view(struct cost_request *request, const struct network *network,
                       const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    request->variant = COST_WHOLE;
}

// In each of these, `run` is how many elements are copied together. Whether that is known:
static bool has_runs(const struct network *network, const struct network_node *node,
                     const struct shape *output)
{
    const struct network_value *input = input_of(network, node, 0);
    return input != NULL && value_type_static(&input->type) && output->rank > 0;
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

static void count_transpose(struct cost_request *request, const struct network *network,
                            const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    if (!has_runs(network, node, output))
        return;
    request->run = transposed_run(network, node);
    request->channels = (uint64_t)output->dims[output->rank - 1];
    const int64_t *order;
    const uint32_t rank = either(node, "perm", "perms", &order);
    bool turns = rank == output->rank && rank > 1 && order[rank - 1] == (int64_t)rank - 2 &&
                 order[rank - 2] == (int64_t)rank - 1;
    for (uint32_t i = 0; turns && i + 2 < rank; i++)
        turns = order[i] == (int64_t)i;
    if (turns)
        request->groups = (uint64_t)output->dims[rank - 2];
}

// The elements of the first input from `beyond` dimensions after the axis on.
static uint64_t run_from_axis(const struct network *network, const struct network_node *node,
                              uint32_t beyond)
{
    const struct shape *shape = &network_value(network, node->inputs[0])->type.shape;
    int64_t axis = attribute_integer(node->attributes, "axis", 0);
    axis = axis < 0 ? axis + shape->rank : axis;
    return axis >= 0 && axis < shape->rank
               ? node_cost_product(shape, (uint32_t)axis + beyond, shape->rank)
               : 1;
}

static void count_rows(struct cost_request *request, const struct network *network,
                       const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    if (has_runs(network, node, output))
        request->run = attribute_given(node->attributes, "axis")
                           ? run_from_axis(network, node, 0)
                           : (uint64_t)output->dims[output->rank - 1];
}

static void count_gathered(struct cost_request *request, const struct network *network,
                           const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    if (has_runs(network, node, output))
        request->run = run_from_axis(network, node, 1);
}

// Rows and blocks -----------------------------------------------------------------------

static const struct shape *known_shape(const struct network *network,
                                       const struct network_node *node, uint32_t index)
{
    const struct network_value *input = input_of(network, node, index);
    return input != NULL && value_type_static(&input->type) ? &input->type.shape : NULL;
}

static void set_rows(struct cost_request *request, enum cost_variant variant, uint64_t places,
                     uint64_t rows, uint64_t channels)
{
    request->variant = variant;
    request->kernel = (uint32_t)(places < UINT32_MAX ? places : UINT32_MAX);
    request->groups = rows;
    request->channels = channels;
}

// Rows of a matrix, or elements of a list.
static void count_gathered_rows(struct cost_request *request, const struct network *network,
                                const struct network_node *node, const struct shape *output)
{
    count_gathered(request, network, node, output);
    const struct shape *values = known_shape(network, node, 0);
    const struct shape *places = known_shape(network, node, 1);
    if (values == NULL || places == NULL || values->rank < 1 || values->rank > 2 ||
        attribute_integer(node->attributes, "axis", 0) != 0)
        return;
    set_rows(request, COST_GATHERED, shape_count(places), (uint64_t)values->dims[0],
             values->rank == 2 ? (uint64_t)values->dims[1] : 1);
}

// [1, K, C] at [1, W]
static void count_tosa_rows(struct cost_request *request, const struct network *network,
                            const struct network_node *node, const struct shape *output)
{
    count_gathered(request, network, node, output);
    const struct shape *values = known_shape(network, node, 0);
    const struct shape *places = known_shape(network, node, 1);
    if (values == NULL || places == NULL || values->rank != 3 || values->dims[0] != 1)
        return;
    const bool scatters = node->definition->price == PRICED_AS_TOSA_SCATTER;
    const bool known = input_of(network, node, 1)->constant != NULL;
    set_rows(request,
             !scatters ? COST_GATHERED_EACH
             : known   ? COST_SCATTERED
                       : COST_SCATTERED_FREE,
             shape_count(places), (uint64_t)values->dims[1], (uint64_t)values->dims[2]);
}

// Whether each place is repeated, in the dimension from `axis` on and the next.
static bool is_doubled(const struct shape *input, const struct shape *output, uint32_t axis)
{
    if (input == NULL || input->rank != 4 || output->rank != 4)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        if (output->dims[i] != input->dims[i] * (i == axis || i == axis + 1 ? 2 : 1))
            return false;
    }
    return true;
}

static void count_resize(struct cost_request *request, const struct network *network,
                         const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    const struct shape *input = known_shape(network, node, 0);
    const struct view rounding = attribute_text(node->attributes, "nearest_mode", "");
    const struct view coordinates =
        attribute_text(node->attributes, "coordinate_transformation_mode", "");
    if (!view_is(attribute_text(node->attributes, "mode", "nearest"), "nearest") ||
        view_is(rounding, "ceil") || view_is(rounding, "round_prefer_ceil") ||
        view_is(coordinates, "align_corners") || !is_doubled(input, output, 2))
        return;
    request->variant = COST_DOUBLED;
    request->run = (uint64_t)input->dims[3];
}

static void count_tosa_resize(struct cost_request *request, const struct network *network,
                              const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    const struct shape *input = known_shape(network, node, 0);
    if (view_is(attribute_text(node->attributes, "mode", ""), "BILINEAR") ||
        !is_doubled(input, output, 1))
        return;
    request->variant = COST_DOUBLED;
    request->channels = (uint64_t)input->dims[3];
}

static void count_blocks(struct cost_request *request, const struct network *network,
                         const struct network_node *node, const struct shape *output)
{
    count_moves(request, network, node, output);
    const struct shape *input = known_shape(network, node, 0);
    const int64_t side = attribute_integer(node->attributes, "blocksize", 0);
    if (input == NULL || input->rank != 4 || side < 1 || side > UINT8_MAX)
        return;
    request->variant = COST_BLOCKS;
    request->kernel = (uint32_t)side;
    request->run = (uint64_t)input->dims[3];
}

// All rules ---------------------------------------------------------------------------

static const struct price_rule RULES[OPERATOR_PRICES] = {
    [PRICED_AS_ELEMENTS] = {COST_ELEMENTWISE, count_elements},
    [PRICED_AS_SCALING] = {COST_ELEMENTWISE, count_scaling},
    [PRICED_AS_TABLE] = {COST_TABLE, count_moves},
    [PRICED_AS_CONVOLUTION] = {COST_CONVOLUTION, count_products, .weights = 1,
                               .window = window_after_channels, .channels_first = true,
                               .strides = true, .sides = 2},
    [PRICED_AS_SCALED_CONVOLUTION] = {COST_CONVOLUTION, count_products, .weights = 3,
                                      .window = window_after_channels, .channels_first = true,
                                      .strides = true, .sides = 2},
    [PRICED_AS_TRANSPOSED_CONVOLUTION] = {COST_CONVOLUTION, count_products, .weights = 1,
                                          .channels_first = true},
    [PRICED_AS_TOSA_CONVOLUTION] = {COST_CONVOLUTION, count_products, .weights = 1,
                                    .window = window_between_channels, .strides = true, .sides = 1},
    [PRICED_AS_TOSA_DEPTHWISE] = {COST_DEPTHWISE, count_products, .weights = 1,
                                  .window = window_before_channels, .strides = true},
    [PRICED_AS_TOSA_TRANSPOSED] = {COST_CONVOLUTION, count_products, .weights = 1},
    [PRICED_AS_MATMUL] = {COST_MATMUL, count_products, .weights = 1,
                          .window = window_after_channels},
    [PRICED_AS_SCALED_MATMUL] = {COST_MATMUL, count_products, .weights = 3,
                                 .window = window_after_channels},
    [PRICED_AS_TOSA_MATMUL] = {COST_MATMUL, count_products, .weights = 1,
                               .window = window_between_channels},
    [PRICED_AS_RECURRENCE] = {COST_RECURRENT, count_steps},
    [PRICED_AS_POOLING] = {COST_POOLING, count_pooling},
    [PRICED_AS_REDUCTION] = {COST_REDUCTION, count_reduction},
    [PRICED_AS_NORMALIZATION] = {COST_REDUCTION, count_normalization},
    [PRICED_AS_CHANNEL_NORMALIZATION] = {COST_REDUCTION, count_channel_normalization},
    [PRICED_AS_TRAILING_NORMALIZATION] = {COST_REDUCTION, count_trailing_normalization},
    [PRICED_AS_MOVEMENT] = {COST_MOVEMENT, count_moves},
    [PRICED_AS_ROWS] = {COST_MOVEMENT, count_rows},
    [PRICED_AS_TRANSPOSE] = {COST_MOVEMENT, count_transpose},
    [PRICED_AS_VIEW] = {COST_MOVEMENT, count_view},
    [PRICED_AS_GATHER] = {COST_OTHER, count_gathered},
    [PRICED_AS_GATHERED_ROWS] = {COST_OTHER, count_gathered_rows},
    [PRICED_AS_TOSA_GATHER] = {COST_OTHER, count_tosa_rows},
    [PRICED_AS_TOSA_SCATTER] = {COST_OTHER, count_tosa_rows},
    [PRICED_AS_RESIZE] = {COST_OTHER, count_resize},
    [PRICED_AS_TOSA_RESIZE] = {COST_OTHER, count_tosa_resize},
    [PRICED_AS_BLOCKS] = {COST_MOVEMENT, count_blocks},
    [PRICED_AS_OTHER] = {COST_OTHER, count_moves},
};

static const struct price_rule *node_cost_rule_of(const struct network_node *node)
{
    return &RULES[node->definition->price];
}

bool node_cost_has_rule(enum operator_price price)
{
    return RULES[price].count != NULL;
}

// Whether each channel of a convolution with channels first is computed from one alone.
static bool has_group_per_channel(const struct network *network, const struct network_node *node)
{
    const int64_t groups = attribute_integer(node->attributes, "group", 1);
    const struct shape *shape = &network_value(network, node->inputs[0])->type.shape;
    return groups > 1 && shape->rank > 1 && groups == shape->dims[1];
}

enum cost_kind node_cost_kind(const struct network *network, const struct network_node *node)
{
    const struct price_rule *rule = node_cost_rule_of(node);
    return rule->channels_first && has_group_per_channel(network, node) ? COST_DEPTHWISE
                                                                        : rule->kind;
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
        .output_bits = (uint16_t)element_bits(node_cost_result_of(network, node)->type.element),
        .is_float = element_is_float(element),
        .groups = 1,
        .bytes = node->work.bytes_read + node->work.bytes_written,
        .run = 1,
    };
    node_cost_rule_of(node)->count(&request, network, node, output);
    return request;
}
