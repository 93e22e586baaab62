// Building a profile, event by event.

#include <opscope/profile.h>

#include <stdarg.h>
#include <stdio.h>

#include "api.h"
#include "formats/trace/engine_names.h"

const char *opscope_profile_problem(const struct opscope_profile *profile)
{
    return profile->problem;
}

static int build_refuse(struct opscope_profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int build_refuse(struct opscope_profile *profile, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(profile->problem, sizeof profile->problem, format, arguments);
    va_end(arguments);
    profile->values.size = 0;
    return OPSCOPE_ERROR_USAGE;
}

// Whether a structure of the caller's could be taken over.
static bool api_copy_struct(struct opscope_profile *profile, void *to, size_t to_size,
                            const void *from, size_t from_size)
{
    if (api_take(to, to_size, from, from_size))
        return true;
    build_refuse(profile, from == NULL ? "there is nothing to add"
                                       : "a field that this version does not know is not 0");
    return false;
}

static uint32_t api_build_text_id(struct opscope_profile *profile, const char *text)
{
    return profile_string(profile->profile, api_view(text));
}

// What was put since the last addition.
static struct view api_build_put_values(const struct opscope_profile *profile)
{
    return bytes_view(&profile->values);
}

static uint32_t added(struct opscope_profile *profile, uint32_t id)
{
    profile->values.size = 0;
    return id;
}

// Descriptions --------------------------------------------------------------------

static uint32_t build_add_clock(struct opscope_profile *profile,
                                const struct opscope_profile_clock *given, size_t size)
{
    struct opscope_profile_clock clock;
    if (!api_copy_struct(profile, &clock, sizeof clock, given, size))
        return 0;
    if (clock.frequency == 0) {
        build_refuse(profile, "clock '%s': the frequency is 0", api_view(clock.name).data);
        return 0;
    }
    return profile_clock_add(profile->profile, api_view(clock.name).data, clock.frequency,
                             clock.base_ticks, clock.base_ns);
}

// What is not said follows from the name, and the role from the engine where that is one that
// is known. Whether the role is one.
static bool find_role(struct opscope_profile *profile, const struct opscope_profile_track *from,
                      struct track *track)
{
    const bool named = from->engine == NULL && from->role == NULL;
    if (named)
        engine_names_apply(profile->profile, track);
    else if (from->engine != NULL && strcmp(from->engine, "none") != 0)
        track->engine = api_build_text_id(profile, from->engine);
    if (from->role != NULL)
        return role_from_name(view_of(from->role), &track->role);
    if (!named)
        track->role = engine_names_role(profile_text(profile->profile, track->engine));
    return true;
}

static bool api_build_has_events(uint32_t track_kind)
{
    return track_kind == OPSCOPE_TRACK_LANE || track_kind == OPSCOPE_TRACK_COUNTER;
}

static bool check_track(struct opscope_profile *profile, const struct opscope_profile_track *track)
{
    const char *name = api_view(track->name).data;
    if (track->parent >= profile->profile->tracks.count)
        build_refuse(profile, "track '%s': there is no track %u to be its parent", name,
                     track->parent);
    else if (track->clock >= profile->profile->clocks.count)
        build_refuse(profile, "track '%s': there is no clock %u", name, track->clock);
    else if (track->kind > OPSCOPE_TRACK_COUNTER)
        build_refuse(profile, "track '%s': %u is no kind of track", name, track->kind);
    else if (track->provenance > OPSCOPE_DERIVED ||
             (track->provenance == OPSCOPE_ABSENT && api_build_has_events(track->kind)))
        build_refuse(profile,
                     "track '%s': say whether its events are measured, modelled or derived", name);
    else
        return true;
    return false;
}

static uint32_t build_add_track(struct opscope_profile *profile,
                                const struct opscope_profile_track *given, size_t size)
{
    struct opscope_profile_track track;
    if (!api_copy_struct(profile, &track, sizeof track, given, size) ||
        !check_track(profile, &track))
        return 0;
    struct track described = {
        .parent = track.parent,
        .name = api_build_text_id(profile, track.name),
        .clock = track.clock,
        .kind = (enum track_kind)track.kind,
        .index = track.engine_index,
        .device = track.device,
        .core = track.core,
        .queue = api_build_text_id(profile, track.queue),
        .provenance = (enum provenance)track.provenance,
        .rank = track.rank,
        .nests = track.nests != 0,
        .unit = api_build_text_id(profile, track.unit),
        .values = api_build_put_values(profile),
        .ledger = {.expected = api_build_has_events(track.kind) ? LEDGER_UNKNOWN : 0}};
    if (!find_role(profile, &track, &described)) {
        build_refuse(profile, "track '%s': '%s' is no role", api_view(track.name).data, track.role);
        return 0;
    }
    return added(profile, profile_track_add(profile->profile, &described));
}

static uint32_t build_add_operator(struct opscope_profile *profile,
                                   const struct opscope_profile_operator *given, size_t size)
{
    struct opscope_profile_operator op;
    if (!api_copy_struct(profile, &op, sizeof op, given, size))
        return 0;
    const struct operator_description described = {.name = api_build_text_id(profile, op.name),
                                                   .type = api_build_text_id(profile, op.type),
                                                   .location =
                                                       api_build_text_id(profile, op.location),
                                                   .values = api_build_put_values(profile)};
    return added(profile, profile_operator_add(profile->profile, &described));
}

static uint32_t build_add_call(struct opscope_profile *profile,
                               const struct opscope_profile_call *given, size_t size)
{
    struct opscope_profile_call call;
    if (!api_copy_struct(profile, &call, sizeof call, given, size))
        return 0;
    if (call.operator_id >= profile->profile->operators.count ||
        call.parent >= profile->profile->calls.count) {
        build_refuse(profile, "a call of operator %u with parent %u: one of them does not exist",
                     call.operator_id, call.parent);
        return 0;
    }
    const struct call described = {.operator_id = call.operator_id,
                                   .parent = call.parent,
                                   .iteration = call.iteration,
                                   .invocation = call.invocation,
                                   .device = call.device,
                                   .replay = call.replay,
                                   .domain = api_build_text_id(profile, call.domain),
                                   .key = call.key,
                                   .values = api_build_put_values(profile)};
    return added(profile, profile_call_add(profile->profile, &described));
}

static int build_add_buffer(struct opscope_profile *profile,
                            const struct opscope_profile_buffer *given, size_t size)
{
    struct opscope_profile_buffer buffer;
    if (!api_copy_struct(profile, &buffer, sizeof buffer, given, size))
        return OPSCOPE_ERROR_USAGE;
    if (buffer.owner >= profile->profile->operators.count ||
        buffer.clock >= profile->profile->clocks.count || buffer.to < buffer.from)
        return build_refuse(profile,
                            "a buffer in '%s': owner %u, clock %u or its times are impossible",
                            api_view(buffer.memory).data, buffer.owner, buffer.clock);
    profile_buffer_add(profile->profile, &(struct buffer_lifetime){
                                             .memory = api_build_text_id(profile, buffer.memory),
                                             .owner = buffer.owner,
                                             .clock = buffer.clock,
                                             .address = buffer.address,
                                             .size = buffer.size,
                                             .from = buffer.from,
                                             .to = buffer.to,
                                             .device = buffer.device,
                                             .core = buffer.core,
                                             .name = api_build_text_id(profile, buffer.name)});
    return OPSCOPE_OK;
}

static int build_add_fact(struct opscope_profile *profile, const char *key, const char *text)
{
    if (key == NULL || text == NULL)
        return build_refuse(profile, "a fact needs a key and a text");
    profile_fact_add(profile->profile, key, view_of(text));
    return OPSCOPE_OK;
}

// Values and events -----------------------------------------------------------------

// Kinds that the recorder gets come after this one, too.
_Static_assert(OPSCOPE_TICKS == OPSCOPE_FLOW_IN + 1, "two kinds of values with one number");

static bool convert_kind(uint32_t kind, enum value_kind *out_kind)
{
    static const enum value_kind kinds[] = {
        [OPSCOPE_UINT] = VALUE_UINT,       [OPSCOPE_INT] = VALUE_INT,
        [OPSCOPE_BOOL] = VALUE_BOOL,       [OPSCOPE_REAL] = VALUE_REAL,
        [OPSCOPE_TEXT] = VALUE_TEXT,       [OPSCOPE_FLOW_OUT] = VALUE_FLOW_OUT,
        [OPSCOPE_FLOW_IN] = VALUE_FLOW_IN, [OPSCOPE_TICKS] = VALUE_TICKS,
    };
    if (kind >= sizeof kinds / sizeof kinds[0])
        return false;
    *out_kind = kinds[kind];
    return true;
}

static int build_put(struct opscope_profile *profile, const struct opscope_profile_value *given,
                     size_t size)
{
    struct opscope_profile_value value;
    enum value_kind kind;
    if (!api_copy_struct(profile, &value, sizeof value, given, size))
        return OPSCOPE_ERROR_USAGE;
    const char *key = api_view(value.key).data;
    if (!convert_kind(value.kind, &kind) || value.provenance > OPSCOPE_DERIVED)
        return build_refuse(profile, "value '%s': the kind or the provenance is none", key);
    if (kind == VALUE_TEXT && value.text == NULL)
        return build_refuse(profile, "value '%s': there is no text", key);
    if (kind == VALUE_TICKS && value.clock >= profile->profile->clocks.count)
        return build_refuse(profile, "value '%s': there is no clock %u", key, value.clock);
    const struct value put = {.key = api_build_text_id(profile, value.key),
                              .kind = kind,
                              .provenance = (enum provenance)value.provenance,
                              .number = kind == VALUE_INT ? (uint64_t)value.integer : value.number,
                              .real = value.real,
                              .text = api_view(value.text),
                              .clock = value.clock,
                              .end = value.end};
    value_add(&profile->values, &put);
    return OPSCOPE_OK;
}

static int check_event(struct opscope_profile *profile, const struct opscope_profile_event *event)
{
    if (event->track >= profile->profile->tracks.count)
        return build_refuse(profile, "an event on track %u, which does not exist", event->track);
    const struct track *track = profile_track(profile->profile, event->track);
    if (event->kind > OPSCOPE_SAMPLE)
        return build_refuse(profile, "%u is no kind of event", event->kind);
    if (track->kind != (event->kind == OPSCOPE_SAMPLE ? TRACK_COUNTER : TRACK_LANE))
        return build_refuse(profile,
                            "track %u has no place for it: spans and instants lie on lanes, "
                            "samples on counters",
                            event->track);
    if (event->call >= profile->profile->calls.count)
        return build_refuse(profile, "there is no call %u", event->call);
    return OPSCOPE_OK;
}

static int build_add_event(struct opscope_profile *profile,
                           const struct opscope_profile_event *given, size_t size)
{
    static const enum event_kind kinds[] = {[OPSCOPE_SPAN] = EVENT_SPAN,
                                            [OPSCOPE_INSTANT] = EVENT_INSTANT,
                                            [OPSCOPE_SAMPLE] = EVENT_COUNTER};
    struct opscope_profile_event event;
    if (!api_copy_struct(profile, &event, sizeof event, given, size))
        return OPSCOPE_ERROR_USAGE;
    const int code = check_event(profile, &event);
    if (code != OPSCOPE_OK)
        return code;
    if (event.kind == OPSCOPE_SAMPLE)
        value_add(&profile->values, &(struct value){.kind = VALUE_REAL, .real = event.sample});
    const struct event made = {.start = event.start,
                               .end = event.kind == OPSCOPE_SPAN ? event.end : event.start,
                               .track = event.track,
                               .name = api_build_text_id(profile, event.name),
                               .call = event.call,
                               .kind = kinds[event.kind]};
    profile->unfinished = true;
    profile_event_add(profile->profile, &made, api_build_put_values(profile));
    profile->values.size = 0;
    if (made.end < made.start)
        return build_refuse(profile, "span '%s' ends before it starts", api_view(event.name).data);
    return OPSCOPE_OK;
}

// The ledger ----------------------------------------------------------------------

int opscope_profile_expect(struct opscope_profile *profile, uint32_t track, uint64_t expected)
{
    if (track >= profile->profile->tracks.count)
        return build_refuse(profile, "there is no track %u", track);
    profile_track(profile->profile, track)->ledger.expected = expected;
    return OPSCOPE_OK;
}

static int build_add_note(struct opscope_profile *profile, uint32_t track, uint32_t kind,
                          uint64_t count, const char *text)
{
    if (track >= profile->profile->tracks.count || kind > OPSCOPE_NOTE_REMARK)
        return build_refuse(profile, "a note of kind %u about track %u: one of them does not exist",
                            kind, track);
    profile_note(profile->profile, track, (enum ledger_note_kind)kind, count, "%s",
                 api_view(text).data);
    return OPSCOPE_OK;
}

// In scopes --------------------------------------------------------------------------

static int build_no_memory(struct opscope_profile *profile)
{
    api_no_memory(profile->problem, sizeof profile->problem);
    return OPSCOPE_ERROR_LIMIT;
}

static uint32_t build_none(struct opscope_profile *profile)
{
    build_no_memory(profile);
    return 0;
}

uint32_t opscope_profile_add_clock_sized(struct opscope_profile *profile,
                                         const struct opscope_profile_clock *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_clock(profile, given, size),
                          build_none(profile));
}

uint32_t opscope_profile_add_track_sized(struct opscope_profile *profile,
                                         const struct opscope_profile_track *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_track(profile, given, size),
                          build_none(profile));
}

uint32_t opscope_profile_add_operator_sized(struct opscope_profile *profile,
                                            const struct opscope_profile_operator *given,
                                            size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_operator(profile, given, size),
                          build_none(profile));
}

uint32_t opscope_profile_add_call_sized(struct opscope_profile *profile,
                                        const struct opscope_profile_call *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_call(profile, given, size),
                          build_none(profile));
}

int opscope_profile_add_buffer_sized(struct opscope_profile *profile,
                                     const struct opscope_profile_buffer *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_buffer(profile, given, size),
                          build_no_memory(profile));
}

int opscope_profile_add_fact(struct opscope_profile *profile, const char *key, const char *text)
{
    return RECOVERY_SCOPE(&profile->region, build_add_fact(profile, key, text),
                          build_no_memory(profile));
}

int opscope_profile_put_sized(struct opscope_profile *profile,
                              const struct opscope_profile_value *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_put(profile, given, size),
                          build_no_memory(profile));
}

int opscope_profile_add_event_sized(struct opscope_profile *profile,
                                    const struct opscope_profile_event *given, size_t size)
{
    return RECOVERY_SCOPE(&profile->region, build_add_event(profile, given, size),
                          build_no_memory(profile));
}

int opscope_profile_add_note(struct opscope_profile *profile, uint32_t track, uint32_t kind,
                             uint64_t count, const char *text)
{
    return RECOVERY_SCOPE(&profile->region, build_add_note(profile, track, kind, count, text),
                          build_no_memory(profile));
}
