#include "kernels/core/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/core/clones.h"

enum { NOT_KNOWN = 50 };

static enum isa processor(void)
{
    isa_limit(ISA_VNNI);
    return isa_used();
}

static void a_limit_lowers_and_never_raises(void **state)
{
    (void)state;
    const enum isa most = processor();
    for (enum isa limit = ISA_SSE4; limit < ISA_COUNT; limit++) {
        isa_limit(limit);
        assert_int_equal(isa_used(), limit < most ? limit : most);
    }
}

// What isa_used says in a process of its own, whose OPSCOPE_ISA is so.
static int used_with(const char *value)
{
    const pid_t child = fork();
    if (child == 0) {
        setenv("OPSCOPE_ISA", value, 1);
        execl("/proc/self/exe", "test_isa", "say", (char *)NULL);
        _exit(99);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static int say(void)
{
    const status failure = isa_check();
    const bool lists_all = failure != STATUS_OK &&
                           strstr(status_message(failure), "sse4, avx2, avx512, vnni") != NULL &&
                           status_code_of(failure) == STATUS_USAGE;
    const int known = failure == STATUS_OK ? 0 : lists_all ? NOT_KNOWN : 98;
    status_free(failure);
    return (int)isa_used() + known;
}

static void the_environment_lowers(void **state)
{
    (void)state;
    const enum isa most = processor();
    assert_int_equal(used_with("sse4"), ISA_SSE4);
    assert_int_equal(used_with("avx2"), most < ISA_AVX2 ? most : ISA_AVX2);
    assert_int_equal(used_with("avx512"), most < ISA_AVX512 ? most : ISA_AVX512);
    assert_int_equal(used_with("vnni"), most);
    assert_int_equal(used_with(""), most);
}

static void a_value_that_is_not_known_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(used_with("AVX2"), NOT_KNOWN + (int)processor());
    assert_int_equal(used_with("avx"), NOT_KNOWN + (int)processor());
}

CORE_CLONES(uint64_t, mix, (const uint32_t *numbers, uint64_t count, double *out_sum),
            (numbers, count, out_sum))
{
    uint64_t mixed = 0;
    double lanes[8] = {0};
    for (uint64_t i = 0; i < count; i++)
        mixed += numbers[i] * UINT64_C(2654435761) ^ i;
    for (uint64_t i = 0; i + 8 <= count; i += 8)
        for (uint64_t lane = 0; lane < 8; lane++)
            lanes[lane] += (double)numbers[i + lane] * 0.5;
    *out_sum = 0;
    for (uint64_t lane = 0; lane < 8; lane++)
        *out_sum += lanes[lane];
    return mixed;
}

static void clones_give_the_same_bits(void **state)
{
    (void)state;
    uint32_t numbers[1003];
    for (uint32_t i = 0; i < 1003; i++)
        numbers[i] = i * 2246822519u;
    uint64_t mixed[ISA_COUNT];
    double sums[ISA_COUNT];
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        mixed[isa] = mix(numbers, 1003, &sums[isa]);
    }
    for (enum isa isa = ISA_AVX2; isa < ISA_COUNT; isa++) {
        assert_true(mixed[isa] == mixed[ISA_SSE4]);
        assert_memory_equal(&sums[isa], &sums[ISA_SSE4], sizeof(double));
    }
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "say") == 0)
        return say();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_lowers_and_never_raises),
        cmocka_unit_test(the_environment_lowers),
        cmocka_unit_test(a_value_that_is_not_known_is_an_error),
        cmocka_unit_test(clones_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
