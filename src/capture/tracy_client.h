// A program of the command that Tracy is linked with: it listens, we connect, take its stream to
// a file as it comes, and ask for the names that the stream refers to.
//
// Memory: one frame, and the distinct names that were asked for.

#ifndef OPSCOPE_CAPTURE_TRACY_CLIENT_H
#define OPSCOPE_CAPTURE_TRACY_CLIENT_H

#include <poll.h>
#include <sys/types.h>

#include "formats/tracy/asker.h"
#include "base/status.h"

enum tracy_client_state {
    TRACY_CLIENT_GREETING,  // connected; its status or its greeting are on the way
    TRACY_CLIENT_STREAMING, // its greeting is in the file
    TRACY_CLIENT_DONE,      // it has sent all
    TRACY_CLIENT_BROKEN,    // the connection ended before, or what came makes no sense
    TRACY_CLIENT_REFUSED,   // it speaks another protocol, or somebody else has captured it
    TRACY_CLIENT_NOT_TRACY, // something else listens there
};

struct tracy_client {
    pid_t process;
    uint16_t port;
    enum tracy_client_state state;
    const char *problem; // static; with states that are failures
    char *path;          // of the stream
    int file;
    int socket;
    uint64_t opened; // ns of CLOCK_MONOTONIC
    uint64_t written;
    unsigned offered; // protocols that it did not take
    struct tracy_wire *wire;
    struct tracy_asker asker;
    size_t sent;      // of the asker's questions; SIZE_MAX: not even the hello
    uint64_t answers; // that may be open at once
    struct bytes incoming;
    bool ending; // the program was told that we have all
};

// Connects to 127.0.0.1:port without waiting. The stream goes to a new file at `path`.
status tracy_client_open(struct tracy_client *client, pid_t process, uint16_t port,
                         const char *path);
void tracy_client_close(struct tracy_client *client);

bool tracy_client_is_open(const struct tracy_client *client);
struct pollfd tracy_client_poll(const struct tracy_client *client);

// What poll found. Fails when the stream cannot be written; the program then goes on without us.
status tracy_client_serve(struct tracy_client *client, short events);

// Takes what is there and ends the connection: for a capture that is over, or at its limit.
void tracy_client_stop(struct tracy_client *client);

#endif
