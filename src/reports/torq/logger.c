#include "logger.h"

#include <stdlib.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/replace.h"
#include "formats/perfetto/writer.h"
#include "overview_rows.h"

struct logger {
    struct event_sink sink; // hands batches to the writer and to the collector
    struct profile *profile;
    struct perfetto_writer *writer;
    struct overview_collector *collector;
    const struct logger_log *logs;
    struct input **inputs;
    size_t count;
    struct torq_options torq;
};

static status logger_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct logger *logger = (struct logger *)sink;
    struct event_sink *writer = perfetto_writer_sink(logger->writer);
    struct event_sink *collector = overview_collector_sink(logger->collector);
    STATUS_TRY(writer->take(writer, batch));
    return collector->take(collector, batch);
}

// What is written as it comes begins when all of the input is there, and is known to be allowed.
static status open_inputs(struct logger *logger, const char *to)
{
    const bool waits = strcmp(to, "-") == 0 || !replace_is_beside(to);
    const struct input_beginnings beginnings = {.in_parts = waits ? NULL : torq_reads_in_parts};
    for (size_t i = 0; i < logger->count; i++) {
        STATUS_TRY(input_open_ahead(logger->logs[i].path, &beginnings, &logger->inputs[i]));
        profile_keep_input(logger->profile, logger->inputs[i]);
        STATUS_TRY(torq_check(logger->inputs[i], logger->logs[i].compile));
    }
    return STATUS_OK;
}

static status replay_process(struct logger *logger, uint32_t first_track)
{
    for (uint32_t i = first_track; i < logger->profile->tracks.count; i++)
        STATUS_TRY(profile_replay_track(logger->profile, i, &logger->sink));
    return STATUS_OK;
}

static status logger_read_log(struct logger *logger, size_t index, uint32_t process)
{
    const bool compile = logger->logs[index].compile;
    logger->torq.parent = process;
    profile_stream_to(logger->profile, compile ? &logger->sink : NULL);
    status result = torq_read(logger->inputs[index], &logger->torq, logger->profile);
    result = status_first(input_finish(logger->inputs[index]), result);
    STATUS_TRY(status_first(result, profile_finish(logger->profile)));
    return compile ? STATUS_OK : replay_process(logger, process);
}

static status write_overview(struct logger *logger, uint32_t process)
{
    profile_stream_to(logger->profile, perfetto_writer_sink(logger->writer));
    perfetto_writer_plain(logger->writer, true);
    status result = logger_overview_add(logger->profile, logger->collector, process);
    result = status_first(result, profile_finish(logger->profile));
    perfetto_writer_plain(logger->writer, false);
    return result;
}

static void logger_name_process(const struct logger *logger, size_t index, struct bytes *name)
{
    const char *given = logger->logs[index].name;
    const char *file = path_base_name(logger->inputs[index]->path);
    if (given != NULL)
        bytes_append_format(name, "%s", given);
    else if (logger->count > 1)
        bytes_append_format(name, "%02zu %s", index + 1, file);
    else
        bytes_append_format(name, "%s", file);
}

static status write_log(struct logger *logger, size_t index)
{
    struct bytes name = {0};
    logger_name_process(logger, index, &name);
    const uint32_t process =
        logger_process_add(logger->profile, bytes_view(&name), logger->logs[index].compile, index);
    bytes_free(&name);
    STATUS_TRY(logger_read_log(logger, index, process));
    return write_overview(logger, process);
}

static status logger_write_trace(struct logger *logger, const char *path,
                                 const struct perfetto_writer_options *options)
{
    STATUS_TRY(perfetto_writer_open(path, logger->profile, options, &logger->writer));
    status result = STATUS_OK;
    for (size_t i = 0; i < logger->count && result == STATUS_OK; i++)
        result = write_log(logger, i);
    return perfetto_writer_close(logger->writer, result);
}

status logger_write(const struct logger_log *logs, size_t count, const char *path,
                    const struct logger_options *options, struct profile *profile)
{
    struct logger logger = {.sink.take = logger_take_batch,
                            .profile = profile,
                            .collector = overview_collector_create(profile, false),
                            .logs = logs,
                            .inputs = memory_allocate_zeroed(count, sizeof *logger.inputs),
                            .count = count,
                            .torq = {.num_slices = options->num_slices,
                                     .clock_hz = options->clock_hz,
                                     .streams = true}};
    const struct perfetto_writer_options perfetto = {.no_arguments = options->no_arguments,
                                                     .located = true};
    status result = open_inputs(&logger, path);
    if (result == STATUS_OK)
        result = folder_make_for(path);
    if (result == STATUS_OK)
        result = logger_write_trace(&logger, path, &perfetto);
    free(logger.inputs);
    overview_collector_free(logger.collector);
    return result;
}

uint32_t logger_process_add(struct profile *profile, struct view name, bool compile, size_t index)
{
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(profile, name),
                                  .provenance = compile ? PROVENANCE_MODELLED : PROVENANCE_MEASURED,
                                  .rank = (int32_t)(2 * index)};
    return profile_track_add(profile, &process);
}

status logger_overview_add(struct profile *profile, struct overview_collector *collector,
                           uint32_t process)
{
    struct overview overview = {.scope = process};
    for (size_t i = 0; i < overview_count(collector); i++) {
        if (overview_scope(collector, i) == process)
            STATUS_TRY(overview_compute(collector, i, TORQ_OVERVIEW_PARTS, TORQ_OVERVIEW_PART_COUNT,
                                        &overview));
    }
    const struct track *track = profile_track(profile, process);
    char *name = view_copy(profile_text(profile, track->name));
    torq_overview_tracks_add(profile, name, &overview, track->rank + 1);
    free(name);
    overview_free(&overview);
    return STATUS_OK;
}
