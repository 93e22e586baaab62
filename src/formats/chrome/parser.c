#include "parser.h"

#include "json.h"
#include "parser_event.h"
#include "scan.h"

static void chrome_parser_damage(struct chrome_visitor *visitor, enum chrome_damage kind,
                                 const struct chrome_parser *parser, const char *at)
{
    if (visitor->damage != NULL)
        visitor->damage(visitor, kind, (uint64_t)(at - parser->start));
}

bool chrome_parser_event(struct chrome_parser *parser, const char **at)
{
    return *at < parser->end && **at == '{' &&
           chrome_parser_take_event(parser, at, parser->event) == DONE;
}

// How far inside its line `at` is, where only blanks and commas stand before it; else SIZE_MAX.
size_t chrome_parser_column(const struct chrome_parser *parser, const char *at)
{
    const char *line = at;
    while (line > parser->start && (line[-1] == ' ' || line[-1] == '\t' || line[-1] == ','))
        line--;
    return line == parser->start || line[-1] == '\n' ? (size_t)(at - line) : SIZE_MAX;
}

// Where a line after `at` starts with an object, at most `column` bytes inside of it; `end` when
// none does.
const char *chrome_parser_next_line(const char *at, const char *end, size_t column)
{
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        const char *line = ++at;
        for (; at < end && (scan_is_blank(*at) || *at == ','); at++) {
            if (*at == '\n')
                line = at + 1;
        }
        if (at < end && *at == '{' && (size_t)(at - line) <= column)
            return at;
    }
    return end;
}

// An event that lacks its end runs on into the next ones: these are found again by their lines,
// which begin as far inside as its own. Not without end, as an input of such events alone would be
// read once for each: after this many times its size no event goes on where another one starts.
enum { WASTED_TIMES = 4 };

// At a '{'. Once an event has run on into others, what ends before the next line that may start one
// is tried first.
static enum result take_item(struct chrome_parser *parser, const char **at)
{
    const char *from = *at;
    const char *end = parser->end;
    const size_t column = parser->wasted > 0 ? chrome_parser_column(parser, from) : SIZE_MAX;
    if (column == SIZE_MAX)
        return chrome_parser_take_event(parser, at, parser->event);
    parser->end = chrome_parser_next_line(from, end, column);
    const bool last = parser->end == end;
    const enum result result = chrome_parser_take_event(parser, at, parser->event);
    parser->end = end;
    if (result == DONE || last)
        return result;
    if (parser->wasted / WASTED_TIMES > (uint64_t)(end - parser->start))
        return MALFORMED;
    *at = from;
    return chrome_parser_take_event(parser, at, parser->event);
}

// After what is no event: after its brackets or the word that it is, where that ends in its line
// (the input may be one line), else where the next event starts a line. `*line_end` is where the
// line that was looked at last ends; it is kept so that no line is looked for twice.
static const char *pass_over(struct chrome_parser *parser, const char *from, const char *at,
                             const char **line_end)
{
    const char *end = parser->end;
    if (*line_end == NULL || from >= *line_end) {
        const char *line = memchr(from, '\n', (size_t)(end - from));
        *line_end = line != NULL ? line + 1 : end;
    }
    const char *stop = scan_value(from, *line_end);
    if (stop != NULL)
        return stop;
    parser->wasted += (uint64_t)(at - from) + 1;
    const size_t column = chrome_parser_column(parser, from);
    return chrome_parser_next_line(column != SIZE_MAX ? from : at, end, column);
}

void chrome_parser_item(struct chrome_parser *parser, const char **at,
                        struct chrome_visitor *visitor)
{
    const char *from = *at;
    const enum result result = *from == '{' ? take_item(parser, at) : MALFORMED;
    if (result == DONE) {
        visitor->event(visitor, parser->event);
        return;
    }
    *at = pass_over(parser, from, result == CUT ? parser->end : *at, &parser->line_end);
    const bool cut = result == CUT && *at == parser->end;
    chrome_parser_damage(visitor, cut ? CHROME_CUT : CHROME_MALFORMED, parser, from);
    visitor->unfinished |= cut;
}

const char *chrome_parser_next_item(const struct chrome_parser *parser, const char *at)
{
    do {
        at = scan_blanks(at, parser->end);
    } while (at < parser->end && *at == ',' && at++ != NULL);
    return at;
}

const char *chrome_parser_items(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor)
{
    for (;;) {
        at = chrome_parser_next_item(parser, at);
        if (at == parser->end) {
            visitor->unfinished = true;
            return at;
        }
        if (*at == ']')
            return at + 1;
        chrome_parser_item(parser, &at, visitor);
    }
}

static const char *take_items(struct chrome_parser *parser, const char *at,
                              struct chrome_visitor *visitor)
{
    return parser->items != NULL ? parser->items(parser, at, visitor)
                                 : chrome_parser_items(parser, at, visitor);
}

void chrome_parser_reach(struct chrome_parser *parser, uint64_t size)
{
    const struct input *input = parser->growing;
    if (input == NULL)
        return;
    if (input_reach(input, size))
        parser->growing = NULL;
    parser->end = parser->start + input->bytes.size;
}

// Whether there is more now, for what ended too early.
static bool has_grown(struct chrome_parser *parser)
{
    const char *end = parser->end;
    chrome_parser_reach(parser, UINT64_MAX);
    return parser->end != end;
}

// At a '"' of the object form. NULL: cut off or malformed.
static const char *visit_member(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor)
{
    bool escapes = false;
    const char *stop = scan_text(at + 1, parser->end, &escapes);
    if (stop == parser->end)
        return NULL;
    struct view key = {at + 1, (size_t)(stop - at - 1)};
    at = scan_blanks(stop + 1, parser->end);
    if (at == parser->end || *at != ':')
        return NULL;
    at = scan_blanks(at + 1, parser->end);
    if (view_is(key, "traceEvents") && at < parser->end && *at == '[')
        return take_items(parser, at + 1, visitor);
    struct view value;
    if (chrome_take_raw(parser, &at, &value) != DONE)
        return NULL;
    if (escapes)
        key = chrome_parser_decode(parser, key);
    if (visitor->member != NULL)
        visitor->member(visitor, key, value);
    return at;
}

static const char *visit_object(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor)
{
    while ((at = scan_blanks(at, parser->end)) < parser->end || has_grown(parser)) {
        if (scan_is_blank(*at)) // of what has grown
            continue;
        if (*at == '}')
            return at + 1;
        if (*at == ',') {
            at++;
            continue;
        }
        const char *next = *at == '"' ? visit_member(parser, at, visitor) : NULL;
        if (next == NULL && has_grown(parser))
            continue;
        if (next == NULL) {
            chrome_parser_damage(visitor, CHROME_CUT, parser, at);
            break;
        }
        at = next;
    }
    visitor->unfinished = true;
    return parser->end;
}

// Past the mark that some programs put in front of UTF-8.
static const char *after_mark(const char *at, const char *end)
{
    return scan_blanks(end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? at + 3 : at, end);
}

void chrome_parser_run(struct chrome_parser *parser, struct chrome_visitor *visitor)
{
    const char *at = after_mark(parser->start, parser->end);
    if (at == parser->end && has_grown(parser))
        at = after_mark(parser->start, parser->end);
    if (at < parser->end && *at == '[')
        at = take_items(parser, at + 1, visitor);
    else if (at < parser->end && *at == '{')
        at = visit_object(parser, at + 1, visitor);
    chrome_parser_reach(parser, UINT64_MAX);
    at = scan_blanks(at, parser->end);
    if (at < parser->end)
        chrome_parser_damage(visitor, CHROME_TRAILING, parser, at);
}

// Recognising -----------------------------------------------------------------

static bool array_recognise(struct chrome_parser *parser, const char *at)
{
    struct chrome_event event = {0};
    at = scan_blanks(at, parser->end);
    if (at == parser->end || *at == ']')
        return true;
    if (*at != '{')
        return false;
    const enum result result = chrome_parser_take_event(parser, &at, &event);
    return result == CUT || (result == DONE && chrome_find(event.object, "ph").size > 0);
}

static bool object_recognise(const char *at, const char *end)
{
    struct chrome_members members = {.at = at, .end = end};
    struct view key;
    struct view value;
    bool escapes;
    for (;;) {
        at = scan_blanks(members.at, end);
        if (at < end && *at == ',')
            at = scan_blanks(at + 1, end);
        if (at == end || *at != '"')
            return false;
        const char *stop = scan_text(at + 1, end, &escapes);
        if (view_is((struct view){at + 1, (size_t)(stop - at - 1)}, "traceEvents"))
            return true;
        if (!chrome_member_next(&members, &key, &value))
            return false;
    }
}

bool chrome_recognise(struct view bytes)
{
    struct arena texts = {0};
    struct chrome_joints joints;
    chrome_joints_start(&joints);
    struct chrome_parser parser = {
        .start = bytes.data, .end = bytes.data + bytes.size, .texts = &texts, .joints = &joints};
    const char *at = after_mark(parser.start, parser.end);
    if (at == parser.end)
        return false;
    const bool found = *at == '['   ? array_recognise(&parser, at + 1)
                       : *at == '{' ? object_recognise(at + 1, parser.end)
                                    : false;
    arena_free(&texts);
    return found;
}
