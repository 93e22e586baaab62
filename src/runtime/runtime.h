// Inferences of a program, several of them under way. An activation is a copy of the program on a
// device of its own, and activations run side by side. Of an activation, threads bring inputs to
// where the device reads them and take outputs away, while it computes one inference after the
// other, in order. Several programs are specializations: the one that fits the inputs computes.

#ifndef OPSCOPE_RUNTIME_RUNTIME_H
#define OPSCOPE_RUNTIME_RUNTIME_H

#include "device/choice.h"

struct runtime;

struct runtime_options {
    const struct device_kind *kind; // what computes
    unsigned activations;
    unsigned set_size; // inferences of an activation that are under way at most
    unsigned threads;  // of an activation, that prepare and finish inferences
    unsigned workers;  // that compute one inference; 0: this machine's, shared by activations
};

// Nanoseconds of the monotonic clock, each not before the one above it.
struct runtime_inference {
    uint32_t activation;
    uint32_t index;      // of the activation's
    uint64_t enqueued;   // it was asked for
    uint64_t taken;      // by a thread
    uint64_t prepared;   // its inputs are copied
    uint64_t submitted;  // it is in line for the device
    uint64_t started;    // by the device
    uint64_t completed;  // the device is done
    uint64_t ended;      // its outputs are the caller's
    uint32_t line_ahead; // inferences in line before it, with the one that was being computed
};

// Programs, what they keep on the device, and the target must outlive it.
status runtime_create(const struct choice_program *programs, size_t count,
                      const struct target *target, const struct runtime_options *options,
                      struct runtime **out_runtime);
void runtime_free(struct runtime *runtime);

// Of an activation, while nothing runs: one of device/choice.h.
struct device *runtime_device(const struct runtime *runtime, uint32_t activation);

// One inference, on the calling thread; any number of threads may call it at a time. `inputs` are
// read and not kept; outputs come with a reference each. Sets all times but `enqueued` and `taken`,
// of `inference`, whose activation is given. Where `set_size` are under way it waits.
status runtime_infer(struct runtime *runtime, struct datum *const *inputs, size_t input_count,
                     struct runtime_inference *inference, struct datum **out_outputs);

// Who asks for inferences. Called on threads of the runtime.
struct runtime_client {
    void *context;
    // Whether there is inference `index` of the activation, which is queued then. Of one
    // activation: one call at a time, and in order.
    bool (*more)(void *context, uint32_t activation, uint32_t index);
    // What it reads, in the order of the program's inputs.
    struct datum *const *(*inputs)(void *context, uint32_t activation, uint32_t index);
    // It has just been computed, and nothing else of its activation is. NULL: nobody is told.
    void (*computed)(void *context, const struct runtime_inference *inference);
    // It is over; the outputs are released afterwards. One call at a time of all activations.
    status (*done)(void *context, const struct runtime_inference *inference,
                   struct datum *const *outputs);
};

// All activations at a time, until none has more. After a failure nothing new begins, and the
// first one is reported.
status runtime_run(struct runtime *runtime, const struct runtime_client *client);

#endif
