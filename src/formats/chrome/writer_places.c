#include "writer_places.h"

#include <stdlib.h>

#include "base/memory.h"
#include "formats/trace/spans.h"
#include "profile/track_order.h"
#include "text.h"

// Numbers ---------------------------------------------------------------------

// Whether the number was free; it is taken then.
static bool writer_places_take_number(struct writer_numbers *numbers, uint64_t number)
{
    const uint32_t hash = hash_u64(number);
    uint32_t id;
    for (uint32_t at = hash_first(&numbers->index, hash);
         (id = hash_next(&numbers->index, hash, &at)) != HASH_NONE;) {
        if (numbers->items[id] == number)
            return false;
    }
    numbers->items =
        memory_grow(numbers->items, numbers->count, &numbers->capacity, sizeof *numbers->items);
    hash_add(&numbers->index, hash, (uint32_t)numbers->count);
    numbers->items[numbers->count++] = number;
    return true;
}

// The number that a track was read with; 0 when there is none that viewers take.
static uint32_t own_number(struct view values, uint32_t key)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == key && value.kind == VALUE_UINT && value.number <= UINT32_MAX)
            return (uint32_t)value.number;
    }
    return 0;
}

static uint32_t fresh_tid(struct writer_places *places, uint32_t pid)
{
    while (!writer_places_take_number(&places->taken, (uint64_t)pid << 32 | ++places->next_tid))
        ;
    return places->next_tid;
}

// Processes -------------------------------------------------------------------

static bool writer_places_holds_events(const struct track *track)
{
    return track->kind == TRACK_LANE || track->kind == TRACK_COUNTER;
}

static uint32_t writer_places_process_track(const struct profile *profile, uint32_t id)
{
    while (id != 0 && writer_places_holds_events(profile_track(profile, id)))
        id = profile_track(profile, id)->parent;
    return id;
}

static uint32_t writer_places_find_process(struct writer_places *places, struct hash_index *index,
                                           uint32_t track)
{
    uint32_t id;
    for (uint32_t at = hash_first(index, hash_u64(track));
         (id = hash_next(index, hash_u64(track), &at)) != HASH_NONE;) {
        if (places->processes[id].track == track)
            return id;
    }
    places->processes = memory_grow(places->processes, places->process_count,
                                    &places->process_capacity, sizeof *places->processes);
    places->processes[places->process_count] = (struct writer_process){.track = track};
    hash_add(index, hash_u64(track), (uint32_t)places->process_count);
    return (uint32_t)places->process_count++;
}

// Those that have a number of their own come first, so that nobody else takes it.
static void number_processes(struct writer_places *places)
{
    for (size_t i = 0; i < places->process_count; i++) {
        struct writer_process *process = &places->processes[i];
        const uint32_t own =
            own_number(profile_track(places->profile, process->track)->values, places->pid_key);
        if (own != 0 && writer_places_take_number(&places->taken, (uint64_t)own << 32))
            process->pid = own;
    }
    for (size_t i = 0; i < places->process_count; i++) {
        struct writer_process *process = &places->processes[i];
        while (process->pid == 0) {
            if (writer_places_take_number(&places->taken, (uint64_t)++places->next_pid << 32))
                process->pid = places->next_pid;
        }
    }
}

void writer_places_name(const struct writer_places *places, const struct writer_process *process,
                        struct bytes *to)
{
    uint32_t path[64];
    size_t depth = 0;
    const struct profile *profile = places->profile;
    for (uint32_t id = process->track; id != 0 && depth < 64;
         id = profile_track(profile, id)->parent)
        path[depth++] = id;
    while (depth > 0) {
        const struct view name = profile_text(profile, profile_track(profile, path[--depth])->name);
        bytes_append(to, name.data, name.size);
        if (depth > 0)
            text_put(to, " / ");
    }
}

// Lanes -----------------------------------------------------------------------

static void writer_places_note_lane(struct writer_place *place, size_t index)
{
    const struct writer_lane *lane = &place->lanes[index];
    lane_search_set(&place->search, index, lane->depth > 0 ? lane->ends[lane->depth - 1] : 0,
                    lane->depth >= SPAN_DEPTH_MOST);
}

static void forget_spans(struct writer_place *place, size_t index)
{
    place->lanes[index].depth = 0;
    writer_places_note_lane(place, index);
}

static struct writer_lane *writer_places_add_lane(struct writer_places *places,
                                                  struct writer_place *place, uint32_t tid)
{
    place->lanes =
        memory_grow(place->lanes, place->lane_count, &place->lane_capacity, sizeof *place->lanes);
    struct writer_lane *lane = &place->lanes[place->lane_count++];
    const uint32_t pid = places->processes[place->process].pid;
    *lane = (struct writer_lane){.tid = tid};
    bytes_append_format(&lane->head, "\"pid\":%u,\"tid\":%u,\"ts\":", pid, tid);
    bytes_reserve(&lane->head, TEXT_PADDING);
    writer_places_note_lane(place, place->lane_count - 1);
    return lane;
}

// The first lanes of all tracks, those with a number of their own first.
static void number_lanes(struct writer_places *places, bool own)
{
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        const struct track *track = profile_track(places->profile, i);
        struct writer_place *place = &places->places[i];
        if (place->lane_count > 0 || place->process == HASH_NONE || track->kind == TRACK_COUNTER)
            continue;
        const uint32_t pid = places->processes[place->process].pid;
        const uint32_t tid = own_number(track->values, places->tid_key);
        if (!own)
            writer_places_add_lane(places, place, fresh_tid(places, pid));
        else if (tid != 0 && writer_places_take_number(&places->taken, (uint64_t)pid << 32 | tid))
            writer_places_add_lane(places, place, tid);
    }
}

static void writer_places_close_spans(struct writer_lane *lane, uint64_t ns)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= ns)
        lane->depth--;
}

static bool writer_places_lane_takes(const struct writer_lane *lane, bool nests, uint64_t end)
{
    if (lane->depth == 0)
        return true;
    return nests && lane->ends[lane->depth - 1] >= end && lane->depth < SPAN_DEPTH_MOST;
}

struct writer_lane *writer_places_lane(struct writer_places *places, uint32_t track, bool nests,
                                       uint64_t start, uint64_t end)
{
    struct writer_place *place = &places->places[track];
    for (size_t i = 0;; i++) {
        i = lane_search_next(&place->search, i, place->lane_count, nests, start, end);
        if (i == place->lane_count)
            return writer_places_add_lane(places, place,
                                          fresh_tid(places, places->processes[place->process].pid));
        struct writer_lane *lane = &place->lanes[i];
        if (lane->depth > 0 && lane->ends[lane->depth - 1] <= start) {
            writer_places_close_spans(lane, start);
            writer_places_note_lane(place, i);
        }
        if (writer_places_lane_takes(lane, nests, end))
            return lane;
    }
}

void writer_places_open(struct writer_places *places, uint32_t track, struct writer_lane *lane,
                        uint64_t end)
{
    struct writer_place *place = &places->places[track];
    lane->ends = memory_grow(lane->ends, lane->depth, &lane->capacity, sizeof *lane->ends);
    lane->ends[lane->depth++] = end;
    writer_places_note_lane(place, (size_t)(lane - place->lanes));
}

void writer_places_restart(struct writer_places *places)
{
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        for (size_t k = 0; k < places->places[i].lane_count; k++)
            forget_spans(&places->places[i], k);
    }
}

// -----------------------------------------------------------------------------

// Counters of one name in one process are told apart by an id.
static void find_ambiguous(struct writer_places *places)
{
    struct writer_numbers names = {0};
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        const struct track *track = profile_track(places->profile, i);
        if (track->kind == TRACK_COUNTER)
            places->places[i].ambiguous = !writer_places_take_number(
                &names, (uint64_t)places->places[i].process << 32 | track->name);
    }
    free(names.items);
    hash_free(&names.index);
}

static void place_tracks(struct writer_places *places)
{
    struct hash_index index = {0};
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        const struct track *track = profile_track(places->profile, i);
        struct writer_place *place = &places->places[i];
        place->process = HASH_NONE;
        place->nests = track->nests;
        place->clock = *profile_clock(places->profile, track->clock);
        place->cycles = view_is(profile_text(places->profile, place->clock.name), "cycles");
        if (writer_places_holds_events(track) || track->ledger.recorded > 0)
            place->process = writer_places_find_process(
                places, &index, writer_places_process_track(places->profile, i));
    }
    hash_free(&index);
}

void writer_places_start(struct writer_places *places, struct profile *profile)
{
    const uint32_t count = profile->tracks.count;
    *places =
        (struct writer_places){.profile = profile,
                               .places = memory_allocate_zeroed(count, sizeof *places->places),
                               .pid_key = profile_string(profile, VIEW_LITERAL("pid")),
                               .tid_key = profile_string(profile, VIEW_LITERAL("tid"))};
    place_tracks(places);
    number_processes(places);
    number_lanes(places, true);
    number_lanes(places, false);
    find_ambiguous(places);
    uint32_t *order = memory_allocate_zeroed(count, sizeof *order);
    track_order(profile, order);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        places->places[order[i]].order = next;
        next += profile_track(profile, order[i])->kind != TRACK_COUNTER;
    }
    for (size_t i = 0; i < places->process_count; i++)
        places->processes[i].order = places->places[places->processes[i].track].order;
    free(order);
}

void writer_places_free(struct writer_places *places)
{
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        struct writer_place *place = &places->places[i];
        for (size_t k = 0; k < place->lane_count; k++) {
            bytes_free(&place->lanes[k].head);
            free(place->lanes[k].ends);
        }
        free(place->lanes);
        lane_search_free(&place->search);
    }
    free(places->places);
    free(places->processes);
    free(places->taken.items);
    hash_free(&places->taken.index);
}
