// The trees of zones in a .tracy file: those of a thread, and those of a device.
//
// Depth is bounded by the file alone: what lies around a zone is kept in memory of its own.

#ifndef OPSCOPE_FORMATS_TRACY_ZONES_H
#define OPSCOPE_FORMATS_TRACY_ZONES_H

#include "tables.h"

struct tracy_zones {
    struct tracy_build *build;
    const struct tracy_tables *tables;
    struct tracy_cursor *cursor;
    struct view extras; // entries of TRACY_EXTRA bytes: what zones have besides
    bool has_query;     // zones of devices end in the number of their query
    struct open_zone *open;
    size_t open_count;
    size_t open_capacity;
};

enum { TRACY_EXTRA = 12 };

// All zones of a thread, which begin with how many there are.
void tracy_zones_read_thread(struct tracy_zones *zones, uint32_t lane);

// The same of a device: `count` of them.
void tracy_zones_read_device(struct tracy_zones *zones, uint32_t lane, uint64_t count);

void tracy_zones_free(struct tracy_zones *zones);

#endif
