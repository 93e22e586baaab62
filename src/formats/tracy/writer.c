#include "writer.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "writer_rows.h"

enum { HEAD_TEXT_MOST = 1023, PROCESSORS = 256, POINTER_FIRST = 4096 };

// Order -----------------------------------------------------------------------

static bool zone_before(const void *a, const void *b)
{
    const struct zone_row *x = a;
    const struct zone_row *y = b;
    return x->lane != y->lane ? x->lane < y->lane : x->order < y->order;
}

static bool message_earlier(const void *a, const void *b)
{
    const struct message_row *x = a;
    const struct message_row *y = b;
    return x->time != y->time ? x->time < y->time : x->order < y->order;
}

static bool message_before(const void *a, const void *b)
{
    const struct message_row *x = a;
    const struct message_row *y = b;
    return x->lane != y->lane ? x->lane < y->lane : x->order < y->order;
}

// The rows of the file, in memory or mapped.
struct tracy_file {
    struct tracy_pack *pack;
    struct tracy_rows *rows;
    struct zone_row *zones;
    struct message_row *messages;
    struct sample_row *samples;
    struct frame_row *frames;
    uint64_t lists[2]; // of zones inside another one: of threads, of devices
    size_t *open;      // rows of zones that are open, outermost first
    size_t open_capacity;
};

static status file_map(struct spool *spool, void *out_rows)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(spool, &data, &size));
    memcpy(out_rows, &data, sizeof data);
    return STATUS_OK;
}

// How many zones are directly inside each, and where the rows of each lane begin.
static void count_inside(struct tracy_file *file)
{
    struct tracy_rows *rows = file->rows;
    size_t depth = 0;
    for (size_t i = 0; i < rows->zone_count; i++) {
        struct zone_row *row = &file->zones[i];
        struct written_lane *lane = tracy_places_lane(&rows->places, row->lane);
        if (i == 0 || file->zones[i - 1].lane != row->lane) {
            depth = 0;
            lane->first_row = i;
        }
        while (depth > 0 && file->zones[file->open[depth - 1]].end <= row->start)
            depth--;
        if (depth > 0 && file->zones[file->open[depth - 1]].inside++ == 0)
            file->lists[lane->kind == PLACE_DEVICE]++;
        file->open = memory_grow(file->open, depth, &file->open_capacity, sizeof *file->open);
        file->open[depth++] = i;
    }
}

static status sort_rows(struct tracy_file *file)
{
    struct tracy_rows *rows = file->rows;
    STATUS_TRY(file_map(&rows->zones, &file->zones));
    STATUS_TRY(file_map(&rows->messages, &file->messages));
    STATUS_TRY(file_map(&rows->samples, &file->samples));
    STATUS_TRY(file_map(&rows->frames, &file->frames));
    if (!rows->sorted)
        sort_in_place(file->zones, rows->zone_count, sizeof *file->zones, zone_before);
    count_inside(file);
    sort_in_place(file->messages, rows->message_count, sizeof *file->messages, message_earlier);
    for (size_t i = 0; i < rows->message_count; i++)
        file->messages[i].order = i;
    return STATUS_OK;
}

// The beginning ---------------------------------------------------------------

static void put_head_text(struct tracy_file *file, struct view text)
{
    tracy_pack_text(file->pack, view_shortened(text, HEAD_TEXT_MOST));
}

static void put_head(struct tracy_file *file)
{
    struct tracy_pack *pack = file->pack;
    const struct profile *profile = file->rows->profile;
    const uint32_t program = file->rows->places.program;
    uint64_t pid = 0;
    tracy_pack_bytes(pack, "tracy\0\x0a\0", 8);
    tracy_pack_u64(pack, 0); // delay,
    tracy_pack_u64(pack, 1); // resolution
    tracy_pack_f64(pack, 1); // ns a tick
    tracy_pack_u64(pack, file->rows->last);
    tracy_pack_u64(pack, 0); // frames before the first one
    if (!view_to_u64(profile_fact(profile, "pid"), &pid))
        pid = 0;
    tracy_pack_u64(pack, pid);
    tracy_pack_zeros(pack, 8 + 1 + 4 + 12 + 1); // samples, processor, on demand
    put_head_text(file, VIEW_LITERAL("opscope"));
    put_head_text(file, program != 0 ? profile_text(profile, profile_track(profile, program)->name)
                                     : VIEW_LITERAL("program"));
    tracy_pack_u64(pack, 0); // when it was captured,
    tracy_pack_u64(pack, 0); // when the program was built
    put_head_text(file, profile_fact(profile, "host"));
    tracy_pack_u64(pack, 0);               // packages of the processor
    tracy_pack_zeros(pack, 8 + 8 + 8 + 4); // crash
}

// Frames ----------------------------------------------------------------------

// Pointers of a program that stand for names: those of sets, then those of plots.
static uint64_t pointer_of_set(uint32_t index)
{
    return POINTER_FIRST + 16 * (uint64_t)index;
}

static uint64_t pointer_of_plot(const struct tracy_rows *rows, uint32_t index)
{
    return pointer_of_set(rows->frame_sets.count + index);
}

static void put_mark(struct tracy_file *file, uint64_t time, uint64_t *reference)
{
    tracy_pack_time(file->pack, time, reference);
    tracy_pack_u32(file->pack, UINT32_MAX); // no picture
}

static void put_set(struct tracy_file *file, const struct row_group *set, uint64_t pointer)
{
    const struct frame_row *frames = file->frames + set->first;
    uint64_t reference = 0;
    tracy_pack_u64(file->pack, pointer);
    tracy_pack_u8(file->pack, set->continuous);
    tracy_pack_u64(file->pack, set->count + set->continuous);
    if (set->continuous)
        put_mark(file, frames[0].start, &reference);
    for (uint64_t i = 0; i < set->count; i++) {
        if (!set->continuous)
            tracy_pack_time(file->pack, frames[i].start, &reference);
        put_mark(file, frames[i].end, &reference);
    }
}

static struct row_group *set_get(const struct tracy_rows *rows, uint32_t index)
{
    return segments_get(&rows->frame_sets, index);
}

// The set of all frames has no name, comes first and is continuous.
static uint32_t main_set(const struct tracy_rows *rows)
{
    for (uint32_t i = 0; i < rows->frame_sets.count; i++) {
        const struct row_group *set = set_get(rows, i);
        if (set->continuous &&
            view_is(profile_text(rows->profile, profile_track(rows->profile, set->track)->name),
                    "frames"))
            return i;
    }
    return HASH_NONE;
}

static void put_frames(struct tracy_file *file)
{
    const struct tracy_rows *rows = file->rows;
    const uint32_t first = main_set(rows);
    tracy_pack_u64(file->pack, rows->frame_sets.count + (first == HASH_NONE));
    if (first != HASH_NONE) {
        put_set(file, set_get(rows, first), 0);
    } else {
        uint64_t reference = 0;
        tracy_pack_u64(file->pack, 0);
        tracy_pack_u8(file->pack, 1);
        tracy_pack_u64(file->pack, 2);
        put_mark(file, 0, &reference);
        put_mark(file, 0, &reference);
    }
    for (uint32_t i = 0; i < rows->frame_sets.count; i++) {
        if (i != first)
            put_set(file, set_get(rows, i), pointer_of_set(i));
    }
}

// Names -----------------------------------------------------------------------

// "frames batch" is the set "batch".
static void name_sets(struct tracy_rows *rows)
{
    for (uint32_t i = 0; i < rows->frame_sets.count; i++) {
        struct row_group *set = set_get(rows, i);
        const struct view name =
            profile_text(rows->profile, profile_track(rows->profile, set->track)->name);
        const size_t from = view_starts_with(name, "frames ") ? strlen("frames ") : 0;
        set->name = writer_tables_text(&rows->tables, view_slice(name, from, name.size));
    }
}

static unsigned plot_format(struct view unit)
{
    static const char *const UNITS[] = {"", "B", "%", "W"};
    if (view_is(unit, "bytes"))
        return 1;
    for (unsigned i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (view_is(unit, UNITS[i]))
            return i;
    }
    return 0;
}

static struct view unit_of(const struct tracy_rows *rows, const struct row_group *plot)
{
    return profile_text(rows->profile, profile_track(rows->profile, plot->track)->unit);
}

// A unit that Tracy does not know is part of the name.
static void name_plots(struct tracy_rows *rows)
{
    for (uint32_t i = 0; i < rows->plots.count; i++) {
        struct row_group *plot = segments_get(&rows->plots, i);
        const struct view unit = unit_of(rows, plot);
        plot->name = tracy_places_path(&rows->places, plot->track);
        if (unit.size == 0 || plot_format(unit) != 0)
            continue;
        const struct view path = strings_get(&rows->tables.texts, plot->name);
        rows->text.size = 0;
        bytes_append_format(&rows->text, "%.*s [%.*s]", VIEW_ARGUMENTS(path), VIEW_ARGUMENTS(unit));
        plot->name = writer_tables_text(&rows->tables, bytes_view(&rows->text));
    }
}

static void put_name(struct tracy_file *file, uint64_t number, uint32_t text)
{
    tracy_pack_u64(file->pack, number);
    tracy_pack_u64(file->pack, writer_tables_handle(text));
}

static void put_thread_names(struct tracy_file *file)
{
    const struct tracy_places *places = &file->rows->places;
    uint64_t named = 0;
    for (uint32_t i = 0; i < places->lanes.count; i++)
        named += tracy_places_lane(places, i)->name != 0;
    tracy_pack_u64(file->pack, named);
    for (uint32_t i = 0; i < places->lanes.count; i++) {
        const struct written_lane *lane = tracy_places_lane(places, i);
        if (lane->name != 0)
            put_name(file, lane->thread, lane->name);
    }
}

static void put_names(struct tracy_file *file, uint32_t frame_text)
{
    struct tracy_pack *pack = file->pack;
    struct tracy_rows *rows = file->rows;
    writer_tables_put_texts(&rows->tables, pack);
    tracy_pack_u64(pack, 1 + rows->frame_sets.count + rows->plots.count);
    put_name(file, 0, frame_text);
    for (uint32_t i = 0; i < rows->frame_sets.count; i++)
        put_name(file, pointer_of_set(i), set_get(rows, i)->name);
    for (uint32_t i = 0; i < rows->plots.count; i++)
        put_name(file, pointer_of_plot(rows, i),
                 ((struct row_group *)segments_get(&rows->plots, i))->name);
    put_thread_names(file);
    tracy_pack_u64(pack, 0); // names of threads of other programs
    tracy_pack_u64(pack, 1 + rows->places.numbers.count);
    tracy_pack_u64(pack, 0);
    for (uint32_t i = 0; i < rows->places.numbers.count; i++)
        tracy_pack_u64(pack, *(uint64_t *)segments_get(&rows->places.numbers, i));
    tracy_pack_u64(pack, 1); // threads of other programs: none
    tracy_pack_u64(pack, 0);
}

// Messages and zones ----------------------------------------------------------

static void put_messages(struct tracy_file *file)
{
    struct tracy_rows *rows = file->rows;
    uint64_t reference = 0;
    tracy_pack_u64(file->pack, rows->message_count);
    for (size_t i = 0; i < rows->message_count; i++) {
        const struct message_row *row = &file->messages[i];
        tracy_pack_u64(file->pack, row->order + 1);
        tracy_pack_time(file->pack, row->time, &reference);
        writer_tables_put_reference(file->pack, row->text);
        tracy_pack_u32(file->pack, UINT32_MAX); // white
        tracy_pack_u24(file->pack, 0);
    }
    sort_in_place(file->messages, rows->message_count, sizeof *file->messages, message_before);
    for (size_t i = rows->message_count; i-- > 0;)
        tracy_places_lane(&rows->places, file->messages[i].lane)->first_message = i;
}

// How a zone begins and ends in the file; `times` are what times are relative to.
struct zone_writer {
    void (*begin)(struct tracy_file *file, const struct zone_row *row, uint64_t times[2]);
    void (*end)(struct tracy_file *file, const struct zone_row *row, uint64_t times[2]);
};

static void begin_thread_zone(struct tracy_file *file, const struct zone_row *row,
                              uint64_t times[2])
{
    tracy_pack_u16(file->pack, (uint16_t)row->location);
    tracy_pack_time(file->pack, row->start, &times[0]);
    tracy_pack_u32(file->pack, row->extra);
    tracy_pack_u32(file->pack, row->inside);
}

static void end_thread_zone(struct tracy_file *file, const struct zone_row *row, uint64_t times[2])
{
    tracy_pack_time(file->pack, row->end, &times[0]);
}

// When the program handed the work over nobody said: then.
static void begin_device_zone(struct tracy_file *file, const struct zone_row *row,
                              uint64_t times[2])
{
    const struct tracy_places *places = &file->rows->places;
    tracy_pack_time(file->pack, row->start, &times[0]);
    tracy_pack_time(file->pack, row->start, &times[1]);
    tracy_pack_u16(file->pack, (uint16_t)row->location);
    tracy_pack_u24(file->pack, 0);
    tracy_pack_u16(file->pack,
                   tracy_places_short(places, tracy_places_lane(places, row->lane)->thread));
    tracy_pack_u64(file->pack, row->inside);
}

static void end_device_zone(struct tracy_file *file, const struct zone_row *row, uint64_t times[2])
{
    tracy_pack_time(file->pack, row->end, &times[0]);
    tracy_pack_time(file->pack, row->end, &times[1]);
}

static void put_tree(struct tracy_file *file, const struct written_lane *lane,
                     const struct zone_writer *writer)
{
    uint64_t times[2] = {0, 0};
    size_t depth = 0;
    for (size_t i = lane->first_row; i < lane->first_row + lane->zones; i++) {
        const struct zone_row *row = &file->zones[i];
        while (depth > 0 && file->zones[file->open[depth - 1]].end <= row->start)
            writer->end(file, &file->zones[file->open[--depth]], times);
        writer->begin(file, row, times);
        file->open[depth++] = i;
    }
    while (depth > 0)
        writer->end(file, &file->zones[file->open[--depth]], times);
}

// Zones of a lane that are in no other one.
static uint64_t outermost(const struct tracy_file *file, const struct written_lane *lane)
{
    uint64_t inside = 0;
    for (size_t i = lane->first_row; i < lane->first_row + lane->zones; i++)
        inside += file->zones[i].inside;
    return lane->zones - inside;
}

static void put_thread(struct tracy_file *file, const struct written_lane *lane)
{
    static const struct zone_writer WRITER = {begin_thread_zone, end_thread_zone};
    struct tracy_pack *pack = file->pack;
    tracy_pack_u64(pack, lane->thread);
    tracy_pack_u64(pack, lane->zones);
    tracy_pack_u64(pack, 0); // samples in the kernel
    tracy_pack_u8(pack, 0);  // no fiber
    tracy_pack_u32(pack, (uint32_t)outermost(file, lane));
    put_tree(file, lane, &WRITER);
    tracy_pack_u64(pack, lane->messages);
    for (uint64_t i = 0; i < lane->messages; i++)
        tracy_pack_u64(pack, file->messages[lane->first_message + i].order + 1);
    tracy_pack_u64(pack, 0); // samples at switches,
    tracy_pack_u64(pack, 0); // and others
}

// Messages of nobody are in no list.
static bool is_thread(const struct written_lane *lane)
{
    return lane->kind == PLACE_THREAD && lane->thread != 0;
}

static void put_threads(struct tracy_file *file)
{
    const struct tracy_places *places = &file->rows->places;
    uint64_t zones = 0;
    uint64_t threads = 0;
    for (uint32_t i = 0; i < places->lanes.count; i++) {
        const struct written_lane *lane = tracy_places_lane(places, i);
        zones += is_thread(lane) ? lane->zones : 0;
        threads += is_thread(lane);
    }
    tracy_pack_u64(file->pack, zones);
    tracy_pack_u64(file->pack, file->lists[0]);
    tracy_pack_u64(file->pack, threads);
    for (uint32_t i = 0; i < places->lanes.count; i++) {
        if (is_thread(tracy_places_lane(places, i)))
            put_thread(file, tracy_places_lane(places, i));
    }
}

static void put_context(struct tracy_file *file, const struct written_context *context)
{
    static const struct zone_writer WRITER = {begin_device_zone, end_device_zone};
    const struct tracy_places *places = &file->rows->places;
    struct tracy_pack *pack = file->pack;
    uint64_t lanes = 0;
    uint64_t zones = 0;
    for (uint32_t id = context->first; id != 0; id = tracy_places_lane(places, id - 1)->next) {
        lanes++;
        zones += tracy_places_lane(places, id - 1)->zones;
    }
    tracy_pack_u64(pack, 0); // the program's thread
    tracy_pack_u8(pack, context->type == TRACY_CONTEXT_CORE);
    tracy_pack_u64(pack, zones);
    tracy_pack_f32(pack, 1);
    tracy_pack_u8(pack, context->type);
    tracy_pack_u24(pack, writer_tables_index(context->name));
    tracy_pack_u64(pack, 0); // overflow
    tracy_pack_u64(pack, lanes);
    for (uint32_t id = context->first; id != 0; id = tracy_places_lane(places, id - 1)->next) {
        const struct written_lane *lane = tracy_places_lane(places, id - 1);
        tracy_pack_u64(pack, lane->thread);
        tracy_pack_u64(pack, outermost(file, lane));
        put_tree(file, lane, &WRITER);
    }
}

static void put_devices(struct tracy_file *file)
{
    const struct tracy_places *places = &file->rows->places;
    uint64_t zones = 0;
    uint64_t used = 0;
    for (uint32_t i = 0; i < places->lanes.count; i++) {
        const struct written_lane *lane = tracy_places_lane(places, i);
        zones += lane->kind == PLACE_DEVICE ? lane->zones : 0;
    }
    for (uint32_t i = 0; i < places->contexts.count; i++)
        used += ((struct written_context *)segments_get(&places->contexts, i))->first != 0;
    tracy_pack_u64(file->pack, zones);
    tracy_pack_u64(file->pack, file->lists[1]);
    tracy_pack_u64(file->pack, used);
    for (uint32_t i = 0; i < places->contexts.count; i++) {
        const struct written_context *context = segments_get(&places->contexts, i);
        if (context->first != 0)
            put_context(file, context);
    }
}

// The end ---------------------------------------------------------------------

static void put_plots(struct tracy_file *file)
{
    const struct tracy_rows *rows = file->rows;
    tracy_pack_u64(file->pack, rows->plots.count);
    for (uint32_t i = 0; i < rows->plots.count; i++) {
        const struct row_group *plot = segments_get(&rows->plots, i);
        uint64_t reference = 0;
        tracy_pack_u8(file->pack, 0); // a user's
        tracy_pack_u8(file->pack, plot_format(unit_of(rows, plot)));
        tracy_pack_zeros(file->pack, 1 + 1 + 4); // lines, not filled, any colour
        tracy_pack_u64(file->pack, pointer_of_plot(rows, i));
        tracy_pack_f64(file->pack, plot->least);
        tracy_pack_f64(file->pack, plot->most);
        tracy_pack_f64(file->pack, plot->sum);
        tracy_pack_u64(file->pack, plot->count);
        for (uint64_t k = 0; k < plot->count; k++) {
            tracy_pack_time(file->pack, file->samples[plot->first + k].time, &reference);
            tracy_pack_f64(file->pack, file->samples[plot->first + k].value);
        }
    }
}

// Tracy's viewer takes for granted that there is the pool of memory that has no name.
static void put_rest(struct tracy_file *file)
{
    struct tracy_pack *pack = file->pack;
    tracy_pack_u64(pack, 1);                    // pools
    tracy_pack_zeros(pack, 8 + 8 + 8 + 16);     // events in all; name, events, active, freed
    tracy_pack_u64(pack, 0);                    // highest address,
    tracy_pack_u64(pack, UINT64_MAX);           // lowest
    tracy_pack_zeros(pack, 8 + 8);              // use, name
    tracy_pack_zeros(pack, 8 + 8 + 8);          // call stacks, their frames, about the program
    tracy_pack_zeros(pack, 4 + 8);              // pictures
    tracy_pack_zeros(pack, 8);                  // switches of threads,
    tracy_pack_zeros(pack, 8 + PROCESSORS * 8); // and of processors
    tracy_pack_zeros(pack, 8 + 8);              // threads of programs, of processors
    tracy_pack_zeros(pack, 3 * 8);              // symbols
    tracy_pack_zeros(pack, 4 * 8); // code, its symbols, samples of the hardware, sources
}

static status put_all(struct tracy_file *file)
{
    struct tracy_rows *rows = file->rows;
    const uint32_t frame_text = writer_tables_text(&rows->tables, VIEW_LITERAL("Frame"));
    STATUS_TRY(sort_rows(file));
    name_sets(rows);
    name_plots(rows);
    put_head(file);
    put_frames(file);
    put_names(file, frame_text);
    writer_tables_put_locations(&rows->tables, file->pack);
    tracy_pack_u64(file->pack, 0); // locks
    put_messages(file);
    STATUS_TRY(writer_tables_put_extras(&rows->tables, file->pack));
    put_threads(file);
    put_devices(file);
    put_plots(file);
    put_rest(file);
    return STATUS_OK;
}

status tracy_write(struct profile *profile, const char *path)
{
    struct tracy_rows rows;
    struct tracy_file file = {.rows = &rows};
    status result = tracy_rows_collect(&rows, profile);
    if (result == STATUS_OK)
        result = tracy_pack_open(path, &file.pack);
    if (result == STATUS_OK)
        result = tracy_pack_close(file.pack, put_all(&file));
    if (result == STATUS_OK)
        tracy_rows_account(&rows);
    free(file.open);
    tracy_rows_free(&rows);
    return result;
}
