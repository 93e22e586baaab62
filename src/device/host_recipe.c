#include "host_recipe.h"

#include "kernels/chain_nodes.h"
#include "kernels/prepared.h"
#include "network/onnx/channels.h"
#include "network/onnx/axes.h"

uint32_t host_recipe_buffer(const struct host_machine *machine, const struct program_task *task,
                            uint32_t value)
{
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = host_recipe_call(machine, task, i);
        const struct network_node *node = network_node(machine->network, call->node);
        const uint32_t *buffers = machine->program->call_buffers + call->first_buffer;
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == value)
                return buffers[j];
        }
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (node->outputs[j] == value)
                return buffers[node->input_count + j];
        }
    }
    return PROGRAM_NONE;
}

static struct tensor host_recipe_tensor_of(const struct host_machine *machine, uint32_t id)
{
    if (id == PROGRAM_NONE)
        return (struct tensor){.element = ELEMENT_NONE};
    const struct program_buffer *buffer = &machine->program->buffers[id];
    struct tensor tensor = {(enum element)buffer->element, {buffer->rank, {0}}, NULL};
    memcpy(tensor.shape.dims, buffer->dims, buffer->rank * sizeof *buffer->dims);
    if (buffer->kind == PROGRAM_BUFFER_CONSTANT && buffer->value != PROGRAM_NONE &&
        network_value(machine->network, buffer->value)->constant != NULL)
        tensor.data = network_value(machine->network, buffer->value)->constant->tensor.data;
    return tensor;
}

struct tensor host_recipe_input(const struct host_machine *machine, const struct program_call *call,
                                uint32_t index)
{
    return host_recipe_tensor_of(machine,
                                 machine->program->call_buffers[call->first_buffer + index]);
}

struct tensor host_recipe_output(const struct host_machine *machine,
                                 const struct program_call *call, uint32_t index)
{
    const uint32_t inputs = network_node(machine->network, call->node)->input_count;
    return host_recipe_tensor_of(
        machine, machine->program->call_buffers[call->first_buffer + inputs + index]);
}

bool host_recipe_plan(const struct host_machine *machine, const struct program_call *call,
                      struct host_call *out_call)
{
    const struct network_node *node = network_node(machine->network, call->node);
    if (node->input_count + node->output_count > HOST_CALL_TENSORS_MOST)
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        out_call->tensors[i] = host_recipe_input(machine, call, i);
        out_call->fixed[i] = node->inputs[i] != NETWORK_NONE &&
                             network_value(machine->network, node->inputs[i])->constant != NULL;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        out_call->tensors[node->input_count + i] = host_recipe_output(machine, call, i);
    out_call->inputs = node->input_count;
    out_call->outputs = node->output_count;
    out_call->plan = (struct prepared_plan){
        .network = machine->network,
        .node = node,
        .run = machine->kernels[call->node],
        .inputs = out_call->tensors,
        .fixed = out_call->fixed,
        .outputs = out_call->tensors + node->input_count,
        .runner = executor_runner(machine->executor),
    };
    return true;
}

bool host_recipe_is_image(const struct tensor *tensor)
{
    const struct shape *shape = &tensor->shape;
    return (tensor->element == ELEMENT_F32 || tensor->element == ELEMENT_U8 ||
            tensor->element == ELEMENT_I8) &&
           shape->rank == 4 && shape->dims[0] > 0 && shape->dims[1] > 1 &&
           shape->dims[2] * shape->dims[3] > 1;
}

// Known beforehand? -----------------------------------------------------------------------

// Whether a buffer holds the whole of a value, whose type is sure.
static bool host_recipe_is_whole(const struct host_machine *machine, uint32_t id, uint32_t value)
{
    const struct program_buffer *buffer = &machine->program->buffers[id];
    const struct network_value *item = network_value(machine->network, value);
    const struct shape *shape =
        item->constant != NULL ? &item->constant->tensor.shape : &item->type.shape;
    const enum element element =
        item->constant != NULL ? item->constant->tensor.element : item->type.element;
    const struct tensor tensor = host_recipe_tensor_of(machine, id);
    return buffer->kind != PROGRAM_BUFFER_DYNAMIC && buffer->value == value &&
           (item->constant != NULL || value_type_static(&item->type)) &&
           tensor.element == element && element != ELEMENT_TEXT && !element_is_block(element) &&
           shape_equal(&tensor.shape, shape) && tensor_bytes(&tensor) == buffer->size;
}

// Whether the operator gives what was planned.
static bool is_sure(const struct host_machine *machine, const struct program_call *call)
{
    struct host_call planned;
    return host_recipe_plan(machine, call, &planned) && prepared_is_sure(&planned.plan);
}

static bool host_recipe_is_known(const struct host_machine *machine,
                                 const struct program_call *call)
{
    const struct network_node *node = network_node(machine->network, call->node);
    const uint32_t *buffers = machine->program->call_buffers + call->first_buffer;
    if (call->attribute_count > 0 || node->definition->class == OPERATOR_CONTROL)
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE &&
            (buffers[i] == PROGRAM_NONE ||
             !host_recipe_is_whole(machine, buffers[i], node->inputs[i])))
            return false;
        if (node->inputs[i] == NETWORK_NONE && buffers[i] != PROGRAM_NONE)
            return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t buffer = buffers[node->input_count + i];
        if (buffer != PROGRAM_NONE && (node->outputs[i] == NETWORK_NONE ||
                                       !host_recipe_is_whole(machine, buffer, node->outputs[i])))
            return false;
    }
    return is_sure(machine, call);
}

// Recipes ---------------------------------------------------------------------------------

static bool host_recipe_is_scaled_back(const struct network_node *node)
{
    return node->definition->scaling == SCALES_BACK;
}

static bool host_recipe_node_reads(const struct network_node *node, uint32_t value)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == value)
            return true;
    }
    return false;
}

static bool has_no_dilations(const struct network_node *node)
{
    const int64_t *dilations = NULL;
    const uint32_t count = attribute_integers(node->attributes, "dilations", &dilations);
    for (uint32_t i = 0; i < count; i++) {
        if (dilations[i] != 1)
            return false;
    }
    return true;
}

static bool host_recipe_is_constant(const struct host_machine *machine,
                                    const struct network_node *node, uint32_t input)
{
    return node->inputs[input] != NETWORK_NONE &&
           network_value(machine->network, node->inputs[input])->constant != NULL;
}

// A call that may have a recipe, with its first input and output, both of rank 4.
struct image_call {
    const struct host_machine *machine;
    const struct network_node *node;
    struct tensor in;
    struct tensor out;
};

// Whether the windows of a transposed convolution neither overlap nor leave gaps.
static bool is_spread(const struct image_call *call)
{
    const struct host_machine *machine = call->machine;
    const struct network_node *node = call->node;
    const struct tensor *in = &call->in;
    const struct tensor *out = &call->out;
    if (in->element != ELEMENT_F32 || !host_recipe_is_constant(machine, node, 1) ||
        attribute_integer(node->attributes, "group", 1) != 1 ||
        (node->input_count > 2 && node->inputs[2] != NETWORK_NONE &&
         !host_recipe_is_constant(machine, node, 2)))
        return false;
    const struct shape *weights =
        &network_value(machine->network, node->inputs[1])->constant->tensor.shape;
    const int64_t *strides = NULL, *pads = NULL;
    const uint32_t count = attribute_integers(node->attributes, "strides", &strides);
    for (uint32_t i = 0; i < attribute_integers(node->attributes, "pads", &pads); i++) {
        if (pads[i] != 0)
            return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if ((count > 0 ? strides[i] : 1) != weights->dims[2 + i] ||
            out->shape.dims[2 + i] != in->shape.dims[2 + i] * weights->dims[2 + i])
            return false;
    }
    return has_no_dilations(node);
}

// Whether a Resize says by constants alone, one for each dimension, what it does.
static bool is_resized_by_constants(const struct host_machine *machine,
                                    const struct network_node *node)
{
    if (node->version < 11 || attribute_given(node->attributes, "axes") ||
        attribute_given(node->attributes, "keep_aspect_ratio_policy"))
        return false;
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct constant *constant =
            network_value(machine->network, node->inputs[i])->constant;
        const uint64_t count = constant != NULL ? tensor_count(&constant->tensor) : 1;
        const size_t size = constant != NULL ? element_size(constant->tensor.element) : 0;
        // A region would have two numbers for each dimension.
        if (count != 0 && (count != 4 || i == 1 || (size != 4 && size != 8)))
            return false;
    }
    return true;
}

static bool is_fixed_convolution(const struct image_call *call)
{
    const struct network_node *node = call->node;
    return call->in.element == ELEMENT_F32 && node->input_count >= 2 &&
           host_recipe_is_constant(call->machine, node, 1) &&
           (node->input_count < 3 || node->inputs[2] == NETWORK_NONE ||
            host_recipe_is_constant(call->machine, node, 2));
}

static bool is_image_pool(const struct image_call *call)
{
    return call->node->output_count == 1 && host_recipe_is_image(&call->in);
}

static bool host_recipe_is_real(const struct image_call *call)
{
    return call->in.element == ELEMENT_F32;
}

// Whether it is the mean of each channel.
static bool is_mean_of_pixels(const struct image_call *call)
{
    const struct network_node *node = call->node;
    const bool given = node->input_count > 1 && node->inputs[1] != NETWORK_NONE;
    const struct constant *constant =
        given ? network_value(call->machine->network, node->inputs[1])->constant : NULL;
    bool axes[SHAPE_RANK_MOST];
    if (call->in.element != ELEMENT_F32 || !host_recipe_is_image(&call->in) ||
        (given && constant == NULL))
        return false;
    const status failure = axes_read(node->attributes, constant, call->in.shape.rank, axes);
    if (failure != STATUS_OK) {
        status_free(failure);
        return false;
    }
    return !axes[0] && !axes[1] && axes[2] && axes[3];
}

static bool joins_channels(const struct image_call *call)
{
    const int64_t axis = attribute_integer(call->node->attributes, "axis", 1);
    return (axis == 1 || axis == -3) && host_recipe_is_image(&call->out);
}

static bool is_part_of_channels(const struct image_call *call)
{
    int64_t first;
    return host_recipe_is_image(&call->in) && host_recipe_is_image(&call->out) &&
           channels_part(call->machine->network, call->node, &first);
}

static bool is_resized_image(const struct image_call *call)
{
    return host_recipe_is_image(&call->in) && is_resized_by_constants(call->machine, call->node);
}

// Whether a normalization is by constants alone.
static bool is_normalized_by_constants(const struct host_machine *machine,
                                       const struct network_node *node)
{
    if (node->definition->function != COMPUTES_BATCH_NORMALIZATION || node->input_count != 5 ||
        node->output_count != 1 || attribute_integer(node->attributes, "training_mode", 0) != 0)
        return false;
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (!host_recipe_is_constant(machine, node, i) ||
            network_value(machine->network, node->inputs[i])->constant->tensor.element !=
                ELEMENT_F32)
            return false;
    }
    return true;
}

static bool is_scaled_image(const struct image_call *call)
{
    return call->in.element == ELEMENT_F32 && host_recipe_is_image(&call->in) &&
           is_normalized_by_constants(call->machine, call->node);
}

static bool is_of_bytes(const struct image_call *call)
{
    return call->in.element == ELEMENT_U8 || call->in.element == ELEMENT_I8;
}

// By what is computed: the recipe, and whether a call fits it. All others are prepared calls.
static const struct {
    enum host_recipe_kind kind;
    bool (*fits)(const struct image_call *call);
} RECIPES[OPERATOR_FUNCTIONS] = {
    [COMPUTES_CONVOLUTION] = {HOST_RECIPE_CONVOLUTION, is_fixed_convolution},
    [COMPUTES_QUANTIZED_CONVOLUTION] = {HOST_RECIPE_QUANTIZED, is_of_bytes},
    [COMPUTES_TRANSPOSED_CONVOLUTION] = {HOST_RECIPE_SPREAD, is_spread},
    [COMPUTES_MAX_POOL] = {HOST_RECIPE_POOL, is_image_pool},
    [COMPUTES_AVERAGE_POOL] = {HOST_RECIPE_POOL, host_recipe_is_real},
    [COMPUTES_GLOBAL_AVERAGE_POOL] = {HOST_RECIPE_POOL, host_recipe_is_real},
    [COMPUTES_REDUCE_MEAN] = {HOST_RECIPE_POOL, is_mean_of_pixels},
    [COMPUTES_CONCAT] = {HOST_RECIPE_JOIN, joins_channels},
    [COMPUTES_RESIZE] = {HOST_RECIPE_RESIZE, is_resized_image},
    [COMPUTES_BATCH_NORMALIZATION] = {HOST_RECIPE_SCALE, is_scaled_image},
    [COMPUTES_PART] = {HOST_RECIPE_PART, is_part_of_channels},
};

bool host_recipe_knows(enum operator_function function)
{
    return RECIPES[function].fits != NULL;
}

// Whether an operator is a product, and what is added to it, without factors.
static bool is_product(const struct network_node *node)
{
    if (node->definition->function == COMPUTES_GEMM)
        return attribute_integer(node->attributes, "transA", 0) == 0 &&
               attribute_real(node->attributes, "alpha", 1) == 1 &&
               attribute_real(node->attributes, "beta", 1) == 1;
    return node->definition->function == COMPUTES_MATMUL && node->input_count == 2;
}

// Whether a product of reals is with a constant matrix, one for all of its batch.
static bool is_fixed_product(const struct host_machine *machine, const struct program_call *call)
{
    const struct network_node *node = network_node(machine->network, call->node);
    if (!is_product(node) || !host_recipe_is_constant(machine, node, 1))
        return false;
    const struct tensor a = host_recipe_input(machine, call, 0);
    const struct tensor b = host_recipe_input(machine, call, 1);
    const struct tensor out = host_recipe_output(machine, call, 0);
    return a.element == ELEMENT_F32 && b.element == ELEMENT_F32 && a.shape.rank >= 2 &&
           b.shape.rank == 2 && tensor_count(&out) > 0 && tensor_count(&b) > 0;
}

static enum host_recipe_kind host_recipe_kind_of(const struct host_machine *machine,
                                                 const struct program_call *call, bool shuffles)
{
    const struct image_call image = {
        .machine = machine,
        .node = network_node(machine->network, call->node),
        .in = host_recipe_input(machine, call, 0),
        .out = host_recipe_output(machine, call, 0),
    };
    const enum operator_function function = image.node->definition->function;
    if (is_fixed_product(machine, call))
        return HOST_RECIPE_PRODUCT;
    if (function == COMPUTES_OTHER && shuffles && host_recipe_is_image(&image.in))
        return HOST_RECIPE_SHUFFLE;
    const bool reduces = function == COMPUTES_REDUCE_MEAN; // to any rank
    if (image.in.shape.rank != 4 || (image.out.shape.rank != 4 && !reduces) ||
        tensor_count(&image.out) == 0 || image.node->input_count > HOST_RECIPE_INPUTS_MOST)
        return HOST_RECIPE_CALLS;
    return host_recipe_knows(function) && RECIPES[function].fits(&image) ? RECIPES[function].kind
                                                                         : HOST_RECIPE_CALLS;
}

// What scales an input of the main call back, and nothing else.
static void find_before(const struct host_machine *machine, const struct program_task *task,
                        struct host_recipe *recipe)
{
    const struct network_node *main = host_recipe_node(machine, task, recipe->main);
    for (uint32_t i = 0; i < HOST_RECIPE_INPUTS_MOST; i++)
        recipe->before[i] = PROGRAM_NONE;
    for (uint32_t i = 0; i < main->input_count && i < HOST_RECIPE_INPUTS_MOST; i++) {
        for (uint32_t j = 0; j < recipe->main; j++) {
            const struct network_node *node = host_recipe_node(machine, task, j);
            if (main->inputs[i] != NETWORK_NONE && node->outputs[0] == main->inputs[i] &&
                host_recipe_is_scaled_back(node))
                recipe->before[i] = j;
        }
    }
}

bool host_recipe_is_before(const struct host_recipe *recipe, uint32_t call)
{
    for (uint32_t i = 0; i < HOST_RECIPE_INPUTS_MOST; i++) {
        if (recipe->before[i] == call)
            return true;
    }
    return false;
}

// Whether what comes before the main call is read by it alone, and it reads nothing else of
// the task.
static bool host_recipe_is_closed(const struct host_machine *machine,
                                  const struct program_task *task, const struct host_recipe *recipe)
{
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct network_node *node = host_recipe_node(machine, task, i);
        const bool before = i != recipe->main && host_recipe_is_before(recipe, i);
        for (uint32_t j = 0; j < task->call_count; j++) {
            if (j != recipe->main && before &&
                host_recipe_node_reads(host_recipe_node(machine, task, j), node->outputs[0]))
                return false;
        }
        if (i != recipe->main && !before &&
            host_recipe_node_reads(host_recipe_node(machine, task, recipe->main), node->outputs[0]))
            return false;
    }
    return true;
}

// Whether a call adds a constant vector to what a product gives.
static bool adds_vector(const struct host_machine *machine, const struct network_node *source,
                        const struct network_node *node)
{
    if (node->definition->function != COMPUTES_ADD || node->input_count != 2)
        return false;
    const uint32_t vector = node->inputs[0] == source->outputs[0] ? 1 : 0;
    if (!host_recipe_is_constant(machine, node, vector) ||
        !host_recipe_is_constant(machine, source, 1))
        return false;
    const struct shape *matrix =
        &network_value(machine->network, source->inputs[1])->constant->tensor.shape;
    const struct tensor *tensor =
        &network_value(machine->network, node->inputs[vector])->constant->tensor;
    return matrix->rank == 2 && tensor->element == ELEMENT_F32 && tensor->shape.rank == 1 &&
           tensor->shape.dims[0] == matrix->dims[1];
}

// Whether a call is one that is done along with the main call.
static bool is_taken(const struct host_machine *machine, const struct program_task *task,
                     uint32_t main, uint32_t call)
{
    const struct network_node *node = host_recipe_node(machine, task, call);
    const struct network_node *source = host_recipe_node(machine, task, main);
    const enum operator_function function = source->definition->function;
    const bool scales = (function == COMPUTES_CONVOLUTION || function == COMPUTES_CONCAT) &&
                        node->inputs[0] == source->outputs[0] &&
                        is_normalized_by_constants(machine, node);
    if (!scales &&
        !(function == COMPUTES_MATMUL && host_recipe_node_reads(node, source->outputs[0]) &&
          adds_vector(machine, source, node)))
        return false;
    for (uint32_t i = 0; i < task->call_count; i++) {
        if (i != call &&
            host_recipe_node_reads(host_recipe_node(machine, task, i), source->outputs[0]))
            return false;
    }
    return true;
}

// The groups of channels that are shuffled from a call on, where that is all there is, or what the
// main call joins; 0: none are.
static int64_t shuffled_groups(const struct host_machine *machine, const struct program_task *task,
                               uint32_t main, uint32_t call)
{
    const struct network_node *nodes[CHANNELS_SHUFFLE_NODES];
    if (call + CHANNELS_SHUFFLE_NODES != task->call_count)
        return 0;
    for (uint32_t i = 0; i < CHANNELS_SHUFFLE_NODES; i++) {
        nodes[i] = host_recipe_node(machine, task, call + i);
        if (nodes[i]->input_count == 0 ||
            !host_recipe_is_known(machine, host_recipe_call(machine, task, call + i)))
            return 0;
    }
    if (main != PROGRAM_NONE) {
        const struct network_node *join = host_recipe_node(machine, task, main);
        if (main + 1 != call || join->definition->function != COMPUTES_CONCAT ||
            nodes[0]->inputs[0] != join->outputs[0])
            return 0;
    }
    return channels_shuffled(machine->network, nodes);
}

static bool gives_one(const struct host_machine *machine, const struct program_task *task)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < task->operand_count; i++)
        written += machine->program->operands[task->first_operand + i].writes != 0;
    return written == 1;
}

struct host_recipe host_recipe_find(const struct host_machine *machine,
                                    const struct program_task *task)
{
    struct host_recipe recipe = {
        .kind = HOST_RECIPE_NONE, .main = PROGRAM_NONE, .taken = PROGRAM_NONE};
    uint32_t others = 0; // calls that are no links of a chain
    if (task->kind != PROGRAM_TASK_COMPUTE || task->call_count == 0)
        return recipe;
    for (uint32_t i = 0; i < task->call_count; i++) {
        if (host_recipe_node(machine, task, i)->output_count == 0 ||
            !host_recipe_is_known(machine, host_recipe_call(machine, task, i)))
            return recipe;
        if (others < 2 && i <= 1 &&
            (recipe.groups = shuffled_groups(machine, task, recipe.main, i)) > 0) {
            recipe.shuffle = i;
            recipe.main = others == 0 ? i : recipe.main;
            others = 1;
            break;
        }
        if (others == 1 && recipe.taken == PROGRAM_NONE &&
            is_taken(machine, task, recipe.main, i)) {
            recipe.taken = i;
            continue;
        }
        if (chain_nodes_knows(machine->network, host_recipe_node(machine, task, i)))
            continue;
        recipe.main = i;
        others++;
    }
    recipe.kind = HOST_RECIPE_CALLS;
    if (others > 1 || !gives_one(machine, task))
        return recipe;
    if (others == 0) {
        recipe.kind = HOST_RECIPE_CHAIN;
        return recipe;
    }
    find_before(machine, task, &recipe);
    if (host_recipe_is_closed(machine, task, &recipe))
        recipe.kind = host_recipe_kind_of(machine, host_recipe_call(machine, task, recipe.main),
                                          recipe.groups > 0);
    return recipe;
}
