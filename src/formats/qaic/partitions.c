#include "partitions.h"

#include <inttypes.h>
#include <string.h>

#include "wire/json_reader.h"

enum { CORES_MOST = 16 };

struct reading {
    const char *name;
    struct qaic_partitions *partitions;
    bool used[QAIC_DEVICES_MOST]; // by deviceId
};

static status read_device(struct reading *reading, const struct json_value *object,
                          const struct qaic_partition *partition)
{
    struct qaic_partitions *all = reading->partitions;
    uint64_t id, cores;
    if (!json_u64_of(json_find(object, "deviceId"), &id) || id >= QAIC_DEVICES_MOST ||
        !json_u64_of(json_find(object, "numCores"), &cores) || cores == 0 || cores > CORES_MOST)
        return status_make(STATUS_DATA,
                           "%s: partition '%.*s': a device is {\"deviceId\": 0, \"numCores\": 16}, "
                           "with at most %d cores",
                           reading->name, VIEW_ARGUMENTS(partition->name), CORES_MOST);
    if (reading->used[id])
        return status_make(STATUS_DATA, "%s: device %" PRIu64 " is named twice", reading->name, id);
    if (all->cores != 0 && all->cores != cores)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: device %" PRIu64 " has %" PRIu64 " cores, others %" PRIu32
                           ": give all of them as many",
                           reading->name, id, cores, all->cores);
    reading->used[id] = true;
    all->cores = (uint32_t)cores;
    all->device_count++;
    return STATUS_OK;
}

static status read_nodes(const struct reading *reading, const struct json_value *list,
                         struct qaic_partition *partition)
{
    if (list == NULL)
        return STATUS_OK;
    if (list->kind != JSON_ARRAY)
        return status_make(STATUS_DATA, "%s: partition '%.*s': 'nodeList' is no list",
                           reading->name, VIEW_ARGUMENTS(partition->name));
    struct view *nodes =
        arena_allocate(&reading->partitions->arena, ((size_t)list->count + 1) * sizeof *nodes);
    for (const struct json_value *item = list->first; item != NULL; item = item->next)
        nodes[partition->node_count++] = json_text_of(item);
    partition->nodes = nodes;
    return STATUS_OK;
}

static status read_partition(struct reading *reading, const struct json_value *object)
{
    struct qaic_partitions *all = reading->partitions;
    struct qaic_partition *partition = &all->items[all->count++];
    const struct json_value *devices = json_find(object, "devices");
    *partition = (struct qaic_partition){.name = json_text_of(json_find(object, "name")),
                                         .first_device = all->device_count};
    if (devices == NULL || devices->kind != JSON_ARRAY || devices->count == 0)
        return status_make(STATUS_DATA, "%s: partition '%.*s' has no devices", reading->name,
                           VIEW_ARGUMENTS(partition->name));
    for (const struct json_value *item = devices->first; item != NULL; item = item->next)
        STATUS_TRY(read_device(reading, item, partition));
    partition->device_count = all->device_count - partition->first_device;
    return read_nodes(reading, json_find(object, "nodeList"), partition);
}

static status read_connections(struct reading *reading, const struct json_value *list)
{
    if (list == NULL || list->kind != JSON_ARRAY)
        return STATUS_OK;
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        const struct view type = json_text_of(json_find(item, "type"));
        if (!view_is(type, "p2p") && !view_is(type, "host"))
            return status_make(STATUS_DATA,
                               "%s: a connection is of type \"p2p\" or \"host\", not '%.*s'",
                               reading->name, VIEW_ARGUMENTS(type));
        if (view_is(type, "host"))
            reading->partitions->through_host = true;
    }
    return STATUS_OK;
}

static status partitions_read_all(struct reading *reading, struct view text)
{
    struct qaic_partitions *all = reading->partitions;
    const struct json_value *root;
    STATUS_TRY(status_within(json_read(text, &all->arena, &root), "%s", reading->name));
    const struct json_value *list = json_find(root, "partitions");
    if (list == NULL || list->kind != JSON_ARRAY || list->count == 0)
        return status_make(STATUS_DATA,
                           "%s: expected {\"partitions\": [{\"name\": ..., \"devices\": "
                           "[{\"deviceId\": 0, \"numCores\": 16}]}]}",
                           reading->name);
    all->items = arena_allocate(&all->arena, list->count * sizeof *all->items);
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        STATUS_TRY(read_partition(reading, item));
        if (list->count > 1 && all->items[all->count - 1].node_count == 0)
            return status_make(STATUS_DATA,
                               "%s: partition '%.*s' has no 'nodeList': of several partitions "
                               "each names its nodes",
                               reading->name, VIEW_ARGUMENTS(all->items[all->count - 1].name));
    }
    return read_connections(reading, json_find(root, "connections"));
}

status qaic_partitions_read(const char *name, struct view text,
                            struct qaic_partitions *out_partitions)
{
    struct reading reading = {.name = name, .partitions = out_partitions};
    *out_partitions = (struct qaic_partitions){0};
    const status failure = partitions_read_all(&reading, text);
    if (failure != STATUS_OK)
        qaic_partitions_free(out_partitions);
    return failure;
}

void qaic_partitions_free(struct qaic_partitions *partitions)
{
    arena_free(&partitions->arena);
    *partitions = (struct qaic_partitions){0};
}
