#include "reply.h"

#include <stdio.h>

#include "wire/base64.h"

const char *const MCP_VERSION_NAMES[MCP_VERSIONS] = {
    [MCP_2024_11_05] = "2024-11-05", [MCP_2025_03_26] = "2025-03-26",
    [MCP_2025_06_18] = "2025-06-18", [MCP_2025_11_25] = "2025-11-25",
    [MCP_2026_07_28] = "2026-07-28",
};

bool mcp_version_find(struct view name, enum mcp_version *out_version)
{
    for (unsigned i = 0; i < MCP_VERSIONS; i++) {
        if (!view_is(name, MCP_VERSION_NAMES[i]))
            continue;
        *out_version = (enum mcp_version)i;
        return true;
    }
    return false;
}

void reply_free(struct reply *reply)
{
    bytes_free(&reply->text);
    bytes_free(&reply->out);
    bytes_free(&reply->side);
}

// Parts ---------------------------------------------------------------------------------------

static void write_id(const struct mcp_id *id, struct json_writer *json)
{
    if (!id->known)
        json_null(json, "id");
    else if (id->is_text)
        json_text(json, "id", view_of(id->text));
    else
        json_raw(json, "id", view_of(id->text));
}

static void write_versions(struct json_writer *json, const char *key)
{
    json_open_array(json, key);
    for (unsigned i = MCP_VERSIONS; i-- > 0;)
        json_text(json, NULL, view_of(MCP_VERSION_NAMES[i]));
    json_close(json);
}

static void write_server(const struct mcp_server_facts *facts, enum mcp_version version,
                         const char *key, struct json_writer *json)
{
    json_open_object(json, key);
    json_text(json, "name", view_of(facts->name));
    if (version >= MCP_2025_06_18)
        json_text(json, "title", view_of(facts->title));
    json_text(json, "version", view_of(facts->version));
    json_close(json);
}

static void write_capabilities(struct json_writer *json)
{
    json_open_object(json, "capabilities");
    json_open_object(json, "tools");
    json_close(json);
    json_close(json);
}

// What does not change may be kept for an hour, by anybody.
static void write_caching(struct json_writer *json)
{
    json_uint(json, "ttlMs", 3600000);
    json_text(json, "cacheScope", view_of("public"));
}

static void write_tools(const struct reply *reply, const struct mcp_server_facts *facts,
                        struct json_writer *json)
{
    const struct mcp_tool_detail detail = {.hints = reply->version >= MCP_2025_03_26,
                                           .output = reply->version >= MCP_2025_06_18,
                                           .title = reply->version >= MCP_2025_06_18};
    json_open_array(json, "tools");
    for (size_t i = 0; i < facts->tool_count; i++)
        mcp_tool_describe(&facts->tools[i], detail, json);
    json_close(json);
    if (reply->version >= MCP_2026_07_28)
        write_caching(json);
}

// Answers of calls ----------------------------------------------------------------------------

// Without what stands between values of JSON, so that it fits on a line.
static void append_compact(struct bytes *to, struct view text)
{
    bool inside = false;
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        if (inside && byte == '\\' && i + 1 < text.size) {
            bytes_append(to, text.data + i++, 2);
            continue;
        }
        inside = inside != (byte == '"');
        if (inside || (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t'))
            bytes_append(to, &byte, 1);
    }
}

static void write_text(struct json_writer *json, struct view text)
{
    json_open_object(json, NULL);
    json_text(json, "type", view_of("text"));
    json_text(json, "text", text);
    json_close(json);
}

static void write_picture(struct json_writer *json, const struct bytes *picture)
{
    json_open_object(json, NULL);
    json_text(json, "type", view_of("image"));
    json_raw(json, "data", VIEW_LITERAL("\""));
    base64_write(json->output, picture->data, picture->size);
    output_text(json->output, "\"");
    json_text(json, "mimeType", view_of("image/png"));
    json_close(json);
}

static void write_answer(const struct reply *reply, struct json_writer *json)
{
    struct bytes content = {0};
    bytes_append_format(&content, "{\"result\":");
    append_compact(&content, bytes_view(&reply->out));
    bytes_append_format(&content, ",\"pages\":");
    append_compact(&content, reply->tool->draws ? VIEW_LITERAL("[]") : bytes_view(&reply->side));
    bytes_append_format(&content, ",\"loss\":%s}", reply->loss ? "true" : "false");
    json_open_array(json, "content");
    if (reply->tool->draws)
        write_picture(json, &reply->side);
    write_text(json, bytes_view(&content));
    json_close(json);
    if (reply->version >= MCP_2025_06_18)
        json_raw(json, "structuredContent", bytes_view(&content));
    json_bool(json, "isError", false);
    bytes_free(&content);
}

static void write_failure(const struct reply *reply, struct json_writer *json)
{
    json_open_array(json, "content");
    write_text(json, bytes_view(&reply->text));
    json_close(json);
    json_bool(json, "isError", true);
}

// Messages ------------------------------------------------------------------------------------

static void write_error(const struct reply *reply, struct json_writer *json)
{
    char code[16];
    snprintf(code, sizeof code, "%d", reply->code);
    json_open_object(json, "error");
    json_raw(json, "code", view_of(code));
    json_text(json, "message", bytes_view(&reply->text));
    if (reply->code == MCP_ERROR_VERSION) {
        json_open_object(json, "data");
        write_versions(json, "supported");
        json_text(json, "requested", view_of(reply->requested));
        json_close(json);
    }
    json_close(json);
}

static void write_result(const struct reply *reply, const struct mcp_server_facts *facts,
                         struct json_writer *json)
{
    json_open_object(json, "result");
    if (reply->version >= MCP_2026_07_28) {
        json_text(json, "resultType", view_of("complete"));
        json_open_object(json, "_meta");
        write_server(facts, reply->version, "io.modelcontextprotocol/serverInfo", json);
        json_close(json);
    }
    switch (reply->kind) {
    case REPLY_INITIALIZE:
        json_text(json, "protocolVersion", view_of(MCP_VERSION_NAMES[reply->version]));
        write_capabilities(json);
        write_server(facts, reply->version, "serverInfo", json);
        json_text(json, "instructions", view_of(facts->instructions));
        break;
    case REPLY_DISCOVER:
        write_versions(json, "supportedVersions");
        write_capabilities(json);
        json_text(json, "instructions", view_of(facts->instructions));
        write_caching(json);
        break;
    case REPLY_TOOLS:
        write_tools(reply, facts, json);
        break;
    case REPLY_ANSWER:
        write_answer(reply, json);
        break;
    case REPLY_FAILURE:
        write_failure(reply, json);
        break;
    default:
        break;
    }
    json_close(json);
}

void reply_write(const struct reply *reply, const struct mcp_server_facts *facts,
                 struct json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "jsonrpc", view_of("2.0"));
    write_id(&reply->id, json);
    if (reply->kind == REPLY_ERROR)
        write_error(reply, json);
    else
        write_result(reply, facts, json);
    json_close(json);
}
