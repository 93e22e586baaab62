// Narrow floating-point numbers: conversion to and from f32, rounding to
// nearest, ties to even.

#ifndef OPSCOPE_NETWORK_REAL_H
#define OPSCOPE_NETWORK_REAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "element.h"

static inline uint32_t real_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float real_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float real_from_bf16(uint16_t bits)
{
    return real_from_bits((uint32_t)bits << 16);
}

static inline uint16_t real_to_bf16(float value)
{
    const uint32_t bits = real_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); // NaN stays NaN
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float real_from_f16(uint16_t bits);
uint16_t real_to_f16(float value);

// From a double, rounded once.
uint16_t real_f16_of_double(double value);

// The nearest float whose last bit says whether anything was lost, so that
// rounding it once more to fewer bits rounds as from the double.
float real_to_odd(double value);

// `element` is one of the four 8-bit ones. Values beyond the largest saturate,
// or become infinite (NaN where the type has no infinity).
float real_from_f8(enum element element, uint8_t bits);
uint8_t real_to_f8(enum element element, float value, bool saturate);

#endif
