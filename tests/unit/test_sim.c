// The evaluator against programs worked out by hand, and what must hold for any.

#include "device/sim.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/builder.h"

// A program in the making. Tasks cost what they are told to.
struct sketch {
    struct target *target;
    struct program_builder *builder;
    struct program program;
    struct sim_result *result;
    uint32_t job;
};

static struct sketch sketch_start(void)
{
    struct sketch sketch = {0};
    assert_int_equal(target_open("torq-sl2610", &sketch.target), STATUS_OK);
    sketch.builder = program_builder_create(sketch.target->text, view_of("by hand"));
    PROGRAM_ADD(sketch.builder, dispatches, NULL);
    return sketch;
}

static void sketch_end(struct sketch *sketch)
{
    sim_result_free(sketch->result);
    program_builder_free(sketch->builder);
    target_free(sketch->target);
}

static uint32_t task(struct sketch *sketch, const char *engine, unsigned lane, uint64_t cycles)
{
    uint32_t id;
    struct program_task *item = PROGRAM_ADD(sketch->builder, tasks, &id);
    *item = (struct program_task){.group = PROGRAM_NONE,
                                  .engine = target_engine_named(sketch->target, engine),
                                  .lane = (uint32_t)lane,
                                  .job = PROGRAM_NONE,
                                  .cost = {.kind = COST_FIXED, .cycles = cycles}};
    return id;
}

static void action(struct sketch *sketch, enum program_action_kind kind, uint32_t subject,
                   uint64_t bytes)
{
    struct program_action *item = PROGRAM_ADD(sketch->builder, actions, NULL);
    *item = (struct program_action){.kind = kind, .subject = subject, .bytes = bytes};
    struct program_dispatch *dispatch =
        program_builder_get(sketch->builder, offsetof(struct program, dispatches), 0);
    dispatch->action_count++;
}

// Steps that follow belong to the new job.
static uint32_t job(struct sketch *sketch)
{
    struct program_job *item = PROGRAM_ADD(sketch->builder, jobs, &sketch->job);
    item->first_step = program_builder_count(sketch->builder, offsetof(struct program, steps));
    action(sketch, PROGRAM_ACTION_JOB_START, sketch->job, 0);
    return sketch->job;
}

static void step(struct sketch *sketch, enum program_step_kind kind, uint32_t id)
{
    struct program_step *item = PROGRAM_ADD(sketch->builder, steps, NULL);
    *item = (struct program_step){.task = id, .kind = kind};
    struct program_job *of =
        program_builder_get(sketch->builder, offsetof(struct program, jobs), sketch->job);
    of->step_count++;
    struct program_task *started =
        program_builder_get(sketch->builder, offsetof(struct program, tasks), id);
    started->job = sketch->job;
}

static uint32_t start(struct sketch *sketch, const char *engine, unsigned lane, uint64_t cycles)
{
    const uint32_t id = task(sketch, engine, lane, cycles);
    step(sketch, PROGRAM_STEP_START, id);
    return id;
}

static void await(struct sketch *sketch, uint32_t id)
{
    step(sketch, PROGRAM_STEP_WAIT, id);
}

static void evaluate(struct sketch *sketch, enum cost_rules rules)
{
    sim_result_free(sketch->result);
    program_builder_view(sketch->builder, &sketch->program);
    assert_int_equal(sim_run(&sketch->program, sketch->target, rules, &sketch->result), STATUS_OK);
}

static void assert_times(const struct sketch *sketch, uint32_t id, uint64_t from, uint64_t to)
{
    assert_int_equal(sketch->result->tasks[id].start, from);
    assert_int_equal(sketch->result->tasks[id].end, to);
}

// By hand ---------------------------------------------------------------------------

static void two_slices_work_at_the_same_time(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const uint32_t only = job(&sketch);
    const uint32_t load = start(&sketch, "dma_in", 0, 100);
    await(&sketch, load);
    const uint32_t first = start(&sketch, "slice", 0, 10);
    const uint32_t second = start(&sketch, "slice", 1, 20);
    await(&sketch, first);
    const uint32_t again = start(&sketch, "slice", 0, 5);
    await(&sketch, second);
    await(&sketch, again);
    action(&sketch, PROGRAM_ACTION_JOB_WAIT, only, 0);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, load, 0, 100);
    assert_times(&sketch, first, 100, 110);
    assert_times(&sketch, second, 101, 121); // a start takes the controller a cycle
    assert_times(&sketch, again, 110, 115);
    assert_int_equal(sketch.result->end, 121);
    sketch_end(&sketch);
}

static void a_busy_lane_holds_up_the_controller(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    job(&sketch);
    const uint32_t first = start(&sketch, "slice", 0, 50);
    const uint32_t second = start(&sketch, "slice", 0, 50);
    const uint32_t other = start(&sketch, "slice", 1, 50);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, first, 0, 50);
    assert_times(&sketch, second, 50, 100);
    assert_times(&sketch, other, 51, 101);
    assert_int_equal(sketch.result->end, 101); // also when nobody waits
    sketch_end(&sketch);
}

static void transfers_have_the_far_memory_in_turn(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    job(&sketch);
    const uint32_t in = start(&sketch, "dma_in", 0, 40);
    const uint32_t out = start(&sketch, "dma_out", 0, 30);
    const uint32_t copy = start(&sketch, "cdma", 0, 25); // between local memories
    await(&sketch, in);
    const uint32_t work = start(&sketch, "slice", 0, 7);
    const uint32_t next = start(&sketch, "dma_in", 0, 5);
    await(&sketch, next);
    const uint32_t last = start(&sketch, "slice", 1, 7);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, in, 0, 40);
    assert_times(&sketch, out, 40, 70);
    assert_times(&sketch, copy, 0, 25);
    assert_times(&sketch, work, 40, 47); // the controller went on meanwhile
    assert_times(&sketch, next, 70, 75);
    assert_times(&sketch, last, 75, 82);

    // The published rules give each all of it.
    evaluate(&sketch, COST_RULES_PUBLIC);
    assert_times(&sketch, in, 0, 40);
    assert_times(&sketch, out, 0, 30);
    assert_times(&sketch, next, 41, 46);
    sketch_end(&sketch);
}

static void the_host_goes_on_until_it_waits(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const uint32_t first = job(&sketch);
    const uint32_t slice = start(&sketch, "slice", 0, 1000);
    await(&sketch, slice);
    const uint32_t host = task(&sketch, "host", 0, 300);
    action(&sketch, PROGRAM_ACTION_HOST_START, host, 0);
    action(&sketch, PROGRAM_ACTION_HOST_WAIT, host, 0);
    action(&sketch, PROGRAM_ACTION_JOB_WAIT, first, 0);
    action(&sketch, PROGRAM_ACTION_HOST_COPY, 0, 400); // 8000 + 400 / 4 cycles
    const uint32_t second = job(&sketch);
    const uint32_t load = start(&sketch, "dma_in", 0, 10);
    await(&sketch, load);
    action(&sketch, PROGRAM_ACTION_JOB_WAIT, second, 0);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, slice, 0, 1000);
    assert_times(&sketch, host, 0, 300);
    assert_int_equal(sketch.result->actions[3].end, 1000);
    assert_int_equal(sketch.result->actions[4].end, 9100);
    assert_times(&sketch, load, 9100, 9110);
    assert_int_equal(sketch.result->end, 9110);
    sketch_end(&sketch);
}

static void jobs_side_by_side_share_engines(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const uint32_t first = job(&sketch);
    const uint32_t a = start(&sketch, "slice", 0, 100);
    await(&sketch, a);
    const uint32_t second = job(&sketch); // before the first is waited for
    const uint32_t b = start(&sketch, "slice", 0, 50);
    const uint32_t c = start(&sketch, "slice", 1, 10);
    action(&sketch, PROGRAM_ACTION_JOB_WAIT, second, 0);
    action(&sketch, PROGRAM_ACTION_JOB_WAIT, first, 0);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, a, 0, 100);
    assert_times(&sketch, b, 100, 150);
    assert_times(&sketch, c, 101, 111);
    sketch_end(&sketch);
}

static void times_go_beyond_32_bits_and_stop_at_64(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    job(&sketch);
    const uint64_t much = 3ull << 40;
    const uint32_t a = start(&sketch, "dma_in", 0, much);
    await(&sketch, a);
    const uint32_t b = start(&sketch, "slice", 1, much + 1);
    await(&sketch, b);
    const uint32_t c = start(&sketch, "dma_out", 0, 5);
    await(&sketch, c);
    const uint32_t d = start(&sketch, "slice", 0, UINT64_MAX - 10);
    await(&sketch, d);
    const uint32_t e = start(&sketch, "slice", 0, 7);
    evaluate(&sketch, COST_RULES_BEST);
    assert_times(&sketch, a, 0, much);
    assert_times(&sketch, b, much, 2 * much + 1);
    assert_times(&sketch, c, 2 * much + 1, 2 * much + 6);
    assert_times(&sketch, d, 2 * much + 6, UINT64_MAX);
    assert_times(&sketch, e, UINT64_MAX, UINT64_MAX);
    sketch_end(&sketch);
}

static void an_unknown_engine_is_refused(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const uint32_t id = task(&sketch, "slice", 0, 1);
    struct program_task *item =
        program_builder_get(sketch.builder, offsetof(struct program, tasks), id);
    item->engine = 14;
    program_builder_view(sketch.builder, &sketch.program);
    const status result = sim_run(&sketch.program, sketch.target, COST_RULES_BEST, &sketch.result);
    assert_int_not_equal(result, STATUS_OK);
    status_free(result);
    sketch_end(&sketch);
}

// Any program -------------------------------------------------------------------------

enum { TASKS_MOST = 60 };

// Jobs of random tasks; each is waited for at some time or never.
static void fill_at_random(struct sketch *sketch, unsigned *seed)
{
    static const struct {
        const char *engine;
        unsigned lane;
    } LANES[] = {{"dma_in", 0}, {"dma_out", 0}, {"slice", 0},
                 {"slice", 1},  {"css", 0},     {"cdma", 0}};
    uint32_t started[TASKS_MOST];
    unsigned count = 0;
    while (count < TASKS_MOST) {
        const uint32_t id = job(sketch);
        for (unsigned i = 0; i < 12 && count < TASKS_MOST; i++) {
            const unsigned lane = (unsigned)rand_r(seed) % 6;
            started[count++] =
                start(sketch, LANES[lane].engine, LANES[lane].lane, (uint64_t)(rand_r(seed) % 100));
            if (rand_r(seed) % 2 == 0)
                await(sketch, started[(unsigned)rand_r(seed) % count]);
        }
        if (rand_r(seed) % 2 == 0)
            action(sketch, PROGRAM_ACTION_JOB_WAIT, id, 0);
    }
}

static bool share_something(const struct sketch *sketch, uint32_t a, uint32_t b)
{
    const struct program_task *one = &sketch->program.tasks[a];
    const struct program_task *two = &sketch->program.tasks[b];
    const uint32_t ports[] = {sketch->target->engines[one->engine].port,
                              sketch->target->engines[two->engine].port};
    const bool same = one->engine == two->engine && one->lane == two->lane;
    const bool far = ports[0] != TARGET_NONE && ports[0] == ports[1];
    return same || far;
}

static void assert_nothing_at_once(const struct sketch *sketch)
{
    for (uint32_t i = 0; i < TASKS_MOST; i++) {
        const struct sim_times a = sketch->result->tasks[i];
        assert_int_equal(a.end - a.start, sketch->program.tasks[i].cost.cycles);
        for (uint32_t k = 0; k < i; k++) {
            const struct sim_times b = sketch->result->tasks[k];
            if (share_something(sketch, i, k))
                assert_true(a.start >= b.end || b.start >= a.end);
        }
    }
}

// No time of any task, step or action is later when one task takes fewer cycles.
static void assert_never_later(const struct sketch *sketch, const struct sim_result *before)
{
    for (uint32_t i = 0; i < sketch->program.task_count; i++)
        assert_true(sketch->result->tasks[i].end <= before->tasks[i].end);
    for (uint32_t i = 0; i < sketch->program.step_count; i++)
        assert_true(sketch->result->steps[i].end <= before->steps[i].end);
    assert_true(sketch->result->end <= before->end);
}

static void less_work_never_ends_later(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        unsigned seed = round;
        struct sketch sketch = sketch_start();
        fill_at_random(&sketch, &seed);
        evaluate(&sketch, COST_RULES_BEST);
        assert_nothing_at_once(&sketch);
        for (unsigned i = 0; i < 20; i++) {
            struct sim_result *before = sketch.result;
            sketch.result = NULL;
            struct program_task *item =
                program_builder_get(sketch.builder, offsetof(struct program, tasks),
                                    (uint32_t)rand_r(&seed) % TASKS_MOST);
            item->cost.cycles /= 2;
            evaluate(&sketch, COST_RULES_BEST);
            assert_never_later(&sketch, before);
            sim_result_free(before);
        }
        sketch_end(&sketch);
    }
}

static void the_same_program_gives_the_same_times(void **state)
{
    (void)state;
    unsigned seed = 99;
    struct sketch sketch = sketch_start();
    fill_at_random(&sketch, &seed);
    evaluate(&sketch, COST_RULES_BEST);
    struct sim_result *first = sketch.result;
    sketch.result = NULL;
    evaluate(&sketch, COST_RULES_BEST);
    assert_memory_equal(first->tasks, sketch.result->tasks, TASKS_MOST * sizeof *first->tasks);
    assert_memory_equal(first->steps, sketch.result->steps,
                        sketch.program.step_count * sizeof *first->steps);
    assert_int_equal(first->end, sketch.result->end);
    sim_result_free(first);
    sketch_end(&sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_slices_work_at_the_same_time),
        cmocka_unit_test(a_busy_lane_holds_up_the_controller),
        cmocka_unit_test(transfers_have_the_far_memory_in_turn),
        cmocka_unit_test(the_host_goes_on_until_it_waits),
        cmocka_unit_test(jobs_side_by_side_share_engines),
        cmocka_unit_test(times_go_beyond_32_bits_and_stop_at_64),
        cmocka_unit_test(an_unknown_engine_is_refused),
        cmocka_unit_test(less_work_never_ends_later),
        cmocka_unit_test(the_same_program_gives_the_same_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
