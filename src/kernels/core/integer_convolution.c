// Integer convolutions: the input is widened once, channels last, so that every
// kernel position is a run of channels; then rows of the matrix are gathered run
// by run, or, depthwise, multiplied where they lie.

#include <stdlib.h>
#include <string.h>

#include "byte_tile.h"
#include "clones.h"
#include "integer_core.h"
#include "integer_depthwise.h"

struct convolution_job {
    const struct integer_convolution *shape;
    enum integer_form form;
    char *input;       // batch, in..., channels: numbers in that form
    uint64_t size;     // bytes of one of them
    uint8_t zero;      // what padding consists of
    uint64_t in_count; // positions of the input
    uint64_t out_count;
    const struct integer_weights *weights;
    struct integer_plan plan;       // of a product
    uint64_t tile_positions, tiles; // of a depthwise one
    // Of one whose weights are arranged: where its taps see the input, in numbers from the first
    // tap on, and numbers that stand for padding.
    int64_t places[INTEGER_DEPTHWISE_TAPS];
    int16_t *padding;
    integer_finish finish;
    void *context;
    bool no_memory; // set by any piece
};

static uint64_t integer_convolution_product(const uint64_t dims[3])
{
    return dims[0] * dims[1] * dims[2];
}

// Numbers of the input that lie one after the other.
static void take_numbers(const struct convolution_job *job, uint64_t first, uint64_t count,
                         void *out)
{
    const struct integer_convolution *shape = job->shape;
    if (job->form == INTEGER_BYTES)
        integer_bytes_take(shape->element, shape->input, first, 1, count, out);
    else
        integer_widen(shape->element, shape->input, first, 1, count, shape->zero_point, out);
}

// Some positions of an image whose channels are first, from the element `first` on; `turned` has
// room for as many bytes.
static void turn_positions(const struct convolution_job *job, uint64_t first, uint64_t count,
                           uint8_t *turned, char *out)
{
    const struct integer_convolution *shape = job->shape;
    const uint64_t channels = shape->channels;
    if (shape->element == ELEMENT_I16) {
        for (uint64_t c = 0; c < channels; c++) {
            const int16_t *line = (const int16_t *)shape->input + first + c * job->in_count;
            for (uint64_t i = 0; i < count; i++)
                ((int16_t *)(void *)out)[i * channels + c] = (int16_t)(line[i] - shape->zero_point);
        }
        return;
    }
    byte_tile_turn_all((const uint8_t *)shape->input + first, job->in_count, channels, count,
                       turned, channels);
    if (job->form == INTEGER_BYTES)
        integer_bytes_take(shape->element, turned, 0, 1, count * channels, (uint8_t *)out);
    else
        integer_widen(shape->element, turned, 0, 1, count * channels, shape->zero_point,
                      (int16_t *)(void *)out);
}

static void integer_convolution_widen_piece(void *context, uint64_t from, uint64_t to)
{
    struct convolution_job *job = context;
    const struct integer_convolution *shape = job->shape;
    const uint64_t channels = shape->channels;
    if (shape->channels_last) {
        take_numbers(job, from * channels, (to - from) * channels,
                     job->input + from * channels * job->size);
        return;
    }
    enum { BLOCK = 64 };
    uint8_t *turned = (uint8_t *)integer_allocate(channels, BLOCK);
    if (turned == NULL) {
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t count; from < to; from += count) {
        const uint64_t batch = from / job->in_count, position = from % job->in_count;
        count = to - from < BLOCK ? to - from : BLOCK;
        count = job->in_count - position < count ? job->in_count - position : count;
        turn_positions(job, batch * channels * job->in_count + position, count, turned,
                       job->input + from * channels * job->size);
    }
    free(turned);
}

static void split_position(const struct integer_convolution *shape, uint64_t position,
                           int64_t out_start[3])
{
    for (int d = 2; d >= 0; d--) {
        out_start[d] = (int64_t)(position % shape->out[d] * shape->stride[d]) - shape->pad[d];
        position /= shape->out[d];
    }
}

// Where the input lies under kernel position `tap`: false when in the padding.
static bool tap_place(const struct integer_convolution *shape, const int64_t start[3],
                      const uint64_t tap[3], uint64_t *out_position)
{
    uint64_t position = 0;
    for (int d = 0; d < 3; d++) {
        const int64_t place = start[d] + (int64_t)(tap[d] * shape->dilation[d]);
        if (place < 0 || (uint64_t)place >= shape->in[d])
            return false;
        position = position * shape->in[d] + (uint64_t)place;
    }
    *out_position = position;
    return true;
}

// Calls of gather_row and of the depthwise loop walk the taps alike.
static bool next_tap(const struct integer_convolution *shape, uint64_t tap[3])
{
    for (int d = 2; d >= 0; d--) {
        if (++tap[d] < shape->kernel[d])
            return true;
        tap[d] = 0;
    }
    return false;
}

static void gather_row(const struct convolution_job *job, uint64_t batch, uint64_t group,
                       uint64_t position, char *out)
{
    const struct integer_convolution *shape = job->shape;
    const size_t count = (size_t)(shape->channels / shape->groups * job->size);
    const size_t pixel = (size_t)(shape->channels * job->size);
    const char *input = job->input + batch * job->in_count * pixel + group * count;
    int64_t start[3];
    split_position(shape, position, start);
    uint64_t tap[3] = {0};
    do {
        uint64_t place;
        if (tap_place(shape, start, tap, &place))
            memcpy(out, input + place * pixel, count);
        else
            memset(out, job->zero, count);
        out += count;
    } while (next_tap(shape, tap));
}

// Whether the rows of the matrix are the input itself.
static bool is_pointwise(const struct integer_convolution *shape)
{
    bool same = shape->groups == 1;
    for (int d = 0; d < 3; d++)
        same = same && shape->kernel[d] == 1 && shape->stride[d] == 1 && shape->pad[d] == 0 &&
               shape->in[d] == shape->out[d];
    return same;
}

static void product_tile(const struct convolution_job *job, uint64_t index, char *scratch,
                         void *sums)
{
    const struct integer_convolution *shape = job->shape;
    const uint64_t each = job->plan.row_tiles * job->plan.column_tiles;
    const uint64_t batch = index / each / shape->groups;
    const uint64_t group = index / each % shape->groups;
    const struct integer_packed *packed = job->weights->packed[group];
    struct integer_tile tile;
    integer_tile_place(&job->plan, packed, index % each, job->out_count, &tile);
    tile.batch = batch;
    tile.wide = shape->wide ? sums : NULL;
    struct integer_rows rows = {.zeros = {&shape->zero_point, 1},
                                .lift = integer_bytes_lift(shape->element)};
    if (is_pointwise(shape)) {
        rows.stride = shape->channels * job->size;
        rows.data = job->input + (batch * job->in_count + tile.row) * rows.stride;
    } else {
        rows.stride = integer_packed_stride(packed);
        rows.data = scratch;
        for (uint64_t r = 0; r < tile.rows; r++) {
            char *row = scratch + r * rows.stride;
            if (rows.stride > 0)
                memset(row + rows.stride - 4, 0, 4);
            gather_row(job, batch, group, tile.row + r, row);
        }
    }
    integer_multiply(packed, &rows, &tile, sums);
    tile.column += group * (shape->filters / shape->groups);
    job->finish(job->context, &tile);
}

static void product_piece(void *context, uint64_t from, uint64_t to)
{
    struct convolution_job *job = context;
    char *scratch =
        integer_allocate(job->plan.rows, integer_packed_stride(job->weights->packed[0]));
    void *sums = integer_tile_allocate(&job->plan, job->weights->packed[0], job->shape->wide);
    if (scratch == NULL || sums == NULL)
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
    else
        for (uint64_t i = from; i < to; i++)
            product_tile(job, i, scratch, sums);
    free(scratch);
    free(sums);
}

static void run_product(struct convolution_job *job, struct parallel *parallel)
{
    const struct integer_convolution *shape = job->shape;
    integer_plan_tiles(job->weights->packed[0], job->out_count, &job->plan);
    parallel_for(parallel,
                 shape->batch * shape->groups * job->plan.row_tiles * job->plan.column_tiles, 1,
                 product_piece, job);
}

// Depthwise: sums[f] += input[f / multiplier] * weights[f] for a whole position.
static void depthwise_wide(const int16_t *input, const int16_t *weights, uint64_t channels,
                           uint64_t multiplier, int64_t *sums)
{
    for (uint64_t c = 0; c < channels; c++)
        for (uint64_t m = 0; m < multiplier; m++)
            sums[c * multiplier + m] += input[c] * weights[c * multiplier + m];
}

CORE_CLONES(void, depthwise_narrow,
            (const int16_t *input, const int16_t *weights, uint64_t channels, uint64_t multiplier,
             uint32_t *sums),
            (input, weights, channels, multiplier, sums))
{
    for (uint64_t c = 0; c < channels; c++)
        for (uint64_t m = 0; m < multiplier; m++)
            sums[c * multiplier + m] += (uint32_t)(input[c] * weights[c * multiplier + m]);
}

// What some taps of a position see, and what it is multiplied with.
enum { TAPS_MOST = 27 };
struct seen_taps {
    uint64_t count;
    const int16_t *input[TAPS_MOST], *weights[TAPS_MOST];
};

// With as many filters as channels, three taps at a time.
CORE_CLONES(void, depthwise_three,
            (const int16_t *const *input, const int16_t *const *weights, uint64_t channels,
             uint32_t *restrict sums),
            (input, weights, channels, sums))
{
    const int16_t *a = input[0], *b = input[1], *c = input[2];
    const int16_t *u = weights[0], *v = weights[1], *w = weights[2];
    for (uint64_t i = 0; i < channels; i++)
        sums[i] += (uint32_t)(a[i] * u[i]) + (uint32_t)(b[i] * v[i]) + (uint32_t)(c[i] * w[i]);
}

static void depthwise_add(const struct integer_convolution *shape, struct seen_taps *seen,
                          void *sums)
{
    const uint64_t multiplier = shape->filters / shape->channels;
    uint64_t t = 0;
    for (; !shape->wide && multiplier == 1 && t + 3 <= seen->count; t += 3)
        depthwise_three(seen->input + t, seen->weights + t, shape->channels, sums);
    for (; t < seen->count; t++) {
        if (shape->wide)
            depthwise_wide(seen->input[t], seen->weights[t], shape->channels, multiplier, sums);
        else
            depthwise_narrow(seen->input[t], seen->weights[t], shape->channels, multiplier, sums);
    }
    seen->count = 0;
}

static void depthwise_position(const struct convolution_job *job, uint64_t batch, uint64_t position,
                               void *sums)
{
    const struct integer_convolution *shape = job->shape;
    const int16_t *input =
        (const int16_t *)(const void *)job->input + batch * job->in_count * shape->channels;
    const int16_t *weights = job->weights->lines;
    struct seen_taps seen;
    seen.count = 0;
    int64_t start[3];
    split_position(shape, position, start);
    uint64_t tap[3] = {0};
    do {
        uint64_t place;
        if (tap_place(shape, start, tap, &place)) {
            seen.input[seen.count] = input + place * shape->channels;
            seen.weights[seen.count++] = weights;
        }
        if (seen.count == TAPS_MOST)
            depthwise_add(shape, &seen, sums);
        weights += shape->filters;
    } while (next_tap(shape, tap));
    depthwise_add(shape, &seen, sums);
}

// What a whole window sees, by tap.
static void find_places(const struct integer_convolution *shape, int64_t *places)
{
    uint64_t tap[3] = {0};
    do {
        const uint64_t row =
            tap[0] * shape->dilation[0] * shape->in[1] + tap[1] * shape->dilation[1];
        *places++ = (int64_t)((row * shape->in[2] + tap[2] * shape->dilation[2]) * shape->channels);
    } while (next_tap(shape, tap));
}

static bool is_inside(const struct integer_convolution *shape, const int64_t start[3])
{
    bool inside = true;
    for (int d = 0; d < 3; d++) {
        const uint64_t reach = (shape->kernel[d] - 1) * shape->dilation[d];
        inside = inside && start[d] >= 0 && (uint64_t)start[d] + reach < shape->in[d];
    }
    return inside;
}

static void arranged_position(const struct convolution_job *job, uint64_t batch, uint64_t position,
                              uint32_t *sums)
{
    const struct integer_convolution *shape = job->shape;
    const uint64_t channels = shape->channels, taps = integer_convolution_product(shape->kernel);
    const int16_t *input =
        (const int16_t *)(const void *)job->input + batch * job->in_count * channels;
    const int16_t *seen[INTEGER_DEPTHWISE_TAPS + 1];
    int64_t start[3];
    split_position(shape, position, start);
    uint64_t tap[3] = {0}, first = 0;
    const bool inside = is_inside(shape, start) && tap_place(shape, start, tap, &first);
    for (uint64_t t = 0; inside && t < taps; t++)
        seen[t] = input + first * channels + job->places[t];
    for (uint64_t t = 0, place; !inside && t < taps; t++, next_tap(shape, tap))
        seen[t] = tap_place(shape, start, tap, &place) ? input + place * channels : job->padding;
    seen[taps] = job->padding;
    integer_depthwise_sum(job->weights->lanes, seen, taps, job->weights->arranged, channels, sums);
}

static void depthwise_piece(void *context, uint64_t from, uint64_t to)
{
    struct convolution_job *job = context;
    const struct integer_convolution *shape = job->shape;
    const size_t size = shape->wide ? sizeof(int64_t) : sizeof(int32_t);
    const uint64_t room = job->tile_positions * shape->filters + INTEGER_DEPTHWISE_LANES;
    char *sums = integer_allocate(room, size);
    if (sums == NULL) {
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t i = from; i < to; i++) {
        struct integer_tile tile = {.batch = i / job->tiles,
                                    .row = i % job->tiles * job->tile_positions,
                                    .columns = shape->filters,
                                    .stride = shape->filters,
                                    .narrow = shape->wide ? NULL : (int32_t *)(void *)sums,
                                    .wide = shape->wide ? (int64_t *)(void *)sums : NULL};
        const uint64_t left = job->out_count - tile.row;
        tile.rows = left < job->tile_positions ? left : job->tile_positions;
        if (job->padding == NULL)
            memset(sums, 0, (size_t)(tile.rows * shape->filters) * size);
        for (uint64_t r = 0; r < tile.rows && job->padding != NULL; r++)
            arranged_position(job, tile.batch, tile.row + r,
                              (uint32_t *)(void *)sums + r * shape->filters);
        for (uint64_t r = 0; r < tile.rows && job->padding == NULL; r++)
            depthwise_position(job, tile.batch, tile.row + r, sums + r * shape->filters * size);
        job->finish(job->context, &tile);
    }
    free(sums);
}

static void run_depthwise(struct convolution_job *job, struct parallel *parallel)
{
    const struct integer_convolution *shape = job->shape;
    enum { SUMS_MOST = 16 << 10 };
    job->tile_positions = SUMS_MOST / shape->filters + 1;
    job->tiles = (job->out_count + job->tile_positions - 1) / job->tile_positions;
    if (job->weights->arranged != NULL && !shape->wide) {
        find_places(shape, job->places);
        job->padding = calloc(shape->channels + INTEGER_DEPTHWISE_LANES, sizeof *job->padding);
        job->no_memory = job->padding == NULL;
        if (job->no_memory)
            return;
    }
    parallel_for(parallel, shape->batch * job->tiles, 1, depthwise_piece, job);
    free(job->padding);
}

status integer_convolve(const struct integer_convolution *convolution, struct parallel *parallel,
                        integer_finish finish, void *context)
{
    struct convolution_job job = {
        .shape = convolution,
        .in_count = integer_convolution_product(convolution->in),
        .out_count = integer_convolution_product(convolution->out),
        .finish = finish,
        .context = context,
    };
    if (convolution->batch == 0 || job.out_count == 0 || convolution->filters == 0)
        return STATUS_OK;
    const bool depthwise =
        convolution->channels == convolution->groups && convolution->channels > 1;
    const int64_t zero = convolution->zero_point + integer_bytes_lift(convolution->element);
    job.form = INTEGER_PAIRS;
    // As bytes padding is one, too.
    if (!depthwise && zero >= 0 && zero <= UINT8_MAX)
        job.form =
            integer_form_of(convolution->element, convolution->weights.element, convolution->wide);
    job.size = job.form == INTEGER_BYTES ? 1 : sizeof(int16_t);
    job.zero = job.form == INTEGER_BYTES ? (uint8_t)zero : 0;
    struct integer_weights *weights;
    STATUS_TRY(integer_weights_take(&convolution->weights, convolution->groups, depthwise, job.form,
                                    convolution->keep, &weights));
    job.weights = weights;
    const uint64_t positions = convolution->batch * job.in_count;
    // A few more, so that the last row can be read in whole lines, and in whole vectors.
    enum { MORE = INTEGER_DEPTHWISE_LANES };
    const uint64_t numbers = positions * convolution->channels;
    job.input = integer_allocate(numbers + MORE, job.size);
    if (job.input != NULL) {
        memset(job.input + numbers * job.size, 0, (size_t)(MORE * job.size));
        parallel_for(parallel, positions, 4096, integer_convolution_widen_piece, &job);
        if (depthwise)
            run_depthwise(&job, parallel);
        else
            run_product(&job, parallel);
    }
    const bool done = job.input != NULL && !job.no_memory;
    free(job.input);
    integer_weights_release(weights, convolution->keep);
    return done ? STATUS_OK : status_no_memory("a convolution");
}
