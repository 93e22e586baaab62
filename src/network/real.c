#include "real.h"

#include <math.h>

float real_from_f16(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t exponent = bits >> 10 & 0x1f;
    const uint32_t fraction = bits & 0x3ff;
    if (exponent == 0x1f)
        return real_from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent != 0)
        return real_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = (float)fraction * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
}

// The bits of `magnitude` >= 0 in a format with `fraction_bits` below an exponent
// biased by `bias`: the number of units in the last place above zero, rounded to
// nearest even. Neighbouring numbers have neighbouring bits, so that a carry out
// of the fraction is right, and so is what lies beyond the largest number.
static uint32_t narrow_bits(double magnitude, int fraction_bits, int bias)
{
    if (magnitude == 0)
        return 0;
    int exponent;
    frexp(magnitude, &exponent); // magnitude = f x 2^exponent, 0.5 <= f < 1
    const int lowest = 1 - bias;
    const int scale = exponent - 1 < lowest ? lowest : exponent - 1;
    const double units = rint(ldexp(magnitude, fraction_bits - scale));
    return (uint32_t)((scale - lowest) * (1 << fraction_bits)) + (uint32_t)units;
}

uint16_t real_f16_of_double(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return sign | 0x7e00;
    const double magnitude = fabs(value);
    if (magnitude >= 65520.0)
        return sign | 0x7c00;
    return (uint16_t)(sign | narrow_bits(magnitude, 10, 15));
}

uint16_t real_to_f16(float value)
{
    const uint32_t bits = real_bits(value);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (magnitude >= real_bits(65520.0f))
        return sign | 0x7c00;
    // The sum has the unit of the smallest numbers of f16 in its last place, and is rounded.
    if (magnitude < real_bits(0x1p-14f))
        return (uint16_t)(sign | (real_bits(real_from_bits(magnitude) + 0.5f) - real_bits(0.5f)));
    return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

float real_to_odd(double value)
{
    float single = (float)value;
    if (!((double)single != value) || value != value)
        return single;
    const double magnitude = value < 0 ? -value : value;
    uint32_t bits = real_bits(single);
    const float absolute = real_from_bits(bits & 0x7fffffff);
    if ((double)absolute > magnitude)
        bits--; // towards zero
    return real_from_bits(bits | 1);
}

struct narrow_format {
    int fraction_bits;
    int bias;
    uint32_t largest;   // bits of the largest finite magnitude
    bool infinite;      // has infinities
    bool unsigned_zero; // one zero; 0x80 is NaN
};

static struct narrow_format f8_format(enum element element)
{
    switch (element) {
    case ELEMENT_F8E4M3FN:
        return (struct narrow_format){3, 7, 0x7e, false, false};
    case ELEMENT_F8E4M3FNUZ:
        return (struct narrow_format){3, 8, 0x7f, false, true};
    case ELEMENT_F8E5M2:
        return (struct narrow_format){2, 15, 0x7b, true, false};
    default:
        return (struct narrow_format){2, 16, 0x7f, false, true};
    }
}

float real_from_f8(enum element element, uint8_t bits)
{
    const struct narrow_format format = f8_format(element);
    const uint32_t magnitude = bits & 0x7f;
    const bool negative = (bits & 0x80) != 0;
    if (format.unsigned_zero && bits == 0x80)
        return NAN;
    if (magnitude > format.largest) {
        if (format.infinite && magnitude == format.largest + 1)
            return negative ? -INFINITY : INFINITY;
        return NAN;
    }
    const uint32_t exponent = magnitude >> format.fraction_bits;
    const uint32_t fraction = magnitude & ((1u << format.fraction_bits) - 1);
    const uint32_t whole = exponent > 0 ? fraction + (1u << format.fraction_bits) : fraction;
    const int scale = (exponent > 0 ? (int)exponent : 1) - format.bias - format.fraction_bits;
    const float value = ldexpf((float)whole, scale);
    return negative ? -value : value;
}

uint8_t real_to_f8(enum element element, float value, bool saturate)
{
    const struct narrow_format format = f8_format(element);
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    const uint8_t not_a_number = format.unsigned_zero ? 0x80 : (uint8_t)(sign | 0x7f);
    const uint8_t beyond = format.infinite        ? (uint8_t)(sign | (format.largest + 1))
                           : format.unsigned_zero ? 0x80
                                                  : (uint8_t)(sign | 0x7f);
    if (isnan(value))
        return not_a_number;
    if (isinf(value))
        return saturate ? (uint8_t)(sign | format.largest) : beyond;
    const uint32_t bits = narrow_bits(fabs((double)value), format.fraction_bits, format.bias);
    if (bits > format.largest)
        return saturate ? (uint8_t)(sign | format.largest) : beyond;
    if (bits == 0 && format.unsigned_zero)
        return 0;
    return (uint8_t)(sign | bits);
}
