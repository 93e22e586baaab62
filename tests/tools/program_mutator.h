// Changes fields of the tables of a program's file, and mends its checksums. Whatever
// PROGRAM_TABLES describes is changed.

#ifndef OPSCOPE_TESTS_PROGRAM_MUTATOR_H
#define OPSCOPE_TESTS_PROGRAM_MUTATOR_H

#include <stdlib.h>

#include <isa-l/crc.h>

#include "program/tables.h"

enum { MUTATOR_HEADER = 32, MUTATOR_SECTION = 40, MUTATOR_SECTIONS_MOST = 64 };

static uint64_t mutator_number(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    memcpy(&number, bytes, size);
    return number;
}

// How many sections the list has; 0: there is no list.
static uint64_t mutator_sections(const unsigned char *bytes, uint64_t size)
{
    const uint64_t count = size >= MUTATOR_HEADER ? mutator_number(bytes + 12, 4) : 0;
    return count <= MUTATOR_SECTIONS_MOST && MUTATOR_HEADER + count * MUTATOR_SECTION <= size
               ? count
               : 0;
}

static void mutator_sign(unsigned char *bytes, uint64_t size)
{
    const uint64_t count = mutator_sections(bytes, size);
    if (count == 0)
        return;
    memcpy(bytes + 16, &size, sizeof size);
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *section = bytes + MUTATOR_HEADER + i * MUTATOR_SECTION;
        const uint64_t offset = mutator_number(section + 16, 8);
        const uint64_t length = mutator_number(section + 24, 8);
        if (offset > size || length > size - offset)
            continue;
        const uint32_t checksum = crc32_gzip_refl(0, bytes + offset, length);
        memcpy(section + 36, &checksum, sizeof checksum);
    }
    const uint32_t checksum = crc32_gzip_refl(0, bytes + MUTATOR_HEADER, count * MUTATOR_SECTION);
    memcpy(bytes + 24, &checksum, sizeof checksum);
}

// The section that holds a table; NULL where it has no items.
static unsigned char *mutator_find(unsigned char *bytes, uint64_t size,
                                   const struct program_table *table)
{
    const uint64_t count = mutator_sections(bytes, size);
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *section = bytes + MUTATOR_HEADER + i * MUTATOR_SECTION;
        const uint64_t offset = mutator_number(section + 16, 8);
        const uint64_t length = mutator_number(section + 24, 8);
        const uint64_t item = mutator_number(section + 32, 4);
        if (strncmp((const char *)section, table->name, 16) == 0)
            return offset <= size && length <= size - offset && item >= 4 && item <= length
                       ? section
                       : NULL;
    }
    return NULL;
}

static uint64_t mutator_random(unsigned *seed)
{
    return (uint64_t)rand_r(seed) << 31 ^ (uint64_t)rand_r(seed);
}

// A field of 2, 4 or 8 bytes becomes the same one of another item, a neighbour of what it
// is, a small number, or something odd.
static void mutator_change(unsigned char *items, uint64_t count, uint64_t item_size, unsigned *seed)
{
    static const uint64_t ODD[] = {0,          1,
                                   2,          3,
                                   4,          7,
                                   8,          64,
                                   UINT32_MAX, UINT32_MAX - 1,
                                   1 << 20,    UINT64_C(1) << 31,
                                   1 << 15,    UINT64_MAX,
                                   INT64_MAX};
    static const uint64_t SIZES[] = {4, 4, 4, 4, 8, 8, 2};
    uint64_t size = SIZES[mutator_random(seed) % (sizeof SIZES / sizeof *SIZES)];
    size = size <= item_size ? size : 4;
    const uint64_t field = mutator_random(seed) % (item_size / size) * size;
    unsigned char *at = items + mutator_random(seed) % count * item_size + field;
    uint64_t number = mutator_number(at, size);
    switch (mutator_random(seed) % 4) {
    case 0:
        number = mutator_number(items + mutator_random(seed) % count * item_size + field, size);
        break;
    case 1:
        number += mutator_random(seed) % 2 == 0 ? 1 : UINT64_MAX;
        break;
    case 2:
        number = mutator_random(seed) % 32;
        break;
    default:
        number = ODD[mutator_random(seed) % (sizeof ODD / sizeof *ODD)];
        break;
    }
    memcpy(at, &number, size);
}

// Changes one field of some table. False when the file has none.
static bool mutator_mutate(unsigned char *bytes, uint64_t size, unsigned *seed)
{
    for (unsigned tries = 0; tries < 64; tries++) {
        const struct program_table *table =
            &PROGRAM_TABLES[mutator_random(seed) % PROGRAM_TABLE_COUNT];
        const unsigned char *section = mutator_find(bytes, size, table);
        if (section == NULL)
            continue;
        const uint64_t item = mutator_number(section + 32, 4);
        mutator_change(bytes + mutator_number(section + 16, 8),
                       mutator_number(section + 24, 8) / item, item, seed);
        return true;
    }
    return false;
}

#endif
