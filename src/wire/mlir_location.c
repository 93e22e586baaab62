#include <inttypes.h>

#include "base/bytes.h"
#include "mlir_parser.h"

bool mlir_starts_location(const struct mlir_parser *parser)
{
    return mlir_at_name(parser, "loc") && mlir_peek(parser).kind == '(';
}

static status mlir_location_read_place(struct mlir_parser *parser,
                                       const struct mlir_location **out_location);

static status mlir_location_read_number(struct mlir_parser *parser, uint64_t *out_number)
{
    if (!mlir_at(parser, MLIR_TOKEN_INTEGER) || !view_to_u64(parser->token.text, out_number))
        return mlir_expected(parser, "a line or column");
    mlir_advance(parser);
    return STATUS_OK;
}

// After the file's name: ":3:4", ":3:4 to :9", ":3:4 to 5:6".
static status read_range(struct mlir_parser *parser, struct mlir_location *location)
{
    STATUS_TRY(mlir_location_read_number(parser, &location->line));
    if (mlir_take(parser, ':'))
        STATUS_TRY(mlir_location_read_number(parser, &location->column));
    if (!mlir_at_name(parser, "to"))
        return STATUS_OK;
    mlir_advance(parser);
    location->end_line = location->line;
    if (!mlir_at(parser, ':'))
        STATUS_TRY(mlir_location_read_number(parser, &location->end_line));
    STATUS_TRY(mlir_expect(parser, ':', "':'"));
    return mlir_location_read_number(parser, &location->end_column);
}

static status add_child(struct mlir_parser *parser, const struct mlir_list *list)
{
    const struct mlir_location *child;
    STATUS_TRY(mlir_location_read_place(parser, &child));
    mlir_list_add(parser, list, &child);
    return STATUS_OK;
}

static status read_text_place(struct mlir_parser *parser, struct mlir_location *location)
{
    location->text = mlir_unquoted(parser->token.text);
    mlir_advance(parser);
    if (mlir_take(parser, ':')) {
        location->kind = MLIR_AT_FILE;
        return read_range(parser, location);
    }
    location->kind = MLIR_AT_NAME;
    if (!mlir_take(parser, '('))
        return STATUS_OK;
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_location *));
    STATUS_TRY(add_child(parser, &list));
    location->children = mlir_list_end(parser, &list, &location->count);
    return mlir_expect(parser, ')', "')'");
}

static status mlir_location_read_call(struct mlir_parser *parser, struct mlir_location *location)
{
    location->kind = MLIR_AT_CALL;
    mlir_advance(parser);
    STATUS_TRY(mlir_expect(parser, '(', "'('"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_location *));
    STATUS_TRY(add_child(parser, &list));
    if (!mlir_at_name(parser, "at"))
        return mlir_expected(parser, "'at'");
    mlir_advance(parser);
    STATUS_TRY(add_child(parser, &list));
    location->children = mlir_list_end(parser, &list, &location->count);
    return mlir_expect(parser, ')', "')'");
}

static status read_fused(struct mlir_parser *parser, struct mlir_location *location)
{
    location->kind = MLIR_AT_FUSED;
    mlir_advance(parser);
    if (mlir_at(parser, '<'))
        STATUS_TRY(mlir_read_body(parser, false, &location->text));
    STATUS_TRY(mlir_expect(parser, '[', "'['"));
    const struct mlir_list list = mlir_list_begin(parser, sizeof(struct mlir_location *));
    if (!mlir_at(parser, ']')) {
        do {
            STATUS_TRY(add_child(parser, &list));
        } while (mlir_take(parser, ','));
    }
    location->children = mlir_list_end(parser, &list, &location->count);
    return mlir_expect(parser, ']', "',' or ']'");
}

static status mlir_location_read_other(struct mlir_parser *parser, struct mlir_location *location)
{
    const char *start = parser->token.text.data;
    const bool alias = mlir_at(parser, MLIR_TOKEN_ATTRIBUTE);
    mlir_advance(parser);
    location->kind = alias ? MLIR_AT_REFERENCE : MLIR_AT_OTHER;
    if (mlir_at(parser, '<') || (!alias && mlir_at(parser, '['))) {
        location->kind = MLIR_AT_OTHER;
        STATUS_TRY(mlir_skip_group(parser, NULL));
    }
    location->text = mlir_text_since(parser, start);
    return STATUS_OK;
}

static status mlir_location_read_kind(struct mlir_parser *parser, struct mlir_location *location)
{
    if (mlir_at(parser, MLIR_TOKEN_TEXT))
        return read_text_place(parser, location);
    if (mlir_at_name(parser, "callsite"))
        return mlir_location_read_call(parser, location);
    if (mlir_at_name(parser, "fused"))
        return read_fused(parser, location);
    if (mlir_at_name(parser, "unknown")) {
        location->kind = MLIR_AT_UNKNOWN;
        mlir_advance(parser);
        return STATUS_OK;
    }
    if (mlir_at(parser, MLIR_TOKEN_NAME) || mlir_at(parser, MLIR_TOKEN_ATTRIBUTE))
        return mlir_location_read_other(parser, location);
    return mlir_expected(parser, "a location");
}

static status mlir_location_read_place(struct mlir_parser *parser,
                                       const struct mlir_location **out_location)
{
    if (mlir_starts_location(parser))
        return mlir_read_location(parser, out_location);
    STATUS_TRY(mlir_enter(parser));
    struct mlir_location *location = arena_allocate(&parser->document->arena, sizeof *location);
    *location = (struct mlir_location){.text = {"", 0}};
    STATUS_TRY(mlir_location_read_kind(parser, location));
    parser->depth--;
    *out_location = location;
    return STATUS_OK;
}

status mlir_read_location(struct mlir_parser *parser, const struct mlir_location **out_location)
{
    STATUS_TRY(mlir_enter(parser));
    mlir_advance(parser);
    STATUS_TRY(mlir_expect(parser, '(', "'('"));
    STATUS_TRY(mlir_location_read_place(parser, out_location));
    parser->depth--;
    return mlir_expect(parser, ')', "')' after the location");
}

// As text -----------------------------------------------------------------------

struct printer {
    const struct mlir_document *document;
    struct bytes bytes;
    unsigned depth;
};

static const struct mlir_location *mlir_location_resolve(const struct mlir_document *document,
                                                         const struct mlir_location *location)
{
    const struct mlir_attribute reference = {.kind = MLIR_REFERENCE, .text = location->text};
    const struct mlir_attribute *target = mlir_attribute_target(document, &reference);
    return target != NULL && target->kind == MLIR_PLACE ? target->location : NULL;
}

static void mlir_location_print(struct printer *printer, const struct mlir_location *location);

static void mlir_location_print_text(struct printer *printer, struct view text)
{
    bytes_append(&printer->bytes, text.data, text.size);
}

static void mlir_location_print_file(struct printer *printer, const struct mlir_location *location)
{
    mlir_location_print_text(printer, location->text);
    bytes_append_format(&printer->bytes, ":%" PRIu64 ":%" PRIu64, location->line, location->column);
    if (location->end_line != 0)
        bytes_append_format(&printer->bytes, " to %" PRIu64 ":%" PRIu64, location->end_line,
                            location->end_column);
}

static void print_fused(struct printer *printer, const struct mlir_location *location)
{
    mlir_location_print_text(printer, VIEW_LITERAL("fused"));
    if (location->text.size > 0) {
        mlir_location_print_text(printer, VIEW_LITERAL("<"));
        mlir_location_print_text(printer, location->text);
        mlir_location_print_text(printer, VIEW_LITERAL(">"));
    }
    mlir_location_print_text(printer, VIEW_LITERAL("["));
    for (uint32_t i = 0; i < location->count && printer->bytes.size < MLIR_LOCATION_MOST; i++) {
        if (i > 0)
            mlir_location_print_text(printer, VIEW_LITERAL(", "));
        mlir_location_print(printer, location->children[i]);
    }
    mlir_location_print_text(printer, VIEW_LITERAL("]"));
}

static void print_kind(struct printer *printer, const struct mlir_location *location)
{
    switch (location->kind) {
    case MLIR_AT_FILE:
        mlir_location_print_file(printer, location);
        return;
    case MLIR_AT_NAME:
        bytes_append_format(&printer->bytes, "\"%.*s\"", VIEW_ARGUMENTS(location->text));
        if (location->count > 0) {
            mlir_location_print_text(printer, VIEW_LITERAL("("));
            mlir_location_print(printer, location->children[0]);
            mlir_location_print_text(printer, VIEW_LITERAL(")"));
        }
        return;
    case MLIR_AT_CALL:
        mlir_location_print_text(printer, VIEW_LITERAL("callsite("));
        mlir_location_print(printer, location->children[0]);
        mlir_location_print_text(printer, VIEW_LITERAL(" at "));
        mlir_location_print(printer, location->children[1]);
        mlir_location_print_text(printer, VIEW_LITERAL(")"));
        return;
    case MLIR_AT_FUSED:
        print_fused(printer, location);
        return;
    case MLIR_AT_UNKNOWN:
        mlir_location_print_text(printer, VIEW_LITERAL("unknown"));
        return;
    default:
        mlir_location_print_text(printer, location->text);
    }
}

// Aliases may refer to one another so that the text would never end.
static void mlir_location_print(struct printer *printer, const struct mlir_location *location)
{
    if (printer->bytes.size >= MLIR_LOCATION_MOST || printer->depth >= MLIR_DEPTH_MOST)
        return;
    if (location->kind == MLIR_AT_REFERENCE) {
        const struct mlir_location *target = mlir_location_resolve(printer->document, location);
        location = target != NULL ? target : location;
    }
    printer->depth++;
    print_kind(printer, location);
    printer->depth--;
}

struct view mlir_location_text(const struct mlir_document *document,
                               const struct mlir_location *location, struct arena *arena)
{
    struct printer printer = {.document = document};
    mlir_location_print(&printer, location);
    struct view text = bytes_view(&printer.bytes);
    if (text.size > MLIR_LOCATION_MOST)
        text.size = MLIR_LOCATION_MOST;
    text = arena_copy(arena, text);
    bytes_free(&printer.bytes);
    return text;
}

// The name nearest to the operation: of a call that of what is called, of fused
// ones the first that has one. `*budget` ends what refers to itself.
static struct view mlir_location_find_name(const struct mlir_document *document,
                                           const struct mlir_location *location, unsigned *budget)
{
    const struct view none = {"", 0};
    if (location == NULL || *budget == 0)
        return none;
    *budget -= 1;
    if (location->kind == MLIR_AT_REFERENCE)
        return mlir_location_find_name(document, mlir_location_resolve(document, location), budget);
    if (location->kind == MLIR_AT_NAME)
        return location->text;
    const uint32_t count = location->kind == MLIR_AT_CALL    ? 1
                           : location->kind == MLIR_AT_FUSED ? location->count
                                                             : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct view name = mlir_location_find_name(document, location->children[i], budget);
        if (name.size > 0)
            return name;
    }
    return none;
}

struct view mlir_location_name(const struct mlir_document *document,
                               const struct mlir_location *location, struct arena *arena)
{
    unsigned budget = MLIR_DEPTH_MOST;
    return mlir_unescape(mlir_location_find_name(document, location, &budget), arena);
}
