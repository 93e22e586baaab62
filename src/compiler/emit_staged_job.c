// Jobs of engines whose tasks run through stages: one task for each tile, read from where
// values lie, computed and written back piece by piece, through rings in the memory of its
// core. Only the rings take memory there, so a tile may be as large as it likes.

#include <stdlib.h>

#include "emit_task.h"

enum { PIECE_MOST = 64 * 1024 }; // bytes

struct staged_job {
    struct emit_job job;
    struct emitter *emitter;
    const struct target_engine *engine;
    const struct plan_group *group;
    uint32_t group_id;
    uint32_t units;
    uint64_t piece; // bytes of an operand at a time, at most
    bool casts;     // what several cores need is brought once
};

static uint64_t box_bytes(const struct staged_job *staged, uint32_t value,
                          const struct plan_box *box)
{
    return plan_box_stored(staged->emitter->plan, staged->engine, value, box);
}

// A ring for part of a value: room for a few pieces, or for all of it where that is less.
static uint32_t add_ring(struct staged_job *staged, uint32_t task, uint32_t value,
                         const struct plan_box *box, struct emit_place *place)
{
    struct emitter *emitter = staged->emitter;
    const struct plan_box inside = plan_box_at_origin(box);
    const uint32_t ring = emit_buffer(emitter, "", value, PROGRAM_BUFFER_RING, *place, box);
    struct program_buffer *buffer = EMIT_GET(emitter, buffers, ring);
    const uint64_t most = staged->piece * staged->engine->ring;
    buffer->size = buffer->size < most ? buffer->size : most;
    buffer->size = buffer->size > 0 ? buffer->size : 1;
    place->address += plan_padded(buffer->size);
    emit_operand(emitter, task, ring, &inside, true);
    return ring;
}

static uint32_t pieces_of(const struct staged_job *staged, uint64_t bytes)
{
    const uint64_t pieces = (bytes + staged->piece - 1) / staged->piece;
    return pieces > 0 ? (uint32_t)pieces : 1;
}

// What an engine does of a tile: bytes that come in or go out, or the tile's own work.
static void emit_staged_job_add_stage(struct staged_job *staged, uint32_t engine,
                                      const struct plan_tile *tile, const uint64_t bytes[2],
                                      uint32_t ring)
{
    const struct target *target = staged->emitter->plan->target;
    const struct target_engine *item = &target->engines[engine];
    const bool in = item->role == TARGET_ROLE_TRANSFER && item->to == staged->engine->memory;
    const uint64_t moved = bytes[in ? 0 : 1];
    struct program_stage stage = {.engine = engine,
                                  .ring = ring,
                                  .depth = staged->engine->ring,
                                  .pieces =
                                      pieces_of(staged, bytes[0] > bytes[1] ? bytes[0] : bytes[1]),
                                  .cost = tile->cost};
    if (item->role == TARGET_ROLE_TRANSFER)
        stage.cost = (struct cost_request){.kind = COST_TRANSFER, .bytes = moved, .outputs = moved};
    struct program_stage *kept = EMIT_ADD(staged->emitter, stages, NULL);
    *kept = stage;
}

static void add_stages(struct staged_job *staged, uint32_t task, const struct plan_tile *tile,
                       const uint64_t bytes[2], const uint32_t rings[2])
{
    struct program_task *item = EMIT_GET(staged->emitter, tasks, task);
    item->first_stage = EMIT_COUNT(staged->emitter, stages);
    item->stage_count = staged->engine->stage_count;
    for (uint32_t i = 0; i < staged->engine->stage_count; i++) {
        const bool last = i + 1 == staged->engine->stage_count;
        const bool before_last = i + 2 == staged->engine->stage_count;
        emit_staged_job_add_stage(staged, staged->engine->stages[i], tile, bytes,
                                  last ? PROGRAM_NONE : rings[before_last ? 1 : 0]);
    }
}

static bool brings_to_many(const struct staged_job *staged)
{
    const struct target *target = staged->emitter->plan->target;
    for (uint32_t i = 0; i < staged->engine->stage_count; i++) {
        const struct target_engine *item = &target->engines[staged->engine->stages[i]];
        if (item->role == TARGET_ROLE_TRANSFER && item->to == staged->engine->memory)
            return item->cast;
    }
    return false;
}

// How many cores need the same part of an input in the round of a tile: each reads its share of
// it and hands that on to the others.
static uint32_t count_sharing(const struct staged_job *staged, uint32_t index, uint32_t input)
{
    const struct plan_group *group = staged->group;
    const struct plan_box *own = &group->tiles[index].inputs[input];
    const uint32_t first = index - index % staged->units;
    uint32_t count = 0;
    for (uint32_t i = first; i < group->tile_count && i < first + staged->units; i++)
        count += plan_boxes_same(&group->tiles[i].inputs[input], own);
    return count;
}

// Bytes of an input that come from the far memory for this tile.
static uint64_t bytes_brought(const struct staged_job *staged, uint32_t index, uint32_t input)
{
    const uint64_t bytes =
        box_bytes(staged, staged->group->inputs[input], &staged->group->tiles[index].inputs[input]);
    const bool casts =
        staged->casts && plan_is_cast(staged->emitter->plan, staged->group->inputs[input]);
    const uint32_t sharing = casts ? count_sharing(staged, index, input) : 1;
    return (bytes + sharing - 1) / sharing;
}

static void emit_staged_job_run_tile(struct staged_job *staged, uint32_t index)
{
    struct emitter *emitter = staged->emitter;
    const struct plan_group *group = staged->group;
    const struct plan_tile *tile = &group->tiles[index];
    const uint32_t unit = index % staged->units;
    const bool own = staged->engine->per == TARGET_PER_CORE;
    const struct emit_at at = {.engine = group->engine, .unit = own ? unit : 0};
    const uint32_t task =
        emit_task(emitter, staged->group_id, index, at, PROGRAM_TASK_COMPUTE, tile->cost);
    struct emit_place place = {staged->engine->memory, at.unit,
                               plan_code_room(emitter->plan->target, staged->engine->memory)};
    struct emit_places places;
    uint64_t bytes[2] = {0, 0};
    uint32_t rings[2] = {PROGRAM_NONE, PROGRAM_NONE}; // of the first input and output
    emit_places_start(&places, emitter->plan, group);
    for (uint32_t i = 0; i < group->input_count; i++) {
        emit_operand(emitter, task, emitter->far[group->inputs[i]], &tile->inputs[i], false);
        emit_depend_on_writers(emitter, task, group->inputs[i], &tile->inputs[i]);
        const uint32_t ring = add_ring(staged, task, group->inputs[i], &tile->inputs[i], &place);
        emit_place_add(&places, group->inputs[i], ring);
        rings[0] = i == 0 ? ring : rings[0];
        bytes[0] += bytes_brought(staged, index, i);
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        emit_operand(emitter, task, emitter->far[group->outputs[i]], &tile->outputs[i], true);
        emit_writer_add(emitter, group->outputs[i], task, &tile->outputs[i]);
        const uint32_t ring = add_ring(staged, task, group->outputs[i], &tile->outputs[i], &place);
        emit_place_add(&places, group->outputs[i], ring);
        rings[1] = i == 0 ? ring : rings[1];
        bytes[1] += box_bytes(staged, group->outputs[i], &tile->outputs[i]);
    }
    add_stages(staged, task, tile, bytes, rings);
    emit_calls(emitter, task, staged->group_id, tile, &places);
    emit_places_free(&places);
    emit_start(&staged->job, task);
}

void emit_staged_job(struct emitter *emitter, uint32_t group_id)
{
    const struct target *target = emitter->plan->target;
    struct staged_job staged = {
        .emitter = emitter, .group = &emitter->plan->groups[group_id], .group_id = group_id};
    staged.engine = &target->engines[staged.group->engine];
    staged.units = staged.group->unit_count > 0 ? staged.group->unit_count : 1;
    staged.casts = brings_to_many(&staged);
    const uint64_t room = target->memories[staged.engine->memory].size -
                          plan_code_room(target, staged.engine->memory);
    const uint64_t operands = (uint64_t)staged.group->input_count + staged.group->output_count;
    const uint64_t piece =
        room / (operands * staged.engine->ring) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    staged.piece = piece < PIECE_MOST ? piece : PIECE_MOST;
    emit_job_start(emitter, &staged.job, group_id);
    const uint32_t location = emit_location(emitter, group_id);
    emit_action(emitter, PROGRAM_ACTION_JOB_START, staged.job.id, location, 0);
    for (uint32_t i = 0; i < staged.group->tile_count; i++)
        emit_staged_job_run_tile(&staged, i);
    emit_job_end(&staged.job);
    emit_action(emitter, PROGRAM_ACTION_JOB_WAIT, staged.job.id, location, 0);
}
