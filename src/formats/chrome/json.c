#include "json.h"

#include "wire/json_reader.h"

struct chrome_members chrome_members_of(struct view value)
{
    if (value.size < 2 || (value.data[0] != '{' && value.data[0] != '['))
        return (struct chrome_members){.at = value.data, .end = value.data};
    return (struct chrome_members){
        .at = value.data + 1, .end = value.data + value.size, .array = value.data[0] == '['};
}

static const char *take_key(const char *at, const char *end, struct view *out_key)
{
    bool escapes;
    if (at == end || *at != '"')
        return NULL;
    const char *stop = scan_text(at + 1, end, &escapes);
    if (stop == end)
        return NULL;
    *out_key = (struct view){at + 1, (size_t)(stop - at - 1)};
    at = scan_blanks(stop + 1, end);
    return at < end && *at == ':' ? scan_blanks(at + 1, end) : NULL;
}

bool chrome_member_next(struct chrome_members *members, struct view *out_key,
                        struct view *out_value)
{
    const char *end = members->end;
    const char *at = scan_blanks(members->at, end);
    if (at < end && *at == ',')
        at = scan_blanks(at + 1, end);
    members->at = end;
    *out_key = VIEW_LITERAL("");
    if (end - at <= 1)
        return false;
    if (!members->array)
        at = take_key(at, end, out_key);
    const char *stop = at != NULL ? scan_value(at, end) : NULL;
    members->damaged = stop == NULL;
    if (stop == NULL)
        return false;
    *out_value = (struct view){at, (size_t)(stop - at)};
    members->at = stop;
    return true;
}

struct view chrome_find(struct view object, const char *key)
{
    struct chrome_members members = chrome_members_of(object);
    const struct view wanted = view_of(key);
    struct view name;
    struct view value;
    while (!members.array && chrome_member_next(&members, &name, &value)) {
        if (view_equal(name, wanted))
            return value;
    }
    return VIEW_LITERAL("");
}

struct view chrome_text_of(struct view value, struct bytes *scratch)
{
    if (!chrome_is_text(value))
        return value;
    const struct view inner = {value.data + 1, value.size - 2};
    if (memchr(inner.data, '\\', inner.size) == NULL)
        return inner;
    char *to = (char *)bytes_reserve(scratch, inner.size);
    const struct view text = {to, json_decode(inner, to)};
    scratch->size += text.size;
    return text;
}

static struct view json_unquoted(struct view value)
{
    return chrome_is_text(value) ? (struct view){value.data + 1, value.size - 2} : value;
}

bool chrome_truth_of(struct view value)
{
    const struct view text = json_unquoted(value);
    return view_is(text, "true") || (text.size > 0 && text.data[0] >= '1' && text.data[0] <= '9');
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    const char lower = (char)(byte | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool hex_number(struct view digits, uint64_t *out_number)
{
    *out_number = 0;
    if (digits.size == 0)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        const int digit = hex_digit(digits.data[i]);
        if (digit < 0 || *out_number >> 60 != 0)
            return false;
        *out_number = *out_number << 4 | (uint64_t)digit;
    }
    return true;
}

bool chrome_number_of(struct view value, uint64_t *out_number)
{
    const struct view text = json_unquoted(value);
    if (text.size > 2 && text.data[0] == '0' && (text.data[1] | 32) == 'x')
        return hex_number(view_slice(text, 2, text.size), out_number);
    int64_t number;
    if (view_to_u64(text, out_number))
        return true;
    if (!view_to_i64(text, &number))
        return false;
    *out_number = (uint64_t)number;
    return true;
}
