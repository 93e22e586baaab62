// How full a memory is, against a map of every nanosecond.

#include "analysis/memory_use.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 240, BUFFERS = 25, ROUNDS = 200, POINTS = 12 };

static void check_round(unsigned seed)
{
    uint64_t map[LENGTH] = {0};
    uint64_t first = LENGTH, last = 0;
    struct profile *profile = profile_create();
    const uint32_t near = profile_string(profile, VIEW_LITERAL("near"));
    for (unsigned i = 0; i < BUFFERS; i++) {
        const uint64_t from = (uint64_t)rand_r(&seed) % LENGTH;
        const uint64_t to = from + (uint64_t)rand_r(&seed) % (LENGTH - from);
        const struct buffer_lifetime buffer = {.memory = near,
                                               .core = (uint32_t)rand_r(&seed) % 3 == 0,
                                               .size = 1 + (uint64_t)rand_r(&seed) % 100,
                                               .from = from,
                                               .to = to};
        profile_buffer_add(profile, &buffer);
        if (buffer.core != 0 || from == to)
            continue;
        for (uint64_t at = from; at < to; at++)
            map[at] += buffer.size;
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    struct memory_use use;
    memory_use_find(profile, near, 0, 0, POINTS, &use);
    assert_int_equal(use.count, POINTS);
    assert_int_equal(use.from, first);
    assert_int_equal(use.to, last);
    for (size_t i = 0; i < POINTS; i++) {
        uint64_t most = 0;
        uint64_t beside = 0; // with the level at which the stretch begins
        for (uint64_t at = first; at < last; at++) {
            const size_t stretch = (size_t)((at - first) * POINTS / (last - first));
            most = stretch == i && map[at] > most ? map[at] : most;
            if (stretch == i || (at + 1 < last && (at + 1 - first) * POINTS / (last - first) == i))
                beside = map[at] > beside ? map[at] : beside;
        }
        assert_true(use.most[i] >= most && use.most[i] <= beside);
    }
    memory_use_free(&use);
    profile_free(profile);
}

static void test_each_stretch_has_its_most(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        check_round(round);
}

static void test_a_memory_without_buffers_has_no_points(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    struct memory_use use;
    memory_use_find(profile, 0, 0, 0, POINTS, &use);
    assert_int_equal(use.count, 0);
    memory_use_free(&use);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_stretch_has_its_most),
        cmocka_unit_test(test_a_memory_without_buffers_has_no_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
