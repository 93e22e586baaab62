// Operators that run other graphs, and those that compute shapes.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/copy.h"
#include "kernels/executor.h"
#include "kernels/kernel_tables.h"
#include "tosa.h"

// Graphs ----------------------------------------------------------------------

static uint32_t graph_of(const struct kernel_call *call, const char *name)
{
    return attribute_find(call->attributes, name, ATTRIBUTE_GRAPH)->graph;
}

static void release_all(struct datum **items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        datum_release(items[i]);
        items[i] = NULL;
    }
}

static struct datum **make_list(uint32_t count)
{
    return memory_allocate_zeroed((size_t)count + 1, sizeof(struct datum *));
}

static void free_list(struct datum **items, uint32_t count)
{
    release_all(items, count);
    free(items);
}

static void give_all(struct kernel_call *call, struct datum *const *items)
{
    for (uint32_t i = 0; i < call->output_count; i++)
        kernel_give(call, i, datum_keep(items[i]));
}

static status run_cond_if(struct kernel_call *call)
{
    const bool condition = tosa_integer(call->inputs[0], 0) != 0;
    struct datum **outputs = make_list(call->output_count);
    const status failure =
        executor_run_graph(call->runner, graph_of(call, condition ? "then_graph" : "else_graph"),
                           call->data + 1, call->input_count - 1, outputs, call->output_count);
    if (failure == STATUS_OK)
        give_all(call, outputs);
    free_list(outputs, call->output_count);
    return failure;
}

static status condition_holds(struct kernel_call *call, struct datum *const *carried,
                              bool *out_holds)
{
    struct datum *result = NULL;
    STATUS_TRY(executor_run_graph(call->runner, graph_of(call, "cond_graph"), carried,
                                  call->input_count, &result, 1));
    status failure = STATUS_OK;
    if (result == NULL || result->kind != DATUM_TENSOR || result->tensor.element != ELEMENT_BOOL ||
        tensor_count(&result->tensor) != 1)
        failure = status_make(STATUS_DATA, "the condition is not one bool");
    else
        *out_holds = tosa_integer(&result->tensor, 0) != 0;
    datum_release(result);
    return failure;
}

static status loop(struct kernel_call *call, struct datum **carried, struct datum **next)
{
    const uint32_t body = graph_of(call, "body_graph");
    for (;;) {
        bool holds;
        STATUS_TRY(condition_holds(call, carried, &holds));
        if (!holds)
            return STATUS_OK;
        STATUS_TRY(executor_run_graph(call->runner, body, carried, call->input_count, next,
                                      call->input_count));
        release_all(carried, call->input_count);
        for (uint32_t i = 0; i < call->input_count; i++) {
            carried[i] = next[i];
            next[i] = NULL;
        }
    }
}

static status run_while_loop(struct kernel_call *call)
{
    if (call->output_count != call->input_count)
        return status_make(STATUS_DATA, "it gives other values than it takes");
    struct datum **carried = make_list(call->input_count);
    struct datum **next = make_list(call->input_count);
    for (uint32_t i = 0; i < call->input_count; i++)
        carried[i] = datum_keep(call->data[i]);
    const status failure = loop(call, carried, next);
    if (failure == STATUS_OK)
        give_all(call, carried);
    free_list(carried, call->input_count);
    free_list(next, call->input_count);
    return failure;
}

// Shapes ----------------------------------------------------------------------

// False: there is no such number.
typedef bool (*shape_function)(int64_t a, int64_t b, int64_t *out);

static bool tosa_shape_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static bool tosa_shape_subtract(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static bool tosa_shape_multiply(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

// Lengths are not negative, and what they are divided by is positive.
static bool divide_floor(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b <= 0)
        return false;
    *out = a / b;
    return true;
}

static bool divide_ceil(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b <= 0)
        return false;
    *out = a / b + (a % b != 0);
    return true;
}

static bool modulo(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b <= 0)
        return false;
    *out = a % b;
    return true;
}

static bool tosa_shape_larger(int64_t a, int64_t b, int64_t *out)
{
    *out = a > b ? a : b;
    return true;
}

static bool smaller(int64_t a, int64_t b, int64_t *out)
{
    *out = a < b ? a : b;
    return true;
}

static bool power(int64_t a, int64_t b, int64_t *out)
{
    (void)b;
    if (a < 0 || a > 62)
        return false;
    *out = INT64_C(1) << a;
    return true;
}

static bool logarithm_floor(int64_t a, int64_t b, int64_t *out)
{
    (void)b;
    if (a <= 0)
        return false;
    *out = 63 - __builtin_clzll((unsigned long long)a);
    return true;
}

static bool logarithm_ceil(int64_t a, int64_t b, int64_t *out)
{
    if (!logarithm_floor(a, b, out))
        return false;
    *out += (a & (a - 1)) != 0;
    return true;
}

static status run_shape(struct kernel_call *call, shape_function function)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct tensor *a = call->inputs[0];
    const struct tensor *b = call->input_count > 1 ? call->inputs[1] : a;
    const uint64_t count = tensor_count(out);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t left = tosa_integer(a, tensor_count(a) == 1 ? 0 : i);
        const int64_t right = tosa_integer(b, tensor_count(b) == 1 ? 0 : i);
        if (!function(left, right, (int64_t *)out->data + i))
            return status_make(STATUS_DATA, "no length follows from %" PRId64 " and %" PRId64, left,
                               right);
    }
    return STATUS_OK;
}

#define SHAPE(title, function)                                                                     \
    static status run_##title(struct kernel_call *call)                                            \
    {                                                                                              \
        return run_shape(call, function);                                                          \
    }

SHAPE(add_shape, tosa_shape_add)
SHAPE(sub_shape, tosa_shape_subtract)
SHAPE(mul_shape, tosa_shape_multiply)
SHAPE(div_floor_shape, divide_floor)
SHAPE(div_ceil_shape, divide_ceil)
SHAPE(mod_shape, modulo)
SHAPE(max_shape, tosa_shape_larger)
SHAPE(min_shape, smaller)
SHAPE(exp2_shape, power)
SHAPE(log2_floor_shape, logarithm_floor)
SHAPE(log2_ceil_shape, logarithm_ceil)

static status run_concat_shape(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    uint64_t at = 0;
    for (uint32_t i = 0; out != NULL && i < call->input_count; i++) {
        copy_into(call->parallel, call->inputs[i], out, &at);
        at += tensor_count(call->inputs[i]);
    }
    return STATUS_OK;
}

static status run_slice_shape(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const int64_t start = tosa_integer(call->inputs[1], 0);
    const int64_t whole = call->inputs[0]->shape.dims[0];
    if (start < 0 || start > whole || out->shape.dims[0] > whole - start)
        return status_make(STATUS_DATA, "a slice of %" PRId64 " from %" PRId64 " of %" PRId64,
                           out->shape.dims[0], start, whole);
    copy_from(call->parallel, call->inputs[0], out, &(uint64_t){(uint64_t)start});
    return STATUS_OK;
}

static status run_dim(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(call->attributes, "axis", 0),
                          call->inputs[0]->shape.rank, &axis));
    if (out != NULL)
        *(int64_t *)out->data = call->inputs[0]->shape.dims[axis];
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"tosa.cond_if", run_cond_if},
    {"tosa.while_loop", run_while_loop},
    {"tosa.add_shape", run_add_shape},
    {"tosa.sub_shape", run_sub_shape},
    {"tosa.mul_shape", run_mul_shape},
    {"tosa.div_floor_shape", run_div_floor_shape},
    {"tosa.div_ceil_shape", run_div_ceil_shape},
    {"tosa.mod_shape", run_mod_shape},
    {"tosa.max_shape", run_max_shape},
    {"tosa.min_shape", run_min_shape},
    {"tosa.exp2_shape", run_exp2_shape},
    {"tosa.log2_floor_shape", run_log2_floor_shape},
    {"tosa.log2_ceil_shape", run_log2_ceil_shape},
    {"tosa.concat_shape", run_concat_shape},
    {"tosa.slice_shape", run_slice_shape},
    {"tosa.dim", run_dim},
};

const struct kernel_table TOSA_CONTROL_KERNELS = KERNEL_TABLE(ITEMS);
