#include "images.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clones.h"

enum {
    PIECE = 1 << 15,     // elements that are worth a piece of their own
    CHANNELS = 16,       // that stay together, a line of the cache
    CHANNELS_MOST = 512, // that are added up at a time
    PIXELS_TOGETHER = 4,
    TAPS_MOST = 64,
    FEW = 4,      // rows that are turned one element at a time
    STRIP = 2048, // columns of few rows
    SQUARE = 16,  // of elements that change places at a time
};

// The part of a window that lies within the input: taps [first, last) along an axis.
struct taps {
    int64_t start, first, last;
};

struct pooled_row;

struct job {
    const struct images_pool *pool;
    const void *source;
    void *result;
    int64_t size; // bytes of an element
    // The window that begins at a column of a row.
    void (*pixel)(const struct pooled_row *row, const struct taps *columns, void *to);
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

// Taps of a window, at most TAPS_MOST of them: where their pixels are, in elements from the
// window's own place.
struct seen {
    int64_t count;
    int64_t places[TAPS_MOST];
};

// From the tap `first` of those that see the input on.
static void find_seen(const struct images_pool *pool, const struct taps *rows,
                      const struct taps *columns, int64_t first, struct seen *seen)
{
    const struct window *window = &pool->window;
    const int64_t wide = columns->last - columns->first;
    seen->count = 0;
    if (wide <= 0)
        return;
    int64_t row = rows->first + first / wide, column = columns->first + first % wide;
    for (; row < rows->last && seen->count < TAPS_MOST; row++, column = columns->first) {
        const int64_t line = row * window->dilation[0] * window->input[1];
        for (; column < columns->last && seen->count < TAPS_MOST; column++)
            seen->places[seen->count++] = (line + column * window->dilation[1]) * pool->channels;
    }
}

#define MAX_OF(x, most) ((x) > (most) ? (x) : (most))
#define SUM_OF(x, sum) ((x) + (sum))
#define MAX_OF_LINES(x, most)                                                                      \
    ((line)((((x) > (most)) & (__typeof__((x) > (most)))(x)) |                                     \
            (~((x) > (most)) & (__typeof__((x) > (most)))(most))))
#define SUM_OF_LINES(x, sum) ((x) + (sum))

// Channels of `lines` vectors, while there are so many: they stay in registers for all taps.
#define POOL_LINES(bytes, lines, type, lowest, COMBINE)                                            \
    {                                                                                              \
        enum { LANES = (bytes) / sizeof(type) };                                                   \
        typedef type line __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias));   \
        for (; channel + (lines)*LANES <= channels; channel += (lines)*LANES) {                    \
            line kept[lines];                                                                      \
            _Pragma("GCC unroll 4") for (int j = 0; j < (lines); j++)                              \
            {                                                                                      \
                kept[j] = (line){0} + (type)(lowest);                                              \
                if (begun)                                                                         \
                    kept[j] = *(const line *)(to + channel + j * LANES);                           \
            }                                                                                      \
            for (int64_t i = 0; i < seen->count; i++) {                                            \
                const type *at = image + seen->places[i] + channel;                                \
                _Pragma("GCC unroll 4") for (int j = 0; j < (lines); j++)                          \
                {                                                                                  \
                    const line x = *(const line *)(at + j * LANES);                                \
                    kept[j] = COMBINE##_LINES(x, kept[j]);                                         \
                }                                                                                  \
            }                                                                                      \
            _Pragma("GCC unroll 4") for (int j = 0; j < (lines); j++)                              \
            {                                                                                      \
                *(line *)(to + channel + j * LANES) = kept[j];                                     \
            }                                                                                      \
        }                                                                                          \
    }

// Pools the channels of one window, whose first pixel is `image`, by vectors of `bytes`. What has
// `begun` goes on with what is there already.
#define POOL_TAPS_BY(name, attributes, bytes, type, lowest, COMBINE)                               \
    attributes static void name(const type *image, const struct seen *seen, int64_t channels,      \
                                bool begun, type *restrict to)                                     \
    {                                                                                              \
        int64_t channel = 0;                                                                       \
        POOL_LINES(bytes, 4, type, lowest, COMBINE)                                                \
        POOL_LINES(bytes, 1, type, lowest, COMBINE)                                                \
        if ((bytes) > 32)                                                                          \
            POOL_LINES(32, 1, type, lowest, COMBINE)                                               \
        for (; channel < channels; channel++) {                                                    \
            type kept = begun ? to[channel] : (type)(lowest);                                      \
            for (int64_t i = 0; i < seen->count; i++)                                              \
                kept = COMBINE(image[seen->places[i] + channel], kept);                            \
            to[channel] = kept;                                                                    \
        }                                                                                          \
    }

// By the vectors that a machine has: longer ones are taken apart badly.
#if defined(CORE_CLONES_AVX512)
#define POOL_TAPS_CHOSEN(name, type, lowest, COMBINE)                                              \
    POOL_TAPS_BY(name##_by_16, , 16, type, lowest, COMBINE)                                        \
    POOL_TAPS_BY(name##_by_32, CORE_CLONES_AVX2, 32, type, lowest, COMBINE)                        \
    POOL_TAPS_BY(name##_by_64, CORE_CLONES_AVX512, 64, type, lowest, COMBINE)                      \
    static void name(const type *image, const struct seen *seen, int64_t channels, bool begun,     \
                     type *to)                                                                     \
    {                                                                                              \
        const enum isa isa = isa_used();                                                           \
        (isa >= ISA_AVX512 ? name##_by_64                                                          \
         : isa == ISA_AVX2 ? name##_by_32                                                          \
                           : name##_by_16)(image, seen, channels, begun, to);                      \
    }
#else
#define POOL_TAPS_CHOSEN(name, type, lowest, COMBINE)                                              \
    POOL_TAPS_BY(name, , 16, type, lowest, COMBINE)
#endif

#define POOL_TAPS(name, type, lowest, COMBINE)                                                     \
    POOL_TAPS_CHOSEN(name##_taps, type, lowest, COMBINE)                                           \
    static void name##_pixel(const struct pooled_row *row, const struct taps *columns, void *to)   \
    {                                                                                              \
        const int64_t channels = row->job->pool->channels;                                         \
        const int64_t all = (row->rows.last - row->rows.first) * (columns->last - columns->first); \
        const type *image =                                                                        \
            (const type *)row->image + row->rows.start * row->line + columns->start * channels;    \
        struct seen more;                                                                          \
        name##_taps(image, row->seen, channels, false, to);                                        \
        for (int64_t first = TAPS_MOST; first < all; first += TAPS_MOST) {                         \
            find_seen(row->job->pool, &row->rows, columns, first, &more);                          \
            name##_taps(image, &more, channels, true, to);                                         \
        }                                                                                          \
    }

// A row of the output while it is made.
struct pooled_row {
    const struct job *job;
    struct taps rows;
    const void *image;
    int64_t line;            // elements of a row of the input
    const struct seen *seen; // the first taps of the window at hand
};

POOL_TAPS(max_f32, float, -INFINITY, MAX_OF)
POOL_TAPS(max_i8, int8_t, INT8_MIN, MAX_OF)
POOL_TAPS(max_u8, uint8_t, 0, MAX_OF)
POOL_TAPS(sum_f32, float, 0, SUM_OF)

CORE_CLONES(void, divide_pixel, (float *to, int64_t channels, float count), (to, channels, count))
{
    for (int64_t i = 0; i < channels; i++)
        to[i] /= count;
}

static void average_pixel(const struct pooled_row *row, const struct taps *columns, void *to)
{
    const struct images_pool *pool = row->job->pool;
    const int64_t seen = (row->rows.last - row->rows.first) * (columns->last - columns->first);
    const int64_t all = pool->with_pads ? padded_taps(&pool->window, 0, row->rows.start) *
                                              padded_taps(&pool->window, 1, columns->start)
                                        : seen;
    sum_f32_pixel(row, columns, to);
    if (all > 0)
        divide_pixel(to, pool->channels, (float)all);
}

static void pool_rows(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    const struct window *window = &job->pool->window;
    const int64_t channels = job->pool->channels, size = job->size;
    for (uint64_t y = from; y < to; y++) {
        const int64_t batch = (int64_t)y / window->output[0];
        struct seen seen;
        struct pooled_row row = {job, taps_of(window, 0, (int64_t)y % window->output[0]),
                                 (const char *)job->source +
                                     batch * window->input[0] * window->input[1] * channels * size,
                                 window->input[1] * channels, &seen};
        char *result = (char *)job->result + (int64_t)y * window->output[1] * channels * size;
        struct taps before = {0, -1, -1};
        for (int64_t x = 0; x < window->output[1]; x++, result += channels * size) {
            const struct taps columns = taps_of(window, 1, x);
            if (columns.first != before.first || columns.last != before.last)
                find_seen(job->pool, &row.rows, &columns, 0, &seen);
            before = columns;
            job->pixel(&row, &columns, result);
        }
    }
}

void images_pool_max(const struct images_pool *pool, enum element element, const void *source,
                     void *result, struct parallel *parallel)
{
    struct job job = {pool, source, result, (int64_t)element_size(element),
                      element == ELEMENT_F32  ? max_f32_pixel
                      : element == ELEMENT_I8 ? max_i8_pixel
                                              : max_u8_pixel};
    parallel_for(parallel, (uint64_t)(pool->batch * pool->window.output[0]), rows_per_piece(pool),
                 pool_rows, &job);
}

void images_pool_average(const struct images_pool *pool, const float *source, float *result,
                         struct parallel *parallel)
{
    struct job job = {pool, source, result, sizeof *source, average_pixel};
    parallel_for(parallel, (uint64_t)(pool->batch * pool->window.output[0]), rows_per_piece(pool),
                 pool_rows, &job);
}

struct mean_job {
    int64_t pixels, channels;
    int64_t each, parts; // channels of a part, and parts of an image
    const float *source;
    float *result;
};

// Adds `count` channels of PIXELS_TOGETHER pixels, one pixel after the other.
CORE_CLONES(void, add_pixels, (const float *from, int64_t channels, int64_t count, double *sums),
            (from, channels, count, sums))
{
    const float *a = from, *b = a + channels, *c = b + channels, *d = c + channels;
    for (int64_t i = 0; i < count; i++)
        sums[i] = sums[i] + (double)a[i] + (double)b[i] + (double)c[i] + (double)d[i];
}

CORE_CLONES(void, add_pixel, (const float *from, int64_t count, double *sums), (from, count, sums))
{
    for (int64_t i = 0; i < count; i++)
        sums[i] += (double)from[i];
}

// Of the channels from `from` on, at most CHANNELS_MOST.
static void mean_of(const struct mean_job *job, const float *from, int64_t count, float *to)
{
    double sums[CHANNELS_MOST] = {0};
    int64_t pixel = 0;
    for (; pixel + PIXELS_TOGETHER <= job->pixels; pixel += PIXELS_TOGETHER)
        add_pixels(from + pixel * job->channels, job->channels, count, sums);
    for (; pixel < job->pixels; pixel++)
        add_pixel(from + pixel * job->channels, count, sums);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(sums[i] / (double)job->pixels);
}

static void mean_piece(void *context, uint64_t from, uint64_t to)
{
    const struct mean_job *job = context;
    for (uint64_t i = from; i < to; i++) {
        const int64_t batch = (int64_t)i / job->parts, first = (int64_t)i % job->parts * job->each;
        const int64_t left = job->channels - first;
        mean_of(job, job->source + batch * job->pixels * job->channels + first,
                left < job->each ? left : job->each, job->result + batch * job->channels + first);
    }
}

void images_mean(int64_t batch, int64_t pixels, int64_t channels, const float *source,
                 float *result, struct parallel *parallel)
{
    // Two parts at least where there is enough to do.
    const int64_t least = pixels * channels > PIECE / 2 ? 2 : 1;
    const int64_t many = (channels + CHANNELS_MOST - 1) / CHANNELS_MOST;
    const int64_t parts = many > least ? many : least;
    const int64_t lines = (channels + CHANNELS - 1) / CHANNELS;
    const int64_t each = (lines + parts - 1) / parts * CHANNELS;
    struct mean_job job = {pixels, channels, each, (channels + each - 1) / each, source, result};
    parallel_for(parallel, (uint64_t)(batch * job.parts), 1, mean_piece, &job);
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
