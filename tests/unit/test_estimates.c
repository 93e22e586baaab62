// Estimates of every network at hand: between what physics allows and what makes
// sense, never worse for a faster machine, and always the same.

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiled_support.h"
#include "compiler/warnings.h"
#include "program/tables.h"

static struct sim_result *evaluate(const struct compiled *compiled, const struct target *target,
                                   enum cost_rules rules)
{
    struct sim_result *result;
    require(sim_run(&compiled->program, target, rules, &result), compiled->path);
    return result;
}

static uint64_t end_of(const struct compiled *compiled, const struct target *target,
                       enum cost_rules rules)
{
    struct sim_result *result = evaluate(compiled, target, rules);
    const uint64_t end = result->end;
    sim_result_free(result);
    return end;
}

// Bounds ----------------------------------------------------------------------------

enum { FACTOR_MOST = 20, MACS_OF_NOTE = 10000000 };

static double peak(const struct target *target, const char *engine, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", engine, key);
    const double rate = target_number(target, name, 0);
    assert_true(rate > 0);
    return rate;
}

// What the engines do in a program.
struct sums {
    bool slice, css, host; // have work
    double macs;           // of the network's operators
    double far_bytes;      // through the DMA
};

static struct sums sum_up(const struct compiled *compiled)
{
    struct sums sums = {0};
    for (uint32_t i = 0; i < compiled->program.operator_count; i++) {
        const struct program_operator *op = &compiled->program.operators[i];
        if (op->group != PROGRAM_NONE)
            sums.macs += (double)op->work.macs;
    }
    for (uint32_t i = 0; i < compiled->program.task_count; i++) {
        const struct program_task *task = &compiled->program.tasks[i];
        const char *engine = compiled->target->engines[task->engine].name;
        sums.slice |= strcmp(engine, "slice") == 0;
        sums.css |= strcmp(engine, "css") == 0;
        sums.host |= strcmp(engine, "host") == 0;
        if (strcmp(engine, "dma_in") == 0 || strcmp(engine, "dma_out") == 0)
            sums.far_bytes += (double)task->cost.bytes;
    }
    return sums;
}

enum { SLICE_MACS_A_CYCLE = 64 * 4 };

// Cycles that the engines that are used need at their peak, all at once.
static double bound_of(const struct compiled *compiled, const struct sums *sums)
{
    const struct target *target = compiled->target;
    double macs_a_cycle = 0;
    if (sums->slice)
        macs_a_cycle +=
            target->engines[target_engine_named(target, "slice")].count * SLICE_MACS_A_CYCLE;
    if (sums->host)
        macs_a_cycle += peak(target, "host", "macs_per_cycle");
    if (sums->css)
        macs_a_cycle += peak(target, "css", "steps_per_cycle");
    const double compute = macs_a_cycle > 0 ? sums->macs / macs_a_cycle : 0;
    const double move = sums->far_bytes / peak(target, "dma_in", "bytes_per_cycle");
    return compute > move ? compute : move;
}

static void check_bounds(const char *path)
{
    struct compiled compiled = compile(path);
    const struct sums sums = sum_up(&compiled);
    const double bound = bound_of(&compiled, &sums);
    struct sim_result *result = evaluate(&compiled, compiled.target, COST_RULES_BEST);
    if ((double)result->end < bound)
        fail_msg("%s: %" PRIu64 " cycles are less than the %.0f that it needs", path, result->end,
                 bound);
    if (sums.macs > MACS_OF_NOTE && (double)result->end > FACTOR_MOST * bound) {
        warnings_find(compiled.plan, &compiled.program, result);
        if (compiled.plan->warning_count == 0)
            fail_msg("%s: %" PRIu64 " cycles, more than %d times %.0f, and no reason", path,
                     result->end, FACTOR_MOST, bound);
    }
    sim_result_free(result);
    compiled_free(&compiled);
}

static void estimates_are_possible_and_plausible(void **state)
{
    (void)state;
    for_each_network(check_bounds);
}

// Faster machines ----------------------------------------------------------------------

static bool is_rate(const char *name)
{
    return strstr(name, "per_cycle") != NULL || strstr(name, ".bandwidth") != NULL ||
           strstr(name, ".efficiency") != NULL || strstr(name, ".mtu") != NULL;
}

static struct target *with_double(const struct target_setting *setting)
{
    char value[64];
    struct target *target = open_target();
    double number = 2 * setting->number;
    if (number > 1 && view_ends_with(view_of(setting->name), ".efficiency"))
        number = 1; // all that there is
    snprintf(value, sizeof value, "%.17g", number);
    require(target_set(target, setting->name, value), setting->name);
    return target;
}

// The targets with each rate doubled, made once.
static struct target *faster[64];
static size_t faster_count;
static size_t gains; // pairs of network and rate that made a difference

static void check_faster(const char *path)
{
    struct compiled compiled = compile(path);
    const uint64_t best = end_of(&compiled, compiled.target, COST_RULES_BEST);
    const uint64_t published = end_of(&compiled, compiled.target, COST_RULES_PUBLIC);
    for (size_t i = 0; i < faster_count; i++) {
        gains += end_of(&compiled, faster[i], COST_RULES_BEST) < best;
        if (end_of(&compiled, faster[i], COST_RULES_BEST) > best ||
            end_of(&compiled, faster[i], COST_RULES_PUBLIC) > published)
            fail_msg("%s is slower on a faster %s (rate %zu)", path, target_name, i);
    }
    compiled_free(&compiled);
}

static void check_rates(size_t least)
{
    struct target *target = open_target();
    faster_count = 0;
    gains = 0;
    for (uint32_t i = 0; i < target->setting_count; i++) {
        if (is_rate(target->settings[i].name))
            faster[faster_count++] = with_double(&target->settings[i]);
    }
    assert_true(faster_count >= least);
    for_each_network(check_faster);
    assert_true(gains > 0);
    for (size_t i = 0; i < faster_count; i++)
        target_free(faster[i]);
    target_free(target);
}

static void a_faster_accelerator_is_never_slower(void **state)
{
    (void)state;
    check_rates(12);
}

static void a_faster_processor_is_never_slower(void **state)
{
    (void)state;
    target_name = TEST_ROOT "/targets/host.target"; // not one that was measured here
    check_rates(10);
    target_name = "torq-sl2610";
}

// Twice the same --------------------------------------------------------------------------

static void check_same(const char *path)
{
    struct compiled one = compile(path);
    struct compiled two = compile(path);
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++) {
        const struct program_table *table = &PROGRAM_TABLES[i];
        const uint32_t count = program_table_size(&one.program, table);
        assert_int_equal(program_table_size(&two.program, table), count);
        if (count > 0 &&
            memcmp(program_table_items(&one.program, table),
                   program_table_items(&two.program, table), (size_t)count * table->item_size) != 0)
            fail_msg("%s: the %s differ between two runs", path, table->name);
    }
    assert_int_equal(end_of(&one, one.target, COST_RULES_BEST),
                     end_of(&two, two.target, COST_RULES_BEST));
    compiled_free(&one);
    compiled_free(&two);
}

static void the_same_network_gives_the_same_program(void **state)
{
    (void)state;
    for_each_network(check_same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_possible_and_plausible),
        cmocka_unit_test(a_faster_accelerator_is_never_slower),
        cmocka_unit_test(a_faster_processor_is_never_slower),
        cmocka_unit_test(the_same_network_gives_the_same_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
