#include "host_layout.h"

#include <stdlib.h>

#include "base/memory.h"

// Buffers that something reads that must find them as the program has them.
static void find_plain(const struct host_machine *machine, const struct host_recipe *recipes,
                       bool loose_ports, bool *plain)
{
    const struct program *program = machine->program;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        plain[i] = loose_ports ? program->buffers[i].kind > PROGRAM_BUFFER_INNER
                               : program->buffers[i].kind != PROGRAM_BUFFER_INNER;
        if (program->buffers[i].alias != PROGRAM_NONE) {
            plain[i] = true;
            plain[program->buffers[i].alias] = true;
        }
    }
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        for (uint32_t j = 0; recipes[i].kind == HOST_RECIPE_NONE && j < task->operand_count; j++)
            plain[program->operands[task->first_operand + j].buffer] = true;
    }
}

static bool host_layout_reads_last(const struct host_machine *machine,
                                   const struct program_task *task, const bool *last)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand =
            &machine->program->operands[task->first_operand + i];
        if (operand->writes == 0 && last[operand->buffer])
            return true;
    }
    return false;
}

static bool is_image(const struct host_machine *machine, uint32_t id)
{
    const struct program_buffer *buffer = &machine->program->buffers[id];
    struct tensor tensor = {(enum element)buffer->element, {buffer->rank, {0}}, NULL};
    memcpy(tensor.shape.dims, buffer->dims, buffer->rank * sizeof *buffer->dims);
    return host_recipe_is_image(&tensor);
}

static bool gives_plain(const struct host_machine *machine, const struct program_task *task,
                        const bool *plain)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand =
            &machine->program->operands[task->first_operand + i];
        if (operand->writes != 0 && plain[operand->buffer])
            return true;
    }
    return false;
}

// Buffers that something reads that works on images with the channels last.
static bool *find_wanted(const struct host_machine *machine, const struct host_recipe *recipes,
                         const bool *plain)
{
    const struct program *program = machine->program;
    bool *wanted = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *wanted);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const bool follows = recipes[i].kind == HOST_RECIPE_CHAIN;
        if (recipes[i].kind < HOST_RECIPE_CHAIN || (follows && gives_plain(machine, task, plain)))
            continue;
        for (uint32_t j = 0; j < task->operand_count; j++) {
            const struct program_operand *operand = &program->operands[task->first_operand + j];
            if (operand->writes == 0)
                wanted[operand->buffer] = true;
        }
    }
    return wanted;
}

bool *host_layout_find(const struct host_machine *machine, const struct host_recipe *recipes,
                       bool loose_ports)
{
    const struct program *program = machine->program;
    bool *last = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *last);
    bool *plain = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *plain);
    find_plain(machine, recipes, loose_ports, plain);
    bool *wanted = find_wanted(machine, recipes, plain);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const enum host_recipe_kind kind = recipes[i].kind;
        const bool follows =
            kind == HOST_RECIPE_CHAIN || (kind >= HOST_RECIPE_JOIN && !loose_ports);
        if (kind < HOST_RECIPE_CHAIN || (follows && !host_layout_reads_last(machine, task, last)))
            continue;
        for (uint32_t j = 0; j < task->operand_count; j++) {
            const struct program_operand *operand = &program->operands[task->first_operand + j];
            const bool port = program->buffers[operand->buffer].kind == PROGRAM_BUFFER_INPUT;
            // What is given either way is so only for somebody.
            if (kind == HOST_RECIPE_QUANTIZED && !wanted[operand->buffer])
                continue;
            if ((operand->writes != 0 || port) && !plain[operand->buffer])
                last[operand->buffer] = is_image(machine, operand->buffer);
        }
    }
    free(plain);
    free(wanted);
    return last;
}
