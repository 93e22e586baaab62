#include "mlir_parser.h"

status mlir_read_operand(struct mlir_parser *parser, struct mlir_operand *out_operand)
{
    if (!mlir_at(parser, MLIR_TOKEN_VALUE))
        return mlir_expected(parser, "a value");
    *out_operand =
        (struct mlir_operand){.name = view_slice(parser->token.text, 1, parser->token.text.size)};
    mlir_advance(parser);
    const struct view number = parser->token.text;
    uint64_t value;
    if (!mlir_at(parser, MLIR_TOKEN_ATTRIBUTE) || !mlir_adjacent(parser) ||
        !view_to_u64(view_slice(number, 1, number.size), &value))
        return STATUS_OK;
    if (value > UINT32_MAX)
        return mlir_expected(parser, "the number of a result");
    out_operand->number = (uint32_t)value;
    mlir_advance(parser);
    return STATUS_OK;
}

// "%a: type {attributes} loc(...)", or only the type.
status mlir_read_argument(struct mlir_parser *parser, struct mlir_argument *out_argument)
{
    *out_argument = (struct mlir_argument){.name = {"", 0}};
    if (mlir_at(parser, MLIR_TOKEN_VALUE)) {
        out_argument->name = view_slice(parser->token.text, 1, parser->token.text.size);
        mlir_advance(parser);
        STATUS_TRY(mlir_expect(parser, ':', "':'"));
    }
    STATUS_TRY(mlir_read_type(parser, &out_argument->type));
    if (mlir_at(parser, '{'))
        STATUS_TRY(mlir_read_dictionary(parser, &out_argument->attributes));
    const struct mlir_location *location;
    return mlir_starts_location(parser) ? mlir_read_location(parser, &location) : STATUS_OK;
}

// After '(', to after ')'.
static status mlir_operation_read_arguments(struct mlir_parser *parser,
                                            const struct mlir_list *list)
{
    if (mlir_take(parser, ')'))
        return STATUS_OK;
    do {
        struct mlir_argument argument;
        STATUS_TRY(mlir_read_argument(parser, &argument));
        mlir_list_add(parser, list, &argument);
    } while (mlir_take(parser, ','));
    return mlir_expect(parser, ')', "',' or ')'");
}

// "^name(%a: type, ...):"
static status mlir_operation_read_label(struct mlir_parser *parser, struct mlir_block *block)
{
    block->label = view_slice(parser->token.text, 1, parser->token.text.size);
    mlir_advance(parser);
    if (mlir_take(parser, '(')) {
        const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_argument));
        STATUS_TRY(mlir_operation_read_arguments(parser, &list));
        block->arguments = mlir_list_end(parser, &list, &block->argument_count);
    }
    return mlir_expect(parser, ':', "':' after the label of a block");
}

static status mlir_operation_read_block(struct mlir_parser *parser, struct mlir_block *block)
{
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_operation));
    while (!mlir_at(parser, '}') && !mlir_at(parser, MLIR_TOKEN_BLOCK)) {
        struct mlir_operation operation;
        STATUS_TRY(mlir_read_operation(parser, &operation));
        mlir_list_add(parser, &list, &operation);
    }
    block->operations = mlir_list_end(parser, &list, &block->operation_count);
    return STATUS_OK;
}

status mlir_read_region(struct mlir_parser *parser, struct mlir_region *out_region)
{
    STATUS_TRY(mlir_enter(parser));
    STATUS_TRY(mlir_expect(parser, '{', "'{'"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_block));
    while (!mlir_at(parser, '}')) {
        struct mlir_block block = {.label = {"", 0}};
        if (mlir_at(parser, MLIR_TOKEN_BLOCK))
            STATUS_TRY(mlir_operation_read_label(parser, &block));
        STATUS_TRY(mlir_operation_read_block(parser, &block));
        mlir_list_add(parser, &list, &block);
    }
    mlir_advance(parser);
    out_region->blocks = mlir_list_end(parser, &list, &out_region->count);
    parser->depth--;
    return STATUS_OK;
}

static status read_result(struct mlir_parser *parser, struct mlir_result *result)
{
    if (!mlir_at(parser, MLIR_TOKEN_VALUE))
        return mlir_expected(parser, "a result");
    result->name = view_slice(parser->token.text, 1, parser->token.text.size);
    result->count = 1;
    mlir_advance(parser);
    if (!mlir_take(parser, ':'))
        return STATUS_OK;
    uint64_t count;
    if (!mlir_at(parser, MLIR_TOKEN_INTEGER) || !view_to_u64(parser->token.text, &count) ||
        count == 0 || count > UINT16_MAX)
        return mlir_expected(parser, "the number of results");
    result->count = (uint32_t)count;
    mlir_advance(parser);
    return STATUS_OK;
}

// "%a, %b:2 =", if there is any.
static status read_results(struct mlir_parser *parser, struct mlir_operation *operation)
{
    if (!mlir_at(parser, MLIR_TOKEN_VALUE))
        return STATUS_OK;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_result));
    do {
        struct mlir_result result;
        STATUS_TRY(read_result(parser, &result));
        mlir_list_add(parser, &list, &result);
    } while (mlir_take(parser, ','));
    operation->results = mlir_list_end(parser, &list, &operation->result_count);
    return mlir_expect(parser, '=', "'='");
}

static status mlir_operation_read_operands(struct mlir_parser *parser,
                                           struct mlir_operation *operation)
{
    STATUS_TRY(mlir_expect(parser, '(', "'('"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_operand));
    if (!mlir_at(parser, ')')) {
        do {
            struct mlir_operand operand;
            STATUS_TRY(mlir_read_operand(parser, &operand));
            mlir_list_add(parser, &list, &operand);
        } while (mlir_take(parser, ','));
    }
    operation->operands = mlir_list_end(parser, &list, &operation->operand_count);
    return mlir_expect(parser, ')', "',' or ')'");
}

static status read_successors(struct mlir_parser *parser, struct mlir_operation *operation)
{
    if (!mlir_take(parser, '['))
        return STATUS_OK;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct view));
    do {
        const struct view label = parser->token.text;
        STATUS_TRY(mlir_expect(parser, MLIR_TOKEN_BLOCK, "a block"));
        mlir_list_add(parser, &list, &(struct view){label.data + 1, label.size - 1});
        if (mlir_at(parser, '('))
            STATUS_TRY(mlir_skip_group(parser, NULL));
    } while (mlir_take(parser, ','));
    operation->successors = mlir_list_end(parser, &list, &operation->successor_count);
    return mlir_expect(parser, ']', "',' or ']'");
}

static status read_properties(struct mlir_parser *parser, struct mlir_operation *operation)
{
    if (!mlir_take(parser, '<'))
        return STATUS_OK;
    STATUS_TRY(mlir_read_dictionary(parser, &operation->properties));
    return mlir_expect(parser, '>', "'>' after the properties");
}

static status mlir_operation_read_regions(struct mlir_parser *parser,
                                          struct mlir_operation *operation)
{
    if (!mlir_take(parser, '('))
        return STATUS_OK;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_region));
    do {
        struct mlir_region region;
        STATUS_TRY(mlir_read_region(parser, &region));
        mlir_list_add(parser, &list, &region);
    } while (mlir_take(parser, ','));
    operation->regions = mlir_list_end(parser, &list, &operation->region_count);
    return mlir_expect(parser, ')', "',' or ')' after a region");
}

static status read_function_types(struct mlir_parser *parser, struct mlir_operation *operation)
{
    STATUS_TRY(mlir_expect(parser, ':', "':' and the types"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_type *));
    STATUS_TRY(mlir_read_type_group(parser, &list));
    operation->operand_types = mlir_types_end(parser, &list);
    operation->has_arrow = true;
    return mlir_read_result_types(parser, &operation->result_types);
}

status mlir_read_generic(struct mlir_parser *parser, struct mlir_operation *operation)
{
    STATUS_TRY(mlir_operation_read_operands(parser, operation));
    STATUS_TRY(read_successors(parser, operation));
    STATUS_TRY(read_properties(parser, operation));
    STATUS_TRY(mlir_operation_read_regions(parser, operation));
    if (mlir_at(parser, '{'))
        STATUS_TRY(mlir_read_dictionary(parser, &operation->attributes));
    return read_function_types(parser, operation);
}

// "-> (type {attributes}, ...)" or "-> type".
static status read_function_results(struct mlir_parser *parser, struct mlir_operation *operation)
{
    if (!mlir_take(parser, MLIR_TOKEN_ARROW))
        return STATUS_OK;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_type *));
    if (!mlir_take(parser, '(')) {
        const struct mlir_type *type;
        STATUS_TRY(mlir_read_type(parser, &type));
        mlir_list_add(parser, &list, &type);
    } else if (!mlir_take(parser, ')')) {
        do {
            struct mlir_argument result;
            STATUS_TRY(mlir_read_argument(parser, &result));
            mlir_list_add(parser, &list, &result.type);
        } while (mlir_take(parser, ','));
        STATUS_TRY(mlir_expect(parser, ')', "',' or ')'"));
    }
    operation->result_types = mlir_types_end(parser, &list);
    return STATUS_OK;
}

// "private @name(%a: type) -> type attributes {...} {...}"
status mlir_read_function(struct mlir_parser *parser, struct mlir_operation *operation)
{
    while (mlir_at(parser, MLIR_TOKEN_NAME))
        mlir_advance(parser);
    const struct view symbol = parser->token.text;
    STATUS_TRY(mlir_expect(parser, MLIR_TOKEN_SYMBOL, "the name of the function"));
    operation->symbol = view_slice(symbol, 1, symbol.size);
    operation->is_function = true;
    STATUS_TRY(mlir_expect(parser, '(', "'('"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_argument));
    STATUS_TRY(mlir_operation_read_arguments(parser, &list));
    operation->arguments = mlir_list_end(parser, &list, &operation->argument_count);
    STATUS_TRY(read_function_results(parser, operation));
    if (mlir_at_name(parser, "attributes")) {
        mlir_advance(parser);
        STATUS_TRY(mlir_read_dictionary(parser, &operation->attributes));
    }
    if (!mlir_at(parser, '{'))
        return STATUS_OK;
    struct mlir_region *region = arena_allocate(&parser->document->arena, sizeof *region);
    STATUS_TRY(mlir_read_region(parser, region));
    operation->regions = region;
    operation->region_count = 1;
    return STATUS_OK;
}

static bool is_function(struct view name)
{
    return view_is(name, "func.func") || view_is(name, "func") || view_is(name, "builtin.func") ||
           view_is(name, "util.func") || view_is(name, "ml_program.func");
}

status mlir_read_operation(struct mlir_parser *parser, struct mlir_operation *out_operation)
{
    *out_operation = (struct mlir_operation){.symbol = {"", 0}};
    const char *start = parser->token.text.data;
    STATUS_TRY(read_results(parser, out_operation));
    const struct mlir_token name = parser->token;
    out_operation->name = name.text;
    if (name.kind != MLIR_TOKEN_TEXT && name.kind != MLIR_TOKEN_NAME)
        return mlir_expected(parser, "an operation");
    mlir_advance(parser);
    if (name.kind == MLIR_TOKEN_TEXT) {
        out_operation->name = view_slice(name.text, 1, name.text.size - 1);
        out_operation->generic = true;
        STATUS_TRY(mlir_read_generic(parser, out_operation));
    } else if (is_function(name.text)) {
        STATUS_TRY(mlir_read_function(parser, out_operation));
    } else {
        STATUS_TRY(mlir_read_pretty(parser, out_operation));
    }
    if (mlir_starts_location(parser))
        STATUS_TRY(mlir_read_location(parser, &out_operation->location));
    out_operation->text = mlir_text_since(parser, start);
    return STATUS_OK;
}
