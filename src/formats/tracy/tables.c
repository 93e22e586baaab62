#include "tables.h"

struct named {
    uint64_t number;
    struct view text;
};

enum { REFERENCE_IS_INDEX = 1, REFERENCE_IS_SET = 2 };

// Bytes of what lies in the file.
enum { REFERENCE_SIZE = 9, LOCATION_SIZE = 3 * REFERENCE_SIZE + 8 };

// Names -----------------------------------------------------------------------

void tracy_names_start(struct tracy_names *names)
{
    *names = (struct tracy_names){0};
    segments_start(&names->entries, sizeof(struct named));
}

static struct named *tracy_tables_find_named(const struct tracy_names *names, uint64_t number)
{
    const uint32_t hash = hash_u64(number);
    uint32_t id;
    for (uint32_t at = hash_first(&names->index, hash);
         (id = hash_next(&names->index, hash, &at)) != HASH_NONE;) {
        struct named *named = segments_get(&names->entries, id);
        if (named->number == number)
            return named;
    }
    return NULL;
}

void tracy_names_set(struct tracy_names *names, uint64_t number, struct view text)
{
    struct named *named = tracy_tables_find_named(names, number);
    if (named == NULL) {
        hash_add(&names->index, hash_u64(number), names->entries.count);
        named = segments_add(&names->entries);
        named->number = number;
    }
    named->text = text;
}

bool tracy_names_find(const struct tracy_names *names, uint64_t number, struct view *out_text)
{
    const struct named *named = tracy_tables_find_named(names, number);
    *out_text = named != NULL ? named->text : VIEW_LITERAL("");
    return named != NULL;
}

void tracy_names_free(struct tracy_names *names)
{
    segments_free(&names->entries);
    hash_free(&names->index);
}

// Tables ----------------------------------------------------------------------

void tracy_tables_start(struct tracy_tables *tables, struct tracy_cursor *cursor)
{
    *tables = (struct tracy_tables){.cursor = cursor};
    segments_start(&tables->texts, sizeof(struct view));
    segments_start(&tables->locations, sizeof(struct tracy_static));
    segments_start(&tables->expanded, sizeof(uint64_t));
    segments_start(&tables->dynamic, sizeof(struct tracy_location));
    tracy_names_start(&tables->handles);
    tracy_names_start(&tables->pointers);
    tracy_names_start(&tables->threads);
}

void tracy_tables_free(struct tracy_tables *tables)
{
    segments_free(&tables->texts);
    segments_free(&tables->locations);
    segments_free(&tables->expanded);
    segments_free(&tables->dynamic);
    tracy_names_free(&tables->handles);
    tracy_names_free(&tables->pointers);
    tracy_names_free(&tables->threads);
    hash_free(&tables->location_index);
}

static void read_texts(struct tracy_tables *tables)
{
    struct tracy_cursor *cursor = tables->cursor;
    const uint64_t count = tracy_count(cursor, 16);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        const uint64_t handle = tracy_u64(cursor);
        const uint64_t size = tracy_u64(cursor);
        const struct view text = tracy_take(cursor, size);
        *(struct view *)segments_add(&tables->texts) = text;
        tracy_names_set(&tables->handles, handle, text);
    }
}

// Numbers to the texts of handles. Of external threads there are two: the program and the thread.
static void read_names(struct tracy_tables *tables, struct tracy_names *names, bool pairs)
{
    struct tracy_cursor *cursor = tables->cursor;
    const uint64_t count = tracy_count(cursor, pairs ? 24 : 16);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        const uint64_t number = tracy_u64(cursor);
        const uint64_t handle = tracy_u64(cursor);
        struct view text;
        if (pairs)
            tracy_skip(cursor, 1, 8);
        if (names != NULL && tracy_names_find(&tables->handles, handle, &text))
            tracy_names_set(names, number, text);
    }
}

struct tracy_reference tracy_tables_reference(struct tracy_cursor *cursor)
{
    const uint64_t number = tracy_u64(cursor);
    return (struct tracy_reference){number, tracy_u8(cursor)};
}

struct view tracy_tables_text(const struct tracy_tables *tables, struct tracy_reference reference)
{
    struct view text = VIEW_LITERAL("");
    if ((reference.flags & REFERENCE_IS_SET) == 0)
        return text;
    if ((reference.flags & REFERENCE_IS_INDEX) == 0)
        tracy_names_find(&tables->pointers, reference.number, &text);
    else if (reference.number < tables->texts.count)
        text = *(struct view *)segments_get(&tables->texts, (uint32_t)reference.number);
    return text;
}

struct view tracy_tables_index(const struct tracy_tables *tables, uint32_t index)
{
    if (index == 0 || index > tables->texts.count)
        return VIEW_LITERAL("");
    return *(struct view *)segments_get(&tables->texts, index - 1);
}

static struct tracy_location read_location(struct tracy_tables *tables, struct tracy_build *build)
{
    struct tracy_cursor *cursor = tables->cursor;
    const struct tracy_reference name = tracy_tables_reference(cursor);
    const struct tracy_reference function = tracy_tables_reference(cursor);
    const struct tracy_reference file = tracy_tables_reference(cursor);
    const uint32_t line = tracy_u32(cursor);
    tracy_skip(cursor, 1, 4);
    return tracy_build_location(build, tracy_tables_text(tables, name),
                                tracy_tables_text(tables, function),
                                tracy_tables_text(tables, file), line);
}

static void read_locations(struct tracy_tables *tables, struct tracy_build *build)
{
    struct tracy_cursor *cursor = tables->cursor;
    uint64_t count = tracy_count(cursor, 8 + LOCATION_SIZE);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        const uint64_t pointer = tracy_u64(cursor);
        hash_add(&tables->location_index, hash_u64(pointer), tables->locations.count);
        *(struct tracy_static *)segments_add(&tables->locations) =
            (struct tracy_static){pointer, read_location(tables, build)};
    }
    count = tracy_count(cursor, 8);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++)
        *(uint64_t *)segments_add(&tables->expanded) = tracy_u64(cursor);
    count = tracy_count(cursor, LOCATION_SIZE);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++)
        *(struct tracy_location *)segments_add(&tables->dynamic) = read_location(tables, build);
}

void tracy_tables_read(struct tracy_tables *tables, struct tracy_build *build)
{
    struct tracy_cursor *cursor = tables->cursor;
    read_texts(tables);
    read_names(tables, &tables->pointers, false);
    read_names(tables, &tables->threads, false);
    read_names(tables, NULL, true);
    tracy_skip(cursor, tracy_count(cursor, 8), 8); // threads by their short numbers: local,
    tracy_skip(cursor, tracy_count(cursor, 8), 8); // and external ones
    read_locations(tables, build);
    tracy_skip(cursor, tracy_count(cursor, 10), 10); // how many zones each location has: threads,
    tracy_skip(cursor, tracy_count(cursor, 10), 10); // and devices
}

static struct tracy_location find_static(const struct tracy_tables *tables, uint64_t pointer)
{
    const uint32_t hash = hash_u64(pointer);
    uint32_t id;
    for (uint32_t at = hash_first(&tables->location_index, hash);
         (id = hash_next(&tables->location_index, hash, &at)) != HASH_NONE;) {
        const struct tracy_static *entry = segments_get(&tables->locations, id);
        if (entry->pointer == pointer)
            return entry->location;
    }
    return (struct tracy_location){0};
}

struct tracy_location tracy_tables_location(const struct tracy_tables *tables, int16_t number)
{
    const uint32_t below = (uint32_t)(-(int32_t)number - 1);
    if (number < 0)
        return below < tables->dynamic.count
                   ? *(struct tracy_location *)segments_get(&tables->dynamic, below)
                   : (struct tracy_location){0};
    if ((uint32_t)number >= tables->expanded.count)
        return (struct tracy_location){0};
    return find_static(tables, *(uint64_t *)segments_get(&tables->expanded, (uint32_t)number));
}
