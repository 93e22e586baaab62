// The recorder: every event is recorded or counted as lost, whatever the threads, the policy,
// forks and the end of the process do.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <opscope/record.h>

#include "formats/format.h"
#include "profile/file.h"
#include "record/buffer.h"
#include "record/record.h"
#include "temporary_file.h"

enum { THREADS = 8, SPANS = 20000, SMALL = 4096 };

static void start(struct opscope_record_options options)
{
    char message[256] = "";
    options.path = path;
    if (opscope_record_start(&options, message, sizeof message) != 0)
        fail_msg("%s", message);
}

static void stop(void)
{
    char message[256] = "";
    if (opscope_record_stop(message, sizeof message) != 0)
        fail_msg("%s", message);
}

static struct profile *load(void)
{
    struct input *input;
    struct profile *profile = profile_create();
    assert_null(input_open(path, &input));
    assert_null(format_read_input(input, &(struct format_options){0}, profile));
    return profile;
}

static uint32_t track_named(const struct profile *profile, const char *name)
{
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        if (view_is(profile_text(profile, profile_track(profile, i)->name), name))
            return i;
    }
    fail_msg("no track '%s'", name);
    return 0;
}

// What a lane has, looked at event by event.
struct looking {
    struct event_sink sink;
    const struct profile *profile;
    uint64_t count;
    uint64_t previous_start;
    uint64_t previous_number;
    bool numbers_rise; // value 0 of each event is larger than the one before
};

static status look(struct event_sink *sink, const struct event_batch *batch)
{
    struct looking *looking = (struct looking *)(void *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        struct value_reader reader = value_read(event_values(batch, event));
        struct value value;
        assert_true(event->start >= looking->previous_start);
        assert_true(event->end >= event->start);
        looking->previous_start = event->start;
        if (looking->numbers_rise) {
            assert_true(value_next(&reader, &value));
            assert_true(looking->count == 0 || value.number > looking->previous_number);
            looking->previous_number = value.number;
        }
        looking->count++;
    }
    return STATUS_OK;
}

static uint64_t look_at(struct profile *profile, uint32_t track, bool numbers_rise)
{
    struct looking looking = {.sink.take = look, .profile = profile, .numbers_rise = numbers_rise};
    assert_null(profile_replay_track(profile, track, &looking.sink));
    return looking.count;
}

static void check_balance(const struct ledger *ledger)
{
    assert_int_equal(ledger->expected, ledger->recorded + ledger->lost + ledger->impossible);
}

// Threads and policies ----------------------------------------------------------------

static void *hammer(void *number)
{
    char name[32];
    snprintf(name, sizeof name, "worker %d", *(const int *)number);
    opscope_thread_name(name);
    const uint32_t work = opscope_text("work");
    const uint32_t key = opscope_text("i");
    for (uint64_t i = 0; i < SPANS; i++) {
        const uint64_t begun = opscope_begin();
        const struct opscope_value values[3] = {{key, OPSCOPE_UINT, {.number = i}},
                                                {key, OPSCOPE_INT, {.integer = -5}},
                                                {0, OPSCOPE_FLOW_OUT, {.number = i + 1}}};
        opscope_span(0, work, 0, begun, opscope_now(), values, 3);
    }
    return NULL;
}

static struct profile *hammer_with(struct opscope_record_options options)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    start(options);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    stop();
    return load();
}

static uint64_t check_workers(struct profile *profile)
{
    uint64_t lost = 0;
    for (int i = 0; i < THREADS; i++) {
        char name[32];
        snprintf(name, sizeof name, "worker %d", i);
        const uint32_t id = track_named(profile, name);
        const struct ledger *ledger = &profile_track(profile, id)->ledger;
        check_balance(ledger);
        assert_int_equal(ledger->expected, SPANS);
        assert_int_equal(look_at(profile, id, true), ledger->recorded);
        lost += ledger->lost;
    }
    return lost;
}

static void test_blocking_threads_lose_nothing(void **state)
{
    (void)state;
    struct profile *profile = hammer_with((struct opscope_record_options){.buffer_bytes = SMALL});
    assert_int_equal(check_workers(profile), 0);
    profile_free(profile);
}

static void test_growing_buffers_lose_nothing(void **state)
{
    (void)state;
    struct profile *profile = hammer_with(
        (struct opscope_record_options){.buffer_bytes = SMALL, .full = OPSCOPE_FULL_GROW});
    assert_int_equal(check_workers(profile), 0);
    profile_free(profile);
}

struct taking {
    uint64_t next;  // what the next event must start at
    uint64_t until; // the first one that stays
};

static bool take_until(void *context, const struct opscope_event *event,
                       const struct opscope_value *values)
{
    struct taking *taking = context;
    (void)values;
    if (event->start == taking->until)
        return false;
    assert_int_equal(event->start, taking->next);
    taking->next++;
    return true;
}

static void test_what_a_collection_does_not_take_stays(void **state)
{
    (void)state;
    enum { EVENTS = 1000 };
    struct record_buffer *buffer = record_buffer_create(1);
    struct taking taking = {0};
    assert_non_null(buffer);
    for (uint64_t i = 0; i < EVENTS; i++) {
        const struct opscope_event event = {.start = i};
        bool wake;
        if (!record_buffer_room(buffer, 1, &wake))
            assert_true(record_buffer_grow(buffer));
        record_buffer_put(buffer, &event, 1, NULL);
    }
    for (taking.until = 0; taking.until < EVENTS; taking.until += 37) {
        record_buffer_take(buffer, take_until, &taking);
        assert_int_equal(taking.next, taking.until);
        assert_false(record_buffer_is_empty(buffer));
    }
    taking.until = UINT64_MAX;
    record_buffer_take(buffer, take_until, &taking);
    assert_int_equal(taking.next, EVENTS);
    assert_true(record_buffer_is_empty(buffer));
    record_buffer_drop_spare(buffer);
    record_buffer_free(buffer);
}

static void test_drops_are_counted_on_their_lanes(void **state)
{
    (void)state;
    struct profile *profile = hammer_with(
        (struct opscope_record_options){.buffer_bytes = SMALL, .full = OPSCOPE_FULL_DROP});
    const uint64_t lost = check_workers(profile);
    assert_int_equal(profile->note_counts[LEDGER_LOST], lost);
    profile_free(profile);
}

// Nobody collects while the profile is locked: a buffer of 64 slots holds 64 events.
static void *fill_a_buffer(void *nothing)
{
    opscope_thread_name("filler");
    assert_non_null(record_lock());
    for (int i = 0; i < 100; i++)
        opscope_instant(0, 0, 0, NULL, 0);
    record_unlock();
    return nothing;
}

static void test_a_full_buffer_drops_the_rest(void **state)
{
    (void)state;
    pthread_t thread;
    start((struct opscope_record_options){.buffer_bytes = 1, .full = OPSCOPE_FULL_DROP});
    assert_int_equal(pthread_create(&thread, NULL, fill_a_buffer, NULL), 0);
    pthread_join(thread, NULL);
    stop();
    struct profile *profile = load();
    const struct track *track = profile_track(profile, track_named(profile, "filler"));
    assert_int_equal(track->ledger.expected, 100);
    assert_int_equal(track->ledger.recorded, 64);
    assert_int_equal(track->ledger.lost, 36);
    assert_int_equal(profile->note_counts[LEDGER_LOST], 36);
    profile_free(profile);
}

static void test_an_event_with_too_many_values_is_lost(void **state)
{
    (void)state;
    start((struct opscope_record_options){0});
    const uint32_t lane = opscope_lane("SLICE 1");
    const struct opscope_value values[OPSCOPE_VALUES_MOST + 1] = {{0}};
    opscope_instant(lane, 0, 0, values, OPSCOPE_VALUES_MOST + 1);
    opscope_instant(lane, 0, 0, values, OPSCOPE_VALUES_MOST);
    stop();
    struct profile *profile = load();
    const struct track *track = profile_track(profile, track_named(profile, "SLICE 1"));
    assert_int_equal(track->role, ROLE_COMPUTE);
    assert_true(view_is(profile_text(profile, track->engine), "slice"));
    assert_int_equal(track->index, 1);
    assert_int_equal(track->ledger.expected, 2);
    assert_int_equal(track->ledger.lost, 1);
    profile_free(profile);
}

static void test_memory_and_file_hold_the_same(void **state)
{
    (void)state;
    struct profile *profile = hammer_with((struct opscope_record_options){.in_memory = 1});
    assert_int_equal(check_workers(profile), 0);
    profile_free(profile);
}

// What is recorded ---------------------------------------------------------------------

static void test_a_lane_of_any_engine_comes_back(void **state)
{
    (void)state;
    start((struct opscope_record_options){0});
    const struct opscope_engine matrix = {.role = "compute",
                                          .engine = "matrix",
                                          .queue = "stream 2",
                                          .index = 1,
                                          .device = 1,
                                          .core = 4};
    const uint32_t lane = opscope_engine_lane("core 3 matrix", &matrix);
    const uint32_t odd =
        opscope_engine_lane("odd", &(struct opscope_engine){.role = "juggling", .engine = "hand"});
    opscope_instant(lane, 0, 0, NULL, 0);
    opscope_instant(odd, 0, 0, NULL, 0);
    stop();
    struct profile *profile = load();
    const struct track *track = profile_track(profile, track_named(profile, "core 3 matrix"));
    assert_int_equal(track->role, ROLE_COMPUTE);
    assert_true(view_is(profile_text(profile, track->engine), "matrix"));
    assert_true(view_is(profile_text(profile, track->queue), "stream 2"));
    assert_true(track->index == 1 && track->device == 1 && track->core == 4);
    track = profile_track(profile, track_named(profile, "odd"));
    assert_int_equal(track->role, ROLE_NONE);
    assert_true(view_is(profile_text(profile, track->engine), "hand"));
    profile_free(profile);
}

// Taken and given back at random, by one thread, against a table of what is taken.
static void test_memory_that_is_taken_and_given_back_has_lifetimes(void **state)
{
    (void)state;
    enum { ADDRESSES = 8, STEPS = 500 };
    unsigned seed = 5;
    uint64_t taken[ADDRESSES] = {0};
    uint64_t want = 0;
    uint64_t want_bytes = 0;
    start((struct opscope_record_options){0});
    const uint32_t memory = opscope_memory("tile", 1, 3);
    const uint32_t name = opscope_text("weights");
    const uint32_t call = opscope_call(opscope_operator("conv", "conv2d", "", NULL, 0), 0, 0);
    for (int i = 0; i < STEPS; i++) {
        const unsigned at = (unsigned)rand_r(&seed) % ADDRESSES;
        if (taken[at] != 0) {
            opscope_freed(memory, at * 64);
            taken[at] = 0;
        } else {
            taken[at] = 1 + (unsigned)rand_r(&seed) % 64;
            opscope_allocated(memory, at * 64, taken[at], name, call);
            want++;
            want_bytes += taken[at];
        }
    }
    opscope_freed(memory, 12345);
    stop();
    struct profile *profile = load();
    const struct track *track = profile_track(profile, track_named(profile, "tile"));
    uint64_t bytes = 0;
    uint64_t open = 0;
    assert_int_equal(profile->buffers.count, want);
    for (uint32_t i = 0; i < profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&profile->buffers, i);
        assert_true(buffer->from <= buffer->to && buffer->to <= track->last);
        assert_true(buffer->device == 1 && buffer->core == 3 && buffer->owner == 1);
        assert_true(view_is(profile_text(profile, buffer->memory), "tile"));
        assert_true(view_is(profile_text(profile, buffer->name), "weights"));
        bytes += buffer->size;
        open += buffer->to == track->last;
    }
    assert_int_equal(bytes, want_bytes);
    for (int i = 0; i < ADDRESSES; i++)
        open -= taken[i] != 0;
    assert_true(open <= 1); // a step may take no tick
    assert_int_equal(profile->note_counts[LEDGER_REMARK], 1);
    // Saved and read again, they are the same ones.
    char again[256];
    snprintf(again, sizeof again, "%s.again", path);
    assert_null(profile_save(profile, again));
    profile_free(profile);
    assert_int_equal(rename(again, path), 0);
    profile = load();
    assert_int_equal(profile->buffers.count, want);
    profile_free(profile);
}

static void test_everything_that_is_described_comes_back(void **state)
{
    (void)state;
    start((struct opscope_record_options){.process = "engine room", .monotonic = 1});
    const uint32_t lane = opscope_lane("DMA IN");
    const uint32_t counter = opscope_counter("memory", "bytes");
    const struct opscope_value shape = {
        opscope_text("shape"), OPSCOPE_TEXT, {.number = opscope_text("1x8")}};
    const uint32_t op = opscope_operator("conv_1", "conv2d", "net.mlir:3", &shape, 1);
    const uint32_t call = opscope_call(op, 0, 7);
    assert_int_equal(opscope_call(99, 0, 0), 0);
    opscope_fact("network", "net.mlir");
    const uint64_t begun = opscope_begin();
    opscope_instant(lane, opscope_text("now"), call, NULL, 0);
    opscope_sample(counter, 12.5);
    opscope_end(begun, lane, opscope_text("copy"), call);
    opscope_span(lane, 12345, 0, begun, begun, NULL, 0); // a name that nobody gave
    opscope_span(lane, 0, 0, begun, begun - 1, NULL, 0); // ends before it starts
    stop();
    struct profile *profile = load();
    const struct track *track = profile_track(profile, track_named(profile, "DMA IN"));
    assert_int_equal(track->spans, 1);
    assert_int_equal(track->instants, 1);
    assert_int_equal(track->ledger.impossible, 2);
    check_balance(&track->ledger);
    assert_int_equal(track->role, ROLE_TRANSFER_IN);
    assert_true(view_is(profile_text(profile, track->engine), "dma in"));
    assert_int_equal(track->parent, track_named(profile, "engine room"));
    assert_int_equal(profile_track(profile, track_named(profile, "memory"))->samples, 1);
    assert_int_equal(profile->calls.count, 2);
    assert_int_equal(profile_call(profile, 1)->iteration, 7);
    const struct operator_description *read = profile_operator(profile, 1);
    assert_true(view_is(profile_text(profile, read->type), "conv2d"));
    assert_true(read->values.size > 0);
    assert_true(view_is(profile_fact(profile, "network"), "net.mlir"));
    profile_free(profile);
}

static void test_nothing_is_recorded_when_off(void **state)
{
    (void)state;
    assert_int_equal(opscope_recording(), OPSCOPE_OFF);
    assert_int_equal(opscope_begin(), 0);
    assert_int_equal(opscope_text("x"), 0);
    opscope_end(0, 0, 0, 0);
    opscope_sample(1, 2);
    assert_int_equal(opscope_record_flush(), -1);
    assert_int_equal(opscope_record_stop(NULL, 0), -1);
    start((struct opscope_record_options){0});
    struct opscope_record_options again = {.path = path};
    assert_int_equal(opscope_record_start(&again, NULL, 0), -1);
    stop();
    struct profile *profile = load();
    assert_int_equal(profile_ledger(profile).expected, 0);
    profile_free(profile);
}

// A thread that recorded before starts from nothing in the next recording.
static void test_recordings_do_not_mix(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 3; round++) {
        start((struct opscope_record_options){0});
        opscope_thread_name("main");
        for (uint64_t i = 0; i < round; i++)
            opscope_instant(0, 0, 0, NULL, 0);
        stop();
        struct profile *profile = load();
        assert_int_equal(profile_ledger(profile).recorded, round);
        profile_free(profile);
    }
}

static void test_a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    char message[256] = "";
    struct opscope_record_options options = {.path = "/nowhere/at/all.prof"};
    assert_int_equal(opscope_record_start(&options, message, sizeof message), -1);
    assert_non_null(strstr(message, "/nowhere/at/all.prof"));
    assert_int_equal(opscope_recording(), OPSCOPE_OFF);
}

static void test_a_full_disk_is_reported_when_it_stops(void **state)
{
    (void)state;
    char message[256] = "";
    struct opscope_record_options options = {.path = "/dev/full", .in_memory = 1};
    assert_int_equal(opscope_record_start(&options, message, sizeof message), 0);
    opscope_instant(0, 0, 0, NULL, 0);
    assert_int_equal(opscope_record_stop(message, sizeof message), -1);
    assert_non_null(strstr(message, "/dev/full"));
}

// The clock ------------------------------------------------------------------------------

static uint64_t monotonic(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Each instant carries the readings of CLOCK_MONOTONIC before and after it.
static status look_at_times(struct event_sink *sink, const struct event_batch *batch)
{
    struct looking *looking = (struct looking *)(void *)sink;
    const struct profile *profile = looking->profile;
    uint64_t error = 0;
    view_to_u64(profile_fact(profile, "clock_error_ns"), &error);
    assert_true(error < 1000000);
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        struct value_reader reader = value_read(event_values(batch, event));
        struct value before, after;
        assert_true(value_next(&reader, &before) && value_next(&reader, &after));
        const uint32_t clock = profile_track(profile, event->track)->clock;
        const uint64_t ns = clock_to_ns(profile_clock(profile, clock), event->start);
        assert_true(ns + error + 1000 >= before.number && ns <= after.number + error + 1000);
        looking->count++;
    }
    return STATUS_OK;
}

static void test_ticks_map_to_the_monotonic_clock(void **state)
{
    (void)state;
    start((struct opscope_record_options){0});
    opscope_thread_name("main");
    for (int i = 0; i < 100; i++) {
        const uint64_t before = monotonic();
        const uint64_t ticks = opscope_now();
        const uint64_t after = monotonic();
        const struct opscope_value values[2] = {{0, OPSCOPE_UINT, {.number = before}},
                                                {0, OPSCOPE_UINT, {.number = after}}};
        opscope_span(0, 0, 0, ticks, ticks, values, 2);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    stop();
    struct profile *profile = load();
    struct looking looking = {.sink.take = look_at_times, .profile = profile};
    assert_null(profile_replay_track(profile, track_named(profile, "main"), &looking.sink));
    assert_int_equal(looking.count, 100);
    profile_free(profile);
}

// Processes ------------------------------------------------------------------------------

static int end_of(pid_t child)
{
    int how;
    while (waitpid(child, &how, 0) < 0)
        assert_int_equal(errno, EINTR);
    return how;
}

// The exit code counts what is wrong in the child.
static int record_in_child(const char *own_path)
{
    int wrong = opscope_recording() != OPSCOPE_OFF;
    opscope_instant(0, 0, 0, NULL, 0);
    struct opscope_record_options options = {.path = own_path};
    wrong += opscope_record_start(&options, NULL, 0) != 0;
    opscope_thread_name("child");
    opscope_instant(0, opscope_text("in the child"), 0, NULL, 0);
    wrong += opscope_record_stop(NULL, 0) != 0;
    return wrong;
}

static void test_a_fork_records_nothing_for_its_parent(void **state)
{
    (void)state;
    char own_path[64];
    snprintf(own_path, sizeof own_path, "%s.child", path);
    start((struct opscope_record_options){.interval_ms = 1});
    opscope_thread_name("main");
    for (int i = 0; i < 10; i++)
        opscope_instant(0, 0, 0, NULL, 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(record_in_child(own_path));
    for (int i = 0; i < 10; i++)
        opscope_instant(0, 0, 0, NULL, 0);
    assert_int_equal(end_of(child), 0);
    stop();
    struct profile *profile = load();
    assert_int_equal(profile_ledger(profile).recorded, 20);
    profile_free(profile);
    struct input *input;
    profile = profile_create();
    assert_null(input_open(own_path, &input));
    assert_null(profile_load(input, profile));
    assert_int_equal(profile_ledger(profile).recorded, 1);
    profile_free(profile);
    unlink(own_path);
}

// Says through the pipe that so many events are flushed, and goes on until it is killed.
static void record_until_killed(int to)
{
    struct opscope_record_options options = {.path = path, .interval_ms = 1};
    if (opscope_record_start(&options, NULL, 0) != 0)
        _exit(1);
    opscope_thread_name("main");
    const uint32_t name = opscope_text("work");
    for (uint32_t i = 0;; i++) {
        opscope_end(opscope_begin(), 0, name, 0);
        if (i + 1 == SPANS && (opscope_record_flush() != 0 || write(to, "x", 1) != 1))
            _exit(1);
    }
}

static void test_what_was_flushed_survives_a_kill(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        record_until_killed(ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    kill(child, SIGKILL);
    assert_true(WIFSIGNALED(end_of(child)));
    close(ends[0]);
    struct profile *profile = load();
    const uint32_t lane = track_named(profile, "main");
    const struct ledger *ledger = &profile_track(profile, lane)->ledger;
    assert_true(ledger->recorded >= SPANS);
    check_balance(ledger);
    assert_int_equal(look_at(profile, lane, false), ledger->recorded);
    assert_true(profile_ledger(profile).expected == LEDGER_UNKNOWN);
    profile_free(profile);
}

// The exit code counts what is wrong in the child.
static int record_on_a_full_disk(void)
{
    char message[256] = "";
    const struct rlimit limit = {100000, 100000};
    struct opscope_record_options options = {.path = path};
    signal(SIGXFSZ, SIG_IGN);
    int wrong = setrlimit(RLIMIT_FSIZE, &limit) != 0;
    wrong += opscope_record_start(&options, NULL, 0) != 0;
    hammer(&(int){0});
    wrong += opscope_record_flush() != -1;
    hammer(&(int){0}); // goes on, although nobody writes it down
    wrong += opscope_record_stop(message, sizeof message) != -1;
    wrong += strstr(message, path) == NULL;
    return wrong;
}

static void test_a_disk_that_fills_up_keeps_what_was_written(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        _exit(record_on_a_full_disk());
    assert_int_equal(end_of(child), 0);
    struct profile *profile = load();
    const uint32_t lane = track_named(profile, "worker 0");
    const struct ledger *ledger = &profile_track(profile, lane)->ledger;
    assert_true(ledger->recorded > 0 && ledger->recorded < SPANS);
    check_balance(ledger);
    assert_int_equal(look_at(profile, lane, true), ledger->recorded);
    assert_true(profile_ledger(profile).expected == LEDGER_UNKNOWN);
    profile_free(profile);
}

// The file reads wherever it is cut, and what is missing of a written account is lost.
static void test_a_recording_reads_up_to_any_cut(void **state)
{
    (void)state;
    profile_free(hammer_with((struct opscope_record_options){.interval_ms = 1}));
    const int file = open(path, O_RDWR | O_CLOEXEC);
    off_t size = lseek(file, 0, SEEK_END);
    uint64_t before = UINT64_MAX;
    for (; size > 64; size = size * 7 / 8) {
        assert_int_equal(ftruncate(file, size), 0);
        struct profile *profile = load();
        for (uint32_t i = 1; i < profile->tracks.count; i++)
            check_balance(&profile_track(profile, i)->ledger);
        assert_true(profile_ledger(profile).recorded <= before);
        before = profile_ledger(profile).recorded;
        profile_free(profile);
    }
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocking_threads_lose_nothing),
        cmocka_unit_test(test_growing_buffers_lose_nothing),
        cmocka_unit_test(test_what_a_collection_does_not_take_stays),
        cmocka_unit_test(test_drops_are_counted_on_their_lanes),
        cmocka_unit_test(test_a_full_buffer_drops_the_rest),
        cmocka_unit_test(test_an_event_with_too_many_values_is_lost),
        cmocka_unit_test(test_memory_and_file_hold_the_same),
        cmocka_unit_test(test_a_lane_of_any_engine_comes_back),
        cmocka_unit_test(test_memory_that_is_taken_and_given_back_has_lifetimes),
        cmocka_unit_test(test_everything_that_is_described_comes_back),
        cmocka_unit_test(test_nothing_is_recorded_when_off),
        cmocka_unit_test(test_recordings_do_not_mix),
        cmocka_unit_test(test_a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(test_a_full_disk_is_reported_when_it_stops),
        cmocka_unit_test(test_ticks_map_to_the_monotonic_clock),
        cmocka_unit_test(test_a_fork_records_nothing_for_its_parent),
        cmocka_unit_test(test_what_was_flushed_survives_a_kill),
        cmocka_unit_test(test_a_disk_that_fills_up_keeps_what_was_written),
        cmocka_unit_test(test_a_recording_reads_up_to_any_cut),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
