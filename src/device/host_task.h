// Computes one task of a program on this machine: a transfer really copies between
// the memories of the target, and a group's kernels run on its tiles.

#ifndef OPSCOPE_DEVICE_HOST_TASK_H
#define OPSCOPE_DEVICE_HOST_TASK_H

#include <pthread.h>

#include "kernels/executor.h"
#include "kernels/kernel.h"
#include "program/program.h"

// What a thread needs of its own that computes tasks.
struct host_worker {
    struct parallel *parallel;
    struct kernel_state **state; // by node
    char *scratch;               // for the rings of the task at hand
    size_t scratch_bytes;
};

struct device_watch;
struct host_span;

enum { HOST_CONSTANT_LOCKS = 64 };

// What tasks compute on. The device (host.c) makes it, fills it and owns it.
struct host_machine {
    const struct program *program;
    const struct target *target;
    struct network *network;
    struct executor *executor; // runs graphs inside operators
    struct datum **memories;   // by target_memory_unit
    // By buffer: where what runs through a ring lies as a whole, while its task is computed.
    // NULL: the program has none.
    void **rings;
    struct datum **data;       // by buffer: of dynamic ones and of what passes inside an engine
    kernel_function *kernels;  // by node
    struct host_worker worker; // of tasks that nothing else runs beside
    struct host_steps *steps;  // prepared tasks; NULL: all are invoked
    // Of a processor's program, by buffer: where a constant lies, as soon as it was asked for.
    // NULL: constants lie where the program has them.
    void **constants;
    const struct device_watch *watch; // NULL: nobody
    uint64_t *times;                  // by task: nanoseconds are added; NULL: not asked for
    struct host_span *spans;          // by task: of the last run; NULL: the same
    // Tasks are prepared side by side: a constant is found by whoever has the lock of its buffer's
    // number, so that those of different tasks are copied at the same time.
    pthread_mutex_t constants_locks[HOST_CONSTANT_LOCKS];
};

// `parallel` becomes the worker's.
void host_worker_make(struct host_worker *worker, const struct network *network,
                      struct parallel *parallel);
void host_worker_drop(struct host_worker *worker, const struct network *network);

// Whether a buffer lies in a memory; else what it holds is a datum of `data`.
bool host_buffer_in_memory(const struct program_buffer *buffer);

// Where the bytes of a buffer that lies in a memory begin.
void *host_buffer_address(const struct host_machine *machine, const struct program_buffer *buffer);

// What a buffer holds: bytes of memory, a datum that was made before, or the constant
// that `value` is. With a reference for the caller; NULL for nothing.
status host_buffer_read(struct host_machine *machine, uint32_t value, uint32_t buffer,
                        struct datum **out_datum);

// Puts a datum where the buffer lies. Fails when it is of another shape or type.
status host_buffer_write(struct host_machine *machine, struct datum *datum, uint32_t buffer);

// Tasks that share no bytes of which one writes, no datum of `data` and no graphs inside
// operators may be computed at the same time, by workers of their own.
status host_task_compute(struct host_machine *machine, struct host_worker *worker,
                         const struct program_task *task);

#endif
