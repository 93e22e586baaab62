#include "element.h"

#include <stdint.h>

struct element_facts {
    const char *name;
    const char *long_name; // numpy's
    unsigned char size;
    unsigned char bits;
};

static const struct element_facts FACTS[ELEMENT_ALL] = {
    [ELEMENT_NONE] = {"?", "?", 0, 0},
    [ELEMENT_F32] = {"f32", "float32", 4, 32},
    [ELEMENT_U8] = {"u8", "uint8", 1, 8},
    [ELEMENT_I8] = {"i8", "int8", 1, 8},
    [ELEMENT_U16] = {"u16", "uint16", 2, 16},
    [ELEMENT_I16] = {"i16", "int16", 2, 16},
    [ELEMENT_I32] = {"i32", "int32", 4, 32},
    [ELEMENT_I64] = {"i64", "int64", 8, 64},
    [ELEMENT_TEXT] = {"text", "string", sizeof(struct view), 8 * sizeof(struct view)},
    [ELEMENT_BOOL] = {"bool", "bool", 1, 8},
    [ELEMENT_F16] = {"f16", "float16", 2, 16},
    [ELEMENT_F64] = {"f64", "float64", 8, 64},
    [ELEMENT_U32] = {"u32", "uint32", 4, 32},
    [ELEMENT_U64] = {"u64", "uint64", 8, 64},
    [ELEMENT_C64] = {"c64", "complex64", 8, 64},
    [ELEMENT_C128] = {"c128", "complex128", 16, 128},
    [ELEMENT_BF16] = {"bf16", "bfloat16", 2, 16},
    [ELEMENT_F8E4M3FN] = {"f8e4m3fn", "float8_e4m3fn", 1, 8},
    [ELEMENT_F8E4M3FNUZ] = {"f8e4m3fnuz", "float8_e4m3fnuz", 1, 8},
    [ELEMENT_F8E5M2] = {"f8e5m2", "float8_e5m2", 1, 8},
    [ELEMENT_F8E5M2FNUZ] = {"f8e5m2fnuz", "float8_e5m2fnuz", 1, 8},
    [ELEMENT_U4] = {"u4", "uint4", 1, 4},
    [ELEMENT_I4] = {"i4", "int4", 1, 4},
    [ELEMENT_I48] = {"i48", "int48", 8, 48},
    [ELEMENT_BFP8_B] = {"bfp8_b", "bfloat8_b", 2, 8},
    [ELEMENT_BFP4_B] = {"bfp4_b", "bfloat4_b", 2, 4},
};

size_t element_size(enum element element)
{
    return FACTS[element].size;
}

unsigned element_bits(enum element element)
{
    return FACTS[element].bits;
}

const char *element_name(enum element element)
{
    return FACTS[element].name;
}

// What MLIR and IREE call some of them.
static enum element element_of_alias(struct view name)
{
    if (view_is(name, "i1") || view_is(name, "pred"))
        return ELEMENT_BOOL;
    if (view_is(name, "index"))
        return ELEMENT_I64;
    if (view_is(name, "f8E4M3FN"))
        return ELEMENT_F8E4M3FN;
    if (view_is(name, "f8E5M2"))
        return ELEMENT_F8E5M2;
    if (view_is(name, "f8E4M3FNUZ"))
        return ELEMENT_F8E4M3FNUZ;
    if (view_is(name, "f8E5M2FNUZ"))
        return ELEMENT_F8E5M2FNUZ;
    return ELEMENT_NONE;
}

static enum element element_of_own_name(struct view name)
{
    for (int i = 1; i < ELEMENT_COUNT; i++) {
        if (view_is(name, FACTS[i].name) || view_is(name, FACTS[i].long_name))
            return (enum element)i;
    }
    return ELEMENT_NONE;
}

enum element element_named(struct view name)
{
    const enum element found = element_of_own_name(name);
    if (found != ELEMENT_NONE)
        return found;
    // "si8", "ui8"
    if (name.size > 2 && name.data[1] == 'i' && (name.data[0] == 's' || name.data[0] == 'u')) {
        char plain[8] = {name.data[0] == 'u' ? 'u' : 'i'};
        if (name.size - 1 < sizeof plain) {
            memcpy(plain + 1, name.data + 2, name.size - 2);
            return element_of_own_name(view_of(plain));
        }
    }
    return element_of_alias(name);
}

enum element element_of_machine(struct view name)
{
    for (int i = ELEMENT_COUNT; i < ELEMENT_ALL; i++) {
        if (view_is(name, FACTS[i].name))
            return (enum element)i;
    }
    return element_named(name);
}

bool element_is_block(enum element element)
{
    return element == ELEMENT_BFP8_B || element == ELEMENT_BFP4_B;
}

enum element element_carrier(enum element element)
{
    return element_is_block(element) ? ELEMENT_BF16 : element;
}

bool element_is_float(enum element element)
{
    switch (element) {
    case ELEMENT_BFP8_B:
    case ELEMENT_BFP4_B:
    case ELEMENT_F32:
    case ELEMENT_F16:
    case ELEMENT_F64:
    case ELEMENT_BF16:
    case ELEMENT_F8E4M3FN:
    case ELEMENT_F8E4M3FNUZ:
    case ELEMENT_F8E5M2:
    case ELEMENT_F8E5M2FNUZ:
        return true;
    default:
        return false;
    }
}

bool element_is_signed(enum element element)
{
    switch (element) {
    case ELEMENT_I4:
    case ELEMENT_I8:
    case ELEMENT_I16:
    case ELEMENT_I32:
    case ELEMENT_I48:
    case ELEMENT_I64:
        return true;
    default:
        return false;
    }
}

bool element_is_integer(enum element element)
{
    switch (element) {
    case ELEMENT_U4:
    case ELEMENT_U8:
    case ELEMENT_U16:
    case ELEMENT_U32:
    case ELEMENT_U64:
        return true;
    default:
        return element_is_signed(element);
    }
}

long long element_lowest(enum element element)
{
    return element_is_signed(element) ? -(1ll << (element_bits(element) - 2)) * 2 : 0;
}

long long element_highest(enum element element)
{
    if (element == ELEMENT_U64)
        return INT64_MAX;
    if (!element_is_integer(element) && element != ELEMENT_BOOL)
        return 0;
    if (element_is_signed(element))
        return ((1ll << (element_bits(element) - 2)) - 1) * 2 + 1;
    return (1ll << element_bits(element)) - 1;
}
