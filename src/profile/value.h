// Named, typed values of an event, a track, an operator or a call: arguments,
// counters, flow ends, times on a second clock.
//
// A list of values is a run of bytes, in memory as in a file:
//     key (string id, varint)  kind + provenance * 32 (one byte)  payload
// Payloads: uint varint; int folded varint; bool, string (id), flow out and
// flow in varint; real 8 bytes little-endian; text and JSON length and bytes;
// ticks clock, start, folded duration as varints.

#ifndef OPSCOPE_PROFILE_VALUE_H
#define OPSCOPE_PROFILE_VALUE_H

#include "base/bytes.h"

// Where a value comes from. Absent values are printed as such, never as 0.
enum provenance {
    PROVENANCE_ABSENT,
    PROVENANCE_MEASURED,
    PROVENANCE_MODELLED,
    PROVENANCE_DERIVED,
};

const char *provenance_name(enum provenance provenance);

enum value_kind {
    VALUE_UINT,
    VALUE_INT,
    VALUE_BOOL,
    VALUE_REAL,
    VALUE_STRING,   // id in the profile's string table, for what repeats
    VALUE_TEXT,     // the text itself, for what does not
    VALUE_FLOW_OUT, // this event starts flow `number` (or is a step of it)
    VALUE_FLOW_IN,  // this event ends flow `number`
    VALUE_TICKS,    // start and end of the event on another clock
    VALUE_JSON,     // JSON as it is written, for what no other kind holds as it is
    VALUE_KINDS,
};

struct value {
    uint32_t key; // string id; 0 for flows and for a counter's own sample
    enum value_kind kind;
    enum provenance provenance;
    uint64_t number; // uint, int (as int64_t), bool, string id, flow id, ticks' start
    double real;
    struct view text;
    uint32_t clock; // ticks
    uint64_t end;   // ticks
};

void value_add(struct bytes *list, const struct value *value);
void value_add_uint(struct bytes *list, uint32_t key, uint64_t number);

// A uint, an int (as int64_t) or a bool.
void value_add_number(struct bytes *list, uint32_t key, enum value_kind kind, uint64_t number);
void value_add_string(struct bytes *list, uint32_t key, uint32_t string);
void value_add_text(struct bytes *list, uint32_t key, struct view text);
void value_add_json(struct bytes *list, uint32_t key, struct view json);
void value_add_flow(struct bytes *list, enum value_kind kind, uint64_t flow);

struct value_reader {
    const unsigned char *at;
    const unsigned char *end;
};

static inline struct value_reader value_read(struct view list)
{
    const unsigned char *data = (const unsigned char *)list.data;
    return (struct value_reader){data, list.size > 0 ? data + list.size : data};
}

// False at the end of the list, or where it is damaged (`at` is then before
// `end`). Text points into the list.
bool value_next(struct value_reader *reader, struct value *out_value);

// The same, for who wants no more than the key.
bool value_skip(struct value_reader *reader, uint32_t *out_key);

// The number of a counter's sample, which has no key. False when the list holds none.
bool value_sample(struct view list, double *out_number);

#endif
