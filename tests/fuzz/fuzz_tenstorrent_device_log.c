// Device logs, whole and damaged: into a report and into a profile.

#include "tenstorrent_logs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_log(LOG_DEVICE, data, size);
    return 0;
}
