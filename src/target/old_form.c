#include "old_form.h"

#include "base/memory.h"

static const char *const ALL[] = {"*", NULL};
static const char *const TYPES[] = {"i8", "u8", "i16", "i32", "bool", "bf16", NULL};
static const char *const SLICE[] = {"elementwise", "convolution", "matmul", "pooling",
                                    "reduction",   "movement",    "view",   NULL};
static const char *const CSS[] = {"gather", "other", "normalization", NULL};
static const struct target_takes TAKES_ALL = {ALL, ALL};
static const struct target_takes TAKES_SLICE = {SLICE, TYPES};
static const struct target_takes TAKES_CSS = {CSS, TYPES};

static const struct target_engine KINDS[TARGET_ENGINE_KINDS] = {
    [TARGET_DMA_IN] = {.role = TARGET_ROLE_TRANSFER,
                       .label = "DMA IN",
                       .work = "DMA_IN",
                       .row = "DI",
                       .rank = 0,
                       .start_code = 56,
                       .wait_code = 16},
    [TARGET_DMA_OUT] = {.role = TARGET_ROLE_TRANSFER,
                        .label = "DMA OUT",
                        .work = "DMA_OUT",
                        .row = "DO",
                        .rank = 1,
                        .start_code = 56,
                        .wait_code = 16},
    [TARGET_CDMA] = {.role = TARGET_ROLE_TRANSFER,
                     .label = "CDMA",
                     .work = "CDMA_{FROM}_TO_{TO}",
                     .row = "CDMA_{f}2{t}",
                     .rank = 1 << 20,
                     .start_code = 56,
                     .wait_code = 16},
    [TARGET_SLICE] = {.role = TARGET_ROLE_COMPUTE,
                      .takes = &TAKES_SLICE,
                      .take_count = 1,
                      .called = "the slices",
                      .label = "SLICE {lane}",
                      .row = "S",
                      .rank = 2,
                      .start_cycles = 1,
                      .start_code = 24,
                      .wait_code = 20,
                      .program_bytes = 264,
                      .program_room = 5120},
    [TARGET_CSS] = {.role = TARGET_ROLE_COMPUTE,
                    .takes = &TAKES_CSS,
                    .take_count = 1,
                    .called = "CSS",
                    .label = "CSS",
                    .row = "CSS",
                    .rank = (1 << 20) + 1,
                    .start_cycles = 1,
                    .start_code = 24,
                    .wait_code = 20},
    [TARGET_CPU] = {.role = TARGET_ROLE_COMPUTE,
                    .takes = &TAKES_ALL,
                    .take_count = 1,
                    .called = "the processor",
                    .label = "CPU {lane}",
                    .row = "H",
                    .rank = 1 << 21,
                    .start_code = 24,
                    .wait_code = 20},
    [TARGET_HOST] = {.role = TARGET_ROLE_HOST,
                     .takes = &TAKES_ALL,
                     .take_count = 1,
                     .called = "the host",
                     .label = "HOST",
                     .row = "H",
                     .rank = (1 << 20) + 2},
};

static void fill_engine(struct target *target, struct target_engine *engine, uint32_t far)
{
    const struct target_engine own = *engine;
    *engine = KINDS[own.kind];
    engine->name = own.name;
    engine->kind = own.kind;
    engine->count = own.count;
    engine->memory = own.memory;
    engine->from = own.kind == TARGET_DMA_IN ? far : own.memory;
    engine->to = own.kind == TARGET_DMA_OUT ? far : own.memory;
    engine->port = own.kind == TARGET_DMA_IN || own.kind == TARGET_DMA_OUT ? 0 : TARGET_NONE;
    engine->queue = own.kind == TARGET_HOST ? TARGET_NONE : 0;
    engine->clock = target->clock;
    engine->row_engine = (uint32_t)(engine - target->engines);
    if (own.kind == TARGET_CDMA || own.kind == TARGET_DMA_OUT)
        engine->row_engine = target_engine_of(target, TARGET_DMA_IN);
}

void target_fill(struct target *target)
{
    const uint32_t far = target_far_memory(target);
    target->device_count = 1;
    target->core_count = 1;
    target->port_count = 0;
    target->queue_count = 0;
    target->ports = memory_grow(target->ports, target->port_count, &target->port_capacity,
                                sizeof *target->ports);
    target->ports[target->port_count++] = (struct target_port){.name = "far"};
    target->queues = memory_grow(target->queues, target->queue_count, &target->queue_capacity,
                                 sizeof *target->queues);
    target->queues[target->queue_count++] = (struct target_queue){.name = "nss",
                                                                  .program = "nss_program",
                                                                  .code_block = 640,
                                                                  .code_slots = 2,
                                                                  .code_next = 4};
    target->lane_count = 0;
    target->memory_unit_count = 0;
    for (uint32_t i = 0; i < target->memory_count; i++) {
        target->memories[i].first_unit = target->memory_unit_count;
        target->memory_unit_count += target_units(target, target->memories[i].per);
    }
    for (uint32_t i = 0; i < target->engine_count; i++) {
        struct target_engine *engine = &target->engines[i];
        fill_engine(target, engine, far);
        engine->first_lane = target->lane_count;
        target->lane_count += engine->count * target_units(target, engine->per);
    }
}
