#include "writer_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "profile/store.h"

// Times have 48 bits with a sign. What begins later than FIRST_MOST counts from there: Tracy's
// viewer shows all the time since 0.
static const uint64_t TIME_MOST = (1ull << 47) - 1;
static const uint64_t FIRST_MOST = 60000000000;

// Values ----------------------------------------------------------------------

static void append_value(struct tracy_rows *rows, const struct value *value)
{
    struct bytes *text = &rows->text;
    const struct view key = profile_text(rows->profile, value->key);
    struct view string = value->text;
    if (value->kind == VALUE_STRING)
        string = profile_text(rows->profile, (uint32_t)value->number);
    if (text->size > 0)
        bytes_append(text, "\n", 1);
    if (value->key != rows->text_key) {
        bytes_append(text, key.data, key.size);
        bytes_append(text, ": ", 2);
    }
    if (value->kind == VALUE_STRING || value->kind == VALUE_TEXT || value->kind == VALUE_JSON)
        bytes_append(text, string.data, string.size);
    else if (value->kind == VALUE_UINT)
        bytes_append_format(text, "%llu", (unsigned long long)value->number);
    else if (value->kind == VALUE_INT)
        bytes_append_format(text, "%lld", (long long)value->number);
    else if (value->kind == VALUE_BOOL)
        bytes_append_format(text, "%s", value->number != 0 ? "true" : "false");
    else if (value->kind == VALUE_REAL)
        bytes_append_format(text, "%.17g", value->real);
    else
        bytes_append_format(text, "%llu to %llu", (unsigned long long)value->number,
                            (unsigned long long)value->end);
}

static struct view string_of(const struct tracy_rows *rows, const struct value *value)
{
    return value->kind == VALUE_STRING ? profile_text(rows->profile, (uint32_t)value->number)
                                       : value->text;
}

static bool is_string(const struct value *value)
{
    return value->kind == VALUE_STRING || value->kind == VALUE_TEXT;
}

// "main.cpp:12"
static bool take_source(struct tracy_rows *rows, struct view source,
                        struct written_location *location)
{
    const size_t colon = view_find_last(source, ':');
    uint64_t line;
    if (colon == 0 || colon >= source.size ||
        !view_to_u64(view_slice(source, colon + 1, source.size), &line) || line > UINT32_MAX)
        return false;
    location->file = writer_tables_text(&rows->tables, view_slice(source, 0, colon));
    location->line = (uint32_t)line;
    return true;
}

// What a zone is made of: its location, a name of its own, and a text of all the rest.
struct zone_content {
    struct written_location location;
    uint32_t name;
    uint64_t operation; // number of a device's; 0: none
};

static void read_values(struct tracy_rows *rows, struct view values, struct zone_content *content)
{
    struct value_reader reader = value_read(values);
    struct value value;
    rows->text.size = 0;
    while (value_next(&reader, &value)) {
        if (value.kind == VALUE_FLOW_IN || value.kind == VALUE_FLOW_OUT) {
            rows->flows++;
            continue;
        }
        if (value.key == rows->operation_key && value.kind == VALUE_UINT)
            content->operation = value.number;
        if (!is_string(&value)) {
            append_value(rows, &value);
        } else if (value.key == rows->zone_key) {
            content->name = writer_tables_text(&rows->tables, string_of(rows, &value));
        } else if (value.key == rows->function_key) {
            content->location.function = writer_tables_text(&rows->tables, string_of(rows, &value));
        } else if (value.key != rows->source_key ||
                   !take_source(rows, string_of(rows, &value), &content->location)) {
            append_value(rows, &value);
        }
    }
}

static struct view location_of_call(const struct tracy_rows *rows, uint32_t call)
{
    if (call == 0)
        return VIEW_LITERAL("");
    const struct operator_description *op =
        profile_operator(rows->profile, profile_call(rows->profile, call)->operator_id);
    return profile_text(rows->profile, op->location);
}

// Zones -----------------------------------------------------------------------

// As tt-metal's fork says which operation a device's zone belongs to.
static uint32_t operation_text(struct tracy_rows *rows, uint64_t operation)
{
    char text[32];
    snprintf(text, sizeof text, "OP ID:%llu", (unsigned long long)operation);
    return writer_tables_text(&rows->tables, view_of(text));
}

// A zone of a device has no text: what it belongs to is its function.
static void finish_content(struct tracy_rows *rows, const struct event *event, bool device,
                           struct zone_content *content)
{
    const struct view location = location_of_call(rows, event->call);
    struct written_location *place = &content->location;
    const struct value value = {.key = rows->location_key, .kind = VALUE_TEXT, .text = location};
    place->name = writer_tables_text(&rows->tables, profile_text(rows->profile, event->name));
    if (device && place->function == 0 && content->operation != 0)
        place->function = operation_text(rows, content->operation);
    else if (device && place->function == 0 && location.size > 0)
        place->function = writer_tables_text(&rows->tables, location);
    else if (location.size > 0)
        append_value(rows, &value);
    if (place->function == 0)
        place->function = place->name;
}

// A name that there is no room for among the locations is the zone's own; zones of devices have
// none.
static int16_t find_location(struct tracy_rows *rows, bool device, struct zone_content *content)
{
    const int16_t found = writer_tables_location(&rows->tables, &content->location, device);
    if (found != 0)
        return found;
    rows->nameless += device;
    if (content->name == 0)
        content->name = content->location.name;
    return writer_tables_other(&rows->tables, device);
}

static status add_zone(struct tracy_rows *rows, const struct event *event, struct view values,
                       uint64_t start, uint64_t end)
{
    const bool device = rows->places.tracks[event->track].kind == PLACE_DEVICE;
    struct zone_content content = {0};
    const uint32_t lane = tracy_places_span(&rows->places, event->track, start, end);
    if (lane == HASH_NONE) {
        rows->too_many++;
        return STATUS_OK;
    }
    read_values(rows, values, &content);
    finish_content(rows, event, device, &content);
    struct zone_row row = {.start = start, .end = end, .order = rows->zone_count++, .lane = lane};
    row.location = find_location(rows, device, &content);
    if (device)
        rows->without_values += rows->text.size > 0 || content.name != 0;
    else
        STATUS_TRY(writer_tables_extra(&rows->tables,
                                       writer_tables_text(&rows->tables, bytes_view(&rows->text)),
                                       content.name, &row.extra));
    struct written_lane *written = tracy_places_lane(&rows->places, lane);
    written->zones++;
    rows->sorted = rows->sorted && lane + 1 == rows->places.lanes.count;
    return spool_append(&rows->zones, &row, sizeof row);
}

// Others ----------------------------------------------------------------------

// The whole of a message that is shown by its beginning; "" where no value is that.
static struct view whole_message(const struct tracy_rows *rows, const struct value *value,
                                 struct view name)
{
    if (value->key != rows->message_key || !is_string(value))
        return VIEW_LITERAL("");
    const struct view text = string_of(rows, value);
    const bool begins = text.size >= name.size && view_equal(view_slice(text, 0, name.size), name);
    return begins ? text : VIEW_LITERAL("");
}

// Into `rows->text`: the message, then its other values.
static void write_message(struct tracy_rows *rows, struct view name, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    struct view text = name;
    while (value_next(&reader, &value)) {
        const struct view whole = whole_message(rows, &value, name);
        text = whole.size > 0 ? whole : text;
    }
    rows->text.size = 0;
    bytes_append(&rows->text, text.data, text.size);
    reader = value_read(values);
    while (value_next(&reader, &value)) {
        const bool flow = value.kind == VALUE_FLOW_IN || value.kind == VALUE_FLOW_OUT;
        rows->flows += flow;
        if (!flow && whole_message(rows, &value, name).size == 0)
            append_value(rows, &value);
    }
}

static status add_message(struct tracy_rows *rows, const struct event *event, struct view values,
                          uint64_t time)
{
    const uint32_t lane = tracy_places_message(&rows->places, event->track);
    if (lane == HASH_NONE) {
        rows->too_many++;
        return STATUS_OK;
    }
    write_message(rows, profile_text(rows->profile, event->name), values);
    const struct message_row row = {.time = time,
                                    .order = rows->message_count++,
                                    .lane = lane,
                                    .text =
                                        writer_tables_text(&rows->tables, bytes_view(&rows->text))};
    tracy_places_lane(&rows->places, lane)->messages += 1;
    return spool_append(&rows->messages, &row, sizeof row);
}

static struct row_group *group_of(struct segments *groups, uint32_t track, uint64_t first)
{
    struct row_group *group = groups->count > 0 ? segments_get(groups, groups->count - 1) : NULL;
    if (group != NULL && group->track == track)
        return group;
    group = segments_add(groups);
    *group = (struct row_group){.track = track, .first = first, .continuous = true};
    return group;
}

static status add_sample(struct tracy_rows *rows, const struct event *event, struct view values,
                         uint64_t time)
{
    struct sample_row row = {.time = time};
    if (!value_sample(values, &row.value) || !isfinite(row.value)) {
        rows->not_finite++;
        return STATUS_OK;
    }
    struct row_group *plot = group_of(&rows->plots, event->track, rows->sample_count);
    plot->least = plot->count == 0 || row.value < plot->least ? row.value : plot->least;
    plot->most = plot->count == 0 || row.value > plot->most ? row.value : plot->most;
    plot->sum += row.value;
    plot->count++;
    rows->sample_count++;
    return spool_append(&rows->samples, &row, sizeof row);
}

static status add_frame(struct tracy_rows *rows, const struct event *event, uint64_t start,
                        uint64_t end)
{
    const struct frame_row row = {start, end};
    struct row_group *set = group_of(&rows->frame_sets, event->track, rows->frame_count);
    const bool follows = set->count == 0 || set->most == (double)start;
    set->continuous = set->continuous && end > start && follows;
    set->most = (double)end; // exact: times have 47 bits
    set->count++;
    rows->frame_count++;
    return spool_append(&rows->frames, &row, sizeof row);
}

static status add_event(struct tracy_rows *rows, const struct event *event, struct view values,
                        uint64_t start, uint64_t end)
{
    rows->last = end > rows->last ? end : rows->last;
    if (event->kind == EVENT_COUNTER)
        return add_sample(rows, event, values, start);
    if (event->kind == EVENT_INSTANT)
        return add_message(rows, event, values, start);
    if (rows->places.tracks[event->track].kind == PLACE_FRAMES)
        return add_frame(rows, event, start, end);
    return add_zone(rows, event, values, start, end);
}

// All of it -------------------------------------------------------------------

static status add_track(struct tracy_rows *rows, uint32_t id)
{
    const struct track *track = profile_track(rows->profile, id);
    const struct clock_domain clock = *profile_clock(rows->profile, track->clock);
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    status result = STATUS_OK;
    STATUS_TRY(store_cursor_open(rows->profile->store, id, track->unsorted, &cursor));
    while (result == STATUS_OK && store_cursor_next(cursor, &event, &values)) {
        const uint64_t start = clock_to_ns(&clock, event.start);
        const uint64_t end = clock_to_ns(&clock, event.end);
        event.track = id;
        if (end - rows->base > TIME_MOST)
            rows->too_late++;
        else
            result = add_event(rows, &event, values, start - rows->base, end - rows->base);
    }
    store_cursor_free(cursor);
    return result;
}

static void find_base(struct tracy_rows *rows)
{
    uint64_t first;
    uint64_t last;
    const bool late =
        profile_extent(rows->profile, &first, &last) && (last > TIME_MOST || first > FIRST_MOST);
    rows->base = late ? first : 0;
}

status tracy_rows_collect(struct tracy_rows *rows, struct profile *profile)
{
    *rows = (struct tracy_rows){
        .profile = profile,
        .zones = SPOOL_EMPTY,
        .messages = SPOOL_EMPTY,
        .samples = SPOOL_EMPTY,
        .frames = SPOOL_EMPTY,
        .sorted = true,
        .text_key = profile_string(profile, VIEW_LITERAL("text")),
        .zone_key = profile_string(profile, VIEW_LITERAL("zone_name")),
        .function_key = profile_string(profile, VIEW_LITERAL("function")),
        .source_key = profile_string(profile, VIEW_LITERAL("source")),
        .message_key = profile_string(profile, VIEW_LITERAL("message")),
        .operation_key = profile_string(profile, VIEW_LITERAL("run_host_id")),
        .location_key = profile_string(profile, VIEW_LITERAL("location")),
    };
    segments_start(&rows->plots, sizeof(struct row_group));
    segments_start(&rows->frame_sets, sizeof(struct row_group));
    const status started = writer_tables_start(&rows->tables);
    tracy_places_start(&rows->places, profile, &rows->tables.texts);
    STATUS_TRY(started);
    find_base(rows);
    STATUS_TRY(store_finish(profile->store));
    for (uint32_t i = 0; i < profile->tracks.count; i++)
        STATUS_TRY(add_track(rows, i));
    return STATUS_OK;
}

void tracy_rows_free(struct tracy_rows *rows)
{
    tracy_places_free(&rows->places);
    writer_tables_free(&rows->tables);
    spool_free(&rows->zones);
    spool_free(&rows->messages);
    spool_free(&rows->samples);
    spool_free(&rows->frames);
    segments_free(&rows->plots);
    segments_free(&rows->frame_sets);
    bytes_free(&rows->text);
}

static void note_some(struct tracy_rows *rows, enum ledger_note_kind kind, uint64_t count,
                      const char *what)
{
    if (count > 0 && kind == LEDGER_REMARK)
        profile_note(rows->profile, 0, kind, 1, "%s: %llu", what, (unsigned long long)count);
    else if (count > 0)
        profile_note(rows->profile, 0, kind, count, "%s", what);
}

// Operators that did something.
static uint64_t count_operators(const struct profile *profile)
{
    bool *called = memory_allocate_zeroed(profile->operators.count, sizeof *called);
    uint64_t count = 0;
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const uint32_t id = profile_call(profile, i)->operator_id;
        count += id != 0 && !called[id];
        called[id] = true;
    }
    free(called);
    return count;
}

static uint64_t count_unknown_lanes(const struct tracy_rows *rows)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < rows->profile->tracks.count; i++) {
        const struct track *track = profile_track(rows->profile, i);
        count += track->role == ROLE_NONE && track->spans + track->instants > 0 &&
                 rows->places.tracks[i].kind == PLACE_THREAD;
    }
    return count;
}

void tracy_rows_account(struct tracy_rows *rows)
{
    note_some(rows, LEDGER_NOT_CARRIED, rows->too_late,
              "events more than 2^47 ns after the first: Tracy's times end there");
    note_some(rows, LEDGER_NOT_CARRIED, rows->too_many,
              "events on more than 65535 threads: Tracy has no numbers for more");
    note_some(rows, LEDGER_NOT_CARRIED, rows->not_finite, "samples that are no numbers");
    note_some(rows, LEDGER_NOT_CARRIED, rows->nameless,
              "names of zones of devices: Tracy has room for 32767 source locations");
    note_some(rows, LEDGER_REMARK, rows->tables.texts_left_out,
              "texts left out, of which Tracy has at most 2^24");
    note_some(rows, LEDGER_REMARK, rows->without_values,
              "spans of devices whose values are left out: Tracy's zones of devices have no text");
    note_some(rows, LEDGER_REMARK, rows->flows, "ends of flows left out: Tracy has none");
    note_some(rows, LEDGER_REMARK, count_operators(rows->profile),
              "operators left out: Tracy has none");
    note_some(rows, LEDGER_REMARK, count_unknown_lanes(rows),
              "lanes of unknown role that are threads of the program there");
    if (rows->base > 0)
        profile_note(rows->profile, 0, LEDGER_REMARK, 1,
                     "times count from %llu ns, so that Tracy's viewer begins there",
                     (unsigned long long)rows->base);
}
