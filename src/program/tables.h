// The tables of a program, for code that treats them all alike.

#ifndef OPSCOPE_PROGRAM_TABLES_H
#define OPSCOPE_PROGRAM_TABLES_H

#include "program.h"

// The tables, in the order in which they stand in a file.
enum program_table_id {
    PROGRAM_INPUTS,
    PROGRAM_OUTPUTS,
    PROGRAM_OPERATORS,
    PROGRAM_VALUES,
    PROGRAM_OPERATOR_VALUES,
    PROGRAM_GROUPS,
    PROGRAM_NODES,
    PROGRAM_NODE_VALUES,
    PROGRAM_ATTRIBUTES,
    PROGRAM_GRAPHS,
    PROGRAM_BUFFERS,
    PROGRAM_TASKS,
    PROGRAM_OPERANDS,
    PROGRAM_CALLS,
    PROGRAM_CALL_BUFFERS,
    PROGRAM_DEPENDENCIES,
    PROGRAM_TASK_UNITS,
    PROGRAM_STAGES,
    PROGRAM_STREAMS,
    PROGRAM_SEMAPHORES,
    PROGRAM_STEPS,
    PROGRAM_JOBS,
    PROGRAM_ACTIONS,
    PROGRAM_DISPATCHES,
    PROGRAM_TABLE_COUNT,
};

// What a field of an item may hold, as far as the tables alone tell.
enum program_meaning {
    FIELD_NUMBER,       // anything
    FIELD_ZERO,         // reserved
    FIELD_TEXT,         // offset of a text
    FIELD_ITEM,         // an item of the table `of`
    FIELD_ITEM_OR_NONE, // or PROGRAM_NONE
    FIELD_FIRST, // of items of `of`; how many is what the `lengths` fields after it add up to
    FIELD_OWNED, // the same, and no other item has them
    FIELD_BELOW, // a number below `of`
    FIELD_BELOW_OR_NONE,
};

struct program_field {
    const char *name;
    uint32_t offset;
    uint32_t size;  // of one number
    uint32_t count; // of numbers: an array has more than one
    enum program_meaning meaning;
    uint32_t of;
    uint32_t lengths;
};

struct program_table {
    const char *name; // of the section in a file
    const char *item; // what one of its items is called
    uint32_t item_size;
    size_t items; // offset of the pointer in struct program
    size_t count; // offset of the number of items
    const struct program_field *fields;
    uint32_t field_count; // they leave no byte of an item out
};

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

static inline uint64_t program_field_get(const void *item, const struct program_field *field,
                                         uint32_t index)
{
    uint64_t number = 0;
    memcpy(&number, (const char *)item + field->offset + index * field->size, field->size);
    return number;
}

static inline void program_table_set(struct program *program, const struct program_table *table,
                                     const void *items, uint32_t count)
{
    memcpy((char *)program + table->items, &items, sizeof items);
    memcpy((char *)program + table->count, &count, sizeof count);
}

#endif
