// What the files of the TOSA importer share.

#ifndef OPSCOPE_NETWORK_TOSA_IMPORTER_H
#define OPSCOPE_NETWORK_TOSA_IMPORTER_H

#include "literal.h"
#include "network/operators.h"

struct tosa_importer {
    struct network *network;
    struct mlir_document *document;
    struct tosa_literals literals;
    // Names of values; each has one entry, which lives while it can be seen.
    struct segments names;
    struct hash_index name_index;
    uint32_t *scope; // entries that live, in the order in which they were defined
    size_t scope_count;
    size_t scope_capacity;
    // State that outlives a run, by name: here, what was written last.
    struct segments variables;
    struct hash_index variable_index;
    // Locations that aliases stand for, by alias.
    struct segments places;
    struct hash_index place_index;
    // The last place whose line was asked for.
    const char *line_at;
    uint64_t line;
    uint32_t depth; // of the graph that is being read
};

// A node that is being made of an operation.
struct tosa_draft {
    struct tosa_importer *importer;
    const struct mlir_operation *operation;
    struct view type;
    uint32_t graph;
    uint32_t *inputs; // with room for TOSA_DRAFT_EXTRA more
    uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
    struct attribute *attributes; // with room for TOSA_DRAFT_EXTRA more
    uint32_t attribute_count;
};

enum { TOSA_DRAFT_EXTRA = 8 };

uint64_t tosa_line(struct tosa_importer *importer, const char *at);

// Types and attributes --------------------------------------------------------

// The type of a value: a tensor, a scalar (a tensor without dimensions) or a shape.
status tosa_value_type(struct tosa_importer *importer, const struct mlir_type *type,
                       struct value_type *out_type);

// An attribute of a node.
status tosa_attribute(struct tosa_importer *importer, const struct mlir_attribute *source,
                      struct attribute *out_attribute);

// The integers of array<...>, [...] or dense<...>; a single one counts as a list.
status tosa_integers(struct tosa_importer *importer, const struct mlir_attribute *source,
                     const int64_t **out_items, uint32_t *out_count);

// Values ----------------------------------------------------------------------

uint32_t tosa_value_add(struct tosa_importer *importer, struct view name,
                        const struct value_type *type);

// A value that is a constant.
uint32_t tosa_constant_add(struct tosa_importer *importer, const struct constant *constant);

// The same of integers; of one zero for each element where `items` is NULL.
uint32_t tosa_integers_add(struct tosa_importer *importer, enum element element,
                           const struct shape *shape, const int64_t *items);

static inline const struct network_value *tosa_input(const struct tosa_draft *draft, uint32_t index)
{
    return network_value(draft->importer->network, draft->inputs[index]);
}

// Forms -----------------------------------------------------------------------

// Brings a node into the one form that import.h describes.
status tosa_normalize(struct tosa_draft *draft);

#endif
