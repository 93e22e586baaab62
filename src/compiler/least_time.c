#include "least_time.h"

#include "base/memory.h"
#include "group.h"

static uint64_t box_bytes(const struct plan *plan, uint32_t value, const struct plan_box *box)
{
    return plan_box_bytes(box, group_value(plan, value)->type.element);
}

static void find_bytes(struct least_time *least, const struct plan *plan,
                       const struct plan_group *whole, const struct plan_tile *tiles,
                       const bool *stays)
{
    for (uint32_t i = 0; i < whole->input_count; i++) {
        const uint32_t value = whole->inputs[i];
        for (uint32_t t = 0; t < least->count && !stays[i]; t++)
            least->in[t] += box_bytes(plan, value, &tiles[t].inputs[i]);
        if (stays[i])
            *(plan_is_cast(plan, value) ? &least->staying : &least->own) +=
                box_bytes(plan, value, &tiles[0].inputs[i]);
    }
    for (uint32_t i = 0; i < whole->output_count; i++) {
        for (uint32_t t = 0; t < least->count; t++)
            least->out[t] += box_bytes(plan, whole->outputs[i], &tiles[t].outputs[i]);
    }
}

static uint64_t *zeroed(struct arena *arena, size_t count)
{
    uint64_t *numbers = arena_allocate(arena, (count + 1) * sizeof *numbers);
    memset(numbers, 0, (count + 1) * sizeof *numbers);
    return numbers;
}

void least_time_prepare(struct least_time *least, const struct plan *plan, struct arena *arena,
                        const struct plan_group *whole, const struct plan_group *members,
                        uint32_t member_count, struct plan_tile *const *tiles, const bool *stays,
                        uint32_t count)
{
    const struct target *target = plan->target;
    uint32_t *engines = arena_allocate(arena, ((size_t)member_count + 1) * sizeof *engines);
    *least = (struct least_time){.count = count, .member_count = member_count, .engines = engines};
    least->cycles = zeroed(arena, (size_t)member_count * count);
    least->in = zeroed(arena, count);
    least->out = zeroed(arena, count);
    bool staged = false;
    for (uint32_t m = 0; m < member_count; m++) {
        const struct plan_tile *own = tiles[member_count > 1 ? m + 1 : 0];
        engines[m] = members[m].engine;
        staged = staged || target->engines[engines[m]].stage_count > 0;
        for (uint32_t t = 0; t < count && !staged; t++)
            least->cycles[(size_t)m * count + t] =
                cost_cycles(target, COST_RULES_BEST, engines[m], &own[t].cost);
    }
    const uint32_t memory = target->engines[engines[0]].memory;
    least->carried = !staged && plan_find_way(target, memory, &least->way) &&
                     least->way.near == memory && whole->slides == NULL && whole->near == NULL;
    if (least->carried)
        find_bytes(least, plan, whole, tiles[0], stays);
}

// Sums of what each core has, of which it has every `units`-th.
static uint64_t busiest(const uint64_t *numbers, uint32_t count, uint32_t units, uint64_t first,
                        uint64_t each)
{
    uint64_t most = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        uint64_t sum = each + (unit == 0 ? first : 0);
        for (uint32_t t = unit; t < count; t += units)
            sum += numbers[t];
        most = sum > most ? sum : most;
    }
    return most;
}

static uint64_t cycles_of(const struct target *target, uint64_t bytes, double rate)
{
    return rate > 0 ? (uint64_t)((double)bytes * (double)target->clock / rate) : 0;
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least_carrying(const struct least_time *least, const struct target *target,
                               uint32_t units)
{
    const struct target_engine *in = &target->engines[least->way.in];
    const struct target_engine *out = &target->engines[least->way.out];
    uint64_t total[2] = {least->staying + least->own * units, 0};
    uint64_t time = 0;
    for (uint32_t t = 0; t < least->count; t++) {
        total[0] += least->in[t];
        total[1] += least->out[t];
    }
    if (in->port != TARGET_NONE) {
        const uint64_t most = busiest(least->in, least->count, units, least->staying, least->own);
        time = cycles_of(target, most, target->ports[in->port].per_user) / in->count;
        time = larger_of(time, cycles_of(target, total[0] + (in->port == out->port ? total[1] : 0),
                                         target->ports[in->port].rate));
    }
    if (out->port != TARGET_NONE) {
        const uint64_t most = busiest(least->out, least->count, units, 0, 0);
        time = larger_of(time,
                         cycles_of(target, most, target->ports[out->port].per_user) / out->count);
    }
    return time;
}

uint64_t least_time(const struct least_time *least, const struct target *target, uint32_t units)
{
    uint64_t time = least->carried ? least_carrying(least, target, units) : 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        uint64_t busy[TARGET_DEPTH_MOST] = {0};
        for (uint32_t m = 0; m < least->member_count; m++) {
            const uint64_t *cycles = &least->cycles[(size_t)m * least->count];
            uint32_t first = 0; // member on the same engine
            while (least->engines[first] != least->engines[m])
                first++;
            for (uint32_t t = unit; t < least->count; t += units)
                busy[first] += cycles[t];
            time = larger_of(time, busy[first] / target->engines[least->engines[m]].count);
        }
    }
    return time;
}
