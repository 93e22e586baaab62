// The texts of a profile, each stored once. Id 0 is the empty text.
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
    struct segments texts; // struct view
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

static inline struct view strings_get(const struct strings *strings, uint32_t id)
{
    return *(const struct view *)segments_get(&strings->texts, id);
}

// HASH_NONE when the text is not there.
uint32_t strings_find(const struct strings *strings, struct view text);

void strings_free(struct strings *strings);

#endif
