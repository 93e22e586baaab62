#include "values.h"

// Numbers ---------------------------------------------------------------------

// At most 15 digits and a power of ten up to 22 are exact in a double, and so is their quotient
// but for one rounding.
static bool plain_real(struct view text, double *out_real)
{
    static const double POWERS[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = text.data[0] == '-';
    uint64_t digits = 0;
    size_t count = 0;
    size_t behind = 0;
    bool point = false;
    for (size_t i = negative; i < text.size; i++) {
        if (text.data[i] == '.' && !point) {
            point = true;
            continue;
        }
        if ((unsigned)(text.data[i] - '0') > 9 || ++count > 15)
            return false;
        digits = digits * 10 + (uint64_t)(text.data[i] - '0');
        behind += point;
    }
    if (count == 0)
        return false;
    const double real = (double)digits / POWERS[behind];
    *out_real = negative ? -real : real;
    return true;
}

static bool values_whole_number(struct view text, struct value *out_value)
{
    if (text.data[0] != '-') {
        out_value->kind = VALUE_UINT;
        return view_to_u64(text, &out_value->number);
    }
    int64_t number;
    if (!view_to_i64(text, &number) || number == 0)
        return false;
    out_value->kind = VALUE_INT;
    out_value->number = (uint64_t)number;
    return true;
}

bool chrome_values_number(struct view text, struct value *out_value)
{
    if (text.size == 0 || ((unsigned)(text.data[0] - '0') > 9 && text.data[0] != '-'))
        return false;
    if (values_whole_number(text, out_value))
        return true;
    out_value->kind = VALUE_REAL;
    return plain_real(text, &out_value->real) || view_to_double(text, &out_value->real);
}

// Names below others ----------------------------------------------------------

static bool values_push_name(struct chrome_values *values, struct view name)
{
    const size_t dot = values->path_size > 0;
    if (values->path_size + dot + name.size > CHROME_VALUES_KEY)
        return false;
    if (dot)
        values->path[values->path_size++] = '.';
    if (name.size > 0)
        memcpy(values->path + values->path_size, name.data, name.size);
    values->path_size += name.size;
    return true;
}

static bool values_push_index(struct chrome_values *values, uint64_t index)
{
    if (values->path_size > CHROME_VALUES_KEY)
        return false;
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    char *to = values->path + values->path_size;
    *to++ = '[';
    while (count > 0)
        *to++ = digits[--count];
    *to++ = ']';
    values->path_size = (size_t)(to - values->path);
    return true;
}

static uint32_t values_path_key(struct chrome_values *values)
{
    return chrome_text_id(&values->keys, values->strings,
                          (struct view){values->path, values->path_size});
}

// Values ----------------------------------------------------------------------

// Integers beyond 2^63 are written as texts: no viewer reads them as numbers.
static bool is_large_number(struct view text, uint64_t *out_number)
{
    return (text.size == 19 || text.size == 20) && view_to_u64(text, out_number) &&
           *out_number > INT64_MAX;
}

static void values_add_text(struct chrome_values *values, uint32_t key, struct view raw)
{
    uint64_t number;
    values->scratch.size = 0;
    const struct view text = chrome_text_of(raw, &values->scratch);
    if (key == values->location_key)
        values->location = strings_add(values->strings, text);
    else if (is_large_number(text, &number))
        value_add_uint(values->list, key, number);
    else
        value_add_text(values->list, key, text);
}

// Up to 18 digits, as nearly all numbers are.
static bool add_small(struct chrome_values *values, uint32_t key, struct view raw)
{
    uint64_t number = 0;
    if (raw.size > 18)
        return false;
    for (size_t i = 0; i < raw.size; i++) {
        const unsigned digit = (unsigned)(raw.data[i] - '0');
        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    value_add_uint(values->list, key, number);
    return true;
}

static void values_add_scalar(struct chrome_values *values, uint32_t key, struct view raw)
{
    struct value value = {.key = key};
    if (key == 0 || raw.data[0] == 'n') {
        values->empty++;
    } else if (add_small(values, key, raw)) {
        return;
    } else if (raw.data[0] == '"') {
        values_add_text(values, key, raw);
    } else if (chrome_values_number(raw, &value)) {
        value_add(values->list, &value);
    } else if (view_is(raw, "true") || view_is(raw, "false")) {
        value.kind = VALUE_BOOL;
        value.number = raw.data[0] == 't';
        value_add(values->list, &value);
    } else { // NaN, Infinity ...: no JSON, but common
        value_add_text(values->list, key, raw);
    }
}

static void values_add_nested(struct chrome_values *values, struct view raw, unsigned depth)
{
    struct chrome_members members = chrome_members_of(raw);
    struct view key;
    struct view value;
    uint64_t index = 0;
    const size_t path_size = values->path_size;
    while (chrome_member_next(&members, &key, &value)) {
        values->scratch.size = 0;
        if (memchr(key.data, '\\', key.size) != NULL)
            key = chrome_text_of((struct view){key.data - 1, key.size + 2}, &values->scratch);
        const bool fits =
            members.array ? values_push_index(values, index) : values_push_name(values, key);
        const bool nested = value.data[0] == '{' || value.data[0] == '[';
        if (!fits || (nested && depth == CHROME_VALUES_DEPTH))
            values->unread++;
        else if (nested)
            values_add_nested(values, value, depth + 1);
        else
            values_add_scalar(values, values_path_key(values), value);
        values->path_size = path_size;
        index++;
    }
    values->empty += index == 0 && !members.damaged;
    values->unread += members.damaged;
}

// `id`: of the key.
static void add_member(struct chrome_values *values, uint32_t id, struct view value)
{
    if (value.data[0] != '{' && value.data[0] != '[') {
        values_add_scalar(values, id, value);
        return;
    }
    values->path_size = 0;
    if (id == 0)
        values->empty++;
    else if (values_push_name(values, strings_get(values->strings, id)))
        values_add_nested(values, value, 1);
    else
        values->unread++;
    values->path_size = 0;
}

void chrome_values_add_member(struct chrome_values *values, struct view key, struct view value)
{
    if (memchr(key.data, '\\', key.size) != NULL) {
        values->scratch.size = 0;
        key = chrome_text_of((struct view){key.data - 1, key.size + 2}, &values->scratch);
    }
    add_member(values, chrome_text_id(&values->keys, values->strings, key), value);
}

void chrome_values_add_members(struct chrome_values *values, const struct chrome_member *members,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct chrome_member *member = &members[i];
        const uint32_t id =
            chrome_text_id_kept(&values->keys, values->strings, member->key, member->key_id);
        if (member->is_small && id != 0)
            value_add_uint(values->list, id, member->number);
        else
            add_member(values, id, member->value);
    }
}

void chrome_values_add(struct chrome_values *values, struct view args)
{
    struct chrome_members members = chrome_members_of(args);
    struct view key;
    struct view value;
    while (chrome_member_next(&members, &key, &value))
        chrome_values_add_member(values, key, value);
    values->unread += members.damaged;
}

void chrome_values_free(struct chrome_values *values)
{
    bytes_free(&values->scratch);
}
