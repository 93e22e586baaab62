// `perfetto_logger`: Torq's compile and runtime CSVs to one Perfetto trace.

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "commands.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/torq/logger.h"
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

static status check_arguments(const struct arguments *arguments)
{
    size_t compile_count;
    size_t runtime_count;
    size_t words;
    arguments_values(arguments, "compile_profile", &compile_count);
    arguments_values(arguments, "runtime_profile", &runtime_count);
    arguments_words(arguments, &words);
    if (words > 0)
        return status_make(STATUS_USAGE,
                           "perfetto_logger: '%s': put files after "
                           "--compile_profile or --runtime_profile",
                           arguments_words(arguments, &words)[0]);
    if (compile_count + runtime_count == 0)
        return status_make(STATUS_USAGE, "perfetto_logger: give --compile_profile FILE... or "
                                         "--runtime_profile FILE...");
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
    {"pb", 0, OPTION_ONE, "FILE", "the Perfetto trace to write (.pb, .pb.gz, .pb.zst)"},
    {"num_slices", 0, OPTION_ONE, "N", "S<n> is slice n mod N (2)"},
    {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of compile-time cycles (800)"},
    {"no-args", 0, OPTION_FLAG, NULL, "leave out ID, location, bytes and cycles"},
    {0},
};

const struct command COMMAND_PERFETTO_LOGGER = {
    .name = "perfetto_logger",
    .link = "perfetto_logger",
    .script = true,
    .usage = "--compile_profile FILE... --runtime_profile FILE... --pb FILE",
    .summary = "Torq's profile CSVs to a Perfetto trace",
    .details =
        "Every version of Torq's CSVs is read, by content. Each profile becomes a process "
        "named\nafter its file, in the order given, followed by its overview. Open the trace at "
        "ui.perfetto.dev.",
    .examples =
        "  perfetto_logger --compile_profile compile_profile.csv --pb perfetto_log.pb\n"
        "  perfetto_logger --compile_profile a.csv b.csv --runtime_profile r.csv --pb all.pb",
    .options = OPTIONS,
    .run = perfetto_logger_command,
};
