// The tables of a .tracy file that everything after them refers to: texts, names of threads,
// source locations.

#ifndef OPSCOPE_FORMATS_TRACY_TABLES_H
#define OPSCOPE_FORMATS_TRACY_TABLES_H

#include "build.h"
#include "cursor.h"

#define TRACY_VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

// Which text a number stands for.
struct tracy_names {
    struct segments entries; // struct named
    struct hash_index index;
};

void tracy_names_start(struct tracy_names *names);
void tracy_names_set(struct tracy_names *names, uint64_t number, struct view text);
// False: nobody said.
bool tracy_names_find(const struct tracy_names *names, uint64_t number, struct view *out_text);
void tracy_names_free(struct tracy_names *names);

struct tracy_reference { // to a text
    uint64_t number;
    uint8_t flags;
};

struct tracy_static {
    uint64_t pointer;
    struct tracy_location location;
};

struct tracy_tables {
    struct tracy_cursor *cursor;
    struct segments texts;       // struct view, into the unpacked file
    struct tracy_names handles;  // to the same texts
    struct tracy_names pointers; // of the program
    struct tracy_names threads;
    struct segments locations; // struct tracy_static
    struct hash_index location_index;
    struct segments expanded; // uint64_t: pointers, by the number of a location
    struct segments dynamic;  // struct tracy_location
};

void tracy_tables_start(struct tracy_tables *tables, struct tracy_cursor *cursor);
void tracy_tables_free(struct tracy_tables *tables);

// The sections from the texts to the locations.
void tracy_tables_read(struct tracy_tables *tables, struct tracy_build *build);

// A reference as it lies in the file, and what it refers to; "" where that is nothing.
struct tracy_reference tracy_tables_reference(struct tracy_cursor *cursor);
struct view tracy_tables_text(const struct tracy_tables *tables, struct tracy_reference reference);

// The text of an index of 24 bits; "" for none.
struct view tracy_tables_index(const struct tracy_tables *tables, uint32_t index);

// By the number that zones have; all zero where there is none.
struct tracy_location tracy_tables_location(const struct tracy_tables *tables, int16_t number);

#endif
