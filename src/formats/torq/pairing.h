// Begins that wait for their ends.
//
// Begins with the same key form a list; whether a new one goes to its front or
// its back decides whether the last or the first of them is taken next. Every
// operation takes constant time on average. Memory: about 80 bytes for each
// begin that waits at the same time.

#ifndef OPSCOPE_FORMATS_TORQ_PAIRING_H
#define OPSCOPE_FORMATS_TORQ_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pairing_key {
    uint64_t invocation;
    uint64_t action; // PAIRING_NONE: no action, or any
    uint32_t event;
};

#define PAIRING_NONE UINT64_MAX

struct pairing_begin {
    struct pairing_key key;
    uint32_t lane;
    uint32_t call;
    uint32_t dispatch; // string id; 0: none
    uint64_t action;   // that began, where the key does not say
    uint64_t start;
    uint64_t line;
    bool explained; // why it waits; for its owner
    // Kept by the pairing:
    uint32_t next; // with the same key
    uint32_t last; // of the list, in its first item
};

// All zero is an empty one.
struct pairing {
    struct pairing_begin *items;
    size_t count;
    size_t capacity;
    uint32_t free;   // index + 1 of the first free item
    uint32_t *slots; // index + 1 of the first item of a list
    uint32_t mask;
    uint32_t lists;
    uint64_t waiting;
};

void pairing_add_first(struct pairing *pairing, const struct pairing_begin *begin);
void pairing_add_last(struct pairing *pairing, const struct pairing_begin *begin);

// Takes the first begin with this key; false when none waits.
bool pairing_take(struct pairing *pairing, struct pairing_key key, struct pairing_begin *out_begin);

// All that still wait, in order of their lines; `out_begins` has room for
// `pairing->waiting` of them.
void pairing_list(const struct pairing *pairing, struct pairing_begin *out_begins);

void pairing_free(struct pairing *pairing);

#endif
