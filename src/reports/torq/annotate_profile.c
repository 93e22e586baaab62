// Annotated rows as lanes of the runtime profile that they come from.

#include <stdio.h>
#include <stdlib.h>

#include "annotate.h"
#include "base/memory.h"

struct laying {
    struct annotation *annotation;
    struct track like;
    uint32_t rows;
    uint32_t *tasks;                    // by lane of the target; 0: not made yet
    uint32_t engines[ANNOTATE_ENGINES]; // 0: not made yet
    struct bytes values;
};

static uint32_t add_lane(struct laying *laying, const char *name, const struct torq_engine *engine,
                         uint32_t index, int32_t rank)
{
    struct track lane = laying->like;
    lane.name = profile_string(laying->annotation->profile, view_of(name));
    torq_engine_set(laying->annotation->profile, &lane, engine, index);
    lane.rank = rank;
    return profile_track_add(laying->annotation->profile, &lane);
}

static void add_values(struct laying *laying, const struct annotate_row *row)
{
    struct annotation *annotation = laying->annotation;
    laying->values.size = 0;
    for (size_t i = 0; i < annotate_column_count(annotation); i++) {
        const struct annotate_cell cell = annotate_cell(annotation, row, i);
        const uint32_t key =
            profile_string(annotation->profile, view_of(annotate_column_name(annotation, i)));
        if (cell.kind == ANNOTATE_TEXT)
            value_add_text(&laying->values, key, cell.text);
        else if (cell.kind == ANNOTATE_NUMBER || cell.kind == ANNOTATE_RATE)
            value_add_uint(&laying->values, key, cell.number);
        else if (cell.kind == ANNOTATE_FLAG)
            value_add(&laying->values, &(struct value){.key = key,
                                                       .kind = VALUE_BOOL,
                                                       .provenance = PROVENANCE_DERIVED,
                                                       .number = cell.number});
    }
}

static void add_span(struct laying *laying, uint32_t lane, uint32_t name, uint64_t start,
                     uint64_t end)
{
    const struct event event = {
        .kind = EVENT_SPAN, .start = start, .end = end, .track = lane, .name = name};
    profile_event_add(laying->annotation->profile, &event, bytes_view(&laying->values));
}

// One span on the lane of each engine that the row's job uses.
static void add_job(struct laying *laying, const struct annotate_row *row, uint64_t start)
{
    struct annotation *annotation = laying->annotation;
    const struct annotate_job *job = &annotation->jobs[row->job];
    const struct view name =
        view_of(program_text(annotation->program, annotation->program->jobs[row->job].name));
    for (int i = 0; i < ANNOTATE_ENGINES; i++) {
        const struct annotate_engine *used = &ANNOTATE_ENGINE[i];
        if (!job->used[i])
            continue;
        if (laying->engines[i] == 0)
            laying->engines[i] = add_lane(laying, used->lane, used->engine, used->index, 2000 + i);
        const bool slice = used->engine == &TORQ_SLICE;
        const uint32_t text =
            slice && job->names != 0 ? job->names : profile_string(annotation->profile, name);
        add_span(laying, laying->engines[i], text, start, row->end);
    }
}

// Rows of one job follow one another; the first stands for it. Of a run, what does not
// match may overlap with what does: it is on its own lane only.
static bool is_shown(const struct annotation *annotation, size_t index)
{
    const struct annotate_row *row = &annotation->rows[index];
    if (annotate_is_run(annotation))
        return row->action != PROGRAM_NONE || row->task != PROGRAM_NONE;
    return annotation->form != TORQ_R1 || index == 0 || row->job != row[-1].job ||
           row->invocation != row[-1].invocation;
}

// Of a run: a lane for those of each engine's lane, which do not overlap.
static uint32_t lane_of_task(struct laying *laying, const struct annotate_row *row)
{
    const struct annotation *annotation = laying->annotation;
    const struct program_task *task = &annotation->program->tasks[row->task];
    uint32_t *lane =
        &laying->tasks[target_lane(annotation->target, task->engine, task->unit, task->lane)];
    if (*lane == 0) {
        char name[64];
        const struct view text = profile_text(annotation->profile, row->lane);
        snprintf(name, sizeof name, "%.*s annotated", VIEW_ARGUMENTS(text));
        *lane = add_lane(laying, name, NULL, 0, 3000 + (int32_t)(256 * task->engine + task->lane));
    }
    return *lane;
}

static void add_row(struct laying *laying, const struct annotate_row *row, uint64_t *starts)
{
    struct annotation *annotation = laying->annotation;
    const bool is_job = row->job != PROGRAM_NONE;
    const bool is_r1 = annotation->form == TORQ_R1;
    const struct annotate_cell name = annotate_cell(annotation, row, is_r1 ? 1 : 2);
    const struct view text =
        is_r1 && is_job
            ? view_of(program_text(annotation->program, annotation->program->jobs[row->job].name))
            : name.text;
    add_values(laying, row);
    const uint32_t lane = row->task != PROGRAM_NONE ? lane_of_task(laying, row) : laying->rows;
    add_span(laying, lane, profile_string(annotation->profile, text), row->start, row->end);
    // A run has the engines' lanes already.
    if (!is_job || annotate_is_run(annotation))
        return;
    if (is_r1)
        add_job(laying, row, row->start);
    else if (annotation->program->actions[row->action].kind == PROGRAM_ACTION_JOB_START)
        starts[row->job] = row->start;
    else if (starts[row->job] <= row->end)
        add_job(laying, row, starts[row->job]);
}

void annotate_profile(struct annotation *annotation, uint32_t process)
{
    struct profile *profile = annotation->profile;
    struct laying laying = {.annotation = annotation,
                            .like = {.parent = process,
                                     .clock = annotate_is_run(annotation)
                                                  ? 0
                                                  : profile_clock_find(profile, "us", 1000000),
                                     .kind = TRACK_LANE,
                                     .provenance = PROVENANCE_DERIVED}};
    const size_t jobs = annotation->program->job_count;
    uint64_t *starts = memory_allocate_zeroed(jobs + 1, sizeof *starts);
    memset(starts, 0xff, jobs * sizeof *starts);
    laying.tasks =
        memory_allocate_zeroed((size_t)annotation->target->lane_count + 1, sizeof *laying.tasks);
    laying.rows = add_lane(&laying, "Annotated", NULL, 0, 1999);
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotate_row *row = &annotation->rows[i];
        if (row->timed && is_shown(annotation, i))
            add_row(&laying, row, starts);
        else if (row->job != PROGRAM_NONE)
            starts[row->job] = UINT64_MAX; // begun in another invocation
    }
    free(starts);
    free(laying.tasks);
    bytes_free(&laying.values);
}
