#include "scatter.h"

#include "network/real.h"

struct wide {
    uint64_t low, high;
};

#define PICK(type)                                                                                 \
    do {                                                                                           \
        type *to = target;                                                                         \
        const type *from = source;                                                                 \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[i] = from[offsets[i]];                                                              \
    } while (0)

void scatter_pick(size_t size, void *target, const void *source, const int64_t *offsets,
                  uint64_t count)
{
    if (size == 1)
        PICK(uint8_t);
    else if (size == 2)
        PICK(uint16_t);
    else if (size == 4)
        PICK(uint32_t);
    else if (size == 8)
        PICK(uint64_t);
    else
        PICK(struct wide);
}

#define SET(type)                                                                                  \
    do {                                                                                           \
        type *to = target;                                                                         \
        const type *from = source;                                                                 \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[offsets[i]] = from[i];                                                              \
    } while (0)

static void set_row(size_t size, void *target, const void *source, const int64_t *offsets,
                    uint64_t count)
{
    if (size == 1)
        SET(uint8_t);
    else if (size == 2)
        SET(uint16_t);
    else if (size == 4)
        SET(uint32_t);
    else if (size == 8)
        SET(uint64_t);
    else
        SET(struct wide);
}

// `a` is what is there, `b` what comes; `load` and `store` go between memory and them.
#define COMBINE(type, load, store, expression)                                                     \
    do {                                                                                           \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            type *place = (type *)target + offsets[i];                                             \
            const __typeof__(load(*place)) a = load(*place);                                       \
            const __typeof__(load(*place)) b = load(((const type *)source)[i]);                    \
            *place = store(expression);                                                            \
        }                                                                                          \
    } while (0)

#define DEFINE_COMBINE(name, type, load, store, sum, product)                                      \
    static void name(enum scatter_reduction reduction, void *target, const void *source,           \
                     const int64_t *offsets, uint64_t count)                                       \
    {                                                                                              \
        if (reduction == SCATTER_ADD)                                                              \
            COMBINE(type, load, store, sum);                                                       \
        else if (reduction == SCATTER_MULTIPLY)                                                    \
            COMBINE(type, load, store, product);                                                   \
        else if (reduction == SCATTER_MAXIMUM)                                                     \
            COMBINE(type, load, store, a > b || a != a ? a : b);                                   \
        else                                                                                       \
            COMBINE(type, load, store, a < b || a != a ? a : b);                                   \
    }

// Integers are added as unsigned ones, which wrap around.
#define WIDE(value) ((int64_t)(value))
#define LOAD(value) (value)
#define DEFINE_INTEGER(name, type)                                                                 \
    DEFINE_COMBINE(name, type, LOAD, (type), (type)((uint64_t)WIDE(a) + (uint64_t)WIDE(b)),        \
                   (type)((uint64_t)WIDE(a) * (uint64_t)WIDE(b)))
#define DEFINE_REAL(name, type, load, store) DEFINE_COMBINE(name, type, load, store, a + b, a * b)

DEFINE_INTEGER(combine_i8, int8_t)
DEFINE_INTEGER(combine_u8, uint8_t)
DEFINE_INTEGER(combine_i16, int16_t)
DEFINE_INTEGER(combine_u16, uint16_t)
DEFINE_INTEGER(combine_i32, int32_t)
DEFINE_INTEGER(combine_u32, uint32_t)
DEFINE_INTEGER(combine_i64, int64_t)
DEFINE_INTEGER(combine_u64, uint64_t)
DEFINE_REAL(combine_f32, float, LOAD, (float))
DEFINE_REAL(combine_f64, double, LOAD, (double))
DEFINE_REAL(combine_f16, uint16_t, real_from_f16, real_to_f16)
DEFINE_REAL(combine_bf16, uint16_t, real_from_bf16, real_to_bf16)
DEFINE_COMBINE(combine_bool, uint8_t, LOAD, (uint8_t), a | b, a &b)

typedef void (*combine_function)(enum scatter_reduction, void *, const void *, const int64_t *,
                                 uint64_t);

static const combine_function COMBINES[ELEMENT_COUNT] = {
    [ELEMENT_I8] = combine_i8,     [ELEMENT_U8] = combine_u8,   [ELEMENT_I16] = combine_i16,
    [ELEMENT_U16] = combine_u16,   [ELEMENT_I32] = combine_i32, [ELEMENT_U32] = combine_u32,
    [ELEMENT_I64] = combine_i64,   [ELEMENT_U64] = combine_u64, [ELEMENT_F32] = combine_f32,
    [ELEMENT_F64] = combine_f64,   [ELEMENT_F16] = combine_f16, [ELEMENT_BF16] = combine_bf16,
    [ELEMENT_BOOL] = combine_bool,
};

void scatter_put(enum scatter_reduction reduction, enum element element, void *target,
                 const void *source, const int64_t *offsets, uint64_t count)
{
    if (reduction == SCATTER_SET)
        set_row(element_size(element), target, source, offsets, count);
    else if (COMBINES[element] != NULL)
        COMBINES[element](reduction, target, source, offsets, count);
}
