#include "recording.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "base/replace.h"
#include "record/announce.h"

static const struct {
    int number;
    const char *name;
} SIGNALS[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static struct {
    const char *command;
    const char *path;
    struct recorder *recorder;
    sigset_t asked;  // the signals that ask to end, but for those that are ignored, and our own
    sigset_t before; // the mask to go back to
    pthread_t waiter;
} recording;

static status checked(status result)
{
    if (result == STATUS_OK)
        return STATUS_OK;
    const status failure =
        status_make(STATUS_IO, "%s: --profile: %s", recording.command, status_message(result));
    status_free(result);
    return failure;
}

static status recording_end(struct profile **out_account)
{
    return checked(recorder_finish(recording.recorder, out_account));
}

static const char *recording_name_of(int number)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (SIGNALS[i].number == number)
            return SIGNALS[i].name;
    }
    return "a signal";
}

static void *wait_to_be_asked(void *nothing)
{
    int number;
    if (sigwait(&recording.asked, &number) != 0)
        return nothing;
    if (number == SIGRTMIN) // it is over: recording_stop
        return nothing;
    opscope_fact("ended_by", recording_name_of(number));
    const status result = recording_end(NULL);
    if (result == STATUS_OK)
        fprintf(stderr, "opscope: %s: ended by %s; what was recorded until then is in %s\n",
                recording.command, recording_name_of(number), recording.path);
    else
        fprintf(stderr, "opscope: %s\n", status_message(result));
    status_free(result);
    replace_remove_all();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return nothing;
}

// Threads that begin from now on do not take the signals either.
static void recording_hold_signals(void)
{
    sigemptyset(&recording.asked);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction action;
        if (sigaction(SIGNALS[i].number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&recording.asked, SIGNALS[i].number);
    }
    sigaddset(&recording.asked, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &recording.asked, &recording.before);
}

static void recording_release_signals(void)
{
    pthread_sigmask(SIG_SETMASK, &recording.before, NULL);
}

bool recording_is_captured(const char *command, const char *process, char *path, size_t room)
{
    if (!announce_is_wanted())
        return false;
    const status failure = announce_place(process, path, room);
    if (failure != STATUS_OK)
        fprintf(stderr, "opscope: %s: not recorded: %s\n", command, status_message(failure));
    status_free(failure);
    return failure == STATUS_OK;
}

status recording_start(const char *command, const char *path, const char *process,
                       struct recorder **out_recorder)
{
    const struct opscope_record_options options = {.path = path, .process = process};
    recording.command = command;
    recording.path = path;
    recording_hold_signals();
    status result = checked(recorder_start(&options, &recording.recorder));
    if (result == STATUS_OK && pthread_create(&recording.waiter, NULL, wait_to_be_asked, NULL) != 0)
        result = status_first(checked(status_make(STATUS_IO, "cannot start a thread")),
                              recording_end(NULL));
    if (result != STATUS_OK)
        recording_release_signals();
    *out_recorder = recording.recorder;
    return result;
}

status recording_stop(struct profile **out_account)
{
    pthread_kill(recording.waiter, SIGRTMIN);
    pthread_join(recording.waiter, NULL);
    const status result = recording_end(out_account);
    recording_release_signals();
    return result;
}
