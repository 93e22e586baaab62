// What the server answers, as data; and the messages that are made of it.

#ifndef OPSCOPE_MCP_REPLY_H
#define OPSCOPE_MCP_REPLY_H

#include "message.h"
#include "tool.h"

// Revisions of the protocol, in the order of their dates.
enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26,
    MCP_2025_06_18,
    MCP_2025_11_25, // the last one that begins with "initialize"
    MCP_2026_07_28, // every request says its version
    MCP_VERSIONS,
};
extern const char *const MCP_VERSION_NAMES[MCP_VERSIONS];

// False when there is none of this name.
bool mcp_version_find(struct view name, enum mcp_version *out_version);

enum reply_kind {
    REPLY_ERROR, // of the protocol: `code`, `text`
    REPLY_EMPTY,
    REPLY_INITIALIZE,
    REPLY_DISCOVER,
    REPLY_TOOLS,
    REPLY_ANSWER,  // of a call: `out` is JSON, `side` its pages or a picture
    REPLY_FAILURE, // of a call: `text` says what to do
};

struct reply {
    enum reply_kind kind;
    struct mcp_id id;
    enum mcp_version version; // of the request
    int code;
    struct bytes text;
    const struct mcp_tool *tool;
    struct bytes out, side;
    bool loss;
    char requested[32]; // of MCP_ERROR_VERSION: the version that nobody here knows
};

void reply_free(struct reply *reply);

// What a server says of itself and offers.
struct mcp_server_facts {
    const char *name, *title, *version;
    const char *instructions;
    const struct mcp_tool *tools;
    size_t tool_count;
};

// Writes a message: an object at the top, or in an array.
void reply_write(const struct reply *reply, const struct mcp_server_facts *facts,
                 struct json_writer *json);

#endif
