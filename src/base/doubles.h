// Rows that stand in a file twice, word for word: each is looked for among those
// shortly before it. Memory: DOUBLES_KEPT views.

#ifndef OPSCOPE_BASE_DOUBLES_H
#define OPSCOPE_BASE_DOUBLES_H

#include <stdbool.h>

#include "view.h"

enum { DOUBLES_KEPT = 64 };

// All zero has seen nothing. The bytes of the rows must outlive it.
struct doubles {
    uint32_t hashes[DOUBLES_KEPT];
    struct view rows[DOUBLES_KEPT];
    unsigned next;
};

// Whether `row` is equal to one of the last DOUBLES_KEPT that were not; else it is kept.
bool doubles_find(struct doubles *doubles, struct view row);

// The same for who has something that is equal for equal rows, and for few others.
bool doubles_find_hashed(struct doubles *doubles, uint32_t hash, struct view row);

#endif
