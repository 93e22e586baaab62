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

// How zones of one sort lie in the file: what times are relative to is carried along.
struct zone_form {
    size_t least; // bytes of a zone
    struct open_zone (*begin)(struct tracy_zones *zones, int64_t times[2]);
    int64_t (*end)(struct tracy_zones *zones, int64_t times[2]);
};

static struct open_zone begin_of_thread(struct tracy_zones *zones, int64_t times[2])
{
    struct tracy_cursor *cursor = zones->cursor;
    struct open_zone zone = {.location = (int16_t)tracy_u16(cursor)};
    zone.start = tracy_time(cursor, &times[0]);
    zone.extra = tracy_u32(cursor);
    zone.left = tracy_u32(cursor);
    return zone;
}

static int64_t end_of_thread(struct tracy_zones *zones, int64_t times[2])
{
    return tracy_time(zones->cursor, &times[0]);
}

// The first time is when the program handed the work over, which nothing is made of.
static struct open_zone begin_of_device(struct tracy_zones *zones, int64_t times[2])
{
    struct tracy_cursor *cursor = zones->cursor;
    struct open_zone zone = {0};
    tracy_time(cursor, &times[0]);
    zone.start = tracy_time(cursor, &times[1]);
    zone.location = (int16_t)tracy_u16(cursor);
    tracy_skip(cursor, 1, 3 + 2); // its call stack and thread
    zone.left = tracy_u64(cursor);
    return zone;
}

static int64_t end_of_device(struct tracy_zones *zones, int64_t times[2])
{
    tracy_time(zones->cursor, &times[0]);
    const int64_t end = tracy_time(zones->cursor, &times[1]);
    if (zones->has_query)
        tracy_skip(zones->cursor, 1, 2);
    return end;
}

static void open_unless_too_many(struct tracy_zones *zones, const struct zone_form *form,
                                 struct open_zone zone)
{
    if (!is_too_many(zones->cursor, zone.left, form->least))
        open_zone(zones, zone);
}

static void read_tree(struct tracy_zones *zones, uint32_t lane, uint64_t count,
                      const struct zone_form *form)
{
    int64_t times[2] = {0, 0};
    zones->open_count = 0;
    open_unless_too_many(zones, form, (struct open_zone){.left = count});
    while (zones->open_count > 0 && !zones->cursor->short_of) {
        struct open_zone *around = &zones->open[zones->open_count - 1];
        if (around->left > 0) {
            around->left--;
            open_unless_too_many(zones, form, form->begin(zones, times));
            continue;
        }
        const struct open_zone done = *around;
        if (--zones->open_count == 0)
            return;
        const int64_t end = form->end(zones, times);
        if (!zones->cursor->short_of)
            zones_add_zone(zones, lane, &done, end);
    }
}

void tracy_zones_read_thread(struct tracy_zones *zones, uint32_t lane)
{
    static const struct zone_form FORM = {ZONE_LEAST, begin_of_thread, end_of_thread};
    read_tree(zones, lane, tracy_u32(zones->cursor), &FORM);
}

void tracy_zones_read_device(struct tracy_zones *zones, uint32_t lane, uint64_t count)
{
    static const struct zone_form FORM = {DEVICE_ZONE_LEAST, begin_of_device, end_of_device};
    read_tree(zones, lane, count, &FORM);
}

void tracy_zones_free(struct tracy_zones *zones)
{
    free(zones->open);
}
