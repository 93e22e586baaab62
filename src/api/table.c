// Tables of a profile: events, and the reports that commands print, as columns.

#include <opscope/table.h>

#include <stdlib.h>

#include "analysis/span_groups.h"
#include "api.h"
#include "base/memory.h"
#include "event_columns.h"
#include "reports/operators.h"
#include "reports/overview/list.h"
#include "reports/overview_table.h"
#include "reports/top.h"
#include "reports/tracks.h"

typedef status table_maker(struct profile *profile, const struct opscope_table_options *options,
                           struct opscope_table *table);

// Reports -------------------------------------------------------------------------

static uint32_t kind_of_type(enum table_type type)
{
    switch (type) {
    case TABLE_TEXT:
        return OPSCOPE_COLUMN_TEXT;
    case TABLE_FLAG:
        return OPSCOPE_COLUMN_BOOL;
    case TABLE_COUNT:
    case TABLE_BYTES:
    case TABLE_NS:
    case TABLE_HZ:
        return OPSCOPE_COLUMN_UINT;
    default:
        return OPSCOPE_COLUMN_REAL;
    }
}

static const char *unit_of_type(enum table_type type)
{
    static const char *const UNITS[TABLE_TYPES] = {
        [TABLE_BYTES] = "bytes", [TABLE_NS] = "ns", [TABLE_US] = "us",
        [TABLE_MS] = "ms",       [TABLE_HZ] = "Hz", [TABLE_PERCENT] = "%"};
    return UNITS[type] != NULL ? UNITS[type] : "";
}

// What only text has is left out, and so is the file, which a profile does not know.
static bool is_column_of(const struct table_column *column,
                         const struct opscope_table_options *options)
{
    const unsigned nowhere = TABLE_NOT_CSV | TABLE_NOT_JSON;
    return (column->flags & nowhere) != nowhere && strcmp(column->key, "file") != 0 &&
           columns_wanted(options->columns, view_of(column->key));
}

static void report_columns(const struct table_form *form,
                           const struct opscope_table_options *options, struct opscope_table *table)
{
    for (size_t i = 0; i < form->column_count; i++) {
        const struct table_column *from = &form->columns[i];
        if (!is_column_of(from, options))
            continue;
        const char *unit = from->unit != NULL ? from->unit : unit_of_type(from->type);
        struct column *column = columns_add(table, view_of(from->key), unit, from->meaning);
        column_set_kind(column, kind_of_type(from->type));
    }
}

static void add_cell(struct column *column, struct table_cell cell)
{
    double exact;
    switch (cell.kind) {
    case TABLE_CELL_WHOLE:
        column_add_whole(column, cell.whole);
        break;
    case TABLE_CELL_SIGNED:
        column_add_signed(column, cell.integer);
        break;
    case TABLE_CELL_REAL:
        column_add_real(column, cell.real);
        break;
    case TABLE_CELL_FLAG:
        column_add_flag(column, cell.flag);
        break;
    case TABLE_CELL_EXACT:
        if (view_to_double(cell.text, &exact))
            column_add_real(column, exact);
        else
            column_add_absent(column);
        break;
    case TABLE_CELL_TEXT:
        column_add_text(column, cell.text);
        break;
    default:
        column_add_absent(column);
    }
}

// The rows of a report, after those that are there.
static void report_rows(const struct table_form *form, const void *report, size_t rows,
                        const struct opscope_table_options *options, struct opscope_table *table)
{
    struct bytes scratch = {0};
    size_t at = 0;
    for (size_t i = 0; i < form->column_count; i++) {
        if (!is_column_of(&form->columns[i], options))
            continue;
        struct column *column = &table->columns[at++];
        for (size_t row = 0; row < rows; row++) {
            scratch.size = 0;
            const struct table_query query = {&form->columns[i], report, row, &scratch};
            add_cell(column, form->columns[i].cell(&query));
        }
    }
    bytes_free(&scratch);
}

static void add_report(const struct table_form *form, const void *report, size_t rows,
                       const struct opscope_table_options *options, struct opscope_table *table)
{
    report_columns(form, options, table);
    report_rows(form, report, rows, options, table);
}

static status make_tracks(struct profile *profile, const struct opscope_table_options *options,
                          struct opscope_table *table)
{
    const struct tracks_report report = {.path = "", .profile = profile};
    add_report(&TRACKS_FORM, &report, profile->tracks.count - 1, options, table);
    return STATUS_OK;
}

static status make_operator_rows(struct profile *profile, bool by_type,
                                 const struct opscope_table_options *options,
                                 struct opscope_table *table)
{
    struct operator_times times;
    STATUS_TRY(operator_times_measure(profile, &times));
    const struct operators_report report =
        operators_report_of(profile, &times, by_type ? times.types : times.operators);
    add_report(by_type ? &OPERATOR_TYPES_FORM : &OPERATORS_FORM, &report,
               by_type ? times.type_count : times.count, options, table);
    operator_times_free(&times);
    return STATUS_OK;
}

static status make_operators(struct profile *profile, const struct opscope_table_options *options,
                             struct opscope_table *table)
{
    return make_operator_rows(profile, false, options, table);
}

static status make_types(struct profile *profile, const struct opscope_table_options *options,
                         struct opscope_table *table)
{
    return make_operator_rows(profile, true, options, table);
}

static status make_top(struct profile *profile, const struct opscope_table_options *options,
                       struct opscope_table *table)
{
    struct span_group_options what = {.filter = api_view(options->filter),
                                      .from = options->from_ns,
                                      .to = options->to_ns != 0 ? options->to_ns : UINT64_MAX,
                                      .has_step = options->has_step != 0,
                                      .step = options->step};
    struct span_groups groups;
    if (options->by != NULL && !span_key_from_name(view_of(options->by), &what.by))
        return status_make(STATUS_USAGE,
                           "by '%s': name, category, track, engine, role, operator, shape, step, "
                           "module or path",
                           options->by);
    STATUS_TRY(span_groups_measure(profile, &what, &groups));
    add_report(&TOP_FORM, &groups, groups.count, options, table);
    span_groups_free(&groups);
    return STATUS_OK;
}

static status make_overview(struct profile *profile, const struct opscope_table_options *options,
                            struct opscope_table *table)
{
    struct overview_rows *list;
    size_t count;
    STATUS_TRY(overview_rows_list(profile, options->all != 0, &list, &count));
    report_columns(&OVERVIEW_FORM, options, table);
    for (size_t i = 0; i < count; i++) {
        struct overview_rows *rows = &list[i];
        size_t kept = 0;
        for (size_t j = 0; j < rows->count; j++) {
            if (options->all != 0 || overview_row_is_shown(&rows->rows[j]))
                rows->rows[kept++] = rows->rows[j];
        }
        rows->count = kept;
        const struct overview_report report = {.path = "", .rows = rows};
        report_rows(&OVERVIEW_FORM, &report, kept, options, table);
    }
    overview_rows_list_free(list, count);
    return STATUS_OK;
}

// Events --------------------------------------------------------------------------

static status make_spans(struct profile *profile, const struct opscope_table_options *options,
                         struct opscope_table *table)
{
    return event_columns_fill(profile, EVENT_SPAN, options, table);
}

static status make_instants(struct profile *profile, const struct opscope_table_options *options,
                            struct opscope_table *table)
{
    return event_columns_fill(profile, EVENT_INSTANT, options, table);
}

static status make_samples(struct profile *profile, const struct opscope_table_options *options,
                           struct opscope_table *table)
{
    return event_columns_fill(profile, EVENT_COUNTER, options, table);
}

// All of them ---------------------------------------------------------------------

static const struct {
    const char *name;
    table_maker *make;
} TABLES[] = {
    {"spans", make_spans},   {"instants", make_instants},   {"samples", make_samples},
    {"tracks", make_tracks}, {"operators", make_operators}, {"types", make_types},
    {"top", make_top},       {"overview", make_overview},
};

enum { TABLE_COUNT_OF_ALL = sizeof TABLES / sizeof *TABLES };

const char *opscope_table_name(uint32_t index)
{
    return index < TABLE_COUNT_OF_ALL ? TABLES[index].name : NULL;
}

static status find_maker(const char *name, table_maker **out_make)
{
    struct bytes names = {0};
    for (size_t i = 0; i < TABLE_COUNT_OF_ALL; i++) {
        if (strcmp(TABLES[i].name, name) == 0) {
            *out_make = TABLES[i].make;
            bytes_free(&names);
            return STATUS_OK;
        }
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", TABLES[i].name);
    }
    const status result = status_make(STATUS_USAGE, "there is no table '%s': one of %.*s", name,
                                      VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return result;
}

// Every column that was asked for is there.
static status check_columns(const struct opscope_table *table, const char *name,
                            const char *columns)
{
    struct view rest = columns != NULL ? view_of(columns) : (struct view){0};
    struct view word;
    while (columns_next_word(&rest, &word)) {
        bool found = false;
        for (size_t i = 0; i < table->count && !found; i++)
            found = view_is(word, table->columns[i].name);
        if (!found)
            return status_make(STATUS_USAGE, "the table '%s' has no column '%.*s'", name,
                               VIEW_ARGUMENTS(word));
    }
    return STATUS_OK;
}

static status make_table(struct opscope_profile *profile, const char *name,
                         const struct opscope_table_options *options, struct opscope_table *table)
{
    table_maker *make;
    STATUS_TRY(find_maker(name, &make));
    STATUS_TRY(api_finish(profile));
    STATUS_TRY(make(profile->profile, options, table));
    STATUS_TRY(check_columns(table, name, options->columns));
    columns_finish(table);
    return STATUS_OK;
}

static int create_table(struct opscope_profile *profile, const char *name,
                        const struct opscope_table_options *options,
                        struct opscope_table **out_table, char *message, size_t size)
{
    struct opscope_table *table = memory_allocate_zeroed(1, sizeof *table);
    const int code = api_answer(make_table(profile, name, options, table), message, size);
    if (code == OPSCOPE_OK)
        *out_table = table;
    else
        opscope_table_free(table);
    return code;
}

int opscope_profile_table_sized(struct opscope_profile *profile, const char *name,
                                const struct opscope_table_options *options, size_t options_size,
                                struct opscope_table **out_table, char *message, size_t size)
{
    struct opscope_table_options known = {0};
    *out_table = NULL;
    if (name == NULL)
        return api_refuse("a table is asked for by its name", message, size);
    if (options != NULL && !api_take(&known, sizeof known, options, options_size))
        return api_refuse("an option that this version does not know", message, size);
    return RECOVERY_SCOPE_BESIDE(&profile->region,
                                 create_table(profile, name, &known, out_table, message, size),
                                 api_no_memory(message, size));
}

void opscope_table_free(struct opscope_table *table)
{
    if (table == NULL)
        return;
    columns_free(table);
    free(table);
}

uint64_t opscope_table_row_count(const struct opscope_table *table)
{
    return table->count > 0 ? table->columns[0].rows : 0;
}

uint32_t opscope_table_column_count(const struct opscope_table *table)
{
    return (uint32_t)table->count;
}

int opscope_table_get_column_sized(const struct opscope_table *table, uint32_t index,
                                   struct opscope_column *out_column, size_t size)
{
    struct opscope_column given = {0};
    const bool found = index < table->count;
    if (found) {
        const struct column *column = &table->columns[index];
        given = (struct opscope_column){
            .name = column->name,
            .unit = column->unit,
            .meaning = column->meaning,
            .data = column->data.data,
            .absent = column->absent.size > 0 ? column->absent.data : NULL,
            .texts = (const char *)column->text_bytes.data,
            .text_ends = (const uint64_t *)(const void *)column->text_ends.data,
            .text_count = column->text_ends.size / sizeof(uint64_t),
            .kind = column->kind,
            .cells = column->cells.size > 0 ? column->cells.data : NULL};
    }
    api_give(out_column, size, &given, sizeof given);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}
