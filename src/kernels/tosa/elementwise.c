// Elementwise operators. Most are ONNX's under another name; here is what TOSA
// has of its own. Integers wrap around, f16 and bf16 are computed in f32.

#include <math.h>
#include <stdatomic.h>

#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/elementary.h"
#include "kernels/core/typed.h"
#include "kernels/kernel_tables.h"
#include "narrow.h"
#include "tosa.h"

// Operators that ONNX has as well -----------------------------------------------

#define SAME(function, name, inputs)                                                               \
    static status function(struct kernel_call *call)                                               \
    {                                                                                              \
        return tosa_run_as(call, name, inputs);                                                    \
    }

SAME(run_abs, "Abs", 1)
SAME(run_add, "Add", 2)
SAME(run_sub, "Sub", 2)
SAME(run_pow, "Pow", 2)
SAME(run_bitwise_and, "BitwiseAnd", 2)
SAME(run_bitwise_or, "BitwiseOr", 2)
SAME(run_bitwise_xor, "BitwiseXor", 2)
SAME(run_bitwise_not, "BitwiseNot", 1)
SAME(run_logical_and, "And", 2)
SAME(run_logical_or, "Or", 2)
SAME(run_logical_xor, "Xor", 2)
SAME(run_logical_not, "Not", 1)
SAME(run_equal, "Equal", 2)
SAME(run_greater, "Greater", 2)
SAME(run_greater_equal, "GreaterOrEqual", 2)
SAME(run_select, "Where", 3)
SAME(run_ceil, "Ceil", 1)
SAME(run_floor, "Floor", 1)
SAME(run_reciprocal, "Reciprocal", 1)
SAME(run_exp, "Exp", 1)
SAME(run_log, "Log", 1)
SAME(run_sin, "Sin", 1)
SAME(run_cos, "Cos", 1)
SAME(run_tanh, "Tanh", 1)
SAME(run_erf, "Erf", 1)

// 1 / (1 + exp(-x)); f16 and bf16 are rounded at every step.
static void sigmoid_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                        uint64_t count)
{
    enum { CHUNK = 256 };
    const enum element element = *(const enum element *)context;
    (void)steps;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        float values[CHUNK];
        convert_to_f32(element, (const uint16_t *)in[0] + at, values, part);
        for (uint64_t i = 0; i < part; i++)
            values[i] = elementary_exp_f32(-values[i]);
        narrow_round(element, values, part);
        for (uint64_t i = 0; i < part; i++)
            values[i] += 1;
        narrow_round(element, values, part);
        for (uint64_t i = 0; i < part; i++)
            values[i] = 1 / values[i];
        convert_from_f32(element, values, (uint16_t *)out + at, part);
    }
}

static status run_sigmoid(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const enum element element = call->inputs[0]->element;
    if (element != ELEMENT_F16 && element != ELEMENT_BF16)
        return tosa_run_as(call, "Sigmoid", 1);
    if (out != NULL)
        broadcast_tensors(call->parallel, out, call->inputs, 1, sigmoid_row, &element);
    return STATUS_OK;
}

// Rows ------------------------------------------------------------------------

// Runs `rows` over the first `inputs` inputs.
static status run_rows(struct kernel_call *call, const typed_rows rows, uint32_t inputs,
                       const void *context)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct tensor views[2];
    const struct tensor *pointers[2];
    for (uint32_t i = 0; i < inputs; i++) {
        views[i] = tosa_view(call->inputs[i], false);
        pointers[i] = &views[i];
    }
    const struct tensor view = tosa_view(out, false);
    return typed_run_tensors(call->parallel, &view, pointers, inputs, rows, context);
}

// `expression` of x and y, both of type `number`, and of *context.
#define BINARY_ROW(name, type, context_type, expression)                                           \
    CORE_CLONES(void, name, TYPED_PARAMETERS, TYPED_ARGUMENTS)                                     \
    {                                                                                              \
        typedef type number;                                                                       \
        context_type *with __attribute__((unused)) = (context_type *)context;                      \
        const number *a = in[0];                                                                   \
        const number *b = in[1];                                                                   \
        number *to = out;                                                                          \
        if (steps[0] != 0 && steps[1] != 0) {                                                      \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number x = a[i];                                                             \
                const number y = b[i];                                                             \
                to[i] = (number)(expression);                                                      \
            }                                                                                      \
        } else if (steps[0] != 0) {                                                                \
            const number y = *b;                                                                   \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number x = a[i];                                                             \
                to[i] = (number)(expression);                                                      \
            }                                                                                      \
        } else {                                                                                   \
            const number x = *a;                                                                   \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number y = b[i * steps[1]];                                                  \
                to[i] = (number)(expression);                                                      \
            }                                                                                      \
        }                                                                                          \
    }

#define UNARY_ROW(name, type, context_type, expression)                                            \
    CORE_CLONES(void, name, TYPED_PARAMETERS, TYPED_ARGUMENTS)                                     \
    {                                                                                              \
        typedef type number;                                                                       \
        const context_type *with __attribute__((unused)) = context;                                \
        const number *from = in[0];                                                                \
        number *to = out;                                                                          \
        (void)steps;                                                                               \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const number x = from[i];                                                              \
            to[i] = (number)(expression);                                                          \
        }                                                                                          \
    }

#define INTEGER_ROWS(form, i8, u8, i16, u16, i32, u32, i64, context_type, expression)              \
    form(i8, int8_t, context_type, expression) form(u8, uint8_t, context_type, expression)         \
        form(i16, int16_t, context_type, expression) form(u16, uint16_t, context_type, expression) \
            form(i32, int32_t, context_type, expression)                                           \
                form(u32, uint32_t, context_type, expression)                                      \
                    form(i64, int64_t, context_type, expression)

#define REAL_ROWS(form, f32, f64, context_type, expression)                                        \
    form(f32, float, context_type, expression) form(f64, double, context_type, expression)

#define INTEGER_TABLE(name)                                                                        \
    [ELEMENT_I8] = name##_i8, [ELEMENT_U8] = name##_u8, [ELEMENT_I16] = name##_i16,                \
    [ELEMENT_U16] = name##_u16, [ELEMENT_I32] = name##_i32, [ELEMENT_U32] = name##_u32,            \
    [ELEMENT_I64] = name##_i64
#define REAL_TABLE(name) [ELEMENT_F32] = name##_f32, [ELEMENT_F64] = name##_f64

// The larger and the smaller one ---------------------------------------------------

INTEGER_ROWS(BINARY_ROW, larger_i8, larger_u8, larger_i16, larger_u16, larger_i32, larger_u32,
             larger_i64, const void, x > y ? x : y)
INTEGER_ROWS(BINARY_ROW, smaller_i8, smaller_u8, smaller_i16, smaller_u16, smaller_i32, smaller_u32,
             smaller_i64, const void, x < y ? x : y)
REAL_ROWS(BINARY_ROW, larger_f32, larger_f64, const void, x > y || x != x ? x : y)
REAL_ROWS(BINARY_ROW, smaller_f32, smaller_f64, const void, x < y || x != x ? x : y)
// Where NaN is ignored.
REAL_ROWS(BINARY_ROW, larger_number_f32, larger_number_f64, const void, x > y || y != y ? x : y)
REAL_ROWS(BINARY_ROW, smaller_number_f32, smaller_number_f64, const void, x < y || y != y ? x : y)

static status run_maximum(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(larger), REAL_TABLE(larger)};
    static const typed_rows numbers = {INTEGER_TABLE(larger), REAL_TABLE(larger_number)};
    return run_rows(call, tosa_ignores_nan(call) ? numbers : rows, 2, NULL);
}

static status run_minimum(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(smaller), REAL_TABLE(smaller)};
    static const typed_rows numbers = {INTEGER_TABLE(smaller), REAL_TABLE(smaller_number)};
    return run_rows(call, tosa_ignores_nan(call) ? numbers : rows, 2, NULL);
}

// Shifts ------------------------------------------------------------------------

#define WIDTH ((int)(8 * sizeof(number)))

static inline uint64_t bits_of(int64_t value, int width)
{
    return width == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << width) - 1);
}

// A shift by as many bits as there are, or by more, leaves nothing but the sign.
static inline bool beyond(int64_t by, int width)
{
    return by < 0 || by >= width;
}

static inline uint64_t shift_left(uint64_t bits, int64_t by, int width)
{
    return beyond(by, width) ? 0 : bits << by;
}

static inline uint64_t shift_right(uint64_t bits, int64_t by, int width)
{
    return beyond(by, width) ? 0 : bits >> by;
}

static inline int64_t shift_signed(int64_t value, int64_t by, bool round)
{
    if (beyond(by, 64))
        return value < 0 ? -1 : 0;
    return (value >> by) + (round && by > 0 ? value >> (by - 1) & 1 : 0);
}

#define BITS(x) bits_of((int64_t)(x), WIDTH)
INTEGER_ROWS(BINARY_ROW, left_shift_i8, left_shift_u8, left_shift_i16, left_shift_u16,
             left_shift_i32, left_shift_u32, left_shift_i64, const void,
             shift_left(BITS(x), (int64_t)y, WIDTH))
INTEGER_ROWS(BINARY_ROW, right_shift_i8, right_shift_u8, right_shift_i16, right_shift_u16,
             right_shift_i32, right_shift_u32, right_shift_i64, const void,
             shift_right(BITS(x), (int64_t)y, WIDTH))
INTEGER_ROWS(BINARY_ROW, sign_shift_i8, sign_shift_u8, sign_shift_i16, sign_shift_u16,
             sign_shift_i32, sign_shift_u32, sign_shift_i64, const void,
             shift_signed((int64_t)x, (int64_t)y, false))
INTEGER_ROWS(BINARY_ROW, round_shift_i8, round_shift_u8, round_shift_i16, round_shift_u16,
             round_shift_i32, round_shift_u32, round_shift_i64, const void,
             shift_signed((int64_t)x, (int64_t)y, true))

static status run_logical_left_shift(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(left_shift)};
    return run_rows(call, rows, 2, NULL);
}

static status run_logical_right_shift(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(right_shift)};
    return run_rows(call, rows, 2, NULL);
}

static status run_arithmetic_right_shift(struct kernel_call *call)
{
    static const typed_rows plain = {INTEGER_TABLE(sign_shift)};
    static const typed_rows rounded = {INTEGER_TABLE(round_shift)};
    const bool round = attribute_integer(call->attributes, "round", 0) != 0;
    return run_rows(call, round ? rounded : plain, 2, NULL);
}

// Division ------------------------------------------------------------------------

// Towards zero. The lowest number divided by -1 is itself.
static inline int64_t divide(int64_t x, int64_t y, atomic_bool *out_zero)
{
    if (y == 0) {
        atomic_store_explicit(out_zero, true, memory_order_relaxed);
        return 0;
    }
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

INTEGER_ROWS(BINARY_ROW, quotient_i8, quotient_u8, quotient_i16, quotient_u16, quotient_i32,
             quotient_u32, quotient_i64, atomic_bool, divide((int64_t)x, (int64_t)y, with))

static status run_intdiv(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(quotient)};
    atomic_bool zero = false;
    STATUS_TRY(run_rows(call, rows, 2, &zero));
    return zero ? status_make(STATUS_DATA, "a division by zero") : STATUS_OK;
}

// Of one number -------------------------------------------------------------------

static inline int leading_zeros(uint64_t bits, int width)
{
    return bits == 0 ? width : __builtin_clzll(bits) - (64 - width);
}

INTEGER_ROWS(UNARY_ROW, clz_i8, clz_u8, clz_i16, clz_u16, clz_i32, clz_u32, clz_i64, void,
             leading_zeros(BITS(x), WIDTH))
REAL_ROWS(UNARY_ROW, rsqrt_f32, rsqrt_f64, void,
          1 / (sizeof x == sizeof(float) ? sqrtf((float)x) : sqrt((double)x)))

static status run_clz(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(clz)};
    return run_rows(call, rows, 1, NULL);
}

static status run_rsqrt(struct kernel_call *call)
{
    static const typed_rows rows = {REAL_TABLE(rsqrt)};
    return run_rows(call, rows, 1, NULL);
}

// Limits of a clamp, or what a number is subtracted from (`zero`).
struct limits {
    int64_t lowest;
    int64_t highest;
    int64_t zero;
    double least;
    double most;
};

#define BETWEEN(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

INTEGER_ROWS(UNARY_ROW, clamp_i8, clamp_u8, clamp_i16, clamp_u16, clamp_i32, clamp_u32, clamp_i64,
             struct limits, BETWEEN(x, (number)with->lowest, (number)with->highest))
REAL_ROWS(UNARY_ROW, clamp_f32, clamp_f64, struct limits,
          BETWEEN(x, (number)with->least, (number)with->most))
REAL_ROWS(UNARY_ROW, clamp_number_f32, clamp_number_f64, struct limits,
          x > (number)with->least ? BETWEEN(x, (number)with->least, (number)with->most)
                                  : (number)with->least)

static int64_t within(int64_t value, enum element element)
{
    return BETWEEN(value, (int64_t)element_lowest(element), (int64_t)element_highest(element));
}

static status run_clamp(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(clamp), REAL_TABLE(clamp)};
    static const typed_rows numbers = {INTEGER_TABLE(clamp), REAL_TABLE(clamp_number)};
    const enum element element = tosa_element(call->inputs[0]->element, false);
    struct limits limits = {
        .lowest = attribute_integer(call->attributes, "min_val", 0),
        .highest = attribute_integer(call->attributes, "max_val", 0),
        .least = attribute_real(call->attributes, "min_val", 0),
        .most = attribute_real(call->attributes, "max_val", 0),
    };
    if (element_is_integer(element)) {
        limits.lowest = within(limits.lowest, element);
        limits.highest = within(limits.highest, element);
    }
    return run_rows(call, tosa_ignores_nan(call) ? numbers : rows, 1, &limits);
}

static inline int64_t elementwise_subtract(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

// zero - x, within the type; -x of floats.
INTEGER_ROWS(UNARY_ROW, negate_i8, negate_u8, negate_i16, negate_u16, negate_i32, negate_u32,
             negate_i64, struct limits,
             BETWEEN(elementwise_subtract(with->zero, (int64_t)x), with->lowest, with->highest))
REAL_ROWS(UNARY_ROW, negate_f32, negate_f64, void, -x)

static status run_negate(struct kernel_call *call)
{
    static const typed_rows rows = {INTEGER_TABLE(negate), REAL_TABLE(negate)};
    const enum element element = tosa_element(call->inputs[0]->element, false);
    struct limits limits = {0};
    if (element_is_integer(element)) {
        limits.lowest = element_lowest(element);
        limits.highest = element_highest(element);
        limits.zero = within(tosa_integer(call->inputs[1], 0), ELEMENT_I32) +
                      within(tosa_integer(call->inputs[2], 0), ELEMENT_I32);
    }
    return run_rows(call, rows, 1, &limits);
}

// Products ------------------------------------------------------------------------

// Factors widened to i32, or i64 where the result is wider or shifted.
struct product {
    enum element in;
    enum element out;
    int64_t shift;
};

static inline int64_t shifted_product(int64_t x, int64_t y, int64_t shift)
{
    const uint64_t round = shift > 0 ? UINT64_C(1) << (shift - 1) : 0;
    return (int64_t)((uint64_t)x * (uint64_t)y + round) >> shift;
}

BINARY_ROW(narrow_product, int32_t, const void, (uint32_t)x *(uint32_t)y)
BINARY_ROW(wide_product, int64_t, const int64_t, shifted_product(x, y, *with))

static void product_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                        uint64_t count)
{
    enum { CHUNK = 256 };
    const struct product *product = context;
    const bool wide = product->shift > 0 || element_size(product->out) > sizeof(int32_t);
    const enum element middle = wide ? ELEMENT_I64 : ELEMENT_I32;
    const size_t size = element_size(product->in);
    int64_t factors[2][CHUNK];
    int64_t results[CHUNK];
    const void *pointers[2] = {factors[0], factors[1]};
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        for (uint32_t i = 0; i < 2; i++)
            convert_row(product->in, (const char *)in[i] + at * steps[i] * size, middle, factors[i],
                        steps[i] != 0 ? part : 1, false);
        if (wide)
            wide_product(&product->shift, results, pointers, steps, part);
        else
            narrow_product(NULL, results, pointers, steps, part);
        convert_row(middle, results, product->out, (char *)out + at * element_size(product->out),
                    part, false);
    }
}

static status run_mul(struct kernel_call *call)
{
    if (element_is_float(call->inputs[0]->element))
        return tosa_run_as(call, "Mul", 2);
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const int64_t shift = tosa_integer(call->inputs[2], 0);
    if (shift < 0 || shift > 63)
        return status_make(STATUS_DATA, "a shift by %lld bits", (long long)shift);
    const struct product product = {call->inputs[0]->element, out->element, shift};
    broadcast_tensors(call->parallel, out, call->inputs, 2, product_row, &product);
    return STATUS_OK;
}

#define ENTRY(title)                                                                               \
    {                                                                                              \
        "tosa." #title, run_##title                                                                \
    }

static const struct kernel ITEMS[] = {
    ENTRY(abs),         ENTRY(add),           ENTRY(arithmetic_right_shift),
    ENTRY(bitwise_and), ENTRY(bitwise_not),   ENTRY(bitwise_or),
    ENTRY(bitwise_xor), ENTRY(ceil),          ENTRY(clamp),
    ENTRY(clz),         ENTRY(cos),           ENTRY(equal),
    ENTRY(erf),         ENTRY(exp),           ENTRY(floor),
    ENTRY(greater),     ENTRY(greater_equal), ENTRY(intdiv),
    ENTRY(log),         ENTRY(logical_and),   ENTRY(logical_left_shift),
    ENTRY(logical_not), ENTRY(logical_or),    ENTRY(logical_right_shift),
    ENTRY(logical_xor), ENTRY(maximum),       ENTRY(minimum),
    ENTRY(mul),         ENTRY(negate),        ENTRY(pow),
    ENTRY(reciprocal),  ENTRY(rsqrt),         ENTRY(select),
    ENTRY(sigmoid),     ENTRY(sin),           ENTRY(sub),
    ENTRY(tanh),
};

const struct kernel_table TOSA_ELEMENTWISE_KERNELS = KERNEL_TABLE(ITEMS);
