// The tables of a program, for code that treats them all alike.

#ifndef OPSCOPE_PROGRAM_TABLES_H
#define OPSCOPE_PROGRAM_TABLES_H

#include "program.h"

struct program_table {
    const char *name;
    uint32_t item_size;
    size_t items; // offset of the pointer in struct program
    size_t count; // offset of the number of items
};

enum { PROGRAM_TABLE_COUNT = 24 };

// In the order in which they stand in a file.
extern const struct program_table PROGRAM_TABLES[PROGRAM_TABLE_COUNT];

static inline const void *program_table_items(const struct program *program,
                                              const struct program_table *table)
{
    const void *items;
    memcpy(&items, (const char *)program + table->items, sizeof items);
    return items;
}

static inline uint32_t program_table_size(const struct program *program,
                                          const struct program_table *table)
{
    uint32_t count;
    memcpy(&count, (const char *)program + table->count, sizeof count);
    return count;
}

static inline void program_table_set(struct program *program, const struct program_table *table,
                                     const void *items, uint32_t count)
{
    memcpy((char *)program + table->items, &items, sizeof items);
    memcpy((char *)program + table->count, &count, sizeof count);
}

#endif
