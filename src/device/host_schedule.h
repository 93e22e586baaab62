// Says which task runs when: the actions of a program in order, and the steps of the
// jobs that they start.

#ifndef OPSCOPE_DEVICE_HOST_SCHEDULE_H
#define OPSCOPE_DEVICE_HOST_SCHEDULE_H

#include "host_profile.h"
#include "host_task.h"

// All tasks of the program, once. `profile`: NULL when nothing is recorded.
status host_schedule_run(struct host_machine *machine, struct host_profile *profile);

#endif
