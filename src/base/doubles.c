#include "doubles.h"

#include "hash.h"

bool doubles_find(struct doubles *doubles, struct view row)
{
    return doubles_find_hashed(doubles, hash_bytes(row.data, row.size), row);
}

bool doubles_search(const struct doubles *doubles, uint32_t hash, struct view row)
{
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
