#include "info_container.h"

#include <stdio.h>

#include "file_kinds.h"
#include "plain_text.h"

// What stands in the file is printed letter by letter.
static void print_lines(struct view text)
{
    while (text.size > 0) {
        const size_t end = view_find(text, '\n');
        plain_text_print(stdout, view_slice(text, 0, end), 0);
        printf("\n");
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
    }
}

static void print_container(const char *path, const struct container_report *report,
                            struct table *const *tables)
{
    struct bytes text = {0};
    plain_text_put(view_of(path));
    printf(": %s: %zu network%s, %zu segments\n", FILE_CONTAINER.called, report->network_count,
           report->network_count == 1 ? "" : "s", report->qpc->count);
    container_report_print(report, &text);
    print_lines(bytes_view(&text));
    bytes_free(&text);
    table_options_print(tables[0], stdout);
    printf("\n");
    table_options_print(tables[1], stdout);
}

static void write_container(const char *path, const struct container_report *report,
                            struct table *const *tables, struct json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "file", view_of(path));
    json_text(json, "format", view_of(FILE_CONTAINER.called));
    container_report_json(report, json);
    table_json_rows(tables[0], json, "operations");
    table_json_rows(tables[1], json, "segments");
    json_close(json);
}

status info_container_show(const char *path, const struct table_options *options,
                           struct json_writer *json)
{
    struct qpc *qpc;
    struct container_report report;
    STATUS_TRY(qpc_open(path, &qpc));
    status result = container_report_make(qpc, &report);
    if (result != STATUS_OK) {
        qpc_free(qpc);
        return result;
    }
    struct table *tables[2] = {
        table_create(&CONTAINER_FORM, &report, report.row_count),
        table_create(&CONTAINER_SEGMENTS_FORM, &report, qpc->count),
    };
    result = table_options_apply(options, tables, 2);
    if (result == STATUS_OK && json != NULL)
        write_container(path, &report, tables, json);
    else if (result == STATUS_OK)
        print_container(path, &report, tables);
    for (size_t i = 0; i < 2; i++)
        table_free(tables[i]);
    container_report_free(&report);
    qpc_free(qpc);
    return result;
}
