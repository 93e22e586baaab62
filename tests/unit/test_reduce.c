// Reductions against one loop over all elements.

#include "kernels/core/extreme.h"
#include "kernels/core/reduce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

enum { MOST = 40000 };

// Where element `index` of `shape` goes when the axes are removed.
static uint64_t result_of(const struct shape *shape, const bool *axes, uint64_t index)
{
    uint64_t place = 0;
    uint64_t stride = 1;
    for (uint32_t axis = shape->rank; axis-- > 0;) {
        const uint64_t length = (uint64_t)shape->dims[axis];
        if (!axes[axis]) {
            place += index % length * stride;
            stride *= length;
        }
        index /= length;
    }
    return place;
}

static struct shape random_case(unsigned *seed, bool *axes, struct shape *out_shape)
{
    struct shape shape = {.rank = (uint32_t)(rand_r(seed) % 6)};
    *out_shape = (struct shape){0};
    for (uint32_t i = 0; i < shape.rank; i++) {
        shape.dims[i] = 1 + rand_r(seed) % 5;
        if (rand_r(seed) % 12 == 0)
            shape.dims[i] = rand_r(seed) % 2 == 0 ? 0 : 300;
    }
    while (shape_count(&shape) > MOST)
        shape.dims[--shape.rank] = 0;
    for (uint32_t i = 0; i < shape.rank; i++) {
        axes[i] = rand_r(seed) % 2 == 0;
        if (!axes[i])
            out_shape->dims[out_shape->rank++] = shape.dims[i];
    }
    return shape;
}

static double reference_start(enum reduce_kind kind)
{
    switch (kind) {
    case REDUCE_MAX:
        return -INFINITY;
    case REDUCE_MIN:
        return INFINITY;
    case REDUCE_PRODUCT:
        return 1;
    default:
        return 0;
    }
}

static double reference_step(enum reduce_kind kind, double sum, double x)
{
    switch (kind) {
    case REDUCE_MAX:
        return fmax(sum, x);
    case REDUCE_MIN:
        return fmin(sum, x);
    case REDUCE_PRODUCT:
        return sum * x;
    case REDUCE_L1:
        return sum + fabs(x);
    case REDUCE_L2:
    case REDUCE_SUM_SQUARE:
        return sum + x * x;
    case REDUCE_LOG_SUM_EXP:
        return sum + exp(x);
    default:
        return sum + x;
    }
}

static double reference_end(enum reduce_kind kind, double sum, double count)
{
    switch (kind) {
    case REDUCE_MEAN:
        return sum / count;
    case REDUCE_L2:
        return sqrt(sum);
    case REDUCE_LOG_SUM:
    case REDUCE_LOG_SUM_EXP:
        return log(sum);
    default:
        return sum;
    }
}

static void assert_near(double got, double want)
{
    if (isnan(want) || isinf(want) || want == 0)
        assert_true(isnan(want) ? isnan(got) : fabs(got - want) < 1e-6 || got == want);
    else
        assert_true(fabs(got - want) <= 1e-6 * fabs(want) + 1e-6);
}

static void every_kind_agrees_with_a_plain_loop(void **state)
{
    (void)state;
    static float in[MOST], out[MOST];
    static double want[MOST];
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 2000; round++) {
        unsigned seed = round;
        bool axes[SHAPE_RANK_MOST];
        struct shape out_shape;
        const struct shape shape = random_case(&seed, axes, &out_shape);
        const enum reduce_kind kind = (enum reduce_kind)(round % 10);
        const uint64_t count = shape_count(&shape);
        const uint64_t results = shape_count(&out_shape);
        for (uint64_t i = 0; i < count; i++)
            in[i] = 0.9f + (float)(rand_r(&seed) % 1000) / 5000;
        for (uint64_t i = 0; i < results; i++)
            want[i] = reference_start(kind);
        for (uint64_t i = 0; i < count; i++) {
            double *sum = &want[result_of(&shape, axes, i)];
            *sum = reference_step(kind, *sum, (double)in[i]);
        }
        reduce_run(parallel, &(struct tensor){ELEMENT_F32, shape, in}, axes, kind,
                   &(struct tensor){ELEMENT_F32, out_shape, out});
        for (uint64_t i = 0; i < results; i++)
            assert_near((double)out[i],
                        reference_end(kind, want[i], (double)count / (double)results));
    }
    parallel_free(parallel);
}

// All of `in`, of `count` elements.
static void reduce_all(enum element element, const void *in, int64_t count, enum reduce_kind kind,
                       void *out)
{
    const bool axes[1] = {true};
    struct parallel *parallel = parallel_create(1);
    reduce_run(parallel, &(struct tensor){element, {1, {count}}, (void *)in}, axes, kind,
               &(struct tensor){element, {0, {0}}, out});
    parallel_free(parallel);
}

static void integers_are_exact_and_wrap_around(void **state)
{
    (void)state;
    const int32_t large[3] = {INT32_MAX, INT32_MAX, 4};
    int32_t sum;
    reduce_all(ELEMENT_I32, large, 3, REDUCE_SUM, &sum);
    assert_int_equal(sum, 2);
    const int64_t odd[2] = {(INT64_C(1) << 60) + 1, 1};
    int64_t exact;
    reduce_all(ELEMENT_I64, odd, 2, REDUCE_SUM, &exact);
    assert_int_equal(exact, (INT64_C(1) << 60) + 2);
    const uint64_t naturals[3] = {1, UINT64_MAX, 5};
    uint64_t natural;
    reduce_all(ELEMENT_U64, naturals, 3, REDUCE_MAX, &natural);
    assert_true(natural == UINT64_MAX);
    reduce_all(ELEMENT_U64, naturals, 3, REDUCE_MIN, &natural);
    assert_true(natural == 1);
    const int8_t lowest[1] = {INT8_MIN};
    int8_t byte;
    reduce_all(ELEMENT_I8, lowest, 1, REDUCE_L1, &byte);
    assert_int_equal(byte, INT8_MIN);
    const int64_t negative[2] = {-3, -4};
    reduce_all(ELEMENT_I64, negative, 2, REDUCE_MEAN, &exact);
    assert_int_equal(exact, -3);
}

static void nothing_reduced_gives_the_neutral_value(void **state)
{
    (void)state;
    const float none[1] = {0};
    float real;
    reduce_all(ELEMENT_F32, none, 0, REDUCE_SUM, &real);
    assert_true(real == 0);
    reduce_all(ELEMENT_F32, none, 0, REDUCE_PRODUCT, &real);
    assert_true(real == 1);
    reduce_all(ELEMENT_F32, none, 0, REDUCE_MAX, &real);
    assert_true(real == -INFINITY);
    reduce_all(ELEMENT_F32, none, 0, REDUCE_LOG_SUM_EXP, &real);
    assert_true(real == -INFINITY);
    int8_t byte;
    reduce_all(ELEMENT_I8, none, 0, REDUCE_MAX, &byte);
    assert_int_equal(byte, INT8_MIN);
    reduce_all(ELEMENT_I8, none, 0, REDUCE_MIN, &byte);
    assert_int_equal(byte, INT8_MAX);
    uint64_t natural;
    reduce_all(ELEMENT_U64, none, 0, REDUCE_MIN, &natural);
    assert_true(natural == UINT64_MAX);
    uint8_t truth;
    reduce_all(ELEMENT_BOOL, none, 0, REDUCE_MIN, &truth);
    assert_int_equal(truth, 1);
}

static void nan_wins_and_infinities_do_not_become_nan(void **state)
{
    (void)state;
    float out;
    reduce_all(ELEMENT_F32, (float[]){1, NAN, 2}, 3, REDUCE_MAX, &out);
    assert_true(isnan(out));
    reduce_all(ELEMENT_F32, (float[]){1, NAN, 2}, 3, REDUCE_MIN, &out);
    assert_true(isnan(out));
    reduce_all(ELEMENT_F32, (float[]){-INFINITY, -INFINITY}, 2, REDUCE_LOG_SUM_EXP, &out);
    assert_true(out == -INFINITY);
    reduce_all(ELEMENT_F32, (float[]){1000, 1000}, 2, REDUCE_LOG_SUM_EXP, &out);
    assert_true(fabsf(out - 1000.6931f) < 1e-3f);
}

static void the_place_of_the_extreme_agrees_with_a_plain_search(void **state)
{
    (void)state;
    static int16_t in[MOST];
    static int64_t out[MOST];
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 500; round++) {
        unsigned seed = round;
        const struct shape shape = {
            3, {1 + rand_r(&seed) % 5, 1 + rand_r(&seed) % 400, 1 + rand_r(&seed) % 5}};
        const uint32_t axis = (uint32_t)rand_r(&seed) % 3;
        const bool largest = rand_r(&seed) % 2 == 0;
        const bool last = rand_r(&seed) % 2 == 0;
        struct shape kept = shape;
        kept.dims[axis] = 1;
        const uint64_t length = (uint64_t)shape.dims[axis];
        const uint64_t inner = shape_count_between(&shape, axis + 1, 3);
        for (uint64_t i = 0; i < shape_count(&shape); i++)
            in[i] = (int16_t)(rand_r(&seed) % 9 - 4);
        extreme_find(parallel, &(struct tensor){ELEMENT_I16, shape, in}, axis, largest, last,
                     &(struct tensor){ELEMENT_I64, kept, out});
        for (uint64_t i = 0; i < shape_count(&kept); i++) {
            const int16_t *first = in + i / inner * inner * length + i % inner;
            uint64_t best = 0;
            for (uint64_t k = 1; k < length; k++) {
                const int difference = first[k * inner] - first[best * inner];
                if ((largest ? difference : -difference) > 0 || (last && difference == 0))
                    best = k;
            }
            assert_int_equal(out[i], best);
        }
    }
    parallel_free(parallel);
}

static void the_extreme_of_reals_is_the_first_nan(void **state)
{
    (void)state;
    const float in[5] = {1, NAN, INFINITY, NAN, -INFINITY};
    const double zeros[3] = {-0.0, 0.0, -0.0};
    int64_t out;
    struct parallel *parallel = parallel_create(1);
    const struct tensor result = {ELEMENT_I64, {0, {0}}, &out};
    extreme_find(parallel, &(struct tensor){ELEMENT_F32, {1, {5}}, (void *)in}, 0, true, false,
                 &result);
    assert_int_equal(out, 1);
    extreme_find(parallel, &(struct tensor){ELEMENT_F32, {1, {5}}, (void *)in}, 0, false, true,
                 &result);
    assert_int_equal(out, 3);
    extreme_find(parallel, &(struct tensor){ELEMENT_F64, {1, {3}}, (void *)zeros}, 0, true, false,
                 &result);
    assert_int_equal(out, 0);
    const uint64_t naturals[3] = {5, UINT64_MAX, 0};
    extreme_find(parallel, &(struct tensor){ELEMENT_U64, {1, {3}}, (void *)naturals}, 0, false,
                 false, &result);
    assert_int_equal(out, 2);
    parallel_free(parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_agrees_with_a_plain_loop),
        cmocka_unit_test(integers_are_exact_and_wrap_around),
        cmocka_unit_test(nothing_reduced_gives_the_neutral_value),
        cmocka_unit_test(nan_wins_and_infinities_do_not_become_nan),
        cmocka_unit_test(the_place_of_the_extreme_agrees_with_a_plain_search),
        cmocka_unit_test(the_extreme_of_reals_is_the_first_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
