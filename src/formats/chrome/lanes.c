#include "lanes.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/trace/engine_names.h"
#include "formats/trace/track_source.h"

void chrome_lanes_start(struct chrome_lanes *lanes, struct profile *profile)
{
    *lanes = (struct chrome_lanes){
        .profile = profile, .last_process = HASH_NONE, .last_lane = HASH_NONE};
    segments_start(&lanes->processes, sizeof(struct chrome_process));
    segments_start(&lanes->lanes, sizeof(struct chrome_lane));
}

static struct chrome_process *process_at(const struct chrome_lanes *lanes, uint32_t index)
{
    return segments_get(&lanes->processes, index);
}

static struct chrome_lane *lane_at(const struct chrome_lanes *lanes, uint32_t index)
{
    return segments_get(&lanes->lanes, index);
}

static struct chrome_key chrome_lanes_key_of(struct chrome_lanes *lanes,
                                             const struct chrome_scalar *scalar)
{
    if (scalar->kind == CHROME_TEXT)
        return (struct chrome_key){true, profile_string(lanes->profile, scalar->text)};
    return (struct chrome_key){false, scalar->number};
}

static bool chrome_lanes_key_equal(struct chrome_key a, struct chrome_key b)
{
    return a.is_text == b.is_text && a.number == b.number;
}

// Processes -------------------------------------------------------------------

static void add_key_value(struct chrome_lanes *lanes, struct bytes *values, const char *name,
                          struct chrome_key key)
{
    const uint32_t id = profile_string(lanes->profile, view_of(name));
    if (key.is_text)
        value_add_string(values, id, (uint32_t)key.number);
    else if ((int64_t)key.number < 0)
        value_add(values, &(struct value){.key = id, .kind = VALUE_INT, .number = key.number});
    else
        value_add_uint(values, id, key.number);
}

static uint32_t add_process(struct chrome_lanes *lanes, struct chrome_key key, bool has_pid)
{
    struct bytes values = {0};
    if (has_pid)
        add_key_value(lanes, &values, "pid", key);
    const struct track track = {
        .kind = TRACK_PROCESS, .provenance = PROVENANCE_MEASURED, .values = bytes_view(&values)};
    struct chrome_process *process = segments_add(&lanes->processes);
    *process = (struct chrome_process){
        .pid = key, .has_pid = has_pid, .track = profile_track_add(lanes->profile, &track)};
    bytes_free(&values);
    return lanes->processes.count - 1;
}

static uint32_t chrome_lanes_find_process(struct chrome_lanes *lanes, struct chrome_key key,
                                          bool has_pid)
{
    const uint32_t hash = hash_u64(key.number + (uint64_t)key.is_text);
    uint32_t id;
    for (uint32_t at = hash_first(&lanes->process_index, hash);
         (id = hash_next(&lanes->process_index, hash, &at)) != HASH_NONE;) {
        const struct chrome_process *process = process_at(lanes, id);
        if (chrome_lanes_key_equal(process->pid, key) && process->has_pid == has_pid)
            return id;
    }
    if (lanes->processes.count == CHROME_LANES_MOST) {
        lanes->too_many = true;
        return lanes->processes.count - 1;
    }
    const uint32_t added = add_process(lanes, key, has_pid);
    hash_add(&lanes->process_index, hash, added);
    return added;
}

struct chrome_process *chrome_lanes_process(struct chrome_lanes *lanes,
                                            const struct chrome_event *event, uint32_t *out_index)
{
    const struct chrome_key key = chrome_lanes_key_of(lanes, &event->pid);
    const bool has_pid = event->pid.kind != CHROME_ABSENT;
    uint32_t index = lanes->last_process;
    if (index == HASH_NONE || !chrome_lanes_key_equal(process_at(lanes, index)->pid, key) ||
        process_at(lanes, index)->has_pid != has_pid)
        index = chrome_lanes_find_process(lanes, key, has_pid);
    lanes->last_process = index;
    *out_index = index;
    return process_at(lanes, index);
}

// Lanes -----------------------------------------------------------------------

static bool is_same_lane(const struct chrome_lane *a, const struct chrome_lane *b)
{
    if (a->kind != b->kind || a->process != b->process)
        return false;
    if (a->kind == CHROME_THREAD)
        return chrome_lanes_key_equal(a->tid, b->tid) && a->has_tid == b->has_tid &&
               a->detail == b->detail;
    return a->name == b->name && a->detail == b->detail && a->number == b->number;
}

static uint32_t lane_hash(const struct chrome_lane *lane)
{
    uint64_t mixed = (uint64_t)lane->process << 32 ^ (uint64_t)lane->kind << 62;
    if (lane->kind == CHROME_THREAD)
        mixed ^= (lane->tid.number * 2 + lane->tid.is_text) ^ (uint64_t)lane->detail << 40;
    else
        mixed ^= (uint64_t)lane->name << 20 ^ lane->detail ^ (uint64_t)lane->number << 40;
    return hash_u64(mixed);
}

static uint32_t chrome_lanes_add_lane(struct chrome_lanes *lanes, const struct chrome_lane *like)
{
    const struct chrome_process *process = process_at(lanes, like->process);
    struct bytes values = {0};
    if (like->kind == CHROME_THREAD) {
        if (process->has_pid)
            add_key_value(lanes, &values, "pid", process->pid);
        if (like->has_tid)
            add_key_value(lanes, &values, "tid", like->tid);
    }
    const struct track track = {.parent = process->track,
                                .kind = like->kind == CHROME_COUNTER ? TRACK_COUNTER : TRACK_LANE,
                                .provenance = PROVENANCE_MEASURED,
                                .nests = like->kind != CHROME_COUNTER,
                                .values = bytes_view(&values)};
    struct chrome_lane *lane = segments_add(&lanes->lanes);
    *lane = *like;
    lane->spans.track = profile_track_add(lanes->profile, &track);
    bytes_free(&values);
    return lanes->lanes.count - 1;
}

static struct chrome_lane *chrome_lanes_find_lane(struct chrome_lanes *lanes,
                                                  const struct chrome_lane *like)
{
    const uint32_t hash = lane_hash(like);
    uint32_t id;
    for (uint32_t at = hash_first(&lanes->lane_index, hash);
         (id = hash_next(&lanes->lane_index, hash, &at)) != HASH_NONE;) {
        if (is_same_lane(lane_at(lanes, id), like))
            break;
    }
    if (id == HASH_NONE && lanes->lanes.count == CHROME_LANES_MOST) {
        lanes->too_many = true;
        id = lanes->lanes.count - 1;
    } else if (id == HASH_NONE) {
        id = chrome_lanes_add_lane(lanes, like);
        hash_add(&lanes->lane_index, hash, id);
    }
    lanes->last_lane = id;
    return lane_at(lanes, id);
}

static struct chrome_lane *lanes_thread(struct chrome_lanes *lanes,
                                        const struct chrome_event *event)
{
    struct chrome_lane like = {.kind = CHROME_THREAD,
                               .tid = chrome_lanes_key_of(lanes, &event->tid),
                               .has_tid = event->tid.kind != CHROME_ABSENT};
    if (event->beside.size > 0)
        like.detail = profile_string(lanes->profile, event->beside);
    chrome_lanes_process(lanes, event, &like.process);
    if (lanes->last_lane != HASH_NONE && is_same_lane(lane_at(lanes, lanes->last_lane), &like))
        return lane_at(lanes, lanes->last_lane);
    return chrome_lanes_find_lane(lanes, &like);
}

struct chrome_lane *chrome_lanes_thread(struct chrome_lanes *lanes,
                                        const struct chrome_event *event)
{
    const struct chrome_scalar *pid = &event->pid;
    const struct chrome_scalar *tid = &event->tid;
    if (pid->kind == CHROME_TEXT || tid->kind == CHROME_TEXT || event->beside.size > 0)
        return lanes_thread(lanes, event);
    struct chrome_near_lane *near = &lanes->near[(tid->number ^ pid->number) % CHROME_LANES_NEAR];
    if (near->lane == NULL || near->pid != pid->number || near->tid != tid->number ||
        near->pid_kind != pid->kind || near->tid_kind != tid->kind)
        *near = (struct chrome_near_lane){lanes_thread(lanes, event), pid->number, tid->number,
                                          pid->kind, tid->kind};
    return near->lane;
}

struct chrome_lane *chrome_lanes_async(struct chrome_lanes *lanes, const struct chrome_event *event,
                                       uint32_t name, uint32_t category)
{
    struct chrome_lane like = {.kind = CHROME_ASYNC, .name = name, .detail = category};
    chrome_lanes_process(lanes, event, &like.process);
    return chrome_lanes_find_lane(lanes, &like);
}

static uint32_t chrome_lanes_joined(struct chrome_lanes *lanes, uint32_t name, uint32_t series)
{
    struct bytes text = {0};
    const struct view first = profile_text(lanes->profile, name);
    const struct view second = profile_text(lanes->profile, series);
    bytes_append(&text, first.data, first.size);
    bytes_append(&text, " ", 1);
    bytes_append(&text, second.data, second.size);
    const uint32_t id = profile_string(lanes->profile, bytes_view(&text));
    bytes_free(&text);
    return id;
}

struct chrome_lane *chrome_lanes_counter(struct chrome_lanes *lanes,
                                         const struct chrome_event *event, uint32_t name,
                                         uint32_t series, uint32_t number, bool alone)
{
    struct chrome_lane like = {
        .kind = CHROME_COUNTER, .name = name, .detail = series, .number = number};
    chrome_lanes_process(lanes, event, &like.process);
    const uint32_t before = lanes->lanes.count;
    struct chrome_lane *lane = chrome_lanes_find_lane(lanes, &like);
    if (lanes->lanes.count == before)
        return lane;
    struct track *track = profile_track(lanes->profile, lane->spans.track);
    const bool plain = view_is(profile_text(lanes->profile, series), "value");
    track->name = plain || alone ? name : chrome_lanes_joined(lanes, name, series);
    track->unit = alone && !plain ? series : 0;
    if (number != 0)
        track->name = chrome_lanes_joined(lanes, track->name, number);
    return lane;
}

void chrome_lanes_describe(struct chrome_lanes *lanes, struct chrome_lane *lane,
                           struct view description)
{
    struct track *track = profile_track(lanes->profile, lane->spans.track);
    const enum provenance provenance = track_source_provenance(description);
    lane->description = profile_string(lanes->profile, description);
    if (provenance != PROVENANCE_ABSENT)
        track->provenance = provenance;
    track_source_place(lanes->profile, description, track);
    if (track->ledger.expected == 0 && lane->spans.open_count == 0)
        track->clock = track_source_clock(lanes->profile, description);
}

// At the end ------------------------------------------------------------------

static uint32_t chrome_lanes_numbered_name(struct chrome_lanes *lanes, const char *what,
                                           struct chrome_key key)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "%s %lld", what, (long long)key.number);
    return profile_string(lanes->profile, (struct view){text, (size_t)size});
}

// The name, else a pid or tid that is a text, else a number.
static uint32_t chrome_lanes_name_of(struct chrome_lanes *lanes, uint32_t name,
                                     struct chrome_key key, bool has_key, const char *what)
{
    if (name != 0)
        return name;
    if (!has_key)
        return profile_string(lanes->profile, view_of(what));
    return key.is_text ? (uint32_t)key.number : chrome_lanes_numbered_name(lanes, what, key);
}

static void finish_process(struct chrome_lanes *lanes, uint32_t index, bool ranked)
{
    const struct chrome_process *process = process_at(lanes, index);
    struct track *track = profile_track(lanes->profile, process->track);
    track->name =
        chrome_lanes_name_of(lanes, process->name, process->pid, process->has_pid, "Process");
    track->rank = ranked ? process->rank : (int32_t)index;
    if (process->labels == 0)
        return;
    struct bytes values = {0};
    bytes_append(&values, track->values.data, track->values.size);
    value_add_string(&values, profile_string(lanes->profile, VIEW_LITERAL("labels")),
                     process->labels);
    track->values = arena_copy(&lanes->profile->arena, bytes_view(&values));
    bytes_free(&values);
}

static void finish_lane(struct chrome_lanes *lanes, uint32_t index, bool ranked)
{
    const struct chrome_lane *lane = lane_at(lanes, index);
    struct track *track = profile_track(lanes->profile, lane->spans.track);
    track->rank = ranked ? lane->rank : (int32_t)index;
    if (lane->kind == CHROME_COUNTER)
        return;
    if (lane->kind == CHROME_THREAD && lane->detail != 0)
        track->name = lane->detail;
    else if (lane->kind == CHROME_ASYNC)
        track->name = lane->name;
    else
        track->name = chrome_lanes_name_of(lanes, lane->name, lane->tid, lane->has_tid, "Thread");
    const struct view process =
        profile_text(lanes->profile, profile_track(lanes->profile, track->parent)->name);
    if (lane->kind == CHROME_THREAD && track->role == ROLE_NONE &&
        !view_ends_with(process, " Overview"))
        engine_names_apply(lanes->profile, track);
}

// Where any track has a rank, those without one have rank 0, as in the viewers; else the order
// is that of the file.
void chrome_lanes_finish(struct chrome_lanes *lanes)
{
    bool ranked = false;
    for (uint32_t i = 0; i < lanes->processes.count; i++)
        ranked |= process_at(lanes, i)->has_rank;
    for (uint32_t i = 0; i < lanes->processes.count; i++)
        finish_process(lanes, i, ranked);
    ranked = false;
    for (uint32_t i = 0; i < lanes->lanes.count; i++)
        ranked |= lane_at(lanes, i)->has_rank;
    for (uint32_t i = 0; i < lanes->lanes.count; i++)
        finish_lane(lanes, i, ranked);
}

void chrome_lanes_free(struct chrome_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->lanes.count; i++) {
        struct chrome_lane *lane = lane_at(lanes, i);
        span_lane_free(&lane->spans);
        free(lane->census.begins);
        chrome_overlaps_free(&lane->overlaps);
    }
    segments_free(&lanes->processes);
    segments_free(&lanes->lanes);
    hash_free(&lanes->process_index);
    hash_free(&lanes->lane_index);
}
