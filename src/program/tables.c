#include "tables.h"

#define TABLE(plural, singular)                                                                    \
    {                                                                                              \
#plural, sizeof(*((struct program *)0)->plural), offsetof(struct program, plural),         \
            offsetof(struct program, singular##_count)                                             \
    }

const struct program_table PROGRAM_TABLES[PROGRAM_TABLE_COUNT] = {
    TABLE(inputs, input),
    TABLE(outputs, output),
    TABLE(operators, operator),
    TABLE(values, value),
    TABLE(operator_values, operator_value),
    TABLE(groups, group),
    TABLE(nodes, node),
    TABLE(node_values, node_value),
    TABLE(attributes, attribute),
    TABLE(graphs, graph),
    TABLE(buffers, buffer),
    TABLE(tasks, task),
    TABLE(operands, operand),
    TABLE(calls, call),
    TABLE(call_buffers, call_buffer),
    TABLE(dependencies, dependency),
    TABLE(task_units, task_unit),
    TABLE(stages, stage),
    TABLE(streams, stream),
    TABLE(semaphores, semaphore),
    TABLE(steps, step),
    TABLE(jobs, job),
    TABLE(actions, action),
    TABLE(dispatches, dispatch),
};
