// `opscope overview FILE...`: the Host Profile Overview.

#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "commands.h"
#include "ledger_text.h"
#include "opened.h"
#include "overview_document.h"
#include "reports/overview/list.h"
#include "reports/overview/steps.h"
#include "reports/overview_table.h"
#include "table_options.h"
#include "units.h"

struct request {
    bool all;
    bool steps; // a row for each of them instead
    bool has_wall_time;
    uint64_t wall_time;
    struct format_options reading;
    struct table_options options;
    struct output *output;    // of JSON and CSV
    struct json_writer *json; // the same
    size_t shown;             // profiles so far
    struct ledger ledger;     // of the profile at hand
};

// The text in [..] of a trace's file name, or the name without its extension.
static char *model_of(const char *path)
{
    struct view name = view_of(path_base_name(path));
    const size_t from = view_find(name, '[');
    const size_t to = view_find_last(name, ']');
    if (from < to && to < name.size)
        return view_copy(view_slice(name, from + 1, to));
    const struct view unpacked = path_unpacked_name(name);
    if (view_has_extension(unpacked, ".pb"))
        name.size = unpacked.size - strlen(".pb");
    return view_copy(name);
}

static void print_document(const struct request *request, const struct overview_report *report,
                           const struct table *table)
{
    if (request->shown == 0)
        overview_document_print_head();
    overview_document_print(report, table);
}

static void cli_overview_write_json(const struct request *request,
                                    const struct overview_report *report,
                                    const struct profile *profile, struct table *table)
{
    struct json_writer *json = request->json;
    json_open_object(json, NULL);
    json_text(json, "file", view_of(report->path));
    json_text(json, "model", view_of(report->rows->model));
    if (report->has_wall_time)
        json_uint(json, "wall_time_ns", report->wall_time);
    else
        json_null(json, "wall_time_ns");
    table_json_rows(table, json, "metrics");
    ledger_json_sum(json, "ledger", profile, request->ledger);
    json_close(json);
}

static void cli_overview_write_csv(const struct request *request, struct table *table)
{
    if (request->shown == 0)
        table_csv_head(table, request->output);
    table_csv_rows(table, request->output);
}

static status cli_overview_show_rows(struct request *request, const struct overview_report *report,
                                     const struct profile *profile)
{
    const struct table_options *options = &request->options;
    struct table *table = overview_table_create(report, options->csv || options->columns != NULL);
    const status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && options->json)
        cli_overview_write_json(request, report, profile, table);
    else if (result == STATUS_OK && options->csv)
        cli_overview_write_csv(request, table);
    else if (result == STATUS_OK && options->columns != NULL)
        table_options_print(table, stdout);
    else if (result == STATUS_OK)
        print_document(request, report, table);
    table_free(table);
    request->shown++;
    return result;
}

static status show_list(struct request *request, const char *path, const struct profile *profile,
                        struct overview_rows *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (count == 1) {
            free(list[i].model);
            list[i].model = model_of(path);
        }
        if (!request->all)
            overview_rows_keep_shown(&list[i]);
        const struct overview_report report = {path, &list[i], request->has_wall_time,
                                               request->wall_time};
        STATUS_TRY(cli_overview_show_rows(request, &report, profile));
    }
    return STATUS_OK;
}

static void print_steps(struct request *request, const char *path, const struct profile *profile,
                        struct table *table, size_t count)
{
    struct json_writer *json = request->json;
    if (request->options.json) {
        json_open_object(json, NULL);
        json_text(json, "file", view_of(path));
        table_json_rows(table, json, "steps");
        ledger_json(json, "ledger", profile);
        json_close(json);
    } else if (request->options.csv) {
        cli_overview_write_csv(request, table);
    } else {
        printf("%s: %zu steps of its processes\n", path, count);
        if (count > 0)
            table_options_print(table, stdout);
    }
    request->shown++;
}

static status show_steps(struct request *request, const char *path, struct profile *profile)
{
    struct overview_steps steps;
    STATUS_TRY(overview_steps_measure(profile, &steps));
    struct table *table = table_create(&OVERVIEW_STEPS_FORM, &steps, steps.count);
    const status result = table_options_apply(&request->options, &table, 1);
    if (result == STATUS_OK)
        print_steps(request, path, profile, table, steps.count);
    table_free(table);
    overview_steps_free(&steps);
    return result;
}

static status show_whole(struct request *request, const char *path, struct profile *profile)
{
    struct overview_rows *list;
    size_t count;
    STATUS_TRY(overview_rows_list(profile, request->all, &list, &count));
    if (count == 0)
        profile_note(profile, 0, LEDGER_REMARK, 1, "%s: there are no spans to sum up", path);
    request->ledger = profile_ledger(profile);
    const status result = show_list(request, path, profile, list, count);
    overview_rows_list_free(list, count);
    return result;
}

static status cli_overview_show(struct request *request, const char *path, int *out_exit)
{
    struct profile *profile;
    status result = opened_read(path, &request->reading, &profile);
    if (result == STATUS_OK)
        result = request->steps ? show_steps(request, path, profile)
                                : show_whole(request, path, profile);
    if (result == STATUS_OK) {
        ledger_warn(profile);
        if (ledger_exit(profile) != EXIT_DONE)
            *out_exit = EXIT_LOSS;
    }
    opened_close(profile);
    return result;
}

static status show_all(struct request *request, const char *const *paths, size_t count,
                       int *out_exit)
{
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(cli_overview_show(request, paths[i], out_exit));
    return STATUS_OK;
}

static status overview_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    const char *wall_time = arguments_value(arguments, "wall-time");
    struct request request = {.all = arguments_flag(arguments, "all"),
                              .steps = arguments_flag(arguments, "steps"),
                              .has_wall_time = wall_time != NULL,
                              .reading.program = arguments_value(arguments, "qpc")};
    if (count == 0)
        return status_make(STATUS_USAGE, "overview: give a file: opscope overview trace.pb");
    STATUS_TRY(table_options_read(arguments, 0, &request.options));
    if (wall_time != NULL)
        STATUS_TRY(units_time(wall_time, &request.wall_time));
    if (!request.options.json && !request.options.csv)
        return show_all(&request, paths, count, out_exit);

    STATUS_TRY(output_open("-", &request.output));
    struct json_writer json = json_write(request.output);
    request.json = &json;
    if (request.options.json)
        json_open_array(&json, NULL);
    const status result = show_all(&request, paths, count, out_exit);
    if (request.options.json)
        json_close(&json);
    return output_finish(request.output, result);
}

static const struct option OPTIONS[] = {
    {"wall-time", 0, OPTION_ONE, "TIME", "end-to-end time to show: 1.234, 207ms or wall_time.txt"},
    {"qpc", 0, OPTION_ONE, "FILE", "Cloud AI's statistics: the programqpc.bin that was run"},
    {"steps", 0, OPTION_FLAG, NULL, "a row for each step of each process and device instead"},
    {"all", 0, OPTION_FLAG, NULL, "every metric, also those that the document does not show"},
    TABLE_OPTIONS("as JSON, with the ledger", "as CSV", "how many figures of each process (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&OVERVIEW_FORM, &OVERVIEW_STEPS_FORM, NULL};

const struct command COMMAND_OVERVIEW = {
    .name = "overview",
    .usage = "FILE... [options]",
    .summary = "where the time went: the Host Profile Overview",
    .details =
        "Takes whatever 'convert' reads: profiles of PyTorch, ONNX Runtime, Nsight Systems and\n"
        "rocprofv3, Perfetto traces (the figures that their overview events carry, or what their\n"
        "tracks add up to), Torq's CSVs, Cloud AI's summaries, traces and statistics, opscope's "
        "own.\n"
        "Torq's NPU has its own table; every other machine is summed up by what its lanes do:\n"
        "compute, copies by direction, communication, the host, idle time and why the device "
        "rests.\n"
        "--steps has a row for each step of each process and device.",
    .examples = "  opscope overview trace.json.gz\n"
                "  opscope overview trace.json.gz --steps\n"
                "  opscope overview timeline.csv --all\n"
                "  opscope overview trace.pb --wall-time wall_time.txt --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = overview_command,
};
