// What the tables of a program may hold: pieces that belong to one item each, and steps.

#include "program/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/builder.h"

static void assert_valid(const struct program_builder *builder, const char *problem)
{
    struct program program;
    program_builder_view(builder, &program);
    const status result = program_validate(&program);
    if (problem == NULL) {
        if (result != STATUS_OK)
            fail_msg("%s", status_message(result));
        return;
    }
    assert_int_not_equal(result, STATUS_OK);
    assert_non_null(strstr(status_message(result), problem));
    status_free(result);
}

static void nodes_belong_to_one_group(void **state)
{
    (void)state;
    struct program_builder *builder = program_builder_create(view_of(""), view_of("x"));
    for (int i = 0; i < 3; i++) {
        struct program_node *node = PROGRAM_ADD(builder, nodes, NULL);
        node->operator_id = PROGRAM_NONE;
    }
    struct program_group *group = PROGRAM_ADD(builder, groups, NULL);
    group->node_count = 2;
    assert_valid(builder, NULL);
    group = PROGRAM_ADD(builder, groups, NULL);
    group->first_node = 1;
    group->node_count = 2;
    assert_valid(builder, "some nodes belong to more than one group");
    program_builder_free(builder);
}

static void a_job_is_started_once(void **state)
{
    (void)state;
    struct program_builder *builder = program_builder_create(view_of(""), view_of("x"));
    struct program_task *task = PROGRAM_ADD(builder, tasks, NULL);
    task->group = PROGRAM_NONE;
    task->kind = PROGRAM_TASK_COMPUTE;
    PROGRAM_ADD(builder, dispatches, NULL);
    PROGRAM_ADD(builder, streams, NULL);
    struct program_step *step = PROGRAM_ADD(builder, steps, NULL);
    step->semaphore = PROGRAM_NONE;
    struct program_job *job = PROGRAM_ADD(builder, jobs, NULL);
    job->step_count = 1;
    struct program_action *action = PROGRAM_ADD(builder, actions, NULL);
    action->kind = PROGRAM_ACTION_JOB_START;
    assert_valid(builder, NULL);
    action = PROGRAM_ADD(builder, actions, NULL);
    action->kind = PROGRAM_ACTION_JOB_START;
    assert_valid(builder, "some jobs are started more than once");
    program_builder_free(builder);
}

// A program with one step, of a stream that has a semaphore.
static struct program_builder *with_a_step(struct program_step **out_step)
{
    struct program_builder *builder = program_builder_create(view_of(""), view_of("x"));
    struct program_task *task = PROGRAM_ADD(builder, tasks, NULL);
    task->group = PROGRAM_NONE;
    task->job = PROGRAM_NONE;
    task->kind = PROGRAM_TASK_COMPUTE;
    PROGRAM_ADD(builder, streams, NULL);
    PROGRAM_ADD(builder, semaphores, NULL);
    *out_step = PROGRAM_ADD(builder, steps, NULL);
    return builder;
}

static void a_step_has_what_its_kind_needs(void **state)
{
    (void)state;
    static const struct {
        struct program_step step;
        const char *problem;
    } CASES[] = {
        {{.kind = PROGRAM_STEP_START, .semaphore = PROGRAM_NONE}, NULL},
        {{.kind = PROGRAM_STEP_WAIT, .semaphore = PROGRAM_NONE}, NULL},
        {{.kind = PROGRAM_STEP_SIGNAL, .task = PROGRAM_NONE}, NULL},
        {{.kind = PROGRAM_STEP_AWAIT, .task = PROGRAM_NONE, .count = 1}, NULL},
        {{.kind = PROGRAM_STEP_START}, "a task's step with a semaphore"},
        {{.kind = PROGRAM_STEP_START, .task = 1, .semaphore = PROGRAM_NONE}, "step 0: task"},
        {{.kind = PROGRAM_STEP_WAIT, .semaphore = PROGRAM_NONE, .count = 1}, "without an await"},
        {{.kind = PROGRAM_STEP_SIGNAL}, "a semaphore's step with a task"},
        {{.kind = PROGRAM_STEP_SIGNAL, .task = PROGRAM_NONE, .semaphore = 1}, "semaphore"},
        {{.kind = PROGRAM_STEP_SIGNAL, .task = PROGRAM_NONE, .count = 1}, "without an await"},
        {{.kind = PROGRAM_STEP_AWAIT, .task = PROGRAM_NONE}, "it awaits nothing"},
        {{.kind = PROGRAM_STEP_AWAIT, .task = PROGRAM_NONE, .count = 1, .stream = 1}, "stream"},
        {{.kind = PROGRAM_STEP_AWAIT + 1, .semaphore = PROGRAM_NONE}, "no such kind"},
    };
    struct program_step *step;
    struct program_builder *builder = with_a_step(&step);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        *step = CASES[i].step;
        assert_valid(builder, CASES[i].problem);
    }
    program_builder_free(builder);
}

static void units_and_stages_belong_to_one_task(void **state)
{
    (void)state;
    struct program_step *step;
    struct program_builder *builder = with_a_step(&step);
    step->semaphore = PROGRAM_NONE;
    PROGRAM_ADD(builder, task_units, NULL);
    struct program_stage *stage = PROGRAM_ADD(builder, stages, NULL);
    stage->ring = PROGRAM_NONE;
    struct program_task *tasks[2] = {
        program_builder_get(builder, offsetof(struct program, tasks), 0), NULL};
    const struct program_task first = *tasks[0];
    tasks[1] = PROGRAM_ADD(builder, tasks, NULL);
    *tasks[1] = first;
    tasks[0] = program_builder_get(builder, offsetof(struct program, tasks), 0);
    tasks[0]->unit_count = 1;
    tasks[0]->stage_count = 1;
    assert_valid(builder, NULL);
    tasks[1]->unit_count = 1;
    assert_valid(builder, "some task_units belong to more than one task");
    tasks[1]->unit_count = 0;
    tasks[1]->stage_count = 1;
    assert_valid(builder, "some stages belong to more than one task");
    tasks[1]->stage_count = 0;
    stage->ring = 0;
    assert_valid(builder, "stage 0: ring");
    program_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_belong_to_one_group),
        cmocka_unit_test(a_job_is_started_once),
        cmocka_unit_test(a_step_has_what_its_kind_needs),
        cmocka_unit_test(units_and_stages_belong_to_one_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
