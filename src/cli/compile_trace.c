#include "compile_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "profile/file.h"

// In the folder of the file and with its extension, which says how it is packed.
static char *temporary_of(const char *path)
{
    const char *name = format_base_name(path);
    const size_t room = strlen(path) + 32;
    char *temporary = memory_allocate(room);
    snprintf(temporary, room, "%.*spart%ld.%s", (int)(name - path), path, (long)getpid(), name);
    return temporary;
}

static status write_as(struct profile *profile, const char *path, enum torq_form form)
{
    const struct view name = format_unpacked_name(view_of(path));
    if (view_has_extension(name, ".pb") || view_has_extension(name, ".perfetto-trace"))
        return perfetto_write(profile, path, &(struct perfetto_writer_options){0});
    if (view_has_extension(name, ".prof"))
        return profile_save(profile, path);
    return torq_compile_write(profile, form, path);
}

static status write_whole(struct profile *profile, const char *path, enum torq_form form)
{
    char *temporary = temporary_of(path);
    status failure = write_as(profile, temporary, form);
    if (failure == STATUS_OK && rename(temporary, path) != 0)
        failure = status_system(errno, path, "cannot write");
    if (failure != STATUS_OK)
        unlink(temporary);
    free(temporary);
    return failure;
}

status compile_trace_write(const struct compiling *compiling, const char *path, enum torq_form form)
{
    struct profile *profile = profile_create();
    status failure = sim_profile(&compiling->program, compiling->target, compiling->times, profile);
    failure = status_first(failure, profile_finish(profile));
    if (failure == STATUS_OK)
        failure = write_whole(profile, path, form);
    profile_free(profile);
    return failure;
}
