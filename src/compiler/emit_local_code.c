// Programs of the engines of a job, brought in like data.

#include <stdio.h>

#include "emit_local.h"

// Part of an engine's program, brought in like data.
static void load_code(struct emit_local *local, const struct target_engine *engine,
                      const char *what, uint64_t bytes, uint64_t offset)
{
    struct emitter *emitter = local->emitter;
    if (bytes == 0)
        return;
    const struct plan_box box = {.rank = 1, .size = {(int64_t)bytes}};
    const uint32_t near = local->way.near;
    char name[160];
    snprintf(name, sizeof name, "%s %s", engine->name, what);
    for (uint32_t u = 0; u < local->units; u++) {
        const struct emit_place outside = {emitter->far_memory, 0, emitter->code};
        const uint64_t address = plan_program_address(local->target, near, engine->queue) + offset;
        const uint32_t from =
            emit_buffer(emitter, name, NETWORK_NONE, PROGRAM_BUFFER_CODE, outside, &box);
        const uint32_t to = emit_buffer(emitter, name, NETWORK_NONE, PROGRAM_BUFFER_CODE,
                                        emit_local_place(local, near, u, address), &box);
        emitter->code += plan_padded(bytes);
        emit_start(&local->job,
                   emit_transfer(emitter, PROGRAM_NONE, 0,
                                 emit_local_engine(local, local->way.in, u), from, &box, to, &box));
    }
}

static bool has_constants(const struct emit_local *local, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        if (group_value(local->emitter->plan, group->inputs[i])->constant != NULL)
            return true;
    }
    return false;
}

// The program of a member, after those of members before, and the tables that stand for the
// constants that it does not have.
void emit_local_program(struct emit_local *local, const struct plan_group *member, uint64_t offset)
{
    const struct target_engine *engine = &local->target->engines[member->engine];
    load_code(local, engine, "program", engine->program_bytes, offset);
    offset += plan_padded(engine->program_bytes);
    for (uint32_t i = 0; i < engine->program_table_count && !has_constants(local, member); i++) {
        load_code(local, engine, "table", engine->program_tables[i], offset);
        offset += plan_padded(engine->program_tables[i]);
    }
}
