// Puts a program together, table by table.

#ifndef OPSCOPE_PROGRAM_BUILDER_H
#define OPSCOPE_PROGRAM_BUILDER_H

#include "base/bytes.h"
#include "base/hash.h"
#include "tables.h"

struct program_builder {
    struct bytes tables[PROGRAM_TABLE_COUNT]; // as PROGRAM_TABLES has them
    uint32_t counts[PROGRAM_TABLE_COUNT];     // of their items
    struct bytes texts;
    struct bytes constants;
    struct hash_index text_index;
    struct view target_text;
    struct view source;
    struct view conversion; // "" until somebody says it; must outlive the program
    // Constants have no room in their section: the program is run in this process, and never
    // written.
    bool keeps_outside;
    const void **outside; // by value: a constant that is not in the section; NULL
    size_t outside_count;
    size_t outside_capacity;
    struct program_piece *pieces;
    size_t piece_count;
};

// All zero but for the two views, which must outlive the program.
struct program_builder *program_builder_create(struct view target_text, struct view source);
void program_builder_free(struct program_builder *builder);

// Empties the tables and constants; texts stay.
void program_builder_clear(struct program_builder *builder);

// The same id for the same text. Id 0 is "". A NUL becomes a blank.
uint32_t program_builder_text(struct program_builder *builder, struct view text);

// Copies to the constants' section, aligned to 64 bytes; returns the offset.
uint64_t program_builder_constant(struct program_builder *builder, const void *data, size_t size);

// Says where the constant of a value stays, which must outlive the program; values in order, NULL
// for those in the section.
void program_builder_outside(struct program_builder *builder, const void *data);

// Once all values are there: gives those that stay outside their place in the section, room that
// nobody fills, as long as the system gives memory only to what is touched. Those that begin at the
// same address lie there once. Does nothing where nothing is written.
void program_builder_place_outside(struct program_builder *builder);

// Which table a pointer of struct program is of.
static inline size_t program_builder_table(size_t pointer)
{
    return (pointer - offsetof(struct program, inputs)) / sizeof(void *);
}

// A zeroed new item of a table, and its index. The address is valid until the
// next call for the same table.
#define PROGRAM_ADD(builder, table, out_id)                                                        \
    program_builder_add((builder), offsetof(struct program, table), (out_id))
void *program_builder_add(struct program_builder *builder, size_t table, uint32_t *out_id);

// An item that was added before. The address is valid until the next addition.
static inline void *program_builder_get(struct program_builder *builder, size_t table, uint32_t id)
{
    const size_t index = program_builder_table(table);
    return builder->tables[index].data + (size_t)id * PROGRAM_TABLES[index].item_size;
}

static inline uint32_t program_builder_count(const struct program_builder *builder, size_t table)
{
    return builder->counts[program_builder_table(table)];
}

// The program over the builder's memory, which must outlive it.
void program_builder_view(const struct program_builder *builder, struct program *out_program);

#endif
