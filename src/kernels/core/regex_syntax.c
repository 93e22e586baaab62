#include "regex_syntax.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { REPEATS_MOST = 1000 };

struct translation {
    struct view pattern;
    size_t at;
    struct bytes *out;
    unsigned depth;  // of groups
    bool repeatable; // what stands before may be repeated
};

static status regex_syntax_fail(const struct translation *translation, const char *what)
{
    return status_make(STATUS_DATA, "pattern '%.*s', byte %zu: %s",
                       VIEW_ARGUMENTS(translation->pattern), translation->at, what);
}

// The byte so far after the next one; 0 after the end.
static char peek(const struct translation *translation, size_t ahead)
{
    const size_t at = translation->at + ahead;
    return at < translation->pattern.size ? translation->pattern.data[at] : '\0';
}

static bool ended(const struct translation *translation)
{
    return translation->at >= translation->pattern.size;
}

static bool looking_at(const struct translation *translation, const char *text)
{
    const struct view pattern = translation->pattern;
    return view_starts_with(view_slice(pattern, translation->at, pattern.size), text);
}

static void regex_syntax_copy(struct translation *translation, size_t count)
{
    bytes_append(translation->out, translation->pattern.data + translation->at, count);
    translation->at += count;
}

// Puts `text` in place of the next bytes.
static void regex_syntax_put(struct translation *translation, size_t count, const char *text)
{
    bytes_append(translation->out, text, strlen(text));
    translation->at += count;
}

// Escapes ------------------------------------------------------------------------------

static bool is_octal(char byte)
{
    return byte >= '0' && byte <= '7';
}

// "\012": up to three digits; one alone that is not 0 would be a group's text again.
static status translate_octal(struct translation *translation)
{
    unsigned code = 0;
    size_t digits = 0;
    if (peek(translation, 1) != '0' && !is_octal(peek(translation, 2)))
        return regex_syntax_fail(translation, "backreferences are not in RE2's syntax");
    for (; digits < 3 && is_octal(peek(translation, 1 + digits)); digits++)
        code = code * 8 + (unsigned)(peek(translation, 1 + digits) - '0');
    bytes_append_format(translation->out, "\\x{%x}", code);
    translation->at += 1 + digits;
    return STATUS_OK;
}

// "\x4a" or "\x{20ac}"
static status translate_hex(struct translation *translation)
{
    size_t size = 2;
    if (peek(translation, 2) != '{') {
        if (!isxdigit((unsigned char)peek(translation, 2)) ||
            !isxdigit((unsigned char)peek(translation, 3)))
            return regex_syntax_fail(translation, "\\x needs two digits");
        regex_syntax_copy(translation, 4);
        return STATUS_OK;
    }
    while (isxdigit((unsigned char)peek(translation, size + 1)))
        size++;
    if (peek(translation, size + 1) != '}' || size == 2)
        return regex_syntax_fail(translation, "\\x{ needs digits and }");
    regex_syntax_copy(translation, size + 2);
    return STATUS_OK;
}

// "\pL" or "\p{Greek}"
static status translate_property(struct translation *translation)
{
    size_t size = 3;
    if (peek(translation, 2) == '{') {
        while (peek(translation, size) != '}' && peek(translation, size) != '\0')
            size++;
        size++;
    }
    if (translation->at + size > translation->pattern.size)
        return regex_syntax_fail(translation, "\\p needs the name of a class");
    regex_syntax_copy(translation, size);
    return STATUS_OK;
}

// What both kinds of places have: of one character, or of a class.
static status translate_common(struct translation *translation, bool in_class)
{
    const char letter = peek(translation, 1);
    if (isdigit((unsigned char)letter))
        return translate_octal(translation);
    if (letter == 'x')
        return translate_hex(translation);
    if (letter == 'p' || letter == 'P')
        return translate_property(translation);
    if (letter == 'v') // PCRE2: a class
        regex_syntax_put(translation, 2, "\\x0b");
    else if (letter == 's') // PCRE2's has \v as well
        regex_syntax_put(translation, 2, in_class ? "\\t\\n\\f\\r " : "[\\t\\n\\f\\r ]");
    else if (letter == 'S')
        regex_syntax_put(translation, 2,
                         in_class ? "\\x00-\\x08\\x0b\\x0e-\\x1f\\x21-\\x{10ffff}"
                                  : "[^\\t\\n\\f\\r ]");
    else if (letter != '\0' && (strchr("dDwWafnrt", letter) != NULL ||
                                ispunct((unsigned char)letter) || letter == ' '))
        regex_syntax_copy(translation, 2);
    else
        return regex_syntax_fail(translation, "not an escape of RE2's syntax");
    return STATUS_OK;
}

// "\Qa.b\E": characters as they are, one by one.
static void translate_quoted(struct translation *translation)
{
    translation->at += 2;
    while (!ended(translation) && !looking_at(translation, "\\E")) {
        const char byte = peek(translation, 0);
        if (ispunct((unsigned char)byte) || isspace((unsigned char)byte))
            bytes_append(translation->out, "\\", 1);
        regex_syntax_copy(translation, 1);
        translation->repeatable = true;
    }
    translation->at += ended(translation) ? 0 : 2;
}

static status translate_escape(struct translation *translation)
{
    const char letter = peek(translation, 1);
    if (letter == 'Q') {
        translate_quoted(translation);
        return STATUS_OK;
    }
    translation->repeatable = true;
    if (letter != '\0' && strchr("bBAz", letter) != NULL) {
        regex_syntax_copy(translation, 2);
        return STATUS_OK;
    }
    return translate_common(translation, false);
}

// Classes ------------------------------------------------------------------------------

// "[:alpha:]", "[:^alpha:]": PCRE2 knows which names there are, and some that are no classes.
static status translate_name(struct translation *translation)
{
    size_t size = peek(translation, 2) == '^' ? 3 : 2;
    while (islower((unsigned char)peek(translation, size)))
        size++;
    if (peek(translation, size) != ':' || peek(translation, size + 1) != ']')
        return regex_syntax_fail(translation, "not a class of RE2's syntax");
    regex_syntax_copy(translation, size + 2);
    return STATUS_OK;
}

// "[:" is a character and another where no ":]" follows.
static bool regex_syntax_is_name(const struct translation *translation)
{
    const struct view rest =
        view_slice(translation->pattern, translation->at, translation->pattern.size);
    return view_starts_with(rest, "[:") && view_find_text(rest, ":]") < rest.size;
}

static status translate_class(struct translation *translation)
{
    const size_t start = translation->at;
    regex_syntax_copy(translation, peek(translation, 1) == '^' ? 2 : 1);
    if (peek(translation, 0) == ']')
        regex_syntax_put(translation, 1, "\\]");
    while (peek(translation, 0) != ']' || ended(translation)) {
        if (ended(translation)) {
            translation->at = start;
            return regex_syntax_fail(translation, "[ without ]");
        }
        if (regex_syntax_is_name(translation))
            STATUS_TRY(translate_name(translation));
        else if (peek(translation, 0) == '\\')
            STATUS_TRY(translate_common(translation, true));
        else if (peek(translation, 0) == '[')
            regex_syntax_put(translation, 1, "\\["); // PCRE2 would see names of its own
        else
            regex_syntax_copy(translation, 1);
    }
    regex_syntax_copy(translation, 1);
    translation->repeatable = true;
    return STATUS_OK;
}

// Groups and repeats -------------------------------------------------------------------

// "(", "(?:", "(?i-s:", "(?i)", "(?P<name>", "(?<name>"
static status translate_group(struct translation *translation)
{
    size_t size = 2;
    translation->repeatable = false;
    if (peek(translation, 1) == '*')
        return regex_syntax_fail(translation, "nothing to repeat");
    translation->depth++;
    if (peek(translation, 1) != '?') {
        regex_syntax_copy(translation, 1);
        return STATUS_OK;
    }
    if (looking_at(translation, "(?=") || looking_at(translation, "(?!") ||
        looking_at(translation, "(?<=") || looking_at(translation, "(?<!"))
        return regex_syntax_fail(translation, "looking ahead or back is not in RE2's syntax");
    if (looking_at(translation, "(?P=") || looking_at(translation, "(?P>"))
        return regex_syntax_fail(translation, "backreferences are not in RE2's syntax");
    if (looking_at(translation, "(?P<") || looking_at(translation, "(?<")) {
        regex_syntax_copy(translation, peek(translation, 2) == 'P' ? 4 : 3);
        return STATUS_OK;
    }
    while (peek(translation, size) != '\0' && strchr("imsU-", peek(translation, size)) != NULL)
        size++;
    if (peek(translation, size) != ':' && peek(translation, size) != ')')
        return regex_syntax_fail(translation, "not a group of RE2's syntax");
    translation->depth -= peek(translation, size) == ')'; // it lasts for the group around it
    regex_syntax_copy(translation, size + 1);
    return STATUS_OK;
}

static status translate_group_end(struct translation *translation)
{
    if (translation->depth == 0)
        return regex_syntax_fail(translation, ") without (");
    translation->depth--;
    translation->repeatable = true;
    regex_syntax_copy(translation, 1);
    return STATUS_OK;
}

// "{2}", "{2,}", "{2,3}"; its size, or 0: then { is a character.
static status find_count(const struct translation *translation, size_t *out_size)
{
    unsigned counts[2] = {0, 0};
    size_t size = 1;
    *out_size = 0;
    for (int i = 0; i < 2; i++) {
        const size_t first = size;
        for (; isdigit((unsigned char)peek(translation, size)); size++) {
            if (counts[i] <= REPEATS_MOST)
                counts[i] = counts[i] * 10 + (unsigned)(peek(translation, size) - '0');
        }
        if (i == 0 && size == first)
            return STATUS_OK;
        if (i == 0 && peek(translation, size) != ',')
            break;
        size += i == 0;
    }
    if (peek(translation, size) != '}')
        return STATUS_OK;
    if (counts[0] > REPEATS_MOST || counts[1] > REPEATS_MOST)
        return regex_syntax_fail(translation, "more than 1000 repeats");
    *out_size = size + 1;
    return STATUS_OK;
}

static status translate_repeat(struct translation *translation, size_t size)
{
    if (!translation->repeatable)
        return regex_syntax_fail(translation, "nothing to repeat");
    regex_syntax_copy(translation, size);
    if (peek(translation, 0) == '?')
        regex_syntax_copy(translation, 1);
    translation->repeatable = false;
    return STATUS_OK;
}

static status translate_next(struct translation *translation)
{
    const char byte = peek(translation, 0);
    size_t count = 0;
    if (byte == '\\')
        return translate_escape(translation);
    if (byte == '[')
        return translate_class(translation);
    if (byte == '(')
        return translate_group(translation);
    if (byte == ')')
        return translate_group_end(translation);
    if (byte == '*' || byte == '+' || byte == '?')
        return translate_repeat(translation, 1);
    if (byte == '{')
        STATUS_TRY(find_count(translation, &count));
    if (count > 0)
        return translate_repeat(translation, count);
    if (byte == '{')
        regex_syntax_put(translation, 1, "\\{");
    else
        regex_syntax_copy(translation, 1);
    translation->repeatable = byte != '|';
    return STATUS_OK;
}

status regex_translate(struct view pattern, struct bytes *out_pattern)
{
    struct translation translation = {.pattern = pattern, .out = out_pattern};
    bytes_append_format(out_pattern, "(?:");
    while (!ended(&translation))
        STATUS_TRY(translate_next(&translation));
    bytes_append_format(out_pattern, ")\\z");
    return translation.depth == 0 ? STATUS_OK : regex_syntax_fail(&translation, "( without )");
}
