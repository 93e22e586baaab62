// `opscope tt-perf FILE...`, and the same as `tt-perf-report`: the performance
// report over Tenstorrent's operations reports.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recovery.h"
#include "commands.h"
#include "ledger_text.h"
#include "reports/tenstorrent/perf_picture.h"
#include "table_options.h"
#include "tt_perf_files.h"
#include "tt_perf_table.h"

struct request {
    struct perf_options options;
    struct tt_perf_style style;
    enum perf_grouping grouping;
    struct table_options rows;
    bool json;
    bool advice;
    bool raw_codes;
    bool summary;
    bool classic_colours;
    bool all_limits;
    const char *csv;
    const char *summary_file;
};

static status choose_grouping(const struct arguments *arguments, struct request *request)
{
    const char *name = arguments_value(arguments, "group-by");
    if (name == NULL)
        request->grouping =
            arguments_flag(arguments, "no-stack-by-in0") ? PERF_BY_OP : PERF_BY_MEMORY;
    else if (strcmp(name, "op") == 0)
        request->grouping = PERF_BY_OP;
    else if (strcmp(name, "memory") == 0)
        request->grouping = PERF_BY_MEMORY;
    else if (strcmp(name, "category") == 0)
        request->grouping = PERF_BY_CATEGORY;
    else
        return status_make(STATUS_USAGE,
                           "tt-perf: --group-by: '%s' is none of op, memory and category", name);
    return STATUS_OK;
}

static status choose_min_percentage(const struct arguments *arguments, struct request *request)
{
    const char *text = arguments_value(arguments, "min-percentage");
    request->style.min_percentage = 0.5;
    if (text != NULL && !view_to_double(view_of(text), &request->style.min_percentage))
        return status_make(STATUS_USAGE, "tt-perf: --min-percentage: '%s' is not a number", text);
    return STATUS_OK;
}

static bool choose_colours(const struct arguments *arguments)
{
    if (arguments_flag(arguments, "no-color"))
        return false;
    if (arguments_flag(arguments, "color"))
        return true;
    const char *forbidden = getenv("NO_COLOR");
    return (forbidden == NULL || forbidden[0] == '\0') && isatty(STDOUT_FILENO);
}

static status parse_request(const struct arguments *arguments, struct request *request)
{
    const char *range = arguments_value(arguments, "id-range");
    const char *summary_file = arguments_value(arguments, "summary-file");
    *request = (struct request){
        .options = {.start_signpost = arguments_value(arguments, "start-signpost"),
                    .end_signpost = arguments_value(arguments, "end-signpost"),
                    .arch = arguments_value(arguments, "arch"),
                    .ignore_signposts = arguments_flag(arguments, "ignore-signposts"),
                    .print_signposts = arguments_flag(arguments, "print-signposts"),
                    .tracing_mode = arguments_flag(arguments, "tracing-mode"),
                    .no_host_ops = arguments_flag(arguments, "no-host-ops"),
                    .no_merge_devices = arguments_flag(arguments, "no-merge-devices")},
        .style = {.colours = choose_colours(arguments)},
        .json = arguments_flag(arguments, "json"),
        .advice = !arguments_flag(arguments, "no-advice"),
        .raw_codes = arguments_flag(arguments, "raw-op-codes"),
        .summary = !arguments_flag(arguments, "no-summary") &&
                   !arguments_flag(arguments, "no-stacked-report"),
        .classic_colours = arguments_flag(arguments, "classic-colors"),
        .all_limits = arguments_flag(arguments, "limits"),
        .csv = arguments_value(arguments, "csv"),
        .summary_file =
            summary_file != NULL ? summary_file : arguments_value(arguments, "stacked-csv"),
    };
    STATUS_TRY(table_options_read_rows(arguments, 0, &request->rows));
    if (request->json && request->csv != NULL)
        return status_make(STATUS_USAGE, "tt-perf: choose --json or --csv");
    if (range != NULL)
        STATUS_TRY(perf_id_range(range, &request->options));
    STATUS_TRY(choose_grouping(arguments, request));
    return choose_min_percentage(arguments, request);
}

// The summary's files without their extension: as it is asked for, or beside
// the table's. The caller frees it.
static char *summary_base(const struct request *request)
{
    const bool own = request->summary_file != NULL;
    struct view base = view_of(own ? request->summary_file : request->csv);
    if (view_ends_with(base, ".csv"))
        base.size -= 4;
    char *path;
    if (asprintf(&path, "%.*s%s", (int)base.size, base.data, own ? "" : "_stacked") < 0)
        recovery_fail(0);
    return path;
}

static bool by_device(const struct request *request)
{
    return request->options.no_merge_devices;
}

static status write_summary_files(struct perf *perf, const struct request *request,
                                  const char *base)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s.csv", base);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "tt-perf: the path of the summary is too long");
    if (!request->json)
        printf("Writing CSV stacked report to %s\n", path);
    STATUS_TRY(tt_perf_write_stack_csv(perf, request->grouping, by_device(request), path));
    strcpy(path + size - 4, ".png");
    if (!request->json)
        printf("Plotting PNG stacked report to %s\n", path);
    return perf_picture_write(perf, request->grouping, by_device(request), request->classic_colours,
                              path);
}

static status write_summary(struct perf *perf, const struct request *request)
{
    if (!request->summary || perf->count == 0 ||
        (request->csv == NULL && request->summary_file == NULL))
        return STATUS_OK;
    if (!perf_stack_has_any(perf, by_device(request))) {
        if (!request->json)
            printf("No data available for stacked report generation.\n");
        return STATUS_OK;
    }
    char *base = summary_base(request);
    const status result = write_summary_files(perf, request, base);
    free(base);
    return result;
}

static status show_csv(struct table *table, const struct request *request)
{
    printf("Writing CSV output to %s\n", request->csv);
    return tt_perf_write_csv(table, request->rows.columns != NULL, request->advice,
                             request->raw_codes, request->csv);
}

static status show_json(struct perf *perf, struct table *table, const struct request *request)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    tt_perf_write_json(&json, perf, table, request->grouping, by_device(request));
    return output_close(output);
}

static void show_text(struct perf *perf, struct table *table, const struct request *request)
{
    if (perf->count == 0) {
        printf("No operations to display after applying filters.\n");
        return;
    }
    if (request->rows.columns != NULL) {
        table_options_print(table, stdout);
        return;
    }
    tt_perf_print_table(perf, table, &request->style);
    if (request->advice)
        tt_perf_print_advice(perf, &request->style);
    if (!request->summary)
        return;
    tt_perf_print_limits(perf, request->all_limits, &request->style);
    tt_perf_print_stack(perf, request->grouping, by_device(request), &request->style);
}

static status tt_perf_show_table(struct perf *perf, struct table *table,
                                 const struct request *request)
{
    STATUS_TRY(table_options_apply(&request->rows, &table, 1));
    if (request->json)
        return show_json(perf, table, request);
    tt_perf_print_messages(perf, &request->style);
    if (request->csv != NULL)
        return show_csv(table, request);
    show_text(perf, table, request);
    return STATUS_OK;
}

static status tt_perf_show(struct perf *perf, const struct request *request)
{
    const struct perf_report report = {perf};
    struct table *table = table_create(&PERF_FORM, &report, perf->count);
    const status result = tt_perf_show_table(perf, table, request);
    table_free(table);
    return result;
}

static status run_perf(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    struct request request;
    struct perf *perf;
    if (count == 0)
        return status_make(STATUS_USAGE,
                           "tt-perf: give a report: opscope tt-perf ops_perf_results.csv");
    STATUS_TRY(parse_request(arguments, &request));
    STATUS_TRY(perf_read(paths, count, &request.options, &perf));
    status result = tt_perf_show(perf, &request);
    if (result == STATUS_OK)
        result = write_summary(perf, &request);
    if (result == STATUS_OK) {
        fflush(stdout);
        ledger_warn(perf->account);
        *out_exit = ledger_exit(perf->account);
    }
    perf_free(perf);
    return result;
}

// The vendor's tool knows no exit code for lost rows: they are on stderr.
static status tt_perf_run_vendor(const struct arguments *arguments, int *out_exit)
{
    STATUS_TRY(run_perf(arguments, out_exit));
    *out_exit = EXIT_DONE;
    return STATUS_OK;
}

// The first ones are those that the vendor's tool has.
enum { VENDOR_OPTIONS = 22 };

static const struct option OPTIONS[] = {
    {"start-signpost", 0, OPTION_ONE, "NAME", "operations after this signpost"},
    {"end-signpost", 0, OPTION_ONE, "NAME", "operations before this signpost"},
    {"ignore-signposts", 0, OPTION_FLAG, NULL, "the entire file"},
    {"print-signposts", 0, OPTION_FLAG, NULL, "show the signposts inside the window"},
    {"min-percentage", 0, OPTION_ONE, "PERCENT", "grey below this share of the time (0.5)"},
    {"id-range", 0, OPTION_ONE, "RANGE", "ids to show: 5-10, 31- or -12"},
    {"arch", 0, OPTION_ONE, "ARCH", "wormhole, blackhole, bh20, n1, grayskull, quasar"},
    {"color", 0, OPTION_FLAG, NULL, "colours, also into a file"},
    {"no-color", 0, OPTION_FLAG, NULL, "no colours"},
    {"csv", 0, OPTION_ONE, "FILE", "the table as CSV, and FILE_stacked.csv and .png"},
    {"no-advice", 0, OPTION_FLAG, NULL, "the table without advice"},
    {"tracing-mode", 0, OPTION_FLAG, NULL, "keep the order of the file (trace replays)"},
    {"raw-op-codes", 0, OPTION_FLAG, NULL, "the CSV has the op codes without sizes, too"},
    {"no-host-ops", 0, OPTION_FLAG, NULL, "leave out operations on the host"},
    {"no-summary", 0, OPTION_FLAG, NULL, "no stacked report and no limits"},
    {"group-by", 0, OPTION_ONE, "WHAT", "stack by op, memory or category (memory)"},
    {"summary-file", 0, OPTION_ONE, "FILE", "the stacked report as CSV and PNG"},
    {"no-merge-devices", 0, OPTION_FLAG, NULL, "keep the rows of devices apart"},
    {"classic-colors", 0, OPTION_FLAG, NULL, "the picture in colours that tell no category"},
    {"no-stacked-report", 0, OPTION_FLAG, NULL, "as --no-summary"},
    {"no-stack-by-in0", 0, OPTION_FLAG, NULL, "as --group-by op"},
    {"stacked-csv", 0, OPTION_ONE, "FILE", "as --summary-file"},
    {"limits", 0, OPTION_FLAG, NULL, "what limits every operation, not only the costliest"},
    {"json", 0, OPTION_FLAG, NULL, "every figure as JSON, with the ledger"},
    TABLE_OPTIONS_OF_ROWS("how many operations of the table (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&PERF_FORM, &PERF_STACK_FORM, NULL};

#define DETAILS                                                                                    \
    "Takes ops_perf_results.csv of every version, folders (the newest report below them, else\n"   \
    "the logs), and profiles and traces of whatever ran, in any format that opscope reads;\n"      \
    "several of them are the hosts of one run. Without options it looks at what follows the\n"     \
    "last signpost. Every operation is set against what the machine can do, and the report\n"      \
    "says what limits it."

const struct command COMMAND_TT_PERF = {
    .name = "tt-perf",
    .usage = "FILE... [options]",
    .summary = "where the time of a Tenstorrent run goes, and what to do about it",
    .details = DETAILS,
    .examples =
        "  opscope tt-perf ops_perf_results.csv\n"
        "  opscope tt-perf ops_perf_results.csv --start-signpost start --end-signpost stop\n"
        "  opscope tt-perf host0.csv host1.csv --group-by category\n"
        "  opscope tt-perf ops_perf_results.csv --json",
    .options = OPTIONS,
    .abbreviated = VENDOR_OPTIONS,
    .tables = TABLES,
    .run = run_perf,
};

const struct command COMMAND_TT_PERF_REPORT = {
    .name = "tt-perf-report",
    .link = "tt-perf-report",
    .usage = "FILE... [options]",
    .summary = "tt-perf under the vendor's name, with its exit codes",
    .details = DETAILS,
    .examples = "  tt-perf-report ops_perf_results.csv\n"
                "  tt-perf-report ops_perf_results.csv --csv table.csv --id-range 5-10",
    .own_exits = EXITS_WITHOUT_LOSS,
    .options = OPTIONS,
    .abbreviated = VENDOR_OPTIONS,
    .tables = TABLES,
    .run = tt_perf_run_vendor,
};
