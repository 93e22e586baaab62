#include "as_written_writer.h"

#include <math.h>

#include "as_written.h"
#include "profile/store.h"
#include "text.h"
#include "writer_file.h"

enum { FLUSH = 500 * 1024 };

struct as_written_keys {
    uint32_t category, scope, pid, tid, flow, flow_id, flow_at;
};

// An end of a flow, put together from the values after it.
struct flow_event {
    bool ends;
    uint32_t label;
    struct value id;
    int64_t later;
};

struct as_written_writer {
    struct profile *profile;
    struct writer_file *file;
    struct as_written_keys keys;
    struct bytes buffer;
    struct bytes head;      // of the events of a track: "pid":1,"tid":2,"ts":
    struct bytes arguments; // of the event at hand
    struct bytes flows;     // after it
    uint64_t base;          // ns that times are written from
    bool first;             // no event is in the file yet
    uint64_t bad_texts;
    uint64_t not_numbers;
};

// What was kept --------------------------------------------------------------------

static struct view kept(const struct profile *profile, const char *key)
{
    const uint32_t id = strings_find(&profile->strings, view_of(key));
    struct value_reader reader = value_read(profile_track(profile, 0)->values);
    struct value value;
    while (id != HASH_NONE && value_next(&reader, &value)) {
        if (value.key == id && value.kind == VALUE_JSON && value.text.size >= 2)
            return value.text;
    }
    return VIEW_LITERAL("");
}

bool as_written_is_kept(const struct profile *profile)
{
    return kept(profile, AS_WRITTEN_METADATA).size > 0;
}

// Values ---------------------------------------------------------------------------

static void put_text(struct as_written_writer *writer, struct bytes *to, struct view text)
{
    if (!text_put_quoted(to, text))
        writer->bad_texts++;
}

static void put_id(struct as_written_writer *writer, struct bytes *to, uint32_t id)
{
    put_text(writer, to, profile_text(writer->profile, id));
}

static void put_value(struct as_written_writer *writer, struct bytes *to, const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        text_put_int(to, (int64_t)value->number);
        break;
    case VALUE_BOOL:
        text_put_view(to, view_of(value->number != 0 ? "true" : "false"));
        break;
    case VALUE_REAL:
        writer->not_numbers += isfinite(value->real) ? 0 : 1;
        text_put_real(to, value->real);
        break;
    case VALUE_STRING:
        put_id(writer, to, (uint32_t)value->number);
        break;
    case VALUE_TEXT:
        put_text(writer, to, value->text);
        break;
    case VALUE_JSON:
        text_put_json(to, value->text);
        break;
    default:
        text_put_uint(to, value->number);
        break;
    }
}

static void put_argument(struct as_written_writer *writer, const struct value *value)
{
    struct bytes *to = &writer->arguments;
    text_put(to, to->size > 0 ? "," : "{");
    put_id(writer, to, value->key);
    text_put(to, ":");
    put_value(writer, to, value);
}

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_UINT || value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

static bool is_derived(const struct value *value)
{
    return value->provenance == PROVENANCE_DERIVED;
}

// A number as it is written, after the number.
static bool is_spelling(const struct value *value, const struct value *before)
{
    return is_derived(value) && value->kind == VALUE_JSON && before->key == value->key &&
           is_number(before) && !is_derived(before);
}

// Times ----------------------------------------------------------------------------

static void put_time(const struct as_written_writer *writer, struct bytes *to, uint64_t ns)
{
    if (ns < writer->base)
        text_put(to, "-");
    text_put_time(to, ns < writer->base ? writer->base - ns : ns - writer->base);
}

static void separate(struct as_written_writer *writer)
{
    if (!writer->first)
        text_put(&writer->buffer, ",\n");
    writer->first = false;
}

// Flows ----------------------------------------------------------------------------

struct flow_label {
    struct view category, name, phase;
};

// Takes a long label (as_written.h) apart; what is none is a category.
static void take_apart(struct view label, struct flow_label *out_label)
{
    uint64_t size;
    if (label.size == 0 || label.data[0] != '\n')
        return;
    const struct view lines = view_slice(label, 1, label.size);
    const size_t first = view_find(lines, '\n');
    if (first == 0 || first == lines.size)
        return;
    const struct view sized = view_slice(lines, first + 1, lines.size);
    const size_t second = view_find(sized, '\n');
    if (second == sized.size || !view_to_u64(view_slice(sized, 0, second), &size))
        return;
    const struct view texts = view_slice(sized, second + 1, sized.size);
    if (size > texts.size)
        return;
    *out_label = (struct flow_label){.category = view_slice(texts, 0, (size_t)size),
                                     .name = view_slice(texts, (size_t)size, texts.size),
                                     .phase = view_slice(lines, 0, first)};
}

static void put_label(struct as_written_writer *writer, const struct flow_event *flow)
{
    struct bytes *to = &writer->flows;
    const struct view text = profile_text(writer->profile, flow->label);
    struct flow_label label = {text, text, flow->ends ? VIEW_LITERAL("fe") : VIEW_LITERAL("s")};
    take_apart(text, &label);
    text_put(to, "{\"ph\":");
    put_text(writer, to, view_slice(label.phase, 0, 1));
    if (label.category.size > 0) {
        text_put(to, ",\"cat\":");
        put_text(writer, to, label.category);
    }
    text_put(to, ",\"name\":");
    put_text(writer, to, label.name);
    if (label.phase.size > 1)
        text_put(to, ",\"bp\":\"e\"");
}

static void put_flow(struct as_written_writer *writer, struct flow_event *flow, uint64_t start)
{
    struct bytes *to = &writer->flows;
    if (flow->label != 0) {
        text_put(to, ",\n");
        put_label(writer, flow);
        text_put(to, ",\"id\":");
        put_value(writer, to, &flow->id);
        text_put(to, ",");
        text_put_view(to, bytes_view(&writer->head));
        put_time(writer, to, start + (uint64_t)flow->later);
        text_put(to, "}");
    }
    *flow = (struct flow_event){0};
}

static void take_flow_value(struct as_written_writer *writer, const struct value *value,
                            struct flow_event *flow)
{
    const struct as_written_keys *keys = &writer->keys;
    if (value->key == keys->flow && value->kind == VALUE_STRING)
        flow->label = (uint32_t)value->number;
    else if (value->key == keys->flow_id)
        flow->id = *value;
    else if (value->key == keys->flow_at && value->kind == VALUE_INT)
        flow->later = (int64_t)value->number;
}

// Events ---------------------------------------------------------------------------

// What is derived is no argument: a member of the event, or what a flow is like.
static void take_derived(struct as_written_writer *writer, const struct value *value,
                         struct flow_event *flow)
{
    struct bytes *to = &writer->buffer;
    if (value->key == writer->keys.scope && value->kind == VALUE_TEXT)
        return;
    if (value->kind != VALUE_JSON) {
        take_flow_value(writer, value, flow);
        return;
    }
    text_put(to, ",");
    put_id(writer, to, value->key);
    text_put(to, ":");
    put_value(writer, to, value);
}

static void put_values(struct as_written_writer *writer, struct view values, uint64_t start)
{
    struct value_reader reader = value_read(values);
    struct value value;
    struct value number = {0}; // that its spelling may follow
    struct flow_event flow = {0};
    while (value_next(&reader, &value)) {
        const bool spelled = number.key != 0 && is_spelling(&value, &number);
        if (number.key != 0)
            put_argument(writer, spelled ? &value : &number);
        number.key = 0;
        if (spelled)
            continue;
        if (value.kind == VALUE_FLOW_OUT || value.kind == VALUE_FLOW_IN) {
            put_flow(writer, &flow, start);
            flow.ends = value.kind == VALUE_FLOW_IN;
        } else if (is_derived(&value)) {
            take_derived(writer, &value, &flow);
        } else if (value.kind == VALUE_STRING && value.key == writer->keys.category) {
            text_put(&writer->buffer, ",\"cat\":");
            put_id(writer, &writer->buffer, (uint32_t)value.number);
        } else if (is_number(&value) && value.key != 0) {
            number = value;
        } else if (value.key != 0) {
            put_argument(writer, &value);
        }
    }
    if (number.key != 0)
        put_argument(writer, &number);
    put_flow(writer, &flow, start);
}

static struct view scope_of(const struct as_written_writer *writer, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == writer->keys.scope && value.kind == VALUE_TEXT && is_derived(&value))
            return value.text;
    }
    return VIEW_LITERAL("t");
}

static void put_slice(struct as_written_writer *writer, const struct event *event,
                      struct view values, uint64_t start, uint64_t end)
{
    struct bytes *to = &writer->buffer;
    const bool span = event->kind == EVENT_SPAN;
    separate(writer);
    text_put(to, "{");
    if (span) {
        text_put(to, "\"ph\":\"X\",");
    } else {
        text_put(to, "\"ph\":\"i\",\"s\":");
        put_text(writer, to, scope_of(writer, values));
        text_put(to, ",");
    }
    text_put_view(to, bytes_view(&writer->head));
    put_time(writer, to, start);
    if (span) {
        text_put(to, ",\"dur\":");
        text_put_time(to, end - start);
    }
    text_put(to, ",\"name\":");
    put_id(writer, to, event->name);
    writer->arguments.size = 0;
    writer->flows.size = 0;
    put_values(writer, values, start);
    if (writer->arguments.size > 0) {
        text_put(to, ",\"args\":");
        text_put_view(to, bytes_view(&writer->arguments));
        text_put(to, "}");
    }
    text_put(to, "}");
    bytes_append(to, writer->flows.data, writer->flows.size);
}

static void put_sample(struct as_written_writer *writer, const struct track *counter,
                       struct view values, uint64_t start)
{
    struct bytes *to = &writer->buffer;
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != 0 || value.kind > VALUE_REAL)
            continue;
        separate(writer);
        text_put(to, "{\"ph\":\"C\",");
        text_put_view(to, bytes_view(&writer->head));
        put_time(writer, to, start);
        text_put(to, ",\"name\":");
        put_id(writer, to, counter->name);
        text_put(to, ",\"args\":{");
        put_text(writer, to,
                 counter->unit != 0 ? profile_text(writer->profile, counter->unit)
                                    : VIEW_LITERAL("value"));
        text_put(to, ":");
        put_value(writer, to, &value);
        text_put(to, "}}");
    }
}

// Tracks ---------------------------------------------------------------------------

static void put_place(struct as_written_writer *writer, const struct track *track, uint32_t key,
                      const char *name)
{
    struct value_reader reader = value_read(track->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != key)
            continue;
        text_put_quoted(&writer->head, view_of(name));
        text_put(&writer->head, ":");
        put_value(writer, &writer->head, &value);
        text_put(&writer->head, ",");
        return;
    }
}

static void find_head(struct as_written_writer *writer, const struct track *track)
{
    const struct track *process = profile_track(writer->profile, track->parent);
    writer->head.size = 0;
    put_place(writer, track->kind == TRACK_LANE ? track : process, writer->keys.pid, "pid");
    if (writer->head.size == 0)
        put_place(writer, process, writer->keys.pid, "pid");
    put_place(writer, track, writer->keys.tid, "tid");
    text_put(&writer->head, "\"ts\":");
}

static status write_track(struct as_written_writer *writer, uint32_t id)
{
    const struct track *track = profile_track(writer->profile, id);
    const struct clock_domain *clock = profile_clock(writer->profile, track->clock);
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    STATUS_TRY(store_cursor_open(writer->profile->store, id, track->unsorted, &cursor));
    find_head(writer, track);
    while (store_cursor_next(cursor, &event, &values)) {
        const uint64_t start = clock_to_ns(clock, event.start);
        if (event.kind == EVENT_COUNTER)
            put_sample(writer, track, values, start);
        else
            put_slice(writer, &event, values, start, clock_to_ns(clock, event.end));
        if (writer->buffer.size > FLUSH)
            writer_file_put(writer->file, &writer->buffer);
    }
    store_cursor_free(cursor);
    return STATUS_OK;
}

static status write_events(struct as_written_writer *writer, struct view metadata)
{
    const struct view inner = view_slice(metadata, 1, metadata.size - 1);
    text_put_view(&writer->buffer, inner);
    writer->first = inner.size == 0;
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++)
        STATUS_TRY(write_track(writer, i));
    return STATUS_OK;
}

static status write_file(struct as_written_writer *writer, const char *path)
{
    const struct view members = kept(writer->profile, AS_WRITTEN_MEMBERS);
    struct bytes *to = &writer->buffer;
    STATUS_TRY(writer_file_open(path, &writer->file));
    if (members.size > 0) {
        text_put_view(to, view_slice(members, 0, members.size - 1));
        text_put_view(to, view_of(members.size > 2 ? ",\n\"traceEvents\":" : "\"traceEvents\":"));
    }
    text_put(to, "[\n");
    const status result = write_events(writer, kept(writer->profile, AS_WRITTEN_METADATA));
    text_put_view(to, view_of(members.size > 0 ? "\n]}\n" : "\n]\n"));
    writer_file_put(writer->file, to);
    return writer_file_close(writer->file, result);
}

static void note_losses(const struct as_written_writer *writer)
{
    if (writer->bad_texts > 0)
        profile_note(writer->profile, 0, LEDGER_NOT_CARRIED, writer->bad_texts,
                     "Chrome trace: texts with bytes that are no UTF-8, which are replaced: %llu",
                     (unsigned long long)writer->bad_texts);
    if (writer->not_numbers > 0)
        profile_note(writer->profile, 0, LEDGER_REMARK, writer->not_numbers,
                     "Chrome trace: arguments that are no numbers, written as texts: %llu",
                     (unsigned long long)writer->not_numbers);
}

status as_written_write(struct profile *profile, const char *path)
{
    uint64_t base;
    const struct strings *strings = &profile->strings;
    const struct view members = kept(profile, AS_WRITTEN_MEMBERS);
    struct as_written_writer writer = {
        .profile = profile,
        .keys = {.category = strings_find(strings, VIEW_LITERAL("category")),
                 .scope = strings_find(strings, VIEW_LITERAL("scope")),
                 .pid = strings_find(strings, VIEW_LITERAL("pid")),
                 .tid = strings_find(strings, VIEW_LITERAL("tid")),
                 .flow = strings_find(strings, VIEW_LITERAL(AS_WRITTEN_FLOW)),
                 .flow_id = strings_find(strings, VIEW_LITERAL(AS_WRITTEN_FLOW_ID)),
                 .flow_at = strings_find(strings, VIEW_LITERAL(AS_WRITTEN_FLOW_AT))}};
    if (chrome_number_of(chrome_find(members, "baseTimeNanoseconds"), &base) && base < INT64_MAX)
        writer.base = base;
    const status result = write_file(&writer, path);
    if (result == STATUS_OK)
        note_losses(&writer);
    bytes_free(&writer.buffer);
    bytes_free(&writer.head);
    bytes_free(&writer.arguments);
    bytes_free(&writer.flows);
    return result;
}
