#include "host_streams.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "host_pause.h"

struct stream {
    uint32_t at;      // its next step; PROGRAM_NONE: all are done
    uint32_t last;    // its last step of the job, while its steps are linked
    uint32_t waiting; // stream that awaits the same semaphore, after this one
    bool enlisted;    // it stands in the list of one
};

struct semaphore {
    uint32_t raised;
    uint32_t waiting; // the first stream that awaits it; PROGRAM_NONE
};

struct host_streams {
    const struct program *program;
    host_streams_task *run;
    void *context;
    uint32_t *next; // by step: the next one of its stream in the job; PROGRAM_NONE
    struct host_worker *workers;
    atomic_uint entered; // threads
    atomic_uint queued;  // steps in `queue`
    atomic_bool over;    // nothing runs and nothing is queued

    pthread_mutex_t lock; // of what follows
    pthread_cond_t given; // a task, or the end
    struct stream *streams;
    struct semaphore *semaphores;
    uint32_t *ready; // streams that may be able to go on
    uint32_t ready_count;
    bool *ended;       // by task
    uint32_t *queue;   // steps whose task is to run
    uint32_t running;  // tasks
    unsigned sleeping; // workers
    uint32_t failed;   // step of the first task that failed; PROGRAM_NONE
    status failure;
};

// Steps ----------------------------------------------------------------------------------

static void host_streams_start_step(struct host_streams *streams, uint32_t step)
{
    const uint32_t queued = atomic_load(&streams->queued);
    streams->ended[streams->program->steps[step].task] = false;
    streams->queue[queued] = step;
    atomic_store(&streams->queued, queued + 1);
}

// Those that await it look again.
static void host_streams_raise_semaphore(struct host_streams *streams, struct semaphore *semaphore)
{
    semaphore->raised++;
    while (semaphore->waiting != PROGRAM_NONE) {
        const uint32_t stream = semaphore->waiting;
        semaphore->waiting = streams->streams[stream].waiting;
        streams->streams[stream].enlisted = false;
        streams->ready[streams->ready_count++] = stream;
    }
}

static bool host_streams_await_semaphore(struct host_streams *streams, uint32_t stream,
                                         const struct program_step *step)
{
    struct semaphore *semaphore = &streams->semaphores[step->semaphore];
    if (semaphore->raised >= step->count)
        return true;
    // It looks again also when a task of its own has ended.
    if (!streams->streams[stream].enlisted) {
        streams->streams[stream].waiting = semaphore->waiting;
        streams->streams[stream].enlisted = true;
        semaphore->waiting = stream;
    }
    return false;
}

// False when the stream cannot go on yet.
static bool do_step(struct host_streams *streams, uint32_t stream, uint32_t index)
{
    const struct program_step *step = &streams->program->steps[index];
    switch ((enum program_step_kind)step->kind) {
    case PROGRAM_STEP_START:
        host_streams_start_step(streams, index);
        return true;
    case PROGRAM_STEP_WAIT:
        return streams->ended[step->task];
    case PROGRAM_STEP_SIGNAL:
        host_streams_raise_semaphore(streams, &streams->semaphores[step->semaphore]);
        return true;
    case PROGRAM_STEP_AWAIT:
        return host_streams_await_semaphore(streams, stream, step);
    }
    return true;
}

// Steps before one that failed are done all the same: one of them may fail, and counts then.
static void host_streams_advance(struct host_streams *streams)
{
    while (streams->ready_count > 0) {
        const uint32_t stream = streams->ready[--streams->ready_count];
        uint32_t *at = &streams->streams[stream].at;
        while (*at < streams->failed && do_step(streams, stream, *at))
            *at = streams->next[*at];
    }
    if (streams->sleeping > 0 && atomic_load(&streams->queued) > 0)
        pthread_cond_broadcast(&streams->given);
}

static void host_streams_keep_failure(struct host_streams *streams, uint32_t step, status failure)
{
    if (step > streams->failed) {
        status_free(failure);
        return;
    }
    status_free(streams->failure);
    streams->failed = step;
    streams->failure = failure;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < atomic_load(&streams->queued); i++) {
        if (streams->queue[i] < step)
            streams->queue[kept++] = streams->queue[i];
    }
    atomic_store(&streams->queued, kept);
}

// Workers --------------------------------------------------------------------------------

// What stands first in the table goes first.
static uint32_t host_streams_claim_step(struct host_streams *streams)
{
    const uint32_t count = atomic_load(&streams->queued);
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (streams->queue[i] < streams->queue[first])
            first = i;
    }
    const uint32_t step = streams->queue[first];
    streams->queue[first] = streams->queue[count - 1];
    atomic_store(&streams->queued, count - 1);
    return step;
}

// Locked before and after.
static void host_streams_run_next(struct host_streams *streams, struct host_worker *worker)
{
    const uint32_t step = host_streams_claim_step(streams);
    const struct program_step *item = &streams->program->steps[step];
    streams->running++;
    pthread_mutex_unlock(&streams->lock);
    const status result = streams->run(streams->context, worker, item->task);
    pthread_mutex_lock(&streams->lock);
    streams->running--;
    streams->ended[item->task] = true;
    if (result != STATUS_OK)
        host_streams_keep_failure(streams, step, result);
    // Who awaits a semaphore is told by that.
    const uint32_t at = streams->streams[item->stream].at;
    if (at != PROGRAM_NONE && streams->program->steps[at].kind == PROGRAM_STEP_WAIT)
        streams->ready[streams->ready_count++] = item->stream;
    host_streams_advance(streams);
}

// Looks for a while before it sleeps. Locked before and after.
static void host_streams_rest(struct host_streams *streams)
{
    pthread_mutex_unlock(&streams->lock);
    for (unsigned i = 0; i < HOST_LOOKS_MOST; i++) {
        if (atomic_load(&streams->queued) > 0 || atomic_load(&streams->over))
            break;
        host_pause();
    }
    pthread_mutex_lock(&streams->lock);
    streams->sleeping++;
    while (atomic_load(&streams->queued) == 0 && !atomic_load(&streams->over))
        pthread_cond_wait(&streams->given, &streams->lock);
    streams->sleeping--;
}

static void host_streams_serve(struct host_streams *streams, struct host_worker *worker)
{
    pthread_mutex_lock(&streams->lock);
    while (!atomic_load(&streams->over)) {
        if (atomic_load(&streams->queued) > 0) {
            host_streams_run_next(streams, worker);
        } else if (streams->running > 0) {
            host_streams_rest(streams);
        } else {
            atomic_store(&streams->over, true);
            pthread_cond_broadcast(&streams->given);
        }
    }
    pthread_mutex_unlock(&streams->lock);
}

static void host_streams_enter(void *context, uint64_t from, uint64_t to)
{
    struct host_streams *streams = context;
    for (; from < to; from++)
        host_streams_serve(streams, &streams->workers[atomic_fetch_add(&streams->entered, 1)]);
}

// Jobs -----------------------------------------------------------------------------------

// Links the steps of each stream, and sets the streams to their first ones.
static void host_streams_start_job(struct host_streams *streams, const struct program_job *job)
{
    streams->ready_count = 0;
    for (uint32_t i = 0; i < streams->program->stream_count; i++)
        streams->streams[i] = (struct stream){PROGRAM_NONE, PROGRAM_NONE, PROGRAM_NONE, false};
    for (uint32_t i = 0; i < streams->program->semaphore_count; i++)
        streams->semaphores[i].waiting = PROGRAM_NONE;
    for (uint32_t i = job->first_step; i < job->first_step + job->step_count; i++) {
        const uint32_t id = streams->program->steps[i].stream;
        struct stream *stream = &streams->streams[id];
        streams->next[i] = PROGRAM_NONE;
        if (stream->at == PROGRAM_NONE) {
            stream->at = i;
            streams->ready[streams->ready_count++] = id;
        } else {
            streams->next[stream->last] = i;
        }
        stream->last = i;
    }
}

static status check_done(const struct host_streams *streams)
{
    uint32_t first = PROGRAM_NONE;
    for (uint32_t i = 0; i < streams->program->stream_count; i++) {
        if (streams->streams[i].at < first)
            first = streams->streams[i].at;
    }
    return first == PROGRAM_NONE ? STATUS_OK
                                 : status_make(STATUS_DATA, "stream %u waits for ever at step %u",
                                               streams->program->steps[first].stream, first);
}

status host_streams_run(struct host_streams *streams, const struct program_job *job,
                        struct host_worker *workers, unsigned count, struct parallel *parallel)
{
    streams->workers = workers;
    atomic_store(&streams->entered, 0);
    atomic_store(&streams->queued, 0);
    atomic_store(&streams->over, false);
    pthread_mutex_lock(&streams->lock);
    streams->failed = PROGRAM_NONE;
    streams->failure = STATUS_OK;
    host_streams_start_job(streams, job);
    host_streams_advance(streams);
    pthread_mutex_unlock(&streams->lock);
    if (count > 1)
        parallel_for(parallel, count, 1, host_streams_enter, streams);
    else
        host_streams_serve(streams, &workers[0]);
    return streams->failure != STATUS_OK ? streams->failure : check_done(streams);
}

void host_streams_reset(struct host_streams *streams)
{
    for (uint32_t i = 0; i < streams->program->semaphore_count; i++)
        streams->semaphores[i].raised = 0;
}

struct host_streams *host_streams_create(const struct program *program, host_streams_task *run,
                                         void *context)
{
    if (program->stream_count < 2)
        return NULL;
    struct host_streams *streams = memory_allocate_zeroed(1, sizeof *streams);
    streams->program = program;
    streams->run = run;
    streams->context = context;
    pthread_mutex_init(&streams->lock, NULL);
    pthread_cond_init(&streams->given, NULL);
    const size_t steps = (size_t)program->step_count + 1;
    const size_t count = (size_t)program->stream_count + 1;
    streams->next = memory_allocate_zeroed(steps, sizeof *streams->next);
    streams->queue = memory_allocate_zeroed(steps, sizeof *streams->queue);
    streams->streams = memory_allocate_zeroed(count, sizeof *streams->streams);
    streams->ready = memory_allocate_zeroed(count, sizeof *streams->ready);
    streams->semaphores =
        memory_allocate_zeroed((size_t)program->semaphore_count + 1, sizeof *streams->semaphores);
    streams->ended =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *streams->ended);
    return streams;
}

void host_streams_free(struct host_streams *streams)
{
    if (streams == NULL)
        return;
    pthread_mutex_destroy(&streams->lock);
    pthread_cond_destroy(&streams->given);
    free(streams->next);
    free(streams->queue);
    free(streams->streams);
    free(streams->ready);
    free(streams->semaphores);
    free(streams->ended);
    free(streams);
}
