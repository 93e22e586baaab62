// The library that runs programs: opscope/session.h over the runtime.

#include <opscope/session.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "base/sort.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "device/sim.h"
#include "formats/qaic/qaic_program.h"
#include "formats/qaic/specializations.h"
#include "kernels/core/isa.h"
#include "kernels/executor.h"
#include "network/tensor_random.h"
#include "runtime/runtime.h"

enum { SET_SIZE_USUAL = 10, THREADS_USUAL = 4, MOST = 4096 };

struct port {
    char *name;
    const struct value_type *type;
    bool constant; // or it stays on the device
};

struct opscope_session {
    struct qaic_program container; // empty where the path is a program
    struct program *alone;         // the program then, and its target
    struct target *alone_target;
    struct choice_program program; // what runs: the first specialization
    const struct target *target;
    struct device_pair *kept;
    struct runtime *runtime;
    struct opscope_session_options options;
    struct port *ports[2];
    uint32_t port_counts[2];
    uint64_t modelled_ns;
    pthread_rwlock_t runs; // inferences share it, a benchmark has it alone
    pthread_mutex_t lock;  // of what follows
    uint32_t next;         // activation that is asked next
    uint64_t *times;       // total ones of all inferences
    size_t time_count, time_capacity;
};

// Opening ------------------------------------------------------------------------------

static bool is_program_file(const char *path)
{
    const size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, ".opx") == 0 && !folder_is(path);
}

static status read_program(const char *path, struct opscope_session *session)
{
    struct input *input;
    STATUS_TRY(input_map(path, &input));
    STATUS_TRY(program_read(input, &session->alone));
    STATUS_TRY(target_parse(path, session->alone->target_text, &session->alone_target));
    session->program.program = session->alone;
    session->target = session->alone_target;
    return STATUS_OK;
}

static status read_container(const char *path, struct opscope_session *session)
{
    struct qaic_program *container = &session->container;
    STATUS_TRY(qaic_program_open(path, container));
    if (container->program == NULL)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: was made by another compiler, for a card: nothing here can run it",
                           path);
    session->program.program = container->program;
    session->target = container->target;
    if (container->retained)
        STATUS_TRY(
            qaic_retained_find(container->program, &session->kept, &session->program.kept_count));
    session->program.kept = session->kept;
    return STATUS_OK;
}

static status find_modelled(struct opscope_session *session)
{
    struct sim_result *times;
    const struct target *target = session->target;
    STATUS_TRY(sim_run(session->program.program, target, COST_RULES_BEST, &times));
    session->modelled_ns = (uint64_t)((unsigned __int128)times->end * 1000000000 /
                                      (target->clock ? target->clock : 1));
    sim_result_free(times);
    return STATUS_OK;
}

static status check_port(const struct network_value *value)
{
    const struct value_type *type = &value->type;
    bool known = type->kind == VALUE_TENSOR && type->ranked && type->element != ELEMENT_TEXT;
    for (uint32_t i = 0; known && i < type->shape.rank; i++)
        known = type->shape.dims[i] >= 0;
    return known ? STATUS_OK
                 : status_make(STATUS_UNSUPPORTED,
                               "'%.*s' is no tensor of numbers with a known shape",
                               VIEW_ARGUMENTS(value->name));
}

static status describe_ports(struct opscope_session *session, const struct network *network,
                             uint32_t side, const uint32_t *values, uint32_t count)
{
    session->ports[side] = memory_allocate_zeroed((size_t)count + 1, sizeof *session->ports[side]);
    session->port_counts[side] = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct network_value *value = network_value(network, values[i]);
        struct port *port = &session->ports[side][i];
        STATUS_TRY(check_port(value));
        port->name = memory_allocate_zeroed(value->name.size + 1, 1);
        memcpy(port->name, value->name.data, value->name.size);
        port->type = &value->type;
        port->constant = side == OPSCOPE_SESSION_INPUTS && value->constant != NULL;
    }
    return STATUS_OK;
}

static status open_session(const char *path, struct opscope_session *session)
{
    const struct runtime_options options = {.kind = &DEVICE_HOST,
                                            .activations = session->options.activations,
                                            .set_size = session->options.set_size,
                                            .threads = session->options.threads};
    STATUS_TRY(isa_check());
    STATUS_TRY(is_program_file(path) ? read_program(path, session) : read_container(path, session));
    STATUS_TRY(find_modelled(session));
    STATUS_TRY(runtime_create(&session->program, 1, session->target, &options, &session->runtime));
    const struct network *network = choice_device_network(runtime_device(session->runtime, 0), 0);
    const struct network_graph *graph = network_graph(network, 0);
    STATUS_TRY(describe_ports(session, network, OPSCOPE_SESSION_INPUTS, graph->inputs,
                              graph->input_count));
    STATUS_TRY(describe_ports(session, network, OPSCOPE_SESSION_OUTPUTS, graph->outputs,
                              graph->output_count));
    for (size_t i = 0; i < session->program.kept_count; i++) {
        session->ports[OPSCOPE_SESSION_INPUTS][session->kept[i].input].constant = true;
        session->ports[OPSCOPE_SESSION_OUTPUTS][session->kept[i].output].constant = true;
    }
    return STATUS_OK;
}

static bool session_take_options(struct opscope_session_options *to, const void *from, size_t size)
{
    if (from != NULL && !api_take(to, sizeof *to, from, size))
        return false;
    to->activations = to->activations > 0 ? to->activations : 1;
    to->set_size = to->set_size > 0 ? to->set_size : SET_SIZE_USUAL;
    to->threads = to->threads > 0 ? to->threads : THREADS_USUAL;
    return to->activations <= MOST && to->set_size <= MOST && to->threads <= MOST;
}

int opscope_session_open_sized(const char *path, const struct opscope_session_options *options,
                               size_t options_size, struct opscope_session **out_session,
                               char *message, size_t size)
{
    struct opscope_session_options taken = {0};
    if (path == NULL || out_session == NULL)
        return api_refuse("a path and a place for the session are needed", message, size);
    if (!session_take_options(&taken, options, options_size))
        return api_refuse("the options are for another version, or too large", message, size);
    executor_fold_constants();
    struct opscope_session *session = memory_allocate_zeroed(1, sizeof *session);
    pthread_mutex_init(&session->lock, NULL);
    pthread_rwlock_init(&session->runs, NULL);
    session->options = taken;
    const status failure = open_session(path, session);
    if (failure != STATUS_OK) {
        opscope_session_free(session);
        return api_answer(failure, message, size);
    }
    *out_session = session;
    return OPSCOPE_OK;
}

void opscope_session_free(struct opscope_session *session)
{
    if (session == NULL)
        return;
    runtime_free(session->runtime);
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < session->port_counts[side]; i++)
            free(session->ports[side][i].name);
        free(session->ports[side]);
    }
    free(session->kept);
    program_free(session->alone);
    target_free(session->alone_target);
    qaic_program_free(&session->container);
    pthread_mutex_destroy(&session->lock);
    pthread_rwlock_destroy(&session->runs);
    free(session->times);
    free(session);
}

// Ports --------------------------------------------------------------------------------

uint32_t opscope_session_port_count(const struct opscope_session *session, uint32_t side)
{
    return side < 2 ? session->port_counts[side] : 0;
}

static uint64_t bytes_of(const struct port *port)
{
    return shape_count(&port->type->shape) * element_size(port->type->element);
}

int opscope_session_get_port_sized(const struct opscope_session *session, uint32_t side,
                                   uint32_t index, struct opscope_session_port *out_port,
                                   size_t size)
{
    if (side >= 2 || index >= session->port_counts[side])
        return OPSCOPE_ERROR_NOT_FOUND;
    const struct port *port = &session->ports[side][index];
    const struct opscope_session_port known = {.name = port->name,
                                               .element = element_name(port->type->element),
                                               .dims = port->type->shape.dims,
                                               .rank = port->type->shape.rank,
                                               .constant = port->constant,
                                               .bytes = bytes_of(port)};
    api_give(out_port, size, &known, sizeof known);
    return OPSCOPE_OK;
}

uint32_t opscope_session_batch(const struct opscope_session *session)
{
    const struct qaic_network *network = session->container.network;
    return network != NULL && network->batch_size > 0 ? (uint32_t)network->batch_size : 1;
}

uint64_t opscope_session_modelled_ns(const struct opscope_session *session)
{
    return session->modelled_ns;
}

// Inferences ---------------------------------------------------------------------------

static void session_release(struct datum **data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        datum_release(data[i]);
    free(data);
}

// Inputs over the caller's bytes, random where there are none.
static status make_inputs(const struct opscope_session *session, const void *const *given,
                          struct datum **inputs)
{
    for (uint32_t i = 0; i < session->port_counts[OPSCOPE_SESSION_INPUTS]; i++) {
        const struct port *port = &session->ports[OPSCOPE_SESSION_INPUTS][i];
        if (port->constant)
            continue;
        if (given != NULL && given[i] == NULL)
            return status_make(STATUS_USAGE, "input '%s' is not given", port->name);
        if (given == NULL) {
            STATUS_TRY(datum_tensor(port->type->element, &port->type->shape, &inputs[i]));
            tensor_random_fill(&inputs[i]->tensor, 0, i);
            continue;
        }
        const struct tensor tensor = {port->type->element, port->type->shape,
                                      (void *)(uintptr_t)given[i]};
        inputs[i] = datum_over(&tensor);
    }
    return STATUS_OK;
}

static void copy_outputs(const struct opscope_session *session, struct datum *const *outputs,
                         void *const *to)
{
    for (uint32_t i = 0; i < session->port_counts[OPSCOPE_SESSION_OUTPUTS]; i++) {
        if (to[i] != NULL && outputs[i] != NULL)
            memcpy(to[i], outputs[i]->tensor.data, tensor_bytes(&outputs[i]->tensor));
    }
}

static void note_time(struct opscope_session *session, uint64_t ns)
{
    pthread_mutex_lock(&session->lock);
    session->times = memory_grow(session->times, session->time_count, &session->time_capacity,
                                 sizeof *session->times);
    session->times[session->time_count++] = ns;
    pthread_mutex_unlock(&session->lock);
}

static status session_run(struct opscope_session *session, const void *const *inputs,
                          void *const *outputs, struct runtime_inference *inference)
{
    const uint32_t count = session->port_counts[OPSCOPE_SESSION_INPUTS];
    const uint32_t output_count = session->port_counts[OPSCOPE_SESSION_OUTPUTS];
    struct datum **data = memory_allocate_zeroed((size_t)count + 1, sizeof *data);
    struct datum **made = memory_allocate_zeroed((size_t)output_count + 1, sizeof *made);
    pthread_mutex_lock(&session->lock);
    inference->activation = session->next++ % session->options.activations;
    pthread_mutex_unlock(&session->lock);
    status result = make_inputs(session, inputs, data);
    if (result == STATUS_OK)
        result = runtime_infer(session->runtime, data, count, inference, made);
    if (result == STATUS_OK) {
        copy_outputs(session, made, outputs);
        inference->ended = monotonic_ns();
    }
    session_release(data, count);
    session_release(made, output_count);
    return result;
}

int opscope_session_run_sized(struct opscope_session *session, const void *const *inputs,
                              void *const *outputs, struct opscope_session_times *out_times,
                              size_t times_size, char *message, size_t size)
{
    struct runtime_inference at = {0};
    if (inputs == NULL || outputs == NULL)
        return api_refuse("inputs and outputs are needed", message, size);
    pthread_rwlock_rdlock(&session->runs);
    const status failure = session_run(session, inputs, outputs, &at);
    pthread_rwlock_unlock(&session->runs);
    if (failure != STATUS_OK)
        return api_answer(failure, message, size);
    const struct opscope_session_times times = {.total = at.ended - at.enqueued,
                                                .queue = at.taken - at.enqueued,
                                                .preparation = at.prepared - at.taken,
                                                .waiting = at.started - at.prepared,
                                                .execution = at.completed - at.started,
                                                .finishing = at.ended - at.completed};
    note_time(session, times.total);
    if (out_times != NULL)
        api_give(out_times, times_size, &times, sizeof times);
    return OPSCOPE_OK;
}

// Benchmarks ---------------------------------------------------------------------------

struct benchmark {
    uint64_t inferences; // 0: until the end
    uint64_t end;
    struct datum **inputs;
    uint64_t done;
};

static bool benchmark_more(void *context, uint32_t activation, uint32_t index)
{
    const struct benchmark *benchmark = context;
    (void)activation;
    return benchmark->inferences > 0 ? index < benchmark->inferences
                                     : index == 0 || monotonic_ns() < benchmark->end;
}

static struct datum *const *benchmark_inputs(void *context, uint32_t activation, uint32_t index)
{
    const struct benchmark *benchmark = context;
    (void)activation, (void)index;
    return benchmark->inputs;
}

static status benchmark_done(void *context, const struct runtime_inference *inference,
                             struct datum *const *outputs)
{
    struct benchmark *benchmark = context;
    (void)inference, (void)outputs;
    benchmark->done++;
    return STATUS_OK;
}

int opscope_session_run_benchmark_sized(struct opscope_session *session, const void *const *inputs,
                                        uint64_t inferences, uint32_t seconds,
                                        struct opscope_session_benchmark *out_benchmark,
                                        size_t benchmark_size, char *message, size_t size)
{
    const uint32_t count = session->port_counts[OPSCOPE_SESSION_INPUTS];
    if (inferences >= UINT32_MAX || (inferences == 0 && seconds == 0))
        return api_refuse("say how many inferences, or for how many seconds", message, size);
    struct benchmark benchmark = {.inferences = inferences,
                                  .inputs =
                                      memory_allocate_zeroed((size_t)count + 1, sizeof(void *))};
    const struct runtime_client client = {.context = &benchmark,
                                          .more = benchmark_more,
                                          .inputs = benchmark_inputs,
                                          .done = benchmark_done};
    status result = make_inputs(session, inputs, benchmark.inputs);
    pthread_rwlock_wrlock(&session->runs);
    const uint64_t begun = monotonic_ns();
    benchmark.end = begun + (uint64_t)seconds * 1000000000;
    if (result == STATUS_OK)
        result = runtime_run(session->runtime, &client);
    const struct opscope_session_benchmark done = {.inferences = benchmark.done,
                                                   .ns = monotonic_ns() - begun,
                                                   .batch = opscope_session_batch(session)};
    pthread_rwlock_unlock(&session->runs);
    session_release(benchmark.inputs, count);
    if (result != STATUS_OK)
        return api_answer(result, message, size);
    if (out_benchmark != NULL)
        api_give(out_benchmark, benchmark_size, &done, sizeof done);
    return OPSCOPE_OK;
}

// Metrics ------------------------------------------------------------------------------

static int session_by_time(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// The nearest rank, of thousandths.
static uint64_t rank_of(const uint64_t *sorted, size_t count, unsigned thousandths)
{
    const size_t rank = (count * thousandths + 999) / 1000;
    return sorted[rank > 0 ? rank - 1 : 0];
}

int opscope_session_get_metrics_sized(struct opscope_session *session,
                                      struct opscope_session_metrics *out_metrics, size_t size)
{
    pthread_mutex_lock(&session->lock);
    const size_t count = session->time_count;
    uint64_t *sorted = memory_allocate_zeroed(count + 1, sizeof *sorted);
    if (count > 0)
        memcpy(sorted, session->times, count * sizeof *sorted);
    pthread_mutex_unlock(&session->lock);
    if (count == 0) {
        free(sorted);
        return OPSCOPE_ERROR_NOT_FOUND;
    }
    sort_items(sorted, count, sizeof *sorted, session_by_time);
    struct opscope_session_metrics metrics = {.inferences = count,
                                              .least = sorted[0],
                                              .most = sorted[count - 1],
                                              .p25 = rank_of(sorted, count, 250),
                                              .p50 = rank_of(sorted, count, 500),
                                              .p75 = rank_of(sorted, count, 750),
                                              .p90 = rank_of(sorted, count, 900),
                                              .p99 = rank_of(sorted, count, 990),
                                              .p999 = rank_of(sorted, count, 999)};
    for (size_t i = 0; i < count; i++)
        metrics.sum += sorted[i];
    metrics.mean = (double)metrics.sum / (double)count;
    free(sorted);
    api_give(out_metrics, size, &metrics, sizeof metrics);
    return OPSCOPE_OK;
}

void opscope_session_reset_metrics(struct opscope_session *session)
{
    pthread_mutex_lock(&session->lock);
    session->time_count = 0;
    pthread_mutex_unlock(&session->lock);
}
