// TOSA networks from MLIR text: one form for every operator.

#include "network/tosa/import.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "network/operators.h"
#include "network/print.h"

static struct network *read_ok(const char *text)
{
    struct network *network = NULL;
    const status failure = tosa_import(input_over("t.mlir", view_of(text)), &network);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return network;
}

static void assert_refused(const char *text, const char *message)
{
    struct network *network = NULL;
    const status failure = tosa_import(input_over("t.mlir", view_of(text)), &network);
    if (failure == STATUS_OK)
        fail_msg("%s: was read", text);
    assert_string_equal(status_message(failure), message);
    status_free(failure);
}

// The network as text, to be freed.
static char *printed(const char *text)
{
    struct network *network = read_ok(text);
    char path[] = "/tmp/opscope-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct output *output;
    assert_true(output_open(path, &output) == STATUS_OK);
    network_print(network, output);
    assert_true(output_close(output) == STATUS_OK);
    // Another file took its place.
    file = open(path, O_RDONLY);
    assert_true(file >= 0);
    char *result = calloc(1, 10000);
    assert_non_null(result);
    assert_true(read(file, result, 9999) > 0);
    close(file);
    unlink(path);
    network_free(network);
    return result;
}

static void assert_printed(const char *text, const char *want)
{
    char *got = printed(text);
    assert_string_equal(got, want);
    free(got);
}

// One operation in a function of two i8 inputs, printed without its result.
static void assert_form(const char *operation, const char *want)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<1x4x4x2xi8>, %%f: tensor<2x3xf32>, %%m: tensor<1x2x2xi8>) "
        "-> () {\n%s\nreturn\n}",
        operation);
    char *got = printed(text);
    const char *node = strstr(got, " = tosa.");
    if (node == NULL)
        fail_msg("no node in %s", got);
    char line[1000];
    snprintf(line, sizeof line, "%.*s", (int)(strstr(node, " line ") - node - 3), node + 3);
    assert_string_equal(line, want);
    free(got);
}

static void pretty_and_generic_forms_are_the_same(void **state)
{
    (void)state;
    static const char *const WANT =
        "graph main(%a: 2xi8, %b: 2xi8) -> (%0)\n"
        "  %0: 2xi8 = tosa.maximum(%a, %b) {nan_mode = \"PROPAGATE\"} \"n\" line 2 at \"n\"\n";
    assert_printed(
        "func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {\n"
        "%0 = tosa.maximum %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8> loc(#l)\n"
        "return %0 : tensor<2xi8> }\n#l = loc(\"n\")",
        WANT);
    assert_printed("\"func.func\"() <{function_type = () -> (), sym_name = \"main\"}> ({ ^bb0(%a: "
                   "tensor<2xi8>, %b: tensor<2xi8>):\n"
                   "%0 = \"tosa.maximum\"(%a, %b) <{nan_mode = #tosa.nan_mode<PROPAGATE>}> : "
                   "(tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8> loc(\"n\")\n"
                   "\"func.return\"(%0) : (tensor<2xi8>) -> ()}) : () -> ()",
                   WANT);
}

static void old_attributes_become_operands(void **state)
{
    (void)state;
    assert_form("%w = \"tosa.const\"() {value = dense<1> : tensor<3x1x1x2xi8>} : () -> "
                "tensor<3x1x1x2xi8>\n"
                "%b = \"tosa.const\"() {value = dense<2> : tensor<3xi32>} : () -> tensor<3xi32>\n"
                "%0 = \"tosa.conv2d\"(%a, %w, %b) {dilation = [1, 1], pad = [0, 0, 0, 0], "
                "quantization_info = #tosa.conv_quant<input_zp = -7, weight_zp = 3>, stride = "
                "array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xi32>) -> "
                "tensor<1x4x4x3xi32>",
                "tosa.conv2d(%a, 3x1x1x2xi8=[1, 1, 1, 1, 1, 1], 3xi32=[2, 2, 2], 1xi8=[-7], "
                "1xi8=[3]) {acc_type = i32, dilation = [1, 1], local_bound = 0, pad = [0, 0, 0, "
                "0], stride = [1, 1]}");
    assert_form("%0 = \"tosa.matmul\"(%m, %m) {a_zp = 1 : i32, b_zp = 2 : i32} : "
                "(tensor<1x2x2xi8>, tensor<1x2x2xi8>) -> tensor<1x2x2xi32>",
                "tosa.matmul(%m, %m, 1xi8=[1], 1xi8=[2])");
    assert_form("%0 = \"tosa.avg_pool2d\"(%a) {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, "
                "0, 0>, quantization_info = {input_zp = 5 : i32, output_zp = -6 : i32}, stride = "
                "array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>",
                "tosa.avg_pool2d(%a, 1xi8=[5], 1xi8=[-6]) {acc_type = i32, kernel = [2, 2], pad = "
                "[0, 0, 0, 0], stride = [2, 2]}");
    assert_form("%0 = \"tosa.mul\"(%f, %f) {shift = 0 : i8} : (tensor<2x3xf32>, tensor<2x3xf32>) "
                "-> tensor<2x3xf32>",
                "tosa.mul(%f, %f, 1xi8=[0])");
    assert_form("%0 = \"tosa.negate\"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
                "tosa.negate(%f, 1xf32=[0], 1xf32=[0])");
    assert_form("%0 = \"tosa.rescale\"(%m) {double_round = true, input_zp = 1 : i32, multiplier = "
                "array<i32: 5>, output_zp = 255 : i32, output_unsigned = true, shift = array<i8: "
                "9>} : (tensor<1x2x2xi8>) -> tensor<1x2x2xi8>",
                "tosa.rescale(%m, 1xi32=[5], 1xi8=[9], 1xi8=[1], 1xi8=[-1]) {input_unsigned = 0, "
                "output_unsigned = 1, per_channel = 0, rounding_mode = \"DOUBLE_ROUND\", scale32 = "
                "1}");
}

static void old_lists_become_shapes(void **state)
{
    (void)state;
    assert_form("%0 = \"tosa.reshape\"(%f) {new_shape = array<i64: 3, -1>} : (tensor<2x3xf32>) -> "
                "tensor<3x2xf32>",
                "tosa.reshape(%f, 2xi64=[3, -1])");
    assert_form("%0 = \"tosa.slice\"(%f) {size = array<i64: 1, 2>, start = array<i64: 0, 1>} : "
                "(tensor<2x3xf32>) -> tensor<1x2xf32>",
                "tosa.slice(%f, 2xi64=[0, 1], 2xi64=[1, 2])");
    assert_form("%0 = \"tosa.tile\"(%f) {multiples = array<i64: 2, 1>} : (tensor<2x3xf32>) -> "
                "tensor<4x3xf32>",
                "tosa.tile(%f, 2xi64=[2, 1])");
    assert_form("%p = \"tosa.const\"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>} : () -> "
                "tensor<2x2xi32>\n"
                "%0 = \"tosa.pad\"(%f, %p) : (tensor<2x3xf32>, tensor<2x2xi32>) -> "
                "tensor<3x8xf32>",
                "tosa.pad(%f, 4xi64=[0, 1, 2, 3], 1xf32=[0])");
    assert_form("%s = arith.constant dense<[3, 2]> : tensor<2xi32>\n"
                "%0 = tosa.reshape %f, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>",
                "tosa.reshape(%f, 2xi64=[3, 2])");
    assert_form("%p = arith.constant dense<[1, 0]> : tensor<2xi32>\n"
                "%0 = \"tosa.transpose\"(%f, %p) : (tensor<2x3xf32>, tensor<2xi32>) -> "
                "tensor<3x2xf32>",
                "tosa.transpose(%f) {perms = [1, 0]}");
    assert_form("%0 = tosa.resize %a {scale = [4, 2, 4, 2], offset = [0, 0], border = [1, 1], mode "
                "= \"BILINEAR\"} : (tensor<1x4x4x2xi8>) -> tensor<1x8x8x2xi32>",
                "tosa.resize(%a, 4xi64=[4, 2, 4, 2], 2xi64=[0, 0], 2xi64=[1, 1]) {mode = "
                "\"BILINEAR\"}");
    assert_form("%0 = \"tosa.clamp\"(%f) {max_fp = 6.0 : f32, max_int = 6 : i64, min_fp = 0.1 : "
                "f32, min_int = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
                "tosa.clamp(%f) {max_val = 6, min_val = 0.1, nan_mode = \"PROPAGATE\"}");
    assert_form("%0 = tensor.collapse_shape %f [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>",
                "tosa.reshape(%f, 1xi64=[6])");
}

static void branches_and_loops_are_inner_graphs(void **state)
{
    (void)state;
    assert_printed("func.func @main(%c: tensor<i1>, %a: tensor<i32>) -> tensor<i32> {\n"
                   "%0 = tosa.cond_if %c (%x = %a) : tensor<i1> (tensor<i32>) -> tensor<i32> {\n"
                   "^bb0(%x: tensor<i32>):\n"
                   "  tosa.yield %x : tensor<i32>\n"
                   "} else {\n"
                   "^bb0(%x: tensor<i32>):\n"
                   "  tosa.yield %a : tensor<i32>\n"
                   "}\n"
                   "%1:2 = tosa.while_loop (%i = %0, %s = %a) : (tensor<i32>, tensor<i32>) -> "
                   "(tensor<i32>, tensor<i32>) {\n"
                   "  %g = tosa.greater %i, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                   "  tosa.yield %g : tensor<i1>\n"
                   "} do {\n"
                   "^bb0(%i: tensor<i32>, %s: tensor<i32>):\n"
                   "  tosa.yield %s, %i : tensor<i32>, tensor<i32>\n"
                   "}\n"
                   "return %1#1 : tensor<i32>\n}",
                   "graph main(%c: bool, %a: i32) -> (%1#1)\n"
                   "  %0: i32 = tosa.cond_if(%c, %a) {else_graph = graph 2, then_graph = graph 1} "
                   "line 2\n"
                   "    graph 2 else_graph(%x: i32) -> (%a)\n"
                   "    graph 1 then_graph(%x: i32) -> (%x)\n"
                   "  %1#0: i32, %1#1: i32 = tosa.while_loop(%0, %a) {body_graph = graph 4, "
                   "cond_graph = graph 3} line 9\n"
                   "    graph 4 body_graph(%i: i32, %s: i32) -> (%s, %i)\n"
                   "    graph 3 cond_graph(%i: i32, %s: i32) -> (%g)\n"
                   "      %g: bool = tosa.greater(%i, %s) line 10\n");
}

static void variables_are_what_was_written_last(void **state)
{
    (void)state;
    assert_printed("module {\ntosa.variable @v = dense<[1, 2]> : tensor<2xi8>\n"
                   "func.func @main(%a: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {\n"
                   "%0 = tosa.variable_read @v : tensor<2xi8>\n"
                   "tosa.variable_write @v, %a : tensor<2xi8>\n"
                   "%1 = \"tosa.variable_read\"() <{name = \"v\"}> : () -> tensor<2xi8>\n"
                   "return %0, %1 : tensor<2xi8>, tensor<2xi8>\n}\n}",
                   "graph main(%a: 2xi8) -> (2xi8=[1, 2], %a)\n");
}

static void main_is_preferred_to_other_functions(void **state)
{
    (void)state;
    struct network *network =
        read_ok("module @net {\nfunc.func private @main_declared(tensor<1xi8>)\n"
                "func.func @first() { return }\nutil.func public @main() { util.return }\n}");
    assert_true(view_is(network->name, "net"));
    assert_true(view_is(network_graph(network, 0)->name, "main"));
    network_free(network);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    assert_refused("func.func @f(%a: tensor<2xi8>) {\n  %0 = tosa.foo %a : (tensor<2xi8>) -> "
                   "tensor<2xi8>\n  return\n}",
                   "t.mlir:2: there is no operation 'tosa.foo'");
    assert_refused("func.func @f(%a: tensor<2xi8>) {\n  %0 = Conv %a : (tensor<2xi8>) -> "
                   "tensor<2xi8>\n  return\n}",
                   "t.mlir:2: there is no operation 'Conv'");
    assert_refused("module {\n  a.b\n}",
                   "t.mlir:2: there is no operation 'a.b' outside of functions");
    assert_refused("ML\xefR\x06", "t.mlir: MLIR bytecode; mlir-opt makes text of it");
    assert_refused("module {}", "t.mlir: there is no function with a body");
    assert_refused("func.func @f() {\n  return %x : tensor<1xi8>\n}",
                   "t.mlir:2:11: '%x' is not defined");
    assert_refused("func.func @f(%a: tensor<1xi8>, %a: tensor<1xi8>) {\n  return\n}",
                   "t.mlir:1:33: '%a' is defined twice");
    assert_refused("func.func @f(%a: tensor<1xi8>) {\n  %0 = tosa.abs %a : (tensor<2xi8>) -> "
                   "tensor<2xi8>\n  return\n}",
                   "t.mlir:2:18: '%a' has another type where it is defined");
    assert_refused("func.func @f(%a: tensor<1xi8>) {\n  %0 = tosa.abs %a : (tensor<1xi8>, i8) -> "
                   "tensor<1xi8>\n  return\n}",
                   "t.mlir:2:3: 'tosa.abs' has 1 operands and 2 types");
    assert_refused("func.func @f(%a: tensor<1xi8>) {\n  %0:2 = tosa.abs %a : (tensor<1xi8>) -> "
                   "tensor<1xi8>\n  return\n}",
                   "t.mlir:2:3: 'tosa.abs' has 2 results and 1 types of results");
    assert_refused("func.func @f(%a: tensor<1xi7>) {\n  return\n}",
                   "t.mlir:1:18: elements of type 'i7' are not supported");
    assert_refused("func.func @f(%a: memref<1xi8>) {\n  return\n}",
                   "t.mlir:1:18: expected a tensor instead of 'memref<1xi8>'");
    assert_refused("func.func @f(%a: tensor<4611686018427387904x4xi8>) {\n  return\n}",
                   "t.mlir:1:18: the tensor is too large");
    assert_refused("func.func @f() -> tensor<1xi8> {\n  return\n}",
                   "t.mlir:1:1: the function declares 1 results and returns 0");
    assert_refused("func.func @f() {\n  return\n  return\n}",
                   "t.mlir:3:3: an operation after 'return'");
    assert_refused("func.func @f(%a: tensor<1xi8>) {\n  %0 = tosa.abs %a : (tensor<1xi8>) -> "
                   "tensor<1xi8>\n}",
                   "t.mlir:2: the block does not end with a return or a yield");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pretty_and_generic_forms_are_the_same),
        cmocka_unit_test(old_attributes_become_operands),
        cmocka_unit_test(old_lists_become_shapes),
        cmocka_unit_test(branches_and_loops_are_inner_graphs),
        cmocka_unit_test(variables_are_what_was_written_last),
        cmocka_unit_test(main_is_preferred_to_other_functions),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
