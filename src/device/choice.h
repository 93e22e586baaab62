// Several programs on one device, each for other shapes of the same inputs: a run is done by the
// one that takes the inputs as they come. What stays on the device is common to all of them.

#ifndef OPSCOPE_DEVICE_CHOICE_H
#define OPSCOPE_DEVICE_CHOICE_H

#include "device.h"

struct choice_program {
    const struct program *program;
    const struct device_pair *kept;
    size_t kept_count;
};

// All are loaded by `kind`, with `options`, of which the device has a state of its own. Programs,
// their pairs and the target must outlive the device. device_network gives the first one's.
status choice_device_load(const struct device_kind *kind, const struct choice_program *programs,
                          size_t count, const struct target *target,
                          const struct device_options *options, struct device **out_device);

// Which program takes such inputs, the first of several. Fails when none does, and says what they
// take. An input that is NULL fits where it is kept or a constant.
status choice_device_find(const struct device *device, struct datum *const *inputs,
                          size_t input_count, size_t *out_index);

// What one of the programs is loaded on.
struct device *choice_device_part(const struct device *device, size_t index);

// The ports of one of the programs, as device_network.
const struct network *choice_device_network(const struct device *device, size_t index);

#endif
