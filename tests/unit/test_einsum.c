// Equations taken apart: labels, implied outputs, ellipses, and what is none.

#include "network/onnx/einsum.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct shape MATRIX = {2, {3, 4}};
static const struct shape SQUARE = {2, {4, 4}};
static const struct shape STACK = {3, {2, 3, 4}};
static const struct shape ROW = {2, {1, 4}};
static const struct shape UNKNOWN = {2, {SHAPE_UNKNOWN, 4}};

static status parse(const char *equation, const struct shape *a, const struct shape *b,
                    struct einsum *einsum)
{
    const struct shape *const shapes[] = {a, b};
    return einsum_parse(view_of(equation), b != NULL ? 2 : 1, shapes, einsum);
}

static void assert_output(const char *equation, const struct shape *a, const struct shape *b,
                          const struct shape *wanted)
{
    struct einsum einsum;
    assert_null(parse(equation, a, b, &einsum));
    assert_int_equal(einsum.output.rank, wanted->rank);
    for (uint32_t d = 0; d < wanted->rank; d++)
        assert_int_equal(einsum.lengths[einsum.output.labels[d]], wanted->dims[d]);
}

static void outputs_are_told_or_implied(void **state)
{
    (void)state;
    assert_output("ij->ji", &MATRIX, NULL, &(struct shape){2, {4, 3}});
    assert_output(" i j -> j ", &MATRIX, NULL, &(struct shape){1, {4}});
    assert_output("ij->", &MATRIX, NULL, &(struct shape){0, {0}});
    assert_output("ii", &SQUARE, NULL, &(struct shape){0, {0}});
    assert_output("ba", &MATRIX, NULL, &(struct shape){2, {4, 3}});
    // Capitals come before the others.
    assert_output("aB", &MATRIX, NULL, &(struct shape){2, {4, 3}});
    assert_output("ij,jk", &MATRIX, &SQUARE, &(struct shape){2, {3, 4}});
    assert_output("ij,jk->ki", &MATRIX, &SQUARE, &(struct shape){2, {4, 3}});
}

static void ellipses_stand_for_what_is_left(void **state)
{
    (void)state;
    assert_output("...j->...", &STACK, NULL, &(struct shape){2, {2, 3}});
    assert_output("i...->...i", &STACK, NULL, &(struct shape){3, {3, 4, 2}});
    // The shorter one is aligned at the end.
    assert_output("...,...", &STACK, &MATRIX, &(struct shape){3, {2, 3, 4}});
    assert_output("...i,...i->...", &STACK, &ROW, &(struct shape){2, {2, 3}});
}

static void lengths_broadcast_and_may_be_unknown(void **state)
{
    (void)state;
    assert_output("ij,ij->ij", &ROW, &MATRIX, &(struct shape){2, {3, 4}});
    assert_output("ij,kj->ik", &UNKNOWN, &ROW, &(struct shape){2, {SHAPE_UNKNOWN, 1}});
    assert_output("ij,ij->i", &UNKNOWN, &MATRIX, &(struct shape){1, {3}});
}

static void what_is_no_equation_fails(void **state)
{
    (void)state;
    static const char *const one[] = {"",
                                      "i->i",
                                      "ijk->i",
                                      "ij->k",
                                      "ij->ii",
                                      "i1->i",
                                      "ij,->i",
                                      "ii->i",
                                      "ij,jk",
                                      "....->",
                                      "..ij->",
                                      "i......",
                                      "abcdefghijklmnopq->a"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        struct einsum einsum;
        const status failure = parse(one[i], &MATRIX, NULL, &einsum);
        if (failure == STATUS_OK)
            fail_msg("'%s' was taken", one[i]);
        assert_int_equal(status_code_of(failure), STATUS_DATA);
        status_free(failure);
    }
    struct einsum einsum;
    const status failure = parse("ij,jk->ik", &MATRIX, &MATRIX, &einsum);
    assert_non_null(failure);
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_told_or_implied),
        cmocka_unit_test(ellipses_stand_for_what_is_left),
        cmocka_unit_test(lengths_broadcast_and_may_be_unknown),
        cmocka_unit_test(what_is_no_equation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
