// Tensor literals of MLIR: each way of writing gives the same elements.

#include "network/tosa/literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
    struct mlir_document *document;
    struct arena arena;
    const struct constant *constant;
    status failure;
};

static struct shape shape_of(const char *text)
{
    struct shape shape = {0};
    for (char *end; *text != '\0'; text = *end == 'x' ? end + 1 : end)
        shape.dims[shape.rank++] = strtoll(text, &end, 10);
    return shape;
}

static void read(struct fixture *fixture, const char *literal, const char *shape,
                 enum element element)
{
    *fixture = (struct fixture){0};
    char *text = malloc(strlen(literal) + 200);
    assert_non_null(text);
    sprintf(text,
            "#a = %s\n{-# dialect_resources: { builtin: { blob: \"0x04000000FF017F80\" } } #-}",
            literal);
    fixture->failure = mlir_read("t", view_of(text), &fixture->document);
    if (fixture->failure == STATUS_OK) {
        struct tosa_literals literals = {fixture->document, &fixture->arena, 1000};
        const struct shape dims = shape_of(shape);
        fixture->failure =
            tosa_literal_read(&literals, segments_get(&fixture->document->aliases, 0), element,
                              &dims, &fixture->constant);
    }
    mlir_free(fixture->document);
    free(text);
}

static void assert_integers(const char *literal, const char *shape, enum element element,
                            const char *want)
{
    struct fixture fixture;
    read(&fixture, literal, shape, element);
    if (fixture.failure != STATUS_OK)
        fail_msg("%s: %s", literal, status_message(fixture.failure));
    char got[400] = "";
    for (uint64_t i = 0; i < tensor_count(&fixture.constant->tensor); i++)
        sprintf(got + strlen(got), "%lld ", (long long)constant_integer(fixture.constant, i));
    assert_string_equal(got, want);
    assert_true(fixture.constant->bytes == tensor_bytes(&fixture.constant->tensor));
    assert_true(constant_ready(fixture.constant));
    arena_free(&fixture.arena);
}

static void assert_bits(const char *literal, enum element element, uint64_t want)
{
    struct fixture fixture;
    read(&fixture, literal, "1", element);
    if (fixture.failure != STATUS_OK)
        fail_msg("%s: %s", literal, status_message(fixture.failure));
    uint64_t got = 0;
    memcpy(&got, fixture.constant->tensor.data, element_size(element));
    if (got != want)
        fail_msg("%s: got %llx, want %llx", literal, (unsigned long long)got,
                 (unsigned long long)want);
    arena_free(&fixture.arena);
}

static void assert_refused(const char *literal, const char *shape, enum element element,
                           const char *message)
{
    struct fixture fixture;
    read(&fixture, literal, shape, element);
    if (fixture.failure == STATUS_OK)
        fail_msg("%s: was read", literal);
    assert_string_equal(status_message(fixture.failure), message);
    status_free(fixture.failure);
    arena_free(&fixture.arena);
}

static void integers_come_from_every_spelling(void **state)
{
    (void)state;
    assert_integers("dense<[[1, -2], [0x7F, 255]]>", "2x2", ELEMENT_I8, "1 -2 127 -1 ");
    assert_integers("dense<[[[ 1 ,\n2]]]>", "1x1x2", ELEMENT_I32, "1 2 ");
    assert_integers("dense<-3>", "2x2", ELEMENT_I16, "-3 -3 -3 -3 ");
    assert_integers("dense<7>", "", ELEMENT_I64, "7 ");
    assert_integers("7 : index", "", ELEMENT_I64, "7 ");
    assert_integers("dense<\"0x0100FEFF\">", "2", ELEMENT_I16, "1 -2 ");
    assert_integers("dense<\"0xFEFF\">", "3", ELEMENT_I16, "-2 -2 -2 ");
    assert_integers("dense_resource<blob>", "2x2", ELEMENT_I8, "-1 1 127 -128 ");
    assert_integers("dense_resource<blob>", "2", ELEMENT_U16, "511 32895 ");
    assert_integers("dense<>", "0x3", ELEMENT_I8, "");
    assert_integers("dense<[]>", "0", ELEMENT_I8, "");
    assert_integers("dense<5>", "0", ELEMENT_I8, "");
    assert_integers("dense<18446744073709551615>", "1", ELEMENT_U64, "-1 ");
}

static void narrow_elements_take_whole_bytes(void **state)
{
    (void)state;
    assert_integers("dense<[true, false, 1]>", "3", ELEMENT_BOOL, "1 0 1 ");
    assert_integers("dense<true>", "2", ELEMENT_BOOL, "1 1 ");
    assert_integers("dense<\"0x0501\">", "9", ELEMENT_BOOL, "1 0 1 0 0 0 0 0 1 ");
    assert_integers("dense<\"0x0001FF\">", "3", ELEMENT_BOOL, "0 1 1 ");
    assert_integers("dense<\"0xFF\">", "9", ELEMENT_BOOL, "1 1 1 1 1 1 1 1 1 ");
    assert_integers("dense<[-8, 7, 15]>", "3", ELEMENT_I4, "-8 7 -1 ");
    assert_integers("dense<\"0x0807\">", "2", ELEMENT_I4, "-8 7 ");
    assert_integers("dense<[-140737488355328, 1]>", "2", ELEMENT_I48, "-140737488355328 1 ");
    assert_integers("dense<\"0xFFFFFFFFFFFF020000000000\">", "2", ELEMENT_I48, "-1 2 ");
}

static void reals_are_rounded_once(void **state)
{
    (void)state;
    assert_bits("dense<1.5>", ELEMENT_F32, 0x3fc00000);
    assert_bits("dense<0.1>", ELEMENT_F32, 0x3dcccccd);
    assert_bits("dense<0x7FC00000>", ELEMENT_F32, 0x7fc00000);
    assert_bits("dense<-0.0>", ELEMENT_F64, UINT64_C(0x8000000000000000));
    assert_bits("dense<[1.0e400]>", ELEMENT_F64, UINT64_C(0x7ff0000000000000));
    assert_bits("dense<65504.0>", ELEMENT_F16, 0x7bff);
    assert_bits("dense<0x3C00>", ELEMENT_F16, 0x3c00);
    assert_bits("dense<1.0>", ELEMENT_BF16, 0x3f80);
    // Halfway between two bf16 but for the last bit of a double.
    assert_bits("dense<1.00390625>", ELEMENT_BF16, 0x3f80);
    assert_bits("dense<1.0039062500000002>", ELEMENT_BF16, 0x3f81);
    assert_bits("dense<1.01171875>", ELEMENT_BF16, 0x3f82);
    assert_bits("dense<1.0117187499999998>", ELEMENT_BF16, 0x3f81);
    assert_bits("dense<448.0>", ELEMENT_F8E4M3FN, 0x7e);
    assert_bits("dense<\"0x0000803F\">", ELEMENT_F32, 0x3f800000);
}

static void long_rows_cross_batches(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    char *text = malloc(COUNT * 8 + 100);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "dense<[");
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(text + size, "%s%d", i > 0 ? ", " : "", i * 3);
    sprintf(text + size, "]>");
    struct fixture fixture;
    read(&fixture, text, "1500", ELEMENT_I32);
    assert_true(fixture.failure == STATUS_OK);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(constant_integer(fixture.constant, (uint64_t)i), i * 3);
    arena_free(&fixture.arena);
    free(text);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    assert_refused("dense<[1, 2]>", "3", ELEMENT_I8,
                   "t:1:17: expected as many numbers as the dimension");
    assert_refused("dense<[1, 2, 3]>", "2", ELEMENT_I8,
                   "t:1:19: expected ']': the list is longer than the dimension");
    assert_refused("dense<[[1], [2], [3]]>", "2x1", ELEMENT_I8,
                   "t:1:22: expected ']': the list is longer than the dimension");
    assert_refused("dense<[[1]]>", "2x1", ELEMENT_I8,
                   "t:1:16: expected as many items as the dimension");
    assert_refused("dense<[1]>", "1x1", ELEMENT_I8, "t:1:13: expected '['");
    assert_refused("dense<[1]>", "", ELEMENT_I8, "t:1:12: expected one number");
    assert_refused("dense<256>", "1", ELEMENT_I8, "t:1:12: the number does not fit i8");
    assert_refused("dense<-1>", "1", ELEMENT_U8, "t:1:12: the number does not fit u8");
    assert_refused("dense<-129>", "1", ELEMENT_I8, "t:1:12: the number does not fit i8");
    assert_refused("dense<1>", "1", ELEMENT_F32, "t:1:12: expected a number with a point");
    assert_refused("dense<1.0>", "1", ELEMENT_I8, "t:1:13: expected the end of the literal");
    assert_refused("dense<0x1FFFF>", "1", ELEMENT_F16,
                   "t:1:12: expected not more bits than the element has");
    assert_refused("dense<\"0x010203\">", "2", ELEMENT_I16, "t:1:15: 3 bytes instead of 2 x 2");
    assert_refused("dense<\"0x0G\">", "1", ELEMENT_I8, "t:1:15: expected hexadecimal bytes");
    assert_refused("dense_resource<none>", "1", ELEMENT_I8, "t:1:6: there is no resource 'none'");
    assert_refused("\"text\"", "1", ELEMENT_I8,
                   "t:1:7: expected dense<...>, dense_resource<...> or a number");
}

static void a_small_text_takes_little_memory(void **state)
{
    (void)state;
    assert_refused("dense<0>", "2000000000", ELEMENT_I8,
                   "t:1:12: the splats of the text take too much memory with this one");
    assert_refused("dense<\"0x00\">", "2000000000", ELEMENT_I8,
                   "t:1:15: the splats of the text take too much memory with this one");
    assert_refused("dense<[0]>", "2000000000", ELEMENT_I8,
                   "t:1:12: expected as many numbers as the type has");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_come_from_every_spelling),
        cmocka_unit_test(narrow_elements_take_whole_bytes),
        cmocka_unit_test(reals_are_rounded_once),
        cmocka_unit_test(long_rows_cross_batches),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_small_text_takes_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
