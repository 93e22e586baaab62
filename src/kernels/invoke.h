// Calls the kernel of one node: finds the types of its outputs from the inputs
// at hand, makes the outputs whose shapes are known, and runs it.

#ifndef OPSCOPE_KERNELS_INVOKE_H
#define OPSCOPE_KERNELS_INVOKE_H

#include <stdalign.h>
#include <stddef.h>

#include "kernel.h"

// Memory for the lists of one call: a node with few inputs and outputs needs none of its own.
struct invoke_lists {
    void *block;
    size_t used;
    alignas(max_align_t) char few[2048];
};

// What one call of a node needs besides the node. It stays where it is: its lists are within.
struct invoke_frame {
    struct datum **inputs;
    struct datum **outputs;
    void **places;
    uint64_t *sizes;
    bool *wanted;
    bool *fixed;
    struct invoke_lists lists;
};

// All is zero at first. References to data are the caller's to give back.
void invoke_frame_start(struct invoke_frame *frame, const struct network_node *node);
void invoke_frame_free(struct invoke_frame *frame);

struct invocation {
    const struct network *network;
    const struct network_node *node;
    kernel_function run;
    struct datum *const *inputs; // `node->input_count` of them, NULL where left out
    const bool *fixed;           // which of them are constants; NULL: none is known to be one
    const bool *wanted;          // `node->output_count` of them
    // Planned memory for outputs, aligned, with its size; NULL or 0: none. Used
    // where it is large enough.
    void *const *places;
    const uint64_t *sizes;
    struct parallel *parallel;
    struct kernel_state **state;
    struct kernel_runner *runner; // NULL: no inner graphs can be run
};

// Fills `outputs`, one reference each, NULL where not wanted; none on failure.
status invoke(const struct invocation *invocation, struct datum **outputs);

#endif
