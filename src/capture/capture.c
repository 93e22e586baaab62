#include "capture.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "launch.h"
#include "record/announce.h"

// Between two looks at the processes: often at first, when most begin, then ever less, so that a
// long run is left alone. Between two looks at the ports: as often to the end, since a program with
// Tracy that begins late may be over soon. Between two looks at the disk.
enum {
    LOOK_MS = 20,
    LOOK_MOST_MS = 500,
    LOOK_PART = 20,
    PORTS_MS = 10,
    DISK_MS = 200,
    PORTS_MOST = 256
};

struct running {
    struct capture *capture;
    const struct capture_options *options;
    int signals;
    sigset_t before;
    bool over; // the command has ended
    uint64_t next_look, next_ports, next_disk, linger_until;
    struct ports ports;
};

// Ports -----------------------------------------------------------------------

static bool port_is_free(uint16_t port)
{
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int reuse = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    const bool is = file >= 0 && bind(file, (struct sockaddr *)&address, sizeof address) == 0;
    if (file >= 0)
        close(file);
    return is;
}

status capture_check_port(uint16_t port)
{
    if (port_is_free(port))
        return STATUS_OK;
    return status_make(STATUS_IO,
                       "port %u is in use: give another one with -p, or leave -p out: programs "
                       "then choose free ports, which are found",
                       port);
}

uint16_t capture_choose_port(void)
{
    for (unsigned port = CAPTURE_PORT_FIRST; port <= CAPTURE_PORT_LAST; port++) {
        if (port_is_free((uint16_t)port))
            return port <= CAPTURE_PORT_OWN ? 0 : (uint16_t)port;
    }
    return 0;
}

// Starting --------------------------------------------------------------------

static char *assignment(const char *name, const char *value)
{
    struct bytes text = {0};
    bytes_append_format(&text, "%s=%s", name, value);
    char *made = view_copy(bytes_view(&text));
    bytes_free(&text);
    return made;
}

static status start_command(struct running *running)
{
    struct capture *capture = running->capture;
    const struct capture_options *options = running->options;
    size_t count = 0;
    while (options->environment[count] != NULL)
        count++;
    char *socket_text = assignment(ANNOUNCE_SOCKET, capture->server.socket_path);
    char *token_text = assignment(ANNOUNCE_TOKEN, capture->server.token);
    const char **environment = memory_allocate_zeroed(count + 3, sizeof *environment);
    memcpy(environment, options->environment, count * sizeof *environment);
    environment[count] = socket_text;
    environment[count + 1] = token_text;
    const struct launch launch = {options->command, environment, &running->before};
    capture->begun = monotonic_ns();
    const status result = launch_start(&launch, &capture->command);
    free(environment);
    free(socket_text);
    free(token_text);
    capture->processes.session = capture->command;
    return result;
}

static status capture_hold_signals(struct running *running)
{
    static const int ASKING[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    for (size_t i = 0; i < sizeof ASKING / sizeof ASKING[0]; i++) {
        struct sigaction action;
        if (sigaction(ASKING[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&held, ASKING[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &running->before);
    running->signals = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
    return running->signals >= 0 ? STATUS_OK
                                 : status_system(errno, "profile", "cannot wait for signals");
}

// Who asked to end once more must not keep what was captured from being written: that is over
// soon. SIGQUIT ends even this.
static void capture_release_signals(void)
{
    sigset_t released;
    sigemptyset(&released);
    sigaddset(&released, SIGCHLD);
    sigaddset(&released, SIGQUIT);
    sigprocmask(SIG_UNBLOCK, &released, NULL);
}

// While it runs ---------------------------------------------------------------

// The command is asked first; who insists ends it.
static void capture_pass_on(struct running *running, int number)
{
    struct capture *capture = running->capture;
    static const int HARDER[] = {0, SIGTERM, SIGKILL};
    const unsigned asked = capture->interrupts++;
    if (asked == 0)
        capture->signal = number;
    if (running->over)
        running->linger_until = 0;
    else
        kill(-capture->command, asked == 0 ? number : HARDER[asked < 2 ? asked : 2]);
}

static void capture_add_usage(struct rusage *sum, const struct rusage *more)
{
    timeradd(&sum->ru_utime, &more->ru_utime, &sum->ru_utime);
    timeradd(&sum->ru_stime, &more->ru_stime, &sum->ru_stime);
    if (more->ru_maxrss > sum->ru_maxrss)
        sum->ru_maxrss = more->ru_maxrss;
}

static void reap(struct running *running)
{
    struct capture *capture = running->capture;
    int wait_status;
    struct rusage usage;
    pid_t child;
    while ((child = wait4(-1, &wait_status, WNOHANG, &usage)) > 0) {
        capture_add_usage(&capture->usage, &usage);
        if (child != capture->command)
            continue;
        capture->wait_status = wait_status;
        capture->ended = monotonic_ns();
        running->over = true;
        running->linger_until = capture->ended + running->options->linger_ms * 1000000ull;
        running->next_look = 0;
    }
}

static void take_signals(struct running *running)
{
    struct signalfd_siginfo about;
    while (read(running->signals, &about, sizeof about) == sizeof about) {
        if (about.ssi_signo != SIGCHLD)
            capture_pass_on(running, (int)about.ssi_signo);
    }
    reap(running);
}

static bool knows_client(const struct capture *capture, const struct listening *port)
{
    for (size_t i = 0; i < capture->client_count; i++) {
        const struct tracy_client *client = &capture->clients[i];
        if (client->process == port->process && client->port == port->port)
            return true;
    }
    return false;
}

static void connect_clients(struct running *running)
{
    struct capture *capture = running->capture;
    struct listening ports[PORTS_MOST];
    const size_t count =
        processes_listening(&capture->processes, &running->ports, ports, PORTS_MOST);
    for (size_t i = 0; i < count && !capture->server.full; i++) {
        char path[4096];
        if (knows_client(capture, &ports[i]))
            continue;
        snprintf(path, sizeof path, "%s/tracy-%d-%u.stream", running->options->folder,
                 (int)ports[i].process, ports[i].port);
        capture->clients = memory_grow(capture->clients, capture->client_count,
                                       &capture->client_capacity, sizeof *capture->clients);
        struct tracy_client *client = &capture->clients[capture->client_count];
        const status opened = tracy_client_open(client, ports[i].process, ports[i].port, path);
        // Gone again: it is looked for the next time.
        if (opened == STATUS_OK)
            capture->client_count++;
        else
            tracy_client_close(client);
        status_free(opened);
    }
}

static uint64_t folder_size(const char *path)
{
    DIR *folder = opendir(path);
    uint64_t sum = 0;
    struct dirent *entry;
    struct stat about;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode))
            sum += (uint64_t)about.st_size;
    }
    if (folder != NULL)
        closedir(folder);
    return sum;
}

static void keep_problem(struct capture *capture, status problem)
{
    capture->problem = status_first(capture->problem, problem);
}

static void stop_clients(struct capture *capture)
{
    for (size_t i = 0; i < capture->client_count; i++)
        tracy_client_stop(&capture->clients[i]);
}

static void check_disk(struct running *running)
{
    struct capture *capture = running->capture;
    capture->captured = folder_size(running->options->folder);
    if (running->options->disk == 0 || capture->server.full ||
        capture->captured <= running->options->disk)
        return;
    server_say_full(&capture->server);
    stop_clients(capture);
}

static void capture_look_around(struct running *running)
{
    struct capture *capture = running->capture;
    const uint64_t now = monotonic_ns();
    if (now >= running->next_ports) {
        running->next_ports = now + PORTS_MS * 1000000ull;
        if (ports_look(&running->ports) > 0)
            running->next_look = now;
    }
    if (now >= running->next_look) {
        const uint64_t since = (now - capture->begun) / 1000000 / LOOK_PART;
        const uint64_t pause = since < LOOK_MS        ? LOOK_MS
                               : since > LOOK_MOST_MS ? LOOK_MOST_MS
                                                      : since;
        running->next_look = now + pause * 1000000ull;
        processes_look(&capture->processes, running->over);
        connect_clients(running);
    }
    if (now >= running->next_disk) {
        running->next_disk = now + DISK_MS * 1000000ull;
        check_disk(running);
    }
}

static bool clients_are_open(const struct capture *capture)
{
    for (size_t i = 0; i < capture->client_count; i++) {
        if (tracy_client_is_open(&capture->clients[i]))
            return true;
    }
    return false;
}

// Processes that record may go on when the command has ended; others do not matter.
static bool is_done(const struct running *running)
{
    const struct capture *capture = running->capture;
    if (!running->over)
        return false;
    const bool waits = capture->processes.alive > 0 &&
                       (capture->server.file_count > 0 || capture->client_count > 0);
    if (!waits && !clients_are_open(capture))
        return true;
    return monotonic_ns() >= running->linger_until;
}

// Milliseconds until there is something to look at.
static int next_moment(const struct running *running)
{
    const uint64_t now = monotonic_ns();
    uint64_t next =
        running->next_look < running->next_disk ? running->next_look : running->next_disk;
    next = running->next_ports < next ? running->next_ports : next;
    return running->over ? PORTS_MS : next > now ? (int)((next - now) / 1000000 + 1) : 0;
}

static status serve_once(struct running *running)
{
    struct capture *capture = running->capture;
    const size_t most = 2 + SERVER_CONNECTIONS + capture->client_count;
    struct pollfd *polled = memory_allocate_zeroed(most, sizeof *polled);
    polled[0] = (struct pollfd){.fd = running->signals, .events = POLLIN};
    const size_t served = server_poll(&capture->server, polled + 1);
    const size_t clients = capture->client_count;
    for (size_t i = 0; i < clients; i++)
        polled[1 + served + i] = tracy_client_poll(&capture->clients[i]);
    const int patience = server_patience(&capture->server);
    const int next = next_moment(running);
    const int wait = patience >= 0 && patience < next ? patience : next;
    const int found = poll(polled, 1 + served + clients, wait);
    status result = found >= 0 || errno == EINTR
                        ? STATUS_OK
                        : status_system(errno, "profile", "cannot wait for the command");
    if (found > 0 && polled[0].revents != 0)
        take_signals(running);
    if (found >= 0)
        server_serve(&capture->server, polled + 1, served);
    for (size_t i = 0; i < clients && found > 0; i++) {
        const short events = polled[1 + served + i].revents;
        if (tracy_client_is_open(&capture->clients[i]) && events != 0)
            keep_problem(capture, tracy_client_serve(&capture->clients[i], events));
    }
    free(polled);
    return result;
}

static status run_to_end(struct running *running)
{
    while (!is_done(running)) {
        STATUS_TRY(serve_once(running));
        capture_look_around(running);
    }
    stop_clients(running->capture);
    processes_look(&running->capture->processes, true);
    running->capture->lingering = running->capture->processes.alive;
    running->capture->captured = folder_size(running->options->folder);
    return STATUS_OK;
}

status capture_run(struct capture *capture, const struct capture_options *options)
{
    struct running running = {.capture = capture, .options = options, .signals = -1};
    *capture = (struct capture){.server.listener = -1};
    STATUS_TRY(server_open(&capture->server, options->folder));
    // What the command leaves behind becomes ours, so that it is seen and its time counted.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    status result = capture_hold_signals(&running);
    if (result == STATUS_OK)
        result = start_command(&running);
    const uint16_t only = options->port;
    ports_open(&running.ports, only != 0 ? only : CAPTURE_PORT_FIRST,
               only != 0 ? only : CAPTURE_PORT_LAST);
    if (result == STATUS_OK)
        result = run_to_end(&running);
    else if (capture->command > 0)
        waitpid(capture->command, NULL, 0);
    ports_close(&running.ports);
    if (running.signals >= 0)
        close(running.signals);
    capture_release_signals();
    return result;
}

void capture_free(struct capture *capture)
{
    for (size_t i = 0; i < capture->client_count; i++)
        tracy_client_close(&capture->clients[i]);
    free(capture->clients);
    server_close(&capture->server);
    processes_free(&capture->processes);
    status_free(capture->problem);
    *capture = (struct capture){.server.listener = -1};
}

int capture_exit_status(const struct capture *capture)
{
    return WIFSIGNALED(capture->wait_status) ? 128 + WTERMSIG(capture->wait_status)
                                             : WEXITSTATUS(capture->wait_status);
}
