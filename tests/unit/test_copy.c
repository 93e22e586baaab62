// Copies against a loop that visits one place after the other.

#include "kernels/core/copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 3000, BYTES = 1 << 16 };

static void copy_slowly(const struct copy *copy, uint32_t dimension, const char *source,
                        char *target)
{
    if (dimension == copy->rank) {
        memcpy(target, source, copy->size);
        return;
    }
    for (int64_t i = 0; i < (int64_t)copy->lengths[dimension]; i++)
        copy_slowly(copy, dimension + 1,
                    source + i * copy->source_steps[dimension] * (int64_t)copy->size,
                    target + i * copy->target_steps[dimension] * (int64_t)copy->size);
}

static void shuffle(uint32_t *order, uint32_t count, unsigned *seed)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        const uint32_t j = (uint32_t)rand_r(seed) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

// Lays the dimensions out in a random order, some with gaps, some backwards.
// Returns where the box begins.
static int64_t lay_out(const struct copy *copy, int64_t *steps, bool repeated, unsigned *seed)
{
    uint32_t order[COPY_RANK_MOST];
    shuffle(order, copy->rank, seed);
    int64_t step = 1, first = 0;
    for (uint32_t i = 0; i < copy->rank; i++) {
        const uint32_t d = order[i];
        const int64_t length = (int64_t)copy->lengths[d];
        if (repeated && rand_r(seed) % 4 == 0) {
            steps[d] = 0;
            continue;
        }
        step *= rand_r(seed) % 5 == 0 ? 2 : 1;
        steps[d] = rand_r(seed) % 4 == 0 ? -step : step;
        first += steps[d] < 0 && length > 0 ? step * (length - 1) : 0;
        step *= length > 0 ? length : 1;
    }
    return first;
}

static void any_box_agrees_with_the_slow_loop(void **state)
{
    (void)state;
    static uint64_t source[BYTES / 8], target[BYTES / 8], want[BYTES / 8];
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        for (size_t i = 0; i < BYTES / 8; i++)
            source[i] = (uint64_t)rand_r(&seed) << 32 | (uint64_t)rand_r(&seed);
        memset(target, 7, sizeof target);
        memset(want, 7, sizeof want);
        struct copy copy = {.rank = (uint32_t)rand_r(&seed) % 6, .size = 1u << rand_r(&seed) % 5};
        const int longest = copy.rank <= 2 ? 16 : copy.rank == 3 ? 8 : 3;
        for (uint32_t i = 0; i < copy.rank; i++)
            copy.lengths[i] = (uint64_t)(rand_r(&seed) % (longest + 1));
        const int64_t from = lay_out(&copy, copy.source_steps, true, &seed) * copy.size;
        const int64_t to = lay_out(&copy, copy.target_steps, false, &seed) * copy.size;
        copy_slowly(&copy, 0, (char *)source + from, (char *)want + to);
        copy_run(NULL, &copy, (char *)source + from, (char *)target + to);
        assert_memory_equal(target, want, sizeof want);
    }
}

static void large_copies_in_parallel_are_the_same(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(3);
    const struct shape shapes[] = {{1, {300001}}, {2, {700, 513}}, {3, {9, 211, 190}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct datum *source, *target, *want;
        assert_null(datum_tensor(ELEMENT_F32, &shapes[i], &source));
        assert_null(datum_tensor(ELEMENT_F32, &shapes[i], &target));
        assert_null(datum_tensor(ELEMENT_F32, &shapes[i], &want));
        const uint64_t count = tensor_count(&source->tensor);
        for (uint64_t k = 0; k < count; k++)
            ((uint32_t *)source->tensor.data)[k] = (uint32_t)k;

        struct copy copy = copy_over(&shapes[i], ELEMENT_F32);
        int64_t step = 1;
        for (uint32_t d = 0; d < copy.rank; d++) { // outermost first: the transpose
            copy.source_steps[d] = step;
            step *= (int64_t)copy.lengths[d];
        }
        copy_slowly(&copy, 0, source->tensor.data, want->tensor.data);
        copy_run(parallel, &copy, source->tensor.data, target->tensor.data);
        assert_memory_equal(target->tensor.data, want->tensor.data, count * 4);

        copy_all(parallel, &source->tensor, &target->tensor);
        assert_memory_equal(target->tensor.data, source->tensor.data, count * 4);

        const uint32_t value = 77;
        copy_fill(parallel, target->tensor.data, count, 4, &value);
        for (uint64_t k = 0; k < count; k++)
            assert_int_equal(((uint32_t *)target->tensor.data)[k], 77);
        datum_release(source);
        datum_release(target);
        datum_release(want);
    }
    parallel_free(parallel);
}

static void a_box_goes_into_a_bigger_tensor_and_out_again(void **state)
{
    (void)state;
    static _Alignas(64) uint16_t small[2 * 3], big[4 * 5], back[2 * 3];
    for (uint16_t i = 0; i < 6; i++)
        small[i] = (uint16_t)(i + 1);
    const struct tensor source = {ELEMENT_U16, {2, {2, 3}}, small};
    struct tensor middle = {ELEMENT_U16, {2, {4, 5}}, big};
    struct tensor target = {ELEMENT_U16, {2, {2, 3}}, back};
    const uint64_t at[] = {1, 2};
    copy_into(NULL, &source, &middle, at);
    const uint16_t want[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0};
    assert_memory_equal(big, want, sizeof want);
    copy_from(NULL, &middle, &target, at);
    assert_memory_equal(back, small, sizeof small);
}

static void a_transpose_follows_its_order(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t items[] = {0, 1, 2, 3, 4, 5}, turned[6];
    const struct tensor source = {ELEMENT_U8, {3, {1, 2, 3}}, items};
    struct tensor target = {ELEMENT_U8, {3, {3, 1, 2}}, turned};
    copy_transposed(NULL, &source, &target, (const uint32_t[]){2, 0, 1});
    const uint8_t want[] = {0, 3, 1, 4, 2, 5};
    assert_memory_equal(turned, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_box_agrees_with_the_slow_loop),
        cmocka_unit_test(large_copies_in_parallel_are_the_same),
        cmocka_unit_test(a_box_goes_into_a_bigger_tensor_and_out_again),
        cmocka_unit_test(a_transpose_follows_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
