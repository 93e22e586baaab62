// Messages of the Model Context Protocol, and what becomes of a call's arguments.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mcp/message.h"
#include "mcp/reply.h"
#include "mcp/tool.h"

// Lines -------------------------------------------------------------------------------------

// Whatever the pieces are, the lines are the same.
static void lines_do_not_depend_on_pieces(void **state)
{
    static const char TEXT[] = "one\n\ntwo\r\nthree\nrest";
    static const char *const LINES[] = {"one", "", "two", "three"};
    (void)state;
    for (size_t piece = 1; piece <= sizeof TEXT; piece++) {
        struct mcp_lines lines = {0};
        struct view line;
        bool too_long;
        size_t count = 0;
        for (size_t at = 0; at < sizeof TEXT - 1; at += piece) {
            const size_t left = sizeof TEXT - 1 - at;
            mcp_lines_add(&lines, TEXT + at, left < piece ? left : piece);
            while (mcp_lines_next(&lines, &line, &too_long)) {
                assert_true(count < 4 && !too_long);
                assert_true(view_is(line, LINES[count++]));
            }
        }
        assert_int_equal(count, 4);
        mcp_lines_free(&lines);
    }
}

static void long_lines_take_no_memory(void **state)
{
    enum { PIECE = 65536, PIECES = 200 };
    struct mcp_lines lines = {0};
    struct view line;
    bool too_long = false;
    char *piece = malloc(PIECE);
    (void)state;
    memset(piece, 'x', PIECE);
    for (int i = 0; i < PIECES; i++) {
        mcp_lines_add(&lines, piece, PIECE);
        assert_false(mcp_lines_next(&lines, &line, &too_long));
        assert_true(lines.held.size <= MCP_LINE_MOST + 2 * PIECE);
    }
    mcp_lines_add(&lines, "\nnext\n", 6);
    assert_true(mcp_lines_next(&lines, &line, &too_long));
    assert_true(too_long && line.size == 0);
    assert_true(mcp_lines_next(&lines, &line, &too_long));
    assert_true(!too_long && view_is(line, "next"));
    mcp_lines_free(&lines);
    free(piece);
}

// Messages ------------------------------------------------------------------------------------

static void messages_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        enum mcp_message_kind kind;
        bool has_id;
    } CASES[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", MCP_REQUEST, true},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}", MCP_REQUEST, true},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", MCP_NOTIFICATION, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", MCP_RESPONSE, true},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", MCP_RESPONSE, true},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", MCP_WRONG, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", MCP_WRONG, true},
        {"{\"id\":1,\"method\":\"ping\"}", MCP_WRONG, true},
        {"[]", MCP_WRONG, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct arena arena = {0};
        const struct json_value *value;
        struct mcp_message message;
        assert_null(json_read(view_of(CASES[i].text), &arena, &value));
        mcp_message_read(value, &message);
        assert_int_equal(message.kind, CASES[i].kind);
        assert_int_equal(message.id.known, CASES[i].has_id);
        arena_free(&arena);
    }
}

static void a_number_is_no_text(void **state)
{
    struct arena arena = {0};
    const struct json_value *number, *text;
    struct mcp_id a, b;
    (void)state;
    assert_null(json_read(view_of("7"), &arena, &number));
    assert_null(json_read(view_of("\"7\""), &arena, &text));
    assert_true(mcp_id_of(number, &a) && mcp_id_of(text, &b));
    assert_true(mcp_id_equal(&a, &a));
    assert_false(mcp_id_equal(&a, &b));
    arena_free(&arena);
}

// Calls ---------------------------------------------------------------------------------------

static status any_place(struct view path, struct arena *arena, const char **out_path)
{
    *out_path = arena_print(arena, "/folder/%.*s", VIEW_ARGUMENTS(path)).data;
    return STATUS_OK;
}

static const char *const CHOICES[] = {"one", "two", NULL};
static const char *const WORDS[] = {"--json", NULL};
static const struct mcp_argument ARGUMENTS[] = {
    {"file", MCP_FILE, .required = true, .about = "a file"},
    {"files", MCP_FILES, .option = "f", .about = "files"},
    {"text", MCP_TEXT, .option = "text", .about = "a text"},
    {"texts", MCP_TEXTS, .option = "t", .about = "texts"},
    {"choice", MCP_CHOICE, .option = "choice", .about = "a choice", .choices = CHOICES},
    {"limit", MCP_COUNT, .option = MCP_OPTION_LIMIT, .about = "rows", .least = 1, .most = 100,
     .usual = 20},
    {"flag", MCP_FLAG, .option = "flag", .about = "a flag"},
    {"query", MCP_WORD, .about = "a word"},
    {0}};
static const struct mcp_tool TOOL = {
    .name = "tool", .about = "", .arguments = ARGUMENTS, .words = WORDS};

static char *words_of(const char *arguments)
{
    struct arena arena = {0};
    const struct json_value *value;
    struct mcp_words words;
    struct bytes text = {0};
    assert_null(json_read(view_of(arguments), &arena, &value));
    const status failure = mcp_tool_words(&TOOL, value, any_place, &words);
    for (size_t i = 0; failure == STATUS_OK && i < words.count; i++)
        bytes_append_format(&text, "%s[%s]", i > 0 ? " " : "", words.items[i]);
    if (failure != STATUS_OK)
        bytes_append_format(&text, "%s", status_message(failure));
    bytes_append(&text, "", 1);
    status_free(failure);
    mcp_words_free(&words);
    arena_free(&arena);
    return (char *)text.data;
}

static void assert_words(const char *arguments, const char *expected)
{
    char *text = words_of(arguments);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_refused(const char *arguments, const char *part)
{
    char *text = words_of(arguments);
    if (strstr(text, part) == NULL)
        fail_msg("'%s' lacks '%s'", text, part);
    free(text);
}

static void arguments_become_words(void **state)
{
    (void)state;
    assert_words("{\"file\":\"a\"}", "[--json] [--top=20] [--] [/folder/a]");
    assert_words("{\"query\":\"--q\",\"file\":\"-x\",\"flag\":true,\"limit\":3,\"choice\":\"two\"}",
                 "[--json] [--choice=two] [--top=3] [--flag] [--] [/folder/-x] [--q]");
    assert_words("{\"file\":\"a\",\"files\":[\"b\",\"--c\"],\"text\":\"x=y z\",\"texts\":[\"p\"],"
                 "\"flag\":false,\"choice\":null}",
                 "[--json] [--f=/folder/b] [--f=/folder/--c] [--text=x=y z] [--t=p] [--top=20] "
                 "[--] [/folder/a]");
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    assert_refused("{}", "\"file\" is missing");
    assert_refused("[]", "is an object");
    assert_refused("{\"file\":\"a\",\"other\":1}", "it takes file, files, text");
    assert_refused("{\"file\":\"a\\u0000b\"}", "NUL");
    assert_refused("{\"file\":\"a\",\"limit\":0}", "1 to 100");
    assert_refused("{\"file\":\"a\",\"limit\":-1}", "1 to 100");
    assert_refused("{\"file\":\"a\",\"limit\":1e9}", "1 to 100");
    assert_refused("{\"file\":\"a\",\"limit\":\"3\"}", "1 to 100");
    assert_refused("{\"file\":\"a\",\"choice\":\"three\"}", "one of one, two");
    assert_refused("{\"file\":\"a\",\"flag\":1}", "true or false");
    assert_refused("{\"file\":\"a\",\"files\":[]}", "1 to 32");
    assert_refused("{\"file\":\"a\",\"files\":[1]}", "a path");
}

static void rows_are_halved(void **state)
{
    struct arena arena = {0};
    const struct json_value *value;
    struct mcp_words words;
    (void)state;
    assert_null(json_read(view_of("{\"file\":\"a\",\"limit\":5}"), &arena, &value));
    assert_null(mcp_tool_words(&TOOL, value, any_place, &words));
    assert_true(mcp_words_halve(&words));
    assert_string_equal(words.items[1], "--top=2");
    assert_true(mcp_words_halve(&words));
    assert_string_equal(words.items[1], "--top=1");
    assert_false(mcp_words_halve(&words));
    mcp_words_free(&words);
    arena_free(&arena);
}

static void versions_are_dates_in_order(void **state)
{
    enum mcp_version version;
    (void)state;
    for (unsigned i = 0; i < MCP_VERSIONS; i++) {
        assert_true(mcp_version_find(view_of(MCP_VERSION_NAMES[i]), &version));
        assert_int_equal(version, i);
        assert_true(i == 0 || strcmp(MCP_VERSION_NAMES[i - 1], MCP_VERSION_NAMES[i]) < 0);
    }
    assert_false(mcp_version_find(view_of("2024-11-0"), &version));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_do_not_depend_on_pieces),
        cmocka_unit_test(long_lines_take_no_memory),
        cmocka_unit_test(messages_are_told_apart),
        cmocka_unit_test(a_number_is_no_text),
        cmocka_unit_test(arguments_become_words),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(rows_are_halved),
        cmocka_unit_test(versions_are_dates_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
