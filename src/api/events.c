// Reading events and values one by one.

#include <opscope/profile.h>

#include <math.h>
#include <stdlib.h>

#include "api.h"
#include "base/memory.h"
#include "profile/store.h"

struct opscope_values {
    const struct profile *profile;
    enum provenance provenance; // of values that do not state theirs
    struct value_reader reader;
    struct bytes text;
};

struct opscope_events {
    struct opscope_profile *owner;
    struct profile *profile;
    uint32_t track;     // of the cursor
    uint32_t end_track; // after the last one
    struct store_cursor *cursor;
    struct view current; // values of the event that was read last
    struct opscope_values values;
};

// Values --------------------------------------------------------------------------

// NULL when there is no memory.
static struct opscope_values *values_open(const struct profile *profile, struct view list)
{
    struct opscope_values *values = calloc(1, sizeof *values);
    if (values == NULL)
        return NULL;
    values->profile = profile;
    values->reader = value_read(list);
    return values;
}

struct opscope_values *opscope_profile_track_values(const struct opscope_profile *profile,
                                                    uint32_t id)
{
    const struct profile *from = profile->profile;
    return id < from->tracks.count ? values_open(from, profile_track(from, id)->values) : NULL;
}

struct opscope_values *opscope_profile_operator_values(const struct opscope_profile *profile,
                                                       uint32_t id)
{
    const struct profile *from = profile->profile;
    return id < from->operators.count ? values_open(from, profile_operator(from, id)->values)
                                      : NULL;
}

struct opscope_values *opscope_profile_call_values(const struct opscope_profile *profile,
                                                   uint32_t id)
{
    const struct profile *from = profile->profile;
    return id < from->calls.count ? values_open(from, profile_call(from, id)->values) : NULL;
}

void opscope_values_free(struct opscope_values *values)
{
    if (values == NULL)
        return;
    bytes_free(&values->text);
    free(values);
}

static uint32_t api_events_kind_of(enum value_kind kind)
{
    switch (kind) {
    case VALUE_UINT:
        return OPSCOPE_UINT;
    case VALUE_INT:
        return OPSCOPE_INT;
    case VALUE_BOOL:
        return OPSCOPE_BOOL;
    case VALUE_REAL:
        return OPSCOPE_REAL;
    case VALUE_FLOW_OUT:
        return OPSCOPE_FLOW_OUT;
    case VALUE_FLOW_IN:
        return OPSCOPE_FLOW_IN;
    case VALUE_TICKS:
        return OPSCOPE_TICKS;
    default:
        return OPSCOPE_TEXT;
    }
}

static const char *api_events_text_of(struct opscope_values *values, const struct value *value)
{
    if (value->kind == VALUE_STRING)
        return api_text(values->profile, (uint32_t)value->number);
    if (value->kind != VALUE_TEXT && value->kind != VALUE_JSON)
        return NULL;
    values->text.size = 0;
    bytes_append(&values->text, value->text.data, value->text.size);
    bytes_append(&values->text, "", 1);
    return (const char *)values->text.data;
}

static int next_value(struct opscope_values *values, struct opscope_profile_value *out_value,
                      size_t size)
{
    struct value value;
    struct opscope_profile_value given = {0};
    const bool found = values != NULL && value_next(&values->reader, &value);
    if (found) {
        const bool ticks = value.kind == VALUE_TICKS;
        const enum provenance provenance =
            value.provenance != PROVENANCE_ABSENT ? value.provenance : values->provenance;
        given = (struct opscope_profile_value){
            .key = api_text(values->profile, value.key),
            .text = api_events_text_of(values, &value),
            .kind = api_events_kind_of(value.kind),
            .provenance = (uint32_t)provenance,
            .number = value.kind == VALUE_STRING ? 0 : value.number,
            .integer = value.kind == VALUE_INT ? (int64_t)value.number : 0,
            .real = value.kind == VALUE_REAL ? value.real : 0,
            .end = ticks ? value.end : 0,
            .clock = ticks && value.clock < values->profile->clocks.count ? value.clock : 0};
    }
    api_give(out_value, size, &given, sizeof given);
    return found;
}

int opscope_values_next_sized(struct opscope_values *values,
                              struct opscope_profile_value *out_value, size_t size)
{
    const int found =
        RECOVERY_SCOPE_ALONE(next_value(values, out_value, size), OPSCOPE_ERROR_LIMIT);
    if (found < 0)
        memset(out_value, 0, size);
    return found;
}

// Events --------------------------------------------------------------------------

static status api_events_open_track(struct opscope_events *events)
{
    store_cursor_free(events->cursor);
    events->cursor = NULL;
    const struct track *track = profile_track(events->profile, events->track);
    events->values.provenance = track->provenance;
    return store_cursor_open(events->profile->store, events->track, track->unsorted,
                             &events->cursor);
}

static status open_events(struct opscope_profile *profile, uint32_t track,
                          struct opscope_events **out_events)
{
    struct profile *from = profile->profile;
    const bool all = track == OPSCOPE_ALL_TRACKS;
    if (out_events == NULL || (!all && track >= from->tracks.count))
        return status_make(STATUS_USAGE, "there is no track %u", track);
    STATUS_TRY(api_finish(profile));
    struct opscope_events *events = memory_allocate_zeroed(1, sizeof *events);
    events->owner = profile;
    events->profile = from;
    events->values.profile = from;
    events->track = all ? 0 : track;
    events->end_track = all ? from->tracks.count : track + 1;
    const status result = api_events_open_track(events);
    if (result == STATUS_OK)
        *out_events = events;
    else
        opscope_events_free(events);
    return result;
}

int opscope_events_open(struct opscope_profile *profile, uint32_t track,
                        struct opscope_events **out_events, char *message, size_t size)
{
    if (out_events != NULL)
        *out_events = NULL;
    return RECOVERY_SCOPE_BESIDE(&profile->region,
                                 api_answer(open_events(profile, track, out_events), message, size),
                                 api_no_memory(message, size));
}

static uint32_t event_kind_of(enum event_kind kind)
{
    if (kind == EVENT_SPAN)
        return OPSCOPE_SPAN;
    return kind == EVENT_INSTANT ? OPSCOPE_INSTANT : OPSCOPE_SAMPLE;
}

static struct opscope_profile_event api_events_describe(const struct opscope_events *events,
                                                        const struct event *event)
{
    const struct profile *profile = events->profile;
    const struct track *track = profile_track(profile, event->track);
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    double sample = 0;
    if (event->kind == EVENT_COUNTER && !value_sample(events->current, &sample))
        sample = NAN;
    return (struct opscope_profile_event){.name = api_text(profile, event->name),
                                          .kind = event_kind_of(event->kind),
                                          .track = event->track,
                                          .call = event->call,
                                          .start = event->start,
                                          .end = event->end,
                                          .start_ns = clock_to_ns(clock, event->start),
                                          .end_ns = clock_to_ns(clock, event->end),
                                          .sample = sample};
}

static int next_event(struct opscope_events *events, struct opscope_profile_event *out_event,
                      size_t size)
{
    struct event event;
    struct opscope_profile_event given = {0};
    int found = 0;
    while (found == 0 && events->track < events->end_track) {
        if (events->cursor == NULL)
            found = api_answer(api_events_open_track(events), NULL, 0);
        else if (store_cursor_next(events->cursor, &event, &events->current))
            found = 1;
        else if (++events->track < events->end_track)
            found = api_answer(api_events_open_track(events), NULL, 0);
    }
    if (found == 1)
        given = api_events_describe(events, &event);
    else
        events->current = VIEW_LITERAL("");
    api_give(out_event, size, &given, sizeof given);
    return found;
}

int opscope_events_next_sized(struct opscope_events *events,
                              struct opscope_profile_event *out_event, size_t size)
{
    const int found = RECOVERY_SCOPE_BESIDE(
        &events->owner->region, next_event(events, out_event, size), OPSCOPE_ERROR_LIMIT);
    if (found < 0) {
        // What it was about to read is the profile's now.
        events->cursor = NULL;
        events->track = events->end_track;
        memset(out_event, 0, size);
    }
    return found;
}

struct opscope_values *opscope_events_values(struct opscope_events *events)
{
    events->values.reader = value_read(events->current);
    return &events->values;
}

void opscope_events_free(struct opscope_events *events)
{
    if (events == NULL)
        return;
    store_cursor_free(events->cursor);
    bytes_free(&events->values.text);
    free(events);
}
