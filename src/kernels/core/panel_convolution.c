#include "panel_convolution.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "panels.h"

enum {
    // Rows of windows over bytes: what padding adds is known for each part of them.
    BYTE_KERNEL_MOST = 11,
    // Of weights larger than that, some panels at a time meet all pixels, and if need be a row of
    // the windows at a time, so that they stay in the cache of the second level.
    WEIGHTS_NEAR = 1 << 18,
    PANELS_TOGETHER = 2,
    RESTING = 8, // numbers of the depth that are met while sums go to memory and come back
};

struct panel_convolution {
    uint64_t inputs, outputs;
    uint64_t kernel[2], strides[2];
    uint64_t down;             // rows between those of a window
    uint64_t width, width_out; // pixels of a row
    uint64_t left, padded;     // padding in front of a row, and pixels with all of it
    uint64_t part;             // numbers of a row of a window,
    uint64_t arranged;         // and as many as the arranged weights have for it
    uint64_t size;             // bytes of a number of the image
    uint8_t zero;              // that its padding consists of
    bool of_bytes;
    struct panels_source source; // of weights that stay; without numbers: there are none
    const float *panels;
    struct byte_panels bytes;
    float *bias;     // NULL: none
    float *scales;   // of bytes, or weights that stay
    int32_t *excess; // of bytes: excess_of
    bool clips;
    float lowest, highest;
};

static bool lies_in_rows(const struct convolution *c)
{
    return c->spatial == 2 && c->groups == 1 && (c->dilations[1] == 1 || c->kernel[1] == 1);
}

bool panel_convolution_suits(const struct convolution *c)
{
    return panels_are_fast() && lies_in_rows(c);
}

bool panel_convolution_suits_bytes(const struct convolution *c)
{
    return lies_in_rows(c) && c->kernel[0] <= BYTE_KERNEL_MOST &&
           c->inputs * c->kernel[0] <= BYTE_PANELS_DEPTH_MOST / c->kernel[1];
}

// Numbers that the arranged weights have for a window.
static uint64_t depth_of(const struct panel_convolution *own)
{
    return own->kernel[0] * own->arranged;
}

static struct panels_source source_of(const struct panel_convolution_plan *plan,
                                      const struct panel_convolution *own)
{
    const uint64_t depth = own->kernel[0] * own->part;
    const uint64_t from = (uint64_t)plan->from;
    return (struct panels_source){
        .numbers = plan->weights + from * (plan->weights_turned ? 1 : depth),
        .rows = own->outputs,
        .depth = depth,
        .row_step = plan->weights_turned ? 1 : depth,
        .depth_step = plan->weights_turned ? (uint64_t)plan->convolution->outputs : 1,
        .taps = own->kernel[0] * own->kernel[1],
        .scales = plan->scales != NULL ? plan->scales + from : NULL,
    };
}

static void keep_source(const struct panel_convolution_plan *plan, struct panel_convolution *own)
{
    own->source = source_of(plan, own);
    if (plan->scales == NULL)
        return;
    own->scales = memory_allocate(own->outputs * sizeof *own->scales);
    memcpy(own->scales, own->source.scales, own->outputs * sizeof *own->scales);
    own->source.scales = own->scales;
}

static bool pack_now(const struct panel_convolution_plan *plan, struct panel_convolution *own)
{
    const struct panels_source source = source_of(plan, own);
    float *panels =
        blocks_take(plan->blocks, panels_size(own->outputs, source.depth) * sizeof *panels);
    if (panels != NULL)
        panels_pack(&source, panels);
    own->panels = panels;
    return panels != NULL;
}

uint64_t panel_convolution_panels(const struct panel_convolution *own)
{
    return own->source.numbers != NULL ? panels_size(own->outputs, 1) / PANELS_WIDTH : 0;
}

uint64_t panel_convolution_panel(const struct panel_convolution *own)
{
    return own->source.depth * PANELS_WIDTH;
}

void panel_convolution_arrange(const struct panel_convolution *own, uint64_t from, uint64_t to,
                               float *place, struct scratch_pool *rooms)
{
    const uint64_t first = from * PANELS_WIDTH;
    struct panels_source part = own->source;
    part.numbers += first * part.row_step;
    part.scales = part.scales != NULL ? part.scales + first : NULL;
    part.rows = (to * PANELS_WIDTH < part.rows ? to * PANELS_WIDTH : part.rows) - first;
    part.rooms = rooms;
    panels_pack(&part, place + first * part.depth);
}

void panel_convolution_place(struct panel_convolution *own, const float *place)
{
    own->panels = place;
}

// What the byte that stands for 0 adds to the sums of filters, over rows [from, to) of a window.
static int32_t *excess_of(const struct panel_convolution *own, uint64_t from, uint64_t to)
{
    return own->excess + (from * (own->kernel[0] + 1) + to) * panels_size(own->outputs, 1);
}

static void pack_filter(const struct panel_convolution *own, const int8_t *filter, uint64_t row,
                        void *panels)
{
    const uint64_t taps = own->kernel[0] * own->kernel[1];
    int32_t sums[BYTE_KERNEL_MOST + 1] = {0}; // of the rows of the window before this one
    for (uint64_t tap = 0; tap < taps; tap++) {
        const uint64_t y = tap / own->kernel[1];
        if (tap % own->kernel[1] == 0)
            sums[y + 1] = sums[y];
        for (uint64_t channel = 0; channel < own->inputs; channel++) {
            const int8_t number = filter[channel * taps + tap];
            const uint64_t k = y * own->arranged + tap % own->kernel[1] * own->inputs + channel;
            byte_panels_put(own->bytes.form, panels, depth_of(own), row, k, number);
            sums[y + 1] += number * own->zero;
        }
    }
    for (uint64_t from = 0; from < own->kernel[0]; from++) {
        for (uint64_t to = from; to <= own->kernel[0]; to++)
            excess_of(own, from, to)[row] = sums[to] - sums[from];
    }
}

static bool pack_bytes(const struct panel_convolution_plan *plan, struct panel_convolution *own)
{
    const uint64_t each = own->kernel[0] * own->part, rows = panels_size(own->outputs, 1);
    const uint64_t size = byte_panels_bytes(own->bytes.form, own->outputs, depth_of(own));
    void *panels = blocks_take(plan->blocks, size);
    if (panels == NULL)
        return false;
    memset(panels, 0, size);
    own->scales = memory_allocate_zeroed(rows, sizeof *own->scales);
    own->excess = memory_allocate_zeroed((own->kernel[0] + 1) * (own->kernel[0] + 1) * rows,
                                         sizeof *own->excess);
    for (uint64_t row = 0; row < own->outputs; row++) {
        const uint64_t filter = (uint64_t)plan->from + row;
        own->scales[row] = plan->scales[filter];
        pack_filter(own, plan->bytes + filter * each, row, panels);
    }
    own->bytes.panels = panels;
    own->bytes.scales = own->scales;
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
    own->part = own->kernel[1] * own->inputs;
    own->bytes.form = plan->form;
    own->arranged = plan->bytes != NULL ? byte_panels_arranged(plan->form, own->part) : own->part;
    own->size = plan->bytes != NULL ? byte_form_size(plan->form) : sizeof(float);
    own->zero = plan->bytes != NULL ? plan->zero : 0;
    own->clips = plan->clips;
    own->lowest = plan->lowest;
    own->highest = plan->highest;
    if (plan->bias != NULL) {
        own->bias = memory_allocate_zeroed(panels_size(own->outputs, 1), sizeof *own->bias);
        memcpy(own->bias, plan->bias + plan->from, own->outputs * sizeof *own->bias);
    }
    own->of_bytes = plan->bytes != NULL;
    if (plan->weights_stay && !own->of_bytes) {
        keep_source(plan, own);
        return own;
    }
    if (own->of_bytes ? pack_bytes(plan, own) : pack_now(plan, own))
        return own;
    panel_convolution_free(own);
    return NULL;
}

void panel_convolution_free(struct panel_convolution *own)
{
    if (own == NULL)
        return;
    free(own->bias);
    free(own->scales);
    free(own->excess);
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

// Columns of the output whose windows have `tap` of their columns in the image.
static struct inner tap_columns(const struct panel_convolution *own, uint64_t tap)
{
    const uint64_t step = own->strides[1], end = own->left + own->width;
    const uint64_t from = tap < own->left ? (own->left - tap + step - 1) / step : 0;
    const uint64_t to = tap < end ? (end - tap + step - 1) / step : 0;
    struct inner columns = {from, to < own->width_out ? to : own->width_out};
    columns.to = columns.to > columns.from ? columns.to : columns.from;
    return columns;
}

// Whether it takes less to meet windows tap by tap, without those in the padding, and without rows
// that are copied to have padding around them. Their sums rest in the result in between.
static bool goes_by_taps(const struct panel_convolution *own)
{
    uint64_t missing = 0;
    for (uint64_t tap = 0; tap < own->kernel[1]; tap++) {
        const struct inner columns = tap_columns(own, tap);
        missing += own->width_out - (columns.to - columns.from);
    }
    return !own->of_bytes &&
           missing * own->inputs > (own->kernel[1] - 1) * own->width_out * RESTING;
}

size_t panel_convolution_room(const struct panel_convolution *own,
                              const struct panel_convolution_rows *rows)
{
    if (goes_by_taps(own))
        return 0;
    if (copies_windows(own))
        return (size_t)rows->out * depth_of(own) * own->size;
    return own->padded == own->width ? 0 : (size_t)rows->in * own->padded * own->inputs * own->size;
}

// Windows of which the product has rows [from, to).
static void multiply(const struct panel_convolution *own, const struct panels_product *product,
                     uint64_t from, uint64_t to, const char *x, uint64_t count, float *y)
{
    if (!own->of_bytes) {
        panels_multiply(product, (const float *)(const void *)x, count, y);
        return;
    }
    struct byte_panels bytes = own->bytes;
    bytes.excess = excess_of(own, from, to);
    struct panels_product whole = *product;
    whole.of_bytes = &bytes;
    byte_panels_multiply(&whole, x, count, y);
}

// The rows with zeros beside them.
static void surround(const struct panel_convolution *own, const struct panel_convolution_rows *rows,
                     const char *source, char *padded)
{
    const uint64_t pixel = own->inputs * own->size;
    const uint64_t row = own->padded * pixel, inner = own->width * pixel;
    const uint64_t front = own->left * pixel;
    for (int64_t y = 0; y < rows->in; y++, padded += row, source += inner) {
        memset(padded, own->zero, front);
        memcpy(padded + front, source, inner);
        memset(padded + front + inner, own->zero, row - front - inner);
    }
}

// What is computed of all pixels before anything else: output channels [first, first + rows), of
// rows [from, to) of their windows.
struct share {
    uint64_t first, rows;
    uint64_t from, to;
};

static struct share whole_share(const struct panel_convolution *own)
{
    return (struct share){0, own->outputs, 0, own->kernel[0]};
}

static struct panels_product panel_convolution_product_of(const struct panel_convolution *own,
                                                          const struct share *share, uint64_t row,
                                                          uint64_t step)
{
    return (struct panels_product){
        .panels = own->of_bytes ? NULL : own->panels + share->first * depth_of(own),
        .rows = share->rows,
        .depth = depth_of(own),
        .x_stride = own->strides[1] * own->inputs,
        .y_stride = step,
        .part_step = own->down * row,
        .part_depth = own->part,
        .bias = own->bias != NULL ? own->bias + share->first : NULL,
        .lowest = own->lowest,
        .highest = own->highest,
    };
}

// Windows of which rows [first, last) are there, as far as they are in the share.
static void set_rows(const struct panel_convolution *own, const struct share *share, uint64_t first,
                     uint64_t last, struct panels_product *product)
{
    const uint64_t from = share->from > first ? share->from : first;
    const uint64_t to = share->to < last ? share->to : last;
    product->parts = to > from ? to - from : 0;
    product->skip = from * own->arranged;
    product->goes_on = from > first;
    product->clips = own->clips && to == last;
}

// Row `tap` of the windows of row `y` of the output, among the rows of the input; false: padding.
static bool find_row(const struct panel_convolution *own, const struct panel_convolution_rows *rows,
                     uint64_t y, uint64_t tap, uint64_t *out_row)
{
    const int64_t row = (int64_t)(y * own->strides[0] + tap * own->down) - rows->before;
    *out_row = (uint64_t)row;
    return row >= 0 && row < rows->in;
}

// Of row `y` of the output: the rows of its windows that are there, [first, last); false: none.
static bool rows_there(const struct panel_convolution *own,
                       const struct panel_convolution_rows *rows, uint64_t y, uint64_t *out_first,
                       uint64_t *out_last)
{
    uint64_t first = 0, last = own->kernel[0], row;
    while (first < last && !find_row(own, rows, y, first, &row))
        first++;
    while (first < last && !find_row(own, rows, y, last - 1, &row))
        last--;
    *out_first = first;
    *out_last = last;
    return first < last;
}

// The rows of the windows of row `y` of the output that are in the image and in the share, and the
// row of the image that the first of them sees. False: all that was to be done is done.
static bool meet_rows(const struct panel_convolution *own, const struct share *share,
                      const struct panel_convolution_rows *rows, uint64_t y,
                      struct panels_product *product, uint64_t *out_row)
{
    uint64_t first, last;
    const bool there = rows_there(own, rows, y, &first, &last);
    *out_row = 0;
    product->part_depth = own->part;
    if (!there) { // nothing but padding
        product->parts = share->from == 0;
        product->skip = share->from * own->arranged;
        product->part_depth = 0;
        product->goes_on = false;
        product->clips = own->clips;
        return product->parts > 0;
    }
    set_rows(own, share, first, last, product);
    if (product->parts > 0)
        find_row(own, rows, y, product->skip / own->arranged, out_row);
    return product->parts > 0;
}

// Vectors from `x` on, one for each of `count` columns of the output.
static void multiply_row(const struct panel_convolution *own, const struct panels_product *product,
                         const char *x, uint64_t count, float *y)
{
    const uint64_t from = product->skip / own->arranged;
    multiply(own, product, from, from + (product->part_depth > 0 ? product->parts : 0), x, count,
             y);
}

// `source` has pixels of padding beside the rows.
static void run_padded(const struct panel_convolution *own, const struct share *share,
                       const struct panel_convolution_rows *rows, const char *source, float *made,
                       uint64_t step)
{
    const uint64_t row = own->padded * own->inputs;
    struct panels_product product = panel_convolution_product_of(own, share, row, step);
    // Rows of the output whose vectors lie at one distance are one long row.
    const bool joined =
        own->kernel[0] == 1 && own->strides[0] == 1 && own->width_out * product.x_stride == row;
    const uint64_t together = joined ? (uint64_t)rows->out : 1;
    uint64_t at;
    for (uint64_t y = 0; y < (uint64_t)rows->out; y += together) {
        if (meet_rows(own, share, rows, y, &product, &at))
            multiply_row(own, &product, source + at * row * own->size, together * own->width_out,
                         made + y * own->width_out * step + share->first);
    }
}

static void run_inner(const struct panel_convolution *own, const struct share *share,
                      const struct panel_convolution_rows *rows, const char *source, float *made,
                      uint64_t step)
{
    const struct inner inner = inner_columns(own);
    const uint64_t row = own->width * own->inputs;
    const uint64_t start = (inner.from * own->strides[1] - own->left) * own->inputs;
    struct panels_product product = panel_convolution_product_of(own, share, row, step);
    uint64_t at;
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        if (meet_rows(own, share, rows, y, &product, &at))
            multiply_row(own, &product, source + (at * row + start) * own->size,
                         inner.to - inner.from,
                         made + (y * own->width_out + inner.from) * step + share->first);
    }
}

// One row of windows, tap by tap, on what `y` has.
static void meet_taps(const struct panel_convolution *own, struct panels_product product,
                      const float *x, float *y)
{
    product.part_depth = own->inputs;
    product.parts = 1;
    product.goes_on = true;
    product.clips = false;
    for (uint64_t tap = 0; tap < own->kernel[1]; tap++, product.skip += own->inputs) {
        const struct inner columns = tap_columns(own, tap);
        const uint64_t pixel = columns.from * own->strides[1] + tap - own->left;
        panels_multiply(&product, x + pixel * own->inputs, columns.to - columns.from,
                        y + columns.from * product.y_stride);
    }
}

// Puts the bias where sums are to be, or clips them, without meeting anything.
static void meet_nothing(const struct panel_convolution *own, struct panels_product product,
                         bool begins, float *y)
{
    product.parts = 1;
    product.part_depth = 0;
    product.goes_on = !begins;
    product.clips = own->clips && !begins;
    panels_multiply(&product, y, own->width_out, y);
}

static void run_taps(const struct panel_convolution *own, const struct share *share,
                     const struct panel_convolution_rows *rows, const char *source, float *made,
                     uint64_t step)
{
    const uint64_t row = own->width * own->inputs;
    struct panels_product product = panel_convolution_product_of(own, share, row, step);
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        float *to = made + y * own->width_out * step + share->first;
        if (share->from == 0)
            meet_nothing(own, product, true, to);
        for (uint64_t tap = share->from; tap < share->to && tap < own->kernel[0]; tap++) {
            uint64_t at;
            product.skip = tap * own->arranged;
            if (find_row(own, rows, y, tap, &at))
                meet_taps(own, product, (const float *)(const void *)source + at * row, to);
        }
        product.skip = 0;
        if (share->to >= own->kernel[0] && own->clips)
            meet_nothing(own, product, false, to);
    }
}

// One column of the output: its windows are copied, with zeros where they see padding.
static void run_column(const struct panel_convolution *own,
                       const struct panel_convolution_rows *rows, const char *source,
                       uint64_t column, char *windows, float *made, uint64_t step)
{
    const uint64_t depth = depth_of(own), pixel = own->inputs * own->size;
    const uint64_t start = column * own->strides[1]; // counted from the padding on
    const uint64_t from = start > own->left ? start - own->left : 0;
    const uint64_t end =
        start + own->kernel[1] > own->left ? start + own->kernel[1] - own->left : 0;
    const uint64_t to = end < own->width ? end : own->width;
    memset(windows, own->zero, (size_t)rows->out * depth * own->size);
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        for (uint64_t tap = 0; tap < own->kernel[0] && from < to; tap++) {
            uint64_t row;
            if (find_row(own, rows, y, tap, &row))
                memcpy(windows + (y * depth + tap * own->arranged) * own->size +
                           (from + own->left - start) * pixel,
                       source + (row * own->width + from) * pixel, (to - from) * pixel);
        }
    }
    const struct share share = whole_share(own);
    struct panels_product product =
        panel_convolution_product_of(own, &share, 0, own->width_out * step);
    product.x_stride = depth;
    product.clips = own->clips;
    multiply(own, &product, 0, own->kernel[0], windows, (uint64_t)rows->out, made + column * step);
}

// All that is computed of the pixels whose windows lie in rows.
static void run_rows(const struct panel_convolution *own, const struct panel_convolution_rows *rows,
                     const char *source, float *made, uint64_t step)
{
    void (*run)(const struct panel_convolution *own, const struct share *share,
                const struct panel_convolution_rows *rows, const char *source, float *made,
                uint64_t step) = goes_by_taps(own)     ? run_taps
                                 : copies_windows(own) ? run_inner
                                                       : run_padded;
    const uint64_t each = depth_of(own) * sizeof(float);
    const uint64_t most = PANELS_TOGETHER * PANELS_WIDTH;
    struct share share = whole_share(own);
    if (own->of_bytes || own->kernel[0] == 1 || rows->out == 1 ||
        own->outputs * each <= WEIGHTS_NEAR) {
        run(own, &share, rows, source, made, step);
        return;
    }
    const uint64_t taps = most * each <= WEIGHTS_NEAR ? own->kernel[0] : 1;
    for (share.first = 0; share.first < own->outputs; share.first += most) {
        share.rows = own->outputs - share.first < most ? own->outputs - share.first : most;
        for (share.from = 0; share.from < own->kernel[0]; share.from += taps) {
            share.to = share.from + taps;
            run(own, &share, rows, source, made, step);
        }
    }
}

void panel_convolution_run(const struct panel_convolution *own,
                           const struct panel_convolution_rows *rows, const void *source,
                           void *room, float *made, uint64_t step)
{
    if (goes_by_taps(own) || !copies_windows(own)) {
        if (panel_convolution_room(own, rows) > 0) {
            surround(own, rows, source, room);
            source = room;
        }
        run_rows(own, rows, source, made, step);
        return;
    }
    const struct inner inner = inner_columns(own);
    run_rows(own, rows, source, made, step);
    for (uint64_t column = 0; column < own->width_out; column++) {
        if (column < inner.from || column >= inner.to)
            run_column(own, rows, source, column, room, made, step);
    }
}
