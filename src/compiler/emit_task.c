#include "emit_task.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/weights.h"
#include "emit_code.h"
#include "emit_stream.h"

uint32_t emit_job_add(struct emitter *emitter, const struct target_queue *queue)
{
    char name[160];
    uint32_t id;
    snprintf(name, sizeof name, "%s_%u", queue->program, emitter->jobs);
    struct program_job *item = EMIT_ADD(emitter, jobs, &id);
    *item = (struct program_job){.name = program_builder_text(emitter->builder, view_of(name)),
                                 .dispatch = emitter->dispatch,
                                 .number = emitter->jobs++,
                                 .first_step = EMIT_COUNT(emitter, steps)};
    emit_streams_start_job(emitter);
    return id;
}

void emit_job_start(struct emitter *emitter, struct emit_job *job, uint32_t group)
{
    const struct target *target = emitter->plan->target;
    const struct target_engine *engine = &target->engines[emitter->plan->groups[group].engine];
    *job = (struct emit_job){.emitter = emitter};
    job->last = memory_allocate(((size_t)target->lane_count + 1) * sizeof *job->last);
    memset(job->last, 0xff, ((size_t)target->lane_count + 1) * sizeof *job->last);
    emit_code_start_job(emitter, group);
    job->id = emit_job_add(emitter, &target->queues[engine->queue]);
}

void emit_job_end(struct emit_job *job)
{
    for (uint32_t i = 0; i < job->emitter->plan->target->lane_count; i++)
        emit_wait(job, job->last[i]);
    emit_code_end_job(job);
    free(job->last);
}

// Tasks and steps --------------------------------------------------------------------

uint32_t emit_task(struct emitter *emitter, uint32_t group, uint32_t tile, struct emit_at at,
                   enum program_task_kind kind, struct cost_request cost)
{
    uint32_t id;
    struct program_task *task = EMIT_ADD(emitter, tasks, &id);
    *task = (struct program_task){.group = group,
                                  .tile = tile,
                                  .engine = at.engine,
                                  .unit = at.unit,
                                  .lane = at.lane,
                                  .kind = kind,
                                  .job = PROGRAM_NONE,
                                  .first_operand = EMIT_COUNT(emitter, operands),
                                  .first_call = EMIT_COUNT(emitter, calls),
                                  .first_dependency = EMIT_COUNT(emitter, dependencies),
                                  .cost = cost};
    emitter->started =
        memory_extend(emitter->started, &emitter->started_count, id, sizeof *emitter->started);
    emitter->started[id] = (struct emit_started){PROGRAM_NONE, 0};
    emitter->depended =
        memory_extend(emitter->depended, &emitter->depended_count, id, sizeof *emitter->depended);
    return id;
}

void emit_operand(struct emitter *emitter, uint32_t task, uint32_t buffer,
                  const struct plan_box *box, bool writes)
{
    struct program_operand *operand = EMIT_ADD(emitter, operands, NULL);
    operand->buffer = buffer;
    operand->writes = writes;
    operand->rank = box->rank;
    memcpy(operand->from, box->from, box->rank * sizeof *operand->from);
    memcpy(operand->size, box->size, box->rank * sizeof *operand->size);
    struct program_task *item = EMIT_GET(emitter, tasks, task);
    item->operand_count++;
}

void emit_dependency(struct emitter *emitter, uint32_t task, uint32_t on, bool is_true)
{
    if (on == PROGRAM_NONE)
        return;
    struct program_task *item = EMIT_GET(emitter, tasks, task);
    const uint32_t last = emitter->depended[on];
    if (last >= item->first_dependency && last - item->first_dependency < item->dependency_count) {
        struct program_dependency *known = EMIT_GET(emitter, dependencies, last);
        if (known->task == on) {
            known->is_true |= is_true;
            return;
        }
    }
    struct program_dependency *dependency = EMIT_ADD(emitter, dependencies, &emitter->depended[on]);
    *dependency = (struct program_dependency){on, is_true};
    item->dependency_count++;
}

// Notes that the buffers of a task are in use at the moment at hand.
void emit_touch(struct emitter *emitter, uint32_t task)
{
    const struct program_task *item = EMIT_GET(emitter, tasks, task);
    for (uint32_t i = 0; i < item->operand_count; i++) {
        const struct program_operand *operand =
            EMIT_GET(emitter, operands, item->first_operand + i);
        struct program_buffer *buffer = EMIT_GET(emitter, buffers, operand->buffer);
        if (emitter->moment < buffer->from)
            buffer->from = emitter->moment;
        if (emitter->moment > buffer->to)
            buffer->to = emitter->moment;
    }
}

void emit_wait(struct emit_job *job, uint32_t task)
{
    struct emitter *emitter = job->emitter;
    if (task == PROGRAM_NONE || emitter->started[task].waited > 0)
        return;
    const uint32_t stream = emitter->started[task].stream;
    emit_code_make_room(job, stream, PROGRAM_STEP_WAIT, task);
    if (emitter->started[task].waited > 0) // to make room
        return;
    emit_touch(emitter, task);
    emit_stream_task(emitter, job->id, stream, PROGRAM_STEP_WAIT, task);
    emitter->started[task].waited = emit_stream_position(emitter, stream);
}

// A stream goes on when a task is over that may be another one's. What an earlier job did
// is over.
static void emit_task_wait_for(struct emit_job *job, uint32_t stream, uint32_t task)
{
    struct emitter *emitter = job->emitter;
    if (task == PROGRAM_NONE)
        return;
    emit_wait(job, task);
    const struct emit_started *started = &emitter->started[task];
    const struct program_task *item = EMIT_GET(emitter, tasks, task);
    if (item->job == job->id && started->stream != stream)
        emit_stream_await(emitter, job->id, stream, started->stream, started->waited);
}

void emit_start(struct emit_job *job, uint32_t task)
{
    struct emitter *emitter = job->emitter;
    struct program_task *item = EMIT_GET(emitter, tasks, task);
    item->job = job->id;
    uint32_t *last =
        &job->last[target_lane(emitter->plan->target, item->engine, item->unit, item->lane)];
    const uint32_t stream = emit_stream_of(emitter, item->engine, item->unit);
    const uint32_t first = item->first_dependency;
    const uint32_t count = item->dependency_count;
    emit_task_wait_for(job, stream, *last);
    for (uint32_t i = 0; i < count; i++) {
        const struct program_dependency *dependency = EMIT_GET(emitter, dependencies, first + i);
        emit_task_wait_for(job, stream, dependency->task);
    }
    emit_code_make_room(job, stream, PROGRAM_STEP_START, task);
    emit_touch(emitter, task);
    emitter->started[task].stream = stream;
    emit_stream_task(emitter, job->id, stream, PROGRAM_STEP_START, task);
    *last = task;
}

// Buffers ------------------------------------------------------------------------------

uint32_t emit_buffer(struct emitter *emitter, const char *name, uint32_t value,
                     enum program_buffer_kind kind, struct emit_place place,
                     const struct plan_box *box)
{
    const struct network_value *source =
        value != NETWORK_NONE ? network_value(emitter->plan->network, value) : NULL;
    const enum element element = source != NULL ? source->type.element : ELEMENT_U8;
    struct program_buffer buffer = {
        .name =
            program_builder_text(emitter->builder, source != NULL ? source->name : view_of(name)),
        .value = source != NULL ? emitter->values[value] : PROGRAM_NONE,
        .memory = place.memory,
        .unit = place.unit,
        .kind = (uint16_t)kind,
        .element = (uint16_t)element,
        .rank = box->rank,
        .address = place.address,
        .size = plan_box_bytes(box, element),
        .alias = PROGRAM_NONE,
        .from = UINT32_MAX,
    };
    memcpy(buffer.dims, box->size, box->rank * sizeof *buffer.dims);
    memcpy(buffer.origin, box->from, box->rank * sizeof *buffer.origin);
    uint32_t id;
    struct program_buffer *kept = EMIT_ADD(emitter, buffers, &id);
    *kept = buffer;
    return id;
}

// What is evaluated alone has no values: its buffers have those of the network.
static bool is_packed(const struct emitter *emitter, const struct program_buffer *buffer)
{
    if (buffer->value == PROGRAM_NONE)
        return false;
    if (emitter->times_only)
        return plan_is_packed(emitter->plan, buffer->value);
    const struct program_value *value = EMIT_GET(emitter, values, buffer->value);
    return value->layout == PROGRAM_PACKED;
}

// A transfer between boxes of two buffers.
uint32_t emit_transfer(struct emitter *emitter, uint32_t group, uint32_t tile, struct emit_at at,
                       uint32_t from, const struct plan_box *from_box, uint32_t to,
                       const struct plan_box *to_box)
{
    const struct program_buffer *source = EMIT_GET(emitter, buffers, from);
    const uint64_t bytes = plan_box_bytes(from_box, (enum element)source->element);
    const uint64_t size = element_size((enum element)source->element);
    const uint64_t count = size > 0 ? bytes / size : bytes;
    const struct cost_request cost = {.kind = COST_TRANSFER,
                                      .bytes =
                                          is_packed(emitter, source) ? weights_bytes(count) : bytes,
                                      .outputs = count};
    const uint32_t task = emit_task(emitter, group, tile, at, PROGRAM_TASK_TRANSFER, cost);
    emit_operand(emitter, task, from, from_box, false);
    emit_operand(emitter, task, to, to_box, true);
    return task;
}

// A task that reads part of a value waits for whoever writes that part. A value
// that shows another one's bytes waits for all of them.
void emit_depend_on_writers(struct emitter *emitter, uint32_t task, uint32_t value,
                            const struct plan_box *box)
{
    const uint32_t buffer = emitter->far[value]; // PROGRAM_NONE: it lies near
    const struct program_buffer *item =
        buffer != PROGRAM_NONE ? EMIT_GET(emitter, buffers, buffer) : NULL;
    const bool shown = item != NULL && item->alias != PROGRAM_NONE;
    const struct emit_writers *writers = &emitter->writers[value];
    for (size_t i = 0; i < writers->count; i++) {
        if (shown || plan_boxes_meet(&writers->items[i].box, box))
            emit_dependency(emitter, task, writers->items[i].task, true);
    }
}

void emit_writer_add(struct emitter *emitter, uint32_t value, uint32_t task,
                     const struct plan_box *box)
{
    struct emit_writers *writers = &emitter->writers[value];
    writers->items =
        memory_grow(writers->items, writers->count, &writers->capacity, sizeof *writers->items);
    writers->items[writers->count++] = (struct emit_writer){task, *box};
}

// Calls ---------------------------------------------------------------------------------

static uint32_t emit_task_place_of(const struct emit_places *places, uint32_t value)
{
    for (uint32_t i = places->count; value != NETWORK_NONE && i-- > 0;) {
        if (places->values[i] == value)
            return places->buffers[i];
    }
    return PROGRAM_NONE;
}

void emit_place_add(struct emit_places *places, uint32_t value, uint32_t buffer)
{
    places->values[places->count] = value;
    places->buffers[places->count++] = buffer;
}

void emit_places_start(struct emit_places *places, const struct plan *plan,
                       const struct plan_group *group)
{
    size_t most = group->input_count + group->output_count;
    for (uint32_t i = 0; i < group->node_count; i++)
        most += group_node(plan, group, i)->output_count;
    places->values = memory_allocate_zeroed(most + 1, sizeof *places->values);
    places->buffers = memory_allocate_zeroed(most + 1, sizeof *places->buffers);
    places->count = 0;
}

void emit_places_free(struct emit_places *places)
{
    free(places->values);
    free(places->buffers);
}

// What passes between fused operators takes no memory of the target.
static void emit_task_place_inner(struct emitter *emitter, const struct plan_group *group,
                                  uint32_t unit, const struct plan_tile *tile,
                                  struct emit_places *places)
{
    const struct emit_place inside = {emitter->plan->target->engines[group->engine].memory, unit,
                                      0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(emitter->plan, group, i);
        for (uint32_t j = 0; j < node->output_count; j++, at++) {
            const uint32_t value = node->outputs[j];
            if (value == NETWORK_NONE || emit_task_place_of(places, value) != PROGRAM_NONE)
                continue;
            const struct plan_box none = {0};
            const struct plan_box *box = tile != NULL ? &tile->inner[at] : &none;
            const enum program_buffer_kind kind =
                tile != NULL ? PROGRAM_BUFFER_PIPELINE : PROGRAM_BUFFER_DYNAMIC;
            emit_place_add(places, value, emit_buffer(emitter, "", value, kind, inside, box));
        }
    }
}

void emit_calls(struct emitter *emitter, uint32_t task, uint32_t group_id,
                const struct plan_tile *tile, struct emit_places *places)
{
    const struct plan_group *group = &emitter->plan->groups[group_id];
    if (emitter->times_only)
        return;
    const struct program_task *item_task = EMIT_GET(emitter, tasks, task);
    emit_task_place_inner(emitter, group, item_task->unit, tile, places);
    const struct program_group *item = EMIT_GET(emitter, groups, group_id);
    const uint32_t first_node = item->first_node;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(emitter->plan, group, i);
        struct program_call call = {.node = first_node + i};
        for (uint32_t j = 0; tile != NULL && j < tile->override_count; j++) {
            if (tile->overrides[j].node != i)
                continue;
            const uint32_t attribute = emit_override(emitter, &tile->overrides[j]);
            call.first_attribute = call.attribute_count == 0 ? attribute : call.first_attribute;
            call.attribute_count++;
        }
        call.first_buffer = EMIT_COUNT(emitter, call_buffers);
        for (uint32_t j = 0; j < node->input_count + node->output_count; j++) {
            uint32_t *kept = EMIT_ADD(emitter, call_buffers, NULL);
            *kept = emit_task_place_of(places, j < node->input_count
                                                   ? node->inputs[j]
                                                   : node->outputs[j - node->input_count]);
        }
        struct program_call *kept = EMIT_ADD(emitter, calls, NULL);
        *kept = call;
    }
    struct program_task *kept = EMIT_GET(emitter, tasks, task);
    kept->call_count = group->node_count;
}
