// `opscope profile -- COMMAND...`: runs a command and captures what its processes record.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "capturing.h"
#include "commands.h"
#include "formats/writers.h"
#include "ledger_text.h"
#include "units.h"

static status cli_profile_write_output(const struct format_writer *writer, const char *output,
                                       struct capturing *capturing)
{
    const struct write_options options = {0};
    STATUS_TRY(writer->write(writer, capturing->profile, output, &options));
    fprintf(stderr, "opscope: profile: wrote %s\n", output);
    ledger_warn(capturing->profile);
    return STATUS_OK;
}

static status profile_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    const char *output = arguments_value(arguments, "output");
    const struct format_writer *writer;
    struct capturing capturing = {.command = "profile"};
    if (count == 0)
        return status_make(STATUS_USAGE, "profile: give the command after --: opscope profile -o "
                                         "run.prof -- python3 train.py");
    if (output == NULL)
        output = "capture.prof";
    STATUS_TRY(status_within(format_writer_find(arguments_value(arguments, "to"), output, &writer),
                             "profile"));
    STATUS_TRY(capturing_read_options(arguments, &capturing));
    // As exec takes it: with a NULL at the end.
    char **command = memory_allocate_zeroed(count + 1, sizeof *command);
    memcpy(command, words, count * sizeof *command);
    status result = capturing_run(&capturing, command, output);
    free(command);
    if (result == STATUS_OK)
        result = cli_profile_write_output(writer, output, &capturing);
    if (result == STATUS_OK) {
        const int exit_status = capture_exit_status(&capturing.capture);
        *out_exit = exit_status != 0 ? exit_status : ledger_exit(capturing.profile);
    }
    return status_first(result, capturing_end(&capturing, result == STATUS_OK));
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "what to write, in any format (capture.prof)"},
    {"to", 0, OPTION_ONE, "FORMAT", "if the extension does not say it: as for convert"},
    CAPTURING_OPTIONS,
    {0},
};

const struct command COMMAND_PROFILE = {
    .name = "profile",
    .usage = "[options] -- COMMAND...",
    .summary = "run a command and capture what its processes record",
    .details =
        "The command runs in a session of its own. Every process of it that records with\n"
        "opscope's recorder, its Python module or its runtime (opscope run, opscope infer) is\n"
        "captured, and every one that Tracy is linked with (0.9 to 0.14); all of them lie on one\n"
        "time axis, beside the processes themselves. What they record is on the disk while they\n"
        "run, so that nothing that was flushed is lost, however they end.\n"
        "SIGINT goes to the command; what was captured until it ends is written.",
    .examples = "  opscope profile -o run.prof -- python3 train.py\n"
                "  opscope profile -o trace.pb -- opscope infer model.onnx --iterations 20\n"
                "  opscope profile -p 9000 -o host.json -- python3 train.py",
    .own_exits = "the command's status; 3 when that was 0 and data was lost (see the ledger); "
                 "1 failed, 2 wrong use",
    .options = OPTIONS,
    .run = profile_command,
};
