#include "mcp_tools.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "command_run.h"
#include "commands.h"
#include "reports/diff.h"
#include "reports/explain.h"
#include "reports/operators.h"
#include "reports/overview_table.h"
#include "reports/picture/picture.h"
#include "reports/top.h"
#include "reports/tracks.h"
#include "reports/whatif.h"
#include "table_options.h"

enum { ROWS_USUAL = 20, ROWS_MOST = 1000 };

#define FILE_ARGUMENT                                                                              \
    {                                                                                              \
        "file", MCP_FILE,                                                                          \
            .required = true,                                                                      \
            .about =                                                                               \
                "path of a profile or trace (Perfetto, Chrome, PyTorch, ONNX Runtime, Tracy, "     \
                "Nsight Systems' and rocprofv3's databases, "                                      \
                "vendors' CSVs, opscope's own; also .gz and .zst)"                                 \
    }
#define PAGE_ARGUMENTS                                                                             \
    {"offset", MCP_COUNT, .option = MCP_OPTION_OFFSET, .about = "rows to pass over",               \
     .most = 1u << 30},                                                                            \
    {                                                                                              \
        "limit", MCP_COUNT, .option = MCP_OPTION_LIMIT, .about = "rows at most", .least = 1,       \
                            .most = ROWS_MOST, .usual = ROWS_USUAL                                 \
    }
#define TABLE_ARGUMENTS                                                                            \
    {"columns", MCP_TEXT, .option = "columns",                                                     \
     .about = "only these columns of the rows, in this order: a,b,c"},                             \
        {"sort", MCP_TEXT, .option = "sort",                                                       \
         .about = "a column; the largest first with :desc, as in calls:desc"},                     \
        PAGE_ARGUMENTS
#define WINDOW_ARGUMENTS                                                                           \
    {"from", MCP_TEXT, .option = "from",                                                           \
     .about = "from this time on, counted from the first event: 1.5ms, 20us"},                     \
    {                                                                                              \
        "to", MCP_TEXT, .option = "to", .about = "up to this time, counted the same way"           \
    }

static const char *const JSON[] = {"--json", NULL};

static const struct mcp_argument OPEN_ARGUMENTS[] = {FILE_ARGUMENT, PAGE_ARGUMENTS, {0}};
static const struct mcp_argument INFO_ARGUMENTS[] = {FILE_ARGUMENT, TABLE_ARGUMENTS, {0}};
static const struct mcp_rows INFO_ROWS[] = {{"tracks", &TRACKS_FORM}, {0}};

static const struct mcp_argument OVERVIEW_ARGUMENTS[] = {
    FILE_ARGUMENT,
    {"all", MCP_FLAG, .option = "all",
     .about = "every figure, also those that are usually left out"},
    {0}};
static const struct mcp_rows OVERVIEW_ROWS[] = {{"metrics", &OVERVIEW_FORM}, {0}};

static const char *const KEYS[] = {"name",  "category", "track",  "engine", "role", "operator",
                                   "shape", "step",     "module", "path",   NULL};
static const struct mcp_argument TOP_ARGUMENTS[] = {
    FILE_ARGUMENT,
    {"by", MCP_CHOICE, .option = "by", .about = "what spans of one row have in common (name)",
     .choices = KEYS},
    {"filter", MCP_TEXT, .option = "filter",
     .about = "spans whose name has this; with *, whose name is this"},
    {"step", MCP_COUNT, .option = "step", .about = "of this step or iteration alone",
     .most = UINT32_MAX},
    WINDOW_ARGUMENTS,
    TABLE_ARGUMENTS,
    {0}};
static const struct mcp_rows TOP_ROWS[] = {{"spans", &TOP_FORM}, {0}};

static const struct mcp_argument OPERATORS_ARGUMENTS[] = {FILE_ARGUMENT, TABLE_ARGUMENTS, {0}};
static const struct mcp_rows OPERATORS_ROWS[] = {{"types", &OPERATOR_TYPES_FORM},
                                                 {"operators", &OPERATORS_FORM},
                                                 {"blocks", &OPERATOR_BLOCKS_FORM},
                                                 {0}};

static const struct mcp_argument SQL_ARGUMENTS[] = {
    FILE_ARGUMENT,
    {"query", MCP_WORD, .required = true, .about = "one or more SELECTs of SQLite"},
    PAGE_ARGUMENTS,
    {0}};
static const struct mcp_rows SQL_ROWS[] = {{"results", NULL}, {0}};

static const char *const SIDES[] = {"auto", "device", "host", NULL};
static const char *const STATISTICS[] = {"low", "median", "mean", NULL};
static const struct mcp_argument DIFF_ARGUMENTS[] = {
    {"a", MCP_FILES, .required = true, .option = "a",
     .about = "paths of the profiles of one side, a list; several runs tell most"},
    {"b", MCP_FILES, .required = true, .option = "b", .about = "the same of the other side"},
    {"time", MCP_CHOICE, .option = "time", .about = "whose time is compared (auto)",
     .choices = SIDES},
    {"statistic", MCP_CHOICE, .option = "statistic", .about = "what stands for several runs (low)",
     .choices = STATISTICS},
    TABLE_ARGUMENTS,
    {0}};
static const struct mcp_rows DIFF_ROWS[] = {{"changes", &DIFF_FORM}, {0}};

static const char *const PATH_KEYS[] = {"operator", "role", "track", NULL};
static const struct mcp_argument EXPLAIN_ARGUMENTS[] = {
    FILE_ARGUMENT,
    {"by", MCP_CHOICE, .option = "by", .about = "what the critical path is added up by (operator)",
     .choices = PATH_KEYS},
    {"target", MCP_TEXT, .option = "target",
     .about = "the machine whose peaks count, by name; that of the run where it is known"},
    {"peak_macs", MCP_TEXT, .option = "peak-macs",
     .about = "multiply-adds in a second instead: 8T"},
    {"peak_bandwidth", MCP_TEXT, .option = "peak-bandwidth",
     .about = "of the far memory instead: 107GB/s"},
    TABLE_ARGUMENTS,
    {0}};
static const struct mcp_rows EXPLAIN_ROWS[] = {{"critical_path", &EXPLAIN_PATH_FORM},
                                               {"roles", &EXPLAIN_PATH_FORM},
                                               {"roofline", &EXPLAIN_ROOFLINE_FORM},
                                               {"memory", &EXPLAIN_MEMORY_FORM},
                                               {0}};

static const struct mcp_argument WHATIF_ARGUMENTS[] = {
    FILE_ARGUMENT,
    {"faster", MCP_TEXTS, .option = "faster",
     .about =
         "names or types of operators or spans, and how many times as fast: MatMul*=2x; a list"},
    {"bandwidth", MCP_TEXTS, .option = "bandwidth",
     .about = "what moves data, and how many times as fast: dram=1.5x; a list"},
    {"no_gaps", MCP_FLAG, .option = "no-gaps", .about = "nothing rests while it could go on"},
    {"overlap_copies", MCP_FLAG, .option = "overlap-copies",
     .about = "copies hold up only what needs them"},
    TABLE_ARGUMENTS,
    {0}};
static const struct mcp_rows WHATIF_ROWS[] = {{"changes", &WHATIF_FORM}, {0}};

static const char *const PICTURE_WORDS[] = {"--json", "--form=png", NULL};
static const struct mcp_argument PICTURE_ARGUMENTS[] = {
    FILE_ARGUMENT,
    WINDOW_ARGUMENTS,
    {"tracks", MCP_TEXTS, .option = "tracks",
     .about = "only tracks that have one of these in their name, or are under one; a list"},
    {"width", MCP_COUNT, .option = "width", .about = "points", .least = PICTURE_WIDTH_LEAST,
     .most = 2000, .usual = 800},
    {0}};
static const struct mcp_rows PICTURE_ROWS[] = {{"lanes", NULL}, {"kinds", NULL}, {0}};

const struct mcp_tool MCP_TOOLS[] = {
    {"open", "Open a profile",
     "Reads a profile or trace and keeps it open for the calls that follow: what it is, how much "
     "is "
     "in it, its time range, its tracks and its ledger (what was recorded, lost, impossible).",
     OPEN_ARGUMENTS, JSON, INFO_ROWS, true, false, &COMMAND_INFO},
    {"info", "What a file is",
     "Format, number of spans, time range, tracks, facts and ledger of a profile; what a network "
     "or "
     "a compiled program is.",
     INFO_ARGUMENTS, JSON, INFO_ROWS, true, false, &COMMAND_INFO},
    {"overview", "Where the time went",
     "Where the time of a run went as a whole: busy, idle, compute, copies, what overlaps. Begin "
     "here. What was not measured is null.",
     OVERVIEW_ARGUMENTS, JSON, OVERVIEW_ROWS, true, false, &COMMAND_OVERVIEW},
    {"top", "Which spans take the time",
     "Spans (kernels, copies, calls) added up by name or by what else they have in common, those "
     "with the most time first. Every nanosecond of a lane is in the self time of one row.",
     TOP_ARGUMENTS, JSON, TOP_ROWS, false, false, &COMMAND_TOP},
    {"operators", "Which operators take the time",
     "Time of the network's operators, by type and one by one, on the device and on the host.",
     OPERATORS_ARGUMENTS, JSON, OPERATORS_ROWS, false, false, &COMMAND_OPERATORS},
    {"sql", "Ask in SQL",
     "SQLite over the profile, to read. Tables: span, track, string, operator, call, arg, flow, "
     "counter ...; views: slice (id, ts, dur, name ...), kernels, top, top_kernels, busy. SELECT "
     "name FROM sqlite_schema names them all, PRAGMA table_info(span) the columns of one. Times "
     "are "
     "ns, what is absent is NULL.",
     SQL_ARGUMENTS, JSON, SQL_ROWS, false, false, &COMMAND_SQL},
    {"diff", "What changed",
     "What changed between two profiles, or between several runs on each side, operator by "
     "operator: slower, faster, new, gone, how sure that is, and why.",
     DIFF_ARGUMENTS, JSON, DIFF_ROWS, false, false, &COMMAND_DIFF},
    {"explain", "What limits the run",
     "What limits a run, in sentences: its critical path, the roofline of its operators, and who "
     "held "
     "the memory at its peak.",
     EXPLAIN_ARGUMENTS, JSON, EXPLAIN_ROWS, false, false, &COMMAND_EXPLAIN},
    {"whatif", "What a change would bring",
     "How long the run would take if some of it were faster: its recorded dependences are "
     "scheduled "
     "again, and the bound of that is said. At least one change.",
     WHATIF_ARGUMENTS, JSON, WHATIF_ROWS, false, false, &COMMAND_WHATIF},
    {"picture", "The timeline as a picture",
     "The timeline as a PNG: tracks, spans coloured by kind, a time axis; from and to zoom in.",
     PICTURE_ARGUMENTS, PICTURE_WORDS, PICTURE_ROWS, false, true, &COMMAND_TIMELINE},
};
const size_t MCP_TOOL_COUNT = sizeof MCP_TOOLS / sizeof MCP_TOOLS[0];

// Which rows of which table the answer has, as JSON.
static void write_pages(int side)
{
    size_t count;
    const struct table_page *pages = table_options_pages(&count);
    dprintf(side, "[");
    for (size_t i = 0; i < count; i++) {
        const struct table_page *page = &pages[i];
        const size_t next = page->offset + page->shown;
        dprintf(side,
                "%s{\"rows\":\"%s\",\"offset\":%zu,\"shown\":%zu,\"total\":", i > 0 ? "," : "",
                page->rows, page->offset, page->shown);
        dprintf(side, page->total == SIZE_MAX ? "null" : "%zu", page->total);
        dprintf(side, page->shown > 0 && next < page->total ? ",\"next\":%zu}" : ",\"next\":null}",
                next);
    }
    dprintf(side, "]");
}

static const char *unpacked_most;

void mcp_tools_limit_unpacked(const char *size)
{
    unpacked_most = size;
}

int mcp_tools_run(const struct mcp_tool *tool, int count, char **words, int side)
{
    const struct command *command = tool->command;
    char picture[32], unpacked[64], name[64];
    char **all = memory_allocate_zeroed((size_t)count + 3, sizeof *all);
    int before = 0;
    snprintf(picture, sizeof picture, "--output=/dev/fd/%d", side);
    snprintf(unpacked, sizeof unpacked, "--max-unpacked=%s",
             unpacked_most != NULL ? unpacked_most : "");
    snprintf(name, sizeof name, "opscope %s", command->name);
    if (tool->draws)
        all[before++] = picture;
    if (unpacked_most != NULL)
        all[before++] = unpacked;
    for (int i = 0; i < count; i++)
        all[before + i] = words[i];
    const int code = command_run(command, name, before + count, all);
    if (!tool->draws)
        write_pages(side);
    free(all);
    return code;
}
