// What has happened before what, while the steps of a program are gone through in the
// order of the tables.
//
// The steps of a stream happen one after the other; a signal happens before an await of
// its count; all of a job happens before whatever the host does after it. What a stream
// knows to have happened is, for each stream of the job, how many of its first steps: a
// vector clock. A stream that never awaited knows its own only.
//
// Time: a few instructions for a start or a wait, one for each stream of the job for an
// await and for the first signal after it. Memory: as much for each of these.

#ifndef OPSCOPE_PROGRAM_VERIFY_ORDER_H
#define OPSCOPE_PROGRAM_VERIFY_ORDER_H

#include "program.h"

// When something happened: a step of a stream. Those of the host happen before all that
// comes after them in the tables.
struct verify_point {
    uint32_t job;    // as they are gone through, from 1; 0: the host's
    uint32_t stream; // of the job
    uint32_t step;   // of the stream, from 1
};

struct verify_order;

struct verify_order *verify_order_create(const struct program *program);
void verify_order_free(struct verify_order *order);

// A job begins, and all that stands before it has happened before it.
void verify_order_begin(struct verify_order *order, uint32_t job);

// The next step, of the job or, for NULL, of the host. Fails for a semaphore that is
// signalled by another stream than its own, or awaited by its own or for more than has
// been signalled before: so the order of the tables is one in which all steps can be done.
status verify_order_step(struct verify_order *order, const struct program_step *step,
                         struct verify_point *out_point);

// Whether it happened before what comes after `now`, a step that was the last of its stream
// when this is asked.
bool verify_order_before(const struct verify_order *order, struct verify_point point,
                         struct verify_point now);

#endif
