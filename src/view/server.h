// An HTTP server for one reader at this machine: on 127.0.0.1 alone, for requests that know a
// secret (the token, the first part of every path) and name this server as their host, so that
// neither other users of the machine nor pages of the web get at anything. It reads (GET) and
// nothing else.
//
// A connection has one request of at most VIEW_REQUEST_MOST bytes and VIEW_SECONDS for it, and
// as long again for each step of its answer; at most VIEW_CONNECTIONS are open, of which the one
// that has waited longest makes room for the next. So nothing that connects can hold up the others
// or take memory.

#ifndef OPSCOPE_VIEW_SERVER_H
#define OPSCOPE_VIEW_SERVER_H

#include "base/bytes.h"
#include "base/status.h"
#include "request.h"

enum { VIEW_CONNECTIONS = 32, VIEW_REQUEST_MOST = 8192, VIEW_SECONDS = 10 };
enum { VIEW_TOKEN_ROOM = 33 };

// What is said to a request: `body` is freed once it is sent; where it is empty, `shared` is what
// is sent, which outlives the server.
struct view_answer {
    unsigned code; // of HTTP
    const char *type;
    struct bytes body;
    struct view shared;
};

// Says what `path` (without the token, "" for the page itself) is. `answer` is a 404.
struct view_content {
    void (*answer)(struct view_content *content, struct view path, const struct request *request,
                   struct view_answer *answer);
    const char *origin; // of another page that may read answers; NULL: none
};

struct view_server {
    int listener;
    int signals; // readable once one has come that ends the server
    uint16_t port;
    char token[VIEW_TOKEN_ROOM];
    struct view_content *content;
    struct view_connection *connections;
    size_t connection_count;
    uint64_t answered; // requests that got what they asked for
};

// Listens; port 0: any that is free. From now on SIGINT and SIGTERM end the server, not the
// process.
status view_server_open(struct view_server *server, uint16_t port, struct view_content *content);

// Serves until SIGINT or SIGTERM comes, nothing has been asked for as long as `idle_ns`
// (UINT64_MAX: for ever), or `most` requests were answered (0: any number).
status view_server_run(struct view_server *server, uint64_t idle_ns, uint64_t most);

void view_server_close(struct view_server *server);

#endif
