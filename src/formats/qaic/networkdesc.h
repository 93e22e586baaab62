// networkdesc.bin of a program container: what the runtime and the profiling tools know of a
// network, a protobuf message (docs/formats/qaic.md). Statistics name an operation by core, group
// of threads and place in that group's list.

#ifndef OPSCOPE_FORMATS_QAIC_NETWORKDESC_H
#define OPSCOPE_FORMATS_QAIC_NETWORKDESC_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"

#define QAIC_NETWORK_NAME "QAicGraph" // of one that is alone

struct qaic_operation {
    struct view name;   // of the node
    struct view kind;   // "aicconvolutiond32"
    struct view type;   // "float16, i8"
    struct view memory; // "TCM", "DDR"
    struct view shape;
    struct view attributes; // "{Thread: 3, Tile: 12}"
    uint64_t output_size;   // bytes
};

struct qaic_operations {
    struct qaic_operation *items;
    size_t count;
    size_t capacity;
};

struct qaic_binding {
    struct view name;
    uint32_t type; // dataType of the descriptor: 0 float, 1 float16, 2 int8 ...
    float scale;   // of 2 and 3, quantized: a number q is scale * (q - offset)
    int32_t offset;
    uint32_t rank;
    int32_t dims[16];
};

struct qaic_network {
    struct arena arena;
    struct view name;
    uint32_t cores, threads, hvx_threads;
    uint32_t *thread_groups; // by thread
    struct view *group_names;
    uint32_t group_count;
    int32_t batch_size;
    struct qaic_binding *inputs, *outputs;
    size_t input_count, output_count;
    uint32_t stats_buffer;
    int32_t stats_level;
    int32_t stats_batch;
    bool ddr_stats;
    uint32_t ticks_a_ms;
    int32_t *pmu_events;
    size_t pmu_count;
    struct qaic_operations *operations; // [core * group_count + group]
};

// An empty one, for `cores` of `threads` each. Groups are added by the caller.
struct qaic_network *qaic_network_create(uint32_t cores, uint32_t threads, uint32_t groups);
void qaic_network_free(struct qaic_network *network);

struct qaic_operations *qaic_network_operations(const struct qaic_network *network, uint32_t core,
                                                uint32_t group);
void qaic_operation_add(struct qaic_operations *list, const struct qaic_operation *operation);

// What one of several devices has of a network: `cores` of them, from 0 on, and a name that says
// which it is ("QAicGraph_slice01"). Everything else is lent: the network must outlive it.
struct qaic_network *qaic_network_slice(const struct qaic_network *network, uint32_t device,
                                        uint32_t cores);
void qaic_network_slice_free(struct qaic_network *slice);

// `name` is for messages. Texts are views into `bytes`.
status qaic_network_read(const char *name, struct view bytes, struct qaic_network **out_network);

void qaic_network_write(const struct qaic_network *network, struct bytes *out_bytes);

#endif
