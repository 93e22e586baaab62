#include "stream_device.h"

#include "device_lanes.h"

#include <stdlib.h>

#include "base/memory.h"

struct device_context {
    uint32_t number;
    uint64_t thread; // 0: that of each zone
    struct view name;
    unsigned type;
    bool calibrated;
    double period;
    double modifier;
    int64_t device_zero; // ns of the device ...
    int64_t zero;        // ... that are this time
    uint32_t *open;      // zones, by their index
    size_t open_count;
    size_t open_capacity;
};

enum zone_state { ZONE_FREE, ZONE_BEGUN, ZONE_STARTED, ZONE_DONE };

struct device_zone {
    uint32_t context; // index
    uint64_t thread;
    struct tracy_location location;
    enum zone_state state;
    int64_t start;
};

// Which zone a query is about; HASH_NONE: none any more.
struct query_key {
    uint64_t key;
    uint32_t zone;
};

void stream_devices_start(struct stream_devices *devices, struct tracy_build *build,
                          const struct tracy_wire *wire, const struct tracy_welcome *welcome)
{
    *devices = (struct stream_devices){.build = build, .wire = wire, .welcome = *welcome};
    segments_start(&devices->contexts, sizeof(struct device_context));
    segments_start(&devices->zones, sizeof(struct device_zone));
    segments_start(&devices->free_zones, sizeof(uint32_t));
    segments_start(&devices->query_keys, sizeof(struct query_key));
}

void stream_devices_free(struct stream_devices *devices)
{
    for (uint32_t i = 0; i < devices->contexts.count; i++)
        free(((struct device_context *)segments_get(&devices->contexts, i))->open);
    segments_free(&devices->contexts);
    segments_free(&devices->zones);
    segments_free(&devices->free_zones);
    segments_free(&devices->query_keys);
    hash_free(&devices->queries);
}

// Contexts --------------------------------------------------------------------

static struct device_context *find_context(struct stream_devices *devices, uint32_t number,
                                           uint32_t *out_index)
{
    for (uint32_t i = devices->contexts.count; i-- > 0;) {
        struct device_context *context = segments_get(&devices->contexts, i);
        if (context->number == number) {
            *out_index = i;
            return context;
        }
    }
    devices->unknown++;
    return NULL;
}

static int64_t program_ns(const struct stream_devices *devices, int64_t tick)
{
    const uint64_t since = (uint64_t)tick - (uint64_t)devices->welcome.begin;
    const double ns = (double)(int64_t)since * devices->welcome.multiplier;
    return ns > -9e18 && ns < 9e18 ? (int64_t)ns : INT64_MIN;
}

static int64_t stream_device_scaled(int64_t ticks, double by)
{
    const double ns = (double)ticks * by;
    return ns > -9e18 && ns < 9e18 ? (int64_t)ns : 0;
}

void stream_devices_new(struct stream_devices *devices, struct tracy_cursor payload)
{
    const int64_t cpu = tracy_i64(&payload);
    const int64_t device = tracy_i64(&payload);
    struct device_context *context = segments_add(&devices->contexts);
    context->thread = tracy_u32(&payload);
    context->period = (double)tracy_f32(&payload);
    context->number = tracy_wire_context(devices->wire, &payload);
    context->calibrated = (tracy_u8(&payload) & 1) != 0;
    context->type = tracy_u8(&payload);
    // What upstream calls by the number of the fork's devices, and what it has after that.
    if (context->type >= TRACY_CONTEXT_CORE && devices->wire->dialect.protocol > TRACY_PROTOCOL)
        context->type++;
    context->modifier = 1;
    context->zero = program_ns(devices, cpu);
    context->device_zero = stream_device_scaled(device, context->period);
    context->name = VIEW_LITERAL("");
}

void stream_devices_name(struct stream_devices *devices, struct tracy_cursor payload,
                         struct view name)
{
    uint32_t index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    struct profile *profile = devices->build->profile;
    if (context != NULL)
        context->name = profile_text(profile, profile_string(profile, name));
}

void stream_devices_calibrate(struct stream_devices *devices, struct tracy_cursor payload)
{
    const int64_t device = tracy_i64(&payload);
    const int64_t cpu = tracy_i64(&payload);
    const int64_t passed = tracy_i64(&payload);
    uint32_t index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    if (context == NULL)
        return;
    const int64_t now = stream_device_scaled(device, context->period);
    const double since = (double)now - (double)context->device_zero;
    const double modifier = since != 0 ? (double)passed / since : 1;
    context->modifier = modifier > 0 && modifier < 1e6 ? modifier : 1;
    context->device_zero = now;
    context->zero = program_ns(devices, cpu);
}

void stream_devices_sync(struct stream_devices *devices, struct tracy_cursor payload)
{
    const int64_t device = tracy_i64(&payload);
    const int64_t cpu = tracy_i64(&payload);
    uint32_t index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    if (context == NULL || context->calibrated)
        return;
    context->device_zero = stream_device_scaled(device, context->period);
    context->zero = program_ns(devices, cpu);
}

static int64_t device_ns(const struct device_context *context, int64_t tick)
{
    const double since = (double)tick * context->period - (double)context->device_zero;
    const double ns = since * (context->calibrated ? context->modifier : 1) + (double)context->zero;
    return ns > -9e18 && ns < 9e18 ? (int64_t)ns : INT64_MIN;
}

// Zones -----------------------------------------------------------------------

static void set_query(struct stream_devices *devices, uint64_t key, uint32_t zone)
{
    const uint32_t hash = hash_u64(key);
    uint32_t id;
    for (uint32_t at = hash_first(&devices->queries, hash);
         (id = hash_next(&devices->queries, hash, &at)) != HASH_NONE;) {
        struct query_key *query = segments_get(&devices->query_keys, id);
        if (query->key == key) {
            query->zone = zone;
            return;
        }
    }
    hash_add(&devices->queries, hash, devices->query_keys.count);
    *(struct query_key *)segments_add(&devices->query_keys) = (struct query_key){key, zone};
}

static struct query_key *find_query(const struct stream_devices *devices, uint64_t key)
{
    const uint32_t hash = hash_u64(key);
    uint32_t id;
    for (uint32_t at = hash_first(&devices->queries, hash);
         (id = hash_next(&devices->queries, hash, &at)) != HASH_NONE;) {
        struct query_key *query = segments_get(&devices->query_keys, id);
        if (query->key == key)
            return query->zone != HASH_NONE ? query : NULL;
    }
    return NULL;
}

static struct device_zone *take_zone(struct stream_devices *devices, uint32_t *out_index)
{
    if (devices->free_count > 0) {
        *out_index = *(uint32_t *)segments_get(&devices->free_zones, --devices->free_count);
        return segments_get(&devices->zones, *out_index);
    }
    struct device_zone *zone = segments_add(&devices->zones);
    *out_index = devices->zones.count - 1;
    return zone;
}

static void give_back_zone(struct stream_devices *devices, uint32_t index)
{
    if (devices->free_count == devices->free_zones.count)
        segments_add(&devices->free_zones);
    *(uint32_t *)segments_get(&devices->free_zones, devices->free_count++) = index;
}

// thread, query, context
void stream_devices_begin(struct stream_devices *devices, struct tracy_cursor payload,
                          struct tracy_location location)
{
    const uint64_t thread = tracy_u32(&payload);
    const uint64_t query = tracy_u16(&payload);
    uint32_t index;
    uint32_t zone_index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    if (context == NULL)
        return;
    struct device_zone *zone = take_zone(devices, &zone_index);
    *zone = (struct device_zone){.context = index,
                                 .thread = context->thread == 0 ? thread : 0,
                                 .location = location,
                                 .state = ZONE_BEGUN};
    set_query(devices, (uint64_t)index << 16 | query, zone_index);
    context->open = memory_grow(context->open, context->open_count, &context->open_capacity,
                                sizeof *context->open);
    context->open[context->open_count++] = zone_index;
}

// The innermost zone of its thread.
void stream_devices_end(struct stream_devices *devices, struct tracy_cursor payload)
{
    const uint64_t thread = tracy_u32(&payload);
    const uint64_t query = tracy_u16(&payload);
    uint32_t index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    for (size_t i = context != NULL ? context->open_count : 0; i-- > 0;) {
        const struct device_zone *zone = segments_get(&devices->zones, context->open[i]);
        if (zone->thread != (context->thread == 0 ? thread : 0))
            continue;
        set_query(devices, (uint64_t)index << 16 | query, context->open[i]);
        context->open_count--;
        memmove(&context->open[i], &context->open[i + 1],
                (context->open_count - i) * sizeof *context->open);
        return;
    }
    devices->unknown++;
}

void stream_devices_time(struct stream_devices *devices, struct tracy_cursor payload)
{
    devices->reference = (int64_t)((uint64_t)devices->reference + tracy_u64(&payload));
    const uint64_t number = tracy_u16(&payload);
    uint32_t index;
    struct device_context *context =
        find_context(devices, tracy_wire_context(devices->wire, &payload), &index);
    struct query_key *query =
        context != NULL ? find_query(devices, (uint64_t)index << 16 | number) : NULL;
    if (query == NULL) {
        devices->unknown++;
        return;
    }
    const uint32_t zone_index = query->zone;
    struct device_zone *zone = segments_get(&devices->zones, zone_index);
    const int64_t time = device_ns(context, devices->reference);
    query->zone = HASH_NONE;
    if (zone->state == ZONE_BEGUN) {
        zone->start = time;
        zone->state = ZONE_STARTED;
        return;
    }
    const struct tracy_zone done = {
        .start = zone->start, .end = time, .location = zone->location, .text = VIEW_LITERAL("")};
    const uint32_t lane =
        tracy_build_device(devices->build, index, context->name, context->type, zone->thread);
    if (zone->state == ZONE_STARTED)
        tracy_build_zone(devices->build, lane, &done);
    zone->state = ZONE_FREE;
    give_back_zone(devices, zone_index);
}

void stream_devices_finish(struct stream_devices *devices)
{
    for (uint32_t i = 0; i < devices->zones.count; i++) {
        const struct device_zone *zone = segments_get(&devices->zones, i);
        const struct device_context *context = segments_get(&devices->contexts, zone->context);
        if (zone->state == ZONE_FREE)
            continue;
        const struct tracy_zone open = {.start = zone->state == ZONE_STARTED ? zone->start : 0,
                                        .end = -1,
                                        .location = zone->location,
                                        .text = VIEW_LITERAL("")};
        tracy_build_zone(devices->build,
                         tracy_build_device(devices->build, zone->context, context->name,
                                            context->type, zone->thread),
                         &open);
    }
}
