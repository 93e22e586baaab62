#include "copy.h"

#include <stdlib.h>
#include <string.h>

// What one worker takes at a time, the side of a block of a transpose, and the
// columns that are gone through before the next ones: few enough pages.
enum { PIECE_BYTES = 1 << 16, LINE_ELEMENTS = 1 << 14, BLOCK = 16, BAND = 64, UNIT_ROWS = 128 };

// The two innermost dimensions, after all others are counted off.
struct plane {
    uint64_t rows, columns;
    int64_t source_row, source_column;
    int64_t target_row, target_column;
};

struct wide {
    uint64_t low, high;
};

// Blocks go through a small buffer, so that a transpose reads and writes whole
// lines of cache, each once, also where they lie far apart.
#define DEFINE_PLANE(name, type)                                                                   \
    static void name##_block(const struct plane *p, const type *restrict source,                   \
                             type *restrict target)                                                \
    {                                                                                              \
        type buffer[BLOCK][BLOCK];                                                                 \
        for (int64_t c = 0; c < (int64_t)p->columns; c++) {                                        \
            const type *from = source + c * p->source_column;                                      \
            for (int64_t r = 0; r < (int64_t)p->rows; r++)                                         \
                buffer[c][r] = from[r * p->source_row];                                            \
        }                                                                                          \
        for (int64_t r = 0; r < (int64_t)p->rows; r++) {                                           \
            type *to = target + r * p->target_row;                                                 \
            for (int64_t c = 0; c < (int64_t)p->columns; c++)                                      \
                to[c * p->target_column] = buffer[c][r];                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_band(const struct plane *p, const type *source, type *target)               \
    {                                                                                              \
        struct plane block = *p;                                                                   \
        for (uint64_t r = 0; r < p->rows; r += BLOCK) {                                            \
            block.rows = p->rows - r < BLOCK ? p->rows - r : BLOCK;                                \
            for (uint64_t c = 0; c < p->columns; c += BLOCK) {                                     \
                block.columns = p->columns - c < BLOCK ? p->columns - c : BLOCK;                   \
                name##_block(&block,                                                               \
                             source + (int64_t)r * p->source_row + (int64_t)c * p->source_column,  \
                             target + (int64_t)r * p->target_row + (int64_t)c * p->target_column); \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name(const struct plane *p, const void *source, void *target)                      \
    {                                                                                              \
        struct plane band = *p;                                                                    \
        for (uint64_t c = 0; c < p->columns; c += BAND) {                                          \
            band.columns = p->columns - c < BAND ? p->columns - c : BAND;                          \
            name##_band(&band, (const type *)source + (int64_t)c * p->source_column,               \
                        (type *)target + (int64_t)c * p->target_column);                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_lines(const struct plane *p, const void *source, void *target)              \
    {                                                                                              \
        for (int64_t r = 0; r < (int64_t)p->rows; r++) {                                           \
            const type *restrict from = (const type *)source + r * p->source_row;                  \
            type *restrict to = (type *)target + r * p->target_row;                                \
            if (p->source_column == 0 && p->target_column == 1) {                                  \
                const type value = *from;                                                          \
                for (uint64_t c = 0; c < p->columns; c++)                                          \
                    to[c] = value;                                                                 \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t c = 0; c < (int64_t)p->columns; c++)                                      \
                to[c * p->target_column] = from[c * p->source_column];                             \
        }                                                                                          \
    }

DEFINE_PLANE(plane_1, uint8_t)
DEFINE_PLANE(plane_2, uint16_t)
DEFINE_PLANE(plane_4, uint32_t)
DEFINE_PLANE(plane_8, uint64_t)
DEFINE_PLANE(plane_16, struct wide)

typedef void (*plane_function)(const struct plane *, const void *, void *);

static plane_function plane_blocks(uint32_t size)
{
    return size == 1   ? plane_1
           : size == 2 ? plane_2
           : size == 4 ? plane_4
           : size == 8 ? plane_8
                       : plane_16;
}

static plane_function plane_lines(uint32_t size)
{
    return size == 1   ? plane_1_lines
           : size == 2 ? plane_2_lines
           : size == 4 ? plane_4_lines
           : size == 8 ? plane_8_lines
                       : plane_16_lines;
}

void copy_steps(const struct shape *shape, int64_t steps[SHAPE_RANK_MOST])
{
    uint64_t distances[SHAPE_RANK_MOST] = {0};
    shape_strides(shape, distances);
    for (uint32_t i = 0; i < shape->rank; i++)
        steps[i] = (int64_t)distances[i];
}

struct copy copy_over(const struct shape *shape, enum element element)
{
    struct copy copy = {.rank = shape->rank, .size = (uint32_t)element_size(element)};
    copy_steps(shape, copy.source_steps);
    copy_steps(shape, copy.target_steps);
    for (uint32_t i = 0; i < shape->rank; i++)
        copy.lengths[i] = (uint64_t)shape->dims[i];
    return copy;
}

// Without dimensions of one place. False when there is no place at all.
static bool drop_trivial(struct copy *copy)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < copy->rank; i++) {
        if (copy->lengths[i] == 0)
            return false;
        if (copy->lengths[i] == 1)
            continue;
        copy->lengths[rank] = copy->lengths[i];
        copy->source_steps[rank] = copy->source_steps[i];
        copy->target_steps[rank] = copy->target_steps[i];
        rank++;
    }
    copy->rank = rank;
    return true;
}

static void swap_dimensions(struct copy *copy, uint32_t a, uint32_t b)
{
    const uint64_t length = copy->lengths[a];
    const int64_t source = copy->source_steps[a], target = copy->target_steps[a];
    copy->lengths[a] = copy->lengths[b];
    copy->source_steps[a] = copy->source_steps[b];
    copy->target_steps[a] = copy->target_steps[b];
    copy->lengths[b] = length;
    copy->source_steps[b] = source;
    copy->target_steps[b] = target;
}

// Outermost where the target's steps are largest, so that it is written in order.
static void order_dimensions(struct copy *copy)
{
    for (uint32_t i = 1; i < copy->rank; i++)
        for (uint32_t j = i;
             j > 0 && llabs(copy->target_steps[j - 1]) < llabs(copy->target_steps[j]); j--)
            swap_dimensions(copy, j - 1, j);
}

// Makes one dimension of neighbours that are walked as one.
static void merge_dimensions(struct copy *copy)
{
    if (copy->rank == 0)
        return;
    uint32_t last = 0;
    for (uint32_t i = 1; i < copy->rank; i++) {
        const int64_t length = (int64_t)copy->lengths[i];
        if (copy->source_steps[last] == copy->source_steps[i] * length &&
            copy->target_steps[last] == copy->target_steps[i] * length)
            copy->lengths[last] *= copy->lengths[i];
        else
            copy->lengths[++last] = copy->lengths[i];
        copy->source_steps[last] = copy->source_steps[i];
        copy->target_steps[last] = copy->target_steps[i];
    }
    copy->rank = last + 1;
}

// Moves the dimension along which the source is dense next to the innermost one.
static bool bring_transposed(struct copy *copy)
{
    const uint32_t inner = copy->rank - 1;
    if (copy->rank < 2 || llabs(copy->source_steps[inner]) <= 1)
        return false;
    for (uint32_t i = 0; i < inner; i++) {
        if (llabs(copy->source_steps[i]) != 1)
            continue;
        for (uint32_t j = i; j + 1 < inner; j++)
            swap_dimensions(copy, j, j + 1);
        return true;
    }
    return false;
}

// A copy cut into units: some rows of one plane.
struct job {
    uint32_t outer; // dimensions before the plane
    uint32_t size;
    uint64_t lengths[COPY_RANK_MOST];
    int64_t source_steps[COPY_RANK_MOST];
    int64_t target_steps[COPY_RANK_MOST];
    struct plane plane;
    uint64_t unit_rows;   // rows of a unit
    uint64_t plane_units; // units of a plane
    const char *source;
    char *target;
    plane_function function; // NULL: rows are dense on both sides
    bool transposed;
};

static void copy_rows(const struct plane *plane, uint32_t size, const char *source, char *target)
{
    for (uint64_t r = 0; r < plane->rows; r++)
        memcpy(target + (int64_t)r * plane->target_row * (int64_t)size,
               source + (int64_t)r * plane->source_row * (int64_t)size, plane->columns * size);
}

static void run_unit(const struct job *job, uint64_t unit)
{
    const uint64_t first = unit % job->plane_units * job->unit_rows;
    uint64_t rest = unit / job->plane_units;
    int64_t source = (int64_t)first * job->plane.source_row;
    int64_t target = (int64_t)first * job->plane.target_row;
    for (uint32_t i = job->outer; i-- > 0;) {
        const int64_t index = (int64_t)(rest % job->lengths[i]);
        rest /= job->lengths[i];
        source += index * job->source_steps[i];
        target += index * job->target_steps[i];
    }
    struct plane plane = job->plane;
    plane.rows -= first;
    if (plane.rows > job->unit_rows)
        plane.rows = job->unit_rows;
    const char *from = job->source + source * (int64_t)job->size;
    char *to = job->target + target * (int64_t)job->size;
    if (job->function == NULL)
        copy_rows(&plane, job->size, from, to);
    else
        job->function(&plane, from, to);
}

static void run_units(void *context, uint64_t from, uint64_t to)
{
    for (uint64_t unit = from; unit < to; unit++)
        run_unit(context, unit);
}

static void run_job(struct parallel *parallel, struct job *job)
{
    const uint64_t row_bytes = job->plane.columns * job->size;
    uint64_t rows = PIECE_BYTES / row_bytes;
    if (job->transposed && rows < UNIT_ROWS)
        rows = UNIT_ROWS;
    rows = rows > 0 ? rows : 1;
    job->unit_rows = rows < job->plane.rows ? rows : job->plane.rows;
    job->plane_units = (job->plane.rows + job->unit_rows - 1) / job->unit_rows;
    uint64_t units = job->plane_units;
    for (uint32_t i = 0; i < job->outer; i++)
        units *= job->lengths[i];
    const uint64_t unit_bytes = job->unit_rows * row_bytes;
    const uint64_t grain = unit_bytes < PIECE_BYTES ? PIECE_BYTES / unit_bytes : 1;
    if (units <= grain)
        run_units(job, 0, units);
    else
        parallel_for(parallel, units, grain, run_units, job);
}

static struct job make_job(const struct copy *copy, bool transposed, const void *source,
                           void *target)
{
    struct job job = {
        .size = copy->size, .source = source, .target = target, .transposed = transposed};
    const uint32_t rank = copy->rank;
    job.plane = (struct plane){.rows = 1, .columns = 1};
    if (rank > 0) {
        job.plane.columns = copy->lengths[rank - 1];
        job.plane.source_column = copy->source_steps[rank - 1];
        job.plane.target_column = copy->target_steps[rank - 1];
    }
    if (rank > 1) {
        job.plane.rows = copy->lengths[rank - 2];
        job.plane.source_row = copy->source_steps[rank - 2];
        job.plane.target_row = copy->target_steps[rank - 2];
        job.outer = rank - 2;
    }
    memcpy(job.lengths, copy->lengths, sizeof job.lengths);
    memcpy(job.source_steps, copy->source_steps, sizeof job.source_steps);
    memcpy(job.target_steps, copy->target_steps, sizeof job.target_steps);
    const bool dense = rank == 0 || (job.plane.source_column == 1 && job.plane.target_column == 1);
    if (!dense)
        job.function = transposed ? plane_blocks(copy->size) : plane_lines(copy->size);
    return job;
}

// A single long line is copied as a plane of shorter ones, and its end.
static void run_line(struct parallel *parallel, const struct copy *copy, const void *source,
                     void *target)
{
    const uint64_t lines = copy->lengths[0] / LINE_ELEMENTS;
    const int64_t done = (int64_t)(lines * LINE_ELEMENTS);
    struct copy plane = {.rank = 2, .size = copy->size};
    plane.lengths[0] = lines;
    plane.lengths[1] = LINE_ELEMENTS;
    plane.source_steps[1] = copy->source_steps[0];
    plane.target_steps[1] = copy->target_steps[0];
    plane.source_steps[0] = copy->source_steps[0] * LINE_ELEMENTS;
    plane.target_steps[0] = copy->target_steps[0] * LINE_ELEMENTS;
    struct job job = make_job(&plane, false, source, target);
    run_job(parallel, &job);

    struct copy end = *copy;
    end.lengths[0] -= (uint64_t)done;
    if (end.lengths[0] == 0)
        return;
    job = make_job(&end, false,
                   (const char *)source + done * copy->source_steps[0] * (int64_t)copy->size,
                   (char *)target + done * copy->target_steps[0] * (int64_t)copy->size);
    run_job(parallel, &job);
}

void copy_run(struct parallel *parallel, const struct copy *copy, const void *source, void *target)
{
    struct copy simple = *copy;
    if (!drop_trivial(&simple))
        return;
    order_dimensions(&simple);
    merge_dimensions(&simple);
    if (simple.rank == 1 && simple.lengths[0] > LINE_ELEMENTS) {
        run_line(parallel, &simple, source, target);
        return;
    }
    const bool transposed = simple.rank > 1 && bring_transposed(&simple);
    struct job job = make_job(&simple, transposed, source, target);
    run_job(parallel, &job);
}

static uint64_t offset_at(const struct tensor *tensor, const uint64_t *at)
{
    uint64_t distances[SHAPE_RANK_MOST] = {0};
    shape_strides(&tensor->shape, distances);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        offset += at[i] * distances[i];
    return offset * element_size(tensor->element);
}

void copy_into(struct parallel *parallel, const struct tensor *source, struct tensor *target,
               const uint64_t *at)
{
    struct copy copy = copy_over(&source->shape, source->element);
    copy_steps(&target->shape, copy.target_steps);
    if (tensor_count(source) > 0)
        copy_run(parallel, &copy, source->data, (char *)target->data + offset_at(target, at));
}

void copy_from(struct parallel *parallel, const struct tensor *source, struct tensor *target,
               const uint64_t *at)
{
    struct copy copy = copy_over(&target->shape, target->element);
    copy_steps(&source->shape, copy.source_steps);
    if (tensor_count(target) > 0)
        copy_run(parallel, &copy, (const char *)source->data + offset_at(source, at), target->data);
}

void copy_transposed(struct parallel *parallel, const struct tensor *source, struct tensor *target,
                     const uint32_t *order)
{
    struct copy copy = copy_over(&target->shape, target->element);
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(&source->shape, steps);
    for (uint32_t i = 0; i < copy.rank; i++)
        copy.source_steps[i] = steps[order[i]];
    copy_run(parallel, &copy, source->data, target->data);
}

void copy_all(struct parallel *parallel, const struct tensor *source, struct tensor *target)
{
    const struct copy copy = copy_over(&source->shape, source->element);
    copy_run(parallel, &copy, source->data, target->data);
}

void copy_fill(struct parallel *parallel, void *target, uint64_t count, uint32_t size,
               const void *value)
{
    const struct copy copy = {.rank = 1, .size = size, .lengths = {count}, .target_steps = {1}};
    copy_run(parallel, &copy, value, target);
}
