#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/replace.h"
#include "tool.h"

// Packets: a job goes to the keeper, and KEEPER_STOP while it runs; these come back.
enum { HAS_READ = 'r', HAS_ENDED = 'e', STOP = 's' };

struct ending {
    char kind;
    int wait_status;
};

// In the keeper -------------------------------------------------------------------------------

struct keeping {
    const struct mcp_tool *tools;
    const struct keeper_work *work;
    int control;
    int side;
};

// A job: which tool, how many files, how many words; then these, each with a NUL.
struct job_head {
    uint32_t tool, files, words;
};

static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

// The end of a process that was split off: what others are writing is not its to finish.
_Noreturn static void leave(int code)
{
    fflush(stdout);
    fflush(stderr);
    replace_remove_all();
    _exit(code);
}

static pid_t split_off(const struct keeping *keeping, const struct mcp_tool *tool, int count,
                       char **words, const int alive[2])
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0)
        return child;
    end_with_parent(parent);
    replace_split_off();
    close(alive[0]);
    close(keeping->control);
    leave(keeping->work->run(tool, count, words, keeping->side));
}

// Until the call ends; ends it when the server says so, and everything when the server is gone.
static void wait_for_call(const struct keeping *keeping, pid_t child, int alive)
{
    struct pollfd polls[2] = {{.fd = keeping->control, .events = POLLIN},
                              {.fd = alive, .events = POLLIN}};
    char packet;
    for (;;) {
        if (poll(polls, 2, -1) < 0)
            continue;
        if (polls[1].revents != 0)
            return;
        if (polls[0].revents == 0)
            continue;
        if (recv(keeping->control, &packet, 1, 0) != 1)
            _exit(0); // and the call with it
        kill(child, SIGKILL);
        return;
    }
}

static void keeper_run(const struct keeping *keeping, const struct mcp_tool *tool, int count,
                       char **words)
{
    struct ending ending = {.kind = HAS_ENDED, .wait_status = W_EXITCODE(1, 0)};
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) == 0) {
        const pid_t child = split_off(keeping, tool, count, words, alive);
        close(alive[1]);
        if (child > 0) {
            wait_for_call(keeping, child, alive[0]);
            while (waitpid(child, &ending.wait_status, 0) < 0 && errno == EINTR)
                continue;
        }
        close(alive[0]);
    }
    send(keeping->control, &ending, sizeof ending, MSG_NOSIGNAL);
}

static void keeper_do(const struct keeping *keeping, char *job, size_t size)
{
    struct job_head head;
    memcpy(&head, job, sizeof head);
    char **words = memory_allocate_zeroed((size_t)head.words + 1, sizeof *words);
    char *at = job + sizeof head;
    for (uint32_t i = 0; i < head.files && at < job + size; i++, at += strlen(at) + 1)
        keeping->work->keep(at, keeping->work->kept);
    for (uint32_t i = 0; i < head.words && at < job + size; i++, at += strlen(at) + 1)
        words[i] = at;
    const char read = HAS_READ;
    send(keeping->control, &read, 1, MSG_NOSIGNAL);
    keeper_run(keeping, &keeping->tools[head.tool], (int)head.words, words);
    free(words);
}

_Noreturn static void keeper_serve(const struct keeping *keeping)
{
    char *job = memory_allocate(KEEPER_JOB_MOST);
    for (;;) {
        const ssize_t size = recv(keeping->control, job, KEEPER_JOB_MOST, 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            _exit(0);
        // What was to be stopped had ended before.
        if ((size_t)size > sizeof(struct job_head))
            keeper_do(keeping, job, (size_t)size);
    }
}

// Takes the streams' ends as its own, and the server's standard input for nobody.
_Noreturn static void keeper_begin(const struct keeper *keeper, pid_t server, int control,
                                   const int ends[KEEPER_STREAMS])
{
    end_with_parent(server);
    signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(ends[KEEPER_OUT], STDOUT_FILENO) < 0 || dup2(ends[KEEPER_ERR], STDERR_FILENO) < 0)
        _exit(1);
    const struct keeping keeping = {keeper->tools, keeper->work, control, ends[KEEPER_SIDE]};
    keeper_serve(&keeping);
}

// In the server -------------------------------------------------------------------------------

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static status keeper_split_off(struct keeper *keeper, int control[2], int ends[KEEPER_STREAMS])
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        return status_system(errno, "socketpair", "cannot create");
    for (unsigned i = 0; i < KEEPER_STREAMS; i++) {
        int pair[2];
        if (pipe2(pair, O_CLOEXEC) != 0)
            return status_system(errno, "pipe", "cannot create");
        keeper->files[i] = pair[0];
        ends[i] = pair[1];
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
    }
    fflush(NULL);
    const pid_t server = getpid();
    keeper->process = fork();
    if (keeper->process == 0)
        keeper_begin(keeper, server, control[1], ends);
    if (keeper->process > 0)
        return STATUS_OK;
    keeper->process = 0;
    return status_system(errno, "fork", "cannot start a process");
}

static status keeper_open(struct keeper *keeper)
{
    int control[2] = {-1, -1};
    int ends[KEEPER_STREAMS] = {-1, -1, -1};
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        keeper->files[i] = -1;
    const status result = keeper_split_off(keeper, control, ends);
    close_file(&control[1]);
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        close_file(&ends[i]);
    keeper->control = control[0];
    if (result == STATUS_OK)
        return STATUS_OK;
    close_file(&keeper->control);
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        close_file(&keeper->files[i]);
    return result;
}

static void append_texts(struct bytes *to, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_append(to, texts[i], strlen(texts[i]) + 1);
}

status keeper_start(struct keeper *keeper, const struct keeper_job *job)
{
    struct bytes packet = {0};
    const struct job_head head = {(uint32_t)(job->tool - keeper->tools), (uint32_t)job->file_count,
                                  (uint32_t)job->word_count};
    status result = keeper->process == 0 ? keeper_open(keeper) : STATUS_OK;
    bytes_append(&packet, &head, sizeof head);
    append_texts(&packet, job->files, job->file_count);
    append_texts(&packet, job->words, job->word_count);
    for (unsigned i = 0; i < KEEPER_STREAMS; i++) {
        keeper->streams[i].size = 0;
        keeper->over[i] = false;
    }
    if (result == STATUS_OK && packet.size > KEEPER_JOB_MOST)
        result = status_make(STATUS_LIMIT, "the arguments of a call are more than %d bytes",
                             (int)KEEPER_JOB_MOST);
    if (result == STATUS_OK && send(keeper->control, packet.data, packet.size, MSG_NOSIGNAL) < 0)
        result = status_system(errno, "the process that reads", "cannot be reached");
    if (result == STATUS_OK)
        keeper->state = KEEPER_READING;
    bytes_free(&packet);
    return result;
}

void keeper_poll(const struct keeper *keeper, struct pollfd polls[KEEPER_POLLS])
{
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        polls[i + 1] =
            (struct pollfd){.fd = keeper->process != 0 ? keeper->files[i] : -1, .events = POLLIN};
    polls[0] = (struct pollfd){.fd = keeper->process != 0 ? keeper->control : -1, .events = POLLIN};
}

static void drain(struct keeper *keeper, unsigned stream)
{
    char piece[65536];
    for (;;) {
        const ssize_t got = read(keeper->files[stream], piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        struct bytes *to = &keeper->streams[stream];
        const size_t room = keeper->most[stream] - to->size;
        keeper->over[stream] = keeper->over[stream] || (size_t)got > room;
        if (room > 0)
            bytes_append(to, piece, (size_t)got < room ? (size_t)got : room);
    }
}

// Waits for the process, which has ended or is about to; what it wrote before remains.
static void keeper_reap(struct keeper *keeper)
{
    while (waitpid(keeper->process, &keeper->wait_status, 0) < 0 && errno == EINTR)
        continue;
    for (unsigned i = 0; i < KEEPER_STREAMS; i++) {
        drain(keeper, i);
        close_file(&keeper->files[i]);
    }
    close_file(&keeper->control);
    keeper->process = 0;
    keeper->state = KEEPER_IDLE;
}

static enum keeper_event take_packet(struct keeper *keeper)
{
    struct ending ending;
    const ssize_t size = recv(keeper->control, &ending, sizeof ending, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return KEEPER_NOTHING;
    if (size <= 0) {
        keeper_reap(keeper);
        return KEEPER_DIED;
    }
    if (ending.kind == HAS_READ && keeper->state == KEEPER_READING)
        keeper->state = KEEPER_RUNNING;
    if (ending.kind != HAS_ENDED)
        return KEEPER_NOTHING;
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        drain(keeper, i);
    keeper->wait_status = ending.wait_status;
    keeper->state = KEEPER_IDLE;
    return KEEPER_ENDED;
}

enum keeper_event keeper_take(struct keeper *keeper, const struct pollfd polls[KEEPER_POLLS])
{
    if (keeper->process == 0)
        return KEEPER_NOTHING;
    for (unsigned i = 0; i < KEEPER_STREAMS; i++) {
        if ((polls[i + 1].revents & POLLIN) != 0)
            drain(keeper, i);
    }
    return polls[0].revents != 0 ? take_packet(keeper) : KEEPER_NOTHING;
}

void keeper_stop(struct keeper *keeper)
{
    const char packet = STOP;
    if (keeper->state == KEEPER_READING) {
        kill(keeper->process, SIGKILL);
        keeper_reap(keeper);
    } else if (keeper->state == KEEPER_RUNNING) {
        send(keeper->control, &packet, 1, MSG_NOSIGNAL);
        keeper->state = KEEPER_STOPPING;
    }
}

void keeper_end(struct keeper *keeper)
{
    if (keeper->process != 0) {
        kill(keeper->process, SIGKILL);
        keeper_reap(keeper);
    }
    for (unsigned i = 0; i < KEEPER_STREAMS; i++)
        bytes_free(&keeper->streams[i]);
}
