#include "writer_tables.h"

#include <stdlib.h>

enum { REFERENCE_TO_TEXT = 3, EXTRA_SIZE = 12 };

status writer_tables_start(struct writer_tables *tables)
{
    static const char NONE[EXTRA_SIZE];
    *tables = (struct writer_tables){.extras = SPOOL_EMPTY, .extra_count = 1};
    strings_start(&tables->texts);
    segments_start(&tables->locations, sizeof(struct written_location));
    return spool_append(&tables->extras, NONE, sizeof NONE);
}

void writer_tables_free(struct writer_tables *tables)
{
    strings_free(&tables->texts);
    segments_free(&tables->locations);
    hash_free(&tables->location_index);
    spool_free(&tables->extras);
}

uint32_t writer_tables_text(struct writer_tables *tables, struct view text)
{
    if (tables->texts.texts.count < TRACY_TEXTS_MOST)
        return strings_add(&tables->texts, text);
    const uint32_t found = strings_find(&tables->texts, text);
    tables->texts_left_out += found == HASH_NONE;
    return found == HASH_NONE ? 0 : found;
}

static struct written_location *find_location_of(const struct writer_tables *tables, uint32_t hash,
                                                 const struct written_location *wanted,
                                                 uint32_t *out_id)
{
    for (uint32_t at = hash_first(&tables->location_index, hash);
         (*out_id = hash_next(&tables->location_index, hash, &at)) != HASH_NONE;) {
        struct written_location *location = segments_get(&tables->locations, *out_id);
        if (location->name == wanted->name && location->function == wanted->function &&
            location->file == wanted->file && location->line == wanted->line)
            return location;
    }
    return NULL;
}

// The last place is kept for `writer_tables_other`.
static int16_t count_location(struct writer_tables *tables, const struct written_location *wanted,
                              unsigned of_device, uint32_t most)
{
    const uint32_t key[] = {wanted->name, wanted->function, wanted->file, wanted->line};
    const uint32_t hash = hash_bytes(key, sizeof key);
    uint32_t id;
    struct written_location *location = find_location_of(tables, hash, wanted, &id);
    if (location == NULL && tables->locations.count >= most)
        return 0;
    if (location == NULL) {
        id = tables->locations.count;
        hash_add(&tables->location_index, hash, id);
        location = segments_add(&tables->locations);
        *location = (struct written_location){
            wanted->name, wanted->function, wanted->file, wanted->line, {0, 0}};
    }
    location->zones[of_device]++;
    return (int16_t)(-(int32_t)id - 1);
}

int16_t writer_tables_location(struct writer_tables *tables, const struct written_location *wanted,
                               unsigned of_device)
{
    return count_location(tables, wanted, of_device, TRACY_LOCATIONS_MOST - 1);
}

int16_t writer_tables_other(struct writer_tables *tables, unsigned of_device)
{
    const uint32_t name = writer_tables_text(tables, VIEW_LITERAL("other"));
    const struct written_location other = {.name = name, .function = name};
    return count_location(tables, &other, of_device, TRACY_LOCATIONS_MOST);
}

status writer_tables_extra(struct writer_tables *tables, uint32_t text, uint32_t name,
                           uint32_t *out_number)
{
    const uint32_t numbers[] = {0, writer_tables_index(text), writer_tables_index(name), 0};
    unsigned char bytes[EXTRA_SIZE];
    *out_number = 0;
    if (text == 0 && name == 0)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(numbers[i / 3] >> (8 * (i % 3)));
    *out_number = tables->extra_count++;
    return spool_append(&tables->extras, bytes, sizeof bytes);
}

// The file --------------------------------------------------------------------

void writer_tables_put_texts(const struct writer_tables *tables, struct tracy_pack *pack)
{
    tracy_pack_u64(pack, tables->texts.texts.count);
    for (uint32_t i = 0; i < tables->texts.texts.count; i++) {
        tracy_pack_u64(pack, writer_tables_handle(i));
        tracy_pack_text(pack, strings_get(&tables->texts, i));
    }
}

void writer_tables_put_reference(struct tracy_pack *pack, uint32_t text)
{
    tracy_pack_u64(pack, text);
    tracy_pack_u8(pack, REFERENCE_TO_TEXT);
}

static void put_counts(const struct writer_tables *tables, struct tracy_pack *pack,
                       unsigned of_device)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < tables->locations.count; i++)
        used +=
            ((struct written_location *)segments_get(&tables->locations, i))->zones[of_device] > 0;
    tracy_pack_u64(pack, used);
    for (uint32_t i = 0; i < tables->locations.count; i++) {
        const struct written_location *location = segments_get(&tables->locations, i);
        if (location->zones[of_device] == 0)
            continue;
        tracy_pack_u16(pack, (uint16_t)(-(int32_t)i - 1));
        tracy_pack_u64(pack, location->zones[of_device]);
    }
}

// None lies in the program: all were sent.
void writer_tables_put_locations(const struct writer_tables *tables, struct tracy_pack *pack)
{
    tracy_pack_u64(pack, 0);
    tracy_pack_u64(pack, 1);
    tracy_pack_u64(pack, 0);
    tracy_pack_u64(pack, tables->locations.count);
    for (uint32_t i = 0; i < tables->locations.count; i++) {
        const struct written_location *location = segments_get(&tables->locations, i);
        writer_tables_put_reference(pack, location->name);
        writer_tables_put_reference(pack, location->function);
        writer_tables_put_reference(pack, location->file);
        tracy_pack_u32(pack, location->line);
        tracy_pack_u32(pack, 0); // colour
    }
    put_counts(tables, pack, 0);
    put_counts(tables, pack, 1);
}

status writer_tables_put_extras(struct writer_tables *tables, struct tracy_pack *pack)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&tables->extras, &data, &size));
    tracy_pack_u64(pack, tables->extra_count);
    tracy_pack_bytes(pack, data, size);
    return STATUS_OK;
}
