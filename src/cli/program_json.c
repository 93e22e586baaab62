#include "program_json.h"

#include "base/bytes.h"
#include "wire/json.h"

struct writer {
    const struct program *program;
    const struct target *target;
    struct json_writer json;
};

static void program_json_write_text(struct writer *writer, const char *key, uint32_t id)
{
    json_text(&writer->json, key, view_of(program_text(writer->program, id)));
}

// null where there is none
static void write_id(struct writer *writer, const char *key, uint32_t id)
{
    if (id == PROGRAM_NONE)
        json_null(&writer->json, key);
    else
        json_uint(&writer->json, key, id);
}

static void write_type(struct writer *writer, uint32_t element, uint32_t rank, const int64_t *dims)
{
    struct bytes text = {0};
    if (element == ELEMENT_NONE) {
        json_null(&writer->json, "type");
        return;
    }
    program_append_type(&text, element, rank, dims);
    json_text(&writer->json, "type", bytes_view(&text));
    bytes_free(&text);
}

static void write_integers(struct writer *writer, const char *key, const int64_t *numbers,
                           uint32_t count)
{
    json_open_array(&writer->json, key);
    for (uint32_t i = 0; count != PROGRAM_NONE && i < count; i++)
        json_uint(&writer->json, NULL, (uint64_t)numbers[i]);
    json_close(&writer->json);
}

static void write_operator(struct writer *writer, uint32_t index)
{
    const struct program_operator *item = &writer->program->operators[index];
    program_json_write_text(writer, "name", item->name);
    program_json_write_text(writer, "type", item->type);
    program_json_write_text(writer, "location", item->location);
    write_id(writer, "group", item->group);
    if (item->work.known)
        json_uint(&writer->json, "macs", item->work.macs);
    else
        json_null(&writer->json, "macs");
}

static void write_group(struct writer *writer, uint32_t index)
{
    const struct program_group *item = &writer->program->groups[index];
    program_json_write_text(writer, "name", item->name);
    program_json_write_text(writer, "type", item->type);
    json_text(&writer->json, "engine", view_of(program_engine_name(writer->target, item->engine)));
    program_json_write_text(writer, "reason", item->reason);
    json_open_array(&writer->json, "operators");
    for (uint32_t i = 0; i < item->node_count; i++)
        json_uint(&writer->json, NULL, writer->program->nodes[item->first_node + i].operator_id);
    json_close(&writer->json);
}

static void program_json_write_value(struct writer *writer, uint32_t index)
{
    const struct program_value *item = &writer->program->values[index];
    program_json_write_text(writer, "name", item->name);
    json_text(&writer->json, "kind", view_of(program_value_kind_name(item->kind)));
    if (item->layout != PROGRAM_ROWS)
        json_text(&writer->json, "layout",
                  view_of(item->layout == PROGRAM_TILES ? "tiles" : "packed"));
    write_type(writer, item->element, item->rank, item->dims);
}

static void write_buffer(struct writer *writer, uint32_t index)
{
    const struct program_buffer *item = &writer->program->buffers[index];
    json_text(&writer->json, "memory", view_of(program_memory_name(writer->target, item->memory)));
    if (program_memory_has_units(writer->target, item->memory))
        json_uint(&writer->json, "unit", item->unit);
    json_text(&writer->json, "kind", view_of(program_buffer_kind_name(item->kind)));
    json_uint(&writer->json, "address", item->address);
    json_uint(&writer->json, "size", item->size);
    json_uint(&writer->json, "from", item->from);
    json_uint(&writer->json, "to", item->to);
    write_type(writer, item->element, item->rank, item->dims);
    write_integers(writer, "origin", item->origin, item->element == ELEMENT_NONE ? 0 : item->rank);
    write_id(writer, "value", item->value);
    write_id(writer, "alias", item->alias);
}

static void program_json_write_operands(struct writer *writer, const struct program_task *task)
{
    json_open_array(&writer->json, "operands");
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *item = &writer->program->operands[task->first_operand + i];
        json_open_object(&writer->json, NULL);
        json_uint(&writer->json, "buffer", item->buffer);
        json_bool(&writer->json, "writes", item->writes != 0);
        write_integers(writer, "from", item->from, item->rank);
        write_integers(writer, "size", item->size, item->rank);
        json_close(&writer->json);
    }
    json_close(&writer->json);
}

static void write_stages(struct writer *writer, const struct program_task *task)
{
    json_open_array(&writer->json, "stages");
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const struct program_stage *item = &writer->program->stages[task->first_stage + i];
        json_open_object(&writer->json, NULL);
        json_text(&writer->json, "engine",
                  view_of(program_engine_name(writer->target, item->engine)));
        json_uint(&writer->json, "pieces", item->pieces);
        if (item->cost.kind == COST_TRANSFER)
            json_uint(&writer->json, "bytes", item->cost.bytes);
        write_id(writer, "ring", item->ring);
        json_uint(&writer->json, "depth", item->depth);
        json_close(&writer->json);
    }
    json_close(&writer->json);
}

// What most tasks do not have.
static void program_json_write_parts(struct writer *writer, const struct program_task *task)
{
    if (task->unit_count > 0) {
        json_open_array(&writer->json, "to_units");
        for (uint32_t i = 0; i < task->unit_count; i++)
            json_uint(&writer->json, NULL, writer->program->task_units[task->first_unit + i]);
        json_close(&writer->json);
    }
    if (task->stage_count > 0)
        write_stages(writer, task);
}

static void write_task(struct writer *writer, uint32_t index)
{
    const struct program_task *item = &writer->program->tasks[index];
    json_text(&writer->json, "engine", view_of(program_engine_name(writer->target, item->engine)));
    if (program_engine_has_units(writer->target, item->engine))
        json_uint(&writer->json, "unit", item->unit);
    json_uint(&writer->json, "lane", item->lane);
    json_text(&writer->json, "kind", view_of(program_task_kind_name(item->kind)));
    write_id(writer, "group", item->group);
    json_uint(&writer->json, "tile", item->tile);
    program_json_write_operands(writer, item);
    json_open_array(&writer->json, "dependencies");
    for (uint32_t i = 0; i < item->dependency_count; i++) {
        const struct program_dependency *dependency =
            &writer->program->dependencies[item->first_dependency + i];
        json_open_object(&writer->json, NULL);
        json_uint(&writer->json, "task", dependency->task);
        json_bool(&writer->json, "true", dependency->is_true != 0);
        json_close(&writer->json);
    }
    json_close(&writer->json);
    program_json_write_parts(writer, item);
}

static void write_stream(struct writer *writer, uint32_t index)
{
    const struct program_stream *item = &writer->program->streams[index];
    program_json_write_text(writer, "name", item->name);
    json_text(&writer->json, "queue", view_of(program_queue_name(writer->target, item->queue)));
    json_uint(&writer->json, "unit", item->unit);
}

static void write_semaphore(struct writer *writer, uint32_t index)
{
    const struct program_semaphore *item = &writer->program->semaphores[index];
    program_json_write_text(writer, "name", item->name);
    json_uint(&writer->json, "stream", item->stream);
}

static void write_step(struct writer *writer, const struct program_step *step)
{
    json_uint(&writer->json, "number", step->number);
    if (program_has_streams(writer->program))
        json_uint(&writer->json, "stream", step->stream);
    json_text(&writer->json, "kind", view_of(program_step_kind_name(step->kind)));
    if (program_step_has_task(step))
        json_uint(&writer->json, "task", step->task);
    else
        json_uint(&writer->json, "semaphore", step->semaphore);
    if (step->kind == PROGRAM_STEP_AWAIT)
        json_uint(&writer->json, "count", step->count);
}

static void write_job(struct writer *writer, const struct program_job *job)
{
    program_json_write_text(writer, "job", job->name);
    json_open_array(&writer->json, "steps");
    for (uint32_t i = 0; i < job->step_count; i++) {
        json_open_object(&writer->json, NULL);
        write_step(writer, &writer->program->steps[job->first_step + i]);
        json_close(&writer->json);
    }
    json_close(&writer->json);
}

static void program_json_write_action(struct writer *writer, const struct program_action *action)
{
    json_open_object(&writer->json, NULL);
    json_uint(&writer->json, "number", action->number);
    json_text(&writer->json, "kind", view_of(program_action_kind_name(action->kind)));
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        write_job(writer, &writer->program->jobs[action->subject]);
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        program_json_write_text(writer, "job", writer->program->jobs[action->subject].name);
        break;
    case PROGRAM_ACTION_HOST_START:
    case PROGRAM_ACTION_HOST_WAIT:
        json_uint(&writer->json, "task", action->subject);
        break;
    default:
        json_uint(&writer->json, "buffer", action->subject);
        json_uint(&writer->json, "bytes", action->bytes);
    }
    json_close(&writer->json);
}

static void program_json_write_dispatch(struct writer *writer, uint32_t index)
{
    const struct program_dispatch *item = &writer->program->dispatches[index];
    program_json_write_text(writer, "name", item->name);
    json_open_array(&writer->json, "actions");
    for (uint32_t i = 0; i < item->action_count; i++)
        program_json_write_action(writer, &writer->program->actions[item->first_action + i]);
    json_close(&writer->json);
}

void program_json_write(const struct program *program, const struct target *target, unsigned parts,
                        struct output *output)
{
    const struct {
        unsigned part;
        const char *key;
        uint32_t count;
        void (*write)(struct writer *writer, uint32_t index);
        bool only_with_streams;
    } PARTS[] = {
        {PROGRAM_PRINT_OPERATORS, "operators", program->operator_count, write_operator, false},
        {PROGRAM_PRINT_GROUPS, "groups", program->group_count, write_group, false},
        {PROGRAM_PRINT_VALUES, "values", program->value_count, program_json_write_value, false},
        {PROGRAM_PRINT_BUFFERS, "buffers", program->buffer_count, write_buffer, false},
        {PROGRAM_PRINT_TASKS, "tasks", program->task_count, write_task, false},
        {PROGRAM_PRINT_STEPS, "streams", program->stream_count, write_stream, true},
        {PROGRAM_PRINT_STEPS, "semaphores", program->semaphore_count, write_semaphore, true},
        {PROGRAM_PRINT_STEPS, "dispatches", program->dispatch_count, program_json_write_dispatch,
         false},
    };
    struct writer writer = {program, target, json_write(output)};
    json_open_object(&writer.json, NULL);
    json_text(&writer.json, "source", program->source);
    json_text(&writer.json, "target", view_of(target->name));
    if (program->conversion.size > 0)
        json_text(&writer.json, "converted", program->conversion);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if ((parts & PARTS[i].part) == 0 ||
            (PARTS[i].only_with_streams && !program_has_streams(program)))
            continue;
        json_open_array(&writer.json, PARTS[i].key);
        for (uint32_t k = 0; k < PARTS[i].count; k++) {
            json_open_object(&writer.json, NULL);
            PARTS[i].write(&writer, k);
            json_close(&writer.json);
        }
        json_close(&writer.json);
    }
    json_close(&writer.json);
}
