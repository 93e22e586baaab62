#include "run_profiles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger_text.h"
#include "paths.h"
#include "profile/file.h"
#include "recording.h"
#include "run_blocks.h"

static const struct {
    const char *option;
    enum torq_form form;
} FORMS[RUN_PROFILES_FORMS] = {
    {"torq_profile_host", TORQ_R2}, {"torq_profile", TORQ_R1}, {"torq_profile_events", TORQ_R4}};

// Choosing --------------------------------------------------------------------------------

static status check_path(const char *command, const char *path, const char *const *inputs,
                         size_t input_count)
{
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return status_make(STATUS_USAGE, "%s: a profile cannot be '%s': name a file", command,
                           path);
    STATUS_TRY(paths_check(command, path, inputs, input_count));
    return paths_check_writable(command, path);
}

static status check_twice(const struct run_profiles *profiles, const char *path)
{
    for (size_t i = 0; i < profiles->count; i++) {
        if (strcmp(profiles->files[i].path, path) == 0)
            return status_make(STATUS_USAGE, "%s: two profiles cannot both be '%s'",
                               profiles->command, path);
    }
    return STATUS_OK;
}

// Beside the first file, where there is room for it and a user finds it. What is no plain
// file (/dev/null) has no place beside it.
static status choose_recording(struct run_profiles *profiles)
{
    struct stat about;
    char path[4096];
    const char *first = profiles->files[0].path;
    const bool odd = stat(first, &about) == 0 && !S_ISREG(about.st_mode);
    const char *folder = getenv("TMPDIR");
    profiles->temporary = true;
    const int size = odd ? snprintf(path, sizeof path, "%s/opscope-run-%ld.prof",
                                    folder != NULL ? folder : "/tmp", (long)getpid())
                         : snprintf(path, sizeof path, "%s.partial.prof", first);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "%s: the path '%s' is too long", profiles->command, first);
    profiles->recording = view_copy(view_of(path));
    return STATUS_OK;
}

static status choose_elapsed(const struct arguments *arguments, struct run_profiles *profiles)
{
    const char *since = arguments_value(arguments, "torq_profile_elapsed");
    profiles->elapsed =
        since != NULL && strcmp(since, "first") == 0 ? TORQ_SINCE_FIRST : TORQ_SINCE_PREVIOUS;
    if (since == NULL || strcmp(since, "first") == 0 || strcmp(since, "previous") == 0)
        return STATUS_OK;
    return status_make(STATUS_USAGE, "%s: --torq_profile_elapsed=%s: expected previous or first",
                       profiles->command, since);
}

status run_profiles_choose(const struct arguments *arguments, const char *command,
                           const char *const *inputs, size_t input_count,
                           struct run_profiles *out_profiles)
{
    const char *own = arguments_value(arguments, "profile");
    *out_profiles = (struct run_profiles){.command = command};
    STATUS_TRY(choose_elapsed(arguments, out_profiles));
    for (size_t i = 0; i < RUN_PROFILES_FORMS; i++) {
        const char *path = arguments_value(arguments, FORMS[i].option);
        if (path == NULL)
            continue;
        STATUS_TRY(check_path(command, path, inputs, input_count));
        STATUS_TRY(check_twice(out_profiles, path));
        out_profiles->files[out_profiles->count].path = path;
        out_profiles->files[out_profiles->count++].form = FORMS[i].form;
    }
    if (own == NULL)
        return out_profiles->count > 0 ? choose_recording(out_profiles) : STATUS_OK;
    STATUS_TRY(check_path(command, own, inputs, input_count));
    STATUS_TRY(check_twice(out_profiles, own));
    out_profiles->recording = view_copy(view_of(own));
    return STATUS_OK;
}

void run_profiles_free(struct run_profiles *profiles)
{
    free(profiles->recording);
    profiles->recording = NULL;
}

// Recording -------------------------------------------------------------------------------

status run_profiles_start(const struct run_profiles *profiles, const struct target *target,
                          struct recorder **out_recorder)
{
    char process[256];
    *out_recorder = NULL;
    snprintf(process, sizeof process, "%s, run on this machine", target->name);
    return profiles->recording != NULL
               ? recording_start(profiles->command, profiles->recording, process, out_recorder)
               : STATUS_OK;
}

// Each is there as a whole or not at all.
static status run_profiles_write_files(const struct run_profiles *profiles,
                                       const struct run_actions *actions)
{
    for (size_t i = 0; i < profiles->count; i++) {
        const char *path = profiles->files[i].path;
        STATUS_TRY(run_actions_write(actions, profiles->files[i].form, profiles->elapsed, path));
    }
    return STATUS_OK;
}

static status remove_recording(const struct run_profiles *profiles)
{
    return unlink(profiles->recording) == 0 || errno == ENOENT
               ? STATUS_OK
               : status_system(errno, profiles->recording, "cannot remove");
}

// What is printed comes last: whoever reads it may go away.
static void print_recorded(const struct run_profiles *profiles, const struct run_actions *actions,
                           const struct profile *recorded)
{
    if (actions->unknown > 0)
        fprintf(stderr, "opscope: %s: %llu recorded actions are not in the program\n",
                profiles->command, (unsigned long long)actions->unknown);
    if (ledger_exit(recorded) != EXIT_DONE)
        ledger_warn(recorded);
    run_blocks_print(actions);
}

static status write_recorded(const struct run_profiles *profiles, const struct program *program)
{
    struct input *input;
    struct run_actions actions;
    STATUS_TRY(input_open(profiles->recording, &input));
    struct profile *recorded = profile_create();
    status result = profile_load(input, recorded);
    if (result == STATUS_OK)
        result = run_actions_read(program, recorded, &actions);
    if (result == STATUS_OK) {
        result = run_profiles_write_files(profiles, &actions);
        if (result == STATUS_OK && profiles->temporary)
            result = remove_recording(profiles);
        if (result == STATUS_OK)
            print_recorded(profiles, &actions, recorded);
        run_actions_free(&actions);
    }
    profile_free(recorded);
    return result;
}

status run_profiles_finish(const struct run_profiles *profiles, const struct program *program,
                           status run)
{
    if (profiles->recording == NULL)
        return run;
    status result = status_first(run, recording_stop(NULL));
    if (result != STATUS_OK)
        return profiles->temporary ? status_first(result, remove_recording(profiles)) : result;
    result = write_recorded(profiles, program);
    if (result != STATUS_OK && profiles->temporary)
        return status_within(result, "the run is kept in %s; its profile was not written",
                             profiles->recording);
    return result;
}
