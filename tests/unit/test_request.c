// Heads of HTTP requests, good and bad.

#include "view/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static enum request_state state_of(const char *text)
{
    struct request request;
    return request_read(view_of(text), &request);
}

static void test_what_is_asked_for(void **state)
{
    struct request request;
    uint64_t number = 0;
    (void)state;
    const char *text = "GET /abc/blocks?from=12&to=99&x HTTP/1.1\r\nAccept: */*\r\n"
                       "hOST:  127.0.0.1:80 \r\n\r\n";
    assert_int_equal(request_read(view_of(text), &request), REQUEST_WHOLE);
    assert_true(view_is(request.method, "GET"));
    assert_true(view_is(request.path, "/abc/blocks"));
    assert_true(view_is(request.host, "127.0.0.1:80"));
    assert_true(request_number(&request, "from", &number) && number == 12);
    assert_true(request_number(&request, "to", &number) && number == 99);
    assert_false(request_number(&request, "x", &number));
    assert_false(request_number(&request, "rom", &number));
}

static void test_numbers_are_whole_and_fit(void **state)
{
    struct request request;
    uint64_t number;
    (void)state;
    const char *text =
        "GET /?a=-1&b=1e3&c=99999999999999999999999&d=&e=%31 HTTP/1.1\r\nHost: x\r\n\r\n";
    assert_int_equal(request_read(view_of(text), &request), REQUEST_WHOLE);
    for (const char *name = "abcde"; *name != '\0'; name++) {
        const char key[2] = {*name, '\0'};
        assert_false(request_number(&request, key, &number));
    }
}

static void test_what_is_not_whole_waits(void **state)
{
    (void)state;
    assert_int_equal(state_of(""), REQUEST_UNFINISHED);
    assert_int_equal(state_of("GET / HTTP/1.1\r\nHost: x\r\n"), REQUEST_UNFINISHED);
    assert_int_equal(state_of("\x16\x03\x01 no http at all"), REQUEST_UNFINISHED);
}

static void test_what_is_wrong_is_refused(void **state)
{
    static const char *const WRONG[] = {
        "GET / HTTP/1.1\r\n\r\n",                                    // no host
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",              // two of them
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",                           // an empty one
        "GET / HTTP/2\r\nHost: a\r\n\r\n",                           // another protocol
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",                 // as of a proxy
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",                      // a blank in the path
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", // a body
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", // a blank in a name
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n",
        "\r\n\r\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        assert_int_equal(state_of(WRONG[i]), REQUEST_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_asked_for),
        cmocka_unit_test(test_numbers_are_whole_and_fit),
        cmocka_unit_test(test_what_is_not_whole_waits),
        cmocka_unit_test(test_what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
