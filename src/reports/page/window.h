// A piece of a lane's timeline, exact where that is not too much: what a page that is served asks
// for where it has sums alone.
//
// A lane is walked once when it is first asked for; from then on an answer begins at a place kept
// nearby. Memory: 100 bytes for each WINDOW_STEP events and, of lanes with rows, 32 for each row.

#ifndef OPSCOPE_REPORTS_PAGE_WINDOW_H
#define OPSCOPE_REPORTS_PAGE_WINDOW_H

#include "profile/profile.h"
#include "wire/json.h"

enum {
    WINDOW_STEP = 4096,
    WINDOW_EXACT_MOST = 20000, // blocks of an answer
    WINDOW_BUCKETS = 2048,     // of one that is not exact, in its time
};

struct windows;

// Of a profile that is whole and outlives them.
struct windows *windows_create(struct profile *profile);
void windows_free(struct windows *windows);

// {bucket, names, blocks}: what lies between `from` and `to`, ns since the start of the profile; a
// bucket of 0 is exact. Blocks are a level (levels.h) in base64. STATUS_NOT_FOUND where there is no
// such track.
status windows_write_blocks(struct windows *windows, uint32_t track, uint64_t from, uint64_t to,
                            struct output *output);

// {values: [[name, text], ...]}: all that the span or instant of a lane with this start and end
// says of itself.
status windows_write_span(struct windows *windows, uint32_t track, uint64_t start, uint64_t end,
                          struct output *output);

#endif
