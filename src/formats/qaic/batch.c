#include "batch.h"

#include <string.h>

#include "wire/json_reader.h"

// Where in the list something is.
struct place {
    const char *name;
    size_t inference;
    size_t file;
};

static status batch_fail(const struct place *at, const char *what)
{
    return status_make(STATUS_DATA, "%s: inference %zu, file %zu: %s", at->name, at->inference,
                       at->file, what);
}

static status read_dims(const struct place *at, const struct json_value *dims,
                        struct qaic_batch_file *file)
{
    if (dims == NULL)
        return STATUS_OK;
    if (dims->kind != JSON_ARRAY || dims->count > SHAPE_RANK_MOST)
        return batch_fail(at, "'dims' is no list of at most 12 numbers");
    for (const struct json_value *item = dims->first; item != NULL; item = item->next) {
        uint64_t length;
        if (!json_u64_of(item, &length) || length > INT32_MAX)
            return batch_fail(at, "'dims' is no list of at most 12 numbers");
        file->shape.dims[file->shape.rank++] = (int64_t)length;
    }
    file->shaped = true;
    return STATUS_OK;
}

static status read_one(const struct place *at, const struct json_value *object, struct arena *arena,
                       struct qaic_batch_file *file)
{
    const struct view path = json_text_of(json_find(object, "path"));
    const struct view direction = json_text_of(json_find(object, "io-direction"));
    if (path.size == 0 || memchr(path.data, '\0', path.size) != NULL)
        return batch_fail(at, "has no 'path'");
    if (!view_is(direction, "in") && !view_is(direction, "out"))
        return batch_fail(at, "'io-direction' is neither \"in\" nor \"out\"");
    file->path = arena_copy(arena, path).data;
    file->output = view_is(direction, "out");
    file->name = json_text_of(json_find(object, "map-to"));
    if (file->name.size == 0)
        return batch_fail(at, "'map-to' does not say which input or output it is");
    return read_dims(at, json_find(object, "dims"), file);
}

static status batch_read_inference(struct place *at, const struct json_value *list,
                                   struct arena *arena, struct qaic_batch_inference *inference)
{
    if (list->kind != JSON_ARRAY)
        return status_make(STATUS_DATA, "%s: inference %zu is no list of files", at->name,
                           at->inference);
    inference->files = arena_allocate(arena, ((size_t)list->count + 1) * sizeof *inference->files);
    memset(inference->files, 0, ((size_t)list->count + 1) * sizeof *inference->files);
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        at->file = inference->file_count;
        STATUS_TRY(read_one(at, item, arena, &inference->files[inference->file_count++]));
    }
    return STATUS_OK;
}

static status batch_read_all(const char *name, struct view text, struct qaic_batch *batch)
{
    const struct json_value *root;
    STATUS_TRY(status_within(json_read(text, &batch->arena, &root), "%s", name));
    const struct json_value *list = json_find(root, "IO-files");
    if (list == NULL || list->kind != JSON_ARRAY || list->count == 0)
        return status_make(STATUS_DATA,
                           "%s: expected {\"IO-files\": [[{\"path\": ..., \"io-direction\": "
                           "\"in\", \"map-to\": ...}]]}, a list of files for each inference",
                           name);
    batch->items = arena_allocate(&batch->arena, list->count * sizeof *batch->items);
    memset(batch->items, 0, list->count * sizeof *batch->items);
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        struct place at = {.name = name, .inference = batch->count};
        STATUS_TRY(batch_read_inference(&at, item, &batch->arena, &batch->items[batch->count++]));
    }
    return STATUS_OK;
}

status qaic_batch_read(const char *name, struct view text, struct qaic_batch *out_batch)
{
    *out_batch = (struct qaic_batch){0};
    const status failure = batch_read_all(name, text, out_batch);
    if (failure != STATUS_OK)
        qaic_batch_free(out_batch);
    return failure;
}

void qaic_batch_free(struct qaic_batch *batch)
{
    arena_free(&batch->arena);
    *batch = (struct qaic_batch){0};
}
