#include "plot_flows.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

#define FROM_EDGE 6.0 // columns from the start of a wide span to where its arrow leaves

struct flow_side {
    uint64_t flow;
    uint64_t ns;
    double x;
    uint32_t lane;
    uint32_t track;
    uint32_t row : 31;
    uint32_t starts : 1;
};

void plot_flows_see(struct plot_flows *flows, struct view values, uint64_t ns,
                    const struct plot_flow_end *end)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.kind != VALUE_FLOW_OUT && value.kind != VALUE_FLOW_IN)
            continue;
        const bool starts = value.kind == VALUE_FLOW_OUT;
        const double inside = end->width / 2 < FROM_EDGE ? end->width / 2 : FROM_EDGE;
        flows->sides =
            memory_grow(flows->sides, flows->count, &flows->capacity, sizeof *flows->sides);
        flows->sides[flows->count++] = (struct flow_side){.flow = value.number,
                                                          .ns = ns,
                                                          .x = end->x + (starts ? inside : 0),
                                                          .lane = end->lane,
                                                          .track = end->track,
                                                          .row = end->row & INT32_MAX,
                                                          .starts = starts};
    }
}

static bool is_before(const void *a, const void *b)
{
    const struct flow_side *left = a, *right = b;
    if (left->flow != right->flow)
        return left->flow < right->flow;
    return left->ns != right->ns ? left->ns < right->ns : left->starts > right->starts;
}

static bool is_wanted(const struct plot *plot, const struct flow_side *from,
                      const struct flow_side *to)
{
    if (plot->options.arrows == PLOT_ALL_ARROWS)
        return true;
    return !role_is_device(profile_track(plot->profile, from->track)->role) &&
           role_is_device(profile_track(plot->profile, to->track)->role);
}

// From each end of a flow back to where it was last seen to start.
static void match_sides(struct plot_flows *flows, struct plot *plot)
{
    size_t capacity = 0;
    const struct flow_side *from = NULL;
    sort_in_place(flows->sides, flows->count, sizeof *flows->sides, is_before);
    for (size_t i = 0; i < flows->count; i++) {
        const struct flow_side *side = &flows->sides[i];
        if (from != NULL && from->flow != side->flow)
            from = NULL;
        if (from != NULL && !side->starts && is_wanted(plot, from, side)) {
            plot->arrows =
                memory_grow(plot->arrows, plot->arrow_count, &capacity, sizeof *plot->arrows);
            plot->arrows[plot->arrow_count++] = (struct plot_arrow){
                {from->x, from->lane, from->row}, {side->x, side->lane, side->row}};
        }
        from = side->starts ? side : from;
    }
}

static int compare_ends(const struct plot_end *a, const struct plot_end *b)
{
    if (a->lane != b->lane || a->row != b->row)
        return sort_compare((uint64_t)a->lane << 32 | a->row, (uint64_t)b->lane << 32 | b->row);
    return (a->x > b->x) - (a->x < b->x);
}

static bool by_place(const void *a, const void *b)
{
    const struct plot_arrow *left = a, *right = b;
    const int to = compare_ends(&left->to, &right->to);
    return to != 0 ? to < 0 : compare_ends(&left->from, &right->from) < 0;
}

static bool is_beside(const struct plot_end *a, const struct plot_end *b, double distance)
{
    const double apart = a->x - b->x;
    return a->lane == b->lane && a->row == b->row && apart < distance && -apart < distance;
}

// Leaves out what lies beside the one before it; farther away as long as there are too many.
static void thin_out(struct plot *plot)
{
    double distance = 2;
    do {
        size_t kept = 0;
        for (size_t i = 0; i < plot->arrow_count; i++) {
            const struct plot_arrow *arrow = &plot->arrows[i];
            const struct plot_arrow *last = kept > 0 ? &plot->arrows[kept - 1] : NULL;
            if (last == NULL || !is_beside(&last->to, &arrow->to, distance) ||
                !is_beside(&last->from, &arrow->from, distance))
                plot->arrows[kept++] = *arrow;
        }
        plot->arrow_count = kept;
        distance *= 2;
    } while (plot->arrow_count > PLOT_ARROWS_MOST && distance < 2 * PLOT_COLUMNS_MOST);
}

void plot_flows_finish(struct plot_flows *flows, struct plot *plot)
{
    match_sides(flows, plot);
    plot->arrows_found = plot->arrow_count;
    sort_in_place(plot->arrows, plot->arrow_count, sizeof *plot->arrows, by_place);
    thin_out(plot);
    free(flows->sides);
    *flows = (struct plot_flows){0};
}
