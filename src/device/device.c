#include "device.h"

#include <string.h>

static const struct device_kind *const KINDS[] = {&DEVICE_HOST, &DEVICE_SIM};

const struct device_kind *device_kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(KINDS[i]->name, name) == 0)
            return KINDS[i];
    }
    return NULL;
}

status device_load(const struct device_kind *kind, const struct program *program,
                   const struct target *target, const struct device_options *options,
                   struct device **out_device)
{
    return kind->load(program, target, options, out_device);
}

void device_free(struct device *device)
{
    if (device != NULL)
        device->kind->free(device);
}

const struct network *device_network(const struct device *device)
{
    return device->kind->network(device);
}

void device_profile(struct device *device, struct recorder *recorder)
{
    device->kind->profile(device, recorder);
}

status device_run(struct device *device, struct datum *const *inputs, size_t input_count,
                  struct datum **out_outputs)
{
    return device->kind->run(device, inputs, input_count, out_outputs);
}
