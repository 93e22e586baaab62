#include "describe_parts.h"

#include "base/memory.h"

static bool begins_beside(const struct program_buffer *a, const struct program_buffer *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->origin, b->origin, (a->rank - 1) * sizeof *a->origin) == 0);
}

// A part is counted where it is made.
static void add_part(const struct program *program, uint32_t buffer, struct describe_parts *parts)
{
    const struct program_buffer *item = &program->buffers[buffer];
    if (parts->count == 0)
        *parts = (struct describe_parts){.memory = item->memory, .first = buffer};
    parts->count++;
    parts->columns += begins_beside(item, &program->buffers[parts->first]);
}

struct describe_parts *describe_parts_find(const struct program *program)
{
    struct describe_parts *parts = NULL;
    for (uint32_t t = 0; t < program->task_count; t++) {
        const struct program_task *task = &program->tasks[t];
        for (uint32_t i = 0; task->stage_count > 0 && i < task->operand_count; i++) {
            const struct program_operand *operand = &program->operands[task->first_operand + i];
            const struct program_buffer *buffer = &program->buffers[operand->buffer];
            if (operand->writes == 0 || buffer->kind != PROGRAM_BUFFER_TILE ||
                buffer->value == PROGRAM_NONE)
                continue;
            if (parts == NULL)
                parts = memory_allocate_zeroed((size_t)program->value_count + 1, sizeof *parts);
            add_part(program, operand->buffer, &parts[buffer->value]);
        }
    }
    return parts;
}

const struct describe_parts *describe_parts_of(const struct describe_parts *parts, uint32_t value)
{
    return parts != NULL && value != PROGRAM_NONE && parts[value].count > 0 ? &parts[value] : NULL;
}

void describe_parts_append(const struct target *target, const struct describe_parts *parts,
                           struct bytes *to)
{
    const uint32_t memory = parts != NULL ? parts->memory : target_far_memory(target);
    bytes_append_format(to, "%s",
                        memory < target->memory_count ? target->memories[memory].name : "");
    if (parts != NULL)
        bytes_append_format(to, " %ux%u", parts->count / parts->columns, parts->columns);
}
