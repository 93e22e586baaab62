// What the parts of the builder share: a task whose steps are being put together.

#ifndef OPSCOPE_DEVICE_HOST_BUILDER_H
#define OPSCOPE_DEVICE_HOST_BUILDER_H

#include "host_build.h"
#include "kernels/chain_nodes.h"

// A task in the making.
struct host_builder {
    const struct host_build *build;
    const struct host_machine *machine;
    const struct program_task *task;
    const struct host_recipe *recipe;
    struct host_step_list *list;
    uint64_t used; // of the scratch memory
    // What a pipeline buffer of the task lies in: by call and output 0.
    struct {
        uint32_t buffer;
        void *data;
    } inner[HOST_CALL_TENSORS_MOST];
    uint32_t inner_count;
};

// Steps and memory (host_build.c) --------------------------------------------------------------

struct host_step *host_builder_step(struct host_builder *builder, enum host_step_kind kind);

// Memory for the time of the task. NULL when there is none left.
void *host_builder_scratch(struct host_builder *builder, uint64_t bytes);

// Where a buffer lies, in the layout that it has: that of the task for what passes inside.
void *host_builder_data(struct host_builder *builder, uint32_t buffer);
struct tensor host_builder_tensor(const struct host_builder *builder, uint32_t buffer);

// What the task reads of a buffer in the layout that it wants; a step turns it if need be.
const void *host_builder_read(struct host_builder *builder, uint32_t buffer, bool last);

// Where the task puts a buffer's contents in the layout that it has, and the step that turns them
// when they are there.
void *host_builder_write(struct host_builder *builder, uint32_t buffer, bool last);
void host_builder_written(struct host_builder *builder, uint32_t buffer, bool last,
                          const void *data);

struct chain *host_builder_keep(const struct chain *chain);

// Inputs of a chain from `first` on. False when one is not to be had.
bool host_builder_inputs(struct host_builder *builder, const struct chain_nodes *nodes,
                         uint32_t first, const void **inputs);

// The shape of what a call gives.
const struct shape *host_builder_places(const struct host_builder *builder, uint32_t call);

// Images with the channels last (host_images.c) ----------------------------------------------
// False when the task is not to be had this way; steps may have been added.

bool host_images_add_convolution(struct host_builder *builder);
bool host_images_add_spread(struct host_builder *builder);
bool host_images_add_pool(struct host_builder *builder);
bool host_images_add_join(struct host_builder *builder);
bool host_images_add_resize(struct host_builder *builder);
bool host_images_add_scale(struct host_builder *builder);

#endif
