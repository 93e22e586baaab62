// What the recorder's files share, and how rooms of opscope describe things to it at once.

#ifndef OPSCOPE_RECORD_RECORD_H
#define OPSCOPE_RECORD_RECORD_H

#include <opscope/record.h>

#include "profile/profile.h"

enum { RECORD_LANES_MOST = 4096 };

// As opscope_record_start and opscope_record_stop. `*out_account`, where it is wanted, is what was
// recorded without its events: tracks, the ledger and its notes. NULL when nothing was recorded;
// to be freed, also on failure.
status record_start(const struct opscope_record_options *options);
status record_stop(struct profile **out_account);

// The profile that is being recorded, locked for adding to its tables; NULL while nothing
// is recorded (nothing is locked then). Lanes come from record_add_lane.
struct profile *record_lock(void);
void record_unlock(void);

// Adds a track to a locked profile and gives its id. Its clock, provenance and account are
// the recorder's; a parent of 0 is the process. Past RECORD_LANES_MOST all share the last one.
uint32_t record_add_lane(const struct track *like);

// Of a locked profile: `count` more events are to come on a lane. Those that have not come
// when the recording stops are lost, and the ledger says so.
void record_expect(uint32_t lane, uint64_t count);

#endif
