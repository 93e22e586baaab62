#include "reader_annotations.h"

#include <stdio.h>

#include "fields.h"
#include "profile/value.h"
#include "wire/protobuf.h"

// The older form of dictionaries and arrays.
enum nested_field {
    NESTED_KEY = 2,
    NESTED_DICTIONARY_VALUE = 3,
    NESTED_ARRAY_VALUE = 4,
    NESTED_INT = 5,
    NESTED_DOUBLE = 6,
    NESTED_BOOL = 7,
    NESTED_STRING = 8,
};

// An annotation's fields, gone over once: its name may stand after its value.
struct annotation {
    bool has_name;
    bool name_is_interned;
    bool has_value;
    bool has_entries;
    bool has_items;
    uint64_t name_iid;
    struct view name;
    struct protobuf_field value;
};

static void reader_annotations_add_message(struct perfetto_annotations *annotations,
                                           struct view message, unsigned depth);

// Keys ------------------------------------------------------------------------

// False when the name does not fit after the names above it.
static bool reader_annotations_push_name(struct perfetto_annotations *annotations, struct view name)
{
    const size_t dot = annotations->path_size > 0;
    if (name.size > PERFETTO_ANNOTATION_KEY - annotations->path_size - dot ||
        annotations->path_size + dot > PERFETTO_ANNOTATION_KEY)
        return false;
    if (dot)
        annotations->path[annotations->path_size++] = '.';
    if (name.size > 0)
        memcpy(annotations->path + annotations->path_size, name.data, name.size);
    annotations->path_size += name.size;
    return true;
}

static bool reader_annotations_push_index(struct perfetto_annotations *annotations, uint64_t index)
{
    const size_t room = sizeof annotations->path - annotations->path_size;
    const int size = snprintf(annotations->path + annotations->path_size, room, "[%llu]",
                              (unsigned long long)index);
    if ((size_t)size >= room)
        return false;
    annotations->path_size += (size_t)size;
    return true;
}

static uint32_t reader_annotations_path_key(const struct perfetto_annotations *annotations)
{
    return strings_add(annotations->strings,
                       (struct view){annotations->path, annotations->path_size});
}

// The name's text; that of an undefined number tells the number.
static struct view name_text(struct perfetto_annotations *annotations,
                             const struct annotation *annotation, char *room, size_t size)
{
    uint32_t id;
    if (!annotation->name_is_interned)
        return annotation->name;
    if (perfetto_interned_find(&annotations->sequence->interned[PERFETTO_TEXT_ANNOTATION_NAME],
                               annotation->name_iid, &id))
        return strings_get(annotations->strings, id);
    annotations->unknown++;
    const int length =
        snprintf(room, size, "unknown(%llu)", (unsigned long long)annotation->name_iid);
    return (struct view){room, (size_t)length};
}

// A key without names above it needs no path, and may be of any length. 0 where
// the name is empty: values have names.
static uint32_t simple_key(struct perfetto_annotations *annotations,
                           const struct annotation *annotation)
{
    uint32_t id;
    char room[40];
    if (annotation->name_is_interned &&
        perfetto_interned_find(&annotations->sequence->interned[PERFETTO_TEXT_ANNOTATION_NAME],
                               annotation->name_iid, &id))
        return id;
    return strings_add(annotations->strings, name_text(annotations, annotation, room, sizeof room));
}

// Values ----------------------------------------------------------------------

static void reader_annotations_add_number(struct perfetto_annotations *annotations, uint32_t key,
                                          enum value_kind kind, uint64_t number)
{
    value_add_number(annotations->values, key, kind, number);
}

static void add_real(struct perfetto_annotations *annotations, uint32_t key, uint64_t bits)
{
    value_add(annotations->values,
              &(struct value){.key = key, .kind = VALUE_REAL, .real = protobuf_to_double(bits)});
}

static void reader_annotations_add_text(struct perfetto_annotations *annotations, uint32_t key,
                                        struct view text)
{
    if (key == annotations->location_key)
        annotations->location = strings_add(annotations->strings, text);
    else
        value_add_text(annotations->values, key, text);
}

static void add_interned(struct perfetto_annotations *annotations, uint32_t key, uint64_t iid)
{
    uint32_t id;
    if (!perfetto_interned_find(&annotations->sequence->interned[PERFETTO_TEXT_STRING], iid, &id))
        annotations->unknown++;
    else if (key == annotations->location_key)
        annotations->location = id;
    else
        value_add_string(annotations->values, key, id);
}

static void reader_annotations_add_scalar(struct perfetto_annotations *annotations, uint32_t key,
                                          const struct protobuf_field *value)
{
    switch (value->number) {
    case PERFETTO_ANNOTATION_BOOL:
        reader_annotations_add_number(annotations, key, VALUE_BOOL, value->value != 0);
        break;
    case PERFETTO_ANNOTATION_UINT:
        if (key == annotations->call_key && value->value <= annotations->calls &&
            value->value > 0) {
            annotations->call = (uint32_t)value->value;
            break;
        }
        reader_annotations_add_number(annotations, key, VALUE_UINT, value->value);
        break;
    case PERFETTO_ANNOTATION_POINTER:
        reader_annotations_add_number(annotations, key, VALUE_UINT, value->value);
        break;
    case PERFETTO_ANNOTATION_INT:
        reader_annotations_add_number(annotations, key, VALUE_INT, value->value);
        break;
    case PERFETTO_ANNOTATION_DOUBLE:
        add_real(annotations, key, value->value);
        break;
    case PERFETTO_ANNOTATION_STRING_IID:
        add_interned(annotations, key, value->value);
        break;
    default:
        reader_annotations_add_text(annotations, key, value->bytes);
        break;
    }
}

// The older nested form -------------------------------------------------------

static void reader_annotations_add_nested(struct perfetto_annotations *annotations,
                                          struct view message, unsigned depth);

static void add_nested_scalar(struct perfetto_annotations *annotations,
                              const struct protobuf_field *field)
{
    const uint32_t key = reader_annotations_path_key(annotations);
    if (key == 0)
        annotations->unread++;
    else if (field->number == NESTED_INT && field->type == PROTOBUF_VARINT)
        reader_annotations_add_number(annotations, key, VALUE_INT, field->value);
    else if (field->number == NESTED_BOOL && field->type == PROTOBUF_VARINT)
        reader_annotations_add_number(annotations, key, VALUE_BOOL, field->value != 0);
    else if (field->number == NESTED_DOUBLE && field->type == PROTOBUF_FIXED64)
        add_real(annotations, key, field->value);
    else if (field->number == NESTED_STRING && field->type == PROTOBUF_BYTES)
        reader_annotations_add_text(annotations, key, field->bytes);
}

// Moves on to the next field of a number; false when there is none.
static bool next_of(struct protobuf_reader *reader, uint32_t number, struct protobuf_field *field)
{
    while (protobuf_next(reader, field)) {
        if (field->number == number && field->type == PROTOBUF_BYTES)
            return true;
    }
    return false;
}

static void add_nested_member(struct perfetto_annotations *annotations, struct view message,
                              bool fits, unsigned depth, size_t path_size)
{
    if (fits)
        reader_annotations_add_nested(annotations, message, depth + 1);
    else
        annotations->unread++;
    annotations->path_size = path_size;
}

// Keys and values are two lists side by side.
static void reader_annotations_add_nested(struct perfetto_annotations *annotations,
                                          struct view message, unsigned depth)
{
    if (depth == PERFETTO_ANNOTATION_DEPTH) {
        annotations->unread++;
        return;
    }
    const size_t path_size = annotations->path_size;
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_reader keys = reader;
    struct protobuf_field field;
    struct protobuf_field name;
    uint64_t index = 0;
    while (protobuf_next(&reader, &field)) {
        if (field.number == NESTED_DICTIONARY_VALUE && field.type == PROTOBUF_BYTES)
            add_nested_member(annotations, field.bytes,
                              next_of(&keys, NESTED_KEY, &name) &&
                                  reader_annotations_push_name(annotations, name.bytes),
                              depth, path_size);
        else if (field.number == NESTED_ARRAY_VALUE && field.type == PROTOBUF_BYTES)
            add_nested_member(annotations, field.bytes,
                              reader_annotations_push_index(annotations, index++), depth,
                              path_size);
        else
            add_nested_scalar(annotations, &field);
    }
}

// Annotations -----------------------------------------------------------------

static bool is_value(const struct protobuf_field *field)
{
    switch (field->number) {
    case PERFETTO_ANNOTATION_BOOL:
    case PERFETTO_ANNOTATION_UINT:
    case PERFETTO_ANNOTATION_INT:
    case PERFETTO_ANNOTATION_POINTER:
    case PERFETTO_ANNOTATION_STRING_IID:
        return field->type == PROTOBUF_VARINT;
    case PERFETTO_ANNOTATION_DOUBLE:
        return field->type == PROTOBUF_FIXED64;
    case PERFETTO_ANNOTATION_STRING:
    case PERFETTO_ANNOTATION_JSON:
    case PERFETTO_ANNOTATION_NESTED:
        return field->type == PROTOBUF_BYTES;
    default:
        return false;
    }
}

static bool read_annotation(struct view message, struct annotation *out_annotation)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    *out_annotation = (struct annotation){.name = VIEW_LITERAL("")};
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_ANNOTATION_NAME_IID && field.type == PROTOBUF_VARINT) {
            out_annotation->has_name = true;
            out_annotation->name_is_interned = true;
            out_annotation->name_iid = field.value;
        } else if (field.number == PERFETTO_ANNOTATION_NAME && field.type == PROTOBUF_BYTES) {
            out_annotation->has_name = true;
            out_annotation->name_is_interned = false;
            out_annotation->name = field.bytes;
        } else if (field.type == PROTOBUF_BYTES) {
            out_annotation->has_entries |= field.number == PERFETTO_ANNOTATION_DICTIONARY_ENTRY;
            out_annotation->has_items |= field.number == PERFETTO_ANNOTATION_ARRAY_VALUE;
        }
        if (is_value(&field)) {
            out_annotation->has_value = true;
            out_annotation->value = field;
        }
    }
    return reader.ending == PROTOBUF_WHOLE;
}

// What a dictionary or an array holds. Items of an array have no names.
static void reader_annotations_add_members(struct perfetto_annotations *annotations,
                                           struct view message, unsigned depth)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    uint64_t index = 0;
    while (protobuf_next(&reader, &field)) {
        const size_t path_size = annotations->path_size;
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == PERFETTO_ANNOTATION_DICTIONARY_ENTRY)
            reader_annotations_add_message(annotations, field.bytes, depth + 1);
        else if (field.number != PERFETTO_ANNOTATION_ARRAY_VALUE)
            continue;
        else if (reader_annotations_push_index(annotations, index++))
            reader_annotations_add_message(annotations, field.bytes, depth + 1);
        else
            annotations->unread++;
        annotations->path_size = path_size;
    }
}

static bool reader_annotations_is_flat(const struct annotation *annotation)
{
    return annotation->has_value && annotation->value.number != PERFETTO_ANNOTATION_NESTED;
}

static void add_simple(struct perfetto_annotations *annotations,
                       const struct annotation *annotation, const struct protobuf_field *value)
{
    const uint32_t key = simple_key(annotations, annotation);
    if (key != 0)
        reader_annotations_add_scalar(annotations, key, value);
    else
        annotations->unread++;
}

static void reader_annotations_add_message(struct perfetto_annotations *annotations,
                                           struct view message, unsigned depth)
{
    struct annotation annotation;
    if (depth == PERFETTO_ANNOTATION_DEPTH || !read_annotation(message, &annotation) ||
        (depth == 0 && !annotation.has_name)) {
        annotations->unread++;
        return;
    }
    if (reader_annotations_is_flat(&annotation) && annotations->path_size == 0) {
        add_simple(annotations, &annotation, &annotation.value);
        return;
    }
    char room[40];
    if (annotation.has_name &&
        !reader_annotations_push_name(annotations,
                                      name_text(annotations, &annotation, room, sizeof room))) {
        annotations->unread++;
        return;
    }
    if (annotation.has_entries || annotation.has_items)
        reader_annotations_add_members(annotations, message, depth);
    else if (reader_annotations_is_flat(&annotation))
        reader_annotations_add_scalar(annotations, reader_annotations_path_key(annotations),
                                      &annotation.value);
    else if (annotation.has_value)
        reader_annotations_add_nested(annotations, annotation.value.bytes, depth + 1);
}

void perfetto_annotations_add(struct perfetto_annotations *annotations, struct view message)
{
    annotations->path_size = 0;
    reader_annotations_add_message(annotations, message, 0);
}

void perfetto_annotations_add_scalar(struct perfetto_annotations *annotations, uint64_t iid,
                                     const struct protobuf_field *value)
{
    uint32_t key;
    if (perfetto_interned_find(&annotations->sequence->interned[PERFETTO_TEXT_ANNOTATION_NAME], iid,
                               &key) &&
        key != 0) {
        reader_annotations_add_scalar(annotations, key, value);
        return;
    }
    const struct annotation annotation = {.name_is_interned = true, .name_iid = iid};
    annotations->path_size = 0;
    add_simple(annotations, &annotation, value);
}
