#include "device_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Where the last marker of a lane went: the next one mostly goes there, too.
struct device_lane_state {
    uint64_t id;
    uint64_t time; // of its last row
    uint32_t run;
    uint32_t core; // position in the run's cores
    bool open;
    struct dispatch_lane dispatch;
};

// How far apart the cores of one run start at most, in microseconds. Real ones
// do within one; a replay of the same operation follows after several.
enum { SLACK_MICROSECONDS = 100 };

static const struct device_extent EXTENT_NONE = {DEVICE_NEVER, 0};

void device_ops_session(struct device_ops *ops)
{
    const struct device_log *log = ops->log;
    if (ops->sessions.count > 0)
        device_ops_finish(ops);
    *(struct device_session *)segments_add(&ops->sessions) =
        (struct device_session){.megahertz = log->megahertz,
                                .most_cores = log->most_cores,
                                .arch = log->arch,
                                .line = log->line.number};
    ops->slack = SLACK_MICROSECONDS * (log->megahertz > 0 ? log->megahertz : 1000);
}

void device_ops_start(struct device_ops *ops, const struct device_log *log)
{
    *ops = (struct device_ops){.log = log};
    segments_start(&ops->sessions, sizeof(struct device_session));
    segments_start(&ops->ops, sizeof(struct device_op));
    segments_start(&ops->runs, sizeof(struct device_run));
    device_ops_session(ops);
}

void device_ops_free(struct device_ops *ops)
{
    for (size_t i = 0; i < ops->lane_capacity; i++)
        dispatch_free(&ops->lanes[i].dispatch);
    for (uint32_t i = 0; i < ops->ops.count; i++)
        free(device_ops_op(ops, i)->runs);
    for (uint32_t i = 0; i < ops->runs.count; i++)
        free(device_ops_run(ops, i)->cores);
    segments_free(&ops->sessions);
    segments_free(&ops->ops);
    segments_free(&ops->runs);
    hash_free(&ops->index);
    hash_free(&ops->traced);
    free(ops->lanes);
}

// Operations ------------------------------------------------------------------

static uint32_t device_ops_key_hash(uint32_t session, uint32_t device, uint64_t id)
{
    return hash_u64(id ^ (uint64_t)device << 40 ^ (uint64_t)session << 52);
}

uint32_t device_ops_find(const struct device_ops *ops, uint32_t session, uint32_t device,
                         uint64_t id)
{
    const uint32_t hash = device_ops_key_hash(session, device, id);
    uint32_t found;
    for (uint32_t at = hash_first(&ops->index, hash);
         (found = hash_next(&ops->index, hash, &at)) != HASH_NONE;) {
        const struct device_op *op = device_ops_op(ops, found);
        if (op->session == session && op->device == device && op->id == id)
            break;
    }
    return found;
}

void device_ops_index(struct device_ops *ops, uint32_t index)
{
    const struct device_op *op = device_ops_op(ops, index);
    hash_add(&ops->index, device_ops_key_hash(op->session, op->device, op->id), index);
}

static struct device_op *device_ops_op_get(struct device_ops *ops, uint32_t device, uint64_t id,
                                           uint32_t *out_index)
{
    const uint32_t session = ops->sessions.count - 1;
    *out_index = device_ops_find(ops, session, device, id);
    if (*out_index != HASH_NONE)
        return device_ops_op(ops, *out_index);
    *out_index = ops->ops.count;
    struct device_op *op = segments_add(&ops->ops);
    *op = (struct device_op){.session = session,
                             .device = device,
                             .id = id,
                             .dispatch = EXTENT_NONE,
                             .go_signal = EXTENT_NONE};
    device_ops_index(ops, *out_index);
    return op;
}

// Runs ------------------------------------------------------------------------

// How many runs of `op` start at `time` or before.
static uint32_t device_ops_runs_before(const struct device_ops *ops, const struct device_op *op,
                                       uint64_t time)
{
    uint32_t low = 0;
    uint32_t high = op->run_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (device_ops_run(ops, op->runs[middle])->window.first <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t device_ops_run_at(const struct device_ops *ops, uint32_t session, uint32_t device,
                           uint64_t id, uint64_t time)
{
    const uint32_t found = device_ops_find(ops, session, device, id);
    if (found == HASH_NONE)
        return HASH_NONE;
    const struct device_op *op = device_ops_op(ops, found);
    if (op->run_count == 0)
        return HASH_NONE;
    const uint32_t before = device_ops_runs_before(ops, op, time);
    return op->runs[before > 0 ? before - 1 : 0];
}

static uint32_t traced_hash(const struct device_op *op, uint64_t trace, uint64_t counter)
{
    return hash_u64(device_ops_key_hash(op->session, op->device, op->id) ^ trace << 48 ^
                    counter << 32);
}

static uint32_t run_add(struct device_ops *ops, struct device_op *op, uint32_t op_index,
                        const struct device_log_row *row)
{
    const uint32_t index = ops->runs.count;
    struct device_run *run = segments_add(&ops->runs);
    *run = (struct device_run){.op = op_index,
                               .window = EXTENT_NONE,
                               .firmware = EXTENT_NONE,
                               .kernel = EXTENT_NONE,
                               .kernel_start = EXTENT_NONE,
                               .data_movement = EXTENT_NONE,
                               .line = ops->log->line.number,
                               .traced = row->traced,
                               .trace_id = row->trace_id,
                               .trace_counter = row->trace_counter};
    for (unsigned i = 0; i < DEVICE_RISCS; i++)
        run->riscs[i] = EXTENT_NONE;
    device_extent_add(&run->window, row->time);

    if (row->traced)
        hash_add(&ops->traced, traced_hash(op, row->trace_id, row->trace_counter), index);
    const uint32_t at = device_ops_runs_before(ops, op, row->time);
    op->runs = memory_grow(op->runs, op->run_count, &op->run_capacity, sizeof *op->runs);
    memmove(op->runs + at + 1, op->runs + at, (op->run_count - at) * sizeof *op->runs);
    op->runs[at] = index;
    op->run_count++;
    return index;
}

// Cores come in the same order in every run, so that a new one is mostly
// beyond the others.
static const struct device_core *core_search(const struct device_run *run, uint32_t core)
{
    if (core > run->core_most)
        return NULL;
    for (uint32_t i = run->core_count; i > 0; i--) {
        if (run->cores[i - 1].core == core)
            return &run->cores[i - 1];
    }
    return NULL;
}

static bool has_seen(const struct device_run *run, uint32_t core, uint32_t bit)
{
    const struct device_core *found = core_search(run, core);
    return found != NULL && (found->seen & bit) != 0;
}

static uint64_t device_ops_distance(const struct device_run *run, uint64_t time)
{
    if (time < run->window.first)
        return run->window.first - time;
    return time > run->window.last ? time - run->window.last : 0;
}

// How near `time` is to a run that may take the marker; DEVICE_NEVER when it
// may not: it has this marker already, or is too far away.
static uint64_t fitness(const struct device_ops *ops, const struct device_run *run, uint32_t core,
                        uint32_t bit, uint64_t time)
{
    const uint64_t away = device_ops_distance(run, time);
    const uint64_t length = run->window.last - run->window.first;
    const uint64_t slack = length > ops->slack ? length : ops->slack;
    return away > slack || has_seen(run, core, bit) ? DEVICE_NEVER : away;
}

static uint32_t choose_traced(const struct device_ops *ops, const struct device_op *op,
                              const struct device_log_row *row)
{
    const uint32_t hash = traced_hash(op, row->trace_id, row->trace_counter);
    uint32_t found;
    for (uint32_t at = hash_first(&ops->traced, hash);
         (found = hash_next(&ops->traced, hash, &at)) != HASH_NONE;) {
        const struct device_run *run = device_ops_run(ops, found);
        if (device_ops_op(ops, run->op) == op && run->trace_id == row->trace_id &&
            run->trace_counter == row->trace_counter)
            break;
    }
    return found;
}

static uint32_t device_ops_choose(const struct device_ops *ops, const struct device_op *op,
                                  const struct device_log_row *row, uint32_t core, uint32_t bit)
{
    if (row->traced)
        return choose_traced(ops, op, row);
    const uint32_t after = device_ops_runs_before(ops, op, row->time);
    uint32_t best = HASH_NONE;
    uint64_t best_fitness = DEVICE_NEVER;
    for (uint32_t i = after > 0 ? after - 1 : 0; i < op->run_count && i <= after; i++) {
        const struct device_run *run = device_ops_run(ops, op->runs[i]);
        const uint64_t fit = fitness(ops, run, core, bit, row->time);
        if (fit < best_fitness) {
            best = op->runs[i];
            best_fitness = fit;
        }
    }
    return best;
}

// The position of a core in a run.
static uint32_t core_get(struct device_run *run, uint32_t core)
{
    const struct device_core *found = core_search(run, core);
    if (found != NULL)
        return (uint32_t)(found - run->cores);
    run->cores = memory_grow(run->cores, run->core_count, &run->core_capacity, sizeof *run->cores);
    run->cores[run->core_count] = (struct device_core){
        .core = core, .kernel = EXTENT_NONE, .data_movement_start = DEVICE_NEVER};
    if (core > run->core_most)
        run->core_most = core;
    return run->core_count++;
}

// Lanes -----------------------------------------------------------------------

static struct device_lane_state *device_ops_lane_get(struct device_ops *ops, uint32_t lane)
{
    if (lane >= ops->lane_capacity) {
        const size_t capacity = ((size_t)lane + 1) * 2;
        ops->lanes = memory_resize(ops->lanes, capacity * sizeof *ops->lanes);
        memset(ops->lanes + ops->lane_capacity, 0,
               (capacity - ops->lane_capacity) * sizeof *ops->lanes);
        ops->lane_capacity = capacity;
    }
    return &ops->lanes[lane];
}

static uint32_t marker_bit(const struct device_lane *lane, const struct device_zone *zone,
                           enum device_marker marker)
{
    if (marker != DEVICE_ZONE_START && marker != DEVICE_ZONE_END)
        return 0;
    const bool start = marker == DEVICE_ZONE_START;
    if (zone->kind == DEVICE_ZONE_FW)
        return device_seen_bit(lane->risc, start ? DEVICE_SEEN_FW_START : DEVICE_SEEN_FW_END);
    if (zone->kind == DEVICE_ZONE_KERNEL)
        return device_seen_bit(lane->risc,
                               start ? DEVICE_SEEN_KERNEL_START : DEVICE_SEEN_KERNEL_END);
    return 0;
}

// Whether a later run of the same operation has begun at `time`, as other cores
// tell.
static bool has_later(const struct device_ops *ops, const struct device_run *run, uint32_t index,
                      uint64_t time)
{
    const struct device_op *op = device_ops_op(ops, run->op);
    if (op->run_count == 1)
        return false;
    const uint32_t before = device_ops_runs_before(ops, op, time);
    return before > 0 && op->runs[before - 1] != index;
}

// Whether a marker still belongs to the run that the lane is in.
static bool device_ops_stays(const struct device_ops *ops, const struct device_lane_state *state,
                             const struct device_log_row *row, uint32_t bit)
{
    if (!state->open || state->id != row->run_host_id)
        return false;
    const struct device_run *run = device_ops_run(ops, state->run);
    if ((run->cores[state->core].seen & bit) != 0)
        return false;
    if (row->traced || run->traced)
        return row->traced == run->traced && row->trace_id == run->trace_id &&
               row->trace_counter == run->trace_counter;
    return row->time <= run->window.last || !has_later(ops, run, state->run, row->time);
}

static void device_ops_enter(struct device_ops *ops, struct device_lane_state *state,
                             const struct device_lane *lane, const struct device_log_row *row,
                             uint32_t bit)
{
    uint32_t op_index;
    struct device_op *op = device_ops_op_get(ops, lane->device, row->run_host_id, &op_index);
    uint32_t run = device_ops_choose(ops, op, row, lane->core, bit);
    if (run == HASH_NONE)
        run = run_add(ops, op, op_index, row);
    *state = (struct device_lane_state){.id = row->run_host_id,
                                        .time = state->time,
                                        .dispatch = state->dispatch,
                                        .run = run,
                                        .core = core_get(device_ops_run(ops, run), lane->core),
                                        .open = true};
}

static void device_ops_add_kernel(struct device_run *run, struct device_core *core,
                                  enum device_risc risc, const struct device_log_row *row)
{
    device_extent_add(&run->kernel, row->time);
    device_extent_add(&run->riscs[risc], row->time);
    device_extent_add(&core->kernel, row->time);
    const bool moves = risc == DEVICE_BRISC || risc == DEVICE_NCRISC;
    if (moves || risc == DEVICE_ERISC)
        device_extent_add(&run->data_movement, row->time);
    if (row->marker != DEVICE_ZONE_START)
        return;
    device_extent_add(&run->kernel_start, row->time);
    if (moves && row->time < core->data_movement_start)
        core->data_movement_start = row->time;
}

// Dispatch cores --------------------------------------------------------------

// The NCRISC beside a BRISC, or NULL.
static const struct dispatch_lane *find_subordinate(const struct device_ops *ops,
                                                    const struct dispatch_lane *master)
{
    for (size_t i = 0; i < ops->lane_capacity; i++) {
        const struct dispatch_lane *lane = &ops->lanes[i].dispatch;
        if (lane->dispatches && lane->risc == DEVICE_NCRISC && lane->core == master->core)
            return lane;
    }
    return NULL;
}

static void finish_dispatch(struct device_ops *ops, const struct dispatch_lane *master)
{
    const struct dispatch_lane *subordinate = find_subordinate(ops, master);
    for (size_t i = 0; i < master->count; i++) {
        uint32_t index;
        if (master->items[i].id == 0)
            continue;
        struct device_op *op = device_ops_op_get(ops, master->device, master->items[i].id, &index);
        op->dispatch = master->items[i].extent;
        if (subordinate != NULL && i < subordinate->count)
            op->go_signal = subordinate->items[i].extent;
    }
}

void device_ops_finish(struct device_ops *ops)
{
    for (size_t i = 0; i < ops->lane_capacity; i++) {
        const struct dispatch_lane *lane = &ops->lanes[i].dispatch;
        if (lane->dispatches && lane->risc == DEVICE_BRISC)
            finish_dispatch(ops, lane);
    }
    for (size_t i = 0; i < ops->lane_capacity; i++) {
        dispatch_free(&ops->lanes[i].dispatch);
        ops->lanes[i] = (struct device_lane_state){0};
    }
}

static void note_order(struct device_ops *ops, struct device_lane_state *state, uint64_t time)
{
    if (time < state->time) {
        struct device_session *session = segments_get(&ops->sessions, ops->sessions.count - 1);
        session->unordered = true;
    }
    state->time = time;
}

void device_ops_take(struct device_ops *ops, const struct device_log_row *row)
{
    const struct device_zone *zone = device_log_zone(ops->log, row->zone);
    const struct device_lane *lane = device_log_lane(ops->log, row->lane);
    struct device_lane_state *state = device_ops_lane_get(ops, row->lane);
    note_order(ops, state, row->time);
    if ((zone->kind == DEVICE_ZONE_DISPATCH || state->dispatch.dispatches) &&
        dispatch_take(&state->dispatch, lane, zone, row))
        return;
    if (row->run_host_id == 0 || zone->timer_id == 0 || lane->risc == DEVICE_RISC_OTHER)
        return;
    if (zone->kind == DEVICE_ZONE_OTHER && !zone->names_firmware)
        return;

    const uint32_t bit = marker_bit(lane, zone, row->marker);
    if (!device_ops_stays(ops, state, row, bit))
        device_ops_enter(ops, state, lane, row, bit);
    struct device_run *run = device_ops_run(ops, state->run);
    struct device_core *core = &run->cores[state->core];
    core->seen |= bit | (zone->names_firmware ? (uint32_t)DEVICE_SEEN_FIRMWARE : 0);
    device_extent_add(&run->window, row->time);
    if (zone->kind == DEVICE_ZONE_FW)
        device_extent_add(&run->firmware, row->time);
    else if (zone->kind == DEVICE_ZONE_KERNEL)
        device_ops_add_kernel(run, core, lane->risc, row);
    else if (zone->kind == DEVICE_ZONE_WAIT_FRONT && lane->risc == DEVICE_TRISC_0)
        run->wait_front += row->data;
    else if (zone->kind == DEVICE_ZONE_RESERVE_BACK && lane->risc == DEVICE_TRISC_2)
        run->reserve_back += row->data;
}

// Figures ---------------------------------------------------------------------

static const char *const ZONE_RISCS[DEVICE_RISCS] = {"BRISC",   "NCRISC",  "TRISC_0",
                                                     "TRISC_1", "TRISC_2", "ERISC"};

// How many cores have one marker of a pair and not the other.
static uint32_t missing_of(const struct device_run *run, enum device_risc risc,
                           enum device_seen there, enum device_seen gone)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->core_count; i++) {
        const uint32_t seen = run->cores[i].seen;
        count +=
            (seen & device_seen_bit(risc, there)) != 0 && (seen & device_seen_bit(risc, gone)) == 0;
    }
    return count;
}

static uint32_t device_ops_note_missing(struct device_figures *figures,
                                        const struct device_run *run, enum device_risc risc,
                                        enum device_seen there, enum device_seen gone)
{
    const uint32_t count = missing_of(run, risc, there, gone);
    if (count == 0)
        return 0;
    const bool kernel = gone == DEVICE_SEEN_KERNEL_START || gone == DEVICE_SEEN_KERNEL_END;
    const bool start = gone == DEVICE_SEEN_FW_START || gone == DEVICE_SEEN_KERNEL_START;
    if (figures->missing == 0)
        snprintf(figures->missing_text, sizeof figures->missing_text, "%s %s %s of %u core%s",
                 ZONE_RISCS[risc], kernel ? "KERNEL" : "FW", start ? "start" : "end", count,
                 count == 1 ? "" : "s");
    figures->missing += count;
    return count;
}

static struct device_span device_ops_span_of(const struct device_extent *extent, bool whole)
{
    return (struct device_span){whole && extent->first != DEVICE_NEVER, extent->first,
                                extent->last};
}

// One start alone has no last one.
static bool starts_twice(const struct device_run *run)
{
    unsigned starts = 0;
    for (uint32_t i = 0; i < run->core_count && starts < 2; i++) {
        for (unsigned risc = 0; risc < DEVICE_RISCS; risc++)
            starts += (run->cores[i].seen &
                       device_seen_bit((enum device_risc)risc, DEVICE_SEEN_KERNEL_START)) != 0;
    }
    return starts >= 2;
}

static void device_ops_count_cores(const struct device_run *run, struct device_figures *figures)
{
    figures->per_core_least = DEVICE_NEVER;
    for (uint32_t i = 0; i < run->core_count; i++) {
        const struct device_core *core = &run->cores[i];
        figures->core_count += (core->seen & DEVICE_SEEN_FIRMWARE) != 0;
        if (core->kernel.first == DEVICE_NEVER)
            continue;
        const uint64_t cycles = core->kernel.last - core->kernel.first;
        if (cycles < figures->per_core_least)
            figures->per_core_least = cycles;
        if (cycles > figures->per_core_most)
            figures->per_core_most = cycles;
        figures->per_core_sum += cycles;
        figures->per_core_count++;
    }
}

void device_run_figures(const struct device_run *run, struct device_figures *out_figures)
{
    struct device_figures *figures = out_figures;
    *figures = (struct device_figures){0};
    uint32_t fw_starts = 0;
    uint32_t fw_ends = 0;
    uint32_t kernel_starts = 0;
    uint32_t kernel_ends = 0;
    for (unsigned i = 0; i < DEVICE_RISCS; i++) {
        const enum device_risc risc = (enum device_risc)i;
        fw_starts +=
            device_ops_note_missing(figures, run, risc, DEVICE_SEEN_FW_END, DEVICE_SEEN_FW_START);
        fw_ends +=
            device_ops_note_missing(figures, run, risc, DEVICE_SEEN_FW_START, DEVICE_SEEN_FW_END);
        const uint32_t starts = device_ops_note_missing(figures, run, risc, DEVICE_SEEN_KERNEL_END,
                                                        DEVICE_SEEN_KERNEL_START);
        const uint32_t ends = device_ops_note_missing(figures, run, risc, DEVICE_SEEN_KERNEL_START,
                                                      DEVICE_SEEN_KERNEL_END);
        figures->riscs[i] = device_ops_span_of(&run->riscs[i], starts + ends == 0);
        kernel_starts += starts;
        kernel_ends += ends;
    }
    const bool firmware = run->firmware.first != DEVICE_NEVER;
    figures->start_known = firmware && fw_starts == 0;
    figures->end_known = firmware && fw_ends == 0;
    figures->start = run->firmware.first;
    figures->end = run->firmware.last;
    const bool whole = kernel_starts + kernel_ends == 0;
    figures->firmware = device_ops_span_of(&run->firmware, fw_starts + fw_ends == 0);
    figures->kernel = device_ops_span_of(&run->kernel, whole);
    figures->data_movement = device_ops_span_of(&run->data_movement, whole);
    figures->data_movement.last = run->kernel.last;
    figures->kernel_start =
        device_ops_span_of(&run->kernel_start, kernel_starts == 0 && starts_twice(run));
    device_ops_count_cores(run, figures);
    figures->per_core_known = whole && figures->per_core_count > 0;
}
