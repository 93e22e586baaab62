#include "mlir_token.h"

enum {
    LETTER = 1, // starts a name
    DIGIT = 2,
    INNER = 4, // $ . inside a name
    DASH = 8,  // inside a name after % @ # ! ^
    HEX = 16,
};

static const unsigned char CLASSES[256] = {
    ['a' ... 'f'] = LETTER | HEX,
    ['g' ... 'z'] = LETTER,
    ['A' ... 'F'] = LETTER | HEX,
    ['G' ... 'Z'] = LETTER,
    ['_'] = LETTER,
    ['0' ... '9'] = DIGIT | HEX,
    ['$'] = INNER,
    ['.'] = INNER,
    ['-'] = DASH,
};

static bool is(char byte, int classes)
{
    return (CLASSES[(unsigned char)byte] & classes) != 0;
}

bool mlir_token_is_name(char byte)
{
    return is(byte, LETTER | DIGIT | INNER);
}

static const char *skip(const char *at, const char *end, int classes)
{
    while (at < end && is(*at, classes))
        at++;
    return at;
}

static const char *mlir_token_skip_blanks(const char *at, const char *end, bool *first)
{
    for (; at < end; at++) {
        if (*at == '\n') {
            *first = true;
        } else if (*at == '/' && end - at > 1 && at[1] == '/') {
            const char *line = memchr(at, '\n', (size_t)(end - at));
            if (line == NULL)
                return end;
            *first = true;
            at = line;
        } else if (*at != ' ' && *at != '\t' && *at != '\r') {
            break;
        }
    }
    return at;
}

// After the closing quote; NULL when there is none on the line.
static const char *text_end(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\n')
            return NULL;
        if (*at == '\\' && end - at > 1)
            at++;
    }
    return NULL;
}

static const char *number_end(const char *at, const char *end, int *out_kind)
{
    *out_kind = MLIR_TOKEN_INTEGER;
    if (*at == '0' && end - at > 2 && at[1] == 'x' && is(at[2], HEX))
        return skip(at + 2, end, HEX);
    at = skip(at, end, DIGIT);
    if (at == end || *at != '.')
        return at;
    *out_kind = MLIR_TOKEN_REAL;
    at = skip(at + 1, end, DIGIT);
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;
        if (exponent < end && (*exponent == '+' || *exponent == '-'))
            exponent++;
        if (exponent < end && is(*exponent, DIGIT))
            return skip(exponent, end, DIGIT);
    }
    return at;
}

// What stands after % @ # ! ^: digits, or a name.
static const char *suffix_end(const char *at, const char *end)
{
    if (at < end && is(*at, DIGIT))
        return skip(at, end, DIGIT);
    return skip(at, end, LETTER | DIGIT | INNER | DASH);
}

struct pair {
    char text[4];
    int kind;
};

static const struct pair PAIRS[] = {
    {"{-#", MLIR_TOKEN_FILE_OPEN}, {"#-}", MLIR_TOKEN_FILE_CLOSE}, {"->", MLIR_TOKEN_ARROW},
    {"::", MLIR_TOKEN_SCOPE},      {"=>", MLIR_TOKEN_GIVES},
};

static const char *pair_end(const char *at, const char *end, int *out_kind)
{
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        const size_t size = strlen(PAIRS[i].text);
        if ((size_t)(end - at) >= size && memcmp(at, PAIRS[i].text, size) == 0) {
            *out_kind = PAIRS[i].kind;
            return at + size;
        }
    }
    return NULL;
}

static int prefix_kind(char byte)
{
    switch (byte) {
    case '%':
        return MLIR_TOKEN_VALUE;
    case '@':
        return MLIR_TOKEN_SYMBOL;
    case '#':
        return MLIR_TOKEN_ATTRIBUTE;
    case '!':
        return MLIR_TOKEN_TYPE;
    case '^':
        return MLIR_TOKEN_BLOCK;
    default:
        return MLIR_TOKEN_BAD;
    }
}

static const char *prefixed_end(const char *at, const char *end, int *out_kind)
{
    const char *after;
    if (*at == '@' && end - at > 1 && at[1] == '"')
        after = text_end(at + 1, end);
    else
        after = suffix_end(at + 1, end);
    if (after == NULL || after == at + 1) {
        *out_kind = MLIR_TOKEN_BAD;
        return at + 1;
    }
    *out_kind = prefix_kind(*at);
    return after;
}

static const char *token_end(const char *at, const char *end, int *out_kind)
{
    if (is(*at, LETTER)) {
        *out_kind = MLIR_TOKEN_NAME;
        return skip(at, end, LETTER | DIGIT | INNER);
    }
    if (is(*at, DIGIT))
        return number_end(at, end, out_kind);
    if (*at == '"') {
        const char *after = text_end(at, end);
        *out_kind = after != NULL ? MLIR_TOKEN_TEXT : MLIR_TOKEN_BAD;
        return after != NULL ? after : at + 1;
    }
    const char *after = strchr("{#-:=", *at) != NULL ? pair_end(at, end, out_kind) : NULL;
    if (after != NULL)
        return after;
    if (prefix_kind(*at) != MLIR_TOKEN_BAD)
        return prefixed_end(at, end, out_kind);
    *out_kind = *at > ' ' && *at < 127 ? *at : MLIR_TOKEN_BAD;
    return at + 1;
}

struct mlir_token mlir_token_read(const char *at, const char *end)
{
    struct mlir_token token = {.kind = MLIR_TOKEN_END};
    at = mlir_token_skip_blanks(at, end, &token.first);
    token.text = (struct view){at, 0};
    if (at < end)
        token.text.size = (size_t)(token_end(at, end, &token.kind) - at);
    return token;
}
