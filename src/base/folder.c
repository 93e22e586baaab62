#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view.h"

enum { OPEN_FOLDERS = 16 };

bool folder_is(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

status folder_make(const char *path)
{
    char *folder = view_copy(view_of(path));
    status failure = STATUS_OK;
    for (char *at = folder; failure == STATUS_OK && at != NULL && *at != '\0';) {
        char *slash = strchr(at + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        if (mkdir(folder, 0777) != 0 && (errno != EEXIST || !folder_is(folder)))
            failure =
                status_system(errno == EEXIST ? ENOTDIR : errno, folder, "cannot make the folder");
        if (slash != NULL)
            *slash = '/';
        at = slash;
    }
    if (failure == STATUS_OK && access(path, W_OK) != 0)
        failure = status_system(errno, path, "cannot write to the folder");
    free(folder);
    return failure;
}

status folder_make_for(const char *file)
{
    const char *slash = strrchr(file, '/');
    struct stat about;
    if (slash == NULL || slash == file || stat(file, &about) == 0)
        return STATUS_OK;
    char *folder = view_copy((struct view){file, (size_t)(slash - file)});
    const status result = folder_make(folder);
    free(folder);
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
