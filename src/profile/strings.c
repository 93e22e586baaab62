#include "strings.h"

static uint32_t strings_find_hashed(const struct strings *strings, uint32_t hash, struct view text)
{
    uint32_t id;
    for (uint32_t at = hash_first(&strings->index, hash);
         (id = hash_next(&strings->index, hash, &at)) != HASH_NONE;) {
        if (view_equal(strings_get(strings, id), text))
            return id;
    }
    return HASH_NONE;
}

// Copies lie side by side, which is quicker for the few texts that most profiles have.
enum { TEXTS_COPIED = 1 << 14 };

static uint64_t strings_add_far(struct strings *strings, struct view text)
{
    *(struct view *)segments_add(&strings->far) = text;
    return (uint64_t)STRINGS_FAR << STRINGS_ADDRESS | (strings->far.count - 1);
}

// `text` is kept as it is.
static uint32_t strings_append_kept(struct strings *strings, struct view text)
{
    const uint64_t address = (uintptr_t)text.data;
    const bool near = text.size < STRINGS_FAR && address >> STRINGS_ADDRESS == 0;
    *(uint64_t *)segments_add(&strings->texts) =
        near ? (uint64_t)text.size << STRINGS_ADDRESS | address : strings_add_far(strings, text);
    return strings->texts.count - 1;
}

static uint32_t strings_append_text(struct strings *strings, uint32_t hash, struct view text)
{
    const uint32_t id = strings_append_kept(strings, arena_copy(&strings->arena, text));
    hash_add(&strings->index, hash, id);
    return id;
}

void strings_start(struct strings *strings)
{
    *strings = (struct strings){0};
    segments_start(&strings->texts, sizeof(uint64_t));
    segments_start(&strings->far, sizeof(struct view));
    strings_add(strings, VIEW_LITERAL(""));
}

uint32_t strings_find(const struct strings *strings, struct view text)
{
    return strings_find_hashed(strings, hash_bytes(text.data, text.size), text);
}

uint32_t strings_add(struct strings *strings, struct view text)
{
    return strings_add_hashed(strings, hash_bytes(text.data, text.size), text);
}

uint32_t strings_add_hashed(struct strings *strings, uint32_t hash, struct view text)
{
    const uint32_t known = strings_find_hashed(strings, hash, text);
    return known != HASH_NONE ? known : strings_append_text(strings, hash, text);
}

uint32_t strings_append_unlisted(struct strings *strings, struct view text, bool lent)
{
    const bool stays = lent && strings->texts.count >= TEXTS_COPIED;
    return strings_append_kept(strings, stays ? text : arena_copy(&strings->arena, text));
}

uint32_t strings_append(struct strings *strings, struct view text)
{
    return strings_append_text(strings, hash_bytes(text.data, text.size), text);
}

void strings_free(struct strings *strings)
{
    segments_free(&strings->texts);
    segments_free(&strings->far);
    hash_free(&strings->index);
    arena_free(&strings->arena);
}
