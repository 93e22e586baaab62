#include "legacy.h"

#include <inttypes.h>

// Adds dimensions of 1 at the end, so that `shape` begins at `axis` of `rank` dimensions.
static struct shape begin_at(const struct shape *shape, uint32_t axis, uint32_t rank)
{
    struct shape result = *shape;
    while (result.rank < rank - axis)
        result.dims[result.rank++] = 1;
    return result;
}

status legacy_align(const struct shape *left, const struct shape *right,
                    struct attributes attributes, uint32_t version, struct shape *out_shape)
{
    *out_shape = *right;
    if (version >= 7)
        return STATUS_OK;
    if (attribute_integer(attributes, "broadcast", 0) == 0) {
        if (left->rank == right->rank)
            return STATUS_OK;
        return status_make(STATUS_DATA,
                           "shapes of %" PRIu32 " and %" PRIu32
                           " dimensions without the attribute broadcast",
                           left->rank, right->rank);
    }
    if (!attribute_given(attributes, "axis"))
        return STATUS_OK;
    const int64_t given = attribute_integer(attributes, "axis", 0);
    const int64_t axis = given < 0 ? given + (int64_t)left->rank : given;
    if (axis < 0 || axis + (int64_t)right->rank > (int64_t)left->rank)
        return status_make(STATUS_DATA,
                           "%" PRIu32 " dimensions at axis %" PRId64 " of %" PRIu32 " dimensions",
                           right->rank, given, left->rank);
    *out_shape = begin_at(right, (uint32_t)axis, left->rank);
    return STATUS_OK;
}

struct shape legacy_slope(const struct shape *input, const struct shape *slope, uint32_t version)
{
    if (version >= 7 || slope->rank != 1 || input->rank < 2)
        return *slope;
    return begin_at(slope, 1, input->rank);
}
