// `opscope manual DIR`: the manual pages of the program, made from the same tables as
// the help texts.

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "commands.h"
#include "help.h"

static status open_page(const char *folder, const char *name, struct output **out_output)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/%s.1", folder, name);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "manual: the path of '%s' is too long", folder);
    return output_open(path, out_output);
}

static status write_page(const char *folder, const struct command *command, const char *name)
{
    struct output *output;
    STATUS_TRY(open_page(folder, name, &output));
    help_manual_command(output, command, name);
    return output_close(output);
}

static status write_command(const char *folder, const struct command *command)
{
    char name[80];
    snprintf(name, sizeof name, "opscope-%s", command->name);
    STATUS_TRY(write_page(folder, command, name));
    return command->link != NULL ? write_page(folder, command, command->link) : STATUS_OK;
}

static status manual_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "manual: give one folder: opscope manual DIR");
    if (mkdir(words[0], 0777) != 0 && errno != EEXIST)
        return status_system(errno, words[0], "cannot create the folder");
    struct output *output;
    STATUS_TRY(open_page(words[0], "opscope", &output));
    help_manual_program(output, COMMANDS);
    STATUS_TRY(output_close(output));
    for (size_t i = 0; COMMANDS[i] != NULL; i++)
        STATUS_TRY(write_command(words[0], COMMANDS[i]));
    *out_exit = EXIT_DONE;
    return STATUS_OK;
}

static const struct option OPTIONS[] = {{0}};

const struct command COMMAND_MANUAL = {
    .name = "manual",
    .usage = "DIR",
    .summary = "write the manual pages of all commands into a folder",
    .details = "'make install' puts them where man finds them.",
    .examples = "  opscope manual man1 && man man1/opscope-convert.1",
    .options = OPTIONS,
    .no_files = true,
    .run = manual_command,
};
