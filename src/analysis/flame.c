#include "flame.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

struct open_node {
    uint64_t end; // ns
    uint32_t node;
};

struct flame_meter {
    struct event_sink sink;
    const struct profile *profile;
    struct flame *flame;
    struct hash_index index; // by parent and name
    bool has_roles;          // some lanes say what they do: the others are windows and remarks
    uint32_t lane;           // node of the track at hand
    bool nests;
    const struct clock_domain *clock;
    struct open_node *open;
    size_t open_count, open_capacity;
};

// A child by its name, made where there is none; `parent` where there is no room for it.
static uint32_t child_of(struct flame_meter *meter, uint32_t parent, uint32_t name)
{
    struct segments *nodes = &meter->flame->nodes;
    const uint32_t hash = hash_u64((uint64_t)parent << 32 | name);
    uint32_t id;
    for (uint32_t at = hash_first(&meter->index, hash);
         (id = hash_next(&meter->index, hash, &at)) != HASH_NONE;) {
        const struct flame_node *node = segments_get(nodes, id);
        if (node->parent == parent && node->name == name)
            return id;
    }
    if (nodes->count >= FLAME_NODES_MOST) {
        meter->flame->folded++;
        return parent;
    }
    struct flame_node *node = segments_add(nodes);
    *node = (struct flame_node){.parent = parent, .name = name};
    hash_add(&meter->index, hash, nodes->count - 1);
    return nodes->count - 1;
}

static void start_track(struct flame_meter *meter, const struct track *track)
{
    const enum operator_side side = operator_side_of(track, meter->has_roles);
    const uint32_t name = track->engine != 0 ? track->engine : track->name;
    meter->lane = child_of(meter, child_of(meter, 0, (uint32_t)side), name);
    meter->nests = track->nests;
    meter->clock = profile_clock(meter->profile, track->clock);
    meter->open_count = 0;
}

// Takes the time of a span from those around it, each for the part that it is the innermost of.
static void flame_take_from_around(struct flame_meter *meter, uint64_t start, uint64_t end)
{
    for (size_t i = meter->open_count; i > 0 && start < end; i--) {
        const struct open_node *outer = &meter->open[i - 1];
        const uint64_t part = (outer->end < end ? outer->end : end) - start;
        flame_node(meter->flame, outer->node)->self -= part;
        start += part;
    }
}

static void close_until(struct flame_meter *meter, uint64_t until)
{
    while (meter->open_count > 0 && meter->open[meter->open_count - 1].end <= until)
        meter->open_count--;
}

static void count_nested(struct flame_meter *meter, uint64_t start, uint64_t end, uint32_t name)
{
    close_until(meter, start);
    const uint32_t around =
        meter->open_count > 0 ? meter->open[meter->open_count - 1].node : meter->lane;
    const uint32_t node = child_of(meter, around, name);
    flame_node(meter->flame, node)->count++;
    flame_node(meter->flame, node)->self += end - start;
    flame_take_from_around(meter, start, end);
    close_until(meter, end); // what ends no later is never the innermost again
    meter->open =
        memory_grow(meter->open, meter->open_count, &meter->open_capacity, sizeof *meter->open);
    meter->open[meter->open_count++] = (struct open_node){end, node};
}

static void count_flat(struct flame_meter *meter, const struct event *event, uint64_t duration)
{
    const struct profile *profile = meter->profile;
    const uint32_t type =
        profile_operator(profile, profile_call(profile, event->call)->operator_id)->type;
    const bool tells = type != 0 && type != event->name;
    const uint32_t around = tells ? child_of(meter, meter->lane, type) : meter->lane;
    struct flame_node *node = flame_node(meter->flame, child_of(meter, around, event->name));
    node->count++;
    node->self += duration;
}

static status flame_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct flame_meter *meter = (struct flame_meter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind != EVENT_SPAN)
            continue;
        const uint64_t start = clock_to_ns(meter->clock, event->start);
        const uint64_t end = clock_to_ns(meter->clock, event->end);
        if (meter->nests)
            count_nested(meter, start, end, event->name);
        else
            count_flat(meter, event, end - start);
    }
    return STATUS_OK;
}

// Children come after their parents.
static void sum_up(struct flame *flame)
{
    for (uint32_t i = flame->nodes.count; i > 0; i--) {
        struct flame_node *node = flame_node(flame, i - 1);
        node->total += node->self;
        if (i > 1)
            flame_node(flame, node->parent)->total += node->total;
    }
}

static status measure_tracks(struct flame_meter *meter, struct profile *profile)
{
    meter->has_roles = operator_sides_are_said(profile);
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->provenance == PROVENANCE_DERIVED || track->spans == 0)
            continue;
        start_track(meter, track);
        STATUS_TRY(profile_replay_track(profile, i, &meter->sink));
    }
    return STATUS_OK;
}

status flame_measure(struct profile *profile, struct flame *out_flame)
{
    struct flame_meter meter = {.sink = {flame_take_batch}, .profile = profile, .flame = out_flame};
    *out_flame = (struct flame){0};
    segments_start(&out_flame->nodes, sizeof(struct flame_node));
    segments_add(&out_flame->nodes);
    const status result = measure_tracks(&meter, profile);
    hash_free(&meter.index);
    free(meter.open);
    if (result != STATUS_OK)
        flame_free(out_flame);
    else
        sum_up(out_flame);
    return result;
}

void flame_free(struct flame *flame)
{
    segments_free(&flame->nodes);
}

// Keeping ---------------------------------------------------------------------

static int compare_totals(const void *left, const void *right)
{
    return sort_compare(*(const uint64_t *)right, *(const uint64_t *)left);
}

// A total that at most `most` nodes reach; a node's is never less than those below it.
static uint64_t least_kept(const struct flame *flame, size_t most)
{
    const uint32_t count = flame->nodes.count;
    if (count <= most)
        return 0;
    uint64_t *totals = memory_allocate_zeroed(count, sizeof *totals);
    for (uint32_t i = 0; i < count; i++)
        totals[i] = flame_node(flame, i)->total;
    sort_items(totals, count, sizeof *totals, compare_totals);
    const uint64_t least = totals[most] + 1;
    free(totals);
    return least;
}

void flame_keep(struct flame *flame, size_t most)
{
    const uint64_t least = least_kept(flame, most);
    uint32_t place = 0;
    for (uint32_t i = 0; i < flame->nodes.count; i++) {
        struct flame_node *node = flame_node(flame, i);
        node->kept = i == 0 || node->total >= least ? ++place : 0;
    }
}
