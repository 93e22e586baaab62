// Pretty forms: what can be recognised without knowing the dialect.

#include "mlir_parser.h"

// A list that wants to go on after a line's end.
static bool expects_more(int kind)
{
    return kind == ',' || kind == ':' || kind == '=' || kind == '(' || kind == MLIR_TOKEN_ARROW ||
           kind == MLIR_TOKEN_GIVES;
}

// "%a =", "%a:2 =" or "%a, %b =" starts an operation.
static bool starts_results(const struct mlir_parser *parser)
{
    const char *at = parser->token.text.data;
    for (;;) {
        struct mlir_token token = mlir_token_read(at, parser->end);
        if (token.kind != MLIR_TOKEN_VALUE)
            return false;
        token = mlir_token_read(token.text.data + token.text.size, parser->end);
        if (token.kind == ':') {
            token = mlir_token_read(token.text.data + 1, parser->end);
            if (token.kind != MLIR_TOKEN_INTEGER)
                return false;
            token = mlir_token_read(token.text.data + token.text.size, parser->end);
        }
        if (token.kind != ',')
            return token.kind == '=';
        at = token.text.data + 1;
    }
}

// Words that go on with an operation although they start a line.
static bool continues(struct view word)
{
    return view_is(word, "attributes") || view_is(word, "else") || view_is(word, "do") ||
           view_is(word, "loc") || view_is(word, "to") || view_is(word, "into") ||
           view_is(word, "from");
}

static bool starts_by_name(const struct mlir_parser *parser, bool types_before)
{
    const struct view word = parser->token.text;
    const int next = mlir_peek(parser).kind;
    if (view_find(word, '.') < word.size || view_is(word, "return"))
        return next != '=';
    return parser->token.first && !types_before
               ? !continues(word) && next != '(' && next != '=' && next != ':'
               : parser->token.first && !continues(word);
}

// Whether the current token belongs to the next operation, or to none.
static bool ends_here(const struct mlir_parser *parser, bool types_before)
{
    const struct mlir_token *token = &parser->token;
    switch (token->kind) {
    case MLIR_TOKEN_END:
    case MLIR_TOKEN_FILE_OPEN:
    case '}':
        return true;
    case MLIR_TOKEN_VALUE:
        return !expects_more(parser->last_kind) && starts_results(parser);
    case MLIR_TOKEN_NAME:
        return (token->first || types_before) && !expects_more(parser->last_kind) &&
               starts_by_name(parser, types_before);
    case MLIR_TOKEN_TEXT:
        return token->first && !expects_more(parser->last_kind) && mlir_peek(parser).kind == '(';
    case MLIR_TOKEN_BLOCK:
        return token->first && !expects_more(parser->last_kind);
    case MLIR_TOKEN_ATTRIBUTE:
    case MLIR_TOKEN_TYPE:
        return token->first && mlir_peek(parser).kind == '=';
    default:
        return false;
    }
}

enum brace { BRACE_DICTIONARY, BRACE_REGION, BRACE_OTHER };

static bool mlir_pretty_is_terminator(struct view name)
{
    return view_is(name, "return") || view_ends_with(name, ".return") ||
           view_ends_with(name, ".yield");
}

static enum brace brace_kind(const struct mlir_parser *parser)
{
    const struct mlir_token first = mlir_peek(parser);
    const struct mlir_token second =
        mlir_token_read(first.text.data + first.text.size, parser->end);
    switch (first.kind) {
    case MLIR_TOKEN_NAME:
        if (second.kind == '=' || second.kind == ',')
            return BRACE_DICTIONARY;
        if (second.kind == '}')
            return first.first || mlir_pretty_is_terminator(first.text) ? BRACE_REGION
                                                                        : BRACE_DICTIONARY;
        return second.kind == ':' ? BRACE_OTHER : BRACE_REGION;
    case MLIR_TOKEN_TEXT:
        return second.kind == '(' ? BRACE_REGION : BRACE_DICTIONARY;
    case '}':
        return first.first ? BRACE_REGION : BRACE_DICTIONARY;
    case MLIR_TOKEN_VALUE:
        return second.kind == '=' || second.kind == ':' || second.kind == ',' ? BRACE_REGION
                                                                              : BRACE_OTHER;
    case MLIR_TOKEN_BLOCK:
        return BRACE_REGION;
    default:
        return BRACE_OTHER;
    }
}

static status read_brace(struct mlir_parser *parser, struct mlir_operation *operation,
                         const struct mlir_list *pieces)
{
    struct mlir_piece piece = {.kind = MLIR_PIECE_REGION};
    switch (brace_kind(parser)) {
    case BRACE_REGION:
        STATUS_TRY(mlir_read_region(parser, &piece.region));
        mlir_list_add(parser, pieces, &piece);
        return STATUS_OK;
    case BRACE_DICTIONARY:
        if (operation->attributes == NULL)
            return mlir_read_dictionary(parser, &operation->attributes);
        piece.kind = MLIR_PIECE_LITERAL;
        STATUS_TRY(mlir_read_attribute(parser, &piece.literal));
        mlir_list_add(parser, pieces, &piece);
        return STATUS_OK;
    default:
        return mlir_skip_group(parser, pieces);
    }
}

static status add_type(struct mlir_parser *parser, enum mlir_piece_kind kind,
                       const struct mlir_list *pieces)
{
    struct mlir_piece piece = {.kind = kind};
    STATUS_TRY(mlir_read_type(parser, &piece.type));
    mlir_list_add(parser, pieces, &piece);
    return STATUS_OK;
}

// "a, b", "(a, b)" or "()". What follows a comma and is no type does not belong to it.
static status mlir_pretty_read_types(struct mlir_parser *parser, enum mlir_piece_kind kind,
                                     const struct mlir_list *pieces)
{
    const bool grouped = mlir_take(parser, '(');
    if (grouped && mlir_take(parser, ')'))
        return STATUS_OK;
    for (;;) {
        STATUS_TRY(add_type(parser, kind, pieces));
        const char *comma = parser->token.text.data;
        if (!mlir_take(parser, ','))
            break;
        if (!grouped && !mlir_starts_type(parser)) {
            mlir_move(parser, comma);
            break;
        }
    }
    return grouped ? mlir_expect(parser, ')', "',' or ')'") : STATUS_OK;
}

static bool at_arrow(const struct mlir_parser *parser)
{
    return mlir_at(parser, MLIR_TOKEN_ARROW) || mlir_at_name(parser, "to") ||
           mlir_at_name(parser, "into");
}

// "-> types", "to type": of results.
static status read_result_types(struct mlir_parser *parser, struct mlir_operation *operation,
                                const struct mlir_list *pieces)
{
    mlir_advance(parser);
    if (!mlir_starts_type(parser))
        return STATUS_OK;
    operation->has_arrow = true;
    return mlir_pretty_read_types(parser, MLIR_PIECE_RESULT_TYPE, pieces);
}

// ": types", perhaps followed by results; "a (b, c)" is one list.
static status read_colon(struct mlir_parser *parser, struct mlir_operation *operation,
                         const struct mlir_list *pieces)
{
    mlir_advance(parser);
    if (!mlir_starts_type(parser))
        return STATUS_OK;
    do {
        STATUS_TRY(mlir_pretty_read_types(parser, MLIR_PIECE_OPERAND_TYPE, pieces));
    } while (mlir_at(parser, '('));
    return at_arrow(parser) ? read_result_types(parser, operation, pieces) : STATUS_OK;
}

// "(%a = %b, %c = %d)" names what a block takes; "(%a = %b, %c)" is what a program is
// given. Anything else is only looked through.
static status read_parenthesis(struct mlir_parser *parser, const struct mlir_list *pieces)
{
    const struct mlir_token name = mlir_peek(parser);
    if (name.kind != MLIR_TOKEN_VALUE ||
        mlir_token_read(name.text.data + name.text.size, parser->end).kind != '=')
        return mlir_skip_group(parser, pieces);
    mlir_advance(parser);
    do {
        const struct view text = parser->token.text;
        struct mlir_piece piece = {.kind = MLIR_PIECE_ARGUMENT};
        if (mlir_peek(parser).kind == '=') {
            STATUS_TRY(mlir_expect(parser, MLIR_TOKEN_VALUE, "a value"));
            piece.argument = (struct mlir_argument){.name = view_slice(text, 1, text.size)};
            mlir_list_add(parser, pieces, &piece);
            STATUS_TRY(mlir_expect(parser, '=', "'='"));
        }
        piece = (struct mlir_piece){.kind = MLIR_PIECE_OPERAND};
        STATUS_TRY(mlir_read_operand(parser, &piece.operand));
        mlir_list_add(parser, pieces, &piece);
    } while (mlir_take(parser, ','));
    return mlir_expect(parser, ')', "',' or ')'");
}

// A list of nothing but numbers and such lists, on one line, is an attribute.
static bool is_plain_list(const struct mlir_parser *parser)
{
    unsigned depth = 0;
    for (const char *at = parser->token.text.data; at < parser->end; at++) {
        if (*at == '[')
            depth++;
        else if (*at == ']' && --depth == 0)
            return true;
        else if (strchr(", -.]", *at) == NULL && (unsigned)(*at - '0') > 9)
            return false;
    }
    return false;
}

static status read_literal(struct mlir_parser *parser, const struct mlir_list *pieces)
{
    struct mlir_piece piece = {.kind = MLIR_PIECE_LITERAL};
    STATUS_TRY(mlir_read_attribute(parser, &piece.literal));
    mlir_list_add(parser, pieces, &piece);
    return STATUS_OK;
}

static status mlir_pretty_read_list(struct mlir_parser *parser, const struct mlir_list *pieces)
{
    const struct view start = parser->token.text;
    if (is_plain_list(parser))
        return read_literal(parser, pieces);
    STATUS_TRY(mlir_skip_group(parser, pieces));
    struct mlir_piece piece = {.kind = MLIR_PIECE_LITERAL};
    piece.literal = (struct mlir_attribute){.kind = MLIR_UNPARSED};
    piece.literal.text = mlir_text_since(parser, start.data);
    mlir_list_add(parser, pieces, &piece);
    return STATUS_OK;
}

static status read_angle(struct mlir_parser *parser, struct mlir_operation *operation,
                         const struct mlir_list *pieces)
{
    if (mlir_peek(parser).kind != '{')
        return mlir_skip_group(parser, pieces);
    mlir_advance(parser);
    STATUS_TRY(mlir_read_dictionary(parser, &operation->properties));
    return mlir_expect(parser, '>', "'>' after the properties");
}

static status mlir_pretty_read_word(struct mlir_parser *parser, struct mlir_operation *operation,
                                    const struct mlir_list *pieces)
{
    const struct view word = parser->token.text;
    if (at_arrow(parser))
        return read_result_types(parser, operation, pieces);
    if (view_is(word, "true") || view_is(word, "false") || mlir_peek(parser).kind == '<')
        return read_literal(parser, pieces);
    mlir_advance(parser);
    if (view_is(word, "attributes") && mlir_at(parser, '{') && operation->attributes == NULL)
        return mlir_read_dictionary(parser, &operation->attributes);
    return STATUS_OK;
}

static status read_successor(struct mlir_parser *parser, const struct mlir_list *pieces)
{
    struct mlir_piece piece = {.kind = MLIR_PIECE_SUCCESSOR};
    piece.successor = view_slice(parser->token.text, 1, parser->token.text.size);
    mlir_list_add(parser, pieces, &piece);
    mlir_advance(parser);
    return STATUS_OK;
}

static status read_piece(struct mlir_parser *parser, struct mlir_operation *operation,
                         const struct mlir_list *pieces)
{
    struct mlir_piece piece = {.kind = MLIR_PIECE_OPERAND};
    switch (parser->token.kind) {
    case MLIR_TOKEN_VALUE:
        STATUS_TRY(mlir_read_operand(parser, &piece.operand));
        mlir_list_add(parser, pieces, &piece);
        return STATUS_OK;
    case '{':
        return read_brace(parser, operation, pieces);
    case ':':
        return read_colon(parser, operation, pieces);
    case MLIR_TOKEN_ARROW:
        return read_result_types(parser, operation, pieces);
    case '(':
        return read_parenthesis(parser, pieces);
    case '[':
        return mlir_pretty_read_list(parser, pieces);
    case '<':
        return read_angle(parser, operation, pieces);
    case MLIR_TOKEN_SYMBOL:
        if (operation->symbol.size == 0)
            operation->symbol = view_slice(parser->token.text, 1, parser->token.text.size);
        break;
    case MLIR_TOKEN_NAME:
        return mlir_pretty_read_word(parser, operation, pieces);
    case MLIR_TOKEN_BLOCK:
        return read_successor(parser, pieces);
    case MLIR_TOKEN_INTEGER:
    case MLIR_TOKEN_REAL:
    case MLIR_TOKEN_TEXT:
    case MLIR_TOKEN_ATTRIBUTE:
    case '-':
        return read_literal(parser, pieces);
    case ')':
    case ']':
    case '>':
    case MLIR_TOKEN_BAD:
    case MLIR_TOKEN_FILE_CLOSE:
        return mlir_expected(parser, "the next operation");
    default:
        break;
    }
    mlir_advance(parser);
    return STATUS_OK;
}

// The pieces of one kind become an array of their own.
static const void *mlir_pretty_gather(struct mlir_parser *parser, const struct mlir_list *pieces,
                                      enum mlir_piece_kind kind, size_t size, uint32_t *out_count)
{
    const size_t end = parser->stack_used;
    uint32_t count = 0;
    for (size_t at = pieces->from; at < end; at += sizeof(struct mlir_piece)) {
        struct mlir_piece piece;
        memcpy(&piece, parser->stack + at, sizeof piece);
        count += piece.kind == kind;
    }
    *out_count = count;
    if (count == 0)
        return NULL;
    char *items = arena_allocate(&parser->document->arena, count * size);
    char *next = items;
    for (size_t at = pieces->from; at < end; at += sizeof(struct mlir_piece)) {
        struct mlir_piece piece;
        memcpy(&piece, parser->stack + at, sizeof piece);
        if (piece.kind != kind)
            continue;
        memcpy(next, &piece.operand, size); // all members of the union start here
        next += size;
    }
    return items;
}

static void gather_all(struct mlir_parser *parser, const struct mlir_list *pieces,
                       struct mlir_operation *operation)
{
    operation->operands = mlir_pretty_gather(
        parser, pieces, MLIR_PIECE_OPERAND, sizeof(struct mlir_operand), &operation->operand_count);
    operation->literals =
        mlir_pretty_gather(parser, pieces, MLIR_PIECE_LITERAL, sizeof(struct mlir_attribute),
                           &operation->literal_count);
    operation->regions = mlir_pretty_gather(parser, pieces, MLIR_PIECE_REGION,
                                            sizeof(struct mlir_region), &operation->region_count);
    operation->successors = mlir_pretty_gather(parser, pieces, MLIR_PIECE_SUCCESSOR,
                                               sizeof(struct view), &operation->successor_count);
    operation->arguments =
        mlir_pretty_gather(parser, pieces, MLIR_PIECE_ARGUMENT, sizeof(struct mlir_argument),
                           &operation->argument_count);
    operation->operand_types.items =
        mlir_pretty_gather(parser, pieces, MLIR_PIECE_OPERAND_TYPE, sizeof(struct mlir_type *),
                           &operation->operand_types.count);
    operation->result_types.items =
        mlir_pretty_gather(parser, pieces, MLIR_PIECE_RESULT_TYPE, sizeof(struct mlir_type *),
                           &operation->result_types.count);
    parser->stack_used = pieces->from;
}

static bool ends_with_type(const struct mlir_parser *parser, const struct mlir_list *pieces)
{
    if (parser->stack_used == pieces->from)
        return false;
    struct mlir_piece last;
    memcpy(&last, parser->stack + parser->stack_used - sizeof last, sizeof last);
    return last.kind >= MLIR_PIECE_OPERAND_TYPE;
}

static bool mlir_pretty_is_module(struct view name)
{
    return view_is(name, "module") || view_is(name, "builtin.module");
}

status mlir_read_pretty(struct mlir_parser *parser, struct mlir_operation *operation)
{
    const struct mlir_list pieces = mlir_list_begin(parser, sizeof(struct mlir_piece));
    bool types_before = false;
    while (!ends_here(parser, types_before) && !mlir_starts_location(parser)) {
        if (mlir_pretty_is_module(operation->name) && mlir_at(parser, '{')) {
            struct mlir_piece piece = {.kind = MLIR_PIECE_REGION};
            STATUS_TRY(mlir_read_region(parser, &piece.region));
            mlir_list_add(parser, &pieces, &piece);
        } else {
            STATUS_TRY(read_piece(parser, operation, &pieces));
        }
        types_before = ends_with_type(parser, &pieces);
    }
    gather_all(parser, &pieces, operation);
    return STATUS_OK;
}
