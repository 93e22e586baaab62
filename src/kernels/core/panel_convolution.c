#include "panel_convolution.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "panels.h"

struct panel_convolution {
    uint64_t inputs, outputs;
    uint64_t kernel[2], strides[2];
    uint64_t down;             // rows between those of a window
    uint64_t width, width_out; // pixels of a row
    uint64_t left, padded;     // padding in front of a row, and pixels with all of it
    float *panels;
    float *bias; // NULL: none
    bool clips;
    float lowest, highest;
};

bool panel_convolution_suits(const struct convolution *c)
{
    return panels_are_fast() && c->spatial == 2 && c->groups == 1 &&
           (c->dilations[1] == 1 || c->kernel[1] == 1);
}

static uint64_t depth_of(const struct panel_convolution *own)
{
    return own->inputs * own->kernel[0] * own->kernel[1];
}

// Panels whose depth goes by row of the window, pixel and channel; a line of a panel is
// written at a time.
static void pack_panel(const struct convolution *c, const float *const filters[PANELS_WIDTH],
                       const float scales[PANELS_WIDTH], uint64_t width, float *panel)
{
    const uint64_t taps = (uint64_t)(c->kernel[0] * c->kernel[1]), inputs = (uint64_t)c->inputs;
    for (uint64_t channel = 0; channel < inputs; channel++) {
        for (uint64_t tap = 0; tap < taps; tap++) {
            float *line = panel + (tap * inputs + channel) * PANELS_WIDTH;
            for (uint64_t i = 0; i < width; i++)
                line[i] = filters[i][channel * taps + tap] * scales[i];
            for (uint64_t i = width; i < PANELS_WIDTH; i++)
                line[i] = 0;
        }
    }
}

static bool panel_convolution_pack(const struct panel_convolution_plan *plan,
                                   struct panel_convolution *own)
{
    const uint64_t depth = depth_of(own);
    own->panels = blocks_take(plan->blocks, panels_size(own->outputs, depth) * sizeof(float));
    if (own->panels == NULL)
        return false;
    for (uint64_t first = 0; first < own->outputs; first += PANELS_WIDTH) {
        const uint64_t left = own->outputs - first;
        const uint64_t width = left < PANELS_WIDTH ? left : PANELS_WIDTH;
        const float *filters[PANELS_WIDTH] = {NULL};
        float scales[PANELS_WIDTH];
        for (uint64_t i = 0; i < width; i++) {
            const uint64_t filter = (uint64_t)plan->from + first + i;
            filters[i] = plan->weights + filter * depth;
            scales[i] = plan->scales != NULL ? plan->scales[filter] : 1;
        }
        pack_panel(plan->convolution, filters, scales, width, own->panels + first * depth);
    }
    return true;
}

struct panel_convolution *panel_convolution_create(const struct panel_convolution_plan *plan)
{
    const struct convolution *c = plan->convolution;
    struct panel_convolution *own = memory_allocate_zeroed(1, sizeof *own);
    own->inputs = (uint64_t)c->inputs;
    own->outputs = (uint64_t)(plan->to - plan->from);
    for (int d = 0; d < 2; d++) {
        own->kernel[d] = (uint64_t)c->kernel[d];
        own->strides[d] = (uint64_t)c->strides[d];
    }
    own->down = (uint64_t)c->dilations[0];
    own->width = (uint64_t)c->input[1];
    own->width_out = (uint64_t)c->output[1];
    own->left = (uint64_t)c->pads[1];
    // What the last window sees, if not all of the row.
    const uint64_t seen = (own->width_out - 1) * own->strides[1] + own->kernel[1];
    own->padded = seen > own->left + own->width ? seen : own->left + own->width;
    own->clips = plan->clips;
    own->lowest = plan->lowest;
    own->highest = plan->highest;
    if (plan->bias != NULL) {
        own->bias = memory_allocate_zeroed(panels_size(own->outputs, 1), sizeof *own->bias);
        memcpy(own->bias, plan->bias + plan->from, own->outputs * sizeof *own->bias);
    }
    if (panel_convolution_pack(plan, own))
        return own;
    panel_convolution_free(own);
    return NULL;
}

void panel_convolution_free(struct panel_convolution *own)
{
    if (own == NULL)
        return;
    free(own->bias);
    free(own);
}

// Columns of the output whose windows lie within the rows: [from, to).
struct inner {
    uint64_t from, to;
};

static struct inner inner_columns(const struct panel_convolution *own)
{
    const uint64_t step = own->strides[1];
    struct inner inner = {(own->left + step - 1) / step, own->width_out};
    while (inner.to > inner.from && (inner.to - 1) * step + own->kernel[1] > own->left + own->width)
        inner.to--;
    return inner;
}

// Whether it is the windows at the sides that are copied, not all of the rows.
static bool copies_windows(const struct panel_convolution *own)
{
    const struct inner inner = inner_columns(own);
    const uint64_t sides = own->width_out - (inner.to - inner.from);
    return inner.from < inner.to && sides > 0 &&
           2 * sides * own->kernel[0] * own->kernel[1] < own->strides[0] * own->width;
}

size_t panel_convolution_room(const struct panel_convolution *own,
                              const struct panel_convolution_rows *rows)
{
    if (copies_windows(own))
        return (size_t)rows->out * depth_of(own) * sizeof(float);
    if (own->padded == own->width && rows->before == 0 && rows->after == 0)
        return 0;
    return (size_t)(rows->before + rows->in + rows->after) * own->padded * own->inputs *
           sizeof(float);
}

// The rows with zeros around them.
static void surround(const struct panel_convolution *own, const struct panel_convolution_rows *rows,
                     const float *source, float *padded)
{
    const uint64_t row = own->padded * own->inputs, inner = own->width * own->inputs;
    const uint64_t front = own->left * own->inputs;
    memset(padded, 0, (size_t)rows->before * row * sizeof *padded);
    padded += (uint64_t)rows->before * row;
    for (int64_t y = 0; y < rows->in; y++, padded += row, source += inner) {
        memset(padded, 0, front * sizeof *padded);
        memcpy(padded + front, source, inner * sizeof *padded);
        memset(padded + front + inner, 0, (row - front - inner) * sizeof *padded);
    }
    memset(padded, 0, (size_t)rows->after * row * sizeof *padded);
}

static struct panels_product panel_convolution_product_of(const struct panel_convolution *own,
                                                          uint64_t row, uint64_t step)
{
    return (struct panels_product){
        .panels = own->panels,
        .rows = own->outputs,
        .depth = depth_of(own),
        .x_stride = own->strides[1] * own->inputs,
        .y_stride = step,
        .parts = own->kernel[0],
        .part_step = own->down * row,
        .part_depth = own->kernel[1] * own->inputs,
        .bias = own->bias,
        .clips = own->clips,
        .lowest = own->lowest,
        .highest = own->highest,
    };
}

// `source` has all the rows and pixels that the windows see.
static void run_padded(const struct panel_convolution *own,
                       const struct panel_convolution_rows *rows, const float *source, float *made,
                       uint64_t step)
{
    const uint64_t row = own->padded * own->inputs;
    const struct panels_product product = panel_convolution_product_of(own, row, step);
    // Rows of the output whose vectors lie at one distance are one long row.
    const bool joined =
        own->kernel[0] == 1 && own->strides[0] == 1 && own->width_out * product.x_stride == row;
    const uint64_t together = joined ? (uint64_t)rows->out : 1;
    for (uint64_t y = 0; y < (uint64_t)rows->out; y += together)
        panels_multiply(&product, source + y * own->strides[0] * row, together * own->width_out,
                        made + y * own->width_out * step);
}

// Row `tap` of the windows of row `y` of the output, among the rows of the input; false: padding.
static bool find_row(const struct panel_convolution *own, const struct panel_convolution_rows *rows,
                     uint64_t y, uint64_t tap, uint64_t *out_row)
{
    const int64_t row = (int64_t)(y * own->strides[0] + tap * own->down) - rows->before;
    *out_row = (uint64_t)row;
    return row >= 0 && row < rows->in;
}

static void run_inner(const struct panel_convolution *own,
                      const struct panel_convolution_rows *rows, const float *source, float *made,
                      uint64_t step)
{
    const struct inner inner = inner_columns(own);
    const uint64_t row = own->width * own->inputs;
    const uint64_t start = (inner.from * own->strides[1] - own->left) * own->inputs;
    struct panels_product product = panel_convolution_product_of(own, row, step);
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        uint64_t first = 0, last = own->kernel[0], from = 0, to;
        while (first < last && !find_row(own, rows, y, first, &from))
            first++;
        while (first < last && !find_row(own, rows, y, last - 1, &to))
            last--;
        product.parts = last - first;
        product.skip = first * product.part_depth;
        if (first == last) { // nothing but padding
            product.parts = 1;
            product.part_depth = 0;
        }
        panels_multiply(&product, source + from * row + start, inner.to - inner.from,
                        made + (y * own->width_out + inner.from) * step);
        product.part_depth = own->kernel[1] * own->inputs;
    }
}

// One column of the output: its windows are copied, with zeros where they see padding.
static void run_column(const struct panel_convolution *own,
                       const struct panel_convolution_rows *rows, const float *source,
                       uint64_t column, float *windows, float *made, uint64_t step)
{
    const uint64_t depth = depth_of(own), part = own->kernel[1] * own->inputs;
    const uint64_t start = column * own->strides[1]; // counted from the padding on
    const uint64_t from = start > own->left ? start - own->left : 0;
    const uint64_t end =
        start + own->kernel[1] > own->left ? start + own->kernel[1] - own->left : 0;
    const uint64_t to = end < own->width ? end : own->width;
    memset(windows, 0, (size_t)rows->out * depth * sizeof *windows);
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        for (uint64_t tap = 0; tap < own->kernel[0] && from < to; tap++) {
            uint64_t row;
            if (find_row(own, rows, y, tap, &row))
                memcpy(windows + y * depth + tap * part + (from + own->left - start) * own->inputs,
                       source + (row * own->width + from) * own->inputs,
                       (to - from) * own->inputs * sizeof *windows);
        }
    }
    struct panels_product product = panel_convolution_product_of(own, 0, own->width_out * step);
    product.parts = 0;
    product.x_stride = depth;
    panels_multiply(&product, windows, (uint64_t)rows->out, made + column * step);
}

void panel_convolution_run(const struct panel_convolution *own,
                           const struct panel_convolution_rows *rows, const float *source,
                           void *room, float *made, uint64_t step)
{
    if (!copies_windows(own)) {
        if (panel_convolution_room(own, rows) > 0) {
            surround(own, rows, source, room);
            source = room;
        }
        run_padded(own, rows, source, made, step);
        return;
    }
    const struct inner inner = inner_columns(own);
    run_inner(own, rows, source, made, step);
    for (uint64_t column = 0; column < own->width_out; column++) {
        if (column < inner.from || column >= inner.to)
            run_column(own, rows, source, column, room, made, step);
    }
}
