// A call of a kernel whose tensors are known beforehand: when it runs nothing is inferred
// and nothing is allocated, but for what the kernel itself takes.

#ifndef OPSCOPE_KERNELS_PREPARED_H
#define OPSCOPE_KERNELS_PREPARED_H

#include "kernel.h"

struct prepared;

struct prepared_plan {
    const struct network *network;
    const struct network_node *node; // copied; its attributes must outlive the call
    kernel_function run;
    // Copied; `data` stays where it is. An element of ELEMENT_NONE: left out.
    const struct tensor *inputs;
    const bool *fixed; // which of them are constants
    const struct tensor *outputs;
    bool takes_last, gives_last; // of the kernel's call
    struct kernel_runner *runner;
};

// Whether the operator gives these outputs for these inputs for sure. If not, it is to be
// invoked (invoke.h). Tensors need no data, but for constants.
bool prepared_is_sure(const struct prepared_plan *plan);

// For a plan that is sure.
struct prepared *prepared_create(const struct prepared_plan *plan);
void prepared_free(struct prepared *prepared);

status prepared_run(struct prepared *prepared, struct parallel *parallel);

#endif
