// Inputs of a job that slide (slide.h): pieces lie in a ring, a place more than there are tiles
// at a time, and kernels see what they need of two of them through a window.

#include "emit_local.h"
#include "slide.h"

// The largest piece of an input that slides; 0: it does not.
uint64_t emit_slide_bytes(const struct emit_local *local, uint32_t input, uint32_t axis)
{
    const struct plan_group *whole = local->whole;
    const enum element element =
        group_value(local->emitter->plan, whole->inputs[input])->type.element;
    uint64_t most = 0;
    for (uint32_t t = 0; whole->slides != NULL && whole->slides[input] && t < whole->tile_count;
         t++) {
        const struct plan_box piece = slide_piece(whole, input, axis, t);
        const uint64_t bytes = plan_padded(plan_box_bytes(&piece, element));
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Inputs that slide have places for a piece more than there are slots, after what stays.
uint64_t emit_slide_place(struct emit_local *local, uint64_t at)
{
    for (uint32_t i = 0; i < local->whole->input_count; i++) {
        if (local->layout.pieces[i] == 0)
            continue;
        local->layout.inputs[i] = at;
        at += local->layout.pieces[i] * (local->layout.slots + 1);
    }
    return at;
}

// Brings what the tiles before have not brought of an input that slides. The piece that lay
// there was read by two tiles.
void emit_slide_load(struct emit_local *local, uint32_t tile, uint32_t input)
{
    const struct plan_group *whole = local->whole;
    const uint32_t axis = local->layout.axes[input];
    const uint32_t places = local->layout.slots + 1;
    const struct plan_box piece = slide_piece(whole, input, axis, tile);
    struct emit_flight *flight = &local->flights[tile];
    const struct emit_carriage what = {local->first_member,
                                       whole->inputs[input],
                                       &piece,
                                       tile,
                                       emit_local_unit(local, tile),
                                       local->layout.inputs[input] +
                                           tile % places * local->layout.pieces[input]};
    flight->loads[input] = emit_local_load(local, &what, NULL, &flight->load_buffers[input]);
    for (uint32_t reader = tile - places; tile >= places && reader <= tile - places + 1; reader++) {
        struct plan_box part;
        if (slide_part(whole, input, axis, reader, tile - places, &part))
            emit_local_after_readers(local, flight->loads[input], &local->flights[reader],
                                     whole->inputs[input]);
    }
    emit_start(&local->job, flight->loads[input]);
}

// Parts of pieces, which kernels see as one through a window.
void emit_slide_operands(struct emit_local *local, uint32_t task, uint32_t tile, uint32_t input,
                         struct emit_places *places)
{
    struct emitter *emitter = local->emitter;
    const struct plan_box *box = &local->whole->tiles[tile].inputs[input];
    const uint32_t axis = local->layout.axes[input];
    const uint32_t unit = emit_local_unit(local, tile);
    uint32_t seen = local->flights[tile].load_buffers[input];
    for (uint32_t piece = tile > 0 ? tile - 1 : 0; piece <= tile; piece++) {
        const struct emit_flight *flight = &local->flights[piece];
        const struct plan_box whole = slide_piece(local->whole, input, axis, piece);
        struct plan_box part;
        if (!slide_part(local->whole, input, axis, tile, piece, &part))
            continue;
        for (uint32_t i = 0; i < part.rank; i++)
            part.from[i] -= whole.from[i];
        emit_operand(emitter, task, flight->load_buffers[input], &part, false);
        emit_dependency(emitter, task, flight->loads[input], true);
    }
    if (tile > 0)
        seen = emit_buffer(emitter, "", local->whole->inputs[input], PROGRAM_BUFFER_PIPELINE,
                           emit_local_place(local, local->memory, unit, 0), box);
    emit_place_add(places, local->whole->inputs[input], seen);
}
