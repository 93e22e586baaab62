#include "weights.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "operators.h"
#include "real.h"

// Of E2M3: the exponent of its largest numbers, the largest itself, and its mantissa.
enum { EXPONENT_MOST = 2, MANTISSA_BITS = 3, SHARED_LEAST = -127 };
static const float LARGEST = 7.5f;

// A number of the block, which its power of two was taken out of.
static float round_element(float real)
{
    const float magnitude = fabsf(real);
    // Below 2 steps are as wide as from 1 on: those numbers are subnormal.
    const int exponent = magnitude < 2 ? 0 : magnitude < 4 ? 1 : EXPONENT_MOST;
    const float step = ldexpf(1, exponent - MANTISSA_BITS);
    const float rounded = nearbyintf(magnitude / step) * step;
    return copysignf(rounded < LARGEST ? rounded : LARGEST, real);
}

static void round_block(const float *from, float *to, uint64_t count, uint64_t stride)
{
    float most = 0;
    bool finite = true;
    for (uint64_t i = 0; i < count; i++) {
        finite &= isfinite(from[i * stride]) != 0;
        most = fmaxf(most, fabsf(from[i * stride]));
    }
    int exponent = 0;
    if (finite && most > 0) {
        frexpf(most, &exponent); // most is from 2^(exponent - 1) on
        exponent -= 1 + EXPONENT_MOST;
        exponent = exponent < SHARED_LEAST ? SHARED_LEAST : exponent;
    }
    for (uint64_t i = 0; i < count; i++)
        to[i * stride] = finite && most > 0
                             ? ldexpf(round_element(ldexpf(from[i * stride], -exponent)), exponent)
                             : from[i * stride];
}

void weights_round(const float *from, float *to, uint64_t count, uint64_t stride)
{
    for (uint64_t i = 0; i < count; i += WEIGHTS_BLOCK)
        round_block(from + i * stride, to + i * stride,
                    count - i < WEIGHTS_BLOCK ? count - i : WEIGHTS_BLOCK, stride);
}

// Constants ----------------------------------------------------------------------------

static void store_real(const struct tensor *tensor, uint64_t index, float real)
{
    if (tensor->element == ELEMENT_F32)
        ((float *)tensor->data)[index] = real;
    else if (tensor->element == ELEMENT_F16)
        ((uint16_t *)tensor->data)[index] = real_to_f16(real);
    else
        ((uint16_t *)tensor->data)[index] = real_to_bf16(real);
}

// A copy whose numbers along `axis` are rounded, in the network's arena.
static const struct constant *round_constant(struct network *network,
                                             const struct constant *constant, uint32_t axis)
{
    const struct shape *shape = &constant->tensor.shape;
    const uint64_t count = tensor_count(&constant->tensor);
    const uint64_t length = (uint64_t)shape->dims[axis];
    const uint64_t stride = shape_count_between(shape, axis + 1, shape->rank);
    float *reals = memory_allocate_zeroed(count + 1, sizeof *reals);
    for (uint64_t i = 0; i < count; i++)
        reals[i] = (float)constant_real(constant, i);
    for (uint64_t at = 0; at < count; at += length * stride) {
        for (uint64_t k = 0; k < stride; k++)
            weights_round(reals + at + k, reals + at + k, length, stride);
    }
    struct constant *made = arena_allocate(&network->arena, sizeof *made);
    *made = (struct constant){.tensor = {constant->tensor.element, *shape, NULL}, .blocked = true};
    made->bytes = tensor_bytes(&made->tensor);
    const uintptr_t room =
        (uintptr_t)arena_allocate(&network->arena, made->bytes + TENSOR_ALIGNMENT);
    made->tensor.data =
        (void *)((room + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT);
    for (uint64_t i = 0; i < count; i++)
        store_real(&made->tensor, i, reals[i]);
    free(reals);
    return made;
}

// Networks -----------------------------------------------------------------------------

// The dimension of the second factor that is summed over; false: it is no product of matrices.
static bool find_axis(const struct network_node *node, const struct shape *shape,
                      uint32_t *out_axis)
{
    if (shape->rank < 2)
        return false;
    *out_axis = shape->rank - 2;
    switch (node->definition->tiling) {
    case TILED_AS_MATMUL:
        return node->definition->function == COMPUTES_MATMUL;
    case TILED_AS_GEMM:
        *out_axis += attribute_integer(node->attributes, "transB", 0) != 0 ? 1 : 0;
        return true;
    default:
        return false;
    }
}

static bool is_weight(const struct network *network, uint32_t id)
{
    const struct network_graph *graph = network_graph(network, 0);
    if (id == NETWORK_NONE)
        return false;
    const struct network_value *value = network_value(network, id);
    if (value->constant == NULL ||
        (value->type.element != ELEMENT_F32 && value->type.element != ELEMENT_F16 &&
         value->type.element != ELEMENT_BF16))
        return false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i] == id)
            return false; // the caller may give another
    }
    return tensor_count(&value->constant->tensor) > 0;
}

static bool round_node(struct network *network, struct network_node *node)
{
    uint32_t axis;
    if (node->input_count < 2 || !is_weight(network, node->inputs[1]))
        return false;
    const uint32_t id = node->inputs[1];
    const struct network_value source = *network_value(network, id);
    if (!find_axis(node, &source.constant->tensor.shape, &axis))
        return false;
    const uint32_t made = network_value_add(network, source.name);
    struct network_value *value = network_value(network, made);
    *value = source;
    value->constant = round_constant(network, source.constant, axis);
    value->producer = NETWORK_NONE;
    uint32_t *inputs = arena_allocate(&network->arena, node->input_count * sizeof *inputs);
    memcpy(inputs, node->inputs, node->input_count * sizeof *inputs);
    inputs[1] = made;
    node->inputs = inputs;
    return true;
}

void network_round_weights(struct network *network, uint64_t *out_count)
{
    *out_count = 0;
    for (uint32_t i = 0; i < network->graphs.count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        for (uint32_t k = 0; k < graph->node_count; k++)
            *out_count += round_node(network, network_node(network, graph->nodes[k]));
    }
}
