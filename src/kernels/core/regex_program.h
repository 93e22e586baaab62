// What a pattern becomes: a tree while it is read, then steps of a machine.

#ifndef OPSCOPE_KERNELS_CORE_REGEX_PROGRAM_H
#define OPSCOPE_KERNELS_CORE_REGEX_PROGRAM_H

#include "base/status.h"
#include "base/view.h"

enum { REGEX_STEPS_MOST = 1 << 17, REGEX_NESTING_MOST = 500, REGEX_REPEAT_MOST = 1000 };

struct regex_range {
    uint32_t from, to; // both included
};

// A set of characters.
struct regex_set {
    struct regex_range *ranges;
    size_t count, capacity;
    bool negated;      // all but these
    bool folded;       // both cases of these
    uint32_t ascii[4]; // bits of what it holds below 128
};

enum regex_place {
    REGEX_TEXT_BEGIN,
    REGEX_TEXT_END,
    REGEX_LINE_BEGIN,
    REGEX_LINE_END,
    REGEX_WORD_EDGE,
    REGEX_NO_WORD_EDGE,
};

enum regex_kind {
    REGEX_NOTHING, // matches the empty text
    REGEX_SET,
    REGEX_PLACE,
    REGEX_SEQUENCE,
    REGEX_CHOICE,
    REGEX_REPEAT,
};

#define REGEX_NONE UINT32_MAX

// Children of sequences, choices and repeats follow one another by `next`.
struct regex_node {
    enum regex_kind kind;
    uint32_t value; // of a set its number, of a place which one
    uint32_t first, next;
    uint32_t least, most; // of a repeat; most REGEX_NONE: any number
};

struct regex_tree {
    struct regex_node *nodes;
    size_t count, capacity;
    struct regex_set *sets;
    size_t set_count, set_capacity;
    uint32_t root;
};

// Fills an empty tree; `regex_tree_free` also on failure.
status regex_parse(struct view pattern, struct regex_tree *tree);
void regex_tree_free(struct regex_tree *tree);

bool regex_set_has(const struct regex_set *set, uint32_t character);

#endif
