// Protocols of Tracy's releases that differ from 66 in nothing that is read here but the numbers
// of items, the sizes and forms of some, and the greeting. Items are as in 66 once they are read.

#ifndef OPSCOPE_FORMATS_TRACY_DIALECT_H
#define OPSCOPE_FORMATS_TRACY_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRACY_PROTOCOL = 66,
    TRACY_ITEM_TYPES = 112,              // of 66
    TRACY_ITEM_OTHER = TRACY_ITEM_TYPES, // that 66 does not have, and nothing is made of
    TRACY_ITEM_TYPES_MOST = 160,
    TRACY_WELCOME = 1178, // bytes of the program's greeting, at most
};

// How an item's bytes are to be understood where 66 has them otherwise. Differences of time that
// are not negative have two, four or eight bytes, and each length counts on where the one before
// it ends.
enum tracy_form {
    TRACY_FORM_SAME,
    TRACY_FORM_TIME_16,
    TRACY_FORM_TIME_32,
    TRACY_FORM_TIME_64,
    TRACY_FORM_TAGGED,  // it ends in a pointer whose lowest byte is something else
    TRACY_FORM_TEXT_8,  // a text of fewer than 256 bytes
    TRACY_FORM_TEXT_16, // of more
};

struct tracy_dialect {
    uint32_t protocol;
    bool delay;          // is in the greeting
    unsigned type_count; // items that it has
    // By its own number of an item: that of 66, and bytes of it with its type, of what lies in
    // front of a body of texts. Numbers of GPU contexts count as two bytes in 66, as one elsewhere.
    uint8_t types[TRACY_ITEM_TYPES_MOST];
    uint8_t sizes[TRACY_ITEM_TYPES_MOST];
    uint8_t forms[TRACY_ITEM_TYPES_MOST]; // enum tracy_form
};

// False for a protocol that is another in more than that; zeroes it then.
bool tracy_dialect_find(uint32_t protocol, struct tracy_dialect *out_dialect);

// The protocols to offer to a program, one after the other; 0 after the last.
uint32_t tracy_dialect_offer(unsigned index);

// Bytes of the greeting.
size_t tracy_dialect_welcome(const struct tracy_dialect *dialect);

// Whether an item of 66 has the number of a GPU context.
bool tracy_item_has_context(unsigned type);

#endif
