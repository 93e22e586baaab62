// Chrome traces, event by event: both forms, every way to be cut off, and exact times.

#include "formats/chrome/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/chrome/json.h"
#include "formats/chrome/time.h"

// What was seen, a line each: "X name ts dur pid tid".
struct log {
    struct chrome_visitor visitor;
    char text[8192];
    size_t size;
};

static void put(struct log *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log->size +=
        (size_t)vsnprintf(log->text + log->size, sizeof log->text - log->size, format, arguments);
    va_end(arguments);
    assert_true(log->size < sizeof log->text);
}

static void put_scalar(struct log *log, const struct chrome_scalar *scalar)
{
    if (scalar->kind == CHROME_NUMBER)
        put(log, " %lld", (long long)scalar->number);
    else if (scalar->kind == CHROME_TEXT)
        put(log, " '%.*s'", VIEW_ARGUMENTS(scalar->text));
    else
        put(log, " -");
}

static void log_event(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct log *log = (struct log *)visitor;
    put(log, "%c %.*s", event->phase != 0 ? event->phase : '?', VIEW_ARGUMENTS(event->name));
    put(log, event->has_ts ? " %lld" : " -", (long long)event->ts);
    put(log, event->has_dur ? " %lld" : " -", (long long)event->dur);
    put_scalar(log, &event->pid);
    put_scalar(log, &event->tid);
    put(log, "\n");
}

static void log_member(struct chrome_visitor *visitor, struct view key, struct view value)
{
    put((struct log *)visitor, "%.*s=%.*s\n", VIEW_ARGUMENTS(key), VIEW_ARGUMENTS(value));
}

static void log_damage(struct chrome_visitor *visitor, enum chrome_damage damage, uint64_t offset)
{
    static const char *const names[] = {"cut", "malformed", "trailing"};
    put((struct log *)visitor, "%s %llu\n", names[damage], (unsigned long long)offset);
}

// Reads from memory that ends where the text ends: what reads on is found by the sanitizer.
static void visit(struct log *log, const char *text, size_t size)
{
    *log = (struct log){.visitor = {log_event, log_member, log_damage, false}};
    char *bytes = malloc(size > 0 ? size : 1);
    memcpy(bytes, text, size);
    chrome_events_visit((struct view){bytes, size}, &log->visitor);
    free(bytes);
}

static void assert_log(const char *text, const char *want)
{
    struct log log;
    visit(&log, text, strlen(text));
    assert_string_equal(log.text, want);
}

static void both_forms_are_read(void **state)
{
    (void)state;
    const char *want = "X a 1000 2500 1 2\nB b - - - -\n";
    assert_log("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2.5,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"B\",\"name\":\"b\"}]",
               want);
    assert_log(" [ { \"ph\" : \"X\" , \"name\" : \"a\" , \"ts\" : 1 , \"dur\" : 2.5 , \"pid\" : 1"
               " , \"tid\" : 2 } ,\n{\"ph\":\"B\",\"name\":\"b\"} ,\n",
               want);
    assert_log("{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}],\n\"traceEvents\": ["
               "{\"ph\":\"i\",\"name\":\"\"}], \"k\\n\": \"]}\"}",
               "schemaVersion=1\ndeviceProperties=[{\"id\": 0}]\ni  - - - -\nk\n=\"]}\"\n");
}

static void a_missing_bracket_is_no_damage(void **state)
{
    (void)state;
    struct log log;
    const char *const texts[] = {"[", "[{\"ph\":\"i\"}", "[{\"ph\":\"i\"},", "[{\"ph\":\"i\"},\n",
                                 "{\"traceEvents\":[{\"ph\":\"i\"}]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        visit(&log, texts[i], strlen(texts[i]));
        assert_true(log.visitor.unfinished);
        assert_string_equal(log.text, i == 0 ? "" : "i  - - - -\n");
    }
    visit(&log, "[]", 2);
    assert_false(log.visitor.unfinished);
}

static void ids_are_numbers_or_texts(void **state)
{
    (void)state;
    assert_log("[{\"ph\":\"X\",\"pid\":\"12\",\"tid\":\"stream 7\"},"
               "{\"ph\":\"X\",\"pid\":-1,\"tid\":18446744073709551615},"
               "{\"ph\":\"X\",\"pid\":1.5,\"tid\":\"a\\u0041\\/\"}]",
               "X  - - 12 'stream 7'\nX  - - -1 -1\nX  - - '1.5' 'aA/'\n");
}

static void what_is_no_event_is_passed_over(void **state)
{
    (void)state;
    assert_log("[{\"ph\":\"a\"},\n{\"ph\" \"b\"},\n17,\n{\"ph\":\"c\"}, 18]",
               "a  - - - -\nmalformed 13\nmalformed 25\nc  - - - -\nmalformed 41\n");
    assert_log("[null,{\"ph\" {}},{\"ph\":\"a\"},[{}],\"{\",{\"ph\":\"b\"}]",
               "malformed 1\nmalformed 6\na  - - - -\nmalformed 27\nmalformed 32\nb  - - - -\n");
    assert_log("[{\"ph\" 1,{\"ph\":\"a\"},\n{\"ph\":\"b\"}]", "malformed 1\nb  - - - -\n");
    assert_log("[{\"ph\":\"a\"}] x", "a  - - - -\ntrailing 13\n");
}

// Every event that is whole before the cut comes out, whatever the cut.
static void cut_anywhere_gives_what_is_before(void **state)
{
    (void)state;
    const char *text =
        "[{\"ph\":\"X\",\"name\":\"a\\\\\\\"b\",\"ts\":12.345,\"args\":{\"k\":[1,\"]\"]}}"
        ",\n{\"ph\":\"E\",\"ts\":1e3},{\"ph\":\"i\",\"name\":\"c\"}]";
    struct log whole;
    struct log log;
    visit(&whole, text, strlen(text));
    for (size_t size = 0; size < strlen(text); size++) {
        visit(&log, text, size);
        size_t closed = 0;
        for (size_t i = 0; i < size; i++)
            closed += text[i] == '}' && (text[i + 1] == ',' || text[i + 1] == ']');
        char *cut = strstr(log.text, "cut");
        if (cut != NULL)
            *cut = '\0';
        size_t lines = 0;
        for (const char *at = log.text; *at != '\0'; at++)
            lines += *at == '\n';
        assert_int_equal(lines, closed);
        assert_memory_equal(log.text, whole.text, strlen(log.text));
        assert_true(size == 0 || log.visitor.unfinished);
    }
}

// What an event is, in a number.
struct sum {
    struct chrome_visitor visitor;
    uint64_t number;
    uint64_t events;
};

static void mix(struct sum *sum, struct view text)
{
    for (size_t i = 0; i < text.size; i++)
        sum->number = (sum->number ^ (unsigned char)text.data[i]) * 0x100000001b3;
}

static void sum_event(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct sum *sum = (struct sum *)visitor;
    sum->events++;
    mix(sum, event->object);
    mix(sum, event->name);
    mix(sum, event->category);
    mix(sum, event->tid.text);
    mix(sum, event->rare.id);
    mix(sum, event->args);
    for (size_t i = 0; i < event->member_count; i++) {
        const struct chrome_member *member = &event->members[i];
        uint64_t number;
        mix(sum, member->key);
        mix(sum, member->value);
        assert_true(!member->is_small ||
                    (view_to_u64(member->value, &number) && number == member->number));
    }
    mix(sum, (struct view){(const char *)&event->dur, sizeof event->dur});
    mix(sum, (struct view){(const char *)&event->pid.number, sizeof event->pid.number});
    mix(sum, (struct view){(const char *)&event->ts, sizeof event->ts});
}

// A thread reads large traces ahead: what arrives is the same, and all of it.
static void large_traces_arrive_as_small_ones_do(void **state)
{
    (void)state;
    struct bytes text = {0};
    uint64_t count = 0;
    for (; text.size < 3 * CHROME_AHEAD_LEAST; count++)
        bytes_append_format(&text, "%s{\"ph\":\"X\",\"name\":\"n\\t%llu\",\"ts\":%llu.%03u%s%s}",
                            count == 0 ? "[" : ",\n", (unsigned long long)count % 100,
                            (unsigned long long)count, (unsigned)(count % 1000),
                            count % 3 == 0 ? ",\"id\":7" : ",\"tid\":\"\\u0041\"",
                            count % 5 == 0 ? ",\"cat\":\"a\\\\b\"" : "");
    struct sum ahead = {.visitor.event = sum_event};
    struct sum plain = {.visitor.event = sum_event};
    chrome_events_visit(bytes_view(&text), &ahead.visitor);
    struct input *input = input_over("trace.json", bytes_view(&text));
    chrome_events_visit_from(input, 1, &plain.visitor);
    input_close(input);
    assert_int_equal(ahead.events, count);
    assert_int_equal(plain.events, count);
    assert_true(ahead.number == plain.number);
    assert_true(ahead.visitor.unfinished);
    bytes_free(&text);
}

// Of what a parser keeps from event to event: keys, blanks and names in many ways, few of them
// twice in a row, more of them than it keeps.
static void put_any_event(struct bytes *text, uint64_t *random)
{
    static const char *const BLANKS[] = {"", " ", "\n    ", "\t"};
    static const char *const KEYS[] = {"ts",  "dur", "pid", "tid", "name",
                                       "cat", "id",  "bp",  "sf",  "id2"};
    const uint64_t event = *random = *random * 6364136223846793005 + 1442695040888963407;
    const char *blank = BLANKS[event >> 40 & 3];
    const unsigned keys = (unsigned)(event >> 50) % 10;
    bytes_append_format(text, "{%s\"ph\"%s:%s\"X\"", blank, event >> 42 & 4 ? " " : "", blank);
    for (unsigned i = 0; i < keys; i++)
        bytes_append_format(text, ",%s\"%s\":%s%u", blank, KEYS[(event >> 20) % 7 + i % 4],
                            i % 3 ? " " : blank, (unsigned)(event >> 33) >> i * 3);
    bytes_append_format(text, ",%s\"name\": \"n%u\"", blank, (unsigned)(event >> 30) % 3000);
    if (event >> 45 & 1)
        bytes_append_format(
            text, ",\"args\":{%s\"a%u\": %u,%s\"b\\u0041\":[1,{\"c\":2}], \"c\" :\"%u\"%s}", blank,
            (unsigned)(event >> 35) % 400, (unsigned)(event >> 35), blank, (unsigned)(event >> 38),
            event >> 46 & 1 ? "," : "");
    else
        bytes_append_format(text, ",\"args\":{%s\"a%u\": %u,%s\"name\":1.5}", blank,
                            (unsigned)(event >> 35) % 400, (unsigned)(event >> 35), blank);
    bytes_append_format(text, "%s}", blank);
}

static void keys_that_were_seen_are_found_as_others_are(void **state)
{
    (void)state;
    enum { EVENTS = 20000 };
    struct bytes text = {0};
    struct bytes event = {0};
    struct sum one_by_one = {.visitor.event = sum_event};
    struct sum together = {.visitor.event = sum_event};
    uint64_t random = 1;
    bytes_append(&text, "[", 1);
    for (unsigned i = 0; i < EVENTS; i++) {
        event.size = 0;
        put_any_event(&event, &random);
        bytes_append(&text, event.data, event.size);
        bytes_append(&text, ",", 1);
        bytes_append(&event, "]", 1);
        struct bytes alone = {0};
        bytes_append(&alone, "[", 1);
        bytes_append(&alone, event.data, event.size);
        chrome_events_visit(bytes_view(&alone), &one_by_one.visitor);
        bytes_free(&alone);
    }
    chrome_events_visit(bytes_view(&text), &together.visitor);
    assert_int_equal(one_by_one.events, EVENTS);
    assert_int_equal(together.events, EVENTS);
    assert_true(one_by_one.number == together.number);
    bytes_free(&text);
    bytes_free(&event);
}

static void traces_are_recognised(void **state)
{
    (void)state;
    const char *const good[] = {"[]",
                                "[",
                                "\n [ {\"ph\":\"X\"}",
                                "[{\"name\":\"a\",\"p",
                                "{\"traceEvents\":[",
                                "{\"a\":{\"b\":[]},\n \"traceEvents\":[]}"};
    const char *const bad[] = {"",
                               "{}",
                               "[1]",
                               "[{\"a\":1}]",
                               "{\"a\":1}",
                               "{\"a",
                               "ph,ts",
                               "[[\"ph\"]",
                               "{\"a\":{\"traceEvents\":[]}}"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(chrome_recognise(view_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(chrome_recognise(view_of(bad[i])));
}

static void assert_time(const char *text, int64_t ns, uint32_t billionths)
{
    struct chrome_time time;
    if (!chrome_time_of(view_of(text), &time))
        fail_msg("%s is no time", text);
    if (time.ns != ns || time.billionths != billionths)
        fail_msg("%s: got %lld + %u", text, (long long)time.ns, time.billionths);
}

static void times_are_exact_and_rounded_down(void **state)
{
    (void)state;
    assert_time("0", 0, 0);
    assert_time("1", 1000, 0);
    assert_time("\"1.5\"", 1500, 0);
    assert_time("1785000000123456.789", 1785000000123456789, 0);
    assert_time("0.0019", 1, 900000000);
    assert_time("-0.0019", -2, 100000000);
    assert_time("-1", -1000, 0);
    assert_time("-0.0000000000000001", -1, 999999999);
    assert_time("1e3", 1000000, 0);
    assert_time("1.5E-3", 1, 500000000);
    assert_time("12345e-9", 0, 12345000);
    assert_time("0.000000000000000000001e21", 1000, 0);
    assert_time("0e99999", 0, 0);
    assert_time("1e-99999", 0, 0);
    assert_time("9223372036854775.806", 9223372036854775806, 0);
    struct chrome_time time;
    const char *const bad[] = {"",
                               "x",
                               "1x",
                               "1e",
                               "1e+",
                               ".",
                               "-",
                               "1.2.3",
                               "\"\"",
                               "1e30",
                               "9223372036854775.808",
                               "NaN",
                               "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(chrome_time_of(view_of(bad[i]), &time));
}

// Spans that touch in the file touch in nanoseconds, whatever their decimals.
static void ends_are_rounded_as_starts_are(void **state)
{
    (void)state;
    assert_log("[{\"ph\":\"X\",\"ts\":0.0004,\"dur\":0.0008},{\"ph\":\"X\",\"ts\":0.0012}]",
               "X  0 1 - -\nX  1 - - -\n");
}

static void values_are_looked_up_when_needed(void **state)
{
    (void)state;
    struct bytes scratch = {0};
    const struct view object =
        VIEW_LITERAL("{\"a\": {\"b\": [1, \"two\", {}]}, \"c\" : \"x\\ty\", \"d\":-0x,\"e\":true}");
    assert_true(view_is(chrome_find(chrome_find(object, "a"), "b"), "[1, \"two\", {}]"));
    assert_true(view_is(chrome_text_of(chrome_find(object, "c"), &scratch), "x\ty"));
    assert_true(chrome_truth_of(chrome_find(object, "e")));
    assert_int_equal(chrome_find(object, "b").size, 0);
    uint64_t number;
    assert_false(chrome_number_of(chrome_find(object, "d"), &number));
    assert_true(chrome_number_of(VIEW_LITERAL("\"0xFFffFFffFFffFFff\""), &number));
    assert_true(number == UINT64_MAX);
    assert_false(chrome_number_of(VIEW_LITERAL("\"0x10000000000000000\""), &number));
    assert_true(chrome_number_of(VIEW_LITERAL("-2"), &number) && number == UINT64_MAX - 1);
    bytes_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_read),
        cmocka_unit_test(a_missing_bracket_is_no_damage),
        cmocka_unit_test(ids_are_numbers_or_texts),
        cmocka_unit_test(what_is_no_event_is_passed_over),
        cmocka_unit_test(cut_anywhere_gives_what_is_before),
        cmocka_unit_test(large_traces_arrive_as_small_ones_do),
        cmocka_unit_test(keys_that_were_seen_are_found_as_others_are),
        cmocka_unit_test(traces_are_recognised),
        cmocka_unit_test(times_are_exact_and_rounded_down),
        cmocka_unit_test(ends_are_rounded_as_starts_are),
        cmocka_unit_test(values_are_looked_up_when_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
