// Random numbers: the Mersenne Twister MT19937 with doubles and normal numbers made
// as numpy's RandomState makes them, which ONNX's reference implementation draws from.
// The same seed gives the same numbers everywhere.

#ifndef OPSCOPE_KERNELS_CORE_TWISTER_H
#define OPSCOPE_KERNELS_CORE_TWISTER_H

#include <stdbool.h>
#include <stdint.h>

enum { TWISTER_WORDS = 624 };

struct twister {
    uint32_t words[TWISTER_WORDS];
    uint32_t used;
    bool has_normal; // normal numbers are made in pairs
    double normal;
};

void twister_seed(struct twister *twister, uint32_t seed);
uint32_t twister_next(struct twister *twister);

// In [0, 1), with 53 random bits.
double twister_uniform(struct twister *twister);

// Of mean 0 and standard deviation 1.
double twister_normal(struct twister *twister);

#endif
