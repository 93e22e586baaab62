// Memory that is taken and given back, as events of a lane of its own: instants with the value
// `address` and, where it is taken, `bytes`; the event's name says what for, its call who. The lane
// has the value `memory`, the name of the memory. Such events become lifetimes of buffers.

#ifndef OPSCOPE_PROFILE_MEMORY_H
#define OPSCOPE_PROFILE_MEMORY_H

#include "base/hash.h"
#include "profile.h"

// The track of such a lane, for whoever adds it: its values are in `values`, which is the caller's
// to free.
struct track memory_lane(struct profile *profile, struct view memory, struct bytes *values);

// What lies in one memory, as it is taken and given back in order of time. With `profile` and
// `like` (memory, clock, device, core) set, the rest zero, it is empty. Memory: some 80 bytes for
// each distinct address.
struct memory_book {
    struct profile *profile;
    struct buffer_lifetime like;
    struct memory_piece *pieces;
    size_t count, capacity;
    struct hash_index index; // by address
    uint64_t never_taken;    // how often something was given back that had not been taken
};

void memory_book_take(struct memory_book *book, uint64_t address, uint64_t bytes, uint64_t now,
                      uint32_t name, uint32_t owner);
void memory_book_give_back(struct memory_book *book, uint64_t address, uint64_t now);

// What was not given back lives until `end`. Frees what the book holds.
void memory_book_close(struct memory_book *book, uint64_t end);

// Adds the lifetimes that the events of such lanes say, for memories that have none yet. What is
// not given back lives to the end of what was recorded on its clock. What is taken again at an
// address without having been given back ends there; what is given back without having been
// taken is remarked in the ledger.
status memory_find_lifetimes(struct profile *profile);

#endif
