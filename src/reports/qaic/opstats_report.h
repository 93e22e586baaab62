// One page on where the time of a network goes on a card: what bounds it, its blocks and nodes,
// stragglers among cores and devices, what stays in VTCM, and DDR traffic against weights. Of any
// number of inferences; times are of one, on average.
//
// Memory: bounded by the operations of the network.

#ifndef OPSCOPE_REPORTS_QAIC_OPSTATS_REPORT_H
#define OPSCOPE_REPORTS_QAIC_OPSTATS_REPORT_H

#include "formats/trace/nodes.h"
#include "opstats.h"
#include "reports/table.h"
#include "target/target.h"

// Nodes, or blocks of them, or kinds of bounds.
struct opstats_part {
    struct view name;
    uint64_t ticks[NODE_TIMES];
    uint32_t nodes;
    uint32_t block;       // of a node: index
    uint64_t first, last; // ticks: of the buffer at hand, from the first start to the last end
    uint64_t span;        // of all buffers that have it: how long that is
    uint64_t spans;       // how many these are
};

struct opstats_core {
    uint32_t device, number;
    uint64_t duration, sync; // ticks
    uint64_t *busy;          // by group: ticks of its busiest thread
    uint64_t *threads;       // by thread: ticks, of the buffer at hand
    uint64_t most;           // of `busy`
    bool straggler;
};

// A figure about memory.
struct opstats_figure {
    const char *name;
    uint64_t bytes;
    double ratio; // NAN: of nothing
    const char *of;
};

enum { OPSTATS_FIGURES_MOST = 8 };

// What an operation's names say, the same in every buffer.
struct opstats_known {
    uint32_t node; // index + 1; 0: it has no name
    uint8_t time;  // enum node_time
    bool near;     // what it gives lies in VTCM
    bool copies;   // to or from the DDR
};

struct opstats_report {
    const struct qaic_network *network;
    const struct program *program; // NULL: not ours
    const struct target *target;   // the same
    const struct opstats_plan *plan;
    bool measured;
    uint64_t frequency;
    size_t buffers;
    uint64_t cut;      // operations that are lost of them
    size_t inferences; // of all devices together
    size_t devices;
    struct arena arena;
    struct opstats_known *known; // by operation of the plan
    struct opstats_part *nodes, *blocks;
    size_t node_count, block_count;
    struct opstats_part bounds[NODE_TIMES];
    struct opstats_core *cores; // of each device
    size_t core_count;
    uint64_t near_bytes, all_bytes; // written by operations
    bool has_traffic;
    uint64_t read, written;
    struct opstats_figure figures[OPSTATS_FIGURES_MOST];
    size_t figure_count;
};

// Of a network, program, target and plan that outlive it.
struct opstats_report *opstats_report_make(const struct opstats *opstats,
                                           const struct target *target);
void opstats_report_free(struct opstats_report *report);

// One buffer more, that was checked: of the network, or of one of its devices.
void opstats_report_add(struct opstats_report *report, const struct qaic_raw_stats *stats);

// When all are added: sorts, and finds stragglers and figures.
void opstats_report_finish(struct opstats_report *report);

extern const struct table_form OPSTATS_BOUNDS_FORM;
extern const struct table_form OPSTATS_BLOCKS_FORM;
extern const struct table_form OPSTATS_NODES_FORM;
extern const struct table_form OPSTATS_CORES_FORM;
extern const struct table_form OPSTATS_MEMORY_FORM;

#endif
