// Operators on images of the first, experimental set.

#include "kernels/core/convert.h"
#include "kernels/core/copy.h"
#include "kernels/core/typed.h"
#include "unary.h"

status unary_crop(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    const int64_t *border = NULL; // left, top, right, bottom
    if (out == NULL || in == NULL || attribute_integers(call->attributes, "border", &border) != 4)
        return STATUS_OK;
    const uint64_t at[4] = {0, 0, (uint64_t)border[1], (uint64_t)border[0]};
    copy_from(call->parallel, in, out, at);
    return STATUS_OK;
}

// scale x + bias, a bias for each channel; `context` is the scale.
#define ROW(name, type, bits, ...)                                                                 \
    static void name(const void *context, void *out, const void *const *in, const uint8_t *steps,  \
                     uint64_t count)                                                               \
    {                                                                                              \
        const type scale = (type) * (const double *)context;                                       \
        const type *from = in[0];                                                                  \
        const type *bias = in[1];                                                                  \
        type *to = out;                                                                            \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[i] = scale * from[i * steps[0]] + bias[i * steps[1]];                               \
    }

TYPED_REAL_ROWS(ROW, scale_f32, scale_f64, )

status unary_image_scaler(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(scale)};
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    const double scale = attribute_real(call->attributes, "scale", 1);
    const double none = 0;
    const double *bias = &none;
    uint32_t channels = attribute_reals(call->attributes, "bias", &bias);
    channels = channels > 0 ? channels : 1;
    struct datum *narrow;
    const struct shape shape = {3, {channels, 1, 1}};
    STATUS_TRY(datum_tensor(in->element, &shape, &narrow));
    convert_row(ELEMENT_F64, bias, in->element, narrow->tensor.data, channels, true);
    const struct tensor *inputs[2] = {in, &narrow->tensor};
    const status failure = typed_run_tensors(call->parallel, out, inputs, 2, rows, &scale);
    datum_release(narrow);
    return failure;
}
