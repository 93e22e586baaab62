#include "warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "group.h"
#include "program/location.h"

enum {
    SHARE_LEAST = 100, // what takes less than 1/100 of the whole is not worth a line
    BUSY = 80,         // per cent from which an engine counts as the bottleneck
    IDLE = 50,         // and below which another one counts as idle
};

// What the tasks of a group come to, in cycles.
struct account {
    uint64_t compute;  // on its engine, all lanes together
    uint64_t transfer; // by the DMA
    uint64_t host;
    uint64_t half_empty; // of `compute`: would do twice as much in the same time
    uint64_t set_up;     // of `transfer`: most of it is set-up
    uint64_t short_runs; // of `transfer`: runs shorter than a burst
    uint64_t set_ups, short_run_count, shortest_run;
    uint64_t start, end; // of the first and the last task
    uint32_t half_empty_tiles;
    uint32_t lanes; // that had work
    uint32_t *used; // them
    size_t used_capacity;
};

struct finder {
    struct plan *plan;
    const struct program *program;
    const struct target *target;
    const struct sim_result *result;
    struct account *accounts; // by group; one more for all
    struct account *all;
    uint64_t *computed; // cycles by engine, all lanes together
    uint64_t *bursts;   // bytes by engine
};

// A line to be: how many cycles it is about, and which group or value.
struct line {
    uint64_t cycles;
    uint32_t id;
    uint32_t other;
};

struct lines {
    struct line *items;
    size_t count;
    size_t capacity;
};

static bool matters(const struct finder *finder, uint64_t cycles)
{
    return cycles > 0 && cycles >= finder->result->end / SHARE_LEAST;
}

static void line_add(const struct finder *finder, struct lines *lines, struct line line)
{
    if (!matters(finder, line.cycles))
        return;
    lines->items = memory_grow(lines->items, lines->count, &lines->capacity, sizeof *lines->items);
    lines->items[lines->count++] = line;
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left;
    const struct line *b = right;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static void lines_sort(struct lines *lines)
{
    if (lines->count > 0)
        sort_items(lines->items, lines->count, sizeof *lines->items, compare_lines);
}

static double percent(const struct finder *finder, uint64_t cycles)
{
    return finder->result->end > 0 ? 100.0 * (double)cycles / (double)finder->result->end : 0;
}

// Counting ------------------------------------------------------------------------

static enum target_role warnings_role_of(const struct finder *finder, uint32_t engine)
{
    return finder->target->engines[engine].role;
}

// To or from the far memory.
static bool warnings_is_transfer(const struct finder *finder, uint32_t engine)
{
    const struct target_engine *own = &finder->target->engines[engine];
    const uint32_t far = target_far_memory(finder->target);
    return own->role == TARGET_ROLE_TRANSFER && (own->from == far || own->to == far);
}

// Of the cycles of transfers, those of a core: cores have transfers of their own at a time.
static uint64_t of_a_core(const struct finder *finder, uint64_t cycles)
{
    uint64_t units = 1;
    for (uint32_t i = 0; i < finder->target->engine_count; i++) {
        const uint32_t own = target_units(finder->target, finder->target->engines[i].per);
        if (warnings_is_transfer(finder, i) && own > units)
            units = own;
    }
    return cycles / units;
}

// Without the article: "arrays".
static const char *warnings_bare_name(const char *called)
{
    return strncmp(called, "the ", 4) == 0 ? called + 4 : called;
}

static uint64_t price(const struct finder *finder, const struct program_task *task,
                      const struct cost_request *request)
{
    return cost_cycles(finder->target, COST_RULES_BEST, task->engine, request);
}

// Twice the outputs in hardly more time: half of the engine's width is empty.
static bool is_half_empty(const struct finder *finder, const struct program_task *task)
{
    struct cost_request twice = task->cost;
    if (twice.kind == COST_FIXED || twice.outputs == 0 || twice.outputs > UINT64_MAX / 4)
        return false;
    twice.outputs *= 2;
    twice.macs *= 2;
    const uint64_t once = price(finder, task, &task->cost);
    return price(finder, task, &twice) <= once + once / 8;
}

// Twice the bytes in less than one and a half times the time.
static bool is_set_up(const struct finder *finder, const struct program_task *task)
{
    struct cost_request twice = task->cost;
    if (twice.kind == COST_FIXED || twice.bytes == 0 || twice.bytes > UINT64_MAX / 4)
        return false;
    twice.bytes *= 2;
    const uint64_t once = price(finder, task, &task->cost);
    return price(finder, task, &twice) < once + once / 2;
}

// Bytes that lie one after the other in a box of a buffer.
static uint64_t run_bytes(const struct finder *finder, const struct program_operand *operand)
{
    const struct program_buffer *buffer = &finder->program->buffers[operand->buffer];
    uint64_t elements = 1;
    for (uint32_t i = operand->rank; i-- > 0;) {
        elements *= (uint64_t)operand->size[i];
        if (operand->size[i] != buffer->dims[i])
            break;
    }
    return elements * element_size((enum element)buffer->element);
}

static uint64_t burst_bytes(const struct target *target, uint32_t engine)
{
    char name[96];
    snprintf(name, sizeof name, "%s.mtu", target->engines[engine].name);
    const double mtu = target_number(target, name, -1);
    snprintf(name, sizeof name, "%s.bytes_per_cycle", target->engines[engine].name);
    const double beat = target_number(target, name, 8);
    return mtu < 0 || mtu > 16 ? 0 : (uint64_t)(exp2(mtu) * beat);
}

// 0 when all of its runs fill a burst, or it is a single one.
static uint64_t short_run(const struct finder *finder, const struct program_task *task)
{
    const uint64_t burst = finder->bursts[task->engine];
    for (uint32_t i = 0; i < task->operand_count && i < 2; i++) {
        const uint64_t run = run_bytes(finder, &finder->program->operands[task->first_operand + i]);
        if (run < burst && run < task->cost.bytes)
            return run;
    }
    return 0;
}

static void count_transfer(const struct finder *finder, struct account *account,
                           const struct program_task *task, uint64_t cycles)
{
    account->transfer += cycles;
    if (is_set_up(finder, task)) {
        account->set_up += cycles;
        account->set_ups++;
    }
    const uint64_t run = short_run(finder, task);
    if (run > 0) {
        account->short_runs += cycles;
        account->short_run_count++;
        if (account->shortest_run == 0 || run < account->shortest_run)
            account->shortest_run = run;
    }
}

// Few lanes work for one group.
static void warnings_note_lane(struct account *account, uint32_t lane)
{
    for (uint32_t i = account->lanes; i-- > 0;) {
        if (account->used[i] == lane)
            return;
    }
    account->used =
        memory_grow(account->used, account->lanes, &account->used_capacity, sizeof *account->used);
    account->used[account->lanes++] = lane;
}

static void count_task(const struct finder *finder, struct account *account, uint32_t id)
{
    const struct program_task *task = &finder->program->tasks[id];
    const struct sim_times times = finder->result->tasks[id];
    const uint64_t cycles = times.end - times.start;
    const enum target_role role = warnings_role_of(finder, task->engine);
    if (cycles == 0)
        return;
    if (account->end == 0 || times.start < account->start)
        account->start = times.start;
    account->end = times.end > account->end ? times.end : account->end;
    if (warnings_is_transfer(finder, task->engine)) {
        count_transfer(finder, account, task, cycles);
    } else if (role == TARGET_ROLE_HOST) {
        account->host += cycles;
    } else if (target_computes(finder->target, task->engine)) {
        account->compute += cycles;
        warnings_note_lane(account,
                           target_lane(finder->target, task->engine, task->unit, task->lane));
        if (is_half_empty(finder, task)) {
            account->half_empty += cycles;
            account->half_empty_tiles++;
        }
    }
}

static void count_all(struct finder *finder)
{
    for (uint32_t i = 0; i < finder->program->task_count; i++) {
        const uint32_t group = program_task_group(finder->program, i);
        if (group != PROGRAM_NONE)
            count_task(finder, &finder->accounts[group], i);
        count_task(finder, finder->all, i);
        const uint32_t engine = finder->program->tasks[i].engine;
        if (target_computes(finder->target, engine))
            finder->computed[engine] +=
                finder->result->tasks[i].end - finder->result->tasks[i].start;
    }
}

// Host ----------------------------------------------------------------------------

static void find_host(const struct finder *finder)
{
    struct lines lines = {0};
    for (uint32_t g = 0; g < finder->program->group_count; g++)
        line_add(finder, &lines, (struct line){finder->accounts[g].host, g, 0});
    lines_sort(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *line = &lines.items[i];
        plan_warn(finder->plan, line->id, "host", "takes %.1f %% of the time on the host: %s",
                  percent(finder, line->cycles),
                  program_text(finder->program, finder->program->groups[line->id].reason));
    }
    free(lines.items);
}

// Idle engines ----------------------------------------------------------------------

static uint64_t lanes_of(const struct target *target, uint32_t engine)
{
    return (uint64_t)target->engines[engine].count *
           target_units(target, target->engines[engine].per);
}

// Of the engines that compute near what is brought to them, the one whose lanes do most;
// TARGET_NONE.
static uint32_t main_engine(const struct finder *finder)
{
    const struct target *target = finder->target;
    uint32_t best = TARGET_NONE;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target_computes(target, i) && target->memories[target->engines[i].memory].local &&
            (best == TARGET_NONE || finder->computed[i] / lanes_of(target, i) >
                                        finder->computed[best] / lanes_of(target, best)))
            best = i;
    }
    return best;
}

static void find_bottleneck(const struct finder *finder)
{
    const struct target *target = finder->target;
    const uint32_t engine = main_engine(finder);
    const uint64_t lanes = engine != TARGET_NONE ? lanes_of(target, engine) : 0;
    const struct account *all = finder->all;
    if (lanes == 0 || all->compute == 0 || finder->result->end == all->host)
        return;
    const double time = (double)(finder->result->end - all->host);
    const char *called = target->engines[engine].called;
    const char *work = target_is_plural(called) ? "work" : "works";
    const double transfer = 100 * (double)of_a_core(finder, all->transfer) / time;
    const double compute = 100 * (double)finder->computed[engine] / time / (double)lanes;
    if (transfer >= BUSY && compute < IDLE)
        plan_warn(finder->plan, UINT32_MAX, "idle",
                  "%s %s %.0f %% of the time while transfers take %.0f %%: the network "
                  "is bound by the far memory",
                  called, work, compute, transfer);
    else if (compute >= BUSY && transfer < IDLE)
        plan_warn(finder->plan, UINT32_MAX, "idle",
                  "transfers take %.0f %% of the time while %s %s %.0f %%: the network "
                  "is bound by %s",
                  transfer, called, work, compute, called);
    else if (transfer + compute < BUSY)
        plan_warn(finder->plan, UINT32_MAX, "idle",
                  "%s %s %.0f %% of the time and transfers take %.0f %%: they wait for "
                  "one another",
                  called, work, compute, transfer);
}

// The share of a group's time that lanes of its engine had nothing to do.
static void find_single_lanes(const struct finder *finder)
{
    struct lines lines = {0};
    for (uint32_t g = 0; g < finder->program->group_count; g++) {
        const struct account *account = &finder->accounts[g];
        const struct target_engine *engine =
            &finder->target->engines[finder->program->groups[g].engine];
        const uint32_t count = engine->count * target_units(finder->target, engine->per);
        if (account->lanes > 0 && account->lanes < count)
            line_add(finder, &lines, (struct line){account->compute / account->lanes, g, count});
    }
    lines_sort(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *line = &lines.items[i];
        plan_warn(finder->plan, line->id, "idle", "computes for %.1f %% of the time on %u of %u %s",
                  percent(finder, line->cycles), finder->accounts[line->id].lanes, line->other,
                  warnings_bare_name(
                      finder->target->engines[finder->program->groups[line->id].engine].called));
    }
    free(lines.items);
}

// Spills ------------------------------------------------------------------------------

// Who writes a value to the far memory, and how long its transfers take.
struct passage {
    uint64_t cycles;
    uint32_t writer; // group; PROGRAM_NONE: none yet
    uint32_t reader; // the first one after the writer
};

static struct passage *find_passages(const struct finder *finder)
{
    const struct program *program = finder->program;
    struct passage *passages =
        memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *passages);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        passages[i].writer = passages[i].reader = PROGRAM_NONE;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (!warnings_is_transfer(finder, task->engine) || task->operand_count < 2 ||
            task->group == PROGRAM_NONE)
            continue;
        const bool out =
            finder->target->engines[task->engine].to == target_far_memory(finder->target);
        const uint32_t side = task->first_operand + (out ? 1 : 0);
        uint32_t buffer = program->operands[side].buffer;
        if (program->buffers[buffer].alias != PROGRAM_NONE)
            buffer = program->buffers[buffer].alias;
        struct passage *passage = &passages[buffer];
        passage->cycles += finder->result->tasks[i].end - finder->result->tasks[i].start;
        if (out)
            passage->writer = task->group;
        else if (passage->reader == PROGRAM_NONE)
            passage->reader = task->group;
    }
    return passages;
}

// Whether nothing but groups that compute nothing lies between two groups.
static bool is_next(const struct finder *finder, uint32_t writer, uint32_t reader)
{
    for (uint32_t g = writer + 1; g < reader; g++) {
        if (finder->accounts[g].end > 0)
            return false;
    }
    return writer != PROGRAM_NONE && reader != PROGRAM_NONE && writer < reader;
}

static void find_spills(const struct finder *finder)
{
    const struct program *program = finder->program;
    struct passage *passages = find_passages(finder);
    struct lines lines = {0};
    struct line small = {0};
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        struct passage *passage = &passages[i];
        passage->cycles = of_a_core(finder, passage->cycles);
        if (buffer->kind != PROGRAM_BUFFER_INNER ||
            !is_next(finder, passage->writer, passage->reader))
            continue;
        const uint32_t engine = program->groups[passage->writer].engine;
        const uint64_t room = finder->target->memories[finder->target->engines[engine].memory].size;
        // Half of it, so that what the next group gives has a place, too.
        if (buffer->size > room / 2)
            continue;
        if (matters(finder, passage->cycles))
            line_add(finder, &lines, (struct line){passage->cycles, i, passage->reader});
        else {
            small.cycles += passage->cycles;
            small.id++;
        }
    }
    lines_sort(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *line = &lines.items[i];
        const struct program_buffer *buffer = &program->buffers[line->id];
        plan_warn(finder->plan, line->other, "spill",
                  "'%s' (%" PRIu64
                  " KiB) left the local memory and comes back right after: %.1f %% of the time",
                  program_text(program, buffer->name), (buffer->size + 1023) / 1024,
                  percent(finder, line->cycles));
    }
    if (matters(finder, small.cycles))
        plan_warn(finder->plan, UINT32_MAX, "spill",
                  "%u %ssmall values leave the local memory and come back for the next group: "
                  "%.1f %% of the time",
                  small.id, lines.count > 0 ? "more " : "", percent(finder, small.cycles));
    free(lines.items);
    free(passages);
}

// Tiles and transfers -------------------------------------------------------------------

static void find_small_tiles(const struct finder *finder)
{
    struct lines lines = {0};
    for (uint32_t g = 0; g < finder->program->group_count; g++) {
        const struct account *account = &finder->accounts[g];
        const uint32_t lanes = account->lanes > 0 ? account->lanes : 1; // at the same time
        line_add(finder, &lines, (struct line){account->half_empty / lanes, g, 0});
    }
    lines_sort(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *line = &lines.items[i];
        plan_warn(finder->plan, line->id, "small-tiles",
                  "%u of its tiles fill at most half of the width of %s: %.1f %% of the time",
                  finder->accounts[line->id].half_empty_tiles,
                  finder->target->engines[finder->program->groups[line->id].engine].name,
                  percent(finder, line->cycles));
    }
    free(lines.items);
    const uint64_t set_up = of_a_core(finder, finder->all->set_up);
    if (matters(finder, set_up))
        plan_warn(finder->plan, UINT32_MAX, "small-tiles",
                  "%" PRIu64 " transfers take longer to set up than to do: %.1f %% of the time",
                  finder->all->set_ups, percent(finder, set_up));
}

static void find_short_runs(const struct finder *finder)
{
    struct lines lines = {0};
    for (uint32_t g = 0; g < finder->program->group_count; g++)
        line_add(finder, &lines,
                 (struct line){of_a_core(finder, finder->accounts[g].short_runs), g, 0});
    lines_sort(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct account *account = &finder->accounts[lines.items[i].id];
        plan_warn(finder->plan, lines.items[i].id, "unaligned",
                  "%" PRIu64 " transfers are in runs of as little as %" PRIu64
                  " bytes, shorter than a burst: %.1f %% of the time",
                  account->short_run_count, account->shortest_run,
                  percent(finder, lines.items[i].cycles));
    }
    free(lines.items);
}

// Numbers that the conversion of the network made infinite.
static void find_beyond(const struct finder *finder)
{
    const struct conversion_record *record = &finder->plan->network->conversion;
    if (record->beyond > 0)
        plan_warn(finder->plan, UINT32_MAX, "range",
                  "%" PRIu64 " number%s of %" PRIu64 " constant%s beyond what %.*s allows and "
                  "infinite now, as %g; the first is in '%.*s'",
                  record->beyond, record->beyond == 1 ? "" : "s", record->beyond_constants,
                  record->beyond_constants == 1 ? " is" : "s are", VIEW_ARGUMENTS(record->text),
                  record->beyond_greatest, VIEW_ARGUMENTS(record->beyond_first));
}

void warnings_find(struct plan *plan, const struct program *program,
                   const struct sim_result *result)
{
    const uint32_t engines = plan->target->engine_count;
    struct finder finder = {
        .plan = plan, .program = program, .target = plan->target, .result = result};
    finder.computed = memory_allocate_zeroed((size_t)engines + 1, sizeof *finder.computed);
    finder.bursts = memory_allocate_zeroed((size_t)engines + 1, sizeof *finder.bursts);
    for (uint32_t i = 0; i < engines; i++)
        finder.bursts[i] = burst_bytes(plan->target, i);
    finder.accounts =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *finder.accounts);
    finder.all = &finder.accounts[program->group_count];
    count_all(&finder);
    find_beyond(&finder);
    find_host(&finder);
    find_bottleneck(&finder);
    find_single_lanes(&finder);
    find_spills(&finder);
    find_small_tiles(&finder);
    find_short_runs(&finder);
    for (uint32_t i = 0; i <= program->group_count; i++)
        free(finder.accounts[i].used);
    free(finder.accounts);
    free(finder.computed);
    free(finder.bursts);
}
