// Annotated rows of a run as lanes of the profile that they come from.

#include <stdio.h>
#include <stdlib.h>

#include "annotate.h"
#include "base/memory.h"

struct laying {
    struct annotation *annotation;
    struct track like;
    uint32_t rows;
    uint32_t *tasks; // by lane of the target; 0: not made yet
    struct bytes values;
};

static uint32_t annotate_profile_add_lane(struct laying *laying, const char *name, int32_t rank)
{
    struct track lane = laying->like;
    lane.name = profile_string(laying->annotation->profile, view_of(name));
    lane.rank = rank;
    return profile_track_add(laying->annotation->profile, &lane);
}

static void annotate_profile_add_values(struct laying *laying, const struct annotate_row *row)
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

static void annotate_profile_add_span(struct laying *laying, uint32_t lane, uint32_t name,
                                      uint64_t start, uint64_t end)
{
    const struct event event = {
        .kind = EVENT_SPAN, .start = start, .end = end, .track = lane, .name = name};
    profile_event_add(laying->annotation->profile, &event, bytes_view(&laying->values));
}

// What does not match may overlap with what does: it is on its own lane only.
static bool annotate_profile_is_shown(const struct annotate_row *row)
{
    return row->action != PROGRAM_NONE || row->task != PROGRAM_NONE;
}

// A lane for those of each engine's lane, which do not overlap.
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
        *lane = annotate_profile_add_lane(laying, name,
                                          3000 + (int32_t)(256 * task->engine + task->lane));
    }
    return *lane;
}

static void annotate_profile_add_row(struct laying *laying, const struct annotate_row *row)
{
    struct annotation *annotation = laying->annotation;
    const struct annotate_cell name = annotate_cell(annotation, row, 2);
    annotate_profile_add_values(laying, row);
    const uint32_t lane = row->task != PROGRAM_NONE ? lane_of_task(laying, row) : laying->rows;
    annotate_profile_add_span(laying, lane, profile_string(annotation->profile, name.text),
                              row->start, row->end);
}

void annotate_profile(struct annotation *annotation, uint32_t process)
{
    struct laying laying = {
        .annotation = annotation,
        .like = {.parent = process, .kind = TRACK_LANE, .provenance = PROVENANCE_DERIVED}};
    laying.tasks =
        memory_allocate_zeroed((size_t)annotation->target->lane_count + 1, sizeof *laying.tasks);
    laying.rows = annotate_profile_add_lane(&laying, "Annotated", 1999);
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotate_row *row = &annotation->rows[i];
        if (row->timed && annotate_profile_is_shown(row))
            annotate_profile_add_row(&laying, row);
    }
    free(laying.tasks);
    bytes_free(&laying.values);
}
