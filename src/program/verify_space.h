// That no buffer lies over another one that is in use: neither in the order of the tables,
// nor in any other in which the streams may do their steps.
//
// Each buffer follows the ones whose bytes it takes. Its tasks may start when all tasks of
// those have been waited for; of each stream the last wait says so for all.
//
// Time: n log n in buffers, and for each operand one look for each stream that used what the
// buffer follows. Memory: some 60 bytes for each buffer.

#ifndef OPSCOPE_PROGRAM_VERIFY_SPACE_H
#define OPSCOPE_PROGRAM_VERIFY_SPACE_H

#include "verify_state.h"

struct verify_space;

// Fails when two buffers share a byte while both are in use, in the order of the tables.
status verify_space_create(const struct verify_state *state, struct verify_space **out_space);
void verify_space_free(struct verify_space *space);

// Takes note of the buffers that come into use up to the state's moment, in a job as
// struct verify_point has it. Fails where a task has not been waited for that uses what is
// not in use any more.
status verify_space_open(struct verify_space *space, uint32_t job);

// A task starts: fails where one that used the same bytes before may still do so.
status verify_space_start(struct verify_space *space, uint32_t task, struct verify_point now);

// It is waited for.
void verify_space_wait(struct verify_space *space, uint32_t task, struct verify_point now);

#endif
