#include <math.h>
#include <stdlib.h>

#include "batch_normalization.h"
#include "kernels/core/convert.h"
#include "kernels/core/copy.h"
#include "kernels/core/normalize.h"
#include "kernels/kernel_tables.h"
#include "network/onnx/normalization.h"
#include "reals.h"

// y = normalized x, with scale and bias of `parameters` numbers each.
static status onnx_normalization_run_rows(struct kernel_call *call, struct normalize *normalize)
{
    struct reals reals;
    void *scale = NULL;
    void *bias = NULL;
    status failure = reals_open(call, call->inputs[0], kernel_output(call, 0), &reals);
    if (failure == STATUS_OK)
        failure = reals_copy(kernel_input(call, 1), reals.element, &scale);
    if (failure == STATUS_OK)
        failure = reals_copy(kernel_input(call, 2), reals.element, &bias);
    if (failure == STATUS_OK) {
        normalize->element = reals.element;
        normalize->x = reals.x;
        normalize->y = reals.y;
        normalize->scale = scale;
        normalize->bias = bias;
        normalize_rows(normalize, call->parallel);
        reals_finish(&reals, call->parallel);
    }
    reals_close(&reals);
    free(scale);
    free(bias);
    return failure;
}

static double epsilon_of(const struct kernel_call *call)
{
    return attribute_real(call->attributes, "epsilon", 1e-5);
}

static status run_instance(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    return onnx_normalization_run_rows(call, &(struct normalize){
                                                 .rows = shape_count_between(x, 0, 2),
                                                 .blocks = 1,
                                                 .area = shape_count_between(x, 2, x->rank),
                                                 .parameters = (uint64_t)x->dims[1],
                                                 .epsilon = epsilon_of(call),
                                             });
}

// Until opset 21 a group has one factor, then each of its channels has its own.
static status run_group(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    const uint64_t groups = (uint64_t)attribute_integer(call->attributes, "num_groups", 1);
    const uint64_t channels = (uint64_t)x->dims[1] / groups;
    const uint64_t area = shape_count_between(x, 2, x->rank);
    const bool by_group = call->version < 21;
    return onnx_normalization_run_rows(call,
                                       &(struct normalize){
                                           .rows = (uint64_t)x->dims[0] * groups,
                                           .blocks = by_group ? 1 : channels,
                                           .area = by_group ? channels * area : area,
                                           .parameters = by_group ? groups : (uint64_t)x->dims[1],
                                           .epsilon = epsilon_of(call),
                                       });
}

// LayerNormalization ------------------------------------------------------------

// The parameters of all elements of a row, where the given ones broadcast.
static status expand_parameters(struct kernel_call *call, uint32_t index, const struct shape *x,
                                uint32_t axis, enum element element, void **out_data)
{
    *out_data = NULL;
    const struct tensor *given = kernel_input(call, index);
    if (given == NULL)
        return STATUS_OK;
    struct shape row = {.rank = x->rank - axis};
    memcpy(row.dims, x->dims + axis, row.rank * sizeof *row.dims);
    const size_t size = element_size(element);
    void *dense;
    STATUS_TRY(reals_copy(given, element, &dense));
    if (tensor_count(given) == shape_count(&row)) {
        *out_data = dense;
        return STATUS_OK;
    }
    struct copy copy = copy_over(&row, element);
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(&given->shape, steps);
    for (uint32_t d = 0; d < row.rank; d++) {
        const int64_t own = (int64_t)d - (int64_t)row.rank + (int64_t)given->shape.rank;
        copy.source_steps[d] = own >= 0 && given->shape.dims[own] != 1 ? steps[own] : 0;
    }
    *out_data = malloc((shape_count(&row) + 1) * size);
    if (*out_data != NULL && shape_count(&row) > 0)
        copy_run(call->parallel, &copy, dense, *out_data);
    free(dense);
    return *out_data != NULL ? STATUS_OK : status_no_memory("the parameters of a normalization");
}

static void onnx_normalization_store_statistics(struct kernel_call *call, uint32_t index,
                                                const double *numbers)
{
    struct tensor *out = kernel_output(call, index);
    if (out != NULL)
        convert_row(ELEMENT_F64, numbers, out->element, out->data, tensor_count(out), false);
}

static status run_layer(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(call->attributes, "axis", -1), x->rank, &axis));
    const uint64_t rows = shape_count_between(x, 0, axis);
    const uint64_t length = shape_count_between(x, axis, x->rank);
    struct reals reals;
    void *scale = NULL;
    void *bias = NULL;
    const bool asked = kernel_output(call, 1) != NULL || kernel_output(call, 2) != NULL;
    double *statistics = calloc(asked ? 2 * rows + 1 : 1, sizeof *statistics);
    status failure =
        statistics != NULL ? STATUS_OK : status_no_memory("the statistics of a normalization");
    if (failure == STATUS_OK)
        failure = reals_open(call, call->inputs[0], kernel_output(call, 0), &reals);
    else
        reals = (struct reals){0};
    if (failure == STATUS_OK)
        failure = expand_parameters(call, 1, x, axis, reals.element, &scale);
    if (failure == STATUS_OK)
        failure = expand_parameters(call, 2, x, axis, reals.element, &bias);
    if (failure == STATUS_OK) {
        normalize_rows(&(struct normalize){.element = reals.element,
                                           .x = reals.x,
                                           .y = reals.y,
                                           .rows = rows,
                                           .blocks = length,
                                           .area = 1,
                                           .scale = scale,
                                           .bias = bias,
                                           .parameters = length,
                                           .epsilon = epsilon_of(call),
                                           .means = asked ? statistics : NULL,
                                           .inverses = asked ? statistics + rows : NULL},
                       call->parallel);
        reals_finish(&reals, call->parallel);
        if (asked) {
            onnx_normalization_store_statistics(call, 1, statistics);
            onnx_normalization_store_statistics(call, 2, statistics + rows);
        }
    }
    reals_close(&reals);
    free(scale);
    free(bias);
    free(statistics);
    return failure;
}

// LRN -----------------------------------------------------------------------------

struct lrn {
    const void *x;
    void *y;
    int64_t channels;
    int64_t area;
    int64_t before; // channels of the window in front of the one at hand
    int64_t after;
    double alpha; // by the size of the window
    double beta;
    double bias;
};

// Planes of a channel; the squares of neighbouring channels are added up in y.
#define DEFINE_LRN(name, type, raise)                                                              \
    static void name(void *context, uint64_t from, uint64_t to)                                    \
    {                                                                                              \
        const struct lrn *lrn = context;                                                           \
        const int64_t area = lrn->area;                                                            \
        for (int64_t plane = (int64_t)from; plane < (int64_t)to; plane++) {                        \
            const int64_t channel = plane % lrn->channels;                                         \
            const int64_t first = channel > lrn->before ? channel - lrn->before : 0;               \
            const int64_t end = channel + lrn->after + 1;                                          \
            const int64_t last = end < lrn->channels ? end : lrn->channels;                        \
            const type *x = (const type *)lrn->x + plane * area;                                   \
            type *restrict y = (type *)lrn->y + plane * area;                                      \
            for (int64_t i = 0; i < area; i++)                                                     \
                y[i] = 0;                                                                          \
            for (int64_t other = first; other < last; other++) {                                   \
                const type *restrict seen = x + (other - channel) * area;                          \
                for (int64_t i = 0; i < area; i++)                                                 \
                    y[i] += seen[i] * seen[i];                                                     \
            }                                                                                      \
            for (int64_t i = 0; i < area; i++)                                                     \
                y[i] = x[i] / raise((type)lrn->bias + (type)lrn->alpha * y[i], (type)lrn->beta);   \
        }                                                                                          \
    }

DEFINE_LRN(lrn_f32, float, powf)
DEFINE_LRN(lrn_f64, double, pow)

static status run_lrn(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    const int64_t size = attribute_integer(call->attributes, "size", 1);
    struct reals reals;
    status failure = reals_open(call, call->inputs[0], kernel_output(call, 0), &reals);
    if (failure == STATUS_OK && reals.y != NULL && shape_count(x) > 0) {
        struct lrn lrn = {
            .x = reals.x,
            .y = reals.y,
            .channels = x->dims[1],
            .area = (int64_t)shape_count_between(x, 2, x->rank),
            .before = (size - 1) / 2,
            .after = size / 2,
            .alpha = attribute_real(call->attributes, "alpha", 1e-4) / (double)size,
            .beta = attribute_real(call->attributes, "beta", 0.75),
            .bias = attribute_real(call->attributes, "bias", 1),
        };
        parallel_for(call->parallel, shape_count_between(x, 0, 2), 1,
                     reals.element == ELEMENT_F64 ? lrn_f64 : lrn_f32, &lrn);
        reals_finish(&reals, call->parallel);
    }
    reals_close(&reals);
    return failure;
}

// LpNormalization -------------------------------------------------------------------

struct lp {
    const void *x;
    void *y;
    uint64_t length;
    uint64_t inner; // elements between neighbours
    bool squared;
};

// Vectors of nothing but zeros stay what they are.
#define DEFINE_LP(name, type)                                                                      \
    static void name(void *context, uint64_t from, uint64_t to)                                    \
    {                                                                                              \
        const struct lp *lp = context;                                                             \
        for (uint64_t i = from; i < to; i++) {                                                     \
            const uint64_t offset = i / lp->inner * lp->length * lp->inner + i % lp->inner;        \
            const type *x = (const type *)lp->x + offset;                                          \
            type *y = (type *)lp->y + offset;                                                      \
            double sum = 0;                                                                        \
            for (uint64_t j = 0; j < lp->length; j++) {                                            \
                const double seen = (double)x[j * lp->inner];                                      \
                sum += lp->squared ? seen * seen : fabs(seen);                                     \
            }                                                                                      \
            const type norm = (type)(lp->squared ? sqrt(sum) : sum);                               \
            for (uint64_t j = 0; j < lp->length; j++)                                              \
                y[j * lp->inner] = norm != 0 ? x[j * lp->inner] / norm : 0;                        \
        }                                                                                          \
    }

DEFINE_LP(lp_f32, float)
DEFINE_LP(lp_f64, double)

static status run_lp(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(call->attributes, "axis", -1), x->rank, &axis));
    struct reals reals;
    status failure = reals_open(call, call->inputs[0], kernel_output(call, 0), &reals);
    if (failure == STATUS_OK && reals.y != NULL && shape_count(x) > 0) {
        struct lp lp = {
            .x = reals.x,
            .y = reals.y,
            .length = (uint64_t)x->dims[axis],
            .inner = shape_count_between(x, axis + 1, x->rank),
            .squared = attribute_integer(call->attributes, "p", 2) == 2,
        };
        const uint64_t vectors = shape_count_between(x, 0, axis) * lp.inner;
        parallel_for(call->parallel, vectors, 1 + (UINT64_C(1) << 14) / (lp.length + 1),
                     reals.element == ELEMENT_F64 ? lp_f64 : lp_f32, &lp);
        reals_finish(&reals, call->parallel);
    }
    reals_close(&reals);
    return failure;
}

// MeanVarianceNormalization ---------------------------------------------------------

// The dimensions that share a mean are moved past the others, and back.
static void move(struct kernel_call *call, enum element element, const struct shape *shape,
                 const bool *reduced, bool back, const void *source, void *target)
{
    struct copy copy = copy_over(shape, element);
    int64_t step = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t d = shape->rank; d-- > 0;) {
            if (reduced[d] != (pass == 0))
                continue;
            (back ? copy.source_steps : copy.target_steps)[d] = step;
            step *= shape->dims[d];
        }
    }
    copy_run(call->parallel, &copy, source, target);
}

static status run_mean_variance(struct kernel_call *call)
{
    const struct shape *x = &call->inputs[0]->shape;
    const uint64_t count = shape_count(x);
    bool reduced[SHAPE_RANK_MOST];
    STATUS_TRY(normalization_axes(call->version, call->attributes, x->rank, reduced));
    uint64_t rows = 1;
    for (uint32_t d = 0; d < x->rank; d++)
        rows *= reduced[d] ? 1 : (uint64_t)x->dims[d];
    struct reals reals;
    status failure = reals_open(call, call->inputs[0], kernel_output(call, 0), &reals);
    void *moved = NULL;
    if (failure == STATUS_OK && reals.y != NULL && count > 0) {
        moved = malloc(count * element_size(reals.element));
        if (moved == NULL)
            failure = status_no_memory("the rows of a normalization");
    }
    if (moved != NULL) {
        move(call, reals.element, x, reduced, false, reals.x, moved);
        const bool mean_only =
            call->version < 9 && attribute_integer(call->attributes, "normalize_variance", 1) == 0;
        normalize_rows(&(struct normalize){.element = reals.element,
                                           .x = moved,
                                           .y = moved,
                                           .rows = rows,
                                           .blocks = 1,
                                           .area = count / rows,
                                           .added = 1e-9,
                                           .mean_only = mean_only},
                       call->parallel);
        move(call, reals.element, x, reduced, true, moved, reals.y);
        reals_finish(&reals, call->parallel);
    }
    reals_close(&reals);
    free(moved);
    return failure;
}

static const struct kernel KERNELS[] = {
    {"BatchNormalization", batch_normalization_run},
    {"InstanceNormalization", run_instance},
    {"LayerNormalization", run_layer},
    {"GroupNormalization", run_group},
    {"LRN", run_lrn},
    {"LpNormalization", run_lp},
    {"MeanVarianceNormalization", run_mean_variance},
};

const struct kernel_table ONNX_NORMALIZATION_KERNELS = KERNEL_TABLE(KERNELS);
