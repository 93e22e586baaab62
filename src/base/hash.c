#include "hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "memory.h"
#include "recovery.h"

// The kernel gives every process 16 random bytes.
static uint64_t secret_load(void)
{
    uint64_t secret = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random != NULL)
        memcpy(&secret, random, sizeof secret);
    return secret | 1;
}

static uint64_t secret_get(void)
{
    static _Atomic uint64_t secret;
    if (secret == 0)
        secret = secret_load();
    return secret;
}

static uint64_t hash_mix_words(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_load_word(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// At most eight bytes, told apart from all others of this number; an empty view may have no
// address.
static inline uint64_t hash_load_few(const unsigned char *at, size_t size)
{
    uint32_t first, last;
    if (size >= sizeof first) {
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + size - sizeof last, sizeof last);
        return (uint64_t)last << 32 | first;
    }
    return size == 0 ? 0
                     : (uint64_t)at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16;
}

uint32_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *at = data;
    const uint64_t secret = secret_get();
    uint64_t state = secret ^ size;
    if (size > 32) {
        // Two chains: each step waits for the one before.
        uint64_t other = state;
        for (; size > 32; at += 32, size -= 32) {
            state = hash_mix_words(hash_load_word(at) ^ 0x9e3779b97f4a7c15u,
                                   hash_load_word(at + 8) ^ state);
            other = hash_mix_words(hash_load_word(at + 16) ^ 0xd1b54a32d192ed03u,
                                   hash_load_word(at + 24) ^ other);
        }
        state += other;
    }
    if (size > 16) {
        state = hash_mix_words(hash_load_word(at) ^ 0x9e3779b97f4a7c15u,
                               hash_load_word(at + 8) ^ state);
        at += 16;
        size -= 16;
    }
    if (size > 8)
        state = hash_mix_words(hash_load_word(at) ^ 0xe7037ed1a0b428dbu,
                               hash_load_word(at + size - 8) ^ state);
    else
        state = hash_mix_words(hash_load_few(at, size) ^ 0x8ebc6af09c88c6e3u, state);
    return (uint32_t)(hash_mix_words(state, secret ^ 0x589965cc75374cc3u) >> 16);
}

uint32_t hash_u64(uint64_t number)
{
    return (uint32_t)(hash_mix_words(number ^ secret_get(), 0x9e3779b97f4a7c15u) >> 16);
}

static void hash_insert(struct hash_index *index, struct hash_slot slot)
{
    uint32_t at = slot.hash & index->mask;
    while (index->slots[at].number != 0)
        at = (at + 1) & index->mask;
    index->slots[at] = slot;
}

static void hash_grow(struct hash_index *index)
{
    const struct hash_index old = *index;
    const uint32_t size = old.slots == NULL ? 64 : (old.mask + 1) * 2;
    if (size == 0)
        recovery_fail(SIZE_MAX);
    index->slots = memory_allocate_zeroed(size, sizeof *index->slots);
    memory_prefer_huge(index->slots, (size_t)size * sizeof *index->slots);
    index->mask = size - 1;
    for (uint32_t i = 0; old.slots != NULL && i <= old.mask; i++) {
        if (old.slots[i].number != 0)
            hash_insert(index, old.slots[i]);
    }
    free(old.slots);
}

void hash_add(struct hash_index *index, uint32_t hash, uint32_t id)
{
    if (index->slots == NULL || index->count >= (index->mask / 4) * 3)
        hash_grow(index);
    hash_insert(index, (struct hash_slot){hash, id + 1});
    index->count++;
}

void hash_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}
