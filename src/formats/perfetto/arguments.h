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
    uint32_t category_key;      // texts under this key are categories
    bool wanted;                // whether there are arguments at all
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

// Nearly all values are numbers and short texts, under keys below 128, and arguments: these are
// taken as they lie, from the reader's place on. How long the payload is of the one at `at`, a
// number as a varint or a text with its length before it; 0: it is something else, or there is
// none.
static inline size_t argument_common_size(const unsigned char *at, const unsigned char *end)
{
    size_t size = 0;
    if (end - at < 3 || at[0] >= 128)
        return 0;
    if (at[1] == VALUE_TEXT && at[2] < 128)
        size = 1 + (size_t)at[2];
    else if (at[1] == VALUE_UINT)
        size = varint_look(at + 2);
    return (size_t)(end - at) < 2 + size ? 0 : size;
}

// Such values were taken up to `at`, the last one being `last`; NULL: none was.
static inline void arguments_pass(struct argument_reader *reader, const unsigned char *at,
                                  const unsigned char *last)
{
    reader->values.at = at;
    if (last == NULL)
        return;
    reader->of_flow = false;
    reader->before = last[0];
}

static inline bool arguments_are_over(const struct argument_reader *reader)
{
    return reader->values.at == reader->values.end;
}

#endif
