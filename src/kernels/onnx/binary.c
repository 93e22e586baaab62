// Functions of two or more numbers, with broadcasting.
//
// Integers: results wrap around; a division by zero gives 0, its remainder too; a
// shift by the width or more gives 0 (that is what is left when all bits are gone).

#include <tgmath.h>

#include "binary.h"
#include "kernels/core/clones.h"
#include "kernels/core/copy.h"
#include "kernels/core/typed.h"
#include "kernels/kernel_tables.h"
#include "network/onnx/legacy.h"

// `expression` of x and y, which are `number`; `bits` is an unsigned type that holds
// them without promotion to a signed one. The three forms of the loop are those
// that a compiler can turn into vectors.
#define ROW_BODY(in_type, out_type, bits_type, expression)                                         \
    {                                                                                              \
        typedef in_type number;                                                                    \
        typedef bits_type bits __attribute__((unused));                                            \
        const number *left = in[0];                                                                \
        const number *right = in[1];                                                               \
        out_type *to = out;                                                                        \
        (void)context;                                                                             \
        if (steps[0] != 0 && steps[1] != 0) {                                                      \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number x = left[i], y = right[i];                                            \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        } else if (steps[0] != 0) {                                                                \
            const number y = right[0];                                                             \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number x = left[i];                                                          \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        } else {                                                                                   \
            const number x = left[0];                                                              \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number y = right[steps[1] != 0 ? i : 0];                                     \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        }                                                                                          \
    }

#define ROW_TO(name, in_type, out_type, bits, expression)                                          \
    static void name TYPED_PARAMETERS ROW_BODY(in_type, out_type, bits, expression)
#define ROW(name, type, bits, expression) ROW_TO(name, type, type, bits, expression)
#define QUICK_ROW(name, type, bits, expression)                                                    \
    CORE_CLONES(void, name, TYPED_PARAMETERS, TYPED_ARGUMENTS)                                     \
    ROW_BODY(type, type, bits, expression)
#define BOOL_ROW(name, type, bits, expression) ROW_TO(name, type, uint8_t, bits, expression)

#define REAL_ROWS(f32, f64, expression) TYPED_REAL_ROWS(ROW, f32, f64, expression)
#define SIGNED_ROWS(i8, i16, i32, i64, expression)                                                 \
    TYPED_SIGNED_ROWS(ROW, i8, i16, i32, i64, expression)
#define UNSIGNED_ROWS(u8, u16, u32, u64, expression)                                               \
    TYPED_UNSIGNED_ROWS(ROW, u8, u16, u32, u64, expression)

#define KERNEL(kernel, ...)                                                                        \
    static status kernel(struct kernel_call *call)                                                 \
    {                                                                                              \
        static const typed_rows rows = {__VA_ARGS__};                                              \
        return binary_run_rows(call, rows);                                                        \
    }

static status binary_run_rows(struct kernel_call *call, const typed_rows rows)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *left = kernel_input(call, 0);
    const struct tensor *right = kernel_input(call, 1);
    if (out == NULL || left == NULL || right == NULL)
        return STATUS_OK;
    struct broadcast_input inputs[2] = {broadcast_input(left), broadcast_input(right)};
    STATUS_TRY(legacy_align(&left->shape, &right->shape, call->attributes, call->version,
                            &inputs[1].shape));
    return typed_run(call->parallel, out, inputs, 2, left->element, rows, NULL);
}

TYPED_REAL_ROWS(QUICK_ROW, add_f32, add_f64, x + y)
SIGNED_ROWS(add_i8, add_i16, add_i32, add_i64, (bits)x + (bits)y)
UNSIGNED_ROWS(add_u8, add_u16, add_u32, add_u64, (bits)x + (bits)y)
KERNEL(add_kernel, TYPED_NUMBERS(add))

TYPED_REAL_ROWS(QUICK_ROW, sub_f32, sub_f64, x - y)
SIGNED_ROWS(sub_i8, sub_i16, sub_i32, sub_i64, (bits)x - (bits)y)
UNSIGNED_ROWS(sub_u8, sub_u16, sub_u32, sub_u64, (bits)x - (bits)y)
KERNEL(sub_kernel, TYPED_NUMBERS(sub))

TYPED_REAL_ROWS(QUICK_ROW, mul_f32, mul_f64, x *y)
SIGNED_ROWS(mul_i8, mul_i16, mul_i32, mul_i64, (bits)x *(bits)y)
UNSIGNED_ROWS(mul_u8, mul_u16, mul_u32, mul_u64, (bits)x *(bits)y)
KERNEL(mul_kernel, TYPED_NUMBERS(mul))

// Minus one is special: the lowest number divided by it does not fit.
TYPED_REAL_ROWS(QUICK_ROW, div_f32, div_f64, x / y)
SIGNED_ROWS(div_i8, div_i16, div_i32, div_i64, y == 0 ? 0 : y == -1 ? (number)(0 - (bits)x) : x / y)
UNSIGNED_ROWS(div_u8, div_u16, div_u32, div_u64, y == 0 ? 0 : x / y)
KERNEL(div_kernel, TYPED_NUMBERS(div))

// Remainders: `fmod` has the sign of the dividend, the other one that of the divisor.
REAL_ROWS(fmod_f32, fmod_f64, fmod(x, y))
SIGNED_ROWS(fmod_i8, fmod_i16, fmod_i32, fmod_i64, y == 0 || y == -1 ? 0 : x % y)
UNSIGNED_ROWS(fmod_u8, fmod_u16, fmod_u32, fmod_u64, y == 0 ? 0 : x % y)

static inline double floored(double remainder, double divisor)
{
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder;
}

REAL_ROWS(mod_f32, mod_f64, (number)floored((double)fmod(x, y), (double)y))
SIGNED_ROWS(mod_i8, mod_i16, mod_i32, mod_i64,
            y == 0 || y == -1                        ? 0
            : x % y != 0 && ((x % y < 0) != (y < 0)) ? x % y + y
                                                     : x % y)
UNSIGNED_ROWS(mod_u8, mod_u16, mod_u32, mod_u64, y == 0 ? 0 : x % y)

static status mod_kernel(struct kernel_call *call)
{
    static const typed_rows of_dividend = {TYPED_NUMBERS(fmod)};
    static const typed_rows of_divisor = {TYPED_NUMBERS(mod)};
    return binary_run_rows(call, attribute_integer(call->attributes, "fmod", 0) != 0 ? of_dividend
                                                                                     : of_divisor);
}

UNSIGNED_ROWS(shift_left_u8, shift_left_u16, shift_left_u32, shift_left_u64,
              y >= sizeof(number) * 8 ? 0 : (bits)x << y)
UNSIGNED_ROWS(shift_right_u8, shift_right_u16, shift_right_u32, shift_right_u64,
              y >= sizeof(number) * 8 ? 0 : (bits)x >> y)

static status shift_kernel(struct kernel_call *call)
{
    static const typed_rows left = {TYPED_UNSIGNED(shift_left)};
    static const typed_rows right = {TYPED_UNSIGNED(shift_right)};
    return binary_run_rows(
        call, view_is(attribute_text(call->attributes, "direction", ""), "LEFT") ? left : right);
}

SIGNED_ROWS(and_i8, and_i16, and_i32, and_i64, x &y)
UNSIGNED_ROWS(and_u8, and_u16, and_u32, and_u64, x &y)
ROW(and_bool, uint8_t, uint32_t, x &y)
KERNEL(and_kernel, TYPED_SIGNED(and), TYPED_UNSIGNED(and), [ELEMENT_BOOL] = and_bool)

SIGNED_ROWS(or_i8, or_i16, or_i32, or_i64, x | y)
UNSIGNED_ROWS(or_u8, or_u16, or_u32, or_u64, x | y)
ROW(or_bool, uint8_t, uint32_t, x | y)
KERNEL(or_kernel, TYPED_SIGNED(or), TYPED_UNSIGNED(or), [ELEMENT_BOOL] = or_bool)

SIGNED_ROWS(xor_i8, xor_i16, xor_i32, xor_i64, x ^ y)
UNSIGNED_ROWS(xor_u8, xor_u16, xor_u32, xor_u64, x ^ y)
ROW(xor_bool, uint8_t, uint32_t, x ^ y)
KERNEL(xor_kernel, TYPED_SIGNED(xor), TYPED_UNSIGNED(xor), [ELEMENT_BOOL] = xor_bool)

TYPED_REAL_ROWS(BOOL_ROW, greater_f32, greater_f64, x > y)
TYPED_SIGNED_ROWS(BOOL_ROW, greater_i8, greater_i16, greater_i32, greater_i64, x > y)
TYPED_UNSIGNED_ROWS(BOOL_ROW, greater_u8, greater_u16, greater_u32, greater_u64, x > y)
KERNEL(greater_kernel, TYPED_NUMBERS(greater))

TYPED_REAL_ROWS(BOOL_ROW, greater_or_equal_f32, greater_or_equal_f64, x >= y)
TYPED_SIGNED_ROWS(BOOL_ROW, greater_or_equal_i8, greater_or_equal_i16, greater_or_equal_i32,
                  greater_or_equal_i64, x >= y)
TYPED_UNSIGNED_ROWS(BOOL_ROW, greater_or_equal_u8, greater_or_equal_u16, greater_or_equal_u32,
                    greater_or_equal_u64, x >= y)
KERNEL(greater_or_equal_kernel, TYPED_NUMBERS(greater_or_equal))

TYPED_REAL_ROWS(BOOL_ROW, less_f32, less_f64, x < y)
TYPED_SIGNED_ROWS(BOOL_ROW, less_i8, less_i16, less_i32, less_i64, x < y)
TYPED_UNSIGNED_ROWS(BOOL_ROW, less_u8, less_u16, less_u32, less_u64, x < y)
KERNEL(less_kernel, TYPED_NUMBERS(less))

TYPED_REAL_ROWS(BOOL_ROW, less_or_equal_f32, less_or_equal_f64, x <= y)
TYPED_SIGNED_ROWS(BOOL_ROW, less_or_equal_i8, less_or_equal_i16, less_or_equal_i32,
                  less_or_equal_i64, x <= y)
TYPED_UNSIGNED_ROWS(BOOL_ROW, less_or_equal_u8, less_or_equal_u16, less_or_equal_u32,
                    less_or_equal_u64, x <= y)
KERNEL(less_or_equal_kernel, TYPED_NUMBERS(less_or_equal))

TYPED_REAL_ROWS(BOOL_ROW, equal_f32, equal_f64, x == y)
TYPED_SIGNED_ROWS(BOOL_ROW, equal_i8, equal_i16, equal_i32, equal_i64, x == y)
TYPED_UNSIGNED_ROWS(BOOL_ROW, equal_u8, equal_u16, equal_u32, equal_u64, x == y)
ROW(equal_bool, uint8_t, uint32_t, (x != 0) == (y != 0))
BOOL_ROW(equal_text, struct view, uint32_t, view_equal(x, y))
KERNEL(equal_kernel, TYPED_NUMBERS(equal), [ELEMENT_BOOL] = equal_bool, [ELEMENT_TEXT] = equal_text)

TYPED_REAL_ROWS(QUICK_ROW, prelu_f32, prelu_f64, x < 0 ? x * y : x)
SIGNED_ROWS(prelu_i8, prelu_i16, prelu_i32, prelu_i64, x < 0 ? (bits)x * (bits)y : (bits)x)

// The slope broadcasts to the input; before version 7 a slope of one dimension
// belongs to the channels.
static status prelu_kernel(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(prelu), TYPED_SIGNED(prelu)};
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *x = kernel_input(call, 0);
    const struct tensor *slope = kernel_input(call, 1);
    if (out == NULL || x == NULL || slope == NULL)
        return STATUS_OK;
    if (!element_is_float(x->element) && !element_is_signed(x->element)) {
        copy_all(call->parallel, x, out); // nothing is negative
        return STATUS_OK;
    }
    struct broadcast_input inputs[2] = {broadcast_input(x), broadcast_input(slope)};
    inputs[1].shape = legacy_slope(&x->shape, &slope->shape, call->version);
    return typed_run(call->parallel, out, inputs, 2, x->element, rows, NULL);
}

static const struct kernel KERNELS[] = {
    {"Add", add_kernel},
    {"And", and_kernel},
    {"BitShift", shift_kernel},
    {"BitwiseAnd", and_kernel},
    {"BitwiseOr", or_kernel},
    {"BitwiseXor", xor_kernel},
    {"Div", div_kernel},
    {"Equal", equal_kernel},
    {"Greater", greater_kernel},
    {"GreaterOrEqual", greater_or_equal_kernel},
    {"Less", less_kernel},
    {"LessOrEqual", less_or_equal_kernel},
    {"Mod", mod_kernel},
    {"Mul", mul_kernel},
    {"Or", or_kernel},
    {"PRelu", prelu_kernel},
    {"Sub", sub_kernel},
    {"Xor", xor_kernel},
    // Defined in other files.
    {"Max", binary_max},
    {"Mean", binary_mean},
    {"Min", binary_min},
    {"Pow", binary_pow},
    {"Sum", binary_sum},
    {"Where", binary_where},
};

const struct kernel_table ONNX_BINARY_KERNELS = KERNEL_TABLE(KERNELS);
