// Jobs of engines with a memory of their own.
//
// Tiles are dealt out to the cores in turn, a tile for each of them being a round. On each
// core a tile is loaded while the one before is computed and the one before that is stored:
//
//     load the first round
//     for each round:  store what the lanes gave that are needed now; start its tiles, each
//                      when it is loaded and its lane is free; load the next round
//
// There is room for one tile more than there are lanes (fewer where the memory is
// too small), so that the next load has a place that nobody uses.

#include <stdlib.h>

#include "base/memory.h"
#include "emit_local.h"
#include "emit_near.h"

// Layout ------------------------------------------------------------------------------

static const struct plan_box *emit_local_job_box_of(const struct plan_group *group, bool output,
                                                    uint32_t tile, uint32_t index)
{
    return output ? &group->tiles[tile].outputs[index] : &group->tiles[tile].inputs[index];
}

static uint64_t most_bytes(const struct emit_local *local, const struct plan_group *group,
                           bool output, uint32_t index)
{
    const uint32_t value = output ? group->outputs[index] : group->inputs[index];
    const enum element element = group_value(local->emitter->plan, value)->type.element;
    uint64_t most = 0;
    for (uint32_t i = 0; i < group->tile_count; i++) {
        const uint64_t bytes =
            plan_padded(plan_box_bytes(emit_local_job_box_of(group, output, i, index), element));
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void *allocate_ids(struct emit_local *local, size_t count)
{
    uint32_t *ids = arena_allocate(&local->scratch, (count + 1) * sizeof *ids);
    memset(ids, 0xff, (count + 1) * sizeof *ids);
    return ids;
}

// The place of an input or output that lies near as a whole; PLAN_NONE.
static uint32_t near_of(const struct emit_local *local, bool output, uint32_t index)
{
    const struct plan_near *near = local->whole->near;
    return near == NULL ? PLAN_NONE : output ? near->outputs[index] : near->inputs[index];
}

// The place of what a member reads; PLAN_NONE.
static uint32_t near_input(const struct emit_local *local, uint32_t value)
{
    for (uint32_t i = 0; i < local->whole->input_count; i++) {
        if (local->whole->inputs[i] == value)
            return near_of(local, false, i);
    }
    return PLAN_NONE;
}

static void layout_make(struct emit_local *local)
{
    const struct plan_group *whole = local->whole;
    struct emit_layout *layout = &local->layout;
    struct arena *arena = &local->scratch;
    layout->inputs = arena_allocate(arena, ((size_t)whole->input_count + 1) * sizeof(uint64_t));
    layout->outputs = arena_allocate(arena, ((size_t)whole->output_count + 1) * sizeof(uint64_t));
    layout->kept = arena_allocate(arena, ((size_t)local->member_count + 1) * sizeof(uint64_t));
    uint64_t staying =
        whole->near != NULL ? whole->near->address : plan_code_room(local->target, local->memory);
    const uint64_t end = whole->near != NULL ? staying + whole->near->room
                                             : local->target->memories[local->memory].size;
    const uint64_t sliding = emit_slide_find(local);
    for (uint32_t i = 0; i < whole->input_count; i++) {
        if (near_of(local, false, i) != PLAN_NONE || emit_slide_input(local, i) != NULL)
            continue;
        uint64_t *at = whole->stays[i] ? &staying : &layout->slot;
        layout->inputs[i] = *at;
        *at += most_bytes(local, whole, false, i);
    }
    for (uint32_t i = 0; i + 1 < local->member_count; i++) {
        if (emit_slide_handed(local, i) != NULL)
            continue;
        layout->kept[i] = layout->slot;
        layout->slot += most_bytes(local, &local->members[i], true, 0);
    }
    for (uint32_t i = 0; i < whole->output_count; i++) {
        if (near_of(local, true, i) != PLAN_NONE)
            continue;
        layout->outputs[i] = layout->slot;
        layout->slot += most_bytes(local, whole, true, i);
    }
    const uint64_t room = end > staying ? end - staying : 0;
    layout->slots =
        whole->tile_count > 1 ? local->target->engines[local->members[0].engine].count + 1 : 1;
    while (layout->slots > 1 && layout->slot * layout->slots + sliding * (layout->slots + 1) > room)
        layout->slots--;
    layout->first = emit_slide_place(local, staying);
}

uint32_t emit_local_unit(const struct emit_local *local, uint32_t tile)
{
    return tile % local->units;
}

static uint64_t slot_address(const struct emit_local *local, uint32_t tile)
{
    return local->layout.first + (tile / local->units % local->layout.slots) * local->layout.slot;
}

// The tile that used a tile's place before; NULL: none did.
static const struct emit_flight *flight_before(const struct emit_local *local, uint32_t tile)
{
    const uint32_t distance = local->layout.slots * local->units;
    return tile >= distance ? &local->flights[tile - distance] : NULL;
}

// Transfers ---------------------------------------------------------------------------

struct emit_at emit_local_engine(const struct emit_local *local, uint32_t engine, uint32_t unit)
{
    const bool own = local->target->engines[engine].per == TARGET_PER_CORE;
    return (struct emit_at){.engine = engine, .unit = own ? local->first + unit : 0};
}

struct emit_place emit_local_place(const struct emit_local *local, uint32_t memory, uint32_t unit,
                                   uint64_t address)
{
    const bool own = local->target->memories[memory].per == TARGET_PER_CORE;
    return (struct emit_place){memory, own ? local->first + unit : 0, address};
}

// What goes through another memory lies after the code there.
static struct emit_place near_place(const struct emit_local *local, uint32_t unit, uint64_t address)
{
    const uint32_t near = local->way.near;
    return emit_local_place(local, near, unit,
                            near == local->memory ? address
                                                  : plan_code_room(local->target, near) + address);
}

// Those that used the place before have let go of it: members that read the input.
void emit_local_after_readers(struct emit_local *local, uint32_t task,
                              const struct emit_flight *before, uint32_t value)
{
    for (uint32_t m = 0; before != NULL && m < local->member_count; m++) {
        const struct plan_group *member = &local->members[m];
        for (uint32_t i = 0; i < member->input_count; i++) {
            if (member->inputs[i] == value)
                emit_dependency(local->emitter, task, before->computes[m], false);
        }
    }
}

uint32_t emit_local_load(struct emit_local *local, const struct emit_carriage *what,
                         const struct emit_flight *before, uint32_t brought, uint32_t *out_buffer)
{
    struct emitter *emitter = local->emitter;
    const struct plan_box inside = plan_box_at_origin(what->box);
    const uint32_t near = emit_buffer(emitter, "", what->value, PROGRAM_BUFFER_TILE,
                                      near_place(local, what->unit, what->address), what->box);
    uint32_t task = emit_transfer(emitter, what->group, what->tile,
                                  emit_local_engine(local, local->way.in, what->unit),
                                  emitter->far[what->value], what->box, near, &inside);
    emit_depend_on_writers(emitter, task, what->value, what->box);
    *out_buffer = near;
    if (local->memory == local->way.near) {
        emit_local_after_readers(local, task, before, what->value);
        return task;
    }
    emit_dependency(emitter, task, brought, false);
    emit_start(&local->job, task);
    const uint32_t first = task;
    *out_buffer =
        emit_buffer(emitter, "", what->value, PROGRAM_BUFFER_TILE,
                    emit_local_place(local, local->memory, what->unit, what->address), what->box);
    task = emit_transfer(emitter, what->group, what->tile,
                         emit_local_engine(local, local->way.across_in, what->unit), near, &inside,
                         *out_buffer, &inside);
    emit_dependency(emitter, task, first, true);
    emit_local_after_readers(local, task, before, what->value);
    return task;
}

// Takes an output of a tile to the far memory.
static void local_job_store(struct emit_local *local, const struct emit_carriage *what,
                            uint32_t output)
{
    struct emitter *emitter = local->emitter;
    struct emit_flight *flight = &local->flights[what->tile];
    const struct emit_flight *past = flight_before(local, what->tile);
    const struct plan_box inside = plan_box_at_origin(what->box);
    uint32_t from = flight->store_buffers[output];
    uint32_t before = flight->computes[local->member_count - 1];
    if (local->memory != local->way.near) {
        from = emit_buffer(emitter, "", what->value, PROGRAM_BUFFER_TILE,
                           near_place(local, what->unit, what->address), what->box);
        const uint32_t across =
            emit_transfer(emitter, what->group, what->tile,
                          emit_local_engine(local, local->way.across_out, what->unit),
                          flight->store_buffers[output], &inside, from, &inside);
        emit_dependency(emitter, across, before, true);
        if (past != NULL)
            emit_dependency(emitter, across, past->stores[output], false);
        emit_start(&local->job, across);
        before = flight->leaves[output] = across;
    }
    const uint32_t task = emit_transfer(emitter, what->group, what->tile,
                                        emit_local_engine(local, local->way.out, what->unit), from,
                                        &inside, emitter->far[what->value], what->box);
    emit_dependency(emitter, task, before, true);
    emit_writer_add(emitter, what->value, task, what->box);
    emit_start(&local->job, task);
    flight->stores[output] = task;
    if (local->memory == local->way.near)
        flight->leaves[output] = task;
}

static void load_input(struct emit_local *local, uint32_t tile, uint32_t input)
{
    const struct plan_group *whole = local->whole;
    const uint32_t place = near_of(local, false, input);
    if (place != PLAN_NONE) {
        const struct plan_place *item = &local->emitter->plan->places[place];
        if (item->from == local->first_member && !item->made)
            emit_near_load(&local->job, local->first_member, tile, input,
                           emit_local_engine(local, local->way.in, emit_local_unit(local, tile)));
        return;
    }
    if (emit_slide_input(local, input) != NULL) {
        emit_slide_load(local, emit_slide_input(local, input), tile);
        return;
    }
    struct emit_flight *flight = &local->flights[tile];
    const struct emit_carriage what = {local->first_member,
                                       whole->inputs[input],
                                       &whole->tiles[tile].inputs[input],
                                       tile,
                                       emit_local_unit(local, tile),
                                       slot_address(local, tile) + local->layout.inputs[input]};
    const struct emit_flight *before = flight_before(local, tile);
    flight->loads[input] =
        emit_local_load(local, &what, before, before != NULL ? before->loads[input] : PROGRAM_NONE,
                        &flight->load_buffers[input]);
    emit_start(&local->job, flight->loads[input]);
}

// Input by input, so that all cores have something to load at a time.
static void load_round(struct emit_local *local, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < local->whole->input_count; i++) {
        const bool once = local->whole->stays[i] && near_of(local, false, i) == PLAN_NONE;
        for (uint32_t tile = first; tile < end && !once; tile++)
            load_input(local, tile, i);
    }
}

// Whether all that read what lay in a tile's place for an input has been put down.
static bool has_place(const struct emit_local *local, uint32_t tile, uint32_t input)
{
    const bool slides = emit_slide_input(local, input) != NULL;
    const uint32_t distance = slides ? local->layout.slots + 1 : local->layout.slots * local->units;
    const uint32_t readers = slides ? 2 : 1; // of a piece also the next tile
    for (uint32_t i = 0; tile >= distance && i < readers; i++) {
        for (uint32_t m = 0; m < local->member_count; m++) {
            const struct plan_group *member = &local->members[m];
            for (uint32_t j = 0; j < member->input_count; j++) {
                if (member->inputs[j] == local->whole->inputs[input] &&
                    local->flights[tile - distance + i].computes[m] == PROGRAM_NONE)
                    return false;
            }
        }
    }
    return true;
}

// Of tiles that go side by side: what has a place and has not come yet.
static void load_where_placed(struct emit_local *local, uint32_t first, uint32_t end)
{
    for (uint32_t tile = first; tile < end; tile++) {
        for (uint32_t i = 0; i < local->whole->input_count; i++) {
            const bool near = near_of(local, false, i) != PLAN_NONE;
            if (near || (!local->whole->stays[i] && local->flights[tile].loads[i] == PROGRAM_NONE &&
                         has_place(local, tile, i)))
                load_input(local, tile, i);
        }
    }
}

// What stays ---------------------------------------------------------------------------

// The engine that copies from one core to all others; TARGET_NONE: each loads for itself.
static uint32_t cast_engine(const struct emit_local *local, uint32_t value)
{
    const bool casts = local->units > 1 && plan_is_cast(local->emitter->plan, value);
    for (uint32_t i = 0; casts && i < local->target->engine_count; i++) {
        const struct target_engine *engine = &local->target->engines[i];
        if (engine->role == TARGET_ROLE_COMMUNICATION && engine->cast &&
            engine->from == local->memory && engine->to == local->memory)
            return i;
    }
    return TARGET_NONE;
}

// Copies what core 0 has to the others.
static void cast(struct emit_local *local, uint32_t engine, const struct emit_carriage *what,
                 uint32_t *buffers, uint32_t *loads)
{
    struct emitter *emitter = local->emitter;
    const struct plan_box inside = plan_box_at_origin(what->box);
    buffers[1] = emit_buffer(emitter, "", what->value, PROGRAM_BUFFER_TILE,
                             emit_local_place(local, local->memory, 1, what->address), what->box);
    const uint32_t task =
        emit_transfer(emitter, what->group, what->tile, emit_local_engine(local, engine, 0),
                      buffers[0], &inside, buffers[1], &inside);
    for (uint32_t u = 2; u < local->units; u++) {
        buffers[u] =
            emit_buffer(emitter, "", what->value, PROGRAM_BUFFER_TILE,
                        emit_local_place(local, local->memory, u, what->address), what->box);
        emit_operand(emitter, task, buffers[u], &inside, true);
    }
    struct program_task *item = EMIT_GET(emitter, tasks, task);
    item->first_unit = EMIT_COUNT(emitter, task_units);
    item->unit_count = local->units - 1;
    for (uint32_t u = 1; u < local->units; u++) {
        uint32_t *unit = EMIT_ADD(emitter, task_units, NULL);
        *unit = local->first + u;
        loads[u] = task;
    }
    emit_dependency(emitter, task, loads[0], true);
    emit_start(&local->job, task);
}

static void load_staying(struct emit_local *local)
{
    const struct plan_group *whole = local->whole;
    for (uint32_t i = 0; i < whole->input_count; i++) {
        if (near_of(local, false, i) != PLAN_NONE)
            continue;
        const uint32_t engine = cast_engine(local, whole->inputs[i]);
        const uint32_t loading = engine != TARGET_NONE ? 1 : local->units;
        uint32_t *buffers = &local->staying[(size_t)i * local->units];
        uint32_t *loads = &local->staying_loads[(size_t)i * local->units];
        struct emit_carriage what = {
            local->first_member,    whole->inputs[i], &whole->tiles[0].inputs[i], 0, 0,
            local->layout.inputs[i]};
        for (; whole->stays[i] && what.unit < loading; what.unit++) {
            loads[what.unit] =
                emit_local_load(local, &what, NULL, PROGRAM_NONE, &buffers[what.unit]);
            emit_start(&local->job, loads[what.unit]);
        }
        if (whole->stays[i] && loading < local->units)
            cast(local, engine, &what, buffers, loads);
    }
}

// Computing ----------------------------------------------------------------------------

// The buffer of an input, and the task that filled it.
static uint32_t find_input(const struct emit_local *local, uint32_t tile, uint32_t member,
                           uint32_t value, uint32_t *out_task)
{
    const struct emit_flight *flight = &local->flights[tile];
    if (member > 0 && local->members[member - 1].outputs[0] == value) {
        *out_task = flight->computes[member - 1];
        return flight->kept_buffers[member - 1];
    }
    uint32_t i = 0;
    while (local->whole->inputs[i] != value)
        i++;
    const size_t stays = (size_t)i * local->units + emit_local_unit(local, tile);
    *out_task = local->whole->stays[i] ? local->staying_loads[stays] : flight->loads[i];
    return local->whole->stays[i] ? local->staying[stays] : flight->load_buffers[i];
}

static void emit_local_job_add_inputs(struct emit_local *local, uint32_t task, uint32_t tile,
                                      uint32_t member, struct emit_places *places)
{
    struct emitter *emitter = local->emitter;
    const struct plan_group *group = &local->members[member];
    for (uint32_t i = 0; i < group->input_count; i++) {
        const uint32_t place = near_input(local, group->inputs[i]);
        if (place != PLAN_NONE) {
            emit_near_operand(emitter, task, place, &group->tiles[tile].inputs[i], false, places);
            continue;
        }
        const struct emit_ring *ring = emit_slide_read(local, member, group->inputs[i]);
        if (ring != NULL) {
            emit_slide_operands(local, ring, task, tile, places);
            continue;
        }
        uint32_t filled;
        const uint32_t buffer = find_input(local, tile, member, group->inputs[i], &filled);
        const struct plan_box inside = plan_box_at_origin(&group->tiles[tile].inputs[i]);
        emit_place_add(places, group->inputs[i], buffer);
        emit_operand(emitter, task, buffer, &inside, false);
        emit_dependency(emitter, task, filled, true);
    }
}

static void add_outputs(struct emit_local *local, uint32_t task, uint32_t tile, uint32_t member,
                        struct emit_places *places)
{
    struct emitter *emitter = local->emitter;
    const struct plan_group *group = &local->members[member];
    const struct emit_flight *before = flight_before(local, tile);
    struct emit_flight *flight = &local->flights[tile];
    const bool last = member + 1 == local->member_count;
    for (uint32_t i = 0; i < group->output_count; i++) {
        const struct plan_box *box = &group->tiles[tile].outputs[i];
        if (last && near_of(local, true, i) != PLAN_NONE) {
            emit_near_operand(emitter, task, near_of(local, true, i), box, true, places);
            continue;
        }
        const struct plan_box inside = plan_box_at_origin(box);
        const struct emit_ring *ring = last ? NULL : emit_slide_handed(local, member);
        const uint64_t offset = last ? local->layout.outputs[i] : local->layout.kept[member];
        const uint32_t buffer =
            emit_buffer(emitter, "", group->outputs[i], PROGRAM_BUFFER_TILE,
                        emit_local_place(local, local->memory, emit_local_unit(local, tile),
                                         ring != NULL ? emit_slide_address(local, ring, tile)
                                                      : slot_address(local, tile) + offset),
                        box);
        *(last ? &flight->store_buffers[i] : &flight->kept_buffers[member]) = buffer;
        emit_place_add(places, group->outputs[i], buffer);
        emit_operand(emitter, task, buffer, &inside, true);
        if (ring != NULL)
            emit_slide_after(local, ring, tile, task);
        else if (before != NULL)
            emit_dependency(emitter, task, last ? before->leaves[i] : before->computes[member + 1],
                            false);
    }
}

static void compute_member(struct emit_local *local, uint32_t tile, uint32_t m)
{
    struct emitter *emitter = local->emitter;
    const struct plan_group *group = &local->members[m];
    struct emit_at at = emit_local_engine(local, group->engine, emit_local_unit(local, tile));
    at.lane = tile / local->units % local->target->engines[group->engine].count;
    const uint32_t task = emit_task(emitter, local->first_member + m, tile, at,
                                    PROGRAM_TASK_COMPUTE, group->tiles[tile].cost);
    struct emit_places places;
    emit_places_start(&places, emitter->plan, group);
    emit_local_job_add_inputs(local, task, tile, m, &places);
    add_outputs(local, task, tile, m, &places);
    emit_calls(emitter, task, local->first_member + m, &group->tiles[tile], &places);
    emit_places_free(&places);
    local->flights[tile].computes[m] = task;
    emit_start(&local->job, task);
}

static void compute_tile(struct emit_local *local, uint32_t tile)
{
    for (uint32_t m = 0; m < local->member_count; m++)
        compute_member(local, tile, m);
}

static void store_tile(struct emit_local *local, uint32_t tile)
{
    const struct plan_group *whole = local->whole;
    struct emit_flight *flight = &local->flights[tile];
    const uint32_t compute = flight->computes[local->member_count - 1];
    emit_wait(&local->job, compute);
    for (uint32_t i = 0; i < whole->output_count; i++) {
        const uint32_t place = near_of(local, true, i);
        if (place != PLAN_NONE && !local->emitter->plan->stored[whole->outputs[i]])
            continue;
        if (place != PLAN_NONE) {
            const struct emit_at at =
                emit_local_engine(local, local->way.out, emit_local_unit(local, tile));
            flight->stores[i] = emit_near_store(local->emitter, local->first_member, tile, place,
                                                &whole->tiles[tile].outputs[i], compute, at);
            emit_start(&local->job, flight->stores[i]);
            continue;
        }
        const struct emit_carriage what = {local->first_member + local->member_count - 1,
                                           whole->outputs[i],
                                           &whole->tiles[tile].outputs[i],
                                           tile,
                                           emit_local_unit(local, tile),
                                           slot_address(local, tile) + local->layout.outputs[i]};
        local_job_store(local, &what, i);
    }
}

// Loads for later jobs what has been left to this one: a share after each of its rounds, as
// soon as all lanes have work.
static void fetch_share(struct emit_local *local, uint32_t round, uint32_t rounds)
{
    const struct plan *plan = local->emitter->plan;
    const uint32_t lanes = local->target->engines[local->members[0].engine].count;
    if (local->whole->near == NULL || (round + 1 < lanes && round + 1 < rounds))
        return;
    uint64_t all = local->fetched;
    for (uint32_t i = local->next_fetch; i != PLAN_NONE; i = plan->places[i].next)
        all += plan->places[i].bytes;
    while (local->next_fetch != PLAN_NONE && local->fetched * rounds < all * (round + 1)) {
        const struct plan_place *place = &plan->places[local->next_fetch];
        emit_near_fetch(&local->job, local->next_fetch, emit_local_engine(local, local->way.in, 0));
        local->fetched += place->bytes;
        local->next_fetch = place->next;
    }
}

// Of a chain, as many tiles as there are lanes go through its members side by side, so that no
// lane rests while a member of another one's tile is waited for.
static void run_side_by_side(struct emit_local *local, uint32_t lanes)
{
    const uint32_t count = local->whole->tile_count;
    load_round(local, 0, lanes < count ? lanes : count);
    for (uint32_t first = 0; first < count + lanes; first += lanes) {
        const uint32_t end = first + lanes < count ? first + lanes : count;
        const uint32_t next_end = first + 2 * lanes < count ? first + 2 * lanes : count;
        for (uint32_t i = first; i < first + lanes; i++) {
            if (i >= lanes && i - lanes < count)
                store_tile(local, i - lanes);
            if (i < count)
                compute_member(local, i, 0);
        }
        load_where_placed(local, first + lanes, next_end);
        for (uint32_t m = 1; m < local->member_count; m++) {
            for (uint32_t i = first; i < end; i++)
                compute_member(local, i, m);
        }
        load_where_placed(local, first + lanes, next_end); // where a later member read until now
        for (uint32_t i = first; i < end; i++)
            fetch_share(local, i, count);
    }
}

// A round is a tile for each core.
static void run_tiles(struct emit_local *local)
{
    const uint32_t lanes = local->target->engines[local->members[0].engine].count;
    const uint32_t count = local->whole->tile_count;
    const uint32_t units = local->units;
    const uint32_t rounds = (count + units - 1) / units;
    const uint32_t slots = local->layout.slots;
    const uint32_t after = slots > lanes ? lanes : slots - 1; // rounds
    if (local->chain != NULL && local->chain->side_by_side && slots > lanes && units == 1) {
        run_side_by_side(local, lanes);
        return;
    }
    for (uint32_t round = 0; round < rounds + after; round++) {
        const uint32_t first = round * units;
        const uint32_t end = first + units < count ? first + units : count;
        if (round == 0)
            load_round(local, first, end);
        for (uint32_t i = first; round >= after && i < first + units; i++) {
            if (after > 0 && i - after * units < count)
                store_tile(local, i - after * units);
        }
        for (uint32_t i = first; i < end; i++) {
            compute_tile(local, i);
            if (after == 0)
                store_tile(local, i);
        }
        if (end < count)
            load_round(local, end, end + units < count ? end + units : count);
        if (round < rounds)
            fetch_share(local, round, rounds);
    }
}

// The job -------------------------------------------------------------------------------

static void local_allocate(struct emit_local *local)
{
    const struct plan_group *whole = local->whole;
    const size_t staying = (size_t)whole->input_count * local->units;
    local->flights = memory_allocate_zeroed((size_t)whole->tile_count + 1, sizeof *local->flights);
    for (uint32_t i = 0; i < whole->tile_count; i++) {
        struct emit_flight *flight = &local->flights[i];
        flight->loads = allocate_ids(local, whole->input_count);
        flight->load_buffers = allocate_ids(local, whole->input_count);
        flight->computes = allocate_ids(local, local->member_count);
        flight->kept_buffers = allocate_ids(local, local->member_count);
        flight->leaves = allocate_ids(local, whole->output_count);
        flight->stores = allocate_ids(local, whole->output_count);
        flight->store_buffers = allocate_ids(local, whole->output_count);
    }
    local->staying = allocate_ids(local, staying);
    local->staying_loads = allocate_ids(local, staying);
}

static struct emit_local local_of(struct emitter *emitter, uint32_t group_id)
{
    const struct plan_group *group = &emitter->plan->groups[group_id];
    struct emit_local local = {.emitter = emitter,
                               .target = emitter->plan->target,
                               .whole = group,
                               .members = group,
                               .first_member = group_id,
                               .member_count = 1};
    if (group->chain != NULL) {
        local.chain = group->chain;
        local.whole = &group->chain->whole;
        local.member_count = group->chain->count;
    }
    local.units = local.whole->unit_count > 0 ? local.whole->unit_count : 1;
    local.first = group->first_unit;
    local.memory = local.target->engines[group->engine].memory;
    plan_find_way(local.target, local.memory, &local.way);
    local.next_fetch = local.whole->near != NULL ? local.whole->near->fetched : PLAN_NONE;
    return local;
}

void emit_local_job(struct emitter *emitter, uint32_t group_id)
{
    const uint32_t engine = emitter->plan->groups[group_id].engine;
    if (emitter->plan->target->engines[engine].stage_count > 0) {
        emit_staged_job(emitter, group_id);
        return;
    }
    struct emit_local local = local_of(emitter, group_id);
    emit_job_start(emitter, &local.job, group_id);
    layout_make(&local);
    local_allocate(&local);
    const uint32_t location = emit_location(emitter, group_id);
    emit_action(emitter, PROGRAM_ACTION_JOB_START, local.job.id, location, 0);
    uint64_t code = 0;
    for (uint32_t m = 0; m < local.member_count; m++) {
        emit_local_program(&local, &local.members[m], code);
        code += plan_program_bytes(&local.target->engines[local.members[m].engine]);
    }
    load_staying(&local);
    run_tiles(&local);
    for (uint32_t i = local.whole->near != NULL ? local.whole->near->swapped : PLAN_NONE;
         i != PLAN_NONE; i = emitter->plan->places[i].next_swapped)
        emit_near_swap(&local.job, group_id, i, emit_local_engine(&local, local.way.out, 0));
    emit_job_end(&local.job);
    emit_action(emitter, PROGRAM_ACTION_JOB_WAIT, local.job.id, location, 0);
    free(local.flights);
    arena_free(&local.scratch);
}
