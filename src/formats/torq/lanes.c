#include "lanes.h"

static uint32_t torq_lanes_find(const struct lanes *lanes, uint32_t hash, uint32_t name)
{
    uint32_t id;
    for (uint32_t at = hash_first(&lanes->index, hash);
         (id = hash_next(&lanes->index, hash, &at)) != HASH_NONE;) {
        if (profile_track(lanes->profile, id)->name == name)
            return id;
    }
    return HASH_NONE;
}

uint32_t lanes_named(struct lanes *lanes, struct view name, const struct torq_engine *engine,
                     uint32_t index, int32_t rank)
{
    const uint32_t string = profile_string(lanes->profile, name);
    const uint32_t hash = hash_u64(string);
    const uint32_t known = torq_lanes_find(lanes, hash, string);
    if (known != HASH_NONE)
        return known;
    if (lanes->count >= LANES_MOST && !view_is(name, "OTHER"))
        return lanes_named(lanes, VIEW_LITERAL("OTHER"), NULL, 0, LANES_OTHER);

    struct track track = lanes->like;
    track.name = string;
    track.kind = TRACK_LANE;
    torq_engine_set(lanes->profile, &track, engine, index);
    track.rank = rank == LANES_OTHER ? LANES_OTHER + (int32_t)lanes->count : rank;
    const uint32_t id = profile_track_add(lanes->profile, &track);
    hash_add(&lanes->index, hash, id);
    lanes->count++;
    return id;
}

void lanes_free(struct lanes *lanes)
{
    hash_free(&lanes->index);
}
