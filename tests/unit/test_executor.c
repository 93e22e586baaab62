// The executor where another caller stands around an inner graph.

#include "kernels/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "network/onnx/import.h"
#include "onnx_support.h"

enum { F32 = 1, BOOL = 9, GRAPH = 5 };

static const int64_t PICTURE[] = {1, 1, 2, 2};

static void put_branch(struct bytes *node, const char *name)
{
    struct bytes branch = {0};
    put_message(&branch, NODE, node_of("Conv", "x w", "y", ""));
    put_message(&branch, OUTPUT, named("y"));
    struct bytes attribute = named(name);
    put_message(&attribute, 6, branch);
    put_number(&attribute, 20, GRAPH);
    put_message(node, 5, attribute);
}

// Both branches of an If convolve what lies outside of them.
static struct bytes branching_model(void)
{
    struct bytes node = node_of("If", "c", "z", "");
    put_branch(&node, "then_branch");
    put_branch(&node, "else_branch");
    struct bytes graph = {0};
    put_message(&graph, NODE, node);
    put_message(&graph, INPUT, value_of("c", BOOL, 0, NULL));
    put_message(&graph, INPUT, value_of("x", F32, 4, PICTURE));
    put_message(&graph, INPUT, value_of("w", F32, 4, PICTURE));
    put_message(&graph, OUTPUT, named("z"));
    return model_of(graph, 17);
}

static void assert_ok(status failure)
{
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
}

static struct datum *picture_of(float real)
{
    struct datum *datum;
    assert_ok(datum_tensor(ELEMENT_F32, &(struct shape){4, {1, 1, 2, 2}}, &datum));
    for (int i = 0; i < 4; i++)
        ((float *)datum->tensor.data)[i] = real;
    return datum;
}

static float run_branch(struct executor *executor, uint32_t graph)
{
    struct datum *output;
    assert_ok(executor_run_graph(executor_runner(executor), graph, NULL, 0, &output, 1));
    const float real = *(const float *)output->tensor.data;
    datum_release(output);
    return real;
}

// Weights at the same place with other numbers are not those that were prepared.
static void test_bound_values_may_change(void **state)
{
    (void)state;
    struct bytes model = branching_model();
    struct network *network;
    assert_ok(onnx_import(input_over("m.onnx", bytes_view(&model)), &network));
    assert_ok(network_infer(network));
    struct executor *executor;
    assert_ok(executor_create(network, &(struct executor_options){.threads = 1}, &executor));
    const uint32_t *inputs = network_graph(network, 0)->inputs;
    struct datum *picture = picture_of(1);
    struct datum *weights = picture_of(2);
    executor_bind(executor, inputs[1], picture);
    executor_bind(executor, inputs[2], weights);
    assert_true(run_branch(executor, 1) == 8);
    for (int i = 0; i < 4; i++)
        ((float *)weights->tensor.data)[i] = 3;
    executor_bind(executor, inputs[2], weights);
    assert_true(run_branch(executor, 1) == 12);
    datum_release(picture);
    datum_release(weights);
    executor_free(executor);
    network_free(network);
    bytes_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound_values_may_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
