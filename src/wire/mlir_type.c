#include "base/memory.h"
#include "mlir_parser.h"

struct shaped_name {
    const char *name;
    enum mlir_type_kind kind;
};

static const struct shaped_name SHAPED[] = {
    {"tensor", MLIR_TENSOR}, {"memref", MLIR_MEMREF},   {"vector", MLIR_VECTOR},
    {"tuple", MLIR_TUPLE},   {"complex", MLIR_COMPLEX},
};

static const struct shaped_name *find_shaped(struct view name)
{
    for (size_t i = 0; i < sizeof SHAPED / sizeof *SHAPED; i++) {
        if (view_is(name, SHAPED[i].name))
            return &SHAPED[i];
    }
    return NULL;
}

static bool digits_from(struct view name, size_t from)
{
    for (size_t i = from; i < name.size; i++) {
        if ((unsigned)(name.data[i] - '0') > 9)
            return false;
    }
    return name.size > from;
}

// i8, si8, ui8, f32, f8E4M3FN, bf16, tf32, index, none.
static bool is_scalar(struct view name)
{
    if (view_is(name, "index") || view_is(name, "none") || view_is(name, "bf16") ||
        view_is(name, "tf32"))
        return true;
    if (name.size > 1 && name.data[0] == 'i')
        return digits_from(name, 1);
    if (name.size > 2 && (name.data[0] == 's' || name.data[0] == 'u') && name.data[1] == 'i')
        return digits_from(name, 2);
    if (name.size < 2 || name.data[0] != 'f')
        return false;
    const size_t exponent = view_find(name, 'E');
    return digits_from(view_slice(name, 0, exponent), 1);
}

bool mlir_starts_type(const struct mlir_parser *parser)
{
    const struct mlir_token *token = &parser->token;
    if (token->kind == MLIR_TOKEN_TYPE || token->kind == '(')
        return true;
    if (token->kind != MLIR_TOKEN_NAME)
        return false;
    return is_scalar(token->text) ||
           (find_shaped(token->text) != NULL && mlir_peek(parser).kind == '<');
}

struct mlir_types mlir_types_end(struct mlir_parser *parser, const struct mlir_list *list)
{
    struct mlir_types types;
    types.items = mlir_list_end(parser, list, &types.count);
    return types;
}

status mlir_read_type_group(struct mlir_parser *parser, const struct mlir_list *list)
{
    STATUS_TRY(mlir_expect(parser, '(', "'('"));
    if (mlir_take(parser, ')'))
        return STATUS_OK;
    do {
        const struct mlir_type *type;
        STATUS_TRY(mlir_read_type(parser, &type));
        mlir_list_add(parser, list, &type);
    } while (mlir_take(parser, ','));
    return mlir_expect(parser, ')', "',' or ')'");
}

status mlir_read_result_types(struct mlir_parser *parser, struct mlir_types *out_types)
{
    STATUS_TRY(mlir_expect(parser, MLIR_TOKEN_ARROW, "'->'"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_type *));
    if (mlir_at(parser, '(')) {
        STATUS_TRY(mlir_read_type_group(parser, &list));
    } else {
        const struct mlir_type *type;
        STATUS_TRY(mlir_read_type(parser, &type));
        mlir_list_add(parser, &list, &type);
    }
    *out_types = mlir_types_end(parser, &list);
    return STATUS_OK;
}

static status read_function_type(struct mlir_parser *parser, struct mlir_type *type)
{
    type->kind = MLIR_FUNCTION;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_type *));
    STATUS_TRY(mlir_read_type_group(parser, &list));
    type->members = mlir_types_end(parser, &list);
    return mlir_read_result_types(parser, &type->results);
}

// 56x, ?x or [4]x in front of the element. *out_more is false when it is none of these.
static status read_dimension(struct mlir_parser *parser, const char **at, int64_t *out_length,
                             bool *out_more)
{
    const char *from = *at;
    const char *digits = from + (*from == '[' ? 1 : 0);
    const char *end = digits;
    int64_t length = 0;
    *out_more = false;
    if (*end == '?') {
        length = MLIR_DYNAMIC;
        end++;
    }
    for (; length >= 0 && (unsigned)(*end - '0') <= 9; end++) {
        if (__builtin_mul_overflow(length, 10, &length) ||
            __builtin_add_overflow(length, *end - '0', &length))
            return mlir_failure(parser->document, from, "the dimension does not fit 63 bits");
    }
    if (end == digits)
        return STATUS_OK;
    const char *after = end + (digits > from && *end == ']' ? 1 : 0);
    if (*after != 'x')
        return mlir_failure(parser->document, after, "expected 'x' after a dimension");
    *at = after + 1;
    *out_length = length;
    *out_more = true;
    return STATUS_OK;
}

// `at` stays before the '>' that ends the body, so that there is always a byte to look at.
static status read_dimensions(struct mlir_parser *parser, struct mlir_type *type, const char **at)
{
    while (**at == ' ')
        *at += 1;
    if (**at == '*' && (*at)[1] == 'x') {
        *at += 2;
        return STATUS_OK;
    }
    type->ranked = true;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(int64_t));
    for (;;) {
        int64_t length;
        bool more;
        STATUS_TRY(read_dimension(parser, at, &length, &more));
        if (!more)
            break;
        mlir_list_add(parser, &list, &length);
    }
    type->dims = mlir_list_end(parser, &list, &type->rank);
    return STATUS_OK;
}

static status read_shaped(struct mlir_parser *parser, struct mlir_type *type)
{
    const char *at = type->body.data;
    const char *end = at + type->body.size;
    if (type->kind != MLIR_COMPLEX)
        STATUS_TRY(read_dimensions(parser, type, &at));
    mlir_move(parser, at);
    STATUS_TRY(mlir_read_type(parser, &type->element));
    if (parser->token.text.data > end)
        return mlir_failure(parser->document, at, "expected the type of the elements");
    if (mlir_take(parser, ','))
        type->encoding = (struct view){parser->last_end, (size_t)(end - parser->last_end)};
    else if (parser->token.text.data != end)
        return mlir_expected(parser, "',' or '>' after the type of the elements");
    mlir_move(parser, end);
    mlir_advance(parser);
    return STATUS_OK;
}

static status read_tuple(struct mlir_parser *parser, struct mlir_type *type)
{
    mlir_move(parser, type->body.data);
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_type *));
    if (!mlir_at(parser, '>')) {
        do {
            const struct mlir_type *member;
            STATUS_TRY(mlir_read_type(parser, &member));
            mlir_list_add(parser, &list, &member);
        } while (mlir_take(parser, ','));
    }
    type->members = mlir_types_end(parser, &list);
    return mlir_expect(parser, '>', "',' or '>'");
}

// Name and extent, without a look inside.
static status read_extent(struct mlir_parser *parser, struct mlir_type *type)
{
    const struct mlir_token token = parser->token;
    mlir_advance(parser);
    type->name = token.text;
    type->text = token.text;
    if (token.kind == MLIR_TOKEN_TYPE) {
        type->name = view_slice(token.text, 1, token.text.size);
        type->kind = view_find(type->name, '.') < type->name.size ? MLIR_OPAQUE : MLIR_ALIAS;
    } else {
        const struct shaped_name *shaped = find_shaped(token.text);
        type->kind = shaped != NULL ? shaped->kind : MLIR_SCALAR;
    }
    if (type->kind == MLIR_SCALAR || !mlir_at(parser, '<') ||
        (token.kind == MLIR_TOKEN_TYPE && !mlir_adjacent(parser)))
        return STATUS_OK;
    if (type->kind == MLIR_ALIAS)
        type->kind = MLIR_OPAQUE; // !dialect<name ...>
    STATUS_TRY(mlir_read_body(parser, false, &type->body));
    type->text = mlir_text_since(parser, token.text.data);
    return STATUS_OK;
}

static const struct mlir_type *mlir_type_find_known(const struct mlir_parser *parser,
                                                    struct view text, uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&parser->type_index, hash);
         (id = hash_next(&parser->type_index, hash, &at)) != HASH_NONE;) {
        const struct mlir_type *const *known = segments_get(&parser->types, id);
        if (view_equal((*known)->text, text))
            return *known;
    }
    return NULL;
}

static status read_named_type(struct mlir_parser *parser, const struct mlir_type **out_type)
{
    struct mlir_type type = {.body = {"", 0}, .encoding = {"", 0}};
    STATUS_TRY(read_extent(parser, &type));
    const uint32_t hash = hash_bytes(type.text.data, type.text.size);
    *out_type = mlir_type_find_known(parser, type.text, hash);
    if (*out_type != NULL)
        return STATUS_OK;
    if (type.kind == MLIR_TUPLE)
        STATUS_TRY(read_tuple(parser, &type));
    else if (type.kind >= MLIR_TENSOR && type.kind <= MLIR_COMPLEX)
        STATUS_TRY(read_shaped(parser, &type));
    struct mlir_type *made = arena_allocate(&parser->document->arena, sizeof *made);
    *made = type;
    *(const struct mlir_type **)segments_add(&parser->types) = made;
    hash_add(&parser->type_index, hash, parser->types.count - 1);
    *out_type = made;
    return STATUS_OK;
}

status mlir_read_type(struct mlir_parser *parser, const struct mlir_type **out_type)
{
    if (!mlir_starts_type(parser))
        return mlir_expected(parser, "a type");
    STATUS_TRY(mlir_enter(parser));
    if (!mlir_at(parser, '(')) {
        STATUS_TRY(read_named_type(parser, out_type));
    } else {
        const char *start = parser->token.text.data;
        struct mlir_type *type = arena_allocate(&parser->document->arena, sizeof *type);
        *type = (struct mlir_type){.name = {"", 0}, .body = {"", 0}, .encoding = {"", 0}};
        STATUS_TRY(read_function_type(parser, type));
        type->text = mlir_text_since(parser, start);
        *out_type = type;
    }
    parser->depth--;
    return STATUS_OK;
}
