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

#define KEYS(type, key)                                                                            \
    do {                                                                                           \
        const type *items = data;                                                                  \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type item = items[(int64_t)i * step];                                            \
            keys[i] = key;                                                                         \
        }                                                                                          \
        return;                                                                                    \
    } while (0)

#define SIGNED_KEYS(type) KEYS(type, (uint64_t)(int64_t)item ^ SIGN)
#define REAL_KEYS(type, real) KEYS(type, key_of_real((double)(real)))

void order_keys(enum element element, const void *data, int64_t step, uint64_t count,
                uint64_t *keys)
{
    switch (element) {
    case ELEMENT_F32:
        REAL_KEYS(float, item);
    case ELEMENT_F64:
        REAL_KEYS(double, item);
    case ELEMENT_F16:
        REAL_KEYS(uint16_t, real_from_f16(item));
    case ELEMENT_BF16:
        REAL_KEYS(uint16_t, real_from_bf16(item));
    case ELEMENT_F8E4M3FN:
    case ELEMENT_F8E4M3FNUZ:
    case ELEMENT_F8E5M2:
    case ELEMENT_F8E5M2FNUZ:
        REAL_KEYS(uint8_t, real_from_f8(element, item));
    case ELEMENT_BOOL:
    case ELEMENT_U4:
    case ELEMENT_U8:
        KEYS(uint8_t, item);
    case ELEMENT_U16:
        KEYS(uint16_t, item);
    case ELEMENT_U32:
        KEYS(uint32_t, item);
    case ELEMENT_U64:
        KEYS(uint64_t, item);
    case ELEMENT_I4:
    case ELEMENT_I8:
        SIGNED_KEYS(int8_t);
    case ELEMENT_I16:
        SIGNED_KEYS(int16_t);
    case ELEMENT_I32:
        SIGNED_KEYS(int32_t);
    case ELEMENT_I48:
    case ELEMENT_I64:
        SIGNED_KEYS(int64_t);
    case ELEMENT_NONE:
    case ELEMENT_TEXT:
    case ELEMENT_C64:
    case ELEMENT_C128:
        return;
    }
}
