// Random inputs: the same everywhere, within what the header promises.

#include "network/tensor_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 4096 };

static struct datum *make(enum element element, uint64_t seed, uint64_t input)
{
    const struct shape shape = {1, {COUNT}};
    struct datum *datum;
    assert_ptr_equal(datum_tensor(element, &shape, &datum), STATUS_OK);
    tensor_random_fill(&datum->tensor, seed, input);
    return datum;
}

// Computed once with an implementation of the formula in Python.
static void the_numbers_are_those_of_the_formula(void **state)
{
    (void)state;
    struct datum *datum = make(ELEMENT_U16, 1, 2);
    const uint16_t *items = datum->tensor.data;
    assert_int_equal(items[0], 23559);
    assert_int_equal(items[1], 43289);
    assert_int_equal(items[COUNT - 1], 11702);
    datum_release(datum);
}

static void seeds_and_inputs_differ(void **state)
{
    (void)state;
    struct datum *one = make(ELEMENT_F32, 1, 0);
    struct datum *same = make(ELEMENT_F32, 1, 0);
    struct datum *other_seed = make(ELEMENT_F32, 2, 0);
    struct datum *other_input = make(ELEMENT_F32, 1, 1);
    const size_t size = COUNT * sizeof(float);
    assert_memory_equal(one->tensor.data, same->tensor.data, size);
    assert_memory_not_equal(one->tensor.data, other_seed->tensor.data, size);
    assert_memory_not_equal(one->tensor.data, other_input->tensor.data, size);
    datum_release(one);
    datum_release(same);
    datum_release(other_seed);
    datum_release(other_input);
}

static void reals_fill_the_range_from_minus_one_to_one(void **state)
{
    (void)state;
    for (int element = 1; element < ELEMENT_COUNT; element++) {
        if (!element_is_float((enum element)element))
            continue;
        struct datum *datum = make((enum element)element, 5, 0);
        const struct constant constant = {.tensor = datum->tensor};
        double sum = 0;
        double low = 0;
        double high = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            const double real = constant_real(&constant, i);
            assert_true(real >= -1 && real < 1);
            sum += real;
            low = real < low ? real : low;
            high = real > high ? real : high;
        }
        assert_true(low < -0.95 && high >= 0.75);
        // The grid of a type with few digits reaches -1 but not 1.
        assert_true(sum / COUNT > -0.2 && sum / COUNT < 0.05);
        datum_release(datum);
    }
}

static void integers_keep_to_their_range(void **state)
{
    (void)state;
    for (int element = 1; element < ELEMENT_COUNT; element++) {
        if (!element_is_integer((enum element)element) && element != ELEMENT_BOOL)
            continue;
        struct datum *datum = make((enum element)element, 5, 0);
        const struct constant constant = {.tensor = datum->tensor};
        const bool narrow = element != ELEMENT_BOOL && element_bits((enum element)element) <= 16;
        const int64_t lowest = narrow ? element_lowest((enum element)element) : 0;
        const int64_t highest = narrow ? element_highest((enum element)element) : 1;
        int64_t least = highest;
        int64_t most = lowest;
        for (uint64_t i = 0; i < COUNT; i++) {
            const int64_t number = constant_integer(&constant, i);
            assert_in_range(number - lowest, 0, highest - lowest);
            least = number < least ? number : least;
            most = number > most ? number : most;
        }
        assert_true(least <= lowest + (highest - lowest) / 50);
        assert_true(most >= highest - (highest - lowest) / 50);
        datum_release(datum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_those_of_the_formula),
        cmocka_unit_test(seeds_and_inputs_differ),
        cmocka_unit_test(reals_fill_the_range_from_minus_one_to_one),
        cmocka_unit_test(integers_keep_to_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
