#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "evaluate.h"
#include "group.h"
#include "tile.h"
#include "tiler.h"

enum {
    CHAIN_MOST = 8, // groups
    TILES_TRIED_MOST = 1 << 14,
};

// How often a core is given a tile, unless memory asks for more.
static const int64_t ROUNDS[] = {1, 2, 4};

struct chooser {
    struct plan *plan;
    struct evaluation *evaluation;
    uint32_t *readers;
};

// One way to cut a chain.
struct choice {
    struct grid grid;
    uint32_t units;
    uint64_t slots;
    uint64_t time;
};

// Numbers of cores to try: all of the first few, then fewer and fewer. A number that is
// tried is tried whatever number there is beyond it.
static uint32_t next_units(uint32_t units)
{
    uint32_t step = 1;
    while (units >= 16 * step)
        step *= 2;
    return units + (units >= 8 ? 2 * step : 1);
}

static uint32_t units_of(const struct plan *plan, const struct plan_group *group)
{
    const struct target *target = plan->target;
    const struct target_engine *engine = &target->engines[group->engine];
    const bool own =
        engine->per == TARGET_PER_CORE && target->memories[engine->memory].per == TARGET_PER_CORE;
    return own ? target->core_count : 1;
}

// Chains ---------------------------------------------------------------------------------

static bool reads(const struct plan_group *group, uint32_t value)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        if (group->inputs[i] == value)
            return true;
    }
    return false;
}

static bool is_tileable(const struct plan *plan, const struct plan_group *group)
{
    return group->engine != TARGET_NONE && group_is_local(plan, group) &&
           !group_is_alias(plan, group) && group_is_static(plan, group) &&
           tile_is_cuttable(plan, group);
}

// Whether the chain that begins with `first` may go on with the group behind its `count`
// groups: it alone reads what the last one gives, in the same memory.
static bool may_follow(const struct plan *plan, uint32_t first, uint32_t count)
{
    if (first + count >= plan->group_count || count >= CHAIN_MOST)
        return false;
    const struct target *target = plan->target;
    const struct plan_group *head = &plan->groups[first];
    const struct plan_group *last = &plan->groups[first + count - 1];
    const struct plan_group *next = &plan->groups[first + count];
    if (!is_tileable(plan, next) || !reads(next, last->outputs[0]) ||
        target->engines[head->engine].stage_count > 0 ||
        target->engines[next->engine].stage_count > 0 ||
        target->engines[next->engine].memory != target->engines[head->engine].memory ||
        units_of(plan, next) != units_of(plan, head))
        return false;
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (reads(next, plan->groups[first + i].outputs[0]))
            return false;
    }
    return true;
}

// The first `count` groups from `first` on as one.
static struct plan_chain *make_chain(struct chooser *chooser, uint32_t first, uint32_t count)
{
    struct plan *plan = chooser->plan;
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
    group_connect(plan, whole, chooser->readers);
    return chain;
}

// Choosing -------------------------------------------------------------------------------

// A cut along axes[axis] into `least` parts at least, with as many places for tiles as fit.
static bool cut(struct tiler *tiler, const uint32_t *axes, uint32_t count, uint32_t axis,
                int64_t least, struct choice *out_choice)
{
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    for (tiler->slots = lanes + 1; tiler->slots > 0; tiler->slots--) {
        if (!tiler_cut(tiler, axes, count, axis, least, &out_choice->grid))
            continue;
        out_choice->slots = tiler->slots;
        return grid_tiles(&out_choice->grid) <= TILES_TRIED_MOST;
    }
    return false;
}

static bool fill(struct tiler *tiler, struct arena *arena, const struct choice *choice)
{
    tiler->arena = arena;
    tiler->slots = choice->slots;
    tiler->group->unit_count = choice->units;
    return tiler_fill_grid(tiler, &choice->grid);
}

static uint64_t time_of(struct chooser *chooser, struct tiler *tiler, uint32_t first,
                        const struct choice *choice)
{
    struct arena scratch = {0};
    const bool filled = fill(tiler, &scratch, choice);
    const uint64_t time = filled ? evaluate_job(chooser->evaluation, first) : UINT64_MAX;
    arena_free(&scratch);
    return time;
}

// Tries every axis with so many cores; `best` is replaced by what takes less time.
static void try_units(struct chooser *chooser, struct tiler *tiler, uint32_t first, uint32_t units,
                      struct choice *best)
{
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, axes);
    for (uint32_t axis = 0; axis < count; axis++) {
        uint64_t tried = 0; // tiles of the cut before
        for (size_t i = 0; i < sizeof ROUNDS / sizeof *ROUNDS; i++) {
            const int64_t least = ROUNDS[i] * units;
            struct choice choice = {.units = units};
            if (least > tiler_shape(tiler)->dims[axes[axis]] ||
                !cut(tiler, axes, count, axis, least, &choice) ||
                grid_tiles(&choice.grid) == tried || grid_tiles(&choice.grid) < units)
                continue;
            tried = grid_tiles(&choice.grid);
            choice.time = time_of(chooser, tiler, first, &choice);
            if (choice.time < best->time)
                *best = choice;
        }
    }
}

// Cuts the chain of `count` groups in the way that takes the least time. False when there is
// none.
static bool choose(struct chooser *chooser, uint32_t first, uint32_t count, bool any)
{
    struct plan *plan = chooser->plan;
    struct plan_group *head = &plan->groups[first];
    struct plan_chain *chain = count > 1 ? make_chain(chooser, first, count) : NULL;
    struct plan_group *whole = chain != NULL ? &chain->whole : head;
    if (whole->output_count != 1)
        return false;
    head->chain = chain;
    struct tiler tiler;
    tiler_start(&tiler, plan, whole, chain != NULL ? head : NULL, count);
    tiler.room = tile_room(plan, head);
    struct choice best = {.time = UINT64_MAX};
    const uint32_t most = any ? 1 : units_of(plan, head);
    for (uint32_t units = 1; units <= most; units = next_units(units))
        try_units(chooser, &tiler, first, units, &best);
    const bool found = best.time != UINT64_MAX && fill(&tiler, &plan->arena, &best);
    tiler_free(&tiler);
    if (!found) {
        head->chain = NULL;
        head->tile_count = 0;
    }
    return found;
}

// Cuts a group, with those behind it that it can hand its tiles to. Returns their number; 0
// when it cannot be cut.
static uint32_t tile_chain(struct chooser *chooser, uint32_t first)
{
    uint32_t count = 1;
    while (chooser->plan->target->plan.keep && may_follow(chooser->plan, first, count) &&
           choose(chooser, first, count + 1, true))
        count++;
    while (count > 0 && !choose(chooser, first, count, false))
        count--;
    return count;
}

status tile_evaluated(struct plan *plan)
{
    struct chooser chooser = {.plan = plan,
                              .evaluation = evaluation_create(plan),
                              .readers = group_count_readers(plan->network)};
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const uint32_t count = is_tileable(plan, &plan->groups[i]) ? tile_chain(&chooser, i) : 0;
        if (count == 0) {
            tile_whole(plan, &plan->groups[i]);
            continue;
        }
        plan->tile_count += plan->groups[i].tile_count;
        i += count - 1;
    }
    evaluation_free(chooser.evaluation);
    free(chooser.readers);
    return STATUS_OK;
}
