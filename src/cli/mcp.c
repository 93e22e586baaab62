// `opscope mcp [FOLDER...]`: the same answers for programs that speak the Model Context Protocol.

#include <opscope/version.h>

#include "base/confine.h"
#include "commands.h"
#include "limits.h"
#include "mcp/server.h"
#include "mcp_tools.h"
#include "opened.h"
#include "units.h"

enum { KEPT_USUAL = 8, KEPT_MOST = 64 };
static const uint64_t CALL_NS_USUAL = 60ull * 1000000000;

static const char INSTRUCTIONS[] =
    "opscope tells where the time of a neural network goes on an accelerator. Begin with overview, "
    "then explain, top or operators; sql answers what they do not; diff compares two runs, whatif "
    "a "
    "run with what it could be; picture shows a part of the timeline. Every answer has the ledger "
    "of its profile: if loss is true, events are "
    "missing, and figures are lower bounds. Rows come in pages: pages says how to get the next.";

static status mcp_confine(const struct arguments *arguments)
{
    size_t count;
    const char *const *folders = arguments_words(arguments, &count);
    if (count == 0)
        return confine_add(".");
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(confine_add(folders[i]));
    return STATUS_OK;
}

static status mcp_command(const struct arguments *arguments, int *out_exit)
{
    const char *time = arguments_value(arguments, "call-time");
    unsigned kept;
    struct mcp_server_options options = {
        .facts = {.name = "opscope",
                  .title = "opscope: where the time of a neural network goes",
                  .version = OPSCOPE_VERSION,
                  .instructions = INSTRUCTIONS,
                  .tools = MCP_TOOLS,
                  .tool_count = MCP_TOOL_COUNT},
        .work = {.keep = opened_keep, .run = mcp_tools_run},
        .call_ns = CALL_NS_USUAL,
        .place = confine_place,
    };
    *out_exit = EXIT_DONE;
    STATUS_TRY(arguments_number(arguments, "keep", KEPT_USUAL, &kept));
    if (kept > KEPT_MOST)
        return status_make(STATUS_USAGE, "mcp: --keep: expected 1 to %d", (int)KEPT_MOST);
    options.work.kept = kept;
    int64_t call_ns = (int64_t)CALL_NS_USUAL;
    if (time != NULL && (!units_signed_time(view_of(time), &call_ns) || call_ns <= 0))
        return status_make(STATUS_USAGE, "mcp: --call-time: '%s' is no time such as 90s", time);
    options.call_ns = (uint64_t)call_ns;
    mcp_tools_limit_unpacked(arguments_value(arguments, "max-unpacked"));
    STATUS_TRY(mcp_confine(arguments));
    return mcp_serve(&options);
}

static const struct option OPTIONS[] = {
    {"call-time", 0, OPTION_ONE, "TIME", "a call is ended after this time (60s)"},
    {"keep", 0, OPTION_ONE, "N", "profiles that stay open between calls (8)"},
    LIMITS_OF_MEMORY,
    {0},
};

const struct command COMMAND_MCP = {
    .name = "mcp",
    .usage = "[FOLDER...] [--call-time TIME] [--keep N]",
    .summary = "the same answers over the Model Context Protocol, for coding assistants",
    .details =
        "Started by a client, not by hand. Tools: open, info, overview, top, operators, sql, "
        "diff,\n"
        "explain, whatif and picture: the commands of these names ('timeline' draws the picture).\n"
        "Answers are bounded, come in pages and carry their ledger. Only files below the folders\n"
        "given are read, or below the current one; no link leads outside. Nothing is written.",
    .examples = "  opscope mcp\n"
                "  opscope mcp . /tmp --call-time 120s",
    .options = OPTIONS,
    .run = mcp_command,
};
