#include "protobuf.h"

// A varint, with the difference between one that is cut off and one that is
// longer than any number.
static enum protobuf_ending read_varint(const unsigned char **at, const unsigned char *end,
                                        uint64_t *out_number)
{
    if (*at < end && **at < 128) {
        *out_number = *(*at)++;
        return PROTOBUF_WHOLE;
    }
    if (varint_get(at, end, out_number))
        return PROTOBUF_WHOLE;
    return end - *at < VARINT_MOST ? PROTOBUF_CUT : PROTOBUF_MALFORMED;
}

static enum protobuf_ending read_fixed(const unsigned char **at, const unsigned char *end,
                                       unsigned size, uint64_t *out_number)
{
    if ((size_t)(end - *at) < size)
        return PROTOBUF_CUT;
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)(*at)[i] << (8 * i);
    *at += size;
    *out_number = number;
    return PROTOBUF_WHOLE;
}

static enum protobuf_ending protobuf_read_bytes(const unsigned char **at, const unsigned char *end,
                                                struct view *out_bytes)
{
    uint64_t size;
    const enum protobuf_ending ending = read_varint(at, end, &size);
    if (ending != PROTOBUF_WHOLE)
        return ending;
    if (size > (uint64_t)(end - *at))
        return PROTOBUF_CUT;
    *out_bytes = (struct view){(const char *)*at, (size_t)size};
    *at += size;
    return PROTOBUF_WHOLE;
}

static enum protobuf_ending protobuf_read_field(const unsigned char **at, const unsigned char *end,
                                                struct protobuf_field *out_field)
{
    uint64_t tag;
    const enum protobuf_ending ending = read_varint(at, end, &tag);
    if (ending != PROTOBUF_WHOLE)
        return ending;
    const uint64_t number = tag >> 3;
    if (number == 0 || number > PROTOBUF_NUMBER_MOST)
        return PROTOBUF_MALFORMED;
    out_field->number = (uint32_t)number;
    switch (tag & 7) {
    case PROTOBUF_VARINT:
        out_field->type = PROTOBUF_VARINT;
        return read_varint(at, end, &out_field->value);
    case PROTOBUF_BYTES:
        out_field->type = PROTOBUF_BYTES;
        return protobuf_read_bytes(at, end, &out_field->bytes);
    case PROTOBUF_FIXED64:
        out_field->type = PROTOBUF_FIXED64;
        return read_fixed(at, end, 8, &out_field->value);
    case PROTOBUF_FIXED32:
        out_field->type = PROTOBUF_FIXED32;
        return read_fixed(at, end, 4, &out_field->value);
    default:
        return PROTOBUF_MALFORMED;
    }
}

bool protobuf_next_long(struct protobuf_reader *reader, struct protobuf_field *out_field)
{
    if (reader->at == reader->end || reader->ending != PROTOBUF_WHOLE)
        return false;
    const unsigned char *at = reader->at;
    reader->ending = protobuf_read_field(&at, reader->end, out_field);
    if (reader->ending != PROTOBUF_WHOLE)
        return false;
    reader->at = at;
    return true;
}

// Starts on the packed numbers of `field`, or goes on with them.
static bool open_packed(const struct protobuf_field *field, struct view *rest)
{
    if (rest->data == NULL)
        *rest = field->bytes;
    return rest->size > 0;
}

// Hands out the number of a field that holds a single one, once.
static bool take_single(const struct protobuf_field *field, struct view *rest, uint64_t *out_number)
{
    if (rest->data != NULL)
        return false;
    *rest = VIEW_LITERAL("");
    *out_number = field->value;
    return true;
}

bool protobuf_next_varint(const struct protobuf_field *field, struct view *rest,
                          uint64_t *out_number)
{
    if (field->type != PROTOBUF_BYTES)
        return take_single(field, rest, out_number);
    if (!open_packed(field, rest))
        return false;
    const unsigned char *at = (const unsigned char *)rest->data;
    if (!varint_get(&at, at + rest->size, out_number))
        return false;
    const size_t used = (size_t)(at - (const unsigned char *)rest->data);
    *rest = view_slice(*rest, used, rest->size);
    return true;
}

static bool next_fixed(const struct protobuf_field *field, unsigned size, struct view *rest,
                       uint64_t *out_number)
{
    if (field->type != PROTOBUF_BYTES)
        return take_single(field, rest, out_number);
    if (!open_packed(field, rest))
        return false;
    const unsigned char *at = (const unsigned char *)rest->data;
    if (read_fixed(&at, at + rest->size, size, out_number) != PROTOBUF_WHOLE)
        return false;
    *rest = view_slice(*rest, size, rest->size);
    return true;
}

bool protobuf_next_fixed64(const struct protobuf_field *field, struct view *rest,
                           uint64_t *out_number)
{
    return next_fixed(field, 8, rest, out_number);
}

bool protobuf_next_fixed32(const struct protobuf_field *field, struct view *rest,
                           uint64_t *out_number)
{
    return next_fixed(field, 4, rest, out_number);
}
