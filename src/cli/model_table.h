// The table of a network's operators for a terminal: at most 100 columns wide.

#ifndef OPSCOPE_CLI_MODEL_TABLE_H
#define OPSCOPE_CLI_MODEL_TABLE_H

#include "network/summary.h"

// Which operators are shown, in which order.
struct model_order {
    uint32_t *nodes; // ids; to be freed
    uint32_t count;
};

// All in the order of the file when there are at most `top`; else the `top` ones with
// the most FLOPs, then the most bytes.
struct model_order model_order_of(const struct network *network, uint32_t top);

void model_table_print(const char *path, const struct network *network,
                       const struct summary *summary, const struct model_order *order);

#endif
