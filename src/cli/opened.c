#include "opened.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "formats/format.h"

enum { OPENED_MOST = 64 };

static struct opened {
    char *path; // NULL: free
    struct profile *profile;
    struct stat about; // the file, when it was read
    uint64_t asked;    // when it was asked for last
} opened[OPENED_MOST];
static uint64_t times_asked;

static struct opened *find_path(const char *path)
{
    for (size_t i = 0; i < OPENED_MOST; i++) {
        if (opened[i].path != NULL && strcmp(opened[i].path, path) == 0)
            return &opened[i];
    }
    return NULL;
}

struct profile *opened_find(const char *path)
{
    const struct opened *found = find_path(path);
    return found != NULL ? found->profile : NULL;
}

status opened_read(const char *path, const struct format_options *options,
                   struct profile **out_profile)
{
    *out_profile = options->program == NULL ? opened_find(path) : NULL;
    if (*out_profile != NULL)
        return STATUS_OK;
    struct profile *profile = profile_create();
    const status result = format_read(path, options, profile);
    if (result == STATUS_OK)
        *out_profile = profile;
    else
        profile_free(profile);
    return result;
}

void opened_close(struct profile *profile)
{
    for (size_t i = 0; i < OPENED_MOST; i++) {
        if (opened[i].path != NULL && opened[i].profile == profile)
            return;
    }
    profile_free(profile);
}

// Keeping -------------------------------------------------------------------------------------

static void forget(struct opened *one)
{
    profile_free(one->profile);
    free(one->path);
    *one = (struct opened){0};
}

// A free place, after the oldest ones have gone.
static struct opened *make_place(size_t most)
{
    most = most < OPENED_MOST ? most : OPENED_MOST;
    for (;;) {
        struct opened *oldest = NULL, *empty = NULL;
        size_t count = 0;
        for (size_t i = 0; i < OPENED_MOST; i++) {
            if (opened[i].path == NULL) {
                empty = &opened[i];
                continue;
            }
            count++;
            if (oldest == NULL || opened[i].asked < oldest->asked)
                oldest = &opened[i];
        }
        if (count < most || oldest == NULL)
            return empty;
        forget(oldest);
    }
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void opened_keep(const char *path, size_t most)
{
    const struct format_options options = {0};
    struct stat about;
    struct opened *found = find_path(path);
    const bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    if (found != NULL && regular && is_same(&found->about, &about)) {
        found->asked = ++times_asked;
        return;
    }
    if (found != NULL)
        forget(found);
    struct profile *profile;
    const status result = regular && most > 0 ? opened_read(path, &options, &profile)
                                              : status_make(STATUS_NOT_FOUND, "no file to keep");
    if (result == STATUS_OK)
        *make_place(most) =
            (struct opened){view_copy(view_of(path)), profile, about, ++times_asked};
    status_free(result); // the command says it, when it reads the file itself
}
