// Jobs of engines whose tasks run through stages: one task for each tile, read from where
// values lie, computed and written back piece by piece, through rings in the memory of its
// core. Only the rings take memory there, so a tile may be as large as it likes. What is sharded
// lies there, too (shard.h), and is worked on where it lies.

#include <stdlib.h>

#include "emit_task.h"
#include "shard.h"

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

// What a tile takes: bytes that come in and go out, and all of it with what lies near, whatever
// that comes from. Rings of the first input and output that have one.
struct staged_tile {
    const struct plan_tile *tile;
    uint64_t moved[2];
    uint64_t worked[2];
    uint32_t rings[2];
};

// What an engine does of a tile: bytes that come in or go out, or the tile's own work.
static void emit_staged_job_add_stage(struct staged_job *staged, uint32_t engine,
                                      const struct staged_tile *work, uint32_t ring)
{
    const struct target *target = staged->emitter->plan->target;
    const struct target_engine *item = &target->engines[engine];
    const bool in = item->role == TARGET_ROLE_TRANSFER && item->to == staged->engine->memory;
    const uint64_t moved = work->moved[in ? 0 : 1];
    const uint64_t most = work->worked[work->worked[0] > work->worked[1] ? 0 : 1];
    struct program_stage stage = {.engine = engine,
                                  .ring = ring,
                                  .depth = staged->engine->ring,
                                  .pieces = pieces_of(staged, most),
                                  .cost = work->tile->cost};
    if (item->role == TARGET_ROLE_TRANSFER)
        stage.cost = (struct cost_request){.kind = COST_TRANSFER, .bytes = moved, .outputs = moved};
    struct program_stage *kept = EMIT_ADD(staged->emitter, stages, NULL);
    *kept = stage;
}

static void add_stages(struct staged_job *staged, uint32_t task, const struct staged_tile *work)
{
    struct program_task *item = EMIT_GET(staged->emitter, tasks, task);
    item->first_stage = EMIT_COUNT(staged->emitter, stages);
    item->stage_count = staged->engine->stage_count;
    for (uint32_t i = 0; i < staged->engine->stage_count; i++) {
        const bool last = i + 1 == staged->engine->stage_count;
        const bool before_last = i + 2 == staged->engine->stage_count;
        emit_staged_job_add_stage(staged, staged->engine->stages[i], work,
                                  last ? PROGRAM_NONE : work->rings[before_last ? 1 : 0]);
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

// Parts of values that lie near ------------------------------------------------------------

static uint32_t make_part(struct staged_job *staged, const struct plan_shard *shard,
                          const struct plan_box *box, uint32_t unit)
{
    struct emitter *emitter = staged->emitter;
    const uint32_t part =
        emit_buffer(emitter, "", shard->value, PROGRAM_BUFFER_TILE,
                    (struct emit_place){staged->engine->memory, unit, shard->address}, box);
    struct program_buffer *buffer = EMIT_GET(emitter, buffers, part);
    const uint64_t stored = box_bytes(staged, shard->value, box);
    buffer->size = stored > buffer->size ? stored : buffer->size;
    return part;
}

// Where the task that made it put it; PROGRAM_NONE while a job is evaluated by itself.
static uint32_t find_part(const struct emitter *emitter, uint32_t value, const struct plan_box *box)
{
    const struct emit_writers *writers = &emitter->writers[value];
    for (size_t i = 0; i < writers->count; i++) {
        const struct program_task *task = EMIT_GET(emitter, tasks, writers->items[i].task);
        if (!plan_boxes_same(&writers->items[i].box, box))
            continue;
        for (uint32_t k = 0; k < task->operand_count; k++) {
            const struct program_operand *operand =
                EMIT_GET(emitter, operands, task->first_operand + k);
            const struct program_buffer *buffer = EMIT_GET(emitter, buffers, operand->buffer);
            if (operand->writes != 0 && buffer->kind == PROGRAM_BUFFER_TILE &&
                buffer->value == emitter->values[value])
                return operand->buffer;
        }
    }
    return PROGRAM_NONE;
}

// Tiles ------------------------------------------------------------------------------------

static void add_input(struct staged_job *staged, uint32_t task, uint32_t index, uint32_t input,
                      struct staged_tile *work, struct emit_place *place,
                      struct emit_places *places)
{
    struct emitter *emitter = staged->emitter;
    const uint32_t value = staged->group->inputs[input];
    const struct plan_box *box = &work->tile->inputs[input];
    const struct plan_box inside = plan_box_at_origin(box);
    const struct plan_shard *shard = shard_of(emitter->plan, value);
    uint32_t buffer;
    work->worked[0] += bytes_brought(staged, index, input);
    if (shard != NULL) {
        buffer = find_part(emitter, value, box);
        buffer = buffer != PROGRAM_NONE ? buffer : make_part(staged, shard, box, place->unit);
        emit_operand(emitter, task, buffer, &inside, false);
    } else {
        emit_operand(emitter, task, emitter->far[value], box, false);
        buffer = add_ring(staged, task, value, box, place);
        work->rings[0] = work->rings[0] == PROGRAM_NONE ? buffer : work->rings[0];
        work->moved[0] += bytes_brought(staged, index, input);
    }
    emit_depend_on_writers(emitter, task, value, box);
    emit_place_add(places, value, buffer);
}

static void add_output(struct staged_job *staged, uint32_t task, uint32_t output,
                       struct staged_tile *work, struct emit_place *place,
                       struct emit_places *places)
{
    struct emitter *emitter = staged->emitter;
    const uint32_t value = staged->group->outputs[output];
    const struct plan_box *box = &work->tile->outputs[output];
    const struct plan_box inside = plan_box_at_origin(box);
    const struct plan_shard *shard = shard_of(emitter->plan, value);
    uint32_t buffer;
    work->worked[1] += box_bytes(staged, value, box);
    if (shard != NULL) {
        buffer = make_part(staged, shard, box, place->unit);
        emit_operand(emitter, task, buffer, &inside, true);
    } else {
        emit_operand(emitter, task, emitter->far[value], box, true);
        buffer = add_ring(staged, task, value, box, place);
        work->rings[1] = work->rings[1] == PROGRAM_NONE ? buffer : work->rings[1];
        work->moved[1] += box_bytes(staged, value, box);
    }
    emit_writer_add(emitter, value, task, box);
    emit_place_add(places, value, buffer);
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
    struct staged_tile work = {.tile = tile, .rings = {PROGRAM_NONE, PROGRAM_NONE}};
    emit_places_start(&places, emitter->plan, group);
    for (uint32_t i = 0; i < group->input_count; i++)
        add_input(staged, task, index, i, &work, &place, &places);
    for (uint32_t i = 0; i < group->output_count; i++)
        add_output(staged, task, i, &work, &place, &places);
    add_stages(staged, task, &work);
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
                          plan_code_room(target, staged.engine->memory) -
                          shard_room(emitter->plan, staged.engine);
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
