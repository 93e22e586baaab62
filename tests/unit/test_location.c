// Where work comes from, as text.

#include "program/location.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/builder.h"

struct sketch {
    struct program_builder *builder;
    struct program program;
};

static uint32_t add_operator(struct sketch *sketch, const char *name, const char *location)
{
    const struct program_operator op = {
        .name = program_builder_text(sketch->builder, view_of(name)),
        .location = program_builder_text(sketch->builder, view_of(location)),
    };
    uint32_t id;
    struct program_operator *kept = PROGRAM_ADD(sketch->builder, operators, &id);
    *kept = op;
    return id;
}

static void add_node(struct sketch *sketch, uint32_t op)
{
    struct program_node *node = PROGRAM_ADD(sketch->builder, nodes, NULL);
    node->operator_id = op;
}

static uint32_t add_group(struct sketch *sketch, uint32_t first_node, uint32_t count)
{
    uint32_t id;
    struct program_group *group = PROGRAM_ADD(sketch->builder, groups, &id);
    group->first_node = first_node;
    group->node_count = count;
    return id;
}

static void assert_location(struct sketch *sketch, uint32_t group, const char *want)
{
    struct bytes text = {0};
    program_builder_view(sketch->builder, &sketch->program);
    program_group_location(&sketch->program, group, &text);
    assert_int_equal(text.size, strlen(want));
    assert_memory_equal(text.data, want, text.size);
    bytes_free(&text);
}

static struct sketch sketch_start(void)
{
    return (struct sketch){.builder = program_builder_create(view_of(""), view_of(""))};
}

static void a_place_or_else_a_name(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const char *const operators[][3] = {
        {"conv", "loc(\"a.mlir\":4:10)", "loc(\"a.mlir\":4:10)"},
        {"conv", "", "loc(\"conv\")"},
        {"conv", "File \"x.py\", line 3", "loc(\"conv\")"},
        {"", "File \"x.py\"\nline 3", "loc(\"File \\\"x.py\\\"\\0Aline 3\")"},
        {"a\\b", "", "loc(\"a\\\\b\")"},
        {"", "", "loc(unknown)"},
        {"conv", "loc(unknown)", "loc(unknown)"},
    };
    for (uint32_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        add_node(&sketch, add_operator(&sketch, operators[i][0], operators[i][1]));
        assert_location(&sketch, add_group(&sketch, i, 1), operators[i][2]);
    }
    program_builder_free(sketch.builder);
}

static void fused_places_come_once_in_order(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    const uint32_t first = add_operator(&sketch, "", "loc(\"a.mlir\":1:2)");
    const uint32_t second = add_operator(&sketch, "relu", "");
    const uint32_t third = add_operator(&sketch, "", "loc(\"a.mlir\":1:2)");
    const uint32_t nowhere = add_operator(&sketch, "", "");
    add_node(&sketch, second); // a node may stand before one that comes first in the file
    add_node(&sketch, first);
    add_node(&sketch, third);
    add_node(&sketch, nowhere);
    add_node(&sketch, first); // a copy
    add_node(&sketch, PROGRAM_NONE);
    assert_location(&sketch, add_group(&sketch, 0, 6), "loc(fused[\"a.mlir\":1:2, \"relu\"])");
    assert_location(&sketch, add_group(&sketch, 1, 2), "loc(\"a.mlir\":1:2)");
    assert_location(&sketch, add_group(&sketch, 5, 1), "loc(unknown)");
    program_builder_free(sketch.builder);
}

static void add_task(struct sketch *sketch, uint32_t group, uint32_t job)
{
    struct program_task *task = PROGRAM_ADD(sketch->builder, tasks, NULL);
    task->group = group;
    task->job = job;
}

static void assert_action(struct sketch *sketch, enum program_action_kind kind, uint32_t subject,
                          const char *said, const char *want)
{
    const struct program_action action = {
        .kind = kind,
        .subject = subject,
        .location = program_builder_text(sketch->builder, view_of(said)),
    };
    struct bytes text = {0};
    program_builder_view(sketch->builder, &sketch->program);
    program_action_location(&sketch->program, &action, &text);
    bytes_append(&text, "", 1);
    assert_string_equal((const char *)text.data, want);
    bytes_free(&text);
}

static void actions_are_where_their_work_is(void **state)
{
    (void)state;
    struct sketch sketch = sketch_start();
    add_node(&sketch, add_operator(&sketch, "conv", ""));
    const uint32_t group = add_group(&sketch, 0, 1);
    const uint32_t nowhere = add_group(&sketch, 0, 0);
    add_task(&sketch, PROGRAM_NONE, 0); // brings code
    add_task(&sketch, group, 0);
    add_task(&sketch, nowhere, PROGRAM_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        struct program_step *step = PROGRAM_ADD(sketch.builder, steps, NULL);
        step->task = i;
    }
    struct program_job *job = PROGRAM_ADD(sketch.builder, jobs, NULL);
    job->step_count = 2;

    assert_action(&sketch, PROGRAM_ACTION_JOB_START, 0, "", "loc(\"conv\")");
    assert_action(&sketch, PROGRAM_ACTION_JOB_WAIT, 0, "x.py:3", "loc(\"conv\")");
    assert_action(&sketch, PROGRAM_ACTION_JOB_WAIT, 0, "loc(\"a\")", "loc(\"a\")");
    assert_action(&sketch, PROGRAM_ACTION_HOST_START, 1, "", "loc(\"conv\")");
    assert_action(&sketch, PROGRAM_ACTION_HOST_WAIT, 2, "", "");
    assert_action(&sketch, PROGRAM_ACTION_HOST_WAIT, 2, "x.py:3", "x.py:3");
    assert_action(&sketch, PROGRAM_ACTION_HOST_COPY, 0, "", "");
    program_builder_free(sketch.builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_or_else_a_name),
        cmocka_unit_test(fused_places_come_once_in_order),
        cmocka_unit_test(actions_are_where_their_work_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
