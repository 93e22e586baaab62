// Where values lie in the far memory: ports and constants for good, the others
// from the group that makes them to the last one that reads them.

#include <stdlib.h>

#include "base/gaps.h"
#include "base/memory.h"
#include "emit.h"
#include "shard.h"

enum { UNALIGNED_MOST = 64 };

struct far {
    struct emitter *emitter;
    struct gaps gaps;
    uint64_t alignment;
    uint32_t *last;  // by network value: the last group that reads it
    uint32_t *views; // by network value: what it shows the bytes of, or itself
};

static const struct network_value *value_of(const struct emitter *emitter, uint32_t value)
{
    return network_value(emitter->plan->network, value);
}

static uint64_t emit_far_size_of(const struct far *far, uint32_t value)
{
    const struct network_value *item = value_of(far->emitter, value);
    if (!group_is_fixed(item))
        return 0;
    const uint64_t bytes = shape_count(&item->type.shape) * element_size(item->type.element);
    const uint64_t least = bytes > 0 ? bytes : 1;
    return (least + far->alignment - 1) / far->alignment * far->alignment;
}

static void emit_far_add_buffer(struct far *far, uint32_t value, enum program_buffer_kind kind,
                                uint64_t address)
{
    struct emitter *emitter = far->emitter;
    const struct network_value *source = value_of(emitter, value);
    struct program_buffer buffer = {
        .name = program_builder_text(emitter->builder, source->name),
        .value = emitter->values[value],
        .memory = emitter->far_memory,
        .kind = (uint16_t)(group_is_fixed(source) ? kind : PROGRAM_BUFFER_DYNAMIC),
        .element = (uint16_t)source->type.element,
        .address = address,
        .alias = PROGRAM_NONE,
        .from = UINT32_MAX,
    };
    if (group_is_fixed(source)) {
        buffer.size = shape_count(&source->type.shape) * element_size(source->type.element);
        buffer.rank = source->type.shape.rank;
        memcpy(buffer.dims, source->type.shape.dims, buffer.rank * sizeof *buffer.dims);
    }
    struct program_buffer *kept = EMIT_ADD(emitter, buffers, &emitter->far[value]);
    *kept = buffer;
}

// Constants and ports lie in front of everything else.
static void place_for_good(struct far *far, uint32_t value, enum program_buffer_kind kind)
{
    if (far->emitter->far[value] != PROGRAM_NONE || far->emitter->values[value] == PROGRAM_NONE)
        return;
    emit_far_add_buffer(far, value, kind, gaps_take(&far->gaps, emit_far_size_of(far, value)));
}

static void place_ports(struct far *far)
{
    struct emitter *emitter = far->emitter;
    const struct network_graph *graph = network_graph(emitter->plan->network, 0);
    for (uint32_t i = 0; i < emitter->plan->network->values.count; i++) {
        if (value_of(emitter, i)->constant != NULL)
            place_for_good(far, i, PROGRAM_BUFFER_CONSTANT);
    }
    for (uint32_t i = 0; i < graph->input_count; i++)
        place_for_good(far, graph->inputs[i], PROGRAM_BUFFER_INPUT);
    for (uint32_t i = 0; i < graph->output_count; i++)
        place_for_good(far, graph->outputs[i], PROGRAM_BUFFER_OUTPUT);
}

// What a group shows, and what that shows: a view keeps its source in use.
static void find_last_reads(struct far *far)
{
    const struct plan *plan = far->emitter->plan;
    for (uint32_t i = 0; i < plan->network->values.count; i++)
        far->views[i] = i;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; i < group->input_count; i++)
            far->last[far->views[group->inputs[i]]] = g;
        for (uint32_t i = 0; i < group->output_count; i++)
            far->last[group->outputs[i]] = g;
        if (group_is_alias(far->emitter->plan, group))
            far->views[group->outputs[0]] = far->views[group_node(plan, group, 0)->inputs[0]];
    }
}

static void place_alias(struct far *far, const struct plan_group *group)
{
    struct emitter *emitter = far->emitter;
    const uint32_t source = far->views[group->outputs[0]];
    const uint32_t buffer = emitter->far[source];
    const struct program_buffer *shown = EMIT_GET(emitter, buffers, buffer);
    emit_far_add_buffer(far, group->outputs[0], PROGRAM_BUFFER_INNER, shown->address);
    struct program_buffer *alias = EMIT_GET(emitter, buffers, emitter->far[group->outputs[0]]);
    alias->alias = buffer;
}

// Whether a value lies near from its group to the last one that needs it, and never here.
static bool stays_near(const struct plan *plan, const struct plan_group *group, uint32_t output)
{
    if (shard_of(plan, group->outputs[output]) != NULL)
        return true;
    return group->near != NULL && group->near->outputs[output] != PLAN_NONE &&
           !plan->stored[group->outputs[output]] && !plan->swapped[group->outputs[output]];
}

// By group: what it gives is handed to the next on chip, and never lies here.
static bool *emit_far_find_kept(const struct plan *plan)
{
    bool *kept = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof *kept);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_chain *chain = plan->groups[g].chain;
        for (uint32_t i = 0; chain != NULL && i + 1 < chain->count; i++)
            kept[g + i] = true;
    }
    return kept;
}

static void give_back_read(struct far *far, uint32_t g)
{
    struct emitter *emitter = far->emitter;
    const struct plan_group *group = &emitter->plan->groups[g];
    for (uint32_t i = 0; i < group->input_count + group->output_count; i++) {
        const uint32_t value =
            far->views[i < group->input_count ? group->inputs[i]
                                              : group->outputs[i - group->input_count]];
        if (emitter->far[value] == PROGRAM_NONE)
            continue;
        const struct program_buffer *buffer = EMIT_GET(emitter, buffers, emitter->far[value]);
        if (buffer->kind != PROGRAM_BUFFER_INNER || far->last[value] != g)
            continue;
        gaps_give_back(&far->gaps, buffer->address, emit_far_size_of(far, value));
        far->last[value] = UINT32_MAX; // once
    }
}

static void emit_far_place_inner(struct far *far)
{
    struct emitter *emitter = far->emitter;
    bool *kept = emit_far_find_kept(emitter->plan);
    uint32_t reading = 0; // groups from here on still read: those of a chain, until its end
    for (uint32_t g = 0; g < emitter->plan->group_count; g++) {
        const struct plan_group *group = &emitter->plan->groups[g];
        if (group_is_alias(emitter->plan, group)) {
            place_alias(far, group);
        } else if (!kept[g]) {
            for (uint32_t i = 0; i < group->output_count; i++) {
                if (emitter->far[group->outputs[i]] == PROGRAM_NONE &&
                    !stays_near(emitter->plan, group, i))
                    emit_far_add_buffer(
                        far, group->outputs[i], PROGRAM_BUFFER_INNER,
                        gaps_take(&far->gaps, emit_far_size_of(far, group->outputs[i])));
            }
        }
        for (; !kept[g] && reading <= g; reading++)
            give_back_read(far, reading);
    }
    free(kept);
}

static uint64_t emit_far_align(uint64_t address, uint64_t to)
{
    return (address + to - 1) / to * to;
}

void emit_far_buffers(struct emitter *emitter)
{
    const size_t values = emitter->plan->network->values.count;
    const uint64_t page = emitter->plan->target->memories[emitter->far_memory].alignment;
    struct far far = {.emitter = emitter,
                      .alignment = page > UNALIGNED_MOST ? UNALIGNED_MOST : page};
    if (far.alignment < TENSOR_ALIGNMENT)
        far.alignment = TENSOR_ALIGNMENT;
    far.last = memory_allocate((values + 1) * sizeof *far.last);
    far.views = memory_allocate((values + 1) * sizeof *far.views);
    memset(far.last, 0xff, (values + 1) * sizeof *far.last);
    find_last_reads(&far);
    place_ports(&far);
    emit_far_place_inner(&far);
    emitter->code = emit_far_align(emit_far_align(far.gaps.end, page), TENSOR_ALIGNMENT);
    gaps_free(&far.gaps);
    free(far.last);
    free(far.views);
}

void emit_far_lifetimes(struct emitter *emitter)
{
    const uint32_t count = EMIT_COUNT(emitter, buffers);
    for (uint32_t i = 0; i < count; i++) {
        struct program_buffer *buffer = EMIT_GET(emitter, buffers, i);
        if (buffer->kind <= PROGRAM_BUFFER_CONSTANT || buffer->kind == PROGRAM_BUFFER_DYNAMIC) {
            buffer->from = 0;
            buffer->to = emitter->moment;
        }
        if (buffer->alias == PROGRAM_NONE || buffer->from == UINT32_MAX)
            continue;
        struct program_buffer *shown = EMIT_GET(emitter, buffers, buffer->alias);
        shown->from = buffer->from < shown->from ? buffer->from : shown->from;
        shown->to = buffer->to > shown->to ? buffer->to : shown->to;
    }
    // What nothing ever touched takes no time.
    for (uint32_t i = 0; i < count; i++) {
        struct program_buffer *buffer = EMIT_GET(emitter, buffers, i);
        if (buffer->from == UINT32_MAX)
            buffer->from = buffer->to;
    }
}
