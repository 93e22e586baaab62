// Small constants, calculated with the kernels while types are inferred.

#include <stdlib.h>

#include "base/memory.h"
#include "executor.h"
#include "invoke.h"

enum { PLACED_LEAST = 4096 }; // bytes

// Constants as the kernels take them. Fails for want of memory only.
static status take_inputs(const struct inference *inference, struct datum **inputs)
{
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct constant *known = inference->known[i];
        if (known == NULL)
            continue;
        if (constant_ready(known)) {
            inputs[i] = datum_over(&known->tensor);
            continue;
        }
        STATUS_TRY(datum_tensor(known->tensor.element, &known->tensor.shape, &inputs[i]));
        constant_unpack(known, inputs[i]->tensor.data);
    }
    return STATUS_OK;
}

static char *aligned_room(struct network *network, uint64_t bytes)
{
    char *room = arena_allocate(&network->arena, bytes + TENSOR_ALIGNMENT);
    return room + (TENSOR_ALIGNMENT - (uintptr_t)room % TENSOR_ALIGNMENT);
}

// Large results are computed where they stay.
static void kernels_fold_place_outputs(const struct inference *inference, void **places,
                                       uint64_t *sizes)
{
    for (uint32_t i = 0; i < inference->output_count; i++) {
        const struct value_type *type = &inference->outputs[i];
        if (!value_type_static(type) || type->element == ELEMENT_TEXT)
            continue;
        const uint64_t bytes = shape_count(&type->shape) * element_size(type->element);
        if (bytes < PLACED_LEAST)
            continue;
        places[i] = aligned_room(inference->building, bytes);
        sizes[i] = bytes;
    }
}

static const struct constant *kernels_fold_keep_output(struct network *network,
                                                       const struct datum *datum, const void *place)
{
    if (datum->kind != DATUM_TENSOR || datum->tensor.element == ELEMENT_TEXT)
        return NULL;
    const uint64_t bytes = tensor_bytes(&datum->tensor);
    struct constant *constant = arena_allocate(&network->arena, sizeof *constant);
    *constant = (struct constant){.tensor = datum->tensor, .bytes = bytes};
    if (place != NULL && datum->tensor.data == place)
        return constant;
    constant->tensor.data = aligned_room(network, bytes);
    if (bytes > 0)
        memcpy(constant->tensor.data, datum->tensor.data, bytes);
    return constant;
}

// Fills --------------------------------------------------------------------------------------

// What a large result is filled with everywhere; false where it is not, or not large.
static bool fill_of(const struct inference *inference, struct network_fill *out_fill)
{
    const struct value_type *type = &inference->outputs[0];
    if (inference->node->definition->function != COMPUTES_FILL || inference->output_count != 1 ||
        !value_type_static(type) || type->element == ELEMENT_TEXT)
        return false;
    *out_fill = (struct network_fill){.size = element_size(type->element)};
    out_fill->bytes = shape_count(&type->shape) * out_fill->size;
    const struct attribute *given =
        attribute_find(inference->node->attributes, "value", ATTRIBUTE_TENSOR);
    if (out_fill->bytes < PLACED_LEAST ||
        (given != NULL && tensor_count(&given->tensor->tensor) != 1))
        return false;
    if (given != NULL)
        constant_unpack(given->tensor, out_fill->element);
    return true;
}

// Weights that are all alike, as a network without its own has them, lie in the same memory: it is
// touched once, however many they are.
static bool share_fill(struct inference *inference, const struct network_fill *fill)
{
    struct network *network = inference->building;
    for (size_t i = 0; i < network->fill_count; i++) {
        const struct network_fill *known = &network->fills[i];
        if (known->bytes < fill->bytes || known->size != fill->size ||
            memcmp(known->element, fill->element, sizeof fill->element) != 0)
            continue;
        struct constant *constant = arena_allocate(&network->arena, sizeof *constant);
        *constant = (struct constant){.tensor = {.element = inference->outputs[0].element,
                                                 .shape = inference->outputs[0].shape,
                                                 .data = known->data},
                                      .bytes = fill->bytes};
        inference->values[0] = constant;
        return true;
    }
    return false;
}

static void keep_fill(struct inference *inference, const struct network_fill *fill)
{
    struct network *network = inference->building;
    if (inference->values[0] == NULL)
        return;
    network->fills = memory_grow(network->fills, network->fill_count, &network->fill_capacity,
                                 sizeof *network->fills);
    network->fills[network->fill_count] = *fill;
    network->fills[network->fill_count++].data = inference->values[0]->tensor.data;
}

// Any ------------------------------------------------------------------------------------------

// A node that fails here fails again when the network runs, if it ever does.
static void fold_with_kernel(struct inference *inference)
{
    const struct network_node *node = inference->node;
    const kernel_function run = kernel_find(node->definition);
    if (run == NULL)
        return;
    const uint32_t outputs_count = node->output_count;
    struct datum **inputs = memory_allocate_zeroed(node->input_count + 1, sizeof *inputs);
    struct datum **outputs = memory_allocate_zeroed(outputs_count + 1, sizeof *outputs);
    bool *wanted = memory_allocate_zeroed(outputs_count + 1, sizeof *wanted);
    void **places = memory_allocate_zeroed(outputs_count + 1, sizeof *places);
    uint64_t *sizes = memory_allocate_zeroed(outputs_count + 1, sizeof *sizes);
    kernels_fold_place_outputs(inference, places, sizes);
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
                                              .places = places,
                                              .sizes = sizes,
                                              .parallel = parallel,
                                              .state = &state},
                         outputs);
    for (uint32_t i = 0; failure == STATUS_OK && i < outputs_count; i++) {
        if (outputs[i] != NULL)
            inference->values[i] =
                kernels_fold_keep_output(inference->building, outputs[i], places[i]);
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
    free(places);
    free(sizes);
}

static void fold_inference(struct inference *inference)
{
    struct network_fill fill;
    const bool fills = fill_of(inference, &fill);
    if (fills && share_fill(inference, &fill))
        return;
    fold_with_kernel(inference);
    if (fills)
        keep_fill(inference, &fill);
}

void executor_fold_constants(void)
{
    operator_set_evaluator(fold_inference);
}
