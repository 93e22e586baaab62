#include "order.h"

#include "network/real.h"

static const uint64_t SIGN = UINT64_C(1) << 63;

static uint64_t key_of_real(double value)
{
    if (value != value)
        return UINT64_MAX;
    uint64_t bits;
    value += 0.0; // -0 becomes 0
    memcpy(&bits, &value, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

// Keys of items of one type; `key` is an expression of `item`.
#define KEYS(name, type, key)                                                                      \
    static void name(const void *data, int64_t step, uint64_t count, uint64_t *keys)               \
    {                                                                                              \
        const type *items = data;                                                                  \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type item = items[(int64_t)i * step];                                            \
            keys[i] = key;                                                                         \
        }                                                                                          \
    }

#define SIGNED_KEYS(name, type) KEYS(name, type, (uint64_t)(int64_t)item ^ SIGN)
#define REAL_KEYS(name, type, real) KEYS(name, type, key_of_real((double)(real)))

REAL_KEYS(order_keys_f32, float, item)
REAL_KEYS(order_keys_f64, double, item)
REAL_KEYS(order_keys_f16, uint16_t, real_from_f16(item))
REAL_KEYS(order_keys_bf16, uint16_t, real_from_bf16(item))
REAL_KEYS(order_keys_f8e4m3fn, uint8_t, real_from_f8(ELEMENT_F8E4M3FN, item))
REAL_KEYS(order_keys_f8e4m3fnuz, uint8_t, real_from_f8(ELEMENT_F8E4M3FNUZ, item))
REAL_KEYS(order_keys_f8e5m2, uint8_t, real_from_f8(ELEMENT_F8E5M2, item))
REAL_KEYS(order_keys_f8e5m2fnuz, uint8_t, real_from_f8(ELEMENT_F8E5M2FNUZ, item))
KEYS(order_keys_u8, uint8_t, item)
KEYS(order_keys_u16, uint16_t, item)
KEYS(order_keys_u32, uint32_t, item)
KEYS(order_keys_u64, uint64_t, item)
SIGNED_KEYS(order_keys_i8, int8_t)
SIGNED_KEYS(order_keys_i16, int16_t)
SIGNED_KEYS(order_keys_i32, int32_t)
SIGNED_KEYS(order_keys_i64, int64_t)

typedef void (*order_keys_function)(const void *data, int64_t step, uint64_t count, uint64_t *keys);

// Texts and complex numbers have no order.
static const order_keys_function KEYS_OF[ELEMENT_COUNT] = {
    [ELEMENT_F32] = order_keys_f32,
    [ELEMENT_F64] = order_keys_f64,
    [ELEMENT_F16] = order_keys_f16,
    [ELEMENT_BF16] = order_keys_bf16,
    [ELEMENT_F8E4M3FN] = order_keys_f8e4m3fn,
    [ELEMENT_F8E4M3FNUZ] = order_keys_f8e4m3fnuz,
    [ELEMENT_F8E5M2] = order_keys_f8e5m2,
    [ELEMENT_F8E5M2FNUZ] = order_keys_f8e5m2fnuz,
    [ELEMENT_BOOL] = order_keys_u8,
    [ELEMENT_U4] = order_keys_u8,
    [ELEMENT_U8] = order_keys_u8,
    [ELEMENT_U16] = order_keys_u16,
    [ELEMENT_U32] = order_keys_u32,
    [ELEMENT_U64] = order_keys_u64,
    [ELEMENT_I4] = order_keys_i8,
    [ELEMENT_I8] = order_keys_i8,
    [ELEMENT_I16] = order_keys_i16,
    [ELEMENT_I32] = order_keys_i32,
    [ELEMENT_I48] = order_keys_i64,
    [ELEMENT_I64] = order_keys_i64,
};

void order_keys(enum element element, const void *data, int64_t step, uint64_t count,
                uint64_t *keys)
{
    if (KEYS_OF[element] != NULL)
        KEYS_OF[element](data, step, count, keys);
}
