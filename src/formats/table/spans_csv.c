#include "spans_csv.h"

#include "base/output.h"
#include "formats/chrome/text.h"
#include "profile/store.h"
#include "wire/csv.h"

struct spans_csv {
    struct profile *profile;
    struct output *output;
    uint32_t category_key, role_key;
    bool no_arguments;
    uint64_t flows; // ends of them
    struct bytes row;
    struct bytes text; // of the field at hand
    // The track at hand:
    const struct track *track;
    const struct clock_domain *clock;
    struct bytes path;
    struct bytes process;
};

// One row before it is written.
struct spans_csv_row {
    const struct event *event;
    struct view values;
    uint32_t category; // string ids
    enum role role;
};

// Values ---------------------------------------------------------------------------

static bool is_flow(const struct value *value)
{
    return value->kind == VALUE_FLOW_OUT || value->kind == VALUE_FLOW_IN;
}

static void put_json(struct spans_csv *csv, const struct value *value)
{
    struct bytes *to = &csv->text;
    switch (value->kind) {
    case VALUE_INT:
        text_put_int(to, (int64_t)value->number);
        break;
    case VALUE_BOOL:
        text_put_view(to, view_of(value->number != 0 ? "true" : "false"));
        break;
    case VALUE_REAL:
        text_put_real(to, value->real);
        break;
    case VALUE_STRING:
        text_put_quoted(to, profile_text(csv->profile, (uint32_t)value->number));
        break;
    case VALUE_TEXT:
        text_put_quoted(to, value->text);
        break;
    case VALUE_JSON:
        text_put_json(to, value->text);
        break;
    case VALUE_TICKS:
        bytes_append_format(to, "{\"start\":%llu,\"end\":%llu}", (unsigned long long)value->number,
                            (unsigned long long)value->end);
        break;
    default:
        text_put_uint(to, value->number);
        break;
    }
}

// Category and role have columns, flows are arrows, and what is derived nobody wrote.
static bool is_argument(const struct spans_csv *csv, const struct value *value)
{
    return value->key != 0 && !is_flow(value) && value->provenance != PROVENANCE_DERIVED &&
           !(value->kind == VALUE_STRING && value->key == csv->category_key);
}

static void look_at_values(struct spans_csv *csv, struct spans_csv_row *row)
{
    struct value_reader reader = value_read(row->values);
    struct value value;
    while (value_next(&reader, &value)) {
        csv->flows += is_flow(&value);
        if (value.kind != VALUE_STRING)
            continue;
        if (value.key == csv->category_key && row->category == 0)
            row->category = (uint32_t)value.number;
        else if (value.key == csv->role_key)
            role_from_name(profile_text(csv->profile, (uint32_t)value.number), &row->role);
    }
}

// Columns --------------------------------------------------------------------------

static const struct operator_description *operator_of(const struct spans_csv *csv,
                                                      const struct spans_csv_row *row)
{
    return profile_operator(csv->profile,
                            profile_call(csv->profile, row->event->call)->operator_id);
}

static void put_track(struct spans_csv *csv, const struct spans_csv_row *row)
{
    (void)row;
    bytes_append(&csv->text, csv->path.data, csv->path.size);
}

static void put_process(struct spans_csv *csv, const struct spans_csv_row *row)
{
    (void)row;
    bytes_append(&csv->text, csv->process.data, csv->process.size);
}

static void put_thread(struct spans_csv *csv, const struct spans_csv_row *row)
{
    (void)row;
    text_put_view(&csv->text, profile_text(csv->profile, csv->track->name));
}

static void put_device(struct spans_csv *csv, const struct spans_csv_row *row)
{
    if (csv->track->device != 0)
        text_put_uint(&csv->text, csv->track->device - 1);
    else if (row->event->call != 0 && csv->track->role == ROLE_DEVICE)
        text_put_uint(&csv->text, profile_call(csv->profile, row->event->call)->device);
}

static void put_core(struct spans_csv *csv, const struct spans_csv_row *row)
{
    (void)row;
    if (csv->track->core != 0)
        text_put_uint(&csv->text, csv->track->core - 1);
}

static void put_engine(struct spans_csv *csv, const struct spans_csv_row *row)
{
    (void)row;
    text_put_view(&csv->text, profile_text(csv->profile, csv->track->engine));
}

static void put_role(struct spans_csv *csv, const struct spans_csv_row *row)
{
    if (row->role != ROLE_NONE)
        text_put_view(&csv->text, view_of(role_name(row->role)));
}

static void put_kind(struct spans_csv *csv, const struct spans_csv_row *row)
{
    static const char *const KINDS[] = {"span", "instant", "sample"};
    text_put_view(&csv->text, view_of(KINDS[row->event->kind]));
}

static void put_name(struct spans_csv *csv, const struct spans_csv_row *row)
{
    text_put_view(&csv->text, profile_text(csv->profile, row->event->name));
}

static void put_category(struct spans_csv *csv, const struct spans_csv_row *row)
{
    text_put_view(&csv->text, profile_text(csv->profile, row->category));
}

static void put_start(struct spans_csv *csv, const struct spans_csv_row *row)
{
    text_put_uint(&csv->text, clock_to_ns(csv->clock, row->event->start));
}

static void put_duration(struct spans_csv *csv, const struct spans_csv_row *row)
{
    if (row->event->kind == EVENT_SPAN)
        text_put_uint(&csv->text, clock_to_ns(csv->clock, row->event->end) -
                                      clock_to_ns(csv->clock, row->event->start));
}

static void put_sample(struct spans_csv *csv, const struct spans_csv_row *row)
{
    struct value_reader reader = value_read(row->values);
    struct value value;
    if (row->event->kind != EVENT_COUNTER)
        return;
    while (value_next(&reader, &value)) {
        if (value.key == 0 && value.kind <= VALUE_REAL) {
            put_json(csv, &value);
            return;
        }
    }
}

static void put_operator(struct spans_csv *csv, const struct spans_csv_row *row)
{
    const struct operator_description *op = operator_of(csv, row);
    text_put_view(&csv->text, profile_text(csv->profile, op->name != 0 ? op->name : op->location));
}

static void put_type(struct spans_csv *csv, const struct spans_csv_row *row)
{
    text_put_view(&csv->text, profile_text(csv->profile, operator_of(csv, row)->type));
}

static void put_iteration(struct spans_csv *csv, const struct spans_csv_row *row)
{
    if (row->event->call != 0)
        text_put_uint(&csv->text, profile_call(csv->profile, row->event->call)->iteration);
}

static void put_arguments(struct spans_csv *csv, const struct spans_csv_row *row)
{
    struct value_reader reader = value_read(row->values);
    struct value value;
    while (!csv->no_arguments && value_next(&reader, &value)) {
        if (!is_argument(csv, &value))
            continue;
        text_put(&csv->text, csv->text.size > 0 ? "," : "{");
        text_put_quoted(&csv->text, profile_text(csv->profile, value.key));
        text_put(&csv->text, ":");
        put_json(csv, &value);
    }
    if (csv->text.size > 0)
        text_put(&csv->text, "}");
}

static const struct {
    const char *name;
    void (*put)(struct spans_csv *csv, const struct spans_csv_row *row);
} COLUMNS[] = {
    {"track", put_track},         {"process", put_process},   {"thread", put_thread},
    {"device", put_device},       {"core", put_core},         {"engine", put_engine},
    {"role", put_role},           {"kind", put_kind},         {"name", put_name},
    {"category", put_category},   {"start_ns", put_start},    {"duration_ns", put_duration},
    {"value", put_sample},        {"operator", put_operator}, {"operator_type", put_type},
    {"iteration", put_iteration}, {"args", put_arguments},
};

enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

// Rows -----------------------------------------------------------------------------

static void end_row(struct spans_csv *csv)
{
    text_put(&csv->row, "\n");
    output_write(csv->output, csv->row.data, csv->row.size);
    csv->row.size = 0;
}

static void write_header(struct spans_csv *csv)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        bytes_append_format(&csv->row, "%s%s", i > 0 ? "," : "", COLUMNS[i].name);
    end_row(csv);
}

static void write_row(struct spans_csv *csv, const struct event *event, struct view values)
{
    struct spans_csv_row row = {.event = event, .values = values, .role = csv->track->role};
    look_at_values(csv, &row);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (i > 0)
            text_put(&csv->row, ",");
        csv->text.size = 0;
        COLUMNS[i].put(csv, &row);
        if (csv->text.size > 0)
            csv_field_append(&csv->row, bytes_view(&csv->text), ',');
    }
    end_row(csv);
}

// "outer / inner", up to a track.
static void append_path(const struct profile *profile, uint32_t id, struct bytes *to)
{
    enum { DEPTH_MOST = 64 };
    uint32_t above[DEPTH_MOST];
    size_t depth = 0;
    for (; id != 0 && depth < DEPTH_MOST; id = profile_track(profile, id)->parent)
        above[depth++] = id;
    while (depth > 0) {
        if (to->size > 0)
            text_put(to, " / ");
        text_put_view(to, profile_text(profile, profile_track(profile, above[--depth])->name));
    }
}

static status write_track(struct spans_csv *csv, uint32_t id)
{
    struct profile *profile = csv->profile;
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    csv->track = profile_track(profile, id);
    csv->clock = profile_clock(profile, csv->track->clock);
    csv->path.size = 0;
    csv->process.size = 0;
    append_path(profile, id, &csv->path);
    append_path(profile, csv->track->parent, &csv->process);
    STATUS_TRY(store_cursor_open(profile->store, id, csv->track->unsorted, &cursor));
    while (store_cursor_next(cursor, &event, &values))
        write_row(csv, &event, values);
    store_cursor_free(cursor);
    return STATUS_OK;
}

static status write_tracks(struct spans_csv *csv)
{
    write_header(csv);
    for (uint32_t i = 0; i < csv->profile->tracks.count; i++)
        STATUS_TRY(write_track(csv, i));
    return STATUS_OK;
}

// What a reader of the table may miss --------------------------------------------------

static void say_left_out(const struct spans_csv *csv, const char *what, uint64_t count)
{
    if (count > 0)
        profile_note(csv->profile, 0, LEDGER_REMARK, 1, "%s: %llu", what,
                     (unsigned long long)count);
}

static uint64_t count_inner_calls(const struct profile *profile)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < profile->calls.count; i++)
        count += profile_call(profile, i)->parent != 0;
    return count;
}

// What format and file it was, every reader says.
static uint64_t count_facts(const struct profile *profile)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&profile->facts, i);
        const struct view key = profile_text(profile, fact->key);
        count += !view_is(key, "format") && !view_is(key, "source");
    }
    return count;
}

static void say_all_left_out(const struct spans_csv *csv)
{
    const struct profile *profile = csv->profile;
    say_left_out(csv, "ends of flows left out: a table of events has none", csv->flows);
    say_left_out(csv, "calls whose callers are left out: a table of events has no tree",
                 count_inner_calls(profile));
    say_left_out(csv, "facts left out: they are no events", count_facts(profile));
    say_left_out(csv, "lifetimes of buffers left out: they are no events", profile->buffers.count);
}

status spans_csv_write(struct profile *profile, const char *path, bool no_arguments)
{
    struct spans_csv csv = {.profile = profile,
                            .category_key =
                                strings_find(&profile->strings, VIEW_LITERAL("category")),
                            .role_key = strings_find(&profile->strings, VIEW_LITERAL("role")),
                            .no_arguments = no_arguments};
    STATUS_TRY(output_open(path, &csv.output));
    const status result = output_finish(csv.output, write_tracks(&csv));
    if (result == STATUS_OK)
        say_all_left_out(&csv);
    bytes_free(&csv.row);
    bytes_free(&csv.text);
    bytes_free(&csv.path);
    bytes_free(&csv.process);
    return result;
}
