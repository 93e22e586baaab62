// What the fuzz targets of Tenstorrent's logs share: one log of a capture, into
// a report and into a profile.

#ifndef OPSCOPE_TESTS_FUZZ_TENSTORRENT_LOGS_H
#define OPSCOPE_TESTS_FUZZ_TENSTORRENT_LOGS_H

#include "formats/tenstorrent/logs_profile.h"
#include "reports/tenstorrent/logs_report.h"

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

static inline void read_log(enum log_kind kind, const uint8_t *data, size_t size)
{
    struct logs logs = {0};
    logs.inputs[kind] = input_over("log.csv", (struct view){(const char *)data, size});
    make_report(&logs);
    make_profile(&logs);
    logs_close(&logs);
}

#endif
