// Conversion of a network's elements: what becomes what, what stays, and what is refused.

#include "network/conversion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/executor.h"
#include "network/operators.h"
#include "network/real.h"
#include "onnx_support.h"

enum { F32 = 1, I8 = 3, I32 = 6, I64 = 7, BOOL = 9, F16 = 10, BF16 = 16 };

static const int64_t ROW[] = {4};
static const int64_t ROWS[] = {2, 4};
static const int64_t TWO[] = {2};

// Lists ------------------------------------------------------------------------------------

static void assert_list_refused(const char *text, const char *why)
{
    struct conversion conversion;
    const status failure = conversion_parse(text, &conversion);
    assert_non_null(failure);
    if (strstr(status_message(failure), why) == NULL)
        fail_msg("'%s' does not say '%s'", status_message(failure), why);
    status_free(failure);
}

static void test_lists_are_read(void **state)
{
    (void)state;
    struct conversion conversion;
    assert_true(conversion_parse("f32=bf16,i64=i32,ports", &conversion) == STATUS_OK);
    assert_int_equal(conversion.count, 2);
    assert_true(conversion.ports);
    assert_int_equal(conversion_of(&conversion, ELEMENT_F32), ELEMENT_BF16);
    assert_int_equal(conversion_of(&conversion, ELEMENT_I64), ELEMENT_I32);
    assert_int_equal(conversion_of(&conversion, ELEMENT_F16), ELEMENT_F16);
    assert_true(conversion_tolerance(&conversion) == 0x1p-5);
    assert_true(conversion_parse("f32=f16", &conversion) == STATUS_OK);
    assert_true(!conversion.ports && conversion_tolerance(&conversion) == 0x1p-8);
    assert_list_refused("f32", "'f32' is no conversion");
    assert_list_refused("f32=i8", "'f32=i8' is no conversion");
    assert_list_refused("i32=i16", "no conversion");
    assert_list_refused("f32=f32", "no conversion");
    assert_list_refused("", "'' is no conversion");
    assert_list_refused("f32=f16,", "'' is no conversion");
    assert_list_refused("ports", "says nothing to convert");
    assert_list_refused("f32=f16,f32=bf16", "f32=f16 and f32=bf16 exclude each other");
    assert_list_refused("f32=f16,f16=bf16", "f32=f16 and f16=bf16 exclude each other");
}

// Constants --------------------------------------------------------------------------------

static void test_f16_is_rounded_to_nearest_even(void **state)
{
    (void)state;
    // Every f16 and its neighbours half-way, and what lies beside these.
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        const double low = (double)real_from_f16((uint16_t)bits);
        const double high = bits == 0x7bff ? 65536.0 : (double)real_from_f16((uint16_t)(bits + 1));
        const float middle = (float)((low + high) / 2);
        assert_int_equal(real_to_f16((float)low), bits);
        assert_int_equal(real_to_f16(middle), (bits & 1) != 0 ? bits + 1 : bits);
        assert_int_equal(real_to_f16(nextafterf(middle, 0)), bits);
        assert_int_equal(real_to_f16(nextafterf(middle, INFINITY)), bits + 1);
        assert_int_equal(real_to_f16(-middle), 0x8000 | ((bits & 1) != 0 ? bits + 1 : bits));
    }
    for (uint32_t bits = 0; bits < 0xffff0000; bits += 0x10fff) {
        const float value = real_from_bits(bits);
        assert_int_equal(real_to_f16(value), real_f16_of_double((double)value));
    }
}

// Networks ---------------------------------------------------------------------------------

struct made {
    struct bytes graph;
    struct bytes model;
    struct network *network;
};

static struct made begin(void)
{
    struct made made = {0};
    executor_fold_constants();
    put_text(&made.graph, NAME, "main");
    return made;
}

static void add_node(struct made *made, const char *type, const char *inputs, const char *outputs)
{
    put_message(&made->graph, NODE, node_of(type, inputs, outputs, type));
}

static void add_raw(struct made *made, const char *name, unsigned element, unsigned rank,
                    const int64_t *dims, const void *data, size_t size)
{
    struct bytes tensor = tensor_of(name, element, rank, dims);
    put_view(&tensor, 9, (struct view){data, size});
    put_message(&made->graph, INITIALIZER, tensor);
}

static status convert(struct made *made, const char *conversion)
{
    made->model = model_of(made->graph, 17);
    made->graph = (struct bytes){0};
    return network_read(input_over("m.onnx", bytes_view(&made->model)),
                        &(struct network_options){.conversion = conversion}, &made->network);
}

static void convert_ok(struct made *made, const char *conversion)
{
    const status failure = convert(made, conversion);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    // What the walk left is what inference says of it.
    const status wrong = network_infer(made->network);
    if (wrong != STATUS_OK)
        fail_msg("%s", status_message(wrong));
}

static void made_free(struct made *made)
{
    network_free(made->network);
    bytes_free(&made->model);
}

// The node of a type in any graph; fails when there is none.
static const struct network_node *find_node(const struct network *network, const char *type)
{
    for (uint32_t i = 0; i < network->graphs.count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        for (uint32_t j = 0; j < graph->node_count; j++) {
            const struct network_node *node = network_node(network, graph->nodes[j]);
            if (view_is(node->type, type))
                return node;
        }
    }
    fail_msg("there is no %s", type);
    return NULL;
}

static unsigned count_nodes(const struct network *network, const char *type)
{
    unsigned count = 0;
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->node_count; i++)
        count += view_is(network_node(network, graph->nodes[i])->type, type);
    return count;
}

static enum element input_element(const struct network *network, const char *type, uint32_t index)
{
    return network_value(network, find_node(network, type)->inputs[index])->type.element;
}

static enum element output_element(const struct network *network, const char *type)
{
    return network_value(network, find_node(network, type)->outputs[0])->type.element;
}

static enum element port_element(const struct network *network, bool output)
{
    const struct network_graph *graph = network_graph(network, 0);
    return network_value(network, output ? graph->outputs[0] : graph->inputs[0])->type.element;
}

// y = Relu(x + w)
static struct made sum_network(const float w[4])
{
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("x", F32, 1, ROW));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 1, ROW));
    add_raw(&made, "w", F32, 1, ROW, w, 4 * sizeof *w);
    add_node(&made, "Add", "x w", "s");
    add_node(&made, "Relu", "s", "y");
    return made;
}

static void test_operators_and_constants_are_converted_behind_casts(void **state)
{
    (void)state;
    const float w[4] = {1.0f, 1.00390625f, -0x1.018p0f, 1e-30f}; // the second and third are ties
    struct made made = sum_network(w);
    convert_ok(&made, "f32=bf16,i64=i32");
    const struct network *network = made.network;
    assert_int_equal(port_element(network, false), ELEMENT_F32);
    assert_int_equal(port_element(network, true), ELEMENT_F32);
    assert_int_equal(input_element(network, "Add", 0), ELEMENT_BF16);
    assert_int_equal(output_element(network, "Add"), ELEMENT_BF16);
    assert_int_equal(output_element(network, "Relu"), ELEMENT_BF16);
    assert_int_equal(count_nodes(network, "Cast"), 2);
    assert_int_equal(network->conversion.casts, 2);
    assert_int_equal(network->conversion.operators, 2);
    assert_int_equal(network->conversion.kept, 0);
    assert_int_equal(network->conversion.constants, 1);
    assert_true(view_is(network->conversion.text, "f32=bf16,i64=i32"));
    const struct constant *constant =
        network_value(network, find_node(network, "Add")->inputs[1])->constant;
    assert_non_null(constant);
    assert_true(constant_ready(constant));
    const uint16_t want[4] = {0x3f80, 0x3f80, 0xbf81, real_to_bf16(1e-30f)};
    assert_memory_equal(constant->tensor.data, want, sizeof want);
    made_free(&made);
}

static void test_ports_are_converted_where_that_is_asked(void **state)
{
    (void)state;
    const float w[4] = {0};
    struct made made = sum_network(w);
    convert_ok(&made, "f32=f16,ports");
    assert_int_equal(port_element(made.network, false), ELEMENT_F16);
    assert_int_equal(port_element(made.network, true), ELEMENT_F16);
    assert_int_equal(count_nodes(made.network, "Cast"), 0);
    made_free(&made);
}

static void test_an_input_that_is_an_output_stays(void **state)
{
    (void)state;
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("x", F32, 1, ROW));
    put_message(&made.graph, OUTPUT, value_of("x", F32, 1, ROW));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 1, ROW));
    add_node(&made, "Relu", "x", "y");
    convert_ok(&made, "f32=f16");
    const struct network_graph *graph = network_graph(made.network, 0);
    assert_int_equal(graph->outputs[0], graph->inputs[0]);
    made_free(&made);
}

static void test_numbers_beyond_the_range_are_counted(void **state)
{
    (void)state;
    const float w[4] = {65519.0f, 65520.0f, -3e38f, INFINITY}; // the first is rounded down
    struct made made = sum_network(w);
    convert_ok(&made, "f32=f16");
    assert_int_equal(made.network->conversion.beyond, 2);
    assert_int_equal(made.network->conversion.beyond_constants, 1);
    assert_true(made.network->conversion.beyond_greatest == (double)-3e38f);
    assert_true(view_is(made.network->conversion.beyond_first, "w"));
    made_free(&made);
    made = sum_network(w);
    convert_ok(&made, "f32=bf16");
    assert_int_equal(made.network->conversion.beyond, 0);
    made_free(&made);
}

// Indices become i32, the shape of Reshape and the end of Slice stay i64, however large.
static void test_shapes_stay(void **state)
{
    (void)state;
    const int64_t shape[2] = {2, 4}, start[1] = {0}, end[1] = {INT64_MAX}, one[] = {1};
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("x", F32, 2, ROWS));
    put_message(&made.graph, INPUT, value_of("at", I64, 1, TWO));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 2, ROWS));
    add_raw(&made, "shape", I64, 1, TWO, shape, sizeof shape);
    add_raw(&made, "start", I64, 1, one, start, sizeof start);
    add_raw(&made, "end", I64, 1, one, end, sizeof end);
    add_node(&made, "Gather", "x at", "g");
    add_node(&made, "Slice", "g start end", "s");
    add_node(&made, "Reshape", "s shape", "y");
    convert_ok(&made, "f32=bf16,i64=i32");
    assert_int_equal(input_element(made.network, "Gather", 0), ELEMENT_BF16);
    assert_int_equal(input_element(made.network, "Gather", 1), ELEMENT_I32);
    assert_int_equal(input_element(made.network, "Slice", 2), ELEMENT_I64);
    assert_int_equal(input_element(made.network, "Reshape", 1), ELEMENT_I64);
    assert_int_equal(made.network->conversion.kept, 0);
    made_free(&made);
}

static struct made integers_network(int64_t first)
{
    const int64_t c[4] = {first, 1, 2, INT32_MIN};
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("n", I64, 1, ROW));
    put_message(&made.graph, OUTPUT, value_of("y", I64, 1, ROW));
    add_raw(&made, "c", I64, 1, ROW, c, sizeof c);
    add_node(&made, "Add", "n c", "y");
    return made;
}

static void test_integers_that_do_not_fit_are_named(void **state)
{
    (void)state;
    struct made made = integers_network(INT32_MAX);
    convert_ok(&made, "i64=i32");
    assert_int_equal(input_element(made.network, "Add", 1), ELEMENT_I32);
    assert_int_equal(port_element(made.network, true), ELEMENT_I64);
    made_free(&made);
    made = integers_network(INT64_C(1) << 31);
    const status failure = convert(&made, "i64=i32");
    assert_non_null(failure);
    assert_string_equal(status_message(failure),
                        "m.onnx: --convert: node 'Add' (Add): constant 'c': element 0, 2147483648, "
                        "does not fit i32: leave i64=i32 out");
    status_free(failure);
    bytes_free(&made.model);
}

// x -> quantized product -> Softmax: the first is computed in integers, the second in f16.
static void test_quantized_operators_stay(void **state)
{
    (void)state;
    const float scale = 0.1f;
    const int8_t zero = 0, w[16] = {1, 2, 3};
    const int64_t square[] = {4, 4};
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("x", F32, 2, ROWS));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 2, ROWS));
    add_raw(&made, "scale", F32, 0, NULL, &scale, sizeof scale);
    add_raw(&made, "zero", I8, 0, NULL, &zero, sizeof zero);
    add_raw(&made, "w", I8, 2, square, w, sizeof w);
    add_node(&made, "QuantizeLinear", "x scale zero", "q");
    add_node(&made, "DequantizeLinear", "q scale zero", "d");
    add_node(&made, "DequantizeLinear", "w scale zero", "v");
    add_node(&made, "MatMul", "d v", "p");
    add_node(&made, "Relu", "p", "r");
    add_node(&made, "QuantizeLinear", "r scale zero", "o");
    add_node(&made, "DequantizeLinear", "o scale zero", "e");
    add_node(&made, "Softmax", "e", "y");
    convert_ok(&made, "f32=f16");
    assert_int_equal(input_element(made.network, "QuantizeLinear", 0), ELEMENT_F32);
    assert_int_equal(input_element(made.network, "QuantizeLinear", 1), ELEMENT_F32);
    assert_int_equal(output_element(made.network, "MatMul"), ELEMENT_F32);
    assert_int_equal(output_element(made.network, "Relu"), ELEMENT_F32);
    assert_int_equal(output_element(made.network, "Softmax"), ELEMENT_F16);
    assert_int_equal(made.network->conversion.operators, 1);
    assert_int_equal(made.network->conversion.kept, 0);
    made_free(&made);
}

// Range takes no f16: it stays, and what it gives is cast.
static void test_operators_that_do_not_take_it_stay(void **state)
{
    (void)state;
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("from", F32, 0, NULL));
    put_message(&made.graph, INPUT, value_of("to", F32, 0, NULL));
    put_message(&made.graph, INPUT, value_of("by", F32, 0, NULL));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 1, (const int64_t[]){-1}));
    add_node(&made, "Range", "from to by", "r");
    add_node(&made, "Exp", "r", "y");
    convert_ok(&made, "f32=f16");
    assert_int_equal(input_element(made.network, "Range", 0), ELEMENT_F32);
    assert_int_equal(output_element(made.network, "Range"), ELEMENT_F32);
    assert_int_equal(input_element(made.network, "Exp", 0), ELEMENT_F16);
    assert_int_equal(made.network->conversion.kept, 1);
    made_free(&made);
}

static struct bytes branch_of(const char *operator, const char * result)
{
    struct bytes graph = {0};
    put_text(&graph, NAME, result);
    put_message(&graph, NODE, node_of(operator, "x", result, ""));
    put_message(&graph, OUTPUT, value_of(result, F32, 1, ROW));
    return graph;
}

static void put_branch(struct bytes *node, const char *name, struct bytes graph)
{
    struct bytes attribute = named(name);
    put_message(&attribute, 6, graph);
    put_number(&attribute, 20, 5);
    put_message(node, 5, attribute);
}

// Graphs inside see the converted form of what lies around them.
static void test_graphs_inside_are_converted(void **state)
{
    (void)state;
    struct made made = begin();
    put_message(&made.graph, INPUT, value_of("x", F32, 1, ROW));
    put_message(&made.graph, INPUT, value_of("c", BOOL, 0, NULL));
    put_message(&made.graph, OUTPUT, value_of("y", F32, 1, ROW));
    struct bytes node = node_of("If", "c", "y", "choose");
    put_branch(&node, "then_branch", branch_of("Exp", "t"));
    put_branch(&node, "else_branch", branch_of("Neg", "e"));
    put_message(&made.graph, NODE, node);
    convert_ok(&made, "f32=bf16");
    assert_int_equal(input_element(made.network, "Exp", 0), ELEMENT_BF16);
    assert_int_equal(output_element(made.network, "Neg"), ELEMENT_BF16);
    assert_int_equal(output_element(made.network, "If"), ELEMENT_BF16);
    assert_int_equal(port_element(made.network, true), ELEMENT_F32);
    made_free(&made);
}

// What constants alone decide is calculated in f32 and rounded once.
static void test_constants_are_calculated_before(void **state)
{
    (void)state;
    const float a[4] = {1, 1, 1, 1}, b[4] = {0x1p-11f, 0x1p-10f, 0x1.8p-10f, 0x1p-9f};
    struct made made = sum_network(a);
    add_raw(&made, "b", F32, 1, ROW, b, sizeof b);
    put_message(&made.graph, OUTPUT, value_of("z", F32, 1, ROW));
    add_node(&made, "Mul", "w b", "m");
    add_node(&made, "Add", "m w", "n");
    add_node(&made, "Sub", "x n", "z");
    convert_ok(&made, "f32=f16");
    const struct constant *constant =
        network_value(made.network, find_node(made.network, "Sub")->inputs[1])->constant;
    assert_non_null(constant);
    const uint16_t want[4] = {0x3c00, 0x3c01, 0x3c02, 0x3c02};
    assert_memory_equal(constant->tensor.data, want, sizeof want);
    assert_int_equal(count_nodes(made.network, "Mul"), 0);
    made_free(&made);
}

static void test_sums_of_tosa_products_stay_wide(void **state)
{
    (void)state;
    static const char TEXT[] =
        "func.func @main(%a: tensor<1x2x4xf32>, %b: tensor<1x4x2xf32>) -> tensor<1x2x2xf32> {\n"
        "  %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n"
        "  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x2x4xf32>, tensor<1x4x2xf32>, "
        "tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>\n"
        "  %1 = tosa.exp %0 : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>\n"
        "  return %1 : tensor<1x2x2xf32>\n"
        "}\n";
    struct made made = begin();
    bytes_free(&made.graph);
    const status failure =
        network_read(input_over("m.mlir", view_of(TEXT)),
                     &(struct network_options){.conversion = "f32=bf16"}, &made.network);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    assert_int_equal(input_element(made.network, "tosa.matmul", 0), ELEMENT_BF16);
    assert_int_equal(input_element(made.network, "tosa.matmul", 2), ELEMENT_BF16);
    assert_int_equal(output_element(made.network, "tosa.matmul"), ELEMENT_F32);
    assert_int_equal(input_element(made.network, "tosa.exp", 0), ELEMENT_BF16);
    assert_int_equal(count_nodes(made.network, "tosa.cast"), 4);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_read),
        cmocka_unit_test(test_f16_is_rounded_to_nearest_even),
        cmocka_unit_test(test_operators_and_constants_are_converted_behind_casts),
        cmocka_unit_test(test_ports_are_converted_where_that_is_asked),
        cmocka_unit_test(test_an_input_that_is_an_output_stays),
        cmocka_unit_test(test_numbers_beyond_the_range_are_counted),
        cmocka_unit_test(test_shapes_stay),
        cmocka_unit_test(test_integers_that_do_not_fit_are_named),
        cmocka_unit_test(test_quantized_operators_stay),
        cmocka_unit_test(test_operators_that_do_not_take_it_stay),
        cmocka_unit_test(test_graphs_inside_are_converted),
        cmocka_unit_test(test_constants_are_calculated_before),
        cmocka_unit_test(test_sums_of_tosa_products_stay_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
