#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/view.h"
#include "record/announce.h"

struct connection {
    int file;
    uint64_t until;
    size_t size;
    char line[ANNOUNCE_LINE];
};

// Opening ---------------------------------------------------------------------

static status make_token(char token[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return status_system(errno, "profile", "cannot make a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

// A folder of its own that nobody else may enter; its path must fit into an address.
static status make_socket_folder(struct server *server)
{
    enum { MOST = 80 };
    const char *chosen = getenv("TMPDIR");
    char path[128];
    snprintf(path, sizeof path, "%s/opscope-XXXXXX",
             chosen != NULL && chosen[0] == '/' && strlen(chosen) < MOST ? chosen : "/tmp");
    if (mkdtemp(path) == NULL)
        return status_system(errno, path, "cannot make a folder for the socket of the capture");
    server->socket_folder = view_copy(view_of(path));
    return STATUS_OK;
}

static status start_listening(struct server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/capture", server->socket_folder);
    server->socket_path = view_copy(view_of(address.sun_path));
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, SOMAXCONN) != 0)
        return status_system(errno, server->socket_path, "cannot listen");
    return STATUS_OK;
}

status server_open(struct server *server, const char *folder)
{
    *server = (struct server){.listener = -1, .folder = view_copy(view_of(folder))};
    server->connections = memory_allocate_zeroed(SERVER_CONNECTIONS, sizeof *server->connections);
    status result = make_token(server->token);
    if (result == STATUS_OK)
        result = make_socket_folder(server);
    if (result == STATUS_OK)
        result = start_listening(server);
    if (result != STATUS_OK)
        server_close(server);
    return result;
}

void server_close(struct server *server)
{
    for (size_t i = 0; i < server->connection_count; i++)
        close(server->connections[i].file);
    if (server->listener >= 0)
        close(server->listener);
    if (server->socket_path != NULL)
        unlink(server->socket_path);
    if (server->socket_folder != NULL)
        rmdir(server->socket_folder);
    for (size_t i = 0; i < server->file_count; i++) {
        free(server->files[i].path);
        if (server->files[i].file >= 0)
            close(server->files[i].file);
    }
    free(server->files);
    free(server->connections);
    free(server->socket_path);
    free(server->socket_folder);
    free(server->folder);
    *server = (struct server){.listener = -1};
}

// Requests --------------------------------------------------------------------

// It waits for our answer, so that it is there.
static void server_read_name(pid_t process, char *name, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    FILE *file = fopen(path, "re");
    const size_t size = file != NULL ? fread(name, 1, room - 1, file) : 0;
    name[size] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

static struct recorded_file *add_file(struct server *server, pid_t process)
{
    server->files = memory_grow(server->files, server->file_count, &server->file_capacity,
                                sizeof *server->files);
    struct recorded_file *file = &server->files[server->file_count++];
    *file = (struct recorded_file){.file = -1, .process = process};
    server_read_name(process, file->name, sizeof file->name);
    return file;
}

static char *new_path(const struct server *server, pid_t process)
{
    struct bytes text = {0};
    bytes_append_format(&text, "%s/%d-%zu.prof", server->folder, (int)process, server->file_count);
    char *path = view_copy(bytes_view(&text));
    bytes_free(&text);
    return path;
}

static bool is_in_folder(const struct server *server, const char *path)
{
    const size_t size = strlen(server->folder);
    return strncmp(path, server->folder, size) == 0 && path[size] == '/';
}

// A second name keeps the file whatever the program does to its own; on another disk an open file
// does, as long as there is room for them.
static void keep_file(struct server *server, pid_t process, const char *path)
{
    enum { OPEN_MOST = 256 };
    char *linked = new_path(server, process);
    struct recorded_file *file = add_file(server, process);
    if (linkat(AT_FDCWD, path, AT_FDCWD, linked, 0) == 0) {
        file->path = linked;
        return;
    }
    free(linked);
    file->path = view_copy(view_of(path));
    if (server->file_count < OPEN_MOST)
        file->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

// Compares all of it, so that the time it takes tells nothing.
static bool token_is_right(const struct server *server, const char *token, size_t size)
{
    unsigned difference = size != strlen(server->token);
    for (size_t i = 0; i < size && i < strlen(server->token); i++)
        difference |= (unsigned)(token[i] ^ server->token[i]);
    return difference == 0;
}

static void answer_request(struct server *server, pid_t process, const char *verb, const char *what,
                           char *answer, size_t room)
{
    if (server->full) {
        snprintf(answer, room, "no it has reached its limit of disk\n");
    } else if (strcmp(verb, "place") == 0) {
        // What is recorded there comes back as a file.
        char *path = new_path(server, process);
        add_file(server, process)->path = path;
        snprintf(answer, room, "ok %s\n", path);
    } else if (strcmp(verb, "file") == 0 && what[0] == '/') {
        if (!is_in_folder(server, what))
            keep_file(server, process, what);
        snprintf(answer, room, "ok %s/" ANNOUNCE_FULL "\n", server->folder);
    } else {
        server->refused++;
        snprintf(answer, room, "no this is no request that is known\n");
    }
}

// "opscope-capture 1 TOKEN verb what"
static void handle_line(struct server *server, struct connection *connection)
{
    char answer[ANNOUNCE_LINE] = "no the token is wrong\n";
    char *line = connection->line;
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    const size_t word = strlen(ANNOUNCE_WORD);
    char *token = strncmp(line, ANNOUNCE_WORD " ", word + 1) == 0 ? line + word + 1 : NULL;
    char *verb = token != NULL ? strchr(token, ' ') : NULL;
    char *what = verb != NULL ? strchr(verb + 1, ' ') : NULL;
    const bool known = getsockopt(connection->file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                       (peer.uid == getuid() || peer.uid == 0);
    if (!known || what == NULL || !token_is_right(server, token, (size_t)(verb - token))) {
        server->refused++;
    } else {
        *what++ = '\0';
        answer_request(server, peer.pid, verb + 1, what, answer, sizeof answer);
    }
    // Small enough for the buffer of any socket: who does not read it gets nothing.
    if (send(connection->file, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        server->refused++;
}

// Connections -----------------------------------------------------------------

static void drop_connection(struct server *server, size_t index)
{
    close(server->connections[index].file);
    server->connection_count--;
    memmove(&server->connections[index], &server->connections[index + 1],
            (server->connection_count - index) * sizeof *server->connections);
}

// True when it is done with.
static bool serve_connection(struct server *server, struct connection *connection)
{
    const size_t room = sizeof connection->line - 1 - connection->size;
    const ssize_t got = recv(connection->file, connection->line + connection->size, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got > 0)
        connection->size += (size_t)got;
    connection->line[connection->size] = '\0';
    char *end = strchr(connection->line, '\n');
    if (end != NULL) {
        *end = '\0';
        handle_line(server, connection);
        return true;
    }
    const bool bad = got <= 0 || connection->size == sizeof connection->line - 1 ||
                     strlen(connection->line) < connection->size;
    server->refused += bad;
    return bad;
}

static void take_connections(struct server *server)
{
    int file;
    while ((file = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (server->connection_count == SERVER_CONNECTIONS) {
            server->refused++;
            drop_connection(server, 0);
        }
        struct connection *connection = &server->connections[server->connection_count++];
        connection->file = file;
        connection->size = 0;
        connection->until = monotonic_ns() + SERVER_SECONDS * 1000000000ull;
        // Most have sent their line already.
        if (serve_connection(server, connection))
            drop_connection(server, server->connection_count - 1);
    }
}

size_t server_poll(const struct server *server, struct pollfd *polled)
{
    polled[0] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    for (size_t i = 0; i < server->connection_count; i++)
        polled[1 + i] = (struct pollfd){.fd = server->connections[i].file, .events = POLLIN};
    return 1 + server->connection_count;
}

void server_serve(struct server *server, const struct pollfd *polled, size_t count)
{
    const uint64_t now = monotonic_ns();
    for (size_t i = server->connection_count; i-- > 0;) {
        const bool ready = 1 + i < count && polled[1 + i].revents != 0;
        if (ready && serve_connection(server, &server->connections[i])) {
            drop_connection(server, i);
        } else if (server->connections[i].until <= now) {
            server->refused++;
            drop_connection(server, i);
        }
    }
    if (polled[0].revents != 0)
        take_connections(server);
}

int server_patience(const struct server *server)
{
    if (server->connection_count == 0)
        return -1;
    const uint64_t now = monotonic_ns();
    const uint64_t until = server->connections[0].until;
    return until > now ? (int)((until - now) / 1000000 + 1) : 0;
}

void server_say_full(struct server *server)
{
    char path[4096];
    server->full = true;
    snprintf(path, sizeof path, "%s/" ANNOUNCE_FULL, server->folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}
