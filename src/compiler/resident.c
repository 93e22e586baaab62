#include "resident.h"

#include <stdlib.h>

#include "base/memory.h"
#include "group.h"

uint64_t resident_bytes(const struct resident *resident, uint32_t value)
{
    const struct network_value *item = group_value(resident->plan, value);
    const struct plan_box box = plan_box_whole(&item->type.shape);
    return plan_padded(plan_box_bytes(&box, item->type.element));
}

struct plan_group *resident_item(const struct resident *resident, uint32_t group)
{
    return resident->chain != NULL ? &resident->chain->whole : &resident->plan->groups[group];
}

uint64_t resident_carry_cycles(const struct resident *resident, uint64_t bytes)
{
    const struct target *target = resident->plan->target;
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    struct plan_way way;
    plan_find_way(target, resident->memory, &way);
    return bytes > 0 ? cost_cycles(target, COST_RULES_BEST, way.in, &request) : 0;
}

bool resident_is_near(const struct resident *resident, const struct plan_group *group)
{
    const struct plan *plan = resident->plan;
    return group->engine != TARGET_NONE && group_is_local(plan, group) &&
           !group_is_alias(plan, group) && group_is_static(plan, group) &&
           plan->target->engines[group->engine].memory == resident->memory;
}

uint32_t resident_next_use(const struct resident *resident, uint32_t value, uint32_t group)
{
    for (size_t i = resident->first_use[value]; i < resident->first_use[value + 1]; i++) {
        if (resident->uses[i] > group)
            return resident->uses[i];
    }
    return PLAN_NONE;
}

uint32_t resident_last_use(const struct resident *resident, uint32_t value)
{
    const size_t end = resident->first_use[value + 1];
    return end > resident->first_use[value] ? resident->uses[end - 1] : PLAN_NONE;
}

static bool reads(const struct plan_group *group, uint32_t value)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        if (group->inputs[i] == value)
            return true;
    }
    return false;
}

// What is known before ---------------------------------------------------------------------

// By value: which groups read it in the memory.
static void find_uses(struct resident *resident)
{
    const struct plan *plan = resident->plan;
    const size_t values = plan->network->values.count;
    size_t *next = memory_allocate_zeroed(values + 2, sizeof *next);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; resident_is_near(resident, group) && i < group->input_count; i++)
            next[group->inputs[i] + 1]++;
    }
    for (size_t i = 0; i < values; i++)
        next[i + 1] += next[i];
    resident->first_use = memory_allocate((values + 1) * sizeof *next);
    memcpy(resident->first_use, next, (values + 1) * sizeof *next);
    resident->uses = memory_allocate_zeroed(next[values] + 1, sizeof *resident->uses);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; resident_is_near(resident, group) && i < group->input_count; i++)
            resident->uses[next[group->inputs[i]]++] = g;
    }
    free(next);
}

// By value: who gives it, and whether anything but groups of this memory wants it.
static void find_makers(struct resident *resident)
{
    const struct plan *plan = resident->plan;
    const size_t values = plan->network->values.count;
    const struct network_graph *graph = network_graph(plan->network, 0);
    resident->maker = memory_allocate((values + 1) * sizeof *resident->maker);
    memset(resident->maker, 0xff, (values + 1) * sizeof *resident->maker);
    resident->outside = memory_allocate_zeroed(values + 1, sizeof *resident->outside);
    for (uint32_t i = 0; i < graph->output_count; i++)
        resident->outside[graph->outputs[i]] = true;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; i < group->output_count; i++)
            resident->maker[group->outputs[i]] = g;
        for (uint32_t i = 0; i < group->input_count && !resident_is_near(resident, group); i++)
            resident->outside[group->inputs[i]] = true;
    }
}

// The memory that values are kept in: of the first engine that computes in one which is there
// once, and which data gets to straight.
static uint32_t find_memory(const struct target *target)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        struct plan_way way;
        if (target_computes(target, i) && target->memories[engine->memory].local &&
            target->memories[engine->memory].per == TARGET_PER_MACHINE &&
            engine->stage_count == 0 && plan_find_way(target, engine->memory, &way) &&
            way.near == engine->memory)
            return engine->memory;
    }
    return TARGET_NONE;
}

bool resident_start(struct resident *resident, struct plan *plan)
{
    const size_t values = plan->network->values.count;
    const uint32_t memory = find_memory(plan->target);
    *resident = (struct resident){.plan = plan, .memory = memory};
    if (memory == TARGET_NONE)
        return false;
    resident->all.from = plan_code_room(plan->target, memory);
    resident->all.to = plan->target->memories[memory].size / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    if (resident->all.to < resident->all.from)
        resident->all.to = resident->all.from;
    resident->at = memory_allocate((values + 1) * sizeof *resident->at);
    memset(resident->at, 0xff, (values + 1) * sizeof *resident->at);
    resident->idle = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof(int64_t));
    plan->stored = memory_allocate_zeroed(values + 1, sizeof *plan->stored);
    plan->swapped = memory_allocate_zeroed(values + 1, sizeof *plan->swapped);
    resident->readers = group_count_readers(plan->network);
    find_uses(resident);
    find_makers(resident);
    return true;
}

void resident_free(struct resident *resident)
{
    free(resident->readers);
    free(resident->at);
    free(resident->idle);
    free(resident->first_use);
    free(resident->uses);
    free(resident->maker);
    free(resident->outside);
    free(resident->active);
    free(resident->busy.items);
    free(resident->before.items);
}

// Places -------------------------------------------------------------------------------------

struct plan_place *resident_place(const struct resident *resident, uint32_t id)
{
    return &resident->plan->places[id];
}

uint32_t resident_add_place(struct resident *resident, struct plan_place place)
{
    struct plan *plan = resident->plan;
    plan->places =
        memory_grow(plan->places, plan->place_count, &plan->place_capacity, sizeof *plan->places);
    const uint32_t id = (uint32_t)plan->place_count++;
    plan->places[id] = place;
    resident->active = memory_grow(resident->active, resident->active_count,
                                   &resident->active_capacity, sizeof *resident->active);
    resident->active[resident->active_count++] = id;
    if (place.value != PLAN_NONE)
        resident->at[place.value] = id;
    return id;
}

void resident_forget_old(struct resident *resident, uint32_t group)
{
    size_t kept = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = resident_place(resident, resident->active[i]);
        if (place->last < group && place->value != PLAN_NONE &&
            resident->at[place->value] == resident->active[i])
            resident->at[place->value] = PLAN_NONE;
        if (place->last + RESIDENT_AHEAD_MOST >= group)
            resident->active[kept++] = resident->active[i];
    }
    resident->active_count = kept;
}

// What came first leaves as a whole, at the end of the job before, whether the far memory has
// it or not.
static void swap_out(struct resident *resident, uint32_t id)
{
    struct plan *plan = resident->plan;
    struct plan_place *place = resident_place(resident, id);
    struct plan_near *near = plan->groups[resident->previous].near;
    place->last = resident->previous;
    place->next_swapped = near->swapped;
    near->swapped = id;
    plan->swapped[place->value] |= place->made;
    resident->at[place->value] = PLAN_NONE;
}

void resident_evict(struct resident *resident, uint32_t id, uint32_t group)
{
    struct plan_place *place = resident_place(resident, id);
    const uint32_t value = place->value;
    if (resident->plan->target->plan.first_in &&
        resident_next_use(resident, value, group - 1) != PLAN_NONE) {
        swap_out(resident, id);
        return;
    }
    place->last = place->first;
    for (size_t i = resident->first_use[value]; i < resident->first_use[value + 1]; i++) {
        if (resident->uses[i] < group && resident->uses[i] > place->last)
            place->last = resident->uses[i];
    }
    resident->plan->stored[value] |= place->made;
    resident->at[value] = PLAN_NONE;
}

bool resident_is_taken(const struct resident *resident, uint32_t group, struct span span)
{
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = resident_place(resident, resident->active[i]);
        if (place->from <= group && place->last >= group && place->address < span.to &&
            span.from < place->address + place->bytes)
            return true;
    }
    return false;
}

uint32_t *resident_find_candidates(const struct resident *resident, uint32_t group, uint32_t until,
                                   uint32_t *out_count)
{
    const struct plan *plan = resident->plan;
    uint32_t *found = memory_allocate((resident->active_count + 1) * sizeof *found);
    uint32_t count = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const uint32_t id = resident->active[i];
        const struct plan_place *place = resident_place(resident, id);
        if (place->value == PLAN_NONE || place->last < group ||
            reads(resident_item(resident, group), place->value))
            continue;
        const uint32_t needed = resident_next_use(resident, place->value, group);
        if (!plan->target->plan.first_in && needed <= until)
            continue;
        uint32_t at = count++;
        // What came first is first already: places are in that order.
        for (; at > 0 && !plan->target->plan.first_in &&
               resident_next_use(resident, resident_place(resident, found[at - 1])->value, group) <
                   needed;
             at--)
            found[at] = found[at - 1];
        found[at] = id;
    }
    *out_count = count;
    return found;
}
