#include "images.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clones.h"

enum {
    PIECE = 1 << 15, // elements that are worth a piece of their own
    CHANNELS = 512,  // that are added up at a time
    TAPS_MOST = 32,
    FEW = 4,      // rows that are turned one element at a time
    STRIP = 2048, // columns of few rows
    SQUARE = 16,  // of elements that change places at a time
};

struct job {
    const struct images_pool *pool;
    const void *source;
    void *result;
};

// The part of a window that lies within the input: taps [first, last) along an axis.
struct taps {
    int64_t start, first, last;
};

static struct taps taps_of(const struct window *window, uint32_t axis, int64_t place)
{
    const int64_t start = place * window->stride[axis] - window->pad[axis];
    const int64_t step = window->dilation[axis];
    const int64_t left = window->input[axis] - start;
    struct taps taps = {start, start < 0 ? (-start + step - 1) / step : 0,
                        left > 0 ? (left + step - 1) / step : 0};
    if (taps.last > window->kernel[axis])
        taps.last = window->kernel[axis];
    if (taps.last < taps.first)
        taps.last = taps.first;
    return taps;
}

// Taps that see the input or its padding: the last window may reach beyond both.
static int64_t padded_taps(const struct window *window, uint32_t axis, int64_t start)
{
    const int64_t left = window->input[axis] + window->pad_end[axis] - start;
    const int64_t step = window->dilation[axis];
    const int64_t taps = (left + step - 1) / step;
    return taps < window->kernel[axis] ? taps : window->kernel[axis];
}

static uint64_t rows_per_piece(const struct images_pool *pool)
{
    const uint64_t row = (uint64_t)(pool->window.output[1] * pool->channels *
                                    pool->window.kernel[0] * pool->window.kernel[1]);
    return row < PIECE ? PIECE / (row + 1) + 1 : 1;
}

// The pixels that a window sees; at most TAPS_MOST at a time.
static int64_t find_taps(const struct window *window, const struct taps *rows,
                         const struct taps *columns, int64_t first, int64_t *places)
{
    int64_t count = 0;
    const int64_t wide = columns->last - columns->first;
    if (wide <= 0)
        return 0;
    int64_t row = rows->first + first / wide, column = columns->first + first % wide;
    for (; row < rows->last && count < TAPS_MOST; row++, column = columns->first) {
        const int64_t line = (rows->start + row * window->dilation[0]) * window->input[1];
        for (; column < columns->last && count < TAPS_MOST; column++)
            places[count++] = line + columns->start + column * window->dilation[1];
    }
    return count;
}

#define MAX_ROWS(name, type, lowest)                                                               \
    CORE_CLONES(                                                                                   \
        void, name##_taps,                                                                         \
        (const type *image, const int64_t *places, int64_t count, int64_t channels, type *to),     \
        (image, places, count, channels, to))                                                      \
    {                                                                                              \
        for (int64_t tap = 0; tap < count; tap++) {                                                \
            const type *from = image + places[tap] * channels;                                     \
            for (int64_t i = 0; i < channels; i++)                                                 \
                to[i] = from[i] > to[i] ? from[i] : to[i];                                         \
        }                                                                                          \
    }                                                                                              \
    static void name##_pixel(const struct job *job, const type *image, int64_t y, int64_t x,       \
                             type *to)                                                             \
    {                                                                                              \
        const struct window *window = &job->pool->window;                                          \
        const int64_t channels = job->pool->channels;                                              \
        const struct taps rows = taps_of(window, 0, y);                                            \
        const struct taps columns = taps_of(window, 1, x);                                         \
        int64_t places[TAPS_MOST];                                                                 \
        for (int64_t i = 0; i < channels; i++)                                                     \
            to[i] = lowest;                                                                        \
        for (int64_t first = 0;; first += TAPS_MOST) {                                             \
            const int64_t count = find_taps(window, &rows, &columns, first, places);               \
            if (count == 0)                                                                        \
                return;                                                                            \
            name##_taps(image, places, count, channels, to);                                       \
        }                                                                                          \
    }                                                                                              \
    static void name##_piece(void *context, uint64_t from, uint64_t to)                            \
    {                                                                                              \
        const struct job *job = context;                                                           \
        const struct window *window = &job->pool->window;                                          \
        const int64_t channels = job->pool->channels;                                              \
        for (uint64_t row = from; row < to; row++) {                                               \
            const int64_t batch = (int64_t)row / window->output[0];                                \
            const type *image = (const type *)job->source +                                        \
                                batch * window->input[0] * window->input[1] * channels;            \
            type *result = (type *)job->result + (int64_t)row * window->output[1] * channels;      \
            for (int64_t x = 0; x < window->output[1]; x++)                                        \
                name##_pixel(job, image, (int64_t)row % window->output[0], x,                      \
                             result + x * channels);                                               \
        }                                                                                          \
    }

MAX_ROWS(max_f32, float, -INFINITY)
MAX_ROWS(max_i8, int8_t, INT8_MIN)
MAX_ROWS(max_u8, uint8_t, 0)

void images_pool_max(const struct images_pool *pool, enum element element, const void *source,
                     void *result, struct parallel *parallel)
{
    struct job job = {pool, source, result};
    parallel_for(parallel, (uint64_t)(pool->batch * pool->window.output[0]), rows_per_piece(pool),
                 element == ELEMENT_F32  ? max_f32_piece
                 : element == ELEMENT_I8 ? max_i8_piece
                                         : max_u8_piece,
                 &job);
}

CORE_CLONES(void, add_row, (const float *from, float *to, int64_t channels), (from, to, channels))
{
    for (int64_t i = 0; i < channels; i++)
        to[i] += from[i];
}

static void average_pixel(const struct job *job, const float *image, int64_t y, int64_t x,
                          float *to)
{
    const struct window *window = &job->pool->window;
    const int64_t channels = job->pool->channels;
    const struct taps rows = taps_of(window, 0, y);
    const struct taps columns = taps_of(window, 1, x);
    memset(to, 0, (size_t)channels * sizeof *to);
    for (int64_t i = rows.first; i < rows.last; i++) {
        const int64_t row = rows.start + i * window->dilation[0];
        for (int64_t j = columns.first; j < columns.last; j++) {
            const int64_t column = columns.start + j * window->dilation[1];
            add_row(image + (row * window->input[1] + column) * channels, to, channels);
        }
    }
    const int64_t seen = (rows.last - rows.first) * (columns.last - columns.first);
    const int64_t all = job->pool->with_pads ? padded_taps(window, 0, rows.start) *
                                                   padded_taps(window, 1, columns.start)
                                             : seen;
    for (int64_t i = 0; all > 0 && i < channels; i++)
        to[i] /= (float)all;
}

static void average_piece(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    const struct window *window = &job->pool->window;
    const int64_t channels = job->pool->channels;
    for (uint64_t row = from; row < to; row++) {
        const int64_t batch = (int64_t)row / window->output[0];
        const float *image =
            (const float *)job->source + batch * window->input[0] * window->input[1] * channels;
        float *result = (float *)job->result + (int64_t)row * window->output[1] * channels;
        for (int64_t x = 0; x < window->output[1]; x++)
            average_pixel(job, image, (int64_t)row % window->output[0], x, result + x * channels);
    }
}

void images_pool_average(const struct images_pool *pool, const float *source, float *result,
                         struct parallel *parallel)
{
    struct job job = {pool, source, result};
    parallel_for(parallel, (uint64_t)(pool->batch * pool->window.output[0]), rows_per_piece(pool),
                 average_piece, &job);
}

struct mean_job {
    int64_t pixels, channels, parts;
    const float *source;
    float *result;
};

CORE_CLONES(void, add_wide, (const float *from, double *to, int64_t channels), (from, to, channels))
{
    for (int64_t i = 0; i < channels; i++)
        to[i] += (double)from[i];
}

static void mean_piece(void *context, uint64_t from, uint64_t to)
{
    const struct mean_job *job = context;
    for (uint64_t i = from; i < to; i++) {
        const int64_t batch = (int64_t)i / job->parts;
        const int64_t first = (int64_t)i % job->parts * CHANNELS;
        const int64_t left = job->channels - first;
        const int64_t count = left < CHANNELS ? left : CHANNELS;
        double sums[CHANNELS] = {0};
        const float *at = job->source + batch * job->pixels * job->channels + first;
        for (int64_t pixel = 0; pixel < job->pixels; pixel++)
            add_wide(at + pixel * job->channels, sums, count);
        for (int64_t j = 0; j < count; j++)
            job->result[batch * job->channels + first + j] = (float)(sums[j] / (double)job->pixels);
    }
}

void images_mean(int64_t batch, int64_t pixels, int64_t channels, const float *source,
                 float *result, struct parallel *parallel)
{
    struct mean_job job = {pixels, channels, (channels + CHANNELS - 1) / CHANNELS, source, result};
    parallel_for(parallel, (uint64_t)(batch * job.parts), 1, mean_piece, &job);
}

struct join_job {
    uint64_t bytes, all, at;
    const char *source;
    char *result;
};

static void join_piece(void *context, uint64_t from, uint64_t to)
{
    const struct join_job *job = context;
    for (uint64_t i = from; i < to; i++)
        memcpy(job->result + i * job->all + job->at, job->source + i * job->bytes, job->bytes);
}

void images_join(uint64_t pixels, uint64_t channels, uint64_t all, uint64_t at, uint32_t size,
                 const void *source, void *result, struct parallel *parallel)
{
    struct join_job job = {channels * size, all * size, at * size, source, result};
    parallel_for(parallel, pixels, 2 * PIECE / (job.bytes + 1) + 1, join_piece, &job);
}

struct spread_job {
    uint64_t columns, high, wide;
    const float *source;
    float *result;
};

static void spread_piece(void *context, uint64_t from, uint64_t to)
{
    const struct spread_job *job = context;
    for (uint64_t row = from; row < to; row++) {
        for (uint64_t i = 0; i < job->high; i++) {
            float *line = job->result + (row * job->high + i) * job->columns * job->wide;
            for (uint64_t j = 0; j < job->columns; j++)
                memcpy(line + j * job->wide,
                       job->source + ((row * job->columns + j) * job->high + i) * job->wide,
                       job->wide * sizeof *line);
        }
    }
}

void images_spread(uint64_t rows, uint64_t columns, uint64_t high, uint64_t wide,
                   const float *source, float *result, struct parallel *parallel)
{
    struct spread_job job = {columns, high, wide, source, result};
    parallel_for(parallel, rows, PIECE / (columns * high * wide + 1) + 1, spread_piece, &job);
}

// Turning -------------------------------------------------------------------------------

struct turn_job {
    uint64_t rows, columns; // of each matrix
    uint64_t width;         // columns of a strip
    uint64_t strips;
    const char *source;
    char *result;
};

#define TURN(name, type)                                                                           \
    CORE_CLONES(void, name##_strip,                                                                \
                (const type *from, type *to, uint64_t rows, uint64_t columns, uint64_t wide),      \
                (from, to, rows, columns, wide))                                                   \
    {                                                                                              \
        for (uint64_t j = 0; rows == 3 && j < wide; j++) {                                         \
            to[j * 3] = from[j];                                                                   \
            to[j * 3 + 1] = from[columns + j];                                                     \
            to[j * 3 + 2] = from[2 * columns + j];                                                 \
        }                                                                                          \
        for (uint64_t row = 0; rows != 3 && row < rows; row += SQUARE) {                           \
            const uint64_t high = rows - row < SQUARE ? rows - row : SQUARE;                       \
            for (uint64_t j = 0; j < wide; j++) {                                                  \
                for (uint64_t i = 0; i < high; i++)                                                \
                    to[j * rows + row + i] = from[(row + i) * columns + j];                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_piece(void *context, uint64_t first, uint64_t last)                         \
    {                                                                                              \
        const struct turn_job *job = context;                                                      \
        for (uint64_t i = first; i < last; i++) {                                                  \
            const uint64_t matrix = i / job->strips * job->rows * job->columns;                    \
            const uint64_t column = i % job->strips * job->width;                                  \
            const uint64_t left = job->columns - column;                                           \
            name##_strip((const type *)(const void *)job->source + matrix + column,                \
                         (type *)(void *)job->result + matrix + column * job->rows, job->rows,     \
                         job->columns, left < job->width ? left : job->width);                     \
        }                                                                                          \
    }

TURN(turn_4, uint32_t)
TURN(turn_1, uint8_t)

static void turn(uint64_t batch, uint64_t rows, uint64_t columns, uint32_t size, const void *source,
                 void *result, struct parallel *parallel)
{
    const uint64_t width = rows <= FEW ? STRIP : SQUARE;
    struct turn_job job = {rows, columns, width, (columns + width - 1) / width, source, result};
    parallel_for(parallel, batch * job.strips, PIECE / (rows * width) + 1,
                 size == 1 ? turn_1_piece : turn_4_piece, &job);
}

void images_to_last(int64_t batch, int64_t channels, int64_t pixels, uint32_t size,
                    const void *source, void *result, struct parallel *parallel)
{
    turn((uint64_t)batch, (uint64_t)channels, (uint64_t)pixels, size, source, result, parallel);
}

void images_to_first(int64_t batch, int64_t channels, int64_t pixels, uint32_t size,
                     const void *source, void *result, struct parallel *parallel)
{
    turn((uint64_t)batch, (uint64_t)pixels, (uint64_t)channels, size, source, result, parallel);
}
