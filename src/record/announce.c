#include "announce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/monotonic.h"

bool announce_is_wanted(void)
{
    const char *path = getenv(ANNOUNCE_SOCKET);
    const char *token = getenv(ANNOUNCE_TOKEN);
    return path != NULL && path[0] != '\0' && token != NULL && token[0] != '\0';
}

static int connect_to_capture(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv(ANNOUNCE_SOCKET);
    const struct timeval limit = {.tv_sec = ANNOUNCE_SECONDS};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -1;
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(file, (struct sockaddr *)&address, sizeof address) == 0)
        return file;
    close(file);
    return -1;
}

static bool send_line(int file, const char *line)
{
    for (size_t left = strlen(line); left > 0;) {
        const ssize_t sent = send(file, line, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        line += sent;
        left -= (size_t)sent;
    }
    return true;
}

static bool receive_line(int file, char *line, size_t room)
{
    for (size_t size = 0; size + 1 < room;) {
        const ssize_t got = recv(file, line + size, room - size - 1, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        size += (size_t)got;
        line[size] = '\0';
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
            return true;
        }
    }
    return false;
}

// NULL, or why there is no answer.
static const char *announce_ask(const char *verb, const char *what, char *answer, size_t room)
{
    char line[ANNOUNCE_LINE];
    const int size = snprintf(line, sizeof line, ANNOUNCE_WORD " %s %s %s\n",
                              getenv(ANNOUNCE_TOKEN), verb, what);
    if (size < 0 || (size_t)size >= sizeof line || strchr(what, '\n') != NULL)
        return "the path is too long or has a line feed in it";
    // A capture that many ask at once may turn some away: they come back.
    const uint64_t until = monotonic_ns() + ANNOUNCE_SECONDS * 1000000000ull;
    do {
        const int file = connect_to_capture();
        if (file < 0)
            return "nobody answers at its socket: is it over?";
        const bool answered = send_line(file, line) && receive_line(file, answer, room);
        close(file);
        if (answered)
            return NULL;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    } while (monotonic_ns() < until);
    return "it closed the connection or did not answer";
}

status announce_place(const char *name, char *path, size_t room)
{
    char answer[ANNOUNCE_LINE] = "";
    const char *problem = announce_ask("place", name, answer, sizeof answer);
    if (problem == NULL && strncmp(answer, "ok ", 3) != 0)
        problem = answer;
    const int size = problem == NULL ? snprintf(path, room, "%s", answer + 3) : 0;
    if (problem == NULL && (size < 0 || (size_t)size >= room))
        problem = "its folder has a path that is too long";
    return problem == NULL ? STATUS_OK
                           : status_make(STATUS_IO, "the capture around this process: %s", problem);
}

void announce_file(const char *path, char *full, size_t room)
{
    char answer[ANNOUNCE_LINE] = "";
    char *whole = realpath(path, NULL);
    full[0] = '\0';
    if (whole != NULL && announce_ask("file", whole, answer, sizeof answer) == NULL &&
        strncmp(answer, "ok ", 3) == 0)
        snprintf(full, room, "%s", answer + 3);
    free(whole);
}
