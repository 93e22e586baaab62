// A machine of three cores, and a program for it put together by hand.
//
// Each core has a memory of its own (tile), engines load, matrix, store, and kernel, which
// runs through all three; queues load, compute and store start them. Core 0 can spread what it
// has to the others. Loads and stores of all cores share a port.

#ifndef OPSCOPE_TESTS_CORES_SUPPORT_H
#define OPSCOPE_TESTS_CORES_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "program/builder.h"

enum {
    CORES = 3,
    ROWS = 4, // of a tile
    COLUMNS = 8,
    TILE_BYTES = ROWS * COLUMNS * 4,
    ROW_BYTES = COLUMNS * 4,
};

enum { TILE, DRAM };
enum { LOAD, STORE, SPREAD, MATRIX, KERNEL, HOST };
enum { QUEUE_LOAD, QUEUE_COMPUTE, QUEUE_STORE, QUEUES };
enum { VALUE_A, VALUE_B, VALUE_C, VALUE_D, VALUES };

static const char CORES_TEXT[] = "[target]\n"
                                 "name = cores\n"
                                 "rules = torq\n"
                                 "clock = 1 GHz\n"
                                 "[memory tile]\n"
                                 "size = 64 KiB\n"
                                 "local = yes\n"
                                 "[memory dram]\n"
                                 "size = 1 GiB\n"
                                 "[engine load]\n"
                                 "kind = dma_in\n"
                                 "memory = tile\n"
                                 "[engine store]\n"
                                 "kind = dma_out\n"
                                 "memory = tile\n"
                                 "[engine spread]\n"
                                 "kind = cdma\n"
                                 "memory = tile\n"
                                 "[engine matrix]\n"
                                 "kind = slice\n"
                                 "memory = tile\n"
                                 "[engine kernel]\n"
                                 "kind = slice\n"
                                 "memory = tile\n"
                                 "[engine host]\n"
                                 "kind = host\n"
                                 "memory = dram\n";

static inline void cores_number(struct target *target)
{
    target->lane_count = 0;
    target->memory_unit_count = 0;
    for (uint32_t i = 0; i < target->memory_count; i++) {
        target->memories[i].first_unit = target->memory_unit_count;
        target->memory_unit_count += target_units(target, target->memories[i].per);
    }
    for (uint32_t i = 0; i < target->engine_count; i++) {
        target->engines[i].first_lane = target->lane_count;
        target->lane_count +=
            target->engines[i].count * target_units(target, target->engines[i].per);
    }
}

// 2 bytes a cycle for all, 1 for each user.
static inline struct target *cores_target(void)
{
    static const uint32_t STAGES[] = {LOAD, MATRIX, STORE};
    static const char *const LABELS[] = {"LOAD", "STORE", "SPREAD", "MATRIX {core}", "KERNEL"};
    static const uint32_t STARTED_BY[] = {QUEUE_LOAD, QUEUE_STORE, QUEUE_LOAD, QUEUE_COMPUTE,
                                          QUEUE_COMPUTE};
    struct target *target;
    if (target_parse("cores", VIEW_LITERAL(CORES_TEXT), &target) != STATUS_OK)
        abort();
    target->core_count = CORES;
    target->memories[TILE].per = TARGET_PER_CORE;
    for (uint32_t i = LOAD; i <= KERNEL; i++) {
        target->engines[i].per = TARGET_PER_CORE;
        target->engines[i].label = LABELS[i];
        target->engines[i].queue = STARTED_BY[i];
    }
    target->engines[SPREAD].role = TARGET_ROLE_COMMUNICATION;
    target->engines[SPREAD].cast = true;
    target->engines[KERNEL].stages = STAGES;
    target->engines[KERNEL].stage_count = 3;
    target->queue_count = 0;
    for (uint32_t i = 0; i < QUEUES; i++) {
        static const char *const NAMES[] = {"load", "compute", "store"};
        target->queues = memory_grow(target->queues, target->queue_count, &target->queue_capacity,
                                     sizeof *target->queues);
        target->queues[target->queue_count++] =
            (struct target_queue){.name = NAMES[i], .per = TARGET_PER_CORE};
    }
    target->ports[0] = (struct target_port){"dram", 2e9, 1e9};
    cores_number(target);
    return target;
}

struct cores {
    struct target *target;
    struct program_builder *builder;
    struct program program;
    uint32_t job;
};

#define CORES_ADD(cores, table, out_id) PROGRAM_ADD((cores)->builder, table, out_id)
#define CORES_GET(cores, table, id)                                                                \
    program_builder_get((cores)->builder, offsetof(struct program, table), id)
#define CORES_COUNT(cores, table)                                                                  \
    program_builder_count((cores)->builder, offsetof(struct program, table))

static inline uint32_t cores_text(struct cores *cores, const char *text)
{
    return program_builder_text(cores->builder, view_of(text));
}

static inline uint32_t cores_stream(unsigned core, unsigned queue)
{
    return core * QUEUES + queue;
}

// A machine, a stream for each queue of each core, and a semaphore of the same number for
// each stream; no job yet.
static inline void cores_start(struct cores *cores)
{
    *cores = (struct cores){.target = cores_target()};
    cores->builder = program_builder_create(cores->target->text, view_of("by hand"));
    CORES_ADD(cores, dispatches, NULL);
    for (uint32_t i = 0; i < CORES * QUEUES; i++) {
        const struct target_queue *queue = &cores->target->queues[i % QUEUES];
        struct program_stream *stream = CORES_ADD(cores, streams, NULL);
        *stream = (struct program_stream){
            .name = cores_text(cores, queue->name), .queue = i % QUEUES, .unit = i / QUEUES};
        static const char *const NAMES[] = {"loaded", "computed", "stored"};
        struct program_semaphore *semaphore = CORES_ADD(cores, semaphores, NULL);
        *semaphore = (struct program_semaphore){cores_text(cores, NAMES[i % QUEUES]), i};
    }
}

static inline void cores_end(struct cores *cores)
{
    program_builder_free(cores->builder);
    target_free(cores->target);
}

static inline void cores_action(struct cores *cores, enum program_action_kind kind,
                                uint32_t subject)
{
    struct program_action *action = CORES_ADD(cores, actions, NULL);
    *action = (struct program_action){.kind = kind, .subject = subject};
    struct program_dispatch *dispatch = CORES_GET(cores, dispatches, 0);
    dispatch->action_count++;
}

// Steps that follow belong to the new job, which is waited for by cores_job_end.
static inline void cores_job(struct cores *cores)
{
    struct program_job *job = CORES_ADD(cores, jobs, &cores->job);
    job->first_step = CORES_COUNT(cores, steps);
    cores_action(cores, PROGRAM_ACTION_JOB_START, cores->job);
}

static inline void cores_job_end(struct cores *cores)
{
    cores_action(cores, PROGRAM_ACTION_JOB_WAIT, cores->job);
}

static inline uint32_t cores_step(struct cores *cores, struct program_step step)
{
    uint32_t id;
    struct program_step *item = CORES_ADD(cores, steps, &id);
    *item = step;
    struct program_job *job = CORES_GET(cores, jobs, cores->job);
    job->step_count++;
    return id;
}

static inline uint32_t cores_signal(struct cores *cores, uint32_t stream)
{
    return cores_step(
        cores,
        (struct program_step){.kind = PROGRAM_STEP_SIGNAL, .stream = stream, .semaphore = stream});
}

static inline uint32_t cores_await(struct cores *cores, uint32_t stream, uint32_t semaphore,
                                   uint32_t count)
{
    return cores_step(cores, (struct program_step){.kind = PROGRAM_STEP_AWAIT,
                                                   .stream = stream,
                                                   .semaphore = semaphore,
                                                   .count = count});
}

static inline uint32_t cores_task(struct cores *cores, uint32_t engine, unsigned core,
                                  uint64_t cycles, uint64_t bytes)
{
    uint32_t id;
    struct program_task *task = CORES_ADD(cores, tasks, &id);
    *task = (struct program_task){
        .group = PROGRAM_NONE,
        .engine = engine,
        .unit = core,
        .kind = engine == MATRIX || engine == KERNEL ? PROGRAM_TASK_COMPUTE : PROGRAM_TASK_TRANSFER,
        .job = cores->job,
        .first_stage = CORES_COUNT(cores, stages),
        .first_operand = CORES_COUNT(cores, operands),
        .first_call = CORES_COUNT(cores, calls),
        .cost = {.kind = COST_FIXED, .cycles = cycles, .bytes = bytes}};
    return id;
}

// Of the task that was added last.
static inline void cores_stage(struct cores *cores, uint32_t engine, uint64_t cycles,
                               uint64_t bytes, uint32_t pieces)
{
    struct program_stage *stage = CORES_ADD(cores, stages, NULL);
    *stage = (struct program_stage){.engine = engine,
                                    .ring = PROGRAM_NONE,
                                    .depth = 2,
                                    .pieces = pieces,
                                    .cost = {.kind = COST_FIXED, .cycles = cycles, .bytes = bytes}};
    struct program_task *task = CORES_GET(cores, tasks, CORES_COUNT(cores, tasks) - 1);
    task->stage_count++;
}

static inline uint32_t cores_stream_of(const struct cores *cores, uint32_t task)
{
    const struct program_task *item =
        program_builder_get(cores->builder, offsetof(struct program, tasks), task);
    return cores_stream(item->unit, cores->target->engines[item->engine].queue);
}

static inline uint32_t cores_begin(struct cores *cores, uint32_t task)
{
    return cores_step(cores, (struct program_step){.kind = PROGRAM_STEP_START,
                                                   .stream = cores_stream_of(cores, task),
                                                   .task = task});
}

static inline void cores_wait(struct cores *cores, uint32_t task)
{
    cores_step(cores, (struct program_step){.kind = PROGRAM_STEP_WAIT,
                                            .stream = cores_stream_of(cores, task),
                                            .task = task});
}

// Buffers and values -----------------------------------------------------------------------

struct cores_box {
    int64_t row, rows;
};

// `address` is a number of tiles. Far buffers hold whole values.
static inline uint32_t cores_buffer(struct cores *cores, uint32_t value,
                                    enum program_buffer_kind kind, unsigned core, uint64_t address,
                                    struct cores_box box)
{
    uint32_t id;
    const bool far = kind <= PROGRAM_BUFFER_INNER;
    struct program_buffer *buffer = CORES_ADD(cores, buffers, &id);
    *buffer = (struct program_buffer){.value = value,
                                      .memory = far ? DRAM : TILE,
                                      .unit = far ? 0 : core,
                                      .kind = (uint16_t)kind,
                                      .element = ELEMENT_F32,
                                      .rank = 2,
                                      .address = address * TILE_BYTES,
                                      .size = (uint64_t)box.rows * ROW_BYTES,
                                      .alias = PROGRAM_NONE,
                                      .to = UINT32_MAX,
                                      .dims = {box.rows, COLUMNS},
                                      .origin = {box.row, 0}};
    return id;
}

// Of the task that was added last: rows of a buffer, counted from its first one.
static inline void cores_operand(struct cores *cores, uint32_t buffer, struct cores_box box,
                                 bool writes)
{
    struct program_operand *operand = CORES_ADD(cores, operands, NULL);
    *operand = (struct program_operand){.buffer = buffer,
                                        .writes = writes,
                                        .rank = 2,
                                        .from = {box.row, 0},
                                        .size = {box.rows, COLUMNS}};
    struct program_task *task = CORES_GET(cores, tasks, CORES_COUNT(cores, tasks) - 1);
    task->operand_count++;
}

// Of the task that was added last: `result` = `left` + `right`.
static inline void cores_call(struct cores *cores, uint32_t node, uint32_t left, uint32_t right,
                              uint32_t result)
{
    struct program_call *call = CORES_ADD(cores, calls, NULL);
    *call = (struct program_call){.node = node, .first_buffer = CORES_COUNT(cores, call_buffers)};
    const uint32_t buffers[] = {left, right, result};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t *item = CORES_ADD(cores, call_buffers, NULL);
        *item = buffers[i];
    }
    struct program_task *task = CORES_GET(cores, tasks, CORES_COUNT(cores, tasks) - 1);
    task->call_count++;
}

static inline void cores_value(struct cores *cores, const char *name, enum program_value_kind kind,
                               int64_t rows)
{
    uint32_t id;
    struct program_value *value = CORES_ADD(cores, values, &id);
    *value = (struct program_value){.name = cores_text(cores, name),
                                    .element = ELEMENT_F32,
                                    .kind = (uint16_t)kind,
                                    .rank = 2,
                                    .dims = {rows, COLUMNS}};
    uint32_t *port = kind == PROGRAM_VALUE_INPUT ? CORES_ADD(cores, inputs, NULL)
                                                 : CORES_ADD(cores, outputs, NULL);
    *port = id;
}

static inline void cores_node(struct cores *cores, uint32_t left, uint32_t right, uint32_t result)
{
    uint32_t id;
    struct program_node *node = CORES_ADD(cores, nodes, &id);
    *node = (struct program_node){.operator_id = PROGRAM_NONE,
                                  .type = cores_text(cores, "Add"),
                                  .version = 14,
                                  .first_value = CORES_COUNT(cores, node_values),
                                  .input_count = 2,
                                  .output_count = 1};
    const uint32_t values[] = {left, right, result};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t *item = CORES_ADD(cores, node_values, NULL);
        *item = values[i];
    }
}

// c = a + b, d = c + a -----------------------------------------------------------------------

struct cores_example {
    struct cores cores;
    uint32_t far[VALUES];
    uint32_t load_b, spread;
    uint32_t tiles_b[CORES];
    uint32_t results[CORES]; // tiles of c
    uint32_t loads[CORES], adds[CORES], stores[CORES], kernels[CORES];
};

// b, one row, is loaded once and cast to all.
static inline void cores_example_spread(struct cores_example *example)
{
    struct cores *cores = &example->cores;
    const struct cores_box row = {0, 1};
    for (unsigned i = 0; i < CORES; i++)
        example->tiles_b[i] = cores_buffer(cores, VALUE_B, PROGRAM_BUFFER_TILE, i, 0, row);
    example->load_b = cores_task(cores, LOAD, 0, 10, ROW_BYTES);
    cores_operand(cores, example->far[VALUE_B], row, false);
    cores_operand(cores, example->tiles_b[0], row, true);
    cores_begin(cores, example->load_b);
    cores_wait(cores, example->load_b);
    example->spread = cores_task(cores, SPREAD, 0, 20, ROW_BYTES);
    struct program_task *task = CORES_GET(cores, tasks, example->spread);
    task->first_unit = CORES_COUNT(cores, task_units);
    task->unit_count = CORES - 1;
    for (uint32_t i = 0; i < CORES; i++)
        cores_operand(cores, example->tiles_b[i], row, i > 0);
    for (uint32_t i = 1; i < CORES; i++) {
        uint32_t *unit = CORES_ADD(cores, task_units, NULL);
        *unit = i;
    }
    cores_begin(cores, example->spread);
    cores_wait(cores, example->spread);
    cores_signal(cores, cores_stream(0, QUEUE_LOAD));
}

static inline void cores_example_add(struct cores_example *example, unsigned core)
{
    struct cores *cores = &example->cores;
    const struct cores_box part = {ROWS * (int64_t)core, ROWS};
    const struct cores_box tile = {0, ROWS};
    const uint32_t a = cores_buffer(cores, VALUE_A, PROGRAM_BUFFER_TILE, core, 1, part);
    const uint32_t c = cores_buffer(cores, VALUE_C, PROGRAM_BUFFER_TILE, core, 2, part);
    example->results[core] = c;
    example->loads[core] = cores_task(cores, LOAD, core, 100, TILE_BYTES);
    cores_operand(cores, example->far[VALUE_A], part, false);
    cores_operand(cores, a, tile, true);
    example->adds[core] = cores_task(cores, MATRIX, core, 50, 0);
    cores_operand(cores, a, tile, false);
    cores_operand(cores, example->tiles_b[core], (struct cores_box){0, 1}, false);
    cores_operand(cores, c, tile, true);
    cores_call(cores, 0, a, example->tiles_b[core], c);
    example->stores[core] = cores_task(cores, STORE, core, 128, TILE_BYTES);
    cores_operand(cores, c, tile, false);
    cores_operand(cores, example->far[VALUE_C], part, true);
}

static inline void cores_example_steps(struct cores_example *example)
{
    struct cores *cores = &example->cores;
    for (unsigned i = 0; i < CORES; i++) {
        cores_begin(cores, example->loads[i]);
        cores_wait(cores, example->loads[i]);
        cores_signal(cores, cores_stream(i, QUEUE_LOAD));
    }
    for (unsigned i = 0; i < CORES; i++) {
        const uint32_t stream = cores_stream(i, QUEUE_COMPUTE);
        cores_await(cores, stream, cores_stream(i, QUEUE_LOAD), i == 0 ? 2 : 1);
        if (i > 0)
            cores_await(cores, stream, cores_stream(0, QUEUE_LOAD), 1);
        cores_begin(cores, example->adds[i]);
        cores_wait(cores, example->adds[i]);
        cores_signal(cores, stream);
    }
    for (unsigned i = 0; i < CORES; i++) {
        cores_await(cores, cores_stream(i, QUEUE_STORE), cores_stream(i, QUEUE_COMPUTE), 1);
        cores_begin(cores, example->stores[i]);
        cores_wait(cores, example->stores[i]);
    }
}

// Reads rows of c and a where they lie, and writes rows of d there.
static inline void cores_example_kernel(struct cores_example *example, unsigned core)
{
    struct cores *cores = &example->cores;
    const struct cores_box part = {ROWS * (int64_t)core, ROWS};
    uint32_t rings[3];
    const uint32_t values[] = {VALUE_C, VALUE_A, VALUE_D};
    for (unsigned i = 0; i < 3; i++) {
        rings[i] = cores_buffer(cores, values[i], PROGRAM_BUFFER_RING, core, 10 + i, part);
        struct program_buffer *ring = CORES_GET(cores, buffers, rings[i]);
        ring->size = 8; // smaller than the tile that runs through it
    }
    example->kernels[core] = cores_task(cores, KERNEL, core, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        cores_operand(cores, example->far[values[i]], part, i == 2);
    for (unsigned i = 0; i < 3; i++)
        cores_operand(cores, rings[i], (struct cores_box){0, ROWS}, true);
    cores_call(cores, 1, rings[0], rings[1], rings[2]);
    cores_stage(cores, LOAD, 200, 2 * TILE_BYTES, 4);
    cores_stage(cores, MATRIX, 100, 0, 4);
    cores_stage(cores, STORE, 40, TILE_BYTES, 4);
}

static inline void cores_example_start(struct cores_example *example)
{
    struct cores *cores = &example->cores;
    cores_start(cores);
    cores_value(cores, "a", PROGRAM_VALUE_INPUT, ROWS * CORES);
    cores_value(cores, "b", PROGRAM_VALUE_INPUT, 1);
    cores_value(cores, "c", PROGRAM_VALUE_OUTPUT, ROWS * CORES);
    cores_value(cores, "d", PROGRAM_VALUE_OUTPUT, ROWS * CORES);
    cores_node(cores, VALUE_A, VALUE_B, VALUE_C);
    cores_node(cores, VALUE_C, VALUE_A, VALUE_D);
    for (uint32_t i = 0; i < VALUES; i++)
        example->far[i] =
            cores_buffer(cores, i, i < VALUE_C ? PROGRAM_BUFFER_INPUT : PROGRAM_BUFFER_OUTPUT, 0,
                         i * CORES, (struct cores_box){0, i == VALUE_B ? 1 : ROWS * CORES});
    cores_job(cores);
    cores_example_spread(example);
    for (unsigned i = 0; i < CORES; i++)
        cores_example_add(example, i);
    cores_example_steps(example);
    cores_job_end(cores);
    cores_job(cores);
    for (unsigned i = 0; i < CORES; i++)
        cores_example_kernel(example, i);
    for (unsigned i = 0; i < CORES; i++)
        cores_begin(cores, example->kernels[i]);
    for (unsigned i = 0; i < CORES; i++)
        cores_wait(cores, example->kernels[i]);
    cores_job_end(cores);
    program_builder_view(cores->builder, &cores->program);
}

#endif
