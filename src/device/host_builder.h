// What the parts of the builder share: a task whose steps are being put together.

#ifndef OPSCOPE_DEVICE_HOST_BUILDER_H
#define OPSCOPE_DEVICE_HOST_BUILDER_H

#include "host_build.h"
#include "kernels/chain_nodes.h"
#include "kernels/core/loose.h"

// A task in the making.
struct host_builder {
    const struct host_build *build;
    const struct host_machine *machine;
    const struct program_task *task;
    const struct host_recipe *recipe;
    struct host_step_list *list;
    enum chain_layout layout; // of the places of its chains
    uint64_t used;            // of the scratch memory
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

// What is before and after the main call (host_around.c) -------------------------------------

const struct network_node *host_around_main(const struct host_builder *builder);
uint32_t host_around_buffer(const struct host_builder *builder, uint32_t value);

// The value that input `index` of the main call is made of: itself, or what is scaled back.
uint32_t host_around_source(const struct host_builder *builder, uint32_t index);

// The chain that scales input `index` back; false when there is none to be had.
bool host_around_before(const struct host_builder *builder, uint32_t index,
                        struct chain_nodes *nodes);

// The calls after the main one, as steps of a chain that is begun.
bool host_around_add_followers(const struct host_builder *builder, struct chain_nodes *nodes);

// The chain after the main call, with what a Gemm adds to its product: its input 0 is what the main
// call gives without that. `*out_some` is false, and there is none, when nothing comes after it.
bool host_around_followers(const struct host_builder *builder, struct chain_nodes *nodes,
                           bool *out_some);

// The only buffer that the task writes.
uint32_t host_around_result(const struct host_builder *builder);

// The numbers of an input of the main call that is a constant; NULL: it is left out.
const loose_float *host_around_constant(struct host_builder *builder, uint32_t input);

// The step that convolves input 0 of the main call, with the chain after it or NULL. False when
// there is nothing quick for it.
bool host_around_convolve(struct host_builder *builder, const struct fused_convolution_plan *plan,
                          const struct chain_nodes *after);

// Products with a constant matrix (host_product.c). As those below.
bool host_product_add(struct host_builder *builder);

// Images with the channels last (host_images.c) ----------------------------------------------
// False when the task is not to be had this way; steps may have been added.

bool host_images_add_convolution(struct host_builder *builder);
bool host_images_add_quantized(struct host_builder *builder);
bool host_images_add_spread(struct host_builder *builder);
bool host_images_add_pool(struct host_builder *builder);
bool host_images_add_join(struct host_builder *builder);
bool host_images_add_resize(struct host_builder *builder);
bool host_images_add_scale(struct host_builder *builder);
bool host_images_add_shuffle(struct host_builder *builder);
bool host_images_add_part(struct host_builder *builder);

#endif
