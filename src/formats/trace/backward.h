// Which call of the backward pass belongs to which one of the forward pass. A program that
// differentiates itself numbers its operators, each thread by itself; the backward of one has its
// number again. Of the calls with a number the last one that began is meant: the others looked at
// the number that would come next.
//
// The call of the backward gets the value `forward`, the other's id. Where several threads have the
// number, the thread decides: what those that name their forward's thread in the same way have.
//
// Memory: 40 bytes a call that has a number, in a spool.

#ifndef OPSCOPE_FORMATS_TRACE_BACKWARD_H
#define OPSCOPE_FORMATS_TRACE_BACKWARD_H

#include "base/spool.h"
#include "profile/profile.h"

// Both SPOOL_EMPTY at first.
struct backward {
    struct spool forwards;
    struct spool backwards;
};

struct backward_call {
    uint64_t process;
    uint64_t sequence;
    uint64_t thread; // of a backward: what it says of its forward's thread; 0: nothing
    int64_t start;
    uint32_t call;
};

status backward_add_forward(struct backward *backward, const struct backward_call *call);
status backward_add(struct backward *backward, const struct backward_call *call);

// Once all calls are in the profile.
status backward_finish(struct backward *backward, struct profile *profile);
void backward_free(struct backward *backward);

#endif
