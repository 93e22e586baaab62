#include "tensor.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "real.h"

static const char *element_address(const struct constant *constant, uint64_t index)
{
    return (const char *)constant->tensor.data + index * element_size(constant->tensor.element);
}

static int64_t packed_integer(const struct constant *constant, uint64_t index)
{
    const unsigned char byte = ((const unsigned char *)constant->tensor.data)[index / 2];
    const int64_t nibble = index % 2 == 0 ? byte & 15 : byte >> 4;
    return constant->tensor.element == ELEMENT_I4 && nibble > 7 ? nibble - 16 : nibble;
}

void tensor_tidy_bools(const struct tensor *tensor)
{
    const uint64_t count = tensor->element == ELEMENT_BOOL ? tensor_count(tensor) : 0;
    uint8_t *items = tensor->data;
    for (uint64_t i = 0; i < count; i++)
        items[i] = items[i] != 0;
}

#define READ(type)                                                                                 \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, element_address(constant, index), sizeof value);                            \
        return (int64_t)value;                                                                     \
    } while (0)

int64_t constant_integer(const struct constant *constant, uint64_t index)
{
    if (constant->packed)
        return packed_integer(constant, index);
    switch (constant->tensor.element) {
    case ELEMENT_BOOL:
    case ELEMENT_U4:
    case ELEMENT_U8:
        READ(uint8_t);
    case ELEMENT_I4:
    case ELEMENT_I8:
        READ(int8_t);
    case ELEMENT_U16:
        READ(uint16_t);
    case ELEMENT_I16:
        READ(int16_t);
    case ELEMENT_U32:
        READ(uint32_t);
    case ELEMENT_I32:
        READ(int32_t);
    case ELEMENT_I48:
    case ELEMENT_I64:
    case ELEMENT_U64:
        READ(int64_t);
    default:
        return 0;
    }
}

double constant_real(const struct constant *constant, uint64_t index)
{
    const char *at = element_address(constant, index);
    float single;
    double real;
    uint16_t half;
    switch (element_carrier(constant->tensor.element)) {
    case ELEMENT_F32:
        memcpy(&single, at, sizeof single);
        return (double)single;
    case ELEMENT_F64:
        memcpy(&real, at, sizeof real);
        return real;
    case ELEMENT_F16:
        memcpy(&half, at, sizeof half);
        return (double)real_from_f16(half);
    case ELEMENT_BF16:
        memcpy(&half, at, sizeof half);
        return (double)real_from_bf16(half);
    case ELEMENT_F8E4M3FN:
    case ELEMENT_F8E4M3FNUZ:
    case ELEMENT_F8E5M2:
    case ELEMENT_F8E5M2FNUZ:
        return (double)real_from_f8(constant->tensor.element, (uint8_t)*at);
    default:
        return (double)constant_integer(constant, index);
    }
}

bool constant_ready(const struct constant *constant)
{
    return !constant->packed && (uintptr_t)constant->tensor.data % TENSOR_ALIGNMENT == 0;
}

void constant_unpack(const struct constant *constant, void *data)
{
    if (!constant->packed) {
        const uint64_t size = tensor_bytes(&constant->tensor);
        if (size > 0)
            memcpy(data, constant->tensor.data, size);
        return;
    }
    int8_t *items = data;
    const uint64_t count = tensor_count(&constant->tensor);
    for (uint64_t i = 0; i < count; i++)
        items[i] = (int8_t)packed_integer(constant, i);
}

static struct datum *datum_make(enum datum_kind kind)
{
    struct datum *datum = memory_allocate_zeroed(1, sizeof *datum);
    datum->kind = kind;
    datum->references = 1;
    return datum;
}

static atomic_uint_fast64_t live_bytes;
static atomic_uint_fast64_t peak_bytes;
static atomic_uint_fast64_t most_bytes; // 0: not said

void datum_limit(uint64_t bytes)
{
    most_bytes = bytes;
}

uint64_t datum_peak_bytes(void)
{
    return peak_bytes;
}

// Memory for `size` bytes, counted; NULL when there is none.
static void *tensor_take_bytes(uint64_t size)
{
    const uint64_t most = most_bytes > 0 ? most_bytes : memory_of_machine() / 4 * 3;
    const uint64_t before = atomic_fetch_add(&live_bytes, size);
    const bool allowed = size <= most && before <= most - size;
    void *data = allowed ? memory_take(size) : NULL;
    if (data == NULL) {
        atomic_fetch_sub(&live_bytes, size);
        return NULL;
    }
    uint_fast64_t peak = peak_bytes;
    while (before + size > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, before + size))
        continue;
    return data;
}

static status tensor_no_memory(enum element element, const struct shape *shape)
{
    char text[SHAPE_TEXT_MOST];
    return status_no_memory("a tensor %s%s%s", shape_text(shape, text), shape->rank > 0 ? "x" : "",
                            element_name(element));
}

status datum_tensor(enum element element, const struct shape *shape, struct datum **out_datum)
{
    uint64_t count;
    STATUS_TRY(shape_elements(shape, &count));
    uint64_t size;
    if (__builtin_mul_overflow(count, (uint64_t)element_size(element), &size))
        return tensor_no_memory(element, shape);
    void *data = tensor_take_bytes(size);
    if (data == NULL)
        return tensor_no_memory(element, shape);
    if (element == ELEMENT_TEXT)
        memset(data, 0, size);
    struct datum *datum = datum_make(DATUM_TENSOR);
    datum->tensor = (struct tensor){element, *shape, data};
    datum->owns_data = true;
    *out_datum = datum;
    return STATUS_OK;
}

status datum_own(struct datum *datum)
{
    if (datum->kind != DATUM_TENSOR || datum->owns_data)
        return STATUS_OK;
    const uint64_t size = tensor_bytes(&datum->tensor);
    void *data = tensor_take_bytes(size);
    if (data == NULL)
        return tensor_no_memory(datum->tensor.element, &datum->tensor.shape);
    if (size > 0)
        memcpy(data, datum->tensor.data, size);
    datum->tensor.data = data;
    datum->owns_data = true;
    if (datum->tensor.element == ELEMENT_TEXT) {
        struct view *texts = data;
        for (uint64_t i = 0; i < tensor_count(&datum->tensor); i++)
            texts[i] = arena_copy(&datum->texts, texts[i]);
    }
    return STATUS_OK;
}

struct datum *datum_over(const struct tensor *tensor)
{
    struct datum *datum = datum_make(DATUM_TENSOR);
    datum->tensor = *tensor;
    return datum;
}

struct datum *datum_nothing(void)
{
    return datum_make(DATUM_NOTHING);
}

struct datum *datum_sequence(struct datum *const *items, size_t count)
{
    struct datum *datum = datum_make(DATUM_SEQUENCE);
    datum->items = memory_allocate_zeroed(count + 1, sizeof *datum->items);
    if (count > 0)
        memcpy(datum->items, items, count * sizeof *items);
    datum->count = count;
    return datum;
}

void datum_release(struct datum *datum)
{
    if (datum == NULL || --datum->references > 0)
        return;
    for (size_t i = 0; i < datum->count; i++)
        datum_release(datum->items[i]);
    free(datum->items);
    if (datum->owns_data) {
        atomic_fetch_sub(&live_bytes, tensor_bytes(&datum->tensor));
        free(datum->tensor.data);
    }
    arena_free(&datum->texts);
    free(datum);
}
