// The host's zones, whole and damaged: into a report and into a profile.

#include "tenstorrent_logs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_log(LOG_OPS_TIMES, data, size);
    return 0;
}
