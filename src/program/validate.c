#include "validate.h"

#include <inttypes.h>
#include <stdio.h>

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

static uint32_t count_of(const struct program *program, uint32_t table)
{
    return program_table_size(program, &PROGRAM_TABLES[table]);
}

static status check_text(const struct validated_item *place, uint64_t id, const char *what)
{
    return id < place->program->texts.size ? STATUS_OK : validate_fail(place, what);
}

static status check_range(const struct validated_item *place, uint64_t first, uint64_t length,
                          uint32_t count, const char *what)
{
    return first <= count && length <= count - first ? STATUS_OK : validate_fail(place, what);
}

// What the `lengths` fields after it add up to.
static uint64_t range_length(const void *item, const struct program_field *first)
{
    uint64_t length = 0;
    for (uint32_t i = 1; i <= first->lengths; i++)
        length += program_field_get(item, &first[i], 0);
    return length;
}

static status check_field(const struct validated_item *place, const void *item,
                          const struct program_field *field)
{
    const uint64_t number = program_field_get(item, field, 0);
    const bool none = number == PROGRAM_NONE;
    bool good = true;
    switch (field->meaning) {
    case FIELD_NUMBER:
        break;
    case FIELD_ZERO:
        good = number == 0;
        break;
    case FIELD_TEXT:
        return check_text(place, number, field->name);
    case FIELD_ITEM:
        good = number < count_of(place->program, field->of);
        break;
    case FIELD_ITEM_OR_NONE:
        good = none || number < count_of(place->program, field->of);
        break;
    case FIELD_FIRST:
    case FIELD_OWNED:
        return check_range(place, number, range_length(item, field),
                           count_of(place->program, field->of), field->name);
    case FIELD_BELOW:
        good = number < field->of;
        break;
    case FIELD_BELOW_OR_NONE:
        good = none || number < field->of;
        break;
    }
    char text[64];
    snprintf(text, sizeof text, "%s%s", field->meaning >= FIELD_BELOW ? "no such " : "",
             field->name);
    return good ? STATUS_OK : validate_fail(place, text);
}

// Pieces of another table belong to one item each. Otherwise a small file could
// stand for endless work, and arrays with room for a whole table would overflow.
static status check_owned(const struct validated_item *whole, const struct program_table *table,
                          const struct program_field *field)
{
    const char *items = program_table_items(whole->program, table);
    const uint32_t count = program_table_size(whole->program, table);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += range_length(items + (size_t)i * table->item_size, field);
    if (sum <= count_of(whole->program, field->of))
        return STATUS_OK;
    char text[128];
    snprintf(text, sizeof text, "some %s belong to more than one %s",
             PROGRAM_TABLES[field->of].name, table->item);
    return validate_fail(whole, text);
}

static status check_table(const struct program *program, const struct program_table *table)
{
    const char *items = program_table_items(program, table);
    const uint32_t count = program_table_size(program, table);
    const struct validated_item whole = {program, "program", 0};
    for (uint32_t j = 0; j < table->field_count; j++) {
        const struct program_field *field = &table->fields[j];
        for (uint32_t i = 0; i < count && field->meaning != FIELD_NUMBER; i++) {
            const struct validated_item place = {program, table->item, i};
            STATUS_TRY(check_field(&place, items + (size_t)i * table->item_size, field));
        }
        if (field->meaning == FIELD_OWNED)
            STATUS_TRY(check_owned(&whole, table, field));
    }
    return STATUS_OK;
}

// What the description of the fields does not say -----------------------------------------------

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
    if (element >= ELEMENT_ALL || rank > SHAPE_RANK_MOST)
        return validate_fail(place, "a tensor that cannot be");
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

static status check_value(const struct validated_item *place, const struct program_value *value)
{
    if (value->kind != PROGRAM_VALUE_CONSTANT)
        return STATUS_OK;
    if (value->rank == PROGRAM_NONE)
        return validate_fail(place, "a constant without a shape");
    uint64_t bytes = 0;
    STATUS_TRY(
        check_elements(place, value->element, value->rank, value->dims, value->data, &bytes));
    return bytes == value->bytes ? STATUS_OK : validate_fail(place, "a constant of another size");
}

static status check_attribute(const struct validated_item *place,
                              const struct program_attribute *attribute)
{
    switch ((enum attribute_kind)attribute->kind) {
    case ATTRIBUTE_TEXT:
        return check_text(place, attribute->data, "text");
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
        return attribute->element < ELEMENT_ALL ? STATUS_OK
                                                : validate_fail(place, "no such element type");
    default: // a number
        return STATUS_OK;
    }
}

static status check_task(const struct validated_item *place, const struct program_task *task)
{
    return task->kind == PROGRAM_TASK_TRANSFER && task->operand_count < 2
               ? validate_fail(place, "a transfer without both ends")
               : STATUS_OK;
}

static status check_operand(const struct validated_item *place,
                            const struct program_operand *operand)
{
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->from[i] < 0 || operand->size[i] < 0 ||
            operand->from[i] > INT64_MAX - operand->size[i])
            return validate_fail(place, "a box that cannot be");
    }
    return STATUS_OK;
}

static status check_call(const struct validated_item *place, const struct program_call *call)
{
    const struct program_node *node = &place->program->nodes[call->node];
    return check_range(place, call->first_buffer, (uint64_t)node->input_count + node->output_count,
                       place->program->call_buffer_count, "buffers");
}

// What a step does not use is none, or 0.
static status check_step(const struct validated_item *place, const struct program_step *step)
{
    const bool awaits = step->kind == PROGRAM_STEP_AWAIT;
    if ((step->count > 0) != awaits)
        return validate_fail(place, awaits ? "it awaits nothing" : "a count without an await");
    const bool has_task = program_step_has_task(step);
    if ((step->task != PROGRAM_NONE) != has_task)
        return validate_fail(place, has_task ? "no task" : "a semaphore's step with a task");
    if ((step->semaphore != PROGRAM_NONE) == has_task)
        return validate_fail(place, has_task ? "a task's step with a semaphore" : "no semaphore");
    return STATUS_OK;
}

// The table that an action's subject is an item of.
static enum program_table_id subject_table(const struct program_action *action)
{
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
    case PROGRAM_ACTION_JOB_WAIT:
        return PROGRAM_JOBS;
    case PROGRAM_ACTION_HOST_START:
    case PROGRAM_ACTION_HOST_WAIT:
        return PROGRAM_TASKS;
    default:
        return PROGRAM_BUFFERS;
    }
}

static status check_action(const struct validated_item *place, const struct program_action *action)
{
    return action->subject < count_of(place->program, subject_table(action))
               ? STATUS_OK
               : validate_fail(place, "subject");
}

static status check_starts(const struct program *program)
{
    const struct validated_item whole = {program, "program", 0};
    uint64_t steps = 0;
    for (uint32_t i = 0; i < program->action_count; i++) {
        if (program->actions[i].kind == PROGRAM_ACTION_JOB_START)
            steps += program->jobs[program->actions[i].subject].step_count;
    }
    return steps > program->step_count
               ? validate_fail(&whole, "some jobs are started more than once")
               : STATUS_OK;
}

#define CHECK_ITEMS(table, singular)                                                               \
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
    for (uint32_t i = 0; i < PROGRAM_TABLE_COUNT; i++)
        STATUS_TRY(check_table(program, &PROGRAM_TABLES[i]));
    CHECK_ITEMS(values, value)
    CHECK_ITEMS(attributes, attribute)
    CHECK_ITEMS(tasks, task)
    CHECK_ITEMS(operands, operand)
    CHECK_ITEMS(calls, call)
    CHECK_ITEMS(steps, step)
    CHECK_ITEMS(actions, action)
    return check_starts(program);
}
