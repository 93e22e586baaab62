// Targets by name.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/memory.h"
#include "embedded.h"
#include "target.h"

static status find_open_file(const char *path, struct target **out_target)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    const status failure = target_parse(path, input->bytes, out_target);
    input_close(input);
    return failure;
}

// NULL when there is no such file.
static char *find_file_in(struct view folder, const char *name)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%.*s/%s.target", VIEW_ARGUMENTS(folder), name);
    bytes_append(&path, "", 1);
    if (access((char *)path.data, R_OK) == 0)
        return (char *)path.data;
    bytes_free(&path);
    return NULL;
}

static char *file_in_folders(const char *folders, const char *name)
{
    struct view rest = view_of(folders);
    while (rest.size > 0) {
        const size_t end = view_find(rest, ':');
        char *path = end > 0 ? find_file_in(view_slice(rest, 0, end), name) : NULL;
        if (path != NULL)
            return path;
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    return NULL;
}

char *target_user_folder(void)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    struct bytes folder = {0};
    if (config != NULL && config[0] != '\0')
        bytes_append_format(&folder, "%s/opscope/targets", config);
    else if (home != NULL && home[0] != '\0')
        bytes_append_format(&folder, "%s/.config/opscope/targets", home);
    else
        return NULL;
    bytes_append(&folder, "", 1);
    return (char *)folder.data;
}

static char *find_file(const char *name)
{
    const char *folders = getenv("OPSCOPE_TARGETS");
    char *path = folders != NULL ? file_in_folders(folders, name) : NULL;
    if (path != NULL)
        return path;
    char *folder = target_user_folder();
    if (folder != NULL)
        path = find_file_in(view_of(folder), name);
    free(folder);
    return path;
}

status target_open_shipped(const char *name, struct target **out_target)
{
    struct bytes names = {0};
    for (size_t i = 0; TARGET_FILES[i].name != NULL; i++) {
        if (strcmp(TARGET_FILES[i].name, name) == 0) {
            bytes_free(&names);
            return target_parse(name, view_of(TARGET_FILES[i].text), out_target);
        }
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", TARGET_FILES[i].name);
    }
    const status failure =
        status_make(STATUS_USAGE, "there is no target '%s': there are %.*s, or name a file", name,
                    VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

status target_open(const char *name, struct target **out_target)
{
    if (strchr(name, '/') != NULL || view_has_extension(view_of(name), ".target"))
        return find_open_file(name, out_target);
    char *path = find_file(name);
    const status failure =
        path != NULL ? find_open_file(path, out_target) : target_open_shipped(name, out_target);
    free(path);
    return failure;
}

// Names -----------------------------------------------------------------------

struct names {
    char **items;
    size_t count;
    size_t capacity;
};

static void find_add_name(struct names *names, struct view name)
{
    names->items = memory_grow(names->items, names->count, &names->capacity, sizeof *names->items);
    names->items[names->count++] = view_copy(name);
}

static void add_folder(struct names *names, struct view folder)
{
    char *path = view_copy(folder);
    DIR *entries = opendir(path);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const struct view name = view_of(entry->d_name);
        if (name.size > 7 && view_ends_with(name, ".target"))
            find_add_name(names, view_slice(name, 0, name.size - 7));
    }
    if (entries != NULL)
        closedir(entries);
    free(path);
}

static void add_folders(struct names *names, const char *folders)
{
    struct view rest = view_of(folders);
    while (rest.size > 0) {
        const size_t end = view_find(rest, ':');
        add_folder(names, view_slice(rest, 0, end));
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
}

static int find_by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

char **target_names(size_t *out_count)
{
    struct names names = {0};
    for (size_t i = 0; TARGET_FILES[i].name != NULL; i++)
        find_add_name(&names, view_of(TARGET_FILES[i].name));
    if (getenv("OPSCOPE_TARGETS") != NULL)
        add_folders(&names, getenv("OPSCOPE_TARGETS"));
    char *folder = target_user_folder();
    if (folder != NULL)
        add_folder(&names, view_of(folder));
    free(folder);
    sort_items(names.items, names.count, sizeof *names.items, find_by_name);
    size_t kept = 0;
    for (size_t i = 0; i < names.count; i++) {
        if (kept > 0 && strcmp(names.items[kept - 1], names.items[i]) == 0)
            free(names.items[i]);
        else
            names.items[kept++] = names.items[i];
    }
    *out_count = kept;
    return names.items;
}

void target_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
