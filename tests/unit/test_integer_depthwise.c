// Sums of channels by themselves against sums one at a time, with all vectors that this machine
// has.

#include "kernels/core/integer_depthwise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/core/isa.h"

enum { CHANNELS_MOST = 100, ROUNDS = 300, BEHIND = INTEGER_DEPTHWISE_LANES };

static int16_t number(unsigned *seed)
{
    const int16_t ends[] = {INT16_MIN, INT16_MAX, 255, -128};
    const int random = rand_r(seed) % 65536 - 32768;
    return rand_r(seed) % 3 == 0 ? ends[rand_r(seed) % 4] : (int16_t)random;
}

static void check(unsigned seed)
{
    const uint64_t lanes = integer_depthwise_lanes();
    if (lanes == 0)
        return;
    const uint64_t taps = 1 + (uint64_t)rand_r(&seed) % INTEGER_DEPTHWISE_TAPS;
    const uint64_t channels = 1 + (uint64_t)rand_r(&seed) % CHANNELS_MOST;
    static int16_t inputs[INTEGER_DEPTHWISE_TAPS + 1][CHANNELS_MOST + BEHIND];
    static int16_t lines[INTEGER_DEPTHWISE_TAPS * CHANNELS_MOST];
    const int16_t *seen[INTEGER_DEPTHWISE_TAPS + 1];
    for (uint64_t t = 0; t <= taps; t++) {
        seen[t] = inputs[t];
        for (uint64_t c = 0; c < CHANNELS_MOST + BEHIND; c++)
            inputs[t][c] = number(&seed);
    }
    for (uint64_t i = 0; i < taps * channels; i++)
        lines[i] = number(&seed);
    int16_t *arranged = malloc(integer_depthwise_size(lanes, taps, channels) * sizeof *arranged);
    integer_depthwise_arrange(lanes, taps, channels, lines, arranged);
    uint32_t sums[CHANNELS_MOST + BEHIND];
    memset(sums, 0x5a, sizeof sums);
    integer_depthwise_sum(lanes, seen, taps, arranged, channels, sums);
    for (uint64_t c = 0; c < channels; c++) {
        uint32_t sum = 0;
        for (uint64_t t = 0; t < taps; t++)
            sum += (uint32_t)(inputs[t][c] * lines[t * channels + c]);
        assert_int_equal(sums[c], sum);
    }
    const uint64_t end = (channels + lanes - 1) / lanes * lanes;
    for (uint64_t c = end; c < CHANNELS_MOST + BEHIND; c++)
        assert_int_equal(sums[c], 0x5a5a5a5a);
    free(arranged);
}

static void sums_are_exact(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        isa_limit(round % ISA_COUNT);
        check(round);
    }
    isa_limit(ISA_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
