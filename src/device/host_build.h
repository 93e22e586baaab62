// Steps of a task, and how they are put together.

#ifndef OPSCOPE_DEVICE_HOST_BUILD_H
#define OPSCOPE_DEVICE_HOST_BUILD_H

#include "host_recipe.h"
#include "kernels/core/fused_convolution.h"
#include "kernels/core/image_join.h"
#include "kernels/core/images.h"

enum host_step_kind {
    HOST_STEP_CALL,
    HOST_STEP_CHAIN,
    HOST_STEP_CONVOLUTION,
    HOST_STEP_POOL_MAX,
    HOST_STEP_POOL_AVERAGE,
    HOST_STEP_MEAN,
    HOST_STEP_JOIN,
    HOST_STEP_SPREAD,
    HOST_STEP_TO_LAST,
    HOST_STEP_TO_FIRST,
};

struct host_step {
    enum host_step_kind kind;
    enum element element; // of what images are made of
    const void *source;
    void *result;
    const void *others[CHAIN_INPUTS_MOST]; // inputs of a chain, those after a convolution
    struct prepared *call;
    struct chain *chain;
    struct fused_convolution *convolution;
    bool computed, settled; // the convolution, and its weights: host_steps.c
    struct image_join *join;
    struct images_pool pool;
    uint64_t count;            // places of a chain
    uint64_t pixels, channels; // of images
    uint64_t batch;
    uint64_t rows, columns; // of images that are spread,
    uint64_t high, wide;    // into blocks
};

struct host_step_list {
    struct host_step *items;
    size_t count;
    size_t capacity;
};

struct host_build {
    const struct host_machine *machine;
    const bool *last; // by buffer: channels last
    char *scratch;    // for what passes inside a task
    uint64_t scratch_bytes;
    struct blocks *blocks; // of packed weights
};

// How much memory the parts of a task may need besides the program's buffers.
uint64_t host_build_scratch(const struct host_machine *machine, const struct program_task *task);

// Fills `list`, which is empty. False when the task is to be invoked after all.
bool host_build_task(const struct host_build *build, const struct program_task *task,
                     const struct host_recipe *recipe, struct host_step_list *list);

void host_step_list_free(struct host_step_list *list);

#endif
