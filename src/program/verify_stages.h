// What must hold of a task whose stages hand pieces on to one another through rings.

#ifndef OPSCOPE_PROGRAM_VERIFY_STAGES_H
#define OPSCOPE_PROGRAM_VERIFY_STAGES_H

#include "verify_state.h"

// That its stages are those of its engine, that its operands are rings in the engine's memory
// and parts of values that a stage brings or takes away, and that each ring that comes from
// outside or goes there has its operand, and the other way round.
status verify_stages(const struct verify_state *state, uint32_t index);

// Whether a kernel of the task may read or write this buffer: a ring of the task, which holds
// what one operand brings where no kernel before (of `calls`) gave it, or a pipeline.
status verify_stage_buffer(const struct verify_state *state, uint32_t index, uint32_t calls,
                           uint32_t buffer, bool output);

#endif
