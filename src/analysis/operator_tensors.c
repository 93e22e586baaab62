#include "operator_tensors.h"

#include <stdio.h>

enum { TENSORS_MOST = 64 };

struct view operator_text_value(const struct profile *profile, uint32_t operator_id,
                                const char *key)
{
    const uint32_t id = strings_find(&profile->strings, view_of(key));
    struct value_reader reader = value_read(profile_operator(profile, operator_id)->values);
    struct value value;
    while (id != HASH_NONE && value_next(&reader, &value)) {
        if (value.key != id)
            continue;
        if (value.kind == VALUE_TEXT)
            return value.text;
        if (value.kind == VALUE_STRING)
            return profile_text(profile, (uint32_t)value.number);
    }
    return VIEW_LITERAL("");
}

// 1[1]x32[19]x768[768] as 1x32[19]x768: what is padded to itself is not padded.
static void append_shape(struct bytes *text, struct view shape)
{
    for (struct view rest = shape; rest.size > 0;) {
        const size_t end = view_find(rest, 'x');
        const struct view side = view_slice(rest, 0, end);
        const struct view padded = view_slice(side, 0, view_find(side, '['));
        const struct view logical = view_slice(side, padded.size, side.size);
        const bool same = logical.size == padded.size + 2 &&
                          memcmp(logical.data + 1, padded.data, padded.size) == 0;
        bytes_append_format(text, "%.*s%s", VIEW_ARGUMENTS(same ? padded : side),
                            end < rest.size ? "x" : "");
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
}

struct view operator_tensors(const struct profile *profile, uint32_t operator_id, const char *side,
                             struct bytes *text)
{
    char key[32];
    snprintf(key, sizeof key, "%ss", side);
    const struct view whole = operator_text_value(profile, operator_id, key);
    if (whole.size > 0)
        return whole;
    for (unsigned i = 0; i < TENSORS_MOST; i++) {
        snprintf(key, sizeof key, "%s_%u.shape", side, i);
        const struct view shape = operator_text_value(profile, operator_id, key);
        if (shape.size == 0)
            break;
        snprintf(key, sizeof key, "%s_%u.datatype", side, i);
        bytes_append_format(text, "%s", i > 0 ? ", " : "");
        append_shape(text, shape);
        bytes_append_format(text, " %.*s",
                            VIEW_ARGUMENTS(operator_text_value(profile, operator_id, key)));
    }
    return view_trim(bytes_view(text));
}
