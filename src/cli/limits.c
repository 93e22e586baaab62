#include "limits.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/replace.h"
#include "units.h"

enum { SECOND = 1000000000 };
static const int64_t TIME_USUAL = 3600ll * SECOND;

// A sanitizer maps more than any machine has.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool MEMORY_IS_COUNTED = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static const bool MEMORY_IS_COUNTED = false;
#else
static const bool MEMORY_IS_COUNTED = true;
#endif
#else
static const bool MEMORY_IS_COUNTED = true;
#endif

// What the handler says: made before, as it may not.
static char time_message[256];

static void end_late(int number)
{
    (void)number;
    replace_remove_all();
    if (write(STDERR_FILENO, time_message, strlen(time_message)) < 0)
        _exit(EXIT_FAILED); // nobody is there to be told
    _exit(EXIT_FAILED);
}

static status limit_time(const struct arguments *arguments)
{
    const char *text = arguments_value(arguments, "max-time");
    int64_t most = TIME_USUAL;
    if (text != NULL && (!units_signed_time(view_of(text), &most) || most < 0))
        return status_make(STATUS_USAGE, "%s: --max-time: '%s' is no time such as 90s",
                           arguments_command(arguments), text);
    if (most == 0)
        return STATUS_OK;
    snprintf(time_message, sizeof time_message,
             "opscope: %s: took longer than %.9g s; --max-time allows more\n",
             arguments_command(arguments), (double)most / SECOND);
    signal(SIGALRM, end_late);
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)(most / SECOND),
                                                 .tv_usec = (suseconds_t)(most % SECOND / 1000)}};
    // Less than a microsecond would be never.
    const struct itimerval soon = {.it_value = {.tv_usec = 1}};
    setitimer(ITIMER_REAL, most < 1000 ? &soon : &timer, NULL);
    return STATUS_OK;
}

// Counts what is written to, in heaps, mappings and stacks: not files that are mapped to be read.
static status limit_memory(const struct arguments *arguments)
{
    const char *text = arguments_value(arguments, "max-memory");
    uint64_t most = memory_of_machine() / 8 * 7;
    if (text != NULL && !units_size(view_of(text), &most))
        return status_make(STATUS_USAGE, "%s: --max-memory: '%s' is no size such as 4GiB",
                           arguments_command(arguments), text);
    struct rlimit limit;
    if (most == 0 || !MEMORY_IS_COUNTED || getrlimit(RLIMIT_DATA, &limit) != 0 ||
        limit.rlim_cur <= most)
        return STATUS_OK;
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_DATA, &limit) != 0)
        return status_system(errno, "--max-memory", "cannot be set");
    return STATUS_OK;
}

static bool has_option(const struct command *command, const char *name)
{
    const struct option *option;
    for (size_t i = 0; (option = command_option(command, i)) != NULL; i++) {
        if (strcmp(option->name, name) == 0)
            return true;
    }
    return false;
}

status limits_apply(const struct command *command, const struct arguments *arguments)
{
    const char *text = command->no_files ? NULL : arguments_value(arguments, "max-unpacked");
    uint64_t most = 0;
    if (text != NULL && (!units_size(view_of(text), &most) || most == 0))
        return status_make(STATUS_USAGE, "%s: --max-unpacked: '%s' is no size such as 4GiB",
                           command->name, text);
    input_limit_unpacked(most);
    if (has_option(command, "max-time"))
        STATUS_TRY(limit_time(arguments));
    return has_option(command, "max-memory") ? limit_memory(arguments) : STATUS_OK;
}
