// Gives inputs and outputs of a network another element, each behind a cast or a scaling: what is
// handed in and out, not what is computed.

#ifndef OPSCOPE_NETWORK_PORTS_H
#define OPSCOPE_NETWORK_PORTS_H

#include "network.h"

struct network_port {
    struct view name; // of an input or output of the main graph
    enum element element;
    // Of i8 and u8 that stand for reals: a number q is scale * (q - offset). 0: a cast.
    double scale;
    int64_t offset;
};

// Once types are inferred; they are inferred again. Fails for a name that no input or output has,
// for what is no tensor, and for scales where the network has no reals, or is not of ONNX. The
// network is of no use after a failure.
status network_cast_ports(struct network *network, const struct network_port *ports, size_t count);

#endif
