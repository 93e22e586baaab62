// Measures this machine for the target `host`.

#include "device/calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/output.h"
#include "commands.h"
#include "compiler/session.h"
#include "progress_line.h"
#include "target/target.h"

// Makes a folder and those that it lies in.
static status cli_calibrate_make_folders(char *path)
{
    for (char *at = path + 1;; at++) {
        const char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return status_make(STATUS_IO, "%s: %s", path, strerror(errno));
        *at = end;
        if (end == '\0')
            return STATUS_OK;
    }
}

static status default_path(struct bytes *out_path)
{
    char *folder = target_user_folder();
    if (folder == NULL)
        return status_make(STATUS_USAGE,
                           "calibrate: there is no home folder; say where to write with -o FILE");
    const status failure = cli_calibrate_make_folders(folder);
    bytes_append_format(out_path, "%s/host.target", folder);
    bytes_append(out_path, "", 1);
    free(folder);
    return failure;
}

static status cli_calibrate_write_text(const char *path, const struct bytes *text)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    output_write(output, text->data, text->size);
    return output_close(output);
}

// As `opscope infer` computes an operator that stands inside a network.
static status cli_calibrate_open_session(struct network *network, unsigned threads,
                                         void **out_context)
{
    const struct session_options options = {.threads = threads, .loose_ports = true, .timed = true};
    *out_context = session_create(network, &options);
    return STATUS_OK;
}

static status cli_calibrate_run_session(void *context, struct datum *const *inputs,
                                        size_t input_count, struct datum **out_outputs,
                                        uint64_t *out_ns)
{
    STATUS_TRY(session_run(context, inputs, input_count, out_outputs));
    *out_ns = session_task_ns(context);
    return STATUS_OK;
}

static void cli_calibrate_close_session(void *context)
{
    session_free(context);
}

static const struct probe_engine SESSION = {cli_calibrate_open_session, cli_calibrate_run_session,
                                            cli_calibrate_close_session};

static status cli_calibrate_measure(const struct arguments *arguments, const char *path)
{
    struct calibrate_options options = {.quick = arguments_flag(arguments, "quick"),
                                        .engine = &SESSION};
    struct calibrate_summary summary;
    struct bytes text = {0};
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    status failure = calibrate(&options, &text, &summary);
    if (failure == STATUS_OK)
        failure = cli_calibrate_write_text(path, &text);
    bytes_free(&text);
    progress_line_stop(); // before another line comes
    if (failure == STATUS_OK)
        fprintf(stderr,
                "%s: %u points of %u kernels on %u threads in %.1f s; runs of the same kernel "
                "spread by %.0f %% (median), %.0f %% (nine in ten)\n",
                path, summary.points, summary.kernels, summary.threads, summary.seconds,
                summary.spread * 100, summary.spread_worst * 100);
    return failure;
}

static status calibrate_command(const struct arguments *arguments, int *out_exit)
{
    (void)out_exit;
    size_t count;
    arguments_words(arguments, &count);
    if (count > 0)
        return status_make(STATUS_USAGE, "calibrate: takes no files");
    const char *given = arguments_value(arguments, "output");
    struct bytes path = {0};
    status failure = STATUS_OK;
    if (given == NULL)
        failure = default_path(&path);
    if (failure == STATUS_OK)
        failure = cli_calibrate_measure(arguments, given != NULL ? given : (const char *)path.data);
    bytes_free(&path);
    return failure;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "where to write (the user's folder of targets)"},
    {"quick", 0, OPTION_FLAG, NULL, "fewer sizes and runs: a few seconds"},
    {"threads", 0, OPTION_ONE, "N", "threads that kernels use (one for each CPU)"},
    {0},
};

const struct command COMMAND_CALIBRATE = {
    .name = "calibrate",
    .usage = "[-o FILE]",
    .summary = "measure this machine for the target 'host'",
    .details = "Runs kernels on made-up data of many sizes and writes their times as a target\n"
               "that takes the place of the built-in 'host'. Leave the machine alone meanwhile.",
    .examples = "  opscope calibrate\n"
                "  opscope calibrate --quick -o here.target\n"
                "  opscope compile model.onnx --target ./here.target -o model.opx",
    .options = OPTIONS,
    .run = calibrate_command,
};
