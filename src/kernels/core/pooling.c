#include "pooling.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "clones.h"
#include "sliding.h"

enum {
    PIECE_STEPS = 1 << 15, // elements looked at that are worth a piece
    LINE_MOST = 2048,      // elements of a row that are combined before the window slides over it
};

// What one row of the output is computed from.
struct task {
    const struct pooling *pooling;
    int64_t *indices;
    bool column_major;
    bool with_pads;
    const int32_t *counts; // of an average: taps that count, by place along the last dimension
    double power;
    int64_t input_area;
    int64_t rows; // of the output, in each plane
    // Of the place of an element in its plane, as indices count it.
    int64_t index_steps[WINDOW_SPATIAL_MOST];
};

typedef void (*row_function)(const struct task *task, int64_t plane, const int64_t *row,
                             uint64_t index);

static uint64_t last_of(const struct task *task)
{
    return task->pooling->window.spatial - 1;
}

// The source row that a row of the output sees under a tap of the outer dimensions,
// or -1 for padding.
static int64_t source_row(const struct window *window, const int64_t *row, const int64_t *tap,
                          const int64_t *steps, int64_t *out_index)
{
    int64_t offset = 0;
    *out_index = 0;
    for (uint32_t d = 0; d + 1 < window->spatial; d++) {
        const int64_t at =
            row[d] * window->stride[d] - window->pad[d] + tap[d] * window->dilation[d];
        if (at < 0 || at >= window->input[d])
            return -1;
        offset = offset * window->input[d] + at;
        *out_index += at * steps[d];
    }
    return offset * window->input[window->spatial - 1];
}

// Calls `body` for all taps of a row: `line` is the source under the tap, so that output x
// sees line[x * step] for x of `range`.
#define FOR_TAPS(type, body)                                                                       \
    do {                                                                                           \
        const struct window *window = &task->pooling->window;                                      \
        const uint64_t last = last_of(task);                                                       \
        const int64_t step = window->stride[last];                                                 \
        const type *source = (const type *)task->pooling->source + plane * task->input_area;       \
        int64_t tap[WINDOW_SPATIAL_MOST] = {0};                                                    \
        do {                                                                                       \
            int64_t place;                                                                         \
            const int64_t offset = source_row(window, row, tap, task->index_steps, &place);        \
            for (int64_t k = 0; offset >= 0 && k < window->kernel[last]; k++) {                    \
                const int64_t start = k * window->dilation[last] - window->pad[last];              \
                const struct sliding_range range =                                                 \
                    sliding_inside(window->output[last], step, start, window->input[last]);        \
                const type *line = source + offset;                                                \
                body                                                                               \
            }                                                                                      \
        } while (sliding_advance(last, window->kernel, tap));                                      \
    } while (0)

// A row of the output, made of `lowest` and all that its windows see by `combine(seen, so_far)`.
// The rows under the taps of the outer dimensions are combined first, then the window
// slides over the one row that they give.
#define DEFINE_COMBINED(type, name, lowest, combine)                                               \
    CORE_CLONES(void, name##_fold,                                                                 \
                (type *restrict line, const type *restrict seen, int64_t count),                   \
                (line, seen, count))                                                               \
    {                                                                                              \
        for (int64_t x = 0; x < count; x++)                                                        \
            line[x] = combine(seen[x], line[x]);                                                   \
    }                                                                                              \
                                                                                                   \
    /* Steps of 1 and 2 are those that become vectors. */                                          \
    CORE_CLONES(void, name##_slide,                                                                \
                (type *restrict out, const type *restrict line, int64_t count, int64_t step),      \
                (out, line, count, step))                                                          \
    {                                                                                              \
        if (step == 1) {                                                                           \
            for (int64_t x = 0; x < count; x++)                                                    \
                out[x] = combine(line[x], out[x]);                                                 \
        } else if (step == 2) {                                                                    \
            for (int64_t x = 0; x < count; x++)                                                    \
                out[x] = combine(line[2 * x], out[x]);                                             \
        } else {                                                                                   \
            for (int64_t x = 0; x < count; x++)                                                    \
                out[x] = combine(line[x * step], out[x]);                                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name##_taps(const struct window *window, const type *line, type *out)              \
    {                                                                                              \
        const uint32_t last = window->spatial - 1;                                                 \
        const int64_t step = window->stride[last];                                                 \
        for (int64_t k = 0; k < window->kernel[last]; k++) {                                       \
            const int64_t start = k * window->dilation[last] - window->pad[last];                  \
            const struct sliding_range range =                                                     \
                sliding_inside(window->output[last], step, start, window->input[last]);            \
            if (range.from < range.to)                                                             \
                name##_slide(out + range.from, line + start + range.from * step,                   \
                             range.to - range.from, step);                                         \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name(const struct task *task, int64_t plane, const int64_t *row, type *out)        \
    {                                                                                              \
        const struct window *window = &task->pooling->window;                                      \
        const uint64_t last = last_of(task);                                                       \
        const type *source = (const type *)task->pooling->source + plane * task->input_area;       \
        const int64_t length = window->input[last];                                                \
        const bool folds = length <= LINE_MOST;                                                    \
        type line[LINE_MOST];                                                                      \
        int64_t tap[WINDOW_SPATIAL_MOST] = {0}, place;                                             \
        for (int64_t x = 0; x < window->output[last]; x++)                                         \
            out[x] = lowest;                                                                       \
        for (int64_t x = 0; folds && x < length; x++)                                              \
            line[x] = lowest;                                                                      \
        do {                                                                                       \
            const int64_t offset = source_row(window, row, tap, task->index_steps, &place);        \
            if (offset >= 0 && folds)                                                              \
                name##_fold(line, source + offset, length);                                        \
            else if (offset >= 0)                                                                  \
                name##_taps(window, source + offset, out);                                         \
        } while (sliding_advance(last, window->kernel, tap));                                      \
        if (folds)                                                                                 \
            name##_taps(window, line, out);                                                        \
    }

#define LARGER(seen, so_far) ((seen) > (so_far) ? (seen) : (so_far))
#define TOTAL(seen, so_far) ((so_far) + (seen))

#define DEFINE_MAX(type, suffix, lowest)                                                           \
    DEFINE_COMBINED(type, largest_##suffix, lowest, LARGER)                                        \
                                                                                                   \
    static void max_row_##suffix(const struct task *task, int64_t plane, const int64_t *row,       \
                                 uint64_t index)                                                   \
    {                                                                                              \
        const int64_t length = task->pooling->window.output[last_of(task)];                        \
        largest_##suffix(task, plane, row,                                                         \
                         (type *)task->pooling->result + (int64_t)index * length);                 \
    }                                                                                              \
                                                                                                   \
    static void max_index_row_##suffix(const struct task *task, int64_t plane, const int64_t *row, \
                                       uint64_t index)                                             \
    {                                                                                              \
        const int64_t length = task->pooling->window.output[last_of(task)];                        \
        const int64_t index_step = task->index_steps[last_of(task)];                               \
        type *out = (type *)task->pooling->result + (int64_t)index * length;                       \
        int64_t *places = task->indices + (int64_t)index * length;                                 \
        for (int64_t x = 0; x < length; x++) {                                                     \
            out[x] = lowest;                                                                       \
            places[x] = -1;                                                                        \
        }                                                                                          \
        FOR_TAPS(type, {                                                                           \
            for (int64_t x = range.from; x < range.to; x++) {                                      \
                const int64_t at = start + x * step;                                               \
                if (line[at] > out[x] || places[x] < 0) {                                          \
                    out[x] = line[at];                                                             \
                    places[x] = plane * task->input_area + place + at * index_step;                \
                }                                                                                  \
            }                                                                                      \
        });                                                                                        \
    }

DEFINE_MAX(float, f32, -INFINITY)
DEFINE_MAX(double, f64, -INFINITY)
DEFINE_MAX(int8_t, i8, INT8_MIN)
DEFINE_MAX(uint8_t, u8, 0)

// Taps of an output place along one dimension that count.
static int64_t taps_counted(const struct window *window, uint64_t d, int64_t place, bool with_pads)
{
    const int64_t start = place * window->stride[d] - window->pad[d];
    const int64_t lowest = with_pads ? -window->pad[d] : 0;
    const int64_t end = window->input[d] + (with_pads ? window->pad_end[d] : 0);
    const struct sliding_range range =
        sliding_inside(window->kernel[d], window->dilation[d], start - lowest, end - lowest);
    return range.to > range.from ? range.to - range.from : 0;
}

// Those of every place along the last dimension, to be freed.
static int32_t *count_taps(const struct task *task)
{
    const struct window *window = &task->pooling->window;
    const uint64_t last = last_of(task);
    const int64_t length = window->output[last];
    int32_t *counts = memory_allocate_zeroed((size_t)length + 1, sizeof *counts);
    for (int64_t x = 0; x < length; x++)
        counts[x] = (int32_t)taps_counted(window, last, x, task->with_pads);
    return counts;
}

#define DEFINE_SUMS(type, suffix, root, absolute, raise)                                           \
    DEFINE_COMBINED(type, total_##suffix, 0, TOTAL)                                                \
                                                                                                   \
    CORE_CLONES(void, divide_##suffix,                                                             \
                (type *restrict out, const int32_t *restrict counts, type outer, int64_t length),  \
                (out, counts, outer, length))                                                      \
    {                                                                                              \
        for (int64_t x = 0; x < length; x++) {                                                     \
            const type count = outer * (type)counts[x];                                            \
            out[x] = count > 0 ? out[x] / count : 0;                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void average_row_##suffix(const struct task *task, int64_t plane, const int64_t *row,   \
                                     uint64_t index)                                               \
    {                                                                                              \
        const struct window *window = &task->pooling->window;                                      \
        const uint64_t last = last_of(task);                                                       \
        const int64_t length = window->output[last];                                               \
        type *out = (type *)task->pooling->result + (int64_t)index * length;                       \
        int64_t outer = 1;                                                                         \
        for (uint64_t d = 0; d < last; d++)                                                        \
            outer *= taps_counted(window, d, row[d], task->with_pads);                             \
        total_##suffix(task, plane, row, out);                                                     \
        divide_##suffix(out, task->counts, (type)outer, length);                                   \
    }                                                                                              \
                                                                                                   \
    static void norm_row_##suffix(const struct task *task, int64_t plane, const int64_t *row,      \
                                  uint64_t index)                                                  \
    {                                                                                              \
        const int64_t length = task->pooling->window.output[last_of(task)];                        \
        const type power = (type)task->power;                                                      \
        type *restrict out = (type *)task->pooling->result + (int64_t)index * length;              \
        for (int64_t x = 0; x < length; x++)                                                       \
            out[x] = 0;                                                                            \
        FOR_TAPS(type, {                                                                           \
            for (int64_t x = range.from; x < range.to; x++) {                                      \
                const type seen = absolute(line[start + x * step]);                                \
                if (power == 1)                                                                    \
                    out[x] += seen;                                                                \
                else if (power == 2)                                                               \
                    out[x] += seen * seen;                                                         \
                else                                                                               \
                    out[x] += raise(seen, power);                                                  \
            }                                                                                      \
            (void)place;                                                                           \
        });                                                                                        \
        for (int64_t x = 0; power != 1 && x < length; x++)                                         \
            out[x] = power == 2 ? root(out[x]) : raise(out[x], 1 / power);                         \
    }

DEFINE_SUMS(float, f32, sqrtf, fabsf, powf)
DEFINE_SUMS(double, f64, sqrt, fabs, pow)

struct rows {
    const struct task *task;
    row_function function;
};

static void run_rows(void *context, uint64_t from, uint64_t to)
{
    const struct rows *rows = context;
    const struct task *task = rows->task;
    for (uint64_t i = from; i < to; i++) {
        int64_t row[WINDOW_SPATIAL_MOST] = {0};
        int64_t rest = (int64_t)i % task->rows;
        for (uint64_t d = last_of(task); d-- > 0;) {
            row[d] = rest % task->pooling->window.output[d];
            rest /= task->pooling->window.output[d];
        }
        rows->function(task, (int64_t)i / task->rows, row, i);
    }
}

static void pooling_run_rows(struct task *task, row_function function, struct parallel *parallel)
{
    const struct window *window = &task->pooling->window;
    task->input_area = 1;
    task->rows = 1;
    double steps = 1;
    for (uint32_t d = 0; d < window->spatial; d++) {
        task->index_steps[d] = task->column_major ? task->input_area : 1;
        for (uint32_t e = d + 1; !task->column_major && e < window->spatial; e++)
            task->index_steps[d] *= window->input[e];
        task->input_area *= window->input[d];
        task->rows *= d + 1 < window->spatial ? window->output[d] : 1;
        steps *= (double)window->kernel[d];
    }
    steps *= (double)window->output[last_of(task)];
    if (task->rows == 0 || window->output[last_of(task)] == 0)
        return;
    const uint64_t grain = steps < PIECE_STEPS ? (uint64_t)(PIECE_STEPS / (steps + 1)) + 1 : 1;
    parallel_for(parallel, task->pooling->planes * (uint64_t)task->rows, grain, run_rows,
                 &(struct rows){task, function});
}

void pooling_max(const struct pooling *pooling, int64_t *indices, bool column_major,
                 struct parallel *parallel)
{
    const bool indexed = indices != NULL;
    row_function function = indexed ? max_index_row_f32 : max_row_f32;
    if (pooling->element == ELEMENT_F64)
        function = indexed ? max_index_row_f64 : max_row_f64;
    else if (pooling->element == ELEMENT_I8)
        function = indexed ? max_index_row_i8 : max_row_i8;
    else if (pooling->element == ELEMENT_U8)
        function = indexed ? max_index_row_u8 : max_row_u8;
    pooling_run_rows(
        &(struct task){.pooling = pooling, .indices = indices, .column_major = column_major},
        function, parallel);
}

void pooling_average(const struct pooling *pooling, bool with_pads, struct parallel *parallel)
{
    struct task task = {.pooling = pooling, .with_pads = with_pads};
    int32_t *counts = count_taps(&task);
    task.counts = counts;
    pooling_run_rows(&task, pooling->element == ELEMENT_F64 ? average_row_f64 : average_row_f32,
                     parallel);
    free(counts);
}

void pooling_norm(const struct pooling *pooling, double power, struct parallel *parallel)
{
    pooling_run_rows(&(struct task){.pooling = pooling, .power = power},
                     pooling->element == ELEMENT_F64 ? norm_row_f64 : norm_row_f32, parallel);
}

// Whole planes ------------------------------------------------------------------

enum { LANES = 8 }; // sums side by side, so that they can be computed at once

struct global {
    const struct pooling *pooling;
    uint64_t area;
    double power;
};

#define DEFINE_GLOBAL(type, suffix)                                                                \
    static void global_max_##suffix(void *context, uint64_t from, uint64_t to)                     \
    {                                                                                              \
        const struct global *global = context;                                                     \
        for (uint64_t plane = from; plane < to; plane++) {                                         \
            const type *source = (const type *)global->pooling->source + plane * global->area;     \
            type most = source[0];                                                                 \
            for (uint64_t i = 1; i < global->area; i++)                                            \
                most = source[i] > most ? source[i] : most;                                        \
            ((type *)global->pooling->result)[plane] = most;                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    CORE_CLONES(double, sum_##suffix, (const type *source, uint64_t count), (source, count))       \
    {                                                                                              \
        double lanes[LANES] = {0};                                                                 \
        const uint64_t whole = count - count % LANES;                                              \
        for (uint64_t i = 0; i < whole; i += LANES) {                                              \
            for (uint64_t lane = 0; lane < LANES; lane++)                                          \
                lanes[lane] += (double)source[i + lane];                                           \
        }                                                                                          \
        double sum = 0;                                                                            \
        for (uint64_t lane = 0; lane < LANES; lane++)                                              \
            sum += lanes[lane];                                                                    \
        for (uint64_t i = whole; i < count; i++)                                                   \
            sum += (double)source[i];                                                              \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    static void global_average_##suffix(void *context, uint64_t from, uint64_t to)                 \
    {                                                                                              \
        const struct global *global = context;                                                     \
        for (uint64_t plane = from; plane < to; plane++)                                           \
            ((type *)global->pooling->result)[plane] =                                             \
                (type)(sum_##suffix((const type *)global->pooling->source + plane * global->area,  \
                                    global->area) /                                                \
                       (double)global->area);                                                      \
    }                                                                                              \
                                                                                                   \
    static void global_norm_##suffix(void *context, uint64_t from, uint64_t to)                    \
    {                                                                                              \
        const struct global *global = context;                                                     \
        for (uint64_t plane = from; plane < to; plane++) {                                         \
            const type *source = (const type *)global->pooling->source + plane * global->area;     \
            double sum = 0;                                                                        \
            for (uint64_t i = 0; i < global->area; i++) {                                          \
                const double seen = fabs((double)source[i]);                                       \
                sum += global->power == 2 ? seen * seen : pow(seen, global->power);                \
            }                                                                                      \
            ((type *)global->pooling->result)[plane] =                                             \
                (type)(global->power == 2 ? sqrt(sum) : pow(sum, 1 / global->power));              \
        }                                                                                          \
    }

DEFINE_GLOBAL(float, f32)
DEFINE_GLOBAL(double, f64)

static void run_global(const struct pooling *pooling, uint64_t area, double power,
                       void (*piece)(void *context, uint64_t from, uint64_t to),
                       struct parallel *parallel)
{
    const uint64_t grain = area < PIECE_STEPS ? PIECE_STEPS / area : 1;
    parallel_for(parallel, pooling->planes, grain, piece, &(struct global){pooling, area, power});
}

void pooling_global_max(const struct pooling *pooling, uint64_t area, struct parallel *parallel)
{
    run_global(pooling, area, 0, pooling->element == ELEMENT_F64 ? global_max_f64 : global_max_f32,
               parallel);
}

void pooling_global_average(const struct pooling *pooling, uint64_t area, struct parallel *parallel)
{
    run_global(pooling, area, 0,
               pooling->element == ELEMENT_F64 ? global_average_f64 : global_average_f32, parallel);
}

void pooling_global_norm(const struct pooling *pooling, uint64_t area, double power,
                         struct parallel *parallel)
{
    run_global(pooling, area, power,
               pooling->element == ELEMENT_F64 ? global_norm_f64 : global_norm_f32, parallel);
}
