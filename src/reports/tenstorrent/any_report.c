#include "any_report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/folder.h"
#include "formats/format.h"
#include "formats/tenstorrent/logs_kept.h"
#include "logs_report.h"
#include "ops_report.h"
#include "profile_report.h"

enum { PATH_ROOM = 4096, DEEPEST = 3 };

// Folders ---------------------------------------------------------------------

static bool is_report_name(const char *name)
{
    return view_starts_with(view_of(name), "ops_perf_results") &&
           view_ends_with(view_of(name), ".csv");
}

// The last by name, which has the date in it; `newest` holds the best so far.
static void find_newest(const char *folder, int depth, char newest[PATH_ROOM])
{
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        char path[PATH_ROOM];
        const int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (size < 0 || (size_t)size >= sizeof path || entry->d_name[0] == '.')
            continue;
        if (folder_is(path) && depth < DEEPEST)
            find_newest(path, depth + 1, newest);
        else if (is_report_name(entry->d_name) && strcmp(path, newest) > 0)
            strcpy(newest, path);
    }
    if (listing != NULL)
        closedir(listing);
}

// Logs and profiles -----------------------------------------------------------

static void any_report_note_losses(struct profile *account, const struct profile *said,
                                   const char *path, const char *command)
{
    const struct ledger ledger = profile_ledger(said);
    if (ledger.lost + ledger.impossible > 0)
        profile_note(account, 0, LEDGER_LOST, ledger.lost + ledger.impossible,
                     "%s: events are lost: 'opscope %s' says which", path, command);
}

static status report_of_record(struct logs_record *record, struct report **out_report)
{
    *out_report = logs_report_make(record, REPORT_V21);
    logs_record_free(record);
    return STATUS_OK;
}

static status report_of_logs(const char *path, struct profile *account, struct report **out_report)
{
    struct logs logs;
    struct logs_record record;
    STATUS_TRY(logs_open(&path, 1, &logs));
    struct profile *said = profile_create();
    status result = logs_read(&logs, said, &record);
    if (result == STATUS_OK)
        result = report_of_record(&record, out_report);
    if (result == STATUS_OK)
        any_report_note_losses(account, said, path, "tt-report");
    profile_free(said);
    logs_close(&logs);
    return result;
}

static status report_of_kept(struct profile *profile, struct report **out_report)
{
    struct logs logs = {0};
    struct logs_record record;
    struct profile *said = profile_create();
    status result = logs_restore(profile, profile->source, &logs, said, &record);
    if (result == STATUS_OK)
        result = report_of_record(&record, out_report);
    profile_free(said);
    return result;
}

static status report_of_operators(struct profile *profile, const char *path,
                                  struct report **out_report)
{
    if (logs_are_kept(profile))
        return report_of_kept(profile, out_report);
    return status_within(profile_report_make(profile, REPORT_V21, out_report), "%s", path);
}

static status report_of_profile(const char *path, struct profile *account,
                                struct report **out_report)
{
    const struct format_options options = {0};
    struct profile *profile = profile_create();
    status result = format_read(path, &options, profile);
    if (result == STATUS_OK)
        result = report_of_operators(profile, path, out_report);
    if (result == STATUS_OK)
        any_report_note_losses(account, profile, path, "info");
    profile_free(profile);
    return result;
}

// All -------------------------------------------------------------------------

static bool is_report(const char *path)
{
    return input_file_is(path, report_recognise) && !input_file_is(path, device_report_recognise);
}

static status open_report(const char *path, struct input **out_input, struct report **out_report)
{
    STATUS_TRY(input_open(path, out_input));
    const status failure = report_read(*out_input, out_report);
    if (failure != STATUS_OK) {
        input_close(*out_input);
        *out_input = NULL;
    }
    return failure;
}

status any_report_open(const char *path, struct profile *account, struct input **out_input,
                       struct report **out_report)
{
    char newest[PATH_ROOM] = "";
    if (folder_is(path))
        find_newest(path, 0, newest);
    if (newest[0] != '\0')
        return open_report(newest, out_input, out_report);
    if (is_report(path))
        return open_report(path, out_input, out_report);
    const bool logs = folder_is(path) || input_file_is(path, logs_recognise);
    if (!logs && !ops_report_is_profile(path))
        return open_report(path, out_input, out_report);
    STATUS_TRY(logs ? report_of_logs(path, account, out_report)
                    : report_of_profile(path, account, out_report));
    *out_input = input_over(path, VIEW_LITERAL(""));
    return STATUS_OK;
}
