// `opscope estimate FILE`: the modelled time of a dump or a compiled program.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/modelled.h"
#include "base/figures.h"
#include "commands.h"
#include "formats/torq/dump_reader.h"
#include "formats/torq/dump_writer.h"
#include "reports/torq/estimate_rows.h"
#include "formats/writers.h"
#include "paths.h"
#include "program/print.h"
#include "torq_hw.h"
#include "units.h"
#include "wire/json.h"
#include "base/path.h"

enum { ROWS_SHOWN = 60 };

struct estimate {
    const char *path;
    enum cost_rules rules;
    struct target *target;
    struct input *input;             // of a dump
    struct program_builder *builder; // of a dump
    struct program *opened;          // of a compiled program
    struct program program;
    struct sim_result *times;
    struct estimate_row *rows;
    size_t row_count;
};

// The target -------------------------------------------------------------------------

static status choose_target(const struct arguments *arguments, struct estimate *estimate,
                            struct view text)
{
    const char *name = arguments_value(arguments, "target");
    const char *hardware = arguments_value(arguments, "torq-hw");
    if (name == NULL && text.size > 0)
        STATUS_TRY(target_parse(estimate->path, text, &estimate->target));
    else
        STATUS_TRY(status_within(
            target_open(name != NULL ? name : "torq-sl2610", &estimate->target), "estimate"));
    return hardware != NULL ? torq_hw_apply(estimate->target, hardware) : STATUS_OK;
}

// The program ------------------------------------------------------------------------

static status read_program(const struct arguments *arguments, struct estimate *estimate)
{
    STATUS_TRY(input_open(estimate->path, &estimate->input));
    const struct view bytes = estimate->input->bytes;
    if (torq_dump_recognise(bytes)) {
        STATUS_TRY(choose_target(arguments, estimate, (struct view){"", 0}));
        STATUS_TRY(torq_dump_read(estimate->input, estimate->target, &estimate->builder));
        program_builder_view(estimate->builder, &estimate->program);
        return STATUS_OK;
    }
    if (view_has_extension(view_of(estimate->path), ".mlir") || bytes.size == 0)
        return status_make(STATUS_DATA,
                           "%s: is no dump of executable targets; to compile a network: opscope "
                           "compile",
                           estimate->path);
    STATUS_TRY(program_open(estimate->path, &estimate->opened));
    estimate->program = *estimate->opened;
    return choose_target(arguments, estimate, estimate->opened->target_text);
}

static void estimate_free(struct estimate *estimate)
{
    free(estimate->rows);
    sim_result_free(estimate->times);
    program_builder_free(estimate->builder);
    program_free(estimate->opened);
    target_free(estimate->target);
    if (estimate->input != NULL)
        input_close(estimate->input);
}

// Output -----------------------------------------------------------------------------

static const char *rules_name(const struct estimate *estimate)
{
    return estimate->rules == COST_RULES_PUBLIC ? "public" : "best";
}

static void print_summary(const struct estimate *estimate)
{
    char time[FIGURES_ROOM], tasks[FIGURES_ROOM];
    struct modelled *modelled =
        modelled_create(&estimate->program, estimate->target, estimate->times);
    printf("%s for %s, %s rules\n", path_base_name(estimate->path), estimate->target->name,
           rules_name(estimate));
    printf("  modelled  %s  (%" PRIu64 " cycles at %g MHz)",
           figures_time(estimate->times->end, estimate->target->clock, time), estimate->times->end,
           (double)estimate->target->clock / 1e6);
    for (int i = 0; i < MODELLED_KINDS && estimate->times->end > 0; i++) {
        if (modelled->busy[i] > 0)
            printf("  %s %.0f %%", modelled_kind_name((enum modelled_kind)i),
                   100.0 * (double)modelled->busy[i] / (double)estimate->times->end);
    }
    printf("\n  %" PRIu32 " dispatch%s, %" PRIu32 " job%s, %s task%s\n",
           estimate->program.dispatch_count, estimate->program.dispatch_count == 1 ? "" : "es",
           estimate->program.job_count, estimate->program.job_count == 1 ? "" : "s",
           figures_count(estimate->program.task_count, tasks),
           estimate->program.task_count == 1 ? "" : "s");
    modelled_free(modelled);
}

static int by_start(const void *left, const void *right)
{
    const struct estimate_row *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static void print_rows(struct estimate *estimate)
{
    if (estimate->row_count > ROWS_SHOWN) {
        printf("  %zu rows: -o FILE.csv, FILE.pb or FILE.json writes them\n", estimate->row_count);
        return;
    }
    qsort(estimate->rows, estimate->row_count, sizeof *estimate->rows, by_start);
    if (estimate->row_count > 0)
        printf("\n  %6s %10s %10s %10s  %-18s %10s\n", "task", "start", "end", "cycles", "unit",
               "bytes");
    for (size_t i = 0; i < estimate->row_count; i++) {
        const struct estimate_row *row = &estimate->rows[i];
        printf("  %6" PRIu32 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %-18s", row->number,
               row->start, row->end, row->end - row->start, row->event);
        if (row->has_bytes)
            printf(" %10" PRIu64, row->bytes);
        const uint32_t group = estimate->program.tasks[row->task].group;
        if (!row->has_bytes && group != PROGRAM_NONE)
            printf(" %10s  %s", "",
                   program_text(&estimate->program, estimate->program.groups[group].type));
        printf("\n");
    }
}

static void write_json_row(struct json_writer *json, const struct estimate *estimate,
                           const struct estimate_row *row, struct bytes *location)
{
    location->size = 0;
    estimate_row_location(&estimate->program, row, location);
    json_open_object(json, NULL);
    json_uint(json, "task", row->number);
    json_text(json, "unit", view_of(row->event));
    json_uint(json, "start_cycles", row->start);
    json_uint(json, "end_cycles", row->end);
    if (row->has_bytes)
        json_uint(json, "bytes", row->bytes);
    else
        json_null(json, "bytes");
    json_text(json, "location", bytes_view(location));
    json_close(json);
}

static void write_json_action(struct json_writer *json, const struct estimate *estimate,
                              uint32_t index)
{
    const struct program_action *action = &estimate->program.actions[index];
    json_open_object(json, NULL);
    json_uint(json, "action", action->number);
    json_text(json, "kind", view_of(program_action_kind_name(action->kind)));
    json_uint(json, "start_cycles", estimate->times->actions[index].start);
    json_uint(json, "end_cycles", estimate->times->actions[index].end);
    json_uint(json, "bytes", action->bytes);
    json_close(json);
}

static status write_json(const struct estimate *estimate, const char *path)
{
    struct output *output;
    struct bytes location = {0};
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(estimate->path));
    json_text(&json, "target", view_of(estimate->target->name));
    json_text(&json, "rules", view_of(rules_name(estimate)));
    json_uint(&json, "clock_hz", estimate->target->clock);
    json_uint(&json, "cycles", estimate->times->end);
    json_uint(&json, "dispatches", estimate->program.dispatch_count);
    json_uint(&json, "jobs", estimate->program.job_count);
    json_open_array(&json, "actions");
    for (uint32_t i = 0; i < estimate->program.action_count; i++)
        write_json_action(&json, estimate, i);
    json_close(&json);
    json_open_array(&json, "rows");
    for (size_t i = 0; i < estimate->row_count; i++)
        write_json_row(&json, estimate, &estimate->rows[i], &location);
    json_close(&json);
    json_close(&json);
    bytes_free(&location);
    return output_close(output);
}

static status write_rows(const struct estimate *estimate, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    estimate_rows_write(&estimate->program, estimate->rows, estimate->row_count, output);
    return output_close(output);
}

static status write_dump(const struct estimate *estimate, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const status result =
        torq_dump_write(&estimate->program, estimate->target, estimate->times, true, output);
    return status_first(result, output_close(output));
}

static status write_profile(const struct estimate *estimate, const char *form, const char *path)
{
    struct profile *profile = profile_create();
    status result = sim_profile(&estimate->program, estimate->target, estimate->times, profile);
    result = status_first(result, profile_finish(profile));
    const struct format_writer *writer;
    result = status_first(result, format_writer_find(form, path, &writer));
    if (result == STATUS_OK)
        result = writer->write(writer, profile, path, &(struct write_options){0});
    profile_free(profile);
    return result;
}

static const char *form_of(const char *path)
{
    const struct view name = path_unpacked_name(view_of(path));
    if (view_has_extension(name, ".csv"))
        return "torq-c4";
    if (view_has_extension(name, ".pb") || view_has_extension(name, ".pftrace"))
        return "perfetto";
    if (view_has_extension(name, ".prof"))
        return "profile";
    if (view_has_extension(name, ".mlir"))
        return "torq-dump";
    return view_has_extension(name, ".json") ? "json" : NULL;
}

static status choose_form(const struct arguments *arguments, const char *output,
                          const char **out_form)
{
    static const char *const FORMS[] = {"torq-c1",  "torq-c2", "torq-c4", "torq-dump",
                                        "perfetto", "profile", "json"};
    const char *given = arguments_value(arguments, "to");
    if (output == NULL && given != NULL)
        return status_make(STATUS_USAGE, "estimate: --to %s: say where it goes: -o FILE", given);
    if (output == NULL)
        return STATUS_OK;
    *out_form = given != NULL ? given : form_of(output);
    for (size_t i = 0; *out_form != NULL && i < sizeof FORMS / sizeof *FORMS; i++) {
        if (strcmp(FORMS[i], *out_form) == 0)
            return STATUS_OK;
    }
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

static status write_output(const struct estimate *estimate, const char *form, const char *path)
{
    if (strcmp(form, "json") == 0)
        return write_json(estimate, path);
    if (strcmp(form, "torq-c4") == 0)
        return write_rows(estimate, path);
    if (strcmp(form, "torq-dump") == 0)
        return write_dump(estimate, path);
    return write_profile(estimate, form, path);
}

static status estimate_run(const struct arguments *arguments, struct estimate *estimate)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    const char *output = arguments_value(arguments, "output");
    const char *hardware = arguments_value(arguments, "torq-hw");
    const char *form = NULL;
    if (hardware != NULL && strcmp(hardware, "list") == 0) {
        torq_hw_list();
        return STATUS_OK;
    }
    if (count != 1)
        return status_make(STATUS_USAGE, "estimate: give one dump or program: opscope estimate "
                                         "add.9.executable-targets.mlir");
    estimate->path = words[0];
    STATUS_TRY(units_rules(arguments, "torq-rules", &estimate->rules));
    STATUS_TRY(choose_form(arguments, output, &form));
    if (output != NULL)
        STATUS_TRY(paths_check("estimate", output, words, 1));
    STATUS_TRY(read_program(arguments, estimate));
    STATUS_TRY(sim_run(&estimate->program, estimate->target, estimate->rules, &estimate->times));
    estimate->rows = estimate_rows(&estimate->program, estimate->target, estimate->times,
                                   estimate->rules, &estimate->row_count);
    if (arguments_flag(arguments, "json"))
        STATUS_TRY(write_json(estimate, "-"));
    if (output != NULL)
        STATUS_TRY(write_output(estimate, form, output));
    if (arguments_flag(arguments, "json") || (output != NULL && strcmp(output, "-") == 0))
        return STATUS_OK;
    print_summary(estimate);
    if (output == NULL)
        print_rows(estimate);
    return STATUS_OK;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    struct estimate estimate = {0};
    (void)out_exit;
    const status result = estimate_run(arguments, &estimate);
    estimate_free(&estimate);
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
    {"json", 0, OPTION_FLAG, NULL, "all of it as JSON on the standard output"},
    {0},
};

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
    .run = run,
};
