// Tasks whose main call is a product with a constant matrix: a convolution of single pixels, each a
// row of the first factor.

#include "host_builder.h"

// Whether the constant matrix lies as inputs x outputs.
static bool is_turned(const struct network_node *node)
{
    return node->definition->function != COMPUTES_GEMM ||
           attribute_integer(node->attributes, "transB", 0) == 0;
}

static struct convolution convolution_of(const struct host_builder *builder)
{
    const uint32_t inputs = is_turned(host_around_main(builder)) ? 0 : 1;
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const struct tensor a = host_recipe_input(builder->machine, call, 0);
    const struct tensor b = host_recipe_input(builder->machine, call, 1);
    const int64_t rows = (int64_t)shape_count_between(&a.shape, 0, a.shape.rank - 1);
    return (struct convolution){.spatial = 2,
                                .batch = 1,
                                .groups = 1,
                                .inputs = b.shape.dims[inputs],
                                .outputs = b.shape.dims[1 - inputs],
                                .input = {rows, 1},
                                .kernel = {1, 1},
                                .output = {rows, 1},
                                .strides = {1, 1},
                                .dilations = {1, 1}};
}

// The vector that the call after the product adds, or NULL.
static const float *bias_of(struct host_builder *builder)
{
    const uint32_t taken = builder->recipe->taken;
    if (taken == PROGRAM_NONE)
        return NULL;
    const struct network_node *node = host_recipe_node(builder->machine, builder->task, taken);
    const uint32_t product = host_around_main(builder)->outputs[0];
    return host_builder_data(
        builder, host_around_buffer(builder, node->inputs[node->inputs[0] == product ? 1 : 0]));
}

// Whether what the chain reads besides has an element for each place, each column, or one for all.
static bool reads_columns(struct chain_nodes *after, uint64_t rows, uint64_t columns)
{
    for (uint32_t i = 1; i < after->chain.input_count; i++) {
        struct chain_input *input = &after->chain.inputs[i];
        if (input->period == rows * columns)
            input->period = 0;
        if (input->period > 1 && input->period != columns)
            return false;
    }
    return true;
}

bool host_product_add(struct host_builder *builder)
{
    struct chain_nodes before, after;
    bool has_after;
    const bool has_before = builder->recipe->before[0] != PROGRAM_NONE;
    struct fused_convolution_plan plan = {.convolution = convolution_of(builder),
                                          .weights = host_around_constant(builder, 1),
                                          .weights_turned = is_turned(host_around_main(builder)),
                                          .by_panels = true,
                                          .bias = bias_of(builder),
                                          .weights_stay = true,
                                          .blocks = builder->build->blocks};
    if (host_around_main(builder)->input_count > 2 && builder->recipe->before[2] != PROGRAM_NONE)
        return false;
    if ((has_before && !(host_around_before(builder, 0, &before) && chain_nodes_finish(&before))) ||
        !host_around_followers(builder, &after, &has_after) ||
        (has_after && !reads_columns(&after, (uint64_t)plan.convolution.output[0],
                                     (uint64_t)plan.convolution.outputs)))
        return false;
    plan.before = has_before ? &before.chain : NULL;
    plan.after = has_after ? &after.chain : NULL;
    return host_around_convolve(builder, &plan, has_after ? &after : NULL);
}
