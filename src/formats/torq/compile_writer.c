// C1, C2 and C4: one row is one span of a unit of the NPU, in cycles.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"
#include "wire/csv.h"
#include "writing.h"

static const char C1_HEADER[] = "ID,Start,End,Location,Op Type\n";
static const char C4_HEADER[] = "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n";

struct compile_writer {
    struct writing writing;
    uint32_t id_key;
    uint32_t bytes_key;
    uint32_t task_key;
    uint64_t counted[UNIT_COUNTERS];
    struct unit *units; // by track
    uint64_t rows;
};

static bool is_in_cycles(const struct profile *profile, const struct track *track)
{
    return view_is(profile_text(profile, profile_clock(profile, track->clock)->name), "cycles");
}

static uint64_t to_cycles(const struct profile *profile, const struct track *track, uint64_t ticks)
{
    if (is_in_cycles(profile, track))
        return ticks;
    struct clock_domain cycles = {.frequency = TORQ_CLOCK_HZ};
    clock_prepare(&cycles);
    return clock_from_ns(&cycles, clock_to_ns(profile_clock(profile, track->clock), ticks));
}

static status compile_writer_collect(struct compile_writer *writer)
{
    struct writing *writing = &writer->writing;
    uint32_t *tracks = timeline_tracks(writing->profile);
    status result = STATUS_OK;
    writer->units = memory_allocate_zeroed(writing->profile->tracks.count, sizeof *writer->units);
    for (uint32_t i = 0; i < writing->profile->tracks.count && result == STATUS_OK; i++) {
        const struct track *track = profile_track(writing->profile, tracks[i]);
        writer->units[tracks[i]] = unit_of_track(writing->profile, track);
        // Other lanes in cycles may hold rows of a unit that opscope does not know.
        const bool wanted =
            is_in_cycles(writing->profile, track) || writer->units[tracks[i]].kind != NULL;
        writing_leave_out(writing, track, wanted);
        if (wanted && track->spans > 0)
            result = timeline_add(&writing->timeline, tracks[i]);
    }
    free(tracks);
    return result == STATUS_OK ? timeline_start(&writing->timeline) : result;
}

// C1 and C2 ------------------------------------------------------------------

static const char *cdma_prefix(struct view type)
{
    if (view_is(type, "CDMA_LRAM_TO_DTCM"))
        return "CDMA_L2D";
    if (view_is(type, "CDMA_LRAM_TO_ITCM"))
        return "CDMA_L2I";
    return view_is(type, "CDMA_DTCM_TO_LRAM") ? "CDMA_D2L" : "CDMA_";
}

static void append_new_id(struct compile_writer *writer, struct unit unit, struct view type)
{
    struct bytes *row = &writer->writing.row;
    const struct unit_kind *kind = unit.kind;
    if (kind == NULL || kind->id == NULL)
        bytes_append_format(row, "%" PRIu64, writer->rows);
    else
        bytes_append_format(row, "%s%" PRIu64, kind == &UNIT_CDMA ? cdma_prefix(type) : kind->id,
                            writer->counted[kind->counter]++);
}

// The ID that the event has, or one after the compiler's convention.
static void append_id(struct compile_writer *writer, const struct timeline_event *event,
                      struct unit unit, struct view type)
{
    struct writing *writing = &writer->writing;
    struct value id = {0};
    const bool known = writing_value(event, writer->id_key, &id);
    if (known && id.kind == VALUE_TEXT)
        writing_text(writing, id.text, ',');
    else if (known && id.kind == VALUE_STRING)
        writing_text(writing, profile_text(writing->profile, (uint32_t)id.number), ',');
    else
        append_new_id(writer, unit, type);

    const struct view written = bytes_view(&writing->row);
    if (unit.kind != &UNIT_SLICE)
        return;
    if (writing->form == TORQ_C2 && view_find(written, '_') == written.size)
        bytes_append_format(&writing->row, "_%" PRIu32, unit.slice);
    else if (unit_of_id(written, TORQ_SLICES).slice != unit.slice)
        writing->losses[WRITING_SLICES]++;
}

// Digits alone would be read as a number of bytes.
static void compile_writer_append_type(struct writing *writing, struct view type)
{
    uint64_t number;
    if (view_to_u64(type, &number))
        csv_field_append_quoted(&writing->row, type);
    else
        writing_text(writing, type, ',');
}

static void write_c1_row(struct compile_writer *writer, const struct timeline_event *event,
                         struct unit unit, const struct value *bytes)
{
    struct writing *writing = &writer->writing;
    const struct view name = profile_text(writing->profile, event->name);
    const char *word = unit_op_type(unit, name);
    const struct view type = word[0] != '\0' ? view_of(word) : name;
    append_id(writer, event, unit, type);
    bytes_append_format(&writing->row, ",%" PRIu64 ",%" PRIu64 ",", event->start, event->end);
    writing_location(writing, event->call, ',');
    bytes_append(&writing->row, ",", 1);
    compile_writer_append_type(writing, type);
    if (bytes != NULL && writing->form == TORQ_C2)
        bytes_append_format(&writing->row, ",%" PRIu64, bytes->number);
    else if (bytes != NULL)
        writing->losses[WRITING_BYTES]++;
}

// C4 -------------------------------------------------------------------------

static void compile_writer_append_event(struct writing *writing, struct unit unit, struct view name)
{
    const char *word = unit_event(unit, name);
    if (word[0] != '\0') {
        bytes_append(&writing->row, word, strlen(word));
        if (unit.kind == &UNIT_HOST && !view_is(name, word))
            writing->losses[WRITING_TYPES]++;
    } else if (unit.kind == &UNIT_SLICE) {
        bytes_append_format(&writing->row, "Slice %" PRIu32, unit.slice);
        if (unit_of_event(name).kind != &UNIT_SLICE)
            writing->losses[WRITING_TYPES]++;
    } else if (unit.kind == &UNIT_CDMA && unit_of_event(name).kind != &UNIT_CDMA) {
        bytes_append(&writing->row, "CDMA", 4);
        writing->losses[WRITING_TYPES]++;
    } else {
        writing_text(writing, name.size > 0 ? name : VIEW_LITERAL("unknown"), ',');
    }
}

static void write_c4_row(struct compile_writer *writer, const struct timeline_event *event,
                         struct unit unit, const struct value *bytes)
{
    struct writing *writing = &writer->writing;
    struct value id = {0};
    const bool known = writing_value(event, writer->id_key, &id);
    const bool numbered = (known && id.kind == VALUE_UINT) ||
                          (writing_value(event, writer->task_key, &id) && id.kind == VALUE_UINT);
    if (known && !numbered)
        writing->losses[WRITING_IDS]++;
    bytes_append_format(&writing->row, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
                        numbered ? id.number : writer->rows, event->end - event->start,
                        event->start);
    compile_writer_append_event(writing, unit, profile_text(writing->profile, event->name));
    bytes_append(&writing->row, ",", 1);
    writing_location(writing, event->call, ',');
    bytes_append(&writing->row, ",", 1);
    if (bytes != NULL)
        bytes_append_format(&writing->row, "%" PRIu64, bytes->number);
}

// A row of the host is known by its ID: what else ran there has no place here.
static struct unit compile_writer_unit_of(const struct compile_writer *writer,
                                          const struct track *track,
                                          const struct timeline_event *event)
{
    struct value id;
    const struct unit unit = writer->units[event->track];
    if (unit.kind != NULL || track->role != ROLE_HOST ||
        !writing_value(event, writer->id_key, &id) || id.kind != VALUE_TEXT)
        return unit;
    return unit_of_id(id.text, TORQ_SLICES);
}

static void compile_writer_write_event(struct compile_writer *writer,
                                       const struct timeline_event *event)
{
    struct writing *writing = &writer->writing;
    const struct track *track = profile_track(writing->profile, event->track);
    const struct unit unit = compile_writer_unit_of(writer, track, event);
    struct value value;
    if (event->kind != EVENT_SPAN)
        return;
    if (unit.kind == NULL && !writing_value(event, writer->id_key, &value)) {
        writing->losses[WRITING_OTHER_ENGINES]++;
        return;
    }
    if (!is_in_cycles(writing->profile, track))
        writing->losses[WRITING_CYCLES]++;
    const bool has_bytes =
        writing_value(event, writer->bytes_key, &value) && value.kind == VALUE_UINT;
    if (writing->form == TORQ_C4)
        write_c4_row(writer, event, unit, has_bytes ? &value : NULL);
    else
        write_c1_row(writer, event, unit, has_bytes ? &value : NULL);
    writing_end_row(writing);
    writer->rows++;
}

status torq_compile_write(struct profile *profile, enum torq_form form, const char *path)
{
    if (form != TORQ_C1 && form != TORQ_C2 && form != TORQ_C4)
        return status_make(STATUS_USAGE,
                           "%s: cannot write %s as a compile profile; choose torq-c1, torq-c2 or "
                           "torq-c4",
                           path, torq_form_name(form));
    // The compiler never wrote a header to C2, and its readers know none.
    const char *header = form == TORQ_C1 ? C1_HEADER : form == TORQ_C2 ? "" : C4_HEADER;
    struct compile_writer writer = {
        .id_key = profile_string(profile, VIEW_LITERAL("ID")),
        .bytes_key = profile_string(profile, VIEW_LITERAL("bytes")),
        .task_key = profile_string(profile, VIEW_LITERAL("task")),
    };
    status result = writing_start(&writer.writing, profile, form, path, header, to_cycles);
    if (result == STATUS_OK)
        result = compile_writer_collect(&writer);
    struct timeline_event event;
    while (result == STATUS_OK && timeline_next(&writer.writing.timeline, &event))
        compile_writer_write_event(&writer, &event);
    free(writer.units);
    return writing_finish(&writer.writing, result);
}
