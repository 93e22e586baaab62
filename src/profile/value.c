#include "value.h"

enum { PROVENANCE_SHIFT = 5, KIND_MASK = 31 };

const char *provenance_name(enum provenance provenance)
{
    static const char *const names[] = {"absent", "measured", "modelled", "derived"};
    return names[provenance & 3];
}

static void add_head(struct bytes *list, uint32_t key, enum value_kind kind,
                     enum provenance provenance)
{
    unsigned char *to = bytes_reserve(list, VARINT_MOST + 1);
    unsigned char *end = varint_put(to, key);
    *end++ = (unsigned char)((unsigned)kind | (unsigned)provenance << PROVENANCE_SHIFT);
    list->size += (size_t)(end - to);
}

void value_add(struct bytes *list, const struct value *value)
{
    add_head(list, value->key, value->kind, value->provenance);
    switch (value->kind) {
    case VALUE_INT:
        bytes_append_varint(list, varint_fold((int64_t)value->number));
        break;
    case VALUE_REAL:
        bytes_append(list, &value->real, sizeof value->real);
        break;
    case VALUE_TEXT:
    case VALUE_JSON:
        bytes_append_text(list, value->text);
        break;
    case VALUE_TICKS:
        bytes_append_varint(list, value->clock);
        bytes_append_varint(list, value->number);
        bytes_append_varint(list, varint_fold((int64_t)(value->end - value->number)));
        break;
    default:
        bytes_append_varint(list, value->number);
        break;
    }
}

void value_add_number(struct bytes *list, uint32_t key, enum value_kind kind, uint64_t number)
{
    unsigned char *to = bytes_reserve(list, 2 * VARINT_MOST + 1);
    unsigned char *end = varint_put(to, key);
    *end++ = (unsigned char)kind;
    end = varint_put(end, kind == VALUE_INT ? varint_fold((int64_t)number) : number);
    list->size += (size_t)(end - to);
}

void value_add_uint(struct bytes *list, uint32_t key, uint64_t number)
{
    value_add_number(list, key, VALUE_UINT, number);
}

void value_add_string(struct bytes *list, uint32_t key, uint32_t string)
{
    value_add_number(list, key, VALUE_STRING, string);
}

static void add_text(struct bytes *list, uint32_t key, enum value_kind kind, struct view text)
{
    unsigned char *to = bytes_reserve(list, 2 * VARINT_MOST + 1 + text.size);
    unsigned char *end = varint_put(to, key);
    *end++ = (unsigned char)kind;
    end = varint_put(end, text.size);
    if (text.size > 0)
        memcpy(end, text.data, text.size);
    list->size += (size_t)(end - to) + text.size;
}

void value_add_text(struct bytes *list, uint32_t key, struct view text)
{
    add_text(list, key, VALUE_TEXT, text);
}

void value_add_json(struct bytes *list, uint32_t key, struct view json)
{
    add_text(list, key, VALUE_JSON, json);
}

void value_add_flow(struct bytes *list, enum value_kind kind, uint64_t flow)
{
    add_head(list, 0, kind, PROVENANCE_ABSENT);
    bytes_append_varint(list, flow);
}

static bool get_text(struct value_reader *reader, struct view *out_text)
{
    uint64_t size;
    if (!varint_get(&reader->at, reader->end, &size) || size > (uint64_t)(reader->end - reader->at))
        return false;
    *out_text = (struct view){(const char *)reader->at, size};
    reader->at += size;
    return true;
}

static bool get_ticks(struct value_reader *reader, struct value *value)
{
    uint64_t duration;
    if (!varint_get_u32(&reader->at, reader->end, &value->clock) ||
        !varint_get(&reader->at, reader->end, &value->number) ||
        !varint_get(&reader->at, reader->end, &duration))
        return false;
    value->end = value->number + (uint64_t)varint_unfold(duration);
    return true;
}

static bool get_payload(struct value_reader *reader, struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        if (!varint_get(&reader->at, reader->end, &value->number))
            return false;
        value->number = (uint64_t)varint_unfold(value->number);
        return true;
    case VALUE_REAL:
        if ((size_t)(reader->end - reader->at) < sizeof value->real)
            return false;
        memcpy(&value->real, reader->at, sizeof value->real);
        reader->at += sizeof value->real;
        return true;
    case VALUE_TEXT:
    case VALUE_JSON:
        return get_text(reader, &value->text);
    case VALUE_TICKS:
        return get_ticks(reader, value);
    default:
        return varint_get(&reader->at, reader->end, &value->number);
    }
}

bool value_next(struct value_reader *reader, struct value *out_value)
{
    const unsigned char *start = reader->at;
    uint32_t key;
    if (!varint_get_u32(&reader->at, reader->end, &key) || reader->at == reader->end) {
        reader->at = start;
        return false;
    }
    const unsigned char head = *reader->at++;
    out_value->key = key;
    out_value->kind = (enum value_kind)(head & KIND_MASK);
    out_value->provenance = (enum provenance)(head >> PROVENANCE_SHIFT & 3);
    if (out_value->kind >= VALUE_KINDS || !get_payload(reader, out_value)) {
        reader->at = start;
        return false;
    }
    return true;
}

bool value_skip(struct value_reader *reader, uint32_t *out_key)
{
    const unsigned char *at = reader->at;
    const unsigned char *end = reader->end;
    uint64_t key;
    uint64_t number = 0; // what comes last, in most kinds all there is
    uint64_t size = 0;   // and what follows it
    if (!varint_get_short(&at, end, &key) || key > UINT32_MAX || at == end)
        return false;
    const enum value_kind kind = (enum value_kind)(*at++ & KIND_MASK);
    if (kind >= VALUE_KINDS)
        return false;
    if (kind == VALUE_REAL)
        size = sizeof(double);
    else if (kind == VALUE_TICKS &&
             (!varint_get_short(&at, end, &number) || !varint_get_short(&at, end, &number)))
        return false;
    if (kind != VALUE_REAL && !varint_get_short(&at, end, &number))
        return false;
    if (kind == VALUE_TEXT || kind == VALUE_JSON)
        size = number;
    if (size > (uint64_t)(end - at))
        return false;
    *out_key = (uint32_t)key;
    reader->at = at + size;
    return true;
}

bool value_sample(struct view list, double *out_number)
{
    struct value_reader reader = value_read(list);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != 0)
            continue;
        if (value.kind == VALUE_REAL)
            *out_number = value.real;
        else if (value.kind == VALUE_INT)
            *out_number = (double)(int64_t)value.number;
        else if (value.kind == VALUE_UINT || value.kind == VALUE_BOOL)
            *out_number = (double)value.number;
        else
            continue;
        return true;
    }
    return false;
}
