#include "prepared.h"

#include <stdlib.h>

#include "base/memory.h"

struct prepared {
    struct network_node node;
    struct tensor *tensors;       // of the inputs
    const struct tensor **inputs; // NULL where left out
    struct datum **data;          // over the inputs
    bool *fixed;
    struct datum **places;  // over the outputs, NULL where left out
    struct datum **outputs; // what the kernel is given, and may replace
    bool *wanted;
    struct kernel_state *state;
    struct kernel_call call;
    kernel_function run;
    bool empty; // there is nothing to compute
};

static void prepared_allocate(struct prepared *prepared, size_t inputs, size_t outputs)
{
    prepared->tensors = memory_allocate_zeroed(inputs + 1, sizeof *prepared->tensors);
    prepared->inputs = memory_allocate_zeroed(inputs + 1, sizeof *prepared->inputs);
    prepared->data = memory_allocate_zeroed(inputs + 1, sizeof *prepared->data);
    prepared->fixed = memory_allocate_zeroed(inputs + 1, sizeof *prepared->fixed);
    prepared->places = memory_allocate_zeroed(outputs + 1, sizeof *prepared->places);
    prepared->outputs = memory_allocate_zeroed(outputs + 1, sizeof *prepared->outputs);
    prepared->wanted = memory_allocate_zeroed(outputs + 1, sizeof *prepared->wanted);
}

bool prepared_is_sure(const struct prepared_plan *plan)
{
    const struct network_node *node = plan->node;
    if (node->definition->class == OPERATOR_CONTROL)
        return false;
    struct value_type *types = memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *types);
    struct constant *constants =
        memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *constants);
    const struct value_type **inputs =
        memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *inputs);
    const struct constant **known =
        memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *known);
    struct value_type *outputs =
        memory_allocate_zeroed((size_t)node->output_count + 1, sizeof *outputs);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tensor *tensor = &plan->inputs[i];
        if (tensor->element == ELEMENT_NONE)
            continue;
        types[i] = value_type_tensor(tensor->element, &tensor->shape);
        inputs[i] = &types[i];
        constants[i] = (struct constant){.tensor = *tensor, .bytes = tensor_bytes(tensor)};
        known[i] = plan->fixed[i] ? &constants[i] : NULL;
    }
    struct inference inference = {
        .network = plan->network,
        .node = node,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .inputs = inputs,
        .known = known,
        .outputs = outputs,
    };
    const status failure = inference_run(&inference);
    bool right = failure == STATUS_OK;
    status_free(failure);
    for (uint32_t i = 0; right && i < node->output_count; i++) {
        const struct tensor *output = &plan->outputs[i];
        right = output->element == ELEMENT_NONE ||
                (value_type_static(&outputs[i]) && outputs[i].element == output->element &&
                 shape_equal(&outputs[i].shape, &output->shape));
    }
    free(types);
    free(constants);
    free(inputs);
    free(known);
    free(outputs);
    return right;
}

static void prepared_fill_plan(struct prepared *prepared, const struct prepared_plan *plan)
{
    const struct network_node *node = &prepared->node;
    prepared->empty = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (plan->inputs[i].element == ELEMENT_NONE)
            continue;
        prepared->tensors[i] = plan->inputs[i];
        prepared->inputs[i] = &prepared->tensors[i];
        prepared->data[i] = datum_over(&prepared->tensors[i]);
        prepared->fixed[i] = plan->fixed[i];
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (plan->outputs[i].element == ELEMENT_NONE)
            continue;
        prepared->wanted[i] = true;
        prepared->places[i] = datum_over(&plan->outputs[i]);
        prepared->empty = prepared->empty && tensor_count(&plan->outputs[i]) == 0;
    }
    prepared->call = (struct kernel_call){
        .network = plan->network,
        .node = node,
        .attributes = node->attributes,
        .version = node->version,
        .inputs = prepared->inputs,
        .data = prepared->data,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .fixed = prepared->fixed,
        .outputs = prepared->outputs,
        .wanted = prepared->wanted,
        .takes_last = plan->takes_last,
        .gives_last = plan->gives_last,
        .state = &prepared->state,
        .runner = plan->runner,
    };
}

struct prepared *prepared_create(const struct prepared_plan *plan)
{
    struct prepared *prepared = memory_allocate_zeroed(1, sizeof *prepared);
    prepared->node = *plan->node;
    prepared->run = plan->run;
    prepared_allocate(prepared, plan->node->input_count, plan->node->output_count);
    prepared_fill_plan(prepared, plan);
    return prepared;
}

void prepared_free(struct prepared *prepared)
{
    if (prepared == NULL)
        return;
    if (prepared->state != NULL)
        prepared->state->free(prepared->state);
    for (uint32_t i = 0; i < prepared->node.input_count; i++)
        datum_release(prepared->data[i]);
    for (uint32_t i = 0; i < prepared->node.output_count; i++)
        datum_release(prepared->places[i]);
    free(prepared->tensors);
    free(prepared->inputs);
    free(prepared->data);
    free(prepared->fixed);
    free(prepared->places);
    free(prepared->outputs);
    free(prepared->wanted);
    free(prepared);
}

// A kernel may give a datum of its own instead of filling the place.
static status prepared_keep_output(struct datum *place, struct datum *given)
{
    if (given == place)
        return STATUS_OK;
    if (given == NULL || given->kind != DATUM_TENSOR ||
        given->tensor.element != place->tensor.element ||
        !shape_equal(&given->tensor.shape, &place->tensor.shape))
        return status_make(STATUS_DATA, "a result of another shape than planned");
    if (given->tensor.data != place->tensor.data && tensor_bytes(&place->tensor) > 0)
        memcpy(place->tensor.data, given->tensor.data, tensor_bytes(&place->tensor));
    return STATUS_OK;
}

status prepared_run(struct prepared *prepared, struct parallel *parallel)
{
    if (prepared->empty)
        return STATUS_OK;
    const uint32_t count = prepared->node.output_count;
    for (uint32_t i = 0; i < count; i++)
        prepared->outputs[i] = prepared->places[i] != NULL ? datum_keep(prepared->places[i]) : NULL;
    prepared->call.parallel = parallel;
    status result = prepared->run(&prepared->call);
    for (uint32_t i = 0; i < count; i++) {
        if (result == STATUS_OK && prepared->places[i] != NULL)
            result = prepared_keep_output(prepared->places[i], prepared->outputs[i]);
        datum_release(prepared->outputs[i]);
    }
    return result;
}
