// The socket of a capture: processes of the command ask where to record, or say what they record
// (record/announce.h).
//
// A connection has one line to send, with the token, and SERVER_SECONDS for it; at most
// SERVER_CONNECTIONS are open, of which the one that has waited longest makes room for the next;
// a recorder that meets with this tries again. So nothing that connects can hold up the others or
// take memory.

#ifndef OPSCOPE_CAPTURE_SERVER_H
#define OPSCOPE_CAPTURE_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

enum { SERVER_CONNECTIONS = 256, SERVER_SECONDS = 10 };

// Something that a process records.
struct recorded_file {
    char *path; // in the folder of the capture; where it could not be linked there, its own
    int file;   // an open one of a file elsewhere, so that it cannot vanish; -1: none
    pid_t process;
    char name[64]; // of the process, when it asked
};

struct server {
    char *folder; // of the capture
    char *socket_folder;
    char *socket_path;
    char token[33];
    int listener;
    struct connection *connections;
    size_t connection_count;
    struct recorded_file *files;
    size_t file_count;
    size_t file_capacity;
    uint64_t refused; // requests without the token, or that make no sense
    bool full;        // no more disk may be taken
};

// Listens; files go into `folder`, which exists.
status server_open(struct server *server, const char *folder);
void server_close(struct server *server);

// For poll: fills at most 1 + SERVER_CONNECTIONS entries and tells how many.
size_t server_poll(const struct server *server, struct pollfd *polled);

// What poll found.
void server_serve(struct server *server, const struct pollfd *polled, size_t count);

// Milliseconds until a connection has had its time; -1: there is none.
int server_patience(const struct server *server);

// From now on recorders write nothing more.
void server_say_full(struct server *server);

#endif
