#include "work.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"
#include "operator_times.h"
#include "operator_work.h"
#include "step_extents.h"

enum { TENSORS_MOST = 64 };

// A part at work on one lane.
struct segment {
    uint64_t start; // while it is swept: how much time there had been for each by then, as a double
    uint64_t end;
    uint32_t part;
    uint32_t iteration;
    uint32_t turn; // of its call among those of the part
};

struct segment_end {
    uint64_t at;
    uint64_t segment;
};

struct open_part {
    uint64_t end;
    uint32_t part;
    uint32_t iteration;
    uint32_t turn;
    bool is_operator;
    bool is_step; // nobody knows what is done while it is the innermost
};

struct work_meter {
    struct event_sink sink;
    struct profile *profile;
    struct work_run *run;
    bool has_roles;
    bool derived;   // of the device there is only what is derived from what the host recorded
    bool with_host; // what the host does counts besides the device: it is a part of the program
    bool waits;     // the track at hand is one where somebody waits
    bool computes;  // or one that computes: its spans are kernels
    bool moves;     // or one that moves data in or out
    bool whole_only;
    struct step_extents steps;
    uint32_t *turns; // of each call among those of its part, from 1; 0: it has not come yet
    uint32_t bytes_key;
    struct hash_index part_index; // by operator or name
    uint64_t *part_keys;
    size_t part_capacity, key_capacity;
    struct hash_index iteration_index; // by number
    size_t iteration_capacity;
    struct hash_index sample_index; // by part and iteration
    size_t sample_capacity;
    struct hash_index kernel_index; // by part and name
    struct kernel {
        uint64_t key;
        double time;
    } * kernels;
    size_t kernel_count, kernel_capacity;
    struct spool segments; // struct segment
    uint32_t track;        // that the open parts lie on
    uint64_t cursor;       // up to which the innermost one is accounted for
    struct open_part *open;
    size_t open_count, open_capacity;
};

// Parts -----------------------------------------------------------------------

static struct view work_keep_text(struct work_meter *meter, struct view text)
{
    return arena_copy(&meter->run->arena, text);
}

static struct view operator_text_value(const struct profile *profile,
                                       const struct operator_description *op, const char *key)
{
    const uint32_t id = strings_find(&profile->strings, view_of(key));
    struct value_reader reader = value_read(op->values);
    struct value value;
    while (id != HASH_NONE && value_next(&reader, &value)) {
        if (value.key == id && value.kind == VALUE_TEXT)
            return value.text;
        if (value.key == id && value.kind == VALUE_STRING)
            return profile_text(profile, (uint32_t)value.number);
    }
    return VIEW_LITERAL("");
}

// What the operator says of its inputs, in one text.
static struct view shape_of(struct work_meter *meter, const struct operator_description *op)
{
    struct bytes text = {0};
    char key[32];
    const struct view whole = operator_text_value(meter->profile, op, "inputs");
    if (whole.size > 0)
        return work_keep_text(meter, whole);
    for (unsigned i = 0; i < TENSORS_MOST; i++) {
        snprintf(key, sizeof key, "input_%u.shape", i);
        const struct view shape = operator_text_value(meter->profile, op, key);
        if (shape.size == 0)
            break;
        snprintf(key, sizeof key, "input_%u.datatype", i);
        bytes_append_format(&text, "%s%.*s %.*s", i > 0 ? ", " : "", VIEW_ARGUMENTS(shape),
                            VIEW_ARGUMENTS(operator_text_value(meter->profile, op, key)));
    }
    const struct view kept = work_keep_text(meter, bytes_view(&text));
    bytes_free(&text);
    return kept;
}

static void describe_part(struct work_meter *meter, struct work_part *part, uint32_t operator_id,
                          uint32_t name)
{
    const struct profile *profile = meter->profile;
    *part = (struct work_part){
        .first = UINT64_MAX, .is_operator = operator_id != 0, .operator_id = operator_id};
    if (operator_id == 0) {
        part->name = work_keep_text(meter, profile_text(profile, name));
        return;
    }
    const struct operator_description *op = profile_operator(profile, operator_id);
    part->name =
        work_keep_text(meter, profile_text(profile, op->name != 0 ? op->name : op->location));
    part->type = work_keep_text(meter, profile_text(profile, op->type));
    part->location = work_keep_text(meter, profile_text(profile, op->location));
    part->shape = shape_of(meter, op);
}

static uint32_t find_part(struct work_meter *meter, uint32_t operator_id, uint32_t name)
{
    struct work_run *run = meter->run;
    const uint64_t key = operator_id != 0 ? (uint64_t)1 << 32 | operator_id : name;
    const uint32_t hash = hash_u64(key);
    uint32_t id;
    for (uint32_t at = hash_first(&meter->part_index, hash);
         (id = hash_next(&meter->part_index, hash, &at)) != HASH_NONE;) {
        if (meter->part_keys[id] == key)
            return id;
    }
    run->parts =
        memory_grow(run->parts, run->part_count, &meter->part_capacity, sizeof *run->parts);
    meter->part_keys = memory_grow(meter->part_keys, run->part_count, &meter->key_capacity,
                                   sizeof *meter->part_keys);
    describe_part(meter, &run->parts[run->part_count], operator_id, name);
    meter->part_keys[run->part_count] = key;
    hash_add(&meter->part_index, hash, (uint32_t)run->part_count);
    return (uint32_t)run->part_count++;
}

static uint32_t find_iteration(struct work_meter *meter, uint32_t number)
{
    struct work_run *run = meter->run;
    const uint32_t hash = hash_u64(number);
    uint32_t id;
    for (uint32_t at = hash_first(&meter->iteration_index, hash);
         (id = hash_next(&meter->iteration_index, hash, &at)) != HASH_NONE;) {
        if (run->iterations[id].number == number)
            return id;
    }
    run->iterations = memory_grow(run->iterations, run->iteration_count, &meter->iteration_capacity,
                                  sizeof *run->iterations);
    run->iterations[run->iteration_count] =
        (struct work_iteration){.number = number, .first = UINT64_MAX};
    hash_add(&meter->iteration_index, hash, (uint32_t)run->iteration_count);
    return (uint32_t)run->iteration_count++;
}

// Which span of a part takes most of its time.
static void count_kernel(struct work_meter *meter, uint32_t part_id, uint32_t name, double ns)
{
    const uint64_t key = (uint64_t)part_id << 32 | name;
    const uint32_t hash = hash_u64(key);
    struct work_part *part = &meter->run->parts[part_id];
    uint32_t id;
    for (uint32_t at = hash_first(&meter->kernel_index, hash);
         (id = hash_next(&meter->kernel_index, hash, &at)) != HASH_NONE;) {
        if (meter->kernels[id].key == key)
            break;
    }
    if (id == HASH_NONE) {
        meter->kernels = memory_grow(meter->kernels, meter->kernel_count, &meter->kernel_capacity,
                                     sizeof *meter->kernels);
        id = (uint32_t)meter->kernel_count++;
        meter->kernels[id] = (struct kernel){.key = key};
        hash_add(&meter->kernel_index, hash, id);
    }
    meter->kernels[id].time += ns;
    if (meter->kernels[id].time > part->kernel_time) {
        part->kernel_time = meter->kernels[id].time;
        part->kernel = profile_text(meter->profile, name); // kept when all is measured
    }
}

// Segments --------------------------------------------------------------------

static status add_segment(struct work_meter *meter, uint64_t start, uint64_t end,
                          const struct open_part *of)
{
    struct work_iteration *round = &meter->run->iterations[of->iteration];
    struct work_part *what = &meter->run->parts[of->part];
    if (start >= end)
        return STATUS_OK;
    round->first = start < round->first ? start : round->first;
    round->last = end > round->last ? end : round->last;
    what->first = start < what->first ? start : what->first;
    const struct segment segment = {start, end, of->part, of->iteration, of->turn};
    return spool_append(&meter->segments, &segment, sizeof segment);
}

// The innermost part works until `until`; those that end before it are closed.
static status close_until(struct work_meter *meter, uint64_t until)
{
    while (meter->open_count > 0) {
        const struct open_part top = meter->open[meter->open_count - 1];
        const uint64_t end = top.end < until ? top.end : until;
        if (end > meter->cursor && !top.is_step)
            STATUS_TRY(add_segment(meter, meter->cursor, end, &top));
        meter->cursor = end > meter->cursor ? end : meter->cursor;
        if (top.end > until)
            break;
        meter->open_count--;
    }
    return STATUS_OK;
}

static status open_part(struct work_meter *meter, uint64_t start, const struct open_part *part)
{
    // What ends no later is never the innermost again.
    while (meter->open_count > 0 && meter->open[meter->open_count - 1].end <= part->end)
        meter->open_count--;
    meter->open =
        memory_grow(meter->open, meter->open_count, &meter->open_capacity, sizeof *meter->open);
    meter->open[meter->open_count++] = *part;
    meter->cursor = start;
    return STATUS_OK;
}

static void add_values(struct work_meter *meter, struct work_part *part, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != meter->bytes_key || value.kind != VALUE_UINT)
            continue;
        part->bytes += (double)value.number;
        part->moved += meter->moves ? (double)value.number : 0;
    }
}

// Which call of the part this is, from 0. Spans that belong to no call are calls themselves.
static uint32_t count_call(struct work_meter *meter, struct work_part *part, uint32_t call)
{
    if (call == 0)
        return (uint32_t)part->calls++;
    if (meter->turns[call] == 0)
        meter->turns[call] = (uint32_t)++part->calls;
    return meter->turns[call] - 1;
}

// In which iteration a span lies; false: in none that counts.
static bool iteration_of(const struct work_meter *meter, const struct event *event,
                         const struct open_part *around, uint64_t start, uint32_t *out_number)
{
    const bool steps = meter->whole_only && meter->steps.count > 0;
    const struct step_extent *step =
        steps && event->call == 0 ? step_extents_at(&meter->steps, start) : NULL;
    *out_number = profile_call(meter->profile, event->call)->iteration;
    if (event->call == 0 && around != NULL)
        *out_number = meter->run->iterations[around->iteration].number;
    else if (step != NULL)
        *out_number = step->number;
    else if (steps && event->call == 0)
        return false;
    return !steps || step_extents_find(&meter->steps, *out_number) != NULL;
}

// Whose time a span is: its operator's, or that of the operator it lies in, or its own.
static status add_span(struct work_meter *meter, const struct event *event, struct view values)
{
    const struct profile *profile = meter->profile;
    const struct track *track = profile_track(profile, event->track);
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    const struct call *call = profile_call(profile, event->call);
    const uint64_t start = clock_to_ns(clock, event->start);
    const uint64_t end = clock_to_ns(clock, event->end);
    if (track->nests)
        STATUS_TRY(close_until(meter, start));
    const struct open_part *around =
        track->nests && meter->open_count > 0 ? &meter->open[meter->open_count - 1] : NULL;
    if (call->operator_id == 0 && around != NULL && around->is_operator)
        return STATUS_OK;
    uint32_t number;
    if (!iteration_of(meter, event, around, start, &number))
        return STATUS_OK;
    if (step_extents_is_step(profile, event->call))
        return track->nests
                   ? open_part(meter, start,
                               &(struct open_part){.end = end,
                                                   .iteration = find_iteration(meter, number),
                                                   .is_step = true})
                   : STATUS_OK;
    const uint32_t part = find_part(meter, call->operator_id, event->name);
    if (meter->waits) {
        meter->run->parts[part].waited += (double)(end - start);
        return STATUS_OK;
    }
    const struct open_part opened = {
        .end = end,
        .part = part,
        .iteration = find_iteration(meter, number),
        .turn = count_call(meter, &meter->run->parts[part], event->call),
        .is_operator = call->operator_id != 0,
    };
    add_values(meter, &meter->run->parts[part], values);
    if (opened.is_operator && meter->computes)
        count_kernel(meter, part, event->name, (double)(end - start));
    return track->nests ? open_part(meter, start, &opened)
                        : add_segment(meter, start, end, &opened);
}

static status work_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct work_meter *meter = (struct work_meter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind == EVENT_SPAN)
            STATUS_TRY(add_span(meter, event, event_values(batch, event)));
    }
    return STATUS_OK;
}

// Tracks ----------------------------------------------------------------------

static void choose_side(struct work_meter *meter, enum work_side side)
{
    bool device = false;
    bool derived = false;
    bool measured = false;
    for (uint32_t i = 0; i < meter->profile->tracks.count; i++) {
        const struct track *track = profile_track(meter->profile, i);
        derived = derived || operator_side_is_derived(track);
        if (track->spans == 0 || track->provenance == PROVENANCE_DERIVED)
            continue;
        device = device || operator_side_works(track);
        measured = measured || track->provenance != PROVENANCE_MODELLED;
        meter->has_roles = meter->has_roles || track->role != ROLE_NONE;
    }
    meter->derived = derived && !device;
    device = device || derived;
    meter->run->modelled = !measured;
    meter->run->side = side != WORK_AUTO ? side : device ? WORK_DEVICE : WORK_HOST;
    meter->with_host = side == WORK_AUTO && profile_fact(meter->profile, "target").size > 0;
}

static status replay_lanes(struct work_meter *meter)
{
    struct profile *profile = meter->profile;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const bool works =
            meter->run->side == WORK_DEVICE
                ? operator_side_works(track) || (meter->with_host && track->role == ROLE_HOST)
                : operator_side_of(track, meter->has_roles) == OPERATOR_HOST;
        meter->waits = track->role == ROLE_WAIT;
        meter->computes = track->role == ROLE_COMPUTE;
        meter->moves = role_is_transfer(track->role);
        if (track->provenance == PROVENANCE_DERIVED &&
            !(meter->derived && operator_side_is_derived(track)))
            continue;
        if (!works && !meter->waits)
            continue;
        meter->cursor = 0;
        STATUS_TRY(profile_replay_track(profile, i, &meter->sink));
        STATUS_TRY(close_until(meter, UINT64_MAX));
    }
    return STATUS_OK;
}

// Sharing out -----------------------------------------------------------------

static bool starts_before(const void *left, const void *right)
{
    const struct segment *a = left, *b = right;
    return a->start < b->start;
}

static bool ends_before(const void *left, const void *right)
{
    const struct segment_end *a = left, *b = right;
    return a->at < b->at;
}

static void add_sample(struct work_meter *meter, const struct segment *segment, double ns)
{
    struct work_run *run = meter->run;
    const uint32_t hash = hash_u64((uint64_t)segment->part << 32 | segment->iteration);
    uint32_t id;
    run->iterations[segment->iteration].busy += ns;
    for (uint32_t at = hash_first(&meter->sample_index, hash);
         (id = hash_next(&meter->sample_index, hash, &at)) != HASH_NONE;) {
        struct work_sample *sample = &run->samples[id];
        if (sample->part == segment->part && sample->iteration == segment->iteration) {
            sample->ns += ns;
            return;
        }
    }
    run->samples =
        memory_grow(run->samples, run->sample_count, &meter->sample_capacity, sizeof *run->samples);
    run->samples[run->sample_count] = (struct work_sample){segment->part, segment->iteration, ns};
    hash_add(&meter->sample_index, hash, (uint32_t)run->sample_count++);
}

// Time passes from edge to edge; `each` is what one who worked all the time would have got of it.
static void share_out(struct work_meter *meter, struct segment *segments, size_t count,
                      const struct segment_end *ends)
{
    double each = 0;
    uint64_t now = 0;
    size_t started = 0;
    for (size_t ended = 0; ended < count;) {
        const bool starts = started < count && segments[started].start < ends[ended].at;
        const uint64_t at = starts ? segments[started].start : ends[ended].at;
        const size_t active = started - ended;
        if (active > 0)
            each += (double)(at - now) / (double)active;
        now = at;
        if (starts) {
            memcpy(&segments[started++].start, &each, sizeof each);
            continue;
        }
        const struct segment *segment = &segments[ends[ended++].segment];
        double before;
        memcpy(&before, &segment->start, sizeof before);
        add_sample(meter, segment, each - before);
        call_blocks_add(&meter->run->calls, segment->part, segment->turn, each - before);
    }
}

static void make_blocks(struct work_run *run)
{
    uint64_t *calls = memory_allocate_zeroed(run->part_count + 1, sizeof *calls);
    for (size_t i = 0; i < run->part_count; i++)
        calls[i] = run->parts[i].calls;
    run->calls = call_blocks_make(calls, run->part_count);
    free(calls);
}

static status sweep_segments(struct work_meter *meter)
{
    struct spool ends_spool = SPOOL_EMPTY;
    char *data, *ends_data;
    size_t size;
    status result = spool_read(&meter->segments, &data, &size);
    const size_t count = result == STATUS_OK ? size / sizeof(struct segment) : 0;
    if (count == 0)
        return result;
    struct segment *segments = (struct segment *)(void *)data;
    sort_in_place(segments, count, sizeof *segments, starts_before);
    meter->run->began = segments[0].start;
    result = spool_make_room(&ends_spool, count * sizeof(struct segment_end), &ends_data);
    if (result == STATUS_OK) {
        make_blocks(meter->run);
        struct segment_end *ends = (struct segment_end *)(void *)ends_data;
        for (size_t i = 0; i < count; i++)
            ends[i] = (struct segment_end){segments[i].end, i};
        sort_in_place(ends, count, sizeof *ends, ends_before);
        share_out(meter, segments, count, ends);
    }
    spool_free(&ends_spool);
    return result;
}

// In order --------------------------------------------------------------------

static int work_by_number(const void *left, const void *right)
{
    const struct work_iteration *a = left, *b = right;
    return sort_compare(a->number, b->number);
}

static int work_by_part(const void *left, const void *right)
{
    const struct work_sample *a = left, *b = right;
    return a->part != b->part ? sort_compare(a->part, b->part)
                              : sort_compare(a->iteration, b->iteration);
}

// Iterations in the order of their numbers, samples by part; samples name them by index. Those in
// which nothing lasted are left out.
static void put_in_order(struct work_meter *meter)
{
    struct work_run *run = meter->run;
    size_t kept = 0;
    for (size_t i = 0; i < run->sample_count; i++)
        run->samples[i].iteration = run->iterations[run->samples[i].iteration].number;
    for (size_t i = 0; i < run->iteration_count; i++) {
        if (run->iterations[i].first != UINT64_MAX)
            run->iterations[kept++] = run->iterations[i];
    }
    run->iteration_count = kept;
    sort_items(run->iterations, kept, sizeof *run->iterations, work_by_number);
    sort_items(run->samples, run->sample_count, sizeof *run->samples, work_by_part);
    size_t at = 0;
    for (size_t i = 0; i < run->sample_count; i++) {
        struct work_sample *sample = &run->samples[i];
        if (i == 0 || sample->part != sample[-1].part)
            at = 0;
        while (run->iterations[at].number < sample->iteration)
            at++;
        sample->iteration = (uint32_t)at;
    }
    for (size_t i = 0; i < run->part_count; i++)
        run->parts[i].kernel = work_keep_text(meter, run->parts[i].kernel);
}

// They are in the order of their numbers.
static void find_wholes(struct work_meter *meter)
{
    struct work_run *run = meter->run;
    for (size_t i = 0; i < run->iteration_count; i++) {
        struct work_iteration *round = &run->iterations[i];
        const struct step_extent *step = step_extents_find(&meter->steps, round->number);
        const bool has_next = meter->steps.count == 0 && i + 1 < run->iteration_count;
        const uint64_t work = round->last - round->first;
        uint64_t whole = step != NULL ? step->end - step->start : 0;
        if (has_next && round[1].first > round->first)
            whole = round[1].first - round->first;
        round->whole = whole > 0 && whole < work ? work : whole;
    }
}

static void count_macs(struct work_meter *meter)
{
    struct operator_work *works = operator_works_read(meter->profile);
    for (size_t i = 0; i < meter->run->part_count; i++)
        meter->run->parts[i].macs = works[meter->run->parts[i].operator_id].macs;
    free(works);
}

status work_measure(struct profile *profile, enum work_side side, bool whole_only,
                    struct work_run *out_run)
{
    *out_run = (struct work_run){0};
    struct work_meter meter = {
        .sink = {work_take_batch},
        .profile = profile,
        .run = out_run,
        .whole_only = whole_only,
        .segments = SPOOL_EMPTY,
        .bytes_key = strings_find(&profile->strings, VIEW_LITERAL("bytes")),
    };
    meter.turns = memory_allocate_zeroed((size_t)profile->calls.count + 1, sizeof *meter.turns);
    choose_side(&meter, side);
    status result = step_extents_read(profile, &meter.steps);
    if (result == STATUS_OK)
        result = replay_lanes(&meter);
    if (result == STATUS_OK)
        result = sweep_segments(&meter);
    if (result == STATUS_OK) {
        put_in_order(&meter);
        find_wholes(&meter);
        count_macs(&meter);
        out_run->clock = work_keep_text(&meter, profile_fact(profile, "clock"));
    }
    hash_free(&meter.part_index);
    hash_free(&meter.iteration_index);
    hash_free(&meter.sample_index);
    hash_free(&meter.kernel_index);
    spool_free(&meter.segments);
    step_extents_free(&meter.steps);
    free(meter.turns);
    free(meter.part_keys);
    free(meter.kernels);
    free(meter.open);
    if (result != STATUS_OK)
        work_free(out_run);
    return result;
}

void work_free(struct work_run *run)
{
    arena_free(&run->arena);
    free(run->parts);
    free(run->iterations);
    free(run->samples);
    call_blocks_free(&run->calls);
    *run = (struct work_run){0};
}
