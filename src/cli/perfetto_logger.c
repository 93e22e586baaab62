// `perfetto_logger`: Torq's compile and runtime CSVs to one Perfetto trace.

#include <stdio.h>
#include <stdlib.h>

#include "analysis/overview.h"
#include "base/memory.h"
#include "commands.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "formats/torq/overview_rows.h"
#include "ledger_text.h"
#include "paths.h"
#include "units.h"

struct source {
    struct input *input;
    bool compile;
    size_t position; // on the command line
};

struct logger {
    struct event_sink sink; // hands batches to the writer and to the collector
    struct profile *profile;
    struct perfetto_writer *writer;
    struct overview_collector *collector;
    struct source *sources;
    size_t source_count;
    struct torq_options torq;
};

static status take(struct event_sink *sink, const struct event_batch *batch)
{
    struct logger *logger = (struct logger *)sink;
    struct event_sink *writer = perfetto_writer_sink(logger->writer);
    struct event_sink *collector = overview_collector_sink(logger->collector);
    STATUS_TRY(writer->take(writer, batch));
    return collector->take(collector, batch);
}

// All inputs are opened and recognised before the output is created.
static status open_sources(struct logger *logger, const struct arguments *arguments,
                           const char *option, bool compile)
{
    size_t count;
    const char *const *paths = arguments_values(arguments, option, &count);
    STATUS_TRY(paths_check("perfetto_logger", arguments_value(arguments, "pb"), paths, count));
    for (size_t i = 0; i < count; i++) {
        struct source *source = &logger->sources[logger->source_count];
        STATUS_TRY(input_open(paths[i], &source->input));
        source->compile = compile;
        source->position = arguments_position(arguments, option, i);
        logger->source_count++;
        STATUS_TRY(torq_check(source->input, compile));
    }
    return STATUS_OK;
}

static int compare_positions(const void *left, const void *right)
{
    const struct source *a = left;
    const struct source *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static status replay_process(struct logger *logger, uint32_t first_track)
{
    for (uint32_t i = first_track; i < logger->profile->tracks.count; i++)
        STATUS_TRY(profile_replay_track(logger->profile, i, &logger->sink));
    return STATUS_OK;
}

// Compile rows come in order, track by track, and are written as they are read.
// Runtime spans are complete only at their end: they are kept, then sorted.
static status read_source(struct logger *logger, const struct source *source, uint32_t process)
{
    logger->torq.parent = process;
    if (source->compile) {
        profile_stream_to(logger->profile, &logger->sink);
        const status result = torq_read(source->input, &logger->torq, logger->profile);
        return status_first(result, profile_finish(logger->profile));
    }
    profile_stream_to(logger->profile, NULL);
    const status result = torq_read(source->input, &logger->torq, logger->profile);
    STATUS_TRY(status_first(result, profile_finish(logger->profile)));
    return replay_process(logger, process);
}

static status write_overview(struct logger *logger, const char *name, uint32_t process,
                             int32_t rank)
{
    struct overview overview = {.scope = process};
    for (size_t i = 0; i < overview_count(logger->collector); i++) {
        struct overview found;
        if (overview_scope(logger->collector, i) != process)
            continue;
        STATUS_TRY(overview_compute(logger->collector, i, &found));
        overview = found;
    }
    profile_stream_to(logger->profile, perfetto_writer_sink(logger->writer));
    perfetto_writer_plain(logger->writer, true);
    overview_tracks_add(logger->profile, name, &overview, rank);
    overview_free(&overview);
    const status result = profile_finish(logger->profile);
    perfetto_writer_plain(logger->writer, false);
    return result;
}

static status write_source(struct logger *logger, size_t index)
{
    const struct source *source = &logger->sources[index];
    const char *file = format_base_name(source->input->path);
    struct bytes name = {0};
    if (logger->source_count > 1)
        bytes_append_format(&name, "%02zu %s", index + 1, file);
    else
        bytes_append_format(&name, "%s", file);
    const int32_t rank = (int32_t)(2 * index);
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(logger->profile, bytes_view(&name)),
                                  .provenance =
                                      source->compile ? PROVENANCE_MODELLED : PROVENANCE_MEASURED,
                                  .rank = rank};
    const uint32_t id = profile_track_add(logger->profile, &process);
    status result = read_source(logger, source, id);
    bytes_append(&name, "", 1);
    if (result == STATUS_OK)
        result = write_overview(logger, (const char *)name.data, id, rank + 1);
    bytes_free(&name);
    return result;
}

static status write_trace(struct logger *logger, const char *path,
                          const struct perfetto_writer_options *options)
{
    STATUS_TRY(perfetto_writer_open(path, logger->profile, options, &logger->writer));
    status result = STATUS_OK;
    for (size_t i = 0; i < logger->source_count && result == STATUS_OK; i++)
        result = write_source(logger, i);
    return status_first(result, perfetto_writer_close(logger->writer));
}

static status prepare(struct logger *logger, const struct arguments *arguments)
{
    size_t compile_count;
    size_t runtime_count;
    size_t words;
    arguments_values(arguments, "compile_profile", &compile_count);
    arguments_values(arguments, "runtime_profile", &runtime_count);
    arguments_words(arguments, &words);
    if (words > 0)
        return status_make(STATUS_USAGE,
                           "perfetto_logger: '%s': put files behind "
                           "--compile_profile or --runtime_profile",
                           arguments_words(arguments, &words)[0]);
    if (compile_count + runtime_count == 0)
        return status_make(STATUS_USAGE, "perfetto_logger: give --compile_profile FILE... or "
                                         "--runtime_profile FILE...");
    if (arguments_value(arguments, "pb") == NULL)
        return status_make(STATUS_USAGE, "perfetto_logger: give --pb FILE for the trace");
    STATUS_TRY(arguments_number(arguments, "num_slices", TORQ_SLICES, &logger->torq.num_slices));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &logger->torq.clock_hz));

    logger->sources =
        memory_allocate_zeroed(compile_count + runtime_count, sizeof *logger->sources);
    STATUS_TRY(open_sources(logger, arguments, "compile_profile", true));
    STATUS_TRY(open_sources(logger, arguments, "runtime_profile", false));
    qsort(logger->sources, logger->source_count, sizeof *logger->sources, compare_positions);
    return STATUS_OK;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    struct logger logger = {.sink.take = take, .profile = profile_create()};
    logger.collector = overview_collector_create(logger.profile);
    const struct perfetto_writer_options options = {arguments_flag(arguments, "no-args")};
    status result = prepare(&logger, arguments);
    if (result == STATUS_OK)
        result = write_trace(&logger, arguments_value(arguments, "pb"), &options);
    if (result == STATUS_OK) {
        ledger_warn(logger.profile);
        *out_exit = ledger_exit(logger.profile);
    }
    for (size_t i = 0; i < logger.source_count; i++)
        input_close(logger.sources[i].input);
    free(logger.sources);
    overview_collector_free(logger.collector);
    profile_free(logger.profile);
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
    .run = run,
};
