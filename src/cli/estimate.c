// `opscope estimate FILE`: the modelled time of a dump or a compiled program.

#include <inttypes.h>
#include <stdio.h>

#include "analysis/modelled.h"
#include "base/figures.h"
#include "base/path.h"
#include "calibrated.h"
#include "commands.h"
#include "formats/torq/dump_reader.h"
#include "paths.h"
#include "reports/torq/estimate.h"
#include "reports/torq/estimate_table.h"
#include "table_options.h"
#include "torq_hw.h"
#include "units.h"

enum { ROWS_SHOWN = 60 };

struct estimating {
    struct estimate estimate;
    struct target *target;
    struct input *input;             // of a dump
    struct program_builder *builder; // of a dump
    struct program *opened;          // of a compiled program
    struct program program;
};

// The target -------------------------------------------------------------------------

static status cli_estimate_choose_target(const struct arguments *arguments,
                                         struct estimating *estimating, struct view text)
{
    const char *name = arguments_value(arguments, "target");
    const char *hardware = arguments_value(arguments, "torq-hw");
    if (name == NULL && text.size > 0)
        STATUS_TRY(target_parse(estimating->estimate.path, text, &estimating->target));
    else
        STATUS_TRY(status_within(
            target_open(name != NULL ? name : "torq-sl2610", &estimating->target), "estimate"));
    return hardware != NULL ? torq_hw_apply(estimating->target, hardware) : STATUS_OK;
}

// The program ------------------------------------------------------------------------

static status cli_estimate_read_program(const struct arguments *arguments,
                                        struct estimating *estimating)
{
    STATUS_TRY(input_open(estimating->estimate.path, &estimating->input));
    const struct view bytes = estimating->input->bytes;
    if (torq_dump_recognise(bytes)) {
        STATUS_TRY(cli_estimate_choose_target(arguments, estimating, (struct view){"", 0}));
        STATUS_TRY(torq_dump_read(estimating->input, estimating->target, &estimating->builder));
        program_builder_view(estimating->builder, &estimating->program);
        return STATUS_OK;
    }
    if (view_has_extension(view_of(estimating->estimate.path), ".mlir") || bytes.size == 0)
        return status_make(STATUS_DATA,
                           "%s: is no dump of executable targets; to compile a network: opscope "
                           "compile",
                           estimating->estimate.path);
    STATUS_TRY(program_open(estimating->estimate.path, &estimating->opened));
    estimating->program = *estimating->opened;
    return cli_estimate_choose_target(arguments, estimating, estimating->opened->target_text);
}

static void estimating_free(struct estimating *estimating)
{
    estimate_free(&estimating->estimate);
    program_builder_free(estimating->builder);
    program_free(estimating->opened);
    target_free(estimating->target);
    if (estimating->input != NULL)
        input_close(estimating->input);
}

// Output -----------------------------------------------------------------------------

static void cli_estimate_print_summary(const struct estimate *estimate)
{
    char time[FIGURES_ROOM], tasks[FIGURES_ROOM];
    struct modelled *modelled =
        modelled_create(estimate->program, estimate->target, estimate->times);
    printf("%s for %s, %s rules\n", path_base_name(estimate->path), estimate->target->name,
           estimate_rules_name(estimate));
    printf("  modelled  %s  (%" PRIu64 " cycles at %g MHz)",
           figures_time(estimate->times->end, estimate->target->clock, time), estimate->times->end,
           (double)estimate->target->clock / 1e6);
    for (int i = 0; i < MODELLED_KINDS && estimate->times->end > 0; i++) {
        if (modelled->busy[i] > 0)
            printf("  %s %.0f %%", modelled_kind_name((enum modelled_kind)i),
                   100.0 * (double)modelled->busy[i] / (double)estimate->times->end);
    }
    if (modelled->link > 0)
        printf("  link %.0f %%", 100.0 * (double)modelled->link / (double)estimate->times->end);
    printf("\n");
    calibrated_print(estimate->target, "  remark    ");
    printf("  %" PRIu32 " dispatch%s, %" PRIu32 " job%s, %s task%s\n",
           estimate->program->dispatch_count, estimate->program->dispatch_count == 1 ? "" : "es",
           estimate->program->job_count, estimate->program->job_count == 1 ? "" : "s",
           figures_count(estimate->program->task_count, tasks),
           estimate->program->task_count == 1 ? "" : "s");
    modelled_free(modelled);
}

static void print_rows(const struct estimate *estimate, struct table *rows)
{
    if (estimate->row_count == 0)
        return;
    printf("\n");
    table_options_print(rows, stdout);
    if (table_count(rows) < estimate->row_count)
        printf("  %zu more: --top 0; -o FILE.csv, FILE.pb or FILE.json writes all\n",
               estimate->row_count - table_count(rows));
}

// On the standard output: the rows alone, or all of it.
static status cli_estimate_show_rows(struct estimate *estimate, const struct table_options *options,
                                     bool with_rows)
{
    const bool text = !options->json && !options->csv;
    if (text)
        estimate_rows_sort(estimate);
    struct table *rows = table_create(&ESTIMATE_FORM, estimate, estimate->row_count);
    status result = table_options_apply(options, &rows, 1);
    if (result == STATUS_OK && options->json)
        result = estimate_write_json(estimate, rows, "-");
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(rows);
    if (result == STATUS_OK && text) {
        cli_estimate_print_summary(estimate);
        if (with_rows)
            print_rows(estimate, rows);
    }
    table_free(rows);
    return result;
}

static status choose_form(const struct arguments *arguments, const char *output,
                          const struct estimate_form **out_form)
{
    const char *given = arguments_value(arguments, "to");
    if (output == NULL && given != NULL)
        return status_make(STATUS_USAGE, "estimate: --to %s: say where it goes: -o FILE", given);
    if (output == NULL)
        return STATUS_OK;
    *out_form = estimate_form_find(given, output);
    if (*out_form != NULL)
        return STATUS_OK;
    if (given != NULL)
        return status_make(STATUS_USAGE,
                           "estimate: --to %s: expected torq-c1, torq-c2, torq-c4, torq-dump, "
                           "perfetto, profile or json",
                           given);
    return status_make(STATUS_USAGE,
                       "estimate: cannot tell the format from '%s': end it in .csv, .pb, .json or "
                       ".prof, or give --to",
                       output);
}

static status estimate_run(const struct arguments *arguments, struct estimating *estimating)
{
    struct estimate *estimate = &estimating->estimate;
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    const char *output = arguments_value(arguments, "output");
    const char *hardware = arguments_value(arguments, "torq-hw");
    const struct estimate_form *form = NULL;
    struct table_options options;
    if (hardware != NULL && strcmp(hardware, "list") == 0) {
        torq_hw_list();
        return STATUS_OK;
    }
    if (count != 1)
        return status_make(STATUS_USAGE, "estimate: give one dump or program: opscope estimate "
                                         "add.9.executable-targets.mlir");
    estimate->path = words[0];
    STATUS_TRY(table_options_read(arguments, ROWS_SHOWN, &options));
    STATUS_TRY(units_rules(arguments, "torq-rules", &estimate->rules));
    STATUS_TRY(choose_form(arguments, output, &form));
    if (output != NULL)
        STATUS_TRY(paths_check("estimate", output, words, 1));
    STATUS_TRY(cli_estimate_read_program(arguments, estimating));
    estimate->program = &estimating->program;
    estimate->target = estimating->target;
    STATUS_TRY(estimate_compute(estimate));
    if (output != NULL)
        STATUS_TRY(estimate_write(estimate, form, output));
    if (output != NULL && strcmp(output, "-") == 0)
        return STATUS_OK;
    return cli_estimate_show_rows(estimate, &options, output == NULL);
}

static status estimate_command(const struct arguments *arguments, int *out_exit)
{
    struct estimating estimating = {0};
    (void)out_exit;
    const status result = estimate_run(arguments, &estimating);
    estimating_free(&estimating);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE",
     "the timeline: .csv, .pb, .json or .prof; or a dump with times: .mlir"},
    {"to", 0, OPTION_ONE, "FORM",
     "torq-c1, torq-c2, torq-c4 (what .csv means), torq-dump, perfetto, profile or json"},
    {"torq-rules", 0, OPTION_ONE, "best|public",
     "how tasks are priced (best); public: to the cycle as published"},
    {"torq-hw", 0, OPTION_ONE, "HW", "other hardware, as torq-compile takes it; list shows it"},
    {"target", 't', OPTION_ONE, "NAME", "of a dump: torq-sl2610; of a program: its own"},
    TABLE_OPTIONS("all of it as JSON on the standard output", "the rows as CSV",
                  "how many rows to show (60; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&ESTIMATE_FORM, NULL};

const struct command COMMAND_ESTIMATE = {
    .name = "estimate",
    .usage = "FILE [--torq-rules=public] [-o trace.csv]",
    .summary = "model the time of Torq's executable-targets dump, or of a program",
    .details =
        "FILE is NAME.9.executable-targets.mlir of torq-compile, Synaptics' own or ours, or\n"
        "a program of 'opscope compile'. Times are cycles of the target's clock, also in the\n"
        "columns that Torq's CSV heads with (us).",
    .examples = "  opscope estimate add.9.executable-targets.mlir --torq-rules=public\n"
                "  opscope estimate add.9.executable-targets.mlir -o trace.csv\n"
                "  opscope estimate model.opx -o trace.pb",
    .options = OPTIONS,
    .tables = TABLES,
    .run = estimate_command,
};
