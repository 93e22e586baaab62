// Messages of the Model Context Protocol as they come from a pipe, and calls of a tool.
//
// The first byte says in what pieces the rest comes.

#include <stdlib.h>

#include "mcp/message.h"
#include "mcp/reply.h"
#include "mcp/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static status any_place(struct view path, struct arena *arena, const char **out_path)
{
    check(memchr(path.data, '\0', path.size) == NULL);
    *out_path = arena_print(arena, "/folder/%.*s", VIEW_ARGUMENTS(path)).data;
    return STATUS_OK;
}

static const char *const CHOICES[] = {"name", "role", NULL};
static const char *const WORDS[] = {"--json", NULL};
static const struct mcp_argument ARGUMENTS[] = {
    {"file", MCP_FILE, .required = true, .about = ""},
    {"a", MCP_FILES, .option = "a", .about = ""},
    {"filter", MCP_TEXT, .option = "filter", .about = ""},
    {"tracks", MCP_TEXTS, .option = "tracks", .about = ""},
    {"by", MCP_CHOICE, .option = "by", .about = "", .choices = CHOICES},
    {"limit", MCP_COUNT, .option = MCP_OPTION_LIMIT, .about = "", .least = 1, .most = 1000},
    {"all", MCP_FLAG, .option = "all", .about = ""},
    {"query", MCP_WORD, .about = ""},
    {0}};
static const struct mcp_tool TOOL = {
    .name = "tool", .about = "", .arguments = ARGUMENTS, .words = WORDS};

// Nothing that a client says becomes an option: what is before "--" begins with a name from above.
static void call(const struct json_value *arguments)
{
    struct mcp_words words;
    const status failure = mcp_tool_words(&TOOL, arguments, any_place, &words);
    bool behind = false;
    for (size_t i = 0; failure == STATUS_OK && i < words.count; i++) {
        const struct view word = view_of(words.items[i]);
        if (!behind && !view_is(word, "--"))
            check(view_is(word, "--json") || view_is(word, "--all") ||
                  view_starts_with(word, "--a=/folder/") || view_starts_with(word, "--filter=") ||
                  view_starts_with(word, "--tracks=") || view_starts_with(word, "--by=") ||
                  view_starts_with(word, "--top="));
        behind = behind || view_is(word, "--");
    }
    while (failure == STATUS_OK && mcp_words_halve(&words))
        check(words.rows > 0);
    status_free(failure);
    mcp_words_free(&words);
}

static void read_message(const struct json_value *value)
{
    struct mcp_message message;
    enum mcp_version version;
    mcp_message_read(value, &message);
    check(message.kind != MCP_REQUEST || message.id.known);
    check(message.kind != MCP_WRONG || message.method.size > 0);
    mcp_version_find(json_text_of(json_find(message.params, "protocolVersion")), &version);
    if (message.kind == MCP_REQUEST)
        call(json_find(message.params, "arguments"));
}

static void read_line(struct view line)
{
    struct arena arena = {0};
    const struct json_value *value;
    const status failure = json_read(line, &arena, &value);
    if (failure == STATUS_OK && value->kind == JSON_ARRAY) {
        for (const struct json_value *item = value->first; item != NULL; item = item->next)
            read_message(item);
    } else if (failure == STATUS_OK) {
        read_message(value);
    }
    status_free(failure);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_lines lines = {0};
    const size_t piece = size > 0 ? (size_t)data[0] * 4 + 1 : 1;
    for (size_t from = 1; from < size; from += piece) {
        struct view line;
        bool too_long;
        mcp_lines_add(&lines, (const char *)data + from, size - from < piece ? size - from : piece);
        while (mcp_lines_next(&lines, &line, &too_long))
            read_line(line);
    }
    mcp_lines_free(&lines);
    return 0;
}
