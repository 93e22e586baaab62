// RoiAlign and MaxRoiPool: regions of images, brought to one size.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/convert.h"
#include "vision.h"

// f32 unless the images are f64; narrower ones are widened.
struct images {
    const struct tensor *x;
    const float *f32; // NULL when they are f64
    const double *f64;
    float *widened;
    uint64_t channels, height, width;
};

static status images_load(const struct tensor *x, struct images *out_images)
{
    struct images images = {
        .x = x,
        .channels = (uint64_t)x->shape.dims[1],
        .height = (uint64_t)x->shape.dims[2],
        .width = (uint64_t)x->shape.dims[3],
    };
    if (x->element == ELEMENT_F64) {
        images.f64 = x->data;
    } else if (x->element == ELEMENT_F32) {
        images.f32 = x->data;
    } else {
        images.widened = malloc((size_t)(tensor_count(x) + 1) * sizeof(float));
        if (images.widened == NULL)
            return status_no_memory("the images of a region operator");
        convert_to_f32(x->element, x->data, images.widened, tensor_count(x));
        images.f32 = images.widened;
    }
    *out_images = images;
    return STATUS_OK;
}

static double *regions_load_numbers(const struct tensor *tensor)
{
    const uint64_t count = tensor_count(tensor);
    double *numbers = memory_allocate_zeroed((size_t)count + 1, sizeof *numbers);
    convert_row(tensor->element, tensor->data, ELEMENT_F64, numbers, count, true);
    return numbers;
}

static void regions_store(struct tensor *tensor, uint64_t index, double value)
{
    convert_row(ELEMENT_F64, &value, tensor->element,
                (char *)tensor->data + index * element_size(tensor->element), 1, true);
}

static status check_image(int64_t image, const struct tensor *x)
{
    if (image >= 0 && image < x->shape.dims[0])
        return STATUS_OK;
    return status_make(STATUS_DATA, "a region in image %" PRId64 " of %" PRId64, image,
                       x->shape.dims[0]);
}

// Where a sample lies between two neighbours along one dimension.
struct sample {
    uint64_t low, high;
    double weight; // of the higher one
    bool outside;
};

// The samples of all bins of a region along one dimension.
struct samples {
    struct sample *items;
    uint64_t each; // of one bin
};

static struct sample sample_at(double place, uint64_t length)
{
    if (!(place >= -1 && place <= (double)length))
        return (struct sample){.outside = true};
    place = place <= 0 ? 0 : place;
    struct sample sample = {.low = (uint64_t)place};
    if (sample.low + 1 >= length) {
        sample.low = sample.high = length - 1;
    } else {
        sample.high = sample.low + 1;
        sample.weight = place - (double)sample.low;
    }
    return sample;
}

struct align_options {
    bool half_pixel, maximum;
    int64_t ratio;
    double scale;
};

static status place_samples(const struct align_options *options, double from, double to,
                            uint64_t bins, uint64_t length, struct samples *out_samples)
{
    enum { MOST = 4096 }; // beyond the size of any image that is cut into regions
    const double offset = options->half_pixel ? 0.5 : 0;
    const double start = from * options->scale - offset;
    double extent = to * options->scale - offset - start;
    if (!options->half_pixel && extent < 1)
        extent = 1;
    const double bin = extent / (double)bins;
    const double wanted = options->ratio > 0 ? (double)options->ratio : ceil(bin);
    if (!(wanted <= MOST))
        return status_make(STATUS_LIMIT, "a region of %g by %g samples for each bin", wanted,
                           wanted);
    const uint64_t each = wanted < 0 ? 0 : (uint64_t)wanted;
    struct sample *items = malloc((size_t)(bins * each + 1) * sizeof *items);
    if (items == NULL)
        return status_no_memory("the samples of a region");
    for (uint64_t i = 0; i < bins * each; i++) {
        const double place =
            start + (double)(i / each) * bin + ((double)(i % each) + 0.5) * bin / (double)each;
        items[i] = sample_at(place, length);
    }
    *out_samples = (struct samples){items, each};
    return STATUS_OK;
}

#define DEFINE_ALIGN_BIN(name, type)                                                               \
    static double name(const type *plane, uint64_t width, const struct sample *rows,               \
                       uint64_t row_count, const struct sample *columns, uint64_t column_count,    \
                       bool maximum)                                                               \
    {                                                                                              \
        double result = 0;                                                                         \
        bool first = true;                                                                         \
        for (uint64_t r = 0; r < row_count; r++)                                                   \
            for (uint64_t c = 0; c < column_count; c++) {                                          \
                double parts[4] = {0};                                                             \
                if (!rows[r].outside && !columns[c].outside) {                                     \
                    const type *low = plane + rows[r].low * width;                                 \
                    const type *high = plane + rows[r].high * width;                               \
                    const double y = rows[r].weight, x = columns[c].weight;                        \
                    parts[0] = (1 - y) * (1 - x) * (double)low[columns[c].low];                    \
                    parts[1] = (1 - y) * x * (double)low[columns[c].high];                         \
                    parts[2] = y * (1 - x) * (double)high[columns[c].low];                         \
                    parts[3] = y * x * (double)high[columns[c].high];                              \
                }                                                                                  \
                if (!maximum) {                                                                    \
                    result += parts[0] + parts[1] + parts[2] + parts[3];                           \
                    continue;                                                                      \
                }                                                                                  \
                const double most = fmax(fmax(parts[0], parts[1]), fmax(parts[2], parts[3]));      \
                result = first || most > result ? most : result;                                   \
                first = false;                                                                     \
            }                                                                                      \
        const uint64_t count = row_count * column_count;                                           \
        return maximum || count == 0 ? result : result / (double)count;                            \
    }

DEFINE_ALIGN_BIN(align_bin_f32, float)
DEFINE_ALIGN_BIN(align_bin_f64, double)

struct align_job {
    const struct images *images;
    const struct samples *rows, *columns;
    uint64_t image, region;
    bool maximum;
    struct tensor *out;
};

// Channels [from, to) of one region.
static void align_piece(void *context, uint64_t from, uint64_t to)
{
    const struct align_job *job = context;
    const struct images *images = job->images;
    const uint64_t height = (uint64_t)job->out->shape.dims[2];
    const uint64_t width = (uint64_t)job->out->shape.dims[3];
    for (uint64_t c = from; c < to; c++) {
        const uint64_t plane = (job->image * images->channels + c) * images->height * images->width;
        const uint64_t place = (job->region * images->channels + c) * height * width;
        for (uint64_t i = 0; i < height * width; i++) {
            const struct sample *rows = job->rows->items + i / width * job->rows->each;
            const struct sample *columns = job->columns->items + i % width * job->columns->each;
            const double value =
                images->f32 != NULL
                    ? align_bin_f32(images->f32 + plane, images->width, rows, job->rows->each,
                                    columns, job->columns->each, job->maximum)
                    : align_bin_f64(images->f64 + plane, images->width, rows, job->rows->each,
                                    columns, job->columns->each, job->maximum);
            regions_store(job->out, place + i, value);
        }
    }
}

static status align_region(struct kernel_call *call, const struct images *images,
                           const struct align_options *options, uint64_t region, const double *roi,
                           int64_t image)
{
    struct tensor *out = kernel_output(call, 0);
    STATUS_TRY(check_image(image, images->x));
    struct samples rows, columns;
    STATUS_TRY(place_samples(options, roi[1], roi[3], (uint64_t)out->shape.dims[2], images->height,
                             &rows));
    const status result = place_samples(options, roi[0], roi[2], (uint64_t)out->shape.dims[3],
                                        images->width, &columns);
    if (result == STATUS_OK) {
        struct align_job job = {images,           &rows, &columns, (uint64_t)image, region,
                                options->maximum, out};
        parallel_for(call->parallel, images->channels, 8, align_piece, &job);
        free(columns.items);
    }
    free(rows.items);
    return result;
}

status vision_roi_align(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *x = call->inputs[0], *rois = call->inputs[1];
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    if (x->shape.dims[2] == 0 || x->shape.dims[3] == 0)
        return status_make(STATUS_DATA, "regions of an empty image");
    const struct align_options options = {
        .half_pixel = call->version >= 16 &&
                      view_is(attribute_text(call->attributes, "coordinate_transformation_mode",
                                             "half_pixel"),
                              "half_pixel"),
        .maximum = view_is(attribute_text(call->attributes, "mode", "avg"), "max"),
        .ratio = attribute_integer(call->attributes, "sampling_ratio", 0),
        .scale = attribute_real(call->attributes, "spatial_scale", 1),
    };
    struct images images;
    STATUS_TRY(images_load(x, &images));
    double *corners = regions_load_numbers(rois);
    const int64_t *indices = call->inputs[2]->data;
    status result = STATUS_OK;
    for (uint64_t i = 0; i < (uint64_t)rois->shape.dims[0] && result == STATUS_OK; i++)
        result = align_region(call, &images, &options, i, corners + 4 * i, indices[i]);
    free(corners);
    free(images.widened);
    return result;
}

// The part of a dimension that a bin covers, within the image.
static void bin_range(int64_t start, int64_t extent, uint64_t bin, uint64_t bins, uint64_t length,
                      uint64_t *out_from, uint64_t *out_to)
{
    const double size = (double)extent / (double)bins;
    const double from = floor((double)bin * size) + (double)start;
    const double to = ceil((double)(bin + 1) * size) + (double)start;
    *out_from = (uint64_t)fmin(fmax(from, 0), (double)length);
    *out_to = (uint64_t)fmin(fmax(to, 0), (double)length);
}

struct pool_job {
    const struct images *images;
    const double *regions; // five numbers each
    double scale;
    struct tensor *out;
};

static double regions_pixel(const struct images *images, uint64_t index)
{
    return images->f32 != NULL ? (double)images->f32[index] : images->f64[index];
}

static double pool_bin(const struct images *images, uint64_t plane, const uint64_t rows[2],
                       const uint64_t columns[2])
{
    if (rows[0] >= rows[1] || columns[0] >= columns[1])
        return 0;
    double highest = -INFINITY;
    for (uint64_t r = rows[0]; r < rows[1]; r++)
        for (uint64_t c = columns[0]; c < columns[1]; c++) {
            const double value = regions_pixel(images, plane + r * images->width + c);
            highest = value > highest ? value : highest;
        }
    return highest;
}

// Corners of regions are checked to fit.
static int64_t corner(double place, double scale)
{
    return (int64_t)round(place * scale);
}

static void pool_piece(void *context, uint64_t from, uint64_t to)
{
    const struct pool_job *job = context;
    const struct images *images = job->images;
    const uint64_t height = (uint64_t)job->out->shape.dims[2];
    const uint64_t width = (uint64_t)job->out->shape.dims[3];
    for (uint64_t i = from; i < to; i++) { // regions x channels
        const double *region = job->regions + i / images->channels * 5;
        const int64_t left = corner(region[1], job->scale), top = corner(region[2], job->scale);
        const int64_t right = corner(region[3], job->scale);
        const int64_t bottom = corner(region[4], job->scale);
        const int64_t across = right - left + 1 > 1 ? right - left + 1 : 1;
        const int64_t down = bottom - top + 1 > 1 ? bottom - top + 1 : 1;
        const uint64_t plane = ((uint64_t)region[0] * images->channels + i % images->channels) *
                               images->height * images->width;
        for (uint64_t bin = 0; bin < height * width; bin++) {
            uint64_t rows[2], columns[2];
            bin_range(top, down, bin / width, height, images->height, &rows[0], &rows[1]);
            bin_range(left, across, bin % width, width, images->width, &columns[0], &columns[1]);
            regions_store(job->out, i * height * width + bin,
                          pool_bin(images, plane, rows, columns));
        }
    }
}

static status check_region(const double *region, double scale, const struct tensor *x)
{
    for (int i = 1; i < 5; i++)
        if (!(fabs(region[i] * scale) < 1e15))
            return status_make(STATUS_DATA, "a region has a corner at %g", region[i]);
    if (!(fabs(region[0]) < 1e15))
        return status_make(STATUS_DATA, "a region in image %g", region[0]);
    return check_image((int64_t)region[0], x);
}

status vision_max_roi_pool(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *x = call->inputs[0], *rois = call->inputs[1];
    if (out == NULL)
        return STATUS_OK;
    struct images images;
    STATUS_TRY(images_load(x, &images));
    double *regions = regions_load_numbers(rois);
    struct pool_job job = {&images, regions, attribute_real(call->attributes, "spatial_scale", 1),
                           out};
    status result = STATUS_OK;
    const uint64_t count = (uint64_t)rois->shape.dims[0];
    for (uint64_t i = 0; i < count && result == STATUS_OK; i++)
        result = check_region(regions + 5 * i, job.scale, x);
    if (result == STATUS_OK)
        parallel_for(call->parallel, count * images.channels, 8, pool_piece, &job);
    free(regions);
    free(images.widened);
    return result;
}
