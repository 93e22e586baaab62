#include "anchors.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

// The first event of a name.
struct named {
    uint64_t start; // ns
    uint64_t end;
    uint32_t count;
    enum event_kind kind;
};

enum link_kind { LINK_OUT, LINK_IN, LINK_CORRELATION };

// One end of a flow, or a correlation id.
struct link {
    uint64_t id;
    uint64_t start; // of its event, ns
    uint64_t end;
    enum link_kind kind;
};

struct anchor_index {
    struct event_sink sink;
    struct profile *profile;
    struct named *names; // by text id
    size_t name_count;
    struct spool spool;
    struct link *links; // by kind and id, those that occur once
    size_t link_count;
    uint32_t correlation_keys[3];
    bool any;
    uint64_t first;
    uint64_t last;
    uint64_t resolution;
    uint64_t last_flow;
};

// Collecting --------------------------------------------------------------------

static void anchors_count_name(struct anchor_index *index, const struct event *event,
                               uint64_t start, uint64_t end)
{
    index->names =
        memory_extend(index->names, &index->name_count, event->name, sizeof *index->names);
    struct named *named = &index->names[event->name];
    if (named->count == 0)
        *named = (struct named){start, end, 1, event->kind};
    else
        named->count = 2;
}

static bool is_correlation(const struct anchor_index *index, const struct value *value)
{
    if (value->kind != VALUE_UINT && value->kind != VALUE_INT)
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (value->key == index->correlation_keys[i])
            return value->number != 0;
    }
    return false;
}

static status keep_links(struct anchor_index *index, struct view values, uint64_t start,
                         uint64_t end)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        struct link link = {value.number, start, end, LINK_CORRELATION};
        if (value.kind == VALUE_FLOW_OUT || value.kind == VALUE_FLOW_IN) {
            link.kind = value.kind == VALUE_FLOW_OUT ? LINK_OUT : LINK_IN;
            index->last_flow = value.number > index->last_flow ? value.number : index->last_flow;
        } else if (!is_correlation(index, &value)) {
            continue;
        }
        STATUS_TRY(spool_append(&index->spool, &link, sizeof link));
    }
    return STATUS_OK;
}

static status anchors_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct anchor_index *index = (struct anchor_index *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(index->profile, event->track);
        const struct clock_domain *clock = profile_clock(index->profile, track->clock);
        const uint64_t start = clock_to_ns(clock, event->start);
        const uint64_t end = clock_to_ns(clock, event->end);
        if (event->kind != EVENT_COUNTER && event->name != 0)
            anchors_count_name(index, event, start, end);
        STATUS_TRY(keep_links(index, event_values(batch, event), start, end));
    }
    return STATUS_OK;
}

static void measure_track(struct anchor_index *index, const struct track *track)
{
    const struct clock_domain *clock = profile_clock(index->profile, track->clock);
    if (track->spans + track->instants + track->samples == 0)
        return;
    const uint64_t first = clock_to_ns(clock, track->first);
    const uint64_t last = clock_to_ns(clock, track->last);
    const uint64_t tick = (clock->multiplier + clock->divisor - 1) / clock->divisor;
    index->first = !index->any || first < index->first ? first : index->first;
    index->last = !index->any || last > index->last ? last : index->last;
    index->resolution = tick > index->resolution ? tick : index->resolution;
    index->any = true;
}

static bool anchors_comes_before(const void *left, const void *right)
{
    const struct link *a = left;
    const struct link *b = right;
    const bool a_correlates = a->kind == LINK_CORRELATION;
    const bool b_correlates = b->kind == LINK_CORRELATION;
    if (a_correlates != b_correlates)
        return b_correlates;
    if (a->id != b->id)
        return a->id < b->id;
    return a->start != b->start ? a->start < b->start : a->kind < b->kind;
}

// A flow with both ends here, or with several, leads to no other profile.
static status keep_single(struct anchor_index *index)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&index->spool, &data, &size));
    struct link *links = (struct link *)(void *)data;
    const size_t count = size / sizeof *links;
    sort_in_place(links, count, sizeof *links, anchors_comes_before);
    for (size_t i = 0; i < count;) {
        size_t same = i + 1;
        while (same < count && links[same].id == links[i].id &&
               (links[same].kind == LINK_CORRELATION) == (links[i].kind == LINK_CORRELATION))
            same++;
        if (same == i + 1)
            links[index->link_count++] = links[i];
        i = same;
    }
    index->links = links;
    return STATUS_OK;
}

status anchor_index_create(struct profile *profile, struct anchor_index **out_index)
{
    static const char *const KEYS[] = {"correlation", "correlation_id", "Correlation ID"};
    struct anchor_index *index = memory_allocate_zeroed(1, sizeof *index);
    index->sink.take = anchors_take_batch;
    index->profile = profile;
    index->spool = SPOOL_EMPTY;
    for (size_t i = 0; i < 3; i++)
        index->correlation_keys[i] = strings_find(&profile->strings, view_of(KEYS[i]));
    status result = STATUS_OK;
    for (uint32_t i = 0; i < profile->tracks.count && result == STATUS_OK; i++) {
        measure_track(index, profile_track(profile, i));
        if (profile_track(profile, i)->provenance != PROVENANCE_DERIVED)
            result = profile_replay_track(profile, i, &index->sink);
    }
    if (result == STATUS_OK)
        result = keep_single(index);
    if (result != STATUS_OK) {
        anchor_index_free(index);
        return result;
    }
    *out_index = index;
    return STATUS_OK;
}

void anchor_index_free(struct anchor_index *index)
{
    if (index == NULL)
        return;
    spool_free(&index->spool);
    free(index->names);
    free(index);
}

bool anchor_index_range(const struct anchor_index *index, uint64_t *out_first, uint64_t *out_last)
{
    *out_first = index->first;
    *out_last = index->last;
    return index->any;
}

uint64_t anchor_index_resolution(const struct anchor_index *index)
{
    return index->resolution;
}

uint64_t anchor_index_last_flow(const struct anchor_index *index)
{
    return index->last_flow;
}

// Finding -------------------------------------------------------------------------

struct anchor_list {
    struct align_anchor *items;
    size_t count;
    size_t capacity;
    size_t found;
    size_t every; // how many of those found make one
};

static void add_anchor(struct anchor_list *list, const struct align_anchor *anchor)
{
    if (list->found++ % list->every != 0)
        return;
    if (list->count == ANCHORS_MOST) {
        for (size_t i = 1; i < ANCHORS_MOST / 2; i++)
            list->items[i] = list->items[2 * i];
        list->count = ANCHORS_MOST / 2;
        list->every *= 2;
    }
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *anchor;
}

static void find_names(const struct anchor_index *from, const struct anchor_index *to,
                       struct anchor_list *list)
{
    for (uint32_t id = 1; id < from->name_count; id++) {
        const struct named *here = &from->names[id];
        if (here->count != 1)
            continue;
        const uint32_t other = strings_find(&to->profile->strings, profile_text(from->profile, id));
        if (other == HASH_NONE || other >= to->name_count || to->names[other].count != 1 ||
            to->names[other].kind != here->kind)
            continue;
        add_anchor(list, &(struct align_anchor){.from_start = here->start,
                                                .from_end = here->end,
                                                .to_start = to->names[other].start,
                                                .to_end = to->names[other].end,
                                                .label = id});
    }
}

// Whether two links with the same id are the two ends of one thing.
static bool belong(const struct link *a, const struct link *b)
{
    if (a->kind == LINK_CORRELATION || b->kind == LINK_CORRELATION)
        return a->kind == b->kind;
    return a->kind != b->kind;
}

// Goes over the ids that both have, in the order of both lists.
static bool next_common(const struct anchor_index *a, const struct anchor_index *b, size_t *i,
                        size_t *k)
{
    while (*i < a->link_count && *k < b->link_count) {
        const struct link *x = &a->links[*i];
        const struct link *y = &b->links[*k];
        const bool x_correlates = x->kind == LINK_CORRELATION;
        const bool y_correlates = y->kind == LINK_CORRELATION;
        if (x_correlates == y_correlates && x->id == y->id)
            return true;
        const bool x_first = x_correlates != y_correlates ? y_correlates : x->id < y->id;
        *(x_first ? i : k) += 1;
    }
    return false;
}

// An event can be no earlier than what it follows from: a way there and a way
// back leave the offset between two limits.
static struct align_anchor anchors_between(const struct link *from_out, const struct link *to_in,
                                           const struct link *to_out, const struct link *from_in)
{
    const uint64_t from_start = from_out->start < from_in->start ? from_out->start : from_in->start;
    const uint64_t from_end = from_out->start < from_in->start ? from_in->end : from_out->end;
    const uint64_t to_start = to_in->start < to_out->start ? to_in->start : to_out->start;
    const uint64_t to_end = to_in->start < to_out->start ? to_out->end : to_in->end;
    return (struct align_anchor){.from_start = from_start,
                                 .from_end = from_end > from_start ? from_end : from_start,
                                 .to_start = to_start,
                                 .to_end = to_end > to_start ? to_end : to_start,
                                 .label = from_out->id};
}

// Request and answer: a flow there, and the next one back.
static void find_round_trips(const struct anchor_index *from, const struct anchor_index *to,
                             struct anchor_list *list)
{
    const struct link *there = NULL;
    const struct link *arrived = NULL;
    for (size_t i = 0, k = 0; next_common(from, to, &i, &k); i++, k++) {
        const struct link *x = &from->links[i];
        const struct link *y = &to->links[k];
        if (!belong(x, y) || x->kind == LINK_CORRELATION)
            continue;
        if (there != NULL && there->kind != x->kind) {
            const struct link *from_out = x->kind == LINK_OUT ? x : there;
            const struct link *from_in = x->kind == LINK_OUT ? there : x;
            const struct link *to_in = y->kind == LINK_IN ? y : arrived;
            const struct link *to_out = y->kind == LINK_IN ? arrived : y;
            const struct align_anchor anchor = anchors_between(from_out, to_in, to_out, from_in);
            add_anchor(list, &anchor);
            there = NULL;
            continue;
        }
        there = x;
        arrived = y;
    }
}

static void find_starts(const struct anchor_index *from, const struct anchor_index *to,
                        bool correlations, struct anchor_list *list)
{
    for (size_t i = 0, k = 0; next_common(from, to, &i, &k); i++, k++) {
        const struct link *x = &from->links[i];
        const struct link *y = &to->links[k];
        if (belong(x, y) && (x->kind == LINK_CORRELATION) == correlations)
            add_anchor(list, &(struct align_anchor){.from_start = x->start,
                                                    .from_end = x->start,
                                                    .to_start = y->start,
                                                    .to_end = y->start,
                                                    .label = x->id,
                                                    .leaves = x->kind == LINK_OUT});
    }
}

struct align_anchor *anchors_find(const struct anchor_index *from, const struct anchor_index *to,
                                  enum anchor_kind kind, size_t *out_count, size_t *out_found)
{
    struct anchor_list list = {.every = 1};
    if (kind == ANCHOR_NAMES)
        find_names(from, to, &list);
    else if (kind == ANCHOR_FLOWS)
        find_round_trips(from, to, &list);
    else
        find_starts(from, to, kind == ANCHOR_CORRELATIONS, &list);
    *out_count = list.count;
    *out_found = list.found;
    return list.items;
}

uint64_t *anchors_shared_flows(const struct anchor_index *a, const struct anchor_index *b,
                               size_t *out_count)
{
    uint64_t *ids = NULL;
    size_t capacity = 0;
    *out_count = 0;
    for (size_t i = 0, k = 0; next_common(a, b, &i, &k); i++, k++) {
        if (a->links[i].kind == LINK_CORRELATION || !belong(&a->links[i], &b->links[k]))
            continue;
        ids = memory_grow(ids, *out_count, &capacity, sizeof *ids);
        ids[(*out_count)++] = a->links[i].id;
    }
    return ids;
}

// A named event -------------------------------------------------------------------

struct occurrence {
    uint64_t start;
    uint64_t end;
};

struct event_finder {
    struct event_sink sink;
    const struct profile *profile;
    uint32_t name;
    struct spool found;
};

static status take_named(struct event_sink *sink, const struct event_batch *batch)
{
    struct event_finder *finder = (struct event_finder *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->name != finder->name || event->kind == EVENT_COUNTER)
            continue;
        const struct track *track = profile_track(finder->profile, event->track);
        const struct clock_domain *clock = profile_clock(finder->profile, track->clock);
        const struct occurrence found = {clock_to_ns(clock, event->start),
                                         clock_to_ns(clock, event->end)};
        STATUS_TRY(spool_append(&finder->found, &found, sizeof found));
    }
    return STATUS_OK;
}

static bool is_earlier(const void *left, const void *right)
{
    const struct occurrence *a = left;
    const struct occurrence *b = right;
    return a->start != b->start ? a->start < b->start : a->end < b->end;
}

static status anchors_choose_event(struct event_finder *finder, const char *profile_name,
                                   struct view event, uint64_t number, struct occurrence *out_found)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&finder->found, &data, &size));
    struct occurrence *found = (struct occurrence *)(void *)data;
    const size_t count = size / sizeof *found;
    if (count == 0)
        return status_make(STATUS_USAGE, "%s has no event '%.*s'", profile_name,
                           VIEW_ARGUMENTS(event));
    if (number > count)
        return status_make(STATUS_USAGE, "%s has no event '%.*s#%llu', only %zu of that name",
                           profile_name, VIEW_ARGUMENTS(event), (unsigned long long)number, count);
    if (number == 0 && count > 1)
        return status_make(STATUS_USAGE,
                           "%s has %zu events '%.*s': say which one, as '%.*s#1' for the first",
                           profile_name, count, VIEW_ARGUMENTS(event), VIEW_ARGUMENTS(event));
    sort_in_place(found, count, sizeof *found, is_earlier);
    *out_found = found[number > 0 ? number - 1 : 0];
    return STATUS_OK;
}

status anchors_event(struct profile *profile, const char *profile_name, struct view event,
                     uint64_t *out_start, uint64_t *out_end)
{
    uint64_t number = 0;
    struct event_finder finder = {.sink = {take_named}, .profile = profile, .found = SPOOL_EMPTY};
    finder.name = strings_find(&profile->strings, event);
    const size_t mark = view_find_last(event, '#');
    if (finder.name == HASH_NONE && mark < event.size &&
        view_to_u64(view_slice(event, mark + 1, event.size), &number) && number > 0) {
        event = view_slice(event, 0, mark);
        finder.name = strings_find(&profile->strings, event);
    }
    struct occurrence found = {0};
    status result = finder.name == HASH_NONE ? STATUS_OK : profile_replay(profile, &finder.sink);
    if (result == STATUS_OK)
        result = anchors_choose_event(&finder, profile_name, event, number, &found);
    spool_free(&finder.found);
    *out_start = found.start;
    *out_end = found.end;
    return result;
}
