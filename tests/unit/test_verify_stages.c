// What a task that runs through stages may not do: each change of a proved program is
// refused, and the message says what is wrong.

#include "compiler_support.h"

#include "program/validate.h"

static const char ADD[] =
    "module {\n"
    "  func.func @main(%a: tensor<1x6x5x2xi8>, %b: tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8> {\n"
    "    %0 = tosa.add %a, %b : (tensor<1x6x5x2xi8>, tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>\n"
    "    %1 = tosa.abs %0 : (tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>\n"
    "    return %1 : tensor<1x6x5x2xi8>\n"
    "  }\n"
    "}\n";

// The tables of a program that has just been made.
struct tables {
    struct program_task *tasks;
    struct program_stage *stages;
    struct program_operand *operands;
    struct program_buffer *buffers;
    uint32_t *call_buffers;
};

#define OWN(table) ((void *)(uintptr_t)compiled->program.table)

static struct tables compile(struct compiled *compiled)
{
    compile_text(compiled, ADD, TEST_ROOT "/tests/testdata/targets/relay.target", NULL, NULL);
    return (struct tables){OWN(tasks), OWN(stages), OWN(operands), OWN(buffers), OWN(call_buffers)};
}

static void judge(struct compiled *compiled, const char *why)
{
    struct verify_counts counts;
    require_ok(program_validate(&compiled->program));
    const status failure = program_verify(&compiled->program, compiled->target, &counts);
    if (why == NULL)
        require_ok(failure);
    else
        require_refused(failure, why);
    compiled_free(compiled);
}

// The operand of the first task that reads (or writes) a ring (or what lies outside).
static struct program_operand *find(const struct tables *tables, bool writes, bool ring)
{
    const struct program_task *task = &tables->tasks[0];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        struct program_operand *operand = &tables->operands[task->first_operand + i];
        const bool is_ring = tables->buffers[operand->buffer].kind == PROGRAM_BUFFER_RING;
        if ((operand->writes != 0) == writes && is_ring == ring)
            return operand;
    }
    fail_msg("no such operand");
    return NULL;
}

static struct program_buffer *ring_of(const struct tables *tables)
{
    return &tables->buffers[find(tables, true, true)->buffer];
}

static void it_is_proved(void **state)
{
    (void)state;
    struct compiled compiled;
    const struct tables tables = compile(&compiled);
    assert_true(tables.tasks[0].stage_count == 3);
    judge(&compiled, NULL);
}

static void a_ring_may_be_smaller_than_what_goes_through_it(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    ring_of(&tables)->size = 1;
    judge(&compiled, NULL);
    tables = compile(&compiled);
    ring_of(&tables)->size = 0;
    judge(&compiled, "it is smaller than what it holds");
}

static void stages_are_those_of_the_engine(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    tables.stages[0].engine = tables.stages[1].engine;
    judge(&compiled, "task 0: its stages are not those of its engine");
    tables = compile(&compiled);
    tables.stages[1].engine = tables.stages[2].engine;
    judge(&compiled, "task 0: its stages are not those of its engine");
    tables = compile(&compiled);
    tables.stages[1].engine = 77;
    judge(&compiled, "task 0: the target has no such engine of a stage");
}

static void stages_have_pieces_and_rings(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    tables.stages[1].pieces = 0;
    judge(&compiled, "a stage without pieces");
    tables = compile(&compiled);
    tables.stages[2].ring = tables.stages[1].ring;
    judge(&compiled, "a last one that fills a ring");
    tables = compile(&compiled);
    tables.stages[0].depth = 0;
    judge(&compiled, "a stage fills what is no ring of the task");
    tables = compile(&compiled);
    tables.stages[0].ring = tables.stages[3].ring;
    judge(&compiled, "a stage fills what is no ring of the task");
}

static void a_ring_belongs_to_stages(void **state)
{
    (void)state;
    struct compiled compiled;
    const struct tables tables = compile(&compiled);
    tables.tasks[0].stage_count = 0;
    judge(&compiled, "task 0: a ring of a task without stages");
}

static void a_ring_is_written_as_a_whole(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    find(&tables, true, true)->size[2]--;
    judge(&compiled, "task 0: a ring that is not written as a whole");
    tables = compile(&compiled);
    find(&tables, true, true)->writes = 0;
    judge(&compiled, "task 0: ");
}

static void a_ring_lies_in_the_cores_memory(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    ring_of(&tables)->unit = 3;
    ring_of(&tables)->address = 1 << 15; // where no other core's lie
    judge(&compiled, "task 0: its engine does not reach a ring");
    tables = compile(&compiled);
    ring_of(&tables)->memory = tables.buffers[0].memory;
    ring_of(&tables)->address = 1 << 20;
    judge(&compiled, "task 0: its engine does not reach a ring");
}

// A part of x is brought, but the ring holds another.
static void a_ring_holds_what_is_brought(void **state)
{
    (void)state;
    struct compiled compiled;
    struct tables tables = compile(&compiled);
    ring_of(&tables)->origin[2]++;
    judge(&compiled, "task 0: a kernel reads a ring that no operand fills");
    tables = compile(&compiled);
    find(&tables, false, false)->from[2]++;
    judge(&compiled, "task 0: a kernel reads a ring that no operand fills");
}

static void what_is_written_comes_from_a_ring(void **state)
{
    (void)state;
    struct compiled compiled;
    const struct tables tables = compile(&compiled);
    find(&tables, true, false)->from[2]++;
    judge(&compiled, "task 0: an operand goes through no ring, or through several");
}

static void kernels_work_on_rings(void **state)
{
    (void)state;
    struct compiled compiled;
    const struct tables tables = compile(&compiled);
    assert_int_equal(tables.call_buffers[0], ring_of(&tables) - tables.buffers);
    tables.call_buffers[0] = find(&tables, false, false)->buffer;
    judge(&compiled, "task 0: a kernel of a staged task works on what is no ring of it");
}

static void stages_reach_what_lies_outside(void **state)
{
    (void)state;
    struct compiled compiled;
    const struct tables tables = compile(&compiled);
    // The writer is left out: nobody takes the result away.
    tables.tasks[0].stage_count = 2;
    tables.stages[1].ring = PROGRAM_NONE;
    judge(&compiled, "task 0: no stage of it reaches an operand");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_proved),
        cmocka_unit_test(a_ring_may_be_smaller_than_what_goes_through_it),
        cmocka_unit_test(stages_are_those_of_the_engine),
        cmocka_unit_test(stages_have_pieces_and_rings),
        cmocka_unit_test(a_ring_belongs_to_stages),
        cmocka_unit_test(a_ring_is_written_as_a_whole),
        cmocka_unit_test(a_ring_lies_in_the_cores_memory),
        cmocka_unit_test(a_ring_holds_what_is_brought),
        cmocka_unit_test(what_is_written_comes_from_a_ring),
        cmocka_unit_test(kernels_work_on_rings),
        cmocka_unit_test(stages_reach_what_lies_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
