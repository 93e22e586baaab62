// Compile profiles: one row is one span of one unit of the NPU, in cycles
// (whatever the header says).
//
// Pieces of the file are read on all threads (compile_part.h); here they are put together in order.
// Memory: PARTS_OF_THREAD pieces for each thread, PART_BYTES of text each.

#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/progress.h"
#include "compile_part.h"
#include "readers.h"

enum { PART_BYTES = 256 << 10 };

// What is new in a row is looked up this far ahead of being added.
enum { NEW_AHEAD = 8 };

struct compile_reader {
    struct rows rows;
    struct compile_shared shared;
    struct lanes lanes;
    struct doubles doubles;
    struct dense indices[UNIT_COUNTERS]; // of IDs
};

static uint32_t other_lane(struct compile_reader *reader, uint32_t name)
{
    uint32_t index;
    const struct view text = profile_text(reader->rows.profile, name);
    const struct torq_engine *engine = torq_engine_of_name(text, &index);
    return lanes_named(&reader->lanes, text, engine, index, LANES_OTHER);
}

static uint32_t compile_reader_lane_of(struct compile_reader *reader, struct unit unit,
                                       uint32_t name)
{
    if (unit.kind == NULL)
        return other_lane(reader, name);
    if (unit.kind == &UNIT_SLICE && unit.slice >= COMPILE_SLICES)
        return unit_lane(unit, &reader->lanes);
    struct compile_shared *shared = &reader->shared;
    _Atomic uint32_t *known = unit.kind == &UNIT_SLICE ? &shared->lane_of_slice[unit.slice]
                                                       : &shared->lane_of_kind[unit.kind->number];
    if (*known == 0)
        *known = unit_lane(unit, &reader->lanes);
    return *known;
}

// Whether a last row without a newline lacks what its kind of row always has.
static bool compile_reader_is_cut(const struct compile_reader *reader,
                                  const struct compile_row *row, struct unit unit, uint32_t name)
{
    const struct rows *rows = &reader->rows;
    if (rows->line.terminated)
        return false;
    if (rows->form != TORQ_C1 && unit.kind != NULL && unit.kind->moves_bytes && !row->has_bytes)
        return true;
    return compile_has_ids(rows->form) && unit_type_is_cut(unit, profile_text(rows->profile, name));
}

static void compile_reader_add_span(struct compile_reader *reader, const struct event *read,
                                    struct view values, uint32_t lane)
{
    const struct event event = {.kind = EVENT_SPAN,
                                .start = read->start,
                                .end = read->end,
                                .track = lane,
                                .name = read->name,
                                .call = read->call};
    rows_expect(profile_track(reader->rows.profile, lane));
    profile_event_add(reader->rows.profile, &event, values);
}

// IDs count the rows of some units together, from 0. Rows that could not be read leave holes too.
static void compile_reader_lose_missing(struct compile_reader *reader)
{
    uint64_t missing = 0;
    uint64_t there = 0;
    for (int i = 0; i < UNIT_COUNTERS; i++) {
        missing += dense_missing(&reader->indices[i]) + reader->indices[i].least;
        there += reader->indices[i].count;
    }
    if (missing > reader->rows.lost && missing < there)
        rows_lose_missing(&reader->rows, 0, missing - reader->rows.lost, "IDs count through");
}

static bool compile_reader_lies_in_file(const struct compile_reader *reader, struct view text)
{
    const struct view file = reader->rows.input->bytes;
    return text.data >= file.data && text.data < file.data + file.size;
}

// What was not known when the row was read may be by now. Returns the number of its type.
static uint32_t compile_reader_name(struct compile_reader *reader, struct compile_part *part,
                                    const struct compile_named *named)
{
    struct compile_names *names = &reader->shared.names;
    struct event *event = &part->batch->events[named->row];
    const uint32_t number = named->type_number != HASH_NONE
                                ? named->type_number
                                : compile_names_add_type(names, named->type);
    const uint32_t location = named->found.id != HASH_NONE
                                  ? named->found.id
                                  : compile_names_add_location(
                                        names, named->location, named->location_hash, &named->found,
                                        compile_reader_lies_in_file(reader, named->location));
    event->name = compile_names_type(names, number)->name;
    event->call = compile_names_add_call(names, event->name, location);
    return number;
}

static void compile_reader_take_row(struct compile_reader *reader, struct compile_part *part,
                                    size_t index)
{
    const struct compile_row *row = &part->rows[index];
    const struct event *event = &part->batch->events[index];
    if (row->state == COMPILE_ROW_LOST) {
        rows_lose(&reader->rows, &part->problems[row->other]);
        return;
    }
    const uint32_t type = row->state == COMPILE_ROW_NEW
                              ? compile_reader_name(reader, part, &part->news[row->other])
                              : row->type;
    const struct unit unit = compile_unit_of(row, compile_names_type(&reader->shared.names, type));
    if (compile_reader_is_cut(reader, row, unit, event->name)) {
        rows_lose_cut(&reader->rows);
        return;
    }
    const uint32_t lane = compile_reader_lane_of(reader, unit, event->name);
    if (doubles_find_hashed(&reader->doubles, row->hash, row->text)) {
        rows_refuse_copy(&reader->rows, lane);
        return;
    }
    if (row->has_index)
        dense_add(&reader->indices[unit.kind->counter], row->index);
    if (event->end < event->start)
        rows_refuse(&reader->rows, lane, event->start, event->end);
    else
        compile_reader_add_span(reader, event, event_values(part->batch, event), lane);
}

// Asks for the memory that a location that is new will be looked for in.
static void compile_reader_prefetch(const struct compile_reader *reader,
                                    const struct compile_part *part, size_t index)
{
    if (index < part->new_count)
        shared_index_prefetch(&reader->shared.names.locations, part->news[index].location_hash);
}

static void compile_reader_take_rows(struct compile_reader *reader, struct compile_part *part)
{
    struct rows *rows = &reader->rows;
    for (size_t i = 0; i < part->row_count; i++) {
        const struct compile_row *row = &part->rows[i];
        rows->line.number = rows->lines.number + row->line;
        rows->line.terminated = !part->unterminated || i + 1 < part->row_count;
        if (!rows->line.terminated)
            rows->unfinished = rows->line.number;
        if (row->state == COMPILE_ROW_NEW)
            compile_reader_prefetch(reader, part, row->other + NEW_AHEAD);
        compile_reader_take_row(reader, part, i);
    }
    // Whether a piece is whole depends on what was known when it was read, and so on threads; where
    // batches end does not.
    profile_batch_end(rows->profile);
}

// Whether nothing has to be said of any row of the piece. Rows before it may be doubled by the
// first DOUBLES_KEPT alone: then each is looked at.
static bool compile_reader_is_whole(const struct compile_reader *reader,
                                    const struct compile_part *part)
{
    if (!part->summary.whole || part->unterminated)
        return false;
    for (size_t i = 0; i < part->row_count && i < DOUBLES_KEPT; i++) {
        if (doubles_has(&reader->doubles, part->rows[i].hash, part->rows[i].text))
            return false;
    }
    return true;
}

static void compile_reader_count(struct compile_reader *reader,
                                 const struct compile_summary *summary)
{
    for (unsigned i = 0; i < COMPILE_LANES; i++) {
        if ((summary->lanes_seen[i / 64] >> i % 64 & 1) == 0)
            continue;
        const struct track_events *events = &summary->of_lane[i];
        struct track *track = profile_track(reader->rows.profile, events->first.track);
        track->ledger.expected += events->counted.ledger.recorded;
        track_count_events(track, events);
    }
    for (unsigned i = 0; i < UNIT_COUNTERS; i++)
        dense_join(&reader->indices[i], &summary->indices[i]);
    doubles_follow(&reader->doubles, &summary->doubles);
}

// Its events are handed on as they are, once those of what is new have their names and calls.
static void compile_reader_take_whole(struct compile_reader *reader, struct compile_part *part)
{
    for (size_t i = 0; i < part->new_count; i++) {
        compile_reader_prefetch(reader, part, i + NEW_AHEAD);
        compile_reader_name(reader, part, &part->news[i]);
    }
    compile_reader_count(reader, &part->summary);
    part->batch = profile_batch_add(reader->rows.profile, part->batch);
}

// How far it has come. What is new so far says how much will be.
static void compile_reader_report(struct compile_reader *reader, uint64_t at)
{
    struct shared_index *locations = &reader->shared.names.locations;
    const uint64_t size = input_likely_size(reader->rows.input);
    progress_report(at, size);
    if (at > 0)
        shared_index_expect(locations,
                            (uint64_t)((double)locations->count / (double)at * (double)size));
}

static void compile_reader_take_part(struct compile_reader *reader, struct compile_part *part)
{
    struct rows *rows = &reader->rows;
    if (part->row_count > 0)
        compile_reader_report(reader,
                              (uint64_t)(part->rows[0].text.data - rows->input->bytes.data));
    for (size_t i = 0; i < NEW_AHEAD; i++)
        compile_reader_prefetch(reader, part, i);
    if (compile_reader_is_whole(reader, part))
        compile_reader_take_whole(reader, part);
    else
        compile_reader_take_rows(reader, part);
    rows->count += part->row_count;
    rows->lines.number += part->lines.number;
}

// A piece that is free, or a new one.
static struct compile_part *compile_reader_next_part(struct compile_reader *reader, bool busy,
                                                     struct compile_part **free_parts)
{
    struct csv_lines *lines = &reader->rows.lines;
    const struct input *input = reader->rows.input;
    // While there is other work, nobody waits for what is not unpacked yet.
    if ((busy && !csv_lines_are_there(lines, input, PART_BYTES)) || !csv_lines_follow(lines, input))
        return NULL;
    struct compile_part *part = *free_parts;
    if (part == NULL)
        part = memory_allocate_zeroed(1, sizeof *part);
    else
        *free_parts = part->next_free;
    part->shared = &reader->shared;
    part->lines = csv_lines_cut_input(lines, input, PART_BYTES);
    return part;
}

static void compile_reader_read_rows(struct compile_reader *reader)
{
    struct compile_part *free_parts = NULL;
    struct compile_part *part;
    struct parts *parts = parts_open(compile_part_read);
    rows_skip_header(&reader->rows);
    for (;;) {
        while (parts_room(parts) &&
               (part = compile_reader_next_part(reader, parts_busy(parts), &free_parts)) != NULL)
            parts_put(parts, part);
        if ((part = parts_take(parts)) == NULL)
            break;
        compile_reader_take_part(reader, part);
        compile_part_clear(part);
        part->next_free = free_parts;
        free_parts = part;
    }
    parts_close(parts);
    while ((part = free_parts) != NULL) {
        free_parts = part->next_free;
        compile_part_free(part);
        free(part);
    }
}

static void compile_reader_tell_keys(const struct compile_reader *reader)
{
    const uint32_t id = reader->shared.id_key;
    const uint32_t bytes = reader->shared.bytes_key;
    if (id < 64 && bytes < 64)
        profile_keys_tell(reader->rows.profile, (uint64_t)1 << id | (uint64_t)1 << bytes);
}

void compile_reader_run(const struct input *input, enum torq_form form,
                        const struct torq_options *options, struct profile *profile)
{
    const uint64_t frequency = options->clock_hz != 0 ? options->clock_hz : TORQ_CLOCK_HZ;
    struct compile_reader reader = {
        .rows = rows_start(input, form, profile),
        .lanes = {.profile = profile,
                  .like = {.parent = options->parent,
                           .clock = profile_clock_add(profile, "cycles", frequency, 0, 0),
                           .provenance = PROVENANCE_MODELLED}},
        .shared = {.form = form,
                   .num_slices = options->num_slices != 0 ? options->num_slices : TORQ_SLICES,
                   .id_key = profile_string(profile, VIEW_LITERAL("ID")),
                   .bytes_key = profile_string(profile, VIEW_LITERAL("bytes")),
                   .names = COMPILE_NAMES(profile, options->streams)},
        .indices = {{.step = 1}, {.step = 1}, {.step = 1}},
    };
    compile_reader_tell_keys(&reader);
    compile_reader_read_rows(&reader);
    compile_reader_lose_missing(&reader);
    rows_finish(&reader.rows);
    profile_keys_tell(profile, 0);

    compile_names_free(&reader.shared.names);
    lanes_free(&reader.lanes);
}
