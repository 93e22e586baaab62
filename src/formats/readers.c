#include "readers.h"

#include "base/path.h"
#include "formats/chrome/events.h"
#include "formats/chrome/reader.h"
#include "formats/nsys/reader.h"
#include "formats/perfetto/reader.h"
#include "formats/qaic/raw_profile.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"
#include "formats/qaic/summary_profile.h"
#include "formats/rocpd/reader.h"
#include "formats/tenstorrent/device_log.h"
#include "formats/tenstorrent/logs_profile.h"
#include "formats/tenstorrent/report_profile.h"
#include "formats/torq/torq.h"
#include "formats/trace/engine_names.h"
#include "formats/tracy/reader.h"
#include "formats/tracy/stream.h"
#include "profile/file.h"
#include "profile/memory.h"
#include "wire/database.h"

// A recording leaves it to the reader what the names of its lanes mean, and how long memory lived.
static status read_profile(struct input *input, const struct format_options *options,
                           struct profile *profile)
{
    (void)options;
    STATUS_TRY(profile_load(input, profile));
    engine_names_resolve(profile);
    return memory_find_lifetimes(profile);
}

static status read_chrome(struct input *input, const struct format_options *options,
                          struct profile *profile)
{
    (void)options;
    return chrome_read(input, profile);
}

static bool readers_is_log(struct view bytes)
{
    return log_kind_of(bytes) != LOG_UNKNOWN;
}

static status readers_read_log(struct input *input, const struct format_options *options,
                               struct profile *profile)
{
    (void)options;
    struct logs logs = {0};
    logs.inputs[log_kind_of(input->bytes)] = input;
    return logs_profile_read(&logs, profile);
}

static status read_report(struct input *input, const struct format_options *options,
                          struct profile *profile)
{
    (void)options;
    return report_profile_read(input, profile);
}

static bool readers_is_torq(struct view bytes)
{
    return torq_recognise(bytes) != TORQ_UNKNOWN;
}

static status readers_read_torq(struct input *input, const struct format_options *options,
                                struct profile *profile)
{
    const struct track process = {
        .kind = TRACK_PROCESS,
        .name = profile_string(profile, view_of(path_base_name(input->path)))};
    const struct torq_options torq = {.parent = profile_track_add(profile, &process),
                                      .num_slices = options->num_slices,
                                      .clock_hz = options->clock_hz};
    return torq_read(input, &torq, profile);
}

static status read_perfetto(struct input *input, const struct format_options *options,
                            struct profile *profile)
{
    (void)options;
    return perfetto_read(input, profile);
}

static status read_tracy(struct input *input, const struct format_options *options,
                         struct profile *profile)
{
    (void)options;
    return tracy_read(input, profile);
}

static status read_tracy_stream(struct input *input, const struct format_options *options,
                                struct profile *profile)
{
    (void)options;
    return tracy_stream_read(input, profile);
}

static status read_qaic_stats(struct input *input, const struct format_options *options,
                              struct profile *profile)
{
    return qaic_raw_profile_read(input, options->program, profile);
}

static status read_qaic_summary(struct input *input, const struct format_options *options,
                                struct profile *profile)
{
    (void)options;
    return qaic_summary_profile_read(input, profile);
}

static status read_nsys(struct input *input, const struct format_options *options,
                        struct profile *profile)
{
    (void)options;
    return nsys_read(input, profile);
}

static status read_rocpd(struct input *input, const struct format_options *options,
                         struct profile *profile)
{
    (void)options;
    return rocpd_read(input, profile);
}

static const struct format_reader READERS[] = {
    {"profile", FORMAT_BY_MAGIC, true, profile_file_recognise, NULL, read_profile},
    {"tracy", FORMAT_BY_MAGIC, false, tracy_recognise, NULL, read_tracy},
    {"tracy-stream", FORMAT_BY_MAGIC, false, tracy_stream_recognise, NULL, read_tracy_stream},
    {"qaic-raw-stats", FORMAT_BY_MAGIC, false, qaic_raw_recognise, NULL, read_qaic_stats},
    {"nsys", FORMAT_BY_MAGIC, false, nsys_recognise, NULL, read_nsys},
    {"rocpd", FORMAT_BY_MAGIC, false, rocpd_recognise, NULL, read_rocpd},
    {"chrome", FORMAT_BY_KEYS, false, chrome_recognise, chrome_recognise, read_chrome},
    {"tenstorrent-log", FORMAT_BY_HEADER, false, readers_is_log, device_log_recognise,
     readers_read_log},
    {"qaic-summary", FORMAT_BY_HEADER, false, qaic_summary_recognise, NULL, read_qaic_summary},
    {"tenstorrent-report", FORMAT_BY_HEADER, false, report_recognise, NULL, read_report},
    {"torq", FORMAT_BY_ROWS, false, readers_is_torq, torq_reads_in_parts, readers_read_torq},
    {"perfetto", FORMAT_BY_TAGS, false, perfetto_recognise, NULL, read_perfetto},
};

enum { READER_COUNT = sizeof READERS / sizeof READERS[0] };

const struct format_reader *format_reader_next(const struct format_reader *reader)
{
    const size_t next = reader == NULL ? 0 : (size_t)(reader - READERS) + 1;
    return next < READER_COUNT ? &READERS[next] : NULL;
}

const struct format_reader *format_reader_find(struct view bytes)
{
    const struct format_reader *reader = NULL;
    while ((reader = format_reader_next(reader)) != NULL && !reader->recognise(bytes))
        ;
    return reader;
}

// The events of an object may stand after all that is said about them, and the tables of a database
// anywhere.
static bool readers_may_be_other(struct view beginning)
{
    return view_starts_with(view_trim(beginning), "{") || database_recognise(beginning);
}

bool format_reader_may_know(struct view beginning)
{
    return format_reader_find(beginning) != NULL || readers_may_be_other(beginning);
}

bool format_reader_in_parts(struct view beginning)
{
    const struct format_reader *reader = format_reader_find(beginning);
    return reader != NULL && reader->in_parts != NULL && reader->in_parts(beginning) &&
           (reader->evidence >= FORMAT_BY_KEYS || !readers_may_be_other(beginning));
}
