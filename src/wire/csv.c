#include "csv.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_line_break(char byte)
{
    return byte == '\n' || byte == '\r';
}

struct csv_lines csv_lines_of(struct view bytes)
{
    if (view_starts_with(bytes, "\xef\xbb\xbf"))
        bytes = view_slice(bytes, 3, bytes.size);
    if (bytes.size == 0)
        return (struct csv_lines){0};
    return (struct csv_lines){bytes.data, bytes.data + bytes.size, 0};
}

struct csv_lines csv_lines_cut(struct csv_lines *lines, size_t size)
{
    struct csv_lines cut = {lines->at, lines->end, 0};
    if ((size_t)(lines->end - lines->at) > size) {
        const char *newline =
            memchr(lines->at + size, '\n', (size_t)(lines->end - lines->at) - size);
        cut.end = newline != NULL ? newline + 1 : lines->end;
    }
    lines->at = cut.end;
    return cut;
}

// Up to `size` bytes after the lines that were given, if there are as many. True: no more will
// come.
static bool csv_reach(struct csv_lines *lines, const struct input *input, size_t size)
{
    const size_t at = (size_t)(lines->at - input->bytes.data);
    const bool whole = input_reach(input, (uint64_t)at + size);
    lines->end = input->bytes.data + input->bytes.size;
    return whole;
}

struct csv_lines csv_lines_cut_input(struct csv_lines *lines, const struct input *input,
                                     size_t size)
{
    for (size_t ahead = size;; ahead *= 2) {
        const bool whole = csv_reach(lines, input, ahead + 1);
        struct csv_lines rest = *lines;
        const struct csv_lines cut = csv_lines_cut(&rest, size);
        if (!whole && rest.at == rest.end)
            continue;
        *lines = rest;
        return cut;
    }
}

bool csv_line_next_input(struct csv_lines *lines, const struct input *input,
                         struct csv_line *out_line)
{
    enum { LINE = 4096 };
    for (size_t ahead = LINE;; ahead *= 2) {
        const bool whole = csv_reach(lines, input, ahead);
        struct csv_lines rest = *lines;
        const bool found = csv_line_next(&rest, out_line);
        if (!whole && (!found || !out_line->terminated))
            continue;
        *lines = rest;
        return found;
    }
}

bool csv_lines_are_there(const struct csv_lines *lines, const struct input *input, size_t size)
{
    return input_is_there(input, (uint64_t)(lines->at - input->bytes.data) + 2 * size);
}

bool csv_lines_follow(struct csv_lines *lines, const struct input *input)
{
    csv_reach(lines, input, 1);
    return lines->at < lines->end;
}

bool csv_field_take(struct view *rest, char separator, struct view *out_field)
{
    if (rest->data == NULL)
        return false;
    const size_t stop = view_find(*rest, separator);
    *out_field = view_trim(view_slice(*rest, 0, stop));
    *rest = csv_after(*rest, stop);
    return true;
}

// The byte after the closing quote of the field that is opened at `at`, or
// NULL when it never comes. `*lines` counts the newlines inside.
static const char *quoted_end(const char *at, const char *end, char quote, uint64_t *lines)
{
    if (end - at > CSV_RECORD_MOST)
        end = at + CSV_RECORD_MOST;
    for (at++; at < end; at++) {
        if (*at == '\n')
            *lines += 1;
        if (*at != quote)
            continue;
        if (at + 1 < end && at[1] == quote)
            at++;
        else
            return at + 1;
    }
    return NULL;
}

bool csv_quoted_take(struct view *rest, char separator, struct view *out_field)
{
    const struct view text = view_trim(*rest);
    uint64_t lines = 0;
    if (text.size == 0 || text.data[0] != '"')
        return false;
    const char *stop = quoted_end(text.data, text.data + text.size, '"', &lines);
    if (stop == NULL)
        return false;
    const struct view field = {text.data, (size_t)(stop - text.data)};
    const struct view tail = view_trim(view_slice(text, field.size, text.size));
    if (tail.size > 0 && tail.data[0] != separator)
        return false;
    *out_field = field;
    *rest = csv_after(tail, 0);
    return true;
}

// Where the quoted field starts whose closing quote is the last byte of
// `text`; `text.size` when it is none. A run of quotes is a closing quote or
// an opening one with pairs beside it when it is odd, pairs alone when even.
static size_t quoted_start(struct view text, char separator)
{
    size_t at = text.size;
    bool closing = true;
    while (at > 0) {
        const size_t run_end = at;
        while (at > 0 && text.data[at - 1] == '"')
            at--;
        size_t before = at;
        while (before > 0 && csv_is_blank(text.data[before - 1]))
            before--;
        const bool odd = (run_end - at) % 2 == 1;
        const bool at_start = before == 0 || text.data[before - 1] == separator;
        if (odd != closing)
            return at_start ? at : text.size;
        closing = false;
        while (at > 0 && text.data[at - 1] != '"')
            at--;
    }
    return text.size;
}

bool csv_field_take_last(struct view *rest, char separator, struct view *out_field)
{
    const struct view text = view_trim(*rest);
    size_t start = text.size;
    if (text.size > 1 && text.data[text.size - 1] == '"')
        start = quoted_start(text, separator);
    if (start < text.size) {
        // Blanks may lie between the separator and the opening quote.
        const struct view front = view_trim(view_slice(text, 0, start));
        if (front.size == 0)
            return false;
        *out_field = view_slice(text, start, text.size);
        *rest = view_slice(front, 0, front.size - 1);
        return true;
    }
    const size_t last = view_find_last(text, separator);
    if (last == text.size)
        return false;
    *out_field = view_trim(view_slice(text, last + 1, text.size));
    *rest = view_slice(text, 0, last);
    return true;
}

// Copies `text` with every doubled quote made single; false at a lone one.
static bool undouble(struct view text, char quote, struct bytes *to)
{
    for (size_t at = 0; at < text.size;) {
        const struct view left = view_slice(text, at, text.size);
        const size_t plain = view_find(left, quote);
        if (plain == left.size) {
            bytes_append(to, left.data, left.size);
            return true;
        }
        if (plain + 1 == left.size || left.data[plain + 1] != quote)
            return false;
        bytes_append(to, left.data, plain + 1);
        at += plain + 2;
    }
    return true;
}

bool csv_field_unquote(struct view field, char quote, struct bytes *scratch, struct view *out_text)
{
    if (field.size < 2 || field.data[0] != quote || field.data[field.size - 1] != quote)
        return false;
    const struct view inner = view_slice(field, 1, field.size - 1);
    if (view_find(inner, quote) == inner.size) {
        *out_text = inner;
        return true;
    }
    scratch->size = 0;
    if (!undouble(inner, quote, scratch))
        return false;
    *out_text = bytes_view(scratch);
    return true;
}

struct csv_records csv_records_of(struct view bytes, char separator, char quote)
{
    return (struct csv_records){
        .lines = csv_lines_of(bytes), .separator = separator, .quote = quote};
}

void csv_records_free(struct csv_records *records)
{
    free(records->fields);
    bytes_free(&records->unquoted);
    *records = (struct csv_records){0};
}

// Where the record that starts at `at` ends: at its newline or at `end`. NULL
// when a quoted field in it never closes.
static const char *csv_record_end(const struct csv_records *records, const char *at,
                                  uint64_t *lines)
{
    const char *end = records->lines.end;
    for (bool field_starts = true; at < end && *at != '\n';) {
        if (field_starts && records->quote != '\0' && *at == records->quote) {
            at = quoted_end(at, end, records->quote, lines);
            if (at == NULL)
                return NULL;
            field_starts = false;
            continue;
        }
        field_starts = *at == records->separator;
        at++;
    }
    return at;
}

static void add_field(struct csv_records *records, struct view text)
{
    records->fields =
        memory_grow(records->fields, records->count, &records->capacity, sizeof *records->fields);
    records->fields[records->count++] = text;
}

// The text of a field that starts with a quote: what is quoted, and what
// follows the closing quote. `unquoted` has room for it.
static struct view quoted_text(struct csv_records *records, struct view field)
{
    const char quote = records->quote;
    uint64_t lines = 0;
    const char *stop = quoted_end(field.data, field.data + field.size, quote, &lines);
    const struct view inner = {field.data + 1, (size_t)(stop - field.data) - 2};
    const struct view tail = {stop, (size_t)(field.data + field.size - stop)};
    if (tail.size == 0 && view_find(inner, quote) == inner.size)
        return inner;
    const size_t from = records->unquoted.size;
    undouble(inner, quote, &records->unquoted);
    bytes_append(&records->unquoted, tail.data, tail.size);
    return view_slice(bytes_view(&records->unquoted), from, records->unquoted.size);
}

static void split_record(struct csv_records *records, struct view record)
{
    records->count = 0;
    records->unquoted.size = 0;
    bytes_reserve(&records->unquoted, record.size + 1);
    const char *end = record.data + record.size;
    for (const char *at = record.data;; at++) {
        const char *start = at;
        uint64_t lines = 0;
        const bool quoted = at < end && records->quote != '\0' && *at == records->quote;
        if (quoted)
            at = quoted_end(at, end, records->quote, &lines);
        const char *stop = at < end ? memchr(at, records->separator, (size_t)(end - at)) : NULL;
        at = stop != NULL ? stop : end;
        const struct view field = {start, (size_t)(at - start)};
        add_field(records, quoted ? quoted_text(records, field) : field);
        if (stop == NULL)
            return;
    }
}

enum csv_result csv_record_next(struct csv_records *records)
{
    struct csv_lines *lines = &records->lines;
    if (lines->at == lines->end)
        return CSV_END;
    const char *start = lines->at;
    uint64_t inner = 0;
    const char *end = csv_record_end(records, start, &inner);
    if (end == NULL) {
        struct csv_line skipped = {0};
        csv_line_next(lines, &skipped);
        records->number = skipped.number;
        records->count = 0;
        return CSV_UNCLOSED;
    }
    records->number = lines->number + 1;
    records->terminated = end < lines->end;
    lines->number += 1 + inner;
    lines->at = records->terminated ? end + 1 : end;
    if (end > start && end[-1] == '\r')
        end--;
    split_record(records, (struct view){start, (size_t)(end - start)});
    return CSV_RECORD;
}

static bool needs_quotes(struct view text, char separator)
{
    if (text.size == 0)
        return false;
    if (csv_is_blank(text.data[0]) || csv_is_blank(text.data[text.size - 1]))
        return true;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == separator || text.data[i] == '"' || is_line_break(text.data[i]))
            return true;
    }
    return false;
}

void csv_field_append(struct bytes *row, struct view text, char separator)
{
    if (needs_quotes(text, separator))
        csv_field_append_quoted(row, text);
    else
        bytes_append(row, text.data, text.size);
}

void csv_field_append_quoted(struct bytes *row, struct view text)
{
    bytes_append(row, "\"", 1);
    for (size_t at = 0; at < text.size;) {
        const struct view left = view_slice(text, at, text.size);
        const size_t plain = view_find(left, '"');
        bytes_append(row, left.data, plain);
        at += plain;
        if (plain < left.size) {
            bytes_append(row, "\"\"", 2);
            at++;
        }
    }
    bytes_append(row, "\"", 1);
}
