// A machine with three cores and a program for it, made by hand: each core brings its part
// of x to its own memory, core 0 brings w and casts it to the others, each adds the two and
// puts its part of y back; twice, in the same places. Loads, stores and casts of a core are
// one stream, additions another, and semaphores order them.

#ifndef OPSCOPE_TESTS_THREE_CORES_H
#define OPSCOPE_TESTS_THREE_CORES_H

#include <stdio.h>
#include <string.h>

#include "program/builder.h"

enum {
    CORES = 3,
    ROUNDS = 2,
    PART = 4, // elements of a part
    WHOLE = CORES * ROUNDS * PART,
    VALUE_X = 0,
    VALUE_W = 1,
    VALUE_Y = 2,
    ADDRESS_X = 0, // in a core's memory
    ADDRESS_Y = 64,
    ADDRESS_W = 128,
};

static const char THREE_CORES[] = "[target]\nname = three\nclock = 1 GHz\n"
                                  "[core]\ncount = 3\n"
                                  "[memory dram]\nsize = 1 MiB\n"
                                  "[memory tile]\nsize = 1 KiB\nlocal = yes\nper = core\n"
                                  "[queue moves]\nper = core\n"
                                  "[queue sums]\nper = core\n"
                                  "[engine load]\nrole = transfer\nper = core\nfrom = dram\n"
                                  "to = tile\nqueue = moves\nbytes_per_cycle = 4\n"
                                  "[engine store]\nrole = transfer\nper = core\nfrom = tile\n"
                                  "to = dram\nqueue = moves\nbytes_per_cycle = 4\n"
                                  "[engine spread]\nrole = communication\nper = core\n"
                                  "memory = tile\ncast = many\nqueue = moves\n"
                                  "bytes_per_cycle = 4\n"
                                  "[engine sum]\nrole = compute\nper = core\nmemory = tile\n"
                                  "takes = elementwise : i8\nprice = fixed\ncycles = 9\n"
                                  "queue = sums\n"
                                  "[engine single]\nrole = communication\nper = core\n"
                                  "memory = tile\nqueue = moves\nbytes_per_cycle = 4\n";

enum { ENGINE_LOAD, ENGINE_STORE, ENGINE_SPREAD, ENGINE_SUM, ENGINE_SINGLE };
enum { MEMORY_DRAM, MEMORY_TILE };

// Streams: `moves` of each core, then `sums` of each. Semaphores: the loads of each core, its
// sums, and the cast of w.
enum { STREAM_MOVES = 0, STREAM_SUMS = CORES };
enum { SEMAPHORE_LOADED = 0, SEMAPHORE_SUMMED = CORES, SEMAPHORE_CAST = 2 * CORES };

struct three_cores {
    struct program_builder *builder;
    struct program program;
    uint32_t far_x, far_w, far_y;
    uint32_t w[CORES];
    uint32_t x[ROUNDS][CORES], y[ROUNDS][CORES];                            // buffers
    uint32_t load[ROUNDS][CORES], sum[ROUNDS][CORES], store[ROUNDS][CORES]; // tasks
    uint32_t load_w, cast;
};

static inline uint32_t three_text(struct three_cores *made, const char *text)
{
    return program_builder_text(made->builder, view_of(text));
}

static inline void three_value(struct three_cores *made, const char *name,
                               enum program_value_kind kind, int64_t length)
{
    static const int8_t ONES[PART] = {1, 1, 1, 1};
    const bool constant = kind == PROGRAM_VALUE_CONSTANT;
    const uint64_t data = constant ? program_builder_constant(made->builder, ONES, PART) : 0;
    const uint32_t text = three_text(made, name);
    struct program_value *value = PROGRAM_ADD(made->builder, values, NULL);
    *value = (struct program_value){.name = text,
                                    .element = ELEMENT_I8,
                                    .kind = (uint16_t)kind,
                                    .rank = 1,
                                    .dims = {length},
                                    .data = data,
                                    .bytes = constant ? PART : 0};
}

static inline uint32_t three_buffer(struct three_cores *made, uint32_t value, uint32_t memory,
                                    uint32_t unit, enum program_buffer_kind kind, uint64_t address,
                                    int64_t origin, int64_t length)
{
    uint32_t id;
    struct program_buffer *buffer = PROGRAM_ADD(made->builder, buffers, &id);
    *buffer = (struct program_buffer){.value = value,
                                      .memory = memory,
                                      .unit = unit,
                                      .kind = (uint16_t)kind,
                                      .element = ELEMENT_I8,
                                      .rank = 1,
                                      .address = address,
                                      .size = (uint64_t)length,
                                      .alias = PROGRAM_NONE,
                                      .from = UINT32_MAX,
                                      .dims = {length},
                                      .origin = {origin}};
    return id;
}

static inline void three_operand(struct three_cores *made, uint32_t task, uint32_t buffer,
                                 bool writes, int64_t from)
{
    struct program_operand *operand = PROGRAM_ADD(made->builder, operands, NULL);
    *operand = (struct program_operand){
        .buffer = buffer, .writes = writes, .rank = 1, .from = {from}, .size = {PART}};
    struct program_task *item =
        program_builder_get(made->builder, offsetof(struct program, tasks), task);
    item->operand_count++;
}

static inline void three_depend(struct three_cores *made, uint32_t task, uint32_t on, bool data)
{
    struct program_dependency *dependency = PROGRAM_ADD(made->builder, dependencies, NULL);
    *dependency = (struct program_dependency){on, data};
    struct program_task *item =
        program_builder_get(made->builder, offsetof(struct program, tasks), task);
    item->dependency_count++;
}

static inline uint32_t three_task(struct three_cores *made, uint32_t engine, uint32_t unit,
                                  uint32_t tile)
{
    const struct program_builder *builder = made->builder;
    const bool computes = engine == ENGINE_SUM;
    uint32_t id;
    struct program_task task = {
        .tile = tile,
        .engine = engine,
        .unit = unit,
        .kind = computes ? PROGRAM_TASK_COMPUTE : PROGRAM_TASK_TRANSFER,
        .first_unit = program_builder_count(builder, offsetof(struct program, task_units)),
        .first_operand = program_builder_count(builder, offsetof(struct program, operands)),
        .first_call = program_builder_count(builder, offsetof(struct program, calls)),
        .first_dependency = program_builder_count(builder, offsetof(struct program, dependencies)),
        .cost = {.kind = computes ? COST_ELEMENTWISE : COST_TRANSFER,
                 .outputs = PART,
                 .inner = 1,
                 .bytes = PART},
    };
    *(struct program_task *)PROGRAM_ADD(made->builder, tasks, &id) = task;
    return id;
}

static inline uint32_t three_transfer(struct three_cores *made, uint32_t engine, uint32_t unit,
                                      uint32_t from, int64_t from_place, uint32_t to,
                                      int64_t to_place)
{
    const uint32_t task = three_task(made, engine, unit, 0);
    three_operand(made, task, from, false, from_place);
    three_operand(made, task, to, true, to_place);
    return task;
}

static inline void three_step(struct three_cores *made, enum program_step_kind kind,
                              uint32_t stream, uint32_t subject, uint32_t count)
{
    const bool of_task = kind == PROGRAM_STEP_START || kind == PROGRAM_STEP_WAIT;
    uint32_t id;
    struct program_step *step = PROGRAM_ADD(made->builder, steps, &id);
    *step = (struct program_step){.kind = kind,
                                  .stream = stream,
                                  .task = of_task ? subject : PROGRAM_NONE,
                                  .number = id,
                                  .semaphore = of_task ? PROGRAM_NONE : subject,
                                  .count = count};
}

// A start and the wait right behind it.
static inline void three_do(struct three_cores *made, uint32_t stream, uint32_t task)
{
    three_step(made, PROGRAM_STEP_START, stream, task, 0);
    three_step(made, PROGRAM_STEP_WAIT, stream, task, 0);
}

static inline void three_network(struct three_cores *made)
{
    struct program_builder *builder = made->builder;
    const uint32_t type = three_text(made, "tosa.add");
    const uint32_t name = three_text(made, "add");
    three_value(made, "x", PROGRAM_VALUE_INPUT, WHOLE);
    three_value(made, "w", PROGRAM_VALUE_CONSTANT, PART);
    three_value(made, "y", PROGRAM_VALUE_OUTPUT, WHOLE);
    *(uint32_t *)PROGRAM_ADD(builder, inputs, NULL) = VALUE_X;
    *(uint32_t *)PROGRAM_ADD(builder, outputs, NULL) = VALUE_Y;
    for (uint32_t i = VALUE_X; i <= VALUE_Y; i++) {
        *(uint32_t *)PROGRAM_ADD(builder, operator_values, NULL) = i;
        *(uint32_t *)PROGRAM_ADD(builder, node_values, NULL) = i;
    }
    struct program_operator *op = PROGRAM_ADD(builder, operators, NULL);
    *op =
        (struct program_operator){.name = name, .type = type, .input_count = 2, .output_count = 1};
    struct program_node *node = PROGRAM_ADD(builder, nodes, NULL);
    *node = (struct program_node){.type = type, .input_count = 2, .output_count = 1};
    struct program_group *group = PROGRAM_ADD(builder, groups, NULL);
    *group =
        (struct program_group){.name = name, .type = type, .engine = ENGINE_SUM, .node_count = 1};
}

static inline void three_streams(struct three_cores *made)
{
    char text[32];
    for (uint32_t i = 0; i < 2 * CORES; i++) {
        snprintf(text, sizeof text, "%s %u", i < CORES ? "moves" : "sums", i % CORES);
        const uint32_t name = three_text(made, text);
        struct program_stream *stream = PROGRAM_ADD(made->builder, streams, NULL);
        *stream = (struct program_stream){.name = name, .queue = i / CORES, .unit = i % CORES};
    }
    for (uint32_t i = 0; i <= 2 * CORES; i++) {
        snprintf(text, sizeof text, "%s %u",
                 i < CORES       ? "loaded"
                 : i < 2 * CORES ? "summed"
                                 : "w",
                 i % CORES);
        const uint32_t name = three_text(made, text);
        struct program_semaphore *semaphore = PROGRAM_ADD(made->builder, semaphores, NULL);
        *semaphore = (struct program_semaphore){.name = name, .stream = i % (2 * CORES)};
    }
}

static inline void three_buffers(struct three_cores *made)
{
    made->far_x = three_buffer(made, VALUE_X, MEMORY_DRAM, 0, PROGRAM_BUFFER_INPUT, 0, 0, WHOLE);
    made->far_w = three_buffer(made, VALUE_W, MEMORY_DRAM, 0, PROGRAM_BUFFER_CONSTANT, 64, 0, PART);
    made->far_y = three_buffer(made, VALUE_Y, MEMORY_DRAM, 0, PROGRAM_BUFFER_OUTPUT, 128, 0, WHOLE);
    for (uint32_t core = 0; core < CORES; core++) {
        made->w[core] =
            three_buffer(made, VALUE_W, MEMORY_TILE, core, PROGRAM_BUFFER_TILE, ADDRESS_W, 0, PART);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const int64_t origin = (int64_t)(round * CORES + core) * PART;
            made->x[round][core] = three_buffer(made, VALUE_X, MEMORY_TILE, core,
                                                PROGRAM_BUFFER_TILE, ADDRESS_X, origin, PART);
            made->y[round][core] = three_buffer(made, VALUE_Y, MEMORY_TILE, core,
                                                PROGRAM_BUFFER_TILE, ADDRESS_Y, origin, PART);
        }
    }
}

static inline void three_sum(struct three_cores *made, uint32_t round, uint32_t core)
{
    struct program_builder *builder = made->builder;
    const uint32_t task = three_task(made, ENGINE_SUM, core, round * CORES + core);
    const uint32_t buffers[3] = {made->x[round][core], made->w[core], made->y[round][core]};
    struct program_call *call = PROGRAM_ADD(builder, calls, NULL);
    call->first_buffer = program_builder_count(builder, offsetof(struct program, call_buffers));
    for (uint32_t i = 0; i < 3; i++) {
        three_operand(made, task, buffers[i], i == 2, 0);
        *(uint32_t *)PROGRAM_ADD(builder, call_buffers, NULL) = buffers[i];
    }
    struct program_task *item = program_builder_get(builder, offsetof(struct program, tasks), task);
    item->call_count = 1;
    three_depend(made, task, made->load[round][core], true);
    three_depend(made, task, core == 0 ? made->load_w : made->cast, true);
    made->sum[round][core] = task;
}

static inline void three_cast(struct three_cores *made)
{
    made->load_w = three_transfer(made, ENGINE_LOAD, 0, made->far_w, 0, made->w[0], 0);
    made->cast = three_transfer(made, ENGINE_SPREAD, 0, made->w[0], 0, made->w[1], 0);
    three_operand(made, made->cast, made->w[2], true, 0);
    three_depend(made, made->cast, made->load_w, true);
    struct program_task *task =
        program_builder_get(made->builder, offsetof(struct program, tasks), made->cast);
    task->unit_count = 2;
    for (uint32_t i = 1; i < CORES; i++)
        *(uint32_t *)PROGRAM_ADD(made->builder, task_units, NULL) = i;
}

static inline void three_tasks(struct three_cores *made)
{
    three_cast(made);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t core = 0; core < CORES; core++) {
            const int64_t place = (int64_t)(round * CORES + core) * PART;
            made->load[round][core] = three_transfer(made, ENGINE_LOAD, core, made->far_x, place,
                                                     made->x[round][core], 0);
            if (round > 0)
                three_depend(made, made->load[round][core], made->sum[round - 1][core], false);
            three_sum(made, round, core);
            made->store[round][core] = three_transfer(made, ENGINE_STORE, core,
                                                      made->y[round][core], 0, made->far_y, place);
            three_depend(made, made->store[round][core], made->sum[round][core], true);
        }
    }
}

static inline void three_round(struct three_cores *made, uint32_t round)
{
    for (uint32_t core = 0; core < CORES; core++) {
        three_do(made, STREAM_MOVES + core, made->load[round][core]);
        three_step(made, PROGRAM_STEP_SIGNAL, STREAM_MOVES + core, SEMAPHORE_LOADED + core, 0);
    }
    for (uint32_t core = 0; core < CORES; core++) {
        const uint32_t stream = STREAM_SUMS + core;
        three_step(made, PROGRAM_STEP_AWAIT, stream, SEMAPHORE_LOADED + core, round + 1);
        if (core > 0 && round == 0)
            three_step(made, PROGRAM_STEP_AWAIT, stream, SEMAPHORE_CAST, 1);
        three_do(made, stream, made->sum[round][core]);
        three_step(made, PROGRAM_STEP_SIGNAL, stream, SEMAPHORE_SUMMED + core, 0);
    }
    for (uint32_t core = 0; core < CORES; core++) {
        const uint32_t stream = STREAM_MOVES + core;
        three_step(made, PROGRAM_STEP_AWAIT, stream, SEMAPHORE_SUMMED + core, round + 1);
        three_do(made, stream, made->store[round][core]);
    }
}

static inline void three_job(struct three_cores *made)
{
    struct program_builder *builder = made->builder;
    const uint32_t name = three_text(made, "job");
    three_do(made, STREAM_MOVES, made->load_w);
    three_do(made, STREAM_MOVES, made->cast);
    three_step(made, PROGRAM_STEP_SIGNAL, STREAM_MOVES, SEMAPHORE_CAST, 0);
    for (uint32_t round = 0; round < ROUNDS; round++)
        three_round(made, round);
    struct program_job *job = PROGRAM_ADD(builder, jobs, NULL);
    *job = (struct program_job){
        .name = name,
        .step_count = program_builder_count(builder, offsetof(struct program, steps))};
    for (uint32_t i = 0; i < 2; i++) {
        struct program_action *action = PROGRAM_ADD(builder, actions, NULL);
        action->kind = i == 0 ? PROGRAM_ACTION_JOB_START : PROGRAM_ACTION_JOB_WAIT;
        action->number = i;
    }
    struct program_dispatch *dispatch = PROGRAM_ADD(builder, dispatches, NULL);
    *dispatch = (struct program_dispatch){.name = name, .action_count = 2};
}

// A buffer is in use from the first start to the last wait of a task that uses it. The steps
// begin with moment 1.
static inline void three_lives(struct three_cores *made)
{
    struct program *program = &made->program;
    struct program_buffer *buffers = (struct program_buffer *)(uintptr_t)program->buffers;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        buffers[i].from = buffers[i].memory == MEMORY_DRAM ? 0 : UINT32_MAX;
        buffers[i].to = buffers[i].memory == MEMORY_DRAM ? program->step_count + 1 : 0;
    }
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (!program_step_has_task(&program->steps[i]))
            continue;
        const struct program_task *task = &program->tasks[program->steps[i].task];
        for (uint32_t k = 0; k < task->operand_count; k++) {
            struct program_buffer *buffer =
                &buffers[program->operands[task->first_operand + k].buffer];
            buffer->from = i + 1 < buffer->from ? i + 1 : buffer->from;
            buffer->to = i + 1 > buffer->to ? i + 1 : buffer->to;
        }
    }
}

// Proved as it is. `made->program` lies over the builder's memory.
static inline void three_cores_make(struct three_cores *made)
{
    *made = (struct three_cores){
        .builder = program_builder_create(view_of(THREE_CORES), VIEW_LITERAL("three"))};
    three_network(made);
    three_streams(made);
    three_buffers(made);
    three_tasks(made);
    three_job(made);
    program_builder_view(made->builder, &made->program);
    three_lives(made);
}

static inline void three_cores_free(struct three_cores *made)
{
    program_builder_free(made->builder);
}

#endif
