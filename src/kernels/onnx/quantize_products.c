// Products and convolutions of quantized numbers.

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/core/byte_tile.h"
#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/integer_matmul.h"
#include "network/onnx/contraction.h"
#include "quantize.h"

// Scales or zero points: one, one for each line (row or column), or one for each
// line of every matrix of a batch.
struct lines {
    void *items; // float or int32_t
    uint64_t count;
};

// Without a tensor: none.
static struct lines lines_load(const struct tensor *tensor, enum element element)
{
    struct lines lines = {NULL, 0};
    if (tensor == NULL)
        return lines;
    lines.count = tensor_count(tensor);
    lines.items = memory_allocate_zeroed((size_t)lines.count + 1, sizeof(float));
    convert_row(tensor->element, tensor->data, element, lines.items, lines.count, true);
    return lines;
}

// Of matrix `batch`, each of which has `each` lines: its first item.
static uint64_t lines_first(struct lines lines, uint64_t batch, uint64_t each)
{
    return lines.count > each ? batch * each : 0;
}

static struct integer_zeros zeros_of(struct lines lines, uint64_t batch, uint64_t each)
{
    if (lines.count <= 1)
        return (struct integer_zeros){lines.items, lines.count};
    return (struct integer_zeros){(const int32_t *)lines.items + lines_first(lines, batch, each),
                                  each};
}

// From sums to quantized numbers: y = round(sum x a x b / y_scale) + zero, clamped.
struct requantize {
    const float *row_scales, *column_scales, *out_scales;
    const int32_t *out_zeros;
    bool rows_differ; // a scale or zero point for each row
    bool row_scales_differ, out_scales_differ, out_zeros_differ, column_scales_differ;
    const int32_t *bias; // by column; may be NULL
    float lowest, highest;
    uint8_t *out; // i8 or u8
    uint64_t batch_stride, row_stride, column_stride;
};

enum { CHUNK = 256 };

CORE_CLONES(void, requantize_numbers,
            (const int32_t *sums, const int32_t *bias, const float *factors, float zero,
             float lowest, float highest, uint64_t count, uint8_t *out),
            (sums, bias, factors, zero, lowest, highest, count, out))
{
    for (uint64_t i = 0; i < count; i++) {
        const int32_t sum = (int32_t)((uint32_t)sums[i] + (uint32_t)bias[i]);
        const float value = quantize_round((float)sum * factors[i], lowest - zero, highest - zero);
        out[i] = (uint8_t)(int32_t)(value + zero);
    }
}

static void column_factors(const struct requantize *task, uint64_t row, uint64_t column,
                           uint64_t count, float *out_factors)
{
    const float a = task->row_scales[task->row_scales_differ ? row : 0];
    const float y = task->out_scales[task->out_scales_differ ? row : 0];
    for (uint64_t i = 0; i < count; i++)
        out_factors[i] = a * task->column_scales[task->column_scales_differ ? column + i : 0] / y;
}

// Where the result has a row of a tile, from `column` of the tile on.
static uint8_t *place_of(const struct requantize *task, const struct integer_tile *tile,
                         uint64_t row, uint64_t column)
{
    return task->out + tile->batch * task->batch_stride + (tile->row + row) * task->row_stride +
           (tile->column + column) * task->column_stride;
}

// Puts lines of some rows, from `column` of the tile on, where they belong.
static void put_lines(const struct requantize *task, const struct integer_tile *tile, uint64_t row,
                      uint64_t rows, uint64_t column, uint64_t count,
                      uint8_t lines[BYTE_TILE][CHUNK])
{
    uint8_t *out = place_of(task, tile, row, column);
    if (task->row_stride == 1) {
        byte_tile_turn_all(lines[0], CHUNK, rows, count, out, task->column_stride);
        return;
    }
    for (uint64_t r = 0; r < rows; r++, out += task->row_stride) {
        for (uint64_t i = 0; i < count; i++)
            out[i * task->column_stride] = lines[r][i];
    }
}

static void requantize_tile(void *context, const struct integer_tile *tile)
{
    static const int32_t no_bias[CHUNK];
    const struct requantize *task = context;
    for (uint64_t c = 0; c < tile->columns; c += CHUNK) {
        const uint64_t count = tile->columns - c < CHUNK ? tile->columns - c : CHUNK;
        const int32_t *bias = task->bias == NULL ? no_bias : task->bias + tile->column + c;
        float factors[CHUNK];
        uint8_t lines[BYTE_TILE][CHUNK];
        for (uint64_t r = 0; r < tile->rows; r++) {
            const uint64_t row = tile->row + r;
            if (r == 0 || task->rows_differ)
                column_factors(task, row, tile->column + c, count, factors);
            const float zero = (float)task->out_zeros[task->out_zeros_differ ? row : 0];
            const bool straight = task->column_stride == 1;
            requantize_numbers(tile->narrow + r * tile->stride + c, bias, factors, zero,
                               task->lowest, task->highest, count,
                               straight ? place_of(task, tile, r, c) : lines[r % BYTE_TILE]);
            if (straight)
                continue;
            if (r % BYTE_TILE == BYTE_TILE - 1 || r + 1 == tile->rows)
                put_lines(task, tile, r / BYTE_TILE * BYTE_TILE, r % BYTE_TILE + 1, c, count,
                          lines);
        }
    }
}

// Matrix products ---------------------------------------------------------------

// Two tensors as batches of matrices.
struct batches {
    uint64_t rows, depth, columns; // of one product
    uint64_t count;                // products
    struct shape a, b, out;        // the batches, of the rank of `out`
};

static struct shape batch_shape(const struct shape *shape, uint32_t rank)
{
    struct shape batch = {.rank = rank};
    const uint32_t own = shape->rank > 2 ? shape->rank - 2 : 0;
    for (uint32_t d = 0; d < rank; d++)
        batch.dims[d] = d + own < rank ? 1 : shape->dims[d + own - rank];
    return batch;
}

static struct batches quantize_products_batches_of(const struct tensor *a, const struct tensor *b)
{
    const uint32_t a_rank = a->shape.rank, b_rank = b->shape.rank;
    struct batches batches = {
        .rows = a_rank == 1 ? 1 : (uint64_t)a->shape.dims[a_rank - 2],
        .depth = (uint64_t)a->shape.dims[a_rank - 1],
        .columns = b_rank == 1 ? 1 : (uint64_t)b->shape.dims[b_rank - 1],
    };
    uint32_t rank = a_rank > b_rank ? a_rank : b_rank;
    rank = rank > 2 ? rank - 2 : 0;
    batches.a = batch_shape(&a->shape, rank);
    batches.b = batch_shape(&b->shape, rank);
    batches.out = batches.a;
    for (uint32_t d = 0; d < rank; d++)
        if (batches.a.dims[d] == 1)
            batches.out.dims[d] = batches.b.dims[d];
    batches.count = shape_count(&batches.out);
    // One second side for all: one tall product.
    if (shape_count(&batches.b) == 1 && batches.count > 1) {
        batches.rows *= batches.count;
        batches.count = 1;
    }
    return batches;
}

// Which matrix of a side belongs to product `index`.
static uint64_t batch_index(const struct shape *side, const struct shape *out, uint64_t index)
{
    uint64_t result = 0, distance = 1;
    for (uint32_t d = out->rank; d-- > 0;) {
        const uint64_t at = index % (uint64_t)out->dims[d];
        index /= (uint64_t)out->dims[d];
        if (side->dims[d] != 1)
            result += at * distance;
        distance *= (uint64_t)side->dims[d];
    }
    return result;
}

struct matmul_sides {
    const struct tensor *a, *b;
    bool fixed; // the second one and its zero points
    struct lines a_zeros, b_zeros;
    struct batches batches;
};

// Scales or zero points for each row of one matrix do not fit the tall product of
// many matrices: repeats them.
static void repeat_lines(struct lines *lines, uint64_t rows)
{
    if (lines->count <= 1 || lines->count >= rows)
        return;
    uint32_t *items = memory_allocate_zeroed((size_t)rows, sizeof *items);
    const uint32_t *from = lines->items;
    for (uint64_t i = 0; i < rows; i++)
        items[i] = from[i % lines->count];
    free(lines->items);
    *lines = (struct lines){items, rows};
}

static status multiply_batch(const struct kernel_call *call, const struct matmul_sides *sides,
                             uint64_t index, integer_finish finish, void *context)
{
    const struct batches *batches = &sides->batches;
    const uint64_t a_index =
        batches->count == 1 ? 0 : batch_index(&batches->a, &batches->out, index);
    const uint64_t b_index =
        batches->count == 1 ? 0 : batch_index(&batches->b, &batches->out, index);
    const uint64_t depth = batches->depth, columns = batches->columns;
    const struct integer_matrix a = {sides->a->element,
                                     (const char *)sides->a->data + a_index * batches->rows * depth,
                                     batches->rows,
                                     1,
                                     depth,
                                     depth,
                                     0,
                                     1,
                                     zeros_of(sides->a_zeros, a_index, batches->rows)};
    const struct integer_matrix b = {sides->b->element,
                                     (const char *)sides->b->data + b_index * depth * columns,
                                     columns,
                                     1,
                                     depth,
                                     1,
                                     0,
                                     columns,
                                     zeros_of(sides->b_zeros, b_index, columns)};
    // One second side for all products can be kept; many would displace one another.
    const struct integer_keep keep = {call->state, sides->fixed && batches->count == 1};
    return integer_matmul_weights(&a, &b, keep, false, call->parallel, finish, context);
}

// Whether weights and their zero points, if there are any, are constants.
static bool inputs_fixed(const struct kernel_call *call, uint32_t weights, uint32_t zeros)
{
    return kernel_input_fixed(call, weights) &&
           (kernel_input(call, zeros) == NULL || kernel_input_fixed(call, zeros));
}

static struct matmul_sides sides_load(const struct kernel_call *call, uint32_t a, uint32_t a_zero,
                                      uint32_t b, uint32_t b_zero)
{
    struct matmul_sides sides = {.a = call->inputs[a], .b = call->inputs[b]};
    sides.fixed = inputs_fixed(call, b, b_zero);
    sides.batches = quantize_products_batches_of(sides.a, sides.b);
    sides.a_zeros = lines_load(kernel_input(call, a_zero), ELEMENT_I32);
    sides.b_zeros = lines_load(kernel_input(call, b_zero), ELEMENT_I32);
    repeat_lines(&sides.a_zeros, sides.batches.rows);
    return sides;
}

static void sides_free(struct matmul_sides *sides)
{
    free(sides->a_zeros.items);
    free(sides->b_zeros.items);
}

status quantize_matmul_integer(struct kernel_call *call)
{
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL)
        return STATUS_OK;
    struct matmul_sides sides = sides_load(call, 0, 2, 1, 3);
    const uint64_t size = sides.batches.rows * sides.batches.columns;
    status result = STATUS_OK;
    for (uint64_t i = 0; i < sides.batches.count && result == STATUS_OK; i++) {
        struct integer_store store = {.narrow = (int32_t *)y->data + i * size,
                                      .row_stride = sides.batches.columns,
                                      .column_stride = 1};
        result = multiply_batch(call, &sides, i, integer_store_tile, &store);
    }
    sides_free(&sides);
    return result;
}

// The scales of a product, and the zero points of its result.
struct matmul_scales {
    struct lines a, b, y, y_zeros;
};

static struct requantize requantize_batch(const struct matmul_sides *sides,
                                          const struct matmul_scales *scales, uint64_t index,
                                          struct tensor *y)
{
    const struct batches *batches = &sides->batches;
    const uint64_t rows = batches->rows, columns = batches->columns;
    const bool one = batches->count == 1;
    const uint64_t a = one ? 0 : batch_index(&batches->a, &batches->out, index);
    const uint64_t b = one ? 0 : batch_index(&batches->b, &batches->out, index);
    struct requantize task = {
        .row_scales = (const float *)scales->a.items + lines_first(scales->a, a, rows),
        .column_scales = (const float *)scales->b.items + lines_first(scales->b, b, columns),
        .out_scales = (const float *)scales->y.items + lines_first(scales->y, index, rows),
        .out_zeros =
            (const int32_t *)scales->y_zeros.items + lines_first(scales->y_zeros, index, rows),
        .row_scales_differ = scales->a.count > 1,
        .column_scales_differ = scales->b.count > 1,
        .out_scales_differ = scales->y.count > 1,
        .out_zeros_differ = scales->y_zeros.count > 1,
        .lowest = (float)element_lowest(y->element),
        .highest = (float)element_highest(y->element),
        .out = (uint8_t *)y->data + index * rows * columns,
        .row_stride = columns,
        .column_stride = 1,
    };
    task.rows_differ = task.row_scales_differ || task.out_scales_differ;
    return task;
}

// One product of 8-bit floats: there are no exact sums of them, f32 it is.
struct float_job {
    const float *a, *b; // less their zero points
    const struct requantize *task;
    struct tensor *y;
    uint64_t depth, width;
};

static void float_piece(void *context, uint64_t from, uint64_t to)
{
    const struct float_job *job = context;
    float *sums = memory_allocate_zeroed((size_t)job->width + 1, sizeof *sums);
    float *factors = memory_allocate_zeroed((size_t)job->width + 1, sizeof *factors);
    for (uint64_t r = from; r < to; r++) {
        memset(sums, 0, (size_t)job->width * sizeof *sums);
        for (uint64_t k = 0; k < job->depth; k++)
            for (uint64_t c = 0; c < job->width; c++)
                sums[c] += job->a[r * job->depth + k] * job->b[k * job->width + c];
        column_factors(job->task, r, 0, job->width, factors);
        const float zero = (float)job->task->out_zeros[job->task->out_zeros_differ ? r : 0];
        for (uint64_t c = 0; c < job->width; c++)
            sums[c] = sums[c] * factors[c] + zero;
        convert_row(ELEMENT_F32, sums, job->y->element, job->task->out + r * job->width, job->width,
                    true);
    }
    free(sums);
    free(factors);
}

// A matrix as f32, less one zero point for all, each row or each column.
static float *load_floats(const struct tensor *tensor, uint64_t first, uint64_t rows,
                          uint64_t columns, struct integer_zeros zeros, bool by_column)
{
    float *items = malloc((size_t)(rows * columns + 1) * sizeof *items);
    if (items == NULL)
        return NULL;
    convert_row(tensor->element, (const char *)tensor->data + first, ELEMENT_F32, items,
                rows * columns, true);
    for (uint64_t i = 0; zeros.count > 0 && i < rows * columns; i++) {
        const uint64_t line = by_column ? i % columns : i / columns;
        items[i] -= (float)zeros.items[zeros.count == 1 ? 0 : line];
    }
    return items;
}

static status multiply_floats(const struct matmul_sides *sides, uint64_t index,
                              struct parallel *parallel, const struct requantize *task,
                              struct tensor *y)
{
    const struct batches *batches = &sides->batches;
    const bool one = batches->count == 1;
    const uint64_t a_index = one ? 0 : batch_index(&batches->a, &batches->out, index);
    const uint64_t b_index = one ? 0 : batch_index(&batches->b, &batches->out, index);
    const uint64_t rows = batches->rows, depth = batches->depth, columns = batches->columns;
    float *a = load_floats(sides->a, a_index * rows * depth, rows, depth,
                           zeros_of(sides->a_zeros, a_index, rows), false);
    float *b = load_floats(sides->b, b_index * depth * columns, depth, columns,
                           zeros_of(sides->b_zeros, b_index, columns), true);
    if (a != NULL && b != NULL) {
        struct float_job job = {a, b, task, y, depth, columns};
        parallel_for(parallel, rows, 16384 / (depth * columns + 1) + 1, float_piece, &job);
    }
    const bool done = a != NULL && b != NULL;
    free(a);
    free(b);
    return done ? STATUS_OK : status_no_memory("a quantized product");
}

status quantize_qlinear_matmul(struct kernel_call *call)
{
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL)
        return STATUS_OK;
    struct matmul_sides sides = sides_load(call, 0, 2, 3, 5);
    struct matmul_scales scales = {
        lines_load(call->inputs[1], ELEMENT_F32),
        lines_load(call->inputs[4], ELEMENT_F32),
        lines_load(call->inputs[6], ELEMENT_F32),
        lines_load(call->inputs[7], ELEMENT_I32),
    };
    repeat_lines(&scales.a, sides.batches.rows);
    repeat_lines(&scales.y, sides.batches.rows);
    repeat_lines(&scales.y_zeros, sides.batches.rows);
    const bool floats = element_is_float(sides.a->element);
    status result = STATUS_OK;
    for (uint64_t i = 0; i < sides.batches.count && result == STATUS_OK; i++) {
        struct requantize task = requantize_batch(&sides, &scales, i, y);
        result = floats ? multiply_floats(&sides, i, call->parallel, &task, y)
                        : multiply_batch(call, &sides, i, requantize_tile, &task);
    }
    sides_free(&sides);
    free(scales.a.items);
    free(scales.b.items);
    free(scales.y.items);
    free(scales.y_zeros.items);
    return result;
}

// Convolutions --------------------------------------------------------------------

struct convolution_zeros {
    struct lines x, w;
};

static status quantize_products_describe_convolution(const struct kernel_call *call,
                                                     const struct tensor *x, const struct tensor *w,
                                                     const struct convolution_zeros *zeros,
                                                     struct integer_convolution *out_shape)
{
    struct window window;
    struct shape out;
    STATUS_TRY(contraction_convolution(call->attributes, &x->shape, &w->shape, &out, &window));
    struct integer_convolution shape = {
        .batch = (uint64_t)x->shape.dims[0],
        .channels = (uint64_t)x->shape.dims[1],
        .filters = (uint64_t)w->shape.dims[0],
        .groups = (uint64_t)attribute_integer(call->attributes, "group", 1),
        .element = x->element,
        .input = x->data,
        .zero_point = zeros->x.count == 0 ? 0 : *(const int32_t *)zeros->x.items,
    };
    uint64_t taps = 1;
    for (uint32_t d = 0; d < 3; d++) {
        const bool used = d + window.spatial >= 3;
        const uint32_t from = used ? d + window.spatial - 3 : 0;
        shape.in[d] = used ? (uint64_t)window.input[from] : 1;
        shape.out[d] = used ? (uint64_t)window.output[from] : 1;
        shape.kernel[d] = used ? (uint64_t)window.kernel[from] : 1;
        shape.stride[d] = used ? (uint64_t)window.stride[from] : 1;
        shape.dilation[d] = used ? (uint64_t)window.dilation[from] : 1;
        shape.pad[d] = used ? window.pad[from] : 0;
        taps *= shape.kernel[d];
    }
    const uint64_t depth = (uint64_t)w->shape.dims[1];
    shape.weights = (struct integer_matrix){w->element, w->data, shape.filters,
                                            taps,       depth,   taps * depth,
                                            1,          taps,    {zeros->w.items, zeros->w.count}};
    *out_shape = shape;
    return STATUS_OK;
}

static uint64_t positions_of(const struct tensor *y)
{
    return shape_count_between(&y->shape, 2, y->shape.rank);
}

status quantize_convolution_integer(struct kernel_call *call)
{
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL)
        return STATUS_OK;
    struct convolution_zeros zeros = {lines_load(kernel_input(call, 2), ELEMENT_I32),
                                      lines_load(kernel_input(call, 3), ELEMENT_I32)};
    struct integer_convolution shape = {0};
    status result = quantize_products_describe_convolution(call, call->inputs[0], call->inputs[1],
                                                           &zeros, &shape);
    shape.keep = (struct integer_keep){call->state, inputs_fixed(call, 1, 3)};
    const uint64_t positions = positions_of(y);
    struct integer_store store = {.narrow = y->data,
                                  .batch_stride = (uint64_t)y->shape.dims[1] * positions,
                                  .row_stride = 1,
                                  .column_stride = positions};
    if (result == STATUS_OK)
        result = integer_convolve(&shape, call->parallel, integer_store_tile, &store);
    free(zeros.x.items);
    free(zeros.w.items);
    return result;
}

status quantize_qlinear_convolution(struct kernel_call *call)
{
    struct tensor *y = kernel_output(call, 0);
    if (y == NULL)
        return STATUS_OK;
    struct convolution_zeros zeros = {lines_load(call->inputs[2], ELEMENT_I32),
                                      lines_load(call->inputs[5], ELEMENT_I32)};
    struct lines x_scale = lines_load(call->inputs[1], ELEMENT_F32);
    struct lines w_scales = lines_load(call->inputs[4], ELEMENT_F32);
    struct lines y_scale = lines_load(call->inputs[6], ELEMENT_F32);
    struct lines y_zero = lines_load(call->inputs[7], ELEMENT_I32);
    const struct tensor *bias = kernel_input(call, 8);
    const uint64_t positions = positions_of(y);
    struct requantize task = {
        .row_scales = x_scale.items,
        .column_scales = w_scales.items,
        .out_scales = y_scale.items,
        .out_zeros = y_zero.items,
        .column_scales_differ = w_scales.count > 1,
        .bias = bias == NULL ? NULL : bias->data,
        .lowest = (float)element_lowest(y->element),
        .highest = (float)element_highest(y->element),
        .out = y->data,
        .batch_stride = (uint64_t)y->shape.dims[1] * positions,
        .row_stride = call->gives_last ? (uint64_t)y->shape.dims[1] : 1,
        .column_stride = call->gives_last ? 1 : positions,
    };
    struct integer_convolution shape = {0};
    status result = quantize_products_describe_convolution(call, call->inputs[0], call->inputs[3],
                                                           &zeros, &shape);
    shape.keep = (struct integer_keep){call->state, inputs_fixed(call, 3, 5)};
    shape.channels_last = call->takes_last;
    if (result == STATUS_OK)
        result = integer_convolve(&shape, call->parallel, requantize_tile, &task);
    free(zeros.x.items);
    free(zeros.w.items);
    free(x_scale.items);
    free(w_scales.items);
    free(y_scale.items);
    free(y_zero.items);
    return result;
}
