#include <stdlib.h>

#include "alike.h"
#include "base/memory.h"
#include "chain.h"
#include "compiler.h"
#include "evaluate.h"
#include "group.h"
#include "least_time.h"
#include "region.h"
#include "shard.h"
#include "tile.h"
#include "tiler.h"

enum {
    AXES_MOST = 4,   // dimensions that are cut
    FINER_MOST = 4,  // cuts of the last one, for each tile that a core has at least
    MANY_ROUNDS = 2, // of those
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
    uint64_t staying; // of that: what is the same for all tiles
    // Tiles of a coarser cut that fits as well: with fewer cores than these are for, this one only
    // moves more.
    uint64_t coarser;
    uint64_t beyond; // it is for more cores than these alone
    bool filled, failed;
    uint32_t tried; // cores that it was evaluated with last
    // What was made for it, to be evaluated with several numbers of cores:
    struct arena arena;
    struct plan_tile *tiles[TARGET_DEPTH_MOST + 1]; // of the whole and of its members
    const bool *stays;
    struct least_time least;
};

struct cuts {
    struct cut *items;
    size_t count, capacity;
    uint32_t finer; // cuts of the last dimension
    uint64_t many;  // tiles from which on finer cuts are not looked at
    uint32_t split; // tiles that each core has at most, of those that are asked for
    uint32_t cores; // where values lie in tiles, each gets one if there are so many
};

// Cuts that are looked at along some dimensions while the others are not cut.
struct above {
    bool fits;
    uint64_t coarser; // of the cut that it is
    uint64_t finer;   // `coarser` of all that are finer
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

static void add_cut(struct tiler *tiler, const struct grid *grid, uint64_t coarser, uint64_t beyond,
                    struct cuts *cuts)
{
    const uint64_t bytes = tiler_traffic(tiler, grid);
    const uint64_t staying = tiler_local_bytes(tiler, 0);
    if (!tiler_cuts_once(tiler, grid))
        return;
    cuts->items = memory_grow(cuts->items, cuts->count, &cuts->capacity, sizeof *cuts->items);
    cuts->items[cuts->count++] = (struct cut){.grid = *grid,
                                              .slots = tiler->slots,
                                              .traffic = bytes,
                                              .staying = staying,
                                              .coarser = coarser,
                                              .beyond = beyond};
}

// Whole tiles are as many for several numbers of parts: one of these will do.
static bool is_tiled(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->rank; i++) {
        if (grid->step[i] > 1)
            return true;
    }
    return false;
}

// Tiles that are enough for so many cores: finer cuts move more, and let no more of them work.
static uint64_t many_tiles(uint32_t units, uint32_t split)
{
    return (uint64_t)units * split * MANY_ROUNDS;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Along the last dimension as few parts as fit, and a few more: finer cuts only move more, and
// are there for those who ask for many tiles. Whole tiles are few: there cuts go on until all cores
// have one.
static void cut_last(struct tiler *tiler, uint32_t axis, struct above above, struct grid *grid,
                     struct cuts *cuts)
{
    const int64_t length = tiler_shape(tiler)->dims[axis];
    uint32_t found = 0;
    int64_t before = 0;
    uint64_t tiles = 0;
    for (int64_t parts = 1; parts <= length && (found < cuts->finer || tiles < cuts->cores);
         parts = next_parts(parts, length)) {
        if (above.finer >= cuts->many && parts > 1)
            break;
        const uint64_t beyond = found < cuts->finer ? 0 : tiles;
        grid_set_parts(grid, tiler_shape(tiler), axis, parts);
        tiles = is_tiled(grid) ? grid_tiles(grid) : UINT64_MAX;
        const bool seen = is_tiled(grid) && grid->parts[axis] == before;
        before = grid->parts[axis];
        if (seen || !(parts == 1 ? above.fits : tiler_fits(tiler, grid)))
            continue;
        add_cut(tiler, grid, parts == 1 ? above.coarser : above.finer, beyond, cuts);
        above.finer = larger(above.finer, grid_tiles(grid));
        found++;
    }
    grid_set_parts(grid, tiler_shape(tiler), axis, 1);
}

static void cut_axes(struct tiler *tiler, const uint32_t *axes, uint32_t count, struct above above,
                     struct grid *grid, struct cuts *cuts)
{
    if (count == 1) {
        cut_last(tiler, axes[0], above, grid, cuts);
        return;
    }
    const int64_t length = tiler_shape(tiler)->dims[axes[0]];
    int64_t before = 0;
    for (int64_t parts = 1; parts <= length && cuts->count < CUTS_MOST;
         parts = next_parts(parts, length)) {
        if (above.finer >= cuts->many && parts > 1)
            break;
        grid_set_parts(grid, tiler_shape(tiler), axes[0], parts);
        const bool seen = is_tiled(grid) && grid->parts[axes[0]] == before;
        before = grid->parts[axes[0]];
        if (seen)
            continue;
        struct above own = above;
        if (parts > 1) {
            own.fits = tiler_fits(tiler, grid);
            own.coarser = above.finer;
            own.finer = larger(above.finer, own.fits ? grid_tiles(grid) : 0);
            above.finer = own.finer;
        }
        cut_axes(tiler, axes + 1, count - 1, own, grid, cuts);
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
    const uint32_t cores = chain_units(tiler->plan, tiler->group);
    struct cuts cuts = {.finer = FINER_MOST * split,
                        .many = many_tiles(cores, split),
                        .split = split,
                        .cores = cores};
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = order_axes(tiler, axes);
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    for (tiler->slots = lanes + 1; count > 0 && tiler->slots > 0 && cuts.count == 0;
         tiler->slots--) {
        struct grid grid = tiler_whole_grid(tiler);
        const bool whole = tiler_fits(tiler, &grid);
        cut_axes(tiler, axes, count, (struct above){.fits = whole, .finer = whole}, &grid, &cuts);
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

// Data that moves, as if cores without a tile in the last round moved some too. What stays is
// moved once, or by every core: which of the two a machine does well the evaluator finds out.
static double badness(const struct cut *cut, uint32_t units, bool by_every_core)
{
    const uint64_t tiles = grid_tiles(&cut->grid);
    const uint64_t rounds = (tiles + units - 1) / units;
    const double again = by_every_core ? (double)cut->staying * (double)(units - 1) : 0;
    return ((double)cut->traffic + again) * (double)(rounds * units) / (double)tiles;
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

// Whether the cut would be listed if there were no more cores: what there is besides does not
// decide how so many are used.
static bool is_listed(const struct cut *cut, uint32_t units, const struct cuts *cuts)
{
    return cut->coarser < many_tiles(units, cuts->split) &&
           (cut->beyond == 0 || cut->beyond < units);
}

// Of the cuts of a kind, the one that moves the least and can be made; NULL.
static struct cut *find_cut(struct tiler *tiler, uint32_t units, uint32_t split, uint32_t kind,
                            bool by_every_core, struct cuts *cuts)
{
    for (;;) {
        struct cut *found = NULL;
        for (size_t i = 0; i < cuts->count; i++) {
            struct cut *cut = &cuts->items[i];
            if (!cut->failed && is_listed(cut, units, cuts) &&
                rounds_kind(cut, units, split) == kind &&
                (found == NULL ||
                 badness(cut, units, by_every_core) < badness(found, units, by_every_core)))
                found = cut;
        }
        if (found == NULL || tile_evaluated_fill_local(tiler, found))
            return found;
    }
}

// Less than any job with the tiles at hand takes.
static uint64_t least_of(struct tiler *tiler, struct cut *cut, uint32_t units)
{
    const bool chain = tiler->member_count > 0;
    if (cut->least.cycles == NULL)
        least_time_prepare(&cut->least, tiler->plan, &cut->arena, tiler->group,
                           chain ? tiler->members : tiler->group, chain ? tiler->member_count : 1,
                           cut->tiles, cut->stays, (uint32_t)grid_tiles(&cut->grid));
    return least_time(&cut->least, tiler->plan->target, units);
}

// With so many cores: of each kind the best cut is evaluated, and `best` replaced by what
// takes less time, or as long with fewer cores.
static void try_units(struct chooser *chooser, struct tiler *tiler, uint32_t first, uint32_t units,
                      uint32_t split, struct cuts *cuts, struct best *best)
{
    for (uint32_t i = 0; i < 2 * ROUND_KINDS; i++) {
        struct cut *cut = find_cut(tiler, units, split, i / 2, i % 2 == 1, cuts);
        if (cut == NULL || cut->tried == units)
            continue;
        cut->tried = units;
        if (least_of(tiler, cut, units) > best->time)
            continue;
        use(tiler, cut, units);
        const uint64_t time = evaluate_job(chooser->evaluation, first);
        const bool fewer = best->cuts == cuts && units < best->units;
        const bool first_found = best->cut == NULL && time < UINT64_MAX;
        if (time < best->time || (time == best->time && (fewer || first_found)))
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

// The cut of a chain that takes the least time, and no more than `limit`.
static struct alike_answer search(struct chooser *chooser, struct tiler *tiler, uint32_t first,
                                  uint64_t limit)
{
    struct alike_answer answer = {0};
    struct best best = {.time = limit};
    struct cuts cuts[WAYS] = {0};
    uint32_t units[UNITS_MOST];
    uint32_t splits[SPLITS];
    const struct plan_group *head = &chooser->plan->groups[first];
    const uint32_t count = list_units(chain_units(chooser->plan, head), units);
    const uint32_t split_count = list_splits(chooser, head, splits);
    for (uint32_t way = 0; way < WAYS; way++) {
        cuts[way] = list_cuts_in(tiler, splits[split_count - 1], way);
        for (uint32_t i = count; i-- > 0;) {
            for (uint32_t k = 0; k < split_count; k++)
                try_units(chooser, tiler, first, units[i], splits[k], &cuts[way], &best);
        }
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
    for (uint32_t way = 0; way < WAYS; way++)
        cuts_free(&cuts[way]);
    return answer;
}

// How the chain of `count` groups is cut best, and how long it takes then; not found where that
// is more than `limit`.
static struct alike_answer find_best(struct chooser *chooser, uint32_t first, uint32_t count,
                                     uint64_t limit)
{
    const struct alike_question question = {first,          count,         limit,
                                            chooser->split, chooser->room, chooser->depth_room};
    const struct alike_answer *known = alike_find(chooser->alike, &question);
    struct alike_answer answer = {0};
    struct tiler tiler;
    if (known != NULL)
        return *known;
    if (open_chain(chooser, first, count, &tiler) != NULL)
        answer = search(chooser, &tiler, first, limit);
    close_chain(&chooser->plan->groups[first], &tiler, false);
    alike_keep(chooser->alike, &answer);
    return answer;
}

// Cuts the chain of `count` groups as was found. False when it cannot be.
static bool cut_chain(struct chooser *chooser, uint32_t first, uint32_t count,
                      const struct alike_answer *answer)
{
    struct plan *plan = chooser->plan;
    struct tiler tiler;
    if (!answer->found)
        return false;
    open_chain(chooser, first, count, &tiler);
    tiler.arena = &plan->arena;
    tiler.slots = answer->slots;
    tiler.group->unit_count = answer->units;
    const bool found = tiler_fill_grid(&tiler, &answer->grid);
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
    uint64_t alone;             // of the group by itself
    struct alike_answer answer; // how it is cut
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
    struct alike_answer answer = find_best(chooser, first, 1, UINT64_MAX);
    if (!answer.found && (wanted->split > 1 || wanted->room < 1)) {
        begin->relaxed = true;
        ask_for(chooser, &RELAXED);
        answer = find_best(chooser, first, 1, UINT64_MAX);
    }
    begin->alone = answer.found ? answer.time : UINT64_MAX / 2;
    for (uint32_t count = 1;;) {
        const uint64_t time = answer.time + begins[first + count].time;
        if (answer.found && (begin->count == 0 || time < begin->time)) {
            begin->count = count;
            begin->time = time;
            begin->answer = answer;
        }
        if (!wanted->keep || !chain_may_follow(chooser->plan, first, count))
            return;
        const uint64_t apart =
            answer.found ? answer.time + begins[first + count].alone : UINT64_MAX;
        answer = find_best(chooser, first, ++count, apart);
        if (!answer.found)
            return;
    }
}

// Cuts a group, with those after it that it hands its tiles to. Returns their number; 0 when it
// cannot be cut.
static uint32_t tile_chain(struct chooser *chooser, uint32_t first, const struct begin *begin)
{
    uint32_t count = begin->count;
    struct alike_answer answer = begin->answer;
    ask_for(chooser, begin->relaxed ? &RELAXED : &chooser->plan->target->plan);
    while (count > 0 && !cut_chain(chooser, first, count, &answer)) {
        count--;
        answer = count > 0 ? find_best(chooser, first, count, UINT64_MAX) : answer;
    }
    return count;
}

status tile_evaluated(struct plan *plan)
{
    struct chooser chooser = {.plan = plan,
                              .evaluation = evaluation_create(plan),
                              .readers = group_count_readers(plan->network)};
    chooser.alike = alike_create(plan, chooser.readers);
    struct begin *begins = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof *begins);
    for (uint32_t i = plan->group_count; i-- > 0;)
        find_begin(&chooser, i, begins);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const uint32_t count = tile_chain(&chooser, i, &begins[i]);
        if (count == 0) {
            tile_whole(plan, &plan->groups[i]);
            continue;
        }
        plan->tile_count += plan->groups[i].tile_count;
        i += count - 1;
    }
    shard_values(plan, chooser.evaluation);
    free(begins);
    evaluation_free(chooser.evaluation);
    alike_free(chooser.alike);
    free(chooser.readers);
    return STATUS_OK;
}
