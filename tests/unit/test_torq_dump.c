// Executable-targets dumps: read against answers worked out by hand, written and
// read again, and refused with the place where something is wrong.

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/torq/dump_ndl.h"
#include "formats/torq/dump_reader.h"
#include "formats/torq/dump_writer.h"
#include "reports/torq/estimate_rows.h"

struct dump {
    struct target *target;
    struct input *input;
    struct program_builder *builder;
    struct program program;
};

static void check_ok(status result)
{
    if (result != STATUS_OK)
        fail_msg("%s", status_message(result));
}

static struct input *open_units(void)
{
    struct input *input;
    check_ok(
        input_open(TEST_ROOT "/tests/testdata/torq_dump/units.9.executable-targets.mlir", &input));
    return input;
}

static struct dump dump_of(struct input *input)
{
    struct dump dump = {.input = input};
    check_ok(target_open("torq-sl2610", &dump.target));
    check_ok(torq_dump_read(input, dump.target, &dump.builder));
    program_builder_view(dump.builder, &dump.program);
    return dump;
}

static void dump_free(struct dump *dump)
{
    program_builder_free(dump->builder);
    target_free(dump->target);
    input_close(dump->input);
}

// The rows under a rule, as the file has them.
static char *rows_of(const struct dump *dump, enum cost_rules rules)
{
    char path[] = "/tmp/opscope-rows-XXXXXX";
    const int file = mkstemp(path);
    struct sim_result *times;
    struct output *output;
    size_t count;
    assert_true(file >= 0);
    check_ok(sim_run(&dump->program, dump->target, rules, &times));
    struct estimate_row *rows = estimate_rows(&dump->program, dump->target, times, rules, &count);
    check_ok(output_open(path, &output));
    estimate_rows_write(&dump->program, rows, count, output);
    check_ok(output_close(output));
    struct input *input;
    check_ok(input_open(path, &input));
    char *text = view_copy(input->bytes);
    input_close(input);
    unlink(path);
    close(file);
    free(rows);
    sim_result_free(times);
    return text;
}

static const char HEADER[] = "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n";

static void real_dump_gives_the_published_timeline(void **state)
{
    (void)state;
    static const char PATH[] =
        TEST_ROOT "/../shared/data/torq/scalar_add.9.executable-targets.mlir";
    struct input *input;
    if (access(PATH, R_OK) != 0)
        skip();
    check_ok(input_open(PATH, &input));
    struct dump dump = dump_of(input);
    char *rows = rows_of(&dump, COST_RULES_PUBLIC);
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%s", HEADER,
             "0,77,0,DMA In,loc(unknown),364\n"
             "1,1,77,DMA In,loc(unknown),2\n"
             "2,2,78,DMA In,loc(unknown),8\n"
             "3,1,80,DMA In,loc(unknown),4\n"
             "4,1,81,DMA In,loc(unknown),4\n"
             "5,40,82,DMA In,loc(unknown),188\n"
             "6,56,122,DMA In,loc(unknown),264\n"
             "9,1,180,DMA Out,loc(unknown),4\n"
             "7,2,178,Slice 0,loc(unknown),\n");
    assert_string_equal(rows, expected);
    assert_int_equal(dump.program.action_count, 5);
    assert_int_equal(dump.program.job_count, 2);
    free(rows);
    dump_free(&dump);
}

// Worked out by hand from the file: a wait takes the last of its engine, a slice and
// the CSS take the controller a cycle, a CDMA counts elements up to the last one.
static void units_by_hand_under_published_rules(void **state)
{
    (void)state;
    struct dump dump = dump_of(open_units());
    char *rows = rows_of(&dump, COST_RULES_PUBLIC);
    char expected[1024];
    snprintf(
        expected, sizeof expected, "%s%s", HEADER,
        "0,22,0,DMA In,\"loc(\"\"units.mlir\"\":3:5)\",100\n"
        "1,11,0,DMA Out,loc(unknown),48\n"
        "6,8,31,CDMA LRAM to DTCM,loc(unknown),42\n"
        "8,2,8039,DMA In,loc(unknown),8\n"
        "9,2,8039,DMA In,loc(unknown),8\n"
        "10,2,8041,CDMA DTCM to LRAM,loc(unknown),9\n"
        "2,12,0,Slice 0,\"loc(callsite(\"\"units.mlir\"\":4:10 at \"\"units.mlir\"\":2:3))\",\n"
        "3,30,1,Slice 1,loc(unknown),\n"
        "7,8000,39,CSS,loc(unknown),\n");
    assert_string_equal(rows, expected);
    free(rows);
    dump_free(&dump);
}

// The host copies code for nothing, and its program takes 8012 cycles; transfers go one after
// the other, and all bytes of a CDMA.
static void units_by_hand_under_best_rules(void **state)
{
    (void)state;
    struct dump dump = dump_of(open_units());
    char *rows = rows_of(&dump, COST_RULES_BEST);
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%s", HEADER,
             "0,22,0,DMA In,\"loc(\"\"units.mlir\"\":3:5)\",100\n"
             "1,11,22,DMA Out,loc(unknown),48\n"
             "6,15,33,CDMA LRAM to DTCM,loc(unknown),84\n"
             "8,2,16060,DMA In,loc(unknown),8\n"
             "9,2,16062,DMA In,loc(unknown),8\n"
             "10,4,16064,CDMA DTCM to LRAM,loc(unknown),20\n"
             "2,12,0,Slice 0,\"loc(callsite(\"\"units.mlir\"\":4:10 at "
             "\"\"units.mlir\"\":2:3))\",\n"
             "3,30,1,Slice 1,loc(unknown),\n"
             "7,8000,48,CSS,loc(unknown),\n");
    assert_string_equal(rows, expected);
    free(rows);
    dump_free(&dump);
}

static void actions_and_jobs_keep_their_numbers(void **state)
{
    (void)state;
    struct dump dump = dump_of(open_units());
    static const uint32_t KINDS[] = {
        PROGRAM_ACTION_ALLOC,     PROGRAM_ACTION_HOST_COPY,  PROGRAM_ACTION_JOB_START,
        PROGRAM_ACTION_JOB_WAIT,  PROGRAM_ACTION_HOST_START, PROGRAM_ACTION_HOST_WAIT,
        PROGRAM_ACTION_JOB_START, PROGRAM_ACTION_JOB_WAIT,   PROGRAM_ACTION_DEALLOC};
    assert_int_equal(dump.program.action_count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(dump.program.actions[i].number, i);
        assert_int_equal(dump.program.actions[i].kind, KINDS[i]);
    }
    assert_int_equal(dump.program.actions[1].bytes, 72);
    assert_int_equal(dump.program.jobs[1].number, 1);
    assert_string_equal(program_text(&dump.program, dump.program.jobs[1].name), "nss_program_1");
    assert_string_equal(program_text(&dump.program, dump.program.dispatches[0].name),
                        "main_dispatch_0_units");
    dump_free(&dump);
}

// Writing ----------------------------------------------------------------------------

static struct input *write_dump(const struct dump *dump, const struct sim_result *times)
{
    char path[] = "/tmp/opscope-dump-XXXXXX";
    const int file = mkstemp(path);
    struct output *output;
    struct input *input;
    assert_true(file >= 0);
    check_ok(output_open(path, &output));
    check_ok(torq_dump_write(&dump->program, dump->target, times, true, output));
    check_ok(output_close(output));
    check_ok(input_open(path, &input));
    unlink(path);
    close(file);
    return input;
}

static void check_equal(const struct dump *a, const struct dump *b)
{
    const struct program *one = &a->program, *two = &b->program;
    assert_int_equal(one->step_count, two->step_count);
    assert_int_equal(one->task_count, two->task_count);
    assert_int_equal(one->job_count, two->job_count);
    assert_int_equal(one->action_count, two->action_count);
    assert_memory_equal(one->steps, two->steps, one->step_count * sizeof *one->steps);
    for (uint32_t i = 0; i < one->task_count; i++) {
        assert_int_equal(one->tasks[i].engine, two->tasks[i].engine);
        assert_int_equal(one->tasks[i].lane, two->tasks[i].lane);
        assert_int_equal(one->tasks[i].job, two->tasks[i].job);
        assert_int_equal(one->tasks[i].cost.bytes, two->tasks[i].cost.bytes);
    }
    for (uint32_t i = 0; i < one->action_count; i++) {
        assert_int_equal(one->actions[i].kind, two->actions[i].kind);
        assert_int_equal(one->actions[i].number, two->actions[i].number);
        assert_int_equal(one->actions[i].bytes, two->actions[i].bytes);
    }
    for (enum cost_rules rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++) {
        char *left = rows_of(a, rules), *right = rows_of(b, rules);
        assert_string_equal(left, right);
        free(left);
        free(right);
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct dump dump = dump_of(open_units());
    struct sim_result *times;
    check_ok(sim_run(&dump.program, dump.target, COST_RULES_BEST, &times));
    struct dump plain = dump_of(write_dump(&dump, NULL));
    struct dump profiled = dump_of(write_dump(&dump, times));
    check_equal(&dump, &plain);
    check_equal(&dump, &profiled);
    const struct view text = profiled.input->bytes;
    assert_true(view_find_text(text, "torq_hw.dispatch_profiling") < text.size);
    assert_true(view_find_text(text, "max_cycle : 12\n") < text.size);
    assert_true(view_find_text(text, "\"torq-async-duration-cycles\" = 8000 : i64") < text.size);
    sim_result_free(times);
    dump_free(&plain);
    dump_free(&profiled);
    dump_free(&dump);
}

// What is wrong ----------------------------------------------------------------------

// The units with one text in place of another.
static void check_refused(const char *from, const char *to, const char *expected)
{
    struct input *units = open_units();
    struct target *target;
    struct program_builder *builder = NULL;
    struct bytes text = {0};
    const struct view bytes = units->bytes;
    const size_t at = view_find_text(bytes, from);
    assert_true(at < bytes.size);
    bytes_append(&text, bytes.data, at);
    bytes_append_format(&text, "%s", to);
    bytes_append(&text, bytes.data + at + strlen(from), bytes.size - at - strlen(from));
    struct input *input = input_over("units", bytes_view(&text));
    check_ok(target_open("torq-sl2610", &target));
    const status failure = torq_dump_read(input, target, &builder);
    if (failure == STATUS_OK || strstr(status_message(failure), expected) == NULL)
        fail_msg("'%s' instead of '%s'", failure != STATUS_OK ? status_message(failure) : "done",
                 expected);
    status_free(failure);
    input_close(input);
    bytes_free(&text);
    target_free(target);
    input_close(units);
}

static void refuses_what_it_does_not_know(void **state)
{
    (void)state;
    check_refused("torq_hw.dma_out_wait\n", "torq_hw.dma_sideways\n",
                  "units:89:15: torq_hw.dma_sideways is not known inside an nss_task");
    check_refused("torq_hw.dma_in_start loc(", "torq_hw.dma_out_start loc(",
                  "torq_hw.dma_out_start starts what was not set up");
    check_refused("torq_hw.dma_in_wait\n", "torq_hw.css_wait\n",
                  "torq_hw.css_wait waits for what was never started");
    check_refused("id = 1 : index", "id = 2 : index",
                  "starts a slice that the target does not have");
    check_refused("to ^bb1 {", "to ^bb0 {", "torq_hl.next leads back");
    check_refused("to ^bb1 {", "to ^bb7 {", "torq_hl.next leads to a block that is not there");
    check_refused("args(%0, %2, %alloc,", "args(%alloc,", "gives too few arguments");
    check_refused(
        "\"torq-task-id\" = 3 :", "\"torq-task-id\" = -3 :", "'torq-task-id' is no number");
    check_refused("write_ndl = #torq_hw<dma_ndl{dims = [[10, 1]",
                  "write_ndl = #torq_hw<dma_ndl{dims = [[x, 1]", "needs a write_ndl of counts");
    check_refused("[[10, 1], [10, 10]]", "[[1099511627776, 1], [2, 1]]",
                  "needs a write_ndl of counts");
    check_refused("max_cycle : 30", "max_cycle : 2000000000000", "needs memory, memory_info and");
    check_refused("%2 : memref<6x7xi16, #torq_hl<enc mem_space = dtcm>> {dest",
                  "%2 : memref<6x7xi16, #torq_hl<enc mem_space = tape>> {dest",
                  "torq_hw.cdma_start uses a memory that the target does not have");
    check_refused("torq_hl.wait_program %invocation :", "torq_hl.wait_program %nothing :",
                  "needs an invocation");
    check_refused("torq_hl.host_copy %0", "torq_hl.host_jump %0", "is an action that is not known");
}

// Every cut of the text is refused or read; nothing breaks.
static void cut_texts_do_no_harm(void **state)
{
    (void)state;
    struct input *units = open_units();
    struct target *target;
    check_ok(target_open("torq-sl2610", &target));
    for (size_t size = 0; size < units->bytes.size; size += 97) {
        char *copy = malloc(size + 1);
        struct program_builder *builder = NULL;
        memcpy(copy, units->bytes.data, size);
        struct input *input = input_over("cut", (struct view){copy, size});
        const status failure = torq_dump_read(input, target, &builder);
        if (failure == STATUS_OK)
            program_builder_free(builder);
        status_free(failure);
        input_close(input);
        free(copy);
    }
    target_free(target);
    input_close(units);
}

static void loops_multiply_as_published(void **state)
{
    (void)state;
    uint64_t cycles[DUMP_NDLS], bytes;
    // Memory loops of a name are added, of register loops the last counts.
    assert_true(dump_ndl_cycles(
        VIEW_LITERAL("[{DEDR dims = [ B(L) [4, #map],  G(H) [2, #map],  A(H) [3, #map]]}, {DEDR "
                     "dims = [ A(H) [5, #map]]}] [{CEPR dims = [ T(H) [9, 0]]}, {CEPR dims = [ "
                     "T(H) [8, 0]]}, {ACBW}]"),
        cycles));
    assert_int_equal(cycles[DUMP_DEDR], 11);
    assert_int_equal(cycles[DUMP_CEPR], 8);
    assert_int_equal(cycles[DUMP_ACBW], 1);
    assert_int_equal(cycles[DUMP_DEWR], 0);
    assert_int_equal(dump_ndl_longest(cycles), 11);
    assert_false(dump_ndl_cycles(VIEW_LITERAL("{DEDR dims = [ A(H) [x, 1]]}"), cycles));
    assert_false(dump_ndl_cycles(VIEW_LITERAL("{DEDR dims = [ A(H) [5, 1]"), cycles));
    assert_false(dump_ndl_cycles(
        VIEW_LITERAL("{DEDR dims = [ A(H) [1000000, 1], A(H) [100000000, 1]]}"), cycles));
    assert_true(
        dump_ndl_bytes(VIEW_LITERAL("#torq_hw<dma_ndl{dims = [[8, 1], [3, 64]]}>"), &bytes));
    assert_int_equal(bytes, 24);
    assert_false(dump_ndl_bytes(VIEW_LITERAL("#torq_hw<dma_ndl{}>"), &bytes));
    assert_false(dump_ndl_bytes(VIEW_LITERAL("#torq_hw<dma_ndl{dims = [[8, 1]"), &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_dump_gives_the_published_timeline),
        cmocka_unit_test(units_by_hand_under_published_rules),
        cmocka_unit_test(units_by_hand_under_best_rules),
        cmocka_unit_test(actions_and_jobs_keep_their_numbers),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(cut_texts_do_no_harm),
        cmocka_unit_test(loops_multiply_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
