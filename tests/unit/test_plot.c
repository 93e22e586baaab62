// What pictures show, against a map of every nanosecond: each span is kept, merged or outside,
// and no time is lost on the way.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reports/picture/plot.h"
#include "reports/picture/words.h"

enum { TIME = 2000, SPANS = 120, ROUNDS = 300 };

struct made {
    struct profile *profile;
    uint32_t lane;
    uint64_t starts[SPANS], ends[SPANS];
};

static struct made make_profile(unsigned *seed, bool nested)
{
    struct made made = {.profile = profile_create()};
    const struct track lane = {.name = profile_string(made.profile, VIEW_LITERAL("SLICE 0")),
                               .kind = TRACK_LANE,
                               .role = ROLE_COMPUTE,
                               .engine = profile_string(made.profile, VIEW_LITERAL("slice")),
                               .nests = nested};
    made.lane = profile_track_add(made.profile, &lane);
    for (int i = 0; i < SPANS; i++) {
        const uint64_t most = rand_r(seed) % 8 == 0 ? 400 : 12;
        made.starts[i] = (uint64_t)rand_r(seed) % (TIME - most);
        made.ends[i] = made.starts[i] + (uint64_t)rand_r(seed) % most;
        const struct event event = {.start = made.starts[i],
                                    .end = made.ends[i],
                                    .track = made.lane,
                                    .name = profile_string(made.profile, VIEW_LITERAL("work"))};
        profile_event_add(made.profile, &event, VIEW_LITERAL(""));
    }
    // Where it begins and ends is known.
    const struct event edges[] = {{.start = 0, .end = 0, .track = made.lane},
                                  {.start = TIME, .end = TIME, .track = made.lane}};
    for (int i = 0; i < 2; i++)
        profile_event_add(made.profile, &edges[i], VIEW_LITERAL(""));
    assert_null(profile_finish(made.profile));
    return made;
}

static uint64_t clipped(const struct made *made, int i, uint64_t from, uint64_t to)
{
    const uint64_t start = made->starts[i] > from ? made->starts[i] : from;
    const uint64_t end = made->ends[i] < to ? made->ends[i] : to;
    return end > start ? end - start : 0;
}

static uint64_t busy_by_map(const struct made *made, uint64_t from, uint64_t to)
{
    char map[TIME] = {0};
    uint64_t busy = 0;
    for (int i = 0; i < SPANS; i++)
        memset(map + made->starts[i], 1, made->ends[i] - made->starts[i]);
    for (uint64_t at = from; at < to; at++)
        busy += (uint64_t)map[at];
    return busy;
}

// The time and the number of all spans that a lane shows.
static void add_up(const struct plot *plot, const struct plot_lane *lane, uint64_t *out_time,
                   uint64_t *out_merged)
{
    *out_time = *out_merged = 0;
    for (unsigned r = 0; r < lane->row_count; r++) {
        const struct plot_row *row = &lane->rows[r];
        for (size_t i = 0; i < row->count; i++) {
            const uint64_t start =
                row->spans[i].start > plot->from ? row->spans[i].start : plot->from;
            const uint64_t end = row->spans[i].end < plot->to ? row->spans[i].end : plot->to;
            *out_time += end - start;
            assert_true(row->spans[i].width >= plot->options.wide);
            assert_true(row->spans[i].x >= 0);
            assert_true(row->spans[i].x + row->spans[i].width <= plot->options.columns + 1e-6);
            assert_true(i == 0 || row->spans[i].start >= row->spans[i - 1].end);
        }
        for (uint32_t i = 0; row->cells != NULL && i < plot->options.columns; i++) {
            *out_time += row->cells[i].covered;
            *out_merged += row->cells[i].count;
        }
    }
}

static void test_no_span_and_no_time_is_lost(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct made made = make_profile(&seed, round % 2 == 0);
        const uint64_t from = round % 3 == 0 ? 0 : (uint64_t)rand_r(&seed) % (TIME / 2);
        const uint64_t to = round % 5 == 0 ? UINT64_MAX : from + 1 + (uint64_t)rand_r(&seed) % TIME;
        const struct plot_options options = {
            .columns = 1 + (uint32_t)rand_r(&seed) % 300, .wide = 3, .from = from, .to = to};
        struct plot *plot;
        assert_null(plot_create(made.profile, &options, &plot));
        const uint64_t end = to < TIME ? to : TIME;
        assert_int_equal(plot->lane_count, 1);
        const struct plot_lane *lane = &plot->lanes[0];
        uint64_t want = 0, time, merged;
        for (int i = 0; i < SPANS; i++)
            want += clipped(&made, i, from, end);
        add_up(plot, lane, &time, &merged);
        assert_int_equal(time, want);
        assert_int_equal(merged, lane->merged);
        assert_int_equal(lane->spans, SPANS + 2);
        assert_int_equal(lane->spans, lane->kept + lane->merged + lane->folded + lane->outside);
        assert_int_equal(lane->busy, busy_by_map(&made, from, end));
        assert_int_equal(plot->totals[lane->kind].busy, lane->busy);
        plot_free(plot);
        profile_free(made.profile);
    }
}

static void test_names_are_shortened_to_what_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t most;
        const char *want;
    } CASES[] = {
        {"aten::conv2d", 12, "aten::conv2d"},
        {"void at::native::copy_kernel<4, float>(int, float*)", 14, "copy_kernel<.."},
        {"std::enable_if<!(false), void>::type one::two::gemv<int, 4>(int)", 16,
         "gemv<int, 4>(i.."},
        {"f<a::b>(c)", 20, "f<a::b>(c)"},
        {"torch/nn/modules/module.py(1783): _call_impl", 12, "_call_impl"},
        {"pytorch_traces.py(186): <module>", 12, "<module>"},
        {"a -> b (c > d) and more", 8, "a -> b.."},
        {"<<<<((((", 4, "<<.."},
        {"x<", 1, "."},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct profile *profile = profile_create();
        const struct plot plot = {.profile = profile};
        const struct plot_span span = {.name = profile_string(profile, view_of(CASES[i].name))};
        struct bytes to = {0};
        words_span(&to, &plot, &span, CASES[i].most);
        assert_true(letters_count(bytes_view(&to)) <= CASES[i].most);
        if (!view_is(bytes_view(&to), CASES[i].want))
            fail_msg("'%.*s' instead of '%s'", VIEW_ARGUMENTS(bytes_view(&to)), CASES[i].want);
        bytes_free(&to);
        profile_free(profile);
    }
}

static void test_texts_are_shortened_to_their_room(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",
                                        "a",
                                        "conv2d",
                                        "a name that is rather long for a lane",
                                        "gr\xc3\xb6\xc3\x9f"
                                        "er als der Platz daf\xc3\xbcr",
                                        "\xff\xfe\x1b[31m no text at all \x07"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        const struct view text = view_of(TEXTS[i]);
        for (size_t most = 0; most < 50; most++) {
            struct bytes to = {0};
            letters_append(&to, text, most, LETTERS_CUT_MIDDLE);
            const size_t length = letters_count(bytes_view(&to));
            assert_int_equal(length, letters_count(text) < most ? letters_count(text) : most);
            for (size_t k = 0; k < to.size; k++)
                assert_true(to.data[k] >= 0x20);
            bytes_free(&to);
        }
    }
}

static void check_time(uint64_t ns, const char *want)
{
    char text[WORDS_TIME_ROOM];
    words_time(ns, text);
    assert_string_equal(text, want);
}

static void check_compact(double number, const char *want)
{
    char text[WORDS_TIME_ROOM];
    words_compact(number, text);
    assert_string_equal(text, want);
}

static void test_numbers_are_short(void **state)
{
    (void)state;
    check_time(0, "0 ns");
    check_time(999, "999 ns");
    check_time(7083, "7.083 us");
    check_time(60901910, "60.90 ms");
    check_time(584821000, "584.8 ms");
    check_time(6614000000, "6.614 s");
    check_compact(0, "0");
    check_compact(14142, "14 142");
    check_compact(-14142, "-14 142");
    check_compact(0.25, "0.25");
    check_compact(3801039346, "3.8 G");
    check_compact(999999, "1 M");
}

// Marks are inside, evenly spaced, not too many, and say where they are.
static void test_the_axis_has_round_times(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        unsigned seed = round;
        struct plot plot = {.from = (uint64_t)rand_r(&seed) >> (rand_r(&seed) % 31)};
        plot.to = plot.from + 1 + ((uint64_t)rand_r(&seed) << (rand_r(&seed) % 24));
        const struct words_axis axis = words_axis(&plot, 150);
        unsigned marks = 0;
        for (uint64_t ns = axis.first; ns <= plot.to; ns += axis.step, marks++) {
            char text[WORDS_TIME_ROOM];
            words_mark(&axis, ns, text);
            assert_true(ns >= plot.from);
            const double room = 150.0 * (double)axis.step / (double)(plot.to - plot.from);
            assert_true(room >= (double)strlen(text));
            const double said = strtod(text, NULL) * (double)axis.unit;
            assert_true(said - (double)ns < 0.5 + (double)ns * 1e-12 &&
                        (double)ns - said < 0.5 + (double)ns * 1e-12);
        }
        assert_true(marks >= 1 && marks <= 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_span_and_no_time_is_lost),
        cmocka_unit_test(test_names_are_shortened_to_what_they_say),
        cmocka_unit_test(test_texts_are_shortened_to_their_room),
        cmocka_unit_test(test_numbers_are_short),
        cmocka_unit_test(test_the_axis_has_round_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
