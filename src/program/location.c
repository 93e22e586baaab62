#include "location.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "listing.h"

// A name in quotes, as MLIR writes it.
static void location_append_quoted(struct bytes *to, struct view name)
{
    bytes_append(to, "\"", 1);
    for (size_t i = 0; i < name.size; i++) {
        const unsigned char byte = (unsigned char)name.data[i];
        if (byte == '"' || byte == '\\')
            bytes_append_format(to, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            bytes_append_format(to, "\\%02X", byte);
        else
            bytes_append(to, &byte, 1);
    }
    bytes_append(to, "\"", 1);
}

// Without `loc(` and its bracket; "" where the operator has no place.
static void location_append_place(const struct program *program, uint32_t id, struct bytes *to)
{
    const struct program_operator *op = &program->operators[id];
    const struct view location = view_of(program_text(program, op->location));
    const struct view name = view_of(program_text(program, op->name));
    if (view_is(location, "loc(unknown)"))
        return;
    if (view_starts_with(location, "loc(") && view_ends_with(location, ")")) {
        bytes_append(to, location.data + 4, location.size - 5);
        return;
    }
    const struct view shown = name.size > 0 ? name : location;
    if (shown.size > 0)
        location_append_quoted(to, shown);
    if (!program_is_listed(program))
        return;
    bytes_append(to, "(", shown.size > 0 ? 1 : 0);
    program_listing_place(program, id, to);
    bytes_append(to, ")", shown.size > 0 ? 1 : 0);
}

static bool has_piece(const struct bytes *text, const size_t *starts, size_t count,
                      struct view piece)
{
    for (size_t i = 0; i < count; i++) {
        const size_t end = i + 1 < count ? starts[i + 1] - 2 : text->size;
        if (end - starts[i] == piece.size &&
            memcmp(text->data + starts[i], piece.data, piece.size) == 0)
            return true;
    }
    return false;
}

void program_location(const struct program *program, const uint32_t *operators, uint32_t count,
                      struct bytes *out_text)
{
    struct bytes places = {0}; // joined by ", "
    struct bytes place = {0};
    size_t *starts = memory_allocate_zeroed((size_t)count + 1, sizeof *starts);
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        place.size = 0;
        location_append_place(program, operators[i], &place);
        if (place.size == 0 || has_piece(&places, starts, found, bytes_view(&place)))
            continue;
        if (found > 0)
            bytes_append(&places, ", ", 2);
        starts[found++] = places.size;
        bytes_append(&places, place.data, place.size);
    }
    if (found == 0)
        bytes_append_format(out_text, "loc(unknown)");
    else
        bytes_append_format(out_text, found > 1 ? "loc(fused[%.*s])" : "loc(%.*s)",
                            (int)places.size, (const char *)places.data);
    free(starts);
    bytes_free(&places);
    bytes_free(&place);
}

static int location_compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

uint32_t program_group_operators(const struct program *program, uint32_t group, uint32_t *out_ids)
{
    const struct program_group *item = &program->groups[group];
    uint32_t count = 0;
    for (uint32_t i = 0; i < item->node_count; i++) {
        const uint32_t op = program->nodes[item->first_node + i].operator_id;
        bool known = op == PROGRAM_NONE;
        for (uint32_t k = 0; k < count && !known; k++)
            known = out_ids[k] == op;
        if (!known)
            out_ids[count++] = op;
    }
    sort_items(out_ids, count, sizeof *out_ids, location_compare_ids);
    return count;
}

void program_group_location(const struct program *program, uint32_t group, struct bytes *out_text)
{
    const struct program_group *item = &program->groups[group];
    uint32_t *operators = memory_allocate_zeroed((size_t)item->node_count + 1, sizeof *operators);
    const uint32_t count = program_group_operators(program, group, operators);
    program_location(program, operators, count, out_text);
    free(operators);
}

// The first of the steps' tasks that has one says it. What only brings code does so for the
// job after it.
static uint32_t group_of_job(const struct program *program, uint32_t id)
{
    const uint32_t dispatch = program->jobs[id].dispatch;
    for (; id < program->job_count && program->jobs[id].dispatch == dispatch; id++) {
        const struct program_job *job = &program->jobs[id];
        for (uint32_t i = 0; i < job->step_count; i++) {
            const struct program_step *step = &program->steps[job->first_step + i];
            if (program_step_has_task(step) && program->tasks[step->task].group != PROGRAM_NONE)
                return program->tasks[step->task].group;
        }
    }
    return PROGRAM_NONE;
}

// That of the next job.
static uint32_t group_of_copy(const struct program *program, const struct program_action *action)
{
    if (!program_copies_code(program, action))
        return PROGRAM_NONE;
    const struct program_action *end = program->actions + program->action_count;
    while (action < end && action->kind == PROGRAM_ACTION_HOST_COPY)
        action++;
    return action < end && action->kind == PROGRAM_ACTION_JOB_START
               ? group_of_job(program, action->subject)
               : PROGRAM_NONE;
}

uint32_t program_task_group(const struct program *program, uint32_t task)
{
    const struct program_task *item = &program->tasks[task];
    if (item->group != PROGRAM_NONE || item->job == PROGRAM_NONE)
        return item->group;
    return group_of_job(program, item->job);
}

uint32_t program_action_group(const struct program *program, const struct program_action *action)
{
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_HOST_START:
    case PROGRAM_ACTION_HOST_WAIT:
        return program_task_group(program, action->subject);
    case PROGRAM_ACTION_JOB_START:
    case PROGRAM_ACTION_JOB_WAIT:
        return group_of_job(program, action->subject);
    case PROGRAM_ACTION_HOST_COPY:
        return group_of_copy(program, action);
    default:
        return PROGRAM_NONE;
    }
}

void program_action_location(const struct program *program, const struct program_action *action,
                             struct bytes *out_text)
{
    const struct view known = view_of(program_text(program, action->location));
    const uint32_t group = program_action_group(program, action);
    const size_t before = out_text->size;
    if (group != PROGRAM_NONE && !view_starts_with(known, "loc("))
        program_group_location(program, group, out_text);
    if (view_is(view_slice(bytes_view(out_text), before, out_text->size), "loc(unknown)"))
        out_text->size = before;
    if (out_text->size == before)
        bytes_append(out_text, known.data, known.size);
}
