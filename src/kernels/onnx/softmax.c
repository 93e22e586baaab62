// Softmax, LogSoftmax and Hardmax.
//
// Narrow floats are computed in f32, f64 in f64. The sum of the exponentials is kept
// in f64: from the first element to the last, or, where they lie in a row, in 16 lanes
// (element k in lane k mod 16) that are added up in pairs.

#include <math.h>

#include "kernels/core/axis.h"
#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/elementary.h"
#include "kernels/kernel_tables.h"

enum {
    LANES = 16,
    RUNS = 8,     // problems that lie in rows, at a time
    PIECE = 4096, // elements that are worth a piece of their own
};

_Static_assert(LANES == 16, "lanes are joined by halves of 8, 4, 2 and 1");

#define SOFTMAX_PART __attribute__((always_inline)) static inline

enum softmax_kind {
    SOFTMAX,
    LOG_SOFTMAX,
    HARDMAX,
};

struct softmax {
    const struct tensor *in;
    const struct tensor *out;
    enum softmax_kind kind;
    enum element wide; // what is computed in
    struct axis axis;
};

#define SOFTMAX_NUMBER float
#define SOFTMAX_NAME(name) name##_f32
#include "softmax_lines.h"

#define SOFTMAX_NUMBER double
#define SOFTMAX_NAME(name) name##_f64
#include "softmax_lines.h"

// Rows of LANES that hold a problem whose elements lie in a row.
static uint64_t run_rows(const struct softmax *softmax)
{
    return (softmax->axis.length + LANES - 1) / LANES;
}

// Fills up the last of them.
static void fill_run(const struct softmax *softmax, void *run)
{
    for (uint64_t i = softmax->axis.length; i < run_rows(softmax) * LANES; i++) {
        if (softmax->wide == ELEMENT_F64)
            ((double *)run)[i] = -(double)INFINITY;
        else
            ((float *)run)[i] = -INFINITY;
    }
}

static void softmax_compute(const struct softmax *softmax, void *rows, uint64_t lanes)
{
    if (softmax->kind == HARDMAX && softmax->wide == ELEMENT_F32)
        hardmax_f32(rows, softmax->axis.length, lanes);
    else if (softmax->kind == HARDMAX)
        hardmax_f64(rows, softmax->axis.length, lanes);
    else if (softmax->wide == ELEMENT_F32 && softmax->axis.inner == 1)
        softmax_of_runs_f32(softmax->kind, rows, rows, run_rows(softmax), 1);
    else if (softmax->wide == ELEMENT_F32)
        softmax_f32(softmax->kind, rows, softmax->axis.length, lanes);
    else if (softmax->axis.inner == 1)
        softmax_of_runs_f64(softmax->kind, rows, rows, run_rows(softmax), 1);
    else
        softmax_f64(softmax->kind, rows, softmax->axis.length, lanes);
}

// Fetches `lanes` problems from `base` on, solves them in `scratch`, and puts them back.
static void solve(void *context, uint64_t base, uint64_t first, uint64_t lanes, void *scratch)
{
    const struct softmax *softmax = context;
    char *rows = scratch;
    (void)first;
    const enum element element = softmax->in->element;
    const size_t size = element_size(element);
    const uint64_t steps = softmax->axis.inner == 1 ? 1 : softmax->axis.length;
    const uint64_t run = softmax->axis.inner == 1 ? softmax->axis.length : lanes;
    const size_t row_bytes = run * element_size(softmax->wide);
    const char *from = (const char *)softmax->in->data + base * size;
    char *to = (char *)softmax->out->data + base * size;
    for (uint64_t k = 0; k < steps; k++)
        convert_row(element, from + k * softmax->axis.inner * size, softmax->wide,
                    rows + k * row_bytes, run, true);
    if (softmax->axis.inner == 1)
        fill_run(softmax, rows);
    softmax_compute(softmax, rows, lanes);
    for (uint64_t k = 0; k < steps; k++)
        convert_row(softmax->wide, rows + k * row_bytes, element,
                    to + k * softmax->axis.inner * size, run, true);
}

// Whether problems lie in rows of f32 that need no filling up.
static bool lies_in_runs(const struct softmax *softmax)
{
    return softmax->kind != HARDMAX && softmax->in->element == ELEMENT_F32 &&
           softmax->axis.inner == 1 && softmax->axis.length % LANES == 0;
}

static void solve_runs(void *context, uint64_t from, uint64_t to)
{
    const struct softmax *softmax = context;
    const uint64_t each = softmax->axis.length;
    for (uint64_t i = from; i < to; i += RUNS)
        softmax_of_runs_f32(softmax->kind, (const float *)softmax->in->data + i * each,
                            (float *)softmax->out->data + i * each, each / LANES,
                            to - i < RUNS ? to - i : RUNS);
}

// Before version 13 everything from the axis on is one problem.
static status softmax_run(struct kernel_call *call, enum softmax_kind kind)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL || tensor_count(in) == 0)
        return STATUS_OK;
    const bool flattens = call->version < 13;
    const uint32_t rank = in->shape.rank;
    const int64_t given = attribute_integer(call->attributes, "axis", flattens ? 1 : -1);
    const uint32_t axis = (uint32_t)(given < 0 ? given + (int64_t)rank : given);
    struct softmax softmax = {
        .in = in,
        .out = out,
        .kind = kind,
        .wide = in->element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32,
        .axis = flattens ? (struct axis){shape_count_between(&in->shape, axis, rank), 1,
                                         shape_count_between(&in->shape, 0, axis)}
                         : axis_of(&in->shape, axis),
    };
    if (lies_in_runs(&softmax)) {
        parallel_for(call->parallel, softmax.axis.lines, 1 + PIECE / softmax.axis.length,
                     solve_runs, &softmax);
        return STATUS_OK;
    }
    const uint64_t lanes = softmax.axis.inner < LANES ? softmax.axis.inner : LANES;
    const uint64_t room =
        softmax.axis.inner == 1 ? run_rows(&softmax) * LANES : softmax.axis.length * lanes;
    axis_for(call->parallel, &softmax.axis, LANES, room * element_size(softmax.wide), solve,
             &softmax);
    return STATUS_OK;
}

static status softmax_kernel(struct kernel_call *call)
{
    return softmax_run(call, SOFTMAX);
}

static status log_softmax_kernel(struct kernel_call *call)
{
    return softmax_run(call, LOG_SOFTMAX);
}

static status hardmax_kernel(struct kernel_call *call)
{
    return softmax_run(call, HARDMAX);
}

static const struct kernel KERNELS[] = {
    {"Hardmax", hardmax_kernel},
    {"LogSoftmax", log_softmax_kernel},
    {"Softmax", softmax_kernel},
};

const struct kernel_table ONNX_SOFTMAX_KERNELS = KERNEL_TABLE(KERNELS);
