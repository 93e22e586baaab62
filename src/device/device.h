// What runs a program: `host` computes on this machine and measures, `sim` models the time by the
// target's cost rules. A program is loaded once and run again and again.

#ifndef OPSCOPE_DEVICE_DEVICE_H
#define OPSCOPE_DEVICE_DEVICE_H

#include "network/network.h"
#include "network/tensor.h"
#include "program/program.h"
#include "record/recorder.h"
#include "state.h"

struct device;

// Told what an action has left in memories that are not near an engine: of a device that computes.
struct device_watch {
    void *context;
    status (*written)(void *context, uint32_t action, uint32_t buffer, const struct datum *datum);
};

struct device_options {
    unsigned threads;                 // that compute, this one included; 0: one for each CPU
    enum cost_rules rules;            // by which time is modelled
    bool timing_only;                 // of what models: nothing is computed
    const struct device_watch *watch; // must outlive the device; NULL: nobody watches
    // What stays on the device, of programs that compute: it must outlive the device. NULL:
    // nothing.
    struct device_state *state;
    const struct device_pair *kept;
    size_t kept_count;
};

// What a device must do. The first member of a device of this kind is a struct device.
struct device_kind {
    const char *name;
    bool measures; // its times are this machine's, else modelled
    status (*load)(const struct program *program, const struct target *target,
                   const struct device_options *options, struct device **out_device);
    void (*free)(struct device *device);
    const struct network *(*network)(const struct device *device);
    void (*profile)(struct device *device, struct recorder *recorder);
    status (*run)(struct device *device, struct datum *const *inputs, size_t input_count,
                  struct datum **out_outputs);
};

struct device {
    const struct device_kind *kind;
};

extern const struct device_kind DEVICE_HOST, DEVICE_SIM;

// NULL: there is none of this name.
const struct device_kind *device_kind_find(const char *name);

// Program and target must outlive the device.
status device_load(const struct device_kind *kind, const struct program *program,
                   const struct target *target, const struct device_options *options,
                   struct device **out_device);
void device_free(struct device *device);

// The ports of the program as a network: graph 0. NULL: nothing is computed.
const struct network *device_network(const struct device *device);

// From now on runs are profiled into `recorder`, which must outlive the last of them: every run
// that is measured, the first of those that are modelled, since all are alike.
void device_profile(struct device *device, struct recorder *recorder);

// One iteration. `inputs` in the order of the program's, NULL where a constant stands for one: it
// was compiled in, and another value is refused; or where the input is kept on the device, whose
// value a given one replaces. The outputs come with a reference each; none where nothing is
// computed, and NULL for those that are kept.
status device_run(struct device *device, struct datum *const *inputs, size_t input_count,
                  struct datum **out_outputs);

#endif
