// What a piece of work costs on an engine of a target.
//
// The request says what is to be done in numbers alone, so that a program can
// carry it and be priced again for another clock or rate. Times are in cycles
// of the target's clock.

#ifndef OPSCOPE_TARGET_COST_H
#define OPSCOPE_TARGET_COST_H

#include "target.h"

enum cost_kind {
    COST_NOTHING,
    COST_FIXED,       // `cycles`, as a dump says; where the published rules charge the same for
                      // anything, they still do
    COST_TRANSFER,    // `bytes` in `outputs` elements by a DMA engine
    COST_CONVOLUTION, // `outputs` places x `channels` x `inner` MACs
    COST_DEPTHWISE,   // the same, each channel by itself
    COST_MATMUL,      // `outputs` rows x `channels` columns x `inner`
    COST_POOLING,     // `outputs` elements of `inner` inputs each
    COST_REDUCTION,   // `outputs` elements of `inner` inputs each
    COST_ELEMENTWISE, // `outputs` elements, `inner` steps each
    COST_TABLE,       // `outputs` elements looked up
    COST_MOVEMENT,    // `bytes` to other places
    COST_RECURRENT,   // `outputs` steps x `channels` x `inner` MACs, one after the other
    COST_OTHER,       // `outputs` elements, `inner` steps each, without a fast kernel
    COST_KINDS,
};

// The window of a convolution or pooling, and how it goes over its input. A side above 255 is
// 255.
struct cost_window {
    uint8_t height; // places
    uint8_t width;  // 0: not known
    uint8_t stride; // the larger one
    uint8_t flags;
    uint32_t frames; // images of a convolution, planes of a pooling, each gone over by itself
};

enum cost_window_flag {
    COST_WINDOW_CENTRED = 1, // as many places left as right are padded, half the width
    COST_WINDOW_BEFORE = 2,  // places above or left are padded
    COST_WINDOW_CHOICE = 4,  // of a pooling: one of its places is chosen, not all added up
    COST_WINDOW_LINE = 8,    // of a convolution: over lines, not over images
    COST_WINDOW_APART = 16,  // its places do not lie together
};

// What elementwise work or a reduction does with elements, as far as machines tell it apart.
enum cost_sort {
    COST_SORT_OTHER,
    COST_SORT_SUM,
    COST_SORT_PRODUCT,
    COST_SORT_CHOICE, // least, greatest, comparisons, bits of two
    COST_SORT_NOT,
    COST_SORT_SHIFT,
    COST_SORT_SELECT,
    COST_SORT_SCALE,
    COST_SORT_CLIP,
    COST_SORT_UNARY,
    COST_SORT_TO_FLOAT, // of an integer
    COST_SORT_CURVE,
    COST_SORTS,
};

struct cost_request {
    uint32_t kind;
    uint16_t input_bits; // of an element; 0: none
    uint16_t weight_bits;
    uint16_t output_bits;
    uint16_t is_float;
    uint32_t function; // cost_function of the operator's name; 0: of no single one
    uint64_t outputs;
    uint64_t channels;
    uint64_t inner;
    // Matrices that are multiplied each by its own. Of a reduction: rows before what is reduced.
    // Of a movement that turns matrices: their rows, `channels` being their columns.
    uint64_t groups;
    uint64_t bytes; // read and written, weights included
    uint64_t macs;  // exact
    // Of COST_FIXED. Of other work: steps of elementwise operators that are fused with it, one
    // for each element and operation; but on a processor, of those that take time of their own:
    // not what only scales or clips what is computed.
    uint64_t cycles;
    // What rules need that know how kernels work:
    uint32_t variant; // enum cost_variant
    // Places of the window of a convolution or pooling; of elementwise work and reductions,
    // enum cost_sort.
    uint32_t kernel;
    union {
        uint64_t run; // elements that lie together while they are moved, or are reduced to one
        struct cost_window window; // of a convolution or pooling
    };
};

// How operands of the same operator may lie to one another.
enum cost_variant {
    COST_PLAIN,
    COST_SCALAR,  // one operand is a single number
    COST_ROW,     // one operand repeats every `run` elements
    COST_CHANNEL, // one operand changes every `run` elements
    COST_MIXED,   // operands spread in another way
    COST_APART,   // each channel by itself
    COST_FREE,    // both operands are computed: nothing can be prepared
    COST_LINEAR,  // between neighbours
    COST_SPREAD,  // along a strided dimension
    COST_APART_SPREAD,
    COST_WHOLE, // copied as it lies
    // Of COST_OTHER, rows of `channels` elements at `kernel` places of a matrix with `groups` rows:
    // read from there, or written there.
    COST_GATHERED,       // the network has a matrix, or a list
    COST_GATHERED_EACH,  // it has several in principle
    COST_SCATTERED,      // the places are known when it is compiled
    COST_SCATTERED_FREE, // they are not
    // Of COST_OTHER: every place of an image four times. Elements of a place lie together
    // (`channels`), or those of a row (`run`).
    COST_DOUBLED,
    // Of COST_MOVEMENT: places from `kernel` x `kernel` channels, `run` being the width before.
    COST_BLOCKS,
    COST_VARIANTS,
};

// A number for the name of an operator, the same everywhere.
static inline uint32_t cost_function(struct view name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (uint8_t)name.data[i]) * 16777619u;
    return hash;
}

enum cost_rules {
    COST_RULES_BEST,   // the target's own, corrected
    COST_RULES_PUBLIC, // the vendor's published arithmetic, to the cycle
};

// Cycles of the target's clock, whatever the engine's own is, rounded up; at least 1 for any
// work. `engine` is an index of the target.
uint64_t cost_cycles(const struct target *target, enum cost_rules rules, uint32_t engine,
                     const struct cost_request *request);

// The least that physics allows: MACs at the peak rate and bytes at the peak
// bandwidth of that engine.
uint64_t cost_bound(const struct target *target, uint32_t engine,
                    const struct cost_request *request);

// What the machine calls the kernel that does the work; NULL: it has no names for kernels.
bool cost_names_kernels(const struct target *target, uint32_t engine);
const char *cost_kernel(const struct target *target, uint32_t engine,
                        const struct cost_request *request);

// Why the engine's kernels cannot do the work, as "scatter is of 8 bits alone"; empty: none does
// anything like it; NULL: they can.
const char *cost_refusal(const struct target *target, uint32_t engine,
                         const struct cost_request *request);

// How a price comes about ---------------------------------------------------------------

enum { COST_TERMS_MOST = 8 };

struct cost_term {
    char name[32];
    char how[200];
    uint64_t cycles;
    bool alternative; // only the largest of these counts
};

struct cost_explanation {
    const char *price; // the kind that the target's file names
    struct cost_term terms[COST_TERMS_MOST];
    uint32_t term_count;
    uint64_t engine_cycles; // of the engine's clock: the sum of the terms
    uint64_t cycles;        // what cost_cycles says
    uint64_t bound;         // what cost_bound says
};

void cost_explain(const struct target *target, enum cost_rules rules, uint32_t engine,
                  const struct cost_request *request, struct cost_explanation *out);

#endif
