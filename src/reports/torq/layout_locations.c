#include "layout_locations.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/intervals.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "reports/overview_rows.h"

struct place {
    uint32_t key;  // `"net.mlir":4:10`, a string of the profile
    uint32_t file; // the same
    uint32_t op;   // "tosa.add", 0: none
    uint64_t line, column;
    uint64_t total; // ns of its work
};

// The places of a location: `first` and on of `listed`.
struct location {
    uint32_t text;
    uint32_t first, count;
};

struct piece {
    uint32_t place;
    uint32_t name;
    uint32_t index;
    uint32_t kind;
    uint64_t start, end;
};

struct operator_total {
    uint32_t op;
    uint64_t ns;
};

struct layout_locations {
    struct profile *profile;
    struct annotate_source *source;
    struct place *places;
    size_t place_count, place_capacity;
    struct hash_index place_index; // by key
    struct location *locations;
    size_t location_count, location_capacity;
    struct hash_index location_index; // by text
    uint32_t *listed;
    size_t listed_count, listed_capacity;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    struct bytes text;
};

struct layout_locations *layout_locations_create(struct profile *profile,
                                                 struct annotate_source *source)
{
    struct layout_locations *locations = memory_allocate_zeroed(1, sizeof *locations);
    locations->profile = profile;
    locations->source = source;
    return locations;
}

void layout_locations_free(struct layout_locations *locations)
{
    if (locations == NULL)
        return;
    free(locations->places);
    free(locations->locations);
    free(locations->listed);
    free(locations->pieces);
    hash_free(&locations->place_index);
    hash_free(&locations->location_index);
    bytes_free(&locations->text);
    free(locations);
}

// Places -----------------------------------------------------------------------------

static uint32_t find_place(struct layout_locations *locations, const struct annotate_place *place)
{
    struct bytes *text = &locations->text;
    text->size = 0;
    bytes_append_format(text, "\"%.*s\":%llu:%llu", VIEW_ARGUMENTS(place->file),
                        (unsigned long long)place->line, (unsigned long long)place->column);
    const uint32_t key = profile_string(locations->profile, bytes_view(text));
    const uint32_t hash = hash_u64(key);
    uint32_t id;
    for (uint32_t at = hash_first(&locations->place_index, hash);
         (id = hash_next(&locations->place_index, hash, &at)) != HASH_NONE;) {
        if (locations->places[id].key == key)
            return id;
    }
    locations->places = memory_grow(locations->places, locations->place_count,
                                    &locations->place_capacity, sizeof *locations->places);
    id = (uint32_t)locations->place_count++;
    locations->places[id] =
        (struct place){.key = key,
                       .file = profile_string(locations->profile, place->file),
                       .op = place->op.size > 0 ? profile_string(locations->profile, place->op) : 0,
                       .line = place->line,
                       .column = place->column};
    hash_add(&locations->place_index, hash, id);
    return id;
}

// Each place of the location at hand once.
static void take_place(void *context, const struct annotate_place *place)
{
    struct layout_locations *locations = context;
    const uint32_t id = find_place(locations, place);
    struct location *location = &locations->locations[locations->location_count - 1];
    for (uint32_t i = 0; i < location->count; i++) {
        if (locations->listed[location->first + i] == id)
            return;
    }
    locations->listed = memory_grow(locations->listed, locations->listed_count,
                                    &locations->listed_capacity, sizeof *locations->listed);
    locations->listed[locations->listed_count++] = id;
    location->count++;
}

static const struct location *layout_locations_find(struct layout_locations *locations,
                                                    struct view text)
{
    const uint32_t string = profile_string(locations->profile, text);
    const uint32_t hash = hash_u64(string);
    uint32_t id;
    for (uint32_t at = hash_first(&locations->location_index, hash);
         (id = hash_next(&locations->location_index, hash, &at)) != HASH_NONE;) {
        if (locations->locations[id].text == string)
            return &locations->locations[id];
    }
    locations->locations = memory_grow(locations->locations, locations->location_count,
                                       &locations->location_capacity, sizeof *locations->locations);
    id = (uint32_t)locations->location_count++;
    locations->locations[id] =
        (struct location){.text = string, .first = (uint32_t)locations->listed_count};
    hash_add(&locations->location_index, hash, id);
    annotate_source_places(locations->source, text, take_place, locations);
    return &locations->locations[id];
}

void layout_locations_add(struct layout_locations *locations, struct view location,
                          enum work_kind kind, uint32_t index, uint32_t name, uint64_t start,
                          uint64_t end)
{
    const struct location *found = layout_locations_find(locations, location);
    for (uint32_t i = 0; i < found->count; i++) {
        locations->pieces = memory_grow(locations->pieces, locations->piece_count,
                                        &locations->piece_capacity, sizeof *locations->pieces);
        locations->pieces[locations->piece_count++] =
            (struct piece){.place = locations->listed[found->first + i],
                           .name = name,
                           .index = index,
                           .kind = kind,
                           .start = start,
                           .end = end};
    }
}

// Figures ----------------------------------------------------------------------------

enum {
    IN = 1 << WORK_DMA_IN,
    OUT = 1 << WORK_DMA_OUT,
    COPY = 1 << WORK_CDMA,
    SLICES = 1 << WORK_SLICE,
    SUBSYSTEM = 1 << WORK_CSS,
    MOVES = IN | OUT | COPY,
    COMPUTES = SLICES | SUBSYSTEM,
    EVERYTHING = (1 << WORK_KINDS) - 1,
};

// In Torq's order, with its names: what is done by some of these kinds, and meanwhile by none of
// `minus`, or by some of `with`.
static const struct {
    const char *name;
    unsigned some, minus, with;
} FIGURES[] = {
    {"SLICE", SLICES, 0, 0},
    {"DMA", IN | OUT, 0, 0},
    {"DMA_IN", IN, 0, 0},
    {"DMA_OUT", OUT, 0, 0},
    {"CDMA", COPY, 0, 0},
    {"CSS", SUBSYSTEM, 0, 0},
    {"DMA_COMBINED", MOVES, 0, 0},
    {"COMPUTE_COMBINED", COMPUTES, 0, 0},
    {"DMA_ONLY", MOVES, COMPUTES, 0},
    {"COMPUTE_ONLY", COMPUTES, MOVES, 0},
    {"DMA_COMPUTE_OVERLAP", MOVES, 0, COMPUTES},
};

static struct interval_set pieces_of(const struct piece *pieces, size_t count, unsigned kinds,
                                     struct interval *room)
{
    size_t found = 0, impossible;
    for (size_t i = 0; i < count; i++) {
        if ((kinds >> pieces[i].kind & 1) != 0)
            room[found++] = (struct interval){pieces[i].start, pieces[i].end};
    }
    return intervals_normalize(room, found, &impossible);
}

// `room` is for four times as many intervals as there are pieces.
static uint64_t layout_locations_figure(const struct piece *pieces, size_t count, size_t figure,
                                        struct interval *room)
{
    const struct interval_set some = pieces_of(pieces, count, FIGURES[figure].some, room);
    if (FIGURES[figure].minus != 0)
        return intervals_total(intervals_subtract(
            some, pieces_of(pieces, count, FIGURES[figure].minus, room + count), room + 2 * count));
    if (FIGURES[figure].with != 0)
        return intervals_total(intervals_intersect(
            some, pieces_of(pieces, count, FIGURES[figure].with, room + count), room + 2 * count));
    return intervals_total(some);
}

// "tosa.add@L4 - 2.000µs \n SLICE: 1.000µs \n ..."
static void append_label(struct layout_locations *locations, struct place *place,
                         const struct piece *pieces, size_t count)
{
    struct bytes *text = &locations->text;
    char duration[OVERVIEW_DURATION_ROOM];
    struct interval *room = memory_allocate_zeroed(4 * count, sizeof *room);
    const uint32_t name = place->op != 0 ? place->op : place->key;
    place->total = intervals_total(pieces_of(pieces, count, EVERYTHING, room));
    text->size = 0;
    bytes_append_format(text, "%.*s", VIEW_ARGUMENTS(profile_text(locations->profile, name)));
    if (place->op != 0)
        bytes_append_format(text, "@L%llu", (unsigned long long)place->line);
    overview_format_duration(place->total, duration);
    bytes_append_format(text, " - %s", duration);
    for (size_t i = 0; i < sizeof FIGURES / sizeof FIGURES[0]; i++) {
        const uint64_t ns = layout_locations_figure(pieces, count, i, room);
        overview_format_duration(ns, duration);
        if (ns > 0)
            bytes_append_format(text, " \n %s: %s", FIGURES[i].name, duration);
    }
    free(room);
}

// Tracks -----------------------------------------------------------------------------

static uint32_t layout_locations_add_group(struct profile *profile, const char *name, int32_t rank)
{
    return profile_track_add(profile,
                             &(struct track){.name = profile_string(profile, view_of(name)),
                                             .kind = TRACK_GROUP,
                                             .rank = rank,
                                             .provenance = PROVENANCE_DERIVED});
}

static uint32_t layout_locations_add_lane(struct profile *profile, uint32_t group, struct view name,
                                          int32_t rank)
{
    return profile_track_add(profile, &(struct track){.parent = group,
                                                      .name = profile_string(profile, name),
                                                      .kind = TRACK_LANE,
                                                      .rank = rank,
                                                      .nests = true,
                                                      .provenance = PROVENANCE_DERIVED});
}

// All pieces of one place, in the order of their lanes.
static void add_place(struct layout_locations *locations, uint32_t group, int32_t *rank,
                      const struct piece *pieces, size_t count)
{
    uint32_t lane = 0;
    append_label(locations, &locations->places[pieces[0].place], pieces, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pieces[i].kind != pieces[i - 1].kind ||
            pieces[i].index != pieces[i - 1].index)
            lane = layout_locations_add_lane(locations->profile, group,
                                             bytes_view(&locations->text), (*rank)++);
        const struct event event = {.kind = EVENT_SPAN,
                                    .start = pieces[i].start,
                                    .end = pieces[i].end,
                                    .track = lane,
                                    .name = pieces[i].name};
        profile_event_add(locations->profile, &event, VIEW_LITERAL(""));
    }
}

static int compare_texts(struct view a, struct view b)
{
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : sort_compare(a.size, b.size);
}

static int compare_places(const struct layout_locations *locations, uint32_t left, uint32_t right)
{
    const struct place *a = &locations->places[left], *b = &locations->places[right];
    if (a->file != b->file)
        return compare_texts(profile_text(locations->profile, a->file),
                             profile_text(locations->profile, b->file));
    return a->line != b->line ? sort_compare(a->line, b->line) : sort_compare(a->column, b->column);
}

static int compare_pieces(const void *left, const void *right, void *context)
{
    const struct piece *a = left, *b = right;
    if (a->place != b->place)
        return compare_places(context, a->place, b->place);
    if (a->kind != b->kind)
        return sort_compare(a->kind, b->kind);
    if (a->index != b->index)
        return sort_compare(a->index, b->index);
    return a->start != b->start ? sort_compare(a->start, b->start) : sort_compare(a->end, b->end);
}

static void add_places(struct layout_locations *locations, uint32_t group)
{
    const struct piece *pieces = locations->pieces;
    int32_t rank = 0;
    if (locations->piece_count > 1)
        qsort_r(locations->pieces, locations->piece_count, sizeof *pieces, compare_pieces,
                locations);
    for (size_t from = 0, to; from < locations->piece_count; from = to) {
        for (to = from + 1; to < locations->piece_count && pieces[to].place == pieces[from].place;)
            to++;
        add_place(locations, group, &rank, pieces + from, to - from);
    }
}

// Totals -----------------------------------------------------------------------------

static int slowest_operator(const void *left, const void *right, void *context)
{
    const struct operator_total *a = left, *b = right;
    const struct profile *profile = context;
    return a->ns != b->ns
               ? sort_compare(b->ns, a->ns)
               : compare_texts(profile_text(profile, a->op), profile_text(profile, b->op));
}

static size_t collect_totals(const struct layout_locations *locations,
                             struct operator_total *totals)
{
    struct hash_index index = {0}; // by operator
    size_t count = 0;
    for (size_t i = 0; i < locations->place_count; i++) {
        const struct place *place = &locations->places[i];
        if (place->op == 0 || place->total == 0)
            continue;
        const uint32_t hash = hash_u64(place->op);
        uint32_t id, at = hash_first(&index, hash);
        while ((id = hash_next(&index, hash, &at)) != HASH_NONE && totals[id].op != place->op)
            continue;
        if (id == HASH_NONE) {
            id = (uint32_t)count++;
            totals[id] = (struct operator_total){.op = place->op};
            hash_add(&index, hash, id);
        }
        totals[id].ns += place->total;
    }
    hash_free(&index);
    return count;
}

static void add_total(struct layout_locations *locations, uint32_t group, int digits, size_t place,
                      const struct operator_total *total, uint64_t start)
{
    struct profile *profile = locations->profile;
    const struct view op = profile_text(profile, total->op);
    char duration[OVERVIEW_DURATION_ROOM];
    struct bytes values = {0};
    overview_format_duration(total->ns, duration);
    value_add_string(&values, profile_string(profile, VIEW_LITERAL("category")),
                     profile_string(profile, VIEW_LITERAL("overview")));
    locations->text.size = 0;
    bytes_append_format(&locations->text, "%0*zu %.*s", digits, place, VIEW_ARGUMENTS(op));
    struct event event = {.kind = EVENT_SPAN, .start = start, .end = start + total->ns};
    event.track =
        layout_locations_add_lane(profile, group, bytes_view(&locations->text), (int32_t)place);
    locations->text.size = 0;
    bytes_append_format(&locations->text, "%.*s: %s",
                        VIEW_ARGUMENTS(profile_text(profile, total->op)), duration);
    event.name = profile_string(profile, bytes_view(&locations->text));
    profile_event_add(profile, &event, bytes_view(&values));
    bytes_free(&values);
}

static void add_totals(struct layout_locations *locations, int32_t rank, uint64_t start)
{
    struct operator_total *totals =
        memory_allocate_zeroed(locations->place_count + 1, sizeof *totals);
    const size_t count = collect_totals(locations, totals);
    if (count > 0) {
        const uint32_t group =
            layout_locations_add_group(locations->profile, "Operator Type Totals", rank);
        const int digits = snprintf(NULL, 0, "%zu", count);
        qsort_r(totals, count, sizeof *totals, slowest_operator, locations->profile);
        for (size_t i = 0; i < count; i++)
            add_total(locations, group, digits > 2 ? digits : 2, i + 1, &totals[i], start);
    }
    free(totals);
}

void layout_locations_finish(struct layout_locations *locations, int32_t rank, int32_t totals_rank,
                             uint64_t start)
{
    add_places(locations,
               layout_locations_add_group(locations->profile, "Compiler Input Locations", rank));
    add_totals(locations, totals_rank, start);
}
