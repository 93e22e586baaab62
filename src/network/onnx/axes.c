#include "axes.h"

#include <inttypes.h>

static status axes_mark(int64_t axis, uint32_t rank, bool *axes)
{
    uint32_t counted;
    STATUS_TRY(shape_axis(axis, rank, &counted));
    if (axes[counted])
        return status_make(STATUS_DATA, "axis %" PRId64 " is given twice", axis);
    axes[counted] = true;
    return STATUS_OK;
}

status axes_read(struct attributes attributes, const struct constant *list, uint32_t rank,
                 bool out_axes[SHAPE_RANK_MOST])
{
    for (uint32_t i = 0; i < SHAPE_RANK_MOST; i++)
        out_axes[i] = false;
    const int64_t *items = NULL;
    uint64_t count = attribute_integers(attributes, "axes", &items);
    if (list != NULL) {
        if (list->tensor.shape.rank > 1 || !element_is_integer(list->tensor.element))
            return status_make(STATUS_DATA, "the axes are not a list of integers");
        count = tensor_count(&list->tensor);
    }
    for (uint64_t i = 0; i < count; i++)
        STATUS_TRY(axes_mark(list != NULL ? constant_integer(list, i) : items[i], rank, out_axes));
    const bool all = count == 0 && attribute_integer(attributes, "noop_with_empty_axes", 0) == 0;
    for (uint32_t i = 0; all && i < rank; i++)
        out_axes[i] = true;
    return STATUS_OK;
}
