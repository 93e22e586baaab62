// Regions of images, boxes around things, and images from their patches.

#include <inttypes.h>

#include "network/operator_tables.h"

// Beyond this, a number of samples or a size of a region makes no sense.
#define LARGEST 65536

#define REALS (ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64))

static status onnx_vision_check_rank(const struct inference *inference, uint32_t index,
                                     uint32_t rank)
{
    const struct value_type *type = inference_tensor(inference, index);
    if (type == NULL || !type->ranked || type->shape.rank == rank)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "input %" PRIu32 " has %" PRIu32 " dimensions instead of %" PRIu32, index,
                       type->shape.rank, rank);
}

// Dimension `d` of input `index`, of which the rank was checked; unknown where it is.
static int64_t dimension(const struct inference *inference, uint32_t index, uint32_t d)
{
    const struct value_type *type = inference_tensor(inference, index);
    return type == NULL || !type->ranked ? SHAPE_UNKNOWN : type->shape.dims[d];
}

static status check_dimension(const struct inference *inference, uint32_t index, uint32_t d,
                              int64_t expected)
{
    const int64_t length = dimension(inference, index, d);
    if (length == SHAPE_UNKNOWN || expected == SHAPE_UNKNOWN || length == expected)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "dimension %" PRIu32 " of input %" PRIu32 " is %" PRId64
                       " instead of %" PRId64,
                       d, index, length, expected);
}

static status onnx_vision_check_range(const char *name, int64_t value, int64_t least)
{
    if (value >= least && value <= LARGEST)
        return STATUS_OK;
    return status_make(STATUS_DATA, "attribute %s is %" PRId64, name, value);
}

static status onnx_vision_check_word(const struct inference *inference, const char *name,
                                     const char *first, const char *second)
{
    const struct view text = attribute_text(inference->node->attributes, name, first);
    if (view_is(text, first) || view_is(text, second))
        return STATUS_OK;
    return status_make(STATUS_DATA, "attribute %s is '%.*s'", name, (int)text.size, text.data);
}

static status infer_roi_align(struct inference *inference)
{
    const struct attributes attributes = inference->node->attributes;
    const struct value_type *x, *rois, *indices;
    STATUS_TRY(inference_need_tensor(inference, 0, &x));
    STATUS_TRY(inference_need_tensor(inference, 1, &rois));
    STATUS_TRY(inference_need_tensor(inference, 2, &indices));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENTS_FLOAT));
    STATUS_TRY(inference_check_element(inference, 2, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(onnx_vision_check_rank(inference, 0, 4));
    STATUS_TRY(onnx_vision_check_rank(inference, 1, 2));
    STATUS_TRY(onnx_vision_check_rank(inference, 2, 1));
    STATUS_TRY(check_dimension(inference, 1, 1, 4));
    STATUS_TRY(check_dimension(inference, 2, 0, dimension(inference, 1, 0)));
    STATUS_TRY(onnx_vision_check_word(inference, "mode", "avg", "max"));
    STATUS_TRY(onnx_vision_check_word(inference, "coordinate_transformation_mode", "half_pixel",
                                      "output_half_pixel"));
    const int64_t height = attribute_integer(attributes, "output_height", 1);
    const int64_t width = attribute_integer(attributes, "output_width", 1);
    STATUS_TRY(onnx_vision_check_range("output_height", height, 1));
    STATUS_TRY(onnx_vision_check_range("output_width", width, 1));
    STATUS_TRY(onnx_vision_check_range("sampling_ratio",
                                       attribute_integer(attributes, "sampling_ratio", 0), 0));
    int64_t count = dimension(inference, 1, 0);
    count = count == SHAPE_UNKNOWN ? dimension(inference, 2, 0) : count;
    const struct shape out = {4, {count, dimension(inference, 0, 1), height, width}};
    inference_set(inference, 0, x->element, &out);
    return STATUS_OK;
}

// Four products and four additions (or comparisons) for each sample, and the mean.
// As many samples as the attribute says; one where the data decide.
static void measure_roi_align(const struct inference *inference, struct work *work)
{
    const int64_t ratio = attribute_integer(inference->node->attributes, "sampling_ratio", 0);
    const uint64_t samples = ratio > 0 ? (uint64_t)(ratio * ratio) : 1;
    work->flops = (8 * samples + 1) * work->elements;
}

static status infer_max_roi_pool(struct inference *inference)
{
    const struct value_type *x, *rois;
    STATUS_TRY(inference_need_tensor(inference, 0, &x));
    STATUS_TRY(inference_need_tensor(inference, 1, &rois));
    STATUS_TRY(inference_check_element(inference, 0, REALS));
    STATUS_TRY(inference_check_element(inference, 1, REALS));
    STATUS_TRY(onnx_vision_check_rank(inference, 0, 4));
    STATUS_TRY(onnx_vision_check_rank(inference, 1, 2));
    STATUS_TRY(check_dimension(inference, 1, 1, 5));
    const int64_t *pooled = NULL;
    if (attribute_integers(inference->node->attributes, "pooled_shape", &pooled) != 2)
        return status_make(STATUS_DATA, "attribute pooled_shape does not hold two integers");
    STATUS_TRY(onnx_vision_check_range("pooled_shape", pooled[0], 1));
    STATUS_TRY(onnx_vision_check_range("pooled_shape", pooled[1], 1));
    const struct shape out = {
        4, {dimension(inference, 1, 0), dimension(inference, 0, 1), pooled[0], pooled[1]}};
    inference_set(inference, 0, x->element, &out);
    return STATUS_OK;
}

static status infer_non_max_suppression(struct inference *inference)
{
    const struct value_type *boxes, *scores;
    STATUS_TRY(inference_need_tensor(inference, 0, &boxes));
    STATUS_TRY(inference_need_tensor(inference, 1, &scores));
    STATUS_TRY(onnx_vision_check_rank(inference, 0, 3));
    STATUS_TRY(onnx_vision_check_rank(inference, 1, 3));
    STATUS_TRY(check_dimension(inference, 0, 2, 4));
    STATUS_TRY(check_dimension(inference, 1, 0, dimension(inference, 0, 0)));
    STATUS_TRY(check_dimension(inference, 1, 2, dimension(inference, 0, 1)));
    for (uint32_t i = 0; i < 5; i++) {
        const enum element element = i == 2 ? ELEMENT_I64 : ELEMENT_F32;
        STATUS_TRY(inference_check_element(inference, i, ELEMENT_BIT(element)));
        const struct value_type *type = inference_tensor(inference, i);
        if (i >= 2 && type != NULL && value_type_static(type) && shape_count(&type->shape) != 1)
            return status_make(STATUS_DATA, "input %" PRIu32 " is not a single number", i);
    }
    const int64_t center = attribute_integer(inference->node->attributes, "center_point_box", 0);
    if (center != 0 && center != 1)
        return status_make(STATUS_DATA, "attribute center_point_box is %" PRId64, center);
    const struct shape out = {2, {SHAPE_UNKNOWN, 3}};
    inference_set(inference, 0, ELEMENT_I64, &out);
    return STATUS_OK;
}

// Boxes are compared pair by pair only as far as the data need: counted as one
// comparison for each score.
static void measure_non_max_suppression(const struct inference *inference, struct work *work)
{
    work->flops = shape_count(&inference->inputs[1]->shape);
}

// Attribute `name` of `count` numbers, each from `least` on.
static status onnx_vision_take_list(const struct inference *inference, const char *name,
                                    uint32_t count, int64_t least, int64_t fallback,
                                    int64_t *out_items)
{
    const int64_t *items;
    const uint32_t given = attribute_integers(inference->node->attributes, name, &items);
    if (given != 0 && given != count)
        return status_make(STATUS_DATA, "attribute %s has %" PRIu32 " items instead of %" PRIu32,
                           name, given, count);
    for (uint32_t i = 0; i < count; i++) {
        out_items[i] = given == 0 ? fallback : items[i];
        if (out_items[i] < least || out_items[i] > INT32_MAX)
            return status_make(STATUS_DATA, "attribute %s holds %" PRId64, name, out_items[i]);
    }
    return STATUS_OK;
}

// Positions of the blocks in the image, and elements of a block.
static status count_blocks(const struct inference *inference, const int64_t *image,
                           const int64_t *block, uint32_t rank, int64_t *out_blocks,
                           int64_t *out_elements)
{
    int64_t dilations[SHAPE_RANK_MOST], strides[SHAPE_RANK_MOST], pads[2 * SHAPE_RANK_MOST];
    STATUS_TRY(onnx_vision_take_list(inference, "dilations", rank, 1, 1, dilations));
    STATUS_TRY(onnx_vision_take_list(inference, "strides", rank, 1, 1, strides));
    STATUS_TRY(onnx_vision_take_list(inference, "pads", 2 * rank, 0, 0, pads));
    *out_blocks = *out_elements = 1;
    for (uint32_t d = 0; d < rank; d++) {
        if (image[d] < 0 || image[d] > INT32_MAX || block[d] < 1 || block[d] > INT32_MAX)
            return status_make(STATUS_DATA, "blocks of %" PRId64 " in an image of %" PRId64,
                               block[d], image[d]);
        const int64_t extent = (block[d] - 1) * dilations[d] + 1;
        const int64_t room = image[d] + pads[d] + pads[rank + d] - extent;
        if (room < 0)
            return status_make(STATUS_DATA,
                               "a block of %" PRId64 " does not fit an image of %" PRId64, extent,
                               image[d]);
        if (__builtin_mul_overflow(*out_blocks, room / strides[d] + 1, out_blocks) ||
            __builtin_mul_overflow(*out_elements, block[d], out_elements))
            return status_make(STATUS_LIMIT, "more blocks than can be counted");
    }
    return STATUS_OK;
}

static status infer_col2im(struct inference *inference)
{
    const struct value_type *x;
    STATUS_TRY(inference_need_tensor(inference, 0, &x));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(inference_check_element(inference, 2, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(onnx_vision_check_rank(inference, 0, 3));
    int64_t image[SHAPE_RANK_MOST], block[SHAPE_RANK_MOST];
    uint32_t rank, block_rank;
    bool image_known, block_known;
    STATUS_TRY(inference_integers(inference, 1, SHAPE_RANK_MOST - 2, image, &rank, &image_known));
    STATUS_TRY(
        inference_integers(inference, 2, SHAPE_RANK_MOST - 2, block, &block_rank, &block_known));
    if (!image_known) {
        inference_set_unranked(inference, 0, x->element);
        return STATUS_OK;
    }
    struct shape out = {2 + rank, {dimension(inference, 0, 0), SHAPE_UNKNOWN}};
    for (uint32_t d = 0; d < rank; d++)
        out.dims[2 + d] = image[d];
    if (block_known) {
        if (rank == 0 || rank != block_rank)
            return status_make(STATUS_DATA,
                               "blocks of %" PRIu32 " dimensions in an image of %" PRIu32,
                               block_rank, rank);
        int64_t blocks, elements;
        STATUS_TRY(count_blocks(inference, image, block, rank, &blocks, &elements));
        STATUS_TRY(check_dimension(inference, 0, 2, blocks));
        const int64_t rows = dimension(inference, 0, 1);
        if (rows != SHAPE_UNKNOWN && rows % elements != 0)
            return status_make(STATUS_DATA, "%" PRId64 " rows do not make blocks of %" PRId64, rows,
                               elements);
        out.dims[1] = rows == SHAPE_UNKNOWN ? SHAPE_UNKNOWN : rows / elements;
    }
    inference_set(inference, 0, x->element, &out);
    return STATUS_OK;
}

// One addition for each number of the columns.
static void measure_col2im(const struct inference *inference, struct work *work)
{
    work->flops = shape_count(&inference->inputs[0]->shape);
}

static status infer_image_decoder(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_U8)));
    STATUS_TRY(onnx_vision_check_rank(inference, 0, 1));
    const struct view format = attribute_text(inference->node->attributes, "pixel_format", "RGB");
    const bool gray = view_is(format, "Grayscale");
    if (!gray && !view_is(format, "RGB") && !view_is(format, "BGR"))
        return status_make(STATUS_DATA, "attribute pixel_format is '%.*s'", (int)format.size,
                           format.data);
    const struct shape out = {3, {SHAPE_UNKNOWN, SHAPE_UNKNOWN, gray ? 1 : 3}};
    inference_set(inference, 0, ELEMENT_U8, &out);
    return STATUS_OK;
}

static const struct operator_definition DEFINITIONS[] = {
    {.name = "RoiAlign",
     .exact = OPERATOR_INPUT(2),
     .class = OPERATOR_GATHER,
     .inputs = {3, 3},
     .outputs = {1, 1},
     .infer = infer_roi_align,
     .measure = measure_roi_align,
     .price = PRICED_AS_GATHER},
    {.name = "MaxRoiPool",
     .class = OPERATOR_GATHER,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .flops = 1,
     .infer = infer_max_roi_pool,
     .price = PRICED_AS_GATHER},
    {.name = "NonMaxSuppression",
     .exact = OPERATOR_INPUT(2) | OPERATOR_INPUT(3) | OPERATOR_INPUT(4),
     .class = OPERATOR_OTHER,
     .inputs = {2, 5},
     .outputs = {1, 1},
     .infer = infer_non_max_suppression,
     .measure = measure_non_max_suppression,
     .price = PRICED_AS_OTHER},
    {.name = "Col2Im",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2),
     .class = OPERATOR_MOVEMENT,
     .inputs = {3, 3},
     .outputs = {1, 1},
     .infer = infer_col2im,
     .measure = measure_col2im,
     .price = PRICED_AS_MOVEMENT},
    {.name = "ImageDecoder",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_image_decoder,
     .price = PRICED_AS_OTHER},
};

const struct operator_table ONNX_VISION_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
