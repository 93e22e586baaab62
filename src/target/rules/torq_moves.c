// What Torq's slices move: copies, turned matrices, rows gathered and scattered, images made
// twice as large, channels that become places.

#include <inttypes.h>
#include <stdio.h>

#include "torq_kernels.h"

enum {
    BLOCK_EDGE = 32, // elements of a block that is turned at once, in so many cycles
    BLOCK_CYCLES = 16,
    TOGETHER_MOST = 4, // places that are gathered at once
    SIDE_TAKEN = 2,    // of blocks that have a kernel of their own
    LANE_BYTES = 16,   // of a row that channels are laid between at once
};

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Copies --------------------------------------------------------------------------------------

// Floats of 16 bits are moved as integers.
static uint64_t copied_together(const struct kernels *kernels, const struct cost_request *request)
{
    return request->is_float != 0 && request->input_bits > 16 ? kernels->results / 2
                                                              : kernels->results;
}

static void price_copy(const struct kernels *kernels, const struct cost_request *request,
                       struct kernel *out)
{
    const uint64_t together = copied_together(kernels, request);
    const uint64_t run =
        request->variant == COST_WHOLE ? request->outputs : torq_kernels_at_least_one(request->run);
    const uint64_t runs = price_divide_up(request->outputs, torq_kernels_at_least_one(run));
    out->name = "identity";
    out->rounds = price_product(runs, price_divide_up(run, together));
    out->each = 1;
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " runs of %" PRIu64 " elements, %" PRIu64 " a cycle", runs, run, together);
}

// Turning -------------------------------------------------------------------------------------

static bool turns_blocks(uint64_t bytes, uint64_t rows, uint64_t columns)
{
    return bytes <= 2 && rows >= BLOCK_EDGE && columns >= BLOCK_EDGE;
}

static uint64_t block_count(uint64_t bytes, uint64_t rows, uint64_t columns)
{
    return price_divide_up(rows, BLOCK_EDGE) * price_divide_up(columns, BLOCK_EDGE / bytes);
}

uint64_t torq_moves_turned(const struct cost_request *request, uint64_t matrices, uint64_t rows,
                           uint64_t columns)
{
    const uint64_t bytes = torq_kernels_bytes_of(request->input_bits);
    if (turns_blocks(bytes, rows, columns))
        return price_product(matrices, block_count(bytes, rows, columns) * BLOCK_CYCLES);
    return price_divide_up(price_product(matrices, price_product(rows, columns)),
                           bytes <= 2 && columns % 2 == 0 ? 2 : 1);
}

static void price_turn(const struct kernels *kernels, const struct cost_request *request,
                       struct kernel *out)
{
    const uint64_t bytes = torq_kernels_bytes_of(request->input_bits);
    const uint64_t columns = request->channels;
    const uint64_t rows = request->groups;
    out->name = "transpose";
    if (turns_blocks(bytes, rows, columns)) {
        out->rounds = price_product(request->outputs / price_product(rows, columns),
                                    block_count(bytes, rows, columns));
        out->each = BLOCK_CYCLES;
        snprintf(out->how, sizeof out->how, "blocks with edges of %d elements", BLOCK_EDGE);
        return;
    }
    uint64_t together = bytes <= 2 && columns % 2 == 0 ? 2 : 1;
    if (request->run > 1 && request->run < kernels->results)
        together = request->run;
    torq_kernels_price_at(out, "transpose", request->outputs, together, 1);
}

// Channels that become places: two by two have a kernel, others are turned.
static void price_blocks(const struct cost_request *request, struct kernel *out)
{
    const uint64_t side = request->kernel;
    const uint64_t width = torq_kernels_at_least_one(request->run);
    const uint64_t bytes = torq_kernels_bytes_of(request->input_bits);
    if (side != SIDE_TAKEN || request->is_float != 0 || bytes > 2) {
        const bool pairs = bytes <= 2 && width * side % 2 == 0;
        torq_kernels_price_at(out, "transpose", request->outputs, pairs ? 2 : 1, 1);
        return;
    }
    const uint64_t data = least_of(width, LANE_BYTES / bytes);
    const uint64_t written = LANE_BYTES / (bytes * side);
    const uint64_t rows = request->outputs / price_product(side * side, width);
    out->name = "depthtospace";
    out->rounds = price_product(rows, price_divide_up(width, data) * side);
    out->each = most_of(side, price_divide_up(data, written));
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " rows of %" PRIu64 " places, %" PRIu64 " at a time", rows, width, data);
}

// Rows ----------------------------------------------------------------------------------------

// Places one after the other, several at once where their number allows it. What is read and
// what says from where count both, so that one at a time takes two cycles. But for rows of a
// plain matrix, channels lie before places: the matrix is turned, and turned back.
static void price_rows(const struct cost_request *request, struct kernel *out)
{
    const uint64_t places = request->kernel;
    const uint64_t channels = torq_kernels_at_least_one(request->channels);
    const bool scatters = request->variant == COST_SCATTERED;
    const bool rows = request->variant == COST_GATHERED && channels > 1;
    const uint64_t together = scatters || rows              ? 1
                              : places % TOGETHER_MOST == 0 ? TOGETHER_MOST
                              : places % 2 == 0             ? 2
                                                            : 1;
    out->name = scatters ? "scatter" : "gather";
    out->rounds = price_product(channels, price_divide_up(places, together));
    out->each = most_of(2, together);
    snprintf(out->how, sizeof out->how,
             "%" PRIu64 " places of %" PRIu64 " channels, %" PRIu64 " at a time", places, channels,
             together);
    if (request->variant == COST_GATHERED || channels == 1)
        return;
    const uint64_t all = torq_kernels_at_least_one(request->groups);
    torq_kernels_add_part(out, "transpose", torq_moves_turned(request, 1, channels, all),
                          "channels before places");
    if (scatters)
        torq_kernels_add_part(out, "transpose", torq_moves_turned(request, 1, channels, places),
                              "the same of what is written");
    torq_kernels_add_part(out, "transpose",
                          torq_moves_turned(request, 1, scatters ? all : places, channels),
                          "places before channels");
}

static void price_doubled(const struct kernels *kernels, const struct cost_request *request,
                          struct kernel *out)
{
    const uint64_t width = torq_kernels_at_least_one(request->run);
    const uint64_t channels = request->channels;
    out->name = "ResizeNearestNeighbor";
    out->rounds =
        channels > 0 ? request->outputs / channels : request->outputs / price_product(2, width);
    out->each = channels > 0 ? price_divide_up(channels, kernels->results)
                             : price_divide_up(width, kernels->results / 2);
    snprintf(out->how, sizeof out->how, "%" PRIu64 " %s", out->rounds,
             channels > 0 ? "places, channel by channel" : "rows, each element twice");
}

// All of them ---------------------------------------------------------------------------------

void torq_moves_price(const struct kernels *kernels, const struct cost_request *request,
                      struct kernel *out)
{
    const bool moves = request->kind == COST_MOVEMENT || request->kind == COST_OTHER;
    switch (moves ? (enum cost_variant)request->variant : COST_PLAIN) {
    case COST_GATHERED:
    case COST_GATHERED_EACH:
    case COST_SCATTERED:
        price_rows(request, out);
        return;
    case COST_DOUBLED:
        price_doubled(kernels, request, out);
        return;
    case COST_BLOCKS:
        price_blocks(request, out);
        return;
    default:
        break;
    }
    if (request->kind != COST_MOVEMENT) // nothing is known of it: an element a cycle
        torq_kernels_price_at(out, "generic", price_steps(request), 1, 1);
    else if (request->channels > 0)
        price_turn(kernels, request, out);
    else
        price_copy(kernels, request, out);
}

const char *torq_moves_refusal(const struct cost_request *request)
{
    if (request->kind == COST_MOVEMENT)
        return NULL;
    switch ((enum cost_variant)request->variant) {
    case COST_GATHERED:
    case COST_GATHERED_EACH:
        return NULL;
    case COST_SCATTERED:
        return request->input_bits == 8 ? NULL : "scatter is of 8 bits alone";
    case COST_SCATTERED_FREE:
        return "scatter needs places that are constants";
    case COST_DOUBLED:
        return request->input_bits == 8 ? NULL : "resizing is of 8 bits alone";
    default:
        return "";
    }
}
