#include "operator_times.h"

#include <stdlib.h>

#include "backward_calls.h"
#include "base/memory.h"
#include "base/sort.h"
#include "work.h"

enum { CALLERS_MOST = 10000 }; // a damaged file may have calls that call themselves

struct open_span {
    uint64_t end; // ns
    uint32_t operator_id;
    uint32_t forward; // operator that it is of the backward of; 0: of none
};

struct operator_meter {
    struct event_sink sink;
    const struct profile *profile;
    struct operator_times *times; // indexed by operator id while measuring
    unsigned char *seen;          // a bit for each call
    uint32_t *forwards;           // by call (backward_calls.h)
    uint32_t kernel_key;          // of the value, HASH_NONE: no span has it
    bool said;                    // some lane has a role
    bool derived;                 // what the device did as a whole stands for its lanes
    uint32_t track;               // that the open spans lie on
    struct open_span *open;
    size_t open_count;
    size_t open_capacity;
};

bool operator_sides_are_said(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        if (profile_track(profile, i)->role != ROLE_NONE)
            return true;
    }
    return false;
}

// A processor of a core, of which no more is known.
static bool is_of_core_alone(const struct track *track)
{
    return track->role == ROLE_NONE && track->engine == 0 && track->core != 0;
}

enum operator_side operator_side_of(const struct track *track, bool said)
{
    if (role_is_device(track->role))
        return OPERATOR_DEVICE;
    if (track->role != ROLE_NONE)
        return OPERATOR_HOST;
    if (is_of_core_alone(track))
        return OPERATOR_DEVICE;
    return said || track->engine != 0 ? OPERATOR_UNKNOWN : OPERATOR_HOST;
}

bool operator_side_is_whole(const struct track *track)
{
    return (track->role == ROLE_DEVICE && track->core != 0) || is_of_core_alone(track);
}

bool operator_side_works(const struct track *track)
{
    return operator_side_of(track, true) == OPERATOR_DEVICE && track->role != ROLE_WAIT &&
           !operator_side_is_whole(track);
}

bool operator_side_is_derived(const struct track *track)
{
    return track->provenance == PROVENANCE_DERIVED && track->role == ROLE_DEVICE &&
           track->core == 0 && track->spans > 0;
}

static void operator_times_count_call(struct operator_meter *meter, struct operator_time *time,
                                      uint32_t call)
{
    unsigned char *byte = &meter->seen[call / 8];
    const unsigned char bit = (unsigned char)(1u << call % 8);
    time->calls += (*byte & bit) == 0;
    *byte |= bit;
    time->spans++;
}

// What ends no later than the new one is never the innermost again: ends descend in the stack, and
// each span is looked at once when others cut across it.
static void operator_times_open_push(struct operator_meter *meter, struct open_span span)
{
    while (meter->open_count > 0 && meter->open[meter->open_count - 1].end <= span.end)
        meter->open_count--;
    meter->open =
        memory_grow(meter->open, meter->open_count, &meter->open_capacity, sizeof *meter->open);
    meter->open[meter->open_count++] = span;
}

// Takes what the span took from the operators around it, each for the part that it is the
// innermost of. Spans may cut into one another: rounded times do. Whether the span lies in one of
// `operator_id` itself.
static bool take_from_outer(struct operator_meter *meter, uint64_t start, uint64_t end,
                            enum operator_side side, uint32_t operator_id)
{
    while (meter->open_count > 0 && meter->open[meter->open_count - 1].end <= start)
        meter->open_count--;
    const struct open_span *top =
        meter->open_count > 0 ? &meter->open[meter->open_count - 1] : NULL;
    for (size_t i = meter->open_count; i > 0 && start < end; i--) {
        const struct open_span *outer = &meter->open[i - 1];
        const uint64_t part = (outer->end < end ? outer->end : end) - start;
        meter->times->operators[outer->operator_id].self[side] -= part;
        if (outer->forward != 0)
            meter->times->operators[outer->forward].backward[side] -= part;
        start += part;
    }
    return top != NULL && top->end >= end && top->operator_id == operator_id;
}

static void operator_times_add_kernel(struct operator_meter *meter, struct operator_time *time,
                                      struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != meter->kernel_key || value.kind != VALUE_UINT)
            continue;
        time->kernel += value.number;
        meter->times->has_kernel = true;
    }
}

// What a device did counts for every operator that called the one it belongs to; on the host it
// lies in their spans anyway.
static void add_to_callers(struct operator_meter *meter, uint32_t call, uint64_t duration)
{
    const struct profile *profile = meter->profile;
    const uint32_t own = profile_call(profile, call)->operator_id;
    uint32_t previous = own;
    unsigned depth = 0;
    for (uint32_t at = profile_call(profile, call)->parent; at != 0 && depth < CALLERS_MOST;
         at = profile_call(profile, at)->parent, depth++) {
        const uint32_t caller = profile_call(profile, at)->operator_id;
        if (caller != previous && caller != own)
            meter->times->operators[caller].total[OPERATOR_DEVICE] += duration;
        previous = caller;
    }
}

// Whether a span of no operator lies in none either: then its time is nobody's.
static bool is_nobodys(const struct operator_meter *meter, const struct track *track,
                       uint64_t start)
{
    // Who waits does nothing; and what a core does as a whole, its engines do.
    if ((track->role == ROLE_NONE && !meter->said) || track->role == ROLE_WAIT ||
        operator_side_is_whole(track))
        return false;
    for (size_t i = track->nests ? meter->open_count : 0; i > 0; i--) {
        if (meter->open[i - 1].end > start)
            return meter->open[i - 1].operator_id == 0;
    }
    return true;
}

// The operator of which the call is of the backward; 0: of none.
static uint32_t operator_times_forward_of(const struct operator_meter *meter, uint32_t call)
{
    if (meter->forwards == NULL || meter->forwards[call] == 0)
        return 0;
    return profile_call(meter->profile, meter->forwards[call])->operator_id;
}

static void operator_times_add_event(struct operator_meter *meter, const struct event *event,
                                     struct view values)
{
    const struct profile *profile = meter->profile;
    const struct track *track = profile_track(profile, event->track);
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    const uint32_t operator_id = profile_call(profile, event->call)->operator_id;
    const uint64_t start = clock_to_ns(clock, event->start);
    const uint64_t end = clock_to_ns(clock, event->end);
    meter->times->without += operator_id == 0;
    if (operator_id == 0 && !is_nobodys(meter, track, start))
        return;
    const enum operator_side side = operator_side_of(track, meter->said);
    struct operator_time *time = &meter->times->operators[operator_id];
    const bool inside_itself =
        track->nests && take_from_outer(meter, start, end, side, operator_id);
    time->total[side] += inside_itself ? 0 : end - start;
    time->self[side] += end - start;
    if (side == OPERATOR_DEVICE)
        add_to_callers(meter, event->call, end - start);
    const uint32_t forward = operator_times_forward_of(meter, event->call);
    if (forward != 0)
        meter->times->operators[forward].backward[side] += end - start;
    operator_times_count_call(meter, time, event->call);
    if (meter->kernel_key != HASH_NONE)
        operator_times_add_kernel(meter, time, values);
    if (track->nests)
        operator_times_open_push(meter, (struct open_span){end, operator_id, forward});
}

static status operator_times_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct operator_meter *meter = (struct operator_meter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->track != meter->track)
            meter->open_count = 0;
        meter->track = event->track;
        if (event->kind == EVENT_SPAN)
            operator_times_add_event(meter, event, event_values(batch, event));
    }
    return STATUS_OK;
}

static int operator_times_compare_times(const void *left, const void *right)
{
    const struct operator_time *a = left;
    const struct operator_time *b = right;
    if ((a->operator_id == 0) != (b->operator_id == 0))
        return a->operator_id == 0 ? 1 : -1;
    if (a->passed != b->passed)
        return a->passed > b->passed ? -1 : 1;
    for (int side = OPERATOR_SIDES - 1; side >= 0; side--) {
        if (a->self[side] != b->self[side])
            return a->self[side] > b->self[side] ? -1 : 1;
    }
    return (a->operator_id > b->operator_id) - (a->operator_id < b->operator_id);
}

static void operator_times_add_up(struct operator_time *sum, const struct operator_time *time)
{
    sum->calls += time->calls;
    sum->spans += time->spans;
    sum->kernel += time->kernel;
    sum->passed += time->passed;
    for (unsigned side = 0; side < OPERATOR_SIDES; side++) {
        sum->total[side] += time->total[side];
        sum->self[side] += time->self[side];
        sum->backward[side] += time->backward[side];
    }
}

// What operators are added up by: a text of theirs, as a string id.
typedef uint32_t operator_text(const struct profile *profile, uint32_t operator_id, uint32_t key);

// Operators without a type are counted by their name.
static uint32_t operator_times_type_of(const struct profile *profile, uint32_t operator_id,
                                       uint32_t key)
{
    const struct operator_description *op = profile_operator(profile, operator_id);
    (void)key;
    return op->type != 0 ? op->type : op->name;
}

// 0: it has no text as this value.
static uint32_t operator_times_value_of(const struct profile *profile, uint32_t operator_id,
                                        uint32_t key)
{
    struct value_reader reader = value_read(profile_operator(profile, operator_id)->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == key && value.kind == VALUE_STRING)
            return (uint32_t)value.number;
    }
    return 0;
}

// Rows for operators with the same text, slowest first; how many there are. Those without one are
// a row, too, apart from the time of no operator, or left out.
static size_t sum_by_text(const struct profile *profile, const struct operator_times *times,
                          operator_text *text_of, uint32_t key, bool without,
                          struct operator_time **out_rows)
{
    const size_t texts = profile->strings.texts.count;
    // + 1; by text, and last that of no operator
    uint32_t *index = memory_allocate_zeroed(texts + 1, sizeof *index);
    struct operator_time *rows = memory_allocate_zeroed(times->count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < times->count; i++) {
        const struct operator_time *time = &times->operators[i];
        const uint32_t text = text_of(profile, time->operator_id, key);
        if (text >= texts || (text == 0 && !without))
            continue;
        uint32_t *row = &index[time->operator_id == 0 ? texts : text];
        if (*row == 0) {
            *row = (uint32_t)++count;
            rows[count - 1].operator_id = time->operator_id;
        }
        operator_times_add_up(&rows[*row - 1], time);
    }
    sort_items(rows, count, sizeof *rows, operator_times_compare_times);
    free(index);
    *out_rows = rows;
    return count;
}

size_t operator_times_by_value(const struct profile *profile, const struct operator_times *times,
                               const char *key, struct operator_time **out_rows)
{
    return sum_by_text(profile, times, operator_times_value_of,
                       strings_find(&profile->strings, view_of(key)), false, out_rows);
}

// Leaves out the operators without spans, and sorts.
static void operator_times_finish(const struct profile *profile, struct operator_times *times)
{
    struct operator_time sum = {0};
    for (uint32_t id = 0; id < profile->operators.count; id++) {
        struct operator_time time = times->operators[id];
        if (time.spans == 0)
            continue;
        if (id == 0) { // its total is what nothing else has
            times->nobodys = true;
            time.calls = 0;
            memcpy(time.total, time.self, sizeof time.total);
        }
        time.operator_id = id;
        times->operators[times->count++] = time;
        operator_times_add_up(&sum, &time);
    }
    for (unsigned side = 0; side < OPERATOR_SIDES; side++)
        times->self[side] = sum.self[side];
    times->kernel = sum.kernel;
    times->passed = sum.passed;
    times->has_passed = sum.passed > 0;
    sort_items(times->operators, times->count, sizeof *times->operators,
               operator_times_compare_times);
    times->type_count = sum_by_text(profile, times, operator_times_type_of, 0, true, &times->types);
}

// Whether no lane of the device has work, and a derived one has that of the device as a whole.
static bool is_derived(const struct profile *profile)
{
    bool derived = false;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->spans > 0 && track->provenance != PROVENANCE_DERIVED &&
            operator_side_works(track))
            return false;
        derived |= operator_side_is_derived(track);
    }
    return derived;
}

static bool operator_times_counts(const struct operator_meter *meter, const struct track *track)
{
    if (track->provenance == PROVENANCE_DERIVED)
        return meter->derived && operator_side_is_derived(track);
    return !meter->derived || !operator_side_is_whole(track);
}

// Whether it is of a program that worked on a device.
static bool is_of_program(const struct profile *profile, const struct operator_times *times)
{
    uint64_t device = 0;
    for (uint32_t id = 1; id < profile->operators.count; id++)
        device += times->operators[id].self[OPERATOR_DEVICE];
    return device > 0 && profile_fact(profile, "target").size > 0;
}

static status measure_passed(struct profile *profile, struct operator_times *times)
{
    struct work_run run;
    if (!is_of_program(profile, times))
        return STATUS_OK;
    STATUS_TRY(work_measure(profile, WORK_AUTO, false, &run));
    for (size_t i = 0; i < run.sample_count; i++)
        times->operators[run.parts[run.samples[i].part].operator_id].passed += run.samples[i].ns;
    work_free(&run);
    return STATUS_OK;
}

status operator_times_measure(struct profile *profile, struct operator_times *out_times)
{
    *out_times = (struct operator_times){0};
    out_times->operators =
        memory_allocate_zeroed(profile->operators.count, sizeof *out_times->operators);
    struct operator_meter meter = {
        .sink = {operator_times_take_batch}, .profile = profile, .times = out_times};
    meter.kernel_key = strings_find(&profile->strings, VIEW_LITERAL("kernel_ns"));
    meter.said = operator_sides_are_said(profile);
    meter.derived = is_derived(profile);
    meter.forwards = backward_calls_find(profile);
    meter.seen = memory_allocate_zeroed(profile->calls.count / 8 + 1, 1);
    status result = STATUS_OK;
    for (uint32_t i = 0; i < profile->tracks.count && result == STATUS_OK; i++) {
        if (operator_times_counts(&meter, profile_track(profile, i)))
            result = profile_replay_track(profile, i, &meter.sink);
    }
    free(meter.forwards);
    free(meter.seen);
    free(meter.open);
    if (result == STATUS_OK)
        result = measure_passed(profile, out_times);
    if (result == STATUS_OK)
        operator_times_finish(profile, out_times);
    else
        operator_times_free(out_times);
    return result;
}

void operator_times_free(struct operator_times *times)
{
    free(times->operators);
    free(times->types);
    *times = (struct operator_times){0};
}
