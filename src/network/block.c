#include "block.h"

#include "real.h"

enum { FLOAT_BITS = 24 }; // of a float's mantissa, with the one that is not written

// Bits of a number without its sign.
static unsigned bits_of(enum element element)
{
    return element == ELEMENT_BFP8_B ? 7 : 3;
}

static uint64_t tiles_along(const struct shape *shape, uint32_t from_last)
{
    if (shape->rank < from_last)
        return 1;
    return ((uint64_t)shape->dims[shape->rank - from_last] + BLOCK_TILE - 1) / BLOCK_TILE;
}

uint64_t block_bytes(enum element element, const struct shape *shape)
{
    const uint64_t numbers = (uint64_t)BLOCK_TILE * BLOCK_TILE;
    const uint64_t tile = numbers * (bits_of(element) + 1) / 8 + numbers / BLOCK_SIZE;
    const uint64_t planes = shape->rank > 2 ? shape_count_between(shape, 0, shape->rank - 2) : 1;
    return planes * tiles_along(shape, 2) * tiles_along(shape, 1) * tile;
}

static uint32_t exponent_of(float real)
{
    return real_bits(real) >> 23 & 0xff;
}

// A number of a block as bf16.
static uint16_t round_number(float real, uint32_t shared, unsigned bits)
{
    const uint32_t exponent = exponent_of(real);
    const uint32_t drop = FLOAT_BITS - bits;
    const uint32_t shift = shared - exponent;
    if (exponent == 0 || shift >= FLOAT_BITS)
        return 0;
    const uint32_t mantissa = ((real_bits(real) & 0x7fffff) | 0x800000) >> shift;
    const uint32_t rest = mantissa & ((1u << drop) - 1);
    const uint32_t half = 1u << (drop - 1);
    uint32_t number = mantissa >> drop;
    number += rest > half || (rest == half && (number & 1) != 0);
    number -= number >> bits; // no more than the largest
    if (number == 0)
        return 0;
    const uint32_t zeros = (uint32_t)__builtin_clz(number) - (32 - bits); // in front of its bits
    const uint32_t fraction = number << (zeros + 8 - bits) & 0x7f;
    return (uint16_t)((real_bits(real) >> 31) << 15 | (shared - zeros) << 7 | fraction);
}

static void round_block(const float *from, uint16_t *to, uint64_t count, unsigned bits)
{
    uint32_t shared = 0;
    for (uint64_t i = 0; i < count; i++)
        shared = exponent_of(from[i]) > shared ? exponent_of(from[i]) : shared;
    for (uint64_t i = 0; i < count; i++)
        to[i] = round_number(from[i], shared, bits);
}

static uint64_t columns_of(const struct shape *shape)
{
    return shape->rank > 0 ? (uint64_t)shape->dims[shape->rank - 1] : 1;
}

static uint64_t size_of_block(uint64_t column, uint64_t columns)
{
    return columns - column < BLOCK_SIZE ? columns - column : BLOCK_SIZE;
}

void block_round_floats(enum element element, const struct shape *shape, const float *from,
                        uint16_t *to)
{
    const uint64_t count = shape_count(shape);
    const uint64_t columns = columns_of(shape);
    for (uint64_t row = 0; row < count; row += columns) {
        for (uint64_t i = 0; i < columns; i += BLOCK_SIZE)
            round_block(from + row + i, to + row + i, size_of_block(i, columns), bits_of(element));
    }
}

void block_round(const struct tensor *tensor)
{
    uint16_t *numbers = tensor->data;
    const uint64_t count = tensor_count(tensor);
    const uint64_t columns = columns_of(&tensor->shape);
    for (uint64_t row = 0; row < count; row += columns) {
        for (uint64_t i = 0; i < columns; i += BLOCK_SIZE) {
            float block[BLOCK_SIZE];
            const uint64_t size = size_of_block(i, columns);
            for (uint64_t k = 0; k < size; k++)
                block[k] = real_from_bf16(numbers[row + i + k]);
            round_block(block, numbers + row + i, size, bits_of(tensor->element));
        }
    }
}
