#include "device_dispatch.h"

#include <stdlib.h>

#include "base/memory.h"

static bool has_text(struct view text, const char *piece)
{
    return view_find_text(text, piece) < text.size;
}

// {"workers_runtime_id": 1024; ...}
static bool meta_runtime_id(struct view meta, uint64_t *out_id)
{
    static const char KEY[] = "workers_runtime_id";
    size_t at = view_find_text(meta, KEY);
    if (at == meta.size)
        return false;
    for (at += sizeof KEY - 1; at < meta.size && (unsigned)(meta.data[at] - '0') > 9; at++)
        ;
    size_t end = at;
    while (end < meta.size && (unsigned)(meta.data[end] - '0') <= 9)
        end++;
    return view_to_u64(view_slice(meta, at, end), out_id);
}

void dispatch_free(struct dispatch_lane *lane)
{
    free(lane->items);
    hash_free(&lane->index);
    *lane = (struct dispatch_lane){0};
}

static struct dispatched *device_dispatch_find_id(const struct dispatch_lane *lane, uint64_t id)
{
    const uint32_t hash = hash_u64(id);
    uint32_t found;
    for (uint32_t at = hash_first(&lane->index, hash);
         (found = hash_next(&lane->index, hash, &at)) != HASH_NONE;) {
        if (lane->items[found].id == id)
            return &lane->items[found];
    }
    return NULL;
}

static void read_meta(struct dispatch_lane *lane, struct view meta)
{
    uint64_t id;
    if (meta_runtime_id(meta, &id)) {
        lane->done = false;
        lane->id = device_dispatch_find_id(lane, id) == NULL ? id : 0;
    }
    if (!has_text(meta, "dispatch_command_type"))
        return;
    lane->counts = has_text(meta, "CQ_DISPATCH_");
    if (has_text(meta, "CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"))
        lane->done = true;
    if (has_text(meta, "CQ_DISPATCH_CMD_SEND_GO_SIGNAL"))
        lane->id++;
    else if (lane->risc == DEVICE_NCRISC)
        lane->counts = false;
}

static void device_dispatch_end_zone(struct dispatch_lane *lane, uint64_t time)
{
    struct dispatched *item = device_dispatch_find_id(lane, lane->id);
    if (item == NULL) {
        lane->items = memory_grow(lane->items, lane->count, &lane->capacity, sizeof *lane->items);
        hash_add(&lane->index, hash_u64(lane->id), (uint32_t)lane->count);
        item = &lane->items[lane->count++];
        *item = (struct dispatched){lane->id, {DEVICE_NEVER, 0}};
    }
    if (lane->counts) {
        device_extent_add(&item->extent, lane->start);
        device_extent_add(&item->extent, time);
    }
    lane->inside = false;
    if (lane->done)
        lane->id = 0;
}

bool dispatch_take(struct dispatch_lane *lane, const struct device_lane *about,
                   const struct device_zone *zone, const struct device_log_row *row)
{
    if (zone->kind == DEVICE_ZONE_DISPATCH && !lane->dispatches)
        *lane = (struct dispatch_lane){
            .dispatches = true, .device = about->device, .core = about->core, .risc = about->risc};
    if (!lane->dispatches)
        return false;
    if (!lane->inside) {
        lane->inside = true;
        lane->counts = false;
        lane->start = row->time;
    }
    if (view_starts_with(zone->name, "CQ_DISPATCH_"))
        lane->counts = true;
    if (row->meta.size > 0)
        read_meta(lane, row->meta);
    if (row->marker == DEVICE_ZONE_END)
        device_dispatch_end_zone(lane, row->time);
    return true;
}
