// The lanes of devices of which Tenstorrent's fork of Tracy makes GPU contexts: one context for
// each core, the processor in the number of the thread.

#ifndef OPSCOPE_FORMATS_TRACY_DEVICE_LANES_H
#define OPSCOPE_FORMATS_TRACY_DEVICE_LANES_H

#include "base/view.h"

// Bits of a thread's number that say the processor; the fork's viewer calls threads of any context
// by them. It has no name for the last.
enum { TRACY_PROCESSORS = 8, TRACY_PROCESSOR_ALL = 6 };

enum { TRACY_CONTEXT_CORE = 6 }; // the type of such a context

struct tracy_device_lane {
    uint32_t device;
    uint32_t core_x;
    uint32_t core_y;
    unsigned processor;
    const char *processor_name; // static
};

// Whether a context is such a core, by what it is called; then where it is.
bool tracy_device_lane_of(struct view context_name, uint64_t thread,
                          struct tracy_device_lane *out_lane);

// The inverse for a processor: what it is called; false where that is none of them.
bool tracy_device_processor_of(struct view name, struct tracy_device_lane *out_lane);

#endif
