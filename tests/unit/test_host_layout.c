// Which values lie with their channels last.

#include "device/host_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BUFFERS_MOST = 8, TASKS_MOST = 8 };

// A row of tasks, each of which reads one buffer and writes the next.
struct row {
    struct program_buffer buffers[BUFFERS_MOST];
    struct program_task tasks[TASKS_MOST];
    struct program_operand operands[2 * TASKS_MOST];
    struct host_recipe recipes[TASKS_MOST];
    struct program program;
    struct host_machine machine;
};

static void add_buffer(struct row *row, enum program_buffer_kind kind, int64_t channels,
                       int64_t side)
{
    row->buffers[row->program.buffer_count++] =
        (struct program_buffer){.kind = (uint16_t)kind,
                                .element = ELEMENT_F32,
                                .rank = 4,
                                .alias = PROGRAM_NONE,
                                .dims = {1, channels, side, side}};
}

static void make_row(struct row *row, const enum host_recipe_kind *kinds, uint32_t count)
{
    memset(row, 0, sizeof *row);
    add_buffer(row, PROGRAM_BUFFER_INPUT, 8, 4);
    for (uint32_t i = 0; i < count; i++) {
        add_buffer(row, i + 1 == count ? PROGRAM_BUFFER_OUTPUT : PROGRAM_BUFFER_INNER, 8, 4);
        row->recipes[i].kind = kinds[i];
        row->tasks[i] = (struct program_task){
            .kind = PROGRAM_TASK_COMPUTE, .first_operand = 2 * i, .operand_count = 2};
        row->operands[2 * i] = (struct program_operand){.buffer = i};
        row->operands[2 * i + 1] = (struct program_operand){.buffer = i + 1, .writes = 1};
    }
    row->program.task_count = count;
    row->program.buffers = row->buffers;
    row->program.tasks = row->tasks;
    row->program.operands = row->operands;
    row->machine.program = &row->program;
}

// "LLP": last, last, plain; by buffer.
static void assert_layouts(struct row *row, bool loose_ports, const char *expected)
{
    bool *last = host_layout_find(&row->machine, row->recipes, loose_ports);
    char found[BUFFERS_MOST + 1] = "";
    for (uint32_t i = 0; i < row->program.buffer_count; i++)
        found[i] = last[i] ? 'L' : 'P';
    free(last);
    assert_string_equal(found, expected);
}

static void images_stay_as_their_makers_like_them(void **state)
{
    (void)state;
    struct row row;
    make_row(&row,
             (const enum host_recipe_kind[]){HOST_RECIPE_CONVOLUTION, HOST_RECIPE_POOL,
                                             HOST_RECIPE_CHAIN, HOST_RECIPE_CONVOLUTION},
             4);
    assert_layouts(&row, false, "PLLLP"); // ports are as the network has them
    assert_layouts(&row, true, "LLLLL");
}

static void elementwise_tasks_follow_what_they_read(void **state)
{
    (void)state;
    struct row row;
    make_row(&row,
             (const enum host_recipe_kind[]){HOST_RECIPE_CHAIN, HOST_RECIPE_CALLS,
                                             HOST_RECIPE_CHAIN, HOST_RECIPE_CONVOLUTION},
             4);
    assert_layouts(&row, false, "PPPPP");
}

static void what_is_invoked_finds_plain_values(void **state)
{
    (void)state;
    struct row row;
    make_row(&row,
             (const enum host_recipe_kind[]){HOST_RECIPE_CONVOLUTION, HOST_RECIPE_NONE,
                                             HOST_RECIPE_CONVOLUTION, HOST_RECIPE_CALLS},
             4);
    assert_layouts(&row, false, "PPPLP");
}

static void views_and_other_values_stay_plain(void **state)
{
    (void)state;
    struct row row;
    const enum host_recipe_kind kinds[] = {HOST_RECIPE_CONVOLUTION, HOST_RECIPE_CONVOLUTION,
                                           HOST_RECIPE_CONVOLUTION};
    make_row(&row, kinds, 3);
    row.buffers[2].alias = 1; // shows the bytes of another
    assert_layouts(&row, false, "PPPP");
    make_row(&row, kinds, 3);
    row.buffers[1].dims[1] = 1; // one channel: both layouts are the same
    row.buffers[2].rank = 3;
    assert_layouts(&row, false, "PPPP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_stay_as_their_makers_like_them),
        cmocka_unit_test(elementwise_tasks_follow_what_they_read),
        cmocka_unit_test(what_is_invoked_finds_plain_values),
        cmocka_unit_test(views_and_other_values_stay_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
