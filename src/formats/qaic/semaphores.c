#include "semaphores.h"

#include <stdlib.h>

#include "base/memory.h"
#include "program/verify_ports.h"

enum { NOWHERE = UINT32_MAX };

// Buffers ------------------------------------------------------------------------------

static bool semaphores_stays(const struct device_pair *kept, size_t kept_count, uint32_t number,
                             bool output)
{
    for (size_t i = 0; i < kept_count; i++) {
        if ((output ? kept[i].output : kept[i].input) == number)
            return true;
    }
    return false;
}

// Marks the buffers of values that go over the link, and those that show the same bytes.
static uint32_t *semaphores_mark(const struct program *program, const struct device_pair *kept,
                                 size_t kept_count, bool output)
{
    uint32_t *marks = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *marks);
    const uint32_t count = output ? program->output_count : program->input_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = output ? program->outputs[i] : program->inputs[i];
        const uint32_t buffer = program_port(program, value);
        if (buffer != PROGRAM_NONE && program->values[value].kind != PROGRAM_VALUE_CONSTANT &&
            !semaphores_stays(kept, kept_count, i, output))
            marks[buffer] = i + 1;
    }
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].alias != PROGRAM_NONE && marks[i] == 0)
            marks[i] = marks[program->buffers[i].alias];
    }
    return marks;
}

uint32_t *qaic_inputs_by_buffer(const struct program *program, const struct device_pair *kept,
                                size_t kept_count)
{
    return semaphores_mark(program, kept, kept_count, false);
}

// Increments ---------------------------------------------------------------------------

struct finding {
    const struct program *program;
    const struct qaic_place *places;
    uint32_t *marks[2];          // of inputs and outputs
    struct qaic_increment *most; // by core, inputs and outputs
    struct qaic_increments *found;
    size_t task_capacity;
};

static uint64_t operand_bytes(const struct program *program, const struct program_operand *operand)
{
    uint64_t bytes = element_size((enum element)program->buffers[operand->buffer].element);
    for (uint32_t d = 0; d < operand->rank; d++)
        bytes *= (uint64_t)operand->size[d];
    return bytes;
}

// Of one direction: what a task moves of it, if anything.
static void semaphores_add_task(struct finding *finding, uint32_t index, unsigned output)
{
    const struct program_task *task = &finding->program->tasks[index];
    const struct qaic_place *place = &finding->places[index];
    uint64_t bytes = 0;
    bool any = false;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand =
            &finding->program->operands[task->first_operand + i];
        if ((operand->writes != 0) != (output != 0) || finding->marks[output][operand->buffer] == 0)
            continue;
        bytes += operand_bytes(finding->program, operand);
        any = true;
    }
    if (!any)
        return;
    const size_t slot = 2 * (size_t)place->core + output;
    struct qaic_increment *own = &finding->most[slot];
    own->place = *place;
    own->output = output != 0;
    own->bytes += bytes;
    struct qaic_increments *found = finding->found;
    found->tasks =
        memory_grow(found->tasks, found->task_count, &finding->task_capacity, sizeof *found->tasks);
    found->tasks[found->task_count++] = (struct qaic_increment_task){index, (uint32_t)slot};
}

// Those that are there, numbered through.
static void number_increments(struct finding *finding, uint32_t cores)
{
    struct qaic_increments *found = finding->found;
    const size_t slots = 2 * (size_t)cores;
    uint32_t *numbers = memory_allocate_zeroed(slots + 1, sizeof *numbers);
    found->items = memory_allocate_zeroed(slots + 1, sizeof *found->items);
    for (size_t i = 0; i < slots; i++) {
        if (finding->most[i].place.core == NOWHERE)
            continue;
        numbers[i] = (uint32_t)found->count;
        found->items[found->count++] = finding->most[i];
    }
    for (size_t i = 0; i < found->task_count; i++)
        found->tasks[i].increment = numbers[found->tasks[i].increment];
    free(numbers);
}

void qaic_increments_find(const struct program *program, const struct target *target,
                          const struct device_pair *kept, size_t kept_count,
                          const struct qaic_place *places, uint32_t cores,
                          struct qaic_increments *out_increments)
{
    *out_increments = (struct qaic_increments){0};
    if (target->link.rate <= 0 || target->link.signal == 0)
        return;
    struct finding finding = {.program = program, .places = places, .found = out_increments};
    finding.marks[0] = semaphores_mark(program, kept, kept_count, false);
    finding.marks[1] = semaphores_mark(program, kept, kept_count, true);
    finding.most = memory_allocate_zeroed(2 * (size_t)cores + 1, sizeof *finding.most);
    for (size_t i = 0; i < 2 * (size_t)cores; i++)
        finding.most[i].place.core = NOWHERE;
    for (uint32_t i = 0; i < program->task_count; i++) {
        for (unsigned output = 0; output < 2 && places[i].core != NOWHERE; output++)
            semaphores_add_task(&finding, i, output);
    }
    number_increments(&finding, cores);
    free(finding.marks[0]);
    free(finding.marks[1]);
    free(finding.most);
}

void qaic_increments_free(struct qaic_increments *increments)
{
    free(increments->items);
    free(increments->tasks);
    *increments = (struct qaic_increments){0};
}
