// Tasks, groups and buffers of the program that a dump describes.

#include "dump_reading.h"

uint32_t dump_group(struct dump_reading *reading, struct view type, uint32_t location,
                    uint32_t engine)
{
    const uint32_t type_id = dump_text(reading, type);
    const uint32_t hash = hash_u64((uint64_t)type_id << 32 | location);
    uint32_t id;
    for (uint32_t at = hash_first(&reading->groups, hash);
         (id = hash_next(&reading->groups, hash, &at)) != HASH_NONE;) {
        const struct program_group *group = DUMP_GET(reading, groups, id);
        const struct program_operator *op = DUMP_GET(reading, operators, id);
        if (group->type == type_id && op->location == location)
            return id;
    }
    // One group, one operator and one node, all of the same id.
    struct program_group *group = DUMP_ADD(reading, groups, &id);
    *group = (struct program_group){
        .name = type_id, .type = type_id, .engine = engine, .first_node = id, .node_count = 1};
    struct program_operator *op = DUMP_ADD(reading, operators, NULL);
    *op = (struct program_operator){.type = type_id, .location = location, .group = id};
    struct program_node *node = DUMP_ADD(reading, nodes, NULL);
    *node = (struct program_node){.operator_id = id, .type = type_id};
    hash_add(&reading->groups, hash, id);
    return id;
}

status dump_task(struct dump_reading *reading, const struct mlir_operation *operation,
                 enum torq_kind kind, struct cost_request cost, uint32_t *out_task)
{
    const uint32_t engine = torq_kind_engine(reading->target, kind);
    if (engine == TARGET_NONE)
        return dump_failure(reading, operation, "needs an engine that the target does not have");
    const uint32_t location = dump_location(reading, operation);
    uint32_t group = PROGRAM_NONE;
    if (location != 0 && kind != TORQ_KIND_SLICE)
        group = dump_group(reading, VIEW_LITERAL("transfer"), location, engine);
    struct program_task *task = DUMP_ADD(reading, tasks, out_task);
    *task = (struct program_task){.group = group,
                                  .engine = engine,
                                  .kind = PROGRAM_TASK_TRANSFER,
                                  .job = PROGRAM_NONE,
                                  .first_operand = DUMP_COUNT(reading, operands),
                                  .first_call = DUMP_COUNT(reading, calls),
                                  .first_dependency = DUMP_COUNT(reading, dependencies),
                                  .cost = cost};
    return STATUS_OK;
}

// Whether it lies in the slots of the controller's code.
static bool is_code(const struct target *target, uint32_t memory, uint64_t address, uint64_t bytes)
{
    const struct target_queue *queue = target->queue_count > 0 ? &target->queues[0] : NULL;
    if (queue == NULL || queue->code_fetch == TARGET_NONE ||
        target->engines[queue->code_fetch].to != memory)
        return false;
    const uint64_t end = target->memories[memory].reserved + queue->code_slots * queue->code_block;
    return address < end && bytes <= end - address;
}

static enum program_buffer_kind dump_tables_kind_of(const struct dump_value *value, bool local,
                                                    bool writes)
{
    if (value->is_constant)
        return PROGRAM_BUFFER_CONSTANT;
    if (value->is_port)
        return writes ? PROGRAM_BUFFER_OUTPUT : PROGRAM_BUFFER_INPUT;
    return local ? PROGRAM_BUFFER_TILE : PROGRAM_BUFFER_INNER;
}

uint32_t dump_buffer(struct dump_reading *reading, const struct dump_value *value, uint32_t memory,
                     uint64_t bytes, bool writes)
{
    const uint64_t key[3] = {memory, value->address, bytes};
    const uint32_t hash = hash_bytes(key, sizeof key);
    uint32_t id;
    for (uint32_t at = hash_first(&reading->buffers, hash);
         (id = hash_next(&reading->buffers, hash, &at)) != HASH_NONE;) {
        const struct program_buffer *buffer = DUMP_GET(reading, buffers, id);
        if (buffer->memory == memory && buffer->address == value->address && buffer->size == bytes)
            return id;
    }
    const uint32_t name = dump_text(reading, value->label);
    struct program_buffer *buffer = DUMP_ADD(reading, buffers, &id);
    *buffer = (struct program_buffer){
        .name = name,
        .value = PROGRAM_NONE,
        .memory = memory,
        .kind = (uint16_t)(is_code(reading->target, memory, value->address, bytes)
                               ? PROGRAM_BUFFER_CODE
                               : dump_tables_kind_of(value, reading->target->memories[memory].local,
                                                     writes)),
        .element = ELEMENT_I8,
        .rank = 1,
        .address = value->address,
        .size = bytes,
        .alias = PROGRAM_NONE,
        .from = reading->moment,
        .dims = {(int64_t)bytes}};
    hash_add(&reading->buffers, hash, id);
    return id;
}

status dump_touch(struct dump_reading *reading, const struct mlir_operation *operation,
                  uint32_t task, const struct dump_value *value, uint64_t bytes, bool writes)
{
    const uint32_t memory = dump_memory_of(reading->target, value->type);
    if (memory == TARGET_NONE)
        return dump_failure(reading, operation, "uses a memory that the target does not have");
    const uint32_t id = dump_buffer(reading, value, memory, bytes, writes);
    struct program_buffer *buffer = DUMP_GET(reading, buffers, id);
    buffer->to = reading->moment;
    if (task == PROGRAM_NONE)
        return STATUS_OK;
    struct program_operand *operand = DUMP_ADD(reading, operands, NULL);
    *operand = (struct program_operand){
        .buffer = id, .writes = writes, .rank = 1, .size = {(int64_t)bytes}};
    struct program_task *item = DUMP_GET(reading, tasks, task);
    item->operand_count++;
    return STATUS_OK;
}
