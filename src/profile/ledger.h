// The account of the data: what there should be, what there is, what was lost
// and what cannot be true. One per track; track 0's is for what belongs to no
// track. Where `expected` is known, expected = recorded + lost + impossible.

#ifndef OPSCOPE_PROFILE_LEDGER_H
#define OPSCOPE_PROFILE_LEDGER_H

#include <stdint.h>

#define LEDGER_UNKNOWN UINT64_MAX

struct ledger {
    uint64_t expected; // LEDGER_UNKNOWN where nobody said how many
    uint64_t recorded;
    uint64_t lost;
    uint64_t impossible;
};

enum ledger_note_kind {
    LEDGER_LOST,        // an event that was there and could not be read
    LEDGER_IMPOSSIBLE,  // an event that contradicts itself
    LEDGER_NOT_CARRIED, // an event that an output format has no place for
    LEDGER_REMARK,      // nothing is missing, but the reader should know
    LEDGER_KINDS,
};

// Why: the first few of each kind are kept word for word (LEDGER_NOTES_KEPT),
// the rest are in the counts.
struct ledger_note {
    enum ledger_note_kind kind;
    uint32_t text;  // string id
    uint64_t count; // how many events the note is about
};

enum { LEDGER_NOTES_KEPT = 20 };

const char *ledger_note_kind_name(enum ledger_note_kind kind);

// Adds up two accounts.
struct ledger ledger_sum(struct ledger a, struct ledger b);

#endif
