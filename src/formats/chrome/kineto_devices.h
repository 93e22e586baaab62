// Devices of a trace of PyTorch: processes have the same name as the host's, and differ by labels
// ("GPU 0"); what works there says its number.

#ifndef OPSCOPE_FORMATS_CHROME_KINETO_DEVICES_H
#define OPSCOPE_FORMATS_CHROME_KINETO_DEVICES_H

#include "dialect.h"

struct kineto_devices {
    struct profile *profile;
    struct segments items; // struct kineto_device
};

void kineto_devices_start(struct kineto_devices *devices, struct profile *profile);
void kineto_devices_free(struct kineto_devices *devices);

// A label of a process, of which at most 1024 are kept.
void kineto_devices_label(struct kineto_devices *devices, const struct chrome_event *event);

// The first work on a track: it is that device's.
void kineto_devices_find(struct kineto_devices *devices, const struct chrome_event *event,
                         uint32_t track);

// Puts labels after the names of processes that had work: "python (GPU 0)".
void kineto_devices_name(struct kineto_devices *devices);

#endif
