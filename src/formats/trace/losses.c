#include "losses.h"

#include <stdlib.h>

#include "base/memory.h"

static struct loss_entry *losses_find_entry(const struct losses *losses, uint32_t hash,
                                            uint32_t track, uint32_t reason, uint64_t detail)
{
    uint32_t id;
    for (uint32_t at = hash_first(&losses->index, hash);
         (id = hash_next(&losses->index, hash, &at)) != HASH_NONE;) {
        struct loss_entry *entry = &losses->entries[id];
        if (entry->track == track && entry->reason == reason && entry->detail == detail)
            return entry;
    }
    return NULL;
}

void losses_add(struct losses *losses, uint32_t track, uint32_t reason, uint64_t detail,
                uint64_t offset)
{
    const uint32_t hash = hash_u64(((uint64_t)track << 8 | reason) ^ detail << 40);
    struct loss_entry *entry = losses_find_entry(losses, hash, track, reason, detail);
    if (entry != NULL) {
        entry->count++;
        return;
    }
    losses->entries =
        memory_grow(losses->entries, losses->count, &losses->capacity, sizeof *losses->entries);
    losses->entries[losses->count] = (struct loss_entry){track, reason, detail, 1, offset};
    hash_add(&losses->index, hash, (uint32_t)losses->count);
    losses->count++;
}

uint64_t losses_explain(struct losses *losses, uint64_t unread, uint64_t halves,
                        struct profile *profile)
{
    uint64_t left = unread;
    for (size_t i = 0; i < losses->count && left > 0; i++) {
        struct loss_entry *entry = &losses->entries[i];
        if (entry->reason >= 64 || (halves >> entry->reason & 1) == 0)
            continue;
        const uint64_t explained = entry->count < left ? entry->count : left;
        struct ledger *account = &profile_track(profile, entry->track)->ledger;
        if (account->expected != LEDGER_UNKNOWN && account->expected >= explained)
            account->expected -= explained;
        entry->count -= explained;
        left -= explained;
    }
    return unread - left;
}

void losses_note(const struct loss_entry *entry, const struct loss_text *text,
                 struct profile *profile, const char *path)
{
    struct bytes place = {0};
    if (entry->count == 0)
        return;
    if (entry->track != 0) {
        const struct view name = profile_text(profile, profile_track(profile, entry->track)->name);
        bytes_append_format(&place, "track '%.*s': ", VIEW_ARGUMENTS(name));
    }
    struct bytes detail = {0};
    if (text->detail != NULL)
        bytes_append_format(&detail, " (%s %llu)", text->detail, (unsigned long long)entry->detail);
    struct bytes first = {0};
    if (entry->offset != LOSS_NO_OFFSET)
        bytes_append_format(&first, ", the first at byte %llu", (unsigned long long)entry->offset);
    profile_note(profile, entry->track, text->kind, entry->count, "%s: %.*s%s%.*s: %llu%.*s", path,
                 VIEW_ARGUMENTS(bytes_view(&place)), text->text,
                 VIEW_ARGUMENTS(bytes_view(&detail)), (unsigned long long)entry->count,
                 VIEW_ARGUMENTS(bytes_view(&first)));
    bytes_free(&place);
    bytes_free(&detail);
    bytes_free(&first);
}

void losses_free(struct losses *losses)
{
    free(losses->entries);
    hash_free(&losses->index);
    *losses = (struct losses){0};
}
