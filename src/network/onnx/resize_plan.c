#include <inttypes.h>
#include <math.h>

#include "resize.h"

struct name {
    const char *text;
    int value;
};

// The value of the attribute's word among `count` names.
static status find_word(struct attributes attributes, const char *attribute, const char *fallback,
                        const struct name *names, size_t count, int *out_value)
{
    const struct view word = attribute_text(attributes, attribute, fallback);
    for (size_t i = 0; i < count; i++) {
        if (view_is(word, names[i].text)) {
            *out_value = names[i].value;
            return STATUS_OK;
        }
    }
    return status_make(STATUS_DATA, "%s '%.*s' is unknown", attribute, VIEW_ARGUMENTS(word));
}

static const struct name MODES[] = {
    {"nearest", RESIZE_NEAREST},
    {"linear", RESIZE_LINEAR},
    {"bilinear", RESIZE_LINEAR},
    {"cubic", RESIZE_CUBIC},
};

static const struct name COORDINATES[] = {
    {"half_pixel", RESIZE_HALF_PIXEL},
    {"half_pixel_symmetric", RESIZE_HALF_PIXEL_SYMMETRIC},
    {"pytorch_half_pixel", RESIZE_PYTORCH_HALF_PIXEL},
    {"align_corners", RESIZE_ALIGN_CORNERS},
    {"asymmetric", RESIZE_ASYMMETRIC},
    {"tf_half_pixel_for_nn", RESIZE_TF_HALF_PIXEL_FOR_NN},
    {"tf_crop_and_resize", RESIZE_TF_CROP_AND_RESIZE},
};

static const struct name NEAREST[] = {
    {"round_prefer_floor", RESIZE_ROUND_PREFER_FLOOR},
    {"round_prefer_ceil", RESIZE_ROUND_PREFER_CEIL},
    {"floor", RESIZE_FLOOR},
    {"ceil", RESIZE_CEIL},
};

enum policy { STRETCH, NOT_LARGER, NOT_SMALLER };

static const struct name POLICIES[] = {
    {"stretch", STRETCH},
    {"not_larger", NOT_LARGER},
    {"not_smaller", NOT_SMALLER},
};

#define WORD(attributes, attribute, fallback, names, out)                                          \
    find_word(attributes, attribute, fallback, names, sizeof(names) / sizeof *(names), out)

static bool is_upsample(const struct network_node *node)
{
    return view_is(node->type, "Upsample");
}

// Whether the node is of the time before there were coordinate transformations.
static bool resize_plan_is_old(const struct network_node *node)
{
    return is_upsample(node) || node->version < 11;
}

struct resize_places resize_places(const struct network_node *node)
{
    if (is_upsample(node) && node->version < 9)
        return (struct resize_places){-1, -1, -1};
    if (resize_plan_is_old(node))
        return (struct resize_places){-1, 1, -1};
    return (struct resize_places){1, 2, 3};
}

status resize_attributes(const struct network_node *node, struct resize *out_resize)
{
    const struct attributes attributes = node->attributes;
    const bool old = resize_plan_is_old(node);
    int mode, coordinates, nearest;
    STATUS_TRY(WORD(attributes, "mode", "nearest", MODES, &mode));
    STATUS_TRY(WORD(attributes, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel",
                    COORDINATES, &coordinates));
    STATUS_TRY(
        WORD(attributes, "nearest_mode", old ? "floor" : "round_prefer_floor", NEAREST, &nearest));
    *out_resize = (struct resize){
        .mode = (enum resize_mode)mode,
        .coordinates = (enum resize_coordinates)coordinates,
        .nearest = (enum resize_nearest)nearest,
        .antialias = attribute_integer(attributes, "antialias", 0) != 0,
        .exclude_outside = attribute_integer(attributes, "exclude_outside", 0) != 0,
        .cubic = attribute_real(attributes, "cubic_coeff_a", -0.75),
        .extrapolation = attribute_real(attributes, "extrapolation_value", 0),
    };
    return STATUS_OK;
}

// Which dimensions the items of the lists are for.
static status resized_axes(const struct network_node *node, uint32_t rank, uint32_t *axes,
                           uint32_t *out_count)
{
    struct list list;
    STATUS_TRY(list_attribute(node->attributes, "axes", &list));
    if (list.given && node->version >= 18) {
        *out_count = list.count;
        return list_axes(&list, rank, axes);
    }
    *out_count = rank;
    for (uint32_t i = 0; i < rank; i++)
        axes[i] = i;
    return STATUS_OK;
}

// Scale `index`, from an input or from an attribute of Upsample.
static status read_scale(const struct network_node *node, const struct constant *scales,
                         uint32_t index, uint32_t count, double *out_scale)
{
    const double *reals = NULL;
    const uint32_t given = attribute_reals(node->attributes, "scales", &reals);
    const uint64_t items = scales != NULL ? tensor_count(&scales->tensor) : given;
    if (scales == NULL && is_upsample(node) && node->version < 7) {
        const char *const names[] = {"height_scale", "width_scale"};
        *out_scale =
            index + 2 < count ? 1 : attribute_real(node->attributes, names[index + 2 - count], 1);
    } else if (items != count) {
        return status_make(STATUS_DATA, "%" PRIu64 " scales for %" PRIu32 " dimensions", items,
                           count);
    } else {
        *out_scale = scales != NULL ? constant_real(scales, index) : reals[index];
    }
    if (!(*out_scale > 0) || isinf(*out_scale))
        return status_make(STATUS_DATA, "a scale of %g", *out_scale);
    return STATUS_OK;
}

static status resize_plan_set_length(double length, int64_t *out_length)
{
    if (!(length >= 0 && length < 0x1p53))
        return status_make(STATUS_LIMIT, "a dimension of %g", length);
    *out_length = (int64_t)length;
    return STATUS_OK;
}

static status plan_scales(const struct network_node *node, const struct constant *scales,
                          const uint32_t *places, uint32_t count, struct resize *resize,
                          struct shape *shape)
{
    for (uint32_t i = 0; i < count; i++) {
        struct resize_axis *axis = &resize->axes[places[i]];
        const int64_t length = shape->dims[places[i]];
        STATUS_TRY(read_scale(node, scales, i, count, &axis->scale));
        const double part =
            resize->coordinates == RESIZE_TF_CROP_AND_RESIZE ? axis->end - axis->start : 1;
        axis->length = (double)length * axis->scale;
        axis->from = 1;
        axis->to = axis->scale;
        // In single precision, in which the scales were made.
        STATUS_TRY(resize_plan_set_length(
            floor((double)((float)length * (float)part * (float)axis->scale)),
            &shape->dims[places[i]]));
    }
    return STATUS_OK;
}

static status plan_sizes(const struct network_node *node, const struct constant *sizes,
                         const uint32_t *places, uint32_t count, struct resize *resize,
                         struct shape *shape)
{
    int policy = STRETCH;
    if (node->version >= 18)
        STATUS_TRY(
            WORD(node->attributes, "keep_aspect_ratio_policy", "stretch", POLICIES, &policy));
    if (tensor_count(&sizes->tensor) != count)
        return status_make(STATUS_DATA, "%" PRIu64 " sizes for %" PRIu32 " dimensions",
                           tensor_count(&sizes->tensor), count);
    double common = policy == NOT_LARGER ? INFINITY : 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t from = shape->dims[places[i]], to = constant_integer(sizes, i);
        if (to < 0)
            return status_make(STATUS_DATA, "a size of %" PRId64, to);
        const double scale = from > 0 ? (double)to / (double)from : 1;
        resize->axes[places[i]] = (struct resize_axis){.scale = scale,
                                                       .from = from > 0 ? (double)from : 1,
                                                       .to = from > 0 ? (double)to : 1,
                                                       .length = (double)to,
                                                       .start = resize->axes[places[i]].start,
                                                       .end = resize->axes[places[i]].end};
        shape->dims[places[i]] = to;
        common = policy == NOT_LARGER ? fmin(common, scale) : fmax(common, scale);
    }
    for (uint32_t i = 0; policy != STRETCH && i < count; i++) {
        struct resize_axis *axis = &resize->axes[places[i]];
        const double from = axis->scale > 0 ? axis->length / axis->scale : 0;
        axis->scale = axis->to = common;
        axis->from = 1;
        axis->length = common * from;
        STATUS_TRY(resize_plan_set_length(floor(axis->length + 0.5), &shape->dims[places[i]]));
    }
    return STATUS_OK;
}

static status plan_region(const struct constant *region, const uint32_t *places, uint32_t count,
                          struct resize *resize)
{
    if (resize->coordinates != RESIZE_TF_CROP_AND_RESIZE)
        return STATUS_OK;
    if (region == NULL || tensor_count(&region->tensor) != (uint64_t)count * 2)
        return status_make(STATUS_DATA, "no region with two numbers for each dimension");
    for (uint32_t i = 0; i < count; i++) {
        struct resize_axis *axis = &resize->axes[places[i]];
        axis->start = constant_real(region, i);
        axis->end = constant_real(region, count + i);
        if (!isfinite(axis->start) || !isfinite(axis->end))
            return status_make(STATUS_DATA, "a region from %g to %g", axis->start, axis->end);
    }
    return STATUS_OK;
}

status resize_plan(const struct network_node *node, const struct resize_inputs *inputs,
                   const struct shape *input, struct resize *out_resize, struct shape *out_shape)
{
    STATUS_TRY(resize_attributes(node, out_resize));
    *out_shape = *input;
    for (uint32_t i = 0; i < input->rank; i++)
        out_resize->axes[i] = (struct resize_axis){
            .scale = 1, .from = 1, .to = 1, .length = (double)input->dims[i], .end = 1};
    uint32_t places[SHAPE_RANK_MOST], count;
    STATUS_TRY(resized_axes(node, input->rank, places, &count));
    STATUS_TRY(plan_region(inputs->region, places, count, out_resize));
    if (inputs->sizes != NULL && inputs->scales != NULL)
        return status_make(STATUS_DATA,
                           "both scales and sizes are given: Resize takes one of them");
    if (inputs->sizes != NULL)
        STATUS_TRY(plan_sizes(node, inputs->sizes, places, count, out_resize, out_shape));
    else
        STATUS_TRY(plan_scales(node, inputs->scales, places, count, out_resize, out_shape));
    uint64_t total;
    STATUS_TRY(shape_elements(out_shape, &total));
    for (uint32_t i = 0; total > 0 && i < input->rank; i++) {
        if (input->dims[i] == 0)
            return status_make(STATUS_DATA, "dimension %" PRIu32 " has nothing to resize", i);
    }
    return STATUS_OK;
}
