#include "api.h"

#include <opscope/version.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/writers.h"

const char *opscope_version(void)
{
    return OPSCOPE_VERSION;
}

int api_answer_loss(const struct profile *profile, char *message, size_t size)
{
    const struct ledger sum = profile_ledger(profile);
    const uint64_t not_carried = profile->note_counts[LEDGER_NOT_CARRIED];
    if (sum.lost + sum.impossible + not_carried == 0)
        return OPSCOPE_OK;
    if (message != NULL && size > 0)
        snprintf(message, size,
                 "%llu events recorded, %llu lost, %llu impossible, %llu not carried",
                 (unsigned long long)sum.recorded, (unsigned long long)sum.lost,
                 (unsigned long long)sum.impossible, (unsigned long long)not_carried);
    return OPSCOPE_LOSS;
}

status api_finish(struct opscope_profile *profile)
{
    if (!profile->unfinished)
        return STATUS_OK;
    profile->unfinished = false;
    return profile_finish(profile->profile);
}

const char *api_text(const struct profile *profile, uint32_t id)
{
    return id < profile->strings.texts.count ? profile_text(profile, id).data : "";
}

struct view api_view(const char *text)
{
    return view_of(text != NULL ? text : "");
}

status api_write(struct profile *profile, const char *path, const char *format)
{
    const struct format_writer *writer;
    const struct write_options options = {0};
    STATUS_TRY(format_writer_find(format, path, &writer));
    return writer->write(writer, profile, path, &options);
}
