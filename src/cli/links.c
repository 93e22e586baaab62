// `opscope links DIR`: the vendors' names for the program, as links.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Beside the program itself the links are relative, so that the folder can move.
static void choose_target(const char *folder, char *target, size_t room)
{
    char program[4096];
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    char beside[8192];
    snprintf(beside, sizeof beside, "%s/opscope", folder);
    char *resolved = realpath(beside, NULL);
    const bool same = resolved != NULL && strcmp(resolved, program) == 0;
    free(resolved);
    snprintf(target, room, "%s", same ? "opscope" : program);
}

static status links_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "links: give one folder: opscope links DIR");
    if (mkdir(words[0], 0777) != 0 && errno != EEXIST)
        return status_system(errno, words[0], "cannot create the folder");
    char target[4096];
    choose_target(words[0], target, sizeof target);
    for (size_t i = 0; COMMANDS[i] != NULL; i++) {
        if (COMMANDS[i]->link != NULL)
            STATUS_TRY(link_one(words[0], COMMANDS[i]->link, target));
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
