#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view.h"

enum { OPEN_FOLDERS = 16 };

bool folder_is(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

static status make_one(const char *path)
{
    if (mkdir(path, 0777) == 0 || folder_is(path))
        return STATUS_OK;
    return status_system(errno, path, "cannot make the folder");
}

status folder_make(const char *path)
{
    char *copy = view_copy(view_of(path));
    status result = STATUS_OK;
    for (char *at = copy + 1; copy[0] != '\0' && *at != '\0' && result == STATUS_OK; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        result = make_one(copy);
        *at = '/';
    }
    if (result == STATUS_OK)
        result = make_one(copy);
    free(copy);
    return result;
}

static int remove_one(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    (void)state;
    (void)kind;
    (void)place;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

status folder_remove(const char *path)
{
    if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return STATUS_OK;
    return status_system(errno, path, "cannot remove the folder");
}
