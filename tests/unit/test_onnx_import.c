// ONNX models: what is in the file is in the network, and what is wrong is named.

#include "network/onnx/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "onnx_support.h"

enum { F32 = 1, I64 = 7 };

static const int64_t ROWS[] = {-2, 3};

static status import_at(const char *path, const struct bytes *model, struct network **out_network)
{
    return onnx_import(input_over(path, bytes_view(model)), out_network);
}

// Imports a model, which must outlive the network.
static struct network *import(const struct bytes *model)
{
    struct network *network;
    const status failure = import_at("m.onnx", model, &network);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return network;
}

// The model is refused with a message that has all the texts, separated by '|'.
static void assert_refused(struct bytes model, const char *texts)
{
    struct network *network;
    const status failure = import_at("m.onnx", &model, &network);
    assert_non_null(failure);
    const struct view message = view_of(status_message(failure));
    struct view rest = view_of(texts);
    while (rest.size > 0) {
        const size_t end = view_find(rest, '|');
        char text[200];
        snprintf(text, sizeof text, "%.*s", (int)end, rest.data);
        if (view_find_text(message, text) == message.size)
            fail_msg("'%s' is not in: %s", text, message.data);
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    status_free(failure);
    bytes_free(&model);
}

// A graph with input x (n x 3, f32) and output y.
static struct bytes graph_xy(void)
{
    struct bytes graph = {0};
    put_text(&graph, NAME, "main");
    put_message(&graph, INPUT, value_of("x", F32, 2, ROWS));
    put_message(&graph, OUTPUT, named("y"));
    return graph;
}

static struct bytes model_with(struct bytes node)
{
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, node);
    return model_of(graph, 21);
}

static uint32_t value_called(const struct network *network, const char *name)
{
    for (uint32_t i = 0; i < network->values.count; i++) {
        if (view_is(network_value(network, i)->name, name))
            return i;
    }
    fail_msg("there is no value '%s'", name);
    return NETWORK_NONE;
}

static const struct network_node *node_at(const struct network *network, uint32_t graph,
                                          uint32_t index)
{
    assert_true(index < network_graph(network, graph)->node_count);
    return network_node(network, network_graph(network, graph)->nodes[index]);
}

static void a_model_comes_with_all_that_the_file_says(void **state)
{
    (void)state;
    struct bytes add = node_of("Add", "x w", "t", "add");
    put_text(&add, 6, "net.py(12): forward\nmain.py(3): run");
    struct bytes entry = named("namespace");
    put_text(&entry, 2, "net/relu");
    struct bytes relu = node_of("Relu", "t", "y", "");
    put_message(&relu, 9, entry);
    const float weights[3] = {1, 2, 3};
    struct bytes w = tensor_of("w", F32, 1, (int64_t[]){3});
    put_view(&w, 9, (struct view){(const char *)weights, sizeof weights});
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, add);
    put_message(&graph, NODE, relu);
    put_message(&graph, INITIALIZER, w);
    put_message(&graph, VALUE, value_of("t", F32, 2, ROWS));
    struct bytes model = model_of(graph, 14);
    struct network *network = import(&model);

    assert_true(view_is(network->name, "main"));
    assert_true(view_is(network->producer, "tests 7"));
    assert_int_equal(network->graphs.count, 1);
    assert_int_equal(network_graph(network, 0)->node_count, 2);
    const struct network_node *first = node_at(network, 0, 0);
    assert_true(view_is(first->name, "add"));
    assert_true(view_is(first->location, "net.py(12): forward"));
    assert_int_equal(first->version, 14);
    assert_int_equal(first->index, 0);
    const struct network_node *second = node_at(network, 0, 1);
    assert_true(view_is(second->location, "net/relu"));
    assert_int_equal(second->index, 1);
    assert_int_equal(second->inputs[0], first->outputs[0]);

    const struct network_value *x = network_value(network, value_called(network, "x"));
    assert_int_equal(x->type.shape.dims[0], SHAPE_UNKNOWN);
    assert_int_equal(x->type.shape.dims[1], 3);
    assert_true(view_is(x->symbols[0], "n"));
    assert_int_equal(x->symbols[1].size, 0);
    assert_int_equal(network_value(network, first->outputs[0])->type.shape.rank, 2);
    const struct constant *constant = network_value(network, first->inputs[1])->constant;
    const char *data = constant->tensor.data;
    assert_true(data > (char *)model.data && data < (char *)model.data + model.size);
    assert_memory_equal(data, weights, sizeof weights);
    network_free(network);
    bytes_free(&model);
}

static void nodes_in_any_order_are_put_in_order(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    struct bytes graph = graph_xy();
    for (int i = COUNT; i-- > 0;) {
        char from[20];
        char to[20];
        snprintf(from, sizeof from, i == 0 ? "x" : "v%d", i);
        snprintf(to, sizeof to, i == COUNT - 1 ? "y" : "v%d", i + 1);
        put_message(&graph, NODE, node_of("Neg", from, to, ""));
    }
    struct bytes model = model_of(graph, 21);
    struct network *network = import(&model);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(node_at(network, 0, i)->index, COUNT - 1 - i);
    network_free(network);
    bytes_free(&model);
}

static void a_cycle_is_refused(void **state)
{
    (void)state;
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, node_of("Add", "x b", "a", "one"));
    put_message(&graph, NODE, node_of("Neg", "a", "b", "two"));
    put_message(&graph, NODE, node_of("Neg", "b", "y", "three"));
    assert_refused(model_of(graph, 21), "m.onnx: node 'one' (Add)|needs its own result");
}

static struct bytes attribute_of(const char *name, uint32_t field, struct bytes value,
                                 unsigned type)
{
    struct bytes attribute = named(name);
    put_message(&attribute, field, value);
    put_number(&attribute, 20, type);
    return attribute;
}

static struct bytes branch_of(const char *type, const char *input, const char *result)
{
    struct bytes graph = {0};
    put_message(&graph, NODE, node_of(type, input, result, ""));
    put_message(&graph, OUTPUT, named(result));
    return graph;
}

static struct bytes if_of(struct bytes then_branch, struct bytes else_branch, const char *outputs)
{
    struct bytes node = node_of("If", "c", outputs, "choose");
    put_message(&node, 5, attribute_of("then_branch", 6, then_branch, 5));
    put_message(&node, 5, attribute_of("else_branch", 6, else_branch, 5));
    return node;
}

// One branch takes a value of the outer graph that a later node computes; the
// other gives its own value the name of an outer one.
static void inner_graphs_see_the_names_around_them(void **state)
{
    (void)state;
    struct bytes graph = graph_xy();
    put_message(&graph, INPUT, value_of("c", 9, 0, NULL));
    put_message(&graph, NODE, if_of(branch_of("Neg", "t", "r"), branch_of("Abs", "x", "t"), "y"));
    put_message(&graph, NODE, node_of("Relu", "x", "t", "late"));
    struct bytes model = model_of(graph, 21);
    struct network *network = import(&model);
    assert_int_equal(network->graphs.count, 3);
    const struct network_node *relu = node_at(network, 0, 0);
    assert_true(view_is(relu->name, "late"));
    const struct network_node *choose = node_at(network, 0, 1);
    const uint32_t first = choose->attributes.items[0].graph;
    const uint32_t second = choose->attributes.items[1].graph;
    assert_int_equal(node_at(network, first, 0)->inputs[0], relu->outputs[0]);
    assert_int_not_equal(node_at(network, second, 0)->outputs[0], relu->outputs[0]);
    assert_int_equal(network_graph(network, second)->outputs[0],
                     node_at(network, second, 0)->outputs[0]);
    network_free(network);
    bytes_free(&model);
}

static void graphs_nest_only_so_deep(void **state)
{
    (void)state;
    struct bytes inner = branch_of("Neg", "x", "y");
    for (int i = 0; i < 80; i++) {
        struct bytes outer = {0};
        struct bytes node = node_of("If", "x", "y", "");
        put_message(&node, 5, attribute_of("then_branch", 6, inner, 5));
        put_message(&outer, NODE, node);
        put_message(&outer, OUTPUT, named("y"));
        inner = outer;
    }
    put_message(&inner, INPUT, value_of("x", 9, 0, NULL));
    assert_refused(model_of(inner, 21), "more than 64 deep");
}

static struct bytes function_of(const char *name, const char *inputs, const char *outputs)
{
    struct bytes function = named(name);
    put_names(&function, 4, inputs);
    put_names(&function, 5, outputs);
    put_message(&function, 9, opset_of("", 17));
    put_text(&function, 10, "local");
    return function;
}

static struct bytes call_of(const char *function, const char *inputs, const char *outputs,
                            const char *name)
{
    struct bytes node = node_of(function, inputs, outputs, name);
    put_text(&node, 7, "local");
    return node;
}

static struct bytes reference_of(const char *name, const char *to)
{
    struct bytes attribute = named(name);
    put_text(&attribute, 21, to);
    return attribute;
}

static struct bytes real_of(const char *name, float value)
{
    struct bytes attribute = named(name);
    put_float(&attribute, 2, value);
    put_number(&attribute, 20, 1);
    return attribute;
}

// Outer(p) = LeakyRelu(Inner(p)) and p itself; Inner(a) = LeakyRelu(a).
static void functions_are_put_in_where_they_are_called(void **state)
{
    (void)state;
    struct bytes leaky = node_of("LeakyRelu", "a", "b", "leaky");
    put_message(&leaky, 5, reference_of("alpha", "slope"));
    struct bytes inner = function_of("Inner", "a", "b");
    put_message(&inner, 7, leaky);

    struct bytes call = call_of("Inner", "p", "r", "in");
    put_message(&call, 5, reference_of("slope", "slope"));
    leaky = node_of("LeakyRelu", "r", "q", "");
    put_message(&leaky, 5, reference_of("alpha", "missing"));
    struct bytes outer = function_of("Outer", "p", "q p");
    put_message(&outer, 7, call);
    put_message(&outer, 7, leaky);
    put_message(&outer, 11, real_of("slope", 0.25f));

    struct bytes graph = graph_xy();
    put_message(&graph, NODE, call_of("Outer", "x", "h same", "one"));
    call = call_of("Outer", "h", "y -", "");
    put_message(&call, 5, real_of("slope", 0.5f));
    put_message(&graph, NODE, call);
    put_message(&graph, OUTPUT, named("same"));
    struct bytes model = model_of(graph, 21);
    put_message(&model, FUNCTION, inner);
    put_message(&model, FUNCTION, outer);
    struct network *network = import(&model);

    assert_int_equal(network_graph(network, 0)->node_count, 5);
    const struct network_node *first = node_at(network, 0, 0);
    assert_true(view_is(first->name, "one/in/leaky"));
    assert_int_equal(first->version, 17);
    assert_int_equal(first->inputs[0], network_graph(network, 0)->inputs[0]);
    assert_true(attribute_real(first->attributes, "alpha", 0) == 0.25);
    const struct network_node *second = node_at(network, 0, 1);
    assert_true(view_is(second->name, "one/LeakyRelu"));
    assert_int_equal(second->attributes.count, 0);
    assert_int_equal(second->outputs[0], value_called(network, "h"));
    const struct network_node *same = node_at(network, 0, 2);
    assert_true(view_is(same->type, "Identity"));
    assert_int_equal(same->inputs[0], network_graph(network, 0)->inputs[0]);
    const struct network_node *third = node_at(network, 0, 3);
    assert_true(view_is(third->name, "Outer/in/leaky"));
    assert_int_equal(third->index, 1);
    assert_true(attribute_real(third->attributes, "alpha", 0) == 0.5);
    network_free(network);
    bytes_free(&model);
}

static void a_function_that_calls_itself_is_refused(void **state)
{
    (void)state;
    struct bytes one = function_of("One", "a", "b");
    put_message(&one, 7, call_of("Two", "a", "b", "to_two"));
    struct bytes two = function_of("Two", "a", "b");
    put_message(&two, 7, call_of("One", "a", "b", "to_one"));
    struct bytes model = model_with(call_of("One", "x", "y", "start"));
    put_message(&model, FUNCTION, one);
    put_message(&model, FUNCTION, two);
    assert_refused(model, "node 'start' (One)|node 'to_two' (Two)|'One' calls itself");
}

// Forty functions that each call the next one twice would be 2^40 nodes.
static void functions_cannot_unfold_without_bound(void **state)
{
    (void)state;
    struct bytes model = model_with(call_of("F0", "x", "y", ""));
    for (int i = 0; i < 40; i++) {
        char name[20];
        char next[20];
        snprintf(name, sizeof name, "F%d", i);
        snprintf(next, sizeof next, "F%d", i + 1);
        struct bytes function = function_of(name, "a", "b");
        put_message(&function, 7, call_of(next, "a", "t", ""));
        put_message(&function, 7, call_of(next, "t", "b", ""));
        put_message(&model, FUNCTION, function);
    }
    struct bytes last = function_of("F40", "a", "b");
    put_message(&last, 7, node_of("Neg", "a", "b", ""));
    put_message(&model, FUNCTION, last);
    assert_refused(model, "unfold to too many nodes");
}

// The branch that the function is called with; two places could not share it.
static void a_graph_given_to_a_function_is_put_in_once(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct bytes choose = node_of("If", "c", "b", "choose");
        put_message(&choose, 5, reference_of("then_branch", "branch"));
        put_message(&choose, 5, reference_of("else_branch", twice ? "branch" : "other"));
        struct bytes function = function_of("F", "c", "b");
        put_message(&function, 7, choose);
        put_message(&function, 11, attribute_of("other", 6, branch_of("Not", "c", "r"), 5));
        struct bytes call = call_of("F", "c", "y", "call");
        put_message(&call, 5, attribute_of("branch", 6, branch_of("Neg", "x", "r"), 5));
        struct bytes graph = graph_xy();
        put_message(&graph, INPUT, value_of("c", 9, 0, NULL));
        put_message(&graph, NODE, call);
        struct bytes model = model_of(graph, 21);
        put_message(&model, FUNCTION, function);
        if (twice) {
            assert_refused(model, "node 'call' (F)|node 'choose' (If)|'else_branch'|twice");
            continue;
        }
        struct network *network = import(&model);
        const struct network_node *node = node_at(network, 0, 0);
        const struct network_node *given = node_at(network, node->attributes.items[0].graph, 0);
        const struct network_node *other = node_at(network, node->attributes.items[1].graph, 0);
        assert_int_equal(given->inputs[0], network_graph(network, 0)->inputs[0]);
        assert_int_equal(other->inputs[0], network_graph(network, 0)->inputs[1]);
        assert_true(view_is(other->name, "call/Not"));
        network_free(network);
        bytes_free(&model);
    }
}

static void what_does_not_fit_together_is_named(void **state)
{
    (void)state;
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, node_of("Neg", "x", "y", "one"));
    put_message(&graph, NODE, node_of("Abs", "x", "y", "two"));
    assert_refused(model_of(graph, 21), "node 'two' (Abs)|'y' is defined twice");
    assert_refused(model_with(node_of("Neg", "z", "y", "one")),
                   "node 'one' (Neg)|input 'z' is defined nowhere");
    assert_refused(model_with(node_of("Neg", "x", "z", "one")),
                   "output 'y' is computed by no node");
    assert_refused(model_with(node_of("Nag", "x", "y", "one")),
                   "node 'one' (Nag)|no operator 'Nag'|'ai.onnx'|version 21");
    struct bytes foreign = node_of("Neg", "x", "y", "one");
    put_text(&foreign, 7, "com.example");
    assert_refused(model_with(foreign), "node 'one' (Neg)|'com.example'|does not import");
    graph = graph_xy();
    put_message(&graph, NODE, node_of("Neg", "x", "y", "one"));
    assert_refused(model_of(graph, 22), "operator set 22|1 to 21 are read");
    struct bytes empty = {0};
    put_number(&empty, 1, 10);
    assert_refused(empty, "holds no graph");
}

static void an_input_may_have_a_constant_as_default(void **state)
{
    (void)state;
    struct bytes w = tensor_of("x", F32, 2, (int64_t[]){1, 3});
    put_view(&w, 4, (struct view){"\0\0\0\0\0\0\0\0\0\0\0\0", 12});
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, node_of("Neg", "x", "y", ""));
    put_message(&graph, INITIALIZER, w);
    struct bytes model = model_of(graph, 8);
    struct network *network = import(&model);
    const uint32_t x = network_graph(network, 0)->inputs[0];
    assert_non_null(network_value(network, x)->constant);
    assert_int_equal(network_value(network, x)->type.shape.dims[0], 1);
    network_free(network);
    bytes_free(&model);
}

// Every cut of a model is an error or a smaller model, never more.
static void a_model_cut_anywhere_is_refused_or_smaller(void **state)
{
    (void)state;
    struct bytes graph = graph_xy();
    put_message(&graph, INPUT, value_of("c", 9, 0, NULL));
    put_message(&graph, NODE, if_of(branch_of("Neg", "x", "r"), branch_of("Abs", "x", "t"), "y"));
    struct bytes model = model_of(graph, 21);
    put_text(&model, 6, "a doc string");
    size_t refused = 0;
    for (size_t size = 0; size < model.size; size++) {
        // A copy of its own, so that reading past it is seen.
        const struct view cut = {memcpy(malloc(size + 1), model.data, size), size};
        struct network *network = NULL;
        const status failure = onnx_import(input_over("m.onnx", cut), &network);
        refused += failure != STATUS_OK;
        status_free(failure);
        network_free(network);
        free((void *)(uintptr_t)cut.data);
    }
    // The doc string may be missing: that is the only whole model.
    assert_int_equal(refused, model.size - 1);
    bytes_free(&model);
}

static struct network *apply_to(const struct bytes *model, const char *shape, const char *symbol,
                                const char *refusal)
{
    struct network *network = import(model);
    const struct network_options options = {&shape, &symbol, shape != NULL, symbol != NULL};
    const status failure = network_apply(network, &options);
    if (refusal == NULL) {
        assert_null(failure);
        return network;
    }
    assert_non_null(failure);
    if (strstr(status_message(failure), refusal) == NULL)
        fail_msg("'%s' is not in: %s", refusal, status_message(failure));
    status_free(failure);
    network_free(network);
    return NULL;
}

static void the_user_gives_lengths_to_dimensions(void **state)
{
    (void)state;
    struct bytes graph = graph_xy();
    put_message(&graph, NODE, node_of("Neg", "x", "y", ""));
    put_message(&graph, VALUE, value_of("y", F32, 2, ROWS));
    struct bytes model = model_of(graph, 21);
    static const struct {
        const char *shape, *symbol;
    } ways[] = {{"x=5x3", NULL}, {"5x3", NULL}, {NULL, "n,5"}, {"?x3", "n,5"}, {"x=5x?", "n,5"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct network *network = apply_to(&model, ways[i].shape, ways[i].symbol, NULL);
        for (uint32_t k = 0; k < network->values.count; k++) {
            assert_int_equal(network_value(network, k)->type.shape.dims[0], 5);
            assert_int_equal(network_value(network, k)->type.shape.dims[1], 3);
        }
        network_free(network);
    }
    apply_to(&model, "z=5x3", NULL, "no input 'z'; there is 'x'");
    apply_to(&model, "x=5x4", NULL, "input 'x'");
    apply_to(&model, "x=5", NULL, "input 'x'");
    apply_to(&model, "x=5xx3", NULL, "not a shape");
    apply_to(&model, "x=5x3x", NULL, "not a shape");
    apply_to(&model, "x=-5x3", NULL, "not a shape");
    apply_to(&model, NULL, "m,5", "no dimension is called 'm'");
    apply_to(&model, NULL, "n", "batch,1");
    apply_to(&model, "x=4x3", "n,5", "both 5 and 4");
    bytes_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_with_all_that_the_file_says),
        cmocka_unit_test(nodes_in_any_order_are_put_in_order),
        cmocka_unit_test(a_cycle_is_refused),
        cmocka_unit_test(inner_graphs_see_the_names_around_them),
        cmocka_unit_test(graphs_nest_only_so_deep),
        cmocka_unit_test(functions_are_put_in_where_they_are_called),
        cmocka_unit_test(a_function_that_calls_itself_is_refused),
        cmocka_unit_test(functions_cannot_unfold_without_bound),
        cmocka_unit_test(a_graph_given_to_a_function_is_put_in_once),
        cmocka_unit_test(what_does_not_fit_together_is_named),
        cmocka_unit_test(an_input_may_have_a_constant_as_default),
        cmocka_unit_test(a_model_cut_anywhere_is_refused_or_smaller),
        cmocka_unit_test(the_user_gives_lengths_to_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
