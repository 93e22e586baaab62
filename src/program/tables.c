#include "tables.h"

#define PLACE(type, name) #name, offsetof(struct type, name)

#define NUMBER(type, name)                                                                         \
    {                                                                                              \
        PLACE(type, name), sizeof(((struct type *)0)->name), 1, FIELD_NUMBER, 0, 0                 \
    }
#define NUMBERS(type, name)                                                                        \
    {                                                                                              \
        PLACE(type, name), sizeof(*((struct type *)0)->name),                                      \
            sizeof(((struct type *)0)->name) / sizeof(*((struct type *)0)->name), FIELD_NUMBER, 0, \
            0                                                                                      \
    }
#define WITH_MEANING(type, name, meaning, of, lengths)                                             \
    {                                                                                              \
        PLACE(type, name), sizeof(((struct type *)0)->name), 1, meaning, of, lengths               \
    }
#define ZERO(type, name) WITH_MEANING(type, name, FIELD_ZERO, 0, 0)
#define TEXT(type, name) WITH_MEANING(type, name, FIELD_TEXT, 0, 0)
#define ITEM(type, name, of) WITH_MEANING(type, name, FIELD_ITEM, of, 0)
#define ITEM_OR_NONE(type, name, of) WITH_MEANING(type, name, FIELD_ITEM_OR_NONE, of, 0)
#define FIRST(type, name, of, lengths) WITH_MEANING(type, name, FIELD_FIRST, of, lengths)
#define OWNED(type, name, of) WITH_MEANING(type, name, FIELD_OWNED, of, 1)
#define BELOW(type, name, of) WITH_MEANING(type, name, FIELD_BELOW, of, 0)
#define RANK(type) BELOW(type, rank, SHAPE_RANK_MOST + 1)
#define ELEMENT(type) BELOW(type, element, ELEMENT_ALL)

#define COST(type)                                                                                 \
    BELOW(type, cost.kind, COST_KINDS), NUMBER(type, cost.input_bits),                             \
        NUMBER(type, cost.weight_bits), NUMBER(type, cost.output_bits),                            \
        NUMBER(type, cost.is_float), NUMBER(type, cost.function), NUMBER(type, cost.outputs),      \
        NUMBER(type, cost.channels), NUMBER(type, cost.inner), NUMBER(type, cost.groups),          \
        NUMBER(type, cost.bytes), NUMBER(type, cost.macs), NUMBER(type, cost.cycles),              \
        NUMBER(type, cost.variant), NUMBER(type, cost.kernel), NUMBER(type, cost.run)

static const struct program_field VALUE_ID[] = {
    {"id", 0, sizeof(uint32_t), 1, FIELD_ITEM, PROGRAM_VALUES, 0}};
static const struct program_field VALUE_ID_OR_NONE[] = {
    {"id", 0, sizeof(uint32_t), 1, FIELD_ITEM_OR_NONE, PROGRAM_VALUES, 0}};
static const struct program_field BUFFER_ID_OR_NONE[] = {
    {"id", 0, sizeof(uint32_t), 1, FIELD_ITEM_OR_NONE, PROGRAM_BUFFERS, 0}};
static const struct program_field UNIT[] = {{"unit", 0, sizeof(uint32_t), 1, FIELD_NUMBER, 0, 0}};

static const struct program_field OPERATOR[] = {
    TEXT(program_operator, name),
    TEXT(program_operator, type),
    TEXT(program_operator, location),
    TEXT(program_operator, document),
    ITEM_OR_NONE(program_operator, group, PROGRAM_GROUPS),
    FIRST(program_operator, first_input, PROGRAM_OPERATOR_VALUES, 2),
    NUMBER(program_operator, input_count),
    NUMBER(program_operator, output_count),
    NUMBER(program_operator, work.macs),
    NUMBER(program_operator, work.flops),
    NUMBER(program_operator, work.elements),
    NUMBER(program_operator, work.bytes_read),
    NUMBER(program_operator, work.bytes_written),
    NUMBER(program_operator, work.weight_bytes),
    NUMBER(program_operator, work.known),
};

static const struct program_field VALUE[] = {
    TEXT(program_value, name),
    ELEMENT(program_value),
    BELOW(program_value, kind, PROGRAM_VALUE_INNER + 1),
    WITH_MEANING(program_value, rank, FIELD_BELOW_OR_NONE, SHAPE_RANK_MOST + 1, 0),
    BELOW(program_value, layout, PROGRAM_LAYOUTS),
    NUMBERS(program_value, dims),
    NUMBER(program_value, data),
    NUMBER(program_value, bytes),
};

static const struct program_field GROUP[] = {
    TEXT(program_group, name),
    TEXT(program_group, type),
    TEXT(program_group, reason),
    NUMBER(program_group, engine),
    OWNED(program_group, first_node, PROGRAM_NODES),
    NUMBER(program_group, node_count),
};

static const struct program_field NODE[] = {
    ITEM_OR_NONE(program_node, operator_id, PROGRAM_OPERATORS),
    TEXT(program_node, type),
    TEXT(program_node, domain),
    NUMBER(program_node, version),
    FIRST(program_node, first_value, PROGRAM_NODE_VALUES, 2),
    NUMBER(program_node, input_count),
    NUMBER(program_node, output_count),
    FIRST(program_node, first_attribute, PROGRAM_ATTRIBUTES, 1),
    NUMBER(program_node, attribute_count),
};

static const struct program_field ATTRIBUTE[] = {
    TEXT(program_attribute, name),      BELOW(program_attribute, kind, ATTRIBUTE_TENSORS),
    NUMBER(program_attribute, data),    NUMBER(program_attribute, count),
    NUMBER(program_attribute, element), NUMBER(program_attribute, rank),
    ZERO(program_attribute, reserved),  NUMBERS(program_attribute, dims),
};

static const struct program_field GRAPH[] = {
    FIRST(program_graph, first_node, PROGRAM_NODES, 1),
    NUMBER(program_graph, node_count),
    FIRST(program_graph, first_value, PROGRAM_NODE_VALUES, 2),
    NUMBER(program_graph, input_count),
    NUMBER(program_graph, output_count),
    ZERO(program_graph, reserved),
};

static const struct program_field BUFFER[] = {
    TEXT(program_buffer, name),
    ITEM_OR_NONE(program_buffer, value, PROGRAM_VALUES),
    NUMBER(program_buffer, memory),
    NUMBER(program_buffer, unit),
    BELOW(program_buffer, kind, PROGRAM_BUFFER_RING + 1),
    ELEMENT(program_buffer),
    RANK(program_buffer),
    NUMBER(program_buffer, address),
    NUMBER(program_buffer, size),
    ITEM_OR_NONE(program_buffer, alias, PROGRAM_BUFFERS),
    NUMBER(program_buffer, from),
    NUMBER(program_buffer, to),
    ZERO(program_buffer, reserved),
    NUMBERS(program_buffer, dims),
    NUMBERS(program_buffer, origin),
};

static const struct program_field TASK[] = {
    ITEM_OR_NONE(program_task, group, PROGRAM_GROUPS),
    NUMBER(program_task, tile),
    NUMBER(program_task, engine),
    NUMBER(program_task, unit),
    NUMBER(program_task, lane),
    BELOW(program_task, kind, PROGRAM_TASK_COMPUTE + 1),
    ITEM_OR_NONE(program_task, job, PROGRAM_JOBS),
    OWNED(program_task, first_unit, PROGRAM_TASK_UNITS),
    NUMBER(program_task, unit_count),
    OWNED(program_task, first_stage, PROGRAM_STAGES),
    NUMBER(program_task, stage_count),
    OWNED(program_task, first_operand, PROGRAM_OPERANDS),
    NUMBER(program_task, operand_count),
    OWNED(program_task, first_call, PROGRAM_CALLS),
    NUMBER(program_task, call_count),
    OWNED(program_task, first_dependency, PROGRAM_DEPENDENCIES),
    NUMBER(program_task, dependency_count),
    ZERO(program_task, reserved),
    COST(program_task),
};

static const struct program_field OPERAND[] = {
    ITEM(program_operand, buffer, PROGRAM_BUFFERS),
    NUMBER(program_operand, writes),
    RANK(program_operand),
    ZERO(program_operand, reserved),
    NUMBERS(program_operand, from),
    NUMBERS(program_operand, size),
};

static const struct program_field CALL[] = {
    ITEM(program_call, node, PROGRAM_NODES),
    // As many as its node has values.
    FIRST(program_call, first_buffer, PROGRAM_CALL_BUFFERS, 0),
    FIRST(program_call, first_attribute, PROGRAM_ATTRIBUTES, 1),
    NUMBER(program_call, attribute_count),
};

static const struct program_field DEPENDENCY[] = {
    ITEM(program_dependency, task, PROGRAM_TASKS),
    NUMBER(program_dependency, is_true),
};

static const struct program_field STAGE[] = {
    NUMBER(program_stage, engine), ITEM_OR_NONE(program_stage, ring, PROGRAM_BUFFERS),
    NUMBER(program_stage, depth),  NUMBER(program_stage, pieces),
    COST(program_stage),
};

static const struct program_field STREAM[] = {
    TEXT(program_stream, name),
    NUMBER(program_stream, queue),
    NUMBER(program_stream, unit),
    ZERO(program_stream, reserved),
};

static const struct program_field SEMAPHORE[] = {
    TEXT(program_semaphore, name),
    ITEM(program_semaphore, stream, PROGRAM_STREAMS),
};

static const struct program_field STEP[] = {
    BELOW(program_step, kind, PROGRAM_STEP_AWAIT + 1),
    ITEM(program_step, stream, PROGRAM_STREAMS),
    ITEM_OR_NONE(program_step, task, PROGRAM_TASKS),
    NUMBER(program_step, number),
    NUMBER(program_step, block),
    ITEM_OR_NONE(program_step, semaphore, PROGRAM_SEMAPHORES),
    NUMBER(program_step, count),
    ZERO(program_step, reserved),
};

static const struct program_field JOB[] = {
    TEXT(program_job, name),         ITEM(program_job, dispatch, PROGRAM_DISPATCHES),
    NUMBER(program_job, number),     OWNED(program_job, first_step, PROGRAM_STEPS),
    NUMBER(program_job, step_count), ZERO(program_job, reserved),
};

static const struct program_field ACTION[] = {
    BELOW(program_action, kind, PROGRAM_ACTION_HOST_WAIT + 1),
    NUMBER(program_action, number),
    NUMBER(program_action, subject),
    TEXT(program_action, location),
    NUMBER(program_action, bytes),
};

static const struct program_field DISPATCH[] = {
    TEXT(program_dispatch, name),
    OWNED(program_dispatch, first_action, PROGRAM_ACTIONS),
    NUMBER(program_dispatch, action_count),
    ZERO(program_dispatch, reserved),
};

#define TABLE(plural, singular, fields)                                                            \
    {                                                                                              \
#plural, #singular, sizeof(*((struct program *)0)->plural),                                \
            offsetof(struct program, plural), offsetof(struct program, singular##_count), fields,  \
            sizeof(fields) / sizeof(*(fields))                                                     \
    }

const struct program_table PROGRAM_TABLES[PROGRAM_TABLE_COUNT] = {
    [PROGRAM_INPUTS] = TABLE(inputs, input, VALUE_ID),
    [PROGRAM_OUTPUTS] = TABLE(outputs, output, VALUE_ID),
    [PROGRAM_OPERATORS] = TABLE(operators, operator, OPERATOR),
    [PROGRAM_VALUES] = TABLE(values, value, VALUE),
    [PROGRAM_OPERATOR_VALUES] = TABLE(operator_values, operator_value, VALUE_ID_OR_NONE),
    [PROGRAM_GROUPS] = TABLE(groups, group, GROUP),
    [PROGRAM_NODES] = TABLE(nodes, node, NODE),
    [PROGRAM_NODE_VALUES] = TABLE(node_values, node_value, VALUE_ID_OR_NONE),
    [PROGRAM_ATTRIBUTES] = TABLE(attributes, attribute, ATTRIBUTE),
    [PROGRAM_GRAPHS] = TABLE(graphs, graph, GRAPH),
    [PROGRAM_BUFFERS] = TABLE(buffers, buffer, BUFFER),
    [PROGRAM_TASKS] = TABLE(tasks, task, TASK),
    [PROGRAM_OPERANDS] = TABLE(operands, operand, OPERAND),
    [PROGRAM_CALLS] = TABLE(calls, call, CALL),
    [PROGRAM_CALL_BUFFERS] = TABLE(call_buffers, call_buffer, BUFFER_ID_OR_NONE),
    [PROGRAM_DEPENDENCIES] = TABLE(dependencies, dependency, DEPENDENCY),
    [PROGRAM_TASK_UNITS] = TABLE(task_units, task_unit, UNIT),
    [PROGRAM_STAGES] = TABLE(stages, stage, STAGE),
    [PROGRAM_STREAMS] = TABLE(streams, stream, STREAM),
    [PROGRAM_SEMAPHORES] = TABLE(semaphores, semaphore, SEMAPHORE),
    [PROGRAM_STEPS] = TABLE(steps, step, STEP),
    [PROGRAM_JOBS] = TABLE(jobs, job, JOB),
    [PROGRAM_ACTIONS] = TABLE(actions, action, ACTION),
    [PROGRAM_DISPATCHES] = TABLE(dispatches, dispatch, DISPATCH),
};
