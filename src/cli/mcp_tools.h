// The tools of `opscope mcp`: commands, with what a client may ask of each.

#ifndef OPSCOPE_CLI_MCP_TOOLS_H
#define OPSCOPE_CLI_MCP_TOOLS_H

#include "mcp/tool.h"

extern const struct mcp_tool MCP_TOOLS[];
extern const size_t MCP_TOOL_COUNT;

// What a packed file may unfold to in every call, as the option says it; NULL: the usual.
void mcp_tools_limit_unpacked(const char *size);

// The standard output of the process is the answer; `side` is where what comes with it goes.
int mcp_tools_run(const struct mcp_tool *tool, int count, char **words, int side);

#endif
