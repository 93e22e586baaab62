#include "recorder.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profile/file.h"

struct recorder {
    struct profile *kept; // NULL: the process records
    char *path;
};

// Threads may look whether it still records when somebody else has ended it.
static struct recorder process;

status recorder_start(const struct opscope_record_options *options, struct recorder **out_recorder)
{
    *out_recorder = &process;
    return record_start(options);
}

struct recorder *recorder_create(const char *path)
{
    struct recorder *recorder = memory_allocate_zeroed(1, sizeof *recorder);
    recorder->kept = profile_create();
    recorder->path = view_copy(view_of(path));
    return recorder;
}

struct profile *recorder_lock(struct recorder *recorder)
{
    return recorder->kept != NULL ? recorder->kept : record_lock();
}

void recorder_unlock(struct recorder *recorder)
{
    if (recorder->kept == NULL)
        record_unlock();
}

void recorder_drop(struct recorder *recorder)
{
    if (recorder == NULL || recorder == &process)
        return;
    profile_free(recorder->kept);
    free(recorder->path);
    free(recorder);
}

static status recorder_save_profile(struct recorder *recorder, struct profile **out_account)
{
    STATUS_TRY(profile_finish(recorder->kept));
    STATUS_TRY(profile_save(recorder->kept, recorder->path));
    if (out_account != NULL) {
        *out_account = recorder->kept;
        recorder->kept = NULL;
    }
    return STATUS_OK;
}

status recorder_finish(struct recorder *recorder, struct profile **out_account)
{
    if (recorder == &process)
        return record_stop(out_account);
    if (out_account != NULL)
        *out_account = NULL;
    const status result = recorder_save_profile(recorder, out_account);
    recorder_drop(recorder);
    return result;
}
