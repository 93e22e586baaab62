#include "paths.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/view.h"

static bool same_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

status paths_check(const char *command, const char *output, const char *const *inputs, size_t count)
{
    struct stat written;
    struct stat read;
    if (stat(output, &written) != 0)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (stat(inputs[i], &read) == 0 && same_file(&written, &read))
            return status_make(STATUS_USAGE,
                               "%s: '%s' is read and would be overwritten; choose another output",
                               command, output);
    }
    return STATUS_OK;
}

status paths_check_folder(const char *command, const char *path)
{
    const struct view whole = view_of(path);
    const size_t slash = view_find_last(whole, '/');
    char *folder = slash == whole.size ? view_copy(view_of("."))
                                       : view_copy(view_slice(whole, 0, slash > 0 ? slash : 1));
    struct stat about;
    status failure = STATUS_OK;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        failure = status_make(STATUS_IO, "%s: cannot write '%s': there is no folder '%s'", command,
                              path, folder);
    else if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        failure = status_make(STATUS_IO, "%s: cannot write '%s': it is a folder", command, path);
    else if (access(folder, W_OK) != 0)
        failure = status_system(errno, path, "cannot write to its folder");
    free(folder);
    return failure;
}

status paths_check_writable(const char *command, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISDIR(about.st_mode))
        return paths_check_folder(command, path);
    return access(path, W_OK) == 0 ? STATUS_OK : status_system(errno, path, "cannot write");
}
