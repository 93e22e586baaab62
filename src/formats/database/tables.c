#include "tables.h"

#include <math.h>

struct text_id {
    int64_t id;
    uint32_t text;
};

struct lane {
    struct table_place place;
    uint32_t track;
};

status tables_open(const struct input *input, struct profile *profile, struct tables *out_tables)
{
    *out_tables = (struct tables){.input = input, .profile = profile};
    STATUS_TRY(database_open(input->path, input->bytes, &out_tables->database));
    segments_start(&out_tables->text_ids, sizeof(struct text_id));
    segments_start(&out_tables->lanes, sizeof(struct lane));
    const uint64_t missing = database_missing(out_tables->database);
    if (missing > 0) {
        profile_track(profile, 0)->ledger.expected = LEDGER_UNKNOWN;
        profile_note(profile, 0, LEDGER_LOST, 1,
                     "%s: is cut off: the last %llu bytes are not there, nor what stood in them",
                     input->path, (unsigned long long)missing);
    }
    if (database_has_log(out_tables->database))
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: was written with a log beside it (-wal): what is only there is not read",
                     input->path);
    return STATUS_OK;
}

void tables_close(struct tables *tables)
{
    database_close(tables->database);
    segments_free(&tables->text_ids);
    segments_free(&tables->lanes);
    hash_free(&tables->texts);
    hash_free(&tables->places);
    hash_free(&tables->operators);
    bytes_free(&tables->values);
}

// Rows -----------------------------------------------------------------------------------------

struct database_rows *tables_rows(struct tables *tables, const char *table)
{
    struct database_rows *rows = NULL;
    if (!database_has_table(tables->database, table))
        return NULL;
    const status failure = database_rows_open(tables->database, table, &rows);
    if (failure == STATUS_OK)
        return rows;
    if (tables->silent) {
        status_free(failure);
        return NULL;
    }
    profile_track(tables->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
    profile_note(tables->profile, 0, LEDGER_LOST, 1, "%s: table %s: %s", tables->input->path, table,
                 status_message(failure));
    status_free(failure);
    return NULL;
}

void tables_done(struct tables *tables, struct database_rows *rows, const char *table)
{
    if (*database_rows_damage(rows) != '\0' && !tables->silent) {
        profile_track(tables->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
        profile_note(tables->profile, 0, LEDGER_LOST, 1, "%s: table %s: %s; what follows is lost",
                     tables->input->path, table, database_rows_damage(rows));
    }
    database_rows_close(rows);
}

bool table_number(struct database_cell cell, int64_t *out_number)
{
    uint64_t number;
    *out_number = cell.integer;
    if (cell.kind == DATABASE_INTEGER)
        return true;
    if (cell.kind == DATABASE_REAL && cell.real == floor(cell.real) && fabs(cell.real) < 0x1p53) {
        *out_number = (int64_t)cell.real;
        return true;
    }
    if (cell.kind != DATABASE_TEXT || !view_to_u64(cell.text, &number) || number > INT64_MAX)
        return false;
    *out_number = (int64_t)number;
    return true;
}

uint64_t table_id(const struct database_rows *rows, int column)
{
    int64_t number;
    return table_number(database_cell(rows, column), &number) ? (uint64_t)number : 0;
}

void tables_lose(struct tables *tables, const char *table, const char *why)
{
    struct ledger *account = &profile_track(tables->profile, 0)->ledger;
    if (tables->silent)
        return;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected++;
    profile_note(tables->profile, 0, LEDGER_LOST, 1, "%s: table %s: a row %s", tables->input->path,
                 table, why);
}

// Texts ----------------------------------------------------------------------------------------

void tables_read_texts(struct tables *tables, const char *table, const char *id, const char *value)
{
    struct database_rows *rows = tables_rows(tables, table);
    if (rows == NULL)
        return;
    const int id_column = database_column(rows, id);
    const int value_column = database_column(rows, value);
    while (database_rows_next(rows)) {
        int64_t number;
        const struct database_cell text = database_cell(rows, value_column);
        if (!table_number(database_cell(rows, id_column), &number) || text.kind != DATABASE_TEXT ||
            tables_text(tables, number) != 0)
            continue;
        struct text_id *added = segments_add(&tables->text_ids);
        *added = (struct text_id){number, profile_string(tables->profile, text.text)};
        hash_add(&tables->texts, hash_u64((uint64_t)number), tables->text_ids.count - 1);
    }
    tables_done(tables, rows, table);
}

void tables_forget_texts(struct tables *tables)
{
    hash_free(&tables->texts);
    tables->texts = (struct hash_index){0};
    segments_free(&tables->text_ids);
    segments_start(&tables->text_ids, sizeof(struct text_id));
}

uint32_t tables_text(const struct tables *tables, int64_t id)
{
    const uint32_t hash = hash_u64((uint64_t)id);
    uint32_t found;
    for (uint32_t at = hash_first(&tables->texts, hash);
         (found = hash_next(&tables->texts, hash, &at)) != HASH_NONE;) {
        const struct text_id *text = segments_get(&tables->text_ids, found);
        if (text->id == id)
            return text->text;
    }
    return 0;
}

// Lanes ----------------------------------------------------------------------------------------

static uint32_t hash_place(const struct table_place *place)
{
    const uint64_t words[] = {place->kind, place->a, place->b, place->c};
    return hash_bytes(words, sizeof words);
}

uint32_t tables_find_lane(const struct tables *tables, const struct table_place *place)
{
    const uint32_t hash = hash_place(place);
    uint32_t found;
    for (uint32_t at = hash_first(&tables->places, hash);
         (found = hash_next(&tables->places, hash, &at)) != HASH_NONE;) {
        const struct lane *lane = segments_get(&tables->lanes, found);
        if (lane->place.kind == place->kind && lane->place.a == place->a &&
            lane->place.b == place->b && lane->place.c == place->c)
            return lane->track;
    }
    return 0;
}

void tables_keep_lane(struct tables *tables, const struct table_place *place, uint32_t track)
{
    *(struct lane *)segments_add(&tables->lanes) = (struct lane){*place, track};
    hash_add(&tables->places, hash_place(place), tables->lanes.count - 1);
}

// Operators ------------------------------------------------------------------------------------

uint32_t tables_operator(struct tables *tables, const struct operator_description *op)
{
    const uint32_t hash = hash_u64((uint64_t)op->name << 32 | op->type) ^
                          hash_bytes(op->values.data, op->values.size);
    uint32_t id;
    for (uint32_t at = hash_first(&tables->operators, hash);
         (id = hash_next(&tables->operators, hash, &at)) != HASH_NONE;) {
        const struct operator_description *known = profile_operator(tables->profile, id);
        if (known->name == op->name && known->type == op->type &&
            view_equal(known->values, op->values))
            return id;
    }
    id = profile_operator_add(tables->profile, op);
    hash_add(&tables->operators, hash, id);
    return id;
}

// Values ---------------------------------------------------------------------------------------

static void add_cell(struct tables *tables, uint32_t key, struct database_cell cell)
{
    struct value value = {.key = key, .kind = VALUE_UINT};
    switch (cell.kind) {
    case DATABASE_INTEGER:
        value.kind = cell.integer < 0 ? VALUE_INT : VALUE_UINT;
        value.number = (uint64_t)cell.integer;
        break;
    case DATABASE_REAL:
        value.kind = VALUE_REAL;
        value.real = cell.real;
        break;
    case DATABASE_TEXT:
        value.kind = VALUE_TEXT;
        value.text = cell.text;
        break;
    default:
        return;
    }
    value_add(&tables->values, &value);
}

void tables_columns(struct tables *tables, const struct database_rows *rows,
                    const struct table_column_use *uses, struct table_columns *out_columns)
{
    const int count = database_column_count(rows);
    out_columns->count = count < DATABASE_COLUMNS_MOST ? count : DATABASE_COLUMNS_MOST;
    for (int i = 0; i < out_columns->count; i++) {
        const struct view name = view_of(database_column_name(rows, i));
        out_columns->keys[i] = profile_string(tables->profile, name);
        out_columns->uses[i] = TABLE_VALUE;
        for (const struct table_column_use *use = uses; use->column != NULL; use++) {
            if (view_is(name, use->column))
                out_columns->uses[i] = use->use;
        }
    }
}

void tables_add_cells(struct tables *tables, const struct database_rows *rows,
                      const struct table_columns *columns)
{
    for (int i = 0; i < columns->count; i++) {
        if (columns->uses[i] == TABLE_SKIP)
            continue;
        const struct database_cell cell = database_cell(rows, i);
        const bool is_id = columns->uses[i] == TABLE_TEXT_ID && cell.kind == DATABASE_INTEGER;
        const uint32_t text = is_id ? tables_text(tables, cell.integer) : 0;
        if (columns->uses[i] == TABLE_JSON && cell.kind == DATABASE_TEXT) {
            if (cell.text.size > 0 && !view_is(cell.text, "{}"))
                value_add_json(&tables->values, columns->keys[i], cell.text);
        } else if (text != 0) {
            value_add_string(&tables->values, columns->keys[i], text);
        } else {
            add_cell(tables, columns->keys[i], cell);
        }
    }
}

void tables_add_string(struct tables *tables, const char *key, const char *text)
{
    value_add_string(&tables->values, profile_string(tables->profile, view_of(key)),
                     profile_string(tables->profile, view_of(text)));
}

void tables_add_waits(struct tables *tables)
{
    const struct value value = {.key = profile_string(tables->profile, VIEW_LITERAL("waits")),
                                .kind = VALUE_BOOL,
                                .provenance = PROVENANCE_DERIVED,
                                .number = 1};
    value_add(&tables->values, &value);
}

void tables_add_event(struct tables *tables, const struct event *event)
{
    struct ledger *account = &profile_track(tables->profile, event->track)->ledger;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected++;
    profile_event_add(tables->profile, event, bytes_view(&tables->values));
}
