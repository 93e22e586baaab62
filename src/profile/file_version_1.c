#include "file_version_1.h"

void file_version_1_set_engine(struct profile *profile, struct track *track, uint32_t number)
{
    static const struct {
        enum role role;
        const char *engine;
    } ENGINES[FILE_VERSION_1_ENGINES] = {
        {ROLE_NONE, ""},
        {ROLE_TRANSFER_IN, "dma in"},
        {ROLE_TRANSFER_OUT, "dma out"},
        {ROLE_TRANSFER, "cdma"},
        {ROLE_COMPUTE, "slice"},
        {ROLE_CONTROL, "css"},
        {ROLE_DEVICE, "npu"},
        {ROLE_HOST_CALL, "hal"},
        {ROLE_HOST, "host"},
        {ROLE_HOST_COPY, "host copy"},
    };
    profile_track_set_engine(profile, track, ENGINES[number].role, ENGINES[number].engine);
}
