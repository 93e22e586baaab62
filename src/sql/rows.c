#include "rows.h"

#include <stdio.h>

#include "schema.h"

struct sql_source sql_source_of(struct profile *profile, struct sql_events *events)
{
    const struct strings *strings = &profile->strings;
    return (struct sql_source){.profile = profile,
                               .events = events,
                               .category_key = strings_find(strings, VIEW_LITERAL("category")),
                               .bytes_key = strings_find(strings, VIEW_LITERAL("bytes")),
                               .role_key = strings_find(strings, VIEW_LITERAL("role")),
                               .pid_key = strings_find(strings, VIEW_LITERAL("pid")),
                               .tid_key = strings_find(strings, VIEW_LITERAL("tid"))};
}

void sql_give_whole(sqlite3_context *to, uint64_t number)
{
    char digits[24];
    if (number <= INT64_MAX) {
        sqlite3_result_int64(to, (sqlite3_int64)number);
        return;
    }
    const int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    sqlite3_result_text(to, digits, size, SQLITE_TRANSIENT);
}

// Whether it is a text to others as well: UTF-8 without a NUL inside.
static bool is_text(struct view text)
{
    size_t at = 0;
    for (size_t size; at < text.size && text.data[at] != '\0'; at += size) {
        size = (unsigned char)text.data[at] < 0x80 ? 1 : view_character_size(text, at);
        if (size == 0)
            return false;
    }
    return at == text.size;
}

static void give_bytes(sqlite3_context *to, struct view text, sqlite3_destructor_type destructor)
{
    if (is_text(text))
        sqlite3_result_text64(to, text.data, text.size, destructor, SQLITE_UTF8);
    else
        sqlite3_result_blob64(to, text.data, text.size, destructor);
}

// Texts of a profile stay where they are while a query runs.
void sql_give_text(sqlite3_context *to, struct view text)
{
    give_bytes(to, text, SQLITE_STATIC);
}

static void give_name(sqlite3_context *to, const char *name)
{
    sql_give_text(to, view_of(name));
}

static void give_string(sqlite3_context *to, const struct profile *profile, uint32_t id)
{
    if (id != 0 && id < profile->strings.texts.count)
        sql_give_text(to, profile_text(profile, id));
}

// A value of a list; a text that the list holds is copied.
static void give_value(sqlite3_context *to, const struct profile *profile,
                       const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        sqlite3_result_int64(to, (sqlite3_int64)value->number);
        break;
    case VALUE_REAL:
        sqlite3_result_double(to, value->real);
        break;
    case VALUE_STRING:
        if (value->number < profile->strings.texts.count)
            sql_give_text(to, profile_text(profile, (uint32_t)value->number));
        break;
    case VALUE_TEXT:
    case VALUE_JSON:
        give_bytes(to, value->text, SQLITE_TRANSIENT);
        break;
    default:
        sql_give_whole(to, value->number);
    }
}

// The first value with a key; false when the list has none.
static bool find_value(struct view list, uint32_t key, struct value *out_value)
{
    struct value_reader reader = value_read(list);
    while (key != HASH_NONE && value_next(&reader, out_value)) {
        if (out_value->key == key)
            return true;
    }
    return false;
}

static void give_keyed(sqlite3_context *to, const struct sql_row *row, struct view list,
                       uint32_t key)
{
    struct value value;
    if (find_value(list, key, &value))
        give_value(to, row->source->profile, &value);
}

// Of any item -----------------------------------------------------------------------------------

static const void *field(const struct sql_row *row, const struct sql_column *column)
{
    return (const char *)row->item + column->argument;
}

static uint32_t field_number(const struct sql_row *row, const struct sql_column *column)
{
    return *(const uint32_t *)field(row, column);
}

void sql_cell_id(const struct sql_row *row, const struct sql_column *column, sqlite3_context *to)
{
    (void)column;
    sql_give_whole(to, row->id);
}

void sql_cell_text(const struct sql_row *row, const struct sql_column *column, sqlite3_context *to)
{
    give_string(to, row->source->profile, field_number(row, column));
}

void sql_cell_reference(const struct sql_row *row, const struct sql_column *column,
                        sqlite3_context *to)
{
    const uint32_t id = field_number(row, column);
    if (id != 0)
        sqlite3_result_int64(to, id);
}

void sql_cell_number(const struct sql_row *row, const struct sql_column *column,
                     sqlite3_context *to)
{
    sqlite3_result_int64(to, field_number(row, column));
}

void sql_cell_less_one(const struct sql_row *row, const struct sql_column *column,
                       sqlite3_context *to)
{
    const uint32_t number = field_number(row, column);
    if (number != 0)
        sqlite3_result_int64(to, number - 1);
}

void sql_cell_whole(const struct sql_row *row, const struct sql_column *column, sqlite3_context *to)
{
    sql_give_whole(to, *(const uint64_t *)field(row, column));
}

void sql_cell_known(const struct sql_row *row, const struct sql_column *column, sqlite3_context *to)
{
    const uint64_t number = *(const uint64_t *)field(row, column);
    if (number != UINT64_MAX)
        sql_give_whole(to, number);
}

void sql_cell_signed(const struct sql_row *row, const struct sql_column *column,
                     sqlite3_context *to)
{
    sqlite3_result_int64(to, *(const int64_t *)field(row, column));
}

void sql_cell_flag(const struct sql_row *row, const struct sql_column *column, sqlite3_context *to)
{
    sqlite3_result_int(to, *(const bool *)field(row, column));
}

static void give_provenance(sqlite3_context *to, enum provenance provenance)
{
    if (provenance != PROVENANCE_ABSENT)
        give_name(to, provenance_name(provenance));
}

void sql_cell_provenance(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    give_provenance(to, *(const enum provenance *)field(row, column));
}

// Tables of the profile -------------------------------------------------------------------------

void sql_cell_string_value(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    (void)column;
    sql_give_text(to, profile_text(row->source->profile, (uint32_t)row->id));
}

// The root has no parent; a track at the top has the root.
void sql_cell_track_parent(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    (void)column;
    if (row->id != 0)
        sqlite3_result_int64(to, ((const struct track *)row->item)->parent);
}

void sql_cell_track_kind(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    static const char *const NAMES[] = {[TRACK_GROUP] = "group",
                                        [TRACK_PROCESS] = "process",
                                        [TRACK_LANE] = "lane",
                                        [TRACK_COUNTER] = "counter"};
    (void)column;
    give_name(to, NAMES[((const struct track *)row->item)->kind]);
}

static void give_role(sqlite3_context *to, enum role role)
{
    if (role != ROLE_NONE)
        give_name(to, role_name(role));
}

void sql_cell_track_role(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    (void)column;
    give_role(to, ((const struct track *)row->item)->role);
}

// The track itself or the nearest around it; 0: none.
static uint32_t process_of(const struct profile *profile, uint32_t id)
{
    enum { DEPTH_MOST = 1024 };
    for (int i = 0; id != 0 && i < DEPTH_MOST; i++) {
        const struct track *track = profile_track(profile, id);
        if (track->kind == TRACK_PROCESS)
            return id;
        id = track->parent;
    }
    return 0;
}

void sql_cell_track_process(const struct sql_row *row, const struct sql_column *column,
                            sqlite3_context *to)
{
    (void)column;
    const uint32_t id = process_of(row->source->profile, (uint32_t)row->id);
    if (id != 0)
        sqlite3_result_int64(to, id);
}

void sql_cell_track_pid(const struct sql_row *row, const struct sql_column *column,
                        sqlite3_context *to)
{
    (void)column;
    give_keyed(to, row, ((const struct track *)row->item)->values, row->source->pid_key);
}

void sql_cell_track_tid(const struct sql_row *row, const struct sql_column *column,
                        sqlite3_context *to)
{
    (void)column;
    give_keyed(to, row, ((const struct track *)row->item)->values, row->source->tid_key);
}

void sql_cell_operator_value(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    static const char *const KEYS[] = {[SQL_OPERATOR_MACS] = "macs",
                                       [SQL_OPERATOR_FLOPS] = "flops",
                                       [SQL_OPERATOR_BYTES_IN] = "bytes_read",
                                       [SQL_OPERATOR_BYTES_OUT] = "bytes_written"};
    const struct operator_description *op = row->item;
    const struct strings *strings = &row->source->profile->strings;
    give_keyed(to, row, op->values, strings_find(strings, view_of(KEYS[column->argument])));
}

static bool times_of_call(const struct sql_row *row, sqlite3_context *to,
                          struct sql_call_times *out_times)
{
    const uint64_t *spans;
    const status result =
        sql_events_call(row->source->events, (uint32_t)row->id, out_times, &spans);
    if (result == STATUS_OK)
        return out_times->count > 0;
    sqlite3_result_error(to, status_message(result), -1);
    status_free(result);
    return false;
}

void sql_cell_call_start(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    struct sql_call_times times;
    (void)column;
    if (times_of_call(row, to, &times))
        sql_give_whole(to, times.start);
}

void sql_cell_call_end(const struct sql_row *row, const struct sql_column *column,
                       sqlite3_context *to)
{
    struct sql_call_times times;
    (void)column;
    if (times_of_call(row, to, &times))
        sql_give_whole(to, times.end);
}

void sql_cell_buffer_time(const struct sql_row *row, const struct sql_column *column,
                          sqlite3_context *to)
{
    const struct buffer_lifetime *buffer = row->item;
    const struct clock_domain *clock = profile_clock(row->source->profile, buffer->clock);
    sql_give_whole(to, clock_to_ns(clock, *(const uint64_t *)field(row, column)));
}

// Notes: those that were kept, then one of each kind for what else was counted.
static const struct ledger_note *note_of(const struct sql_row *row)
{
    const struct profile *profile = row->source->profile;
    return row->id <= profile->notes.count ? row->item : NULL;
}

static enum ledger_note_kind kind_of_rest(const struct sql_row *row)
{
    return (enum ledger_note_kind)(row->id - row->source->profile->notes.count - 1);
}

static uint64_t rest_of_notes(const struct profile *profile, enum ledger_note_kind kind)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        kept += note->kind == kind ? note->count : 0;
    }
    return profile->note_counts[kind] > kept ? profile->note_counts[kind] - kept : 0;
}

void sql_cell_note_kind(const struct sql_row *row, const struct sql_column *column,
                        sqlite3_context *to)
{
    const struct ledger_note *note = note_of(row);
    (void)column;
    give_name(to, ledger_note_kind_name(note != NULL ? note->kind : kind_of_rest(row)));
}

void sql_cell_note_count(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    const struct ledger_note *note = note_of(row);
    (void)column;
    sql_give_whole(to, note != NULL ? note->count
                                    : rest_of_notes(row->source->profile, kind_of_rest(row)));
}

void sql_cell_note_text(const struct sql_row *row, const struct sql_column *column,
                        sqlite3_context *to)
{
    const struct ledger_note *note = note_of(row);
    (void)column;
    if (note != NULL)
        give_string(to, row->source->profile, note->text);
}

void sql_cell_flow_end(const struct sql_row *row, const struct sql_column *column,
                       sqlite3_context *to)
{
    const struct sql_flow *flow = row->item;
    const bool out =
        column->argument == SQL_FLOW_SPAN_OUT || column->argument == SQL_FLOW_INSTANT_OUT;
    const bool span = column->argument == SQL_FLOW_SPAN_OUT || column->argument == SQL_FLOW_SPAN_IN;
    const enum event_kind kind = out ? flow->from_kind : flow->to_kind;
    const uint64_t id = out ? flow->from : flow->to;
    if (id != 0 && kind == (span ? EVENT_SPAN : EVENT_INSTANT))
        sql_give_whole(to, id);
}

// Events ----------------------------------------------------------------------------------------

static const struct sql_walk *walk_of(const struct sql_row *row)
{
    return row->item;
}

void sql_cell_event_start(const struct sql_row *row, const struct sql_column *column,
                          sqlite3_context *to)
{
    const struct sql_walk *walk = walk_of(row);
    (void)column;
    sql_give_whole(to, clock_to_ns(walk->clock, walk->event.start));
}

void sql_cell_event_duration(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    const struct sql_walk *walk = walk_of(row);
    (void)column;
    sql_give_whole(to, clock_to_ns(walk->clock, walk->event.end) -
                           clock_to_ns(walk->clock, walk->event.start));
}

void sql_cell_event_cycles(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    const struct sql_walk *walk = walk_of(row);
    (void)column;
    sql_give_whole(to, walk->event.end - walk->event.start);
}

void sql_cell_event_parent(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    const struct sql_walk *walk = walk_of(row);
    (void)column;
    if (walk->parent != 0)
        sql_give_whole(to, walk->parent);
}

void sql_cell_event_category(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    struct value value;
    (void)column;
    if (find_value(walk_of(row)->values, row->source->category_key, &value) &&
        value.kind == VALUE_STRING && value.number != 0)
        sqlite3_result_int64(to, (sqlite3_int64)value.number);
}

void sql_cell_event_role(const struct sql_row *row, const struct sql_column *column,
                         sqlite3_context *to)
{
    const struct profile *profile = row->source->profile;
    enum role role = walk_of(row)->track->role;
    struct value value;
    (void)column;
    if (find_value(walk_of(row)->values, row->source->role_key, &value) &&
        value.kind == VALUE_STRING && value.number < profile->strings.texts.count) {
        enum role own;
        if (role_from_name(profile_text(profile, (uint32_t)value.number), &own) && own != ROLE_NONE)
            role = own;
    }
    give_role(to, role);
}

void sql_cell_event_bytes(const struct sql_row *row, const struct sql_column *column,
                          sqlite3_context *to)
{
    struct value value;
    (void)column;
    if (find_value(walk_of(row)->values, row->source->bytes_key, &value) &&
        value.kind == VALUE_UINT)
        sql_give_whole(to, value.number);
}

void sql_cell_event_provenance(const struct sql_row *row, const struct sql_column *column,
                               sqlite3_context *to)
{
    (void)column;
    give_provenance(to, walk_of(row)->track->provenance);
}

// A counter's own sample has no key.
void sql_cell_event_sample(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    struct value value;
    (void)column;
    if (find_value(walk_of(row)->values, 0, &value) && value.kind != VALUE_FLOW_OUT &&
        value.kind != VALUE_FLOW_IN)
        give_value(to, row->source->profile, &value);
}

// Arguments -------------------------------------------------------------------------------------

void sql_cell_argument_owner(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    const struct sql_argument *argument = row->item;
    if (argument->owner == (enum sql_owner)column->argument)
        sql_give_whole(to, argument->id);
}

void sql_cell_argument_type(const struct sql_row *row, const struct sql_column *column,
                            sqlite3_context *to)
{
    static const char *const NAMES[VALUE_KINDS] = {
        [VALUE_UINT] = "uint",   [VALUE_INT] = "int",     [VALUE_BOOL] = "bool",
        [VALUE_REAL] = "real",   [VALUE_STRING] = "text", [VALUE_TEXT] = "text",
        [VALUE_TICKS] = "ticks", [VALUE_JSON] = "json",   [VALUE_FLOW_OUT] = "flow",
        [VALUE_FLOW_IN] = "flow"};
    (void)column;
    give_name(to, NAMES[((const struct sql_argument *)row->item)->value.kind]);
}

void sql_cell_argument_value(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    const struct sql_argument *argument = row->item;
    (void)column;
    give_value(to, row->source->profile, &argument->value);
}

void sql_cell_argument_end(const struct sql_row *row, const struct sql_column *column,
                           sqlite3_context *to)
{
    const struct sql_argument *argument = row->item;
    (void)column;
    if (argument->value.kind == VALUE_TICKS)
        sql_give_whole(to, argument->value.end);
}

void sql_cell_argument_clock(const struct sql_row *row, const struct sql_column *column,
                             sqlite3_context *to)
{
    const struct sql_argument *argument = row->item;
    (void)column;
    if (argument->value.kind == VALUE_TICKS)
        sqlite3_result_int64(to, argument->value.clock);
}

void sql_cell_argument_provenance(const struct sql_row *row, const struct sql_column *column,
                                  sqlite3_context *to)
{
    const struct sql_argument *argument = row->item;
    (void)column;
    give_provenance(to, argument->value.provenance != PROVENANCE_ABSENT ? argument->value.provenance
                                                                        : argument->provenance);
}

// Items -----------------------------------------------------------------------------------------

uint64_t sql_end_of_strings(const struct sql_source *source)
{
    return source->profile->strings.texts.count;
}

uint64_t sql_end_of_tracks(const struct sql_source *source)
{
    return source->profile->tracks.count;
}

uint64_t sql_end_of_operators(const struct sql_source *source)
{
    return source->profile->operators.count;
}

uint64_t sql_end_of_calls(const struct sql_source *source)
{
    return source->profile->calls.count;
}

uint64_t sql_end_of_clocks(const struct sql_source *source)
{
    return source->profile->clocks.count;
}

uint64_t sql_end_of_buffers(const struct sql_source *source)
{
    return (uint64_t)source->profile->buffers.count + 1;
}

uint64_t sql_end_of_facts(const struct sql_source *source)
{
    return (uint64_t)source->profile->facts.count + 1;
}

uint64_t sql_end_of_notes(const struct sql_source *source)
{
    return (uint64_t)source->profile->notes.count + LEDGER_KINDS + 1;
}

// Without memory for them there are none here; the walk over them fails (module.c).
uint64_t sql_end_of_flows(const struct sql_source *source)
{
    const struct sql_flow *flows;
    uint64_t count = 0;
    status_free(sql_events_flows(source->events, &flows, &count));
    return count + 1;
}

const void *sql_item_string(const struct sql_source *source, uint64_t id)
{
    return segments_get(&source->profile->strings.texts, (uint32_t)id);
}

const void *sql_item_track(const struct sql_source *source, uint64_t id)
{
    return profile_track(source->profile, (uint32_t)id);
}

static const void *item_of_kind(const struct sql_source *source, uint64_t id, enum track_kind kind)
{
    const struct track *track = profile_track(source->profile, (uint32_t)id);
    return track->kind == kind ? track : NULL;
}

const void *sql_item_process(const struct sql_source *source, uint64_t id)
{
    return item_of_kind(source, id, TRACK_PROCESS);
}

const void *sql_item_thread(const struct sql_source *source, uint64_t id)
{
    return item_of_kind(source, id, TRACK_LANE);
}

const void *sql_item_operator(const struct sql_source *source, uint64_t id)
{
    return profile_operator(source->profile, (uint32_t)id);
}

const void *sql_item_call(const struct sql_source *source, uint64_t id)
{
    return profile_call(source->profile, (uint32_t)id);
}

const void *sql_item_clock(const struct sql_source *source, uint64_t id)
{
    return profile_clock(source->profile, (uint32_t)id);
}

const void *sql_item_buffer(const struct sql_source *source, uint64_t id)
{
    return segments_get(&source->profile->buffers, (uint32_t)(id - 1));
}

const void *sql_item_fact(const struct sql_source *source, uint64_t id)
{
    return segments_get(&source->profile->facts, (uint32_t)(id - 1));
}

const void *sql_item_note(const struct sql_source *source, uint64_t id)
{
    const struct profile *profile = source->profile;
    if (id <= profile->notes.count)
        return segments_get(&profile->notes, (uint32_t)(id - 1));
    const enum ledger_note_kind kind = (enum ledger_note_kind)(id - profile->notes.count - 1);
    return rest_of_notes(profile, kind) > 0 ? profile : NULL;
}

const void *sql_item_flow(const struct sql_source *source, uint64_t id)
{
    const struct sql_flow *flows;
    uint64_t count = 0;
    const status result = sql_events_flows(source->events, &flows, &count);
    status_free(result);
    return result == STATUS_OK && id - 1 < count ? &flows[id - 1] : NULL;
}
