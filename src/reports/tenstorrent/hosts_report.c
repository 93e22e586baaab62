#include "hosts_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"

// Folders ---------------------------------------------------------------------

static void add_folder(struct hosts *hosts, size_t *capacity, const char *path)
{
    hosts->folders = memory_grow(hosts->folders, hosts->count, capacity, sizeof *hosts->folders);
    hosts->folders[hosts->count++] = view_copy(view_of(path));
}

static const char *const LOGS[] = {"profile_log_device.csv", "cpp_device_perf_report.csv",
                                   "tracy_ops_data.csv", "tracy_ops_times.csv",
                                   "tracy_profile_log_host.tracy"};

enum { LOG_COUNT = sizeof LOGS / sizeof LOGS[0] };

static bool has_log(const char *folder, size_t log)
{
    static const char *const PLACES[] = {"", "/.logs"};
    static const char *const ENDINGS[] = {"", ".gz", ".zst"};
    char path[4096];
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s%s/%s%s", folder, PLACES[i % 2], LOGS[log], ENDINGS[i / 2]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

// How many of the folders have the log that most of them have.
static size_t most_alike(const char *const *folders, size_t count)
{
    size_t most = 0;
    for (size_t log = 0; log < LOG_COUNT; log++) {
        size_t having = 0;
        for (size_t i = 0; i < count; i++)
            having += has_log(folders[i], log);
        most = having > most ? having : most;
    }
    return most;
}

void hosts_find(const char *const *paths, size_t count, struct hosts *out_hosts)
{
    size_t capacity = 0;
    size_t folders = 0;
    *out_hosts = (struct hosts){0};
    for (size_t i = 0; i < count; i++)
        folders += folder_is(paths[i]);
    if (folders != count || folders == 0)
        return;
    // Folders may also hold the logs of one host between them.
    for (size_t i = 0; i < count && count > 1 && most_alike(paths, count) > 1; i++)
        add_folder(out_hosts, &capacity, paths[i]);
    for (unsigned rank = 0; count == 1 && most_alike(paths, 1) == 0; rank++) {
        char path[4096];
        const int size = snprintf(path, sizeof path, "%s/rank%u", paths[0], rank);
        if (size < 0 || (size_t)size >= sizeof path || !folder_is(path))
            return;
        add_folder(out_hosts, &capacity, path);
    }
}

void hosts_free(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        free(hosts->folders[i]);
    free(hosts->folders);
    *hosts = (struct hosts){0};
}

// Reports ---------------------------------------------------------------------

// `*out_record` and its logs live as long as the report, whose cells may lie in them.
struct host_report {
    struct logs logs;
    struct logs_record record;
    struct report *report;
};

static status open_host(const struct ops_report *request, const char *folder,
                        struct profile *ledger, struct host_report *out_host)
{
    const char *const paths[] = {folder};
    STATUS_TRY(logs_open(paths, 1, &out_host->logs));
    const status result = logs_read(&out_host->logs, ledger, &out_host->record);
    if (result != STATUS_OK) {
        logs_close(&out_host->logs);
        return result;
    }
    out_host->report = logs_report_make(&out_host->record, request->version);
    return STATUS_OK;
}

static void close_host(struct host_report *host)
{
    if (host->report == NULL)
        return;
    report_free(host->report);
    logs_record_free(&host->record);
    logs_close(&host->logs);
}

static uint64_t devices_of(const struct report *report)
{
    uint64_t most = 0;
    for (size_t row = 0; row < report->row_count; row++) {
        uint64_t device;
        if (report_u64(report, row, COLUMN_DEVICE_ID, &device) && device + 1 > most)
            most = device + 1;
    }
    return most;
}

static void copy_cell(struct report *to, size_t row, const struct column *column, struct view text)
{
    if (column_is_tensor(column->kind))
        report_set_tensor(to, row, column->output, column->tensor, column->kind, text);
    else if (column->kind == COLUMN_OTHER)
        report_set_named(to, row, column->name, text);
    else
        report_set_raw(to, row, column->kind, text);
}

static void add_host(struct report *to, const struct report *from, uint64_t first_device)
{
    for (size_t row = 0; row < from->row_count; row++) {
        const size_t added = report_row_add(to);
        uint64_t device;
        for (uint32_t column = 0; column < from->column_count; column++) {
            const struct view cell = report_cell(from, row, column);
            if (cell.size > 0)
                copy_cell(to, added, &from->columns[column], cell);
        }
        if (report_u64(from, row, COLUMN_DEVICE_ID, &device))
            report_set_u64(to, added, COLUMN_DEVICE_ID, device + first_device);
    }
}

static status write_hosts(struct ops_report *request, struct host_report *hosts, size_t count)
{
    struct output *output;
    struct report *all = report_create();
    uint64_t devices = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = devices_of(hosts[i].report);
        devices = own > devices ? own : devices;
    }
    for (size_t i = 0; i < count; i++)
        add_host(all, hosts[i].report, i * devices);
    status result = output_open(request->output, &output);
    if (result == STATUS_OK) {
        request->rows = all->row_count;
        request->modelled = report_modelled_count(all);
        report_write_as(all, request->version, output);
        result = output_close(output);
    }
    report_free(all);
    return result;
}

status ops_report_of_hosts(struct ops_report *report, const struct hosts *hosts,
                           struct profile *ledger)
{
    struct host_report *opened = memory_allocate_zeroed(hosts->count, sizeof *opened);
    status result = STATUS_OK;
    for (size_t i = 0; i < hosts->count && result == STATUS_OK; i++)
        result = open_host(report, hosts->folders[i], ledger, &opened[i]);
    if (result == STATUS_OK)
        result = write_hosts(report, opened, hosts->count);
    for (size_t i = 0; i < hosts->count; i++)
        close_host(&opened[i]);
    free(opened);
    return result;
}
