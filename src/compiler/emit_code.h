// The code of a queue that holds a block of it at a time (`code_fetch` of the target): the
// last thing that a block does is to fetch the next one to another slot. The last block of a
// job fetches the first one of the next job; in front of the first job of a dispatch the host
// copies a block there that fetches it.

#ifndef OPSCOPE_COMPILER_EMIT_CODE_H
#define OPSCOPE_COMPILER_EMIT_CODE_H

#include "emit_task.h"

// Before the record of a job for a group is made, and after its last step.
void emit_code_start_job(struct emitter *emitter, uint32_t group);
void emit_code_end_job(struct emit_job *job);

// Before a step is put down: where the block at hand has no room for it, fetches the next one
// and goes on there. That may wait for tasks.
void emit_code_make_room(struct emit_job *job, uint32_t stream, enum program_step_kind kind,
                         uint32_t task);

#endif
