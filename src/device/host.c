#include "host.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "host_profile.h"
#include "host_schedule.h"
#include "host_steps.h"
#include "host_task.h"
#include "program/load.h"
#include "program/verify.h"
#include "program/verify_ports.h"

struct host_device {
    struct device base;
    struct host_machine machine;
    struct host_schedule *schedule;
    struct host_profile *profile; // NULL: nothing is recorded
    uint32_t *input_buffers;      // by port; PROGRAM_NONE: nothing uses it
    uint32_t *output_buffers;
    struct device_state *state; // NULL: nothing is kept between runs
    uint32_t *kept_inputs;      // by port: its place in the state, or NOT_KEPT
    uint32_t *kept_outputs;
};

#define NOT_KEPT UINT32_MAX

// How much of each unit of the memories the program uses, for the caller to free. What runs
// through rings lies elsewhere while it is computed.
static uint64_t *used_bytes(const struct program *program, const struct target *target)
{
    uint64_t *ends = memory_allocate_zeroed((size_t)target->memory_unit_count + 1, sizeof *ends);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        uint64_t *end = &ends[target_memory_unit(target, buffer->memory, buffer->unit)];
        if (buffer->kind != PROGRAM_BUFFER_RING && buffer->address + buffer->size > *end)
            *end = buffer->address + buffer->size;
    }
    return ends;
}

static status make_memories(struct host_machine *machine, uint8_t fill)
{
    const uint32_t count = machine->target->memory_unit_count;
    uint64_t *bytes = used_bytes(machine->program, machine->target);
    status failure = STATUS_OK;
    machine->memories = memory_allocate_zeroed((size_t)count + 1, sizeof *machine->memories);
    for (uint32_t i = 0; i < count && failure == STATUS_OK; i++) {
        const struct shape shape = {1, {(int64_t)bytes[i]}};
        failure = datum_tensor(ELEMENT_U8, &shape, &machine->memories[i]);
        if (failure == STATUS_OK && fill != 0 && bytes[i] > 0)
            memset(machine->memories[i]->tensor.data, fill, bytes[i]);
    }
    free(bytes);
    return failure;
}

static void load_constants(struct host_machine *machine)
{
    const struct program *program = machine->program;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (buffer->kind != PROGRAM_BUFFER_CONSTANT || buffer->value == PROGRAM_NONE)
            continue;
        const struct program_value *value = &program->values[buffer->value];
        if (value->bytes > 0 && value->bytes <= buffer->size)
            memcpy(host_buffer_address(machine, buffer), program_constant(program, buffer->value),
                   value->bytes);
    }
}

static void find_ports(struct host_device *device)
{
    const struct program *program = device->machine.program;
    device->input_buffers =
        memory_allocate_zeroed((size_t)program->input_count + 1, sizeof *device->input_buffers);
    device->output_buffers =
        memory_allocate_zeroed((size_t)program->output_count + 1, sizeof *device->output_buffers);
    for (uint32_t i = 0; i < program->input_count; i++)
        device->input_buffers[i] = program_port(program, program->inputs[i]);
    for (uint32_t i = 0; i < program->output_count; i++)
        device->output_buffers[i] = program_port(program, program->outputs[i]);
}

static status find_kept(struct host_device *device, const struct host_options *options)
{
    const struct program *program = device->machine.program;
    const size_t inputs = (size_t)program->input_count + 1;
    const size_t outputs = (size_t)program->output_count + 1;
    device->state = options->state;
    device->kept_inputs = memory_allocate(inputs * sizeof *device->kept_inputs);
    device->kept_outputs = memory_allocate(outputs * sizeof *device->kept_outputs);
    memset(device->kept_inputs, 0xff, inputs * sizeof *device->kept_inputs);
    memset(device->kept_outputs, 0xff, outputs * sizeof *device->kept_outputs);
    for (size_t i = 0; device->state != NULL && i < options->kept_count; i++) {
        const struct device_pair *pair = &options->kept[i];
        const struct network *network = device->machine.network;
        uint32_t place, given;
        struct network_value next = *network_value(network, program->outputs[pair->output]);
        next.name = network_value(network, program->inputs[pair->input])->name;
        STATUS_TRY(device_state_find(device->state,
                                     network_value(network, program->inputs[pair->input]), &place));
        STATUS_TRY(device_state_find(device->state, &next, &given));
        device->kept_inputs[pair->input] = place;
        device->kept_outputs[pair->output] = place;
    }
    return STATUS_OK;
}

static status host_find_kernels(struct host_machine *machine)
{
    for (uint32_t i = 0; i < machine->network->nodes.count; i++) {
        const struct network_node *node = network_node(machine->network, i);
        machine->kernels[i] = kernel_find(node->definition);
        if (machine->kernels[i] == NULL)
            return status_make(STATUS_UNSUPPORTED, "this machine has no kernel for %.*s",
                               VIEW_ARGUMENTS(node->type));
    }
    return STATUS_OK;
}

// A processor does one task after the other, where values lie.
static bool runs_on_processor(const struct host_machine *machine)
{
    const uint32_t engine = target_engine_with(machine->target, TARGET_ROLE_COMPUTE);
    if (!target_is_processor(machine->target))
        return false;
    for (uint32_t i = 0; i < machine->program->task_count; i++) {
        const struct program_task *task = &machine->program->tasks[i];
        if (task->engine != engine || task->unit != 0 || task->lane != 0 || task->stage_count > 0)
            return false;
    }
    return true;
}

static status host_prepare_device(struct host_device *device, const struct host_options *options)
{
    struct host_machine *machine = &device->machine;
    struct verify_counts counts;
    machine->watch = options->watch;
    // What is proved stays within its buffers.
    if (!options->trusted)
        STATUS_TRY(program_verify(machine->program, machine->target, &counts));
    STATUS_TRY(program_load(machine->program, &machine->network));
    machine->kernels =
        memory_allocate_zeroed((size_t)machine->network->nodes.count + 1, sizeof *machine->kernels);
    host_worker_make(&machine->worker, machine->network, parallel_create(options->threads));
    STATUS_TRY(host_find_kernels(machine));
    STATUS_TRY(executor_create(machine->network,
                               &(struct executor_options){.parallel = machine->worker.parallel},
                               &machine->executor));
    STATUS_TRY(make_memories(machine, options->fill));
    if (machine->program->stage_count > 0)
        machine->rings =
            memory_allocate_zeroed((size_t)machine->program->buffer_count + 1, sizeof(void *));
    if (runs_on_processor(machine))
        machine->constants =
            memory_allocate_zeroed((size_t)machine->program->buffer_count + 1, sizeof(void *));
    else
        load_constants(machine);
    find_ports(device);
    STATUS_TRY(find_kept(device, options));
    if (runs_on_processor(machine))
        STATUS_TRY(host_steps_create(machine, machine->worker.parallel, options, &machine->steps));
    device->schedule = host_schedule_create(machine);
    return STATUS_OK;
}

status host_device_create(const struct program *program, const struct target *target,
                          const struct host_options *options, struct host_device **out_device)
{
    struct host_device *device = memory_allocate_zeroed(1, sizeof *device);
    struct host_machine *machine = &device->machine;
    device->base.kind = &DEVICE_HOST;
    machine->program = program;
    for (unsigned i = 0; i < HOST_CONSTANT_LOCKS; i++)
        pthread_mutex_init(&machine->constants_locks[i], NULL);
    machine->target = target;
    machine->data =
        memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *machine->data);
    const status failure = host_prepare_device(device, options);
    if (failure != STATUS_OK) {
        host_device_free(device);
        return failure;
    }
    *out_device = device;
    return STATUS_OK;
}

static void drop_data(struct host_machine *machine)
{
    for (uint32_t i = 0; i < machine->program->buffer_count; i++) {
        datum_release(machine->data[i]);
        machine->data[i] = NULL;
    }
}

void host_device_free(struct host_device *device)
{
    if (device == NULL)
        return;
    struct host_machine *machine = &device->machine;
    drop_data(machine);
    host_profile_free(device->profile);
    host_schedule_free(device->schedule);
    host_steps_free(machine->steps);
    host_worker_drop(&machine->worker, machine->network);
    for (uint32_t i = 0; machine->memories != NULL && i < machine->target->memory_unit_count; i++)
        datum_release(machine->memories[i]);
    free(machine->memories);
    free(machine->rings);
    executor_free(machine->executor);
    network_free(machine->network);
    free(machine->data);
    free(machine->constants);
    for (unsigned i = 0; i < HOST_CONSTANT_LOCKS; i++)
        pthread_mutex_destroy(&machine->constants_locks[i]);
    free(machine->kernels);
    free(device->input_buffers);
    free(device->output_buffers);
    free(device->kept_inputs);
    free(device->kept_outputs);
    free(device);
}

const struct network *host_device_network(const struct host_device *device)
{
    return device->machine.network;
}

// Iterations -----------------------------------------------------------------------------

static status host_set_input(struct host_device *device, uint32_t index, struct datum *datum)
{
    const uint32_t value = device->machine.program->inputs[index];
    const uint32_t buffer = device->input_buffers[index];
    const struct network_value *item = network_value(device->machine.network, value);
    if (datum == NULL && device->kept_inputs[index] != NOT_KEPT)
        datum = device_state_get(device->state, device->kept_inputs[index]);
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
    const status failure = host_buffer_write(&device->machine, datum, buffer);
    return failure == STATUS_OK
               ? STATUS_OK
               : status_within(failure, "input '%.*s'", VIEW_ARGUMENTS(item->name));
}

static status get_output(struct host_device *device, uint32_t index, struct datum **out_datum)
{
    STATUS_TRY(host_buffer_read(&device->machine, device->machine.program->outputs[index],
                                device->output_buffers[index], out_datum));
    if (*out_datum == NULL)
        return status_make(STATUS_DATA, "output %" PRIu32 " is never written", index);
    return datum_own(*out_datum);
}

// What stays is taken when all of it is there, so that a run that fails leaves the state as it was.
static void keep_outputs(struct host_device *device, struct datum **outputs)
{
    for (uint32_t i = 0; i < device->machine.program->output_count; i++) {
        if (device->kept_outputs[i] == NOT_KEPT)
            continue;
        device_state_put(device->state, device->kept_outputs[i], outputs[i]);
        outputs[i] = NULL;
    }
}

static void wait_a_little(void *context, uint64_t from, uint64_t to)
{
    enum { LOOKS = 1000 };
    (void)context;
    for (volatile uint64_t i = 0; i < (to - from) * LOOKS; i++)
        continue;
}

// Tasks that are timed find the workers awake, as they are inside a network.
static void wake_workers(struct parallel *parallel)
{
    enum { PIECES = 200 };
    parallel_for(parallel, PIECES, 1, wait_a_little, NULL);
}

static status host_run_all(struct host_device *device, struct datum *const *inputs,
                           size_t input_count, struct datum **out_outputs)
{
    const struct program *program = device->machine.program;
    for (uint32_t i = 0; i < program->input_count; i++)
        STATUS_TRY(host_set_input(device, i, i < input_count ? inputs[i] : NULL));
    if (device->machine.times != NULL)
        wake_workers(device->machine.worker.parallel);
    STATUS_TRY(host_schedule_run(device->schedule, device->profile));
    for (uint32_t i = 0; i < program->output_count; i++)
        STATUS_TRY(get_output(device, i, &out_outputs[i]));
    keep_outputs(device, out_outputs);
    return STATUS_OK;
}

status host_device_run(struct host_device *device, struct datum *const *inputs, size_t input_count,
                       struct datum **out_outputs)
{
    for (uint32_t i = 0; i < device->machine.program->output_count; i++)
        out_outputs[i] = NULL;
    const status failure = host_run_all(device, inputs, input_count, out_outputs);
    drop_data(&device->machine);
    for (uint32_t i = 0; failure != STATUS_OK && i < device->machine.program->output_count; i++) {
        datum_release(out_outputs[i]);
        out_outputs[i] = NULL;
    }
    return failure;
}

void host_device_time_tasks(struct host_device *device, uint64_t *times)
{
    device->machine.times = times;
}

void host_device_span_tasks(struct host_device *device, struct host_span *spans)
{
    device->machine.spans = spans;
}

// Timing ---------------------------------------------------------------------------------

static status run_for_time(struct host_device *device, const struct network_graph *graph,
                           struct datum *const *inputs)
{
    struct datum **outputs =
        memory_allocate_zeroed((size_t)graph->output_count + 1, sizeof *outputs);
    const status failure = host_device_run(device, inputs, graph->input_count, outputs);
    for (uint32_t i = 0; failure == STATUS_OK && i < graph->output_count; i++)
        datum_release(outputs[i]);
    free(outputs);
    return failure;
}

status host_device_least_times(struct host_device *device, struct datum *const *inputs,
                               unsigned iterations, double *out_ns)
{
    const struct network_graph *graph = network_graph(host_device_network(device), 0);
    const size_t tasks = device->machine.program->task_count;
    uint64_t *times = memory_allocate_zeroed(tasks + 1, sizeof *times);
    status failure = run_for_time(device, graph, inputs);
    host_device_time_tasks(device, times);
    for (unsigned i = 0; failure == STATUS_OK && i < iterations; i++) {
        memset(times, 0, (tasks + 1) * sizeof *times);
        failure = run_for_time(device, graph, inputs);
        for (size_t j = 0; j < tasks; j++) {
            if (i == 0 || (double)times[j] < out_ns[j])
                out_ns[j] = (double)times[j];
        }
    }
    host_device_time_tasks(device, NULL);
    free(times);
    return failure;
}

// The interface --------------------------------------------------------------------------

struct host_device *host_device_of(struct device *device)
{
    return (struct host_device *)device;
}

struct device *host_device_base(struct host_device *device)
{
    return &device->base;
}

static status host_load_program(const struct program *program, const struct target *target,
                                const struct device_options *options, struct device **out_device)
{
    struct host_device *device;
    const struct host_options host = {.threads = options->threads,
                                      .watch = options->watch,
                                      .state = options->state,
                                      .kept = options->kept,
                                      .kept_count = options->kept_count};
    STATUS_TRY(host_device_create(program, target, &host, &device));
    *out_device = &device->base;
    return STATUS_OK;
}

static void free_device(struct device *device)
{
    host_device_free(host_device_of(device));
}

static const struct network *host_network_of(const struct device *device)
{
    return host_device_network((const struct host_device *)device);
}

static void record_runs(struct device *device, struct recorder *recorder)
{
    struct host_device *host = host_device_of(device);
    host_profile_free(host->profile);
    host->profile = host_profile_create(host->machine.program, host->machine.target, recorder);
}

static status host_run_once(struct device *device, struct datum *const *inputs, size_t input_count,
                            struct datum **out_outputs)
{
    return host_device_run(host_device_of(device), inputs, input_count, out_outputs);
}

const struct device_kind DEVICE_HOST = {
    .name = "host",
    .measures = true,
    .load = host_load_program,
    .free = free_device,
    .network = host_network_of,
    .profile = record_runs,
    .run = host_run_once,
};
