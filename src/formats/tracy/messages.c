#include "messages.h"

#include "base/sort.h"

struct message_entry {
    uint64_t handle;
    const char *at; // in the file, after its time
    int64_t time;   // INT64_MIN: it is on its lane
};

enum { MESSAGE_SIZE = 8 + 8 + 9 + 4 + 3, MESSAGE_MORE = 2 }; // source and severity, later

static bool entry_before(const void *a, const void *b)
{
    const struct message_entry *x = a;
    const struct message_entry *y = b;
    return x->handle != y->handle ? x->handle < y->handle : x->at < y->at;
}

status tracy_messages_read(struct tracy_messages *messages, int version)
{
    struct tracy_cursor *cursor = messages->cursor;
    messages->size = MESSAGE_SIZE + (version >= TRACY_VERSION(0, 13, 2) ? MESSAGE_MORE : 0);
    const uint64_t count = tracy_count(cursor, messages->size);
    int64_t reference = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct message_entry entry = {.handle = tracy_u64(cursor)};
        entry.time = tracy_time(cursor, &reference);
        entry.at = cursor->at;
        tracy_skip(cursor, 1, messages->size - 16);
        STATUS_TRY(spool_append(&messages->spool, &entry, sizeof entry));
    }
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&messages->spool, &data, &size));
    messages->entries = (struct message_entry *)(void *)data;
    messages->count = size / sizeof *messages->entries;
    sort_in_place(messages->entries, messages->count, sizeof *messages->entries, entry_before);
    return STATUS_OK;
}

static struct message_entry *messages_find_entry(struct tracy_messages *messages, uint64_t handle)
{
    size_t from = 0;
    size_t to = messages->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (messages->entries[middle].handle < handle)
            from = middle + 1;
        else
            to = middle;
    }
    return from < messages->count && messages->entries[from].handle == handle
               ? &messages->entries[from]
               : NULL;
}

static void messages_add_message(struct tracy_messages *messages, uint32_t lane,
                                 struct message_entry *entry)
{
    struct tracy_cursor at = {entry->at, messages->cursor->end, false};
    const struct tracy_reference text = tracy_tables_reference(&at);
    if (entry->time == INT64_MIN)
        return;
    tracy_build_message(messages->build, lane, entry->time,
                        tracy_tables_text(messages->tables, text));
    entry->time = INT64_MIN;
}

void tracy_messages_read_thread(struct tracy_messages *messages, uint32_t lane)
{
    struct tracy_cursor *cursor = messages->cursor;
    const uint64_t count = tracy_count(cursor, 8);
    for (uint64_t i = 0; i < count; i++) {
        struct message_entry *entry = messages_find_entry(messages, tracy_u64(cursor));
        if (entry != NULL)
            messages_add_message(messages, lane, entry);
    }
}

void tracy_messages_finish(struct tracy_messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        if (messages->entries[i].time != INT64_MIN)
            messages_add_message(messages, tracy_build_thread(messages->build, 0),
                                 &messages->entries[i]);
    }
}

void tracy_messages_free(struct tracy_messages *messages)
{
    spool_free(&messages->spool);
}
