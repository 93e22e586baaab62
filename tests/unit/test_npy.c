// .npy files against bytes written down by hand and against themselves.

#include "wire/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input.h"
#include "network/tensor_npy.h"
#include "network/tensor_text.h"

// A file of the given version around a dictionary and elements.
static struct bytes make_file(unsigned char version, const char *dictionary, struct view elements)
{
    struct bytes file = {0};
    const size_t size = strlen(dictionary);
    bytes_append(&file, "\x93NUMPY", 6);
    bytes_append(&file, (const char[]){(char)version, 0}, 2);
    for (unsigned i = 0; i < (version == 1 ? 2 : 4); i++)
        bytes_append(&file, (const char[]){(char)(size >> (8 * i))}, 1);
    bytes_append(&file, dictionary, size);
    bytes_append(&file, elements.data, elements.size);
    return file;
}

static void expect_text(unsigned char version, const char *dictionary, struct view elements,
                        const char *want)
{
    struct bytes file = make_file(version, dictionary, elements);
    struct datum *datum;
    const status failure = tensor_npy_read(bytes_view(&file), &datum);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", dictionary, status_message(failure));
    struct bytes text = {0};
    tensor_text_append_datum(&text, datum, 100);
    bytes_append(&text, "", 1);
    assert_string_equal((char *)text.data, want);
    bytes_free(&text);
    bytes_free(&file);
    datum_release(datum);
}

static void expect_failure(unsigned char version, const char *dictionary, struct view elements,
                           const char *piece)
{
    struct bytes file = make_file(version, dictionary, elements);
    struct datum *datum;
    const status failure = tensor_npy_read(bytes_view(&file), &datum);
    assert_ptr_not_equal(failure, STATUS_OK);
    if (strstr(status_message(failure), piece) == NULL)
        fail_msg("'%s' lacks '%s'", status_message(failure), piece);
    status_free(failure);
    bytes_free(&file);
}

static void every_version_and_type_is_read(void **state)
{
    (void)state;
    const char *shape2 = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
    for (unsigned char version = 1; version <= 3; version++)
        expect_text(version, shape2, VIEW_LITERAL("\1\0\xff\xff"), "2xi16=1 -1");
    expect_text(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
                VIEW_LITERAL("\0\1\7"), "3xi1=0 1 1");
    expect_text(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                VIEW_LITERAL("\0\0\x60\x40"), "f32=3.5");
    expect_text(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1L, 1L)}",
                VIEW_LITERAL("\0\x3e"), "1x1xf16=[1.5]");
    expect_text(1, "{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}",
                VIEW_LITERAL("\xc0\x3f"), "1xbf16=1.5");
    expect_text(1, "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (1,)}",
                VIEW_LITERAL("\xc0\x3f"), "1xbf16=1.5");
    expect_text(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
                VIEW_LITERAL("\0\0\x60\x40\0\0\x80\xbf"), "1xc64=3.5-1i");
    expect_text(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}",
                VIEW_LITERAL("\xff\xff\xff\xff\xff\xff\xff\xff"), "1xui64=18446744073709551615");
    expect_text(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3)}", VIEW_LITERAL(""),
                "0x3xi32=");
}

static void big_endian_and_fortran_order_are_turned(void **state)
{
    (void)state;
    expect_text(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}",
                VIEW_LITERAL("\1\2\3\4"), "2xi16=258 772");
    expect_text(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}",
                VIEW_LITERAL("\x40\x60\0\0\xbf\x80\0\0"), "1xc64=3.5-1i");
    expect_text(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}",
                VIEW_LITERAL("\0\1\2\3\4\5"), "2x3xi8=[0 2 4][1 3 5]");
    expect_text(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2, 2)}",
                VIEW_LITERAL("\0\1\2\3\4\5\6\7"), "2x2x2xi8=[[0 4][2 6]][[1 5][3 7]]");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    const struct view four = VIEW_LITERAL("\1\2\3\4");
    expect_failure(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four,
                   "structured");
    expect_failure(1, "{'descr': '<M8', 'fortran_order': False, 'shape': (1,)}", four, "'M8'");
    expect_failure(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", four, "'O'");
    expect_failure(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", four,
                   "do not fit");
    expect_failure(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
                   four, "too large");
    expect_failure(1, "{'descr': '<f4', 'shape': (1,)}", four, "no header");
    expect_failure(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1", four, "no header");
    expect_failure(1,
                   "{'descr': '|i1', 'fortran_order': False, "
                   "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1)}",
                   four, "dimensions");
    expect_failure(9, "{}", four, "version 9.0");
    struct npy_header header;
    status failure = npy_header_read(VIEW_LITERAL("PK\3\4"), &header);
    assert_non_null(strstr(status_message(failure), "no .npy file"));
    status_free(failure);
    for (size_t size = 6; size < 12; size++) {
        failure = npy_header_read((struct view){"\x93NUMPY\1\0\x76\0{}", size}, &header);
        assert_non_null(strstr(status_message(failure), "cut off"));
        status_free(failure);
    }
}

static struct datum *literal(const char *text)
{
    struct datum *datum;
    assert_ptr_equal(tensor_text_parse(view_of(text), 1 << 20, &datum), STATUS_OK);
    return datum;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static const char *const tensors[] = {
        "2x3xf32=[1 2 3][4 5 -6.25]",
        "f64=0.1",
        "3xi1=1 0 1",
        "1x1xui16=[65535]",
        "2xbf16=1.5 -2",
        "2xf16=0.0999756 INF",
        "0x4xi64=",
        "2xc128=1+2i -1-2i",
        "1x2x3xi8=[[1 2 3][-128 127 0]]",
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        char path[] = "/tmp/opscope_npy_XXXXXX";
        close(mkstemp(path));
        struct datum *datum = literal(tensors[i]);
        struct output *output;
        assert_ptr_equal(output_open(path, &output), STATUS_OK);
        assert_ptr_equal(tensor_npy_write(output, &datum->tensor), STATUS_OK);
        assert_ptr_equal(output_close(output), STATUS_OK);
        datum_release(datum);

        struct input *input;
        assert_ptr_equal(input_open(path, &input), STATUS_OK);
        struct npy_header header;
        assert_ptr_equal(npy_header_read(input->bytes, &header), STATUS_OK);
        assert_int_equal(header.size % NPY_ALIGNMENT, 0);
        assert_ptr_equal(tensor_npy_read(input->bytes, &datum), STATUS_OK);
        struct bytes text = {0};
        tensor_text_append_datum(&text, datum, 100);
        bytes_append(&text, "", 1);
        assert_string_equal((char *)text.data, tensors[i]);
        bytes_free(&text);
        datum_release(datum);
        input_close(input);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_and_type_is_read),
        cmocka_unit_test(big_endian_and_fortran_order_are_turned),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
