// NonMaxSuppression and Col2Im.

#include "vision.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"
#include "kernels/core/convert.h"
#include "kernels/kernel_tables.h"

struct box {
    float left, top, right, bottom;
    float area;
};

static struct box onnx_vision_box_of(const float *corners, bool center)
{
    struct box box;
    if (center) {
        box = (struct box){corners[0] - corners[2] / 2, corners[1] - corners[3] / 2,
                           corners[0] + corners[2] / 2, corners[1] + corners[3] / 2, 0};
    } else { // y1, x1, y2, x2 in any order
        const bool flipped_x = corners[1] > corners[3], flipped_y = corners[0] > corners[2];
        box = (struct box){corners[flipped_x ? 3 : 1], corners[flipped_y ? 2 : 0],
                           corners[flipped_x ? 1 : 3], corners[flipped_y ? 0 : 2], 0};
    }
    box.area = (box.right - box.left) * (box.bottom - box.top);
    return box;
}

static bool vision_overlap(const struct box *a, const struct box *b, float threshold)
{
    const float left = a->left > b->left ? a->left : b->left;
    const float right = a->right < b->right ? a->right : b->right;
    const float top = a->top > b->top ? a->top : b->top;
    const float bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
    if (!(right > left) || !(bottom > top) || a->area <= 0 || b->area <= 0)
        return false;
    const float common = (right - left) * (bottom - top);
    const float either = a->area + b->area - common;
    return either > 0 && common / either > threshold;
}

struct candidate {
    float score;
    uint64_t index;
};

// The highest score first, then the lowest index.
static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

struct suppression {
    bool center, has_score_threshold;
    float overlap_threshold, score_threshold;
    uint64_t boxes;
    int64_t most; // of each class
    struct candidate *candidates;
    struct box *kept;
    int64_t *selected; // triples: batch, class, box
    size_t count, capacity;
};

static float number(const struct tensor *tensor, float fallback)
{
    return tensor == NULL ? fallback : *(const float *)tensor->data;
}

static void select_box(struct suppression *task, uint64_t batch, uint64_t class, uint64_t box)
{
    if (task->count == task->capacity) {
        task->capacity = 2 * task->capacity + 64;
        task->selected = memory_resize(task->selected, task->capacity * 3 * sizeof(int64_t));
    }
    int64_t *triple = task->selected + 3 * task->count++;
    triple[0] = (int64_t)batch;
    triple[1] = (int64_t) class;
    triple[2] = (int64_t)box;
}

static void suppress_class(struct suppression *task, const float *boxes, const float *scores,
                           uint64_t batch, uint64_t class)
{
    size_t count = 0;
    for (uint64_t i = 0; i < task->boxes; i++)
        if (scores[i] == scores[i] &&
            (!task->has_score_threshold || scores[i] > task->score_threshold))
            task->candidates[count++] = (struct candidate){scores[i], i};
    sort_items(task->candidates, count, sizeof *task->candidates, compare_candidates);
    int64_t kept = 0;
    for (size_t i = 0; i < count && kept < task->most; i++) {
        const struct box box =
            onnx_vision_box_of(boxes + 4 * task->candidates[i].index, task->center);
        bool suppressed = false;
        for (int64_t k = 0; k < kept && !suppressed; k++)
            suppressed = vision_overlap(&box, &task->kept[k], task->overlap_threshold);
        if (suppressed)
            continue;
        task->kept[kept++] = box;
        select_box(task, batch, class, task->candidates[i].index);
    }
}

static status non_max_suppression(struct kernel_call *call)
{
    const struct tensor *boxes = call->inputs[0], *scores = call->inputs[1];
    const struct tensor *most = kernel_input(call, 2);
    struct suppression task = {
        .center = attribute_integer(call->attributes, "center_point_box", 0) != 0,
        .overlap_threshold = number(kernel_input(call, 3), 0),
        .has_score_threshold = kernel_input(call, 4) != NULL,
        .score_threshold = number(kernel_input(call, 4), 0),
        .boxes = (uint64_t)boxes->shape.dims[1],
        .most = most == NULL ? 0 : *(const int64_t *)most->data,
    };
    const size_t room = (size_t)task.boxes + 1;
    task.candidates = memory_allocate_zeroed(room, sizeof *task.candidates);
    task.kept = memory_allocate_zeroed(room, sizeof *task.kept);
    const uint64_t batches = (uint64_t)scores->shape.dims[0];
    const uint64_t classes = (uint64_t)scores->shape.dims[1];
    for (uint64_t i = 0; i < batches * classes; i++)
        suppress_class(&task, (const float *)boxes->data + i / classes * task.boxes * 4,
                       (const float *)scores->data + i * task.boxes, i / classes, i % classes);
    struct tensor *out;
    const status result =
        kernel_make(call, 0, ELEMENT_I64, &(struct shape){2, {(int64_t)task.count, 3}}, &out);
    if (result == STATUS_OK && out != NULL && task.count > 0)
        memcpy(out->data, task.selected, task.count * 3 * sizeof(int64_t));
    free(task.candidates);
    free(task.kept);
    free(task.selected);
    return result;
}

// Blocks that lie over an image, one for each column of the input.
struct blocks {
    uint32_t rank;
    int64_t image[SHAPE_RANK_MOST], block[SHAPE_RANK_MOST], count[SHAPE_RANK_MOST];
    int64_t stride[SHAPE_RANK_MOST], dilation[SHAPE_RANK_MOST], pad[SHAPE_RANK_MOST];
    uint64_t columns;  // blocks
    uint64_t elements; // of a block
    uint64_t pixels;   // of an image
    const struct tensor *in;
    struct tensor *out;
    bool no_memory; // set by any piece
};

static struct blocks onnx_vision_blocks_of(const struct kernel_call *call, struct tensor *out)
{
    const struct tensor *image = call->inputs[1], *block = call->inputs[2];
    struct blocks blocks = {.rank = out->shape.rank - 2,
                            .columns = (uint64_t)call->inputs[0]->shape.dims[2],
                            .elements = 1,
                            .pixels = 1,
                            .in = call->inputs[0],
                            .out = out};
    const int64_t *strides = NULL, *dilations = NULL, *pads = NULL;
    const bool has_strides = attribute_integers(call->attributes, "strides", &strides) > 0;
    const bool has_dilations = attribute_integers(call->attributes, "dilations", &dilations) > 0;
    const bool has_pads = attribute_integers(call->attributes, "pads", &pads) > 0;
    for (uint32_t d = 0; d < blocks.rank; d++) {
        blocks.image[d] = ((const int64_t *)image->data)[d];
        blocks.block[d] = ((const int64_t *)block->data)[d];
        blocks.stride[d] = has_strides ? strides[d] : 1;
        blocks.dilation[d] = has_dilations ? dilations[d] : 1;
        blocks.pad[d] = has_pads ? pads[d] : 0;
        const int64_t padded = blocks.image[d] + (has_pads ? pads[d] + pads[blocks.rank + d] : 0);
        const int64_t extent = (blocks.block[d] - 1) * blocks.dilation[d] + 1;
        blocks.count[d] = (padded - extent) / blocks.stride[d] + 1;
        blocks.elements *= (uint64_t)blocks.block[d];
        blocks.pixels *= (uint64_t)blocks.image[d];
    }
    return blocks;
}

// Where element `element` of block `column` lies in the image; false: in the padding.
static bool find_pixel(const struct blocks *blocks, uint64_t element, uint64_t column,
                       uint64_t *out_pixel)
{
    uint64_t pixel = 0, distance = 1;
    for (uint32_t d = blocks->rank; d-- > 0;) {
        const int64_t inside = (int64_t)(element % (uint64_t)blocks->block[d]);
        const int64_t at = (int64_t)(column % (uint64_t)blocks->count[d]);
        const int64_t place =
            at * blocks->stride[d] + inside * blocks->dilation[d] - blocks->pad[d];
        if (place < 0 || place >= blocks->image[d])
            return false;
        pixel += (uint64_t)place * distance;
        distance *= (uint64_t)blocks->image[d];
        element /= (uint64_t)blocks->block[d];
        column /= (uint64_t)blocks->count[d];
    }
    *out_pixel = pixel;
    return true;
}

// Sums up image `index` (one channel of one item) in `sums`, of f64 or i64.
#define DEFINE_GATHER(name, type, wide)                                                            \
    static void name(const struct blocks *blocks, const void *rows, void *image)                   \
    {                                                                                              \
        const type *from = rows;                                                                   \
        type *sums = image;                                                                        \
        for (uint64_t e = 0; e < blocks->elements; e++)                                            \
            for (uint64_t c = 0; c < blocks->columns; c++) {                                       \
                uint64_t pixel;                                                                    \
                if (find_pixel(blocks, e, c, &pixel))                                              \
                    sums[pixel] = (type)((wide)sums[pixel] + (wide)from[e * blocks->columns + c]); \
            }                                                                                      \
    }

DEFINE_GATHER(gather_f64, double, double)
DEFINE_GATHER(gather_i64, int64_t, uint64_t)

static void col2im_piece(void *context, uint64_t from, uint64_t to)
{
    struct blocks *blocks = context;
    const enum element element = blocks->in->element;
    const bool real = element_is_float(element);
    const enum element wide = real ? ELEMENT_F64 : ELEMENT_I64;
    const uint64_t numbers = blocks->elements * blocks->columns;
    void *rows = malloc((size_t)(numbers + 1) * 8);
    void *image = malloc((size_t)(blocks->pixels + 1) * 8);
    if (rows == NULL || image == NULL)
        __atomic_store_n(&blocks->no_memory, true, __ATOMIC_RELAXED);
    else
        for (uint64_t i = from; i < to; i++) {
            convert_row(element,
                        (const char *)blocks->in->data + i * numbers * element_size(element), wide,
                        rows, numbers, true);
            memset(image, 0, (size_t)blocks->pixels * 8);
            if (real)
                gather_f64(blocks, rows, image);
            else
                gather_i64(blocks, rows, image);
            convert_row(wide, image, element,
                        (char *)blocks->out->data + i * blocks->pixels * element_size(element),
                        blocks->pixels, true);
        }
    free(rows);
    free(image);
}

static status col2im(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct blocks blocks = onnx_vision_blocks_of(call, out);
    const uint64_t images = (uint64_t)out->shape.dims[0] * (uint64_t)out->shape.dims[1];
    parallel_for(call->parallel, images, 1, col2im_piece, &blocks);
    return blocks.no_memory ? status_no_memory("a decoded image") : STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"RoiAlign", vision_roi_align},
    {"MaxRoiPool", vision_max_roi_pool},
    {"NonMaxSuppression", non_max_suppression},
    {"Col2Im", col2im},
    {"ImageDecoder", vision_image_decoder},
};

const struct kernel_table ONNX_VISION_KERNELS = KERNEL_TABLE(KERNELS);
