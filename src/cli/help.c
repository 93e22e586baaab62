#include "help.h"

#include <opscope/version.h>

#include <string.h>

#include "suggest.h"

static const struct option HELP = {"help", 'h', OPTION_FLAG, NULL, "show this text"};

const struct option *help_option(const struct command *command, size_t index)
{
    const struct option *option = command_option(command, index);
    if (option != NULL)
        return option;
    return index == 0 || command_option(command, index - 1) != NULL ? &HELP : NULL;
}

static void print_option(const struct option *option)
{
    char left[64];
    const char *many = option->kind >= OPTION_EACH ? "..." : "";
    int size = option->letter != 0
                   ? snprintf(left, sizeof left, "-%c, --%s", option->letter, option->name)
                   : snprintf(left, sizeof left, "    --%s", option->name);
    if (option->value != NULL && size > 0 && (size_t)size < sizeof left)
        snprintf(left + size, sizeof left - (size_t)size, " %s%s", option->value, many);
    enum { COLUMN = 30 };
    if (strlen(left) > COLUMN)
        printf("  %s\n%*s%s\n", left, COLUMN + 3, "", option->help);
    else
        printf("  %-*s %s\n", COLUMN, left, option->help);
}

static void print_exits(const struct command *command)
{
    if (command->own_exits != NULL)
        printf("\nexit: %s\n", command->own_exits);
    else if (command->failure_exit != 0)
        printf("\nexit: 0 done, %d failed\n", command->failure_exit);
    else
        printf("\nexit: 0 done, 1 failed, 2 wrong use, 3 done but data was lost (see the "
               "ledger)%s%s\n",
               command->exits != NULL ? ",\n" : "", command->exits != NULL ? command->exits : "");
}

void help_print(const struct command *command, const char *called)
{
    printf("%s: %s\n\nusage: %s %s\n", called, command->summary, called, command->usage);
    if (command->details != NULL)
        printf("\n%s\n", command->details);
    printf("\noptions:\n");
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++)
        print_option(option);
    if (command->examples != NULL)
        printf("\nexamples:\n%s\n", command->examples);
    print_exits(command);
}

void help_print_program(FILE *file, const struct command *const *commands)
{
    fprintf(file,
            "opscope %s: where the time of a neural network goes on an accelerator\n\n"
            "usage: opscope COMMAND [options] FILES\n\ncommands:\n",
            OPSCOPE_VERSION);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(file, "  %-18s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "\n'opscope COMMAND --help' and 'opscope help COMMAND' explain a command with "
                  "examples.\n");
}

status help_find(const struct command *const *commands, const char *name,
                 const struct command **out_command)
{
    struct suggest suggest = suggest_for(view_of(name));
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            *out_command = commands[i];
            return STATUS_OK;
        }
        suggest_consider(&suggest, commands[i]->name);
    }
    char text[SUGGEST_ROOM];
    return status_make(STATUS_USAGE, "there is no command '%s'%s 'opscope --help' lists them", name,
                       suggest_text(&suggest, "", text));
}
