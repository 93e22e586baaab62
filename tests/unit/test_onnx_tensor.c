// ONNX's tensors: every way to hold elements, sparse ones, files beside the
// model, and what was written read again.

#include "network/onnx/tensor_proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "network/onnx/import.h"
#include "onnx_support.h"

static const int64_t THREE[] = {3};

// Reads the TensorProto and frees it.
static struct datum *read_tensor(struct bytes message)
{
    struct datum *datum;
    const status failure = tensor_proto_read_datum(bytes_view(&message), NULL, &datum);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    bytes_free(&message);
    return datum;
}

static void assert_refused(struct bytes message, const char *text)
{
    struct datum *datum;
    const status failure = tensor_proto_read_datum(bytes_view(&message), NULL, &datum);
    assert_non_null(failure);
    if (strstr(status_message(failure), text) == NULL)
        fail_msg("'%s' is not in: %s", text, status_message(failure));
    status_free(failure);
    bytes_free(&message);
}

static void assert_holds(struct bytes message, const void *data, size_t size)
{
    struct datum *datum = read_tensor(message);
    assert_int_equal(tensor_bytes(&datum->tensor), size);
    assert_memory_equal(datum->tensor.data, data, size);
    datum_release(datum);
}

static struct bytes listed(enum element element, uint32_t field, const int64_t *numbers,
                           unsigned count)
{
    struct bytes tensor = tensor_of("t", element, 1, THREE);
    for (unsigned i = 0; i < count; i++)
        put_number(&tensor, field, (uint64_t)numbers[i]);
    return tensor;
}

static struct bytes packed(enum element element, uint32_t field, const int64_t *numbers,
                           unsigned count)
{
    struct bytes items = {0};
    for (unsigned i = 0; i < count; i++)
        bytes_append_varint(&items, (uint64_t)numbers[i]);
    struct bytes tensor = tensor_of("t", element, 1, THREE);
    put_message(&tensor, field, items);
    return tensor;
}

static void numbers_may_come_one_by_one(void **state)
{
    (void)state;
    const int64_t small[] = {-3, 0, 100};
    assert_holds(listed(ELEMENT_I8, 5, small, 3), (int8_t[]){-3, 0, 100}, 3);
    assert_holds(packed(ELEMENT_I8, 5, small, 3), (int8_t[]){-3, 0, 100}, 3);
    assert_holds(packed(ELEMENT_I16, 5, small, 3), (int16_t[]){-3, 0, 100}, 6);
    assert_holds(packed(ELEMENT_I32, 5, small, 3), (int32_t[]){-3, 0, 100}, 12);
    assert_holds(packed(ELEMENT_I64, 7, small, 3), (int64_t[]){-3, 0, 100}, 24);
    assert_holds(packed(ELEMENT_BOOL, 5, small, 3), (uint8_t[]){1, 0, 1}, 3);
    const int64_t halves[] = {0x3c00, 0, 0xfc00};
    assert_holds(packed(ELEMENT_F16, 5, halves, 3), (uint16_t[]){0x3c00, 0, 0xfc00}, 6);
    assert_holds(packed(ELEMENT_U64, 11, small, 3), (int64_t[]){-3, 0, 100}, 24);
    const int64_t pairs[] = {0xf1, 0x07};
    assert_holds(packed(ELEMENT_I4, 5, pairs, 2), (int8_t[]){1, -1, 7}, 3);
    assert_holds(packed(ELEMENT_U4, 5, pairs, 2), (uint8_t[]){1, 15, 7}, 3);
    struct bytes floats = tensor_of("t", ELEMENT_F32, 1, THREE);
    for (int i = 0; i < 3; i++)
        put_float(&floats, 4, (float)i);
    assert_holds(floats, (float[]){0, 1, 2}, 12);
}

static void counts_and_numbers_must_fit(void **state)
{
    (void)state;
    const int64_t numbers[] = {1, 2, 300, 4};
    assert_refused(packed(ELEMENT_I64, 7, numbers, 2), "tensor 't': 2 numbers instead of 3");
    assert_refused(packed(ELEMENT_I64, 7, numbers, 4), "4 numbers instead of 3");
    assert_refused(packed(ELEMENT_I64, 7, NULL, 0), "0 numbers instead of 3");
    assert_refused(packed(ELEMENT_U8, 5, numbers, 3), "300 is no u8");
    assert_refused(packed(ELEMENT_I64, 5, numbers, 3), "field 5 instead of 7");
    struct bytes raw = tensor_of("t", ELEMENT_F32, 1, THREE);
    put_text(&raw, 9, "12345678");
    assert_refused(raw, "8 bytes instead of 12 for 3xf32");
    struct bytes twice = packed(ELEMENT_I64, 7, numbers, 3);
    put_text(&twice, 9, "123456781234567812345678");
    assert_refused(twice, "twice");
    struct bytes huge = tensor_of("t", ELEMENT_F32, 2, (int64_t[]){INT64_C(1) << 40, 1 << 30});
    assert_refused(huge, "too large");
    assert_refused(tensor_of("t", 99, 1, THREE), "element type 99");
    struct bytes claim = tensor_of("t", ELEMENT_I64, 1, (int64_t[]){INT64_C(1) << 28});
    put_number(&claim, 7, 1);
    assert_refused(claim, "1 numbers instead of 268435456");
}

// Indices as one number each, and as one for each dimension.
static void sparse_tensors_are_unfolded(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        struct bytes values = tensor_of("s", ELEMENT_I32, 1, (int64_t[]){2});
        put_number(&values, 5, 7);
        put_number(&values, 5, 8);
        struct bytes indices = tensor_of("", ELEMENT_I64, flat ? 1 : 2, (int64_t[]){2, 2});
        const uint64_t places[2][4] = {{0, 1, 1, 2}, {1, 5}};
        for (int i = 0; i < (flat ? 2 : 4); i++)
            put_number(&indices, 7, places[flat][i]);
        struct bytes sparse = {0};
        put_message(&sparse, 1, values);
        put_message(&sparse, 2, indices);
        put_number(&sparse, 3, 2);
        put_number(&sparse, 3, 3);
        struct arena arena = {0};
        struct tensor_proto_reader reader = {&arena, NULL, 1000};
        struct view name;
        struct constant constant;
        assert_null(tensor_proto_read_sparse(&reader, bytes_view(&sparse), &name, &constant));
        assert_true(view_is(name, "s"));
        assert_memory_equal(constant.tensor.data, ((int32_t[]){0, 7, 0, 0, 0, 8}), 24);
        assert_int_equal(reader.dense_left, 976);
        reader.dense_left = 23;
        const status failure =
            tensor_proto_read_sparse(&reader, bytes_view(&sparse), &name, &constant);
        assert_non_null(strstr(status_message(failure), "too large"));
        status_free(failure);
        arena_free(&arena);
        bytes_free(&sparse);
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (int element = 1; element <= ELEMENT_I4; element++) {
        const struct shape shape = {2, {1, 3}};
        struct datum *datum;
        assert_null(datum_tensor((enum element)element, &shape, &datum));
        if (element == ELEMENT_TEXT)
            memcpy(datum->tensor.data,
                   ((struct view[]){VIEW_LITERAL(""), VIEW_LITERAL("a"), VIEW_LITERAL("b\0c")}),
                   3 * sizeof(struct view));
        else
            memset(datum->tensor.data, 1, tensor_bytes(&datum->tensor));
        struct bytes written = {0};
        tensor_proto_write(&written, VIEW_LITERAL("name"), &datum->tensor);
        struct datum *again = read_tensor(written);
        assert_int_equal(again->tensor.element, element);
        assert_true(shape_equal(&again->tensor.shape, &shape));
        const struct view *texts = again->tensor.data;
        if (element == ELEMENT_TEXT)
            assert_true(view_equal(texts[2], VIEW_LITERAL("b\0c")));
        else
            assert_memory_equal(again->tensor.data, datum->tensor.data,
                                tensor_bytes(&datum->tensor));
        datum_release(datum);
        datum_release(again);
    }
}

static void sequences_and_optionals_are_read_again(void **state)
{
    (void)state;
    const struct value_type sequence = {.kind = VALUE_SEQUENCE};
    const struct value_type optional = {.kind = VALUE_SEQUENCE, .optional = true};
    const struct shape scalar = {0};
    struct datum *items[2];
    for (int i = 0; i < 2; i++) {
        assert_null(datum_tensor(ELEMENT_I32, &scalar, &items[i]));
        *(int32_t *)items[i]->tensor.data = 10 + i;
    }
    struct datum *datum = datum_sequence(items, 2);
    const struct value_type *types[] = {&sequence, &optional};
    for (int i = 0; i < 2; i++) {
        struct bytes written = {0};
        tensor_proto_write_datum(&written, VIEW_LITERAL(""), types[i], datum);
        struct datum *again;
        assert_null(tensor_proto_read_datum(bytes_view(&written), types[i], &again));
        assert_int_equal(again->count, 2);
        assert_int_equal(*(int32_t *)again->items[1]->tensor.data, 11);
        datum_release(again);
        bytes_free(&written);
    }
    datum_release(datum);
    struct datum *nothing;
    assert_null(tensor_proto_read_datum(VIEW_LITERAL(""), &optional, &nothing));
    assert_int_equal(nothing->kind, DATUM_NOTHING);
    datum_release(nothing);
}

// A model whose constant of three f32 lies elsewhere.
static status import_external(const char *path, const char *location, const char *offset,
                              const char *length, struct bytes *model, struct network **out_network)
{
    const char *const entries[][2] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    struct bytes tensor = tensor_of("w", ELEMENT_F32, 1, THREE);
    for (int i = 0; i < 3; i++) {
        struct bytes entry = {0};
        put_text(&entry, 1, entries[i][0]);
        put_text(&entry, 2, entries[i][1]);
        put_message(&tensor, 13, entry);
    }
    put_number(&tensor, 14, 1);
    struct bytes graph = {0};
    put_message(&graph, INITIALIZER, tensor);
    put_message(&graph, OUTPUT, named("w"));
    *model = model_of(graph, 21);
    return onnx_import(input_over(path, bytes_view(model)), out_network);
}

static void data_beside_the_model_is_mapped_and_nothing_else(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_onnx_XXXXXX";
    char data[64];
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(data, sizeof data, "%s/w.bin", folder);
    snprintf(path, sizeof path, "%s/m.onnx", folder);
    FILE *file = fopen(data, "wb");
    // What looks like gzip is not unpacked.
    fwrite("\x1f\x8b\x08\x00----\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 1, 20, file);
    fclose(file);

    struct bytes model;
    struct network *network;
    assert_null(import_external(path, "w.bin", "8", "12", &model, &network));
    const struct constant *constant = network_value(network, 0)->constant;
    assert_memory_equal(constant->tensor.data, ((float[]){1, 2, 3}), 12);
    assert_int_equal(network->external_count, 1);
    network_free(network);
    bytes_free(&model);

    static const char *const bad[][4] = {
        {"w.bin", "9", "12", "ends at byte 20"},
        {"w.bin", "18446744073709551615", "12", "ends at byte 20"},
        {"w.bin", "8", "8", "8 bytes of external data instead of 12"},
        {"w.bin", "-1", "12", "not a number"},
        {"../w.bin", "8", "12", "inside the model's folder"},
        {"a/../../w.bin", "8", "12", "inside the model's folder"},
        {"/etc/passwd", "8", "12", "inside the model's folder"},
        {"", "8", "12", "inside the model's folder"},
        {"missing.bin", "8", "12", "missing.bin: cannot open"},
        {".", "8", "12", "not a regular file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const status failure =
            import_external(path, bad[i][0], bad[i][1], bad[i][2], &model, &network);
        assert_non_null(failure);
        if (strstr(status_message(failure), bad[i][3]) == NULL ||
            strstr(status_message(failure), "tensor 'w'") == NULL)
            fail_msg("'%s' is not in: %s", bad[i][3], status_message(failure));
        status_free(failure);
        bytes_free(&model);
    }
    unlink(data);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_come_one_by_one),
        cmocka_unit_test(counts_and_numbers_must_fit),
        cmocka_unit_test(sparse_tensors_are_unfolded),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(sequences_and_optionals_are_read_again),
        cmocka_unit_test(data_beside_the_model_is_mapped_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
