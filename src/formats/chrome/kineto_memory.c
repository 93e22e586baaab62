#include "kineto_memory.h"

#include <stdio.h>

#include "base/sort.h"
#include "json.h"
#include "profile/memory.h"

enum { DEVICES_MOST = 64 };

struct taken {
    int64_t time;
    uint64_t offset; // in the file
    uint64_t address;
    int64_t bytes;
    uint32_t type;   // of the device
    uint32_t device; // of its type
};

static bool kineto_memory_number_of(struct view args, const char *key, int64_t *out_number)
{
    struct view text = chrome_find(args, key);
    const bool negative = text.size > 0 && text.data[0] == '-';
    uint64_t number;
    if (!chrome_number_of(view_slice(text, negative ? 1 : 0, text.size), &number) ||
        number > INT64_MAX)
        return false;
    *out_number = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

status kineto_memory_see(struct kineto_memory *memory, const struct chrome_event *event)
{
    int64_t address, bytes, type, device;
    if (event->has_ts && event->ts + event->dur > memory->last)
        memory->last = event->ts + event->dur;
    if (event->phase != 'i' || !event->has_ts || !view_is(event->name, "[memory]") ||
        !kineto_memory_number_of(event->args, "Addr", &address) ||
        !kineto_memory_number_of(event->args, "Bytes", &bytes) ||
        !kineto_memory_number_of(event->args, "Device Type", &type) || type < 0 ||
        type > UINT16_MAX)
        return STATUS_OK;
    if (!kineto_memory_number_of(event->args, "Device Id", &device) || device < 0 ||
        device > UINT16_MAX)
        device = 0; // the host's is -1
    const struct taken taken = {.time = event->ts,
                                .offset = event->offset,
                                .address = (uint64_t)address,
                                .bytes = bytes,
                                .type = (uint32_t)type,
                                .device = (uint32_t)device};
    return spool_append(&memory->spool, &taken, sizeof taken);
}

static bool kineto_memory_by_time(const void *left, const void *right)
{
    const struct taken *a = left;
    const struct taken *b = right;
    return a->time != b->time ? a->time < b->time : a->offset < b->offset;
}

static void name_memory(uint32_t type, char *name, size_t room)
{
    static const char *const NAMES[] = {"CPU", "CUDA"};
    if (type < sizeof NAMES / sizeof NAMES[0])
        snprintf(name, room, "%s", NAMES[type]);
    else
        snprintf(name, room, "device type %u", type);
}

static void kineto_memory_add_sample(struct memory_book *book, const struct taken *taken,
                                     int64_t base)
{
    const int64_t now = taken->time + base;
    if (now < 0)
        return;
    if (taken->bytes >= 0)
        memory_book_take(book, taken->address, (uint64_t)taken->bytes, (uint64_t)now, 0, 0);
    else
        memory_book_give_back(book, taken->address, (uint64_t)now);
}

// Nothing is taken at one place twice at once.
static bool is_copy(const struct taken *before, const struct taken *taken)
{
    return before->time == taken->time && before->address == taken->address &&
           before->bytes == taken->bytes && before->type == taken->type &&
           before->device == taken->device;
}

static void kineto_memory_add_device(struct profile *profile, const struct taken *taken,
                                     size_t count, int64_t base, int64_t end)
{
    char name[32];
    name_memory(taken->type, name, sizeof name);
    struct memory_book book = {.profile = profile,
                               .like = {.memory = profile_string(profile, view_of(name)),
                                        .device = taken->type == 0 ? 0 : taken->device + 1}};
    for (size_t i = 0; i < count; i++) {
        if (taken[i].type == taken->type && taken[i].device == taken->device &&
            (i == 0 || !is_copy(&taken[i - 1], &taken[i])))
            kineto_memory_add_sample(&book, &taken[i], base);
    }
    memory_book_close(&book, end > 0 ? (uint64_t)end : 0);
}

// Devices one after the other: there are few.
status kineto_memory_finish(struct kineto_memory *memory, struct profile *profile, int64_t base)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&memory->spool, &data, &size));
    struct taken *taken = (struct taken *)(void *)data;
    const size_t count = size / sizeof *taken;
    sort_in_place(taken, count, sizeof *taken, kineto_memory_by_time);
    uint64_t known[DEVICES_MOST];
    size_t devices = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = (uint64_t)taken[i].type << 32 | taken[i].device;
        size_t at = 0;
        while (at < devices && known[at] != key)
            at++;
        if (at < devices || devices == DEVICES_MOST)
            continue;
        known[devices++] = key;
        kineto_memory_add_device(profile, &taken[i], count - i, base, memory->last + base);
    }
    return STATUS_OK;
}
