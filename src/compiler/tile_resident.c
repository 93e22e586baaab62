// Which values lie in the local memory as a whole, from which job to which, and where.
//
// Groups are looked at in the order in which they run. What a group reads and gives is placed
// beside what others still need; where there is too little room, the value that is needed
// last gives way (or the one that came first, where the target asks for that): it goes to the
// far memory when it is made, and is loaded again. A place belongs to a value for whole jobs,
// so within a job nothing takes the place of anything else. What was decided for a group is
// not changed by later ones, but for values that leave earlier: so room that was left over in
// earlier jobs can take what a later one has to load.

#include <stdlib.h>

#include "base/memory.h"
#include "group.h"
#include "tile.h"

enum {
    AHEAD_MOST = 16, // groups that something may be loaded before its own
    LEVELS = 3,      // placed of what is loaded: all, constants, nothing
};

// Bytes of the memory that are taken.
struct span {
    uint64_t from;
    uint64_t to;
};

struct spans {
    struct span *items; // in order of address; they may overlap
    size_t count;
    size_t capacity;
};

struct resident {
    struct plan *plan;
    uint32_t memory;
    struct span all;     // what values may take of it
    size_t *first_use;   // by value, in `uses`
    uint32_t *uses;      // groups that read it in this memory, in order
    uint32_t *maker;     // by value: the group that gives it; PLAN_NONE
    bool *outside;       // by value: it is needed in the far memory
    uint32_t *at;        // by value: the place where it lies now; PLAN_NONE
    uint32_t *active;    // places of the last few groups
    size_t active_count, active_capacity;
    uint32_t previous;   // the last group that was placed
    int64_t *idle;       // by group: cycles in which its job could transfer more
    struct spans busy;   // of the job at hand
    struct spans before; // of it and the job before
};

// A way to place what a group needs.
struct attempt {
    bool output;         // what it gives is placed
    uint32_t level;
    uint32_t evicted;    // how many of the candidates give way
    uint64_t *addresses; // of each input, then of each output
    bool *placed;        // by input
    struct span rest;    // the largest piece that is left
    struct tile_space space;
    struct tile_choice choice;
    uint64_t cost;
};

static uint64_t bytes_of(const struct resident *resident, uint32_t value)
{
    const struct network_value *item = group_value(resident->plan, value);
    const struct plan_box box = plan_box_whole(&item->type.shape);
    return plan_padded(plan_box_bytes(&box, item->type.element));
}

static uint64_t carry_cycles(const struct resident *resident, uint64_t bytes)
{
    const struct target *target = resident->plan->target;
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    struct plan_way way;
    plan_find_way(target, resident->memory, &way);
    return bytes > 0 ? cost_cycles(target, COST_RULES_BEST, way.in, &request) : 0;
}

// Whether a group computes in the memory, cut as this pass likes.
static bool is_near(const struct resident *resident, const struct plan_group *group)
{
    const struct plan *plan = resident->plan;
    return group->engine != TARGET_NONE && group_is_local(plan, group) &&
           !group_is_alias(plan, group) && group_is_static(plan, group) &&
           plan->target->engines[group->engine].memory == resident->memory;
}

// The first use after a group; PLAN_NONE.
static uint32_t next_use(const struct resident *resident, uint32_t value, uint32_t group)
{
    for (size_t i = resident->first_use[value]; i < resident->first_use[value + 1]; i++) {
        if (resident->uses[i] > group)
            return resident->uses[i];
    }
    return PLAN_NONE;
}

static uint32_t last_use(const struct resident *resident, uint32_t value)
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
        for (uint32_t i = 0; is_near(resident, group) && i < group->input_count; i++)
            next[group->inputs[i] + 1]++;
    }
    for (size_t i = 0; i < values; i++)
        next[i + 1] += next[i];
    resident->first_use = memory_allocate((values + 1) * sizeof *next);
    memcpy(resident->first_use, next, (values + 1) * sizeof *next);
    resident->uses = memory_allocate_zeroed(next[values] + 1, sizeof *resident->uses);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; is_near(resident, group) && i < group->input_count; i++)
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
        for (uint32_t i = 0; i < group->input_count && !is_near(resident, group); i++)
            resident->outside[group->inputs[i]] = true;
    }
}

// Spans --------------------------------------------------------------------------------------

static void spans_add(struct spans *spans, struct span span)
{
    spans->items =
        memory_grow(spans->items, spans->count, &spans->capacity, sizeof *spans->items);
    size_t at = spans->count++;
    for (; at > 0 && spans->items[at - 1].from > span.from; at--)
        spans->items[at] = spans->items[at - 1];
    spans->items[at] = span;
}

// The gap after `from`, up to the next span; `index` walks along.
static bool next_gap(const struct spans *spans, struct span all, size_t *index, uint64_t *from,
                     struct span *out_gap)
{
    while (*index <= spans->count) {
        const uint64_t to = *index < spans->count ? spans->items[*index].from : all.to;
        const uint64_t start = *from;
        if (*index < spans->count && spans->items[*index].to > *from)
            *from = spans->items[*index].to;
        ++*index;
        if (to > start) {
            *out_gap = (struct span){start, to};
            return true;
        }
    }
    return false;
}

static struct span largest_gap(const struct spans *spans, struct span all)
{
    struct span best = {all.from, all.from};
    struct span gap;
    uint64_t from = all.from;
    for (size_t i = 0; next_gap(spans, all, &i, &from, &gap);) {
        if (gap.to - gap.from > best.to - best.from)
            best = gap;
    }
    return best;
}

// A place at the low or the high end of what is free; false: none is large enough.
static bool find_place(const struct spans *spans, struct span all, uint64_t bytes, bool high,
                       uint64_t *out_address)
{
    bool found = false;
    struct span gap;
    uint64_t from = all.from;
    for (size_t i = 0; next_gap(spans, all, &i, &from, &gap) && (high || !found);) {
        if (gap.to - gap.from < bytes)
            continue;
        *out_address = high ? gap.to - bytes : gap.from;
        found = true;
    }
    return found;
}

// At the end that leaves the larger piece.
static bool take_place(struct resident *resident, const struct spans *free_in, uint64_t bytes,
                       uint64_t *out_address)
{
    uint64_t best = 0;
    bool found = false;
    for (int high = 1; high >= 0; high--) {
        uint64_t address = 0;
        if (!find_place(free_in, resident->all, bytes, high != 0, &address))
            return false;
        spans_add(&resident->busy, (struct span){address, address + bytes});
        const struct span rest = largest_gap(&resident->busy, resident->all);
        // Taken back again: the list is short.
        size_t at = 0;
        while (resident->busy.items[at].from != address ||
               resident->busy.items[at].to != address + bytes)
            at++;
        resident->busy.count--;
        memmove(resident->busy.items + at, resident->busy.items + at + 1,
                (resident->busy.count - at) * sizeof *resident->busy.items);
        if (!found || rest.to - rest.from > best) {
            best = rest.to - rest.from;
            *out_address = address;
        }
        found = true;
    }
    return found;
}

static void take(struct resident *resident, uint64_t address, uint64_t bytes)
{
    spans_add(&resident->busy, (struct span){address, address + bytes});
    spans_add(&resident->before, (struct span){address, address + bytes});
}

// Places -------------------------------------------------------------------------------------

static struct plan_place *place_of(const struct resident *resident, uint32_t id)
{
    return &resident->plan->places[id];
}

static uint32_t add_place(struct resident *resident, struct plan_place place)
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

// What was over long before a group is not looked at any more.
static void forget_old(struct resident *resident, uint32_t group)
{
    size_t kept = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = place_of(resident, resident->active[i]);
        if (place->last < group && place->value != PLAN_NONE &&
            resident->at[place->value] == resident->active[i])
            resident->at[place->value] = PLAN_NONE;
        if (place->last + AHEAD_MOST >= group)
            resident->active[kept++] = resident->active[i];
    }
    resident->active_count = kept;
}

// What came first leaves as a whole, at the end of the job before, whether the far memory has
// it or not.
static void swap_out(struct resident *resident, uint32_t id)
{
    struct plan *plan = resident->plan;
    struct plan_place *place = place_of(resident, id);
    struct plan_near *near = plan->groups[resident->previous].near;
    place->last = resident->previous;
    place->next_swapped = near->swapped;
    near->swapped = id;
    plan->swapped[place->value] |= place->made;
    resident->at[place->value] = PLAN_NONE;
}

// A value leaves before a group: what needs it later loads it.
static void evict(struct resident *resident, uint32_t id, uint32_t group)
{
    struct plan_place *place = place_of(resident, id);
    const uint32_t value = place->value;
    if (resident->plan->target->plan.first_in && next_use(resident, value, group - 1) != PLAN_NONE) {
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

static bool is_taken(const struct resident *resident, uint32_t group, struct span span)
{
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = place_of(resident, resident->active[i]);
        if (place->from <= group && place->last >= group && place->address < span.to &&
            span.from < place->address + place->bytes)
            return true;
    }
    return false;
}

// Those that could give way to a group, the first one first. What is needed before `until`
// stays.
static uint32_t *find_candidates(const struct resident *resident, uint32_t group, uint32_t until,
                                 uint32_t *out_count)
{
    const struct plan *plan = resident->plan;
    uint32_t *found = memory_allocate((resident->active_count + 1) * sizeof *found);
    uint32_t count = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const uint32_t id = resident->active[i];
        const struct plan_place *place = place_of(resident, id);
        if (place->value == PLAN_NONE || place->last < group ||
            reads(&plan->groups[group], place->value))
            continue;
        const uint32_t needed = next_use(resident, place->value, group);
        if (!plan->target->plan.first_in && needed <= until)
            continue;
        uint32_t at = count++;
        // What came first is first already: places are in that order.
        for (; at > 0 && !plan->target->plan.first_in &&
               next_use(resident, place_of(resident, found[at - 1])->value, group) < needed;
             at--)
            found[at] = found[at - 1];
        found[at] = id;
    }
    *out_count = count;
    return found;
}

// Attempts -----------------------------------------------------------------------------------

// Candidates that give way do not count.
static void find_busy(struct resident *resident, uint32_t group, const uint32_t *candidates,
                      uint32_t evicted)
{
    resident->busy.count = resident->before.count = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = place_of(resident, resident->active[i]);
        bool gone = false;
        for (uint32_t c = 0; c < evicted && !gone; c++)
            gone = candidates[c] == resident->active[i];
        const struct span span = {place->address, place->address + place->bytes};
        if (place->last >= group && !gone)
            spans_add(&resident->busy, span);
        if (place->last >= group ? !gone : place->last >= resident->previous)
            spans_add(&resident->before, span);
    }
}

static bool is_here(const struct resident *resident, uint32_t value, uint32_t group)
{
    const uint32_t id = resident->at[value];
    return id != PLAN_NONE && place_of(resident, id)->last >= group;
}

static bool place_input(struct resident *resident, struct attempt *attempt, uint32_t value,
                        uint64_t *out_address)
{
    const bool prefetch = resident->plan->target->plan.prefetch;
    const bool constant = group_value(resident->plan, value)->constant != NULL;
    const uint64_t bytes = bytes_of(resident, value);
    if (!(prefetch && take_place(resident, &resident->before, bytes, out_address)) &&
        !take_place(resident, &resident->busy, bytes, out_address))
        return false;
    take(resident, *out_address, bytes);
    attempt->space.loaded += bytes;
    attempt->space.ahead += constant && !prefetch ? bytes : 0;
    return true;
}

static bool place_inputs(struct resident *resident, uint32_t group, struct attempt *attempt)
{
    const struct plan_group *item = &resident->plan->groups[group];
    for (uint32_t i = 0; i < item->input_count; i++) {
        const uint32_t value = item->inputs[i];
        const bool constant = group_value(resident->plan, value)->constant != NULL;
        attempt->placed[i] = is_here(resident, value, group);
        if (attempt->placed[i] || bytes_of(resident, value) == 0 ||
            attempt->level > (constant ? 1 : 0))
            continue;
        attempt->placed[i] = true;
        if (!place_input(resident, attempt, value, &attempt->addresses[i]))
            return false;
    }
    return true;
}

static bool place_outputs(struct resident *resident, uint32_t group, struct attempt *attempt)
{
    const struct plan_group *item = &resident->plan->groups[group];
    for (uint32_t i = 0; i < item->output_count; i++) {
        const uint32_t value = item->outputs[i];
        const uint64_t bytes = bytes_of(resident, value);
        uint64_t *address = &attempt->addresses[item->input_count + i];
        attempt->space.output_carried |=
            resident->outside[value] || last_use(resident, value) == PLAN_NONE;
        if (bytes == 0 || !take_place(resident, &resident->busy, bytes, address))
            return false;
        take(resident, *address, bytes);
    }
    return true;
}

// Cycles to load again what a group gives, where others in this memory read it.
static uint64_t reload_cycles(const struct resident *resident, const struct plan_group *group)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < group->output_count; i++) {
        if (last_use(resident, group->outputs[i]) != PLAN_NONE)
            cycles += carry_cycles(resident, bytes_of(resident, group->outputs[i]));
    }
    return cycles;
}

// Cycles to load again what gives way, and to store what would not have to be.
static uint64_t evicted_cycles(const struct resident *resident, const uint32_t *candidates,
                               uint32_t evicted)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < evicted; i++) {
        const struct plan_place *place = place_of(resident, candidates[i]);
        const bool stored = !place->made || resident->plan->stored[place->value];
        cycles += carry_cycles(resident, place->bytes) * (stored ? 1 : 2);
    }
    return cycles;
}

// Whether a group can be placed in that way; `attempt` says which, and gets the rest.
static bool try_attempt(struct resident *resident, uint32_t group, const uint32_t *candidates,
                        struct attempt *attempt)
{
    struct plan_group *item = &resident->plan->groups[group];
    find_busy(resident, group, candidates, attempt->evicted);
    attempt->space = (struct tile_space){.placed = attempt->placed,
                                         .output_placed = attempt->output};
    if ((attempt->output && !place_outputs(resident, group, attempt)) ||
        !place_inputs(resident, group, attempt))
        return false;
    attempt->rest = largest_gap(&resident->busy, resident->all);
    attempt->space.room = attempt->rest.to - attempt->rest.from;
    if (!tile_choose(resident->plan, item, &attempt->space, &attempt->choice))
        return false;
    attempt->cost = attempt->choice.time + evicted_cycles(resident, candidates, attempt->evicted) +
                    (attempt->output ? 0 : reload_cycles(resident, item));
    return true;
}

// The best so far, and the one at hand.
struct attempts {
    struct attempt best, next;
    bool found;
};

static void attempts_make(struct attempts *attempts, const struct plan_group *group)
{
    const size_t count = (size_t)group->input_count + group->output_count + 1;
    *attempts = (struct attempts){0};
    for (int i = 0; i < 2; i++) {
        struct attempt *attempt = i == 0 ? &attempts->best : &attempts->next;
        attempt->addresses = memory_allocate_zeroed(count, sizeof *attempt->addresses);
        attempt->placed = memory_allocate_zeroed(count, sizeof *attempt->placed);
    }
}

static void attempts_free(struct attempts *attempts)
{
    free(attempts->best.addresses);
    free(attempts->best.placed);
    free(attempts->next.addresses);
    free(attempts->next.placed);
}

// Of all levels the one that takes the least time. True when one fits.
static bool try_levels(struct resident *resident, uint32_t group, const uint32_t *candidates,
                       uint32_t evicted, bool output, struct attempts *attempts)
{
    bool fits = false;
    for (uint32_t level = 0; level < LEVELS; level++) {
        struct attempt *next = &attempts->next;
        next->output = output;
        next->level = level;
        next->evicted = evicted;
        if (!try_attempt(resident, group, candidates, next))
            continue;
        fits = true;
        if (attempts->found && attempts->best.cost <= next->cost)
            continue;
        const struct attempt kept = attempts->best;
        attempts->best = *next;
        *next = kept;
        attempts->found = true;
    }
    return fits;
}

// The next group that reads what a group gives; PLAN_NONE.
static uint32_t needed_next(const struct resident *resident, uint32_t group)
{
    const struct plan_group *item = &resident->plan->groups[group];
    uint32_t needed = PLAN_NONE;
    for (uint32_t i = 0; i < item->output_count; i++) {
        const uint32_t next = next_use(resident, item->outputs[i], group);
        needed = next < needed ? next : needed;
    }
    return needed;
}

// With as few as possible giving way, what the group gives is placed if that is worth it.
static void try_group(struct resident *resident, uint32_t group, const uint32_t *candidates,
                      uint32_t count, struct attempts *attempts)
{
    const bool first_in = resident->plan->target->plan.first_in;
    const bool wanted = needed_next(resident, group) != PLAN_NONE;
    bool placed = false;
    if (!first_in)
        try_levels(resident, group, candidates, 0, false, attempts);
    for (uint32_t e = 0; e <= count && wanted && !placed; e++)
        placed = try_levels(resident, group, candidates, e, true, attempts);
    for (uint32_t e = 0; e <= count && first_in && !attempts->found; e++)
        try_levels(resident, group, candidates, e, false, attempts);
}

// Deciding -----------------------------------------------------------------------------------

static void place_group(struct resident *resident, uint32_t group, const uint32_t *candidates,
                        const struct attempt *attempt)
{
    struct plan *plan = resident->plan;
    struct plan_group *item = &plan->groups[group];
    struct plan_near *near = arena_allocate(&plan->arena, sizeof *near);
    const size_t count = (size_t)item->input_count + item->output_count + 1;
    uint32_t *ids = arena_allocate(&plan->arena, count * sizeof *ids);
    for (uint32_t i = 0; i < attempt->evicted; i++)
        evict(resident, candidates[i], group);
    *near = (struct plan_near){ids, ids + item->input_count, attempt->rest.from,
                               attempt->choice.bytes, PLAN_NONE, PLAN_NONE};
    for (uint32_t i = 0; i < item->input_count + item->output_count; i++) {
        const bool output = i >= item->input_count;
        const uint32_t value = output ? item->outputs[i - item->input_count] : item->inputs[i];
        const uint32_t last = last_use(resident, value);
        ids[i] = PLAN_NONE;
        if (!(output ? attempt->output : attempt->placed[i]))
            continue;
        if (!output && is_here(resident, value, group)) {
            ids[i] = resident->at[value];
            continue;
        }
        ids[i] = add_place(resident, (struct plan_place){.value = value,
                                                         .address = attempt->addresses[i],
                                                         .bytes = bytes_of(resident, value),
                                                         .from = group,
                                                         .first = group,
                                                         .last = last != PLAN_NONE ? last : group,
                                                         .made = output,
                                                         .next = PLAN_NONE,
                                                         .next_swapped = PLAN_NONE});
        plan->stored[value] |= output && (resident->outside[value] || last == PLAN_NONE);
    }
    add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                            .address = near->address,
                                            .bytes = near->room,
                                            .from = group,
                                            .first = group,
                                            .last = group});
    item->near = near;
    resident->idle[group] = (int64_t)attempt->choice.compute - (int64_t)attempt->choice.transfers;
}

// Cycles that the job of a group saves when it need not load a place itself: those in which
// nothing else goes on, and the part before its first tile.
static int64_t saved_cycles(const struct resident *resident, uint32_t group, int64_t cycles)
{
    const struct plan_group *item = &resident->plan->groups[group];
    const int64_t idle = resident->idle[group];
    const int64_t first = cycles / (item->tile_count > 0 ? (int64_t)item->tile_count : 1);
    const int64_t bound = idle < 0 ? (-idle < cycles ? -idle : cycles) : 0;
    return bound > first ? bound : first;
}

// What a group loads comes in a job before it that has the place, and the time, or less to
// lose than the group has to gain.
static void fetch_early(struct resident *resident, uint32_t group, uint32_t id)
{
    struct plan *plan = resident->plan;
    struct plan_place *place = place_of(resident, id);
    const struct span span = {place->address, place->address + place->bytes};
    const uint32_t maker = resident->maker[place->value];
    const int64_t cycles = (int64_t)carry_cycles(resident, place->bytes);
    int64_t least = saved_cycles(resident, group, cycles);
    uint32_t best = PLAN_NONE;
    for (uint32_t p = group; p-- > 0 && p + AHEAD_MOST > group && least > 0;) {
        if ((maker != PLAN_NONE && maker >= p) || is_taken(resident, p, span))
            break;
        const int64_t idle = resident->idle[p] > 0 ? resident->idle[p] : 0;
        const int64_t lost = cycles > idle ? cycles - idle : 0;
        if (plan->groups[p].near == NULL || lost >= least)
            continue;
        least = lost;
        best = p;
    }
    if (best == PLAN_NONE)
        return;
    resident->idle[best] -= cycles;
    resident->idle[group] += cycles;
    place->from = best;
    uint32_t *end = &plan->groups[best].near->fetched;
    while (*end != PLAN_NONE)
        end = &plan->places[*end].next;
    *end = id;
}

// With the memory for itself: everything else leaves.
static void tile_by_itself(struct resident *resident, uint32_t group)
{
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = place_of(resident, resident->active[i]);
        if (place->value != PLAN_NONE && place->last >= group)
            evict(resident, resident->active[i], group);
    }
    add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                            .address = resident->all.from,
                                            .bytes = resident->all.to - resident->all.from,
                                            .from = group,
                                            .first = group,
                                            .last = group});
    tile_alone(resident->plan, &resident->plan->groups[group]);
}

static void tile_near(struct resident *resident, uint32_t group)
{
    struct plan_group *item = &resident->plan->groups[group];
    struct attempts attempts;
    uint32_t count;
    uint32_t *candidates =
        find_candidates(resident, group, needed_next(resident, group), &count);
    attempts_make(&attempts, item);
    try_group(resident, group, candidates, count, &attempts);
    if (!attempts.found && !resident->plan->target->plan.first_in) {
        free(candidates);
        candidates = find_candidates(resident, group, 0, &count);
        for (uint32_t e = 1; e <= count && !attempts.found; e++)
            try_levels(resident, group, candidates, e, false, &attempts);
    }
    const struct attempt *best = &attempts.best;
    if (attempts.found && tile_apply(resident->plan, item, &best->space, &best->choice)) {
        const size_t first = resident->plan->place_count;
        place_group(resident, group, candidates, best);
        for (size_t i = first; i < resident->plan->place_count; i++) {
            const struct plan_place *place = place_of(resident, (uint32_t)i);
            if (place->value != PLAN_NONE && !place->made && resident->plan->target->plan.prefetch)
                fetch_early(resident, group, (uint32_t)i);
        }
        resident->previous = group;
    } else {
        tile_by_itself(resident, group);
    }
    attempts_free(&attempts);
    free(candidates);
}

// A group of another memory whose data passes through this one: it takes the low end.
static void tile_passing(struct resident *resident, uint32_t group)
{
    const struct plan *plan = resident->plan;
    const uint64_t most = plan->target->memories[plan->target->engines[plan->groups[group].engine]
                                                     .memory].size;
    const struct span span = {resident->all.from, resident->all.from + plan_padded(most)};
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = place_of(resident, resident->active[i]);
        if (place->value != PLAN_NONE && place->last >= group && place->address < span.to)
            evict(resident, resident->active[i], group);
    }
    add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                            .address = span.from,
                                            .bytes = span.to - span.from,
                                            .from = group,
                                            .first = group,
                                            .last = group});
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

static void tile_groups(struct resident *resident)
{
    struct plan *plan = resident->plan;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        struct plan_group *group = &plan->groups[g];
        struct plan_way way;
        forget_old(resident, g);
        if (is_near(resident, group)) {
            tile_near(resident, g);
            continue;
        }
        if (group->engine != TARGET_NONE && group_is_local(plan, group) &&
            plan_find_way(plan->target, plan->target->engines[group->engine].memory, &way) &&
            way.near == resident->memory)
            tile_passing(resident, g);
        tile_alone(plan, group);
    }
}

status tile_resident(struct plan *plan)
{
    const size_t values = plan->network->values.count;
    struct resident resident = {.plan = plan, .memory = find_memory(plan->target)};
    if (resident.memory == TARGET_NONE) {
        for (uint32_t i = 0; i < plan->group_count; i++)
            tile_alone(plan, &plan->groups[i]);
        return STATUS_OK;
    }
    resident.all.from = plan_code_room(plan->target, resident.memory);
    resident.all.to =
        plan->target->memories[resident.memory].size / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    if (resident.all.to < resident.all.from)
        resident.all.to = resident.all.from;
    resident.at = memory_allocate((values + 1) * sizeof *resident.at);
    memset(resident.at, 0xff, (values + 1) * sizeof *resident.at);
    resident.idle = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof *resident.idle);
    plan->stored = memory_allocate_zeroed(values + 1, sizeof *plan->stored);
    plan->swapped = memory_allocate_zeroed(values + 1, sizeof *plan->swapped);
    find_uses(&resident);
    find_makers(&resident);
    tile_groups(&resident);
    free(resident.at);
    free(resident.idle);
    free(resident.first_use);
    free(resident.uses);
    free(resident.maker);
    free(resident.outside);
    free(resident.active);
    free(resident.busy.items);
    free(resident.before.items);
    return STATUS_OK;
}
