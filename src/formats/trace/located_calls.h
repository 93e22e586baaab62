// Calls of readers whose format knows no operators: one operator and one call for all events of
// a name and a source location.

#ifndef OPSCOPE_FORMATS_TRACE_LOCATED_CALLS_H
#define OPSCOPE_FORMATS_TRACE_LOCATED_CALLS_H

#include "profile/profile.h"

// `profile` is set by the owner.
struct located_calls {
    struct profile *profile;
    struct hash_index index;
};

// The call of string ids `name` and `location`; 0 where there is no location.
uint32_t located_call(struct located_calls *calls, uint32_t name, uint32_t location);

void located_calls_free(struct located_calls *calls);

#endif
