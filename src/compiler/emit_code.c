#include "emit_code.h"

#include <stdio.h>

#include "emit_stream.h"

static const struct target_queue *queue_of(const struct emitter *emitter)
{
    return &emitter->plan->target->queues[0]; // such a target has one
}

static bool fetches(const struct emitter *emitter)
{
    return emitter->plan->target->queue_count == 1 && queue_of(emitter)->code_fetch != TARGET_NONE;
}

static const struct target_engine *fetcher_of(const struct emitter *emitter)
{
    return &emitter->plan->target->engines[queue_of(emitter)->code_fetch];
}

static uint32_t stream_of(struct emitter *emitter)
{
    return emit_stream_of(emitter, queue_of(emitter)->code_fetch, 0);
}

// Blocks ---------------------------------------------------------------------------------

static uint32_t emit_code_add_buffer(struct emitter *emitter, uint32_t memory, uint64_t address)
{
    const struct plan_box box = {.rank = 1, .size = {1}};
    char name[160];
    snprintf(name, sizeof name, "%s code", queue_of(emitter)->name);
    return emit_buffer(emitter, name, NETWORK_NONE, PROGRAM_BUFFER_CODE,
                       (struct emit_place){memory, 0, address}, &box);
}

// The place of the next block near the queue, in the slot after that of the one at hand.
static uint32_t add_near_buffer(struct emitter *emitter)
{
    const struct target_queue *queue = queue_of(emitter);
    struct emit_code_state *state = &emitter->blocks;
    const uint32_t memory = fetcher_of(emitter)->to;
    state->slot = (state->slot + 1) % (uint32_t)queue->code_slots;
    return emit_code_add_buffer(emitter, memory,
                                emitter->plan->target->memories[memory].reserved +
                                    state->slot * queue->code_block);
}

static void set_size(struct emitter *emitter, uint32_t buffer, uint64_t bytes)
{
    struct program_buffer *item = EMIT_GET(emitter, buffers, buffer);
    item->size = bytes;
    item->dims[0] = (int64_t)bytes;
}

// How large a block is turns out when its last step is there.
static void set_bytes(struct emitter *emitter, const struct emit_code_block *block, uint64_t used)
{
    const uint64_t bytes = queue_of(emitter)->code_whole ? queue_of(emitter)->code_block : used;
    set_size(emitter, block->near, bytes);
    if (block->fetch == PROGRAM_NONE)
        return;
    set_size(emitter, block->far, bytes);
    struct program_task *task = EMIT_GET(emitter, tasks, block->fetch);
    task->cost.bytes = bytes;
    task->cost.outputs = bytes;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        struct program_operand *operand = EMIT_GET(emitter, operands, task->first_operand + i);
        operand->size[0] = (int64_t)bytes;
    }
}

// The task that brings the next block. It lies in the far memory where no other code does.
static struct emit_code_block add_block(struct emitter *emitter)
{
    const struct plan_box box = {.rank = 1, .size = {1}};
    const struct emit_at at = {.engine = queue_of(emitter)->code_fetch};
    struct emit_code_block block;
    block.far = emit_code_add_buffer(emitter, emitter->far_memory, emitter->code);
    block.near = add_near_buffer(emitter);
    block.fetch = emit_transfer(emitter, PROGRAM_NONE, 0, at, block.far, &box, block.near, &box);
    emitter->code += plan_padded(queue_of(emitter)->code_block);
    return block;
}

// The block that runs is in use.
static void touch(struct emitter *emitter)
{
    struct program_buffer *buffer = EMIT_GET(emitter, buffers, emitter->blocks.running.near);
    if (emitter->moment < buffer->from)
        buffer->from = emitter->moment;
    if (emitter->moment > buffer->to)
        buffer->to = emitter->moment;
}

// Fetches a block, as the last thing that the one at hand does.
static void put_fetch(struct emitter *emitter, uint32_t job, uint32_t task)
{
    const uint32_t stream = stream_of(emitter);
    struct program_task *item = EMIT_GET(emitter, tasks, task);
    item->job = job;
    for (int i = 0; i < 2; i++) {
        emit_touch(emitter, task);
        touch(emitter);
        emit_stream_task(emitter, job, stream, i == 0 ? PROGRAM_STEP_START : PROGRAM_STEP_WAIT,
                         task);
    }
    emitter->started[task] = (struct emit_started){stream, emit_stream_position(emitter, stream)};
}

static void emit_code_run_block(struct emitter *emitter, struct emit_code_block block)
{
    emitter->blocks.running = block;
    emitter->blocks.tasks = 0;
}

// Jobs -----------------------------------------------------------------------------------

// A job that fetches the first block of the next one, from a block that the host copies.
static struct emit_code_block start_from_host(struct emitter *emitter, uint32_t location)
{
    struct emit_code_state *state = &emitter->blocks;
    const struct target_engine *fetcher = fetcher_of(emitter);
    const uint64_t bytes = fetcher->start_code + fetcher->wait_code;
    struct emit_code_block copied = {.fetch = PROGRAM_NONE};
    state->slot = (uint32_t)queue_of(emitter)->code_slots - 1;
    copied.near = add_near_buffer(emitter);
    set_bytes(emitter, &copied, bytes);
    emit_code_run_block(emitter, copied);
    touch(emitter);
    emit_action(emitter, PROGRAM_ACTION_HOST_COPY, copied.near, location, bytes);
    const uint32_t job = emit_job_add(emitter, queue_of(emitter));
    emit_action(emitter, PROGRAM_ACTION_JOB_START, job, location, 0);
    const struct emit_code_block next = add_block(emitter);
    put_fetch(emitter, job, next.fetch);
    emit_action(emitter, PROGRAM_ACTION_JOB_WAIT, job, location, 0);
    return next;
}

// The job before fetches the first block of this one. Since its last step, it was waited for
// and nothing else has happened: its two steps more take place before that.
static struct emit_code_block start_from_job(struct emitter *emitter)
{
    struct emit_code_state *state = &emitter->blocks;
    const struct emit_code_block next = add_block(emitter);
    emitter->moment = state->end;
    put_fetch(emitter, state->job, next.fetch);
    set_bytes(emitter, &state->running, emit_stream_code(emitter, stream_of(emitter)));
    emitter->moment++;
    return next;
}

void emit_code_start_job(struct emitter *emitter, uint32_t group)
{
    if (!fetches(emitter))
        return;
    const struct emit_code_state *state = &emitter->blocks;
    const bool follows = emitter->jobs > 0 && emitter->moment == state->end + 1;
    emit_code_run_block(emitter, follows ? start_from_job(emitter)
                                         : start_from_host(emitter, emit_location(emitter, group)));
}

void emit_code_end_job(struct emit_job *job)
{
    struct emitter *emitter = job->emitter;
    if (!fetches(emitter))
        return;
    emitter->blocks.job = job->id;
    emitter->blocks.end = emitter->moment;
    set_bytes(emitter, &emitter->blocks.running, emit_stream_code(emitter, stream_of(emitter)));
}

// Steps ----------------------------------------------------------------------------------

static void switch_blocks(struct emit_job *job, uint32_t stream)
{
    struct emitter *emitter = job->emitter;
    struct emit_code_state *state = &emitter->blocks;
    const uint32_t lane = target_lane(emitter->plan->target, queue_of(emitter)->code_fetch, 0, 0);
    state->closing = true;
    emit_wait(job, job->last[lane]);
    const struct emit_code_block next = add_block(emitter);
    put_fetch(emitter, job->id, next.fetch);
    job->last[lane] = next.fetch;
    set_bytes(emitter, &state->running,
              emit_stream_code(emitter, stream) + queue_of(emitter)->code_next);
    emit_stream_open_block(emitter, stream);
    emit_code_run_block(emitter, next);
    state->closing = false;
}

void emit_code_make_room(struct emit_job *job, uint32_t stream, enum program_step_kind kind,
                         uint32_t task)
{
    struct emitter *emitter = job->emitter;
    struct emit_code_state *state = &emitter->blocks;
    if (!fetches(emitter))
        return;
    const struct target_queue *queue = queue_of(emitter);
    const bool begins = !emit_stream_goes_on(emitter, stream, kind, task);
    const bool full = (queue->code_tasks > 0 && begins && state->tasks >= queue->code_tasks) ||
                      emit_stream_code(emitter, stream) +
                              emit_stream_step_code(emitter, kind, task) +
                              target_code_closing(emitter->plan->target, 0) >
                          queue->code_block;
    if (full && !state->closing)
        switch_blocks(job, stream);
    if (kind == PROGRAM_STEP_WAIT && emitter->started[task].waited > 0)
        return; // that waited for it
    state->tasks += begins || full;
    touch(emitter);
}
