#include "zones.h"

#include <stdlib.h>

#include "base/memory.h"

// A zone whose end has not come yet, and its brothers that are still to come. The outermost one is
// none: it holds the count of the whole tree.
struct open_zone {
    int64_t start;
    uint64_t left; // zones inside that have not begun
    uint32_t extra;
    int16_t location;
};

// A zone, in the file: its fixed part, and one of a device.
enum { ZONE_LEAST = 2 + 8 + 4 + 4 + 8, DEVICE_ZONE_LEAST = 8 + 8 + 2 + 3 + 2 + 8 + 8 + 8 };

static void open_zone(struct tracy_zones *zones, struct open_zone zone)
{
    zones->open =
        memory_grow(zones->open, zones->open_count, &zones->open_capacity, sizeof *zones->open);
    zones->open[zones->open_count++] = zone;
}

static bool is_too_many(struct tracy_cursor *cursor, uint64_t count, size_t least)
{
    if (count <= tracy_left(cursor) / least)
        return false;
    cursor->short_of = true;
    return true;
}

static void zones_add_zone(struct tracy_zones *zones, uint32_t lane, const struct open_zone *zone,
                           int64_t end)
{
    struct tracy_zone added = {.start = zone->start,
                               .end = end,
                               .location = tracy_tables_location(zones->tables, zone->location),
                               .text = VIEW_LITERAL("")};
    const size_t at = (size_t)zone->extra * TRACY_EXTRA;
    if (zone->extra != 0 && at + TRACY_EXTRA <= zones->extras.size) {
        struct tracy_cursor extra =
            tracy_cursor_of(view_slice(zones->extras, at, at + TRACY_EXTRA));
        tracy_skip(&extra, 1, 3); // its call stack
        added.text = tracy_tables_index(zones->tables, (uint32_t)tracy_number(&extra, 3));
        const struct view name =
            tracy_tables_index(zones->tables, (uint32_t)tracy_number(&extra, 3));
        added.name = profile_string(zones->build->profile, name);
    }
    tracy_build_zone(zones->build, lane, &added);
}

void tracy_zones_read_thread(struct tracy_zones *zones, uint32_t lane)
{
    struct tracy_cursor *cursor = zones->cursor;
    const uint64_t count = tracy_u32(cursor);
    int64_t reference = 0;
    zones->open_count = 0;
    if (!is_too_many(cursor, count, ZONE_LEAST))
        open_zone(zones, (struct open_zone){.left = count});
    while (zones->open_count > 0) {
        struct open_zone *around = &zones->open[zones->open_count - 1];
        if (around->left == 0) {
            const struct open_zone done = *around;
            if (--zones->open_count > 0) {
                const int64_t end = tracy_time(cursor, &reference);
                if (!cursor->short_of)
                    zones_add_zone(zones, lane, &done, end);
            }
        } else {
            around->left--;
            struct open_zone zone = {.location = (int16_t)tracy_u16(cursor)};
            zone.start = tracy_time(cursor, &reference);
            zone.extra = tracy_u32(cursor);
            zone.left = tracy_u32(cursor);
            if (!is_too_many(cursor, zone.left, ZONE_LEAST))
                open_zone(zones, zone);
        }
        if (cursor->short_of)
            return;
    }
}

void tracy_zones_read_device(struct tracy_zones *zones, uint32_t lane, uint64_t count)
{
    struct tracy_cursor *cursor = zones->cursor;
    int64_t cpu = 0; // when the program handed the work over, which nothing is made of
    int64_t device = 0;
    zones->open_count = 0;
    if (!is_too_many(cursor, count, DEVICE_ZONE_LEAST))
        open_zone(zones, (struct open_zone){.left = count});
    while (zones->open_count > 0) {
        struct open_zone *around = &zones->open[zones->open_count - 1];
        if (around->left == 0) {
            const struct open_zone done = *around;
            if (--zones->open_count > 0) {
                tracy_time(cursor, &cpu);
                const int64_t end = tracy_time(cursor, &device);
                if (zones->has_query)
                    tracy_skip(cursor, 1, 2);
                if (!cursor->short_of)
                    zones_add_zone(zones, lane, &done, end);
            }
        } else {
            around->left--;
            struct open_zone zone = {0};
            tracy_time(cursor, &cpu);
            zone.start = tracy_time(cursor, &device);
            zone.location = (int16_t)tracy_u16(cursor);
            tracy_skip(cursor, 1, 3 + 2); // its call stack and thread
            zone.left = tracy_u64(cursor);
            if (!is_too_many(cursor, zone.left, DEVICE_ZONE_LEAST))
                open_zone(zones, zone);
        }
        if (cursor->short_of)
            return;
    }
}

void tracy_zones_free(struct tracy_zones *zones)
{
    free(zones->open);
}
