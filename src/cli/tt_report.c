// `opscope tt-report LOGS...`: the operations report from Tenstorrent's logs, or from a profile.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "commands.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/tenstorrent/hosts_report.h"

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

static status tt_report_check_output(const char *output, const struct logs *logs)
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
    status result = tt_report_check_output(request->output, &logs);
    if (result == STATUS_OK)
        result = ops_report_of_logs(request, &logs, ledger);
    logs_close(&logs);
    return result;
}

static status make_of_hosts(struct ops_report *request, const struct hosts *hosts,
                            struct profile *ledger)
{
    if (request->device_only)
        return status_make(STATUS_USAGE, "tt-report: --device-only is for the logs of one host: "
                                         "give them one after the other");
    return ops_report_of_hosts(request, hosts, ledger);
}

static status tt_report_make(struct ops_report *request, const char *const *paths, size_t count,
                             struct profile *ledger)
{
    struct hosts hosts;
    hosts_find(paths, count, &hosts);
    if (hosts.count > 0) {
        const status result = make_of_hosts(request, &hosts, ledger);
        hosts_free(&hosts);
        return result;
    }
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
        char words[OPS_REPORT_WORDS_ROOM];
        if (strcmp(request->output, "-") != 0)
            printf("%zu rows in %s%s\n", request->rows, request->output,
                   ops_report_modelled_words(&request->modelled, words));
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
    .usage = "LOGS...|PROFILE [-o ops_perf_results.csv]",
    .summary = "Tenstorrent's operations report, from its logs or from any profile",
    .details =
        "Takes profile_log_device.csv (or cpp_device_perf_report.csv), tracy_ops_data.csv and\n"
        "tracy_ops_times.csv, or a folder that holds them. A profile that 'opscope convert' made\n"
        "of them gives the same bytes; any other profile or trace that opscope reads, of a run on\n"
        "whatever target or merged of several, gives the columns that apply. What is not said is\n"
        "left empty and accounted for: exit 3 when something is lost. Several folders, or one\n"
        "with rank0, rank1, ... in it (as tt-run --tracy leaves them), are hosts of one run: the\n"
        "device of host n is DEVICE ID + n * devices. Without the host's files, or with\n"
        "--device-only, also writes per_core_op_to_op_times.csv beside the report.",
    .examples = "  opscope tt-report generated/profiler/.logs -o ops_perf_results.csv\n"
                "  opscope tt-report profile_log_device.csv -o device.csv\n"
                "  opscope tt-report generated/profiler/rank0 generated/profiler/rank1 -o all.csv\n"
                "  opscope tt-report run.prof -o ops_perf_results.csv\n"
                "  opscope tt-report trace.json.gz -o ops_perf_results.csv\n"
                "  opscope tt-report .logs --format v2.1 -o -",
    .options = OPTIONS,
    .run = tt_report_command,
};

// The vendor's name -----------------------------------------------------------

enum { PATH_ROOM = 4096, DATE_ROOM = 32 };

// Where tt-metal keeps .logs and reports.
static void artifacts_folder(const char *wanted, char folder[PATH_ROOM])
{
    const char *own = getenv("TT_METAL_PROFILER_DIR");
    const char *home = getenv("TT_METAL_HOME");
    if (wanted != NULL || (own != NULL && own[0] != '\0'))
        snprintf(folder, PATH_ROOM, "%s", wanted != NULL ? wanted : own);
    else if (home != NULL && home[0] != '\0')
        snprintf(folder, PATH_ROOM, "%s/generated/profiler", home);
    else
        snprintf(folder, PATH_ROOM, "generated/profiler");
}

// 2025_09_18_11_39_20; SOURCE_DATE_EPOCH is taken for now where it is set.
static void date_of_report(char text[DATE_ROOM])
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    struct tm parts;
    const bool fixed = given != NULL && view_to_u64(view_of(given), &seconds);
    const time_t now = fixed ? (time_t)seconds : time(NULL);
    if (fixed)
        gmtime_r(&now, &parts);
    else
        localtime_r(&now, &parts);
    strftime(text, DATE_ROOM, "%Y_%m_%d_%H_%M_%S", &parts);
}

static bool tt_report_append(char *path, const char *before, const char *text)
{
    const size_t used = strlen(path);
    const int size = snprintf(path + used, PATH_ROOM - used, "%s%s", before, text);
    return size >= 0 && (size_t)size < PATH_ROOM - used;
}

// <folder>/reports/[<name>/][<date>/], made on the way, and the report in it.
static status vendor_paths(const char *folder, const char *name, const char *date, char *beside,
                           char *report)
{
    beside[0] = report[0] = '\0';
    bool fits =
        tt_report_append(beside, folder, "/reports") && tt_report_append(report, REPORT_NAME, "");
    if (name != NULL)
        fits = fits && tt_report_append(beside, "/", name) && tt_report_append(report, "_", name);
    if (date != NULL)
        fits = fits && tt_report_append(beside, "/", date) && tt_report_append(report, "_", date);
    char file[PATH_ROOM];
    snprintf(file, sizeof file, "%s.csv", report);
    report[0] = '\0';
    fits = fits && tt_report_append(report, beside, "/") && tt_report_append(report, "", file);
    return fits ? folder_make(beside)
                : status_make(STATUS_USAGE, "process_ops_logs: the path is too long");
}

// What tools that open the folder look for beside the report.
static status copy_beside(const char *logs, const char *folder)
{
    static const char *const FILES[] = {"profile_log_device.csv", "tracy_profile_log_host.tracy"};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char from[PATH_ROOM] = "";
        char to[PATH_ROOM] = "";
        struct input *input;
        struct output *output;
        if (!tt_report_append(from, logs, "/") || !tt_report_append(from, "", FILES[i]) ||
            !tt_report_append(to, folder, "/") || !tt_report_append(to, "", FILES[i]) ||
            access(from, R_OK) != 0)
            continue;
        STATUS_TRY(input_open(from, &input));
        status result = output_open(to, &output);
        if (result == STATUS_OK) {
            output_write(output, input->bytes.data, input->bytes.size);
            result = output_close(output);
        }
        input_close(input);
        STATUS_TRY(result);
    }
    return STATUS_OK;
}

static status tt_report_run_vendor(const struct arguments *arguments, int *out_exit)
{
    char folder[PATH_ROOM];
    char logs[PATH_ROOM] = "";
    char beside[PATH_ROOM];
    char report[PATH_ROOM];
    char date[DATE_ROOM];
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    const bool dated = arguments_flag(arguments, "date");
    struct ops_report request = {.output = report,
                                 .version = REPORT_V1,
                                 .device_only = arguments_flag(arguments, "device-only")};
    artifacts_folder(arguments_value(arguments, "output-folder"), folder);
    date_of_report(date);
    STATUS_TRY(vendor_paths(folder, arguments_value(arguments, "name-append"), dated ? date : NULL,
                            beside, report));
    if (!tt_report_append(logs, folder, "/.logs"))
        return status_make(STATUS_USAGE, "process_ops_logs: the path is too long");
    const char *const usual[] = {logs};
    STATUS_TRY(
        run_request(&request, count > 0 ? paths : usual, count > 0 ? count : 1, true, out_exit));
    return count > 0 ? STATUS_OK : copy_beside(logs, beside);
}

static const struct option VENDOR_OPTIONS[] = {
    {"output-folder", 'o', OPTION_ONE, "DIR", "folder of .logs and reports"},
    {"name-append", 'n', OPTION_ONE, "NAME", "added to the name of the report"},
    {"device-only", 0, OPTION_FLAG, NULL, "only what the device says"},
    {"date", 0, OPTION_FLAG, NULL,
     "a folder and a name with the date: reports/2025_09_18_11_39_20"},
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
    .details = "Reads DIR/.logs and writes DIR/reports/[NAME/][DATE/]ops_perf_results[_NAME][_DATE]"
               ".csv,\nwith the device log and Tracy's trace beside it, as tt-metal lays them out. "
               "DIR is\n$TT_METAL_PROFILER_DIR, else $TT_METAL_HOME/generated/profiler, else "
               "generated/profiler.",
    .examples = "  process_ops_logs -o generated/profiler\n"
                "  process_ops_logs -n resnet --date",
    .own_exits = EXITS_WITHOUT_LOSS,
    .options = VENDOR_OPTIONS,
    .abbreviated = sizeof VENDOR_OPTIONS / sizeof VENDOR_OPTIONS[0] - 1,
    .run = tt_report_run_vendor,
};
