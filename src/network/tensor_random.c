#include "tensor_random.h"

#include "real.h"

static uint64_t tensor_random_mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

static uint64_t bits_at(uint64_t key, uint64_t index)
{
    return tensor_random_mix(key + (index + 1) * 0x9e3779b97f4a7c15);
}

// A multiple of 2^-(digits - 1) in [-1, 1): exact in a type of so many digits.
static double fraction(uint64_t bits, unsigned digits)
{
    return (double)(bits >> (64 - digits)) / (double)(UINT64_C(1) << (digits - 1)) - 1;
}

static void fill_f64(double *items, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] = fraction(bits_at(key, i), 53);
}

static void fill_f32(float *items, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] = (float)fraction(bits_at(key, i), 24);
}

static void fill_f16(uint16_t *items, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] = real_to_f16((float)fraction(bits_at(key, i), 11));
}

static void fill_bf16(uint16_t *items, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] = real_to_bf16((float)fraction(bits_at(key, i), 8));
}

static void fill_f8(enum element element, uint8_t *items, uint64_t count, uint64_t key)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] = real_to_f8(element, (float)fraction(bits_at(key, i), 3), true);
}

// The top `bits` of the random bits, less `offset`, in elements of one width.
#define FILL_INTEGERS(type)                                                                        \
    do {                                                                                           \
        type *items = tensor->data;                                                                \
        for (uint64_t i = 0; i < count; i++)                                                       \
            items[i] = (type)((int64_t)(bits_at(key, i) >> (64 - bits)) - offset);                 \
    } while (0)

static void fill_integers(struct tensor *tensor, uint64_t count, uint64_t key)
{
    const unsigned width = element_bits(tensor->element);
    const bool whole = width <= 16 && tensor->element != ELEMENT_BOOL;
    const unsigned bits = whole ? width : 1;
    const int64_t offset =
        whole && element_is_signed(tensor->element) ? INT64_C(1) << (bits - 1) : 0;
    switch (element_size(tensor->element)) {
    case 1:
        FILL_INTEGERS(uint8_t);
        break;
    case 2:
        FILL_INTEGERS(uint16_t);
        break;
    case 4:
        FILL_INTEGERS(uint32_t);
        break;
    default:
        FILL_INTEGERS(uint64_t);
    }
}

void tensor_random_fill(struct tensor *tensor, uint64_t seed, uint64_t input)
{
    const uint64_t key = tensor_random_mix(seed + tensor_random_mix(input + 1));
    const uint64_t count = tensor_count(tensor);
    switch (tensor->element) {
    case ELEMENT_F64:
        fill_f64(tensor->data, count, key);
        break;
    case ELEMENT_C128:
        fill_f64(tensor->data, 2 * count, key);
        break;
    case ELEMENT_F32:
        fill_f32(tensor->data, count, key);
        break;
    case ELEMENT_C64:
        fill_f32(tensor->data, 2 * count, key);
        break;
    case ELEMENT_F16:
        fill_f16(tensor->data, count, key);
        break;
    case ELEMENT_BF16:
        fill_bf16(tensor->data, count, key);
        break;
    case ELEMENT_F8E4M3FN:
    case ELEMENT_F8E4M3FNUZ:
    case ELEMENT_F8E5M2:
    case ELEMENT_F8E5M2FNUZ:
        fill_f8(tensor->element, tensor->data, count, key);
        break;
    case ELEMENT_TEXT:
        memset(tensor->data, 0, count * sizeof(struct view));
        break;
    default:
        fill_integers(tensor, count, key);
    }
}
