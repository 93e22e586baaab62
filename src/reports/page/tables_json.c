#include "base/bytes.h"
#include "parts.h"

enum { ROWS_MOST = 1000 };

static const char *const TYPES[TABLE_TYPES] = {
    [TABLE_TEXT] = "text",   [TABLE_FLAG] = "flag",       [TABLE_COUNT] = "count",
    [TABLE_BYTES] = "bytes", [TABLE_NS] = "ns",           [TABLE_US] = "us",
    [TABLE_MS] = "ms",       [TABLE_HZ] = "hz",           [TABLE_RATIO] = "ratio",
    [TABLE_REAL] = "real",   [TABLE_PERCENT] = "percent",
};

static void write_columns(struct json_writer *json, const struct table_form *form)
{
    json_open_array(json, "columns");
    for (size_t i = 0; i < form->column_count; i++) {
        const struct table_column *column = &form->columns[i];
        if ((column->flags & TABLE_NOT_JSON) != 0 || column->place == 0)
            continue;
        json_open_object(json, NULL);
        json_text(json, "key", view_of(column->key));
        json_text(json, "title", view_of(table_column_title(column)));
        json_text(json, "meaning", view_of(column->meaning));
        json_text(json, "type", view_of(TYPES[column->type]));
        if (column->unit != NULL)
            json_text(json, "unit", view_of(column->unit));
        if (column->look == TABLE_CHANGE)
            json_bool(json, "change", true);
        if ((column->flags & TABLE_WITH_SIGN) != 0)
            json_bool(json, "signed", true);
        json_close(json);
    }
    json_close(json);
}

// The rows as text; fewer of them where they would take more than `most` bytes.
static void make_rows(struct table *table, uint64_t most, struct bytes *to)
{
    size_t rows = ROWS_MOST;
    do {
        struct output *output;
        to->size = 0;
        output_open_bytes(to, &output);
        output_inside_page(output, true);
        struct json_writer json = json_write_lines(output);
        table_limit(table, rows);
        table_json_rows(table, &json, NULL);
        status_free(output_close(output)); // memory takes everything
        rows /= 2;
    } while (to->size > most && rows > 0);
}

void parts_write_table(struct json_writer *json, const char *key, struct table *table,
                       uint64_t most)
{
    const size_t total = table_count(table);
    struct bytes rows = {0};
    make_rows(table, most, &rows);
    const bool fits = rows.size <= most;
    json_open_object(json, key);
    write_columns(json, table_form(table));
    json_raw(json, "rows", fits ? bytes_view(&rows) : VIEW_LITERAL("[]"));
    json_uint(json, "total", total);
    json_close(json);
    bytes_free(&rows);
}
