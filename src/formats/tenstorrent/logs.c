#include "logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/tracy/reader.h"
#include "formats/tracy/stream.h"
#include "host_zones.h"

static const char TRACY_FILE[] = "tracy_profile_log_host.tracy";
static const char DEVICE_REPORT_FILE[] = "cpp_device_perf_report.csv";

// No header is the beginning of another's.
static const struct {
    const char *name;
    const char *file;
    bool (*recognise)(struct view bytes);
} KINDS[LOG_KINDS] = {
    [LOG_UNKNOWN] = {"unknown", NULL, NULL},
    [LOG_DEVICE] = {"tenstorrent-device-log", "profile_log_device.csv", device_log_recognise},
    [LOG_OPS_DATA] = {"tenstorrent-ops-data", "tracy_ops_data.csv", ops_data_recognise},
    [LOG_OPS_TIMES] = {"tenstorrent-ops-times", "tracy_ops_times.csv", ops_times_recognise},
};

enum log_kind log_kind_of(struct view bytes)
{
    for (unsigned kind = LOG_UNKNOWN + 1; kind < LOG_KINDS; kind++) {
        if (KINDS[kind].recognise(bytes))
            return (enum log_kind)kind;
    }
    return LOG_UNKNOWN;
}

const char *log_kind_name(enum log_kind kind)
{
    return KINDS[kind].name;
}

// Opening ---------------------------------------------------------------------

static bool logs_is_blank(struct view bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        if ((unsigned char)bytes.data[i] > ' ')
            return false;
    }
    return true;
}

static status tenstorrent_logs_keep_input(struct logs *logs, struct input *input)
{
    enum log_kind kind = log_kind_of(input->bytes);
    const bool empty = logs_is_blank(input->bytes);
    if (empty && view_find_text(view_of(input->path), KINDS[LOG_DEVICE].file) < strlen(input->path))
        kind = LOG_DEVICE;
    status failure = STATUS_OK;
    if (kind == LOG_UNKNOWN)
        failure = status_make(STATUS_DATA,
                              "%s: %s; expected profile_log_device.csv ('ARCH: ...'), "
                              "tracy_ops_data.csv ('MessageName;total_ns') or "
                              "tracy_ops_times.csv ('name,src_file,...')",
                              input->path, empty ? "is empty" : "is no log of Tenstorrent's");
    else if (logs->inputs[kind] != NULL)
        failure = status_make(STATUS_USAGE, "%s and %s: two logs of the same kind (%s)",
                              logs->inputs[kind]->path, input->path, KINDS[kind].file);
    if (failure != STATUS_OK) {
        input_close(input);
        return failure;
    }
    logs->device_is_empty = logs->device_is_empty || (kind == LOG_DEVICE && empty);
    logs->inputs[kind] = input;
    return STATUS_OK;
}

static status keep_made(struct logs *logs, enum log_kind kind, const char *path)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&logs->made[kind], &data, &size));
    return tenstorrent_logs_keep_input(logs, input_over(path, (struct view){data, size}));
}

// The first note of what is missing, without the path that it begins with.
static char *first_loss(struct profile *profile, const char *path)
{
    profile_notes_rename(profile, path, "");
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        if (note->kind == LEDGER_LOST || note->kind == LEDGER_IMPOSSIBLE)
            return view_copy(profile_text(profile, note->text));
    }
    return NULL;
}

static status keep_tracy(struct logs *logs, struct input *input)
{
    if (logs->has_tracy || logs->inputs[LOG_OPS_DATA] != NULL ||
        logs->inputs[LOG_OPS_TIMES] != NULL)
        return status_make(STATUS_USAGE,
                           "%s: a trace of Tracy's and the logs made of one: give either",
                           input->path);
    struct profile *profile = profile_create();
    logs->has_tracy = true;
    logs->made[LOG_OPS_TIMES] = SPOOL_EMPTY;
    logs->made[LOG_OPS_DATA] = SPOOL_EMPTY;
    status result = tracy_recognise(input->bytes) ? tracy_read(input, profile)
                                                  : tracy_stream_read(input, profile);
    if (result == STATUS_OK)
        result = host_zones_export(profile, &logs->made[LOG_OPS_TIMES], &logs->made[LOG_OPS_DATA]);
    if (result == STATUS_OK)
        result = keep_made(logs, LOG_OPS_TIMES, input->path);
    if (result == STATUS_OK)
        result = keep_made(logs, LOG_OPS_DATA, input->path);
    const struct ledger account = profile_ledger(profile);
    logs->tracy_lost = account.lost + account.impossible;
    logs->tracy_loss = first_loss(profile, input->path);
    profile_free(profile);
    return result;
}

static status keep_device_report(struct logs *logs, struct input *input)
{
    if (logs->device_report_input == NULL) {
        logs->device_report_input = input;
        return STATUS_OK;
    }
    const status failure =
        status_make(STATUS_USAGE, "%s and %s: two logs of the same kind (%s)",
                    logs->device_report_input->path, input->path, DEVICE_REPORT_FILE);
    input_close(input);
    return failure;
}

// Where no device log was given, the report stands for it.
static status use_device_report(struct logs *logs)
{
    if (logs->device_report_input == NULL ||
        (logs->inputs[LOG_DEVICE] != NULL && !logs->device_is_empty))
        return STATUS_OK;
    STATUS_TRY(report_read(logs->device_report_input, &logs->device_report));
    if (logs->inputs[LOG_DEVICE] != NULL)
        input_close(logs->inputs[LOG_DEVICE]);
    logs->inputs[LOG_DEVICE] = NULL;
    logs->device_is_empty = false;
    logs->made[LOG_DEVICE] = SPOOL_EMPTY;
    STATUS_TRY(device_report_make_log(logs->device_report, &logs->made[LOG_DEVICE]));
    return keep_made(logs, LOG_DEVICE, logs->device_report_input->path);
}

bool logs_recognise(struct view beginning)
{
    return log_kind_of(beginning) != LOG_UNKNOWN || device_report_recognise(beginning) ||
           tracy_recognise(beginning) || tracy_stream_recognise(beginning);
}

static const struct input_beginnings BEGINNINGS = {logs_recognise, device_log_recognise};

static status logs_open_file(struct logs *logs, const char *path)
{
    struct input *input;
    STATUS_TRY(input_open_ahead(path, &BEGINNINGS, &input));
    if (device_report_recognise(input->bytes))
        return keep_device_report(logs, input);
    if (!tracy_recognise(input->bytes) && !tracy_stream_recognise(input->bytes))
        return tenstorrent_logs_keep_input(logs, input);
    const status result = status_first(keep_tracy(logs, input), input_check(input));
    input_close(input);
    return result;
}

static bool find_log(const char *folder, const char *below, const char *name, char *path,
                     size_t room)
{
    static const char *const ENDINGS[] = {"", ".gz", ".zst"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        const int size = snprintf(path, room, "%s%s/%s%s", folder, below, name, ENDINGS[i]);
        if (size > 0 && (size_t)size < room && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static status open_folder(struct logs *logs, const char *folder)
{
    char path[4096];
    bool found = false;
    for (unsigned kind = LOG_DEVICE; kind < LOG_KINDS; kind++) {
        if (!find_log(folder, "", KINDS[kind].file, path, sizeof path) &&
            !find_log(folder, "/.logs", KINDS[kind].file, path, sizeof path))
            continue;
        found = true;
        STATUS_TRY(logs_open_file(logs, path));
    }
    const bool host = logs->inputs[LOG_OPS_DATA] != NULL || logs->inputs[LOG_OPS_TIMES] != NULL;
    if (!host && (find_log(folder, "", TRACY_FILE, path, sizeof path) ||
                  find_log(folder, "/.logs", TRACY_FILE, path, sizeof path))) {
        found = true;
        STATUS_TRY(logs_open_file(logs, path));
    }
    if (find_log(folder, "", DEVICE_REPORT_FILE, path, sizeof path) ||
        find_log(folder, "/.logs", DEVICE_REPORT_FILE, path, sizeof path)) {
        found = true;
        STATUS_TRY(logs_open_file(logs, path));
    }
    if (found)
        return STATUS_OK;
    return status_make(STATUS_NOT_FOUND,
                       "%s: holds neither profile_log_device.csv nor cpp_device_perf_report.csv "
                       "nor tracy_ops_data.csv nor "
                       "tracy_ops_times.csv nor tracy_profile_log_host.tracy",
                       folder);
}

static status open_paths(struct logs *logs, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct stat about;
        const bool folder = stat(paths[i], &about) == 0 && S_ISDIR(about.st_mode);
        STATUS_TRY(folder ? open_folder(logs, paths[i]) : logs_open_file(logs, paths[i]));
    }
    STATUS_TRY(use_device_report(logs));
    const bool host = logs->inputs[LOG_OPS_DATA] != NULL || logs->inputs[LOG_OPS_TIMES] != NULL;
    if (logs->device_is_empty && !host)
        return status_make(STATUS_DATA,
                           "%s: is empty: the device wrote nothing (was "
                           "TT_METAL_DEVICE_PROFILER=1 set?)",
                           logs->inputs[LOG_DEVICE]->path);
    return STATUS_OK;
}

status logs_open(const char *const *paths, size_t count, struct logs *out_logs)
{
    *out_logs = (struct logs){0};
    const status failure = open_paths(out_logs, paths, count);
    if (failure != STATUS_OK)
        logs_close(out_logs);
    return failure;
}

void logs_close(struct logs *logs)
{
    for (unsigned kind = 0; kind < LOG_KINDS; kind++) {
        if (logs->inputs[kind] != NULL)
            input_close(logs->inputs[kind]);
        logs->inputs[kind] = NULL;
    }
    if (logs->has_tracy) {
        spool_free(&logs->made[LOG_OPS_TIMES]);
        spool_free(&logs->made[LOG_OPS_DATA]);
    }
    logs->has_tracy = false;
    free(logs->tracy_loss);
    logs->tracy_loss = NULL;
    if (logs->device_report != NULL) {
        report_free(logs->device_report);
        spool_free(&logs->made[LOG_DEVICE]);
    }
    if (logs->device_report_input != NULL)
        input_close(logs->device_report_input);
    logs->device_report = NULL;
    logs->device_report_input = NULL;
}

// Reading ---------------------------------------------------------------------

static void lose_row(struct logs_record *record)
{
    const struct device_log *log = &record->device;
    record->unread++;
    profile_note(record->ledger, 0, LEDGER_LOST, 1, "%s:%llu: %s%s", log->input->path,
                 (unsigned long long)log->line.number,
                 log->line.terminated ? "" : "the last line is cut off: ", log->problem);
}

static void refuse_copy(struct logs_record *record)
{
    profile_note(record->ledger, 0, LEDGER_IMPOSSIBLE, 1, "%s:%llu: the row is there twice",
                 record->device.input->path, (unsigned long long)record->device.line.number);
}

static void read_device(struct logs_record *record)
{
    struct device_log_row row;
    enum device_log_result result;
    uint64_t rows = 0;
    device_ops_start(&record->device_ops, &record->device);
    while ((result = device_log_next(&record->device, &row)) != DEVICE_LOG_END) {
        if (result == DEVICE_LOG_ROW) {
            device_ops_take(&record->device_ops, &row);
            rows++;
        } else if (result == DEVICE_LOG_SESSION) {
            device_ops_session(&record->device_ops);
        } else if (result == DEVICE_LOG_DOUBLE) {
            refuse_copy(record);
        } else {
            lose_row(record);
        }
    }
    device_ops_finish(&record->device_ops);
    const struct logs *logs = record->logs;
    if (logs->device_report != NULL)
        device_report_give(logs->device_report, &record->device_ops, &record->host.arena,
                           logs->device_report_input->path,
                           logs->inputs[LOG_OPS_DATA] == NULL &&
                               logs->inputs[LOG_OPS_TIMES] == NULL,
                           record->ledger);
    else
        profile_track(record->ledger, 0)->ledger.recorded += rows;
    if (logs->device_report == NULL && logs->device_report_input != NULL)
        profile_note(record->ledger, 0, LEDGER_REMARK, 1,
                     "%s: not looked at: its figures are those of %s",
                     logs->device_report_input->path, record->device.input->path);
    const char *damage = record->device.input->damage;
    if (damage != NULL)
        profile_note(record->ledger, 0, LEDGER_LOST, 1, "%s: %s", record->device.input->path,
                     damage);
    if (record->device_ops.sessions.count > 1)
        profile_note(record->ledger, 0, LEDGER_REMARK, 1,
                     "%s: holds %u logs, one after the other; the host's files belong to the last",
                     record->device.input->path, record->device_ops.sessions.count);
}

static void remark_clock(const struct logs_record *record)
{
    for (uint32_t i = 0; i < record->device_ops.sessions.count; i++) {
        const struct device_session *session = segments_get(&record->device_ops.sessions, i);
        if (session->megahertz == 0)
            profile_note(record->ledger, 0, LEDGER_REMARK, 1,
                         "%s:%llu: the clock of the chip is not given: times in ns are absent",
                         record->device.input->path, (unsigned long long)session->line);
    }
}

status logs_read(const struct logs *logs, struct profile *ledger, struct logs_record *out_record)
{
    struct logs_record *record = out_record;
    *record = (struct logs_record){.logs = logs, .ledger = ledger};
    profile_track(ledger, 0)->ledger.expected = LEDGER_UNKNOWN;
    host_ops_start(&record->host, ledger);
    if (logs->tracy_lost > 0)
        profile_note(ledger, 0, LEDGER_LOST, logs->tracy_lost, "%s: zones or messages are lost%s%s",
                     logs->inputs[LOG_OPS_DATA]->path,
                     logs->tracy_loss != NULL ? ", the first: " : "",
                     logs->tracy_loss != NULL ? logs->tracy_loss : "");
    if (logs->inputs[LOG_OPS_DATA] != NULL)
        host_ops_read_data(&record->host, logs->inputs[LOG_OPS_DATA]);
    if (logs->inputs[LOG_OPS_TIMES] != NULL)
        host_ops_read_times(&record->host, logs->inputs[LOG_OPS_TIMES]);
    const bool alone = logs->inputs[LOG_DEVICE] == NULL || logs->device_is_empty;
    const struct input *host =
        logs->inputs[logs->inputs[LOG_OPS_DATA] != NULL ? LOG_OPS_DATA : LOG_OPS_TIMES];
    record->host.unread += logs->tracy_lost;
    if (host != NULL)
        host_ops_lose_missing(&record->host, host->path, alone);
    if (alone)
        return STATUS_OK;
    status failure = device_log_open(logs->inputs[LOG_DEVICE], &record->device);
    if (failure != STATUS_OK) {
        device_log_free(&record->device);
        host_ops_free(&record->host);
        return failure;
    }
    record->has_device = true;
    read_device(record);
    remark_clock(record);
    failure = input_finish(logs->inputs[LOG_DEVICE]);
    if (failure != STATUS_OK)
        logs_record_free(record);
    return failure;
}

void logs_record_free(struct logs_record *record)
{
    if (record->has_device) {
        device_ops_free(&record->device_ops);
        device_log_free(&record->device);
    }
    host_ops_free(&record->host);
}

uint32_t logs_session(const struct logs_record *record)
{
    return record->has_device ? record->device_ops.sessions.count - 1 : 0;
}
