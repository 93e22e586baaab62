// Operators and calls of a profile as packets of a trace, which Perfetto passes over and opscope
// reads again (docs/formats/perfetto.md): what an event's argument `opscope.call` is the number of.

#ifndef OPSCOPE_FORMATS_PERFETTO_CALLS_WRITER_H
#define OPSCOPE_FORMATS_PERFETTO_CALLS_WRITER_H

#include "pack.h"
#include "profile/profile.h"

// Whether a trace says a call without them: by the event's name and the operator's location.
bool perfetto_call_is_plain(const struct profile *profile, uint32_t call, uint32_t event_name);

// All of them, in packets of about PACK_CHUNK / 4 bytes.
void perfetto_calls_write(const struct profile *profile, struct pack *pack);

#endif
