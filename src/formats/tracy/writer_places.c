#include "writer_places.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device_lanes.h"

enum { DEPTH_MOST = 1000, PATH_MOST = 64 };

// Names -----------------------------------------------------------------------

static uint32_t process_of(const struct profile *profile, uint32_t id)
{
    while (id != 0 && profile_track(profile, id)->kind != TRACK_PROCESS)
        id = profile_track(profile, id)->parent;
    return id;
}

static struct view track_name(const struct profile *profile, uint32_t id)
{
    return profile_text(profile, profile_track(profile, id)->name);
}

uint32_t tracy_places_path(struct tracy_places *places, uint32_t track)
{
    uint32_t path[PATH_MOST];
    size_t depth = 0;
    struct bytes text = {0};
    for (uint32_t id = track; id != 0 && id != places->program && depth < PATH_MOST;
         id = profile_track(places->profile, id)->parent)
        path[depth++] = id;
    while (depth > 0) {
        const struct view name = track_name(places->profile, path[--depth]);
        bytes_append(&text, name.data, name.size);
        if (depth > 0)
            bytes_append(&text, " / ", 3);
    }
    const uint32_t id = strings_add(places->texts, bytes_view(&text));
    bytes_free(&text);
    return id;
}

// Threads ---------------------------------------------------------------------

static bool take_thread(struct tracy_places *places, uint64_t number)
{
    if (tracy_places_short(places, number) != 0)
        return false;
    hash_add(&places->taken, hash_u64(number), places->numbers.count);
    *(uint64_t *)segments_add(&places->numbers) = number;
    return true;
}

static uint64_t fresh_thread(struct tracy_places *places)
{
    while (!take_thread(places, ++places->next_thread))
        ;
    return places->next_thread;
}

static bool number_after(struct view name, const char *word, uint64_t *out_number)
{
    return view_starts_with(name, word) &&
           view_to_u64(view_slice(name, strlen(word), name.size), out_number);
}

// Contexts --------------------------------------------------------------------

// "Vulkan context 1: my queue", as a context is called when it is read: its type and name.
static bool context_of_name(struct view process, unsigned *out_type, struct view *out_name)
{
    static const char *const TYPES[] = {"OpenGL",      "Vulkan",      "OpenCL",
                                        "Direct3D 12", "Direct3D 11", "device"};
    for (unsigned i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        char start[32];
        uint64_t number;
        snprintf(start, sizeof start, "%s context ", TYPES[i]);
        if (!view_starts_with(process, start))
            continue;
        const struct view rest = view_slice(process, strlen(start), process.size);
        const size_t colon = view_find_text(rest, ": ");
        const bool named = colon < rest.size;
        *out_type = i + 1;
        *out_name = named ? view_slice(rest, colon + 2, rest.size) : VIEW_LITERAL("");
        return view_to_u64(view_slice(rest, 0, colon), &number);
    }
    return false;
}

// A processor of a core, as logs and traces name them: "device 0", "core 1,2".
static bool core_of_track(const struct profile *profile, const struct track *track,
                          struct tracy_device_lane *out_lane)
{
    char text[64] = "";
    int used = 0;
    uint64_t device;
    const struct track *core = profile_track(profile, track->parent);
    const struct view name = profile_text(profile, core->name);
    const struct track *process = profile_track(profile, core->parent);
    if (core->kind != TRACK_GROUP || process->kind != TRACK_PROCESS || name.size >= sizeof text ||
        !number_after(profile_text(profile, process->name), "device ", &device) ||
        device > UINT32_MAX)
        return false;
    memcpy(text, name.data, name.size);
    out_lane->device = (uint32_t)device;
    return sscanf(text, "core %u,%u%n", &out_lane->core_x, &out_lane->core_y, &used) == 2 &&
           used == (int)name.size &&
           tracy_device_processor_of(profile_text(profile, track->name), out_lane);
}

static uint32_t find_context(struct tracy_places *places, uint32_t holder, unsigned type,
                             uint32_t name)
{
    const uint32_t hash = hash_u64(holder);
    uint32_t id;
    for (uint32_t at = hash_first(&places->context_index, hash);
         (id = hash_next(&places->context_index, hash, &at)) != HASH_NONE;) {
        const struct written_context *context = segments_get(&places->contexts, id);
        if (context->holder == holder && context->type == type)
            return id;
    }
    id = places->contexts.count;
    hash_add(&places->context_index, hash, id);
    *(struct written_context *)segments_add(&places->contexts) =
        (struct written_context){.holder = holder, .type = type, .name = name};
    return id;
}

static bool place_on_device(struct tracy_places *places, uint32_t id, struct track_place *place)
{
    const struct profile *profile = places->profile;
    const struct track *track = profile_track(profile, id);
    struct tracy_device_lane core;
    unsigned type;
    struct view name;
    if (core_of_track(profile, track, &core)) {
        char text[64];
        snprintf(text, sizeof text, "Device: %u, Core (%u,%u)", core.device, core.core_x,
                 core.core_y);
        place->context = find_context(places, track->parent, TRACY_CONTEXT_CORE,
                                      strings_add(places->texts, view_of(text)));
        place->own = core.processor | (uint64_t)(core.core_x & 15) << 3 |
                     (uint64_t)(core.core_y & 15) << 7 | (uint64_t)(core.device & 255) << 11;
        place->has_own = true;
        place->is_core = true;
        return true;
    }
    if (context_of_name(track_name(profile, track->parent), &type, &name)) {
        const struct view lane = profile_text(profile, track->name);
        place->context =
            find_context(places, track->parent, type, strings_add(places->texts, name));
        place->has_own = view_is(lane, "queue") || number_after(lane, "thread ", &place->own);
        return true;
    }
    if (!role_is_device(track->role))
        return false;
    place->context = find_context(places, track->parent, TRACY_CONTEXT_OPENCL,
                                  tracy_places_path(places, track->parent));
    return true;
}

// Tracks ----------------------------------------------------------------------

// As frames are called when they are read.
static bool is_frames(const struct profile *profile, const struct track *track)
{
    const struct view name = profile_text(profile, track->name);
    return track->kind == TRACK_LANE && track->rank == -1 && track->role == ROLE_NONE &&
           (view_is(name, "frames") || view_starts_with(name, "frames "));
}

static void place_track(struct tracy_places *places, uint32_t id)
{
    const struct profile *profile = places->profile;
    const struct track *track = profile_track(profile, id);
    struct track_place *place = &places->tracks[id];
    place->kind = PLACE_THREAD;
    if (track->kind == TRACK_COUNTER)
        place->kind = PLACE_COUNTER;
    else if (is_frames(profile, track))
        place->kind = PLACE_FRAMES;
    else if (track->kind == TRACK_LANE && place_on_device(places, id, place))
        place->kind = PLACE_DEVICE;
}

// The first process with a thread of its own, or the first of all.
static uint32_t find_program(const struct tracy_places *places)
{
    const struct profile *profile = places->profile;
    uint32_t first = 0;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const uint32_t process = process_of(profile, i);
        if (places->tracks[i].kind == PLACE_THREAD && track->kind == TRACK_LANE && process != 0)
            return process;
        if (first == 0)
            first = process;
    }
    return first;
}

// Numbers that threads had when they were read; nobody else may take them. A thread of the program
// may be one of a context too.
static void keep_numbers(struct tracy_places *places)
{
    for (uint32_t i = 1; i < places->profile->tracks.count; i++) {
        const struct track *track = profile_track(places->profile, i);
        struct track_place *place = &places->tracks[i];
        const struct view name = profile_text(places->profile, track->name);
        if (place->kind == PLACE_THREAD && track->parent == places->program) {
            place->of_nobody = view_is(name, "no thread");
            place->has_own = number_after(name, "thread ", &place->own) && place->own != 0;
        }
        if (!place->has_own || place->own == 0)
            continue;
        const bool alone =
            places->numbers.count < TRACY_THREADS_MOST && take_thread(places, place->own);
        if (place->kind == PLACE_THREAD || place->is_core)
            place->has_own = alone;
    }
}

void tracy_places_start(struct tracy_places *places, const struct profile *profile,
                        struct strings *texts)
{
    const uint32_t count = profile->tracks.count;
    *places = (struct tracy_places){
        .profile = profile,
        .texts = texts,
        .tracks = memory_allocate_zeroed(count > 0 ? count : 1, sizeof *places->tracks)};
    segments_start(&places->lanes, sizeof(struct written_lane));
    segments_start(&places->contexts, sizeof(struct written_context));
    segments_start(&places->numbers, sizeof(uint64_t));
    // What is called by its path depends on which process is the program's: devices have theirs.
    for (uint32_t i = 0; i < count; i++)
        place_track(places, i);
    places->program = find_program(places);
    keep_numbers(places);
}

void tracy_places_free(struct tracy_places *places)
{
    for (uint32_t i = 0; i < places->lanes.count; i++)
        free(tracy_places_lane(places, i)->ends);
    for (uint32_t i = 0; i < places->profile->tracks.count; i++) {
        free(places->tracks[i].lanes);
        lane_search_free(&places->tracks[i].search);
    }
    free(places->tracks);
    segments_free(&places->lanes);
    segments_free(&places->contexts);
    segments_free(&places->numbers);
    hash_free(&places->context_index);
    hash_free(&places->taken);
}

// Lanes -----------------------------------------------------------------------

static void join_context(struct tracy_places *places, uint32_t context_id, uint32_t lane)
{
    struct written_context *context = segments_get(&places->contexts, context_id);
    if (context->first == 0)
        context->first = lane + 1;
    else
        tracy_places_lane(places, context->last - 1)->next = lane + 1;
    context->last = lane + 1;
}

// Of a lane of any device: such that a viewer that goes by the processor calls it as its name
// begins, or says that it is the core's as a whole.
static uint64_t fresh_device_thread(struct tracy_places *places, struct view name)
{
    struct tracy_device_lane lane = {.processor = TRACY_PROCESSOR_ALL};
    tracy_device_processor_of(view_slice(name, 0, view_find(name, ' ')), &lane);
    uint64_t *next = &places->next_device_threads[lane.processor];
    uint64_t number;
    do
        number = ++*next * TRACY_PROCESSORS + lane.processor;
    while (!take_thread(places, number));
    return number;
}

// One of a core that has several keeps what the lower bits say.
static uint64_t choose_thread(struct tracy_places *places, uint32_t track, enum place_kind kind)
{
    enum { CORE_BITS = 19 };
    const struct track_place *place = &places->tracks[track];
    if (kind != PLACE_DEVICE)
        return fresh_thread(places);
    if (!place->is_core)
        return fresh_device_thread(places, track_name(places->profile, track));
    uint64_t number = place->own;
    while (!take_thread(places, number))
        number += 1ull << CORE_BITS;
    return number;
}

// What the number says already is not said again.
static uint32_t name_lane(struct tracy_places *places, uint32_t track, enum place_kind kind,
                          bool numbered)
{
    const struct track_place *place = &places->tracks[track];
    if (numbered)
        return 0;
    if (kind == PLACE_THREAD)
        return tracy_places_path(places, track);
    return place->is_core ? 0 : strings_add(places->texts, track_name(places->profile, track));
}

static uint32_t add_lane(struct tracy_places *places, uint32_t track, enum place_kind kind)
{
    struct track_place *place = &places->tracks[track];
    const bool numbered = place->has_own && place->lane_count == 0 && kind == place->kind;
    if (places->numbers.count >= TRACY_THREADS_MOST)
        return HASH_NONE;
    const uint32_t id = places->lanes.count;
    struct written_lane lane = {.track = track, .kind = kind};
    lane.thread = numbered ? place->own : choose_thread(places, track, kind);
    lane.name = name_lane(places, track, kind, numbered);
    *(struct written_lane *)segments_add(&places->lanes) = lane;
    if (kind == PLACE_DEVICE)
        join_context(places, place->context, id);
    return id;
}

// For messages of no thread.
static uint32_t add_nobody(struct tracy_places *places, uint32_t track)
{
    *(struct written_lane *)segments_add(&places->lanes) =
        (struct written_lane){.track = track, .kind = PLACE_THREAD};
    return places->lanes.count - 1;
}

static uint32_t add_span_lane(struct tracy_places *places, uint32_t track)
{
    struct track_place *place = &places->tracks[track];
    const uint32_t lane = add_lane(places, track, place->kind);
    if (lane == HASH_NONE)
        return HASH_NONE;
    place->lanes =
        memory_grow(place->lanes, place->lane_count, &place->lane_capacity, sizeof *place->lanes);
    place->lanes[place->lane_count++] = lane;
    lane_search_set(&place->search, place->lane_count - 1, 0, false);
    return lane;
}

static void note_end(struct track_place *place, size_t index, const struct written_lane *lane)
{
    lane_search_set(&place->search, index, lane->depth > 0 ? lane->ends[lane->depth - 1] : 0,
                    lane->depth >= DEPTH_MOST);
}

static uint32_t open_on(struct tracy_places *places, struct track_place *place, size_t index,
                        uint64_t end)
{
    struct written_lane *lane = tracy_places_lane(places, place->lanes[index]);
    lane->ends = memory_grow(lane->ends, lane->depth, &lane->capacity, sizeof *lane->ends);
    lane->ends[lane->depth++] = end;
    note_end(place, index, lane);
    return place->lanes[index];
}

uint32_t tracy_places_span(struct tracy_places *places, uint32_t track, uint64_t start,
                           uint64_t end)
{
    struct track_place *place = &places->tracks[track];
    const bool nests = profile_track(places->profile, track)->nests;
    for (size_t i = 0;; i++) {
        i = lane_search_next(&place->search, i, place->lane_count, nests, start, end);
        if (i == place->lane_count)
            return add_span_lane(places, track) != HASH_NONE ? open_on(places, place, i, end)
                                                             : HASH_NONE;
        struct written_lane *lane = tracy_places_lane(places, place->lanes[i]);
        while (lane->depth > 0 && lane->ends[lane->depth - 1] <= start)
            lane->depth--;
        note_end(place, i, lane);
        if (lane->depth == 0 || (nests && lane->ends[lane->depth - 1] >= end))
            return open_on(places, place, i, end);
    }
}

uint32_t tracy_places_message(struct tracy_places *places, uint32_t track)
{
    struct track_place *place = &places->tracks[track];
    if (place->kind == PLACE_THREAD && !place->of_nobody) {
        if (place->lane_count == 0 && add_span_lane(places, track) == HASH_NONE)
            return HASH_NONE;
        return place->lanes[0];
    }
    if (place->messages == 0) {
        const uint32_t lane =
            place->of_nobody ? add_nobody(places, track) : add_lane(places, track, PLACE_THREAD);
        if (lane == HASH_NONE)
            return HASH_NONE;
        place->messages = lane + 1;
    }
    return place->messages - 1;
}

uint32_t tracy_places_short(const struct tracy_places *places, uint64_t thread)
{
    const uint32_t hash = hash_u64(thread);
    uint32_t id;
    for (uint32_t at = hash_first(&places->taken, hash);
         (id = hash_next(&places->taken, hash, &at)) != HASH_NONE;) {
        if (*(uint64_t *)segments_get(&places->numbers, id) == thread)
            return id + 1;
    }
    return 0;
}
