// What a capture must ask a program for: names of threads, texts and source locations, which items
// refer to by pointers that mean something inside the program only. Each is asked for once.
//
// Answers to questions for locations do not say which: they come in the order of the questions.
// That order is the one in which the stream first mentions them, so that whoever reads a stored
// stream knows it as well.

#ifndef OPSCOPE_FORMATS_TRACY_ASKER_H
#define OPSCOPE_FORMATS_TRACY_ASKER_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/segments.h"
#include "wire.h"

enum { TRACY_QUESTION = 13 }; // bytes

enum tracy_question {
    TRACY_ASK_END = 0,
    TRACY_ASK_STRING = 1,
    TRACY_ASK_THREAD = 2,
    TRACY_ASK_LOCATION = 3,
    TRACY_ASK_PLOT = 4,
    TRACY_ASK_FRAME = 5,
};

struct tracy_asker {
    struct segments asked; // struct asked
    struct hash_index index;
    struct bytes questions; // as they go to the program, in order
    uint64_t open;          // questions in `questions` or with the program, without an answer
    bool ended;             // the program has sent all that it had
    uint32_t located;       // of `asked`: all locations before it have an answer
};

void tracy_asker_start(struct tracy_asker *asker);
void tracy_asker_free(struct tracy_asker *asker);

// Appends the questions that an item raises, and counts the one that it answers.
void tracy_asker_see(struct tracy_asker *asker, const struct tracy_wire *wire,
                     const struct tracy_item *item);

// Which location the next answer to a question for one is about; 0: nobody asked. Before the
// answer is seen.
uint64_t tracy_asker_next_location(struct tracy_asker *asker);

// The pointer of the location that the item mentions first or again; 0: none.
uint64_t tracy_item_location(const struct tracy_wire *wire, const struct tracy_item *item);

#endif
