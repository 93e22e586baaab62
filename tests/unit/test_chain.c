// Chains of elementwise operators against the same numbers one at a time.

#include "kernels/core/chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLACES = 1000, PERIOD = 7 };

static void fill(float *numbers, uint64_t count, unsigned seed)
{
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = (float)(rand_r(&seed) % 2001 - 1000) / 97.0F;
}

static float one(const struct chain_step *step, float x, float y)
{
    switch (step->operation) {
    case CHAIN_ADD:
        return x + y;
    case CHAIN_SUBTRACT:
        return x - y;
    case CHAIN_MULTIPLY:
        return x * y;
    case CHAIN_DIVIDE:
        return x / y;
    case CHAIN_LEAST:
        return fminf(x, y);
    case CHAIN_GREATEST:
        return fmaxf(x, y);
    case CHAIN_CLIP:
        return fminf(fmaxf(x, step->a), step->b);
    case CHAIN_LEAKY:
        return x < 0 ? step->a * x : x;
    case CHAIN_LINEAR:
        return (x - step->b) * step->a;
    case CHAIN_HARD:
        return fminf(fmaxf(step->a * x + step->b, 0), 1);
    case CHAIN_HARD_SWISH:
        return fminf(fmaxf(x / 6 + 0.5F, 0), 1) * x;
    case CHAIN_QUANTIZE:
        return rintf(fminf(fmaxf(x / step->a, step->low), step->high)) + step->b;
    case CHAIN_SIGMOID:
        return 1 / (1 + expf(-x));
    case CHAIN_TANH:
        return tanhf(x);
    case CHAIN_ERF:
        return erff(x);
    case CHAIN_EXP:
        return expf(x);
    case CHAIN_SQRT:
        return sqrtf(x);
    case CHAIN_ABSOLUTE:
        return fabsf(x);
    case CHAIN_NEGATE:
        return -x;
    case CHAIN_SQUARE:
        return x * x;
    case CHAIN_CUBE:
        return x * x * x;
    default:
        return 1 / x;
    }
}

static void assert_close(float got, float want)
{
    if (isnan(want))
        assert_true(isnan(got));
    else if (got != want)
        assert_true(fabsf(got - want) <= 1e-5F * fabsf(want) + 1e-6F);
}

static void every_operation_computes_what_it_says(void **state)
{
    (void)state;
    float x[PLACES], y[PERIOD], got[PLACES];
    fill(x, PLACES, 1);
    fill(y, PERIOD, 2);
    for (enum chain_operation operation = CHAIN_ADD; operation <= CHAIN_CUBE; operation++) {
        struct chain chain = {.result = ELEMENT_F32};
        chain_add_input(&chain, ELEMENT_F32, 0);
        chain_add_input(&chain, ELEMENT_F32, PERIOD);
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ, .left = 0});
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ, .left = 1});
        const struct chain_step step = {.operation = operation,
                                        .left = 0,
                                        .right = 1,
                                        .a = 0.3F,
                                        .b = 2,
                                        .low = -20,
                                        .high = 20};
        chain_add_step(&chain, step);
        assert_true(chain_finish(&chain));
        chain_run(&chain, (const void *const[]){x, y}, got, 0, PLACES);
        for (int i = 0; i < PLACES; i++)
            assert_close(got[i], one(&step, x[i], y[i % PERIOD]));
    }
}

// What QuantizeLinear gives, also where the quotient is exactly between two integers.
static void integers_are_those_of_a_division(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    float *x = malloc(MANY * sizeof *x);
    uint8_t *got = malloc(MANY);
    unsigned seed = 3;
    for (int round = 0; round < 20; round++) {
        const float scale = (float)(rand_r(&seed) % 1000 + 1) / 7777.0F;
        for (int i = 0; i < MANY; i++)
            x[i] = (float)(rand_r(&seed) % 600 - 50) * scale / 2;
        struct chain chain = {.result = ELEMENT_U8};
        chain_add_input(&chain, ELEMENT_F32, 0);
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ});
        chain_add_step(
            &chain, (struct chain_step){
                        .operation = CHAIN_QUANTIZE, .a = scale, .b = 3, .low = -3, .high = 252});
        assert_true(chain_finish(&chain));
        chain_run(&chain, (const void *const[]){x}, got, 0, MANY);
        for (int i = 0; i < MANY; i++) {
            const float within = fminf(fmaxf(x[i] / scale, -3), 252);
            assert_int_equal(got[i], (int)rintf(within) + 3);
        }
    }
    free(x);
    free(got);
}

// x sigmoid(x) + bytes, in place, by any number of threads.
static void chains_run_in_place_and_in_pieces(void **state)
{
    (void)state;
    enum { MANY = 100003 };
    float *x = malloc(MANY * sizeof *x);
    float *want = malloc(MANY * sizeof *want);
    int8_t *bytes = malloc(MANY);
    for (unsigned threads = 1; threads <= 3; threads++) {
        fill(x, MANY, 5);
        for (int i = 0; i < MANY; i++) {
            bytes[i] = (int8_t)(i % 256 - 128);
            want[i] = x[i] * (1 / (1 + expf(-x[i]))) + (float)bytes[i];
        }
        struct chain chain = {.result = ELEMENT_F32};
        chain_add_input(&chain, ELEMENT_F32, 0);
        chain_add_input(&chain, ELEMENT_I8, 0);
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ, .left = 0});
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_SIGMOID, .left = 0});
        chain_add_step(&chain,
                       (struct chain_step){.operation = CHAIN_MULTIPLY, .left = 0, .right = 1});
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ, .left = 1});
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_ADD, .left = 2, .right = 3});
        assert_true(chain_finish(&chain));
        struct parallel *parallel = parallel_create(threads);
        chain_run_all(&chain, (const void *const[]){x, bytes}, x, MANY, parallel);
        parallel_free(parallel);
        for (int i = 0; i < MANY; i++)
            assert_close(x[i], want[i]);
    }
    free(x);
    free(want);
    free(bytes);
}

static void what_has_no_room_is_refused(void **state)
{
    (void)state;
    struct chain chain = {.result = ELEMENT_F32};
    for (int i = 0; i < CHAIN_INPUTS_MOST; i++)
        assert_int_equal(chain_add_input(&chain, ELEMENT_F32, 0), i);
    assert_int_equal(chain_add_input(&chain, ELEMENT_F32, 0), UINT32_MAX);
    for (int i = 0; i < CHAIN_STEPS_MOST; i++)
        assert_int_equal(chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ}), i);
    assert_int_equal(chain_add_step(&chain, (struct chain_step){0}), UINT32_MAX);
    // More numbers that are needed at the end than there are registers.
    struct chain wide = {.result = ELEMENT_F32};
    chain_add_input(&wide, ELEMENT_U8, 0);
    for (uint32_t i = 0; i < CHAIN_REGISTERS + 1; i++)
        chain_add_step(&wide, (struct chain_step){.operation = CHAIN_READ});
    for (uint32_t i = 0; i < CHAIN_REGISTERS; i++)
        chain_add_step(&wide, (struct chain_step){.operation = CHAIN_ADD,
                                                  .left = (uint8_t)(CHAIN_REGISTERS - i),
                                                  .right = 0});
    assert_false(chain_finish(&wide));
}

// Some columns of a matrix, against the same chain over each of its lines alone.
static void check_lines(uint64_t width, enum element result)
{
    enum { LINES = 9, STRIDE = 600, FROM = 40 };
    static float made[LINES * STRIDE], other[LINES * STRIDE], row[STRIDE];
    static float want[LINES * STRIDE], got[LINES * STRIDE];
    const float number = 0.75F;
    fill(made, LINES * STRIDE, 1);
    fill(other, LINES * STRIDE, 2);
    fill(row, STRIDE, 3);
    fill(want, LINES * STRIDE, 4);
    memcpy(got, want, sizeof got);
    struct chain chain = {.result = result};
    const uint64_t periods[] = {0, STRIDE, 1, 0};
    for (uint32_t i = 0; i < 4; i++) {
        chain_add_input(&chain, ELEMENT_F32, periods[i]);
        chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ, .left = (uint8_t)i});
    }
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_ADD, .left = 0, .right = 1});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_SUBTRACT, .left = 2, .right = 4});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_DIVIDE, .left = 5, .right = 2});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_MULTIPLY, .left = 3, .right = 6});
    if (result != ELEMENT_F32)
        chain_add_step(
            &chain,
            (struct chain_step){
                .operation = CHAIN_QUANTIZE, .left = 7, .a = 0.5F, .low = -128, .high = 127});
    assert_true(chain_finish(&chain));
    const size_t size = element_size(result);
    for (uint64_t i = 0; i < LINES; i++) {
        const void *inputs[] = {made + i * width, row + FROM, &number, other + i * STRIDE + FROM};
        chain_run(&chain, inputs, (char *)want + (i * STRIDE + FROM) * size, 0, width);
    }
    const void *inputs[] = {made, row + FROM, &number, other + FROM};
    chain_run_lines(&chain, inputs, (char *)got + FROM * size,
                    &(struct chain_lines){LINES, width, STRIDE});
    assert_memory_equal(got, want, sizeof got);
}

static void lines_are_what_each_is_alone(void **state)
{
    (void)state;
    const uint64_t widths[] = {1, 7, 64, 100, 256, 257, 500};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        check_lines(widths[i], ELEMENT_F32);
        check_lines(widths[i], ELEMENT_I8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_computes_what_it_says),
        cmocka_unit_test(integers_are_those_of_a_division),
        cmocka_unit_test(chains_run_in_place_and_in_pieces),
        cmocka_unit_test(what_has_no_room_is_refused),
        cmocka_unit_test(lines_are_what_each_is_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
