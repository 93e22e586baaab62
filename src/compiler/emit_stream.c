#include "emit_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// What one stream has told another.
struct pair {
    uint32_t taker;
    uint32_t semaphore;
    uint32_t awaited;    // as many signals
    uint32_t *positions; // of the signals in the stream that gives them
    size_t count;
    size_t capacity;
};

// A stream that a queue of the target may have.
struct stream {
    uint32_t id; // in the program; PROGRAM_NONE: nothing has used it yet
    uint32_t queue;
    uint32_t unit;
    uint32_t position;  // steps that it has
    uint32_t last_step; // of the job at hand; PROGRAM_NONE
    uint32_t block;     // of the job's code
    uint64_t code;      // bytes of it
    struct pair *pairs; // with those that it has told anything: a few of many
    size_t pair_count;
    size_t pair_capacity;
};

struct emit_streams {
    struct stream *items;
    uint32_t count;
    uint32_t *first; // by queue: the stream of unit 0
};

void emit_streams_create(struct emitter *emitter)
{
    const struct target *target = emitter->plan->target;
    struct emit_streams *streams = memory_allocate_zeroed(1, sizeof *streams);
    streams->first = memory_allocate_zeroed((size_t)target->queue_count + 1, sizeof(uint32_t));
    for (uint32_t q = 0; q < target->queue_count; q++) {
        streams->first[q] = streams->count;
        streams->count += target_units(target, target->queues[q].per);
    }
    const size_t count = streams->count;
    streams->items = memory_allocate_zeroed(count + 1, sizeof *streams->items);
    for (uint32_t q = 0; q < target->queue_count; q++) {
        for (uint32_t u = 0; u < target_units(target, target->queues[q].per); u++)
            streams->items[streams->first[q] + u] =
                (struct stream){.id = PROGRAM_NONE, .queue = q, .unit = u};
    }
    emitter->streams = streams;
}

void emit_streams_free(struct emitter *emitter)
{
    struct emit_streams *streams = emitter->streams;
    for (uint32_t i = 0; i < streams->count; i++) {
        for (size_t k = 0; k < streams->items[i].pair_count; k++)
            free(streams->items[i].pairs[k].positions);
        free(streams->items[i].pairs);
    }
    free(streams->items);
    free(streams->first);
    free(streams);
}

void emit_streams_start_job(struct emitter *emitter)
{
    for (uint32_t i = 0; i < emitter->streams->count; i++) {
        emitter->streams->items[i].last_step = PROGRAM_NONE;
        emitter->streams->items[i].block = 0;
        emitter->streams->items[i].code = 0;
    }
}

// A name that tells the units of a queue apart: "load 2".
static uint32_t emit_stream_name_of(struct emitter *emitter, const struct stream *stream)
{
    const struct target *target = emitter->plan->target;
    const struct target_queue *queue = &target->queues[stream->queue];
    char name[128];
    if (target_units(target, queue->per) > 1)
        snprintf(name, sizeof name, "%s %" PRIu32, queue->name, stream->unit);
    else
        snprintf(name, sizeof name, "%s", queue->name);
    return program_builder_text(emitter->builder, view_of(name));
}

static void make_stream(struct emitter *emitter, struct stream *stream)
{
    if (stream->id != PROGRAM_NONE)
        return;
    const uint32_t name = emit_stream_name_of(emitter, stream);
    struct program_stream *item = EMIT_ADD(emitter, streams, &stream->id);
    *item = (struct program_stream){.name = name, .queue = stream->queue, .unit = stream->unit};
}

uint32_t emit_stream_of(struct emitter *emitter, uint32_t engine, uint32_t unit)
{
    const struct target *target = emitter->plan->target;
    const struct target_engine *item = &target->engines[engine];
    const enum target_per per = target->queues[item->queue].per;
    uint32_t own = 0;
    if (per == item->per)
        own = unit;
    else if (per == TARGET_PER_DEVICE && item->per == TARGET_PER_CORE)
        own = unit / target->core_count;
    const uint32_t stream = emitter->streams->first[item->queue] + own;
    make_stream(emitter, &emitter->streams->items[stream]);
    return stream;
}

uint32_t emit_stream_position(const struct emitter *emitter, uint32_t stream)
{
    return emitter->streams->items[stream].position;
}

void emit_stream_open_block(struct emitter *emitter, uint32_t stream)
{
    emitter->streams->items[stream].block++;
    emitter->streams->items[stream].code = 0;
}

uint64_t emit_stream_code(const struct emitter *emitter, uint32_t stream)
{
    return emitter->streams->items[stream].code;
}

// Opens the next block of code where a step does not fit any more. A queue that fetches its
// code has made room before.
static void emit_stream_take_code(struct emitter *emitter, uint32_t stream, uint64_t bytes)
{
    struct stream *own = &emitter->streams->items[stream];
    const struct target_queue *queue = &emitter->plan->target->queues[own->queue];
    if (queue->code_block > 0 && queue->code_fetch == TARGET_NONE &&
        own->code + bytes + queue->code_next > queue->code_block)
        emit_stream_open_block(emitter, stream);
    own->code += bytes;
}

bool emit_stream_goes_on(const struct emitter *emitter, uint32_t stream,
                         enum program_step_kind kind, uint32_t task)
{
    const struct stream *own = &emitter->streams->items[stream];
    if (own->last_step == PROGRAM_NONE || kind != PROGRAM_STEP_WAIT)
        return false;
    const struct program_step *before = EMIT_GET(emitter, steps, own->last_step);
    const struct program_task *item = EMIT_GET(emitter, tasks, task);
    return before->task == task && before->kind == PROGRAM_STEP_START &&
           before->block == own->block &&
           (item->kind == PROGRAM_TASK_TRANSFER ||
            emitter->plan->target->queues[own->queue].code_tasks == 0);
}

static uint32_t emit_stream_number_of(struct emitter *emitter, uint32_t stream,
                                      const struct program_step *step)
{
    if (!emit_stream_goes_on(emitter, stream, (enum program_step_kind)step->kind, step->task))
        return emitter->numbers++;
    const struct program_step *before =
        EMIT_GET(emitter, steps, emitter->streams->items[stream].last_step);
    return before->number;
}

static void put_step(struct emitter *emitter, uint32_t job, uint32_t stream,
                     struct program_step step, uint64_t code)
{
    struct stream *own = &emitter->streams->items[stream];
    emit_stream_take_code(emitter, stream, code);
    step.stream = own->id;
    step.block = own->block;
    step.number = emit_stream_number_of(emitter, stream, &step);
    struct program_step *kept = EMIT_ADD(emitter, steps, &own->last_step);
    *kept = step;
    struct program_job *item = EMIT_GET(emitter, jobs, job);
    item->step_count++;
    own->position++;
    emitter->moment++;
}

uint64_t emit_stream_step_code(const struct emitter *emitter, enum program_step_kind kind,
                               uint32_t task)
{
    const struct program_task *item = EMIT_GET(emitter, tasks, task);
    const struct target_engine *engine = &emitter->plan->target->engines[item->engine];
    return kind == PROGRAM_STEP_START ? engine->start_code : engine->wait_code;
}

void emit_stream_task(struct emitter *emitter, uint32_t job, uint32_t stream,
                      enum program_step_kind kind, uint32_t task)
{
    const struct program_step step = {.kind = kind, .task = task, .semaphore = PROGRAM_NONE};
    put_step(emitter, job, stream, step, emit_stream_step_code(emitter, kind, task));
}

static uint32_t name_semaphore(struct emitter *emitter, uint32_t giver, uint32_t taker)
{
    const struct emit_streams *streams = emitter->streams;
    char name[300];
    struct program program;
    if (emitter->times_only)
        return 0;
    program_builder_view(emitter->builder, &program);
    snprintf(name, sizeof name, "%s to %s",
             program_text(&program, program.streams[streams->items[giver].id].name),
             program_text(&program, program.streams[streams->items[taker].id].name));
    return program_builder_text(emitter->builder, view_of(name));
}

static void make_semaphore(struct emitter *emitter, struct pair *pair, uint32_t giver,
                           uint32_t taker)
{
    const uint32_t name = name_semaphore(emitter, giver, taker);
    struct program_semaphore *item = EMIT_ADD(emitter, semaphores, &pair->semaphore);
    *item = (struct program_semaphore){name, emitter->streams->items[giver].id};
}

// The signal that comes first after the giver has done `position` steps, counted from 1.
static uint32_t signal_after(const struct pair *pair, uint32_t position)
{
    size_t low = 0, high = pair->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pair->positions[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

static struct pair *find_pair(struct stream *giver, uint32_t taker)
{
    for (size_t i = 0; i < giver->pair_count; i++) {
        if (giver->pairs[i].taker == taker)
            return &giver->pairs[i];
    }
    giver->pairs =
        memory_grow(giver->pairs, giver->pair_count, &giver->pair_capacity, sizeof *giver->pairs);
    giver->pairs[giver->pair_count] = (struct pair){.taker = taker};
    return &giver->pairs[giver->pair_count++];
}

void emit_stream_await(struct emitter *emitter, uint32_t job, uint32_t stream, uint32_t other,
                       uint32_t position)
{
    struct pair *pair = find_pair(&emitter->streams->items[other], stream);
    const uint32_t signal = signal_after(pair, position);
    if (signal <= pair->awaited)
        return;
    if (pair->count == 0)
        make_semaphore(emitter, pair, other, stream);
    if (signal > pair->count) {
        pair->positions =
            memory_grow(pair->positions, pair->count, &pair->capacity, sizeof *pair->positions);
        pair->positions[pair->count++] = emit_stream_position(emitter, other);
        put_step(emitter, job, other,
                 (struct program_step){.kind = PROGRAM_STEP_SIGNAL,
                                       .task = PROGRAM_NONE,
                                       .semaphore = pair->semaphore},
                 0);
    }
    pair->awaited = signal;
    put_step(emitter, job, stream,
             (struct program_step){.kind = PROGRAM_STEP_AWAIT,
                                   .task = PROGRAM_NONE,
                                   .semaphore = pair->semaphore,
                                   .count = signal},
             0);
}
