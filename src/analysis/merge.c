#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"

// A flow that two sources share, under the id it gets.
struct shared_flow {
    uint64_t id;
    uint64_t merged;
};

// Copies one source: ids of its tables to ids of the result's.
struct copier {
    struct event_sink sink;
    const struct merge *merge;
    const struct merge_source *source;
    size_t number; // which source
    struct profile *out;
    uint32_t *strings; // id + 1; 0: not there yet
    uint32_t *clocks;
    uint32_t *tracks;
    uint32_t process; // for tracks that have none: made when it is needed
    uint32_t first_operator;
    uint32_t first_call;
    uint64_t first_flow;
    struct shared_flow *flows; // ascending
    size_t flow_count;
    struct bytes values;
};

static uint32_t copy_string(struct copier *copier, uint64_t id)
{
    if (id >= copier->source->profile->strings.texts.count)
        return 0;
    uint32_t *known = &copier->strings[id];
    if (*known == 0)
        *known =
            profile_string(copier->out, profile_text(copier->source->profile, (uint32_t)id)) + 1;
    return *known - 1;
}

// Clocks ----------------------------------------------------------------------

// Without a drift the ticks stay exact: the base moves by whole periods of the clock.
static bool move_base(struct clock_domain *clock, __int128 offset)
{
    __int128 ns = clock->base_ns + offset;
    __int128 ticks = clock->base_ticks;
    if (ns < 0) {
        const __int128 periods = (-ns + clock->multiplier - 1) / clock->multiplier;
        ns += periods * clock->multiplier;
        ticks += periods * clock->divisor;
    }
    clock->base_ns = (uint64_t)ns;
    clock->base_ticks = (uint64_t)ticks;
    return ns <= INT64_MAX && ticks <= INT64_MAX;
}

static bool map_clock(struct clock_domain *clock, const struct align_map *map, int64_t shift)
{
    if (map->drift_ppb == 0)
        return move_base(clock, (__int128)map->to - map->from + shift);
    const uint64_t tick =
        map->from < clock->base_ns ? clock->base_ticks : clock_from_ns(clock, map->from);
    int64_t ns;
    if (!align_apply(map, clock_to_ns(clock, tick), &ns) ||
        __builtin_add_overflow(ns, shift, &ns) || ns < 0)
        return false;
    const struct align_map own = {.drift_ppb = clock->drift_ppb};
    struct align_map both;
    align_compose(map, &own, &both);
    clock->base_ticks = tick;
    clock->base_ns = (uint64_t)ns;
    clock->drift_ppb = both.drift_ppb;
    clock_prepare(clock);
    return true;
}

static uint32_t analysis_merge_find_clock(struct profile *out, const struct clock_domain *clock)
{
    for (uint32_t i = 0; i < out->clocks.count; i++) {
        const struct clock_domain *known = profile_clock(out, i);
        if (known->name == clock->name && known->frequency == clock->frequency &&
            known->base_ticks == clock->base_ticks && known->base_ns == clock->base_ns &&
            known->drift_ppb == clock->drift_ppb)
            return i;
    }
    *(struct clock_domain *)segments_add(&out->clocks) = *clock;
    return out->clocks.count - 1;
}

static status copy_clocks(struct copier *copier)
{
    const struct profile *from = copier->source->profile;
    for (uint32_t i = 0; i < from->clocks.count; i++) {
        struct clock_domain clock = *profile_clock(from, i);
        clock.name = copy_string(copier, clock.name);
        if (!map_clock(&clock, &copier->source->map, copier->merge->shift))
            return status_make(STATUS_UNSUPPORTED,
                               "%s: clock '%.*s' cannot be moved so far: its ticks would be "
                               "negative or too many",
                               copier->source->path,
                               VIEW_ARGUMENTS(profile_text(copier->out, clock.name)));
        copier->clocks[i] = analysis_merge_find_clock(copier->out, &clock);
    }
    return STATUS_OK;
}

// Values ----------------------------------------------------------------------

static uint64_t copy_flow(const struct copier *copier, uint64_t id)
{
    size_t from = 0;
    size_t to = copier->flow_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (copier->flows[middle].id == id)
            return copier->flows[middle].merged;
        if (copier->flows[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return id + copier->first_flow;
}

// Valid until the next call.
static struct view copy_values(struct copier *copier, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    copier->values.size = 0;
    while (values.size > 0 && value_next(&reader, &value)) {
        value.key = copy_string(copier, value.key);
        if (value.kind == VALUE_STRING)
            value.number = copy_string(copier, value.number);
        else if (value.kind == VALUE_FLOW_OUT || value.kind == VALUE_FLOW_IN)
            value.number = copy_flow(copier, value.number);
        else if (value.kind == VALUE_TICKS && value.clock < copier->source->profile->clocks.count)
            value.clock = copier->clocks[value.clock];
        value_add(&copier->values, &value);
    }
    return bytes_view(&copier->values);
}

// Tracks ----------------------------------------------------------------------

static uint32_t count_processes(const struct profile *profile)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        count += track->parent == 0 && track->kind == TRACK_PROCESS;
    }
    return count;
}

static int32_t analysis_merge_rank_of(const struct copier *copier, int32_t rank)
{
    const int32_t most = INT16_MAX;
    rank = rank > most ? most : rank < -most ? -most : rank;
    return (int32_t)(copier->number % INT16_MAX) * (2 * (most + 1)) + rank;
}

static uint32_t own_process(struct copier *copier)
{
    if (copier->process == 0) {
        const struct track process = {
            .kind = TRACK_PROCESS,
            .name = profile_string(copier->out, view_of(copier->source->name)),
            .rank = analysis_merge_rank_of(copier, 0)};
        copier->process = profile_track_add(copier->out, &process);
    }
    return copier->process;
}

// One process takes the source's name; of several, each keeps its own after it.
static void analysis_merge_name_process(struct copier *copier, struct track *track,
                                        uint32_t processes)
{
    char name[1024];
    const struct view own = profile_text(copier->source->profile, track->name);
    if (processes == 1)
        snprintf(name, sizeof name, "%s", copier->source->name);
    else
        snprintf(name, sizeof name, "%s: %.*s", copier->source->name, VIEW_ARGUMENTS(own));
    track->name = profile_string(copier->out, view_of(name));
    track->rank = analysis_merge_rank_of(copier, track->rank);
}

static void analysis_merge_copy_tracks(struct copier *copier)
{
    const struct profile *from = copier->source->profile;
    const uint32_t processes = count_processes(from);
    for (uint32_t i = 1; i < from->tracks.count; i++) {
        struct track track = *profile_track(from, i);
        if (track.parent == 0 && track.kind == TRACK_PROCESS) {
            analysis_merge_name_process(copier, &track, processes);
        } else {
            track.parent = track.parent == 0 ? own_process(copier) : copier->tracks[track.parent];
            track.name = copy_string(copier, track.name);
        }
        track.clock = copier->clocks[track.clock];
        track.engine = copy_string(copier, track.engine);
        track.queue = copy_string(copier, track.queue);
        track.unit = copy_string(copier, track.unit);
        track.values = copy_values(copier, track.values);
        track.ledger.recorded = 0; // counted again as events come
        copier->tracks[i] = profile_track_add(copier->out, &track);
    }
    const struct track *root = profile_track(from, 0);
    if (root->spans + root->instants + root->samples > 0)
        copier->tracks[0] = own_process(copier);
}

static void copy_tables(struct copier *copier)
{
    const struct profile *from = copier->source->profile;
    struct profile *out = copier->out;
    copier->first_operator = out->operators.count - 1;
    copier->first_call = out->calls.count - 1;
    for (uint32_t i = 1; i < from->operators.count; i++) {
        struct operator_description op = *profile_operator(from, i);
        op.name = copy_string(copier, op.name);
        op.type = copy_string(copier, op.type);
        op.location = copy_string(copier, op.location);
        op.values = copy_values(copier, op.values);
        profile_operator_add(out, &op);
    }
    for (uint32_t i = 1; i < from->calls.count; i++) {
        struct call call = *profile_call(from, i);
        call.operator_id += call.operator_id == 0 ? 0 : copier->first_operator;
        call.parent += call.parent == 0 ? 0 : copier->first_call;
        call.domain = copy_string(copier, call.domain);
        call.values = copy_values(copier, call.values);
        profile_call_add(out, &call);
    }
    for (uint32_t i = 0; i < from->buffers.count; i++) {
        struct buffer_lifetime buffer = *(struct buffer_lifetime *)segments_get(&from->buffers, i);
        buffer.memory = copy_string(copier, buffer.memory);
        buffer.name = copy_string(copier, buffer.name);
        buffer.owner += buffer.owner == 0 ? 0 : copier->first_operator;
        buffer.clock = copier->clocks[buffer.clock];
        profile_buffer_add(out, &buffer);
    }
}

// Events ----------------------------------------------------------------------

static status analysis_merge_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct copier *copier = (struct copier *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        struct event event = batch->events[i];
        const struct view values = copy_values(copier, event_values(batch, &event));
        event.track = copier->tracks[event.track];
        event.name = copy_string(copier, event.name);
        event.call += event.call == 0 ? 0 : copier->first_call;
        profile_event_add(copier->out, &event, values);
    }
    return STATUS_OK;
}

// The account -----------------------------------------------------------------

// What belongs to no track of the source belongs to none of the result.
static void copy_ledger(struct copier *copier)
{
    const struct profile *from = copier->source->profile;
    struct ledger *root = &profile_track(copier->out, 0)->ledger;
    struct ledger ledger = profile_track(from, 0)->ledger;
    ledger.recorded = copier->tracks[0] == 0 ? ledger.recorded : 0;
    *root = ledger_sum(*root, ledger);
    for (unsigned kind = 0; kind < LEDGER_KINDS; kind++)
        copier->out->note_counts[kind] += from->note_counts[kind];
    for (uint32_t i = 0; i < from->notes.count; i++) {
        const struct ledger_note *note = segments_get(&from->notes, i);
        char text[1024];
        snprintf(text, sizeof text, "%s: %.*s", copier->source->name,
                 VIEW_ARGUMENTS(profile_text(from, note->text)));
        const struct ledger_note copied = {note->kind, profile_string(copier->out, view_of(text)),
                                           note->count};
        *(struct ledger_note *)segments_add(&copier->out->notes) = copied;
    }
}

// "merge.NAME.key"
static void analysis_merge_add_fact(struct copier *copier, struct view key, struct view text)
{
    struct bytes name = {0};
    bytes_append_format(&name, "merge.%s.", copier->source->name);
    bytes_append(&name, key.data, key.size);
    const struct profile_fact fact = {profile_string(copier->out, bytes_view(&name)),
                                      profile_string(copier->out, text)};
    *(struct profile_fact *)segments_add(&copier->out->facts) = fact;
    bytes_free(&name);
}

static void analysis_merge_add_number(struct copier *copier, const char *key, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    analysis_merge_add_fact(copier, view_of(key), view_of(text));
}

static void copy_facts(struct copier *copier)
{
    const struct merge_source *source = copier->source;
    const struct profile *from = source->profile;
    analysis_merge_add_fact(copier, VIEW_LITERAL("placed_by"),
                            view_of(merge_method_name(source->method)));
    if (source->reference != copier->number)
        analysis_merge_add_fact(copier, VIEW_LITERAL("placed_on"),
                                view_of(copier->merge->sources[source->reference].name));
    analysis_merge_add_number(copier, "offset_ns", merge_offset_of(source));
    analysis_merge_add_number(copier, "drift_ppb", source->map.drift_ppb);
    if (source->has_error)
        analysis_merge_add_number(copier, "error_ns", (int64_t)source->error_ns);
    else
        analysis_merge_add_fact(copier, VIEW_LITERAL("error_ns"), VIEW_LITERAL("unknown"));
    for (uint32_t i = 0; i < from->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&from->facts, i);
        analysis_merge_add_fact(copier, profile_text(from, fact->key),
                                profile_text(from, fact->text));
    }
}

// Flows -----------------------------------------------------------------------

static int compare_flows(const void *left, const void *right)
{
    const struct shared_flow *a = left;
    const struct shared_flow *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

// A flow between two sources gets the id that it has in the earlier one.
static void share_flows(struct copier *copiers, size_t number)
{
    struct copier *copier = &copiers[number];
    size_t capacity = 0;
    for (size_t k = 0; k < number; k++) {
        size_t count;
        uint64_t *ids =
            anchors_shared_flows(copiers[k].source->index, copier->source->index, &count);
        for (size_t i = 0; i < count; i++) {
            copier->flows =
                memory_grow(copier->flows, copier->flow_count, &capacity, sizeof *copier->flows);
            copier->flows[copier->flow_count++] =
                (struct shared_flow){ids[i], copy_flow(&copiers[k], ids[i])};
        }
        free(ids);
    }
    if (copier->flow_count > 0)
        sort_items(copier->flows, copier->flow_count, sizeof *copier->flows, compare_flows);
}

// Equal ids of different sources are different flows: each source gets a range of
// its own. Where ids are so large that there is no room, ranges wrap around and
// meet only by chance.
static uint64_t next_flows(uint64_t first, const struct copier *copier)
{
    return first + anchor_index_last_flow(copier->source->index) + 1;
}

// -----------------------------------------------------------------------------

static status copy_source(struct copier *copier)
{
    const struct profile *from = copier->source->profile;
    copier->strings = memory_allocate_zeroed(from->strings.texts.count, sizeof *copier->strings);
    copier->clocks = memory_allocate_zeroed(from->clocks.count, sizeof *copier->clocks);
    copier->tracks = memory_allocate_zeroed(from->tracks.count, sizeof *copier->tracks);
    STATUS_TRY(copy_clocks(copier));
    copy_tables(copier);
    analysis_merge_copy_tracks(copier);
    copy_facts(copier);
    STATUS_TRY(profile_replay(copier->source->profile, &copier->sink));
    copy_ledger(copier);
    return STATUS_OK;
}

static void copier_free(struct copier *copier)
{
    free(copier->strings);
    free(copier->clocks);
    free(copier->tracks);
    free(copier->flows);
    bytes_free(&copier->values);
}

// The form that all sources have, so that a writer can choose by it.
static struct view common_format(const struct merge *merge)
{
    const struct view first = profile_fact(merge->sources[0].profile, "format");
    for (size_t i = 1; i < merge->count; i++) {
        if (!view_equal(first, profile_fact(merge->sources[i].profile, "format")))
            return VIEW_LITERAL("merged");
    }
    return first.size > 0 ? first : VIEW_LITERAL("merged");
}

// The clock that all of them used, if their times are still its times.
static struct view common_clock(const struct merge *merge)
{
    const struct view clock = profile_fact(merge->sources[0].profile, "clock");
    bool same = merge->shift == 0;
    for (size_t i = 0; i < merge->count; i++) {
        const struct merge_source *source = &merge->sources[i];
        same = same && view_equal(clock, profile_fact(source->profile, "clock")) &&
               (source->method == MERGE_REFERENCE || source->method == MERGE_CLOCK);
    }
    return same ? clock : VIEW_LITERAL("");
}

status merge_fill(struct merge *merge, struct profile *out)
{
    char number[32];
    struct copier *copiers = memory_allocate_zeroed(merge->count, sizeof *copiers);
    status result = STATUS_OK;
    uint64_t first_flow = 0;
    profile_fact_add(out, "format", common_format(merge));
    if (common_clock(merge).size > 0)
        profile_fact_add(out, "clock", common_clock(merge));
    snprintf(number, sizeof number, "%" PRId64, merge->shift);
    profile_fact_add(out, "merge.shift_ns", view_of(number));
    for (size_t i = 0; i < merge->count && result == STATUS_OK; i++) {
        copiers[i] = (struct copier){.sink = {analysis_merge_take_batch},
                                     .merge = merge,
                                     .source = &merge->sources[i],
                                     .number = i,
                                     .out = out,
                                     .first_flow = first_flow};
        first_flow = next_flows(first_flow, &copiers[i]);
        share_flows(copiers, i);
        result = copy_source(&copiers[i]);
    }
    for (size_t i = 0; i < merge->count; i++)
        copier_free(&copiers[i]);
    free(copiers);
    return status_first(result, profile_finish(out));
}

bool merge_anchors_have_labels(const struct merge_source *source)
{
    return source->method == MERGE_NAMES || source->method == MERGE_PAIRS;
}

struct view merge_anchor_label(const struct merge *merge, const struct merge_source *source,
                               const struct align_anchor *anchor)
{
    if (source->method == MERGE_NAMES)
        return profile_text(source->profile, (uint32_t)anchor->label);
    const struct merge_pair *pair = &merge->pairs[anchor->label];
    return &merge->sources[pair->source_a] == source ? pair->event_a : pair->event_b;
}
