#include "parser_event.h"

#include "json.h"
#include "scan.h"
#include "time.h"
#include "wire/csv.h"
#include "wire/json_reader.h"

// Values ----------------------------------------------------------------------

static inline enum result fail_at(const char *at, const struct chrome_parser *parser)
{
    return at == parser->end ? CUT : MALFORMED;
}

enum result chrome_take_raw(struct chrome_parser *parser, const char **at, struct view *out_value)
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

struct view chrome_parser_decode(struct chrome_parser *parser, struct view text)
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
    return chrome_take_raw(parser, at, out_text);
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

// After a value that is nothing but a few digits; NULL: it is none.
static inline const char *take_small(const char *at, const char *end, uint64_t *out_number)
{
    const size_t digits = csv_digits_take(at, (size_t)(end - at), out_number);
    if (digits == 0 || digits > 18 || at + digits == end)
        return NULL;
    at += digits;
    return *at == ',' || *at == '}' || *at == '\n' ? at : NULL;
}

// Small numbers, as nearly all are, without a detour.
static inline enum result take_scalar(struct chrome_parser *parser, const char **at,
                                      struct chrome_scalar *out_scalar)
{
    uint64_t number;
    const char *stop = take_small(*at, parser->end, &number);
    if (stop != NULL) {
        *out_scalar = (struct chrome_scalar){.kind = CHROME_NUMBER, .number = number};
        *at = stop;
        return DONE;
    }
    struct view raw;
    const enum result result = chrome_take_raw(parser, at, &raw);
    if (result == DONE)
        set_scalar(raw, out_scalar);
    return result;
}

// The digits after a decimal point: at most three, up to a comma or a brace. NULL: not so.
static inline const char *take_decimals(const char *at, const char *end, uint64_t *number)
{
    static const uint64_t SCALE[] = {1000, 100, 10, 1};
    unsigned decimals = 0;
    for (; at < end && (unsigned)(*at - '0') <= 9; decimals++)
        *number = *number * 10 + (uint64_t)(*at++ - '0');
    if (decimals == 0 || decimals > 3 || at == end)
        return NULL;
    *number *= SCALE[decimals];
    return at;
}

// "1234.567": at most 15 digits before the point and three after it.
static inline const char *take_plain_time(const char *at, const char *end, struct chrome_time *time)
{
    uint64_t number;
    const size_t digits = csv_digits_take(at, (size_t)(end - at), &number);
    at += digits;
    if (digits == 0 || digits > 15 || at == end)
        return NULL;
    if (*at != '.')
        number *= 1000;
    else if ((at = take_decimals(at + 1, end, &number)) == NULL)
        return NULL;
    if (*at != ',' && *at != '}')
        return NULL;
    *time = (struct chrome_time){(int64_t)number, 0};
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
    const enum result result = chrome_take_raw(parser, at, &raw);
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

static bool key_is(struct view key, const char *word)
{
    return memcmp(key.data, word, strlen(word)) == 0;
}

static enum chrome_member_kind member_kind(struct view key)
{
    switch (key.size) {
    case 1:
        return key_is(key, "s") ? CHROME_MEMBER_RARE : CHROME_MEMBER_OTHER;
    case 2:
        return key_is(key, "ph")                        ? CHROME_MEMBER_PHASE
               : key_is(key, "ts")                      ? CHROME_MEMBER_TS
               : key_is(key, "id") || key_is(key, "bp") ? CHROME_MEMBER_RARE
                                                        : CHROME_MEMBER_OTHER;
    case 3:
        return key_is(key, "dur")   ? CHROME_MEMBER_DUR
               : key_is(key, "pid") ? CHROME_MEMBER_PID
               : key_is(key, "tid") ? CHROME_MEMBER_TID
               : key_is(key, "cat") ? CHROME_MEMBER_CATEGORY
               : key_is(key, "id2") ? CHROME_MEMBER_RARE
                                    : CHROME_MEMBER_OTHER;
    case 4:
        return key_is(key, "name")   ? CHROME_MEMBER_NAME
               : key_is(key, "args") ? CHROME_MEMBER_ARGS
                                     : CHROME_MEMBER_OTHER;
    case 5:
        return key_is(key, "scope") ? CHROME_MEMBER_RARE : CHROME_MEMBER_OTHER;
    case 7:
        return key_is(key, "bind_id") || key_is(key, "flow_in") ? CHROME_MEMBER_RARE
                                                                : CHROME_MEMBER_OTHER;
    case 8:
        return key_is(key, "flow_out") ? CHROME_MEMBER_RARE : CHROME_MEMBER_OTHER;
    default:
        return CHROME_MEMBER_OTHER;
    }
}

// Where a rare member goes, which is kept as it is written.
static struct view *rare_member(struct chrome_rare *rare, struct view key)
{
    switch (key.size) {
    case 1:
        return &rare->instant_scope;
    case 2:
        return key.data[0] == 'i' ? &rare->id : &rare->binding;
    case 3:
        return &rare->id2;
    case 5:
        return &rare->scope;
    case 7:
        return key.data[0] == 'b' ? &rare->bind_id : &rare->flow_in;
    default:
        return &rare->flow_out;
    }
}

// What stands in front of a value.
struct front {
    uint32_t joint; // its number, where it is known; of what was before it, at first
    enum chrome_member_kind kind;
    struct view key;
};

static inline bool take_known_front(const struct chrome_parser *parser, const char **at,
                                    struct front *front)
{
    const uint32_t number = chrome_joint_after(parser->joints, front->joint, *at, parser->end);
    if (number == JOINT_NONE)
        return false;
    const struct chrome_joint *joint = &parser->joints->list[number];
    *front = (struct front){number, joint->kind, {*at + joint->key_at, joint->key_size}};
    *at = scan_blanks(*at + joint->size, parser->end);
    return true;
}

// Arguments ------------------------------------------------------------------------

// What stands in front of an argument. NULL: it is not as nearly all are.
static const char *take_new_argument_front(struct chrome_parser *parser, const char *at,
                                           struct front *front)
{
    const char *end = parser->end;
    const char *from = at;
    bool escapes = false;
    at = scan_blanks(front->joint == JOINT_ARGUMENTS ? at : at + 1, end);
    if (at == end || *at != '"')
        return NULL;
    const char *stop = scan_text(at + 1, end, &escapes);
    if (stop == end || escapes)
        return NULL;
    front->key = (struct view){at + 1, (size_t)(stop - at - 1)};
    at = scan_blanks(stop + 1, end);
    if (at == end || *at != ':')
        return NULL;
    at = scan_blanks(at + 1, end);
    front->joint =
        chrome_joint_learn(parser->joints, front->joint, (struct view){from, (size_t)(at - from)},
                           front->key, CHROME_MEMBER_ARGUMENT);
    return at;
}

// A member of args with what is in front of it, up to the comma or the brace after it. NULL: it is
// not as nearly all are.
static inline const char *take_argument(struct chrome_parser *parser, const char *at,
                                        struct front *front, struct chrome_member *to)
{
    const char *end = parser->end;
    if (!take_known_front(parser, &at, front)) {
        at = take_new_argument_front(parser, at, front);
        if (at == NULL)
            return NULL;
    }
    to->key = front->key;
    to->key_id = front->joint != JOINT_NONE ? &parser->joints->list[front->joint].text : NULL;
    const char *stop = take_small(at, end, &to->number);
    to->is_small = stop != NULL;
    if (stop == NULL)
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
    struct front front = {.joint = JOINT_ARGUMENTS};
    const char *next = *at + 1;
    size_t count = 0;
    do {
        if (count == parser->member_room)
            return false;
        next = take_argument(parser, next, &front, &parser->members[count++]);
    } while (next != NULL && *next == ',');
    if (next == NULL)
        return false;
    event->args = (struct view){*at, (size_t)(next + 1 - *at)};
    event->members = parser->members;
    event->member_count = count;
    *at = next + 1;
    return true;
}

// Members ------------------------------------------------------------------------

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

static enum result parser_take_args(struct chrome_parser *parser, const char **at,
                                    struct chrome_event *event)
{
    event->member_count = 0; // args may come twice
    if (*at < parser->end && **at == '{' && take_arguments(parser, at, event))
        return DONE;
    return chrome_take_raw(parser, at, &event->args);
}

static inline enum result parser_take_member(struct chrome_parser *parser, const char **at,
                                             const struct front *front, struct chrome_event *event,
                                             struct pending *pending)
{
    struct view ignored;
    switch (front->kind) {
    case CHROME_MEMBER_PHASE:
        return parser_take_phase(parser, at, event);
    case CHROME_MEMBER_TS:
        return parser_take_time(parser, at, &event->has_ts, &event->bad_time, &pending->ts);
    case CHROME_MEMBER_DUR:
        return parser_take_time(parser, at, &event->has_dur, &event->bad_time, &pending->dur);
    case CHROME_MEMBER_PID:
        return take_scalar(parser, at, &event->pid);
    case CHROME_MEMBER_TID:
        return take_scalar(parser, at, &event->tid);
    case CHROME_MEMBER_CATEGORY:
        return parser_take_text(parser, at, &event->category, &pending->category_escapes);
    case CHROME_MEMBER_NAME:
        return parser_take_text(parser, at, &event->name, &pending->name_escapes);
    case CHROME_MEMBER_ARGS:
        return parser_take_args(parser, at, event);
    case CHROME_MEMBER_RARE:
        event->has_rare = true;
        return chrome_take_raw(parser, at, rare_member(&event->rare, front->key));
    default:
        event->others = true;
        return chrome_take_raw(parser, at, &ignored);
    }
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
    if (parser->seen == NULL)
        return;
    if (event->name.size > 0 && !pending->name_escapes)
        event->name_id = chrome_seen_text(parser->seen, event->name);
    if (event->category.size > 0 && !pending->category_escapes)
        event->category_id = chrome_seen_text(parser->seen, event->category);
}

// What stands in front of a member: a comma or, in front of the first, nothing, and the key. `*at`
// is left where reading stopped. ENDED: at a '}'.
static enum result take_new_front(struct chrome_parser *parser, const char **at,
                                  struct front *front)
{
    const char *end = parser->end;
    const char *from = *at;
    bool escapes;
    *at = scan_blanks(front->joint == JOINT_EVENT ? from : from + 1, end);
    if (*at == end)
        return CUT;
    if (**at != '"')
        return **at == '}' ? ENDED : MALFORMED;
    const char *key = *at + 1;
    *at = scan_text(key, end, &escapes);
    if (*at == end)
        return CUT;
    front->key = (struct view){key, (size_t)(*at - key)};
    *at = scan_blanks(*at + 1, end);
    if (*at == end || **at != ':')
        return fail_at(*at, parser);
    *at = scan_blanks(*at + 1, end);
    front->kind = member_kind(front->key);
    front->joint =
        chrome_joint_learn(parser->joints, front->joint, (struct view){from, (size_t)(*at - from)},
                           front->key, front->kind);
    return DONE;
}

// The members of an object, up to its '}'. `*at` is left where reading stopped.
static enum result take_members(struct chrome_parser *parser, const char **at,
                                struct chrome_event *event, struct pending *pending)
{
    const char *end = parser->end;
    struct front front = {.joint = JOINT_EVENT};
    for (;;) {
        if (!take_known_front(parser, at, &front)) {
            const enum result result = take_new_front(parser, at, &front);
            if (result != DONE)
                return result == ENDED ? DONE : result;
        }
        const enum result result = parser_take_member(parser, at, &front, event, pending);
        if (result != DONE)
            return result;
        *at = scan_blanks(*at, end);
        if (*at == end)
            return CUT;
        if (**at != ',')
            return **at == '}' ? DONE : MALFORMED;
    }
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
    event->name_id = NULL;
    event->category_id = NULL;
    event->pid = (struct chrome_scalar){0};
    event->tid = (struct chrome_scalar){0};
}

enum result chrome_parser_take_event(struct chrome_parser *parser, const char **at,
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
