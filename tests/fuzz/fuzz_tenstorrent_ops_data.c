// The host's messages, whole and damaged: into a report and into a profile.

#include "formats/tenstorrent/logs_profile.h"
#include "formats/tenstorrent/logs_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_report(const struct logs *logs)
{
    struct profile *ledger = profile_create();
    struct logs_record record;
    const status failure = logs_read(logs, ledger, &record);
    if (failure == STATUS_OK) {
        report_free(logs_report_make(&record, REPORT_V21));
        logs_record_free(&record);
    }
    status_free(failure);
    profile_free(ledger);
}

static void make_profile(const struct logs *logs)
{
    struct profile *profile = profile_create();
    status_free(logs_profile_read(logs, profile));
    status_free(profile_finish(profile));
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct logs logs = {0};
    const struct view bytes = {(const char *)data, size};
    logs.inputs[LOG_OPS_DATA] = input_over("log.csv", bytes);
    make_report(&logs);
    make_profile(&logs);
    logs_close(&logs);
    return 0;
}
