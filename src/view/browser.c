#include "browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>

extern char **environ;

static bool has_screen(void)
{
    return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL ||
           getenv("BROWSER") != NULL;
}

bool browser_open(const char *address)
{
    char *words[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)address, NULL};
    posix_spawn_file_actions_t files;
    pid_t child;
    if (!has_screen() || posix_spawn_file_actions_init(&files) != 0)
        return false;
    const bool quiet = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                       posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                       posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) == 0;
    const bool started = quiet && posix_spawnp(&child, words[0], &files, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    return started;
}
