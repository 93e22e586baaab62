#include "list.h"

#include <glob.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/path.h"

// A file name without its extension, of letters that are the same in every shell and file system.
static void suite_list_append_name(struct bytes *to, const char *path)
{
    const char *base = path_base_name(path);
    const char *end = strrchr(base, '.');
    const size_t size = end != NULL && end > base ? (size_t)(end - base) : strlen(base);
    for (size_t i = 0; i < size; i++) {
        const char byte = base[i];
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' ||
                           (byte == '.' && i > 0);
        bytes_append(to, plain ? &byte : "_", 1);
    }
}

static bool suite_list_is_taken(const struct trial_list *list, struct view name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (view_is(name, list->trials[i].name))
            return true;
    }
    return false;
}

// "conv", "conv@host" where there are several targets, "conv.2" where the name is taken.
static char *suite_list_unique_name(const struct trial_list *list, const char *path,
                                    const char *target)
{
    struct bytes name = {0};
    suite_list_append_name(&name, path);
    if (target != NULL) {
        bytes_append(&name, "@", 1);
        suite_list_append_name(&name, target);
    }
    const size_t size = name.size;
    for (unsigned number = 2; suite_list_is_taken(list, bytes_view(&name)); number++) {
        name.size = size;
        bytes_append_format(&name, ".%u", number);
    }
    char *text = view_copy(bytes_view(&name));
    bytes_free(&name);
    return text;
}

static void add_trial(struct trial_list *list, const struct plan_networks *networks,
                      const char *path, const char *target, const struct list_defaults *defaults)
{
    struct bytes folder = {0};
    struct trial trial = {
        .name = suite_list_unique_name(list, path, networks->targets.count > 1 ? target : NULL),
        .model = view_copy(view_of(path)),
        .target = view_copy(view_of(target)),
        .networks = networks,
        .kind = defaults->kind_of(target),
        .timeout = networks->timeout > 0 ? networks->timeout : defaults->timeout,
    };
    bytes_append_format(&folder, "%s/%s", defaults->folder, trial.name);
    trial.folder = view_copy(bytes_view(&folder));
    bytes_free(&folder);
    list->trials = memory_grow(list->trials, list->count, &list->capacity, sizeof *list->trials);
    list->trials[list->count++] = trial;
}

static void add_targets(struct trial_list *list, const struct plan_networks *networks,
                        const char *path, const struct list_defaults *defaults)
{
    if (networks->targets.count == 0)
        add_trial(list, networks, path, defaults->target, defaults);
    for (size_t i = 0; i < networks->targets.count; i++)
        add_trial(list, networks, path, networks->targets.items[i], defaults);
}

status trial_list_add(struct trial_list *list, const struct plan_networks *networks,
                      struct view from, const struct list_defaults *defaults)
{
    for (size_t i = 0; i < networks->models.count; i++) {
        const char *pattern = networks->models.items[i];
        struct bytes path = {0};
        glob_t found = {0};
        if (pattern[0] != '/')
            bytes_append(&path, from.data, from.size);
        bytes_append(&path, pattern, strlen(pattern) + 1);
        const int missing = glob((const char *)path.data, 0, NULL, &found);
        status failure = STATUS_OK;
        if (missing != 0)
            failure = status_make(STATUS_NOT_FOUND, "%s: there is no such network",
                                  (const char *)path.data);
        for (size_t k = 0; missing == 0 && k < found.gl_pathc; k++)
            add_targets(list, networks, found.gl_pathv[k], defaults);
        globfree(&found);
        bytes_free(&path);
        STATUS_TRY(failure);
    }
    return STATUS_OK;
}

void trial_list_free(struct trial_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->trials[i].name);
        free(list->trials[i].model);
        free(list->trials[i].target);
        free(list->trials[i].folder);
    }
    free(list->trials);
}
