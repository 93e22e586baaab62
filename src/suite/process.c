#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/monotonic.h"

enum { NS_PER_MS = 1000000, CANNOT_START = 127, INPUT_READ = 0, INPUT_WRITE = 1 };

struct files {
    int input, output, errors, log;
    int held[2]; // a pipe; -1: none
};

static void close_all(struct files *files)
{
    const int each[] = {files->input, files->output,  files->errors,
                        files->log,   files->held[0], files->held[1]};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        if (each[i] >= 0)
            close(each[i]);
    }
}

static status open_for_writing(const char *path, bool append, int *out_file)
{
    *out_file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    return *out_file < 0 ? status_system(errno, path, "cannot write") : STATUS_OK;
}

static status process_open_files(const struct process_request *request, struct files *files)
{
    STATUS_TRY(open_for_writing(request->log, true, &files->log));
    if (request->output != NULL)
        STATUS_TRY(open_for_writing(request->output, false, &files->output));
    if (request->errors != NULL)
        STATUS_TRY(open_for_writing(request->errors, false, &files->errors));
    if (request->held)
        return pipe2(files->held, O_CLOEXEC) != 0 ? status_system(errno, "pipe", "cannot create")
                                                  : STATUS_OK;
    const char *input = request->input != NULL ? request->input : "/dev/null";
    files->input = open(input, O_RDONLY | O_CLOEXEC);
    return files->input < 0 ? status_system(errno, input, "cannot read") : STATUS_OK;
}

static void log_command(const struct process_request *request, int log)
{
    struct bytes line = {0};
    bytes_append(&line, "$", 1);
    for (size_t i = 0; request->words[i] != NULL; i++)
        bytes_append_format(&line, " %s", request->words[i]);
    bytes_append(&line, "\n", 1);
    // A log that cannot be written does not keep a command from running.
    const ssize_t written = write(log, line.data, line.size);
    (void)written;
    bytes_free(&line);
}

// In the child. No more than what may be called after fork, whatever threads there were.
static void process_become(const struct process_request *request, const struct files *files,
                           pid_t parent)
{
    static const char REFUSED[] = "cannot start it: ";
    const struct rlimit none = {0, 0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // which ended before that was said
        _exit(CANNOT_START);
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    dup2(request->held ? files->held[INPUT_READ] : files->input, STDIN_FILENO);
    dup2(files->output >= 0 ? files->output : files->log, STDOUT_FILENO);
    dup2(files->errors >= 0 ? files->errors : files->log, STDERR_FILENO);
    execvp(request->words[0], request->words);
    const char *reason = strerror(errno);
    ssize_t written = write(STDERR_FILENO, REFUSED, sizeof REFUSED - 1);
    written = write(STDERR_FILENO, reason, strlen(reason));
    written = write(STDERR_FILENO, "\n", 1);
    (void)written;
    _exit(CANNOT_START);
}

// Until the child ends or the time is over; whether it ended.
static bool process_await(pid_t child, uint64_t deadline)
{
    const int file = (int)syscall(SYS_pidfd_open, child, 0);
    siginfo_t state = {0};
    for (;;) {
        state.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            state.si_pid == child)
            break;
        const uint64_t now = monotonic_ns();
        if (now >= deadline)
            break;
        const uint64_t left = (deadline - now) / NS_PER_MS + 1;
        struct pollfd poll_file = {.fd = file, .events = POLLIN};
        // Where there are no such descriptors it is looked after again and again.
        if (file >= 0)
            poll(&poll_file, 1, left > 1000000 ? 1000000 : (int)left);
        else
            poll(NULL, 0, 1);
    }
    if (file >= 0)
        close(file);
    return state.si_pid == child;
}

static void finish(pid_t child, uint64_t deadline, uint64_t begun, struct process_result *result)
{
    int state = 0;
    result->late = !process_await(child, deadline);
    result->wall_ns = monotonic_ns() - begun;
    kill(-child, SIGKILL); // what it left behind, or all of it
    if (result->late)
        kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    result->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    result->code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static status process_start(const struct process_request *request, struct files *files,
                            struct process_result *result)
{
    STATUS_TRY(process_open_files(request, files));
    log_command(request, files->log);
    fflush(NULL);
    const uint64_t begun = monotonic_ns();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0)
        process_become(request, files, parent);
    if (child < 0)
        return status_system(errno, request->words[0], "cannot start a process");
    setpgid(child, child); // whoever comes first; the child may be gone
    finish(child, request->deadline, begun, result);
    return STATUS_OK;
}

status process_run(const struct process_request *request, struct process_result *out_result)
{
    struct files files = {-1, -1, -1, -1, {-1, -1}};
    *out_result = (struct process_result){0};
    const status result = process_start(request, &files, out_result);
    close_all(&files);
    return result;
}

const char *process_text(const struct process_result *result, char *text, size_t room)
{
    if (result->late)
        snprintf(text, room, "took longer than its time");
    else if (result->signal != 0)
        snprintf(text, room, "signal %d (%s)", result->signal, strsignal(result->signal));
    else
        snprintf(text, room, "exit %d", result->code);
    return text;
}
