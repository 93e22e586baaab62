#include "matrix.h"

#include <stdlib.h>

#include "base/memory.h"
#include "onednn.h"
#include "panels_kept.h"

enum {
    TILE_NUMBERS = 1 << 16, // of A that a tile takes: half of a usual cache of the second level
    TILE_STEPS = 1 << 20,   // multiplications of a tile
    PIECE_STEPS = 1 << 18,  // those that are worth a piece of their own
    PACK_ROWS = 8,          // rows for which arranging B pays
};

struct matrix_product matrix_product_dense(uint64_t rows, uint64_t columns, uint64_t depth)
{
    return (struct matrix_product){
        .rows = rows,
        .columns = columns,
        .depth = depth,
        .a_stride = depth,
        .b_stride = columns,
        .c_stride = columns,
    };
}

static void matrix_clear(const struct matrix_product *product, float *c)
{
    for (uint64_t i = 0; i < product->rows; i++)
        memset(c + i * product->c_stride, 0, product->columns * sizeof *c);
}

static void multiply_panels(const struct matrix_product *product, const float *panels,
                            const float *a, float *c)
{
    const struct panels_product with = {
        .panels = panels,
        .rows = product->columns,
        .depth = product->depth,
        .x_stride = product->a_stride,
        .y_stride = product->c_stride,
    };
    panels_multiply(&with, a, product->rows, c);
}

// Arranges B first; false when that does not pay or there is no memory.
static bool multiply_arranged(const struct matrix_product *product, const float *a, const float *b,
                              float *c)
{
    if (product->a_transposed || product->b_transposed || product->rows < PACK_ROWS ||
        !panels_are_fast())
        return false;
    float *panels = memory_take(panels_size(product->columns, product->depth) * sizeof(float));
    if (panels == NULL)
        return false;
    panels_pack(&(struct panels_source){b, product->columns, product->depth, 1, product->b_stride},
                panels);
    multiply_panels(product, panels, a, c);
    free(panels);
    return true;
}

// One product in plain loops: rows of C by rows of B, or dot products where B is transposed.
#define DEFINE_LOOPS(name, type)                                                                   \
    static void name(const struct matrix_product *product, const type *a, const type *b, type *c)  \
    {                                                                                              \
        const uint64_t a_row = product->a_transposed ? 1 : product->a_stride;                      \
        const uint64_t a_column = product->a_transposed ? product->a_stride : 1;                   \
        for (uint64_t i = 0; i < product->rows; i++) {                                             \
            type *restrict row = c + i * product->c_stride;                                        \
            const type *factors = a + i * a_row;                                                   \
            for (uint64_t j = 0; j < product->columns; j++)                                        \
                row[j] = 0;                                                                        \
            for (uint64_t j = 0; product->b_transposed && j < product->columns; j++) {             \
                const type *line = b + j * product->b_stride;                                      \
                for (uint64_t k = 0; k < product->depth; k++)                                      \
                    row[j] += factors[k * a_column] * line[k];                                     \
            }                                                                                      \
            for (uint64_t k = 0; !product->b_transposed && k < product->depth; k++) {              \
                const type factor = factors[k * a_column];                                         \
                const type *line = b + k * product->b_stride;                                      \
                for (uint64_t j = 0; j < product->columns; j++)                                    \
                    row[j] += factor * line[j];                                                    \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_LOOPS(multiply_f32_loops, float)
DEFINE_LOOPS(multiply_f64, double)
DEFINE_LOOPS(multiply_32, uint32_t)
DEFINE_LOOPS(multiply_64, uint64_t)

static void matrix_multiply_f32(const struct matrix_product *product, const float *a,
                                const float *b, float *c)
{
    if (product->depth == 0) {
        matrix_clear(product, c);
        return;
    }
    if (multiply_arranged(product, a, b, c))
        return;
    if (!onednn_product(product, a, b, c))
        multiply_f32_loops(product, a, b, c);
}

void matrix_multiply_here(const struct matrix_product *product, enum element element, const void *a,
                          const void *b, void *c)
{
    if (product->rows == 0 || product->columns == 0)
        return;
    switch (element) {
    case ELEMENT_F32:
        matrix_multiply_f32(product, a, b, c);
        break;
    case ELEMENT_F64:
        multiply_f64(product, a, b, c);
        break;
    case ELEMENT_I32:
    case ELEMENT_U32:
        multiply_32(product, a, b, c);
        break;
    default:
        multiply_64(product, a, b, c);
        break;
    }
}

struct multiplication {
    const struct matrix_product *product;
    enum element element;
    const char *a;
    const char *b;
    char *c;
    uint64_t tile_rows;
    uint64_t tile_columns;
    uint64_t tiles_down;
    uint64_t tiles_across;
};

static uint64_t matrix_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void multiply_pieces(void *context, uint64_t from, uint64_t to)
{
    const struct multiplication *task = context;
    const struct matrix_product *product = task->product;
    const size_t size = element_size(task->element);
    for (uint64_t i = from; i < to; i++) {
        const uint64_t column = i % task->tiles_across * task->tile_columns;
        const uint64_t row = i / task->tiles_across % task->tiles_down * task->tile_rows;
        uint64_t matrix = i / task->tiles_across / task->tiles_down;
        uint64_t a = row * (product->a_transposed ? 1 : product->a_stride);
        uint64_t b = column * (product->b_transposed ? product->b_stride : 1);
        uint64_t c = row * product->c_stride + column;
        for (uint32_t d = product->batch_rank; d-- > 0;) {
            const uint64_t place = matrix % product->batch[d];
            matrix /= product->batch[d];
            a += place * product->a_batch[d];
            b += place * product->b_batch[d];
            c += place * product->c_batch[d];
        }
        struct matrix_product tile = *product;
        tile.rows = matrix_least(task->tile_rows, product->rows - row);
        tile.columns = matrix_least(task->tile_columns, product->columns - column);
        if (product->panels != NULL)
            multiply_panels(&tile, product->panels + column * product->depth,
                            (const float *)task->a + a, (float *)task->c + c);
        else
            matrix_multiply_here(&tile, task->element, task->a + a * size, task->b + b * size,
                                 task->c + c * size);
    }
}

// Parts of `length`, as even as they can be, of at most `most` and of whole panels.
static uint64_t even_part(uint64_t length, uint64_t most)
{
    const uint64_t parts = (length + most - 1) / most;
    const uint64_t part = (length + parts - 1) / parts;
    return (part + PANELS_WIDTH - 1) / PANELS_WIDTH * PANELS_WIDTH;
}

static void cut_tiles(struct multiplication *task, uint64_t depth)
{
    const struct matrix_product *product = task->product;
    const uint64_t rows = TILE_NUMBERS / depth;
    task->tile_rows = matrix_least(
        product->rows, even_part(product->rows, rows > PANELS_WIDTH ? rows : PANELS_WIDTH));
    const uint64_t columns = TILE_STEPS / depth / task->tile_rows;
    task->tile_columns =
        matrix_least(product->columns,
                     even_part(product->columns, columns > PANELS_WIDTH ? columns : PANELS_WIDTH));
    task->tiles_down = (product->rows + task->tile_rows - 1) / task->tile_rows;
    task->tiles_across = (product->columns + task->tile_columns - 1) / task->tile_columns;
}

void matrix_multiply(const struct matrix_product *product, enum element element, const void *a,
                     const void *b, void *c, struct parallel *parallel)
{
    uint64_t matrices = 1;
    for (uint32_t d = 0; d < product->batch_rank; d++)
        matrices *= product->batch[d];
    if (matrices == 0 || product->rows == 0 || product->columns == 0)
        return;
    struct multiplication task = {product, element, a, b, c, product->rows, product->columns, 1, 1};
    const uint64_t depth = product->depth > 0 ? product->depth : 1;
    if ((double)product->rows * (double)product->columns * (double)depth > TILE_STEPS)
        cut_tiles(&task, depth);
    const double tile_steps = (double)task.tile_rows * (double)task.tile_columns * (double)depth;
    const uint64_t grain = tile_steps < PIECE_STEPS ? (uint64_t)(PIECE_STEPS / tile_steps) : 1;
    parallel_for(parallel, matrices * task.tiles_down * task.tiles_across, grain, multiply_pieces,
                 &task);
}

// Whether B is one matrix for all of the batch.
static bool shares_b(const struct matrix_product *product)
{
    for (uint32_t d = 0; d < product->batch_rank; d++) {
        if (product->b_batch[d] != 0 && product->batch[d] != 1)
            return false;
    }
    return true;
}

status matrix_multiply_kept(const struct matrix_product *product, enum element element,
                            const void *a, const void *b, void *c, const struct kernel_call *call,
                            uint32_t index)
{
    const bool arranged = element == ELEMENT_F32 && kernel_input_fixed(call, index) &&
                          call->state != NULL && panels_are_fast() && !product->a_transposed &&
                          product->depth > 0 && product->columns > 0 && shares_b(product);
    if (!arranged) {
        matrix_multiply(product, element, a, b, c, call->parallel);
        return STATUS_OK;
    }
    const bool transposed = product->b_transposed;
    const struct panels_source source = {b, product->columns, product->depth,
                                         transposed ? product->b_stride : 1,
                                         transposed ? 1 : product->b_stride};
    struct panels_kept *kept;
    STATUS_TRY(panels_take(call, index, &source, 1, &kept));
    struct matrix_product with = *product;
    with.panels = panels_of(kept, 0);
    matrix_multiply(&with, element, a, b, c, call->parallel);
    panels_release(kept, call, index);
    return STATUS_OK;
}
