#include "doubles.h"

#include "hash.h"

bool doubles_find(struct doubles *doubles, struct view row)
{
    return doubles_find_hashed(doubles, hash_bytes(row.data, row.size), row);
}

bool doubles_find_hashed(struct doubles *doubles, uint32_t hash, struct view row)
{
    uint32_t same = 0; // without a branch for each, so that several are compared at once
    for (unsigned i = 0; i < DOUBLES_KEPT; i++)
        same |= doubles->hashes[i] == hash;
    for (unsigned i = 0; same != 0 && i < DOUBLES_KEPT; i++) {
        if (doubles->hashes[i] == hash && row.size > 0 && view_equal(doubles->rows[i], row))
            return true;
    }
    doubles->hashes[doubles->next] = hash;
    doubles->rows[doubles->next] = row;
    doubles->next = (doubles->next + 1) % DOUBLES_KEPT;
    return false;
}
