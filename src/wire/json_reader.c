#include "json_reader.h"

struct json_reader {
    const char *start;
    const char *at;
    const char *end;
    struct arena *arena;
    unsigned depth;
};

static status json_reader_read_value(struct json_reader *reader, struct json_value *value);

static status json_reader_fail(const struct json_reader *reader, const char *expected)
{
    if (reader->at == reader->end)
        return status_make(STATUS_DATA, "byte %zu: the text ends; expected %s",
                           (size_t)(reader->at - reader->start), expected);
    return status_make(STATUS_DATA, "byte %zu: expected %s", (size_t)(reader->at - reader->start),
                       expected);
}

static void json_reader_skip_blanks(struct json_reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
                                        *reader->at == '\t' || *reader->at == '\r'))
        reader->at++;
}

static bool json_reader_accept_byte(struct json_reader *reader, char byte)
{
    if (reader->at == reader->end || *reader->at != byte)
        return false;
    reader->at++;
    return true;
}

static bool json_reader_take_word(struct json_reader *reader, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0)
        return false;
    reader->at += size;
    return true;
}

static size_t take_digits(struct json_reader *reader)
{
    const char *from = reader->at;
    while (reader->at < reader->end && (unsigned)(*reader->at - '0') <= 9)
        reader->at++;
    return (size_t)(reader->at - from);
}

static status json_reader_read_number(struct json_reader *reader, struct json_value *value)
{
    const char *from = reader->at;
    json_reader_accept_byte(reader, '-');
    const char *digits = reader->at;
    const size_t count = take_digits(reader);
    if (count == 0 || (count > 1 && *digits == '0'))
        return json_reader_fail(reader, "a value");
    if (json_reader_accept_byte(reader, '.') && take_digits(reader) == 0)
        return json_reader_fail(reader, "digits after the point");
    if (json_reader_accept_byte(reader, 'e') || json_reader_accept_byte(reader, 'E')) {
        if (!json_reader_accept_byte(reader, '+'))
            json_reader_accept_byte(reader, '-');
        if (take_digits(reader) == 0)
            return json_reader_fail(reader, "digits of an exponent");
    }
    value->kind = JSON_NUMBER;
    value->text = (struct view){from, (size_t)(reader->at - from)};
    return STATUS_OK;
}

static int digit_of(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    const char lower = (char)(byte | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The four hexadecimal digits after "\u".
static status read_unit(struct json_reader *reader, uint32_t *out_unit)
{
    *out_unit = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = reader->at < reader->end ? digit_of(*reader->at) : -1;
        if (digit < 0)
            return json_reader_fail(reader, "four hexadecimal digits");
        *out_unit = *out_unit << 4 | (uint32_t)digit;
        reader->at++;
    }
    return STATUS_OK;
}

// Half of a surrogate pair on its own becomes the replacement character.
static status read_code_point(struct json_reader *reader, uint32_t *out_code)
{
    STATUS_TRY(read_unit(reader, out_code));
    if (*out_code < 0xd800 || *out_code > 0xdfff)
        return STATUS_OK;
    const uint32_t high = *out_code;
    *out_code = 0xfffd;
    if (high > 0xdbff || !json_reader_take_word(reader, "\\u"))
        return STATUS_OK;
    uint32_t low;
    STATUS_TRY(read_unit(reader, &low));
    if (low >= 0xdc00 && low <= 0xdfff)
        *out_code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return STATUS_OK;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xf0u << (3 - more)) | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | ((code >> (6 * i)) & 0x3f));
    return to;
}

static status read_escape(struct json_reader *reader, char **to)
{
    static const char LETTERS[] = "\"\\/bfnrt";
    static const char MEANINGS[] = "\"\\/\b\f\n\r\t";
    if (json_reader_accept_byte(reader, 'u')) {
        uint32_t code;
        STATUS_TRY(read_code_point(reader, &code));
        *to = put_utf8(*to, code);
        return STATUS_OK;
    }
    const char *found =
        reader->at < reader->end && *reader->at != '\0' ? strchr(LETTERS, *reader->at) : NULL;
    if (found == NULL)
        return json_reader_fail(reader, "an escape: one of \" \\ / b f n r t u");
    *(*to)++ = MEANINGS[found - LETTERS];
    reader->at++;
    return STATUS_OK;
}

// An escape is never shorter than what it stands for.
static status read_escaped(struct json_reader *reader, const char *from, const char *stop,
                           struct view *out_text)
{
    char *text = arena_allocate(reader->arena, (size_t)(stop - from) + 1);
    char *to = text;
    reader->at = from;
    while (reader->at < stop) {
        if (*reader->at != '\\') {
            *to++ = *reader->at++;
            continue;
        }
        reader->at++;
        STATUS_TRY(read_escape(reader, &to));
    }
    *out_text = (struct view){text, (size_t)(to - text)};
    return STATUS_OK;
}

static status json_reader_read_text(struct json_reader *reader, struct view *out_text)
{
    if (!json_reader_accept_byte(reader, '"'))
        return json_reader_fail(reader, "a text");
    const char *from = reader->at;
    bool escapes = false;
    while (reader->at < reader->end && *reader->at != '"') {
        if ((unsigned char)*reader->at < 0x20)
            return json_reader_fail(reader, "no control character inside a text");
        const bool escape = *reader->at == '\\';
        escapes = escapes || escape;
        reader->at += escape && reader->end - reader->at > 1 ? 2 : 1;
    }
    const char *stop = reader->at;
    if (reader->at == reader->end)
        return json_reader_fail(reader, "'\"' at the end of a text");
    *out_text = (struct view){from, (size_t)(stop - from)};
    if (escapes)
        STATUS_TRY(read_escaped(reader, from, stop, out_text));
    reader->at = stop + 1;
    return STATUS_OK;
}

static struct json_value *json_reader_add_item(struct json_reader *reader,
                                               struct json_value *parent, struct json_value *last)
{
    struct json_value *item = arena_allocate(reader->arena, sizeof *item);
    *item = (struct json_value){0};
    if (last == NULL)
        parent->first = item;
    else
        last->next = item;
    parent->count++;
    return item;
}

static status read_member(struct json_reader *reader, struct json_value *member)
{
    STATUS_TRY(json_reader_read_text(reader, &member->key));
    json_reader_skip_blanks(reader);
    if (!json_reader_accept_byte(reader, ':'))
        return json_reader_fail(reader, "':'");
    return json_reader_read_value(reader, member);
}

static status json_reader_read_items(struct json_reader *reader, struct json_value *parent,
                                     char closing)
{
    struct json_value *last = NULL;
    json_reader_skip_blanks(reader);
    if (json_reader_accept_byte(reader, closing))
        return STATUS_OK;
    for (;;) {
        last = json_reader_add_item(reader, parent, last);
        json_reader_skip_blanks(reader);
        STATUS_TRY(parent->kind == JSON_OBJECT ? read_member(reader, last)
                                               : json_reader_read_value(reader, last));
        json_reader_skip_blanks(reader);
        if (json_reader_accept_byte(reader, closing))
            return STATUS_OK;
        if (!json_reader_accept_byte(reader, ','))
            return json_reader_fail(reader, closing == '}' ? "',' or '}'" : "',' or ']'");
    }
}

static status read_nested(struct json_reader *reader, struct json_value *value, char closing)
{
    if (reader->depth == JSON_READ_DEPTH_MOST)
        return status_make(STATUS_LIMIT, "byte %zu: nested more than %d deep",
                           (size_t)(reader->at - reader->start), (int)JSON_READ_DEPTH_MOST);
    reader->depth++;
    value->kind = closing == '}' ? JSON_OBJECT : JSON_ARRAY;
    STATUS_TRY(json_reader_read_items(reader, value, closing));
    reader->depth--;
    return STATUS_OK;
}

static status json_reader_read_value(struct json_reader *reader, struct json_value *value)
{
    json_reader_skip_blanks(reader);
    if (json_reader_accept_byte(reader, '{'))
        return read_nested(reader, value, '}');
    if (json_reader_accept_byte(reader, '['))
        return read_nested(reader, value, ']');
    if (reader->at < reader->end && *reader->at == '"') {
        value->kind = JSON_TEXT;
        return json_reader_read_text(reader, &value->text);
    }
    if (json_reader_take_word(reader, "null"))
        return STATUS_OK;
    value->truth = json_reader_take_word(reader, "true");
    if (value->truth || json_reader_take_word(reader, "false")) {
        value->kind = JSON_BOOL;
        return STATUS_OK;
    }
    return json_reader_read_number(reader, value);
}

status json_read(struct view text, struct arena *arena, const struct json_value **out_value)
{
    struct json_reader reader = {text.data, text.data, text.data + text.size, arena, 0};
    struct json_value *value = arena_allocate(arena, sizeof *value);
    *value = (struct json_value){0};
    *out_value = value;
    STATUS_TRY(json_reader_read_value(&reader, value));
    json_reader_skip_blanks(&reader);
    return reader.at == reader.end ? STATUS_OK
                                   : json_reader_fail(&reader, "nothing after the value");
}

size_t json_decode(struct view text, char *to)
{
    struct json_reader reader = {text.data, text.data, text.data + text.size, NULL, 0};
    char *start = to;
    while (reader.at < reader.end) {
        const char *escape = reader.at++;
        char *before = to;
        if (*escape == '\\') {
            const status failure = read_escape(&reader, &to);
            if (failure == STATUS_OK)
                continue;
            status_free(failure);
        }
        to = before;
        reader.at = escape + 1;
        *to++ = *escape;
    }
    return (size_t)(to - start);
}

const struct json_value *json_find(const struct json_value *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    const struct json_value *found = NULL;
    for (const struct json_value *item = object->first; item != NULL; item = item->next) {
        if (view_is(item->key, key))
            found = item;
    }
    return found;
}

struct view json_text_of(const struct json_value *value)
{
    return value != NULL && value->kind == JSON_TEXT ? value->text : (struct view){"", 0};
}

bool json_u64_of(const struct json_value *value, uint64_t *out_number)
{
    return value != NULL && (value->kind == JSON_NUMBER || value->kind == JSON_TEXT) &&
           view_to_u64(value->text, out_number);
}
