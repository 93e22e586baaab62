// Blocks of operations as graphs of a network, and the names in them.

#ifndef OPSCOPE_NETWORK_TOSA_IMPORT_GRAPH_H
#define OPSCOPE_NETWORK_TOSA_IMPORT_GRAPH_H

#include "importer.h"

struct tosa_block {
    const struct mlir_block *block;
    const struct mlir_argument *arguments; // of the block, or of what it belongs to
    uint32_t argument_count;
    const uint32_t *values; // whose types the arguments have that declare none
};

// Fills a graph with the nodes of a block, which ends with a return or a yield.
status tosa_graph_read(struct tosa_importer *importer, const struct tosa_block *block,
                       uint32_t graph);

// Enters a `tosa.variable` with its initial value.
status tosa_variable_define(struct tosa_importer *importer, const struct mlir_operation *operation);

// Names -----------------------------------------------------------------------

void tosa_names_start(struct tosa_importer *importer);

// `count` values from `first` on are called `name`, until the scope ends.
status tosa_name_define(struct tosa_importer *importer, struct view name, uint32_t first,
                        uint32_t count);
status tosa_name_find(struct tosa_importer *importer, const struct mlir_operand *operand,
                      uint32_t *out_value);

// Forgets the names from `mark` on: importer->scope_count at the scope's start.
void tosa_names_forget(struct tosa_importer *importer, size_t mark);

// A variable's value: NULL when there is no variable of this name.
struct tosa_variable {
    struct view name;
    struct value_type type;
    uint32_t value; // NETWORK_NONE: none was given yet
};
struct tosa_variable *tosa_variable_find(struct tosa_importer *importer, struct view name);

// Name and text of an operation's location, "" without one.
void tosa_place(struct tosa_importer *importer, const struct mlir_location *location,
                struct view *out_name, struct view *out_text);

#endif
