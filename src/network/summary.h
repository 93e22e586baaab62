// What a network is as a whole: operator sets, constants and the sum of its work.

#ifndef OPSCOPE_NETWORK_SUMMARY_H
#define OPSCOPE_NETWORK_SUMMARY_H

#include "network.h"

struct summary_opset {
    struct view domain; // "" is ONNX's own
    uint32_t version;
    uint32_t nodes;
};

enum { SUMMARY_OPSETS_MOST = 32 };

struct summary {
    struct summary_opset opsets[SUMMARY_OPSETS_MOST]; // in the order in which they appear
    uint32_t opset_count;
    uint32_t weight_count; // constants that the file holds and an operator reads
    uint64_t weight_bytes; // packed as in a file
    uint32_t operators;    // of all graphs
    uint32_t inner;        // of them in graphs inside others, which run any number of times
    uint32_t unknown;      // operators of the main graph whose work is not known
    struct work work;      // sum of the main graph, without those; each weight counted once
};

void summary_of(const struct network *network, struct summary *out_summary);

#endif
