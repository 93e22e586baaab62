// Operators and calls that opscope wrote into a trace (calls_writer.h), read before its events.
// They count where they are whole and those of one trace: of files put one after the other, nobody
// knows whose call a number is.
//
// Memory: the operators and calls themselves.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_CALLS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_CALLS_H

#include "profile/profile.h"

// Start with the profile, which has no operators and calls yet, and all else zero.
struct perfetto_calls {
    struct profile *profile;
    uint32_t ends;             // how often it was said how many there are
    bool damaged;              // some message is none, or refers to what is not there
    uint64_t operators, calls; // that there should be
    struct bytes values;
};

// A packet's field PERFETTO_PACKET_CALLS.
void perfetto_calls_read(struct perfetto_calls *calls, struct view message);

// Once all packets were seen: how many calls events may refer to; 0 where they do not count, with a
// remark where there were some.
uint32_t perfetto_calls_finish(struct perfetto_calls *calls, const char *path);

#endif
