// Which form a text is, and what is said about those that are none.

#include "torq_support.h"

static void assert_form(const char *text, enum torq_form form)
{
    const enum torq_form got = torq_recognise(view_of(text));
    if (got != form)
        fail_msg("%s: is %s, not %s", text, torq_form_name(got), torq_form_name(form));
}

static void headers_tell_the_form(void **state)
{
    (void)state;
    assert_form("ID,Start,End,Location,Op Type\n", TORQ_C1);
    assert_form("event_name, start_time, end_time, mlir_src_line, event_type\n", TORQ_C1);
    assert_form("ID,Start,End,Location,Op Type,bytes\n", TORQ_C2);
    assert_form("actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n", TORQ_C3);
    assert_form("taskId, elapsed_time(us), timestamp(us), event, location, bytes\n", TORQ_C4);
    assert_form("id;time_since_open;time_since_start;location\n", TORQ_R1);
    assert_form("ID;time_since_open;time_since_start;Location\n", TORQ_R1);
    assert_form("id;time_since_open;time_since_start\n", TORQ_R1);
    assert_form("dispatch_id;time_since_open;time_since_start;mlir_loc", TORQ_R1);
    assert_form("actionIndex, elapsed_time(us), timestamp(us), event, location\n", TORQ_R2);
    assert_form("dispatch_name,invocation_id,action_id,timestamp_us,event\n", TORQ_R4);
}

static void rows_tell_the_form(void **state)
{
    (void)state;
    assert_form("DI0,0,77,loc(unknown),DMA_IN\n", TORQ_C1);
    assert_form("DI0,0,77,loc(\"a, b\":1:2),DMA_IN\nS0,0,77,loc(unknown),add\n", TORQ_C1);
    assert_form("ID,Start,End,Location,Op Type\nDI0,0,77,loc(unknown),DMA_IN,5\n", TORQ_C2);
    assert_form("DI0,0,77,loc(unknown),DMA_IN,364\n", TORQ_C2);
    assert_form("DI0,0,77,loc(unknown),DMA_IN\nS0_1,0,77,loc(unknown),add\n", TORQ_C2);
    assert_form("CSS0,0,77,loc(unknown),CSS\n", TORQ_C2);
    assert_form("7,2,178,Slice 0,loc(unknown),\n", TORQ_C4);
    assert_form("0;100;30;loc(unknown)\n", TORQ_R1);
    assert_form("0;100;30\n", TORQ_R1);
    assert_form("0,0,10,NSS_START,loc(\"a, b\":1:2)\n", TORQ_R2);
    assert_form("0,0,10,ALLOC_END,\n", TORQ_R2);
    assert_form("0,0,10,ALLOC_END,\"loc(unknown)\"\n", TORQ_R3);
    assert_form("actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                "0,0,10,ALLOC_END,\"loc(unknown)\"\n",
                TORQ_R3);
    assert_form("main_dispatch_0,0,-1,100,INIT_BEGIN\n", TORQ_R4);
    // After rows that are none, and at a row that is cut off.
    assert_form("DI0,abc,5,loc(unknown),DMA_IN\n", TORQ_C1);
    assert_form("nonsense\n\nDI0,0,77,loc(unknown),DMA_IN\n", TORQ_C1);
    assert_form("DI0,0,7", TORQ_C1);
}

static void other_texts_are_none(void **state)
{
    (void)state;
    const char *const texts[] = {"",
                                 "\n\n",
                                 "\xef\xbb\xbf",
                                 "hello, world\n",
                                 "{\"traceEvents\": []}\n",
                                 "a,b,c\n1,2,3\n",
                                 "S1,5\nS2,6\n",
                                 "Sales,1,2,3,4\n",
                                 "name,1,2,here,there\n",
                                 "GLOBAL CALL COUNT,DEVICE ID,OP CODE\n1,2,3\n",
                                 "1,2,3,4,5\n",
                                 "a;b;c\n1;2;3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_form(texts[i], TORQ_UNKNOWN);
}

static status read_kind(const char *text, int kind, struct profile *profile)
{
    struct input *input = input_over("t.csv", view_of(text));
    const struct torq_options options = {0};
    const status result = kind == 0   ? torq_read(input, &options, profile)
                          : kind == 1 ? torq_compile_read(input, &options, profile)
                                      : torq_runtime_read(input, &options, profile);
    input_close(input);
    return result;
}

static void assert_fails(const char *text, int kind, const char *message)
{
    struct profile *profile = profile_create();
    const status result = read_kind(text, kind, profile);
    assert_int_equal(status_code_of(result), STATUS_DATA);
    if (strncmp(status_message(result), message, strlen(message)) != 0)
        fail_msg("%s", status_message(result));
    status_free(result);
    profile_free(profile);
}

static void failures_name_the_file_and_its_first_line(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        assert_fails("\nhello,\tworld\n", kind,
                     "t.csv: is not a Torq profile: its first line is 'hello,?world'; expected a "
                     "compile profile (ID,Start,End,Location,Op Type or taskId");
    assert_fails("0123456789012345678901234567890123456789012345678901234567890123456789\n", 0,
                 "t.csv: is not a Torq profile: its first line is "
                 "'012345678901234567890123456789012345678901234567890123456789...'; expected");
    assert_fails(
        "0;100;30\n", 1,
        "t.csv: is a runtime profile (torq-r1), not a compile profile; perfetto_logger takes it as "
        "--runtime_profile");
    assert_fails(
        "DI0,0,77,loc(unknown),DMA_IN\n", 2,
        "t.csv: is a compile profile (torq-c1), not a runtime profile; perfetto_logger takes it as "
        "--compile_profile");
}

static void an_empty_file_may_be_a_loss(void **state)
{
    (void)state;
    const char *const texts[] = {"", "\n\n", "\xef\xbb\xbf", " \t\r\n"};
    for (size_t i = 0; i < 3 * sizeof texts / sizeof texts[0]; i++) {
        struct profile *profile = profile_create();
        assert_null(read_kind(texts[i / 3], (int)(i % 3), profile));
        char *notes = tell_notes(profile);
        assert_string_equal(notes, "lost 1: t.csv: is empty\n");
        assert_true(profile_ledger(profile).expected == LEDGER_UNKNOWN);
        free(notes);
        profile_free(profile);
    }
    assert_reads("taskId, elapsed_time(us), timestamp(us), event, location, bytes\n", "",
                 "remark 1: t.csv: has a header and no rows\n");
    assert_reads("id;time_since_open;time_since_start", "",
                 "remark 1: t.csv: has a header and no rows\n");
}

static void forms_have_names_and_kinds(void **state)
{
    (void)state;
    assert_string_equal(torq_form_name(TORQ_C1), "torq-c1");
    assert_string_equal(torq_form_name(TORQ_R4), "torq-r4");
    assert_string_equal(torq_form_name(TORQ_UNKNOWN), "unknown");
    assert_true(torq_form_is_compile(TORQ_C1) && torq_form_is_compile(TORQ_C4));
    assert_false(torq_form_is_compile(TORQ_R1) || torq_form_is_compile(TORQ_UNKNOWN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_tell_the_form),
        cmocka_unit_test(rows_tell_the_form),
        cmocka_unit_test(other_texts_are_none),
        cmocka_unit_test(failures_name_the_file_and_its_first_line),
        cmocka_unit_test(an_empty_file_may_be_a_loss),
        cmocka_unit_test(forms_have_names_and_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
