// The bytes of protobuf messages, without their meaning: fields one after the
// other, each a number, a wire type and a payload.
//
// Reading never goes beyond the message and copies nothing: payloads are views
// into it. A message that simply stops (a file cut off while it was written) is
// told apart from one that cannot be a message at all, so that a reader can
// keep all fields before the cut. Groups, which protobuf gave up long ago,
// count as malformed.

#ifndef OPSCOPE_WIRE_PROTOBUF_H
#define OPSCOPE_WIRE_PROTOBUF_H

#include "base/varint.h"
#include "base/view.h"

enum protobuf_type {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2, // texts, messages, packed numbers
    PROTOBUF_FIXED32 = 5,
};

enum protobuf_ending {
    PROTOBUF_WHOLE,     // ends after its last field
    PROTOBUF_CUT,       // ends inside a field
    PROTOBUF_MALFORMED, // holds what no field starts with
};

enum { PROTOBUF_NUMBER_MOST = (1 << 29) - 1 };

// The most bytes that a tag, or a tag and a length, take.
enum { PROTOBUF_TAG_MOST = 5, PROTOBUF_HEADER_MOST = PROTOBUF_TAG_MOST + VARINT_MOST };

struct protobuf_field {
    uint32_t number; // 1 to PROTOBUF_NUMBER_MOST
    enum protobuf_type type;
    uint64_t value;    // of a varint or a fixed number
    struct view bytes; // of PROTOBUF_BYTES
};

struct protobuf_reader {
    const unsigned char *at; // the next field; where reading stopped
    const unsigned char *end;
    enum protobuf_ending ending;
};

static inline struct protobuf_reader protobuf_read(struct view message)
{
    const unsigned char *data = (const unsigned char *)message.data;
    const unsigned char *end = message.size > 0 ? data + message.size : data;
    return (struct protobuf_reader){data, end, PROTOBUF_WHOLE};
}

// Reads a field of any length. Use `protobuf_next`.
bool protobuf_next_long(struct protobuf_reader *reader, struct protobuf_field *out_field);

// False when there is no further field: `ending` says why, and `at` is where
// the field that is cut off or malformed starts.
static inline bool protobuf_next(struct protobuf_reader *reader, struct protobuf_field *out_field)
{
    const unsigned char *at = reader->at;
    // Most tags, numbers and lengths are one byte.
    if (reader->end - at < 2 || at[0] >= 128 || at[0] < 8 || at[1] >= 128)
        return protobuf_next_long(reader, out_field);
    const unsigned type = at[0] & 7;
    if (type == PROTOBUF_VARINT) {
        out_field->value = at[1];
        reader->at = at + 2;
    } else if (type == PROTOBUF_BYTES && reader->end - at - 2 >= at[1]) {
        out_field->bytes = (struct view){(const char *)at + 2, at[1]};
        reader->at = at + 2 + at[1];
    } else {
        return protobuf_next_long(reader, out_field);
    }
    out_field->number = at[0] >> 3;
    out_field->type = (enum protobuf_type)type;
    return true;
}

// Repeated numbers come one field each, or several packed into one field of
// type PROTOBUF_BYTES. This hands out the numbers of a field of either kind:
//     struct view rest = {0};
//     while (protobuf_next_varint(&field, &rest, &number))
// False when there is no further number, or the packed ones are damaged.
bool protobuf_next_varint(const struct protobuf_field *field, struct view *rest,
                          uint64_t *out_number);
bool protobuf_next_fixed64(const struct protobuf_field *field, struct view *rest,
                           uint64_t *out_number);
bool protobuf_next_fixed32(const struct protobuf_field *field, struct view *rest,
                           uint64_t *out_number);

// The bits of a fixed64 as the double that they stand for, and back.
static inline double protobuf_to_double(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static inline uint64_t protobuf_from_double(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

// Writing. Each puts one field at `to` and returns the byte after it; the
// caller has made room (PROTOBUF_HEADER_MOST, and the payload).

static inline unsigned char *protobuf_put_tag(unsigned char *to, uint32_t number,
                                              enum protobuf_type type)
{
    return varint_put(to, (uint64_t)number << 3 | type);
}

static inline unsigned char *protobuf_put_varint(unsigned char *to, uint32_t number, uint64_t value)
{
    return varint_put(protobuf_put_tag(to, number, PROTOBUF_VARINT), value);
}

// The same by varint_put_any.
static inline unsigned char *protobuf_put_any(unsigned char *to, uint32_t number, uint64_t value)
{
    return varint_put_any(protobuf_put_tag(to, number, PROTOBUF_VARINT), value);
}

static inline unsigned char *protobuf_put_fixed32(unsigned char *to, uint32_t number,
                                                  uint32_t value)
{
    to = protobuf_put_tag(to, number, PROTOBUF_FIXED32);
    for (unsigned i = 0; i < 4; i++)
        *to++ = (unsigned char)(value >> (8 * i));
    return to;
}

static inline unsigned char *protobuf_put_fixed64(unsigned char *to, uint32_t number,
                                                  uint64_t value)
{
    to = protobuf_put_tag(to, number, PROTOBUF_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        *to++ = (unsigned char)(value >> (8 * i));
    return to;
}

// What stands before a payload of `size` bytes, which the caller puts after it.
static inline unsigned char *protobuf_put_header(unsigned char *to, uint32_t number, size_t size)
{
    return varint_put(protobuf_put_tag(to, number, PROTOBUF_BYTES), size);
}

static inline unsigned char *protobuf_put_bytes(unsigned char *to, uint32_t number,
                                                struct view bytes)
{
    to = protobuf_put_header(to, number, bytes.size);
    if (bytes.size > 0)
        memcpy(to, bytes.data, bytes.size);
    return to + bytes.size;
}

// How many bytes `protobuf_put_header` and the payload take.
static inline size_t protobuf_bytes_size(uint32_t number, size_t size)
{
    unsigned char header[PROTOBUF_HEADER_MOST];
    return (size_t)(protobuf_put_header(header, number, size) - header) + size;
}

#endif
