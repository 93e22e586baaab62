// R1: one row is one job of the NPU, at its end. R2 and R4: one row is the
// begin or the end of what the host does. Times are in us.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "readers.h"
#include "wire/csv.h"
#include "writing.h"

static const char R1_HEADER[] = "ID;time_since_open;time_since_start;Location\n";
static const char R2_HEADER[] = "actionIndex, elapsed_time(us), timestamp(us), event, location\n";
static const char R4_HEADER[] = "dispatch_name,invocation_id,action_id,timestamp_us,event\n";

enum phase { PHASE_BEGIN, PHASE_END, PHASE_ONCE };

struct open_span {
    struct timeline_event event;
    uint64_t serial;
};

struct runtime_writer {
    struct writing writing;
    struct bytes event_text;
    uint32_t job_key, action_key, invocation_key, dispatch_key;
    struct timeline_event ahead; // the next event to begin
    bool has_ahead;
    struct open_span *open; // a heap, the one that ends first in front
    size_t open_count;
    size_t open_capacity;
    uint64_t begun;
    uint64_t rows;
    enum torq_elapsed elapsed;
    uint64_t base;    // of R2's elapsed times
    uint64_t divisor; // of the timeline's ticks, for us
};

// Order of rows --------------------------------------------------------------

// Where spans end together, the one that began last ends first: it lies inside.
static bool ends_before(const struct open_span *a, const struct open_span *b)
{
    return a->event.end != b->event.end ? a->event.end < b->event.end : a->serial > b->serial;
}

static void runtime_writer_open_push(struct runtime_writer *writer,
                                     const struct timeline_event *event)
{
    writer->open =
        memory_grow(writer->open, writer->open_count, &writer->open_capacity, sizeof *writer->open);
    const struct open_span span = {*event, writer->begun++};
    size_t at = writer->open_count++;
    for (; at > 0 && ends_before(&span, &writer->open[(at - 1) / 2]); at = (at - 1) / 2)
        writer->open[at] = writer->open[(at - 1) / 2];
    writer->open[at] = span;
}

static struct timeline_event open_pop(struct runtime_writer *writer)
{
    const struct timeline_event first = writer->open[0].event;
    const struct open_span moved = writer->open[--writer->open_count];
    size_t root = 0;
    for (size_t child; (child = 2 * root + 1) < writer->open_count; root = child) {
        if (child + 1 < writer->open_count &&
            ends_before(&writer->open[child + 1], &writer->open[child]))
            child++;
        if (!ends_before(&writer->open[child], &moved))
            break;
        writer->open[root] = writer->open[child];
    }
    writer->open[root] = moved;
    return first;
}

// The next row to come. Ends come before begins at the same time, so that a
// reader does not take one span's end for the next one's.
static bool next_phase(struct runtime_writer *writer, struct timeline_event *out_event,
                       enum phase *out_phase)
{
    if (!writer->has_ahead)
        writer->has_ahead = timeline_next(&writer->writing.timeline, &writer->ahead);
    const bool has_end = writer->open_count > 0;
    if (!has_end && !writer->has_ahead)
        return false;
    if (has_end && (!writer->has_ahead || writer->open[0].event.end <= writer->ahead.start)) {
        *out_event = open_pop(writer);
        *out_phase = PHASE_END;
        return true;
    }
    *out_event = writer->ahead;
    *out_phase = writer->ahead.kind == EVENT_SPAN ? PHASE_BEGIN : PHASE_ONCE;
    writer->has_ahead = false;
    if (*out_phase == PHASE_BEGIN)
        runtime_writer_open_push(writer, out_event);
    return true;
}

// Rows -----------------------------------------------------------------------

static bool is_in_microseconds(const struct profile *profile, const struct track *track)
{
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    return clock->frequency == TORQ_MICROSECOND_HZ && clock_is_plain(clock);
}

static uint64_t to_microseconds(const struct profile *profile, const struct track *track,
                                uint64_t ticks)
{
    (void)profile, (void)track;
    return ticks;
}

static uint64_t to_nanoseconds(const struct profile *profile, const struct track *track,
                               uint64_t ticks)
{
    return clock_to_ns(profile_clock(profile, track->clock), ticks);
}

// Rows are put in order by the finest clock: what follows one another within a microsecond
// must not look as if it did not.
static bool are_in_microseconds(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->spans + track->instants > 0 && !is_in_microseconds(profile, track))
            return false;
    }
    return true;
}

static void count_rounding(struct writing *writing, const struct timeline_event *event)
{
    const struct track *track = profile_track(writing->profile, event->track);
    if (!is_in_microseconds(writing->profile, track))
        writing->losses[WRITING_MICROSECONDS]++;
}

static void write_r1_row(struct runtime_writer *writer, const struct timeline_event *event)
{
    struct writing *writing = &writer->writing;
    count_rounding(writing, event);
    struct value job = {0};
    const bool known = writing_value(event, writer->job_key, &job) && job.kind == VALUE_UINT;
    bytes_append_format(&writing->row, "%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";",
                        known ? job.number : writer->rows, event->end / writer->divisor,
                        event->end / writer->divisor - event->start / writer->divisor);
    writing_last_location(writing, event->call, ';');
    writing_end_row(writing);
    writer->rows++;
}

// The event with the suffix of its phase. R2 writes the begin of NSS_START
// without one.
static void runtime_writer_append_event(struct runtime_writer *writer, uint32_t name,
                                        enum phase phase)
{
    static const char *const SUFFIXES[] = {"_BEGIN", "_END", ""};
    struct writing *writing = &writer->writing;
    struct bytes *text = &writer->event_text;
    const struct view known = profile_text(writing->profile, name);
    const struct view event = known.size > 0 ? known : VIEW_LITERAL("unknown");
    const char *suffix = SUFFIXES[phase];
    if (phase == PHASE_BEGIN && writing->form == TORQ_R2)
        suffix = view_is(event, "NSS_START") ? "" : "_START";
    text->size = 0;
    bytes_append(text, event.data, event.size);
    bytes_append(text, suffix, strlen(suffix));
    writing_text(writing, bytes_view(text), ',');
}

static void runtime_writer_append_action(struct runtime_writer *writer,
                                         const struct timeline_event *event)
{
    struct value action = {0};
    if (writing_value(event, writer->action_key, &action) && action.kind == VALUE_UINT)
        bytes_append_format(&writer->writing.row, "%" PRIu64 ",", action.number);
    else
        bytes_append_format(&writer->writing.row, "-1,");
}

static void write_r2_row(struct runtime_writer *writer, const struct timeline_event *event,
                         enum phase phase, uint64_t timestamp)
{
    struct writing *writing = &writer->writing;
    struct value value;
    if (writer->rows == 0)
        writer->base = timestamp;
    runtime_writer_append_action(writer, event);
    bytes_append_format(&writing->row, "%" PRIu64 ",%" PRIu64 ",", timestamp - writer->base,
                        timestamp);
    if (writer->elapsed == TORQ_SINCE_PREVIOUS)
        writer->base = timestamp;
    runtime_writer_append_event(writer, event->name, phase);
    bytes_append(&writing->row, ",", 1);
    writing_last_location(writing, event->call, ',');
    if (phase != PHASE_END && writing_value(event, writer->invocation_key, &value))
        writing->losses[WRITING_DISPATCHES]++;
}

static struct view runtime_writer_dispatch_of(const struct runtime_writer *writer,
                                              const struct timeline_event *event)
{
    const struct profile *profile = writer->writing.profile;
    struct value dispatch;
    if (writing_value(event, writer->dispatch_key, &dispatch)) {
        if (dispatch.kind == VALUE_STRING)
            return profile_text(profile, (uint32_t)dispatch.number);
        if (dispatch.kind == VALUE_TEXT)
            return dispatch.text;
    }
    const uint32_t id = profile_call(profile, event->call)->operator_id;
    return profile_text(profile, profile_operator(profile, id)->name);
}

static void write_r4_row(struct runtime_writer *writer, const struct timeline_event *event,
                         enum phase phase, uint64_t timestamp)
{
    struct writing *writing = &writer->writing;
    struct value invocation = {0};
    const bool known =
        writing_value(event, writer->invocation_key, &invocation) && invocation.kind == VALUE_UINT;
    writing_text(writing, runtime_writer_dispatch_of(writer, event), ',');
    bytes_append_format(&writing->row, ",%" PRIu64 ",",
                        known ? invocation.number
                              : profile_call(writing->profile, event->call)->invocation);
    runtime_writer_append_action(writer, event);
    bytes_append_format(&writing->row, "%" PRIu64 ",", timestamp);
    runtime_writer_append_event(writer, event->name, phase);
    if (phase != PHASE_END && writing_location_of(writing, event->call).size > 0)
        writing->losses[WRITING_LOCATIONS]++;
}

// A point in time with the name of a begin or an end would be read as one.
static bool is_ambiguous(const struct writing *writing, const struct timeline_event *event)
{
    const struct view name = profile_text(writing->profile, event->name);
    return view_ends_with(name, "_END") || view_ends_with(name, "_BEGIN") ||
           view_ends_with(name, "_START");
}

static void runtime_writer_write_phase(struct runtime_writer *writer,
                                       const struct timeline_event *event, enum phase phase)
{
    struct writing *writing = &writer->writing;
    const uint64_t timestamp = (phase == PHASE_END ? event->end : event->start) / writer->divisor;
    if (phase == PHASE_ONCE && (event->kind == EVENT_COUNTER || is_ambiguous(writing, event))) {
        writing->losses[event->kind == EVENT_COUNTER ? WRITING_SAMPLES : WRITING_INSTANTS]++;
        return;
    }
    if (phase != PHASE_END)
        count_rounding(writing, event);
    if (writing->form == TORQ_R4)
        write_r4_row(writer, event, phase, timestamp);
    else
        write_r2_row(writer, event, phase, timestamp);
    writing_end_row(writing);
    writer->rows++;
}

static void runtime_writer_write_rows(struct runtime_writer *writer)
{
    struct timeline_event event;
    enum phase phase;
    while (next_phase(writer, &event, &phase)) {
        if (writer->writing.form != TORQ_R1)
            runtime_writer_write_phase(writer, &event, phase);
        else if (phase == PHASE_END)
            write_r1_row(writer, &event);
    }
}

static bool has_rows(enum torq_form form, const struct track *track)
{
    if (form == TORQ_R1)
        return track->role == ROLE_DEVICE;
    if (track->provenance == PROVENANCE_DERIVED)
        return false;
    return !role_is_device(track->role);
}

static status runtime_writer_collect(struct runtime_writer *writer)
{
    struct writing *writing = &writer->writing;
    uint32_t *tracks = timeline_tracks(writing->profile);
    status result = STATUS_OK;
    for (uint32_t i = 0; i < writing->profile->tracks.count && result == STATUS_OK; i++) {
        const struct track *track = profile_track(writing->profile, tracks[i]);
        const bool wanted = has_rows(writing->form, track);
        // R2 and R4 have rows for instants; they are counted one by one.
        if (!wanted || writing->form == TORQ_R1)
            writing_leave_out(writing, track, wanted);
        if (wanted && track->spans + track->instants + track->samples > 0)
            result = timeline_add(&writing->timeline, tracks[i]);
    }
    free(tracks);
    return result == STATUS_OK ? timeline_start(&writing->timeline) : result;
}

status torq_runtime_write(struct profile *profile, enum torq_form form, enum torq_elapsed elapsed,
                          const char *path)
{
    if (form != TORQ_R1 && form != TORQ_R2 && form != TORQ_R4)
        return status_make(STATUS_USAGE,
                           "%s: cannot write %s as a runtime profile; choose torq-r1, torq-r2 or "
                           "torq-r4",
                           path, torq_form_name(form));
    const char *header = form == TORQ_R1 ? R1_HEADER : form == TORQ_R2 ? R2_HEADER : R4_HEADER;
    const bool fine = !are_in_microseconds(profile);
    struct runtime_writer writer = {
        .elapsed = elapsed,
        .divisor = fine ? 1000 : 1,
        .job_key = profile_string(profile, VIEW_LITERAL("job")),
        .action_key = profile_string(profile, VIEW_LITERAL("action")),
        .invocation_key = profile_string(profile, VIEW_LITERAL("invocation")),
        .dispatch_key = profile_string(profile, VIEW_LITERAL("dispatch")),
    };
    status result = writing_start(&writer.writing, profile, form, path, header,
                                  fine ? to_nanoseconds : to_microseconds);
    if (result == STATUS_OK)
        result = runtime_writer_collect(&writer);
    if (result == STATUS_OK)
        runtime_writer_write_rows(&writer);
    free(writer.open);
    bytes_free(&writer.event_text);
    return writing_finish(&writer.writing, result);
}
