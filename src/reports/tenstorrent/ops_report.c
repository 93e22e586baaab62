#include "ops_report.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "formats/format.h"
#include "formats/tenstorrent/logs_kept.h"
#include "profile_report.h"

static const char PER_CORE_NAME[] = "per_core_op_to_op_times";

// per_core_op_to_op_times.csv beside the report.
static status write_per_core(const struct logs_record *record, const char *report)
{
    char path[4096];
    struct output *output;
    const size_t folder = (size_t)(path_base_name(report) - report);
    snprintf(path, sizeof path, "%.*s%s.csv", (int)folder, report, PER_CORE_NAME);
    STATUS_TRY(output_open(path, &output));
    logs_per_core_write(record, output);
    return output_close(output);
}

// A report that stands for the device log knows nothing of cores.
static bool has_cores(const struct logs_record *record)
{
    const struct device_ops *ops = &record->device_ops;
    return record->has_device && (ops->runs.count == 0 || device_ops_run(ops, 0)->given.size == 0);
}

static void note_rows(struct ops_report *request, const struct report *report)
{
    request->rows = report->row_count;
    request->modelled = report_modelled_count(report);
}

static status ops_report_write_report(struct ops_report *request, struct logs_record *record)
{
    struct output *output;
    STATUS_TRY(output_open(request->output, &output));
    struct report *report = logs_report_make(record, request->version);
    note_rows(request, report);
    if (request->device_only)
        report_write(report, output);
    else
        report_write_as(report, request->version, output);
    report_free(report);
    STATUS_TRY(output_close(output));
    const bool beside = strcmp(request->output, "-") != 0;
    return request->device_only && has_cores(record) && beside
               ? write_per_core(record, request->output)
               : STATUS_OK;
}

static void drop_host(struct logs *logs)
{
    for (unsigned kind = LOG_OPS_DATA; kind <= LOG_OPS_TIMES; kind++) {
        if (logs->inputs[kind] != NULL)
            input_close(logs->inputs[kind]);
        logs->inputs[kind] = NULL;
    }
}

static bool has_host(const struct logs *logs)
{
    return logs->inputs[LOG_OPS_DATA] != NULL || logs->inputs[LOG_OPS_TIMES] != NULL;
}

status ops_report_of_logs(struct ops_report *report, struct logs *logs, struct profile *ledger)
{
    struct logs_record record;
    if (report->device_only)
        drop_host(logs);
    report->device_only = report->device_only || !has_host(logs);
    STATUS_TRY(logs_read(logs, ledger, &record));
    const status result = ops_report_write_report(report, &record);
    logs_record_free(&record);
    return result;
}

const char *ops_report_modelled_words(const struct report_modelled *modelled,
                                      char words[OPS_REPORT_WORDS_ROOM])
{
    words[0] = '\0';
    if (modelled->modelled > 0 && modelled->modelled == modelled->operations)
        snprintf(words, OPS_REPORT_WORDS_ROOM, ", all modelled: nothing was measured");
    else if (modelled->modelled > 0)
        snprintf(words, OPS_REPORT_WORDS_ROOM, ", %zu of %zu operations modelled, not measured",
                 modelled->modelled, modelled->operations);
    return words;
}

static bool is_profile(struct view beginning)
{
    return format_reader_may_know(beginning) && !logs_recognise(beginning);
}

bool ops_report_is_profile(const char *path)
{
    return input_file_is(path, is_profile);
}

static status write_restored(struct ops_report *report, struct profile *profile,
                             struct profile *ledger)
{
    struct logs logs = {0};
    struct logs_record record;
    STATUS_TRY(logs_restore(profile, profile->source, &logs, ledger, &record));
    if (report->device_only) {
        host_ops_free(&record.host);
        host_ops_start(&record.host, ledger);
    }
    report->device_only = report->device_only || !has_host(&logs);
    const status result = ops_report_write_report(report, &record);
    logs_record_free(&record);
    return result;
}

// From a profile of whatever else: what its operators did.
static status write_general(struct ops_report *request, struct profile *profile, const char *path)
{
    struct report *report;
    struct output *output;
    const status failure = profile_report_make(profile, request->version, &report);
    if (failure != STATUS_OK)
        return status_within(failure, "%s", path);
    status result = output_open(request->output, &output);
    if (result == STATUS_OK) {
        note_rows(request, report);
        report_write_as(report, request->version, output);
        result = output_close(output);
    }
    report_free(report);
    return result;
}

status ops_report_of_profile(struct ops_report *report, const char *path, struct profile *profile)
{
    const struct format_options options = {0};
    STATUS_TRY(format_read(path, &options, profile));
    if (!logs_are_kept(profile))
        return write_general(report, profile, path);
    // What joining the logs says was said when they were converted.
    struct profile *said = profile_create();
    const status result = write_restored(report, profile, said);
    profile_free(said);
    return result;
}
