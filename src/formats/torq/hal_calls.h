// Calls of the HAL in R4. A call covers all that the queue does meanwhile, the dispatch included.
// Where its invocation says more, with other events of the HAL, it is not the HAL's own time.
// That is known at the end of the file: calls are kept until then.
//
// Memory: 56 bytes for each call, 16 for each invocation with other events of the HAL.

#ifndef OPSCOPE_FORMATS_TORQ_HAL_CALLS_H
#define OPSCOPE_FORMATS_TORQ_HAL_CALLS_H

#include "base/hash.h"
#include "pairing.h"

struct hal_call {
    struct pairing_key key;
    uint32_t lane, call, dispatch;
    uint64_t start, end;
};

// All zero is without any.
struct hal_calls {
    uint32_t name; // string id of the event
    struct hal_call *items;
    size_t count, capacity;
    uint64_t *detailed; // invocations that have other events of the HAL
    size_t detailed_count, detailed_capacity;
    struct hash_index index; // of these
};

void hal_calls_keep(struct hal_calls *calls, const struct hal_call *call);

// An event of the HAL that is not a call.
void hal_calls_add_detailed(struct hal_calls *calls, uint64_t invocation);
bool hal_calls_are_detailed(const struct hal_calls *calls, uint64_t invocation);

void hal_calls_free(struct hal_calls *calls);

#endif
