#include "format.h"

#include "formats/perfetto/reader.h"
#include "profile/file.h"

enum format format_recognise(struct view bytes)
{
    if (profile_file_recognise(bytes))
        return FORMAT_PROFILE;
    if (torq_recognise(bytes) != TORQ_UNKNOWN)
        return FORMAT_TORQ;
    if (perfetto_recognise(bytes))
        return FORMAT_PERFETTO;
    return FORMAT_UNKNOWN;
}

const char *format_name(enum format format, struct view bytes)
{
    switch (format) {
    case FORMAT_PROFILE:
        return "opscope profile";
    case FORMAT_PERFETTO:
        return "perfetto";
    case FORMAT_TORQ:
        return torq_form_name(torq_recognise(bytes));
    default:
        return "unknown";
    }
}

const char *format_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static status read_torq(struct input *input, const struct format_options *options,
                        struct profile *profile)
{
    const struct track process = {
        .kind = TRACK_PROCESS,
        .name = profile_string(profile, view_of(format_base_name(input->path)))};
    const struct torq_options torq = {.parent = profile_track_add(profile, &process),
                                      .num_slices = options->num_slices,
                                      .clock_hz = options->clock_hz};
    return torq_read(input, &torq, profile);
}

static status refuse(const struct input *input)
{
    if (input->bytes.size == 0)
        return status_make(STATUS_DATA, "%s: is empty", input->path);
    return status_make(STATUS_DATA,
                       "%s: not a file that opscope knows: expected a Torq profile CSV, a Perfetto "
                       "trace or an opscope profile",
                       input->path);
}

status format_read(const char *path, const struct format_options *options, struct profile *profile)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    const enum format format = format_recognise(input->bytes);
    if (format == FORMAT_PROFILE)
        return profile_load(input, profile);

    status result;
    if (format == FORMAT_TORQ)
        result = read_torq(input, options, profile);
    else if (format == FORMAT_PERFETTO)
        result = perfetto_read(input, profile);
    else
        result = refuse(input);
    if (result == STATUS_OK)
        profile_fact_add(profile, "source", view_of(format_base_name(path)));
    input_close(input);
    return status_first(result, profile_finish(profile));
}
