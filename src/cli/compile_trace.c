#include "compile_trace.h"

#include "base/replace.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "profile/file.h"

static status write_as(struct profile *profile, const char *path, enum torq_form form)
{
    const struct view name = format_unpacked_name(view_of(path));
    if (view_has_extension(name, ".pb") || view_has_extension(name, ".perfetto-trace"))
        return perfetto_write(profile, path, &(struct perfetto_writer_options){0});
    if (view_has_extension(name, ".prof"))
        return profile_save(profile, path);
    return torq_compile_write(profile, form, path);
}

status compile_trace_write(const struct compiling *compiling, const char *path, enum torq_form form)
{
    struct profile *profile = profile_create();
    status failure = sim_profile(&compiling->program, compiling->target, compiling->times, profile);
    failure = status_first(failure, profile_finish(profile));
    if (failure == STATUS_OK) {
        char *temporary = replace_start(path);
        failure = replace_finish(temporary, path, write_as(profile, temporary, form));
    }
    profile_free(profile);
    return failure;
}
