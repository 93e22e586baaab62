#include "analysis/overview.h"

#include <pthread.h>
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
    struct edge_reader edges[2]; // of the two lists, once they are complete
    uint64_t total;              // how long it was busy
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
    bool seen; // some track of it
    enum provenance provenance;
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

static void add_provenance(struct scope *scope, enum provenance provenance)
{
    const bool mixed = scope->seen && scope->provenance != provenance;
    scope->provenance = mixed ? PROVENANCE_DERIVED : provenance;
    scope->seen = true;
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
        add_provenance(&collector->scopes[target->scope], track->provenance);
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
    STATUS_TRY(list_read(&busy->in_order, &busy->edges[0]));
    return list_read(&busy->late_in_order, &busy->edges[1]);
}

// How long exactly this set of engine kinds was busy, for every set: bit e is
// set while an engine of kind e is.
struct times {
    uint64_t by_set[1 << ENGINE_KINDS];
};

// Where a list of edges stands in a sweep.
struct position {
    struct edge_reader reader;
    size_t busy;   // whose list it is
    unsigned step; // what the next edge adds to what runs: 1 or -1
};

// An engine in a sweep.
struct runner {
    unsigned kind;
    unsigned running; // of its two lists: those inside an interval
    uint64_t since;   // the last edge
    uint64_t total;
};

// Goes from edge to edge over a range of time. The next edges of all lists lie
// side by side, for the search. There is no branch on whether an engine starts
// or stops: half of them would be guessed wrong.
struct sweep {
    const struct scope *scope;
    uint64_t from;
    uint64_t to;
    struct position *positions;
    uint64_t *edges; // UINT64_MAX: never again
    size_t count;
    struct runner *runners;
    unsigned running[ENGINE_KINDS]; // lists of each kind
    unsigned set;                   // the kinds that have some
    struct times times;
};

static void run_step(struct sweep *sweep, struct position *position)
{
    struct runner *runner = &sweep->runners[position->busy];
    runner->running += position->step;
    sweep->running[runner->kind] += position->step;
    sweep->set = (sweep->set & ~(1u << runner->kind)) |
                 (unsigned)(sweep->running[runner->kind] != 0) << runner->kind;
    position->step = 0 - position->step;
}

static void count_runner(struct runner *runner, uint64_t now)
{
    runner->total += runner->running != 0 ? now - runner->since : 0;
    runner->since = now;
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

static void sweep_edges(struct sweep *sweep)
{
    uint64_t now = sweep->from;
    for (size_t index; sweep->edges[index = nearest_edge(sweep)] < sweep->to;) {
        const uint64_t next = sweep->edges[index];
        struct position *position = &sweep->positions[index];
        sweep->times.by_set[sweep->set] += next - now;
        now = next;
        count_runner(&sweep->runners[position->busy], now);
        run_step(sweep, position);
        sweep->edges[index] = edge_next(&position->reader);
    }
    sweep->times.by_set[sweep->set] += sweep->to - now;
    for (size_t i = 0; i < sweep->scope->busy_count; i++)
        count_runner(&sweep->runners[i], sweep->to);
}

// Passes over what lies before the range.
static void sweep_add(struct sweep *sweep, size_t busy, struct edge_reader edges)
{
    struct position *position = &sweep->positions[sweep->count];
    *position = (struct position){.reader = edges, .busy = busy, .step = 1};
    uint64_t edge = edge_next(&position->reader);
    unsigned passed = 0;
    for (; edge < sweep->from; passed++)
        edge = edge_next(&position->reader);
    if (passed % 2 == 1)
        run_step(sweep, position);
    sweep->edges[sweep->count] = edge;
    sweep->count += edge != UINT64_MAX;
}

static void *sweep_run(void *argument)
{
    struct sweep *sweep = argument;
    const struct scope *scope = sweep->scope;
    const size_t lists = 2 * scope->busy_count;
    sweep->positions = memory_allocate_zeroed(lists, sizeof *sweep->positions);
    sweep->edges = memory_allocate_zeroed(lists, sizeof *sweep->edges);
    sweep->runners = memory_allocate_zeroed(scope->busy_count, sizeof *sweep->runners);
    for (size_t i = 0; i < scope->busy_count; i++) {
        const struct busy *busy = &scope->busy[i];
        sweep->runners[i] = (struct runner){.kind = busy->engine, .since = sweep->from};
        sweep_add(sweep, i, busy->edges[0]);
        sweep_add(sweep, i, busy->edges[1]);
    }
    if (sweep->count > 0)
        sweep_edges(sweep);
    return NULL;
}

static void sweep_finish(struct sweep *sweep, struct times *times)
{
    for (unsigned set = 0; set < sizeof times->by_set / sizeof times->by_set[0]; set++)
        times->by_set[set] += sweep->times.by_set[set];
    for (size_t i = 0; i < sweep->scope->busy_count; i++)
        sweep->scope->busy[i].total += sweep->runners[i].total;
    free(sweep->positions);
    free(sweep->edges);
    free(sweep->runners);
    free(sweep);
}

static struct sweep *sweep_create(const struct scope *scope, uint64_t from, uint64_t to)
{
    struct sweep *sweep = memory_allocate_zeroed(1, sizeof *sweep);
    sweep->scope = scope;
    sweep->from = from;
    sweep->to = to;
    return sweep;
}

// Two halves at the same time.
static void sweep_scope(const struct scope *scope, struct times *times)
{
    const uint64_t middle = scope->all.start + (scope->all.end - scope->all.start) / 2;
    struct sweep *first = sweep_create(scope, scope->all.start, middle);
    struct sweep *second = sweep_create(scope, middle, scope->all.end);
    pthread_t thread;
    const bool parallel = pthread_create(&thread, NULL, sweep_run, second) == 0;
    sweep_run(first);
    if (parallel)
        pthread_join(thread, NULL);
    else
        sweep_run(second);
    sweep_finish(first, times);
    sweep_finish(second, times);
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
    *out_overview = (struct overview){.scope = scope->track, .provenance = scope->provenance};
    for (size_t i = 0; i < scope->busy_count; i++) {
        STATUS_TRY(busy_finish(&scope->busy[i]));
        covered |= 1u << scope->busy[i].engine;
    }
    struct times *times = memory_allocate_zeroed(1, sizeof *times);
    sweep_scope(scope, times);
    set_busy_metrics(out_overview, times, covered);
    set_slices(out_overview, scope);
    set_totals(out_overview, scope, times);
    free(times);
    return STATUS_OK;
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
