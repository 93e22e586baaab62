// Torq's kernels: how many cycles the loops of each take, by the published patterns. A kernel is
// as slow as the slowest of its units: the multipliers, what feeds them, and the activation unit
// that results leave through. docs/formats/torq-dump.md has the formulas.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "target/text.h"
#include "torq_kernels.h"

static const struct price_key KEYS[] = {
    {"widths", PRICE_SHAPE, "64x4x16",
     "bytes of data at the multipliers x weights that each meets x results that leave"},
    {"lookups_per_cycle", PRICE_RATE, "2", "elements that are looked up in a table"},
    {0},
};

enum {
    WINDOW_MOST = 7,      // sides of the windows that have the better code
    COLUMNS_TOGETHER = 3, // of a window that one load brings
    BIASED_WHOLE = 4,     // results a cycle with a bias for each of them: integers, floats
    BIASED_FLOAT = 8,
    GATHERED_MOST = 4, // places that do not lie together and are loaded at once
};

static status kernels_prepare(struct target *target, const struct target_engine *engine,
                              void **out_rates)
{
    struct kernels *kernels = arena_allocate(&target->arena, sizeof *kernels);
    const struct price_kind *kind = &PRICE_TORQ_KERNELS;
    uint64_t widths[3] = {1, 1, 1};
    target_value_shape(view_of(price_text(target, engine, kind, "widths")), widths, 3);
    *kernels = (struct kernels){
        .inputs = widths[0],
        .weights = widths[1],
        .results = widths[2],
        .lookups = (uint64_t)price_number(target, engine, kind, "lookups_per_cycle"),
        .peak = (double)widths[0] * (double)widths[1],
    };
    *out_rates = kernels;
    return STATUS_OK;
}

// Widths ----------------------------------------------------------------------------------

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Multipliers are 8 bits wide: a wider number takes several, for each byte of the other one. A
// float counts its own bytes only.
static uint64_t torq_kernels_parts_of(const struct cost_request *request, uint64_t weight_bytes)
{
    const uint64_t input = torq_kernels_bytes_of(request->input_bits);
    return request->is_float != 0 ? input : input * torq_kernels_at_least_one(weight_bytes);
}

// Elements that the multipliers take at a time.
static uint64_t torq_kernels_width_of(const struct kernels *kernels, uint64_t parts)
{
    return torq_kernels_at_least_one(kernels->inputs / parts);
}

// Passes of the activation unit for a vector of `count` elements.
static uint64_t passes_of(const struct kernels *kernels, uint64_t count, uint64_t parts)
{
    const uint64_t whole = price_divide_up(kernels->inputs, kernels->results);
    return least_of(whole, price_divide_up(price_product(count, parts), kernels->results));
}

// Elements that leave the activation unit in a cycle when nothing is added up.
static uint64_t leaving_of(const struct kernels *kernels, const struct cost_request *request,
                           uint64_t weight_bytes)
{
    if (request->is_float != 0)
        return torq_kernels_at_least_one(kernels->results / 2);
    const uint64_t parts = torq_kernels_parts_of(request, weight_bytes);
    return torq_kernels_at_least_one(weight_bytes > 0 ? kernels->results / parts
                                                      : kernels->results);
}

void torq_kernels_price_at(struct kernel *out, const char *name, uint64_t count, uint64_t width,
                           uint64_t each)
{
    out->name = name;
    out->rounds = price_divide_up(count, width);
    out->each = each;
    snprintf(out->how, sizeof out->how, "%" PRIu64 " elements, %" PRIu64 " a pass", count, width);
}

void torq_kernels_add_part(struct kernel *out, const char *name, uint64_t cycles, const char *how)
{
    if (cycles > 0 && out->part_count < KERNEL_PARTS_MOST)
        out->parts[out->part_count++] = (struct kernel_part){name, cycles, how};
}

// Convolutions ------------------------------------------------------------------------------

static uint64_t frames_of(const struct cost_request *request)
{
    const uint64_t frames = request->window.frames;
    return frames > 0 && request->outputs % frames == 0 ? frames : 1;
}

// Loads that a row of a window takes where every second place is used.
static uint64_t strided_loads(uint64_t width)
{
    const uint64_t half = price_divide_up(width, 2);
    return price_divide_up(half, least_of(half, COLUMNS_TOGETHER));
}

static uint64_t conv_each(const struct cost_request *request, uint64_t channels)
{
    const struct cost_window *window = &request->window;
    const uint64_t leaves = 4 * channels;
    const uint64_t depth = request->inner / torq_kernels_at_least_one(request->kernel);
    if (window->width == 0 || request->kernel == 1)
        return most_of(request->inner, leaves);
    if (window->stride > 1)
        return most_of(most_of(request->inner, 4 * depth * price_divide_up(window->height, 2) *
                                                   strided_loads(window->width)),
                       most_of(8 * (uint64_t)window->height, leaves));
    if ((window->flags & COST_WINDOW_CENTRED) != 0 && window->height <= WINDOW_MOST &&
        window->width <= WINDOW_MOST)
        return most_of(request->inner, leaves);
    const uint64_t together = least_of(window->width, COLUMNS_TOGETHER);
    return most_of(most_of(request->inner, leaves),
                   together * window->height * price_divide_up(window->width, together) * depth);
}

// A convolution of one place is a product of matrices.
static bool is_matrix(const struct cost_request *request)
{
    return request->kind == COST_MATMUL ||
           (request->kind == COST_CONVOLUTION && request->kernel == 1 &&
            request->outputs == frames_of(request));
}

// With weights that are there when it is compiled, and results that are scaled back.
static bool is_connected(const struct cost_request *request)
{
    return is_matrix(request) && request->variant != COST_FREE && request->groups <= 1 &&
           request->output_bits <= 16;
}

// The weights are the data, and the input is the one weight: outputs lie side by side.
static void price_connected(const struct kernels *kernels, const struct cost_request *request,
                            struct kernel *out)
{
    uint64_t width = request->output_bits <= 8 ? kernels->inputs : kernels->inputs / 2;
    for (width = torq_kernels_at_least_one(width); width > request->channels && width > 1;)
        width = width > kernels->weights ? width / 2 : 1;
    const uint64_t passes =
        price_divide_up(width, request->is_float != 0 ? BIASED_FLOAT : BIASED_WHOLE);
    out->name = "fully_connected";
    out->rounds = price_product(request->outputs, price_divide_up(request->channels, width));
    out->each = most_of(request->inner, passes);
    snprintf(out->how, sizeof out->how, "%" PRIu64 " outputs a pass, of %" PRIu64 " products each",
             width, request->inner);
}

static void price_matmul(const struct kernels *kernels, const struct cost_request *request,
                         struct kernel *out)
{
    const uint64_t parts =
        torq_kernels_parts_of(request, torq_kernels_bytes_of(request->weight_bits));
    const uint64_t width = torq_kernels_width_of(kernels, parts);
    const uint64_t columns = least_of(width, request->channels);
    out->name = "matmul";
    out->rounds = price_product(request->outputs, price_divide_up(request->channels, width));
    out->each = most_of(request->inner, passes_of(kernels, columns, parts));
    snprintf(out->how, sizeof out->how, "%" PRIu64 " columns a pass, of %" PRIu64 " products each",
             columns, request->inner);
}

static void price_product_of(const struct kernels *kernels, const struct cost_request *request,
                             struct kernel *out)
{
    if (is_connected(request))
        price_connected(kernels, request, out);
    else
        price_matmul(kernels, request, out);
}

// Places of one frame, by vectors.
static uint64_t vectors_of(const struct kernels *kernels, const struct cost_request *request,
                           uint64_t *out_width)
{
    const uint64_t frames = frames_of(request);
    *out_width = torq_kernels_width_of(
        kernels, torq_kernels_parts_of(request, torq_kernels_bytes_of(request->weight_bits)));
    return price_product(frames, price_divide_up(request->outputs / frames, *out_width));
}

// A stride above 2 becomes depth: places of the input that it leaves out are further channels,
// and the window is that much smaller. The input is turned for that.
static struct cost_request deepened(const struct cost_request *request, uint64_t *out_turning)
{
    struct cost_request deep = *request;
    const uint64_t stride = request->window.stride;
    *out_turning = 0;
    if (stride <= 2 || request->window.width == 0)
        return deep;
    const uint64_t depth =
        request->inner / torq_kernels_at_least_one(request->kernel) * stride * stride;
    deep.window.height = (uint8_t)price_divide_up(request->window.height, stride);
    deep.window.width = (uint8_t)price_divide_up(request->window.width, stride);
    deep.window.stride = 1;
    deep.window.flags |= COST_WINDOW_CENTRED;
    deep.kernel = (uint32_t)deep.window.height * deep.window.width;
    deep.inner = price_product(depth, deep.kernel);
    *out_turning = price_divide_up(price_product(request->outputs, depth),
                                   torq_kernels_bytes_of(request->input_bits) <= 2 ? 2 : 1);
    return deep;
}

static void price_convolution(const struct kernels *kernels, const struct cost_request *given,
                              struct kernel *out)
{
    uint64_t turning;
    const struct cost_request deep = deepened(given, &turning);
    const struct cost_request *request = &deep;
    uint64_t width;
    const uint64_t vectors = vectors_of(kernels, request, &width);
    const uint64_t group = request->channels >= kernels->weights ? kernels->weights : 1;
    const bool better = request->window.stride <= 1;
    const uint64_t whole =
        better ? request->channels / group : price_divide_up(request->channels, group);
    const uint64_t left = better ? request->channels % group : 0;
    out->name = "conv2d";
    out->rounds = price_product(vectors, whole);
    out->each = conv_each(request, group);
    out->rest = left > 0 ? price_product(vectors, conv_each(request, left)) : 0;
    torq_kernels_add_part(out, "transpose", turning, "a stride above 2 becomes depth");
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " vectors of %" PRIu64 " places x %" PRIu64 " of %" PRIu64 " channels",
             vectors, width, whole, group);
}

// Convolutions over lines ---------------------------------------------------------------------

static bool is_line(const struct cost_request *request)
{
    return (request->window.flags & COST_WINDOW_LINE) != 0 && !is_matrix(request);
}

// Floats of one channel: products place by place, which are then added up.
static bool is_plain_line(const struct cost_request *request)
{
    return request->is_float != 0 && request->kernel > 1 && request->inner == request->kernel;
}

static void price_plain_line(const struct kernels *kernels, const struct cost_request *request,
                             struct kernel *out)
{
    const uint64_t block = least_of(kernels->results, request->kernel);
    out->name = "conv1d";
    out->type = "conv1d_reduce";
    out->rounds = price_product(price_product(request->outputs, request->channels),
                                price_divide_up(request->kernel, block));
    out->each = price_divide_up(block, BIASED_FLOAT);
    snprintf(out->how, sizeof out->how, "%" PRIu64 " results, %" PRIu64 " places a pass",
             price_product(request->outputs, request->channels), block);
    torq_kernels_add_part(
        out, "reduce",
        price_product(price_product(request->outputs, request->channels), request->kernel),
        "the products of a window, one by one");
}

// Windows are laid side by side, multiplied as a matrix, and the result is turned.
static void price_line(const struct kernels *kernels, const struct cost_request *request,
                       struct kernel *out)
{
    if (is_plain_line(request)) {
        price_plain_line(kernels, request, out);
        return;
    }
    struct cost_request matrix = *request;
    struct kernel product = {.each = 1};
    matrix.kind = COST_MATMUL;
    matrix.kernel = 1;
    matrix.variant = request->variant == COST_FREE ? COST_FREE : COST_PLAIN;
    price_product_of(kernels, &matrix, &product);
    const bool apart = (request->window.flags & COST_WINDOW_APART) != 0;
    const uint64_t depth = request->inner / torq_kernels_at_least_one(request->kernel);
    out->name = "im2col";
    out->type = is_connected(&matrix) ? "im2col_fully_connected" : "im2col_matmul";
    out->rounds = price_product(request->outputs, depth);
    out->each = apart && request->kernel > GATHERED_MOST ? request->kernel : 1;
    snprintf(out->how, sizeof out->how, "%" PRIu64 " windows of %" PRIu64 " channels",
             request->outputs, depth);
    torq_kernels_add_part(out, product.name, price_product(product.rounds, product.each),
                          "the windows by the weights");
    torq_kernels_add_part(out, "transpose",
                          torq_moves_turned(request, 1, request->channels, request->outputs),
                          "channels before places");
}

static uint64_t depthwise_each(const struct cost_window *window, uint64_t places, uint64_t channels)
{
    const uint64_t height = torq_kernels_at_least_one(window->height);
    const uint64_t loads = channels * height * price_divide_up(window->width, COLUMNS_TOGETHER);
    if (window->stride <= 1)
        return most_of(most_of(places, loads), 4 * channels);
    const uint64_t strided =
        4 * channels * strided_loads(window->width) * price_divide_up(height, 2);
    const uint64_t stores = channels > 1 ? 4 * channels * height : 8 * height;
    return most_of(most_of(places, strided), most_of(stores, most_of(8 * height, 4 * channels)));
}

static void price_depthwise(const struct kernels *kernels, const struct cost_request *request,
                            struct kernel *out)
{
    const struct cost_window *window = &request->window;
    const uint64_t frames = frames_of(request);
    uint64_t width;
    out->name = "depthwise_conv2d";
    const bool line = is_line(request) && window->stride <= 1;
    // The window is the frame, or each place of a line is one.
    if ((request->outputs == frames && request->kernel > 1) || line) {
        const uint64_t bytes = torq_kernels_bytes_of(request->input_bits);
        width = torq_kernels_at_least_one(kernels->inputs / 2 /
                                          torq_kernels_bytes_of(request->input_bits));
        out->rounds = price_product(line ? request->outputs : frames,
                                    price_divide_up(request->channels, width));
        out->each = most_of(line ? request->inner : request->kernel,
                            line && bytes > 1 ? width / 8 : width / 4);
        snprintf(out->how, sizeof out->how, "%" PRIu64 " channels a pass, of %s", width,
                 line ? "places of a line" : "whole frames");
        return;
    }
    const uint64_t vectors = vectors_of(kernels, request, &width);
    const uint64_t group = request->channels >= kernels->weights ? kernels->weights : 1;
    const bool better = window->stride <= 1;
    const uint64_t whole =
        better ? request->channels / group : price_divide_up(request->channels, group);
    const uint64_t left = better ? request->channels % group : 0;
    out->rounds = price_product(vectors, whole);
    out->each = depthwise_each(window, request->inner, group);
    out->rest = left > 0 ? price_product(vectors, depthwise_each(window, request->inner, left)) : 0;
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " vectors of %" PRIu64 " places x %" PRIu64 " of %" PRIu64 " channels",
             vectors, width, whole, group);
}

// Pooling and reductions ----------------------------------------------------------------------

// Passes of what is chosen, not multiplied: wider numbers take no more of them.
static uint64_t choosing_passes(const struct kernels *kernels, const struct cost_request *request)
{
    const uint64_t whole = price_divide_up(kernels->inputs, kernels->results);
    return torq_kernels_at_least_one(whole / torq_kernels_bytes_of(request->input_bits));
}

static uint64_t max_pool_each(const struct kernels *kernels, const struct cost_request *request)
{
    const struct cost_window *window = &request->window;
    const uint64_t places = torq_kernels_at_least_one(request->kernel);
    const uint64_t height = torq_kernels_at_least_one(window->height);
    const uint64_t width = torq_kernels_at_least_one(window->width);
    if (window->stride <= 1 && height <= COLUMNS_TOGETHER && width <= COLUMNS_TOGETHER)
        return most_of(places, choosing_passes(kernels, request));
    if (width == 1 && window->stride == height) // rows one after the other
        return most_of(height, choosing_passes(kernels, request));
    const uint64_t half = price_divide_up(width, 2);
    const uint64_t loads = 4 * price_divide_up(height, 2) * strided_loads(width);
    if (window->stride <= 1) {
        const uint64_t together = least_of(width, COLUMNS_TOGETHER);
        return most_of(height * together * price_divide_up(width, together), 4);
    }
    if (height == width && width <= COLUMNS_TOGETHER && (window->flags & COST_WINDOW_BEFORE) == 0)
        return most_of(most_of(places, 4 * price_divide_up(height, 2)),
                       choosing_passes(kernels, request));
    return most_of(most_of(places, 4 * height * least_of(half, COLUMNS_TOGETHER)),
                   most_of(loads, 4));
}

static void price_pooling(const struct kernels *kernels, const struct cost_request *request,
                          struct kernel *out)
{
    const struct cost_window *window = &request->window;
    const uint64_t planes = frames_of(request);
    const uint64_t width =
        torq_kernels_width_of(kernels, torq_kernels_bytes_of(request->input_bits));
    const uint64_t places = request->outputs / planes;
    if ((window->flags & COST_WINDOW_CHOICE) != 0 && window->height == 1 && window->width > 1 &&
        window->stride == window->width) {
        torq_kernels_price_at(out, "maxpool2d", request->outputs, 1,
                              1); // along a row, one after the other
        return;
    }
    if ((window->flags & COST_WINDOW_CHOICE) != 0 && window->width > 0) {
        out->name = "maxpool2d";
        out->rounds = price_product(planes, price_divide_up(places, width));
        out->each = max_pool_each(kernels, request);
    } else if (places == 1) { // whole planes: channels lie side by side
        out->name = "avg_pool2d";
        out->rounds = price_divide_up(planes, width);
        out->each = most_of(request->inner, 4);
    } else { // as a depthwise convolution with equal weights
        out->name = "depthwise_conv2d";
        out->rounds = price_product(price_divide_up(planes, kernels->weights),
                                    price_divide_up(places, width));
        out->each = depthwise_each(window, request->kernel, kernels->weights);
    }
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " planes of %" PRIu64 " results, %" PRIu64 " a pass", planes, places,
             width);
}

// Not the greatest element but its place is asked for: an element as wide as a place is none.
static bool gives_places(const struct cost_request *request)
{
    return request->kind == COST_REDUCTION && request->kernel == COST_SORT_CHOICE &&
           request->output_bits > request->input_bits;
}

// Columns lie side by side; rows that are looked through are turned to be such.
static void price_places(const struct kernels *kernels, const struct cost_request *request,
                         struct kernel *out)
{
    out->name = "argmax";
    out->rounds = price_divide_up(request->outputs, kernels->inputs);
    out->each = most_of(request->inner, price_divide_up(kernels->inputs, kernels->results));
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " columns of %" PRIu64 " elements, %" PRIu64 " a pass", request->outputs,
             request->inner, kernels->inputs);
    if (request->variant != COST_SPREAD) {
        out->type = "transpose_argmax";
        torq_kernels_add_part(out, "transpose",
                              torq_moves_turned(request, 1, request->inner, request->outputs),
                              "rows become columns");
    }
}

static const char *places_refusal(const struct kernels *kernels, const struct cost_request *request)
{
    if (request->input_bits != 8)
        return "argmax is of 8 bits alone";
    if (request->groups > 1)
        return "argmax is of one matrix alone";
    return request->outputs % kernels->inputs == 0 ? NULL
                                                   : "argmax gives multiples of 64 places alone";
}

static void price_reduction(const struct kernels *kernels, const struct cost_request *request,
                            struct kernel *out)
{
    out->name = "reduce";
    if (request->variant != COST_SPREAD) { // what is added up lies together: one at a time
        out->rounds = request->outputs;
        out->each = torq_kernels_at_least_one(request->inner);
        snprintf(out->how, sizeof out->how,
                 "%" PRIu64 " results of %" PRIu64 " elements, one by one", request->outputs,
                 request->inner);
        return;
    }
    const uint64_t parts = torq_kernels_bytes_of(request->input_bits);
    const uint64_t width = torq_kernels_width_of(kernels, parts);
    const uint64_t rows = torq_kernels_at_least_one(request->groups);
    const uint64_t run = price_divide_up(request->outputs, rows);
    const uint64_t passes = request->kernel == COST_SORT_CHOICE
                                ? choosing_passes(kernels, request)
                                : passes_of(kernels, least_of(run, width), parts);
    out->rounds = price_product(rows, price_divide_up(run, width));
    out->each = most_of(request->inner, passes);
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " rows of %" PRIu64 " results, %" PRIu64 " a pass", rows, run, width);
}

// Elements ------------------------------------------------------------------------------------

static void price_sum_of(const struct kernels *kernels, const struct cost_request *request,
                         struct kernel *out)
{
    // Two tensors are weighed against one another by numbers of 16 bits, wide ones by 8.
    const bool scalar = request->variant == COST_SCALAR;
    const uint64_t input = torq_kernels_bytes_of(request->input_bits);
    const uint64_t weight = input > 2 || (input == 1 && scalar) ? 1 : 2;
    const uint64_t parts = torq_kernels_parts_of(request, weight);
    const uint64_t width = torq_kernels_width_of(kernels, parts);
    const uint64_t passes = passes_of(kernels, least_of(request->outputs, width), parts);
    out->name = "add";
    out->rounds = price_divide_up(request->outputs, width);
    out->each = scalar ? torq_kernels_at_least_one(passes) : most_of(2, passes);
    snprintf(out->how, sizeof out->how, "%" PRIu64 " elements, %" PRIu64 " a pass",
             request->outputs, width);
}

static void price_select(const struct kernels *kernels, const struct cost_request *request,
                         struct kernel *out)
{
    const uint64_t bytes = torq_kernels_bytes_of(request->output_bits);
    torq_kernels_price_at(out, "select", request->outputs,
                          bytes > 2 ? kernels->inputs / 4 : kernels->inputs / 2, bytes > 1 ? 4 : 2);
}

// Elementwise work by what it does.
static void price_elements(const struct kernels *kernels, const struct cost_request *request,
                           struct kernel *out)
{
    const uint64_t count = request->outputs;
    const uint64_t bytes = torq_kernels_bytes_of(request->input_bits);
    const bool floats = request->is_float != 0 || request->kernel == COST_SORT_TO_FLOAT;
    switch ((enum cost_sort)request->kernel) {
    case COST_SORT_SUM:
        price_sum_of(kernels, request, out);
        return;
    case COST_SORT_PRODUCT:
        torq_kernels_price_at(out, "mul", count,
                              bytes > 2 && request->is_float == 0
                                  ? leaving_of(kernels, request, 1)
                                  : leaving_of(kernels, request, bytes > 1 ? bytes : 1),
                              1);
        return;
    case COST_SORT_SCALE:
        torq_kernels_price_at(out, "fma", count, leaving_of(kernels, request, 1), 1);
        return;
    case COST_SORT_CHOICE:
        torq_kernels_price_at(out, "elementwisebinary", count, kernels->inputs,
                              most_of(2 * bytes, 4));
        return;
    case COST_SORT_NOT:
        torq_kernels_price_at(out, "elementwiseunary", count, kernels->results, 1);
        return;
    case COST_SORT_SHIFT:
        torq_kernels_price_at(out, "elementwiseshift", count,
                              bytes > 2 ? kernels->results / 2 : kernels->results, 1);
        return;
    case COST_SORT_SELECT:
        price_select(kernels, request, out);
        return;
    case COST_SORT_CURVE:
        torq_kernels_price_at(out, "table", count, kernels->lookups, 1);
        return;
    default: // results of floats take two passes
        torq_kernels_price_at(out, "act", count, floats ? kernels->results / 2 : kernels->results,
                              1);
        return;
    }
}

// Operands that repeat are spread to the shape of the result first.
static uint64_t broadcast_cycles(const struct kernels *kernels, const struct cost_request *request)
{
    if (request->kind != COST_ELEMENTWISE || request->kernel == COST_SORT_SCALE ||
        (request->variant != COST_ROW && request->variant != COST_CHANNEL &&
         request->variant != COST_MIXED))
        return 0;
    return price_divide_up(request->outputs,
                           request->is_float != 0 ? kernels->results / 2 : kernels->results);
}

// All of them -----------------------------------------------------------------------------------

static uint64_t fused_cycles(const struct kernels *kernels, const struct cost_request *request)
{
    return price_divide_up(request->cycles, torq_kernels_at_least_one(kernels->results / 2));
}

static struct kernel torq_kernels_kernel_of(const struct kernels *kernels,
                                            const struct cost_request *request)
{
    struct kernel kernel = {.each = 1};
    if (is_matrix(request)) {
        price_product_of(kernels, request, &kernel);
    } else {
        switch ((enum cost_kind)request->kind) {
        case COST_CONVOLUTION:
            if (is_line(request))
                price_line(kernels, request, &kernel);
            else
                price_convolution(kernels, request, &kernel);
            break;
        case COST_DEPTHWISE:
            price_depthwise(kernels, request, &kernel);
            break;
        case COST_POOLING:
            price_pooling(kernels, request, &kernel);
            break;
        case COST_REDUCTION:
            if (gives_places(request))
                price_places(kernels, request, &kernel);
            else
                price_reduction(kernels, request, &kernel);
            break;
        case COST_TABLE:
            torq_kernels_price_at(&kernel, "table", request->outputs, kernels->lookups, 1);
            break;
        case COST_ELEMENTWISE:
            price_elements(kernels, request, &kernel);
            break;
        default:
            torq_moves_price(kernels, request, &kernel);
            break;
        }
    }
    kernel.broadcast = broadcast_cycles(kernels, request);
    kernel.fused = fused_cycles(kernels, request);
    return kernel;
}

static uint64_t kernels_cycles(const void *rates, enum cost_rules rules,
                               const struct cost_request *request)
{
    const struct kernel kernel = torq_kernels_kernel_of(rates, request);
    (void)rules;
    uint64_t cycles = price_sum(price_product(kernel.rounds, kernel.each), kernel.rest);
    for (uint32_t i = 0; i < kernel.part_count; i++)
        cycles = price_sum(cycles, kernel.parts[i].cycles);
    return price_sum(cycles, price_sum(kernel.broadcast, kernel.fused));
}

static uint64_t kernels_bound(const void *rates, const struct cost_request *request)
{
    const struct kernels *kernels = rates;
    const double cycles = floor((double)request->macs / kernels->peak);
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
}

static void kernels_explain(const void *rates, enum cost_rules rules,
                            const struct cost_request *request, struct cost_explanation *out)
{
    const struct kernel kernel = torq_kernels_kernel_of(rates, request);
    (void)rules;
    price_term(out, kernel.name, price_product(kernel.rounds, kernel.each),
               "%" PRIu64 " rounds of %" PRIu64 " cycles: %s", kernel.rounds, kernel.each,
               kernel.how);
    if (kernel.rest > 0)
        price_term(out, "channels left over", kernel.rest, "a task of their own");
    for (uint32_t i = 0; i < kernel.part_count; i++)
        price_term(out, kernel.parts[i].name, kernel.parts[i].cycles, "%s", kernel.parts[i].how);
    if (kernel.broadcast > 0)
        price_term(out, "broadcast", kernel.broadcast, "an operand that repeats is spread first");
    if (kernel.fused > 0)
        price_term(out, "fused", kernel.fused, "%" PRIu64 " steps of further kernels",
                   request->cycles);
}

static const char *kernels_name(const void *rates, const struct cost_request *request)
{
    const struct kernel kernel = torq_kernels_kernel_of(rates, request);
    return kernel.type != NULL ? kernel.type : kernel.name;
}

static const char *kernels_refusal(const void *rates, const struct cost_request *request)
{
    const struct kernels *kernels = rates;
    const struct cost_window *window = &request->window;
    if (request->kind == COST_MOVEMENT || request->kind == COST_OTHER)
        return torq_moves_refusal(request);
    if (gives_places(request))
        return places_refusal(kernels, request);
    if (request->kind != COST_CONVOLUTION || !is_line(request) || is_plain_line(request))
        return NULL;
    if (window->frames > 1)
        return "convolutions over lines are of one line alone";
    return request->kernel > kernels->results ? "im2col takes windows of at most 16 places" : NULL;
}

const struct price_kind PRICE_TORQ_KERNELS = {
    .name = "torq-kernels",
    .summary = "loops of the published kernels: the slowest unit of each",
    .keys = KEYS,
    .prepare = kernels_prepare,
    .cycles = kernels_cycles,
    .bound = kernels_bound,
    .explain = kernels_explain,
    .kernel = kernels_name,
    .refusal = kernels_refusal,
};
