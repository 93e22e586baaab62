// The clocks of a trace and the way from their timestamps to trace time.
//
// Trace time is nanoseconds of the trace's own clock: BOOTTIME, or what a
// snapshot calls the primary one. A snapshot says what several clocks showed at
// one instant; a timestamp is moved by the latest snapshot at or before it.
// Clocks 64 to 127 belong to one sequence each.
//
// Memory: the clocks, and for each at most PERFETTO_CLOCK_POINTS snapshots (the
// older half goes when there are more; snapshots that add nothing are not kept).

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_CLOCKS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_CLOCKS_H

#include "base/hash.h"
#include "base/view.h"

enum { PERFETTO_CLOCK_POINTS = 1 << 14 };

enum perfetto_clock_result {
    PERFETTO_CLOCK_DONE,
    PERFETTO_CLOCK_UNKNOWN, // nothing leads from this clock to trace time
    PERFETTO_CLOCK_RANGE,   // before 0, or beyond 2^63 - 1
};

// What two clocks showed at the same instant, in nanoseconds.
struct perfetto_clock_point {
    int64_t here;
    int64_t there;
    uint64_t reference; // the other clock
};

struct perfetto_clock {
    uint64_t key;
    uint64_t unit;                       // nanoseconds a tick
    bool incremental;                    // timestamps are differences to the one before
    int64_t now;                         // of an incremental clock
    struct perfetto_clock_point *points; // `here` rises
    size_t count;
    size_t capacity;
};

// All zero is a trace without snapshots.
struct perfetto_clocks {
    struct perfetto_clock *clocks;
    size_t count;
    size_t capacity;
    struct hash_index index;
    uint32_t primary;   // 0: nobody said, BOOTTIME
    uint32_t snapshots; // so far
};

// A clock as a sequence found it last.
struct perfetto_clock_use {
    uint32_t id; // 0: none yet
    uint32_t snapshots;
    uint64_t key;
    struct perfetto_clock *clock; // NULL: nobody described it
    // What its latest point says, where that leads to trace time; good for all times after it.
    int64_t here; // INT64_MAX: elsewhere
    int64_t there;
};

// Takes a ClockSnapshot message of a sequence. False when it is malformed; the
// clocks before the damage are taken.
bool perfetto_clocks_snapshot(struct perfetto_clocks *clocks, uint32_t sequence,
                              struct view snapshot);

// Use `perfetto_clocks_convert`.
enum perfetto_clock_result perfetto_clocks_convert_far(const struct perfetto_clocks *clocks,
                                                       struct perfetto_clock_use *use,
                                                       uint32_t sequence, uint32_t id,
                                                       uint64_t timestamp, uint64_t *out_time);

// The trace time of a timestamp as it stands in a packet; `id` 0 is trace time
// itself. Moves an incremental clock on. `use` is the sequence's own.
static inline enum perfetto_clock_result
perfetto_clocks_convert(const struct perfetto_clocks *clocks, struct perfetto_clock_use *use,
                        uint32_t sequence, uint32_t id, uint64_t timestamp, uint64_t *out_time)
{
    int64_t time = (int64_t)timestamp;
    int64_t trace_time;
    // Most clocks show nanoseconds, and most times come after the latest snapshot.
    if (id == 0 || use->id != id || use->snapshots != clocks->snapshots || use->here == INT64_MAX ||
        use->clock->unit != 1 ||
        (use->clock->incremental && __builtin_add_overflow(use->clock->now, time, &time)) ||
        time < use->here || __builtin_sub_overflow(time, use->here, &trace_time) ||
        __builtin_add_overflow(use->there, trace_time, &trace_time) || trace_time < 0)
        return perfetto_clocks_convert_far(clocks, use, sequence, id, timestamp, out_time);
    if (use->clock->incremental)
        use->clock->now = time;
    *out_time = (uint64_t)trace_time;
    return PERFETTO_CLOCK_DONE;
}

void perfetto_clocks_free(struct perfetto_clocks *clocks);

#endif
