#include "suite_report.h"

#include <stdlib.h>

#include "formats/format.h"
#include "overview_document.h"
#include "reports/overview/list.h"
#include "suite/junit.h"

// Overviews -------------------------------------------------------------------------------

static status read_overview(const char *path, struct suite_overview *out_overview)
{
    const struct format_options options = {0};
    struct profile *profile = profile_create();
    status result = format_read(path, &options, profile);
    if (result == STATUS_OK)
        result = overview_rows_list(profile, false, &out_overview->list, &out_overview->count);
    for (size_t i = 0; result == STATUS_OK && i < out_overview->count; i++) {
        struct overview_rows *rows = &out_overview->list[i];
        size_t kept = 0;
        for (size_t k = 0; k < rows->count; k++) {
            if (overview_row_is_shown(&rows->rows[k]))
                rows->rows[kept++] = rows->rows[k];
        }
        rows->count = kept;
    }
    profile_free(profile);
    return result;
}

void suite_report_read_trace(struct suite_report *report, size_t index)
{
    const struct trial *trial = &report->list->trials[index];
    struct trial_result *result = &report->results[index];
    struct suite_overview *overview = &report->overviews[index];
    struct bytes path = {0};
    if (result->status != TRIAL_PASS)
        return;
    bytes_append_format(&path, "%s/trace.pb", trial->folder);
    bytes_append(&path, "", 1);
    const status failure = read_overview((const char *)path.data, overview);
    bytes_free(&path);
    if (failure == STATUS_OK) {
        for (size_t i = 0; i < overview->count && overview->count == 1; i++) {
            free(overview->list[i].model);
            overview->list[i].model = view_copy(view_of(trial->name));
        }
        return;
    }
    result->status = TRIAL_FAIL;
    snprintf(result->step, sizeof result->step, "report");
    snprintf(result->reason, sizeof result->reason, "%s", status_message(failure));
    status_free(failure);
    *overview = (struct suite_overview){0};
}

// Rows ------------------------------------------------------------------------------------

static const struct trial *trial_of(const struct table_query *query)
{
    return &((const struct suite_report *)query->report)->list->trials[query->row];
}

static const struct trial_result *suite_report_result_of(const struct table_query *query)
{
    return &((const struct suite_report *)query->report)->results[query->row];
}

static struct table_cell suite_report_name_cell(const struct table_query *query)
{
    return table_text(view_of(trial_of(query)->name));
}

static struct table_cell suite_report_model_cell(const struct table_query *query)
{
    return table_text(view_of(trial_of(query)->model));
}

static struct table_cell target_cell(const struct table_query *query)
{
    return table_text(view_of(trial_of(query)->target));
}

static struct table_cell folder_cell(const struct table_query *query)
{
    return table_text(view_of(trial_of(query)->folder));
}

static struct table_cell suite_report_status_cell(const struct table_query *query)
{
    return table_text(view_of(trial_status_name(suite_report_result_of(query)->status)));
}

static struct table_cell step_cell(const struct table_query *query)
{
    return table_text_if_any(view_of(suite_report_result_of(query)->step));
}

static struct table_cell suite_report_reason_cell(const struct table_query *query)
{
    return table_text_if_any(view_of(suite_report_result_of(query)->reason));
}

static struct table_cell wall_cell(const struct table_query *query)
{
    return table_whole_if(suite_report_result_of(query)->has_wall_time,
                          suite_report_result_of(query)->wall_ns);
}

static struct table_cell board_cell(const struct table_query *query)
{
    return table_whole_if(suite_report_result_of(query)->has_board_time,
                          suite_report_result_of(query)->board_ns);
}

static struct table_cell overall_cell(const struct table_query *query)
{
    const struct suite_report *report = query->report;
    const struct suite_overview *overview = &report->overviews[query->row];
    const bool known =
        overview->count > 0 && overview->list[0].count > 0 && overview->list[0].rows[0].present;
    return table_whole_if(known, known ? overview->list[0].rows[0].ns : 0);
}

static struct table_cell cached_cell(const struct table_query *query)
{
    return table_flag(suite_report_result_of(query)->cached);
}

static struct table_cell suite_report_lost_cell(const struct table_query *query)
{
    return table_whole(suite_report_result_of(query)->lost);
}

static struct table_cell suite_report_total_cell(const struct table_query *query)
{
    return table_whole(suite_report_result_of(query)->total_ns);
}

static struct table_cell suite_report_absent_cell(const struct table_query *query)
{
    (void)query;
    return table_absent();
}

static void write_metrics(const struct table_query *query, struct json_writer *json)
{
    const struct suite_report *report = query->report;
    const struct suite_overview *overview = &report->overviews[query->row];
    json_open_array(json, query->column->key);
    for (size_t i = 0; i < overview->count; i++) {
        const struct overview_report one = {.path = "", .rows = &overview->list[i]};
        struct table *table = overview_table_create(&one, false);
        json_open_object(json, NULL);
        json_text(json, "model", view_of(overview->list[i].model));
        table_json_rows(table, json, "rows");
        json_close(json);
        table_free(table);
    }
    json_close(json);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "name", .meaning = "of the network, and of its folder", .place = 2, .cell = suite_report_name_cell},
    {.key = "status", .meaning = "pass; fail: not compiled, not run, or late; error: not tried",
     .place = 1, .cell = suite_report_status_cell},
    {.key = "model", .meaning = "the network's file", .cell = suite_report_model_cell},
    {.key = "target", .meaning = "what it was compiled for", .place = 3, .loss = 1,
     .cell = target_cell},
    {.key = "wall_time_ns", .title = "wall time", .meaning = "of the run, with ssh where there is a board",
     .type = TABLE_NS, .look = TABLE_SCALED, .place = 4, .cell = wall_cell},
    {.key = "wall_time_board_ns", .title = "on board", .meaning = "of the run by the board's clock, without ssh",
     .type = TABLE_NS, .look = TABLE_SCALED, .flags = TABLE_HIDE_EMPTY, .place = 5, .cell = board_cell},
    {.key = "overall_ns", .title = "overall", .meaning = "of its trace: from the first event to the last",
     .type = TABLE_NS, .look = TABLE_SCALED, .place = 6, .cell = overall_cell},
    {.key = "cached", .meaning = "it was compiled before", .type = TABLE_FLAG, .cell = cached_cell},
    {.key = "lost_connections", .meaning = "to the board, that were tried again", .type = TABLE_COUNT,
     .cell = suite_report_lost_cell},
    {.key = "total_ns", .meaning = "for all of it: compiling, copying, running, reports",
     .type = TABLE_NS, .look = TABLE_SCALED, .cell = suite_report_total_cell},
    {.key = "folder", .meaning = "of its log, profile and trace", .cell = folder_cell},
    {.key = "step", .meaning = "where it failed: prepare, compile, run or report",
     .flags = TABLE_HIDE_EMPTY | TABLE_EMPTY_ABSENT, .place = 7, .cell = step_cell},
    {.key = "reason", .meaning = "why it does not pass",
     .flags = TABLE_HIDE_EMPTY | TABLE_EMPTY_ABSENT, .place = 8, .cell = suite_report_reason_cell},
    {.key = "overviews", .meaning = "the figures of its trace, only in JSON", .flags = TABLE_NOT_CSV,
     .cell = suite_report_absent_cell, .json = write_metrics},
};
// clang-format on

const struct table_form SUITE_FORM = {
    .name = "networks",
    .about = "a row for each network",
    TABLE_COLUMNS(COLUMNS),
};

// Printing --------------------------------------------------------------------------------

size_t suite_report_count(const struct suite_report *report, enum trial_status wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < report->list->count; i++)
        count += report->results[i].status == wanted;
    return count;
}

void suite_report_print_one(const struct suite_report *report, size_t index)
{
    const struct trial *trial = &report->list->trials[index];
    const struct trial_result *result = &report->results[index];
    printf("%-5s %s", trial_status_name(result->status), trial->name);
    if (result->has_wall_time)
        printf("  Wall time: %.3fs", (double)result->wall_ns / 1e9);
    if (result->has_board_time)
        printf(" (%.3fs without ssh)", (double)result->board_ns / 1e9);
    printf("\n");
    if (result->status != TRIAL_PASS)
        printf("      %s: %s\n      %s/log.txt\n", result->step, result->reason, trial->folder);
    fflush(stdout);
}

static void print_overviews(const struct suite_report *report)
{
    bool first = true;
    for (size_t i = 0; i < report->list->count; i++) {
        const struct suite_overview *overview = &report->overviews[i];
        for (size_t k = 0; k < overview->count; k++) {
            const struct overview_report one = {report->list->trials[i].model, &overview->list[k],
                                                report->results[i].has_wall_time,
                                                report->results[i].wall_ns};
            if (first)
                overview_document_print_head();
            first = false;
            overview_document_print(&one, NULL);
        }
    }
}

static void suite_report_print_text(const struct suite_report *report)
{
    const size_t count = report->list->count;
    printf("%zu of %zu network%s pass%s; %zu fail, %zu errors\n",
           suite_report_count(report, TRIAL_PASS), count, count == 1 ? "" : "s",
           suite_report_count(report, TRIAL_PASS) == 1 ? "es" : "",
           suite_report_count(report, TRIAL_FAIL), suite_report_count(report, TRIAL_ERROR));
    print_overviews(report);
}

static status suite_report_write_json(const struct suite_report *report, struct table *table,
                                      const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_uint(&json, "passed", suite_report_count(report, TRIAL_PASS));
    json_uint(&json, "failed", suite_report_count(report, TRIAL_FAIL));
    json_uint(&json, "errors", suite_report_count(report, TRIAL_ERROR));
    table_json_rows(table, &json, SUITE_FORM.name);
    json_close(&json);
    return output_close(output);
}

status suite_report_print(const struct suite_report *report, const struct table_options *options)
{
    struct table *table = table_create(&SUITE_FORM, report, report->list->count);
    status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && options->json)
        result = suite_report_write_json(report, table, "-");
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(table);
    else if (result == STATUS_OK &&
             (options->columns != NULL || options->sort != NULL || options->has_top))
        table_options_print(table, stdout);
    if (result == STATUS_OK && !options->json && !options->csv && options->columns == NULL)
        suite_report_print_text(report);
    table_free(table);
    return result;
}

static char *suite_report_file_in(const char *folder, const char *name)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%s", folder, name);
    char *text = view_copy(bytes_view(&path));
    bytes_free(&path);
    return text;
}

status suite_report_write_files(const struct suite_report *report)
{
    struct table *table = table_create(&SUITE_FORM, report, report->list->count);
    char *json = suite_report_file_in(report->folder, "results.json");
    char *junit = suite_report_file_in(report->folder, "junit.xml");
    status result = suite_report_write_json(report, table, json);
    if (result == STATUS_OK)
        result = junit_write(junit, report->list, report->results);
    free(json);
    free(junit);
    table_free(table);
    return result;
}

void suite_report_free(struct suite_report *report)
{
    for (size_t i = 0; report->overviews != NULL && i < report->list->count; i++) {
        if (report->overviews[i].count > 0)
            overview_rows_list_free(report->overviews[i].list, report->overviews[i].count);
    }
    free(report->overviews);
    free(report->results);
}
