// Chains that only multiply with a factor for each channel, add a number for each, and clip: in one
// pass, with the same bits.

#ifndef OPSCOPE_KERNELS_CORE_CHAIN_SCALING_H
#define OPSCOPE_KERNELS_CORE_CHAIN_SCALING_H

#include "chain.h"

struct chain_scaling {
    uint32_t source, factors, sums; // inputs; sums: UINT32_MAX: there are none
    uint64_t channels;
    bool clips;
    float lowest, highest;
};

// Whether a chain is such a one.
bool chain_scaling_find(const struct chain *chain, struct chain_scaling *out);

// As chain_run and chain_run_lines, the source being input 0 for the latter.
void chain_scaling_run(const struct chain_scaling *scaling, const void *const *inputs, void *result,
                       uint64_t from, uint64_t to);
void chain_scaling_run_lines(const struct chain_scaling *scaling, const void *const *inputs,
                             void *result, const struct chain_lines *lines);

#endif
