// Does what a program says, step by step, in memories like the target's: copies
// boxes from address to address and calls the kernels on the tiles that lie there.
// What comes out must be what the plain executor gives, so a tile, an attribute of
// a tile, an address or an order that is wrong shows.
//
// The last stream goes on as far as semaphores let it, then the one before; every other task
// is not done before it is waited for. So what only the order of the tables keeps apart
// meets here.
//
// Programs with graphs inside operators are not run here.

#ifndef OPSCOPE_TESTS_PROGRAM_INTERPRETER_H
#define OPSCOPE_TESTS_PROGRAM_INTERPRETER_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/invoke.h"
#include "program/program.h"

struct interpreter {
    const struct program *program;
    uint32_t unit_count;      // of each memory, at most
    uint32_t memory_count;    // of all units
    unsigned char **memories; // of all units of the first memory, then of the next
    struct datum **made;      // by buffer: what takes no memory of the target, and rings
    bool *done;               // by task
    uint32_t *raised;         // by semaphore
    struct parallel *parallel;
    struct arena arena;
};

static inline bool interpreter_in_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC;
}

static inline struct shape interpreter_shape(uint32_t rank, const int64_t *dims)
{
    struct shape shape = {.rank = rank};
    memcpy(shape.dims, dims, sizeof shape.dims);
    return shape;
}

// The pieces of a ring may have less room than what it holds in all; a window has none.
static inline unsigned char *interpreter_bytes(const struct interpreter *run, uint32_t buffer)
{
    const struct program_buffer *item = &run->program->buffers[buffer];
    if (item->kind == PROGRAM_BUFFER_RING || item->kind == PROGRAM_BUFFER_PIPELINE)
        return run->made[buffer]->tensor.data;
    return run->memories[item->memory * run->unit_count + item->unit] + item->address;
}

static inline void interpreter_make_memories(struct interpreter *run)
{
    const struct program *program = run->program;
    uint64_t *ends = memory_allocate_zeroed((size_t)run->memory_count + 1, sizeof *ends);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        uint64_t *end = &ends[buffer->memory * run->unit_count + buffer->unit];
        if (interpreter_in_memory(buffer) && buffer->address + buffer->size > *end)
            *end = buffer->address + buffer->size;
    }
    run->memories = memory_allocate_zeroed((size_t)run->memory_count + 1, sizeof *run->memories);
    // Not zero: what is read before it is written gives a wrong result.
    for (uint32_t i = 0; i < run->memory_count; i++) {
        const size_t size = ((size_t)ends[i] / 64 + 2) * 64;
        run->memories[i] = aligned_alloc(64, size);
        memset(run->memories[i], 0xa5, size);
    }
    free(ends);
}

static inline void interpreter_make_rings(struct interpreter *run)
{
    for (uint32_t i = 0; i < run->program->buffer_count; i++) {
        const struct program_buffer *buffer = &run->program->buffers[i];
        const struct shape shape = interpreter_shape(buffer->rank, buffer->dims);
        if (buffer->kind == PROGRAM_BUFFER_RING)
            status_free(datum_tensor((enum element)buffer->element, &shape, &run->made[i]));
    }
}

static inline void interpreter_start(struct interpreter *run, const struct program *program)
{
    *run = (struct interpreter){.program = program, .parallel = parallel_create(1)};
    run->made = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *run->made);
    run->done = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *run->done);
    run->raised = memory_allocate_zeroed((size_t)program->semaphore_count + 1, sizeof(uint32_t));
    uint32_t memories = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        memories = buffer->memory >= memories ? buffer->memory + 1 : memories;
        run->unit_count = buffer->unit >= run->unit_count ? buffer->unit + 1 : run->unit_count;
    }
    run->memory_count = memories * run->unit_count;
    interpreter_make_memories(run);
    interpreter_make_rings(run);
}

static inline void interpreter_end(struct interpreter *run)
{
    for (uint32_t i = 0; i < run->program->buffer_count; i++)
        datum_release(run->made[i]);
    for (uint32_t i = 0; i < run->memory_count; i++)
        free(run->memories[i]);
    free(run->memories);
    free(run->made);
    free(run->done);
    free(run->raised);
    parallel_free(run->parallel);
    arena_free(&run->arena);
}

// Attributes ----------------------------------------------------------------------

static inline const struct view *interpreter_texts(struct interpreter *run, uint64_t offset,
                                                   uint64_t count)
{
    struct view *texts = arena_allocate(&run->arena, (count + 1) * sizeof *texts);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id;
        memcpy(&id, run->program->constants.data + offset + i * sizeof id, sizeof id);
        texts[i] = view_of(program_text(run->program, id));
    }
    return texts;
}

static inline struct tensor interpreter_tensor(struct interpreter *run, uint32_t element,
                                               uint32_t rank, const int64_t *dims, uint64_t offset)
{
    struct tensor tensor = {(enum element)element, interpreter_shape(rank, dims), NULL};
    tensor.data = element == ELEMENT_TEXT
                      ? (void *)interpreter_texts(run, offset, tensor_count(&tensor))
                      : (void *)(run->program->constants.data + offset);
    return tensor;
}

// False for a graph.
static inline bool interpreter_attribute(struct interpreter *run,
                                         const struct program_attribute *from, struct attribute *to)
{
    *to = (struct attribute){.name = view_of(program_text(run->program, from->name)),
                             .kind = (enum attribute_kind)from->kind,
                             .count = from->count};
    switch (to->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_REAL:
        memcpy(&to->integer, &from->data, sizeof to->integer);
        return true;
    case ATTRIBUTE_TEXT:
        to->text = view_of(program_text(run->program, (uint32_t)from->data));
        return true;
    case ATTRIBUTE_INTEGERS:
        to->integers = (const int64_t *)(const void *)(run->program->constants.data + from->data);
        return true;
    case ATTRIBUTE_REALS:
        to->reals = (const double *)(const void *)(run->program->constants.data + from->data);
        return true;
    case ATTRIBUTE_TEXTS:
        to->texts = interpreter_texts(run, from->data, from->count);
        return true;
    case ATTRIBUTE_TENSOR: {
        struct constant *constant = arena_allocate(&run->arena, sizeof *constant);
        *constant = (struct constant){
            .tensor = interpreter_tensor(run, from->element, from->rank, from->dims, from->data)};
        constant->bytes = tensor_bytes(&constant->tensor);
        to->tensor = constant;
        return true;
    }
    case ATTRIBUTE_TYPE: {
        struct value_type *type = arena_allocate(&run->arena, sizeof *type);
        *type = value_type_unranked((enum element)from->element);
        to->type = type;
        return true;
    }
    default:
        return false;
    }
}

static inline bool interpreter_attributes(struct interpreter *run, uint32_t first, uint32_t count,
                                          struct attribute *to)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!interpreter_attribute(run, &run->program->attributes[first + i], &to[i]))
            return false;
    }
    return true;
}

// Tasks -----------------------------------------------------------------------------

static inline void interpreter_copy(const struct interpreter *run,
                                    const struct program_operand *from,
                                    const struct program_operand *to)
{
    const struct program_buffer *source = &run->program->buffers[from->buffer];
    const struct program_buffer *target = &run->program->buffers[to->buffer];
    const size_t size = element_size((enum element)source->element);
    const struct shape box = interpreter_shape(from->rank, from->size);
    for (uint64_t i = 0, count = shape_count(&box); i < count; i++) {
        uint64_t left = i;
        uint64_t source_at = 0;
        uint64_t target_at = 0;
        uint64_t source_step = 1;
        uint64_t target_step = 1;
        for (uint32_t d = box.rank; d-- > 0;) {
            const uint64_t at = left % (uint64_t)box.dims[d];
            left /= (uint64_t)box.dims[d];
            source_at += (at + (uint64_t)from->from[d]) * source_step;
            target_at += (at + (uint64_t)to->from[d]) * target_step;
            source_step *= (uint64_t)source->dims[d];
            target_step *= (uint64_t)target->dims[d];
        }
        memcpy(interpreter_bytes(run, to->buffer) + target_at * size,
               interpreter_bytes(run, from->buffer) + source_at * size, size);
    }
}

static inline struct datum *interpreter_take(const struct interpreter *run, uint32_t buffer)
{
    if (buffer == PROGRAM_NONE)
        return NULL;
    const struct program_buffer *item = &run->program->buffers[buffer];
    if (!interpreter_in_memory(item))
        return run->made[buffer] != NULL ? datum_keep(run->made[buffer]) : NULL;
    return datum_over(&(struct tensor){(enum element)item->element,
                                       interpreter_shape(item->rank, item->dims),
                                       interpreter_bytes(run, buffer)});
}

static inline status interpreter_give(struct interpreter *run, uint32_t buffer, struct datum *datum)
{
    const struct program_buffer *item = &run->program->buffers[buffer];
    if (item->kind != PROGRAM_BUFFER_DYNAMIC) {
        const struct shape shape = interpreter_shape(item->rank, item->dims);
        char gives[SHAPE_TEXT_MOST];
        char holds[SHAPE_TEXT_MOST];
        if (datum->kind != DATUM_TENSOR || datum->tensor.element != item->element ||
            !shape_equal(&datum->tensor.shape, &shape))
            return status_make(STATUS_DATA, "buffer %u holds %s %s, but the kernel gives %s %s",
                               buffer, element_name((enum element)item->element),
                               shape_text(&shape, holds), element_name(datum->tensor.element),
                               shape_text(&datum->tensor.shape, gives));
    }
    if (!interpreter_in_memory(item)) {
        datum_release(run->made[buffer]);
        run->made[buffer] = datum_keep(datum);
    } else if (item->size > 0) {
        memcpy(interpreter_bytes(run, buffer), datum->tensor.data, tensor_bytes(&datum->tensor));
    }
    return STATUS_OK;
}

static inline status interpreter_invoke(struct interpreter *run, const struct program_call *call,
                                        const struct network *network,
                                        const struct network_node *node, struct datum **data)
{
    const uint32_t *buffers = &run->program->call_buffers[call->first_buffer];
    bool *wanted = arena_allocate(&run->arena, node->output_count + 1);
    bool *fixed = arena_allocate(&run->arena, node->input_count + 1);
    struct datum **outputs = data + node->input_count;
    for (uint32_t i = 0; i < node->output_count; i++)
        wanted[i] = buffers[node->input_count + i] != PROGRAM_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        data[i] = interpreter_take(run, buffers[i]);
        fixed[i] = buffers[i] != PROGRAM_NONE &&
                   run->program->buffers[buffers[i]].kind == PROGRAM_BUFFER_CONSTANT;
    }
    struct kernel_state *state = NULL;
    const struct invocation invocation = {.network = network,
                                          .node = node,
                                          .run = kernel_find(node->definition),
                                          .inputs = data,
                                          .fixed = fixed,
                                          .wanted = wanted,
                                          .parallel = run->parallel,
                                          .state = &state};
    status failure = invoke(&invocation, outputs);
    for (uint32_t i = 0; failure == STATUS_OK && i < node->output_count; i++) {
        if (wanted[i])
            failure = interpreter_give(run, buffers[node->input_count + i], outputs[i]);
    }
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++)
        datum_release(data[i]);
    if (state != NULL)
        state->free(state);
    return failure;
}

// A value of the node's own network: of the type that its buffer has, for operators
// that look at what is declared.
static inline uint32_t interpreter_value(const struct interpreter *run, struct network *network,
                                         uint32_t value, uint32_t buffer)
{
    if (value == PROGRAM_NONE)
        return NETWORK_NONE;
    const uint32_t id = network_value_add(network, VIEW_LITERAL(""));
    const struct program_buffer *item =
        buffer != PROGRAM_NONE ? &run->program->buffers[buffer] : NULL;
    struct value_type *type = &network_value(network, id)->type;
    *type = value_type_unranked((enum element)run->program->values[value].element);
    if (item != NULL && item->kind != PROGRAM_BUFFER_DYNAMIC) {
        const struct shape shape = interpreter_shape(item->rank, item->dims);
        *type = value_type_tensor((enum element)item->element, &shape);
    }
    return id;
}

static inline status interpreter_call(struct interpreter *run, const struct program_call *call)
{
    const struct program_node *from = &run->program->nodes[call->node];
    const size_t values = (size_t)from->input_count + from->output_count;
    struct attribute *attributes =
        arena_allocate(&run->arena, ((size_t)call->attribute_count + from->attribute_count + 1) *
                                        sizeof *attributes);
    uint32_t *ids = arena_allocate(&run->arena, (values + 1) * sizeof *ids);
    struct datum **data = arena_allocate(&run->arena, (values + 1) * sizeof *data);
    if (!interpreter_attributes(run, call->first_attribute, call->attribute_count, attributes) ||
        !interpreter_attributes(run, from->first_attribute, from->attribute_count,
                                attributes + call->attribute_count))
        return status_make(STATUS_UNSUPPORTED, "a graph inside an operator");
    const struct view type = view_of(program_text(run->program, from->type));
    const struct view domain = view_of(program_text(run->program, from->domain));
    struct network *network =
        network_create(view_starts_with(type, "tosa.") ? NETWORK_TOSA : NETWORK_ONNX, NULL);
    for (size_t i = 0; i < values; i++) {
        data[i] = NULL;
        ids[i] = interpreter_value(run, network, run->program->node_values[from->first_value + i],
                                   run->program->call_buffers[call->first_buffer + i]);
    }
    const struct network_node node = {
        .definition = operator_find(domain, type),
        .version = from->version,
        .type = type,
        .domain = domain,
        .inputs = ids,
        .outputs = ids + from->input_count,
        .input_count = from->input_count,
        .output_count = from->output_count,
        .attributes = {attributes, call->attribute_count + from->attribute_count},
    };
    const status failure = interpreter_invoke(run, call, network, &node, data);
    network_free(network);
    return status_within(failure, "%s", type.data);
}

// Whether a ring holds what an operand outside it is.
static inline bool interpreter_holds(const struct interpreter *run, uint32_t ring,
                                     const struct program_operand *operand)
{
    const struct program_buffer *inside = &run->program->buffers[ring];
    const struct program_buffer *outside = &run->program->buffers[operand->buffer];
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->from[i] + outside->origin[i] != inside->origin[i] ||
            operand->size[i] != inside->dims[i])
            return false;
    }
    return inside->kind == PROGRAM_BUFFER_RING && inside->value == outside->value &&
           outside->kind != PROGRAM_BUFFER_RING;
}

// Fills the rings of a staged task before its kernels run, and empties them behind.
static inline void interpreter_stages(const struct interpreter *run,
                                      const struct program_task *task, bool writes)
{
    const struct program_operand *operands = &run->program->operands[task->first_operand];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        for (uint32_t k = 0; (operands[i].writes != 0) == writes && k < task->operand_count; k++) {
            if (!interpreter_holds(run, operands[k].buffer, &operands[i]))
                continue;
            interpreter_copy(run, writes ? &operands[k] : &operands[i],
                             writes ? &operands[i] : &operands[k]);
        }
    }
}

// Whether an operand is part of a buffer that kernels see through this one.
static inline bool interpreter_is_window(const struct interpreter *run, uint32_t buffer,
                                         const struct program_operand *operand)
{
    if (buffer == PROGRAM_NONE)
        return false;
    const struct program_buffer *inside = &run->program->buffers[buffer];
    const struct program_buffer *outside = &run->program->buffers[operand->buffer];
    bool same = inside->kind == PROGRAM_BUFFER_PIPELINE && inside->value == outside->value;
    bool whole = true;
    for (uint32_t i = 0; i < operand->rank && same; i++) {
        same = operand->from[i] + outside->origin[i] == inside->origin[i] &&
               operand->size[i] == inside->dims[i];
        whole = whole && operand->size[i] == outside->dims[i];
    }
    return same && !whole;
}

// Whether kernels see what an operand reads as part of this buffer, which nothing of the task
// gives: others read the rest of it.
static inline bool interpreter_is_part(const struct interpreter *run,
                                       const struct program_task *task, uint32_t buffer,
                                       const struct program_operand *operand)
{
    if (buffer == PROGRAM_NONE || operand->writes != 0)
        return false;
    const struct program_buffer *inside = &run->program->buffers[buffer];
    const struct program_buffer *outside = &run->program->buffers[operand->buffer];
    bool part = inside->kind == PROGRAM_BUFFER_PIPELINE && inside->value == outside->value &&
                inside->rank == operand->rank;
    bool same = part;
    for (uint32_t i = 0; i < operand->rank && part; i++) {
        const int64_t from = operand->from[i] + outside->origin[i] - inside->origin[i];
        part = from >= 0 && from + operand->size[i] <= inside->dims[i];
        same = same && operand->size[i] == inside->dims[i];
    }
    for (uint32_t i = 0; i < task->call_count && part; i++) {
        const struct program_call *call = &run->program->calls[task->first_call + i];
        const struct program_node *node = &run->program->nodes[call->node];
        for (uint32_t k = 0; k < node->output_count; k++)
            part = part &&
                   run->program->call_buffers[call->first_buffer + node->input_count + k] != buffer;
    }
    return part && !same;
}

// Copies what kernels read through windows before they run, and what they gave behind.
static inline void interpreter_windows(struct interpreter *run, const struct program_call *call,
                                       const struct program_task *task, bool writes)
{
    const struct program_node *node = &run->program->nodes[call->node];
    const uint32_t *buffers = &run->program->call_buffers[call->first_buffer];
    const uint32_t from = writes ? node->input_count : 0;
    const uint32_t to = writes ? node->input_count + node->output_count : node->input_count;
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t k = 0; k < task->operand_count; k++) {
            const struct program_operand *operand =
                &run->program->operands[task->first_operand + k];
            if ((operand->writes != 0) != writes ||
                (!interpreter_is_window(run, buffers[i], operand) &&
                 !interpreter_is_part(run, task, buffers[i], operand)))
                continue;
            struct program_operand inside = *operand;
            inside.buffer = buffers[i];
            for (uint32_t d = 0; d < operand->rank; d++)
                inside.from[d] += run->program->buffers[operand->buffer].origin[d] -
                                  run->program->buffers[buffers[i]].origin[d];
            if (!writes && run->made[buffers[i]] == NULL) {
                const struct program_buffer *window = &run->program->buffers[buffers[i]];
                const struct shape shape = interpreter_shape(window->rank, window->dims);
                status_free(
                    datum_tensor((enum element)window->element, &shape, &run->made[buffers[i]]));
            }
            interpreter_copy(run, writes ? &inside : operand, writes ? operand : &inside);
        }
    }
}

static inline status interpreter_task(struct interpreter *run, uint32_t task)
{
    const struct program_task *item = &run->program->tasks[task];
    const struct program_operand *operands = &run->program->operands[item->first_operand];
    if (run->done[task])
        return STATUS_OK;
    run->done[task] = true;
    if (item->kind == PROGRAM_TASK_TRANSFER) {
        for (uint32_t i = 1; i < item->operand_count; i++)
            interpreter_copy(run, &operands[0], &operands[i]);
        return STATUS_OK;
    }
    if (item->stage_count > 0)
        interpreter_stages(run, item, false);
    for (uint32_t i = 0; i < item->call_count; i++) {
        const struct program_call *call = &run->program->calls[item->first_call + i];
        interpreter_windows(run, call, item, false);
        STATUS_TRY(status_within(interpreter_call(run, call), "task %u", task));
        interpreter_windows(run, call, item, true);
    }
    if (item->stage_count > 0)
        interpreter_stages(run, item, true);
    return STATUS_OK;
}

// Does the steps of one stream as far as it can go; notes those that are done.
static inline status interpreter_stream(struct interpreter *run, const struct program_job *job,
                                        uint32_t stream, bool *done, uint32_t *left)
{
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &run->program->steps[job->first_step + i];
        if (done[i] || step->stream != stream)
            continue;
        if (step->kind == PROGRAM_STEP_AWAIT && run->raised[step->semaphore] < step->count)
            return STATUS_OK;
        if (step->kind == PROGRAM_STEP_SIGNAL)
            run->raised[step->semaphore]++;
        if (step->kind == PROGRAM_STEP_WAIT ||
            (step->kind == PROGRAM_STEP_START && step->task % 2 == 0))
            STATUS_TRY(interpreter_task(run, step->task));
        done[i] = true;
        (*left)--;
    }
    return STATUS_OK;
}

static inline status interpreter_job(struct interpreter *run, uint32_t job)
{
    const struct program_job *item = &run->program->jobs[job];
    bool *done = memory_allocate_zeroed((size_t)item->step_count + 1, sizeof *done);
    status failure = STATUS_OK;
    for (uint32_t left = item->step_count, before = 0;
         left > 0 && failure == STATUS_OK && left != before;) {
        before = left;
        for (uint32_t i = run->program->stream_count; i-- > 0 && failure == STATUS_OK;)
            failure = interpreter_stream(run, item, i, done, &left);
        if (left == before && failure == STATUS_OK)
            failure = status_make(STATUS_DATA, "job %u: its streams wait for one another", job);
    }
    free(done);
    return failure;
}

// Values -----------------------------------------------------------------------------

static inline void interpreter_load_constant(struct interpreter *run, uint32_t buffer,
                                             const struct program_value *value)
{
    const struct tensor tensor =
        interpreter_tensor(run, value->element, value->rank, value->dims, value->data);
    if (!interpreter_in_memory(&run->program->buffers[buffer]))
        run->made[buffer] = datum_over(&tensor);
    else if (tensor_bytes(&tensor) > 0)
        memcpy(interpreter_bytes(run, buffer), tensor.data, tensor_bytes(&tensor));
}

// `inputs` by port.
static inline status interpreter_load(struct interpreter *run, struct datum *const *inputs)
{
    for (uint32_t i = 0; i < run->program->buffer_count; i++) {
        const struct program_buffer *buffer = &run->program->buffers[i];
        const bool far =
            buffer->kind <= PROGRAM_BUFFER_CONSTANT || buffer->kind == PROGRAM_BUFFER_DYNAMIC;
        if (!far || buffer->value == PROGRAM_NONE)
            continue;
        const struct program_value *value = &run->program->values[buffer->value];
        if (value->kind == PROGRAM_VALUE_CONSTANT)
            interpreter_load_constant(run, i, value);
        for (uint32_t port = 0; port < run->program->input_count; port++) {
            if (run->program->inputs[port] == buffer->value && inputs[port] != NULL)
                STATUS_TRY(interpreter_give(run, i, inputs[port]));
        }
    }
    return STATUS_OK;
}

// `inputs` by port; the results stay in the memories.
static inline status interpreter_run(struct interpreter *run, struct datum *const *inputs)
{
    STATUS_TRY(interpreter_load(run, inputs));
    for (uint32_t i = 0; i < run->program->action_count; i++) {
        const struct program_action *action = &run->program->actions[i];
        if (action->kind == PROGRAM_ACTION_JOB_START)
            STATUS_TRY(interpreter_job(run, action->subject));
        else if (action->kind == PROGRAM_ACTION_HOST_START)
            STATUS_TRY(interpreter_task(run, action->subject));
    }
    return STATUS_OK;
}

// What an output of the network is now, with a reference; NULL where the program
// has no buffer of it (it is an input or a constant as well).
static inline struct datum *interpreter_output(const struct interpreter *run, uint32_t port)
{
    for (uint32_t i = 0; i < run->program->buffer_count; i++) {
        const struct program_buffer *buffer = &run->program->buffers[i];
        if ((buffer->kind == PROGRAM_BUFFER_OUTPUT || buffer->kind == PROGRAM_BUFFER_DYNAMIC) &&
            buffer->value == run->program->outputs[port])
            return interpreter_take(run, i);
    }
    return NULL;
}

#endif
