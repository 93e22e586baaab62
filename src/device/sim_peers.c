#include "sim_peers.h"

#include "base/memory.h"

static uint32_t device_of_unit(const struct target *target, enum target_per per, uint32_t unit)
{
    switch (per) {
    case TARGET_PER_CORE:
        return unit / target->core_count;
    case TARGET_PER_DEVICE:
        return unit;
    default:
        return 0;
    }
}

static uint32_t device_of_buffer(const struct program *program, const struct target *target,
                                 uint32_t buffer)
{
    const struct program_buffer *item = &program->buffers[buffer];
    return device_of_unit(target, target->memories[item->memory].per, item->unit);
}

uint32_t sim_peers_device(const struct program *program, const struct target *target,
                          const struct program_task *task)
{
    const struct target_engine *engine = &target->engines[task->engine];
    if (engine->role == TARGET_ROLE_COMMUNICATION && task->operand_count > 0)
        return device_of_buffer(program, target, program->operands[task->first_operand].buffer);
    return device_of_unit(target, engine->per, task->unit);
}

bool sim_peers_casts_to(const struct program *program, const struct target *target,
                        const struct program_task *task, uint32_t device)
{
    if (target->engines[task->engine].role != TARGET_ROLE_COMMUNICATION ||
        sim_peers_device(program, target, task) == device)
        return false;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (operand->writes != 0 && device_of_buffer(program, target, operand->buffer) == device)
            return true;
    }
    return false;
}

// Reading ------------------------------------------------------------------------------

static uint32_t shown(const struct program *program, uint32_t buffer)
{
    const uint32_t alias = program->buffers[buffer].alias;
    return alias != PROGRAM_NONE ? alias : buffer;
}

static uint64_t box_bytes(const struct program *program, const struct program_operand *operand)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < operand->rank; i++)
        elements *= (uint64_t)operand->size[i];
    return elements * element_size((enum element)program->buffers[operand->buffer].element);
}

// Bytes of both boxes. Under another shape boxes cannot be held against one another: then it is
// all that the smaller one has.
static uint64_t common_bytes(const struct program *program, const struct program_operand *a,
                             const struct program_operand *b)
{
    if (shown(program, a->buffer) != shown(program, b->buffer))
        return 0;
    if (a->buffer != b->buffer) {
        const uint64_t left = box_bytes(program, a), right = box_bytes(program, b);
        return left < right ? left : right;
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < a->rank; i++) {
        const int64_t from = a->from[i] > b->from[i] ? a->from[i] : b->from[i];
        const int64_t end = a->from[i] + a->size[i] < b->from[i] + b->size[i]
                                ? a->from[i] + a->size[i]
                                : b->from[i] + b->size[i];
        elements *= end > from ? (uint64_t)(end - from) : 0;
    }
    return elements * element_size((enum element)program->buffers[a->buffer].element);
}

static uint64_t written_for(const struct program *program, const struct program_task *writer,
                            const struct program_operand *read)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < writer->operand_count; i++) {
        const struct program_operand *operand = &program->operands[writer->first_operand + i];
        if (operand->writes != 0)
            bytes += common_bytes(program, operand, read);
    }
    return bytes;
}

static uint64_t read_from_others(const struct program *program, const struct target *target,
                                 const struct program_task *task)
{
    const uint32_t own = sim_peers_device(program, target, task);
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < task->operand_count; k++) {
        const struct program_operand *operand = &program->operands[task->first_operand + k];
        uint64_t part = 0;
        if (operand->writes != 0)
            continue;
        for (uint32_t i = 0; i < task->dependency_count; i++) {
            const struct program_dependency *dependency =
                &program->dependencies[task->first_dependency + i];
            const struct program_task *writer = &program->tasks[dependency->task];
            if (dependency->is_true != 0 && sim_peers_device(program, target, writer) != own)
                part += written_for(program, writer, operand);
        }
        const uint64_t whole = box_bytes(program, operand);
        bytes += part < whole ? part : whole;
    }
    return bytes;
}

uint64_t *sim_peers_read(const struct program *program, const struct target *target)
{
    if (target->device_count < 2 || target->link.peer <= 0)
        return NULL;
    uint64_t *bytes = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *bytes);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const enum target_role role = target->engines[task->engine].role;
        if (role != TARGET_ROLE_HOST && role != TARGET_ROLE_COMMUNICATION)
            bytes[i] = read_from_others(program, target, task);
    }
    return bytes;
}
