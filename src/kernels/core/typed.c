#include "typed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "convert.h"

enum {
    CHUNK = 256,
    FEW = 3, // inputs whose chunks fit on the stack
};

// The element whose rows stand in for `element`, or itself.
static enum element stand_in(const typed_rows rows, enum element element)
{
    if (rows[element] != NULL)
        return element;
    if (element_is_float(element))
        return ELEMENT_F32;
    return element_is_integer(element) ? ELEMENT_F64 : element;
}

struct wide_rows {
    broadcast_row row;
    const void *context;
    enum element element; // of the inputs
    enum element wide;    // what the row takes
    bool narrow_output;
    uint32_t input_count;
};

// Widens a chunk of each input, computes, and narrows the result.
static void wide_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                     uint64_t count)
{
    const struct wide_rows *rows = context;
    const uint32_t inputs = rows->input_count;
    double few[FEW][CHUNK];
    const void *few_pointers[FEW];
    double(*many)[CHUNK] = inputs > FEW ? memory_allocate(inputs * sizeof *many) : NULL;
    const void **many_pointers =
        inputs > FEW ? memory_allocate(inputs * sizeof *many_pointers) : NULL;
    double(*buffers)[CHUNK] = inputs > FEW ? many : few;
    const void **pointers = inputs > FEW ? many_pointers : few_pointers;
    double result[CHUNK];
    const size_t size = element_size(rows->element);
    for (uint32_t i = 0; i < inputs; i++) {
        pointers[i] = buffers[i];
        if (steps[i] == 0)
            convert_row(rows->element, in[i], rows->wide, buffers[i], 1, true);
    }
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        for (uint32_t i = 0; i < inputs; i++) {
            if (steps[i] != 0)
                convert_row(rows->element, (const char *)in[i] + at * size, rows->wide, buffers[i],
                            part, true);
        }
        if (rows->narrow_output) {
            rows->row(rows->context, result, pointers, steps, part);
            convert_row(rows->wide, result, rows->element, (char *)out + at * size, part, true);
        } else {
            rows->row(rows->context, (char *)out + at, pointers, steps, part);
        }
    }
    free(many);
    free(many_pointers);
}

status typed_run(struct parallel *parallel, const struct tensor *out,
                 const struct broadcast_input *inputs, uint32_t input_count, enum element element,
                 const typed_rows rows, const void *context)
{
    const enum element wide = stand_in(rows, element);
    bool fits = rows[wide] != NULL && (out->element == element || out->element == ELEMENT_BOOL);
    for (uint32_t i = 0; i < input_count; i++)
        fits = fits && inputs[i].size == element_size(element);
    if (!fits)
        return status_make(STATUS_UNSUPPORTED, "it is not computed for elements %s",
                           element_name(element));
    if (wide == element) {
        broadcast_run(parallel, out, inputs, input_count, rows[element], context);
        return STATUS_OK;
    }
    const struct wide_rows wide_rows = {
        rows[wide], context, element, wide, out->element == element, input_count,
    };
    broadcast_run(parallel, out, inputs, input_count, wide_row, &wide_rows);
    return STATUS_OK;
}

status typed_run_tensors(struct parallel *parallel, const struct tensor *out,
                         const struct tensor *const *inputs, uint32_t input_count,
                         const typed_rows rows, const void *context)
{
    struct broadcast_input *all = memory_allocate_zeroed((size_t)input_count + 1, sizeof *all);
    for (uint32_t i = 0; i < input_count; i++)
        all[i] = broadcast_input(inputs[i]);
    const status failure =
        typed_run(parallel, out, all, input_count, inputs[0]->element, rows, context);
    free(all);
    return failure;
}
