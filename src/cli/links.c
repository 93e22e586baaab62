// `opscope links DIR`: the vendors' names for the program, as links. Names that end in .py are
// called by themselves and with python3 in front: they are scripts that both start.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/input.h"
#include "base/output.h"
#include "commands.h"

static status link_one(const char *folder, const char *name, const char *target)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "links: the path of '%s' is too long", folder);
    char current[4096];
    const ssize_t length = readlink(path, current, sizeof current - 1);
    if (length >= 0) {
        current[length] = '\0';
        if (strcmp(current, target) == 0)
            return STATUS_OK;
        if (unlink(path) != 0)
            return status_system(errno, path, "cannot replace the link");
    }
    if (symlink(target, path) != 0)
        return status_system(errno, path, "cannot create the link");
    return STATUS_OK;
}

// Scripts ------------------------------------------------------------------------------

// To a shell the second line starts the program; to Python it is a text, and the last ones do.
static const char SCRIPT[] = "#!/bin/sh\n"
                             "''''exec \"%s\" %s \"$@\" # '''\n"
                             "import os, sys\n"
                             "os.execv(%s, [\"%s\", \"%s\", *sys.argv[1:]])\n";

static const char BESIDE_OF_SHELL[] = "$(dirname \"$(readlink -f \"$0\")\")/opscope";
static const char BESIDE_OF_PYTHON[] =
    "os.path.join(os.path.dirname(os.path.realpath(__file__)), \"opscope\")";

static bool links_is_plain(const char *path)
{
    return strpbrk(path, "\"'`$\\\n") == NULL;
}

static void fill_script(const char *target, const char *command, char *text, size_t room)
{
    char quoted[4200];
    snprintf(quoted, sizeof quoted, "\"%s\"", target);
    const bool beside = strchr(target, '/') == NULL;
    snprintf(text, room, SCRIPT, beside ? BESIDE_OF_SHELL : target, command,
             beside ? BESIDE_OF_PYTHON : quoted, target, command);
}

// A file of this name that opscope did not write stays.
static status check_replaceable(const char *path)
{
    struct input *input;
    struct stat about;
    if (lstat(path, &about) != 0)
        return STATUS_OK;
    STATUS_TRY(input_open(path, &input));
    const bool own = view_starts_with(input->bytes, "#!/bin/sh\n''''exec \"");
    input_close(input);
    return own ? STATUS_OK : status_system(EEXIST, path, "cannot create the script");
}

static status script_one(const char *folder, const struct command *command, const char *target)
{
    char path[4096], text[16 * 1024];
    struct output *output;
    const int size = snprintf(path, sizeof path, "%s/%s.py", folder, command->link);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "links: the path of '%s' is too long", folder);
    if (!links_is_plain(target))
        return status_make(STATUS_USAGE, "links: a script cannot name the program at %s", target);
    STATUS_TRY(check_replaceable(path));
    fill_script(target, command->name, text, sizeof text);
    STATUS_TRY(output_open(path, &output));
    output_write(output, text, strlen(text));
    STATUS_TRY(output_close(output));
    return chmod(path, 0755) == 0 ? STATUS_OK
                                  : status_system(errno, path, "cannot be made a program");
}

// Beside the program itself the links are relative, so that the folder can move.
static status links_choose_target(const char *folder, char *target, size_t room)
{
    char program[4096];
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size < 0)
        return status_system(errno, "/proc/self/exe",
                             "cannot tell where the program is (is /proc mounted?)");
    program[size] = '\0';
    char beside[8192];
    snprintf(beside, sizeof beside, "%s/opscope", folder);
    char *resolved = realpath(beside, NULL);
    const bool same = resolved != NULL && strcmp(resolved, program) == 0;
    free(resolved);
    snprintf(target, room, "%s", same ? "opscope" : program);
    return STATUS_OK;
}

static status links_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "links: give one folder: opscope links DIR");
    STATUS_TRY(folder_make(words[0]));
    char target[4096];
    STATUS_TRY(links_choose_target(words[0], target, sizeof target));
    for (size_t i = 0; COMMANDS[i] != NULL; i++) {
        if (COMMANDS[i]->link != NULL)
            STATUS_TRY(link_one(words[0], COMMANDS[i]->link, target));
        if (COMMANDS[i]->script)
            STATUS_TRY(script_one(words[0], COMMANDS[i], target));
    }
    *out_exit = EXIT_DONE;
    return STATUS_OK;
}

static const struct option OPTIONS[] = {{0}};

const struct command COMMAND_LINKS = {
    .name = "links",
    .usage = "DIR",
    .summary = "make the vendors' names (perfetto_logger ...) in a folder",
    .examples = "  opscope links ~/bin",
    .options = OPTIONS,
    .no_files = true,
    .run = links_command,
};
