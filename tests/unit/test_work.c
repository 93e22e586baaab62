// The time of parts against a map of every nanosecond of every lane.

#include "analysis/work.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 3, OPERATORS = 4, LENGTH = 120, ROUNDS = 600, ITERATIONS = 2 };

// Who is the innermost at a nanosecond of a lane: an operator (from 1), in which iteration.
struct moment {
    unsigned char operator_id, iteration;
};

static uint32_t add_lane(struct profile *profile, enum role role, bool nests)
{
    struct track lane = {.kind = TRACK_LANE, .nests = nests};
    profile_track_set_engine(profile, &lane, role, role == ROLE_HOST ? "" : "engine");
    return profile_track_add(profile, &lane);
}

static void add_operators(struct profile *profile, uint32_t calls[OPERATORS][ITERATIONS])
{
    static const char *const NAMES[OPERATORS] = {"conv", "relu", "matmul", "add"};
    for (unsigned i = 0; i < OPERATORS; i++) {
        const struct operator_description op = {.name = profile_string(profile, view_of(NAMES[i]))};
        const uint32_t id = profile_operator_add(profile, &op);
        for (uint32_t k = 0; k < ITERATIONS; k++)
            calls[i][k] =
                profile_call_add(profile, &(struct call){.operator_id = id, .iteration = k});
    }
}

// Spans one in the other, or apart; what they say at each nanosecond goes to the map.
static void invent(struct profile *profile, uint32_t track, bool nests,
                   uint32_t calls[OPERATORS][ITERATIONS], struct moment *map, uint64_t from,
                   uint64_t to, unsigned *seed)
{
    while (from + 2 < to) {
        const uint64_t start = from + (uint64_t)rand_r(seed) % (to - from);
        const uint64_t end = start + 1 + (uint64_t)rand_r(seed) % (to - start);
        const unsigned op = (unsigned)rand_r(seed) % OPERATORS;
        const unsigned iteration = (unsigned)rand_r(seed) % ITERATIONS;
        const struct event event = {.start = start,
                                    .end = end,
                                    .track = track,
                                    .name = profile_string(profile, VIEW_LITERAL("span")),
                                    .call = calls[op][iteration]};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
        for (uint64_t at = start; at < end; at++)
            map[at] = (struct moment){(unsigned char)(op + 1), (unsigned char)iteration};
        if (nests && end - start > 3)
            invent(profile, track, nests, calls, map, start + 1, end - 1, seed);
        from = end;
    }
}

static double sample_of(const struct work_run *run, const char *name, uint32_t iteration)
{
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct work_sample *sample = &run->samples[i];
        if (view_is(run->parts[sample->part].name, name) &&
            run->iterations[sample->iteration].number == iteration)
            return sample->ns;
    }
    return 0;
}

static void check_round(enum role role, bool nests, unsigned *seed)
{
    static const char *const NAMES[OPERATORS] = {"conv", "relu", "matmul", "add"};
    struct moment maps[LANES][LENGTH + 1] = {{{0}}};
    double wanted[OPERATORS][ITERATIONS] = {{0}};
    uint32_t calls[OPERATORS][ITERATIONS];
    struct profile *profile = profile_create();
    struct work_run run;
    double all = 0, found = 0, busy = 0;
    add_operators(profile, calls);
    for (unsigned lane = 0; lane < LANES; lane++)
        invent(profile, add_lane(profile, role, nests), nests, calls, maps[lane], 0, LENGTH, seed);
    assert_true(profile_finish(profile) == STATUS_OK);
    for (unsigned at = 0; at < LENGTH; at++) {
        unsigned active = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            active += maps[lane][at].operator_id > 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            const struct moment moment = maps[lane][at];
            if (moment.operator_id > 0)
                wanted[moment.operator_id - 1][moment.iteration] += 1.0 / active;
        }
        all += active > 0;
    }
    assert_true(work_measure(profile, WORK_AUTO, false, &run) == STATUS_OK);
    profile_free(profile); // it is needed no more
    assert_int_equal(run.side, role == ROLE_HOST ? WORK_HOST : WORK_DEVICE);
    for (unsigned op = 0; op < OPERATORS; op++) {
        for (uint32_t k = 0; k < ITERATIONS; k++) {
            const double ns = sample_of(&run, NAMES[op], k);
            assert_true(fabs(ns - wanted[op][k]) < 1e-6);
            found += ns;
        }
    }
    for (size_t i = 0; i < run.iteration_count; i++)
        busy += run.iterations[i].busy;
    assert_true(fabs(found - all) < 1e-6 && fabs(busy - all) < 1e-6);
    work_free(&run);
}

static void parts_share_the_time_that_passed(void **state)
{
    (void)state;
    unsigned seed = 11;
    for (unsigned round = 0; round < ROUNDS; round++) {
        check_round(ROLE_COMPUTE, false, &seed);
        check_round(ROLE_HOST, true, &seed);
    }
}

static void spans_of_no_operator_are_parts_by_their_name(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, ROLE_COMPUTE, false);
    struct work_run run;
    for (unsigned i = 0; i < 3; i++) {
        const struct event event = {.start = 10 * i,
                                    .end = 10 * i + 4,
                                    .track = lane,
                                    .name = profile_string(profile, VIEW_LITERAL("gemm"))};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_true(work_measure(profile, WORK_AUTO, false, &run) == STATUS_OK);
    assert_int_equal(run.part_count, 1);
    assert_true(view_is(run.parts[0].name, "gemm") && !run.parts[0].is_operator);
    assert_int_equal(run.parts[0].calls, 3);
    assert_true(fabs(sample_of(&run, "gemm", 0) - 12) < 1e-9);
    assert_int_equal(run.iterations[0].last - run.iterations[0].first, 24);
    work_free(&run);
    profile_free(profile);
}

static void add_span(struct profile *profile, uint32_t lane, uint32_t call, uint64_t start,
                     uint64_t end)
{
    const struct event event = {.start = start,
                                .end = end,
                                .track = lane,
                                .name = profile_string(profile, VIEW_LITERAL("span")),
                                .call = call};
    profile_event_add(profile, &event, VIEW_LITERAL(""));
}

// Three iterations of 10 ns of work each, 100 ns apart; with spans for the first two of them where
// they are steps.
static struct work_run measure_iterations(bool steps, bool whole_only)
{
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, ROLE_HOST, true);
    const struct operator_description op = {.name = profile_string(profile, view_of("conv"))};
    const uint32_t id = profile_operator_add(profile, &op);
    struct work_run run;
    for (uint32_t i = 0; i < 3; i++) {
        const struct call call = {.operator_id = id, .iteration = i};
        const struct call step = {.iteration = i,
                                  .domain = profile_string(profile, VIEW_LITERAL("step"))};
        if (steps && i < 2)
            add_span(profile, lane, profile_call_add(profile, &step), 100 * i, 100 * i + 60);
        add_span(profile, lane, profile_call_add(profile, &call), 100 * i + 20, 100 * i + 30);
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_true(work_measure(profile, WORK_AUTO, whole_only, &run) == STATUS_OK);
    profile_free(profile);
    return run;
}

static void an_iteration_as_a_whole_ends_where_the_next_begins(void **state)
{
    (void)state;
    struct work_run run = measure_iterations(false, true);
    assert_int_equal(run.iteration_count, 3);
    assert_int_equal(run.iterations[0].whole, 100);
    assert_int_equal(run.iterations[1].whole, 100);
    assert_int_equal(run.iterations[2].whole, 0);
    work_free(&run);
}

static void an_iteration_as_a_whole_is_its_own_span(void **state)
{
    (void)state;
    struct work_run run = measure_iterations(true, true);
    assert_int_equal(run.iteration_count, 2);
    assert_int_equal(run.iterations[1].whole, 60);
    assert_true(run.iterations[1].busy == 10); // the step itself is no work
    assert_int_equal(run.parts[0].calls, 2);
    work_free(&run);
    run = measure_iterations(true, false);
    assert_int_equal(run.iteration_count, 3);
    assert_int_equal(run.iterations[2].whole, 0);
    work_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_share_the_time_that_passed),
        cmocka_unit_test(spans_of_no_operator_are_parts_by_their_name),
        cmocka_unit_test(an_iteration_as_a_whole_ends_where_the_next_begins),
        cmocka_unit_test(an_iteration_as_a_whole_is_its_own_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
