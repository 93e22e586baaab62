// From the tracks of a trace to those of the profile.

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "formats/trace/engine_names.h"
#include "formats/trace/track_source.h"
#include "reader_tracks.h"

struct tree {
    struct perfetto_tracks *tracks;
    struct profile *profile;
    struct hash_index processes; // tracks of processes, by pid
    enum provenance provenance;
    uint32_t pid_key;
    uint32_t tid_key;
    uint32_t description_key;
};

static struct perfetto_track *get(const struct tree *tree, uint32_t index)
{
    return segments_get(&tree->tracks->tracks, index);
}

// Processes -------------------------------------------------------------------

static uint32_t reader_tree_find_process(const struct tree *tree, uint64_t pid)
{
    const uint32_t hash = hash_u64(pid);
    uint32_t id;
    for (uint32_t at = hash_first(&tree->processes, hash);
         (id = hash_next(&tree->processes, hash, &at)) != HASH_NONE;) {
        if (get(tree, id)->pid == pid)
            return id;
    }
    return HASH_NONE;
}

// The track above, HASH_NONE for a root. A thread that names no parent belongs
// to the process with its pid.
static uint32_t parent_of(const struct tree *tree, const struct perfetto_track *track)
{
    if (track->parent != 0) {
        const uint32_t parent = perfetto_tracks_look_up(tree->tracks, track->parent);
        if (parent != HASH_NONE)
            return parent;
    }
    if (track->kind != PERFETTO_TRACK_THREAD)
        return HASH_NONE;
    return reader_tree_find_process(tree, track->pid);
}

static void collect_processes(struct tree *tree)
{
    for (uint32_t i = 0; i < tree->tracks->tracks.count; i++) {
        const struct perfetto_track *track = get(tree, i);
        if (track->kind == PERFETTO_TRACK_PROCESS &&
            reader_tree_find_process(tree, track->pid) == HASH_NONE)
            hash_add(&tree->processes, hash_u64(track->pid), i);
    }
}

// Threads may name a process that nobody describes.
static void add_missing_processes(struct tree *tree)
{
    const uint32_t count = tree->tracks->tracks.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct perfetto_track *thread = get(tree, i);
        if (thread->kind != PERFETTO_TRACK_THREAD || parent_of(tree, thread) != HASH_NONE)
            continue;
        const uint64_t pid = thread->pid;
        struct perfetto_track *process = segments_add(&tree->tracks->tracks);
        *process = (struct perfetto_track){
            .kind = PERFETTO_TRACK_PROCESS, .pid = pid, .multiplier = 1, .described = true};
        hash_add(&tree->processes, hash_u64(pid), tree->tracks->tracks.count - 1);
    }
}

// Names and provenance --------------------------------------------------------

static uint32_t reader_tree_numbered_name(struct tree *tree, const char *what, uint64_t number)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "%s %llu", what, (unsigned long long)number);
    return profile_string(tree->profile, (struct view){text, (size_t)size});
}

static void name_track(struct tree *tree, struct perfetto_track *track)
{
    if (track->name != 0)
        return;
    switch (track->kind) {
    case PERFETTO_TRACK_PROCESS:
        track->name = reader_tree_numbered_name(tree, "Process", track->pid);
        break;
    case PERFETTO_TRACK_THREAD:
        track->name = reader_tree_numbered_name(tree, "Thread", track->tid);
        break;
    case PERFETTO_TRACK_COUNTER:
        track->name = reader_tree_numbered_name(tree, "Counter", track->uuid);
        break;
    default:
        track->unnamed = track->uuid != 0;
        track->name = track->uuid != 0
                          ? reader_tree_numbered_name(tree, "Track", track->uuid)
                          : profile_string(tree->profile, VIEW_LITERAL("Default Track"));
        break;
    }
}

// Traces of estimates say so in the name of their overview, where a vendor's tool wrote them.
static enum provenance trace_provenance(const struct tree *tree)
{
    const uint32_t overview =
        strings_find(&tree->profile->strings, VIEW_LITERAL("Compile Profile Overview"));
    for (uint32_t i = 0; overview != HASH_NONE && i < tree->tracks->tracks.count; i++) {
        if (get(tree, i)->name == overview)
            return PROVENANCE_MODELLED;
    }
    return PROVENANCE_MEASURED;
}

// Whether a description says all that and nothing else.
static bool is_provenance(const struct tree *tree, uint32_t text)
{
    const struct view description = track_source_head(profile_text(tree->profile, text));
    return track_source_provenance(description) != PROVENANCE_ABSENT &&
           (view_find(description, ',') == description.size ||
            track_source_clock(tree->profile, description) != 0);
}

static enum provenance track_provenance(const struct tree *tree, const struct perfetto_track *track)
{
    const struct view name = profile_text(tree->profile, track->name);
    const struct view description = profile_text(tree->profile, track->description);
    const enum provenance described = track_source_provenance(description);
    if (described != PROVENANCE_ABSENT)
        return described;
    return view_ends_with(name, " (Compile)") ? PROVENANCE_MODELLED : tree->provenance;
}

// Bars of a printed overview are no work of an engine.
static bool is_overview(const struct tree *tree, uint32_t parent)
{
    const struct view name =
        profile_text(tree->profile, profile_track(tree->profile, parent)->name);
    return view_ends_with(name, " Overview");
}

// Making ----------------------------------------------------------------------

static struct bytes track_values(const struct tree *tree, const struct perfetto_track *track)
{
    struct bytes values = {0};
    if (track->kind == PERFETTO_TRACK_PROCESS || track->kind == PERFETTO_TRACK_THREAD)
        value_add_uint(&values, tree->pid_key, track->pid);
    if (track->kind == PERFETTO_TRACK_THREAD)
        value_add_uint(&values, tree->tid_key, track->tid);
    if (track->description != 0 && !is_provenance(tree, track->description))
        value_add_string(&values, tree->description_key, track->description);
    return values;
}

static uint32_t reader_tree_add_track(struct tree *tree, const struct perfetto_track *track,
                                      uint32_t parent, enum track_kind kind)
{
    struct bytes values = track_values(tree, track);
    struct track made = {.parent = parent,
                         .name = track->name,
                         .kind = kind,
                         .provenance = track_provenance(tree, track),
                         .rank = track->rank,
                         .nests = kind == TRACK_LANE,
                         .values = bytes_view(&values)};
    if (kind == TRACK_LANE)
        made.clock =
            track_source_clock(tree->profile, profile_text(tree->profile, track->description));
    if (kind == TRACK_LANE && !track->unnamed && !is_overview(tree, parent))
        engine_names_apply(tree->profile, &made);
    if (kind == TRACK_LANE)
        track_source_place(tree->profile, profile_text(tree->profile, track->description), &made);
    if (kind == TRACK_COUNTER)
        made.unit = track->unit;
    const uint32_t id = profile_track_add(tree->profile, &made);
    bytes_free(&values);
    return id;
}

// A plain track is a lane where it has events or nothing below it.
static enum track_kind plain_kind(const struct perfetto_track *track, uint32_t parent)
{
    if (track->census.has_events)
        return TRACK_LANE;
    if (track->has_children)
        return parent == 0 ? TRACK_PROCESS : TRACK_GROUP;
    return !track->described && track->census.has_samples ? TRACK_COUNTER : TRACK_LANE;
}

static void make_plain(struct tree *tree, struct perfetto_track *track, uint32_t parent)
{
    const enum track_kind kind = plain_kind(track, parent);
    track->group = reader_tree_add_track(tree, track, parent, kind);
    if (kind == TRACK_LANE)
        track->lane = track->group;
    if (kind == TRACK_COUNTER)
        track->counter = track->group;
    else if (!track->described && track->census.has_samples)
        track->counter = reader_tree_add_track(tree, track, parent, TRACK_COUNTER);
}

// The lane that a track is a further one of: opscope puts spans that overlap on tracks of their
// own.
static uint32_t lane_shared(const struct tree *tree, const struct perfetto_track *track,
                            uint32_t parent)
{
    const uint64_t first = track_source_lane_of(profile_text(tree->profile, track->description));
    const uint32_t index = first == 0 ? HASH_NONE : perfetto_tracks_look_up(tree->tracks, first);
    const uint32_t lane = index == HASH_NONE ? 0 : get(tree, index)->lane;
    const struct track *shared = profile_track(tree->profile, lane);
    return lane != 0 && shared->parent == parent && shared->name == track->name ? lane : 0;
}

// Processes and counters may have spans as well, in a lane of the same name.
static void make_track(struct tree *tree, struct perfetto_track *track, uint32_t parent)
{
    name_track(tree, track);
    track->lane = lane_shared(tree, track, parent);
    track->group = track->lane;
    if (track->lane != 0)
        return;
    switch (track->kind) {
    case PERFETTO_TRACK_PROCESS:
        track->group = reader_tree_add_track(tree, track, parent, TRACK_PROCESS);
        if (track->census.has_events)
            track->lane = reader_tree_add_track(tree, track, track->group, TRACK_LANE);
        break;
    case PERFETTO_TRACK_THREAD:
        track->lane = reader_tree_add_track(tree, track, parent, TRACK_LANE);
        track->group = track->lane;
        break;
    case PERFETTO_TRACK_COUNTER:
        track->counter = reader_tree_add_track(tree, track, parent, TRACK_COUNTER);
        track->group = track->counter;
        if (track->census.has_events)
            track->lane = reader_tree_add_track(tree, track, parent, TRACK_LANE);
        break;
    default:
        make_plain(tree, track, parent);
        break;
    }
}

// Ancestors come first. A chain of parents that runs in a circle is cut where
// it closes.
static void make_branch(struct tree *tree, uint32_t index, struct bytes *chain)
{
    chain->size = 0;
    while (index != HASH_NONE && !get(tree, index)->visited) {
        get(tree, index)->visited = true;
        bytes_append(chain, &index, sizeof index);
        index = parent_of(tree, get(tree, index));
    }
    uint32_t parent = index == HASH_NONE ? 0 : get(tree, index)->group;
    while (chain->size > 0) {
        chain->size -= sizeof index;
        memcpy(&index, chain->data + chain->size, sizeof index);
        make_track(tree, get(tree, index), parent);
        parent = get(tree, index)->group;
    }
}

// Order -----------------------------------------------------------------------

struct child {
    uint32_t parent;
    uint32_t index;
    uint32_t ordering;
    uint64_t first;
    struct view name;
};

static int compare_children(const void *left, const void *right)
{
    const struct child *a = left;
    const struct child *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int order = 0;
    if (a->ordering == PERFETTO_ORDER_CHRONOLOGICAL)
        order = (a->first > b->first) - (a->first < b->first);
    if (a->ordering == PERFETTO_ORDER_LEXICOGRAPHIC) {
        const size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
        order = size > 0 ? memcmp(a->name.data, b->name.data, size) : 0;
        if (order == 0)
            order = (a->name.size > b->name.size) - (a->name.size < b->name.size);
    }
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static size_t collect_children(const struct tree *tree, struct child *children)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tree->tracks->tracks.count; i++) {
        const struct perfetto_track *track = get(tree, i);
        const uint32_t parent = parent_of(tree, track);
        const uint32_t ordering = parent == HASH_NONE ? 0 : get(tree, parent)->ordering;
        if (ordering == PERFETTO_ORDER_CHRONOLOGICAL || ordering == PERFETTO_ORDER_LEXICOGRAPHIC)
            children[count++] = (struct child){parent, i, ordering, track->census.first,
                                               profile_text(tree->profile, track->name)};
    }
    return count;
}

static void set_rank(const struct tree *tree, uint32_t track, int32_t rank)
{
    if (track != 0)
        profile_track(tree->profile, track)->rank = rank;
}

// Where a parent wants its children by name or by time, that becomes their rank.
static void rank_children(const struct tree *tree)
{
    struct child *children =
        memory_allocate_zeroed(tree->tracks->tracks.count + 1, sizeof *children);
    const size_t count = collect_children(tree, children);
    sort_items(children, count, sizeof *children, compare_children);
    int32_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank = i > 0 && children[i].parent == children[i - 1].parent ? rank + 1 : 0;
        const struct perfetto_track *track = get(tree, children[i].index);
        set_rank(tree, track->group, rank);
        set_rank(tree, track->lane, rank);
        set_rank(tree, track->counter, rank);
    }
    free(children);
}

static void mark_parents(struct tree *tree)
{
    for (uint32_t i = 0; i < tree->tracks->tracks.count; i++) {
        struct perfetto_track *track = get(tree, i);
        struct perfetto_census *census = &track->census;
        const uint32_t parent = parent_of(tree, track);
        if (parent != HASH_NONE)
            get(tree, parent)->has_children = true;
        census->broken |= census->open > 0;
        track->spans.by_time =
            census->went_back && census->nested && (census->several || census->broken);
    }
}

void perfetto_tracks_make(struct perfetto_tracks *tracks, struct profile *profile)
{
    struct tree tree = {.tracks = tracks,
                        .profile = profile,
                        .pid_key = profile_string(profile, VIEW_LITERAL("pid")),
                        .tid_key = profile_string(profile, VIEW_LITERAL("tid")),
                        .description_key = profile_string(profile, VIEW_LITERAL("description"))};
    tree.provenance = trace_provenance(&tree);
    collect_processes(&tree);
    add_missing_processes(&tree);
    mark_parents(&tree);
    struct bytes chain = {0};
    for (uint32_t i = 0; i < tracks->tracks.count; i++)
        make_branch(&tree, i, &chain);
    rank_children(&tree);
    bytes_free(&chain);
    hash_free(&tree.processes);
}
