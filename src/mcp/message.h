// Messages of a client: JSON-RPC 2.0, each a line of JSON (or an array of messages, which some
// revisions of the protocol have).
//
// Lines come in pieces, as they are read. A line of more than MCP_LINE_MOST bytes is passed over
// and said to be too long; memory does not grow beyond it.

#ifndef OPSCOPE_MCP_MESSAGE_H
#define OPSCOPE_MCP_MESSAGE_H

#include "base/bytes.h"
#include "wire/json_reader.h"

enum { MCP_LINE_MOST = 4 << 20, MCP_ID_MOST = 256, MCP_BATCH_MOST = 64 };

// Codes of errors, of JSON-RPC and of the protocol.
enum mcp_error {
    MCP_ERROR_PARSE = -32700,
    MCP_ERROR_REQUEST = -32600,
    MCP_ERROR_METHOD = -32601,
    MCP_ERROR_PARAMETERS = -32602,
    MCP_ERROR_INTERNAL = -32603,
    MCP_ERROR_VERSION = -32022,
};

// All zero is one that nothing came for.
struct mcp_lines {
    struct bytes held;
    size_t used;   // bytes at the beginning that were handed out
    bool too_long; // the line at hand, of which nothing is held
};

void mcp_lines_add(struct mcp_lines *lines, const char *data, size_t size);

// The next whole line without its end; false when there is none yet. `*out_too_long`: it was more
// than is taken, and is "". Valid until something is added.
bool mcp_lines_next(struct mcp_lines *lines, struct view *out_line, bool *out_too_long);

void mcp_lines_free(struct mcp_lines *lines);

// A request's id, a text or a whole number, which its answer repeats.
struct mcp_id {
    bool known;
    bool is_text;
    char text[MCP_ID_MOST + 1]; // or the number as it is written
};

bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b);

// False when a value is none.
bool mcp_id_of(const struct json_value *value, struct mcp_id *out_id);

enum mcp_message_kind {
    MCP_WRONG, // no message: `method` says why
    MCP_REQUEST,
    MCP_NOTIFICATION,
    MCP_RESPONSE, // to what the server never asked
};

struct mcp_message {
    enum mcp_message_kind kind;
    struct mcp_id id;
    struct view method;
    const struct json_value *params; // an object, or NULL
};

// Of a value of JSON, in which it has its views.
void mcp_message_read(const struct json_value *value, struct mcp_message *out_message);

#endif
