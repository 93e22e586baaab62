// What is known of a value before the network runs.

#ifndef OPSCOPE_NETWORK_VALUE_TYPE_H
#define OPSCOPE_NETWORK_VALUE_TYPE_H

#include "element.h"
#include "shape.h"

enum value_type_kind {
    VALUE_UNKNOWN, // nothing is known
    VALUE_TENSOR,
    VALUE_SEQUENCE, // of tensors of `element`
};

struct value_type {
    enum value_type_kind kind;
    bool optional;        // may be empty at run time
    bool ranked;          // the shape's rank is known
    enum element element; // ELEMENT_NONE: not known
    struct shape shape;   // of the tensor; of every item of a sequence, where known
};

static inline struct value_type value_type_tensor(enum element element, const struct shape *shape)
{
    return (struct value_type){VALUE_TENSOR, false, true, element, *shape};
}

// A tensor of unknown rank.
static inline struct value_type value_type_unranked(enum element element)
{
    return (struct value_type){.kind = VALUE_TENSOR, .element = element};
}

// Whether element, rank and every dimension of a tensor are known.
bool value_type_static(const struct value_type *type);

// What both say, or an error when they contradict one another.
status value_type_merge(const struct value_type *a, const struct value_type *b,
                        struct value_type *out_type);

#endif
