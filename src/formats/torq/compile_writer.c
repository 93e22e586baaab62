// C1, C2 and C4: one row is one span of a unit of the NPU, in cycles. Rows are numbered in their
// order, and written a part at a time by all threads.

#include <stdlib.h>

#include "base/filling.h"
#include "base/memory.h"
#include "unit.h"
#include "wire/csv.h"
#include "writing.h"

static const char C1_HEADER[] = "ID,Start,End,Location,Op Type\n";
static const char C4_HEADER[] = "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n";

enum { PART_ROWS = 4096 };

// What is known of a row before it is written.
struct written_row {
    struct timeline_event event;
    struct unit unit;
    bool has_id;
    struct view id;
    uint64_t number; // instead of an ID
    uint64_t bytes;
    bool has_bytes;
};

struct written_part {
    struct filled_part filled;
    struct writing writing; // of the part: the text of its rows, and what they lose
    struct written_row rows[PART_ROWS];
    size_t count;
};

struct compile_writer {
    struct writing writing;
    uint32_t id_key;
    uint32_t bytes_key;
    uint32_t task_key;
    uint64_t counted[UNIT_COUNTERS];
    struct unit *units; // by track
    bool *in_cycles;    // by track
    uint64_t rows;
    struct filling filling;
    struct written_part *part; // being filled
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
    const uint32_t count = writing->profile->tracks.count;
    uint32_t *tracks = timeline_tracks(writing->profile);
    status result = STATUS_OK;
    writer->units = memory_allocate_zeroed(count, sizeof *writer->units);
    writer->in_cycles = memory_allocate_zeroed(count, sizeof *writer->in_cycles);
    for (uint32_t i = 0; i < count && result == STATUS_OK; i++) {
        const uint32_t id = tracks[i];
        const struct track *track = profile_track(writing->profile, id);
        writer->units[id] = unit_of_track(writing->profile, track);
        writer->in_cycles[id] = is_in_cycles(writing->profile, track);
        // Other lanes in cycles may hold rows of a unit that opscope does not know.
        const bool wanted = writer->in_cycles[id] || writer->units[id].kind != NULL;
        writing_leave_out(writing, track, wanted);
        if (wanted && track->spans > 0)
            result = timeline_add(&writing->timeline, id);
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

// The ID that the event has, or one after the compiler's convention.
static void append_id(struct writing *writing, const struct written_row *row, struct view type)
{
    const struct unit unit = row->unit;
    if (row->has_id) {
        writing_text(writing, row->id, ',');
    } else {
        const bool counted = unit.kind != NULL && unit.kind->id != NULL;
        const char *prefix = !counted                  ? ""
                             : unit.kind == &UNIT_CDMA ? cdma_prefix(type)
                                                       : unit.kind->id;
        bytes_append(&writing->row, prefix, strlen(prefix));
        bytes_append_number(&writing->row, row->number);
    }
}

// S<i> says no slice, where the unit's number of slices would have to be known.
static void append_slice(struct writing *writing, struct unit unit, size_t id_at)
{
    const struct view written = view_slice(bytes_view(&writing->row), id_at, writing->row.size);
    if (writing->form == TORQ_C2 && view_find(written, '_') == written.size) {
        bytes_append(&writing->row, "_", 1);
        bytes_append_number(&writing->row, unit.slice);
    } else if (unit_of_id(written, TORQ_SLICES).slice != unit.slice) {
        writing->losses[WRITING_SLICES]++;
    }
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

static void append_number(struct writing *writing, uint64_t number, char end)
{
    bytes_append_number(&writing->row, number);
    bytes_append(&writing->row, &end, 1);
}

static void write_c1_row(struct writing *writing, const struct written_row *row)
{
    const struct view name = profile_text(writing->profile, row->event.name);
    const char *word = unit_op_type(row->unit, name);
    const struct view type = word[0] != '\0' ? view_of(word) : name;
    const size_t id_at = writing->row.size;
    append_id(writing, row, type);
    if (row->unit.kind == &UNIT_SLICE)
        append_slice(writing, row->unit, id_at);
    bytes_append(&writing->row, ",", 1);
    append_number(writing, row->event.start, ',');
    append_number(writing, row->event.end, ',');
    writing_location(writing, row->event.call, ',');
    bytes_append(&writing->row, ",", 1);
    compile_writer_append_type(writing, type);
    if (row->has_bytes && writing->form == TORQ_C2) {
        bytes_append(&writing->row, ",", 1);
        bytes_append_number(&writing->row, row->bytes);
    } else if (row->has_bytes) {
        writing->losses[WRITING_BYTES]++;
    }
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
        bytes_append(&writing->row, "Slice ", 6);
        bytes_append_number(&writing->row, unit.slice);
        if (unit_of_event(name).kind != &UNIT_SLICE)
            writing->losses[WRITING_TYPES]++;
    } else if (unit.kind == &UNIT_CDMA && unit_of_event(name).kind != &UNIT_CDMA) {
        bytes_append(&writing->row, "CDMA", 4);
        writing->losses[WRITING_TYPES]++;
    } else {
        writing_text(writing, name.size > 0 ? name : VIEW_LITERAL("unknown"), ',');
    }
}

static void write_c4_row(struct writing *writing, const struct written_row *row)
{
    const struct timeline_event *event = &row->event;
    append_number(writing, row->number, ',');
    append_number(writing, event->end - event->start, ',');
    append_number(writing, event->start, ',');
    compile_writer_append_event(writing, row->unit, profile_text(writing->profile, event->name));
    bytes_append(&writing->row, ",", 1);
    writing_location(writing, event->call, ',');
    bytes_append(&writing->row, ",", 1);
    if (row->has_bytes)
        bytes_append_number(&writing->row, row->bytes);
}

// Rows -------------------------------------------------------------------------

static void write_part(void *argument)
{
    struct written_part *part = argument;
    struct writing *writing = &part->writing;
    for (size_t i = 0; i < part->count; i++) {
        if (writing->form == TORQ_C4)
            write_c4_row(writing, &part->rows[i]);
        else
            write_c1_row(writing, &part->rows[i]);
        bytes_append(&writing->row, "\n", 1);
    }
}

static void take_part(void *context, void *taken)
{
    struct writing *writing = context;
    const struct written_part *part = taken;
    output_write(writing->output, part->writing.row.data, part->writing.row.size);
    for (unsigned i = 0; i < WRITING_LOSSES; i++)
        writing->losses[i] += part->writing.losses[i];
}

static struct written_part *part_with_room(struct compile_writer *writer)
{
    struct written_part *part = writer->part;
    if (part != NULL && part->count < PART_ROWS)
        return part;
    if (part != NULL)
        filling_hand_on(&writer->filling, part);
    part = writer->part = filling_part(&writer->filling);
    const struct writing before = part->writing;
    part->writing = (struct writing){.profile = writer->writing.profile,
                                     .form = writer->writing.form,
                                     .row = {before.row.data, 0, before.row.capacity},
                                     .text = before.text};
    part->count = 0;
    return part;
}

static void write_last_parts(struct compile_writer *writer)
{
    if (writer->part != NULL)
        filling_hand_on(&writer->filling, writer->part);
    filling_finish(&writer->filling);
    for (struct written_part *part; (part = filling_give_back(&writer->filling)) != NULL;) {
        bytes_free(&part->writing.row);
        bytes_free(&part->writing.text);
        free(part);
    }
}

// What is looked for among the values of an event; kind VALUE_KINDS: it has none.
struct found_values {
    struct value id;
    struct value bytes;
    struct value task;
};

static struct found_values find_values(const struct compile_writer *writer, struct view values)
{
    struct found_values found = {
        {.kind = VALUE_KINDS}, {.kind = VALUE_KINDS}, {.kind = VALUE_KINDS}};
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        struct value *place = value.key == writer->id_key      ? &found.id
                              : value.key == writer->bytes_key ? &found.bytes
                              : value.key == writer->task_key  ? &found.task
                                                               : NULL;
        if (place != NULL && place->kind == VALUE_KINDS)
            *place = value;
    }
    return found;
}

// A row of the host is known by its ID: what else ran there has no place here.
static struct unit compile_writer_unit_of(const struct compile_writer *writer,
                                          const struct timeline_event *event,
                                          const struct value *id)
{
    const struct unit unit = writer->units[event->track];
    const struct track *track = profile_track(writer->writing.profile, event->track);
    if (unit.kind != NULL || track->role != ROLE_HOST || id->kind != VALUE_TEXT)
        return unit;
    return unit_of_id(id->text, TORQ_SLICES);
}

// The ID of C1 and C2, or a number for one.
static void set_id(struct compile_writer *writer, const struct value *id, struct written_row *row)
{
    const struct unit_kind *kind = row->unit.kind;
    row->has_id = id->kind == VALUE_TEXT || id->kind == VALUE_STRING;
    if (id->kind == VALUE_TEXT)
        row->id = id->text;
    else if (id->kind == VALUE_STRING)
        row->id = profile_text(writer->writing.profile, (uint32_t)id->number);
    else if (kind == NULL || kind->id == NULL)
        row->number = writer->rows;
    else
        row->number = writer->counted[kind->counter]++;
}

// The number of C4.
static void set_number(struct compile_writer *writer, const struct found_values *found,
                       struct written_row *row)
{
    if (found->id.kind == VALUE_UINT)
        row->number = found->id.number;
    else
        row->number = found->task.kind == VALUE_UINT ? found->task.number : writer->rows;
    if (found->id.kind != VALUE_UINT && found->id.kind != VALUE_KINDS &&
        found->task.kind != VALUE_UINT)
        writer->writing.losses[WRITING_IDS]++;
}

static void compile_writer_add_event(struct compile_writer *writer,
                                     const struct timeline_event *event)
{
    struct writing *writing = &writer->writing;
    if (event->kind != EVENT_SPAN)
        return;
    const struct found_values found = find_values(writer, event->values);
    const struct unit unit = compile_writer_unit_of(writer, event, &found.id);
    if (unit.kind == NULL && found.id.kind == VALUE_KINDS) {
        writing->losses[WRITING_OTHER_ENGINES]++;
        return;
    }
    if (!writer->in_cycles[event->track])
        writing->losses[WRITING_CYCLES]++;
    struct written_part *part = part_with_room(writer);
    struct written_row *row = &part->rows[part->count++];
    *row = (struct written_row){.event = *event,
                                .unit = unit,
                                .bytes = found.bytes.number,
                                .has_bytes = found.bytes.kind == VALUE_UINT};
    if (writing->form == TORQ_C4)
        set_number(writer, &found, row);
    else
        set_id(writer, &found.id, row);
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
    filling_start(&writer.filling, sizeof(struct written_part), write_part, take_part,
                  &writer.writing);
    struct timeline_event event;
    while (result == STATUS_OK && timeline_next(&writer.writing.timeline, &event))
        compile_writer_add_event(&writer, &event);
    write_last_parts(&writer);
    free(writer.units);
    free(writer.in_cycles);
    return writing_finish(&writer.writing, result);
}
