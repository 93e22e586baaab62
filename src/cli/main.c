// The program: finds the command by the name it is called by (perfetto_logger
// and the vendors' other names are links to it) or by its first word.

#include <opscope/version.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "command_run.h"
#include "commands.h"
#include "help.h"
#include "kernels/executor.h"
#include "base/input.h"
#include "base/recovery.h"
#include "base/replace.h"

const struct command *const COMMANDS[] = {
    &COMMAND_OVERVIEW,
    &COMMAND_OPERATORS,
    &COMMAND_TOP,
    &COMMAND_REPORT,
    &COMMAND_VIEW,
    &COMMAND_SQL,
    &COMMAND_DIFF,
    &COMMAND_GATE,
    &COMMAND_EXPLAIN,
    &COMMAND_WHATIF,
    &COMMAND_TIMELINE,
    &COMMAND_MCP,
    &COMMAND_CONVERT,
    &COMMAND_MERGE,
    &COMMAND_INFO,
    &COMMAND_MODEL,
    &COMMAND_INFER,
    &COMMAND_RUN,
    &COMMAND_PROFILE,
    &COMMAND_CHECK,
    &COMMAND_COMPILE,
    &COMMAND_ESTIMATE,
    &COMMAND_PROGRAM,
    &COMMAND_VERIFY,
    &COMMAND_TARGETS,
    &COMMAND_QAIC_COMPILE,
    &COMMAND_QAIC_EXEC,
    &COMMAND_QAIC_RUNNER,
    &COMMAND_QAIC_OPSTATS,
    &COMMAND_TORQ_COMPILE,
    &COMMAND_TORQ_RUN_MODULE,
    &COMMAND_IREE_RUN_MODULE,
    &COMMAND_SUITE,
    &COMMAND_CALIBRATE,
    &COMMAND_SCORE,
    &COMMAND_ANNOTATE,
    &COMMAND_TT_REPORT,
    &COMMAND_TT_PROFILE,
    &COMMAND_PERFETTO_LOGGER,
    &COMMAND_ANNOTATE_PROFILING,
    &COMMAND_PROCESS_OPS_LOGS,
    &COMMAND_TT_PERF,
    &COMMAND_TT_PERF_REPORT,
    &COMMAND_HELP,
    &COMMAND_LINKS,
    &COMMAND_COMPLETION,
    &COMMAND_MANUAL,
    NULL,
};

static const struct command *find_link(const char *name)
{
    for (size_t i = 0; COMMANDS[i] != NULL; i++) {
        if (COMMANDS[i]->link != NULL && strcmp(COMMANDS[i]->link, name) == 0)
            return COMMANDS[i];
    }
    return NULL;
}

static int run_named(int count, char **words)
{
    const char *called = count > 0 ? path_base_name(words[0]) : "opscope";
    const struct command *link = find_link(called);
    if (link != NULL)
        return command_run(link, called, count - 1, words + 1);

    if (count < 2) {
        help_print_program(stderr, COMMANDS);
        return EXIT_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
        help_print_program(stdout, COMMANDS);
        return EXIT_DONE;
    }
    if (strcmp(words[1], "--version") == 0 || strcmp(words[1], "-V") == 0) {
        printf("opscope %s\n", OPSCOPE_VERSION);
        return EXIT_DONE;
    }
    const struct command *command;
    const status unknown = help_find(COMMANDS, words[1], &command);
    if (unknown != STATUS_OK)
        return command_report(NULL, unknown);
    char name[64];
    snprintf(name, sizeof name, "opscope %s", command->name);
    return command_run(command, name, count - 2, words + 2);
}

static void tell_of_remains(const char *path, const char *temporary)
{
    const status told =
        status_make(STATUS_IO, "%s: removed %s, which a run that was killed left", path, temporary);
    fprintf(stderr, "opscope: %s\n", status_message(told));
    status_free(told);
}

static void main_say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; // nobody is there to be told
}

// On any thread, and without taking memory.
static void end_without_memory(size_t size)
{
    char text[64];
    const char *path = input_newest();
    replace_remove_all();
    main_say("opscope: ");
    main_say(path != NULL ? path : "");
    main_say(path != NULL ? ": out of memory" : "out of memory");
    if (size > 0 && size < SIZE_MAX) {
        snprintf(text, sizeof text, " for %zu bytes more", size);
        main_say(text);
    }
    main_say(": end other programs, raise the limit (ulimit -v, --max-memory), or use a smaller "
             "input\n");
    _exit(EXIT_FAILED);
}

int main(int count, char **words)
{
    recovery_say(end_without_memory);
    executor_fold_constants();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    replace_catch_signals();
    input_catch_changes();
    replace_tell_of_remains(tell_of_remains);
    const int exit_code = run_named(count, words);
    replace_remove_all();
    // What was printed may still be on its way to a disk that is full.
    if (fflush(stdout) != 0 || ferror(stdout))
        return command_report(NULL, status_system(errno, "stdout", "cannot write"));
    return exit_code;
}
