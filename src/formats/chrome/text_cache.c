#include "text_cache.h"

static uint64_t word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// All bytes of a text of one to seven.
static uint64_t short_word(const char *at, size_t size)
{
    uint32_t first;
    uint32_t last;
    if (size < sizeof first)
        return (unsigned char)at[0] | (uint64_t)(unsigned char)at[size / 2] << 8 |
               (uint64_t)(unsigned char)at[size - 1] << 16;
    memcpy(&first, at, sizeof first);
    memcpy(&last, at + size - sizeof last, sizeof last);
    return first | (uint64_t)last << 32;
}

// Good enough to spread a few thousand texts: all of a short one, both ends of a long one.
static uint64_t text_mixed(struct view text)
{
    enum { WORD = sizeof(uint64_t), PART = 64 };
    static const uint64_t FACTOR = 0x9e3779b97f4a7c15;
    const char *at = text.data;
    size_t left = text.size;
    uint64_t mixed = text.size * FACTOR;
    if (left > 2 * PART) {
        for (size_t i = 0; i < PART; i += WORD)
            mixed = (mixed ^ word_at(at + i)) * FACTOR;
        at += left - PART;
        left = PART;
    }
    for (; left >= WORD; at += WORD, left -= WORD)
        mixed = (mixed ^ mixed >> 29 ^ word_at(at)) * FACTOR;
    const uint64_t tail =
        text.size < WORD ? short_word(text.data, text.size) : word_at(text.data + text.size - WORD);
    return (mixed ^ mixed >> 29 ^ tail) * FACTOR;
}

// Of texts of one length, which is not 0.
static bool text_is_same(const char *a, const char *b, size_t size)
{
    if (size < sizeof(uint64_t))
        return short_word(a, size) == short_word(b, size);
    for (size_t i = 0; i + sizeof(uint64_t) < size; i += sizeof(uint64_t)) {
        if (word_at(a + i) != word_at(b + i))
            return false;
    }
    const size_t tail = size - sizeof(uint64_t);
    return word_at(a + tail) == word_at(b + tail);
}

static bool is_cached(const struct chrome_cached_text *slot, struct view text)
{
    return slot->size == text.size && text_is_same(slot->data, text.data, text.size);
}

// Texts come in the same order again and again: the one after the last one is tried first.
uint32_t chrome_text_id(struct chrome_text_cache *cache, struct strings *strings, struct view text)
{
    if (text.size == 0)
        return 0;
    struct chrome_cached_text *last = &cache->slots[cache->last];
    if (is_cached(&cache->slots[last->next], text)) {
        cache->last = last->next;
        return cache->slots[cache->last].id;
    }
    const uint32_t at = (uint32_t)(text_mixed(text) >> (64 - CHROME_TEXT_CACHE_BITS));
    struct chrome_cached_text *slot = &cache->slots[at];
    last->next = at;
    cache->last = at;
    if (is_cached(slot, text))
        return slot->id;
    const uint32_t id = strings_add(strings, text);
    if (text.size <= UINT32_MAX) {
        slot->data = strings_get(strings, id).data;
        slot->size = (uint32_t)text.size;
        slot->id = id;
    }
    return id;
}

// What a part has seen ---------------------------------------------------------

uint32_t *chrome_seen_text(struct chrome_seen_texts *seen, struct view text)
{
    struct chrome_seen_text *slot = &seen->slots[text_mixed(text) >> (64 - CHROME_SEEN_TEXTS_BITS)];
    if (slot->size == text.size && text_is_same(slot->data, text.data, text.size))
        return &slot->id;
    if (slot->size != 0 || text.size > UINT32_MAX) {
        seen->missed++;
        return NULL;
    }
    *slot = (struct chrome_seen_text){text.data, (uint32_t)text.size, 0};
    return &slot->id;
}

void chrome_seen_texts_refresh(struct chrome_seen_texts *seen)
{
    if (seen->missed > CHROME_SEEN_MISSED_MOST)
        memset(seen, 0, sizeof *seen);
}
