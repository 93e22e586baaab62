// Files that hold constants of a model. They lie in the model's folder or below
// it, are mapped once each, and belong to the network.

#ifndef OPSCOPE_NETWORK_ONNX_EXTERNAL_H
#define OPSCOPE_NETWORK_ONNX_EXTERNAL_H

#include "base/hash.h"
#include "network/network.h"

// All zero but for the network at first.
struct external_files {
    struct network *network;
    struct hash_index by_location; // to places in network->externals
    struct view *locations;
    size_t location_capacity;
    size_t external_capacity;
};

// Where a constant lies outside the file.
struct external_place {
    struct view location; // relative to the model's folder
    uint64_t offset;
    uint64_t length; // valid when length_given
    bool length_given;
};

// Reads one entry of TensorProto.external_data.
status external_entry_read(struct view message, struct external_place *place);

// The `size` bytes of a constant.
status external_find(struct external_files *files, const struct external_place *place,
                     uint64_t size, struct view *out_bytes);

void external_free(struct external_files *files);

#endif
