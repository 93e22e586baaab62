// Which of an event's values become its arguments, and what the others become. Asked twice: when
// it is decided which texts an event defines, and when its bytes are put down.

#ifndef OPSCOPE_FORMATS_PERFETTO_ARGUMENTS_H
#define OPSCOPE_FORMATS_PERFETTO_ARGUMENTS_H

#include "profile/value.h"

enum argument {
    ARGUMENT_NONE, // there is no further value
    ARGUMENT_VALUE,
    ARGUMENT_CATEGORY,
    ARGUMENT_FLOW_OUT,
    ARGUMENT_FLOW_IN,
};

// What can be read after the values of an event, whatever it is.
enum { ARGUMENTS_AFTER = 16 };

struct argument_reader {
    struct value_reader values; // ARGUMENTS_AFTER more bytes can be read
    uint32_t category_key; // texts under this key are categories
    bool wanted;           // whether there are arguments at all
    bool of_flow;
    uint32_t before; // the key of the value before
};

static inline struct argument_reader arguments_read(struct view values, uint32_t category_key,
                                                    bool wanted)
{
    return (struct argument_reader){
        .values = value_read(values), .category_key = category_key, .wanted = wanted};
}

// Flows are no arguments, and what a trace that was read said of them goes to no other format: they
// are written even where arguments are not wanted. Nor is it an argument how that trace spells a
// value.
enum argument argument_next(struct argument_reader *reader, struct value *out_value);

// A number or a short text that is an argument, as nearly all values are.
struct common_value {
    uint32_t key;
    bool is_text;
    const unsigned char *payload; // a number as a varint, a text with its length before it
    size_t size;
};

// The next value if it is one. False when the others have to be asked for, or there is none.
static inline bool argument_next_common(struct argument_reader *reader,
                                        struct common_value *out_value)
{
    const unsigned char *at = reader->values.at;
    const size_t left = (size_t)(reader->values.end - at);
    if (!reader->wanted || left < 3 || at[0] >= 128)
        return false;
    size_t size;
    if (at[1] == VALUE_TEXT && at[2] < 128)
        size = 1 + (size_t)at[2];
    else if (at[1] != VALUE_UINT || (size = varint_look(at + 2)) == 0)
        return false;
    if (left < 2 + size)
        return false;
    *out_value = (struct common_value){at[0], at[1] == VALUE_TEXT, at + 2, size};
    reader->values.at = at + 2 + size;
    reader->of_flow = false;
    reader->before = at[0];
    return true;
}

#endif
