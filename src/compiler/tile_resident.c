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
#include "chain.h"
#include "group.h"
#include "resident.h"
#include "tile.h"

enum {
    CHAIN_MOST = 4, // groups of a chain
    LEVELS = 3,     // placed of what is loaded: all, constants, nothing
};

// A way to place what a group needs.
struct attempt {
    bool output; // what it gives is placed
    uint32_t level;
    uint32_t evicted;    // how many of the candidates give way
    uint64_t *addresses; // of each input, then of each output
    bool *placed;        // by input
    struct span rest;    // the largest piece that is left
    struct tile_space space;
    struct tile_choice choice;
    uint64_t cost;
};

// At the end that leaves the larger piece.
static bool tile_resident_take_place(struct resident *resident, const struct taken *free_in,
                                     uint64_t bytes, uint64_t *out_address)
{
    uint64_t best = 0;
    bool found = false;
    for (int high = 1; high >= 0; high--) {
        uint64_t address = 0;
        if (!taken_find_place(free_in, resident->all, bytes, high != 0, &address))
            return false;
        taken_add(&resident->busy, (struct span){address, address + bytes});
        const struct span rest = taken_largest_gap(&resident->busy, resident->all);
        taken_remove(&resident->busy, (struct span){address, address + bytes});
        if (!found || rest.to - rest.from > best) {
            best = rest.to - rest.from;
            *out_address = address;
        }
        found = true;
    }
    return found;
}

static void tile_resident_take(struct resident *resident, uint64_t address, uint64_t bytes)
{
    taken_add(&resident->busy, (struct span){address, address + bytes});
    taken_add(&resident->before, (struct span){address, address + bytes});
}

// Attempts -----------------------------------------------------------------------------------

// Candidates that give way do not count.
static void find_busy(struct resident *resident, uint32_t group, const uint32_t *candidates,
                      uint32_t evicted)
{
    resident->busy.count = resident->before.count = 0;
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = resident_place(resident, resident->active[i]);
        bool gone = false;
        for (uint32_t c = 0; c < evicted && !gone; c++)
            gone = candidates[c] == resident->active[i];
        const struct span span = {place->address, place->address + place->bytes};
        if (place->last >= group && !gone)
            taken_add(&resident->busy, span);
        if (place->last >= group ? !gone : place->last >= resident->previous)
            taken_add(&resident->before, span);
    }
}

static bool is_here(const struct resident *resident, uint32_t value, uint32_t group)
{
    const uint32_t id = resident->at[value];
    return id != PLAN_NONE && resident_place(resident, id)->last >= group;
}

static bool place_input(struct resident *resident, struct attempt *attempt, uint32_t value,
                        uint64_t *out_address)
{
    const bool prefetch = resident->plan->target->plan.prefetch;
    const bool constant = group_value(resident->plan, value)->constant != NULL;
    const uint64_t bytes = resident_bytes(resident, value);
    if (!(prefetch && tile_resident_take_place(resident, &resident->before, bytes, out_address)) &&
        !tile_resident_take_place(resident, &resident->busy, bytes, out_address))
        return false;
    tile_resident_take(resident, *out_address, bytes);
    attempt->space.loaded += bytes;
    attempt->space.ahead += constant && !prefetch ? bytes : 0;
    return true;
}

static bool place_inputs(struct resident *resident, uint32_t group, struct attempt *attempt)
{
    const struct plan_group *item = resident_item(resident, group);
    for (uint32_t i = 0; i < item->input_count; i++) {
        const uint32_t value = item->inputs[i];
        const bool constant = group_value(resident->plan, value)->constant != NULL;
        attempt->placed[i] = is_here(resident, value, group);
        if (attempt->placed[i] || resident_bytes(resident, value) == 0 ||
            attempt->level > (constant ? 1 : 0))
            continue;
        attempt->placed[i] = true;
        if (!place_input(resident, attempt, value, &attempt->addresses[i]))
            return false;
    }
    return true;
}

static bool tile_resident_place_outputs(struct resident *resident, uint32_t group,
                                        struct attempt *attempt)
{
    const struct plan_group *item = resident_item(resident, group);
    for (uint32_t i = 0; i < item->output_count; i++) {
        const uint32_t value = item->outputs[i];
        const uint64_t bytes = resident_bytes(resident, value);
        uint64_t *address = &attempt->addresses[item->input_count + i];
        attempt->space.output_carried |=
            resident->outside[value] || resident_last_use(resident, value) == PLAN_NONE;
        if (bytes == 0 || !tile_resident_take_place(resident, &resident->busy, bytes, address))
            return false;
        tile_resident_take(resident, *address, bytes);
    }
    return true;
}

// Cycles to load again what a group gives, where others in this memory read it.
static uint64_t reload_cycles(const struct resident *resident, const struct plan_group *group)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < group->output_count; i++) {
        if (resident_last_use(resident, group->outputs[i]) != PLAN_NONE)
            cycles += resident_carry_cycles(resident, resident_bytes(resident, group->outputs[i]));
    }
    return cycles;
}

// Cycles to load again what gives way, and to store what would not have to be.
static uint64_t evicted_cycles(const struct resident *resident, const uint32_t *candidates,
                               uint32_t evicted)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < evicted; i++) {
        const struct plan_place *place = resident_place(resident, candidates[i]);
        const bool stored = !place->made || resident->plan->stored[place->value];
        cycles += resident_carry_cycles(resident, place->bytes) * (stored ? 1 : 2);
    }
    return cycles;
}

// Whether a group can be placed in that way; `attempt` says which, and gets the rest.
static bool try_attempt(struct resident *resident, uint32_t group, const uint32_t *candidates,
                        struct attempt *attempt)
{
    struct plan_group *item = resident_item(resident, group);
    find_busy(resident, group, candidates, attempt->evicted);
    attempt->space =
        (struct tile_space){.placed = attempt->placed, .output_placed = attempt->output};
    if (resident->chain != NULL) {
        attempt->space.members = &resident->plan->groups[group];
        attempt->space.member_count = resident->chain->count;
    }
    if ((attempt->output && !tile_resident_place_outputs(resident, group, attempt)) ||
        !place_inputs(resident, group, attempt))
        return false;
    attempt->rest = taken_largest_gap(&resident->busy, resident->all);
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

// Whether less is placed at a level than at the one before it.
static bool is_other_level(const struct resident *resident, uint32_t group, uint32_t level)
{
    const struct plan_group *item = resident_item(resident, group);
    for (uint32_t i = 0; i < item->input_count; i++) {
        const uint32_t value = item->inputs[i];
        const bool constant = group_value(resident->plan, value)->constant != NULL;
        if (!is_here(resident, value, group) && level == (constant ? 2 : 1))
            return true;
    }
    return level == 0;
}

// Of all levels the one that takes the least time. True when one fits.
static bool try_levels(struct resident *resident, uint32_t group, const uint32_t *candidates,
                       uint32_t evicted, bool output, struct attempts *attempts)
{
    bool fits = false;
    for (uint32_t level = 0; level < LEVELS; level++) {
        struct attempt *next = &attempts->next;
        if (!is_other_level(resident, group, level))
            continue;
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
        // Nothing moves but what has to, and nothing is in the way.
        if (output && level == 0 && attempts->best.choice.bytes == 0)
            break;
    }
    return fits;
}

// The next group that reads what a group gives; PLAN_NONE.
static uint32_t needed_next(const struct resident *resident, uint32_t group)
{
    const struct plan_group *item = resident_item(resident, group);
    uint32_t needed = PLAN_NONE;
    for (uint32_t i = 0; i < item->output_count; i++) {
        const uint32_t next = resident_next_use(resident, item->outputs[i], group);
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
    bool placed = wanted && try_levels(resident, group, candidates, 0, true, attempts);
    if (placed && attempts->best.choice.bytes == 0)
        return;
    if (!first_in)
        try_levels(resident, group, candidates, 0, false, attempts);
    for (uint32_t e = 1; e <= count && wanted && !placed; e++)
        placed = try_levels(resident, group, candidates, e, true, attempts);
    for (uint32_t e = 0; e <= count && first_in && !attempts->found; e++)
        try_levels(resident, group, candidates, e, false, attempts);
}

// Deciding -----------------------------------------------------------------------------------

static void tile_resident_place_group(struct resident *resident, uint32_t group,
                                      const uint32_t *candidates, const struct attempt *attempt)
{
    struct plan *plan = resident->plan;
    struct plan_group *item = resident_item(resident, group);
    struct plan_near *near = arena_allocate(&plan->arena, sizeof *near);
    const size_t count = (size_t)item->input_count + item->output_count + 1;
    uint32_t *ids = arena_allocate(&plan->arena, count * sizeof *ids);
    for (uint32_t i = 0; i < attempt->evicted; i++)
        resident_evict(resident, candidates[i], group);
    *near = (struct plan_near){
        ids,      ids + item->input_count, attempt->rest.from, attempt->choice.bytes, PLAN_NONE,
        PLAN_NONE};
    for (uint32_t i = 0; i < item->input_count + item->output_count; i++) {
        const bool output = i >= item->input_count;
        const uint32_t value = output ? item->outputs[i - item->input_count] : item->inputs[i];
        const uint32_t last = resident_last_use(resident, value);
        ids[i] = PLAN_NONE;
        if (!(output ? attempt->output : attempt->placed[i]))
            continue;
        if (!output && is_here(resident, value, group)) {
            ids[i] = resident->at[value];
            continue;
        }
        ids[i] = resident_add_place(resident,
                                    (struct plan_place){.value = value,
                                                        .address = attempt->addresses[i],
                                                        .bytes = resident_bytes(resident, value),
                                                        .from = group,
                                                        .first = group,
                                                        .last = last != PLAN_NONE ? last : group,
                                                        .made = output,
                                                        .next = PLAN_NONE,
                                                        .next_swapped = PLAN_NONE});
        plan->stored[value] |= output && (resident->outside[value] || last == PLAN_NONE);
    }
    resident_add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                                     .address = near->address,
                                                     .bytes = near->room,
                                                     .from = group,
                                                     .first = group,
                                                     .last = group});
    item->near = plan->groups[group].near = near;
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
    struct plan_place *place = resident_place(resident, id);
    const struct span span = {place->address, place->address + place->bytes};
    const uint32_t maker = resident->maker[place->value];
    const int64_t cycles = (int64_t)resident_carry_cycles(resident, place->bytes);
    int64_t least = saved_cycles(resident, group, cycles);
    uint32_t best = PLAN_NONE;
    for (uint32_t p = group; p-- > 0 && p + RESIDENT_AHEAD_MOST > group && least > 0;) {
        if ((maker != PLAN_NONE && maker >= p) || resident_is_taken(resident, p, span))
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
        const struct plan_place *place = resident_place(resident, resident->active[i]);
        if (place->value != PLAN_NONE && place->last >= group)
            resident_evict(resident, resident->active[i], group);
    }
    resident_add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                                     .address = resident->all.from,
                                                     .bytes = resident->all.to - resident->all.from,
                                                     .from = group,
                                                     .first = group,
                                                     .last = group});
    tile_alone(resident->plan, &resident->plan->groups[group]);
}

// Looks for the best way to place a group, or the chain at hand.
static uint32_t *find_attempts(struct resident *resident, uint32_t group, struct attempts *attempts)
{
    uint32_t count;
    uint32_t *candidates =
        resident_find_candidates(resident, group, needed_next(resident, group), &count);
    attempts_make(attempts, resident_item(resident, group));
    try_group(resident, group, candidates, count, attempts);
    if (attempts->found || resident->plan->target->plan.first_in)
        return candidates;
    free(candidates);
    candidates = resident_find_candidates(resident, group, 0, &count);
    for (uint32_t e = 1; e <= count && !attempts->found; e++)
        try_levels(resident, group, candidates, e, false, attempts);
    return candidates;
}

// Does with a group, or the chain at hand, what was found. False when that cannot be.
static bool apply_attempt(struct resident *resident, uint32_t group, const uint32_t *candidates,
                          const struct attempt *best)
{
    struct plan *plan = resident->plan;
    struct plan_group *item = resident_item(resident, group);
    if (!tile_apply(plan, item, &best->space, &best->choice))
        return false;
    const size_t first = plan->place_count;
    tile_resident_place_group(resident, group, candidates, best);
    for (size_t i = first; i < plan->place_count; i++) {
        const struct plan_place *place = resident_place(resident, (uint32_t)i);
        if (place->value != PLAN_NONE && !place->made && plan->target->plan.prefetch)
            fetch_early(resident, group, (uint32_t)i);
    }
    resident->previous = group;
    return true;
}

// Groups one after the other, as they would be without a longer chain.
struct ahead {
    uint64_t cycles;
    bool stays; // what the last one gives lies here
};

// Adds the cycles of the next group when what is between goes through the far memory: it counts
// as loaded on either side. False when it does not go there, or that cannot be told.
static bool add_next(struct resident *resident, uint32_t group, struct ahead *ahead)
{
    const struct plan *plan = resident->plan;
    struct attempts next;
    if (ahead->stays || group >= plan->group_count ||
        !resident_is_near(resident, &plan->groups[group]))
        return false;
    free(find_attempts(resident, group, &next));
    const uint64_t both = ahead->cycles + next.best.cost;
    const uint64_t again = reload_cycles(resident, &plan->groups[group - 1]);
    const bool found = next.found && both > again;
    *ahead = (struct ahead){found ? both - again : 0, next.best.output};
    attempts_free(&next);
    return found;
}

// A chain that was looked at, with the best way to place it.
struct link {
    struct plan_chain *chain;
    struct attempts attempts;
    uint32_t *candidates;
};

static void link_free(struct link *link)
{
    if (link->chain != NULL)
        attempts_free(&link->attempts);
    free(link->candidates);
    *link = (struct link){0};
}

// Looks at a chain of so many groups. False when there can be none.
static bool try_link(struct resident *resident, uint32_t group, uint32_t count, struct link *out)
{
    struct plan *plan = resident->plan;
    *out = (struct link){0};
    struct plan_chain *chain = chain_make(plan, resident->readers, group, count);
    if (chain->whole.output_count != 1)
        return false;
    chain->side_by_side = plan->deep;
    out->chain = resident->chain = chain;
    out->candidates = find_attempts(resident, group, &out->attempts);
    resident->chain = NULL;
    return true;
}

static bool apply_link(struct resident *resident, uint32_t group, const struct link *link)
{
    resident->chain = link->chain;
    const bool done = apply_attempt(resident, group, link->candidates, &link->attempts.best);
    resident->chain = NULL;
    resident->plan->groups[group].chain = done ? link->chain : NULL;
    return done;
}

// Hands tiles of a group on to the next one, and so on, where that takes less time than what is
// between them takes through the far memory. The number of groups that this was done for; 0.
static uint32_t tile_chained(struct resident *resident, uint32_t group,
                             const struct attempts *alone)
{
    struct plan *plan = resident->plan;
    struct link best = {0};
    struct ahead ahead = {alone->best.cost, alone->best.output};
    uint64_t least = resident_bytes(resident, plan->groups[group].outputs[0]);
    if (!plan->chains || !alone->found || !chain_takes(plan, &plan->groups[group]))
        return 0;
    for (uint32_t count = 2; count <= (plan->deep ? CHAIN_MOST : 2); count++) {
        struct link next;
        if (!chain_may_follow(plan, group, count - 1) ||
            !add_next(resident, group + count - 1, &ahead) ||
            !try_link(resident, group, count, &next))
            break;
        // What follows has to load what the last one gives: the least is handed on that way.
        const uint64_t given = resident_bytes(resident, next.chain->whole.outputs[0]);
        if (next.attempts.found && next.attempts.best.cost < ahead.cycles &&
            (!plan->deep || given <= least)) {
            least = given;
            link_free(&best);
            best = next;
            ahead = (struct ahead){next.attempts.best.cost, next.attempts.best.output};
        } else {
            link_free(&next);
        }
    }
    const uint32_t count =
        best.chain != NULL && apply_link(resident, group, &best) ? best.chain->count : 0;
    link_free(&best);
    return count;
}

// The number of groups that have been cut: of a chain, several.
static uint32_t tile_near(struct resident *resident, uint32_t group)
{
    struct attempts attempts;
    uint32_t *candidates = find_attempts(resident, group, &attempts);
    uint32_t count = tile_chained(resident, group, &attempts);
    if (count == 0) {
        count = 1;
        if (!attempts.found || !apply_attempt(resident, group, candidates, &attempts.best))
            tile_by_itself(resident, group);
    }
    attempts_free(&attempts);
    free(candidates);
    return count;
}

// A group of another memory whose data passes through this one: it takes the low end.
static void tile_passing(struct resident *resident, uint32_t group)
{
    const struct plan *plan = resident->plan;
    const uint64_t most =
        plan->target->memories[plan->target->engines[plan->groups[group].engine].memory].size;
    const struct span span = {resident->all.from, resident->all.from + plan_padded(most)};
    for (size_t i = 0; i < resident->active_count; i++) {
        const struct plan_place *place = resident_place(resident, resident->active[i]);
        if (place->value != PLAN_NONE && place->last >= group && place->address < span.to)
            resident_evict(resident, resident->active[i], group);
    }
    resident_add_place(resident, (struct plan_place){.value = PLAN_NONE,
                                                     .address = span.from,
                                                     .bytes = span.to - span.from,
                                                     .from = group,
                                                     .first = group,
                                                     .last = group});
}

static void tile_groups(struct resident *resident)
{
    struct plan *plan = resident->plan;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        struct plan_group *group = &plan->groups[g];
        struct plan_way way;
        resident_forget_old(resident, g);
        if (resident_is_near(resident, group)) {
            g += tile_near(resident, g) - 1;
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
    struct resident resident;
    if (resident_start(&resident, plan)) {
        tile_groups(&resident);
        resident_free(&resident);
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < plan->group_count; i++)
        tile_alone(plan, &plan->groups[i]);
    return STATUS_OK;
}
