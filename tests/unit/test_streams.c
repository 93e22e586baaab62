// Programs of several streams on several cores: the evaluator against times worked out by
// hand and what must hold for any program, and the device `host` against plain sums.

#include "cores_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "device/host.h"
#include "device/sim.h"

// Times ----------------------------------------------------------------------------------

static void assert_times(const struct sim_times *times, uint64_t from, uint64_t to)
{
    assert_int_equal(times->start, from);
    assert_int_equal(times->end, to);
}

static void streams_overlap_and_share_the_port(void **state)
{
    (void)state;
    struct cores_example example;
    struct sim_result *result;
    cores_example_start(&example);
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_BEST, &result), STATUS_OK);
    assert_times(&result->tasks[example.load_b], 0, 32); // the port's share of one user
    assert_times(&result->tasks[example.spread], 32, 52);
    assert_times(&result->tasks[example.loads[0]], 52, 180); // the port has until 116,
    assert_times(&result->tasks[example.loads[1]], 116, 244);
    assert_times(&result->tasks[example.loads[2]], 180, 308); // then until 244
    assert_times(&result->tasks[example.adds[0]], 180, 230);
    assert_times(&result->tasks[example.adds[1]], 244, 294);
    assert_times(&result->tasks[example.adds[2]], 308, 358);
    assert_times(&result->tasks[example.stores[0]], 244, 372);
    assert_times(&result->tasks[example.stores[1]], 308, 436);
    assert_times(&result->tasks[example.stores[2]], 372, 500);
    assert_int_equal(result->actions[1].end, 500);
    assert_times(&result->tasks[example.kernels[0]], 500, 813);  // 256 + 25 + 32
    assert_times(&result->tasks[example.kernels[1]], 500, 1005); // they wait for the port
    assert_times(&result->tasks[example.kernels[2]], 500, 1197);
    assert_int_equal(result->end, 1197);
    sim_result_free(result);

    // The published rules know no ports.
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_PUBLIC, &result),
        STATUS_OK);
    assert_times(&result->tasks[example.load_b], 0, 10);
    assert_times(&result->tasks[example.loads[2]], 0, 100);
    sim_result_free(result);
    cores_end(&example.cores);
}

static void stages_work_side_by_side(void **state)
{
    (void)state;
    struct cores_example example;
    struct sim_result *result;
    cores_example_start(&example);
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_BEST, &result), STATUS_OK);
    assert_times(&result->stages[0].times, 500, 756);
    assert_times(&result->stages[1].times, 500, 781);
    assert_times(&result->stages[2].times, 500, 813);
    assert_int_equal(result->stages[0].awaited, 0);
    assert_int_equal(result->stages[1].awaited, 64);
    assert_int_equal(result->stages[2].awaited, 89);
    assert_int_equal(result->stages[3].awaited, 192); // of the next core, for the port
    assert_int_equal(result->stages[0].busy, 256);
    assert_int_equal(result->stages[1].busy, 100);
    assert_int_equal(result->stages[2].busy, 128);

    struct digest before = digest_start();
    struct digest after = digest_start();
    sim_digest(&example.cores.program, result, &before);
    result->stages[1].busy++;
    sim_digest(&example.cores.program, result, &after);
    assert_int_not_equal(digest_finish(&before), digest_finish(&after));
    sim_result_free(result);
    cores_end(&example.cores);
}

// Of two jobs: what a queue takes before its first step, until each core knows, and after the last.
static void queues_take_turns(void **state)
{
    (void)state;
    struct cores_example example;
    struct sim_result *result;
    cores_example_start(&example);
    struct target_queue *queue = &example.cores.target->queues[QUEUE_COMPUTE];
    queue->signal = 10;
    queue->signal_next = 3;
    queue->begin = 20;
    queue->end = 5;
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_BEST, &result), STATUS_OK);
    assert_int_equal(result->turn_count, 2 * CORES);
    for (uint32_t i = 0; i < CORES; i++) {
        const struct sim_turn *first = &result->turns[i];
        const uint32_t unit = example.cores.program.streams[first->stream].unit;
        assert_int_equal(first->job, 0);
        assert_int_equal(first->times.start, 10 + 3 * unit);
        assert_int_equal(first->times.end, result->tasks[example.adds[unit]].end + 5);
        const struct sim_turn *next = &result->turns[CORES + i];
        const uint32_t other = example.cores.program.streams[next->stream].unit;
        assert_int_equal(next->job, 1);
        assert_int_equal(next->task, example.kernels[other]);
        assert_int_equal(next->times.start, 500 + 10 + 3 * other);
        assert_int_equal(result->tasks[example.kernels[other]].start, next->times.start + 20);
        assert_int_equal(next->times.end, result->tasks[example.kernels[other]].end + 5);
    }
    assert_int_equal(result->end, 1197 + 30 + 5);
    sim_result_free(result);

    // The published rules know none.
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_PUBLIC, &result),
        STATUS_OK);
    assert_int_equal(result->turn_count, 0);
    sim_result_free(result);
    cores_end(&example.cores);
}

static void an_order_that_cannot_be_done_is_refused(void **state)
{
    (void)state;
    struct cores cores;
    struct sim_result *result;
    cores_start(&cores);
    cores_job(&cores);
    cores_await(&cores, cores_stream(1, QUEUE_LOAD), cores_stream(0, QUEUE_LOAD), 1);
    cores_signal(&cores, cores_stream(0, QUEUE_LOAD));
    cores_job_end(&cores);
    program_builder_view(cores.builder, &cores.program);
    const status failure = sim_run(&cores.program, cores.target, COST_RULES_BEST, &result);
    assert_string_equal(status_message(failure),
                        "step 0 awaits 1 signals of semaphore 0, of which 0 stand before it");
    status_free(failure);
    cores_end(&cores);
}

// Any program ----------------------------------------------------------------------------

enum { TASKS = 60 };

static uint64_t below(unsigned *seed, uint64_t most)
{
    return (uint64_t)rand_r(seed) % most;
}

static uint32_t task_at_random(struct cores *cores, unsigned *seed)
{
    const uint32_t engine = (uint32_t)below(seed, HOST);
    const uint32_t task = cores_task(cores, engine, (unsigned)below(seed, CORES), below(seed, 100),
                                     engine < SPREAD ? below(seed, 200) : 0);
    if (engine != KERNEL)
        return task;
    for (unsigned i = 0; i < 3; i++)
        cores_stage(cores, cores->target->engines[KERNEL].stages[i], below(seed, 100),
                    i == 1 ? 0 : below(seed, 200), 1 + (uint32_t)below(seed, 6));
    return task;
}

// Tasks that are waited for at some time or never, signals, and awaits of signals before.
static void fill_at_random(struct cores *cores, unsigned *seed)
{
    uint32_t signals[CORES * QUEUES] = {0};
    while (CORES_COUNT(cores, tasks) < TASKS) {
        cores_job(cores);
        for (unsigned i = 0; i < 20; i++) {
            const uint32_t task = task_at_random(cores, seed);
            const uint32_t stream = (uint32_t)below(seed, CORES * QUEUES);
            const uint32_t other = (uint32_t)below(seed, CORES * QUEUES);
            cores_begin(cores, task);
            if (below(seed, 2) == 0)
                cores_wait(cores, (uint32_t)below(seed, task + 1));
            cores_signal(cores, stream);
            signals[stream]++;
            if (other != stream && signals[other] > 0)
                cores_await(cores, stream, other, 1 + (uint32_t)below(seed, signals[other]));
        }
        if (below(seed, 2) == 0)
            cores_job_end(cores);
    }
    program_builder_view(cores->builder, &cores->program);
}

// One piece of work takes less time, or a port more bytes a second.
static void improve(struct cores *cores, unsigned *seed)
{
    struct program_task *task = CORES_GET(cores, tasks, (uint32_t)below(seed, TASKS));
    struct cost_request *cost = &task->cost;
    if (task->stage_count > 0) {
        struct program_stage *stage =
            CORES_GET(cores, stages, task->first_stage + (uint32_t)below(seed, 3));
        cost = &stage->cost;
    }
    switch (below(seed, 4)) {
    case 0:
        cores->target->ports[0].rate *= 1.1;
        break;
    case 1:
        cores->target->ports[0].per_user *= 1.1;
        break;
    case 2:
        cost->bytes /= 2;
        break;
    default:
        cost->cycles /= 2;
        break;
    }
}

static void assert_never_later(const struct program *program, const struct sim_result *now,
                               const struct sim_result *before)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        assert_true(now->tasks[i].start <= before->tasks[i].start);
        assert_true(now->tasks[i].end <= before->tasks[i].end);
    }
    for (uint32_t i = 0; i < program->stage_count; i++)
        assert_true(now->stages[i].times.end <= before->stages[i].times.end);
    for (uint32_t i = 0; i < program->step_count; i++)
        assert_true(now->steps[i].end <= before->steps[i].end);
    for (uint32_t i = 0; i < program->action_count; i++)
        assert_true(now->actions[i].end <= before->actions[i].end);
    assert_true(now->end <= before->end);
}

static void assert_lanes_and_stages(const struct cores *cores, const struct sim_result *result)
{
    for (uint32_t i = 0; i < cores->program.task_count; i++) {
        const struct program_task *task = &cores->program.tasks[i];
        for (uint32_t k = 0; k < task->stage_count; k++) {
            const struct sim_stage *stage = &result->stages[task->first_stage + k];
            assert_true(stage->times.start >= result->tasks[i].start);
            assert_true(stage->times.end <= result->tasks[i].end);
            assert_true(stage->times.end - stage->times.start >= stage->busy);
        }
        for (uint32_t k = 0; k < i; k++) {
            const struct program_task *other = &cores->program.tasks[k];
            if (other->engine == task->engine && other->unit == task->unit)
                assert_true(result->tasks[i].start >= result->tasks[k].end);
        }
    }
}

static void less_work_and_faster_ports_never_end_later(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        unsigned seed = round;
        struct cores cores;
        struct sim_result *before;
        cores_start(&cores);
        fill_at_random(&cores, &seed);
        assert_int_equal(sim_run(&cores.program, cores.target, COST_RULES_BEST, &before),
                         STATUS_OK);
        assert_lanes_and_stages(&cores, before);
        for (unsigned i = 0; i < 20; i++) {
            struct sim_result *now;
            improve(&cores, &seed);
            assert_int_equal(sim_run(&cores.program, cores.target, COST_RULES_BEST, &now),
                             STATUS_OK);
            assert_never_later(&cores.program, now, before);
            sim_result_free(before);
            before = now;
        }
        sim_result_free(before);
        cores_end(&cores);
    }
}

// Profiles -------------------------------------------------------------------------------

// A track below one of a name; NULL: there is none.
static const struct track *find_track(const struct profile *profile, const char *parent,
                                      const char *name)
{
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const struct track *above = profile_track(profile, track->parent);
        if (view_is(profile_text(profile, track->name), name) &&
            view_is(profile_text(profile, above->name), parent))
            return track;
    }
    return NULL;
}

static void assert_spans(const struct profile *profile, const char *parent, const char *name,
                         uint64_t spans, uint64_t first, uint64_t last)
{
    const struct track *track = find_track(profile, parent, name);
    assert_non_null(track);
    assert_int_equal(track->kind, TRACK_LANE);
    assert_int_equal(track->spans, spans);
    assert_int_equal(track->ledger.expected, spans);
    if (spans > 0) {
        assert_int_equal(track->first, first);
        assert_int_equal(track->last, last);
    }
}

static void a_profile_has_a_group_for_each_core(void **state)
{
    (void)state;
    struct cores_example example;
    struct sim_result *result;
    cores_example_start(&example);
    assert_int_equal(
        sim_run(&example.cores.program, example.cores.target, COST_RULES_BEST, &result), STATUS_OK);
    struct profile *profile = profile_create();
    assert_int_equal(sim_profile(&example.cores.program, example.cores.target, result, profile),
                     STATUS_OK);
    assert_int_equal(profile_finish(profile), STATUS_OK);
    assert_non_null(find_track(profile, "cores", "core 2"));
    assert_spans(profile, "core 0", "LOAD", 3, 0, 756); // b, a, and a stage
    assert_spans(profile, "core 2", "LOAD", 2, 180, 1140);
    assert_spans(profile, "core 1", "MATRIX 1", 2, 244, 973);
    assert_spans(profile, "core 2", "KERNEL", 1, 500, 1197);
    assert_spans(profile, "core 0", "SPREAD", 1, 32, 52);
    assert_spans(profile, "core 1", "SPREAD", 0, 0, 0);
    assert_spans(profile, "cores", "HOST", 0, 0, 0); // shared by all

    // What streams awaited.
    assert_spans(profile, "core 0", "load waits", 0, 0, 0);
    assert_spans(profile, "core 1", "compute waits", 1, 0, 244);
    assert_spans(profile, "core 2", "store waits", 1, 0, 358);
    assert_non_null(find_track(profile, "core 1", "tile in use"));
    assert_non_null(find_track(profile, "cores", "dram in use"));
    assert_null(find_track(profile, "cores", "tile in use"));

    const struct track *load = find_track(profile, "core 2", "LOAD");
    assert_int_equal(load->role, ROLE_TRANSFER_IN);
    assert_int_equal(load->core, 3);
    assert_int_equal(load->device, 0); // there is one
    assert_true(view_is(profile_text(profile, load->engine), "load"));
    assert_true(view_is(profile_text(profile, load->queue), "load"));
    assert_int_equal(find_track(profile, "core 2", "STORE")->role, ROLE_TRANSFER_OUT);
    assert_int_equal(find_track(profile, "core 2", "SPREAD")->role, ROLE_COMMUNICATION);
    assert_int_equal(find_track(profile, "core 2", "KERNEL")->role, ROLE_COMPUTE);
    assert_int_equal(find_track(profile, "core 2", "store waits")->role, ROLE_WAIT);
    profile_free(profile);
    sim_result_free(result);
    cores_end(&example.cores);
}

// Numbers --------------------------------------------------------------------------------

static struct datum *rows_of(int64_t rows, float first)
{
    const struct shape shape = {2, {rows, COLUMNS}};
    struct datum *datum;
    assert_int_equal(datum_tensor(ELEMENT_F32, &shape, &datum), STATUS_OK);
    float *numbers = datum->tensor.data;
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        numbers[i] = first + (float)i;
    return datum;
}

static void assert_sums(struct datum *const *outputs)
{
    const float *c = outputs[0]->tensor.data;
    const float *d = outputs[1]->tensor.data;
    for (int i = 0; i < ROWS * CORES * COLUMNS; i++) {
        const float a = 1.0F + (float)i;
        const float b = 1000.0F + (float)(i % COLUMNS);
        assert_true(c[i] == a + b);
        assert_true(d[i] == a + b + a);
    }
}

static status run_once(struct host_device *device, struct datum **outputs)
{
    struct datum *inputs[] = {rows_of(ROWS * CORES, 1), rows_of(1, 1000)};
    const status failure = host_device_run(device, inputs, 2, outputs);
    datum_release(inputs[0]);
    datum_release(inputs[1]);
    return failure;
}

static struct host_device *make_device(const struct cores *cores, unsigned threads)
{
    struct host_device *device;
    assert_int_equal(host_device_create(&cores->program, cores->target,
                                        &(struct host_options){.threads = threads, .trusted = true},
                                        &device),
                     STATUS_OK);
    return device;
}

static void any_number_of_workers_gives_the_same_numbers(void **state)
{
    (void)state;
    struct cores_example example;
    cores_example_start(&example);
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        struct host_device *device = make_device(&example.cores, threads);
        for (unsigned i = 0; i < 100; i++) {
            struct datum *outputs[2];
            assert_int_equal(run_once(device, outputs), STATUS_OK);
            assert_sums(outputs);
            datum_release(outputs[0]);
            datum_release(outputs[1]);
        }
        host_device_free(device);
    }
    cores_end(&example.cores);
}

// Moves the lower half of a new tile to the upper one.
static uint32_t start_move(struct cores *cores, unsigned core, uint64_t address)
{
    const struct cores_box low = {0, ROWS / 2};
    const struct cores_box high = {ROWS / 2, ROWS / 2};
    const uint32_t tile = cores_buffer(cores, PROGRAM_NONE, PROGRAM_BUFFER_TILE, core, address,
                                       (struct cores_box){0, ROWS});
    const uint32_t task = cores_task(cores, LOAD, core, 1, TILE_BYTES);
    cores_operand(cores, tile, low, false);
    cores_operand(cores, tile, high, true);
    cores_begin(cores, task);
    return task;
}

// Tasks that start first end while their stream awaits the next one's.
static void a_stream_may_await_while_its_task_runs(void **state)
{
    (void)state;
    struct cores cores;
    cores_start(&cores);
    cores_job(&cores);
    for (uint32_t round = 0; round < 50; round++) {
        uint32_t tasks[CORES];
        for (unsigned i = 0; i < CORES; i++)
            tasks[i] = start_move(&cores, i, round);
        for (unsigned i = CORES; i-- > 0;) {
            const uint32_t stream = cores_stream(i, QUEUE_LOAD);
            if (i + 1 < CORES)
                cores_await(&cores, stream, cores_stream(i + 1, QUEUE_LOAD), round + 1);
            cores_wait(&cores, tasks[i]);
            cores_signal(&cores, stream);
        }
    }
    cores_job_end(&cores);
    program_builder_view(cores.builder, &cores.program);
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        struct host_device *device = make_device(&cores, threads);
        for (unsigned i = 0; i < 20; i++)
            assert_int_equal(host_device_run(device, NULL, 0, NULL), STATUS_OK);
        host_device_free(device);
    }
    cores_end(&cores);
}

static void assert_fails(const struct cores *cores, const char *message)
{
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        struct host_device *device = make_device(cores, threads);
        for (unsigned i = 0; i < 50; i++) {
            struct datum *outputs[2];
            const status failure = run_once(device, outputs);
            assert_int_not_equal(failure, STATUS_OK);
            assert_non_null(strstr(status_message(failure), message));
            status_free(failure);
        }
        host_device_free(device);
    }
}

static void streams_that_wait_for_ever_are_an_error(void **state)
{
    (void)state;
    struct cores_example example;
    cores_example_start(&example);
    uint32_t first = PROGRAM_NONE;
    for (uint32_t i = 0; i < example.cores.program.step_count; i++) {
        struct program_step *step = CORES_GET(&example.cores, steps, i);
        if (step->kind == PROGRAM_STEP_AWAIT && step->stream == cores_stream(1, QUEUE_COMPUTE) &&
            first == PROGRAM_NONE) {
            step->count++; // that nobody gives
            first = i;
        }
    }
    char message[100];
    snprintf(message, sizeof message, "stream %u waits for ever at step %u",
             cores_stream(1, QUEUE_COMPUTE), first);
    assert_fails(&example.cores, message);
    cores_end(&example.cores);
}

static void the_first_task_that_fails_is_reported(void **state)
{
    (void)state;
    struct cores_example example;
    cores_example_start(&example);
    for (unsigned i = 1; i < CORES; i++) {
        struct program_buffer *buffer = CORES_GET(&example.cores, buffers, example.results[i]);
        buffer->dims[1] = COLUMNS - 1;
    }
    char message[100];
    snprintf(message, sizeof message, "another shape than buffer %u", example.results[1]);
    assert_fails(&example.cores, message);
    cores_end(&example.cores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_overlap_and_share_the_port),
        cmocka_unit_test(stages_work_side_by_side),
        cmocka_unit_test(queues_take_turns),
        cmocka_unit_test(an_order_that_cannot_be_done_is_refused),
        cmocka_unit_test(less_work_and_faster_ports_never_end_later),
        cmocka_unit_test(a_profile_has_a_group_for_each_core),
        cmocka_unit_test(any_number_of_workers_gives_the_same_numbers),
        cmocka_unit_test(a_stream_may_await_while_its_task_runs),
        cmocka_unit_test(streams_that_wait_for_ever_are_an_error),
        cmocka_unit_test(the_first_task_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
