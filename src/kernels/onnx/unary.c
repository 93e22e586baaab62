// Functions of one number.
//
// f16 and bf16 are computed in f32 and rounded once. NaN stays NaN, except
// where the definition is a choice that no NaN meets (Shrink, ThresholdedRelu).
// Integers wrap around: the absolute value of the lowest one is itself.

#include <tgmath.h>

#include "kernels/core/clones.h"
#include "kernels/core/copy.h"
#include "kernels/core/elementary.h"
#include "kernels/core/typed.h"
#include "kernels/kernel_tables.h"
#include "unary.h"

// Attributes that are numbers, and what they are when not given.
struct parameter {
    const char *name; // NULL: there is none
    double fallback;
};

struct parameters {
    double alpha;
    double beta;
};

static struct parameters read_parameters(struct attributes attributes, struct parameter alpha,
                                         struct parameter beta)
{
    return (struct parameters){
        alpha.name != NULL ? attribute_real(attributes, alpha.name, alpha.fallback) : 0,
        beta.name != NULL ? attribute_real(attributes, beta.name, beta.fallback) : 0,
    };
}

static status run(struct kernel_call *call, const typed_rows rows,
                  const struct parameters *parameters)
{
    const struct tensor *in = kernel_input(call, 0);
    const struct tensor *out = kernel_output(call, 0);
    if (out != NULL && in != NULL)
        typed_run_tensors(call->parallel, out, &in, 1, rows, parameters);
    return STATUS_OK;
}

// A row of an operator: `expression` of x, alpha and beta, all of type `number`;
// `bits` is the unsigned type of the same size.
#define ROW(name, in_type, out_type, bits_type, expression)                                        \
    static void name(const void *context, void *out, const void *const *in, const uint8_t *steps,  \
                     uint64_t count)                                                               \
    {                                                                                              \
        typedef in_type number;                                                                    \
        typedef bits_type bits __attribute__((unused));                                            \
        const struct parameters *parameters = context;                                             \
        const number alpha = parameters != NULL ? (number)parameters->alpha : 0;                   \
        const number beta = parameters != NULL ? (number)parameters->beta : 0;                     \
        const number *from = in[0];                                                                \
        out_type *to = out;                                                                        \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const number x = from[i];                                                              \
            to[i] = (out_type)(expression);                                                        \
        }                                                                                          \
        (void)alpha;                                                                               \
        (void)beta;                                                                                \
        (void)steps;                                                                               \
    }

#define REAL_ROWS(name, out32, out64, expression)                                                  \
    CORE_CLONES ROW(name##_f32, float, out32, uint32_t, expression)                                \
        ROW(name##_f64, double, out64, uint64_t, expression)

#define INTEGER_ROWS(name, expression)                                                             \
    ROW(name##_i8, int8_t, int8_t, uint8_t, expression)                                            \
    ROW(name##_i16, int16_t, int16_t, uint16_t, expression)                                        \
    ROW(name##_i32, int32_t, int32_t, uint32_t, expression)                                        \
    ROW(name##_i64, int64_t, int64_t, uint64_t, expression)

#define NATURAL_ROWS(name, expression)                                                             \
    ROW(name##_u8, uint8_t, uint8_t, uint8_t, expression)                                          \
    ROW(name##_u16, uint16_t, uint16_t, uint16_t, expression)                                      \
    ROW(name##_u32, uint32_t, uint32_t, uint32_t, expression)                                      \
    ROW(name##_u64, uint64_t, uint64_t, uint64_t, expression)

#define REAL_TABLE(name) [ELEMENT_F32] = name##_f32, [ELEMENT_F64] = name##_f64
#define INTEGER_TABLE(name)                                                                        \
    [ELEMENT_I8] = name##_i8, [ELEMENT_I16] = name##_i16, [ELEMENT_I32] = name##_i32,              \
    [ELEMENT_I64] = name##_i64
#define NATURAL_TABLE(name)                                                                        \
    [ELEMENT_U8] = name##_u8, [ELEMENT_U16] = name##_u16, [ELEMENT_U32] = name##_u32,              \
    [ELEMENT_U64] = name##_u64

// A kernel over floats, with up to two parameters.
#define REAL_KERNEL_WITH(name, alpha_name, alpha_fallback, beta_name, beta_fallback, expression)   \
    REAL_ROWS(name, float, double, expression)                                                     \
    static status name##_kernel(struct kernel_call *call)                                          \
    {                                                                                              \
        static const typed_rows rows = {REAL_TABLE(name)};                                         \
        const struct parameters parameters =                                                       \
            read_parameters(call->attributes, (struct parameter){alpha_name, alpha_fallback},      \
                            (struct parameter){beta_name, beta_fallback});                         \
        return run(call, rows, &parameters);                                                       \
    }

#define REAL_KERNEL(name, expression) REAL_KERNEL_WITH(name, NULL, 0, NULL, 0, expression)

// A kernel over rows made above.
#define KERNEL(name, ...)                                                                          \
    static status name##_kernel(struct kernel_call *call)                                          \
    {                                                                                              \
        static const typed_rows rows = {__VA_ARGS__};                                              \
        return run(call, rows, NULL);                                                              \
    }

REAL_KERNEL(acos, acos(x))
REAL_KERNEL(acosh, acosh(x))
REAL_KERNEL(asin, asin(x))
REAL_KERNEL(asinh, asinh(x))
REAL_KERNEL(atan, atan(x))
REAL_KERNEL(atanh, atanh(x))
REAL_KERNEL(ceil, ceil(x))
REAL_KERNEL(cos, cos(x))
REAL_KERNEL(cosh, cosh(x))
REAL_KERNEL(erf, elementary_erf(x))
REAL_KERNEL(exp, elementary_exp(x))
REAL_KERNEL(floor, floor(x))
REAL_KERNEL(log, log(x))
REAL_KERNEL(reciprocal, 1 / x)
REAL_KERNEL(round, rint(x))
REAL_KERNEL(sigmoid, elementary_sigmoid(x))
REAL_KERNEL(sin, sin(x))
REAL_KERNEL(sinh, sinh(x))
REAL_KERNEL(softplus, log1p(exp(-fabs(x))) + (x < 0 ? 0 : x))
REAL_KERNEL(softsign, x / (1 + fabs(x)))
REAL_KERNEL(sqrt, sqrt(x))
REAL_KERNEL(tan, tan(x))
REAL_KERNEL(tanh, elementary_tanh(x))
REAL_KERNEL(mish, x *elementary_tanh(log1p(exp(-fabs(x))) + (x < 0 ? 0 : x)))

#define CLAMP(value, lowest, highest)                                                              \
    ((value) < (lowest) ? (lowest) : (value) > (highest) ? (highest) : (value))

REAL_KERNEL(hard_swish, x *CLAMP(x / 6 + (number)0.5, 0, 1))
REAL_KERNEL_WITH(hard_sigmoid, "alpha", 0.2, "beta", 0.5, CLAMP(alpha *x + beta, 0, 1))
REAL_KERNEL_WITH(elu, "alpha", 1, NULL, 0, x < 0 ? alpha * expm1(x) : x)
REAL_KERNEL_WITH(celu, "alpha", 1, NULL, 0, x < 0 ? alpha * expm1(x / alpha) : x)
REAL_KERNEL_WITH(leaky_relu, "alpha", 0.01, NULL, 0, x < 0 ? alpha * x : x)
REAL_KERNEL_WITH(thresholded_relu, "alpha", 1, NULL, 0, x > alpha ? x : 0)
REAL_KERNEL_WITH(shrink, "lambd", 0.5, "bias", 0, x<-alpha ? x + beta : x> alpha ? x - beta : 0)

// Operators of the first, experimental set.
REAL_KERNEL_WITH(affine, "alpha", 1, "beta", 0, alpha *x + beta)
REAL_KERNEL_WITH(scale, "scale", 1, NULL, 0, alpha *x)
REAL_KERNEL_WITH(scaled_tanh, "alpha", 1, "beta", 1, alpha *elementary_tanh(beta *x))
REAL_KERNEL_WITH(parametric_softplus, "alpha", 1, "beta", 1,
                 alpha *(log1p(exp(-fabs(beta *x))) + (beta * x < 0 ? 0 : beta * x)))

REAL_ROWS(selu, float, double, x > 0 ? beta * x : beta * (alpha * expm1(x)))

static status selu_kernel(struct kernel_call *call)
{
    static const typed_rows rows = {REAL_TABLE(selu)};
    const bool first = call->version < 6;
    const struct parameters parameters = read_parameters(
        call->attributes, (struct parameter){"alpha", first ? 1.6732 : 1.67326319217681884765625},
        (struct parameter){"gamma", first ? 1.0507 : 1.05070102214813232421875});
    return run(call, rows, &parameters);
}

REAL_ROWS(gelu, float, double,
          (number)0.5 * x * (1 + elementary_erf(x * (number)0.70710678118654752440)))
// sqrt(2 / pi)
REAL_ROWS(gelu_tanh, float, double,
          (number)0.5 * x *
              (1 + elementary_tanh((number)0.79788456080286535588 *
                                   (x + (number)0.044715 * x * x * x))))

static status gelu_kernel(struct kernel_call *call)
{
    static const typed_rows exact = {REAL_TABLE(gelu)};
    static const typed_rows by_tanh = {REAL_TABLE(gelu_tanh)};
    const bool approximate =
        view_is(attribute_text(call->attributes, "approximate", "none"), "tanh");
    return run(call, approximate ? by_tanh : exact, NULL);
}

REAL_ROWS(abs, float, double, fabs(x))
INTEGER_ROWS(abs, x < 0 ? (bits)(0 - (bits)x) : (bits)x)
NATURAL_ROWS(abs, x)
KERNEL(abs, REAL_TABLE(abs), INTEGER_TABLE(abs), NATURAL_TABLE(abs))

REAL_ROWS(neg, float, double, -x)
INTEGER_ROWS(neg, 0 - (bits)x)
KERNEL(neg, REAL_TABLE(neg), INTEGER_TABLE(neg))

REAL_ROWS(relu, float, double, x < 0 ? 0 : x)
INTEGER_ROWS(relu, x < 0 ? 0 : x)
NATURAL_ROWS(relu, x)
KERNEL(relu, REAL_TABLE(relu), INTEGER_TABLE(relu), NATURAL_TABLE(relu))

REAL_ROWS(sign, float, double, x != x ? x : (number)((x > 0) - (x < 0)))
INTEGER_ROWS(sign, (x > 0) - (x < 0))
NATURAL_ROWS(sign, x > 0)
KERNEL(sign, REAL_TABLE(sign), INTEGER_TABLE(sign), NATURAL_TABLE(sign))

INTEGER_ROWS(bitwise_not, ~x)
NATURAL_ROWS(bitwise_not, ~x)
KERNEL(bitwise_not, INTEGER_TABLE(bitwise_not), NATURAL_TABLE(bitwise_not))

ROW(not_bool, uint8_t, uint8_t, uint8_t, x == 0)
KERNEL(not, [ELEMENT_BOOL] = not_bool)

REAL_ROWS(is_nan, uint8_t, uint8_t, x != x)
KERNEL(is_nan, REAL_TABLE(is_nan))

// alpha: whether negative infinity counts; beta: whether the positive one does.
REAL_ROWS(is_inf, uint8_t, uint8_t,
          (alpha != 0 && x == -(number)INFINITY) || (beta != 0 && x == (number)INFINITY))

static status is_inf_kernel(struct kernel_call *call)
{
    static const typed_rows rows = {REAL_TABLE(is_inf)};
    const struct parameters parameters = {
        (double)attribute_integer(call->attributes, "detect_negative", 1),
        (double)attribute_integer(call->attributes, "detect_positive", 1),
    };
    return run(call, rows, &parameters);
}

// Tensors are copied to where the output was planned; texts and everything else
// are handed on.
static status identity_kernel(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out != NULL && in != NULL && out->element != ELEMENT_TEXT)
        copy_all(call->parallel, in, out);
    else if (call->data[0] != NULL)
        kernel_give(call, 0, datum_keep(call->data[0]));
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"Abs", abs_kernel},
    {"Acos", acos_kernel},
    {"Acosh", acosh_kernel},
    {"Affine", affine_kernel},
    {"Asin", asin_kernel},
    {"Asinh", asinh_kernel},
    {"Atan", atan_kernel},
    {"Atanh", atanh_kernel},
    {"BitwiseNot", bitwise_not_kernel},
    {"Ceil", ceil_kernel},
    {"Celu", celu_kernel},
    {"Clip", unary_clip},
    {"Cos", cos_kernel},
    {"Cosh", cosh_kernel},
    {"Elu", elu_kernel},
    {"Erf", erf_kernel},
    {"Exp", exp_kernel},
    {"Floor", floor_kernel},
    {"Gelu", gelu_kernel},
    {"HardSigmoid", hard_sigmoid_kernel},
    {"HardSwish", hard_swish_kernel},
    {"Identity", identity_kernel},
    {"IsInf", is_inf_kernel},
    {"IsNaN", is_nan_kernel},
    {"LeakyRelu", leaky_relu_kernel},
    {"Log", log_kernel},
    {"Mish", mish_kernel},
    {"Neg", neg_kernel},
    {"Not", not_kernel},
    {"ParametricSoftplus", parametric_softplus_kernel},
    {"Reciprocal", reciprocal_kernel},
    {"Relu", relu_kernel},
    {"Round", round_kernel},
    {"Scale", scale_kernel},
    {"ScaledTanh", scaled_tanh_kernel},
    {"Selu", selu_kernel},
    {"Shrink", shrink_kernel},
    {"Sigmoid", sigmoid_kernel},
    {"Sign", sign_kernel},
    {"Sin", sin_kernel},
    {"Sinh", sinh_kernel},
    {"Softplus", softplus_kernel},
    {"Softsign", softsign_kernel},
    {"Sqrt", sqrt_kernel},
    {"Tan", tan_kernel},
    {"Tanh", tanh_kernel},
    {"ThresholdedRelu", thresholded_relu_kernel},
};

const struct kernel_table ONNX_UNARY_KERNELS = KERNEL_TABLE(KERNELS);
