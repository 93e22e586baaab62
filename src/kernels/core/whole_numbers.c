#include "whole_numbers.h"

#include <math.h>
#include <string.h>

static bool fit(const float *numbers, uint64_t count, float scale, int8_t *bytes)
{
    if (!(scale > 0) || !isfinite(1 / scale))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const float whole = rintf(numbers[i] / scale);
        if (!(whole >= INT8_MIN && whole <= INT8_MAX) || whole * scale != numbers[i])
            return false;
        bytes[i] = (int8_t)whole;
    }
    return true;
}

bool whole_numbers_find(const float *numbers, uint64_t count, int8_t *out_bytes, float *out_scale)
{
    float largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i]))
            return false;
        largest = fabsf(numbers[i]) > largest ? fabsf(numbers[i]) : largest;
    }
    if (largest == 0) {
        memset(out_bytes, 0, count);
        *out_scale = 1;
        return true;
    }
    // The largest is a whole number times the scale, up to a rounding of that product.
    for (int whole = -INT8_MIN; whole > 0; whole--) {
        const float about = largest / (float)whole;
        const float tried[] = {about, nextafterf(about, 0), nextafterf(about, INFINITY)};
        for (int i = 0; i < 3; i++) {
            *out_scale = tried[i];
            if (fit(numbers, count, tried[i], out_bytes))
                return true;
        }
    }
    return false;
}
