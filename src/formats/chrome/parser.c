#include "parser.h"

#include "json.h"
#include "scan.h"
#include "time.h"
#include "wire/json_reader.h"

enum result { DONE, CUT, MALFORMED };

// Values ----------------------------------------------------------------------

static inline enum result fail_at(const char *at, const struct chrome_parser *parser)
{
    return at == parser->end ? CUT : MALFORMED;
}

// A value as it is written.
static inline enum result take_raw(struct chrome_parser *parser, const char **at,
                                   struct view *out_value)
{
    const char *stop = scan_value(*at, parser->end);
    if (stop == NULL) {
        const bool is_word = *at < parser->end && strchr(",}]:", **at) != NULL;
        return is_word ? MALFORMED : CUT;
    }
    *out_value = (struct view){*at, (size_t)(stop - *at)};
    *at = stop;
    return DONE;
}

static struct view chrome_parser_decode(struct chrome_parser *parser, struct view text)
{
    char *to = arena_allocate(parser->texts, text.size);
    return (struct view){to, json_decode(text, to)};
}

static inline enum result parser_take_text(struct chrome_parser *parser, const char **at,
                                           struct view *out_text, bool *out_escapes)
{
    *out_escapes = false;
    if (*at < parser->end && **at == '"') {
        const char *from = *at + 1;
        const char *stop = scan_text(from, parser->end, out_escapes);
        if (stop == parser->end)
            return CUT;
        *out_text = (struct view){from, (size_t)(stop - from)};
        *at = stop + 1;
        return DONE;
    }
    return take_raw(parser, at, out_text);
}

static void set_scalar(struct view raw, struct chrome_scalar *out_scalar)
{
    const bool quoted = chrome_is_text(raw);
    const struct view text = quoted ? (struct view){raw.data + 1, raw.size - 2} : raw;
    int64_t number;
    *out_scalar = (struct chrome_scalar){.kind = CHROME_NUMBER};
    if (view_to_u64(text, &out_scalar->number))
        return;
    if (view_to_i64(text, &number)) {
        out_scalar->number = (uint64_t)number;
        return;
    }
    *out_scalar = (struct chrome_scalar){.kind = CHROME_TEXT, .text = text};
}

// Small numbers, as nearly all are, without a detour.
static inline enum result take_scalar(struct chrome_parser *parser, const char **at,
                                      struct chrome_scalar *out_scalar)
{
    uint64_t number = 0;
    const char *digit = *at;
    while (digit < parser->end && (unsigned)(*digit - '0') <= 9 && digit - *at < 18)
        number = number * 10 + (uint64_t)(*digit++ - '0');
    if (digit > *at && digit < parser->end && (*digit == ',' || *digit == '}')) {
        *out_scalar = (struct chrome_scalar){.kind = CHROME_NUMBER, .number = number};
        *at = digit;
        return DONE;
    }
    struct view raw;
    const enum result result = take_raw(parser, at, &raw);
    if (result == DONE)
        set_scalar(raw, out_scalar);
    return result;
}

// "1234.567": at most 15 digits before the point and three after it.
static inline const char *take_plain_time(const char *at, const char *end, struct chrome_time *time)
{
    const char *from = at;
    uint64_t number = 0;
    while (at < end && (unsigned)(*at - '0') <= 9)
        number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == from || at - from > 15 || at == end)
        return NULL;
    unsigned decimals = 0;
    if (*at == '.') {
        at++;
        for (; at < end && (unsigned)(*at - '0') <= 9; decimals++)
            number = number * 10 + (uint64_t)(*at++ - '0');
        if (decimals == 0 || decimals > 3 || at == end)
            return NULL;
    }
    static const uint64_t SCALE[] = {1000, 100, 10, 1};
    if (*at != ',' && *at != '}')
        return NULL;
    *time = (struct chrome_time){(int64_t)(number * SCALE[decimals]), 0};
    return at;
}

static inline enum result parser_take_time(struct chrome_parser *parser, const char **at,
                                           bool *out_has, bool *out_bad,
                                           struct chrome_time *out_time)
{
    const char *stop = take_plain_time(*at, parser->end, out_time);
    if (stop != NULL) {
        *at = stop;
        *out_has = true;
        return DONE;
    }
    struct view raw;
    const enum result result = take_raw(parser, at, &raw);
    if (result != DONE)
        return result;
    *out_has = chrome_time_of(raw, out_time);
    *out_bad |= !*out_has && !view_is(raw, "null");
    return DONE;
}

// Events ----------------------------------------------------------------------

// What is filled in when all members are known.
struct pending {
    struct chrome_time ts;
    struct chrome_time dur;
    bool name_escapes;
    bool category_escapes;
};

static bool key_is(const char *key, const char *word, size_t size)
{
    return memcmp(key, word, size) == 0;
}

// Where a member goes that is kept as it is written; NULL: it is not listed.
static struct view *raw_member(struct chrome_event *event, const char *key, size_t size)
{
    switch (size) {
    case 1:
        return *key == 's' ? &event->rare.instant_scope : NULL;
    case 2:
        return key_is(key, "id", 2)   ? &event->rare.id
               : key_is(key, "bp", 2) ? &event->rare.binding
                                      : NULL;
    case 3:
        return key_is(key, "id2", 3) ? &event->rare.id2 : NULL;
    case 4:
        return key_is(key, "args", 4) ? &event->args : NULL;
    case 5:
        return key_is(key, "scope", 5) ? &event->rare.scope : NULL;
    case 7:
        return key_is(key, "bind_id", 7)   ? &event->rare.bind_id
               : key_is(key, "flow_in", 7) ? &event->rare.flow_in
                                           : NULL;
    case 8:
        return key_is(key, "flow_out", 8) ? &event->rare.flow_out : NULL;
    default:
        return NULL;
    }
}

// A member of args, up to the comma or the brace after it. NULL: it is not as nearly all are.
static inline const char *take_argument(const char *at, const char *end, struct chrome_member *to)
{
    bool escapes = false;
    if (at == end || *at != '"')
        return NULL;
    const char *stop = scan_text(at + 1, end, &escapes);
    if (stop == end || escapes)
        return NULL;
    to->key = (struct view){at + 1, (size_t)(stop - at - 1)};
    at = scan_blanks(stop + 1, end);
    if (at == end || *at != ':')
        return NULL;
    at = scan_blanks(at + 1, end);
    stop = scan_value(at, end);
    if (stop == NULL)
        return NULL;
    to->value = (struct view){at, (size_t)(stop - at)};
    at = scan_blanks(stop, end);
    return at < end && (*at == ',' || *at == '}') ? at : NULL;
}

// The members of args, so that nobody has to look for them again; false where there is no room for
// them or something is odd, and nothing is taken.
static bool take_arguments(struct chrome_parser *parser, const char **at,
                           struct chrome_event *event)
{
    const char *end = parser->end;
    const char *next = *at;
    size_t count = 0;
    do {
        if (count == parser->member_room)
            return false;
        next = take_argument(scan_blanks(next + 1, end), end, &parser->members[count++]);
    } while (next != NULL && *next == ',');
    if (next == NULL)
        return false;
    event->args = (struct view){*at, (size_t)(next + 1 - *at)};
    event->members = parser->members;
    event->member_count = count;
    *at = next + 1;
    return true;
}

static enum result parser_take_phase(struct chrome_parser *parser, const char **at,
                                     struct chrome_event *event)
{
    struct view text;
    bool escapes;
    const enum result result = parser_take_text(parser, at, &text, &escapes);
    if (result == DONE)
        event->phase = text.size == 1 ? text.data[0] : '\0';
    return result;
}

static enum result take_other(struct chrome_parser *parser, const char **at, const char *key,
                              size_t size, struct chrome_event *event)
{
    struct view ignored;
    struct view *to = raw_member(event, key, size);
    if (to == &event->args) {
        event->member_count = 0; // args may come twice
        if (*at < parser->end && **at == '{' && take_arguments(parser, at, event))
            return DONE;
    }
    if (to == NULL) {
        event->others = true;
        to = &ignored;
    } else if (to != &event->args) {
        event->has_rare = true;
    }
    return take_raw(parser, at, to);
}

static inline enum result parser_take_member(struct chrome_parser *parser, const char **at,
                                             const char *key, size_t size,
                                             struct chrome_event *event, struct pending *pending)
{
    if (size == 2 && key_is(key, "ph", 2))
        return parser_take_phase(parser, at, event);
    if (size == 2 && key_is(key, "ts", 2))
        return parser_take_time(parser, at, &event->has_ts, &event->bad_time, &pending->ts);
    if (size == 3 && key_is(key, "dur", 3))
        return parser_take_time(parser, at, &event->has_dur, &event->bad_time, &pending->dur);
    if (size == 3 && key_is(key, "pid", 3))
        return take_scalar(parser, at, &event->pid);
    if (size == 3 && key_is(key, "tid", 3))
        return take_scalar(parser, at, &event->tid);
    if (size == 3 && key_is(key, "cat", 3))
        return parser_take_text(parser, at, &event->category, &pending->category_escapes);
    if (size == 4 && key_is(key, "name", 4))
        return parser_take_text(parser, at, &event->name, &pending->name_escapes);
    return take_other(parser, at, key, size, event);
}

static void decode_texts(struct chrome_parser *parser, struct chrome_event *event,
                         const struct pending *pending)
{
    if (pending->name_escapes)
        event->name = chrome_parser_decode(parser, event->name);
    if (pending->category_escapes)
        event->category = chrome_parser_decode(parser, event->category);
    if (event->pid.kind == CHROME_TEXT)
        event->pid.text = chrome_parser_decode(parser, event->pid.text);
    if (event->tid.kind == CHROME_TEXT)
        event->tid.text = chrome_parser_decode(parser, event->tid.text);
}

static void parser_complete(struct chrome_parser *parser, struct chrome_event *event,
                            const struct pending *pending)
{
    event->ts = event->has_ts ? pending->ts.ns : 0;
    event->dur = event->has_dur ? pending->dur.ns : 0;
    int64_t end;
    if (event->has_ts && event->has_dur) {
        event->has_dur = chrome_time_add(pending->ts, pending->dur, &end);
        event->bad_time |= !event->has_dur;
        event->dur = event->has_dur ? end - event->ts : 0;
    }
    if (pending->name_escapes || pending->category_escapes || event->pid.kind == CHROME_TEXT ||
        event->tid.kind == CHROME_TEXT)
        decode_texts(parser, event, pending);
}

// The members of an object, up to its '}'. `*at` is left where reading stopped.
static enum result take_members(struct chrome_parser *parser, const char **at,
                                struct chrome_event *event, struct pending *pending)
{
    const char *end = parser->end;
    bool escapes;
    while ((*at = scan_blanks(*at, end)) < end && **at != '}') {
        const char *key = *at + 1;
        if (**at != '"')
            return MALFORMED;
        *at = scan_text(key, end, &escapes);
        if (*at == end)
            return CUT;
        const size_t size = (size_t)(*at - key);
        *at = scan_blanks(*at + 1, end);
        if (*at == end || **at != ':')
            return fail_at(*at, parser);
        *at = scan_blanks(*at + 1, end);
        const enum result result = parser_take_member(parser, at, key, size, event, pending);
        if (result != DONE)
            return result;
        *at = scan_blanks(*at, end);
        if (*at < end && **at == ',')
            ++*at;
        else if (*at < end && **at != '}')
            return MALFORMED;
    }
    return *at == end ? CUT : DONE;
}

// Sets back what the event before left there, which is little in most cases.
static void clear_event(struct chrome_event *event)
{
    if (event->has_rare)
        event->rare = (struct chrome_rare){0};
    event->has_rare = false;
    event->phase = '\0';
    event->has_ts = false;
    event->has_dur = false;
    event->bad_time = false;
    event->others = false;
    event->name.size = 0;
    event->category.size = 0;
    event->args.size = 0;
    event->member_count = 0;
    event->pid = (struct chrome_scalar){0};
    event->tid = (struct chrome_scalar){0};
}

// At a '{'. Leaves `*at` after the '}', or where reading stopped.
static enum result parser_take_event(struct chrome_parser *parser, const char **at,
                                     struct chrome_event *event)
{
    const char *from = (*at)++;
    struct pending pending = {0};
    clear_event(event);
    event->offset = (uint64_t)(from - parser->start);
    const enum result result = take_members(parser, at, event, &pending);
    if (result != DONE)
        return result;
    ++*at;
    event->object = (struct view){from, (size_t)(*at - from)};
    parser_complete(parser, event, &pending);
    return DONE;
}

// Traces ----------------------------------------------------------------------

static void chrome_parser_damage(struct chrome_visitor *visitor, enum chrome_damage kind,
                                 const struct chrome_parser *parser, const char *at)
{
    if (visitor->damage != NULL)
        visitor->damage(visitor, kind, (uint64_t)(at - parser->start));
}

bool chrome_parser_event(struct chrome_parser *parser, const char **at)
{
    return *at < parser->end && **at == '{' && parser_take_event(parser, at, parser->event) == DONE;
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
        return parser_take_event(parser, at, parser->event);
    parser->end = chrome_parser_next_line(from, end, column);
    const bool last = parser->end == end;
    const enum result result = parser_take_event(parser, at, parser->event);
    parser->end = end;
    if (result == DONE || last)
        return result;
    if (parser->wasted / WASTED_TIMES > (uint64_t)(end - parser->start))
        return MALFORMED;
    *at = from;
    return parser_take_event(parser, at, parser->event);
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
    if (take_raw(parser, &at, &value) != DONE)
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
    const enum result result = parser_take_event(parser, &at, &event);
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
    struct chrome_parser parser = {
        .start = bytes.data, .end = bytes.data + bytes.size, .texts = &texts};
    const char *at = after_mark(parser.start, parser.end);
    if (at == parser.end)
        return false;
    const bool found = *at == '['   ? array_recognise(&parser, at + 1)
                       : *at == '{' ? object_recognise(at + 1, parser.end)
                                    : false;
    arena_free(&texts);
    return found;
}
