// Values that stay on a device between runs: what one run gives as an output is an input of the
// next, of the same program or of another that was loaded with the same state. The host gives and
// gets none of them. They are zeros before the first run.

#ifndef OPSCOPE_DEVICE_STATE_H
#define OPSCOPE_DEVICE_STATE_H

#include "network/network.h"
#include "network/tensor.h"

struct device_state;

// An output of a program that becomes one of its inputs: places in the program's lists.
struct device_pair {
    uint32_t input;
    uint32_t output;
};

struct device_state *device_state_create(void);
// Accepts NULL. Programs that were loaded with it go first.
void device_state_free(struct device_state *state);

// The place of a value, made when it is asked for first. Fails when it is there with another type.
status device_state_find(struct device_state *state, const struct network_value *value,
                         uint32_t *out_place);

// What lies there; the state keeps its reference.
struct datum *device_state_get(const struct device_state *state, uint32_t place);

// Takes over the reference of `datum`.
void device_state_put(struct device_state *state, uint32_t place, struct datum *datum);

#endif
