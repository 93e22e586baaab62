#include "tracy_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "formats/tracy/stream.h"
#include "processes.h"
#include "record/ticks.h"

// Answers to the handshake.
enum { STATUS_WELCOME = 1, STATUS_MISMATCH = 2, STATUS_TAKEN = 3 };

enum { READ_PIECE = 1 << 16, QUESTIONS_MOST = 8192, QUESTIONS_SPARE = 4 };

static const char OTHER_PROTOCOL[] =
    "it speaks another protocol of Tracy's than those of its releases 0.9 to 0.14 and of "
    "tt-metal's "
    "fork (63, 64, 66, 69, 74, 76, 82): capture it with the tool of its own version and give the "
    ".tracy file to opscope";
static const char OVER_TOO_SOON[] = "it speaks another protocol of Tracy's than 66, and was over "
                                    "before it had been asked in all others: with TRACY_NO_EXIT=1 "
                                    "a program with Tracy waits";

// Opening ---------------------------------------------------------------------

// The program may have ended meanwhile, and one of somebody else's have taken its port.
static status check_port(const struct tracy_client *client)
{
    return processes_lost_port(client->process, client->port)
               ? status_make(STATUS_DATA, "a port of the command is somebody else's by now")
               : STATUS_OK;
}

// Somebody else's program is not disturbed, nor, where it came just before us, captured.
static status connect_socket(struct tracy_client *client)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(client->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    STATUS_TRY(check_port(client));
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client->socket < 0 ||
        (connect(client->socket, (struct sockaddr *)&address, sizeof address) != 0 &&
         errno != EINPROGRESS))
        return status_system(errno, "127.0.0.1", "cannot connect to a port of the command");
    return check_port(client);
}

// As many questions may be open as fit into the socket: with more, both sides could wait for the
// other to read.
static uint64_t answers_of(int file)
{
    int size = 0;
    socklen_t length = sizeof size;
    getsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, &length);
    const int most =
        size / TRACY_QUESTION < QUESTIONS_MOST ? size / TRACY_QUESTION : QUESTIONS_MOST;
    return most > QUESTIONS_SPARE ? (uint64_t)(most - QUESTIONS_SPARE) : 1;
}

status tracy_client_open(struct tracy_client *client, pid_t process, uint16_t port,
                         const char *path)
{
    *client = (struct tracy_client){
        .process = process, .port = port, .file = -1, .socket = -1, .opened = monotonic_ns()};
    STATUS_TRY(connect_socket(client));
    client->path = view_copy(view_of(path));
    client->answers = answers_of(client->socket);
    client->sent = SIZE_MAX; // the hello comes first, once the connection stands
    client->wire = memory_allocate_zeroed(1, sizeof *client->wire);
    tracy_wire_start(client->wire, tracy_dialect_offer(0));
    tracy_asker_start(&client->asker);
    return STATUS_OK;
}

static void hang_up(struct tracy_client *client)
{
    if (client->socket >= 0)
        close(client->socket);
    if (client->file >= 0)
        close(client->file);
    client->socket = -1;
    client->file = -1;
}

void tracy_client_close(struct tracy_client *client)
{
    hang_up(client);
    if (client->wire != NULL)
        tracy_asker_free(&client->asker);
    bytes_free(&client->incoming);
    free(client->wire);
    free(client->path);
    *client = (struct tracy_client){.file = -1, .socket = -1};
}

static void end_as(struct tracy_client *client, enum tracy_client_state state, const char *problem)
{
    client->state = state;
    client->problem = problem;
    hang_up(client);
}

bool tracy_client_is_open(const struct tracy_client *client)
{
    return client->socket >= 0;
}

// Where it goes ---------------------------------------------------------------

static status write_bytes(struct tracy_client *client, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t done = write(client->file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            const int error = done < 0 ? errno : ENOSPC;
            end_as(client, TRACY_CLIENT_BROKEN, "its stream could not be written");
            return status_system(error, client->path, "cannot write");
        }
        at += done;
        size -= (size_t)done;
        client->written += (uint64_t)done;
    }
    return STATUS_OK;
}

// The program counts either the processor's time stamps or nanoseconds since the machine started:
// whichever makes it begin before we connected, and after the machine did.
static uint64_t find_zero(const struct tracy_welcome *welcome)
{
    const uint64_t now = monotonic_ns();
    const uint64_t counts[] = {ticks_now(), now};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const double since = ((double)counts[i] - (double)welcome->begin) * welcome->multiplier;
        if (welcome->begin > 0 && since >= 0 && since < (double)now)
            return now - (uint64_t)since;
    }
    return TRACY_STREAM_NO_TIME;
}

static void read_boot(char boot[TRACY_STREAM_BOOT])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    memset(boot, 0, TRACY_STREAM_BOOT);
    if (file == NULL)
        return;
    if (fscanf(file, "%63s", boot) != 1)
        boot[0] = '\0';
    fclose(file);
}

static status tracy_client_write_head(struct tracy_client *client, struct view greeting)
{
    const struct tracy_welcome welcome = tracy_welcome_of(client->wire, greeting);
    const uint32_t protocol = client->wire->dialect.protocol;
    const uint64_t zero = find_zero(&welcome);
    char boot[TRACY_STREAM_BOOT];
    read_boot(boot);
    client->file = open(client->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (client->file < 0) {
        const int error = errno;
        end_as(client, TRACY_CLIENT_BROKEN, "its stream could not be written");
        return status_system(error, client->path, "cannot create");
    }
    STATUS_TRY(write_bytes(client, TRACY_STREAM_MAGIC, sizeof TRACY_STREAM_MAGIC - 1));
    STATUS_TRY(write_bytes(client, &zero, sizeof zero));
    STATUS_TRY(write_bytes(client, boot, sizeof boot));
    STATUS_TRY(write_bytes(client, &protocol, sizeof protocol));
    return write_bytes(client, greeting.data, greeting.size);
}

// Coming in -------------------------------------------------------------------

static void drop_incoming(struct tracy_client *client, size_t size)
{
    memmove(client->incoming.data, client->incoming.data + size, client->incoming.size - size);
    client->incoming.size -= size;
}

// A program tells nobody what it speaks; to ask in a protocol that it does not speak costs it
// nothing but time: one that is soon over may be gone before it is asked in its own.
static void offer_next(struct tracy_client *client)
{
    const uint32_t protocol = tracy_dialect_offer(++client->offered);
    hang_up(client);
    client->incoming.size = 0;
    client->sent = SIZE_MAX;
    if (protocol == 0 || !tracy_wire_start(client->wire, protocol)) {
        end_as(client, TRACY_CLIENT_REFUSED, OTHER_PROTOCOL);
        return;
    }
    const status failure = connect_socket(client);
    if (failure != STATUS_OK)
        end_as(client, TRACY_CLIENT_REFUSED, OVER_TOO_SOON);
    status_free(failure);
}

// False: more must come first.
static bool take_greeting(struct tracy_client *client, status *out_failure)
{
    const struct view incoming = bytes_view(&client->incoming);
    if (incoming.size == 0)
        return false;
    if (incoming.data[0] == STATUS_MISMATCH) {
        offer_next(client);
    } else if (incoming.data[0] == STATUS_TAKEN) {
        end_as(client, TRACY_CLIENT_REFUSED,
               "somebody else has captured it already: a program is captured once");
    } else if (incoming.data[0] != STATUS_WELCOME) {
        end_as(client, TRACY_CLIENT_NOT_TRACY, "something else than Tracy answers there");
    } else {
        size_t size = 1 + tracy_dialect_welcome(&client->wire->dialect);
        if (incoming.size < size)
            return false;
        const struct view greeting = view_slice(incoming, 1, size);
        size += tracy_welcome_of(client->wire, greeting).on_demand ? TRACY_ON_DEMAND : 0;
        if (incoming.size < size)
            return false;
        client->state = TRACY_CLIENT_STREAMING;
        *out_failure = tracy_client_write_head(client, view_slice(incoming, 1, size));
        drop_incoming(client, size);
    }
    return client->state == TRACY_CLIENT_STREAMING && *out_failure == STATUS_OK;
}

static void see_items(struct tracy_client *client, struct view packed)
{
    struct view content;
    struct tracy_item item;
    if (!tracy_wire_unpack(client->wire, packed, &content)) {
        end_as(client, TRACY_CLIENT_BROKEN, "a frame that it sent cannot be unpacked");
        return;
    }
    struct tracy_cursor items = tracy_cursor_of(content);
    while (tracy_wire_next(client->wire, &items, &item))
        tracy_asker_see(&client->asker, client->wire, &item);
    if (tracy_left(&items) > 0)
        end_as(client, TRACY_CLIENT_BROKEN, "it sent an item that its protocol does not have");
}

static bool take_frame(struct tracy_client *client, status *out_failure)
{
    struct tracy_cursor cursor = tracy_cursor_of(bytes_view(&client->incoming));
    const uint32_t size = tracy_u32(&cursor);
    if (!cursor.short_of && (size == 0 || size > TRACY_FRAME_MOST)) {
        end_as(client, TRACY_CLIENT_BROKEN, "it sent a frame of a size that there is none of");
        return false;
    }
    const struct view packed = tracy_take(&cursor, size);
    if (cursor.short_of)
        return false;
    *out_failure = write_bytes(client, client->incoming.data, 4 + packed.size);
    if (*out_failure == STATUS_OK)
        see_items(client, packed);
    if (!tracy_client_is_open(client))
        return false;
    drop_incoming(client, 4 + packed.size);
    return true;
}

static status take_incoming(struct tracy_client *client)
{
    status failure = STATUS_OK;
    if (client->state == TRACY_CLIENT_GREETING && !take_greeting(client, &failure))
        return failure;
    while (tracy_client_is_open(client) && take_frame(client, &failure))
        ;
    return failure;
}

static status receive_all(struct tracy_client *client)
{
    for (int pieces = 0; pieces < 64 && tracy_client_is_open(client); pieces++) {
        unsigned char *room = bytes_reserve(&client->incoming, READ_PIECE);
        const ssize_t got = recv(client->socket, room, READ_PIECE, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return STATUS_OK;
        if (got <= 0) {
            const bool greeting = client->state == TRACY_CLIENT_GREETING;
            if (greeting && client->offered > 0) {
                end_as(client, TRACY_CLIENT_REFUSED, OVER_TOO_SOON);
                return STATUS_OK;
            }
            const bool whole = client->asker.ended && client->incoming.size == 0;
            end_as(client,
                   greeting ? TRACY_CLIENT_NOT_TRACY
                   : whole  ? TRACY_CLIENT_DONE
                            : TRACY_CLIENT_BROKEN,
                   greeting ? "something listens there that does not speak as Tracy does, or it "
                              "ended before "
                              "it answered (with TRACY_NO_EXIT=1 a program with Tracy waits)"
                   : whole  ? NULL
                            : "the connection ended before the program said that it was done");
            return STATUS_OK;
        }
        client->incoming.size += (size_t)got;
        STATUS_TRY(take_incoming(client));
        if (client->sent == SIZE_MAX) // it is asked once more
            return STATUS_OK;
    }
    return STATUS_OK;
}

// Going out -------------------------------------------------------------------

// Questions that may go: those with the program and these together are at most `answers`.
static size_t questions_to_send(const struct tracy_client *client)
{
    const size_t waiting = client->asker.questions.size - client->sent;
    const uint64_t with_program = client->asker.open - waiting / TRACY_QUESTION;
    if (with_program >= client->answers)
        return client->sent % TRACY_QUESTION != 0 ? TRACY_QUESTION - client->sent % TRACY_QUESTION
                                                  : 0;
    const uint64_t room = (client->answers - with_program) * TRACY_QUESTION;
    return waiting < room ? waiting : (size_t)room;
}

static void send_some(struct tracy_client *client, const void *data, size_t size, size_t *out_sent)
{
    const ssize_t sent = send(client->socket, data, size, MSG_NOSIGNAL);
    *out_sent = sent > 0 ? (size_t)sent : 0;
}

static void send_questions(struct tracy_client *client)
{
    struct bytes *questions = &client->asker.questions;
    const size_t size = questions_to_send(client);
    size_t sent = 0;
    if (size > 0)
        send_some(client, questions->data + client->sent, size, &sent);
    client->sent += sent;
    if (client->sent == questions->size) {
        client->sent = 0;
        questions->size = 0;
    }
}

// All has come, all questions are answered: the program may go.
static void say_end(struct tracy_client *client)
{
    static const unsigned char END[TRACY_QUESTION] = {TRACY_ASK_END};
    size_t sent;
    if (!client->asker.ended || client->asker.open > 0 || client->ending)
        return;
    send_some(client, END, sizeof END, &sent);
    client->ending = sent == sizeof END;
    if (client->ending)
        end_as(client, TRACY_CLIENT_DONE, NULL);
}

static bool send_hello(struct tracy_client *client)
{
    char hello[12] = "TracyPrf";
    const uint32_t protocol = client->wire->dialect.protocol;
    size_t sent;
    memcpy(hello + 8, &protocol, sizeof protocol);
    send_some(client, hello, sizeof hello, &sent);
    client->ending = false;
    return sent == sizeof hello;
}

struct pollfd tracy_client_poll(const struct tracy_client *client)
{
    const bool wants =
        client->sent == SIZE_MAX || (client->asker.questions.size > 0 && questions_to_send(client));
    return (struct pollfd){.fd = client->socket, .events = (short)(POLLIN | (wants ? POLLOUT : 0))};
}

status tracy_client_serve(struct tracy_client *client, short events)
{
    if (events & POLLOUT && client->sent == SIZE_MAX) {
        client->sent = 0;
        if (!send_hello(client)) {
            const bool refused = client->offered > 0;
            end_as(client, refused ? TRACY_CLIENT_REFUSED : TRACY_CLIENT_NOT_TRACY,
                   refused ? OVER_TOO_SOON : "nobody listens there any more");
            return STATUS_OK;
        }
    }
    if (events & (POLLIN | POLLHUP | POLLERR))
        STATUS_TRY(receive_all(client));
    if (tracy_client_is_open(client) && client->state == TRACY_CLIENT_STREAMING) {
        send_questions(client);
        say_end(client);
    }
    return STATUS_OK;
}

void tracy_client_stop(struct tracy_client *client)
{
    if (!tracy_client_is_open(client))
        return;
    status_free(receive_all(client));
    if (!tracy_client_is_open(client))
        return;
    if (client->state == TRACY_CLIENT_GREETING)
        end_as(client, TRACY_CLIENT_NOT_TRACY, "it did not answer as Tracy does");
    else
        end_as(client, TRACY_CLIENT_BROKEN, "the capture was over before the program was done");
}
