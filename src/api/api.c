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

static int api_code_of(enum status_code code)
{
    static const int codes[] = {
        [STATUS_DONE] = OPSCOPE_OK,
        [STATUS_USAGE] = OPSCOPE_ERROR_USAGE,
        [STATUS_NOT_FOUND] = OPSCOPE_ERROR_NOT_FOUND,
        [STATUS_IO] = OPSCOPE_ERROR_IO,
        [STATUS_DATA] = OPSCOPE_ERROR_DATA,
        [STATUS_UNSUPPORTED] = OPSCOPE_ERROR_UNSUPPORTED,
        [STATUS_LIMIT] = OPSCOPE_ERROR_LIMIT,
    };
    return codes[code];
}

int api_answer(status result, char *message, size_t size)
{
    if (result == STATUS_OK)
        return OPSCOPE_OK;
    const int code = api_code_of(status_code_of(result));
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", status_message(result));
    status_free(result);
    return code;
}

int api_refuse(const char *text, char *message, size_t size)
{
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", text);
    return OPSCOPE_ERROR_USAGE;
}

int api_no_memory(char *message, size_t size)
{
    return api_answer(status_out_of_memory(), message, size);
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

void api_give(void *out, size_t out_size, const void *from, size_t from_size)
{
    const size_t known = out_size < from_size ? out_size : from_size;
    memcpy(out, from, known);
    memset((char *)out + known, 0, out_size - known);
}

bool api_take(void *to, size_t to_size, const void *from, size_t from_size)
{
    if (from == NULL)
        return false;
    const size_t known = from_size < to_size ? from_size : to_size;
    memset(to, 0, to_size);
    memcpy(to, from, known);
    for (size_t i = known; i < from_size; i++) {
        if (((const char *)from)[i] != 0)
            return false;
    }
    return true;
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
