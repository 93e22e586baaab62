#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Words ---------------------------------------------------------------------------------------

static void mcp_words_add(struct mcp_words *words, const char *word)
{
    words->items = memory_grow(words->items, words->count, &words->capacity, sizeof *words->items);
    words->items[words->count++] = word;
}

void mcp_words_free(struct mcp_words *words)
{
    free(words->items);
    free(words->files);
    arena_free(&words->arena);
}

static void mcp_words_set_limit(struct mcp_words *words)
{
    words->items[words->limit] =
        arena_print(&words->arena, "--" MCP_OPTION_LIMIT "=%" PRIu32, words->rows).data;
}

bool mcp_words_halve(struct mcp_words *words)
{
    if (words->limit == SIZE_MAX || words->rows < 2)
        return false;
    words->rows /= 2;
    mcp_words_set_limit(words);
    return true;
}

// Arguments -----------------------------------------------------------------------------------

static status wrong_argument(const struct mcp_tool *tool, const struct mcp_argument *argument,
                             const char *expected)
{
    return status_make(STATUS_USAGE, "%s: argument \"%s\": expected %s: %s", tool->name,
                       argument->name, expected, argument->about);
}

struct mcp_reading {
    const struct mcp_tool *tool;
    const struct mcp_argument *argument;
    status (*place)(struct view path, struct arena *arena, const char **out_path);
    struct mcp_words *words;
};

static status read_text(const struct mcp_reading *reading, const struct json_value *value,
                        size_t most, const char **out_text)
{
    const char *expected =
        reading->argument->kind == MCP_FILE || reading->argument->kind == MCP_FILES ? "a path"
                                                                                    : "a text";
    if (value->kind != JSON_TEXT || value->text.size == 0)
        return wrong_argument(reading->tool, reading->argument, expected);
    if (memchr(value->text.data, '\0', value->text.size) != NULL)
        return wrong_argument(reading->tool, reading->argument, "a text without a NUL");
    if (value->text.size > most)
        return wrong_argument(reading->tool, reading->argument, "a shorter text");
    *out_text = arena_copy(&reading->words->arena, value->text).data;
    return STATUS_OK;
}

// `--option=text`, or the text alone.
static void add_value(const struct mcp_reading *reading, const char *text)
{
    const char *option = reading->argument->option;
    mcp_words_add(
        reading->words,
        option == NULL ? text : arena_print(&reading->words->arena, "--%s=%s", option, text).data);
}

static status read_file(const struct mcp_reading *reading, const struct json_value *value)
{
    struct mcp_words *words = reading->words;
    const char *text, *path;
    STATUS_TRY(read_text(reading, value, MCP_TEXT_MOST, &text));
    STATUS_TRY(reading->place(view_of(text), &words->arena, &path));
    words->files =
        memory_grow(words->files, words->file_count, &words->file_capacity, sizeof *words->files);
    words->files[words->file_count++] = path;
    add_value(reading, path);
    return STATUS_OK;
}

static status read_plain_text(const struct mcp_reading *reading, const struct json_value *value)
{
    const char *text;
    const size_t most = reading->argument->kind == MCP_WORD ? MCP_WORD_MOST : MCP_TEXT_MOST;
    STATUS_TRY(read_text(reading, value, most, &text));
    add_value(reading, text);
    return STATUS_OK;
}

static status read_list(const struct mcp_reading *reading, const struct json_value *value,
                        status (*read)(const struct mcp_reading *, const struct json_value *))
{
    if (value->kind != JSON_ARRAY || value->count == 0 || value->count > MCP_LIST_MOST)
        return wrong_argument(reading->tool, reading->argument, "a list of 1 to 32 texts");
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        STATUS_TRY(read(reading, item));
    return STATUS_OK;
}

static status read_choice(const struct mcp_reading *reading, const struct json_value *value)
{
    struct bytes expected = {0};
    const char *const *choices = reading->argument->choices;
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (value->kind == JSON_TEXT && view_is(value->text, choices[i])) {
            add_value(reading, choices[i]);
            bytes_free(&expected);
            return STATUS_OK;
        }
        bytes_append_format(&expected, "%s%s", i > 0 ? ", " : "one of ", choices[i]);
    }
    bytes_append(&expected, "", 1);
    const status failure =
        wrong_argument(reading->tool, reading->argument, (const char *)expected.data);
    bytes_free(&expected);
    return failure;
}

static void add_count(const struct mcp_reading *reading, uint64_t number)
{
    struct mcp_words *words = reading->words;
    add_value(reading, arena_print(&words->arena, "%" PRIu64, number).data);
    if (strcmp(reading->argument->option, MCP_OPTION_LIMIT) != 0)
        return;
    words->limit = words->count - 1;
    words->rows = (uint32_t)number;
}

static status read_count(const struct mcp_reading *reading, const struct json_value *value)
{
    const struct mcp_argument *argument = reading->argument;
    char expected[64];
    uint64_t number;
    if (value->kind == JSON_NUMBER && json_u64_of(value, &number) && number >= argument->least &&
        number <= argument->most) {
        add_count(reading, number);
        return STATUS_OK;
    }
    snprintf(expected, sizeof expected, "a whole number, %" PRIu32 " to %" PRIu32, argument->least,
             argument->most);
    return wrong_argument(reading->tool, argument, expected);
}

static status read_flag(const struct mcp_reading *reading, const struct json_value *value)
{
    if (value->kind != JSON_BOOL)
        return wrong_argument(reading->tool, reading->argument, "true or false");
    if (value->truth)
        mcp_words_add(reading->words,
                      arena_print(&reading->words->arena, "--%s", reading->argument->option).data);
    return STATUS_OK;
}

static status read_argument(const struct mcp_reading *reading, const struct json_value *value)
{
    const struct mcp_argument *argument = reading->argument;
    if (value == NULL || value->kind == JSON_NULL) {
        if (argument->required)
            return status_make(STATUS_USAGE, "%s: argument \"%s\" is missing: %s",
                               reading->tool->name, argument->name, argument->about);
        if (argument->kind == MCP_COUNT && argument->usual > 0)
            add_count(reading, argument->usual);
        return STATUS_OK;
    }
    switch (argument->kind) {
    case MCP_FILE:
        return read_file(reading, value);
    case MCP_FILES:
        return read_list(reading, value, read_file);
    case MCP_TEXTS:
        return read_list(reading, value, read_plain_text);
    case MCP_CHOICE:
        return read_choice(reading, value);
    case MCP_COUNT:
        return read_count(reading, value);
    case MCP_FLAG:
        return read_flag(reading, value);
    default:
        return read_plain_text(reading, value);
    }
}

static const struct mcp_argument *find_argument(const struct mcp_tool *tool, struct view name)
{
    const struct mcp_argument *argument = tool->arguments;
    while (argument->name != NULL && !view_is(name, argument->name))
        argument++;
    return argument->name != NULL ? argument : NULL;
}

static status refuse_argument(const struct mcp_tool *tool, struct view name)
{
    struct bytes names = {0};
    for (size_t i = 0; tool->arguments[i].name != NULL; i++)
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", tool->arguments[i].name);
    const status failure =
        status_make(STATUS_USAGE, "%s: there is no argument \"%.*s\"; it takes %.*s", tool->name,
                    VIEW_ARGUMENTS(view_shortened(name, 100)), VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static bool is_word(const struct mcp_argument *argument)
{
    return argument->option == NULL;
}

// Options, or what stands behind them.
static status read_arguments(struct mcp_reading *reading, const struct json_value *arguments,
                             bool words)
{
    for (const struct mcp_argument *at = reading->tool->arguments; at->name != NULL; at++) {
        reading->argument = at;
        if (is_word(at) == words)
            STATUS_TRY(read_argument(reading, json_find(arguments, at->name)));
    }
    return STATUS_OK;
}

status mcp_tool_words(const struct mcp_tool *tool, const struct json_value *arguments,
                      status (*place)(struct view path, struct arena *arena, const char **out_path),
                      struct mcp_words *out_words)
{
    *out_words = (struct mcp_words){.limit = SIZE_MAX};
    struct mcp_reading reading = {.tool = tool, .place = place, .words = out_words};
    if (arguments != NULL && arguments->kind != JSON_OBJECT)
        return status_make(STATUS_USAGE, "%s: \"arguments\" is an object", tool->name);
    for (const struct json_value *item = arguments != NULL ? arguments->first : NULL; item != NULL;
         item = item->next) {
        if (find_argument(tool, item->key) == NULL)
            return refuse_argument(tool, item->key);
    }
    for (size_t i = 0; tool->words[i] != NULL; i++)
        mcp_words_add(out_words, tool->words[i]);
    STATUS_TRY(read_arguments(&reading, arguments, false));
    mcp_words_add(out_words, "--");
    return read_arguments(&reading, arguments, true);
}
