// Where the time went, by kind of engine: how long each was busy, how long
// transfers and compute overlapped, how long nothing ran.
//
// An overview belongs to a scope: a process of the profile, or the whole of it
// (scope 0) for tracks outside any process. Times are in nanoseconds. A kind of
// engine that the profile does not cover is absent, not 0: a compile-time
// profile says nothing about the host, a host profile nothing about slices.
//
// Memory: a fixed window for each engine; merged intervals beyond it spill.

#ifndef OPSCOPE_ANALYSIS_OVERVIEW_H
#define OPSCOPE_ANALYSIS_OVERVIEW_H

#include "profile/profile.h"

enum overview_metric {
    OVERVIEW_DMA_COMBINED,     // DMA in, DMA out or CDMA
    OVERVIEW_COMPUTE_COMBINED, // a slice or the CSS
    OVERVIEW_DMA,              // DMA in or DMA out
    OVERVIEW_CDMA,
    OVERVIEW_SLICE, // at least one slice
    OVERVIEW_SLICE_0,
    OVERVIEW_SLICE_1,
    OVERVIEW_CSS,
    OVERVIEW_DMA_ONLY,
    OVERVIEW_COMPUTE_ONLY,
    OVERVIEW_OVERLAP,
    OVERVIEW_HAL,
    OVERVIEW_HOST,
    OVERVIEW_HOST_COPY,
    OVERVIEW_IDLE,
    OVERVIEW_OVERALL,
    OVERVIEW_DMA_IN,
    OVERVIEW_DMA_OUT,
    OVERVIEW_NPU,       // a program of the controller, whatever it used
    OVERVIEW_TOTAL_NPU, // the span of all but HAL, less what only the host did
    OVERVIEW_METRICS,
};

struct overview_value {
    bool present;
    uint64_t ns;
};

struct overview_slice {
    uint32_t index;
    uint64_t ns;
};

struct overview {
    uint32_t scope;             // track id
    uint64_t start;             // of OVERALL
    enum provenance provenance; // of the spans; derived where they differ
    struct overview_value metrics[OVERVIEW_METRICS];
    struct overview_slice *slices; // every slice that was used, ascending
    size_t slice_count;
};

// Share of OVERALL in percent; 0 when OVERALL is 0.
double overview_percent(const struct overview *overview, enum overview_metric metric);

// Takes the spans of any number of scopes.
struct overview_collector;

struct overview_collector *overview_collector_create(const struct profile *profile);
struct event_sink *overview_collector_sink(struct overview_collector *collector);

// The scopes in the order in which their first span came.
size_t overview_count(const struct overview_collector *collector);
uint32_t overview_scope(const struct overview_collector *collector, size_t index);
status overview_compute(struct overview_collector *collector, size_t index,
                        struct overview *out_overview);
void overview_free(struct overview *overview);

void overview_collector_free(struct overview_collector *collector);

#endif
