#include "fits.h"

#include <inttypes.h>

static status lacks(const char *table, uint32_t index, const char *what)
{
    return status_make(STATUS_DATA, "%s %" PRIu32 ": the target has no such %s", table, index,
                       what);
}

static bool has_engine(const struct target *target, uint32_t engine)
{
    return engine < target->engine_count;
}

static status fit_buffer(const struct program *program, const struct target *target, uint32_t index)
{
    const struct program_buffer *buffer = &program->buffers[index];
    if (buffer->memory >= target->memory_count)
        return lacks("buffer", index, "memory");
    return buffer->unit < target_units(target, target->memories[buffer->memory].per)
               ? STATUS_OK
               : lacks("buffer", index, "unit of its memory");
}

static status fit_task(const struct program *program, const struct target *target, uint32_t index)
{
    const struct program_task *task = &program->tasks[index];
    if (!has_engine(target, task->engine) || task->lane >= target->engines[task->engine].count)
        return lacks("task", index, "engine or lane");
    if (task->unit >= target_units(target, target->engines[task->engine].per))
        return lacks("task", index, "unit of its engine");
    for (uint32_t i = 0; i < task->stage_count; i++) {
        if (!has_engine(target, program->stages[task->first_stage + i].engine))
            return lacks("task", index, "engine of a stage");
    }
    return STATUS_OK;
}

static status fit_stream(const struct program *program, const struct target *target, uint32_t index)
{
    const struct program_stream *stream = &program->streams[index];
    if (stream->queue >= target->queue_count)
        return lacks("stream", index, "queue");
    return stream->unit < target_units(target, target->queues[stream->queue].per)
               ? STATUS_OK
               : lacks("stream", index, "unit of its queue");
}

status program_fits(const struct program *program, const struct target *target)
{
    for (uint32_t i = 0; i < program->buffer_count; i++)
        STATUS_TRY(fit_buffer(program, target, i));
    for (uint32_t i = 0; i < program->group_count; i++) {
        if (!has_engine(target, program->groups[i].engine))
            return lacks("group", i, "engine");
    }
    for (uint32_t i = 0; i < program->task_count; i++)
        STATUS_TRY(fit_task(program, target, i));
    for (uint32_t i = 0; i < program->stream_count; i++)
        STATUS_TRY(fit_stream(program, target, i));
    return STATUS_OK;
}

// The device that a unit belongs to.
static uint32_t fits_device_of(const struct target *target, enum target_per per, uint32_t unit)
{
    return per == TARGET_PER_CORE ? unit / target->core_count : unit;
}

bool program_reaches(const struct target *target, uint32_t engine, uint32_t engine_unit,
                     uint32_t memory, uint32_t memory_unit)
{
    const enum target_per own = target->engines[engine].per;
    const enum target_per other = target->memories[memory].per;
    if (own == TARGET_PER_MACHINE || other == TARGET_PER_MACHINE)
        return true;
    if (own == other)
        return engine_unit == memory_unit;
    return fits_device_of(target, own, engine_unit) == fits_device_of(target, other, memory_unit);
}
