// `tt_profile "test_command"`: the operations report of a command, as tt-torch's script is called.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/path.h"
#include "capturing.h"
#include "commands.h"
#include "formats/format.h"
#include "formats/tracy/writer.h"
#include "ledger_text.h"
#include "profile/file.h"
#include "reports/tenstorrent/ops_report.h"

static const char FOLDER[] = "results/perf";
static const char NAME[] = "device_ops_perf_trace.csv";

// A bare name lies where the vendor's tool puts it.
static status choose_output(const char *given, char *path, size_t room)
{
    const char *name = given != NULL ? given : NAME;
    const int size = strchr(name, '/') == NULL ? snprintf(path, room, "%s/%s", FOLDER, name)
                                               : snprintf(path, room, "%s", name);
    if (size < 0 || (size_t)size >= room)
        return status_make(STATUS_USAGE, "tt_profile: the path of the report is too long");
    return status_within(folder_make_for(path), "tt_profile");
}

// Where tt-metal keeps its logs.
static void path_of_log(const char *name, char *path, size_t room)
{
    const char *home = getenv("TT_METAL_HOME");
    const char *folder = getenv("TT_METAL_PROFILER_DIR");
    if (folder != NULL)
        snprintf(path, room, "%s/.logs/%s", folder, name);
    else
        snprintf(path, room, "%s/generated/profiler/.logs/%s",
                 home != NULL ? home : "install/tt-metal", name);
}

// The device's log of this run; one that was there before is another's.
static bool find_device_log(const struct capturing *capturing, char *path, size_t room)
{
    struct stat about;
    struct timespec now;
    path_of_log("profile_log_device.csv", path, room);
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t since = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &now);
    const time_t begun = now.tv_sec - (time_t)((since - capturing->capture.begun) / 1000000000) - 1;
    return stat(path, &about) == 0 && about.st_mtime >= begun;
}

// What a program with Tracy says of its operations, with its device's log where `device` names it:
// at `report->output`, if it has any. Made where nobody has files, since it may turn out to be
// empty.
static status report_stream(struct capturing *capturing, const struct tracy_client *client,
                            const char *device, struct ops_report *report, struct profile *ledger)
{
    const char *const paths[] = {client->path, device};
    const char *output = report->output;
    const bool in_place = strncmp(output, "/dev/", 5) == 0;
    char made[4096];
    struct logs logs;
    const int size = snprintf(made, sizeof made, "%s/report.csv", capturing->folder);
    if (size < 0 || (size_t)size >= sizeof made)
        return status_make(STATUS_USAGE, "the path of the report is too long");
    STATUS_TRY(logs_open(paths, device != NULL ? 2 : 1, &logs));
    report->output = in_place ? output : made;
    status result = ops_report_of_logs(report, &logs, ledger);
    report->output = output;
    logs_close(&logs);
    if (result == STATUS_OK && report->rows > 0 && !in_place && rename(made, output) != 0)
        result = status_system(errno, output, "cannot write");
    char name[PROCESS_NAME + 16];
    snprintf(name, sizeof name, "%s %d", capture_process_name(&capturing->capture, client->process),
             (int)client->process);
    profile_notes_rename(ledger, client->path, name);
    return result;
}

// The first program with Tracy that has operations, by what it says itself: a device's log that
// is read with it is another's where it has none. Where none has any, the first; SIZE_MAX: none.
static status choose_stream(struct capturing *capturing, size_t *out_index)
{
    const struct capture *capture = &capturing->capture;
    size_t first = SIZE_MAX;
    status result = STATUS_OK;
    for (size_t i = 0; i < capture->client_count && result == STATUS_OK; i++) {
        struct ops_report report = {.output = "/dev/null", .version = REPORT_V1};
        if (capture->clients[i].written == 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        *out_index = i;
        if (capturing->collected.streams == 1)
            return STATUS_OK;
        struct profile *ledger = profile_create();
        result = report_stream(capturing, &capture->clients[i], NULL, &report, ledger);
        profile_free(ledger);
        if (report.rows > 0)
            return result;
    }
    *out_index = first;
    return result;
}

static status report_first_stream(struct capturing *capturing, struct ops_report *report,
                                  struct profile *ledger, size_t *out_index)
{
    char device[4096];
    const bool has_device = find_device_log(capturing, device, sizeof device);
    STATUS_TRY(choose_stream(capturing, out_index));
    if (*out_index == SIZE_MAX)
        return STATUS_OK;
    return report_stream(capturing, &capturing->capture.clients[*out_index],
                         has_device ? device : NULL, report, ledger);
}

static status report_profile(struct capturing *capturing, struct ops_report *report,
                             struct profile *ledger)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/merged.prof", capturing->folder);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "tt_profile: the path of the report is too long");
    STATUS_TRY(profile_save(capturing->profile, path));
    return ops_report_of_profile(report, path, ledger);
}

static void say_report(const struct ops_report *report, const struct profile *ledger)
{
    char words[OPS_REPORT_WORDS_ROOM];
    fprintf(stderr, "Wrote report to %s (%zu rows%s)\n", report->output, report->rows,
            ops_report_modelled_words(&report->modelled, words));
    ledger_warn(ledger);
}

// "ops.csv" as "ops_2.csv".
static bool name_further(const char *output, unsigned number, char *path, size_t room)
{
    const char *dot = strrchr(path_base_name(output), '.');
    const size_t stem = dot != NULL ? (size_t)(dot - output) : strlen(output);
    const int size =
        snprintf(path, room, "%.*s_%u%s", (int)stem, output, number, dot != NULL ? dot : "");
    return size > 0 && (size_t)size < room;
}

// Each further program with Tracy that has operations has a report of its own: calls are numbered
// program by program, so that the device's log, which the first one has, says nothing of them.
static status report_further_streams(struct capturing *capturing, const char *output, size_t after)
{
    const struct capture *capture = &capturing->capture;
    unsigned number = 2;
    status result = STATUS_OK;
    for (size_t i = after + 1; i < capture->client_count && result == STATUS_OK; i++) {
        char path[4096];
        struct ops_report report = {.output = path, .version = REPORT_V1};
        if (capture->clients[i].written == 0)
            continue;
        if (!name_further(output, number, path, sizeof path))
            return status_make(STATUS_USAGE, "the path of the report is too long");
        struct profile *ledger = profile_create();
        result = report_stream(capturing, &capture->clients[i], NULL, &report, ledger);
        if (result == STATUS_OK && report.rows > 0) {
            say_report(&report, ledger);
            number++;
        }
        profile_free(ledger);
    }
    return result;
}

static status tt_profile_write_report(struct capturing *capturing, const char *output)
{
    struct ops_report report = {.output = output, .version = REPORT_V1};
    struct profile *ledger = profile_create();
    size_t index;
    status result = report_first_stream(capturing, &report, ledger, &index);
    const bool of_stream = report.rows > 0;
    if (result == STATUS_OK && !of_stream) {
        profile_free(ledger);
        ledger = profile_create();
        result = report_profile(capturing, &report, ledger);
    }
    if (result == STATUS_OK)
        say_report(&report, ledger);
    profile_free(ledger);
    if (result == STATUS_OK && of_stream)
        result = report_further_streams(capturing, output, index);
    if (of_stream && capturing->collected.recordings > 0)
        fprintf(stderr,
                "opscope: tt_profile: what opscope's own runtime and recorder recorded is not in "
                "the report: 'opscope profile' captures all in one\n");
    return status_within(result, "tt_profile");
}

// What was captured, for Tracy's viewer. Of one program with Tracy and nothing else it is what that
// sent, so that a report of the folder is the report of this run.
static status write_host_trace(struct capturing *capturing, const char *path)
{
    const struct capture *capture = &capturing->capture;
    const struct format_options options = {0};
    const char *stream = NULL;
    for (size_t i = 0; i < capture->client_count; i++)
        stream = capture->clients[i].written > 0 ? capture->clients[i].path : stream;
    STATUS_TRY(folder_make_for(path));
    if (stream == NULL || capturing->collected.streams != 1 || capturing->collected.recordings != 0)
        return tracy_write(capturing->profile, path);
    struct profile *profile = profile_create();
    status result = format_read(stream, &options, profile);
    if (result == STATUS_OK)
        result = tracy_write(profile, path);
    profile_free(profile);
    return result;
}

// The report is what was asked for: it does not fail where this does.
static void tt_profile_write_trace(struct capturing *capturing)
{
    char path[4096];
    path_of_log("tracy_profile_log_host.tracy", path, sizeof path);
    const status result = write_host_trace(capturing, path);
    if (result == STATUS_OK)
        fprintf(stderr, "Wrote trace to %s: Tracy's viewer opens it\n", path);
    else
        fprintf(stderr, "opscope: tt_profile: no trace for Tracy's viewer: %s\n",
                status_message(result));
    status_free(result);
}

// The command's; as the vendor's tool has it, one that is fine and leaves nothing to report is not.
static int exit_of(const struct capturing *capturing, bool reported)
{
    const int code = capture_exit_status(&capturing->capture);
    if (code != EXIT_DONE || reported)
        return code;
    if (!capturing_has_data(capturing))
        fprintf(stderr,
                "opscope: tt_profile: no profiling data could be captured: there is no report\n");
    return EXIT_FAILED;
}

// Report and trace of what there is. A report that cannot be made or written is said, and what was
// captured is kept: the command has its own status all the same.
static bool write_all(struct capturing *capturing, const char *output)
{
    if (!capturing_has_data(capturing))
        return false;
    const status failure = tt_profile_write_report(capturing, output);
    const bool reported = failure == STATUS_OK;
    if (!reported)
        fprintf(stderr, "opscope: %s\n", status_message(failure));
    status_free(failure);
    tt_profile_write_trace(capturing);
    return reported;
}

static status tt_profile_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    struct capturing capturing = {.command = "tt_profile"};
    char output[4096];
    if (count != 1)
        return status_make(STATUS_USAGE, "tt_profile: give the command as one word, in quotes: "
                                         "tt_profile \"pytest -svv tests/test_mnist.py\"");
    STATUS_TRY(capturing_read_options(arguments, &capturing));
    STATUS_TRY(choose_output(arguments_value(arguments, "output-path"), output, sizeof output));
    char *const command[] = {(char *)"sh", (char *)"-c", (char *)words[0], NULL};
    status result = capturing_run(&capturing, command, output);
    const bool reported = result == STATUS_OK && write_all(&capturing, output);
    if (result == STATUS_OK)
        *out_exit = exit_of(&capturing, reported);
    return status_first(result,
                        capturing_end(&capturing, reported || !capturing_has_data(&capturing)));
}

static const struct option OPTIONS[] = {
    {"output-path", 'o', OPTION_ONE, "OUTPUT_PATH",
     "the report: a name in results/perf, or a path (device_ops_perf_trace.csv)"},
    CAPTURING_OPTIONS,
    {0},
};

const struct command COMMAND_TT_PROFILE = {
    .name = "tt_profile",
    .link = "tt_profile",
    .script = true,
    .usage = "[-h] [-o OUTPUT_PATH] [-p PORT] \"test_command\"",
    .summary = "run a command and report its operations, as tt-torch's tool is called",
    .details =
        "Captures as 'opscope profile' does and writes the operations report: of what a\n"
        "program with Tracy and its device's log say, or of what opscope's own runtime\n"
        "recorded. What was captured is also written as Tracy saves traces, for its viewer:\n"
        "generated/profiler/.logs/tracy_profile_log_host.tracy below $TT_METAL_HOME, else\n"
        "below install/tt-metal, or .logs below $TT_METAL_PROFILER_DIR. Of several programs\n"
        "with Tracy each has a report: device_ops_perf_trace_2.csv and so on; the device's\n"
        "log goes with the first. A command in which nothing records gets no report, but a\n"
        "message.",
    .examples = "  tt_profile \"python3 train.py\"\n"
                "  tt_profile -o mnist.csv -p 9000 \"python3 train.py\"",
    .own_exits = "the command's status; where that is 0: 1 without a report; 1 failed, 2 wrong use",
    .options = OPTIONS,
    .run = tt_profile_command,
};
