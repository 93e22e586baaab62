// The work of quantized products, counted by hand, and shapes that they refuse.

#include "network/operators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS_MOST = 9 };

// One node with inputs of given types, and what is inferred of its only output.
struct bench {
    struct network_node node;
    struct value_type types[INPUTS_MOST];
    const struct value_type *inputs[INPUTS_MOST];
    const struct constant *known[INPUTS_MOST];
    uint32_t ids[INPUTS_MOST + 1];
    struct value_type output;
    struct inference inference;
};

static void prepare(struct bench *bench, const char *operator, uint32_t version,
                    struct attributes attributes)
{
    *bench = (struct bench){.node = {.version = version, .attributes = attributes}};
    bench->node.definition = operator_find(view_of(""), view_of(operator));
    assert_non_null(bench->node.definition);
    bench->node.outputs = &bench->ids[INPUTS_MOST];
    bench->inference = (struct inference){.node = &bench->node,
                                          .output_count = 1,
                                          .inputs = bench->inputs,
                                          .known = bench->known,
                                          .outputs = &bench->output};
}

static void give(struct bench *bench, enum element element, struct shape shape)
{
    const uint32_t i = bench->inference.input_count++;
    bench->types[i] = value_type_tensor(element, &shape);
    bench->inputs[i] = &bench->types[i];
}

static struct work measured(struct bench *bench)
{
    const status failure = inference_run(&bench->inference);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    struct work work;
    inference_measure(&bench->inference, &work);
    assert_true(work.known);
    return work;
}

static void assert_refused(struct bench *bench, const char *why)
{
    const status failure = inference_run(&bench->inference);
    assert_non_null(failure);
    assert_non_null(strstr(status_message(failure), why));
    status_free(failure);
}

// 4 channels in 2 groups, 6 filters of 2x3x3; 5x6 padded by 1, in steps of 2: 3x3.
static const int64_t PADS[] = {1, 1, 1, 1};
static const int64_t STRIDES[] = {2, 2};
static const struct attribute CONVOLUTION[] = {
    {.name = VIEW_LITERAL("group"), .kind = ATTRIBUTE_INTEGER, .integer = 2},
    {.name = VIEW_LITERAL("pads"), .kind = ATTRIBUTE_INTEGERS, .integers = PADS, .count = 4},
    {.name = VIEW_LITERAL("strides"), .kind = ATTRIBUTE_INTEGERS, .integers = STRIDES, .count = 2},
};
static const struct attributes CONVOLUTION_ATTRIBUTES = {CONVOLUTION, 3};
static const struct shape IMAGE = {4, {1, 4, 5, 6}};
static const struct shape FILTERS = {4, {6, 2, 3, 3}};
static const struct shape SCALAR = {0};

static void an_integer_convolution_is_counted(void **state)
{
    (void)state;
    struct bench bench;
    prepare(&bench, "ConvInteger", 10, CONVOLUTION_ATTRIBUTES);
    give(&bench, ELEMENT_U8, IMAGE);
    give(&bench, ELEMENT_I8, FILTERS);
    const struct work work = measured(&bench);
    assert_int_equal(work.elements, 6 * 3 * 3);
    assert_int_equal(work.macs, 54 * 18);
    assert_int_equal(work.flops, 2 * 54 * 18);
    assert_int_equal(work.bytes_read, 120 + 108);
    assert_int_equal(work.bytes_written, 4 * 54);
}

static void a_quantized_convolution_rescales_each_sum(void **state)
{
    (void)state;
    struct bench bench;
    prepare(&bench, "QLinearConv", 10, CONVOLUTION_ATTRIBUTES);
    give(&bench, ELEMENT_U8, IMAGE);
    give(&bench, ELEMENT_F32, SCALAR);
    give(&bench, ELEMENT_U8, SCALAR);
    give(&bench, ELEMENT_I8, FILTERS);
    give(&bench, ELEMENT_F32, (struct shape){1, {6}});
    give(&bench, ELEMENT_I8, (struct shape){1, {6}});
    give(&bench, ELEMENT_F32, SCALAR);
    give(&bench, ELEMENT_U8, SCALAR);
    struct work work = measured(&bench);
    assert_int_equal(work.macs, 54 * 18);
    assert_int_equal(work.flops, 2 * 54 * 18 + 5 * 54); // multiply, round, add, clamp
    give(&bench, ELEMENT_I32, (struct shape){1, {6}});
    work = measured(&bench);
    assert_int_equal(work.flops, 2 * 54 * 18 + 6 * 54); // and the bias
    assert_int_equal(work.bytes_read, 120 + 4 + 1 + 108 + 24 + 6 + 4 + 1 + 24);
    assert_int_equal(bench.output.element, ELEMENT_U8);
}

static void quantized_products_are_counted(void **state)
{
    (void)state;
    const struct shape a = {3, {2, 3, 4}}, b = {2, {4, 5}};
    struct bench bench;
    prepare(&bench, "MatMulInteger", 10, (struct attributes){0});
    give(&bench, ELEMENT_U8, a);
    give(&bench, ELEMENT_I8, b);
    struct work work = measured(&bench);
    assert_int_equal(work.macs, 2 * 3 * 5 * 4);
    assert_int_equal(work.flops, 2 * 120);
    prepare(&bench, "QLinearMatMul", 21, (struct attributes){0});
    give(&bench, ELEMENT_U8, a);
    give(&bench, ELEMENT_F16, SCALAR);
    give(&bench, ELEMENT_U8, SCALAR);
    give(&bench, ELEMENT_I8, b);
    give(&bench, ELEMENT_F16, (struct shape){1, {5}});
    give(&bench, ELEMENT_I8, (struct shape){1, {5}});
    give(&bench, ELEMENT_F16, SCALAR);
    give(&bench, ELEMENT_I8, SCALAR);
    work = measured(&bench);
    assert_int_equal(work.macs, 120);
    assert_int_equal(work.flops, 240 + 5 * 30);
    assert_int_equal(bench.output.element, ELEMENT_I8);
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    struct bench bench;
    prepare(&bench, "MatMulInteger", 10, (struct attributes){0});
    give(&bench, ELEMENT_U8, (struct shape){2, {3, 4}});
    give(&bench, ELEMENT_I8, (struct shape){2, {5, 4}});
    assert_refused(&bench, "no matrix product of 3x4 and 5x4");
    prepare(&bench, "MatMulInteger", 10, (struct attributes){0});
    give(&bench, ELEMENT_U8, (struct shape){2, {3, 4}});
    give(&bench, ELEMENT_I8, (struct shape){2, {4, 5}});
    give(&bench, ELEMENT_U8, (struct shape){1, {4}});
    assert_refused(&bench, "one for each row");
    prepare(&bench, "ConvInteger", 10, CONVOLUTION_ATTRIBUTES);
    give(&bench, ELEMENT_U8, (struct shape){4, {1, 6, 5, 6}});
    give(&bench, ELEMENT_I8, FILTERS);
    assert_refused(&bench, "channels of a group");
    prepare(&bench, "DequantizeLinear", 13, (struct attributes){0});
    give(&bench, ELEMENT_U8, (struct shape){2, {3, 4}});
    give(&bench, ELEMENT_F32, (struct shape){1, {3}});
    assert_refused(&bench, "one for each index along the axis");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integer_convolution_is_counted),
        cmocka_unit_test(a_quantized_convolution_rescales_each_sum),
        cmocka_unit_test(quantized_products_are_counted),
        cmocka_unit_test(wrong_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
