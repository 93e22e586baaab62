// `opscope help [COMMAND]`: what `opscope --help` and `opscope COMMAND --help` print.

#include "commands.h"
#include "help.h"

static status help_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    (void)out_exit;
    if (count > 1)
        return status_make(STATUS_USAGE, "help: give one command: opscope help %s", words[0]);
    if (count == 0) {
        help_print_program(stdout, COMMANDS);
        return STATUS_OK;
    }
    const struct command *command;
    STATUS_TRY(help_find(COMMANDS, words[0], &command));
    char called[64];
    snprintf(called, sizeof called, "opscope %s", command->name);
    help_print(command, called);
    return STATUS_OK;
}

static const struct option OPTIONS[] = {{0}};

const struct command COMMAND_HELP = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "list the commands, or explain one",
    .examples = "  opscope help\n  opscope help convert",
    .options = OPTIONS,
    .no_files = true,
    .run = help_command,
};
