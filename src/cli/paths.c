#include "paths.h"

#include <sys/stat.h>

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
