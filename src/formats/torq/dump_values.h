// What the names of a dump stand for: pieces of memory, programs, invocations.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_VALUES_H
#define OPSCOPE_FORMATS_TORQ_DUMP_VALUES_H

#include "base/hash.h"
#include "target/target.h"
#include "wire/mlir.h"

enum dump_value_kind {
    DUMP_OTHER,
    DUMP_MEMORY,
    DUMP_PROGRAM,    // `id` in the reader's programs
    DUMP_INVOCATION, // `id` in the reader's invocations
};

struct dump_value {
    struct view name;
    uint32_t number; // of a result
    enum dump_value_kind kind;
    uint32_t id;
    const struct mlir_type *type; // of memory; NULL: not known
    struct view label;            // of memory: what the dump calls it
    bool is_port;                 // of memory: bound by the caller
    bool is_constant;
    bool has_address;
    uint64_t address;
};

// All zero is empty. Later definitions of a name hide earlier ones.
struct dump_scope {
    struct dump_value *items;
    size_t count;
    size_t capacity;
    struct hash_index index;
};

void dump_scope_add(struct dump_scope *scope, struct dump_value value);
const struct dump_value *dump_scope_find(const struct dump_scope *scope, struct view name,
                                         uint32_t number); // NULL: none
void dump_scope_free(struct dump_scope *scope);

// Adds the memory that an operation defines: `memref` operations, bindings, results
// of a wait. `globals` are those of the module, by their symbols.
void dump_scope_define(struct dump_scope *scope, const struct dump_scope *globals,
                       const struct mlir_operation *operation);
void dump_scope_define_global(struct dump_scope *globals, const struct mlir_operation *operation);

struct dump_size {
    uint64_t bytes;  // of all elements
    uint64_t reach;  // elements up to the last one that the strides touch
    uint64_t extent; // the same in bytes
};

// False when a memref has no static shape, or is too large.
bool dump_memory_size(const struct mlir_type *type, struct dump_size *out_size);

// The memory of the target that a memref lies in; TARGET_NONE: it has none of that name.
uint32_t dump_memory_of(const struct target *target, const struct mlir_type *type);

#endif
