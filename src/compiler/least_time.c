#include "least_time.h"

#include "base/memory.h"
#include "group.h"

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t cycles_of(const struct target *target, uint64_t bytes, double rate)
{
    return rate > 0 ? (uint64_t)((double)bytes * (double)target->clock / rate) : 0;
}

// What one transfer of so many bytes takes its engine.
static uint64_t carrying(const struct target *target, uint32_t engine, uint64_t bytes)
{
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes, .outputs = bytes};
    const uint32_t port = target->engines[engine].port;
    return larger_of(cost_cycles(target, COST_RULES_BEST, engine, &request),
                     port == TARGET_NONE ? 0
                                         : cycles_of(target, bytes, target->ports[port].per_user));
}

// Tiles that are alike follow one another.
struct carried {
    uint64_t bytes, cycles;
};

static void carry(const struct target *target, uint32_t engine, struct carried *last,
                  uint64_t bytes)
{
    if (bytes != last->bytes)
        *last = (struct carried){bytes, carrying(target, engine, bytes)};
}

static bool is_read_by(const struct plan_group *member, uint32_t value)
{
    for (uint32_t i = 0; i < member->input_count; i++) {
        if (member->inputs[i] == value)
            return true;
    }
    return false;
}

// The first member computes a tile when `first[tile]` has been loaded.
static void find_input(struct least_time *least, const struct plan *plan, uint32_t value,
                       const struct plan_tile *tiles, uint32_t input, uint64_t *first)
{
    struct carried last = {0};
    for (uint32_t t = 0; t < least->count; t++) {
        carry(plan->target, least->way.in, &last,
              plan_box_moved(plan, value, &tiles[t].inputs[input]));
        least->in[t] += last.cycles;
        least->bytes += last.bytes;
        if (first != NULL)
            first[t] += last.cycles;
    }
}

static void find_staying(struct least_time *least, const struct plan *plan, uint32_t value,
                         const struct plan_box *box, bool first)
{
    const uint64_t bytes = plan_box_moved(plan, value, box);
    const uint64_t cycles = carrying(plan->target, least->way.in, bytes);
    if (plan_is_cast(plan, value)) {
        least->staying += cycles;
        least->staying_before += first ? cycles : 0;
        least->bytes += bytes;
    } else {
        least->own += cycles;
        least->own_before += first ? cycles : 0;
        least->own_bytes += bytes;
    }
}

static void find_output(struct least_time *least, const struct plan *plan, uint32_t value,
                        const struct plan_tile *tiles, uint32_t output)
{
    const bool shared =
        plan->target->engines[least->way.in].port == plan->target->engines[least->way.out].port;
    struct carried last = {0};
    for (uint32_t t = 0; t < least->count; t++) {
        carry(plan->target, least->way.out, &last,
              plan_box_moved(plan, value, &tiles[t].outputs[output]));
        least->out[t] += last.cycles;
        least->bytes += shared ? last.bytes : 0;
    }
}

static uint64_t least_number(const uint64_t *numbers, uint32_t count)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        least = numbers[i] < least ? numbers[i] : least;
    return count > 0 ? least : 0;
}

// What is moved: loads and stores, and how long the first member waits for a tile at least.
static void find_carried(struct least_time *least, const struct plan *plan,
                         const struct plan_group *whole, const struct plan_group *first_member,
                         const struct plan_tile *tiles, const bool *stays, uint64_t *first)
{
    for (uint32_t i = 0; i < whole->input_count; i++) {
        const uint32_t value = whole->inputs[i];
        const bool awaited = is_read_by(first_member, value);
        if (stays[i])
            find_staying(least, plan, value, &tiles[0].inputs[i], awaited);
        else
            find_input(least, plan, value, tiles, i, awaited ? first : NULL);
    }
    for (uint32_t i = 0; i < whole->output_count; i++)
        find_output(least, plan, whole->outputs[i], tiles, i);
    if (plan->target->engines[least->way.in].count == 1)
        least->before = least_number(first, least->count);
    else
        least->staying_before = least->own_before = 0;
    if (plan->target->engines[least->way.out].count == 1)
        least->after = least_number(least->out, least->count);
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
    uint64_t *shortest = zeroed(arena, member_count);
    *least = (struct least_time){
        .count = count, .member_count = member_count, .engines = engines, .shortest = shortest};
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
        shortest[m] = least_number(&least->cycles[(size_t)m * count], count);
    }
    const uint32_t memory = target->engines[engines[0]].memory;
    least->carried = !staged && plan_find_way(target, memory, &least->way) &&
                     least->way.near == memory && whole->slides == NULL && whole->near == NULL;
    if (least->carried)
        find_carried(least, plan, whole, members, tiles[0], stays, zeroed(arena, count));
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

// How long the first member waits on a core. What is there once for all cores the first one loads.
static uint64_t before_all(const struct least_time *least, uint32_t unit)
{
    const uint64_t own = least->own_before + least->before;
    return unit == 0 ? least->staying_before + own : larger_of(least->staying_before, own);
}

// What the engines that move data of the busiest core need, with what comes before the first store
// and after the last load; and what goes through the port that all cores share.
static uint64_t least_carrying(const struct least_time *least, const struct target *target,
                               uint32_t units)
{
    const struct target_engine *in = &target->engines[least->way.in];
    const struct target_engine *out = &target->engines[least->way.out];
    const uint64_t last = least->shortest[least->member_count - 1] + least->after;
    const uint64_t loads = busiest(least->in, least->count, units, least->staying, least->own);
    const uint64_t stores = busiest(least->out, least->count, units, 0, 0);
    uint64_t first = before_all(least, 1);
    uint64_t shared = 0;
    for (uint32_t m = 0; m < least->member_count; m++)
        first += least->shortest[m];
    if (in->port != TARGET_NONE)
        shared = cycles_of(target, least->bytes + least->own_bytes * units,
                           target->ports[in->port].rate);
    return larger_of(shared, larger_of(loads / in->count + last, first + stores / out->count));
}

// The first of the members that are on the same engine as member `m`, or the last.
static uint32_t first_beside(const struct least_time *least, uint32_t m)
{
    uint32_t first = 0;
    while (least->engines[first] != least->engines[m])
        first++;
    return first;
}

static uint32_t last_beside(const struct least_time *least, uint32_t m)
{
    uint32_t last = least->member_count - 1;
    while (least->engines[last] != least->engines[m])
        last--;
    return last;
}

// What a lane of a member's engine waits for before it has anything to do, and what comes after
// it.
static uint64_t around(const struct least_time *least, uint32_t m, uint32_t unit)
{
    uint64_t cycles = before_all(least, unit) + least->after;
    for (uint32_t i = 0; i < first_beside(least, m); i++)
        cycles += least->shortest[i];
    for (uint32_t i = last_beside(least, m) + 1; i < least->member_count; i++)
        cycles += least->shortest[i];
    return cycles;
}

uint64_t least_time(const struct least_time *least, const struct target *target, uint32_t units)
{
    uint64_t time = least->carried ? least_carrying(least, target, units) : 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        uint64_t busy[TARGET_DEPTH_MOST] = {0};
        for (uint32_t m = 0; m < least->member_count && unit < least->count; m++) {
            const uint64_t *cycles = &least->cycles[(size_t)m * least->count];
            const uint32_t first = first_beside(least, m);
            for (uint32_t t = unit; t < least->count; t += units)
                busy[first] += cycles[t];
            time = larger_of(time, busy[first] / target->engines[least->engines[m]].count +
                                       around(least, m, unit));
        }
    }
    return time;
}
