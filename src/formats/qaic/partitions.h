// What -mdp-load-partition-config names: which operators run on which devices.
//
//     {"connections": [{"devices": [0, 1], "type": "p2p"}],
//      "partitions": [{"name": "Partition0", "nodeList": ["/layer0/MatMul", ...],
//                      "devices": [{"deviceId": 0, "numCores": 16}, ...]}, ...]}
//
// A single partition needs no list of nodes: everything is spread over all cores of its devices.

#ifndef OPSCOPE_FORMATS_QAIC_PARTITIONS_H
#define OPSCOPE_FORMATS_QAIC_PARTITIONS_H

#include "base/arena.h"
#include "base/status.h"

enum { QAIC_DEVICES_MOST = 256 };

struct qaic_partition {
    struct view name;
    uint32_t first_device; // counted over all partitions, in their order
    uint32_t device_count;
    const struct view *nodes;
    size_t node_count;
};

struct qaic_partitions {
    struct arena arena;
    struct qaic_partition *items;
    size_t count;
    uint32_t device_count; // of all
    uint32_t cores;        // of each
    bool through_host;     // devices exchange values by way of the host
};

// `name` is for messages. Views into `text`.
status qaic_partitions_read(const char *name, struct view text,
                            struct qaic_partitions *out_partitions);
void qaic_partitions_free(struct qaic_partitions *partitions);

#endif
