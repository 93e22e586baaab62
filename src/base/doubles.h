// Rows that stand in a file twice, word for word: each is looked for among those
// shortly before it. Memory: DOUBLES_KEPT views and DOUBLES_COUNTS bytes.

#ifndef OPSCOPE_BASE_DOUBLES_H
#define OPSCOPE_BASE_DOUBLES_H

#include <stdbool.h>
#include <stdint.h>

#include "view.h"

enum { DOUBLES_KEPT = 64, DOUBLES_COUNTS = 1024 };

// All zero has seen nothing. The bytes of the rows must outlive it.
struct doubles {
    uint8_t counts[DOUBLES_COUNTS]; // of those kept, by the last bits of their hashes
    uint32_t hashes[DOUBLES_KEPT];
    struct view rows[DOUBLES_KEPT];
    unsigned next;
    unsigned seen; // up to DOUBLES_KEPT
};

// Whether `row` is equal to one of the last DOUBLES_KEPT that were not; else it is kept.
bool doubles_find(struct doubles *doubles, struct view row);

bool doubles_search(const struct doubles *doubles, uint32_t hash, struct view row);

// The same without keeping it.
static inline bool doubles_has(const struct doubles *doubles, uint32_t hash, struct view row)
{
    return doubles->counts[hash % DOUBLES_COUNTS] != 0 && doubles_search(doubles, hash, row);
}

// doubles_find for who has something that is equal for equal rows, and for few others.
static inline bool doubles_find_hashed(struct doubles *doubles, uint32_t hash, struct view row)
{
    if (doubles_has(doubles, hash, row))
        return true;
    const unsigned at = doubles->next;
    if (doubles->seen == DOUBLES_KEPT)
        doubles->counts[doubles->hashes[at] % DOUBLES_COUNTS]--;
    else
        doubles->seen++;
    doubles->counts[hash % DOUBLES_COUNTS]++;
    doubles->hashes[at] = hash;
    doubles->rows[at] = row;
    doubles->next = (at + 1) % DOUBLES_KEPT;
    return false;
}

// Keeps what `later` kept of rows that came afterwards, none of which was there before.
void doubles_follow(struct doubles *doubles, const struct doubles *later);

#endif
