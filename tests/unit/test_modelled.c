// What a program costs as a whole: busy times, bounds and memory, counted by hand.

#include "analysis/modelled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS = 3, TASKS = 6, BUFFERS = 5 };

static struct target *target;

static int open_target(void **state)
{
    (void)state;
    return target_open("torq-sl2610", &target) == STATUS_OK ? 0 : -1;
}

static int close_target(void **state)
{
    (void)state;
    target_free(target);
    return 0;
}

static struct program_task task(uint32_t group, uint32_t tile, const char *engine)
{
    return (struct program_task){
        .group = group, .tile = tile, .engine = target_engine_named(target, engine)};
}

static struct program_buffer buffer(const char *memory, enum program_buffer_kind kind,
                                    uint64_t address, uint64_t size, uint32_t from, uint32_t to)
{
    return (struct program_buffer){.memory = target_memory_named(target, memory),
                                   .kind = (uint16_t)kind,
                                   .address = address,
                                   .size = size,
                                   .from = from,
                                   .to = to,
                                   .alias = PROGRAM_NONE};
}

// Group 0 on a slice with two tiles, group 1 on the host, group 2 without work.
static struct modelled *model(void)
{
    const struct program_task tasks[TASKS] = {
        task(0, 0, "dma_in"),
        task(0, 0, "slice"),
        task(0, 1, "dma_in"),
        task(0, 1, "slice"),
        task(PROGRAM_NONE, 0, "dma_in"),
        task(1, 0, "host"),
    };
    struct sim_times times[TASKS] = {{0, 100},   {100, 130}, {100, 160},
                                     {160, 190}, {170, 180}, {200, 250}};
    struct program_group groups[GROUPS] = {0};
    groups[0].engine = groups[2].engine = target_engine_named(target, "slice");
    groups[1].engine = target_engine_named(target, "host");
    const struct program_buffer buffers[BUFFERS] = {
        buffer("lram", PROGRAM_BUFFER_TILE, 0, 100, 0, 4),
        buffer("lram", PROGRAM_BUFFER_TILE, 200, 50, 4, 5),
        buffer("lram", PROGRAM_BUFFER_TILE, 0, 120, 5, 9),
        buffer("lram", PROGRAM_BUFFER_PIPELINE, 0, 9999, 0, 9),
        buffer("xram", PROGRAM_BUFFER_CONSTANT, 64, 10, 0, UINT32_MAX),
    };
    struct program_action action = {.kind = PROGRAM_ACTION_HOST_COPY};
    struct sim_times action_times = {240, 260};
    const struct program program = {
        .tasks = tasks,
        .task_count = TASKS,
        .groups = groups,
        .group_count = GROUPS,
        .buffers = buffers,
        .buffer_count = BUFFERS,
        .actions = &action,
        .action_count = 1,
    };
    const struct sim_result result = {.tasks = times, .actions = &action_times, .end = 270};
    return modelled_create(&program, target, &result);
}

static void time_by_kind_is_that_of_the_union(void **state)
{
    (void)state;
    struct modelled *modelled = model();
    assert_int_equal(modelled->cycles, 270);
    assert_int_equal(modelled->busy[MODELLED_COMPUTE], 60);
    assert_int_equal(modelled->busy[MODELLED_DMA], 160 + 10);
    assert_int_equal(modelled->busy[MODELLED_HOST], 60); // 200 to 260: a task and a copy
    assert_int_equal(modelled->idle, 10 + 10);           // 190 to 200, 260 to 270
    assert_int_equal(modelled->host_groups, 1);
    modelled_free(modelled);
}

static void groups_come_by_their_time(void **state)
{
    (void)state;
    struct modelled *modelled = model();
    const struct modelled_group *groups = modelled->groups;
    assert_int_equal(groups[0].group, 0);
    assert_int_equal(groups[0].start, 0);
    assert_int_equal(groups[0].end, 190);
    assert_int_equal(groups[0].tasks, 4);
    assert_int_equal(groups[0].tiles, 2);
    assert_int_equal(groups[0].busy[MODELLED_DMA], 160);
    assert_int_equal(groups[0].bound, MODELLED_DMA);
    assert_int_equal(groups[1].group, 1);
    assert_int_equal(groups[1].bound, MODELLED_HOST);
    assert_int_equal(groups[2].group, 2);
    assert_int_equal(groups[2].tasks, 0);
    modelled_free(modelled);
}

static void memory_in_use_at_the_same_time(void **state)
{
    (void)state;
    struct modelled *modelled = model();
    const struct modelled_memory *lram = &modelled->memories[target_memory_named(target, "lram")];
    const struct modelled_memory *xram = &modelled->memories[target_memory_named(target, "xram")];
    assert_int_equal(lram->peak, 50 + 120); // at moment 5, when the first has ended
    assert_int_equal(lram->reach, 250);
    assert_int_equal(lram->constants, 0);
    assert_int_equal(xram->peak, 10);
    assert_int_equal(xram->reach, 74);
    assert_int_equal(modelled->constants, 10);
    modelled_free(modelled);
}

static void a_group_of_no_operator_has_a_text(void **state)
{
    (void)state;
    const struct program_node node = {.operator_id = PROGRAM_NONE};
    const struct program_group group = {.node_count = 1};
    const struct program program = {
        .texts = {"", 1}, .nodes = &node, .node_count = 1, .groups = &group, .group_count = 1};
    char text[64];
    assert_string_equal(modelled_group_text(&program, 0, text, sizeof text), " (group 0)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_by_kind_is_that_of_the_union),
        cmocka_unit_test(groups_come_by_their_time),
        cmocka_unit_test(memory_in_use_at_the_same_time),
        cmocka_unit_test(a_group_of_no_operator_has_a_text),
    };
    return cmocka_run_group_tests(tests, open_target, close_target);
}
