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

#define REAL_ROWS(f32, f64, expression, last) TYPED_REAL_ROWS(ROW, f32, f64, expression, last)
#define SIGNED_ROWS(i8, i16, i32, i64, expression)                                                 \
    TYPED_SIGNED_ROWS(ROW, i8, i16, i32, i64, expression, 1)
#define UNSIGNED_ROWS(u8, u16, u32, u64, expression)                                               \
    TYPED_UNSIGNED_ROWS(ROW, u8, u16, u32, u64, expression, 1)

// NaN wins.
REAL_ROWS(max_f32, max_f64, x > y || x != x ? x : y, 1)
REAL_ROWS(min_f32, min_f64, x < y || x != x ? x : y, 1)
REAL_ROWS(sum_f32, sum_f64, x + y, 1)
REAL_ROWS(mean_f32, mean_f64, x + y, inputs)
SIGNED_ROWS(max_i8, max_i16, max_i32, max_i64, x > y ? x : y)
UNSIGNED_ROWS(max_u8, max_u16, max_u32, max_u64, x > y ? x : y)
SIGNED_ROWS(min_i8, min_i16, min_i32, min_i64, x < y ? x : y)
UNSIGNED_ROWS(min_u8, min_u16, min_u32, min_u64, x < y ? x : y)
SIGNED_ROWS(sum_i8, sum_i16, sum_i32, sum_i64, (bits)x + (bits)y)
UNSIGNED_ROWS(sum_u8, sum_u16, sum_u32, sum_u64, (bits)x + (bits)y)

static status variadic_run_rows(struct kernel_call *call, const typed_rows rows)
{
    const struct tensor *out = kernel_output(call, 0);
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] == NULL)
            return STATUS_OK;
    }
    if (out != NULL)
        return typed_run_tensors(call->parallel, out, call->inputs, call->input_count, rows,
                                 &call->input_count);
    return STATUS_OK;
}

status binary_max(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(max)};
    return variadic_run_rows(call, rows);
}

status binary_min(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(min)};
    return variadic_run_rows(call, rows);
}

status binary_sum(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(sum)};
    return variadic_run_rows(call, rows);
}

status binary_mean(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(mean)};
    return variadic_run_rows(call, rows);
}
