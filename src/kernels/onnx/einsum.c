#include "einsum.h"

#include <stdlib.h>

#include "kernels/core/convert.h"
#include "kernels/core/copy.h"
#include "kernels/core/matrix.h"
#include "network/onnx/einsum.h"

// A tensor with a label for each dimension, somewhere in memory. A label that
// stood twice in the equation has one stride, along the diagonal.
struct operand {
    const void *data;
    void *owned; // what is to be freed; NULL: nothing
    uint32_t rank;
    uint8_t labels[COPY_RANK_MOST];
    int64_t strides[EINSUM_LABELS]; // by label
};

struct evaluation {
    struct kernel_call *call;
    struct einsum einsum;
    enum element element; // that it is computed in
};

// Narrow integers wrap around in 32 bits as they would by themselves.
static enum element element_computed(enum element element)
{
    switch (element) {
    case ELEMENT_F32:
    case ELEMENT_F16:
    case ELEMENT_BF16:
        return ELEMENT_F32;
    case ELEMENT_F64:
        return ELEMENT_F64;
    case ELEMENT_I64:
    case ELEMENT_U64:
        return ELEMENT_I64;
    default:
        return ELEMENT_I32;
    }
}

static uint64_t bit(uint8_t label)
{
    return UINT64_C(1) << label;
}

static uint64_t labels_of(const struct operand *operand)
{
    uint64_t set = 0;
    for (uint32_t d = 0; d < operand->rank; d++)
        set |= bit(operand->labels[d]);
    return set;
}

static uint64_t labels_of_term(const struct einsum_term *term)
{
    uint64_t set = 0;
    for (uint32_t d = 0; d < term->rank; d++)
        set |= bit(term->labels[d]);
    return set;
}

static void onnx_einsum_operand_free(struct operand *operand)
{
    free(operand->owned);
    operand->owned = NULL;
}

static status einsum_allocate(const struct evaluation *evaluation, uint64_t count, void **out_data)
{
    uint64_t size;
    *out_data = NULL;
    if (__builtin_mul_overflow(count, (uint64_t)element_size(evaluation->element), &size) ||
        size > (UINT64_C(1) << 62) ||
        posix_memalign(out_data, TENSOR_ALIGNMENT, size + TENSOR_ALIGNMENT) != 0)
        return status_no_memory("an intermediate product of Einsum");
    return STATUS_OK;
}

// Product of the lengths of labels; fails when it does not fit.
static status onnx_einsum_count_of(const struct evaluation *evaluation, const uint8_t *labels,
                                   uint32_t rank, uint64_t *out_count)
{
    uint64_t count = 1;
    bool empty = false;
    bool fits = true;
    for (uint32_t d = 0; d < rank; d++) {
        const uint64_t length = (uint64_t)evaluation->einsum.lengths[labels[d]];
        empty = empty || length == 0;
        fits = fits && !__builtin_mul_overflow(count, length, &count);
    }
    *out_count = empty ? 0 : count;
    return fits || empty ? STATUS_OK
                         : status_make(STATUS_LIMIT, "too many elements between two operands");
}

static status take_operand(const struct evaluation *evaluation, uint32_t index,
                           struct operand *out_operand)
{
    const struct tensor *tensor = evaluation->call->inputs[index];
    const struct einsum_term *term = &evaluation->einsum.operands[index];
    struct operand operand = {.data = tensor->data};
    uint64_t steps[SHAPE_RANK_MOST];
    shape_strides(&tensor->shape, steps);
    for (uint32_t d = 0; d < term->rank; d++) {
        const uint8_t label = term->labels[d];
        if ((labels_of(&operand) & bit(label)) == 0)
            operand.labels[operand.rank++] = label;
        if (tensor->shape.dims[d] != 1)
            operand.strides[label] += (int64_t)steps[d];
    }
    if (element_size(tensor->element) != element_size(evaluation->element)) {
        const uint64_t count = tensor_count(tensor);
        STATUS_TRY(einsum_allocate(evaluation, count, &operand.owned));
        convert_row(tensor->element, tensor->data, evaluation->element, operand.owned, count,
                    false);
        operand.data = operand.owned;
    }
    *out_operand = operand;
    return STATUS_OK;
}

static bool is_dense(const struct evaluation *evaluation, const struct operand *operand,
                     const uint8_t *labels, uint32_t rank)
{
    int64_t step = 1;
    for (uint32_t d = rank; d-- > 0;) {
        const int64_t length = evaluation->einsum.lengths[labels[d]];
        if (length != 1 && operand->strides[labels[d]] != step)
            return false;
        if (__builtin_mul_overflow(step, length, &step))
            return false;
    }
    return true;
}

// Copies the elements to `target`, dense in the order of `labels`.
static void arrange(const struct evaluation *evaluation, const struct operand *operand,
                    const uint8_t *labels, uint32_t rank, void *target)
{
    struct copy copy = {.rank = rank, .size = (uint32_t)element_size(evaluation->element)};
    int64_t step = 1;
    for (uint32_t d = rank; d-- > 0;) {
        copy.lengths[d] = (uint64_t)evaluation->einsum.lengths[labels[d]];
        copy.source_steps[d] = operand->strides[labels[d]];
        copy.target_steps[d] = step;
        step *= evaluation->einsum.lengths[labels[d]];
    }
    copy_run(evaluation->call->parallel, &copy, operand->data, target);
}

// Says that the elements lie dense in the order of `labels`.
static void set_dense(const struct evaluation *evaluation, struct operand *operand,
                      const uint8_t *labels, uint32_t rank)
{
    int64_t step = 1;
    operand->rank = rank;
    for (uint32_t d = rank; d-- > 0;) {
        operand->labels[d] = labels[d];
        operand->strides[labels[d]] = step;
        step *= evaluation->einsum.lengths[labels[d]];
    }
}

// Makes the operand dense in the order of `labels`, which are all of its own and
// perhaps more, along which it is repeated.
static status make_dense(const struct evaluation *evaluation, struct operand *operand,
                         const uint8_t *labels, uint32_t rank)
{
    if (!is_dense(evaluation, operand, labels, rank)) {
        uint64_t count;
        void *data;
        STATUS_TRY(onnx_einsum_count_of(evaluation, labels, rank, &count));
        STATUS_TRY(einsum_allocate(evaluation, count, &data));
        if (count > 0)
            arrange(evaluation, operand, labels, rank, data);
        onnx_einsum_operand_free(operand);
        operand->owned = data;
        operand->data = data;
    }
    set_dense(evaluation, operand, labels, rank);
    return STATUS_OK;
}

// Appends the labels of `operand` that are in `set`.
static void einsum_append_labels(const struct operand *operand, uint64_t set, uint8_t *labels,
                                 uint32_t *rank)
{
    for (uint32_t d = 0; d < operand->rank; d++) {
        if ((set & bit(operand->labels[d])) != 0)
            labels[(*rank)++] = operand->labels[d];
    }
}

#define SUM_ROWS(type)                                                                             \
    do {                                                                                           \
        for (uint64_t i = 0; i < rows; i++) {                                                      \
            type sum = 0;                                                                          \
            for (uint64_t j = 0; j < length; j++)                                                  \
                sum += ((const type *)in)[i * length + j];                                         \
            ((type *)out)[i] = sum;                                                                \
        }                                                                                          \
    } while (0)

static void sum_rows(enum element element, const void *in, void *out, uint64_t rows,
                     uint64_t length)
{
    if (element == ELEMENT_F32)
        SUM_ROWS(float);
    else if (element == ELEMENT_F64)
        SUM_ROWS(double);
    else if (element == ELEMENT_I32)
        SUM_ROWS(uint32_t);
    else
        SUM_ROWS(uint64_t);
}

// Adds up along the labels that nothing needs any more.
static status sum_out(const struct evaluation *evaluation, struct operand *operand, uint64_t needed)
{
    const uint64_t all = labels_of(operand);
    if ((all & ~needed) == 0)
        return STATUS_OK;
    uint8_t labels[COPY_RANK_MOST];
    uint32_t kept = 0;
    einsum_append_labels(operand, needed, labels, &kept);
    uint32_t rank = kept;
    einsum_append_labels(operand, ~needed, labels, &rank);
    STATUS_TRY(make_dense(evaluation, operand, labels, rank));
    uint64_t rows;
    uint64_t length;
    void *data;
    STATUS_TRY(onnx_einsum_count_of(evaluation, labels, kept, &rows));
    STATUS_TRY(onnx_einsum_count_of(evaluation, labels + kept, rank - kept, &length));
    STATUS_TRY(einsum_allocate(evaluation, rows, &data));
    sum_rows(evaluation->element, operand->data, data, rows, length);
    onnx_einsum_operand_free(operand);
    *operand = (struct operand){.data = data, .owned = data};
    set_dense(evaluation, operand, labels, kept);
    return STATUS_OK;
}

// Labels that a product of two operands has, by what becomes of them.
struct roles {
    uint8_t batch[COPY_RANK_MOST], rows[COPY_RANK_MOST], columns[COPY_RANK_MOST],
        depth[COPY_RANK_MOST];
    uint32_t batch_rank, rows_rank, columns_rank, depth_rank;
};

static struct roles roles_of(const struct operand *a, const struct operand *b, uint64_t needed)
{
    struct roles roles = {0};
    const uint64_t shared = labels_of(a) & labels_of(b);
    einsum_append_labels(a, shared & needed, roles.batch, &roles.batch_rank);
    einsum_append_labels(a, ~shared, roles.rows, &roles.rows_rank);
    einsum_append_labels(b, ~shared, roles.columns, &roles.columns_rank);
    einsum_append_labels(a, shared & ~needed, roles.depth, &roles.depth_rank);
    return roles;
}

static uint32_t einsum_join_labels(uint8_t *labels, uint32_t count, const uint8_t *more,
                                   uint32_t more_count)
{
    memcpy(labels + count, more, more_count);
    return count + more_count;
}

// Makes both operands dense: batch x rows x depth, and batch x depth x columns.
static status arrange_operands(const struct evaluation *evaluation, const struct roles *roles,
                               struct operand *a, struct operand *b)
{
    uint8_t labels[COPY_RANK_MOST];
    uint32_t rank = einsum_join_labels(labels, 0, roles->batch, roles->batch_rank);
    rank = einsum_join_labels(labels, rank, roles->rows, roles->rows_rank);
    rank = einsum_join_labels(labels, rank, roles->depth, roles->depth_rank);
    STATUS_TRY(make_dense(evaluation, a, labels, rank));
    rank = einsum_join_labels(labels, 0, roles->batch, roles->batch_rank);
    rank = einsum_join_labels(labels, rank, roles->depth, roles->depth_rank);
    rank = einsum_join_labels(labels, rank, roles->columns, roles->columns_rank);
    return make_dense(evaluation, b, labels, rank);
}

// a = a x b, over the labels that neither the output nor an operand after b needs.
static status contract(const struct evaluation *evaluation, struct operand *a, struct operand *b,
                       uint64_t needed)
{
    STATUS_TRY(sum_out(evaluation, a, needed | labels_of(b)));
    STATUS_TRY(sum_out(evaluation, b, needed | labels_of(a)));
    const struct roles roles = roles_of(a, b, needed);
    uint8_t labels[3 * COPY_RANK_MOST];
    uint32_t rank = einsum_join_labels(labels, 0, roles.batch, roles.batch_rank);
    rank = einsum_join_labels(labels, rank, roles.rows, roles.rows_rank);
    rank = einsum_join_labels(labels, rank, roles.columns, roles.columns_rank);
    if (rank > COPY_RANK_MOST)
        return status_make(STATUS_LIMIT, "too many labels between two operands");
    STATUS_TRY(arrange_operands(evaluation, &roles, a, b));
    uint64_t matrices;
    uint64_t rows;
    uint64_t columns;
    uint64_t depth;
    uint64_t count;
    STATUS_TRY(onnx_einsum_count_of(evaluation, roles.batch, roles.batch_rank, &matrices));
    STATUS_TRY(onnx_einsum_count_of(evaluation, roles.rows, roles.rows_rank, &rows));
    STATUS_TRY(onnx_einsum_count_of(evaluation, roles.columns, roles.columns_rank, &columns));
    STATUS_TRY(onnx_einsum_count_of(evaluation, roles.depth, roles.depth_rank, &depth));
    STATUS_TRY(onnx_einsum_count_of(evaluation, labels, rank, &count));
    void *data;
    STATUS_TRY(einsum_allocate(evaluation, count, &data));
    struct matrix_product product = matrix_product_dense(rows, columns, depth);
    product.batch_rank = 1;
    product.batch[0] = matrices;
    product.a_batch[0] = rows * depth;
    product.b_batch[0] = depth * columns;
    product.c_batch[0] = rows * columns;
    matrix_multiply(&product, evaluation->element, a->data, b->data, data,
                    evaluation->call->parallel);
    onnx_einsum_operand_free(a);
    *a = (struct operand){.data = data, .owned = data};
    set_dense(evaluation, a, labels, rank);
    return STATUS_OK;
}

// What the output and the operands from `first` on still need.
static uint64_t needed_after(const struct evaluation *evaluation, uint32_t first)
{
    uint64_t needed = labels_of_term(&evaluation->einsum.output);
    for (uint32_t i = first; i < evaluation->einsum.operand_count; i++)
        needed |= labels_of_term(&evaluation->einsum.operands[i]);
    return needed;
}

static status onnx_einsum_write_output(const struct evaluation *evaluation, struct operand *operand,
                                       struct tensor *out)
{
    const struct einsum_term *term = &evaluation->einsum.output;
    STATUS_TRY(sum_out(evaluation, operand, labels_of_term(term)));
    const uint64_t count = tensor_count(out);
    if (count == 0)
        return STATUS_OK;
    if (element_size(out->element) == element_size(evaluation->element)) {
        arrange(evaluation, operand, term->labels, term->rank, out->data);
        return STATUS_OK;
    }
    STATUS_TRY(make_dense(evaluation, operand, term->labels, term->rank));
    convert_row(evaluation->element, operand->data, out->element, out->data, count, false);
    return STATUS_OK;
}

static status einsum_evaluate(const struct evaluation *evaluation, struct operand *result,
                              struct tensor *out)
{
    STATUS_TRY(take_operand(evaluation, 0, result));
    for (uint32_t i = 1; i < evaluation->einsum.operand_count; i++) {
        struct operand next = {0};
        status failure = take_operand(evaluation, i, &next);
        if (failure == STATUS_OK)
            failure = contract(evaluation, result, &next, needed_after(evaluation, i + 1));
        onnx_einsum_operand_free(&next);
        STATUS_TRY(failure);
    }
    return onnx_einsum_write_output(evaluation, result, out);
}

status einsum_run(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (tensor_count(call->inputs[i]) == 0) { // a sum of nothing
            memset(out->data, 0, tensor_bytes(out));
            return STATUS_OK;
        }
    }
    const struct shape *shapes[EINSUM_OPERANDS_MOST] = {NULL};
    for (uint32_t i = 0; i < call->input_count && i < EINSUM_OPERANDS_MOST; i++)
        shapes[i] = &call->inputs[i]->shape;
    struct evaluation evaluation = {.call = call, .element = element_computed(out->element)};
    STATUS_TRY(einsum_parse(attribute_text(call->attributes, "equation", ""), call->input_count,
                            shapes, &evaluation.einsum));
    struct operand result = {0};
    const status failure = einsum_evaluate(&evaluation, &result, out);
    onnx_einsum_operand_free(&result);
    return failure;
}
