// The tokens of MLIR text.

#ifndef OPSCOPE_WIRE_MLIR_TOKEN_H
#define OPSCOPE_WIRE_MLIR_TOKEN_H

#include "base/view.h"

// Punctuation of one character is its own kind: '(' , '{' ...
enum mlir_token_kind {
    MLIR_TOKEN_END = 0,
    MLIR_TOKEN_NAME = 256, // tosa.add, tensor, true
    MLIR_TOKEN_INTEGER,    // 12, 0x1F; the sign is a token of its own
    MLIR_TOKEN_REAL,       // 1.0, 2.5e-3
    MLIR_TOKEN_TEXT,       // "...", with the quotes
    MLIR_TOKEN_VALUE,      // %a
    MLIR_TOKEN_SYMBOL,     // @a, @"a b"
    MLIR_TOKEN_ATTRIBUTE,  // #a, #a.b
    MLIR_TOKEN_TYPE,       // !a, !a.b
    MLIR_TOKEN_BLOCK,      // ^a
    MLIR_TOKEN_ARROW,      // ->
    MLIR_TOKEN_SCOPE,      // ::
    MLIR_TOKEN_GIVES,      // =>
    MLIR_TOKEN_FILE_OPEN,  // {-#
    MLIR_TOKEN_FILE_CLOSE, // #-}
    MLIR_TOKEN_BAD,        // no token starts like this, or a text does not end
};

struct mlir_token {
    int kind;
    bool first; // on its line
    struct view text;
};

// The token at or after `at`, without blanks and comments before it. Never
// looks at or after `end`; there it gives MLIR_TOKEN_END, as often as asked.
struct mlir_token mlir_token_read(const char *at, const char *end);

// Whether a character may stand inside a name.
bool mlir_token_is_name(char byte);

#endif
