#include "build.h"

#include <stdio.h>
#include <stdlib.h>

#include "device_lanes.h"

enum lane_kind { LANE_THREAD, LANE_FRAMES, LANE_COUNTER, LANE_DEVICE, LANE_PROCESS, LANE_CORE };

struct lane_key {
    enum lane_kind kind;
    uint64_t number;
    uint64_t part;
    uint32_t track;
};

// A message whose text is longer, or has several lines, is shown by the beginning of its first.
enum { MESSAGE_NAME_MOST = 120 };

void tracy_build_start(struct tracy_build *build, struct profile *profile, const char *path,
                       struct view program, uint64_t pid)
{
    *build = (struct tracy_build){
        .profile = profile,
        .path = path,
        .clock = profile_clock_find(profile, "ns", 1000000000),
        .text_key = profile_string(profile, VIEW_LITERAL("text")),
        .zone_key = profile_string(profile, VIEW_LITERAL("zone_name")),
        .function_key = profile_string(profile, VIEW_LITERAL("function")),
        .source_key = profile_string(profile, VIEW_LITERAL("source")),
        .message_key = profile_string(profile, VIEW_LITERAL("message")),
    };
    segments_start(&build->lane_keys, sizeof(struct lane_key));
    const struct track process = {
        .kind = TRACK_PROCESS,
        .name = profile_string(profile, program.size > 0 ? program : VIEW_LITERAL("program"))};
    build->process = profile_track_add(profile, &process);
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)pid);
    if (pid != 0)
        profile_fact_add(profile, "pid", view_of(text));
}

void tracy_build_finish(struct tracy_build *build)
{
    struct profile *profile = build->profile;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        struct ledger *ledger = &profile_track(profile, i)->ledger;
        if (ledger->expected != LEDGER_UNKNOWN)
            ledger->expected = ledger->recorded + ledger->lost + ledger->impossible;
    }
}

void tracy_build_free(struct tracy_build *build)
{
    hash_free(&build->lanes);
    segments_free(&build->lane_keys);
    bytes_free(&build->values);
}

// Lanes -----------------------------------------------------------------------

static uint32_t tracy_build_key_hash(enum lane_kind kind, uint64_t number, uint64_t part)
{
    return hash_u64(number * 8 + kind) ^ hash_u64(part);
}

static uint32_t tracy_build_find_lane(const struct tracy_build *build, enum lane_kind kind,
                                      uint64_t number, uint64_t part)
{
    const uint32_t hash = tracy_build_key_hash(kind, number, part);
    uint32_t id;
    for (uint32_t at = hash_first(&build->lanes, hash);
         (id = hash_next(&build->lanes, hash, &at)) != HASH_NONE;) {
        const struct lane_key *key = segments_get(&build->lane_keys, id);
        if (key->kind == kind && key->number == number && key->part == part)
            return key->track;
    }
    return 0;
}

static uint32_t tracy_build_add_lane(struct tracy_build *build, enum lane_kind kind,
                                     uint64_t number, uint64_t part, struct track *track)
{
    track->clock = build->clock;
    const uint32_t id = profile_track_add(build->profile, track);
    hash_add(&build->lanes, tracy_build_key_hash(kind, number, part), build->lane_keys.count);
    *(struct lane_key *)segments_add(&build->lane_keys) = (struct lane_key){kind, number, part, id};
    return id;
}

uint32_t tracy_build_thread(struct tracy_build *build, uint64_t thread)
{
    const uint32_t found = tracy_build_find_lane(build, LANE_THREAD, thread, 0);
    if (found != 0)
        return found;
    char name[48];
    snprintf(name, sizeof name, "thread %llu", (unsigned long long)thread);
    struct track track = {
        .kind = TRACK_LANE,
        .parent = build->process,
        .name =
            profile_string(build->profile, thread != 0 ? view_of(name) : VIEW_LITERAL("no thread")),
        .provenance = PROVENANCE_MEASURED,
        .rank = (int32_t)(build->lane_keys.count < INT32_MAX ? build->lane_keys.count : INT32_MAX),
        .nests = true};
    profile_track_set_engine(build->profile, &track, ROLE_HOST, "host");
    return tracy_build_add_lane(build, LANE_THREAD, thread, 0, &track);
}

void tracy_build_name_thread(struct tracy_build *build, uint64_t thread, struct view name)
{
    struct track *track = profile_track(build->profile, tracy_build_thread(build, thread));
    if (name.size > 0)
        track->name = profile_string(build->profile, name);
}

uint32_t tracy_build_frames(struct tracy_build *build, struct view name)
{
    char text[128];
    snprintf(text, sizeof text, "frames%s%.*s", name.size > 0 ? " " : "",
             VIEW_ARGUMENTS(view_shortened(name, 100)));
    const uint32_t id = profile_string(build->profile, view_of(text));
    const uint32_t found = tracy_build_find_lane(build, LANE_FRAMES, id, 0);
    if (found != 0)
        return found;
    struct track track = {.kind = TRACK_LANE,
                          .parent = build->process,
                          .name = id,
                          .provenance = PROVENANCE_MEASURED,
                          .rank = -1,
                          .nests = true};
    return tracy_build_add_lane(build, LANE_FRAMES, id, 0, &track);
}

uint32_t tracy_build_counter(struct tracy_build *build, struct view name, const char *unit)
{
    const uint32_t id = profile_string(build->profile, name);
    const uint32_t found = tracy_build_find_lane(build, LANE_COUNTER, id, 0);
    if (found != 0)
        return found;
    struct track track = {.kind = TRACK_COUNTER,
                          .parent = build->process,
                          .name = id,
                          .unit = profile_string(build->profile, view_of(unit)),
                          .provenance = PROVENANCE_MEASURED};
    return tracy_build_add_lane(build, LANE_COUNTER, id, 0, &track);
}

// Devices ---------------------------------------------------------------------

static uint32_t holder(struct tracy_build *build, enum lane_kind kind, uint64_t number,
                       uint64_t part, uint32_t parent, struct view name)
{
    const uint32_t found = tracy_build_find_lane(build, kind, number, part);
    if (found != 0)
        return found;
    struct track track = {.kind = kind == LANE_PROCESS ? TRACK_PROCESS : TRACK_GROUP,
                          .parent = parent,
                          .name = profile_string(build->profile, name),
                          .rank = (int32_t)(build->lane_keys.count & INT32_MAX)};
    return tracy_build_add_lane(build, kind, number, part, &track);
}

static uint32_t add_core_lane(struct tracy_build *build, uint32_t context, uint64_t thread,
                              const struct tracy_device_lane *place)
{
    char name[64];
    snprintf(name, sizeof name, "device %u", place->device);
    const uint32_t process = holder(build, LANE_PROCESS, place->device, 0, 0, view_of(name));
    snprintf(name, sizeof name, "core %u,%u", place->core_x, place->core_y);
    const uint32_t core =
        holder(build, LANE_CORE, place->device, (uint64_t)place->core_x << 32 | place->core_y,
               process, view_of(name));
    struct track track = {.kind = TRACK_LANE,
                          .parent = core,
                          .name = profile_string(build->profile, view_of(place->processor_name)),
                          .device = place->device < UINT32_MAX ? place->device + 1 : 0,
                          .provenance = PROVENANCE_MEASURED,
                          .rank = (int32_t)place->processor,
                          .nests = true};
    return tracy_build_add_lane(build, LANE_DEVICE, context, thread, &track);
}

uint32_t tracy_build_device(struct tracy_build *build, uint32_t context, struct view name,
                            unsigned type, uint64_t thread)
{
    static const char *const TYPES[] = {
        "",       "OpenGL", "Vulkan", "OpenCL", "Direct3D 12", "Direct3D 11",
        "device", "Metal",  "custom", "CUDA",   "ROCm"};
    const uint32_t found = tracy_build_find_lane(build, LANE_DEVICE, context, thread);
    if (found != 0)
        return found;
    struct tracy_device_lane place;
    if (tracy_device_lane_of(name, thread, &place))
        return add_core_lane(build, context, thread, &place);
    char text[160];
    const char *kind = type < sizeof TYPES / sizeof TYPES[0] ? TYPES[type] : "device";
    snprintf(text, sizeof text, "%s context %u%s%.*s", kind, context, name.size > 0 ? ": " : "",
             VIEW_ARGUMENTS(view_shortened(name, 100)));
    // A process of its own, which no device of a number can be taken for.
    const uint32_t process =
        holder(build, LANE_PROCESS, UINT64_MAX - context, 0, 0, view_trim(view_of(text)));
    snprintf(text, sizeof text, "thread %llu", (unsigned long long)thread);
    struct track track = {
        .kind = TRACK_LANE,
        .parent = process,
        .name = profile_string(build->profile, thread != 0 ? view_of(text) : view_of("queue")),
        .provenance = PROVENANCE_MEASURED,
        .nests = true};
    profile_track_set_engine(build->profile, &track, ROLE_DEVICE, "gpu");
    return tracy_build_add_lane(build, LANE_DEVICE, context, thread, &track);
}

void tracy_build_name_device(struct tracy_build *build, uint32_t lane, struct view name)
{
    struct track *track = profile_track(build->profile, lane);
    const enum track_kind holder = profile_track(build->profile, track->parent)->kind;
    if (holder == TRACK_PROCESS && name.size > 0)
        track->name = profile_string(build->profile, name);
}

// Events ----------------------------------------------------------------------

struct tracy_location tracy_build_location(struct tracy_build *build, struct view name,
                                           struct view function, struct view file, uint32_t line)
{
    struct tracy_location location = {.function = profile_string(build->profile, function)};
    location.name = name.size > 0 ? profile_string(build->profile, name) : location.function;
    if (file.size > 0) {
        struct bytes text = {0};
        bytes_append(&text, file.data, file.size);
        bytes_append_format(&text, ":%u", line);
        location.source = profile_string(build->profile, bytes_view(&text));
        bytes_free(&text);
    }
    return location;
}

// Whether an event can be on a lane; accounts for it where it cannot.
static bool is_possible(struct tracy_build *build, uint32_t lane, int64_t start, int64_t end)
{
    if (start >= 0 && end >= start)
        return true;
    struct profile *profile = build->profile;
    const struct view name = profile_text(profile, profile_track(profile, lane)->name);
    profile_note(profile, lane, LEDGER_IMPOSSIBLE, 1,
                 "%s: lane '%.*s': an event from %lld to %lld ns", build->path,
                 VIEW_ARGUMENTS(name), (long long)start, (long long)end);
    return false;
}

static void tracy_build_add_event(struct tracy_build *build, const struct event *event)
{
    profile_event_add(build->profile, event, bytes_view(&build->values));
}

void tracy_build_zone(struct tracy_build *build, uint32_t lane, const struct tracy_zone *zone)
{
    struct profile *profile = build->profile;
    if (zone->start >= 0 && zone->end < zone->start && zone->end <= 0) {
        profile_note(
            profile, lane, LEDGER_LOST, 1, "%s: lane '%.*s': '%.*s', from %lld ns on, never ends",
            build->path, VIEW_ARGUMENTS(profile_text(profile, profile_track(profile, lane)->name)),
            VIEW_ARGUMENTS(profile_text(profile, zone->location.name)), (long long)zone->start);
        return;
    }
    if (!is_possible(build, lane, zone->start, zone->end))
        return;
    const struct tracy_location *location = &zone->location;
    build->values.size = 0;
    if (zone->name != 0)
        value_add_string(&build->values, build->zone_key, zone->name);
    if (zone->text.size > 0)
        value_add_text(&build->values, build->text_key, zone->text);
    if (location->function != 0 && location->function != location->name)
        value_add_string(&build->values, build->function_key, location->function);
    if (location->source != 0)
        value_add_string(&build->values, build->source_key, location->source);
    const struct event event = {.start = (uint64_t)zone->start,
                                .end = (uint64_t)zone->end,
                                .track = lane,
                                .name = location->name,
                                .kind = EVENT_SPAN};
    tracy_build_add_event(build, &event);
}

void tracy_build_message(struct tracy_build *build, uint32_t lane, int64_t time, struct view text)
{
    if (!is_possible(build, lane, time, time))
        return;
    const struct view line = view_slice(text, 0, view_find(text, '\n'));
    const struct view name = view_shortened(line, MESSAGE_NAME_MOST);
    build->values.size = 0;
    if (name.size < text.size)
        value_add_text(&build->values, build->message_key, text);
    const struct event event = {.start = (uint64_t)time,
                                .end = (uint64_t)time,
                                .track = lane,
                                .name = profile_string(build->profile, name),
                                .kind = EVENT_INSTANT};
    tracy_build_add_event(build, &event);
}

void tracy_build_sample(struct tracy_build *build, uint32_t counter, int64_t time, double value)
{
    if (!is_possible(build, counter, time, time))
        return;
    const struct value sample = {.kind = VALUE_REAL, .real = value};
    build->values.size = 0;
    value_add(&build->values, &sample);
    const struct event event = {
        .start = (uint64_t)time, .end = (uint64_t)time, .track = counter, .kind = EVENT_COUNTER};
    tracy_build_add_event(build, &event);
}

void tracy_build_frame(struct tracy_build *build, uint32_t lane, int64_t start, int64_t end,
                       struct view name)
{
    if (!is_possible(build, lane, start, end))
        return;
    build->values.size = 0;
    const struct event event = {
        .start = (uint64_t)start,
        .end = (uint64_t)end,
        .track = lane,
        .name = profile_string(build->profile, name.size > 0 ? name : VIEW_LITERAL("frame")),
        .kind = EVENT_SPAN};
    tracy_build_add_event(build, &event);
}
