#include "split.h"

#include "wire/csv.h"

static bool split_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool problem(struct split_problem *out, const char *column, struct view text,
                    const char *what)
{
    *out = (struct split_problem){column, text, what};
    return false;
}

static bool missing(struct split_problem *out, const char *column)
{
    return problem(out, column, VIEW_LITERAL(""), "is missing");
}

static struct view shortened(struct view text)
{
    return text.size > 60 ? view_slice(text, 0, 60) : text;
}

static const char *why_no_number(struct view text)
{
    size_t at = text.size > 0 && text.data[0] == '-' ? 1 : 0;
    const bool negative = at == 1;
    if (at == text.size)
        return text.size == 0 ? "is empty" : "is not a number";
    for (; at < text.size; at++) {
        if (!split_is_digit(text.data[at]))
            return "is not a number";
    }
    return negative ? "is negative" : "does not fit 64 bits";
}

// Says what is wrong with the number that should come next.
static bool bad_number(struct view rest, char separator, const char *column,
                       struct split_problem *out)
{
    struct view text;
    if (!csv_field_take(&rest, separator, &text))
        return missing(out, column);
    return problem(out, column, text, why_no_number(text));
}

static inline bool split_take_number(struct view *rest, char separator, const char *column,
                                     uint64_t *out_number, struct split_problem *out)
{
    if (csv_number_take(rest, separator, out_number))
        return true;
    return bad_number(*rest, separator, column, out);
}

// view_trim for texts that rarely need it.
static inline struct view trimmed(struct view v)
{
    if (v.size > 0 && (unsigned char)v.data[0] > ' ' && (unsigned char)v.data[v.size - 1] > ' ')
        return v;
    return view_trim(v);
}

static bool check_run(struct view run, const char *column, struct split_problem *out)
{
    if (run.size <= SPLIT_RUN_MOST)
        return true;
    return problem(out, column, shortened(run), "is too long");
}

// Counts the digits at the end of `text` and gives the number that they make,
// as far as it fits.
static inline size_t last_digits(struct view text, uint64_t *out_number)
{
    size_t count = 0;
    if (text.size >= 8) {
        uint64_t word;
        memcpy(&word, text.data + text.size - sizeof word, sizeof word);
        const uint64_t others = csv_not_digits(word);
        count = others != 0 ? (size_t)__builtin_clzll(others) / 8 : 8;
        *out_number =
            count > 0 ? csv_eight_digits(word >> (64 - 8 * count) << (64 - 8 * count)) : 0;
        if (count < 8)
            return count;
    }
    while (count < text.size && split_is_digit(text.data[text.size - 1 - count]))
        count++;
    csv_digits_take(text.data + text.size - count, count, out_number);
    return count;
}

// Takes a field of digits from the right: C2's bytes. An empty last field
// counts as one without a number.
static inline bool split_take_bytes(struct view *run, struct split_compile *row,
                                    struct split_problem *out)
{
    uint64_t number;
    const size_t count = last_digits(*run, &number);
    size_t at = run->size - count;
    while (at > 0 && csv_is_blank(run->data[at - 1]))
        at--;
    row->has_bytes = false;
    if (at == 0 || run->data[at - 1] != ',')
        return true;
    const struct view digits = view_slice(*run, run->size - count, run->size);
    *run = trimmed(view_slice(*run, 0, at - 1));
    if (count == 0)
        return true;
    if (count > CSV_DIGITS_SAFE && !view_to_u64(digits, &number))
        return problem(out, "bytes", digits, why_no_number(digits));
    row->has_bytes = true;
    row->bytes = number;
    return true;
}

static inline struct view take_id(struct view *rest)
{
    struct view quoted;
    if (rest->size > 0 && rest->data[0] == '"' && csv_quoted_take(rest, ',', &quoted))
        return quoted;
    const size_t at = csv_find_near(*rest, ',');
    const struct view id = trimmed(view_slice(*rest, 0, at));
    *rest = csv_after(*rest, at);
    return id;
}

bool split_c1(struct view line, struct split_compile *out_row, struct split_problem *out_problem)
{
    struct view rest = line;
    out_row->number = 0;
    out_row->id = take_id(&rest);
    if (out_row->id.size == 0)
        return missing(out_problem, "ID");
    if (out_row->id.size > SPLIT_ID_MOST)
        return problem(out_problem, "ID", shortened(out_row->id), "is too long");
    if (!split_take_number(&rest, ',', "Start", &out_row->start, out_problem) ||
        !split_take_number(&rest, ',', "End", &out_row->end, out_problem))
        return false;
    if (rest.data == NULL)
        return missing(out_problem, "Location");
    out_row->run = trimmed(rest);
    return check_run(out_row->run, "Location", out_problem) &&
           split_take_bytes(&out_row->run, out_row, out_problem);
}

// The field after the location; rows of some tools end with the location.
static bool take_last_bytes(struct view rest, struct split_compile *row, struct split_problem *out)
{
    struct view bytes;
    row->run = rest;
    row->has_bytes = false;
    if (!csv_field_take_last(&row->run, ',', &bytes))
        return missing(out, "location");
    if (bytes.size == 0)
        return true;
    row->has_bytes = view_to_u64(bytes, &row->bytes);
    if (row->has_bytes)
        return true;
    if (!view_ends_with(bytes, ")") && !view_ends_with(bytes, "\""))
        return problem(out, "bytes", shortened(bytes), why_no_number(bytes));
    row->run = rest;
    return true;
}

bool split_c3(struct view line, enum torq_form form, struct split_compile *out_row,
              struct split_problem *out_problem)
{
    struct view rest = line;
    uint64_t elapsed;
    if (!split_take_number(&rest, ',', form == TORQ_C3 ? "actionIndex" : "taskId", &out_row->number,
                           out_problem) ||
        !split_take_number(&rest, ',', "elapsed_time(us)", &elapsed, out_problem) ||
        !split_take_number(&rest, ',', "timestamp(us)", &out_row->start, out_problem))
        return false;
    if (__builtin_add_overflow(out_row->start, elapsed, &out_row->end))
        return problem(out_problem, "timestamp(us)", VIEW_LITERAL(""),
                       "and elapsed_time(us) together do not fit 64 bits");
    if (rest.data == NULL)
        return missing(out_problem, "event");
    out_row->id = VIEW_LITERAL("");
    return take_last_bytes(view_trim(rest), out_row, out_problem) &&
           check_run(out_row->run, "location", out_problem);
}

bool split_r1(struct view line, struct split_job *out_row, struct split_problem *out_problem)
{
    struct view rest = line;
    if (!split_take_number(&rest, ';', "id", &out_row->job, out_problem) ||
        !split_take_number(&rest, ';', "time_since_open", &out_row->open, out_problem) ||
        !split_take_number(&rest, ';', "time_since_start", &out_row->elapsed, out_problem))
        return false;
    out_row->has_location = rest.data != NULL;
    out_row->location = rest.data != NULL ? view_trim(rest) : VIEW_LITERAL("");
    return check_run(out_row->location, "location", out_problem);
}

// An index from 0, or -1 for none.
static bool to_action(struct view text, const char *column, struct split_action *row,
                      struct split_problem *out)
{
    row->has_action = !view_is(text, "-1");
    row->action = 0;
    if (row->has_action && !view_to_u64(text, &row->action))
        return problem(out, column, text, why_no_number(text));
    return true;
}

// The event in front of a run "event,location", in its quotes if it has any.
static bool split_take_event(struct view *rest, struct view *out_event)
{
    return csv_quoted_take(rest, ',', out_event) || csv_field_take(rest, ',', out_event);
}

bool split_r2(struct view line, struct split_action *out_row, struct split_problem *out_problem)
{
    struct view rest = line;
    struct view action;
    if (!csv_field_take(&rest, ',', &action))
        return missing(out_problem, "actionIndex");
    if (!to_action(action, "actionIndex", out_row, out_problem) ||
        !split_take_number(&rest, ',', "elapsed_time(us)", &out_row->elapsed, out_problem) ||
        !split_take_number(&rest, ',', "timestamp(us)", &out_row->timestamp, out_problem))
        return false;
    if (rest.data == NULL)
        return missing(out_problem, "event");
    out_row->run = view_trim(rest);
    if (!split_take_event(&rest, &out_row->event) || out_row->event.size == 0)
        return missing(out_problem, "event");
    out_row->has_location = rest.data != NULL;
    out_row->invocation = 0;
    return check_run(out_row->run, "location", out_problem);
}

// The dispatch name is the compiler's, so the row is taken from the right.
bool split_r4(struct view line, struct split_action *out_row, struct split_problem *out_problem)
{
    struct view rest = line;
    struct view timestamp, action, invocation;
    if (!csv_field_take_last(&rest, ',', &out_row->event) ||
        !csv_field_take_last(&rest, ',', &timestamp) || !csv_field_take_last(&rest, ',', &action))
        return missing(out_problem, "event");
    out_row->run = view_trim(rest);
    if (!csv_field_take_last(&rest, ',', &invocation))
        return missing(out_problem, "event");
    if (!view_to_u64(invocation, &out_row->invocation))
        return problem(out_problem, "invocation_id", invocation, why_no_number(invocation));
    if (!to_action(action, "action_id", out_row, out_problem))
        return false;
    if (!view_to_u64(timestamp, &out_row->timestamp))
        return problem(out_problem, "timestamp_us", timestamp, why_no_number(timestamp));
    if (out_row->event.size == 0)
        return missing(out_problem, "event");
    out_row->elapsed = 0;
    out_row->has_location = false;
    return check_run(out_row->run, "dispatch_name", out_problem) &&
           check_run(out_row->event, "event", out_problem);
}

struct view split_text(struct view field, struct bytes *scratch)
{
    struct view text;
    field = view_trim(field);
    return csv_field_unquote(field, '"', scratch, &text) ? text : field;
}

// Counts what is opened and closed outside of quoted texts.
static bool closes_all(struct view location)
{
    size_t depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < location.size; i++) {
        const char byte = location.data[i];
        if (byte == '"')
            in_text = !in_text;
        else if ((byte == '(' || byte == '[') && !in_text)
            depth++;
        else if ((byte == ')' || byte == ']') && !in_text && depth > 0)
            depth--;
    }
    return depth == 0 && !in_text;
}

// A field in quotes has an even number of them, whatever it holds.
static bool closes_quotes(struct view location)
{
    size_t quotes = 0;
    for (size_t i = 0; i < location.size; i++)
        quotes += location.data[i] == '"';
    return quotes % 2 == 0;
}

// What a text opens and does not close, counted sixteen bytes at once: in each lane what every
// sixteenth byte adds, which fits as long as there are at most LANES_MOST of them.
typedef int8_t lanes __attribute__((vector_size(16)));
enum { LANES = sizeof(lanes), LANES_MOST = 127 };

struct balance {
    lanes round, square, quotes;
};

static inline lanes lanes_of(char byte)
{
    return (lanes){0} + (int8_t)byte;
}

// A byte that is equal is -1 in a comparison.
static inline void balance_add(struct balance *balance, lanes text)
{
    balance->round += (text == lanes_of(')')) - (text == lanes_of('('));
    balance->square += (text == lanes_of(']')) - (text == lanes_of('['));
    balance->quotes -= text == lanes_of('"');
}

static int lanes_sum(lanes numbers)
{
    // As numbers from 0 on, which are added in pairs of bytes.
    const uint64_t even = 0x00ff00ff00ff00ff;
    uint64_t words[2];
    numbers ^= lanes_of(-128);
    memcpy(words, &numbers, sizeof words);
    const uint64_t sums =
        (words[0] & even) + (words[0] >> 8 & even) + (words[1] & even) + (words[1] >> 8 & even);
    return (int)(sums * 0x0001000100010001 >> 48) - LANES * 128;
}

// Of a piece of at most LANES * LANES_MOST bytes: whether its brackets and quotes come out even.
static bool is_even(const char *text, size_t size)
{
    struct balance balance = {0};
    lanes bytes;
    size_t at = 0;
    for (; size - at >= LANES; at += LANES) {
        memcpy(&bytes, text + at, LANES);
        balance_add(&balance, bytes);
    }
    if (at < size) {
        bytes = (lanes){0};
        memcpy(&bytes, text + at, size - at);
        balance_add(&balance, bytes);
    }
    return lanes_sum(balance.round) == 0 && lanes_sum(balance.square) == 0 &&
           lanes_sum(balance.quotes) % 2 == 0;
}

bool split_location_is_whole(struct view location)
{
    if (location.size > 0 && location.data[0] == '"')
        return closes_quotes(location);
    if (view_is(location, "lo") || view_is(location, "loc"))
        return false;
    if (!view_starts_with(location, "loc("))
        return true;
    // File names with brackets are rare, as are texts that are so long, and the count is fast.
    return (location.size <= LANES * LANES_MOST && is_even(location.data, location.size)) ||
           closes_all(location);
}

// Asked of a field and, as a cut may make two quotes one, of what is in its quotes.
bool split_check_location(struct view location, const char *column,
                          struct split_problem *out_problem)
{
    return split_location_is_whole(location) ||
           problem(out_problem, column, shortened(location), "is not closed");
}

bool split_run_c1(struct view run, struct split_texts *texts, struct split_problem *out_problem)
{
    struct view location = run;
    struct view type;
    if (!csv_field_take_last(&location, ',', &type) || type.size == 0)
        return missing(out_problem, "Op Type");
    location = view_trim(location);
    if (!split_check_location(location, "Location", out_problem))
        return false;
    texts->type = split_text(type, &texts->type_scratch);
    texts->location = split_text(location, &texts->location_scratch);
    return split_check_location(texts->location, "Location", out_problem);
}

bool split_run_event(struct view run, struct split_texts *texts, struct split_problem *out_problem)
{
    struct view location = run;
    struct view event;
    if (!split_take_event(&location, &event) || event.size == 0)
        return missing(out_problem, "event");
    if (location.data == NULL)
        location = VIEW_LITERAL("");
    location = view_trim(location);
    if (!split_check_location(location, "location", out_problem))
        return false;
    texts->type = split_text(event, &texts->type_scratch);
    texts->location = split_text(location, &texts->location_scratch);
    return split_check_location(texts->location, "location", out_problem);
}

static inline bool is_printed(char byte)
{
    return (unsigned char)byte > ' ';
}

bool split_plain_run_event(struct view run, struct view *out_type, struct view *out_location)
{
    const size_t comma = csv_find_near(run, ',');
    if (comma == 0 || comma + 1 >= run.size || run.data[comma + 1] == '"' || run.data[0] == '"' ||
        !is_printed(run.data[0]) || !is_printed(run.data[comma - 1]) ||
        !is_printed(run.data[comma + 1]) || !is_printed(run.data[run.size - 1]))
        return false;
    *out_type = view_slice(run, 0, comma);
    *out_location = view_slice(run, comma + 1, run.size);
    return true;
}

void split_run_r4(struct view run, struct split_texts *texts)
{
    struct view name = run;
    struct view invocation;
    if (!csv_field_take_last(&name, ',', &invocation))
        name = VIEW_LITERAL("");
    texts->type = split_text(name, &texts->type_scratch);
    texts->location = VIEW_LITERAL("");
}

void split_texts_free(struct split_texts *texts)
{
    bytes_free(&texts->type_scratch);
    bytes_free(&texts->location_scratch);
}
