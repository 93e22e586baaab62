#include "stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "asker.h"
#include "base/memory.h"
#include "build.h"
#include "stream_device.h"
#include "tables.h"

// A zone of a thread whose end has not come.
struct open_zone {
    int64_t start;
    struct tracy_location location;
    uint32_t name;
    struct bytes text;
};

struct thread {
    uint64_t number;
    struct open_zone *open;
    size_t open_count;
    size_t open_capacity;
    uint64_t too_deep; // open zones beyond DEPTH_MOST
};

enum { DEPTH_MOST = 65536, TEXT_MOST = 1 << 20 };

struct frame_set {
    uint64_t pointer;
    int64_t begun; // INT64_MIN: none is open
};

struct streaming {
    const char *path;
    struct profile *profile;
    uint32_t protocol;
    struct tracy_wire *wire;
    struct tracy_welcome welcome;
    struct tracy_build build;
    struct tracy_asker asker;
    struct tracy_names texts, threads_names, plots, frames;
    struct segments locations; // struct stored_location
    struct hash_index location_index;
    struct segments threads; // struct thread
    struct hash_index thread_index;
    struct segments frame_sets; // struct frame_set
    struct stream_devices devices;
    struct thread *thread; // whose items come
    int64_t reference;     // of its times
    int64_t serial;        // of those without a thread
    struct view single;    // text for the next item
    struct tracy_location sent;
    uint64_t fibers;
    uint64_t unmatched; // ends without a zone
    bool ended;
};

struct stored_location {
    uint64_t pointer;
    uint64_t name, function, file; // pointers
    uint32_t line;
    bool is_made;
    struct tracy_location location;
};

bool tracy_stream_recognise(struct view bytes)
{
    return view_starts_with(bytes, TRACY_STREAM_MAGIC) ||
           view_starts_with(bytes, TRACY_STREAM_MAGIC_1);
}

// Names, the first time -------------------------------------------------------

static void keep_text(struct streaming *stream, struct tracy_names *names,
                      const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    const uint64_t pointer = tracy_u64(&payload);
    // The content of a frame goes; the profile's texts stay.
    tracy_names_set(names, pointer,
                    profile_text(stream->profile, profile_string(stream->profile, item->body)));
}

static void keep_location(struct streaming *stream, struct tracy_cursor payload)
{
    const uint64_t pointer = tracy_asker_next_location(&stream->asker);
    if (pointer == 0)
        return;
    hash_add(&stream->location_index, hash_u64(pointer), stream->locations.count);
    struct stored_location *location = segments_add(&stream->locations);
    location->pointer = pointer;
    location->name = tracy_u64(&payload);
    location->function = tracy_u64(&payload);
    location->file = tracy_u64(&payload);
    location->line = tracy_u32(&payload);
}

static void learn_names(struct streaming *stream, const struct tracy_item *item)
{
    switch (item->type) {
    case TRACY_STRING:
        keep_text(stream, &stream->texts, item);
        break;
    case TRACY_THREAD_NAME:
        keep_text(stream, &stream->threads_names, item);
        break;
    case TRACY_PLOT_NAME:
        keep_text(stream, &stream->plots, item);
        break;
    case TRACY_FRAME_NAME:
        keep_text(stream, &stream->frames, item);
        break;
    case TRACY_LOCATION:
        keep_location(stream, item->payload);
        break;
    default:
        break;
    }
    tracy_asker_see(&stream->asker, stream->wire, item);
    stream->asker.questions.size = 0;
}

// Events, the second time -----------------------------------------------------

static int64_t ns_of(const struct streaming *stream, int64_t tick)
{
    const uint64_t since = (uint64_t)tick - (uint64_t)stream->welcome.begin;
    const double ns = (double)(int64_t)since * stream->welcome.multiplier;
    return ns > -9e18 && ns < 9e18 ? (int64_t)ns : INT64_MIN;
}

static int64_t advance(struct tracy_cursor *payload, int64_t *reference)
{
    return tracy_time(payload, reference);
}

static void enter_thread(struct streaming *stream, uint64_t number)
{
    const uint32_t hash = hash_u64(number);
    uint32_t id;
    stream->reference = 0;
    for (uint32_t at = hash_first(&stream->thread_index, hash);
         (id = hash_next(&stream->thread_index, hash, &at)) != HASH_NONE;) {
        stream->thread = segments_get(&stream->threads, id);
        if (stream->thread->number == number)
            return;
    }
    struct view name;
    hash_add(&stream->thread_index, hash, stream->threads.count);
    stream->thread = segments_add(&stream->threads);
    stream->thread->number = number;
    if (tracy_names_find(&stream->threads_names, number, &name))
        tracy_build_name_thread(&stream->build, number, name);
}

static uint32_t stream_lane_of(struct streaming *stream)
{
    return tracy_build_thread(&stream->build, stream->thread != NULL ? stream->thread->number : 0);
}

static struct tracy_location find_location(struct streaming *stream, uint64_t pointer)
{
    const uint32_t hash = hash_u64(pointer);
    uint32_t id;
    for (uint32_t at = hash_first(&stream->location_index, hash);
         (id = hash_next(&stream->location_index, hash, &at)) != HASH_NONE;) {
        struct stored_location *stored = segments_get(&stream->locations, id);
        struct view name, function, file;
        if (stored->pointer != pointer)
            continue;
        if (!stored->is_made) {
            tracy_names_find(&stream->texts, stored->name, &name);
            tracy_names_find(&stream->texts, stored->function, &function);
            tracy_names_find(&stream->texts, stored->file, &file);
            stored->location =
                tracy_build_location(&stream->build, name, function, file, stored->line);
            stored->is_made = true;
        }
        return stored->location;
    }
    // The program ended before it said what stands there.
    char text[48];
    snprintf(text, sizeof text, "location 0x%llx", (unsigned long long)pointer);
    return tracy_build_location(&stream->build, view_of(text), VIEW_LITERAL(""), VIEW_LITERAL(""),
                                0);
}

// colour, line, function NUL, file NUL, name
static struct tracy_location sent_location(struct streaming *stream, struct view body)
{
    struct tracy_cursor cursor = tracy_cursor_of(body);
    tracy_skip(&cursor, 1, 4);
    const uint32_t line = tracy_u32(&cursor);
    struct view rest = tracy_take(&cursor, tracy_left(&cursor));
    struct view parts[2];
    for (int i = 0; i < 2; i++) {
        const size_t end = view_find(rest, '\0');
        parts[i] = view_slice(rest, 0, end);
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    return tracy_build_location(&stream->build, rest, parts[0], parts[1], line);
}

static void begin_zone(struct streaming *stream, int64_t tick, struct tracy_location location)
{
    struct thread *thread = stream->thread;
    if (thread == NULL || thread->open_count == DEPTH_MOST) {
        if (thread != NULL)
            thread->too_deep++;
        return;
    }
    thread->open =
        memory_grow(thread->open, thread->open_count, &thread->open_capacity, sizeof *thread->open);
    thread->open[thread->open_count++] =
        (struct open_zone){.start = ns_of(stream, tick), .location = location};
}

static void stream_end_zone(struct streaming *stream, int64_t tick)
{
    struct thread *thread = stream->thread;
    if (thread != NULL && thread->too_deep > 0) {
        thread->too_deep--;
        profile_note(stream->profile, stream_lane_of(stream), LEDGER_LOST, 1,
                     "%s: a zone that lies more than %d deep", stream->path, DEPTH_MOST);
        return;
    }
    if (thread == NULL || thread->open_count == 0) {
        stream->unmatched++;
        return;
    }
    struct open_zone *open = &thread->open[--thread->open_count];
    const struct tracy_zone zone = {.start = open->start,
                                    .end = ns_of(stream, tick),
                                    .location = open->location,
                                    .name = open->name,
                                    .text = bytes_view(&open->text)};
    tracy_build_zone(&stream->build, stream_lane_of(stream), &zone);
    bytes_free(&open->text);
}

static struct open_zone *innermost(struct streaming *stream)
{
    struct thread *thread = stream->thread;
    return thread != NULL && thread->open_count > 0 ? &thread->open[thread->open_count - 1] : NULL;
}

static void stream_append_text(struct streaming *stream, struct view text)
{
    struct open_zone *zone = innermost(stream);
    if (zone == NULL || zone->text.size + text.size > TEXT_MOST)
        return;
    if (zone->text.size > 0)
        bytes_append(&zone->text, "\n", 1);
    bytes_append(&zone->text, text.data, text.size);
}

static void stream_add_message(struct streaming *stream, int64_t tick, struct view text)
{
    tracy_build_message(&stream->build, stream_lane_of(stream), ns_of(stream, tick), text);
}

static void add_literal(struct streaming *stream, struct tracy_cursor payload, size_t colour)
{
    const int64_t tick = tracy_i64(&payload);
    struct view text;
    tracy_take(&payload, colour);
    tracy_names_find(&stream->texts, tracy_u64(&payload), &text);
    stream_add_message(stream, tick, text);
}

static void add_plot(struct streaming *stream, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    const uint64_t pointer = tracy_u64(&payload);
    const int64_t time = ns_of(stream, advance(&payload, &stream->reference));
    double value;
    if (item->type == TRACY_PLOT_INT)
        value = (double)tracy_i64(&payload);
    else
        value = item->type == TRACY_PLOT_FLOAT ? (double)tracy_f32(&payload) : tracy_f64(&payload);
    struct view name;
    if (!tracy_names_find(&stream->plots, pointer, &name))
        name = VIEW_LITERAL("plot");
    if (isfinite(value))
        tracy_build_sample(&stream->build, tracy_build_counter(&stream->build, name, ""), time,
                           value);
}

static void stream_add_usage(struct streaming *stream, struct tracy_cursor payload)
{
    const int64_t time = ns_of(stream, tracy_i64(&payload));
    const double value = (double)tracy_f32(&payload);
    const uint32_t counter = tracy_build_counter(&stream->build, VIEW_LITERAL("CPU usage"), "%");
    if (isfinite(value))
        tracy_build_sample(&stream->build, counter, time, value);
}

// A mark ends the frame before it; others begin and end.
static void add_frame(struct streaming *stream, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    const int64_t time = ns_of(stream, tracy_i64(&payload));
    const uint64_t pointer = tracy_u64(&payload);
    struct frame_set *set = NULL;
    for (uint32_t i = 0; i < stream->frame_sets.count && set == NULL; i++) {
        struct frame_set *known = segments_get(&stream->frame_sets, i);
        set = known->pointer == pointer ? known : NULL;
    }
    if (set == NULL) {
        set = segments_add(&stream->frame_sets);
        *set = (struct frame_set){pointer, INT64_MIN};
    }
    struct view name = VIEW_LITERAL("");
    if (pointer != 0)
        tracy_names_find(&stream->frames, pointer, &name);
    if (item->type != TRACY_FRAME_BEGIN && set->begun != INT64_MIN)
        tracy_build_frame(&stream->build, tracy_build_frames(&stream->build, name), set->begun,
                          time, name);
    set->begun = item->type == TRACY_FRAME_END ? INT64_MIN : time;
}

static void stream_note_crash(struct streaming *stream, struct tracy_cursor payload)
{
    const int64_t tick = tracy_i64(&payload);
    struct view text;
    tracy_names_find(&stream->texts, tracy_u64(&payload), &text);
    stream_add_message(stream, tick, text.size > 0 ? text : VIEW_LITERAL("crash"));
    profile_note(stream->profile, 0, LEDGER_REMARK, 1, "%s: the program crashed: %.*s",
                 stream->path, VIEW_ARGUMENTS(text));
}

static void read_device_item(struct streaming *stream, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    if (item->type <= TRACY_DEVICE_END)
        advance(&payload, &stream->reference);
    else
        advance(&payload, &stream->serial);
    if (item->type == TRACY_DEVICE_END || item->type == TRACY_DEVICE_END_SERIAL) {
        stream_devices_end(&stream->devices, payload);
        return;
    }
    const uint64_t pointer = tracy_item_location(stream->wire, item);
    stream_devices_begin(&stream->devices, payload,
                         pointer != 0 ? find_location(stream, pointer) : stream->sent);
}

static void stream_read_other(struct streaming *stream, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    switch (item->type) {
    case TRACY_NEW_CONTEXT:
        stream_devices_new(&stream->devices, payload);
        break;
    case TRACY_CONTEXT_NAME:
        stream_devices_name(&stream->devices, payload, stream->single);
        break;
    case TRACY_DEVICE_TIME:
        stream_devices_time(&stream->devices, payload);
        break;
    case TRACY_CALIBRATION:
        stream_devices_calibrate(&stream->devices, payload);
        break;
    case TRACY_TIME_SYNC:
        stream_devices_sync(&stream->devices, payload);
        break;
    case TRACY_FRAME_MARK:
    case TRACY_FRAME_BEGIN:
    case TRACY_FRAME_END:
        add_frame(stream, item);
        break;
    case TRACY_CPU_USAGE:
        stream_add_usage(stream, payload);
        break;
    case TRACY_CRASH_REPORT:
        stream_note_crash(stream, payload);
        break;
    case TRACY_APPLICATION:
        profile_fact_add(stream->profile, "application", stream->single);
        break;
    case TRACY_FIBER_ENTER:
    case TRACY_FIBER_LEAVE:
        advance(&payload, &stream->reference);
        stream->fibers++;
        break;
    case TRACY_TERMINATE:
        stream->ended = true;
        break;
    default:
        if (item->type >= TRACY_DEVICE_BEGIN && item->type <= TRACY_DEVICE_END_SERIAL)
            read_device_item(stream, item);
        // Locks and memory move the reference of what belongs to no thread.
        else if ((item->type >= 18 && item->type <= 19) || item->type == 21 || item->type == 22)
            stream->serial = (int64_t)((uint64_t)stream->serial +
                                       (tracy_skip(&payload, 1, 8), tracy_u64(&payload)));
        else if (item->type == 20 || item->type == 23)
            stream->serial = (int64_t)((uint64_t)stream->serial +
                                       (tracy_skip(&payload, 1, 4), tracy_u64(&payload)));
        else if (item->type >= 25 && item->type <= 32)
            advance(&payload, &stream->serial);
    }
}

static void read_item(struct streaming *stream, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    switch (item->type) {
    case TRACY_THREAD:
        enter_thread(stream, tracy_u32(&payload));
        break;
    case TRACY_ZONE_BEGIN:
    case TRACY_ZONE_BEGIN_STACK: {
        const int64_t tick = advance(&payload, &stream->reference);
        begin_zone(stream, tick, find_location(stream, tracy_u64(&payload)));
        break;
    }
    case TRACY_ZONE_BEGIN_SENT:
    case TRACY_ZONE_BEGIN_SENT_STACK:
        begin_zone(stream, advance(&payload, &stream->reference), stream->sent);
        break;
    case TRACY_ZONE_END:
        stream_end_zone(stream, advance(&payload, &stream->reference));
        break;
    case TRACY_ZONE_TEXT:
        stream_append_text(stream, stream->single);
        break;
    case TRACY_ZONE_NAME:
        if (innermost(stream) != NULL)
            innermost(stream)->name = profile_string(stream->profile, stream->single);
        break;
    case TRACY_ZONE_VALUE: {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)tracy_u64(&payload));
        stream_append_text(stream, view_of(text));
        break;
    }
    case TRACY_MESSAGE:
    case TRACY_MESSAGE_COLOR:
    case TRACY_MESSAGE_STACK:
    case TRACY_MESSAGE_COLOR_STACK:
        stream_add_message(stream, tracy_i64(&payload), stream->single);
        break;
    case TRACY_MESSAGE_LITERAL:
    case TRACY_MESSAGE_LITERAL_STACK:
        add_literal(stream, payload, 0);
        break;
    case TRACY_MESSAGE_LITERAL_COLOR:
    case TRACY_MESSAGE_LITERAL_COLOR_STACK:
        add_literal(stream, payload, 3);
        break;
    case TRACY_PLOT_INT:
    case TRACY_PLOT_FLOAT:
    case TRACY_PLOT_DOUBLE:
        add_plot(stream, item);
        break;
    case TRACY_SINGLE_STRING:
        stream->single = item->body;
        break;
    case TRACY_LOCATION_SENT:
        stream->sent = sent_location(stream, item->body);
        break;
    default:
        stream_read_other(stream, item);
    }
}

// Frames ----------------------------------------------------------------------

typedef void (*item_function)(struct streaming *stream, const struct tracy_item *item);

// NULL, or what is wrong where it stops.
static const char *visit_items(struct streaming *stream, struct tracy_cursor frames,
                               item_function function)
{
    tracy_wire_start(stream->wire, stream->protocol);
    while (tracy_left(&frames) > 0) {
        const uint32_t size = tracy_u32(&frames);
        const struct view packed = tracy_take(&frames, size);
        struct view content;
        struct tracy_item item;
        if (frames.short_of)
            return "the stream is cut off inside a frame";
        if (size == 0 || size > TRACY_FRAME_MOST ||
            !tracy_wire_unpack(stream->wire, packed, &content))
            return "a frame of it is damaged";
        struct tracy_cursor items = tracy_cursor_of(content);
        stream->single = VIEW_LITERAL("");
        while (tracy_wire_next(stream->wire, &items, &item))
            function(stream, &item);
        if (tracy_left(&items) > 0)
            return "an item is of a kind that its protocol does not have";
    }
    return NULL;
}

static void lose_open_zones(struct streaming *stream)
{
    for (uint32_t i = 0; i < stream->threads.count; i++) {
        struct thread *thread = segments_get(&stream->threads, i);
        while (thread->open_count > 0) {
            struct open_zone *open = &thread->open[--thread->open_count];
            const struct tracy_zone zone = {.start = open->start < 0 ? 0 : open->start,
                                            .end = -1,
                                            .location = open->location,
                                            .text = VIEW_LITERAL("")};
            tracy_build_zone(&stream->build, tracy_build_thread(&stream->build, thread->number),
                             &zone);
            bytes_free(&open->text);
        }
        free(thread->open);
    }
    stream_devices_finish(&stream->devices);
}

static void account(struct streaming *stream, const char *damage)
{
    struct profile *profile = stream->profile;
    lose_open_zones(stream);
    if (stream->unmatched + stream->devices.unknown > 0)
        profile_note(profile, 0, LEDGER_LOST, stream->unmatched + stream->devices.unknown,
                     "%s: ends of zones without a beginning, or times of no zone", stream->path);
    if (stream->fibers > 0)
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: fibers are not told apart: their zones are those of the threads",
                     stream->path);
    tracy_build_finish(&stream->build);
    if (damage == NULL && !stream->ended)
        damage = "the stream has no end: the program was killed, or the capture was stopped";
    if (damage == NULL) {
        struct ledger *root = &profile_track(profile, 0)->ledger;
        root->expected = root->recorded + root->lost + root->impossible;
        return;
    }
    profile_note(profile, 0, LEDGER_LOST, 1, "%s: %s", stream->path, damage);
    profile_track(profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

static void start_streaming(struct streaming *stream, struct view head)
{
    struct tracy_cursor cursor = tracy_cursor_of(head);
    tracy_skip(&cursor, 1, sizeof TRACY_STREAM_MAGIC - 1);
    const uint64_t zero = tracy_u64(&cursor);
    const struct view boot = tracy_take(&cursor, TRACY_STREAM_BOOT);
    struct profile *profile = stream->profile;
    profile_fact_add(profile, "format", VIEW_LITERAL("tracy-stream"));
    tracy_build_start(&stream->build, profile, stream->path, stream->welcome.program,
                      stream->welcome.pid);
    if (zero != TRACY_STREAM_NO_TIME) {
        char clock[96];
        snprintf(clock, sizeof clock, "CLOCK_MONOTONIC of boot %.*s",
                 VIEW_ARGUMENTS(view_slice(boot, 0, view_find(boot, '\0'))));
        profile_fact_add(profile, "clock", view_of(clock));
        stream->build.clock = profile_clock_add(profile, "tracy", 1000000000, 0, zero);
    }
    if (stream->welcome.host.size > 0)
        profile_fact_add(profile, "host", stream->welcome.host);
    tracy_names_start(&stream->texts);
    tracy_names_start(&stream->threads_names);
    tracy_names_start(&stream->plots);
    tracy_names_start(&stream->frames);
    segments_start(&stream->locations, sizeof(struct stored_location));
    segments_start(&stream->threads, sizeof(struct thread));
    segments_start(&stream->frame_sets, sizeof(struct frame_set));
    tracy_asker_start(&stream->asker);
    stream_devices_start(&stream->devices, &stream->build, stream->wire, &stream->welcome);
}

static void end_streaming(struct streaming *stream)
{
    tracy_names_free(&stream->texts);
    tracy_names_free(&stream->threads_names);
    tracy_names_free(&stream->plots);
    tracy_names_free(&stream->frames);
    segments_free(&stream->locations);
    segments_free(&stream->threads);
    segments_free(&stream->frame_sets);
    hash_free(&stream->location_index);
    hash_free(&stream->thread_index);
    tracy_asker_free(&stream->asker);
    stream_devices_free(&stream->devices);
    tracy_build_free(&stream->build);
    free(stream->wire);
}

status tracy_stream_read(struct input *input, struct profile *profile)
{
    struct tracy_cursor cursor = tracy_cursor_of(input->bytes);
    const struct view head = tracy_take(&cursor, TRACY_STREAM_HEAD);
    struct streaming stream = {.path = input->path, .profile = profile};
    stream.protocol =
        view_starts_with(head, TRACY_STREAM_MAGIC_1) ? TRACY_PROTOCOL : tracy_u32(&cursor);
    stream.wire = memory_allocate(sizeof *stream.wire);
    const bool known = tracy_wire_start(stream.wire, stream.protocol);
    const struct view greeting = tracy_take(&cursor, tracy_dialect_welcome(&stream.wire->dialect));
    if (cursor.short_of || !known) {
        free(stream.wire);
        return cursor.short_of
                   ? status_make(STATUS_DATA, "%s: cut off before the program's greeting was whole",
                                 input->path)
                   : status_make(STATUS_UNSUPPORTED, "%s: protocol %u of Tracy's is not known",
                                 input->path, stream.protocol);
    }
    stream.welcome = tracy_welcome_of(stream.wire, greeting);
    tracy_skip(&cursor, stream.welcome.on_demand ? 1 : 0, TRACY_ON_DEMAND);
    start_streaming(&stream, head);
    visit_items(&stream, cursor, learn_names);
    const char *damage = visit_items(&stream, cursor, read_item);
    account(&stream, input->damage != NULL ? input->damage : damage);
    end_streaming(&stream);
    return profile_finish(profile);
}
