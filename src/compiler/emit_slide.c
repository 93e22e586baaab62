// Values of a job that slide (slide.h): pieces lie in a ring, a place more than there are tiles at
// a time, and kernels see what they need of two of them through a window.

#include "emit_local.h"
#include "slide.h"

// Rings ---------------------------------------------------------------------------------------

static uint32_t value_of(const struct emit_ring *ring)
{
    return ring->group->inputs[ring->input];
}

static uint64_t largest_piece(const struct emit_local *local, const struct emit_ring *ring)
{
    const enum element element = group_value(local->emitter->plan, value_of(ring))->type.element;
    uint64_t most = 0;
    for (uint32_t t = 0; t < ring->group->tile_count; t++) {
        const struct plan_box piece = slide_piece(ring->group, ring->input, ring->axis, t);
        const uint64_t bytes = plan_padded(plan_box_bytes(&piece, element));
        most = bytes > most ? bytes : most;
    }
    return most;
}

static struct emit_ring make_ring(const struct emit_local *local, const struct plan_group *group,
                                  uint32_t input, uint32_t member)
{
    struct emit_ring ring = {.group = group, .input = input, .member = member};
    if (input < group->input_count && group->slides != NULL && group->slides[input]) {
        ring.axis = slide_axis(group, input);
        ring.piece = largest_piece(local, &ring);
    }
    return ring;
}

uint64_t emit_slide_find(struct emit_local *local)
{
    const struct plan_group *whole = local->whole;
    const uint32_t inputs = whole->input_count;
    struct emit_ring *rings =
        arena_allocate(&local->scratch, ((size_t)inputs + local->member_count) * sizeof *rings);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < inputs; i++)
        rings[i] = make_ring(local, whole, i, PLAN_NONE);
    for (uint32_t m = 0; m < local->member_count; m++) {
        const bool last = m + 1 == local->member_count;
        const struct plan_group *reader = &local->members[last ? m : m + 1];
        uint32_t i = last ? reader->input_count : 0;
        while (i < reader->input_count && reader->inputs[i] != local->members[m].outputs[0])
            i++;
        rings[inputs + m] = make_ring(local, reader, i, m);
    }
    for (uint32_t i = 0; i < inputs + local->member_count; i++)
        bytes += rings[i].piece;
    local->layout.rings = rings;
    return bytes;
}

uint64_t emit_slide_place(struct emit_local *local, uint64_t at)
{
    for (uint32_t i = 0; i < local->whole->input_count + local->member_count; i++) {
        local->layout.rings[i].address = at;
        at += local->layout.rings[i].piece * (local->layout.slots + 1);
    }
    return at;
}

struct emit_ring *emit_slide_input(const struct emit_local *local, uint32_t input)
{
    struct emit_ring *ring = &local->layout.rings[input];
    return input < local->whole->input_count && ring->piece > 0 ? ring : NULL;
}

struct emit_ring *emit_slide_handed(const struct emit_local *local, uint32_t member)
{
    struct emit_ring *ring = &local->layout.rings[local->whole->input_count + member];
    return ring->piece > 0 ? ring : NULL;
}

struct emit_ring *emit_slide_read(const struct emit_local *local, uint32_t member, uint32_t value)
{
    if (member > 0 && local->members[member - 1].outputs[0] == value)
        return emit_slide_handed(local, member - 1);
    uint32_t i = 0;
    while (i < local->whole->input_count && local->whole->inputs[i] != value)
        i++;
    return i < local->whole->input_count ? emit_slide_input(local, i) : NULL;
}

// Tiles ---------------------------------------------------------------------------------------

uint64_t emit_slide_address(const struct emit_local *local, const struct emit_ring *ring,
                            uint32_t tile)
{
    return ring->address + tile % (local->layout.slots + 1) * ring->piece;
}

// A piece is read by its own tile and by the next one.
void emit_slide_after(struct emit_local *local, const struct emit_ring *ring, uint32_t tile,
                      uint32_t task)
{
    const uint32_t places = local->layout.slots + 1;
    for (uint32_t reader = tile - places; tile >= places && reader <= tile - places + 1; reader++) {
        const struct emit_flight *flight = &local->flights[reader];
        struct plan_box part;
        if (!slide_part(ring->group, ring->input, ring->axis, reader, tile - places, &part))
            continue;
        if (ring->member == PLAN_NONE)
            emit_local_after_readers(local, task, flight, value_of(ring));
        else
            emit_dependency(local->emitter, task, flight->computes[ring->member + 1], false);
    }
}

void emit_slide_load(struct emit_local *local, const struct emit_ring *ring, uint32_t tile)
{
    const struct plan_box piece = slide_piece(ring->group, ring->input, ring->axis, tile);
    struct emit_flight *flight = &local->flights[tile];
    const struct emit_carriage what = {local->first_member,
                                       value_of(ring),
                                       &piece,
                                       tile,
                                       emit_local_unit(local, tile),
                                       emit_slide_address(local, ring, tile)};
    uint32_t *load = &flight->loads[ring->input];
    const uint32_t places = local->layout.slots + 1;
    *load = emit_local_load(local, &what, NULL,
                            tile >= places ? local->flights[tile - places].loads[ring->input]
                                           : PROGRAM_NONE,
                            &flight->load_buffers[ring->input]);
    emit_slide_after(local, ring, tile, *load);
    emit_start(&local->job, *load);
}

void emit_slide_operands(struct emit_local *local, const struct emit_ring *ring, uint32_t task,
                         uint32_t tile, struct emit_places *places)
{
    struct emitter *emitter = local->emitter;
    const bool loaded = ring->member == PLAN_NONE;
    uint32_t seen = PROGRAM_NONE;
    for (uint32_t piece = tile > 0 ? tile - 1 : 0; piece <= tile; piece++) {
        const struct emit_flight *flight = &local->flights[piece];
        const struct plan_box whole = slide_piece(ring->group, ring->input, ring->axis, piece);
        struct plan_box part;
        if (!slide_part(ring->group, ring->input, ring->axis, tile, piece, &part))
            continue;
        for (uint32_t i = 0; i < part.rank; i++)
            part.from[i] -= whole.from[i];
        seen = loaded ? flight->load_buffers[ring->input] : flight->kept_buffers[ring->member];
        emit_operand(emitter, task, seen, &part, false);
        emit_dependency(emitter, task,
                        loaded ? flight->loads[ring->input] : flight->computes[ring->member], true);
    }
    if (tile > 0)
        seen = emit_buffer(emitter, "", value_of(ring), PROGRAM_BUFFER_PIPELINE,
                           emit_local_place(local, local->memory, emit_local_unit(local, tile), 0),
                           &ring->group->tiles[tile].inputs[ring->input]);
    emit_place_add(places, value_of(ring), seen);
}
