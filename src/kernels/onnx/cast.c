// Cast and CastLike: any number, bool or text to any other.

#include <inttypes.h>

#include "kernels/core/convert.h"
#include "kernels/core/number_text.h"
#include "kernels/kernel_tables.h"

enum { GRAIN = 16384 };

struct casting {
    const struct tensor *in;
    const struct tensor *out;
    bool saturate;
};

static void cast_piece(void *context, uint64_t from, uint64_t to)
{
    const struct casting *casting = context;
    const enum element source = casting->in->element;
    const enum element target = casting->out->element;
    convert_row(source, (const char *)casting->in->data + from * element_size(source), target,
                (char *)casting->out->data + from * element_size(target), to - from,
                casting->saturate);
}

static status parse_texts(const struct tensor *in, const struct tensor *out)
{
    const struct view *texts = in->data;
    const uint64_t count = tensor_count(in);
    char *to = out->data;
    for (uint64_t i = 0; i < count; i++) {
        if (!number_parse(texts[i], out->element, to + i * element_size(out->element)))
            return status_make(STATUS_DATA, "element %" PRIu64 ": '%.*s' is not a number of %s", i,
                               VIEW_ARGUMENTS(texts[i]), element_name(out->element));
    }
    return STATUS_OK;
}

static void write_texts(struct kernel_call *call, const struct tensor *in, const struct tensor *out)
{
    struct view *texts = out->data;
    const char *from = in->data;
    const uint64_t count = tensor_count(in);
    for (uint64_t i = 0; i < count; i++) {
        char text[NUMBER_TEXT_MOST];
        const size_t size = number_text(in->element, from + i * element_size(in->element), text);
        texts[i] = kernel_text(call, 0, (struct view){text, size});
    }
}

static status cast_kernel(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    if (out == NULL || in == NULL)
        return STATUS_OK;
    if (in->element == ELEMENT_TEXT && out->element == ELEMENT_TEXT) {
        kernel_give(call, 0, datum_keep(call->data[0]));
        return STATUS_OK;
    }
    if (in->element == ELEMENT_TEXT)
        return parse_texts(in, out);
    if (out->element == ELEMENT_TEXT) {
        write_texts(call, in, out);
        return STATUS_OK;
    }
    struct casting casting = {in, out, attribute_integer(call->attributes, "saturate", 1) != 0};
    parallel_for(call->parallel, tensor_count(in), GRAIN, cast_piece, &casting);
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"Cast", cast_kernel},
    {"CastLike", cast_kernel},
};

const struct kernel_table ONNX_CAST_KERNELS = KERNEL_TABLE(KERNELS);
