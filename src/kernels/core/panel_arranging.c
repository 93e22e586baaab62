#include "panel_arranging.h"

enum { ARRANGED_TOGETHER = 1 << 16 }; // numbers that are worth a piece of their own

struct arranging {
    struct panel_convolution *const *parts;
    uint32_t count;
    uint64_t each; // numbers of a panel
    float *place;
    struct scratch_pool *rooms;
};

static uint64_t count_panels(struct panel_convolution *const *parts, uint32_t count)
{
    uint64_t panels = 0;
    for (uint32_t i = 0; i < count; i++)
        panels += panel_convolution_panels(parts[i]);
    return panels;
}

size_t panel_arranging_bytes(struct panel_convolution *const *parts, uint32_t count)
{
    const uint64_t panels = count_panels(parts, count);
    return panels > 0 ? panels * panel_convolution_panel(parts[0]) * sizeof(float) : 0;
}

// Panels [from, to) of all parts.
static void arrange_some(void *context, uint64_t from, uint64_t to)
{
    const struct arranging *arranging = context;
    uint64_t first = 0; // of the part at hand
    for (uint32_t i = 0; i < arranging->count && first < to; i++) {
        const uint64_t last = first + panel_convolution_panels(arranging->parts[i]);
        const uint64_t start = from > first ? from : first, end = to < last ? to : last;
        if (start < end)
            panel_convolution_arrange(arranging->parts[i], start - first, end - first,
                                      arranging->place + first * arranging->each, arranging->rooms);
        first = last;
    }
}

void panel_arranging_run(struct panel_convolution *const *parts, uint32_t count, float *place,
                         struct scratch_pool *rooms, struct parallel *parallel)
{
    const uint64_t panels = count_panels(parts, count);
    if (panels == 0)
        return;
    struct arranging arranging = {parts, count, panel_convolution_panel(parts[0]), place, rooms};
    parallel_for(parallel, panels, 1 + ARRANGED_TOGETHER / arranging.each, arrange_some,
                 &arranging);
    uint64_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        panel_convolution_place(parts[i], place + first * arranging.each);
        first += panel_convolution_panels(parts[i]);
    }
}
