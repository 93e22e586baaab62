#include "reader.h"

#include <stdio.h>

#include "container.h"
#include "messages.h"
#include "zones.h"

enum { OLDEST = TRACY_VERSION(0, 9, 0), NEWEST = TRACY_VERSION(0, 14, 0) };

struct reader {
    struct profile *profile;
    const char *path;
    struct tracy_cursor cursor;
    int version;
    struct tracy_build build;
    struct tracy_tables tables;
    struct tracy_messages messages;
    struct tracy_zones zones;
    struct view frames; // read when names are known
    uint64_t crash_thread, crash_message;
    int64_t crash_time;
    uint64_t lock_events, memory_events, call_stack_samples;
};

static bool is_since(const struct reader *reader, int minor, int patch)
{
    return reader->version >= TRACY_VERSION(0, minor, patch);
}

bool tracy_recognise(struct view bytes)
{
    return tracy_container_recognise(bytes);
}

// The beginning ---------------------------------------------------------------

static status tracy_reader_check_version(struct reader *reader)
{
    const struct view word = tracy_take(&reader->cursor, 5);
    const unsigned major = tracy_u8(&reader->cursor);
    const unsigned minor = tracy_u8(&reader->cursor);
    const unsigned patch = tracy_u8(&reader->cursor);
    if (!view_is(word, "tracy"))
        return status_make(STATUS_DATA,
                           "%s: packed as .tracy files are, but none is inside: it "
                           "does not begin with 'tracy'",
                           reader->path);
    reader->version = (int)TRACY_VERSION(major, minor, patch);
    if (reader->version >= OLDEST && reader->version <= NEWEST)
        return STATUS_OK;
    return status_make(STATUS_UNSUPPORTED,
                       "%s: saved by Tracy %u.%u.%u: 0.9.0 to 0.14.0 are read; %s", reader->path,
                       major, minor, patch,
                       reader->version < OLDEST
                           ? "Tracy 0.9 to 0.14 has a tool 'update' that saves it anew"
                           : "export it with the tools of that Tracy: 'tracy-csvexport -u' and "
                             "'-m' give the CSVs that 'opscope tt-report' reads");
}

static struct view tracy_reader_read_text(struct tracy_cursor *cursor)
{
    return tracy_take(cursor, tracy_u64(cursor));
}

static void start_build(struct reader *reader)
{
    struct tracy_cursor *cursor = &reader->cursor;
    tracy_skip(cursor, is_since(reader, 12, 3) ? 1 : 2, 8); // delay, resolution
    tracy_skip(cursor, 1, 8 + 8 + 8);                       // multiplier, last time, frame offset
    const uint64_t pid = tracy_u64(cursor);
    tracy_skip(cursor, 1, 8 + 1 + 4 + 12);                 // sampling period, processor
    tracy_skip(cursor, is_since(reader, 9, 2) ? 1 : 0, 1); // on demand
    tracy_reader_read_text(cursor);                        // what the capture is called
    const struct view program = tracy_reader_read_text(cursor);
    tracy_skip(cursor, 2, 8); // times of the capture and of the program
    const struct view host = tracy_reader_read_text(cursor);
    tracy_build_start(&reader->build, reader->profile, reader->path, program, pid);
    if (host.size > 0)
        profile_fact_add(reader->profile, "host", host);
}

// Packages of (dies of) cores of threads.
static void skip_topology(struct reader *reader)
{
    struct tracy_cursor *cursor = &reader->cursor;
    const bool has_dies = is_since(reader, 11, 2);
    const uint64_t packages = tracy_count(cursor, 12);
    for (uint64_t package = 0; package < packages && !cursor->short_of; package++) {
        tracy_skip(cursor, 1, 4);
        const uint64_t dies = has_dies ? tracy_count(cursor, 12) : 1;
        for (uint64_t die = 0; die < dies && !cursor->short_of; die++) {
            tracy_skip(cursor, has_dies ? 1 : 0, 4);
            const uint64_t cores = tracy_count(cursor, 12);
            for (uint64_t core = 0; core < cores && !cursor->short_of; core++) {
                tracy_skip(cursor, 1, 4);
                tracy_skip(cursor, tracy_count(cursor, 4), 4);
            }
        }
    }
}

static void read_crash(struct reader *reader)
{
    reader->crash_thread = tracy_u64(&reader->cursor);
    reader->crash_time = tracy_i64(&reader->cursor);
    reader->crash_message = tracy_u64(&reader->cursor);
    tracy_skip(&reader->cursor, 1, 4);
}

// Frames ----------------------------------------------------------------------

static void skip_frames(struct reader *reader)
{
    struct tracy_cursor *cursor = &reader->cursor;
    const char *start = cursor->at;
    const uint64_t sets = tracy_count(cursor, 17);
    for (uint64_t i = 0; i < sets && !cursor->short_of; i++) {
        tracy_skip(cursor, 1, 8);
        const size_t size = tracy_u8(cursor) != 0 ? 12 : 20;
        tracy_skip(cursor, tracy_count(cursor, size), size);
    }
    reader->frames = (struct view){start, (size_t)(cursor->at - start)};
}

// Marks of a continuous set: a frame goes from one to the next.
static void read_marks(struct reader *reader, struct tracy_cursor *cursor, uint64_t count,
                       struct view name)
{
    int64_t reference = 0;
    int64_t before = 0;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t time = tracy_time(cursor, &reference);
        tracy_skip(cursor, 1, 4);
        if (i > 0 && time != before)
            tracy_build_frame(&reader->build, tracy_build_frames(&reader->build, name), before,
                              time, name);
        before = time;
    }
}

static void tracy_reader_read_pairs(struct reader *reader, struct tracy_cursor *cursor,
                                    uint64_t count, struct view name)
{
    int64_t reference = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct tracy_zone frame = {.start = tracy_time(cursor, &reference),
                                   .text = VIEW_LITERAL("")};
        frame.end = tracy_time(cursor, &reference);
        tracy_skip(cursor, 1, 4);
        frame.location.name = profile_string(reader->profile, name);
        tracy_build_zone(&reader->build, tracy_build_frames(&reader->build, name), &frame);
    }
}

static void read_frames(struct reader *reader)
{
    struct tracy_cursor cursor = tracy_cursor_of(reader->frames);
    const uint64_t sets = tracy_count(&cursor, 17);
    for (uint64_t i = 0; i < sets && !cursor.short_of; i++) {
        const uint64_t pointer = tracy_u64(&cursor);
        const bool continuous = tracy_u8(&cursor) != 0;
        const uint64_t count = tracy_count(&cursor, continuous ? 12 : 20);
        struct view name = VIEW_LITERAL("");
        if (pointer != 0)
            tracy_names_find(&reader->tables.pointers, pointer, &name);
        if (continuous)
            read_marks(reader, &cursor, count, name);
        else
            tracy_reader_read_pairs(reader, &cursor, count, name);
    }
}

// Sections of time that a user named, of several categories.
static void skip_sections(struct reader *reader)
{
    enum { ITEM = 6 + 6 + 3 };
    struct tracy_cursor *cursor = &reader->cursor;
    if (is_since(reader, 13, 5)) {
        const uint64_t categories = tracy_count(cursor, 10);
        for (uint64_t i = 0; i < categories && !cursor->short_of; i++) {
            tracy_skip(cursor, 1, 2);
            tracy_skip(cursor, tracy_count(cursor, ITEM), ITEM);
        }
        tracy_skip(cursor, tracy_count(cursor, 5), 5);
    } else if (is_since(reader, 13, 4)) {
        tracy_skip(cursor, tracy_count(cursor, ITEM), ITEM);
    }
}

// What lies between the tables and the end ------------------------------------

static void skip_locks(struct reader *reader)
{
    enum { LOCK = 4 + 3 + 2 + 1 + 1 + 8 + 8, EVENT = 8 + 2 + 1 + 1 };
    struct tracy_cursor *cursor = &reader->cursor;
    const uint64_t count = tracy_count(cursor, LOCK + 16);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        tracy_skip(cursor, 1, LOCK);
        tracy_skip(cursor, tracy_count(cursor, 8), 8);
        const uint64_t events = tracy_count(cursor, EVENT);
        tracy_skip(cursor, events, EVENT);
        reader->lock_events += events;
    }
}

static void read_extras(struct reader *reader)
{
    const uint64_t count = tracy_count(&reader->cursor, TRACY_EXTRA);
    reader->zones.extras = tracy_take(&reader->cursor, count * TRACY_EXTRA);
}

static void read_threads(struct reader *reader)
{
    enum { SAMPLE = 8 + 3 };
    struct tracy_cursor *cursor = &reader->cursor;
    tracy_skip(cursor, 2, 8); // zones and lists of children
    const uint64_t count = tracy_count(cursor, 8 + 8 + 8 + 1 + 4 + 3 * 8);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        const uint64_t thread = tracy_u64(cursor);
        tracy_skip(cursor, 1, 8 + 8 + 1);                       // counts, whether it is a fiber
        tracy_skip(cursor, is_since(reader, 11, 1) ? 1 : 0, 4); // its group
        struct view name;
        tracy_names_find(&reader->tables.threads, thread, &name);
        tracy_build_name_thread(&reader->build, thread, name);
        const uint32_t lane = tracy_build_thread(&reader->build, thread);
        tracy_zones_read_thread(&reader->zones, lane);
        tracy_messages_read_thread(&reader->messages, lane);
        for (int kind = 0; kind < 2; kind++) {
            const uint64_t samples = tracy_count(cursor, SAMPLE);
            tracy_skip(cursor, samples, SAMPLE);
            reader->call_stack_samples += samples;
        }
    }
}

static void skip_notes(struct reader *reader)
{
    struct tracy_cursor *cursor = &reader->cursor;
    const uint64_t queries = tracy_count(cursor, 10);
    for (uint64_t i = 0; i < queries && !cursor->short_of; i++) {
        tracy_skip(cursor, 1, 2);
        tracy_skip(cursor, tracy_count(cursor, 16), 16);
    }
}

static void read_context(struct reader *reader, uint32_t number)
{
    struct tracy_cursor *cursor = &reader->cursor;
    const bool has_notes = is_since(reader, 12, 4);
    tracy_skip(cursor, 1, 8 + 1 + 8 + 4); // thread, calibrated, count, period
    const unsigned type = tracy_u8(cursor);
    const struct view name = tracy_tables_index(&reader->tables, (uint32_t)tracy_number(cursor, 3));
    tracy_skip(cursor, 1, 8); // overflow
    if (has_notes)
        tracy_skip(cursor, tracy_count(cursor, 11), 11);
    const uint64_t threads = tracy_count(cursor, 16);
    for (uint64_t i = 0; i < threads && !cursor->short_of; i++) {
        const uint64_t thread = tracy_u64(cursor);
        const uint64_t zones = tracy_u64(cursor);
        const uint32_t lane = tracy_build_device(&reader->build, number, name, type, thread);
        struct view called;
        if (tracy_names_find(&reader->tables.threads, thread, &called))
            tracy_build_name_device(&reader->build, lane, called);
        tracy_zones_read_device(&reader->zones, lane, zones);
    }
    if (has_notes)
        skip_notes(reader);
}

static void tracy_reader_read_devices(struct reader *reader)
{
    struct tracy_cursor *cursor = &reader->cursor;
    reader->zones.has_query = is_since(reader, 12, 4);
    tracy_skip(cursor, 2, 8); // zones and lists of children
    const uint64_t count = tracy_count(cursor, 8 + 1 + 8 + 4 + 1 + 3 + 8 + 8);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++)
        read_context(reader, (uint32_t)i);
}

static uint32_t find_counter(struct reader *reader, unsigned type, unsigned format,
                             uint64_t pointer)
{
    enum { CPU_USAGE = 2 };
    static const char *const UNITS[] = {"", "B", "%", "W"};
    struct view name = VIEW_LITERAL("CPU usage");
    if (type != CPU_USAGE && !tracy_names_find(&reader->tables.pointers, pointer, &name))
        name = VIEW_LITERAL("plot");
    return tracy_build_counter(&reader->build, name,
                               format < sizeof UNITS / sizeof UNITS[0] ? UNITS[format] : "");
}

static void read_plots(struct reader *reader)
{
    enum { PLOT = 1 + 1 + 1 + 1 + 4 + 8 + 3 * 8 + 8 };
    struct tracy_cursor *cursor = &reader->cursor;
    const uint64_t count = tracy_count(cursor, PLOT);
    for (uint64_t i = 0; i < count && !cursor->short_of; i++) {
        const unsigned type = tracy_u8(cursor);
        const unsigned format = tracy_u8(cursor);
        tracy_skip(cursor, 1, 1 + 1 + 4);
        const uint32_t counter = find_counter(reader, type, format, tracy_u64(cursor));
        tracy_skip(cursor, 3, 8);
        const uint64_t samples = tracy_count(cursor, 16);
        int64_t reference = 0;
        for (uint64_t sample = 0; sample < samples; sample++) {
            const int64_t time = tracy_time(cursor, &reference);
            tracy_build_sample(&reader->build, counter, time, tracy_f64(cursor));
        }
    }
}

// The whole -------------------------------------------------------------------

static status tracy_reader_read_sections(struct reader *reader)
{
    skip_topology(reader);
    read_crash(reader);
    skip_frames(reader);
    skip_sections(reader);
    tracy_tables_read(&reader->tables, &reader->build);
    read_frames(reader);
    skip_locks(reader);
    STATUS_TRY(tracy_messages_read(&reader->messages, reader->version));
    read_extras(reader);
    read_threads(reader);
    tracy_reader_read_devices(reader);
    read_plots(reader);
    tracy_skip(&reader->cursor, 1, 8); // pools of memory
    reader->memory_events = tracy_u64(&reader->cursor);
    tracy_messages_finish(&reader->messages);
    return STATUS_OK;
}

static void tracy_reader_note_crash(struct reader *reader)
{
    struct view text = VIEW_LITERAL("");
    if (reader->crash_time == 0)
        return;
    tracy_names_find(&reader->tables.pointers, reader->crash_message, &text);
    const uint32_t lane = tracy_build_thread(&reader->build, reader->crash_thread);
    tracy_build_message(&reader->build, lane, reader->crash_time,
                        text.size > 0 ? text : VIEW_LITERAL("crash"));
    profile_note(reader->profile, 0, LEDGER_REMARK, 1, "%s: the program crashed at %lld ns: %.*s",
                 reader->path, (long long)reader->crash_time, VIEW_ARGUMENTS(text));
}

static void tracy_reader_remark(struct reader *reader, uint64_t count, const char *what)
{
    if (count > 0)
        profile_note(reader->profile, 0, LEDGER_REMARK, 1, "%s: %s are not read: %llu",
                     reader->path, what, (unsigned long long)count);
}

static void tracy_reader_close_account(struct reader *reader, const char *damage)
{
    struct profile *profile = reader->profile;
    tracy_reader_note_crash(reader);
    tracy_reader_remark(reader, reader->lock_events, "events of locks");
    tracy_reader_remark(reader, reader->call_stack_samples, "samples of call stacks");
    tracy_build_finish(&reader->build);
    if (damage == NULL && reader->cursor.short_of)
        damage = "a number in it makes no sense, or the file is cut off";
    if (damage == NULL) {
        tracy_reader_remark(reader, reader->memory_events, "allocations of memory");
        return;
    }
    profile_note(profile, 0, LEDGER_LOST, 1, "%s: %s: what could be read is kept, nothing after it",
                 reader->path, damage);
    profile_track(profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

static void say_version(const struct reader *reader)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", reader->version >> 16, reader->version >> 8 & 255,
             reader->version & 255);
    profile_fact_add(reader->profile, "format", VIEW_LITERAL("tracy"));
    profile_fact_add(reader->profile, "tracy_version", view_of(version));
}

status tracy_read_content(const char *path, struct view content, const char *damage,
                          struct profile *profile)
{
    struct reader reader = {.profile = profile, .path = path, .cursor = tracy_cursor_of(content)};
    STATUS_TRY(tracy_reader_check_version(&reader));
    say_version(&reader);
    start_build(&reader);
    tracy_tables_start(&reader.tables, &reader.cursor);
    reader.messages = (struct tracy_messages){.build = &reader.build,
                                              .tables = &reader.tables,
                                              .cursor = &reader.cursor,
                                              .spool = SPOOL_EMPTY};
    reader.zones = (struct tracy_zones){
        .build = &reader.build, .tables = &reader.tables, .cursor = &reader.cursor};
    const status result = tracy_reader_read_sections(&reader);
    if (result == STATUS_OK)
        tracy_reader_close_account(&reader, damage);
    tracy_zones_free(&reader.zones);
    tracy_messages_free(&reader.messages);
    tracy_tables_free(&reader.tables);
    tracy_build_free(&reader.build);
    return status_first(result, profile_finish(profile));
}

status tracy_read(struct input *input, struct profile *profile)
{
    struct spool unpacked = SPOOL_EMPTY;
    const char *damage = NULL;
    char *data = NULL;
    size_t size = 0;
    status result = tracy_container_unpack(input->bytes, &unpacked, &damage);
    if (result == STATUS_OK)
        result = spool_read(&unpacked, &data, &size);
    if (result == STATUS_OK)
        result = tracy_read_content(input->path, (struct view){data, size},
                                    input->damage != NULL ? input->damage : damage, profile);
    spool_free(&unpacked);
    return result;
}
