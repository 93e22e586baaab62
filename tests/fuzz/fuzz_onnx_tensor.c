// Any bytes as a TensorProto, a SequenceProto and an OptionalProto: what is read
// is written and read again, equal.

#include "network/onnx/tensor_proto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_tensors(const struct tensor *a, const struct tensor *b)
{
    check(a->element == b->element && shape_equal(&a->shape, &b->shape));
    if (a->element != ELEMENT_TEXT) {
        check(tensor_bytes(a) == 0 || memcmp(a->data, b->data, tensor_bytes(a)) == 0);
        return;
    }
    const struct view *left = a->data;
    const struct view *right = b->data;
    for (uint64_t i = 0; i < tensor_count(a); i++)
        check(view_equal(left[i], right[i]));
}

static void check_equal(const struct datum *a, const struct datum *b)
{
    check(a->kind == b->kind && a->count == b->count);
    if (a->kind == DATUM_TENSOR)
        check_tensors(&a->tensor, &b->tensor);
    for (size_t i = 0; i < a->count; i++)
        check_equal(a->items[i], b->items[i]);
}

// Empty optionals inside sequences have no message of their own.
static bool holds_nothing(const struct datum *datum)
{
    bool found = false;
    for (size_t i = 0; i < datum->count; i++)
        found = found || datum->items[i]->kind == DATUM_NOTHING || holds_nothing(datum->items[i]);
    return found;
}

static void read_as(struct view bytes, const struct value_type *type)
{
    struct datum *datum;
    const status failure = tensor_proto_read_datum(bytes, type, &datum);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    if (!holds_nothing(datum)) {
        struct bytes written = {0};
        tensor_proto_write_datum(&written, VIEW_LITERAL("name"), type, datum);
        struct datum *again;
        check(tensor_proto_read_datum(bytes_view(&written), type, &again) == STATUS_OK);
        check_equal(datum, again);
        datum_release(again);
        bytes_free(&written);
    }
    datum_release(datum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    const struct value_type sequence = {.kind = VALUE_SEQUENCE};
    const struct value_type optional = {.kind = VALUE_TENSOR, .optional = true};
    read_as(bytes, NULL);
    read_as(bytes, &sequence);
    read_as(bytes, &optional);
    return 0;
}
