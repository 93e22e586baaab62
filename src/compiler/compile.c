#include "compiler.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "partition.h"
#include "group.h"

struct pass {
    status (*run)(struct plan *plan);
    unsigned number; // of the phase after it
    const char *phase;
};

static const struct pass PASSES[] = {
    {pass_fold, 4, "global-optimization"},
    {pass_fuse, 5, "dispatch-creation"},
    {pass_place, 6, "flow"},
    {pass_tile, 7, "stream"},
};

static status tell(const struct plan *plan, const struct compile_options *options, unsigned number,
                   const char *phase)
{
    if (options->observer == NULL)
        return STATUS_OK;
    return options->observer->phase(options->observer->context, number, phase, plan);
}

// A local memory that data gets to from the far one, and back from; TARGET_NONE.
static uint32_t reached_memory(const struct target *target)
{
    const uint32_t far = target_far_memory(target);
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (target->memories[i].local && target_engine_between(target, far, i) != TARGET_NONE &&
            target_engine_between(target, i, far) != TARGET_NONE)
            return i;
    }
    return TARGET_NONE;
}

// Whether what an engine works on gets from the far memory to its own and back.
static status check_way(const struct target *target, const struct target_engine *engine)
{
    const char *far = target->memories[target_far_memory(target)].name;
    const char *own = target->memories[engine->memory].name;
    struct plan_way way;
    if (plan_find_way(target, engine->memory, &way))
        return STATUS_OK;
    const uint32_t near = reached_memory(target);
    if (near != TARGET_NONE)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s: nothing brings data from %s to %s, where engine %s works: "
                           "give it engines of role transfer between the two",
                           target->name, target->memories[near].name, own, engine->name);
    return status_make(STATUS_UNSUPPORTED,
                       "target %s: nothing brings data to engine %s: give it engines of role "
                       "transfer from %s to %s and back",
                       target->name, engine->name, far, own);
}

// What a core computes lies in its own memory, or in one that all share.
static status compiler_compile_check_units(const struct target *target,
                                           const struct target_engine *engine)
{
    const struct target_memory *memory = &target->memories[engine->memory];
    if (memory->per == engine->per || memory->per == TARGET_PER_MACHINE)
        return STATUS_OK;
    return status_make(STATUS_UNSUPPORTED,
                       "target %s: engine %s is not there as often as the memory %s that it works "
                       "in: give both 'per = core'",
                       target->name, engine->name, memory->name);
}

static status check_engine(const struct target *target, const struct target_engine *engine)
{
    const struct target_memory *memory = &target->memories[engine->memory];
    const uint32_t far = target_far_memory(target);
    const bool computes_far = engine->role == TARGET_ROLE_HOST;
    if (memory->local ? computes_far : engine->memory != far)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s: engine %s works in %s, but values lie in %s, the first "
                           "memory that is not local",
                           target->name, engine->name, memory->name, target->memories[far].name);
    STATUS_TRY(compiler_compile_check_units(target, engine));
    return memory->local ? check_way(target, engine) : STATUS_OK;
}

// What the passes rely on: somewhere to keep values, and a way to what computes.
static status check_target(const struct target *target)
{
    const uint32_t far = target_far_memory(target);
    if (far == TARGET_NONE)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s has only local memories: networks need a far one",
                           target->name);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target_computes(target, i) || target->engines[i].role == TARGET_ROLE_HOST)
            STATUS_TRY(check_engine(target, &target->engines[i]));
    }
    return STATUS_OK;
}

// No value may be larger than the memory that values lie in; whether all of them
// together fit is known when they have addresses.
static status check_values(const struct plan *plan)
{
    const struct target *target = plan->target;
    const uint32_t far = target_far_memory(target);
    for (uint32_t i = 0; i < plan->network->values.count; i++) {
        const struct network_value *value = network_value(plan->network, i);
        if (!value_type_static(&value->type))
            continue;
        uint64_t count;
        STATUS_TRY(shape_elements(&value->type.shape, &count));
        if (count <= target->memories[far].size / element_size(value->type.element))
            continue;
        char shape[SHAPE_TEXT_MOST];
        char node[160] = "an input";
        if (value->producer != NETWORK_NONE)
            network_node_text(network_node(plan->network, value->producer), node, sizeof node);
        return status_make(
            STATUS_LIMIT, "%s: value '%.*s' of %sx%s does not fit the memory %s of %s", node,
            VIEW_ARGUMENTS(value->name), shape_text(&value->type.shape, shape),
            element_name(value->type.element), target->memories[far].name, target->name);
    }
    return STATUS_OK;
}

static status check_placed(const struct plan *plan)
{
    char text[160];
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const struct plan_group *group = &plan->groups[i];
        if (group->engine == TARGET_NONE)
            return status_make(STATUS_UNSUPPORTED,
                               "%s: %s, and target %s has no host engine that could do it",
                               network_node_text(group_node(plan, group, 0), text, sizeof text),
                               group->reason, plan->target->name);
    }
    return STATUS_OK;
}

static status check_memory(const struct target *target, const struct target_memory *memory,
                           uint64_t needed)
{
    if (needed <= memory->size)
        return STATUS_OK;
    return status_make(STATUS_LIMIT,
                       "the network needs %" PRIu64 " bytes of %s, and target %s has %" PRIu64
                       ": use smaller shapes (--shape) or another target",
                       needed, memory->name, target->name, memory->size);
}

static status check_memories(const struct target *target, const struct program_builder *builder)
{
    uint64_t *needed = memory_allocate_zeroed((size_t)target->memory_count + 1, sizeof *needed);
    struct program program;
    program_builder_view(builder, &program);
    for (uint32_t i = 0; i < program.buffer_count; i++) {
        const struct program_buffer *buffer = &program.buffers[i];
        const uint64_t end = buffer->address + buffer->size;
        if (buffer->kind != PROGRAM_BUFFER_PIPELINE && end > needed[buffer->memory])
            needed[buffer->memory] = end;
    }
    status failure = STATUS_OK;
    for (uint32_t i = 0; i < target->memory_count && failure == STATUS_OK; i++)
        failure = check_memory(target, &target->memories[i], needed[i]);
    free(needed);
    return failure;
}

status compile_network(struct plan *plan, const struct compile_options *options,
                       struct program_builder *builder)
{
    STATUS_TRY(check_target(plan->target));
    STATUS_TRY(check_values(plan));
    STATUS_TRY(tell(plan, options, 1, "input"));
    STATUS_TRY(tell(plan, options, 2, "abi"));
    STATUS_TRY(tell(plan, options, 3, "preprocessing"));
    for (size_t i = 0; i < sizeof PASSES / sizeof *PASSES; i++) {
        STATUS_TRY(PASSES[i].run(plan));
        if (PASSES[i].run == pass_place) {
            STATUS_TRY(partition_groups(plan, options));
            STATUS_TRY(pass_layout(plan));
        }
        if (PASSES[i].run == pass_place || PASSES[i].run == pass_tile)
            STATUS_TRY(check_placed(plan));
        STATUS_TRY(tell(plan, options, PASSES[i].number, PASSES[i].phase));
    }
    builder->conversion = plan->network->conversion.text;
    STATUS_TRY(pass_emit(plan, builder));
    STATUS_TRY(check_memories(plan->target, builder));
    return tell(plan, options, 8, "executable-sources");
}
