// Tasks whose main call works on images with the channels last.

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "host_builder.h"
#include "network/onnx/channels.h"

enum { GROUPS_MOST = 64 }; // of channels that are shuffled

static bool host_images_describe_convolution(const struct host_builder *builder,
                                             struct convolution *c)
{
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const struct network_node *node = host_around_main(builder);
    const struct tensor x = host_recipe_input(builder->machine, call, 0);
    const struct tensor weights = host_recipe_input(builder->machine, call, 1);
    struct window window;
    const status failure =
        window_resolve(node->attributes, 2, x.shape.dims + 2, weights.shape.dims + 2, &window);
    if (failure != STATUS_OK) {
        status_free(failure);
        return false;
    }
    *c = (struct convolution){.spatial = 2, .batch = x.shape.dims[0]};
    c->groups = attribute_integer(node->attributes, "group", 1);
    c->inputs = x.shape.dims[1] / c->groups;
    c->outputs = weights.shape.dims[0] / c->groups;
    for (uint32_t i = 0; i < 2; i++) {
        c->input[i] = window.input[i];
        c->kernel[i] = window.kernel[i];
        c->output[i] = window.output[i];
        c->strides[i] = window.stride[i];
        c->dilations[i] = window.dilation[i];
        c->pads[i] = window.pad[i];
    }
    return true;
}

// What a normalization after a convolution multiplies with and adds, by channel.
struct scale {
    float *factors; // NULL: there is none
    float *bias;
};

static void scale_free(struct scale *scale)
{
    free(scale->factors);
    free(scale->bias);
}

// Of a normalization by constants; `bias`: what was added before it, or NULL.
static struct scale scale_of(const struct host_builder *builder, const struct network_node *node,
                             const loose_float *bias)
{
    const struct constant *parameters[4]; // scale, bias, mean, variance
    for (uint32_t i = 0; i < 4; i++)
        parameters[i] = network_value(builder->machine->network, node->inputs[i + 1])->constant;
    const uint64_t count = tensor_count(&parameters[0]->tensor);
    const double epsilon = (double)(float)attribute_real(node->attributes, "epsilon", 1e-5);
    struct scale scale = {memory_allocate((count + 1) * sizeof(float)),
                          memory_allocate((count + 1) * sizeof(float))};
    for (uint64_t i = 0; i < count; i++) {
        const double factor =
            constant_real(parameters[0], i) / sqrt(constant_real(parameters[3], i) + epsilon);
        const double before = bias != NULL ? (double)bias[i] : 0;
        scale.factors[i] = (float)factor;
        scale.bias[i] = (float)((before - constant_real(parameters[2], i)) * factor +
                                constant_real(parameters[1], i));
    }
    return scale;
}

// What is infinite or NaN is so for other numbers when it is multiplied out.
static bool is_finite(const struct scale *scale, uint64_t count)
{
    for (uint64_t i = 0; i < count && scale->factors != NULL; i++) {
        if (!isfinite(scale->factors[i]) || !isfinite(scale->bias[i]))
            return false;
    }
    return true;
}

// The normalization that the weights take over, if there is one.
static struct scale take_scale(const struct host_builder *builder,
                               struct fused_convolution_plan *plan)
{
    struct scale scale = {0};
    if (builder->recipe->taken != PROGRAM_NONE)
        scale = scale_of(builder,
                         host_recipe_node(builder->machine, builder->task, builder->recipe->taken),
                         plan->bias);
    plan->scales = scale.factors;
    plan->bias = scale.bias != NULL ? scale.bias : plan->bias;
    return scale;
}

bool host_images_add_convolution(struct host_builder *builder)
{
    struct chain_nodes before, after;
    bool has_after;
    const bool has_before = builder->recipe->before[0] != PROGRAM_NONE;
    struct fused_convolution_plan plan = {.weights = host_around_constant(builder, 1),
                                          .bias = host_around_constant(builder, 2),
                                          .weights_stay = true,
                                          .blocks = builder->build->blocks};
    if (!host_images_describe_convolution(builder, &plan.convolution) ||
        (has_before && !(host_around_before(builder, 0, &before) && chain_nodes_finish(&before))) ||
        !host_around_followers(builder, &after, &has_after))
        return false;
    plan.before = has_before ? &before.chain : NULL;
    plan.after = has_after ? &after.chain : NULL;
    struct scale scale = take_scale(builder, &plan);
    const bool made =
        is_finite(&scale, (uint64_t)(plan.convolution.outputs * plan.convolution.groups)) &&
        host_around_convolve(builder, &plan, has_after ? &after : NULL);
    scale_free(&scale);
    return made;
}

// The convolution of single pixels that gives all pixels of a window at once: the weights of
// pixel after pixel of the window.
static struct fused_convolution *make_spread(struct host_builder *builder, const struct shape *in,
                                             const struct shape *kernel)
{
    const int64_t inputs = kernel->dims[0], outputs = kernel->dims[1];
    const int64_t places = kernel->dims[2] * kernel->dims[3];
    const loose_float *weights = host_around_constant(builder, 1);
    const loose_float *bias = host_around_constant(builder, 2);
    float *turned = memory_allocate((size_t)(inputs * outputs * places) * sizeof *turned);
    float *repeated = memory_allocate((size_t)(outputs * places) * sizeof *repeated);
    for (int64_t i = 0; i < places * outputs; i++) {
        const int64_t place = i / outputs, output = i % outputs;
        repeated[i] = bias != NULL ? bias[output] : 0;
        for (int64_t j = 0; j < inputs; j++)
            turned[i * inputs + j] = weights[(j * outputs + output) * places + place];
    }
    const struct fused_convolution_plan plan = {
        .convolution = {.spatial = 2,
                        .batch = in->dims[0],
                        .groups = 1,
                        .inputs = inputs,
                        .outputs = outputs * places,
                        .input = {in->dims[2], in->dims[3]},
                        .kernel = {1, 1},
                        .output = {in->dims[2], in->dims[3]},
                        .strides = {1, 1},
                        .dilations = {1, 1}},
        .weights = turned,
        .bias = bias != NULL ? repeated : NULL,
        .blocks = builder->build->blocks};
    struct fused_convolution *made = fused_convolution_create(&plan);
    free(turned);
    free(repeated);
    return made;
}

static bool add_spread_steps(struct host_builder *builder, const void *source, void *result)
{
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const struct tensor x = host_recipe_input(builder->machine, call, 0);
    const struct tensor weights = host_recipe_input(builder->machine, call, 1);
    const struct tensor y = host_recipe_output(builder->machine, call, 0);
    float *blocks = host_builder_scratch(builder, tensor_bytes(&y));
    if (blocks == NULL)
        return false;
    struct fused_convolution *convolution = make_spread(builder, &x.shape, &weights.shape);
    if (convolution == NULL)
        return false;
    struct host_step *step = host_builder_step(builder, HOST_STEP_CONVOLUTION);
    step->convolution = convolution;
    step->source = source;
    step->result = blocks;
    step = host_builder_step(builder, HOST_STEP_SPREAD);
    step->source = blocks;
    step->result = result;
    step->rows = (uint64_t)(x.shape.dims[0] * x.shape.dims[2]);
    step->columns = (uint64_t)x.shape.dims[3];
    step->high = (uint64_t)weights.shape.dims[2];
    step->wide = (uint64_t)(weights.shape.dims[3] * weights.shape.dims[1]);
    return true;
}

// A step that runs `chain` over what lies in `source`.
static const void *add_chain_over(struct host_builder *builder, const struct chain_nodes *nodes,
                                  const void *const *inputs, uint64_t count, void *result)
{
    void *place = result != NULL
                      ? result
                      : host_builder_scratch(builder, count * element_size(nodes->chain.result));
    if (place == NULL)
        return NULL;
    struct host_step *step = host_builder_step(builder, HOST_STEP_CHAIN);
    memcpy(step->others, inputs, nodes->chain.input_count * sizeof *inputs);
    step->chain = host_builder_keep(&nodes->chain);
    step->result = place;
    step->count = count;
    return place;
}

// Whether a chain gives the bytes that it takes.
static bool changes_nothing(const struct chain *chain)
{
    return chain->step_count == 3 && chain->input_count == 1 &&
           chain->steps[1].operation == CHAIN_LINEAR &&
           chain->steps[2].operation == CHAIN_QUANTIZE && chain->steps[1].left == 0 &&
           chain->steps[2].left == 1 && chain->inputs[0].element == chain->result &&
           chain->steps[2].a == chain->steps[1].a && chain->steps[1].b == chain->steps[2].b;
}

// All that is done to input `index` before and after the main call, which only moves
// elements or chooses among them; with a normalization of so many channels if that is not 0. False
// when it needs more than that input.
static bool chain_around(const struct host_builder *builder, uint32_t index, uint64_t scaled,
                         struct chain_nodes *nodes)
{
    const struct network *network = builder->machine->network;
    const uint32_t value = host_around_main(builder)->inputs[index];
    if (builder->recipe->before[index] == PROGRAM_NONE) {
        const struct tensor tensor =
            host_builder_tensor(builder, host_around_buffer(builder, value));
        chain_nodes_start(nodes, network, &tensor.shape, CHAIN_CHANNELS_LAST);
        if (!chain_nodes_input(nodes, value, tensor.element))
            return false;
        nodes->chain.result = tensor.element;
    } else if (!host_around_before(builder, index, nodes)) {
        return false;
    }
    if (scaled > 0 && !chain_nodes_scale(nodes, scaled))
        return false;
    const uint32_t last = scaled > 0 ? builder->recipe->taken : builder->recipe->main;
    chain_nodes_rename(nodes, host_recipe_node(builder->machine, builder->task, last)->outputs[0],
                       host_builder_places(builder, last));
    return host_around_add_followers(builder, nodes) &&
           nodes->chain.input_count == (scaled > 0 ? 3 : 1) && chain_nodes_finish(nodes);
}

static uint64_t image_count(const struct host_builder *builder, uint32_t value)
{
    const struct tensor tensor = host_builder_tensor(builder, host_around_buffer(builder, value));
    return tensor_count(&tensor);
}

static void fill_pool(const struct host_builder *builder, struct host_step *step)
{
    const struct network_node *node = host_around_main(builder);
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const struct tensor x = host_recipe_input(builder->machine, call, 0);
    const int64_t *kernel = NULL;
    step->batch = (uint64_t)x.shape.dims[0];
    step->channels = (uint64_t)x.shape.dims[1];
    step->pixels = (uint64_t)(x.shape.dims[2] * x.shape.dims[3]);
    if (step->kind == HOST_STEP_MEAN)
        return;
    attribute_integers(node->attributes, "kernel_shape", &kernel);
    // It was resolved before, when the call was found to be sure.
    status_free(window_resolve(node->attributes, 2, x.shape.dims + 2, kernel, &step->pool.window));
    step->pool.batch = x.shape.dims[0];
    step->pool.channels = x.shape.dims[1];
    step->pool.with_pads = attribute_integer(node->attributes, "count_include_pad", 0) != 0;
}

static enum host_step_kind pool_kind(const struct network_node *node)
{
    switch (node->definition->function) {
    case COMPUTES_GLOBAL_AVERAGE_POOL:
    case COMPUTES_REDUCE_MEAN:
        return HOST_STEP_MEAN;
    case COMPUTES_MAX_POOL:
        return HOST_STEP_POOL_MAX;
    default:
        return HOST_STEP_POOL_AVERAGE;
    }
}

// With the largest of integers that are scaled to what they were before, integers will do.
static bool pools_integers(const struct host_builder *builder)
{
    struct chain_nodes around;
    return pool_kind(host_around_main(builder)) == HOST_STEP_POOL_MAX &&
           builder->recipe->before[0] != PROGRAM_NONE && chain_around(builder, 0, 0, &around) &&
           changes_nothing(&around.chain);
}

bool host_images_add_pool(struct host_builder *builder)
{
    const bool integers = pools_integers(builder);
    const uint32_t result = host_around_result(builder);
    struct chain_nodes before, after;
    bool has_after = false;
    const void *source = host_builder_read(
        builder, host_around_buffer(builder, host_around_source(builder, 0)), true);
    void *place = host_builder_write(builder, result, true);
    if (source == NULL || place == NULL ||
        (!integers && !host_around_followers(builder, &after, &has_after)))
        return false;
    if (!integers && builder->recipe->before[0] != PROGRAM_NONE) {
        if (!host_around_before(builder, 0, &before) || !chain_nodes_finish(&before))
            return false;
        source = add_chain_over(builder, &before, &source,
                                image_count(builder, host_around_source(builder, 0)), NULL);
    }
    const uint64_t count = image_count(builder, host_around_main(builder)->outputs[0]);
    void *pooled = has_after ? host_builder_scratch(builder, count * sizeof(float)) : place;
    if (source == NULL || pooled == NULL)
        return false;
    struct host_step *step = host_builder_step(builder, pool_kind(host_around_main(builder)));
    fill_pool(builder, step);
    step->element =
        integers || !has_after ? host_builder_tensor(builder, result).element : ELEMENT_F32;
    step->source = source;
    step->result = pooled;
    const void *inputs[CHAIN_INPUTS_MOST] = {pooled};
    if (has_after && (!host_builder_inputs(builder, &after, 1, inputs + 1) ||
                      add_chain_over(builder, &after, inputs, count, place) == NULL))
        return false;
    host_builder_written(builder, result, true, place);
    return true;
}

// What stands for each dimension of an image, in the order of the layout with channels last.
static void *reordered(struct host_builder *builder, const struct tensor *list)
{
    const size_t size = element_size(list->element);
    char *data = blocks_take(builder->build->blocks, 4 * size);
    static const uint32_t ORDER[] = {0, 2, 3, 1};
    for (uint32_t i = 0; data != NULL && i < 4; i++)
        memcpy(data + i * size, (const char *)list->data + ORDER[i] * size, size);
    return data;
}

static void turn_shape(struct tensor *tensor)
{
    const struct shape shape = tensor->shape;
    tensor->shape.dims[1] = shape.dims[2];
    tensor->shape.dims[2] = shape.dims[3];
    tensor->shape.dims[3] = shape.dims[1];
}

// The kernel of the main call on images with the channels last, from `source` to `result`.
static bool add_turned_call(struct host_builder *builder, const void *source, void *result)
{
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    struct host_call planned;
    if (!host_recipe_plan(builder->machine, call, &planned))
        return false;
    struct tensor *const tensors = planned.tensors;
    for (uint32_t i = 1; i < planned.inputs; i++) {
        if (tensors[i].element != ELEMENT_NONE && tensor_count(&tensors[i]) > 0 &&
            (tensors[i].data = reordered(builder, &tensors[i])) == NULL)
            return false;
    }
    turn_shape(&tensors[0]);
    turn_shape(&tensors[planned.inputs]);
    tensors[0].data = (void *)(uintptr_t)source;
    tensors[planned.inputs].data = result;
    if (!prepared_is_sure(&planned.plan))
        return false;
    host_builder_step(builder, HOST_STEP_CALL)->call = prepared_create(&planned.plan);
    return true;
}

// A main call on images that `add_main` adds the steps of, and what comes after it.
static bool add_with_followers(struct host_builder *builder,
                               bool (*add_main)(struct host_builder *builder, const void *source,
                                                void *result))
{
    const uint32_t result = host_around_result(builder);
    struct chain_nodes after;
    bool has_after;
    if (builder->recipe->before[0] != PROGRAM_NONE ||
        !host_around_followers(builder, &after, &has_after))
        return false;
    const void *source = host_builder_read(
        builder, host_around_buffer(builder, host_around_main(builder)->inputs[0]), true);
    void *place = host_builder_write(builder, result, true);
    const struct tensor made = host_builder_tensor(
        builder, host_around_buffer(builder, host_around_main(builder)->outputs[0]));
    void *given = has_after ? host_builder_scratch(builder, tensor_bytes(&made)) : place;
    if (source == NULL || place == NULL || given == NULL || !add_main(builder, source, given))
        return false;
    const void *inputs[CHAIN_INPUTS_MOST] = {given};
    if (has_after && (!host_builder_inputs(builder, &after, 1, inputs + 1) ||
                      add_chain_over(builder, &after, inputs, tensor_count(&made), place) == NULL))
        return false;
    host_builder_written(builder, result, true, place);
    return true;
}

bool host_images_add_resize(struct host_builder *builder)
{
    return add_with_followers(builder, add_turned_call);
}

bool host_images_add_spread(struct host_builder *builder)
{
    return add_with_followers(builder, add_spread_steps);
}

// The kernel of the main call, from `source` as it lies to `result`.
static bool add_quantized_call(struct host_builder *builder, const void *source, void *result,
                               bool result_last)
{
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const uint32_t *buffers = builder->machine->program->call_buffers + call->first_buffer;
    struct host_call planned;
    if (!host_recipe_plan(builder->machine, call, &planned))
        return false;
    struct tensor *const tensors = planned.tensors;
    for (uint32_t i = 1; i < planned.inputs; i++) {
        if (tensors[i].element != ELEMENT_NONE &&
            (tensors[i].data = (void *)(uintptr_t)host_builder_read(builder, buffers[i], false)) ==
                NULL)
            return false;
    }
    tensors[0].data = (void *)(uintptr_t)source;
    tensors[planned.inputs].data = result;
    planned.plan.takes_last = builder->build->last[buffers[0]];
    planned.plan.gives_last = result_last;
    host_builder_step(builder, HOST_STEP_CALL)->call = prepared_create(&planned.plan);
    return true;
}

bool host_images_add_quantized(struct host_builder *builder)
{
    const struct network_node *node = host_around_main(builder);
    const uint32_t result = host_around_result(builder);
    struct chain_nodes after;
    bool has_after;
    if (builder->recipe->before[0] != PROGRAM_NONE ||
        !host_around_followers(builder, &after, &has_after))
        return false;
    const void *source = host_builder_data(builder, host_around_buffer(builder, node->inputs[0]));
    void *place =
        has_after ? host_builder_write(builder, result, true) : host_builder_data(builder, result);
    const struct tensor made =
        host_builder_tensor(builder, host_around_buffer(builder, node->outputs[0]));
    void *given = has_after ? host_builder_scratch(builder, tensor_bytes(&made)) : place;
    if (source == NULL || place == NULL || given == NULL ||
        !add_quantized_call(builder, source, given, has_after || builder->build->last[result]))
        return false;
    if (!has_after)
        return true;
    const void *inputs[CHAIN_INPUTS_MOST] = {given};
    if (!host_builder_inputs(builder, &after, 1, inputs + 1) ||
        add_chain_over(builder, &after, inputs, tensor_count(&made), place) == NULL)
        return false;
    host_builder_written(builder, result, true, place);
    return true;
}

// A copy that lives as long as the program does.
static const float *kept_numbers(const struct host_builder *builder, const float *numbers,
                                 uint64_t count)
{
    float *kept = blocks_take(builder->build->blocks, count * sizeof *kept);
    if (kept != NULL)
        memcpy(kept, numbers, count * sizeof *kept);
    return kept;
}

// Factors and sums of a normalization that was taken along, for all channels; false: of numbers
// that are not finite.
static bool take_join_scale(const struct host_builder *builder, uint64_t channels,
                            const float **out_factors, const float **out_sums)
{
    struct scale scale = scale_of(
        builder, host_recipe_node(builder->machine, builder->task, builder->recipe->taken), NULL);
    const bool finite = is_finite(&scale, channels);
    *out_factors = finite ? kept_numbers(builder, scale.factors, channels) : NULL;
    *out_sums = finite ? kept_numbers(builder, scale.bias, channels) : NULL;
    scale_free(&scale);
    return *out_factors != NULL && *out_sums != NULL;
}

// Input `index` of the joined image, from the channel `part->at` on.
static bool fill_part(struct host_builder *builder, uint32_t index, const float *factors,
                      const float *sums, struct image_part *part)
{
    const uint32_t value = host_around_source(builder, index);
    const uint32_t buffer = host_around_buffer(builder, value);
    const struct tensor tensor = host_builder_tensor(builder, buffer);
    struct chain_nodes around;
    part->source = host_builder_read(builder, buffer, true);
    part->channels = (uint64_t)tensor.shape.dims[1];
    part->step = part->channels;
    if (part->source == NULL ||
        !chain_around(builder, index, factors != NULL ? part->channels : 0, &around))
        return false;
    if (around.chain.step_count > 1 && !changes_nothing(&around.chain))
        part->chain = host_builder_keep(&around.chain);
    if (factors != NULL) {
        part->others[0] = factors + part->at;
        part->others[1] = sums + part->at;
    }
    return true;
}

// The channels of all parts in turns; false where these are not alike, or something is done to
// them.
static bool take_turns(struct image_join *join, uint64_t groups)
{
    if (groups != join->part_count)
        return false;
    for (uint32_t i = 0; i < join->part_count; i++) {
        if (join->parts[i].channels != join->parts[0].channels || join->parts[i].chain != NULL)
            return false;
        join->parts[i].at = i;
    }
    join->apart = groups;
    return true;
}

// The step that puts the parts in place, which the join is for; NULL: there is none, after all.
static bool add_join_step(struct host_builder *builder, struct image_join *join, void *place)
{
    const uint32_t result = host_around_result(builder);
    if (place == NULL) {
        image_join_free(join);
        return false;
    }
    struct host_step *step = host_builder_step(builder, HOST_STEP_JOIN);
    step->join = join;
    step->result = place;
    host_builder_written(builder, result, true, place);
    return true;
}

bool host_images_add_join(struct host_builder *builder)
{
    const struct network_node *node = host_around_main(builder);
    const uint32_t result = host_around_result(builder);
    const struct tensor joined = host_builder_tensor(builder, result);
    const uint64_t channels = (uint64_t)joined.shape.dims[1];
    void *place = host_builder_write(builder, result, true);
    const float *factors = NULL, *sums = NULL;
    struct image_join *join = image_join_create(node->input_count);
    join->pixels = (uint64_t)(joined.shape.dims[0] * joined.shape.dims[2] * joined.shape.dims[3]);
    join->channels = channels;
    join->size = (uint32_t)element_size(joined.element);
    bool sound = place != NULL && (builder->recipe->taken == PROGRAM_NONE ||
                                   take_join_scale(builder, channels, &factors, &sums));
    uint64_t at = 0;
    for (uint32_t i = 0; sound && i < node->input_count; i++) {
        join->parts[i].at = at;
        sound = fill_part(builder, i, factors, sums, &join->parts[i]);
        at += join->parts[i].channels;
    }
    sound = sound &&
            (builder->recipe->groups == 0 || take_turns(join, (uint64_t)builder->recipe->groups));
    return add_join_step(builder, join, sound ? place : NULL);
}

// An image that part of another is taken from, or whose channels are shuffled: a join with `parts`
// parts of the one that the main call reads, without these.
static struct image_join *join_of_one(struct host_builder *builder, uint32_t parts,
                                      const void **out_source, uint64_t *out_channels)
{
    const uint32_t buffer = host_around_buffer(builder, host_around_main(builder)->inputs[0]);
    const struct tensor image = host_builder_tensor(builder, buffer);
    const struct tensor made = host_builder_tensor(builder, host_around_result(builder));
    struct image_join *join = image_join_create(parts);
    join->pixels = (uint64_t)(image.shape.dims[0] * image.shape.dims[2] * image.shape.dims[3]);
    join->channels = (uint64_t)made.shape.dims[1];
    join->size = (uint32_t)element_size(image.element);
    *out_channels = (uint64_t)image.shape.dims[1];
    *out_source = host_builder_read(builder, buffer, true);
    return join;
}

bool host_images_add_shuffle(struct host_builder *builder)
{
    const uint64_t groups = (uint64_t)builder->recipe->groups;
    if (groups > GROUPS_MOST)
        return false;
    const void *source;
    uint64_t channels;
    struct image_join *join = join_of_one(builder, (uint32_t)groups, &source, &channels);
    join->apart = groups;
    for (uint64_t i = 0; source != NULL && i < groups; i++)
        join->parts[i] = (struct image_part){.source = (const char *)source +
                                                       i * (channels / groups) * join->size,
                                             .channels = channels / groups,
                                             .step = channels,
                                             .at = i};
    return add_join_step(
        builder, join,
        source != NULL ? host_builder_write(builder, host_around_result(builder), true) : NULL);
}

bool host_images_add_part(struct host_builder *builder)
{
    const struct network_node *node = host_around_main(builder);
    int64_t first;
    if (builder->task->call_count != 1 || !channels_part(builder->machine->network, node, &first))
        return false;
    const void *source;
    uint64_t channels;
    struct image_join *join = join_of_one(builder, 1, &source, &channels);
    if (source != NULL)
        join->parts[0] =
            (struct image_part){.source = (const char *)source + (uint64_t)first * join->size,
                                .channels = join->channels,
                                .step = channels};
    return add_join_step(
        builder, join,
        source != NULL ? host_builder_write(builder, host_around_result(builder), true) : NULL);
}

// Factors and sums of the main call, as inputs 1 and 2 of a chain.
static bool scale_inputs(const struct host_builder *builder, uint64_t channels, const void **inputs)
{
    struct scale scale = scale_of(builder, host_around_main(builder), NULL);
    const bool finite = is_finite(&scale, channels);
    inputs[1] = finite ? kept_numbers(builder, scale.factors, channels) : NULL;
    inputs[2] = finite ? kept_numbers(builder, scale.bias, channels) : NULL;
    scale_free(&scale);
    return inputs[1] != NULL && inputs[2] != NULL;
}

bool host_images_add_scale(struct host_builder *builder)
{
    const struct network_node *node = host_around_main(builder);
    const struct shape *places = host_builder_places(builder, builder->recipe->main);
    const uint64_t channels = (uint64_t)places->dims[1];
    const uint32_t result = host_around_result(builder);
    struct chain_nodes nodes;
    chain_nodes_start(&nodes, builder->machine->network, places, CHAIN_CHANNELS_LAST);
    if (builder->recipe->before[0] != PROGRAM_NONE ||
        !chain_nodes_input(&nodes, node->inputs[0], ELEMENT_F32) ||
        !chain_nodes_scale(&nodes, channels))
        return false;
    chain_nodes_rename(&nodes, node->outputs[0], places);
    const void *inputs[CHAIN_INPUTS_MOST] = {
        host_builder_read(builder, host_around_buffer(builder, node->inputs[0]), true)};
    void *place = host_builder_write(builder, result, true);
    if (!host_around_add_followers(builder, &nodes) || !chain_nodes_finish(&nodes) ||
        inputs[0] == NULL || place == NULL || !scale_inputs(builder, channels, inputs) ||
        !host_builder_inputs(builder, &nodes, 3, inputs + 3) ||
        add_chain_over(builder, &nodes, inputs, shape_count(places), place) == NULL)
        return false;
    host_builder_written(builder, result, true, place);
    return true;
}
