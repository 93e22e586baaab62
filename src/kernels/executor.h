// Runs a network operator by operator, exactly as it is written: the plain,
// correct way, without fusing or tiling.
//
// Values whose shapes are known share planned buffers; the others are made when
// they are computed and given back after their last use.

#ifndef OPSCOPE_KERNELS_EXECUTOR_H
#define OPSCOPE_KERNELS_EXECUTOR_H

#include "kernel.h"

struct executor;

struct executor_options {
    unsigned threads;          // 0: one for each CPU
    struct parallel *parallel; // used instead of threads of its own; must outlive it
    uint64_t memory_limit;     // see datum_limit; 0: three quarters of the machine's
};

// `network` must outlive it. Fails when an operator has no kernel.
status executor_create(const struct network *network, const struct executor_options *options,
                       struct executor **out_executor);
void executor_free(struct executor *executor);

// Whether these can be the inputs of a network, as executor_run takes them.
status executor_check_inputs(const struct network *network, struct datum *const *inputs,
                             size_t count);

// One iteration. `inputs` in the order of the main graph's inputs, NULL where an
// initializer stands for one; types and shapes are checked. The outputs come
// with a reference each, in the graph's order. Failures name the node.
status executor_run(struct executor *executor, struct datum *const *inputs, size_t input_count,
                    struct datum **out_outputs);

// Adds the nanoseconds that each node takes to `times`, by node id, from now on; a
// node that runs graphs counts with all inside it. NULL: no more.
void executor_time_nodes(struct executor *executor, uint64_t *times);

// Runs a graph inside another, for kernels of control flow: `inputs` and
// `out_outputs` as above. Fails for a graph with other numbers of them.
status executor_run_graph(struct kernel_runner *runner, uint32_t graph, struct datum *const *inputs,
                          size_t input_count, struct datum **out_outputs, size_t output_count);

// For whoever calls kernels of control flow without the executor: what runs inner
// graphs, and the value of something outside that they read, for as long as the
// executor lives or until it is bound again. Keeps a reference.
struct kernel_runner *executor_runner(struct executor *executor);
void executor_bind(struct executor *executor, uint32_t value, struct datum *datum);

// The network that is running.
const struct network *executor_network(const struct kernel_runner *runner);

// Lets network_infer calculate small constants with the kernels.
void executor_fold_constants(void);

#endif
