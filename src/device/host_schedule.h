// Says which task runs when, and on which worker.
//
// The host does the actions in order. A job runs between its start and its wait: its
// steps are done in order by one thread, the controller. The engines of the target are
// queues, not threads: a start puts the task into the queue of its lane, and whichever
// worker is free takes it, also the controller while it waits. What the program proves
// (docs/formats/program.md, rules 8 to 10) makes that safe: when a task starts, its lane
// is free, all that it depends on has ended, and no task on the way uses the same bytes.
//
// A job of several streams has no controller: whoever ends a task takes the streams further
// (host_streams.h).
//
// Where jobs use one lane only (target `host`) a task has the whole pool for its loops.
// Results do not depend on the number of workers.

#ifndef OPSCOPE_DEVICE_HOST_SCHEDULE_H
#define OPSCOPE_DEVICE_HOST_SCHEDULE_H

#include "host_profile.h"
#include "host_task.h"

struct host_schedule;

// At most as many workers as the machine's own has threads. The machine must outlive it.
struct host_schedule *host_schedule_create(struct host_machine *machine);
void host_schedule_free(struct host_schedule *schedule);

// All tasks of the program, once. `profile`: NULL when nothing is recorded. Of tasks that
// fail, the one that the program starts first is reported; no task starts after it. Streams
// that wait for one another fail too, instead of waiting for ever.
status host_schedule_run(struct host_schedule *schedule, struct host_profile *profile);

#endif
