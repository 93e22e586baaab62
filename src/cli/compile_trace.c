#include "compile_trace.h"

status compile_trace_write(const struct compiling *compiling, const char *path,
                           const struct format_writer *writer)
{
    struct profile *profile = profile_create();
    status failure = sim_profile(&compiling->program, compiling->target, compiling->times, profile);
    failure = status_first(failure, profile_finish(profile));
    if (failure == STATUS_OK)
        failure = writer->write(writer, profile, path, &(struct write_options){0});
    profile_free(profile);
    return failure;
}
