#include "version1.h"

struct group1 {
    uint32_t name, type, reason;
    uint8_t engine;
    uint8_t reserved[3];
    uint32_t first_node, node_count;
};

struct buffer1 {
    uint32_t name, value;
    uint8_t memory, kind;
    uint16_t element;
    uint32_t rank;
    uint64_t address, size;
    uint32_t alias, from, to, reserved;
    int64_t dims[SHAPE_RANK_MOST];
    int64_t origin[SHAPE_RANK_MOST];
};

struct task1 {
    uint32_t group, tile;
    uint8_t engine, lane;
    uint16_t kind;
    uint32_t job, first_operand, operand_count, first_call, call_count, first_dependency,
        dependency_count;
    struct cost_request cost;
};

struct step1 {
    uint32_t task, kind, number, block;
};

#define SAME(plural)                                                                               \
    {                                                                                              \
#plural, sizeof(*((struct program *)0)->plural)                                            \
    }

const struct version1_table VERSION1_TABLES[VERSION1_TABLE_COUNT] = {
    SAME(inputs),
    SAME(outputs),
    SAME(operators),
    SAME(values),
    SAME(operator_values),
    {"groups", sizeof(struct group1)},
    SAME(nodes),
    SAME(node_values),
    SAME(attributes),
    SAME(graphs),
    {"buffers", sizeof(struct buffer1)},
    {"tasks", sizeof(struct task1)},
    SAME(operands),
    SAME(calls),
    SAME(call_buffers),
    SAME(dependencies),
    {"steps", sizeof(struct step1)},
    SAME(jobs),
    SAME(actions),
    SAME(dispatches),
};

static void convert_group(const void *item, void *out_item)
{
    const struct group1 *from = item;
    *(struct program_group *)out_item = (struct program_group){
        .name = from->name,
        .type = from->type,
        .reason = from->reason,
        .engine = from->engine,
        .first_node = from->first_node,
        .node_count = from->node_count,
    };
}

static void convert_buffer(const void *item, void *out_item)
{
    const struct buffer1 *from = item;
    struct program_buffer *to = out_item;
    *to = (struct program_buffer){
        .name = from->name,
        .value = from->value,
        .memory = from->memory,
        .kind = from->kind,
        .element = from->element,
        .rank = from->rank,
        .address = from->address,
        .size = from->size,
        .alias = from->alias,
        .from = from->from,
        .to = from->to,
        .reserved = from->reserved,
    };
    memcpy(to->dims, from->dims, sizeof to->dims);
    memcpy(to->origin, from->origin, sizeof to->origin);
}

static void convert_task(const void *item, void *out_item)
{
    const struct task1 *from = item;
    *(struct program_task *)out_item = (struct program_task){
        .group = from->group,
        .tile = from->tile,
        .engine = from->engine,
        .lane = from->lane,
        .kind = from->kind,
        .job = from->job,
        .first_operand = from->first_operand,
        .operand_count = from->operand_count,
        .first_call = from->first_call,
        .call_count = from->call_count,
        .first_dependency = from->first_dependency,
        .dependency_count = from->dependency_count,
        .cost = from->cost,
    };
}

static void convert_step(const void *item, void *out_item)
{
    const struct step1 *from = item;
    *(struct program_step *)out_item = (struct program_step){
        .kind = from->kind,
        .task = from->task,
        .number = from->number,
        .block = from->block,
        .semaphore = PROGRAM_NONE,
    };
}

static const struct {
    const char *table;
    void (*convert)(const void *item, void *out_item);
} CHANGED[] = {
    {"groups", convert_group},
    {"buffers", convert_buffer},
    {"tasks", convert_task},
    {"steps", convert_step},
};

static void (*converter_of(const char *table))(const void *item, void *out_item)
{
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++) {
        if (strcmp(CHANGED[i].table, table) == 0)
            return CHANGED[i].convert;
    }
    return NULL;
}

static const struct program_table *table_named(const char *name)
{
    size_t i = 0;
    while (strcmp(PROGRAM_TABLES[i].name, name) != 0)
        i++;
    return &PROGRAM_TABLES[i];
}

static void convert_table(size_t index, struct view bytes, struct program *program)
{
    const struct version1_table *from = &VERSION1_TABLES[index];
    const struct program_table *to = table_named(from->name);
    void (*const convert)(const void *, void *) = converter_of(from->name);
    const uint32_t count = (uint32_t)(bytes.size / from->item_size);
    if (convert == NULL) {
        program_table_set(program, to, bytes.data, count);
        return;
    }
    char *items = arena_allocate(&program->kept, (size_t)count * to->item_size);
    for (size_t i = 0; i < count; i++)
        convert(bytes.data + i * from->item_size, items + i * to->item_size);
    program_table_set(program, to, items, count);
}

void version1_convert(const struct view tables[VERSION1_TABLE_COUNT], struct program *program)
{
    for (size_t i = 0; i < VERSION1_TABLE_COUNT; i++)
        convert_table(i, tables[i], program);
    if (program->step_count == 0)
        return;
    static const struct program_stream controller;
    program->streams = &controller;
    program->stream_count = 1;
}
