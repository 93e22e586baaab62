#include "sweep.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"

enum { SETS = 1 << SWEEP_PARTS_MOST, SEARCHED_MOST = 32 };

// Where a list of edges stands in a sweep.
struct position {
    struct edge_reader reader;
    size_t lane;   // whose list it is
    unsigned step; // what the next edge adds to what runs: 1 or -1
};

// A lane or a group in a sweep.
struct runner {
    unsigned running; // lists of edges that are inside an interval
    uint64_t since;   // the last edge
    uint64_t total;
};

// Goes over a range of time. The next edges of all lists lie side by side, for the search: of
// few by looking at all, of many in a heap. There is no branch on whether a lane starts or
// stops: half of them would be guessed wrong.
struct sweep {
    const struct sweep_input *input;
    uint64_t from;
    uint64_t to;
    struct position *positions;
    uint64_t *edges; // UINT64_MAX: never again
    size_t *heap;    // positions, the nearest edge first
    size_t count;
    struct runner *lanes;
    struct runner *groups;
    unsigned running[SWEEP_PARTS_MOST]; // lists of each part
    unsigned set;                       // the parts that have some
    uint64_t times[SETS];
};

static void sweep_run_step(struct sweep *sweep, struct position *position)
{
    const struct sweep_lane *lane = &sweep->input->lanes[position->lane];
    sweep->lanes[position->lane].running += position->step;
    sweep->groups[lane->group].running += position->step;
    sweep->running[lane->part] += position->step;
    sweep->set = (sweep->set & ~(1u << lane->part)) | (unsigned)(sweep->running[lane->part] != 0)
                                                          << lane->part;
    position->step = 0 - position->step;
}

static void count_runner(struct runner *runner, uint64_t now)
{
    runner->total += runner->running != 0 ? now - runner->since : 0;
    runner->since = now;
}

// The nearest edge -----------------------------------------------------------------

static void heap_sink(struct sweep *sweep, size_t at)
{
    const size_t moved = sweep->heap[at];
    for (size_t child; (child = 2 * at + 1) < sweep->count; at = child) {
        if (child + 1 < sweep->count &&
            sweep->edges[sweep->heap[child + 1]] < sweep->edges[sweep->heap[child]])
            child++;
        if (sweep->edges[moved] <= sweep->edges[sweep->heap[child]])
            break;
        sweep->heap[at] = sweep->heap[child];
    }
    sweep->heap[at] = moved;
}

static void heap_build(struct sweep *sweep)
{
    if (sweep->count <= SEARCHED_MOST)
        return;
    sweep->heap = memory_allocate_zeroed(sweep->count, sizeof *sweep->heap);
    for (size_t i = 0; i < sweep->count; i++)
        sweep->heap[i] = i;
    for (size_t i = sweep->count / 2; i > 0; i--)
        heap_sink(sweep, i - 1);
}

static size_t nearest_edge(const struct sweep *sweep)
{
    if (sweep->heap != NULL)
        return sweep->heap[0];
    size_t nearest = 0;
    uint64_t edge = sweep->edges[0];
    for (size_t i = 1; i < sweep->count; i++) {
        const bool nearer = sweep->edges[i] < edge;
        nearest = nearer ? i : nearest;
        edge = nearer ? sweep->edges[i] : edge;
    }
    return nearest;
}

static void next_edge(struct sweep *sweep, size_t index)
{
    sweep->edges[index] = edge_next(&sweep->positions[index].reader);
    if (sweep->heap != NULL)
        heap_sink(sweep, 0);
}

// A range --------------------------------------------------------------------------

static void sweep_edges(struct sweep *sweep)
{
    uint64_t now = sweep->from;
    for (size_t index; sweep->edges[index = nearest_edge(sweep)] < sweep->to;) {
        const uint64_t next = sweep->edges[index];
        struct position *position = &sweep->positions[index];
        sweep->times[sweep->set] += next - now;
        now = next;
        count_runner(&sweep->lanes[position->lane], now);
        count_runner(&sweep->groups[sweep->input->lanes[position->lane].group], now);
        sweep_run_step(sweep, position);
        next_edge(sweep, index);
    }
    sweep->times[sweep->set] += sweep->to - now;
    for (size_t i = 0; i < sweep->input->lane_count; i++)
        count_runner(&sweep->lanes[i], sweep->to);
    for (size_t i = 0; i < sweep->input->group_count; i++)
        count_runner(&sweep->groups[i], sweep->to);
}

// Passes over what lies before the range.
static void sweep_add(struct sweep *sweep, size_t lane, struct edge_reader edges)
{
    struct position *position = &sweep->positions[sweep->count];
    *position = (struct position){.reader = edges, .lane = lane, .step = 1};
    uint64_t edge = edge_next(&position->reader);
    unsigned passed = 0;
    for (; edge < sweep->from; passed++)
        edge = edge_next(&position->reader);
    if (passed % 2 == 1)
        sweep_run_step(sweep, position);
    sweep->edges[sweep->count] = edge;
    sweep->count += edge != UINT64_MAX;
}

static void sweep_part(void *part)
{
    struct sweep *sweep = part;
    const struct sweep_input *input = sweep->input;
    const size_t lists = 2 * input->lane_count;
    sweep->positions = memory_allocate_zeroed(lists, sizeof *sweep->positions);
    sweep->edges = memory_allocate_zeroed(lists, sizeof *sweep->edges);
    sweep->lanes = memory_allocate_zeroed(input->lane_count, sizeof *sweep->lanes);
    sweep->groups = memory_allocate_zeroed(input->group_count, sizeof *sweep->groups);
    for (size_t i = 0; i < input->group_count; i++)
        sweep->groups[i].since = sweep->from;
    for (size_t i = 0; i < input->lane_count; i++) {
        sweep->lanes[i].since = sweep->from;
        sweep_add(sweep, i, input->lanes[i].busy->edges[0]);
        sweep_add(sweep, i, input->lanes[i].busy->edges[1]);
    }
    heap_build(sweep);
    if (sweep->count > 0)
        sweep_edges(sweep);
}

static void sweep_finish(struct sweep *sweep)
{
    const struct sweep_input *input = sweep->input;
    for (unsigned set = 0; set < SETS; set++)
        input->times[set] += sweep->times[set];
    for (size_t i = 0; i < input->lane_count; i++)
        input->lanes[i].total += sweep->lanes[i].total;
    for (size_t i = 0; i < input->group_count; i++)
        input->group_totals[i] += sweep->groups[i].total;
    free(sweep->positions);
    free(sweep->edges);
    free(sweep->heap);
    free(sweep->lanes);
    free(sweep->groups);
    free(sweep);
}

static struct sweep *sweep_create(const struct sweep_input *input, uint64_t from, uint64_t to)
{
    struct sweep *sweep = memory_allocate_zeroed(1, sizeof *sweep);
    sweep->input = input;
    sweep->from = from;
    sweep->to = to;
    return sweep;
}

static size_t count_words(const struct edge_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

// One for each thread where there is enough to do.
static unsigned sweep_ranges(const struct sweep_input *input)
{
    enum { WORDS_LEAST = 1 << 16 };
    const unsigned threads = parts_threads();
    size_t words = 0;
    for (size_t i = 0; i < input->lane_count; i++) {
        const struct busy *busy = input->lanes[i].busy;
        words += count_words(&busy->edges[0]) + count_words(&busy->edges[1]);
    }
    return words / WORDS_LEAST < threads ? (unsigned)(words / WORDS_LEAST) + 1 : threads;
}

// Ranges of time, one after the other, all at once.
void sweep_lanes(const struct sweep_input *input)
{
    const struct interval range = input->range;
    const unsigned count = sweep_ranges(input);
    const uint64_t step = (range.end - range.start) / count;
    struct parts *parts = parts_open(sweep_part);
    struct sweep *sweep;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t from = range.start + i * step;
        parts_put(parts, sweep_create(input, from, i + 1 < count ? from + step : range.end));
    }
    while ((sweep = parts_take(parts)) != NULL)
        sweep_finish(sweep);
    parts_close(parts);
}
