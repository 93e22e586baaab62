// Calls of readers whose format knows no operators: one operator and one call for all events of
// a name and a source location.
//
// Memory: 16 to 32 bytes for each such call.

#ifndef OPSCOPE_FORMATS_TRACE_LOCATED_CALLS_H
#define OPSCOPE_FORMATS_TRACE_LOCATED_CALLS_H

#include "profile/profile.h"

// One place of the table.
struct located_slot {
    uint32_t name;
    uint32_t location; // 0: free
    uint32_t call;
};

// `profile` is set by the owner, all else is zero.
struct located_calls {
    struct profile *profile;
    struct located_slot *slots;
    uint32_t mask;
    uint32_t count;
};

// The call of string ids `name` and `location`; 0 where there is no location.
uint32_t located_call(struct located_calls *calls, uint32_t name, uint32_t location);

// Says that this will be asked before long: there may be many, in no order that memory likes.
void located_call_soon(const struct located_calls *calls, uint32_t name, uint32_t location);

void located_calls_free(struct located_calls *calls);

#endif
