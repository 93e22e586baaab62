#include "window.h"

#include <inttypes.h>

#define LONGEST (INT64_C(1) << 31)

static status window_take_list(struct attributes attributes, const char *name, uint32_t count,
                               int64_t least, int64_t fallback, int64_t *out_items)
{
    for (uint32_t i = 0; i < count; i++)
        out_items[i] = fallback;
    const int64_t *items;
    const uint32_t given = attribute_integers(attributes, name, &items);
    if (given == 0)
        return STATUS_OK;
    if (given != count)
        return status_make(STATUS_DATA, "attribute %s has %" PRIu32 " items instead of %" PRIu32,
                           name, given, count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i] < least || items[i] > LONGEST)
            return status_make(STATUS_DATA, "attribute %s holds %" PRId64, name, items[i]);
        out_items[i] = items[i];
    }
    return STATUS_OK;
}

enum padding {
    PADDING_GIVEN,
    PADDING_SAME_UPPER,
    PADDING_SAME_LOWER,
    PADDING_NONE,
};

static status take_padding(struct attributes attributes, enum padding *out_padding)
{
    static const struct {
        const char *name;
        enum padding padding;
    } kinds[] = {{"NOTSET", PADDING_GIVEN},
                 {"", PADDING_GIVEN},
                 {"SAME_UPPER", PADDING_SAME_UPPER},
                 {"SAME_LOWER", PADDING_SAME_LOWER},
                 {"VALID", PADDING_NONE}};
    const struct view text = attribute_text(attributes, "auto_pad", "NOTSET");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (view_is(text, kinds[i].name)) {
            *out_padding = kinds[i].padding;
            return STATUS_OK;
        }
    return status_make(STATUS_DATA, "attribute auto_pad is '%.*s'", (int)text.size, text.data);
}

// SAME: as many outputs as steps fit the input, the padding shared out evenly.
static void pad_to_same(struct window *window, uint32_t d, bool lower)
{
    const int64_t extent = (window->kernel[d] - 1) * window->dilation[d] + 1;
    const int64_t stride = window->stride[d];
    window->output[d] = window->input[d] / stride + (window->input[d] % stride != 0);
    int64_t total = (window->output[d] - 1) * stride + extent - window->input[d];
    total = total < 0 ? 0 : total;
    window->pad[d] = lower ? total - total / 2 : total / 2;
    window->pad_end[d] = total - window->pad[d];
}

static status slide(struct window *window, uint32_t d, bool round_up)
{
    const int64_t extent = (window->kernel[d] - 1) * window->dilation[d] + 1;
    const int64_t stride = window->stride[d];
    const int64_t room = window->input[d] + window->pad[d] + window->pad_end[d] - extent;
    if (room < 0)
        return status_make(STATUS_DATA,
                           "a window of %" PRId64 " does not fit dimension %" PRIu32
                           " of length %" PRId64 " with its padding",
                           extent, d + 2, window->input[d]);
    window->output[d] = room / stride + 1;
    // The last window must not begin after the input.
    if (round_up && room % stride != 0 &&
        window->output[d] * stride < window->input[d] + window->pad[d])
        window->output[d]++;
    return STATUS_OK;
}

// All but the output, and the padding that follows from it.
static status take_window(struct attributes attributes, uint32_t spatial, const int64_t *input,
                          const int64_t *kernel, struct window *out_window,
                          enum padding *out_padding)
{
    struct window window = {.spatial = spatial};
    if (spatial > WINDOW_SPATIAL_MOST)
        return status_make(STATUS_LIMIT, "%" PRIu32 " spatial dimensions", spatial);
    int64_t pads[2 * WINDOW_SPATIAL_MOST];
    STATUS_TRY(window_take_list(attributes, "strides", spatial, 1, 1, window.stride));
    STATUS_TRY(window_take_list(attributes, "dilations", spatial, 1, 1, window.dilation));
    STATUS_TRY(window_take_list(attributes, "pads", 2 * spatial, 0, 0, pads));
    STATUS_TRY(take_padding(attributes, out_padding));
    for (uint32_t d = 0; d < spatial; d++) {
        window.input[d] = input[d];
        window.kernel[d] = kernel[d];
        window.pad[d] = *out_padding == PADDING_GIVEN ? pads[d] : 0;
        window.pad_end[d] = *out_padding == PADDING_GIVEN ? pads[spatial + d] : 0;
        window.output[d] = SHAPE_UNKNOWN;
        if (kernel[d] == 0 || kernel[d] > LONGEST || input[d] > INT64_MAX / 4)
            return status_make(STATUS_DATA, "a window of %" PRId64 " over %" PRId64, kernel[d],
                               input[d]);
    }
    *out_window = window;
    return STATUS_OK;
}

status window_resolve(struct attributes attributes, uint32_t spatial, const int64_t *input,
                      const int64_t *kernel, struct window *out_window)
{
    struct window window;
    enum padding padding = PADDING_GIVEN;
    STATUS_TRY(take_window(attributes, spatial, input, kernel, &window, &padding));
    const bool round_up = attribute_integer(attributes, "ceil_mode", 0) != 0;
    for (uint32_t d = 0; d < spatial; d++) {
        if (kernel[d] == SHAPE_UNKNOWN || input[d] == SHAPE_UNKNOWN)
            continue;
        if (padding == PADDING_SAME_UPPER || padding == PADDING_SAME_LOWER)
            pad_to_same(&window, d, padding == PADDING_SAME_LOWER);
        else
            STATUS_TRY(slide(&window, d, round_up));
    }
    *out_window = window;
    return STATUS_OK;
}

// Fits the output to a length that is wanted, by cutting off or adding zeros at the end.
static void cut_to(struct window *window, uint32_t d, int64_t whole, int64_t wanted, bool upper)
{
    const int64_t total = whole > wanted ? whole - wanted : 0;
    window->output[d] = wanted;
    window->pad[d] = upper ? total / 2 : total - total / 2;
    window->pad_end[d] = whole - wanted - window->pad[d];
}

status window_resolve_transposed(struct attributes attributes, uint32_t spatial,
                                 const int64_t *input, const int64_t *kernel,
                                 struct window *out_window)
{
    struct window window;
    enum padding padding = PADDING_GIVEN;
    STATUS_TRY(take_window(attributes, spatial, input, kernel, &window, &padding));
    int64_t added[WINDOW_SPATIAL_MOST];
    int64_t wanted[WINDOW_SPATIAL_MOST];
    STATUS_TRY(window_take_list(attributes, "output_padding", spatial, 0, 0, added));
    STATUS_TRY(window_take_list(attributes, "output_shape", spatial, 1, 0, wanted));
    for (uint32_t d = 0; d < spatial; d++) {
        if (kernel[d] == SHAPE_UNKNOWN || input[d] == SHAPE_UNKNOWN)
            continue;
        const int64_t stride = window.stride[d];
        if (input[d] < 1 || input[d] > LONGEST)
            return status_make(STATUS_DATA, "a transposed convolution over %" PRId64, input[d]);
        const int64_t whole =
            (input[d] - 1) * stride + added[d] + (window.kernel[d] - 1) * window.dilation[d] + 1;
        const bool same = padding == PADDING_SAME_UPPER || padding == PADDING_SAME_LOWER;
        if (wanted[d] > 0 || same) {
            cut_to(&window, d, whole, wanted[d] > 0 ? wanted[d] : input[d] * stride,
                   padding == PADDING_SAME_UPPER);
        } else {
            window.output[d] = whole - window.pad[d] - window.pad_end[d];
            window.pad_end[d] -= added[d];
        }
        if (window.output[d] < 1)
            return status_make(STATUS_DATA, "pads leave nothing of dimension %" PRIu32, d + 2);
    }
    *out_window = window;
    return STATUS_OK;
}
