// What the files of the public library share. The functions themselves are declared, and
// described, in include/opscope.

#ifndef OPSCOPE_API_API_H
#define OPSCOPE_API_API_H

#include <opscope/result.h>

#include "answer.h"
#include "base/recovery.h"
#include "profile/profile.h"

struct opscope_profile {
    struct profile *profile;
    struct region region; // of all that is not `struct opscope_profile` itself
    bool unfinished;      // events were added that are still batched
    struct bytes values;  // for what is added next
    char problem[256];    // why the last refused addition was refused
};

// OPSCOPE_LOSS and the ledger in words when it shows loss, else OPSCOPE_OK.
int api_answer_loss(const struct profile *profile, char *message, size_t size);

// Hands on the events that are still batched.
status api_finish(struct opscope_profile *profile);

// The text of an id, with a NUL after it; "" for an id that is not there.
const char *api_text(const struct profile *profile, uint32_t id);

// `text`, or "" for NULL.
struct view api_view(const char *text);

// Writes to a file that is there as a whole or not at all.
status api_write(struct profile *profile, const char *path, const char *format);

#endif
