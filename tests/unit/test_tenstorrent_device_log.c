// Device logs of every age, whole and damaged, and the real ones.

#include "formats/tenstorrent/device_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FIRST "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000"
#define HEADER_13                                                                                  \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID,  zone name, type, source line, source file, meta data\n"

struct opened {
    struct input *input;
    struct device_log log;
};

static struct opened open_text(const char *text)
{
    struct opened opened = {.input = input_over("log.csv", view_of(text))};
    const status failure = device_log_open(opened.input, &opened.log);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return opened;
}

static void close_opened(struct opened *opened)
{
    device_log_free(&opened->log);
    input_close(opened->input);
}

static void assert_text(struct view got, const char *want)
{
    if (!view_is(got, want))
        fail_msg("got '%.*s', want '%s'", VIEW_ARGUMENTS(got), want);
}

static void thirteen_columns_are_read(void **state)
{
    (void)state;
    struct opened opened = open_text(
        FIRST ", Max Compute Cores: 64\n" HEADER_13
              "0,1,2,BRISC,22845,2170879416545,7,1024,BRISC-FW,ZONE_START,396,/b.cc,{a;b}\n"
              "0,1,2,TRISC_1,12345,2170879416546,3105098146250761,1024,,TS_DATA,0,,\n");
    struct device_log *log = &opened.log;
    struct device_log_row row;
    assert_int_equal(log->megahertz, 1000);
    assert_int_equal(log->most_cores, 64);
    assert_text(log->arch, "wormhole_b0");
    assert_int_equal(device_log_next(log, &row), DEVICE_LOG_ROW);
    const struct device_lane *lane = device_log_lane(log, row.lane);
    const struct device_zone *zone = device_log_zone(log, row.zone);
    assert_int_equal(lane->core_x, 1);
    assert_int_equal(lane->core_y, 2);
    assert_int_equal(lane->risc, DEVICE_BRISC);
    assert_text(zone->name, "BRISC-FW");
    assert_int_equal(zone->kind, DEVICE_ZONE_FW);
    assert_int_equal(zone->timer_id, 22845);
    assert_text(zone->source_file, "/b.cc");
    assert_int_equal(row.time, 2170879416545);
    assert_int_equal(row.data, 7);
    assert_int_equal(row.run_host_id, 1024);
    assert_int_equal(row.marker, DEVICE_ZONE_START);
    assert_false(row.traced);
    assert_text(row.meta, "{a;b}");
    assert_int_equal(device_log_next(log, &row), DEVICE_LOG_ROW);
    assert_int_equal(row.marker, DEVICE_DATA);
    assert_int_equal(device_log_lane(log, row.lane)->core, lane->core);
    assert_int_equal(device_log_next(log, &row), DEVICE_LOG_END);
    close_opened(&opened);
}

static void older_and_newer_columns_are_found_by_name(void **state)
{
    (void)state;
    static const char *const LOGS[] = {
        // fifteen columns
        FIRST "\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
              "reset], data, run host ID, trace id, trace id counter, zone name, type, source "
              "line, source file, meta data\n"
              "0,1,1,ERISC,5,100,0,1024,3,9,ERISC-KERNEL,ZONE_END,1,/x.cc,\n",
        // run ID and run host ID
        FIRST "\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
              "reset], stat value, run ID, run host ID,  zone name, zone phase, source line, "
              "source file\n"
              "0,1,1,ERISC,5,100,0,77,1024,ERISC-KERNEL,end,1,/x.cc\n",
        // run ID alone
        "Chip clock is at 1.2 GHz\nPCIe slot, core_x, core_y, RISC processor type, timer_id, "
        "time[cycles since reset], stat value, Run ID, zone name, zone phase, source line, source "
        "file\n0,1,1,ERISC,5,100,0,1024,ERISC-KERNEL,end,1,/x.cc\n",
    };
    for (size_t i = 0; i < sizeof LOGS / sizeof LOGS[0]; i++) {
        struct opened opened = open_text(LOGS[i]);
        struct device_log_row row;
        assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_ROW);
        assert_int_equal(row.run_host_id, 1024);
        assert_int_equal(row.time, 100);
        assert_int_equal(row.marker, DEVICE_ZONE_END);
        assert_int_equal(device_log_zone(&opened.log, row.zone)->kind, DEVICE_ZONE_KERNEL);
        assert_int_equal(row.traced, i == 0);
        assert_int_equal(row.trace_counter, i == 0 ? 9 : 0);
        assert_int_equal(opened.log.megahertz, i == 2 ? 1200 : 1000);
        assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_END);
        close_opened(&opened);
    }
}

static void timer_ids_stand_for_zones_that_have_no_name(void **state)
{
    (void)state;
    struct opened opened = open_text(
        "Chip clock is at 1.2 GHz\nPCIe slot, core_x, core_y, RISC processor type, timer_id, "
        "time[cycles since reset]\n0,1,1,BRISC,1,10\n0,1,1,BRISC,2,20\n0,1,1,BRISC,3,30\n"
        "0,1,1,BRISC,4,40\n");
    static const enum device_zone_kind KINDS[] = {DEVICE_ZONE_FW, DEVICE_ZONE_KERNEL,
                                                  DEVICE_ZONE_KERNEL, DEVICE_ZONE_FW};
    struct device_log_row row;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_ROW);
        assert_int_equal(device_log_zone(&opened.log, row.zone)->kind, KINDS[i]);
        assert_int_equal(row.marker, i < 2 ? DEVICE_ZONE_START : DEVICE_ZONE_END);
    }
    close_opened(&opened);
}

// The same rows read one by one (each in a log of its own, so that nothing is
// known before) and all together, where most are known by their tails.
static void rows_known_by_their_tails_are_the_same(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        "0,1,1,BRISC,7,11,0,1024,BRISC-FW,ZONE_START,396,/b.cc,\n",
        "0,1,1,BRISC,7,12,0,1024,BRISC-FW,ZONE_END,396,/b.cc,\n",
        "0,1,1,BRISC,7,13,0,2048,BRISC-FW,ZONE_START,396,/b.cc,\n",
        "0,1,1,BRISC,7,18446744073709551615,5,2048,BRISC-FW,ZONE_END,396,/b.cc,\n",
        "0,1,1,BRISC,7,14,0,2048,BRISC-FW,ZONE_END,396,/b.cc,meta\n",
        "0,1,1,BRISC,263,15,0,2048,BRISC-KERNEL,ZONE_START,396,/b.cc,\n",
        "0,1,1,BRISC,7,16,0,3072,BRISC-FW,ZONE_START,396,/b.cc,\n",
        "0,1,1,BRISC,7,17,0,3072,BRISC-FW,ZONE_START,396,/other.cc,\n",
        "0,1,1,BRISC,7, 18,0,3072,BRISC-FW,ZONE_START,396,/b.cc,\n",
    };
    enum { COUNT = sizeof ROWS / sizeof ROWS[0] };
    char all[4096] = FIRST "\n" HEADER_13;
    for (unsigned i = 0; i < COUNT; i++)
        strcat(all, ROWS[i]);
    struct opened together = open_text(all);
    for (unsigned i = 0; i < COUNT; i++) {
        char one[1024] = FIRST "\n" HEADER_13;
        struct device_log_row want;
        struct device_log_row got;
        strcat(one, ROWS[i]);
        struct opened alone = open_text(one);
        assert_int_equal(device_log_next(&alone.log, &want), DEVICE_LOG_ROW);
        assert_int_equal(device_log_next(&together.log, &got), DEVICE_LOG_ROW);
        assert_true(got.time == want.time && got.data == want.data);
        assert_int_equal(got.run_host_id, want.run_host_id);
        assert_int_equal(got.marker, want.marker);
        assert_int_equal(got.meta.size, want.meta.size);
        assert_true(view_equal(device_log_zone(&together.log, got.zone)->name,
                               device_log_zone(&alone.log, want.zone)->name));
        assert_int_equal(together.log.line.number, 3 + i);
        close_opened(&alone);
    }
    close_opened(&together);
}

static void bad_rows_are_told_and_passed_over(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        const char *problem;
    } CASES[] = {
        {"x,1,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.cc,",
         "column 'PCIe slot': expected a number, found 'x,1,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.'"},
        {"0,y,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.cc,", "column 'core_x' is not a number"},
        {"0,1,1,,7,11,0,1024,A,ZONE_END,1,/b.cc,", "column 'RISC processor type' is empty"},
        {"0,1,1,BRISC,7,-11,0,1024,A,ZONE_END,1,/b.cc,",
         "column 'time[cycles since reset]': '-11' is not a number"},
        {"0,1,1,BRISC,7,99999999999999999999,0,1024,A,ZONE_END,1,/b.cc,",
         "column 'time[cycles since reset]': '99999999999999999999' is not a number"},
        {"0,1,1,BRISC,7,11", "the line ends before column 'data'"},
        {"0,1,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.c", "the line ends before column 'meta data'"},
        {"0,1,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.c0,1,1,BRISC,7,11,0,1024,A,ZONE_END,1,/b.cc,",
         "has more than the 13 columns of the header"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[2048];
        struct device_log_row row;
        snprintf(text, sizeof text, "%s\n%s%s\n0,1,1,BRISC,7,11,0,5,A,ZONE_END,1,/b.cc,\n", FIRST,
                 HEADER_13, CASES[i].row);
        struct opened opened = open_text(text);
        assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_BAD);
        assert_string_equal(opened.log.problem, CASES[i].problem);
        assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_ROW);
        assert_int_equal(row.run_host_id, 5);
        close_opened(&opened);
    }
}

static void a_second_log_is_a_session(void **state)
{
    (void)state;
    struct opened opened =
        open_text(FIRST "\n" HEADER_13 "0,1,1,BRISC,7,11,0,5,A,ZONE_END,1,/b.cc,\n"
                        "ARCH: blackhole, CHIP_FREQ[MHz]: 1350\n" HEADER_13
                        "0,1,1,BRISC,7,11,0,6,A,ZONE_END,1,/b.cc,\n");
    struct device_log_row row;
    assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_ROW);
    assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_SESSION);
    assert_int_equal(opened.log.megahertz, 1350);
    assert_text(opened.log.arch, "blackhole");
    assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_ROW);
    assert_int_equal(row.run_host_id, 6);
    close_opened(&opened);
}

// Whether line `number` is equal to one of the 64 before it, back to the last header.
static bool is_there_twice(const uint32_t *times, size_t number, size_t header)
{
    for (size_t i = number > header + 64 ? number - 64 : header; i < number; i++) {
        if (times[i] == times[number])
            return true;
    }
    return false;
}

static void rows_that_are_there_twice_are_found_wherever_the_file_is_cut(void **state)
{
    (void)state;
    enum { LINES = 40000, HEADER_EVERY = 9000 };
    static uint32_t times[LINES];
    struct bytes text = {0};
    uint32_t random = 12345;
    for (size_t i = 0; i < LINES; i++) {
        if (i % HEADER_EVERY == 0)
            bytes_append(&text, FIRST "\n" HEADER_13, strlen(FIRST "\n" HEADER_13));
        random = random * 1664525 + 1013904223;
        times[i] = (random >> 16) % 1500;
        char line[128];
        const int size = snprintf(line, sizeof line,
                                  "0,1,2,BRISC,22845,%u,0,1024,BRISC-FW,ZONE_START,396,/b.cc,\n",
                                  (unsigned)times[i]);
        bytes_append(&text, line, (size_t)size);
    }
    bytes_append(&text, "", 1);
    struct opened opened = open_text((const char *)text.data);
    struct device_log_row row;
    unsigned twice = 0;
    for (size_t i = 0, header = 0; i < LINES; i++) {
        if (i > 0 && i % HEADER_EVERY == 0) {
            assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_SESSION);
            header = i;
        }
        const bool want = is_there_twice(times, i, header);
        assert_int_equal(device_log_next(&opened.log, &row),
                         want ? DEVICE_LOG_DOUBLE : DEVICE_LOG_ROW);
        assert_int_equal(row.time, times[i]);
        twice += want;
    }
    assert_in_range(twice, LINES / 50, LINES / 10);
    assert_int_equal(device_log_next(&opened.log, &row), DEVICE_LOG_END);
    close_opened(&opened);
    bytes_free(&text);
}

static void what_is_no_device_log_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"", "\n", "name,src_file\n", FIRST "\nno header\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        struct input *input = input_over("log.csv", view_of(TEXTS[i]));
        struct device_log log;
        const status failure = device_log_open(input, &log);
        assert_int_equal(status_code_of(failure), STATUS_DATA);
        status_free(failure);
        device_log_free(&log);
        input_close(input);
    }
    assert_true(device_log_recognise(view_of(FIRST "\n")));
    assert_false(device_log_recognise(view_of("MessageName;total_ns\n")));
}

static void the_real_log_of_fifteen_columns_has_zone_names(void **state)
{
    (void)state;
    struct input *input;
    const status missing =
        input_open("../shared/data/tenstorrent/wh_profile_log_device_head.csv", &input);
    if (missing != STATUS_OK) {
        print_message("skipped: %s\n", status_message(missing));
        status_free(missing);
        skip();
    }
    struct device_log log;
    struct device_log_row row;
    unsigned rows = 0;
    unsigned kinds[3] = {0};
    assert_null(device_log_open(input, &log));
    while (device_log_next(&log, &row) == DEVICE_LOG_ROW) {
        const struct device_zone *zone = device_log_zone(&log, row.zone);
        assert_in_range(zone->kind, DEVICE_ZONE_FW, DEVICE_ZONE_KERNEL);
        assert_true(zone->name.size > 0 && zone->source_file.size > 0);
        assert_false(row.traced);
        kinds[zone->kind]++;
        rows++;
    }
    assert_int_equal(rows, 84);
    assert_int_equal(kinds[DEVICE_ZONE_FW], 42);
    assert_int_equal(kinds[DEVICE_ZONE_KERNEL], 42);
    device_log_free(&log);
    input_close(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirteen_columns_are_read),
        cmocka_unit_test(older_and_newer_columns_are_found_by_name),
        cmocka_unit_test(timer_ids_stand_for_zones_that_have_no_name),
        cmocka_unit_test(rows_known_by_their_tails_are_the_same),
        cmocka_unit_test(bad_rows_are_told_and_passed_over),
        cmocka_unit_test(a_second_log_is_a_session),
        cmocka_unit_test(rows_that_are_there_twice_are_found_wherever_the_file_is_cut),
        cmocka_unit_test(what_is_no_device_log_is_refused),
        cmocka_unit_test(the_real_log_of_fifteen_columns_has_zone_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
