#include "compile_part.h"

#include <stdlib.h>

#include "base/memory.h"

// Rows are split some ahead of being looked up: what is known of their runs is
// spread over more memory than a cache holds, and comes while others are split.
enum { ROWS_AHEAD = 16 };

struct split_row {
    struct view run; // no data: there is none
    uint32_t hash;
};

static struct compile_row *compile_part_add_row(struct compile_part *part,
                                                const struct csv_line *line)
{
    if (part->row_count == part->row_capacity)
        part->rows =
            memory_grow(part->rows, part->row_count, &part->row_capacity, sizeof *part->rows);
    struct compile_row *row = &part->rows[part->row_count++];
    *row = (struct compile_row){.text = line->text, .line = (uint32_t)line->number};
    return row;
}

static struct event *compile_part_add_event(struct compile_part *part)
{
    struct event_batch *batch = part->batch;
    if (batch->count == batch->capacity)
        event_batch_room(batch, batch->count + 1);
    struct event *event = &batch->events[batch->count++];
    *event = (struct event){.kind = EVENT_SPAN, .values_at = (uint32_t)batch->values.size};
    return event;
}

static void compile_part_lose(struct compile_part *part, struct compile_row *row,
                              const struct split_problem *problem)
{
    part->problems = memory_grow(part->problems, part->problem_count, &part->problem_capacity,
                                 sizeof *part->problems);
    row->run = COMPILE_ROW_LOST;
    row->other = (uint32_t)part->problem_count;
    part->problems[part->problem_count++] = *problem;
}

// Most IDs are short: where the row goes on, to copy more than that is quicker than to ask how much
// it is.
static inline void compile_part_copy(unsigned char *to, struct view id, struct view line)
{
    enum { AT_ONCE = 16 };
    if (id.size <= AT_ONCE && id.data == line.data && line.size >= AT_ONCE)
        memcpy(to, id.data, AT_ONCE);
    else
        memcpy(to, id.data, id.size);
}

// The values of a row, written at once in the layout of value.h: this is where
// a general function for each would cost as much as splitting the row.
static void compile_part_put_values(struct compile_part *part, struct event *event,
                                    const struct split_compile *split, struct view line)
{
    const struct compile_shared *shared = part->shared;
    struct bytes *values = &part->batch->values;
    const size_t room = SPLIT_ID_MOST + 8 * VARINT_MOST;
    unsigned char *const start = values->capacity - values->size >= room
                                     ? values->data + values->size
                                     : bytes_reserve(values, room);
    unsigned char *to = varint_put(start, shared->id_key);
    if (compile_has_ids(shared->form)) {
        *to++ = VALUE_TEXT;
        to = varint_put(to, split->id.size);
        compile_part_copy(to, split->id, line);
        to += split->id.size;
    } else {
        *to++ = VALUE_UINT;
        to = varint_put(to, split->number);
    }
    if (split->has_bytes) {
        to = varint_put(to, shared->bytes_key);
        *to++ = VALUE_UINT;
        to = varint_put_any(to, split->bytes);
    }
    event->values_size = (uint32_t)(to - start);
    values->size += (size_t)(to - start);
}

static void compile_part_look_at_id(struct compile_part *part, struct compile_row *row,
                                    struct split_compile *split)
{
    if (!compile_has_ids(part->shared->form))
        return;
    if (split->id.size > 0 && split->id.data[0] == '"')
        split->id = split_text(split->id, &part->id_scratch);
    const struct unit unit = unit_of_id(split->id, part->shared->num_slices);
    row->unit = (uint8_t)unit_number(unit);
    row->slice = unit.slice;
    row->has_index = unit_index_of_id(unit, split->id, &row->index);
}

static bool compile_part_split(const struct compile_part *part, struct view line,
                               struct split_compile *out_row, struct split_problem *out_problem)
{
    return compile_has_ids(part->shared->form)
               ? split_c1(line, out_row, out_problem)
               : split_c3(line, part->shared->form, out_row, out_problem);
}

// Equal rows have equal runs and times.
static uint32_t compile_part_hash_row(uint32_t run_hash, const struct split_compile *split)
{
    const uint64_t times = split->start * 0x9e3779b97f4a7c15 + split->end;
    return run_hash ^ (uint32_t)(times * 0xbf58476d1ce4e5b9 >> 32);
}

// Field by field: it was just put together, and a processor that copies both fields at once waits
// until they have reached its cache.
static inline struct view compile_part_run(const volatile struct split_compile *split)
{
    return (struct view){split->run.data, split->run.size};
}

// `*out_split` stays empty when there is no run to look for.
static void compile_part_take_line(struct compile_part *part, const struct csv_line *line,
                                   struct split_row *out_split)
{
    struct split_compile split;
    struct split_problem problem;
    struct compile_row *row = compile_part_add_row(part, line);
    struct event *event = compile_part_add_event(part);
    if (!compile_part_split(part, line->text, &split, &problem)) {
        compile_part_lose(part, row, &problem);
        return;
    }
    event->start = split.start;
    event->end = split.end;
    row->has_bytes = split.has_bytes;
    compile_part_look_at_id(part, row, &split);
    compile_part_put_values(part, event, &split, line->text);
    const struct view run = compile_part_run(&split);
    const uint32_t hash = hash_bytes(run.data, run.size);
    row->hash = compile_part_hash_row(hash, &split);
    shared_index_prefetch(&part->shared->runs.index, hash);
    *out_split = (struct split_row){.run = run, .hash = hash};
}

// Texts that are not in the row as they are lie in a buffer of the next one.
static struct view compile_part_keep(struct compile_part *part, struct view text, struct view run)
{
    const bool within = text.data >= run.data && text.data <= run.data + run.size;
    return within || text.size == 0 ? text : arena_copy(&part->kept, text);
}

// Where the piece keeps a type, so that whoever takes it looks at the text once.
static uint32_t compile_part_type(struct compile_part *part, struct view type)
{
    if (type.size == 0)
        return COMPILE_TYPES;
    const size_t mixed = type.size * 8 + (unsigned char)type.data[type.size - 1];
    const uint32_t at = (uint32_t)(mixed % COMPILE_TYPES);
    if (part->types[at].data == NULL)
        part->types[at] = type;
    return view_equal(part->types[at], type) ? at : COMPILE_TYPES;
}

// First and second lie as they are in the bytes, from end to end: there is but the comma between.
static bool compile_part_in_place(struct view bytes, struct view first, struct view second)
{
    return first.data == bytes.data && first.size + 1 + second.size == bytes.size &&
           second.data == bytes.data + first.size + 1;
}

static void compile_part_add_run(struct compile_part *part, struct compile_row *row,
                                 const struct split_row *split)
{
    struct split_texts *texts = &part->texts;
    struct split_problem problem;
    const bool whole = compile_has_ids(part->shared->form)
                           ? split_run_c1(split->run, texts, &problem)
                           : split_run_event(split->run, texts, &problem);
    if (!whole) {
        problem.text = compile_part_keep(part, problem.text, split->run);
        compile_part_lose(part, row, &problem);
        return;
    }
    part->new_runs =
        memory_grow(part->new_runs, part->new_count, &part->new_capacity, sizeof *part->new_runs);
    row->run = COMPILE_ROW_NEW;
    row->other = (uint32_t)part->new_count;
    struct compile_new_run *added = &part->new_runs[part->new_count++];
    *added = (struct compile_new_run){
        .row = (uint32_t)(row - part->rows),
        .bytes = split->run,
        .hash = split->hash,
        .type = compile_part_keep(part, texts->type, split->run),
        .location = compile_part_keep(part, texts->location, split->run),
        .location_hash = hash_bytes(texts->location.data, texts->location.size)};
    added->known_type = compile_part_type(part, added->type);
    added->in_place = compile_has_ids(part->shared->form)
                          ? compile_part_in_place(split->run, added->location, added->type)
                          : compile_part_in_place(split->run, added->type, added->location);
}

// The place of a row's lane among those of the piece; COMPILE_LANES: it is none of them.
static unsigned compile_part_lane(const struct compile_row *row, const struct torq_run *run)
{
    const unsigned kind = row->unit != 0 || run == NULL ? row->unit : run->kind;
    const uint32_t slice = row->unit != 0 || run == NULL ? row->slice : run->index;
    if (kind != UNIT_SLICE.number)
        return kind != 0 ? kind : COMPILE_LANES;
    return slice < COMPILE_SLICES ? UNIT_NUMBERS + slice : COMPILE_LANES;
}

static uint32_t compile_part_track(const struct compile_part *part, unsigned lane)
{
    const struct compile_shared *shared = part->shared;
    if (lane == COMPILE_LANES)
        return 0;
    return lane < UNIT_NUMBERS ? shared->lane_of_kind[lane]
                               : shared->lane_of_slice[lane - UNIT_NUMBERS];
}

static void compile_part_count(struct compile_summary *summary, unsigned lane,
                               const struct event *event)
{
    struct track_events *of_lane = &summary->of_lane[lane];
    uint64_t *seen = &summary->lanes_seen[lane / 64];
    if ((*seen >> lane % 64 & 1) == 0) {
        *seen |= (uint64_t)1 << lane % 64;
        *of_lane = TRACK_EVENTS_NONE;
        of_lane->first = *event;
    }
    track_count_event(&of_lane->counted, event);
}

// `run` is NULL while it is not known.
static void compile_part_sum_up(struct compile_part *part, const struct compile_row *row,
                                struct event *event, const struct torq_run *run)
{
    struct compile_summary *summary = &part->summary;
    const unsigned lane = compile_part_lane(row, run);
    event->track = compile_part_track(part, lane);
    summary->whole = summary->whole && row->run != COMPILE_ROW_LOST && event->track != 0 &&
                     event->end >= event->start &&
                     !doubles_find_hashed(&summary->doubles, row->hash, row->text);
    if (!summary->whole)
        return;
    if (run != NULL) {
        event->name = run->name;
        event->call = run->call;
    }
    if (row->has_index)
        dense_add(&summary->indices[unit_of_number(row->unit, 0).kind->counter], row->index);
    compile_part_count(summary, lane, event);
}

static void compile_part_look_up(struct compile_part *part, size_t first, struct split_row *splits,
                                 size_t count)
{
    const struct runs *runs = &part->shared->runs;
    const struct run_entry *likely[ROWS_AHEAD];
    for (size_t i = 0; i < count; i++)
        likely[i] = runs_prefetch(runs, splits[i].hash);
    for (size_t i = 0; i < count; i++)
        run_entry_prefetch(likely[i]);
    for (size_t i = 0; i < count; i++) {
        struct compile_row *row = &part->rows[first + i];
        const struct torq_run *run = NULL;
        if (splits[i].run.data != NULL) {
            row->run = runs_find_id(runs, splits[i].run, splits[i].hash);
            if (row->run == HASH_NONE)
                compile_part_add_run(part, row, &splits[i]);
            else
                run = &runs_entry(runs, row->run)->run;
        }
        compile_part_sum_up(part, row, &part->batch->events[first + i], run);
    }
}

static void compile_part_start(struct compile_part *part)
{
    part->summary.whole = true;
    part->summary.doubles = (struct doubles){.seen = 0};
    memset(part->summary.lanes_seen, 0, sizeof part->summary.lanes_seen);
    for (unsigned i = 0; i < UNIT_COUNTERS; i++)
        part->summary.indices[i] = (struct dense){.step = 1};
    if (part->batch == NULL)
        part->batch = memory_allocate_zeroed(1, sizeof *part->batch);
}

void compile_part_read(void *argument)
{
    struct compile_part *part = argument;
    struct split_row splits[ROWS_AHEAD];
    struct csv_line line;
    compile_part_start(part);
    for (size_t count = ROWS_AHEAD; count == ROWS_AHEAD;) {
        const size_t first = part->row_count;
        for (count = 0; count < ROWS_AHEAD && csv_line_next(&part->lines, &line);) {
            if (rows_is_blank(line.text))
                continue;
            part->unterminated = !line.terminated;
            splits[count] = (struct split_row){0};
            compile_part_take_line(part, &line, &splits[count]);
            count++;
        }
        compile_part_look_up(part, first, splits, count);
    }
}

void compile_part_clear(struct compile_part *part)
{
    part->unterminated = false;
    part->row_count = part->new_count = part->problem_count = 0;
    part->batch->count = 0;
    part->batch->values.size = 0;
    memset(part->types, 0, sizeof part->types);
    if (part->kept.chunks != NULL) {
        arena_free(&part->kept);
        part->kept = (struct arena){0};
    }
}

void compile_part_free(struct compile_part *part)
{
    free(part->rows);
    free(part->new_runs);
    free(part->problems);
    event_batch_free(part->batch);
    bytes_free(&part->id_scratch);
    split_texts_free(&part->texts);
    arena_free(&part->kept);
}
