#include "integer_matmul.h"

#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "integer_core.h"
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The second side lies in panels of PANEL columns: for each pair of depth indices
// k, k + 1 the two numbers of each column side by side, which is what one
// multiply-add instruction takes.
enum { PANEL = 16, STRIP = 12, FEW = 4 };

struct integer_packed {
    uint64_t columns;
    uint64_t depth;
    uint64_t pairs; // depth halved, rounded up; what is missing is 0
    // Pairs whose sums fit 32 bits whatever the other side is; 0: not even one.
    uint64_t exact_pairs;
    int16_t *panels;
};

static status no_memory(void)
{
    return status_no_memory("an integer product");
}

int16_t *integer_allocate(uint64_t count)
{
    if (count > (UINT64_C(1) << 46))
        return NULL;
    return malloc((size_t)(count == 0 ? 1 : count) * sizeof(int16_t));
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

static int32_t zero_of(struct integer_zeros zeros, uint64_t row)
{
    if (zeros.count == 0)
        return 0;
    return zeros.items[zeros.count == 1 ? 0 : row];
}

void integer_matrix_row(const struct integer_matrix *matrix, uint64_t row, int16_t *out)
{
    const int32_t zero = zero_of(matrix->zeros, row);
    const uint64_t start = row * matrix->row_stride;
    for (uint64_t o = 0; o < matrix->outer; o++)
        integer_widen(matrix->element, matrix->data, start + o * matrix->outer_stride,
                      matrix->inner_stride, matrix->inner, zero, out + o * matrix->inner);
}

// How many pairs of products with 16-bit numbers are sure to fit 32 bits.
static uint64_t exact_pairs(int32_t largest)
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
        zeros[c] = zero_of(columns->zeros, first + c);
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

status integer_pack(const struct integer_matrix *columns, struct integer_packed **out_packed)
{
    const uint64_t depth = columns->outer * columns->inner;
    const uint64_t pairs = depth / 2 + depth % 2;
    const uint64_t panels = columns->rows / PANEL + (columns->rows % PANEL != 0);
    struct integer_packed *packed = calloc(1, sizeof *packed);
    int16_t *data = pairs == 0 || panels <= (UINT64_C(1) << 46) / (2 * PANEL * pairs)
                        ? integer_allocate(panels * pairs * 2 * PANEL)
                        : NULL;
    if (packed == NULL || data == NULL) {
        free(packed);
        free(data);
        return no_memory();
    }
    memset(data, 0, (size_t)(panels * pairs * 2 * PANEL) * sizeof *data);
    int32_t largest = 0;
    for (uint64_t p = 0; p < panels; p++) {
        const uint64_t left = columns->rows - p * PANEL;
        const int32_t found = fill_panel(columns, p * PANEL, left < PANEL ? left : PANEL,
                                         data + p * pairs * 2 * PANEL);
        largest = found > largest ? found : largest;
    }
    *packed = (struct integer_packed){columns->rows, depth, pairs, exact_pairs(largest), data};
    *out_packed = packed;
    return STATUS_OK;
}

void integer_packed_free(struct integer_packed *packed)
{
    if (packed == NULL)
        return;
    free(packed->panels);
    free(packed);
}

// Sums over `pairs` pairs of `rows` (at most STRIP) rows and one panel.
typedef void (*strip_function)(const int16_t *a, uint64_t a_stride, uint64_t rows,
                               const int16_t *panel, uint64_t pairs, uint32_t sums[STRIP][PANEL]);

static void strip_portable(const int16_t *a, uint64_t a_stride, uint64_t rows, const int16_t *panel,
                           uint64_t pairs, uint32_t sums[STRIP][PANEL])
{
    for (uint64_t r = 0; r < rows; r++) {
        uint32_t line[PANEL] = {0};
        const int16_t *row = a + r * a_stride;
        for (uint64_t p = 0; p < pairs; p++) {
            const int32_t even = row[2 * p];
            const int32_t odd = row[2 * p + 1];
            const int16_t *b = panel + p * 2 * PANEL;
            for (int c = 0; c < PANEL; c++)
                line[c] += (uint32_t)(even * b[2 * c]) + (uint32_t)(odd * b[2 * c + 1]);
        }
        memcpy(sums[r], line, sizeof line);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"), always_inline)) static inline void
strip_rows(const int16_t *a, uint64_t a_stride, int rows, const int16_t *panel, uint64_t pairs,
           uint32_t sums[STRIP][PANEL])
{
    __m256i low[FEW], high[FEW];
    for (int r = 0; r < rows; r++)
        low[r] = high[r] = _mm256_setzero_si256();
    for (uint64_t p = 0; p < pairs; p++) {
        const __m256i first = _mm256_loadu_si256((const __m256i *)(panel + p * 2 * PANEL));
        const __m256i second = _mm256_loadu_si256((const __m256i *)(panel + p * 2 * PANEL + 16));
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, a + (uint64_t)r * a_stride + 2 * p, sizeof pair);
            const __m256i both = _mm256_set1_epi32(pair);
            low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(both, first));
            high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(both, second));
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm256_storeu_si256((__m256i *)sums[r], low[r]);
        _mm256_storeu_si256((__m256i *)(sums[r] + 8), high[r]);
    }
}

__attribute__((target("avx2"))) static void strip_avx2(const int16_t *a, uint64_t a_stride,
                                                       uint64_t rows, const int16_t *panel,
                                                       uint64_t pairs, uint32_t sums[STRIP][PANEL])
{
    uint64_t r = 0;
    for (; r + FEW <= rows; r += FEW)
        strip_rows(a + r * a_stride, a_stride, FEW, panel, pairs, sums + r);
    for (; r < rows; r++)
        strip_rows(a + r * a_stride, a_stride, 1, panel, pairs, sums + r);
}

// A line of a panel is a vector: sums + both products of each column's pair.
#define ADD_avx512(sums, both, line)                                                               \
    _mm512_add_epi32((__m512i)(sums), _mm512_madd_epi16(both, (__m512i)(line)))
#define ADD_vnni(sums, both, line) _mm512_dpwssd_epi32((__m512i)(sums), both, (__m512i)(line))
// gcc 12 does not align these sums on the stack that its sanitizer makes up (PR 110027).
#define FOR_avx512 __attribute__((target("avx512f,avx512bw"), no_sanitize("address")))
#define FOR_vnni __attribute__((target("avx512f,avx512bw,avx512vnni"), no_sanitize("address")))

// `panels` neighbours by `together` rows, both numbers constants so that the sums stay in
// registers.
#define DEFINE_STRIP(suffix, together, panels)                                                     \
    FOR_##suffix static void strip_##suffix##_##together##_##panels(                               \
        const int16_t *a, uint64_t a_stride, const int16_t *panel, uint64_t pairs,                 \
        uint32_t(*sums)[STRIP][PANEL])                                                             \
    {                                                                                              \
        __m512i own[(together) * (panels)];                                                        \
        _Pragma("GCC unroll 24") for (int i = 0; i < (together) * (panels); i++)                   \
        {                                                                                          \
            own[i] = _mm512_setzero_si512();                                                       \
        }                                                                                          \
        for (uint64_t p = 0; p < pairs; p++) {                                                     \
            __m512i lines[panels];                                                                 \
            _Pragma("GCC unroll 2") for (uint64_t i = 0; i < (panels); i++)                        \
            {                                                                                      \
                lines[i] = _mm512_loadu_si512(panel + (i * pairs + p) * 2 * PANEL);                \
            }                                                                                      \
            _Pragma("GCC unroll 12") for (int r = 0; r < (together); r++)                          \
            {                                                                                      \
                int32_t pair;                                                                      \
                memcpy(&pair, a + (uint64_t)r * a_stride + 2 * p, sizeof pair);                    \
                _Pragma("GCC unroll 2") for (int i = 0; i < (panels); i++)                         \
                {                                                                                  \
                    own[i * (together) + r] =                                                      \
                        ADD_##suffix(own[i * (together) + r], _mm512_set1_epi32(pair), lines[i]);  \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 24") for (int i = 0; i < (together) * (panels); i++)                   \
        {                                                                                          \
            _mm512_storeu_si512(sums[i / (together)][i % (together)], own[i]);                     \
        }                                                                                          \
    }

#define DEFINE_STRIPS(suffix)                                                                      \
    DEFINE_STRIP(suffix, 12, 2)                                                                    \
    DEFINE_STRIP(suffix, 12, 1)                                                                    \
    DEFINE_STRIP(suffix, 4, 1)                                                                     \
    DEFINE_STRIP(suffix, 1, 1)                                                                     \
    static void strip_##suffix(const int16_t *a, uint64_t a_stride, uint64_t rows,                 \
                               const int16_t *panel, uint64_t pairs, uint32_t sums[STRIP][PANEL])  \
    {                                                                                              \
        if (rows == STRIP) {                                                                       \
            strip_##suffix##_12_1(a, a_stride, panel, pairs, (uint32_t(*)[STRIP][PANEL])sums);     \
            return;                                                                                \
        }                                                                                          \
        uint64_t r = 0;                                                                            \
        for (; r + FEW <= rows; r += FEW)                                                          \
            strip_##suffix##_4_1(a + r * a_stride, a_stride, panel, pairs,                         \
                                 (uint32_t(*)[STRIP][PANEL])(sums + r));                           \
        for (; r < rows; r++)                                                                      \
            strip_##suffix##_1_1(a + r * a_stride, a_stride, panel, pairs,                         \
                                 (uint32_t(*)[STRIP][PANEL])(sums + r));                           \
    }

DEFINE_STRIPS(avx512)
DEFINE_STRIPS(vnni)
#endif

static strip_function strip_choose(void)
{
#if defined(__x86_64__)
    if (isa_used() == ISA_VNNI)
        return strip_vnni;
    if (isa_used() == ISA_AVX512)
        return strip_avx512;
    if (isa_used() == ISA_AVX2)
        return strip_avx2;
#endif
    return strip_portable;
}

// STRIP rows by two panels at once; NULL: not here.
typedef void (*strip_pair_function)(const int16_t *a, uint64_t a_stride, const int16_t *panel,
                                    uint64_t pairs, uint32_t (*sums)[STRIP][PANEL]);

static strip_pair_function strip_choose_pair(void)
{
#if defined(__x86_64__)
    if (isa_used() == ISA_VNNI)
        return strip_vnni_12_2;
    if (isa_used() == ISA_AVX512)
        return strip_avx512_12_2;
#endif
    return NULL;
}

static void strip_wide_slow(const int16_t *a, uint64_t a_stride, uint64_t rows,
                            const int16_t *panel, uint64_t pairs, int64_t sums[STRIP][PANEL])
{
    for (uint64_t r = 0; r < rows; r++) {
        const int16_t *row = a + r * a_stride;
        for (uint64_t p = 0; p < pairs; p++) {
            const int16_t *b = panel + p * 2 * PANEL;
            for (int c = 0; c < PANEL; c++)
                sums[r][c] +=
                    (int64_t)(row[2 * p] * b[2 * c]) + (int64_t)(row[2 * p + 1] * b[2 * c + 1]);
        }
    }
}

static void strip_wide(strip_function strip, const struct integer_packed *packed, const int16_t *a,
                       uint64_t a_stride, uint64_t rows, const int16_t *panel,
                       int64_t sums[STRIP][PANEL])
{
    memset(sums, 0, STRIP * sizeof *sums);
    const uint64_t step = packed->exact_pairs;
    if (step < 2) {
        strip_wide_slow(a, a_stride, rows, panel, packed->pairs, sums);
        return;
    }
    uint32_t part[STRIP][PANEL];
    for (uint64_t p = 0; p < packed->pairs; p += step) {
        const uint64_t pairs = packed->pairs - p < step ? packed->pairs - p : step;
        strip(a + 2 * p, a_stride, rows, panel + p * 2 * PANEL, pairs, part);
        for (uint64_t r = 0; r < rows; r++)
            for (int c = 0; c < PANEL; c++)
                sums[r][c] += (int32_t)part[r][c];
    }
}

static const int16_t *panel_at(const struct integer_packed *packed, uint64_t column)
{
    return packed->panels + column / PANEL * packed->pairs * 2 * PANEL;
}

static void multiply_wide(const struct integer_packed *packed, const int16_t *a, uint64_t a_stride,
                          const struct integer_tile *tile, int64_t *sums)
{
    const strip_function strip = strip_choose();
    int64_t wide[STRIP][PANEL];
    for (uint64_t column = 0; column < tile->columns; column += PANEL) {
        const uint64_t columns = tile->columns - column < PANEL ? tile->columns - column : PANEL;
        for (uint64_t row = 0; row < tile->rows; row += STRIP) {
            const uint64_t rows = tile->rows - row < STRIP ? tile->rows - row : STRIP;
            strip_wide(strip, packed, a + row * a_stride, a_stride, rows,
                       panel_at(packed, tile->column + column), wide);
            for (uint64_t r = 0; r < rows; r++)
                memcpy(sums + (row + r) * tile->stride + column, wide[r],
                       (size_t)columns * sizeof(int64_t));
        }
    }
}

// Some rows of a tile by the panels of at most `together` from `column` on.
static void multiply_strip(const struct integer_packed *packed, const int16_t *a, uint64_t a_stride,
                           uint64_t rows, const struct integer_tile *tile, uint64_t column,
                           uint64_t together, int32_t *sums)
{
    uint32_t narrow[2][STRIP][PANEL];
    const int16_t *panel = panel_at(packed, tile->column + column);
    if (rows == STRIP && together == 2)
        strip_choose_pair()(a, a_stride, panel, packed->pairs, narrow);
    for (uint64_t i = 0; i < together && !(rows == STRIP && together == 2); i++)
        strip_choose()(a, a_stride, rows, panel + i * packed->pairs * 2 * PANEL, packed->pairs,
                       narrow[i]);
    for (uint64_t i = 0; i < together; i++) {
        const uint64_t left = tile->columns - column - i * PANEL;
        for (uint64_t r = 0; r < rows; r++)
            memcpy(sums + r * tile->stride + column + i * PANEL, narrow[i][r],
                   (size_t)(left < PANEL ? left : PANEL) * sizeof(int32_t));
    }
}

void integer_multiply(const struct integer_packed *packed, const int16_t *a, uint64_t a_stride,
                      struct integer_tile *tile, void *sums)
{
    if (tile->wide != NULL) {
        tile->narrow = NULL;
        multiply_wide(packed, a, a_stride, tile, sums);
        return;
    }
    tile->narrow = sums;
    uint64_t together;
    for (uint64_t column = 0; column < tile->columns; column += together * PANEL) {
        together = tile->columns - column > PANEL && strip_choose_pair() != NULL ? 2 : 1;
        for (uint64_t row = 0; row < tile->rows; row += STRIP)
            multiply_strip(packed, a + row * a_stride, a_stride,
                           tile->rows - row < STRIP ? tile->rows - row : STRIP, tile, column,
                           together, (int32_t *)sums + row * tile->stride);
    }
}

uint64_t integer_packed_columns(const struct integer_packed *packed)
{
    return packed->columns;
}

uint64_t integer_packed_stride(const struct integer_packed *packed)
{
    return 2 * packed->pairs;
}

void integer_plan_tiles(const struct integer_packed *packed, uint64_t rows,
                        struct integer_plan *out_plan)
{
    enum { BYTES = 128 << 10, ROWS_MOST = 5 * STRIP, COLUMNS = 8 * PANEL };
    const uint64_t row_bytes = 2 * packed->pairs * sizeof(int16_t) + 1;
    uint64_t tile_rows = BYTES / row_bytes / STRIP * STRIP;
    tile_rows = tile_rows < STRIP ? STRIP : tile_rows;
    tile_rows = tile_rows > ROWS_MOST ? ROWS_MOST : tile_rows;
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

static void matmul_piece(void *context, uint64_t from, uint64_t to)
{
    struct matmul_job *job = context;
    const uint64_t a_stride = integer_packed_stride(job->packed);
    int16_t *a = integer_allocate(job->plan.rows * a_stride + 1);
    void *sums = integer_tile_allocate(&job->plan, job->packed, job->wide);
    if (a == NULL || sums == NULL)
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
    else
        for (uint64_t i = from; i < to; i++) {
            struct integer_tile tile;
            integer_tile_place(&job->plan, job->packed, i, job->rows->rows, &tile);
            tile.wide = job->wide ? sums : NULL;
            for (uint64_t r = 0; r < tile.rows; r++) {
                a[r * a_stride + a_stride - (a_stride > 0)] = 0;
                integer_matrix_row(job->rows, tile.row + r, a + r * a_stride);
            }
            integer_multiply(job->packed, a, a_stride, &tile, sums);
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
    STATUS_TRY(integer_weights_take(weights, 1, false, keep, &arranged));
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
        for (uint64_t c = 0; c < tile->columns; c++) {
            const uint64_t to = place + c * store->column_stride;
            if (tile->wide != NULL)
                store->wide[to] = tile->wide[r * tile->stride + c];
            else
                store->narrow[to] = tile->narrow[r * tile->stride + c];
        }
    }
}
