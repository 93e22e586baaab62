// The arguments of an event as a list of values: nested ones flat (`a.b`, `a[0]`), numbers exact.

#ifndef OPSCOPE_FORMATS_CHROME_VALUES_H
#define OPSCOPE_FORMATS_CHROME_VALUES_H

#include "events.h"
#include "json.h"
#include "profile/profile.h"
#include "text_cache.h"

enum { CHROME_VALUES_DEPTH = 32, CHROME_VALUES_KEY = 255 };

struct chrome_values {
    struct strings *strings; // set by the owner, as the two below
    struct bytes *list;      // where values go
    uint32_t location_key;   // a text under this key is kept as `location`
    uint32_t location;       // string id; set back by the owner
    uint32_t empty;          // counts nulls, empty objects and arrays, values without a name
    uint32_t unread;         // counts what is malformed, nested too deep or has too long a name
    struct chrome_text_cache keys;
    struct bytes scratch;
    char path[CHROME_VALUES_KEY + 25];
    size_t path_size;
};

// Appends the values of `args`, an object.
void chrome_values_add(struct chrome_values *values, struct view args);

// Appends the values of members as an event has them.
void chrome_values_add_members(struct chrome_values *values, const struct chrome_member *members,
                               size_t count);

// Appends one value, which may be nested, under a key.
void chrome_values_add_member(struct chrome_values *values, struct view key, struct view value);

// A number as it is written: whole ones that fit as such, others as reals. False when it is none.
bool chrome_values_number(struct view text, struct value *out_value);

void chrome_values_free(struct chrome_values *values);

#endif
