#include "fourier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RADIX_MOST = 31, // larger prime factors go through a convolution
    FACTORS_MOST = 64,
};

struct fourier {
    uint64_t length;
    bool inverse;
    uint32_t factors[FACTORS_MOST];
    struct fourier_number *roots; // of unity: exp(-+2 pi i k / length)
    // Bluestein: a convolution of a power of two; NULL when not needed.
    struct fourier *forward, *backward;
    struct fourier_number *chirp;    // exp(-+pi i k^2 / length)
    struct fourier_number *spectrum; // of the conjugate chirp
};

static struct fourier_number fourier_multiply_complex(struct fourier_number a,
                                                      struct fourier_number b)
{
    return (struct fourier_number){a.real * b.real - a.imaginary * b.imaginary,
                                   a.real * b.imaginary + a.imaginary * b.real};
}

static struct fourier_number fourier_add_complex(struct fourier_number a, struct fourier_number b)
{
    return (struct fourier_number){a.real + b.real, a.imaginary + b.imaginary};
}

static struct fourier_number *fourier_allocate(uint64_t count)
{
    if (count > UINT64_C(1) << 40)
        return NULL;
    return malloc((size_t)count * sizeof(struct fourier_number));
}

// exp(sign 2 pi i k / n).
static struct fourier_number root_of_unity(uint64_t k, uint64_t n, double sign)
{
    const double angle = 2 * M_PI * ((double)k / (double)n);
    return (struct fourier_number){cos(angle), sign * sin(angle)};
}

// Splits the length; false when a factor is too large.
static bool factorize(uint64_t length, uint32_t factors[FACTORS_MOST])
{
    static const uint32_t radices[] = {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, RADIX_MOST};
    size_t count = 0;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        while (length % radices[i] == 0) {
            factors[count++] = radices[i];
            length /= radices[i];
        }
    factors[count] = 1;
    return length == 1;
}

static status core_fourier_no_memory(uint64_t length)
{
    return status_no_memory("a Fourier transform of length %llu", (unsigned long long)length);
}

static status prepare_bluestein(struct fourier *fourier)
{
    const uint64_t n = fourier->length;
    uint64_t size = 1;
    while (size < 2 * n - 1)
        size *= 2;
    fourier->chirp = fourier_allocate(n);
    fourier->spectrum = fourier_allocate(size);
    struct fourier_number *kernel = fourier_allocate(size), *scratch = NULL;
    status result = fourier->chirp == NULL || fourier->spectrum == NULL || kernel == NULL
                        ? core_fourier_no_memory(n)
                        : STATUS_OK;
    if (result == STATUS_OK)
        result = fourier_create(size, false, &fourier->forward);
    if (result == STATUS_OK)
        result = fourier_create(size, true, &fourier->backward);
    if (result == STATUS_OK)
        scratch = fourier_allocate(fourier_scratch(fourier->forward));
    if (result == STATUS_OK && scratch == NULL)
        result = core_fourier_no_memory(n);
    if (result == STATUS_OK) {
        memset(kernel, 0, (size_t)size * sizeof *kernel);
        uint64_t square = 0; // k^2 mod 2n
        for (uint64_t k = 0; k < n; k++) {
            fourier->chirp[k] = root_of_unity(square, 2 * n, fourier->inverse ? 1 : -1);
            const struct fourier_number conjugate = {fourier->chirp[k].real,
                                                     -fourier->chirp[k].imaginary};
            kernel[k] = conjugate;
            kernel[k == 0 ? 0 : size - k] = conjugate;
            square = (square + 2 * k + 1) % (2 * n);
        }
        fourier_run(fourier->forward, kernel, fourier->spectrum, scratch);
    }
    free(kernel);
    free(scratch);
    return result;
}

status fourier_create(uint64_t length, bool inverse, struct fourier **out_fourier)
{
    if (length > UINT64_C(1) << 38)
        return core_fourier_no_memory(length);
    struct fourier *fourier = calloc(1, sizeof *fourier);
    if (fourier == NULL)
        return core_fourier_no_memory(length);
    fourier->length = length;
    fourier->inverse = inverse;
    status result = STATUS_OK;
    if (!factorize(length, fourier->factors)) {
        result = prepare_bluestein(fourier);
    } else {
        fourier->roots = fourier_allocate(length);
        if (fourier->roots == NULL)
            result = core_fourier_no_memory(length);
        for (uint64_t k = 0; result == STATUS_OK && k < length; k++)
            fourier->roots[k] = root_of_unity(k, length, inverse ? 1 : -1);
    }
    if (result != STATUS_OK) {
        fourier_free(fourier);
        return result;
    }
    *out_fourier = fourier;
    return STATUS_OK;
}

void fourier_free(struct fourier *fourier)
{
    if (fourier == NULL)
        return;
    fourier_free(fourier->forward);
    fourier_free(fourier->backward);
    free(fourier->roots);
    free(fourier->chirp);
    free(fourier->spectrum);
    free(fourier);
}

uint64_t fourier_scratch(const struct fourier *fourier)
{
    if (fourier->forward == NULL)
        return 1;
    return 2 * fourier->forward->length;
}

// Joins `radix` transforms of length m, which lie one after the other, to one.
static void butterflies(const struct fourier *fourier, struct fourier_number *out, uint64_t m,
                        uint32_t radix)
{
    const uint64_t step = fourier->length / (m * radix); // from root to root
    struct fourier_number part[RADIX_MOST];
    for (uint64_t k = 0; k < m; k++) {
        for (uint32_t q = 0; q < radix; q++)
            part[q] = fourier_multiply_complex(out[q * m + k], fourier->roots[step * q * k]);
        for (uint32_t p = 0; p < radix; p++) {
            struct fourier_number sum = part[0];
            for (uint32_t q = 1; q < radix; q++)
                sum = fourier_add_complex(
                    sum,
                    fourier_multiply_complex(part[q], fourier->roots[step * m * (q * p % radix)]));
            out[p * m + k] = sum;
        }
    }
}

static void butterflies_2(const struct fourier *fourier, struct fourier_number *out, uint64_t m)
{
    const uint64_t step = fourier->length / (m * 2);
    for (uint64_t k = 0; k < m; k++) {
        const struct fourier_number a = out[k];
        const struct fourier_number b =
            fourier_multiply_complex(out[m + k], fourier->roots[step * k]);
        out[k] = fourier_add_complex(a, b);
        out[m + k] = (struct fourier_number){a.real - b.real, a.imaginary - b.imaginary};
    }
}

static void butterflies_4(const struct fourier *fourier, struct fourier_number *out, uint64_t m)
{
    const uint64_t step = fourier->length / (m * 4);
    const double sign = fourier->inverse ? 1 : -1;
    for (uint64_t k = 0; k < m; k++) {
        const struct fourier_number a = out[k];
        const struct fourier_number b =
            fourier_multiply_complex(out[m + k], fourier->roots[step * k]);
        const struct fourier_number c =
            fourier_multiply_complex(out[2 * m + k], fourier->roots[step * 2 * k]);
        const struct fourier_number d =
            fourier_multiply_complex(out[3 * m + k], fourier->roots[step * 3 * k]);
        const struct fourier_number even = fourier_add_complex(a, c),
                                    odd = fourier_add_complex(b, d);
        const struct fourier_number even_less = {a.real - c.real, a.imaginary - c.imaginary};
        // (b - d) turned by a quarter
        const struct fourier_number odd_less = {-sign * (b.imaginary - d.imaginary),
                                                sign * (b.real - d.real)};
        out[k] = fourier_add_complex(even, odd);
        out[m + k] = fourier_add_complex(even_less, odd_less);
        out[2 * m + k] =
            (struct fourier_number){even.real - odd.real, even.imaginary - odd.imaginary};
        out[3 * m + k] = (struct fourier_number){even_less.real - odd_less.real,
                                                 even_less.imaginary - odd_less.imaginary};
    }
}

static void transform(const struct fourier *fourier, const uint32_t *factors, uint64_t length,
                      const struct fourier_number *in, uint64_t stride, struct fourier_number *out)
{
    if (length == 1) {
        *out = *in;
        return;
    }
    const uint32_t radix = *factors;
    const uint64_t m = length / radix;
    for (uint32_t q = 0; q < radix; q++)
        transform(fourier, factors + 1, m, in + q * stride, stride * radix, out + q * m);
    if (radix == 4)
        butterflies_4(fourier, out, m);
    else if (radix == 2)
        butterflies_2(fourier, out, m);
    else
        butterflies(fourier, out, m, radix);
}

static void run_bluestein(const struct fourier *fourier, const struct fourier_number *in,
                          struct fourier_number *out, struct fourier_number *scratch)
{
    const uint64_t n = fourier->length, size = fourier->forward->length;
    struct fourier_number *first = scratch, *second = scratch + size, unused[1];
    for (uint64_t k = 0; k < n; k++)
        first[k] = fourier_multiply_complex(in[k], fourier->chirp[k]);
    memset(first + n, 0, (size_t)(size - n) * sizeof *first);
    fourier_run(fourier->forward, first, second, unused);
    for (uint64_t k = 0; k < size; k++)
        second[k] = fourier_multiply_complex(second[k], fourier->spectrum[k]);
    fourier_run(fourier->backward, second, first, unused);
    for (uint64_t k = 0; k < n; k++)
        out[k] = fourier_multiply_complex(first[k], fourier->chirp[k]);
}

void fourier_run(const struct fourier *fourier, const struct fourier_number *in,
                 struct fourier_number *out, struct fourier_number *scratch)
{
    if (fourier->forward != NULL)
        run_bluestein(fourier, in, out, scratch);
    else
        transform(fourier, fourier->factors, fourier->length, in, 1, out);
    for (uint64_t k = 0; fourier->inverse && k < fourier->length; k++) {
        out[k].real /= (double)fourier->length;
        out[k].imaginary /= (double)fourier->length;
    }
}
