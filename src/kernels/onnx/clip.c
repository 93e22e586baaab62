// Clip: min(max(x, lowest), highest). The bounds are attributes before version 11 and
// inputs since; one that is left out is the type's own.

#include <float.h>

#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/typed.h"
#include "network/real.h"
#include "unary.h"

// NaN stays; a lowest beyond the highest gives the highest.
#define ROW_BODY(type)                                                                             \
    {                                                                                              \
        const type *from = in[0];                                                                  \
        const type lowest = *(const type *)in[1];                                                  \
        const type highest = *(const type *)in[2];                                                 \
        type *to = out;                                                                            \
        (void)context;                                                                             \
        (void)steps;                                                                               \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type raised = from[i] < lowest ? lowest : from[i];                               \
            to[i] = raised > highest ? highest : raised;                                           \
        }                                                                                          \
    }

#define ROW(name, type, bits, ...) static void name TYPED_PARAMETERS ROW_BODY(type)
#define QUICK_ROW(name, type, bits, ...)                                                           \
    CORE_CLONES(void, name, TYPED_PARAMETERS, TYPED_ARGUMENTS) ROW_BODY(type)

TYPED_REAL_ROWS(QUICK_ROW, clip_f32, clip_f64, )
TYPED_SIGNED_ROWS(ROW, clip_i8, clip_i16, clip_i32, clip_i64, )
TYPED_UNSIGNED_ROWS(ROW, clip_u8, clip_u16, clip_u32, clip_u64, )

static double largest_real(enum element element)
{
    switch (element) {
    case ELEMENT_F16:
        return 65504;
    case ELEMENT_BF16:
        return (double)real_from_bf16(0x7f7f);
    case ELEMENT_F32:
        return FLT_MAX;
    default:
        return DBL_MAX;
    }
}

// The type's own bound.
static void type_bound(enum element element, bool highest, uint64_t *out_bound)
{
    const double real = highest ? largest_real(element) : -largest_real(element);
    const int64_t integer = highest ? element_highest(element) : element_lowest(element);
    if (element == ELEMENT_U64)
        *out_bound = highest ? UINT64_MAX : 0;
    else if (element_is_float(element))
        convert_row(ELEMENT_F64, &real, element, out_bound, 1, true);
    else
        convert_row(ELEMENT_I64, &integer, element, out_bound, 1, true);
}

static struct broadcast_input clip_bound_of(const struct kernel_call *call, enum element element,
                                            bool highest, uint64_t *room)
{
    const char *name = highest ? "max" : "min";
    const struct tensor *given = call->version >= 11 ? kernel_input(call, highest ? 2 : 1) : NULL;
    const struct shape scalar = {0};
    if (given != NULL)
        return (struct broadcast_input){given->data, element_size(element), scalar};
    type_bound(element, highest, room);
    if (call->version < 11 && attribute_given(call->attributes, name)) {
        const double real = attribute_real(call->attributes, name, 0);
        convert_row(ELEMENT_F64, &real, element, room, 1, true);
    }
    return (struct broadcast_input){room, element_size(element), scalar};
}

status unary_clip(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(clip)};
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    uint64_t lowest = 0, highest = 0;
    const struct broadcast_input inputs[3] = {
        broadcast_input(in),
        clip_bound_of(call, in->element, false, &lowest),
        clip_bound_of(call, in->element, true, &highest),
    };
    return typed_run(call->parallel, out, inputs, 3, in->element, rows, NULL);
}
