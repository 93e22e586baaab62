// The texts of a profile, each stored once but for those that are not listed. Id 0 is the empty
// text.
//
// Memory: the distinct texts plus about 40 bytes for each; of those that are lent and not listed,
// 16 to 32 bytes. A text never moves; one thread adds, another may read an id that was handed to
// it.

#ifndef OPSCOPE_PROFILE_STRINGS_H
#define OPSCOPE_PROFILE_STRINGS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/segments.h"

struct strings {
    struct segments texts; // uint64_t: an address and, in its upper 16 bits, a size; STRINGS_FAR of
    struct segments far;   // those for which that is not enough, and where they are: struct view
    struct hash_index index;
    struct arena arena;
};

void strings_start(struct strings *strings);

// The id of `text`, added if it is new. The text is copied.
uint32_t strings_add(struct strings *strings, struct view text);

// The same for who knows its hash (hash_bytes).
uint32_t strings_add_hashed(struct strings *strings, uint32_t hash, struct view text);

// Adds `text` under the next id for who looks for it himself: it is not found by its bytes, and
// stands beside an equal one. One that is `lent` stays where it is as long as the strings: most
// such are not copied, and have no NUL after them then.
uint32_t strings_append_unlisted(struct strings *strings, struct view text, bool lent);

// Adds `text` under the next id, also when it is there already.
uint32_t strings_append(struct strings *strings, struct view text);

enum { STRINGS_ADDRESS = 48, STRINGS_FAR = 0xffff };

static inline struct view strings_get(const struct strings *strings, uint32_t id)
{
    const uint64_t entry = *(const uint64_t *)segments_get(&strings->texts, id);
    const uint64_t address = entry & (((uint64_t)1 << STRINGS_ADDRESS) - 1);
    const size_t size = entry >> STRINGS_ADDRESS;
    if (size == STRINGS_FAR)
        return *(const struct view *)segments_get(&strings->far, (uint32_t)address);
    return (struct view){(const char *)(uintptr_t)address, size};
}

// Asks for the memory in which a later strings_get will look.
static inline void strings_prefetch(const struct strings *strings, uint32_t id)
{
    __builtin_prefetch(segments_get(&strings->texts, id));
}

// HASH_NONE when the text is not there.
uint32_t strings_find(const struct strings *strings, struct view text);

void strings_free(struct strings *strings);

#endif
