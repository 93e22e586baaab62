// Well-known computations that exporters spell out in several operators.

#ifndef OPSCOPE_COMPILER_PATTERNS_H
#define OPSCOPE_COMPILER_PATTERNS_H

#include "network/operators.h"

enum { PATTERN_NODES_MOST = 16 };

struct pattern {
    const char *name; // "layernorm", "gelu", "attention"
    uint32_t nodes[PATTERN_NODES_MOST];
    uint32_t count;
};

// The pattern that ends with this node, which comes first; the others follow in no
// particular order. Nothing outside reads what passes between
// its nodes. `readers` counts the readers of each value.
bool pattern_find(const struct network *network, const uint32_t *readers, uint32_t node,
                  struct pattern *out_pattern);

#endif
