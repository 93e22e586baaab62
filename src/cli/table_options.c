#include "table_options.h"

#include <sys/ioctl.h>
#include <unistd.h>

static struct table_page pages[TABLE_PAGES_MOST];
static size_t page_count;

const struct table_page *table_options_pages(size_t *out_count)
{
    *out_count = page_count;
    return pages;
}

void table_options_add_page(struct table_page page)
{
    if (page_count < TABLE_PAGES_MOST)
        pages[page_count++] = page;
}

// A number of rows; `*out_number` stays where the option is not given.
static status read_rows(const struct arguments *arguments, const char *name, size_t *out_number)
{
    const char *text = arguments_value(arguments, name);
    uint64_t number;
    if (text == NULL)
        return STATUS_OK;
    if (!view_to_u64(view_of(text), &number))
        return status_make(STATUS_USAGE, "%s: --%s '%s': expected a number%s",
                           arguments_command(arguments), name, text,
                           strcmp(name, "top") == 0 ? ", 0 for all" : "");
    *out_number = (size_t)number;
    return STATUS_OK;
}

status table_options_read_page(const struct arguments *arguments, size_t *out_skip, size_t *out_top)
{
    STATUS_TRY(read_rows(arguments, "skip", out_skip));
    return read_rows(arguments, "top", out_top);
}

status table_options_read_rows(const struct arguments *arguments, size_t top,
                               struct table_options *out_options)
{
    const char *command = arguments_command(arguments);
    *out_options = (struct table_options){
        .command = command,
        .columns = arguments_value(arguments, "columns"),
        .sort = arguments_value(arguments, "sort"),
        .has_top = arguments_value(arguments, "top") != NULL,
        .top = top,
        .keeps_formulas = arguments_flag(arguments, "no-spreadsheet-safe"),
    };
    if (out_options->keeps_formulas && arguments_flag(arguments, "spreadsheet-safe"))
        return status_make(STATUS_USAGE, "%s: choose --spreadsheet-safe or --no-spreadsheet-safe",
                           command);
    return table_options_read_page(arguments, &out_options->skip, &out_options->top);
}

status table_options_read(const struct arguments *arguments, size_t top,
                          struct table_options *out_options)
{
    STATUS_TRY(table_options_read_rows(arguments, top, out_options));
    out_options->json = arguments_flag(arguments, "json");
    out_options->csv = arguments_flag(arguments, "csv");
    if (out_options->json && out_options->csv)
        return status_make(STATUS_USAGE, "%s: choose --json or --csv", out_options->command);
    // Programs want all rows unless they say otherwise.
    if ((out_options->json || out_options->csv) && !out_options->has_top)
        out_options->top = 0;
    return STATUS_OK;
}

static status check_key(const struct table_options *options, const char *option, struct view key,
                        struct table *const *tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (table_has(tables[i], key))
            return STATUS_OK;
    }
    struct bytes names = {0};
    for (size_t i = 0; i < count; i++)
        table_append_keys(tables[i], &names);
    const status failure = status_make(
        STATUS_USAGE, "%s: --%s: there is no column '%.*s'; --help-columns explains them:%.*s",
        options->command, option, VIEW_ARGUMENTS(key), VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static status table_options_check_columns(const struct table_options *options,
                                          struct table *const *tables, size_t count)
{
    for (struct view rest = view_of(options->columns);;) {
        const size_t end = view_find(rest, ',');
        STATUS_TRY(
            check_key(options, "columns", view_trim(view_slice(rest, 0, end)), tables, count));
        if (end == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, end + 1, rest.size);
    }
}

static status check_sort(const struct table_options *options, struct table *const *tables,
                         size_t count)
{
    const struct view sort = view_of(options->sort);
    const size_t colon = view_find(sort, ':');
    const struct view order = view_slice(sort, colon, sort.size);
    if (colon < sort.size && !view_is(order, ":desc") && !view_is(order, ":asc"))
        return status_make(STATUS_USAGE, "%s: --sort '%s': expected KEY, KEY:asc or KEY:desc",
                           options->command, options->sort);
    return check_key(options, "sort", view_slice(sort, 0, colon), tables, count);
}

status table_options_check(const struct table_options *options, struct table *const *tables,
                           size_t count)
{
    if (options->columns != NULL)
        STATUS_TRY(table_options_check_columns(options, tables, count));
    if (options->sort != NULL)
        STATUS_TRY(check_sort(options, tables, count));
    return STATUS_OK;
}

status table_options_apply(const struct table_options *options, struct table *const *tables,
                           size_t count)
{
    STATUS_TRY(table_options_check(options, tables, count));
    for (size_t i = 0; i < count; i++) {
        if (options->columns != NULL)
            table_choose(tables[i], view_of(options->columns));
        if (options->sort != NULL)
            table_sort(tables[i], view_of(options->sort));
        const size_t total = table_count(tables[i]);
        table_skip(tables[i], options->skip);
        table_limit(tables[i], options->top);
        table_options_add_page((struct table_page){table_form(tables[i])->name, options->skip,
                                                   table_count(tables[i]), total});
        if (options->keeps_formulas)
            table_keep_formulas(tables[i]);
    }
    return STATUS_OK;
}

// 0: no terminal.
static size_t table_options_terminal_width(FILE *file)
{
    struct winsize size = {0};
    const int descriptor = fileno(file);
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static void table_options_put_line(struct bytes *line, FILE *file)
{
    if (line->size > 0)
        fwrite(line->data, 1, line->size, file);
    line->size = 0;
}

void table_options_print(struct table *table, FILE *file)
{
    struct bytes line = {0};
    table_layout(table, table_options_terminal_width(file));
    table_text_head(table, &line);
    table_options_put_line(&line, file);
    for (size_t i = 0; i < table_count(table); i++) {
        table_text_row(table, i, &line);
        table_options_put_line(&line, file);
    }
    bytes_free(&line);
}

void table_options_print_extra(struct table *table, size_t row, FILE *file)
{
    struct bytes line = {0};
    table_text_extra(table, row, &line);
    table_options_put_line(&line, file);
    bytes_free(&line);
}

status table_options_write_csv(struct table *table)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    table_csv_head(table, output);
    table_csv_rows(table, output);
    return output_close(output);
}

void table_options_describe(const struct command *command)
{
    struct bytes text = {0};
    for (size_t i = 0; command->tables[i] != NULL; i++) {
        if (i > 0)
            bytes_append(&text, "\n", 1);
        table_form_describe(command->tables[i], &text);
    }
    table_options_put_line(&text, stdout);
    bytes_free(&text);
}
