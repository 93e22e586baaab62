// Changes fields of the tables of a program's file, and mends its checksums. PROGRAM_TABLES
// describes what there is to change, and what it means.

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

// Where the numbers of a table's items lie, and one of its fields. A file of another version has
// items of another size: their fields are taken to be slots of four bytes.
static struct program_field mutator_field(const struct program_table *table, uint64_t item_size,
                                          unsigned *seed)
{
    if (table->item_size == item_size)
        return table->fields[mutator_random(seed) % table->field_count];
    const uint32_t slot = (uint32_t)(mutator_random(seed) % (item_size / 4) * 4);
    return (struct program_field){.name = "slot", .offset = slot, .size = 4, .count = 1};
}

// How many items the table has that a field names; 0: it names none.
static uint64_t mutator_named(unsigned char *bytes, uint64_t size,
                              const struct program_field *field)
{
    if (field->meaning < FIELD_ITEM || field->meaning > FIELD_OWNED)
        return 0;
    const unsigned char *section = mutator_find(bytes, size, &PROGRAM_TABLES[field->of]);
    return section == NULL ? 0 : mutator_number(section + 24, 8) / mutator_number(section + 32, 4);
}

// Something else that the field may mean: another item, the one past the last, another choice.
static uint64_t mutator_meant(unsigned char *bytes, uint64_t size,
                              const struct program_field *field, unsigned *seed)
{
    switch (field->meaning) {
    case FIELD_ITEM:
    case FIELD_ITEM_OR_NONE:
    case FIELD_FIRST:
    case FIELD_OWNED: {
        const uint64_t drawn = mutator_random(seed) % (mutator_named(bytes, size, field) + 2);
        return drawn == 0 ? PROGRAM_NONE : drawn - 1;
    }
    case FIELD_BELOW:
    case FIELD_BELOW_OR_NONE: {
        const uint64_t drawn = mutator_random(seed) % (field->of + 2);
        return drawn == 0 ? PROGRAM_NONE : drawn - 1;
    }
    default:
        return mutator_random(seed) % 32;
    }
}

// A field becomes the same one of another item, a neighbour of what it is, something else that
// it may mean, or something odd.
static void mutator_change(unsigned char *bytes, uint64_t size, const unsigned char *section,
                           const struct program_table *table, unsigned *seed)
{
    static const uint64_t ODD[] = {0,          1,
                                   2,          3,
                                   4,          7,
                                   8,          64,
                                   UINT32_MAX, UINT32_MAX - 1,
                                   1 << 20,    UINT64_C(1) << 31,
                                   1 << 15,    UINT64_MAX,
                                   INT64_MAX};
    const uint64_t item_size = mutator_number(section + 32, 4);
    const uint64_t count = mutator_number(section + 24, 8) / item_size;
    const struct program_field field = mutator_field(table, item_size, seed);
    unsigned char *items = bytes + mutator_number(section + 16, 8) + field.offset +
                           mutator_random(seed) % field.count * field.size;
    unsigned char *at = items + mutator_random(seed) % count * item_size;
    uint64_t number = mutator_number(at, field.size);
    switch (mutator_random(seed) % 4) {
    case 0:
        number = mutator_number(items + mutator_random(seed) % count * item_size, field.size);
        break;
    case 1:
        number += mutator_random(seed) % 2 == 0 ? 1 : UINT64_MAX;
        break;
    case 2:
        number = mutator_meant(bytes, size, &field, seed);
        break;
    default:
        number = ODD[mutator_random(seed) % (sizeof ODD / sizeof *ODD)];
        break;
    }
    memcpy(at, &number, field.size);
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
        mutator_change(bytes, size, section, table, seed);
        return true;
    }
    return false;
}

#endif
