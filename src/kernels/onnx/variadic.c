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

#define REAL_ROWS(name, expression, last) TYPED_REAL_ROWS(ROW, name, expression, last)
#define INTEGER_ROWS(name, expression)                                                             \
    TYPED_SIGNED_ROWS(ROW, name, expression, 1) TYPED_UNSIGNED_ROWS(ROW, name, expression, 1)

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
        return typed_run_tensors(call->parallel, out, call->inputs, call->input_count, rows,
                                 &call->input_count);
    return STATUS_OK;
}

status binary_max(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(max)};
    return run(call, rows);
}

status binary_min(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(min)};
    return run(call, rows);
}

status binary_sum(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_NUMBERS(sum)};
    return run(call, rows);
}

status binary_mean(struct kernel_call *call)
{
    static const typed_rows rows = {TYPED_REALS(mean)};
    return run(call, rows);
}
