#include "shape.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHAPE_BITS_MOST = 62 };

bool shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

bool shape_known(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0)
            return false;
    }
    return true;
}

static bool network_shape_is_empty(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0)
            return true;
    }
    return false;
}

status shape_elements(const struct shape *shape, uint64_t *out_count)
{
    uint64_t count = network_shape_is_empty(shape) ? 0 : 1;
    for (uint32_t i = 0; i < shape->rank && count > 0; i++) {
        if (__builtin_mul_overflow(count, (uint64_t)shape->dims[i], &count) ||
            count >> SHAPE_BITS_MOST != 0) {
            char text[SHAPE_TEXT_MOST];
            return status_make(STATUS_LIMIT, "a tensor of shape %s is too large",
                               shape_text(shape, text));
        }
    }
    *out_count = count;
    return STATUS_OK;
}

uint64_t shape_count_between(const struct shape *shape, uint32_t from, uint32_t to)
{
    uint64_t count = 1;
    for (uint32_t i = from; i < to; i++)
        count *= (uint64_t)shape->dims[i];
    return count;
}

uint64_t shape_count(const struct shape *shape)
{
    return shape_count_between(shape, 0, shape->rank);
}

void shape_strides(const struct shape *shape, uint64_t strides[SHAPE_RANK_MOST])
{
    uint64_t stride = 1;
    for (uint32_t i = shape->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= (uint64_t)shape->dims[i];
    }
}

static bool broadcast_dimension(int64_t a, int64_t b, int64_t *out)
{
    if (a == b || b == 1)
        *out = a;
    else if (a == 1)
        *out = b;
    else if (a == SHAPE_UNKNOWN)
        *out = b;
    else if (b == SHAPE_UNKNOWN)
        *out = a;
    else
        return false;
    return true;
}

status shape_broadcast(const struct shape *a, const struct shape *b, struct shape *out_shape)
{
    const struct shape *longer = a->rank >= b->rank ? a : b;
    const struct shape *shorter = longer == a ? b : a;
    const uint32_t ahead = longer->rank - shorter->rank;
    struct shape result = *longer;
    for (uint32_t i = 0; i < shorter->rank; i++) {
        if (!broadcast_dimension(longer->dims[ahead + i], shorter->dims[i],
                                 &result.dims[ahead + i])) {
            char left[SHAPE_TEXT_MOST];
            char right[SHAPE_TEXT_MOST];
            return status_make(STATUS_DATA, "shapes %s and %s do not fit together",
                               shape_text(a, left), shape_text(b, right));
        }
    }
    *out_shape = result;
    return STATUS_OK;
}

status shape_axis(int64_t axis, uint32_t rank, uint32_t *out_axis)
{
    const int64_t counted = axis < 0 ? axis + (int64_t)rank : axis;
    if (counted < 0 || counted >= (int64_t)rank)
        return status_make(STATUS_DATA, "axis %" PRId64 " of a tensor with %" PRIu32 " dimensions",
                           axis, rank);
    *out_axis = (uint32_t)counted;
    return STATUS_OK;
}

const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_MOST])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < shape->rank; i++) {
        const char *separator = i > 0 ? "x" : "";
        const int64_t length = shape->dims[i];
        const int printed =
            length < 0
                ? snprintf(text + used, SHAPE_TEXT_MOST - used, "%s?", separator)
                : snprintf(text + used, SHAPE_TEXT_MOST - used, "%s%" PRId64, separator, length);
        used += (size_t)printed;
    }
    return text;
}
