#include "memory.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

// What lies, or lay last, at an address.
struct piece {
    struct buffer_lifetime lifetime;
    bool taken;
};

struct finder {
    struct event_sink sink;
    struct profile *profile;
    uint32_t address_key, bytes_key;
    struct buffer_lifetime like;
    struct piece *pieces;
    size_t count, capacity;
    struct hash_index index; // by address
    uint64_t never_taken;
};

struct track memory_lane(struct profile *profile, struct view memory, struct bytes *values)
{
    const uint32_t name = profile_string(profile, memory);
    value_add_string(values, profile_string(profile, VIEW_LITERAL("memory")), name);
    return (struct track){.name = name, .kind = TRACK_LANE, .values = bytes_view(values)};
}

static bool find_value(struct view values, uint32_t key, struct value *out_value)
{
    struct value_reader reader = value_read(values);
    while (value_next(&reader, out_value)) {
        if (out_value->key == key)
            return true;
    }
    return false;
}

static struct piece *piece_at(struct finder *finder, uint64_t address)
{
    const uint32_t hash = hash_u64(address);
    uint32_t id;
    for (uint32_t at = hash_first(&finder->index, hash);
         (id = hash_next(&finder->index, hash, &at)) != HASH_NONE;) {
        if (finder->pieces[id].lifetime.address == address)
            return &finder->pieces[id];
    }
    finder->pieces =
        memory_grow(finder->pieces, finder->count, &finder->capacity, sizeof *finder->pieces);
    hash_add(&finder->index, hash, (uint32_t)finder->count);
    finder->pieces[finder->count] = (struct piece){.lifetime.address = address};
    return &finder->pieces[finder->count++];
}

static void give_back(struct finder *finder, struct piece *piece, uint64_t now)
{
    piece->taken = false;
    piece->lifetime.to = now;
    profile_buffer_add(finder->profile, &piece->lifetime);
}

static void add_event(struct finder *finder, const struct event *event, struct view values)
{
    struct value address;
    struct value bytes;
    if (event->kind != EVENT_INSTANT || !find_value(values, finder->address_key, &address))
        return;
    struct piece *piece = piece_at(finder, address.number);
    if (piece->taken)
        give_back(finder, piece, event->start);
    else if (!find_value(values, finder->bytes_key, &bytes))
        finder->never_taken++;
    if (!find_value(values, finder->bytes_key, &bytes))
        return;
    piece->taken = true;
    piece->lifetime = finder->like;
    piece->lifetime.address = address.number;
    piece->lifetime.size = bytes.number;
    piece->lifetime.from = event->start;
    piece->lifetime.name = event->name;
    piece->lifetime.owner = profile_call(finder->profile, event->call)->operator_id;
}

static status take(struct event_sink *sink, const struct event_batch *batch)
{
    struct finder *finder = (struct finder *)sink;
    for (size_t i = 0; i < batch->count; i++)
        add_event(finder, &batch->events[i], event_values(batch, &batch->events[i]));
    return STATUS_OK;
}

static uint64_t end_of(const struct profile *profile, uint32_t clock)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->clock == clock && track->first <= track->last && track->last > end)
            end = track->last;
    }
    return end;
}

static bool has_lifetimes(const struct profile *profile, const struct buffer_lifetime *like)
{
    for (uint32_t i = 0; i < profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&profile->buffers, i);
        if (buffer->memory == like->memory && buffer->device == like->device &&
            buffer->core == like->core)
            return true;
    }
    return false;
}

static status find_on_lane(struct profile *profile, uint32_t id, uint32_t memory)
{
    const struct track *track = profile_track(profile, id);
    struct finder finder = {
        .sink.take = take,
        .profile = profile,
        .address_key = profile_string(profile, VIEW_LITERAL("address")),
        .bytes_key = profile_string(profile, VIEW_LITERAL("bytes")),
        .like = {.memory = memory,
                 .clock = track->clock,
                 .device = track->device,
                 .core = track->core},
    };
    if (has_lifetimes(profile, &finder.like))
        return STATUS_OK;
    const status result = profile_replay_track(profile, id, &finder.sink);
    const uint64_t end = end_of(profile, track->clock);
    for (size_t i = 0; i < finder.count && result == STATUS_OK; i++) {
        if (finder.pieces[i].taken)
            give_back(&finder, &finder.pieces[i], end);
    }
    const struct view name = profile_text(profile, memory);
    if (finder.never_taken > 0)
        profile_note(profile, id, LEDGER_REMARK, finder.never_taken,
                     "memory '%.*s': what was given back %llu times had not been taken",
                     VIEW_ARGUMENTS(name), (unsigned long long)finder.never_taken);
    free(finder.pieces);
    hash_free(&finder.index);
    return result;
}

status memory_find_lifetimes(struct profile *profile)
{
    const uint32_t key = strings_find(&profile->strings, VIEW_LITERAL("memory"));
    for (uint32_t i = 1; i < profile->tracks.count && key != HASH_NONE; i++) {
        const struct track *track = profile_track(profile, i);
        struct value memory;
        if (track->kind == TRACK_LANE && track->instants > 0 &&
            find_value(track->values, key, &memory) && memory.kind == VALUE_STRING)
            STATUS_TRY(find_on_lane(profile, i, (uint32_t)memory.number));
    }
    return STATUS_OK;
}
