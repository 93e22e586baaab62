#include "narrow.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/convert.h"
#include "kernels/core/sliding.h"

// Columns that are summed at a time.
enum { CHUNK = 256 };

void narrow_round(enum element element, float *values, uint64_t count)
{
    if (element == ELEMENT_F32)
        return;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        uint16_t narrow[CHUNK];
        convert_from_f32(element, values + at, narrow, part);
        convert_to_f32(element, narrow, values + at, part);
    }
}

// One row times `count` columns, added to the sums.
static void multiply_row(enum element element, const float *a, uint64_t depth, const float *b,
                         uint64_t b_stride, uint64_t count, float *sums)
{
    for (uint64_t k = 0; k < depth; k++) {
        float terms[CHUNK];
        const float *row = b + k * b_stride;
        for (uint64_t j = 0; j < count; j++)
            terms[j] = a[k] * row[j];
        narrow_round(element, terms, count);
        for (uint64_t j = 0; j < count; j++)
            sums[j] += terms[j];
        narrow_round(element, sums, count);
    }
}

// `first` is what the sums begin with; NULL: 0.
static void multiply_columns(enum element element, const float *a, uint64_t depth, const float *b,
                             uint64_t columns, const float *first, float *sums, uint64_t sum_stride)
{
    for (uint64_t at = 0; at < columns; at += CHUNK) {
        const uint64_t count = columns - at < CHUNK ? columns - at : CHUNK;
        float row[CHUNK];
        for (uint64_t j = 0; j < count; j++)
            row[j] = first != NULL ? first[at + j] : 0;
        multiply_row(element, a, depth, b + at, columns, count, row);
        for (uint64_t j = 0; j < count; j++)
            sums[(at + j) * sum_stride] = row[j];
    }
}

static void multiply_rows(void *context, uint64_t from, uint64_t to)
{
    const struct narrow_product *product = context;
    for (uint64_t row = from; row < to; row++)
        multiply_columns(product->element, product->a + row * product->depth, product->depth,
                         product->b + row / product->rows * product->depth * product->columns,
                         product->columns, NULL, product->c + row * product->columns, 1);
}

void narrow_multiply(const struct narrow_product *product, struct parallel *parallel)
{
    struct narrow_product copy = *product;
    parallel_for(parallel, product->batch * product->rows,
                 16384 / (product->depth * product->columns + 1) + 1, multiply_rows, &copy);
}

// Convolutions ----------------------------------------------------------------

struct job {
    const struct convolution *shape;
    enum element element;
    const float *source;
    const float *weights; // groups x depth x outputs
    const float *bias;
    float *result;
    uint64_t depth; // kernel positions x channels
    uint64_t positions;
};

static uint64_t narrow_volume(const struct convolution *c, const int64_t *lengths)
{
    uint64_t count = 1;
    for (uint64_t i = 0; i < c->spatial; i++)
        count *= (uint64_t)lengths[i];
    return count;
}

// The weights of every group as a matrix, kernel positions and channels down.
static void arrange_weights(const struct job *job, const float *weights, float *arranged)
{
    const struct convolution *c = job->shape;
    for (int64_t group = 0; group < c->groups; group++) {
        int64_t place[CONVOLUTION_SPATIAL_MOST] = {0};
        do {
            int64_t at = group * c->outputs * c->weight_strides[0];
            for (uint64_t i = 0; i < c->spatial; i++)
                at += place[i] * c->weight_strides[2 + i];
            for (int64_t channel = 0; channel < c->inputs; channel++) {
                for (int64_t output = 0; output < c->outputs; output++)
                    *arranged++ = weights[at + channel * c->weight_strides[1] +
                                          output * c->weight_strides[0]];
            }
        } while (sliding_advance(c->spatial, c->kernel, place));
    }
}

// What the window at output position `position` sees of a group; padding is 0.
static void gather_window(const struct job *job, const float *source, const int64_t *position,
                          float *window)
{
    const struct convolution *c = job->shape;
    int64_t place[CONVOLUTION_SPATIAL_MOST] = {0};
    do {
        int64_t at = 0;
        bool inside = true;
        for (uint64_t i = 0; i < c->spatial; i++) {
            const int64_t x = position[i] * c->strides[i] + place[i] * c->dilations[i] - c->pads[i];
            inside = inside && x >= 0 && x < c->input[i];
            at += x * c->source_strides[2 + i];
        }
        for (int64_t channel = 0; channel < c->inputs; channel++)
            *window++ = inside ? source[at + channel * c->source_strides[1]] : 0;
    } while (sliding_advance(c->spatial, c->kernel, place));
}

static void convolve_positions(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    const struct convolution *c = job->shape;
    float *window = memory_allocate(job->depth * sizeof *window);
    for (uint64_t index = from; index < to; index++) {
        const int64_t batch = (int64_t)(index / job->positions);
        int64_t position[CONVOLUTION_SPATIAL_MOST] = {0};
        int64_t target = batch * c->result_strides[0];
        uint64_t rest = index % job->positions;
        for (uint64_t i = c->spatial; i-- > 0;) {
            position[i] = (int64_t)(rest % (uint64_t)c->output[i]);
            rest /= (uint64_t)c->output[i];
            target += position[i] * c->result_strides[2 + i];
        }
        for (int64_t group = 0; group < c->groups; group++) {
            gather_window(job,
                          job->source + batch * c->source_strides[0] +
                              group * c->inputs * c->source_strides[1],
                          position, window);
            multiply_columns(job->element, window, job->depth,
                             job->weights + (uint64_t)(group * c->outputs) * job->depth,
                             (uint64_t)c->outputs,
                             job->bias != NULL ? job->bias + group * c->outputs : NULL,
                             job->result + target + group * c->outputs * c->result_strides[1],
                             (uint64_t)c->result_strides[1]);
        }
    }
    free(window);
}

status narrow_convolve(const struct convolution *convolution, enum element element,
                       const struct convolution_operands *operands, struct parallel *parallel)
{
    const struct convolution *c = convolution;
    struct job job = {
        .shape = c,
        .element = element,
        .source = operands->source,
        .bias = operands->bias,
        .result = operands->result,
        .depth = narrow_volume(c, c->kernel) * (uint64_t)c->inputs,
        .positions = narrow_volume(c, c->output),
    };
    const uint64_t count = job.depth * (uint64_t)(c->outputs * c->groups);
    float *arranged =
        count < SIZE_MAX / sizeof(float) ? malloc((count + 1) * sizeof *arranged) : NULL;
    if (arranged == NULL)
        return status_no_memory("the weights of a convolution");
    arrange_weights(&job, operands->weights, arranged);
    job.weights = arranged;
    parallel_for(parallel, (uint64_t)c->batch * job.positions, 4096 / (count + 1) + 1,
                 convolve_positions, &job);
    free(arranged);
    return STATUS_OK;
}
