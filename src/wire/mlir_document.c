#include <stdlib.h>

#include "base/memory.h"
#include "mlir_number.h"
#include "mlir_parser.h"

static const struct mlir_attribute *find_key(const struct segments *items,
                                             const struct hash_index *index, struct view key)
{
    const uint32_t hash = hash_bytes(key.data, key.size);
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;) {
        const struct mlir_attribute *item = segments_get(items, id);
        if (view_equal(item->key, key))
            return item;
    }
    return NULL;
}

static void add_key(struct segments *items, struct hash_index *index,
                    const struct mlir_attribute *item)
{
    *(struct mlir_attribute *)segments_add(items) = *item;
    hash_add(index, hash_bytes(item->key.data, item->key.size), items->count - 1);
}

// "#map = affine_map<...>", "!t = tensor<...>", "#loc1 = loc(...)"
static status read_alias(struct mlir_parser *parser)
{
    struct mlir_document *document = parser->document;
    const struct mlir_token name = parser->token;
    mlir_advance(parser);
    STATUS_TRY(mlir_expect(parser, '=', "'='"));
    struct mlir_attribute value;
    if (name.kind == MLIR_TOKEN_TYPE && !mlir_starts_type(parser))
        return mlir_expected(parser, "a type");
    STATUS_TRY(mlir_read_attribute(parser, &value));
    value.key = name.text;
    if (find_key(&document->aliases, &document->alias_index, name.text) != NULL)
        return mlir_failure(document, name.text.data, "'%.*s' is defined twice",
                            VIEW_ARGUMENTS(name.text));
    add_key(&document->aliases, &document->alias_index, &value);
    return STATUS_OK;
}

static status mlir_document_read_key(struct mlir_parser *parser, struct view *out_key)
{
    const struct mlir_token key = parser->token;
    if (key.kind != MLIR_TOKEN_NAME && key.kind != MLIR_TOKEN_TEXT)
        return mlir_expected(parser, "a name");
    mlir_advance(parser);
    *out_key = key.kind == MLIR_TOKEN_TEXT ? view_slice(key.text, 1, key.text.size - 1) : key.text;
    return mlir_expect(parser, ':', "':'");
}

// Calls `read` for each "key: value" between braces.
static status read_fields(struct mlir_parser *parser, int close,
                          status (*read)(struct mlir_parser *parser, struct view key))
{
    while (!mlir_at(parser, close)) {
        struct view key = {0};
        STATUS_TRY(mlir_document_read_key(parser, &key));
        STATUS_TRY(read(parser, key));
        if (!mlir_take(parser, ','))
            break;
    }
    return mlir_expect(parser, close, close == '}' ? "',' or '}'" : "',' or '#-}'");
}

static status mlir_document_read_resource(struct mlir_parser *parser, struct view key)
{
    struct mlir_attribute value;
    STATUS_TRY(mlir_read_attribute(parser, &value));
    value.key = key;
    add_key(&parser->document->resources, &parser->document->resource_index, &value);
    return STATUS_OK;
}

static status read_dialect(struct mlir_parser *parser, struct view key)
{
    (void)key;
    STATUS_TRY(mlir_expect(parser, '{', "'{'"));
    return read_fields(parser, '}', mlir_document_read_resource);
}

static status mlir_document_read_section(struct mlir_parser *parser, struct view key)
{
    if (!view_is(key, "dialect_resources"))
        return mlir_at(parser, '{') ? mlir_skip_group(parser, NULL) : mlir_expected(parser, "'{'");
    STATUS_TRY(mlir_expect(parser, '{', "'{'"));
    return read_fields(parser, '}', read_dialect);
}

static status read_top(struct mlir_parser *parser)
{
    struct mlir_block *top = &parser->document->top;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_operation));
    while (!mlir_at(parser, MLIR_TOKEN_END)) {
        if (mlir_at(parser, MLIR_TOKEN_ATTRIBUTE) || mlir_at(parser, MLIR_TOKEN_TYPE)) {
            STATUS_TRY(read_alias(parser));
        } else if (mlir_take(parser, MLIR_TOKEN_FILE_OPEN)) {
            STATUS_TRY(read_fields(parser, MLIR_TOKEN_FILE_CLOSE, mlir_document_read_section));
        } else {
            struct mlir_operation operation;
            STATUS_TRY(mlir_read_operation(parser, &operation));
            mlir_list_add(parser, &list, &operation);
        }
    }
    top->operations = mlir_list_end(parser, &list, &top->operation_count);
    return STATUS_OK;
}

status mlir_read(const char *name, struct view text, struct mlir_document **out_document)
{
    struct mlir_document *document = memory_allocate_zeroed(1, sizeof *document);
    document->name = name;
    document->text = text;
    segments_start(&document->aliases, sizeof(struct mlir_attribute));
    segments_start(&document->resources, sizeof(struct mlir_attribute));
    struct mlir_parser parser = {.document = document, .end = text.data + text.size};
    segments_start(&parser.types, sizeof(struct mlir_type *));
    mlir_move(&parser, text.data);
    const status failure = read_top(&parser);
    segments_free(&parser.types);
    hash_free(&parser.type_index);
    free(parser.stack);
    if (failure != STATUS_OK) {
        mlir_free(document);
        return failure;
    }
    *out_document = document;
    return STATUS_OK;
}

void mlir_free(struct mlir_document *document)
{
    if (document == NULL)
        return;
    segments_free(&document->aliases);
    segments_free(&document->resources);
    hash_free(&document->alias_index);
    hash_free(&document->resource_index);
    arena_free(&document->arena);
    free(document);
}

const struct mlir_attribute *mlir_attribute_target(const struct mlir_document *document,
                                                   const struct mlir_attribute *attribute)
{
    for (unsigned i = 0; attribute != NULL && i < MLIR_DEPTH_MOST; i++) {
        if (attribute->kind != MLIR_REFERENCE)
            return attribute;
        attribute = find_key(&document->aliases, &document->alias_index, attribute->text);
    }
    return NULL;
}

status mlir_attribute_resolve(const struct mlir_document *document,
                              const struct mlir_attribute *attribute,
                              const struct mlir_attribute **out_attribute)
{
    *out_attribute = mlir_attribute_target(document, attribute);
    if (*out_attribute != NULL)
        return STATUS_OK;
    return mlir_failure(document, attribute->text.data, "'%.*s' is not defined",
                        VIEW_ARGUMENTS(attribute->text));
}

status mlir_type_resolve(const struct mlir_document *document, const struct mlir_type *type,
                         const struct mlir_type **out_type)
{
    const struct mlir_type *target = type;
    for (unsigned i = 0; i < MLIR_DEPTH_MOST; i++) {
        if (target->kind != MLIR_ALIAS) {
            *out_type = target;
            return STATUS_OK;
        }
        const struct mlir_attribute *alias =
            find_key(&document->aliases, &document->alias_index, target->text);
        if (alias == NULL || alias->kind != MLIR_TYPE)
            return mlir_failure(document, target->text.data, "'%.*s' is not defined",
                                VIEW_ARGUMENTS(target->text));
        target = alias->type;
    }
    return mlir_failure(document, type->text.data, "'%.*s' is defined by itself",
                        VIEW_ARGUMENTS(type->text));
}

const struct mlir_attribute *mlir_dictionary_find(const struct mlir_attribute *dictionary,
                                                  const char *key)
{
    for (uint32_t i = 0; dictionary != NULL && i < dictionary->count; i++) {
        if (view_is(dictionary->items[i].key, key))
            return &dictionary->items[i];
    }
    return NULL;
}

const struct mlir_attribute *mlir_find(const struct mlir_operation *operation, const char *key)
{
    const struct mlir_attribute *found = mlir_dictionary_find(operation->properties, key);
    return found != NULL ? found : mlir_dictionary_find(operation->attributes, key);
}

const struct mlir_attribute *mlir_resource_find(const struct mlir_document *document,
                                                struct view name)
{
    return find_key(&document->resources, &document->resource_index, name);
}

bool mlir_integer_of(const struct mlir_attribute *attribute, int64_t *out_number)
{
    if (attribute->kind == MLIR_BOOL) {
        *out_number = view_is(attribute->text, "true");
        return true;
    }
    const char *at = attribute->text.data;
    const char *end = at + attribute->text.size;
    return attribute->kind == MLIR_INTEGER && mlir_number_integer(&at, end, out_number) &&
           at == end;
}

struct view mlir_unescape(struct view text, struct arena *arena)
{
    if (view_find(text, '\\') == text.size)
        return text;
    char *copy = arena_allocate(arena, text.size);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (byte == '\\' && i + 1 < text.size) {
            const char next = text.data[++i];
            const int high = mlir_number_hex_digit(next);
            const int low = i + 1 < text.size ? mlir_number_hex_digit(text.data[i + 1]) : -1;
            if (high >= 0 && low >= 0) {
                byte = (char)(high * 16 + low);
                i++;
            } else {
                byte = next == 'n' ? '\n' : next == 't' ? '\t' : next;
            }
        }
        copy[size++] = byte;
    }
    return (struct view){copy, size};
}
