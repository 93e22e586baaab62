// Lifetimes and planned memory of random graphs, against looking at every pair
// of values.

#include "kernels/buffer_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 60, INPUTS_MOST = 3 };

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static uint32_t add_value(struct network *network, int64_t length)
{
    const uint32_t id = network_value_add(network, (struct view){0});
    network_value(network, id)->type = value_type_tensor(ELEMENT_F32, &(struct shape){1, {length}});
    return id;
}

static uint32_t *one_id(struct network *network, uint32_t id)
{
    uint32_t *ids = arena_allocate(&network->arena, sizeof *ids);
    *ids = id;
    return ids;
}

// A graph whose nodes read up to three earlier values each. Values 0 to NODES:
// the input, then what node i - 1 gives.
static struct network *random_network(void)
{
    struct network *network = network_create(NETWORK_ONNX, input_over("test", (struct view){0}));
    const uint32_t graph_id = network_graph_add(network, VIEW_LITERAL("main"));
    struct network_graph *graph = network_graph(network, graph_id);
    graph->inputs = one_id(network, add_value(network, 5));
    graph->input_count = 1;
    graph->nodes = arena_allocate(&network->arena, NODES * sizeof *graph->nodes);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t id = network_node_add(network, graph_id);
        struct network_node *node = network_node(network, id);
        const uint32_t inputs = 1 + random_below(INPUTS_MOST);
        uint32_t *ids = arena_allocate(&network->arena, inputs * sizeof *ids);
        for (uint32_t j = 0; j < inputs; j++)
            ids[j] = i < 6 || random_below(4) == 0 ? random_below(i + 1) : i - random_below(6);
        node->inputs = ids;
        node->input_count = inputs;
        node->outputs = one_id(network, add_value(network, random_below(200)));
        node->output_count = 1;
        graph->nodes[graph->node_count++] = id;
    }
    graph->outputs = one_id(network, NODES);
    graph->output_count = 1;
    return network;
}

// Place of the last node that reads a value; NETWORK_NONE when there is none.
static uint32_t last_read(const struct network *network, uint32_t value)
{
    uint32_t last = NETWORK_NONE;
    for (uint32_t i = 0; i < NODES; i++) {
        const struct network_node *node = network_node(network, i);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == value)
                last = i;
        }
    }
    return last;
}

static void check_lifetimes(const struct network *network, const struct lifetimes *lifetimes)
{
    uint32_t ended = 0;
    for (uint32_t value = 0; value <= NODES; value++) {
        const uint32_t last = value == NODES ? NETWORK_NONE : last_read(network, value);
        assert_int_equal(lifetimes->last[value], last);
        assert_int_equal(lifetimes->read[value], value == NODES || last != NETWORK_NONE);
        ended += last != NETWORK_NONE;
    }
    const struct graph_lifetimes *lists = &lifetimes->graphs[0];
    assert_int_equal(lists->starts[NODES], ended);
    for (uint32_t i = 0; i < NODES; i++) {
        for (uint32_t j = lists->starts[i]; j < lists->starts[i + 1]; j++)
            assert_int_equal(lifetimes->last[lists->values[j]], i);
    }
}

// Value v > 0 is made by node v - 1 and lives until its last reader is done.
static bool alive_together(const struct lifetimes *lifetimes, uint32_t a, uint32_t b)
{
    return a - 1 <= lifetimes->last[b] && b - 1 <= lifetimes->last[a];
}

static void check_plan(const struct network *network, const struct lifetimes *lifetimes,
                       const struct buffer_plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a <= NODES; a++) {
        const uint64_t bytes = 4 * (uint64_t)network_value(network, a)->type.shape.dims[0];
        const bool planned = a > 0 && lifetimes->last[a] != NETWORK_NONE && bytes > 0;
        assert_int_equal(plan->offsets[a] != BUFFER_PLAN_NOWHERE, planned);
        if (!planned)
            continue;
        sum += plan->sizes[a];
        assert_true(plan->sizes[a] >= bytes);
        assert_int_equal(plan->offsets[a] % TENSOR_ALIGNMENT, 0);
        assert_true(plan->offsets[a] + plan->sizes[a] <= plan->size);
        for (uint32_t b = 1; b < a; b++) {
            if (plan->offsets[b] == BUFFER_PLAN_NOWHERE || !alive_together(lifetimes, a, b))
                continue;
            assert_true(plan->offsets[a] + plan->sizes[a] <= plan->offsets[b] ||
                        plan->offsets[b] + plan->sizes[b] <= plan->offsets[a]);
        }
    }
    assert_true(plan->size < sum); // memory is shared
}

static void values_that_live_together_lie_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_state = seed;
        struct network *network = random_network();
        struct lifetimes *lifetimes = lifetimes_find(network);
        struct buffer_plan *plan = buffer_plan_make(network, lifetimes);
        check_lifetimes(network, lifetimes);
        check_plan(network, lifetimes, plan);
        buffer_plan_free(plan);
        lifetimes_free(lifetimes);
        network_free(network);
    }
}

// main: b = f(a); c = If(a) { d = f(b) }; the branch reads b after its last
// reader outside.
static void a_graph_inside_keeps_what_it_reads(void **state)
{
    (void)state;
    struct network *network = network_create(NETWORK_ONNX, input_over("test", (struct view){0}));
    const uint32_t main_id = network_graph_add(network, VIEW_LITERAL("main"));
    const uint32_t branch_id = network_graph_add(network, VIEW_LITERAL("branch"));
    const uint32_t a = add_value(network, 4);
    const uint32_t b = add_value(network, 4);
    const uint32_t c = add_value(network, 4);
    const uint32_t d = add_value(network, 4);
    const uint32_t first = network_node_add(network, main_id);
    *network_node(network, first) = (struct network_node){.inputs = one_id(network, a),
                                                          .input_count = 1,
                                                          .outputs = one_id(network, b),
                                                          .output_count = 1};
    const struct attribute branch = {
        .name = VIEW_LITERAL("then_branch"), .kind = ATTRIBUTE_GRAPH, .graph = branch_id};
    const uint32_t condition = network_node_add(network, main_id);
    *network_node(network, condition) = (struct network_node){.inputs = one_id(network, a),
                                                              .input_count = 1,
                                                              .outputs = one_id(network, c),
                                                              .output_count = 1,
                                                              .attributes = {&branch, 1}};
    const uint32_t inner = network_node_add(network, branch_id);
    *network_node(network, inner) = (struct network_node){.inputs = one_id(network, b),
                                                          .input_count = 1,
                                                          .outputs = one_id(network, d),
                                                          .output_count = 1};
    *network_graph(network, main_id) =
        (struct network_graph){.nodes = (uint32_t[]){first, condition},
                               .node_count = 2,
                               .inputs = one_id(network, a),
                               .input_count = 1,
                               .outputs = one_id(network, c),
                               .output_count = 1};
    *network_graph(network, branch_id) = (struct network_graph){.nodes = (uint32_t[]){inner},
                                                                .node_count = 1,
                                                                .outputs = one_id(network, d),
                                                                .output_count = 1};

    struct lifetimes *lifetimes = lifetimes_find(network);
    assert_int_equal(lifetimes->last[a], 1);
    assert_int_equal(lifetimes->last[b], 1);
    assert_int_equal(lifetimes->last[c], NETWORK_NONE);
    assert_int_equal(lifetimes->last[d], NETWORK_NONE);
    assert_int_equal(lifetimes->home[d], branch_id);
    assert_true(lifetimes->read[d]);
    lifetimes_free(lifetimes);
    network_free(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_live_together_lie_apart),
        cmocka_unit_test(a_graph_inside_keeps_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
