#include "host_zones.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "profile/store.h"

// A zone that is still open where the next one begins, with the text of the operation that it is
// or lies in.
struct around {
    uint64_t end;
    struct view operation;
};

struct message {
    uint64_t time;
    uint64_t at; // of its text
    uint64_t size;
    uint64_t sequence;
};

struct exporter {
    struct profile *profile;
    struct spool *times;
    struct spool texts;    // of messages
    struct spool messages; // struct message
    uint64_t sequence;
    unsigned thread;
    struct around *open;
    size_t open_count;
    size_t open_capacity;
    struct bytes row;
    uint32_t text_key, zone_key, source_key, message_key;
};

// Names have no escapes in these files: what would end a cell is replaced.
static void put_cell(struct bytes *row, struct view text)
{
    const size_t from = row->size;
    bytes_append(row, text.data, text.size);
    for (size_t i = from; i < row->size; i++) {
        if (row->data[i] == ',')
            row->data[i] = ';';
        else if (row->data[i] == '\n' || row->data[i] == '\r')
            row->data[i] = ' ';
    }
    bytes_append(row, ",", 1);
}

struct zone_values {
    struct view text, name, source;
};

static struct zone_values host_zones_values(const struct exporter *exporter, struct view list)
{
    struct zone_values found = {VIEW_LITERAL(""), VIEW_LITERAL(""), VIEW_LITERAL("")};
    struct value_reader reader = value_read(list);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == exporter->text_key && value.kind == VALUE_TEXT)
            found.text = value.text;
        else if (value.key == exporter->zone_key && value.kind == VALUE_STRING)
            found.name = profile_text(exporter->profile, (uint32_t)value.number);
        else if (value.key == exporter->source_key && value.kind == VALUE_STRING)
            found.source = profile_text(exporter->profile, (uint32_t)value.number);
    }
    return found;
}

// As tt-metal calls csvexport: these functions say which operation they ran for.
static bool names_operation(struct view name)
{
    return view_is(name, "CompileProgram") || view_is(name, "HWCommandQueue_write_buffer");
}

static struct view enter_zone(struct exporter *exporter, const struct event *event,
                              struct view name, struct view text)
{
    while (exporter->open_count > 0 && exporter->open[exporter->open_count - 1].end <= event->start)
        exporter->open_count--;
    const struct view outer = exporter->open_count > 0
                                  ? exporter->open[exporter->open_count - 1].operation
                                  : VIEW_LITERAL("");
    const bool is_operation = view_find_text(name, "TT_") < name.size;
    exporter->open = memory_grow(exporter->open, exporter->open_count, &exporter->open_capacity,
                                 sizeof *exporter->open);
    exporter->open[exporter->open_count++] =
        (struct around){event->end, is_operation ? text : outer};
    return outer;
}

static status export_zone(struct exporter *exporter, const struct event *event, struct view list)
{
    const struct zone_values values = host_zones_values(exporter, list);
    const struct view name = profile_text(exporter->profile, event->name);
    const struct view outer = enter_zone(exporter, event, name, values.text);
    const size_t colon = view_find_last(values.source, ':');
    struct bytes *row = &exporter->row;
    row->size = 0;
    put_cell(row, name);
    put_cell(row, view_slice(values.source, 0, colon));
    put_cell(row, colon < values.source.size
                      ? view_slice(values.source, colon + 1, values.source.size)
                      : VIEW_LITERAL("0"));
    put_cell(row, values.name);
    put_cell(row, values.text);
    bytes_append_format(row, "%llu,%llu,%u,", (unsigned long long)event->start,
                        (unsigned long long)(event->end - event->start), exporter->thread);
    put_cell(row, names_operation(name) ? outer : VIEW_LITERAL(""));
    row->data[row->size - 1] = '\n';
    return spool_append(exporter->times, row->data, row->size);
}

static status keep_message(struct exporter *exporter, const struct event *event, struct view list)
{
    struct view text = profile_text(exporter->profile, event->name);
    struct value_reader reader = value_read(list);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == exporter->message_key && value.kind == VALUE_TEXT)
            text = value.text;
    }
    const struct message message = {event->start, spool_size(&exporter->texts), text.size,
                                    exporter->sequence++};
    STATUS_TRY(spool_append(&exporter->texts, text.data, text.size));
    return spool_append(&exporter->messages, &message, sizeof message);
}

static status export_track(struct exporter *exporter, uint32_t track)
{
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    status result = STATUS_OK;
    exporter->open_count = 0;
    exporter->thread++;
    STATUS_TRY(store_cursor_open(exporter->profile->store, track,
                                 profile_track(exporter->profile, track)->unsorted, &cursor));
    while (result == STATUS_OK && store_cursor_next(cursor, &event, &values)) {
        if (event.kind == EVENT_SPAN)
            result = export_zone(exporter, &event, values);
        else if (event.kind == EVENT_INSTANT)
            result = keep_message(exporter, &event, values);
    }
    store_cursor_free(cursor);
    return result;
}

static bool message_before(const void *a, const void *b)
{
    const struct message *x = a;
    const struct message *y = b;
    return x->time != y->time ? x->time < y->time : x->sequence < y->sequence;
}

static status export_messages(struct exporter *exporter, struct spool *data)
{
    char *texts;
    char *items;
    size_t text_size;
    size_t size;
    STATUS_TRY(spool_read(&exporter->texts, &texts, &text_size));
    STATUS_TRY(spool_read(&exporter->messages, &items, &size));
    struct message *messages = (struct message *)(void *)items;
    const size_t count = size / sizeof *messages;
    sort_in_place(messages, count, sizeof *messages, message_before);
    for (size_t i = 0; i < count; i++) {
        exporter->row.size = 0;
        bytes_append_format(&exporter->row, ";%llu\n", (unsigned long long)messages[i].time);
        STATUS_TRY(spool_append(data, texts + messages[i].at, messages[i].size));
        STATUS_TRY(spool_append(data, exporter->row.data, exporter->row.size));
    }
    return STATUS_OK;
}

static status export_all(struct exporter *exporter, struct spool *data)
{
    static const char TIMES[] = "name,src_file,src_line,zone_name,zone_text,ns_since_start,"
                                "exec_time_ns,thread,special_parent_text\n";
    static const char DATA[] = "MessageName;total_ns\n";
    STATUS_TRY(spool_append(exporter->times, TIMES, sizeof TIMES - 1));
    STATUS_TRY(spool_append(data, DATA, sizeof DATA - 1));
    for (uint32_t i = 1; i < exporter->profile->tracks.count; i++) {
        const struct track *track = profile_track(exporter->profile, i);
        if (track->kind == TRACK_LANE && track->role == ROLE_HOST)
            STATUS_TRY(export_track(exporter, i));
    }
    return export_messages(exporter, data);
}

status host_zones_export(struct profile *profile, struct spool *times, struct spool *data)
{
    struct exporter exporter = {
        .profile = profile,
        .times = times,
        .texts = SPOOL_EMPTY,
        .messages = SPOOL_EMPTY,
        .text_key = profile_string(profile, VIEW_LITERAL("text")),
        .zone_key = profile_string(profile, VIEW_LITERAL("zone_name")),
        .source_key = profile_string(profile, VIEW_LITERAL("source")),
        .message_key = profile_string(profile, VIEW_LITERAL("message")),
    };
    const status result = export_all(&exporter, data);
    spool_free(&exporter.texts);
    spool_free(&exporter.messages);
    free(exporter.open);
    bytes_free(&exporter.row);
    return result;
}
