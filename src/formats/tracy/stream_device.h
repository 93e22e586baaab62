// The zones of devices in a stream: a zone begins and ends where the program says so, and its times
// come later, by the number of a query.

#ifndef OPSCOPE_FORMATS_TRACY_STREAM_DEVICE_H
#define OPSCOPE_FORMATS_TRACY_STREAM_DEVICE_H

#include "build.h"
#include "wire.h"

struct stream_devices {
    struct tracy_build *build;
    const struct tracy_wire *wire;
    struct tracy_welcome welcome;
    struct segments contexts;   // struct device_context
    struct segments zones;      // struct device_zone; those that are done are used again
    struct segments free_zones; // uint32_t
    uint32_t free_count;
    struct hash_index queries; // context and query to a zone
    struct segments query_keys;
    int64_t reference; // of the times of devices
    uint64_t unknown;  // items that refer to no context or zone
};

void stream_devices_start(struct stream_devices *devices, struct tracy_build *build,
                          const struct tracy_wire *wire, const struct tracy_welcome *welcome);
void stream_devices_free(struct stream_devices *devices);

void stream_devices_new(struct stream_devices *devices, struct tracy_cursor payload);
void stream_devices_name(struct stream_devices *devices, struct tracy_cursor payload,
                         struct view name);

// `payload` is after the time of the program.
void stream_devices_begin(struct stream_devices *devices, struct tracy_cursor payload,
                          struct tracy_location location);
void stream_devices_end(struct stream_devices *devices, struct tracy_cursor payload);
void stream_devices_time(struct stream_devices *devices, struct tracy_cursor payload);
void stream_devices_calibrate(struct stream_devices *devices, struct tracy_cursor payload);
void stream_devices_sync(struct stream_devices *devices, struct tracy_cursor payload);

// Zones without an end are lost.
void stream_devices_finish(struct stream_devices *devices);

#endif
