#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "kernels/parallel.h"

// What waits for a thread.
struct request {
    uint32_t index;
    uint64_t enqueued;
};

struct activation {
    struct device *device;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next_ticket; // in line for the device
    uint64_t serving;
    unsigned under_way;
    // Of runtime_run: a ring of set_size.
    struct request *requests;
    unsigned first_request, request_count;
    uint32_t next_index;
    bool finished; // there are no more
};

struct runtime {
    struct runtime_options options;
    struct activation *activations;
    uint32_t input_count, output_count;
    // Of runtime_run.
    const struct runtime_client *client;
    pthread_mutex_t lock; // of what activations share
    status failure;
    bool failed;
};

// Making -------------------------------------------------------------------------------

static unsigned workers_of(const struct runtime_options *options)
{
    if (options->workers > 0)
        return options->workers;
    struct parallel *all = parallel_create(0);
    const unsigned cpus = parallel_threads(all);
    parallel_free(all);
    return cpus > options->activations ? cpus / options->activations : 1;
}

status runtime_create(const struct choice_program *programs, size_t count,
                      const struct target *target, const struct runtime_options *options,
                      struct runtime **out_runtime)
{
    struct runtime *runtime = memory_allocate_zeroed(1, sizeof *runtime);
    const struct device_options device = {.threads = workers_of(options)};
    runtime->options = *options;
    for (size_t i = 0; i < count; i++) {
        const struct program *program = programs[i].program;
        if (program->input_count > runtime->input_count)
            runtime->input_count = program->input_count;
        if (program->output_count > runtime->output_count)
            runtime->output_count = program->output_count;
    }
    runtime->activations =
        memory_allocate_zeroed((size_t)options->activations + 1, sizeof *runtime->activations);
    pthread_mutex_init(&runtime->lock, NULL);
    for (unsigned i = 0; i < options->activations; i++) {
        struct activation *activation = &runtime->activations[i];
        pthread_mutex_init(&activation->lock, NULL);
        pthread_cond_init(&activation->changed, NULL);
        activation->requests =
            memory_allocate_zeroed((size_t)options->set_size + 1, sizeof *activation->requests);
    }
    status failure = STATUS_OK;
    for (unsigned i = 0; i < options->activations && failure == STATUS_OK; i++)
        failure = choice_device_load(options->kind, programs, count, target, &device,
                                     &runtime->activations[i].device);
    if (failure != STATUS_OK) {
        runtime_free(runtime);
        return failure;
    }
    *out_runtime = runtime;
    return STATUS_OK;
}

void runtime_free(struct runtime *runtime)
{
    if (runtime == NULL)
        return;
    for (unsigned i = 0; i < runtime->options.activations; i++) {
        struct activation *activation = &runtime->activations[i];
        device_free(activation->device);
        pthread_mutex_destroy(&activation->lock);
        pthread_cond_destroy(&activation->changed);
        free(activation->requests);
    }
    pthread_mutex_destroy(&runtime->lock);
    free(runtime->activations);
    free(runtime);
}

struct device *runtime_device(const struct runtime *runtime, uint32_t activation)
{
    return runtime->activations[activation].device;
}

// One inference ------------------------------------------------------------------------

static bool has_failed(struct runtime *runtime)
{
    pthread_mutex_lock(&runtime->lock);
    const bool failed = runtime->failed;
    pthread_mutex_unlock(&runtime->lock);
    return failed;
}

static void release_data(struct datum **data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        datum_release(data[i]);
        data[i] = NULL;
    }
}

// References are not counted across threads: an inference has data of its own.
static status copy_datum(const struct datum *from, struct datum **out_copy)
{
    if (from->kind == DATUM_TENSOR && from->tensor.element != ELEMENT_TEXT) {
        STATUS_TRY(datum_tensor(from->tensor.element, &from->tensor.shape, out_copy));
        memcpy((*out_copy)->tensor.data, from->tensor.data, tensor_bytes(&from->tensor));
        return STATUS_OK;
    }
    return status_make(STATUS_UNSUPPORTED, "inputs that are no tensors of numbers are not queued");
}

static status copy_inputs(const struct runtime *runtime, struct datum *const *inputs, size_t count,
                          struct datum **copies)
{
    for (uint32_t i = 0; i < runtime->input_count && i < count; i++) {
        if (inputs[i] != NULL)
            STATUS_TRY(copy_datum(inputs[i], &copies[i]));
    }
    return STATUS_OK;
}

// They are served in the order in which they were taken: what one leaves on the device is the next
// one's.
static void wait_in_line(struct activation *activation, uint64_t ticket,
                         struct runtime_inference *inference)
{
    pthread_mutex_lock(&activation->lock);
    inference->line_ahead = (uint32_t)(ticket - activation->serving);
    inference->submitted = monotonic_ns();
    while (activation->serving != ticket)
        pthread_cond_wait(&activation->changed, &activation->lock);
    pthread_mutex_unlock(&activation->lock);
    inference->started = monotonic_ns();
}

static void leave_line(struct activation *activation, struct runtime_inference *inference)
{
    inference->completed = monotonic_ns();
    pthread_mutex_lock(&activation->lock);
    activation->serving++;
    pthread_cond_broadcast(&activation->changed);
    pthread_mutex_unlock(&activation->lock);
}

static status infer(struct runtime *runtime, struct datum *const *inputs, size_t input_count,
                    uint64_t ticket, struct runtime_inference *inference,
                    struct datum **out_outputs)
{
    struct activation *activation = &runtime->activations[inference->activation];
    const struct runtime_client *client = runtime->client;
    struct datum **copies =
        memory_allocate_zeroed((size_t)runtime->input_count + 1, sizeof *copies);
    status result = has_failed(runtime) ? status_make(STATUS_DATA, "an inference before it failed")
                                        : copy_inputs(runtime, inputs, input_count, copies);
    inference->prepared = monotonic_ns();
    wait_in_line(activation, ticket, inference);
    if (result == STATUS_OK)
        result = device_run(activation->device, copies, runtime->input_count, out_outputs);
    if (client != NULL && client->computed != NULL && result == STATUS_OK)
        client->computed(client->context, inference);
    leave_line(activation, inference);
    release_data(copies, runtime->input_count);
    free(copies);
    inference->ended = monotonic_ns();
    return result;
}

status runtime_infer(struct runtime *runtime, struct datum *const *inputs, size_t input_count,
                     struct runtime_inference *inference, struct datum **out_outputs)
{
    struct activation *activation = &runtime->activations[inference->activation];
    inference->enqueued = monotonic_ns();
    pthread_mutex_lock(&activation->lock);
    while (activation->under_way == runtime->options.set_size)
        pthread_cond_wait(&activation->changed, &activation->lock);
    activation->under_way++;
    const uint64_t ticket = activation->next_ticket++;
    pthread_mutex_unlock(&activation->lock);
    inference->taken = monotonic_ns();
    const status result = infer(runtime, inputs, input_count, ticket, inference, out_outputs);
    pthread_mutex_lock(&activation->lock);
    activation->under_way--;
    pthread_cond_broadcast(&activation->changed);
    pthread_mutex_unlock(&activation->lock);
    return result;
}

// Queues -------------------------------------------------------------------------------

struct worker {
    struct runtime *runtime;
    uint32_t activation;
    pthread_t thread;
    bool started;
};

static void note_failure(struct runtime *runtime, status failure)
{
    pthread_mutex_lock(&runtime->lock);
    runtime->failure = status_first(runtime->failure, failure);
    runtime->failed = true;
    pthread_mutex_unlock(&runtime->lock);
}

// Asks for inferences up to the size of the set. The activation's lock is held.
static void fill_queue(struct runtime *runtime, uint32_t number)
{
    struct activation *activation = &runtime->activations[number];
    const struct runtime_client *client = runtime->client;
    const unsigned room = runtime->options.set_size;
    while (!activation->finished && activation->under_way + activation->request_count < room) {
        if (has_failed(runtime) || !client->more(client->context, number, activation->next_index)) {
            activation->finished = true;
            pthread_cond_broadcast(&activation->changed);
            return;
        }
        const unsigned at = (activation->first_request + activation->request_count++) % room;
        activation->requests[at] = (struct request){activation->next_index++, monotonic_ns()};
        pthread_cond_broadcast(&activation->changed);
    }
}

static bool take_request(struct worker *worker, struct runtime_inference *inference,
                         uint64_t *out_ticket)
{
    struct runtime *runtime = worker->runtime;
    struct activation *activation = &runtime->activations[worker->activation];
    pthread_mutex_lock(&activation->lock);
    while (activation->request_count == 0 && !activation->finished)
        pthread_cond_wait(&activation->changed, &activation->lock);
    const bool found = activation->request_count > 0;
    if (found) {
        const struct request request = activation->requests[activation->first_request];
        activation->first_request = (activation->first_request + 1) % runtime->options.set_size;
        activation->request_count--;
        activation->under_way++;
        *out_ticket = activation->next_ticket++;
        *inference = (struct runtime_inference){.activation = worker->activation,
                                                .index = request.index,
                                                .enqueued = request.enqueued,
                                                .taken = monotonic_ns()};
    }
    pthread_mutex_unlock(&activation->lock);
    return found;
}

static void end_request(struct worker *worker)
{
    struct activation *activation = &worker->runtime->activations[worker->activation];
    pthread_mutex_lock(&activation->lock);
    activation->under_way--;
    fill_queue(worker->runtime, worker->activation);
    pthread_mutex_unlock(&activation->lock);
}

static status serve_one(struct runtime *runtime, struct runtime_inference *inference,
                        uint64_t ticket, struct datum **outputs)
{
    const struct runtime_client *client = runtime->client;
    struct datum *const *inputs =
        client->inputs(client->context, inference->activation, inference->index);
    STATUS_TRY(infer(runtime, inputs, runtime->input_count, ticket, inference, outputs));
    pthread_mutex_lock(&runtime->lock);
    const status result = client->done(client->context, inference, outputs);
    pthread_mutex_unlock(&runtime->lock);
    return result;
}

static void *serve(void *context)
{
    struct worker *worker = context;
    struct runtime *runtime = worker->runtime;
    struct datum **outputs =
        memory_allocate_zeroed((size_t)runtime->output_count + 1, sizeof *outputs);
    struct runtime_inference inference;
    uint64_t ticket;
    while (take_request(worker, &inference, &ticket)) {
        const status failure = serve_one(runtime, &inference, ticket, outputs);
        if (failure != STATUS_OK)
            note_failure(runtime, failure);
        release_data(outputs, runtime->output_count);
        end_request(worker);
    }
    free(outputs);
    return NULL;
}

static void start_workers(struct runtime *runtime, struct worker *workers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        workers[i] = (struct worker){.runtime = runtime,
                                     .activation = (uint32_t)(i % runtime->options.activations)};
        workers[i].started = pthread_create(&workers[i].thread, NULL, serve, &workers[i]) == 0;
    }
    // What no thread could be started for is served here.
    for (size_t i = 0; i < count; i++) {
        if (!workers[i].started && i < runtime->options.activations)
            serve(&workers[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
    }
}

status runtime_run(struct runtime *runtime, const struct runtime_client *client)
{
    const size_t count = (size_t)runtime->options.activations * runtime->options.threads;
    struct worker *workers = memory_allocate_zeroed(count + 1, sizeof *workers);
    runtime->client = client;
    for (uint32_t i = 0; i < runtime->options.activations; i++) {
        struct activation *activation = &runtime->activations[i];
        activation->finished = false;
        activation->next_index = 0;
        fill_queue(runtime, i);
    }
    start_workers(runtime, workers, count);
    free(workers);
    const status failure = runtime->failure;
    runtime->failure = STATUS_OK;
    runtime->failed = false;
    runtime->client = NULL;
    return failure;
}
