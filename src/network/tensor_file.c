#include "tensor_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "network/onnx/tensor_proto.h"
#include "tensor_npy.h"
#include "tensor_text.h"

enum file_kind {
    FILE_NONE,
    FILE_NPY,
    FILE_RAW,
    FILE_PROTO,
};

static enum file_kind tensor_file_kind_of(struct view path)
{
    if (view_has_extension(path, ".npy"))
        return FILE_NPY;
    if (view_has_extension(path, ".bin") || view_has_extension(path, ".raw"))
        return FILE_RAW;
    return view_has_extension(path, ".pb") ? FILE_PROTO : FILE_NONE;
}

bool tensor_file_named(struct view path)
{
    return tensor_file_kind_of(path) != FILE_NONE;
}

static status unknown_extension(const char *path)
{
    return status_make(STATUS_USAGE, "%s: tensor files are called .npy, .bin, .raw or .pb", path);
}

// Reading ---------------------------------------------------------------------

static status read_raw(struct view bytes, const struct value_type *type, struct datum **out_datum)
{
    if (type == NULL || !value_type_static(type))
        return status_make(STATUS_USAGE, "give type and shape of raw elements: 4xf32=@x.bin");
    uint64_t count;
    STATUS_TRY(shape_elements(&type->shape, &count));
    if (type->element == ELEMENT_TEXT)
        return status_make(STATUS_UNSUPPORTED, ".bin holds no texts");
    const size_t size = element_size(type->element);
    if (bytes.size % size != 0 || bytes.size / size != count) {
        char text[SHAPE_TEXT_MOST];
        return status_make(STATUS_DATA, "%zu bytes instead of %" PRIu64 " x %zu for [%s] %s",
                           bytes.size, count, size, shape_text(&type->shape, text),
                           element_name(type->element));
    }
    STATUS_TRY(datum_tensor(type->element, &type->shape, out_datum));
    if (bytes.size > 0)
        memcpy((*out_datum)->tensor.data, bytes.data, bytes.size);
    tensor_tidy_bools(&(*out_datum)->tensor);
    return STATUS_OK;
}

static status tensor_file_read_bytes(const struct input *input, const struct value_type *type,
                                     struct datum **out_datum)
{
    if (input->damage != NULL)
        return status_make(STATUS_DATA, "%s", input->damage);
    switch (tensor_file_kind_of(view_of(input->path))) {
    case FILE_NPY:
        return tensor_npy_read(input->bytes, out_datum);
    case FILE_PROTO:
        return tensor_proto_read_datum(input->bytes, type, out_datum);
    default:
        return read_raw(input->bytes, type, out_datum);
    }
}

status tensor_file_read(const char *path, const struct value_type *type, struct datum **out_datum)
{
    if (!tensor_file_named(view_of(path)))
        return unknown_extension(path);
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    const status result = status_within(tensor_file_read_bytes(input, type, out_datum), "%s", path);
    input_close(input);
    return result;
}

// Half of the machine's memory: a literal is a short text, whatever it stands for.
static uint64_t literal_most(void)
{
    return memory_of_machine() / 2;
}

static status read_path(struct view path, const struct value_type *type, struct datum **out_datum)
{
    char *name = view_copy(path);
    const status result = tensor_file_read(name, type, out_datum);
    free(name);
    return result;
}

status tensor_file_read_input(struct view text, const struct value_type *type,
                              struct datum **out_datum)
{
    // IREE marks a bare buffer by '&'; here it is the same as a tensor.
    if (text.size > 0 && text.data[0] == '&')
        text = view_slice(text, 1, text.size);
    const size_t equals = view_find(text, '=');
    if (text.size > 0 && text.data[0] == '@')
        return read_path(view_slice(text, 1, text.size), type, out_datum);
    if (equals + 1 < text.size && text.data[equals + 1] == '@') {
        struct value_type given = {.kind = VALUE_TENSOR, .ranked = true};
        STATUS_TRY(tensor_text_type(view_slice(text, 0, equals), &given.element, &given.shape));
        return read_path(view_slice(text, equals + 2, text.size), &given, out_datum);
    }
    if (equals == text.size && tensor_file_named(text))
        return read_path(text, type, out_datum);
    return tensor_text_parse(text, literal_most(), out_datum);
}

// Writing ---------------------------------------------------------------------

static status tensor_file_write_datum(struct output *output, enum file_kind kind, struct view name,
                                      const struct value_type *type, const struct datum *datum)
{
    if (kind == FILE_PROTO) {
        struct bytes bytes = {0};
        tensor_proto_write_datum(&bytes, name, type, datum);
        output_write(output, bytes.data, bytes.size);
        bytes_free(&bytes);
        return STATUS_OK;
    }
    if (datum->kind != DATUM_TENSOR)
        return status_make(STATUS_UNSUPPORTED, "only .pb holds sequences and empty optionals");
    if (kind == FILE_NPY)
        return tensor_npy_write(output, &datum->tensor);
    if (datum->tensor.element == ELEMENT_TEXT)
        return status_make(STATUS_UNSUPPORTED, ".bin holds no texts");
    output_write(output, datum->tensor.data, tensor_bytes(&datum->tensor));
    return STATUS_OK;
}

status tensor_file_write(const char *path, bool append, struct view name,
                         const struct value_type *type, const struct datum *datum)
{
    const enum file_kind kind = tensor_file_kind_of(view_of(path));
    if (kind == FILE_NONE)
        return unknown_extension(path);
    struct output *output;
    STATUS_TRY(append ? output_append(path, &output) : output_open(path, &output));
    const status result =
        status_within(tensor_file_write_datum(output, kind, name, type, datum), "%s", path);
    return output_finish(output, result);
}
