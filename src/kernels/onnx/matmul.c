#include <math.h>
#include <stdlib.h>

#include "einsum.h"
#include "kernels/core/convert.h"
#include "kernels/core/matrix.h"
#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"

// C = A x B of any element that products have: narrow floats in f32.
static status onnx_matmul_multiply(struct kernel_call *call, const struct matrix_product *product,
                                   struct tensor *out)
{
    const struct tensor *a = call->inputs[0];
    const struct tensor *b = call->inputs[1];
    if (a->element != ELEMENT_F16 && a->element != ELEMENT_BF16)
        return matrix_multiply_kept(product, a->element, a->data, b->data, out->data, call, 1);
    struct widened left = {0}, right = {0}, result = {0};
    status failure = widened_input(a, call->parallel, &left);
    if (failure == STATUS_OK)
        failure = widened_input(b, call->parallel, &right);
    if (failure == STATUS_OK)
        failure = widened_output(out, &result);
    if (failure == STATUS_OK)
        failure =
            matrix_multiply_kept(product, ELEMENT_F32, left.data, right.data, result.data, call, 1);
    if (failure == STATUS_OK)
        widened_finish(&result, call->parallel);
    widened_free(&left);
    widened_free(&right);
    widened_free(&result);
    return failure;
}

// Distances between the matrices of an operand along the batch of the product.
static void batch_steps(const struct shape *shape, uint64_t matrix, uint32_t batch_rank,
                        uint64_t *steps)
{
    const uint32_t own = shape->rank > 2 ? shape->rank - 2 : 0;
    uint64_t step = matrix;
    for (uint32_t d = 0; d < own; d++) {
        const int64_t length = shape->dims[own - 1 - d];
        steps[batch_rank - 1 - d] = length == 1 ? 0 : step;
        step *= (uint64_t)length;
    }
}

static struct matrix_product onnx_matmul_product_of(const struct shape *a, const struct shape *b,
                                                    const struct shape *out)
{
    const uint64_t rows = a->rank > 1 ? (uint64_t)a->dims[a->rank - 2] : 1;
    const uint64_t depth = (uint64_t)a->dims[a->rank - 1];
    const uint64_t columns = b->rank > 1 ? (uint64_t)b->dims[b->rank - 1] : 1;
    if (b->rank <= 2 && a->rank > 2) // one B for all: the batch is just more rows
        return matrix_product_dense(rows * shape_count_between(a, 0, a->rank - 2), columns, depth);
    struct matrix_product product = matrix_product_dense(rows, columns, depth);
    product.batch_rank = out->rank - (a->rank > 1) - (b->rank > 1);
    uint64_t step = rows * columns;
    for (uint32_t d = product.batch_rank; d-- > 0;) {
        product.batch[d] = (uint64_t)out->dims[d];
        product.c_batch[d] = step;
        step *= product.batch[d];
    }
    batch_steps(a, rows * depth, product.batch_rank, product.a_batch);
    batch_steps(b, depth * columns, product.batch_rank, product.b_batch);
    return product;
}

static status onnx_matmul_run_matmul(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct matrix_product product =
        onnx_matmul_product_of(&call->inputs[0]->shape, &call->inputs[1]->shape, &out->shape);
    return onnx_matmul_multiply(call, &product, out);
}

// Gemm ----------------------------------------------------------------------------

// y = alpha * y + beta * c, where c broadcasts by its strides.
struct addition {
    void *y;
    const void *c; // NULL: nothing is added
    uint64_t columns;
    uint64_t row_stride;
    uint64_t column_stride;
    double alpha;
    double beta;
};

// Integers are scaled in f64, and exact where there is nothing to scale.
#define DEFINE_ADD(add_rows, type)                                                                 \
    static void add_rows(void *context, uint64_t from, uint64_t to)                                \
    {                                                                                              \
        const struct addition *addition = context;                                                 \
        const type alpha = (type)addition->alpha;                                                  \
        const type beta = (type)addition->beta;                                                    \
        for (uint64_t i = from; i < to; i++) {                                                     \
            type *restrict y = (type *)addition->y + i * addition->columns;                        \
            for (uint64_t j = 0; alpha != 1 && j < addition->columns; j++)                         \
                y[j] = alpha * y[j];                                                               \
            if (addition->c == NULL)                                                               \
                continue;                                                                          \
            const type *c = (const type *)addition->c + i * addition->row_stride;                  \
            if (addition->column_stride == 0) {                                                    \
                const type added = beta * c[0];                                                    \
                for (uint64_t j = 0; j < addition->columns; j++)                                   \
                    y[j] += added;                                                                 \
            } else {                                                                               \
                for (uint64_t j = 0; j < addition->columns; j++)                                   \
                    y[j] += beta * c[j];                                                           \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_ADD(add_rows_f32, float)
DEFINE_ADD(add_rows_f64, double)

#define DEFINE_ADD_INTEGERS(add_rows, scale, type, wrapped, element)                               \
    static type scale(double factor, type number)                                                  \
    {                                                                                              \
        if (factor == 1)                                                                           \
            return number;                                                                         \
        const double scaled = factor * (double)number;                                             \
        type result;                                                                               \
        convert_row(ELEMENT_F64, &scaled, element, &result, 1, false);                             \
        return result;                                                                             \
    }                                                                                              \
                                                                                                   \
    static void add_rows(void *context, uint64_t from, uint64_t to)                                \
    {                                                                                              \
        const struct addition *addition = context;                                                 \
        for (uint64_t i = from; i < to; i++) {                                                     \
            type *y = (type *)addition->y + i * addition->columns;                                 \
            for (uint64_t j = 0; j < addition->columns; j++) {                                     \
                y[j] = scale(addition->alpha, y[j]);                                               \
                if (addition->c == NULL)                                                           \
                    continue;                                                                      \
                const type *c = (const type *)addition->c + i * addition->row_stride +             \
                                j * addition->column_stride;                                       \
                y[j] = (type)((wrapped)y[j] + (wrapped)scale(addition->beta, *c));                 \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_ADD_INTEGERS(add_rows_i32, scale_i32, int32_t, uint32_t, ELEMENT_I32)
DEFINE_ADD_INTEGERS(add_rows_u32, scale_u32, uint32_t, uint32_t, ELEMENT_U32)
DEFINE_ADD_INTEGERS(add_rows_i64, scale_i64, int64_t, uint64_t, ELEMENT_I64)
DEFINE_ADD_INTEGERS(add_rows_u64, scale_u64, uint64_t, uint64_t, ELEMENT_U64)

static void add(enum element element, struct addition *addition, uint64_t rows,
                struct parallel *parallel)
{
    void (*piece)(void *context, uint64_t from, uint64_t to) = add_rows_f32;
    if (element == ELEMENT_F64)
        piece = add_rows_f64;
    else if (element == ELEMENT_I32)
        piece = add_rows_i32;
    else if (element == ELEMENT_U32)
        piece = add_rows_u32;
    else if (element == ELEMENT_I64)
        piece = add_rows_i64;
    else if (element == ELEMENT_U64)
        piece = add_rows_u64;
    const uint64_t grain = 1 + (UINT64_C(1) << 16) / (addition->columns + 1);
    parallel_for(parallel, rows, grain, piece, addition);
}

static struct matrix_product gemm_product(const struct kernel_call *call, const struct shape *out)
{
    const bool a_transposed = attribute_integer(call->attributes, "transA", 0) != 0;
    const bool b_transposed = attribute_integer(call->attributes, "transB", 0) != 0;
    const struct shape *a = &call->inputs[0]->shape;
    struct matrix_product product = matrix_product_dense(
        (uint64_t)out->dims[0], (uint64_t)out->dims[1], (uint64_t)a->dims[a_transposed ? 0 : 1]);
    product.a_transposed = a_transposed;
    product.b_transposed = b_transposed;
    product.a_stride = (uint64_t)a->dims[1];
    product.b_stride = (uint64_t)call->inputs[1]->shape.dims[1];
    return product;
}

// `a`, `b`, `c` and `y` in the element that is computed in.
static status compute_gemm(const struct kernel_call *call, enum element element, const void *a,
                           const void *b, const void *c, void *y, const struct shape *out)
{
    const struct matrix_product product = gemm_product(call, out);
    STATUS_TRY(matrix_multiply_kept(&product, element, a, b, y, call, 1));
    struct addition addition = {
        .y = y,
        .c = c,
        .columns = product.columns,
        .alpha = attribute_real(call->attributes, "alpha", 1),
        .beta = attribute_real(call->attributes, "beta", 1),
    };
    if (c != NULL) {
        const struct shape *shape = &call->inputs[2]->shape;
        const uint64_t rank = shape->rank;
        addition.column_stride = rank > 0 && shape->dims[rank - 1] != 1;
        addition.row_stride = rank > 1 && shape->dims[0] != 1 ? (uint64_t)shape->dims[rank - 1] : 0;
    }
    if (c != NULL || addition.alpha != 1)
        add(element, &addition, product.rows, call->parallel);
    return STATUS_OK;
}

static status run_gemm(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct tensor *c = kernel_input(call, 2);
    if (out->element != ELEMENT_F16 && out->element != ELEMENT_BF16)
        return compute_gemm(call, out->element, call->inputs[0]->data, call->inputs[1]->data,
                            c != NULL ? c->data : NULL, out->data, &out->shape);
    struct widened inputs[3] = {{0}};
    struct widened result = {0};
    status failure = widened_output(out, &result);
    for (uint32_t i = 0; i < 3 && failure == STATUS_OK; i++)
        failure = widened_input(kernel_input(call, i), call->parallel, &inputs[i]);
    if (failure == STATUS_OK)
        failure = compute_gemm(call, ELEMENT_F32, inputs[0].data, inputs[1].data, inputs[2].data,
                               result.data, &out->shape);
    if (failure == STATUS_OK)
        widened_finish(&result, call->parallel);
    for (uint32_t i = 0; i < 3; i++)
        widened_free(&inputs[i]);
    widened_free(&result);
    return failure;
}

// Det -----------------------------------------------------------------------------

static void swap_rows(double *a, double *b, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

// Elimination with partial pivoting, in place.
static double determinant(double *matrix, uint64_t n)
{
    double product = 1;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t pivot = k;
        for (uint64_t i = k + 1; i < n; i++) {
            if (fabs(matrix[i * n + k]) > fabs(matrix[pivot * n + k]))
                pivot = i;
        }
        if (matrix[pivot * n + k] == 0)
            return 0;
        if (pivot != k) {
            swap_rows(matrix + pivot * n, matrix + k * n, n);
            product = -product;
        }
        product *= matrix[k * n + k];
        for (uint64_t i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / matrix[k * n + k];
            for (uint64_t j = k + 1; j < n; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
        }
    }
    return product;
}

static status run_det(struct kernel_call *call)
{
    const struct tensor *x = call->inputs[0];
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const uint64_t n = (uint64_t)x->shape.dims[x->shape.rank - 1];
    const size_t size = element_size(x->element);
    double *matrix = malloc((n * n + 1) * sizeof *matrix);
    if (matrix == NULL)
        return status_no_memory("a widened matrix");
    for (uint64_t i = 0; i < tensor_count(out); i++) {
        convert_row(x->element, (const char *)x->data + i * n * n * size, ELEMENT_F64, matrix,
                    n * n, false);
        const double result = determinant(matrix, n);
        convert_row(ELEMENT_F64, &result, out->element, (char *)out->data + i * size, 1, false);
    }
    free(matrix);
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"MatMul", onnx_matmul_run_matmul},
    {"Gemm", run_gemm},
    {"Einsum", einsum_run},
    {"Det", run_det},
};

const struct kernel_table ONNX_MATMUL_KERNELS = KERNEL_TABLE(KERNELS);
