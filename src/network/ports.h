// Gives inputs and outputs of a network another element, each behind a cast: what is handed in
// and out, not what is computed.

#ifndef OPSCOPE_NETWORK_PORTS_H
#define OPSCOPE_NETWORK_PORTS_H

#include "network.h"

struct network_port {
    struct view name; // of an input or output of the main graph
    enum element element;
};

// Once types are inferred; they are inferred again. Fails for a name that no input or output has,
// and for what is no tensor. The network is of no use after a failure.
status network_cast_ports(struct network *network, const struct network_port *ports, size_t count);

#endif
