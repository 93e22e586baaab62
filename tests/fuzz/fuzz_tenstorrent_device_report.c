// cpp_device_perf_report.csv, whole and damaged, in place of the device log: into a report and into
// a profile.

#include "tenstorrent_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("report", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    const char *const paths[] = {path};
    struct logs logs;
    const status failure = logs_open(paths, 1, &logs);
    close(file);
    if (failure != STATUS_OK) {
        status_free(failure);
        return 0;
    }
    make_report(&logs);
    make_profile(&logs);
    logs_close(&logs);
    return 0;
}
