#include "doubles.h"

#include "hash.h"

bool doubles_find(struct doubles *doubles, struct view row)
{
    return doubles_find_hashed(doubles, hash_bytes(row.data, row.size), row);
}

// Many at once, as few rows have a hash that another one has.
static bool doubles_has_hash(const struct doubles *doubles, uint32_t hash)
{
    unsigned found = 0;
    for (unsigned i = 0; i < DOUBLES_KEPT; i++)
        found |= doubles->hashes[i] == hash;
    return found != 0;
}

bool doubles_search(const struct doubles *doubles, uint32_t hash, struct view row)
{
    if (!doubles_has_hash(doubles, hash))
        return false;
    for (unsigned i = 0; i < DOUBLES_KEPT; i++) {
        if (doubles->hashes[i] == hash && row.size > 0 && view_equal(doubles->rows[i], row))
            return true;
    }
    return false;
}

void doubles_follow(struct doubles *doubles, const struct doubles *later)
{
    if (later->seen == DOUBLES_KEPT) {
        *doubles = *later;
        return;
    }
    for (unsigned i = 0; i < later->seen; i++)
        doubles_find_hashed(doubles, later->hashes[i], later->rows[i]);
}
