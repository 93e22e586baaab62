// The Model Context Protocol on the standard input and output: answers what a client asks until it
// ends its input, or nobody reads the output any more.
//
// All revisions from 2024-11-05 to 2026-07-28 (reply.h): with "initialize" or, in the last one, a
// version in each request; batches where the revision has them. Calls are done one after the other
// in the order in which they came; everything else is answered at once, and a call can be cancelled
// whether it waits or runs.

#ifndef OPSCOPE_MCP_SERVER_H
#define OPSCOPE_MCP_SERVER_H

#include "keeper.h"
#include "reply.h"

enum {
    MCP_CALLS_MOST = 64,             // that wait
    MCP_ANSWER_MOST = 256 << 10,     // bytes of JSON
    MCP_PICTURE_MOST = 8 << 20,      // bytes of a picture
    MCP_MESSAGE_MOST = 16 << 10,     // bytes of what a call says to people
    MCP_GRACE_NS = 1000 * 1000000ll, // for what is running when the input ends
};

struct mcp_server_options {
    struct mcp_server_facts facts;
    struct keeper_work work;
    uint64_t call_ns; // a call is ended after this time
    status (*place)(struct view path, struct arena *arena, const char **out_path);
};

// Returns when the client is gone; fails where its messages cannot be read.
status mcp_serve(const struct mcp_server_options *options);

#endif
