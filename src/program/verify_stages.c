#include "verify_stages.h"

#include "fits.h"
#include "verify_task.h"
#include "windows.h"

static status verify_stages_fail(uint32_t index, const char *why)
{
    return verify_wrong("task", index, why);
}

static const struct program_operand *verify_stages_operand_at(const struct program *program,
                                                              const struct program_task *task,
                                                              uint32_t index)
{
    return &program->operands[task->first_operand + index];
}

static bool verify_stages_is_ring(const struct program *program, uint32_t buffer)
{
    return program->buffers[buffer].kind == PROGRAM_BUFFER_RING;
}

static bool is_ring_of(const struct program *program, const struct program_task *task,
                       uint32_t buffer)
{
    return verify_stages_is_ring(program, buffer) &&
           verify_find_operand(program, task, buffer, true) != NULL;
}

// Whether a buffer lies in the memory that the task's engine works in, and is no ring: kernels work
// on it where it lies.
static bool lies_near(const struct verify_state *state, const struct program_task *task,
                      uint32_t buffer)
{
    const struct program_buffer *item = &state->program->buffers[buffer];
    return item->kind != PROGRAM_BUFFER_RING && verify_takes_memory(item) &&
           item->memory == state->target->engines[task->engine].memory;
}

// Stages of an engine may be left out, but not change places.
static status verify_stages_check_stages(const struct verify_state *state, uint32_t index)
{
    const struct program_task *task = &state->program->tasks[index];
    const struct target_engine *engine = &state->target->engines[task->engine];
    uint32_t next = 0;
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const struct program_stage *stage = &state->program->stages[task->first_stage + i];
        while (next < engine->stage_count && engine->stages[next] != stage->engine)
            next++;
        if (next++ >= engine->stage_count)
            return verify_stages_fail(index, "its stages are not those of its engine");
        const bool last = i + 1 == task->stage_count;
        if (stage->pieces == 0 || (last && stage->ring != PROGRAM_NONE))
            return verify_stages_fail(index,
                                      "a stage without pieces, or a last one that fills a ring");
        if (stage->ring != PROGRAM_NONE &&
            (stage->depth == 0 || !is_ring_of(state->program, task, stage->ring)))
            return verify_stages_fail(index, "a stage fills what is no ring of the task");
    }
    return STATUS_OK;
}

// Whether a stage brings from that memory, or takes there.
static bool stage_carries(const struct verify_state *state, const struct program_task *task,
                          const struct program_buffer *buffer, bool writes)
{
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const uint32_t id = state->program->stages[task->first_stage + i].engine;
        const struct target_engine *engine = &state->target->engines[id];
        if (engine->role == TARGET_ROLE_TRANSFER &&
            (writes ? engine->to : engine->from) == buffer->memory &&
            program_reaches(state->target, id, task->unit, buffer->memory, buffer->unit))
            return true;
    }
    return false;
}

// How many operands outside a ring holds what they read, or write.
static uint32_t count_outside(const struct program *program, const struct program_task *task,
                              uint32_t ring, bool writes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = verify_stages_operand_at(program, task, i);
        count += !verify_stages_is_ring(program, operand->buffer) &&
                 (operand->writes != 0) == writes && program_shows(program, ring, operand);
    }
    return count;
}

// How many rings hold an operand; where it is written, rings that a kernel gives.
static uint32_t count_rings(const struct program *program, const struct program_task *task,
                            const struct program_operand *operand)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t ring = verify_stages_operand_at(program, task, i)->buffer;
        count += verify_stages_is_ring(program, ring) && program_shows(program, ring, operand) &&
                 program_gives(program, task, task->call_count, ring) == (operand->writes != 0);
    }
    return count;
}

static status check_ring(const struct verify_state *state, uint32_t index,
                         const struct program_operand *operand)
{
    const struct program_task *task = &state->program->tasks[index];
    const struct program_buffer *ring = &state->program->buffers[operand->buffer];
    const uint32_t memory = state->target->engines[task->engine].memory;
    if (operand->writes == 0 || !verify_is_whole(state->program, operand))
        return verify_stages_fail(index, "a ring that is not written as a whole");
    if (ring->memory != memory ||
        !program_reaches(state->target, task->engine, task->unit, memory, ring->unit))
        return verify_stages_fail(index, "its engine does not reach a ring");
    if (count_outside(state->program, task, operand->buffer, true) > 1)
        return verify_stages_fail(index, "a ring goes to several places");
    return STATUS_OK;
}

static status check_near(const struct verify_state *state, uint32_t index,
                         const struct program_operand *operand)
{
    const struct program_task *task = &state->program->tasks[index];
    const struct program_buffer *buffer = &state->program->buffers[operand->buffer];
    if (!verify_is_whole(state->program, operand))
        return verify_stages_fail(index, "part of what lies in the memory of its engine");
    if (!program_reaches(state->target, task->engine, task->unit, buffer->memory, buffer->unit))
        return verify_stages_fail(index, "its engine does not reach an operand");
    if (operand->writes != 0 &&
        !program_gives(state->program, task, task->call_count, operand->buffer))
        return verify_stages_fail(index, "no kernel gives what it writes");
    return STATUS_OK;
}

static status check_outside(const struct verify_state *state, uint32_t index,
                            const struct program_operand *operand)
{
    const struct program_task *task = &state->program->tasks[index];
    const struct program_buffer *buffer = &state->program->buffers[operand->buffer];
    if (!verify_takes_memory(buffer))
        return verify_stages_fail(index, "a stage cannot carry what is made when it runs");
    if (!stage_carries(state, task, buffer, operand->writes != 0))
        return verify_stages_fail(index, "no stage of it reaches an operand");
    if (count_rings(state->program, task, operand) != 1)
        return verify_stages_fail(index, "an operand goes through no ring, or through several");
    return STATUS_OK;
}

status verify_stages(const struct verify_state *state, uint32_t index)
{
    const struct program_task *task = &state->program->tasks[index];
    STATUS_TRY(verify_stages_check_stages(state, index));
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = verify_stages_operand_at(state->program, task, i);
        if (verify_stages_is_ring(state->program, operand->buffer))
            STATUS_TRY(check_ring(state, index, operand));
        else if (lies_near(state, task, operand->buffer))
            STATUS_TRY(check_near(state, index, operand));
        else
            STATUS_TRY(check_outside(state, index, operand));
    }
    return STATUS_OK;
}

status verify_stage_buffer(const struct verify_state *state, uint32_t index, uint32_t calls,
                           uint32_t buffer, bool output)
{
    const struct program *program = state->program;
    const struct program_task *task = &program->tasks[index];
    const bool inside = program->buffers[buffer].kind == PROGRAM_BUFFER_PIPELINE;
    const bool near = lies_near(state, task, buffer);
    if (near && verify_find_operand(program, task, buffer, output) != NULL)
        return STATUS_OK;
    if (!inside && !near && !is_ring_of(program, task, buffer))
        return verify_stages_fail(index,
                                  "a kernel of a staged task works on what is no ring of it");
    if ((output && !near) || program_gives(program, task, calls, buffer))
        return STATUS_OK;
    if (near)
        return verify_stages_fail(index, "a kernel works on a buffer that is no operand of it");
    return !inside && count_outside(program, task, buffer, false) == 1
               ? STATUS_OK
               : verify_stages_fail(index, "a kernel reads a ring that no operand fills");
}
