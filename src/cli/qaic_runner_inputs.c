// Inputs of qaic-runner: files one for each input, sets of files that a JSON file lists, or random.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "network_input.h"
#include "qaic_running.h"
#include "wire/json_reader.h"

// "NAME=@path".
static void append_input(struct bytes *text, const struct network_value *value, struct view path)
{
    bytes_append_format(text, "%.*s=@%.*s", VIEW_ARGUMENTS(value->name), VIEW_ARGUMENTS(path));
    bytes_append(text, "", 1);
}

// Texts one after the other, each with a NUL, as inputs of a network.
static status read_set(const struct network *network, const struct bytes *texts, size_t count,
                       struct input_sets *sets)
{
    const char **given = memory_allocate_zeroed(count + 1, sizeof *given);
    const char *at = (const char *)texts->data;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        given[i] = at;
    struct datum **set = memory_allocate_zeroed((size_t)sets->input_count + 1, sizeof(void *));
    sets->sets[sets->count++] = set;
    const status result = network_input_read(network, given, count, 0, set);
    free(given);
    return result;
}

// One for each --input-file, in the order of the inputs.
static status read_files(const struct network *network, const char *const *files, size_t count,
                         struct input_sets *sets)
{
    const struct network_graph *graph = network_graph(network, 0);
    struct bytes texts = {0};
    if (count > graph->input_count)
        return status_make(STATUS_USAGE,
                           "qaic-runner: %zu input files, but the program has %u inputs", count,
                           graph->input_count);
    for (size_t i = 0; i < count; i++)
        append_input(&texts, network_value(network, graph->inputs[i]), view_of(files[i]));
    const status result = read_set(network, &texts, count, sets);
    bytes_free(&texts);
    return result;
}

// A list in JSON ------------------------------------------------------------------------

struct listed {
    const char *path; // of the JSON file
    const struct network *network;
    struct arena arena;
};

static const struct network_value *find_input(const struct network *network, struct view name)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (view_equal(value->name, name))
            return value;
    }
    return NULL;
}

// Paths are relative to the file that has them.
static struct view beside(struct arena *arena, const char *list, struct view path)
{
    const char *slash = strrchr(list, '/');
    if (slash == NULL || (path.size > 0 && path.data[0] == '/'))
        return arena_copy(arena, path);
    return arena_print(arena, "%.*s/%.*s", (int)(slash - list), list, VIEW_ARGUMENTS(path));
}

// What the list says of a file must be true of it.
static status check_size(const struct listed *listed, const struct json_value *item,
                         struct view path)
{
    const struct json_value *dims = json_find(item, "dims");
    struct stat about;
    char name[4096];
    uint64_t bytes, dim;
    if (dims == NULL || !json_u64_of(json_find(item, "elem-size"), &bytes))
        return STATUS_OK;
    for (const struct json_value *d = dims->first; d != NULL; d = d->next) {
        if (!json_u64_of(d, &dim) || __builtin_mul_overflow(bytes, dim, &bytes))
            return status_make(STATUS_DATA, "%s: 'dims' of %.*s are no lengths", listed->path,
                               VIEW_ARGUMENTS(path));
    }
    snprintf(name, sizeof name, "%.*s", VIEW_ARGUMENTS(path));
    const bool raw = view_has_extension(path, ".raw") || view_has_extension(path, ".bin");
    if (stat(name, &about) == 0 && raw && (uint64_t)about.st_size != bytes)
        return status_make(STATUS_DATA,
                           "%s: %.*s has %lld bytes, but 'dims' and 'elem-size' say %llu",
                           listed->path, VIEW_ARGUMENTS(path), (long long)about.st_size,
                           (unsigned long long)bytes);
    return STATUS_OK;
}

static status list_item(struct listed *listed, const struct json_value *item, struct bytes *texts,
                        size_t *count)
{
    const struct view direction = json_text_of(json_find(item, "io-direction"));
    const struct view name = json_text_of(json_find(item, "map-to"));
    const struct view path = json_text_of(json_find(item, "path"));
    if (view_is(direction, "out"))
        return STATUS_OK;
    const struct network_value *value = find_input(listed->network, name);
    if (!view_is(direction, "in") || path.size == 0 || value == NULL)
        return status_make(
            STATUS_DATA,
            "%s: expected a 'path', 'io-direction' \"in\" or \"out\" and an input of "
            "the program in 'map-to', not '%.*s'",
            listed->path, VIEW_ARGUMENTS(name));
    const struct view found = beside(&listed->arena, listed->path, path);
    STATUS_TRY(check_size(listed, item, found));
    append_input(texts, value, found);
    ++*count;
    return STATUS_OK;
}

static status list_set(struct listed *listed, const struct json_value *set, struct input_sets *sets)
{
    struct bytes texts = {0};
    size_t count = 0;
    status result = STATUS_OK;
    for (const struct json_value *item = set->first; item != NULL && result == STATUS_OK;
         item = item->next)
        result = list_item(listed, item, &texts, &count);
    if (result == STATUS_OK)
        result = read_set(listed->network, &texts, count, sets);
    bytes_free(&texts);
    return result;
}

static status list_sets(struct listed *listed, struct view text, struct input_sets *sets)
{
    const struct json_value *root;
    STATUS_TRY(status_within(json_read(text, &listed->arena, &root), "%s", listed->path));
    const struct json_value *files = json_find(root, "IO-files");
    if (files == NULL || files->kind != JSON_ARRAY || files->first == NULL)
        return status_make(STATUS_DATA,
                           "%s: expected {\"IO-files\": [[{\"path\": ..., \"io-direction\": "
                           "\"in\", \"map-to\": ...}]]}",
                           listed->path);
    free(sets->sets);
    sets->sets = memory_allocate_zeroed((size_t)files->count + 1, sizeof *sets->sets);
    for (const struct json_value *set = files->first; set != NULL; set = set->next) {
        if (set->kind != JSON_ARRAY)
            return status_make(STATUS_DATA, "%s: expected lists of files in 'IO-files'",
                               listed->path);
        STATUS_TRY(list_set(listed, set, sets));
    }
    return STATUS_OK;
}

static status read_list(const struct network *network, const char *path, struct input_sets *sets)
{
    struct listed listed = {.path = path, .network = network};
    struct input *input;
    STATUS_TRY(input_map(path, &input));
    const status result = list_sets(&listed, input->bytes, sets);
    arena_free(&listed.arena);
    input_close(input);
    return result;
}

status qaic_inputs_read(const struct arguments *arguments, const struct network *network,
                        struct input_sets *out_sets)
{
    size_t count;
    const char *const *files = arguments_values(arguments, "input-file", &count);
    const char *list = arguments_value(arguments, "aic-batch-json-input");
    *out_sets = (struct input_sets){.input_count = network_graph(network, 0)->input_count,
                                    .sets = memory_allocate_zeroed(2, sizeof *out_sets->sets)};
    if (list != NULL && count > 0)
        return status_make(STATUS_USAGE, "qaic-runner: --input-file and --aic-batch-json-input "
                                         "exclude one another");
    if (list != NULL)
        return read_list(network, list, out_sets);
    if (count == 0)
        printf("Using bounded random inputs\n");
    return read_files(network, files, count, out_sets);
}

void qaic_inputs_free(struct input_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        for (uint32_t k = 0; k < sets->input_count; k++)
            datum_release(sets->sets[i][k]);
        free(sets->sets[i]);
    }
    free(sets->sets);
}
