#include "device_lanes.h"

#include <stdio.h>

enum { PROCESSOR_BITS = TRACY_PROCESSORS - 1 };

static const char *const PROCESSORS[PROCESSOR_BITS + 1] = {
    "BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC", "CORE_AGG", "other"};

// "Device: 0, Core (1,2)"
static bool device_lanes_read_place(struct view name, struct tracy_device_lane *lane)
{
    char text[64] = "";
    int used = 0;
    if (name.size >= sizeof text)
        return false;
    memcpy(text, name.data, name.size);
    return sscanf(text, "Device: %u, Core (%u,%u)%n", &lane->device, &lane->core_x, &lane->core_y,
                  &used) == 3 &&
           used == (int)name.size;
}

bool tracy_device_lane_of(struct view context_name, uint64_t thread,
                          struct tracy_device_lane *out_lane)
{
    *out_lane = (struct tracy_device_lane){0};
    if (!device_lanes_read_place(context_name, out_lane))
        return false;
    out_lane->processor = (unsigned)thread & PROCESSOR_BITS;
    out_lane->processor_name = PROCESSORS[out_lane->processor];
    return true;
}

bool tracy_device_processor_of(struct view name, struct tracy_device_lane *out_lane)
{
    for (unsigned i = 0; i <= PROCESSOR_BITS; i++) {
        if (!view_is(name, PROCESSORS[i]))
            continue;
        out_lane->processor = i;
        out_lane->processor_name = PROCESSORS[i];
        return true;
    }
    return false;
}
