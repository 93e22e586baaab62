#include "normalize.h"

#include <math.h>
#include <stddef.h>

#include "clones.h"

enum {
    LANES = 8,            // sums side by side, so that they can be computed at once
    PIECE_STEPS = 1 << 14 // elements that are worth a piece of their own
};

static double add_lanes(const double lanes[LANES])
{
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += lanes[lane];
    return sum;
}

#define DEFINE_NORMALIZE(type, suffix)                                                             \
    CORE_CLONES(double, sum_##suffix, (const type *x, uint64_t count), (x, count))                 \
    {                                                                                              \
        double lanes[LANES] = {0};                                                                 \
        uint64_t i = 0;                                                                            \
        for (; i + LANES <= count; i += LANES) {                                                   \
            for (uint64_t lane = 0; lane < LANES; lane++)                                          \
                lanes[lane] += (double)x[i + lane];                                                \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            lanes[0] += (double)x[i];                                                              \
        return add_lanes(lanes);                                                                   \
    }                                                                                              \
                                                                                                   \
    CORE_CLONES(double, squares_##suffix, (const type *x, uint64_t count, double mean),            \
                (x, count, mean))                                                                  \
    {                                                                                              \
        double lanes[LANES] = {0};                                                                 \
        uint64_t i = 0;                                                                            \
        for (; i + LANES <= count; i += LANES) {                                                   \
            for (uint64_t lane = 0; lane < LANES; lane++) {                                        \
                const double off = (double)x[i + lane] - mean;                                     \
                lanes[lane] += off * off;                                                          \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            lanes[0] += ((double)x[i] - mean) * ((double)x[i] - mean);                             \
        return add_lanes(lanes);                                                                   \
    }                                                                                              \
                                                                                                   \
    /* A row whose every element has parameters of its own. */                                     \
    CORE_CLONES(void, scale_elements_##suffix,                                                     \
                (const type *x, type *y, uint64_t count, type mean, type inverse,                  \
                 const type *scale, const type *bias),                                             \
                (x, y, count, mean, inverse, scale, bias))                                         \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            y[i] = (x[i] - mean) * inverse;                                                        \
        for (uint64_t i = 0; scale != NULL && i < count; i++)                                      \
            y[i] *= scale[i];                                                                      \
        for (uint64_t i = 0; bias != NULL && i < count; i++)                                       \
            y[i] += bias[i];                                                                       \
    }                                                                                              \
                                                                                                   \
    CORE_CLONES(void, scale_block_##suffix,                                                        \
                (const type *x, type *y, uint64_t count, type mean, type factor, type bias),       \
                (x, y, count, mean, factor, bias))                                                 \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            y[i] = (x[i] - mean) * factor + bias;                                                  \
    }                                                                                              \
                                                                                                   \
    static void normalize_row_##suffix(const struct normalize *task, uint64_t row)                 \
    {                                                                                              \
        const uint64_t length = task->blocks * task->area;                                         \
        const type *x = (const type *)task->x + row * length;                                      \
        const double mean = sum_##suffix(x, length) / (double)length;                              \
        const double variance = squares_##suffix(x, length, mean) / (double)length;                \
        const double inverse =                                                                     \
            task->mean_only ? 1 : 1 / (sqrt(variance + task->epsilon) + task->added);              \
        if (task->means != NULL)                                                                   \
            task->means[row] = mean;                                                               \
        if (task->inverses != NULL)                                                                \
            task->inverses[row] = inverse;                                                         \
        if (task->y == NULL)                                                                       \
            return;                                                                                \
        type *y = (type *)task->y + row * length;                                                  \
        const type *scale = task->scale;                                                           \
        const type *bias = task->bias;                                                             \
        if (task->area == 1 && (task->parameters == length || scale == NULL)) {                    \
            scale_elements_##suffix(x, y, length, (type)mean, (type)inverse, scale, bias);         \
            return;                                                                                \
        }                                                                                          \
        for (uint64_t block = 0; block < task->blocks; block++) {                                  \
            const uint64_t place =                                                                 \
                scale != NULL ? (row * task->blocks + block) % task->parameters : 0;               \
            const type factor = (type)inverse * (scale != NULL ? scale[place] : 1);                \
            scale_block_##suffix(x + block * task->area, y + block * task->area, task->area,       \
                                 (type)mean, factor, bias != NULL ? bias[place] : 0);              \
        }                                                                                          \
    }

DEFINE_NORMALIZE(float, f32)
DEFINE_NORMALIZE(double, f64)

static void run_rows(void *context, uint64_t from, uint64_t to)
{
    const struct normalize *task = context;
    for (uint64_t row = from; row < to; row++) {
        if (task->element == ELEMENT_F64)
            normalize_row_f64(task, row);
        else
            normalize_row_f32(task, row);
    }
}

void normalize_rows(const struct normalize *normalize, struct parallel *parallel)
{
    struct normalize task = *normalize;
    const uint64_t length = task.blocks * task.area;
    if (length == 0)
        return;
    parallel_for(parallel, task.rows, 1 + PIECE_STEPS / length, run_rows, &task);
}

double normalize_sum(enum element element, const void *x, uint64_t count)
{
    return element == ELEMENT_F64 ? sum_f64(x, count) : sum_f32(x, count);
}

double normalize_squares(enum element element, const void *x, uint64_t count, double mean)
{
    return element == ELEMENT_F64 ? squares_f64(x, count, mean) : squares_f32(x, count, mean);
}
