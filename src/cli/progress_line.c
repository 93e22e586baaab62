#include "progress_line.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop = PTHREAD_COND_INITIALIZER;
static bool running;
static bool stopped;

static void progress_line_show(void)
{
    uint64_t done;
    uint64_t total;
    progress_get(&done, &total);
    if (total > 0)
        fprintf(stderr, "\r%3u %%", (unsigned)((double)done / (double)total * 100));
}

// Waits until it is stopped; false when `milliseconds` have passed first.
static bool wait_for_stop(long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int error = 0;
    while (!stopped && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&stop, &lock, &until);
    return stopped;
}

static void *progress_line_thread(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); // they are for the threads that work
    pthread_mutex_lock(&lock);
    bool shown = false;
    for (long wait = 1000; !wait_for_stop(wait); wait = 250) {
        progress_line_show();
        shown = true;
    }
    if (shown)
        fprintf(stderr, "\r     \r");
    pthread_mutex_unlock(&lock);
    return argument;
}

void progress_line_start(void)
{
    running =
        isatty(STDERR_FILENO) && pthread_create(&thread, NULL, progress_line_thread, NULL) == 0;
}

void progress_line_stop(void)
{
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    stopped = true;
    pthread_cond_signal(&stop);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    running = false;
}
