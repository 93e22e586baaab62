#include "writer_events.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/track_source.h"
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
    free(events->values.items);
    free(events->locations);
    arena_free(&events->arena);
}

static void put_quoted(struct writer_events *events, struct view text)
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
    events->quoted[id] = arena_copy(&events->arena, bytes_view(&text));
    bytes_free(&text);
}

static inline struct view quoted(struct writer_events *events, uint32_t id)
{
    if (id >= events->quoted_count || events->quoted[id].size == 0)
        quote(events, id);
    return events->quoted[id];
}

static void put_string(struct writer_events *events, uint32_t id)
{
    text_put_view(&events->buffer, quoted(events, id));
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
    put_quoted(events, text.size > 0 ? text : VIEW_LITERAL("profile"));
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
        put_string(events, (uint32_t)value.number);
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
    char line[128];
    const size_t size = track_source_describe(events->profile, source, line, sizeof line);
    put_metadata_head(events, "thread_name", pid, lane->tid);
    text_put(&events->buffer, "\"name\":");
    put_string(events, source->name);
    if (size > 0) {
        text_put(&events->buffer, ",\"description\":");
        put_quoted(events, (struct view){line, size});
    }
    text_put(&events->buffer, "}}");
    put_sort_index(events, "thread_sort_index", pid, lane->tid, place->order);
}

// Arguments -------------------------------------------------------------------

void writer_take_values(struct writer_events *events, struct view list)
{
    struct writer_values *values = &events->values;
    struct value_reader reader = value_read(list);
    values->count = 0;
    values->flow_count = 0;
    values->has_category = false;
    for (;;) {
        values->items =
            memory_grow(values->items, values->count, &values->capacity, sizeof *values->items);
        struct value *value = &values->items[values->count];
        if (!value_next(&reader, value))
            return;
        values->flow_count += writer_is_flow(value);
        values->has_category |= value->key == events->category_key;
        values->count++;
    }
}

// The keys of the object at hand, to see whether one comes twice.
struct keys {
    uint64_t seen; // a bit for each of 64 kinds of keys
    size_t count;
};

static unsigned times_before(const struct writer_values *values, uint32_t key, size_t index)
{
    unsigned times = 1;
    for (size_t i = 0; i < index; i++)
        times += values->items[i].key == key && !writer_is_flow(&values->items[i]);
    return times;
}

// The key of the value at `index`: where others before it have the same, it gets a number.
static void put_key(struct writer_events *events, struct keys *keys, uint32_t key, size_t index)
{
    struct bytes *to = &events->buffer;
    const uint64_t bit = 1ull << (key & 63);
    text_put(to, keys->count++ > 0 ? "," : ",\"args\":{");
    const unsigned times = (keys->seen & bit) != 0 ? times_before(&events->values, key, index) : 1;
    keys->seen |= bit;
    put_string(events, key);
    if (times > 1) {
        to->size--;
        bytes_append_format(to, " (%u)\"", times);
        events->losses.same_keys++;
    }
    text_put(to, ":");
}

static void put_value(struct writer_events *events, const struct value *value)
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
        text_put(to, value->number != 0 ? "true" : "false");
        break;
    case VALUE_REAL:
        events->losses.not_numbers += isfinite(value->real) ? 0 : 1;
        text_put_real(to, value->real);
        break;
    case VALUE_STRING:
        put_string(events, (uint32_t)value->number);
        break;
    case VALUE_TEXT:
        put_quoted(events, value->text);
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

static void put_category(struct writer_events *events)
{
    bool found = false;
    for (size_t i = 0; i < events->values.count; i++) {
        const struct value *value = &events->values.items[i];
        if (!is_category(events, value))
            continue;
        const struct view text = quoted(events, (uint32_t)value->number);
        text_put(&events->buffer, found ? "," : ",\"cat\":\"");
        text_put_view(&events->buffer, view_slice(text, 1, text.size - 1));
        found = true;
    }
    if (found)
        text_put(&events->buffer, "\"");
}

static uint32_t location_of(struct writer_events *events, uint32_t call_id)
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

static void put_arguments(struct writer_events *events, const struct event *event, bool cycles)
{
    const struct writer_values *values = &events->values;
    struct keys keys = {0};
    for (size_t i = 0; i < values->count; i++) {
        const struct value *value = &values->items[i];
        if (writer_is_flow(value) || is_category(events, value))
            continue;
        put_key(events, &keys, value->key, i);
        put_value(events, value);
    }
    const uint32_t location = location_of(events, event->call);
    if (location != 0) {
        put_key(events, &keys, events->location_key, values->count);
        put_string(events, location);
    }
    if (cycles) {
        put_key(events, &keys, events->cycles_key, values->count);
        text_put_uint(&events->buffer, event->end - event->start);
    }
    if (keys.count > 0)
        text_put(&events->buffer, "}");
}

// Events ----------------------------------------------------------------------

void writer_put_slice(struct writer_events *events, const struct writer_place *place,
                      const struct writer_lane *lane, const struct event *event, uint64_t start,
                      uint64_t end)
{
    struct bytes *to = &events->buffer;
    const bool span = event->kind == EVENT_SPAN;
    separate(events);
    text_put(to, span ? "{\"ph\":\"X\"," : "{\"ph\":\"i\",\"s\":\"t\",");
    text_put_view(to, bytes_view(&lane->head));
    text_put_time(to, start - events->base);
    if (span) {
        text_put(to, ",\"dur\":");
        text_put_time(to, end - start);
    }
    text_put(to, ",\"name\":");
    put_string(events, event->name);
    if (events->values.has_category)
        put_category(events);
    if (!events->no_arguments)
        put_arguments(events, event, place->cycles && span);
    text_put(to, "}");
}

// At the start of its slice and behind it in the file.
void writer_put_flow(struct writer_events *events, const struct writer_lane *lane,
                     const struct writer_flow *flow, uint64_t start)
{
    static const char *const HEADS[] = {[WRITER_FLOW_START] = "{\"ph\":\"s\",",
                                        [WRITER_FLOW_STEP] = "{\"ph\":\"t\",",
                                        [WRITER_FLOW_END] = "{\"ph\":\"f\",\"bp\":\"e\","};
    struct bytes *to = &events->buffer;
    separate(events);
    text_put(to, HEADS[flow->role]);
    text_put_view(to, bytes_view(&lane->head));
    text_put_time(to, start - events->base);
    text_put(to, ",\"name\":\"flow\",\"cat\":\"flow\",\"id\":");
    text_put_uint(to, flow->flow);
    text_put(to, "}");
}

static void put_sample_value(struct writer_events *events, const struct value *value)
{
    if (value->kind == VALUE_UINT && value->number > INT64_MAX)
        text_put_real(&events->buffer, (double)value->number);
    else if (value->kind == VALUE_BOOL)
        text_put_uint(&events->buffer, value->number);
    else
        put_value(events, value);
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
        put_string(events, counter->name);
        if (place->ambiguous)
            bytes_append_format(to, ",\"id\":%u", track);
        text_put(to, ",\"args\":{");
        if (counter->unit != 0)
            put_string(events, counter->unit);
        else
            text_put(to, "\"value\"");
        text_put(to, ":");
        put_sample_value(events, &value);
        text_put(to, "}}");
    }
}
