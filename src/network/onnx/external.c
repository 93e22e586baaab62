#include "external.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "message.h"

status external_entry_read(struct view bytes, struct external_place *place)
{
    struct view key;
    struct view value;
    STATUS_TRY(message_entry(bytes, &key, &value));
    if (view_is(key, "location"))
        place->location = value;
    else if (view_is(key, "offset") && !view_to_u64(value, &place->offset))
        return status_make(STATUS_DATA, "offset '%.*s' of external data is not a number",
                           VIEW_ARGUMENTS(value));
    else if (view_is(key, "length")) {
        place->length_given = true;
        if (!view_to_u64(value, &place->length))
            return status_make(STATUS_DATA, "length '%.*s' of external data is not a number",
                               VIEW_ARGUMENTS(value));
    }
    return STATUS_OK;
}

// Whether a relative path cannot leave its folder.
static bool stays_inside(struct view location)
{
    if (location.size == 0 || location.data[0] == '/' ||
        memchr(location.data, '\0', location.size) != NULL)
        return false;
    while (location.size > 0) {
        const size_t end = view_find(location, '/');
        if (view_is(view_slice(location, 0, end), ".."))
            return false;
        location = view_slice(location, end < location.size ? end + 1 : end, location.size);
    }
    return true;
}

static status external_open_file(struct external_files *files, struct view location, uint32_t hash,
                                 const struct input **out_input)
{
    struct network *network = files->network;
    struct input *input;
    STATUS_TRY(input_map_beneath(network->source->path, location, &input));
    const size_t count = network->external_count;
    network->externals = memory_grow(network->externals, count, &files->external_capacity,
                                     sizeof *network->externals);
    files->locations =
        memory_grow(files->locations, count, &files->location_capacity, sizeof *files->locations);
    network->externals[count] = input;
    files->locations[count] = location;
    hash_add(&files->by_location, hash, (uint32_t)count);
    network->external_count++;
    *out_input = input;
    return STATUS_OK;
}

static status external_find_file(struct external_files *files, struct view location,
                                 const struct input **out_input)
{
    const uint32_t hash = hash_bytes(location.data, location.size);
    uint32_t id;
    for (uint32_t at = hash_first(&files->by_location, hash);
         (id = hash_next(&files->by_location, hash, &at)) != HASH_NONE;) {
        if (view_equal(files->locations[id], location)) {
            *out_input = files->network->externals[id];
            return STATUS_OK;
        }
    }
    return external_open_file(files, location, hash, out_input);
}

status external_find(struct external_files *files, const struct external_place *place,
                     uint64_t size, struct view *out_bytes)
{
    if (!stays_inside(place->location))
        return status_make(STATUS_DATA,
                           "external data at '%.*s'; a path inside the model's folder is expected",
                           VIEW_ARGUMENTS(place->location));
    if (place->length_given && place->length != size)
        return status_make(STATUS_DATA, "%" PRIu64 " bytes of external data instead of %" PRIu64,
                           place->length, size);
    const struct input *input;
    STATUS_TRY(external_find_file(files, place->location, &input));
    const uint64_t there = input->bytes.size;
    if (place->offset > there || size > there - place->offset)
        return status_make(STATUS_DATA,
                           "%s: ends at byte %" PRIu64 ", but %" PRIu64 " bytes at offset %" PRIu64
                           " are expected",
                           input->path, there, size, place->offset);
    *out_bytes = view_slice(input->bytes, place->offset, place->offset + size);
    return STATUS_OK;
}

void external_free(struct external_files *files)
{
    hash_free(&files->by_location);
    free(files->locations);
}
