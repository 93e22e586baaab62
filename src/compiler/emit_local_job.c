// Jobs of engines with a memory of their own.
//
// Tile i is loaded while tile i - 1 is computed and tile i - 2 is stored:
//
//     load 0
//     for each tile i:  wait for its load and for the lane that computes it;
//                       store what that lane gave; start it; load tile i + 1
//
// There is room for one tile more than there are lanes (fewer where the memory is
// too small), so that the next load has a place that nobody uses.

#include <stdlib.h>

#include "base/memory.h"
#include "emit_task.h"
#include "program/controller.h"

enum {
    CODE_SLOTS = 2 * CONTROLLER_BLOCK_MOST, // of the controller, at the bottom of its memory
    SLICE_PROGRAM_BYTES = 264,
    SLICE_PROGRAM_ROOM = 5120,
};

// Inside the buffer of a tile it begins at the front.
static struct plan_box at_origin(const struct plan_box *box)
{
    struct plan_box moved = *box;
    memset(moved.from, 0, sizeof moved.from);
    return moved;
}

// Where the operands of a group lie in its local memory.
struct layout {
    uint64_t *inputs; // offset of each input: staying, or within a slot
    uint64_t *outputs;
    bool *stays;
    uint64_t base;  // of what stays
    uint64_t first; // of the slots
    uint64_t slot;  // bytes of one
    uint32_t slots;
};

static uint64_t padded(uint64_t bytes)
{
    return (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

static uint64_t most_bytes(const struct emitter *emitter, const struct plan_group *group,
                           bool output, uint32_t index)
{
    const uint32_t value = output ? group->outputs[index] : group->inputs[index];
    const enum element element = network_value(emitter->plan->network, value)->type.element;
    uint64_t most = 0;
    for (uint32_t i = 0; i < group->tile_count; i++) {
        const struct plan_box *box =
            output ? &group->tiles[i].outputs[index] : &group->tiles[i].inputs[index];
        const uint64_t bytes = padded(plan_box_bytes(box, element));
        most = bytes > most ? bytes : most;
    }
    return most;
}

static uint64_t code_room(const struct emitter *emitter, const struct plan_group *group)
{
    return emitter->plan->target->engines[group->engine].kind == TARGET_SLICE
               ? CODE_SLOTS + SLICE_PROGRAM_ROOM
               : 0;
}

static void layout_make(const struct emitter *emitter, const struct plan_group *group,
                        struct layout *layout)
{
    const struct plan *plan = emitter->plan;
    const struct target_engine *engine = &plan->target->engines[group->engine];
    *layout = (struct layout){.base = code_room(emitter, group)};
    layout->inputs = memory_allocate_zeroed((size_t)group->input_count + 1, sizeof(uint64_t));
    layout->outputs = memory_allocate_zeroed((size_t)group->output_count + 1, sizeof(uint64_t));
    layout->stays = memory_allocate_zeroed((size_t)group->input_count + 1, sizeof(bool));
    uint64_t staying = layout->base;
    for (uint32_t i = 0; i < group->input_count; i++) {
        const uint64_t bytes = most_bytes(emitter, group, false, i);
        layout->stays[i] = group->stays[i];
        layout->inputs[i] = layout->stays[i] ? staying : layout->slot;
        *(layout->stays[i] ? &staying : &layout->slot) += bytes;
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        layout->outputs[i] = layout->slot;
        layout->slot += most_bytes(emitter, group, true, i);
    }
    layout->first = staying;
    const uint64_t room = plan->target->memories[engine->memory].size - staying;
    layout->slots = group->tile_count > 1 ? engine->count + 1 : 1;
    while (layout->slots > 1 && layout->slot * layout->slots > room)
        layout->slots--;
}

static void layout_free(struct layout *layout)
{
    free(layout->inputs);
    free(layout->outputs);
    free(layout->stays);
}

// The tasks of one tile.
struct flight {
    uint32_t *loads; // one for each input; PROGRAM_NONE where it stays
    uint32_t *load_buffers;
    uint32_t *stores;
    uint32_t *store_buffers;
    uint32_t compute;
};

struct local_job {
    struct emit_job job;
    struct emitter *emitter;
    const struct plan_group *group;
    struct layout layout;
    struct flight *flights;
    uint32_t *staying; // the buffer of each input that stays
    uint32_t *staying_loads;
    uint32_t memory;      // of the engine
    uint32_t near_memory; // what the DMA engines reach
};

// Brings part of a value to `address` of the engine's memory: through the memory
// that the DMA reaches where that is another one. Returns the last task.
static uint32_t load(struct local_job *local, uint32_t value, const struct plan_box *box,
                     uint64_t address, uint32_t tile, uint32_t after, uint32_t *out_buffer)
{
    struct emitter *emitter = local->emitter;
    const struct plan_box inside = at_origin(box);
    const uint32_t near = emit_buffer(
        emitter, "", value, local->near_memory, PROGRAM_BUFFER_TILE,
        local->memory == local->near_memory ? address : CODE_SLOTS + SLICE_PROGRAM_ROOM + address,
        box);
    uint32_t task = emit_transfer(emitter, local->job.group, tile, local->job.dma_in,
                                  emitter->far[value], box, near, &inside);
    emit_depend_on_writers(emitter, task, value, box);
    emit_dependency(emitter, task, after, false);
    *out_buffer = near;
    if (local->memory == local->near_memory)
        return task;
    emit_start(&local->job, task);
    const uint32_t first = task;
    *out_buffer = emit_buffer(emitter, "", value, local->memory, PROGRAM_BUFFER_TILE, address, box);
    task = emit_transfer(emitter, local->job.group, tile, local->job.cdma, near, &inside,
                         *out_buffer, &inside);
    emit_dependency(emitter, task, first, true);
    emit_dependency(emitter, task, after, false);
    return task;
}

static uint32_t store(struct local_job *local, uint32_t value, const struct plan_box *box,
                      uint32_t buffer, uint64_t address, uint32_t tile, uint32_t compute)
{
    struct emitter *emitter = local->emitter;
    const struct plan_box inside = at_origin(box);
    uint32_t from = buffer;
    uint32_t before = compute;
    if (local->memory != local->near_memory) {
        from = emit_buffer(emitter, "", value, local->near_memory, PROGRAM_BUFFER_TILE,
                           CODE_SLOTS + SLICE_PROGRAM_ROOM + address, box);
        before = emit_transfer(emitter, local->job.group, tile, local->job.cdma, buffer, &inside,
                               from, &inside);
        emit_dependency(emitter, before, compute, true);
        emit_start(&local->job, before);
    }
    const uint32_t task = emit_transfer(emitter, local->job.group, tile, local->job.dma_out, from,
                                        &inside, emitter->far[value], box);
    emit_dependency(emitter, task, before, true);
    emit_writer_add(emitter, value, task, box);
    return task;
}

// The slot of a tile and the tile that used it before.
static uint64_t slot_address(const struct local_job *local, uint32_t tile)
{
    return local->layout.first + (tile % local->layout.slots) * local->layout.slot;
}

static uint32_t earlier_compute(const struct local_job *local, uint32_t tile)
{
    return tile >= local->layout.slots ? local->flights[tile - local->layout.slots].compute
                                       : PROGRAM_NONE;
}

static void load_tile(struct local_job *local, uint32_t tile)
{
    const struct plan_group *group = local->group;
    struct flight *flight = &local->flights[tile];
    for (uint32_t i = 0; i < group->input_count; i++) {
        flight->loads[i] = PROGRAM_NONE;
        if (local->layout.stays[i])
            continue;
        flight->loads[i] = load(local, group->inputs[i], &group->tiles[tile].inputs[i],
                                slot_address(local, tile) + local->layout.inputs[i], tile,
                                earlier_compute(local, tile), &flight->load_buffers[i]);
        emit_start(&local->job, flight->loads[i]);
    }
}

static void load_staying(struct local_job *local)
{
    const struct plan_group *group = local->group;
    for (uint32_t i = 0; i < group->input_count; i++) {
        if (!local->layout.stays[i])
            continue;
        local->staying_loads[i] =
            load(local, group->inputs[i], &group->tiles[0].inputs[i], local->layout.inputs[i], 0,
                 PROGRAM_NONE, &local->staying[i]);
        emit_start(&local->job, local->staying_loads[i]);
    }
}

static void compute_tile(struct local_job *local, uint32_t tile)
{
    struct emitter *emitter = local->emitter;
    const struct plan_group *group = local->group;
    const struct plan_tile *item = &group->tiles[tile];
    struct flight *flight = &local->flights[tile];
    const uint32_t task =
        emit_task(emitter, local->job.group, tile, group->engine, PROGRAM_TASK_COMPUTE, item->cost);
    struct program_task *kept = EMIT_GET(emitter, tasks, task);
    kept->lane = (uint32_t)(tile % emitter->plan->target->engines[group->engine].count);
    struct emit_places places;
    emit_places_start(&places, emitter->plan, group);
    for (uint32_t i = 0; i < group->input_count; i++) {
        const bool stays = local->layout.stays[i];
        const uint32_t buffer = stays ? local->staying[i] : flight->load_buffers[i];
        const struct plan_box inside = at_origin(&item->inputs[i]);
        emit_place_add(&places, group->inputs[i], buffer);
        emit_operand(emitter, task, buffer, &inside, false);
        emit_dependency(emitter, task, stays ? local->staying_loads[i] : flight->loads[i], true);
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        const struct plan_box inside = at_origin(&item->outputs[i]);
        flight->store_buffers[i] =
            emit_buffer(emitter, "", group->outputs[i], local->memory, PROGRAM_BUFFER_TILE,
                        slot_address(local, tile) + local->layout.outputs[i], &item->outputs[i]);
        emit_place_add(&places, group->outputs[i], flight->store_buffers[i]);
        emit_operand(emitter, task, flight->store_buffers[i], &inside, true);
        if (tile >= local->layout.slots)
            emit_dependency(emitter, task, local->flights[tile - local->layout.slots].stores[i],
                            false);
    }
    emit_calls(emitter, task, local->job.group, item, &places);
    emit_places_free(&places);
    flight->compute = task;
    emit_start(&local->job, task);
}

static void store_tile(struct local_job *local, uint32_t tile)
{
    const struct plan_group *group = local->group;
    struct flight *flight = &local->flights[tile];
    emit_wait(&local->job, flight->compute);
    for (uint32_t i = 0; i < group->output_count; i++) {
        flight->stores[i] = store(
            local, group->outputs[i], &group->tiles[tile].outputs[i], flight->store_buffers[i],
            slot_address(local, tile) + local->layout.outputs[i], tile, flight->compute);
        emit_start(&local->job, flight->stores[i]);
    }
}

// The code of a slice's program, brought in like data.
static void load_program(struct local_job *local)
{
    struct emitter *emitter = local->emitter;
    if (emitter->plan->target->engines[local->group->engine].kind != TARGET_SLICE)
        return;
    const struct plan_box box = {.rank = 1, .size = {SLICE_PROGRAM_BYTES}};
    const uint32_t far = emit_buffer(emitter, "slice program", NETWORK_NONE, emitter->far_memory,
                                     PROGRAM_BUFFER_CODE, emitter->code, &box);
    const uint32_t near = emit_buffer(emitter, "slice program", NETWORK_NONE, local->near_memory,
                                      PROGRAM_BUFFER_CODE, CODE_SLOTS, &box);
    emitter->code += padded(SLICE_PROGRAM_BYTES);
    emit_start(&local->job,
               emit_transfer(emitter, PROGRAM_NONE, 0, local->job.dma_in, far, &box, near, &box));
}

static void run_tiles(struct local_job *local)
{
    const uint32_t lanes = local->emitter->plan->target->engines[local->group->engine].count;
    const uint32_t count = local->group->tile_count;
    const uint32_t behind = local->layout.slots > lanes ? lanes : local->layout.slots - 1;
    load_tile(local, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (behind > 0 && i >= behind)
            store_tile(local, i - behind);
        compute_tile(local, i);
        if (behind == 0)
            store_tile(local, i);
        if (i + 1 < count)
            load_tile(local, i + 1);
    }
    for (uint32_t i = count > behind ? count - behind : 0; behind > 0 && i < count; i++)
        store_tile(local, i);
}

static void wait_for_all(struct local_job *local)
{
    const struct target *target = local->emitter->plan->target;
    for (uint32_t e = 0; e < target->engine_count; e++) {
        for (uint32_t lane = 0; lane < target->engines[e].count; lane++)
            emit_wait(&local->job, local->job.last[e][lane]);
    }
}

static void local_allocate(struct local_job *local)
{
    const struct plan_group *group = local->group;
    struct arena *arena = &local->emitter->plan->arena;
    const size_t inputs = (size_t)group->input_count + 1;
    const size_t outputs = (size_t)group->output_count + 1;
    local->flights = memory_allocate_zeroed((size_t)group->tile_count + 1, sizeof *local->flights);
    for (uint32_t i = 0; i < group->tile_count; i++) {
        struct flight *flight = &local->flights[i];
        flight->loads = arena_allocate(arena, inputs * sizeof(uint32_t));
        flight->load_buffers = arena_allocate(arena, inputs * sizeof(uint32_t));
        flight->stores = arena_allocate(arena, outputs * sizeof(uint32_t));
        flight->store_buffers = arena_allocate(arena, outputs * sizeof(uint32_t));
    }
    local->staying = arena_allocate(arena, inputs * sizeof(uint32_t));
    local->staying_loads = arena_allocate(arena, inputs * sizeof(uint32_t));
}

void emit_local_job(struct emitter *emitter, uint32_t group_id)
{
    const struct target *target = emitter->plan->target;
    struct local_job local = {.emitter = emitter, .group = &emitter->plan->groups[group_id]};
    emit_job_start(emitter, &local.job, group_id);
    local.job.dma_in = target_engine_of(target, TARGET_DMA_IN);
    local.job.dma_out = target_engine_of(target, TARGET_DMA_OUT);
    local.job.cdma = target_engine_of(target, TARGET_CDMA);
    local.memory = target->engines[local.group->engine].memory;
    local.near_memory = target->engines[local.job.dma_in].memory;
    layout_make(emitter, local.group, &local.layout);
    local_allocate(&local);
    const uint32_t location = emit_location(emitter, group_id);
    emit_action(emitter, PROGRAM_ACTION_JOB_START, local.job.id, location, 0);
    load_program(&local);
    load_staying(&local);
    run_tiles(&local);
    wait_for_all(&local);
    emit_action(emitter, PROGRAM_ACTION_JOB_WAIT, local.job.id, location, 0);
    free(local.flights);
    layout_free(&local.layout);
}
