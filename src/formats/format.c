#include "format.h"

#include "base/folder.h"
#include "base/path.h"
#include "formats/qaic/raw_stats.h"
#include "formats/tenstorrent/logs_profile.h"
#include "wire/database.h"

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

// What a card itself writes is known by its name alone: "...-inf-3-QAicGraph-aiccyclecounts.bin".
static bool is_buffer_of_a_card(const struct input *input)
{
    const struct view name = view_of(path_base_name(input->path));
    return view_find_text(name, "aiccyclecounts") < name.size && view_ends_with(name, ".bin");
}

static status format_refuse_input(const struct input *input)
{
    if (input->bytes.size == 0)
        return status_make(STATUS_DATA, "%s: is empty", input->path);
    if (input->damage != NULL)
        return status_make(STATUS_DATA, "%s: %s: nothing that opscope knows is left of it",
                           input->path, input->damage);
    if (is_buffer_of_a_card(input) && qaic_raw_is_cut(input->bytes))
        return status_make(STATUS_DATA,
                           "%s: is cut off within its first bytes: run qaic-runner again",
                           input->path);
    if (is_buffer_of_a_card(input))
        return status_make(
            STATUS_UNSUPPORTED,
            "%s: a statistics buffer of a Cloud AI card, whose layout is not public: "
            "give the summary or the trace that the vendor's qaic-opstats makes of "
            "it",
            input->path);
    if (database_recognise(input->bytes))
        return status_make(
            STATUS_DATA,
            "%s: an SQLite database, but neither of Nsight Systems nor of rocprofv3 "
            "(rocpd), or damaged; what opscope writes as .db is for other tools: give "
            "the profile it was made of",
            input->path);
    return status_make(
        STATUS_DATA,
        "%s: not a file that opscope knows: expected a Torq profile CSV, a log of "
        "Tenstorrent's, a summary of qaic-opstats, a Perfetto, Chrome or Tracy trace, a database "
        "of Nsight Systems or rocprofv3, or an opscope profile",
        input->path);
}

status format_read_input(struct input *input, const struct format_options *options,
                         struct profile *profile)
{
    const struct format_reader *reader = format_reader_find(input->bytes);
    if (reader != NULL && reader->evidence == FORMAT_BY_TAGS && is_buffer_of_a_card(input))
        reader = NULL; // any bytes may look like messages
    if (reader != NULL && reader->keeps_input)
        return reader->read(input, options, profile);
    status result =
        reader != NULL ? reader->read(input, options, profile) : format_refuse_input(input);
    result = status_first(input_finish(input), result);
    if (result == STATUS_OK)
        profile_fact_add(profile, "source", view_of(path_base_name(input->path)));
    result = status_first(result, input_check(input));
    input_close(input);
    return status_first(result, profile_finish(profile));
}

static const struct input_beginnings FORMAT_BEGINNINGS = {format_reader_may_know,
                                                          format_reader_in_parts};

status format_read(const char *path, const struct format_options *options, struct profile *profile)
{
    struct input *input;
    if (folder_is(path))
        return read_folder(path, profile);
    STATUS_TRY(input_open_ahead(path, &FORMAT_BEGINNINGS, &input));
    return format_read_input(input, options, profile);
}
