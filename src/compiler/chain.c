#include "chain.h"

#include "group.h"
#include "tile.h"

uint32_t chain_units(const struct plan *plan, const struct plan_group *group)
{
    const struct target *target = plan->target;
    const struct target_engine *engine = &target->engines[group->engine];
    const bool own =
        engine->per == TARGET_PER_CORE && target->memories[engine->memory].per == TARGET_PER_CORE;
    if (!own)
        return 1;
    return group->unit_most > 0
               ? group->unit_most
               : target->core_count * (target->plan.devices ? target->device_count : 1);
}

static bool chain_reads(const struct plan_group *group, uint32_t value)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        if (group->inputs[i] == value)
            return true;
    }
    return false;
}

bool chain_takes(const struct plan *plan, const struct plan_group *group)
{
    return group->engine != TARGET_NONE && group_is_local(plan, group) &&
           !group_is_alias(plan, group) && group_is_static(plan, group) &&
           tile_is_cuttable(plan, group);
}

// Whether the programs of a chain's engines fit beside one another.
static bool programs_fit(const struct plan *plan, uint32_t first, uint32_t count)
{
    uint64_t bytes = 0;
    uint64_t room = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct target_engine *engine = &plan->target->engines[plan->groups[first + i].engine];
        bytes += plan_program_bytes(engine);
        room = engine->program_room > room ? engine->program_room : room;
    }
    return bytes <= room || bytes == 0;
}

bool chain_may_follow(const struct plan *plan, uint32_t first, uint32_t count)
{
    if (first + count >= plan->group_count || count >= plan->target->plan.depth)
        return false;
    const struct target *target = plan->target;
    const struct plan_group *head = &plan->groups[first];
    const struct plan_group *last = &plan->groups[first + count - 1];
    const struct plan_group *next = &plan->groups[first + count];
    if (!chain_takes(plan, next) || !chain_reads(next, last->outputs[0]) ||
        target->engines[head->engine].stage_count > 0 ||
        target->engines[next->engine].stage_count > 0 ||
        target->engines[next->engine].memory != target->engines[head->engine].memory ||
        next->first_unit != head->first_unit ||
        chain_units(plan, next) != chain_units(plan, head) || !programs_fit(plan, first, count + 1))
        return false;
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (chain_reads(next, plan->groups[first + i].outputs[0]))
            return false;
    }
    return true;
}

struct plan_chain *chain_make(struct plan *plan, const uint32_t *readers, uint32_t first,
                              uint32_t count)
{
    struct plan_chain *chain = arena_allocate(&plan->arena, sizeof *chain);
    *chain = (struct plan_chain){.whole = plan->groups[first], .count = count};
    struct plan_group *whole = &chain->whole;
    whole->node_count = 0;
    for (uint32_t i = 0; i < count; i++)
        whole->node_count += plan->groups[first + i].node_count;
    whole->nodes = arena_allocate(&plan->arena, whole->node_count * sizeof *whole->nodes);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_group *member = &plan->groups[first + i];
        memcpy(whole->nodes + at, member->nodes, member->node_count * sizeof *whole->nodes);
        at += member->node_count;
    }
    group_connect(plan, whole, readers);
    return chain;
}
