#include <stdlib.h>

#include "alike.h"
#include "base/memory.h"
#include "chain.h"
#include "compiler.h"
#include "evaluate.h"
#include "group.h"
#include "region.h"
#include "tile.h"
#include "tiler.h"

enum {
    AXES_MOST = 4,  // dimensions that are cut
    FINER_MOST = 4, // cuts of the last one
    CUTS_MOST = 4096,
    ROUND_KINDS = 4, // once, twice, a few times, often
    UNITS_MOST = 256,
    SPLIT_TRIED = 4, // tiles that each core has at least, if more are not asked for
    SPLITS = 3,
    WAYS = 2,
};

struct chooser {
    struct plan *plan;
    struct evaluation *evaluation;
    struct alike *alike; // chains that were searched
    uint32_t *readers;
    bool quick; // enough to tell chains from one another
    // What the target's plan asks for where it can be had: finer cuts, and less memory.
    uint32_t split;
    double room;
    uint64_t depth_room;
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

// Cuts -------------------------------------------------------------------------------------

// One way to cut a chain.
struct cut {
    struct grid grid;
    uint64_t slots;
    uint64_t traffic;
    bool filled, failed;
    // What was made for it, to be evaluated with several numbers of cores:
    struct arena arena;
    struct plan_tile *tiles[TARGET_DEPTH_MOST + 1]; // of the whole and of its members
    const bool *stays;
};

struct cuts {
    struct cut *items;
    size_t count, capacity;
    uint32_t split; // tiles that each core has at least
};

// The most tiles of a cut that was made.
static uint64_t most_tiles(const struct cuts *cuts)
{
    uint64_t most = 0;
    for (size_t i = 0; i < cuts->count; i++) {
        const uint64_t tiles = grid_tiles(&cuts->items[i].grid);
        most = cuts->items[i].filled && tiles > most ? tiles : most;
    }
    return most;
}

static void cuts_free(struct cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        arena_free(&cuts->items[i].arena);
    free(cuts->items);
}

// Numbers of parts to try along a dimension: 1, 2, 3, 4, 6, 8, 12 ..., and as many as it has
// places.
static int64_t next_parts(int64_t parts, int64_t length)
{
    const bool power = (parts & (parts - 1)) == 0;
    const int64_t next = parts < 4 ? parts + 1 : power ? parts + parts / 2 : parts / 3 * 4;
    return parts == length ? length + 1 : next < length ? next : length;
}

static void add_cut(struct tiler *tiler, const struct grid *grid, struct cuts *cuts)
{
    const uint64_t bytes = tiler_traffic(tiler, grid);
    if (!tiler_cuts_once(tiler, grid))
        return;
    cuts->items = memory_grow(cuts->items, cuts->count, &cuts->capacity, sizeof *cuts->items);
    cuts->items[cuts->count++] =
        (struct cut){.grid = *grid, .slots = tiler->slots, .traffic = bytes};
}

// Whole tiles are as many for several numbers of parts: one of these will do.
static bool is_tiled(const struct grid *grid)
{
    return grid->tile[0] > 1 || grid->tile[1] > 1;
}

// Along the last dimension as few parts as fit, and a few more: finer cuts only move more, and
// are there for those who ask for many tiles.
static void cut_last(struct tiler *tiler, uint32_t axis, struct grid *grid, struct cuts *cuts)
{
    const int64_t length = tiler_shape(tiler)->dims[axis];
    uint32_t found = 0;
    int64_t before = 0;
    for (int64_t parts = 1; parts <= length && found < FINER_MOST * cuts->split;
         parts = next_parts(parts, length)) {
        grid_set_parts(grid, tiler_shape(tiler), axis, parts);
        const bool seen = is_tiled(grid) && grid->parts[axis] == before;
        before = grid->parts[axis];
        if (seen || !tiler_fits(tiler, grid))
            continue;
        add_cut(tiler, grid, cuts);
        found++;
    }
    grid_set_parts(grid, tiler_shape(tiler), axis, 1);
}

static void cut_axes(struct tiler *tiler, const uint32_t *axes, uint32_t count, struct grid *grid,
                     struct cuts *cuts)
{
    if (count == 1) {
        cut_last(tiler, axes[0], grid, cuts);
        return;
    }
    const int64_t length = tiler_shape(tiler)->dims[axes[0]];
    int64_t before = 0;
    for (int64_t parts = 1; parts <= length && cuts->count < CUTS_MOST;
         parts = next_parts(parts, length)) {
        grid_set_parts(grid, tiler_shape(tiler), axes[0], parts);
        const bool seen = is_tiled(grid) && grid->parts[axes[0]] == before;
        before = grid->parts[axes[0]];
        if (!seen)
            cut_axes(tiler, axes + 1, count - 1, grid, cuts);
    }
    grid_set_parts(grid, tiler_shape(tiler), axes[0], 1);
}

// The longest dimension last: it is looked at least.
static uint32_t order_axes(const struct tiler *tiler, uint32_t axes[SHAPE_RANK_MOST])
{
    const struct shape *shape = tiler_shape(tiler);
    uint32_t all[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, all);
    uint32_t kept = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (shape->dims[all[i]] <= 1)
            continue;
        axes[kept] = all[i];
        longest = shape->dims[all[i]] > shape->dims[axes[longest]] ? kept : longest;
        kept++;
    }
    if (kept == 0 && count > 0)
        axes[kept++] = all[0];
    if (kept == 0)
        return 0;
    const uint32_t last = axes[longest];
    axes[longest] = axes[kept - 1];
    axes[kept - 1] = last;
    return kept < AXES_MOST ? kept : AXES_MOST;
}

// All cuts that fit, with as many places for tiles as there can be.
static struct cuts list_cuts(struct tiler *tiler, uint32_t split)
{
    struct cuts cuts = {.split = split};
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = order_axes(tiler, axes);
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    for (tiler->slots = lanes + 1; count > 0 && tiler->slots > 0 && cuts.count == 0;
         tiler->slots--) {
        struct grid grid = tiler_whole_grid(tiler);
        cut_axes(tiler, axes, count, &grid, &cuts);
    }
    return cuts;
}

// Between rows alone, then between channels that are apart as well, where there are any.
static struct cuts list_cuts_in(struct tiler *tiler, uint32_t split, uint32_t way)
{
    struct plan *plan = tiler->plan;
    bool apart = way == 0;
    for (uint32_t i = 0; i < tiler->group->node_count && !apart; i++)
        apart =
            region_apart_axis(plan->network, group_node(plan, tiler->group, i)) < SHAPE_RANK_MOST;
    if (!apart)
        return (struct cuts){0};
    plan->rows_only = way == 0;
    const struct cuts cuts = list_cuts(tiler, split);
    plan->rows_only = false;
    return cuts;
}

// Choosing ---------------------------------------------------------------------------------

// Makes the tiles of a cut once. False when it cannot be.
static bool tile_evaluated_fill_local(struct tiler *tiler, struct cut *cut)
{
    if (!cut->filled && !cut->failed) {
        tiler->arena = &cut->arena;
        tiler->slots = cut->slots;
        cut->filled = tiler_fill_grid(tiler, &cut->grid);
        cut->failed = !cut->filled;
        cut->tiles[0] = tiler->group->tiles;
        for (uint32_t m = 0; m < tiler->member_count; m++)
            cut->tiles[m + 1] = tiler->members[m].tiles;
        cut->stays = tiler->group->stays;
    }
    return cut->filled;
}

static void use(struct tiler *tiler, const struct cut *cut, uint32_t units)
{
    const uint32_t count = (uint32_t)grid_tiles(&cut->grid);
    tiler->group->tiles = cut->tiles[0];
    tiler->group->tile_count = count;
    tiler->group->stays = cut->stays;
    tiler->group->unit_count = units;
    for (uint32_t m = 0; m < tiler->member_count; m++) {
        tiler->members[m].tiles = cut->tiles[m + 1];
        tiler->members[m].tile_count = count;
    }
}

// Data that moves, as if cores without a tile in the last round moved some too.
static double badness(const struct cut *cut, uint32_t units)
{
    const uint64_t tiles = grid_tiles(&cut->grid);
    const uint64_t rounds = (tiles + units - 1) / units;
    return (double)cut->traffic * (double)(rounds * units) / (double)tiles;
}

// Which kind of cut it is by how often each core gets a tile; ROUND_KINDS: not for so many
// cores.
static uint32_t rounds_kind(const struct cut *cut, uint32_t units, uint32_t split)
{
    const uint64_t tiles = grid_tiles(&cut->grid);
    const uint64_t rounds = (tiles + units - 1) / units;
    if (tiles < (uint64_t)units * split)
        return ROUND_KINDS;
    return rounds == 1 ? 0 : rounds == 2 ? 1 : rounds <= 4 ? 2 : 3;
}

struct best {
    struct cut *cut;
    const struct cuts *cuts; // that it is one of
    uint32_t units;
    uint64_t time;
};

// Of the cuts of a kind, the one that moves the least and can be made; NULL.
static struct cut *find_cut(struct tiler *tiler, uint32_t units, uint32_t kind, struct cuts *cuts)
{
    for (;;) {
        struct cut *found = NULL;
        for (size_t i = 0; i < cuts->count; i++) {
            struct cut *cut = &cuts->items[i];
            if (!cut->failed && rounds_kind(cut, units, cuts->split) == kind &&
                (found == NULL || badness(cut, units) < badness(found, units)))
                found = cut;
        }
        if (found == NULL || tile_evaluated_fill_local(tiler, found))
            return found;
    }
}

// What a core has to do that gets every `step`-th tile from `from` on.
static uint64_t tiles_cycles(const struct target *target, uint32_t engine,
                             const struct plan_tile *tiles, uint64_t count, uint32_t from,
                             uint32_t step)
{
    uint64_t cycles = 0;
    for (uint64_t i = from; i < count; i += step)
        cycles += cost_cycles(target, COST_RULES_BEST, engine, &tiles[i].cost);
    return cycles;
}

// Less than any job with the tiles at hand takes: what the lanes of each engine of the busiest
// core have to compute. Engines with stages are left out.
static uint64_t least_time(const struct tiler *tiler, const struct cut *cut, uint32_t units)
{
    const struct target *target = tiler->plan->target;
    const bool chain = tiler->member_count > 0;
    const struct plan_group *members = chain ? tiler->members : tiler->group;
    const uint32_t count = chain ? tiler->member_count : 1;
    uint64_t least = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        uint64_t busy[TARGET_DEPTH_MOST] = {0};
        for (uint32_t m = 0; m < count; m++) {
            const uint32_t engine = members[m].engine;
            const struct plan_tile *tiles = cut->tiles[chain ? m + 1 : 0];
            uint32_t first = 0; // member on the same engine
            while (members[first].engine != engine)
                first++;
            if (target->engines[engine].stage_count == 0)
                busy[first] +=
                    tiles_cycles(target, engine, tiles, grid_tiles(&cut->grid), unit, units);
            const uint64_t time = busy[first] / target->engines[engine].count;
            least = time > least ? time : least;
        }
    }
    return least;
}

// With so many cores: of each kind the best cut is evaluated, and `best` replaced by what
// takes less time, or as long with fewer cores.
static void try_units(struct chooser *chooser, struct tiler *tiler, uint32_t first, uint32_t units,
                      struct cuts *cuts, struct best *best)
{
    for (uint32_t kind = 0; kind < ROUND_KINDS; kind++) {
        struct cut *cut = find_cut(tiler, units, kind, cuts);
        if (cut == NULL || (best->cut != NULL && least_time(tiler, cut, units) > best->time))
            continue;
        use(tiler, cut, units);
        const uint64_t time = evaluate_job(chooser->evaluation, first);
        const bool fewer = best->cuts == cuts && units < best->units;
        if (time < best->time || (time == best->time && fewer))
            *best = (struct best){cut, cuts, units, time};
    }
}

// What the tiles of a chain may take of the local memory of a core.
static uint64_t room_of(const struct chooser *chooser, const struct plan_group *head,
                        uint32_t count)
{
    const uint64_t whole = tile_room(chooser->plan, head);
    const uint64_t cores = chooser->plan->target->core_count;
    const uint64_t room =
        chooser->room < 1 && whole < UINT64_MAX ? (uint64_t)((double)whole * chooser->room) : whole;
    const bool limited = count > 1 && chooser->depth_room > 0 && chooser->depth_room / cores < room;
    return limited ? chooser->depth_room / cores : room;
}

// A chain of `count` groups to be cut; NULL where its groups cannot be one.
static struct plan_group *open_chain(struct chooser *chooser, uint32_t first, uint32_t count,
                                     struct tiler *tiler)
{
    struct plan *plan = chooser->plan;
    struct plan_group *head = &plan->groups[first];
    struct plan_chain *chain = count > 1 ? chain_make(plan, chooser->readers, first, count) : NULL;
    struct plan_group *whole = chain != NULL ? &chain->whole : head;
    head->chain = chain;
    tiler_start(tiler, plan, whole, chain != NULL ? head : NULL, count);
    tiler->room = room_of(chooser, head, count);
    return whole->output_count == 1 ? head : NULL;
}

static void close_chain(struct plan_group *head, struct tiler *tiler, bool keep)
{
    tiler_free(tiler);
    if (!keep && head != NULL) {
        head->chain = NULL;
        head->tile_count = 0;
    }
}

// Numbers of cores to try, most first: what they need is the soonest known to be too long for
// fewer.
static uint32_t list_units(uint32_t most, uint32_t units[UNITS_MOST])
{
    uint32_t count = 0;
    for (uint32_t next = 1; next <= most && count < UNITS_MOST; next = next_units(next))
        units[count++] = next;
    return count;
}

// Numbers of tiles that each core is to have at least: as many as are asked for, and a few more,
// which let engines work at the same time. Those with stages do so within a tile.
static uint32_t list_splits(const struct chooser *chooser, const struct plan_group *head,
                            uint32_t splits[SPLITS])
{
    const bool staged = chooser->plan->target->engines[head->engine].stage_count > 0;
    uint32_t count = 0;
    splits[count++] = chooser->split;
    while (!staged && count < SPLITS && 2 * splits[count - 1] <= SPLIT_TRIED) {
        splits[count] = 2 * splits[count - 1];
        count++;
    }
    return count;
}

// The cut of a chain that takes the least time.
static struct alike_answer search(struct chooser *chooser, struct tiler *tiler, uint32_t first)
{
    struct alike_answer answer = {0};
    struct best best = {.time = UINT64_MAX};
    struct cuts cuts[WAYS * SPLITS] = {0};
    uint32_t units[UNITS_MOST];
    uint32_t splits[SPLITS];
    const struct plan_group *head = &chooser->plan->groups[first];
    uint32_t count = list_units(chain_units(chooser->plan, head), units);
    const uint32_t cut_count = WAYS * list_splits(chooser, head, splits);
    if (chooser->quick) { // all cores
        units[0] = units[count - 1];
        count = 1;
    }
    for (uint32_t way = 0; way < cut_count; way++) {
        cuts[way] = list_cuts_in(tiler, splits[way / WAYS], way % WAYS);
        for (uint32_t i = count; i-- > 0;)
            try_units(chooser, tiler, first, units[i], &cuts[way], &best);
        const uint64_t tiles = most_tiles(&cuts[way]);
        answer.tiles = tiles > answer.tiles ? tiles : answer.tiles;
    }
    if (best.cut != NULL) {
        answer.found = true;
        answer.grid = best.cut->grid;
        answer.slots = best.cut->slots;
        answer.units = best.units;
        answer.time = best.time;
    }
    for (uint32_t way = 0; way < cut_count; way++)
        cuts_free(&cuts[way]);
    return answer;
}

// How the chain of `count` groups is cut best, and how long it takes then.
static struct alike_answer find_best(struct chooser *chooser, uint32_t first, uint32_t count)
{
    const struct alike_question question = {first,          count,         chooser->quick,
                                            chooser->split, chooser->room, chooser->depth_room};
    const struct alike_answer *known = alike_find(chooser->alike, &question);
    struct alike_answer answer = {0};
    struct tiler tiler;
    if (known != NULL)
        return *known;
    if (open_chain(chooser, first, count, &tiler) != NULL)
        answer = search(chooser, &tiler, first);
    close_chain(&chooser->plan->groups[first], &tiler, false);
    alike_keep(chooser->alike, &answer);
    return answer;
}

// Cuts the chain of `count` groups in the way that takes the least time. False when there is
// none.
static bool tile_evaluated_choose(struct chooser *chooser, uint32_t first, uint32_t count)
{
    struct plan *plan = chooser->plan;
    const struct alike_answer answer = find_best(chooser, first, count);
    struct tiler tiler;
    if (!answer.found)
        return false;
    open_chain(chooser, first, count, &tiler);
    tiler.arena = &plan->arena;
    tiler.slots = answer.slots;
    tiler.group->unit_count = answer.units;
    const bool found = tiler_fill_grid(&tiler, &answer.grid);
    close_chain(&plan->groups[first], &tiler, found);
    return found;
}

static void ask_for(struct chooser *chooser, const struct target_plan *wanted)
{
    chooser->split = wanted->split;
    chooser->room = wanted->room;
    chooser->depth_room = wanted->depth_room;
}

// Chains -----------------------------------------------------------------------------------

// Where a group begins a chain: how long it is best, and the time of that and of all after it.
struct begin {
    uint32_t count; // 0: it cannot be cut
    bool relaxed;   // what the target asks for cannot be had
    uint64_t time;
    uint64_t alone; // of the group by itself
};

static const struct target_plan RELAXED = {.split = 1, .room = 1};

// Chains that begin with a group, by the evaluator's word, as long as another group is better in
// the chain than alone. Jobs follow one another, so that their times add up; `begins` has those of
// the groups after it.
static void find_begin(struct chooser *chooser, uint32_t first, struct begin *begins)
{
    const struct target_plan *wanted = &chooser->plan->target->plan;
    struct begin *begin = &begins[first];
    *begin = (struct begin){.time = begins[first + 1].time};
    if (!chain_takes(chooser->plan, &chooser->plan->groups[first]))
        return;
    ask_for(chooser, wanted);
    struct alike_answer answer = find_best(chooser, first, 1);
    if (!answer.found && (wanted->split > 1 || wanted->room < 1)) {
        begin->relaxed = true;
        ask_for(chooser, &RELAXED);
        answer = find_best(chooser, first, 1);
    }
    begin->alone = answer.found ? answer.time : UINT64_MAX / 2;
    for (uint32_t count = 1;;) {
        const uint64_t time = answer.time + begins[first + count].time;
        if (answer.found && (begin->count == 0 || time < begin->time)) {
            begin->count = count;
            begin->time = time;
        }
        if (!wanted->keep || !chain_may_follow(chooser->plan, first, count))
            return;
        const uint64_t apart =
            answer.found ? answer.time + begins[first + count].alone : UINT64_MAX;
        answer = find_best(chooser, first, ++count);
        if (!answer.found || answer.time > apart)
            return;
    }
}

// Cuts a group, with those after it that it hands its tiles to. Returns their number; 0 when it
// cannot be cut.
static uint32_t tile_chain(struct chooser *chooser, uint32_t first, const struct begin *begin)
{
    uint32_t count = begin->count;
    ask_for(chooser, begin->relaxed ? &RELAXED : &chooser->plan->target->plan);
    while (count > 0 && !tile_evaluated_choose(chooser, first, count))
        count--;
    return count;
}

status tile_evaluated(struct plan *plan)
{
    struct chooser chooser = {.plan = plan,
                              .evaluation = evaluation_create(plan),
                              .readers = group_count_readers(plan->network)};
    chooser.alike = alike_create(plan, chooser.readers);
    struct begin *begins = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof *begins);
    chooser.quick = true; // which chains there are; then how each is cut
    for (uint32_t i = plan->group_count; i-- > 0;)
        find_begin(&chooser, i, begins);
    chooser.quick = false;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const uint32_t count = tile_chain(&chooser, i, &begins[i]);
        if (count == 0) {
            tile_whole(plan, &plan->groups[i]);
            continue;
        }
        plan->tile_count += plan->groups[i].tile_count;
        i += count - 1;
    }
    free(begins);
    evaluation_free(chooser.evaluation);
    alike_free(chooser.alike);
    free(chooser.readers);
    return STATUS_OK;
}
