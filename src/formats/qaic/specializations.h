// What -network-specialization-config names: a network with named dimensions is compiled once for
// each choice of their lengths.
//
//     {"specializations": [{"batch_size": "1", "seq_len": "32", "ctx_len": "128"}, ...]}
//
// And what -retained-state means: an output X_RetainedState is the input X of the next inference.

#ifndef OPSCOPE_FORMATS_QAIC_SPECIALIZATIONS_H
#define OPSCOPE_FORMATS_QAIC_SPECIALIZATIONS_H

#include "base/arena.h"
#include "base/status.h"
#include "device/state.h"
#include "program/program.h"

enum { QAIC_SPECIALIZATIONS_MOST = 1024 };

struct qaic_specialization {
    const char **symbols; // "batch_size,1": as network_options takes them
    size_t symbol_count;
};

struct qaic_specializations {
    struct arena arena;
    struct qaic_specialization *items;
    size_t count; // at least 1 once it is read
};

// `name` is for messages. Lengths are numbers or texts of numbers; what newer compilers take
// besides is refused with what it is.
status qaic_specializations_read(const char *name, struct view text,
                                 struct qaic_specializations *out_specializations);
void qaic_specializations_free(struct qaic_specializations *specializations);

// "batch_size=1 seq_len=32", in `arena`.
struct view qaic_specialization_text(const struct qaic_specialization *specialization,
                                     struct arena *arena);

// The inputs of a program that its outputs become, for the caller to free. Fails for an output
// that is called so and has no input, or one of another type.
status qaic_retained_find(const struct program *program, struct device_pair **out_pairs,
                          size_t *out_count);

#endif
