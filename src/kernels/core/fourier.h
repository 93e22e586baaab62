// Discrete Fourier transforms of any length, in O(n log n): mixed radices for
// lengths of small factors, Bluestein's convolution for the others.

#ifndef OPSCOPE_KERNELS_CORE_FOURIER_H
#define OPSCOPE_KERNELS_CORE_FOURIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct fourier_number {
    double real, imaginary;
};

// What is prepared for a length; shared by any number of threads.
struct fourier;

// `length` > 0. The inverse one divides by the length. Fails when there is no memory.
status fourier_create(uint64_t length, bool inverse, struct fourier **out_fourier);
void fourier_free(struct fourier *fourier); // accepts NULL

// Numbers that a transform needs besides its input and output.
uint64_t fourier_scratch(const struct fourier *fourier);

// `in` and `out` hold `length` numbers and do not overlap.
void fourier_run(const struct fourier *fourier, const struct fourier_number *in,
                 struct fourier_number *out, struct fourier_number *scratch);

#endif
