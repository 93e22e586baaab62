// Chrome traces to profiles and back: cut anywhere, in parts, and with the account that adds up.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/chrome/reader.h"
#include "formats/chrome/text.h"
#include "formats/chrome/writer.h"

static struct profile *read_trace(struct view bytes)
{
    struct input *input = input_over("trace.json", bytes);
    struct profile *profile = profile_create();
    const status failure = chrome_read(input, profile);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    input_close(input);
    return profile;
}

static const char TRACE[] =
    "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"t\"}},\n"
    "{\"ph\":\"X\",\"name\":\"a\\n\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"dur\":9.000,\"args\":{"
    "\"k\":[1,2]}},\n"
    "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1.000},\n"
    "{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":2.000,\"args\":{\"v\":1}},\n"
    "{\"ph\":\"X\",\"name\":\"d\",\"pid\":1,\"tid\":2,\"ts\":3.000,\"dur\":1.000}]\n";

// From memory that ends at the cut, so that the sanitizer sees what reads on.
static void cut_anywhere_keeps_what_is_whole(void **state)
{
    (void)state;
    for (size_t size = 1; size < sizeof TRACE; size++) {
        char *bytes = malloc(size);
        memcpy(bytes, TRACE, size);
        struct profile *profile = read_trace((struct view){bytes, size});
        size_t whole = 0;
        for (size_t i = 0; i + 1 < size + 1; i++)
            whole += bytes[i] == '}' && (TRACE[i + 1] == ',' || TRACE[i + 1] == ']');
        whole -= whole > 0; // metadata is no event
        const struct ledger sum = profile_ledger(profile);
        assert_int_equal(sum.recorded, whole);
        assert_int_equal(sum.expected == LEDGER_UNKNOWN, sum.lost > 0);
        assert_true(sum.lost <= 1);
        profile_free(profile);
        free(bytes);
    }
}

static void assert_real(double number, const char *want)
{
    struct bytes text = {0};
    text_put_real(&text, number);
    bytes_append(&text, "", 1);
    assert_string_equal((const char *)text.data, want);
    bytes_free(&text);
}

static void reals_are_short_and_exact(void **state)
{
    (void)state;
    assert_real(0, "0.0");
    assert_real(-0.0, "-0.0");
    assert_real(2, "2.0");
    assert_real(-1.05, "-1.05");
    assert_real(0.000001, "0.000001");
    assert_real(0.1 + 0.2, "0.30000000000000004");
    assert_real(1e22, "1e+22");
    assert_real(123456789012345680.0, "1.2345678901234568e+17");
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        const double number = (double)rand_r(&seed) / (double)(1 + rand_r(&seed) % 100000);
        struct bytes text = {0};
        text_put_real(&text, number);
        bytes_append(&text, "", 1);
        assert_true(strtod((const char *)text.data, NULL) == number);
        bytes_free(&text);
    }
}

static void times_have_three_decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } CASES[] = {{0, "0.000"},
                 {1, "0.001"},
                 {999, "0.999"},
                 {1000, "1.000"},
                 {12345678, "12345.678"},
                 {UINT64_MAX, "18446744073709551.615"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct bytes text = {0};
        text_put_time(&text, CASES[i].ns);
        assert_int_equal(text.size, strlen(CASES[i].text));
        assert_memory_equal(text.data, CASES[i].text, text.size);
        bytes_free(&text);
    }
}

static void add_span(struct profile *profile, uint32_t track, uint64_t start, uint64_t end)
{
    const struct event event = {.start = start,
                                .end = end,
                                .track = track,
                                .name = profile_string(profile, VIEW_LITERAL("a span")),
                                .kind = EVENT_SPAN};
    profile_track(profile, track)->ledger.expected++;
    profile_event_add(profile, &event, VIEW_LITERAL(""));
}

// Events at both ends of time, and more at one moment than a part holds.
static void parts_are_cut_at_any_length(void **state)
{
    (void)state;
    char folder[] = "/tmp/opscope-test-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    struct profile *profile = profile_create();
    const struct track lane = {.kind = TRACK_LANE, .nests = true};
    const uint32_t track = profile_track_add(profile, &lane);
    add_span(profile, track, 0, 1);
    for (int i = 0; i < 2000; i++)
        add_span(profile, track, 500, 500);
    add_span(profile, track, 1ull << 62, (1ull << 63) - 1);
    add_span(profile, track, UINT64_MAX - 1, UINT64_MAX);
    assert_null(profile_finish(profile));
    const struct chrome_writer_options options = {.split = CHROME_SPLIT_LEAST};
    snprintf(path, sizeof path, "%s/t.json", folder);
    assert_null(chrome_write(profile, path, &options));
    assert_int_equal(profile->note_counts[LEDGER_NOT_CARRIED], 1);
    uint64_t spans = 0;
    for (int part = 1; part <= 2; part++) {
        struct input *input;
        snprintf(path, sizeof path, "%s/t-%d.json", folder, part);
        assert_null(input_open(path, &input));
        struct profile *again = profile_create();
        assert_null(chrome_read(input, again));
        spans += profile_ledger(again).recorded;
        profile_free(again);
        input_close(input);
        unlink(path);
    }
    assert_int_equal(spans, 2002);
    assert_int_equal(rmdir(folder), 0);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere_keeps_what_is_whole),
        cmocka_unit_test(reals_are_short_and_exact),
        cmocka_unit_test(times_have_three_decimals),
        cmocka_unit_test(parts_are_cut_at_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
