#include "digest.h"

// FNV-1a, with what it lacks at the end: the last bytes reach all bits.
#define FIRST 0xcbf29ce484222325u
#define PRIME 0x100000001b3u
#define FINISH 0xff51afd7ed558ccdu

struct digest digest_start(void)
{
    return (struct digest){FIRST};
}

void digest_add(struct digest *digest, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t state = digest->state;
    for (size_t i = 0; i < size; i++)
        state = (state ^ bytes[i]) * PRIME;
    digest->state = state;
}

void digest_add_number(struct digest *digest, uint64_t number)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    digest_add(digest, bytes, sizeof bytes);
}

uint64_t digest_finish(const struct digest *digest)
{
    const uint64_t mixed = (digest->state ^ (digest->state >> 33)) * FINISH;
    return mixed ^ (mixed >> 33);
}
