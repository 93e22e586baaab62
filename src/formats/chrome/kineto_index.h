// The numbering of PyTorch's profiles: `Ev Idx` counts through all that its own profiler recorded,
// from 0, and every number is exported. So what is missing, or there twice, can be told.

#ifndef OPSCOPE_FORMATS_CHROME_KINETO_INDEX_H
#define OPSCOPE_FORMATS_CHROME_KINETO_INDEX_H

#include "base/spool.h"
#include "events.h"

struct kineto_numbered;

struct kineto_index {
    struct spool spool; // of what was seen; SPOOL_EMPTY at first
    // Known when it is finished:
    struct kineto_numbered *copies; // events that were there before, in order of the file
    size_t copy_count;
    size_t next;      // that was not asked for
    uint64_t missing; // numbers without an event
};

// Any event of the trace; those with a number are kept, 32 bytes each, in a spool.
status kineto_index_see(struct kineto_index *index, const struct chrome_event *event);

// `bytes` are those of the trace.
status kineto_index_finish(struct kineto_index *index, struct view bytes);

// Whether what starts at `offset` stands in the trace before. Asked in order of the file.
bool kineto_index_is_copy(struct kineto_index *index, uint64_t offset);

#endif
