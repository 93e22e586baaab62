// Reductions along axes. Along none at all, every element is reduced by itself: a sum
// of squares is the square.

#include "kernels/core/reduce.h"

#include "kernels/kernel_tables.h"
#include "network/onnx/axes.h"
#include "reduce.h"

static status onnx_reduce_run(struct kernel_call *call, enum reduce_kind kind)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    const struct tensor *list = kernel_input(call, 1);
    struct constant constant;
    if (list != NULL)
        constant = (struct constant){.tensor = *list, .bytes = tensor_bytes(list)};
    bool axes[SHAPE_RANK_MOST];
    STATUS_TRY(axes_read(call->attributes, list != NULL ? &constant : NULL, in->shape.rank, axes));
    reduce_run(call->parallel, in, axes, kind, out);
    return STATUS_OK;
}

#define KERNEL(name, kind)                                                                         \
    static status name(struct kernel_call *call)                                                   \
    {                                                                                              \
        return onnx_reduce_run(call, kind);                                                        \
    }

KERNEL(reduce_l1, REDUCE_L1)
KERNEL(reduce_l2, REDUCE_L2)
KERNEL(reduce_log_sum, REDUCE_LOG_SUM)
KERNEL(reduce_log_sum_exp, REDUCE_LOG_SUM_EXP)
KERNEL(reduce_max, REDUCE_MAX)
KERNEL(reduce_mean, REDUCE_MEAN)
KERNEL(reduce_min, REDUCE_MIN)
KERNEL(reduce_product, REDUCE_PRODUCT)
KERNEL(reduce_sum, REDUCE_SUM)
KERNEL(reduce_sum_square, REDUCE_SUM_SQUARE)

static const struct kernel KERNELS[] = {
    {"ArgMax", reduce_arg_max},
    {"ArgMin", reduce_arg_min},
    {"CumSum", reduce_cumulative},
    {"ReduceL1", reduce_l1},
    {"ReduceL2", reduce_l2},
    {"ReduceLogSum", reduce_log_sum},
    {"ReduceLogSumExp", reduce_log_sum_exp},
    {"ReduceMax", reduce_max},
    {"ReduceMean", reduce_mean},
    {"ReduceMin", reduce_min},
    {"ReduceProd", reduce_product},
    {"ReduceSum", reduce_sum},
    {"ReduceSumSquare", reduce_sum_square},
};

const struct kernel_table ONNX_REDUCE_KERNELS = KERNEL_TABLE(KERNELS);
