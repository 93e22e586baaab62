#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// In the child. Only returns when there is nothing to run.
static void launch_become(const struct launch *launch)
{
    setsid();
    for (size_t i = 0; launch->environment[i] != NULL; i++)
        putenv((char *)launch->environment[i]);
    sigprocmask(SIG_SETMASK, launch->signals, NULL);
    execvp(launch->command[0], launch->command);
}

status launch_start(const struct launch *launch, pid_t *out_process)
{
    int pipes[2];
    int error = 0;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return status_system(errno, launch->command[0], "cannot start it");
    const pid_t child = fork();
    if (child == 0) {
        launch_become(launch);
        error = errno;
        // The parent learns why; where even that fails it sees the exit status.
        if (write(pipes[1], &error, sizeof error) < 0)
            _exit(126);
        _exit(127);
    }
    close(pipes[1]);
    const int failure = errno;
    // Nothing comes where the program was started: the pipe closes with that.
    ssize_t got = 0;
    while (child > 0 && (got = read(pipes[0], &error, sizeof error)) < 0 && errno == EINTR)
        ;
    close(pipes[0]);
    *out_process = child;
    if (child < 0)
        return status_system(failure, launch->command[0], "cannot start it");
    if (got == (ssize_t)sizeof error)
        return status_system(error, launch->command[0], "cannot run the command");
    return STATUS_OK;
}
