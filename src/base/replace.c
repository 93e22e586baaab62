#include "replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "view.h"

// A link's target, so that the link stays; the path itself when there is nothing yet.
static char *place_of(const char *path)
{
    char *resolved = realpath(path, NULL);
    return resolved != NULL ? resolved : view_copy(view_of(path));
}

static bool is_plain(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

char *replace_start(const char *path)
{
    if (!is_plain(path))
        return view_copy(view_of(path));
    char *place = place_of(path);
    const char *slash = strrchr(place, '/');
    const char *name = slash != NULL ? slash + 1 : place;
    // Threads of one process may write to the same place.
    static _Atomic unsigned count;
    const unsigned number = count++;
    const size_t room = strlen(place) + 48;
    char *temporary = memory_allocate(room);
    snprintf(temporary, room, "%.*spart%ld-%u.%s", (int)(name - place), place, (long)getpid(),
             number, name);
    free(place);
    return temporary;
}

status replace_finish(char *temporary, const char *path, status written)
{
    if (strcmp(temporary, path) == 0) {
        free(temporary);
        return written;
    }
    char *place = place_of(path);
    if (written == STATUS_OK && rename(temporary, place) != 0)
        written = status_system(errno, path, "cannot write");
    if (written != STATUS_OK)
        unlink(temporary);
    free(place);
    free(temporary);
    return written;
}
