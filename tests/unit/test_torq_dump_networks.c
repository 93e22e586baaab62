// The program of every network at hand, written as a dump and read again: the same
// steps, tasks, jobs, actions and times, under either rules, with and without profiling.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compiled_support.h"
#include "device/sim.h"
#include "formats/torq/dump_reader.h"
#include "formats/torq/dump_writer.h"

static struct input *write_dump(const struct compiled *compiled, const struct sim_result *times)
{
    char path[] = "/tmp/opscope-dump-XXXXXX";
    const int file = mkstemp(path);
    struct output *output;
    struct input *input;
    assert_true(file >= 0);
    require(output_open(path, &output), path);
    require(torq_dump_write(&compiled->program, compiled->target, times, times != NULL, output),
            compiled->path);
    require(output_close(output), path);
    require(input_open(path, &input), path);
    unlink(path);
    close(file);
    return input;
}

static void same(const char *path, const char *what, uint32_t index, uint64_t a, uint64_t b)
{
    if (a != b)
        fail_msg("%s: %s %u is %llu and, read again, %llu", path, what, index,
                 (unsigned long long)a, (unsigned long long)b);
}

static void same_text(const char *path, const struct program *a, uint32_t left,
                      const struct program *b, uint32_t right)
{
    if (strcmp(program_text(a, left), program_text(b, right)) != 0)
        fail_msg("%s: '%s' is '%s'", path, program_text(a, left), program_text(b, right));
}

// Tasks by the steps that start them or wait for them.
static void same_steps(const char *path, const struct program *a, const struct program *b)
{
    same(path, "steps", 0, a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) {
        const struct program_step *left = &a->steps[i], *right = &b->steps[i];
        const struct program_task *one = &a->tasks[left->task], *two = &b->tasks[right->task];
        same(path, "kind of step", i, left->kind, right->kind);
        same(path, "number of step", i, left->number, right->number);
        same(path, "block of step", i, left->block, right->block);
        same(path, "engine of step", i, one->engine, two->engine);
        same(path, "lane of step", i, one->lane, two->lane);
        same(path, "kind of task of step", i, one->kind, two->kind);
        if (one->kind == PROGRAM_TASK_TRANSFER)
            same(path, "bytes of step", i, one->cost.bytes, two->cost.bytes);
    }
}

static void same_actions(const char *path, const struct program *a, const struct program *b)
{
    same(path, "dispatches", 0, a->dispatch_count, b->dispatch_count);
    for (uint32_t i = 0; i < a->dispatch_count; i++) {
        same_text(path, a, a->dispatches[i].name, b, b->dispatches[i].name);
        same(path, "actions of dispatch", i, a->dispatches[i].action_count,
             b->dispatches[i].action_count);
    }
    same(path, "jobs", 0, a->job_count, b->job_count);
    for (uint32_t i = 0; i < a->job_count; i++) {
        same_text(path, a, a->jobs[i].name, b, b->jobs[i].name);
        same(path, "number of job", i, a->jobs[i].number, b->jobs[i].number);
        same(path, "steps of job", i, a->jobs[i].step_count, b->jobs[i].step_count);
        same(path, "dispatch of job", i, a->jobs[i].dispatch, b->jobs[i].dispatch);
    }
    same(path, "actions", 0, a->action_count, b->action_count);
    for (uint32_t i = 0; i < a->action_count; i++) {
        same(path, "kind of action", i, a->actions[i].kind, b->actions[i].kind);
        same(path, "number of action", i, a->actions[i].number, b->actions[i].number);
    }
}

static void same_times(const char *path, const struct target *target, enum cost_rules rules,
                       const struct program *a, const struct program *b)
{
    struct sim_result *left, *right;
    require(sim_run(a, target, rules, &left), path);
    require(sim_run(b, target, rules, &right), path);
    same(path, "end of rules", rules, left->end, right->end);
    for (uint32_t i = 0; i < a->step_count; i++) {
        const uint32_t one = a->steps[i].task, two = b->steps[i].task;
        same(path, "start of step", i, left->steps[i].start, right->steps[i].start);
        same(path, "end of step", i, left->steps[i].end, right->steps[i].end);
        same(path, "start of task of step", i, left->tasks[one].start, right->tasks[two].start);
        same(path, "end of task of step", i, left->tasks[one].end, right->tasks[two].end);
    }
    for (uint32_t i = 0; i < a->action_count; i++) {
        same(path, "start of action", i, left->actions[i].start, right->actions[i].start);
        same(path, "end of action", i, left->actions[i].end, right->actions[i].end);
    }
    sim_result_free(left);
    sim_result_free(right);
}

static void check_again(const struct compiled *compiled, const struct sim_result *times)
{
    struct input *input = write_dump(compiled, times);
    struct program_builder *builder;
    struct program again;
    require(torq_dump_read(input, compiled->target, &builder), compiled->path);
    program_builder_view(builder, &again);
    same_steps(compiled->path, &compiled->program, &again);
    same_actions(compiled->path, &compiled->program, &again);
    for (enum cost_rules rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++)
        same_times(compiled->path, compiled->target, rules, &compiled->program, &again);
    program_builder_free(builder);
    input_close(input);
}

static void check_network(const char *path)
{
    struct compiled compiled = compile(path);
    struct sim_result *times;
    require(sim_run(&compiled.program, compiled.target, COST_RULES_BEST, &times), path);
    check_again(&compiled, NULL);
    check_again(&compiled, times);
    sim_result_free(times);
    compiled_free(&compiled);
}

static void dumps_of_networks_read_back(void **state)
{
    (void)state;
    for_each_network(check_network);
}

// Only Torq has this form.
static void other_targets_are_refused(void **state)
{
    (void)state;
    target_name = TEST_ROOT "/targets/host.target";
    struct compiled compiled = compile(TEST_ROOT "/tests/testdata/tosa_ops/add.mlir");
    struct output *output;
    require(output_open("/dev/null", &output), "/dev/null");
    const status failure = torq_dump_write(&compiled.program, compiled.target, NULL, false, output);
    assert_int_equal(status_code_of(failure), STATUS_UNSUPPORTED);
    status_free(failure);
    require(output_close(output), "/dev/null");
    compiled_free(&compiled);
    target_name = "torq-sl2610";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dumps_of_networks_read_back),
        cmocka_unit_test(other_targets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
