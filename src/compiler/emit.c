// The last pass: the plan as a program.

#include "emit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "emit_near.h"
#include "emit_stream.h"

enum { FUNCTION_MOST = 128 }; // bytes of its name

static bool emit_is_host(const struct emitter *emitter, uint32_t group)
{
    const struct target *target = emitter->plan->target;
    return target->engines[emitter->plan->groups[group].engine].role == TARGET_ROLE_HOST;
}

void emit_action(struct emitter *emitter, enum program_action_kind kind, uint32_t subject,
                 uint32_t location, uint64_t bytes)
{
    struct program_action *action = EMIT_ADD(emitter, actions, NULL);
    *action = (struct program_action){kind, emitter->actions++, subject, location, bytes};
    struct program_dispatch *dispatch = EMIT_GET(emitter, dispatches, emitter->dispatch);
    dispatch->action_count++;
    emitter->moment++;
}

uint32_t emit_location(struct emitter *emitter, uint32_t group)
{
    const struct plan_group *item = &emitter->plan->groups[group];
    for (uint32_t i = 0; i < item->node_count; i++) {
        const struct network_node *node = group_node(emitter->plan, item, i);
        if (node->location.size > 0)
            return program_builder_text(emitter->builder, node->location);
    }
    return 0;
}

static bool is_identifier(struct view name)
{
    bool fits = name.size > 0 && name.size <= FUNCTION_MOST;
    for (size_t i = 0; i < name.size && fits; i++) {
        const char byte = name.data[i];
        fits = byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
               (i > 0 && byte >= '0' && byte <= '9');
    }
    return fits;
}

// The name of the network's function; of a graph that is no function, "main".
static struct view function_name(const struct network *network)
{
    const struct view name = network_graph(network, 0)->name;
    return network->dialect == NETWORK_TOSA && is_identifier(name) ? name : VIEW_LITERAL("main");
}

static void start_dispatch(struct emitter *emitter, uint32_t group)
{
    char name[FUNCTION_MOST + 160];
    const struct view function = function_name(emitter->plan->network);
    const uint32_t number = EMIT_COUNT(emitter, dispatches);
    snprintf(name, sizeof name, "%.*s_dispatch_%u_%s%s", VIEW_ARGUMENTS(function), number,
             emit_is_host(emitter, group) ? "host_" : "", emitter->plan->groups[group].type);
    struct program_dispatch *dispatch = EMIT_ADD(emitter, dispatches, &emitter->dispatch);
    dispatch->name = program_builder_text(emitter->builder, view_of(name));
    dispatch->first_action = EMIT_COUNT(emitter, actions);
    emitter->actions = 0;
    emitter->jobs = 0;
    emitter->numbers = 0;
}

// Groups that go to the same kind of place as the one before belong to one
// dispatch: the device's, or the host's.
static void emit_groups(struct emitter *emitter)
{
    const struct plan *plan = emitter->plan;
    bool open = false;
    bool host = false;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const struct plan_group *group = &plan->groups[i];
        if (group_is_alias(emitter->plan, group)) {
            emit_alias(emitter, i);
            continue;
        }
        if (!open || host != emit_is_host(emitter, i))
            start_dispatch(emitter, i);
        open = true;
        host = emit_is_host(emitter, i);
        if (host)
            emit_host_task(emitter, i);
        else if (group_is_local(plan, group)) {
            emit_local_job(emitter, i);
            i += group->chain != NULL ? group->chain->count - 1 : 0;
        } else {
            uint32_t end = i + 1;
            while (end < plan->group_count && !emit_is_host(emitter, end) &&
                   !group_is_local(plan, &plan->groups[end]))
                end++;
            emit_far_job(emitter, i, end);
            i = end - 1;
        }
    }
}

status pass_emit(struct plan *plan, struct program_builder *builder)
{
    const size_t values = plan->network->values.count;
    struct emitter emitter = {
        .plan = plan, .builder = builder, .far_memory = target_far_memory(plan->target)};
    emitter.values = memory_allocate((values + 1) * sizeof *emitter.values);
    emitter.far = memory_allocate((values + 1) * sizeof *emitter.far);
    memset(emitter.values, 0xff, (values + 1) * sizeof *emitter.values);
    memset(emitter.far, 0xff, (values + 1) * sizeof *emitter.far);
    const size_t graphs = plan->network->graphs.count;
    emitter.graphs = memory_allocate((graphs + 1) * sizeof *emitter.graphs);
    memset(emitter.graphs, 0xff, (graphs + 1) * sizeof *emitter.graphs);
    emitter.writers = memory_allocate_zeroed(values + 1, sizeof *emitter.writers);
    emit_streams_create(&emitter);
    emit_near_create(&emitter);
    emit_tables(&emitter);
    emit_far_buffers(&emitter);
    emit_groups(&emitter);
    emit_far_lifetimes(&emitter);
    program_builder_place_outside(builder);
    for (size_t i = 0; i < values; i++)
        free(emitter.writers[i].items);
    free(emitter.writers);
    free(emitter.values);
    free(emitter.far);
    free(emitter.graphs);
    free(emitter.started);
    emit_streams_free(&emitter);
    emit_near_free(&emitter);
    free(emitter.depended);
    return STATUS_OK;
}
