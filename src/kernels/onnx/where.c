// Chooses between two tensors of any element by a third of bools.

#include "binary.h"
#include "kernels/core/broadcast.h"

#define ROW(name, type)                                                                            \
    static void name(const void *context, void *out, const void *const *in, const uint8_t *steps,  \
                     uint64_t count)                                                               \
    {                                                                                              \
        const uint8_t *condition = in[0];                                                          \
        const type *yes = in[1];                                                                   \
        const type *no = in[2];                                                                    \
        type *to = out;                                                                            \
        (void)context;                                                                             \
        if (steps[0] != 0 && steps[1] != 0 && steps[2] != 0) {                                     \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const type x = yes[i], y = no[i]; /* both: a choice without a branch */            \
                to[i] = condition[i] != 0 ? x : y;                                                 \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[i] = condition[i * steps[0]] != 0 ? yes[i * steps[1]] : no[i * steps[2]];           \
    }

// As large as the largest element.
struct pair {
    uint64_t words[2];
};

ROW(where_1, uint8_t)
ROW(where_2, uint16_t)
ROW(where_4, uint32_t)
ROW(where_8, uint64_t)
ROW(where_16, struct pair)

static broadcast_row row_for(size_t size)
{
    switch (size) {
    case 1:
        return where_1;
    case 2:
        return where_2;
    case 4:
        return where_4;
    case 8:
        return where_8;
    default:
        return where_16;
    }
}

status binary_where(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || kernel_input(call, 0) == NULL || kernel_input(call, 1) == NULL ||
        kernel_input(call, 2) == NULL)
        return STATUS_OK;
    broadcast_tensors(call->parallel, out, call->inputs, 3, row_for(element_size(out->element)),
                      NULL);
    if (out->element == ELEMENT_TEXT) {
        struct view *texts = out->data;
        const uint64_t count = tensor_count(out);
        for (uint64_t i = 0; i < count; i++)
            texts[i] = kernel_text(call, 0, texts[i]);
    }
    return STATUS_OK;
}
