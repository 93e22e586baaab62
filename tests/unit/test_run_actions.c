// Recorded actions of a run as Torq's runtime profiles, down to the row.

#include "formats/torq/run_actions.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Two dispatches: alloc, job 0, dealloc; and a program of the host.
static const char TEXTS[] = "\0d0\0d1\0loc(\"n\":1:2)";
static const struct program_action ACTIONS[] = {
    {PROGRAM_ACTION_ALLOC, 0, 0, 0, 8},      {PROGRAM_ACTION_JOB_START, 1, 0, 7, 0},
    {PROGRAM_ACTION_JOB_WAIT, 2, 0, 7, 0},   {PROGRAM_ACTION_DEALLOC, 3, 0, 0, 8},
    {PROGRAM_ACTION_HOST_START, 0, 0, 7, 0}, {PROGRAM_ACTION_HOST_COPY, 1, 0, 0, 4},
    {PROGRAM_ACTION_HOST_WAIT, 2, 0, 7, 0},
};
static const struct program_dispatch DISPATCHES[] = {{1, 0, 4, 0}, {4, 4, 3, 0}};
static const struct program_job JOBS[] = {{.name = 1}};
static const struct program_task TASKS[] = {{.group = PROGRAM_NONE, .job = PROGRAM_NONE}};
static const struct program PROGRAM = {.texts = {TEXTS, sizeof TEXTS},
                                       .actions = ACTIONS,
                                       .action_count = 7,
                                       .dispatches = DISPATCHES,
                                       .dispatch_count = 2,
                                       .jobs = JOBS,
                                       .job_count = 1,
                                       .tasks = TASKS,
                                       .task_count = 1};

struct recording {
    struct profile *profile;
    uint32_t actions, init;
};

static uint32_t add_lane(struct profile *profile, const char *name, uint32_t clock)
{
    return profile_track_add(profile,
                             &(struct track){.name = profile_string(profile, view_of(name)),
                                             .kind = TRACK_LANE,
                                             .clock = clock});
}

// Ticks are 100 ns.
static struct recording start(void)
{
    struct recording recording = {.profile = profile_create()};
    const uint32_t clock = profile_clock_add(recording.profile, "ticks", 10000000, 0, 5000000);
    recording.actions = add_lane(recording.profile, RUN_ACTIONS_LANE, clock);
    recording.init = add_lane(recording.profile, RUN_ACTIONS_INIT, clock);
    return recording;
}

static void add(struct recording *recording, uint64_t iteration, const char *dispatch,
                uint64_t number, uint64_t from, uint64_t to)
{
    struct profile *profile = recording->profile;
    struct bytes values = {0};
    value_add_uint(&values, profile_string(profile, VIEW_LITERAL("action")), number);
    value_add_string(&values, profile_string(profile, VIEW_LITERAL("dispatch")),
                     profile_string(profile, view_of(dispatch)));
    value_add_uint(&values, profile_string(profile, VIEW_LITERAL("iteration")), iteration);
    profile_event_add(profile,
                      &(struct event){.kind = EVENT_SPAN,
                                      .track = recording->actions,
                                      .name = profile_string(profile, VIEW_LITERAL("any")),
                                      .start = from,
                                      .end = to},
                      bytes_view(&values));
    bytes_free(&values);
}

static void add_init(struct recording *recording, uint64_t from, uint64_t to)
{
    profile_event_add(
        recording->profile,
        &(struct event){.kind = EVENT_SPAN,
                        .track = recording->init,
                        .name = profile_string(recording->profile, VIEW_LITERAL(RUN_ACTIONS_INIT)),
                        .start = from,
                        .end = to},
        (struct view){"", 0});
}

static void add_iteration(struct recording *recording, uint64_t iteration, uint64_t at)
{
    add(recording, iteration, "d0", 0, at, at + 1);
    add(recording, iteration, "d0", 1, at + 2, at + 3);
    add(recording, iteration, "d0", 2, at + 4, at + 504);
    add(recording, iteration, "d0", 3, at + 505, at + 506);
    add(recording, iteration, "d1", 0, at + 507, at + 520);
    add(recording, iteration, "d1", 1, at + 521, at + 540);
    add(recording, iteration, "d1", 2, at + 541, at + 600);
}

static struct run_actions read_all(struct recording *recording)
{
    struct run_actions actions;
    assert_null(profile_finish(recording->profile));
    assert_null(run_actions_read(&PROGRAM, recording->profile, &actions));
    return actions;
}

static void assert_written(const struct run_actions *actions, enum torq_form form, const char *want)
{
    char path[] = "/tmp/opscope-run-actions-XXXXXX";
    char text[8192];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_null(run_actions_write(actions, form, TORQ_SINCE_FIRST, path));
    // Another file took its place.
    file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const ssize_t size = read(file, text, sizeof text - 1);
    assert_true(size >= 0);
    text[size] = '\0';
    close(file);
    unlink(path);
    assert_string_equal(text, want);
}

static void end(struct recording *recording, struct run_actions *actions)
{
    run_actions_free(actions);
    profile_free(recording->profile);
}

static void rows_of_every_form(void **state)
{
    (void)state;
    struct recording recording = start();
    add_init(&recording, 10, 100);
    add_iteration(&recording, 0, 1000);
    struct run_actions actions = read_all(&recording);
    assert_int_equal(actions.unknown, 0);
    assert_written(&actions, TORQ_R1,
                   "ID;time_since_open;time_since_start;Location\n"
                   "0;140;50;loc(\"n\":1:2)\n");
    assert_written(&actions, TORQ_R2,
                   "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                   "0,0,5100,ALLOC_START,\n0,0,5100,ALLOC_END,\n"
                   "1,0,5100,NSS_START,loc(\"n\":1:2)\n1,0,5100,NSS_START_END,loc(\"n\":1:2)\n"
                   "2,0,5100,NSS_WAIT_START,loc(\"n\":1:2)\n2,50,5150,NSS_WAIT_END,loc(\"n\":1:2)\n"
                   "3,50,5150,DEALLOC_START,\n3,50,5150,DEALLOC_END,\n"
                   "0,50,5150,HOST_PROGRAM_START,loc(\"n\":1:2)\n"
                   "1,52,5152,HOST_COPY_START,\n1,54,5154,HOST_COPY_END,\n"
                   "0,60,5160,HOST_PROGRAM_END,loc(\"n\":1:2)\n");
    assert_written(&actions, TORQ_R4,
                   "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                   "d0,0,-1,5001,INIT_BEGIN\nd0,0,-1,5010,INIT_END\n"
                   "d0,1,-1,5100,DISPATCH_BEGIN\n"
                   "d0,1,0,5100,ALLOC_BEGIN\nd0,1,0,5100,ALLOC_END\n"
                   "d0,1,1,5100,NSS_START_BEGIN\nd0,1,1,5100,NSS_START_END\n"
                   "d0,1,2,5100,NSS_WAIT_BEGIN\nd0,1,2,5150,NSS_WAIT_END\n"
                   "d0,1,3,5150,DEALLOC_BEGIN\nd0,1,3,5150,DEALLOC_END\n"
                   "d0,1,-1,5150,DISPATCH_END\n"
                   "d1,2,-1,5150,DISPATCH_BEGIN\n"
                   "d1,2,0,5150,HOST_START_BEGIN\nd1,2,0,5152,HOST_START_END\n"
                   "d1,2,1,5152,HOST_COPY_BEGIN\nd1,2,1,5154,HOST_COPY_END\n"
                   "d1,2,2,5154,HOST_WAIT_BEGIN\nd1,2,2,5160,HOST_WAIT_END\n"
                   "d1,2,-1,5160,DISPATCH_END\n");
    end(&recording, &actions);
}

static void iterations_follow_one_another(void **state)
{
    (void)state;
    struct recording recording = start();
    add_iteration(&recording, 1, 2000); // recorded by another thread first
    add_iteration(&recording, 0, 1000);
    struct run_actions actions = read_all(&recording);
    assert_int_equal(actions.count, 14);
    for (size_t i = 0; i < actions.count; i++) {
        assert_int_equal(actions.items[i].iteration, i / 7);
        assert_int_equal(actions.items[i].action, i % 7);
    }
    assert_int_equal(actions.items[8].finish, 2504);
    // Without a preparation the first action is the beginning.
    assert_written(&actions, TORQ_R1,
                   "ID;time_since_open;time_since_start;Location\n"
                   "0;50;50;loc(\"n\":1:2)\n0;150;50;loc(\"n\":1:2)\n");
    end(&recording, &actions);
}

static void a_run_that_was_cut_off_gives_what_is_there(void **state)
{
    (void)state;
    struct recording recording = start();
    add(&recording, 0, "d0", 1, 100, 120);
    add(&recording, 0, "d1", 0, 130, 150);
    struct run_actions actions = read_all(&recording);
    assert_written(&actions, TORQ_R1,
                   "ID;time_since_open;time_since_start;Location\n0;2;2;loc(\"n\":1:2)\n");
    end(&recording, &actions);
}

static void what_the_program_does_not_have_is_counted(void **state)
{
    (void)state;
    struct recording recording = start();
    add(&recording, 0, "d0", 9, 100, 120);
    add(&recording, 0, "other", 0, 130, 150);
    add(&recording, 0, "d0", UINT64_MAX, 130, 150);
    struct run_actions actions = read_all(&recording);
    assert_int_equal(actions.unknown, 3);
    assert_int_equal(actions.count, 0);
    assert_written(&actions, TORQ_R2,
                   "actionIndex, elapsed_time(us), timestamp(us), event, location\n");
    assert_written(&actions, TORQ_R1, "ID;time_since_open;time_since_start;Location\n");
    assert_written(&actions, TORQ_R4, "dispatch_name,invocation_id,action_id,timestamp_us,event\n");
    end(&recording, &actions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_form),
        cmocka_unit_test(iterations_follow_one_another),
        cmocka_unit_test(a_run_that_was_cut_off_gives_what_is_there),
        cmocka_unit_test(what_the_program_does_not_have_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
