#include "emit_near.h"

#include <stdlib.h>

#include "base/memory.h"
#include "slide.h"

struct emit_near {
    uint32_t buffer; // PROGRAM_NONE: nothing has used it yet
    struct emit_writers writers;
    uint32_t axis;  // that pieces are cut along, once the first tile has come
    int64_t loaded; // along it
};

void emit_near_create(struct emitter *emitter)
{
    const size_t count = emitter->plan->place_count;
    emitter->near = memory_allocate_zeroed(count + 1, sizeof *emitter->near);
    for (size_t i = 0; i < count; i++)
        emitter->near[i].buffer = PROGRAM_NONE;
}

void emit_near_free(struct emitter *emitter)
{
    for (size_t i = 0; emitter->near != NULL && i < emitter->plan->place_count; i++)
        free(emitter->near[i].writers.items);
    free(emitter->near);
}

static struct plan_box emit_near_whole_box(const struct emitter *emitter, uint32_t place)
{
    const uint32_t value = emitter->plan->places[place].value;
    return plan_box_whole(&group_value(emitter->plan, value)->type.shape);
}

uint32_t emit_near_buffer(struct emitter *emitter, uint32_t place)
{
    const struct plan *plan = emitter->plan;
    const struct plan_place *item = &plan->places[place];
    struct emit_near *near = &emitter->near[place];
    if (near->buffer == PROGRAM_NONE) {
        const uint32_t engine = plan->groups[item->first].engine;
        const struct plan_box box = emit_near_whole_box(emitter, place);
        near->buffer =
            emit_buffer(emitter, "", item->value, PROGRAM_BUFFER_TILE,
                        (struct emit_place){.memory = plan->target->engines[engine].memory,
                                            .address = item->address},
                        &box);
    }
    return near->buffer;
}

static void add_writer(struct emitter *emitter, uint32_t place, uint32_t task,
                       const struct plan_box *box)
{
    struct emit_writers *writers = &emitter->near[place].writers;
    writers->items =
        memory_grow(writers->items, writers->count, &writers->capacity, sizeof *writers->items);
    writers->items[writers->count++] = (struct emit_writer){task, *box};
}

static void depend_on_writers(struct emitter *emitter, uint32_t task, uint32_t place,
                              const struct plan_box *box)
{
    const struct emit_writers *writers = &emitter->near[place].writers;
    for (size_t i = 0; i < writers->count; i++) {
        if (plan_boxes_meet(&writers->items[i].box, box))
            emit_dependency(emitter, task, writers->items[i].task, true);
    }
}

// Loading ------------------------------------------------------------------------------------

static void load_piece(struct emit_job *job, uint32_t tile, uint32_t place,
                       const struct plan_box *box, struct emit_at at)
{
    struct emitter *emitter = job->emitter;
    const struct plan_place *item = &emitter->plan->places[place];
    const uint32_t near = emit_near_buffer(emitter, place);
    const uint32_t task =
        emit_transfer(emitter, item->first, tile, at, emitter->far[item->value], box, near, box);
    emit_depend_on_writers(emitter, task, item->value, box);
    add_writer(emitter, place, task, box);
    emit_start(job, task);
}

void emit_near_fetch(struct emit_job *job, uint32_t place, struct emit_at at)
{
    const struct plan_box box = emit_near_whole_box(job->emitter, place);
    load_piece(job, 0, place, &box, at);
}

void emit_near_load(struct emit_job *job, uint32_t group, uint32_t tile, uint32_t input,
                    struct emit_at at)
{
    struct emitter *emitter = job->emitter;
    const struct plan_group *head = &emitter->plan->groups[group];
    const struct plan_group *item = head->chain != NULL ? &head->chain->whole : head;
    const uint32_t place = item->near->inputs[input];
    struct plan_box box = emit_near_whole_box(emitter, place);
    if (tile == 0)
        emitter->near[place].axis = slide_axis(item, input);
    const uint32_t axis = emitter->near[place].axis;
    if (axis < box.rank) {
        const struct plan_box *needed = &item->tiles[tile].inputs[input];
        const bool last = tile + 1 == item->tile_count;
        const int64_t end = last ? box.size[axis] : needed->from[axis] + needed->size[axis];
        int64_t *loaded = &emitter->near[place].loaded;
        box.from[axis] = *loaded;
        box.size[axis] = end - *loaded;
        if (end <= *loaded)
            return;
        *loaded = end;
    } else if (tile > 0) {
        return;
    }
    load_piece(job, tile, place, &box, at);
}

// Using --------------------------------------------------------------------------------------

void emit_near_operand(struct emitter *emitter, uint32_t task, uint32_t place,
                       const struct plan_box *box, bool writes, struct emit_places *places)
{
    const struct plan_place *item = &emitter->plan->places[place];
    const uint32_t buffer = emit_near_buffer(emitter, place);
    const struct program_buffer *kept = EMIT_GET(emitter, buffers, buffer);
    const struct emit_place inside = {kept->memory, kept->unit, 0};
    const bool whole = memcmp(kept->dims, box->size, box->rank * sizeof *box->size) == 0;
    emit_operand(emitter, task, buffer, box, writes);
    emit_place_add(
        places, item->value,
        whole ? buffer
              : emit_buffer(emitter, "", item->value, PROGRAM_BUFFER_PIPELINE, inside, box));
    if (writes) {
        add_writer(emitter, place, task, box);
        return;
    }
    depend_on_writers(emitter, task, place, box);
}

uint32_t emit_near_store(struct emitter *emitter, uint32_t group, uint32_t tile, uint32_t place,
                         const struct plan_box *box, uint32_t compute, struct emit_at at)
{
    const uint32_t value = emitter->plan->places[place].value;
    const uint32_t task = emit_transfer(emitter, group, tile, at, emit_near_buffer(emitter, place),
                                        box, emitter->far[value], box);
    emit_dependency(emitter, task, compute, true);
    emit_writer_add(emitter, value, task, box);
    return task;
}

void emit_near_swap(struct emit_job *job, uint32_t group, uint32_t place, struct emit_at at)
{
    struct emitter *emitter = job->emitter;
    const struct plan *plan = emitter->plan;
    const struct plan_place *item = &plan->places[place];
    const struct plan_box box = emit_near_whole_box(emitter, place);
    const bool there = !item->made || plan->stored[item->value];
    uint32_t far = emitter->far[item->value];
    if (there) {
        far = emit_buffer(
            emitter, "", item->value, PROGRAM_BUFFER_INNER,
            (struct emit_place){.memory = emitter->far_memory, .address = emitter->code}, &box);
        emitter->code += item->bytes;
    }
    const uint32_t task =
        emit_transfer(emitter, group, 0, at, emit_near_buffer(emitter, place), &box, far, &box);
    depend_on_writers(emitter, task, place, &box);
    if (!there)
        emit_writer_add(emitter, item->value, task, &box);
    emit_start(job, task);
}
