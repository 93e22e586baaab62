#include "compiler.h"

#include <inttypes.h>

#include "group.h"

struct pass {
    status (*run)(struct plan *plan);
    unsigned number; // of the phase behind it
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

static uint32_t memory_of(const struct target *target, enum target_engine_kind kind)
{
    const uint32_t engine = target_engine_of(target, kind);
    return engine != TARGET_NONE ? target->engines[engine].memory : TARGET_NONE;
}

// Whether what an engine works on gets from the far memory to its own and back.
static status check_way(const struct target *target, const struct target_engine *engine)
{
    const uint32_t in = memory_of(target, TARGET_DMA_IN);
    const uint32_t across = memory_of(target, TARGET_CDMA);
    if (in == TARGET_NONE || in != memory_of(target, TARGET_DMA_OUT) || !target->memories[in].local)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s: nothing brings data to engine %s: give it engines of "
                           "kind dma_in and dma_out on the same local memory",
                           target->name, engine->name);
    if (engine->memory != in &&
        (across == TARGET_NONE || (across != in && across != engine->memory)))
        return status_make(STATUS_UNSUPPORTED,
                           "target %s: nothing brings data from %s to %s, where engine %s works: "
                           "give it an engine of kind cdma",
                           target->name, target->memories[in].name,
                           target->memories[engine->memory].name, engine->name);
    return STATUS_OK;
}

static status check_engine(const struct target *target, const struct target_engine *engine)
{
    const struct target_memory *memory = &target->memories[engine->memory];
    const uint32_t far = target_far_memory(target);
    if (memory->local ? engine->kind >= TARGET_CPU : engine->memory != far)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s: engine %s works in %s, but values lie in %s, the first "
                           "memory that is not local",
                           target->name, engine->name, memory->name, target->memories[far].name);
    return memory->local ? check_way(target, engine) : STATUS_OK;
}

// What the passes rely on: somewhere to keep values, and a way to what computes.
static status check_target(const struct target *target)
{
    if (target_far_memory(target) == TARGET_NONE)
        return status_make(STATUS_UNSUPPORTED,
                           "target %s has only local memories: networks need a far one",
                           target->name);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].kind >= TARGET_SLICE)
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

static status check_memories(const struct target *target, const struct program_builder *builder)
{
    uint64_t needed[TARGET_MEMORIES_MOST] = {0};
    struct program program;
    program_builder_view(builder, &program);
    for (uint32_t i = 0; i < program.buffer_count; i++) {
        const struct program_buffer *buffer = &program.buffers[i];
        const uint64_t end = buffer->address + buffer->size;
        if (buffer->kind != PROGRAM_BUFFER_PIPELINE && end > needed[buffer->memory])
            needed[buffer->memory] = end;
    }
    for (uint32_t i = 0; i < target->memory_count; i++) {
        const struct target_memory *memory = &target->memories[i];
        if (needed[i] > memory->size)
            return status_make(STATUS_LIMIT,
                               "the network needs %" PRIu64
                               " bytes of %s, and target %s has %" PRIu64
                               ": use smaller shapes (--shape) or another target",
                               needed[i], memory->name, target->name, memory->size);
    }
    return STATUS_OK;
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
        if (PASSES[i].run == pass_place || PASSES[i].run == pass_tile)
            STATUS_TRY(check_placed(plan));
        STATUS_TRY(tell(plan, options, PASSES[i].number, PASSES[i].phase));
    }
    STATUS_TRY(pass_emit(plan, builder));
    STATUS_TRY(check_memories(plan->target, builder));
    return tell(plan, options, 8, "executable-sources");
}
