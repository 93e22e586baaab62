// What a trace says about itself: names and order of processes and threads, and the members of
// the object form beside its events.

#include <stdlib.h>

#include "reading.h"

// The text of an argument, as a string id; 0 when there is none.
static uint32_t argument(struct chrome_reading *reading, struct view args, const char *key)
{
    const struct view value = chrome_find(args, key);
    reading->values.scratch.size = 0;
    if (value.size == 0)
        return 0;
    return profile_string(reading->profile, chrome_text_of(value, &reading->values.scratch));
}

static bool sort_index(struct view args, int32_t *out_rank)
{
    uint64_t number;
    if (!chrome_number_of(chrome_find(args, "sort_index"), &number) ||
        (int64_t)number > INT32_MAX || (int64_t)number < INT32_MIN)
        return false;
    *out_rank = (int32_t)(int64_t)number;
    return true;
}

// In a trace of opscope's own times count from another moment than in the one that it was made of.
static void set_base(struct chrome_reading *reading, int64_t base)
{
    reading->base = base;
    reading->written.wanted = false;
    reading->flows.as_written = false;
}

static void read_process_name(struct chrome_reading *reading, struct chrome_process *process,
                              struct view args)
{
    uint64_t base;
    const uint32_t name = argument(reading, args, "name");
    if (name != 0)
        process->name = name;
    if (chrome_number_of(chrome_find(args, "base_ns"), &base) && base < INT64_MAX)
        set_base(reading, (int64_t)base);
}

static bool metadata_read_process(struct chrome_reading *reading, const struct chrome_event *event)
{
    uint32_t index;
    if (!view_starts_with(event->name, "process_"))
        return false;
    struct chrome_process *process = chrome_lanes_process(&reading->lanes, event, &index);
    if (view_is(event->name, "process_name"))
        read_process_name(reading, process, event->args);
    else if (view_is(event->name, "process_labels"))
        process->labels = argument(reading, event->args, "labels");
    else if (view_is(event->name, "process_sort_index"))
        process->has_rank = sort_index(event->args, &process->rank);
    else
        return false;
    return true;
}

static bool metadata_read_thread(struct chrome_reading *reading, const struct chrome_event *event)
{
    const bool is_name = view_is(event->name, "thread_name");
    if (!is_name && !view_is(event->name, "thread_sort_index"))
        return false;
    struct chrome_lane *lane = chrome_lanes_thread(&reading->lanes, event);
    if (!is_name) {
        lane->has_rank = sort_index(event->args, &lane->rank);
        return true;
    }
    const uint32_t name = argument(reading, event->args, "name");
    const uint32_t description = argument(reading, event->args, "description");
    if (name != 0)
        lane->name = name;
    if (description != 0)
        chrome_lanes_describe(&reading->lanes, lane, profile_text(reading->profile, description));
    return true;
}

void chrome_metadata_read(struct chrome_reading *reading, const struct chrome_event *event)
{
    if (reading->written.wanted)
        as_written_add_metadata(&reading->written, event);
    if (!metadata_read_process(reading, event) && !metadata_read_thread(reading, event))
        losses_add(&reading->losses, 0, CHROME_LOSS_METADATA, 0, event->offset);
}

// Members ---------------------------------------------------------------------

static void metadata_add_fact(struct chrome_reading *reading, struct view key, struct view value)
{
    char *name = view_copy(key);
    reading->values.scratch.size = 0;
    profile_fact_add(reading->profile, name, chrome_text_of(value, &reading->values.scratch));
    free(name);
}

static bool is_nested(struct view value)
{
    return value.data[0] == '{' || value.data[0] == '[';
}

void chrome_member_read(struct chrome_reading *reading, struct view key, struct view value)
{
    const uint64_t offset = (uint64_t)(value.data - reading->input->bytes.data);
    struct chrome_members members = chrome_members_of(value);
    struct view inner;
    struct view item;
    if (view_is(key, "displayTimeUnit"))
        return;
    if (!is_nested(value)) {
        metadata_add_fact(reading, key, value);
        return;
    }
    if (!view_is(key, "otherData") && !view_is(key, "metadata")) {
        losses_add(&reading->losses, 0, CHROME_LOSS_MEMBER, 0, offset);
        return;
    }
    while (!members.array && chrome_member_next(&members, &inner, &item)) {
        if (is_nested(item))
            losses_add(&reading->losses, 0, CHROME_LOSS_MEMBER, 0, offset);
        else
            metadata_add_fact(reading, inner, item);
    }
}
