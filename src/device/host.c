#include "host.h"

#include <inttypes.h>
#include <opscope/record.h>
#include <stdlib.h>

#include "base/memory.h"
#include "host_profile.h"
#include "kernels/core/copy.h"
#include "kernels/executor.h"
#include "kernels/invoke.h"
#include "program/load.h"
#include "program/verify.h"

struct host_device {
    struct host_profile *profile; // NULL: nothing is recorded
    const struct program *program;
    const struct target *target;
    struct network *network;
    struct executor *executor; // runs graphs inside operators
    struct parallel *parallel;
    struct datum *memories[TARGET_MEMORIES_MOST];
    struct datum **data;         // by buffer: of dynamic ones and of what passes inside an engine
    kernel_function *kernels;    // by node
    struct kernel_state **state; // by node
    uint32_t *input_buffers;     // by port; PROGRAM_NONE: nothing uses it
    uint32_t *output_buffers;
};

// How much of a memory the program uses.
static uint64_t used_bytes(const struct program *program, uint32_t memory)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (buffer->memory == memory && buffer->address + buffer->size > end)
            end = buffer->address + buffer->size;
    }
    return end;
}

static status make_memories(struct host_device *device)
{
    for (uint32_t i = 0; i < device->target->memory_count; i++) {
        const struct shape bytes = {1, {(int64_t)used_bytes(device->program, i)}};
        STATUS_TRY(datum_tensor(ELEMENT_U8, &bytes, &device->memories[i]));
    }
    return STATUS_OK;
}

static bool is_in_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC;
}

static void *address_of(const struct host_device *device, const struct program_buffer *buffer)
{
    return (char *)device->memories[buffer->memory]->tensor.data + buffer->address;
}

static void load_constants(struct host_device *device)
{
    const struct program *program = device->program;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (buffer->kind != PROGRAM_BUFFER_CONSTANT || buffer->value == PROGRAM_NONE)
            continue;
        const struct program_value *value = &program->values[buffer->value];
        if (value->bytes > 0 && value->bytes <= buffer->size)
            memcpy(address_of(device, buffer), program->constants.data + value->data, value->bytes);
    }
}

// The buffer in which a port lies; PROGRAM_NONE when nothing uses it.
static uint32_t port_buffer(const struct program *program, uint32_t value)
{
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (buffer->value == value && buffer->alias == PROGRAM_NONE &&
            (buffer->kind <= PROGRAM_BUFFER_INNER || buffer->kind == PROGRAM_BUFFER_DYNAMIC))
            return i;
    }
    return PROGRAM_NONE;
}

static void find_ports(struct host_device *device)
{
    const struct program *program = device->program;
    device->input_buffers =
        memory_allocate_zeroed((size_t)program->input_count + 1, sizeof *device->input_buffers);
    device->output_buffers =
        memory_allocate_zeroed((size_t)program->output_count + 1, sizeof *device->output_buffers);
    for (uint32_t i = 0; i < program->input_count; i++)
        device->input_buffers[i] = port_buffer(program, program->inputs[i]);
    for (uint32_t i = 0; i < program->output_count; i++)
        device->output_buffers[i] = port_buffer(program, program->outputs[i]);
}

static status find_kernels(struct host_device *device)
{
    for (uint32_t i = 0; i < device->network->nodes.count; i++) {
        const struct network_node *node = network_node(device->network, i);
        device->kernels[i] = kernel_find(node->definition);
        if (device->kernels[i] == NULL)
            return status_make(STATUS_UNSUPPORTED, "this machine has no kernel for %.*s",
                               VIEW_ARGUMENTS(node->type));
    }
    return STATUS_OK;
}

static status prepare(struct host_device *device, const struct host_options *options)
{
    struct verify_counts counts;
    // What is proved stays within its buffers.
    STATUS_TRY(program_verify(device->program, device->target, &counts));
    STATUS_TRY(program_load(device->program, &device->network));
    const size_t nodes = device->network->nodes.count;
    device->kernels = memory_allocate_zeroed(nodes + 1, sizeof *device->kernels);
    device->state = memory_allocate_zeroed(nodes + 1, sizeof *device->state);
    STATUS_TRY(find_kernels(device));
    STATUS_TRY(executor_create(device->network,
                               &(struct executor_options){.threads = options->threads},
                               &device->executor));
    STATUS_TRY(make_memories(device));
    load_constants(device);
    find_ports(device);
    device->profile = host_profile_create(device->program, device->target);
    return STATUS_OK;
}

status host_device_create(const struct program *program, const struct target *target,
                          const struct host_options *options, struct host_device **out_device)
{
    struct host_device *device = memory_allocate_zeroed(1, sizeof *device);
    device->program = program;
    device->target = target;
    device->parallel = parallel_create(options->threads);
    device->data = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *device->data);
    const status failure = prepare(device, options);
    if (failure != STATUS_OK) {
        host_device_free(device);
        return failure;
    }
    *out_device = device;
    return STATUS_OK;
}

static void drop_data(struct host_device *device)
{
    for (uint32_t i = 0; i < device->program->buffer_count; i++) {
        datum_release(device->data[i]);
        device->data[i] = NULL;
    }
}

void host_device_free(struct host_device *device)
{
    if (device == NULL)
        return;
    drop_data(device);
    host_profile_free(device->profile);
    for (uint32_t i = 0; device->state != NULL && i < device->network->nodes.count; i++) {
        if (device->state[i] != NULL)
            device->state[i]->free(device->state[i]);
    }
    for (uint32_t i = 0; i < TARGET_MEMORIES_MOST; i++)
        datum_release(device->memories[i]);
    executor_free(device->executor);
    network_free(device->network);
    parallel_free(device->parallel);
    free(device->data);
    free(device->kernels);
    free(device->input_buffers);
    free(device->output_buffers);
    free(device->state);
    free(device);
}

const struct network *host_device_network(const struct host_device *device)
{
    return device->network;
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

static void run_transfer(struct host_device *device, const struct program_task *task)
{
    const struct program_operand *from = &device->program->operands[task->first_operand];
    const struct program_operand *to = from + 1;
    const struct program_buffer *source = &device->program->buffers[from->buffer];
    const struct program_buffer *target = &device->program->buffers[to->buffer];
    const uint32_t size = (uint32_t)element_size((enum element)source->element);
    struct copy copy = {.rank = from->rank, .size = size};
    for (uint32_t i = 0; i < from->rank; i++)
        copy.lengths[i] = (uint64_t)from->size[i];
    const int64_t source_at = locate(source, from, copy.source_steps);
    const int64_t target_at = locate(target, to, copy.target_steps);
    copy_run(device->parallel, &copy, (char *)address_of(device, source) + source_at * size,
             (char *)address_of(device, target) + target_at * size);
}

// Kernels -------------------------------------------------------------------------------

// The attributes of a tile go before those of its node.
static struct network_node node_of_call(struct host_device *device, const struct program_call *call,
                                        struct attribute *attributes)
{
    struct network_node node = *network_node(device->network, call->node);
    for (uint32_t i = 0; i < call->attribute_count; i++) {
        const struct program_attribute *from =
            &device->program->attributes[call->first_attribute + i];
        attributes[i] = (struct attribute){
            .name = view_of(program_text(device->program, from->name)),
            .kind = ATTRIBUTE_INTEGERS,
            .count = from->count,
            .integers =
                (const int64_t *)(const void *)(device->program->constants.data + from->data)};
    }
    for (uint32_t i = 0; i < node.attributes.count; i++)
        attributes[call->attribute_count + i] = node.attributes.items[i];
    if (call->attribute_count > 0)
        node.attributes =
            (struct attributes){attributes, call->attribute_count + node.attributes.count};
    return node;
}

static struct tensor tensor_of(const struct host_device *device,
                               const struct program_buffer *buffer)
{
    struct tensor tensor = {
        (enum element)buffer->element, {buffer->rank, {0}}, address_of(device, buffer)};
    memcpy(tensor.shape.dims, buffer->dims, sizeof tensor.shape.dims);
    return tensor;
}

// What a kernel reads: a buffer of memory, or a datum that was made before. With a
// reference for the caller.
static status read_buffer(struct host_device *device, uint32_t value, uint32_t buffer,
                          struct datum **out_datum)
{
    *out_datum = NULL;
    if (buffer == PROGRAM_NONE) {
        // A constant of texts has no place in memory.
        const struct constant *constant =
            value != PROGRAM_NONE ? network_value(device->network, value)->constant : NULL;
        if (constant != NULL)
            *out_datum = datum_over(&constant->tensor);
        return STATUS_OK;
    }
    const struct program_buffer *item = &device->program->buffers[buffer];
    if (is_in_memory(item)) {
        const struct tensor tensor = tensor_of(device, item);
        *out_datum = datum_over(&tensor);
    } else if (device->data[buffer] != NULL) {
        *out_datum = datum_keep(device->data[buffer]);
    } else if (value != PROGRAM_NONE && network_value(device->network, value)->constant != NULL) {
        *out_datum = datum_over(&network_value(device->network, value)->constant->tensor);
    } else {
        return status_make(STATUS_DATA, "buffer %" PRIu32 " is read before it is written", buffer);
    }
    return STATUS_OK;
}

struct call_frame {
    struct datum **inputs;
    struct datum **outputs;
    void **places;
    uint64_t *sizes;
    bool *wanted;
    struct attribute *attributes;
};

static void frame_start(struct call_frame *frame, const struct network_node *node, uint32_t more)
{
    const size_t outputs = (size_t)node->output_count + 1;
    frame->inputs = memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *frame->inputs);
    frame->outputs = memory_allocate_zeroed(outputs, sizeof *frame->outputs);
    frame->places = memory_allocate_zeroed(outputs, sizeof *frame->places);
    frame->sizes = memory_allocate_zeroed(outputs, sizeof *frame->sizes);
    frame->wanted = memory_allocate_zeroed(outputs, sizeof *frame->wanted);
    frame->attributes = memory_allocate_zeroed((size_t)node->attributes.count + more + 1,
                                               sizeof *frame->attributes);
}

static void frame_free(struct call_frame *frame, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        datum_release(frame->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        datum_release(frame->outputs[i]);
    free(frame->inputs);
    free(frame->outputs);
    free(frame->places);
    free(frame->sizes);
    free(frame->wanted);
    free(frame->attributes);
}

static void place_output(struct host_device *device, struct call_frame *frame, uint32_t index,
                         uint32_t buffer)
{
    frame->wanted[index] = buffer != PROGRAM_NONE;
    if (buffer == PROGRAM_NONE || !is_in_memory(&device->program->buffers[buffer]))
        return;
    frame->places[index] = address_of(device, &device->program->buffers[buffer]);
    frame->sizes[index] = device->program->buffers[buffer].size;
}

// A kernel that gave a datum of its own instead of filling the place.
static status keep_output(struct host_device *device, struct datum *datum, uint32_t buffer)
{
    const struct program_buffer *item = &device->program->buffers[buffer];
    if (!is_in_memory(item)) {
        datum_release(device->data[buffer]);
        device->data[buffer] = datum_keep(datum);
        return STATUS_OK;
    }
    struct tensor expected = tensor_of(device, item);
    if (datum->kind != DATUM_TENSOR || datum->tensor.element != expected.element ||
        !shape_equal(&datum->tensor.shape, &expected.shape))
        return status_make(STATUS_DATA, "a result of another shape than buffer %" PRIu32, buffer);
    if (datum->tensor.data != expected.data && tensor_bytes(&expected) > 0)
        memcpy(expected.data, datum->tensor.data, tensor_bytes(&expected));
    return STATUS_OK;
}

static status bind_captured(struct host_device *device, const struct program_task *task)
{
    const struct program *program = device->program;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const uint32_t value = program->buffers[operand->buffer].value;
        if (operand->writes != 0 || value == PROGRAM_NONE)
            continue;
        struct datum *datum;
        STATUS_TRY(read_buffer(device, value, operand->buffer, &datum));
        executor_bind(device->executor, value, datum);
        datum_release(datum);
    }
    return STATUS_OK;
}

static status run_call(struct host_device *device, const struct program_task *task,
                       const struct program_call *call, struct call_frame *frame)
{
    const struct program *program = device->program;
    const struct network_node node = node_of_call(device, call, frame->attributes);
    const uint32_t *buffers = program->call_buffers + call->first_buffer;
    for (uint32_t i = 0; i < node.input_count; i++)
        STATUS_TRY(read_buffer(device, node.inputs[i], buffers[i], &frame->inputs[i]));
    for (uint32_t i = 0; i < node.output_count; i++)
        place_output(device, frame, i, buffers[node.input_count + i]);
    if (node.definition->class == OPERATOR_CONTROL)
        STATUS_TRY(bind_captured(device, task));
    STATUS_TRY(invoke(&(struct invocation){.network = device->network,
                                           .node = &node,
                                           .run = device->kernels[call->node],
                                           .inputs = frame->inputs,
                                           .wanted = frame->wanted,
                                           .places = frame->places,
                                           .sizes = frame->sizes,
                                           .parallel = device->parallel,
                                           .state = &device->state[call->node],
                                           .runner = executor_runner(device->executor)},
                      frame->outputs));
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (frame->wanted[i])
            STATUS_TRY(keep_output(device, frame->outputs[i], buffers[node.input_count + i]));
    }
    return STATUS_OK;
}

static status run_compute(struct host_device *device, const struct program_task *task)
{
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = &device->program->calls[task->first_call + i];
        const struct network_node *node = network_node(device->network, call->node);
        struct call_frame frame;
        frame_start(&frame, node, call->attribute_count);
        const status failure = run_call(device, task, call, &frame);
        frame_free(&frame, node);
        if (failure != STATUS_OK) {
            char text[200];
            return status_within(failure, "%s", network_node_text(node, text, sizeof text));
        }
    }
    return STATUS_OK;
}

static status compute_task(struct host_device *device, const struct program_task *task)
{
    if (task->kind == PROGRAM_TASK_COMPUTE)
        return run_compute(device, task);
    if (task->group != PROGRAM_NONE) // code is nothing to this machine
        run_transfer(device, task);
    return STATUS_OK;
}

static status run_task(struct host_device *device, uint32_t index)
{
    const struct program_task *task = &device->program->tasks[index];
    if (device->profile == NULL)
        return compute_task(device, task);
    const uint64_t begun = opscope_begin();
    const status result = compute_task(device, task);
    host_profile_task(device->profile, index, begun);
    return result;
}

// Iterations -----------------------------------------------------------------------------

static status run_action(struct host_device *device, const struct program_action *action)
{
    const struct program *program = device->program;
    if (action->kind == PROGRAM_ACTION_HOST_START)
        return run_task(device, action->subject);
    if (action->kind != PROGRAM_ACTION_JOB_START)
        return STATUS_OK;
    const struct program_job *job = &program->jobs[action->subject];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            STATUS_TRY(run_task(device, step->task));
    }
    return STATUS_OK;
}

static status set_input(struct host_device *device, uint32_t index, struct datum *datum)
{
    const uint32_t value = device->program->inputs[index];
    const uint32_t buffer = device->input_buffers[index];
    const struct network_value *item = network_value(device->network, value);
    if (datum == NULL)
        return item->constant != NULL ? STATUS_OK
                                      : status_make(STATUS_DATA, "input '%.*s' is not given",
                                                    VIEW_ARGUMENTS(item->name));
    if (item->constant != NULL)
        return status_make(STATUS_USAGE,
                           "input '%.*s' was compiled in as a constant and cannot be replaced",
                           VIEW_ARGUMENTS(item->name));
    if (buffer == PROGRAM_NONE)
        return STATUS_OK;
    const status failure = keep_output(device, datum, buffer);
    return failure == STATUS_OK
               ? STATUS_OK
               : status_within(failure, "input '%.*s'", VIEW_ARGUMENTS(item->name));
}

static status get_output(struct host_device *device, uint32_t index, struct datum **out_datum)
{
    STATUS_TRY(read_buffer(device, device->program->outputs[index], device->output_buffers[index],
                           out_datum));
    return datum_own(*out_datum);
}

static status run_all(struct host_device *device, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs)
{
    const struct program *program = device->program;
    for (uint32_t i = 0; i < program->input_count; i++)
        STATUS_TRY(set_input(device, i, i < input_count ? inputs[i] : NULL));
    if (device->profile != NULL)
        host_profile_iteration(device->profile);
    for (uint32_t i = 0; i < program->action_count; i++) {
        const uint64_t begun = device->profile != NULL ? opscope_begin() : 0;
        STATUS_TRY(run_action(device, &program->actions[i]));
        if (device->profile != NULL)
            host_profile_action(device->profile, i, begun);
    }
    for (uint32_t i = 0; i < program->output_count; i++)
        STATUS_TRY(get_output(device, i, &out_outputs[i]));
    return STATUS_OK;
}

status host_device_run(struct host_device *device, struct datum *const *inputs, size_t input_count,
                       struct datum **out_outputs)
{
    for (uint32_t i = 0; i < device->program->output_count; i++)
        out_outputs[i] = NULL;
    const status failure = run_all(device, inputs, input_count, out_outputs);
    drop_data(device);
    for (uint32_t i = 0; failure != STATUS_OK && i < device->program->output_count; i++) {
        datum_release(out_outputs[i]);
        out_outputs[i] = NULL;
    }
    return failure;
}
