// Schemas of what tools take and give, from the same tables that calls and answers are made of.

#include "tool.h"

// Arguments -----------------------------------------------------------------------------------

static void describe_argument(const struct mcp_argument *argument, struct json_writer *json)
{
    json_open_object(json, argument->name);
    json_text(json, "description", view_of(argument->about));
    switch (argument->kind) {
    case MCP_FILES:
    case MCP_TEXTS:
        json_text(json, "type", view_of("array"));
        json_open_object(json, "items");
        json_text(json, "type", view_of("string"));
        json_close(json);
        json_uint(json, "minItems", 1);
        json_uint(json, "maxItems", MCP_LIST_MOST);
        break;
    case MCP_COUNT:
        json_text(json, "type", view_of("integer"));
        json_uint(json, "minimum", argument->least);
        json_uint(json, "maximum", argument->most);
        if (argument->usual > 0)
            json_uint(json, "default", argument->usual);
        break;
    case MCP_FLAG:
        json_text(json, "type", view_of("boolean"));
        break;
    default:
        json_text(json, "type", view_of("string"));
    }
    if (argument->choices != NULL) {
        json_open_array(json, "enum");
        for (size_t i = 0; argument->choices[i] != NULL; i++)
            json_text(json, NULL, view_of(argument->choices[i]));
        json_close(json);
    }
    json_close(json);
}

static void describe_arguments(const struct mcp_tool *tool, struct json_writer *json)
{
    json_open_object(json, "inputSchema");
    json_text(json, "type", view_of("object"));
    json_open_object(json, "properties");
    for (size_t i = 0; tool->arguments[i].name != NULL; i++)
        describe_argument(&tool->arguments[i], json);
    json_close(json);
    json_open_array(json, "required");
    for (size_t i = 0; tool->arguments[i].name != NULL; i++) {
        if (tool->arguments[i].required)
            json_text(json, NULL, view_of(tool->arguments[i].name));
    }
    json_close(json);
    json_bool(json, "additionalProperties", false);
    json_close(json);
}

// Answers -------------------------------------------------------------------------------------

static void json_type(struct json_writer *json, const char *type)
{
    json_open_array(json, "type");
    json_text(json, NULL, view_of(type));
    json_text(json, NULL, view_of("null"));
    json_close(json);
}

static void describe_column(const struct table_column *column, struct json_writer *json)
{
    struct bytes about = {0};
    bytes_append_format(&about, "%s (%s)", column->meaning, table_column_type_name(column));
    json_open_object(json, column->key);
    json_text(json, "description", bytes_view(&about));
    if (column->json == NULL)
        json_type(json, column->type == TABLE_TEXT   ? "string"
                        : column->type == TABLE_FLAG ? "boolean"
                                                     : "number");
    json_close(json);
    bytes_free(&about);
}

static void describe_rows(const struct mcp_rows *rows, struct json_writer *json)
{
    json_open_object(json, rows->key);
    json_text(json, "type", view_of("array"));
    if (rows->form != NULL) {
        json_open_object(json, "items");
        json_text(json, "type", view_of("object"));
        json_open_object(json, "properties");
        for (size_t i = 0; i < rows->form->column_count; i++)
            describe_column(&rows->form->columns[i], json);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void describe_result(const struct mcp_tool *tool, const char *key, struct json_writer *json)
{
    json_open_object(json, key);
    json_text(json, "type", view_of("object"));
    json_open_object(json, "properties");
    for (size_t i = 0; tool->rows[i].key != NULL; i++)
        describe_rows(&tool->rows[i], json);
    json_close(json);
    json_close(json);
}

static void describe_pages(struct json_writer *json)
{
    static const struct {
        const char *key, *about;
    } NUMBERS[] = {{"offset", "rows before the first one that is here"},
                   {"shown", "rows that are here"},
                   {"total", "rows that there are; null: not known"},
                   {"next", "the offset of what follows; null: nothing does"}};
    json_open_object(json, "pages");
    json_text(json, "type", view_of("array"));
    json_text(json, "description", view_of("which rows of each table are here"));
    json_open_object(json, "items");
    json_text(json, "type", view_of("object"));
    json_open_object(json, "properties");
    json_open_object(json, "rows");
    json_text(json, "type", view_of("string"));
    json_close(json);
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        json_open_object(json, NUMBERS[i].key);
        json_text(json, "description", view_of(NUMBERS[i].about));
        json_type(json, "integer");
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_close(json);
}

static void describe_answer(const struct mcp_tool *tool, struct json_writer *json)
{
    json_open_object(json, "outputSchema");
    json_text(json, "type", view_of("object"));
    json_open_object(json, "properties");
    if (tool->in_list) {
        json_open_object(json, "result");
        json_text(json, "type", view_of("array"));
        describe_result(tool, "items", json);
        json_close(json);
    } else {
        describe_result(tool, "result", json);
    }
    describe_pages(json);
    json_open_object(json, "loss");
    json_text(json, "type", view_of("boolean"));
    json_text(json, "description",
              view_of("whether the ledger has events that were lost, impossible or not carried"));
    json_close(json);
    json_close(json);
    json_open_array(json, "required");
    json_text(json, NULL, view_of("result"));
    json_text(json, NULL, view_of("pages"));
    json_text(json, NULL, view_of("loss"));
    json_close(json);
    json_close(json);
}

// Tools ---------------------------------------------------------------------------------------

void mcp_tool_describe(const struct mcp_tool *tool, struct mcp_tool_detail detail,
                       struct json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "name", view_of(tool->name));
    if (detail.title)
        json_text(json, "title", view_of(tool->title));
    json_text(json, "description", view_of(tool->about));
    describe_arguments(tool, json);
    if (detail.output)
        describe_answer(tool, json);
    if (detail.hints) {
        json_open_object(json, "annotations");
        json_text(json, "title", view_of(tool->title));
        json_bool(json, "readOnlyHint", true);
        json_bool(json, "openWorldHint", false);
        json_close(json);
    }
    json_close(json);
}
