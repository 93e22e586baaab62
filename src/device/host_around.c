// What a task computes before and after its main call.

#include <string.h>

#include "base/memory.h"
#include "host_builder.h"

const struct network_node *host_around_main(const struct host_builder *builder)
{
    return host_recipe_node(builder->machine, builder->task, builder->recipe->main);
}

uint32_t host_around_buffer(const struct host_builder *builder, uint32_t value)
{
    return host_recipe_buffer(builder->machine, builder->task, value);
}

uint32_t host_around_source(const struct host_builder *builder, uint32_t index)
{
    const uint32_t before = builder->recipe->before[index];
    return before == PROGRAM_NONE
               ? host_around_main(builder)->inputs[index]
               : host_recipe_node(builder->machine, builder->task, before)->inputs[0];
}

bool host_around_before(const struct host_builder *builder, uint32_t index,
                        struct chain_nodes *nodes)
{
    const struct network *network = builder->machine->network;
    const uint32_t call = builder->recipe->before[index];
    chain_nodes_start(nodes, network, host_builder_places(builder, call), builder->layout);
    return chain_nodes_add(nodes, host_recipe_node(builder->machine, builder->task, call));
}

static bool host_around_follows(const struct host_builder *builder, uint32_t call)
{
    const struct host_recipe *recipe = builder->recipe;
    if (recipe->groups > 0 && call >= recipe->shuffle)
        return false;
    return call != recipe->main && call != recipe->taken && !host_recipe_is_before(recipe, call);
}

bool host_around_add_followers(const struct host_builder *builder, struct chain_nodes *nodes)
{
    for (uint32_t i = 0; i < builder->task->call_count; i++) {
        if (host_around_follows(builder, i) &&
            !chain_nodes_add(nodes, host_recipe_node(builder->machine, builder->task, i)))
            return false;
    }
    return true;
}

// What a Gemm adds to its product; NETWORK_NONE: nothing.
static uint32_t addend_of(const struct network_node *node)
{
    return node->definition->function == COMPUTES_GEMM && node->input_count > 2 ? node->inputs[2]
                                                                                : NETWORK_NONE;
}

bool host_around_followers(const struct host_builder *builder, struct chain_nodes *nodes,
                           bool *out_some)
{
    const struct host_recipe *recipe = builder->recipe;
    const uint32_t value =
        host_recipe_node(builder->machine, builder->task,
                         recipe->taken != PROGRAM_NONE ? recipe->taken : recipe->main)
            ->outputs[0];
    chain_nodes_start(nodes, builder->machine->network, host_builder_places(builder, recipe->main),
                      builder->layout);
    const uint32_t addend = addend_of(host_around_main(builder));
    *out_some = addend != NETWORK_NONE;
    for (uint32_t i = 0; i < builder->task->call_count; i++)
        *out_some = *out_some || host_around_follows(builder, i);
    return !*out_some ||
           (chain_nodes_input(
                nodes, value,
                host_builder_tensor(builder, host_around_buffer(builder, value)).element) &&
            (addend == NETWORK_NONE || chain_nodes_add_value(nodes, addend)) &&
            host_around_add_followers(builder, nodes) && chain_nodes_finish(nodes));
}

uint32_t host_around_result(const struct host_builder *builder)
{
    const struct program *program = builder->machine->program;
    for (uint32_t i = 0; i < builder->task->operand_count; i++) {
        const struct program_operand *operand =
            &program->operands[builder->task->first_operand + i];
        if (operand->writes != 0)
            return operand->buffer;
    }
    return PROGRAM_NONE;
}

const loose_float *host_around_constant(struct host_builder *builder, uint32_t input)
{
    const struct network_node *node = host_around_main(builder);
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return NULL;
    const struct constant *constant =
        network_value(builder->machine->network, node->inputs[input])->constant;
    // Weights are packed anyway: they need not be aligned as tensors are, nor stay.
    if (!constant->packed)
        return constant->tensor.data;
    return host_builder_data(builder, host_around_buffer(builder, node->inputs[input]));
}

bool host_around_convolve(struct host_builder *builder, const struct fused_convolution_plan *plan,
                          const struct chain_nodes *after)
{
    const bool last = builder->layout == CHAIN_CHANNELS_LAST;
    const uint32_t result = host_around_result(builder);
    const void *others[CHAIN_INPUTS_MOST] = {0};
    struct fused_convolution *convolution = fused_convolution_create(plan);
    if (convolution == NULL)
        return false;
    const void *source = host_builder_read(
        builder, host_around_buffer(builder, host_around_source(builder, 0)), last);
    void *place = host_builder_write(builder, result, last);
    if (source == NULL || place == NULL ||
        (after != NULL && !host_builder_inputs(builder, after, 1, others))) {
        fused_convolution_free(convolution);
        return false;
    }
    struct host_step *step = host_builder_step(builder, HOST_STEP_CONVOLUTION);
    step->convolution = convolution;
    step->source = source;
    step->result = place;
    memcpy(step->others, others, sizeof others);
    host_builder_written(builder, result, last, place);
    return true;
}
