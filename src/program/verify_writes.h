// Who wrote which part of each buffer, so that finding those that a box touches does not
// mean looking at all of them: the writes of a buffer are sorted into the stretches of the
// axis along which most of them begin at different places.
//
// Memory: some 40 bytes for each operand that is written.

#ifndef OPSCOPE_PROGRAM_VERIFY_WRITES_H
#define OPSCOPE_PROGRAM_VERIFY_WRITES_H

#include "program.h"

struct verify_box {
    uint32_t rank;
    const int64_t *from;
    const int64_t *size;
};

static inline struct verify_box verify_box_of(const struct program_operand *operand)
{
    return (struct verify_box){operand->rank, operand->from, operand->size};
}

// The same; what is made when it runs is read and written as one.
struct verify_box verify_box_in(const struct program *program,
                                const struct program_operand *operand);

// How many elements a box has, and two have in common.
uint64_t verify_volume(const int64_t *size, uint32_t rank);
uint64_t verify_shared_volume(struct verify_box a, struct verify_box b);

struct verify_writes;

struct verify_write {
    uint32_t operand;
    uint32_t task;
    uint64_t shared; // elements that it has in common with what was asked for
};

// Nothing is written yet. `roots` has the buffer whose bytes each buffer shows.
struct verify_writes *verify_writes_create(const struct program *program, const uint32_t *roots);
void verify_writes_free(struct verify_writes *writes);

// False when some element of the operand has been written before.
bool verify_writes_add(struct verify_writes *writes, uint32_t operand, uint32_t task);

// The writes of a buffer that have elements in common with a box; of all of it for NULL.
// Valid until the next call.
const struct verify_write *verify_writes_find(struct verify_writes *writes, uint32_t root,
                                              const struct verify_box *box, size_t *out_count);

// Whether any task of the program writes to it, now or later.
bool verify_writes_any(const struct verify_writes *writes, uint32_t root);

// Elements of a buffer that have been written.
uint64_t verify_writes_volume(const struct verify_writes *writes, uint32_t root);

#endif
