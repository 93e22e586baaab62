// Arrows of a plot: flows from span to span, matched once all events were seen.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_FLOWS_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_FLOWS_H

#include "plot.h"

// Where a span lies whose values are looked at, in columns.
struct plot_flow_end {
    uint32_t lane;
    uint32_t row;
    uint32_t track;
    double x;
    double width;
};

struct flow_side;

// Memory: 40 bytes for each end of a flow.
struct plot_flows {
    struct flow_side *sides;
    size_t count, capacity;
};

// Keeps the ends of flows among the values of a span that starts at `ns`.
void plot_flows_see(struct plot_flows *flows, struct view values, uint64_t ns,
                    const struct plot_flow_end *end);

// Gives the plot its arrows, at most PLOT_ARROWS_MOST: of those that begin and end beside one
// another one is drawn. Frees what was kept.
void plot_flows_finish(struct plot_flows *flows, struct plot *plot);

#endif
