#include "builder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

// Tables that outgrow HUGE_LEAST are moved to huge pages, and have room for a while.
enum { CONSTANT_ALIGNMENT = 64, HUGE_LEAST = 512 << 10, HUGE_GROWTH = 4 };

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
    free(builder->pieces);
    hash_free(&builder->text_index);
    free(builder);
}

void program_builder_clear(struct program_builder *builder)
{
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++)
        builder->tables[i].size = builder->counts[i] = 0;
    builder->constants.size = 0;
    builder->outside_count = 0;
    builder->piece_count = 0;
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

// A constant that stays where it is; `piece` is where all that begin there lie.
struct outsider {
    const char *data;
    uint64_t bytes;
    uint32_t value;
    uint32_t piece;
};

static int by_address(const void *a, const void *b)
{
    const struct outsider *left = a, *right = b;
    const int order = sort_compare((uintptr_t)left->data, (uintptr_t)right->data);
    return order != 0 ? order : sort_compare(left->value, right->value);
}

static int by_value(const void *a, const void *b)
{
    const struct outsider *left = a, *right = b;
    return sort_compare(left->value, right->value);
}

static struct program_value *builder_value(struct program_builder *builder, uint32_t id)
{
    return program_builder_get(builder, offsetof(struct program, values), id);
}

static size_t list_outsiders(struct program_builder *builder, struct outsider *outsiders)
{
    size_t count = 0;
    for (uint32_t i = 0; i < builder->outside_count; i++) {
        if (builder->outside[i] != NULL)
            outsiders[count++] = (struct outsider){
                .data = builder->outside[i], .bytes = builder_value(builder, i)->bytes, .value = i};
    }
    return count;
}

// Numbers what begins at the same address by the first value that does, and has each know how long
// the longest is.
static void join_outsiders(struct outsider *outsiders, size_t count)
{
    sort_items(outsiders, count, sizeof *outsiders, by_address);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t longest = 0;
        for (end = i; end < count && outsiders[end].data == outsiders[i].data; end++)
            longest = outsiders[end].bytes > longest ? outsiders[end].bytes : longest;
        for (size_t j = i; j < end; j++) {
            outsiders[j].bytes = longest;
            outsiders[j].piece = outsiders[i].value;
        }
    }
    sort_items(outsiders, count, sizeof *outsiders, by_value);
}

// At once: what grows piece by piece may be copied each time, though nothing is in it.
static void reserve_outside(struct program_builder *builder, const struct outsider *outsiders,
                            size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (outsiders[i].piece == outsiders[i].value)
            bytes += outsiders[i].bytes + CONSTANT_ALIGNMENT;
    }
    bytes_reserve(&builder->constants, bytes);
}

// Addresses differ from run to run: places are given in the order of values.
void program_builder_place_outside(struct program_builder *builder)
{
    if (builder->keeps_outside)
        return;
    struct outsider *outsiders =
        memory_allocate_zeroed(builder->outside_count + 1, sizeof *outsiders);
    const size_t count = list_outsiders(builder, outsiders);
    join_outsiders(outsiders, count);
    reserve_outside(builder, outsiders, count);
    free(builder->pieces);
    builder->pieces = memory_allocate_zeroed(count + 1, sizeof *builder->pieces);
    builder->piece_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct outsider *item = &outsiders[i];
        if (item->piece != item->value) {
            builder_value(builder, item->value)->data = builder_value(builder, item->piece)->data;
            continue;
        }
        const uint64_t at = align_constants(builder);
        bytes_reserve(&builder->constants, item->bytes);
        builder->constants.size += item->bytes;
        builder_value(builder, item->value)->data = at;
        builder->pieces[builder->piece_count++] =
            (struct program_piece){at, {item->data, item->bytes}};
    }
    free(outsiders);
}

// Pointers of struct program stand in the order of the tables.
static_assert(offsetof(struct program, dispatches) - offsetof(struct program, inputs) ==
                  PROGRAM_DISPATCHES * sizeof(void *),
              "the place of a table's pointer tells its number");

// Most tables are small. A large one is touched for the first time at a fault for every 4 KiB
// unless all of it lies on huge pages, which what has been moved by realloc seldom does.
static void grow_table(struct bytes *table)
{
    const size_t wanted = table->capacity * HUGE_GROWTH;
    void *data =
        table->capacity < HUGE_LEAST || wanted < table->capacity ? NULL : memory_take_kept(wanted);
    if (data == NULL) {
        bytes_reserve(table, table->capacity - table->size + 1);
        return;
    }
    memcpy(data, table->data, table->size);
    free(table->data);
    table->data = data;
    table->capacity = wanted;
}

void *program_builder_add(struct program_builder *builder, size_t table, uint32_t *out_id)
{
    const size_t index = program_builder_table(table);
    const uint32_t size = PROGRAM_TABLES[index].item_size;
    struct bytes *bytes = &builder->tables[index];
    while (bytes->capacity - bytes->size < size)
        grow_table(bytes);
    void *item = bytes->data + bytes->size;
    memset(item, 0, size);
    if (out_id != NULL)
        *out_id = builder->counts[index];
    bytes->size += size;
    builder->counts[index]++;
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
        .pieces = builder->pieces,
        .piece_count = builder->piece_count,
    };
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++) {
        program_table_set(out_program, &PROGRAM_TABLES[i], builder->tables[i].data,
                          builder->counts[i]);
    }
}
