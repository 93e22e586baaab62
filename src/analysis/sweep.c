#include "sweep.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/sort.h"

enum { SETS = 1 << SWEEP_PARTS_MOST, INDEX_BITS = 4, SEARCHED_MOST = 1 << INDEX_BITS };

// The longest range of which an edge and the index of its list fit into one number.
static const uint64_t SEARCHED_RANGE = UINT64_MAX >> (INDEX_BITS + 1);

// A lane or a group in a sweep.
struct runner {
    unsigned running; // lists of edges that are inside an interval
    uint64_t since;   // the last edge
    uint64_t total;
};

// Where a list of edges stands in a sweep.
struct position {
    struct edge_reader reader;
    struct runner *lane; // whose list it is
    struct runner *group;
    unsigned part;
    unsigned step;  // what the next edge adds to what runs: 1 or -1
    uint64_t after; // the edge after the next one, for the search, which need not wait for it then
};

// Goes over a range of time. Where there are few lists, their next edges lie side by side and are
// all looked at, each as the time since the range began with the index of its list below it; time
// is counted by which lists run, and added up for lanes, groups and parts at the end. The next
// edges of many lie in a heap. There is no branch on whether a lane starts or stops: half of them
// would be guessed wrong.
struct sweep {
    const struct sweep_input *input;
    uint64_t from;
    uint64_t to;
    struct position *positions;
    uint64_t *edges; // UINT64_MAX: not any more
    size_t *heap;    // positions, the nearest edge first; NULL: they are searched
    size_t count;
    size_t lists; // without what only makes the count even
    struct runner *lanes;
    struct runner *groups;
    unsigned running[SWEEP_PARTS_MOST]; // lists of each part
    unsigned set;                       // the parts that have some
    uint64_t times[SETS];
};

static void sweep_run_step(struct sweep *sweep, struct position *position)
{
    position->lane->running += position->step;
    position->group->running += position->step;
    sweep->running[position->part] += position->step;
    sweep->set = (sweep->set & ~(1u << position->part)) |
                 (unsigned)(sweep->running[position->part] != 0) << position->part;
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
    sweep->heap = memory_allocate_zeroed(sweep->count, sizeof *sweep->heap);
    for (size_t i = 0; i < sweep->count; i++)
        sweep->heap[i] = i;
    for (size_t i = sweep->count / 2; i > 0; i--)
        heap_sink(sweep, i - 1);
}

// The next edge of a list for the search.
static uint64_t searched_edge(struct sweep *sweep, size_t index, uint64_t edge)
{
    return edge < sweep->to ? (edge - sweep->from) << INDEX_BITS | index : UINT64_MAX;
}

// An even number of edges, for the search.
static void search_build(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++) {
        sweep->edges[i] = searched_edge(sweep, i, sweep->edges[i]);
        sweep->positions[i].after = searched_edge(sweep, i, edge_next(&sweep->positions[i].reader));
    }
    sweep->lists = sweep->count;
    if (sweep->count % 2 == 1)
        sweep->edges[sweep->count++] = UINT64_MAX;
}

// Two at a time, as each step waits for the one before.
static uint64_t search_nearest(const struct sweep *sweep)
{
    uint64_t even = UINT64_MAX;
    uint64_t odd = UINT64_MAX;
    for (size_t i = 0; i < sweep->count; i += 2) {
        even = sweep->edges[i] < even ? sweep->edges[i] : even;
        odd = sweep->edges[i + 1] < odd ? sweep->edges[i + 1] : odd;
    }
    return even < odd ? even : odd;
}

// A range --------------------------------------------------------------------------

static inline void sweep_edge(struct sweep *sweep, struct position *position, uint64_t since,
                              uint64_t now)
{
    sweep->times[sweep->set] += now - since;
    count_runner(position->lane, now);
    count_runner(position->group, now);
    sweep_run_step(sweep, position);
}

// A search under way: time by the set of lists that run.
struct search {
    struct sweep *sweep;
    uint64_t *by_lists;
    uint64_t now; // since the range began
    unsigned running;
};

static struct search search_start(struct sweep *sweep)
{
    struct search search = {.sweep = sweep};
    search.by_lists = memory_allocate_zeroed((size_t)1 << sweep->count, sizeof *search.by_lists);
    for (size_t i = 0; i < sweep->count; i++)
        search.running |= (unsigned)(sweep->positions[i].step != 1) << i;
    search_build(sweep);
    return search;
}

// False when there is no further edge.
static inline bool search_step(struct search *search)
{
    struct sweep *sweep = search->sweep;
    const uint64_t nearest = search_nearest(sweep);
    if (nearest == UINT64_MAX)
        return false;
    const size_t index = nearest % SEARCHED_MOST;
    struct position *position = &sweep->positions[index];
    sweep->edges[index] = position->after;
    position->after = searched_edge(sweep, index, edge_next(&position->reader));
    search->by_lists[search->running] += (nearest >> INDEX_BITS) - search->now;
    search->running ^= 1u << index;
    search->now = nearest >> INDEX_BITS;
    return true;
}

// What runs while these lists do.
static void count_lists(struct sweep *sweep, unsigned running, uint64_t time)
{
    unsigned set = 0;
    for (unsigned left = running; left != 0; left &= left - 1) {
        const struct position *position = &sweep->positions[__builtin_ctz(left)];
        // Each is counted with its last list.
        bool lane = true;
        bool group = true;
        for (unsigned others = left & (left - 1); others != 0; others &= others - 1) {
            const struct position *other = &sweep->positions[__builtin_ctz(others)];
            lane &= other->lane != position->lane;
            group &= other->group != position->group;
        }
        position->lane->total += lane ? time : 0;
        position->group->total += group ? time : 0;
        set |= 1u << position->part;
    }
    sweep->times[set] += time;
}

static void search_finish(struct search *search)
{
    struct sweep *sweep = search->sweep;
    search->by_lists[search->running] += sweep->to - sweep->from - search->now;
    for (unsigned running = 0; running < 1u << sweep->lists; running++) {
        if (search->by_lists[running] != 0)
            count_lists(sweep, running, search->by_lists[running]);
    }
    free(search->by_lists);
}

// Both at once: each step waits for the one before it in its range.
static void sweep_few(struct sweep *early, struct sweep *late)
{
    struct search first = search_start(early);
    struct search second = search_start(late);
    while (search_step(&first) && search_step(&second))
        continue;
    while (search_step(&first))
        continue;
    while (search_step(&second))
        continue;
    search_finish(&first);
    search_finish(&second);
}

static void sweep_many(struct sweep *sweep)
{
    uint64_t now = sweep->from;
    if (sweep->count == 0)
        return;
    heap_build(sweep);
    for (size_t index; sweep->edges[index = sweep->heap[0]] < sweep->to;) {
        const uint64_t next = sweep->edges[index];
        struct position *position = &sweep->positions[index];
        sweep_edge(sweep, position, now, next);
        sweep->edges[index] = edge_next(&position->reader);
        heap_sink(sweep, 0);
        now = next;
    }
    sweep->times[sweep->set] += sweep->to - now;
    for (size_t i = 0; i < sweep->input->lane_count; i++)
        count_runner(&sweep->lanes[i], sweep->to);
    for (size_t i = 0; i < sweep->input->group_count; i++)
        count_runner(&sweep->groups[i], sweep->to);
}

// Passes over what lies before the range.
static void sweep_add(struct sweep *sweep, size_t lane, unsigned list)
{
    const struct sweep_lane *owner = &sweep->input->lanes[lane];
    struct position *position = &sweep->positions[sweep->count];
    *position = (struct position){.reader = busy_edges_near(owner->busy, list, sweep->from),
                                  .lane = &sweep->lanes[lane],
                                  .group = &sweep->groups[owner->group],
                                  .part = owner->part,
                                  .step = 1};
    uint64_t edge = edge_next(&position->reader);
    unsigned passed = 0;
    for (; edge < sweep->from; passed++)
        edge = edge_next(&position->reader);
    if (passed % 2 == 1)
        sweep_run_step(sweep, position);
    sweep->edges[sweep->count] = edge;
    sweep->count += edge != UINT64_MAX;
}

static void sweep_start(struct sweep *sweep)
{
    const struct sweep_input *input = sweep->input;
    const size_t lists = BUSY_LISTS * input->lane_count;
    sweep->positions = memory_allocate_zeroed(lists, sizeof *sweep->positions);
    sweep->edges = memory_allocate_zeroed(lists, sizeof *sweep->edges);
    sweep->lanes = memory_allocate_zeroed(input->lane_count, sizeof *sweep->lanes);
    sweep->groups = memory_allocate_zeroed(input->group_count, sizeof *sweep->groups);
    for (size_t i = 0; i < input->group_count; i++)
        sweep->groups[i].since = sweep->from;
    for (size_t i = 0; i < input->lane_count; i++) {
        sweep->lanes[i].since = sweep->from;
        for (unsigned list = 0; list < BUSY_LISTS; list++)
            sweep_add(sweep, i, list);
    }
}

static bool sweep_is_searched(const struct sweep *sweep)
{
    return sweep->count <= SEARCHED_MOST && sweep->to - sweep->from <= SEARCHED_RANGE;
}

// Two ranges for each thread.
struct sweep_part {
    struct sweep early, late;
};

static void sweep_part_do(void *argument)
{
    struct sweep_part *part = argument;
    sweep_start(&part->early);
    sweep_start(&part->late);
    if (sweep_is_searched(&part->early) && sweep_is_searched(&part->late)) {
        sweep_few(&part->early, &part->late);
    } else {
        sweep_many(&part->early);
        sweep_many(&part->late);
    }
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
}

// From borders[0] to borders[1], and from there to borders[2].
static struct sweep_part *sweep_part_create(const struct sweep_input *input,
                                            const uint64_t *borders)
{
    struct sweep_part *part = memory_allocate_zeroed(1, sizeof *part);
    part->early.input = part->late.input = input;
    part->early.from = borders[0];
    part->early.to = part->late.from = borders[1];
    part->late.to = borders[2];
    return part;
}

static int compare_times(const void *left, const void *right)
{
    return sort_compare(*(const uint64_t *)left, *(const uint64_t *)right);
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

// Times of the lists' marks, of which there are as many as there is to do around them: `*out_count`
// in order.
static uint64_t *sweep_marks(const struct sweep_input *input, size_t *out_count)
{
    uint64_t *times = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < input->lane_count; i++) {
        for (unsigned k = 0; k < BUSY_LISTS; k++) {
            const struct edge_list *list = busy_list(input->lanes[i].busy, k);
            for (size_t mark = 0; mark < list->mark_count; mark++) {
                times = memory_grow(times, count, &capacity, sizeof *times);
                times[count++] = list->marks[mark].last;
            }
        }
    }
    sort_items(times, count, sizeof *times, compare_times);
    *out_count = count;
    return times;
}

// Where `count` ranges begin and end that take about as long; as long by time where that is not
// known.
static uint64_t *sweep_borders(const struct sweep_input *input, size_t count)
{
    enum { MARKS_LEAST = 4 }; // of a range
    const struct interval range = input->range;
    const uint64_t step = (range.end - range.start) / count;
    size_t mark_count;
    uint64_t *marks = sweep_marks(input, &mark_count);
    uint64_t *borders = memory_allocate((count + 1) * sizeof *borders);
    for (size_t i = 1; i < count; i++) {
        borders[i] = range.start + i * step;
        if (mark_count >= MARKS_LEAST * count)
            borders[i] = marks[i * mark_count / count];
        if (borders[i] < range.start || borders[i] > range.end)
            borders[i] = borders[i] < range.start ? range.start : range.end;
    }
    borders[0] = range.start;
    borders[count] = range.end;
    free(marks);
    return borders;
}

// Ranges of time, one after the other, all at once.
void sweep_lanes(const struct sweep_input *input)
{
    const unsigned count = sweep_ranges(input);
    uint64_t *borders = sweep_borders(input, 2 * (size_t)count);
    struct parts *parts = parts_open(sweep_part_do);
    struct sweep_part *part;
    for (unsigned i = 0; i < count; i++)
        parts_put(parts, sweep_part_create(input, borders + 2 * (size_t)i));
    while ((part = parts_take(parts)) != NULL) {
        sweep_finish(&part->early);
        sweep_finish(&part->late);
        free(part);
    }
    parts_close(parts);
    free(borders);
}
