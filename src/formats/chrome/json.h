// JSON as it is written: values as views, looked at when they are needed and no earlier.
//
// Lenient where it costs nothing: control characters in texts and words like NaN pass. A view
// that came from here or from events.h is balanced; others may be cut off anywhere.

#ifndef OPSCOPE_FORMATS_CHROME_JSON_H
#define OPSCOPE_FORMATS_CHROME_JSON_H

#include "base/bytes.h"
#include "scan.h"

// Goes over the members of an object, or the items of an array (whose keys are "").
struct chrome_members {
    const char *at;
    const char *end;
    bool array;
    bool damaged; // at the end: what stands there is no member, nor the closing bracket
};

// Of anything else than an object or an array there are no members.
struct chrome_members chrome_members_of(struct view value);

// The key is as it is written, without its quotes; the value as it is written. False at the end.
bool chrome_member_next(struct chrome_members *members, struct view *out_key,
                        struct view *out_value);

// The value of a key of an object (the first one); size 0 when there is none. The key is compared
// as it is written.
struct view chrome_find(struct view object, const char *key);

static inline bool chrome_is_text(struct view value)
{
    return value.size >= 2 && value.data[0] == '"';
}

// The text of a text, without its quotes and escapes; of anything else, as it is written. What
// holds escapes is put after what `scratch` holds, which may move it: use the text before the
// next call.
struct view chrome_text_of(struct view value, struct bytes *scratch);

// True: the word true, a number other than 0.
bool chrome_truth_of(struct view value);

// A whole number, in the value or in a text: decimal, or hexadecimal after 0x. Negative numbers
// as two's complement.
bool chrome_number_of(struct view value, uint64_t *out_number);

#endif
