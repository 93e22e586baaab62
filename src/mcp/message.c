#include "message.h"

#include <stdio.h>

// Lines -------------------------------------------------------------------------------------

void mcp_lines_add(struct mcp_lines *lines, const char *data, size_t size)
{
    if (lines->used > 0) {
        lines->held.size -= lines->used;
        memmove(lines->held.data, lines->held.data + lines->used, lines->held.size);
        lines->used = 0;
    }
    if (size > 0)
        bytes_append(&lines->held, data, size);
}

bool mcp_lines_next(struct mcp_lines *lines, struct view *out_line, bool *out_too_long)
{
    if (lines->used == lines->held.size)
        return false;
    const struct view rest = view_slice(bytes_view(&lines->held), lines->used, lines->held.size);
    const size_t end = view_find(rest, '\n');
    if (end == rest.size) {
        lines->too_long = lines->too_long || rest.size > MCP_LINE_MOST;
        if (lines->too_long)
            lines->used = lines->held.size;
        return false;
    }
    *out_too_long = lines->too_long || end > MCP_LINE_MOST;
    const size_t size = end > 0 && rest.data[end - 1] == '\r' ? end - 1 : end;
    *out_line = *out_too_long ? VIEW_LITERAL("") : view_slice(rest, 0, size);
    lines->too_long = false;
    lines->used += end + 1;
    return true;
}

void mcp_lines_free(struct mcp_lines *lines)
{
    bytes_free(&lines->held);
    *lines = (struct mcp_lines){0};
}

// Ids -----------------------------------------------------------------------------------------

bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b)
{
    return a->known && b->known && a->is_text == b->is_text && strcmp(a->text, b->text) == 0;
}

bool mcp_id_of(const struct json_value *value, struct mcp_id *out_id)
{
    *out_id = (struct mcp_id){0};
    if (value == NULL || (value->kind != JSON_TEXT && value->kind != JSON_NUMBER) ||
        value->text.size > MCP_ID_MOST)
        return false;
    if (value->text.size > 0 && memchr(value->text.data, '\0', value->text.size) != NULL)
        return false;
    out_id->known = true;
    out_id->is_text = value->kind == JSON_TEXT;
    snprintf(out_id->text, sizeof out_id->text, "%.*s", VIEW_ARGUMENTS(value->text));
    return true;
}

// Messages ------------------------------------------------------------------------------------

static struct mcp_message wrong_message(const struct mcp_id *id, const char *why)
{
    return (struct mcp_message){.kind = MCP_WRONG, .id = *id, .method = view_of(why)};
}

void mcp_message_read(const struct json_value *value, struct mcp_message *out_message)
{
    struct mcp_id id = {0};
    const struct json_value *given = json_find(value, "id");
    const struct json_value *method = json_find(value, "method");
    const struct json_value *params = json_find(value, "params");
    const bool has_id = mcp_id_of(given, &id);
    if (value->kind != JSON_OBJECT)
        *out_message = wrong_message(&id, "a message is an object");
    else if (!view_is(json_text_of(json_find(value, "jsonrpc")), "2.0"))
        *out_message = wrong_message(&id, "a message has \"jsonrpc\": \"2.0\"");
    else if (method == NULL && (json_find(value, "result") || json_find(value, "error")))
        *out_message = (struct mcp_message){.kind = MCP_RESPONSE, .id = id};
    else if (method == NULL || method->kind != JSON_TEXT)
        *out_message = wrong_message(&id, "a message has a \"method\", a text");
    else if (given != NULL && !has_id)
        *out_message = wrong_message(&id, "an \"id\" is a short text or a number");
    else if (params != NULL && params->kind != JSON_OBJECT)
        *out_message = wrong_message(&id, "\"params\" is an object");
    else
        *out_message = (struct mcp_message){.kind = has_id ? MCP_REQUEST : MCP_NOTIFICATION,
                                            .id = id,
                                            .method = method->text,
                                            .params = params};
}
