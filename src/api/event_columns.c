#include "event_columns.h"

#include <stdlib.h>

#include "analysis/span_groups.h"
#include "base/memory.h"
#include "profile/store.h"

// Columns that events may have; each is filled by its own rule.
enum event_column {
    EVENT_NAME,
    EVENT_START,
    EVENT_DURATION,
    EVENT_VALUE,
    EVENT_UNIT,
    EVENT_TRACK,
    EVENT_LANE,
    EVENT_PROCESS,
    EVENT_ROLE,
    EVENT_DEVICE,
    EVENT_CATEGORY,
    EVENT_OPERATOR,
    EVENT_CALL,
    EVENT_COLUMNS,
};

enum { OF_SPANS = 1, OF_INSTANTS = 2, OF_SAMPLES = 4, OF_ALL = 7 };

static const struct {
    const char *name, *unit, *meaning;
    uint32_t kind;
    unsigned of; // which events have it
} COLUMNS[EVENT_COLUMNS] = {
    [EVENT_NAME] = {"name", "", "of the event", OPSCOPE_COLUMN_TEXT, OF_SPANS | OF_INSTANTS},
    [EVENT_START] = {"start_ns", "ns", "on the profile's time axis", OPSCOPE_COLUMN_UINT, OF_ALL},
    [EVENT_DURATION] = {"duration_ns", "ns", "from start to end", OPSCOPE_COLUMN_UINT, OF_SPANS},
    [EVENT_VALUE] = {"value", "", "of the counter", OPSCOPE_COLUMN_REAL, OF_SAMPLES},
    [EVENT_UNIT] = {"unit", "", "of the value", OPSCOPE_COLUMN_TEXT, OF_SAMPLES},
    [EVENT_TRACK] = {"track", "", "id of the track that it lies on", OPSCOPE_COLUMN_UINT, OF_ALL},
    [EVENT_LANE] = {"lane", "", "name of that track", OPSCOPE_COLUMN_TEXT, OF_ALL},
    [EVENT_PROCESS] = {"process", "", "that the track is part of", OPSCOPE_COLUMN_TEXT, OF_ALL},
    [EVENT_ROLE] = {"role", "", "what the work is", OPSCOPE_COLUMN_TEXT, OF_SPANS | OF_INSTANTS},
    [EVENT_DEVICE] = {"device", "", "which one of several", OPSCOPE_COLUMN_UINT, OF_ALL},
    [EVENT_CATEGORY] = {"category", "", "as the trace names it", OPSCOPE_COLUMN_TEXT,
                        OF_SPANS | OF_INSTANTS},
    [EVENT_OPERATOR] = {"operator", "", "whose call it belongs to", OPSCOPE_COLUMN_TEXT,
                        OF_SPANS | OF_INSTANTS},
    [EVENT_CALL] = {"call", "", "id of that call", OPSCOPE_COLUMN_UINT, OF_SPANS | OF_INSTANTS},
};

// Texts of the profile that a column has already: its own number + 1.
struct known_texts {
    uint32_t *texts;
    size_t count;
};

enum name_verdict { NAME_NEW, NAME_IN, NAME_OUT };

struct event_filler {
    struct profile *profile;
    enum event_kind kind;
    const struct opscope_table_options *options;
    struct opscope_table *table;
    size_t at[EVENT_COLUMNS]; // index in the table + 1; 0: not asked for
    struct known_texts known[EVENT_COLUMNS];
    uint32_t *argument_keys; // string ids
    size_t argument_count;
    size_t first_argument;   // index in the table
    uint8_t *verdicts;       // enum name_verdict by name
    size_t verdict_count;    //
    uint32_t category, role; // keys
    const struct track *track;
    uint32_t track_id;
    uint32_t process; // string id; 0: none
};

// Words of lists ------------------------------------------------------------------

bool columns_next_word(struct view *list, struct view *out_word)
{
    if (list->data == NULL)
        return false;
    const size_t end = view_find(*list, ',');
    *out_word = view_trim(view_slice(*list, 0, end));
    *list = end < list->size ? view_slice(*list, end + 1, list->size) : (struct view){0};
    return true;
}

bool columns_wanted(const char *list, struct view word)
{
    struct view rest = list != NULL ? view_of(list) : (struct view){0};
    struct view wanted;
    while (columns_next_word(&rest, &wanted)) {
        if (view_equal(wanted, word))
            return true;
    }
    return list == NULL;
}

// Rows ----------------------------------------------------------------------------

static struct column *filler_column(struct event_filler *filler, enum event_column which)
{
    return filler->at[which] > 0 ? &filler->table->columns[filler->at[which] - 1] : NULL;
}

static void add_whole(struct event_filler *filler, enum event_column which, bool is_there,
                      uint64_t number)
{
    struct column *column = filler_column(filler, which);
    if (column == NULL)
        return;
    if (is_there)
        column_add_whole(column, number);
    else
        column_add_absent(column);
}

// A text of the profile; 0, where `may_lack`, is none.
static void add_text(struct event_filler *filler, enum event_column which, uint32_t text,
                     bool may_lack)
{
    struct column *column = filler_column(filler, which);
    if (column == NULL)
        return;
    if (may_lack && text == 0) {
        column_add_absent(column);
        return;
    }
    struct known_texts *known = &filler->known[which];
    known->texts = memory_extend(known->texts, &known->count, text, sizeof *known->texts);
    if (known->texts[text] == 0)
        known->texts[text] = column_text(column, profile_text(filler->profile, text)) + 1;
    column_add_known_text(column, known->texts[text] - 1);
}

static void add_role(struct event_filler *filler, enum role role)
{
    struct column *column = filler_column(filler, EVENT_ROLE);
    if (column == NULL)
        return;
    if (role == ROLE_NONE)
        column_add_absent(column);
    else
        column_add_text(column, view_of(role_name(role)));
}

static void add_value(struct event_filler *filler, struct column *column, const struct value *value)
{
    switch (value->kind) {
    case VALUE_UINT:
        column_add_whole(column, value->number);
        break;
    case VALUE_INT:
        column_add_signed(column, (int64_t)value->number);
        break;
    case VALUE_BOOL:
        column_add_flag(column, value->number != 0);
        break;
    case VALUE_REAL:
        column_add_real(column, value->real);
        break;
    case VALUE_STRING:
        column_add_text(column, profile_text(filler->profile, (uint32_t)value->number));
        break;
    case VALUE_TEXT:
    case VALUE_JSON:
        column_add_text(column, value->text);
        break;
    default:
        column_add_absent(column);
    }
}

static void add_arguments(struct event_filler *filler, struct view values)
{
    for (size_t i = 0; i < filler->argument_count; i++) {
        struct column *column = &filler->table->columns[filler->first_argument + i];
        struct value_reader reader = value_read(values);
        struct value value;
        bool found = false;
        while (!found && value_next(&reader, &value))
            found = value.key == filler->argument_keys[i] && value.key != 0;
        if (found)
            add_value(filler, column, &value);
        else
            column_add_absent(column);
    }
}

// What a span says of itself, before what its track says.
static void add_said(struct event_filler *filler, struct view values)
{
    uint32_t category = 0;
    enum role role = filler->track->role;
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.kind != VALUE_STRING)
            continue;
        if (value.key == filler->category && category == 0)
            category = (uint32_t)value.number;
        else if (value.key == filler->role)
            role_from_name(profile_text(filler->profile, (uint32_t)value.number), &role);
    }
    add_text(filler, EVENT_CATEGORY, category, true);
    add_role(filler, role);
}

static bool is_wanted(struct event_filler *filler, const struct event *event, uint64_t start,
                      uint64_t end)
{
    const struct opscope_table_options *options = filler->options;
    if (event->kind != filler->kind || end < options->from_ns ||
        (options->to_ns != 0 && start >= options->to_ns))
        return false;
    if (options->filter == NULL)
        return true;
    filler->verdicts = memory_extend(filler->verdicts, &filler->verdict_count, event->name,
                                     sizeof *filler->verdicts);
    if (filler->verdicts[event->name] == NAME_NEW) {
        const struct view name = profile_text(filler->profile, event->name);
        const bool matches = span_name_matches(name, view_of(options->filter));
        filler->verdicts[event->name] = matches ? NAME_IN : NAME_OUT;
    }
    return filler->verdicts[event->name] == NAME_IN;
}

static void add_sample(struct event_filler *filler, struct view values)
{
    struct column *column = filler_column(filler, EVENT_VALUE);
    double sample;
    if (column == NULL)
        return;
    if (value_sample(values, &sample))
        column_add_real(column, sample);
    else
        column_add_absent(column);
}

static void add_event(struct event_filler *filler, const struct event *event, struct view values)
{
    const struct profile *profile = filler->profile;
    const struct track *track = filler->track;
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    const uint64_t start = clock_to_ns(clock, event->start);
    const uint64_t end = clock_to_ns(clock, event->end);
    if (!is_wanted(filler, event, start, end))
        return;
    add_text(filler, EVENT_NAME, event->name, false);
    add_whole(filler, EVENT_START, true, start);
    add_whole(filler, EVENT_DURATION, true, end - start);
    add_whole(filler, EVENT_TRACK, true, filler->track_id);
    add_text(filler, EVENT_LANE, track->name, false);
    add_text(filler, EVENT_PROCESS, filler->process, true);
    add_whole(filler, EVENT_DEVICE, track->device != 0, track->device - 1);
    if (filler->kind == EVENT_COUNTER) {
        add_sample(filler, values);
        add_text(filler, EVENT_UNIT, track->unit, true);
        return;
    }
    const uint32_t op = profile_call(profile, event->call)->operator_id;
    add_said(filler, values);
    add_text(filler, EVENT_OPERATOR, op != 0 ? profile_operator(profile, op)->name : 0, true);
    add_whole(filler, EVENT_CALL, event->call != 0, event->call);
    add_arguments(filler, values);
}

// Tracks --------------------------------------------------------------------------

static uint32_t process_of(const struct profile *profile, uint32_t track)
{
    while (track != 0 && profile_track(profile, track)->kind != TRACK_PROCESS)
        track = profile_track(profile, track)->parent;
    return track != 0 ? profile_track(profile, track)->name : 0;
}

static status add_track(struct event_filler *filler, uint32_t id)
{
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    filler->track = profile_track(filler->profile, id);
    filler->track_id = id;
    filler->process = process_of(filler->profile, id);
    STATUS_TRY(store_cursor_open(filler->profile->store, id, filler->track->unsorted, &cursor));
    while (store_cursor_next(cursor, &event, &values))
        add_event(filler, &event, values);
    store_cursor_free(cursor);
    return STATUS_OK;
}

// Columns -------------------------------------------------------------------------

static unsigned bit_of(enum event_kind kind)
{
    if (kind == EVENT_SPAN)
        return OF_SPANS;
    return kind == EVENT_INSTANT ? OF_INSTANTS : OF_SAMPLES;
}

// HASH_NONE where no event has such a value.
static uint32_t event_key(const struct profile *profile, struct view name)
{
    return strings_find(&profile->strings, name);
}

static void start_columns(struct event_filler *filler)
{
    for (int i = 0; i < EVENT_COLUMNS; i++) {
        const struct view name = view_of(COLUMNS[i].name);
        if ((COLUMNS[i].of & bit_of(filler->kind)) == 0 ||
            !columns_wanted(filler->options->columns, name))
            continue;
        struct column *column =
            columns_add(filler->table, name, COLUMNS[i].unit, COLUMNS[i].meaning);
        column_set_kind(column, COLUMNS[i].kind);
        filler->at[i] = filler->table->count;
    }
}

static void start_arguments(struct event_filler *filler)
{
    const char *arguments = filler->kind == EVENT_COUNTER ? NULL : filler->options->arguments;
    struct view rest = arguments != NULL ? view_of(arguments) : (struct view){0};
    struct view word;
    struct bytes name = {0};
    size_t capacity = 0;
    filler->first_argument = filler->table->count;
    while (columns_next_word(&rest, &word)) {
        name.size = 0;
        bytes_append_format(&name, "args.");
        bytes_append(&name, word.data, word.size);
        columns_add(filler->table, bytes_view(&name), "", "as the trace has it");
        filler->argument_keys = memory_grow(filler->argument_keys, filler->argument_count,
                                            &capacity, sizeof *filler->argument_keys);
        filler->argument_keys[filler->argument_count++] = event_key(filler->profile, word);
    }
    bytes_free(&name);
}

status event_columns_fill(struct profile *profile, enum event_kind kind,
                          const struct opscope_table_options *options, struct opscope_table *table)
{
    struct event_filler filler = {.profile = profile,
                                  .kind = kind,
                                  .options = options,
                                  .table = table,
                                  .category = event_key(profile, VIEW_LITERAL("category")),
                                  .role = event_key(profile, VIEW_LITERAL("role"))};
    status result = STATUS_OK;
    start_columns(&filler);
    start_arguments(&filler);
    for (uint32_t i = 0; i < profile->tracks.count && result == STATUS_OK; i++)
        result = add_track(&filler, i);
    for (int i = 0; i < EVENT_COLUMNS; i++)
        free(filler.known[i].texts);
    free(filler.argument_keys);
    free(filler.verdicts);
    return result;
}
