// `perfetto_logger`: Torq's compile and runtime CSVs to one Perfetto trace.

#include <stdio.h>
#include <stdlib.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/recovery.h"
#include "base/sort.h"
#include "commands.h"
#include "formats/perfetto/writer.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/torq/annotate_layout.h"
#include "reports/torq/logger.h"
#include "torq_program.h"
#include "units.h"

struct source {
    struct logger_log log;
    size_t position; // on the command line
};

static status add_sources(const struct arguments *arguments, const char *option, bool compile,
                          struct source *sources)
{
    size_t count;
    const char *const *paths = arguments_values(arguments, option, &count);
    STATUS_TRY(paths_check("perfetto_logger", arguments_value(arguments, "pb"), paths, count));
    for (size_t i = 0; i < count; i++) {
        sources[i].log = (struct logger_log){.path = paths[i], .compile = compile};
        sources[i].position = arguments_position(arguments, option, i);
    }
    return STATUS_OK;
}

static int compare_positions(const void *left, const void *right)
{
    const struct source *a = left;
    const struct source *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static status perfetto_logger_write_trace(const struct arguments *arguments,
                                          const struct logger_options *options,
                                          struct profile *profile)
{
    size_t compile_count;
    size_t runtime_count;
    arguments_values(arguments, "compile_profile", &compile_count);
    arguments_values(arguments, "runtime_profile", &runtime_count);
    const size_t count = compile_count + runtime_count;
    struct source *sources = memory_allocate_zeroed(count, sizeof *sources);
    struct logger_log *logs = memory_allocate_zeroed(count, sizeof *logs);
    status result = add_sources(arguments, "compile_profile", true, sources);
    if (result == STATUS_OK)
        result = add_sources(arguments, "runtime_profile", false, sources + compile_count);
    if (result == STATUS_OK) {
        sort_items(sources, count, sizeof *sources, compare_positions);
        for (size_t i = 0; i < count; i++)
            logs[i] = sources[i].log;
        result = logger_write(logs, count, arguments_value(arguments, "pb"), options, profile);
    }
    free(logs);
    free(sources);
    return result;
}

// Programs ---------------------------------------------------------------------------

static status write_program(struct torq_program *program, const struct logger_options *options,
                            const struct sim_result *times, uint32_t dispatch, const char *path)
{
    struct profile *texts = profile_create(), *profile = profile_create();
    const uint64_t clock = options->clock_hz != 0 ? options->clock_hz : ANNOTATE_LAYOUT_ALONE_HZ;
    const struct annotate_layout_options layout = {
        .times = times, .clock_hz = clock, .modelled = true};
    struct annotation annotation = {.program = &program->program,
                                    .target = program->target,
                                    .task_names = program->names,
                                    .profile = texts,
                                    .source = torq_program_source(program, NULL)};
    annotate_estimate(&annotation, times, clock, dispatch);
    status result = annotate_layout(&annotation, &layout, profile);
    if (result == STATUS_OK)
        result = folder_make_for(path);
    if (result == STATUS_OK)
        result = perfetto_write(
            profile, path,
            &(struct perfetto_writer_options){.no_arguments = options->no_arguments});
    annotate_source_free(annotation.source);
    annotate_free(&annotation);
    profile_free(profile);
    profile_free(texts);
    return result;
}

// A trace for each dispatch, in a folder.
static status write_dispatches(struct torq_program *program, const struct logger_options *options,
                               const struct sim_result *times, const char *folder)
{
    for (uint32_t i = 0; i < program->program.dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->program.dispatches[i];
        char *path;
        if (asprintf(&path, "%s/%s.pb", folder, program_text(&program->program, dispatch->name)) <
            0)
            recovery_fail(0);
        const status result = write_program(program, options, times, i, path);
        free(path);
        STATUS_TRY(result);
    }
    return STATUS_OK;
}

// A name that says a trace is the trace of all; any other is that of a folder.
static status write_traces(struct torq_program *program, const struct logger_options *options,
                           const struct sim_result *times, const char *out)
{
    const struct view name = path_unpacked_name(view_of(out));
    STATUS_TRY(paths_check("perfetto_logger", out, &program->path, 1));
    if (view_has_extension(name, ".pb") || view_has_extension(name, ".pftrace"))
        return write_program(program, options, times, PROGRAM_NONE, out);
    return write_dispatches(program, options, times, out);
}

static status perfetto_logger_write_program(const struct arguments *arguments, const char *path,
                                            const struct logger_options *options)
{
    struct torq_program program;
    struct sim_result *times = NULL;
    enum cost_rules rules;
    STATUS_TRY(units_rules(arguments, "torq-rules", &rules));
    status result = torq_program_open(path, &program);
    if (result == STATUS_OK)
        result = sim_run(&program.program, program.target, rules, &times);
    if (result == STATUS_OK)
        result = write_traces(&program, options, times, arguments_value(arguments, "pb"));
    sim_result_free(times);
    torq_program_free(&program);
    return result;
}

// ------------------------------------------------------------------------------------

static status check_arguments(const struct arguments *arguments)
{
    size_t compile_count;
    size_t runtime_count;
    size_t words;
    arguments_values(arguments, "compile_profile", &compile_count);
    arguments_values(arguments, "runtime_profile", &runtime_count);
    const char *const *given = arguments_words(arguments, &words);
    const bool is_profile =
        words > 0 && view_has_extension(path_unpacked_name(view_of(given[0])), ".csv");
    if (words > 1 || (words > 0 && compile_count + runtime_count > 0) || is_profile)
        return status_make(STATUS_USAGE,
                           "perfetto_logger: '%s': put files after "
                           "--compile_profile or --runtime_profile",
                           given[words - 1]);
    if (words + compile_count + runtime_count == 0)
        return status_make(STATUS_USAGE, "perfetto_logger: give --compile_profile FILE... or "
                                         "--runtime_profile FILE..., or a folder of debug "
                                         "information");
    if (arguments_value(arguments, "pb") == NULL)
        return status_make(STATUS_USAGE, "perfetto_logger: give --pb FILE for the trace");
    return STATUS_OK;
}

static status perfetto_logger_command(const struct arguments *arguments, int *out_exit)
{
    struct logger_options options = {.no_arguments = arguments_flag(arguments, "no-args")};
    STATUS_TRY(check_arguments(arguments));
    STATUS_TRY(arguments_number(arguments, "num_slices", TORQ_SLICES, &options.num_slices));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &options.clock_hz));
    size_t words;
    const char *const *program = arguments_words(arguments, &words);
    if (words > 0)
        return perfetto_logger_write_program(arguments, program[0], &options);
    struct profile *profile = profile_create();
    const status result = perfetto_logger_write_trace(arguments, &options, profile);
    if (result == STATUS_OK) {
        ledger_warn(profile);
        *out_exit = ledger_exit(profile);
    }
    profile_free(profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"compile_profile", 0, OPTION_MANY, "FILE", "compile-time profiles (trace.csv, timeline.csv)"},
    {"runtime_profile", 0, OPTION_MANY, "FILE", "runtime profiles (runtime.csv)"},
    {"pb", 0, OPTION_ONE, "FILE",
     "the Perfetto trace to write (.pb, .pb.gz, .pb.zst), or a folder"},
    {"num_slices", 0, OPTION_ONE, "N", "S<n> is slice n mod N (2)"},
    {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of compile-time cycles (800)"},
    {"torq-rules", 0, OPTION_ONE, "best|public", "by which a program's tasks are priced (best)"},
    {"no-args", 0, OPTION_FLAG, NULL, "leave out ID, location, bytes and cycles"},
    {0},
};

const struct command COMMAND_PERFETTO_LOGGER = {
    .name = "perfetto_logger",
    .link = "perfetto_logger",
    .script = true,
    .usage = "--compile_profile FILE... --runtime_profile FILE... --pb FILE\n"
             "       opscope perfetto_logger DIR|PHASE.mlir|PROGRAM --pb FILE|FOLDER",
    .summary = "Torq's profile CSVs to a Perfetto trace",
    .details =
        "Every version of Torq's CSVs is read, by content. Each profile becomes a process "
        "named\nafter its file, in the order given, followed by its overview. Of DIR (what "
        "torq-compile\n--torq-debug-info=DIR writes), a dump or a program the trace shows what is "
        "expected of every\ntask, by engine and by place of the network's text. Open it at "
        "ui.perfetto.dev.",
    .examples =
        "  perfetto_logger --compile_profile compile_profile.csv --pb perfetto_log.pb\n"
        "  perfetto_logger --compile_profile a.csv b.csv --runtime_profile r.csv --pb all.pb\n"
        "  perfetto_logger debug_info --pb traces",
    .options = OPTIONS,
    .run = perfetto_logger_command,
};
