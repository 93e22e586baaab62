#include "region.h"

#include "region_lines.h"
#include "region_windows.h"

// A rule names the dimensions that may be cut, and finds the parts.
struct region_rule {
    bool (*find)(const struct region_request *request, struct region_answer *answer);
    uint32_t (*axes)(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST]);
    // What `find` looks up in `known`; NULL: nothing.
    void (*know)(const struct network *network, const struct network_node *node,
                 struct region_known *known);
};

static const struct shape *region_shape_of(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

static const struct shape *input_shape(const struct region_request *request, uint32_t index)
{
    return region_shape_of(request->network, request->node->inputs[index]);
}

void region_take_whole(const struct region_request *request, struct region_answer *answer)
{
    for (uint32_t i = 0; i < request->node->input_count; i++) {
        if (request->node->inputs[i] != NETWORK_NONE)
            plan_box_take_whole(&answer->inputs[i], input_shape(request, i));
    }
}

// Elementwise -----------------------------------------------------------------

// An input of length 1 serves all places of a dimension.
static void broadcast_box(const struct plan_box *output, const struct shape *shape,
                          struct plan_box *box)
{
    const uint32_t ahead = output->rank - shape->rank;
    box->rank = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const bool spread = shape->dims[i] == 1;
        box->from[i] = spread ? 0 : output->from[ahead + i];
        box->size[i] = spread ? 1 : output->size[ahead + i];
    }
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
        broadcast_box(request->output, shape, &answer->inputs[i]);
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
        broadcast_box(request->output, shape, &answer->inputs[i]);
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

// TOSA: windows ------------------------------------------------------------------

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
        const struct region_window window = {
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
        broadcast_box(out, input_shape(request, 2), &answer->inputs[2]);
    return true;
}

static const struct region_rule RULES[OPERATOR_TILINGS] = {
    [TILED_AS_ELEMENTS] = {find_elementwise, axes_all},
    [TILED_AS_FIRST] = {find_first, axes_all},
    [TILED_AS_FIRST_TWO] = {find_first_two, axes_all},
    [TILED_AS_QUANTIZE] = {find_quantize, axes_all},
    [TILED_AS_RESCALE] = {find_rescale, axes_all},
    [TILED_AS_CONV] = {region_windows_find_conv, region_windows_axes_conv,
                       region_windows_know_conv},
    [TILED_AS_POOL] = {region_windows_find_pool, axes_all, region_windows_know_pool},
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

void region_know(const struct network *network, const struct network_node *node,
                 struct region_known *out_known)
{
    const struct region_rule *rule = region_rule_of(node);
    uint32_t axes[SHAPE_RANK_MOST];
    *out_known = (struct region_known){.ready = true};
    const uint32_t count = rule != NULL ? rule->axes(network, node, axes) : 0;
    for (uint32_t i = 0; i < count; i++)
        out_known->axes |= UINT32_C(1) << axes[i];
    if (rule != NULL && rule->know != NULL)
        rule->know(network, node, out_known);
}

// Whether a part is cut along dimensions only that may be cut.
static bool is_cut_well(const struct region_request *request)
{
    const struct shape *shape = region_shape_of(request->network, request->node->outputs[0]);
    for (uint32_t d = 0; d < shape->rank; d++) {
        if ((request->known->axes >> d & 1) == 0 && request->output->size[d] != shape->dims[d])
            return false;
    }
    return true;
}

bool region_find(const struct region_request *request, struct region_answer *answer)
{
    const struct region_rule *rule = region_rule_of(request->node);
    answer->override.count = answer->groups.count = 0;
    return rule != NULL && is_cut_well(request) && rule->find(request, answer);
}

uint32_t region_apart_axis(const struct network *network, const struct network_node *node)
{
    const enum operator_tiling tiling = node->definition->tiling;
    if (tiling == TILED_AS_CONV && region_windows_are_apart(network, node))
        return 1;
    return tiling == TILED_AS_TOSA_DEPTHWISE ? 3 : SHAPE_RANK_MOST;
}

uint32_t region_axes(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST])
{
    const struct region_rule *rule = region_rule_of(node);
    return rule != NULL ? rule->axes(network, node, axes) : 0;
}
