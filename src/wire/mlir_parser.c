#include "mlir_parser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void mlir_place(struct view text, const char *at, uint64_t *out_line, uint64_t *out_column)
{
    uint64_t line = 1;
    const char *start = text.data;
    for (const char *next; start < at && (next = memchr(start, '\n', (size_t)(at - start))) != NULL;
         start = next + 1)
        line++;
    *out_line = line;
    *out_column = (uint64_t)(at - start) + 1;
}

status mlir_failure(const struct mlir_document *document, const char *at, const char *format, ...)
{
    uint64_t line, column;
    mlir_place(document->text, at, &line, &column);
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status_make(STATUS_DATA, "%s:%" PRIu64 ":%" PRIu64 ": %s", document->name, line, column,
                       message);
}

void mlir_advance(struct mlir_parser *parser)
{
    parser->last_end = parser->token.text.data + parser->token.text.size;
    parser->last_kind = parser->token.kind;
    parser->token = mlir_token_read(parser->last_end, parser->end);
}

void mlir_move(struct mlir_parser *parser, const char *at)
{
    parser->last_end = at;
    parser->token = mlir_token_read(at, parser->end);
}

struct mlir_token mlir_peek(const struct mlir_parser *parser)
{
    return mlir_token_read(parser->token.text.data + parser->token.text.size, parser->end);
}

bool mlir_take(struct mlir_parser *parser, int kind)
{
    if (parser->token.kind != kind)
        return false;
    mlir_advance(parser);
    return true;
}

status mlir_expected(const struct mlir_parser *parser, const char *what)
{
    const struct mlir_token *token = &parser->token;
    if (token->kind == MLIR_TOKEN_END)
        return mlir_failure(parser->document, token->text.data,
                            "expected %s but the text ends here", what);
    if (token->kind == MLIR_TOKEN_BAD && token->text.data[0] == '"')
        return mlir_failure(parser->document, token->text.data,
                            "expected %s but found a text without its closing '\"'", what);
    const int size = (int)(token->text.size < 40 ? token->text.size : 40);
    return mlir_failure(parser->document, token->text.data, "expected %s but found '%.*s'", what,
                        size, token->text.data);
}

status mlir_expect(struct mlir_parser *parser, int kind, const char *what)
{
    return mlir_take(parser, kind) ? STATUS_OK : mlir_expected(parser, what);
}

status mlir_enter(struct mlir_parser *parser)
{
    if (parser->depth == MLIR_DEPTH_MOST)
        return mlir_failure(parser->document, parser->token.text.data,
                            "more than %d brackets inside one another", MLIR_DEPTH_MOST);
    parser->depth++;
    return STATUS_OK;
}

struct mlir_list mlir_list_begin(struct mlir_parser *parser, size_t item_size)
{
    return (struct mlir_list){parser->stack_used, item_size};
}

void mlir_list_add(struct mlir_parser *parser, const struct mlir_list *list, const void *item)
{
    if (parser->stack_capacity - parser->stack_used < list->item_size) {
        parser->stack_capacity = parser->stack_capacity * 2 + 64 * list->item_size;
        parser->stack = memory_resize(parser->stack, parser->stack_capacity);
    }
    memcpy(parser->stack + parser->stack_used, item, list->item_size);
    parser->stack_used += list->item_size;
}

const void *mlir_list_end(struct mlir_parser *parser, const struct mlir_list *list,
                          uint32_t *out_count)
{
    const size_t size = parser->stack_used - list->from;
    *out_count = (uint32_t)(size / list->item_size);
    parser->stack_used = list->from;
    if (size == 0)
        return NULL;
    void *items = arena_allocate(&parser->document->arena, size);
    memcpy(items, parser->stack + list->from, size);
    return items;
}

static char closing(int kind)
{
    switch (kind) {
    case '(':
        return ')';
    case '[':
        return ']';
    case '{':
        return '}';
    case '<':
        return '>';
    default:
        return '\0';
    }
}

// A '>' inside other brackets is a comparison.
status mlir_skip_group(struct mlir_parser *parser, const struct mlir_list *pieces)
{
    char open[MLIR_DEPTH_MOST];
    unsigned depth = 0;
    do {
        const int kind = parser->token.kind;
        if (closing(kind) != '\0') {
            if (depth == MLIR_DEPTH_MOST)
                return mlir_expected(parser, "less brackets inside one another");
            open[depth++] = closing(kind);
        } else if (kind == ')' || kind == ']' || kind == '}' || kind == '>') {
            if (open[depth - 1] == (char)kind)
                depth--;
            else if (kind != '>')
                return mlir_expected(parser, (char[]){'\'', open[depth - 1], '\'', '\0'});
        } else if (kind == MLIR_TOKEN_END || kind == MLIR_TOKEN_BAD) {
            return mlir_expected(parser, (char[]){'\'', open[depth - 1], '\'', '\0'});
        } else if (kind == MLIR_TOKEN_VALUE && pieces != NULL) {
            struct mlir_piece piece = {.kind = MLIR_PIECE_OPERAND};
            STATUS_TRY(mlir_read_operand(parser, &piece.operand));
            mlir_list_add(parser, pieces, &piece);
            continue;
        }
        mlir_advance(parser);
    } while (depth > 0);
    return STATUS_OK;
}

// The first '>' that stands in no text; NULL when there is none.
static const char *mlir_parser_find_end(const char *at, const char *end)
{
    const char *stop = at;
    for (;;) {
        if (stop <= at)
            stop = memchr(at, '>', (size_t)(end - at));
        if (stop == NULL)
            return NULL;
        const char *quote = memchr(at, '"', (size_t)(stop - at));
        if (quote == NULL)
            return stop;
        const struct mlir_token text = mlir_token_read(quote, end);
        if (text.kind != MLIR_TOKEN_TEXT)
            return NULL;
        at = text.text.data + text.text.size;
    }
}

status mlir_read_body(struct mlir_parser *parser, bool plain, struct view *out_body)
{
    const char *start = parser->token.text.data;
    if (!mlir_at(parser, '<'))
        return mlir_expected(parser, "'<'");
    if (plain) {
        const char *stop = mlir_parser_find_end(start, parser->end);
        if (stop == NULL)
            return mlir_failure(parser->document, start, "expected '>' for this '<'");
        mlir_move(parser, stop);
        mlir_advance(parser);
    } else {
        STATUS_TRY(mlir_skip_group(parser, NULL));
    }
    *out_body = (struct view){start + 1, (size_t)(parser->last_end - start) - 2};
    return STATUS_OK;
}
