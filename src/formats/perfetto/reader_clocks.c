#include "reader_clocks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "fields.h"
#include "wire/protobuf.h"

enum {
    SNAPSHOT_CLOCKS_MOST = 64, // taken from one snapshot
    HOPS_MOST = 8,             // from clock to clock on the way to trace time
};

// One clock of a snapshot.
struct reading {
    uint64_t key;
    uint64_t unit;
    bool incremental;
    int64_t time; // nanoseconds
};

static uint64_t clock_key(uint32_t sequence, uint64_t id)
{
    if (id >= PERFETTO_CLOCK_OWN_FIRST && id <= PERFETTO_CLOCK_OWN_LAST)
        return (uint64_t)sequence << 32 | id;
    return id & UINT32_MAX;
}

static uint64_t trace_key(const struct perfetto_clocks *clocks)
{
    return clocks->primary != 0 ? clocks->primary : PERFETTO_CLOCK_BOOTTIME;
}

static struct perfetto_clock *reader_clocks_find_clock(const struct perfetto_clocks *clocks,
                                                       uint64_t key)
{
    const uint32_t hash = hash_u64(key);
    uint32_t id;
    for (uint32_t at = hash_first(&clocks->index, hash);
         (id = hash_next(&clocks->index, hash, &at)) != HASH_NONE;) {
        if (clocks->clocks[id].key == key)
            return &clocks->clocks[id];
    }
    return NULL;
}

static struct perfetto_clock *find_or_add_clock(struct perfetto_clocks *clocks, uint64_t key)
{
    struct perfetto_clock *clock = reader_clocks_find_clock(clocks, key);
    if (clock != NULL)
        return clock;
    clocks->clocks =
        memory_grow(clocks->clocks, clocks->count, &clocks->capacity, sizeof *clocks->clocks);
    clocks->clocks[clocks->count] = (struct perfetto_clock){.key = key, .unit = 1};
    hash_add(&clocks->index, hash_u64(key), (uint32_t)clocks->count);
    return &clocks->clocks[clocks->count++];
}

// Ticks are signed on incremental clocks and unsigned, but below 2^63, on others.
static bool ticks_to_ns(uint64_t ticks, uint64_t unit, int64_t *out_ns)
{
    return unit <= INT64_MAX && !__builtin_mul_overflow((int64_t)ticks, (int64_t)unit, out_ns);
}

// Snapshots -------------------------------------------------------------------

static bool read_reading(struct view message, uint32_t sequence, struct reading *out_reading,
                         bool *out_usable)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    uint64_t id = 0;
    uint64_t ticks = 0;
    *out_reading = (struct reading){.unit = 1};
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_CLOCK_ID)
            id = field.value;
        else if (field.number == PERFETTO_CLOCK_TIMESTAMP)
            ticks = field.value;
        else if (field.number == PERFETTO_CLOCK_INCREMENTAL)
            out_reading->incremental = field.value != 0;
        else if (field.number == PERFETTO_CLOCK_UNIT_NS && field.value != 0)
            out_reading->unit = field.value;
    }
    out_reading->key = clock_key(sequence, id);
    *out_usable = id != 0 && ticks_to_ns(ticks, out_reading->unit, &out_reading->time);
    return reader.ending == PROTOBUF_WHOLE;
}

// A point that follows from the one before it is not kept.
static bool is_redundant(const struct perfetto_clock *clock,
                         const struct perfetto_clock_point *point)
{
    if (clock->count == 0)
        return false;
    const struct perfetto_clock_point *last = &clock->points[clock->count - 1];
    int64_t here;
    int64_t there;
    return last->reference == point->reference &&
           !__builtin_sub_overflow(point->here, last->here, &here) &&
           !__builtin_sub_overflow(point->there, last->there, &there) && here == there;
}

static void add_point(struct perfetto_clock *clock, struct perfetto_clock_point point)
{
    while (clock->count > 0 && clock->points[clock->count - 1].here >= point.here)
        clock->count--; // the clock was set back: what it showed before is void
    if (is_redundant(clock, &point))
        return;
    if (clock->count == PERFETTO_CLOCK_POINTS) {
        const size_t half = PERFETTO_CLOCK_POINTS / 2;
        memmove(clock->points, clock->points + half, half * sizeof *clock->points);
        clock->count = half;
    }
    clock->points =
        memory_grow(clock->points, clock->count, &clock->capacity, sizeof *clock->points);
    clock->points[clock->count++] = point;
}

// The clock that the others of a snapshot are tied to: trace time, else one
// that is tied already, else the first.
static size_t choose_reference(const struct perfetto_clocks *clocks, const struct reading *readings,
                               size_t count)
{
    size_t tied = 0;
    for (size_t i = count; i > 0; i--) {
        const struct perfetto_clock *clock = reader_clocks_find_clock(clocks, readings[i - 1].key);
        if (readings[i - 1].key == trace_key(clocks))
            return i - 1;
        if (clock != NULL && clock->count > 0)
            tied = i - 1;
    }
    return tied;
}

static void tie_readings(struct perfetto_clocks *clocks, const struct reading *readings,
                         size_t count)
{
    const size_t reference = choose_reference(clocks, readings, count);
    for (size_t i = 0; i < count; i++) {
        struct perfetto_clock *clock = find_or_add_clock(clocks, readings[i].key);
        clock->unit = readings[i].unit;
        clock->incremental = readings[i].incremental;
        clock->now = readings[i].time;
        if (readings[i].key != readings[reference].key)
            add_point(clock,
                      (struct perfetto_clock_point){readings[i].time, readings[reference].time,
                                                    readings[reference].key});
    }
}

bool perfetto_clocks_snapshot(struct perfetto_clocks *clocks, uint32_t sequence,
                              struct view snapshot)
{
    struct reading readings[SNAPSHOT_CLOCKS_MOST];
    size_t count = 0;
    bool whole = true;
    clocks->snapshots++;
    struct protobuf_reader reader = protobuf_read(snapshot);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        bool usable = false;
        if (field.number == PERFETTO_SNAPSHOT_PRIMARY && field.type == PROTOBUF_VARINT)
            clocks->primary = (uint32_t)field.value;
        else if (field.number == PERFETTO_SNAPSHOT_CLOCK && field.type == PROTOBUF_BYTES &&
                 count < SNAPSHOT_CLOCKS_MOST)
            whole &= read_reading(field.bytes, sequence, &readings[count], &usable);
        count += usable;
    }
    if (count > 0)
        tie_readings(clocks, readings, count);
    return whole && reader.ending == PROTOBUF_WHOLE;
}

// Conversion ------------------------------------------------------------------

// The latest point at or before `time`; the first where there is none.
static const struct perfetto_clock_point *find_point(const struct perfetto_clock *clock,
                                                     int64_t time)
{
    size_t low = 0;
    size_t high = clock->count;
    if (clock->points[high - 1].here <= time)
        return &clock->points[high - 1];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (clock->points[middle].here <= time)
            low = middle;
        else
            high = middle;
    }
    return &clock->points[low];
}

static enum perfetto_clock_result to_trace_time(const struct perfetto_clocks *clocks, uint64_t key,
                                                const struct perfetto_clock *clock, int64_t *time)
{
    for (int hops = 0; key != trace_key(clocks); hops++) {
        if (hops > 0)
            clock = reader_clocks_find_clock(clocks, key);
        if (clock == NULL || clock->count == 0 || hops == HOPS_MOST)
            return PERFETTO_CLOCK_UNKNOWN;
        const struct perfetto_clock_point *point = find_point(clock, *time);
        int64_t since;
        if (__builtin_sub_overflow(*time, point->here, &since) ||
            __builtin_add_overflow(point->there, since, time))
            return PERFETTO_CLOCK_RANGE;
        key = point->reference;
    }
    return *time < 0 ? PERFETTO_CLOCK_RANGE : PERFETTO_CLOCK_DONE;
}

static bool reader_clocks_advance(struct perfetto_clock *clock, uint64_t timestamp,
                                  int64_t *out_time)
{
    int64_t time;
    if (!ticks_to_ns(timestamp, clock->unit, &time))
        return false;
    if (clock->incremental) {
        if (__builtin_add_overflow(clock->now, time, &time))
            return false;
        clock->now = time;
    }
    *out_time = time;
    return true;
}

// What a snapshot adds may move the clocks.
static void look_up(const struct perfetto_clocks *clocks, struct perfetto_clock_use *use,
                    uint32_t sequence, uint32_t id)
{
    const uint64_t key = clock_key(sequence, id);
    struct perfetto_clock *clock = reader_clocks_find_clock(clocks, key);
    *use = (struct perfetto_clock_use){
        .id = id, .snapshots = clocks->snapshots, .key = key, .clock = clock, .here = INT64_MAX};
    if (clock == NULL || clock->count == 0 || key == trace_key(clocks))
        return;
    const struct perfetto_clock_point *last = &clock->points[clock->count - 1];
    if (last->reference == trace_key(clocks)) {
        use->here = last->here;
        use->there = last->there;
    }
}

enum perfetto_clock_result perfetto_clocks_convert_far(const struct perfetto_clocks *clocks,
                                                       struct perfetto_clock_use *use,
                                                       uint32_t sequence, uint32_t id,
                                                       uint64_t timestamp, uint64_t *out_time)
{
    *out_time = timestamp;
    if (id == 0)
        return timestamp > INT64_MAX ? PERFETTO_CLOCK_RANGE : PERFETTO_CLOCK_DONE;
    if (use->id != id || use->snapshots != clocks->snapshots)
        look_up(clocks, use, sequence, id);
    int64_t time = (int64_t)timestamp;
    if (use->clock == NULL && use->key != trace_key(clocks))
        return PERFETTO_CLOCK_UNKNOWN;
    if (use->clock != NULL && !reader_clocks_advance(use->clock, timestamp, &time))
        return PERFETTO_CLOCK_RANGE;
    const enum perfetto_clock_result result = to_trace_time(clocks, use->key, use->clock, &time);
    *out_time = (uint64_t)time;
    return result;
}

void perfetto_clocks_free(struct perfetto_clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        free(clocks->clocks[i].points);
    free(clocks->clocks);
    hash_free(&clocks->index);
    *clocks = (struct perfetto_clocks){0};
}
