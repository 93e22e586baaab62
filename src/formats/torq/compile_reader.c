// Compile profiles: one row is one span of one unit of the NPU, in cycles
// (whatever the header says).

#include "base/dense.h"
#include "base/doubles.h"
#include "readers.h"
#include "rows.h"
#include "runs.h"
#include "unit.h"

enum { SLICES_CACHED = 64 };

// Rows are split some ahead of being looked up: what is known of their runs is
// spread over more memory than a cache holds, and comes while others are split.
enum { ROWS_AHEAD = 16 };

struct waiting_row {
    uint64_t line;
    struct view text;
    bool terminated;
    bool whole; // false: `problem` says why not
    uint32_t hash;
    struct split_compile row;
    struct split_problem problem;
};

struct compile_reader {
    struct rows rows;
    struct runs runs;
    struct lanes lanes;
    struct split_texts texts;
    struct waiting_row waiting[ROWS_AHEAD];
    struct bytes values;
    struct bytes id_scratch;
    uint32_t num_slices;
    uint32_t id_key;
    uint32_t bytes_key;
    uint32_t lane_of_kind[UNIT_NUMBERS]; // 0: not made yet
    uint32_t lane_of_slice[SLICES_CACHED];
    struct doubles doubles;
    struct dense indices[UNIT_COUNTERS]; // of IDs
};

static bool has_ids(enum torq_form form)
{
    return form == TORQ_C1 || form == TORQ_C2;
}

static const struct torq_run *compile_reader_add_run(struct compile_reader *reader,
                                                     struct view bytes, uint32_t hash,
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
    const struct torq_run run = {.name = type,
                                 .call = runs_call(&reader->runs, profile, type, location),
                                 .kind = unit_number(unit),
                                 .index = unit.slice};
    return runs_add(&reader->runs, bytes, hash, &run);
}

static uint32_t other_lane(struct compile_reader *reader, uint32_t name)
{
    uint32_t index;
    const struct view text = profile_text(reader->rows.profile, name);
    const struct torq_engine *engine = torq_engine_of_name(text, &index);
    return lanes_named(&reader->lanes, text, engine, index, LANES_OTHER);
}

static uint32_t compile_reader_lane_of(struct compile_reader *reader, struct unit unit,
                                       const struct torq_run *run)
{
    if (unit.kind == NULL)
        return other_lane(reader, run->name);
    if (unit.kind == &UNIT_SLICE && unit.slice >= SLICES_CACHED)
        return unit_lane(unit, &reader->lanes);
    uint32_t *known = unit.kind == &UNIT_SLICE ? &reader->lane_of_slice[unit.slice]
                                               : &reader->lane_of_kind[unit.kind->number];
    if (*known == 0)
        *known = unit_lane(unit, &reader->lanes);
    return *known;
}

// The unit that the ID says, or else the one that the event says.
static struct unit compile_reader_unit_of(const struct compile_reader *reader,
                                          const struct split_compile *row,
                                          const struct torq_run *run)
{
    struct unit unit = {0};
    if (has_ids(reader->rows.form))
        unit = unit_of_id(row->id, reader->num_slices);
    if (unit.kind == NULL)
        unit = unit_of_number(run->kind, run->index);
    return unit;
}

// Whether a last row without a newline lacks what its kind of row always has.
static bool compile_reader_is_cut(const struct compile_reader *reader,
                                  const struct split_compile *row, struct unit unit,
                                  const struct torq_run *run)
{
    const struct rows *rows = &reader->rows;
    if (rows->line.terminated)
        return false;
    if (rows->form != TORQ_C1 && unit.kind != NULL && unit.kind->moves_bytes && !row->has_bytes)
        return true;
    return has_ids(rows->form) && unit_type_is_cut(unit, profile_text(rows->profile, run->name));
}

// The values of a row, written at once in the layout of value.h: this is where
// a general function for each would cost as much as splitting the row.
static struct view row_values(struct compile_reader *reader, const struct split_compile *row)
{
    unsigned char *const start = reader->values.data;
    unsigned char *to = varint_put(start, reader->id_key);
    if (has_ids(reader->rows.form)) {
        *to++ = VALUE_TEXT;
        to = varint_put(to, row->id.size);
        memcpy(to, row->id.data, row->id.size);
        to += row->id.size;
    } else {
        *to++ = VALUE_UINT;
        to = varint_put(to, row->number);
    }
    if (row->has_bytes) {
        to = varint_put(to, reader->bytes_key);
        *to++ = VALUE_UINT;
        to = varint_put(to, row->bytes);
    }
    return (struct view){(const char *)start, (size_t)(to - start)};
}

static void compile_reader_add_span(struct compile_reader *reader, const struct split_compile *row,
                                    const struct torq_run *run, uint32_t lane)
{
    const struct event event = {.kind = EVENT_SPAN,
                                .start = row->start,
                                .end = row->end,
                                .track = lane,
                                .name = run->name,
                                .call = run->call};
    rows_expect(profile_track(reader->rows.profile, lane));
    profile_event_add(reader->rows.profile, &event, row_values(reader, row));
}

static bool compile_reader_split(const struct rows *rows, struct split_compile *out_row,
                                 struct split_problem *out_problem)
{
    return has_ids(rows->form) ? split_c1(rows->line.text, out_row, out_problem)
                               : split_c3(rows->line.text, rows->form, out_row, out_problem);
}

static void unquote_id(struct compile_reader *reader, struct split_compile *row)
{
    if (row->id.size > 0 && row->id.data[0] == '"')
        row->id = split_text(row->id, &reader->id_scratch);
}

static const struct torq_run *compile_reader_find_run(struct compile_reader *reader,
                                                      struct waiting_row *waiting)
{
    if (!waiting->whole)
        return NULL;
    const struct view bytes = waiting->row.run;
    const struct torq_run *run = runs_find(&reader->runs, bytes, waiting->hash);
    return run != NULL ? run
                       : compile_reader_add_run(reader, bytes, waiting->hash, &waiting->problem);
}

static void count_id(struct compile_reader *reader, struct unit unit, struct view id)
{
    uint64_t index;
    if (unit_index_of_id(unit, id, &index))
        dense_add(&reader->indices[unit.kind->counter], index);
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

static void compile_reader_read_row(struct compile_reader *reader, struct waiting_row *waiting)
{
    struct split_compile *row = &waiting->row;
    const struct torq_run *run = compile_reader_find_run(reader, waiting);
    reader->rows.line.number = waiting->line;
    reader->rows.line.terminated = waiting->terminated;
    if (run == NULL) {
        rows_lose(&reader->rows, &waiting->problem);
        return;
    }
    unquote_id(reader, row);
    const struct unit unit = compile_reader_unit_of(reader, row, run);
    if (compile_reader_is_cut(reader, row, unit, run)) {
        rows_lose_cut(&reader->rows);
        return;
    }
    const uint32_t lane = compile_reader_lane_of(reader, unit, run);
    if (doubles_find(&reader->doubles, waiting->text)) {
        rows_refuse_copy(&reader->rows, lane);
        return;
    }
    if (has_ids(reader->rows.form))
        count_id(reader, unit, row->id);
    if (row->end < row->start)
        rows_refuse(&reader->rows, lane, row->start, row->end);
    else
        compile_reader_add_span(reader, row, run, lane);
}

// Splits the row at hand and asks for the memory that it will need.
static void compile_reader_split_row(struct compile_reader *reader, struct waiting_row *waiting)
{
    const struct csv_line *line = &reader->rows.line;
    waiting->line = line->number;
    waiting->text = line->text;
    waiting->terminated = line->terminated;
    waiting->hash = 0;
    waiting->whole = compile_reader_split(&reader->rows, &waiting->row, &waiting->problem);
    if (!waiting->whole)
        return;
    waiting->hash = hash_bytes(waiting->row.run.data, waiting->row.run.size);
    hash_prefetch(&reader->runs.index, waiting->hash);
}

static size_t split_ahead(struct compile_reader *reader)
{
    size_t count = 0;
    while (count < ROWS_AHEAD && rows_next(&reader->rows))
        compile_reader_split_row(reader, &reader->waiting[count++]);
    return count;
}

static void compile_reader_read_rows(struct compile_reader *reader)
{
    size_t count;
    while ((count = split_ahead(reader)) > 0) {
        for (size_t i = 0; i < count; i++)
            runs_prefetch(&reader->runs, reader->waiting[i].hash);
        for (size_t i = 0; i < count; i++)
            compile_reader_read_row(reader, &reader->waiting[i]);
    }
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
        .indices = {{.step = 1}, {.step = 1}, {.step = 1}},
    };
    bytes_reserve(&reader.values, SPLIT_ID_MOST + 8 * VARINT_MOST);
    compile_reader_read_rows(&reader);
    compile_reader_lose_missing(&reader);
    rows_finish(&reader.rows);

    runs_free(&reader.runs);
    lanes_free(&reader.lanes);
    split_texts_free(&reader.texts);
    bytes_free(&reader.values);
    bytes_free(&reader.id_scratch);
}
