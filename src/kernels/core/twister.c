#include "twister.h"

#include <math.h>

enum { MIDDLE = 397 };

void twister_seed(struct twister *twister, uint32_t seed)
{
    for (uint32_t i = 0; i < TWISTER_WORDS; i++) {
        twister->words[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    twister->used = TWISTER_WORDS;
    twister->has_normal = false;
}

static void refill(struct twister *twister)
{
    uint32_t *words = twister->words;
    for (uint32_t i = 0; i < TWISTER_WORDS; i++) {
        const uint32_t joined =
            (words[i] & 0x80000000u) | (words[(i + 1) % TWISTER_WORDS] & 0x7fffffffu);
        words[i] =
            words[(i + MIDDLE) % TWISTER_WORDS] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
    }
    twister->used = 0;
}

uint32_t twister_next(struct twister *twister)
{
    if (twister->used == TWISTER_WORDS)
        refill(twister);
    uint32_t word = twister->words[twister->used++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    return word ^ word >> 18;
}

double twister_uniform(struct twister *twister)
{
    const uint32_t high = twister_next(twister) >> 5;
    const uint32_t low = twister_next(twister) >> 6;
    return ((double)high * 0x1p26 + (double)low) * 0x1p-53;
}

// The polar method: a random point of the unit disc gives two.
double twister_normal(struct twister *twister)
{
    if (twister->has_normal) {
        twister->has_normal = false;
        return twister->normal;
    }
    double x, y, square;
    do {
        x = 2 * twister_uniform(twister) - 1;
        y = 2 * twister_uniform(twister) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = sqrt(-2 * log(square) / square);
    twister->normal = scale * x;
    twister->has_normal = true;
    return scale * y;
}
