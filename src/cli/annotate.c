// `opscope annotate` and, under the vendor's name, `annotate_profiling`: a runtime
// profile of Torq, or a profile of `opscope run`, joined with the program that ran.

#include <stdio.h>
#include <stdlib.h>

#include "annotate_summary.h"
#include "base/path.h"
#include "commands.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/torq/annotate_groups.h"
#include "reports/torq/annotate_layout.h"
#include "table_options.h"
#include "torq_program.h"
#include "units.h"

struct annotating {
    const char *program_path, *runtime_path, *output;
    struct torq_program program;
    struct input *runtime;
    struct profile *profile;
    uint32_t process;
    struct torq_halves halves;
    bool is_run; // a profile of `opscope run`, not Torq's
    enum cost_rules rules;
    uint64_t clock_hz;
    struct annotation annotation;
};

static status cli_annotate_read_torq(struct annotating *annotating)
{
    STATUS_TRY(torq_check(annotating->runtime, false));
    struct profile *profile = annotating->profile;
    const struct track process = {
        .kind = TRACK_PROCESS,
        .name = profile_string(profile, view_of(path_base_name(annotating->runtime_path))),
        .provenance = PROVENANCE_MEASURED};
    annotating->process = profile_track_add(profile, &process);
    const struct torq_options options = {.parent = annotating->process,
                                         .halves = &annotating->halves};
    STATUS_TRY(torq_runtime_read(annotating->runtime, &options, profile));
    return profile_finish(profile);
}

// The reader takes over the input. Lanes are added to the process that ran.
static status read_run(struct annotating *annotating)
{
    struct profile *profile = annotating->profile;
    struct input *input = annotating->runtime;
    annotating->runtime = NULL;
    STATUS_TRY(format_read_input(input, &(struct format_options){0}, profile));
    for (uint32_t i = 1; i < profile->tracks.count && annotating->process == 0; i++) {
        if (profile_track(profile, i)->kind == TRACK_PROCESS)
            annotating->process = i;
    }
    return STATUS_OK;
}

static bool is_recording(const struct format_reader *reader)
{
    return reader != NULL &&
           (strcmp(reader->name, "profile") == 0 || strcmp(reader->name, "perfetto") == 0);
}

// By content: what is neither a profile nor a trace is Torq's, or refused as such.
static status read_runtime(struct annotating *annotating)
{
    STATUS_TRY(input_open(annotating->runtime_path, &annotating->runtime));
    annotating->is_run = is_recording(format_reader_find(annotating->runtime->bytes));
    if (!annotating->is_run)
        return cli_annotate_read_torq(annotating);
    if (annotating->program.opened == NULL)
        return status_make(STATUS_USAGE,
                           "annotate: %s is a profile of 'opscope run': give the program that ran "
                           "(.opx or .vmfb) instead of a dump",
                           annotating->runtime_path);
    return read_run(annotating);
}

static status cli_annotate_write_layout(struct annotating *annotating)
{
    struct profile *profile = profile_create();
    struct sim_result *times = NULL;
    status result = sim_run(&annotating->program.program, annotating->program.target,
                            annotating->rules, &times);
    const struct annotate_layout_options options = {.times = times,
                                                    .clock_hz = annotating->clock_hz};
    if (result == STATUS_OK)
        result = annotate_layout(&annotating->annotation, &options, profile);
    if (result == STATUS_OK)
        result = perfetto_write(profile, annotating->output, &(struct perfetto_writer_options){0});
    sim_result_free(times);
    profile_free(profile);
    return result;
}

static status cli_annotate_write_trace(struct annotating *annotating)
{
    if (!annotating->is_run)
        return cli_annotate_write_layout(annotating);
    annotate_profile(&annotating->annotation, annotating->process);
    STATUS_TRY(profile_finish(annotating->profile));
    return perfetto_write(annotating->profile, annotating->output,
                          &(struct perfetto_writer_options){0});
}

static status write_table(const struct table_options *options, const struct annotation *annotation,
                          const char *path)
{
    const struct view name = path_unpacked_name(view_of(path));
    struct table *table = annotate_table(annotation);
    status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && view_has_extension(name, ".json"))
        result = annotate_write_json(annotation, table, path);
    else if (result == STATUS_OK && view_has_extension(name, ".xlsx"))
        result = annotate_write_xlsx(table, path);
    else if (result == STATUS_OK)
        result = annotate_write_csv(table, path);
    table_free(table);
    return result;
}

static status cli_annotate_write_output(struct annotating *annotating,
                                        const struct table_options *options)
{
    const struct view name = path_unpacked_name(view_of(annotating->output));
    if (view_has_extension(name, ".pb"))
        return cli_annotate_write_trace(annotating);
    return write_table(options, &annotating->annotation, annotating->output);
}

// Before anything is read.
static status cli_annotate_check_output(const char *output, bool fold)
{
    const struct view name = path_unpacked_name(view_of(output));
    const bool trace = view_has_extension(name, ".pb");
    if (!trace && !view_has_extension(name, ".csv") && !view_has_extension(name, ".json") &&
        !view_has_extension(name, ".xlsx") && !view_is(name, "-"))
        return status_make(STATUS_USAGE,
                           "annotate: cannot tell the format from '%s': end it in .csv, .json, "
                           ".xlsx or .pb",
                           output);
    if (trace && fold)
        return status_make(STATUS_USAGE,
                           "annotate: --fold: a trace shows each run; write .csv, .json or .xlsx");
    return STATUS_OK;
}

// What Torq's tool logs where it is asked to.
static void cli_annotate_print_debug(const struct annotating *annotating)
{
    const struct program *program = &annotating->program.program;
    const struct annotation *annotation = &annotating->annotation;
    fprintf(stderr, "debug: program %s: %u dispatches, %u actions, %u jobs, %u tasks\n",
            annotating->program.path, program->dispatch_count, program->action_count,
            program->job_count, program->task_count);
    for (uint32_t i = 0; i < program->dispatch_count; i++)
        fprintf(stderr, "debug:   %s: %u actions\n",
                program_text(program, program->dispatches[i].name),
                program->dispatches[i].action_count);
    fprintf(stderr,
            "debug: profile %s: %s, %zu rows annotated, %llu not in the program, "
            "%llu without times\n",
            annotating->runtime_path,
            annotating->is_run ? "of opscope run" : torq_form_name(annotation->form),
            annotation->count, (unsigned long long)annotation->unmatched,
            (unsigned long long)annotation->missing);
}

static status annotate_join_files(const struct arguments *arguments, struct annotating *annotating)
{
    annotating->annotation = (struct annotation){
        .program = &annotating->program.program,
        .target = annotating->program.target,
        .task_names = annotating->program.names,
        .profile = annotating->profile,
        .halves = &annotating->halves,
        .keep_unmatched = arguments_flag(arguments, "keep-unmatched"),
        .keys = arguments_flag(arguments, "keys"),
        .form = annotating->is_run ? TORQ_UNKNOWN : torq_recognise(annotating->runtime->bytes),
        .source = torq_program_source(&annotating->program,
                                      arguments_value(arguments, "original_mlir_file"))};
    const status result = annotating->is_run
                              ? annotate_join_run(&annotating->annotation, annotating->runtime_path)
                              : annotate_join(&annotating->annotation, annotating->runtime_path);
    if (arguments_flag(arguments, "debug"))
        cli_annotate_print_debug(annotating);
    return result;
}

static status wrong_words(void)
{
    return status_make(STATUS_USAGE,
                       "annotate: give a dump or program, a runtime profile and the output: "
                       "add.9.executable-targets.mlir runtime.csv annotated.csv");
}

static status cli_annotate_check_words(const struct arguments *arguments,
                                       struct annotating *annotating)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 2 && count != 3)
        return wrong_words();
    annotating->program_path = words[0];
    annotating->runtime_path = words[1];
    annotating->output = count == 3 ? words[2] : NULL;
    if (annotating->output == NULL)
        return STATUS_OK;
    STATUS_TRY(cli_annotate_check_output(annotating->output, arguments_flag(arguments, "fold")));
    return paths_check("annotate", annotating->output, words, 2);
}

static status annotate(const struct arguments *arguments, struct annotating *annotating)
{
    struct table_options options;
    STATUS_TRY(table_options_read(arguments, 0, &options));
    STATUS_TRY(cli_annotate_check_words(arguments, annotating));
    STATUS_TRY(units_rules(arguments, "torq-rules", &annotating->rules));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &annotating->clock_hz));
    if (annotating->clock_hz == 0)
        annotating->clock_hz = ANNOTATE_LAYOUT_BESIDE_HZ;
    STATUS_TRY(torq_program_open(annotating->program_path, &annotating->program));
    STATUS_TRY(read_runtime(annotating));
    if (annotating->output == NULL && !annotating->is_run)
        return wrong_words();
    STATUS_TRY(annotate_join_files(arguments, annotating));
    if (annotating->output == NULL)
        return annotate_summary(&options, &annotating->annotation);
    if (arguments_flag(arguments, "fold"))
        annotate_fold(&annotating->annotation);
    return cli_annotate_write_output(annotating, &options);
}

static void annotating_free(struct annotating *annotating)
{
    annotate_source_free(annotating->annotation.source);
    annotate_free(&annotating->annotation);
    profile_free(annotating->profile);
    torq_program_free(&annotating->program);
    free(annotating->halves.items);
    if (annotating->runtime != NULL)
        input_close(annotating->runtime);
}

static status annotate_command(const struct arguments *arguments, int *out_exit)
{
    struct annotating annotating = {.profile = profile_create()};
    const status result = annotate(arguments, &annotating);
    if (result == STATUS_OK) {
        const struct annotation *annotation = &annotating.annotation;
        ledger_warn(annotating.profile);
        *out_exit = annotation->unmatched + annotation->missing > 0
                        ? EXIT_LOSS
                        : ledger_exit(annotating.profile);
    }
    annotating_free(&annotating);
    return result;
}

// The vendor's tool ends with 0 whatever it found.
static status cli_annotate_run_vendor(const struct arguments *arguments, int *out_exit)
{
    const status result = annotate_command(arguments, out_exit);
    *out_exit = EXIT_DONE;
    return result;
}

#define TORQ_OPTIONS                                                                               \
    {"fold", 0, OPTION_FLAG, NULL, "one row for all invocations: least, median, p90, most"},       \
        {"debug", 0, OPTION_FLAG, NULL, "what was read and joined, on the standard error"},        \
        {"keep-unmatched", 0, OPTION_FLAG, NULL,                                                   \
         "rows that the program does not have are shown, not refused"},                            \
        {"keys", 0, OPTION_FLAG, NULL, "of jobs: CSV is headed nss_program_index;operation;..."},  \
        {"original_mlir_file", 0, OPTION_ONE, "FILE",                                              \
         "the network's text, for every location in a file of this name"},                         \
        {"torq-rules", 0, OPTION_ONE, "best|public",                                               \
         "by which OUT.pb shows what was expected (best)"},                                        \
        {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of those cycles (100, as Torq's tool has it)"}, \
    {                                                                                              \
        "host_profiling", 0, OPTION_FLAG, NULL,                                                    \
            "taken as Torq's tool takes it; forms are recognised"                                  \
    }

static const struct option OPTIONS[] = {
    TORQ_OPTIONS,
    TABLE_OPTIONS("what is shown as JSON", "what is shown as CSV",
                  "groups that are shown where no OUT is given (20), or rows of OUT (all)"),
    {0},
};

static const struct option VENDOR_OPTIONS[] = {TORQ_OPTIONS, {0}};

static const struct table_form *const TABLES[] = {
    &ANNOTATE_GROUPS_FORM, &ANNOTATE_ACTIONS_FORM, &ANNOTATE_RUN_FORM,
    &ANNOTATE_JOBS_FORM,   &ANNOTATE_FOLDED_FORM,  NULL,
};

#define DETAILS                                                                                    \
    "PHASE is NAME.9.executable-targets.mlir of torq-compile, Synaptics' own or ours, DIR a\n"     \
    "folder with one (--torq-debug-info), PROGRAM what was compiled; RUNTIME is any version\n"     \
    "of Torq's runtime CSV. OUT is .csv, .json, .xlsx or .pb (a Perfetto trace). Rows that\n"      \
    "the program does not have are an error: another one ran."

const struct command COMMAND_ANNOTATE = {
    .name = "annotate",
    .usage = "PHASE.mlir|DIR|PROGRAM RUNTIME.csv OUT [--fold]\n"
             "       opscope annotate PROGRAM PROFILE [OUT] [--fold]",
    .summary = "join a runtime profile with the program that ran",
    .details = DETAILS "\nPROFILE is what 'opscope run --profile' wrote: rows of actions, and of "
                       "every task with its\ntime, bytes, bandwidth and operators. Without OUT the "
                       "slowest groups of operators are\nshown. Times of device host are this "
                       "machine's: they say nothing about the target.",
    .examples = "  opscope annotate add.9.executable-targets.mlir runtime.csv annotated.csv\n"
                "  opscope annotate model.vmfb runtime.csv annotated.xlsx --fold\n"
                "  opscope run model.opx -n 20 --profile run.prof && opscope annotate model.opx "
                "run.prof\n"
                "  opscope annotate model.opx run.prof tasks.csv --fold",
    .options = OPTIONS,
    .tables = TABLES,
    .run = annotate_command,
};

const struct command COMMAND_ANNOTATE_PROFILING = {
    .name = "annotate_profiling",
    .link = "annotate_profiling",
    .script = true,
    .usage = "PHASE.mlir|DIR RUNTIME.csv OUT",
    .summary = "the same under Torq's name, with its exit codes",
    .details = DETAILS,
    .examples = "  annotate_profiling add.9.executable-targets.mlir runtime.csv annotated.csv\n"
                "  annotate_profiling debug_info events.csv annotated.xlsx",
    .own_exits = EXITS_WITHOUT_LOSS,
    .options = VENDOR_OPTIONS,
    .run = cli_annotate_run_vendor,
};
