// Ranges of a program that lie within their tables, but not to one item each.

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
    PROGRAM_ADD(builder, steps, NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_belong_to_one_group),
        cmocka_unit_test(a_job_is_started_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
