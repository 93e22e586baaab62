#include "format.h"

#include <sys/stat.h>

#include "base/path.h"
#include "formats/chrome/events.h"
#include "formats/chrome/reader.h"
#include "formats/trace/engine_names.h"
#include "formats/perfetto/reader.h"
#include "formats/tenstorrent/report_profile.h"
#include "formats/tenstorrent/logs_profile.h"
#include "profile/file.h"
#include "profile/memory.h"

enum format format_recognise(struct view bytes)
{
    if (profile_file_recognise(bytes))
        return FORMAT_PROFILE;
    if (chrome_recognise(bytes))
        return FORMAT_CHROME;
    if (log_kind_of(bytes) != LOG_UNKNOWN)
        return FORMAT_TENSTORRENT_LOG;
    if (report_recognise(bytes))
        return FORMAT_TENSTORRENT_REPORT;
    if (torq_recognise(bytes) != TORQ_UNKNOWN)
        return FORMAT_TORQ;
    if (perfetto_recognise(bytes))
        return FORMAT_PERFETTO;
    return FORMAT_UNKNOWN;
}

static status read_torq(struct input *input, const struct format_options *options,
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

static status read_log(struct input *input, struct profile *profile)
{
    struct logs logs = {0};
    logs.inputs[log_kind_of(input->bytes)] = input;
    return logs_profile_read(&logs, profile);
}

static status read_folder(const char *path, struct profile *profile)
{
    struct logs logs;
    STATUS_TRY(logs_open(&path, 1, &logs));
    const status result = logs_profile_read(&logs, profile);
    logs_close(&logs);
    if (result == STATUS_OK)
        profile_fact_add(profile, "source", view_of(path_base_name(path)));
    return status_first(result, profile_finish(profile));
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static status refuse(const struct input *input)
{
    if (input->bytes.size == 0)
        return status_make(STATUS_DATA, "%s: is empty", input->path);
    return status_make(STATUS_DATA,
                       "%s: not a file that opscope knows: expected a Torq profile CSV, a log of "
                       "Tenstorrent's, a Perfetto or Chrome trace, or an opscope profile",
                       input->path);
}

// A recording leaves it to the reader what the names of its lanes mean, and how long memory lived.
static status load(struct input *input, struct profile *profile)
{
    STATUS_TRY(profile_load(input, profile));
    engine_names_resolve(profile);
    return memory_find_lifetimes(profile);
}

status format_read_input(struct input *input, const struct format_options *options,
                         struct profile *profile)
{
    const enum format format = format_recognise(input->bytes);
    if (format == FORMAT_PROFILE)
        return load(input, profile);

    status result;
    if (format == FORMAT_TORQ)
        result = read_torq(input, options, profile);
    else if (format == FORMAT_TENSTORRENT_LOG)
        result = read_log(input, profile);
    else if (format == FORMAT_CHROME)
        result = chrome_read(input, profile);
    else if (format == FORMAT_PERFETTO)
        result = perfetto_read(input, profile);
    else if (format == FORMAT_TENSTORRENT_REPORT)
        result = report_profile_read(input, profile);
    else
        result = refuse(input);
    if (result == STATUS_OK)
        profile_fact_add(profile, "source", view_of(path_base_name(input->path)));
    input_close(input);
    return status_first(result, profile_finish(profile));
}

status format_read(const char *path, const struct format_options *options, struct profile *profile)
{
    struct input *input;
    if (is_folder(path))
        return read_folder(path, profile);
    STATUS_TRY(input_open(path, &input));
    return format_read_input(input, options, profile);
}
