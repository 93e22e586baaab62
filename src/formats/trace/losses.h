// What a reader could not make an event of, counted by track and reason: one note in the ledger
// stands for all of a kind.
//
// Memory: one entry per track and reason that occurs.

#ifndef OPSCOPE_FORMATS_TRACE_LOSSES_H
#define OPSCOPE_FORMATS_TRACE_LOSSES_H

#include "profile/profile.h"

// For what is seen only when all is read.
#define LOSS_NO_OFFSET UINT64_MAX

struct loss_entry {
    uint32_t track;  // of the profile; 0: no track in particular
    uint32_t reason; // the reader's own number
    uint64_t detail;
    uint64_t count;
    uint64_t offset; // in the file, of the first one; LOSS_NO_OFFSET: not known
};

// All zero is an empty account.
struct losses {
    struct loss_entry *entries; // in the order in which they were first seen
    size_t count;
    size_t capacity;
    struct hash_index index;
};

// How a reason is told.
struct loss_text {
    enum ledger_note_kind kind;
    const char *text;   // what stands before the count
    const char *detail; // what the entry's detail is; NULL: it has none
};

void losses_add(struct losses *losses, uint32_t track, uint32_t reason, uint64_t detail,
                uint64_t offset);

// Entries of the reasons in the set `halves` (bits) are of pairs that lack one event. As many as
// `unread` events that are lost already may be what they lack: these are taken off the entries and
// what the tracks expect, as they are no further loss. Returns how many that are.
uint64_t losses_explain(struct losses *losses, uint64_t unread, uint64_t halves,
                        struct profile *profile);

// An entry without a count is no note.
// "trace.pb: track 'dma in': spans that never end: 3, the first at byte 1200".
void losses_note(const struct loss_entry *entry, const struct loss_text *text,
                 struct profile *profile, const char *path);

void losses_free(struct losses *losses);

#endif
