// Reads JSON text (RFC 8259) into a tree.
//
// The tree lives in the caller's arena; texts without escapes and numbers are
// views into the input, which must outlive it. Numbers are kept as they are
// written, so that 64-bit hashes stay exact. Memory: about 80 bytes per value
// plus the texts that hold escapes, so at most 80 times the input.

#ifndef OPSCOPE_WIRE_JSON_READER_H
#define OPSCOPE_WIRE_JSON_READER_H

#include "base/arena.h"
#include "base/status.h"

// Arrays and objects inside one another; deeper input is refused.
enum { JSON_READ_DEPTH_MOST = 64 };

enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_value {
    enum json_kind kind;
    bool truth;
    uint32_t count;                 // of items
    struct view key;                // inside an object
    struct view text;               // of a text, without its escapes; of a number, as written
    const struct json_value *first; // items, in the order of the input
    const struct json_value *next;  // after this one
};

// The whole of `text` is one value with blanks around it. What is wrong is
// said with its place: "byte 12: expected ',' or '}'".
status json_read(struct view text, struct arena *arena, const struct json_value **out_value);

// A text as it is written between its quotes, without its escapes; `to` has room for as many
// bytes. Returns how many there are. What is no escape stays as it is.
size_t json_decode(struct view text, char *to);

// The value of a key, the last one where it stands twice; NULL when `object`
// is NULL or no object, or has no such key.
const struct json_value *json_find(const struct json_value *object, const char *key);

// The text of a text value; "" for anything else and for NULL.
struct view json_text_of(const struct json_value *value);

// False unless the value is a whole number, or a text of one, that fits.
bool json_u64_of(const struct json_value *value, uint64_t *out_number);

#endif
