#include "host_task.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "host.h"
#include "host_steps.h"
#include "kernels/core/copy.h"
#include "kernels/invoke.h"
#include "program/windows.h"

// Workers -------------------------------------------------------------------------------

void host_worker_make(struct host_worker *worker, const struct network *network,
                      struct parallel *parallel)
{
    worker->parallel = parallel;
    worker->state = memory_allocate_zeroed((size_t)network->nodes.count + 1, sizeof *worker->state);
}

void host_worker_drop(struct host_worker *worker, const struct network *network)
{
    for (uint32_t i = 0; worker->state != NULL && i < network->nodes.count; i++) {
        if (worker->state[i] != NULL)
            worker->state[i]->free(worker->state[i]);
    }
    free(worker->state);
    free(worker->scratch);
    parallel_free(worker->parallel);
}

// Buffers -------------------------------------------------------------------------------

bool host_buffer_in_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC;
}

// A constant stays where it is if kernels can take it there.
static void *find_constant(const struct host_machine *machine, const struct program_buffer *buffer,
                           void *planned)
{
    void **place = &machine->constants[buffer - machine->program->buffers];
    const struct constant *constant = network_value(machine->network, buffer->value)->constant;
    if (*place != NULL || constant == NULL)
        return *place != NULL ? *place : planned;
    // Its buffer may have room for more.
    const uint64_t bytes = tensor_bytes(&constant->tensor);
    const bool fits = bytes <= buffer->size;
    *place = fits && constant_ready(constant) ? constant->tensor.data : planned;
    if (*place == planned && fits && bytes > 0)
        memcpy(planned, constant->tensor.data, bytes);
    return *place;
}

static void *constant_address(const struct host_machine *machine,
                              const struct program_buffer *buffer, void *planned)
{
    const size_t place = (size_t)(buffer - machine->program->buffers) % HOST_CONSTANT_LOCKS;
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&machine->constants_locks[place];
    pthread_mutex_lock(lock);
    void *data = find_constant(machine, buffer, planned);
    pthread_mutex_unlock(lock);
    return data;
}

static void *ring_address(const struct host_machine *machine, const struct program_buffer *buffer)
{
    while (buffer->alias != PROGRAM_NONE)
        buffer = &machine->program->buffers[buffer->alias];
    return machine->rings[buffer - machine->program->buffers];
}

void *host_buffer_address(const struct host_machine *machine, const struct program_buffer *buffer)
{
    if (buffer->kind == PROGRAM_BUFFER_RING)
        return ring_address(machine, buffer);
    const uint32_t unit = target_memory_unit(machine->target, buffer->memory, buffer->unit);
    void *planned = (char *)machine->memories[unit]->tensor.data + buffer->address;
    if (machine->constants != NULL && buffer->kind == PROGRAM_BUFFER_CONSTANT &&
        buffer->value != PROGRAM_NONE)
        return constant_address(machine, buffer, planned);
    return planned;
}

static struct tensor host_task_tensor_of(const struct host_machine *machine,
                                         const struct program_buffer *buffer)
{
    struct tensor tensor = {
        (enum element)buffer->element, {buffer->rank, {0}}, host_buffer_address(machine, buffer)};
    memcpy(tensor.shape.dims, buffer->dims, sizeof tensor.shape.dims);
    return tensor;
}

// That a buffer has room for: a ring, as long as it is computed, for all that runs through it.
static uint64_t host_task_bytes_of(const struct host_machine *machine,
                                   const struct program_buffer *buffer)
{
    if (buffer->kind != PROGRAM_BUFFER_RING)
        return buffer->size;
    const struct tensor tensor = host_task_tensor_of(machine, buffer);
    return tensor_bytes(&tensor);
}

status host_buffer_read(struct host_machine *machine, uint32_t value, uint32_t buffer,
                        struct datum **out_datum)
{
    *out_datum = NULL;
    if (buffer == PROGRAM_NONE) {
        // A constant of texts has no place in memory.
        const struct constant *constant =
            value != PROGRAM_NONE ? network_value(machine->network, value)->constant : NULL;
        if (constant != NULL)
            *out_datum = datum_over(&constant->tensor);
        return STATUS_OK;
    }
    const struct program_buffer *item = &machine->program->buffers[buffer];
    if (host_buffer_in_memory(item)) {
        const struct tensor tensor = host_task_tensor_of(machine, item);
        *out_datum = datum_over(&tensor);
    } else if (machine->data[buffer] != NULL) {
        *out_datum = datum_keep(machine->data[buffer]);
    } else if (value != PROGRAM_NONE && network_value(machine->network, value)->constant != NULL) {
        *out_datum = datum_over(&network_value(machine->network, value)->constant->tensor);
    } else {
        return status_make(STATUS_DATA, "buffer %" PRIu32 " is read before it is written", buffer);
    }
    return STATUS_OK;
}

status host_buffer_write(struct host_machine *machine, struct datum *datum, uint32_t buffer)
{
    const struct program_buffer *item = &machine->program->buffers[buffer];
    if (!host_buffer_in_memory(item)) {
        datum_release(machine->data[buffer]);
        machine->data[buffer] = datum_keep(datum);
        return STATUS_OK;
    }
    struct tensor expected = host_task_tensor_of(machine, item);
    if (datum->kind != DATUM_TENSOR || datum->tensor.element != expected.element ||
        !shape_equal(&datum->tensor.shape, &expected.shape))
        return status_make(STATUS_DATA, "a result of another shape than buffer %" PRIu32, buffer);
    if (datum->tensor.data != expected.data && tensor_bytes(&expected) > 0)
        memcpy(expected.data, datum->tensor.data, tensor_bytes(&expected));
    return STATUS_OK;
}

// Transfers ---------------------------------------------------------------------------

// Where a box begins in its buffer, in elements, and the distances between its rows.
static int64_t locate(const struct program_buffer *buffer, const struct program_operand *operand,
                      int64_t steps[COPY_RANK_MOST])
{
    int64_t step = 1;
    int64_t offset = 0;
    for (uint32_t i = buffer->rank; i-- > 0;) {
        steps[i] = step;
        offset += operand->from[i] * step;
        step *= buffer->dims[i];
    }
    return offset;
}

// From one box to another of the same size.
static void copy_box(struct host_machine *machine, struct host_worker *worker,
                     const struct program_operand *from, const struct program_operand *to)
{
    const struct program_buffer *source = &machine->program->buffers[from->buffer];
    const struct program_buffer *target = &machine->program->buffers[to->buffer];
    const uint32_t size = (uint32_t)element_size((enum element)source->element);
    struct copy copy = {.rank = from->rank, .size = size};
    for (uint32_t i = 0; i < from->rank; i++)
        copy.lengths[i] = (uint64_t)from->size[i];
    const int64_t source_at = locate(source, from, copy.source_steps);
    const int64_t target_at = locate(target, to, copy.target_steps);
    copy_run(worker->parallel, &copy,
             (char *)host_buffer_address(machine, source) + source_at * size,
             (char *)host_buffer_address(machine, target) + target_at * size);
}

static void run_transfer(struct host_machine *machine, struct host_worker *worker,
                         const struct program_task *task)
{
    const struct program_operand *from = &machine->program->operands[task->first_operand];
    for (uint32_t i = 1; i < task->operand_count; i++)
        copy_box(machine, worker, from, from + i);
}

// Kernels -------------------------------------------------------------------------------

// The attributes of a tile go before those of its node; `attributes` is NULL where it has none.
static struct network_node node_of_call(struct host_machine *machine,
                                        const struct program_call *call,
                                        struct attribute *attributes)
{
    struct network_node node = *network_node(machine->network, call->node);
    if (call->attribute_count == 0)
        return node;
    for (uint32_t i = 0; i < call->attribute_count; i++) {
        const struct program_attribute *from =
            &machine->program->attributes[call->first_attribute + i];
        attributes[i] = (struct attribute){
            .name = view_of(program_text(machine->program, from->name)),
            .kind = ATTRIBUTE_INTEGERS,
            .count = from->count,
            .integers =
                (const int64_t *)(const void *)(machine->program->constants.data + from->data)};
    }
    for (uint32_t i = 0; i < node.attributes.count; i++)
        attributes[call->attribute_count + i] = node.attributes.items[i];
    node.attributes =
        (struct attributes){attributes, call->attribute_count + node.attributes.count};
    return node;
}

static void release_frame(struct invoke_frame *frame, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        datum_release(frame->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        datum_release(frame->outputs[i]);
    invoke_frame_free(frame);
}

static void place_output(struct host_machine *machine, struct invoke_frame *frame, uint32_t index,
                         uint32_t buffer)
{
    frame->wanted[index] = buffer != PROGRAM_NONE;
    if (buffer == PROGRAM_NONE || !host_buffer_in_memory(&machine->program->buffers[buffer]))
        return;
    frame->places[index] = host_buffer_address(machine, &machine->program->buffers[buffer]);
    frame->sizes[index] = host_task_bytes_of(machine, &machine->program->buffers[buffer]);
}

static status bind_captured(struct host_machine *machine, const struct program_task *task)
{
    const struct program *program = machine->program;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const uint32_t value = program->buffers[operand->buffer].value;
        if (operand->writes != 0 || value == PROGRAM_NONE)
            continue;
        struct datum *datum;
        STATUS_TRY(host_buffer_read(machine, value, operand->buffer, &datum));
        executor_bind(machine->executor, value, datum);
        datum_release(datum);
    }
    return STATUS_OK;
}

static status run_call(struct host_machine *machine, struct host_worker *worker,
                       const struct program_task *task, const struct program_call *call,
                       struct attribute *attributes, struct invoke_frame *frame)
{
    const struct program *program = machine->program;
    const struct network_node node = node_of_call(machine, call, attributes);
    const uint32_t *buffers = program->call_buffers + call->first_buffer;
    for (uint32_t i = 0; i < node.input_count; i++) {
        // A tile of a constant is another one at the next call.
        frame->fixed[i] = buffers[i] != PROGRAM_NONE &&
                          program->buffers[buffers[i]].kind == PROGRAM_BUFFER_CONSTANT;
        STATUS_TRY(host_buffer_read(machine, node.inputs[i], buffers[i], &frame->inputs[i]));
    }
    for (uint32_t i = 0; i < node.output_count; i++)
        place_output(machine, frame, i, buffers[node.input_count + i]);
    if (node.definition->class == OPERATOR_CONTROL)
        STATUS_TRY(bind_captured(machine, task));
    STATUS_TRY(invoke(&(struct invocation){.network = machine->network,
                                           .node = &node,
                                           .run = machine->kernels[call->node],
                                           .inputs = frame->inputs,
                                           .fixed = frame->fixed,
                                           .wanted = frame->wanted,
                                           .places = frame->places,
                                           .sizes = frame->sizes,
                                           .parallel = worker->parallel,
                                           .state = &worker->state[call->node],
                                           .runner = executor_runner(machine->executor)},
                      frame->outputs));
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (frame->wanted[i])
            STATUS_TRY(
                host_buffer_write(machine, frame->outputs[i], buffers[node.input_count + i]));
    }
    return STATUS_OK;
}

static status run_calls(struct host_machine *machine, struct host_worker *worker,
                        const struct program_task *task)
{
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = &machine->program->calls[task->first_call + i];
        const struct network_node *node = network_node(machine->network, call->node);
        struct invoke_frame frame;
        invoke_frame_start(&frame, node);
        struct attribute *attributes =
            call->attribute_count > 0
                ? memory_allocate_zeroed((size_t)node->attributes.count + call->attribute_count,
                                         sizeof *attributes)
                : NULL;
        const status failure = run_call(machine, worker, task, call, attributes, &frame);
        free(attributes);
        release_frame(&frame, node);
        if (failure != STATUS_OK) {
            char text[200];
            return status_within(failure, "%s", network_node_text(node, text, sizeof text));
        }
    }
    return STATUS_OK;
}

// Windows ---------------------------------------------------------------------------------

// The part of a buffer that an operand is, and a dense tensor of its size.
static struct copy copy_of_window(const struct host_machine *machine,
                                  const struct program_operand *operand, char **out_outside)
{
    const struct program_buffer *buffer = &machine->program->buffers[operand->buffer];
    struct shape shape = {.rank = operand->rank};
    memcpy(shape.dims, operand->size, sizeof shape.dims);
    struct copy copy = copy_over(&shape, (enum element)buffer->element);
    *out_outside = (char *)host_buffer_address(machine, buffer) +
                   locate(buffer, operand, copy.source_steps) * copy.size;
    return copy;
}

// Where the part of a window that an operand is begins in it, and how its elements lie.
static uint64_t locate_within(const struct host_machine *machine,
                              const struct program_operand *operand, uint32_t window,
                              struct copy *copy)
{
    const struct program_buffer *buffer = &machine->program->buffers[window];
    const int64_t *origin = machine->program->buffers[operand->buffer].origin;
    struct program_operand inside = *operand;
    for (uint32_t i = 0; i < operand->rank; i++)
        inside.from[i] += origin[i] - buffer->origin[i];
    return (uint64_t)locate(buffer, &inside, copy->target_steps);
}

// What kernels read through a window is brought together for them. One that is joined of
// several operands is there when the second is looked at.
static status open_window(struct host_machine *machine, struct host_worker *worker,
                          const struct program_operand *operand, uint32_t window)
{
    const struct program_buffer *buffer = &machine->program->buffers[window];
    struct shape shape = {.rank = buffer->rank};
    memcpy(shape.dims, buffer->dims, sizeof shape.dims);
    const bool whole = program_shows(machine->program, window, operand);
    if (whole || machine->data[window] == NULL) {
        struct datum *datum;
        STATUS_TRY(datum_tensor((enum element)buffer->element, &shape, &datum));
        datum_release(machine->data[window]);
        machine->data[window] = datum;
    }
    char *outside;
    struct copy copy = copy_of_window(machine, operand, &outside);
    const uint64_t at = locate_within(machine, operand, window, &copy);
    copy_run(worker->parallel, &copy, outside,
             (char *)machine->data[window]->tensor.data + at * copy.size);
    return STATUS_OK;
}

static status close_window(struct host_machine *machine, struct host_worker *worker,
                           const struct program_operand *operand, uint32_t window)
{
    struct datum *datum = machine->data[window];
    bool same = operand->writes == 0 || (datum != NULL && datum->kind == DATUM_TENSOR &&
                                         datum->tensor.shape.rank == operand->rank);
    for (uint32_t i = 0; operand->writes != 0 && same && i < operand->rank; i++)
        same = datum->tensor.shape.dims[i] == operand->size[i];
    if (operand->writes != 0 && same) {
        char *outside;
        struct copy copy = copy_of_window(machine, operand, &outside);
        for (uint32_t i = 0; i < copy.rank; i++) {
            const int64_t step = copy.source_steps[i];
            copy.source_steps[i] = copy.target_steps[i];
            copy.target_steps[i] = step;
        }
        copy_run(worker->parallel, &copy, datum->tensor.data, outside);
    }
    datum_release(datum);
    machine->data[window] = NULL;
    return same
               ? STATUS_OK
               : status_make(STATUS_DATA, "a result of another shape than buffer %" PRIu32, window);
}

// Whether kernels may see all of a buffer as a part of something: the task reads more of it.
static bool may_be_joined(const struct host_machine *machine, const struct program_task *task,
                          const struct program_operand *operand)
{
    const struct program_operand *operands = &machine->program->operands[task->first_operand];
    const struct program_buffer *buffers = machine->program->buffers;
    for (uint32_t i = 0; operand->writes == 0 && i < task->operand_count; i++) {
        if (&operands[i] != operand && operands[i].writes == 0 &&
            buffers[operands[i].buffer].value == buffers[operand->buffer].value)
            return true;
    }
    return false;
}

// For each operand that is part of a buffer, or of what is joined; before the kernels run, or
// after.
static status move_windows(struct host_machine *machine, struct host_worker *worker,
                           const struct program_task *task, bool after)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand =
            &machine->program->operands[task->first_operand + i];
        const struct program_buffer *buffer = &machine->program->buffers[operand->buffer];
        uint32_t count;
        const bool whole =
            memcmp(operand->size, buffer->dims, operand->rank * sizeof *operand->size) == 0;
        if (!host_buffer_in_memory(buffer) || (whole && !may_be_joined(machine, task, operand)))
            continue;
        const uint32_t window = program_window(machine->program, task, operand, &count);
        if (window == PROGRAM_NONE || (whole && program_shows(machine->program, window, operand)))
            continue;
        if (after)
            STATUS_TRY(close_window(machine, worker, operand, window));
        else if (operand->writes == 0)
            STATUS_TRY(open_window(machine, worker, operand, window));
    }
    return STATUS_OK;
}

static status run_compute(struct host_machine *machine, struct host_worker *worker,
                          const struct program_task *task)
{
    STATUS_TRY(move_windows(machine, worker, task, false));
    STATUS_TRY(run_calls(machine, worker, task));
    return move_windows(machine, worker, task, true);
}

// Stages ----------------------------------------------------------------------------------

static bool host_task_is_ring(const struct host_machine *machine,
                              const struct program_operand *operand)
{
    const struct program_buffer *buffer = &machine->program->buffers[operand->buffer];
    return buffer->kind == PROGRAM_BUFFER_RING && buffer->alias == PROGRAM_NONE;
}

// Gives every ring of a task a part of the worker's scratch from `scratch` on. Returns how
// many bytes they take.
static size_t place_rings(struct host_machine *machine, const struct program_task *task,
                          char *scratch)
{
    const struct program_operand *operands = &machine->program->operands[task->first_operand];
    size_t used = 0;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        if (!host_task_is_ring(machine, &operands[i]))
            continue;
        const struct program_buffer *buffer = &machine->program->buffers[operands[i].buffer];
        machine->rings[operands[i].buffer] = scratch != NULL ? scratch + used : NULL;
        used += (host_task_bytes_of(machine, buffer) / MEMORY_ALIGNMENT + 1) * MEMORY_ALIGNMENT;
    }
    return used;
}

static status make_rings(struct host_machine *machine, struct host_worker *worker,
                         const struct program_task *task)
{
    const size_t bytes = place_rings(machine, task, NULL);
    if (bytes > worker->scratch_bytes) {
        free(worker->scratch);
        worker->scratch = memory_take(bytes);
        worker->scratch_bytes = worker->scratch != NULL ? bytes : 0;
    }
    if (bytes > worker->scratch_bytes)
        return status_no_memory("%zu bytes of rings", bytes);
    place_rings(machine, task, worker->scratch);
    return STATUS_OK;
}

// Whether a ring holds just what the box of a far buffer does.
static bool holds_box(const struct program_buffer *ring, const struct program_buffer *far,
                      const struct program_operand *box)
{
    bool same = ring->value == far->value && ring->rank == box->rank;
    for (uint32_t i = 0; i < ring->rank && same; i++)
        same = ring->dims[i] == box->size[i] && ring->origin[i] == box->from[i] + far->origin[i];
    return same;
}

static const struct program_operand *find_ring(const struct host_machine *machine,
                                               const struct program_task *task,
                                               const struct program_operand *box)
{
    const struct program_operand *operands = &machine->program->operands[task->first_operand];
    const struct program_buffer *far = &machine->program->buffers[box->buffer];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        if (host_task_is_ring(machine, &operands[i]) &&
            holds_box(&machine->program->buffers[operands[i].buffer], far, box))
            return &operands[i];
    }
    return NULL;
}

// Boxes that the task reads to their rings, or back to those that it writes. On what lies in the
// memory of its engine kernels work where it is.
static status host_task_copy_boxes(struct host_machine *machine, struct host_worker *worker,
                                   const struct program_task *task, bool writes)
{
    const struct program_operand *operands = &machine->program->operands[task->first_operand];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *box = &operands[i];
        const struct program_buffer *buffer = &machine->program->buffers[box->buffer];
        if (buffer->kind == PROGRAM_BUFFER_RING || (box->writes != 0) != writes ||
            buffer->memory == machine->target->engines[task->engine].memory)
            continue;
        const struct program_operand *ring = find_ring(machine, task, box);
        if (ring == NULL)
            return status_make(STATUS_DATA, "no ring holds what the task has of buffer %" PRIu32,
                               box->buffer);
        copy_box(machine, worker, writes ? ring : box, writes ? box : ring);
    }
    return STATUS_OK;
}

// The stages one after the other, each on all of its pieces.
static status run_stages(struct host_machine *machine, struct host_worker *worker,
                         const struct program_task *task)
{
    STATUS_TRY(make_rings(machine, worker, task));
    STATUS_TRY(host_task_copy_boxes(machine, worker, task, false));
    STATUS_TRY(run_calls(machine, worker, task));
    return host_task_copy_boxes(machine, worker, task, true);
}

static status host_task_compute_pieces(struct host_machine *machine, struct host_worker *worker,
                                       const struct program_task *task, uint32_t index)
{
    if (host_steps_has(machine->steps, index))
        return host_steps_run(machine->steps, index, worker->parallel);
    if (task->stage_count > 0)
        return run_stages(machine, worker, task);
    if (task->kind == PROGRAM_TASK_COMPUTE)
        return run_compute(machine, worker, task);
    run_transfer(machine, worker, task);
    return STATUS_OK;
}

status host_task_compute(struct host_machine *machine, struct host_worker *worker,
                         const struct program_task *task)
{
    const uint32_t index = (uint32_t)(task - machine->program->tasks);
    if (machine->times == NULL && machine->spans == NULL)
        return host_task_compute_pieces(machine, worker, task, index);
    const uint64_t start = monotonic_ns();
    const status result = host_task_compute_pieces(machine, worker, task, index);
    const uint64_t end = monotonic_ns();
    if (machine->times != NULL)
        machine->times[index] += end - start;
    if (machine->spans != NULL)
        machine->spans[index] = (struct host_span){start, end};
    return result;
}
