// `opscope tt-report LOGS...`: the operations report from Tenstorrent's logs, or from a profile of
// them.

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/tenstorrent/ops_report.h"

static const char REPORT_NAME[] = "ops_perf_results";

static status choose_version(const char *name, enum report_version *out_version)
{
    static const struct {
        const char *name;
        enum report_version version;
    } VERSIONS[] = {{"v1", REPORT_V1}, {"v2", REPORT_V2}, {"v2.1", REPORT_V21}};
    *out_version = REPORT_V1;
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++) {
        if (name == NULL || strcmp(VERSIONS[i].name, name) == 0) {
            *out_version = VERSIONS[i].version;
            return STATUS_OK;
        }
    }
    return status_make(STATUS_USAGE, "tt-report: --format %s: expected v1, v2 or v2.1", name);
}

static status check_output(const char *output, const struct logs *logs)
{
    for (unsigned kind = LOG_DEVICE; kind < LOG_KINDS; kind++) {
        const struct input *input = logs->inputs[kind];
        const char *path = input != NULL ? input->path : NULL;
        if (path != NULL)
            STATUS_TRY(paths_check("tt-report", output, &path, 1));
    }
    return STATUS_OK;
}

static status make_of_logs(struct ops_report *request, const char *const *paths, size_t count,
                           struct profile *ledger)
{
    struct logs logs;
    STATUS_TRY(logs_open(paths, count, &logs));
    status result = check_output(request->output, &logs);
    if (result == STATUS_OK)
        result = ops_report_of_logs(request, &logs, ledger);
    logs_close(&logs);
    return result;
}

static status tt_report_make(struct ops_report *request, const char *const *paths, size_t count,
                             struct profile *ledger)
{
    if (count != 1 || !ops_report_is_profile(paths[0]))
        return make_of_logs(request, paths, count, ledger);
    STATUS_TRY(paths_check("tt-report", request->output, paths, 1));
    return ops_report_of_profile(request, paths[0], ledger);
}

static status run_request(struct ops_report *request, const char *const *paths, size_t count,
                          bool keep_exit, int *out_exit)
{
    struct profile *ledger = profile_create();
    const status result = tt_report_make(request, paths, count, ledger);
    if (result == STATUS_OK) {
        if (strcmp(request->output, "-") != 0)
            printf("%zu rows in %s\n", request->rows, request->output);
        ledger_warn(ledger);
        *out_exit = keep_exit ? EXIT_DONE : ledger_exit(ledger);
    }
    profile_free(ledger);
    return result;
}

static status tt_report_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    const char *output = arguments_value(arguments, "output");
    struct ops_report request = {.output = output != NULL ? output : "ops_perf_results.csv",
                                 .device_only = arguments_flag(arguments, "device-only")};
    if (count == 0)
        return status_make(STATUS_USAGE,
                           "tt-report: give the logs: opscope tt-report generated/profiler/.logs "
                           "-o ops_perf_results.csv");
    STATUS_TRY(choose_version(arguments_value(arguments, "format"), &request.version));
    return run_request(&request, paths, count, false, out_exit);
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE",
     "the report; ops_perf_results.csv by default, - for stdout"},
    {"format", 0, OPTION_ONE, "VERSION", "v1 (default), v2 or v2.1"},
    {"device-only", 0, OPTION_FLAG, NULL, "leave the host's files out, and report gaps per core"},
    {0},
};

const struct command COMMAND_TT_REPORT = {
    .name = "tt-report",
    .usage = "LOGS... [-o ops_perf_results.csv]",
    .summary = "Tenstorrent's operations report from its logs",
    .details =
        "Takes profile_log_device.csv, tracy_ops_data.csv and tracy_ops_times.csv, or a folder\n"
        "that holds them, or a profile that 'opscope convert' made of them. What the logs do not\n"
        "say is left empty and accounted for: exit 3 when something is lost. Without the\n"
        "host's files, or with --device-only, also writes per_core_op_to_op_times.csv beside\n"
        "the report.",
    .examples = "  opscope tt-report generated/profiler/.logs -o ops_perf_results.csv\n"
                "  opscope tt-report profile_log_device.csv -o device.csv\n"
                "  opscope tt-report .logs --format v2.1 -o -",
    .options = OPTIONS,
    .run = tt_report_command,
};

// The vendor's name -----------------------------------------------------------

// <output folder>/.logs -> <output folder>/reports/[<name>/]ops_perf_results[_<name>].csv
static status vendor_paths(const char *folder, const char *name, char *logs, char *report,
                           size_t room)
{
    const bool named = name != NULL;
    snprintf(logs, room, "%s/.logs", folder);
    snprintf(report, room, "%s/reports", folder);
    mkdir(report, 0777);
    if (named) {
        snprintf(report, room, "%s/reports/%s", folder, name);
        mkdir(report, 0777);
    }
    const size_t used = strlen(report);
    const int size = snprintf(report + used, room - used, "/%s%s%s.csv", REPORT_NAME,
                              named ? "_" : "", named ? name : "");
    return size > 0 && (size_t)size < room - used
               ? STATUS_OK
               : status_make(STATUS_USAGE, "process_ops_logs: the path is too long");
}

static status run_vendor(const struct arguments *arguments, int *out_exit)
{
    char logs[4096];
    char report[4096];
    const char *folder = arguments_value(arguments, "output-folder");
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    struct ops_report request = {.output = report,
                                 .version = REPORT_V1,
                                 .device_only = arguments_flag(arguments, "device-only")};
    STATUS_TRY(vendor_paths(folder != NULL ? folder : "generated/profiler",
                            arguments_value(arguments, "name-append"), logs, report,
                            sizeof report));
    const char *const usual[] = {logs};
    return run_request(&request, count > 0 ? paths : usual, count > 0 ? count : 1, true, out_exit);
}

static const struct option VENDOR_OPTIONS[] = {
    {"output-folder", 'o', OPTION_ONE, "DIR", "folder of .logs and reports (generated/profiler)"},
    {"name-append", 'n', OPTION_ONE, "NAME", "added to the name of the report"},
    {"device-only", 0, OPTION_FLAG, NULL, "only what the device says"},
    {"date", 0, OPTION_FLAG, NULL, "accepted, has no effect: reports have no dates in their names"},
    {"analyze-noc-traces", 0, OPTION_FLAG, NULL, "accepted, has no effect: needs tt-npe"},
    {"device-analysis-types", 'a', OPTION_MANY, "NAME", "accepted, has no effect: all are done"},
    {"force-legacy-device-logs", 0, OPTION_FLAG, NULL, "accepted: the device log is always read"},
    {0},
};

const struct command COMMAND_PROCESS_OPS_LOGS = {
    .name = "process_ops_logs",
    .link = "process_ops_logs",
    .usage = "[-o DIR] [options]",
    .summary = "tt-report as tt-metal's script is called",
    .details = "Reads DIR/.logs and writes DIR/reports/ops_perf_results.csv. Exit 0 also when data "
               "is\nlost, which is said on stderr.",
    .examples = "  process_ops_logs -o generated/profiler\n"
                "  process_ops_logs -n resnet --device-only",
    .options = VENDOR_OPTIONS,
    .abbreviated = sizeof VENDOR_OPTIONS / sizeof VENDOR_OPTIONS[0] - 1,
    .run = run_vendor,
};
