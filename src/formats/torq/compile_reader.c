// Compile profiles: one row is one span of one unit of the NPU, in cycles
// (whatever the header says).

#include "readers.h"
#include "rows.h"
#include "runs.h"
#include "unit.h"

enum { SLICES_CACHED = 64, BLOCK = 16 };

// A row that is split and not yet looked up.
struct pending_row {
    struct csv_line line;
    struct split_compile row;
    struct split_problem problem;
    bool whole; // false: `problem` says why not
    uint32_t hash; // of row.run
};

struct compile_reader {
    struct rows rows;
    struct runs runs;
    struct lanes lanes;
    struct split_texts texts;
    struct bytes values;
    uint32_t num_slices;
    uint32_t id_key;
    uint32_t bytes_key;
    uint32_t lane_of_kind[UNIT_SLICE]; // 0: not made yet
    uint32_t lane_of_slice[SLICES_CACHED];
    struct pending_row block[BLOCK];
};

static bool has_ids(enum torq_form form)
{
    return form == TORQ_C1 || form == TORQ_C2;
}

static const struct run *add_run(struct compile_reader *reader, struct view bytes, uint32_t hash,
                                 struct split_problem *out_problem)
{
    struct profile *profile = reader->rows.profile;
    struct split_texts *texts = &reader->texts;
    const bool whole = has_ids(reader->rows.form) ? split_run_c1(bytes, texts, out_problem)
                                                  : split_run_event(bytes, texts, out_problem);
    if (!whole)
        return NULL;
    const struct unit unit = unit_of_event(texts->type);
    const uint32_t type = profile_string(profile, texts->type);
    const uint32_t location = profile_string(profile, texts->location);
    const struct run run = {.name = type,
                            .call = runs_call(&reader->runs, profile, type, location),
                            .kind = unit.kind,
                            .index = unit.slice};
    return runs_add(&reader->runs, bytes, hash, &run);
}

static uint32_t other_lane(struct compile_reader *reader, uint32_t name)
{
    uint32_t index;
    const struct view text = profile_text(reader->rows.profile, name);
    const enum engine engine = engine_from_name(text, &index);
    return lanes_named(&reader->lanes, text, engine, index, LANES_OTHER);
}

static uint32_t lane_of(struct compile_reader *reader, struct unit unit, const struct run *run)
{
    if (unit.kind == UNIT_OTHER)
        return other_lane(reader, run->name);
    if (unit.kind == UNIT_SLICE && unit.slice >= SLICES_CACHED)
        return unit_lane(unit, &reader->lanes);
    uint32_t *known = unit.kind == UNIT_SLICE ? &reader->lane_of_slice[unit.slice]
                                              : &reader->lane_of_kind[unit.kind];
    if (*known == 0)
        *known = unit_lane(unit, &reader->lanes);
    return *known;
}

// The unit that the ID says, or else the one that the event says.
static struct unit unit_of(const struct compile_reader *reader, const struct split_compile *row,
                           const struct run *run)
{
    struct unit unit = {UNIT_OTHER, 0};
    if (has_ids(reader->rows.form))
        unit = unit_of_id(row->id, reader->num_slices);
    if (unit.kind == UNIT_OTHER)
        unit = (struct unit){(enum unit_kind)run->kind, run->index};
    return unit;
}

// Whether a last row without a newline lacks what its kind of row always has.
static bool is_cut(const struct compile_reader *reader, const struct split_compile *row,
                   struct unit unit, const struct run *run)
{
    const struct rows *rows = &reader->rows;
    if (rows->line.terminated)
        return false;
    if (rows->form != TORQ_C1 && unit_moves_bytes(unit.kind) && !row->has_bytes)
        return true;
    return has_ids(rows->form) &&
           unit_type_is_cut(unit.kind, profile_text(rows->profile, run->name));
}

static void add_span(struct compile_reader *reader, const struct split_compile *row,
                     const struct run *run, uint32_t lane)
{
    struct bytes *values = &reader->values;
    values->size = 0;
    if (has_ids(reader->rows.form))
        value_add_text(values, reader->id_key, row->id);
    else
        value_add_uint(values, reader->id_key, row->number);
    if (row->has_bytes)
        value_add_uint(values, reader->bytes_key, row->bytes);

    const struct event event = {.kind = EVENT_SPAN,
                                .start = row->start,
                                .end = row->end,
                                .track = lane,
                                .name = run->name,
                                .call = run->call};
    rows_expect(profile_track(reader->rows.profile, lane));
    profile_event_add(reader->rows.profile, &event, bytes_view(values));
}

static void split_row(struct compile_reader *reader, struct pending_row *pending)
{
    const struct rows *rows = &reader->rows;
    struct split_compile *row = &pending->row;
    pending->line = rows->line;
    pending->whole = has_ids(rows->form)
                         ? split_c1(rows->line.text, row, &pending->problem)
                         : split_c3(rows->line.text, rows->form, row, &pending->problem);
    if (!pending->whole)
        return;
    pending->hash = hash_bytes(row->run.data, row->run.size);
    runs_expect_slot(&reader->runs, pending->hash);
}

static const struct run *find_run(struct compile_reader *reader, struct pending_row *pending)
{
    if (!pending->whole)
        return NULL;
    const struct view bytes = pending->row.run;
    const struct run *run = runs_find(&reader->runs, bytes, pending->hash);
    return run != NULL ? run : add_run(reader, bytes, pending->hash, &pending->problem);
}

static void take_row(struct compile_reader *reader, struct pending_row *pending)
{
    const struct split_compile *row = &pending->row;
    const struct run *run = find_run(reader, pending);
    reader->rows.line = pending->line;
    if (run == NULL) {
        rows_lose(&reader->rows, &pending->problem);
        return;
    }
    const struct unit unit = unit_of(reader, row, run);
    if (is_cut(reader, row, unit, run)) {
        rows_lose_cut(&reader->rows);
        return;
    }
    const uint32_t lane = lane_of(reader, unit, run);
    if (row->end < row->start)
        rows_refuse(&reader->rows, lane, row->start, row->end);
    else
        add_span(reader, row, run, lane);
}

// Rows are taken in blocks: while one is split, the memory that the look-up of
// another needs is on its way. False at the end of the file.
static bool read_block(struct compile_reader *reader)
{
    size_t count = 0;
    while (count < BLOCK && rows_next(&reader->rows))
        split_row(reader, &reader->block[count++]);
    for (size_t i = 0; i < count; i++)
        runs_expect_entry(&reader->runs, reader->block[i].hash);
    for (size_t i = 0; i < count; i++)
        take_row(reader, &reader->block[i]);
    return count == BLOCK;
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
        .num_slices = options->num_slices != 0 ? options->num_slices : TORQ_SLICES,
        .id_key = profile_string(profile, VIEW_LITERAL("ID")),
        .bytes_key = profile_string(profile, VIEW_LITERAL("bytes")),
    };
    while (read_block(&reader))
        ;
    rows_finish(&reader.rows);

    runs_free(&reader.runs);
    lanes_free(&reader.lanes);
    split_texts_free(&reader.texts);
    bytes_free(&reader.values);
}
