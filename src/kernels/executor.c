#include "executor.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "buffer_plan.h"
#include "invoke.h"

// What an inner graph is run with: the executor itself.
struct kernel_runner {
    struct executor *executor;
};

struct executor {
    const struct network *network;
    struct parallel *parallel;
    bool owns_parallel;
    struct lifetimes *lifetimes;
    struct buffer_plan *plan;
    struct datum *planned;       // the bytes of the plan
    kernel_function *kernels;    // by node
    struct kernel_state **state; // by node
    struct datum **constants;    // by value, made when first used
    struct datum **values;       // by value, while the network runs
    struct datum **bound;        // by value, from outside
    bool overridden;             // an input is not what its initializer says
    struct kernel_runner runner;
    uint64_t *times; // by node, NULL: not asked for
};

static status executor_name_node(const struct executor *executor, const struct network_node *node,
                                 status failure)
{
    // A node inside this one has been named already.
    if (executor->network->source != NULL &&
        view_starts_with(view_of(status_message(failure)), executor->network->source->path))
        return failure;
    char text[200];
    const status named =
        status_make(status_code_of(failure), "%s: %s: %s", executor->network->source->path,
                    network_node_text(node, text, sizeof text), status_message(failure));
    status_free(failure);
    return named;
}

static status executor_find_kernels(struct executor *executor)
{
    const struct network *network = executor->network;
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct network_node *node = network_node(network, i);
        executor->kernels[i] = kernel_find(node->definition);
        if (executor->kernels[i] == NULL)
            return executor_name_node(
                executor, node, status_make(STATUS_UNSUPPORTED, "the host has no kernel for it"));
    }
    return STATUS_OK;
}

static status make_plan(struct executor *executor)
{
    executor->lifetimes = lifetimes_find(executor->network);
    executor->plan = buffer_plan_make(executor->network, executor->lifetimes);
    const struct shape bytes = {1, {(int64_t)executor->plan->size}};
    return datum_tensor(ELEMENT_U8, &bytes, &executor->planned);
}

status executor_create(const struct network *network, const struct executor_options *options,
                       struct executor **out_executor)
{
    const size_t nodes = network->nodes.count;
    const size_t values = network->values.count;
    struct executor *executor = memory_allocate_zeroed(1, sizeof *executor);
    executor->network = network;
    executor->runner.executor = executor;
    executor->kernels = memory_allocate_zeroed(nodes + 1, sizeof *executor->kernels);
    executor->state = memory_allocate_zeroed(nodes + 1, sizeof *executor->state);
    executor->constants = memory_allocate_zeroed(values + 1, sizeof *executor->constants);
    executor->values = memory_allocate_zeroed(values + 1, sizeof *executor->values);
    executor->bound = memory_allocate_zeroed(values + 1, sizeof *executor->bound);
    executor->owns_parallel = options->parallel == NULL;
    executor->parallel =
        executor->owns_parallel ? parallel_create(options->threads) : options->parallel;
    datum_limit(options->memory_limit);
    // Kernels take memory for intermediate results and give it back at every call.
    memory_keep_freed();
    status failure = executor_find_kernels(executor);
    if (failure == STATUS_OK)
        failure = make_plan(executor);
    if (failure != STATUS_OK) {
        executor_free(executor);
        return failure;
    }
    *out_executor = executor;
    return STATUS_OK;
}

void executor_free(struct executor *executor)
{
    if (executor == NULL)
        return;
    for (uint32_t i = 0; i < executor->network->nodes.count; i++) {
        if (executor->state[i] != NULL)
            executor->state[i]->free(executor->state[i]);
    }
    for (uint32_t i = 0; i < executor->network->values.count; i++) {
        datum_release(executor->constants[i]);
        datum_release(executor->bound[i]);
    }
    datum_release(executor->planned);
    lifetimes_free(executor->lifetimes);
    buffer_plan_free(executor->plan);
    if (executor->owns_parallel)
        parallel_free(executor->parallel);
    free(executor->kernels);
    free(executor->state);
    free(executor->constants);
    free(executor->values);
    free(executor->bound);
    free(executor);
}

static status load_constant(struct executor *executor, uint32_t id, const struct constant *constant)
{
    if (constant_ready(constant)) {
        executor->constants[id] = datum_over(&constant->tensor);
        return STATUS_OK;
    }
    STATUS_TRY(
        datum_tensor(constant->tensor.element, &constant->tensor.shape, &executor->constants[id]));
    constant_unpack(constant, executor->constants[id]->tensor.data);
    return STATUS_OK;
}

// The datum of a value, without a reference for the caller.
static status get_value(struct executor *executor, uint32_t id, struct datum **out_datum)
{
    *out_datum = executor->values[id] != NULL ? executor->values[id] : executor->bound[id];
    if (*out_datum != NULL)
        return STATUS_OK;
    const struct network_value *value = network_value(executor->network, id);
    if (value->constant == NULL)
        return status_make(STATUS_DATA, "value '%.*s' was not computed",
                           VIEW_ARGUMENTS(value->name));
    if (executor->constants[id] == NULL)
        STATUS_TRY(load_constant(executor, id, value->constant));
    *out_datum = executor->constants[id];
    return STATUS_OK;
}

// Ends the life of a value. What somebody still holds on to (a sequence, an
// output) leaves the planned memory before that is used again.
static status drop_value(struct executor *executor, uint32_t id)
{
    struct datum *datum = executor->values[id];
    executor->values[id] = NULL;
    if (datum == NULL)
        return STATUS_OK;
    status failure = STATUS_OK;
    if (datum->references > 1 && executor->plan->offsets[id] != BUFFER_PLAN_NOWHERE)
        failure = datum_own(datum);
    datum_release(datum);
    return failure;
}

static void step_place_outputs(const struct executor *executor, const struct network_node *node,
                               struct invoke_frame *step)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t id = node->outputs[i];
        if (id == NETWORK_NONE)
            continue;
        step->wanted[i] = executor->lifetimes->read[id];
        if (executor->plan->offsets[id] == BUFFER_PLAN_NOWHERE)
            continue;
        step->places[i] = (char *)executor->planned->tensor.data + executor->plan->offsets[id];
        step->sizes[i] = executor->plan->sizes[id];
    }
}

static status step_run(struct executor *executor, uint32_t node_id, struct invoke_frame *step)
{
    const struct network_node *node = network_node(executor->network, node_id);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t id = node->inputs[i];
        if (id == NETWORK_NONE)
            continue;
        step->fixed[i] = executor->values[id] == NULL && executor->bound[id] == NULL;
        STATUS_TRY(get_value(executor, id, &step->inputs[i]));
    }
    step_place_outputs(executor, node, step);
    STATUS_TRY(invoke(&(struct invocation){.network = executor->network,
                                           .node = node,
                                           .run = executor->kernels[node_id],
                                           .inputs = step->inputs,
                                           .fixed = step->fixed,
                                           .wanted = step->wanted,
                                           .places = step->places,
                                           .sizes = step->sizes,
                                           .parallel = executor->parallel,
                                           .state = &executor->state[node_id],
                                           .runner = &executor->runner},
                      step->outputs));
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            executor->values[node->outputs[i]] = step->outputs[i];
    }
    return STATUS_OK;
}

// Whether all that the node gives is known without running it. What was
// calculated from initializers is not when another value stands for one of them.
static bool already_known(const struct executor *executor, const struct network_node *node)
{
    const bool calculated_anew = executor->overridden && node->input_count > 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] == NETWORK_NONE || !executor->lifetimes->read[node->outputs[i]])
            continue;
        if (calculated_anew || network_value(executor->network, node->outputs[i])->constant == NULL)
            return false;
    }
    return true;
}

static status run_node(struct executor *executor, uint32_t node_id)
{
    const struct network_node *node = network_node(executor->network, node_id);
    if (already_known(executor, node))
        return STATUS_OK;
    struct invoke_frame step;
    invoke_frame_start(&step, node);
    const status failure = step_run(executor, node_id, &step);
    invoke_frame_free(&step);
    return failure == STATUS_OK ? STATUS_OK : executor_name_node(executor, node, failure);
}

static status time_node(struct executor *executor, uint32_t node_id)
{
    const uint64_t start = monotonic_ns();
    const status failure = run_node(executor, node_id);
    executor->times[node_id] += monotonic_ns() - start;
    return failure;
}

void executor_time_nodes(struct executor *executor, uint64_t *times)
{
    executor->times = times;
}

static status run_nodes(struct executor *executor, uint32_t graph_id)
{
    const struct network_graph *graph = network_graph(executor->network, graph_id);
    const struct graph_lifetimes *lists = &executor->lifetimes->graphs[graph_id];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        STATUS_TRY(executor->times != NULL ? time_node(executor, graph->nodes[i])
                                           : run_node(executor, graph->nodes[i]));
        for (uint32_t j = lists->starts[i]; j < lists->starts[i + 1]; j++)
            STATUS_TRY(drop_value(executor, lists->values[j]));
    }
    return STATUS_OK;
}

static status take_outputs(struct executor *executor, uint32_t graph_id, struct datum **out_outputs)
{
    const struct network_graph *graph = network_graph(executor->network, graph_id);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        struct datum *datum;
        STATUS_TRY(get_value(executor, graph->outputs[i], &datum));
        out_outputs[i] = datum_keep(datum);
    }
    return STATUS_OK;
}

static status run_graph(struct executor *executor, uint32_t graph_id, struct datum *const *inputs,
                        size_t input_count, struct datum **out_outputs)
{
    const struct network_graph *graph = network_graph(executor->network, graph_id);
    for (uint32_t i = 0; i < graph->output_count; i++)
        out_outputs[i] = NULL;
    for (uint32_t i = 0; i < graph->input_count && i < input_count; i++)
        executor->values[graph->inputs[i]] = inputs[i] != NULL ? datum_keep(inputs[i]) : NULL;

    status failure = run_nodes(executor, graph_id);
    if (failure == STATUS_OK)
        failure = take_outputs(executor, graph_id, out_outputs);
    const struct graph_lifetimes *lists = &executor->lifetimes->graphs[graph_id];
    for (uint32_t i = 0; i < lists->own_count; i++)
        failure = status_first(failure, drop_value(executor, lists->own[i]));
    for (uint32_t i = 0; failure != STATUS_OK && i < graph->output_count; i++) {
        datum_release(out_outputs[i]);
        out_outputs[i] = NULL;
    }
    return failure;
}

status executor_run_graph(struct kernel_runner *runner, uint32_t graph, struct datum *const *inputs,
                          size_t input_count, struct datum **out_outputs, size_t output_count)
{
    const struct network_graph *inner = network_graph(runner->executor->network, graph);
    if (input_count != inner->input_count)
        return status_make(STATUS_DATA, "graph '%.*s' takes %" PRIu32 " inputs, not %zu",
                           VIEW_ARGUMENTS(inner->name), inner->input_count, input_count);
    if (output_count != inner->output_count)
        return status_make(STATUS_DATA, "graph '%.*s' gives %" PRIu32 " outputs, not %zu",
                           VIEW_ARGUMENTS(inner->name), inner->output_count, output_count);
    return run_graph(runner->executor, graph, inputs, input_count, out_outputs);
}

struct kernel_runner *executor_runner(struct executor *executor)
{
    return &executor->runner;
}

void executor_bind(struct executor *executor, uint32_t value, struct datum *datum)
{
    datum_release(executor->bound[value]);
    executor->bound[value] = datum_keep(datum);
}

const struct network *executor_network(const struct kernel_runner *runner)
{
    return runner->executor->network;
}

static status check_tensor_input(const struct network_value *value, const struct tensor *tensor)
{
    const struct value_type given = value_type_tensor(tensor->element, &tensor->shape);
    struct value_type merged;
    const status failure = value_type_merge(&value->type, &given, &merged);
    if (failure == STATUS_OK)
        return STATUS_OK;
    const status named = status_make(STATUS_DATA, "input '%.*s': %s", VIEW_ARGUMENTS(value->name),
                                     status_message(failure));
    status_free(failure);
    return named;
}

status executor_check_inputs(const struct network *network, struct datum *const *inputs,
                             size_t count)
{
    const struct network_graph *graph = network_graph(network, 0);
    if (count > graph->input_count)
        return status_make(STATUS_DATA, "%s takes %" PRIu32 " inputs, not %zu",
                           network->source->path, graph->input_count, count);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (i < count && inputs[i] != NULL) {
            if (inputs[i]->kind == DATUM_TENSOR)
                STATUS_TRY(check_tensor_input(value, &inputs[i]->tensor));
        } else if (value->constant == NULL) {
            return status_make(STATUS_DATA, "input '%.*s' is not given",
                               VIEW_ARGUMENTS(value->name));
        }
    }
    return STATUS_OK;
}

static bool any_overridden(const struct network *network, struct datum *const *inputs, size_t count)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (size_t i = 0; i < count; i++) {
        if (inputs[i] != NULL && network_value(network, graph->inputs[i])->constant != NULL)
            return true;
    }
    return false;
}

// A constant given out lives in the network, or in the executor: the caller gets
// a copy.
static status own_outputs(const struct network_graph *graph, struct datum **outputs)
{
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (outputs[i]->kind == DATUM_TENSOR && !outputs[i]->owns_data)
            STATUS_TRY(datum_own(outputs[i]));
    }
    return STATUS_OK;
}

status executor_run(struct executor *executor, struct datum *const *inputs, size_t input_count,
                    struct datum **out_outputs)
{
    STATUS_TRY(executor_check_inputs(executor->network, inputs, input_count));
    executor->overridden = any_overridden(executor->network, inputs, input_count);
    STATUS_TRY(run_graph(executor, 0, inputs, input_count, out_outputs));
    const struct network_graph *graph = network_graph(executor->network, 0);
    const status failure = own_outputs(graph, out_outputs);
    for (uint32_t i = 0; failure != STATUS_OK && i < graph->output_count; i++) {
        datum_release(out_outputs[i]);
        out_outputs[i] = NULL;
    }
    return failure;
}
