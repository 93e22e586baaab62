// What annotated rows take from the network's text.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/torq/annotate_source.h"

static void operator_is(const char *line, const char *want)
{
    const struct view found = annotate_source_operator(view_of(line));
    if (!view_is(found, want))
        fail_msg("'%s': got '%.*s', want '%s'", line, VIEW_ARGUMENTS(found), want);
}

static void test_operators_of_lines(void **state)
{
    (void)state;
    operator_is("    %0 = tosa.add %arg0, %arg1 : (tensor<4xi8>) -> tensor<4xi8>", "tosa.add");
    operator_is("%1:2 = \"tosa.max_pool2d\"(%0) <{pad = array<i64: 0>}> : () -> ()",
                "tosa.max_pool2d");
    operator_is("%2 = torch.operator \"onnx.Conv\"(%0) : () -> ()", "onnx.Conv");
    operator_is("tosa.conv2d(%0)", "tosa.conv2d");
    operator_is("  return %0 : tensor<4xi8>", "");
    operator_is("func.func @main(%arg0: tensor<4xi8>) {", "");
    operator_is("torch.operator", "");
    operator_is("\"tosa.add", "");
    operator_is("%0 =", "");
    operator_is("", "");
}

static void test_operators_of_locations(void **state)
{
    (void)state;
    char path[] = "/tmp/opscope-source-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const char text[] = "module {\n%0 = tosa.add %a\n%1 = tosa.mul %0\n}";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    const char *name = path + 5;
    const struct {
        const char *form, *want;
    } cases[] = {
        {"loc(\"%s\":2:3)", "tosa.add@L2"},
        {"\"%s\":3:1", "tosa.mul@L3"},
        {"loc(fused[\"%s\":3:1, \"%s\":2:1, \"%s\":3:9])", "tosa.mul@L3 tosa.add@L2"},
        {"loc(\"a name\"(\"%s\":2:3))", "tosa.add@L2"},
        {"loc(callsite(\"%s\":2:3 at \"%s\":3:1))", "tosa.add@L2 tosa.mul@L3"},
        {"loc(\"%s\":1:1)", ""},
        {"loc(\"%s\":99:1)", ""},
        {"loc(\"%s\":0:0)", ""},
        {"loc(unknown)", ""},
        {"loc(\"%s\":2", ""},
        {"not a location", ""},
    };
    struct annotate_source *source = annotate_source_create("elsewhere/dump.mlir", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes location = {0};
        for (const char *at = cases[i].form; *at != '\0'; at++) {
            if (*at == '%')
                bytes_append(&location, name, strlen(name));
            else if (at == cases[i].form || at[-1] != '%')
                bytes_append(&location, at, 1);
        }
        const struct view found = annotate_source_operators(source, bytes_view(&location));
        if (!view_is(found, cases[i].want))
            fail_msg("case %zu: got '%.*s', want '%s'", i, VIEW_ARGUMENTS(found), cases[i].want);
        bytes_free(&location);
    }
    annotate_source_free(source);
    unlink(path);
}

static void places_are_short(void **state)
{
    (void)state;
    static const struct {
        const char *location, *want;
    } CASES[] = {
        {"loc(\"a.mlir\":4:10)", "@L4C10"},
        {"loc(callsite(\"a.mlir\":4:10 at \"a.mlir\":2:3))", "@L4C10"},
        {"loc(fused[\"a.mlir\":4:10, \"b\"])", "@L4C10+b"},
        {"loc(\"conv\"(\"m.mlir\":7:5))", "@L7C5"},
        {"loc(\"conv\")", "conv"},
        {"loc(unknown)", "loc(unknown)"},
        {"HAL_QUEUE_WAIT", "HAL_QUEUE_WAIT"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct bytes text = {0};
        annotate_source_place(view_of(CASES[i].location), &text);
        bytes_append(&text, "", 1);
        assert_string_equal(text.data, CASES[i].want);
        bytes_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_short),
        cmocka_unit_test(test_operators_of_lines),
        cmocka_unit_test(test_operators_of_locations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
