// How a task of a processor is computed: recognised from its calls.

#ifndef OPSCOPE_DEVICE_HOST_RECIPE_H
#define OPSCOPE_DEVICE_HOST_RECIPE_H

#include "host_task.h"
#include "kernels/prepared.h"

enum { HOST_RECIPE_INPUTS_MOST = 64, HOST_CALL_TENSORS_MOST = 64 };

enum host_recipe_kind {
    HOST_RECIPE_NONE,  // not known beforehand: invoked call by call
    HOST_RECIPE_CALLS, // prepared kernels, call by call
    // A product with a constant matrix, what scales its input back, and elementwise calls after it.
    HOST_RECIPE_PRODUCT,
    HOST_RECIPE_CHAIN, // all calls are elementwise, of one shape
    // One call on images, what scales its inputs back, and elementwise calls after it:
    HOST_RECIPE_CONVOLUTION,
    HOST_RECIPE_QUANTIZED, // a convolution whose kernel takes and gives images either way
    HOST_RECIPE_SPREAD,    // ConvTranspose whose windows lie side by side
    HOST_RECIPE_POOL,
    HOST_RECIPE_JOIN,    // Concat of channels
    HOST_RECIPE_RESIZE,  // whose kernel takes dimensions in any order
    HOST_RECIPE_SCALE,   // a normalization by constants, which has a factor and a sum for each
                         // channel
    HOST_RECIPE_SHUFFLE, // of channels: three calls, of which the first counts as the main one
    HOST_RECIPE_PART,    // some channels
};

struct host_recipe {
    enum host_recipe_kind kind;
    uint32_t main; // of the calls of the task
    // What comes right after the main call and is done along with it: a normalization after a
    // convolution, whose weights take it over, or after a Concat, the addition of a vector after a
    // product. Its call, PROGRAM_NONE.
    uint32_t taken;
    // Groups of channels that are shuffled by CHANNELS_SHUFFLE_NODES calls from `shuffle` on; 0:
    // none are.
    int64_t groups;
    uint32_t shuffle;
    // By input of the main call: the call that scales it back, PROGRAM_NONE.
    uint32_t before[HOST_RECIPE_INPUTS_MOST];
};

static inline const struct program_call *host_recipe_call(const struct host_machine *machine,
                                                          const struct program_task *task,
                                                          uint32_t index)
{
    return &machine->program->calls[task->first_call + index];
}

static inline const struct network_node *host_recipe_node(const struct host_machine *machine,
                                                          const struct program_task *task,
                                                          uint32_t index)
{
    return network_node(machine->network, host_recipe_call(machine, task, index)->node);
}

// The buffer that a value lies in for a task; PROGRAM_NONE: none of its calls has it.
uint32_t host_recipe_buffer(const struct host_machine *machine, const struct program_task *task,
                            uint32_t value);

// The tensors of a call; ELEMENT_NONE where one is left out. Constants alone have data, at any
// address.
struct tensor host_recipe_input(const struct host_machine *machine, const struct program_call *call,
                                uint32_t index);
struct tensor host_recipe_output(const struct host_machine *machine,
                                 const struct program_call *call, uint32_t index);

// A call that is to be prepared: its plan is over what stands beside it.
struct host_call {
    struct tensor tensors[HOST_CALL_TENSORS_MOST]; // inputs, then outputs
    bool fixed[HOST_CALL_TENSORS_MOST];
    uint32_t inputs, outputs;
    struct prepared_plan plan;
};

// As it stands. False when it has more tensors.
bool host_recipe_plan(const struct host_machine *machine, const struct program_call *call,
                      struct host_call *out_call);

// Whether the call scales an input of the main call back.
bool host_recipe_is_before(const struct host_recipe *recipe, uint32_t call);

// Whether what computes this may have another recipe than a prepared call or a chain.
bool host_recipe_knows(enum operator_function function);

struct host_recipe host_recipe_find(const struct host_machine *machine,
                                    const struct program_task *task);

// Whether a tensor is an image that has two layouts: rank 4, of f32 or bytes, with more
// than one channel and more than one pixel.
bool host_recipe_is_image(const struct tensor *tensor);

#endif
