// Random sizes and numbers, the same for the same seed.

#ifndef OPSCOPE_TESTS_RANDOM_NUMBERS_H
#define OPSCOPE_TESTS_RANDOM_NUMBERS_H

#include <stdint.h>
#include <stdlib.h>

static inline int64_t between(unsigned *seed, int64_t least, int64_t most)
{
    return least + rand_r(seed) % (most - least + 1);
}

// `count` multiples of 1/64, for the caller to free.
static inline float *random_numbers(unsigned *seed, int64_t count)
{
    float *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (float)between(seed, -100, 100) / 64.0F;
    return numbers;
}

// `count` numbers whose products round, for the caller to free.
static inline float *random_reals(unsigned *seed, int64_t count)
{
    float *numbers = malloc((size_t)(count > 0 ? count : 1) * sizeof *numbers);
    if (numbers == NULL)
        abort();
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (float)between(seed, -1000, 1000) / 500;
    return numbers;
}

#endif
