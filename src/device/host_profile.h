// Records what the device `host` does into the recorder of this process: a lane for every engine of
// the target, and one for the actions. Times are measured, and this machine's.

#ifndef OPSCOPE_DEVICE_HOST_PROFILE_H
#define OPSCOPE_DEVICE_HOST_PROFILE_H

#include "program/program.h"
#include "record/recorder.h"
#include "target/target.h"

struct host_profile;

// NULL when the recording is over, or when the program's tasks do not fit the target. All three
// must outlive it.
struct host_profile *host_profile_create(const struct program *program, const struct target *target,
                                         struct recorder *recorder);
void host_profile_free(struct host_profile *profile);

// The next iteration begins: its calls are described.
void host_profile_iteration(struct host_profile *profile);

// A task or an action is over that began at `begun` (opscope_begin).
void host_profile_task(const struct host_profile *profile, uint32_t task, uint64_t begun);
void host_profile_action(const struct host_profile *profile, uint32_t action, uint64_t begun);

#endif
