#include <stdlib.h>

#include "base/memory.h"
#include "regex_program.h"
#include "unicode.h"

enum { LAST_CHARACTER = 0x10ffff };

struct flags {
    bool fold;      // i
    bool lines;     // m: ^ and $ at lines
    bool dot_lines; // s: . also matches \n
};

struct parser {
    struct view pattern;
    size_t at;
    struct flags flags;
    unsigned depth;
    struct regex_tree *tree;
};

static status wrong(const struct parser *parser, const char *what)
{
    return status_make(STATUS_DATA, "pattern '%.*s', byte %zu: %s", VIEW_ARGUMENTS(parser->pattern),
                       parser->at, what);
}

static bool ended(const struct parser *parser)
{
    return parser->at >= parser->pattern.size;
}

static char peek(const struct parser *parser)
{
    return ended(parser) ? '\0' : parser->pattern.data[parser->at];
}

static bool looking_at(const struct parser *parser, const char *text)
{
    return view_starts_with(view_slice(parser->pattern, parser->at, parser->pattern.size), text);
}

static bool take(struct parser *parser, const char *text)
{
    if (!looking_at(parser, text))
        return false;
    parser->at += strlen(text);
    return true;
}

static status take_character(struct parser *parser, uint32_t *out_character)
{
    *out_character = unicode_next(parser->pattern, &parser->at);
    return *out_character == UNICODE_INVALID ? wrong(parser, "not UTF-8") : STATUS_OK;
}

static uint32_t add_node(struct parser *parser, struct regex_node node)
{
    struct regex_tree *tree = parser->tree;
    tree->nodes = memory_grow(tree->nodes, tree->count, &tree->capacity, sizeof *tree->nodes);
    node.next = REGEX_NONE;
    tree->nodes[tree->count] = node;
    return (uint32_t)tree->count++;
}

static uint32_t add_place(struct parser *parser, enum regex_place place)
{
    return add_node(parser, (struct regex_node){.kind = REGEX_PLACE, .value = place});
}

// Sets ---------------------------------------------------------------------------

static void set_add(struct regex_set *set, uint32_t from, uint32_t to)
{
    set->ranges = memory_grow(set->ranges, set->count, &set->capacity, sizeof *set->ranges);
    set->ranges[set->count++] = (struct regex_range){from, to};
}

static bool in_ranges(const struct regex_set *set, uint32_t character)
{
    for (size_t i = 0; i < set->count; i++) {
        if (character >= set->ranges[i].from && character <= set->ranges[i].to)
            return true;
    }
    return false;
}

static bool set_decide(const struct regex_set *set, uint32_t character)
{
    bool found = in_ranges(set, character);
    if (!found && set->folded)
        found =
            in_ranges(set, unicode_lower(character)) || in_ranges(set, unicode_upper(character));
    return found != set->negated;
}

bool regex_set_has(const struct regex_set *set, uint32_t character)
{
    if (character < 128)
        return (set->ascii[character / 32] >> character % 32 & 1) != 0;
    return character <= LAST_CHARACTER && set_decide(set, character);
}

static uint32_t add_set(struct parser *parser, struct regex_set set)
{
    struct regex_tree *tree = parser->tree;
    set.folded = parser->flags.fold;
    memset(set.ascii, 0, sizeof set.ascii);
    for (uint32_t c = 0; c < 128; c++) {
        if (set_decide(&set, c))
            set.ascii[c / 32] |= UINT32_C(1) << c % 32;
    }
    tree->sets = memory_grow(tree->sets, tree->set_count, &tree->set_capacity, sizeof *tree->sets);
    tree->sets[tree->set_count] = set;
    return add_node(parser,
                    (struct regex_node){.kind = REGEX_SET, .value = (uint32_t)tree->set_count++});
}

static uint32_t add_character(struct parser *parser, uint32_t character)
{
    struct regex_set set = {0};
    set_add(&set, character, character);
    return add_set(parser, set);
}

// Classes ------------------------------------------------------------------------

struct class
{
    const char *name;
    struct regex_range ranges[4];
    unsigned count;
};

static const struct class POSIX_CLASSES[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 0x7f}}, 1},
    {"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

static const struct class PERL_CLASSES[] = {
    {"d", {{'0', '9'}}, 1},
    {"s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}, 3},
    {"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
};

// Adds the class, or all characters outside of it; its ranges are in order.
static void add_class(struct regex_set *set, const struct class *class, bool negated)
{
    uint32_t from = 0;
    for (unsigned i = 0; i < class->count; i++) {
        if (!negated)
            set_add(set, class->ranges[i].from, class->ranges[i].to);
        else if (class->ranges[i].from > from)
            set_add(set, from, class->ranges[i].from - 1);
        from = class->ranges[i].to + 1;
    }
    if (negated)
        set_add(set, from, LAST_CHARACTER);
}

// \d and the like at the parser's place: adds it and goes on behind.
static bool take_perl_class(struct parser *parser, struct regex_set *set)
{
    if (peek(parser) != '\\' || parser->at + 1 >= parser->pattern.size)
        return false;
    const char letter = parser->pattern.data[parser->at + 1];
    for (size_t i = 0; i < sizeof PERL_CLASSES / sizeof *PERL_CLASSES; i++) {
        const char name = PERL_CLASSES[i].name[0];
        if (letter != name && letter != name - 32)
            continue;
        add_class(set, &PERL_CLASSES[i], letter != name);
        parser->at += 2;
        return true;
    }
    return false;
}

// [:alpha:] inside of brackets.
static status take_posix_class(struct parser *parser, struct regex_set *set, bool *out_taken)
{
    *out_taken = false;
    const struct view rest = view_slice(parser->pattern, parser->at, parser->pattern.size);
    const size_t end = view_find_text(rest, ":]");
    if (!view_starts_with(rest, "[:") || end == rest.size || end < 2)
        return STATUS_OK;
    struct view name = view_slice(rest, 2, end);
    const bool negated = view_starts_with(name, "^");
    name = view_slice(name, negated ? 1 : 0, name.size);
    for (size_t i = 0; i < sizeof POSIX_CLASSES / sizeof *POSIX_CLASSES; i++) {
        if (!view_is(name, POSIX_CLASSES[i].name))
            continue;
        add_class(set, &POSIX_CLASSES[i], negated);
        parser->at += end + 2;
        *out_taken = true;
        return STATUS_OK;
    }
    return wrong(parser, "this class is unknown");
}

// Escapes ------------------------------------------------------------------------

static int digit_value(char c, int base)
{
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    return value < base ? value : -1;
}

static status take_hexadecimal(struct parser *parser, uint32_t *out_character)
{
    const bool braced = take(parser, "{");
    uint32_t value = 0;
    unsigned digits = 0;
    while (!ended(parser) && (braced || digits < 2)) {
        const int digit = digit_value(peek(parser), 16);
        if (digit < 0)
            break;
        value = value * 16 + (uint32_t)digit;
        if (value > LAST_CHARACTER)
            return wrong(parser, "there is no such character");
        digits++;
        parser->at++;
    }
    if (braced ? digits == 0 || !take(parser, "}") : digits != 2)
        return wrong(parser, "a hexadecimal number is expected");
    *out_character = value;
    return STATUS_OK;
}

static uint32_t take_octal(struct parser *parser)
{
    uint32_t value = 0;
    for (unsigned digits = 0; digits < 3 && !ended(parser); digits++) {
        const int digit = digit_value(peek(parser), 8);
        if (digit < 0)
            break;
        value = value * 8 + (uint32_t)digit;
        parser->at++;
    }
    return value;
}

// A character that is written as an escape; the parser is behind the backslash.
static status take_escape(struct parser *parser, uint32_t *out_character)
{
    static const char NAMES[] = "ntrfva", MEANINGS[] = "\n\t\r\f\v\a";
    if (ended(parser))
        return wrong(parser, "a backslash at the end");
    const char c = peek(parser);
    const char *name = strchr(NAMES, c);
    if (name != NULL && c != '\0') {
        parser->at++;
        *out_character = (uint32_t)MEANINGS[name - NAMES];
        return STATUS_OK;
    }
    if (c == 'x') {
        parser->at++;
        return take_hexadecimal(parser, out_character);
    }
    if (c >= '0' && c <= '7') {
        const bool two = parser->at + 1 < parser->pattern.size &&
                         digit_value(parser->pattern.data[parser->at + 1], 8) >= 0;
        if (c != '0' && !two)
            return wrong(parser, "references to groups are not supported");
        *out_character = take_octal(parser);
        return STATUS_OK;
    }
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
        return wrong(parser, "this escape is unknown or not supported");
    return take_character(parser, out_character);
}

static status take_set_item(struct parser *parser, uint32_t *out_character)
{
    if (take(parser, "\\"))
        return take_escape(parser, out_character);
    return take_character(parser, out_character);
}

static status parse_brackets(struct parser *parser, struct regex_set *set)
{
    set->negated = take(parser, "^");
    for (bool first = true; first || peek(parser) != ']'; first = false) {
        if (ended(parser))
            return wrong(parser, "']' is missing");
        bool taken;
        STATUS_TRY(take_posix_class(parser, set, &taken));
        if (taken || take_perl_class(parser, set))
            continue;
        uint32_t from, to;
        STATUS_TRY(take_set_item(parser, &from));
        to = from;
        if (peek(parser) == '-' && !looking_at(parser, "-]") && !ended(parser)) {
            parser->at++;
            if (ended(parser))
                return wrong(parser, "']' is missing");
            STATUS_TRY(take_set_item(parser, &to));
        }
        if (to < from)
            return wrong(parser, "a range that ends before it begins");
        set_add(set, from, to);
    }
    parser->at++;
    return STATUS_OK;
}

// Expressions --------------------------------------------------------------------

static status parse_choice(struct parser *parser, uint32_t *out_node);

// The flags of (?i) and (?i:...), behind the question mark. `*out_group` says
// which of the two it was.
static status parse_flags(struct parser *parser, bool *out_group)
{
    bool value = true;
    for (;;) {
        if (ended(parser))
            return wrong(parser, "')' is missing");
        const char c = parser->pattern.data[parser->at++];
        switch (c) {
        case 'i':
            parser->flags.fold = value;
            break;
        case 'm':
            parser->flags.lines = value;
            break;
        case 's':
            parser->flags.dot_lines = value;
            break;
        case 'U': // greedy or not is the same for whole texts
            break;
        case '-':
            if (!value)
                return wrong(parser, "a second '-' among flags");
            value = false;
            break;
        case ':':
        case ')':
            *out_group = c == ':';
            return STATUS_OK;
        default:
            return wrong(parser, "this kind of group is unknown");
        }
    }
}

static status skip_group_name(struct parser *parser)
{
    const size_t from = parser->at;
    while (!ended(parser) && peek(parser) != '>') {
        const char c = parser->pattern.data[parser->at++];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
        if (!letter)
            return wrong(parser, "this is no name of a group");
    }
    if (parser->at == from || !take(parser, ">"))
        return wrong(parser, "the name of the group is missing");
    return STATUS_OK;
}

// Behind the opening parenthesis.
static status parse_group(struct parser *parser, uint32_t *out_node)
{
    const struct flags outer = parser->flags;
    if (take(parser, "?P<") || take(parser, "?<")) {
        STATUS_TRY(skip_group_name(parser));
    } else if (take(parser, "?")) {
        bool group;
        STATUS_TRY(parse_flags(parser, &group));
        if (!group) { // the flags hold until the group around this ends
            *out_node = add_node(parser, (struct regex_node){.kind = REGEX_NOTHING});
            return STATUS_OK;
        }
    }
    if (++parser->depth > REGEX_NESTING_MOST)
        return wrong(parser, "groups are nested too deeply");
    STATUS_TRY(parse_choice(parser, out_node));
    parser->depth--;
    if (!take(parser, ")"))
        return wrong(parser, "')' is missing");
    parser->flags = outer;
    return STATUS_OK;
}

// Puts `child` behind the children that a node has; `*last` is the last of them.
static void append_child(struct parser *parser, uint32_t node, uint32_t *last, uint32_t child)
{
    if (*last == REGEX_NONE)
        parser->tree->nodes[node].first = child;
    else
        parser->tree->nodes[*last].next = child;
    *last = child;
}

// \Q...\E: a sequence of characters as they are.
static status parse_quoted(struct parser *parser, uint32_t *out_node)
{
    const uint32_t node =
        add_node(parser, (struct regex_node){.kind = REGEX_SEQUENCE, .first = REGEX_NONE});
    uint32_t last = REGEX_NONE;
    while (!ended(parser) && !take(parser, "\\E")) {
        uint32_t character;
        STATUS_TRY(take_character(parser, &character));
        const uint32_t child = add_character(parser, character);
        append_child(parser, node, &last, child);
    }
    *out_node = node;
    return STATUS_OK;
}

static status parse_backslash(struct parser *parser, uint32_t *out_node)
{
    static const struct {
        const char *text;
        enum regex_place place;
    } PLACES[] = {{"\\A", REGEX_TEXT_BEGIN},
                  {"\\z", REGEX_TEXT_END},
                  {"\\b", REGEX_WORD_EDGE},
                  {"\\B", REGEX_NO_WORD_EDGE}};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        if (take(parser, PLACES[i].text)) {
            *out_node = add_place(parser, PLACES[i].place);
            return STATUS_OK;
        }
    }
    if (take(parser, "\\Q"))
        return parse_quoted(parser, out_node);
    struct regex_set set = {0};
    if (take_perl_class(parser, &set)) {
        *out_node = add_set(parser, set);
        return STATUS_OK;
    }
    parser->at++;
    uint32_t character;
    STATUS_TRY(take_escape(parser, &character));
    *out_node = add_character(parser, character);
    return STATUS_OK;
}

static status parse_atom(struct parser *parser, uint32_t *out_node)
{
    const bool lines = parser->flags.lines;
    switch (peek(parser)) {
    case '(':
        parser->at++;
        return parse_group(parser, out_node);
    case '[': {
        parser->at++;
        struct regex_set set = {0};
        const status failure = parse_brackets(parser, &set);
        if (failure == STATUS_OK)
            *out_node = add_set(parser, set);
        else
            free(set.ranges);
        return failure;
    }
    case '\\':
        return parse_backslash(parser, out_node);
    case '.': {
        parser->at++;
        struct regex_set set = {.negated = true};
        if (!parser->flags.dot_lines)
            set_add(&set, '\n', '\n');
        *out_node = add_set(parser, set);
        return STATUS_OK;
    }
    case '^':
        parser->at++;
        *out_node = add_place(parser, lines ? REGEX_LINE_BEGIN : REGEX_TEXT_BEGIN);
        return STATUS_OK;
    case '$':
        parser->at++;
        *out_node = add_place(parser, lines ? REGEX_LINE_END : REGEX_TEXT_END);
        return STATUS_OK;
    case '*':
    case '+':
    case '?':
        return wrong(parser, "nothing to repeat");
    default: {
        uint32_t character;
        STATUS_TRY(take_character(parser, &character));
        *out_node = add_character(parser, character);
        return STATUS_OK;
    }
    }
}

static bool take_number(struct parser *parser, uint32_t *out_number)
{
    const size_t from = parser->at;
    uint32_t number = 0;
    while (peek(parser) >= '0' && peek(parser) <= '9') {
        number = number < 100000 ? number * 10 + (uint32_t)(peek(parser) - '0') : number;
        parser->at++;
    }
    *out_number = number;
    return parser->at > from;
}

// {2}, {2,} or {2,3}; anything else is no repeat and leaves the parser where it is.
static bool take_counts(struct parser *parser, uint32_t *out_least, uint32_t *out_most)
{
    const size_t from = parser->at;
    if (take(parser, "{") && take_number(parser, out_least)) {
        *out_most = *out_least;
        if (take(parser, ",") && !take_number(parser, out_most))
            *out_most = REGEX_NONE;
        if (take(parser, "}"))
            return true;
    }
    parser->at = from;
    return false;
}

static bool take_repeat(struct parser *parser, uint32_t *out_least, uint32_t *out_most)
{
    *out_least = looking_at(parser, "+") ? 1 : 0;
    *out_most = looking_at(parser, "?") ? 1 : REGEX_NONE;
    return take(parser, "*") || take(parser, "+") || take(parser, "?") ||
           take_counts(parser, out_least, out_most);
}

static status parse_repeats(struct parser *parser, uint32_t *node)
{
    uint32_t least, most;
    if (!take_repeat(parser, &least, &most))
        return STATUS_OK;
    if (least > REGEX_REPEAT_MOST ||
        (most != REGEX_NONE && (most > REGEX_REPEAT_MOST || most < least)))
        return wrong(parser, "this number of repeats is not possible");
    take(parser, "?"); // fewest first: the same for whole texts
    *node = add_node(
        parser,
        (struct regex_node){.kind = REGEX_REPEAT, .first = *node, .least = least, .most = most});
    if (take_repeat(parser, &least, &most))
        return wrong(parser, "a repeat of a repeat");
    return STATUS_OK;
}

static status parse_sequence(struct parser *parser, uint32_t *out_node)
{
    const uint32_t node =
        add_node(parser, (struct regex_node){.kind = REGEX_SEQUENCE, .first = REGEX_NONE});
    uint32_t last = REGEX_NONE;
    while (!ended(parser) && peek(parser) != '|' && peek(parser) != ')') {
        uint32_t child = REGEX_NONE;
        STATUS_TRY(parse_atom(parser, &child));
        STATUS_TRY(parse_repeats(parser, &child));
        append_child(parser, node, &last, child);
    }
    *out_node = node;
    return STATUS_OK;
}

static status parse_choice(struct parser *parser, uint32_t *out_node)
{
    uint32_t last;
    STATUS_TRY(parse_sequence(parser, &last));
    *out_node = last;
    if (peek(parser) != '|' || ended(parser))
        return STATUS_OK;
    *out_node = add_node(parser, (struct regex_node){.kind = REGEX_CHOICE, .first = last});
    while (take(parser, "|")) {
        uint32_t next;
        STATUS_TRY(parse_sequence(parser, &next));
        parser->tree->nodes[last].next = next;
        last = next;
    }
    return STATUS_OK;
}

status regex_parse(struct view pattern, struct regex_tree *tree)
{
    struct parser parser = {.pattern = pattern, .tree = tree};
    STATUS_TRY(parse_choice(&parser, &tree->root));
    return ended(&parser) ? STATUS_OK : wrong(&parser, "')' without '('");
}

void regex_tree_free(struct regex_tree *tree)
{
    for (size_t i = 0; i < tree->set_count; i++)
        free(tree->sets[i].ranges);
    free(tree->sets);
    free(tree->nodes);
}
