#include "region.h"

#include "region_lines.h"

// A rule names the dimensions that may be cut, and finds the parts.
struct region_rule {
    bool (*find)(const struct region_request *request, struct region_answer *answer);
    uint32_t (*axes)(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST]);
};

static const struct shape *region_shape_of(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

static const struct shape *input_shape(const struct region_request *request, uint32_t index)
{
    return region_shape_of(request->network, request->node->inputs[index]);
}

static void region_take_whole(const struct region_request *request, struct region_answer *answer)
{
    for (uint32_t i = 0; i < request->node->input_count; i++) {
        if (request->node->inputs[i] != NETWORK_NONE)
            answer->inputs[i] = plan_box_whole(input_shape(request, i));
    }
}

// Elementwise -----------------------------------------------------------------

// An input of length 1 serves all places of a dimension.
static struct plan_box broadcast_box(const struct plan_box *output, const struct shape *shape)
{
    struct plan_box box = {.rank = shape->rank};
    const uint32_t ahead = output->rank - shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const bool spread = shape->dims[i] == 1;
        box.from[i] = spread ? 0 : output->from[ahead + i];
        box.size[i] = spread ? 1 : output->size[ahead + i];
    }
    return box;
}

static bool find_elementwise(const struct region_request *request, struct region_answer *answer)
{
    const struct shape *output = region_shape_of(request->network, request->node->outputs[0]);
    // Operators of old lay their operands over one another by rules of their own.
    const bool old = request->node->domain.size == 0 && request->node->version < 7;
    for (uint32_t i = 0; i < request->node->input_count; i++) {
        if (request->node->inputs[i] == NETWORK_NONE)
            continue;
        const struct shape *shape = input_shape(request, i);
        if (shape->rank > request->output->rank || (old && !shape_equal(shape, output)))
            return false;
        answer->inputs[i] = broadcast_box(request->output, shape);
    }
    return true;
}

static uint32_t axes_all(const struct network *network, const struct network_node *node,
                         uint32_t axes[SHAPE_RANK_MOST])
{
    const uint32_t rank = region_shape_of(network, node->outputs[0])->rank;
    for (uint32_t i = 0; i < rank; i++)
        axes[i] = i;
    return rank;
}

// The first `inputs` inputs are data, the others parameters that every tile has
// as they are.
static bool find_leading(const struct region_request *request, struct region_answer *answer,
                         uint32_t inputs)
{
    region_take_whole(request, answer);
    for (uint32_t i = 0; i < inputs; i++) {
        const struct shape *shape = input_shape(request, i);
        if (shape->rank > request->output->rank)
            return false;
        answer->inputs[i] = broadcast_box(request->output, shape);
    }
    return true;
}

static bool find_first(const struct region_request *request, struct region_answer *answer)
{
    return find_leading(request, answer, 1);
}

static bool find_first_two(const struct region_request *request, struct region_answer *answer)
{
    return find_leading(request, answer, 2);
}

// A rescale for each channel has as many multipliers as the last dimension.
static bool find_rescale(const struct region_request *request, struct region_answer *answer)
{
    if (!find_first(request, answer))
        return false;
    if (attribute_integer(request->node->attributes, "per_channel", 0) == 0)
        return true;
    const uint32_t last = request->output->rank - 1;
    for (uint32_t i = 1; i <= 2; i++) {
        if (input_shape(request, i)->rank != 1 || request->output->rank == 0)
            return false;
        if (input_shape(request, i)->dims[0] == 1)
            continue;
        answer->inputs[i].from[0] = request->output->from[last];
        answer->inputs[i].size[0] = request->output->size[last];
    }
    return true;
}

// A scale and a zero point for all, or for each place along an axis.
static bool find_quantize(const struct region_request *request, struct region_answer *answer)
{
    uint32_t axis;
    if (!find_first(request, answer) ||
        attribute_integer(request->node->attributes, "block_size", 0) != 0)
        return false;
    const status failure = shape_axis(attribute_integer(request->node->attributes, "axis", 1),
                                      request->output->rank, &axis);
    const bool has_axis = failure == STATUS_OK;
    status_free(failure);
    for (uint32_t i = 1; i < request->node->input_count; i++) {
        if (request->node->inputs[i] == NETWORK_NONE || shape_count(input_shape(request, i)) == 1)
            continue;
        if (!has_axis || input_shape(request, i)->rank != 1)
            return false;
        answer->inputs[i].from[0] = request->output->from[axis];
        answer->inputs[i].size[0] = request->output->size[axis];
    }
    return true;
}

// Windows: convolutions and poolings --------------------------------------------

struct window {
    int64_t kernel, stride, dilation, before, after, length;
};

// The inputs of outputs [from, from + size), and the padding that is left.
static void region_window_range(const struct window *window, int64_t from, int64_t size,
                                int64_t *out_from, int64_t *out_size, int64_t *out_before,
                                int64_t *out_after)
{
    const int64_t reach = (window->kernel - 1) * window->dilation + 1;
    const int64_t first = from * window->stride - window->before;
    const int64_t end = (from + size - 1) * window->stride - window->before + reach;
    const int64_t lowest = first > 0 ? first : 0;
    const int64_t highest = end < window->length ? end : window->length;
    *out_from = lowest < window->length ? lowest : window->length;
    *out_size = highest > *out_from ? highest - *out_from : 0;
    *out_before = first < 0 ? -first : 0;
    *out_after = end > window->length ? end - window->length : 0;
}

struct region_integers {
    const int64_t *items;
    uint32_t count;
};

static struct region_integers region_integers_of(const struct network_node *node, const char *name)
{
    struct region_integers found = {0};
    found.count = attribute_integers(node->attributes, name, &found.items);
    return found;
}

static int64_t region_item(struct region_integers integers, uint32_t index, int64_t fallback)
{
    return index < integers.count ? integers.items[index] : fallback;
}

// TOSA pads top, bottom, left, right; data lies as batch, height, width, channels.
static bool cut_tosa_window(const struct region_request *request, struct region_answer *answer,
                            int64_t kernel_height, int64_t kernel_width)
{
    const struct network_node *node = request->node;
    const struct shape *shape = input_shape(request, 0);
    const struct plan_box *out = request->output;
    struct plan_box *in = &answer->inputs[0];
    *in = plan_box_whole(shape);
    in->from[0] = out->from[0];
    in->size[0] = out->size[0];
    const struct region_integers strides = region_integers_of(node, "stride");
    const struct region_integers dilations = region_integers_of(node, "dilation");
    const struct region_integers pads = region_integers_of(node, "pad");
    answer->override = (struct plan_override){.name = "pad", .count = 4};
    for (uint32_t d = 0; d < 2; d++) {
        const struct window window = {
            d == 0 ? kernel_height : kernel_width, region_item(strides, d, 1),
            region_item(dilations, d, 1),          region_item(pads, 2 * d, 0),
            region_item(pads, 2 * d + 1, 0),       shape->dims[1 + d],
        };
        region_window_range(&window, out->from[1 + d], out->size[1 + d], &in->from[1 + d],
                            &in->size[1 + d], &answer->override.integers[2 * d],
                            &answer->override.integers[2 * d + 1]);
        if (in->size[1 + d] == 0)
            return false; // nothing but padding: left to the whole
    }
    return true;
}

// Inputs that hold one item for each output channel, or one for all.
static void cut_channels(const struct region_request *request, struct region_answer *answer,
                         uint32_t index, uint32_t axis)
{
    const uint32_t channel = request->output->rank - 1;
    if (input_shape(request, index)->dims[axis] == 1)
        return;
    answer->inputs[index].from[axis] = request->output->from[channel];
    answer->inputs[index].size[axis] = request->output->size[channel];
}

static bool find_tosa_conv2d(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct shape *weight = input_shape(request, 1);
    if (!cut_tosa_window(request, answer, weight->dims[1], weight->dims[2]))
        return false;
    answer->inputs[1].from[0] = request->output->from[3];
    answer->inputs[1].size[0] = request->output->size[3];
    cut_channels(request, answer, 2, 0);
    return true;
}

static bool find_tosa_depthwise(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct shape *weight = input_shape(request, 1);
    if (!cut_tosa_window(request, answer, weight->dims[0], weight->dims[1]))
        return false;
    if (weight->dims[3] != 1)
        return true;
    answer->inputs[0].from[3] = answer->inputs[1].from[2] = request->output->from[3];
    answer->inputs[0].size[3] = answer->inputs[1].size[2] = request->output->size[3];
    cut_channels(request, answer, 2, 0);
    return true;
}

static bool find_tosa_pool(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct region_integers kernel = region_integers_of(request->node, "kernel");
    if (!cut_tosa_window(request, answer, region_item(kernel, 0, 1), region_item(kernel, 1, 1)))
        return false;
    answer->inputs[0].from[3] = request->output->from[3];
    answer->inputs[0].size[3] = request->output->size[3];
    return true;
}

// Rows first: they lie together. Channels last: weights are loaded again.
static uint32_t axes_tosa_conv2d(const struct network *network, const struct network_node *node,
                                 uint32_t axes[SHAPE_RANK_MOST])
{
    (void)network;
    (void)node;
    memcpy(axes, (const uint32_t[]){0, 1, 3, 2}, 4 * sizeof *axes);
    return 4;
}

// Channels that give one each may be cut.
static uint32_t axes_tosa_depthwise(const struct network *network, const struct network_node *node,
                                    uint32_t axes[SHAPE_RANK_MOST])
{
    const struct shape *weight = region_shape_of(network, node->inputs[1]);
    const bool apart = weight->rank == 4 && weight->dims[3] == 1;
    memcpy(axes, apart ? (uint32_t[]){0, 1, 3, 2} : (uint32_t[]){0, 1, 2, 2}, 4 * sizeof *axes);
    return apart ? 4 : 3;
}

// Matrix products ----------------------------------------------------------------

// [N, H, C] x [N, C, W]
static bool find_tosa_matmul(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct plan_box *out = request->output;
    for (uint32_t i = 0; i < 2; i++) {
        const bool one = input_shape(request, i)->dims[0] == 1;
        answer->inputs[i].from[0] = one ? 0 : out->from[0];
        answer->inputs[i].size[0] = one ? 1 : out->size[0];
    }
    answer->inputs[0].from[1] = out->from[1];
    answer->inputs[0].size[1] = out->size[1];
    answer->inputs[1].from[2] = out->from[2];
    answer->inputs[1].size[2] = out->size[2];
    return true;
}

// [N, C] x [O, C]
static bool find_tosa_fully_connected(const struct region_request *request,
                                      struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct plan_box *out = request->output;
    answer->inputs[0].from[0] = out->from[0];
    answer->inputs[0].size[0] = out->size[0];
    answer->inputs[1].from[0] = out->from[1];
    answer->inputs[1].size[0] = out->size[1];
    cut_channels(request, answer, 2, 0);
    return true;
}

// Along dimensions that nothing is added to.
static bool find_tosa_pad(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    const struct shape *shape = input_shape(request, 0);
    const struct shape *padded = region_shape_of(request->network, request->node->outputs[0]);
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != padded->dims[i])
            continue;
        answer->inputs[0].from[i] = request->output->from[i];
        answer->inputs[0].size[i] = request->output->size[i];
    }
    return true;
}

static uint32_t axes_tosa_pad(const struct network *network, const struct network_node *node,
                              uint32_t axes[SHAPE_RANK_MOST])
{
    const struct shape *shape = region_shape_of(network, node->inputs[0]);
    const struct shape *padded = region_shape_of(network, node->outputs[0]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == padded->dims[i])
            axes[count++] = i;
    }
    return count;
}

static bool find_transpose(const struct region_request *request, struct region_answer *answer)
{
    const int64_t *order;
    const uint32_t rank = input_shape(request, 0)->rank;
    uint32_t count = attribute_integers(request->node->attributes, "perms", &order);
    if (count == 0)
        count = attribute_integers(request->node->attributes, "perm", &order);
    if (rank == 0 || (count != 0 && count != rank))
        return false;
    answer->inputs[0] = plan_box_whole(input_shape(request, 0));
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t from = count == 0 ? rank - 1 - i : (uint32_t)order[i];
        answer->inputs[0].from[from] = request->output->from[i];
        answer->inputs[0].size[from] = request->output->size[i];
    }
    return true;
}

// ONNX: channels after the batch -----------------------------------------------------

// Whether the last window ends where the padded input does: rounding up the number
// of windows then makes no difference.
static bool ends_at_border(const struct window *window)
{
    const int64_t reach = (window->kernel - 1) * window->dilation + 1;
    return (window->length + window->before + window->after - reach) % window->stride == 0;
}

// Attributes of a convolution or pooling in d spatial dimensions. False where the
// pads are not written down.
static bool onnx_windows(const struct region_request *request, uint32_t spatial,
                         const int64_t *kernel, struct window *windows)
{
    const struct network_node *node = request->node;
    const struct view automatic = attribute_text(node->attributes, "auto_pad", "NOTSET");
    if (!view_is(automatic, "NOTSET") && !view_is(automatic, "VALID"))
        return false;
    const bool up = attribute_integer(node->attributes, "ceil_mode", 0) != 0;
    const struct region_integers strides = region_integers_of(node, "strides");
    const struct region_integers dilations = region_integers_of(node, "dilations");
    struct region_integers pads = {0}; // of VALID there are none, whatever they say
    if (!view_is(automatic, "VALID"))
        pads = region_integers_of(node, "pads");
    for (uint32_t d = 0; d < spatial; d++) {
        windows[d] = (struct window){
            kernel[d],
            region_item(strides, d, 1),
            region_item(dilations, d, 1),
            region_item(pads, d, 0),
            region_item(pads, spatial + d, 0),
            input_shape(request, 0)->dims[2 + d],
        };
        if (up && !ends_at_border(&windows[d]))
            return false;
    }
    return true;
}

// Whether the part is one of images, or of channels, alone.
static bool has_all_windows(const struct region_request *request)
{
    const struct shape *shape = region_shape_of(request->network, request->node->outputs[0]);
    for (uint32_t d = 2; d < shape->rank; d++) {
        if (request->output->size[d] != shape->dims[d])
            return false;
    }
    return true;
}

static bool cut_onnx_windows(const struct region_request *request, struct region_answer *answer,
                             const int64_t *kernel)
{
    const struct shape *shape = input_shape(request, 0);
    const struct plan_box *out = request->output;
    struct window windows[SHAPE_RANK_MOST];
    if (shape->rank < 3)
        return false;
    const uint32_t spatial = shape->rank - 2;
    struct plan_box *in = &answer->inputs[0];
    in->from[0] = out->from[0];
    in->size[0] = out->size[0];
    if (!onnx_windows(request, spatial, kernel, windows))
        return has_all_windows(request); // as the attributes say
    answer->override = (struct plan_override){.name = "pads", .count = 2 * spatial};
    for (uint32_t d = 0; d < spatial; d++) {
        region_window_range(&windows[d], out->from[2 + d], out->size[2 + d], &in->from[2 + d],
                            &in->size[2 + d], &answer->override.integers[d],
                            &answer->override.integers[spatial + d]);
        if (in->size[2 + d] == 0)
            return false;
    }
    return true;
}

// Whether each channel is computed from one alone, that of its number.
static bool is_onnx_apart(const struct network *network, const struct network_node *node,
                          uint32_t weight)
{
    const struct shape *shape = region_shape_of(network, node->inputs[0]);
    const int64_t groups = attribute_integer(node->attributes, "group", 1);
    return groups > 1 && shape->rank > 1 && groups == shape->dims[1] &&
           groups == region_shape_of(network, node->inputs[weight])->dims[0];
}

// Input 0 and its weights (`weight` their index), and inputs that go with the
// output channels.
static bool find_onnx_convolution(const struct region_request *request,
                                  struct region_answer *answer, uint32_t weight)
{
    region_take_whole(request, answer);
    const struct network_node *node = request->node;
    const struct shape *shape = input_shape(request, weight);
    if (shape->rank != input_shape(request, 0)->rank ||
        !cut_onnx_windows(request, answer, shape->dims + 2))
        return false;
    const bool apart = is_onnx_apart(request->network, node, weight);
    if (!apart && attribute_integer(node->attributes, "group", 1) != 1)
        return true;
    if (apart) {
        answer->inputs[0].from[1] = request->output->from[1];
        answer->inputs[0].size[1] = request->output->size[1];
        answer->groups = (struct plan_override){
            .name = "group", .count = 1, .integers = {request->output->size[1]}};
    }
    for (uint32_t i = weight; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct shape *own = input_shape(request, i);
        if (own->rank == 0 || own->dims[0] != shape->dims[0] || (i != weight && own->rank != 1))
            continue;
        answer->inputs[i].from[0] = request->output->from[1];
        answer->inputs[i].size[0] = request->output->size[1];
    }
    return true;
}

static bool find_onnx_conv(const struct region_request *request, struct region_answer *answer)
{
    return find_onnx_convolution(request, answer, 1);
}

static bool find_onnx_pool(const struct region_request *request, struct region_answer *answer)
{
    const int64_t *kernel;
    region_take_whole(request, answer);
    const uint32_t rank = input_shape(request, 0)->rank;
    if (rank < 3 || request->node->output_count != 1 ||
        attribute_integers(request->node->attributes, "kernel_shape", &kernel) != rank - 2 ||
        !cut_onnx_windows(request, answer, kernel))
        return false;
    answer->inputs[0].from[1] = request->output->from[1];
    answer->inputs[0].size[1] = request->output->size[1];
    return true;
}

// All of every channel.
static bool find_onnx_global_pool(const struct region_request *request,
                                  struct region_answer *answer)
{
    region_take_whole(request, answer);
    if (input_shape(request, 0)->rank < 3)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        answer->inputs[0].from[i] = request->output->from[i];
        answer->inputs[0].size[i] = request->output->size[i];
    }
    return true;
}

static uint32_t axes_first_two(const struct network *network, const struct network_node *node,
                               uint32_t axes[SHAPE_RANK_MOST])
{
    (void)network;
    (void)node;
    axes[0] = 0;
    axes[1] = 1;
    return 2;
}

// Groups of channels stay together; one group may be cut into channels, and so may groups of one
// channel each.
static uint32_t axes_onnx_conv(const struct network *network, const struct network_node *node,
                               uint32_t axes[SHAPE_RANK_MOST])
{
    const uint32_t rank = region_shape_of(network, node->outputs[0])->rank;
    uint32_t count = 0;
    axes[count++] = 0;
    if (rank > 2)
        axes[count++] = 2;
    if (attribute_integer(node->attributes, "group", 1) == 1 || is_onnx_apart(network, node, 1))
        axes[count++] = 1;
    for (uint32_t i = 3; i < rank; i++)
        axes[count++] = i;
    return count;
}

// numpy's rules, both at least matrices.
static bool find_onnx_matmul(const struct region_request *request, struct region_answer *answer)
{
    const struct shape *a = input_shape(request, 0);
    const struct shape *b = input_shape(request, 1);
    const struct plan_box *out = request->output;
    if (a->rank < 2 || b->rank < 2)
        return false;
    region_take_whole(request, answer);
    const struct shape *shapes[2] = {a, b};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t ahead = out->rank - shapes[i]->rank;
        for (uint32_t d = 0; d + 2 < shapes[i]->rank; d++) {
            const bool one = shapes[i]->dims[d] == 1;
            answer->inputs[i].from[d] = one ? 0 : out->from[ahead + d];
            answer->inputs[i].size[d] = one ? 1 : out->size[ahead + d];
        }
    }
    answer->inputs[0].from[a->rank - 2] = out->from[out->rank - 2];
    answer->inputs[0].size[a->rank - 2] = out->size[out->rank - 2];
    answer->inputs[1].from[b->rank - 1] = out->from[out->rank - 1];
    answer->inputs[1].size[b->rank - 1] = out->size[out->rank - 1];
    return true;
}

static bool find_onnx_gemm(const struct region_request *request, struct region_answer *answer)
{
    const struct network_node *node = request->node;
    const struct plan_box *out = request->output;
    if (node->version < 7)
        return false;
    region_take_whole(request, answer);
    const uint32_t row = attribute_integer(node->attributes, "transA", 0) != 0 ? 1 : 0;
    const uint32_t column = attribute_integer(node->attributes, "transB", 0) != 0 ? 0 : 1;
    answer->inputs[0].from[row] = out->from[0];
    answer->inputs[0].size[row] = out->size[0];
    answer->inputs[1].from[column] = out->from[1];
    answer->inputs[1].size[column] = out->size[1];
    if (node->input_count > 2 && node->inputs[2] != NETWORK_NONE)
        answer->inputs[2] = broadcast_box(out, input_shape(request, 2));
    return true;
}

static const struct region_rule RULES[OPERATOR_TILINGS] = {
    [TILED_AS_ELEMENTS] = {find_elementwise, axes_all},
    [TILED_AS_FIRST] = {find_first, axes_all},
    [TILED_AS_FIRST_TWO] = {find_first_two, axes_all},
    [TILED_AS_QUANTIZE] = {find_quantize, axes_all},
    [TILED_AS_RESCALE] = {find_rescale, axes_all},
    [TILED_AS_CONV] = {find_onnx_conv, axes_onnx_conv},
    [TILED_AS_POOL] = {find_onnx_pool, axes_all},
    [TILED_AS_GLOBAL_POOL] = {find_onnx_global_pool, axes_first_two},
    [TILED_AS_MATMUL] = {find_onnx_matmul, axes_all},
    [TILED_AS_GEMM] = {find_onnx_gemm, axes_all},
    [TILED_AS_TRANSPOSE] = {find_transpose, axes_all},
    [TILED_AS_CONCAT] = {region_lines_find_concat, region_lines_axes_but_one},
    [TILED_ALONG_AXIS] = {region_lines_find_along, region_lines_axes_but_one},
    [TILED_WITHOUT_AXIS] = {region_lines_find_without, axes_all},
    [TILED_BUT_AXIS] = {region_lines_find, region_lines_axes},
    [TILED_UP_TO_AXIS] = {region_lines_find, region_lines_axes},
    [TILED_BY_CHANNELS] = {region_lines_find_channels, region_lines_axes_channels},
    [TILED_AS_TOSA_CONV2D] = {find_tosa_conv2d, axes_tosa_conv2d},
    [TILED_AS_TOSA_DEPTHWISE] = {find_tosa_depthwise, axes_tosa_depthwise},
    [TILED_AS_TOSA_POOL] = {find_tosa_pool, axes_tosa_conv2d},
    [TILED_AS_TOSA_MATMUL] = {find_tosa_matmul, axes_all},
    [TILED_AS_FULLY_CONNECTED] = {find_tosa_fully_connected, axes_all},
    [TILED_AS_TOSA_PAD] = {find_tosa_pad, axes_tosa_pad},
};

// NULL when the node can only be computed as a whole.
static const struct region_rule *region_rule_of(const struct network_node *node)
{
    const enum operator_tiling tiling = node->definition->tiling;
    const bool several = tiling == TILED_AS_ELEMENTS && node->output_count != 1;
    return RULES[tiling].find != NULL && !several ? &RULES[tiling] : NULL;
}

bool region_has_rule(enum operator_tiling tiling)
{
    return RULES[tiling].find != NULL;
}

// Whether a part is cut along dimensions only that may be cut.
static bool is_cut_well(const struct region_request *request, const struct region_rule *rule)
{
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = rule->axes(request->network, request->node, axes);
    const struct shape *shape = region_shape_of(request->network, request->node->outputs[0]);
    for (uint32_t d = 0; d < shape->rank; d++) {
        uint32_t i = 0;
        while (i < count && axes[i] != d)
            i++;
        if (i == count && request->output->size[d] != shape->dims[d])
            return false;
    }
    return true;
}

bool region_find(const struct region_request *request, struct region_answer *answer)
{
    const struct region_rule *rule = region_rule_of(request->node);
    answer->override.count = answer->groups.count = 0;
    return rule != NULL && is_cut_well(request, rule) && rule->find(request, answer);
}

uint32_t region_apart_axis(const struct network *network, const struct network_node *node)
{
    const enum operator_tiling tiling = node->definition->tiling;
    if (tiling == TILED_AS_CONV && is_onnx_apart(network, node, 1))
        return 1;
    return tiling == TILED_AS_TOSA_DEPTHWISE ? 3 : SHAPE_RANK_MOST;
}

uint32_t region_axes(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST])
{
    const struct region_rule *rule = region_rule_of(node);
    return rule != NULL ? rule->axes(network, node, axes) : 0;
}
