#include "analysis/overview.h"

#include <stdlib.h>

#include "analysis/intervals.h"
#include "base/memory.h"
#include "base/spool.h"

// The edges of intervals in order (start, end, start, end ...), each as the time
// since the one before it in 32 bits; WIDE stands before one that needs 64.
#define WIDE UINT32_MAX

struct edge_list {
    struct spool spool;
    uint64_t last;
};

struct edge_reader {
    const uint32_t *at;
    const uint32_t *end;
    uint64_t last;
};

// When one engine of a scope was busy: intervals merged as they come. Those that
// start before an earlier one are set aside, and put in order at the end.
struct busy {
    enum engine engine;
    uint32_t index;
    struct interval last; // not yet in the list
    bool any;
    struct edge_list in_order;
    struct spool late; // struct interval
    struct edge_list late_in_order;
    // In the sweep:
    unsigned running; // of the two lists: those inside an interval
    uint64_t since;   // the last edge
    uint64_t total;   // time in which one of them was
};

struct scope {
    uint32_t track;
    struct busy *busy;
    size_t busy_count;
    size_t busy_capacity;
    struct interval all;   // of spans on engines
    struct interval other; // of spans elsewhere
    bool has_engines;
    bool has_other;
    bool has_spans_beside_hal;
    struct interval beside_hal;
};

struct target_busy {
    bool known;
    size_t scope;
    size_t busy; // SIZE_MAX: not an engine
    struct clock_domain clock;
};

struct overview_collector {
    struct event_sink sink;
    const struct profile *profile;
    struct scope *scopes;
    size_t scope_count;
    size_t scope_capacity;
    struct target_busy *tracks;
    size_t track_count;
};

// Collecting ------------------------------------------------------------------

static uint32_t scope_of(const struct profile *profile, uint32_t track)
{
    while (track != 0 && profile_track(profile, track)->kind != TRACK_PROCESS)
        track = profile_track(profile, track)->parent;
    return track;
}

static size_t find_scope(struct overview_collector *collector, uint32_t track)
{
    for (size_t i = 0; i < collector->scope_count; i++) {
        if (collector->scopes[i].track == track)
            return i;
    }
    collector->scopes = memory_grow(collector->scopes, collector->scope_count,
                                    &collector->scope_capacity, sizeof *collector->scopes);
    collector->scopes[collector->scope_count] = (struct scope){.track = track};
    return collector->scope_count++;
}

static size_t find_busy(struct scope *scope, enum engine engine, uint32_t index)
{
    if (engine == ENGINE_NONE)
        return SIZE_MAX;
    for (size_t i = 0; i < scope->busy_count; i++) {
        if (scope->busy[i].engine == engine && scope->busy[i].index == index)
            return i;
    }
    scope->busy =
        memory_grow(scope->busy, scope->busy_count, &scope->busy_capacity, sizeof *scope->busy);
    scope->busy[scope->busy_count] = (struct busy){.engine = engine,
                                                   .index = index,
                                                   .in_order.spool = SPOOL_EMPTY,
                                                   .late_in_order.spool = SPOOL_EMPTY,
                                                   .late = SPOOL_EMPTY};
    return scope->busy_count++;
}

static const struct target_busy *target_of(struct overview_collector *collector, uint32_t id)
{
    collector->tracks =
        memory_extend(collector->tracks, &collector->track_count, id, sizeof *collector->tracks);
    struct target_busy *target = &collector->tracks[id];
    if (!target->known) {
        const struct track *track = profile_track(collector->profile, id);
        target->known = true;
        target->clock = *profile_clock(collector->profile, track->clock);
        target->scope = find_scope(collector, scope_of(collector->profile, id));
        target->busy = find_busy(&collector->scopes[target->scope], track->engine, track->index);
    }
    return target;
}

static void widen(struct interval *range, bool *has, struct interval span)
{
    if (!*has || span.start < range->start)
        range->start = span.start;
    if (!*has || span.end > range->end)
        range->end = span.end;
    *has = true;
}

static status edge_add(struct edge_list *list, uint64_t edge)
{
    const uint64_t delta = edge - list->last;
    const uint32_t words[] = {delta < WIDE ? (uint32_t)delta : WIDE, (uint32_t)delta,
                              (uint32_t)(delta >> 32)};
    list->last = edge;
    return spool_append(&list->spool, words, (delta < WIDE ? 1 : 3) * sizeof words[0]);
}

static status list_add(struct edge_list *list, struct interval span)
{
    STATUS_TRY(edge_add(list, span.start));
    return edge_add(list, span.end);
}

static status busy_add(struct busy *busy, struct interval span)
{
    if (busy->any && span.start >= busy->last.start && span.start <= busy->last.end) {
        if (span.end > busy->last.end)
            busy->last.end = span.end;
        return STATUS_OK;
    }
    if (busy->any && span.start < busy->last.start)
        return spool_append(&busy->late, &span, sizeof span);
    if (busy->any)
        STATUS_TRY(list_add(&busy->in_order, busy->last));
    busy->last = span;
    busy->any = true;
    return STATUS_OK;
}

static status add_span(struct overview_collector *collector, const struct event *event)
{
    const struct target_busy *target = target_of(collector, event->track);
    struct scope *scope = &collector->scopes[target->scope];
    const struct interval span = {clock_to_ns(&target->clock, event->start),
                                  clock_to_ns(&target->clock, event->end)};
    if (target->busy == SIZE_MAX) {
        widen(&scope->other, &scope->has_other, span);
        return STATUS_OK;
    }
    widen(&scope->all, &scope->has_engines, span);
    struct busy *busy = &scope->busy[target->busy];
    if (busy->engine != ENGINE_HAL)
        widen(&scope->beside_hal, &scope->has_spans_beside_hal, span);
    return busy_add(busy, span);
}

static status take(struct event_sink *sink, const struct event_batch *batch)
{
    struct overview_collector *collector = (struct overview_collector *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->events[i].kind == EVENT_SPAN)
            STATUS_TRY(add_span(collector, &batch->events[i]));
    }
    return STATUS_OK;
}

struct overview_collector *overview_collector_create(const struct profile *profile)
{
    struct overview_collector *collector = memory_allocate_zeroed(1, sizeof *collector);
    collector->sink.take = take;
    collector->profile = profile;
    return collector;
}

struct event_sink *overview_collector_sink(struct overview_collector *collector)
{
    return &collector->sink;
}

size_t overview_count(const struct overview_collector *collector)
{
    return collector->scope_count;
}

uint32_t overview_scope(const struct overview_collector *collector, size_t index)
{
    return collector->scopes[index].track;
}

// Computing -------------------------------------------------------------------

static status list_read(struct edge_list *list, struct edge_reader *out_reader)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&list->spool, &data, &size));
    const uint32_t *words = (const uint32_t *)(const void *)data;
    *out_reader = (struct edge_reader){words, words + size / sizeof *words, 0};
    return STATUS_OK;
}

// UINT64_MAX at the end.
static inline uint64_t edge_next(struct edge_reader *reader)
{
    if (reader->at == reader->end)
        return UINT64_MAX;
    uint64_t delta = *reader->at++;
    if (delta == WIDE) {
        delta = reader->at[0] | (uint64_t)reader->at[1] << 32;
        reader->at += 2;
    }
    return reader->last += delta;
}

static status busy_finish(struct busy *busy)
{
    char *data;
    size_t size;
    size_t impossible;
    if (busy->any)
        STATUS_TRY(list_add(&busy->in_order, busy->last));
    busy->any = false;
    STATUS_TRY(spool_read(&busy->late, &data, &size));
    const struct interval_set late = intervals_normalize(
        (struct interval *)(void *)data, size / sizeof(struct interval), &impossible);
    for (size_t i = 0; i < late.count; i++)
        STATUS_TRY(list_add(&busy->late_in_order, late.items[i]));
    return STATUS_OK;
}

// How long exactly this set of engine kinds was busy, for every set: bit e is
// set while an engine of kind e is.
struct times {
    uint64_t by_set[1 << ENGINE_KINDS];
};

// Where a list of edges stands in the sweep.
struct position {
    struct edge_reader reader;
    struct busy *busy;
    unsigned step; // what the next edge adds to what runs: 1 or -1
};

// The next edges of all lists lie side by side, for the search. There is no
// branch on whether an engine starts or stops: half of them would be guessed
// wrong.
struct sweep {
    struct position *positions;
    uint64_t *edges; // UINT64_MAX: never again
    size_t count;
    unsigned running[ENGINE_KINDS]; // lists of each kind
    unsigned set;                   // the kinds that have some
};

static void pass_edge(struct sweep *sweep, size_t index, uint64_t now)
{
    struct position *position = &sweep->positions[index];
    struct busy *busy = position->busy;
    const unsigned kind = busy->engine;
    busy->total += busy->running != 0 ? now - busy->since : 0;
    busy->since = now;
    busy->running += position->step;
    sweep->running[kind] += position->step;
    sweep->set = (sweep->set & ~(1u << kind)) | (unsigned)(sweep->running[kind] != 0) << kind;
    position->step = 0 - position->step;
    sweep->edges[index] = edge_next(&position->reader);
}

static size_t nearest_edge(const struct sweep *sweep)
{
    size_t nearest = 0;
    uint64_t edge = sweep->edges[0];
    for (size_t i = 1; i < sweep->count; i++) {
        const bool nearer = sweep->edges[i] < edge;
        nearest = nearer ? i : nearest;
        edge = nearer ? sweep->edges[i] : edge;
    }
    return nearest;
}

static void sweep_edges(struct sweep *sweep, struct times *times)
{
    for (uint64_t now = 0;;) {
        const size_t index = nearest_edge(sweep);
        const uint64_t next = sweep->edges[index];
        if (next == UINT64_MAX)
            return;
        times->by_set[sweep->set] += next - now;
        now = next;
        pass_edge(sweep, index, now);
    }
}

static status sweep_add(struct sweep *sweep, struct busy *busy, struct edge_list *list)
{
    struct position *position = &sweep->positions[sweep->count];
    *position = (struct position){.busy = busy, .step = 1};
    STATUS_TRY(list_read(list, &position->reader));
    sweep->edges[sweep->count] = edge_next(&position->reader);
    sweep->count += sweep->edges[sweep->count] != UINT64_MAX;
    return STATUS_OK;
}

static status sweep_scope(const struct scope *scope, struct times *times)
{
    status result = STATUS_OK;
    const size_t most = 2 * scope->busy_count;
    struct sweep sweep = {.positions = memory_allocate_zeroed(most, sizeof *sweep.positions),
                          .edges = memory_allocate_zeroed(most, sizeof *sweep.edges)};
    for (size_t i = 0; i < scope->busy_count && result == STATUS_OK; i++) {
        struct busy *busy = &scope->busy[i];
        result = sweep_add(&sweep, busy, &busy->in_order);
        if (result == STATUS_OK)
            result = sweep_add(&sweep, busy, &busy->late_in_order);
    }
    if (result == STATUS_OK && sweep.count > 0)
        sweep_edges(&sweep, times);
    free(sweep.positions);
    free(sweep.edges);
    return result;
}

enum {
    DMA = 1 << ENGINE_DMA_IN | 1 << ENGINE_DMA_OUT,
    TRANSFER = DMA | 1 << ENGINE_CDMA,
    COMPUTE = 1 << ENGINE_SLICE | 1 << ENGINE_CSS,
    NPU = TRANSFER | COMPUTE | 1 << ENGINE_NPU,
    HOST = 1 << ENGINE_HOST | 1 << ENGINE_HOST_COPY,
    HAL = 1 << ENGINE_HAL,
    ANY = (1 << ENGINE_KINDS) - 1,
};

// Time with some engine of `some` busy, none of `none`, and some of `and_some`.
static uint64_t time_with(const struct times *times, unsigned some, unsigned none,
                          unsigned and_some)
{
    uint64_t sum = 0;
    for (unsigned set = 1; set <= ANY; set++) {
        if ((set & some) != 0 && (set & none) == 0 && (set & and_some) != 0)
            sum += times->by_set[set];
    }
    return sum;
}

static void set_metric(struct overview *overview, enum overview_metric metric, bool present,
                       uint64_t ns)
{
    overview->metrics[metric] = (struct overview_value){present, present ? ns : 0};
}

static void set_busy_metrics(struct overview *overview, const struct times *t, unsigned covered)
{
    const bool npu = (covered & (TRANSFER | COMPUTE)) != 0;
    const bool host = (covered & HOST) != 0;
    set_metric(overview, OVERVIEW_DMA_COMBINED, npu, time_with(t, TRANSFER, 0, ANY));
    set_metric(overview, OVERVIEW_COMPUTE_COMBINED, npu, time_with(t, COMPUTE, 0, ANY));
    set_metric(overview, OVERVIEW_DMA, npu, time_with(t, DMA, 0, ANY));
    set_metric(overview, OVERVIEW_DMA_IN, npu, time_with(t, 1 << ENGINE_DMA_IN, 0, ANY));
    set_metric(overview, OVERVIEW_DMA_OUT, npu, time_with(t, 1 << ENGINE_DMA_OUT, 0, ANY));
    set_metric(overview, OVERVIEW_CDMA, npu, time_with(t, 1 << ENGINE_CDMA, 0, ANY));
    set_metric(overview, OVERVIEW_SLICE, npu, time_with(t, 1 << ENGINE_SLICE, 0, ANY));
    set_metric(overview, OVERVIEW_SLICE_0, npu, 0);
    set_metric(overview, OVERVIEW_SLICE_1, npu, 0);
    set_metric(overview, OVERVIEW_CSS, npu, time_with(t, 1 << ENGINE_CSS, 0, ANY));
    set_metric(overview, OVERVIEW_DMA_ONLY, npu, time_with(t, TRANSFER, COMPUTE, ANY));
    set_metric(overview, OVERVIEW_COMPUTE_ONLY, npu, time_with(t, COMPUTE, TRANSFER, ANY));
    set_metric(overview, OVERVIEW_OVERLAP, npu, time_with(t, TRANSFER, 0, COMPUTE));
    set_metric(overview, OVERVIEW_HAL, (covered & HAL) != 0, time_with(t, HAL, 0, ANY));
    set_metric(overview, OVERVIEW_HOST, host, time_with(t, 1 << ENGINE_HOST, 0, ANY));
    set_metric(overview, OVERVIEW_HOST_COPY, host, time_with(t, 1 << ENGINE_HOST_COPY, 0, ANY));
    set_metric(overview, OVERVIEW_NPU, (covered & 1 << ENGINE_NPU) != 0,
               time_with(t, 1 << ENGINE_NPU, 0, ANY));
}

static int compare_slices(const void *left, const void *right)
{
    const struct overview_slice *a = left;
    const struct overview_slice *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static void set_slices(struct overview *overview, const struct scope *scope)
{
    size_t capacity = 0;
    for (size_t i = 0; i < scope->busy_count; i++) {
        const struct busy *busy = &scope->busy[i];
        if (busy->engine != ENGINE_SLICE)
            continue;
        overview->slices = memory_grow(overview->slices, overview->slice_count, &capacity,
                                       sizeof *overview->slices);
        overview->slices[overview->slice_count++] =
            (struct overview_slice){busy->index, busy->total};
        if (busy->index < 2)
            set_metric(overview, OVERVIEW_SLICE_0 + busy->index, true, busy->total);
    }
    if (overview->slice_count > 1)
        qsort(overview->slices, overview->slice_count, sizeof *overview->slices, compare_slices);
}

static void set_totals(struct overview *overview, const struct scope *scope, const struct times *t)
{
    const struct interval range = scope->has_engines ? scope->all : scope->other;
    const uint64_t overall = range.end - range.start;
    const uint64_t busy = time_with(t, ANY, 0, ANY);
    const uint64_t beside_hal = scope->beside_hal.end - scope->beside_hal.start;
    const uint64_t host_alone = time_with(t, HOST, NPU | HAL, ANY);
    const bool runtime = overview->metrics[OVERVIEW_HOST].present;
    overview->start = range.start;
    set_metric(overview, OVERVIEW_OVERALL, true, overall);
    set_metric(overview, OVERVIEW_IDLE, scope->has_engines, overall - busy);
    set_metric(overview, OVERVIEW_TOTAL_NPU, runtime,
               beside_hal > host_alone ? beside_hal - host_alone : 0);
}

status overview_compute(struct overview_collector *collector, size_t index,
                        struct overview *out_overview)
{
    struct scope *scope = &collector->scopes[index];
    unsigned covered = 0;
    *out_overview = (struct overview){.scope = scope->track};
    for (size_t i = 0; i < scope->busy_count; i++) {
        STATUS_TRY(busy_finish(&scope->busy[i]));
        covered |= 1u << scope->busy[i].engine;
    }
    struct times *times = memory_allocate_zeroed(1, sizeof *times);
    status result = sweep_scope(scope, times);
    if (result == STATUS_OK) {
        set_busy_metrics(out_overview, times, covered);
        set_slices(out_overview, scope);
        set_totals(out_overview, scope, times);
    }
    free(times);
    return result;
}

double overview_percent(const struct overview *overview, enum overview_metric metric)
{
    const uint64_t overall = overview->metrics[OVERVIEW_OVERALL].ns;
    return overall == 0 ? 0 : (double)overview->metrics[metric].ns / (double)overall * 100;
}

void overview_free(struct overview *overview)
{
    free(overview->slices);
    overview->slices = NULL;
}

static void busy_free(struct busy *busy)
{
    spool_free(&busy->in_order.spool);
    spool_free(&busy->late_in_order.spool);
    spool_free(&busy->late);
}

void overview_collector_free(struct overview_collector *collector)
{
    if (collector == NULL)
        return;
    for (size_t i = 0; i < collector->scope_count; i++) {
        for (size_t k = 0; k < collector->scopes[i].busy_count; k++)
            busy_free(&collector->scopes[i].busy[k]);
        free(collector->scopes[i].busy);
    }
    free(collector->scopes);
    free(collector->tracks);
    free(collector);
}
