// Integer products of bytes: a u8 by an i8. Numbers that are not so are lifted or lowered by 128,
// and their zeros with them:
//
//     sum of (a - za) (b - zb) = sum of a b - zb (sum of a) - za (sum of b - depth zb)
//
// where all wraps alike. Weights whose zero can be taken off beforehand have none left.

#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "integer_core.h"

enum { PANEL = INTEGER_PANEL, STRIP = INTEGER_STRIP };

CORE_CLONES(void, lift_bytes, (const uint8_t *from, uint64_t count, uint8_t *out),
            (from, count, out))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = from[i] ^ 0x80;
}

void integer_bytes_take(enum element element, const void *data, uint64_t first, uint64_t stride,
                        uint64_t count, uint8_t *out)
{
    const uint8_t *from = (const uint8_t *)data + first;
    const uint8_t lift = (uint8_t)integer_bytes_lift(element);
    if (stride == 1 && lift == 0) {
        memcpy(out, from, count);
        return;
    }
    if (stride == 1) {
        lift_bytes(from, count, out);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        out[i] = from[i * stride] ^ lift;
}

void integer_bytes_row(const struct integer_matrix *matrix, uint64_t row, uint8_t *out)
{
    for (uint64_t o = 0; o < matrix->outer; o++)
        integer_bytes_take(matrix->element, matrix->data,
                           row * matrix->row_stride + o * matrix->outer_stride,
                           matrix->inner_stride, matrix->inner, out + o * matrix->inner);
}

// Number k of a column, as it is.
static int32_t number_of(const struct integer_matrix *columns, uint64_t column, uint64_t k)
{
    const uint64_t at = column * columns->row_stride + k / columns->inner * columns->outer_stride +
                        k % columns->inner * columns->inner_stride;
    const bool is_unsigned = integer_bytes_lift(columns->element) == 0;
    return is_unsigned ? ((const uint8_t *)columns->data)[at] : ((const int8_t *)columns->data)[at];
}

// Whether the numbers of a column are i8 without its zero.
static bool fits_without_zero(const struct integer_matrix *columns, uint64_t depth, uint64_t column)
{
    const int64_t zero = integer_zero_of(columns->zeros, column);
    const bool is_unsigned = integer_bytes_lift(columns->element) == 0;
    if (zero == (is_unsigned ? 128 : 0))
        return true;
    for (uint64_t k = 0; k < depth; k++) {
        const int64_t number = number_of(columns, column, k) - zero;
        if (number < INT8_MIN || number > INT8_MAX)
            return false;
    }
    return true;
}

static void pack_column(const struct integer_matrix *columns, uint64_t column,
                        struct integer_packed *packed)
{
    const int32_t zero = integer_zero_of(columns->zeros, column);
    const bool fits = fits_without_zero(columns, packed->depth, column);
    const int32_t taken = fits ? zero : 128 - integer_bytes_lift(columns->element);
    char *to = packed->panels + column / PANEL * packed->lines * INTEGER_LINE + column % PANEL * 4;
    int64_t sum = 0;
    for (uint64_t k = 0; k < packed->depth; k++) {
        const int8_t number = (int8_t)(number_of(columns, column, k) - taken);
        to[k / 4 * INTEGER_LINE + k % 4] = number;
        sum += number;
    }
    packed->zeros[column] = (uint32_t)zero - (uint32_t)taken;
    packed->excess[column] = (uint32_t)sum - (uint32_t)packed->depth * packed->zeros[column];
}

bool integer_bytes_pack(const struct integer_matrix *columns, struct integer_packed *packed)
{
    const uint64_t padded = (columns->rows + PANEL - 1) / PANEL * PANEL;
    packed->excess = calloc(padded + 1, sizeof *packed->excess);
    packed->zeros = calloc(padded + 1, sizeof *packed->zeros);
    if (packed->excess == NULL || packed->zeros == NULL)
        return false;
    bool has_zeros = false;
    for (uint64_t column = 0; column < columns->rows; column++) {
        pack_column(columns, column, packed);
        has_zeros = has_zeros || packed->zeros[column] != 0;
    }
    if (!has_zeros) {
        free(packed->zeros);
        packed->zeros = NULL;
    }
    return true;
}

CORE_CLONES(uint32_t, sum_bytes, (const uint8_t *from, uint64_t count), (from, count))
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

CORE_CLONES(void, take_off,
            (const uint32_t *factors, uint64_t count, const uint32_t *numbers, integer_sums sums),
            (factors, count, numbers, sums))
{
    for (uint64_t r = 0; r < count; r++)
        for (uint64_t c = 0; c < PANEL; c++)
            sums[r][c] -= factors[r] * numbers[c];
}

void integer_bytes_factors(const struct integer_packed *packed, const struct integer_rows *rows,
                           uint64_t count, struct integer_factors *out_factors)
{
    out_factors->all_alike = true;
    for (uint64_t r = 0; r < count; r++) {
        const int32_t zero = integer_zero_of(rows->zeros, rows->first + r);
        out_factors->of_excess[r] = (uint32_t)zero + (uint32_t)rows->lift;
        out_factors->all_alike =
            out_factors->all_alike && out_factors->of_excess[r] == out_factors->of_excess[0];
    }
    for (uint64_t r = 0; packed->zeros != NULL && r < count; r++)
        out_factors->of_zeros[r] =
            sum_bytes((const uint8_t *)rows->data + r * rows->stride, packed->depth);
}

// Without the same numbers in each row.
CORE_CLONES(void, put_less,
            (integer_sums sums, uint64_t count, const uint32_t *numbers, int32_t *to,
             uint64_t stride),
            (sums, count, numbers, to, stride))
{
    for (uint64_t r = 0; r < count; r++, to += stride)
        for (uint64_t c = 0; c < PANEL; c++)
            to[c] = (int32_t)(sums[r][c] - numbers[c]);
}

void integer_bytes_settle(const struct integer_packed *packed,
                          const struct integer_factors *factors, const struct integer_part *part,
                          integer_sums sums)
{
    const uint32_t *excess = packed->excess + part->column;
    if (packed->zeros == NULL && factors->all_alike && part->width == PANEL) {
        uint32_t numbers[PANEL];
        for (uint64_t c = 0; c < PANEL; c++)
            numbers[c] = excess[c] * factors->of_excess[0];
        put_less(sums, part->count, numbers, part->sums, part->stride);
        return;
    }
    take_off(factors->of_excess + part->row, part->count, excess, sums);
    if (packed->zeros != NULL)
        take_off(factors->of_zeros + part->row, part->count, packed->zeros + part->column, sums);
    for (uint64_t r = 0; r < part->count; r++)
        memcpy(part->sums + r * part->stride, sums[r], part->width * sizeof *part->sums);
}
