#include "host_build.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/chain_nodes.h"

// A task in the making.
struct builder {
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

static struct host_step *add_step(struct builder *builder, enum host_step_kind kind)
{
    struct host_step_list *list = builder->list;
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    struct host_step *step = &list->items[list->count++];
    *step = (struct host_step){.kind = kind};
    return step;
}

static void step_free(struct host_step *step)
{
    prepared_free(step->call);
    fused_convolution_free(step->convolution);
    free(step->chain);
}

void host_step_list_free(struct host_step_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        step_free(&list->items[i]);
    free(list->items);
    *list = (struct host_step_list){0};
}

// Memory ------------------------------------------------------------------------------------

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

// Every tensor of every call, as f32 and in another layout once more.
uint64_t host_build_scratch(const struct host_machine *machine, const struct program_task *task)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = host_recipe_call(machine, task, i);
        const struct network_node *node = network_node(machine->network, call->node);
        const uint32_t *buffers = machine->program->call_buffers + call->first_buffer;
        for (uint32_t j = 0; j < node->input_count + node->output_count; j++) {
            if (buffers[j] == PROGRAM_NONE)
                continue;
            const struct program_buffer *buffer = &machine->program->buffers[buffers[j]];
            const uint64_t each = buffer->element == ELEMENT_F32 ? 1 : 4;
            if (buffer->kind != PROGRAM_BUFFER_CONSTANT)
                bytes += 2 * aligned(each * buffer->size) + aligned(buffer->size);
        }
    }
    return bytes;
}

static void *take_scratch(struct builder *builder, uint64_t bytes)
{
    void *data = builder->build->scratch + builder->used;
    builder->used += aligned(bytes);
    return builder->used <= builder->build->scratch_bytes ? data : NULL;
}

static bool is_in_memory(const struct builder *builder, uint32_t buffer)
{
    return builder->machine->program->buffers[buffer].kind != PROGRAM_BUFFER_PIPELINE;
}

// Where a buffer lies, in the layout that it has: that of the task for what passes inside.
static void *data_of(struct builder *builder, uint32_t buffer)
{
    const struct program_buffer *item = &builder->machine->program->buffers[buffer];
    if (is_in_memory(builder, buffer))
        return host_buffer_address(builder->machine, item);
    for (uint32_t i = 0; i < builder->inner_count; i++) {
        if (builder->inner[i].buffer == buffer)
            return builder->inner[i].data;
    }
    if (builder->inner_count == HOST_CALL_TENSORS_MOST)
        return NULL;
    void *data = take_scratch(builder, item->size);
    builder->inner[builder->inner_count].buffer = buffer;
    builder->inner[builder->inner_count++].data = data;
    return data;
}

// Layouts -----------------------------------------------------------------------------------

static struct tensor tensor_of(const struct builder *builder, uint32_t buffer)
{
    const struct program_buffer *item = &builder->machine->program->buffers[buffer];
    struct tensor tensor = {(enum element)item->element, {item->rank, {0}}, NULL};
    memcpy(tensor.shape.dims, item->dims, item->rank * sizeof *item->dims);
    return tensor;
}

static void add_turn(struct builder *builder, bool to_last, const struct tensor *image,
                     const void *source, void *result)
{
    struct host_step *step = add_step(builder, to_last ? HOST_STEP_TO_LAST : HOST_STEP_TO_FIRST);
    step->element = image->element;
    step->source = source;
    step->result = result;
    step->batch = (uint64_t)image->shape.dims[0];
    step->channels = (uint64_t)image->shape.dims[1];
    step->pixels = (uint64_t)(image->shape.dims[2] * image->shape.dims[3]);
}

// What the task reads of a buffer that lies in a memory, in the layout that it wants.
static const void *read_as(struct builder *builder, uint32_t buffer, bool last)
{
    void *data = data_of(builder, buffer);
    const struct tensor tensor = tensor_of(builder, buffer);
    if (data == NULL || !is_in_memory(builder, buffer) || !host_recipe_is_image(&tensor) ||
        builder->build->last[buffer] == last)
        return data;
    void *turned = take_scratch(builder, tensor_bytes(&tensor));
    if (turned != NULL)
        add_turn(builder, last, &tensor, data, turned);
    return turned;
}

// Where the task puts a buffer's contents in the layout that it has; `write_done` turns them.
static void *write_as(struct builder *builder, uint32_t buffer, bool last)
{
    const struct tensor tensor = tensor_of(builder, buffer);
    if (!is_in_memory(builder, buffer) || !host_recipe_is_image(&tensor) ||
        builder->build->last[buffer] == last)
        return data_of(builder, buffer);
    return take_scratch(builder, tensor_bytes(&tensor));
}

static void write_done(struct builder *builder, uint32_t buffer, bool last, const void *data)
{
    const struct tensor tensor = tensor_of(builder, buffer);
    void *place = data_of(builder, buffer);
    if (data != place)
        add_turn(builder, !last, &tensor, data, place);
}

// Calls -------------------------------------------------------------------------------------

static bool add_call(struct builder *builder, uint32_t index)
{
    const struct program_call *call = host_recipe_call(builder->machine, builder->task, index);
    const uint32_t *buffers = builder->machine->program->call_buffers + call->first_buffer;
    struct tensor tensors[HOST_CALL_TENSORS_MOST];
    bool fixed[HOST_CALL_TENSORS_MOST];
    struct prepared_plan plan;
    if (!host_recipe_plan(builder->machine, call, tensors, fixed, &plan))
        return false;
    const uint32_t inputs = plan.node->input_count;
    for (uint32_t i = 0; i < inputs + plan.node->output_count; i++) {
        if (tensors[i].element == ELEMENT_NONE)
            continue;
        tensors[i].data = i < inputs ? (void *)(uintptr_t)read_as(builder, buffers[i], false)
                                     : write_as(builder, buffers[i], false);
        if (tensors[i].data == NULL)
            return false;
    }
    struct host_step *step = add_step(builder, HOST_STEP_CALL);
    step->call = prepared_create(&plan);
    for (uint32_t i = inputs; i < inputs + plan.node->output_count; i++) {
        if (tensors[i].element != ELEMENT_NONE)
            write_done(builder, buffers[i], false, tensors[i].data);
    }
    return true;
}

// Chains ------------------------------------------------------------------------------------

static struct chain *keep_chain(const struct chain *chain)
{
    struct chain *kept = memory_allocate(sizeof *kept);
    *kept = *chain;
    return kept;
}

// Inputs of a chain from `first` on, as the task wants them.
static bool read_inputs(struct builder *builder, const struct chain_nodes *nodes, uint32_t first,
                        const void **inputs)
{
    for (uint32_t i = first; i < nodes->chain.input_count; i++) {
        const uint32_t buffer =
            host_recipe_buffer(builder->machine, builder->task, nodes->inputs[i]);
        if (buffer == PROGRAM_NONE)
            return false;
        // What repeats itself has one layout.
        inputs[i - first] = nodes->chain.inputs[i].period > 0
                                ? data_of(builder, buffer)
                                : read_as(builder, buffer, nodes->layout == CHAIN_CHANNELS_LAST);
        if (inputs[i - first] == NULL)
            return false;
    }
    return true;
}

static const struct shape *places_of(const struct builder *builder, uint32_t call)
{
    const uint32_t value = host_recipe_node(builder->machine, builder->task, call)->outputs[0];
    return &network_value(builder->machine->network, value)->type.shape;
}

static bool read_outside(const struct builder *builder, uint32_t value, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < builder->task->call_count; i++) {
        const struct network_node *node = host_recipe_node(builder->machine, builder->task, i);
        for (uint32_t j = 0; (i < from || i >= to) && j < node->input_count; j++) {
            if (node->inputs[j] == value)
                return true;
        }
    }
    return false;
}

// Whether only the last of calls [from, to) gives what something else reads.
static bool is_one_piece(const struct builder *builder, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i + 1 < to; i++) {
        const struct program_call *call = host_recipe_call(builder->machine, builder->task, i);
        const struct network_node *node = network_node(builder->machine->network, call->node);
        const uint32_t buffer =
            builder->machine->program->call_buffers[call->first_buffer + node->input_count];
        if (buffer != PROGRAM_NONE && is_in_memory(builder, buffer))
            return false;
        if (read_outside(builder, node->outputs[0], from, to))
            return false;
    }
    return true;
}

// Calls [from, to) as one chain, if they are one.
static bool add_chain(struct builder *builder, uint32_t from, uint32_t to, bool last)
{
    struct chain_nodes nodes;
    chain_nodes_start(&nodes, builder->machine->network, places_of(builder, to - 1),
                      last ? CHAIN_CHANNELS_LAST : CHAIN_PLAIN);
    for (uint32_t i = from; i < to; i++) {
        if (!chain_nodes_add(&nodes, host_recipe_node(builder->machine, builder->task, i)))
            return false;
    }
    const uint32_t value = host_recipe_node(builder->machine, builder->task, to - 1)->outputs[0];
    const uint32_t buffer = host_recipe_buffer(builder->machine, builder->task, value);
    const void *inputs[CHAIN_INPUTS_MOST];
    if (buffer == PROGRAM_NONE || !chain_nodes_finish(&nodes) ||
        !read_inputs(builder, &nodes, 0, inputs))
        return false;
    void *result = write_as(builder, buffer, last);
    if (result == NULL)
        return false;
    struct host_step *step = add_step(builder, HOST_STEP_CHAIN);
    memcpy(step->others, inputs, sizeof inputs);
    step->chain = keep_chain(&nodes.chain);
    step->result = result;
    step->count = shape_count(&nodes.places);
    write_done(builder, buffer, last, result);
    return true;
}

// Call by call, those that make a chain together.
static bool add_calls(struct builder *builder)
{
    const uint32_t count = builder->task->call_count;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count &&
               chain_nodes_knows(builder->machine->network,
                                 host_recipe_node(builder->machine, builder->task, end)))
            end++;
        const size_t steps = builder->list->count;
        const uint64_t used = builder->used;
        while (end > i && !(is_one_piece(builder, i, end) && add_chain(builder, i, end, false))) {
            builder->list->count = steps; // only turns were added
            builder->used = used;
            end--;
        }
        if (end == i && !add_call(builder, end++))
            return false;
        i = end;
    }
    return true;
}

// Images ------------------------------------------------------------------------------------

static const struct network_node *main_node(const struct builder *builder)
{
    return host_recipe_node(builder->machine, builder->task, builder->recipe->main);
}

static uint32_t buffer_of(const struct builder *builder, uint32_t value)
{
    return host_recipe_buffer(builder->machine, builder->task, value);
}

// The value that input `index` of the main call is made of: itself, or what is scaled back.
static uint32_t source_of(const struct builder *builder, uint32_t index)
{
    const uint32_t before = builder->recipe->before[index];
    return before == PROGRAM_NONE
               ? main_node(builder)->inputs[index]
               : host_recipe_node(builder->machine, builder->task, before)->inputs[0];
}

// The chain that scales input `index` back; false when there is none to be had.
static bool chain_before(const struct builder *builder, uint32_t index, struct chain_nodes *nodes)
{
    const struct network *network = builder->machine->network;
    const uint32_t call = builder->recipe->before[index];
    chain_nodes_start(nodes, network, places_of(builder, call), CHAIN_CHANNELS_LAST);
    return chain_nodes_add(nodes, host_recipe_node(builder->machine, builder->task, call));
}

static bool is_behind(const struct builder *builder, uint32_t call)
{
    return call != builder->recipe->main && call != builder->recipe->scale &&
           !host_recipe_is_before(builder->recipe, call);
}

static bool add_behind(const struct builder *builder, struct chain_nodes *nodes)
{
    for (uint32_t i = 0; i < builder->task->call_count; i++) {
        if (is_behind(builder, i) &&
            !chain_nodes_add(nodes, host_recipe_node(builder->machine, builder->task, i)))
            return false;
    }
    return true;
}

// The chain behind the main call: its input 0 is what that gives. `*out_some` is false, and
// there is none, when nothing comes behind.
static bool chain_behind(const struct builder *builder, struct chain_nodes *nodes, bool *out_some)
{
    const struct host_recipe *recipe = builder->recipe;
    const uint32_t value =
        host_recipe_node(builder->machine, builder->task,
                         recipe->scale != PROGRAM_NONE ? recipe->scale : recipe->main)
            ->outputs[0];
    chain_nodes_start(nodes, builder->machine->network, places_of(builder, recipe->main),
                      CHAIN_CHANNELS_LAST);
    *out_some = false;
    for (uint32_t i = 0; i < builder->task->call_count; i++)
        *out_some = *out_some || is_behind(builder, i);
    return !*out_some ||
           (chain_nodes_input(nodes, value,
                              tensor_of(builder, buffer_of(builder, value)).element) &&
            add_behind(builder, nodes) && chain_nodes_finish(nodes));
}

// The only buffer that the task writes.
static uint32_t result_buffer(const struct builder *builder)
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

static const float *constant_data(struct builder *builder, uint32_t input)
{
    const struct network_node *node = main_node(builder);
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return NULL;
    const struct constant *constant =
        network_value(builder->machine->network, node->inputs[input])->constant;
    // Weights are packed anyway: they need not be aligned as tensors are.
    if (!constant->packed && (uintptr_t)constant->tensor.data % sizeof(float) == 0)
        return constant->tensor.data;
    return data_of(builder, buffer_of(builder, node->inputs[input]));
}

static bool describe_convolution(const struct builder *builder, struct convolution *c)
{
    const struct program_call *call =
        host_recipe_call(builder->machine, builder->task, builder->recipe->main);
    const struct network_node *node = main_node(builder);
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

// What a normalization behind a convolution multiplies with and adds, by channel.
struct scale {
    float *factors; // NULL: there is none
    float *bias;
};

static struct scale scale_of(const struct builder *builder, const float *bias)
{
    if (builder->recipe->scale == PROGRAM_NONE)
        return (struct scale){0};
    const struct network_node *node =
        host_recipe_node(builder->machine, builder->task, builder->recipe->scale);
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

static struct fused_convolution *make_convolution(const struct builder *builder,
                                                  struct fused_convolution_plan *plan)
{
    const struct scale scale = scale_of(builder, plan->bias);
    plan->scales = scale.factors;
    plan->bias = scale.bias != NULL ? scale.bias : plan->bias;
    struct fused_convolution *made = fused_convolution_create(plan);
    free(scale.factors);
    free(scale.bias);
    return made;
}

static bool add_convolution(struct builder *builder)
{
    struct chain_nodes before, after;
    bool has_after;
    const bool has_before = builder->recipe->before[0] != PROGRAM_NONE;
    struct fused_convolution_plan plan = {.weights = constant_data(builder, 1),
                                          .bias = constant_data(builder, 2),
                                          .blocks = builder->build->blocks};
    if (!describe_convolution(builder, &plan.convolution) ||
        (has_before && !(chain_before(builder, 0, &before) && chain_nodes_finish(&before))) ||
        !chain_behind(builder, &after, &has_after))
        return false;
    plan.before = has_before ? &before.chain : NULL;
    plan.after = has_after ? &after.chain : NULL;
    struct fused_convolution *convolution = make_convolution(builder, &plan);
    if (convolution == NULL)
        return false;
    const uint32_t result = result_buffer(builder);
    const void *others[CHAIN_INPUTS_MOST] = {0};
    const void *source = read_as(builder, buffer_of(builder, source_of(builder, 0)), true);
    void *place = write_as(builder, result, true);
    if (source == NULL || place == NULL ||
        (has_after && !read_inputs(builder, &after, 1, others))) {
        fused_convolution_free(convolution);
        return false;
    }
    struct host_step *step = add_step(builder, HOST_STEP_CONVOLUTION);
    step->convolution = convolution;
    step->source = source;
    step->result = place;
    memcpy(step->others, others, sizeof others);
    write_done(builder, result, true, place);
    return true;
}

// A step that runs `chain` over what lies in `source`.
static const void *add_chain_over(struct builder *builder, const struct chain_nodes *nodes,
                                  const void *const *inputs, uint64_t count, void *result)
{
    void *place =
        result != NULL ? result : take_scratch(builder, count * element_size(nodes->chain.result));
    if (place == NULL)
        return NULL;
    struct host_step *step = add_step(builder, HOST_STEP_CHAIN);
    memcpy(step->others, inputs, nodes->chain.input_count * sizeof *inputs);
    step->chain = keep_chain(&nodes->chain);
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

// All that is done to input `index` before and behind the main call, which only moves
// elements or chooses among them. False when it needs more than that input.
static bool chain_around(const struct builder *builder, uint32_t index, struct chain_nodes *nodes)
{
    const struct network *network = builder->machine->network;
    const uint32_t value = main_node(builder)->inputs[index];
    if (builder->recipe->before[index] == PROGRAM_NONE) {
        const struct tensor tensor = tensor_of(builder, buffer_of(builder, value));
        chain_nodes_start(nodes, network, &tensor.shape, CHAIN_CHANNELS_LAST);
        if (!chain_nodes_input(nodes, value, tensor.element))
            return false;
        nodes->chain.result = tensor.element;
    } else if (!chain_before(builder, index, nodes)) {
        return false;
    }
    chain_nodes_rename(nodes, main_node(builder)->outputs[0],
                       places_of(builder, builder->recipe->main));
    return add_behind(builder, nodes) && nodes->chain.input_count == 1 && chain_nodes_finish(nodes);
}

static uint64_t image_count(const struct builder *builder, uint32_t value)
{
    const struct tensor tensor = tensor_of(builder, buffer_of(builder, value));
    return tensor_count(&tensor);
}

static void fill_pool(const struct builder *builder, struct host_step *step)
{
    const struct network_node *node = main_node(builder);
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
    if (view_is(node->type, "GlobalAveragePool"))
        return HOST_STEP_MEAN;
    return view_is(node->type, "MaxPool") ? HOST_STEP_POOL_MAX : HOST_STEP_POOL_AVERAGE;
}

// With the largest of integers that are scaled to what they were before, integers will do.
static bool pools_integers(const struct builder *builder)
{
    struct chain_nodes around;
    return pool_kind(main_node(builder)) == HOST_STEP_POOL_MAX &&
           builder->recipe->before[0] != PROGRAM_NONE && chain_around(builder, 0, &around) &&
           changes_nothing(&around.chain);
}

static bool add_pool(struct builder *builder)
{
    const bool integers = pools_integers(builder);
    const uint32_t result = result_buffer(builder);
    struct chain_nodes before, after;
    bool has_after = false;
    const void *source = read_as(builder, buffer_of(builder, source_of(builder, 0)), true);
    void *place = write_as(builder, result, true);
    if (source == NULL || place == NULL ||
        (!integers && !chain_behind(builder, &after, &has_after)))
        return false;
    if (!integers && builder->recipe->before[0] != PROGRAM_NONE) {
        if (!chain_before(builder, 0, &before) || !chain_nodes_finish(&before))
            return false;
        source = add_chain_over(builder, &before, &source,
                                image_count(builder, source_of(builder, 0)), NULL);
    }
    const uint64_t count = image_count(builder, main_node(builder)->outputs[0]);
    void *pooled = has_after ? take_scratch(builder, count * sizeof(float)) : place;
    if (source == NULL || pooled == NULL)
        return false;
    struct host_step *step = add_step(builder, pool_kind(main_node(builder)));
    fill_pool(builder, step);
    step->element = integers || !has_after ? tensor_of(builder, result).element : ELEMENT_F32;
    step->source = source;
    step->result = pooled;
    const void *inputs[CHAIN_INPUTS_MOST] = {pooled};
    if (has_after && (!read_inputs(builder, &after, 1, inputs + 1) ||
                      add_chain_over(builder, &after, inputs, count, place) == NULL))
        return false;
    write_done(builder, result, true, place);
    return true;
}

static bool add_join(struct builder *builder)
{
    const struct network_node *node = main_node(builder);
    const uint32_t result = result_buffer(builder);
    const struct tensor joined = tensor_of(builder, result);
    void *place = write_as(builder, result, true);
    uint64_t at = 0;
    for (uint32_t i = 0; place != NULL && i < node->input_count; i++) {
        const uint32_t value = source_of(builder, i);
        const struct tensor part = tensor_of(builder, buffer_of(builder, value));
        const void *source = read_as(builder, buffer_of(builder, value), true);
        struct chain_nodes around;
        if (source == NULL || !chain_around(builder, i, &around))
            return false;
        if (around.chain.step_count > 1 && !changes_nothing(&around.chain))
            source = add_chain_over(builder, &around, &source, tensor_count(&part), NULL);
        if (source == NULL)
            return false;
        struct host_step *step = add_step(builder, HOST_STEP_JOIN);
        step->source = source;
        step->result = place;
        step->element = joined.element;
        step->pixels = (uint64_t)(part.shape.dims[0] * part.shape.dims[2] * part.shape.dims[3]);
        step->channels = (uint64_t)part.shape.dims[1];
        step->all_channels = (uint64_t)joined.shape.dims[1];
        step->at = at;
        at += step->channels;
    }
    if (place == NULL)
        return false;
    write_done(builder, result, true, place);
    return true;
}

// All together ------------------------------------------------------------------------------

static bool reads_last(const struct builder *builder)
{
    const struct program *program = builder->machine->program;
    for (uint32_t i = 0; i < builder->task->operand_count; i++) {
        const struct program_operand *operand =
            &program->operands[builder->task->first_operand + i];
        if (operand->writes == 0 && builder->build->last[operand->buffer])
            return true;
    }
    return false;
}

static bool add_recipe(struct builder *builder)
{
    switch (builder->recipe->kind) {
    case HOST_RECIPE_CHAIN:
        return reads_last(builder) && add_chain(builder, 0, builder->task->call_count, true);
    case HOST_RECIPE_CONVOLUTION:
        return add_convolution(builder);
    case HOST_RECIPE_POOL:
        return add_pool(builder);
    case HOST_RECIPE_JOIN:
        return reads_last(builder) && add_join(builder);
    default:
        return false;
    }
}

bool host_build_task(const struct host_build *build, const struct program_task *task,
                     const struct host_recipe *recipe, struct host_step_list *list)
{
    struct builder builder = {
        .build = build, .machine = build->machine, .task = task, .recipe = recipe, .list = list};
    if (recipe->kind == HOST_RECIPE_NONE)
        return false;
    if (add_recipe(&builder))
        return true;
    host_step_list_free(list);
    builder.used = 0;
    builder.inner_count = 0;
    if (add_calls(&builder))
        return true;
    host_step_list_free(list);
    return false;
}
