// Hashing of bytes, and an index from hashes to the positions of things that
// are stored elsewhere. The hash differs from process to process, so that no
// input can be built to collide; nothing may depend on its order.

#ifndef OPSCOPE_BASE_HASH_H
#define OPSCOPE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_NONE = 0xffffffff };

uint32_t hash_bytes(const void *data, size_t size);
uint32_t hash_u64(uint64_t number);

struct hash_slot {
    uint32_t hash;
    uint32_t number; // id + 1; 0: free
};

// All zero is an empty index.
struct hash_index {
    struct hash_slot *slots;
    uint32_t mask;
    uint32_t count;
};

// Goes over the ids that were added under `hash`:
//     for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;)
static inline uint32_t hash_first(const struct hash_index *index, uint32_t hash)
{
    return hash & index->mask;
}

static inline uint32_t hash_next(const struct hash_index *index, uint32_t hash, uint32_t *at)
{
    if (index->slots == NULL)
        return HASH_NONE;
    for (;;) {
        const struct hash_slot slot = index->slots[*at];
        *at = (*at + 1) & index->mask;
        if (slot.number == 0 || slot.hash == hash)
            return slot.number - 1; // HASH_NONE where it is free
    }
}

// Asks for the memory in which a later look-up of `hash` starts.
static inline void hash_prefetch(const struct hash_index *index, uint32_t hash)
{
    if (index->slots != NULL)
        __builtin_prefetch(index->slots + hash_first(index, hash));
}

void hash_add(struct hash_index *index, uint32_t hash, uint32_t id);
void hash_free(struct hash_index *index);

#endif
