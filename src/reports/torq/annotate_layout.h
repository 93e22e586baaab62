// Annotated rows as a trace with the tracks of Torq's own tools: what the host did, what the NPU's
// programs used while they ran, what the compiler expected of them, the places of the network's
// text that the work was done for, and the overview.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_LAYOUT_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_LAYOUT_H

#include "annotate.h"
#include "device/sim.h"

// What Torq's tools take the cycles of estimates for: beside a runtime's times, and alone.
#define ANNOTATE_LAYOUT_BESIDE_HZ UINT64_C(100000000)
#define ANNOTATE_LAYOUT_ALONE_HZ UINT64_C(800000000)

struct annotate_layout_options {
    const struct sim_result *times; // of the program; NULL: no estimates
    uint64_t clock_hz;              // of its cycles
    bool modelled;                  // rows are estimates themselves (annotate_estimate)
};

// Fills a fresh profile and finishes it. A program of the NPU lasts from the begin of its start
// to the end of the wait for it, and so does, as Torq's tool counts, all that it uses. What lacks
// one of its times is left out. Estimates of a job begin where it began. Not for folded rows, nor
// for those of a run of opscope's.
status annotate_layout(struct annotation *annotation, const struct annotate_layout_options *options,
                       struct profile *profile);

#endif
