#include "builder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { CONSTANT_ALIGNMENT = 64 };

struct program_builder *program_builder_create(struct view target_text, struct view source)
{
    struct program_builder *builder = memory_allocate_zeroed(1, sizeof *builder);
    builder->target_text = target_text;
    builder->source = source;
    program_builder_text(builder, VIEW_LITERAL(""));
    return builder;
}

void program_builder_free(struct program_builder *builder)
{
    if (builder == NULL)
        return;
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++)
        bytes_free(&builder->tables[i]);
    bytes_free(&builder->texts);
    bytes_free(&builder->constants);
    free(builder->outside);
    hash_free(&builder->text_index);
    free(builder);
}

void program_builder_clear(struct program_builder *builder)
{
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++)
        builder->tables[i].size = 0;
    builder->constants.size = 0;
    builder->outside_count = 0;
}

void program_builder_outside(struct program_builder *builder, const void *data)
{
    builder->outside = memory_grow(builder->outside, builder->outside_count,
                                   &builder->outside_capacity, sizeof *builder->outside);
    builder->outside[builder->outside_count++] = data;
}

static uint32_t builder_find_text(const struct program_builder *builder, struct view text,
                                  uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&builder->text_index, hash);
         (id = hash_next(&builder->text_index, hash, &at)) != HASH_NONE;) {
        if (view_is(text, (const char *)builder->texts.data + id))
            return id;
    }
    return HASH_NONE;
}

static void builder_append_text(struct program_builder *builder, struct view text)
{
    unsigned char *room = bytes_reserve(&builder->texts, text.size + 1);
    for (size_t i = 0; i < text.size; i++)
        room[i] = text.data[i] == '\0' ? ' ' : (unsigned char)text.data[i];
    room[text.size] = '\0';
    builder->texts.size += text.size + 1;
}

uint32_t program_builder_text(struct program_builder *builder, struct view text)
{
    if (text.size == 0 && builder->texts.size > 0)
        return 0;
    const uint32_t hash = hash_bytes(text.data, text.size);
    const uint32_t known = builder_find_text(builder, text, hash);
    if (known != HASH_NONE)
        return known;
    const uint32_t id = (uint32_t)builder->texts.size;
    builder_append_text(builder, text);
    hash_add(&builder->text_index, hash, id);
    return id;
}

static uint64_t align_constants(struct program_builder *builder)
{
    const size_t used = builder->constants.size;
    const size_t gap = (CONSTANT_ALIGNMENT - used % CONSTANT_ALIGNMENT) % CONSTANT_ALIGNMENT;
    memset(bytes_reserve(&builder->constants, gap), 0, gap);
    builder->constants.size += gap;
    return used + gap;
}

uint64_t program_builder_constant(struct program_builder *builder, const void *data, size_t size)
{
    const uint64_t at = align_constants(builder);
    bytes_append(&builder->constants, data, size);
    return at;
}

uint64_t program_builder_room(struct program_builder *builder, size_t size)
{
    if (builder->keeps_outside)
        return 0;
    const uint64_t at = align_constants(builder);
    bytes_reserve(&builder->constants, size);
    builder->constants.size += size;
    return at;
}

// Pointers of struct program stand in the order of the tables.
static_assert(offsetof(struct program, dispatches) - offsetof(struct program, inputs) ==
                  PROGRAM_DISPATCHES * sizeof(void *),
              "the place of a table's pointer tells its number");

void *program_builder_add(struct program_builder *builder, size_t table, uint32_t *out_id)
{
    const size_t index = program_builder_table(table);
    const uint32_t size = PROGRAM_TABLES[index].item_size;
    struct bytes *bytes = &builder->tables[index];
    void *item = bytes_reserve(bytes, size);
    memset(item, 0, size);
    if (out_id != NULL)
        *out_id = (uint32_t)(bytes->size / size);
    bytes->size += size;
    return item;
}

void program_builder_view(const struct program_builder *builder, struct program *out_program)
{
    *out_program = (struct program){
        .target_text = builder->target_text,
        .source = builder->source,
        .texts = bytes_view(&builder->texts),
        .constants = bytes_view(&builder->constants),
        .conversion = builder->conversion,
        .outside = builder->outside,
    };
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++) {
        const struct bytes *bytes = &builder->tables[i];
        program_table_set(out_program, &PROGRAM_TABLES[i], bytes->data,
                          (uint32_t)(bytes->size / PROGRAM_TABLES[i].item_size));
    }
}
