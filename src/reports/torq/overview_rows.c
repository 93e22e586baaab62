#include "overview_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "formats/torq/engines.h"

enum {
    DMA_IN = 1 << 0,
    DMA_OUT = 1 << 1,
    CDMA = 1 << 2,
    SLICE = 1 << 3,
    CSS = 1 << 4,
    NPU = 1 << 5,
    HAL = 1 << 6,
    HOST = 1 << 7,
    HOST_COPY = 1 << 8,
    DMA = DMA_IN | DMA_OUT,
    TRANSFER = DMA | CDMA,
    COMPUTE = SLICE | CSS,
    ENGINES = TRANSFER | COMPUTE,
    HOSTS = HOST | HOST_COPY,
};

// In the order of the bits.
const struct overview_part TORQ_OVERVIEW_PARTS[] = {
    {ROLE_COUNT, "dma in"}, {ROLE_COUNT, "dma out"}, {ROLE_COUNT, "cdma"},
    {ROLE_COUNT, "slice"},  {ROLE_COUNT, "css"},     {ROLE_COUNT, "npu"},
    {ROLE_COUNT, "hal"},    {ROLE_COUNT, "host"},    {ROLE_COUNT, "host copy"},
};

const size_t TORQ_OVERVIEW_PART_COUNT = sizeof TORQ_OVERVIEW_PARTS / sizeof TORQ_OVERVIEW_PARTS[0];

enum shown { ALWAYS, WHERE_PRESENT, WITH_ALL };

// Every metric with its name in the overview, and its track and label in a
// trace. In the order of the overview's rows.
static const struct metric {
    const char *row;
    struct overview_rule rule;
    const char *track; // NULL: not in a trace
    const char *label;
    const char *old_label; // before 2026-04-23
    enum shown shown;      // although the user did not ask for all
    bool whole;            // no share of the time of all
} METRICS[] = {
    {"OVERALL", {.span = OVERVIEW_ALL}, "15 OVERALL", "OVERALL", NULL, ALWAYS, true},
    // The span of all but HAL, less what only the host did.
    {"TOTAL NPU OPERATIONS",
     {.span = ENGINES | NPU | HOSTS, .some = HOSTS, .minus = ENGINES | NPU | HAL, .needs = HOSTS},
     NULL,
     NULL,
     NULL,
     WITH_ALL,
     true},
    {"Dma",
     {.some = TRANSFER, .needs = ENGINES},
     "00 OVERVIEW DMA COMBINED",
     "DMA+CDMA union",
     NULL,
     ALWAYS,
     false},
    {"Dma Only",
     {.some = TRANSFER, .minus = COMPUTE, .needs = ENGINES},
     "08 OVERVIEW DMA ONLY",
     "DMA/CDMA ONLY (no compute)",
     NULL,
     ALWAYS,
     false},
    {"Dma Total",
     {.some = DMA, .needs = ENGINES},
     "02 OVERVIEW DMA",
     "DMA total",
     NULL,
     ALWAYS,
     false},
    {"Cdma",
     {.some = CDMA, .needs = ENGINES},
     "03 OVERVIEW CDMA",
     "CDMA total",
     NULL,
     ALWAYS,
     false},
    {"Dma In", {.some = DMA_IN, .needs = ENGINES}, NULL, NULL, NULL, WITH_ALL, false},
    {"Dma Out", {.some = DMA_OUT, .needs = ENGINES}, NULL, NULL, NULL, WITH_ALL, false},
    {"Compute",
     {.some = COMPUTE, .needs = ENGINES},
     "01 OVERVIEW COMPUTE COMBINED",
     "SLICE+CSS union",
     NULL,
     ALWAYS,
     false},
    {"Compute Only",
     {.some = COMPUTE, .minus = TRANSFER, .needs = ENGINES},
     "09 OVERVIEW COMPUTE ONLY",
     "COMPUTE ONLY (no DMA/CDMA)",
     NULL,
     ALWAYS,
     false},
    {"Slice",
     {.some = SLICE, .needs = ENGINES},
     "04 OVERVIEW SLICE",
     "SLICE 0 + 1 union",
     NULL,
     ALWAYS,
     false},
    {"Slice 0",
     {.engine = "slice", .lane = 0, .needs = ENGINES},
     "05 OVERVIEW SLICE 0",
     "SLICE 0",
     "SLICE 0 total",
     ALWAYS,
     false},
    {"Slice 1",
     {.engine = "slice", .lane = 1, .needs = ENGINES},
     "06 OVERVIEW SLICE 1",
     "SLICE 1",
     "SLICE 1 total",
     ALWAYS,
     false},
    {"Css", {.some = CSS, .needs = ENGINES}, "07 OVERVIEW CSS", "CSS", "CSS total", ALWAYS, false},
    {"Overlap",
     {.some = TRANSFER, .with = COMPUTE, .needs = ENGINES},
     "10 OVERVIEW DMA COMPUTE OVERLAP",
     "DMA/CDMA<->COMPUTE overlap",
     NULL,
     ALWAYS,
     false},
    {"Idle",
     {.span = OVERVIEW_ALL, .some = OVERVIEW_ALL, .needs = OVERVIEW_ALL},
     "14 OVERVIEW IDLE",
     "IDLE",
     NULL,
     ALWAYS,
     false},
    {"Hal",
     {.some = HAL, .needs = HAL},
     "11 OVERVIEW HAL",
     "HAL total",
     NULL,
     WHERE_PRESENT,
     false},
    {"Npu", {.some = NPU, .needs = NPU}, NULL, NULL, NULL, WHERE_PRESENT, false},
    {"Host", {.some = HOST, .needs = HOSTS}, "12 OVERVIEW HOST", "HOST total", NULL, ALWAYS, false},
    {"Host Copy",
     {.some = HOST_COPY, .needs = HOSTS},
     "13 OVERVIEW HOST COPY",
     "HOST COPY total",
     NULL,
     ALWAYS,
     false},
};

enum { METRIC_COUNT = sizeof METRICS / sizeof METRICS[0] };

// Rows ------------------------------------------------------------------------

bool torq_overview_knows(const struct profile *profile, enum role role, uint32_t engine)
{
    return (role == ROLE_NONE && engine == 0) ||
           torq_engine_of_word(profile_text(profile, engine)) != NULL;
}

bool torq_overview_names(const struct profile *profile, const struct track *track)
{
    uint32_t index;
    return torq_engine_of_name(profile_text(profile, track->name), &index) != NULL;
}

static bool is_further_slice(const struct overview *overview, const struct overview_lane *lane)
{
    return lane->index > 1 && view_is(profile_text(overview->profile, lane->engine), "slice");
}

// Slices from 2 on, ascending.
static void add_further_slices(const struct overview *overview, struct overview_rows *rows)
{
    for (uint64_t above = 1;;) {
        const struct overview_lane *next = NULL;
        for (size_t i = 0; i < overview->lane_count; i++) {
            const struct overview_lane *lane = &overview->lanes[i];
            if (is_further_slice(overview, lane) && lane->index > above &&
                (next == NULL || lane->index < next->index))
                next = lane;
        }
        if (next == NULL)
            return;
        char name[32];
        snprintf(name, sizeof name, "Slice %u", next->index);
        overview_row_set(overview_row_add(rows, view_of(name)), overview,
                         (struct overview_value){true, next->ns}, true);
        above = next->index;
    }
}

void torq_overview_rows(const struct overview *overview, bool all, struct overview_rows *out_rows)
{
    *out_rows = (struct overview_rows){0};
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric *metric = &METRICS[i];
        const struct overview_value value = overview_evaluate(overview, &metric->rule);
        if (!all &&
            (metric->shown == WITH_ALL || (metric->shown == WHERE_PRESENT && !value.present)))
            continue;
        overview_row_set(overview_row_add(out_rows, view_of(metric->row)), overview, value,
                         !metric->whole);
        if (metric->rule.engine != NULL && metric->rule.lane == 1)
            add_further_slices(overview, out_rows);
    }
}

// Writing ---------------------------------------------------------------------

static void name_event(const struct overview *overview, const struct metric *text,
                       struct overview_value value, char *name, size_t room)
{
    char duration[OVERVIEW_DURATION_ROOM] = "absent";
    if (value.present)
        overview_format_duration(value.ns, duration);
    if (value.present && !text->whole)
        snprintf(name, room, "%s: %s (%.2f%%)", text->label, duration,
                 overview_percent(overview, value.ns));
    else
        snprintf(name, room, "%s: %s", text->label, duration);
}

static void torq_overview_rows_add_track(struct profile *profile, const struct overview *overview,
                                         const struct metric *text, uint32_t parent)
{
    const struct track track = {.parent = parent,
                                .name = profile_string(profile, view_of(text->track)),
                                .kind = TRACK_LANE,
                                .provenance = PROVENANCE_DERIVED,
                                .rank = atoi(text->track),
                                .ledger = {.expected = 1}};
    char name[160];
    const struct overview_value value = overview_evaluate(overview, &text->rule);
    name_event(overview, text, value, name, sizeof name);
    struct bytes values = {0};
    value_add_string(&values, profile_string(profile, VIEW_LITERAL("category")),
                     profile_string(profile, VIEW_LITERAL("overview")));
    const struct event event = {.start = overview->overall.start,
                                .end = overview->overall.start + value.ns,
                                .track = profile_track_add(profile, &track),
                                .name = profile_string(profile, view_of(name))};
    profile_event_add(profile, &event, bytes_view(&values));
    bytes_free(&values);
}

static int torq_overview_rows_compare_tracks(const void *left, const void *right)
{
    const struct metric *const *a = left;
    const struct metric *const *b = right;
    return strcmp((*a)->track, (*b)->track);
}

void torq_overview_tracks_add(struct profile *profile, const char *name,
                              const struct overview *overview, int32_t rank)
{
    struct bytes title = {0};
    bytes_append_format(&title, "%s Overview", name);
    const struct track process = {.name = profile_string(profile, bytes_view(&title)),
                                  .kind = TRACK_PROCESS,
                                  .provenance = PROVENANCE_DERIVED,
                                  .rank = rank};
    bytes_free(&title);
    const uint32_t parent = profile_track_add(profile, &process);

    const struct metric *ordered[METRIC_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (METRICS[i].track != NULL)
            ordered[count++] = &METRICS[i];
    }
    sort_items(ordered, count, sizeof ordered[0], torq_overview_rows_compare_tracks);
    for (size_t i = 0; i < count; i++)
        torq_overview_rows_add_track(profile, overview, ordered[i], parent);
}

// Reading ---------------------------------------------------------------------

struct row_reader {
    struct event_sink sink;
    struct profile *profile;
    struct overview_rows *list;
    uint32_t *parents;
    size_t count;
    size_t capacity;
    size_t parent_capacity;
};

// "05 OVERVIEW SLICE 0", "15 OVERALL"
static bool is_overview_track(struct view name)
{
    size_t digits = 0;
    while (digits < name.size && isdigit((unsigned char)name.data[digits]))
        digits++;
    if (digits == 0 || digits == name.size || name.data[digits] != ' ')
        return false;
    const struct view rest = view_slice(name, digits + 1, name.size);
    return view_starts_with(rest, "OVERVIEW") || view_is(rest, "OVERALL");
}

// A figure that no known label names: "E2E total" becomes "E2e Total".
static void title_case(struct view label, char *text, size_t room)
{
    bool inside = false;
    size_t size = 0;
    for (size_t i = 0; i < label.size && size + 1 < room; i++) {
        const unsigned char byte = label.data[i] == '_' ? ' ' : (unsigned char)label.data[i];
        text[size++] = (char)(inside ? tolower(byte) : toupper(byte));
        inside = isalnum(byte) != 0;
    }
    text[size] = '\0';
}

static void name_row(struct view label, struct overview_row *row)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (METRICS[i].label == NULL)
            continue;
        if (view_is(label, METRICS[i].label) ||
            (METRICS[i].old_label != NULL && view_is(label, METRICS[i].old_label))) {
            snprintf(row->name, sizeof row->name, "%s", METRICS[i].row);
            return;
        }
    }
    title_case(label, row->name, sizeof row->name);
}

// "DMA total: 453.000µs (3.53%)"; without a figure the event's length counts.
static void parse_event(struct view name, uint64_t duration, struct overview_row *row)
{
    const size_t colon = view_find_last(name, ':');
    const struct view label = view_trim(view_slice(name, 0, colon));
    struct view figure =
        colon < name.size ? view_slice(name, colon + 1, name.size) : VIEW_LITERAL("");
    name_row(label, row);
    const size_t bracket = view_find(figure, '(');
    if (bracket < figure.size) {
        const struct view inside = view_slice(figure, bracket + 1, figure.size);
        row->has_percent =
            view_to_double(view_slice(inside, 0, view_find(inside, '%')), &row->percent);
        figure.size = bracket;
    }
    figure = view_trim(figure);
    row->present = !view_is(figure, "absent");
    // The event is as long as its figure says, and more exact.
    char exact[OVERVIEW_DURATION_ROOM];
    overview_format_duration(duration, exact);
    if (row->present && (view_is(figure, exact) || !overview_parse_duration(figure, &row->ns)))
        row->ns = duration;
}

static struct overview_rows *rows_under(struct row_reader *reader, uint32_t parent)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->parents[i] == parent)
            return &reader->list[i];
    }
    reader->list =
        memory_grow(reader->list, reader->count, &reader->capacity, sizeof *reader->list);
    reader->parents = memory_grow(reader->parents, reader->count, &reader->parent_capacity,
                                  sizeof *reader->parents);
    reader->parents[reader->count] = parent;
    struct overview_rows *rows = &reader->list[reader->count++];
    *rows = (struct overview_rows){0};
    struct view model = profile_text(reader->profile, profile_track(reader->profile, parent)->name);
    if (view_ends_with(model, " Overview"))
        model.size -= strlen(" Overview");
    rows->model = view_copy(model);
    return rows;
}

static status overview_rows_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct row_reader *reader = (struct row_reader *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(reader->profile, event->track);
        const struct view name = profile_text(reader->profile, event->name);
        if (event->kind != EVENT_SPAN)
            continue;
        parse_event(name, event->end - event->start,
                    overview_row_add(rows_under(reader, track->parent), VIEW_LITERAL("")));
    }
    return STATUS_OK;
}

// The place of a row in the document's order; unknown ones come last.
static size_t row_place(const struct overview_row *row)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (strcmp(row->name, METRICS[i].row) == 0)
            return i;
    }
    return METRIC_COUNT;
}

static void torq_overview_rows_order_rows(struct overview_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++) {
        const struct overview_row moved = rows->rows[i];
        size_t at = i;
        for (; at > 0 && row_place(&rows->rows[at - 1]) > row_place(&moved); at--)
            rows->rows[at] = rows->rows[at - 1];
        rows->rows[at] = moved;
    }
}

status torq_overview_read(struct profile *profile, struct overview_rows **out_list,
                          size_t *out_count)
{
    struct row_reader reader = {.sink.take = overview_rows_take_batch, .profile = profile};
    status result = STATUS_OK;
    for (uint32_t i = 1; i < profile->tracks.count && result == STATUS_OK; i++) {
        const struct track *track = profile_track(profile, i);
        if (is_overview_track(profile_text(profile, track->name)) && track->spans <= 16)
            result = profile_replay_track(profile, i, &reader.sink);
    }
    for (size_t i = 0; i < reader.count; i++)
        torq_overview_rows_order_rows(&reader.list[i]);
    free(reader.parents);
    *out_list = reader.list;
    *out_count = reader.count;
    return result;
}
