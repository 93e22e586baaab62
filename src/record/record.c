#include "record.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/memory.h"
#include "announce.h"
#include "session.h"

enum { BUFFER_BYTES = 1 << 20, INTERVAL_MS = 20, WAIT_NS = 50000 };

uint32_t opscope_record_state = OPSCOPE_OFF;
uint32_t opscope_record_number = 0;

static struct {
    pthread_mutex_t lock; // of all below but what threads count
    struct record_session *session;
    struct recovery around; // of who has locked it
    bool stopping;
    struct record_buffer *buffers; // of all threads that ever recorded and live
    pthread_t collector;
    unsigned interval_ms;
    size_t buffer_bytes;
    _Atomic uint32_t full; // enum opscope_full
    sem_t wake;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t lost_events[RECORD_LANES_MOST];

// The reserve of what writes is used up: buffers stay as they are until it is there again.
static atomic_bool memory_is_short;

static __thread struct record_buffer *own __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_end;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

// Threads ---------------------------------------------------------------------------

static void record_free_ended(void)
{
    for (struct record_buffer **at = &recorder.buffers; *at != NULL;) {
        struct record_buffer *buffer = *at;
        if (!buffer->ended || (recorder.session != NULL && !record_buffer_is_empty(buffer))) {
            at = &buffer->next;
            continue;
        }
        *at = buffer->next;
        record_buffer_free(buffer);
    }
}

// Hands the buffer over: the collection that takes the last of what is in it frees it.
static void end_thread(void *buffer)
{
    own = NULL;
    pthread_mutex_lock(&recorder.lock);
    ((struct record_buffer *)buffer)->ended = true;
    if (recorder.session == NULL)
        record_free_ended();
    pthread_mutex_unlock(&recorder.lock);
}

// Calls `describe` for an id; 0 when memory runs out, which ends the recording. Locked.
static uint32_t describe_in_scope(uint32_t (*describe)(struct profile *profile, const void *what),
                                  const void *what)
{
    struct record_session *session = recorder.session;
    return RECOVERY_SCOPE(&session->region, describe(session->profile, what),
                          (record_session_fail(recorder.session), 0u));
}

static uint32_t add_thread_lane(struct profile *profile, const void *name)
{
    const struct track lane = {
        .name = profile_string(profile, view_of(name)), .kind = TRACK_LANE, .nests = true};
    return record_session_lane(recorder.session, &lane);
}

// None while memory is short: to run out of it would end the recording.
static void give_lane(struct record_buffer *buffer)
{
    if (!memory_is_short)
        atomic_store(&buffer->lane, describe_in_scope(add_thread_lane, buffer->name));
}

// The buffer of a thread that has none yet; NULL while nothing is recorded, or when there
// is no memory.
static struct record_buffer *register_thread(const char *name)
{
    pthread_mutex_lock(&recorder.lock);
    if (recorder.session != NULL && own == NULL)
        own = record_buffer_create(recorder.buffer_bytes);
    if (recorder.session != NULL && own != NULL) {
        if (name != NULL)
            snprintf(own->name, sizeof own->name, "%s", name);
        else
            snprintf(own->name, sizeof own->name, "thread %d", (int)gettid());
        own->next = recorder.buffers;
        recorder.buffers = own;
        pthread_setspecific(thread_end, own);
        if (name != NULL)
            give_lane(own);
    }
    pthread_mutex_unlock(&recorder.lock);
    return own;
}

// The thread's own lane, which it gets with its first event there. 0: nothing is recorded, or there
// is no memory.
static uint32_t own_lane(struct record_buffer *buffer)
{
    const uint32_t known = atomic_load_explicit(&buffer->lane, memory_order_relaxed);
    if (__builtin_expect(known != 0, 1))
        return known;
    pthread_mutex_lock(&recorder.lock);
    if (recorder.session != NULL)
        give_lane(buffer);
    pthread_mutex_unlock(&recorder.lock);
    return atomic_load_explicit(&buffer->lane, memory_order_relaxed);
}

// Forks -----------------------------------------------------------------------------

static void before_fork(void)
{
    pthread_mutex_lock(&recorder.lock);
    pthread_mutex_lock(&record_buffer_growing);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&record_buffer_growing);
    pthread_mutex_unlock(&recorder.lock);
}

// The child has one thread and records nothing. The recording belongs to the parent:
// what the child has of it is left alone, but for the memory of buffers.
static void in_child(void)
{
    __atomic_store_n(&opscope_record_state, OPSCOPE_OFF, __ATOMIC_RELAXED);
    pthread_mutex_init(&recorder.lock, NULL);
    pthread_mutex_init(&record_buffer_growing, NULL);
    sem_init(&recorder.wake, 0, 0);
    recorder.session = NULL;
    recorder.stopping = false;
    for (struct record_buffer *buffer = recorder.buffers; buffer != NULL; buffer = buffer->next)
        buffer->ended = true;
    record_free_ended();
    own = NULL;
    pthread_setspecific(thread_end, NULL);
}

static void record_prepare(void)
{
    sem_init(&recorder.wake, 0, 0);
    pthread_key_create(&thread_end, end_thread);
    pthread_atfork(before_fork, after_fork, in_child);
}

// Events ------------------------------------------------------------------------------

static bool record_lose(uint32_t lane)
{
    atomic_fetch_add_explicit(&lost_events[lane < RECORD_LANES_MOST ? lane : 0], 1,
                              memory_order_relaxed);
    return false;
}

// By the policy; false when the event is lost.
static bool make_room(struct record_buffer *buffer, uint32_t size, uint32_t lane)
{
    bool wake;
    while (!record_buffer_room(buffer, size, &wake)) {
        sem_post(&recorder.wake);
        const uint32_t full = atomic_load_explicit(&recorder.full, memory_order_relaxed);
        if (full == OPSCOPE_FULL_GROW && !memory_is_short && record_buffer_grow(buffer))
            continue;
        if (full != OPSCOPE_FULL_BLOCK || opscope_recording() == OPSCOPE_OFF)
            return record_lose(lane);
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    }
    if (wake)
        sem_post(&recorder.wake);
    return true;
}

void opscope_record_event(const struct opscope_event *from, const struct opscope_value *values)
{
    struct record_buffer *buffer = own;
    if (__builtin_expect(buffer == NULL, 0))
        buffer = register_thread(NULL);
    if (__builtin_expect(buffer == NULL, 0)) {
        if (opscope_recording() != OPSCOPE_OFF)
            record_lose(from->lane);
        return;
    }
    const uint32_t lane = from->lane != 0 ? from->lane : own_lane(buffer);
    const uint32_t size = record_event_slots(from->value_count);
    if (__builtin_expect(lane == 0 || from->value_count > OPSCOPE_VALUES_MOST, 0)) {
        record_lose(lane);
        return;
    }
    if (__builtin_expect(buffer->head + size > buffer->limit, 0) && !make_room(buffer, size, lane))
        return;
    record_buffer_put(buffer, from, lane, values);
}

static void record_memory(uint32_t memory, uint32_t name, uint32_t call,
                          const struct opscope_value *values, uint16_t count)
{
    const uint64_t now = opscope_now();
    if (now == 0 || memory == 0)
        return;
    const struct opscope_event event = {now, now, memory, name, call, OPSCOPE_INSTANT, count};
    opscope_record_event(&event, values);
}

void opscope_allocated(uint32_t memory, uint64_t address, uint64_t bytes, uint32_t name,
                       uint32_t call)
{
    const struct opscope_value values[] = {{RECORD_ADDRESS_KEY, OPSCOPE_UINT, {.number = address}},
                                           {RECORD_BYTES_KEY, OPSCOPE_UINT, {.number = bytes}}};
    record_memory(memory, name, call, values, 2);
}

void opscope_freed(uint32_t memory, uint64_t address)
{
    const struct opscope_value value = {RECORD_ADDRESS_KEY, OPSCOPE_UINT, {.number = address}};
    record_memory(memory, RECORD_FREED, 0, &value, 1);
}

uint64_t opscope_now_far(void)
{
    const uint32_t state = opscope_recording();
    if (state == OPSCOPE_OFF)
        return 0;
    return state == OPSCOPE_ON_TSC ? ticks_now() : ticks_monotonic_ns();
}

// Start and stop ------------------------------------------------------------------------

// What buffers have ready, they give back when memory is short.
static void prepare_buffers(void)
{
    for (struct record_buffer *buffer = recorder.buffers; buffer != NULL; buffer = buffer->next) {
        if (memory_is_short)
            record_buffer_drop_spare(buffer);
        else
            record_buffer_prepare(buffer);
    }
}

static void record_collect(void)
{
    const bool grows =
        atomic_load_explicit(&recorder.full, memory_order_relaxed) == OPSCOPE_FULL_GROW;
    if (grows)
        prepare_buffers();
    record_session_collect(recorder.session, recorder.buffers, lost_events);
    record_free_ended();
    if (grows && memory_is_short)
        region_reserve(&recorder.session->region, &memory_is_short);
}

static void collect_last(void)
{
    record_collect();
    record_session_collect_last(recorder.session, recorder.buffers, lost_events);
    record_free_ended();
}

static void *run_collector(void *nothing)
{
    sigset_t all;
    (void)nothing;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); // they are for the program's own threads
    for (bool stopping = false; !stopping;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const uint64_t ns = (uint64_t)until.tv_nsec + recorder.interval_ms * 1000000ull;
        until.tv_sec += (time_t)(ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
        sem_clockwait(&recorder.wake, CLOCK_MONOTONIC, &until);
        while (sem_trywait(&recorder.wake) == 0)
            ;
        pthread_mutex_lock(&recorder.lock);
        record_collect();
        stopping = recorder.stopping;
        pthread_mutex_unlock(&recorder.lock);
    }
    return NULL;
}

static bool ignore_event(void *context, const struct opscope_event *event,
                         const struct opscope_value *values)
{
    (void)context;
    (void)event;
    (void)values;
    return true;
}

// Threads that recorded before go on with the buffers that they have, emptied.
static void record_begin(const struct opscope_record_options *options)
{
    for (uint32_t i = 0; i < RECORD_LANES_MOST; i++)
        atomic_store(&lost_events[i], 0);
    recorder.full = options->full;
    recorder.buffer_bytes = options->buffer_bytes != 0 ? options->buffer_bytes : BUFFER_BYTES;
    recorder.interval_ms = options->interval_ms != 0 ? options->interval_ms : INTERVAL_MS;
    recorder.stopping = false;
    for (struct record_buffer *buffer = recorder.buffers; buffer != NULL; buffer = buffer->next) {
        record_buffer_take(buffer, ignore_event, NULL);
        atomic_store(&buffer->lane, 0);
    }
}

static status start_session(const struct opscope_record_options *options)
{
    if (options->path == NULL || options->full > OPSCOPE_FULL_DROP ||
        options->buffer_bytes > (size_t)1 << 32)
        return status_make(STATUS_USAGE,
                           "a recording needs a path, a policy and buffers of at most 4 GiB");
    if (recorder.session != NULL)
        return status_make(STATUS_USAGE, "this process is recording already");
    STATUS_TRY(record_session_create(options, &recorder.session));
    record_begin(options);
    memory_is_short = false;
    if (options->full == OPSCOPE_FULL_GROW)
        record_session_reserve(recorder.session, &memory_is_short);
    const int error = pthread_create(&recorder.collector, NULL, run_collector, NULL);
    if (error != 0) {
        status_free(record_session_close(recorder.session, NULL));
        recorder.session = NULL;
        return status_system(error, options->path, "cannot start a thread");
    }
    __atomic_fetch_add(&opscope_record_number, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&opscope_record_state,
                     recorder.session->constant_ticks ? OPSCOPE_ON_TSC : OPSCOPE_ON_MONOTONIC,
                     __ATOMIC_RELEASE);
    return STATUS_OK;
}

// Without a path of its own a recording goes where a capture around this process wants it.
static status record_start_session(const struct opscope_record_options *options)
{
    struct opscope_record_options placed = *options;
    char path[ANNOUNCE_LINE];
    if (recorder.session == NULL && options->path == NULL && announce_is_wanted()) {
        STATUS_TRY(announce_place(options->process != NULL ? options->process : "process", path,
                                  sizeof path));
        placed.path = path;
    }
    return start_session(&placed);
}

status record_stop(struct profile **out_account)
{
    if (out_account != NULL)
        *out_account = NULL;
    // First: threads that record without end keep the collector at work, and the lock with it.
    __atomic_store_n(&opscope_record_state, OPSCOPE_OFF, __ATOMIC_RELAXED);
    pthread_mutex_lock(&recorder.lock);
    const bool running = recorder.session != NULL && !recorder.stopping;
    if (running) {
        __atomic_store_n(&opscope_record_state, OPSCOPE_OFF, __ATOMIC_RELAXED);
        recorder.stopping = true;
        sem_post(&recorder.wake);
    }
    pthread_mutex_unlock(&recorder.lock);
    if (!running)
        return RECOVERY_SCOPE_ALONE(status_make(STATUS_USAGE, "nothing is being recorded"),
                                    status_out_of_memory());
    pthread_join(recorder.collector, NULL);
    pthread_mutex_lock(&recorder.lock);
    collect_last();
    const status result = record_session_close(recorder.session, out_account);
    recorder.session = NULL;
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int answer(status result, char *message, size_t size)
{
    if (result == STATUS_OK)
        return 0;
    if (size > 0)
        snprintf(message, size, "%s", status_message(result));
    status_free(result);
    return -1;
}

// A recording that was made has a region of its own.
static status record_start_in_scope(const struct opscope_record_options *options)
{
    return RECOVERY_SCOPE_ALONE(record_start_session(options), status_out_of_memory());
}

status record_start(const struct opscope_record_options *options)
{
    pthread_once(&prepared, record_prepare);
    pthread_mutex_lock(&recorder.lock);
    const status result = record_start_in_scope(options);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

int opscope_record_start(const struct opscope_record_options *options, char *message, size_t size)
{
    return answer(record_start(options), message, size);
}

int opscope_record_stop(char *message, size_t size)
{
    return answer(record_stop(NULL), message, size);
}

int opscope_record_flush(void)
{
    pthread_mutex_lock(&recorder.lock);
    if (recorder.session != NULL)
        record_collect();
    const bool sound = recorder.session != NULL && recorder.session->failure == STATUS_OK &&
                       !recorder.session->waits;
    pthread_mutex_unlock(&recorder.lock);
    return sound ? 0 : -1;
}

// Descriptions --------------------------------------------------------------------------

struct profile *record_lock(void)
{
    if (opscope_recording() == OPSCOPE_OFF)
        return NULL;
    pthread_mutex_lock(&recorder.lock);
    if (recorder.session != NULL && !recorder.session->region.unsound) {
        recovery_begin(&recorder.around, &recorder.session->region);
        return recorder.session->profile;
    }
    pthread_mutex_unlock(&recorder.lock);
    return NULL;
}

void record_unlock(void)
{
    recovery_end(&recorder.around);
    pthread_mutex_unlock(&recorder.lock);
}

uint32_t record_add_lane(const struct track *like)
{
    return record_session_lane(recorder.session, like);
}

void record_expect(uint32_t lane, uint64_t count)
{
    if (lane < RECORD_LANES_MOST)
        recorder.session->announced[lane] += count;
}

static uint32_t record_describe(uint32_t (*describe)(struct profile *profile, const void *what),
                                const void *what)
{
    if (record_lock() == NULL)
        return 0;
    const uint32_t id = describe_in_scope(describe, what);
    record_unlock();
    return id;
}

static uint32_t record_text_id(struct profile *profile, const char *text)
{
    return profile_string(profile, view_of(text != NULL ? text : ""));
}

static uint32_t record_add_text(struct profile *profile, const void *text)
{
    return record_text_id(profile, text);
}

uint32_t opscope_text(const char *text)
{
    return record_describe(record_add_text, text);
}

static uint32_t add_lane(struct profile *profile, const void *name)
{
    const struct track lane = {
        .name = record_text_id(profile, name), .kind = TRACK_LANE, .by_name = true, .nests = true};
    return record_add_lane(&lane);
}

uint32_t opscope_lane(const char *name)
{
    return record_describe(add_lane, name);
}

struct named_engine {
    const char *name;
    struct opscope_engine engine;
};

static uint32_t add_engine_lane(struct profile *profile, const void *what)
{
    const struct named_engine *named = what;
    const struct opscope_engine *given = &named->engine;
    struct track lane = {.name = record_text_id(profile, named->name),
                         .kind = TRACK_LANE,
                         .engine = record_text_id(profile, given->engine),
                         .queue = record_text_id(profile, given->queue),
                         .index = given->index,
                         .device = given->device,
                         .core = given->core,
                         .nests = true};
    if (given->role == NULL || !role_from_name(view_of(given->role), &lane.role))
        lane.role = ROLE_NONE;
    return record_add_lane(&lane);
}

uint32_t opscope_engine_lane_sized(const char *name, const struct opscope_engine *engine,
                                   size_t size)
{
    struct named_engine named = {.name = name};
    if (opscope_recording() == OPSCOPE_OFF)
        return 0;
    memcpy(&named.engine, engine, size < sizeof named.engine ? size : sizeof named.engine);
    return record_describe(add_engine_lane, &named);
}

struct named_memory {
    const char *name;
    uint32_t device;
    uint32_t core;
};

static uint32_t record_add_memory(struct profile *profile, const void *what)
{
    const struct named_memory *memory = what;
    struct bytes values = {0};
    struct track lane = memory_lane(profile, view_of(memory->name), &values);
    lane.device = memory->device;
    lane.core = memory->core;
    const uint32_t id = record_add_lane(&lane);
    bytes_free(&values);
    return id;
}

uint32_t opscope_memory(const char *name, uint32_t device, uint32_t core)
{
    return record_describe(record_add_memory, &(struct named_memory){name, device, core});
}

struct named_counter {
    const char *name;
    const char *unit;
};

static uint32_t record_add_counter(struct profile *profile, const void *what)
{
    const struct named_counter *counter = what;
    return record_add_lane(&(struct track){.name = record_text_id(profile, counter->name),
                                           .unit = record_text_id(profile, counter->unit),
                                           .kind = TRACK_COUNTER});
}

uint32_t opscope_counter(const char *name, const char *unit)
{
    return record_describe(record_add_counter, &(struct named_counter){name, unit});
}

void opscope_thread_name(const char *name)
{
    if (opscope_recording() == OPSCOPE_OFF)
        return;
    if (own == NULL) {
        register_thread(name);
        return;
    }
    pthread_mutex_lock(&recorder.lock);
    const bool renamed = strncmp(own->name, name, sizeof own->name - 1) != 0;
    snprintf(own->name, sizeof own->name, "%s", name);
    // A lane that is in the file has its name: the thread gets another one.
    if ((renamed || own->lane == 0) && recorder.session != NULL)
        give_lane(own);
    pthread_mutex_unlock(&recorder.lock);
}

struct described_operator {
    const char *name;
    const char *type;
    const char *location;
    const struct opscope_value *values;
    uint32_t count;
};

static uint32_t record_add_operator(struct profile *profile, const void *what)
{
    const struct described_operator *op = what;
    return record_session_operator(
        recorder.session,
        &(struct operator_description){.name = record_text_id(profile, op->name),
                                       .type = record_text_id(profile, op->type),
                                       .location = record_text_id(profile, op->location)},
        op->values, op->count);
}

uint32_t opscope_operator(const char *name, const char *type, const char *location,
                          const struct opscope_value *values, uint32_t count)
{
    return record_describe(record_add_operator,
                           &(struct described_operator){name, type, location, values, count});
}

static uint32_t add_call(struct profile *profile, const void *what)
{
    const struct call *call = what;
    if (call->operator_id >= profile->operators.count || call->parent >= profile->calls.count)
        return 0;
    return profile_call_add(profile, call);
}

uint32_t opscope_call(uint32_t operator_id, uint32_t parent, uint32_t iteration)
{
    return record_describe(
        add_call,
        &(struct call){.operator_id = operator_id, .parent = parent, .iteration = iteration});
}

struct named_fact {
    const char *key;
    const char *text;
};

static uint32_t record_add_fact(struct profile *profile, const void *what)
{
    const struct named_fact *fact = what;
    profile_fact_add(profile, fact->key, view_of(fact->text));
    return 0;
}

void opscope_fact(const char *key, const char *text)
{
    record_describe(record_add_fact, &(struct named_fact){key, text});
}
