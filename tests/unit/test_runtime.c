// Queues of inferences on made-up devices, and which inferences are sampled.

#include "runtime/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/sampling.h"

// Sampling ------------------------------------------------------------------------------

// What the words say, inference by inference.
static unsigned expected_samples(const struct sampling *rules, uint64_t step, unsigned count,
                                 bool *out_sampled)
{
    unsigned taken = 0, first = UINT32_MAX;
    for (unsigned i = 0; i < count; i++) {
        out_sampled[i] = false;
        if (i < rules->start_iteration || i * step < rules->delay_ns || taken == rules->samples)
            continue;
        first = first == UINT32_MAX ? i : first;
        const bool late = rules->duration_ns > 0 && (i - first) * step >= rules->duration_ns;
        out_sampled[i] = !late && (i - first) % rules->every == 0;
        taken += out_sampled[i];
    }
    return taken;
}

static void test_every_combination_of_sampling(void **state)
{
    static const uint32_t SAMPLES[] = {1, 2, 5, 100}, STARTS[] = {0, 1, 7, 50},
                          EVERY[] = {1, 2, 16};
    static const uint64_t DELAYS[] = {0, 30, 1000}, DURATIONS[] = {0, 1, 45};
    enum { COUNT = 40, STEP = 10 };
    (void)state;
    for (unsigned c = 0; c < 4 * 4 * 3 * 3 * 3; c++) {
        const struct sampling rules = {.samples = SAMPLES[c % 4],
                                       .start_iteration = STARTS[c / 4 % 4],
                                       .every = EVERY[c / 16 % 3],
                                       .delay_ns = DELAYS[c / 48 % 3],
                                       .duration_ns = DURATIONS[c / 144 % 3]};
        struct sampling_state got = {0};
        bool want[COUNT];
        const unsigned taken = expected_samples(&rules, STEP, COUNT, want);
        for (unsigned i = 0; i < COUNT; i++)
            assert_int_equal(sampling_take(&rules, &got, i, i * STEP), want[i]);
        assert_int_equal(got.taken, taken);
    }
}

// Inferences until it ends; `step` ns each.
static uint32_t run_on(const struct sampling *rules, uint32_t iterations, uint64_t step,
                       struct sampling_state *out_state)
{
    uint32_t index = 0, resumed = 0;
    *out_state = (struct sampling_state){0};
    while (sampling_goes_on(rules, out_state, iterations, index, index * step, &resumed)) {
        sampling_take(rules, out_state, index, index * step);
        assert_true(++index < 100000);
    }
    return index;
}

static void test_a_delay_is_waited_for(void **state)
{
    struct sampling_state got;
    (void)state;
    // 200 inferences of 1 ms, three samples after a second.
    struct sampling rules = {.samples = 3, .delay_ns = 1000, .every = 1};
    assert_int_equal(run_on(&rules, 200, 1, &got), 1003);
    assert_int_equal(got.taken, 3);
    assert_int_equal(got.first, 1000);
    // It is over within the run.
    assert_int_equal(run_on(&rules, 1100, 1, &got), 1100);
    assert_int_equal(got.taken, 3);
    // With the last inference: the others follow.
    assert_int_equal(run_on(&rules, 1001, 1, &got), 1003);
    assert_int_equal(got.taken, 3);
    // More samples than the run could ever have had: one is enough.
    rules.samples = 1000000;
    assert_int_equal(run_on(&rules, 200, 1, &got), 1001);
    assert_int_equal(run_on(&rules, 1100, 1, &got), 1100);
    assert_int_equal(got.taken, 100);
    // Every 16th, and a time that ends before there are all.
    rules = (struct sampling){.samples = 3, .delay_ns = 1000, .every = 16};
    assert_int_equal(run_on(&rules, 200, 1, &got), 1033);
    rules.duration_ns = 20;
    assert_int_equal(run_on(&rules, 200, 1, &got), 1020);
    assert_int_equal(got.taken, 2);
    // A start that is never reached does not go on for ever.
    rules = (struct sampling){.samples = 1, .delay_ns = 10, .every = 1, .start_iteration = 5000};
    assert_int_equal(run_on(&rules, 20, 1, &got), 40);
    assert_int_equal(got.taken, 0);
    rules.delay_ns = 0;
    assert_int_equal(run_on(&rules, 20, 1, &got), 20);
}

// A device that adds one ----------------------------------------------------------------

struct adder {
    struct device base;
    unsigned at_once; // inferences on it
};

static const struct device_kind ADDER;
static pthread_barrier_t *meeting; // NULL: devices do not wait for one another
static unsigned fails_after;       // 0: never
static unsigned runs;
static pthread_mutex_t runs_lock = PTHREAD_MUTEX_INITIALIZER;

static status adder_load(const struct program *program, const struct target *target,
                         const struct device_options *options, struct device **out_device)
{
    struct adder *adder = calloc(1, sizeof *adder);
    (void)program, (void)target, (void)options;
    adder->base.kind = &ADDER;
    *out_device = &adder->base;
    return STATUS_OK;
}

static status adder_run(struct device *device, struct datum *const *inputs, size_t count,
                        struct datum **out_outputs)
{
    struct adder *adder = (struct adder *)device;
    const struct shape one = {0};
    assert_int_equal(count, 1);
    assert_int_equal(__atomic_add_fetch(&adder->at_once, 1, __ATOMIC_SEQ_CST), 1);
    pthread_mutex_lock(&runs_lock);
    const bool fails = fails_after > 0 && ++runs > fails_after;
    pthread_mutex_unlock(&runs_lock);
    out_outputs[0] = NULL;
    if (meeting != NULL)
        pthread_barrier_wait(meeting); // all activations, or it hangs
    status result = fails ? status_make(STATUS_DATA, "broken") : STATUS_OK;
    if (result == STATUS_OK)
        result = datum_tensor(ELEMENT_I32, &one, &out_outputs[0]);
    if (result == STATUS_OK)
        *(int32_t *)out_outputs[0]->tensor.data = *(int32_t *)inputs[0]->tensor.data + 1;
    __atomic_sub_fetch(&adder->at_once, 1, __ATOMIC_SEQ_CST);
    return result;
}

static void adder_free(struct device *device)
{
    free(device);
}

static const struct device_kind ADDER = {
    .name = "adder", .load = adder_load, .run = adder_run, .free = adder_free};

// Queues --------------------------------------------------------------------------------

enum { MOST_ACTIVATIONS = 4, MOST_INFERENCES = 64 };

struct asking {
    unsigned count; // of each activation
    struct datum *inputs[MOST_ACTIVATIONS][MOST_INFERENCES];
    struct runtime_inference done[MOST_ACTIVATIONS][MOST_INFERENCES];
    unsigned done_count;
    unsigned queued[MOST_ACTIVATIONS], ended[MOST_ACTIVATIONS];
    unsigned set_size;
};

static bool asking_more(void *context, uint32_t activation, uint32_t index)
{
    struct asking *asking = context;
    if (index >= asking->count)
        return false;
    assert_int_equal(index, asking->queued[activation]);
    const unsigned ended = __atomic_load_n(&asking->ended[activation], __ATOMIC_SEQ_CST);
    asking->queued[activation]++;
    // `ended` counts a moment before the runtime does.
    assert_true(asking->queued[activation] - ended <= asking->set_size);
    return true;
}

static struct datum *const *asking_inputs(void *context, uint32_t activation, uint32_t index)
{
    struct asking *asking = context;
    return &asking->inputs[activation][index];
}

static status asking_done(void *context, const struct runtime_inference *inference,
                          struct datum *const *outputs)
{
    struct asking *asking = context;
    const int32_t sum = *(const int32_t *)outputs[0]->tensor.data;
    assert_int_equal(sum, (int32_t)(inference->activation * 1000 + inference->index + 1));
    asking->done[inference->activation][inference->index] = *inference;
    asking->done_count++;
    __atomic_add_fetch(&asking->ended[inference->activation], 1, __ATOMIC_SEQ_CST);
    return STATUS_OK;
}

static void asking_start(struct asking *asking, unsigned activations, unsigned count)
{
    const struct shape one = {0};
    *asking = (struct asking){.count = count};
    for (unsigned a = 0; a < activations; a++) {
        for (unsigned i = 0; i < count; i++) {
            assert_true(datum_tensor(ELEMENT_I32, &one, &asking->inputs[a][i]) == STATUS_OK);
            *(int32_t *)asking->inputs[a][i]->tensor.data = (int32_t)(a * 1000 + i);
        }
    }
}

static void asking_free(struct asking *asking)
{
    for (unsigned a = 0; a < MOST_ACTIVATIONS; a++) {
        for (unsigned i = 0; i < MOST_INFERENCES; i++)
            datum_release(asking->inputs[a][i]);
    }
}

static struct runtime *start_runtime(unsigned activations, unsigned set_size, unsigned threads)
{
    static struct program program;
    static const struct choice_program programs[] = {{.program = &program}};
    struct runtime *runtime;
    program.input_count = program.output_count = 1;
    const struct runtime_options options = {.kind = &ADDER,
                                            .activations = activations,
                                            .set_size = set_size,
                                            .threads = threads,
                                            .workers = 1};
    assert_true(runtime_create(programs, 1, NULL, &options, &runtime) == STATUS_OK);
    return runtime;
}

// Times in order, and the device serves in order too.
static void check_times(const struct asking *asking, unsigned activation)
{
    for (unsigned i = 0; i < asking->count; i++) {
        const struct runtime_inference *one = &asking->done[activation][i];
        assert_true(one->enqueued <= one->taken && one->taken <= one->prepared &&
                    one->prepared <= one->submitted && one->submitted <= one->started &&
                    one->started <= one->completed && one->completed <= one->ended);
        assert_true(one->line_ahead < asking->set_size);
        for (unsigned k = 0; k < asking->count; k++) {
            const struct runtime_inference *other = &asking->done[activation][k];
            if (k < i)
                assert_true(other->completed <= one->started);
        }
    }
}

static void test_queues_of_all_sizes(void **state)
{
    static const unsigned SIZES[][3] = {{1, 1, 1}, {1, 10, 4}, {1, 2, 8}, {3, 1, 4}, {4, 5, 2}};
    struct asking *asking = calloc(1, sizeof *asking);
    (void)state;
    for (size_t c = 0; c < sizeof SIZES / sizeof SIZES[0]; c++) {
        struct runtime *runtime = start_runtime(SIZES[c][0], SIZES[c][1], SIZES[c][2]);
        asking_start(asking, SIZES[c][0], 40);
        asking->set_size = SIZES[c][1];
        const struct runtime_client client = {
            .context = asking, .more = asking_more, .inputs = asking_inputs, .done = asking_done};
        assert_true(runtime_run(runtime, &client) == STATUS_OK);
        assert_int_equal(asking->done_count, 40 * SIZES[c][0]);
        for (unsigned a = 0; a < SIZES[c][0]; a++)
            check_times(asking, a);
        asking_free(asking);
        runtime_free(runtime);
    }
    free(asking);
}

static void test_activations_run_at_the_same_time(void **state)
{
    pthread_barrier_t barrier;
    struct asking *asking = calloc(1, sizeof *asking);
    struct runtime *runtime = start_runtime(3, 2, 2);
    (void)state;
    pthread_barrier_init(&barrier, NULL, 3);
    meeting = &barrier;
    asking_start(asking, 3, 10);
    asking->set_size = 2;
    const struct runtime_client client = {
        .context = asking, .more = asking_more, .inputs = asking_inputs, .done = asking_done};
    assert_true(runtime_run(runtime, &client) == STATUS_OK);
    assert_int_equal(asking->done_count, 30);
    meeting = NULL;
    pthread_barrier_destroy(&barrier);
    asking_free(asking);
    runtime_free(runtime);
    free(asking);
}

static void test_a_failure_ends_the_run(void **state)
{
    struct asking *asking = calloc(1, sizeof *asking);
    struct runtime *runtime = start_runtime(2, 4, 2);
    (void)state;
    asking_start(asking, 2, 40);
    asking->set_size = 4;
    fails_after = 5;
    runs = 0;
    const struct runtime_client client = {
        .context = asking, .more = asking_more, .inputs = asking_inputs, .done = asking_done};
    const status failure = runtime_run(runtime, &client);
    fails_after = 0;
    assert_true(failure != STATUS_OK);
    assert_string_equal(status_message(failure), "broken");
    status_free(failure);
    assert_int_equal(asking->done_count, 5);
    asking_free(asking);
    runtime_free(runtime);
    free(asking);
}

static void test_an_inference_on_the_calling_thread(void **state)
{
    const struct shape one = {0};
    struct runtime *runtime = start_runtime(1, 1, 1);
    struct runtime_inference inference = {0};
    struct datum *input, *output;
    (void)state;
    assert_true(datum_tensor(ELEMENT_I32, &one, &input) == STATUS_OK);
    *(int32_t *)input->tensor.data = 41;
    assert_true(runtime_infer(runtime, &input, 1, &inference, &output) == STATUS_OK);
    assert_int_equal(*(int32_t *)output->tensor.data, 42);
    assert_int_equal(input->references, 1);
    assert_true(inference.enqueued <= inference.taken && inference.completed <= inference.ended);
    datum_release(input);
    datum_release(output);
    runtime_free(runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination_of_sampling),
        cmocka_unit_test(test_a_delay_is_waited_for),
        cmocka_unit_test(test_queues_of_all_sizes),
        cmocka_unit_test(test_activations_run_at_the_same_time),
        cmocka_unit_test(test_a_failure_ends_the_run),
        cmocka_unit_test(test_an_inference_on_the_calling_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
