// How each profile is placed: by what the caller says, by what it shares with
// one that is placed already, or at the start.

#include <stdlib.h>

#include "base/memory.h"
#include "merge.h"

const char *merge_method_name(enum merge_method method)
{
    static const char *const NAMES[] = {
        "reference",    "given offset",  "given events",    "same clock", "shared flows",
        "shared names", "one-way flows", "correlation ids", "its start",  "empty",
    };
    return NAMES[method];
}

static bool merge_place_range_of(const struct merge_source *source, uint64_t *out_first,
                                 uint64_t *out_last)
{
    return anchor_index_range(source->index, out_first, out_last);
}

static status merge_place_check_range(const struct merge_source *source)
{
    uint64_t first;
    uint64_t last;
    if (merge_place_range_of(source, &first, &last) && last > INT64_MAX)
        return status_make(STATUS_DATA, "%s: its times reach beyond 2^63 ns, about 292 years",
                           source->path);
    return STATUS_OK;
}

static status too_far(const struct merge_source *source)
{
    return status_make(STATUS_USAGE, "merge: %s is placed beyond 2^63 ns: its offset is too large",
                       source->name);
}

// Fitting ---------------------------------------------------------------------

// One-way trips take time: the fastest one counts as none, so that nothing arrives before it
// left.
static void respect_causes(struct merge_source *source)
{
    const bool leaves = source->anchors[0].leaves;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < source->anchor_count; i++) {
        const struct align_anchor *anchor = &source->anchors[i];
        int64_t mapped;
        if (!anchor->used || anchor->leaves != leaves ||
            !align_apply(&source->map, anchor->from_start, &mapped))
            continue;
        const int64_t apart = mapped - (int64_t)anchor->to_start;
        const int64_t latency = leaves ? -apart : apart;
        least = latency < least ? latency : least;
    }
    if (least == INT64_MAX)
        return;
    source->map.to += leaves ? least : -least;
    source->error_ns += (uint64_t)(least < 0 ? -least : least);
}

// The caller knows better; where the anchors say otherwise, the error says so.
static void take_given_drift(struct merge_source *source, uint64_t first, uint64_t last)
{
    const uint64_t pivot = source->map.from;
    const uint64_t before = pivot > first ? pivot - first : first - pivot;
    const uint64_t after = last > pivot ? last - pivot : pivot - last;
    const int64_t differs = source->drift_ppb - source->map.drift_ppb;
    const unsigned __int128 more = (unsigned __int128)(before > after ? before : after) *
                                   (uint64_t)(differs < 0 ? -differs : differs) / 1000000000;
    source->error_ns += (uint64_t)more;
    source->map.drift_ppb = source->drift_ppb;
    source->fitted_drift = false;
}

static status merge_place_fit(struct merge *merge, struct merge_source *source, size_t reference,
                              enum merge_method method)
{
    struct merge_source *placed = &merge->sources[reference];
    struct align_fit fitted;
    struct align_request request = {.anchors = source->anchors,
                                    .count = source->anchor_count,
                                    .any_drift = method == MERGE_PAIRS};
    merge_place_range_of(source, &request.first, &request.last);
    request.resolution =
        anchor_index_resolution(source->index) + anchor_index_resolution(placed->index) + 2;
    align_fit(&request, &fitted);
    source->method = method;
    source->reference = reference;
    source->used = fitted.used;
    source->fitted_drift = fitted.has_drift;
    source->refused_drift = fitted.refused_drift;
    source->error_ns = fitted.error_ns;
    source->map = fitted.map;
    if (source->has_drift)
        take_given_drift(source, request.first, request.last);
    if (method == MERGE_FLOWS_ONE_WAY)
        respect_causes(source);
    // What it was placed by may be misplaced itself.
    source->has_error = reference == 0 || placed->has_error;
    source->error_ns += reference == 0 ? 0 : placed->error_ns;
    source->placed = true;
    return align_compose(&placed->map, &source->map, &source->map) ? STATUS_OK : too_far(source);
}

// What the caller says --------------------------------------------------------

static status place_by_offset(struct merge_source *source)
{
    uint64_t first;
    uint64_t last;
    merge_place_range_of(source, &first, &last);
    source->map = (struct align_map){.from = first, .drift_ppb = source->drift_ppb};
    if (__builtin_add_overflow((int64_t)first, source->offset_ns, &source->map.to))
        return too_far(source);
    source->method = MERGE_OFFSET;
    source->placed = true;
    return STATUS_OK;
}

static status merge_place_read_pair(struct merge *merge, const struct merge_pair *pair,
                                    bool forward, struct align_anchor *out_anchor)
{
    const struct merge_source *from = &merge->sources[forward ? pair->source_b : pair->source_a];
    const struct merge_source *to = &merge->sources[forward ? pair->source_a : pair->source_b];
    STATUS_TRY(anchors_event(from->profile, from->name, forward ? pair->event_b : pair->event_a,
                             &out_anchor->from_start, &out_anchor->from_end));
    return anchors_event(to->profile, to->name, forward ? pair->event_a : pair->event_b,
                         &out_anchor->to_start, &out_anchor->to_end);
}

// The pairs that join `index` with `reference`.
static status place_by_pairs(struct merge *merge, size_t index, size_t reference)
{
    struct merge_source *source = &merge->sources[index];
    size_t capacity = 0;
    for (size_t i = 0; i < merge->pair_count; i++) {
        const struct merge_pair *pair = &merge->pairs[i];
        const bool forward = pair->source_a == reference && pair->source_b == index;
        if (!forward && !(pair->source_b == reference && pair->source_a == index))
            continue;
        source->anchors =
            memory_grow(source->anchors, source->anchor_count, &capacity, sizeof *source->anchors);
        struct align_anchor *anchor = &source->anchors[source->anchor_count];
        *anchor = (struct align_anchor){.label = i};
        STATUS_TRY(merge_place_read_pair(merge, pair, forward, anchor));
        source->anchor_count++;
    }
    source->found = source->anchor_count;
    if (source->anchor_count == 0)
        return STATUS_OK;
    return merge_place_fit(merge, source, reference, MERGE_PAIRS);
}

// What the profiles say -------------------------------------------------------

static bool same_clock(const struct merge_source *a, const struct merge_source *b)
{
    const struct view clock = profile_fact(a->profile, "clock");
    return clock.size > 0 && view_equal(clock, profile_fact(b->profile, "clock"));
}

// What a profile says of its clock's error; 0 when it says nothing.
static uint64_t clock_error(const struct merge_source *source)
{
    uint64_t error = 0;
    view_to_u64(profile_fact(source->profile, "clock_error_ns"), &error);
    return error;
}

// The time of day of two machines is the same by agreement only.
static bool is_set_by_people(const struct merge_source *source)
{
    return view_is(profile_fact(source->profile, "clock"), "CLOCK_REALTIME");
}

static void place_by_clock(struct merge *merge, struct merge_source *source, size_t reference)
{
    const struct merge_source *placed = &merge->sources[reference];
    source->map = placed->map;
    source->method = MERGE_CLOCK;
    source->reference = reference;
    source->has_error = !is_set_by_people(source) && (reference == 0 || placed->has_error);
    source->error_ns = placed->error_ns + clock_error(source) + clock_error(placed);
    source->placed = true;
}

static status place_by_anchors(struct merge *merge, struct merge_source *source, size_t reference,
                               enum anchor_kind kind)
{
    static const enum merge_method METHODS[] = {MERGE_NAMES, MERGE_FLOWS, MERGE_FLOWS_ONE_WAY,
                                                MERGE_CORRELATIONS};
    source->anchors = anchors_find(source->index, merge->sources[reference].index, kind,
                                   &source->anchor_count, &source->found);
    return source->anchor_count == 0 ? STATUS_OK
                                     : merge_place_fit(merge, source, reference, METHODS[kind]);
}

static status place_by_what_is_shared(struct merge *merge, struct merge_source *source,
                                      size_t reference)
{
    static const enum anchor_kind ORDER[] = {ANCHOR_FLOWS, ANCHOR_NAMES, ANCHOR_FLOWS_ONE_WAY,
                                             ANCHOR_CORRELATIONS};
    if (!source->has_drift && same_clock(source, &merge->sources[reference])) {
        place_by_clock(merge, source, reference);
        return STATUS_OK;
    }
    for (size_t i = 0; i < ANCHOR_KINDS && !source->placed; i++)
        STATUS_TRY(place_by_anchors(merge, source, reference, ORDER[i]));
    return STATUS_OK;
}

static status place_at_start(struct merge *merge, struct merge_source *source)
{
    uint64_t first;
    uint64_t last;
    uint64_t start;
    source->method = merge_place_range_of(source, &first, &last) ? MERGE_START : MERGE_EMPTY;
    source->map = (struct align_map){.from = first, .drift_ppb = source->drift_ppb};
    if (!merge_place_range_of(&merge->sources[0], &start, &last))
        start = first; // nothing starts there: its times stay
    source->placed = true;
    return align_apply(&merge->sources[0].map, start, &source->map.to) ? STATUS_OK
                                                                       : too_far(source);
}

// -----------------------------------------------------------------------------

static bool merge_place_has_events(const struct merge_source *source)
{
    uint64_t first;
    uint64_t last;
    return merge_place_range_of(source, &first, &last);
}

// Those that are placed, in the order in which they were.
struct placing {
    struct merge *merge;
    size_t *placed;
    size_t count;
};

static status try_pairs(struct placing *placing, size_t index)
{
    const struct merge_source *source = &placing->merge->sources[index];
    for (size_t i = 0; i < placing->count && !source->placed; i++)
        STATUS_TRY(place_by_pairs(placing->merge, index, placing->placed[i]));
    return STATUS_OK;
}

static status try_what_is_shared(struct placing *placing, size_t index)
{
    struct merge *merge = placing->merge;
    struct merge_source *source = &merge->sources[index];
    for (; source->tried < placing->count && !source->placed; source->tried++) {
        const size_t reference = placing->placed[source->tried];
        if (merge_place_has_events(source) && merge_place_has_events(&merge->sources[reference]))
            STATUS_TRY(place_by_what_is_shared(merge, source, reference));
    }
    return STATUS_OK;
}

static status try_start(struct placing *placing, size_t index)
{
    return place_at_start(placing->merge, &placing->merge->sources[index]);
}

// Places one more, the first that can be placed in this way.
static status place_next(struct placing *placing, status (*try_way)(struct placing *, size_t),
                         bool *out_found)
{
    struct merge *merge = placing->merge;
    for (size_t i = 0; i < merge->count; i++) {
        const struct merge_source *source = &merge->sources[i];
        if (source->placed)
            continue;
        STATUS_TRY(try_way(placing, i));
        if (source->placed) {
            placing->placed[placing->count++] = i;
            *out_found = true;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

// Whatever is placed may be what another is waiting for: what the caller said comes first again,
// the start of the reference only where nothing else is left.
static status place_the_rest(struct merge *merge)
{
    static status (*const WAYS[])(struct placing *, size_t) = {try_pairs, try_what_is_shared,
                                                               try_start};
    struct placing placing = {.merge = merge};
    placing.placed = memory_allocate_zeroed(merge->count, sizeof *placing.placed);
    for (size_t i = 0; i < merge->count; i++) {
        if (merge->sources[i].placed)
            placing.placed[placing.count++] = i;
    }
    status result = STATUS_OK;
    while (result == STATUS_OK && placing.count < merge->count) {
        bool found = false;
        for (size_t way = 0; way < 3 && !found && result == STATUS_OK; way++)
            result = place_next(&placing, WAYS[way], &found);
    }
    free(placing.placed);
    return result;
}

// No time may be negative, and none beyond what a trace can hold.
static status find_shift(struct merge *merge)
{
    int64_t earliest = 0;
    for (size_t i = 0; i < merge->count; i++) {
        uint64_t first;
        uint64_t last;
        int64_t at;
        if (!merge_place_range_of(&merge->sources[i], &first, &last))
            continue;
        if (!align_apply(&merge->sources[i].map, first, &at))
            return too_far(&merge->sources[i]);
        earliest = at < earliest ? at : earliest;
    }
    if (__builtin_sub_overflow((int64_t)0, earliest, &merge->shift))
        return too_far(&merge->sources[0]);
    for (size_t i = 0; i < merge->count; i++) {
        uint64_t first;
        uint64_t last;
        int64_t at;
        merge_place_range_of(&merge->sources[i], &first, &last);
        if (!align_apply(&merge->sources[i].map, last, &at) ||
            __builtin_add_overflow(at, merge->shift, &at))
            return too_far(&merge->sources[i]);
    }
    return STATUS_OK;
}

static status place_the_reference(struct merge *merge)
{
    struct merge_source *reference = &merge->sources[0];
    if (reference->has_offset || reference->has_drift)
        return place_by_offset(reference);
    reference->method = MERGE_REFERENCE;
    reference->placed = true;
    reference->has_error = true;
    return STATUS_OK;
}

status merge_place(struct merge *merge)
{
    for (size_t i = 0; i < merge->count; i++) {
        struct merge_source *source = &merge->sources[i];
        STATUS_TRY(anchor_index_create(source->profile, &source->index));
        STATUS_TRY(merge_place_check_range(source));
    }
    STATUS_TRY(place_the_reference(merge));
    for (size_t i = 1; i < merge->count; i++) {
        if (merge->sources[i].has_offset)
            STATUS_TRY(place_by_offset(&merge->sources[i]));
    }
    STATUS_TRY(place_the_rest(merge));
    return find_shift(merge);
}

int64_t merge_offset_of(const struct merge_source *source)
{
    uint64_t first;
    uint64_t last;
    int64_t at = 0;
    if (!merge_place_range_of(source, &first, &last))
        return 0;
    align_apply(&source->map, first, &at);
    return at - (int64_t)first;
}

void merge_source_free(struct merge_source *source)
{
    free(source->name);
    free(source->anchors);
    anchor_index_free(source->index);
    profile_free(source->profile);
}
