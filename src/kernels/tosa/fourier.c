// Fourier transforms of images: rows first, then columns, in f64.

#include "kernels/core/fourier.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kernels/kernel_tables.h"
#include "tosa.h"

struct transform {
    uint64_t images;
    uint64_t height;
    uint64_t width;
    uint64_t kept; // columns of the result
    const float *real;
    const float *imaginary; // NULL: all zero
    float *out_real;        // NULL where nothing reads it
    float *out_imaginary;
    double factor; // TOSA's inverse is not divided by the number of points
    struct fourier *rows;
    struct fourier *columns;
    struct fourier_number *middle; // images x height x kept
};

// A line in, a line out, and scratch.
struct lines {
    struct fourier_number *in;
    struct fourier_number *out;
    struct fourier_number *scratch;
};

static struct lines lines_make(const struct fourier *fourier, uint64_t length)
{
    const uint64_t scratch = fourier_scratch(fourier);
    struct fourier_number *all = memory_allocate_zeroed(2 * length + scratch + 1, sizeof *all);
    return (struct lines){all, all + length, all + 2 * length};
}

static void transform_rows(void *context, uint64_t from, uint64_t to)
{
    const struct transform *transform = context;
    const struct lines lines = lines_make(transform->rows, transform->width);
    for (uint64_t row = from; row < to; row++) {
        const uint64_t start = row * transform->width;
        for (uint64_t i = 0; i < transform->width; i++) {
            const float *imaginary = transform->imaginary;
            lines.in[i].real = (double)transform->real[start + i];
            lines.in[i].imaginary = imaginary != NULL ? (double)imaginary[start + i] : 0;
        }
        fourier_run(transform->rows, lines.in, lines.out, lines.scratch);
        for (uint64_t i = 0; i < transform->kept; i++)
            transform->middle[row * transform->kept + i] = lines.out[i];
    }
    free(lines.in);
}

static void transform_columns(void *context, uint64_t from, uint64_t to)
{
    const struct transform *transform = context;
    const uint64_t kept = transform->kept;
    const struct lines lines = lines_make(transform->columns, transform->height);
    for (uint64_t column = from; column < to; column++) {
        const uint64_t start = column / kept * transform->height * kept + column % kept;
        for (uint64_t i = 0; i < transform->height; i++)
            lines.in[i] = transform->middle[start + i * kept];
        fourier_run(transform->columns, lines.in, lines.out, lines.scratch);
        for (uint64_t i = 0; i < transform->height; i++) {
            const uint64_t at = start + i * kept;
            if (transform->out_real != NULL)
                transform->out_real[at] = (float)(lines.out[i].real * transform->factor);
            if (transform->out_imaginary != NULL)
                transform->out_imaginary[at] = (float)(lines.out[i].imaginary * transform->factor);
        }
    }
    free(lines.in);
}

static float *output_data(const struct kernel_call *call, uint32_t index)
{
    const struct tensor *out = kernel_output(call, index);
    return out != NULL ? out->data : NULL;
}

static status transform_images(struct kernel_call *call, struct transform *transform, bool inverse)
{
    const uint64_t count = transform->images * transform->height * transform->kept;
    if (count == 0)
        return STATUS_OK;
    transform->out_real = output_data(call, 0);
    transform->out_imaginary = output_data(call, 1);
    transform->factor = inverse ? (double)transform->height * (double)transform->width : 1;
    if (count < SIZE_MAX / sizeof *transform->middle)
        transform->middle = malloc(count * sizeof *transform->middle);
    status failure = transform->middle != NULL
                         ? fourier_create(transform->width, inverse, &transform->rows)
                         : status_no_memory("a Fourier transform");
    if (failure == STATUS_OK)
        failure = fourier_create(transform->height, inverse, &transform->columns);
    if (failure == STATUS_OK) {
        parallel_for(call->parallel, transform->images * transform->height,
                     4096 / transform->width + 1, transform_rows, transform);
        parallel_for(call->parallel, transform->images * transform->kept,
                     4096 / transform->height + 1, transform_columns, transform);
    }
    fourier_free(transform->rows);
    fourier_free(transform->columns);
    free(transform->middle);
    return failure;
}

static struct transform transform_of(const struct kernel_call *call)
{
    const struct shape *shape = &call->inputs[0]->shape;
    return (struct transform){
        .images = (uint64_t)shape->dims[0],
        .height = (uint64_t)shape->dims[1],
        .width = (uint64_t)shape->dims[2],
        .kept = (uint64_t)shape->dims[2],
        .real = call->inputs[0]->data,
    };
}

static status run_fft2d(struct kernel_call *call)
{
    struct transform transform = transform_of(call);
    transform.imaginary = call->inputs[1]->data;
    return transform_images(call, &transform,
                            attribute_integer(call->attributes, "inverse", 0) != 0);
}

static status run_rfft2d(struct kernel_call *call)
{
    struct transform transform = transform_of(call);
    transform.kept = transform.width == 0 ? 0 : transform.width / 2 + 1;
    return transform_images(call, &transform, false);
}

static const struct kernel ITEMS[] = {
    {"tosa.fft2d", run_fft2d},
    {"tosa.rfft2d", run_rfft2d},
};

const struct kernel_table TOSA_FOURIER_KERNELS = KERNEL_TABLE(ITEMS);
