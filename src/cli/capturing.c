#include "capturing.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/path.h"
#include "plain_text.h"
#include "units.h"

enum { LINGER_MS = 10000, TREE_MOST = 40 };

// Options ---------------------------------------------------------------------

status capturing_read_options(const struct arguments *arguments, struct capturing *capturing)
{
    const char *command = capturing->command;
    const char *disk = arguments_value(arguments, "disk");
    const char *linger = arguments_value(arguments, "linger");
    uint64_t linger_ns = LINGER_MS * 1000000ull;
    unsigned port;
    STATUS_TRY(arguments_number(arguments, "port", 0, &port));
    if (port > UINT16_MAX)
        return status_make(STATUS_USAGE, "%s: --port %u: expected 1 to 65535", command, port);
    if (disk != NULL && (!units_size(view_of(disk), &capturing->disk) || capturing->disk == 0))
        return status_make(STATUS_USAGE, "%s: --disk '%s': expected a size such as 500MiB", command,
                           disk);
    if (linger != NULL)
        STATUS_TRY(status_within(units_time(linger, &linger_ns), "%s: --linger", command));
    capturing->linger_ms =
        linger_ns / 1000000 < 86400000 ? (unsigned)(linger_ns / 1000000) : 86400000;
    capturing->port = (uint16_t)port;
    return port != 0 ? status_within(capture_check_port((uint16_t)port), "%s", command) : STATUS_OK;
}

// The folder ------------------------------------------------------------------

// Beside what is written: there must be room for that as well. "-" and devices have no such place.
static status make_folder(struct capturing *capturing, const char *output)
{
    char path[4096];
    const size_t parent = (size_t)(path_base_name(output) - output);
    const char *temporary = getenv("TMPDIR");
    const bool elsewhere = strcmp(output, "-") == 0 || strncmp(output, "/dev/", 5) == 0;
    const int size =
        elsewhere ? snprintf(path, sizeof path, "%s/opscope-capture-XXXXXX",
                             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp")
                  : snprintf(path, sizeof path, "%.*s.opscope-capture-XXXXXX", (int)parent, output);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "%s: the path of '%s' is too long", capturing->command,
                           output);
    if (mkdtemp(path) == NULL)
        return status_within(status_system(errno, path, "cannot make a folder to capture to"), "%s",
                             capturing->command);
    capturing->folder = realpath(path, NULL);
    return capturing->folder != NULL
               ? STATUS_OK
               : status_system(errno, path, "cannot find the folder to capture to");
}

static uint64_t half_of_disk(const char *folder)
{
    struct statvfs about;
    if (statvfs(folder, &about) != 0)
        return 0;
    return (uint64_t)about.f_bavail * about.f_frsize / 2;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

// The summary -----------------------------------------------------------------

bool capturing_has_data(const struct capturing *capturing)
{
    return capturing->collected.recordings + capturing->collected.streams > 0;
}

static void print_children(const struct processes *processes, pid_t parent, int depth, int *left)
{
    for (size_t i = 0; i<processes->count && * left> 0; i++) {
        const struct process *process = &processes->items[i];
        if (process->parent != parent)
            continue;
        (*left)--;
        fprintf(stderr, "  %*s%d ", 2 * depth, "", (int)process->id);
        plain_text_print(stderr, view_of(process->name), 0);
        fprintf(stderr, "  %.3f s\n", (double)(process->last - process->seen) / 1e9);
        if (depth < TREE_MOST)
            print_children(processes, process->id, depth + 1, left);
    }
}

static void print_processes(const struct capturing *capturing)
{
    const struct capture *capture = &capturing->capture;
    int left = TREE_MOST;
    fprintf(stderr, "  %d the command  %.3f s\n", (int)capture->command,
            (double)(capture->ended - capture->begun) / 1e9);
    print_children(&capture->processes, capture->command, 1, &left);
}

static void capturing_print_summary(const struct capturing *capturing)
{
    const struct capture *capture = &capturing->capture;
    const struct rusage *usage = &capture->usage;
    const double user = (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6;
    const double system = (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6;
    fprintf(stderr,
            "opscope: %s: recordings %zu, programs with Tracy %zu; processes seen %zu, %.3f s, "
            "CPU %.3f s\n",
            capturing->command, capturing->collected.recordings, capturing->collected.streams,
            capture->processes.count, (double)(capture->ended - capture->begun) / 1e9,
            user + system);
    if (capturing_has_data(capturing))
        return;
    char ports[48];
    if (capturing->port != 0)
        snprintf(ports, sizeof ports, "port %u", capturing->port);
    else
        snprintf(ports, sizeof ports, "a port from %d to %d", CAPTURE_PORT_FIRST,
                 CAPTURE_PORT_LAST);
    fprintf(
        stderr,
        "opscope: %s: nothing in the command records: no process used opscope's recorder, its\n"
        "Python module ('import opscope') or its runtime ('opscope run', 'opscope infer'), and\n"
        "none that listens at %s speaks as Tracy does (is it built with\n"
        "TRACY_ENABLE? With TRACY_NO_EXIT=1 a program that is soon over waits for us). Its\n"
        "processes:\n",
        capturing->command, ports);
    print_processes(capturing);
}

// Running ---------------------------------------------------------------------

static status capturing_run_command(struct capturing *capturing, char *const *command)
{
    char port[32];
    const uint16_t chosen = capturing->port != 0 ? capturing->port : capture_choose_port();
    const char *environment[8] = {"TT_METAL_DEVICE_PROFILER=1", "TT_METAL_CLEAR_L1=1",
                                  "TT_METAL_DEVICE_PROFILER_DISPATCH=0", "TTNN_OP_PROFILER=1",
                                  "TT_METAL_PROFILER_TRACE_TRACKING=1"};
    snprintf(port, sizeof port, "TRACY_PORT=%u", chosen);
    if (chosen != 0)
        environment[5] = port;
    else
        unsetenv("TRACY_PORT");
    const struct capture_options options = {
        .command = command,
        .environment = environment,
        .folder = capturing->folder,
        .port = chosen,
        .disk = capturing->disk != 0 ? capturing->disk : half_of_disk(capturing->folder),
        .linger_ms = capturing->linger_ms};
    return status_within(capture_run(&capturing->capture, &options), "%s", capturing->command);
}

status capturing_run(struct capturing *capturing, char *const *command, const char *output)
{
    STATUS_TRY(make_folder(capturing, output));
    STATUS_TRY(capturing_run_command(capturing, command));
    // The command is over: nobody inherits this. What was captured is written whoever listens.
    signal(SIGPIPE, SIG_IGN);
    capturing->profile = profile_create();
    STATUS_TRY(capture_collect(&capturing->capture, capturing->profile, &capturing->collected));
    capturing_print_summary(capturing);
    return STATUS_OK;
}

status capturing_end(struct capturing *capturing, bool written)
{
    const bool keep = !written && capturing->folder != NULL &&
                      capturing->capture.server.file_count + capturing->capture.client_count > 0;
    if (capturing->folder != NULL && !keep)
        remove_folder(capturing->folder);
    if (keep)
        fprintf(stderr, "opscope: %s: what was captured is kept in %s: 'opscope merge' takes it\n",
                capturing->command, capturing->folder);
    if (capturing->profile != NULL)
        profile_free(capturing->profile);
    if (capturing->folder != NULL)
        capture_free(&capturing->capture);
    free(capturing->folder);
    return STATUS_OK;
}
