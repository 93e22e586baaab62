#include "memory.h"

#include <stdlib.h>

#include "base/memory.h"

// What lies, or lay last, at an address.
struct memory_piece {
    struct buffer_lifetime lifetime;
    bool taken;
};

struct track memory_lane(struct profile *profile, struct view memory, struct bytes *values)
{
    const uint32_t name = profile_string(profile, memory);
    value_add_string(values, profile_string(profile, VIEW_LITERAL("memory")), name);
    return (struct track){.name = name, .kind = TRACK_LANE, .values = bytes_view(values)};
}

static bool profile_memory_find_value(struct view values, uint32_t key, struct value *out_value)
{
    struct value_reader reader = value_read(values);
    while (value_next(&reader, out_value)) {
        if (out_value->key == key)
            return true;
    }
    return false;
}

// Books --------------------------------------------------------------------------------

static struct memory_piece *piece_at(struct memory_book *book, uint64_t address)
{
    const uint32_t hash = hash_u64(address);
    uint32_t id;
    for (uint32_t at = hash_first(&book->index, hash);
         (id = hash_next(&book->index, hash, &at)) != HASH_NONE;) {
        if (book->pieces[id].lifetime.address == address)
            return &book->pieces[id];
    }
    book->pieces = memory_grow(book->pieces, book->count, &book->capacity, sizeof *book->pieces);
    hash_add(&book->index, hash, (uint32_t)book->count);
    book->pieces[book->count] = (struct memory_piece){.lifetime.address = address};
    return &book->pieces[book->count++];
}

static void end_piece(struct memory_book *book, struct memory_piece *piece, uint64_t now)
{
    piece->taken = false;
    piece->lifetime.to = now;
    profile_buffer_add(book->profile, &piece->lifetime);
}

void memory_book_take(struct memory_book *book, uint64_t address, uint64_t bytes, uint64_t now,
                      uint32_t name, uint32_t owner)
{
    struct memory_piece *piece = piece_at(book, address);
    if (piece->taken)
        end_piece(book, piece, now);
    piece->taken = true;
    piece->lifetime = book->like;
    piece->lifetime.address = address;
    piece->lifetime.size = bytes;
    piece->lifetime.from = now;
    piece->lifetime.name = name;
    piece->lifetime.owner = owner;
}

void memory_book_give_back(struct memory_book *book, uint64_t address, uint64_t now)
{
    struct memory_piece *piece = piece_at(book, address);
    if (piece->taken)
        end_piece(book, piece, now);
    else
        book->never_taken++;
}

void memory_book_close(struct memory_book *book, uint64_t end)
{
    for (size_t i = 0; i < book->count; i++) {
        if (book->pieces[i].taken)
            end_piece(book, &book->pieces[i], end);
    }
    free(book->pieces);
    hash_free(&book->index);
}

// Lanes --------------------------------------------------------------------------------

struct finder {
    struct event_sink sink;
    struct memory_book book;
    uint32_t address_key, bytes_key;
};

static void profile_memory_add_event(struct finder *finder, const struct event *event,
                                     struct view values)
{
    struct value address;
    struct value bytes;
    if (event->kind != EVENT_INSTANT ||
        !profile_memory_find_value(values, finder->address_key, &address))
        return;
    if (profile_memory_find_value(values, finder->bytes_key, &bytes))
        memory_book_take(&finder->book, address.number, bytes.number, event->start, event->name,
                         profile_call(finder->book.profile, event->call)->operator_id);
    else
        memory_book_give_back(&finder->book, address.number, event->start);
}

static status profile_memory_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct finder *finder = (struct finder *)sink;
    for (size_t i = 0; i < batch->count; i++)
        profile_memory_add_event(finder, &batch->events[i], event_values(batch, &batch->events[i]));
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
        .sink.take = profile_memory_take_batch,
        .book = {.profile = profile,
                 .like = {.memory = memory,
                          .clock = track->clock,
                          .device = track->device,
                          .core = track->core}},
        .address_key = profile_string(profile, VIEW_LITERAL("address")),
        .bytes_key = profile_string(profile, VIEW_LITERAL("bytes")),
    };
    if (has_lifetimes(profile, &finder.book.like))
        return STATUS_OK;
    const status result = profile_replay_track(profile, id, &finder.sink);
    memory_book_close(&finder.book, end_of(profile, track->clock));
    const struct view name = profile_text(profile, memory);
    if (finder.book.never_taken > 0)
        profile_note(profile, id, LEDGER_REMARK, finder.book.never_taken,
                     "memory '%.*s': what was given back %llu times had not been taken",
                     VIEW_ARGUMENTS(name), (unsigned long long)finder.book.never_taken);
    return result;
}

status memory_find_lifetimes(struct profile *profile)
{
    const uint32_t key = strings_find(&profile->strings, VIEW_LITERAL("memory"));
    for (uint32_t i = 1; i < profile->tracks.count && key != HASH_NONE; i++) {
        const struct track *track = profile_track(profile, i);
        struct value memory;
        if (track->kind == TRACK_LANE && track->instants > 0 &&
            profile_memory_find_value(track->values, key, &memory) && memory.kind == VALUE_STRING)
            STATUS_TRY(find_on_lane(profile, i, (uint32_t)memory.number));
    }
    return STATUS_OK;
}
