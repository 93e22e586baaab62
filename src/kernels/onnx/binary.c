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

#define REAL_ROWS(name, expression) TYPED_REAL_ROWS(ROW, name, expression)
#define SIGNED_ROWS(name, expression) TYPED_SIGNED_ROWS(ROW, name, expression)
#define UNSIGNED_ROWS(name, expression) TYPED_UNSIGNED_ROWS(ROW, name, expression)

#define KERNEL(name, ...)                                                                          \
    static status name##_kernel(struct kernel_call *call)                                          \
    {                                                                                              \
        static const typed_rows rows = {__VA_ARGS__};                                              \
        return run(call, rows);                                                                    \
    }

static status run(struct kernel_call *call, const typed_rows rows)
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

#define ARITHMETIC(name, real_expression, integer_expression)                                      \
    TYPED_REAL_ROWS(QUICK_ROW, name, real_expression)                                              \
    SIGNED_ROWS(name, integer_expression)                                                          \
    UNSIGNED_ROWS(name, integer_expression)                                                        \
    KERNEL(name, TYPED_NUMBERS(name))

ARITHMETIC(add, x + y, (bits)x + (bits)y)
ARITHMETIC(sub, x - y, (bits)x - (bits)y)
ARITHMETIC(mul, x *y, (bits)x *(bits)y)

// Minus one is special: the lowest number divided by it does not fit.
TYPED_REAL_ROWS(QUICK_ROW, div, x / y)
SIGNED_ROWS(div, y == 0 ? 0 : y == -1 ? (number)(0 - (bits)x) : x / y)
UNSIGNED_ROWS(div, y == 0 ? 0 : x / y)
KERNEL(div, TYPED_NUMBERS(div))

// Remainders: `fmod` has the sign of the dividend, the other one that of the divisor.
REAL_ROWS(fmod, fmod(x, y))
SIGNED_ROWS(fmod, y == 0 || y == -1 ? 0 : x % y)
UNSIGNED_ROWS(fmod, y == 0 ? 0 : x % y)

static inline double floored(double remainder, double divisor)
{
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder;
}

REAL_ROWS(mod, (number)floored((double)fmod(x, y), (double)y))
SIGNED_ROWS(mod, y == 0 || y == -1 ? 0 : x % y != 0 && ((x % y < 0) != (y < 0)) ? x % y + y : x % y)
UNSIGNED_ROWS(mod, y == 0 ? 0 : x % y)

static status mod_kernel(struct kernel_call *call)
{
    static const typed_rows of_dividend = {TYPED_NUMBERS(fmod)};
    static const typed_rows of_divisor = {TYPED_NUMBERS(mod)};
    return run(call,
               attribute_integer(call->attributes, "fmod", 0) != 0 ? of_dividend : of_divisor);
}

UNSIGNED_ROWS(shift_left, y >= sizeof(number) * 8 ? 0 : (bits)x << y)
UNSIGNED_ROWS(shift_right, y >= sizeof(number) * 8 ? 0 : (bits)x >> y)

static status shift_kernel(struct kernel_call *call)
{
    static const typed_rows left = {TYPED_UNSIGNED(shift_left)};
    static const typed_rows right = {TYPED_UNSIGNED(shift_right)};
    return run(call,
               view_is(attribute_text(call->attributes, "direction", ""), "LEFT") ? left : right);
}

#define BITWISE(name, expression)                                                                  \
    SIGNED_ROWS(name, expression)                                                                  \
    UNSIGNED_ROWS(name, expression)                                                                \
    ROW(name##_bool, uint8_t, uint32_t, expression)                                                \
    KERNEL(name, TYPED_SIGNED(name), TYPED_UNSIGNED(name), [ELEMENT_BOOL] = name##_bool)

BITWISE(and, x &y)
BITWISE(or, x | y)
BITWISE(xor, x ^ y)

#define COMPARISON(name, expression)                                                               \
    TYPED_NUMBER_ROWS(BOOL_ROW, name, expression)                                                  \
    KERNEL(name, TYPED_NUMBERS(name))

COMPARISON(greater, x > y)
COMPARISON(greater_or_equal, x >= y)
COMPARISON(less, x < y)
COMPARISON(less_or_equal, x <= y)

TYPED_NUMBER_ROWS(BOOL_ROW, equal, x == y)
ROW(equal_bool, uint8_t, uint32_t, (x != 0) == (y != 0))
BOOL_ROW(equal_text, struct view, uint32_t, view_equal(x, y))
KERNEL(equal, TYPED_NUMBERS(equal), [ELEMENT_BOOL] = equal_bool, [ELEMENT_TEXT] = equal_text)

TYPED_REAL_ROWS(QUICK_ROW, prelu, x < 0 ? x * y : x)
SIGNED_ROWS(prelu, x < 0 ? (bits)x * (bits)y : (bits)x)

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
