// Integer convolutions: the input is widened once, channels last, so that every
// kernel position is a run of channels; then rows of the matrix are gathered run
// by run, or, depthwise, multiplied where they lie.

#include <stdlib.h>
#include <string.h>

#include "integer_core.h"
#include "isa.h"

struct convolution_job {
    const struct integer_convolution *shape;
    int16_t *input;    // batch, in..., channels
    uint64_t in_count; // positions of the input
    uint64_t out_count;
    const struct integer_weights *weights;
    struct integer_plan plan;       // of a product
    uint64_t tile_positions, tiles; // of a depthwise one
    integer_finish finish;
    void *context;
    bool no_memory; // set by any piece
};

static uint64_t integer_convolution_product(const uint64_t dims[3])
{
    return dims[0] * dims[1] * dims[2];
}

static void integer_convolution_widen_piece(void *context, uint64_t from, uint64_t to)
{
    const struct convolution_job *job = context;
    const struct integer_convolution *shape = job->shape;
    const uint64_t channels = shape->channels;
    if (shape->channels_last) {
        integer_widen(shape->element, shape->input, from * channels, 1, (to - from) * channels,
                      shape->zero_point, job->input + from * channels);
        return;
    }
    while (from < to) {
        const uint64_t batch = from / job->in_count;
        const uint64_t position = from % job->in_count;
        uint64_t count = job->in_count - position;
        count = to - from < count ? to - from : count;
        enum { BLOCK = 64 };
        int16_t line[BLOCK];
        for (uint64_t start = 0; start < count; start += BLOCK) {
            const uint64_t length = count - start < BLOCK ? count - start : BLOCK;
            for (uint64_t c = 0; c < channels; c++) {
                integer_widen(shape->element, shape->input,
                              (batch * channels + c) * job->in_count + position + start, 1, length,
                              shape->zero_point, line);
                int16_t *out = job->input + (from + start) * channels + c;
                for (uint64_t i = 0; i < length; i++)
                    out[i * channels] = line[i];
            }
        }
        from += count;
    }
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
                       uint64_t position, int16_t *out)
{
    const struct integer_convolution *shape = job->shape;
    const uint64_t count = shape->channels / shape->groups;
    const int16_t *input = job->input + batch * job->in_count * shape->channels + group * count;
    int64_t start[3];
    split_position(shape, position, start);
    uint64_t tap[3] = {0};
    do {
        uint64_t place;
        if (tap_place(shape, start, tap, &place))
            memcpy(out, input + place * shape->channels, (size_t)count * sizeof *out);
        else
            memset(out, 0, (size_t)count * sizeof *out);
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

static void product_tile(const struct convolution_job *job, uint64_t index, int16_t *scratch,
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
    if (is_pointwise(shape)) {
        const int16_t *rows = job->input + (batch * job->in_count + tile.row) * shape->channels;
        integer_multiply(packed, rows, shape->channels, &tile, sums);
    } else {
        const uint64_t stride = integer_packed_stride(packed);
        for (uint64_t r = 0; r < tile.rows; r++) {
            scratch[r * stride + stride - (stride > 0)] = 0;
            gather_row(job, batch, group, tile.row + r, scratch + r * stride);
        }
        integer_multiply(packed, scratch, stride, &tile, sums);
    }
    tile.column += group * (shape->filters / shape->groups);
    job->finish(job->context, &tile);
}

static void product_piece(void *context, uint64_t from, uint64_t to)
{
    struct convolution_job *job = context;
    int16_t *scratch =
        integer_allocate(job->plan.rows * integer_packed_stride(job->weights->packed[0]) + 1);
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
#define DEPTHWISE_BODY(sum_type, product_type)                                                     \
    if (multiplier == 1)                                                                           \
        for (uint64_t c = 0; c < channels; c++)                                                    \
            sums[c] += (sum_type)(product_type)(input[c] * weights[c]);                            \
    else                                                                                           \
        for (uint64_t c = 0; c < channels; c++)                                                    \
            for (uint64_t m = 0; m < multiplier; m++)                                              \
                sums[c * multiplier + m] +=                                                        \
                    (sum_type)(product_type)(input[c] * weights[c * multiplier + m]);

#define DEPTHWISE_FUNCTION(name, attributes, sum_type)                                             \
    attributes static void name(const int16_t *restrict input, const int16_t *restrict weights,    \
                                uint64_t channels, uint64_t multiplier, sum_type *restrict sums)   \
    {                                                                                              \
        DEPTHWISE_BODY(sum_type, int32_t)                                                          \
    }

DEPTHWISE_FUNCTION(depthwise_narrow, , uint32_t)
DEPTHWISE_FUNCTION(depthwise_wide, , int64_t)
#if defined(__x86_64__)
DEPTHWISE_FUNCTION(depthwise_narrow_avx2, __attribute__((target("avx2"))), uint32_t)
#else
#define depthwise_narrow_avx2 depthwise_narrow
#endif

static void depthwise_position(const struct convolution_job *job, uint64_t batch, uint64_t position,
                               bool avx2, void *sums)
{
    const struct integer_convolution *shape = job->shape;
    const uint64_t multiplier = shape->filters / shape->channels;
    const int16_t *input = job->input + batch * job->in_count * shape->channels;
    const int16_t *weights = job->weights->lines;
    int64_t start[3];
    split_position(shape, position, start);
    uint64_t tap[3] = {0};
    do {
        uint64_t place;
        if (tap_place(shape, start, tap, &place)) {
            const int16_t *from = input + place * shape->channels;
            if (shape->wide)
                depthwise_wide(from, weights, shape->channels, multiplier, sums);
            else if (avx2)
                depthwise_narrow_avx2(from, weights, shape->channels, multiplier, sums);
            else
                depthwise_narrow(from, weights, shape->channels, multiplier, sums);
        }
        weights += shape->filters;
    } while (next_tap(shape, tap));
}

static void depthwise_piece(void *context, uint64_t from, uint64_t to)
{
    struct convolution_job *job = context;
    const struct integer_convolution *shape = job->shape;
    const size_t size = shape->wide ? sizeof(int64_t) : sizeof(int32_t);
    const bool avx2 = isa_used() >= ISA_AVX2;
    char *sums = malloc((size_t)(job->tile_positions * shape->filters) * size);
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
        memset(sums, 0, (size_t)(tile.rows * shape->filters) * size);
        for (uint64_t r = 0; r < tile.rows; r++)
            depthwise_position(job, tile.batch, tile.row + r, avx2,
                               sums + r * shape->filters * size);
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
    parallel_for(parallel, shape->batch * job->tiles, 1, depthwise_piece, job);
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
    struct integer_weights *weights;
    STATUS_TRY(integer_weights_take(&convolution->weights, convolution->groups, depthwise,
                                    convolution->keep, &weights));
    job.weights = weights;
    const uint64_t positions = convolution->batch * job.in_count;
    // One more, so that a row of odd depth can be read in pairs.
    job.input = integer_allocate(positions * convolution->channels + 1);
    if (job.input != NULL) {
        job.input[positions * convolution->channels] = 0;
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
