// Transforms against the sum that defines them.

#include "kernels/core/fourier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LONGEST = 300 };

static void check_length(uint64_t n, bool inverse)
{
    struct fourier_number in[LONGEST], out[LONGEST];
    unsigned seed = (unsigned)n;
    for (uint64_t k = 0; k < n; k++)
        in[k] = (struct fourier_number){rand_r(&seed) / (double)RAND_MAX - 0.5,
                                        rand_r(&seed) / (double)RAND_MAX - 0.5};
    struct fourier *fourier;
    assert_null(fourier_create(n, inverse, &fourier));
    struct fourier_number *scratch = malloc(fourier_scratch(fourier) * sizeof *scratch);
    fourier_run(fourier, in, out, scratch);
    free(scratch);
    fourier_free(fourier);
    for (uint64_t k = 0; k < n; k++) {
        double real = 0, imaginary = 0;
        for (uint64_t j = 0; j < n; j++) {
            const double angle = (inverse ? 2 : -2) * M_PI * (double)(j * k % n) / (double)n;
            real += in[j].real * cos(angle) - in[j].imaginary * sin(angle);
            imaginary += in[j].real * sin(angle) + in[j].imaginary * cos(angle);
        }
        const double scale = inverse ? (double)n : 1;
        assert_true(fabs(out[k].real - real / scale) < 1e-11);
        assert_true(fabs(out[k].imaginary - imaginary / scale) < 1e-11);
    }
}

static void all_lengths_are_transformed(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 130; n++) {
        check_length(n, false);
        check_length(n, true);
    }
    check_length(256, false);
    check_length(257, true); // a prime
    check_length(LONGEST, false);
}

static void an_absurd_length_is_refused(void **state)
{
    (void)state;
    struct fourier *fourier;
    const status failure = fourier_create(UINT64_MAX, false, &fourier);
    assert_non_null(failure);
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lengths_are_transformed),
        cmocka_unit_test(an_absurd_length_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
