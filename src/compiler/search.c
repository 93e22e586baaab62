#include "search.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "chain.h"
#include "cuts.h"
#include "evaluate.h"
#include "tile.h"

enum {
    ROUND_KINDS = 4, // once, twice, a few times, often
    UNITS_MOST = 256,
    SPLIT_TRIED = 4, // tiles that each core has at least, if more are not asked for
    SPLITS = 3,
};

// The plan is its own in what a search changes: groups, and what is made for them.
struct searcher {
    const struct plan *original;
    struct plan plan;
    struct evaluation *evaluation;
    const uint32_t *readers;
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

// Choosing ---------------------------------------------------------------------------------

static void use(struct tiler *tiler, const struct cut *cut, uint32_t units)
{
    const uint32_t count = (uint32_t)cut->count;
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
static double badness(const struct cut *cut, uint32_t units, uint64_t rounds, bool by_every_core)
{
    const double again = by_every_core ? (double)cut->staying * (double)(units - 1) : 0;
    return ((double)cut->traffic + again) * (double)(rounds * units) / (double)cut->count;
}

// Which kind of cut it is by how often each core gets a tile; ROUND_KINDS: not for so many
// cores.
static uint32_t rounds_kind(const struct cut *cut, uint32_t units, uint64_t rounds, uint32_t split)
{
    if (cut->count < (uint64_t)units * split)
        return ROUND_KINDS;
    return rounds == 1 ? 0 : rounds == 2 ? 1 : rounds <= 4 ? 2 : 3;
}

// Of each kind the cut that moves the least, by both ways to count what stays; NULL.
struct best_cuts {
    struct cut *cuts[ROUND_KINDS][2];
    double least[ROUND_KINDS][2];
};

static void find_best_cuts(uint32_t units, uint32_t split, const struct cuts *cuts,
                           struct best_cuts *best)
{
    *best = (struct best_cuts){0};
    for (size_t i = 0; i < cuts->count; i++) {
        struct cut *cut = &cuts->items[i];
        if (cut->failed || !cuts_has(cuts, cut, units))
            continue;
        const uint64_t rounds = (cut->count + units - 1) / units;
        const uint32_t kind = rounds_kind(cut, units, rounds, split);
        if (kind == ROUND_KINDS)
            continue;
        for (uint32_t again = 0; again < 2; again++) {
            const double own = badness(cut, units, rounds, again == 1);
            if (best->cuts[kind][again] != NULL && own >= best->least[kind][again])
                continue;
            best->cuts[kind][again] = cut;
            best->least[kind][again] = own;
        }
    }
}

// Less than any job with the tiles at hand takes.
static uint64_t least_of(struct tiler *tiler, struct cut *cut, uint32_t units)
{
    const bool chain = tiler->member_count > 0;
    if (cut->least.cycles == NULL)
        least_time_prepare(&cut->least, tiler->plan, &cut->arena, tiler->group,
                           chain ? tiler->members : tiler->group, chain ? tiler->member_count : 1,
                           cut->tiles, cut->stays, (uint32_t)cut->count);
    return least_time(&cut->least, tiler->plan->target, units);
}

// A cut with a number of cores, in the order in which they are listed.
struct candidate {
    struct cut *cut;
    uint32_t way; // of the cut
    uint32_t units;
    uint64_t least; // its time at least
    size_t order;
};

struct candidates {
    struct candidate *items;
    size_t count, capacity;
};

// With so many cores: of each kind the best cut.
static void list_candidates(struct tiler *tiler, uint32_t units, uint32_t split, uint32_t way,
                            struct cuts *cuts, struct candidates *candidates)
{
    struct best_cuts best;
    find_best_cuts(units, split, cuts, &best);
    for (uint32_t i = 0; i < 2 * ROUND_KINDS; i++) {
        struct cut *cut = best.cuts[i / 2][i % 2];
        while (cut != NULL && !cuts_fill(tiler, cut)) { // then the next best
            find_best_cuts(units, split, cuts, &best);
            cut = best.cuts[i / 2][i % 2];
        }
        if (cut == NULL || cut->tried == units)
            continue;
        cut->tried = units;
        candidates->items = memory_grow(candidates->items, candidates->count, &candidates->capacity,
                                        sizeof *candidates->items);
        candidates->items[candidates->count] =
            (struct candidate){cut, way, units, least_of(tiler, cut, units), candidates->count};
        candidates->count++;
    }
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->least != b->least)
        return a->least < b->least ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

// Of two that take as long: rows alone are cut, then with fewer cores.
static bool is_preferred(const struct candidate *a, const struct candidate *b)
{
    if (a->way != b->way)
        return a->way < b->way;
    return a->units != b->units ? a->units < b->units : a->order < b->order;
}

// The candidate that takes the least time, and no more than `*time`, which becomes that; NULL.
// What may be quickest is evaluated first, and what cannot be better than that is not.
static const struct candidate *find_quickest(struct searcher *searcher, struct tiler *tiler,
                                             uint32_t first, struct candidates *candidates,
                                             uint64_t *time)
{
    const struct candidate *best = NULL;
    if (candidates->count > 0)
        sort_items(candidates->items, candidates->count, sizeof *candidates->items,
                   compare_candidates);
    for (size_t i = 0; i < candidates->count && candidates->items[i].least <= *time; i++) {
        const struct candidate *candidate = &candidates->items[i];
        use(tiler, candidate->cut, candidate->units);
        const uint64_t own = evaluate_job(searcher->evaluation, first);
        if (own > *time || own == UINT64_MAX ||
            (own == *time && best != NULL && !is_preferred(candidate, best)))
            continue;
        best = candidate;
        *time = own;
    }
    return best;
}

// Chains -----------------------------------------------------------------------------------

// What the tiles of a chain may take of the local memory of a core.
static uint64_t room_of(const struct plan *plan, const struct search_question *question)
{
    const uint64_t whole = tile_room(plan, &plan->groups[question->first]);
    const uint64_t each = question->depth_room / plan->target->core_count;
    const uint64_t room = question->room < 1 && whole < UINT64_MAX
                              ? (uint64_t)((double)whole * question->room)
                              : whole;
    const bool limited = question->count > 1 && question->depth_room > 0 && each < room;
    return limited ? each : room;
}

// The groups to be cut. False where they cannot be one chain.
static bool open_chain(struct plan *plan, const uint32_t *readers,
                       const struct search_question *question, struct tiler *tiler)
{
    const uint32_t count = question->count;
    struct plan_group *head = &plan->groups[question->first];
    struct plan_chain *chain = count > 1 ? chain_make(plan, readers, question->first, count) : NULL;
    struct plan_group *whole = chain != NULL ? &chain->whole : head;
    head->chain = chain;
    tiler_start(tiler, plan, whole, chain != NULL ? head : NULL, count);
    tiler->room = room_of(plan, question);
    return whole->output_count == 1;
}

static void close_chain(struct plan_group *head, struct tiler *tiler, bool keep)
{
    tiler_free(tiler);
    if (keep)
        return;
    head->chain = NULL;
    head->tile_count = 0;
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
static uint32_t list_splits(const struct target_engine *engine, uint32_t asked,
                            uint32_t splits[SPLITS])
{
    uint32_t count = 0;
    splits[count++] = asked;
    while (engine->stage_count == 0 && count < SPLITS && 2 * splits[count - 1] <= SPLIT_TRIED) {
        splits[count] = 2 * splits[count - 1];
        count++;
    }
    return count;
}

static struct search_answer search(struct searcher *searcher, struct tiler *tiler,
                                   const struct search_question *question)
{
    struct search_answer answer = {.time = question->limit};
    struct candidates candidates = {0};
    struct cuts cuts[CUTS_WAYS] = {0};
    uint32_t units[UNITS_MOST];
    uint32_t splits[SPLITS];
    const struct plan *plan = &searcher->plan;
    const struct plan_group *head = &plan->groups[question->first];
    const uint32_t count = list_units(chain_units(plan, head), units);
    const uint32_t split_count =
        list_splits(&plan->target->engines[head->engine], question->split, splits);
    for (uint32_t way = 0; way < CUTS_WAYS; way++) {
        cuts[way] = cuts_list(tiler, splits[split_count - 1], way);
        for (uint32_t i = count; i-- > 0;) {
            for (uint32_t k = 0; k < split_count; k++)
                list_candidates(tiler, units[i], splits[k], way, &cuts[way], &candidates);
        }
        const uint64_t tiles = cuts_most_tiles(&cuts[way]);
        answer.tiles = tiles > answer.tiles ? tiles : answer.tiles;
    }
    const struct candidate *best =
        find_quickest(searcher, tiler, question->first, &candidates, &answer.time);
    if (best != NULL) {
        answer.found = true;
        answer.grid = best->cut->grid;
        answer.slots = best->cut->slots;
        answer.units = best->units;
    }
    free(candidates.items);
    for (uint32_t way = 0; way < CUTS_WAYS; way++)
        cuts_free(&cuts[way]);
    return answer;
}

// Searchers --------------------------------------------------------------------------------

struct searcher *searcher_create(const struct plan *plan, const uint32_t *readers)
{
    struct searcher *searcher = memory_allocate_zeroed(1, sizeof *searcher);
    const size_t size = (size_t)plan->group_count * sizeof *plan->groups;
    searcher->original = plan;
    searcher->plan = *plan;
    searcher->plan.arena = (struct arena){0};
    searcher->plan.groups = memory_allocate(size);
    memcpy(searcher->plan.groups, plan->groups, size);
    searcher->evaluation = evaluation_create(&searcher->plan);
    searcher->readers = readers;
    return searcher;
}

void searcher_free(struct searcher *searcher)
{
    evaluation_free(searcher->evaluation);
    arena_free(&searcher->plan.arena);
    free(searcher->plan.groups);
    free(searcher);
}

struct search_answer searcher_find(struct searcher *searcher,
                                   const struct search_question *question)
{
    struct search_answer answer = {0};
    struct tiler tiler;
    searcher->plan.tile_count = searcher->original->tile_count;
    if (open_chain(&searcher->plan, searcher->readers, question, &tiler))
        answer = search(searcher, &tiler, question);
    close_chain(&searcher->plan.groups[question->first], &tiler, false);
    arena_free(&searcher->plan.arena);
    return answer;
}

bool search_apply(struct plan *plan, const uint32_t *readers,
                  const struct search_question *question, const struct search_answer *answer)
{
    struct tiler tiler;
    open_chain(plan, readers, question, &tiler);
    tiler.arena = &plan->arena;
    tiler.slots = answer->slots;
    tiler.group->unit_count = answer->units;
    const bool found = tiler_fill_grid(&tiler, &answer->grid);
    close_chain(&plan->groups[question->first], &tiler, found);
    return found;
}
