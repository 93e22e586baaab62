#include "validate.h"

#include <inttypes.h>

#include "tables.h"

// What is being looked at, for messages.
struct validated_item {
    const struct program *program;
    const char *table;
    uint32_t item;
};

static status validate_fail(const struct validated_item *place, const char *what)
{
    const char *path =
        place->program->source_file != NULL ? place->program->source_file->path : "program";
    return status_make(STATUS_DATA, "%s: damaged program: %s %" PRIu32 ": %s", path, place->table,
                       place->item, what);
}

static status check_index(const struct validated_item *place, uint32_t index, uint32_t count,
                          const char *what)
{
    return index < count ? STATUS_OK : validate_fail(place, what);
}

static status check_index_or_none(const struct validated_item *place, uint32_t index,
                                  uint32_t count, const char *what)
{
    return index == PROGRAM_NONE ? STATUS_OK : check_index(place, index, count, what);
}

static status check_range(const struct validated_item *place, uint32_t first, uint64_t length,
                          uint32_t count, const char *what)
{
    return first <= count && length <= count - first ? STATUS_OK : validate_fail(place, what);
}

static status check_text(const struct validated_item *place, uint32_t id, const char *what)
{
    return check_index(place, id, (uint32_t)place->program->texts.size, what);
}

static status check_rank(const struct validated_item *place, uint32_t rank)
{
    return rank <= SHAPE_RANK_MOST ? STATUS_OK : validate_fail(place, "too many dimensions");
}

static status check_element(const struct validated_item *place, uint32_t element)
{
    return element < ELEMENT_COUNT ? STATUS_OK : validate_fail(place, "no such element type");
}

// Bytes of a dense tensor lie within the constants' section.
static status check_data(const struct validated_item *place, uint64_t offset, uint64_t size)
{
    const uint64_t room = place->program->constants.size;
    return offset <= room && size <= room - offset ? STATUS_OK
                                                   : validate_fail(place, "its data lies outside");
}

static status check_text_ids(const struct validated_item *place, uint64_t offset, uint64_t count)
{
    STATUS_TRY(check_data(place, offset, count * sizeof(uint32_t)));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id;
        memcpy(&id, place->program->constants.data + offset + i * sizeof id, sizeof id);
        STATUS_TRY(check_text(place, id, "text"));
    }
    return STATUS_OK;
}

// The elements of a constant tensor: numbers, or ids of texts.
static status check_elements(const struct validated_item *place, uint32_t element, uint32_t rank,
                             const int64_t *dims, uint64_t offset, uint64_t *out_bytes)
{
    STATUS_TRY(check_element(place, element));
    STATUS_TRY(check_rank(place, rank));
    struct shape shape = {.rank = rank};
    memcpy(shape.dims, dims, sizeof shape.dims);
    uint64_t count = 0;
    if (!shape_known(&shape) || element == ELEMENT_NONE || offset % TENSOR_ALIGNMENT != 0)
        return validate_fail(place, "a tensor that cannot be");
    const status too_large = shape_elements(&shape, &count);
    if (too_large != STATUS_OK) {
        const status failure = validate_fail(place, status_message(too_large));
        status_free(too_large);
        return failure;
    }
    const bool texts = element == ELEMENT_TEXT;
    const uint64_t size = texts ? sizeof(uint32_t) : element_size((enum element)element);
    if (count > place->program->constants.size / size)
        return validate_fail(place, "its data lies outside");
    *out_bytes = count * size;
    if (texts)
        return check_text_ids(place, offset, count);
    STATUS_TRY(check_data(place, offset, count * size));
    const char *bytes = place->program->constants.data + offset;
    for (uint64_t i = 0; element == ELEMENT_BOOL && i < count; i++) {
        if (bytes[i] != 0 && bytes[i] != 1)
            return validate_fail(place, "a bool that is neither 0 nor 1");
    }
    return STATUS_OK;
}

static status check_operator(const struct validated_item *place, const struct program_operator *op)
{
    const struct program *program = place->program;
    STATUS_TRY(check_text(place, op->name, "name"));
    STATUS_TRY(check_text(place, op->type, "type"));
    STATUS_TRY(check_text(place, op->location, "location"));
    STATUS_TRY(check_text(place, op->document, "document"));
    STATUS_TRY(check_index_or_none(place, op->group, program->group_count, "group"));
    return check_range(place, op->first_input, (uint64_t)op->input_count + op->output_count,
                       program->operator_value_count, "values");
}

static status check_value(const struct validated_item *place, const struct program_value *value)
{
    STATUS_TRY(check_text(place, value->name, "name"));
    STATUS_TRY(check_element(place, value->element));
    if (value->kind > PROGRAM_VALUE_INNER)
        return validate_fail(place, "no such kind");
    if (value->rank == PROGRAM_NONE)
        return value->kind == PROGRAM_VALUE_CONSTANT
                   ? validate_fail(place, "a constant without a shape")
                   : STATUS_OK;
    STATUS_TRY(check_rank(place, value->rank));
    if (value->kind != PROGRAM_VALUE_CONSTANT)
        return STATUS_OK;
    uint64_t bytes = 0;
    STATUS_TRY(
        check_elements(place, value->element, value->rank, value->dims, value->data, &bytes));
    return bytes == value->bytes ? STATUS_OK : validate_fail(place, "a constant of another size");
}

static status check_group(const struct validated_item *place, const struct program_group *group)
{
    STATUS_TRY(check_text(place, group->name, "name"));
    STATUS_TRY(check_text(place, group->type, "type"));
    STATUS_TRY(check_text(place, group->reason, "reason"));
    return check_range(place, group->first_node, group->node_count, place->program->node_count,
                       "nodes");
}

static status check_node(const struct validated_item *place, const struct program_node *node)
{
    const struct program *program = place->program;
    STATUS_TRY(check_index_or_none(place, node->operator_id, program->operator_count, "operator"));
    STATUS_TRY(check_text(place, node->type, "type"));
    STATUS_TRY(check_text(place, node->domain, "domain"));
    STATUS_TRY(check_range(place, node->first_value,
                           (uint64_t)node->input_count + node->output_count,
                           program->node_value_count, "values"));
    return check_range(place, node->first_attribute, node->attribute_count,
                       program->attribute_count, "attributes");
}

static status check_attribute(const struct validated_item *place,
                              const struct program_attribute *attribute)
{
    STATUS_TRY(check_text(place, attribute->name, "name"));
    switch ((enum attribute_kind)attribute->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_REAL:
        return STATUS_OK;
    case ATTRIBUTE_TEXT:
        return attribute->data <= UINT32_MAX ? check_text(place, (uint32_t)attribute->data, "text")
                                             : validate_fail(place, "text");
    case ATTRIBUTE_GRAPH:
        return attribute->data < place->program->graph_count ? STATUS_OK
                                                             : validate_fail(place, "graph");
    case ATTRIBUTE_INTEGERS:
    case ATTRIBUTE_REALS:
        if (attribute->data % 8 != 0)
            return validate_fail(place, "its numbers are not aligned");
        return check_data(place, attribute->data, 8 * (uint64_t)attribute->count);
    case ATTRIBUTE_TEXTS:
        return check_text_ids(place, attribute->data, attribute->count);
    case ATTRIBUTE_TENSOR: {
        uint64_t bytes;
        return check_elements(place, attribute->element, attribute->rank, attribute->dims,
                              attribute->data, &bytes);
    }
    case ATTRIBUTE_TYPE:
        return check_element(place, attribute->element);
    default:
        return validate_fail(place, "no such kind");
    }
}

static status check_graph(const struct validated_item *place, const struct program_graph *graph)
{
    STATUS_TRY(check_range(place, graph->first_node, graph->node_count, place->program->node_count,
                           "nodes"));
    return check_range(place, graph->first_value,
                       (uint64_t)graph->input_count + graph->output_count,
                       place->program->node_value_count, "values");
}

static status check_buffer(const struct validated_item *place, const struct program_buffer *buffer)
{
    STATUS_TRY(check_text(place, buffer->name, "name"));
    STATUS_TRY(check_index_or_none(place, buffer->value, place->program->value_count, "value"));
    STATUS_TRY(check_index_or_none(place, buffer->alias, place->program->buffer_count, "alias"));
    STATUS_TRY(check_element(place, buffer->element));
    if (buffer->kind > PROGRAM_BUFFER_RING)
        return validate_fail(place, "no such kind");
    return check_rank(place, buffer->rank);
}

static status check_task(const struct validated_item *place, const struct program_task *task)
{
    const struct program *program = place->program;
    STATUS_TRY(check_index_or_none(place, task->group, program->group_count, "group"));
    STATUS_TRY(check_index_or_none(place, task->job, program->job_count, "job"));
    if (task->cost.kind >= COST_KINDS)
        return validate_fail(place, "no such cost");
    if (task->kind > PROGRAM_TASK_COMPUTE)
        return validate_fail(place, "no such kind");
    if (task->reserved != 0)
        return validate_fail(place, "a reserved field is not 0");
    if (task->kind == PROGRAM_TASK_TRANSFER && task->operand_count < 2)
        return validate_fail(place, "a transfer without both ends");
    STATUS_TRY(
        check_range(place, task->first_unit, task->unit_count, program->task_unit_count, "units"));
    STATUS_TRY(
        check_range(place, task->first_stage, task->stage_count, program->stage_count, "stages"));
    STATUS_TRY(check_range(place, task->first_operand, task->operand_count, program->operand_count,
                           "operands"));
    STATUS_TRY(
        check_range(place, task->first_call, task->call_count, program->call_count, "calls"));
    return check_range(place, task->first_dependency, task->dependency_count,
                       program->dependency_count, "dependencies");
}

static status check_operand(const struct validated_item *place,
                            const struct program_operand *operand)
{
    STATUS_TRY(check_index(place, operand->buffer, place->program->buffer_count, "buffer"));
    STATUS_TRY(check_rank(place, operand->rank));
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->from[i] < 0 || operand->size[i] < 0 ||
            operand->from[i] > INT64_MAX - operand->size[i])
            return validate_fail(place, "a box that cannot be");
    }
    return STATUS_OK;
}

static status check_call(const struct validated_item *place, const struct program_call *call)
{
    const struct program *program = place->program;
    STATUS_TRY(check_index(place, call->node, program->node_count, "node"));
    const struct program_node *node = &program->nodes[call->node];
    STATUS_TRY(check_range(place, call->first_buffer,
                           (uint64_t)node->input_count + node->output_count,
                           program->call_buffer_count, "buffers"));
    return check_range(place, call->first_attribute, call->attribute_count,
                       program->attribute_count, "attributes");
}

static status check_dependency(const struct validated_item *place,
                               const struct program_dependency *dependency)
{
    return check_index(place, dependency->task, place->program->task_count, "task");
}

static status check_stage(const struct validated_item *place, const struct program_stage *stage)
{
    if (stage->cost.kind >= COST_KINDS)
        return validate_fail(place, "no such cost");
    return check_index_or_none(place, stage->ring, place->program->buffer_count, "ring");
}

static status check_stream(const struct validated_item *place, const struct program_stream *stream)
{
    if (stream->reserved != 0)
        return validate_fail(place, "a reserved field is not 0");
    return check_text(place, stream->name, "name");
}

static status check_semaphore(const struct validated_item *place,
                              const struct program_semaphore *semaphore)
{
    STATUS_TRY(check_text(place, semaphore->name, "name"));
    return check_index(place, semaphore->stream, place->program->stream_count, "stream");
}

// What a step does not use is none, or 0.
static status check_step(const struct validated_item *place, const struct program_step *step)
{
    const bool awaits = step->kind == PROGRAM_STEP_AWAIT;
    if (step->kind > PROGRAM_STEP_AWAIT)
        return validate_fail(place, "no such kind");
    if (step->reserved != 0)
        return validate_fail(place, "a reserved field is not 0");
    if ((step->count > 0) != awaits)
        return validate_fail(place, awaits ? "it awaits nothing" : "a count without an await");
    STATUS_TRY(check_index(place, step->stream, place->program->stream_count, "stream"));
    if (!program_step_has_task(step)) {
        if (step->task != PROGRAM_NONE)
            return validate_fail(place, "a semaphore's step with a task");
        return check_index(place, step->semaphore, place->program->semaphore_count, "semaphore");
    }
    if (step->semaphore != PROGRAM_NONE)
        return validate_fail(place, "a task's step with a semaphore");
    return check_index(place, step->task, place->program->task_count, "task");
}

static status check_job(const struct validated_item *place, const struct program_job *job)
{
    STATUS_TRY(check_text(place, job->name, "name"));
    STATUS_TRY(check_index(place, job->dispatch, place->program->dispatch_count, "dispatch"));
    return check_range(place, job->first_step, job->step_count, place->program->step_count,
                       "steps");
}

static status check_action(const struct validated_item *place, const struct program_action *action)
{
    const struct program *program = place->program;
    STATUS_TRY(check_text(place, action->location, "location"));
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
    case PROGRAM_ACTION_HOST_COPY:
        return check_index(place, action->subject, program->buffer_count, "buffer");
    case PROGRAM_ACTION_JOB_START:
    case PROGRAM_ACTION_JOB_WAIT:
        return check_index(place, action->subject, program->job_count, "job");
    case PROGRAM_ACTION_HOST_START:
    case PROGRAM_ACTION_HOST_WAIT:
        return check_index(place, action->subject, program->task_count, "task");
    default:
        return validate_fail(place, "no such kind");
    }
}

static status check_dispatch(const struct validated_item *place,
                             const struct program_dispatch *dispatch)
{
    STATUS_TRY(check_text(place, dispatch->name, "name"));
    return check_range(place, dispatch->first_action, dispatch->action_count,
                       place->program->action_count, "actions");
}

static status check_ids(const struct program *program, const char *table, const uint32_t *ids,
                        uint32_t count, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct validated_item place = {program, table, i};
        STATUS_TRY(check_index_or_none(&place, ids[i], limit, "no such item"));
    }
    return STATUS_OK;
}

// Pieces of another table belong to one item each. Otherwise a small file could
// stand for endless work, and arrays with room for a whole table would overflow.
#define CHECK_OWNED(table, singular, counted, pieces)                                              \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (uint32_t i = 0; i < program->singular##_count; i++)                                   \
            sum += program->table[i].counted;                                                      \
        if (sum > program->pieces##_count)                                                         \
            return validate_fail(&whole, "some " #pieces "s belong to more than one " #singular);  \
    }

static status check_owned(const struct program *program)
{
    const struct validated_item whole = {program, "program", 0};
    CHECK_OWNED(groups, group, node_count, node)
    CHECK_OWNED(tasks, task, unit_count, task_unit)
    CHECK_OWNED(tasks, task, stage_count, stage)
    CHECK_OWNED(tasks, task, operand_count, operand)
    CHECK_OWNED(tasks, task, call_count, call)
    CHECK_OWNED(tasks, task, dependency_count, dependency)
    CHECK_OWNED(jobs, job, step_count, step)
    CHECK_OWNED(dispatches, dispatch, action_count, action)
    uint64_t steps = 0;
    for (uint32_t i = 0; i < program->action_count; i++) {
        if (program->actions[i].kind == PROGRAM_ACTION_JOB_START)
            steps += program->jobs[program->actions[i].subject].step_count;
    }
    return steps > program->step_count
               ? validate_fail(&whole, "some jobs are started more than once")
               : STATUS_OK;
}

static status check_ports(const struct program *program, const char *table, const uint32_t *ids,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct validated_item place = {program, table, i};
        STATUS_TRY(check_index(&place, ids[i], program->value_count, "no such value"));
    }
    return STATUS_OK;
}

#define CHECK_TABLE(table, singular)                                                               \
    for (uint32_t i = 0; i < program->singular##_count; i++) {                                     \
        const struct validated_item place = {program, #singular, i};                               \
        STATUS_TRY(check_##singular(&place, &program->table[i]));                                  \
    }

status program_validate(const struct program *program)
{
    const struct validated_item whole = {program, "program", 0};
    if (program->texts.size == 0 || program->texts.size > UINT32_MAX ||
        program->texts.data[program->texts.size - 1] != '\0')
        return validate_fail(&whole, "the texts do not end");
    CHECK_TABLE(operators, operator)
    CHECK_TABLE(values, value)
    CHECK_TABLE(groups, group)
    CHECK_TABLE(nodes, node)
    CHECK_TABLE(attributes, attribute)
    CHECK_TABLE(graphs, graph)
    CHECK_TABLE(buffers, buffer)
    CHECK_TABLE(tasks, task)
    CHECK_TABLE(operands, operand)
    CHECK_TABLE(calls, call)
    CHECK_TABLE(dependencies, dependency)
    CHECK_TABLE(stages, stage)
    CHECK_TABLE(streams, stream)
    CHECK_TABLE(semaphores, semaphore)
    CHECK_TABLE(steps, step)
    CHECK_TABLE(jobs, job)
    CHECK_TABLE(actions, action)
    CHECK_TABLE(dispatches, dispatch)
    STATUS_TRY(check_owned(program));
    STATUS_TRY(check_ports(program, "input", program->inputs, program->input_count));
    STATUS_TRY(check_ports(program, "output", program->outputs, program->output_count));
    STATUS_TRY(check_ids(program, "operator value", program->operator_values,
                         program->operator_value_count, program->value_count));
    STATUS_TRY(check_ids(program, "node value", program->node_values, program->node_value_count,
                         program->value_count));
    return check_ids(program, "call buffer", program->call_buffers, program->call_buffer_count,
                     program->buffer_count);
}
