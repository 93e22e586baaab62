// A network that is computed on this machine, again and again: compiled for the target `host`
// when its first inputs are there, and run. One session at a time uses its network, which
// compiling changes.

#ifndef OPSCOPE_COMPILER_SESSION_H
#define OPSCOPE_COMPILER_SESSION_H

#include "network/network.h"
#include "network/tensor.h"

struct session;
struct recorder;

struct session_options {
    unsigned threads; // 0: one for each CPU
    bool loose_ports; // as in device/host.h
    bool timed;       // session_task_ns tells
    bool plain;       // operator by operator, as the network is written (kernels/executor.h)
    struct recorder *recorder; // takes what compiled runs do (device/device.h); NULL: nobody
};

// `network` must outlive it. Bounds the memory that tensors may take.
struct session *session_create(struct network *network, const struct session_options *options);
void session_free(struct session *session);

// Compiles for these inputs: shapes that the network leaves open are theirs. Without effect but
// for the first time.
status session_prepare(struct session *session, struct datum *const *inputs, size_t input_count);

// As executor_run. Inputs of later runs must have the shapes of the first ones where the
// network leaves them open. A network of which an initializer is replaced, or that has
// an operator which looks at other operators (Gradient), is computed plainly.
status session_run(struct session *session, struct datum *const *inputs, size_t input_count,
                   struct datum **out_outputs);

// Nanoseconds that the tasks of the last timed run took together; 0 when it was computed plainly.
uint64_t session_task_ns(const struct session *session);

#endif
