#include "compile_part.h"

#include <stdlib.h>

#include "base/memory.h"
#include "plain_row.h"

// What is known of locations is spread over more memory than a cache holds, and comes while rows
// after them are split: this many rows later what a hash leads to is asked for, then its bytes; and
// then they are compared.
enum { TEXT_AHEAD = 8, BYTES_AHEAD = 16, ROWS_AHEAD = 24, ROWS_KEPT = 32 };

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
    row->state = COMPILE_ROW_LOST;
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
                                    struct split_compile *split, bool plain)
{
    struct unit_id id;
    if (!compile_has_ids(part->shared->form))
        return;
    if (!plain || !unit_of_plain_id(split->id, part->shared->num_slices, &id)) {
        if (split->id.size > 0 && split->id.data[0] == '"')
            split->id = split_text(split->id, &part->id_scratch);
        const struct unit unit = unit_of_id(split->id, part->shared->num_slices);
        id.unit = (uint8_t)unit_number(unit);
        id.slice = unit.slice;
        id.has_index = unit_index_of_id(unit, split->id, &id.index);
    }
    row->unit = id.unit;
    row->slice = id.slice;
    row->has_index = id.has_index;
    row->index = id.has_index ? id.index : 0;
}

// Equal rows have equal locations and times.
static uint32_t compile_part_hash_row(uint32_t location_hash, const struct split_compile *split)
{
    const uint64_t times = split->start * 0x9e3779b97f4a7c15 + split->end;
    return location_hash ^ (uint32_t)(times * 0xbf58476d1ce4e5b9 >> 32);
}

// Texts that are not in the row as they are lie in a buffer of the next one.
static struct view compile_part_keep(struct compile_part *part, struct view text, struct view run)
{
    const bool within = text.data >= run.data && text.data <= run.data + run.size;
    return within || text.size == 0 ? text : arena_copy(&part->kept, text);
}

static bool compile_part_take_apart(struct compile_part *part, struct view run,
                                    struct compile_named *named, struct split_problem *out_problem)
{
    const bool type_last = compile_has_ids(part->shared->form);
    if (!type_last && split_plain_run_event(run, &named->type, &named->location))
        return true;
    struct split_texts *texts = &part->texts;
    const bool whole = type_last ? split_run_c1(run, texts, out_problem)
                                 : split_run_event(run, texts, out_problem);
    if (whole) {
        named->type = compile_part_keep(part, texts->type, run);
        named->location = compile_part_keep(part, texts->location, run);
    } else {
        out_problem->text = compile_part_keep(part, out_problem->text, run);
    }
    return whole;
}

static bool compile_part_split(struct compile_part *part, struct view line,
                               struct split_compile *out_row, struct compile_named *named,
                               struct split_problem *out_problem)
{
    const enum torq_form form = part->shared->form;
    return (compile_has_ids(form) ? split_c1(line, out_row, out_problem)
                                  : split_c3(line, form, out_row, out_problem)) &&
           compile_part_take_apart(part, out_row->run, named, out_problem);
}

static void compile_part_take_line(struct compile_part *part, const struct csv_line *line,
                                   struct compile_named *named)
{
    struct split_compile split;
    struct split_problem problem;
    struct compile_row *row = compile_part_add_row(part, line);
    struct event *event = compile_part_add_event(part);
    const bool plain = compile_has_ids(part->shared->form) &&
                       plain_row_take(line->text, &split, &named->type, &named->location);
    if (!plain && !compile_part_split(part, line->text, &split, named, &problem)) {
        compile_part_lose(part, row, &problem);
        named->location_hash = 0;
        return;
    }
    event->start = split.start;
    event->end = split.end;
    row->has_bytes = split.has_bytes;
    compile_part_look_at_id(part, row, &split, plain);
    compile_part_put_values(part, event, &split, line->text);
    named->location_hash = hash_bytes(named->location.data, named->location.size);
    row->hash = compile_part_hash_row(named->location_hash, &split);
    shared_index_prefetch(&part->shared->names.locations, named->location_hash);
}

// Most rows are of a few types: each has a place where it is looked for first.
static uint32_t compile_part_type(struct compile_part *part, struct view type)
{
    const struct compile_names *names = &part->shared->names;
    const size_t mixed = type.size * 8 + (unsigned char)type.data[type.size - 1];
    uint32_t *place = &part->types[mixed % COMPILE_TYPES];
    if (*place != 0 && view_equal(compile_names_type(names, *place - 1)->text, type))
        return *place - 1;
    const uint32_t found = compile_names_find_type(names, type);
    if (found != HASH_NONE)
        *place = found + 1;
    return found;
}

static void compile_part_add_new(struct compile_part *part, struct compile_row *row,
                                 const struct compile_named *named)
{
    struct split_problem problem;
    const char *column = compile_has_ids(part->shared->form) ? "Location" : "location";
    if (named->found.id == HASH_NONE && !split_check_location(named->location, column, &problem)) {
        compile_part_lose(part, row, &problem);
        return;
    }
    if (part->new_count == part->new_capacity)
        part->news =
            memory_grow(part->news, part->new_count, &part->new_capacity, sizeof *part->news);
    row->state = COMPILE_ROW_NEW;
    row->other = (uint32_t)part->new_count;
    struct compile_named *added = &part->news[part->new_count++];
    *added = *named;
    added->row = (uint32_t)(row - part->rows);
}

// The place of a row's lane among those of the piece; COMPILE_LANES: it is none of them.
static unsigned compile_part_lane(const struct compile_row *row, const struct compile_type *type)
{
    const unsigned kind = row->unit != 0 || type == NULL ? row->unit : type->unit;
    const uint32_t slice = row->unit != 0 || type == NULL ? row->slice : type->slice;
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

// `type` is NULL while it is not known.
static void compile_part_sum_up(struct compile_part *part, const struct compile_row *row,
                                struct event *event, const struct compile_type *type)
{
    struct compile_summary *summary = &part->summary;
    const unsigned lane = compile_part_lane(row, type);
    event->track = compile_part_track(part, lane);
    summary->whole = summary->whole && row->state != COMPILE_ROW_LOST && event->track != 0 &&
                     event->end >= event->start &&
                     !doubles_find_hashed(&summary->doubles, row->hash, row->text);
    if (!summary->whole)
        return;
    if (row->has_index)
        dense_add(&summary->indices[UNIT_COUNTER_OF[row->unit]], row->index);
    compile_part_count(summary, lane, event);
}

// Its type, if that is known.
static const struct compile_type *compile_part_name(struct compile_part *part,
                                                    struct compile_row *row, struct event *event,
                                                    struct compile_named *named)
{
    const struct compile_names *names = &part->shared->names;
    compile_names_decide(names, named->location, named->location_hash, &named->found);
    named->type_number = row->type = compile_part_type(part, named->type);
    const struct compile_type *type =
        row->type != HASH_NONE ? compile_names_type(names, row->type) : NULL;
    if (type != NULL && named->found.id != HASH_NONE) {
        event->name = type->name;
        event->call = compile_names_find_call(names, type->name, named->found.id);
        if (event->call != 0)
            return type;
    }
    compile_part_add_new(part, row, named);
    return type;
}

static void compile_part_look_up(struct compile_part *part, size_t index,
                                 struct compile_named *named)
{
    struct compile_row *row = &part->rows[index];
    struct event *event = &part->batch->events[index];
    const struct compile_type *type = NULL;
    if (row->state != COMPILE_ROW_LOST)
        type = compile_part_name(part, row, event, named);
    compile_part_sum_up(part, row, event, type);
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

// False at the end.
static bool compile_part_next(struct compile_part *part, struct compile_named *named)
{
    struct csv_line line;
    do {
        if (!csv_line_next(&part->lines, &line))
            return false;
    } while (rows_is_blank(line.text));
    part->unterminated = !line.terminated;
    compile_part_take_line(part, &line, named);
    return true;
}

void compile_part_read(void *argument)
{
    struct compile_part *part = argument;
    const struct compile_names *names = &part->shared->names;
    struct compile_named rows[ROWS_KEPT];
    compile_part_start(part);
    bool more = true;
    for (size_t at = 0; more || at < part->row_count + ROWS_AHEAD; at++) {
        more = more && compile_part_next(part, &rows[at % ROWS_KEPT]);
        if (at >= TEXT_AHEAD && at - TEXT_AHEAD < part->row_count) {
            struct compile_named *row = &rows[(at - TEXT_AHEAD) % ROWS_KEPT];
            compile_names_start(names, row->location_hash, &row->found);
        }
        if (at >= BYTES_AHEAD && at - BYTES_AHEAD < part->row_count)
            compile_names_prefetch(names, &rows[(at - BYTES_AHEAD) % ROWS_KEPT].found);
        if (at >= ROWS_AHEAD && at - ROWS_AHEAD < part->row_count)
            compile_part_look_up(part, at - ROWS_AHEAD, &rows[(at - ROWS_AHEAD) % ROWS_KEPT]);
    }
}

void compile_part_clear(struct compile_part *part)
{
    part->unterminated = false;
    part->row_count = part->new_count = part->problem_count = 0;
    part->batch->count = 0;
    part->batch->values.size = 0;
    if (part->kept.chunks != NULL) {
        arena_free(&part->kept);
        part->kept = (struct arena){0};
    }
}

void compile_part_free(struct compile_part *part)
{
    free(part->rows);
    free(part->news);
    free(part->problems);
    event_batch_free(part->batch);
    bytes_free(&part->id_scratch);
    split_texts_free(&part->texts);
    arena_free(&part->kept);
}
