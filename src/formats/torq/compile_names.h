// What the rows of a compile profile name: types (op types, events), locations, and the calls of
// the operators that are one of each. Rows are taken apart and looked up text by text: there are
// fewer types and locations than pairs of them.
//
// One thread adds, several may look up meanwhile.
//
// Memory: a slot of an index (base/shared_index.h) for each distinct location, which is a text of
// the profile. Where events are kept, 12 bytes and a slot for each distinct pair.

#ifndef OPSCOPE_FORMATS_TORQ_COMPILE_NAMES_H
#define OPSCOPE_FORMATS_TORQ_COMPILE_NAMES_H

#include "base/shared_index.h"
#include "profile/profile.h"

struct compile_type {
    struct view text;
    uint32_t name; // string id
    uint32_t unit; // by number, and which slice: what the type says; 0: nothing
    uint32_t slice;
};

struct compile_names {
    struct profile *profile;
    bool streams;                  // struct torq_options
    struct shared_index locations; // string ids
    struct shared_index types;
    struct segments type_items; // struct compile_type
    struct shared_index calls;
    struct segments call_items; // struct compile_call
};

struct compile_call {
    uint32_t type, location; // string ids
    uint32_t call;
};

#define COMPILE_NAMES(of, streaming)                                                               \
    ((struct compile_names){.profile = (of),                                                       \
                            .streams = (streaming),                                                \
                            .type_items.item_size = sizeof(struct compile_type),                   \
                            .call_items.item_size = sizeof(struct compile_call)})

// Numbers of types are valid for good.
static inline const struct compile_type *compile_names_type(const struct compile_names *names,
                                                            uint32_t number)
{
    return segments_get(&names->type_items, number);
}

// HASH_NONE when the type is new, or is being added by another thread.
uint32_t compile_names_find_type(const struct compile_names *names, struct view text);

// The same for a location, whose string id it is, from `*place` on; a new one is looked for anew
// from there.
static inline uint32_t compile_names_find_from(const struct compile_names *names, struct view text,
                                               uint32_t hash, struct shared_place *place)
{
    uint32_t id;
    if (text.size == 0)
        return 0;
    while ((id = shared_index_next(place->table, hash, &place->at)) != HASH_NONE) {
        if (view_equal(strings_get(&names->profile->strings, id), text))
            return id;
    }
    return HASH_NONE;
}

static inline uint32_t compile_names_find_location(const struct compile_names *names,
                                                   struct view text, uint32_t hash,
                                                   struct shared_place *out_ended)
{
    *out_ended = (struct shared_place){shared_index_table(&names->locations), hash};
    return compile_names_find_from(names, text, hash, out_ended);
}

// Asks for the memory of the text that is most likely the one of `hash`; NULL where there is none.
static inline const struct view *compile_names_prefetch(const struct compile_names *names,
                                                        uint32_t hash)
{
    uint32_t at = hash;
    const uint32_t id = shared_index_next(shared_index_table(&names->locations), hash, &at);
    if (id == HASH_NONE)
        return NULL;
    const struct view *text = segments_get(&names->profile->strings.texts, id);
    __builtin_prefetch(text);
    return text;
}

// The call of the one operator with this type and location (string ids), or what stands for it in
// a stream; 0 when it is new.
static inline uint32_t compile_names_find_call(const struct compile_names *names, uint32_t type,
                                               uint32_t location)
{
    if (names->streams && location < CALL_LOCATED)
        return CALL_LOCATED | location;
    const uint32_t hash = hash_u64((uint64_t)type << 32 | location);
    const struct shared_table *table = shared_index_table(&names->calls);
    uint32_t id;
    for (uint32_t at = hash; (id = shared_index_next(table, hash, &at)) != HASH_NONE;) {
        const struct compile_call *call = segments_get(&names->call_items, id);
        if (call->type == type && call->location == location)
            return call->call;
    }
    return 0;
}

// Each adds what is not there yet.
uint32_t compile_names_add_type(struct compile_names *names, struct view text);
uint32_t compile_names_add_call(struct compile_names *names, uint32_t type, uint32_t location);

// Where the text was looked for and not found, and it `ended`. It is kept as it is where it is
// `lent` and events are streamed, else copied.
uint32_t compile_names_add_location(struct compile_names *names, struct view text, uint32_t hash,
                                    struct shared_place ended, bool lent);

void compile_names_free(struct compile_names *names);

#endif
