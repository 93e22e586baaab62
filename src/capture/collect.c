#include "collect.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/merge.h"
#include "base/memory.h"
#include "formats/format.h"

struct collecting {
    const struct capture *capture;
    struct merge merge;
    size_t capacity;
    struct collected collected;
    struct profile *notes; // whose ledger gets what went wrong: that of the processes
};

static struct merge_source *add_source(struct collecting *collecting, const char *name,
                                       struct profile *profile)
{
    struct merge *merge = &collecting->merge;
    merge->sources =
        memory_grow(merge->sources, merge->count, &collecting->capacity, sizeof *merge->sources);
    struct merge_source *source = &merge->sources[merge->count++];
    *source = (struct merge_source){.name = view_copy(view_of(name)), .profile = profile};
    source->path = source->name; // what messages call it
    return source;
}

// Processes -------------------------------------------------------------------

static void capture_collect_say_clock(struct profile *profile)
{
    char boot[64] = "";
    char text[128];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return;
    if (fscanf(file, "%63s", boot) == 1) {
        snprintf(text, sizeof text, "CLOCK_MONOTONIC of boot %s", boot);
        profile_fact_add(profile, "clock", view_of(text));
    }
    fclose(file);
}

// A lane with one span for each, from when it was first seen to when it was last.
static struct profile *processes_profile(const struct capture *capture)
{
    struct profile *profile = profile_create();
    const uint32_t clock = profile_clock_find(profile, "ns", 1000000000);
    profile_fact_add(profile, "format", VIEW_LITERAL("capture"));
    capture_collect_say_clock(profile);
    const struct track command = {.kind = TRACK_PROCESS,
                                  .name = profile_string(profile, VIEW_LITERAL("processes"))};
    const uint32_t parent = profile_track_add(profile, &command);
    const uint32_t parent_key = profile_string(profile, VIEW_LITERAL("parent"));
    for (size_t i = 0; i < capture->processes.count; i++) {
        const struct process *process = &capture->processes.items[i];
        const bool is_command = process->id == capture->command;
        char name[PROCESS_NAME + 16];
        snprintf(name, sizeof name, "%s %d", process->name, (int)process->id);
        const struct track lane = {.kind = TRACK_LANE,
                                   .parent = parent,
                                   .clock = clock,
                                   .name = profile_string(profile, view_of(name)),
                                   .provenance = PROVENANCE_DERIVED,
                                   .rank = (int32_t)i};
        struct bytes values = {0};
        value_add_uint(&values, parent_key, (uint64_t)process->parent);
        const struct event event = {.start = is_command ? capture->begun : process->seen,
                                    .end = is_command ? capture->ended : process->last,
                                    .track = profile_track_add(profile, &lane),
                                    .name = profile_string(profile, view_of(process->name)),
                                    .kind = EVENT_SPAN};
        profile_event_add(profile, &event, bytes_view(&values));
        bytes_free(&values);
    }
    return profile;
}

const char *capture_process_name(const struct capture *capture, pid_t id)
{
    for (size_t i = capture->processes.count; i-- > 0;) {
        if (capture->processes.items[i].id == id)
            return capture->processes.items[i].name;
    }
    return "process";
}

// What they recorded ----------------------------------------------------------

static bool name_is_taken(const struct merge *merge, const char *name)
{
    for (size_t i = 0; i < merge->count; i++) {
        if (strcmp(merge->sources[i].name, name) == 0)
            return true;
    }
    return false;
}

// "python 123", "python 123-2" for its second recording.
static void capture_collect_unique_name(const struct collecting *collecting, pid_t process,
                                        const char *called, char *name, size_t room)
{
    snprintf(name, room, "%s %d", called, (int)process);
    for (unsigned number = 2; name_is_taken(&collecting->merge, name); number++)
        snprintf(name, room, "%s %d-%u", called, (int)process, number);
}

static void collect_file(struct collecting *collecting, const char *path, pid_t process,
                         const char *called, size_t *count)
{
    const struct format_options options = {0};
    char name[PROCESS_NAME + 32];
    struct profile *profile = profile_create();
    const status failure = format_read(path, &options, profile);
    capture_collect_unique_name(
        collecting, process,
        called[0] != '\0' ? called : capture_process_name(collecting->capture, process), name,
        sizeof name);
    if (failure == STATUS_OK) {
        // Where it lies is soon nowhere; the merge puts its name in front.
        profile_notes_rename(profile, path, "");
        add_source(collecting, name, profile);
        (*count)++;
        return;
    }
    collecting->collected.unreadable++;
    profile_note(collecting->notes, 0, LEDGER_LOST, 1, "%s: what it recorded cannot be read: %s",
                 name, status_message(failure));
    status_free(failure);
    profile_free(profile);
}

static void collect_recordings(struct collecting *collecting)
{
    const struct server *server = &collecting->capture->server;
    for (size_t i = 0; i < server->file_count; i++) {
        const struct recorded_file *file = &server->files[i];
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file->file);
        collect_file(collecting, file->file >= 0 ? path : file->path, file->process, file->name,
                     &collecting->collected.recordings);
    }
}

static void collect_streams(struct collecting *collecting)
{
    const struct capture *capture = collecting->capture;
    for (size_t i = 0; i < capture->client_count; i++) {
        const struct tracy_client *client = &capture->clients[i];
        if (client->written > 0)
            collect_file(collecting, client->path, client->process, "",
                         &collecting->collected.streams);
        if (client->problem != NULL)
            profile_note(collecting->notes, 0,
                         client->state == TRACY_CLIENT_BROKEN ? LEDGER_LOST : LEDGER_REMARK, 1,
                         "%s %d, port %u: %s", capture_process_name(capture, client->process),
                         (int)client->process, client->port, client->problem);
    }
}

static void note_troubles(struct collecting *collecting)
{
    const struct capture *capture = collecting->capture;
    struct profile *notes = collecting->notes;
    if (capture->server.refused > 0)
        profile_note(notes, 0, LEDGER_REMARK, 1,
                     "requests to the capture that were refused (no token, no sense, too slow): "
                     "%llu",
                     (unsigned long long)capture->server.refused);
    if (capture->server.full)
        profile_note(notes, 0, LEDGER_LOST, 1,
                     "the capture reached its limit of disk: allow more with --disk");
    if (capture->problem != STATUS_OK)
        profile_note(notes, 0, LEDGER_LOST, 1, "%s", status_message(capture->problem));
    if (capture->lingering > 0 && capture->server.file_count + capture->client_count > 0)
        profile_note(notes, 0, LEDGER_REMARK, 1,
                     "processes that went on when the command had ended: %zu; what they wrote "
                     "until then is here",
                     capture->lingering);
}

status capture_collect(const struct capture *capture, struct profile *out,
                       struct collected *out_collected)
{
    struct collecting collecting = {.capture = capture};
    collecting.notes = processes_profile(capture);
    add_source(&collecting, "command", collecting.notes);
    collect_recordings(&collecting);
    collect_streams(&collecting);
    note_troubles(&collecting);
    struct ledger *root = &profile_track(collecting.notes, 0)->ledger;
    root->expected = root->recorded + root->lost + root->impossible;
    status result = profile_finish(collecting.notes);
    if (result == STATUS_OK)
        result = merge_place(&collecting.merge);
    if (result == STATUS_OK)
        result = merge_fill(&collecting.merge, out);
    for (size_t i = 0; i < collecting.merge.count; i++)
        merge_source_free(&collecting.merge.sources[i]);
    free(collecting.merge.sources);
    *out_collected = collecting.collected;
    return result;
}
