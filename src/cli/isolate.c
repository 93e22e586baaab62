#include "isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/replace.h"

static double now(void)
{
    return (double)monotonic_ns() * 1e-9;
}

static void isolate_write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        data += written;
        size -= (size_t)written;
    }
}

// Bytes that came before the child closed its end or the time was over.
static size_t read_until(int file, char *data, size_t size, double end, bool *out_late)
{
    size_t done = 0;
    *out_late = false;
    while (done < size) {
        const double left = end - now();
        struct pollfd poll_file = {.fd = file, .events = POLLIN};
        const int ready = left > 0 ? poll(&poll_file, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0) {
            *out_late = true;
            break;
        }
        const ssize_t got = read(file, data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static status isolate_explain(int state, bool late, double seconds)
{
    if (late)
        return status_make(STATUS_LIMIT, "took longer than %g s", seconds);
    if (WIFSIGNALED(state))
        return status_make(STATUS_DATA, "crashed: signal %d (%s)", WTERMSIG(state),
                           strsignal(WTERMSIG(state)));
    return status_make(STATUS_DATA, "ended without a result (exit %d)", WEXITSTATUS(state));
}

static void run_child(int file, void (*work)(const void *context, void *result),
                      const void *context, void *result, size_t size)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it may be what took too long
    work(context, result);
    isolate_write_all(file, result, size);
    _exit(0);
}

status isolate_run(void (*work)(const void *context, void *result), const void *context,
                   void *result, size_t size, double seconds)
{
    int ends[2];
    if (pipe(ends) != 0)
        return status_system(errno, "pipe", "cannot create");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        replace_split_off();
        close(ends[0]);
        run_child(ends[1], work, context, result, size);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return status_system(errno, "fork", "cannot start a process");
    }
    bool late;
    const bool whole = read_until(ends[0], result, size, now() + seconds, &late) == size;
    close(ends[0]);
    // A child that closed the pipe is about to end; one that is late never may.
    if (late)
        kill(child, SIGKILL);
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return whole ? STATUS_OK : isolate_explain(state, late, seconds);
}
