#include "host_build.h"

#include <stdlib.h>

#include "base/memory.h"
#include "host_builder.h"

struct host_step *host_builder_step(struct host_builder *builder, enum host_step_kind kind)
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
    image_join_free(step->join);
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

static uint64_t host_build_aligned(uint64_t bytes)
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
                bytes +=
                    2 * host_build_aligned(each * buffer->size) + host_build_aligned(buffer->size);
        }
    }
    return bytes;
}

void *host_builder_scratch(struct host_builder *builder, uint64_t bytes)
{
    void *data = builder->build->scratch + builder->used;
    builder->used += host_build_aligned(bytes);
    return builder->used <= builder->build->scratch_bytes ? data : NULL;
}

static bool is_in_memory(const struct host_builder *builder, uint32_t buffer)
{
    return builder->machine->program->buffers[buffer].kind != PROGRAM_BUFFER_PIPELINE;
}

// Where a buffer lies, in the layout that it has: that of the task for what passes inside.
void *host_builder_data(struct host_builder *builder, uint32_t buffer)
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
    void *data = host_builder_scratch(builder, item->size);
    builder->inner[builder->inner_count].buffer = buffer;
    builder->inner[builder->inner_count++].data = data;
    return data;
}

// Layouts -----------------------------------------------------------------------------------

struct tensor host_builder_tensor(const struct host_builder *builder, uint32_t buffer)
{
    const struct program_buffer *item = &builder->machine->program->buffers[buffer];
    struct tensor tensor = {(enum element)item->element, {item->rank, {0}}, NULL};
    memcpy(tensor.shape.dims, item->dims, item->rank * sizeof *item->dims);
    return tensor;
}

static void add_turn(struct host_builder *builder, bool to_last, const struct tensor *image,
                     const void *source, void *result)
{
    struct host_step *step =
        host_builder_step(builder, to_last ? HOST_STEP_TO_LAST : HOST_STEP_TO_FIRST);
    step->element = image->element;
    step->source = source;
    step->result = result;
    step->batch = (uint64_t)image->shape.dims[0];
    step->channels = (uint64_t)image->shape.dims[1];
    step->pixels = (uint64_t)(image->shape.dims[2] * image->shape.dims[3]);
}

// What the task reads of a buffer that lies in a memory, in the layout that it wants.
const void *host_builder_read(struct host_builder *builder, uint32_t buffer, bool last)
{
    void *data = host_builder_data(builder, buffer);
    const struct tensor tensor = host_builder_tensor(builder, buffer);
    if (data == NULL || !is_in_memory(builder, buffer) || !host_recipe_is_image(&tensor) ||
        builder->build->last[buffer] == last)
        return data;
    void *turned = host_builder_scratch(builder, tensor_bytes(&tensor));
    if (turned != NULL)
        add_turn(builder, last, &tensor, data, turned);
    return turned;
}

// Where the task puts a buffer's contents in the layout that it has; `write_done` turns them.
void *host_builder_write(struct host_builder *builder, uint32_t buffer, bool last)
{
    const struct tensor tensor = host_builder_tensor(builder, buffer);
    if (!is_in_memory(builder, buffer) || !host_recipe_is_image(&tensor) ||
        builder->build->last[buffer] == last)
        return host_builder_data(builder, buffer);
    return host_builder_scratch(builder, tensor_bytes(&tensor));
}

void host_builder_written(struct host_builder *builder, uint32_t buffer, bool last,
                          const void *data)
{
    const struct tensor tensor = host_builder_tensor(builder, buffer);
    void *place = host_builder_data(builder, buffer);
    if (data != place)
        add_turn(builder, !last, &tensor, data, place);
}

// Calls -------------------------------------------------------------------------------------

static bool host_build_add_call(struct host_builder *builder, uint32_t index)
{
    const struct program_call *call = host_recipe_call(builder->machine, builder->task, index);
    const uint32_t *buffers = builder->machine->program->call_buffers + call->first_buffer;
    struct host_call planned;
    if (!host_recipe_plan(builder->machine, call, &planned))
        return false;
    struct tensor *const tensors = planned.tensors;
    for (uint32_t i = 0; i < planned.inputs + planned.outputs; i++) {
        if (tensors[i].element == ELEMENT_NONE)
            continue;
        tensors[i].data = i < planned.inputs
                              ? (void *)(uintptr_t)host_builder_read(builder, buffers[i], false)
                              : host_builder_write(builder, buffers[i], false);
        if (tensors[i].data == NULL)
            return false;
    }
    struct host_step *step = host_builder_step(builder, HOST_STEP_CALL);
    step->call = prepared_create(&planned.plan);
    for (uint32_t i = planned.inputs; i < planned.inputs + planned.outputs; i++) {
        if (tensors[i].element != ELEMENT_NONE)
            host_builder_written(builder, buffers[i], false, tensors[i].data);
    }
    return true;
}

// Chains ------------------------------------------------------------------------------------

struct chain *host_builder_keep(const struct chain *chain)
{
    struct chain *kept = memory_allocate(sizeof *kept);
    *kept = *chain;
    return kept;
}

// Inputs of a chain from `first` on, as the task wants them.
bool host_builder_inputs(struct host_builder *builder, const struct chain_nodes *nodes,
                         uint32_t first, const void **inputs)
{
    for (uint32_t i = first; i < nodes->chain.input_count; i++) {
        const uint32_t buffer =
            host_recipe_buffer(builder->machine, builder->task, nodes->inputs[i]);
        if (buffer == PROGRAM_NONE)
            return false;
        // What repeats itself has one layout.
        inputs[i - first] =
            nodes->chain.inputs[i].period > 0
                ? host_builder_data(builder, buffer)
                : host_builder_read(builder, buffer, nodes->layout == CHAIN_CHANNELS_LAST);
        if (inputs[i - first] == NULL)
            return false;
    }
    return true;
}

const struct shape *host_builder_places(const struct host_builder *builder, uint32_t call)
{
    const uint32_t value = host_recipe_node(builder->machine, builder->task, call)->outputs[0];
    return &network_value(builder->machine->network, value)->type.shape;
}

static bool read_outside(const struct host_builder *builder, uint32_t value, uint32_t from,
                         uint32_t to)
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
static bool is_one_piece(const struct host_builder *builder, uint32_t from, uint32_t to)
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
static bool add_chain(struct host_builder *builder, uint32_t from, uint32_t to, bool last)
{
    struct chain_nodes nodes;
    chain_nodes_start(&nodes, builder->machine->network, host_builder_places(builder, to - 1),
                      last ? CHAIN_CHANNELS_LAST : CHAIN_PLAIN);
    for (uint32_t i = from; i < to; i++) {
        if (!chain_nodes_add(&nodes, host_recipe_node(builder->machine, builder->task, i)))
            return false;
    }
    const uint32_t value = host_recipe_node(builder->machine, builder->task, to - 1)->outputs[0];
    const uint32_t buffer = host_recipe_buffer(builder->machine, builder->task, value);
    const void *inputs[CHAIN_INPUTS_MOST];
    if (buffer == PROGRAM_NONE || !chain_nodes_finish(&nodes) ||
        !host_builder_inputs(builder, &nodes, 0, inputs))
        return false;
    void *result = host_builder_write(builder, buffer, last);
    if (result == NULL)
        return false;
    struct host_step *step = host_builder_step(builder, HOST_STEP_CHAIN);
    memcpy(step->others, inputs, sizeof inputs);
    step->chain = host_builder_keep(&nodes.chain);
    step->result = result;
    step->count = shape_count(&nodes.places);
    host_builder_written(builder, buffer, last, result);
    return true;
}

// Call by call, those that make a chain together.
static bool host_build_add_calls(struct host_builder *builder)
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
        if (end == i && !host_build_add_call(builder, end++))
            return false;
        i = end;
    }
    return true;
}

// All together ------------------------------------------------------------------------------

static bool host_build_reads_last(const struct host_builder *builder)
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

static bool add_recipe(struct host_builder *builder)
{
    builder->layout =
        builder->recipe->kind == HOST_RECIPE_PRODUCT ? CHAIN_PLAIN : CHAIN_CHANNELS_LAST;
    switch (builder->recipe->kind) {
    case HOST_RECIPE_PRODUCT:
        return host_product_add(builder);
    case HOST_RECIPE_CHAIN:
        return host_build_reads_last(builder) &&
               add_chain(builder, 0, builder->task->call_count, true);
    case HOST_RECIPE_CONVOLUTION:
        return host_images_add_convolution(builder);
    case HOST_RECIPE_QUANTIZED:
        return host_images_add_quantized(builder);
    case HOST_RECIPE_SPREAD:
        return host_images_add_spread(builder);
    case HOST_RECIPE_POOL:
        return host_images_add_pool(builder);
    case HOST_RECIPE_JOIN:
        return host_build_reads_last(builder) && host_images_add_join(builder);
    case HOST_RECIPE_RESIZE:
        return host_build_reads_last(builder) && host_images_add_resize(builder);
    case HOST_RECIPE_SCALE:
        return host_build_reads_last(builder) && host_images_add_scale(builder);
    case HOST_RECIPE_SHUFFLE:
        return host_build_reads_last(builder) && host_images_add_shuffle(builder);
    case HOST_RECIPE_PART:
        return host_build_reads_last(builder) && host_images_add_part(builder);
    default:
        return false;
    }
}

bool host_build_task(const struct host_build *build, const struct program_task *task,
                     const struct host_recipe *recipe, struct host_step_list *list)
{
    struct host_builder builder = {
        .build = build, .machine = build->machine, .task = task, .recipe = recipe, .list = list};
    if (recipe->kind == HOST_RECIPE_NONE)
        return false;
    if (add_recipe(&builder))
        return true;
    host_step_list_free(list);
    builder.used = 0;
    builder.inner_count = 0;
    if (host_build_add_calls(&builder))
        return true;
    host_step_list_free(list);
    return false;
}
