// How well the target `host` foretells this machine: modelled against measured
// time of every group of operators.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "calibrated.h"
#include "commands.h"
#include "compiler/compiler.h"
#include "device/host.h"
#include "device/sim.h"
#include "network_input.h"
#include "reports/score.h"
#include "table_options.h"

enum { ITERATIONS = 10, ROWS = 10 };

struct scoring {
    const struct arguments *arguments;
    struct target *target;
    unsigned iterations;
    unsigned threads;
    struct table_options options;
    struct output *output;    // of JSON and CSV
    struct json_writer *json; // the same
    size_t shown;             // networks so far
};

// A network compiled for the target, with the nanoseconds of every task.
struct compiled {
    struct plan *plan;
    struct program_builder *builder;
    struct program program;
    double *modelled;
    double *measured;
};

// Modelling ----------------------------------------------------------------------------

static void compiled_free(struct compiled *compiled)
{
    program_builder_free(compiled->builder);
    plan_free(compiled->plan);
    free(compiled->modelled);
    free(compiled->measured);
}

static status model(const struct scoring *scoring, struct network *network,
                    struct compiled *compiled)
{
    const struct compile_options options = {0};
    compiled->plan = plan_create(network, scoring->target);
    compiled->builder =
        program_builder_create(scoring->target->text, view_of(network->source->path));
    STATUS_TRY(compile_network(compiled->plan, &options, compiled->builder));
    program_builder_view(compiled->builder, &compiled->program);
    const size_t tasks = compiled->program.task_count;
    compiled->modelled = memory_allocate_zeroed(tasks + 1, sizeof *compiled->modelled);
    compiled->measured = memory_allocate_zeroed(tasks + 1, sizeof *compiled->measured);
    struct sim_result *result;
    STATUS_TRY(sim_run(&compiled->program, scoring->target, COST_RULES_BEST, &result));
    for (size_t i = 0; i < tasks; i++)
        compiled->modelled[i] = (double)(result->tasks[i].end - result->tasks[i].start) * 1e9 /
                                (double)scoring->target->clock;
    sim_result_free(result);
    return STATUS_OK;
}

// Measuring ----------------------------------------------------------------------------

static status cli_score_measure(const struct scoring *scoring, struct compiled *compiled)
{
    const struct host_options options = {.threads = scoring->threads, .trusted = true};
    struct host_device *device;
    STATUS_TRY(host_device_create(&compiled->program, scoring->target, &options, &device));
    const struct network *network = host_device_network(device);
    const uint32_t count = network_graph(network, 0)->input_count;
    struct datum **inputs = memory_allocate_zeroed((size_t)count + 1, sizeof *inputs);
    status failure = network_input_read(network, NULL, 0, 0, inputs);
    if (failure == STATUS_OK)
        failure = host_device_least_times(device, inputs, scoring->iterations, compiled->measured);
    for (uint32_t i = 0; i < count; i++)
        datum_release(inputs[i]);
    free(inputs);
    host_device_free(device);
    return failure;
}

// Printing -----------------------------------------------------------------------------

static void cli_score_print_text(const struct score_report *report, struct table *table)
{
    const struct score *score = report->score;
    printf(
        "%s\n  measured %.3f ms, modelled %.3f ms (%+.1f %%); over %zu operators of at least 1 %%: "
        "MAPE %.1f %%, Spearman %.3f\n",
        report->path, score->measured * 1e-6, score->modelled * 1e-6,
        100 * score_error(score->modelled, score->measured), score->large, 100 * score->mape,
        score->spearman);
    table_options_print(table, stdout);
}

static void cli_score_write_json(struct json_writer *json, const struct target *target,
                                 const struct score_report *report, struct table *table)
{
    const struct score *score = report->score;
    json_open_object(json, NULL);
    json_text(json, "network", view_of(report->path));
    json_real(json, "measured_ms", score->measured * 1e-6);
    json_real(json, "modelled_ms", score->modelled * 1e-6);
    calibrated_json(json, target);
    json_real(json, "error", score_error(score->modelled, score->measured));
    json_real(json, "mape", score->mape);
    json_real(json, "spearman", score->spearman);
    json_uint(json, "large_operators", score->large);
    table_json_rows(table, json, "operators");
    json_close(json);
}

// As text, the slowest of those that count, unless more is asked for.
static status cli_score_show(struct scoring *scoring, const struct score_report *report)
{
    const struct score *score = report->score;
    struct table_options options = scoring->options;
    const bool all = options.json || options.csv || arguments_flag(scoring->arguments, "all");
    struct table *table =
        table_create(&SCORE_FORM, report, all || options.has_top ? score->count : score->large);
    if (all && !options.has_top)
        options.top = 0;
    const status result = table_options_apply(&options, &table, 1);
    if (result == STATUS_OK && options.json)
        cli_score_write_json(scoring->json, scoring->target, report, table);
    if (result == STATUS_OK && options.csv) {
        if (scoring->shown == 0)
            table_csv_head(table, scoring->output);
        table_csv_rows(table, scoring->output);
    }
    if (result == STATUS_OK && !options.json && !options.csv)
        cli_score_print_text(report, table);
    scoring->shown++;
    table_free(table);
    return result;
}

// Running ------------------------------------------------------------------------------

static status score_network(struct scoring *scoring, struct network *network, const char *path)
{
    struct compiled compiled = {0};
    struct score score = {0};
    status failure = model(scoring, network, &compiled);
    if (failure == STATUS_OK)
        failure = cli_score_measure(scoring, &compiled);
    if (failure == STATUS_OK) {
        score_compare(&compiled.program, compiled.measured, compiled.modelled, &score);
        failure = cli_score_show(scoring, &(struct score_report){path, &score});
    }
    score_free(&score);
    compiled_free(&compiled);
    return failure;
}

static status score_paths(struct scoring *scoring)
{
    size_t count;
    const char *const *paths = arguments_words(scoring->arguments, &count);
    for (size_t i = 0; i < count; i++) {
        struct network *network;
        STATUS_TRY(network_open(paths[i], NULL, &network));
        const status failure = score_network(scoring, network, paths[i]);
        network_free(network);
        STATUS_TRY(failure);
    }
    return STATUS_OK;
}

static status score_files(struct scoring *scoring)
{
    if (!scoring->options.json && !scoring->options.csv)
        return score_paths(scoring);
    STATUS_TRY(output_open("-", &scoring->output));
    struct json_writer json = json_write(scoring->output);
    scoring->json = &json;
    if (scoring->options.json)
        json_open_array(&json, NULL);
    const status failure = score_paths(scoring);
    if (scoring->options.json)
        json_close(&json);
    return output_finish(scoring->output, failure);
}

// Before anything is measured.
static status cli_score_check_columns(const struct table_options *options)
{
    struct table *table = table_create(&SCORE_FORM, NULL, 0);
    const status result = table_options_check(options, &table, 1);
    table_free(table);
    return result;
}

static status score_command(const struct arguments *arguments, int *out_exit)
{
    (void)out_exit;
    struct scoring scoring = {.arguments = arguments};
    const char *target = arguments_value(arguments, "target");
    size_t count;
    arguments_words(arguments, &count);
    if (count == 0)
        return status_make(STATUS_USAGE, "score: give a network");
    STATUS_TRY(table_options_read(arguments, ROWS, &scoring.options));
    STATUS_TRY(cli_score_check_columns(&scoring.options));
    STATUS_TRY(arguments_number(arguments, "iterations", ITERATIONS, &scoring.iterations));
    STATUS_TRY(arguments_number(arguments, "threads", 0, &scoring.threads));
    STATUS_TRY(target_open(target != NULL ? target : "host", &scoring.target));
    status failure = STATUS_OK;
    if (!target_is_processor(scoring.target))
        failure = status_make(STATUS_USAGE, "score: target %s is not this machine's processor",
                              scoring.target->name);
    else {
        if (!scoring.options.json && !scoring.options.csv)
            calibrated_print(scoring.target, "modelled times: ");
        failure = score_files(&scoring);
    }
    target_free(scoring.target);
    return failure;
}

static const struct option OPTIONS[] = {
    {"target", 0, OPTION_ONE, "NAME", "as calibrate wrote it (host)"},
    {"iterations", 'n', OPTION_ONE, "N", "runs, of which the fastest of each operator counts (10)"},
    {"threads", 0, OPTION_ONE, "N", "threads (one for each CPU); the same as for calibrate"},
    {"all", 0, OPTION_FLAG, NULL, "every operator, not the slowest alone"},
    TABLE_OPTIONS("as JSON", "a row for each operator of each network",
                  "how many operators (10 of at least 1 %; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&SCORE_FORM, NULL};

const struct command COMMAND_SCORE = {
    .name = "score",
    .usage = "MODEL...",
    .summary = "compare modelled with measured times of operators on this machine",
    .details =
        "Estimates each operator for the target 'host', runs the network here, and says how\n"
        "far apart they are. Run 'opscope calibrate' before.",
    .examples = "  opscope score model.onnx\n"
                "  opscope score --target ./here.target a.onnx b.onnx --csv",
    .options = OPTIONS,
    .tables = TABLES,
    .run = score_command,
};
