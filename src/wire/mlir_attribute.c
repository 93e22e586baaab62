#include "mlir_parser.h"

// All texts are there, be they empty.
static const struct mlir_attribute NOTHING = {
    .kind = MLIR_UNIT, .key = {"", 0}, .text = {"", 0}, .name = {"", 0}, .body = {"", 0}};

static status read_optional_type(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    if (!mlir_at(parser, ':'))
        return STATUS_OK;
    const char *colon = parser->token.text.data;
    mlir_advance(parser);
    if (mlir_starts_type(parser))
        return mlir_read_type(parser, &attribute->type);
    mlir_move(parser, colon);
    return STATUS_OK;
}

static status mlir_attribute_read_number(struct mlir_parser *parser,
                                         struct mlir_attribute *attribute)
{
    const char *start = parser->token.text.data;
    if (mlir_take(parser, '-') && !mlir_adjacent(parser))
        return mlir_expected(parser, "a number right after '-'");
    if (mlir_at(parser, MLIR_TOKEN_INTEGER))
        attribute->kind = MLIR_INTEGER;
    else if (mlir_at(parser, MLIR_TOKEN_REAL))
        attribute->kind = MLIR_REAL;
    else
        return mlir_expected(parser, "a number");
    mlir_advance(parser);
    attribute->text = mlir_text_since(parser, start);
    return read_optional_type(parser, attribute);
}

static status mlir_attribute_read_items(struct mlir_parser *parser,
                                        struct mlir_attribute *attribute)
{
    attribute->kind = MLIR_ARRAY;
    mlir_advance(parser);
    const struct mlir_list list = mlir_list_begin(parser, sizeof *attribute);
    if (!mlir_at(parser, ']')) {
        do {
            struct mlir_attribute item;
            STATUS_TRY(mlir_read_attribute(parser, &item));
            mlir_list_add(parser, &list, &item);
        } while (mlir_take(parser, ','));
    }
    attribute->items = mlir_list_end(parser, &list, &attribute->count);
    return mlir_expect(parser, ']', "',' or ']'");
}

static status mlir_attribute_read_entry(struct mlir_parser *parser, struct mlir_attribute *entry)
{
    const struct mlir_token key = parser->token;
    if (key.kind != MLIR_TOKEN_NAME && key.kind != MLIR_TOKEN_TEXT)
        return mlir_expected(parser, "the name of an attribute");
    mlir_advance(parser);
    *entry = NOTHING;
    if (mlir_take(parser, '='))
        STATUS_TRY(mlir_read_attribute(parser, entry));
    entry->key = key.kind == MLIR_TOKEN_TEXT ? mlir_unquoted(key.text) : key.text;
    return STATUS_OK;
}

static status read_entries(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    attribute->kind = MLIR_DICTIONARY;
    STATUS_TRY(mlir_expect(parser, '{', "'{'"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof *attribute);
    if (!mlir_at(parser, '}')) {
        do {
            struct mlir_attribute entry;
            STATUS_TRY(mlir_attribute_read_entry(parser, &entry));
            mlir_list_add(parser, &list, &entry);
        } while (mlir_take(parser, ','));
    }
    attribute->items = mlir_list_end(parser, &list, &attribute->count);
    return mlir_expect(parser, '}', "',' or '}'");
}

status mlir_read_dictionary(struct mlir_parser *parser,
                            const struct mlir_attribute **out_dictionary)
{
    struct mlir_attribute *dictionary =
        arena_allocate(&parser->document->arena, sizeof *dictionary);
    *dictionary = NOTHING;
    const char *start = parser->token.text.data;
    STATUS_TRY(mlir_enter(parser));
    STATUS_TRY(read_entries(parser, dictionary));
    parser->depth--;
    dictionary->text = mlir_text_since(parser, start);
    *out_dictionary = dictionary;
    return STATUS_OK;
}

static status read_symbol(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    const char *start = parser->token.text.data;
    attribute->kind = MLIR_SYMBOL;
    mlir_advance(parser);
    while (mlir_take(parser, MLIR_TOKEN_SCOPE))
        STATUS_TRY(mlir_expect(parser, MLIR_TOKEN_SYMBOL, "a symbol after '::'"));
    attribute->text = mlir_text_since(parser, start);
    return STATUS_OK;
}

static status read_hash(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    const struct mlir_token token = parser->token;
    mlir_advance(parser);
    attribute->name = view_slice(token.text, 1, token.text.size);
    attribute->kind =
        view_find(attribute->name, '.') < attribute->name.size ? MLIR_DIALECT : MLIR_REFERENCE;
    if (mlir_at(parser, '<') && mlir_adjacent(parser)) {
        attribute->kind = MLIR_DIALECT;
        STATUS_TRY(mlir_read_body(parser, false, &attribute->body));
    }
    attribute->text = mlir_text_since(parser, token.text.data);
    return read_optional_type(parser, attribute);
}

// After "array<": the type of the elements, then numbers.
static void split_numbers(struct mlir_attribute *attribute)
{
    const struct view body = attribute->body;
    const size_t colon = view_find(body, ':');
    attribute->name = view_trim(view_slice(body, 0, colon));
    attribute->body = view_slice(body, colon < body.size ? colon + 1 : colon, body.size);
}

struct bracket_name {
    const char *name;
    enum mlir_attribute_kind kind;
    bool plain;
};

static const struct bracket_name BRACKETS[] = {
    {"dense", MLIR_DENSE, true},
    {"array", MLIR_NUMBERS, true},
    {"dense_resource", MLIR_RESOURCE, true},
};

static status read_bracket(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    attribute->kind = MLIR_DIALECT;
    attribute->name = parser->token.text;
    bool plain = false;
    for (size_t i = 0; i < sizeof BRACKETS / sizeof *BRACKETS; i++) {
        if (view_is(attribute->name, BRACKETS[i].name)) {
            attribute->kind = BRACKETS[i].kind;
            plain = BRACKETS[i].plain;
        }
    }
    mlir_advance(parser);
    STATUS_TRY(mlir_read_body(parser, plain, &attribute->body));
    attribute->text = mlir_text_since(parser, attribute->name.data);
    if (attribute->kind == MLIR_NUMBERS) {
        split_numbers(attribute);
        return STATUS_OK;
    }
    return read_optional_type(parser, attribute);
}

static status mlir_attribute_read_word(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    const struct mlir_token token = parser->token;
    if (mlir_starts_location(parser)) {
        attribute->kind = MLIR_PLACE;
        STATUS_TRY(mlir_read_location(parser, &attribute->location));
        attribute->text = mlir_text_since(parser, token.text.data);
        return STATUS_OK;
    }
    if (mlir_peek(parser).kind == '<')
        return read_bracket(parser, attribute);
    mlir_advance(parser);
    attribute->kind = view_is(token.text, "unit") ? MLIR_UNIT : MLIR_KEYWORD;
    if (view_is(token.text, "true") || view_is(token.text, "false"))
        attribute->kind = MLIR_BOOL;
    if (view_is(token.text, "distinct") && mlir_at(parser, '[')) {
        attribute->kind = MLIR_DIALECT;
        STATUS_TRY(mlir_skip_group(parser, NULL));
        if (mlir_at(parser, '<'))
            STATUS_TRY(mlir_skip_group(parser, NULL));
    }
    attribute->text = mlir_text_since(parser, token.text.data);
    return STATUS_OK;
}

static status mlir_attribute_read_kind(struct mlir_parser *parser, struct mlir_attribute *attribute)
{
    const struct mlir_token token = parser->token;
    switch (token.kind) {
    case '-':
    case MLIR_TOKEN_INTEGER:
    case MLIR_TOKEN_REAL:
        return mlir_attribute_read_number(parser, attribute);
    case MLIR_TOKEN_TEXT:
        attribute->kind = MLIR_TEXT;
        mlir_advance(parser);
        attribute->text = mlir_unquoted(token.text);
        return read_optional_type(parser, attribute);
    case '[':
        STATUS_TRY(mlir_attribute_read_items(parser, attribute));
        break;
    case '{':
        STATUS_TRY(read_entries(parser, attribute));
        break;
    case MLIR_TOKEN_SYMBOL:
        return read_symbol(parser, attribute);
    case MLIR_TOKEN_ATTRIBUTE:
        return read_hash(parser, attribute);
    case MLIR_TOKEN_NAME:
        return mlir_attribute_read_word(parser, attribute);
    default:
        return mlir_expected(parser, "an attribute");
    }
    attribute->text = mlir_text_since(parser, token.text.data);
    return STATUS_OK;
}

status mlir_read_attribute(struct mlir_parser *parser, struct mlir_attribute *out_attribute)
{
    *out_attribute = NOTHING;
    STATUS_TRY(mlir_enter(parser));
    if (mlir_starts_type(parser)) {
        const char *start = parser->token.text.data;
        out_attribute->kind = MLIR_TYPE;
        STATUS_TRY(mlir_read_type(parser, &out_attribute->type));
        out_attribute->text = mlir_text_since(parser, start);
    } else {
        STATUS_TRY(mlir_attribute_read_kind(parser, out_attribute));
    }
    parser->depth--;
    return STATUS_OK;
}
