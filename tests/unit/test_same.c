// What a network computes twice from the same, compiled for a processor.

#include "compiler/same.h"

#include <stdio.h>

#include "compiler_support.h"

#define T "tensor<4x8xi32>"

static uint32_t nodes_left(const char *body, const char *target)
{
    char text[2048];
    struct compiled compiled;
    (void)snprintf(text, sizeof text,
                   "module {\n  func.func @main(%%a: " T ", %%b: " T ") -> " T " {\n%s  }\n}\n",
                   body);
    compile_text(&compiled, text, target, NULL, NULL);
    const uint32_t count = network_graph(compiled.network, 0)->node_count;
    compiled_free(&compiled);
    return count;
}

#define ADD(result, a, b) "    %" #result " = tosa.add %" #a ", %" #b " : (" T ", " T ") -> " T "\n"
#define MAXIMUM(result, a, b)                                                                      \
    "    %" #result " = tosa.maximum %" #a ", %" #b " : (" T ", " T ") -> " T "\n"
#define RETURN(value) "    return %" #value " : " T "\n"
#define CONSTANT(result, number)                                                                   \
    "    %" #result " = \"tosa.const\"() <{values = dense<" #number "> : " T "}> : () -> " T "\n"

static void the_first_is_read_instead(void **state)
{
    (void)state;
    const char *body =
        ADD(0, a, b) ADD(1, a, b) MAXIMUM(2, 0, a) MAXIMUM(3, 1, a) ADD(4, 2, 3) RETURN(4);
    assert_int_equal(nodes_left(body, "host"), 3);
    assert_int_equal(nodes_left(body, "torq-sl2610"), 5);
}

static void what_differs_stays(void **state)
{
    (void)state;
    assert_int_equal(nodes_left(ADD(0, a, b) ADD(1, b, a) MAXIMUM(2, a, b) ADD(3, 0, 1) ADD(4, 3, 2)
                                    RETURN(4),
                                "host"),
                     5);
}

static void constants_are_compared_by_what_they_hold(void **state)
{
    (void)state;
    assert_int_equal(nodes_left(CONSTANT(0, 7) CONSTANT(1, 7) CONSTANT(2, 8) ADD(3, a, 0)
                                    ADD(4, a, 1) ADD(5, a, 2) ADD(6, 3, 4) ADD(7, 6, 5) RETURN(7),
                                "host"),
                     4);
}

static void results_of_the_network_stay(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled,
                 "module {\n  func.func @main(%a: " T ", %b: " T ") -> (" T ", " T
                 ") {\n" ADD(0, a, b) ADD(1, a, b) "    return %0, %1 : " T ", " T "\n  }\n}\n",
                 "host", NULL, NULL);
    assert_int_equal(network_graph(compiled.network, 0)->node_count, 2);
    compiled_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_read_instead),
        cmocka_unit_test(what_differs_stays),
        cmocka_unit_test(constants_are_compared_by_what_they_hold),
        cmocka_unit_test(results_of_the_network_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
