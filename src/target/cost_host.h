// Prices of a processor: what its kernels were measured to take, at other sizes.
//
// A measured time is a setting of the engine:
//
//     time.Conv.f32.784x64x16x9 = 91234
//     time.Add.f32.row.65536x192 = 8123
//
// operator, element, how operands lie (left out: plainly), where in the grid, and
// cycles. All times of an operator, element and way make a grid; between its
// points the logarithm of the time goes straight along the logarithm of the size.

#ifndef OPSCOPE_TARGET_COST_HOST_H
#define OPSCOPE_TARGET_COST_HOST_H

#include "cost.h"

enum { COST_HOST_AXES = 4 };

// Where a request lies in the grid of its operator.
struct cost_host_place {
    uint32_t axis_count;
    uint64_t at[COST_HOST_AXES]; // at least 1
};

struct cost_host_model;

enum { COST_HOST_CACHES = 3 };

// Plain settings of the engine.
struct cost_host_rates {
    double start, macs, integer_macs, steps, fused_steps, peak_macs, peak_bytes;
    double caches[COST_HOST_CACHES];         // bytes, the nearest first; 0: unknown
    double bandwidths[COST_HOST_CACHES + 1]; // bytes a cycle; the last is the memory's
};

// Whether a key has the form of a measured time.
bool cost_host_is_time(struct view key);

struct cost_host_place cost_host_place(const struct cost_request *request);

// "f32", "i8": what the grids are told apart by.
const char *cost_host_element(const struct cost_request *request);

// The key of a measured time. Cut to the size of `text`.
void cost_host_key(struct view operator, const struct cost_request * request, char *text,
                   size_t size);

// The grids of a target's settings.
struct cost_host_model *cost_host_model_make(const struct target *target);
void cost_host_model_free(struct cost_host_model *model);
const struct cost_host_rates *cost_host_model_rates(const struct cost_host_model *model);

// The time of a request by the grid of an operator, element and variant; false when
// there is none.
bool cost_host_model_time(const struct cost_host_model *model, uint32_t function,
                          const char *element, uint32_t variant,
                          const struct cost_host_place *place, double *out_cycles);

#endif
