#include "memory_peak.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

// A buffer begins or ends.
struct memory_edge {
    uint64_t unit[2]; // memory; device and core
    uint64_t at;      // ns
    uint64_t bytes;
    bool takes;
};

static const struct buffer_lifetime *buffer_at(const struct profile *profile, uint32_t id)
{
    return segments_get(&profile->buffers, id);
}

static uint64_t buffer_time(const struct profile *profile, const struct buffer_lifetime *buffer,
                            uint64_t ticks)
{
    return clock_to_ns(profile_clock(profile, buffer->clock), ticks);
}

static bool memory_edge_before(const void *left, const void *right)
{
    const struct memory_edge *a = left, *b = right;
    if (a->unit[0] != b->unit[0])
        return a->unit[0] < b->unit[0];
    if (a->unit[1] != b->unit[1])
        return a->unit[1] < b->unit[1];
    return a->at != b->at ? a->at < b->at : a->takes < b->takes; // given back before it is taken
}

static struct memory_edge *make_edges(const struct profile *profile, size_t *out_count)
{
    struct memory_edge *edges =
        memory_allocate_zeroed(2 * (size_t)profile->buffers.count + 1, sizeof *edges);
    *out_count = 0;
    for (uint32_t i = 0; i < profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = buffer_at(profile, i);
        const uint64_t from = buffer_time(profile, buffer, buffer->from);
        const uint64_t to = buffer_time(profile, buffer, buffer->to);
        if (to <= from)
            continue;
        struct memory_edge edge = {
            .unit = {buffer->memory, (uint64_t)buffer->device << 32 | buffer->core},
            .at = from,
            .bytes = buffer->size,
            .takes = true};
        edges[(*out_count)++] = edge;
        edge.at = to;
        edge.takes = false;
        edges[(*out_count)++] = edge;
    }
    sort_in_place(edges, *out_count, sizeof *edges, memory_edge_before);
    return edges;
}

// Peaks ---------------------------------------------------------------------------

static bool same_unit(const struct memory_edge *a, const struct memory_edge *b)
{
    return a->unit[0] == b->unit[0] && a->unit[1] == b->unit[1];
}

// The peak of the unit whose edges come first; returns how many there are.
static size_t unit_peak(const struct memory_edge *edges, size_t count, struct memory_peak *out_peak)
{
    uint64_t used = 0;
    size_t i = 0;
    *out_peak = (struct memory_peak){.memory = (uint32_t)edges->unit[0],
                                     .device = (uint32_t)(edges->unit[1] >> 32),
                                     .core = (uint32_t)edges->unit[1]};
    for (; i < count && same_unit(&edges[i], edges); i++) {
        used += edges[i].takes ? edges[i].bytes : 0 - edges[i].bytes;
        if (edges[i].takes && used > out_peak->bytes) {
            out_peak->bytes = used;
            out_peak->at = edges[i].at;
        }
    }
    return i;
}

static bool peak_before(const void *left, const void *right)
{
    const struct memory_peak *a = *(struct memory_peak *const *)left;
    const struct memory_peak *b = *(struct memory_peak *const *)right;
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->memory < b->memory;
}

// They are too large to be sorted themselves.
static void sort_peaks(struct memory_peaks *peaks)
{
    struct memory_peak **order = memory_allocate_zeroed(peaks->count + 1, sizeof *order);
    struct memory_peak *sorted = memory_allocate_zeroed(peaks->count + 1, sizeof *sorted);
    for (size_t i = 0; i < peaks->count; i++)
        order[i] = &peaks->peaks[i];
    sort_in_place(order, peaks->count, sizeof *order, peak_before);
    for (size_t i = 0; i < peaks->count; i++)
        sorted[i] = *order[i];
    free(order);
    free(peaks->peaks);
    peaks->peaks = sorted;
}

// Units of one name follow one another.
static void find_peaks(struct memory_peaks *peaks)
{
    size_t count, capacity = 0;
    struct memory_edge *edges = make_edges(peaks->profile, &count);
    for (size_t at = 0; at < count;) {
        struct memory_peak peak;
        at += unit_peak(edges + at, count - at, &peak);
        struct memory_peak *last = peaks->count > 0 ? &peaks->peaks[peaks->count - 1] : NULL;
        if (last != NULL && last->memory == peak.memory) {
            *last = peak.bytes > last->bytes ? peak : *last;
            continue;
        }
        peaks->peaks = memory_grow(peaks->peaks, peaks->count, &capacity, sizeof *peaks->peaks);
        peaks->peaks[peaks->count++] = peak;
    }
    free(edges);
    sort_peaks(peaks);
}

// Holders -------------------------------------------------------------------------

static void add_holder(const struct profile *profile, struct memory_peak *peak,
                       const struct memory_holder *holder)
{
    const uint64_t size = buffer_at(profile, holder->buffer)->size;
    size_t at = peak->holder_count;
    if (at < MEMORY_HOLDERS_MOST)
        peak->holder_count++;
    else if (buffer_at(profile, peak->holders[--at].buffer)->size >= size)
        return;
    for (; at > 0 && buffer_at(profile, peak->holders[at - 1].buffer)->size < size; at--)
        peak->holders[at] = peak->holders[at - 1];
    peak->holders[at] = *holder;
}

// By memory: the peak + 1 of its name.
static void find_holders(struct memory_peaks *peaks)
{
    const struct profile *profile = peaks->profile;
    uint32_t *by_memory =
        memory_allocate_zeroed((size_t)profile->strings.texts.count + 1, sizeof *by_memory);
    for (size_t i = 0; i < peaks->count; i++)
        by_memory[peaks->peaks[i].memory] = (uint32_t)i + 1;
    for (uint32_t i = 0; i < profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = buffer_at(profile, i);
        const struct memory_holder holder = {.buffer = i,
                                             .from = buffer_time(profile, buffer, buffer->from),
                                             .to = buffer_time(profile, buffer, buffer->to)};
        if (by_memory[buffer->memory] == 0)
            continue;
        struct memory_peak *peak = &peaks->peaks[by_memory[buffer->memory] - 1];
        if (buffer->device != peak->device || buffer->core != peak->core ||
            holder.from > peak->at || holder.to <= peak->at)
            continue;
        peak->buffers++;
        add_holder(profile, peak, &holder);
    }
    free(by_memory);
}

// Uses ----------------------------------------------------------------------------

// Holders of one operator, one after the other.
struct held {
    struct memory_holder *holder;
    uint32_t next; // + 1; 0: none
};

struct uses {
    struct held *held;
    uint32_t *first; // by operator: + 1; 0: it holds nothing
};

static void use(const struct uses *uses, uint32_t operator_id, const struct dependence_node *node)
{
    for (uint32_t i = uses->first[operator_id]; i != 0; i = uses->held[i - 1].next) {
        struct memory_holder *holder = uses->held[i - 1].holder;
        if (node->start < holder->from || node->end > holder->to)
            continue;
        holder->use_known = true;
        holder->last_use = node->end > holder->last_use ? node->end : holder->last_use;
    }
}

static void find_uses(struct memory_peaks *peaks, const struct dependence *dependence)
{
    const struct profile *profile = peaks->profile;
    uint32_t count = 0;
    struct uses uses = {
        .held = memory_allocate_zeroed(peaks->count * MEMORY_HOLDERS_MOST + 1, sizeof *uses.held),
        .first = memory_allocate_zeroed((size_t)profile->operators.count + 1, sizeof *uses.first)};
    for (size_t i = 0; i < peaks->count; i++) {
        for (size_t k = 0; k < peaks->peaks[i].holder_count; k++) {
            struct memory_holder *holder = &peaks->peaks[i].holders[k];
            const uint32_t owner = buffer_at(profile, holder->buffer)->owner;
            // What is there all the time is meant to be.
            if (owner == 0 || (holder->from <= dependence->first && holder->to >= dependence->last))
                continue;
            uses.held[count] = (struct held){holder, uses.first[owner]};
            uses.first[owner] = ++count;
        }
    }
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        const struct dependence_node *node = &dependence->nodes[i];
        use(&uses, dependence->parts[node->part].operator_id, node);
        for (uint32_t e = node->first_edge; e < dependence_edges_end(dependence, i); e++) {
            const struct dependence_edge *edge = &dependence->edges[e];
            if (edge->kind == DEPENDENCE_FLOW)
                use(&uses, dependence->parts[dependence->nodes[edge->from].part].operator_id, node);
        }
    }
    free(uses.held);
    free(uses.first);
}

void memory_peaks_find(const struct profile *profile, const struct dependence *dependence,
                       struct memory_peaks *out_peaks)
{
    *out_peaks = (struct memory_peaks){.profile = profile};
    find_peaks(out_peaks);
    find_holders(out_peaks);
    if (dependence != NULL && profile_fact(profile, "target").size > 0)
        find_uses(out_peaks, dependence);
}

void memory_peaks_free(struct memory_peaks *peaks)
{
    free(peaks->peaks);
    *peaks = (struct memory_peaks){0};
}
