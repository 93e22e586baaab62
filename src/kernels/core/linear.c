#include "linear.h"

#include "clones.h"

#define DEFINE_QUANTIZE(type, suffix)                                                              \
    CORE_CLONES(void, quantize_##suffix,                                                           \
                (const float *restrict x, float scale, float zero, float lowest, float highest,    \
                 uint64_t count, type *restrict y),                                                \
                (x, scale, zero, lowest, highest, count, y))                                       \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            float value = x[i] / scale;                                                            \
            value = value > lowest ? value : lowest;                                               \
            value = value < highest ? value : highest;                                             \
            y[i] = (type)(int32_t)(__builtin_rintf(value) + zero);                                 \
        }                                                                                          \
    }

DEFINE_QUANTIZE(int8_t, i8)
DEFINE_QUANTIZE(uint8_t, u8)
DEFINE_QUANTIZE(int16_t, i16)
DEFINE_QUANTIZE(uint16_t, u16)

#define DEFINE_DEQUANTIZE(type, suffix)                                                            \
    CORE_CLONES(                                                                                   \
        void, dequantize_##suffix,                                                                 \
        (const type *restrict x, float scale, int32_t zero, uint64_t count, float *restrict y),    \
        (x, scale, zero, count, y))                                                                \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            y[i] = (float)(int32_t)((uint32_t)x[i] - (uint32_t)zero) * scale;                      \
    }

DEFINE_DEQUANTIZE(int8_t, i8)
DEFINE_DEQUANTIZE(uint8_t, u8)
DEFINE_DEQUANTIZE(int16_t, i16)
DEFINE_DEQUANTIZE(uint16_t, u16)
DEFINE_DEQUANTIZE(int32_t, i32)

bool linear_writes(enum element element)
{
    return element == ELEMENT_I8 || element == ELEMENT_U8 || element == ELEMENT_I16 ||
           element == ELEMENT_U16;
}

bool linear_reads(enum element element)
{
    return linear_writes(element) || element == ELEMENT_I32;
}

void linear_quantize_row(enum element element, const float *x, float scale, int32_t zero,
                         uint64_t count, void *y)
{
    const float shift = (float)zero;
    const float lowest = (float)element_lowest(element) - shift;
    const float highest = (float)element_highest(element) - shift;
    if (element == ELEMENT_I8)
        quantize_i8(x, scale, shift, lowest, highest, count, y);
    else if (element == ELEMENT_U8)
        quantize_u8(x, scale, shift, lowest, highest, count, y);
    else if (element == ELEMENT_I16)
        quantize_i16(x, scale, shift, lowest, highest, count, y);
    else
        quantize_u16(x, scale, shift, lowest, highest, count, y);
}

void linear_dequantize_row(enum element element, const void *x, float scale, int32_t zero,
                           uint64_t count, float *y)
{
    if (element == ELEMENT_I8)
        dequantize_i8(x, scale, zero, count, y);
    else if (element == ELEMENT_U8)
        dequantize_u8(x, scale, zero, count, y);
    else if (element == ELEMENT_I16)
        dequantize_i16(x, scale, zero, count, y);
    else if (element == ELEMENT_U16)
        dequantize_u16(x, scale, zero, count, y);
    else
        dequantize_i32(x, scale, zero, count, y);
}
