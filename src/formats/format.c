#include "format.h"

#include "base/folder.h"
#include "base/path.h"
#include "formats/tenstorrent/logs_profile.h"

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

static status format_refuse_input(const struct input *input)
{
    if (input->bytes.size == 0)
        return status_make(STATUS_DATA, "%s: is empty", input->path);
    return status_make(STATUS_DATA,
                       "%s: not a file that opscope knows: expected a Torq profile CSV, a log of "
                       "Tenstorrent's, a Perfetto, Chrome or Tracy trace, or an opscope profile",
                       input->path);
}

status format_read_input(struct input *input, const struct format_options *options,
                         struct profile *profile)
{
    const struct format_reader *reader = format_reader_find(input->bytes);
    if (reader != NULL && reader->keeps_input)
        return reader->read(input, options, profile);
    status result =
        reader != NULL ? reader->read(input, options, profile) : format_refuse_input(input);
    if (result == STATUS_OK)
        profile_fact_add(profile, "source", view_of(path_base_name(input->path)));
    result = status_first(result, input_check(input));
    input_close(input);
    return status_first(result, profile_finish(profile));
}

status format_read(const char *path, const struct format_options *options, struct profile *profile)
{
    struct input *input;
    if (folder_is(path))
        return read_folder(path, profile);
    STATUS_TRY(input_open_known(path, format_reader_may_know, &input));
    return format_read_input(input, options, profile);
}
