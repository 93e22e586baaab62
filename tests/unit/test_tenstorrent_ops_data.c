// The host's messages: quoted and not, cut off, and what each kind says.

#include "formats/tenstorrent/ops_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_text(struct view got, const char *want)
{
    if (!view_is(got, want))
        fail_msg("got '%.*s', want '%s'", VIEW_ARGUMENTS(got), want);
}

struct wanted {
    const char *text;
    bool has_time;
    uint64_t time;
    bool cut;
    uint64_t line;
};

static void assert_messages(const char *text, const struct wanted *wanted, size_t count)
{
    struct ops_data data = ops_data_of(view_of(text));
    struct ops_message message;
    for (size_t i = 0; i < count; i++) {
        assert_true(ops_data_next(&data, &message));
        assert_text(message.text, wanted[i].text);
        assert_int_equal(message.has_time, wanted[i].has_time);
        if (wanted[i].has_time)
            assert_int_equal(message.time, wanted[i].time);
        assert_int_equal(message.cut, wanted[i].cut);
        assert_int_equal(message.line, wanted[i].line);
    }
    assert_false(ops_data_next(&data, &message));
}

static void messages_span_lines_and_hold_separators(void **state)
{
    (void)state;
    static const struct wanted WANTED[] = {
        {"loc(\"a;b\":1:2)", true, 5, false, 2},
        {"TT_DNN_DEVICE_OP: \"A\", 1, 0, 1 ->\n{\n    \"k\": \"x;7\"\n}", true, 6, false, 3},
        {"a ` inside", true, 7, false, 7},
        {"MLIR_OP_LOCATION;loc(x;y)", true, 8, false, 8},
        {"no time", false, 0, false, 9},
        {"last", true, 18446744073709551615u, false, 10},
    };
    assert_messages("MessageName;total_ns\n"
                    "loc(\"a;b\":1:2);5\n"
                    "`TT_DNN_DEVICE_OP: \"A\", 1, 0, 1 ->\n{\n    \"k\": \"x;7\"\n}`;6\n"
                    "`a ` inside`;7\r\n"
                    "MLIR_OP_LOCATION;loc(x;y);8\n"
                    "no time\n"
                    "`last`;18446744073709551615",
                    WANTED, sizeof WANTED / sizeof WANTED[0]);
}

static void a_message_without_its_end_swallows_nothing(void **state)
{
    (void)state;
    static const struct wanted WANTED[] = {
        {"TT_DNN_DEVICE_OP: \"A\", 1, 0, 1 ->\n{ \"x\": \"yy", true, 5, true, 2},
        {"loc(1)", true, 6, false, 4},
        {"TT_SIGNPOST: s", true, 7, false, 5},
        {"cut twice", true, 8, true, 6},
        {"TT_SIGNPOST: t", true, 9, false, 7},
        {"at the end", false, 0, true, 8},
    };
    assert_messages("MessageName;total_ns\n"
                    "`TT_DNN_DEVICE_OP: \"A\", 1, 0, 1 ->\n{ \"x\": \"yy;5\n"
                    "loc(1);6\n"
                    "`TT_SIGNPOST: s`;7\n"
                    "`cut twice;8\n"
                    "`TT_SIGNPOST: t`;9\n"
                    "`at the end",
                    WANTED, sizeof WANTED / sizeof WANTED[0]);
}

static void empty_files_have_no_messages(void **state)
{
    (void)state;
    assert_messages("MessageName;total_ns\n", NULL, 0);
    assert_messages("MessageName;total_ns", NULL, 0);
    assert_messages("There are currently no messages!\n", NULL, 0);
    assert_messages("", NULL, 0);
    assert_true(ops_data_recognise(view_of("There are currently no messages!\n")));
    assert_false(ops_data_recognise(view_of("name,src_file\n")));
}

static bool parse(const char *text, struct ops_message_parts *parts)
{
    const struct ops_message message = {.text = view_of(text)};
    const char *problem;
    return ops_message_parse(&message, parts, &problem);
}

static void an_operation_has_code_hash_device_and_call_count(void **state)
{
    (void)state;
    struct ops_message_parts parts;
    assert_true(parse("TT_DNN_DEVICE_OP: \"Mat, mul\", 10817978221153490706, 3, 1027", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_OP);
    assert_text(parts.name, "Mat, mul");
    assert_true(parts.hash == 10817978221153490706u);
    assert_int_equal(parts.device, 3);
    assert_int_equal(parts.call_count, 1027);
    assert_int_equal(parts.details.size, 0);
    assert_false(parts.has_cache_hit);

    assert_true(parse("TT_DNN_DEVICE_OP: \"A\", 1, 0, true, 5 ->\n{}", &parts));
    assert_true(parts.has_cache_hit && parts.cache_hit);
    assert_int_equal(parts.call_count, 5);
    assert_text(parts.details, "\n{}");
    assert_true(parse("TT_DNN_DEVICE_OP: \"A\", 1, 0, false, 6", &parts));
    assert_true(parts.has_cache_hit && !parts.cache_hit);

    assert_true(parse("TT_DNN_FALL_BACK_OP:\"(torch) numel\" ->\n{}", &parts));
    assert_true(parts.is_fallback);
    assert_false(parts.has_fields);
    assert_text(parts.name, "(torch) numel");
}

static void other_kinds_have_their_parts(void **state)
{
    (void)state;
    struct ops_message_parts parts;
    assert_true(parse("TT_METAL_TRACE_BEGIN: 2, 17", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_BEGIN);
    assert_int_equal(parts.device, 2);
    assert_int_equal(parts.trace, 17);
    assert_true(parse("TT_METAL_TRACE_REPLAY: 2, 17", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_REPLAY);
    assert_true(parse("TT_METAL_TRACE_ENQUEUE_PROGRAM: 1, 2, 3", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_OTHER);
    assert_true(parse("TT_SIGNPOST: a: b\nsecond\nthird", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_SIGNPOST);
    assert_text(parts.name, "a: b");
    assert_text(parts.details, "second");
    assert_true(parse("MLIR_PROGRAM_METADATA;", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_METADATA);
    assert_text(parts.name, "");
    assert_true(parse("MLIR_OP_LOCATION;loc(\"a;b\")", &parts));
    assert_text(parts.name, "loc(\"a;b\")");
    assert_true(parse("whatever a user says", &parts));
    assert_int_equal(parts.kind, OPS_MESSAGE_OTHER);
}

static void messages_without_their_form_are_told(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "TT_DNN_DEVICE_OP: \"A",
        "TT_DNN_DEVICE_OP: \"A\", 1, 0",
        "TT_DNN_DEVICE_OP: \"A\", x, 0, 1",
        "TT_DNN_DEVICE_OP: \"A\", 1, 0, 1, 2",
        "TT_METAL_TRACE_BEGIN: 1",
        "TT_METAL_TRACE_END: 1, 2, 3",
        "TT_METAL_TRACE_REPLAY: a, b",
        "TT_METAL_TRACE_REPLAY: 99999999999, 1",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        struct ops_message_parts parts;
        if (parse(TEXTS[i], &parts))
            fail_msg("'%s' was taken", TEXTS[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_span_lines_and_hold_separators),
        cmocka_unit_test(a_message_without_its_end_swallows_nothing),
        cmocka_unit_test(empty_files_have_no_messages),
        cmocka_unit_test(an_operation_has_code_hash_device_and_call_count),
        cmocka_unit_test(other_kinds_have_their_parts),
        cmocka_unit_test(messages_without_their_form_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
