// The test vectors of RFC 4648, section 10.

#include "wire/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *letters)
{
    struct bytes to = {0};
    struct output *output;
    output_open_bytes(&to, &output);
    base64_write(output, text, strlen(text));
    assert_null(output_close(output));
    assert_int_equal(to.size, strlen(letters));
    assert_true(view_is(bytes_view(&to), letters));
    bytes_free(&to);
}

static void test_vectors(void **state)
{
    (void)state;
    expect("", "");
    expect("f", "Zg==");
    expect("fo", "Zm8=");
    expect("foo", "Zm9v");
    expect("foob", "Zm9vYg==");
    expect("fooba", "Zm9vYmE=");
    expect("foobar", "Zm9vYmFy");
    expect("\xfb\xff\xfe", "+//+");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
