// The generator against published and numpy's own numbers.

#include "kernels/core/twister.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

static void words_are_those_of_the_published_generator(void **state)
{
    (void)state;
    struct twister twister;
    twister_seed(&twister, 5489);
    for (int i = 0; i < 9999; i++)
        twister_next(&twister);
    assert_int_equal(twister_next(&twister), 4123659995u); // the 10000th
}

static void uniform_and_normal_numbers_are_numpys(void **state)
{
    (void)state;
    // numpy.random.RandomState(0).rand(3), .RandomState(0).randn(3)
    const double uniform[3] = {0.5488135039273248, 0.7151893663724195, 0.6027633760716439};
    const double normal[3] = {1.764052345967664, 0.4001572083672233, 0.9787379841057392};
    struct twister twister;
    twister_seed(&twister, 0);
    for (int i = 0; i < 3; i++)
        assert_true(twister_uniform(&twister) == uniform[i]);
    twister_seed(&twister, 0);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(twister_normal(&twister) - normal[i]) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_published_generator),
        cmocka_unit_test(uniform_and_normal_numbers_are_numpys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
