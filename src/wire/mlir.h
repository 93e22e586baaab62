// Reads MLIR text into a tree that knows the grammar and no dialect.
//
// Operations in generic form are read completely. Pretty forms are a matter of
// each dialect; of those the tree keeps what can be recognised without knowing
// it: operands, attributes, literals, types, regions, location, and the text
// itself. An operation that is written over several lines ends where another
// can start.
//
// Names and literals are views into the text, which must outlive the tree; the
// rest lives in the document's arena. Memory: about 300 bytes for each
// operation, 100 for each attribute, 24 for each operand; equal types are kept
// once, and tensor literals and resources are not decoded.

#ifndef OPSCOPE_WIRE_MLIR_H
#define OPSCOPE_WIRE_MLIR_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/segments.h"
#include "base/status.h"

// Regions, attributes, types and brackets inside one another.
enum { MLIR_DEPTH_MOST = 100 };

#define MLIR_DYNAMIC INT64_C(-1)

struct mlir_type;
struct mlir_attribute;
struct mlir_location;

struct mlir_types {
    const struct mlir_type *const *items;
    uint32_t count;
};

enum mlir_type_kind {
    MLIR_SCALAR, // i8, ui8, bf16, index, none: `name`
    MLIR_TENSOR,
    MLIR_MEMREF,
    MLIR_VECTOR,
    MLIR_TUPLE, // of `members`
    MLIR_COMPLEX,
    MLIR_FUNCTION, // from `members` to `results`
    MLIR_OPAQUE,   // !dialect.name<body>
    MLIR_ALIAS,    // !name: see mlir_type_resolve
};

struct mlir_type {
    enum mlir_type_kind kind;
    bool ranked;
    uint32_t rank;
    struct view text;
    struct view name; // "i8", "tensor", "tosa.shape"
    struct view body; // between < and >; "" when there is none
    const int64_t *dims;
    const struct mlir_type *element; // of shaped types
    struct view encoding;            // what follows the element
    struct mlir_types members;
    struct mlir_types results;
};

enum mlir_attribute_kind {
    MLIR_UNIT, // a key without a value
    MLIR_BOOL, // `text` is "true" or "false"
    MLIR_INTEGER,
    MLIR_REAL,
    MLIR_TEXT,       // `text` stands between the quotes, with its escapes
    MLIR_SYMBOL,     // @a::@b
    MLIR_KEYWORD,    // a bare name
    MLIR_ARRAY,      // [...]: `items`
    MLIR_DICTIONARY, // {...}: `items`
    MLIR_NUMBERS,    // array<name: body>
    MLIR_DENSE,      // dense<body>
    MLIR_RESOURCE,   // dense_resource<body>
    MLIR_TYPE,       // `type`
    MLIR_PLACE,      // `location`
    MLIR_DIALECT,    // #dialect.name<body>, affine_map<body> and the like
    MLIR_REFERENCE,  // #name: see mlir_attribute_resolve
    MLIR_UNPARSED,   // a bracket with what is no attribute inside
};

struct mlir_attribute {
    enum mlir_attribute_kind kind;
    uint32_t count;
    struct view key;              // inside a dictionary
    struct view text;             // as written; numbers with their sign
    struct view name;             // of dialect attributes, references and `array<`
    struct view body;             // between < and >
    const struct mlir_type *type; // after ':'; NULL when there is none
    const struct mlir_attribute *items;
    const struct mlir_location *location;
};

enum mlir_location_kind {
    MLIR_AT_FILE, // text:line:column, to end_line:end_column where that is not 0
    MLIR_AT_NAME, // text, of one child at most
    MLIR_AT_CALL, // child 0, called at child 1
    MLIR_AT_FUSED,
    MLIR_AT_UNKNOWN,
    MLIR_AT_REFERENCE, // text is the alias
    MLIR_AT_OTHER,     // text as written
};

struct mlir_location {
    enum mlir_location_kind kind;
    uint32_t count; // of children
    struct view text;
    uint64_t line, column, end_line, end_column;
    const struct mlir_location *const *children;
};

struct mlir_operand {
    struct view name; // without %
    uint32_t number;  // after #
};

struct mlir_result {
    struct view name;
    uint32_t count;
};

struct mlir_argument {
    struct view name; // "" in declarations
    const struct mlir_type *type;
    const struct mlir_attribute *attributes; // a dictionary, or NULL
};

struct mlir_operation;

struct mlir_block {
    struct view label; // "" for the first one, if it has none
    const struct mlir_argument *arguments;
    const struct mlir_operation *operations;
    uint32_t argument_count;
    uint32_t operation_count;
};

struct mlir_region {
    const struct mlir_block *blocks;
    uint32_t count;
};

struct mlir_operation {
    struct view name;   // "tosa.add"
    struct view text;   // all of it
    struct view symbol; // the first @name of a pretty form, without @
    bool generic;
    bool is_function; // `arguments` and `result_types` are a function's
    bool has_arrow;   // the types say what are operands and what are results
    uint32_t result_count;
    uint32_t operand_count;
    uint32_t argument_count;
    uint32_t literal_count;
    uint32_t region_count;
    uint32_t successor_count;
    const struct mlir_result *results;
    const struct mlir_operand *operands;
    // Of a function; or, with names only, of `(%name = %operand, ...)`.
    const struct mlir_argument *arguments;
    const struct mlir_attribute *literals;   // attributes outside of dictionaries
    const struct mlir_attribute *properties; // <{...}>, or NULL
    const struct mlir_attribute *attributes; // {...}, or NULL
    const struct mlir_region *regions;
    const struct view *successors;
    struct mlir_types operand_types; // all types, where there is no arrow
    struct mlir_types result_types;
    const struct mlir_location *location; // NULL when it has none
};

struct mlir_document {
    const char *name; // of the input, for messages
    struct view text;
    struct mlir_block top;
    struct arena arena;
    // Aliases and resources, by their names.
    struct segments aliases; // struct mlir_attribute, `key` is the name with # or !
    struct hash_index alias_index;
    struct segments resources; // struct mlir_attribute, MLIR_TEXT
    struct hash_index resource_index;
};

// Reads all of `text`. What is wrong is said with its place:
// "name:12:5: expected ':' but found ')'". `name` must outlive the document.
status mlir_read(const char *name, struct view text, struct mlir_document **out_document);

// Accepts NULL.
void mlir_free(struct mlir_document *document);

// A failure at a place in the document's text.
status mlir_failure(const struct mlir_document *document, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What an alias stands for; anything else as it is. Fails for an alias that is
// not defined, or by itself.
status mlir_attribute_resolve(const struct mlir_document *document,
                              const struct mlir_attribute *attribute,
                              const struct mlir_attribute **out_attribute);
// The same; NULL instead of a failure.
const struct mlir_attribute *mlir_attribute_target(const struct mlir_document *document,
                                                   const struct mlir_attribute *attribute);
status mlir_type_resolve(const struct mlir_document *document, const struct mlir_type *type,
                         const struct mlir_type **out_type);

// An item of a dictionary, of NULL as well; NULL when there is none.
const struct mlir_attribute *mlir_dictionary_find(const struct mlir_attribute *dictionary,
                                                  const char *key);

// Among properties and attributes of an operation.
const struct mlir_attribute *mlir_find(const struct mlir_operation *operation, const char *key);

// The value of an integer or bool; false when it is none or does not fit.
bool mlir_integer_of(const struct mlir_attribute *attribute, int64_t *out_number);

// The text of a resource; NULL when there is none of this name.
const struct mlir_attribute *mlir_resource_find(const struct mlir_document *document,
                                                struct view name);

// A text without its escapes (\n, \", \0A ...): the same view if it has none.
struct view mlir_unescape(struct view text, struct arena *arena);

// Locations with aliases resolved: the name they carry ("" if none), and all of
// it as text, cut to MLIR_LOCATION_MOST bytes. Both live in `arena`.
enum { MLIR_LOCATION_MOST = 2000 };
struct view mlir_location_name(const struct mlir_document *document,
                               const struct mlir_location *location, struct arena *arena);
struct view mlir_location_text(const struct mlir_document *document,
                               const struct mlir_location *location, struct arena *arena);

// Line and column of a place in the text, from 1.
void mlir_place(struct view text, const char *at, uint64_t *out_line, uint64_t *out_column);

#endif
