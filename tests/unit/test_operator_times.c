// The time of operators against a map of every nanosecond: who started last and goes on?

#include "analysis/operator_times.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPERATORS = 6, LENGTH = 300, MOST = 40 };

struct placed {
    uint64_t start;
    uint64_t end;
    uint32_t operator_id;
};

static int compare(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

// Of the spans that cover a moment, the last one in order of start is the innermost.
static void map_self(const struct placed *spans, size_t count, uint64_t self[OPERATORS + 1])
{
    for (uint64_t time = 0; time < LENGTH; time++) {
        const struct placed *innermost = NULL;
        for (size_t i = 0; i < count; i++) {
            if (spans[i].start <= time && time < spans[i].end)
                innermost = &spans[i];
        }
        if (innermost != NULL)
            self[innermost->operator_id]++;
    }
}

static struct profile *make_profile(const struct placed *spans, size_t count, enum role role,
                                    const char *engine)
{
    struct profile *profile = profile_create();
    struct track lane = {.kind = TRACK_LANE, .nests = true};
    profile_track_set_engine(profile, &lane, role, engine);
    const uint32_t track = profile_track_add(profile, &lane);
    for (uint32_t i = 1; i <= OPERATORS; i++) {
        const struct operator_description op = {
            .type = profile_string(profile, view_of(i % 2 ? "odd" : "even"))};
        profile_operator_add(profile, &op);
        profile_call_add(profile, &(struct call){.operator_id = i});
    }
    for (size_t i = 0; i < count; i++) {
        const struct event event = {.start = spans[i].start,
                                    .end = spans[i].end,
                                    .track = track,
                                    .call = spans[i].operator_id};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    status_free(profile_finish(profile));
    return profile;
}

static void every_moment_counts_for_the_innermost(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        unsigned seed = round;
        struct placed spans[MOST];
        uint64_t want[OPERATORS + 1] = {0};
        const size_t count = (size_t)rand_r(&seed) % MOST;
        for (size_t i = 0; i < count; i++) {
            const uint64_t start = (uint64_t)rand_r(&seed) % (LENGTH - 100);
            spans[i] = (struct placed){start, start + (uint64_t)rand_r(&seed) % 100,
                                       1 + (uint32_t)rand_r(&seed) % OPERATORS};
        }
        qsort(spans, count, sizeof *spans, compare);
        map_self(spans, count, want);
        static const struct {
            enum role role;
            const char *engine;
            enum operator_side side;
        } CASES[] = {{ROLE_HOST, "host", OPERATOR_HOST},
                     {ROLE_DEVICE, "npu", OPERATOR_DEVICE},
                     {ROLE_COMPUTE, "matrix", OPERATOR_DEVICE},
                     {ROLE_NONE, "", OPERATOR_HOST},
                     {ROLE_NONE, "widget", OPERATOR_UNKNOWN}};
        const size_t choice = (size_t)round % (sizeof CASES / sizeof CASES[0]);
        const enum operator_side side = CASES[choice].side;
        struct profile *profile =
            make_profile(spans, count, CASES[choice].role, CASES[choice].engine);
        struct operator_times times;
        assert_true(operator_times_measure(profile, &times) == STATUS_OK);
        uint64_t sum = 0;
        for (size_t i = 0; i < times.count; i++) {
            assert_int_equal(times.operators[i].self[side], want[times.operators[i].operator_id]);
            for (int other = 0; other < OPERATOR_SIDES; other++)
                assert_true(other == (int)side || times.operators[i].self[other] == 0);
            assert_true(i == 0 ||
                        times.operators[i - 1].self[side] >= times.operators[i].self[side]);
            sum += times.operators[i].self[side];
        }
        assert_int_equal(sum, times.self[side]);
        uint64_t types = 0;
        for (size_t i = 0; i < times.type_count; i++)
            types += times.types[i].self[side];
        assert_true(times.type_count <= 2);
        assert_int_equal(types, sum);
        operator_times_free(&times);
        profile_free(profile);
    }
}

struct worked {
    enum role role;
    uint32_t operator_id;
    uint64_t start, end;
};

// A lane for each piece of work; a program's where `target` is given.
static struct profile *make_run(const struct worked *pieces, size_t count, const char *target)
{
    struct profile *profile = profile_create();
    for (uint32_t i = 1; i <= OPERATORS; i++) {
        profile_operator_add(profile, &(struct operator_description){0});
        profile_call_add(profile, &(struct call){.operator_id = i});
    }
    for (size_t i = 0; i < count; i++) {
        struct track lane = {.kind = TRACK_LANE, .provenance = PROVENANCE_MODELLED};
        profile_track_set_engine(profile, &lane, pieces[i].role, "engine");
        const struct event event = {.start = pieces[i].start,
                                    .end = pieces[i].end,
                                    .track = profile_track_add(profile, &lane),
                                    .call = pieces[i].operator_id};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    if (target != NULL)
        profile_fact_add(profile, "target", view_of(target));
    status_free(profile_finish(profile));
    return profile;
}

static void operators_of_a_program_share_the_time_that_passed(void **state)
{
    (void)state;
    // The second works on four engines, the third on two of them and alone for a while.
    static const struct worked PIECES[] = {
        {ROLE_HOST, 1, 0, 60},         {ROLE_COMPUTE, 2, 60, 80},     {ROLE_COMPUTE, 2, 60, 80},
        {ROLE_TRANSFER_IN, 2, 60, 80}, {ROLE_TRANSFER_IN, 2, 60, 80}, {ROLE_COMPUTE, 3, 70, 100},
        {ROLE_COMPUTE, 3, 70, 80},
    };
    enum { PIECES_COUNT = sizeof PIECES / sizeof PIECES[0] };
    struct profile *profile = make_run(PIECES, PIECES_COUNT, "wormhole_b0");
    struct operator_times times;
    assert_true(operator_times_measure(profile, &times) == STATUS_OK);
    assert_true(times.has_passed && times.count == 3);
    const uint32_t order[] = {1, 3, 2};
    const double passed[] = {60, 20 + 10.0 / 3, 10 + 20.0 / 3};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(times.operators[i].operator_id, order[i]);
        assert_true(fabs(times.operators[i].passed - passed[i]) < 1e-9);
    }
    assert_true(fabs(times.passed - 100) < 1e-9);
    operator_times_free(&times);
    profile_free(profile);

    // Calls of a framework: by the engines' time.
    profile = make_run(PIECES, PIECES_COUNT, NULL);
    assert_true(operator_times_measure(profile, &times) == STATUS_OK);
    assert_false(times.has_passed);
    assert_int_equal(times.operators[0].operator_id, 2);
    assert_int_equal(times.operators[1].operator_id, 3);
    operator_times_free(&times);
    profile_free(profile);

    // A program of the host's alone: nothing to tell apart.
    profile = make_run(PIECES, 1, "host");
    assert_true(operator_times_measure(profile, &times) == STATUS_OK);
    assert_false(times.has_passed);
    operator_times_free(&times);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_moment_counts_for_the_innermost),
        cmocka_unit_test(operators_of_a_program_share_the_time_that_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
