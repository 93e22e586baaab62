#include "command_run.h"

#include <stdio.h>
#include <string.h>

#include "file_kinds.h"
#include "help.h"
#include "kernels/core/isa.h"
#include "limits.h"
#include "progress_line.h"
#include "table_options.h"

static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0 ||
            strcmp(words[i], "-help") == 0)
            return true;
    }
    return false;
}

// `command` may be NULL: none was found.
static int exit_code_of(const struct command *command, status failure)
{
    if (command != NULL && command->failure_exit != 0)
        return command->failure_exit;
    return status_code_of(failure) == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static bool asks_for_columns(const struct command *command, int count, char **words)
{
    for (int i = 0; i < count && command->tables != NULL && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help-columns") == 0)
            return true;
    }
    return false;
}

int command_report(const struct command *command, status failure)
{
    const int code = exit_code_of(command, failure);
    const bool vendors = command != NULL && command->refuse != NULL;
    fprintf(stderr, "%s%s\n", vendors ? "" : "opscope: ", status_message(failure));
    status_free(failure);
    return code;
}

// The same, with what helps those who gave the command a file or a folder that it does not read.
static int report_better(const struct command *command, int count, char **words, status failure)
{
    failure = file_kinds_explain(command->name, count, words, failure);
    fprintf(stderr, "opscope: %s\n", status_message(failure));
    file_kinds_print_folder(command->name, count, words, failure);
    const int code = exit_code_of(command, failure);
    status_free(failure);
    return code;
}

int command_run(const struct command *command, const char *called, int count, char **words)
{
    if (asks_for_help(count, words)) {
        help_print(command, called);
        return EXIT_DONE;
    }
    if (asks_for_columns(command, count, words)) {
        table_options_describe(command);
        return EXIT_DONE;
    }
    struct arguments *arguments;
    status failure = arguments_parse(command, count, words, &arguments);
    if (failure != STATUS_OK) {
        const bool helps = status_code_of(failure) == STATUS_NOT_FOUND;
        const int code = command_report(command, failure);
        if (helps)
            help_print(command, called);
        return helps ? EXIT_DONE : code;
    }
    int exit_code = EXIT_DONE;
    failure = limits_apply(command, arguments);
    if (failure != STATUS_OK) {
        arguments_free(arguments);
        return command_report(command, failure);
    }
    progress_line_start();
    failure = isa_check();
    if (failure == STATUS_OK)
        failure = command->run(arguments, &exit_code);
    progress_line_stop();
    arguments_free(arguments);
    return failure == STATUS_OK ? exit_code : report_better(command, count, words, failure);
}
