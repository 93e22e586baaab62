#include "region_windows.h"

void region_window_range(const struct region_window *window, int64_t from, int64_t size,
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

struct region_integers region_integers_of(const struct network_node *node, const char *name)
{
    struct region_integers found = {0};
    found.count = attribute_integers(node->attributes, name, &found.items);
    return found;
}

int64_t region_item(struct region_integers integers, uint32_t index, int64_t fallback)
{
    return index < integers.count ? integers.items[index] : fallback;
}

static const struct shape *windows_shape(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

// What is known of a node ----------------------------------------------------------------

// Whether the last window ends where the padded input does: rounding up the number
// of windows then makes no difference.
static bool ends_at_border(const struct region_window *window)
{
    const int64_t reach = (window->kernel - 1) * window->dilation + 1;
    return (window->length + window->before + window->after - reach) % window->stride == 0;
}

// Attributes of a convolution or pooling in d spatial dimensions. False where the
// pads are not written down.
static bool onnx_windows(const struct network_node *node, const struct shape *shape,
                         const int64_t *kernel, struct region_window *windows)
{
    const uint32_t spatial = shape->rank - 2;
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
        windows[d] = (struct region_window){
            kernel[d],
            region_item(strides, d, 1),
            region_item(dilations, d, 1),
            region_item(pads, d, 0),
            region_item(pads, spatial + d, 0),
            shape->dims[2 + d],
        };
        if (up && !ends_at_border(&windows[d]))
            return false;
    }
    return true;
}

bool region_windows_are_apart(const struct network *network, const struct network_node *node)
{
    const struct shape *shape = windows_shape(network, node->inputs[0]);
    const int64_t groups = attribute_integer(node->attributes, "group", 1);
    return groups > 1 && shape->rank > 1 && groups == shape->dims[1] &&
           groups == windows_shape(network, node->inputs[1])->dims[0];
}

void region_windows_know_conv(const struct network *network, const struct network_node *node,
                              struct region_known *known)
{
    const struct shape *shape = windows_shape(network, node->inputs[0]);
    const struct shape *weight = windows_shape(network, node->inputs[1]);
    if (shape->rank < 3 || weight->rank != shape->rank)
        return;
    known->has_windows = true;
    known->pads_given = onnx_windows(node, shape, weight->dims + 2, known->windows);
    known->apart = region_windows_are_apart(network, node);
    known->grouped = attribute_integer(node->attributes, "group", 1) != 1;
}

void region_windows_know_pool(const struct network *network, const struct network_node *node,
                              struct region_known *known)
{
    const int64_t *kernel;
    const struct shape *shape = windows_shape(network, node->inputs[0]);
    if (shape->rank < 3 || node->output_count != 1 ||
        attribute_integers(node->attributes, "kernel_shape", &kernel) != shape->rank - 2)
        return;
    known->has_windows = true;
    known->pads_given = onnx_windows(node, shape, kernel, known->windows);
}

// Groups of channels stay together; one group may be cut into channels, and so may groups of one
// channel each.
uint32_t region_windows_axes_conv(const struct network *network, const struct network_node *node,
                                  uint32_t axes[SHAPE_RANK_MOST])
{
    const uint32_t rank = windows_shape(network, node->outputs[0])->rank;
    uint32_t count = 0;
    axes[count++] = 0;
    if (rank > 2)
        axes[count++] = 2;
    if (attribute_integer(node->attributes, "group", 1) == 1 ||
        region_windows_are_apart(network, node))
        axes[count++] = 1;
    for (uint32_t i = 3; i < rank; i++)
        axes[count++] = i;
    return count;
}

// Parts ----------------------------------------------------------------------------------

// Whether the part is one of images, or of channels, alone.
static bool has_all_windows(const struct region_request *request)
{
    const struct shape *shape = windows_shape(request->network, request->node->outputs[0]);
    for (uint32_t d = 2; d < shape->rank; d++) {
        if (request->output->size[d] != shape->dims[d])
            return false;
    }
    return true;
}

static bool cut_onnx_windows(const struct region_request *request, struct region_answer *answer)
{
    const struct region_known *known = request->known;
    const struct plan_box *out = request->output;
    struct plan_box *in = &answer->inputs[0];
    const uint32_t spatial = in->rank - 2;
    in->from[0] = out->from[0];
    in->size[0] = out->size[0];
    if (!known->pads_given)
        return has_all_windows(request); // as the attributes say
    answer->override.name = "pads";
    answer->override.count = 2 * spatial;
    for (uint32_t d = 0; d < spatial; d++) {
        region_window_range(&known->windows[d], out->from[2 + d], out->size[2 + d],
                            &in->from[2 + d], &in->size[2 + d], &answer->override.integers[d],
                            &answer->override.integers[spatial + d]);
        if (in->size[2 + d] == 0)
            return false;
    }
    return true;
}

// Input 0, its weights, and inputs that go with the output channels.
bool region_windows_find_conv(const struct region_request *request, struct region_answer *answer)
{
    const struct network_node *node = request->node;
    const struct region_known *known = request->known;
    if (!known->has_windows)
        return false;
    region_take_whole(request, answer);
    if (!cut_onnx_windows(request, answer))
        return false;
    if (!known->apart && known->grouped)
        return true;
    if (known->apart) {
        answer->inputs[0].from[1] = request->output->from[1];
        answer->inputs[0].size[1] = request->output->size[1];
        answer->groups = (struct plan_override){
            .name = "group", .count = 1, .integers = {request->output->size[1]}};
    }
    const int64_t channels = windows_shape(request->network, node->inputs[1])->dims[0];
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct shape *own = windows_shape(request->network, node->inputs[i]);
        if (own->rank == 0 || own->dims[0] != channels || (i != 1 && own->rank != 1))
            continue;
        answer->inputs[i].from[0] = request->output->from[1];
        answer->inputs[i].size[0] = request->output->size[1];
    }
    return true;
}

bool region_windows_find_pool(const struct region_request *request, struct region_answer *answer)
{
    if (!request->known->has_windows)
        return false;
    region_take_whole(request, answer);
    if (!cut_onnx_windows(request, answer))
        return false;
    answer->inputs[0].from[1] = request->output->from[1];
    answer->inputs[0].size[1] = request->output->size[1];
    return true;
}
