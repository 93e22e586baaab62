// Where the time of a profile went: the Host Profile Overview, figure by figure. For C11 and
// later, and C++11 and later; threads, texts and sizes as in opscope/profile.h.

#ifndef OPSCOPE_ANALYSE_H
#define OPSCOPE_ANALYSE_H

#include <opscope/profile.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// The overviews of a profile: one for each process that has spans, and one for spans outside
// any process. It does not need the profile any more.
struct opscope_overview;

// Figures that a Perfetto trace carries in the names of its overview events are taken from
// there; otherwise they are computed from the spans. `all` not 0: also the figures that the
// overview does not show ("opscope overview --all").
int opscope_overview_create(struct opscope_profile *profile, int all,
                            struct opscope_overview **out_overview, char *message, size_t size);

// Accepts NULL.
void opscope_overview_free(struct opscope_overview *overview);

// How many processes it is about; 0 for a profile without spans.
uint32_t opscope_overview_count(const struct opscope_overview *overview);

// The name of process `index`: "" for spans outside any, NULL when there is no such process.
const char *opscope_overview_name(const struct opscope_overview *overview, uint32_t index);

// How many figures it has; OVERALL is the first.
uint32_t opscope_overview_metric_count(const struct opscope_overview *overview, uint32_t index);

struct opscope_metric {
    const char *name;     // "OVERALL", "Dma Only", ...; belongs to the overview
    uint32_t provenance;  // of the spans that it was computed from; derived where they differ or
                          // the trace carries the figure; OPSCOPE_ABSENT: the profile says nothing
    uint32_t has_percent; // not 0: `percent` counts
    uint64_t ns;
    double percent; // of OVERALL
};

// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_overview_get_metric_sized(const struct opscope_overview *overview, uint32_t index,
                                      uint32_t metric, struct opscope_metric *out_metric,
                                      size_t size);

static inline int opscope_overview_get_metric(const struct opscope_overview *overview,
                                              uint32_t index, uint32_t metric,
                                              struct opscope_metric *out_metric)
{
    return opscope_overview_get_metric_sized(overview, index, metric, out_metric,
                                             sizeof *out_metric);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
