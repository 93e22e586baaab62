// What an operator is told besides its inputs.

#ifndef OPSCOPE_NETWORK_ATTRIBUTE_H
#define OPSCOPE_NETWORK_ATTRIBUTE_H

#include "tensor.h"
#include "value_type.h"

enum attribute_kind {
    ATTRIBUTE_INTEGER, // also bools
    ATTRIBUTE_REAL,
    ATTRIBUTE_TEXT, // also keywords of MLIR
    ATTRIBUTE_TENSOR,
    ATTRIBUTE_GRAPH,
    ATTRIBUTE_TYPE,
    ATTRIBUTE_INTEGERS,
    ATTRIBUTE_REALS,
    ATTRIBUTE_TEXTS,
    ATTRIBUTE_TENSORS,
    ATTRIBUTE_GRAPHS,
};

struct attribute {
    struct view name;
    enum attribute_kind kind;
    union {
        int64_t integer;
        double real;
        struct view text;
        const struct constant *tensor;
        uint32_t graph;
        const struct value_type *type;
        const int64_t *integers;
        const double *reals;
        const struct view *texts;
        const struct constant *tensors;
        const uint32_t *graphs;
    };
    uint32_t count; // of the plural kinds
};

struct attributes {
    const struct attribute *items;
    uint32_t count;
};

// NULL when there is none of this name and kind.
const struct attribute *attribute_find(struct attributes attributes, const char *name,
                                       enum attribute_kind kind);

bool attribute_given(struct attributes attributes, const char *name);

// What the attribute says, or `fallback`. An integer also serves as a real and as a list of one
// integer, and such a list as an integer.
int64_t attribute_integer(struct attributes attributes, const char *name, int64_t fallback);
double attribute_real(struct attributes attributes, const char *name, double fallback);
struct view attribute_text(struct attributes attributes, const char *name, const char *fallback);

// Number of integers; 0 when there are none. `*out_items` is not changed then.
uint32_t attribute_integers(struct attributes attributes, const char *name,
                            const int64_t **out_items);
uint32_t attribute_reals(struct attributes attributes, const char *name, const double **out_items);

#endif
