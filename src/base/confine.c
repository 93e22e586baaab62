#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A folder that is read from. There until the process ends.
static struct confine_root {
    char *path;  // without links
    char *given; // as it was said, if that is absolute; else NULL
    int folder;
} roots[CONFINE_MOST];
static size_t root_count;

status confine_add(const char *folder)
{
    if (root_count == CONFINE_MOST)
        return status_make(STATUS_LIMIT, "%s: more than %d folders", folder, (int)CONFINE_MOST);
    struct confine_root *root = &roots[root_count];
    char *path = realpath(folder, NULL);
    root->folder = path != NULL ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (root->folder < 0) {
        const int error = errno;
        free(path);
        return status_system(error, folder, "cannot be read from");
    }
    root->path = path;
    root->given = folder[0] == '/' ? view_copy(view_of(folder)) : NULL;
    root_count++;
    return STATUS_OK;
}

bool confine_is_on(void)
{
    return root_count > 0;
}

// Opening ---------------------------------------------------------------------------------

// One name after the other, for systems without openat2.
static int open_step_by_step(int folder, struct view location)
{
    int at = dup(folder);
    while (at >= 0) {
        const size_t slash = view_find(location, '/');
        const bool last = slash == location.size;
        char *name = view_copy(view_slice(location, 0, slash));
        const int next =
            strcmp(name, "..") == 0
                ? (errno = EXDEV, -1)
                : openat(at, name[0] != '\0' ? name : ".",
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
        const int error = errno;
        free(name);
        close(at);
        errno = error;
        at = next;
        if (last)
            break;
        location = view_slice(location, slash + 1, location.size);
    }
    return at;
}

static int confine_resolve(int folder, struct view location, int flags, uint64_t how_far)
{
    char *path = view_copy(location.size > 0 ? location : VIEW_LITERAL("."));
    const struct open_how how = {.flags = (unsigned)flags, .resolve = how_far};
    const long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    const int error = errno;
    free(path);
    errno = error;
    if (file < 0 && (error == ENOSYS || error == EPERM || error == EINVAL))
        return open_step_by_step(folder, location);
    return (int)file;
}

int confine_open_beneath(int folder, struct view location)
{
    return confine_resolve(folder, location, O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                           RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

// Where `path` goes on below `folder`; false when it is not below it.
static bool confine_rest(const char *folder, struct view path, struct view *out_rest)
{
    if (folder == NULL || !view_starts_with(path, folder))
        return false;
    size_t at = strlen(folder);
    while (at > 1 && folder[at - 1] == '/')
        at--;
    if (at < path.size && path.data[at] != '/' && at > 1)
        return false;
    while (at < path.size && path.data[at] == '/')
        at++;
    *out_rest = view_slice(path, at, path.size);
    return true;
}

static int open_in_root(const struct confine_root *root, struct view rest, int flags)
{
    struct stat about;
    // Opening a pipe that nobody writes to would wait.
    const int at_once = (flags & O_PATH) != 0 ? 0 : O_NONBLOCK;
    const int file = confine_resolve(root->folder, rest, flags | O_CLOEXEC | at_once,
                                     RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
        return file;
    close(file);
    errno = EACCES;
    return -1;
}

int confine_open(const char *path, int flags)
{
    if (root_count == 0)
        return open(path, flags);
    errno = EXDEV;
    for (size_t i = 0; i < root_count; i++) {
        struct view rest;
        const int file = confine_rest(roots[i].path, view_of(path), &rest)
                             ? open_in_root(&roots[i], rest, flags)
                             : -1;
        if (file >= 0 || errno != EXDEV)
            return file;
    }
    return -1;
}

// Places ----------------------------------------------------------------------------------

void confine_list(struct bytes *to)
{
    for (size_t i = 0; i < root_count; i++)
        bytes_append_format(to, "%s%s", i > 0 ? ", " : "", roots[i].path);
}

static status confine_explain(struct view path, int error)
{
    if (error != EXDEV && error != ELOOP && error != EACCES && error != ENXIO) {
        char *name = view_copy(path);
        const status failure = status_system(error, name, "cannot open");
        free(name);
        return failure;
    }
    struct bytes list = {0};
    confine_list(&list);
    const status failure =
        error == EACCES || error == ENXIO
            ? status_make(STATUS_USAGE, "%.*s: neither a file nor a folder that may be read",
                          VIEW_ARGUMENTS(path))
            : status_make(STATUS_USAGE, "%.*s: not below %.*s, where files may be read",
                          VIEW_ARGUMENTS(path), VIEW_ARGUMENTS(bytes_view(&list)));
    bytes_free(&list);
    return failure;
}

status confine_place(struct view path, struct arena *arena, const char **out_path)
{
    int error = EXDEV;
    const bool absolute = path.size > 0 && path.data[0] == '/';
    if (path.size == 0 || memchr(path.data, '\0', path.size) != NULL)
        return status_make(STATUS_USAGE, "a path is missing, or has a NUL in it");
    for (size_t i = 0; i < root_count; i++) {
        struct view rest = path;
        if (absolute && !confine_rest(roots[i].path, path, &rest) &&
            !confine_rest(roots[i].given, path, &rest))
            continue;
        const int file = open_in_root(&roots[i], rest, O_RDONLY);
        if (file >= 0) {
            close(file);
            *out_path =
                arena_print(arena, "%s/%.*s", strcmp(roots[i].path, "/") == 0 ? "" : roots[i].path,
                            VIEW_ARGUMENTS(rest))
                    .data;
            return STATUS_OK;
        }
        if (error == EXDEV || error == ENOENT)
            error = errno;
    }
    return confine_explain(path, error);
}
