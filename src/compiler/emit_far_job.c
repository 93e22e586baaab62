// Jobs of processors that work where the values lie, and what a host computes.

#include "emit_task.h"

static struct plan_box emit_far_job_whole_box(const struct emitter *emitter, uint32_t value)
{
    const struct network_value *item = network_value(emitter->plan->network, value);
    return group_is_fixed(item) ? plan_box_whole(&item->type.shape) : (struct plan_box){0};
}

// A task over whole values in the far memory.
static uint32_t add_far_task(struct emitter *emitter, uint32_t group_id)
{
    const struct plan_group *group = &emitter->plan->groups[group_id];
    const struct plan_tile *tile = group->tile_count > 0 ? &group->tiles[0] : NULL;
    const struct cost_request unknown = {.kind = COST_OTHER, .outputs = 1, .inner = 1};
    const uint32_t task = emit_task(emitter, group_id, 0, (struct emit_at){.engine = group->engine},
                                    PROGRAM_TASK_COMPUTE, tile != NULL ? tile->cost : unknown);
    struct emit_places places;
    emit_places_start(&places, emitter->plan, group);
    for (uint32_t i = 0; i < group->input_count; i++) {
        const struct plan_box box = emit_far_job_whole_box(emitter, group->inputs[i]);
        emit_place_add(&places, group->inputs[i], emitter->far[group->inputs[i]]);
        emit_operand(emitter, task, emitter->far[group->inputs[i]], &box, false);
        emit_depend_on_writers(emitter, task, group->inputs[i], &box);
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        const struct plan_box box = emit_far_job_whole_box(emitter, group->outputs[i]);
        emit_place_add(&places, group->outputs[i], emitter->far[group->outputs[i]]);
        emit_operand(emitter, task, emitter->far[group->outputs[i]], &box, true);
        emit_writer_add(emitter, group->outputs[i], task, &box);
    }
    emit_calls(emitter, task, group_id, tile, &places);
    emit_places_free(&places);
    return task;
}

void emit_host_task(struct emitter *emitter, uint32_t group)
{
    const uint32_t location = emit_location(emitter, group);
    const uint32_t task = add_far_task(emitter, group);
    emit_touch(emitter, task);
    emit_action(emitter, PROGRAM_ACTION_HOST_START, task, location, 0);
    emit_touch(emitter, task);
    emit_action(emitter, PROGRAM_ACTION_HOST_WAIT, task, location, 0);
    emitter->started[task].waited = 1;
}

static void pass_on_writers(struct emitter *emitter, const struct plan_group *group)
{
    const uint32_t source = group_node(emitter->plan, group, 0)->inputs[0];
    const struct emit_writers *writers = &emitter->writers[source];
    for (size_t i = 0; i < writers->count; i++)
        emit_writer_add(emitter, group->outputs[0], writers->items[i].task, &writers->items[i].box);
}

void emit_far_job(struct emitter *emitter, uint32_t from, uint32_t to)
{
    struct emit_job job;
    emit_job_start(emitter, &job, from);
    const uint32_t location = emit_location(emitter, from);
    emit_action(emitter, PROGRAM_ACTION_JOB_START, job.id, location, 0);
    for (uint32_t i = from; i < to; i++) {
        const struct plan_group *group = &emitter->plan->groups[i];
        if (group_is_alias(emitter->plan, group)) {
            pass_on_writers(emitter, group);
            continue;
        }
        const uint32_t task = add_far_task(emitter, i);
        emit_start(&job, task);
        emit_wait(&job, task);
    }
    emit_job_end(&job);
    emit_action(emitter, PROGRAM_ACTION_JOB_WAIT, job.id, location, 0);
}

void emit_alias(struct emitter *emitter, uint32_t group)
{
    pass_on_writers(emitter, &emitter->plan->groups[group]);
}
