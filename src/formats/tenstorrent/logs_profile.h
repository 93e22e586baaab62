// The logs of a capture as a profile.
//
// A process per device with a lane of operations (a span per run, from its
// first to its last firmware marker), a group per core and a lane per processor
// with its zones; times are cycles of the device's clock. A process for the
// host with a lane per thread and one of messages (signposts, trace replays).
// Flows lead from what launched a run to the run. Operators carry attributes,
// tensors, kernels and the performance model; calls tell device and replay.
//
// Where both sides are there, a device's clock is placed on the host's so that
// no operation starts before it was launched: an estimate, and remarked as one.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_LOGS_PROFILE_H
#define OPSCOPE_FORMATS_TENSTORRENT_LOGS_PROFILE_H

#include "logs.h"

// Reads the logs into a fresh profile. They may be closed afterwards.
status logs_profile_read(const struct logs *logs, struct profile *profile);

// Operators that were added, by description, name and location.
struct logs_operators {
    struct hash_index index;
    struct segments entries; // struct logs_operator
};

struct logs_operator {
    const struct json_value *json;
    uint32_t id;
};

void logs_operators_start(struct logs_operators *operators);
void logs_operators_free(struct logs_operators *operators);

// The operator of an operation, added if it is new.
uint32_t logs_operator_add(struct profile *profile, struct logs_operators *operators,
                           const struct host_op *op);

#endif
