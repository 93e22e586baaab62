#include "print.h"

#include <inttypes.h>

#include "base/bytes.h"

static const char *name_in(const char *const *names, size_t count, uint32_t kind)
{
    return kind < count ? names[kind] : "?";
}

#define NAME_IN(names, kind) name_in((names), sizeof(names) / sizeof *(names), (kind))

const char *program_task_kind_name(uint32_t kind)
{
    static const char *const NAMES[] = {
        [PROGRAM_TASK_TRANSFER] = "transfer", [PROGRAM_TASK_COMPUTE] = "compute"};
    return NAME_IN(NAMES, kind);
}

const char *program_buffer_kind_name(uint32_t kind)
{
    static const char *const NAMES[] = {
        [PROGRAM_BUFFER_INPUT] = "input",       [PROGRAM_BUFFER_OUTPUT] = "output",
        [PROGRAM_BUFFER_CONSTANT] = "constant", [PROGRAM_BUFFER_INNER] = "inner",
        [PROGRAM_BUFFER_TILE] = "tile",         [PROGRAM_BUFFER_PIPELINE] = "pipeline",
        [PROGRAM_BUFFER_CODE] = "code",         [PROGRAM_BUFFER_DYNAMIC] = "dynamic",
        [PROGRAM_BUFFER_RING] = "ring",
    };
    return NAME_IN(NAMES, kind);
}

const char *program_value_kind_name(uint32_t kind)
{
    static const char *const NAMES[] = {
        [PROGRAM_VALUE_INPUT] = "input",
        [PROGRAM_VALUE_OUTPUT] = "output",
        [PROGRAM_VALUE_CONSTANT] = "constant",
        [PROGRAM_VALUE_INNER] = "inner",
    };
    return NAME_IN(NAMES, kind);
}

const char *program_step_kind_name(uint32_t kind)
{
    static const char *const NAMES[] = {
        [PROGRAM_STEP_START] = "start",
        [PROGRAM_STEP_WAIT] = "wait",
        [PROGRAM_STEP_SIGNAL] = "signal",
        [PROGRAM_STEP_AWAIT] = "await",
    };
    return NAME_IN(NAMES, kind);
}

const char *program_action_kind_name(uint32_t kind)
{
    static const char *const NAMES[] = {
        [PROGRAM_ACTION_ALLOC] = "alloc",         [PROGRAM_ACTION_DEALLOC] = "dealloc",
        [PROGRAM_ACTION_HOST_COPY] = "host copy", [PROGRAM_ACTION_JOB_START] = "job start",
        [PROGRAM_ACTION_JOB_WAIT] = "job wait",   [PROGRAM_ACTION_HOST_START] = "host start",
        [PROGRAM_ACTION_HOST_WAIT] = "host wait",
    };
    return NAME_IN(NAMES, kind);
}

const char *program_engine_name(const struct target *target, uint32_t engine)
{
    return engine < target->engine_count ? target->engines[engine].name : "?";
}

const char *program_memory_name(const struct target *target, uint32_t memory)
{
    return memory < target->memory_count ? target->memories[memory].name : "?";
}

const char *program_queue_name(const struct target *target, uint32_t queue)
{
    return queue < target->queue_count ? target->queues[queue].name : "?";
}

bool program_engine_has_units(const struct target *target, uint32_t engine)
{
    return engine < target->engine_count && target_units(target, target->engines[engine].per) > 1;
}

bool program_memory_has_units(const struct target *target, uint32_t memory)
{
    return memory < target->memory_count && target_units(target, target->memories[memory].per) > 1;
}

bool program_has_streams(const struct program *program)
{
    return program->stream_count > 1 || program->semaphore_count > 0;
}

void program_append_type(struct bytes *text, uint32_t element, uint32_t rank, const int64_t *dims)
{
    if (rank == PROGRAM_NONE)
        bytes_append_format(text, "?x");
    for (uint32_t i = 0; rank != PROGRAM_NONE && i < rank; i++) {
        if (dims[i] >= 0)
            bytes_append_format(text, "%" PRId64 "x", dims[i]);
        else
            bytes_append_format(text, "?x");
    }
    bytes_append_format(text, "%s", element_name((enum element)element));
}

struct printer {
    const struct program *program;
    const struct target *target;
    struct output *output;
    struct bytes scratch;
};

static const char *program_print_text_of(const struct printer *printer, uint32_t id)
{
    return program_text(printer->program, id);
}

static void print_type(struct printer *printer, uint32_t element, uint32_t rank,
                       const int64_t *dims)
{
    printer->scratch.size = 0;
    program_append_type(&printer->scratch, element, rank, dims);
    output_write(printer->output, printer->scratch.data, printer->scratch.size);
}

// "matrix", and which one where there are several.
static void program_print_engine(struct printer *printer, uint32_t engine, uint32_t unit)
{
    output_text(printer->output, program_engine_name(printer->target, engine));
    if (program_engine_has_units(printer->target, engine))
        output_format(printer->output, ".%u", unit);
}

// A text that may be empty, in quotes and with a blank before it.
static void program_print_quoted(struct printer *printer, uint32_t id)
{
    const char *text = program_print_text_of(printer, id);
    if (text[0] != '\0')
        output_format(printer->output, " \"%s\"", text);
}

static void program_print_head(struct printer *printer)
{
    const struct program *program = printer->program;
    output_format(printer->output,
                  "%.*s for %s: operators %u, groups %u, jobs %u, tasks %u, buffers %u, "
                  "dispatches %u\n",
                  VIEW_ARGUMENTS(program->source), printer->target->name, program->operator_count,
                  program->group_count, program->job_count, program->task_count,
                  program->buffer_count, program->dispatch_count);
    if (program->conversion.size > 0)
        output_format(printer->output, "converted %.*s\n", VIEW_ARGUMENTS(program->conversion));
}

static void print_operators(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output, "\noperators\n");
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const struct program_operator *item = &program->operators[i];
        output_format(printer->output, "%6u %s", i, program_print_text_of(printer, item->type));
        program_print_quoted(printer, item->name);
        if (item->group == PROGRAM_NONE)
            output_text(printer->output, ", calculated while compiling");
        else
            output_format(printer->output, ", group %u", item->group);
        if (item->work.known)
            output_format(printer->output, ", %" PRIu64 " MACs", item->work.macs);
        if (program_print_text_of(printer, item->location)[0] != '\0')
            output_format(printer->output, ", %s", program_print_text_of(printer, item->location));
        output_text(printer->output, "\n");
    }
}

static void print_groups(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output, "\ngroups\n");
    for (uint32_t i = 0; i < program->group_count; i++) {
        const struct program_group *item = &program->groups[i];
        output_format(printer->output, "%6u %s", i, program_print_text_of(printer, item->type));
        program_print_quoted(printer, item->name);
        output_format(printer->output, " on %s: %s; operators",
                      program_engine_name(printer->target, item->engine),
                      program_print_text_of(printer, item->reason));
        for (uint32_t k = 0; k < item->node_count; k++)
            output_format(printer->output, " %u", program->nodes[item->first_node + k].operator_id);
        output_text(printer->output, "\n");
    }
}

static void program_print_values(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output, "\nvalues\n");
    for (uint32_t i = 0; i < program->value_count; i++) {
        const struct program_value *item = &program->values[i];
        output_format(printer->output, "%6u %-8s ", i, program_value_kind_name(item->kind));
        print_type(printer, item->element, item->rank, item->dims);
        program_print_quoted(printer, item->name);
        output_text(printer->output, item->layout == PROGRAM_TILES    ? " in tiles\n"
                                     : item->layout == PROGRAM_PACKED ? " packed\n"
                                                                      : "\n");
    }
}

// Its number after the name where there are several: "tile.3".
static const char *memory_of(struct printer *printer, const struct program_buffer *buffer)
{
    printer->scratch.size = 0;
    bytes_append_format(&printer->scratch, "%s",
                        program_memory_name(printer->target, buffer->memory));
    if (program_memory_has_units(printer->target, buffer->memory))
        bytes_append_format(&printer->scratch, ".%u", buffer->unit);
    bytes_append(&printer->scratch, "", 1);
    return (const char *)printer->scratch.data;
}

static void print_buffers(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output,
                "\nbuffers: memory, address, bytes, first and last moment, what\n");
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *item = &program->buffers[i];
        output_format(printer->output, "%6u %-5s 0x%08" PRIx64 " %9" PRIu64 " %6u..%-6u %-8s ", i,
                      memory_of(printer, item), item->address, item->size, item->from, item->to,
                      program_buffer_kind_name(item->kind));
        if (item->element != ELEMENT_NONE)
            print_type(printer, item->element, item->rank, item->dims);
        if (item->value != PROGRAM_NONE)
            output_format(printer->output, " of value %u", item->value);
        if (item->alias != PROGRAM_NONE)
            output_format(printer->output, " in buffer %u", item->alias);
        output_text(printer->output, "\n");
    }
}

static void program_print_operand(struct printer *printer, const struct program_operand *operand)
{
    output_format(printer->output, " %s %u[", operand->writes ? "->" : "<-", operand->buffer);
    for (uint32_t i = 0; i < operand->rank; i++)
        output_format(printer->output, "%s%" PRId64 "+%" PRId64, i > 0 ? "," : "", operand->from[i],
                      operand->size[i]);
    output_text(printer->output, "]");
}

static void print_stages(struct printer *printer, const struct program_task *task)
{
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const struct program_stage *stage = &printer->program->stages[task->first_stage + i];
        output_format(printer->output, "%s %s in %u", i == 0 ? ", stages" : ",",
                      program_engine_name(printer->target, stage->engine), stage->pieces);
        if (stage->ring != PROGRAM_NONE)
            output_format(printer->output, " to %u x %u", stage->ring, stage->depth);
    }
}

static void print_task(struct printer *printer, uint32_t index)
{
    const struct program *program = printer->program;
    const struct program_task *item = &program->tasks[index];
    output_format(printer->output, "%6u ", index);
    program_print_engine(printer, item->engine, item->unit);
    output_format(printer->output, " %u %s", item->lane, program_task_kind_name(item->kind));
    if (item->group != PROGRAM_NONE)
        output_format(printer->output, " group %u tile %u", item->group, item->tile);
    for (uint32_t i = 0; i < item->unit_count; i++)
        output_format(printer->output, "%s%u", i == 0 ? " to units " : ",",
                      program->task_units[item->first_unit + i]);
    for (uint32_t i = 0; i < item->operand_count; i++)
        program_print_operand(printer, &program->operands[item->first_operand + i]);
    for (uint32_t i = 0; i < item->dependency_count; i++) {
        const struct program_dependency *dependency =
            &program->dependencies[item->first_dependency + i];
        output_format(printer->output, "%s %u%s", i == 0 ? " after" : "", dependency->task,
                      dependency->is_true ? "" : "*");
    }
    print_stages(printer, item);
    output_text(printer->output, "\n");
}

static void print_tasks(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output,
                "\ntasks: engine, kind, buffers[from+size] read <- and written ->, "
                "tasks waited for\n");
    for (uint32_t i = 0; i < program->task_count; i++)
        print_task(printer, i);
}

static void print_step(struct printer *printer, const struct program_step *step)
{
    const struct program *program = printer->program;
    output_format(printer->output, "          %4u ", step->number);
    if (program_has_streams(program))
        output_format(printer->output, "stream %u %-6s ", step->stream,
                      program_step_kind_name(step->kind));
    else
        output_format(printer->output, "%-5s ", program_step_kind_name(step->kind));
    if (program_step_has_task(step)) {
        const struct program_task *task = &program->tasks[step->task];
        output_format(printer->output, "task %u on ", step->task);
        program_print_engine(printer, task->engine, task->unit);
        output_format(printer->output, " %u\n", task->lane);
        return;
    }
    output_format(printer->output, "semaphore %u", step->semaphore);
    if (step->kind == PROGRAM_STEP_AWAIT)
        output_format(printer->output, " at %u", step->count);
    output_text(printer->output, "\n");
}

static void print_job(struct printer *printer, uint32_t id)
{
    const struct program_job *job = &printer->program->jobs[id];
    for (uint32_t i = 0; i < job->step_count; i++)
        print_step(printer, &printer->program->steps[job->first_step + i]);
}

static void program_print_action(struct printer *printer, const struct program_action *action)
{
    const struct program *program = printer->program;
    output_format(printer->output, "    %4u %-10s", action->number,
                  program_action_kind_name(action->kind));
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        output_format(printer->output, " %s\n",
                      program_print_text_of(printer, program->jobs[action->subject].name));
        print_job(printer, action->subject);
        return;
    case PROGRAM_ACTION_JOB_WAIT:
        output_format(printer->output, " %s\n",
                      program_print_text_of(printer, program->jobs[action->subject].name));
        return;
    case PROGRAM_ACTION_HOST_START:
    case PROGRAM_ACTION_HOST_WAIT:
        output_format(printer->output, " task %u\n", action->subject);
        return;
    default:
        output_format(printer->output, " buffer %u, %" PRIu64 " bytes\n", action->subject,
                      action->bytes);
    }
}

static void print_streams(struct printer *printer)
{
    const struct program *program = printer->program;
    output_text(printer->output, "\nstreams: queue and unit; semaphores: who signals them\n");
    for (uint32_t i = 0; i < program->stream_count; i++) {
        const struct program_stream *item = &program->streams[i];
        output_format(printer->output, "%6u %s %u", i,
                      program_queue_name(printer->target, item->queue), item->unit);
        program_print_quoted(printer, item->name);
        output_text(printer->output, "\n");
    }
    for (uint32_t i = 0; i < program->semaphore_count; i++) {
        const struct program_semaphore *item = &program->semaphores[i];
        output_format(printer->output, "%6u semaphore of stream %u", i, item->stream);
        program_print_quoted(printer, item->name);
        output_text(printer->output, "\n");
    }
}

static void print_steps(struct printer *printer)
{
    const struct program *program = printer->program;
    if (program_has_streams(program))
        print_streams(printer);
    output_format(printer->output, "\nactions of the host, and steps of the %s\n",
                  program_has_streams(program) ? "streams" : "controller");
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        output_format(printer->output, "  %s\n", program_print_text_of(printer, dispatch->name));
        for (uint32_t k = 0; k < dispatch->action_count; k++)
            program_print_action(printer, &program->actions[dispatch->first_action + k]);
    }
}

void program_print(const struct program *program, const struct target *target, unsigned parts,
                   struct output *output)
{
    static const struct {
        unsigned part;
        void (*print)(struct printer *printer);
    } PARTS[] = {
        {PROGRAM_PRINT_OPERATORS, print_operators},   {PROGRAM_PRINT_GROUPS, print_groups},
        {PROGRAM_PRINT_VALUES, program_print_values}, {PROGRAM_PRINT_BUFFERS, print_buffers},
        {PROGRAM_PRINT_TASKS, print_tasks},           {PROGRAM_PRINT_STEPS, print_steps},
    };
    struct printer printer = {.program = program, .target = target, .output = output};
    program_print_head(&printer);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if ((parts & PARTS[i].part) != 0)
            PARTS[i].print(&printer);
    }
    bytes_free(&printer.scratch);
}
