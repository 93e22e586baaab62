#include "plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "images.h"
#include "network/block.h"
#include "network/weights.h"

struct plan *plan_create(struct network *network, const struct target *target)
{
    struct plan *plan = memory_allocate_zeroed(1, sizeof *plan);
    plan->network = network;
    plan->target = target;
    plan->first_copy = network->nodes.count;
    return plan;
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->warnings);
    free(plan->originals);
    free(plan->places);
    free(plan->stored);
    free(plan->swapped);
    free(plan->images);
    free(plan->shards);
    free(plan->shard_ids);
    free(plan->tiled);
    free(plan->packed);
    arena_free(&plan->arena);
    free(plan);
}

const char *plan_text(struct plan *plan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct view text = arena_format(&plan->arena, format, arguments);
    va_end(arguments);
    return text.data;
}

void plan_warn(struct plan *plan, uint32_t group, const char *kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct view text = arena_format(&plan->arena, format, arguments);
    va_end(arguments);
    plan->warnings = memory_grow(plan->warnings, plan->warning_count, &plan->warning_capacity,
                                 sizeof *plan->warnings);
    plan->warnings[plan->warning_count++] = (struct plan_warning){kind, text.data, group};
}

void plan_stands_for(struct plan *plan, uint32_t original)
{
    plan->originals = memory_grow(plan->originals, plan->copy_count, &plan->copy_capacity,
                                  sizeof *plan->originals);
    plan->originals[plan->copy_count++] = original;
}

uint32_t plan_original(const struct plan *plan, uint32_t node)
{
    return node < plan->first_copy ? node : plan->originals[node - plan->first_copy];
}

uint64_t plan_box_bytes(const struct plan_box *box, enum element element)
{
    uint64_t bytes = element_size(element);
    for (uint32_t i = 0; i < box->rank; i++)
        bytes *= (uint64_t)box->size[i];
    return bytes;
}

bool plan_is_packed(const struct plan *plan, uint32_t value)
{
    return plan->packed != NULL && plan->packed[value];
}

uint64_t plan_box_moved(const struct plan *plan, uint32_t value, const struct plan_box *box)
{
    const enum element element = network_value(plan->network, value)->type.element;
    const uint64_t bytes = plan_box_bytes(box, element);
    return plan_is_packed(plan, value) ? weights_bytes(bytes / element_size(element)) : bytes;
}

void plan_find_images(struct plan *plan)
{
    free(plan->images);
    plan->images = NULL;
    for (uint32_t i = 0; i < plan->target->engine_count; i++) {
        if (target_engine_is_tiled(&plan->target->engines[i]) && plan->images == NULL)
            plan->images = images_find(plan->network);
    }
}

bool plan_is_image(const struct plan *plan, uint32_t value)
{
    return plan->images != NULL && plan->images[value];
}

uint64_t plan_box_stored(const struct plan *plan, const struct target_engine *engine,
                         uint32_t value, const struct plan_box *box)
{
    const enum element element = network_value(plan->network, value)->type.element;
    const bool tiled = target_engine_is_tiled(engine) && !plan_is_image(plan, value);
    struct shape shape = {.rank = box->rank};
    memcpy(shape.dims, box->size, box->rank * sizeof *box->size);
    for (uint32_t i = 0; tiled && i < 2 && i < box->rank; i++) {
        const int64_t step = engine->tile[1 - i];
        int64_t *side = &shape.dims[box->rank - 1 - i];
        *side = (*side + step - 1) / step * step;
    }
    return element_is_block(element) ? block_bytes(element, &shape)
                                     : shape_count(&shape) * element_size(element);
}

struct plan_box plan_box_whole(const struct shape *shape)
{
    struct plan_box box = {.rank = shape->rank};
    memcpy(box.size, shape->dims, shape->rank * sizeof *box.size);
    return box;
}

bool plan_box_is_whole(const struct plan_box *box, const struct shape *shape)
{
    for (uint32_t i = 0; i < box->rank; i++) {
        if (box->from[i] != 0 || box->size[i] != shape->dims[i])
            return false;
    }
    return box->rank == shape->rank;
}

bool plan_boxes_meet(const struct plan_box *a, const struct plan_box *b)
{
    for (uint32_t i = 0; i < a->rank && i < b->rank; i++) {
        if (a->from[i] >= b->from[i] + b->size[i] || b->from[i] >= a->from[i] + a->size[i])
            return false;
    }
    return true;
}

bool plan_boxes_same(const struct plan_box *a, const struct plan_box *b)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->from[i] != b->from[i] || a->size[i] != b->size[i])
            return false;
    }
    return a->rank == b->rank;
}

struct plan_box plan_box_at_origin(const struct plan_box *box)
{
    struct plan_box moved;
    moved.rank = box->rank;
    for (uint32_t i = 0; i < box->rank; i++) {
        moved.from[i] = 0;
        moved.size[i] = box->size[i];
    }
    return moved;
}

bool plan_is_cast(const struct plan *plan, uint32_t value)
{
    const struct target_plan *wanted = &plan->target->plan;
    return wanted->cast && !(wanted->own && network_value(plan->network, value)->constant != NULL);
}

uint64_t plan_padded(uint64_t bytes)
{
    return (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

uint64_t plan_program_address(const struct target *target, uint32_t memory, uint32_t queue)
{
    const struct target_queue *own = &target->queues[queue];
    return plan_padded(target->memories[memory].reserved + own->code_slots * own->code_block);
}

uint64_t plan_program_bytes(const struct target_engine *engine)
{
    uint64_t bytes = plan_padded(engine->program_bytes);
    for (uint32_t i = 0; i < engine->program_table_count; i++)
        bytes += plan_padded(engine->program_tables[i]);
    return bytes;
}

uint64_t plan_code_room(const struct target *target, uint32_t memory)
{
    uint64_t room = plan_padded(target->memories[memory].reserved);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        if (engine->memory != memory || engine->program_room == 0 || engine->queue == TARGET_NONE)
            continue;
        const uint64_t needed =
            plan_padded(plan_program_address(target, memory, engine->queue) + engine->program_room);
        room = needed > room ? needed : room;
    }
    return room;
}

bool plan_find_way(const struct target *target, uint32_t memory, struct plan_way *out_way)
{
    const uint32_t far = target_far_memory(target);
    struct plan_way way = {.in = target_engine_between(target, far, memory),
                           .out = target_engine_between(target, memory, far),
                           .across_in = TARGET_NONE,
                           .across_out = TARGET_NONE,
                           .near = memory};
    for (uint32_t i = 0;
         i < target->memory_count && (way.in == TARGET_NONE || way.out == TARGET_NONE); i++) {
        const struct plan_way through = {.in = target_engine_between(target, far, i),
                                         .out = target_engine_between(target, i, far),
                                         .across_in = target_engine_between(target, i, memory),
                                         .across_out = target_engine_between(target, memory, i),
                                         .near = i};
        if (i != memory && through.in != TARGET_NONE && through.out != TARGET_NONE &&
            through.across_in != TARGET_NONE && through.across_out != TARGET_NONE)
            way = through;
    }
    *out_way = way;
    return way.in != TARGET_NONE && way.out != TARGET_NONE;
}
