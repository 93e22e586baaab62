// Shapes, element types and what is known of values.

#include "network/value_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct shape shape_of(uint32_t rank, const int64_t *dims)
{
    struct shape shape = {.rank = rank};
    memcpy(shape.dims, dims, rank * sizeof *dims);
    return shape;
}

#define SHAPE(...)                                                                                 \
    shape_of(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static void check_broadcast(struct shape a, struct shape b, const char *expected)
{
    struct shape result;
    char text[SHAPE_TEXT_MOST];
    assert_null(shape_broadcast(&a, &b, &result));
    assert_string_equal(shape_text(&result, text), expected);
    assert_null(shape_broadcast(&b, &a, &result));
    assert_string_equal(shape_text(&result, text), expected);
}

static void shapes_broadcast_as_numpy_does(void **state)
{
    (void)state;
    check_broadcast(SHAPE(2, 3), SHAPE(3), "2x3");
    check_broadcast(SHAPE(2, 1, 4), SHAPE(3, 1), "2x3x4");
    check_broadcast((struct shape){0}, SHAPE(7), "7");
    check_broadcast(SHAPE(1), SHAPE(0), "0");
    check_broadcast(SHAPE(SHAPE_UNKNOWN), SHAPE(5), "5");
    check_broadcast(SHAPE(SHAPE_UNKNOWN), SHAPE(1), "?");
    struct shape result;
    const struct shape two = SHAPE(2);
    const struct shape three = SHAPE(3);
    const status failure = shape_broadcast(&two, &three, &result);
    assert_string_equal(status_message(failure), "shapes 2 and 3 do not fit together");
    status_free(failure);
}

static void elements_are_counted_without_overflow(void **state)
{
    (void)state;
    uint64_t count;
    const struct shape scalar = {0};
    assert_null(shape_elements(&scalar, &count));
    assert_int_equal(count, 1);
    const struct shape empty = SHAPE(INT64_MAX, 0, INT64_MAX);
    assert_null(shape_elements(&empty, &count));
    assert_int_equal(count, 0);
    const struct shape huge = SHAPE(INT64_MAX, 2);
    const status failure = shape_elements(&huge, &count);
    assert_int_equal(status_code_of(failure), STATUS_LIMIT);
    status_free(failure);
}

static void axes_count_from_the_end(void **state)
{
    (void)state;
    uint32_t axis;
    assert_null(shape_axis(-1, 3, &axis));
    assert_int_equal(axis, 2);
    assert_null(shape_axis(0, 3, &axis));
    assert_int_equal(axis, 0);
    const int64_t wrong[] = {3, -4, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        const status failure = shape_axis(wrong[i], 3, &axis);
        assert_non_null(failure);
        status_free(failure);
    }
}

static void elements_have_names_and_ranges(void **state)
{
    (void)state;
    for (int i = 1; i < ELEMENT_COUNT; i++)
        assert_int_equal(element_named(view_of(element_name((enum element)i))), i);
    assert_int_equal(element_named(VIEW_LITERAL("i1")), ELEMENT_BOOL);
    assert_int_equal(element_named(VIEW_LITERAL("ui8")), ELEMENT_U8);
    assert_int_equal(element_named(VIEW_LITERAL("si32")), ELEMENT_I32);
    assert_int_equal(element_named(VIEW_LITERAL("float32")), ELEMENT_F32);
    assert_int_equal(element_named(VIEW_LITERAL("ui")), ELEMENT_NONE);
    assert_int_equal(element_named(VIEW_LITERAL("")), ELEMENT_NONE);
    assert_int_equal(element_lowest(ELEMENT_I8), -128);
    assert_int_equal(element_highest(ELEMENT_I8), 127);
    assert_int_equal(element_lowest(ELEMENT_I64), INT64_MIN);
    assert_int_equal(element_highest(ELEMENT_I64), INT64_MAX);
    assert_int_equal(element_highest(ELEMENT_U4), 15);
    assert_int_equal(element_lowest(ELEMENT_I4), -8);
    assert_int_equal(element_lowest(ELEMENT_I48), -(1ll << 47));
    assert_int_equal(element_highest(ELEMENT_U32), UINT32_MAX);
}

static void types_merge_or_contradict(void **state)
{
    (void)state;
    const struct shape open = SHAPE(SHAPE_UNKNOWN, 3);
    const struct shape closed = SHAPE(2, SHAPE_UNKNOWN);
    const struct value_type a = value_type_tensor(ELEMENT_F32, &open);
    const struct value_type b = value_type_tensor(ELEMENT_F32, &closed);
    struct value_type merged;
    char text[SHAPE_TEXT_MOST];
    assert_null(value_type_merge(&a, &b, &merged));
    assert_string_equal(shape_text(&merged.shape, text), "2x3");
    assert_true(value_type_static(&merged));
    const struct value_type unranked = value_type_unranked(ELEMENT_NONE);
    assert_null(value_type_merge(&unranked, &a, &merged));
    assert_string_equal(shape_text(&merged.shape, text), "?x3");
    const struct value_type other = value_type_tensor(ELEMENT_I8, &open);
    status failure = value_type_merge(&a, &other, &merged);
    assert_string_equal(status_message(failure), "elements are f32, but also i8");
    status_free(failure);
    const struct shape longer = SHAPE(2, 4);
    const struct value_type wrong = value_type_tensor(ELEMENT_F32, &longer);
    failure = value_type_merge(&a, &wrong, &merged);
    assert_string_equal(status_message(failure), "shape ?x3, but also 2x4");
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_broadcast_as_numpy_does),
        cmocka_unit_test(elements_are_counted_without_overflow),
        cmocka_unit_test(axes_count_from_the_end),
        cmocka_unit_test(elements_have_names_and_ranges),
        cmocka_unit_test(types_merge_or_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
