#include "shard.h"

#include <stdlib.h>

#include "base/memory.h"
#include "chain.h"
#include "group.h"
#include "tile.h"
#include "tiler.h"

enum {
    READERS_MOST = 16, // of a value
    CUTS_MOST = READERS_MOST + SHAPE_RANK_MOST + 3,
};

const struct plan_shard *shard_of(const struct plan *plan, uint32_t value)
{
    const bool sharded = plan->shard_ids != NULL && plan->shard_ids[value] != PLAN_NONE;
    return sharded ? &plan->shards[plan->shard_ids[value]] : NULL;
}

uint64_t shard_room(const struct plan *plan, const struct target_engine *engine)
{
    const struct target_memory *memory = &plan->target->memories[engine->memory];
    if (!plan->target->plan.keep || engine->stage_count == 0 || engine->per != TARGET_PER_CORE ||
        memory->per != TARGET_PER_CORE)
        return 0;
    const uint64_t code = plan_code_room(plan->target, engine->memory);
    return memory->size > code ? (memory->size - code) / 2 : 0;
}

// How a group was cut, to cut it so again.
struct shard_cut {
    struct plan_tile *tiles;
    uint32_t tile_count;
    uint32_t unit_count;
    const bool *stays;
};

static struct shard_cut cut_of(const struct plan_group *group)
{
    return (struct shard_cut){group->tiles, group->tile_count, group->unit_count, group->stays};
}

static void cut_again(struct plan_group *group, const struct shard_cut *cut)
{
    group->tiles = cut->tiles;
    group->tile_count = cut->tile_count;
    group->unit_count = cut->unit_count;
    group->stays = cut->stays;
}

// A value that may be sharded, and the groups that are concerned: the one that makes it first.
struct sharding {
    struct plan *plan;
    struct evaluation *evaluation;
    uint32_t *first_reader; // by value, in `readers`
    uint32_t *readers;      // groups, those of one value after the other
    uint64_t *times;        // by group, as it is cut now; 0: not asked yet
    uint32_t *live;         // shards that are in use when the group at hand runs
    size_t live_count;
    uint32_t value;
    struct arena *arena; // where tiles are made
    uint32_t groups[READERS_MOST + 1];
    uint32_t group_count;
};

static struct plan_group *member_of(const struct sharding *sharding, uint32_t member)
{
    return &sharding->plan->groups[sharding->groups[member]];
}

static uint32_t input_of(const struct plan_group *group, uint32_t value)
{
    uint32_t i = 0;
    while (i < group->input_count && group->inputs[i] != value)
        i++;
    return i;
}

// The part of a value that a tile makes, or needs.
static const struct plan_box *part_of(const struct plan_group *group, uint32_t tile, uint32_t value)
{
    const uint32_t input = input_of(group, value);
    return input < group->input_count ? &group->tiles[tile].inputs[input]
                                      : &group->tiles[tile].outputs[0];
}

// Whether two groups have the same part of a value on the same core, one each.
static bool groups_agree(const struct plan_group *a, const struct plan_group *b, uint32_t value)
{
    if (a->tile_count == 0 || a->tile_count != b->tile_count || a->tile_count > a->unit_count ||
        b->tile_count > b->unit_count)
        return false;
    for (uint32_t i = 0; i < a->tile_count; i++) {
        if (!plan_boxes_same(part_of(a, i, value), part_of(b, i, value)))
            return false;
    }
    return true;
}

// Whether a group that was cut anew still has the parts of all that it reads and is sharded. What
// it gives has not been looked at yet.
static bool keeps_parts(const struct sharding *sharding, uint32_t member)
{
    const struct plan *plan = sharding->plan;
    const struct plan_group *group = member_of(sharding, member);
    for (uint32_t i = 0; i < group->input_count; i++) {
        const struct plan_shard *shard = shard_of(plan, group->inputs[i]);
        if (shard != NULL && !groups_agree(&plan->groups[shard->maker], group, group->inputs[i]))
            return false;
    }
    return true;
}

// Cutting ----------------------------------------------------------------------------------

// Cuts what a member gives as the value is cut into parts of these sizes; false where there are
// fewer cores than parts, or that cannot be.
static bool cut_member(const struct sharding *sharding, uint32_t member, const int64_t *sizes)
{
    struct plan *plan = sharding->plan;
    struct plan_group *group = member_of(sharding, member);
    const struct shape *value = &group_value(plan, sharding->value)->type.shape;
    struct tiler tiler;
    tiler_start(&tiler, plan, group, NULL, 1);
    tiler.room = tile_room(plan, group);
    tiler.slots = 1;
    tiler.arena = sharding->arena;
    const struct shape *shape = tiler_shape(&tiler);
    struct grid grid = tiler_whole_grid(&tiler);
    for (uint32_t i = 0; i < grid.rank; i++) {
        if (sizes[i] > 0 && sizes[i] < value->dims[i])
            grid_set_parts(&grid, shape, i, (shape->dims[i] + sizes[i] - 1) / sizes[i]);
    }
    const uint32_t units = chain_units(plan, group);
    const bool found =
        grid_tiles(&grid) <= units && tiler_fits(&tiler, &grid) && tiler_fill_grid(&tiler, &grid);
    if (found)
        group->unit_count = units;
    tiler_free(&tiler);
    return found;
}

// Cuts all that are concerned so that the value is in parts of these sizes.
static bool cut_alike(const struct sharding *sharding, const struct shard_cut *before,
                      const int64_t *sizes)
{
    const uint32_t rank = group_value(sharding->plan, sharding->value)->type.shape.rank;
    for (uint32_t m = 0; m < sharding->group_count; m++) {
        struct plan_group *group = member_of(sharding, m);
        const struct plan_group *maker = member_of(sharding, 0);
        const struct shape *shape = &group_value(sharding->plan, group->outputs[0])->type.shape;
        cut_again(group, &before[m]);
        const bool fits =
            m == 0 ? group->tile_count > 0 && group->tile_count <= group->unit_count &&
                         memcmp(group->tiles[0].outputs[0].size, sizes, rank * sizeof *sizes) == 0
                   : groups_agree(maker, group, sharding->value);
        if (fits)
            continue;
        if (shape->rank != rank || !cut_member(sharding, m, sizes) || !keeps_parts(sharding, m) ||
            (m > 0 && !groups_agree(maker, group, sharding->value)))
            return false;
    }
    return true;
}

// Parts of whole tiles along some dimensions, as many as there are cores.
static void spread_over(const struct sharding *sharding, uint32_t from, uint32_t to, int64_t *sizes)
{
    const struct plan *plan = sharding->plan;
    const struct plan_group *maker = member_of(sharding, 0);
    const struct shape *shape = &group_value(plan, sharding->value)->type.shape;
    const struct target_engine *engine = &plan->target->engines[maker->engine];
    const bool tiled = target_engine_is_tiled(engine) && !plan_is_image(plan, sharding->value);
    int64_t units = chain_units(plan, maker);
    memcpy(sizes, shape->dims, sizeof shape->dims);
    for (uint32_t i = from; i < to && units > 1; i++) {
        const uint32_t side = i + 2 - shape->rank; // of a tile, for the last two
        const int64_t step = tiled && i + 2 >= shape->rank ? engine->tile[side] : 1;
        const int64_t steps = (shape->dims[i] + step - 1) / step;
        const int64_t parts = steps < units ? steps : units;
        if (parts <= 1)
            continue;
        const int64_t size = (steps + parts - 1) / parts * step;
        sizes[i] = size < shape->dims[i] ? size : shape->dims[i];
        units /= parts;
    }
}

static bool is_listed(const int64_t sizes[][SHAPE_RANK_MOST], uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(sizes[i], sizes[count], rank * sizeof sizes[0][0]) == 0)
            return true;
    }
    return false;
}

// The sizes of parts to try: those that the groups have already, rows over all cores, and one
// dimension alone.
static uint32_t list_sizes(const struct sharding *sharding, int64_t sizes[][SHAPE_RANK_MOST])
{
    const uint32_t rank = group_value(sharding->plan, sharding->value)->type.shape.rank;
    uint32_t count = 0;
    for (uint32_t m = 0; m < sharding->group_count; m++) {
        memcpy(sizes[count], part_of(member_of(sharding, m), 0, sharding->value)->size,
               sizeof sizes[0]);
        count += !is_listed(sizes, count, rank);
    }
    for (uint32_t i = 0; i <= rank && rank > 0; i++) {
        const bool rows = i == rank;
        spread_over(sharding, rows ? 0 : i, rows ? rank - 1 : i + 1, sizes[count]);
        count += !is_listed(sizes, count, rank);
    }
    return count;
}

// Room -------------------------------------------------------------------------------------

static uint64_t bytes_of_parts(const struct sharding *sharding)
{
    const struct plan *plan = sharding->plan;
    const struct plan_group *maker = member_of(sharding, 0);
    const enum element element = group_value(plan, sharding->value)->type.element;
    uint64_t most = 0;
    for (uint32_t i = 0; i < maker->tile_count; i++) {
        const struct plan_box *part = &maker->tiles[i].outputs[0];
        const uint64_t stored =
            plan_box_stored(plan, &plan->target->engines[maker->engine], sharding->value, part);
        const uint64_t bytes = plan_box_bytes(part, element);
        most = stored > most ? stored : most;
        most = bytes > most ? bytes : most;
    }
    return plan_padded(most);
}

// The highest address with so much room among the parts that are in use; false when there is none.
static bool find_room(const struct sharding *sharding, uint64_t bytes, uint64_t *out_address)
{
    const struct plan *plan = sharding->plan;
    const struct target_engine *engine = &plan->target->engines[member_of(sharding, 0)->engine];
    const uint64_t end =
        plan->target->memories[engine->memory].size / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    uint64_t top = end;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < sharding->live_count; i++) {
            const struct plan_shard *other = &plan->shards[sharding->live[i]];
            if (top > other->address &&
                (top < bytes || top - bytes < other->address + other->bytes)) {
                top = other->address;
                moved = true;
            }
        }
    }
    *out_address = top - bytes;
    return top >= bytes && end - (top - bytes) <= shard_room(plan, engine);
}

// Choosing ---------------------------------------------------------------------------------

static uint64_t time_of(struct sharding *sharding, uint32_t group)
{
    if (sharding->times[group] == 0)
        sharding->times[group] = evaluate_job(sharding->evaluation, group);
    return sharding->times[group];
}

static uint64_t sum_of_times(struct sharding *sharding, bool again)
{
    uint64_t all = 0;
    for (uint32_t m = 0; m < sharding->group_count; m++) {
        const uint64_t time = again ? evaluate_job(sharding->evaluation, sharding->groups[m])
                                    : time_of(sharding, sharding->groups[m]);
        all = time > UINT64_MAX - all ? UINT64_MAX : all + time;
    }
    return all;
}

static bool is_sharded_engine(const struct plan *plan, const struct plan_group *group)
{
    return chain_takes(plan, group) && group->tile_count > 0 && group->chain == NULL &&
           group->first_unit == 0 && group->output_count == 1 &&
           shard_room(plan, &plan->target->engines[group->engine]) > 0;
}

// Whether the value that a group gives may be sharded; then who is concerned.
static bool find_groups(struct sharding *sharding, uint32_t maker)
{
    const struct plan *plan = sharding->plan;
    const struct plan_group *group = &plan->groups[maker];
    if (!is_sharded_engine(plan, group))
        return false;
    sharding->value = group->outputs[0];
    sharding->groups[0] = maker;
    sharding->group_count = 1;
    const uint32_t first = sharding->first_reader[sharding->value];
    const uint32_t end = sharding->first_reader[sharding->value + 1];
    if (end == first || end - first > READERS_MOST)
        return false;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t reader = sharding->readers[i];
        if (reader == PLAN_NONE || !is_sharded_engine(plan, &plan->groups[reader]) ||
            plan->groups[reader].engine != group->engine)
            return false;
        sharding->groups[sharding->group_count++] = reader;
    }
    return true;
}

// Cuts all concerned so, and lays the parts where there is room; false when that cannot be.
static bool add_shard(struct sharding *sharding, const struct shard_cut *before,
                      const int64_t *sizes)
{
    struct plan *plan = sharding->plan;
    struct plan_shard shard = {.value = sharding->value,
                               .maker = sharding->groups[0],
                               .last = sharding->groups[sharding->group_count - 1]};
    if (!cut_alike(sharding, before, sizes))
        return false;
    shard.bytes = bytes_of_parts(sharding);
    if (!find_room(sharding, shard.bytes, &shard.address))
        return false;
    plan->shards =
        memory_grow(plan->shards, plan->shard_count, &plan->shard_capacity, sizeof *plan->shards);
    plan->shard_ids[sharding->value] = (uint32_t)plan->shard_count;
    plan->shards[plan->shard_count++] = shard;
    return true;
}

// The time of all concerned with parts of these sizes; UINT64_MAX where that cannot be. All are
// cut as before again.
static uint64_t try_sizes(struct sharding *sharding, const struct shard_cut *before,
                          const int64_t *sizes)
{
    struct arena scratch = {0};
    uint64_t time = UINT64_MAX;
    sharding->arena = &scratch;
    if (add_shard(sharding, before, sizes)) {
        time = sum_of_times(sharding, true);
        sharding->plan->shard_ids[sharding->value] = PLAN_NONE;
        sharding->plan->shard_count--;
    }
    for (uint32_t m = 0; m < sharding->group_count; m++)
        cut_again(member_of(sharding, m), &before[m]);
    sharding->arena = &sharding->plan->arena;
    arena_free(&scratch);
    return time;
}

static void shard_value(struct sharding *sharding)
{
    struct shard_cut before[READERS_MOST + 1];
    int64_t sizes[CUTS_MOST][SHAPE_RANK_MOST];
    const uint32_t count = list_sizes(sharding, sizes);
    uint64_t least = sum_of_times(sharding, false);
    uint32_t best = count;
    for (uint32_t m = 0; m < sharding->group_count; m++)
        before[m] = cut_of(member_of(sharding, m));
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t time = try_sizes(sharding, before, sizes[i]);
        best = time < least ? i : best;
        least = time < least ? time : least;
    }
    if (best == count || !add_shard(sharding, before, sizes[best]))
        return;
    sharding->live[sharding->live_count++] = (uint32_t)sharding->plan->shard_count - 1;
    for (uint32_t m = 0; m < sharding->group_count; m++)
        sharding->times[sharding->groups[m]] = 0;
}

// Who reads what ---------------------------------------------------------------------------

// By value the groups that read it. What a network gives is read by one more, which is none: it
// lies in the far memory.
static void find_readers(struct sharding *sharding)
{
    const struct plan *plan = sharding->plan;
    const size_t values = plan->network->values.count;
    const struct network_graph *graph = network_graph(plan->network, 0);
    uint32_t *first = memory_allocate_zeroed(values + 2, sizeof *first);
    size_t all = graph->output_count;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        for (uint32_t i = 0; i < plan->groups[g].input_count; i++, all++)
            first[plan->groups[g].inputs[i] + 1]++;
    }
    for (uint32_t i = 0; i < graph->output_count; i++)
        first[graph->outputs[i] + 1]++;
    for (size_t i = 1; i <= values; i++)
        first[i] += first[i - 1];
    sharding->readers = memory_allocate((all + 1) * sizeof *sharding->readers);
    memset(sharding->readers, 0xff, (all + 1) * sizeof *sharding->readers);
    uint32_t *next = memory_allocate_zeroed(values + 2, sizeof *next);
    memcpy(next, first, (values + 1) * sizeof *next);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        for (uint32_t i = 0; i < plan->groups[g].input_count; i++)
            sharding->readers[next[plan->groups[g].inputs[i]]++] = g;
    }
    free(next);
    sharding->first_reader = first;
}

// Parts whose last reader has run.
static void drop_dead(struct sharding *sharding, uint32_t group)
{
    size_t kept = 0;
    for (size_t i = 0; i < sharding->live_count; i++) {
        if (sharding->plan->shards[sharding->live[i]].last >= group)
            sharding->live[kept++] = sharding->live[i];
    }
    sharding->live_count = kept;
}

void shard_values(struct plan *plan, struct evaluation *evaluation)
{
    const size_t values = plan->network->values.count;
    bool any = false;
    for (uint32_t i = 0; i < plan->target->engine_count; i++)
        any = any || shard_room(plan, &plan->target->engines[i]) > 0;
    if (!any)
        return;
    struct sharding sharding = {
        .plan = plan,
        .evaluation = evaluation,
        .times = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof(uint64_t)),
        .arena = &plan->arena,
        .live = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof(uint32_t))};
    plan->shard_ids = memory_allocate((values + 1) * sizeof *plan->shard_ids);
    memset(plan->shard_ids, 0xff, (values + 1) * sizeof *plan->shard_ids);
    find_readers(&sharding);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        drop_dead(&sharding, g);
        if (find_groups(&sharding, g))
            shard_value(&sharding);
    }
    free(sharding.first_reader);
    free(sharding.readers);
    free(sharding.times);
    free(sharding.live);
}
