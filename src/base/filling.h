// Parts that one fills and hands on, all threads work on (base/parts.h), and who filled them takes
// in the order in which he handed them on, to be filled again.
//
// Memory: PARTS_OF_THREAD parts for each thread, and those that are being filled.

#ifndef OPSCOPE_BASE_FILLING_H
#define OPSCOPE_BASE_FILLING_H

#include <stddef.h>

// What a part begins with.
struct filled_part {
    struct filled_part *next_free;
};

struct filling {
    struct parts *parts;
    size_t part_size;
    void (*take)(void *context, void *part);
    void *context;
    struct filled_part *free_parts;
};

// `work` as in base/parts.h; `take` is called by who hands on and finishes.
void filling_start(struct filling *filling, size_t part_size, void (*work)(void *part),
                   void (*take)(void *context, void *part), void *context);

// All zero, or as it was when it was taken. It is the caller's until it is handed on.
void *filling_part(struct filling *filling);

void filling_hand_on(struct filling *filling, void *part);

// Takes all that were handed on; then gives them one by one, for the caller to free, and NULL.
void filling_finish(struct filling *filling);
void *filling_give_back(struct filling *filling);

#endif
