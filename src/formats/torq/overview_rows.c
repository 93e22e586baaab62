#include "overview_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Every metric with its name in the overview, and its track and label in a
// trace. In the order of the overview's rows.
static const struct metric_text {
    enum overview_metric metric;
    const char *row;
    const char *track; // NULL: not in a trace
    const char *label;
    const char *old_label; // before 2026-04-23
    bool always;           // shown although the user did not ask for all
} METRICS[] = {
    {OVERVIEW_OVERALL, "OVERALL", "15 OVERALL", "OVERALL", NULL, true},
    {OVERVIEW_TOTAL_NPU, "TOTAL NPU OPERATIONS", NULL, NULL, NULL, false},
    {OVERVIEW_DMA_COMBINED, "Dma", "00 OVERVIEW DMA COMBINED", "DMA+CDMA union", NULL, true},
    {OVERVIEW_DMA_ONLY, "Dma Only", "08 OVERVIEW DMA ONLY", "DMA/CDMA ONLY (no compute)", NULL,
     true},
    {OVERVIEW_DMA, "Dma Total", "02 OVERVIEW DMA", "DMA total", NULL, true},
    {OVERVIEW_CDMA, "Cdma", "03 OVERVIEW CDMA", "CDMA total", NULL, true},
    {OVERVIEW_DMA_IN, "Dma In", NULL, NULL, NULL, false},
    {OVERVIEW_DMA_OUT, "Dma Out", NULL, NULL, NULL, false},
    {OVERVIEW_COMPUTE_COMBINED, "Compute", "01 OVERVIEW COMPUTE COMBINED", "SLICE+CSS union", NULL,
     true},
    {OVERVIEW_COMPUTE_ONLY, "Compute Only", "09 OVERVIEW COMPUTE ONLY",
     "COMPUTE ONLY (no DMA/CDMA)", NULL, true},
    {OVERVIEW_SLICE, "Slice", "04 OVERVIEW SLICE", "SLICE 0 + 1 union", NULL, true},
    {OVERVIEW_SLICE_0, "Slice 0", "05 OVERVIEW SLICE 0", "SLICE 0", "SLICE 0 total", true},
    {OVERVIEW_SLICE_1, "Slice 1", "06 OVERVIEW SLICE 1", "SLICE 1", "SLICE 1 total", true},
    {OVERVIEW_CSS, "Css", "07 OVERVIEW CSS", "CSS", "CSS total", true},
    {OVERVIEW_OVERLAP, "Overlap", "10 OVERVIEW DMA COMPUTE OVERLAP", "DMA/CDMA<->COMPUTE overlap",
     NULL, true},
    {OVERVIEW_IDLE, "Idle", "14 OVERVIEW IDLE", "IDLE", NULL, true},
    {OVERVIEW_HAL, "Hal", "11 OVERVIEW HAL", "HAL total", NULL, false},
    {OVERVIEW_NPU, "Npu", NULL, NULL, NULL, false},
    {OVERVIEW_HOST, "Host", "12 OVERVIEW HOST", "HOST total", NULL, true},
    {OVERVIEW_HOST_COPY, "Host Copy", "13 OVERVIEW HOST COPY", "HOST COPY total", NULL, true},
};

enum { METRIC_COUNT = sizeof METRICS / sizeof METRICS[0] };

// Durations -------------------------------------------------------------------

void overview_format_duration(uint64_t ns, char text[OVERVIEW_DURATION_ROOM])
{
    const double number = (double)ns;
    if (ns >= 1000000000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3fs", number / 1e9);
    else if (ns >= 1000000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3fms", number / 1e6);
    else if (ns >= 1000)
        snprintf(text, OVERVIEW_DURATION_ROOM, "%.3f\u00b5s", number / 1e3);
    else
        snprintf(text, OVERVIEW_DURATION_ROOM, "%uns", (unsigned)ns);
}

bool overview_parse_duration(struct view text, uint64_t *out_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } UNITS[] = {{"ns", 1}, {"\u00b5s", 1e3}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    text = view_trim(text);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (!view_ends_with(text, UNITS[i].unit))
            continue;
        double number;
        const struct view digits = view_slice(text, 0, text.size - strlen(UNITS[i].unit));
        if (!view_to_double(view_trim(digits), &number) || number < 0 || number > 1e18)
            return false;
        *out_ns = (uint64_t)(number * UNITS[i].ns + 0.5);
        return true;
    }
    return false;
}

// Rows ------------------------------------------------------------------------

static struct overview_row *add_row(struct overview_rows *rows, struct view name)
{
    rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
    struct overview_row *row = &rows->rows[rows->count++];
    *row = (struct overview_row){0};
    snprintf(row->name, sizeof row->name, "%.*s", VIEW_ARGUMENTS(name));
    return row;
}

static void add_further_slices(const struct overview *overview, struct overview_rows *rows)
{
    const uint64_t overall = overview->metrics[OVERVIEW_OVERALL].ns;
    for (size_t i = 0; i < overview->slice_count; i++) {
        if (overview->slices[i].index < 2)
            continue;
        char name[32];
        snprintf(name, sizeof name, "Slice %u", overview->slices[i].index);
        struct overview_row *row = add_row(rows, view_of(name));
        row->present = true;
        row->ns = overview->slices[i].ns;
        row->has_percent = true;
        row->percent = overall == 0 ? 0 : (double)row->ns / (double)overall * 100;
    }
}

void overview_rows_of(const struct overview *overview, bool all, struct overview_rows *out_rows)
{
    *out_rows = (struct overview_rows){0};
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const enum overview_metric metric = METRICS[i].metric;
        const struct overview_value value = overview->metrics[metric];
        const bool shown = METRICS[i].always || all || (metric == OVERVIEW_HAL && value.present) ||
                           (metric == OVERVIEW_NPU && value.present);
        if (!shown)
            continue;
        struct overview_row *row = add_row(out_rows, view_of(METRICS[i].row));
        row->present = value.present;
        row->ns = value.ns;
        row->has_percent =
            value.present && metric != OVERVIEW_OVERALL && metric != OVERVIEW_TOTAL_NPU;
        row->percent = overview_percent(overview, metric);
        if (metric == OVERVIEW_SLICE_1)
            add_further_slices(overview, out_rows);
    }
}

void overview_rows_free(struct overview_rows *rows)
{
    free(rows->model);
    free(rows->rows);
    *rows = (struct overview_rows){0};
}

// Writing ---------------------------------------------------------------------

static void name_event(const struct overview *overview, const struct metric_text *text, char *name,
                       size_t room)
{
    char duration[OVERVIEW_DURATION_ROOM] = "absent";
    const struct overview_value value = overview->metrics[text->metric];
    if (value.present)
        overview_format_duration(value.ns, duration);
    if (value.present && text->metric != OVERVIEW_OVERALL)
        snprintf(name, room, "%s: %s (%.2f%%)", text->label, duration,
                 overview_percent(overview, text->metric));
    else
        snprintf(name, room, "%s: %s", text->label, duration);
}

static void add_track(struct profile *profile, const struct overview *overview,
                      const struct metric_text *text, uint32_t parent)
{
    const struct track track = {.parent = parent,
                                .name = profile_string(profile, view_of(text->track)),
                                .kind = TRACK_LANE,
                                .provenance = PROVENANCE_DERIVED,
                                .rank = atoi(text->track),
                                .ledger = {.expected = 1}};
    char name[160];
    name_event(overview, text, name, sizeof name);
    struct bytes values = {0};
    value_add_string(&values, profile_string(profile, VIEW_LITERAL("category")),
                     profile_string(profile, VIEW_LITERAL("overview")));
    const struct event event = {.start = overview->start,
                                .end = overview->start + overview->metrics[text->metric].ns,
                                .track = profile_track_add(profile, &track),
                                .name = profile_string(profile, view_of(name))};
    profile_event_add(profile, &event, bytes_view(&values));
    bytes_free(&values);
}

static int compare_tracks(const void *left, const void *right)
{
    const struct metric_text *const *a = left;
    const struct metric_text *const *b = right;
    return strcmp((*a)->track, (*b)->track);
}

void overview_tracks_add(struct profile *profile, const char *name, const struct overview *overview,
                         int32_t rank)
{
    struct bytes title = {0};
    bytes_append_format(&title, "%s Overview", name);
    const struct track process = {.name = profile_string(profile, bytes_view(&title)),
                                  .kind = TRACK_PROCESS,
                                  .provenance = PROVENANCE_DERIVED,
                                  .rank = rank};
    bytes_free(&title);
    const uint32_t parent = profile_track_add(profile, &process);

    const struct metric_text *ordered[METRIC_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (METRICS[i].track != NULL)
            ordered[count++] = &METRICS[i];
    }
    qsort(ordered, count, sizeof ordered[0], compare_tracks);
    for (size_t i = 0; i < count; i++)
        add_track(profile, overview, ordered[i], parent);
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

static status take(struct event_sink *sink, const struct event_batch *batch)
{
    struct row_reader *reader = (struct row_reader *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(reader->profile, event->track);
        const struct view name = profile_text(reader->profile, event->name);
        if (event->kind != EVENT_SPAN)
            continue;
        parse_event(name, event->end - event->start,
                    add_row(rows_under(reader, track->parent), VIEW_LITERAL("")));
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

static void order_rows(struct overview_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++) {
        const struct overview_row moved = rows->rows[i];
        size_t at = i;
        for (; at > 0 && row_place(&rows->rows[at - 1]) > row_place(&moved); at--)
            rows->rows[at] = rows->rows[at - 1];
        rows->rows[at] = moved;
    }
}

status overview_rows_read(struct profile *profile, struct overview_rows **out_list,
                          size_t *out_count)
{
    struct row_reader reader = {.sink.take = take, .profile = profile};
    status result = STATUS_OK;
    for (uint32_t i = 1; i < profile->tracks.count && result == STATUS_OK; i++) {
        const struct track *track = profile_track(profile, i);
        if (is_overview_track(profile_text(profile, track->name)) && track->spans <= 16)
            result = profile_replay_track(profile, i, &reader.sink);
    }
    for (size_t i = 0; i < reader.count; i++)
        order_rows(&reader.list[i]);
    free(reader.parents);
    *out_list = reader.list;
    *out_count = reader.count;
    return result;
}

static status compute_rows(struct profile *profile, struct overview_collector *collector, bool all,
                           size_t index, struct overview_rows *out_rows)
{
    struct overview overview;
    STATUS_TRY(overview_compute(collector, index, &overview));
    overview_rows_of(&overview, all, out_rows);
    const struct track *scope = profile_track(profile, overview.scope);
    out_rows->model = view_copy(profile_text(profile, scope->name));
    out_rows->provenance = overview.provenance;
    overview_free(&overview);
    return STATUS_OK;
}

static status compute_list(struct profile *profile, bool all, struct overview_rows **out_list,
                           size_t *out_count)
{
    struct overview_collector *collector = overview_collector_create(profile);
    status result = profile_replay(profile, overview_collector_sink(collector));
    *out_count = result == STATUS_OK ? overview_count(collector) : 0;
    *out_list = memory_allocate_zeroed(*out_count, sizeof **out_list);
    for (size_t i = 0; i < *out_count && result == STATUS_OK; i++)
        result = compute_rows(profile, collector, all, i, &(*out_list)[i]);
    overview_collector_free(collector);
    return result;
}

status overview_rows_list(struct profile *profile, bool all, struct overview_rows **out_list,
                          size_t *out_count)
{
    status result = overview_rows_read(profile, out_list, out_count);
    for (size_t i = 0; i < *out_count; i++)
        (*out_list)[i].provenance = PROVENANCE_DERIVED;
    if (result == STATUS_OK && *out_count == 0) {
        free(*out_list);
        result = compute_list(profile, all, out_list, out_count);
    }
    if (result != STATUS_OK)
        overview_rows_list_free(*out_list, *out_count);
    return result;
}

void overview_rows_list_free(struct overview_rows *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        overview_rows_free(&list[i]);
    free(list);
}
