#include "reader.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "reading.h"

enum { PROGRESS_BYTES = 1 << 20 };

static const struct loss_text TEXTS[CHROME_LOSSES] = {
    SPAN_LOSS_TEXTS,
    [CHROME_LOSS_NO_PHASE] = {LEDGER_LOST, "events that do not say what they are", NULL},
    [CHROME_LOSS_PHASE] = {LEDGER_LOST, "events of a phase that is not read", "phase"},
    [CHROME_LOSS_NO_TIME] = {LEDGER_LOST, "events without a time", NULL},
    [CHROME_LOSS_TIME_RANGE] = {LEDGER_LOST, "events before time 0 or beyond 2^63 ns", NULL},
    [CHROME_LOSS_NO_ID] = {LEDGER_LOST, "asynchronous events without an id", NULL},
    [CHROME_LOSS_NO_SAMPLE] = {LEDGER_LOST, "counter samples without a number", NULL},
    [CHROME_LOSS_COPY] = {LEDGER_IMPOSSIBLE, "events that are there twice", NULL},
    [CHROME_LOSS_MALFORMED] = {LEDGER_LOST, "pieces that are no events", NULL},
    [CHROME_LOSS_FLOW_NO_ID] = {LEDGER_LOST, "flow events without an id", NULL},
    [CHROME_LOSS_FLOW_UNBOUND] = {LEDGER_LOST, "flow events outside every slice", NULL},
    [CHROME_LOSS_NO_DURATION] = {LEDGER_REMARK,
                                 "complete events without a duration, kept as instants", NULL},
    [CHROME_LOSS_OVERLAP] = {LEDGER_REMARK,
                             "spans that cut into another one, which no call stack does", NULL},
    [CHROME_LOSS_METADATA] = {LEDGER_REMARK, "metadata that is not read", NULL},
    [CHROME_LOSS_EMPTY_ARGUMENT] = {LEDGER_REMARK, "events with arguments that hold nothing", NULL},
    [CHROME_LOSS_ARGUMENT] = {LEDGER_REMARK,
                              "events with arguments that cannot be read: malformed, too deep, or "
                              "with too long a name",
                              NULL},
    [CHROME_LOSS_MEMBER] = {LEDGER_REMARK, "members beside traceEvents that are not read", NULL},
    [CHROME_LOSS_TRAILING] = {LEDGER_REMARK, "text after the end of the trace", NULL},
};

void chrome_lose(struct chrome_reading *reading, uint32_t track, enum chrome_loss loss,
                 uint64_t detail, uint64_t offset)
{
    profile_track(reading->profile, track)->ledger.expected++;
    losses_add(&reading->losses, track, loss, detail, offset);
}

static struct chrome_reading *reading_of(struct chrome_visitor *visitor)
{
    return (struct chrome_reading *)visitor;
}

// The order of beginnings and ends --------------------------------------------

struct look {
    struct chrome_visitor visitor;
    struct chrome_lanes *lanes;
};

static void chrome_reader_count_begin(struct chrome_census *census, int64_t ts)
{
    if (census->open < SPAN_DEPTH_MOST) {
        census->begins =
            memory_grow(census->begins, census->open, &census->capacity, sizeof *census->begins);
        census->begins[census->open] = ts;
    }
    census->open++;
}

static void chrome_reader_count_end(struct chrome_census *census, int64_t ts)
{
    if (census->open == 0) {
        census->broken = true;
        return;
    }
    census->open--;
    if (census->open < SPAN_DEPTH_MOST && ts < census->begins[census->open])
        census->broken = true;
}

static void chrome_reader_look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct look *look = (struct look *)visitor;
    if ((event->phase != 'B' && event->phase != 'E') || !event->has_ts)
        return;
    struct chrome_census *census = &chrome_lanes_thread(look->lanes, event)->census;
    census->went_back |= census->seen && event->ts < census->last;
    census->seen = true;
    census->last = event->ts;
    if (event->phase == 'B')
        chrome_reader_count_begin(census, event->ts);
    else
        chrome_reader_count_end(census, event->ts);
}

// Looks ahead, at the first beginning or end, how those of each thread are ordered.
static void look_ahead(struct chrome_reading *reading, uint64_t offset)
{
    struct look look = {.visitor.event = chrome_reader_look_at, .lanes = &reading->edges};
    reading->looked = true;
    reading->edge_profile = profile_create();
    chrome_lanes_start(&reading->edges, reading->edge_profile);
    chrome_events_visit_from(reading->input, offset, &look.visitor);
}

// Events ----------------------------------------------------------------------

static bool chrome_reader_time_of(struct chrome_reading *reading, const struct chrome_event *event,
                                  uint32_t track, uint64_t *out_ns)
{
    int64_t ns;
    const uint64_t may_be_half = event->phase == 'B' || event->phase == 'E';
    if (!event->has_ts) {
        reading->unread += may_be_half;
        chrome_lose(reading, track, event->bad_time ? CHROME_LOSS_TIME_RANGE : CHROME_LOSS_NO_TIME,
                    0, event->offset);
        return false;
    }
    if (__builtin_add_overflow(event->ts, reading->base, &ns) || ns < 0) {
        reading->unread += may_be_half;
        chrome_lose(reading, track, CHROME_LOSS_TIME_RANGE, 0, event->offset);
        return false;
    }
    *out_ns = (uint64_t)ns;
    return true;
}

static bool is_listed(struct view key)
{
    static const char *const LISTED[] = {"ph",   "ts", "dur", "pid",     "tid",     "cat",
                                         "name", "id", "id2", "scope",   "bind_id", "flow_in",
                                         "args", "bp", "s",   "flow_out"};
    for (size_t i = 0; i < sizeof LISTED / sizeof LISTED[0]; i++) {
        if (view_is(key, LISTED[i]))
            return true;
    }
    return false;
}

// Members that mean nothing here are kept as values.
static void add_others(struct chrome_reading *reading, const struct chrome_event *event)
{
    struct chrome_members members = chrome_members_of(event->object);
    struct view key;
    struct view value;
    while (chrome_member_next(&members, &key, &value)) {
        if (is_listed(key))
            continue;
        if (!reading->written.wanted) {
            chrome_values_add_member(&reading->values, key, value);
            continue;
        }
        reading->values.scratch.size = 0;
        key = chrome_text_of((struct view){key.data - 1, key.size + 2}, &reading->values.scratch);
        as_written_add_other(&reading->values, key, value);
    }
}

// Shapes and the like stay as they are written: flat, empty ones would be lost, and nobody could
// put them together again.
static void add_arguments_whole(struct chrome_reading *reading, struct view args)
{
    struct chrome_values *values = &reading->values;
    struct chrome_members members = chrome_members_of(args);
    struct view key;
    struct view value;
    while (chrome_member_next(&members, &key, &value)) {
        if (value.data[0] != '{' && value.data[0] != '[') {
            chrome_values_add_member(values, key, value);
            continue;
        }
        values->scratch.size = 0;
        key = chrome_text_of((struct view){key.data - 1, key.size + 2}, &values->scratch);
        if (key.size > 0)
            value_add_text(&reading->list, chrome_text_id(&values->keys, values->strings, key),
                           value);
        else
            values->empty++;
    }
    values->unread += members.damaged;
}

static void add_arguments(struct chrome_reading *reading, const struct chrome_event *event)
{
    const struct view args = event->args;
    if (reading->written.wanted && args.data[0] == '{' && !view_is(args, "{}"))
        as_written_add_arguments(&reading->values, event);
    else if (reading->written.wanted)
        as_written_add_other(&reading->values, VIEW_LITERAL("args"), args);
    else if (view_is(args, "null"))
        reading->values.empty++;
    else if (args.data[0] != '{')
        reading->values.unread++;
    else if (reading->dialect != NULL)
        add_arguments_whole(reading, args);
    else if (event->member_count > 0)
        chrome_values_add_members(&reading->values, event->members, event->member_count);
    else
        chrome_values_add(&reading->values, args);
}

// Nobody wrote it: it is left out where the trace is written again.
static void add_role(struct chrome_reading *reading, enum role role)
{
    struct profile *profile = reading->profile;
    if (role == ROLE_NONE)
        return;
    const struct value value = {.key = profile_string(profile, VIEW_LITERAL("role")),
                                .kind = VALUE_STRING,
                                .provenance = PROVENANCE_DERIVED,
                                .number = profile_string(profile, view_of(role_name(role)))};
    value_add(&reading->list, &value);
}

// The same of whoever only waits.
static void add_waits(struct chrome_reading *reading)
{
    const struct value value = {.key = profile_string(reading->profile, VIEW_LITERAL("waits")),
                                .kind = VALUE_BOOL,
                                .provenance = PROVENANCE_DERIVED,
                                .number = 1};
    value_add(&reading->list, &value);
}

// The values of an event into `reading->list`; those of a whole one with its category in front.
static struct span_edge edge_of(struct chrome_reading *reading, const struct chrome_event *event,
                                uint64_t time)
{
    struct chrome_values *values = &reading->values;
    const bool whole = event->phase == 'X';
    const uint32_t category = reading_category_of(reading, event);
    reading->list.size = 0;
    if (whole && category != 0)
        value_add_string(&reading->list, reading->spans.category_key, category);
    if (whole && reading->dialect != NULL && reading->dialect->role_of != NULL)
        add_role(reading, reading->dialect->role_of(event));
    if (whole && reading->dialect != NULL && reading->dialect->waits != NULL &&
        reading->dialect->waits(event))
        add_waits(reading);
    values->location = 0;
    values->empty = 0;
    values->unread = 0;
    if (event->others)
        add_others(reading, event);
    if (event->args.size > 0 && (reading->written.wanted || !view_is(event->args, "{}")))
        add_arguments(reading, event);
    if (values->empty > 0)
        losses_add(&reading->losses, 0, CHROME_LOSS_EMPTY_ARGUMENT, 0, event->offset);
    if (values->unread > 0)
        losses_add(&reading->losses, 0, CHROME_LOSS_ARGUMENT, 0, event->offset);
    return (struct span_edge){.time = time,
                              .offset = event->offset,
                              .name = reading_name_of(reading, event),
                              .category = whole ? 0 : category,
                              .location = values->location,
                              .begins = true,
                              .values = bytes_view(&reading->list)};
}

static void add_flow_of_slice(struct chrome_reading *reading, const struct chrome_event *event,
                              const struct chrome_lane *lane, uint64_t time);

static void add_complete(struct chrome_reading *reading, const struct chrome_event *written)
{
    struct chrome_event placed;
    const struct chrome_event *event = chrome_dialect_place(reading->dialect, written, &placed);
    struct chrome_lane *lane = chrome_lanes_thread(&reading->lanes, event);
    uint64_t time;
    if (!chrome_reader_time_of(reading, event, lane->spans.track, &time))
        return;
    struct span_edge edge = edge_of(reading, event, time);
    if (event->bad_time) {
        chrome_lose(reading, lane->spans.track, CHROME_LOSS_TIME_RANGE, 0, event->offset);
        return;
    }
    if (event->has_dur && event->dur < 0) {
        spans_lose(&reading->spans, &lane->spans, SPAN_LOSS_ENDS_BEFORE, event->offset);
        return;
    }
    const uint64_t end = time + (uint64_t)event->dur;
    if (reading->dialect != NULL)
        edge.call = reading->dialect->call_of(reading->dialect, event, lane->spans.track);
    if (event->has_dur && event->beside.size == 0) // beside a thread lies what is no call stack
        chrome_overlaps_add(&lane->overlaps, time, end);
    if (!event->has_dur)
        losses_add(&reading->losses, lane->spans.track, CHROME_LOSS_NO_DURATION, 0, event->offset);
    spans_add_whole(&reading->spans, &lane->spans, &edge,
                    event->has_dur ? EVENT_SPAN : EVENT_INSTANT, end);
    if (event->rare.bind_id.size > 0)
        add_flow_of_slice(reading, event, lane, time);
}

static void chrome_reader_add_edge(struct chrome_reading *reading, const struct chrome_event *event)
{
    struct chrome_lane *lane = chrome_lanes_thread(&reading->lanes, event);
    uint64_t time;
    if (!reading->looked)
        look_ahead(reading, event->offset);
    const struct chrome_census *census = &chrome_lanes_thread(&reading->edges, event)->census;
    lane->spans.by_time = census->went_back && (census->broken || census->open > 0);
    if (!chrome_reader_time_of(reading, event, lane->spans.track, &time))
        return;
    struct span_edge edge = edge_of(reading, event, time);
    edge.begins = event->phase == 'B';
    spans_add(&reading->spans, &lane->spans, &edge);
}

static void chrome_reader_add_instant(struct chrome_reading *reading,
                                      const struct chrome_event *event)
{
    struct chrome_lane *lane = chrome_lanes_thread(&reading->lanes, event);
    uint64_t time;
    if (!chrome_reader_time_of(reading, event, lane->spans.track, &time))
        return;
    struct span_edge edge = edge_of(reading, event, time);
    if (event->rare.instant_scope.size > 0 && !view_is(event->rare.instant_scope, "\"t\"")) {
        reading->values.scratch.size = 0;
        const struct value scope = {
            .key = reading->scope_key,
            .kind = VALUE_TEXT,
            .provenance = reading->written.wanted ? PROVENANCE_DERIVED : PROVENANCE_ABSENT,
            .text = chrome_text_of(event->rare.instant_scope, &reading->values.scratch)};
        value_add(&reading->list, &scope);
        edge.values = bytes_view(&reading->list);
    }
    spans_add_whole(&reading->spans, &lane->spans, &edge, EVENT_INSTANT, time);
}

// Asynchronous events ---------------------------------------------------------

static struct chrome_key chrome_reader_id_of(struct chrome_reading *reading, struct view raw)
{
    struct chrome_key key = {false, 0};
    if (chrome_number_of(raw, &key.number))
        return key;
    reading->values.scratch.size = 0;
    const struct view text = chrome_text_of(raw, &reading->values.scratch);
    return (struct chrome_key){true, profile_string(reading->profile, text)};
}

// Where an event has no id of its own, that of its process or of all of them.
static struct view raw_id(const struct chrome_event *event, bool *out_global)
{
    *out_global = false;
    if (event->rare.id.size > 0)
        return event->rare.id;
    const struct view local = chrome_find(event->rare.id2, "local");
    if (local.size > 0)
        return local;
    *out_global = true;
    return chrome_find(event->rare.id2, "global");
}

static void add_async(struct chrome_reading *reading, const struct chrome_event *event)
{
    uint64_t time;
    bool global;
    const struct view raw = raw_id(event, &global);
    if (raw.size == 0) {
        chrome_lose(reading, 0, CHROME_LOSS_NO_ID, 0, event->offset);
        return;
    }
    if (!chrome_reader_time_of(reading, event, 0, &time))
        return;
    struct span_edge edge = edge_of(reading, event, time);
    struct chrome_lane *lane = chrome_lanes_async(&reading->lanes, event, edge.name, edge.category);
    struct chrome_async_key key = {.process = global ? HASH_NONE : lane->process,
                                   .category = edge.category,
                                   .id = chrome_reader_id_of(reading, raw)};
    if (event->rare.scope.size > 0)
        key.scope = profile_string(reading->profile, event->rare.scope);
    edge.begins = event->phase != 'e' && event->phase != 'F';
    if (edge.begins) {
        chrome_values_add_member(&reading->values, VIEW_LITERAL("id"), raw);
        edge.values = bytes_view(&reading->list);
    }
    if (event->phase == 'b' || event->phase == 'S')
        chrome_async_begin(&reading->async, &key, lane, &edge);
    else if (!edge.begins)
        chrome_async_end(&reading->async, &key, lane, &edge);
    else
        spans_add_whole(&reading->spans, &chrome_async_lane(&reading->async, &key, lane)->spans,
                        &edge, EVENT_INSTANT, time);
}

// Flows -----------------------------------------------------------------------

static void chrome_reader_add_flow(struct chrome_reading *reading,
                                   const struct chrome_event *written)
{
    struct chrome_event placed;
    const struct chrome_event *event = chrome_dialect_place(reading->dialect, written, &placed);
    const struct chrome_lane *lane = chrome_lanes_thread(&reading->lanes, event);
    bool global;
    const struct view raw = raw_id(event, &global);
    struct chrome_flow flow = {.offset = event->offset, .phase = event->phase};
    if (raw.size == 0) {
        chrome_lose(reading, lane->spans.track, CHROME_LOSS_FLOW_NO_ID, 0, event->offset);
        return;
    }
    if (!chrome_reader_time_of(reading, event, lane->spans.track, &flow.time))
        return;
    flow.id = chrome_reader_id_of(reading, raw);
    flow.category = reading_category_of(reading, event);
    flow.name = reading_name_of(reading, event);
    flow.binding = flow.phase == 'f' && !view_is(event->rare.binding, "\"e\"")
                       ? CHROME_FLOW_NEXT
                       : CHROME_FLOW_ENCLOSING;
    chrome_flows_add(&reading->flows, reading->profile, lane, &flow);
}

static void add_flow_of_slice(struct chrome_reading *reading, const struct chrome_event *event,
                              const struct chrome_lane *lane, uint64_t time)
{
    const bool out = chrome_truth_of(event->rare.flow_out);
    if (!out && !chrome_truth_of(event->rare.flow_in))
        return;
    const struct chrome_flow flow = {.time = time,
                                     .offset = event->offset,
                                     .id = chrome_reader_id_of(reading, event->rare.bind_id),
                                     .phase = out ? 's' : 'f',
                                     .binding = CHROME_FLOW_LAST};
    chrome_flows_add(&reading->flows, reading->profile, lane, &flow);
}

static void lose_flow(void *context, uint32_t track, uint64_t offset)
{
    chrome_lose(context, track, CHROME_LOSS_FLOW_UNBOUND, 0, offset);
}

// Counters --------------------------------------------------------------------

static void chrome_reader_add_sample(struct chrome_reading *reading,
                                     const struct chrome_event *event, struct view key,
                                     struct view raw, bool alone, uint64_t time)
{
    struct strings *strings = &reading->profile->strings;
    struct value value = {0};
    uint32_t number = 0;
    if (event->rare.id.size > 0) {
        reading->values.scratch.size = 0;
        number = strings_add(strings, chrome_text_of(event->rare.id, &reading->values.scratch));
    }
    reading->values.scratch.size = 0;
    const struct view series =
        chrome_text_of((struct view){key.data - 1, key.size + 2}, &reading->values.scratch);
    const struct chrome_lane *lane =
        chrome_lanes_counter(&reading->lanes, event, reading_name_of(reading, event),
                             chrome_text_id(&reading->values.keys, strings, series), number, alone);
    const struct view text = chrome_is_text(raw) ? (struct view){raw.data + 1, raw.size - 2} : raw;
    if (!chrome_values_number(text, &value)) {
        chrome_lose(reading, lane->spans.track, CHROME_LOSS_NO_SAMPLE, 0, event->offset);
        return;
    }
    reading->list.size = 0;
    value_add(&reading->list, &value);
    const struct event sample = {
        .start = time, .end = time, .track = lane->spans.track, .kind = EVENT_COUNTER};
    profile_track(reading->profile, sample.track)->ledger.expected++;
    profile_event_add(reading->profile, &sample, bytes_view(&reading->list));
}

static void chrome_reader_add_counter(struct chrome_reading *reading,
                                      const struct chrome_event *event)
{
    uint64_t time;
    struct view key;
    struct view value;
    if (!chrome_reader_time_of(reading, event, 0, &time))
        return;
    struct chrome_members members = chrome_members_of(event->args);
    struct chrome_members again = members;
    size_t count = 0;
    while (!members.array && chrome_member_next(&members, &key, &value))
        count++;
    if (count == 0 || members.damaged)
        chrome_lose(reading, 0, CHROME_LOSS_NO_SAMPLE, 0, event->offset);
    while (count > 0 && chrome_member_next(&again, &key, &value))
        chrome_reader_add_sample(reading, event, key, value, count == 1, time);
}

// -----------------------------------------------------------------------------

static void chrome_reader_add_event(struct chrome_reading *reading,
                                    const struct chrome_event *event)
{
    switch (event->phase) {
    case 'X':
        add_complete(reading, event);
        break;
    case 'B':
    case 'E':
        chrome_reader_add_edge(reading, event);
        break;
    case 'i':
    case 'I':
    case 'R':
        chrome_reader_add_instant(reading, event);
        break;
    case 'C':
        chrome_reader_add_counter(reading, event);
        break;
    case 's':
    case 't':
    case 'f':
        chrome_reader_add_flow(reading, event);
        break;
    case 'M':
        chrome_metadata_read(reading, event);
        break;
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
        add_async(reading, event);
        break;
    case '\0':
        reading->unread++;
        chrome_lose(reading, 0, CHROME_LOSS_NO_PHASE, 0, event->offset);
        break;
    default:
        chrome_lose(reading, 0, CHROME_LOSS_PHASE, (unsigned char)event->phase, event->offset);
        break;
    }
}

static bool chrome_reader_is_copy(struct chrome_reading *reading, const struct chrome_event *event)
{
    struct chrome_dialect *dialect = reading->dialect;
    return dialect != NULL && dialect->is_copy != NULL && dialect->is_copy(dialect, event);
}

static void chrome_reader_take_event(struct chrome_visitor *visitor,
                                     const struct chrome_event *event)
{
    struct chrome_reading *reading = reading_of(visitor);
    if (event->offset / PROGRESS_BYTES != (event->offset + event->object.size) / PROGRESS_BYTES)
        progress_report(event->offset, input_likely_size(reading->input));
    if (chrome_reader_is_copy(reading, event))
        chrome_lose(reading, chrome_lanes_thread(&reading->lanes, event)->spans.track,
                    CHROME_LOSS_COPY, 0, event->offset);
    else
        chrome_reader_add_event(reading, event);
}

static void chrome_reader_take_member(struct chrome_visitor *visitor, struct view key,
                                      struct view value)
{
    struct chrome_reading *reading = reading_of(visitor);
    struct chrome_dialect *dialect = reading->dialect;
    if (reading->written.wanted)
        as_written_add_member(&reading->written, key, value);
    if (dialect == NULL || dialect->member == NULL || !dialect->member(dialect, key, value))
        chrome_member_read(reading, key, value);
}

static void take_damage(struct chrome_visitor *visitor, enum chrome_damage damage, uint64_t offset)
{
    struct chrome_reading *reading = reading_of(visitor);
    if (damage == CHROME_CUT) {
        reading->is_cut = true;
        reading->cut = offset;
    } else {
        reading->unread += damage == CHROME_MALFORMED;
        losses_add(&reading->losses, 0,
                   damage == CHROME_MALFORMED ? CHROME_LOSS_MALFORMED : CHROME_LOSS_TRAILING, 0,
                   offset);
    }
}

// The end ---------------------------------------------------------------------

static status look_for_overlaps(struct chrome_reading *reading)
{
    for (uint32_t i = 0; i < reading->lanes.lanes.count; i++) {
        struct chrome_lane *lane = segments_get(&reading->lanes.lanes, i);
        if (!profile_track(reading->profile, lane->spans.track)->nests)
            continue;
        if (lane->overlaps.unsorted)
            STATUS_TRY(
                chrome_overlaps_look_again(&lane->overlaps, reading->profile, lane->spans.track));
        if (lane->overlaps.count == 0)
            continue;
        losses_add(&reading->losses, lane->spans.track, CHROME_LOSS_OVERLAP, 0, LOSS_NO_OFFSET);
        reading->losses.entries[reading->losses.count - 1].count = lane->overlaps.count;
    }
    return STATUS_OK;
}

static status chrome_reader_finish(struct chrome_reading *reading)
{
    if (reading->lanes.too_many)
        return status_make(STATUS_LIMIT, "%s: more than %d threads, counters or processes",
                           reading->input->path, CHROME_LANES_MOST);
    STATUS_TRY(spans_finish(&reading->spans));
    for (uint32_t i = 0; i < reading->lanes.lanes.count; i++) {
        const struct chrome_lane *lane = segments_get(&reading->lanes.lanes, i);
        spans_lose_open(&reading->spans, &lane->spans);
    }
    chrome_lanes_finish(&reading->lanes);
    STATUS_TRY(profile_finish(reading->profile));
    STATUS_TRY(look_for_overlaps(reading));
    as_written_finish(&reading->written, reading->profile);
    return chrome_flows_bind(&reading->flows, reading->profile, lose_flow, reading);
}

// Of a beginning and an end one that is lost leaves the other alone: that is one loss.
static void explain_losses(struct chrome_reading *reading)
{
    const uint64_t halves = 1ull << SPAN_LOSS_NO_BEGIN | 1ull << SPAN_LOSS_NO_END;
    const uint64_t explained =
        losses_explain(&reading->losses, reading->unread, halves, reading->profile);
    if (explained > 0)
        profile_note(reading->profile, 0, LEDGER_REMARK, explained,
                     "%s: beginnings or ends whose other half may be in what is lost, and that are "
                     "not counted again: %llu",
                     reading->input->path, (unsigned long long)explained);
}

// How many events were in what cannot be read, nobody knows.
static void chrome_reader_close_account(struct chrome_reading *reading)
{
    const char *path = reading->input->path;
    struct profile *profile = reading->profile;
    bool unknown = reading->is_cut || reading->input->damage != NULL;
    explain_losses(reading);
    for (size_t i = 0; i < reading->losses.count; i++) {
        const struct loss_entry *entry = &reading->losses.entries[i];
        unknown |= entry->reason == CHROME_LOSS_MALFORMED;
        losses_note(entry, &TEXTS[entry->reason], profile, path);
    }
    if (reading->input->damage != NULL)
        profile_note(profile, 0, LEDGER_LOST, 1, "%s: %s", path, reading->input->damage);
    if (reading->is_cut)
        profile_note(profile, 0, LEDGER_LOST, 1, "%s: cut off inside what starts at byte %llu",
                     path, (unsigned long long)reading->cut);
    else if (reading->visitor.unfinished)
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: the closing bracket is missing: events after the last one may be, too",
                     path);
    if (reading->dialect != NULL && reading->dialect->finish != NULL)
        reading->dialect->finish(reading->dialect, path, reading->unread);
    if (unknown)
        profile_track(profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

static void chrome_reader_release(struct chrome_reading *reading)
{
    chrome_values_free(&reading->values);
    losses_free(&reading->losses);
    spans_free(&reading->spans);
    chrome_flows_free(&reading->flows);
    chrome_lanes_free(&reading->lanes);
    if (reading->looked)
        chrome_lanes_free(&reading->edges);
    profile_free(reading->edge_profile);
    bytes_free(&reading->list);
    bytes_free(&reading->written.metadata);
    bytes_free(&reading->written.members);
    if (reading->dialect != NULL)
        reading->dialect->free(reading->dialect);
    free(reading);
}

status chrome_read(struct input *input, struct profile *profile)
{
    struct chrome_dialect *dialect;
    STATUS_TRY(chrome_dialect_open(input, profile, &dialect));
    struct chrome_reading *reading = memory_allocate_zeroed(1, sizeof *reading);
    reading->dialect = dialect;
    reading->base = dialect != NULL ? dialect->base : 0;
    reading->written.wanted = dialect != NULL && dialect->keeps_spelling;
    reading->flows.as_written = reading->written.wanted;
    reading->visitor = (struct chrome_visitor){chrome_reader_take_event, chrome_reader_take_member,
                                               take_damage, false};
    reading->input = input;
    reading->profile = profile;
    reading->flows.points = SPOOL_EMPTY;
    reading->values.strings = &profile->strings;
    reading->values.list = &reading->list;
    reading->values.location_key = profile_string(profile, VIEW_LITERAL("location"));
    reading->scope_key = profile_string(profile, VIEW_LITERAL("scope"));
    profile_fact_add(profile, "format", view_of(dialect != NULL ? dialect->format : "chrome"));
    chrome_lanes_start(&reading->lanes, profile);
    spans_start(&reading->spans, profile, &reading->losses);
    reading->async.spans = &reading->spans;
    chrome_events_visit_input(input, &reading->visitor);
    chrome_async_finish(&reading->async);
    const status result = chrome_reader_finish(reading);
    chrome_reader_close_account(reading);
    chrome_reader_release(reading);
    return status_first(result, profile_finish(profile));
}
