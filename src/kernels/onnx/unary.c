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

static status unary_run_rows(struct kernel_call *call, const typed_rows rows,
                             const struct parameters *parameters)
{
    const struct tensor *in = kernel_input(call, 0);
    const struct tensor *out = kernel_output(call, 0);
    if (out != NULL && in != NULL)
        return typed_run_tensors(call->parallel, out, &in, 1, rows, parameters);
    return STATUS_OK;
}

// A row of an operator: `expression` of x, alpha and beta, all of type `number`.
#define ROW_BODY(in_type, out_type, bits_type, expression)                                         \
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

#define ROW_TO(name, in_type, out_type, bits, expression)                                          \
    static void name TYPED_PARAMETERS ROW_BODY(in_type, out_type, bits, expression)
#define ROW(name, type, bits, expression) ROW_TO(name, type, type, bits, expression)
#define QUICK_ROW(name, type, bits, expression)                                                    \
    CORE_CLONES(void, name, TYPED_PARAMETERS, TYPED_ARGUMENTS)                                     \
    ROW_BODY(type, type, bits, expression)
#define BOOL_ROW(name, type, bits, expression) ROW_TO(name, type, uint8_t, bits, expression)

#define REAL_ROWS(f32, f64, expression) TYPED_REAL_ROWS(QUICK_ROW, f32, f64, expression)
#define SIGNED_ROWS(i8, i16, i32, i64, expression)                                                 \
    TYPED_SIGNED_ROWS(ROW, i8, i16, i32, i64, expression)
#define UNSIGNED_ROWS(u8, u16, u32, u64, expression)                                               \
    TYPED_UNSIGNED_ROWS(ROW, u8, u16, u32, u64, expression)

// A kernel over floats, with up to two parameters.
#define REAL_KERNEL_WITH(kernel, f32, f64, alpha_name, alpha_fallback, beta_name, beta_fallback,   \
                         expression)                                                               \
    REAL_ROWS(f32, f64, expression)                                                                \
    static status kernel(struct kernel_call *call)                                                 \
    {                                                                                              \
        static const typed_rows rows = {[ELEMENT_F32] = f32, [ELEMENT_F64] = f64};                 \
        const struct parameters parameters =                                                       \
            read_parameters(call->attributes, (struct parameter){alpha_name, alpha_fallback},      \
                            (struct parameter){beta_name, beta_fallback});                         \
        return unary_run_rows(call, rows, &parameters);                                            \
    }

#define REAL_KERNEL(kernel, f32, f64, expression)                                                  \
    REAL_KERNEL_WITH(kernel, f32, f64, NULL, 0, NULL, 0, expression)

// A kernel over rows made above.
#define KERNEL(kernel, ...)                                                                        \
    static status kernel(struct kernel_call *call)                                                 \
    {                                                                                              \
        static const typed_rows rows = {__VA_ARGS__};                                              \
        return unary_run_rows(call, rows, NULL);                                                   \
    }

REAL_KERNEL(acos_kernel, acos_f32, acos_f64, acos(x))
REAL_KERNEL(acosh_kernel, acosh_f32, acosh_f64, acosh(x))
REAL_KERNEL(asin_kernel, asin_f32, asin_f64, asin(x))
REAL_KERNEL(asinh_kernel, asinh_f32, asinh_f64, asinh(x))
REAL_KERNEL(atan_kernel, atan_f32, atan_f64, atan(x))
REAL_KERNEL(atanh_kernel, atanh_f32, atanh_f64, atanh(x))
REAL_KERNEL(ceil_kernel, ceil_f32, ceil_f64, ceil(x))
REAL_KERNEL(cos_kernel, cos_f32, cos_f64, cos(x))
REAL_KERNEL(cosh_kernel, cosh_f32, cosh_f64, cosh(x))
REAL_KERNEL(erf_kernel, erf_f32, erf_f64, elementary_erf(x))
REAL_KERNEL(exp_kernel, exp_f32, exp_f64, elementary_exp(x))
REAL_KERNEL(floor_kernel, floor_f32, floor_f64, floor(x))
REAL_KERNEL(log_kernel, log_f32, log_f64, elementary_log(x))
REAL_KERNEL(reciprocal_kernel, reciprocal_f32, reciprocal_f64, 1 / x)
REAL_KERNEL(round_kernel, round_f32, round_f64, rint(x))
REAL_KERNEL(sigmoid_kernel, sigmoid_f32, sigmoid_f64, elementary_sigmoid(x))
REAL_KERNEL(sin_kernel, sin_f32, sin_f64, sin(x))
REAL_KERNEL(sinh_kernel, sinh_f32, sinh_f64, sinh(x))
REAL_KERNEL(softplus_kernel, softplus_f32, softplus_f64, elementary_softplus(x))
REAL_KERNEL(softsign_kernel, softsign_f32, softsign_f64, x / (1 + fabs(x)))
REAL_KERNEL(sqrt_kernel, sqrt_f32, sqrt_f64, sqrt(x))
REAL_KERNEL(tan_kernel, tan_f32, tan_f64, tan(x))
REAL_KERNEL(tanh_kernel, tanh_f32, tanh_f64, elementary_tanh(x))
REAL_KERNEL(mish_kernel, mish_f32, mish_f64, elementary_tanh(elementary_softplus(x)) * x)

#define CLAMP(value, lowest, highest)                                                              \
    ((value) < (lowest) ? (lowest) : (value) > (highest) ? (highest) : (value))

REAL_KERNEL(hard_swish_kernel, hard_swish_f32, hard_swish_f64, CLAMP(x / 6 + (number)0.5, 0, 1) * x)
REAL_KERNEL_WITH(hard_sigmoid_kernel, hard_sigmoid_f32, hard_sigmoid_f64, "alpha", 0.2, "beta", 0.5,
                 CLAMP(beta + alpha * x, 0, 1))
REAL_KERNEL_WITH(elu_kernel, elu_f32, elu_f64, "alpha", 1, NULL, 0,
                 x < 0 ? alpha * elementary_expm1(x) : x)
REAL_KERNEL_WITH(celu_kernel, celu_f32, celu_f64, "alpha", 1, NULL, 0,
                 x < 0 ? alpha * elementary_expm1(x / alpha) : x)
REAL_KERNEL_WITH(leaky_relu_kernel, leaky_relu_f32, leaky_relu_f64, "alpha", 0.01, NULL, 0,
                 x < 0 ? alpha * x : x)
REAL_KERNEL_WITH(thresholded_relu_kernel, thresholded_relu_f32, thresholded_relu_f64, "alpha", 1,
                 NULL, 0, x > alpha ? x : 0)
REAL_KERNEL_WITH(shrink_kernel, shrink_f32, shrink_f64, "lambd", 0.5, "bias", 0,
                 -alpha > x ? x + beta : (x > alpha ? x - beta : 0))

// Operators of the first, experimental set.
REAL_KERNEL_WITH(affine_kernel, affine_f32, affine_f64, "alpha", 1, "beta", 0, beta + alpha * x)
REAL_KERNEL_WITH(scale_kernel, scale_f32, scale_f64, "scale", 1, NULL, 0, alpha *x)
REAL_KERNEL_WITH(scaled_tanh_kernel, scaled_tanh_f32, scaled_tanh_f64, "alpha", 1, "beta", 1,
                 elementary_tanh(beta *x) * alpha)
REAL_KERNEL_WITH(parametric_softplus_kernel, parametric_softplus_f32, parametric_softplus_f64,
                 "alpha", 1, "beta", 1, elementary_softplus(beta *x) * alpha)

REAL_ROWS(selu_f32, selu_f64, x > 0 ? beta * x : beta * (alpha * elementary_expm1(x)))

static status selu_kernel(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(selu)};
    const bool first = call->version < 6;
    const struct parameters parameters = read_parameters(
        call->attributes, (struct parameter){"alpha", first ? 1.6732 : 1.67326319217681884765625},
        (struct parameter){"gamma", first ? 1.0507 : 1.05070102214813232421875});
    return unary_run_rows(call, rows, &parameters);
}

REAL_ROWS(gelu_f32, gelu_f64,
          (number)0.5 * x * (1 + elementary_erf(x * (number)0.70710678118654752440)))
// sqrt(2 / pi)
REAL_ROWS(gelu_tanh_f32, gelu_tanh_f64,
          (number)0.5 * x *
              (1 + elementary_tanh((number)0.79788456080286535588 *
                                   (x + (number)0.044715 * x * x * x))))

static status gelu_kernel(struct kernel_call *call)
{
    static const typed_rows exact = {TYPED_REALS(gelu)};
    static const typed_rows by_tanh = {TYPED_REALS(gelu_tanh)};
    const bool approximate =
        view_is(attribute_text(call->attributes, "approximate", "none"), "tanh");
    return unary_run_rows(call, approximate ? by_tanh : exact, NULL);
}

REAL_ROWS(abs_f32, abs_f64, fabs(x))
SIGNED_ROWS(abs_i8, abs_i16, abs_i32, abs_i64, x < 0 ? (bits)(0 - (bits)x) : (bits)x)
UNSIGNED_ROWS(abs_u8, abs_u16, abs_u32, abs_u64, x)
KERNEL(abs_kernel, TYPED_NUMBERS(abs))

REAL_ROWS(neg_f32, neg_f64, -x)
SIGNED_ROWS(neg_i8, neg_i16, neg_i32, neg_i64, 0 - (bits)x)
KERNEL(neg_kernel, TYPED_REALS(neg), TYPED_SIGNED(neg))

REAL_ROWS(relu_f32, relu_f64, x < 0 ? 0 : x)
SIGNED_ROWS(relu_i8, relu_i16, relu_i32, relu_i64, x < 0 ? 0 : x)
UNSIGNED_ROWS(relu_u8, relu_u16, relu_u32, relu_u64, x)
KERNEL(relu_kernel, TYPED_NUMBERS(relu))

REAL_ROWS(sign_f32, sign_f64, x != x ? x : (number)((x > 0) - (x < 0)))
SIGNED_ROWS(sign_i8, sign_i16, sign_i32, sign_i64, (x > 0) - (x < 0))
UNSIGNED_ROWS(sign_u8, sign_u16, sign_u32, sign_u64, x > 0)
KERNEL(sign_kernel, TYPED_NUMBERS(sign))

SIGNED_ROWS(bitwise_not_i8, bitwise_not_i16, bitwise_not_i32, bitwise_not_i64, ~x)
UNSIGNED_ROWS(bitwise_not_u8, bitwise_not_u16, bitwise_not_u32, bitwise_not_u64, ~x)
KERNEL(bitwise_not_kernel, TYPED_SIGNED(bitwise_not), TYPED_UNSIGNED(bitwise_not))

ROW(not_bool, uint8_t, uint32_t, x == 0)
KERNEL(not_kernel, [ELEMENT_BOOL] = not_bool)

TYPED_REAL_ROWS(BOOL_ROW, is_nan_f32, is_nan_f64, x != x)
KERNEL(is_nan_kernel, TYPED_REALS(is_nan))

// alpha: whether negative infinity counts; beta: whether the positive one does.
TYPED_REAL_ROWS(BOOL_ROW, is_inf_f32, is_inf_f64,
                (alpha != 0 && x == -(number)INFINITY) || (beta != 0 && x == (number)INFINITY))

static status is_inf_kernel(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(is_inf)};
    const struct parameters parameters = {
        (double)attribute_integer(call->attributes, "detect_negative", 1),
        (double)attribute_integer(call->attributes, "detect_positive", 1),
    };
    return unary_run_rows(call, rows, &parameters);
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
    {"Crop", unary_crop},
    {"Elu", elu_kernel},
    {"Erf", erf_kernel},
    {"Exp", exp_kernel},
    {"Floor", floor_kernel},
    {"Gelu", gelu_kernel},
    {"HardSigmoid", hard_sigmoid_kernel},
    {"HardSwish", hard_swish_kernel},
    {"Identity", identity_kernel},
    {"ImageScaler", unary_image_scaler},
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
