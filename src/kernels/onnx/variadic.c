// Max, Min, Sum and Mean of any number of tensors, from the first to the last.

#include "binary.h"
#include "kernels/core/typed.h"

// Combines each input into the output, which begins as the first one. `context` is
// the number of inputs. `last` is what becomes of the result at the end.
#define ROW(name, type, bits_type, expression, last)                                               \
    static void name(const void *context, void *out, const void *const *in, const uint8_t *steps,  \
                     uint64_t count)                                                               \
    {                                                                                              \
        typedef type number;                                                                       \
        typedef bits_type bits __attribute__((unused));                                            \
        const uint32_t inputs = *(const uint32_t *)context;                                        \
        number *to = out;                                                                          \
        const number *first = in[0];                                                               \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[i] = first[steps[0] != 0 ? i : 0];                                                  \
        for (uint32_t k = 1; k < inputs; k++) {                                                    \
            const number *from = in[k];                                                            \
            const uint64_t step = steps[k];                                                        \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const number x = to[i], y = from[i * step];                                        \
                to[i] = (number)(expression);                                                      \
            }                                                                                      \
        }                                                                                          \
        for (uint64_t i = 0; (last) != 1 && i < count; i++)                                        \
            to[i] = (number)(to[i] / (number)(last));                                              \
    }

#define REAL_ROWS(name, expression, last)                                                          \
    ROW(name##_f32, float, uint32_t, expression, last)                                             \
    ROW(name##_f64, double, uint64_t, expression, last)

#define INTEGER_ROWS(name, expression)                                                             \
    ROW(name##_i8, int8_t, uint32_t, expression, 1)                                                \
    ROW(name##_i16, int16_t, uint32_t, expression, 1)                                              \
    ROW(name##_i32, int32_t, uint32_t, expression, 1)                                              \
    ROW(name##_i64, int64_t, uint64_t, expression, 1)                                              \
    ROW(name##_u8, uint8_t, uint32_t, expression, 1)                                               \
    ROW(name##_u16, uint16_t, uint32_t, expression, 1)                                             \
    ROW(name##_u32, uint32_t, uint32_t, expression, 1)                                             \
    ROW(name##_u64, uint64_t, uint64_t, expression, 1)

#define REAL_TABLE(name) [ELEMENT_F32] = name##_f32, [ELEMENT_F64] = name##_f64
#define NUMBER_TABLE(name)                                                                         \
    REAL_TABLE(name), [ELEMENT_I8] = name##_i8, [ELEMENT_I16] = name##_i16,                        \
                      [ELEMENT_I32] = name##_i32, [ELEMENT_I64] = name##_i64,                      \
                      [ELEMENT_U8] = name##_u8, [ELEMENT_U16] = name##_u16,                        \
                      [ELEMENT_U32] = name##_u32, [ELEMENT_U64] = name##_u64

// NaN wins.
REAL_ROWS(max, x > y || x != x ? x : y, 1)
REAL_ROWS(min, x < y || x != x ? x : y, 1)
REAL_ROWS(sum, x + y, 1)
REAL_ROWS(mean, x + y, inputs)
INTEGER_ROWS(max, x > y ? x : y)
INTEGER_ROWS(min, x < y ? x : y)
INTEGER_ROWS(sum, (bits)x + (bits)y)

static status run(struct kernel_call *call, const typed_rows rows)
{
    const struct tensor *out = kernel_output(call, 0);
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL)
            return STATUS_OK;
    }
    if (out != NULL)
        typed_run_tensors(call->parallel, out, call->inputs, call->input_count, rows,
                          &call->input_count);
    return STATUS_OK;
}

status binary_max(struct kernel_call *call)
{
    static const typed_rows rows = {NUMBER_TABLE(max)};
    return run(call, rows);
}

status binary_min(struct kernel_call *call)
{
    static const typed_rows rows = {NUMBER_TABLE(min)};
    return run(call, rows);
}

status binary_sum(struct kernel_call *call)
{
    static const typed_rows rows = {NUMBER_TABLE(sum)};
    return run(call, rows);
}

status binary_mean(struct kernel_call *call)
{
    static const typed_rows rows = {REAL_TABLE(mean)};
    return run(call, rows);
}
