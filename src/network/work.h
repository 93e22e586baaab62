// How much an operator computes and moves: exact counts, not estimates.
//
// A multiply-accumulate is one MAC and two FLOPs. Operators without MACs count
// one FLOP for each arithmetic step on an element that the operator's
// definition names (an addition 1, a sigmoid 4: docs/work.md). Bytes count every
// input and output once, packed as in a file.

#ifndef OPSCOPE_NETWORK_WORK_H
#define OPSCOPE_NETWORK_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct work {
    bool known; // false: shapes are not known yet, and all figures are 0
    uint64_t macs;
    uint64_t flops;
    uint64_t elements; // of all outputs
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t weight_bytes; // of the constants among the inputs
};

#endif
