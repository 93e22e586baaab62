#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "as_written.h"
#include "base/memory.h"
#include "base/path.h"
#include "profile/store.h"
#include "text.h"
#include "writer_events.h"
#include "writer_file.h"

// Stretches of time whose size is counted before the parts are cut; the most bytes of a flow
// event, and of what stands around all events.
enum { STRETCHES = 4096, FLOW_SIZE = 136, BRACKETS = 8, FLUSH = 500 * 1024 };

// Doubles hold microseconds with three decimals up to here.
static const uint64_t EXACT_NS = 4000000000000000;

struct writer {
    struct profile *profile;
    struct writer_places places;
    struct writer_events events;
    struct writer_flows flows;
    size_t flow_at;           // the next one of the pass
    uint32_t flow_key;        // of what says how a flow was written
    struct writer_file *file; // NULL: nothing is written yet, sizes are counted
    uint64_t split;
    uint64_t length;           // ns from the first event to the last
    uint64_t *sizes;           // of the events in the stretches
    uint64_t *names;           // of what names the tracks in the stretches, each by itself
    uint64_t names_size;       // of what names all tracks
    uint32_t parts[STRETCHES]; // of the stretches
    uint32_t part_count;
    uint32_t part;   // at hand
    bool counted;    // flows and sizes are known
    bool must_count; // a flow turned up that was not
    uint64_t too_late;
    uint64_t large_parts;
};

// Parts -----------------------------------------------------------------------

static uint32_t stretch_of(const struct writer *writer, uint64_t ns)
{
    const uint64_t since = ns - writer->events.base;
    return (uint32_t)((__uint128_t)since * STRETCHES / ((__uint128_t)writer->length + 1));
}

static uint32_t chrome_writer_part_of(const void *context, uint64_t ns)
{
    const struct writer *writer = context;
    return writer->parts[stretch_of(writer, ns)];
}

// What events and names take together: a track is named once, in however many stretches it is.
static uint64_t part_size(const struct writer *writer, uint64_t events, uint64_t names)
{
    return BRACKETS + events + (names < writer->names_size ? names : writer->names_size);
}

// Puts stretches together while they fit.
static void cut_parts(struct writer *writer)
{
    uint64_t events = 0;
    uint64_t names = 0;
    for (uint32_t i = 0; i < STRETCHES; i++) {
        const uint64_t more = writer->sizes[i];
        const uint64_t more_names = writer->names[i];
        if (events > 0 && part_size(writer, events + more, names + more_names) > writer->split) {
            writer->part++;
            events = 0;
            names = 0;
        }
        events += more;
        names += more_names;
        writer->large_parts += part_size(writer, more, more_names) > writer->split;
        writer->parts[i] = writer->part;
    }
    writer->part_count = writer->part + 1;
    writer->part = 0;
}

// Events ----------------------------------------------------------------------

static bool chrome_writer_is_wanted(const struct writer *writer, uint64_t ns)
{
    return writer->part_count <= 1 || chrome_writer_part_of(writer, ns) == writer->part;
}

// Whether something has no name yet where an event starts: in its part or, while sizes are
// counted, in its stretch. `*written` is which of them it has one in, + 1.
static bool is_new(const struct writer *writer, uint64_t start, uint32_t *written)
{
    const uint32_t here = (writer->file != NULL ? writer->part : stretch_of(writer, start)) + 1;
    const bool is = *written != here;
    *written = here;
    return is;
}

// While sizes are counted: what was put after `before` is a name.
static void chrome_writer_count_name(struct writer *writer, uint64_t start, size_t before,
                                     bool first)
{
    struct bytes *buffer = &writer->events.buffer;
    if (writer->file != NULL)
        return;
    writer->names[stretch_of(writer, start)] += buffer->size - before;
    writer->names_size += first ? buffer->size - before : 0;
    buffer->size = before;
}

static void describe_process(struct writer *writer, uint32_t index, uint64_t start)
{
    struct writer_process *process = &writer->places.processes[index];
    const size_t before = writer->events.buffer.size;
    const bool first = process->written == 0;
    if (!is_new(writer, start, &process->written))
        return;
    writer_put_process(&writer->events, &writer->places, process);
    chrome_writer_count_name(writer, start, before, first);
}

static void describe_lane(struct writer *writer, uint32_t track, struct writer_lane *lane,
                          uint64_t start)
{
    const bool first = lane->written == 0;
    if (!is_new(writer, start, &lane->written))
        return;
    describe_process(writer, writer->places.places[track].process, start);
    const size_t before = writer->events.buffer.size;
    writer_put_thread(&writer->events, &writer->places, track, lane);
    chrome_writer_count_name(writer, start, before, first);
}

static void chrome_writer_write_flows(struct writer *writer, const struct writer_lane *lane,
                                      size_t count, uint64_t start, bool wanted)
{
    for (size_t i = 0; i < count; i++) {
        const struct writer_flow flow = writer_flows_get(&writer->flows, writer->flow_at++);
        if (wanted && flow.role != WRITER_FLOW_NONE)
            writer_put_flow(&writer->events, lane, &flow, start);
    }
}

// Flows have key 0 and one of two kinds: most lists can be told to hold none without being taken
// apart (profile/value.h).
static bool may_have_flows(struct view values)
{
    enum { KIND = 31 };
    const char *end = values.data + values.size;
    const char *at = values.data;
    while (at + 1 < end && (at = memchr(at, 0, (size_t)(end - at - 1))) != NULL) {
        const int kind = *++at & KIND;
        if (kind == VALUE_FLOW_OUT || kind == VALUE_FLOW_IN)
            return true;
    }
    return false;
}

static void write_slice(struct writer *writer, const struct event *event, struct view values,
                        uint64_t start, uint64_t end)
{
    const struct writer_place *place = &writer->places.places[event->track];
    const bool span = event->kind == EVENT_SPAN;
    const bool wanted = chrome_writer_is_wanted(writer, start);
    struct writer_lane *lane =
        writer_places_lane(&writer->places, event->track, place->nests || !span, start, end);
    size_t flows = 0;
    if (wanted) {
        describe_lane(writer, event->track, lane, start);
        flows = writer_put_slice(&writer->events, place, lane, event, values, start, end);
    } else if (values.size > 0 && may_have_flows(values)) {
        flows = writer_count_flows(values);
    }
    if (span)
        writer_places_open(&writer->places, event->track, lane, end);
    if (flows == 0 || writer->file == NULL)
        return;
    writer->must_count = !writer->counted;
    if (writer->counted)
        chrome_writer_write_flows(writer, lane, flows, start, wanted);
}

// What was written since goes to the file, or to the size of its stretch.
static void chrome_writer_pass_on(struct writer *writer, uint64_t start)
{
    struct bytes *buffer = &writer->events.buffer;
    if (writer->file == NULL && buffer->size > 0) {
        writer->sizes[stretch_of(writer, start)] += buffer->size;
        buffer->size = 0;
    } else if (buffer->size > FLUSH) {
        writer_file_put(writer->file, buffer);
    }
}

static void chrome_writer_write_event(struct writer *writer, const struct event *event,
                                      struct view values, uint64_t start, uint64_t end)
{
    if (event->kind != EVENT_COUNTER) {
        write_slice(writer, event, values, start, end);
    } else if (chrome_writer_is_wanted(writer, start)) {
        describe_process(writer, writer->places.places[event->track].process, start);
        writer_put_sample(&writer->events, &writer->places, event->track, values, start);
    }
    chrome_writer_pass_on(writer, start);
}

// `after` reads what follows the value.
static enum writer_flow_end flow_end_of(const struct writer *writer, const struct value *value,
                                        struct value_reader after)
{
    struct value next;
    if (value->kind != VALUE_FLOW_IN)
        return WRITER_FLOW_GOES_ON;
    return writer->flow_key != HASH_NONE && value_next(&after, &next) &&
                   next.key == writer->flow_key
               ? WRITER_FLOW_ENDS_AS_READ
               : WRITER_FLOW_ENDS;
}

// Before anything is written: the flows, and the sizes where parts are asked for.
static status count_event(struct writer *writer, const struct event *event, struct view values,
                          uint64_t start, uint64_t end)
{
    struct value_reader reader = value_read(values);
    struct value value;
    const bool look = values.size > 0 && may_have_flows(values);
    while (look && value_next(&reader, &value)) {
        if (!writer_is_flow(&value))
            continue;
        STATUS_TRY(writer_flows_add(&writer->flows, start, value.number,
                                    flow_end_of(writer, &value, reader)));
        if (writer->sizes != NULL)
            writer->sizes[stretch_of(writer, start)] += FLOW_SIZE;
    }
    if (writer->sizes != NULL)
        chrome_writer_write_event(writer, event, values, start, end);
    return STATUS_OK;
}

static status handle_event(struct writer *writer, const struct event *event, struct view values)
{
    const struct clock_domain *clock = &writer->places.places[event->track].clock;
    const uint64_t start = clock_to_ns(clock, event->start);
    const uint64_t end = clock_to_ns(clock, event->end);
    if (end > INT64_MAX) {
        writer->too_late += writer->file != NULL && writer->part == 0;
        return STATUS_OK;
    }
    if (writer->file == NULL)
        return count_event(writer, event, values, start, end);
    chrome_writer_write_event(writer, event, values, start, end);
    return writer->must_count ? status_make(STATUS_UNSUPPORTED, "flows") : STATUS_OK;
}

static status handle_track(struct writer *writer, uint32_t track)
{
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    status result = STATUS_OK;
    STATUS_TRY(store_cursor_open(writer->profile->store, track,
                                 profile_track(writer->profile, track)->unsorted, &cursor));
    while (result == STATUS_OK && store_cursor_next(cursor, &event, &values))
        result = handle_event(writer, &event, values);
    store_cursor_free(cursor);
    return result;
}

// Track by track, each in order of start, the longest first.
static status handle_events(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++)
        STATUS_TRY(handle_track(writer, i));
    return STATUS_OK;
}

// Files -----------------------------------------------------------------------

// "trace.json.gz", 2 -> "trace-2.json.gz".
static char *part_path(const char *path, uint32_t number)
{
    const struct view unpacked = path_unpacked_name(view_of(path));
    const struct view name = view_of(path_base_name(path));
    const size_t folder = (size_t)(name.data - path);
    size_t stem = unpacked.size;
    for (size_t i = unpacked.size; i > folder + 1 && stem == unpacked.size; i--) {
        if (path[i - 1] == '.')
            stem = i - 1;
    }
    struct bytes text = {0};
    bytes_append_format(&text, "%.*s-%u%s%c", (int)stem, path, number, path + stem, '\0');
    return (char *)text.data;
}

// Tracks without events, in the first part; of others, each part has its own.
static void describe_all(struct writer *writer)
{
    for (uint32_t i = 1; i < writer->profile->tracks.count; i++) {
        struct writer_place *place = &writer->places.places[i];
        if (writer->split > 0 && profile_track(writer->profile, i)->ledger.recorded > 0)
            continue;
        if (place->process != HASH_NONE)
            describe_process(writer, place->process, writer->events.base);
        for (size_t k = 0; k < place->lane_count; k++)
            describe_lane(writer, i, &place->lanes[k], writer->events.base);
    }
}

static status write_part(struct writer *writer, const char *path)
{
    STATUS_TRY(writer_file_open(path, &writer->file));
    writer->events.first = true;
    writer->flow_at = 0;
    writer_places_restart(&writer->places);
    text_put(&writer->events.buffer, "[\n");
    const status result = handle_events(writer);
    if (writer->part == 0)
        describe_all(writer);
    if (!writer->events.first)
        text_put(&writer->events.buffer, "\n");
    text_put(&writer->events.buffer, "]\n");
    writer_file_put(writer->file, &writer->events.buffer);
    return writer_file_close(writer->file, result);
}

static status chrome_writer_write_parts(struct writer *writer, const char *path)
{
    status result = STATUS_OK;
    for (; result == STATUS_OK && writer->part < writer->part_count; writer->part++) {
        char *name = part_path(path, writer->part + 1);
        result = write_part(writer, name);
        free(name);
    }
    return result;
}

// As if nothing had been written yet.
static void start_again(struct writer *writer)
{
    for (size_t i = 0; i < writer->places.process_count; i++)
        writer->places.processes[i].written = 0;
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++) {
        for (size_t k = 0; k < writer->places.places[i].lane_count; k++)
            writer->places.places[i].lanes[k].written = 0;
    }
    writer->file = NULL;
    writer->too_late = 0;
    writer->must_count = false;
    writer->events.buffer.size = 0;
    writer_events_forget(&writer->events);
    writer_places_restart(&writer->places);
}

// Goes over all events without writing any: for the roles of flows, and for sizes.
static status chrome_writer_count(struct writer *writer)
{
    if (writer->split > 0) {
        writer->sizes = memory_allocate_zeroed(STRETCHES, sizeof *writer->sizes);
        writer->names = memory_allocate_zeroed(STRETCHES, sizeof *writer->names);
    }
    writer->counted = true;
    STATUS_TRY(handle_events(writer));
    if (writer->split > 0) {
        describe_all(writer);
        cut_parts(writer);
    }
    start_again(writer);
    return writer_flows_finish(&writer->flows, writer->split > 0 ? chrome_writer_part_of : NULL,
                               writer);
}

// Whether what was written can be written anew: not what goes to a pipe.
static bool chrome_writer_is_plain_file(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

static bool block_has_flows(const struct store_block *block)
{
    struct store_reader reader = store_read(block);
    struct event event;
    struct view values;
    while (store_next(&reader, &event, &values)) {
        if (values.size > 0 && may_have_flows(values) && writer_count_flows(values) > 0)
            return true;
    }
    return false;
}

// Looks at a few blocks from the whole profile.
static bool shows_flows(const struct writer *writer)
{
    enum { LOOKS = 64 };
    const size_t count = store_block_count(writer->profile->store);
    const size_t step = count / LOOKS + 1;
    bool found = false;
    for (size_t i = 0; i < count && !found; i += step) {
        const struct store_block block = store_block_get(writer->profile->store, i);
        found = block_has_flows(&block);
    }
    return found;
}

// Most profiles have no flows: then once over the events is enough.
static status write_whole(struct writer *writer, const char *path)
{
    if (!chrome_writer_is_plain_file(path) || shows_flows(writer))
        STATUS_TRY(chrome_writer_count(writer));
    status result = write_part(writer, path);
    if (!writer->must_count)
        return result;
    status_free(result);
    start_again(writer);
    STATUS_TRY(chrome_writer_count(writer));
    return write_part(writer, path);
}

static status chrome_writer_write_all(struct writer *writer, const char *path)
{
    writer->part_count = 1;
    if (writer->split == 0)
        return write_whole(writer, path);
    STATUS_TRY(chrome_writer_count(writer));
    return chrome_writer_write_parts(writer, path);
}

// The ledger ------------------------------------------------------------------

static void note(struct writer *writer, enum ledger_note_kind kind, uint64_t count,
                 const char *text)
{
    if (count > 0)
        profile_note(writer->profile, 0, kind, count, "%s: %llu", text, (unsigned long long)count);
}

static void chrome_writer_note_losses(struct writer *writer)
{
    const struct writer_losses *losses = &writer->events.losses;
    note(writer, LEDGER_NOT_CARRIED, writer->too_late,
         "Chrome trace: events after 2^63 ns, which are left out");
    note(writer, LEDGER_NOT_CARRIED, losses->samples,
         "Chrome trace: counter samples that are no numbers, which are left out");
    note(writer, LEDGER_NOT_CARRIED, losses->bad_texts,
         "Chrome trace: texts with bytes that are no UTF-8, which are replaced");
    note(writer, LEDGER_NOT_CARRIED, writer->flows.ends_without_start,
         "Chrome trace: ends of flows that nothing starts, which are left out");
    note(writer, LEDGER_NOT_CARRIED, writer->flows.cut,
         "Chrome trace: flows from one part to another, which are left out");
    note(writer, LEDGER_REMARK, writer->flows.ends_as_read,
         "Chrome trace: ends of flows that nothing starts in the trace that was read either");
    note(writer, LEDGER_REMARK, losses->not_numbers,
         "Chrome trace: arguments that are no numbers, written as texts");
    note(writer, LEDGER_REMARK, losses->same_keys,
         "Chrome trace: arguments of the same name in one event, which are numbered");
    note(writer, LEDGER_REMARK, writer->large_parts,
         "Chrome trace: parts larger than asked for, in which all happens at once");
    if (writer->length > EXACT_NS)
        profile_note(writer->profile, 0, LEDGER_REMARK, 1,
                     "Chrome trace: longer than 46 days: viewers round times after that to more "
                     "than a nanosecond");
}

static void find_extent(struct writer *writer)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++) {
        const struct track *track = profile_track(writer->profile, i);
        const struct clock_domain *clock = profile_clock(writer->profile, track->clock);
        if (track->ledger.recorded == 0 || track->first > track->last)
            continue;
        const uint64_t start = clock_to_ns(clock, track->first);
        const uint64_t end = clock_to_ns(clock, track->last);
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    writer->events.base = first == UINT64_MAX ? 0 : first;
    writer->length = last > first ? last - first : 0;
}

status chrome_write(struct profile *profile, const char *path,
                    const struct chrome_writer_options *options)
{
    struct writer *writer = memory_allocate_zeroed(1, sizeof *writer);
    writer->profile = profile;
    writer->split = options->split;
    writer->flows.ends = SPOOL_EMPTY;
    writer->flows.sorted = SPOOL_EMPTY;
    writer->flows.roles = SPOOL_EMPTY;
    writer_places_start(&writer->places, profile);
    writer_events_start(&writer->events, profile, 0);
    writer->events.no_arguments = options->no_arguments;
    writer->flow_key = strings_find(&profile->strings, VIEW_LITERAL(AS_WRITTEN_FLOW));
    find_extent(writer);
    const status result = chrome_writer_write_all(writer, path);
    if (result == STATUS_OK)
        chrome_writer_note_losses(writer);
    writer_flows_free(&writer->flows);
    writer_events_free(&writer->events);
    writer_places_free(&writer->places);
    free(writer->sizes);
    free(writer->names);
    free(writer);
    return result;
}
