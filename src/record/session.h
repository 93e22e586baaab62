// One recording, from start to stop. All of it is used under the recorder's lock.

#ifndef OPSCOPE_RECORD_SESSION_H
#define OPSCOPE_RECORD_SESSION_H

#include <sys/stat.h>

#include "base/recovery.h"
#include "buffer.h"
#include "profile/file.h"
#include "record.h"
#include "ticks.h"

// Texts that every recording begins with, after those of every profile.
enum { RECORD_ADDRESS_KEY = 2, RECORD_BYTES_KEY, RECORD_FREED };

struct record_session {
    struct region region; // of all that is not the session itself
    struct profile *profile;
    struct profile_stream *stream; // NULL: kept in memory
    char *path;
    struct stat file; // what `path` was when it was opened
    char *full;       // where a capture says that it takes no more; NULL: there is none
    bool is_full;
    uint32_t clock;
    uint32_t process;
    bool constant_ticks;
    struct ticks_fit fit;
    uint64_t lost[RECORD_LANES_MOST];      // already in the accounts, by lane
    uint64_t announced[RECORD_LANES_MOST]; // that are to come in all, where somebody said
    _Atomic uint64_t *lost_now;            // what threads could not put, by lane
    atomic_bool *is_short;                 // the region's reserve is used up; NULL: it has none
    bool waits;                            // so that something was not taken the last time
    bool ending;                           // nothing can wait for memory any more
    uint64_t taken;                        // events since the last write
    uint64_t gathered;                     // about how many bytes they are
    struct bytes values;
    status failure; // of writing, or of memory that ran out; what comes after it is lost
};

status record_session_create(const struct opscope_record_options *options,
                             struct record_session **out_session);

uint32_t record_session_lane(struct record_session *session, const struct track *like);

// Adds `op` with these values; those that refer to nothing are left out.
uint32_t record_session_operator(struct record_session *session,
                                 const struct operator_description *op,
                                 const struct opscope_value *values, uint32_t count);

// From now on nothing is written without memory in reserve: it waits in its buffer until there is
// some again. `is_short` says that there is none at the moment. False, and nothing changes, where
// there is none now.
bool record_session_reserve(struct record_session *session, atomic_bool *is_short);

// Takes what the buffers hold, accounts for it, and writes it. `lost` counts, by lane, what
// threads could not put.
void record_session_collect(struct record_session *session, struct record_buffer *buffers,
                            _Atomic uint64_t *lost);

// The same for the last time: what still waits for memory is lost.
void record_session_collect_last(struct record_session *session, struct record_buffer *buffers,
                                 _Atomic uint64_t *lost);

// Memory ran out while something was described: what comes now is lost.
void record_session_fail(struct record_session *session);

// Ends the file and frees the session. `*out_account`, where it is wanted, is the profile without
// its events; also on failure, but for want of memory: it is NULL then.
status record_session_close(struct record_session *session, struct profile **out_account);

#endif
