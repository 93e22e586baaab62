#include "writer_events.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/trace/track_source.h"
#include "text.h"

void writer_events_start(struct writer_events *events, struct profile *profile, uint64_t base)
{
    *events = (struct writer_events){.profile = profile, .first = true, .base = base};
    events->location_key = profile_string(profile, VIEW_LITERAL("location"));
    events->cycles_key = profile_string(profile, VIEW_LITERAL("cycles"));
    events->category_key = profile_string(profile, VIEW_LITERAL("category"));
}

void writer_events_forget(struct writer_events *events)
{
    events->losses = (struct writer_losses){0};
    for (size_t i = 0; i < events->quoted_count; i++)
        events->quoted[i].size = 0;
    arena_free(&events->arena);
    events->arena = (struct arena){0};
}

void writer_events_free(struct writer_events *events)
{
    bytes_free(&events->buffer);
    free(events->quoted);
    free(events->locations);
    arena_free(&events->arena);
}

static void writer_events_put_quoted(struct writer_events *events, struct view text)
{
    if (!text_put_quoted(&events->buffer, text))
        events->losses.bad_texts++;
}

// Texts of the profile come again and again: they are escaped once.
static void quote(struct writer_events *events, uint32_t id)
{
    struct bytes text = {0};
    events->quoted =
        memory_extend(events->quoted, &events->quoted_count, id, sizeof *events->quoted);
    if (!text_put_quoted(&text, profile_text(events->profile, id)))
        events->losses.bad_texts++;
    char *padded = arena_allocate(&events->arena, text.size + TEXT_PADDING);
    memcpy(padded, text.data, text.size);
    events->quoted[id] = (struct view){padded, text.size};
    bytes_free(&text);
}

static inline struct view writer_events_quoted(struct writer_events *events, uint32_t id)
{
    if (id >= events->quoted_count || events->quoted[id].size == 0)
        quote(events, id);
    return events->quoted[id];
}

static inline void writer_events_put_string(struct writer_events *events, uint32_t id)
{
    text_put_padded(&events->buffer, writer_events_quoted(events, id));
}

static void separate(struct writer_events *events)
{
    if (!events->first)
        text_put(&events->buffer, ",\n");
    events->first = false;
}

// Metadata --------------------------------------------------------------------

static void put_metadata_head(struct writer_events *events, const char *name, uint32_t pid,
                              uint32_t tid)
{
    separate(events);
    bytes_append_format(&events->buffer,
                        "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{", pid, tid,
                        name);
}

static void put_sort_index(struct writer_events *events, const char *name, uint32_t pid,
                           uint32_t tid, uint32_t order)
{
    put_metadata_head(events, name, pid, tid);
    bytes_append_format(&events->buffer, "\"sort_index\":%u}}", order);
}

static void put_process_name(struct writer_events *events, const struct writer_places *places,
                             const struct writer_process *process)
{
    struct bytes name = {0};
    writer_places_name(places, process, &name);
    struct view text = bytes_view(&name);
    if (process->track == 0)
        text = profile_fact(events->profile, "source");
    put_metadata_head(events, "process_name", process->pid, process->pid);
    text_put(&events->buffer, "\"name\":");
    writer_events_put_quoted(events, text.size > 0 ? text : VIEW_LITERAL("profile"));
    bytes_append_format(&events->buffer, ",\"base_ns\":\"%llu\"}}",
                        (unsigned long long)events->base);
    bytes_free(&name);
}

void writer_put_process(struct writer_events *events, const struct writer_places *places,
                        const struct writer_process *process)
{
    const struct track *track = profile_track(events->profile, process->track);
    const uint32_t labels = strings_find(&events->profile->strings, VIEW_LITERAL("labels"));
    struct value_reader reader = value_read(track->values);
    struct value value;
    put_process_name(events, places, process);
    while (value_next(&reader, &value)) {
        if (value.key != labels || value.kind != VALUE_STRING)
            continue;
        put_metadata_head(events, "process_labels", process->pid, process->pid);
        text_put(&events->buffer, "\"labels\":");
        writer_events_put_string(events, (uint32_t)value.number);
        text_put(&events->buffer, "}}");
    }
    put_sort_index(events, "process_sort_index", process->pid, process->pid, process->order);
}

void writer_put_thread(struct writer_events *events, const struct writer_places *places,
                       uint32_t track, const struct writer_lane *lane)
{
    const struct writer_place *place = &places->places[track];
    const uint32_t pid = places->processes[place->process].pid;
    const struct track *source = profile_track(events->profile, track);
    char line[256];
    const size_t size = track_source_describe(events->profile, source, line, sizeof line);
    put_metadata_head(events, "thread_name", pid, lane->tid);
    text_put(&events->buffer, "\"name\":");
    writer_events_put_string(events, source->name);
    if (size > 0) {
        text_put(&events->buffer, ",\"description\":");
        writer_events_put_quoted(events, (struct view){line, size});
    }
    text_put(&events->buffer, "}}");
    put_sort_index(events, "thread_sort_index", pid, lane->tid, place->order);
}

// Arguments -------------------------------------------------------------------

size_t writer_count_flows(struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    size_t count = 0;
    while (value_next(&reader, &value))
        count += writer_is_flow(&value);
    return count;
}

// The arguments of the event at hand.
struct arguments {
    struct view values;
    uint64_t seen; // a bit for each of 64 kinds of keys, to see whether one comes twice
    size_t count;
};

static unsigned times_before(struct view values, uint32_t key, size_t index)
{
    struct value_reader reader = value_read(values);
    struct value value;
    unsigned times = 1;
    for (size_t i = 0; i < index && value_next(&reader, &value); i++)
        times += value.key == key && !writer_is_flow(&value);
    return times;
}

// The key of the value at `index`: where others before it have the same, it gets a number.
static void writer_events_put_key(struct writer_events *events, struct arguments *arguments,
                                  uint32_t key, size_t index)
{
    struct bytes *to = &events->buffer;
    const uint64_t bit = 1ull << (key & 63);
    const bool again = (arguments->seen & bit) != 0;
    const unsigned times = again ? times_before(arguments->values, key, index) : 1;
    arguments->seen |= bit;
    if (arguments->count++ > 0)
        text_put(to, ",");
    else
        text_put(to, ",\"args\":{");
    writer_events_put_string(events, key);
    if (times > 1) {
        to->size--;
        bytes_append_format(to, " (%u)\"", times);
        events->losses.same_keys++;
    }
    text_put(to, ":");
}

static void writer_events_put_value(struct writer_events *events, const struct value *value)
{
    struct bytes *to = &events->buffer;
    switch (value->kind) {
    case VALUE_UINT:
        // Perfetto takes larger ones for -1.
        if (value->number > INT64_MAX)
            bytes_append_format(to, "\"%llu\"", (unsigned long long)value->number);
        else
            text_put_uint(to, value->number);
        break;
    case VALUE_INT:
        text_put_int(to, (int64_t)value->number);
        break;
    case VALUE_BOOL:
        text_put_view(to, view_of(value->number != 0 ? "true" : "false"));
        break;
    case VALUE_REAL:
        events->losses.not_numbers += isfinite(value->real) ? 0 : 1;
        text_put_real(to, value->real);
        break;
    case VALUE_STRING:
        writer_events_put_string(events, (uint32_t)value->number);
        break;
    case VALUE_TEXT:
        writer_events_put_quoted(events, value->text);
        break;
    case VALUE_JSON:
        text_put_json(to, value->text);
        break;
    default: // ticks
        bytes_append_format(to, "{\"start\":%llu,\"end\":%llu}", (unsigned long long)value->number,
                            (unsigned long long)value->end);
        break;
    }
}

static bool is_category(const struct writer_events *events, const struct value *value)
{
    return value->kind == VALUE_STRING && value->key == events->category_key;
}

// After those that stand in front of `*at`, and in front of the arguments that stand there.
static void writer_events_put_category(struct writer_events *events, uint32_t id, bool first,
                                       size_t *at)
{
    struct bytes *to = &events->buffer;
    struct bytes behind = {0};
    const struct view text = writer_events_quoted(events, id);
    bytes_append(&behind, to->data + *at, to->size - *at);
    to->size = *at;
    if (first)
        text_put(to, ",\"cat\":");
    else
        to->data[to->size - 1] = ',';
    text_put_view(to, first ? text : view_slice(text, 1, text.size));
    *at = to->size;
    bytes_append(to, behind.data, behind.size);
    bytes_free(&behind);
}

// Category and arguments, in one go; returns how many values are ends of flows.
static size_t writer_events_put_values(struct writer_events *events, struct arguments *arguments)
{
    struct value_reader reader = value_read(arguments->values);
    struct value value;
    size_t flows = 0;
    size_t categories = 0;
    size_t category_at = events->buffer.size;
    for (size_t i = 0; value_next(&reader, &value); i++) {
        if (writer_is_flow(&value)) {
            flows++;
        } else if (is_category(events, &value)) {
            writer_events_put_category(events, (uint32_t)value.number, categories++ == 0,
                                       &category_at);
        } else if (!events->no_arguments && value.provenance != PROVENANCE_DERIVED) {
            writer_events_put_key(events, arguments, value.key, i);
            writer_events_put_value(events, &value);
        }
    }
    return flows;
}

static uint32_t writer_events_location_of(struct writer_events *events, uint32_t call_id)
{
    if (call_id == 0)
        return 0;
    events->locations = memory_extend(events->locations, &events->location_count, call_id,
                                      sizeof *events->locations);
    if (events->locations[call_id] == 0) {
        const struct call *call = profile_call(events->profile, call_id);
        events->locations[call_id] =
            profile_operator(events->profile, call->operator_id)->location + 1;
    }
    return events->locations[call_id] - 1;
}

// Arguments that are no values of the event.
static void put_further(struct writer_events *events, struct arguments *arguments,
                        const struct event *event, bool cycles)
{
    const uint32_t location = writer_events_location_of(events, event->call);
    if (location != 0) {
        writer_events_put_key(events, arguments, events->location_key, SIZE_MAX);
        writer_events_put_string(events, location);
    }
    if (cycles) {
        writer_events_put_key(events, arguments, events->cycles_key, SIZE_MAX);
        text_put_uint(&events->buffer, event->end - event->start);
    }
}

// Events ----------------------------------------------------------------------

size_t writer_put_slice(struct writer_events *events, const struct writer_place *place,
                        const struct writer_lane *lane, const struct event *event,
                        struct view values, uint64_t start, uint64_t end)
{
    struct bytes *to = &events->buffer;
    struct arguments arguments = {.values = values};
    const bool span = event->kind == EVENT_SPAN;
    separate(events);
    if (span)
        text_put(to, "{\"ph\":\"X\",");
    else
        text_put(to, "{\"ph\":\"i\",\"s\":\"t\",");
    text_put_padded(to, bytes_view(&lane->head));
    text_put_time(to, start - events->base);
    if (span) {
        text_put(to, ",\"dur\":");
        text_put_time(to, end - start);
    }
    text_put(to, ",\"name\":");
    writer_events_put_string(events, event->name);
    const size_t flows = writer_events_put_values(events, &arguments);
    if (!events->no_arguments)
        put_further(events, &arguments, event, place->cycles && span);
    if (arguments.count > 0)
        text_put(to, "}");
    text_put(to, "}");
    return flows;
}

// At the start of its slice and after it in the file.
void writer_put_flow(struct writer_events *events, const struct writer_lane *lane,
                     const struct writer_flow *flow, uint64_t start)
{
    static const char *const HEADS[] = {[WRITER_FLOW_START] = "{\"ph\":\"s\",",
                                        [WRITER_FLOW_STEP] = "{\"ph\":\"t\",",
                                        [WRITER_FLOW_END] = "{\"ph\":\"f\",\"bp\":\"e\","};
    struct bytes *to = &events->buffer;
    separate(events);
    text_put_view(to, view_of(HEADS[flow->role]));
    text_put_padded(to, bytes_view(&lane->head));
    text_put_time(to, start - events->base);
    text_put(to, ",\"name\":\"flow\",\"cat\":\"flow\",\"id\":");
    text_put_uint(to, flow->number);
    text_put(to, "}");
}

static void put_sample_value(struct writer_events *events, const struct value *value)
{
    if (value->kind == VALUE_UINT && value->number > INT64_MAX)
        text_put_real(&events->buffer, (double)value->number);
    else if (value->kind == VALUE_BOOL)
        text_put_uint(&events->buffer, value->number);
    else
        writer_events_put_value(events, value);
}

void writer_put_sample(struct writer_events *events, const struct writer_places *places,
                       uint32_t track, struct view values, uint64_t start)
{
    const struct writer_place *place = &places->places[track];
    const struct track *counter = profile_track(events->profile, track);
    const uint32_t pid = places->processes[place->process].pid;
    struct bytes *to = &events->buffer;
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != 0 || value.kind > VALUE_REAL)
            continue;
        if (value.kind == VALUE_REAL && !isfinite(value.real)) {
            events->losses.samples++;
            continue;
        }
        separate(events);
        text_put(to, "{\"ph\":\"C\",\"pid\":");
        text_put_uint(to, pid);
        text_put(to, ",\"tid\":");
        text_put_uint(to, pid);
        text_put(to, ",\"ts\":");
        text_put_time(to, start - events->base);
        text_put(to, ",\"name\":");
        writer_events_put_string(events, counter->name);
        if (place->ambiguous)
            bytes_append_format(to, ",\"id\":%u", track);
        text_put(to, ",\"args\":{");
        if (counter->unit != 0)
            writer_events_put_string(events, counter->unit);
        else
            text_put(to, "\"value\"");
        text_put(to, ":");
        put_sample_value(events, &value);
        text_put(to, "}}");
    }
}
