// ArgMax and ArgMin.

#include "kernels/core/extreme.h"
#include "reduce.h"

static status reduce_arg_run(struct kernel_call *call, bool largest)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(call->attributes, "axis", 0), in->shape.rank, &axis));
    const bool last = attribute_integer(call->attributes, "select_last_index", 0) != 0;
    extreme_find(call->parallel, in, axis, largest, last, out);
    return STATUS_OK;
}

status reduce_arg_max(struct kernel_call *call)
{
    return reduce_arg_run(call, true);
}

status reduce_arg_min(struct kernel_call *call)
{
    return reduce_arg_run(call, false);
}
