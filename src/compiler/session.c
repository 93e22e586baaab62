#include "session.h"

#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "device/host.h"
#include "kernels/executor.h"

struct session {
    struct network *network;
    struct session_options options;
    bool prepared;
    struct executor *executor; // of a network that is computed plainly
    struct target *target;
    struct plan *plan;
    struct program_builder *builder;
    struct program program;
    struct host_device *device;
    uint64_t *times; // by task
};

struct session *session_create(struct network *network, const struct session_options *options)
{
    struct session *session = memory_allocate_zeroed(1, sizeof *session);
    session->network = network;
    session->options = *options;
    datum_limit(0);
    return session;
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    host_device_free(session->device);
    program_builder_free(session->builder);
    plan_free(session->plan);
    target_free(session->target);
    executor_free(session->executor);
    free(session->times);
    free(session);
}

static bool replaces_constant(const struct network *network, struct datum *const *inputs,
                              size_t count)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (size_t i = 0; i < count; i++) {
        if (inputs[i] != NULL && network_value(network, graph->inputs[i])->constant != NULL)
            return true;
    }
    return false;
}

// Such an operator must find the others as they are written.
static bool looks_at_operators(const struct network *network)
{
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        if (network_node(network, i)->definition->reads_graph)
            return true;
    }
    return false;
}

// Shapes that the network leaves open are those of the inputs at hand. Returns whether there
// were any.
static bool close_shapes(struct network *network, struct datum *const *inputs, size_t count)
{
    const struct network_graph *graph = network_graph(network, 0);
    bool some = false;
    for (size_t i = 0; i < count; i++) {
        struct network_value *value = network_value(network, graph->inputs[i]);
        if (inputs[i] == NULL || inputs[i]->kind != DATUM_TENSOR || value->type.optional ||
            value->type.kind != VALUE_TENSOR || value_type_static(&value->type))
            continue;
        value->type = value_type_tensor(inputs[i]->tensor.element, &inputs[i]->tensor.shape);
        some = true;
    }
    return some;
}

// A branch that is never taken may not fit the shapes: then they stay open.
static void infer_closed(struct network *network, struct datum *const *inputs, size_t input_count)
{
    const uint32_t count = (uint32_t)network->values.count;
    struct network_value *open = memory_allocate(((size_t)count + 1) * sizeof *open);
    for (uint32_t i = 0; i < count; i++)
        open[i] = *network_value(network, i);
    const status failure =
        close_shapes(network, inputs, input_count) ? network_infer(network) : STATUS_OK;
    for (uint32_t i = 0; failure != STATUS_OK && i < count; i++)
        *network_value(network, i) = open[i];
    status_free(failure);
    free(open);
}

static status session_compile_network(struct session *session)
{
    STATUS_TRY(target_open_shipped("host", &session->target));
    session->plan = plan_create(session->network, session->target);
    session->builder =
        program_builder_create(session->target->text, view_of(session->network->source->path));
    session->builder->keeps_outside = true;
    const struct compile_options options = {0};
    STATUS_TRY(compile_network(session->plan, &options, session->builder));
    program_builder_view(session->builder, &session->program);
    const struct host_options host = {.threads = session->options.threads,
                                      .loose_ports = session->options.loose_ports,
                                      .first_soon = !session->options.timed &&
                                                    session->options.recorder == NULL,
                                      .trusted = true};
    session->times =
        memory_allocate_zeroed((size_t)session->program.task_count + 1, sizeof *session->times);
    STATUS_TRY(host_device_create(&session->program, session->target, &host, &session->device));
    if (session->options.recorder != NULL)
        device_profile(host_device_base(session->device), session->options.recorder);
    return STATUS_OK;
}

static status compile_for(struct session *session, struct datum *const *inputs, size_t input_count)
{
    infer_closed(session->network, inputs, input_count);
    return status_within(session_compile_network(session), "%s", session->network->source->path);
}

static status compiler_session_prepare(struct session *session, struct datum *const *inputs,
                                       size_t input_count)
{
    STATUS_TRY(executor_check_inputs(session->network, inputs, input_count));
    if (!session->options.plain && !replaces_constant(session->network, inputs, input_count) &&
        !looks_at_operators(session->network))
        return compile_for(session, inputs, input_count);
    const struct executor_options options = {.threads = session->options.threads};
    return executor_create(session->network, &options, &session->executor);
}

status session_prepare(struct session *session, struct datum *const *inputs, size_t input_count)
{
    if (session->prepared)
        return STATUS_OK;
    STATUS_TRY(compiler_session_prepare(session, inputs, input_count));
    session->prepared = true;
    return STATUS_OK;
}

status session_run(struct session *session, struct datum *const *inputs, size_t input_count,
                   struct datum **out_outputs)
{
    STATUS_TRY(session_prepare(session, inputs, input_count));
    if (session->executor != NULL)
        return executor_run(session->executor, inputs, input_count, out_outputs);
    STATUS_TRY(executor_check_inputs(session->network, inputs, input_count));
    if (session->options.timed) {
        memset(session->times, 0, session->program.task_count * sizeof *session->times);
        host_device_time_tasks(session->device, session->times);
    }
    return status_within(host_device_run(session->device, inputs, input_count, out_outputs), "%s",
                         session->network->source->path);
}

uint64_t session_task_ns(const struct session *session)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; session->device != NULL && i < session->program.task_count; i++)
        ns += session->times[i];
    return ns;
}
