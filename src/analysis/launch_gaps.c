#include "launch_gaps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"

// The start of a flow.
struct gap_launch {
    uint64_t flow;
    uint64_t start; // ns, of the span
    uint32_t clock;
};

struct gap_work {
    uint64_t start, end; // ns
    uint64_t flow;       // 0: none ends in it
    uint64_t step;
    uint32_t scope;
    uint32_t clock;
};

struct gap_meter {
    struct event_sink sink;
    struct profile *profile;
    struct spool launches, works;
    uint64_t launch_count, work_count;
    uint64_t linked; // works that have a flow
    bool on_device;  // the track at hand
    uint32_t scope, clock;
    size_t capacity; // of the result
};

// Collecting -----------------------------------------------------------------------------------

static status take_work(struct gap_meter *meter, const struct event *event, struct view values,
                        uint64_t start, uint64_t end)
{
    struct value_reader reader = value_read(values);
    struct value value;
    struct gap_work work = {.start = start,
                            .end = end,
                            .scope = meter->scope,
                            .clock = meter->clock,
                            .step = event->call == 0
                                        ? UINT64_MAX
                                        : profile_call(meter->profile, event->call)->iteration};
    while (value_next(&reader, &value)) {
        if (value.kind == VALUE_FLOW_IN)
            work.flow = value.number;
    }
    meter->work_count++;
    meter->linked += work.flow != 0;
    return spool_append(&meter->works, &work, sizeof work);
}

static status take_launches(struct gap_meter *meter, struct view values, uint64_t start)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        const struct gap_launch launch = {value.number, start, meter->clock};
        if (value.kind != VALUE_FLOW_OUT)
            continue;
        meter->launch_count++;
        STATUS_TRY(spool_append(&meter->launches, &launch, sizeof launch));
    }
    return STATUS_OK;
}

static status launch_gaps_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct gap_meter *meter = (struct gap_meter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(meter->profile, event->track);
        const struct clock_domain *clock = profile_clock(meter->profile, track->clock);
        if (event->kind != EVENT_SPAN)
            continue;
        const uint64_t start = clock_to_ns(clock, event->start);
        const struct view values = event_values(batch, event);
        STATUS_TRY(meter->on_device
                       ? take_work(meter, event, values, start, clock_to_ns(clock, event->end))
                       : take_launches(meter, values, start));
    }
    return STATUS_OK;
}

static status collect_gaps(struct gap_meter *meter)
{
    struct profile *profile = meter->profile;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->spans == 0 || track->provenance == PROVENANCE_DERIVED ||
            track->role == ROLE_NONE || track->role == ROLE_WAIT)
            continue;
        meter->on_device = role_is_device(track->role);
        meter->scope = profile_process_of(profile, i);
        meter->clock = track->clock;
        STATUS_TRY(profile_replay_track(profile, i, &meter->sink));
    }
    return STATUS_OK;
}

// Adding up ------------------------------------------------------------------------------------

static bool launch_gaps_by_flow(const void *left, const void *right)
{
    const struct gap_launch *a = left;
    const struct gap_launch *b = right;
    return a->flow != b->flow ? a->flow < b->flow : a->start < b->start;
}

static bool works_by_start(const void *left, const void *right)
{
    const struct gap_work *a = left;
    const struct gap_work *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope;
    return a->start != b->start ? a->start < b->start : a->end > b->end;
}

// NULL: it is not known when it was, on the clock of the work.
static const struct gap_launch *find_launch(const struct gap_launch *launches, uint64_t count,
                                            const struct gap_work *work)
{
    const uint64_t flow = work->flow;
    uint64_t from = 0;
    uint64_t to = count;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (launches[middle].flow < flow)
            from = middle + 1;
        else
            to = middle;
    }
    const bool found = flow != 0 && from < count && launches[from].flow == flow;
    return found && launches[from].clock == work->clock ? &launches[from] : NULL;
}

static void add_gap(struct gap_meter *meter, struct launch_gaps *gaps, const struct gap_work *work,
                    uint64_t since, const struct gap_launch *launch)
{
    struct launch_gap *last = gaps->count > 0 ? &gaps->items[gaps->count - 1] : NULL;
    if (last == NULL || last->scope != work->scope || last->step != work->step) {
        gaps->items = memory_grow(gaps->items, gaps->count, &meter->capacity, sizeof *gaps->items);
        last = &gaps->items[gaps->count++];
        *last = (struct launch_gap){.scope = work->scope,
                                    .step = work->step,
                                    .lead = work->start - since,
                                    .leads_to = work->start};
    }
    const uint64_t gap = work->start - since;
    uint64_t before = 0;
    if (launch != NULL && launch->start > since)
        before = launch->start < work->start ? launch->start - since : gap;
    last->gaps++;
    last->before += before;
    last->after += launch == NULL ? 0 : gap - before;
    last->other += launch == NULL ? gap : 0;
}

static int compare_gaps(const void *left, const void *right)
{
    const struct launch_gap *a = left;
    const struct launch_gap *b = right;
    const int scope = sort_compare(a->scope, b->scope);
    return scope != 0 ? scope : sort_compare(a->step, b->step);
}

static int gaps_in_time(const void *left, const void *right)
{
    const struct launch_gap *a = left;
    const struct launch_gap *b = right;
    const int step = compare_gaps(left, right);
    return step != 0 ? step : sort_compare(a->leads_to, b->leads_to);
}

static void add_gaps_up(struct launch_gap *sum, const struct launch_gap *gap)
{
    sum->gaps += gap->gaps;
    sum->before += gap->before;
    sum->after += gap->after;
    sum->other += gap->other;
}

// Steps may come in pieces, as streams do.
static void join_gaps(struct launch_gaps *gaps)
{
    size_t kept = 0;
    sort_items(gaps->items, gaps->count, sizeof *gaps->items, gaps_in_time);
    for (size_t i = 0; i < gaps->count; i++) {
        if (kept > 0 && compare_gaps(&gaps->items[kept - 1], &gaps->items[i]) == 0)
            add_gaps_up(&gaps->items[kept - 1], &gaps->items[i]);
        else
            gaps->items[kept++] = gaps->items[i];
    }
    gaps->count = kept;
}

static status add_all_gaps(struct gap_meter *meter, struct launch_gaps *gaps)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&meter->launches, &data, &size));
    struct gap_launch *launches = (struct gap_launch *)(void *)data;
    STATUS_TRY(spool_read(&meter->works, &data, &size));
    struct gap_work *works = (struct gap_work *)(void *)data;
    sort_in_place(launches, meter->launch_count, sizeof *launches, launch_gaps_by_flow);
    sort_in_place(works, meter->work_count, sizeof *works, works_by_start);
    uint64_t reached = 0;
    for (uint64_t i = 0; i < meter->work_count; i++) {
        const struct gap_work *work = &works[i];
        const bool first = i == 0 || works[i - 1].scope != work->scope;
        if (!first && work->start > reached)
            add_gap(meter, gaps, work, reached, find_launch(launches, meter->launch_count, work));
        reached = first || work->end > reached ? work->end : reached;
    }
    join_gaps(gaps);
    return STATUS_OK;
}

status launch_gaps_measure(struct profile *profile, struct launch_gaps *out_gaps)
{
    struct gap_meter meter = {.sink = {launch_gaps_take_batch},
                              .profile = profile,
                              .launches = SPOOL_EMPTY,
                              .works = SPOOL_EMPTY};
    *out_gaps = (struct launch_gaps){0};
    status result = collect_gaps(&meter);
    if (result == STATUS_OK && meter.linked > 0 && meter.launch_count > 0)
        result = add_all_gaps(&meter, out_gaps);
    spool_free(&meter.launches);
    spool_free(&meter.works);
    if (result != STATUS_OK)
        launch_gaps_free(out_gaps);
    return result;
}

void launch_gaps_free(struct launch_gaps *gaps)
{
    free(gaps->items);
    *gaps = (struct launch_gaps){0};
}

// Asking ---------------------------------------------------------------------------------------

bool launch_gaps_of(const struct launch_gaps *gaps, uint32_t scope, struct launch_gap *out_gap)
{
    *out_gap = (struct launch_gap){.scope = scope};
    for (size_t i = 0; i < gaps->count; i++) {
        if (gaps->items[i].scope == scope)
            add_gaps_up(out_gap, &gaps->items[i]);
    }
    return out_gap->before > 0 || out_gap->after > 0;
}

bool launch_gaps_of_step(const struct launch_gaps *gaps, uint32_t scope, uint64_t step,
                         struct launch_gap *out_gap)
{
    const struct launch_gap wanted = {.scope = scope, .step = step};
    for (size_t i = 0; i < gaps->count; i++) {
        if (compare_gaps(&gaps->items[i], &wanted) == 0) {
            *out_gap = gaps->items[i];
            return true;
        }
    }
    *out_gap = wanted;
    return false;
}
