#include "sim_link.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "program/verify_ports.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t link_cycles(const struct target *target, uint64_t bytes)
{
    const double cycles = ceil((double)bytes * (double)target->clock / target->link.rate);
    return cycles < (double)UINT64_MAX ? (uint64_t)cycles : UINT64_MAX;
}

static bool input_stays(const struct sim_options *options, uint32_t input)
{
    for (size_t i = 0; i < options->kept_count; i++) {
        if (options->kept[i].input == input)
            return true;
    }
    return false;
}

static bool output_stays(const struct sim_options *options, uint32_t output)
{
    for (size_t i = 0; i < options->kept_count; i++) {
        if (options->kept[i].output == output)
            return true;
    }
    return false;
}

static struct sim_times carry(const struct target *target, uint64_t from, uint64_t bytes)
{
    const uint64_t cycles = link_cycles(target, bytes);
    return (struct sim_times){from, cycles > UINT64_MAX - from ? UINT64_MAX : from + cycles};
}

uint64_t *sim_link_arrivals(const struct program *program, const struct target *target,
                            const struct sim_options *options, struct sim_result *result)
{
    uint64_t *arrivals =
        memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *arrivals);
    uint64_t free_at = target->link.setup;
    for (uint32_t i = 0; i < program->input_count; i++) {
        const uint32_t buffer = program_port(program, program->inputs[i]);
        if (buffer == PROGRAM_NONE || input_stays(options, i) ||
            program->values[program->inputs[i]].kind == PROGRAM_VALUE_CONSTANT)
            continue;
        result->inputs[i] = carry(target, free_at, program->buffers[buffer].size);
        free_at = arrivals[buffer] = result->inputs[i].end;
    }
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].alias != PROGRAM_NONE)
            arrivals[i] = arrivals[program->buffers[i].alias];
    }
    return arrivals;
}

// By buffer, for the caller to free: when the last task that writes it has ended.
static uint64_t *find_written(const struct program *program, const struct sim_result *result)
{
    uint64_t *written = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *written);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        for (uint32_t k = 0; k < task->operand_count; k++) {
            const struct program_operand *operand = &program->operands[task->first_operand + k];
            if (operand->writes != 0)
                written[operand->buffer] = later(written[operand->buffer], result->tasks[i].end);
        }
    }
    return written;
}

// The output that is written first of those that have not left; PROGRAM_NONE: all have.
static uint32_t next_output(const struct program *program, const uint64_t *ready, const bool *left)
{
    uint32_t best = PROGRAM_NONE;
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (!left[i] && (best == PROGRAM_NONE || ready[i] < ready[best]))
            best = i;
    }
    return best;
}

void sim_link_departures(const struct program *program, const struct target *target,
                         const struct sim_options *options, const uint64_t *arrivals,
                         struct sim_result *result)
{
    uint64_t *written = find_written(program, result);
    uint64_t *ready = memory_allocate_zeroed((size_t)program->output_count + 1, sizeof *ready);
    bool *left = memory_allocate_zeroed((size_t)program->output_count + 1, sizeof *left);
    uint64_t free_at = 0;
    for (uint32_t i = 0; i < program->output_count; i++) {
        const uint32_t buffer = program_port(program, program->outputs[i]);
        left[i] = buffer == PROGRAM_NONE || output_stays(options, i) ||
                  program->values[program->outputs[i]].kind == PROGRAM_VALUE_CONSTANT;
        ready[i] = left[i] ? 0 : later(written[buffer], arrivals[buffer]) + target->link.setup;
    }
    for (uint32_t i; (i = next_output(program, ready, left)) != PROGRAM_NONE;) {
        const uint32_t buffer = program_port(program, program->outputs[i]);
        result->outputs[i] = carry(target, later(free_at, ready[i]), program->buffers[buffer].size);
        free_at = result->outputs[i].end;
        left[i] = true;
    }
    result->end = later(result->end, free_at);
    free(written);
    free(ready);
    free(left);
}
