#include "integer_matmul.h"

#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "integer_core.h"

enum { PANEL = INTEGER_PANEL, STRIP = INTEGER_STRIP };

static status no_memory(void)
{
    return status_no_memory("an integer product");
}

char *integer_allocate(uint64_t count, uint64_t size)
{
    if (count > (UINT64_C(1) << 46))
        return NULL;
    return malloc((size_t)(count == 0 ? 1 : count) * (size == 0 ? 1 : size));
}

#define DEFINE_WIDEN(name, type)                                                                   \
    CORE_CLONES(void, name,                                                                        \
                (const type *from, uint64_t stride, uint64_t count, int32_t zero, int16_t *out),   \
                (from, stride, count, zero, out))                                                  \
    {                                                                                              \
        for (uint64_t i = 0; stride == 1 && i < count; i++)                                        \
            out[i] = (int16_t)(from[i] - zero);                                                    \
        for (uint64_t i = 0; stride != 1 && i < count; i++)                                        \
            out[i] = (int16_t)(from[i * stride] - zero);                                           \
    }

DEFINE_WIDEN(widen_u8, uint8_t)
DEFINE_WIDEN(widen_i8, int8_t)
DEFINE_WIDEN(widen_i16, int16_t)

void integer_widen(enum element element, const void *data, uint64_t first, uint64_t stride,
                   uint64_t count, int32_t zero, int16_t *out)
{
    switch (element) {
    case ELEMENT_U8:
    case ELEMENT_U4:
        widen_u8((const uint8_t *)data + first, stride, count, zero, out);
        break;
    case ELEMENT_I16:
        widen_i16((const int16_t *)data + first, stride, count, zero, out);
        break;
    default:
        widen_i8((const int8_t *)data + first, stride, count, zero, out);
        break;
    }
}

void integer_matrix_row(const struct integer_matrix *matrix, uint64_t row, int16_t *out)
{
    const int32_t zero = integer_zero_of(matrix->zeros, row);
    const uint64_t start = row * matrix->row_stride;
    for (uint64_t o = 0; o < matrix->outer; o++)
        integer_widen(matrix->element, matrix->data, start + o * matrix->outer_stride,
                      matrix->inner_stride, matrix->inner, zero, out + o * matrix->inner);
}

// How many pairs of products with 16-bit numbers are sure to fit 32 bits.
static uint64_t exact_lines(int32_t largest)
{
    const int64_t pair = INT64_C(2) * 32768 * (largest == 0 ? 1 : largest);
    return (uint64_t)(INT32_MAX / pair);
}

// The numbers of one panel, taken for up to PANEL columns at a time; the largest
// magnitude of all.
#define DEFINE_FILL(name, type)                                                                    \
    static int32_t name(const struct integer_matrix *columns, uint64_t first, uint64_t count,      \
                        const int32_t zeros[PANEL], int16_t *panel)                                \
    {                                                                                              \
        const type *data = (const type *)columns->data + first * columns->row_stride;              \
        const uint64_t stride = columns->row_stride;                                               \
        int32_t largest = 0;                                                                       \
        uint64_t k = 0;                                                                            \
        for (uint64_t o = 0; o < columns->outer; o++)                                              \
            for (uint64_t i = 0; i < columns->inner; i++, k++) {                                   \
                const type *from = data + o * columns->outer_stride + i * columns->inner_stride;   \
                int16_t *to = panel + k / 2 * 2 * PANEL + k % 2;                                   \
                for (uint64_t c = 0; c < count; c++) {                                             \
                    const int32_t value = from[c * stride] - zeros[c];                             \
                    const int32_t magnitude = value < 0 ? -value : value;                          \
                    largest = magnitude > largest ? magnitude : largest;                           \
                    to[2 * c] = (int16_t)value;                                                    \
                }                                                                                  \
            }                                                                                      \
        return largest;                                                                            \
    }

DEFINE_FILL(fill_i8, int8_t)
DEFINE_FILL(fill_u8, uint8_t)
DEFINE_FILL(fill_i16, int16_t)

static int32_t fill_panel(const struct integer_matrix *columns, uint64_t first, uint64_t count,
                          int16_t *panel)
{
    int32_t zeros[PANEL];
    for (uint64_t c = 0; c < count; c++)
        zeros[c] = integer_zero_of(columns->zeros, first + c);
    switch (columns->element) {
    case ELEMENT_U8:
    case ELEMENT_U4:
        return fill_u8(columns, first, count, zeros, panel);
    case ELEMENT_I16:
        return fill_i16(columns, first, count, zeros, panel);
    default:
        return fill_i8(columns, first, count, zeros, panel);
    }
}

static void pack_pairs(const struct integer_matrix *columns, struct integer_packed *packed)
{
    int32_t largest = 0;
    for (uint64_t first = 0; first < columns->rows; first += PANEL) {
        const uint64_t left = columns->rows - first;
        char *panel = packed->panels + first / PANEL * packed->lines * INTEGER_LINE;
        const int32_t found =
            fill_panel(columns, first, left < PANEL ? left : PANEL, (int16_t *)(void *)panel);
        largest = found > largest ? found : largest;
    }
    packed->exact_lines = exact_lines(largest);
}

status integer_pack(const struct integer_matrix *columns, enum integer_form form,
                    struct integer_packed **out_packed)
{
    const uint64_t depth = columns->outer * columns->inner;
    const uint64_t together = form == INTEGER_BYTES ? 4 : 2;
    const uint64_t lines = depth / together + (depth % together != 0);
    const uint64_t panels = columns->rows / PANEL + (columns->rows % PANEL != 0);
    struct integer_packed *packed = calloc(1, sizeof *packed);
    char *data = lines == 0 || panels <= (UINT64_C(1) << 46) / (INTEGER_LINE * lines)
                     ? integer_allocate(panels * lines, INTEGER_LINE)
                     : NULL;
    if (packed == NULL || data == NULL) {
        free(packed);
        free(data);
        return no_memory();
    }
    memset(data, 0, (size_t)(panels * lines) * INTEGER_LINE);
    *packed = (struct integer_packed){
        .form = form, .columns = columns->rows, .depth = depth, .lines = lines, .panels = data};
    if (form == INTEGER_PAIRS) {
        pack_pairs(columns, packed);
    } else if (!integer_bytes_pack(columns, packed)) {
        integer_packed_free(packed);
        return no_memory();
    }
    *out_packed = packed;
    return STATUS_OK;
}

void integer_packed_free(struct integer_packed *packed)
{
    if (packed == NULL)
        return;
    free(packed->panels);
    free(packed->excess);
    free(packed->zeros);
    free(packed);
}

static bool fits_a_byte(enum element element)
{
    return element == ELEMENT_U8 || element == ELEMENT_I8 || element == ELEMENT_U4 ||
           element == ELEMENT_I4;
}

enum integer_form integer_form_of(enum element rows, enum element columns, bool wide)
{
    return !wide && fits_a_byte(rows) && fits_a_byte(columns) && integer_strips_like_bytes()
               ? INTEGER_BYTES
               : INTEGER_PAIRS;
}

static void strip_wide_slow(const char *a, uint64_t a_stride, uint64_t rows, const char *panel,
                            uint64_t lines, int64_t sums[STRIP][PANEL])
{
    for (uint64_t r = 0; r < rows; r++) {
        const int16_t *row = (const int16_t *)(const void *)(a + r * a_stride);
        for (uint64_t p = 0; p < lines; p++) {
            const int16_t *b = (const int16_t *)(const void *)(panel + p * INTEGER_LINE);
            for (int c = 0; c < PANEL; c++)
                sums[r][c] +=
                    (int64_t)(row[2 * p] * b[2 * c]) + (int64_t)(row[2 * p + 1] * b[2 * c + 1]);
        }
    }
}

static void strip_wide(integer_strip strip, const struct integer_packed *packed, const char *a,
                       uint64_t a_stride, uint64_t rows, const char *panel,
                       int64_t sums[STRIP][PANEL])
{
    memset(sums, 0, STRIP * sizeof *sums);
    const uint64_t step = packed->exact_lines;
    if (step < 2) {
        strip_wide_slow(a, a_stride, rows, panel, packed->lines, sums);
        return;
    }
    integer_sums part;
    for (uint64_t p = 0; p < packed->lines; p += step) {
        const uint64_t lines = packed->lines - p < step ? packed->lines - p : step;
        strip(a + 4 * p, a_stride, rows, panel + p * INTEGER_LINE, lines, part);
        for (uint64_t r = 0; r < rows; r++)
            for (int c = 0; c < PANEL; c++)
                sums[r][c] += (int32_t)part[r][c];
    }
}

static const char *panel_at(const struct integer_packed *packed, uint64_t column)
{
    return packed->panels + column / PANEL * packed->lines * INTEGER_LINE;
}

static void multiply_wide(const struct integer_packed *packed, const struct integer_rows *rows,
                          const struct integer_tile *tile, int64_t *sums)
{
    const integer_strip strip = integer_strips_choose(packed->form).single;
    int64_t wide[STRIP][PANEL];
    for (uint64_t column = 0; column < tile->columns; column += PANEL) {
        const uint64_t columns = tile->columns - column < PANEL ? tile->columns - column : PANEL;
        for (uint64_t row = 0; row < tile->rows; row += STRIP) {
            const uint64_t count = tile->rows - row < STRIP ? tile->rows - row : STRIP;
            strip_wide(strip, packed, rows->data + row * rows->stride, rows->stride, count,
                       panel_at(packed, tile->column + column), wide);
            for (uint64_t r = 0; r < count; r++)
                memcpy(sums + (row + r) * tile->stride + column, wide[r],
                       (size_t)columns * sizeof(int64_t));
        }
    }
}

// Some rows of a tile by the panels of at most `together` from `column` on.
static void multiply_strip(const struct integer_packed *packed, const struct integer_rows *rows,
                           const struct integer_tile *tile, uint64_t row, uint64_t column,
                           uint64_t together, const struct integer_factors *factors, int32_t *sums)
{
    _Alignas(64) integer_sums narrow[2];
    const uint64_t count = tile->rows - row < STRIP ? tile->rows - row : STRIP;
    const struct integer_strips strips = integer_strips_choose(packed->form);
    const char *a = rows->data + row * rows->stride;
    const char *panel = panel_at(packed, tile->column + column);
    if (count == STRIP && together == 2)
        strips.pair(a, rows->stride, panel, packed->lines, narrow);
    for (uint64_t i = 0; i < together && !(count == STRIP && together == 2); i++)
        strips.single(a, rows->stride, count, panel + i * packed->lines * INTEGER_LINE,
                      packed->lines, narrow[i]);
    for (uint64_t i = 0; i < together; i++) {
        const uint64_t at = column + i * PANEL, left = tile->columns - at;
        const struct integer_part part = {.row = row,
                                          .count = count,
                                          .column = tile->column + at,
                                          .width = left < PANEL ? left : PANEL,
                                          .sums = sums + row * tile->stride + at,
                                          .stride = tile->stride};
        if (packed->form == INTEGER_BYTES) {
            integer_bytes_settle(packed, factors, &part, narrow[i]);
            continue;
        }
        for (uint64_t r = 0; r < count; r++)
            memcpy(part.sums + r * part.stride, narrow[i][r], part.width * sizeof *part.sums);
    }
}

void integer_multiply(const struct integer_packed *packed, const struct integer_rows *rows,
                      struct integer_tile *tile, void *sums)
{
    if (tile->wide != NULL) {
        tile->narrow = NULL;
        multiply_wide(packed, rows, tile, sums);
        return;
    }
    tile->narrow = sums;
    const bool pairs = integer_strips_choose(packed->form).pair != NULL;
    struct integer_factors factors;
    if (packed->form == INTEGER_BYTES)
        integer_bytes_factors(packed, rows, tile->rows, &factors);
    uint64_t together;
    for (uint64_t column = 0; column < tile->columns; column += together * PANEL) {
        together = tile->columns - column > PANEL && pairs ? 2 : 1;
        for (uint64_t row = 0; row < tile->rows; row += STRIP)
            multiply_strip(packed, rows, tile, row, column, together, &factors, sums);
    }
}

uint64_t integer_packed_columns(const struct integer_packed *packed)
{
    return packed->columns;
}

uint64_t integer_packed_stride(const struct integer_packed *packed)
{
    return 4 * packed->lines;
}

void integer_plan_tiles(const struct integer_packed *packed, uint64_t rows,
                        struct integer_plan *out_plan)
{
    enum { BYTES = 128 << 10, COLUMNS = 8 * PANEL };
    const uint64_t row_bytes = integer_packed_stride(packed) + 1;
    uint64_t tile_rows = BYTES / row_bytes / STRIP * STRIP;
    tile_rows = tile_rows < STRIP ? STRIP : tile_rows;
    tile_rows = tile_rows > INTEGER_TILE_ROWS ? INTEGER_TILE_ROWS : tile_rows;
    out_plan->rows = tile_rows;
    out_plan->row_tiles = (rows + tile_rows - 1) / tile_rows;
    // Few rows: the columns are shared out as well.
    out_plan->columns = out_plan->row_tiles >= 8 ? packed->columns : COLUMNS;
    out_plan->column_tiles =
        packed->columns == 0 ? 0 : (packed->columns + out_plan->columns - 1) / out_plan->columns;
}

struct matmul_job {
    const struct integer_matrix *rows;
    const struct integer_packed *packed;
    struct integer_plan plan;
    bool wide;
    integer_finish finish;
    void *context;
    bool no_memory; // set by any piece
};

// A row of a product in the form of the packed side; `out` has whole lines.
static void take_row(const struct matmul_job *job, uint64_t row, char *out)
{
    const uint64_t stride = integer_packed_stride(job->packed);
    if (stride > 0)
        memset(out + stride - 4, 0, 4);
    if (job->packed->form == INTEGER_BYTES)
        integer_bytes_row(job->rows, row, (uint8_t *)out);
    else
        integer_matrix_row(job->rows, row, (int16_t *)(void *)out);
}

static void matmul_piece(void *context, uint64_t from, uint64_t to)
{
    struct matmul_job *job = context;
    const uint64_t stride = integer_packed_stride(job->packed);
    char *a = integer_allocate(job->plan.rows, stride);
    void *sums = integer_tile_allocate(&job->plan, job->packed, job->wide);
    if (a == NULL || sums == NULL)
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
    else
        for (uint64_t i = from; i < to; i++) {
            struct integer_tile tile;
            integer_tile_place(&job->plan, job->packed, i, job->rows->rows, &tile);
            tile.wide = job->wide ? sums : NULL;
            for (uint64_t r = 0; r < tile.rows; r++)
                take_row(job, tile.row + r, a + r * stride);
            const struct integer_rows rows = {a, stride, job->rows->zeros, tile.row,
                                              integer_bytes_lift(job->rows->element)};
            integer_multiply(job->packed, &rows, &tile, sums);
            job->finish(job->context, &tile);
        }
    free(a);
    free(sums);
}

void *integer_tile_allocate(const struct integer_plan *plan, const struct integer_packed *packed,
                            bool wide)
{
    const uint64_t columns = plan->columns < packed->columns ? plan->columns : packed->columns;
    return malloc((size_t)(plan->rows * columns + 1) * (wide ? sizeof(int64_t) : sizeof(int32_t)));
}

void integer_tile_place(const struct integer_plan *plan, const struct integer_packed *packed,
                        uint64_t index, uint64_t rows, struct integer_tile *out_tile)
{
    const uint64_t row = index / plan->column_tiles * plan->rows;
    const uint64_t column = index % plan->column_tiles * plan->columns;
    const uint64_t columns_left = packed->columns - column;
    *out_tile = (struct integer_tile){
        .row = row,
        .rows = rows - row < plan->rows ? rows - row : plan->rows,
        .column = column,
        .columns = columns_left < plan->columns ? columns_left : plan->columns,
    };
    out_tile->stride = out_tile->columns;
}

status integer_matmul_weights(const struct integer_matrix *rows,
                              const struct integer_matrix *weights, struct integer_keep keep,
                              bool wide, struct parallel *parallel, integer_finish finish,
                              void *context)
{
    struct integer_weights *arranged;
    const enum integer_form form = integer_form_of(rows->element, weights->element, wide);
    STATUS_TRY(integer_weights_take(weights, 1, false, form, keep, &arranged));
    const status result =
        integer_matmul(rows, arranged->packed[0], wide, parallel, finish, context);
    integer_weights_release(arranged, keep);
    return result;
}

status integer_matmul(const struct integer_matrix *rows, const struct integer_packed *packed,
                      bool wide, struct parallel *parallel, integer_finish finish, void *context)
{
    struct matmul_job job = {rows, packed, {0}, wide, finish, context, false};
    integer_plan_tiles(packed, rows->rows, &job.plan);
    parallel_for(parallel, job.plan.row_tiles * job.plan.column_tiles, 1, matmul_piece, &job);
    return job.no_memory ? no_memory() : STATUS_OK;
}

void integer_store_tile(void *context, const struct integer_tile *tile)
{
    const struct integer_store *store = context;
    for (uint64_t r = 0; r < tile->rows; r++) {
        const uint64_t place = tile->batch * store->batch_stride +
                               (tile->row + r) * store->row_stride +
                               tile->column * store->column_stride;
        const uint64_t from = r * tile->stride;
        if (store->column_stride == 1 && tile->wide == NULL) {
            memcpy(store->narrow + place, tile->narrow + from,
                   (size_t)tile->columns * sizeof *store->narrow);
            continue;
        }
        for (uint64_t c = 0; c < tile->columns; c++) {
            const uint64_t to = place + c * store->column_stride;
            if (tile->wide != NULL)
                store->wide[to] = tile->wide[from + c];
            else
                store->narrow[to] = tile->narrow[from + c];
        }
    }
}
