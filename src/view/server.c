#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"

struct view_connection {
    int file;
    uint64_t until; // ns: when it has had its time
    size_t size;
    char text[VIEW_REQUEST_MOST];
    bool answers; // the request is read
    struct bytes head;
    struct view_answer answer;
    size_t sent; // of head and body
    bool drains; // all is sent; what still comes is thrown away, so that the answer arrives
};

static const uint64_t PATIENCE = VIEW_SECONDS * 1000000000ull;
static const uint64_t DRAINING = 1000000000ull;

// Opening ---------------------------------------------------------------------

static status make_view_token(char token[VIEW_TOKEN_ROOM])
{
    unsigned char bytes[(VIEW_TOKEN_ROOM - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return status_system(errno, "view", "cannot make a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

static status listen_on_loopback(struct view_server *server, uint16_t port)
{
    const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof address;
    char name[32];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(name, sizeof name, "127.0.0.1:%u", port);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0 ||
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, VIEW_CONNECTIONS) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        return status_system(errno, name, "cannot listen");
    server->port = ntohs(address.sin_port);
    return STATUS_OK;
}

// What a signal that ends the server writes to; there is one server at a time.
static int signalled = -1;

static void note_signal(int number)
{
    const int kept = errno;
    const uint64_t one = 1;
    (void)number;
    if (write(signalled, &one, sizeof one) < 0)
        _exit(1);
    errno = kept;
}

static status watch_signals(struct view_server *server)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    server->signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->signals < 0)
        return status_system(errno, "view", "cannot wait for signals");
    signalled = server->signals;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return STATUS_OK;
}

status view_server_open(struct view_server *server, uint16_t port, struct view_content *content)
{
    *server = (struct view_server){.listener = -1, .signals = -1, .content = content};
    server->connections = memory_allocate_zeroed(VIEW_CONNECTIONS, sizeof *server->connections);
    status result = make_view_token(server->token);
    if (result == STATUS_OK)
        result = listen_on_loopback(server, port);
    if (result == STATUS_OK)
        result = watch_signals(server);
    if (result != STATUS_OK)
        view_server_close(server);
    return result;
}

static void close_connection(struct view_server *server, size_t index)
{
    struct view_connection *connection = &server->connections[index];
    close(connection->file);
    bytes_free(&connection->head);
    bytes_free(&connection->answer.body);
    server->connections[index] = server->connections[--server->connection_count];
}

void view_server_close(struct view_server *server)
{
    while (server->connection_count > 0)
        close_connection(server, 0);
    if (server->listener >= 0)
        close(server->listener);
    if (server->signals >= 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        close(server->signals);
    }
    free(server->connections);
    *server = (struct view_server){.listener = -1, .signals = -1};
}

// Answers ---------------------------------------------------------------------

static const char *reason_of(unsigned code)
{
    switch (code) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 421:
        return "Misdirected Request";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Internal Server Error";
    }
}

static struct view body_of(const struct view_connection *connection)
{
    const struct view_answer *answer = &connection->answer;
    return answer->body.size > 0 ? bytes_view(&answer->body) : answer->shared;
}

static void start_answer(const struct view_server *server, struct view_connection *connection,
                         uint64_t now)
{
    struct view_answer *answer = &connection->answer;
    const char *origin = server->content->origin;
    if (answer->code != 200) {
        answer->type = "text/plain; charset=utf-8";
        answer->shared = (struct view){0};
        answer->body.size = 0;
        bytes_append_format(&answer->body, "%u %s\n", answer->code, reason_of(answer->code));
    }
    bytes_append_format(&connection->head,
                        "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                        "Connection: close\r\nCache-Control: no-store\r\n"
                        "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                        "Referrer-Policy: no-referrer\r\n",
                        answer->code, reason_of(answer->code), answer->type,
                        body_of(connection).size);
    if (answer->code == 405)
        bytes_append_format(&connection->head, "Allow: GET\r\n");
    if (origin != NULL)
        bytes_append_format(&connection->head, "Access-Control-Allow-Origin: %s\r\n\r\n", origin);
    else
        bytes_append_format(&connection->head, "Cross-Origin-Resource-Policy: same-origin\r\n\r\n");
    connection->answers = true;
    connection->until = now + PATIENCE;
}

// Compares all of it, so that the time it takes tells nothing.
static bool knows_token(const struct view_server *server, struct view path)
{
    const size_t size = VIEW_TOKEN_ROOM - 1;
    unsigned difference = path.size < size + 2 || path.data[size + 1] != '/';
    for (size_t i = 0; i < size && i + 1 < path.size; i++)
        difference |= (unsigned)(path.data[i + 1] ^ server->token[i]);
    return difference == 0;
}

// Names by which this server may be called: pages of the web that had another name point here
// cannot use it.
static bool is_own_host(const struct view_server *server, struct view host)
{
    char name[2][32];
    snprintf(name[0], sizeof name[0], "127.0.0.1:%u", server->port);
    snprintf(name[1], sizeof name[1], "localhost:%u", server->port);
    return view_is_ignoring_case(host, name[0]) || view_is_ignoring_case(host, name[1]);
}

static unsigned judge(const struct view_server *server, const struct request *request)
{
    if (!is_own_host(server, request->host))
        return 421;
    if (!view_is(request->method, "GET"))
        return 405;
    return knows_token(server, request->path) ? 200 : 403;
}

static void answer_request(struct view_server *server, struct view_connection *connection,
                           const struct request *request, uint64_t now)
{
    struct view_answer *answer = &connection->answer;
    answer->code = judge(server, request);
    if (answer->code == 200) {
        const struct view path = view_slice(request->path, VIEW_TOKEN_ROOM + 1, request->path.size);
        answer->code = 404;
        server->content->answer(server->content, path, request, answer);
        server->answered += answer->code == 200;
    }
    start_answer(server, connection, now);
}

static void refuse(struct view_server *server, struct view_connection *connection, unsigned code,
                   uint64_t now)
{
    connection->answer.code = code;
    start_answer(server, connection, now);
}

// Connections -----------------------------------------------------------------

// False when the connection is at its end.
static bool take_in(struct view_server *server, struct view_connection *connection, uint64_t now)
{
    const ssize_t got = read(connection->file, connection->text + connection->size,
                             sizeof connection->text - connection->size);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    connection->size += (size_t)got;
    struct request request;
    const struct view text = {connection->text, connection->size};
    switch (request_read(text, &request)) {
    case REQUEST_WHOLE:
        answer_request(server, connection, &request, now);
        break;
    case REQUEST_WRONG:
        refuse(server, connection, 400, now);
        break;
    case REQUEST_UNFINISHED:
        if (connection->size == sizeof connection->text)
            refuse(server, connection, 431, now);
        break;
    }
    return true;
}

// The same.
static bool send_out(struct view_connection *connection, uint64_t now)
{
    const struct view head = bytes_view(&connection->head);
    const struct view body = body_of(connection);
    const bool in_head = connection->sent < head.size;
    const struct view piece = in_head ? view_slice(head, connection->sent, head.size)
                                      : view_slice(body, connection->sent - head.size, body.size);
    if (piece.size == 0)
        return false;
    const ssize_t done = send(connection->file, piece.data, piece.size, MSG_NOSIGNAL);
    if (done < 0)
        return errno == EAGAIN || errno == EINTR;
    connection->sent += (size_t)done;
    connection->until = now + PATIENCE;
    if (connection->sent < head.size + body.size)
        return true;
    connection->drains = true;
    connection->until = now + DRAINING;
    return shutdown(connection->file, SHUT_WR) == 0;
}

static bool drain(const struct view_connection *connection)
{
    char thrown_away[4096];
    const ssize_t got = read(connection->file, thrown_away, sizeof thrown_away);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void accept_one(struct view_server *server, uint64_t now)
{
    const int file = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0)
        return;
    if (server->connection_count == VIEW_CONNECTIONS) {
        size_t oldest = 0;
        for (size_t i = 1; i < server->connection_count; i++) {
            if (server->connections[i].until < server->connections[oldest].until)
                oldest = i;
        }
        close_connection(server, oldest);
    }
    struct view_connection *connection = &server->connections[server->connection_count++];
    *connection = (struct view_connection){.file = file, .until = now + PATIENCE};
}

static void serve_connections(struct view_server *server, const struct pollfd *polled, uint64_t now)
{
    for (size_t i = server->connection_count; i > 0; i--) {
        struct view_connection *connection = &server->connections[i - 1];
        bool goes_on = connection->until > now;
        if (goes_on && polled[i - 1].revents != 0)
            goes_on = connection->drains    ? drain(connection)
                      : connection->answers ? send_out(connection, now)
                                            : take_in(server, connection, now);
        if (!goes_on)
            close_connection(server, i - 1);
    }
}

// Running ---------------------------------------------------------------------

static size_t fill_polled(const struct view_server *server, struct pollfd *polled)
{
    const size_t count = server->connection_count;
    for (size_t i = 0; i < count; i++) {
        const struct view_connection *connection = &server->connections[i];
        const bool sends = connection->answers && !connection->drains;
        polled[i] = (struct pollfd){connection->file, sends ? POLLOUT : POLLIN, 0};
    }
    polled[count] = (struct pollfd){server->listener, POLLIN, 0};
    polled[count + 1] = (struct pollfd){server->signals, POLLIN, 0};
    return count + 2;
}

// Milliseconds until a connection has had its time, or nobody has asked for long enough.
static int next_deadline(const struct view_server *server, uint64_t idle_until, uint64_t now)
{
    uint64_t first = idle_until;
    for (size_t i = 0; i < server->connection_count; i++)
        first = server->connections[i].until < first ? server->connections[i].until : first;
    if (first == UINT64_MAX)
        return -1;
    const uint64_t left = first > now ? (first - now) / 1000000 + 1 : 0;
    return left < 3600000 ? (int)left : 3600000;
}

status view_server_run(struct view_server *server, uint64_t idle_ns, uint64_t most)
{
    struct pollfd polled[VIEW_CONNECTIONS + 2];
    uint64_t now = monotonic_ns();
    uint64_t idle_until = idle_ns < UINT64_MAX - now ? now + idle_ns : UINT64_MAX;
    bool ended = false;
    while (!ended && now < idle_until &&
           (most == 0 || server->answered < most || server->connection_count > 0)) {
        const size_t count = fill_polled(server, polled);
        const size_t connections = server->connection_count;
        const int ready = poll(polled, count, next_deadline(server, idle_until, now));
        now = monotonic_ns();
        if (ready < 0 && errno != EINTR)
            return status_system(errno, "view", "cannot wait for requests");
        ended = ready > 0 && polled[connections + 1].revents != 0;
        serve_connections(server, polled, now);
        if (ready > 0 && polled[connections].revents != 0) {
            accept_one(server, now);
            idle_until = idle_ns < UINT64_MAX - now ? now + idle_ns : UINT64_MAX;
        }
    }
    return STATUS_OK;
}
