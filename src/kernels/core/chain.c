#include "chain.h"

#include <string.h>

#include "chain_scaling.h"
#include "clones.h"
#include "elementary.h"

enum {
    BLOCK = 256,   // elements of a register
    PIECE = 16384, // places that are worth a piece of their own
};

uint32_t chain_add_input(struct chain *chain, enum element element, uint64_t period)
{
    if (chain->input_count == CHAIN_INPUTS_MOST)
        return UINT32_MAX;
    chain->inputs[chain->input_count] = (struct chain_input){element, period};
    return chain->input_count++;
}

uint32_t chain_add_step(struct chain *chain, struct chain_step step)
{
    if (chain->step_count == CHAIN_STEPS_MOST)
        return UINT32_MAX;
    chain->steps[chain->step_count] = step;
    return chain->step_count++;
}

static bool chain_step_reads(const struct chain_step *step, uint32_t index)
{
    if (step->operation == CHAIN_READ)
        return false;
    return step->left == index || (step->operation <= CHAIN_GREATEST && step->right == index);
}

static bool needed_later(const struct chain *chain, uint32_t index, uint32_t now)
{
    for (uint32_t i = now; i < chain->step_count; i++) {
        if (chain_step_reads(&chain->steps[i], index))
            return true;
    }
    return false;
}

bool chain_finish(struct chain *chain)
{
    uint32_t owners[CHAIN_REGISTERS];
    memset(owners, 0xff, sizeof owners);
    for (uint32_t i = 0; i < chain->step_count; i++) {
        uint32_t place = 0;
        while (place < CHAIN_REGISTERS && owners[place] != UINT32_MAX &&
               needed_later(chain, owners[place], i))
            place++;
        if (place == CHAIN_REGISTERS)
            return false;
        owners[place] = i;
        chain->steps[i].target = (uint8_t)place;
    }
    return chain->step_count > 0;
}

// Reading and writing ----------------------------------------------------------------

CORE_CLONES(void, widen_u8, (const uint8_t *from, float *to, uint64_t count), (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

CORE_CLONES(void, widen_i8, (const int8_t *from, float *to, uint64_t count), (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

// CHAIN_LINEAR of bytes.
CORE_CLONES(void, scale_u8, (const void *from, float a, float b, float *to, uint64_t count),
            (from, a, b, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = ((float)((const uint8_t *)from)[i] - b) * a;
}

CORE_CLONES(void, scale_i8, (const void *from, float a, float b, float *to, uint64_t count),
            (from, a, b, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = ((float)((const int8_t *)from)[i] - b) * a;
}

CORE_CLONES(void, narrow_u8, (const float *from, uint8_t *to, uint64_t count), (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (uint8_t)(int32_t)from[i];
}

CORE_CLONES(void, narrow_i8, (const float *from, int8_t *to, uint64_t count), (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (int8_t)(int32_t)from[i];
}

static void chain_widen(enum element element, const void *from, uint64_t at, float *to,
                        uint64_t count)
{
    if (element == ELEMENT_U8)
        widen_u8((const uint8_t *)from + at, to, count);
    else if (element == ELEMENT_I8)
        widen_i8((const int8_t *)from + at, to, count);
    else
        memcpy(to, (const float *)from + at, count * sizeof *to);
}

static void chain_narrow(enum element element, const float *from, void *to, uint64_t at,
                         uint64_t count)
{
    if (element == ELEMENT_U8)
        narrow_u8(from, (uint8_t *)to + at, count);
    else if (element == ELEMENT_I8)
        narrow_i8(from, (int8_t *)to + at, count);
    else if ((float *)to + at != from)
        memcpy((float *)to + at, from, count * sizeof *from);
}

static void chain_repeat(const struct chain_input *input, const void *from, uint64_t at, float *to,
                         uint64_t count)
{
    if (input->period == 1) {
        chain_widen(input->element, from, 0, to, 1);
        for (uint64_t i = 1; i < count; i++)
            to[i] = to[0];
        return;
    }
    for (uint64_t done = 0; done < count;) {
        const uint64_t begin = (at + done) % input->period;
        const uint64_t left = input->period - begin;
        const uint64_t length = left < count - done ? left : count - done;
        chain_widen(input->element, from, begin, to + done, length);
        done += length;
    }
}

// Computing --------------------------------------------------------------------------

#define LOOP(expression)                                                                           \
    for (uint64_t i = 0; i < count; i++) {                                                         \
        const float x = left[i];                                                                   \
        to[i] = (expression);                                                                      \
    }                                                                                              \
    break

#define CLAMP(value, lowest, highest)                                                              \
    ((value) < (lowest) ? (lowest) : (value) > (highest) ? (highest) : (value))

CORE_CLONES(void, compute_two,
            (enum chain_operation operation, const float *left, const float *right, float *to,
             uint64_t count),
            (operation, left, right, to, count))
{
    switch (operation) {
    case CHAIN_ADD:
        LOOP(x + right[i]);
    case CHAIN_SUBTRACT:
        LOOP(x - right[i]);
    case CHAIN_MULTIPLY:
        LOOP(x * right[i]);
    case CHAIN_DIVIDE:
        LOOP(x / right[i]);
    case CHAIN_LEAST:
        LOOP(x < right[i] || x != x ? x : right[i]);
    default:
        LOOP(x > right[i] || x != x ? x : right[i]);
    }
}

// The same with one number on the right.
CORE_CLONES(void, compute_with,
            (enum chain_operation operation, const float *left, float right, float *to,
             uint64_t count),
            (operation, left, right, to, count))
{
    switch (operation) {
    case CHAIN_ADD:
        LOOP(x + right);
    case CHAIN_SUBTRACT:
        LOOP(x - right);
    case CHAIN_MULTIPLY:
        LOOP(x * right);
    case CHAIN_DIVIDE:
        LOOP(x / right);
    case CHAIN_LEAST:
        LOOP(x < right || x != x ? x : right);
    default:
        LOOP(x > right || x != x ? x : right);
    }
}

CORE_CLONES(void, compute_simple,
            (const struct chain_step *step, const float *left, float *to, uint64_t count),
            (step, left, to, count))
{
    const float a = step->a, b = step->b;
    switch (step->operation) {
    case CHAIN_CLIP:
        LOOP(CLAMP(x, a, b));
    case CHAIN_LEAKY:
        LOOP(x < 0 ? a * x : x);
    case CHAIN_LINEAR:
        LOOP((x - b) * a);
    case CHAIN_HARD:
        LOOP(CLAMP(b + a * x, 0.0f, 1.0f));
    case CHAIN_HARD_SWISH:
        LOOP(CLAMP(x / 6.0f + 0.5f, 0.0f, 1.0f) * x);
    case CHAIN_SQRT:
        LOOP(sqrtf(x));
    case CHAIN_ABSOLUTE:
        LOOP(fabsf(x));
    case CHAIN_NEGATE:
        LOOP(-x);
    case CHAIN_SQUARE:
        LOOP(x * x);
    case CHAIN_CUBE:
        LOOP(elementary_cube_f32(x));
    default:
        LOOP(1.0f / x);
    }
}

// Rounds by adding and taking away 1.5 x 2^23, which every machine has as vectors; the
// numbers lie within 2^22. NaN becomes the lowest.
static const float ROUNDING = 12582912.0f;

static inline float within(float scaled, float low, float high)
{
    const float raised = scaled > low ? scaled : low;
    return raised < high ? raised : high;
}

static inline float rounded(float scaled, float low, float high)
{
    return (within(scaled, low, high) + ROUNDING) - ROUNDING;
}

// How far from the integer that it is rounded to a quotient may lie so that its last bits, which
// are others when it is divided, surely do not matter.
static const float SURE = 0.4999f;

// By the inverse of the scale, which takes much less time. Returns whether some quotient lies
// so close to the middle between two integers that it may round the other way when divided.
CORE_CLONES(bool, quantize_quickly,
            (const struct chain_step *step, const float *left, float *to, uint64_t count),
            (step, left, to, count))
{
    const float inverse = 1.0f / step->a, b = step->b, low = step->low, high = step->high;
    int32_t doubtful = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float scaled = within(left[i] * inverse, low, high);
        const float whole = (scaled + ROUNDING) - ROUNDING;
        doubtful |= fabsf(scaled - whole) > SURE;
        to[i] = whole + b;
    }
    return doubtful != 0;
}

CORE_CLONES(void, quantize_exactly,
            (const struct chain_step *step, const float *left, float *to, uint64_t count),
            (step, left, to, count))
{
    const float a = step->a, b = step->b, low = step->low, high = step->high;
    for (uint64_t i = 0; i < count; i++)
        to[i] = rounded(left[i] / a, low, high) + b;
}

CORE_CLONES(void, compute_curve,
            (enum chain_operation operation, const float *left, float *to, uint64_t count),
            (operation, left, to, count))
{
    switch (operation) {
    case CHAIN_SIGMOID:
        LOOP(elementary_sigmoid_f32(x));
    case CHAIN_TANH:
        LOOP(elementary_tanh_f32(x));
    case CHAIN_ERF:
        LOOP(elementary_erf_f32(x));
    default:
        LOOP(elementary_exp_f32(x));
    }
}

static void chain_compute(const struct chain_step *step, const float *left, float *to,
                          uint64_t count)
{
    switch (step->operation) {
    case CHAIN_QUANTIZE:
        // `to` may be `left`: what is doubtful is done again from what was there.
        if (to == left || quantize_quickly(step, left, to, count))
            quantize_exactly(step, left, to, count);
        break;
    case CHAIN_SIGMOID:
    case CHAIN_TANH:
    case CHAIN_ERF:
    case CHAIN_EXP:
        compute_curve(step->operation, left, to, count);
        break;
    default:
        compute_simple(step, left, to, count);
        break;
    }
}

struct registers {
    _Alignas(64) float rooms[CHAIN_REGISTERS][BLOCK];
    const float *numbers[CHAIN_STEPS_MOST]; // by step
    bool single[CHAIN_STEPS_MOST]; // by step: one number for all places, in front of the room
    // What repeats itself after no more than a block, as often as a block has room for it: by
    // input, if it has been asked for.
    _Alignas(64) float repeated[CHAIN_INPUTS_MOST][BLOCK];
    bool is_repeated[CHAIN_INPUTS_MOST];
};

static bool is_single(const struct chain *chain, const struct chain_step *step)
{
    return step->operation == CHAIN_READ && chain->inputs[step->left].period == 1;
}

static void chain_fill(float *room, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        room[i] = room[0];
}

static void chain_compute_two(const struct chain *chain, const struct chain_step *step,
                              struct registers *registers, float *to, uint64_t count)
{
    const float *left = registers->numbers[step->left], *right = registers->numbers[step->right];
    if (registers->single[step->left]) {
        chain_fill(registers->rooms[chain->steps[step->left].target], count);
        registers->single[step->left] = false;
    }
    if (registers->single[step->right])
        compute_with(step->operation, left, right[0], to, count);
    else
        compute_two(step->operation, left, right, to, count);
}

// A step that computes, into `to`.
static void chain_step_run(const struct chain *chain, const struct chain_step *step,
                           struct registers *registers, float *to, uint64_t count)
{
    if (step->operation <= CHAIN_GREATEST) {
        chain_compute_two(chain, step, registers, to, count);
        return;
    }
    if (registers->single[step->left]) {
        chain_fill(registers->rooms[chain->steps[step->left].target], count);
        registers->single[step->left] = false;
    }
    chain_compute(step, registers->numbers[step->left], to, count);
}

// After how many places inputs begin anew, all at once; 0: they do not, or each by itself.
static uint64_t period_of_all(const struct chain *chain)
{
    uint64_t period = 0;
    for (uint32_t i = 0; i < chain->input_count; i++) {
        const uint64_t own = chain->inputs[i].period;
        if (own > 1 && period != 0 && own != period)
            return 0;
        period = own > 1 ? own : period;
    }
    return period;
}

// Places from `at` on that are done at a time: within a period, or some whole ones, so that what
// repeats itself need not be put together for each block.
static uint64_t block_from(uint64_t at, uint64_t period)
{
    if (period == 0)
        return BLOCK;
    const uint64_t done = at % period;
    if (period <= BLOCK)
        return done > 0 ? period - done : BLOCK / period * period;
    const uint64_t parts = (period + BLOCK - 1) / BLOCK, each = (period + parts - 1) / parts;
    return each < period - done ? each : period - done;
}

// The numbers of an input that repeats itself, of a block that block_from gave.
static const float *repeated_from(const struct chain_input *input, uint32_t index, const void *from,
                                  uint64_t at, struct registers *registers)
{
    const uint64_t begin = at % input->period;
    if (input->period > BLOCK)
        return (const float *)from + begin;
    if (!registers->is_repeated[index])
        chain_repeat(input, from, 0, registers->repeated[index], BLOCK);
    registers->is_repeated[index] = true;
    return registers->repeated[index] + begin;
}

static void chain_run_block(const struct chain *chain, const void *const *inputs, void *result,
                            uint64_t at, uint64_t count, struct registers *registers, bool whole)
{
    const uint32_t last = chain->step_count - 1;
    for (uint32_t i = 0; i <= last; i++) {
        const struct chain_step *step = &chain->steps[i];
        float *room = registers->rooms[step->target];
        registers->numbers[i] = room;
        registers->single[i] = i < last && is_single(chain, step);
        if (step->operation == CHAIN_READ) {
            const struct chain_input *input = &chain->inputs[step->left];
            const void *from = inputs[step->left];
            if (registers->single[i])
                chain_widen(input->element, from, 0, room, 1);
            else if (whole && input->period > 1 && input->element == ELEMENT_F32)
                registers->numbers[i] = repeated_from(input, step->left, from, at, registers);
            else if (input->period > 0)
                chain_repeat(input, from, at, room, count);
            else if (input->element == ELEMENT_F32)
                registers->numbers[i] = (const float *)from + at;
            else
                chain_widen(input->element, from, at, room, count);
            continue;
        }
        const bool straight = i == last && chain->result == ELEMENT_F32;
        float *to = straight ? (float *)result + at : room;
        registers->numbers[i] = to;
        chain_step_run(chain, step, registers, to, count);
    }
    chain_narrow(chain->result, registers->numbers[last], result, at, count);
}

bool chain_only_quantizes(const struct chain *chain, struct byte_result *out_result)
{
    const struct chain_step *step = &chain->steps[chain->step_count - 1];
    const struct chain_step *read = &chain->steps[step->left];
    if (step->operation != CHAIN_QUANTIZE || read->operation != CHAIN_READ || read->left != 0 ||
        chain->inputs[0].element != ELEMENT_F32 || chain->inputs[0].period != 0 ||
        chain->result == ELEMENT_F32)
        return false;
    *out_result = (struct byte_result){
        .scale = step->a, .low = step->low, .high = step->high, .zero = (int32_t)step->b};
    return true;
}

// Whether a chain does no more than to scale bytes to reals.
static bool only_scales(const struct chain *chain)
{
    return chain->step_count == 2 && chain->steps[0].operation == CHAIN_READ &&
           chain->steps[0].left == 0 && chain->steps[1].operation == CHAIN_LINEAR &&
           chain->inputs[0].element != ELEMENT_F32 && chain->inputs[0].period == 0 &&
           chain->result == ELEMENT_F32;
}

void chain_run(const struct chain *chain, const void *const *inputs, void *result, uint64_t from,
               uint64_t to)
{
    struct registers registers;
    struct byte_result bytes;
    struct chain_scaling scaling;
    if (chain_only_quantizes(chain, &bytes)) {
        byte_results_put(&bytes, (const float *)inputs[0] + from, to - from,
                         (uint8_t *)result + from);
        return;
    }
    if (only_scales(chain)) {
        const struct chain_step *step = &chain->steps[1];
        (chain->inputs[0].element == ELEMENT_U8 ? scale_u8 : scale_i8)(
            (const char *)inputs[0] + from, step->a, step->b, (float *)result + from, to - from);
        return;
    }
    if (chain_scaling_find(chain, &scaling)) {
        chain_scaling_run(&scaling, inputs, result, from, to);
        return;
    }
    const uint64_t period = period_of_all(chain);
    memset(registers.is_repeated, 0, sizeof registers.is_repeated);
    for (uint64_t at = from, count; at < to; at += count) {
        count = block_from(at, period);
        count = to - at < count ? to - at : count;
        chain_run_block(chain, inputs, result, at, count, &registers, period > 0);
    }
}

// An input's elements of some lines, one after the other in `room`.
static const float *read_lines(const struct chain *chain, uint32_t index, const void *from,
                               uint64_t first, const struct chain_lines *lines, float *room)
{
    const struct chain_input *input = &chain->inputs[index];
    const uint64_t width = lines->width;
    if (index == 0 && input->period == 0 && input->element == ELEMENT_F32)
        return (const float *)from + first * width;
    for (uint64_t i = 0; i < lines->count; i++) {
        const uint64_t at = (first + i) * (index == 0 ? width : lines->stride);
        chain_widen(input->element, from, at, room + i * width, width);
    }
    return room;
}

// The same of an input that begins anew with each line; the first lines are the most that are
// asked for.
static const float *repeated_lines(const struct chain *chain, uint32_t index, const void *from,
                                   const struct chain_lines *lines, struct registers *registers)
{
    float *numbers = registers->repeated[index];
    for (uint64_t i = 0; !registers->is_repeated[index] && i < lines->count; i++)
        chain_widen(chain->inputs[index].element, from, 0, numbers + i * lines->width,
                    lines->width);
    registers->is_repeated[index] = true;
    return numbers;
}

// Lines that have room in the registers together, from `first` on.
static void run_few_lines(const struct chain *chain, const void *const *inputs, void *result,
                          uint64_t first, const struct chain_lines *lines,
                          struct registers *registers)
{
    for (uint32_t i = 0; i < chain->step_count; i++) {
        const struct chain_step *step = &chain->steps[i];
        float *room = registers->rooms[step->target];
        registers->numbers[i] = room;
        registers->single[i] = i + 1 < chain->step_count && is_single(chain, step);
        if (registers->single[i])
            chain_widen(chain->inputs[step->left].element, inputs[step->left], 0, room, 1);
        else if (step->operation == CHAIN_READ)
            registers->numbers[i] =
                chain->inputs[step->left].period > 0
                    ? repeated_lines(chain, step->left, inputs[step->left], lines, registers)
                    : read_lines(chain, step->left, inputs[step->left], first, lines, room);
        else
            chain_step_run(chain, step, registers, room, lines->count * lines->width);
    }
    for (uint64_t i = 0; i < lines->count; i++)
        chain_narrow(chain->result, registers->numbers[chain->step_count - 1] + i * lines->width,
                     result, (first + i) * lines->stride, lines->width);
}

void chain_run_lines(const struct chain *chain, const void *const *inputs, void *result,
                     const struct chain_lines *lines)
{
    struct registers registers;
    struct chain_scaling scaling;
    if (chain_scaling_find(chain, &scaling) && scaling.source == 0) {
        chain_scaling_run_lines(&scaling, inputs, result, lines);
        return;
    }
    const uint64_t together = BLOCK / lines->width;
    memset(registers.is_repeated, 0, sizeof registers.is_repeated);
    for (uint64_t i = 0; together > 0 && i < lines->count; i += together) {
        const uint64_t left = lines->count - i;
        const struct chain_lines few = {left < together ? left : together, lines->width,
                                        lines->stride};
        run_few_lines(chain, inputs, result, i, &few, &registers);
    }
    for (uint64_t i = 0; together == 0 && i < lines->count; i++) {
        const void *own[CHAIN_INPUTS_MOST];
        for (uint32_t j = 0; j < chain->input_count; j++) {
            const struct chain_input *input = &chain->inputs[j];
            const uint64_t at = input->period > 0 ? 0 : i * (j == 0 ? lines->width : lines->stride);
            own[j] = (const char *)inputs[j] + at * element_size(input->element);
        }
        chain_run(chain, own, (char *)result + i * lines->stride * element_size(chain->result), 0,
                  lines->width);
    }
}

struct job {
    const struct chain *chain;
    const void *const *inputs;
    void *result;
};

static void chain_run_piece(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    chain_run(job->chain, job->inputs, job->result, from, to);
}

void chain_run_all(const struct chain *chain, const void *const *inputs, void *result,
                   uint64_t count, struct parallel *parallel)
{
    struct job job = {chain, inputs, result};
    parallel_for(parallel, count, PIECE, chain_run_piece, &job);
}
