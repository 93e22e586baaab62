#include "timeline.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "counter.h"
#include "profile/track_order.h"

// Shifts of two levels differ by LEVEL_STEP; the coarsest has at least COARSEST buckets.
enum { LEVEL_STEP = 2, COARSEST = 64 };

// Chunks begin where base64 does not share a letter with what is before.
enum { CHUNK_ALIGNMENT = 3 };

// While events of a lane come.
struct lane_reading {
    struct event_sink sink;
    struct page_timeline *timeline;
    struct page_lane *lane;
    uint32_t lane_index;
    const struct clock_domain *clock;
    struct levels levels;
    struct counter counter;
    bool counts; // the first pass
    uint64_t until;
};

// How large each level of a lane would be.
struct lane_sizes {
    uint64_t size[LEVELS_MOST];
    uint64_t blocks[LEVELS_MOST];
};

// Lanes -----------------------------------------------------------------------

static bool has_events(const struct track *track)
{
    return track->spans + track->instants + track->samples > 0;
}

// Tracks that have events or are above one that has.
static bool *find_shown(const struct profile *profile, const uint32_t *order)
{
    bool *shown = memory_allocate_zeroed(profile->tracks.count, sizeof *shown);
    for (uint32_t i = profile->tracks.count; i > 0; i--) {
        const struct track *track = profile_track(profile, order[i - 1]);
        shown[order[i - 1]] |= has_events(track);
        if (order[i - 1] != 0 && shown[order[i - 1]])
            shown[track->parent] = true;
    }
    return shown;
}

static void timeline_add_lane(struct page_timeline *timeline, uint32_t id, unsigned depth,
                              size_t *room)
{
    const struct track *track = profile_track(timeline->profile, id);
    timeline->lanes =
        memory_grow(timeline->lanes, timeline->lane_count, room, sizeof *timeline->lanes);
    timeline->lanes[timeline->lane_count++] = (struct page_lane){
        .track = id,
        .depth = depth,
        .kind = timeline->kinds.of_track[id],
        .heading = !has_events(track),
    };
    timeline->spans += track->spans;
    timeline->instants += track->instants;
    timeline->samples += track->samples;
}

static void choose_lanes(struct page_timeline *timeline)
{
    const struct profile *profile = timeline->profile;
    const uint32_t count = profile->tracks.count;
    uint32_t *order = memory_allocate_zeroed(count, sizeof *order);
    unsigned *depth = memory_allocate_zeroed(count, sizeof *depth);
    size_t room = 0;
    track_order(profile, order);
    bool *shown = find_shown(profile, order);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = order[i];
        const uint32_t parent = profile_track(profile, id)->parent;
        depth[id] = id == 0 || parent == 0 ? 0 : depth[parent] + 1;
        if (!shown[id] || (id == 0 && !has_events(profile_track(profile, 0))))
            continue;
        if (timeline->lane_count < TIMELINE_LANES_MOST / timeline->share)
            timeline_add_lane(timeline, id, depth[id], &room);
        else
            timeline->left_out += has_events(profile_track(profile, id));
    }
    free(shown);
    free(order);
    free(depth);
}

// Events ----------------------------------------------------------------------

static void count_busy(struct lane_reading *reading, uint64_t start, uint64_t end)
{
    if (end <= reading->until)
        return;
    reading->lane->busy += end - (start > reading->until ? start : reading->until);
    reading->until = end;
}

static void timeline_add_span(struct lane_reading *reading, const struct event *event,
                              struct view values)
{
    struct page_timeline *timeline = reading->timeline;
    const uint64_t start = page_time(timeline->start, reading->clock, event->start);
    const uint64_t until = page_time(timeline->start, reading->clock, event->end);
    const uint64_t end = until > start ? until : start;
    const uint32_t operator_id = profile_call(timeline->profile, event->call)->operator_id;
    const unsigned row = levels_add_span(&reading->levels, start, end, event->name, operator_id);
    if (reading->counts) {
        count_busy(reading, start, end);
        return;
    }
    const struct flow_end like = {
        .start = start, .end = end, .lane = reading->lane_index, .row = (uint16_t)row};
    if (values.size > 0)
        flows_add(&timeline->flows, values, &like);
}

static status timeline_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct lane_reading *reading = (struct lane_reading *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct view values = event_values(batch, event);
        const uint64_t at = page_time(reading->timeline->start, reading->clock, event->start);
        double number;
        if (event->kind == EVENT_SPAN)
            timeline_add_span(reading, event, values);
        else if (event->kind == EVENT_INSTANT)
            levels_add_instant(&reading->levels, at, event->name);
        else if (!reading->counts && value_sample(values, &number))
            counter_add(&reading->counter, at, number);
    }
    return STATUS_OK;
}

static status read_lane(struct lane_reading *reading, size_t index)
{
    struct page_timeline *timeline = reading->timeline;
    reading->lane_index = (uint32_t)index;
    reading->lane = &timeline->lanes[index];
    reading->clock = profile_clock(timeline->profile,
                                   profile_track(timeline->profile, reading->lane->track)->clock);
    reading->until = 0;
    levels_clear(&reading->levels);
    STATUS_TRY(profile_replay_track(timeline->profile, reading->lane->track, &reading->sink));
    levels_finish(&reading->levels);
    reading->lane->rows = reading->levels.rows;
    reading->lane->deeper = reading->levels.deeper;
    return STATUS_OK;
}

// Which levels ----------------------------------------------------------------

static unsigned make_shifts(uint64_t length, uint8_t shifts[LEVELS_MOST])
{
    unsigned shift = 0;
    while (length >> (shift + LEVEL_STEP) >= COARSEST && shift + LEVEL_STEP < 63)
        shift += LEVEL_STEP;
    unsigned count = 0;
    unsigned first = shift / LEVEL_STEP > LEVELS_MOST - 2
                         ? shift - (LEVELS_MOST - 2) * (unsigned)LEVEL_STEP
                         : LEVEL_STEP;
    shifts[count++] = LEVELS_EXACT;
    for (; first <= shift && count < LEVELS_MOST; first += LEVEL_STEP)
        shifts[count++] = (uint8_t)first;
    return count;
}

// The levels of a lane from `finest` on; one that is hardly smaller than the one before is left
// out. Returns what they take.
static uint64_t choose_levels(const struct lane_sizes *sizes, unsigned count, unsigned finest,
                              bool chosen[LEVELS_MOST])
{
    uint64_t sum = 0;
    uint64_t before = 0;
    for (unsigned i = 0; i < count; i++) {
        chosen[i] = i == finest || (i > finest && sizes->blocks[i] * 5 < before * 3);
        if (!chosen[i])
            continue;
        before = sizes->blocks[i];
        sum += sizes->size[i] + CHUNK_ALIGNMENT;
    }
    return sum;
}

static uint64_t cost_of(const struct lane_sizes *sizes, unsigned count, unsigned finest)
{
    bool chosen[LEVELS_MOST];
    return choose_levels(sizes, count, finest, chosen);
}

struct lane_cost {
    uint64_t cost;
    size_t lane;
};

static int compare_costs(const void *left, const void *right)
{
    const struct lane_cost *a = left;
    const struct lane_cost *b = right;
    return a->cost != b->cost ? sort_compare(a->cost, b->cost) : sort_compare(a->lane, b->lane);
}

// The finest level at which all lanes fit, and by lane: exact ones as far as there is room left,
// those that take least first.
static void choose_finest(const struct lane_sizes *sizes, size_t lanes, unsigned levels,
                          uint64_t room, unsigned *out_finest)
{
    unsigned common = 0;
    uint64_t used = 0;
    for (; common < levels; common++) {
        used = 0;
        for (size_t i = 0; i < lanes; i++)
            used += cost_of(&sizes[i], levels, common);
        if (used <= room || common + 1 == levels)
            break;
    }
    struct lane_cost *costs = memory_allocate_zeroed(lanes + 1, sizeof *costs);
    for (size_t i = 0; i < lanes; i++) {
        costs[i] = (struct lane_cost){cost_of(&sizes[i], levels, 0), i};
        out_finest[i] = common;
    }
    sort_items(costs, lanes, sizeof *costs, compare_costs);
    for (size_t i = 0; i < lanes; i++) {
        const uint64_t without = used - cost_of(&sizes[costs[i].lane], levels, common);
        if (without + costs[i].cost > room)
            break;
        used = without + costs[i].cost;
        out_finest[costs[i].lane] = 0;
    }
    free(costs);
}

// Making ----------------------------------------------------------------------

static void align_blocks(struct bytes *blocks)
{
    while (blocks->size % CHUNK_ALIGNMENT != 0)
        bytes_append(blocks, "", 1);
}

static void keep_level(struct page_timeline *timeline, struct page_lane *lane,
                       const struct level *level)
{
    align_blocks(&timeline->blocks);
    struct page_level *kept = &lane->levels[lane->level_count++];
    *kept = (struct page_level){
        .shift = level->shift, .at = timeline->blocks.size, .count = level_blocks(level)};
    level_append(level, lane->rows, &timeline->blocks);
    kept->size = timeline->blocks.size - kept->at;
}

static void keep_counter(struct page_timeline *timeline, struct page_lane *lane,
                         struct counter *counter)
{
    align_blocks(&timeline->blocks);
    struct page_level *kept = &lane->counter;
    *kept = (struct page_level){.shift = counter->shift, .at = timeline->blocks.size};
    counter_finish(counter, &timeline->blocks);
    kept->count = counter->points;
    kept->size = timeline->blocks.size - kept->at;
    lane->least = counter->least;
    lane->most = counter->most;
    lane->no_numbers = counter->no_numbers;
}

static status measure_lanes(struct lane_reading *reading, struct lane_sizes *sizes)
{
    const struct page_timeline *timeline = reading->timeline;
    reading->counts = true;
    for (size_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lanes[i].heading)
            continue;
        STATUS_TRY(read_lane(reading, i));
        for (unsigned level = 0; level < reading->levels.count; level++) {
            sizes[i].size[level] = level_size(&reading->levels.items[level], reading->levels.rows);
            sizes[i].blocks[level] = level_blocks(&reading->levels.items[level]);
        }
    }
    reading->counts = false;
    return STATUS_OK;
}

// A counter's share of a fifth of the room.
static uint8_t counter_shift(const struct page_timeline *timeline, uint64_t room)
{
    enum { POINT_SIZE = 16, POINTS_LEAST = 32, POINTS_MOST = 4096 };
    uint64_t counters = 1;
    for (size_t i = 0; i < timeline->lane_count; i++)
        counters += profile_track(timeline->profile, timeline->lanes[i].track)->samples > 0;
    uint64_t points = room / 5 / counters / POINT_SIZE;
    points = points < POINTS_LEAST ? POINTS_LEAST : points > POINTS_MOST ? POINTS_MOST : points;
    uint8_t shift = 0;
    while (timeline->length >> shift > points)
        shift++;
    return shift;
}

static status make_lanes(struct lane_reading *reading, const struct lane_sizes *sizes,
                         const unsigned *finest, uint8_t shift)
{
    struct page_timeline *timeline = reading->timeline;
    struct levels *levels = &reading->levels;
    levels->numbers = &timeline->numbers.give;
    for (size_t i = 0; i < timeline->lane_count; i++) {
        struct page_lane *lane = &timeline->lanes[i];
        const struct track *track = profile_track(timeline->profile, lane->track);
        bool chosen[LEVELS_MOST];
        if (lane->heading)
            continue;
        choose_levels(&sizes[i], levels->count, finest[i], chosen);
        for (unsigned level = 0; level < levels->count; level++)
            levels->items[level].wanted = chosen[level];
        counter_start(&reading->counter, shift);
        STATUS_TRY(read_lane(reading, i));
        for (unsigned level = 0; level < levels->count; level++) {
            if (chosen[level])
                keep_level(timeline, lane, &levels->items[level]);
        }
        if (track->samples > 0)
            keep_counter(timeline, lane, &reading->counter);
        timeline->exact += page_timeline_lane_is_exact(lane) ? track->spans : 0;
    }
    return STATUS_OK;
}

static status fill(struct page_timeline *timeline, const struct page_timeline_room *room)
{
    struct lane_reading reading = {.sink = {timeline_take_batch}, .timeline = timeline};
    struct lane_sizes *sizes = memory_allocate_zeroed(timeline->lane_count + 1, sizeof *sizes);
    unsigned *finest = memory_allocate_zeroed(timeline->lane_count + 1, sizeof *finest);
    uint8_t shifts[LEVELS_MOST];
    levels_start(&reading.levels, shifts, make_shifts(timeline->length, shifts));
    status result = measure_lanes(&reading, sizes);
    if (result == STATUS_OK) {
        choose_finest(sizes, timeline->lane_count, reading.levels.count, room->blocks, finest);
        result = make_lanes(&reading, sizes, finest, counter_shift(timeline, room->blocks));
    }
    flows_finish(&timeline->flows);
    levels_free(&reading.levels);
    bytes_free(&reading.counter.encoded);
    free(sizes);
    free(finest);
    return result;
}

status page_timeline_make(struct profile *profile, const struct page_timeline_room *room,
                          struct page_timeline *out_timeline)
{
    struct page_timeline *timeline = out_timeline;
    *timeline = (struct page_timeline){.profile = profile,
                                       .kinds = picture_kinds_find(profile),
                                       .share = room->share,
                                       .flows = {.most = FLOWS_ENDS_MOST / room->share}};
    uint64_t last = 0;
    profile_extent(profile, &timeline->start, &last);
    timeline->length = last > timeline->start ? last - timeline->start : 0;
    page_numbers_start(&timeline->numbers, profile, room->names);
    choose_lanes(timeline);
    const status result = fill(timeline, room);
    if (result != STATUS_OK)
        page_timeline_free(timeline);
    return result;
}

void page_timeline_free(struct page_timeline *timeline)
{
    picture_kinds_free(&timeline->kinds);
    free(timeline->lanes);
    page_numbers_free(&timeline->numbers);
    flows_free(&timeline->flows);
    bytes_free(&timeline->blocks);
    *timeline = (struct page_timeline){0};
}

bool page_timeline_lane_is_exact(const struct page_lane *lane)
{
    return lane->level_count > 0 && lane->levels[0].shift == LEVELS_EXACT;
}
