// What the files of the MLIR parser share.

#ifndef OPSCOPE_WIRE_MLIR_PARSER_H
#define OPSCOPE_WIRE_MLIR_PARSER_H

#include "mlir.h"
#include "mlir_token.h"

struct mlir_parser {
    struct mlir_document *document;
    const char *end;
    struct mlir_token token; // the next one to be read
    const char *last_end;    // after the one before
    int last_kind;
    unsigned depth;
    // Items of lists that are not complete yet; see mlir_list.
    char *stack;
    size_t stack_used;
    size_t stack_capacity;
    // Types by their text.
    struct segments types; // const struct mlir_type *
    struct hash_index type_index;
};

void mlir_advance(struct mlir_parser *parser);

// Goes back (or on) to a place.
void mlir_move(struct mlir_parser *parser, const char *at);

// The token after the current one.
struct mlir_token mlir_peek(const struct mlir_parser *parser);

static inline bool mlir_at(const struct mlir_parser *parser, int kind)
{
    return parser->token.kind == kind;
}

static inline bool mlir_at_name(const struct mlir_parser *parser, const char *name)
{
    return parser->token.kind == MLIR_TOKEN_NAME && view_is(parser->token.text, name);
}

// Whether the current token follows the one before without a blank.
static inline bool mlir_adjacent(const struct mlir_parser *parser)
{
    return parser->token.text.data == parser->last_end;
}

// Goes on if the current token is of this kind.
bool mlir_take(struct mlir_parser *parser, int kind);

// The same; anything else is a failure that says what was expected.
status mlir_expect(struct mlir_parser *parser, int kind, const char *what);

// "expected `what` but found ..." at the current token.
status mlir_expected(const struct mlir_parser *parser, const char *what);

// What was read from `start` on, up to the current token.
static inline struct view mlir_text_since(const struct mlir_parser *parser, const char *start)
{
    return (struct view){start, (size_t)(parser->last_end - start)};
}

// A text without its quotes.
static inline struct view mlir_unquoted(struct view text)
{
    return view_slice(text, 1, text.size - 1);
}

// Counts what is inside one another; fails beyond MLIR_DEPTH_MOST.
status mlir_enter(struct mlir_parser *parser);

// A list that grows on the parser's stack: begin, add, end; lists of other items
// may be begun and ended between.
struct mlir_list {
    size_t from;
    size_t item_size;
};
struct mlir_list mlir_list_begin(struct mlir_parser *parser, size_t item_size);
void mlir_list_add(struct mlir_parser *parser, const struct mlir_list *list, const void *item);
// Moves the items to the arena. NULL when there are none.
const void *mlir_list_end(struct mlir_parser *parser, const struct mlir_list *list,
                          uint32_t *out_count);

// What a pretty form consists of, in the order of the text.
enum mlir_piece_kind {
    MLIR_PIECE_OPERAND,
    MLIR_PIECE_LITERAL,
    MLIR_PIECE_REGION,
    MLIR_PIECE_SUCCESSOR,
    MLIR_PIECE_ARGUMENT,
    MLIR_PIECE_OPERAND_TYPE,
    MLIR_PIECE_RESULT_TYPE,
};

struct mlir_piece {
    enum mlir_piece_kind kind;
    union {
        struct mlir_operand operand;
        struct mlir_attribute literal;
        struct mlir_region region;
        struct view successor;
        struct mlir_argument argument;
        const struct mlir_type *type;
    };
};

// From an opening bracket to after the closing one, with whatever is between.
// `pieces` collects the %names as operands unless it is NULL.
status mlir_skip_group(struct mlir_parser *parser, const struct mlir_list *pieces);

// From "<" to after its ">", and what is between. `plain`: there are only
// numbers, names and texts inside, so that no token needs a look.
status mlir_read_body(struct mlir_parser *parser, bool plain, struct view *out_body);

bool mlir_starts_type(const struct mlir_parser *parser);
status mlir_read_type(struct mlir_parser *parser, const struct mlir_type **out_type);
// Items of `const struct mlir_type *`: (a, b), or ().
status mlir_read_type_group(struct mlir_parser *parser, const struct mlir_list *list);
// "-> (a, b)" or "-> a".
status mlir_read_result_types(struct mlir_parser *parser, struct mlir_types *out_types);
struct mlir_types mlir_types_end(struct mlir_parser *parser, const struct mlir_list *list);

status mlir_read_attribute(struct mlir_parser *parser, struct mlir_attribute *out_attribute);
status mlir_read_dictionary(struct mlir_parser *parser,
                            const struct mlir_attribute **out_dictionary);
status mlir_read_location(struct mlir_parser *parser, const struct mlir_location **out_location);

// One %name, with #number.
status mlir_read_operand(struct mlir_parser *parser, struct mlir_operand *out_operand);
status mlir_read_argument(struct mlir_parser *parser, struct mlir_argument *out_argument);
status mlir_read_region(struct mlir_parser *parser, struct mlir_region *out_region);
status mlir_read_operation(struct mlir_parser *parser, struct mlir_operation *out_operation);
// After the name.
status mlir_read_generic(struct mlir_parser *parser, struct mlir_operation *operation);
status mlir_read_pretty(struct mlir_parser *parser, struct mlir_operation *operation);
status mlir_read_function(struct mlir_parser *parser, struct mlir_operation *operation);

// Whether the current token starts a `loc(...)`.
bool mlir_starts_location(const struct mlir_parser *parser);

#endif
