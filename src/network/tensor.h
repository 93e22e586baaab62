// Tensors and what else the values of a network are at run time.

#ifndef OPSCOPE_NETWORK_TENSOR_H
#define OPSCOPE_NETWORK_TENSOR_H

#include "base/memory.h"
#include "base/arena.h"
#include "element.h"
#include "shape.h"

// What `data` of every tensor that a kernel sees is aligned to.
enum { TENSOR_ALIGNMENT = MEMORY_ALIGNMENT };

// A dense row-major tensor. Who made it owns the data.
struct tensor {
    enum element element;
    struct shape shape; // all dimensions known
    void *data;
};

// A constant as its file holds it: `data` may lie at any address, and 4-bit
// integers may be packed two to a byte, the first one low. `tensor_unpack` makes
// the tensor that kernels take.
struct constant {
    struct tensor tensor;
    bool packed;
    uint64_t bytes; // that `data` spans
    bool blocked;   // its numbers were rounded to MXFP6 (weights.h)
};

// Number of elements, and bytes in memory.
static inline uint64_t tensor_count(const struct tensor *tensor)
{
    return shape_count(&tensor->shape);
}

static inline uint64_t tensor_bytes(const struct tensor *tensor)
{
    return tensor_count(tensor) * element_size(tensor->element);
}

// Makes any byte but 0 of a tensor of bools 1, as kernels want it; leaves others alone.
void tensor_tidy_bools(const struct tensor *tensor);

// Element `index` of integers or bools, of any alignment.
int64_t constant_integer(const struct constant *constant, uint64_t index);

// The same of any numbers.
double constant_real(const struct constant *constant, uint64_t index);

// Whether kernels can take the constant as it lies.
bool constant_ready(const struct constant *constant);

// Copies to `data`, which is aligned and has room for tensor_bytes.
void constant_unpack(const struct constant *constant, void *data);

// What a value is while a network runs: a tensor, a sequence of such, or
// nothing (an optional that is empty). Counted references.
enum datum_kind {
    DATUM_NOTHING,
    DATUM_TENSOR,
    DATUM_SEQUENCE,
};

struct datum {
    enum datum_kind kind;
    uint32_t references;
    struct tensor tensor;
    bool owns_data;
    struct arena texts; // the bytes of ELEMENT_TEXT tensors made here
    // Of a sequence:
    struct datum **items;
    size_t count;
};

// With one reference. The tensor's bytes are zero for texts, undefined for
// numbers. Fails when there is no memory for it.
status datum_tensor(enum element element, const struct shape *shape, struct datum **out_datum);

// A tensor over bytes that outlive it.
struct datum *datum_over(const struct tensor *tensor);

struct datum *datum_nothing(void);

// Takes over the references of `items`, which it copies.
struct datum *datum_sequence(struct datum *const *items, size_t count);

static inline struct datum *datum_keep(struct datum *datum)
{
    datum->references++;
    return datum;
}

// Accepts NULL.
void datum_release(struct datum *datum);

// Makes a tensor over foreign bytes the owner of a copy of them.
status datum_own(struct datum *datum);

// Bytes that all tensors of the process may own together; datum_tensor fails
// beyond it. 0, and what holds before: three quarters of the machine's memory.
void datum_limit(uint64_t bytes);

// Most bytes that they owned at a time.
uint64_t datum_peak_bytes(void);

#endif
