// Spans in groups against a map of every nanosecond, and against all durations sorted.

#include "analysis/span_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/statistics.h"

enum { NAMES = 5, LENGTH = 400, MOST = 60, ROUNDS = 1000 };

struct placed {
    uint64_t start;
    uint64_t end;
    unsigned name;
};

// Spans of a call stack: each in one that is longer, or apart.
static size_t invent(struct placed *spans, size_t room, uint64_t from, uint64_t to, unsigned depth,
                     unsigned *seed)
{
    size_t count = 0;
    while (room > count && from + 2 < to && depth < 6) {
        const uint64_t start = from + (uint64_t)rand_r(seed) % (to - from);
        const uint64_t end = start + (uint64_t)rand_r(seed) % (to - start + 1);
        spans[count++] = (struct placed){start, end, (unsigned)rand_r(seed) % NAMES};
        if (end > start)
            count += invent(spans + count, room - count, start, end - 1, depth + 1, seed);
        from = end + 1;
    }
    return count;
}

static struct profile *make_profile(const struct placed *spans, size_t count)
{
    static const char *const TEXTS[NAMES] = {"gemm", "copy", "relu", "gemm_small", "sum"};
    struct profile *profile = profile_create();
    struct track lane = {.kind = TRACK_LANE, .nests = true};
    profile_track_set_engine(profile, &lane, ROLE_HOST, "");
    const uint32_t track = profile_track_add(profile, &lane);
    for (size_t i = 0; i < count; i++) {
        const struct event event = {.start = spans[i].start,
                                    .end = spans[i].end,
                                    .track = track,
                                    .name = profile_string(profile, view_of(TEXTS[spans[i].name]))};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    return profile;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool covers(const struct placed *span, uint64_t time)
{
    return span->start <= time && time < span->end;
}

// Time of a name: in which it is the innermost, and in which it is anywhere.
static void map_times(const struct placed *spans, size_t count, unsigned name, uint64_t *out_self,
                      uint64_t *out_total)
{
    *out_self = *out_total = 0;
    for (uint64_t time = 0; time < LENGTH; time++) {
        unsigned innermost = NAMES;
        bool inside = false;
        for (size_t i = 0; i < count; i++) {
            if (!covers(&spans[i], time))
                continue;
            innermost = spans[i].name;
            inside |= spans[i].name == name;
        }
        *out_self += innermost == name;
        *out_total += inside;
    }
}

static void check_group(const struct span_groups *groups, const struct span_group *group,
                        const struct placed *spans, size_t count)
{
    uint64_t durations[MOST];
    size_t found = 0;
    unsigned name = NAMES;
    struct bytes label = {0};
    span_group_label(groups, group, &label);
    for (size_t i = 0; i < count; i++) {
        static const char *const TEXTS[NAMES] = {"gemm", "copy", "relu", "gemm_small", "sum"};
        if (!view_is(bytes_view(&label), TEXTS[spans[i].name]))
            continue;
        name = spans[i].name;
        durations[found++] = spans[i].end - spans[i].start;
    }
    bytes_free(&label);
    assert_int_equal(group->count, found);
    qsort(durations, found, sizeof *durations, compare);
    assert_int_equal(group->least, durations[0]);
    assert_int_equal(group->most, durations[found - 1]);
    assert_int_equal(group->median, statistics_median_whole(durations, found));
    assert_int_equal(group->p90, durations[statistics_rank(found, 90)]);
    uint64_t self, total;
    map_times(spans, count, name, &self, &total);
    assert_int_equal(group->self, self);
    assert_int_equal(group->total, total);
}

static void names_have_their_times(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct placed spans[MOST];
        const size_t count = invent(spans, MOST, 0, LENGTH, 0, &seed);
        struct profile *profile = make_profile(spans, count);
        struct span_groups groups;
        const struct span_group_options options = {.to = UINT64_MAX};
        assert_true(span_groups_measure(profile, &options, &groups) == STATUS_OK);
        assert_int_equal(groups.spans, count);
        for (size_t i = 0; i < groups.count; i++) {
            check_group(&groups, &groups.groups[i], spans, count);
            assert_true(i == 0 || groups.groups[i - 1].self >= groups.groups[i].self);
        }
        span_groups_free(&groups);
        profile_free(profile);
    }
}

static uint64_t self_of(struct profile *profile, const struct span_group_options *options)
{
    struct span_groups groups;
    assert_true(span_groups_measure(profile, options, &groups) == STATUS_OK);
    uint64_t self = 0;
    for (size_t i = 0; i < groups.count; i++)
        self += groups.groups[i].self;
    assert_int_equal(self, groups.self[OPERATOR_HOST]);
    span_groups_free(&groups);
    return self;
}

// Whatever they have in common, the time is the same.
static void every_key_has_all_of_the_time(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS / 10; round++) {
        unsigned seed = round;
        struct placed spans[MOST];
        const size_t count = invent(spans, MOST, 0, LENGTH, 0, &seed);
        struct profile *profile = make_profile(spans, count);
        uint64_t busy = 0;
        for (uint64_t time = 0; time < LENGTH; time++) {
            bool any = false;
            for (size_t i = 0; i < count; i++)
                any |= covers(&spans[i], time);
            busy += any;
        }
        for (int by = 0; by < SPAN_KEYS; by++) {
            const struct span_group_options all = {.by = (enum span_key)by, .to = UINT64_MAX};
            struct span_group_options early = all, late = all;
            early.to = late.from = LENGTH / 3;
            assert_int_equal(self_of(profile, &all), busy);
            assert_int_equal(self_of(profile, &early) + self_of(profile, &late), busy);
        }
        profile_free(profile);
    }
}

static void names_are_filtered(void **state)
{
    (void)state;
    const struct placed spans[] = {{0, 10, 0}, {10, 30, 3}, {30, 70, 1}};
    static const struct {
        const char *filter;
        uint64_t self;
    } CASES[] = {{"gemm", 30}, {"gemm*", 30}, {"*mm", 10}, {"*", 70},    {"g*m", 10},
                 {"none", 0},  {"c*y", 40},   {"", 70},    {"*m*_*", 20}};
    struct profile *profile = make_profile(spans, 3);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct span_group_options options = {.to = UINT64_MAX,
                                                   .filter = view_of(CASES[i].filter)};
        assert_int_equal(self_of(profile, &options), CASES[i].self);
    }
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_times),
        cmocka_unit_test(every_key_has_all_of_the_time),
        cmocka_unit_test(names_are_filtered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
