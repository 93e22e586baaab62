// Operators that draw random numbers.
//
// With a seed they draw as ONNX's reference implementation does: one Mersenne
// Twister, element after element (twister.h). Without one the seed follows from the
// node's place in its graph, so that a run can be repeated.

#include <math.h>

#include "kernels/core/convert.h"
#include "kernels/core/twister.h"
#include "kernels/kernel_tables.h"
#include "random.h"

enum { CHUNK = 256 };

void random_start(const struct kernel_call *call, struct twister *out_twister)
{
    uint32_t seed = 0x9e3779b9u * (call->node->index + 1);
    if (attribute_given(call->attributes, "seed")) {
        const double given = attribute_real(call->attributes, "seed", 0);
        int64_t whole;
        convert_row(ELEMENT_F64, &given, ELEMENT_I64, &whole, 1, true);
        seed = (uint32_t)whole;
    }
    twister_seed(out_twister, seed);
}

// Numbers `scale` x draw + `offset`. Scaled in f32, as the reference does, unless the
// result is f64.
static status random_fill_output(struct kernel_call *call, double (*draw)(struct twister *),
                                 double scale, double offset)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct twister twister;
    random_start(call, &twister);
    const bool doubles = out->element == ELEMENT_F64;
    const uint64_t count = tensor_count(out);
    for (uint64_t at = 0; at < count; at += CHUNK) {
        double numbers[CHUNK];
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        for (uint64_t i = 0; i < part; i++) {
            const double number = draw(&twister);
            numbers[i] = doubles ? number * scale + offset
                                 : (double)((float)number * (float)scale + (float)offset);
        }
        convert_row(ELEMENT_F64, numbers, out->element,
                    (char *)out->data + at * element_size(out->element), part, true);
    }
    return STATUS_OK;
}

static status normal_kernel(struct kernel_call *call)
{
    return random_fill_output(call, twister_normal, attribute_real(call->attributes, "scale", 1),
                              attribute_real(call->attributes, "mean", 0));
}

static status uniform_kernel(struct kernel_call *call)
{
    const double low = attribute_real(call->attributes, "low", 0);
    return random_fill_output(call, twister_uniform,
                              attribute_real(call->attributes, "high", 1) - low, low);
}

// 1 with probability p. The reference draws from a binomial distribution, which takes
// the less likely outcome for the upper end, and nothing for p = 0.
static double draw_bernoulli(struct twister *twister, double p)
{
    if (p == 0)
        return 0;
    if (p <= 0.5)
        return twister_uniform(twister) > exp(log(1 - p)) ? 1 : 0;
    return twister_uniform(twister) > exp(log(p)) ? 0 : 1;
}

static status bernoulli_kernel(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    struct twister twister;
    random_start(call, &twister);
    const uint64_t count = tensor_count(in);
    for (uint64_t at = 0; at < count; at += CHUNK) {
        double numbers[CHUNK];
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        convert_row(in->element, (const char *)in->data + at * element_size(in->element),
                    ELEMENT_F64, numbers, part, true);
        for (uint64_t i = 0; i < part; i++)
            numbers[i] = draw_bernoulli(&twister, numbers[i]);
        convert_row(ELEMENT_F64, numbers, out->element,
                    (char *)out->data + at * element_size(out->element), part, true);
    }
    return STATUS_OK;
}

// The first class whose running sum is beyond `target`.
static int64_t class_at(const double *sums, uint64_t classes, double target)
{
    uint64_t low = 0;
    uint64_t high = classes - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (target < sums[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

// Replaces each logarithm x by the sum of exp(x - largest) up to it.
static void sum_weights(double *logarithms, uint64_t classes)
{
    double largest = logarithms[0];
    for (uint64_t i = 1; i < classes; i++)
        largest = fmax(largest, logarithms[i]);
    double sum = 0;
    for (uint64_t i = 0; i < classes; i++) {
        sum += exp(logarithms[i] - largest);
        logarithms[i] = sum;
    }
}

// The input holds logarithms of weights that need not add up to 1.
static status multinomial_kernel(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    const uint64_t classes = (uint64_t)in->shape.dims[1];
    const uint64_t samples = (uint64_t)out->shape.dims[1];
    struct datum *weights;
    STATUS_TRY(datum_tensor(ELEMENT_F64, &(struct shape){1, {(int64_t)classes}}, &weights));
    struct twister twister;
    random_start(call, &twister);
    for (uint64_t batch = 0; batch < (uint64_t)in->shape.dims[0]; batch++) {
        double *row = weights->tensor.data;
        convert_row(in->element,
                    (const char *)in->data + batch * classes * element_size(in->element),
                    ELEMENT_F64, row, classes, true);
        sum_weights(row, classes);
        for (uint64_t i = 0; i < samples; i++) {
            const int64_t chosen =
                class_at(row, classes, twister_uniform(&twister) * row[classes - 1]);
            convert_row(ELEMENT_I64, &chosen, out->element,
                        (char *)out->data + (batch * samples + i) * element_size(out->element), 1,
                        true);
        }
    }
    datum_release(weights);
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"Bernoulli", bernoulli_kernel},       {"Dropout", random_dropout},
    {"Multinomial", multinomial_kernel},   {"RandomNormal", normal_kernel},
    {"RandomNormalLike", normal_kernel},   {"RandomUniform", uniform_kernel},
    {"RandomUniformLike", uniform_kernel},
};

const struct kernel_table ONNX_RANDOM_KERNELS = KERNEL_TABLE(KERNELS);
