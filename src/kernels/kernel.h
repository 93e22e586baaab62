// What an operator computes on the host.
//
// A kernel takes the shapes of its tensors, never those that the network
// declares, and its attributes from the call, so that it can be called on a
// tile of a tensor, with buffers that somebody else planned. What `infer` of
// the operator checks (types, ranks, dimensions, attributes) holds when a kernel
// is called; what depends on elements (an index out of range) it checks itself.
// Results do not depend on the number of threads.

#ifndef OPSCOPE_KERNELS_KERNEL_H
#define OPSCOPE_KERNELS_KERNEL_H

#include "network/operators.h"
#include "parallel.h"

// What a kernel keeps from one call of a node to the next: packed weights, a
// prepared primitive. It checks itself that the state fits the call's shapes.
struct kernel_state {
    void (*free)(struct kernel_state *state);
};

struct kernel_runner;

struct kernel_call {
    const struct network *network; // that the node belongs to
    const struct network_node *node;
    struct attributes attributes; // of the node, or of a tile of it
    uint32_t version;             // of the operator set
    // Absent inputs are NULL; `inputs` is NULL as well where the datum is no tensor.
    const struct tensor *const *inputs;
    struct datum *const *data;
    uint32_t input_count;
    uint32_t output_count;
    const bool *fixed; // inputs whose bytes are the same at every call of the node
    // Made before the call where the shapes are known, else NULL. Through
    // kernel_output or kernel_make.
    struct datum **outputs;
    const bool *wanted; // outputs that something reads
    // Whether the images of input 0 and of output 0 have their channels last, whatever their
    // shapes say; only of kernels that are known to heed it.
    bool takes_last, gives_last;
    struct parallel *parallel;
    struct kernel_state **state;
    struct kernel_runner *runner; // what control flow runs inner graphs with
};

typedef status (*kernel_function)(struct kernel_call *call);

struct kernel {
    const char *name; // of the operator: "Conv", "tosa.conv2d"
    kernel_function run;
};

struct kernel_table {
    const struct kernel *items;
    size_t count;
};

#define KERNEL_TABLE(array)                                                                        \
    {                                                                                              \
        array, sizeof(array) / sizeof *(array)                                                     \
    }

// NULL when there is none.
kernel_function kernel_find(const struct operator_definition *definition);

// Every kernel, by the name that its table gives its operator. NULL after the last one.
const char *kernel_name_at(size_t index);

// Output `index` where its shape was known before the call (what `infer` finds
// out when it is given every input). NULL when nothing reads it.
static inline struct tensor *kernel_output(const struct kernel_call *call, uint32_t index)
{
    return index < call->output_count && call->wanted[index] && call->outputs[index] != NULL
               ? &call->outputs[index]->tensor
               : NULL;
}

static inline bool kernel_wants(const struct kernel_call *call, uint32_t index)
{
    return index < call->output_count && call->wanted[index];
}

// Makes output `index` of a shape that depends on the data (NonZero). The tensor
// is NULL when nothing reads it.
status kernel_make(struct kernel_call *call, uint32_t index, enum element element,
                   const struct shape *shape, struct tensor **out_tensor);

// Gives output `index` a datum of its own (sequences, optionals, the input
// itself). Takes over the reference.
void kernel_give(struct kernel_call *call, uint32_t index, struct datum *datum);

// A copy of `text` for element of output `index`, an ELEMENT_TEXT tensor.
struct view kernel_text(struct kernel_call *call, uint32_t index, struct view text);

static inline bool kernel_input_fixed(const struct kernel_call *call, uint32_t index)
{
    return call->fixed != NULL && index < call->input_count && call->fixed[index];
}

static inline const struct tensor *kernel_input(const struct kernel_call *call, uint32_t index)
{
    return index < call->input_count ? call->inputs[index] : NULL;
}

#endif
