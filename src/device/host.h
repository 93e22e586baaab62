// Runs a program on this machine with real numbers: the memories of the target are
// real ones of the target's sizes, a transfer really copies, and engines are queues
// that a pool of workers serves (host_schedule.h).

#ifndef OPSCOPE_DEVICE_HOST_H
#define OPSCOPE_DEVICE_HOST_H

#include "device.h"

struct host_device;

struct host_options {
    unsigned threads; // that work, this one included; 0: one for each CPU
    // Inputs and outputs of the network lie as the tasks like them best, so that results mean
    // nothing: for whoever wants to know how long tasks take that stand inside a network.
    bool loose_ports;
    // The first run begins as soon as can be: weights are packed while it goes on, each when it is
    // needed, and for good in the second one.
    bool first_soon;
    const struct device_watch *watch; // as in device.h; NULL: nobody
    struct device_state *state;       // and these
    const struct device_pair *kept;
    size_t kept_count;
    bool trusted; // the program was compiled in this process: it need not be proved
    uint8_t fill; // what memories hold at first; 0: anything. For tests of what reads it
};

// Both must outlive it. Constants that lie in the far memory are where the program
// has them.
status host_device_create(const struct program *program, const struct target *target,
                          const struct host_options *options, struct host_device **out_device);
void host_device_free(struct host_device *device);

// The same as the device of its interface.
struct device *host_device_base(struct host_device *device);

// And back; `device` is of the kind DEVICE_HOST.
struct host_device *host_device_of(struct device *device);

// The ports of the program as a network: graph 0.
const struct network *host_device_network(const struct host_device *device);

// As device_run.
status host_device_run(struct host_device *device, struct datum *const *inputs, size_t input_count,
                       struct datum **out_outputs);

// Adds the nanoseconds that each task takes to `times`, by task, from now on. NULL: no more.
void host_device_time_tasks(struct host_device *device, uint64_t *times);

// When a task of a run was computed, in nanoseconds of the monotonic clock.
struct host_span {
    uint64_t start, end;
};

// Runs leave here, by task, when each was computed. NULL: no more.
void host_device_span_tasks(struct host_device *device, struct host_span *spans);

// The least nanoseconds that each task took in so many iterations, after one that does not count.
status host_device_least_times(struct host_device *device, struct datum *const *inputs,
                               unsigned iterations, double *out_ns);

#endif
