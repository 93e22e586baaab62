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

// A location that is looked for in steps, each of which asks for the memory that the next one
// needs. One that was added after the first step may not be found.
struct compile_found {
    uint32_t id;               // string id; HASH_NONE: it is new
    struct shared_place ended; // for who adds it
};

// `hash` is that of the location's bytes.
static inline void compile_names_start(const struct compile_names *names, uint32_t hash,
                                       struct compile_found *out_found)
{
    out_found->ended = (struct shared_place){shared_index_table(&names->locations), hash};
    out_found->id = shared_index_next(out_found->ended.table, hash, &out_found->ended.at);
    if (out_found->id != HASH_NONE)
        strings_prefetch(&names->profile->strings, out_found->id);
}

static inline void compile_names_prefetch(const struct compile_names *names,
                                          const struct compile_found *found)
{
    enum { LINE = 64 };
    if (found->id == HASH_NONE)
        return;
    const struct view text = strings_get(&names->profile->strings, found->id);
    __builtin_prefetch(text.data);
    if (text.size > LINE)
        __builtin_prefetch(text.data + LINE);
}

static inline void compile_names_decide(const struct compile_names *names, struct view location,
                                        uint32_t hash, struct compile_found *found)
{
    const struct strings *strings = &names->profile->strings;
    if (location.size == 0)
        found->id = 0;
    while (found->id != HASH_NONE && !view_equal(strings_get(strings, found->id), location))
        found->id = shared_index_next(found->ended.table, hash, &found->ended.at);
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

// The location was not found. Its text is kept as it is where it is `lent` and events are streamed,
// else copied.
uint32_t compile_names_add_location(struct compile_names *names, struct view text, uint32_t hash,
                                    const struct compile_found *found, bool lent);

void compile_names_free(struct compile_names *names);

#endif
