#include "window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "levels.h"
#include "numbers.h"
#include "profile/store.h"
#include "wire/base64.h"

enum { NAMES_ROOM = 4 * 1000 * 1000, EXACT = 0, COARSE = 1 };

// The last span of a row.
struct row_state {
    uint64_t start, end; // ns
    uint32_t name, operator_id;
};

// A place between two events of a lane: where reading goes on, and what each row has so far.
struct window_place {
    uint64_t start; // ns, of the event before which it lies
    struct store_mark mark;
    unsigned rows;
    struct row_state *states;
};

struct lane_index {
    struct store_cursor *cursor; // NULL: not asked for yet
    struct window_place *places;
    size_t count, capacity;
};

struct windows {
    struct profile *profile;
    uint64_t start;
    struct lane_index *lanes; // by track
};

// Walking ---------------------------------------------------------------------

// Goes over the events of a lane from a place on.
struct lane_walk {
    const struct windows *windows;
    const struct clock_domain *clock;
    const struct store_cursor *cursor;
    struct store_mark mark;
    struct levels *levels; // only rows are kept
    struct row_state states[LEVELS_ROWS_MOST];
    // Of the event at hand:
    struct event event;
    struct view values;
    uint64_t start, end;
    unsigned row;
};

static bool walk_next(struct lane_walk *walk)
{
    const struct profile *profile = walk->windows->profile;
    if (!store_cursor_next_at(walk->cursor, &walk->mark, &walk->event, &walk->values))
        return false;
    walk->start = page_time(walk->windows->start, walk->clock, walk->event.start);
    walk->end = page_time(walk->windows->start, walk->clock, walk->event.end);
    walk->end = walk->end > walk->start ? walk->end : walk->start;
    if (walk->event.kind != EVENT_SPAN)
        return true;
    walk->row = levels_row(walk->levels, walk->start, walk->end);
    walk->states[walk->row] =
        (struct row_state){walk->start, walk->end, walk->event.name,
                           profile_call(profile, walk->event.call)->operator_id};
    return true;
}

static struct lane_walk walk_start(const struct windows *windows, uint32_t track,
                                   struct levels *levels)
{
    const struct track *lane = profile_track(windows->profile, track);
    return (struct lane_walk){.windows = windows,
                              .clock = profile_clock(windows->profile, lane->clock),
                              .cursor = windows->lanes[track].cursor,
                              .mark = store_cursor_mark(windows->lanes[track].cursor),
                              .levels = levels};
}

// Places ----------------------------------------------------------------------

static void keep_place(struct lane_index *index, const struct lane_walk *walk, uint64_t start)
{
    index->places =
        memory_grow(index->places, index->count, &index->capacity, sizeof *index->places);
    struct window_place *place = &index->places[index->count++];
    *place = (struct window_place){.start = start, .mark = walk->mark, .rows = walk->levels->rows};
    place->states = memory_allocate_zeroed(place->rows + 1, sizeof *place->states);
    memcpy(place->states, walk->states, place->rows * sizeof *place->states);
}

static status index_lane(struct windows *windows, uint32_t track)
{
    struct lane_index *index = &windows->lanes[track];
    const uint8_t exact = LEVELS_EXACT;
    struct levels rows;
    if (index->cursor != NULL)
        return STATUS_OK;
    STATUS_TRY(store_cursor_open(windows->profile->store, track,
                                 profile_track(windows->profile, track)->unsorted, &index->cursor));
    levels_start(&rows, &exact, 1);
    struct lane_walk walk = walk_start(windows, track, &rows);
    keep_place(index, &walk, 0);
    for (uint64_t count = 1; walk_next(&walk); count++) {
        if (count % WINDOW_STEP == 0)
            keep_place(index, &walk, walk.start);
    }
    levels_free(&rows);
    return STATUS_OK;
}

// The last place that lies before all that starts at `from` or later.
static const struct window_place *place_before(const struct lane_index *index, uint64_t from)
{
    size_t low = 0;
    size_t high = index->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (index->places[middle].start < from)
            low = middle;
        else
            high = middle;
    }
    return &index->places[low];
}

static void walk_from(struct lane_walk *walk, const struct window_place *place)
{
    walk->mark = place->mark;
    walk->levels->rows = place->rows;
    for (unsigned row = 0; row < place->rows; row++) {
        walk->states[row] = place->states[row];
        walk->levels->row_ends[row] = place->states[row].end;
    }
}

struct windows *windows_create(struct profile *profile)
{
    struct windows *windows = memory_allocate_zeroed(1, sizeof *windows);
    uint64_t last;
    windows->profile = profile;
    profile_extent(profile, &windows->start, &last);
    windows->lanes = memory_allocate_zeroed(profile->tracks.count, sizeof *windows->lanes);
    return windows;
}

void windows_free(struct windows *windows)
{
    for (uint32_t i = 0; i < windows->profile->tracks.count; i++) {
        struct lane_index *index = &windows->lanes[i];
        for (size_t k = 0; k < index->count; k++)
            free(index->places[k].states);
        free(index->places);
        if (index->cursor != NULL)
            store_cursor_free(index->cursor);
    }
    free(windows->lanes);
    free(windows);
}

static status windows_find(struct windows *windows, uint32_t track)
{
    if (track >= windows->profile->tracks.count)
        return status_make(STATUS_NOT_FOUND, "there is no track %" PRIu32, track);
    return index_lane(windows, track);
}

// Blocks ----------------------------------------------------------------------

static uint8_t bucket_shift(uint64_t length)
{
    uint8_t shift = 0;
    while (length >> shift > WINDOW_BUCKETS)
        shift++;
    return shift;
}

// Too many to be exact: no more of them are encoded.
static void give_up_exact(struct levels *levels)
{
    struct level *exact = &levels->items[EXACT];
    if (!exact->wanted || level_blocks(exact) <= WINDOW_EXACT_MOST)
        return;
    exact->wanted = false;
}

static void put_before(const struct lane_walk *walk, uint64_t from)
{
    for (unsigned row = 0; row < walk->levels->rows; row++) {
        const struct row_state *state = &walk->states[row];
        if (state->end > from)
            levels_put_span(walk->levels, row, state->start, state->end, state->name,
                            state->operator_id);
    }
}

static void collect(struct lane_walk *walk, uint64_t from, uint64_t to)
{
    put_before(walk, from);
    for (uint64_t count = 0; walk_next(walk) && walk->start <= to; count++) {
        if (walk->event.kind == EVENT_SPAN && walk->end >= from)
            levels_put_span(walk->levels, walk->row, walk->start, walk->end, walk->event.name,
                            walk->states[walk->row].operator_id);
        else if (walk->event.kind == EVENT_INSTANT && walk->start >= from)
            levels_add_instant(walk->levels, walk->start, walk->event.name);
        if (count % 256 == 0)
            give_up_exact(walk->levels);
    }
    levels_finish(walk->levels);
    give_up_exact(walk->levels);
}

static status write_answer(const struct levels *levels, const struct page_numbers *numbers,
                           struct output *output)
{
    const struct level *level = &levels->items[levels->items[EXACT].wanted ? EXACT : COARSE];
    struct json_writer json = json_write_lines(output);
    struct bytes blocks = {0};
    struct bytes letters = {0};
    struct output *encoded;
    level_append(level, levels->rows, &blocks);
    output_open_bytes(&letters, &encoded);
    base64_write(encoded, blocks.data, blocks.size);
    const status result = output_close(encoded);
    json_open_object(&json, NULL);
    json_uint(&json, "bucket", level->shift == LEVELS_EXACT ? 0 : 1ull << level->shift);
    json_open_array(&json, "names");
    for (size_t i = 0; i < numbers->name_count; i++)
        json_text(&json, NULL, page_numbers_name(numbers, i));
    json_close(&json);
    json_text(&json, "blocks", bytes_view(&letters));
    json_close(&json);
    bytes_free(&blocks);
    bytes_free(&letters);
    return result;
}

status windows_write_blocks(struct windows *windows, uint32_t track, uint64_t from, uint64_t to,
                            struct output *output)
{
    struct levels levels;
    struct page_numbers numbers;
    STATUS_TRY(windows_find(windows, track));
    const uint8_t shifts[] = {LEVELS_EXACT, bucket_shift(to > from ? to - from : 0)};
    levels_start(&levels, shifts, 2);
    page_numbers_start(&numbers, windows->profile, NAMES_ROOM);
    levels.numbers = &numbers.give;
    levels.items[EXACT].wanted = levels.items[COARSE].wanted = true;
    struct lane_walk walk = walk_start(windows, track, &levels);
    walk_from(&walk, place_before(&windows->lanes[track], from));
    collect(&walk, from, to);
    const status result = write_answer(&levels, &numbers, output);
    page_numbers_free(&numbers);
    levels_free(&levels);
    return result;
}

// A span ----------------------------------------------------------------------

// A damaged file may name texts that it does not have.
static struct view known_text(const struct profile *profile, uint64_t id)
{
    return id < profile->strings.texts.count ? profile_text(profile, (uint32_t)id)
                                             : VIEW_LITERAL("");
}

static void append_value(const struct profile *profile, const struct value *value, struct bytes *to)
{
    switch (value->kind) {
    case VALUE_INT:
        bytes_append_format(to, "%" PRId64, (int64_t)value->number);
        break;
    case VALUE_BOOL:
        bytes_append_format(to, "%s", value->number != 0 ? "true" : "false");
        break;
    case VALUE_REAL:
        bytes_append_format(to, "%.9g", value->real);
        break;
    case VALUE_TICKS:
        bytes_append_format(to, "%" PRIu64 " to %" PRIu64, value->number, value->end);
        break;
    case VALUE_STRING: {
        const struct view text = known_text(profile, value->number);
        bytes_append(to, text.data, text.size);
        break;
    }
    case VALUE_TEXT:
    case VALUE_JSON:
        bytes_append(to, value->text.data, value->text.size);
        break;
    default:
        bytes_append_format(to, "%" PRIu64, value->number);
    }
}

static void write_pair(struct json_writer *json, struct view name, struct view text)
{
    json_open_array(json, NULL);
    json_text(json, NULL, name);
    json_text(json, NULL, view_shortened(text, 4000));
    json_close(json);
}

static void write_values(struct json_writer *json, const struct profile *profile, struct view list)
{
    struct value_reader reader = value_read(list);
    struct value value;
    struct bytes text = {0};
    while (value_next(&reader, &value)) {
        if (value.kind == VALUE_FLOW_IN || value.kind == VALUE_FLOW_OUT)
            continue;
        text.size = 0;
        append_value(profile, &value, &text);
        write_pair(json, known_text(profile, value.key), bytes_view(&text));
    }
    bytes_free(&text);
}

static void write_call(struct json_writer *json, const struct profile *profile, uint32_t id)
{
    const struct call *call = profile_call(profile, id);
    const struct operator_description *op = profile_operator(profile, call->operator_id);
    char number[32];
    if (id == 0)
        return;
    snprintf(number, sizeof number, "%" PRIu32, call->iteration);
    write_pair(json, VIEW_LITERAL("iteration"), view_of(number));
    if (call->operator_id == 0)
        return;
    write_pair(json, VIEW_LITERAL("operator"), profile_text(profile, op->name));
    write_pair(json, VIEW_LITERAL("type"), profile_text(profile, op->type));
    write_pair(json, VIEW_LITERAL("location"), profile_text(profile, op->location));
    write_values(json, profile, op->values);
}

status windows_write_span(struct windows *windows, uint32_t track, uint64_t start, uint64_t end,
                          struct output *output)
{
    const uint8_t exact = LEVELS_EXACT;
    struct levels rows;
    STATUS_TRY(windows_find(windows, track));
    levels_start(&rows, &exact, 1);
    struct lane_walk walk = walk_start(windows, track, &rows);
    walk_from(&walk, place_before(&windows->lanes[track], start));
    struct json_writer json = json_write_lines(output);
    json_open_object(&json, NULL);
    json_open_array(&json, "values");
    while (walk_next(&walk) && walk.start <= start) {
        if (walk.start != start || walk.end != end || walk.event.kind == EVENT_COUNTER)
            continue;
        write_call(&json, windows->profile, walk.event.call);
        write_values(&json, windows->profile, walk.values);
        break;
    }
    json_close(&json);
    json_close(&json);
    levels_free(&rows);
    return STATUS_OK;
}
