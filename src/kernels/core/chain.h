// Elementwise operators one after the other, over short runs of elements that stay in
// the cache between one operator and the next.
//
// Numbers are f32 in between. An input has an element for each place, or fewer that repeat
// themselves (one for each channel where channels are last; one for all).

#ifndef OPSCOPE_KERNELS_CORE_CHAIN_H
#define OPSCOPE_KERNELS_CORE_CHAIN_H

#include "byte_results.h"
#include "kernels/parallel.h"
#include "network/tensor.h"

enum { CHAIN_STEPS_MOST = 48, CHAIN_INPUTS_MOST = 12, CHAIN_REGISTERS = 12 };

enum chain_operation {
    CHAIN_READ, // input `left`
    // Of `left` and `right`:
    CHAIN_ADD,
    CHAIN_SUBTRACT,
    CHAIN_MULTIPLY,
    CHAIN_DIVIDE,
    CHAIN_LEAST,
    CHAIN_GREATEST,
    // Of `left`, with the numbers a and b:
    CHAIN_CLIP,       // to [a, b]; NaN stays
    CHAIN_LEAKY,      // x < 0 ? a x : x
    CHAIN_LINEAR,     // (x - b) a: what DequantizeLinear does
    CHAIN_HARD,       // clip(a x + b, 0, 1)
    CHAIN_HARD_SWISH, // clip(x / 6 + 0.5, 0, 1) x
    CHAIN_QUANTIZE,   // round(x / a within [low, high]) + b: what QuantizeLinear does
    CHAIN_SIGMOID,
    CHAIN_TANH,
    CHAIN_ERF,
    CHAIN_EXP,
    CHAIN_SQRT,
    CHAIN_ABSOLUTE,
    CHAIN_NEGATE,
    CHAIN_RECIPROCAL,
    CHAIN_SQUARE,
    CHAIN_CUBE,
};

struct chain_step {
    enum chain_operation operation;
    uint8_t left, right; // steps before this one; of CHAIN_READ an input
    uint8_t target;      // register: chain_finish fills it in
    float a, b, low, high;
};

struct chain_input {
    enum element element; // f32, i8, u8
    uint64_t period;      // 0: as many elements as there are places
};

struct chain {
    struct chain_input inputs[CHAIN_INPUTS_MOST];
    uint32_t input_count;
    struct chain_step steps[CHAIN_STEPS_MOST]; // the last one is the result
    uint32_t step_count;
    enum element result; // f32, i8, u8
};

// Adds an input, or a step. Returns its index; UINT32_MAX when there is no room.
uint32_t chain_add_input(struct chain *chain, enum element element, uint64_t period);
uint32_t chain_add_step(struct chain *chain, struct chain_step step);

// Says where steps keep their numbers. False when there are not enough places.
bool chain_finish(struct chain *chain);

// Whether all that a chain does is to make bytes of one input of reals.
bool chain_only_quantizes(const struct chain *chain, struct byte_result *out_result);

// Places [from, to). `inputs` and `result` point at place 0 and its equals; the result may be
// one of the inputs of the same element.
void chain_run(const struct chain *chain, const void *const *inputs, void *result, uint64_t from,
               uint64_t to);

// Lines of places: input 0 has them one after the other, the result and what else has an element
// for each place have them `stride` places apart. What repeats itself begins anew with each line.
struct chain_lines {
    uint64_t count;
    uint64_t width; // places of a line
    uint64_t stride;
};
void chain_run_lines(const struct chain *chain, const void *const *inputs, void *result,
                     const struct chain_lines *lines);

// All `count` places.
void chain_run_all(const struct chain *chain, const void *const *inputs, void *result,
                   uint64_t count, struct parallel *parallel);

#endif
