// Conversions between number types against one-by-one references.

#include "kernels/core/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "network/real.h"

static void every_f16_becomes_the_f32_that_it_is_and_back(void **state)
{
    (void)state;
    static uint16_t halves[65536], back[65536];
    static float singles[65536];
    for (uint32_t i = 0; i < 65536; i++)
        halves[i] = (uint16_t)i;
    convert_to_f32(ELEMENT_F16, halves, singles, 65536);
    convert_from_f32(ELEMENT_F16, singles, back, 65536);
    for (uint32_t i = 0; i < 65536; i++) {
        const float want = real_from_f16((uint16_t)i);
        assert_true(isnan(want) ? isnan(singles[i]) : real_bits(want) == real_bits(singles[i]));
        assert_true(isnan(want) ? (back[i] & 0x7fff) > 0x7c00 : back[i] == i);
    }
}

// A sample of all floats, dense around the numbers that f16 can hold.
static void f32_to_f16_rounds_as_one_by_one(void **state)
{
    (void)state;
    enum { PART = 4096 };
    float in[PART];
    uint16_t out[PART];
    uint32_t bits = 0;
    for (int round = 0; round < 512; round++) {
        for (int i = 0; i < PART; i++, bits += 2039)
            in[i] = real_from_bits(bits);
        convert_from_f32(ELEMENT_F16, in, out, PART);
        for (int i = 0; i < PART; i++) {
            const uint16_t want = real_to_f16(in[i]);
            assert_true(isnan(in[i]) ? (out[i] & 0x7fff) > 0x7c00 : out[i] == want);
        }
    }
    for (uint32_t half = 0; half < 0x7c00; half++) {
        const float middle =
            (real_from_f16((uint16_t)half) + real_from_f16((uint16_t)(half + 1))) / 2;
        const float around[3] = {nextafterf(middle, 0), middle, nextafterf(middle, INFINITY)};
        convert_from_f32(ELEMENT_F16, around, out, 3);
        for (int i = 0; half < 0x7bff && i < 3; i++)
            assert_int_equal(out[i], real_to_f16(around[i]));
    }
}

static void doubles_are_rounded_once(void **state)
{
    (void)state;
    // Just above the middle between two bf16 numbers: by way of f32 it would be
    // the middle itself and go down to even.
    const double reals[2] = {1 + 0x1p-8 + 0x1p-40, -(1 + 0x1p-8 + 0x1p-40)};
    uint16_t out[2];
    convert_row(ELEMENT_F64, reals, ELEMENT_BF16, out, 2, true);
    assert_int_equal(out[0], 0x3f81);
    assert_int_equal(out[1], 0xbf81);
    const double f16_reals[2] = {1 + 0x1p-11 + 0x1p-40, 1e300};
    convert_row(ELEMENT_F64, f16_reals, ELEMENT_F16, out, 2, true);
    assert_int_equal(out[0], 0x3c01);
    assert_int_equal(out[1], 0x7c00);
    const int64_t integers[1] = {(INT64_C(1) << 62) + (INT64_C(1) << 54) + 1};
    convert_row(ELEMENT_I64, integers, ELEMENT_BF16, out, 1, true);
    assert_int_equal(out[0], 0x5e81);
    const int64_t f32_integers[1] = {(INT64_C(1) << 62) + (INT64_C(1) << 38) + 1};
    float single;
    convert_row(ELEMENT_I64, f32_integers, ELEMENT_F32, &single, 1, true);
    assert_true(single == 0x1p62f + 0x1p39f);
}

static void reals_that_do_not_fit_an_integer_have_a_defined_result(void **state)
{
    (void)state;
    const float in[8] = {NAN, INFINITY, -INFINITY, 3e9f, -3e9f, 300.7f, -1.9f, 2e19f};
    int32_t i32[8];
    int64_t i64[8];
    uint32_t u32[8];
    uint64_t u64[8];
    uint8_t u8[8];
    convert_row(ELEMENT_F32, in, ELEMENT_I32, i32, 8, true);
    convert_row(ELEMENT_F32, in, ELEMENT_I64, i64, 8, true);
    convert_row(ELEMENT_F32, in, ELEMENT_U32, u32, 8, true);
    convert_row(ELEMENT_F32, in, ELEMENT_U64, u64, 8, true);
    convert_row(ELEMENT_F32, in, ELEMENT_U8, u8, 8, true);
    const int32_t want_i32[8] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN,
                                 INT32_MIN, 300,       -1,        INT32_MIN};
    const int64_t want_i64[8] = {INT64_MIN,   INT64_MIN, INT64_MIN, 3000000000,
                                 -3000000000, 300,       -1,        INT64_MIN};
    const uint32_t want_u32[8] = {0, 0, 0, 3000000000u, 1294967296u, 300, UINT32_MAX, 0};
    const uint8_t want_u8[8] = {0, 0, 0, 0, 0, 44, 255, 0};
    assert_memory_equal(i32, want_i32, sizeof want_i32);
    assert_memory_equal(i64, want_i64, sizeof want_i64);
    assert_memory_equal(u32, want_u32, sizeof want_u32);
    assert_memory_equal(u8, want_u8, sizeof want_u8);
    assert_true(u64[6] == UINT64_MAX && u64[3] == 3000000000u && u64[7] == 0);
}

static void integers_keep_their_low_bits_and_small_ones_are_clamped(void **state)
{
    (void)state;
    const int64_t in[4] = {-1, 300, 7, INT64_MIN};
    int8_t i8[4], i4[4];
    uint16_t u16[4];
    uint8_t u4[4], truth[4];
    convert_row(ELEMENT_I64, in, ELEMENT_I8, i8, 4, true);
    convert_row(ELEMENT_I64, in, ELEMENT_U16, u16, 4, true);
    convert_row(ELEMENT_I64, in, ELEMENT_I4, i4, 4, true);
    convert_row(ELEMENT_I64, in, ELEMENT_U4, u4, 4, true);
    convert_row(ELEMENT_I64, in, ELEMENT_BOOL, truth, 4, true);
    assert_memory_equal(i8, ((int8_t[]){-1, 44, 7, 0}), 4);
    assert_memory_equal(u16, ((uint16_t[]){65535, 300, 7, 0}), 8);
    assert_memory_equal(i4, ((int8_t[]){-1, 7, 7, -8}), 4);
    assert_memory_equal(u4, ((uint8_t[]){0, 15, 7, 0}), 4);
    assert_memory_equal(truth, ((uint8_t[]){1, 1, 1, 1}), 4);
    const uint64_t large[1] = {UINT64_MAX};
    double real;
    convert_row(ELEMENT_U64, large, ELEMENT_F64, &real, 1, true);
    assert_true(real == 0x1p64);
}

// Through every pair and back: what the narrower type can hold comes back.
static void small_whole_numbers_survive_every_pair_of_types(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    uint8_t start[COUNT], end[COUNT];
    char from_bytes[COUNT * 8], to_bytes[COUNT * 8];
    for (int i = 0; i < COUNT; i++)
        start[i] = (uint8_t)(i % 8);
    for (int from = 1; from < ELEMENT_COUNT; from++) {
        for (int to = 1; to < ELEMENT_COUNT; to++) {
            if (!convert_knows((enum element)from) || !convert_knows((enum element)to))
                continue;
            convert_row(ELEMENT_U8, start, (enum element)from, from_bytes, COUNT, true);
            convert_row((enum element)from, from_bytes, (enum element)to, to_bytes, COUNT, true);
            convert_row((enum element)to, to_bytes, ELEMENT_U8, end, COUNT, true);
            const bool truth = from == ELEMENT_BOOL || to == ELEMENT_BOOL;
            for (int i = 0; i < COUNT; i++)
                assert_int_equal(end[i], truth ? start[i] != 0 : start[i]);
        }
    }
}

static void eight_bit_floats_saturate_when_asked(void **state)
{
    (void)state;
    const double in[3] = {1e6, -1e6, NAN};
    uint8_t out[3];
    convert_row(ELEMENT_F64, in, ELEMENT_F8E4M3FN, out, 3, true);
    assert_memory_equal(out, ((uint8_t[]){0x7e, 0xfe, 0x7f}), 3);
    convert_row(ELEMENT_F64, in, ELEMENT_F8E5M2, out, 3, false);
    assert_memory_equal(out, ((uint8_t[]){0x7c, 0xfc, 0x7f}), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_becomes_the_f32_that_it_is_and_back),
        cmocka_unit_test(f32_to_f16_rounds_as_one_by_one),
        cmocka_unit_test(doubles_are_rounded_once),
        cmocka_unit_test(reals_that_do_not_fit_an_integer_have_a_defined_result),
        cmocka_unit_test(integers_keep_their_low_bits_and_small_ones_are_clamped),
        cmocka_unit_test(small_whole_numbers_survive_every_pair_of_types),
        cmocka_unit_test(eight_bit_floats_saturate_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
