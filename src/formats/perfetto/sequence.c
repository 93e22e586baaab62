#include "sequence.h"

#include <stdlib.h>

#include "arguments.h"
#include "base/memory.h"
#include "fields.h"

// Interning -------------------------------------------------------------------

// Ids are dense: neighbours fall into neighbouring slots.
static uint32_t perfetto_sequence_slot_of(uint32_t text, uint32_t mask)
{
    return text & mask;
}

static void map_grow(struct iid_map *map)
{
    const struct iid_map old = *map;
    const uint32_t size = old.slots == NULL ? 16 : (old.mask + 1) * 2;
    map->slots = memory_allocate_zeroed(size, 2 * sizeof *map->slots);
    memory_prefer_huge(map->slots, (size_t)size * 2 * sizeof *map->slots);
    map->mask = size - 1;
    for (uint32_t i = 0; old.slots != NULL && i <= old.mask; i++) {
        if (old.slots[2 * i] == 0)
            continue;
        uint32_t at = perfetto_sequence_slot_of(old.slots[2 * i], map->mask);
        while (map->slots[2 * at] != 0)
            at = (at + 1) & map->mask;
        map->slots[2 * at] = old.slots[2 * i];
        map->slots[2 * at + 1] = old.slots[2 * i + 1];
    }
    free(old.slots);
}

// The iid of a text; `*out_new` when it has to be defined.
static uint32_t map_get(struct iid_map *map, uint32_t text, bool *out_new)
{
    if (map->count * 2 >= map->mask || map->slots == NULL)
        map_grow(map);
    uint32_t at = perfetto_sequence_slot_of(text + 1, map->mask);
    for (; map->slots[2 * at] != 0; at = (at + 1) & map->mask) {
        if (map->slots[2 * at] == text + 1) {
            *out_new = false;
            return map->slots[2 * at + 1];
        }
    }
    map->count++;
    map->slots[2 * at] = text + 1;
    map->slots[2 * at + 1] = ++map->last;
    *out_new = true;
    return map->last;
}

static inline uint32_t sequence_text_iid(struct sequence *sequence, uint32_t text, bool *out_new)
{
    while (sequence->homes->count <= text)
        segments_add(sequence->homes);
    struct text_home *home = segments_get(sequence->homes, text);
    const uint32_t id = sequence->shared->id;
    *out_new = home->sequence == 0;
    if (*out_new)
        *home = (struct text_home){id, ++sequence->texts.last};
    if (home->sequence == id)
        return home->iid;
    return map_get(&sequence->texts, text, out_new);
}

// Deciding ----------------------------------------------------------------------------

// The event at hand: the last one of the chunk.
struct deciding {
    struct sequence *sequence;
    struct chunk *chunk;
    const struct encode_options *options;
};

static void deciding_define(const struct deciding *deciding, uint32_t field, uint32_t iid,
                            uint32_t text)
{
    chunk_define(deciding->chunk, field, iid, text,
                 profile_text(deciding->options->profile, text).size);
}

static uint32_t deciding_intern(const struct deciding *deciding, struct iid_map *map,
                                uint32_t field, uint32_t text)
{
    bool is_new;
    const uint32_t iid = map_get(map, text, &is_new);
    if (is_new)
        deciding_define(deciding, field, iid, text);
    return iid;
}

static uint32_t deciding_name(const struct deciding *deciding, uint32_t name)
{
    struct sequence *sequence = deciding->sequence;
    if (sequence->last_name_iid == 0 || sequence->last_name != name) {
        sequence->last_name_iid =
            deciding_intern(deciding, &sequence->names, PERFETTO_INTERNED_EVENT_NAME, name);
        sequence->last_name = name;
    }
    return sequence->last_name_iid;
}

static uint32_t deciding_text(const struct deciding *deciding, uint32_t text)
{
    bool is_new;
    const uint32_t iid = sequence_text_iid(deciding->sequence, text, &is_new);
    if (is_new)
        deciding_define(deciding, PERFETTO_INTERNED_STRING, iid, text);
    return iid;
}

// Up to here an argument's name is looked up directly (chunk.h).
enum { COMMON_IID_MOST = 127 };

static inline bool is_common_key(const struct sequence *sequence, uint32_t key)
{
    return key < SEQUENCE_COMMON_KEYS && (sequence->common_keys >> key & 1) != 0;
}

static void deciding_new_key(const struct deciding *deciding, uint32_t key)
{
    struct sequence *sequence = deciding->sequence;
    const uint32_t iid =
        deciding_intern(deciding, &sequence->keys, PERFETTO_INTERNED_ANNOTATION_NAME, key);
    if (key < SEQUENCE_COMMON_KEYS && iid <= COMMON_IID_MOST) {
        sequence->shared->iids[key] = (unsigned char)iid;
        sequence->common_keys |= (uint64_t)1 << key;
    } else {
        chunk_name_text(deciding->chunk, iid);
    }
}

static inline void deciding_key(const struct deciding *deciding, uint32_t key)
{
    if (!is_common_key(deciding->sequence, key))
        deciding_new_key(deciding, key);
}

static void deciding_value(const struct deciding *deciding, const struct value *value)
{
    deciding_key(deciding, value->key);
    if (value->kind == VALUE_STRING)
        chunk_name_text(deciding->chunk, deciding_text(deciding, (uint32_t)value->number));
}

// Whether no more is to be decided of values that have at most these keys.
static inline bool deciding_keys(const struct deciding *deciding, uint64_t keys)
{
    const struct sequence *sequence = deciding->sequence;
    if (keys == 0 || deciding->options->no_arguments)
        return keys != 0;
    for (uint64_t missing; (missing = keys & ~sequence->common_keys) != 0;) {
        if (sequence->keys.last >= COMMON_IID_MOST)
            return false;
        deciding_new_key(deciding, (uint32_t)__builtin_ctzll(missing));
    }
    return true;
}

static void deciding_common_values(const struct deciding *deciding, struct argument_reader *reader)
{
    const unsigned char *at = reader->values.at;
    const unsigned char *last = NULL;
    for (size_t size; (size = argument_common_size(at, reader->values.end)) != 0; at += 2 + size) {
        deciding_key(deciding, at[0]);
        last = at;
    }
    arguments_pass(reader, at, last);
}

static void deciding_values(const struct deciding *deciding, struct view values)
{
    const struct encode_options *options = deciding->options;
    struct argument_reader reader =
        arguments_read(values, options->category_key, !options->no_arguments);
    struct value value;
    for (;;) {
        if (reader.wanted)
            deciding_common_values(deciding, &reader);
        switch (argument_next(&reader, &value)) {
        case ARGUMENT_VALUE:
            deciding_value(deciding, &value);
            break;
        case ARGUMENT_CATEGORY:
            chunk_name_text(deciding->chunk,
                            deciding_intern(deciding, &deciding->sequence->categories,
                                            PERFETTO_INTERNED_CATEGORY, (uint32_t)value.number));
            break;
        case ARGUMENT_NONE:
            return;
        default:
            break;
        }
    }
}

static uint64_t sequence_since(struct sequence *sequence, uint64_t ns)
{
    const uint64_t since = ns - sequence->now;
    sequence->now = ns;
    return since;
}

void sequence_add(struct sequence *sequence, struct chunk *chunk,
                  const struct encode_options *options, uint64_t ns,
                  const struct sequence_event *event)
{
    const struct deciding deciding = {sequence, chunk, options};
    struct chunk_event *added = chunk_add(chunk);
    added->sequence = sequence->shared;
    added->kind = (uint8_t)event->kind;
    added->ends = event->ends;
    added->end_ns = event->ends ? sequence_since(sequence, event->end) : 0;
    added->ns = sequence_since(sequence, ns);
    added->call = event->call;
    added->values_at = event->values_at;
    added->values_size = event->values_size;
    added->has_cycles = event->has_cycles && !options->no_arguments;
    added->number = event->cycles;
    added->location = 0;
    added->name = deciding_name(&deciding, event->name);
    if (event->values_size > 0 && !deciding_keys(&deciding, event->keys))
        deciding_values(
            &deciding,
            (struct view){(const char *)chunk->values.data + event->values_at, event->values_size});
    if (event->location != 0 && !options->no_arguments) {
        deciding_key(&deciding, options->location_key);
        added->location = deciding_text(&deciding, event->location);
    }
    if (event->call != 0)
        deciding_key(&deciding, options->call_key);
    if (added->has_cycles)
        deciding_key(&deciding, options->cycles_key);
}

void sequence_end(struct sequence *sequence, struct chunk *chunk, uint64_t ns)
{
    struct chunk_event *added = chunk_add(chunk);
    added->kind = CHUNK_END;
    added->sequence = sequence->shared;
    added->ns = sequence_since(sequence, ns);
    added->values_size = 0;
}

void sequence_sample(struct sequence *sequence, struct chunk *chunk, uint64_t ns,
                     const struct value *value)
{
    const bool real = value->kind == VALUE_REAL;
    uint64_t number = value->number;
    if (real)
        memcpy(&number, &value->real, sizeof number);
    struct chunk_event *added = chunk_add(chunk);
    *added = (struct chunk_event){.kind = real ? CHUNK_SAMPLE_REAL : CHUNK_SAMPLE,
                                  .sequence = sequence->shared,
                                  .ns = sequence_since(sequence, ns),
                                  .number = number};
}

void sequence_start(struct sequence *sequence, struct chunk *chunk, uint32_t id, uint64_t uuid,
                    uint64_t ns, struct segments *homes)
{
    *sequence = (struct sequence){
        .shared = memory_allocate_zeroed(1, sizeof *sequence->shared), .now = ns, .homes = homes};
    sequence->shared->id = id;
    unsigned char *start = chunk_reserve(chunk, ENCODE_START_MOST);
    chunk_commit(chunk, (size_t)(encode_start(start, id, uuid, ns) - start));
}

void sequence_free(struct sequence *sequence)
{
    free(sequence->shared);
    free(sequence->ends);
    free(sequence->names.slots);
    free(sequence->categories.slots);
    free(sequence->keys.slots);
    free(sequence->texts.slots);
}
