// Dropout: in training a random part of the elements becomes 0 and the rest grows
// accordingly; otherwise the output is the input.
//
// Before version 7 the attribute is_test tells which, from 7 to 11 nothing is dropped,
// and from 12 on an input tells.

#include <math.h>

#include "kernels/core/convert.h"
#include "kernels/core/copy.h"
#include "random.h"

enum { CHUNK = 256 };

static bool is_training(const struct kernel_call *call)
{
    if (call->version < 7)
        return attribute_integer(call->attributes, "is_test", 0) == 0;
    const struct tensor *mode = call->version >= 12 ? kernel_input(call, 2) : NULL;
    return mode != NULL && *(const uint8_t *)mode->data != 0;
}

static double ratio_of(const struct kernel_call *call)
{
    if (call->version < 12)
        return attribute_real(call->attributes, "ratio", 0.5);
    double ratio = 0.5;
    const struct tensor *given = kernel_input(call, 1);
    if (given != NULL)
        convert_row(given->element, given->data, ELEMENT_F64, &ratio, 1, true);
    return ratio;
}

// Scales what the mask keeps, in f32 (f64 for f64).
static void scale_row(enum element element, const void *in, void *out, const uint8_t *mask,
                      double scale, uint64_t count)
{
    double numbers[CHUNK];
    const bool doubles = element == ELEMENT_F64;
    convert_row(element, in, ELEMENT_F64, numbers, count, true);
    for (uint64_t i = 0; i < count; i++) {
        const double scaled =
            doubles ? numbers[i] * scale : (double)((float)numbers[i] * (float)scale);
        numbers[i] = mask[i] != 0 ? scaled : 0;
    }
    convert_row(ELEMENT_F64, numbers, element, out, count, true);
}

static void dropout_drop(struct kernel_call *call, const struct tensor *in, double ratio)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *kept = kernel_output(call, 1);
    const size_t size = element_size(in->element);
    const uint64_t count = tensor_count(in);
    struct twister twister;
    random_start(call, &twister);
    for (uint64_t at = 0; at < count; at += CHUNK) {
        uint8_t mask[CHUNK];
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        for (uint64_t i = 0; i < part; i++)
            mask[i] = twister_uniform(&twister) >= ratio;
        if (out != NULL)
            scale_row(in->element, (const char *)in->data + at * size,
                      (char *)out->data + at * size, mask, 1 / (1 - ratio), part);
        if (kept != NULL)
            convert_row(ELEMENT_BOOL, mask, kept->element,
                        (char *)kept->data + at * element_size(kept->element), part, true);
    }
}

static void keep_all(struct kernel_call *call, const struct tensor *in)
{
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *kept = kernel_output(call, 1);
    if (out != NULL)
        copy_all(call->parallel, in, out);
    if (kept == NULL)
        return;
    const uint8_t truth = 1;
    uint64_t one = 0;
    convert_row(ELEMENT_BOOL, &truth, kept->element, &one, 1, true);
    copy_fill(call->parallel, kept->data, tensor_count(kept), (uint32_t)element_size(kept->element),
              &one);
}

status random_dropout(struct kernel_call *call)
{
    const struct tensor *in = kernel_input(call, 0);
    if (in == NULL)
        return STATUS_OK;
    const double ratio = ratio_of(call);
    if (!is_training(call) || ratio == 0) {
        keep_all(call, in);
        return STATUS_OK;
    }
    if (!(ratio > 0 && ratio < 1))
        return status_make(STATUS_DATA, "a ratio of %g is not within 0 and 1", ratio);
    dropout_drop(call, in, ratio);
    return STATUS_OK;
}
