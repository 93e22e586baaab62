#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/tensor_text.h"

struct kept {
    struct view name;
    struct datum *datum;
};

struct device_state {
    struct arena arena;
    struct kept *items;
    size_t count;
    size_t capacity;
};

struct device_state *device_state_create(void)
{
    return memory_allocate_zeroed(1, sizeof(struct device_state));
}

void device_state_free(struct device_state *state)
{
    if (state == NULL)
        return;
    for (size_t i = 0; i < state->count; i++)
        datum_release(state->items[i].datum);
    free(state->items);
    arena_free(&state->arena);
    free(state);
}

static status state_refuse(const struct network_value *value, const struct tensor *there)
{
    struct bytes wanted = {0}, known = {0};
    tensor_text_append_value_type(&wanted, &value->type);
    tensor_text_append_type(&known, there->element, &there->shape);
    const status failure = status_make(
        STATUS_DATA, "'%.*s' stays on the device as %.*s, but a program wants it as %.*s",
        VIEW_ARGUMENTS(value->name), VIEW_ARGUMENTS(bytes_view(&known)),
        VIEW_ARGUMENTS(bytes_view(&wanted)));
    bytes_free(&wanted);
    bytes_free(&known);
    return failure;
}

static status state_add(struct device_state *state, const struct network_value *value)
{
    struct datum *datum;
    if (value->type.kind != VALUE_TENSOR || !value_type_static(&value->type) ||
        value->type.element == ELEMENT_TEXT)
        return status_make(STATUS_UNSUPPORTED,
                           "'%.*s' cannot stay on the device: its type and shape must be known",
                           VIEW_ARGUMENTS(value->name));
    STATUS_TRY(datum_tensor(value->type.element, &value->type.shape, &datum));
    if (tensor_bytes(&datum->tensor) > 0)
        memset(datum->tensor.data, 0, tensor_bytes(&datum->tensor));
    state->items = memory_grow(state->items, state->count, &state->capacity, sizeof *state->items);
    state->items[state->count++] = (struct kept){arena_copy(&state->arena, value->name), datum};
    return STATUS_OK;
}

status device_state_find(struct device_state *state, const struct network_value *value,
                         uint32_t *out_place)
{
    for (size_t i = 0; i < state->count; i++) {
        const struct tensor *there = &state->items[i].datum->tensor;
        if (!view_equal(state->items[i].name, value->name))
            continue;
        *out_place = (uint32_t)i;
        return value_type_static(&value->type) && value->type.element == there->element &&
                       shape_equal(&value->type.shape, &there->shape)
                   ? STATUS_OK
                   : state_refuse(value, there);
    }
    *out_place = (uint32_t)state->count;
    return state_add(state, value);
}

struct datum *device_state_get(const struct device_state *state, uint32_t place)
{
    return state->items[place].datum;
}

void device_state_put(struct device_state *state, uint32_t place, struct datum *datum)
{
    datum_release(state->items[place].datum);
    state->items[place].datum = datum;
}
