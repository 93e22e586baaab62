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

#ifndef OPSCOPE_TARGET_RULES_TABLE_H
#define OPSCOPE_TARGET_RULES_TABLE_H

#include "target/cost.h"

enum { TABLE_AXES = 4 };

// Where a request lies in the grid of its operator.
struct table_place {
    uint32_t axis_count;
    uint64_t at[TABLE_AXES]; // at least 1
};

struct table_model;

enum { TABLE_CACHES = 3 };

// Plain settings of the engine.
struct table_rates {
    double start, macs, integer_macs, steps, fused_steps, peak_macs, peak_bytes;
    double caches[TABLE_CACHES];         // bytes, the nearest first; 0: unknown
    double bandwidths[TABLE_CACHES + 1]; // bytes a cycle; the last is the memory's
};

// Whether a key has the form of a measured time.
bool table_is_time(struct view key);

struct table_place table_place(const struct cost_request *request);

// "f32", "i8": what the grids are told apart by.
const char *table_element(const struct cost_request *request);

// The key of a measured time. Cut to the size of `text`.
void table_key(struct view operator, const struct cost_request * request, char *text, size_t size);

// The grids of an engine's settings.
struct table_model *table_model_make(const struct target *target,
                                     const struct target_engine *engine);
void table_model_free(struct table_model *model);
const struct table_rates *table_model_rates(const struct table_model *model);

// The time of a request by the grid of an operator, element and variant; false when
// there is none.
bool table_model_time(const struct table_model *model, uint32_t function, const char *element,
                      uint32_t variant, const struct table_place *place, double *out_cycles);

#endif
