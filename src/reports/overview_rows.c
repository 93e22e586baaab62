#include "overview_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Durations -------------------------------------------------------------------

void overview_format_duration(uint64_t ns, char text[OVERVIEW_DURATION_ROOM])
{
    const double number = (double)ns;
    if (ns >= 1000000000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3fs", number / 1e9);
    else if (ns >= 1000000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3fms", number / 1e6);
    else if (ns >= 1000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3f\u00b5s", number / 1e3);
    else
        snprintf(text, OVERVIEW_DURATION_ROOM, "%uns", (unsigned)ns);
}

bool overview_parse_duration(struct view text, uint64_t *out_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } UNITS[] = {{"ns", 1}, {"\u00b5s", 1e3}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    text = view_trim(text);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (!view_ends_with(text, UNITS[i].unit))
            continue;
        double number;
        const struct view digits = view_slice(text, 0, text.size - strlen(UNITS[i].unit));
        if (!view_to_double(view_trim(digits), &number) || number < 0 || number > 1e18)
            return false;
        *out_ns = (uint64_t)(number * UNITS[i].ns + 0.5);
        return true;
    }
    return false;
}

// Rows ------------------------------------------------------------------------

struct overview_row *overview_row_add(struct overview_rows *rows, struct view name)
{
    rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
    struct overview_row *row = &rows->rows[rows->count++];
    *row = (struct overview_row){0};
    name = view_shortened(name, sizeof row->name - 1);
    snprintf(row->name, sizeof row->name, "%.*s", VIEW_ARGUMENTS(name));
    return row;
}

void overview_row_set(struct overview_row *row, const struct overview *overview,
                      struct overview_value value, bool share)
{
    row->present = value.present;
    row->ns = value.ns;
    row->has_percent = value.present && share;
    row->percent = overview_percent(overview, value.ns);
}

void overview_rows_free(struct overview_rows *rows)
{
    free(rows->model);
    free(rows->rows);
    *rows = (struct overview_rows){0};
}
