#include "work_units.h"

#include <stdlib.h>

#include "base/memory.h"
#include "formats/torq/kind.h"

static const char *const NAMES[WORK_KINDS] = {
    [WORK_CFG] = "Nss Cfg",
    [WORK_CDMA] = "Cdma",
    [WORK_DMA_IN] = "Dma In",
    [WORK_DMA_OUT] = "Dma Out",
    [WORK_SLICE] = "Slice Program",
    [WORK_CSS] = "Css Program",
    [WORK_HOST_PROGRAM] = "Host Program",
    [WORK_HOST_COPY] = "Host Copy",
};

const char *work_kind_name(enum work_kind kind)
{
    return NAMES[kind];
}

struct listing {
    const struct program *program;
    const struct target *target;
    const struct sim_result *times;
    uint64_t *waited; // by task: when the wait for it is over
    struct work_units units;
    size_t count, capacity;
};

static enum work_kind work_units_kind_of(const struct listing *listing, uint32_t task)
{
    switch (torq_kind_of(listing->target, listing->program->tasks[task].engine)) {
    case TORQ_KIND_DMA_IN:
        return WORK_DMA_IN;
    case TORQ_KIND_DMA_OUT:
        return WORK_DMA_OUT;
    case TORQ_KIND_CDMA:
        return WORK_CDMA;
    case TORQ_KIND_SLICE:
        return WORK_SLICE;
    case TORQ_KIND_CSS:
        return WORK_CSS;
    default:
        return WORK_HOST_PROGRAM;
    }
}

// The end of the controller's task that begins at step `from` of a job.
static uint32_t work_units_task_end(const struct listing *listing, const struct program_job *job,
                                    uint32_t from)
{
    const struct program_step *steps = &listing->program->steps[job->first_step];
    uint32_t to = from + 1;
    while (to < job->step_count && steps[to].number == steps[from].number &&
           steps[to].block == steps[from].block)
        to++;
    return to;
}

static void note_waits(struct listing *listing, const struct program_job *job)
{
    const struct sim_times *times = &listing->times->steps[job->first_step];
    for (uint32_t from = 0, to; from < job->step_count; from = to) {
        to = work_units_task_end(listing, job, from);
        for (uint32_t i = from; i < to; i++) {
            const struct program_step *step = &listing->program->steps[job->first_step + i];
            if (step->kind == PROGRAM_STEP_WAIT && listing->waited[step->task] == 0)
                listing->waited[step->task] = times[to - 1].end;
        }
    }
}

static struct work_unit *work_units_add(struct listing *listing, const struct work_unit *unit)
{
    listing->units.items = memory_grow(listing->units.items, listing->count, &listing->capacity,
                                       sizeof *listing->units.items);
    listing->units.items[listing->count] = *unit;
    return &listing->units.items[listing->count++];
}

static void work_units_add_task(struct listing *listing, const struct program_step *step)
{
    const struct sim_times *time = &listing->times->tasks[step->task];
    const enum work_kind kind = work_units_kind_of(listing, step->task);
    if (kind == WORK_HOST_PROGRAM)
        return;
    const uint64_t waited = listing->waited[step->task];
    work_units_add(listing,
                   &(struct work_unit){
                       .kind = kind,
                       .index = kind == WORK_SLICE ? listing->program->tasks[step->task].lane : 0,
                       .task = step->task,
                       .number = step->number,
                       .start = time->start,
                       .ready = time->end,
                       .end = waited > time->end ? waited : time->end});
}

static void work_units_add_job(struct listing *listing, const struct program_job *job)
{
    if (job->step_count == 0) // there may be none at all
        return;
    const struct program_step *steps = &listing->program->steps[job->first_step];
    const struct sim_times *times = &listing->times->steps[job->first_step];
    for (uint32_t from = 0, to; from < job->step_count; from = to) {
        to = work_units_task_end(listing, job, from);
        uint32_t named = from;
        while (named < to && !program_step_has_task(&steps[named]))
            named++;
        if (named < to)
            work_units_add(listing, &(struct work_unit){.kind = WORK_CFG,
                                                        .task = steps[named].task,
                                                        .number = steps[from].number,
                                                        .start = times[from].start,
                                                        .ready = times[to - 1].end,
                                                        .end = times[to - 1].end});
        for (uint32_t i = from; i < to; i++) {
            if (steps[i].kind == PROGRAM_STEP_START)
                work_units_add_task(listing, &steps[i]);
        }
    }
}

// An engine that is given more is no longer waited for.
static void end_waits(struct work_unit *items, size_t count)
{
    enum { SLICES_MOST = 256 };
    struct work_unit *last[WORK_KINDS + SLICES_MOST] = {0};
    for (size_t i = 0; i < count; i++) {
        struct work_unit *unit = &items[i];
        struct work_unit **before =
            &last[unit->kind == WORK_SLICE ? WORK_KINDS + unit->index % SLICES_MOST : unit->kind];
        if (*before != NULL && (*before)->end > unit->start)
            (*before)->end = (*before)->ready > unit->start ? (*before)->ready : unit->start;
        *before = unit;
    }
}

struct work_units work_units_of(const struct program *program, const struct target *target,
                                const struct sim_result *times)
{
    struct listing listing = {
        .program = program,
        .target = target,
        .times = times,
        .waited = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(uint64_t))};
    listing.units.first = memory_allocate_zeroed((size_t)program->job_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < program->job_count; i++)
        note_waits(&listing, &program->jobs[i]);
    for (uint32_t i = 0; i < program->job_count; i++) {
        work_units_add_job(&listing, &program->jobs[i]);
        listing.units.first[i + 1] = (uint32_t)listing.count;
    }
    end_waits(listing.units.items, listing.count);
    free(listing.waited);
    return listing.units;
}

void work_units_free(struct work_units *units)
{
    free(units->items);
    free(units->first);
    *units = (struct work_units){0};
}
