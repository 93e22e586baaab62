// Texts that come again and again, found without the profile's own table.

#ifndef OPSCOPE_FORMATS_CHROME_TEXT_CACHE_H
#define OPSCOPE_FORMATS_CHROME_TEXT_CACHE_H

#include "profile/profile.h"

enum {
    CHROME_TEXT_CACHE_BITS = 12,
    CHROME_SEEN_TEXTS_BITS = 10,
    CHROME_SEEN_MISSED_MOST = 1 << 14,
};

struct chrome_cached_text {
    const char *data; // in the profile, where texts stay
    uint32_t size;
    uint32_t id;
    uint32_t next; // slot of the text that came after it last time
};

// All zero is empty.
struct chrome_text_cache {
    struct chrome_cached_text slots[1 << CHROME_TEXT_CACHE_BITS];
    uint32_t last; // slot of the latest text
};

// The id of a text in the profile.
uint32_t chrome_text_id(struct chrome_text_cache *cache, struct strings *strings, struct view text);

// The same, kept in `*id` once it is known (0: not yet); NULL: nowhere.
static inline uint32_t chrome_text_id_kept(struct chrome_text_cache *cache, struct strings *strings,
                                           struct view text, uint32_t *id)
{
    if (id == NULL)
        return chrome_text_id(cache, strings, text);
    if (*id == 0)
        *id = chrome_text_id(cache, strings, text);
    return *id;
}

// Texts of the input that were seen, on any thread: the ids are for who takes the events, and 0
// until he knows them. All zero is empty.
struct chrome_seen_text {
    const char *data; // in the input
    uint32_t size;
    uint32_t id;
};

struct chrome_seen_texts {
    struct chrome_seen_text slots[1 << CHROME_SEEN_TEXTS_BITS];
    uint32_t missed; // had no place
};

// Where the id of a text, which is not empty, is kept, as long as the input is and nothing is
// forgotten; NULL: nowhere.
uint32_t *chrome_seen_text(struct chrome_seen_texts *seen, struct view text);

// Forgets all where too many had no place.
void chrome_seen_texts_refresh(struct chrome_seen_texts *seen);

#endif
