// The tables of a .tracy file that is written: texts, source locations, what zones have besides.
//
// Memory: the distinct texts and locations; 12 bytes a zone with something besides, in a spool.

#ifndef OPSCOPE_FORMATS_TRACY_WRITER_TABLES_H
#define OPSCOPE_FORMATS_TRACY_WRITER_TABLES_H

#include "base/spool.h"
#include "pack.h"
#include "profile/strings.h"

enum {
    TRACY_LOCATIONS_MOST = 32767,
    TRACY_TEXTS_MOST = (1 << 24) - 2, // numbers of 24 bits stand for them
};

struct written_location {
    uint32_t name; // text ids
    uint32_t function;
    uint32_t file; // 0: none
    uint32_t line;
    uint64_t zones[2]; // of threads, of devices
};

struct writer_tables {
    struct strings texts; // id 0, the empty one, is in the file too
    struct segments locations;
    struct hash_index location_index;
    struct spool extras;
    uint32_t extra_count;
    uint64_t texts_left_out;
};

status writer_tables_start(struct writer_tables *tables);
void writer_tables_free(struct writer_tables *tables);

// The id of a text; 0 where the file can have no more.
uint32_t writer_tables_text(struct writer_tables *tables, struct view text);

// The number of a location, which counts a zone of a thread (0) or a device (1): negative, as of
// one that the program sent. 0: there is no room for it.
int16_t writer_tables_location(struct writer_tables *tables, const struct written_location *wanted,
                               unsigned of_device);

// The location of zones that there is no other one for.
int16_t writer_tables_other(struct writer_tables *tables, unsigned of_device);

// What a zone has besides, by text ids: its number; 0 for nothing.
status writer_tables_extra(struct writer_tables *tables, uint32_t text, uint32_t name,
                           uint32_t *out_number);

// The parts of the file.
void writer_tables_put_texts(const struct writer_tables *tables, struct tracy_pack *pack);
void writer_tables_put_locations(const struct writer_tables *tables, struct tracy_pack *pack);
status writer_tables_put_extras(struct writer_tables *tables, struct tracy_pack *pack);

// What stands for a text: a handle in tables of names; a reference; a number of 24 bits, 0 for
// none.
static inline uint64_t writer_tables_handle(uint32_t text)
{
    return 16 + 16 * (uint64_t)text;
}

void writer_tables_put_reference(struct tracy_pack *pack, uint32_t text);

static inline uint32_t writer_tables_index(uint32_t text)
{
    return text == 0 ? 0 : text + 1;
}

#endif
