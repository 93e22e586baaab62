// Small constants, calculated with the kernels while types are inferred.

#include <stdlib.h>

#include "base/memory.h"
#include "executor.h"
#include "invoke.h"

// Constants as the kernels take them. Fails for want of memory only.
static status take_inputs(const struct inference *inference, struct datum **inputs)
{
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct constant *known = inference->known[i];
        if (known == NULL)
            continue;
        STATUS_TRY(datum_tensor(known->tensor.element, &known->tensor.shape, &inputs[i]));
        constant_unpack(known, inputs[i]->tensor.data);
    }
    return STATUS_OK;
}

static const struct constant *keep_output(struct network *network, const struct datum *datum)
{
    if (datum->kind != DATUM_TENSOR || datum->tensor.element == ELEMENT_TEXT)
        return NULL;
    const uint64_t bytes = tensor_bytes(&datum->tensor);
    char *room = arena_allocate(&network->arena, bytes + TENSOR_ALIGNMENT);
    char *data = room + (TENSOR_ALIGNMENT - (uintptr_t)room % TENSOR_ALIGNMENT);
    if (bytes > 0)
        memcpy(data, datum->tensor.data, bytes);
    struct constant *constant = arena_allocate(&network->arena, sizeof *constant);
    *constant = (struct constant){datum->tensor, false, bytes};
    constant->tensor.data = data;
    return constant;
}

// A node that fails here fails again when the network runs, if it ever does.
static void fold(struct inference *inference)
{
    const struct network_node *node = inference->node;
    const kernel_function run = kernel_find(node->definition);
    if (run == NULL)
        return;
    const uint32_t outputs_count = node->output_count;
    struct datum **inputs = memory_allocate_zeroed(node->input_count + 1, sizeof *inputs);
    struct datum **outputs = memory_allocate_zeroed(outputs_count + 1, sizeof *outputs);
    bool *wanted = memory_allocate_zeroed(outputs_count + 1, sizeof *wanted);
    for (uint32_t i = 0; i < outputs_count; i++)
        wanted[i] = node->outputs[i] != NETWORK_NONE;
    struct parallel *parallel = parallel_create(1);
    struct kernel_state *state = NULL;
    status failure = take_inputs(inference, inputs);
    if (failure == STATUS_OK)
        failure = invoke(&(struct invocation){.network = inference->network,
                                              .node = node,
                                              .run = run,
                                              .inputs = inputs,
                                              .wanted = wanted,
                                              .parallel = parallel,
                                              .state = &state},
                         outputs);
    for (uint32_t i = 0; failure == STATUS_OK && i < outputs_count; i++) {
        if (outputs[i] != NULL)
            inference->values[i] = keep_output(inference->building, outputs[i]);
    }
    for (uint32_t i = 0; i < node->input_count; i++)
        datum_release(inputs[i]);
    for (uint32_t i = 0; i < outputs_count; i++)
        datum_release(outputs[i]);
    if (state != NULL)
        state->free(state);
    status_free(failure);
    parallel_free(parallel);
    free(inputs);
    free(outputs);
    free(wanted);
}

void executor_fold_constants(void)
{
    operator_set_evaluator(fold);
}
