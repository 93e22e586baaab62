#include "annotate_jobs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/sim.h"
#include "formats/torq/kind.h"
#include "program/location.h"

#define PROGRAM_PREFIX "slice_program_torq_hl."

static enum torq_kind annotate_jobs_kind_of(const struct annotation *annotation, uint32_t task)
{
    return torq_kind_of(annotation->target, annotation->program->tasks[task].engine);
}

struct view annotate_task_name(const struct annotation *annotation, uint32_t task)
{
    const struct program *program = annotation->program;
    if (annotation->task_names == NULL) {
        const uint32_t group = program->tasks[task].group;
        return view_of(group != PROGRAM_NONE ? program_text(program, program->groups[group].type)
                                             : "");
    }
    const struct view name = view_of(program_text(program, annotation->task_names[task]));
    return view_starts_with(name, PROGRAM_PREFIX)
               ? view_slice(name, strlen(PROGRAM_PREFIX), name.size)
               : name;
}

// In the order of the columns.
const struct annotate_engine ANNOTATE_ENGINE[ANNOTATE_ENGINES] = {
    {"Slice 0", &TORQ_SLICE, 0},   {"Slice 1", &TORQ_SLICE, 1}, {"DMA In", &TORQ_DMA_IN, 0},
    {"DMA Out", &TORQ_DMA_OUT, 0}, {"CDMA", &TORQ_CDMA, 0},     {"CSS", &TORQ_CSS, 0},
};

unsigned annotate_engine_place(const struct torq_engine *engine, uint32_t index)
{
    unsigned place = 0;
    while (place < ANNOTATE_ENGINES &&
           (ANNOTATE_ENGINE[place].engine != engine || ANNOTATE_ENGINE[place].index != index))
        place++;
    return place;
}

// ANNOTATE_ENGINES for what has no column. Of slices, the first ones have; of what there is one
// of, all lanes are it.
static unsigned annotate_jobs_engine_of(const struct annotation *annotation, uint32_t task)
{
    static const struct torq_engine *const BY_KIND[TORQ_KINDS] = {
        [TORQ_KIND_DMA_IN] = &TORQ_DMA_IN, [TORQ_KIND_DMA_OUT] = &TORQ_DMA_OUT,
        [TORQ_KIND_CDMA] = &TORQ_CDMA,     [TORQ_KIND_CSS] = &TORQ_CSS,
        [TORQ_KIND_SLICE] = &TORQ_SLICE,
    };
    const struct torq_engine *engine = BY_KIND[annotate_jobs_kind_of(annotation, task)];
    return annotate_engine_place(engine,
                                 engine == &TORQ_SLICE ? annotation->program->tasks[task].lane : 0);
}

// Jobs -------------------------------------------------------------------------------

// By the number of the task's name; names of one job, each once.
struct name_set {
    struct bytes joined;
    struct hash_index index; // of string ids
};

static void annotate_jobs_add_name(struct name_set *set, struct profile *profile, struct view name)
{
    if (name.size == 0)
        return;
    const uint32_t text = profile_string(profile, name);
    const uint32_t hash = hash_u64(text);
    uint32_t known;
    for (uint32_t at = hash_first(&set->index, hash);
         (known = hash_next(&set->index, hash, &at)) != HASH_NONE;) {
        if (known == text)
            return;
    }
    hash_add(&set->index, hash, text);
    bytes_append(&set->joined, ",", set->joined.size > 0 ? 1 : 0);
    bytes_append(&set->joined, name.data, name.size);
}

static void describe_job(const struct annotation *annotation, uint32_t id,
                         uint64_t active[ANNOTATE_ENGINES], struct annotate_job *out)
{
    const struct program_job *job = &annotation->program->jobs[id];
    struct name_set names = {0};
    for (int i = 0; i < ANNOTATE_ENGINES; i++)
        out->used[i] = active[i] > 0;
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &annotation->program->steps[job->first_step + i];
        const unsigned engine = annotate_jobs_engine_of(annotation, step->task);
        const bool starts = step->kind == PROGRAM_STEP_START;
        if (starts && annotate_jobs_kind_of(annotation, step->task) == TORQ_KIND_SLICE)
            annotate_jobs_add_name(&names, annotation->profile,
                                   annotate_task_name(annotation, step->task));
        if (engine == ANNOTATE_ENGINES)
            continue;
        if (starts)
            out->used[engine] = true;
        // A wait is for all that the engine was given.
        active[engine] = starts;
    }
    out->names = profile_string(annotation->profile, bytes_view(&names.joined));
    bytes_free(&names.joined);
    hash_free(&names.index);
}

static struct annotate_job *describe_jobs(const struct annotation *annotation)
{
    const struct program *program = annotation->program;
    struct annotate_job *jobs =
        memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *jobs);
    uint64_t active[ANNOTATE_ENGINES] = {0};
    for (uint32_t i = 0; i < program->job_count; i++) {
        if (i > 0 && program->jobs[i].dispatch != program->jobs[i - 1].dispatch)
            memset(active, 0, sizeof active);
        describe_job(annotation, i, active, &jobs[i]);
    }
    return jobs;
}

static uint32_t *describe_actions(const struct annotation *annotation)
{
    const struct program *program = annotation->program;
    uint32_t *locations =
        memory_allocate_zeroed((size_t)program->action_count + 1, sizeof *locations);
    struct bytes text = {0};
    for (uint32_t i = 0; i < program->action_count; i++) {
        text.size = 0;
        program_action_location(program, &program->actions[i], &text);
        locations[i] = text.size > 0 ? profile_string(annotation->profile, bytes_view(&text)) : 0;
    }
    bytes_free(&text);
    return locations;
}

void annotate_describe(struct annotation *annotation)
{
    annotation->jobs = describe_jobs(annotation);
    annotation->locations = describe_actions(annotation);
}

// Rows -------------------------------------------------------------------------------

struct annotate_row annotate_row_make(const struct annotation *annotation, uint32_t dispatch,
                                      uint32_t name, uint64_t invocation)
{
    const struct program *program = annotation->program;
    const bool known = dispatch != PROGRAM_NONE;
    return (struct annotate_row){
        .dispatch = dispatch,
        .dispatch_name =
            known
                ? profile_string(annotation->profile,
                                 view_of(program_text(program, program->dispatches[dispatch].name)))
                : name,
        .action = PROGRAM_NONE,
        .job = PROGRAM_NONE,
        .task = PROGRAM_NONE,
        .operation = ANNOTATE_NO_OPERATION,
        .slice = ANNOTATE_NO_SLICE,
        .task_number = ANNOTATE_NOT_SAID,
        .bytes = ANNOTATE_NOT_SAID,
        .invocation = invocation,
        .runs = 1};
}

void annotate_row_set_action(const struct annotation *annotation, uint32_t id,
                             struct annotate_row *row)
{
    const struct program_action *action = &annotation->program->actions[id];
    row->action = id;
    row->id = action->number;
    row->has_id = true;
    row->location = annotation->locations[id];
    if (action->kind == PROGRAM_ACTION_JOB_START || action->kind == PROGRAM_ACTION_JOB_WAIT)
        row->job = action->subject;
}

struct annotate_row *annotate_row_add(struct annotation *annotation, const struct annotate_row *row)
{
    annotation->rows = memory_grow(annotation->rows, annotation->count, &annotation->capacity,
                                   sizeof *annotation->rows);
    annotation->rows[annotation->count] = *row;
    return &annotation->rows[annotation->count++];
}

static void add_estimates(struct annotation *annotation, const struct sim_result *times,
                          const struct clock_domain *cycles, uint32_t id)
{
    const struct program_dispatch *dispatch = &annotation->program->dispatches[id];
    for (uint32_t i = 0; i < dispatch->action_count; i++) {
        const struct sim_times *time = &times->actions[dispatch->first_action + i];
        struct annotate_row row = annotate_row_make(annotation, id, 0, id);
        annotate_row_set_action(annotation, dispatch->first_action + i, &row);
        row.timed = row.begun = row.ended = true;
        row.start = clock_duration(cycles, time->start);
        row.end = clock_duration(cycles, time->end);
        annotate_row_add(annotation, &row);
    }
}

void annotate_estimate(struct annotation *annotation, const struct sim_result *times,
                       uint64_t clock_hz, uint32_t dispatch)
{
    struct clock_domain cycles = {.frequency = clock_hz};
    clock_prepare(&cycles);
    annotation->form = TORQ_R4;
    annotate_describe(annotation);
    for (uint32_t i = 0; i < annotation->program->dispatch_count; i++) {
        if (dispatch == PROGRAM_NONE || dispatch == i)
            add_estimates(annotation, times, &cycles, i);
    }
}

// Rows of R1 -------------------------------------------------------------------------

static enum annotate_operation annotate_jobs_operation_of(enum torq_kind kind, bool starts)
{
    switch (kind) {
    case TORQ_KIND_DMA_IN:
        return starts ? ANNOTATE_DMA_IN_START : ANNOTATE_DMA_IN_WAIT;
    case TORQ_KIND_DMA_OUT:
        return starts ? ANNOTATE_DMA_OUT_START : ANNOTATE_DMA_OUT_WAIT;
    case TORQ_KIND_CDMA:
        return starts ? ANNOTATE_CDMA_START : ANNOTATE_CDMA_WAIT;
    case TORQ_KIND_CSS:
        return starts ? ANNOTATE_CSS_START : ANNOTATE_CSS_WAIT;
    case TORQ_KIND_SLICE:
        return starts ? ANNOTATE_SLICE_START : ANNOTATE_SLICE_WAIT;
    default:
        return ANNOTATE_NO_OPERATION;
    }
}

static void add_step_rows(struct annotation *annotation, const struct annotate_row *like,
                          const struct program_step *step)
{
    struct annotate_row row = *like;
    const enum torq_kind kind = annotate_jobs_kind_of(annotation, step->task);
    row.operation = (uint8_t)annotate_jobs_operation_of(kind, step->kind == PROGRAM_STEP_START);
    row.order = step->number;
    if (kind == TORQ_KIND_SLICE) {
        row.slice = (uint8_t)annotation->program->tasks[step->task].lane;
        row.names = profile_string(annotation->profile, annotate_task_name(annotation, step->task));
    }
    if (row.operation == ANNOTATE_DMA_IN_START || row.operation == ANNOTATE_DMA_OUT_START) {
        row.operation--; // it is set up in the same task
        annotate_row_add(annotation, &row);
        row.operation++;
    }
    annotate_row_add(annotation, &row);
}

// Brings rows of one task of the controller into the order of their operations; those of
// one operation stay as they are.
static void sort_task(struct annotate_row *rows, size_t count, struct annotate_row *scratch)
{
    size_t sorted = 0;
    for (unsigned operation = 0; operation <= ANNOTATE_NO_OPERATION; operation++) {
        for (size_t i = 0; i < count; i++) {
            if (rows[i].operation == operation)
                scratch[sorted++] = rows[i];
        }
    }
    memcpy(rows, scratch, count * sizeof *rows);
}

// Rows of one job lie in the order of its steps.
static void annotate_jobs_sort_rows(struct annotate_row *rows, size_t count)
{
    struct annotate_row *scratch = memory_allocate_zeroed(count + 1, sizeof *scratch);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && rows[to].order == rows[from].order;)
            to++;
        sort_task(rows + from, to - from, scratch);
    }
    free(scratch);
}

void annotate_job_rows(struct annotation *annotation, const struct annotate_row *like)
{
    const struct program_job *job = &annotation->program->jobs[like->job];
    const size_t first = annotation->count;
    for (uint32_t i = 0; i < job->step_count; i++)
        add_step_rows(annotation, like, &annotation->program->steps[job->first_step + i]);
    if (job->step_count == 0)
        annotate_row_add(annotation, like);
    annotate_jobs_sort_rows(annotation->rows + first, annotation->count - first);
    for (size_t i = first; i < annotation->count; i++)
        annotation->rows[i].order = (uint32_t)(i - first);
}
