// JSON into a tree: every kind of value, and every way to be none.

#include "wire/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct json_value *read_ok(struct arena *arena, const char *text)
{
    const struct json_value *value = NULL;
    const status failure = json_read(view_of(text), arena, &value);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", text, status_message(failure));
    return value;
}

static void assert_text(struct view got, const char *want)
{
    if (!view_is(got, want))
        fail_msg("got '%.*s', want '%s'", VIEW_ARGUMENTS(got), want);
}

static void every_kind_of_value_is_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct json_value *json =
        read_ok(&arena, " {\"a\": [1, -2.5e+3, 18446744073709551615], \"b\": {}, \"c\": null,\n"
                        "\t\"d\": true, \"e\": false, \"f\": \"x\\n\\u00e9\\ud83d\\ude00\\\"\"} ");
    assert_int_equal(json->kind, JSON_OBJECT);
    assert_int_equal(json->count, 6);
    const struct json_value *list = json_find(json, "a");
    assert_int_equal(list->count, 3);
    assert_text(list->first->next->text, "-2.5e+3");
    uint64_t number;
    assert_true(json_u64_of(list->first->next->next, &number));
    assert_true(number == UINT64_MAX);
    assert_false(json_u64_of(list->first->next, &number));
    assert_int_equal(json_find(json, "c")->kind, JSON_NULL);
    assert_true(json_find(json, "d")->truth);
    assert_false(json_find(json, "e")->truth);
    assert_text(json_find(json, "f")->text, "x\n\xc3\xa9\xf0\x9f\x98\x80\"");
    assert_null(json_find(json, "g"));
    assert_null(json_find(list, "a"));
    assert_null(json_find(NULL, "a"));
    arena_free(&arena);
}

static void the_last_of_two_keys_counts(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct json_value *json = read_ok(&arena, "{\"k\":1,\"k\":2}");
    assert_text(json_find(json, "k")->text, "2");
    arena_free(&arena);
}

static void half_a_surrogate_pair_is_replaced(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_text(read_ok(&arena, "\"\\ud83d\"")->text, "\xef\xbf\xbd");
    assert_text(read_ok(&arena, "\"\\ude00x\"")->text, "\xef\xbf\xbdx");
    arena_free(&arena);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } CASES[] = {
        {"", "byte 0: the text ends; expected a value"},
        {"{\"a\" 1}", "byte 5: expected ':'"},
        {"{\"a\": 1", "byte 7: the text ends; expected ',' or '}'"},
        {"[1 2]", "byte 3: expected ',' or ']'"},
        {"[1,]", "byte 3: expected a value"},
        {"{1: 2}", "byte 1: expected a text"},
        {"\"abc", "byte 4: the text ends; expected '\"' at the end of a text"},
        {"\"a\nb\"", "byte 2: expected no control character inside a text"},
        {"\"\\x\"", "byte 2: expected an escape: one of \" \\ / b f n r t u"},
        {"\"\\u12g4\"", "byte 5: expected four hexadecimal digits"},
        {"1.", "byte 2: the text ends; expected digits after the point"},
        {"1e", "byte 2: the text ends; expected digits of an exponent"},
        {"01", "byte 2: the text ends; expected a value"},
        {"nul", "byte 0: expected a value"},
        {"1 1", "byte 2: expected nothing after the value"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct arena arena = {0};
        const struct json_value *value;
        const status failure = json_read(view_of(CASES[i].text), &arena, &value);
        assert_non_null(failure);
        assert_string_equal(status_message(failure), CASES[i].message);
        status_free(failure);
        arena_free(&arena);
    }
}

static void depth_is_limited(void **state)
{
    (void)state;
    char text[2 * JSON_READ_DEPTH_MOST + 2];
    for (int depth = JSON_READ_DEPTH_MOST; depth <= JSON_READ_DEPTH_MOST + 1; depth++) {
        struct arena arena = {0};
        const struct json_value *value;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        const status failure = json_read((struct view){text, 2 * (size_t)depth}, &arena, &value);
        assert_int_equal(status_code_of(failure),
                         depth > JSON_READ_DEPTH_MOST ? STATUS_LIMIT : STATUS_DONE);
        status_free(failure);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(the_last_of_two_keys_counts),
        cmocka_unit_test(half_a_surrogate_pair_is_replaced),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
